"""docs/textbooks.md: each row names calls of freeridge.h, functions of the R package, and a test that is there."""
import re
import unittest

from pages import ROOT
from r_pages_test import exported, methods

PAGE = ROOT / "docs/textbooks.md"
COLUMNS = ["item", "from", "C", "R", "test"]
# Functions of R itself, whose methods for the package's classes answer.
GENERICS = {name.rsplit(".", 1)[0] for name in methods()} | {name.split(".", 1)[0] for name in methods()}


def rows(text):
    """The cells of each row of the tables; a bar in a cell is written \\|."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [row for row in cells if row != COLUMNS]


def calls(cell):
    return re.findall(r"`([a-z]\w*)`", cell)


def functions(cell):
    return {name for code in re.findall(r"`([^`]*)`", cell) for name in re.findall(r"\b([A-Za-z][\w.]*)\(", code)}


def missing_tests(cell):
    """What a cell "`file`: names" says and is not there."""
    file, _, names = cell.partition(": ")
    file = file.strip("`")
    path = ROOT / "rpkg/tests/testthat" / file if file.endswith(".R") else ROOT / "tests" / file
    if not path.is_file():
        return [file]
    text = path.read_text(encoding="utf-8")
    if file.endswith(".R"):
        wanted = [(names, f"test_that({names}, ")] if names else []
    elif file.endswith(".py"):
        wanted = [(name, f"def {name}(") for name in names.split(", ")]
    else:
        wanted = [(name, re.compile(r"\bTEST(?:_P|_F)?\(" + name.replace(".", r",\s*") + r"\)")) for name in names.split(", ")]
    return [f"{file}: {name}" for name, pattern in wanted
            if not (pattern in text if isinstance(pattern, str) else pattern.search(text))]


class Textbooks(unittest.TestCase):
    text = PAGE.read_text(encoding="utf-8")

    def test_shape(self):
        self.assertGreater(len(rows(self.text)), 110)
        for row in rows(self.text):
            self.assertEqual(len(row), len(COLUMNS), row)
            self.assertRegex(row[1], r"^([RLMN]|RL)?(, (RL|M|N|L))*$", row)
            # a row without a call or a test says so
            self.assertTrue(row[4] or row[2] == "not here", row)

    def test_calls_of_c(self):
        header = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "capi").glob("*.h"))
        known = set(re.findall(r"\bfreeridge_(\w+)\(", header))
        self.assertGreater(len(known), 150)
        self.assertEqual(sorted({name for row in rows(self.text) for name in calls(row[2])} - known), [])

    def test_functions_of_r(self):
        found = {name for row in rows(self.text) for name in functions(row[3])}
        self.assertGreater(len(found), 40)
        self.assertEqual(sorted(found - exported() - GENERICS), [])

    def test_tests(self):
        self.assertEqual([name for row in rows(self.text) if row[4] for name in missing_tests(row[4])], [])

    def test_what_is_missing_is_seen(self):
        self.assertEqual(rows("| item | from | C | R | test |\n|---|---|---|---|---|\n| a \\| b | RL | `x` | | t |\n"),
                         [["a \\| b", "RL", "`x`", "", "t"]])
        self.assertEqual(functions("`f(x, g = h(2))`, `k$a`, plain()"), {"f", "h"})
        self.assertEqual(missing_tests("`core/none_test.cpp`: A.B"), ["core/none_test.cpp"])
        self.assertEqual(missing_tests("`core/exactness_test.cpp`: Exactness.LeaveOneOut, Exactness.No"),
                         ["core/exactness_test.cpp: Exactness.No"])
        self.assertEqual(missing_tests('`test-classical.R`: "ols is lm"'), [])
        self.assertEqual(missing_tests('`test-classical.R`: "no"'), ['test-classical.R: "no"'])
        self.assertEqual(missing_tests("`ffi/textbooks_test.py`: lines, none"), ["ffi/textbooks_test.py: none"])


if __name__ == "__main__":
    unittest.main()
