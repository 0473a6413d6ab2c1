"""A process with little address space: OpenBLAS asks for its buffer for ever where it cannot have it, so the library
asks first. Whatever the limit is, a program ends, with its answer or with OUT_OF_MEMORY."""

import os
import resource
import subprocess
import sys
import unittest

MIB = 2**20
FIT = """
import resource, sys, threading, numpy as np, freeridge as fr
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 5))
now = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (now + int(sys.argv[1]) * 2**20,) * 2)
ended = []
def fit():
    try:
        model = fr.Model(fr.gaussian(1.0), X, X[:, 0])
        ended.append("lambda" if model.select_lambda(fr.LOO)[0] > 0 else "wrong")
    except fr.Error as error:
        ended.append(str(error))
threads = [threading.Thread(target=fit) for _ in range(int(sys.argv[2]) - 1)]
try:
    for each in threads: each.start()
except RuntimeError: pass  # no address space for a thread
fit()
for each in threads:
    if each.ident: each.join()
print(*ended, sep="\\n")
"""

TWO = """
ended = []
try: fr.set_threads(2)
except fr.Error as error: sys.exit(print(error))
"""

NO_THREAD = "OpenBLAS blas_thread_init: pthread_create failed"


def run(command, threads, limit=None, timeout=120, **variables):
    """(status, lines)."""
    def limited():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    ended = subprocess.run(command, env=os.environ | {"OPENBLAS_NUM_THREADS": str(threads)} | variables, text=True,
                           timeout=timeout, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                           preexec_fn=limited if limit else None)
    return ended.returncode, ended.stdout.strip().split("\n")


def loads(threads, limit):
    """Whether a program that only loads the library ends well. Newer versions of OpenBLAS (0.3.29) take a buffer and start
    threads when they are loaded: without room for the buffer they ask for it for ever, without room for a thread they end
    the program, before any function is called."""
    try:
        return run(["/bin/true"], threads, limit, timeout=5, LD_PRELOAD=os.environ["FREERIDGE_LIBRARY"])[0] == 0
    except subprocess.TimeoutExpired:
        return False


class AddressSpace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.buffer_when_loaded = not loads(1, 125 * MIB)

    def test_a_program_ends(self):
        program = os.environ["FREERIDGE_EXAMPLE"]
        for threads in (1, 2):
            seen = set()
            for limit in range(75, 600, 50):
                if self.buffer_when_loaded and not loads(threads, limit * MIB):
                    continue
                with self.subTest(threads=threads, limit=limit):
                    status, lines = run([program], threads, limit * MIB)
                    if any(line.startswith(NO_THREAD) for line in lines):
                        continue  # OpenBLAS ended the program when it was loaded, a few pages above the limit of loads()
                    refused = any("OUT_OF_MEMORY" in line for line in lines)
                    self.assertTrue(status == 0 or refused, lines)
                    seen.add(refused)
            self.assertIn(False, seen)
            self.assertTrue(True in seen or self.buffer_when_loaded)

    def test_python_goes_on(self):
        for callers in (1, 4, 12):
            for more in (60, 100, 127, 140, 180, 250, 300, 450, 700):
                with self.subTest(callers=callers, more=more):
                    status, lines = run([sys.executable, "-c", FIT, str(more), str(callers)], 1)
                    self.assertEqual(status, 0, lines)
                    for line in lines:
                        self.assertTrue(line == "lambda" or "OUT_OF_MEMORY" in line, lines)
                    if more >= 140 and callers == 1:
                        self.assertEqual(lines, ["lambda"])
                    if more < 128 and not self.buffer_when_loaded:
                        self.assertTrue(all("OpenBLAS needs a buffer" in line for line in lines), lines)

    def test_a_loop_takes_the_threads_that_have_buffers(self):
        """Two threads of the library's own, where one buffer more does not fit."""
        for more in (140, 160, 200, 300, 500):
            code = FIT.replace("ended = []", TWO).replace("size=(300", "size=(600")
            with self.subTest(more=more):
                status, lines = run([sys.executable, "-c", code, str(more), "1"], 1)
                self.assertEqual(status, 0, lines)
                self.assertTrue(lines == ["lambda"] if more >= 500 else "lambda" in lines[0] or "OUT_OF_MEMORY" in lines[0],
                                lines)


if __name__ == "__main__":
    unittest.main()
