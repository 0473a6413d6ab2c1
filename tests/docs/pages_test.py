"""The pages: every relative link leads somewhere, every C and C++ program on them compiles strictly, runs, and prints
what the page says."""
import contextlib
import importlib.util
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from pages import ROOT, anchor, blocks, dead_links, differences, pages, project_files

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
COMPILERS = {"c": ("CC", "-std=c99"), "cpp": ("CXX", "-std=c++17")}

# What the fragments of C and C++ on pages are about, so that they compile.
AROUND = {"c": """#include <freeridge_classical.h>
#include <stddef.h>
int next_chunk(int64_t* n, double* x, double* y);
int64_t read_rows(int64_t first, int64_t count, double* x, double* y, double* weights, void* user);
void task(freeridge_model* model, freeridge_accumulator* sums, freeridge_kernel* kernel, freeridge_kernel* scaled, int64_t n,
          int64_t d, double* x, double* y, double* w, double lambda, double b, double* errors, double* out, double* scale,
          const int64_t* start, const int32_t* index, int64_t count, const double* lambdas, int32_t* group, int32_t* gap);
void task(freeridge_model* model, freeridge_accumulator* sums, freeridge_kernel* kernel, freeridge_kernel* scaled, int64_t n,
          int64_t d, double* x, double* y, double* w, double lambda, double b, double* errors, double* out, double* scale,
          const int64_t* start, const int32_t* index, int64_t count, const double* lambdas, int32_t* group, int32_t* gap) {
  int64_t layers = 0, bytes = 0;
  double score = 0, low = 0, high = 0, larger = 0;
%s
  (void)(layers + bytes + score + low + high + larger + lambda + b);
  (void)kernel, (void)scaled, (void)model, (void)sums, (void)n, (void)d, (void)x, (void)y, (void)w, (void)errors, (void)out;
  (void)scale, (void)start, (void)index, (void)count, (void)lambdas, (void)group, (void)gap;
}
""", "cpp": """#include <freeridge.hpp>
int main() {
  const std::vector<double> x, y, at;
%s
  return f.rows > 0;
}
"""}


class Links(unittest.TestCase):
    def test_links(self):
        names = [page.relative_to(ROOT).as_posix() for page in pages()]
        for name in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/numerics.md", "docs/conventions.md"]:
            self.assertIn(name, names)
        for page in pages():
            with self.subTest(page=page.relative_to(ROOT).as_posix()):
                self.assertEqual(dead_links(page), [])

    def test_dead_links_are_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            (root / "docs").mkdir()
            (root / "README.md").write_text("## Here\n", encoding="utf-8")
            page = root / "docs/page.md"
            page.write_text("# A, `b` and c\n[1](../README.md#here) [2](../gone.md) [3](#a-b-and-c) [4](#gone) "
                            "[5](../README.md#gone) [6](https://example.org/x) `[7](gone)`\n", encoding="utf-8")
            self.assertEqual(dead_links(page, root), ["../gone.md", "#gone", "../README.md#gone"])
        self.assertEqual(anchor("Rounding, and lambda = 0"), "rounding-and-lambda--0")

    def test_every_page_of_docs_is_in_the_readme(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertEqual([page.name for page in (ROOT / "docs").glob("*.md") if f"(docs/{page.name}" not in readme], [])


class Names(unittest.TestCase):
    """What the pages name exists: files, calls, words of ./dev."""

    OTHERS = {"cblas.h", "lapacke.h"}  # files of other projects
    PLACEHOLDERS = {"freeridge_verb_noun", "freeridge_noun", "FREERIDGE_WORD"}

    def unknown(self, pattern, known):
        """What the pages have of a pattern and is not known; the two that speak of the past are left out."""
        return [(page.relative_to(ROOT).as_posix(), name)
                for page in pages() if page.name not in ("CHANGELOG.md", "NEWS.md")
                for name in re.findall(pattern, page.read_text(encoding="utf-8")) if not known(name)]

    def test_files(self):
        files = [f"/{path.relative_to(ROOT).as_posix()}" for path in project_files()]
        self.assertGreater(len(files), 200)
        self.assertEqual(self.unknown(r"`([\w./-]+\.(?:cpp|hpp|c|h|py|md|R|txt|map|csv))`",
                                      lambda name: name in self.OTHERS or any(file.endswith(f"/{name}") for file in files)),
                         [])

    def test_calls(self):
        texts = [path.read_text(encoding="utf-8") for path in project_files()
                 if path.name in ("freeridge.h", "freeridge_classical.h", "freeridge_mpi.h", "NAMESPACE", "CMakeLists.txt") or path.suffix == ".cmake"]
        known = set(re.findall(r"\b(?:freeridge|FREERIDGE)_\w+", "".join(texts))) | self.PLACEHOLDERS
        self.assertGreater(len(known), 150)
        self.assertEqual(self.unknown(r"\b((?:freeridge|FREERIDGE)_\w*[A-Za-z])\b(?![*.<])", known.__contains__), [])

    def test_words_of_dev(self):
        known = set(re.findall(r"^  (\S+)  ", (ROOT / "dev").read_text(encoding="utf-8"), re.M))
        self.assertIn("test", known)
        self.assertEqual(self.unknown(r"\./dev ([a-z][\w-]*)", known.__contains__), [])


class Architecture(unittest.TestCase):
    """The picture of the folders is the one that their includes give."""

    def test_picture(self):
        subprocess.run([sys.executable, ROOT / "docs/architecture.py", "--check"], check=True)

    def test_includes_go_one_way(self):
        sys.path.insert(0, str(ROOT / "docs"))
        from architecture import arrows, levels
        self.assertEqual(arrows({"a": {"b", "c"}, "b": {"c"}, "c": set()}), {"a": ["b"], "b": ["c"], "c": []})
        self.assertEqual(levels({"a": ["b"], "b": [], "c": ["b"], "d": ["c"]}), {"a": 2, "b": 0, "c": 1, "d": 2})
        with self.assertRaisesRegex(SystemExit, "one way"):
            arrows({"a": {"b", "c"}, "b": {"c"}, "c": {"b"}})


class Version(unittest.TestCase):
    def test_one_version_everywhere(self):
        def text(name):
            return (ROOT / name).read_text(encoding="utf-8")

        numbers = dict(re.findall(r"#define FREERIDGE_VERSION_(MAJOR|MINOR|PATCH) (\d+)", text("capi/freeridge.h")))
        version = "{MAJOR}.{MINOR}.{PATCH}".format(**numbers)
        for name, pattern in {"rpkg/DESCRIPTION": r"^Version: (\S+)$", "rpkg/NEWS.md": r"\A# freeridge (\S+)$",
                              "CHANGELOG.md": r"^## \[(\d\S*)\]", "README.md": r"freeridge_(\d+\.\d+\.\d+)\.tar\.gz",
                              "docs/c-in-ten-minutes.md": r"^freeridge (\d\S*)$",
                              "python/pyproject.toml": r'^version = "(\S+)"$'}.items():
            with self.subTest(file=name):
                self.assertEqual(re.search(pattern, text(name), re.M)[1], version)


class Programs(unittest.TestCase):
    def compile(self, language, code, program, *arguments):
        source = program.with_suffix(f".{language}")
        source.write_text(code, encoding="utf-8")
        compiler, standard = COMPILERS[language]
        command = [os.environ[compiler], standard, *STRICT, f"-I{ROOT / 'capi'}", str(source), "-o", str(program), *arguments]
        run = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, f"{code}\n{run.stderr}")

    def run_page(self, name, least):
        library = pathlib.Path(os.environ["FREERIDGE_LIBRARY"])
        ran = 0
        page = ROOT / name
        for i, (language, code, printed) in enumerate(blocks(page)):
            if language not in COMPILERS:
                continue
            with self.subTest(page=name, block=i), tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder) / "program"
                if "main(" not in code:
                    self.compile(language, AROUND[language] % code, program, "-c")
                    continue
                self.compile(language, code, program, f"-L{library.parent}", "-lfreeridge", f"-Wl,-rpath,{library.parent}", "-lm")
                run = subprocess.run([program], cwd=folder, capture_output=True, text=True, timeout=60,
                                     env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
                self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
                if printed is not None:
                    self.assertEqual(differences(printed, run.stdout), [], run.stdout)
                ran += printed is not None
        self.assertGreaterEqual(ran, least)

    def test_every_page(self):
        for page in pages():
            self.run_page(page.relative_to(ROOT).as_posix(), 0)

    def test_what_runs_the_other_languages(self):
        """R: tests/stages.sh; Python: here and in tests/ffi/package_test.py; Rust: tests/ffi/build_script_test.py;
        CMake: projects such as these, tests/consumers."""
        run = {"r": {"README.md", "docs/limits.md"}, "R": {"README.md"}, "rust": {"examples/rust/README.md"},
               "toml": {"examples/rust/README.md"}, "cmake": {"docs/abi.md"},
               "python": {"README.md", "docs/coming-from-python.md", "python/README.md", "docs/many-rows.md"}}
        for page in pages():
            name = page.relative_to(ROOT).as_posix()
            self.assertEqual([language for language, _, _ in blocks(page)
                              if language not in COMPILERS and name not in run.get(language, ())], [], name)

    def test_length_of_the_readme(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()), 110)

    def test_c_in_ten_minutes(self):
        self.run_page("docs/c-in-ten-minutes.md", 10)

    def test_differences_are_seen(self):
        self.assertEqual(differences("lambda 0.0172, n 8", "lambda 0.0172,  n\n8"), [])
        self.assertEqual(differences("a 0.0172", "a 0.0173"), [])
        self.assertEqual(len(differences("a 0.0172", "a 0.0174")), 1)
        self.assertEqual(len(differences("a 1.72e-2", "a 1.74e-2")), 1)
        self.assertEqual(len(differences("n 8", "n 9")), 1)
        self.assertEqual(len(differences("a 1", "b 1")), 1)
        self.assertEqual(len(differences("a 1 2", "a 1")), 1)


class Python(unittest.TestCase):
    """Python on pages: the blocks of a page run one after the other, and print what it shows."""

    def run_page(self, name, least):
        sys.path.insert(0, str(ROOT / "python"))
        names, shown = {}, 0
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for i, (language, code, printed) in enumerate(blocks(ROOT / name)):
                if language == "python":
                    said = io.StringIO()
                    with self.subTest(page=name, block=i), contextlib.redirect_stdout(said):
                        exec(compile(code, f"{name}, block {i}", "exec"), names)
                    shown += printed is not None
                    self.assertEqual(differences(printed or "", said.getvalue()), [], said.getvalue())
            made = sorted(path.name for path in pathlib.Path().iterdir())
        self.assertEqual(shown, least)
        return made

    def test_coming_from(self):
        self.run_page("docs/coming-from-python.md", 3)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_six_lines(self):
        os.environ["MPLBACKEND"] = "Agg"
        self.assertEqual(self.run_page("README.md", 0), ["effects.png"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[1:])
