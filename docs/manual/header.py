"""capi/freeridge.h and the headers beside it, which are the manual, taken apart.

A comment that begins in the first column belongs to the declarations after it, up to the next empty line; one that
begins with a line of dashes opens a section, whose title ends at its first full stop, colon or comma. In a comment,
lines indented by four are formulas and stay as they are; "  - " begins an item of a list; "Word     text", with more
text below it in the same column, is a definition; a line above dashes is a heading.
"""
import re
from pathlib import Path

CALL = re.compile(r"FREERIDGE_API\s+(?P<type>[\w ]+?[\s*]+)(?P<name>freeridge_\w+)\((?P<parameters>[^)]*)\)\s*;")
LABEL = re.compile(r"\b(Statuses|Cost|Sources?|Memory|Since)(?=:| \d| as | of )")


SECTION = "/* " + "-" * 100 + "\n"  # the first line of one


def text_of(*paths):
    """The headers as one text: the first, and the sections of the others behind it."""
    first, *others = [Path(path).read_text(encoding="utf-8") for path in paths]
    end = '#ifdef __cplusplus\n}\n#endif\n\n#endif\n'
    return first.removesuffix(end) + "".join(text[text.index(SECTION):].removesuffix(end) for text in others) + end


class Item:
    """A comment and the declarations it belongs to. kind: "head", "section" or "item"."""

    def __init__(self, kind, lines, code, line_number):
        self.kind, self.lines, self.code, self.line_number = kind, lines, code, line_number
        self.text = " ".join(" ".join(lines).split())
        self.calls = [match for match in CALL.finditer(code)]
        self.title = re.split(r"[.:,]", self.text)[0].strip() if kind == "section" else ""


def comment_lines(comment):
    """The lines of a comment without its stars."""
    first, *others = comment.strip()[2:-2].split("\n")
    return [first.strip()] + [re.sub(r"^ \*(?: |$)", "", line).rstrip() for line in others]


def items_of(header):
    """The comments of the header in the first column, each with the code after it, and code that has none; comments
    amid code stay there."""
    lines, items, i = header.split("\n"), [], 0
    while i < len(lines):
        first = i
        if not lines[i].startswith("/*"):
            while i < len(lines) and lines[i].strip() and not lines[i].startswith("/*"):
                i += 1
            in_section = any(item.kind == "section" for item in items)
            if in_section and re.match("typedef|#define|FREERIDGE_API", lines[first]):
                items.append(Item("item", [], "\n".join(lines[first:i]), first + 1))
            i = max(i, first + 1)
            continue
        while "*/" not in lines[i]:
            i += 1
        comment = comment_lines("\n".join(lines[first : i + 1]))
        i += 1
        code = i
        while i < len(lines) and lines[i].strip() and not lines[i].startswith("/*"):
            i += 1
        kind = "item"
        if first == 0:
            kind = "head"
        elif re.fullmatch(r"-{20,}", comment[0]):
            kind, comment = "section", comment[1:]
        while comment and not comment[-1].strip():
            comment.pop()
        items.append(Item(kind, comment, "\n".join(lines[code:i]), first + 1))
    return items


def blocks_of(lines):
    """A comment as blocks: ("text", words), ("formula", lines), ("list", [words]), ("terms", [(word, words)]) and
    ("heading", words)."""
    blocks, i = [], 0

    def rest(column):  # the words of the lines from i on that are indented by `column`
        nonlocal i
        words = []
        while i < len(lines) and lines[i].strip() and len(lines[i]) - len(lines[i].lstrip()) >= column:
            words.append(lines[i].strip())
            i += 1
        return words

    while i < len(lines):
        line = lines[i]
        term = re.match(r"([A-Z][a-z]+ {2,})\S", line)
        if not line.strip():
            i += 1
        elif i + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[i + 1].strip()):
            blocks.append(("heading", line.strip()))
            i += 2
        elif re.match(r" +- ", line):
            column, first = line.index("-") + 2, line.strip()[2:]
            i += 1
            item = " ".join([first] + rest(column))
            if blocks and blocks[-1][0] == "list":
                blocks[-1][1].append(item)
            else:
                blocks.append(("list", [item]))
        elif term and re.match(r"$|\S+ {2,}| {%d}\S" % len(term[1]), lines[i + 1] if i + 1 < len(lines) else ""):
            first = line[len(term[1]) :]
            i += 1
            entry = (term[1].strip(), " ".join([first] + rest(len(term[1]))))
            if blocks and blocks[-1][0] == "terms":
                blocks[-1][1].append(entry)
            else:
                blocks.append(("terms", [entry]))
        elif line.startswith("    "):
            formula = []
            while i < len(lines) and (lines[i].startswith("    ") or (not lines[i].strip() and formula)):
                formula.append(lines[i])
                i += 1
            while not formula[-1].strip():
                formula.pop()
            blocks.append(("formula", formula))
        else:
            words = []
            while i < len(lines) and lines[i].strip() and not re.match(r"    | +- ", lines[i]):
                if i + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[i + 1].strip()):
                    break
                words.append(lines[i].strip())
                i += 1
            blocks.append(("text", " ".join(words)))
    return blocks


def head_lines(item):
    """The head of the header without the line for machines."""
    return [line for line in item.lines[1:] if "SPDX-License-Identifier" not in line]


def section_words(item):
    """What a section says beside its title."""
    first = item.lines[0].strip()
    if not first.startswith(item.title + "."):
        return item.lines
    return [first.removeprefix(item.title + ".").strip()] + item.lines[1:]


def status_names(header):
    """The statuses without FREERIDGE_."""
    values = header[header.index("typedef int32_t freeridge_status;") :].split("};")[0]
    return re.findall(r"^  FREERIDGE_(\w+) = ", values, re.M)
