"""freeridge.h as Python: every constant and call, through ctypes. The header is the manual.

The shared library is the one that FREERIDGE_LIBRARY in the environment names. Without this variable it is that in the
package's folder lib, where pip puts it, or in the folder lib beside this Python's own, or else the one that the system knows.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import operator
import os
import sys
import weakref
from typing import TYPE_CHECKING, Any, Dict

from .declarations import (CALLS, DIMENSION_MISMATCH, DOUBLE, INT32, INT64, INVALID_ARGUMENT, NAMES, NOT_FINITE, OK,
                           OUT_OF_MEMORY, VERSION_MAJOR, VERSION_MINOR)

globals().update(NAMES)  # every constant and type

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...


class Error(Exception):
    """A call that failed. `status` is one of the constants, as INVALID_ARGUMENT, `name` its word. `values`: for UNDEFINED, where only
    some numbers of an answer do not exist, the answer with NaN for these; else None."""

    def __init__(self, status: int, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.status, self.name, self.message = status, name, message
        self.values: Any = None

    def __reduce__(self) -> Any:  # an exception crosses the processes of a pool by pickle
        return type(self), (self.status, self.name, self.message), {"values": self.values}


class InputError(Error, ValueError):
    """An argument is wrong: INVALID_ARGUMENT, NOT_FINITE, DIMENSION_MISMATCH."""


class ResourceError(Error, MemoryError):
    """The call does not fit into memory: OUT_OF_MEMORY."""


_HOW = ("install it (pip install ./python builds it; or cmake --install, then ldconfig, also with --prefix "
        f"{sys.prefix}), or set FREERIDGE_LIBRARY to its path")


def _load() -> ctypes.CDLL:
    path, reason = os.environ.get("FREERIDGE_LIBRARY"), ""
    names = [f"libfreeridge.so.{VERSION_MAJOR}", f"libfreeridge.{VERSION_MAJOR}.dylib"]
    folders = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"), os.path.join(sys.prefix, "lib"),
               os.path.join(sys.prefix, "lib64")]
    beside = [os.path.join(folder, name) for folder in folders for name in names]
    known = ctypes.util.find_library("freeridge")
    candidates = [path] if path else [*beside, *([known] if known else []), *names]  # "" would be the program itself
    for candidate in candidates:
        try:
            found = ctypes.CDLL(candidate)
        except OSError as error:
            if path:
                raise ImportError(f"the library freeridge cannot be loaded from {path}: {error}") from None
            if os.path.exists(candidate) and not reason:
                reason = f"{candidate} does not load: {error}; it needs a BLAS and LAPACKE (Debian and Ubuntu: apt " \
                         "install libopenblas0 liblapacke)"
        else:
            return _checked(found, candidate)
    raise ImportError(reason or f"the shared library libfreeridge was not found: {_HOW}")


def _checked(library: ctypes.CDLL, path: str) -> ctypes.CDLL:
    """The library, when it is freeridge in a version that has all calls that are declared here."""
    if not hasattr(library, "freeridge_version"):
        raise ImportError(f"{path} is not the library freeridge, which has the call freeridge_version: {_HOW}")
    major, minor = INT32(), INT32()
    library.freeridge_version(ctypes.byref(major), ctypes.byref(minor), None)
    if major.value != VERSION_MAJOR or minor.value < VERSION_MINOR:
        raise ImportError(f"version {VERSION_MAJOR}.{VERSION_MINOR} of the library freeridge is needed, or a later one "
                          f"of the same major version; {path} is {major.value}.{minor.value}: {_HOW}")
    return library


library = _load()


for _name, (_result, _arguments) in CALLS.items():
    _function = getattr(library, _name, None)
    if _function is None:
        raise ImportError(f"the library freeridge that was found has no call {_name}: it was built from other sources; "
                          + _HOW)
    _function.restype, _function.argtypes = _result, [_kind for _, _kind in _arguments]
    _function.numbers = [(_i, _word, _kind) for _i, (_word, _kind) in enumerate(_arguments)
                         if _kind in (INT32, INT64, DOUBLE)]

def _at_once(name: str) -> Any:
    """A call with addresses as they are: a seventh of the time that pointers with types take."""
    function = library[name]
    function.restype = INT32
    function.argtypes = [kind if kind in (INT32, INT64, DOUBLE) else ctypes.c_void_p for _, kind in CALLS[name][1]]
    return function


predict_at_once = _at_once("freeridge_predict")
window_at_once = {name: _at_once("freeridge_window_" + name) for name in ("add", "coefficients", "predict", "loo",
                                                                         "get_state", "set_progress")}

_HELD: Dict[int, Any] = {}  # weak references to the owners of handles
_FREEING: Dict[str, Any] = {}  # by the name of a call: pointers whose attribute `now` makes the call
_room = 64


def hold(owner: Any, handle: Any, destroy: str) -> None:
    """Makes a handle, which may still be NULL, that of its owner, and has the call `destroy` free it when the owner
    goes. C code alone does that, as Python ignores what a signal's handler raises within a __del__: the weak reference
    calls getattr(pointer, "now", reference), and `now` is a property whose function is the library's call."""
    global _room
    if destroy not in _FREEING:
        _FREEING[destroy] = type("Freeing", (type(handle),), {"_type_": type(handle)._type_,
                                                                   "now": property(getattr(library, destroy))})
    owner.handle = handle
    pointer = _FREEING[destroy].from_buffer(handle)  # the same memory: what a call makes the handle later
    reference = weakref.ref(owner, functools.partial(getattr, pointer, "now"))
    _HELD[id(reference)] = reference
    if len(_HELD) > _room:
        for key in [key for key, other in list(_HELD.items()) if other() is None]:
            _HELD.pop(key, None)
        _room = 2 * len(_HELD) + 64


def c_text(text: bytes, name: str) -> bytes:
    """A text or path for the library, where a zero byte would be its end."""
    if b"\0" in text:
        raise ValueError(f"{name} has a zero byte, at place {text.index(0)}: nothing could come after it")
    return text


def _number(kind: Any, word: str, value: Any) -> Any:
    """A number given as an argument, also one of numpy's types. Too large a number is refused; ctypes would cut off
    its upper bits."""
    whole = kind is not DOUBLE
    try:
        kinds = getattr(getattr(value, "dtype", None), "kind", "f")  # of numpy's: not complex, text or a date
        masked = kinds in "biuf" and bool(getattr(value, "mask", False))
        if isinstance(value, (str, bytes)) or kinds not in "biufO" or masked:  # float() would read some of them
            raise TypeError
        value = operator.index(value) if whole else float(value)
    except TypeError:
        raise TypeError(f"{word} is {value!r}, and must be a {'whole ' * whole}number") from None
    if whole and not -(2 ** (8 * ctypes.sizeof(kind) - 1)) <= value < 2 ** (8 * ctypes.sizeof(kind) - 1):
        raise ValueError(f"{word} is {value}, which does not fit into {8 * ctypes.sizeof(kind)} bits")
    return value


def struct(name: str, **fields: Any) -> Any:
    """freeridge_<name> with its size and these fields, whose numbers are checked as those of a call."""
    kind = NAMES["freeridge_" + name]
    out = kind(size=ctypes.sizeof(kind))
    for word, of in kind._fields_:
        if word in fields:
            setattr(out, word, _number(of, word, fields[word]) if of in (INT32, INT64, DOUBLE) else fields[word])
    return out


def call(name: str, *arguments: Any) -> None:
    """freeridge_<name>, whose status becomes an exception."""
    function = getattr(library, "freeridge_" + name)
    given = list(arguments)
    for i, word, kind in function.numbers:
        if type(given[i]) is not float or kind is not DOUBLE:
            given[i] = _number(kind, word, given[i])
    status = function(*given)
    if status == OK:
        return
    word, message = library.freeridge_status_name(status).decode(), library.freeridge_last_error()
    kind = Error
    if status in (INVALID_ARGUMENT, NOT_FINITE, DIMENSION_MISMATCH):
        kind = InputError
    elif status == OUT_OF_MEMORY:
        kind = ResourceError
    raise kind(status, word, message.decode("utf-8", "surrogateescape"))  # a file's name may have any bytes
