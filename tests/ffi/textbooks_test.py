"""examples/c/textbooks.c: each number that the program prints is what numpy finds by the definition, without the library; and
the vignette "From the textbooks" has the same names. FREERIDGE_PROGRAMS is the folder that the program is in."""

import itertools
import os
import pathlib
import re
import subprocess
import unittest

import numpy as np

VIGNETTE = pathlib.Path(os.environ["FREERIDGE_SOURCE"]) / "rpkg/vignettes/textbooks.Rmd"
AT = np.array([0.5, -0.25])
LAMBDAS = 10.0 ** np.arange(-6, 2)


def curve():
    i = np.arange(24)
    x = -1.5 + 3 * i / 23
    return x, 1 - x + 0.5 * x**2 + 0.5 * x**3 - x**4 + 0.3 * np.sin(11.0 * i)


def plane():
    i = np.arange(12)
    a, b = np.sin(i + 1.0), np.cos(2.0 * i)
    return np.column_stack([a, b]), a * a - a * b + 0.5 * b + 0.1 * np.sin(5.0 * i)


def numbered(name, values):
    return {f"{name}.{i + 1}": value for i, value in enumerate(values)}


def ridge(x, y, lam, penalty=None):
    """w of min |y - X w|^2 + lam sum penalty_k w_k^2, as ordinary least squares with rows below."""
    penalty = np.ones(x.shape[1]) if penalty is None else np.asarray(penalty)
    rows = np.vstack([x, np.diag(np.sqrt(lam * penalty))])
    return np.linalg.lstsq(rows, np.append(y, np.zeros(x.shape[1])), rcond=None)[0]


def with_offset(x, y, lam):
    """w and b; b is not penalised."""
    found = ridge(np.column_stack([x, np.ones(len(y))]), y, lam, np.append(np.ones(x.shape[1]), 0))
    return found[:-1], found[-1]


def errors_without(x, y, lam, out):
    """The errors at the rows `out` of a fit to the others."""
    w, b = with_offset(x[~out], y[~out], lam)
    return y[out] - x[out] @ w - b


def lines():
    i = np.arange(10)
    x, y = i + 1.5 * np.sin(2.0 * i), 1 + 0.8 * i + 1.5 * np.cos(3.0 * i)
    total = np.linalg.svd(np.column_stack([x - x.mean(), y - y.mean()]))[2][-1]
    slopes = {"ols": np.linalg.lstsq(np.column_stack([x, np.ones(10)]), y, rcond=None)[0][0], "tls": -total[0] / total[1]}
    numbers = {}
    for method, slope in slopes.items():
        b = y.mean() - slope * x.mean()
        square = np.sum((y - slope * x - b) ** 2)
        direction = np.array([1, slope]) / np.hypot(1, slope)  # distances by projections onto the line
        away = np.column_stack([x, y - b])
        away = away - np.outer(away @ direction, direction)
        numbers |= {f"{method}.slope": slope, f"{method}.intercept": b, f"{method}.vertical": square,
                    f"{method}.orthogonal": np.sum(away**2)}
    return numbers | {"tls.singular": np.linalg.svd(np.column_stack([x - x.mean(), y - y.mean()]))[1][1]}


def quartic():
    x, y = curve()
    return numbered("quartic", ridge(x[:, np.newaxis] ** np.arange(5), y, 0.01))


def kernel_trick():
    x, y = plane()

    def features(z):
        a, b = z.T
        return np.column_stack([np.ones(len(z)), np.sqrt(2) * a, np.sqrt(2) * b, a * a, np.sqrt(2) * a * b, b * b])

    phi, gram = features(x), (x @ x.T + 1) ** 2
    assert np.max(np.abs(phi @ phi.T - gram)) < 1e-14
    terms = sum(1 for powers in itertools.product(range(6), repeat=5) if sum(powers) <= 5)
    c = np.linalg.solve(gram + 0.1 * np.eye(12), y)
    root = np.sqrt(2)
    return {"trick.terms": terms, **numbered("trick.factor", [1, root, root, 1, root, 1]),
            "trick.gram.features": phi[0] @ phi[1], "trick.gram.kernel": gram[0, 1],
            "trick.f.features": features(AT[np.newaxis])[0] @ ridge(phi, y, 0.1), "trick.f.kernel": (x @ AT + 1) ** 2 @ c}


def validation():
    x, y = curve()
    powers, i = x[:, np.newaxis] ** np.arange(1, 9), np.arange(24)
    training, left_out, development = [], [], []
    for lam in LAMBDAS:
        w, b = with_offset(powers, y, lam)
        training.append(np.mean((y - powers @ w - b) ** 2))
        left_out.append(np.mean([errors_without(powers, y, lam, i == row) ** 2 for row in i]))
        development.append(np.mean(errors_without(powers, y, lam, i % 3 == 1) ** 2))
    folds = np.concatenate([errors_without(powers, y, 0.01, i % 4 == fold) for fold in range(4)])
    splits = [np.mean(errors_without(powers, y, 0.01, (5 * i + 7 * split) % 24 < 8) ** 2) for split in range(3)]
    return {**numbered("path.training", training), **numbered("path.left_out", left_out),
            **numbered("development", development), "folds": np.mean(folds**2), "splits": np.mean(splits)}


def rank_deficient():
    i = np.arange(6.0)
    x = np.column_stack([i + 1, (i - 2) ** 2, i + 1 + (i - 2) ** 2])
    w = np.linalg.pinv(x) @ (2 + np.sin(i))
    return {"rank": np.linalg.matrix_rank(x), **numbered("rank.ols", w), **numbered("rank.pinv", w),
            **numbered("rank.limit", w)}


def augmented():
    x, y = plane()
    rest = np.arange(12) != 4
    error = y[4] - x[4] @ ridge(x[rest], y[rest], 0.1)
    return {"augmented.coefficient": error, "augmented.left_out": error}


def wide():
    x = np.sin(np.outer(np.arange(1.0, 5.0), np.arange(1.0, 8.0)))
    y = np.arange(4) - 1.5
    return {**numbered("wide.w", np.linalg.solve(x.T @ x + 0.5 * np.eye(7), x.T @ y)),
            **numbered("wide.c", np.linalg.solve(x @ x.T + 0.5 * np.eye(4), y))}


def subset_of_regressors():
    x, y = curve()
    rows = [0, 6, 12, 18]
    kernel = np.exp(-((x[:, np.newaxis] - x[rows]) ** 2))

    def coefficients(kept):
        return np.linalg.solve(kernel[kept].T @ kernel[kept] + 0.1 * kernel[rows], kernel[kept].T @ y[kept])

    errors = [y[i] - kernel[i] @ coefficients(np.arange(24) != i) for i in range(24)]
    return {**numbered("landmarks.c", coefficients(np.arange(24) >= 0)), "landmarks.left_out": np.mean(np.square(errors))}


def offset():
    x, y = plane()
    w = ridge(x - x.mean(axis=0), y - y.mean(), 1)
    penalised = ridge(np.column_stack([x, np.ones(12)]), y + 10, 1)
    return {**numbered("offset.w", w), "offset.b": 10 + y.mean() - x.mean(axis=0) @ w,
            **numbered("penalised.w", penalised[:2]), "penalised.b": penalised[2]}


def labels(separable=False):
    i = np.arange(8)
    x = np.column_stack([np.sin(i + 1.0), np.cos(2.0 * i)])
    return x, np.where(x[:, 0] + (0.2 * x[:, 1] if separable else 0.6 * np.sin(9.0 * i)) > 0, 1.0, -1.0)


def logistic():
    """Newton's method from zero."""
    x, y = labels()
    design, penalty, v = np.column_stack([x, np.ones(8)]), np.diag([0.5, 0.5, 0]), np.zeros(3)
    for _ in range(50):
        p = 1 / (1 + np.exp(y * (design @ v)))
        v -= np.linalg.solve(design.T @ ((p * (1 - p))[:, np.newaxis] * design) + penalty, penalty @ v - design.T @ (y * p))
    return {**numbered("logistic.w", v[:2]), "logistic.b": v[2],
            "logistic.objective": np.sum(np.log1p(np.exp(-y * (design @ v)))) + 0.25 * v[:2] @ v[:2],
            "logistic.p": 1 / (1 + np.exp(-AT @ v[:2] - v[2]))}


def best_of_all_places(x, y, most):
    """alpha and b of the support vector machine with 0 <= alpha <= most: every assignment of the points to alpha = 0, to
    the margin's edge and to alpha = most (not where that is infinite) is tried, until the solution of one satisfies the
    conditions of the optimum."""
    q = (y[:, np.newaxis] * x) @ (y[:, np.newaxis] * x).T
    for places in itertools.product((0, 1, 2) if most < np.inf else (0, 1), repeat=len(y)):
        places = np.array(places)
        on, alpha = np.flatnonzero(places == 1), np.zeros(len(y))
        alpha[places == 2] = most
        if not 1 <= len(on) <= 3:  # in the plane no more are needed on the edges
            continue
        system = np.block([[q[np.ix_(on, on)], y[on, np.newaxis]], [y[np.newaxis, on], np.zeros((1, 1))]])
        found = np.linalg.lstsq(system, np.append(1 - q[on] @ alpha, -y @ alpha), rcond=None)[0]
        alpha[on], b = found[:-1], found[-1]
        margins = q @ alpha + b * y
        if (abs(y @ alpha) < 1e-9 and np.all(alpha >= -1e-9) and np.all(alpha <= most + 1e-9)
                and np.allclose(margins[on], 1, atol=1e-9) and np.all(margins[places == 0] >= 1 - 1e-9)
                and np.all(margins[places == 2] <= 1 + 1e-9)):
            return alpha, b
    raise AssertionError("no assignment is the optimum")


def hinge():
    x, y = labels()
    alpha, b = best_of_all_places(x, y, 2.0)
    w = x.T @ (alpha * y)
    margins = y * (x @ w + b)
    slack = np.maximum(0, 1 - margins)
    objective = np.sum(slack) + 0.25 * w @ w
    assert abs(objective - 0.5 * (np.sum(alpha) - 0.5 * w @ w)) < 1e-12  # there is no duality gap
    return {**numbered("hinge.w", w), "hinge.b": b, "hinge.objective": objective, **numbered("hinge.margin", margins),
            **numbered("hinge.slack", slack), **numbered("hinge.alpha", alpha), "hinge.support": np.sum(alpha > 1e-9),
            "hinge.street": 1 / np.linalg.norm(w), "hinge.distance": (AT @ w + b) / np.linalg.norm(w)}


def hard_margin():
    x, y = labels(separable=True)
    alpha, b = best_of_all_places(x, y, np.inf)
    w = x.T @ (alpha * y)
    return {**numbered("hard.w", w), "hard.b": b, "hard.objective": w @ w / 2, "hard.support": np.sum(alpha > 1e-9),
            "hard.street": np.min(y * (x @ w + b)) / np.linalg.norm(w)}


def selection():
    i, j = np.arange(16.0)[:, np.newaxis], np.arange(50.0)
    x, y = np.sin((i + 1) * (j + 2) * (i + j + 3)), np.cos(5 * (i[:, 0] + 1) ** 2)

    def pick(kept):
        return np.argsort([-abs(np.corrcoef(column[kept], y[kept])[0, 1]) for column in x.T])[:3]

    points = [np.arange(16) == row for row in range(16)]
    picked = pick(y > -9)
    return {**numbered("selection.picked", picked + 1),
            "selection.all_rows": np.mean([errors_without(x[:, picked], y, 0.1, out) ** 2 for out in points]),
            "selection.without_point": np.mean([errors_without(x[:, pick(~out)], y, 0.1, out) ** 2 for out in points]),
            "selection.variance": y.var()}


class Textbooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = os.path.join(os.environ["FREERIDGE_PROGRAMS"], "textbooks")
        done = subprocess.run([program], capture_output=True, text=True, check=True)
        assert done.stderr == "", done.stderr
        cls.found = {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}

    def test_numbers(self):
        expected = {}
        for part in (lines, quartic, kernel_trick, validation, rank_deficient, augmented, wide, subset_of_regressors,
                     offset, logistic, hinge, hard_margin, selection):
            expected |= part()
        self.assertEqual(sorted(self.found), sorted(expected))
        for name, value in expected.items():
            self.assertLessEqual(abs(self.found[name] - value), 1e-9 * max(1, abs(value)), name)

    def test_what_the_examples_show(self):
        found = self.found
        self.assertLess(found["ols.vertical"], found["tls.vertical"])
        self.assertLess(found["tls.orthogonal"], found["ols.orthogonal"])
        training, left_out = ([found[f"path.{which}.{k}"] for k in range(1, 9)] for which in ("training", "left_out"))
        self.assertEqual(training, sorted(training))  # the training error grows with lambda, the other one dips
        self.assertTrue(0 < np.argmin(left_out) < 7)
        self.assertTrue(all(a < b for a, b in zip(training, left_out)))
        self.assertGreater(np.linalg.norm([found["offset.b"]]), abs(found["penalised.b"]))
        self.assertLess(found["selection.all_rows"], 0.5 * found["selection.variance"])
        self.assertGreater(found["selection.without_point"], found["selection.variance"])

    def test_the_vignette_has_the_same_names(self):
        names = {re.sub(r"\.\d+$", "", name) for name in self.found}
        text = VIGNETTE.read_text(encoding="utf-8")
        kept = set(re.findall(r'^keep\("([\w.]+)"', text, re.M))
        self.assertEqual(kept, names)


if __name__ == "__main__":
    unittest.main(verbosity=2)
