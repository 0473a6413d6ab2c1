"""Runs the works of works.py and prints a table of each: ./dev bench [quick | all | WORK ...] [--threads N] [--publish]

One process for each system and task, on the same files of data, with the same number of threads. Medians. What was
printed is also written as Markdown to build/bench/performance.md; --publish puts it into docs/performance.md.
"""
import argparse
import math
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from works import Growth, Starts, all_works, ratio, seconds

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "build/release/bench"
OUTPUT = ROOT / "build/bench"
R_LIBRARY = ROOT / "build/r/library"
LONGEST = 2 * 3600  # seconds for one process
MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def limit_memory():
    """A process that wants more than the machine has is told so, rather than ended by the system."""
    most = MEMORY * 19 // 20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


class Result:
    """What one process told: lines "name value ..."."""

    def __init__(self, lines=(), absent=None):
        self.words = dict(line.strip().split(" ", 1) for line in lines if " " in line.strip())
        self.absent = absent or self.words.get("absent")

    def numbers(self, name):
        return [float(word) for word in self.words[name].split()] if name in self.words else None

    def median(self, name):
        values = self.numbers(name)
        return statistics.median(values) if values else None


class Machine:
    """Runs processes, each task once in a run of the command, and keeps what they told."""

    def __init__(self, threads, size):
        self.threads, self.size, self.known = threads, size, {}
        count = str(threads)
        self.environment = dict(os.environ, FREERIDGE_LIBRARY=str(PROGRAMS.parent / "libfreeridge.so"))
        for name, ours in (("R_LIBS", R_LIBRARY), ("PYTHONPATH", ROOT / "python")):
            self.environment[name] = os.pathsep.join(filter(None, [str(ours), os.getenv(name)]))
        for name in ("OPENBLAS", "OMP", "MKL", "BLIS", "VECLIB"):
            self.environment[name + "_NUM_THREADS"] = count
        self.python = next(filter(has_sklearn, ("python3", "/usr/bin/python3")), None)

    def command(self, program):
        """The command of a system, or None and why there is none."""
        if program == "r":
            return (["Rscript", "--vanilla", str(ROOT / "bench/system_r.R")], None) if shutil.which("Rscript") else (
                None, "R is not installed")
        if program in ("sklearn", "many", "restarts"):
            script = "restarts.py" if program == "restarts" else f"system_{program}.py"
            return ([self.python, "-B", str(ROOT / "bench" / script)], None) if self.python else (
                None, "scikit-learn is not installed")
        path = PROGRAMS / f"system_{program}"
        return ([str(path)], None) if path.exists() else (None, f"{program} is not installed")

    def tell(self, program, **arguments):
        command, missing = self.command(program)
        if missing:
            return Result(absent=missing)
        command = command + [f"{name}={self.data(value) if isinstance(value, tuple) else value}"
                             for name, value in arguments.items()]
        try:
            done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=LONGEST,
                                  preexec_fn=limit_memory)
        except subprocess.TimeoutExpired:
            return Result(absent=f"not finished after {seconds(LONGEST)}")
        if done.returncode < 0:
            return Result(absent=f"ended by signal {-done.returncode}")
        if done.returncode > 0:
            return Result(absent="failed: " + (done.stderr.strip().splitlines() or ["?"])[-1])
        return Result(done.stdout.splitlines())

    def run(self, run):
        if run not in self.known:
            self.known[run] = self.tell(run.program, **dict(run.arguments))
        return self.known[run]

    def data(self, shape):
        """The folder with the data of n points and d features, made at first use."""
        n, d, *sparse = shape
        folder = OUTPUT / "data" / f"{n}x{d}{'_sparse' if sparse else ''}"
        if not (folder / "y").exists():
            folder.mkdir(parents=True, exist_ok=True)
            subprocess.run([PROGRAMS / "make_data", f"folder={folder}", f"n={n}", f"d={d}",
                            *(["sparse=yes"] if sparse else [])], check=True)
        return folder

    def dgemm_rates(self):
        return self.tell("lapack", task="dgemm", size=self.size, repetitions=7).numbers("rate") or []

    def description(self):
        cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
        cores = len(os.sched_getaffinity(0))
        freeridge = self.tell("freeridge", task="version")
        blas = loaded_blas(freeridge)
        lines = [
            f"machine: {cpu.group(1) if cpu else platform.machine()}, {cores} cores, {MEMORY / 2**30:.0f} GiB; "
            f"threads: {self.threads}",
            freeridge.words["version"],
            f"BLAS of all systems: {blas}; dgemm {statistics.median(self.dgemm_rates()) / 1e9:.0f} GF/s",
        ]
        tasks = [("dlib", "version"), ("sklearn", "version")]
        tasks += [("r", task) for task in ("freeridge_linear", "krls", "fastkrr", "gausspr", "glmnet", "lm_ridge")]
        versions = []
        for program, task in tasks:
            result = self.tell(program, task=task)
            other = "" if result.absent or loaded_blas(result) == blas else f" (another BLAS: {loaded_blas(result)})"
            versions.append((result.absent or result.words["version"]) + other)
        return lines + ["other systems: " + "; ".join(versions)]


def has_sklearn(python):
    if shutil.which(python) is None:
        return False
    return subprocess.run([python, "-c", "import numpy, sklearn"], capture_output=True).returncode == 0


def loaded_blas(result):
    """The BLAS and LAPACK files that matter: what is of OpenBLAS comes down to one file."""
    paths = [Path(path) for path in result.words.get("blas", "").split() if Path(path).name.startswith("lib")]
    files = {path.name for path in paths if path.name.startswith("libopenblas") or "openblas" not in str(path)}
    return ", ".join(sorted(files)) or "not known"


class Found:
    """The results of a work by the keys of its rows, for the targets."""

    def __init__(self, work, results, rate):
        self.rows = {row.key: (row, results[row.key]) for row in work.rows}
        self.limit_seconds = work.limit.flops / rate if work.limit and rate else None

    def result(self, key):
        return self.rows[key][1]

    def time(self, key):
        row, result = self.rows[key]
        return None if result.absent else result.median("seconds." + row.part)

    def number(self, key, name):
        return self.result(key).median(name)

    def word(self, key, name):
        return self.result(key).words.get(name)

    def difference(self, key, other):
        """The largest relative difference of the scores."""
        a, b = self.result(key).numbers("scores"), self.result(other).numbers("scores")
        return max(abs(u / v - 1) for u, v in zip(a, b)) if a and b else None


def bytes_text(value):
    if value is None:
        return "-"
    return f"{value / 2**20:.3g} MiB" if value < 1000 * 2**20 else f"{value / 2**30:.3g} GiB"


def time_text(value):
    return "-" if value is None else seconds(value)


class Report:
    """Prints text and tables as they come, and keeps them as Markdown."""

    def __init__(self, head):
        self.markdown = []
        self.lines(head)
        self.head = len(self.markdown)

    def heading(self, name, title):
        print(f"\n== {name}: {title}")
        self.markdown += ["", f"### {name}", "", title[0].upper() + title[1:], ""]

    def lines(self, lines):
        print("\n".join(lines))
        self.markdown += [f"- {line}" for line in lines]

    def table(self, header, rows, texts):
        """texts: how many columns from the left are words; the others are numbers."""
        widths = [max(len(line[i]) for line in [header, *rows]) for i in range(len(header))]
        for line in [header, *rows]:
            cells = [cell.ljust(width) if i < texts else cell.rjust(width)
                     for i, (cell, width) in enumerate(zip(line, widths))]
            print("  " + "  ".join(cells).rstrip())
        self.markdown.append("| " + " | ".join(header) + " |")
        self.markdown.append("|" + "---|" * texts + "---:|" * (len(header) - texts))
        self.markdown += ["| " + " | ".join(line) + " |" for line in rows] + [""]

    def verdicts(self, verdicts):
        width = max((len(text) for text, _, _ in verdicts), default=0)
        for text, value, verdict in verdicts:
            print(f"  {text.ljust(width)}  {value:>10}  {verdict}")
            self.markdown.append(f"- {text}: {value}, {verdict}")

    def last_first(self, start):
        """In Markdown, what came since `start` goes before all else but the head."""
        last = self.markdown[start:]
        del self.markdown[start:]
        self.markdown[self.head:self.head] = last

    def write(self):
        (OUTPUT / "performance.md").write_text("\n".join(self.markdown).strip() + "\n")


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def verdict(target, found, quick):
    value = target.value(found)
    if value is None:
        return (target.text, "-", "not known")
    shown = target.show(value)
    if target.at_most is None and target.at_least is None:
        return (target.text, shown, "reported")
    if quick:
        return (target.text, shown, "not judged: quick")
    met = value <= target.at_most if target.at_most is not None else value >= target.at_least
    return (target.text, shown, "met" if met else "MISSED")


def show_work(work, machine, report, options):
    rates = machine.dgemm_rates() if work.limit else []
    results = {}
    for row in work.rows:
        progress(f"{work.name}: {row.system}")
        skipped = row.run.long and not options.long
        results[row.key] = Result(absent="only in: all") if skipped else machine.run(row.run)
        if row is work.rows[0] and work.limit:  # the speed of a machine changes in the minutes that a work takes
            rates += machine.dgemm_rates()
    progress("")
    rate = statistics.median(rates) if rates else None
    found = Found(work, results, rate)
    first = found.time(work.rows[0].key)

    report.heading(work.name, work.title)
    table = []
    for row in work.rows:
        result, taken = results[row.key], found.time(row.key)
        if result.absent:
            table.append([row.system, f"- {result.absent} -", "", "", "", ""])
            continue
        route = f" ({result.words['route']})" if "route" in result.words else ""
        table.append([row.system, row.computes + route, time_text(taken), f"{ratio(taken, first) or 0:.3g}",
                      bytes_text(result.median("beyond")), bytes_text(result.median("peak"))])
    if found.limit_seconds:
        computes = f"{work.limit.formula} flops at {rate / 1e9:.0f} GF/s"
        relative = ratio(found.limit_seconds, first)
        table.append(["limit, by dgemm", computes, time_text(found.limit_seconds),
                      f"{relative:.3g}" if relative else "-", "", ""])
    report.table(["system", "computes", "time", "ratio", "memory beyond data", "peak memory"], table, 2)
    verdicts = [verdict(target, found, options.quick) for target in work.targets]
    report.verdicts(verdicts)
    return [(work.name, *each) for each in verdicts]


def show_growth(growth, machine, report):
    rows, before = [], None
    for n, both, one in growth.runs:
        progress(f"{growth.name}: n = {n}")
        result = machine.run(both)
        if result.absent:
            rows.append([str(n), result.absent] + [""] * 7)
            continue
        single = machine.run(one) if one else Result(absent="-")
        total = result.median("seconds.total")
        power = ""
        if before:
            power = f"n^{math.log(total / before[1]) / math.log(n / before[0]):.1f}"
        before = (n, total)
        times = [time_text(result.median("seconds." + part)) for part in ("factorize", "score", "select", "total")]
        rows.append([str(n), result.words["route"], *times, power, bytes_text(result.median("beyond")),
                     bytes_text(result.median("required")), time_text(single.median("seconds.total"))])
    progress("")
    report.heading(growth.name, growth.title)
    header = ["n", "route", "factorize", "LOO, 100 lambdas", "search", "in all", "grows as", "memory beyond data",
              "memory_required", "one lambda, LOO"]
    if all(one is None for _, _, one in growth.runs):
        header, rows = header[:-1], [row[:-1] for row in rows]
    report.table(header, rows, 0)


def show_starts(work, machine, report, options):
    results = []
    for place, run in enumerate(work.runs):
        progress(f"{work.name}: {place + 1} of {len(work.runs)}")
        results.append(machine.run(run))
    progress("")
    kinds, rows = {}, []
    for run, result in zip(work.runs, results):
        problem = dict(run.arguments)["problem"]
        kinds.setdefault(result.absent or result.words["kind"], []).append((Path(problem).stem, result))
    for kind, of_kind in kinds.items():
        known = [(problem, result) for problem, result in of_kind if not result.absent]
        if not known:
            rows.append([kind, str(len(of_kind))] + [""] * 7)
            continue

        def least_to_most(name):
            values = [result.median(name) for _, result in known]
            return f"{min(values):.0f} to {max(values):.0f}"

        lower = [(problem, result.median("lower")) for problem, result in known if result.median("lower") > 1]
        rows.append([kind, str(len(known)), least_to_most("n"), least_to_most("d"), str(len(lower)),
                     f"{max(result.median('lower') for _, result in known):.2f}",
                     ", ".join(f"{problem}: {by:.1f}" for problem, by in lower),
                     *(time_text(sum(result.median(name) for _, result in known)) for name in ("search", "starts"))])
    report.heading(work.name, work.title)
    header = ["problems", "count", "n", "d", "lower by more than 1", "the most", "which", "searches", "starts"]
    report.table(header, rows, 1)
    verdicts = [verdict(target, results, options.quick) for target in work.targets]
    report.verdicts(verdicts)
    return [(work.name, *each) for each in verdicts]


def sections(markdown):
    """What stands before the first "### name", and a dictionary of the rest by name."""
    head, *rest = re.split(r"^### (\w+)\n", markdown, flags=re.MULTILINE)
    return head, dict(zip(rest[::2], rest[1::2]))


def only_some(markdown, published):
    """The tables that are published, with those of this run in the place of theirs; each says what run it is of."""
    run, new = sections(markdown)
    head, all_sections = sections(published)
    summary = all_sections["summary"]
    for name, text in new.items():
        if name == "summary":
            continue
        rows = [line for line in new["summary"].splitlines() if line.startswith(f"| {name} |")]
        old = [line for line in summary.splitlines() if line.startswith(f"| {name} |")]
        if old and rows:
            summary = summary.replace("\n".join(old), "\n".join(rows))
        rate = re.search("dgemm .*", run)[0]
        all_sections[name] = f"{text.rstrip()}\n- in a run of its own, {rate}\n\n\n"
    all_sections["summary"] = summary
    return head + "".join(f"### {name}\n{text}" for name, text in all_sections.items())


def publish(markdown, whole):
    page = ROOT / "docs/performance.md"
    begin, end = "<!-- results -->", "<!-- end of results -->"
    before, rest = page.read_text().split(begin + "\n")
    published, after = rest.split(end)
    page.write_text(before + begin + "\n" + (markdown if whole else only_some(markdown, published)) + end + after)


def parse(works):
    names = [work.name for work in works]
    parser = argparse.ArgumentParser(prog="./dev bench", description="works: " + ", ".join(names))
    parser.add_argument("words", nargs="*", metavar="quick | all | WORK",
                        help="quick: tiny sizes; all: also what takes long; nothing: all but that")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--publish", action="store_true", help="put the tables into docs/performance.md; of some works: in the place of theirs")
    options = parser.parse_args()
    options.quick, options.all = "quick" in options.words, "all" in options.words
    options.names = [word for word in options.words if word not in ("quick", "all")]
    options.long = options.all or options.quick or bool(options.names)
    if options.publish and options.quick:
        parser.error("tiny sizes are not to be published")
    unknown = set(options.names) - set(names)
    if unknown:
        parser.error(f"no such work: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return options


def main():
    options = parse(all_works(False))
    works = [work for work in all_works(options.quick)
             if (work.name in options.names if options.names else options.long or not work.long)]
    OUTPUT.mkdir(parents=True, exist_ok=True)
    machine, summary = Machine(options.threads, 300 if options.quick else 3000), []
    report = Report(machine.description())
    for work in works:
        if isinstance(work, Growth):
            show_growth(work, machine, report)
        elif isinstance(work, Starts):
            summary += show_starts(work, machine, report, options)
        else:
            summary += show_work(work, machine, report, options)
        report.write()
    if summary:
        start = len(report.markdown)
        report.heading("summary", "all targets")
        report.table(["work", "target", "measured", "verdict"], [list(line) for line in summary], 2)
        report.last_first(start)
        report.write()
    if options.publish:
        publish((OUTPUT / "performance.md").read_text(), whole=options.all)
    print(f"\nthe same as Markdown: {(OUTPUT / 'performance.md').relative_to(ROOT)}")


sys.stdout.reconfigure(line_buffering=True)
try:
    main()
except KeyboardInterrupt:
    sys.exit("\nstopped; what was done is in build/bench/performance.md")
