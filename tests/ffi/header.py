"""The C headers as data: the calls, constants and types of capi/*.h. It writes them as the table abi/declarations.txt,
one a line, of which Rust, Julia, Python and the tests in C++ make their declarations.

    python3 header.py [HEADER ...]      prints the table of these headers, capi/*.h unless given

It knows the headers' own style and nothing more, and refuses (ValueError) what it does not understand, so that no call
can be overlooked: every FREERIDGE_API has to be one declaration, every enum has to follow the typedef of its numbers.

A type is a word of the table: a name, or a pointer, which is a sign and the type that it points to.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = sorted((ROOT / "capi").glob("*.h"))
TABLE = ROOT / "abi" / "declarations.txt"

HEAD = """\
# The calls, constants and types of capi/*.h, one a line. ./dev check-abi --renew writes this table. Rust, Julia, Python
# and the tests in C++ make their declarations of it.
#
#     handle NAME                           an opaque struct
#     number NAME TYPE                      a name for a type of numbers
#     callback NAME RESULT ARGUMENT:TYPE ...
#     struct NAME FIELD:TYPE ...
#     constant NAME TYPE VALUE
#     call NAME RESULT ARGUMENT:TYPE ...
#
# A TYPE is void, char, double, int32_t, int64_t, the NAME of a line, or a pointer: & or * before the type that it
# points to, & where that is const. So *double is double*, and &&freeridge_kernel is const freeridge_kernel* const*.
"""


@dataclass(frozen=True)
class Function:
    result: str
    arguments: tuple  # of (name, type)


@dataclass
class Header:
    handles: list = field(default_factory=list)  # opaque structs
    numbers: dict = field(default_factory=dict)  # name: its type
    callbacks: dict = field(default_factory=dict)  # name: Function
    structs: dict = field(default_factory=dict)  # name: fields, as arguments
    constants: dict = field(default_factory=dict)  # name: (value, its type of `numbers`, or int32_t for a macro)
    functions: dict = field(default_factory=dict)  # name: Function


def target(kind):
    """What a pointer points to in the end."""
    return kind.lstrip("*&")


def parse_type(text):
    """"const freeridge_kernel* const*" is "&&freeridge_kernel"."""
    words = re.findall(r"\w+|\*", text)
    const = words[:1] == ["const"]
    base, *rest = words[const:]
    result = base
    for word in rest:
        if word == "*":
            result, const = ("&" if const else "*") + result, False
        elif word == "const" and result != base and not const:
            const = True
        else:
            raise ValueError(f"not understood as a type: {text!r}")
    if const or not re.fullmatch(r"[a-z]\w*", base):
        raise ValueError(f"not understood as a type: {text!r}")
    return result


def parse_list(text, separator):
    """Arguments or fields: (name, type) of each."""
    result = []
    for entry in filter(None, map(str.strip, text.split(separator))):
        match = re.fullmatch(r"(.*[\s*])(\w+)", entry, re.DOTALL)
        if not match:
            raise ValueError(f"not understood as an argument or a field: {entry!r}")
        result.append((match.group(2), parse_type(match.group(1))))
    return tuple(result)


def parse_function(result, arguments):
    return Function(parse_type(result), () if arguments.strip() == "void" else parse_list(arguments, ","))


def parse_header(text):
    """Of several headers: their texts one after the other."""
    header = Header()

    def take(pattern):
        nonlocal text
        found = re.findall(pattern, text, re.MULTILINE | re.DOTALL)
        text = re.sub(pattern, "", text, flags=re.MULTILINE | re.DOTALL)
        return found

    take(r"/\*.*?\*/")
    for name, value in take(r"^#define (FREERIDGE_\w+) (\d+) *$"):
        header.constants[name] = (int(value), "int32_t")
    take(r"^#(?:[^\n]*\\\n)*[^\n]*$")  # the preprocessor's lines
    for kind, numbers, body in take(r"^typedef (\w+) (freeridge_\w+);\s*enum \{(.*?)\};"):
        header.numbers[numbers] = kind
        for entry in filter(None, map(str.strip, body.split(","))):
            match = re.fullmatch(r"(FREERIDGE_\w+) = (-?\d+)", entry)
            if not match:
                raise ValueError(f"not understood as a constant: {entry!r}")
            header.constants[match.group(1)] = (int(match.group(2)), numbers)
    for result, name, arguments in take(r"^typedef ([^;(){}]+)\(\*(freeridge_\w+)\)\(([^()]*)\);"):
        header.callbacks[name] = parse_function(result, arguments)
    opaque = take(r"^typedef struct (freeridge_\w+) \1;")
    for *one, name, fields in take(r"^(?:typedef struct (freeridge_\w+) \{([^{}]*)\} \1|"
                                   r"struct (freeridge_\w+) \{([^{}]*)\});"):
        header.structs[one[0] or name] = parse_list(one[1] or fields, ";")
    header.handles = [name for name in opaque if name not in header.structs]
    for result, name, arguments in take(r"^FREERIDGE_API\s+([^;()]*?[\s*])(freeridge_\w+)\(([^()]*)\);"):
        header.functions[name] = parse_function(result, arguments)
    take(r'^extern "C" \{|^\}$')
    if text.strip():
        raise ValueError(f"not understood: {text.strip().splitlines()[0]!r}")
    check_types(header)
    return header


def check_types(header):
    values = {"double", "int32_t", "int64_t", *header.numbers, *header.callbacks}
    pointed = values | {"char", "void", *header.handles, *header.structs}

    def check(name, kind, allowed):
        if kind not in allowed and not (kind[0] in "*&" and target(kind) in pointed):
            raise ValueError(f"{name}: unknown type {kind}")

    for name, function in [*header.functions.items(), *header.callbacks.items()]:
        check(name, function.result, values | {"void"})
        for argument, kind in function.arguments:
            check(f"{name}, {argument}", kind, values)
    for name, fields in header.structs.items():
        for word, kind in fields:
            check(f"{name}, {word}", kind, values)


def read_header(*paths):
    return parse_header("\n".join(Path(path).read_text(encoding="utf-8") for path in paths or HEADERS))


def table(header):
    """The text of abi/declarations.txt."""
    def words(arguments):
        return "".join(f" {name}:{kind}" for name, kind in arguments)

    lines = [f"handle {name}" for name in header.handles]
    lines += [f"number {name} {kind}" for name, kind in header.numbers.items()]
    lines += [f"callback {name} {each.result}{words(each.arguments)}" for name, each in header.callbacks.items()]
    lines += [f"struct {name}{words(fields)}" for name, fields in header.structs.items()]
    lines += [f"constant {name} {kind} {value}" for name, (value, kind) in header.constants.items()]
    lines += [f"call {name} {each.result}{words(each.arguments)}" for name, each in header.functions.items()]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table(read_header(*sys.argv[1:])))
