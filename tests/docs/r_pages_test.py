"""The R package's documents: every exported function has a help page, help pages have what a reader looks for, pkgdown's
index has every topic and every vignette, and the README points to the vignettes."""
import re
import unittest

from pages import ROOT

PACKAGE = ROOT / "rpkg"


def help_pages():
    """The text of each help page by its name."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((PACKAGE / "man").glob("*.Rd"))]
    return {re.search(r"^\\name\{(.*)\}$", text, re.M)[1]: text for text in texts}


def exported():
    namespace = re.sub(r"#.*", "", (PACKAGE / "NAMESPACE").read_text(encoding="utf-8"))
    return {name.strip(' "\n') for names in re.findall(r"\bexport\(([^)]*)\)", namespace) for name in names.split(",")}


def methods():
    """The S3 methods, as generic.class; those of operators and of lists are not documented by name."""
    namespace = (PACKAGE / "NAMESPACE").read_text(encoding="utf-8")
    return [f"{generic.split('::')[-1]}.{name}"
            for generic, name in re.findall(r"^S3method\(\"?([\w.:$\[\]+*=!]+)\"?, ([\w.]+)\)", namespace, re.M)]


def index(text, part):
    """The names under `contents:` in one of the parts of _pkgdown.yml."""
    body = re.search(rf"^{part}:\n((?:[- ].*\n|\n)*)", text, re.M)[1]
    return [name for names in re.findall(r"^  contents:\n((?:  - .*\n)+)", body, re.M)
            for name in re.findall(r"^  - (\S+)$", names, re.M)]


class HelpPages(unittest.TestCase):
    def test_every_exported_function_has_a_page(self):
        aliases = {alias for text in help_pages().values() for alias in re.findall(r"^\\alias\{(.*)\}$", text, re.M)}
        self.assertGreater(len(exported()), 40)
        self.assertEqual(exported() - aliases, set())
        without = {"$.freeridge", "[[.freeridge", "print.freeridge_explanation"}
        self.assertGreater(len(methods()), 60)
        self.assertEqual(set(methods()) - aliases - without, set())

    def test_pages_are_complete(self):
        self.assertGreater(len(help_pages()), 25)
        for name, text in help_pages().items():
            with self.subTest(page=name):
                if name != "freeridge-package":
                    for part in (r"\examples{", r"\usage{"):
                        self.assertIn(part, text)
                    self.assertRegex(text, r"\\(value|format)\{")
                if r"\deqn{" in text:  # a formula has a source
                    self.assertIn(r"\references{", text)


    WORDS = """RKHS, representer theorem, overfitting, augmented system, conjugate gradient, empirical risk, expected risk, hypothesis space,
        centering, logistic function, square loss, collinear, intercept, offset, Cholesky, SVD, QR, mean squared error, error rate, bandwidth,
        rank deficient, smoothing, projection, partial dependence, ROC curve, prediction interval"""

    def test_words_of_textbooks_are_found(self):
        """By ??word, which looks through names, titles and concepts."""
        found = " ".join(line for text in help_pages().values() for line in re.findall(r"^\\(?:alias|title|concept)\{(.*)\}$", text, re.M))
        self.assertEqual([word for word in re.split(r",\s+", self.WORDS) if word.lower() not in found.lower()], [])

    def test_examples_fit_into_the_printed_manual(self):
        """Lines beyond 100 characters are cut there; R CMD check --as-cran has a note for them."""
        for name, text in help_pages().items():
            for line in text.partition(r"\examples{")[2].splitlines():
                self.assertLessEqual(len(line.replace(r"\%", "%")), 100, f"{name}: {line}")


class Index(unittest.TestCase):
    text = (PACKAGE / "_pkgdown.yml").read_text(encoding="utf-8")

    def test_every_topic_once(self):
        self.assertEqual(sorted(index(self.text, "reference")), sorted(help_pages()))

    def test_every_vignette_once(self):
        names = [path.stem for path in (PACKAGE / "vignettes").glob("*.Rmd")]
        self.assertGreaterEqual(len(names), 5)
        self.assertEqual(sorted(index(self.text, "articles")), sorted(names))

    def test_what_is_missing_is_seen(self):
        self.assertEqual(index("a: 1\nreference:\n- title: x\n  contents:\n  - one\n  - two\n\n- title: y\n  contents:\n"
                               "  - three\nother:\n- contents:\n  - four\n", "reference"), ["one", "two", "three"])


class Vignettes(unittest.TestCase):
    def test_heads(self):
        for page in (PACKAGE / "vignettes").glob("*.Rmd"):
            with self.subTest(page=page.name):
                text = page.read_text(encoding="utf-8")
                title = re.search(r'^title: "(.*)"$', text, re.M)[1]
                self.assertIn(f"%\\VignetteIndexEntry{{{title}}}", text)
                self.assertIn("%\\VignetteEngine{knitr::rmarkdown}", text)

    def test_the_readme_has_them(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        for page in (PACKAGE / "vignettes").glob("*.Rmd"):
            self.assertIn(f"(rpkg/vignettes/{page.name})", readme)

    def test_names_lead_somewhere(self):
        """vignette("name") and ?name in vignettes and help pages."""
        names = {path.stem for path in (PACKAGE / "vignettes").glob("*.Rmd")}
        aliases = {alias for text in help_pages().values() for alias in re.findall(r"^\\alias\{(.*)\}$", text, re.M)}
        texts = [path.read_text(encoding="utf-8") for path in (PACKAGE / "vignettes").glob("*.Rmd")]
        texts += help_pages().values()
        for text in texts:
            self.assertLessEqual(set(re.findall(r'vignette\("([^"]*)"', text)), names)
            self.assertLessEqual(set(re.findall(r"`\?([\w.]+)`", text)), aliases)

    def test_every_picture_is_described(self):
        for page in (PACKAGE / "vignettes").glob("*.Rmd"):
            text = page.read_text(encoding="utf-8")
            chunks = re.findall(r"^```\{r ([^\n]*)\}\n(.*?)^```$", text, re.S | re.M)
            self.assertGreater(len(chunks), 5)
            pictures = [head for head, code in chunks if re.search(r"^(plot|matplot|contour)\(", code, re.M)]
            self.assertGreater(len(pictures), 0, page.name)
            self.assertEqual([head for head in pictures if "fig.alt" not in head], [], page.name)


if __name__ == "__main__":
    unittest.main()
