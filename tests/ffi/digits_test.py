"""How many digits are right, against references that are exact: rational arithmetic (ridge regression) and 60-digit decimal
arithmetic (kernel ridge regression).

Digits are -log10 of the relative error, 15.9 at most: of the worst coefficient of a regression, and of the vector of
left-out errors in the maximum norm.
"""

import decimal
import math
import os
import unittest
from decimal import Decimal
from fractions import Fraction

import numpy as np

import freeridge as fr
from freeridge import library

NIST = os.path.join(os.environ["FREERIDGE_TEST_DATA"], "nist")


def digits(error, scale):
    return 15.9 if error == 0 else min(15.9, -math.log10(float(error / scale)))


class RidgeUnits(unittest.TestCase):
    """freeridge_ridge where the units of the columns are up to 60 orders of magnitude apart, in rational arithmetic."""

    @staticmethod
    def exact(x, y, lam, penalty, intercept):
        """w = P^-1 X'(X P^-1 X' + lambda I)^-1 y of the centred columns; lambda = 0: its limit."""
        n, d = x.shape
        rows, outputs = [[Fraction(v) for v in row] for row in x.tolist()], [Fraction(v) for v in y.tolist()]
        if intercept:
            means = [sum(row[k] for row in rows) / n for k in range(d)]
            rows, mean = [[v - m for v, m in zip(row, means)] for row in rows], sum(outputs) / n
            outputs = [v - mean for v in outputs]
        lam, p = Fraction(lam) or Fraction(1, 10**1000), [Fraction(v) for v in penalty]
        a = [[sum(u * v / q for u, v, q in zip(one, other, p)) + (lam if one is other else 0) for other in rows] + [out]
             for one, out in zip(rows, outputs)]
        for k in range(n):  # Gauss and Jordan
            for i in range(n):
                if i != k:
                    factor = a[i][k] / a[k][k]
                    a[i] = [v - factor * u for v, u in zip(a[i], a[k])]
        return [sum(rows[i][k] * a[i][n] / a[i][i] for i in range(n)) / p[k] for k in range(d)]

    @staticmethod
    def ridge(x, y, lam, penalty, intercept):
        (n, d), w, b = x.shape, np.empty(x.shape[1]), np.empty(1)
        pointers = [array.ctypes.data_as(library.DOUBLES) for array in (x, y, penalty, w, b)]
        status = library.library.freeridge_ridge(library.ROW_MAJOR, n, d, pointers[0], d, 1, pointers[1], 1, intercept,
                                                 lam, *pointers[2:])
        return w if status == 0 else np.full(d, 1e300)

    def test_digits(self):
        random = np.random.default_rng(5)
        for case in range(120):
            n, span = random.integers(1, 5), (0, 3, 8, 15, 30)[case % 5]
            d, intercept = n + random.integers(-1 if n > 1 else 0, 5), int(n > 1 and case % 3 == 0)
            x = random.uniform(-1, 1, (n, d)) * 10.0 ** random.integers(-span, span + 1, d)
            if case % 4 == 0 and d > 1:
                x[:, -1] = x[:, 0] * 2.0 ** random.integers(-30, 31)  # a column that is there twice
            y, penalty = random.uniform(-1, 1, n), np.ones(d)
            lam = 0.0 if case % 7 == 0 else 10.0 ** random.integers(-2 * span - 10, 2 * span + 3)
            if case % 6 == 5 and lam > 0:
                penalty = 10.0 ** random.integers(-span, span + 1, d)
            with self.subTest(case=case, n=n, d=d, span=span, lam=lam):
                exact = self.exact(x, y, lam, penalty, intercept)
                sizes = [Fraction(v) for v in np.abs(x).max(0).tolist()]
                most, most_of_fit = max(map(abs, exact)), max(abs(e) * s for e, s in zip(exact, sizes))
                for found, e, s in zip(self.ridge(x, y, lam, penalty, intercept).tolist(), exact, sizes):
                    # Of each weight, unless both it and what it does to the fit are nothing beside others.
                    scale = abs(e) + min(most, most_of_fit / s) / 10**11
                    self.assertGreaterEqual(digits(abs(Fraction(found) - e), scale), 11)


class KernelRidgeDigits(unittest.TestCase):
    """CHOLESKY against 60 digits: 15.3 - log10 of the condition of K + lambda I."""

    ROWS = 40
    SETTINGS = [(name, sigma, power) for name, sigma in (("Norris", 200.0), ("Filip", 2.0), ("Wampler5", 5.0))
                for power in (-30, -20, -10, 0)]

    def reference(self, x, y, sigma, lam, intercept):
        """The left-out errors by the definition (P y)_i / P_ii, and G."""
        with decimal.localcontext() as context:
            context.prec = 60
            x = [Decimal(float(value)) for value in x]
            n = len(x)
            square = Decimal(sigma) ** 2
            g = [[(-(a - b) ** 2 / square).exp() for b in x] for a in x]
            for i in range(n):
                g[i][i] += Decimal(lam)
            inverse = self.inverse([row[:] for row in g])
            u = [sum(row) for row in inverse]
            total = sum(u)
            p = [[inverse[i][j] - (u[i] * u[j] / total if intercept else 0) for j in range(n)] for i in range(n)]
            c = [sum(p[i][j] * Decimal(float(y[j])) for j in range(n)) for i in range(n)]
            return [c[i] / p[i][i] for i in range(n)], np.array([[float(v) for v in row] for row in g])

    @staticmethod
    def inverse(a):
        """Gauss and Jordan; a is positive definite."""
        n = len(a)
        for k in range(n):
            pivot = 1 / a[k][k]
            row = [value * pivot for value in a[k]]
            row[k] = pivot
            for i in range(n):
                if i == k:
                    continue
                factor = a[i][k]
                a[i] = [value - factor * other for value, other in zip(a[i], row)]
                a[i][k] = -factor * pivot
            a[k] = row
        return a

    def test_left_out_errors(self):
        for name, sigma, power in self.SETTINGS:
            rows = np.loadtxt(os.path.join(NIST, name + ".csv"), delimiter=",", skiprows=1)
            y, x = rows[: self.ROWS, 0], rows[: self.ROWS, 1]
            lam = 2.0**power
            for intercept in (False, True):
                with self.subTest(name=name, power=power, intercept=intercept):
                    exact, g = self.reference(x, y, sigma, lam, intercept)
                    model = fr.Model(fr.gaussian(sigma), x, y, intercept=intercept, route=fr.ROUTE_CHOLESKY).set_lambda(lam)
                    found = [Decimal(float(e)) for e in model.loo()[:, 0]]
                    reached = digits(max(abs(f - e) for f, e in zip(found, exact)), max(abs(e) for e in exact))
                    self.assertGreaterEqual(reached, 15.3 - math.log10(np.linalg.cond(g)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
