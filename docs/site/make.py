"""The site: the pages of the project as HTML that works from disk, with one look, a menu on every page and a search.

    make.py FOLDER           into FOLDER; needs pandoc, mandoc, R with the package, and FREERIDGE_LIBRARY for Python's pages
    make.py FOLDER --plain   the code of the vignettes is shown, and not run: R without the package will do

MENU says which pages there are. Each is a title and a body, which comes from one of four places:

    Markdown and vignettes   pandoc; vignettes are knitted before (pages.R)
    R's help pages           tools::Rd2HTML (pages.R), in the order of rpkg/_pkgdown.yml
    the manual of C          mandoc, of the man pages that docs/manual/man.py makes
    Python                   the docstrings (python_pages.py)

Then links between files of the project become links between pages, names of calls become links, and each section goes into
the index of the search.
"""
import html
import json
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser

import python_pages

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HEADERS = [ROOT / "capi/freeridge.h", ROOT / "capi/freeridge_classical.h"]
VIGNETTES = "rpkg/vignettes/"

# Files of the project, and pages that are made of more than one.
MENU = {
    "Start": ["README.md", VIGNETTES + "five-minutes.Rmd", VIGNETTES + "gallery.Rmd", "docs/install.md",
              "docs/what-there-is.md", "docs/glossary.md"],
    "Questions": [VIGNETTES + name for name in ("variables.Rmd", "how-sure.Rmd", "classes.Rmd", "which-lambda.Rmd",
                                                "leave-one-out.Rmd", "million-rows.Rmd")],
    "Coming from": [VIGNETTES + "coming-from.Rmd", VIGNETTES + "coming-from-models.Rmd", "docs/coming-from-python.md",
                    "docs/other-systems.md", "docs/other-tools.md", "docs/textbooks.md", VIGNETTES + "textbooks.Rmd"],
    "R": ["r/index.html", "rpkg/NEWS.md"],
    "Python": ["python/README.md", "python-calls.html"],
    "C and others": ["docs/c-in-ten-minutes.md", "c/freeridge.html", "docs/conventions.md", "examples/README.md",
                     "examples/rust/README.md", "examples/julia/README.md", "examples/mpi/README.md"],
    "How large, how exact": ["docs/" + name + ".md" for name in (
        "limits", "performance", "threads", "many-rows", "many-machines", "gpu", "defaults", "numerics", "reliability")],
    "The project": ["docs/architecture.md", "docs/abi.md", "docs/file-format.md", "docs/release.md", "CONTRIBUTING.md",
                    "CHANGELOG.md", "SECURITY.md", "tests/data/README.md"],
}
TITLES = {"rpkg/NEWS.md": "News of the R package", "tests/data/README.md": "Data of the tests"}  # in the place of the first heading
FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{root}site.css">
<script src="{root}search.js" defer></script>
</head>
<body>
<header>
<a class="name" href="{root}index.html">freeridge</a>
<form role="search"><input type="search" name="q" aria-label="Search" placeholder="Search" autocomplete="off" data-root="{root}"></form>
<label for="menu">Menu</label>
</header>
<input type="checkbox" id="menu">
<nav aria-label="Pages">
{menu}
</nav>
<section id="found" aria-live="polite" hidden></section>
<main>
{body}
</main>
</body>
</html>
"""


class Page:
    """A page: where it stands in the site, its title, the HTML of its body, and the file of the project that its links are
    relative to. words: what a search finds the page by beside its text."""

    def __init__(self, path, title, body, source="", words=""):
        self.path, self.title, self.body, self.source, self.words = path, title, body, source, words


def run(*command, text=None, folder=None):
    return subprocess.run([str(word) for word in command], input=text, cwd=folder, check=True, stdout=subprocess.PIPE,
                          encoding="utf-8").stdout


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def place(source):
    """Where the page of a file of the project stands in the site."""
    if source.endswith(".html"):
        return source
    if source == "README.md":
        return "index.html"
    path = pathlib.PurePosixPath(source)
    name = path.stem if path.stem != "README" else "-".join(path.parts[:-1])
    return f"articles/{name}.html" if path.suffix == ".Rmd" else f"{name.lower()}.html"


# ----------------------------------------------------------------------------------------------------------------
# Bodies
# ----------------------------------------------------------------------------------------------------------------


def markdown_page(source):
    """A page of GitHub's Markdown, whose headings have the names that they have there."""
    text = read(source)
    title = TITLES.get(source) or re.search(r"^# (.*)$", text, re.M)[1].replace("`", "")
    return Page(place(source), title, run("pandoc", "-f", "gfm-tex_math_dollars", "-t", "html", text=text), source)


def vignette_page(source, work, plain):
    """A vignette, knitted in a session of R of its own; its pictures go beside it."""
    text = read(source)
    title = re.search(r'^title: "(.*)"$', text, re.M)[1]
    if plain:
        text = re.sub(r"^```\{r[^\n]*include = FALSE.*?^```$", "", text, flags=re.S | re.M)
        text = re.sub(r"^```\{r[^\n]*\}$", "```r", text, flags=re.M)
    else:
        run("Rscript", "--vanilla", HERE / "pages.R", "vignette", ROOT / source, folder=work)
        text = (work / pathlib.Path(source).with_suffix(".md").name).read_text(encoding="utf-8")
    body = run("pandoc", "-f", "markdown", "-t", "html", "--mathml", text=text)
    return Page(place(source), title, f"<h1>{html.escape(title)}</h1>\n{body}", source)


def as_mathml(formulas):
    """Formulas of LaTeX as MathML."""
    text = "\n\n".join(f"${formula.strip()}$" for formula in formulas)
    made = re.findall(r"<p>(.*?)</p>", run("pandoc", "-f", "markdown", "-t", "html", "--mathml", text=text), re.S)
    assert len(made) == len(formulas)
    return dict(zip(formulas, made))


def reference_groups():
    """(title, description, topics) of rpkg/_pkgdown.yml."""
    groups = []
    for line in read("rpkg/_pkgdown.yml").split("\nreference:\n")[1].splitlines():
        key, _, value = line.strip(" -").partition(": ")
        if key == "title":
            groups.append([value, "", []])
        elif key == "desc":
            groups[-1][1] = value
        elif line.startswith("  - "):
            groups[-1][2].append(key)
    return groups


def help_names():
    """{name of a topic: the name of its help page}"""
    names = {}
    for path in sorted((ROOT / "rpkg/man").glob("*.Rd")):
        text = path.read_text(encoding="utf-8").replace("\\%", "%")
        topic = re.search(r"^\\name\{(.*)\}$", text, re.M)[1]
        names.update({alias: topic for alias in re.findall(r"^\\alias\{(.*)\}$", text, re.M)})
    return names


def help_pages(work):
    """R's help pages, with their index."""
    run("Rscript", "--vanilla", HERE / "pages.R", "help", ROOT / "rpkg/man", folder=work)
    pages, formula = {}, re.compile(r'<code class="reqn">(.*?)</code>', re.S)
    for path in sorted((ROOT / "rpkg/man").glob("*.Rd")):
        body = (work / f"{path.stem}.html").read_text(encoding="utf-8")
        title = html.unescape(re.sub("<.*?>", "", re.search(r"<h2>(.*?)</h2>", body, re.S)[1]))
        body = re.sub(r"<(/?)h3>", r"<\1h2>", body.replace("<h2>", f"<p><code>{path.stem}</code></p>\n<h1>", 1).replace("</h2>", "</h1>", 1))
        body = re.sub(r"<h2>(.*?)</h2>", lambda match: f'<h2 id="{match[1].lower().replace(" ", "-")}">{match[1]}</h2>', body)
        words = " ".join(re.findall(r"^\\(?:alias|concept)\{(.*)\}$", path.read_text(encoding="utf-8"), re.M))
        pages[path.stem] = Page(f"r/{path.stem}.html", f"{path.stem}: {title}", body, words=words)
    made = as_mathml(sorted({html.unescape(found) for page in pages.values() for found in formula.findall(page.body)}))
    for page in pages.values():
        page.body = formula.sub(lambda match: made[html.unescape(match[1])], page.body)
    rows = []
    for title, words, topics in reference_groups():
        rows.append(f'<h2 id="{title.lower().replace(" ", "-")}">{title}</h2>\n<p>{words}</p>\n<dl>')
        rows += [f'<dt><a href="{topic}.html">{topic}</a></dt><dd>{html.escape(pages[topic].title.split(": ", 1)[1])}</dd>'
                 for topic in topics]
        rows.append("</dl>")
    return [Page("r/index.html", "Help pages of R", "<h1>Help pages of R</h1>\n" + "\n".join(rows)), *pages.values()]


def manual_pages(work):
    """The manual of C: freeridge(3), and a page for each call. Returns ({call: name of its page}, pages)."""
    run(sys.executable, "-B", ROOT / "docs/manual/man.py", work / "man3", *HEADERS)
    of_call, pages = {}, []
    for path in sorted((work / "man3").glob("*.3")):
        same = re.match(r"\.so man3/(\w+)\.3", path.read_text(encoding="utf-8"))
        of_call[path.stem] = same[1] if same else path.stem
    for name in sorted(set(of_call.values())):
        text = run("mandoc", "-T", "html", "-O", "fragment", f"man3/{name}.3", folder=work)
        text = re.search(r'<div class="manual-text">(.*)</div>', text, re.S)[1].replace("<br/>\n", "")
        calls, purpose = re.search(r'<p class="Pp">(.*?)\s-\s(.*?)</p>', text, re.S).groups()
        text = re.sub(r'<section class="Sh">\s*<h1[^>]*id="NAME".*?</section>', "", text, flags=re.S)
        text = re.sub(r'<a class="permalink" href="#[^"]*">(.*?)</a>', r"\1", text, flags=re.S)
        text = re.sub(r"<(/?)h2", r"<\1h3", text)
        text = re.sub(r"<(/?)h1", r"<\1h2", text).replace('<p class="Pp"></p>\n', "")
        text = re.sub(r"\n<p class=\"Pp\"></p>", "", text)
        if name == "freeridge":  # the contents, where names have no "freeridge_"
            head, contents, rest = re.split(r"(?<=</h3>)\n(<pre>.*?</pre>)", text, maxsplit=1, flags=re.S)
            text = head + re.sub(r"(?<=[\n ,])\w+(?=,|  |\n)", lambda word: f'<a href="{of_call[call]}.html">{word[0]}</a>'
                                 if (call := "freeridge_" + word[0]) in of_call else word[0], contents) + rest
        heading = "The manual of C: freeridge.h" if name == "freeridge" else " ".join(calls.split())
        pages.append(Page(f"c/{name}.html", heading, f"<h1>{heading}</h1>\n<p>{purpose}</p>\n{text}"))
    return of_call, pages


# ----------------------------------------------------------------------------------------------------------------
# Links
# ----------------------------------------------------------------------------------------------------------------


class Links:
    """Links between files of the project as links between pages; names of calls as links. copied: files that pages show."""

    def __init__(self, pages, calls):
        self.pages = {page.source: page.path for page in pages if page.source}
        self.pages["capi/freeridge.h"] = self.pages["capi/freeridge_classical.h"] = "c/freeridge.html"
        self.calls, self.topics, self.copied, self.sources = calls, help_names(), {}, {}

    def target(self, page, link):
        """The address of a link to a file, from a page."""
        path, _, anchor = link.partition("#")
        if re.match("[a-z]+:", link) or not path or not page.source:
            return link
        file = posixpath.normpath(posixpath.join(posixpath.dirname(page.source), path))
        if file not in self.pages and (ROOT / file).is_file():
            if file.endswith((".png", ".svg")):
                self.pages[file] = self.copied[file] = "pictures/" + posixpath.basename(file)
            else:
                self.pages[file] = self.sources[file] = f"source/{file.replace('/', '-')}.html"
        if file not in self.pages:
            return link  # a dead one, which the test of the site finds
        return self.address(page, self.pages[file]) + ("#" + anchor if anchor else "")

    @staticmethod
    def address(page, path):
        return posixpath.relpath(path, posixpath.dirname(page.path) or ".")

    def named(self, page, text):
        """The address of what a name in code is of: a call of C, ?topic, vignette("name"), or in what R has, function()."""
        text = html.unescape(text)
        if text in self.calls:
            return self.address(page, f"c/{self.calls[text]}.html")
        article = re.fullmatch(r'vignette\("([\w-]+)"\)', text)
        if article:
            return self.address(page, f"articles/{article[1]}.html")
        topic = re.fullmatch(r"\?([\w.-]+)" + (r"|([\w.]+)\(\)" if page.path.startswith("articles/") else ""), text)
        name = topic and next(filter(None, topic.groups()))
        topic = topic and (self.topics.get(name) or self.topics.get(name + ".freeridge"))
        return topic and self.address(page, f"r/{topic}.html")

    def apply(self, page):
        def code(match):
            inside = re.sub("<.*?>", "", match[2])
            address = self.named(page, inside)
            return f'<a href="{address}">{match[0]}</a>' if address else match[0]

        body = re.sub(r'(href|src)="([^"]*)"', lambda match: f'{match[1]}="{self.target(page, html.unescape(match[2]))}"',
                      page.body)
        body = re.sub(r'<a href="\.\./\.\./[^"]*">(.*?)</a>', r"\1", body, flags=re.S) if page.path.startswith("r/") else body
        parts = re.split(r"(<a [^>]*>.*?</a>|<pre.*?</pre>)", body, flags=re.S)
        parts[::2] = [re.sub(r"<(code|b)>([^<]*)</\1>", code, part) for part in parts[::2]]
        page.body = re.sub(r"(<table.*?</table>)", r'<div class="wide">\1</div>', "".join(parts), flags=re.S)


# ----------------------------------------------------------------------------------------------------------------
# The index of the search, and the whole
# ----------------------------------------------------------------------------------------------------------------


class Sections(HTMLParser):
    """The sections of a body: [heading, anchor, text]."""

    def __init__(self):
        super().__init__()
        self.found, self.in_heading = [["", "", []]], False

    def handle_starttag(self, tag, attributes):
        name = dict(attributes).get("id")
        if tag in ("h2", "h3") or (tag == "dt" and name):
            self.found.append(["", name or "", []])
            self.in_heading = True

    def handle_endtag(self, tag):
        self.in_heading = self.in_heading and tag not in ("h2", "h3", "dt")

    def handle_data(self, data):
        if self.in_heading:
            self.found[-1][0] += data
        self.found[-1][2].append(data)


def entries(page):
    """What the search knows of a page: [title, heading, address, words] of each section."""
    parser = Sections()
    parser.feed(page.body)
    parser.found[0][2].append(" " + page.words)
    return [[page.title, " ".join(heading.split()), page.path + ("#" + anchor if anchor else ""), " ".join("".join(text).split())]
            for heading, anchor, text in parser.found]


def menu_of(page, titles):
    """The menu, with the group of the page open."""
    groups = []
    for group, sources in MENU.items():
        links, opened = [], ""
        for path in map(place, sources):
            here = path == page.path or (posixpath.dirname(path) == posixpath.dirname(page.path) in ("r", "c"))
            opened = " open" if here else opened
            links.append(f'<li><a href="{Links.address(page, path)}"{" aria-current=page" * here}>{html.escape(titles[path])}</a></li>')
        groups.append(f"<details{opened}><summary>{group}</summary><ul>{''.join(links)}</ul></details>")
    return "\n".join(groups)


def make(folder, plain=False):
    """The whole site, into a folder, in whose place it comes."""
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        listed = [source for sources in MENU.values() for source in sources]
        calls, pages = manual_pages(work)
        pages += help_pages(work) + [python_pages.page(Page)]
        with ThreadPoolExecutor(1 if not plain else 2) as pool:
            pages += pool.map(lambda source: vignette_page(source, work, plain) if source.endswith(".Rmd")
                              else markdown_page(source), [source for source in listed if not source.endswith(".html")])
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "articles").mkdir(parents=True)
        for picture in work.glob("*.png"):
            shutil.copy(picture, folder / "articles" / picture.name)
    links = Links(pages, calls)
    for page in pages:
        links.apply(page)
    for source, path in links.sources.items():
        pages.append(Page(path, source, f"<h1>{source}</h1>\n<pre>{html.escape(read(source))}</pre>"))
    titles = {page.path: page.title for page in pages}
    for page in pages:
        target = folder / page.path
        target.parent.mkdir(exist_ok=True)
        target.write_text(FRAME.format(title=html.escape(titles[page.path]), root="../" * page.path.count("/"),
                                       menu=menu_of(page, titles), body=page.body), encoding="utf-8")
    for source, path in links.copied.items():
        (folder / path).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / source, folder / path)
    for name in ("site.css", "search.js"):
        shutil.copy(HERE / name, folder / name)
    index = [entry for page in pages if not page.path.startswith("source/") for entry in entries(page)]
    (folder / "search-index.js").write_text("window.searchIndex = " + json.dumps(index, ensure_ascii=False) + ";\n",
                                            encoding="utf-8")
    return pages


if __name__ == "__main__":
    made = make(pathlib.Path(sys.argv[1]).resolve(), "--plain" in sys.argv[2:])
    print(f"{len(made)} pages: {sys.argv[1]}/index.html")
