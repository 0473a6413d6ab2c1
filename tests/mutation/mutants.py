#!/usr/bin/env python3
"""The mutation check: breaks lines of libcore and capi that chance picks, one at a time, in a copy of the tree, and counts
what the tests notice.

    mutants.py COUNT [--seed S]      the last line is "caught N of M"; it fails below 75 in 100. Other lines with another S

For each: the line is changed (random_lines.py), the library and the test programs that hold its objects are built again,
and the test programs run up to the first that fails: first those that noticed most in a second of their time so far. Not
every mutant is wrong: of each that survives, see whether it changes an answer, and write the test that would have seen it.
The copy and what was built stay (--tree), so that the next run is quick."""
import argparse
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time

from random_lines import random_rows

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENOUGH = 0.75
MEMORY = 8 << 30  # bytes of addresses that a program may take: a size may be the line that is broken
FILTER = "-AvailableMemory.*"  # which see that limit


def run(command, **options):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


class Tree:
    """The copy, and what is built in it."""

    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder, jobs
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
        return run(["cmake", "--preset", "development", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON", "-DFREERIDGE_TOGETHER=OFF",
                    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -DNDEBUG"], cwd=self.folder)

    def make(self, *targets):
        return run(["cmake", "--build", str(self.build), "--parallel", str(self.jobs), "--target", *targets])


class Suite:
    """The tests of a tree that are programs built there, the seconds that each takes, and how many mutants it noticed."""

    def __init__(self, tree):
        self.tree = tree
        shown = run(["ctest", "--label-exclude", "^(valgrind|deep|mpi)$", "--show-only=json-v1"], cwd=tree.build).stdout
        commands = {test["name"]: pathlib.Path(test["command"][0]) for test in json.loads(shown)["tests"]}
        self.programs = {name: path.name for name, path in commands.items() if tree.build in path.parents}
        self.seconds, self.noticed = {}, dict.fromkeys(self.programs, 0)

    def make(self):
        return self.tree.make("freeridge", *sorted(set(self.programs.values())))

    def start(self, name):
        limit = 10 + 5 * self.seconds[name] if name in self.seconds else 600  # a loop without an end is noticed, too
        return subprocess.Popen(["ctest", "-R", f"^{name}$".replace(".", "[.]"), "--timeout", str(limit)], cwd=self.tree.build,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                env=dict(os.environ, OPENBLAS_NUM_THREADS="1", GTEST_FAIL_FAST="1", GTEST_FILTER=FILTER),
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))

    def first_failure(self):
        """The name of the first test that fails; empty when none does, and then the seconds of each are known."""
        order = sorted(self.programs, key=lambda name: -(1 + self.noticed[name]) / self.seconds.get(name, 1))
        started, running = {}, {}
        try:
            while order or running:
                while order and len(running) < self.tree.jobs:
                    name = order.pop(0)
                    started[name], running[name] = time.monotonic(), self.start(name)
                time.sleep(0.01)
                for name in [name for name, process in running.items() if process.poll() is not None]:
                    if running.pop(name).returncode != 0:
                        return name
                    self.seconds.setdefault(name, time.monotonic() - started[name])
            return ""
        finally:
            for process in running.values():
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()


def attempt(suite, row):
    """What noticed the mutant: a test, or nothing (an empty text). None: it does not compile."""
    path = suite.tree.folder / row.file
    before = path.read_text(encoding="utf-8")
    try:
        path.write_text(row.broken(before), encoding="utf-8")
        if suite.make().returncode != 0:
            return None
        by = suite.first_failure()
        if by:
            suite.noticed[by] += 1
        return by
    finally:
        path.write_text(before, encoding="utf-8")


def report(suite, rows, count):
    """Tries the first `count` rows that compile, and says of each what noticed it; how many were noticed."""
    caught, survivors = 0, []
    for row in rows:
        if caught + len(survivors) == count:
            break
        start = time.monotonic()
        by = attempt(suite, row)
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
    for done in (tree.configure(), tree.make("all")):
        if done.returncode != 0:
            sys.exit(done.stdout[-5000:])
    suite = Suite(tree)
    if failed := suite.first_failure():  # else each mutant would be caught by this test
        sys.exit(f"{failed} fails with no line broken")
    print(f"{len(suite.programs)} tests, {sum(suite.seconds.values()):.0f} s without a mutant", flush=True)
    rows = random_rows(tree.folder, arguments.seed)
    return 0 if report(suite, rows, arguments.count) >= ENOUGH * arguments.count else 1


if __name__ == "__main__":
    sys.exit(main())
