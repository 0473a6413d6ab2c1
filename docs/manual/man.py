"""The man pages: freeridge(3), the whole manual, and one with the name of each call.

    man.py FOLDER HEADER ...    into FOLDER; their date is SOURCE_DATE_EPOCH, or when the headers last changed
"""
import os
import re
import sys
import textwrap
import time

from header import LABEL, blocks_of, head_lines, items_of, section_words, text_of

ROFF = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti", '"': r"\(dq"}

# A value of an enum with its words, or a comment of its own.
VALUE = re.compile(r"(FREERIDGE_\w+) = (\d+),?[ \t]*(?:/\*(.*?)\*/)?|/\*(.*?)\*/", re.S)


def roff(text):
    text = "".join(ROFF.get(character, character) for character in text)
    return "\n".join(r"\&" + line if line.startswith(".") else line for line in text.split("\n"))


def roff_text(text):
    """Filled text: sentences begin lines, which are short; labels and names of calls are bold."""
    text = LABEL.sub(r"\\fB\1\\fR", roff(text))
    text = re.sub(r"\b(freeridge_\w*[a-z])\b", r"\\fB\1\\fR", text)
    lines = []
    for sentence in re.sub(r"(?<=[a-z0-9)\]]\.) (?=[A-Z])", "\n", text).split("\n"):
        lines += textwrap.wrap(sentence, 78, break_long_words=False, break_on_hyphens=False)
    return "\n".join(r"\&" + line if line.startswith(".") else line for line in lines)


def roff_blocks(lines):
    out = []
    for kind, content in blocks_of(lines):
        if kind == "text":
            out.append(".PP\n" + roff_text(content))
        elif kind == "heading":
            out.append(".SS " + roff(re.sub(r"^\d+\. ", "", content)))
        elif kind == "formula":
            out.append(".PP\n.EX\n" + "\n".join(roff(line) or r"\&" for line in content) + "\n.EE")
        elif kind == "list":
            out += [".IP \\(bu 2\n" + roff_text(item) for item in content]
        else:
            out += [f".TP 12\n.B {word}\n{roff_text(text)}" for word, text in content]
    return "\n".join(out)


def roff_code(code):
    """Types and constants: each value of an enum with its words, all else as it is."""
    out = []
    for part in re.split(r"(enum \{\n.*?^\};)", code, flags=re.S | re.M):
        if not part.startswith("enum {"):
            for words in re.findall(r"/\*(.*?)\*/", part, re.S):
                out.append(".PP\n" + roff_text(" ".join(words.split())))
            lines = [line.rstrip() for line in re.sub(r"/\*.*?\*/", "", part, flags=re.S).split("\n") if line.strip()]
            if lines:
                out.append(".PP\n.EX\n" + "\n".join(f"\\fB{roff(line)}\\fR" for line in lines) + "\n.EE")
            continue
        for name, value, words, alone in VALUE.findall(part):
            if name:
                out.append(f".TP\n.B {name} = {value}\n" + (roff_text(" ".join(words.split())) or r"\&"))
            else:
                out.append(".PP\n" + roff_text(" ".join(alone.split())))
    return "\n".join(out)


def declaration(call):
    """A declaration in lines that fit into a terminal's 80 columns."""
    parameters = [" ".join(part.split()) for part in call["parameters"].split(",")]
    start = f"{call['type'].strip()} {call['name']}("
    lines, line = [], start
    for i, parameter in enumerate(parameters):
        piece = parameter + (", " if i + 1 < len(parameters) else ");")
        if len(line) + len(piece.rstrip()) > 70 and line.strip():
            lines.append(line.rstrip())
            line = " " * 4
        line += piece
    return "\n".join(lines + [line.rstrip()])


def heading(name, header, date):
    numbers = dict(re.findall(r"#define FREERIDGE_VERSION_(MAJOR|MINOR|PATCH) (\d+)", header))
    version = "{MAJOR}.{MINOR}.{PATCH}".format(**numbers)
    return [f'.TH {name.upper()} 3 {date} "freeridge {version}" "Library Functions Manual"', ".nr HY 0", ".ad l", ".SH NAME"]


def in_bold(text):
    return [f"\\fB{roff(line)}\\fR" for line in text.split("\n")]


def finished(lines):
    """A paragraph at once after a heading or an indentation is no paragraph."""
    return re.sub(r"(\.(?:SH|SS|RS)[^\n]*\n)\.PP\n", r"\1", "\n".join(lines) + "\n")


def man(header, date):
    items = items_of(header)
    purpose = items[0].lines[1].strip().removeprefix("freeridge.h - ")
    out = [*heading("freeridge", header, date), "freeridge \\- " + roff_text(purpose)]
    out += [".SH SYNOPSIS", ".nf", ".B #include <freeridge.h>", ".B #include <freeridge_classical.h>", ".PP"]
    out += [".B cc program.c \\-lfreeridge", ".fi"]
    out += [".SH DESCRIPTION"]
    out.append(roff_blocks(head_lines(items[0])[1:]))
    for item in items[1:]:
        if item.kind == "section":
            out.append(".SH " + roff(item.title.upper()))
            if item.text != item.title:
                out.append(roff_blocks(section_words(item)))
            if item.code.strip():
                out.append(roff_code(item.code))
        elif item.calls:
            for call in item.calls:
                out.append("\n".join([".PP\n.nf"] + in_bold(declaration(call)) + [".fi"]))
            out += [".RS 4", roff_blocks(item.lines), ".RE"]
        else:
            out += [roff_blocks(item.lines), roff_code(item.code)]
    return finished(out)


def pages_of_calls(header, paths, date):
    """(name of a call, its page). Calls that share a comment share a page, which the others name."""
    texts = {os.path.basename(path): text_of(path) for path in paths}
    for item in items_of(header):
        names = [call["name"] for call in item.calls]
        if not names:
            continue
        file = next(file for file, text in texts.items() if f" {names[0]}(" in text)
        purpose = re.split(r"[.;](?: |$)|, as ", item.text)[0]
        if len(purpose) > 100:
            purpose = re.match(r".{30,100}(?=[,(:] ?)|.{,100}(?= )", purpose)[0].strip()
        out = [*heading(names[0], header, date), ", ".join(map(roff, names)) + " \\- " + roff_text(purpose).replace("\n", " ")]
        out += [".SH SYNOPSIS", ".nf", f".B #include <{file}>"]
        for call in item.calls:
            out += [".PP", *in_bold(declaration(call))]
        out += [".fi", ".SH DESCRIPTION", roff_blocks(item.lines), ".SH SEE ALSO",
                ".BR freeridge (3),\nthe whole manual: what is solved, the statuses, the rules of all calls"]
        yield names[0], finished(out)
        for name in names[1:]:
            yield name, f".so man3/{names[0]}.3\n"


if __name__ == "__main__":
    folder, *headers = sys.argv[1:]
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", max(os.stat(header).st_mtime for header in headers)))
    manual, date = text_of(*headers), time.strftime("%Y-%m-%d", time.gmtime(moment))
    os.makedirs(folder, exist_ok=True)
    for name, page in [("freeridge", man(manual, date)), *pages_of_calls(manual, headers, date)]:
        with open(os.path.join(folder, name + ".3"), "w", encoding="utf-8") as file:
            file.write(page)
