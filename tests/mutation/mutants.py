#!/usr/bin/env python3
"""The mutation check: breaks the lines of mutants.txt one at a time, in a copy of the tree, and counts what the tests
notice.

    mutants.py [NUMBER ...]      these rows, or all; the last line is "caught N of M". It fails below 95 in 100.
    mutants.py --check           only whether every row fits the sources as they are
    mutants.py --list            the rows with their numbers
    mutants.py --random COUNT [--seed S]
                                 so many lines that chance picks (random_lines.py), for which nothing is asked for: of
                                 what survives, see whether it changes an answer

For each: the file is changed, the library and the programs of the tests named in the row are built again (most use the
shared library, which takes one file and a link), these tests run up to the first that fails, and after them, when none
does, all quick ones. The copy and what was built stay (--tree), so that the next run is quick."""
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
TABLE = pathlib.Path(__file__).resolve().with_name("mutants.txt")
ROWS = 100
ENOUGH = 0.95
# Not for a change of one line in the library: minutes each, or about packages, documents and the record of the ABI.
SLOW = r"_memory$|^CountedMemory|^Interval|^abi\.|^consumers\.|^docs\.|^mutation\.|rust|five_sets"
TIMEOUT = 120  # seconds for a test: a loop without an end is noticed, too


class Row:
    must_compile = True

    def __init__(self, number, file):
        self.number, self.file = number, file
        self.old, self.new, self.breaks, self.first = [], [], "", []

    def name(self):
        return f"{self.number:3d} {self.file}: {self.breaks}"

    def broken(self, text):
        """The text of the file with the row's lines changed; None unless they are there once."""
        pattern = re.compile(r"[ \t]*\n[ \t]*".join(re.escape(line) for line in self.old))
        if len(pattern.findall(text)) != 1:
            return None
        return pattern.sub(lambda _: "\n".join(self.new), text)


def read_table():
    rows, row = [], None
    kinds = {"-": "old", "+": "new", ">": "first"}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            row = None
        elif row is None:
            row = Row(len(rows) + 1, line)
            rows.append(row)
        elif line[0] == "=":
            row.breaks = line[2:]
        elif line[0] in kinds:
            getattr(row, kinds[line[0]]).append(line[2:])
        else:
            sys.exit(f"{TABLE.name}: what is this? {line}")
    return rows


def check(rows):
    """Says which rows do not fit the sources; whether all do."""
    wrong = [f"there are {len(rows)} rows, not {ROWS}"] if len(rows) != ROWS else []
    for row in rows:
        path = ROOT / row.file
        if not (row.old and row.breaks and row.first):
            wrong.append(f"{row.name()}: the row is not complete")
        elif not row.file.startswith(("libcore/", "capi/")) or not path.is_file():
            wrong.append(f"{row.name()}: no such file of the library")
        elif row.broken(path.read_text(encoding="utf-8")) is None:
            wrong.append(f"{row.name()}: the file does not have these lines, once: {' / '.join(row.old)}")
        elif row.old == row.new:
            wrong.append(f"{row.name()}: nothing is changed")
    for line in wrong:
        print(line)
    return not wrong


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
        # Programs are not linked again because the shared library was.
        return run(["cmake", "--preset", "development", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"], cwd=self.folder)

    def make(self, *targets):
        command = ["cmake", "--build", str(self.build), "--parallel", self.jobs]
        return run(command + (["--target", *targets] if targets else []))

    def programs_of(self, pattern):
        """What has to be built before the tests of this pattern run; None when there are no such tests."""
        shown = json.loads(run(["ctest", "-R", pattern, "--show-only=json-v1"], cwd=self.build).stdout)
        commands = [test["command"] for test in shown["tests"] if "command" in test]
        if not commands:
            return None
        return sorted({word.rsplit("/", 1)[1] for command in commands for word in command
                       if word.startswith(str(self.build) + "/tests/") and os.access(word, os.X_OK) and
                       os.path.isfile(word)})

    def fails(self, *which):
        """The name of the first test that fails; empty when none does."""
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
        done = run(["ctest", "--stop-on-failure", "--timeout", str(TIMEOUT), "--parallel", self.jobs,
                    "--label-exclude", "^(valgrind|deep)$", "--no-tests=error", *which], cwd=self.build, env=environment)
        if done.returncode == 0:
            return ""
        found = re.search(r"Test +#\d+: (\S+) .*\*\*\*", done.stdout)
        return found.group(1) if found else "ctest: " + done.stdout.strip().splitlines()[-1]


def attempt(tree, row):
    """What noticed the mutant: a test, or nothing (an empty text). None: chance made one that does not compile."""
    path = tree.folder / row.file
    before = path.read_text(encoding="utf-8")
    try:
        path.write_text(row.broken(before), encoding="utf-8")
        made = tree.make("freeridge")
        if made.returncode != 0:
            if row.must_compile:
                raise SystemExit(f"{row.name()}: the mutant does not compile\n{made.stdout[-3000:]}")
            return None
        for pattern in row.first:
            programs = tree.programs_of(pattern)
            if programs is None:
                raise SystemExit(f"{row.name()}: there are no tests {pattern}")
            if programs and tree.make("freeridge", *programs).returncode != 0:
                return "the build"
            if failed := tree.fails("-R", pattern):
                return failed
        if tree.make().returncode != 0:
            return "the build"
        return tree.fails("-E", SLOW)
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
    arguments.add_argument("numbers", nargs="*", type=int, metavar="NUMBER")
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--list", action="store_true")
    arguments.add_argument("--random", type=int, metavar="COUNT")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--tree", type=pathlib.Path, default=ROOT / "build" / "mutants")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    arguments = arguments.parse_args()

    rows = read_table()
    if arguments.list:
        print("\n".join(row.name() for row in rows))
        return 0
    if not check(rows):
        return 1
    if arguments.check:
        print(f"{len(rows)} rows fit the sources")
        return 0

    tree = Tree(arguments.tree.absolute(), arguments.jobs)
    print("building the tests in", tree.folder, flush=True)
    tree.folder.mkdir(parents=True, exist_ok=True)
    tree.update()
    for step in (tree.configure, tree.make):
        done = step()
        if done.returncode != 0:
            sys.exit(done.stdout[-5000:])
    if arguments.random is not None:
        report(tree, random_rows(tree.folder, arguments.seed), arguments.random)
        return 0
    wanted = [rows[number - 1] for number in arguments.numbers] or rows
    if failed := tree.fails("-R", "|".join(pattern for row in wanted for pattern in row.first)):
        sys.exit(f"without any mutant {failed} fails")
    return 0 if report(tree, wanted, len(wanted)) >= ENOUGH * len(wanted) else 1


if __name__ == "__main__":
    sys.exit(main())
