"""The manual: every call is documented, and has its man page. (The HTML is a matter of site_test.py.)"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/manual"))
from check import breaches, calls, check  # noqa: E402
from header import items_of, status_names, text_of  # noqa: E402, F401

HEADERS = [ROOT / "capi/freeridge.h", ROOT / "capi/freeridge_classical.h"]
TEXT = text_of(*HEADERS)
EXPORTS = calls()


def tool(name):
    path = os.environ.get(name.upper()) or shutil.which(name) or ""
    if not path or path.endswith("-NOTFOUND"):
        raise AssertionError(f"{name} is not installed, so this was not run (Debian: apt install {name})")
    return path


def lost_lines(page):
    """The lines of comments that are not in the text of a page (without spaces), word by word: in what is lost some
    character was taken for an instruction."""
    lost = []
    for item in items_of(TEXT):
        for line in item.lines if item.kind == "item" else []:
            for words in re.split(r"\s{2,}", re.sub(r"^\s*- ", "", line)):
                if "".join(words.split()) not in page:
                    lost.append(words)
    return lost


class Comments(unittest.TestCase):
    def test_every_call_is_documented(self):
        self.assertGreater(len(EXPORTS), 100)
        self.assertEqual(check(TEXT, EXPORTS), [])

    def test_the_check_sees_what_is_missing(self):
        """One thing is taken out of a comment, and the check says so, of that call."""
        for name, pattern, fault in [
            ("freeridge_loo", r"\bCost: ", "no cost"),
            ("freeridge_loo", r"\bStatuses: ", "no statuses"),
            ("freeridge_loo", r"\bINVALID_STATE\b", "BAD_STATE is no status"),
            ("freeridge_loo", r"\berrors\b", "nothing about errors"),
            ("freeridge_get_route", r"\*route\b", "nothing about route"),
            ("freeridge_create", r"\*out\b", "nothing about out"),
        ]:
            item = next(item for item in items_of(TEXT) if any(call["name"] == name for call in item.calls))
            lines = TEXT.split("\n")
            start, end = item.line_number - 1, item.line_number - 1 + len(item.lines)
            comment = "\n".join(lines[start:end])
            changed = re.sub(pattern, "BAD_STATE" if "STATE" in pattern else "...", comment)
            with self.subTest(call=name, fault=fault):
                self.assertNotEqual(changed, comment)
                faults = check(TEXT.replace(comment, changed), EXPORTS)
                self.assertIn(f"{name} (line {item.line_number}): {fault}", faults)

    def test_the_lists_are_compared(self):
        self.assertEqual(check(TEXT, EXPORTS + ["freeridge_nothing"]),
                         ["freeridge_nothing: exported, but not declared with a comment"])
        self.assertIn("freeridge_loo: declared, but not in the list of exports",
                      check(TEXT, [name for name in EXPORTS if name != "freeridge_loo"]))

    def test_names_in_comments_exist(self):
        self.assertEqual(check(TEXT.replace("freeridge_last_error() has", "freeridge_lost_error() has"), EXPORTS),
                         ["freeridge_lost_error: mentioned, but there is no such name"])

    def test_the_contents_have_every_call_once(self):
        """The first page of freeridge.h: lines that are indented by eight, "call, call    words"."""
        head = items_of(TEXT)[0].lines
        start = next(i for i, line in enumerate(head) if line.startswith("Contents"))
        end = next(i for i, line in enumerate(head) if line.startswith("1. "))
        listed = [name for line in head[start:end] if line.startswith(" " * 8)
                  for name in re.split(r" {2,}", line.strip())[0].split(", ")]
        here = re.findall(r"^FREERIDGE_API .*?freeridge_(\w+)\(", HEADERS[0].read_text(encoding="utf-8"), re.M)
        self.assertEqual(sorted(listed), sorted(here))

    def test_types_and_values_have_words(self):
        text = re.sub(r"(FREERIDGE_COL_MAJOR = 1,) .*", r"\1", TEXT)
        self.assertEqual(check(text, EXPORTS), ["FREERIDGE_COL_MAJOR: no words"])
        text = TEXT.replace("/* How a call ended; the tens digit is the family. */\n", "")
        self.assertEqual(check(text, EXPORTS), ["freeridge_status: no words"])


class Law(unittest.TestCase):
    def test_every_declaration_obeys(self):
        self.assertEqual(breaches(TEXT), [])

    def test_breaches_are_seen(self):
        for declared, broken, fault in [
            ("int64_t count, double* lambdas);", "size_t count, double* lambdas);", "count has the type size_t"),
            ("FREERIDGE_API freeridge_status freeridge_factorize(", "FREERIDGE_API int32_t freeridge_factorize(",
             "returns int32_t"),
            ("_loo(const freeridge_model* model, double* errors, int64_t ld)",
             "_loo(double* errors, int64_t ld, const freeridge_model* model)", "the handle does not come first"),
            ("_gaussian(double sigma, freeridge_kernel** out)", "_gaussian(freeridge_kernel** out, double sigma)",
             "what it makes is not the last argument"),
            ("const double* values, const double* weights,\n", "double* values, const double* weights,\n",
             "something goes in after what comes out"),
            ("const double* a,\n", "const double* b,\n", "lda does not follow a"),
        ]:
            with self.subTest(fault=fault):
                self.assertIn(declared, TEXT)
                self.assertTrue(any(fault in found for found in breaches(TEXT.replace(declared, broken))))


class ManPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, ROOT / "docs/manual/man.py", folder, *HEADERS], check=True,
                           env=dict(os.environ, SOURCE_DATE_EPOCH="0"))
            pages = sorted(pathlib.Path(folder).iterdir())
            cls.sources = {page.stem: page.read_text(encoding="utf-8") for page in pages}
            whole = [page for page in pages if not cls.sources[page.stem].startswith(".so ")]
            cls.lint = subprocess.run([tool("mandoc"), "-Tlint", "-Wwarning", *whole], capture_output=True, text=True)
            show = subprocess.run([tool("mandoc"), "-Tutf8", pathlib.Path(folder) / "freeridge.3"], capture_output=True,
                                  text=True, check=True)
        cls.source = cls.sources["freeridge"]
        cls.text = re.sub(".\b", "", show.stdout)  # without bold

    def test_every_call_has_a_page(self):
        self.assertEqual(set(self.sources), {"freeridge", *EXPORTS})
        for name in EXPORTS:
            page = self.sources[name]
            if page.startswith(".so "):
                page = self.sources[re.fullmatch(r"\.so man3/(\w+)\.3\n", page)[1]]
            names = re.search(r"\.SH NAME\n(.*?) \\- .{5,120}\n", page)[1]
            self.assertIn(name, names.split(", "))
            self.assertIn(f" {name}(", page)
            self.assertRegex(page, r"#include <freeridge(_classical)?\.h>")

    def test_lint(self):
        self.assertEqual(self.lint.stdout, "")
        self.assertEqual(self.lint.returncode, 0)

    def test_reproducible(self):
        self.assertIn(".TH FREERIDGE 3 1970-01-01", self.source)

    def test_every_call_and_constant_is_there(self):
        words = " ".join(self.text.split())
        for name in EXPORTS:
            self.assertRegex(words, r"(freeridge_status|void|const char\*) %s\(" % name)
        constants = re.findall(r"^\s*(?:enum \{ )?(FREERIDGE_\w+ = \d+)", TEXT, re.M)
        self.assertGreater(len(constants), 40)
        for constant in constants:
            self.assertIn(constant, words)

    def test_words_arrive(self):
        self.assertEqual(lost_lines("".join(self.text.split())), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[1:])
