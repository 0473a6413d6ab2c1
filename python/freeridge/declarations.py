"""freeridge.h for ctypes: its constants, types and calls, read from the table declarations.txt, whose head says how it
is written. freeridge_model and other structs are classes; MODEL, the name without its beginning, is a pointer to one."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, Dict, List, Tuple

INT32, INT64, DOUBLE = ctypes.c_int32, ctypes.c_int64, ctypes.c_double
# The attributes of this module and of `library`: OK, MODEL, PROGRESS, freeridge_model and all others of the table.
NAMES: Dict[str, Any] = {"INT32": INT32, "INT64": INT64, "DOUBLE": DOUBLE, "INT32S": ctypes.POINTER(INT32),
                         "INT64S": ctypes.POINTER(INT64), "DOUBLES": ctypes.POINTER(DOUBLE)}
CALLS: Dict[str, Tuple[Any, List[Tuple[str, Any]]]] = {}  # the type of the result, and name and type of each argument

_TYPES: Dict[str, Any] = {"void": None, "int32_t": INT32, "int64_t": INT64, "double": DOUBLE, "*void": ctypes.c_void_p,
                          "&void": ctypes.c_void_p, "*char": ctypes.c_char_p, "&char": ctypes.c_char_p}

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...


def _type(word: str) -> Any:
    """A type of the table; & and * before one are pointers to it."""
    if word not in _TYPES and word[0] in "*&":
        _TYPES[word] = ctypes.POINTER(_type(word[1:]))
    return _TYPES[word]


def _pairs(words: List[str]) -> List[Tuple[str, Any]]:
    pairs = (word.split(":") for word in words)
    return [(name, _type(kind)) for name, kind in pairs]


def _read() -> None:
    with open(os.path.join(os.path.dirname(__file__), "declarations.txt"), encoding="utf-8") as table:
        lines = [line.split() for line in table if line[0] != "#"]
    for kind, name, *_ in lines:
        if kind in ("handle", "struct"):  # first, as a callback before a struct may take it
            _TYPES[name] = NAMES[name] = type(name, (ctypes.Structure,), {"__module__": __name__})
            NAMES[name[len("freeridge_"):].upper()] = ctypes.POINTER(_TYPES[name])
    for kind, name, *words in lines:
        if kind == "number":
            _TYPES[name] = _type(words[0])
        elif kind == "callback":
            _TYPES[name] = ctypes.CFUNCTYPE(_type(words[0]), *(each for _, each in _pairs(words[1:])))
            NAMES[name[len("freeridge_"):].upper()] = _TYPES[name]
        elif kind == "struct":
            _TYPES[name]._fields_ = _pairs(words)
        elif kind == "constant":
            NAMES[name[len("FREERIDGE_"):]] = int(words[1])
        elif kind == "call":
            CALLS[name] = _type(words[0]), _pairs(words[1:])


_read()
globals().update(NAMES)
