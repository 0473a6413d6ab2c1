"""One work in each language, on five data files, through one shared library: the programs print the bits of their
numbers, and these are the same in C, Rust, Python and R. And they are right: predictions, scores and errors left out
are compared with their definitions by numpy, which fits again without the row.

Each program is a command in the environment, FREERIDGE_FIVE_SETS_C and so on. R bundles its own build of the core: its
numbers are the same too if the package's compiler and BLAS are; if they are others, the scores agree to rounding.
"""

import ctypes
import os
import shlex
import struct
import subprocess
import unittest

DATA = os.environ["FREERIDGE_TEST_DATA"]
SETS = ("norris", "longley", "diabetes", "concrete", "sonar")
KERNELS = ("linear", "gaussian", "sum", "laplacian", "polynomial")
GRID = (1e-3, 1e-2, 1e-1, 1.0, 10.0)


def run(language):
    command = shlex.split(os.environ["FREERIDGE_FIVE_SETS_" + language.upper()])
    return subprocess.run([*command, DATA], check=True, capture_output=True, text=True).stdout


def numbers(output):
    """(set, kernel, what): the numbers."""
    result = {}
    for line in output.splitlines():
        *key, values = line.split(" ", 3)
        result[tuple(key)] = [struct.unpack(">d", bytes.fromhex(word))[0] for word in values.split(" ")]
    return result


class SameBits(unittest.TestCase):
    def check(self, language):
        expected, actual = run("c").splitlines(), run(language).splitlines()
        self.assertEqual(len(expected), len(SETS) * (6 * len(KERNELS) + 3))
        for line, other in zip(expected, actual):
            self.assertEqual(line, other)
        self.assertEqual(len(expected), len(actual))

    def test_again(self):
        self.check("c")

    def test_rust(self):
        self.check("rust")

    def test_python(self):
        self.check("python")

    def test_r(self):
        """The build is R's own; its compiler and BLAS say whether equal bits can be expected."""
        command = ["Rscript", "--vanilla", "-e", "cat(freeridge::freeridge_build_info())"]
        theirs = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        library = ctypes.CDLL(os.environ["FREERIDGE_LIBRARY"])
        library.freeridge_build_info.restype = ctypes.c_char_p
        ours = library.freeridge_build_info().decode()
        if build(ours) == build(theirs):
            return self.check("r")
        print(f"R has another build: {build(theirs)}, not {build(ours)}; scores are compared to 1e-9")
        expected, actual = numbers(run("c")), numbers(run("r"))
        self.assertEqual(list(expected), list(actual))
        for key, values in expected.items():
            self.assertEqual(len(values), len(actual[key]), key)
            if key[2] == "scores":
                for value, other in zip(values, actual[key]):
                    self.assertLessEqual(abs(value - other), 1e-9 * abs(value), key)


def build(info):
    """The compiler, and the BLAS with its kernels, of freeridge_build_info."""
    _, compiler, library = info.split(";")[:3]
    return compiler.strip(), library.split(", threads")[0].strip()


class Answers(unittest.TestCase):
    """The numbers that are the same are right, too."""

    @classmethod
    def setUpClass(cls):
        cls.found = numbers(run("c"))

    def test_all_sets_and_kernels(self):
        import numpy as np
        for name in SETS:
            table = np.loadtxt(os.path.join(DATA, name + ".csv"), delimiter=",", skiprows=1)
            if name in ("norris", "longley"):
                table = np.roll(table, -1, axis=1)  # the response is the first column
            x, y, new = table[::2, :-1], table[::2, -1], table[1::2, :-1]
            scale = np.abs(x).max(axis=0)
            x, new = x / scale, new / scale
            for kernel in KERNELS:
                with self.subTest(set=name, kernel=kernel):
                    self.check(name, kernel, x, y, new, scale)

    def check(self, name, kernel, x, y, new, scale):
        import numpy as np
        found = {what: np.array(self.found[name, kernel, what])
                 for what in ("scores", "choice", "loo", "coefficients", "intercept", "predictions")}
        lam, best = found["choice"]
        # Predictions are what the coefficients say.
        if kernel == "linear":
            value = new @ (found["coefficients"] * scale) + found["intercept"]
        else:
            value = kernel_matrix(kernel, new, x) @ found["coefficients"] + found["intercept"]
        size = np.max(np.abs(y))
        self.assertLessEqual(np.max(np.abs(value - found["predictions"])), 1e-6 * size)
        # The score is the mean of the squares of the errors left out, and none of the grid is better.
        self.assertAlmostEqual(np.mean(found["loo"] ** 2) / best, 1.0, delta=1e-10)
        inside = [score for grid, score in zip(GRID, found["scores"]) if 1e-4 <= grid <= 100.0]
        self.assertLessEqual(best, min(inside) * (1 + 1e-9))
        # Some rows left out, by fitting again without them; with landmarks the rows that are none.
        matrix = kernel_matrix(kernel, x, x)
        kept = np.flatnonzero(found["coefficients"]) if kernel == "polynomial" else None
        for i in range(0, len(y), max(1, len(y) // 4)):
            rest = np.arange(len(y)) != i
            c, b = solve(matrix, y, rest, lam, kept)
            self.assertLessEqual(abs(y[i] - matrix[i] @ c - b - found["loo"][i]), 1e-5 * np.std(y), f"row {i}")


def kernel_matrix(kernel, a, b):
    import numpy as np
    products = a @ b.T
    distance = np.sqrt(((a[:, np.newaxis] - b) ** 2).sum(axis=2))
    matern = (1 + np.sqrt(3) * distance) * np.exp(-np.sqrt(3) * distance)
    return {"linear": products, "gaussian": np.exp(-distance**2), "sum": 0.5 * products + matern,
            "laplacian": np.exp(-distance), "polynomial": (products + 1) ** 2}[kernel]


def solve(matrix, y, rows, lam, landmarks):
    """c (of all points, zero where there is none) and b from some rows, by the definition. Landmarks: a penalised
    least-squares problem in their coefficients."""
    import numpy as np
    c = np.zeros(len(y))
    if landmarks is None:
        k = matrix[np.ix_(rows, rows)] + lam * np.eye(rows.sum())
        ones, ky = np.linalg.solve(k, np.ones(rows.sum())), np.linalg.solve(k, y[rows])
        b = ky.sum() / ones.sum()
        c[rows] = ky - b * ones
        return c, b
    root_values, root_vectors = np.linalg.eigh(matrix[np.ix_(landmarks, landmarks)])
    usable = root_values > 1e-12 * root_values[-1]
    to_features = root_vectors[:, usable] / np.sqrt(root_values[usable])
    features = matrix[np.ix_(rows, landmarks)] @ to_features
    mean, centre = features.mean(axis=0), y[rows].mean()
    system = np.vstack([features - mean, np.sqrt(lam) * np.eye(features.shape[1])])
    w = np.linalg.lstsq(system, np.concatenate([y[rows] - centre, np.zeros(features.shape[1])]), rcond=None)[0]
    c[landmarks] = to_features @ w
    return c, centre - mean @ w


if __name__ == "__main__":
    unittest.main(verbosity=2)
