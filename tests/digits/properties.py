"""Random problems, refits by brute force, and a comparison that remembers: what the tests of properties share.

A refit is by numpy alone: an SVD of the rows of [X_c; lambda^(1/2) I], weighted and centred (lambda = 0: that of a rank
which is known), or the kernel's system [K + lambda W^-1, 1; 1', 0] by elimination.
"""

import itertools
import unittest

import numpy as np

import freeridge as fr

SEEDS = 200
TOLERANCE = 1e-10
LINEAR_ROUTES = (fr.ROUTE_PRIMAL, fr.ROUTE_SPECTRAL, fr.ROUTE_CHOLESKY, fr.ROUTE_BAND)
KERNEL_ROUTES = (fr.ROUTE_SPECTRAL, fr.ROUTE_CHOLESKY, fr.ROUTE_BAND)
ZERO_ROUTES = (fr.ROUTE_PRIMAL, fr.ROUTE_SPECTRAL)  # those with an answer at lambda = 0 whatever the rank


class Problem:
    """n x d random normal x, t outputs of about one, an intercept that matters, weights or none."""

    def __init__(self, seed, n, d, t=2, intercept=True, weighted=False):
        self.random = np.random.default_rng([seed, n, d])
        self.x = self.random.normal(size=(n, d)) + self.random.normal(size=d)
        self.y = self.x @ self.random.normal(size=(d, t)) / np.sqrt(d) + 0.5 * self.random.normal(size=(n, t)) + 1.0
        self.weights = self.random.uniform(0.3, 3.0, n) if weighted else None
        self.intercept = intercept

    def model(self, kernel=None, route=fr.ROUTE_AUTO):
        return fr.Model(fr.linear() if kernel is None else kernel, self.x, self.y, self.weights, self.intercept, route)


def each_problem(shapes=((12, 4), (4, 12)), t=2, weights=(False, True)):
    """Every seed, with each shape, intercept and weights on and off."""
    for seed in range(SEEDS):
        for (n, d), intercept, weighted in itertools.product(shapes, (True, False), weights):
            yield Problem(seed, n, d, t, intercept, weighted)


def refits(x, y, lam, intercept, weights, rank=None):
    """w (k x d x t) and b (k x t) with each of the k rows of weights; a weight of zero is a row left out."""
    k, (n, d) = len(weights), x.shape
    total = weights.sum(axis=1, keepdims=True)
    x_mean, y_mean = (weights @ a / total if intercept else np.zeros((k, a.shape[1])) for a in (x, y))
    root = np.sqrt(weights)[:, :, np.newaxis]
    a, rhs = root * (x - x_mean[:, np.newaxis]), root * (y - y_mean[:, np.newaxis])
    if lam > 0:
        a = np.concatenate([a, np.broadcast_to(np.sqrt(lam) * np.eye(d), (k, d, d))], axis=1)
        rhs = np.concatenate([rhs, np.zeros((k, d, y.shape[1]))], axis=1)
        rank = d
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    u, s, vt = u[:, :, :rank], s[:, :rank, np.newaxis], vt[:, :rank]
    w = vt.transpose(0, 2, 1) @ (u.transpose(0, 2, 1) @ rhs / s)
    return w, y_mean - np.einsum("kd,kdt->kt", x_mean, w)


def refit(x, y, lam, intercept=True, weights=None):
    """w (d x t) and b; lam = 0: of minimum norm |w|, x having all the rank that there can be."""
    n, d = x.shape
    weights = np.ones(n) if weights is None else weights
    w, b = refits(x, y, lam, intercept, weights[np.newaxis], min(n - int(intercept), d))
    return w[0], b[0]


def kernel_refit(k, y, lam, intercept=True, weights=None):
    """c (n x t) and b."""
    n = len(k)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = k + lam * np.diag(np.ones(n) if weights is None else 1.0 / weights)
    system[:n, n] = system[n, :n] = float(intercept)
    system[n, n] = 0.0 if intercept else 1.0
    solution = np.linalg.solve(system, np.vstack([y, np.zeros((1, y.shape[1]))]))
    return solution[:n], solution[n] if intercept else np.zeros(y.shape[1])


def left_out(fit_rows, x, y, groups=None):
    """y minus what fit_rows(rows) -> (x -> values) says of the rows of each group without them."""
    groups = np.arange(len(y)) if groups is None else groups
    out = np.full(y.shape, np.nan)
    for label in np.unique(groups[groups >= 0]):
        out[groups == label] = y[groups == label] - fit_rows(groups != label)(x[groups == label])
    return out


def ridge_left_out(problem, lam, groups=None):
    """The same of ridge regression, all groups at once."""
    x, y, n = problem.x, problem.y, len(problem.y)
    groups = np.arange(n) if groups is None else groups
    labels = np.unique(groups)
    kept = (groups != labels[:, np.newaxis]) * (np.ones(n) if problem.weights is None else problem.weights)
    left = min(np.count_nonzero(row) for row in kept)  # all groups are of one size where lam = 0
    w, b = refits(x, y, lam, problem.intercept, kept, min(left - int(problem.intercept), x.shape[1]))
    which = np.searchsorted(labels, groups)
    return y - (np.einsum("nd,ndt->nt", x, w[which]) + b[which])


def gaussian(x, z, sigma):
    return np.exp(-((x[:, np.newaxis] - z) ** 2).sum(axis=2) / sigma**2)


def regression(name, x, y, *arguments, intercept=True):
    """ols and ridge: w, b."""
    found = getattr(fr, name)(x, y, *arguments, intercept=intercept)
    return found.w, found.b


class Properties(unittest.TestCase):
    """assert_close keeps the largest difference of each test, and says it at the end."""

    def setUp(self):
        self.largest, self.compared = 0.0, 0

    def tearDown(self):
        if self.compared:
            name = self.id().split(".", 1)[1]
            print(f"property {name}: {self.compared} comparisons, at most {self.largest:.1e} apart")

    def assert_close(self, actual, expected, tolerance=TOLERANCE):
        """The largest difference, relative to the largest expected magnitude, column by column."""
        actual, expected = np.asarray(actual), np.asarray(expected)
        self.assertEqual(actual.shape, expected.shape)
        size = np.max(np.abs(expected), axis=0)
        difference = np.max(np.max(np.abs(actual - expected), axis=0) / np.where(size > 0, size, 1.0))
        self.assertLessEqual(difference, tolerance)
        self.largest, self.compared = max(self.largest, float(difference)), self.compared + 1

    def assert_plane(self, model, w, b):
        self.assert_same_plane((model.hyperplane(), model.intercept()), w, b)

    def assert_same_plane(self, found, w, b):
        """w and b together: b is the mean of y less that of x'w, and may all but vanish."""
        self.assert_close(np.vstack(found), np.vstack([w, b]))

    def assert_same(self, actual, expected):
        self.assertTrue(np.array_equal(actual, expected))
        self.compared += 1
