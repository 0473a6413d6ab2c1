"""The site: every link on it leads somewhere on it, nothing comes from elsewhere, every page has the menu and the search, and
every call, help page and public name is there. FREERIDGE_SITE: a folder with a site (./dev docs); without it one is made in
which the code of the vignettes is not run."""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser

from manual_test import EXPORTS, TEXT, lost_lines, status_names
from pages import ROOT, pages

sys.path.insert(0, str(ROOT / "docs/site"))
import make  # noqa: E402

BROWSER = shutil.which("chromium")


class Parts(HTMLParser):
    """What a page links to, what it loads, and the names within it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.names, self.inputs = [], [], set(), 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.names.update(attributes[key] for key in ("id", "name") if attributes.get(key))
        self.inputs += attributes.get("type") == "search"
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        elif "src" in attributes or "href" in attributes:
            self.loads.append(attributes.get("src") or attributes["href"])


def faults(folder):
    """The links of a site that lead nowhere, and what its pages load from elsewhere: (page, address)."""
    of_page = {path.resolve(): Parts(path) for path in sorted(folder.rglob("*.html"))}
    found = []
    for path, parts in of_page.items():
        name = path.relative_to(folder.resolve()).as_posix()
        for address in parts.links + parts.loads:
            file, _, anchor = address.partition("#")
            target = (path.parent / file).resolve() if file else path
            if re.match("(https?|mailto):", address):
                found += [(name, address)] * (address in parts.loads)
            elif not target.is_file() or (anchor and anchor not in of_page[target].names):
                found.append((name, address))
    return found


class Faults(unittest.TestCase):
    def test_faults_are_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "a.html"
            page.write_text('<p id="here"><a href="#here"><a href="#gone"><a href="a.html#here"><a href="gone.html">'
                            '<a href="https://example.org"><img src="https://example.org/x.png"><img src="gone.png">',
                            encoding="utf-8")
            self.assertEqual([address for _, address in faults(pathlib.Path(folder))],
                             ["#gone", "gone.html", "https://example.org/x.png", "gone.png"])


class Built(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.given = os.environ.get("FREERIDGE_SITE")
        cls.temporary = None if cls.given else tempfile.mkdtemp()
        cls.folder = pathlib.Path(cls.given or cls.temporary) / ("" if cls.given else "site")
        if not cls.given:
            make.make(cls.folder, plain=True)
        cls.pages = {path.relative_to(cls.folder).as_posix(): path.read_text(encoding="utf-8")
                     for path in sorted(cls.folder.rglob("*.html"))}
        index = (cls.folder / "search-index.js").read_text(encoding="utf-8")
        cls.index = json.loads(index.removeprefix("window.searchIndex = ").removesuffix(";\n"))

    @classmethod
    def tearDownClass(cls):
        if cls.temporary:
            shutil.rmtree(cls.temporary)

    def text_of(self, folder):
        return "".join(page for name, page in self.pages.items() if name.startswith(folder))

    def test_links(self):
        self.assertGreater(len(self.pages), 200)
        self.assertEqual(faults(self.folder), [])

    def test_every_page_has_the_frame(self):
        for name, page in self.pages.items():
            with self.subTest(page=name):
                self.assertEqual(page.count('type="search"'), 1)
                self.assertEqual(page.count("<nav "), 1)
                self.assertEqual(page.count("<h1"), 1)
                self.assertIn('name="viewport"', page)
                self.assertNotIn('<span class="math', page)  # a formula that pandoc could not make MathML of

    def test_every_file_is_in_the_menu(self):
        listed = [source for sources in make.MENU.values() for source in sources]
        files = [path.relative_to(ROOT).as_posix() for path in [*pages(), *(ROOT / "rpkg/vignettes").glob("*.Rmd")]]
        self.assertEqual(sorted(source for source in listed if not source.endswith(".html")), sorted(files))

    def test_every_call_of_c(self):
        text = self.text_of("c/")
        plain = "".join(html.unescape(re.sub(r"<[^>]*>", "", text)).split())
        self.assertEqual(lost_lines(plain), [])
        for call in EXPORTS:
            self.assertRegex(plain, r"(freeridge_status|void|constchar\*)%s\(" % call)
        for status in status_names(TEXT):
            self.assertIn(f"FREERIDGE_{status}", plain)

    def test_every_help_page_and_public_name(self):
        for topic in set(make.help_names().values()):
            self.assertIn(f"r/{topic}.html", self.pages)
        page = self.pages["python-calls.html"]
        sys.path.insert(0, str(ROOT / "python"))
        import freeridge
        for name in freeridge.__all__:
            self.assertRegex(page, rf'id="{name}"|<code>{name}</code> ')
        for name in ("FreeRidge.predict", "Model.loo", "plots.calibration", "distributed.fit"):
            self.assertIn(f'id="{name}"', page)

    def test_pictures_of_the_vignettes(self):
        pictures = re.findall(r'<img src="([^"]*)"', self.text_of("articles/"))
        self.assertEqual(len(pictures) > 30, bool(self.given), pictures)

    def test_the_search_knows(self):
        for word, places in {"loo": {"r/loo.html", "c/freeridge_loo.html"}, "landmark": {"r/landmarks.html", "glossary.html#the-model"},
                             "smoothing": {"r/freeridge.html"}}.items():
            found = {address for title, heading, address, text in self.index if word in f"{title} {heading} {text}".lower()}
            self.assertLessEqual(places, found)

    @unittest.skipUnless(BROWSER, "chromium is not installed")
    def test_the_search_finds(self):
        """In a browser, from disk: what is shown first."""
        for word, first in {"loo": "r/loo.html", "landmark": "r/landmarks.html", "smoothing": "r/freeridge.html"}.items():
            address = (self.folder / "index.html").resolve().as_uri() + f"?q={word}"
            shown = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom",
                                    address], capture_output=True, text=True, check=True).stdout
            found = re.findall(r'<p><a href="([^"#]*)', shown[shown.index('id="found"'):shown.index("<main>")])
            self.assertGreater(len(found), 3, word)
            self.assertIn(first, found[:5], word)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[1:])
