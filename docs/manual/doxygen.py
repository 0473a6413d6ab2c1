"""The header as Doxygen wants it: its plain comments as comments of Doxygen's, its sections as groups.

    doxygen.py HEADER ...      to stdout (FILTER_PATTERNS)
"""
import re
import sys
import textwrap

from header import LABEL, blocks_of, head_lines, items_of, section_words, status_names, text_of


class Links:
    """What a word in the manual may point to: calls and types, and the statuses by their short names."""

    def __init__(self, header, items):
        names = [call["name"] for item in items for call in item.calls] + re.findall(r"typedef int32_t (\w+);", header)
        self.word = re.compile(r"\b(?:(%s)|(?<!FREERIDGE_)(%s))\b" % ("|".join(names), "|".join(status_names(header))))

    def __call__(self, text):
        return self.word.sub(lambda m: f'@ref {m[1]} "{m[1]}"' if m[1] else f'@ref FREERIDGE_{m[2]} "{m[2]}"', text)


def doxygen_text(text, links):
    """Plain text (Markdown is off): labels stand out, and words are links."""
    text = re.sub(r'([\\@&$#<>%"])', r"\\\1", text)
    return links(LABEL.sub(r"<b>\1</b>", text))


def doxygen_comment(lines, links, start="/**"):
    out = []
    for kind, content in blocks_of(lines):
        if kind == "text":
            out.append(" * " + doxygen_text(content, links))  # or it would take a first star for decoration
        elif kind == "heading":
            name = re.sub(r"\W+", "_", content.lower()).strip("_")
            out.append(f"@section part_{name} {doxygen_text(content, links)}")
        elif kind == "formula":
            out.append("@verbatim\n" + textwrap.dedent("\n".join(content)) + "\n@endverbatim")
        elif kind == "list":
            out += ["<ul>"] + [f"<li>{doxygen_text(item, links)}</li>" for item in content] + ["</ul>"]
        else:
            terms = [f"<dt>{word}</dt><dd>{doxygen_text(words, links)}</dd>" for word, words in content]
            out += ["<dl>"] + terms + ["</dl>"]
    return start + "\n" + "\n\n".join(out) + "\n*/"


def doxygen_code(code, links):
    """Comments behind a value or a typedef belong to what stands before them; an anonymous enum gets a word."""
    def trailing(match):
        words = " ".join(match[2].split())
        return f"{match[1]} /**< {doxygen_text(words, links)} */"

    code = re.sub(r"([,;\d])[ \t]*/\*(.*?)\*/", trailing, code, flags=re.S)
    typedef = re.search(r"typedef int32_t (freeridge_\w+);", code)
    if typedef:
        code = code.replace("enum {", f"/** The values of {typedef[1]}. */\nenum {{")
    return code


def doxygen(header):
    items, out, group = items_of(header), [], 0
    links = Links(header, items)
    for item in items:
        if item.kind == "head":
            out += ["/** @file freeridge.h The whole interface; its manual. */"]
            out += [doxygen_comment(head_lines(item), links, "/** @mainpage"), "#include <stdint.h>"]
            for macro in re.findall(r"^#define FREERIDGE_VERSION_.*", header, re.M):
                out.append(f"/** The version of the header that is compiled with. */\n{macro}")
        elif item.kind == "section":
            if group:
                out.append("/** @} */")
            group += 1
            title = doxygen_text(item.title, links)
            lines = [] if item.text == item.title else section_words(item)
            out += [doxygen_comment(lines, links, f"/** @defgroup section_{group} {title}\n"), "/** @{ */"]
            out.append(doxygen_code(item.code, links))
        else:
            comment = doxygen_comment(item.lines, links) if item.lines else ""
            if item.calls:  # calls that share a comment have it each
                out += [f"{comment}\n{call[0]}" for call in item.calls]
            else:
                out.append(f"{comment}\n{doxygen_code(item.code, links)}")
    return "\n\n".join(out + (["/** @} */"] if group else [])) + "\n"


if __name__ == "__main__":
    sys.stdout.write(doxygen(text_of(*sorted(sys.argv[1:]))))
