"""The Markdown pages of the project: their blocks of code, their links, and whether a program prints what a page says.

    pages.py printed PAGE LANGUAGE OUTPUT      compares the file OUTPUT with what follows the first block of LANGUAGE
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def project_files():
    """Every file of the project, but for what is built."""
    return sorted(path for path in ROOT.rglob("*")
                  if path.is_file() and not {"build", ".git", "__pycache__"} & set(path.relative_to(ROOT).parts))


def pages():
    return [path for path in project_files() if path.suffix == ".md"]


def blocks(page):
    """The fenced blocks of a page as (language, code, the block without a language right after it, or None)."""
    found = []
    fences = list(re.finditer(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M))
    for i, fence in enumerate(fences):
        after = fences[i + 1] if i + 1 < len(fences) and not fences[i + 1][1] else None
        if fence[1]:
            found.append((fence[1], fence[2], after[2] if after else None))
    return found


def anchor(heading):
    """The name that a heading has in links."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M))


def anchors(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", text, re.M)}


def dead_links(page, root=ROOT):
    """The relative links of a page that lead nowhere: no such file in the project, or no such heading in it."""
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, name = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or root not in target.parents:
            dead.append(link)
        elif name and name not in anchors(target):
            dead.append(link)
    return dead


def unit(number):
    """One in the last place that is printed."""
    mantissa, _, exponent = number.lower().partition("e")
    return 10.0 ** ((int(exponent) if exponent else 0) - len(mantissa.partition(".")[2]))


def differences(expected, actual):
    """Where two outputs differ: their words must be the same, and their numbers but for one in the last place printed
    (whole numbers exactly)."""
    found = []
    if len(expected.split()) != len(actual.split()):
        return [f"{len(expected.split())} words are expected, not {len(actual.split())}"]
    for wanted, seen in zip(expected.split(), actual.split()):
        if NUMBER.sub("#", wanted) != NUMBER.sub("#", seen):
            found.append(f"{wanted} is expected, not {seen}")
            continue
        for a, b in zip(NUMBER.findall(wanted), NUMBER.findall(seen)):
            slack = 0 if re.fullmatch(r"[-+]?\d+", a) else 1.01 * unit(a)
            if abs(float(a) - float(b)) > slack:
                found.append(f"{wanted} is expected, not {seen}")
    return found


if __name__ == "__main__":
    _, word, page_name, language, output = sys.argv
    assert word == "printed", __doc__
    expected = next(after for name, _, after in blocks(pathlib.Path(page_name)) if name == language)
    wrong = differences(expected, pathlib.Path(output).read_text(encoding="utf-8"))
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)
