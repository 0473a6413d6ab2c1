"""What models, accumulators and classifiers share: a handle of the library, freed with its owner; calls on it that
report progress, that Ctrl-C and other signals' handlers end, and that threads make in turn."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from _signal import getsignal, signal as set_handler  # those of signal make enums of numbers, ten times as slowly
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar, Union

from numpy.typing import ArrayLike

from . import library as c
from .arrays import Matrix, Names, names_of, pointer, points_of, same_names, struct_of, vector
from .library import c_text, call, hold

_SIGNALS = sorted(map(int, signal.valid_signals()))

Progress = Callable[[float], Any]
Path = Union[str, bytes, os.PathLike]
Values = TypeVar("Values")
Self = TypeVar("Self", bound="Handle")
Rows = TypeVar("Rows", bound="RowHandle")


def path_bytes(path: Path) -> bytes:
    """A path as the library takes it: any bytes but a zero."""
    return c_text(os.fsencode(path), "path")


class _Call:
    """A call that is running: the exception raised during it, if any, whether a function of the user's is running,
    which the library called, and whether the call is over."""

    def __init__(self) -> None:
        self.raised: Optional[BaseException] = None
        self.in_function = self.over = False


_INNERMOST: Dict[int, _Call] = {}  # of each thread: the call that it runs, which may be within another one


class Callback:
    """What the library calls in the thread of a call, on the object that `function` was given to or a copy of it. No
    exception may pass through the library: one that is raised here makes the answer `failed`, which ends the call, and
    is raised again when the call is over."""

    def __init__(self, failed: int, function: Callable[..., int]) -> None:
        self.failed, self.function = failed, function

    def __call__(self, *arguments: Any) -> int:
        this = _INNERMOST.get(threading.get_ident())
        if this is None or this.raised is not None:
            return self.failed
        try:
            this.in_function = True
            answer = self.function(*arguments)
            this.in_function = False
        except BaseException as raised:
            this.in_function = False
            if this.raised is None:
                this.raised = raised
        return answer if this.raised is None else self.failed


class _Ignored:
    """Exceptions that ctypes ignores, as no callback has begun yet that could catch them (another thread raises one in
    this thread, or the stack is full): while calls run, those of our callbacks are kept for their call."""

    def __init__(self) -> None:
        self._lock, self._running = threading.Lock(), 0
        self._before: Callable[[Any], Any] = sys.unraisablehook

    def __enter__(self) -> None:
        with self._lock:
            if self._running == 0:
                self._before, sys.unraisablehook = sys.unraisablehook, self._hear
            self._running += 1

    def __exit__(self, *_: Any) -> None:
        with self._lock:
            self._running -= 1
            if self._running == 0 and sys.unraisablehook == self._hear:
                sys.unraisablehook = self._before

    def _hear(self, ignored: Any) -> None:
        # Python 3.13 and later have the callback in the message alone.
        ours = isinstance(ignored.object, Callback) if ignored.object is not None else \
            f"ctypes callback function <{Callback.__module__}." in (ignored.err_msg or "")
        this = _INNERMOST.get(threading.get_ident()) if ours else None
        if this is None:
            self._before(ignored)
        elif this.raised is None:
            this.raised = ignored.exc_value or ignored.exc_type()


_IGNORED = _Ignored()


class _Signals:
    """A signal's handler runs wherever Python happens to be, also before a callback's first line, where nothing can
    catch what it raises (Ctrl-C does, and so does a time limit by SIGALRM). So what a handler raises is kept until the
    call is over, and ends it; in a function of the user's, which may itself take long, it is raised at once."""

    def __init__(self, call: _Call) -> None:
        self._call = call
        self._before: List[Tuple[int, Any, Any]] = []

    def __enter__(self) -> None:
        if threading.get_ident() != threading.main_thread().ident:
            return
        self._before = [(number, handler, self._kept(handler))
                        for number, handler in zip(_SIGNALS, map(getsignal, _SIGNALS)) if callable(handler)]
        try:
            for number, _, keep in self._before:
                set_handler(number, keep)
        except BaseException:  # of a handler that is not yet kept
            self.__exit__()
            raise

    def __exit__(self, *_: Any) -> None:
        self._call.over = True
        try:
            self._restore()
        finally:  # also where a handler that is back raises in between
            self._restore()

    def _restore(self) -> None:
        while self._before:
            number, handler, keep = self._before[-1]
            if getsignal(number) is keep:  # else a handler, or a function of the user's, has set another one
                set_handler(number, handler)
            self._before.pop()

    def _kept(self, handler: Callable[..., Any]) -> Callable[..., None]:
        this = self._call

        def keep(number: int, frame: Any) -> None:
            if this.over:
                handler(number, frame)
                return
            try:
                handler(number, frame)
            except BaseException as raised:
                if this.raised is not None:
                    return
                this.raised = raised
                if this.in_function:
                    raise

        return keep


class Calls:
    """The calls on one handle. Calls that change it run alone, others side by side. The library gets one callback,
    which lives as long as the handle and calls the present progress function, if there is one."""

    def __init__(self) -> None:
        self.function: Optional[Progress] = None
        self._running: Dict[int, _Call] = {}  # by thread
        self._changing: Optional[int] = None  # the thread whose call changes the handle
        self._turn = threading.Condition(threading.Lock())
        self.callback = c.PROGRESS(Callback(1, self._report))

    def refuse_own(self) -> None:
        """Raises RuntimeError when a progress function calls into the object whose work it reports."""
        if threading.get_ident() in self._running:
            raise RuntimeError("a progress function must not use the object whose work it hears of: let it return, "
                               "true to cancel, and use it after the call")

    def run(self, changes: bool, name: str, *arguments: Any) -> None:
        self.refuse_own()
        me, this = threading.get_ident(), _Call()
        before = _INNERMOST.get(me)
        with _Signals(this), _IGNORED:
            try:
                _INNERMOST[me] = this
                with self._turn:
                    this.in_function = True  # while it waits a handler may raise at once
                    self._turn.wait_for(lambda: self._changing is None and not (changes and self._running))
                    this.in_function = False
                    self._running[me], self._changing = this, me if changes else None
                call(name, *arguments)
            except c.Error:
                if this.raised is None:
                    raise
            finally:
                if before is None:
                    _INNERMOST.pop(me, None)
                else:
                    _INNERMOST[me] = before
                with self._turn:
                    self._running.pop(me, None)
                    self._changing = None if self._changing == me else self._changing
                    self._turn.notify_all()
        if this.raised is not None:
            raise this.raised from None

    def _report(self, fraction: float, _: Any) -> int:
        """Progress: 0 to go on."""
        return int(self.function is not None and bool(self.function(fraction)))


class Handle:
    """A handle of the library and its calls, freeridge_<kind><name>. Statuses become exceptions: see Error."""

    handle: Any
    _names: Names = None  # of the columns of x, where it came as a table
    _kind = ""  # "accumulator_"
    _destroy = "freeridge_destroy"

    def _hold(self, handle: Any) -> None:
        """Its handle, which a call makes then."""
        hold(self, handle, self._destroy)

    def _own(self, name: str, *arguments: Any) -> None:
        """The handle that a call makes."""
        call(name, *arguments, ctypes.byref(self.handle))
        self._listen()

    def _listen(self) -> None:
        self._calls = Calls()
        call(self._kind + "set_progress", self.handle, self._calls.callback, None)

    def _change(self: Self, name: str, *arguments: Any) -> Self:
        """A call that may change the handle: no other call runs on it meanwhile."""
        self._calls.run(True, self._kind + name, self.handle, *arguments)
        return self

    def _ask(self, name: str, *arguments: Any) -> None:
        """A call that takes a const handle. Such calls may run side by side."""
        self._calls.run(False, self._kind + name, self.handle, *arguments)

    def _answer(self, values: Values, name: str, *arguments: Any) -> Values:
        """The array that a call fills. With UNDEFINED some of its numbers are NaN, and the exception has the array as
        `values`."""
        try:
            self._ask(name, *arguments)
        except c.Error as error:
            if error.status == c.UNDEFINED:
                error.values = values
            raise
        return values

    def _set(self: Self, parameter: int, value: Any) -> Self:
        return self._change("set_parameter", parameter, value)

    def _parameter(self, parameter: int) -> float:
        value = c.DOUBLE()
        self._ask("get_parameter", parameter, value)
        return value.value

    def _number(self, name: str, kind: Any = c.INT64) -> Any:
        value = kind()
        self._ask(name, value)
        return value.value

    def _bytes(self, name: str, *what: int) -> bytes:
        length = c.INT64()
        self._ask(name, *what, 0, None, length)
        out = ctypes.create_string_buffer(length.value)
        self._ask(name, *what, length.value, out, length)
        return out.raw

    def set_progress(self: Self, function: Optional[Progress]) -> Self:
        """function(fraction) is called about every hundredth of a second while a call works; fraction goes from 0 to
        1. If it returns true the call changes nothing and raises Error (CANCELLED). If it raises, the call is
        cancelled and raises the same. None: no function. It must not use this object (RuntimeError). Ctrl-C, and what
        any other signal's handler raises, ends calls with and without it. Cost: O(1)."""
        self._calls.refuse_own()
        self._calls.function = function
        return self


class RowHandle(Handle):
    """A handle that rows of d features and t outputs are added to."""

    d: int
    t: int

    def _rows(self, x: Any, y: ArrayLike, weights: Optional[ArrayLike]) -> Tuple[int, List[Any]]:
        """How many rows there are, and the arguments of a call for them. x: an array or a scipy.sparse matrix."""
        points = points_of(x)
        outputs = Matrix(y, points.layout if isinstance(points, Matrix) else None, name="y")
        if (points.columns, outputs.rows, outputs.columns) != (self.d, points.rows, self.t):
            raise ValueError(f"x is {points.rows} x {points.columns}, y {outputs.rows} x {outputs.columns}; "
                             f"d = {self.d}, t = {self.t}")
        if isinstance(points, Matrix):
            same_names(points.names, self._names, "x")
        given = None if weights is None else vector(weights, length=points.rows, name="weights")
        return points.rows, [struct_of(points), outputs.layout, outputs.pointer, outputs.ld, pointer(given)]

    def _named_by(self: Rows, x: Any) -> Rows:
        """After rows x were added: the names of their columns are known."""
        self._names = same_names(names_of(x), self._names, "x")
        return self
