"""freeridge.h as data: its calls, constants and types. The one parser of the header for all checks of declarations.

It knows the header's own style and nothing more, and refuses (ValueError) what it does not understand, so that no call
can be overlooked: every FREERIDGE_API has to be one declaration, every enum has to follow the typedef of its numbers.

A type is a word of C ("double", "freeridge_model") or a Pointer to a type.
"""

import re
from dataclasses import dataclass, field
from typing import Union


@dataclass(frozen=True)
class Pointer:
    to: Union[str, "Pointer"]
    const: bool = False  # what it points to is const


@dataclass(frozen=True)
class Function:
    name: str
    result: Union[str, Pointer]
    arguments: tuple  # of (name, type)


@dataclass
class Header:
    functions: dict = field(default_factory=dict)  # name: Function
    callbacks: dict = field(default_factory=dict)  # name of the type: Function
    handles: list = field(default_factory=list)  # opaque structs
    numbers: dict = field(default_factory=dict)  # typedefs of int32_t: the type of an enum's values
    constants: dict = field(default_factory=dict)  # name: (value, its type of `numbers`, or "" for a macro)


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


def parse_type(text):
    """"const freeridge_kernel* const*" is Pointer(Pointer("freeridge_kernel", const=True), const=True)."""
    words = re.findall(r"\w+|\*", text)
    const = words[:1] == ["const"]
    base, *rest = words[const:]
    result = base
    for word in rest:
        if word == "*":
            result, const = Pointer(result, const), False
        elif word == "const" and isinstance(result, Pointer) and not const:
            const = True
        else:
            raise ValueError(f"not understood as a type: {text!r}")
    if const or not re.fullmatch(r"[a-z]\w*", base):
        raise ValueError(f"not understood as a type: {text!r}")
    return result


def parse_arguments(text):
    if text.strip() == "void":
        return ()
    result = []
    for argument in text.split(","):
        match = re.fullmatch(r"\s*(.*?[\s*])(\w+)\s*", argument, re.DOTALL)
        if not match:
            raise ValueError(f"not understood as an argument: {argument!r}")
        result.append((match.group(2), parse_type(match.group(1))))
    return tuple(result)


def parse_header(text):
    header = Header()
    text = without_comments(text)
    for name, value in re.findall(r"^#define (FREERIDGE_\w+) (\d+)\s*$", text, re.MULTILINE):
        header.constants[name] = (int(value), "")
    api = len(re.findall(r"^FREERIDGE_API\b", text, re.MULTILINE))
    text = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.MULTILINE)  # the preprocessor's lines
    for result, name, arguments in re.findall(r"^FREERIDGE_API\s+([^;()]*?[\s*])(freeridge_\w+)\(([^()]*)\);", text,
                                              re.MULTILINE):
        header.functions[name] = Function(name, parse_type(result), parse_arguments(arguments))
    if len(header.functions) != api:
        raise ValueError(f"{api} FREERIDGE_API, but {len(header.functions)} declarations understood")
    for result, name, arguments in re.findall(r"^typedef ([^;()]+)\(\*(freeridge_\w+)\)\(([^()]*)\);", text,
                                              re.MULTILINE):
        header.callbacks[name] = Function(name, parse_type(result), parse_arguments(arguments))
    header.handles = re.findall(r"^typedef struct (freeridge_\w+) \1;", text, re.MULTILINE)
    for kind, numbers, body in re.findall(r"^typedef (\w+) (freeridge_\w+);\s*enum \{(.*?)\};", text,
                                          re.MULTILINE | re.DOTALL):
        header.numbers[numbers] = kind
        for entry in filter(None, map(str.strip, body.split(","))):
            match = re.fullmatch(r"(FREERIDGE_\w+) = (-?\d+)", entry)
            if not match:
                raise ValueError(f"not understood as a constant: {entry!r}")
            header.constants[match.group(1)] = (int(match.group(2)), numbers)
    counts = {"typedef": len(header.callbacks) + len(header.handles) + len(header.numbers),
              "enum": len(header.numbers)}
    for word, count in counts.items():
        if len(re.findall(rf"^{word}\b", text, re.MULTILINE)) != count:
            raise ValueError(f"a {word} of the header is not understood")
    known = {"double", "int32_t", "int64_t", "char", "void", *header.handles, *header.numbers, *header.callbacks}
    for function in [*header.functions.values(), *header.callbacks.values()]:
        for _, kind in [("", function.result), *function.arguments]:
            while isinstance(kind, Pointer):
                kind = kind.to
            if kind not in known:
                raise ValueError(f"{function.name}: unknown type {kind}")
    return header


def read_header(path):
    with open(path, encoding="utf-8") as file:
        return parse_header(file.read())
