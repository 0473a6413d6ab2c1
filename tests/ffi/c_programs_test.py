"""The programs of examples/c and examples/cpp: what they print is what numpy and the Python module find.
FREERIDGE_PROGRAMS is the folder that they are in."""

import os
import re
import signal
import subprocess
import tempfile
import unittest

import numpy as np

import freeridge as fr

DATA = os.environ["FREERIDGE_TEST_DATA"]


def run(name, *arguments):
    command = [os.path.join(os.environ["FREERIDGE_PROGRAMS"], name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


class Programs(unittest.TestCase):
    def read(self, name):
        path = os.path.join(DATA, name)
        table = np.loadtxt(path, delimiter=",", skiprows=1)
        return path, table[:, :-1], table[:, -1]

    def test_fit_csv(self):
        path, x, y = self.read("diabetes.csv")
        done = run("fit_csv", path, path)
        self.assertEqual(done.returncode, 0, done.stderr)
        words = re.match(r"442 rows, 10 features; sigma (\S+), lambda (\S+); leave-one-out error (\S+)\n", done.stderr)
        sigma, lam, error = map(float, words.groups())
        estimator = fr.FreeRidge(kernel="gaussian", lengths="one", scale=False).fit(x / x.std(axis=0), y)
        self.assertLessEqual(abs(sigma / estimator.sigma_ - 1), 1e-3)  # printed with four digits
        self.assertLessEqual(abs(lam / estimator.alpha_ - 1), 1e-3)
        self.assertLessEqual(abs(error / np.sqrt(np.mean(estimator.loo_errors() ** 2)) - 1), 1e-5)
        predicted = np.array(list(map(float, done.stdout.split())))
        self.assertLessEqual(np.max(np.abs(predicted - estimator.predict(x / x.std(axis=0)))), 1e-4 * np.std(y))
        self.assertEqual(run("fit_csv", path).stdout, "")

    def test_stream_csv(self):
        path, x, y = self.read("concrete.csv")
        done = run("stream_csv", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}
        self.assertEqual(found["rows"], len(y))
        lam = found["lambda"]
        centred = x - x.mean(axis=0)
        w = np.linalg.solve(centred.T @ centred + lam * np.eye(x.shape[1]), centred.T @ (y - y.mean()))
        self.assertLessEqual(np.max(np.abs(w - [found[f"w{j}"] for j in range(1, 9)])), 1e-10)
        self.assertAlmostEqual(found["intercept"], y.mean() - x.mean(axis=0) @ w, delta=1e-8)
        hat = 1 / len(y) + np.einsum("ij,ij->i", centred, np.linalg.solve(
            centred.T @ centred + lam * np.eye(x.shape[1]), centred.T).T)
        errors = (y - y.mean() - centred @ w) / (1 - hat)
        self.assertAlmostEqual(found["loo"] / np.mean(errors**2), 1.0, delta=1e-10)

    def test_landmarks(self):
        done = run("landmarks", 3000, 60)
        self.assertEqual(done.returncode, 0, done.stderr)
        for step in ("factorize", "select lambda"):
            shares = list(map(int, re.findall(step + r" +(\d+) %", done.stderr)))
            self.assertTrue(len(shares) > 2 and shares == sorted(shares) and shares[-1] == 100, shares)
        self.assertRegex(done.stdout, r"3000 points, 60 landmarks: at most [0-9.]+ MB; a kernel matrix would be 72 MB")
        words = re.search(r"leave-one-out error (\S+) \(the noise alone: (\S+)\)", done.stdout)
        error, noise = map(float, words.groups())
        self.assertTrue(0.95 * noise <= error <= 1.15 * noise)

    def test_landmarks_interrupted(self):
        """Ctrl-C while it works is a cancelled call, said so and cleaned up."""
        command = [os.path.join(os.environ["FREERIDGE_PROGRAMS"], "landmarks"), "200000", "1000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            seen = b""
            while b"%" not in seen:  # it reports, so it works
                seen += process.stderr.read(1)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate()
        self.assertEqual(process.returncode, 1, errors)
        self.assertTrue(errors.endswith(b"\ncancelled\n"), errors[-200:])

    def test_example_in_cpp(self):
        done = run("example_cpp")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        first, second = done.stdout.splitlines()
        error, value = map(float, re.match(r"lambda \S+, leave-one-out error (\S+), f\(2\) = (\S+),", first).groups())
        self.assertTrue(0.05 <= error <= 0.06 and abs(value - np.sin(2.0)) <= 0.03, first)
        self.assertRegex(second, "^refused: INVALID_ARGUMENT: .*sigma")

    def test_files_that_are_none(self):
        with tempfile.TemporaryDirectory() as folder:
            def file(name, text):
                path = os.path.join(folder, name)
                with open(path, "w", encoding="ascii") as out:
                    out.write(text)
                return path

            cases = [(folder + "/none.csv", "cannot be opened"), (file("empty.csv", ""), "is empty"),
                     (file("header.csv", "a,b\n"), "rows"), (file("one.csv", "a\n1\n"), "no column beside"),
                     (file("words.csv", "a,b\n1,2\n1,x\n"), "line 3"), (file("short.csv", "a,b\n1\n"), "line 2"),
                     (file("long.csv", "a,b\n1,2,3\n"), "line 2"), (file("nan.csv", "a,b\n1,nan\n2,3\n"), "NOT_FINITE")]
            for path, words in cases:
                for program in ("fit_csv", "stream_csv"):
                    with self.subTest(program=program, path=path):
                        done = run(program, path)
                        self.assertEqual(done.returncode, 1)
                        self.assertIn(words, done.stderr)
                        self.assertEqual(done.stdout, "")
            last = file("no_newline.csv", "a,b\r\n1,2\r\n2,3\r\n4,4")
            self.assertEqual(run("stream_csv", last).stdout.splitlines()[0], "rows 3")


if __name__ == "__main__":
    unittest.main(verbosity=2)
