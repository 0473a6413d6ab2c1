"""Draws docs/architecture.svg: the folders of the sources, each above all that it includes.

    architecture.py            writes the picture
    architecture.py --check    says whether the picture is the one that the sources give

An arrow says "includes". An include that follows from two others is left out: where a folder includes b and b includes
c, there is no arrow to c. The words in the boxes are those of the table "Layout" in CONTRIBUTING.md.
"""
import html
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs/architecture.svg"
WIDTH, LINE, GAP, RISE, LANE, MARGIN = 190, 15, 24, 46, 18, 16  # of a box, a line of text, and what lies between boxes


def folders():
    """Every folder of sources by its name, as (path, what its files include)."""
    found = {path.name: path for path in sorted((ROOT / "libcore").iterdir()) if path.is_dir()}
    found.update({"capi": ROOT / "capi", "mpi": ROOT / "mpi", "rpkg": ROOT / "rpkg/src", "python": ROOT / "python/freeridge",
                  "examples": ROOT / "examples"})
    return found


def includes(name, path, names):
    """The other folders that the files of this one include. Python has no includes: it loads the shared library."""
    found = set()
    for file in sorted(path.rglob("*")):
        if file.suffix == ".py" and "libfreeridge" in file.read_text(encoding="utf-8"):
            found.add("capi")
        if file.suffix not in (".h", ".hpp", ".c", ".cpp") or file.is_symlink() or "libcore" in file.relative_to(path).parts:
            continue
        for line in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', file.read_text(encoding="utf-8"), re.M):
            parts = line.split("/")
            if parts[0] == "libcore":
                found.add(parts[1])
            elif parts[0] == "mpi" or parts[-1] == "freeridge_mpi.h":
                found.add("mpi")
            elif parts[0] == "capi" or parts[-1] in ("freeridge.h", "freeridge_classical.h", "freeridge.hpp"):
                found.add("capi")
    return {other for other in found if other in names and other != name}


def below(graph, name):
    """All that a folder includes, directly or through others."""
    seen, ahead = set(), list(graph[name])
    while ahead:
        other = ahead.pop()
        if other == name:
            raise SystemExit(f"{name} includes itself by way of others: includes do not point one way")
        if other not in seen:
            seen.add(other)
            ahead += graph[other]
    return seen


def arrows(graph):
    """The includes that do not follow from others."""
    return {name: sorted(other for other in graph[name]
                         if not any(other in below(graph, between) for between in graph[name] if between != other))
            for name in graph}


def levels(kept):
    """A level for each folder, 0 at the bottom: as high as the folders that include it allow."""
    users = {name: [user for user in kept if name in kept[user]] for name in kept}
    depth = {}

    def depth_of(name):
        if name not in depth:
            depth[name] = 1 + max((depth_of(user) for user in users[name]), default=-1)
        return depth[name]

    lowest = max(map(depth_of, kept))
    return {name: lowest - depth[name] for name in kept}


def placed(kept, level):
    """The rows from the bottom up, in each what stands beside one another: folders, and (from, to) where an arrow goes
    by. Each row is put in the order of the mean places of what it is joined to in the row below."""
    rows = [[] for _ in range(max(level.values()) + 1)]
    for name in sorted(kept):
        rows[level[name]].append(name)
        for other in kept[name]:
            for between in range(level[other] + 1, level[name]):
                rows[between].append((name, other))
    for row, under in zip(rows[1:], rows):
        def mean_place(item):
            ends = kept[item] if isinstance(item, str) else [item[1]]
            here = [i for i, part in enumerate(under)
                    if part in ends or part == item or (isinstance(part, tuple) and part[0] == item)]
            return (sum(here) / len(here) if here else 0, str(item))
        row.sort(key=mean_place)
    return rows


def words():
    """What CONTRIBUTING.md says of each folder."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Layout")[1].split("\nWhere tests are")[0]
    table = re.findall(r"^\| `(?:libcore/)?(\w+)` \| (.*?) \|", text, re.M)
    return {name: re.sub(r"`|\[(.*?)\]\(.*?\)", r"\1", said) for name, said in table}


def curve(stops):
    """The way of an arrow from box to box through the lanes between them; a stop is (x, top, bottom)."""
    (x, _, bottom), *others = stops
    way = f"M{x:g} {bottom:g}"
    for to, top, further in others:
        way += f" C{x:g} {bottom + RISE / 2:g} {to:g} {top - RISE / 2:g} {to:g} {top:g}"
        if (to, top, further) != others[-1]:
            way += f" L{to:g} {further:g}"
        x, bottom = to, further
    return f'<path d="{way}"/>'


def box(name, lines, stop):
    middle, top, bottom = stop
    text = [f'<text x="{middle:g}" y="{top + 17:g}" class="name">{name}</text>']
    text += [f'<text x="{middle:g}" y="{top + 17 + LINE * k:g}">{html.escape(line)}</text>'
             for k, line in enumerate(lines, 1)]
    return [f'<rect x="{middle - WIDTH / 2:g}" y="{top:g}" width="{WIDTH}" height="{bottom - top:g}" rx="4"/>', *text]


def picture():
    paths = folders()
    kept = arrows({name: includes(name, path, paths) for name, path in paths.items()})
    level = levels(kept)
    said = words()
    lines = {name: textwrap.wrap(said.get(name, ""), 29) for name in kept}
    high = {name: LINE * (1 + len(lines[name])) + 14 for name in kept}
    rows = placed(kept, level)
    wide = {item: WIDTH if item in kept else LANE for row in rows for item in row}
    length = [sum(wide[item] for item in row) + GAP * (len(row) - 1) for row in rows]
    total, top, stops = max(length) + 2 * MARGIN, MARGIN, {}
    for i in reversed(range(len(rows))):
        row_height = max(high.get(item, 0) for item in rows[i])
        x = (total - length[i]) / 2
        for item in rows[i]:
            stops[item, i] = (x + wide[item] / 2, top, top + high.get(item, row_height))
            x += wide[item] + GAP
        top += row_height + RISE
    height = top - RISE + MARGIN
    ways = [curve([stops[name, level[name]],
                   *[stops[(name, other), i] for i in range(level[name] - 1, level[other], -1)],
                   stops[other, level[other]]])
            for name in sorted(kept) for other in kept[name]]
    boxes = [line for name in sorted(kept) for line in box(name, lines[name], stops[name, level[name]])]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total:g} {height:g}" width="{total:g}">',
        "<title>The folders of freeridge: an arrow leads to a folder that is included</title>",
        "<style>text{font:12px sans-serif;text-anchor:middle;fill:#222}.name{font-weight:bold;font-size:14px}"
        "rect{fill:#f4f6f8;stroke:#345}path{fill:none;stroke:#345;marker-end:url(#tip)}</style>",
        '<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" style="fill:#345;stroke:none;marker-end:none"/></marker>',
        f'<rect width="{total:g}" height="{height:g}" style="fill:white;stroke:none"/>',
        *ways, *boxes, "</svg>", ""])


if __name__ == "__main__":
    drawn = picture()
    if sys.argv[1:] == ["--check"]:
        if not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != drawn:
            raise SystemExit("docs/architecture.svg is not what the sources give: run python3 docs/architecture.py")
    else:
        PICTURE.write_text(drawn, encoding="utf-8")
