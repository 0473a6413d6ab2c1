"""What models, accumulators and classifiers share: a handle of the library, freed with its owner; calls on it that
report progress, that Ctrl-C ends, and that threads make in turn."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, Optional, TypeVar, Union

from . import library as c
from .library import call, library

Progress = Callable[[float], Any]
Path = Union[str, bytes, "os.PathLike[str]"]
Values = TypeVar("Values")
Self = TypeVar("Self", bound="Handle")


class _Call:
    """One that runs: what was raised on its way, and whether the progress function is at work."""

    def __init__(self) -> None:
        self.raised: Optional[BaseException] = None
        self.in_function = False


class Calls:
    """The calls on one handle: those that change it run alone, others side by side. The library knows one callback,
    which lives as long as the handle, whatever the progress function is."""

    def __init__(self) -> None:
        self.function: Optional[Progress] = None
        self._running: Dict[int, _Call] = {}  # by thread
        self._changing: Optional[int] = None  # the thread whose call changes the handle
        self._turn = threading.Condition(threading.Lock())
        self.callback = c.PROGRESS(self._report)

    def refuse_own(self) -> None:
        """A callback must not call into what reports to it."""
        if threading.get_ident() in self._running:
            raise RuntimeError("a progress function must not use the object whose work it hears of: let it return, "
                               "true to cancel, and use it after the call")

    def run(self, changes: bool, name: str, *arguments: Any) -> None:
        self.refuse_own()
        me, this = threading.get_ident(), _Call()
        try:
            with self._turn:
                self._turn.wait_for(lambda: self._changing is None and not (changes and self._running))
                self._running[me], self._changing = this, me if changes else None
            try:
                with self._interrupts_kept(this):
                    call(name, *arguments)
            except c.Error:
                if this.raised is None:
                    raise
            if this.raised is not None:
                raise this.raised from None
        finally:
            with self._turn:
                self._running.pop(me, None)
                self._changing = None if self._changing == me else self._changing
                self._turn.notify_all()

    def _report(self, fraction: float, _: Any) -> int:
        """No exception crosses the library: it cancels, and is raised when the call is over."""
        this = self._running.get(threading.get_ident())
        if this is None or this.raised is not None:
            return int(this is not None)
        try:
            this.in_function = True
            stop = self.function is not None and self.function(fraction)
            this.in_function = False
            return int(bool(stop) or this.raised is not None)
        except BaseException as raised:
            this.raised, this.in_function = raised, False
            return 1

    @contextmanager
    def _interrupts_kept(self, this: _Call) -> Iterator[None]:
        """Ctrl-C raises wherever Python happens to be, also before a callback's first line, where nothing can catch it.
        So what the handler raises is kept until the call is over, and cancels it; in the progress function, which may
        itself take long, it is raised at once."""
        main = threading.current_thread() is threading.main_thread()
        handler: Any = signal.getsignal(signal.SIGINT) if main else None
        if not callable(handler):
            yield
            return

        def keep(number: int, frame: Any) -> None:
            try:
                handler(number, frame)
            except BaseException as raised:
                this.raised = raised
                if this.in_function:
                    raise

        signal.signal(signal.SIGINT, keep)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)


class Handle:
    """A handle of the library and its calls, freeridge_<kind><name>. Statuses become exceptions: see Error."""

    handle: Any
    _kind = ""  # "accumulator_"
    _destroy = "freeridge_destroy"

    def _own(self, name: str, *arguments: Any) -> None:
        """The handle that a call makes."""
        call(name, *arguments, ctypes.byref(self.handle))
        self._listen()

    def _listen(self) -> None:
        self._calls = Calls()
        call(self._kind + "set_progress", self.handle, self._calls.callback, None)

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            getattr(library, self._destroy)(self.handle)

    def _change(self: Self, name: str, *arguments: Any) -> Self:
        """A call that takes the handle as it likes: no other runs on it."""
        self._calls.run(True, self._kind + name, self.handle, *arguments)
        return self

    def _ask(self, name: str, *arguments: Any) -> None:
        """A call that takes a const handle: such calls run side by side."""
        self._calls.run(False, self._kind + name, self.handle, *arguments)

    def _answer(self, values: Values, name: str, *arguments: Any) -> Values:
        """What a call fills. With UNDEFINED some of it is NaN, and the exception has it all."""
        try:
            self._ask(name, *arguments)
        except c.Error as error:
            if error.status == c.UNDEFINED:
                error.values = values
            raise
        return values

    def _number(self, name: str, kind: Any = c.INT64) -> Any:
        value = kind()
        self._ask(name, value)
        return value.value

    def _bytes(self, name: str) -> bytes:
        length = c.INT64()
        self._ask(name, 0, None, length)
        out = ctypes.create_string_buffer(length.value)
        self._ask(name, length.value, out, length)
        return out.raw

    def set_progress(self: Self, function: Optional[Progress]) -> Self:
        """function: of the fraction done, from 0 to 1, which is called about every hundredth of a second while a call
        works; it returns true to cancel, and the call raises Error (CANCELLED) and changes nothing. None: no function.
        What it raises goes on after the call. It must not use this object (RuntimeError). Ctrl-C ends calls with and
        without it. Cost: O(1)."""
        self._calls.refuse_own()
        self._calls.function = function
        return self
