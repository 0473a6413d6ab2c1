#!/usr/bin/env python3
"""The R package at a prompt: prompt.py [PACKAGE ...]. R_LIBS says where it is.

R runs in a pseudo-terminal and is typed at. What a user then sees is judged: the bar of a long call is drawn, finished
and removed, Ctrl-C ends the call and leaves the session as it was, and the value is there. Once with all packages of
Suggests that are installed, and once with none; then once for each PACKAGE missing ("each": for every one of them, and
with cli alone).
"""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 80
LONG = "x <- matrix(rnorm({n} * 3), {n}); y <- rnorm({n}); options(freeridge.progress = 0.05)"
EXAMPLE = ("fit <- freeridge(mpg ~ wt + hp, mtcars); print(fit); print(summary(fit)); pdf(NULL); plot(fit); "
           "p <- predict(fit, mtcars[1:3, ])")


def screen(raw):
    """The lines that a terminal shows at the end of these bytes."""
    lines, row, column = [""], 0, 0
    for text, code, final in re.findall(r"([^\x1b])|\x1b\[([0-9;?]*)([A-Za-z])", raw, re.S):
        if final == "K":
            lines[row] = lines[row][:column] if code in ("", "0") else ""
        elif final == "A":
            row = max(row - int(code or 1), 0)
        elif final == "G":
            column = int(code or 1) - 1
        elif text == "\r":
            column = 0
        elif text == "\b":
            column = max(column - 1, 0)
        elif text == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif text and text >= " ":
            line = lines[row].ljust(column)
            lines[row] = line[:column] + text + line[column + 1:]
            column += 1
    return [line.rstrip() for line in lines]


class Session:
    """R at a prompt. Libraries hold links to every package but the hidden ones."""

    def __init__(self, hidden):
        self.folder = tempfile.TemporaryDirectory()
        library = Path(self.folder.name, "library")
        library.mkdir()
        for path in LIBRARIES:
            for package in Path(path).iterdir():
                link = library / package.name
                if package.name not in hidden and not link.exists() and (package / "DESCRIPTION").exists():
                    link.symlink_to(package)
        profile = Path(self.folder.name, "profile.R")
        # also those of R's own library, which R always looks at
        profile.write_text(f'environment(.libPaths)$.lib.loc <- "{library}"\noptions(prompt = "{PROMPT}")\n')
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.environ.update(TERM="xterm-256color", COLUMNS=str(WIDTH), R_PROFILE_USER=str(profile), LANGUAGE="en")
            for name in ("R_LIBS", "CI", "TESTTHAT", "NO_COLOR"):
                os.environ.pop(name, None)
            os.execvp("R", ["R", "--interactive", "--no-save", "--no-restore", "--no-site-file", "--no-environ", "--quiet"])
        self.pid = pid
        self.until_prompt()

    def until_prompt(self, seconds=60):
        """What R writes up to its next prompt."""
        raw, end = "", time.monotonic() + seconds
        while not raw.endswith(PROMPT):
            ready, _, _ = select.select([self.terminal], [], [], max(end - time.monotonic(), 0))
            if not ready:
                raise RuntimeError(f"no prompt after {seconds} s:\n{raw}")
            raw += os.read(self.terminal, 65536).decode(errors="replace")
        return raw

    def type(self, line, interrupt_at=None):
        """Types a line, and Ctrl-C as soon as what R writes holds interrupt_at."""
        os.write(self.terminal, (line + "\r").encode())
        raw = ""
        if interrupt_at:
            end = time.monotonic() + 60
            while not re.search(interrupt_at, raw):
                if not select.select([self.terminal], [], [], max(end - time.monotonic(), 0))[0]:
                    raise RuntimeError(f"no {interrupt_at}:\n{raw}")
                raw += os.read(self.terminal, 65536).decode(errors="replace")
            os.write(self.terminal, b"\x03")
        return raw + self.until_prompt()

    def close(self):
        os.write(self.terminal, b"q('no')\r")
        try:
            while os.read(self.terminal, 65536):
                pass
        except OSError:
            pass
        os.waitpid(self.pid, 0)
        self.folder.cleanup()


PROMPT = "freeridge-prompt> "


def expect(holds, words, raw):
    if not holds:
        raise AssertionError(f"{words}:\n{raw}\n-- on the screen:\n" + "\n".join(screen(raw)))


def judge(hidden, with_cli):
    """One session. Without cli the bar is that of base R, '=' signs; cli's begins with its name."""
    session = Session(hidden)
    drawn = r"freeridge [^\r\n]*%" if with_cli else r"\|=* +\| +\d+%"
    try:
        raw = session.type(f"library(freeridge); {EXAMPLE}")
        expect("Error" not in raw and "lambda:" in raw, "the example", raw)
        raw = session.type(f"set.seed(1); {LONG.format(n=1500)}; small <- loo(fit)")
        raw = session.type("kept <- freeridge(x, y, gaussian_kernel(1), lambda = 1, route = 'spectral'); cat('done\\n')")
        expect(re.search(drawn, raw), "no bar was drawn", raw)
        left = screen(raw)
        expect("Error" not in raw and left[-1] == PROMPT.rstrip() and "done" in left, "the call died", raw)
        expect(not any("%" in line for line in left[1:]), "the bar is left on the screen", raw)
        raw = session.type("cat(length(coef(kept)), is.null(freeridge:::progress$bar), '\\n')")
        expect("1500 TRUE" in raw, "the value is not there", raw)
        raw = session.type("lost <- freeridge(x, y, gaussian_kernel(1))", interrupt_at=drawn)
        # the terminal's own ^C stands in the line of the bar
        expect("Error" not in raw and screen(raw)[-1] == PROMPT.rstrip(), "Ctrl-C does not end the call", raw)
        raw = session.type("cat(exists('lost'), identical(loo(fit), small), is.null(freeridge:::progress$bar), '\\n')")
        expect("FALSE TRUE TRUE" in raw, "after Ctrl-C", raw)
        # rows in pieces: one bar for all passes
        raw = session.type("rows <- row_source(data.frame(y = rnorm(4e4), x = rnorm(4e4)), 200); cat('made\\n')")
        raw = session.type("whole <- freeridge_chunks(y ~ x, rows); cat('done\\n')")
        expect(re.search(drawn, raw), "no bar was drawn for chunks", raw)
        left = screen(raw)
        expect("Error" not in raw and left[-1] == PROMPT.rstrip() and "done" in left, "the call on chunks died", raw)
        expect(not any("%" in line for line in left[1:]), "the bar of chunks is left on the screen", raw)
        raw = session.type("lost <- freeridge_chunks(y ~ x, rows)", interrupt_at=drawn)
        expect("Error" not in raw and screen(raw)[-1] == PROMPT.rstrip(), "Ctrl-C does not end the call on chunks", raw)
        raw = session.type("cat(exists('lost'), nobs(whole), is.null(freeridge:::progress$bar), '\\n')")
        expect("FALSE 40000 TRUE" in raw, "after Ctrl-C among chunks", raw)
    finally:
        session.close()


def r_says(code):
    return subprocess.run(["Rscript", "--vanilla", "-e", code], check=True, capture_output=True, text=True).stdout.split()


def main():
    global LIBRARIES
    LIBRARIES = r_says("cat(.libPaths(), sep = '\\n')")
    field = re.search(r"^Suggests:(.*?)^\w", (ROOT / "rpkg/DESCRIPTION").read_text(), re.S | re.M).group(1)
    suggests = re.findall(r"([A-Za-z][\w.]*)(?: \([^)]*\))?", field)
    others = [name for name in suggests if name != "cli"]
    has_cli = r_says("cat(requireNamespace('cli', quietly = TRUE))") == ["TRUE"]
    every = suggests if sys.argv[1:] == ["each"] else sys.argv[1:]
    works = [("all there", []), ("none there", suggests)]
    if sys.argv[1:] == ["each"]:
        works.append(("cli alone", others))
    failed = 0
    for title, hidden in works + [(f"without {name}", [name]) for name in every]:
        start = time.monotonic()
        try:
            judge(hidden, has_cli and "cli" not in hidden)
            print(f"{title}: as it should be, {time.monotonic() - start:.1f} s")
        except (AssertionError, RuntimeError, OSError) as problem:
            failed += 1
            print(f"{title}: FAILED\n{problem}")
    return int(failed > 0)


if __name__ == "__main__":
    signal.alarm(600)
    sys.exit(main())
