#!/usr/bin/env python3
"""The mutation check: breaks lines of libcore and capi that chance picks, one at a time, in a copy of the tree, and counts
what the tests notice.

    mutants.py COUNT [--seed S]      the last line is "caught N of M"; it fails below 75 in 100. Other lines with another S

For each: the line is changed (random_lines.py), the shared library is built again, and the programs that have to do with
the file's folder (RELEVANT) run up to the first test that fails. Not every mutant is wrong: of each that survives, see
whether it changes an answer, and write the test that would have seen it. The copy and what was built stay (--tree), so
that the next run is quick."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from random_lines import random_rows

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENOUGH = 0.75
TIMEOUT = 120  # seconds for a program: a loop without an end is noticed, too

CALLS = ["capi.c", "fuzz.sequences", "fuzz.numbers"]
MODELS = ["core_tests", "progress_tests", "saved_tests", "capi_tests", *CALLS]
# The tests of ctest (how their names begin) for a file of each folder.
RELEVANT = {
    "libcore/base": ["saved_", "hearing_tests", "losses_tests", "classical_tests", "stream_tests", *MODELS],
    "libcore/linalg": ["linalg_tests", "classical_", "kernel_tests", "tall_passes_tests", "digits_tests", *MODELS],
    "libcore/rows": ["rows_tests", "stream_tests", *MODELS],
    "libcore/kernel": ["kernel_tests", "losses_tests", *MODELS],
    "libcore/data": MODELS,
    "libcore/factor": ["smoother_tests", "saved_factorizations_tests", "digits_tests", *MODELS],
    "libcore/spectrum": ["smoother_tests", "tall_passes_tests", "saved_factorizations_tests", "digits_tests", *MODELS],
    "libcore/routes": ["smoother_tests", "tall_passes_tests", "saved_factorizations_tests", "digits_tests", *MODELS],
    "libcore/select": ["losses_tests", *MODELS],
    "libcore/model": MODELS,
    "libcore/classical": ["classical_", "digits_tests", "capi.c"],
    "libcore/losses": ["losses_tests", "fault_tests", *CALLS],
    "libcore/stream": ["stream_tests", "fault_tests", *CALLS],
    "capi": ["capi_tests", "classical_tests", "losses_tests", "stream_tests", "fault_tests", "saved_tests", *CALLS],
}


def run(command, **options):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


class Tree:
    """The copy, and what is built in it."""

    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder, str(jobs)
        self.build = folder / "build" / "development"

    def update(self):
        """Brings the copy up to date with the tree; a file that is the same keeps its time."""
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                                stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
        wanted = {name for name in listed if name and os.path.lexists(ROOT / name)}
        for name in wanted:
            source, target = ROOT / name, self.folder / name
            if source.is_symlink():
                if not target.is_symlink() or os.readlink(target) != os.readlink(source):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.unlink(missing_ok=True)
                    target.symlink_to(os.readlink(source))
            elif not target.is_file() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
                shutil.copymode(source, target)
        for folder in ("libcore", "capi"):  # whose sources CMake finds by itself
            for path in (self.folder / folder).rglob("*"):
                if path.is_file() and str(path.relative_to(self.folder)) not in wanted:
                    path.unlink()

    def configure(self):
        # Programs are not linked again because the shared library was; and a line costs one file.
        return run(["cmake", "--preset", "development", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON", "-DFREERIDGE_TOGETHER=OFF"],
                   cwd=self.folder)

    def make(self, *targets):
        command = ["cmake", "--build", str(self.build), "--parallel", self.jobs]
        return run(command + (["--target", *targets] if targets else []))

    def chosen(self, file):
        """ctest's options for the relevant tests of a file."""
        names = RELEVANT[next(folder for folder in RELEVANT if file.startswith(folder + "/"))]
        return ["--label-exclude", "^(valgrind|deep)$", "--no-tests=error", "-R",
                "^(" + "|".join(map(re.escape, names)) + ")"]

    def programs(self, file):
        """The programs of these tests that are built here; some tests are run by cmake or python3."""
        shown = json.loads(run(["ctest", *self.chosen(file), "--show-only=json-v1"], cwd=self.build).stdout)
        commands = {pathlib.Path(test["command"][0]) for test in shown["tests"]}
        return sorted(command.name for command in commands if self.build in command.parents)

    def fails(self, file):
        """The name of the first relevant test that fails; empty when none does."""
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", GTEST_FAIL_FAST="1")
        done = run(["ctest", *self.chosen(file), "--stop-on-failure", "--timeout", str(TIMEOUT), "--parallel", self.jobs],
                   cwd=self.build, env=environment)
        if done.returncode == 0:
            return ""
        found = re.search(r"Test +#\d+: (\S+) .*\*\*\*", done.stdout)
        return found.group(1) if found else "ctest: " + done.stdout.strip().splitlines()[-1]


def attempt(tree, row):
    """What noticed the mutant: a test, or nothing (an empty text). None: it does not compile."""
    path = tree.folder / row.file
    before = path.read_text(encoding="utf-8")
    try:
        path.write_text(row.broken(before), encoding="utf-8")
        if tree.make("freeridge").returncode != 0:
            return None
        return "the build" if tree.make(*tree.programs(row.file)).returncode != 0 else tree.fails(row.file)
    finally:
        path.write_text(before, encoding="utf-8")


def report(tree, rows, count):
    """Tries the first `count` rows that compile, and says of each what noticed it; how many were noticed."""
    caught, survivors = 0, []
    for row in rows:
        if caught + len(survivors) == count:
            break
        start = time.monotonic()
        by = attempt(tree, row)
        if by is None:
            continue
        if by:
            caught += 1
        else:
            survivors.append(row)
        print(f"{row.name()}\n        {'caught by ' + by if by else 'SURVIVES'}  "
              f"({time.monotonic() - start:.0f} s)", flush=True)
    for row in survivors:
        print("survives:", row.name())
    print(f"caught {caught} of {caught + len(survivors)}")
    return caught


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("count", type=int, metavar="COUNT")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--tree", type=pathlib.Path, default=ROOT / "build" / "mutants")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    arguments = arguments.parse_args()

    tree = Tree(arguments.tree.absolute(), arguments.jobs)
    print("building the tests in", tree.folder, flush=True)
    tree.folder.mkdir(parents=True, exist_ok=True)
    tree.update()
    for step in (tree.configure, tree.make):
        done = step()
        if done.returncode != 0:
            sys.exit(done.stdout[-5000:])
    for folder in RELEVANT:  # else each mutant would be caught by the build
        done = tree.make(*tree.programs(folder + "/"))
        if done.returncode != 0:
            sys.exit(done.stdout[-5000:])
    rows = random_rows(tree.folder, arguments.seed)
    return 0 if report(tree, rows, arguments.count) >= ENOUGH * arguments.count else 1


if __name__ == "__main__":
    sys.exit(main())
