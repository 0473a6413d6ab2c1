"""The slow, obvious model: answers by their definitions, every fit by Gaussian elimination in long double on

    [ K + lambda W^-1   1 ] [c]   [Y]
    [ 1'                0 ] [b] = [0]        (without intercept: the first block alone)

and every row or group left out by fitting again without it. With landmarks R the kernel is the restricted one,
k(x, X_R) K_RR^+ k(X_R, z). Nothing here is shared with the library.
"""

import math

import numpy as np

Real = np.longdouble


def eliminate(a, b):
    """x of a x = b, by elimination with pivoting; None when a is singular."""
    a, b = a.astype(Real).copy(), b.astype(Real).copy()
    n = len(a)
    for k in range(n):
        p = k + int(np.argmax(np.abs(a[k:, k])))
        if a[p, k] == 0:
            return None
        a[[k, p]], b[[k, p]] = a[[p, k]], b[[p, k]]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            b[i] -= factor * b[k]
    x = np.zeros_like(b)
    for k in reversed(range(n)):
        x[k] = (b[k] - a[k, k + 1:] @ x[k + 1:]) / a[k, k]
    return x


class KernelSpec:
    """A kernel as its text, and as a function. `family` takes the bandwidth, if it has one."""

    def __init__(self, name, sigma=None, columns=None):
        self.name, self.sigma, self.columns = name, sigma, columns

    def text(self):
        inner = {"linear": "linear()", "polynomial": "polynomial(degree = 2, scale = 0.5, offset = 1)",
                 "precomputed": "precomputed()", "gaussian": f"gaussian(sigma = {self.sigma!r})",
                 "laplacian": f"laplacian(sigma = {self.sigma!r})",
                 "matern": f"matern(nu = 1.5, length = {self.sigma!r})",
                 "mixed": f"0.5 * linear() + 1 * gaussian(sigma = {self.sigma!r})"}[self.name]
        if self.columns is None:
            return inner
        return f"scaled([{', '.join(map(repr, self.columns))}], {inner})"

    def __repr__(self):
        return self.text()

    @property
    def linear(self):
        return self.name == "linear"

    def with_sigma(self, sigma):
        return KernelSpec(self.name, sigma, self.columns)

    def matrix(self, x, z):
        if self.name == "precomputed":
            raise TypeError("the values of a precomputed kernel are the data")
        x, z = np.asarray(x, Real), np.asarray(z, Real)
        if self.columns is not None:
            x, z = x / np.array(self.columns, Real), z / np.array(self.columns, Real)
        products = x @ z.T
        squares = ((x[:, None, :] - z[None, :, :]) ** 2).sum(axis=2)
        s = Real(1 if self.sigma is None else self.sigma)
        if self.name == "linear":
            return products
        if self.name == "polynomial":
            return (products / 2 + 1) ** 2
        if self.name == "gaussian":
            return np.exp(-squares / s ** 2)
        if self.name == "laplacian":
            return np.exp(-np.sqrt(squares) / s)
        if self.name == "matern":
            u = np.sqrt(Real(3)) * np.sqrt(squares) / s
            return (1 + u) * np.exp(-u)
        return products / 2 + np.exp(-squares / s ** 2)


class Dense:
    """(1) of freeridge.h for a symmetric K (n x n), Y (n x t), weights (None: one) and an intercept or not."""

    def __init__(self, k, y, weights=None, intercept=True):
        self.k, self.y = np.asarray(k, Real), np.asarray(y, Real)
        self.n, self.t = self.y.shape
        self.w = np.ones(self.n, Real) if weights is None else np.asarray(weights, Real)
        self.intercept = intercept

    def fit(self, value, rows=None, y=None):
        """c (n x t, zero in rows that are left out) and b, or None where there is no answer."""
        rows = np.arange(self.n) if rows is None else np.asarray(rows, int)
        y = self.y if y is None else np.asarray(y, Real)
        size, one = len(rows), int(self.intercept)
        c, b = np.zeros(y.shape, Real), np.zeros(y.shape[1], Real)
        if size == 0:
            return None if self.intercept else (c, b)
        a, right = np.zeros((size + one, size + one), Real), np.zeros((size + one, y.shape[1]), Real)
        a[:size, :size] = self.k[np.ix_(rows, rows)] + Real(value) * np.diag(1 / self.w[rows])
        if one:
            a[:size, size] = a[size, :size] = 1
        right[:size] = y[rows]
        solution = eliminate(a, right)
        if solution is None:
            return None
        c[rows] = solution[:size]
        if one:
            b = solution[size]
        return c, b

    def fitted(self, value):
        c, b = self.fit(value)
        return self.k @ c + b

    def left_out(self, value, labels):
        """Y - prediction of the rows of each label, fitted again without them."""
        labels = np.asarray(labels)
        out = np.full((self.n, self.t), np.nan, Real)
        for label in set(labels[labels >= 0].tolist()):
            fit = self.fit(value, np.flatnonzero(labels != label))
            if fit is not None:
                rows = labels == label
                out[rows] = self.y[rows] - (self.k[rows] @ fit[0] + fit[1])
        return out

    def loo(self, value):
        return self.left_out(value, np.arange(self.n))

    def hat(self, value):
        c, b = self.fit(value, y=np.eye(self.n))
        return self.k @ c + b

    def projection(self, value):
        """P_M of docs/numerics.md: c = P_M Y."""
        return self.fit(value, y=np.eye(self.n))[0]

    def score(self, criterion, value, groups=None):
        """LOO, GCV, REML, GROUPS (1 to 4) for each output; NaN where there is none."""
        if criterion in (1, 4):
            labels = np.arange(self.n) if criterion == 1 else np.asarray(groups)
            errors, used = self.left_out(value, labels), labels >= 0
            return (self.w[used] @ errors[used] ** 2) / self.w[used].sum()
        if criterion == 2:
            trace = self.n - np.trace(self.hat(value))
            residual = self.y - self.fitted(value)
            return self.n * (self.w @ residual ** 2) / trace ** 2 if trace > 0 else np.full(self.t, np.nan)
        m = self.n - int(self.intercept)
        if m == 0:
            return np.full(self.t, np.nan)
        c = self.fit(value)[0]
        matrix = self.k + Real(value) * np.diag(1 / self.w)
        determinant = log_determinant(matrix)
        if self.intercept:
            determinant += np.log(eliminate(matrix, np.ones((self.n, 1))).sum())
        s2 = (self.y * c).sum(axis=0) / m
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(s2 > 0, (m * np.log(2 * np.pi * s2) + m + determinant) / 2, np.nan)

    def freedom(self, value):
        """df and sigma2."""
        df = np.trace(self.hat(value))
        return df, self.w @ (self.y - self.fitted(value)) ** 2 / (self.n - df)

    def cooks_distance(self, value):
        df, sigma2 = self.freedom(value)
        h = np.diag(self.hat(value))[:, None]
        return self.w[:, None] * self.loo(value) ** 2 * h / (df * sigma2)

    def jackknife(self, value, k_new, level):
        """lower and upper at new points with kernel values k_new (m x n), by fits without each point."""
        m = len(k_new)
        values = np.empty((self.n, m, self.t), Real)
        for i in range(self.n):
            c, b = self.fit(value, [r for r in range(self.n) if r != i])
            values[i] = k_new @ c + b
        e = np.abs(self.loo(value))[:, None, :]
        low, high = np.sort(values - e, axis=0), np.sort(values + e, axis=0)
        product = level * (self.n + 1)
        rank = round(product) if abs(product - round(product)) < 1e-9 else math.ceil(product)
        lower = low[self.n - rank] if 1 <= self.n + 1 - rank <= self.n else np.full((m, self.t), -np.inf)
        upper = high[rank - 1] if 1 <= rank <= self.n else np.full((m, self.t), np.inf)
        return lower, upper

    def variance(self, value, k_new, k_self):
        """of f(x) + b (m x t), and of the noise."""
        m = self.n - int(self.intercept)
        tau2 = (self.y * self.fit(value)[0]).sum(axis=0) / m
        matrix = self.k + Real(value) * np.diag(1 / self.w)
        inner = eliminate(matrix, k_new.T)
        v = k_self - (k_new.T * inner).sum(axis=0)
        if self.intercept:
            v += (1 - inner.sum(axis=0)) ** 2 / eliminate(matrix, np.ones((self.n, 1))).sum()
        return np.outer(v, tau2), Real(value) * tau2


def log_determinant(matrix):
    """Of a positive definite matrix, by elimination."""
    a, total = matrix.astype(Real).copy(), Real(0)
    for k in range(len(a)):
        total += np.log(a[k, k])
        for i in range(k + 1, len(a)):
            a[i, k:] -= a[i, k] / a[k, k] * a[k, k:]
    return total


def restriction(k_rr):
    """T with T T' = K_RR^+ on a largest set of landmarks that are independent within 1e-11: pivoted Cholesky."""
    left, kept = np.array(k_rr, Real), []
    largest = max(left.diagonal().max(), Real(0))
    while len(kept) < len(left):
        pivot = int(np.argmax(left.diagonal()))
        if not left[pivot, pivot] > 1e-11 * largest:
            break
        kept.append(pivot)
        left = left - np.outer(left[:, pivot], left[pivot]) / left[pivot, pivot]
    inverse = np.zeros_like(left)
    if kept:
        inverse[np.ix_(kept, kept)] = eliminate(np.asarray(k_rr)[np.ix_(kept, kept)], np.eye(len(kept)))
    return inverse


