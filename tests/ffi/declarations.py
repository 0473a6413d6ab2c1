"""How freeridge.h is spelled in Rust, Julia and Python: from each declaration of the header the line that the example
in the language must have, and from the example's text the lines that it has. What differs is wrong or missing.

    python3 declarations.py            prints what is missing or wrong in the examples
    python3 declarations.py --add      adds the calls and constants that are missing, at the end of the others
"""

import keyword
import re
import sys
import textwrap
from pathlib import Path

from header import Pointer, read_header


def pointed(kind):
    """What a pointer points to in the end, and through how many pointers."""
    depth = 0
    while isinstance(kind, Pointer):
        kind, depth = kind.to, depth + 1
    return kind, depth


def squeezed(text):
    """White space does not matter, nor, in Rust, a comma before a closing bracket."""
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" ?([(){}:,=;]) ?", r"\1", text)
    return re.sub(r",([)}])", r"\1", text) if text.startswith("pub ") else text


class Rust:
    """examples/rust/src/sys.rs: an extern block with the names of C."""

    words = {"double": "f64", "int32_t": "i32", "int64_t": "i64", "char": "c_char", "void": "c_void"}
    # Where a line is added, a call and something else: its indent, and before what; nothing: at the end.
    places = {True: ("    ", "}\n"), False: ("", "\nextern \"C\" {")}

    @classmethod
    def kind(cls, kind):
        if isinstance(kind, Pointer):
            return f"*{'const' if kind.const else 'mut'} {cls.kind(kind.to)}"
        return cls.words.get(kind, kind)

    @classmethod
    def signature(cls, function):
        arguments = ", ".join(f"{name}: {cls.kind(kind)}" for name, kind in function.arguments)
        result = "" if function.result == "void" else f" -> {cls.kind(function.result)}"
        return f"({arguments}){result}"

    @classmethod
    def expected(cls, header):
        for name in header.handles:
            yield f"pub struct {name} {{ _private: [u8; 0] }}"
        for name, kind in header.numbers.items():
            yield f"pub type {name} = {cls.kind(kind)};"
        for name, function in header.callbacks.items():
            yield f"pub type {name} = Option<unsafe extern \"C\" fn{cls.signature(function)}>;"
        for name, (value, kind) in header.constants.items():
            yield f"pub const {name}: {kind or 'i32'} = {value};"
        for name, function in header.functions.items():
            yield f"pub fn {name}{cls.signature(function)};"

    @staticmethod
    def declared(text):
        text = re.sub(r"//.*", "", text)
        block = re.search(r'^extern "C" \{(.*?)^\}', text, re.MULTILINE | re.DOTALL)
        outside = text.replace(block.group(0), "")
        for statement in re.findall(r"\bfn\b[^;]*;", block.group(1)):
            yield "pub " + statement
        yield from re.findall(r"^pub (?:type|const)[^;]*;(?! 0\])", outside, re.MULTILINE)
        yield from re.findall(r"^pub struct[^}]*\}", outside, re.MULTILINE)


class Julia:
    """examples/julia/Freeridge.jl: a function with the name of C for each call. Julia's pointers know no const."""

    words = {"double": "Float64", "int32_t": "Int32", "int64_t": "Int64", "char": "UInt8", "void": "Cvoid"}
    places = {True: ("", ""), False: ("", "")}

    @classmethod
    def kind(cls, kind):
        if isinstance(kind, Pointer):
            return "Cstring" if kind == Pointer("char", const=True) else f"Ptr{{{cls.kind(kind.to)}}}"
        return cls.words.get(kind, kind)

    @classmethod
    def expected(cls, header):
        for name in header.handles:
            yield f"struct {name} end"
        for name, kind in header.numbers.items():
            yield f"const {name} = {cls.kind(kind)}"
        for name in header.callbacks:
            yield f"const {name} = Ptr{{Cvoid}}"  # of @cfunction
        for name, (value, kind) in header.constants.items():
            yield f"const {name} = {kind or 'Int32'}({value})"
        for name, function in header.functions.items():
            names = ", ".join(name for name, _ in function.arguments)
            kinds = ", ".join(cls.kind(kind) for _, kind in function.arguments)
            kinds += "," if len(function.arguments) == 1 else ""
            values = "".join(f", {name}" for name, _ in function.arguments)
            result = cls.kind(function.result)
            yield f"{name}({names}) = ccall((:{name}, library), {result}, ({kinds}){values})"

    @staticmethod
    def declared(text):
        text = re.sub(r"#.*", "", text)
        yield from re.findall(r"^struct freeridge_\w+ end", text, re.MULTILINE)
        yield from re.findall(r"^const (?:freeridge_|FREERIDGE_).*", text, re.MULTILINE)
        calls = re.findall(r"^(\w+\([^()]*\) =\s+ccall\((?:[^()]|\([^()]*\))*\))$", text, re.MULTILINE)
        yield from calls
        for extra in range(text.count("ccall") - len(calls)):
            yield "a ccall that is not `name(arguments) = ccall(...)` at the start of a line"

    @staticmethod
    def calls(text):
        """(name, how many arguments) of each call of a C function in a text that uses the declarations."""
        text = re.sub(r"#.*", "", text)
        for match in re.finditer(r"\b(freeridge_\w+)\(", text):
            depth, commas, at = 1, 0, match.end()
            while depth:
                depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[at], 0)
                commas += text[at] == "," and depth == 1
                at += 1
            yield match.group(1), commas + 1 if text[match.end():at - 1].strip() else 0

    @staticmethod
    def callbacks(text):
        """The result and the arguments of each @cfunction."""
        return re.findall(r"@cfunction\(\w+, (\w+), \(([^()]*)\)\)", text)


class Python:
    """python/freeridge/library.py: one _declare for each call. Its types are names of ctypes' types there."""

    words = {"double": "DOUBLE", "int32_t": "INT32", "int64_t": "INT64", "void": "NOTHING"}
    places = {True: ("", "\n\ndef call("), False: ("", "\n\nclass freeridge_model")}
    pointers = {("double", 1): "DOUBLES", ("int32_t", 1): "INT32S", ("int64_t", 1): "INT64S", ("char", 1): "TEXT",
                ("void", 1): "BYTES"}

    @classmethod
    def kind(cls, kind, header):
        word, depth = pointed(kind)
        word = header.numbers.get(word, word)
        if (word, depth) in cls.pointers:
            return cls.pointers[word, depth]
        if word in header.handles and depth in (1, 2):
            return word.removeprefix("freeridge_").upper() + "S" * (depth - 1)
        if word in header.callbacks and depth == 0:
            return word.removeprefix("freeridge_").upper()
        if depth:
            raise ValueError(f"no word for {kind}")
        return cls.words[word]

    @classmethod
    def expected(cls, header):
        for name, (value, _) in header.constants.items():
            yield f"{name.removeprefix('FREERIDGE_')} = {value}"
        for name, function in header.functions.items():
            result = "STATUS" if function.result == "freeridge_status" else cls.kind(function.result, header)
            arguments = "".join(f", {argument}{'_' * keyword.iskeyword(argument)}={cls.kind(kind, header)}"
                                for argument, kind in function.arguments)
            yield f"_declare({result}, \"{name}\"{arguments})"

    @staticmethod
    def declared(text):
        text = re.sub(r"#.*", "", text)
        yield from re.findall(r"^_declare\([^()]*\)", text, re.MULTILINE)
        yield from re.findall(r"^[A-Z0-9_]+ = -?\d+$", text, re.MULTILINE)


FILES = {Rust: "examples/rust/src/sys.rs", Julia: "examples/julia/calls.jl",
         Python: "python/freeridge/library.py"}


def differences(language, header, text):
    """What is wrong with the declarations in `text`, one sentence each."""
    expected = {squeezed(line): line for line in language.expected(header)}
    declared = [squeezed(line) for line in language.declared(text)]
    result = [f"missing or different: {line}" for key, line in expected.items() if key not in declared]
    result += [f"not what the header says: {line}" for line in declared if line not in expected]
    result += [f"twice: {line}" for line in sorted(set(declared)) if declared.count(line) > 1]
    return result


def wrapped(line, indent):
    return "\n".join(textwrap.wrap(line, 118, initial_indent=indent, subsequent_indent=indent + "    ",
                                   break_long_words=False, break_on_hyphens=False)) + "\n"


def with_missing(language, header, text):
    """The text with what it lacks."""
    declared = {squeezed(line) for line in language.declared(text)}
    for line in language.expected(header):
        if squeezed(line) in declared:
            continue
        is_call = "(" in line and not re.match(r"pub (const|type|struct)|const ", line)
        indent, place = language.places[is_call]
        at = text.rindex(place) if place else len(text)
        text = text[:at] + wrapped(line, indent) + text[at:]
    return text


def main(arguments):
    root = Path(__file__).resolve().parents[2]
    header = read_header(root / "capi" / "freeridge.h")
    for language, path in FILES.items():
        path = root / path
        text = path.read_text(encoding="utf-8")
        if arguments == ["--add"]:
            text = with_missing(language, header, text)
            path.write_text(text, encoding="utf-8")
        for line in differences(language, header, text):
            print(f"{path}: {line}")


if __name__ == "__main__":
    main(sys.argv[1:])
