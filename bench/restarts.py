"""Does the search for a kernel find the best REML that there is? Its end beside random starts, one problem a process:

    python3 bench/restarts.py problem=P [starts=25] [rows=200]

P: simulated:I, I = 1, 2, ... (simulated() below), or the path of a CSV file. `./dev bench restarts` tries 65 of them.
PYTHONPATH: python; FREERIDGE_LIBRARY: the library. Of a file `rows` rows at most are drawn, in an order that chance
picks, by a fixed seed; the response is the column y, else the last one; columns that are constant in these rows are
left out.

The kernel, what is free in it, and how it is learnt are the defaults of freeridge() in R: columns divided by their
standard deviations, a Matern 3/2 kernel with a length for each column, and from 2 to 30 columns its additive kernel
with the same lengths, whose weight is free; REML. With z = (log lambda - log size, u), u the logarithms of the lengths
and of the weight, the search minimises (capi/freeridge.h, freeridge_select_kernel)
    f(z) = REML + 1/2 sum_v (u_v - mean)^2 / s^2 over the lengths + 1/2 log(1 + spread / lambda),      s = 1/2
where size and spread are those of the kernel matrix of the first 64 rows. REML and its slopes are the library's, all
else is closed forms in NumPy, and the minimiser is SciPy's L-BFGS-B, within the bounds of the library's search; the
lowest lambda is where rounding begins at the kernel learnt. A start has lambda / size log-uniform in [10^-4, 10], and,
z normal, lengths sqrt(d) exp(z + 1.5 z_k), z_k for each column, and the weight exp(4 z).

  kind      "data set", or which of the eight kinds of simulated problems
  n, d      rows and columns
  learnt    f at the kernel learnt and its lambda
  lower     how much lower f is at the best of the starts
  slope     the largest entry of the projected gradient of f at the kernel learnt
  polished  how much lower L-BFGS-B gets from the kernel learnt
  off       the largest difference of the slopes of f from differences of f, relative, at a random place
  errors    by how much f + n / 2 log(LOO) is lower at the best of the starts: among minima with f within 6 of the
            lowest the library takes the one where this sum is least
  at        -1 / 1: lambda is at its low / high bound at the kernel learnt
  search, starts    seconds of the processor
"""
import sys
import time

import numpy as np
from scipy.optimize import minimize

import freeridge as fr

SHRINKAGE, SIZE_ROWS, MOST_TERMS = 0.5, 64, 30
MOST_ROWS = 256  # of more rows the library draws those that say the size
NO_VALUE = 1e10  # f where REML has no value
ROOT3 = 3**0.5


KINDS = ("additive", "nearly additive", "steep and a wiggle", "interaction", "slope and a wiggle", "two factors",
         "skewed, hours, a factor", "wiggle in a part")


def simulated(i):
    """Problem i: x and y, 30 to 240 rows, 2 to 15 columns, three sizes of noise. What is no part of f says nothing."""
    rng = np.random.default_rng(i)
    n, d = (30, 50, 80, 120, 160, 240)[i % 6], 2 + i % 7
    x = rng.uniform(-2, 2, (n, d)) if i % 3 == 0 else rng.standard_normal((n, d))
    a, b = x[:, 0].copy(), x[:, 1].copy()

    def levels(*shares):
        """A factor: its codes, and a column for each level."""
        code = rng.choice(len(shares), n, p=np.array(shares) / sum(shares))
        return code, (code[:, None] == np.arange(len(shares))).astype(float)

    kind = KINDS[i % len(KINDS)]
    if kind == "additive":
        f = np.sin(2 * a) + b**2 / 2
    elif kind == "nearly additive":
        f = np.sin(2 * a) + b + 0.3 * a * b
    elif kind == "steep and a wiggle":  # in two columns
        f = 5 * a + 0.5 * np.sin(6 * b)
    elif kind == "interaction":
        f = a * b
    elif kind == "slope and a wiggle":  # in one column
        f = 2 * a + np.cos(4 * a) / 2
    elif kind == "two factors":
        (g, of_g), (h, of_h) = levels(1, 1, 1, 1), levels(6, 3, 1)
        x = np.hstack([x, of_g, of_h])
        f = np.array([0, 3, -1, 6])[g] + 2 * a + np.sin(3 * b) * (h == 0)
    elif kind == "skewed, hours, a factor":
        x[:, 0] = a = rng.exponential(5, n)
        x[:, 1] = hour = rng.integers(0, 24, n)
        g, of_g = levels(1, 5, 2, 2)
        x = np.hstack([x, of_g])
        f = 4 + 2.5 * a + 6 * np.sin(np.pi * hour / 12) ** 2 + 3 * (g == 1)
    else:
        f = np.exp(a) + np.abs(b) + np.sin(5 * x[:, d - 1]) * (a > 0)
    noise = (0.05, 0.15, 0.5)[i % 3] * f.std()
    return x, f + noise * rng.standard_normal(n)


def of_file(path, rows):
    with open(path) as file:
        names = file.readline().strip().split(",")
    data = np.loadtxt(path, delimiter=",", skiprows=1)
    data = data[np.random.default_rng(1).permutation(len(data))[:rows]]
    response = names.index("y") if "y" in names else len(names) - 1
    return np.delete(data, response, 1), data[:, response]


class Problem:
    """f and its gradient."""

    def __init__(self, x, y):
        x = x[:, np.ptp(x, axis=0) > 0]
        if len(x) > MOST_ROWS:
            raise ValueError(f"{len(x)} rows; at most {MOST_ROWS} are compared")
        self.n, self.d = x.shape
        self.x = x / x.std(0, ddof=1)
        matern = fr.matern(1.5, 1.0)
        self.additive = 2 <= self.d <= MOST_TERMS
        inner = fr.sum_kernel([matern, matern.additive()]) if self.additive else matern
        # The numbers of the kernel: d lengths, then, of a sum, weight, length, weight, length.
        self.given = inner.scaled(np.ones(self.d))
        label = [*range(self.d), *([-1, -1, self.d, -1] if self.additive else [-1])]
        self.model = fr.Model(self.given, self.x, y, factorize=False)
        begin = time.process_time()
        self.learnt = self.model.select_kernel(fr.REML, label)
        self.seconds = time.process_time() - begin
        self.free = np.flatnonzero(np.array(label) >= 0)
        kernel, lambda_ = self.model.kernel(), self.model.lambdas()[0]
        self.z = np.r_[np.log(lambda_ / self.size(kernel)), np.log(kernel.hyperparameters[self.free])]
        rounding = self.model.search().lambdas.min()  # where the range of lambdas begins
        self.low = np.r_[np.log(rounding / self.size(kernel)), np.log(self.learnt.low[self.free])]
        self.high = np.r_[np.log(1000 * self.n), np.log(self.learnt.high[self.free])]
        some = self.x[:SIZE_ROWS]
        pairs = np.triu_indices(len(some), 1)
        self.squares = (some[pairs[0]] - some[pairs[1]]) ** 2
        self.share = 2 / len(some) ** 2  # of a pair in a mean over all pairs, both orders and each row with itself
        self.asked = fr.Model(kernel, self.x, y, factorize=False)

    def size(self, kernel):
        return 1 + kernel.hyperparameters[-2] if self.additive else 1.0

    def kernel_at(self, z):
        values = self.given.hyperparameters
        values[self.free] = np.exp(z[1:])
        return self.given.with_hyperparameters(values)

    def spread(self, z):
        """Mean of k(x, x) less that of k(x, z) over some rows, and its slopes by u. (1 + sqrt(3) r) exp(-sqrt(3) r),
        r^2 the sum of q_k = (x_k - z_k)^2 / length_k^2, has the slope 3 q_k exp(-sqrt(3) r) by log length_k."""
        q = self.squares * np.exp(-2 * z[1:self.d + 1])
        r = ROOT3 * np.sqrt(q.sum(1))
        decay = np.exp(-r)
        value, slopes = self.share * (1 - (1 + r) * decay).sum(), -3 * self.share * (decay @ q)
        if not self.additive:
            return value, slopes
        weight = np.exp(z[-1])
        r = ROOT3 * np.sqrt(q)
        decay = np.exp(-r)
        of_terms = weight * self.share * (1 - (1 + r) * decay).mean(1).sum()
        slopes -= 3 * weight * self.share * (q * decay).sum(0) / self.d
        return value + of_terms, np.r_[slopes, of_terms]

    def __call__(self, z):
        weight = np.exp(z[-1]) if self.additive else 0.0
        lambda_ = np.exp(z[0]) * (1 + weight)
        try:
            found = self.asked.set_kernel(self.kernel_at(z)).score_gradient(fr.REML, lambda_)
        except fr.Error:
            return NO_VALUE, np.zeros_like(z)
        f, by_lambda, slopes = found.score, found.by_log_lambda, found.by_log_hyperparameters[self.free].copy()
        spread, of_spread = self.spread(z)
        f += np.log1p(spread / lambda_) / 2
        by_lambda -= spread / (lambda_ + spread) / 2
        slopes += of_spread / (lambda_ + spread) / 2
        if self.additive:
            slopes[-1] += by_lambda * weight / (1 + weight)
        away = z[1:self.d + 1] - z[1:self.d + 1].mean()
        f += (away @ away) / SHRINKAGE**2 / 2
        slopes[:self.d] += away / SHRINKAGE**2
        return f, np.r_[by_lambda, slopes]

    def from_start(self, z):
        found = minimize(self, np.clip(z, self.low, self.high), jac=True, method="L-BFGS-B",
                         bounds=list(zip(self.low, self.high)), options=dict(maxiter=500, ftol=1e-8, gtol=1e-4))
        return found.fun, found.x

    def start(self, rng):
        lengths = np.log(self.d) / 2 + rng.standard_normal() + 1.5 * rng.standard_normal(self.d)
        weight = [4 * rng.standard_normal()] if self.additive else []
        return np.r_[rng.uniform(np.log(1e-4), np.log(10)), lengths, weight]

    def with_errors(self, z):
        """f + n / 2 log(LOO)."""
        kernel, lambda_ = self.kernel_at(z), np.exp(z[0])
        self.asked.set_kernel(kernel).factorize()
        loo = self.asked.score(fr.LOO, [lambda_ * self.size(kernel)])[0, 0]
        return self(z)[0] + self.n / 2 * np.log(loo)

    def slope(self, z):
        return np.abs(np.clip(z - self(z)[1], self.low, self.high) - z).max()

    def off(self, z):
        z, step = np.clip(z, self.low + 1e-2, self.high - 1e-2), 1e-4
        slopes = self(z)[1]
        differences = [(self(z + e)[0] - self(z - e)[0]) / (2 * step) for e in step * np.eye(len(z))]
        return np.abs(slopes - differences).max() / np.abs(slopes).max()


def compare(x, y, starts):
    problem, rng = Problem(x, y), np.random.default_rng(1)
    learnt, _ = problem(problem.z)
    begin = time.process_time()
    found = [problem.from_start(problem.start(rng)) for _ in range(starts)]
    seconds = time.process_time() - begin
    best, place = min(found, key=lambda each: each[0])
    return dict(n=problem.n, d=problem.d, learnt=learnt, lower=learnt - best, slope=problem.slope(problem.z),
                polished=learnt - problem.from_start(problem.z)[0], off=problem.off(problem.start(rng)),
                errors=problem.with_errors(problem.z) - problem.with_errors(place), at=problem.learnt.lambda_at,
                search=problem.seconds, starts=seconds)


def main():
    arguments = dict(argument.split("=", 1) for argument in sys.argv[1:])
    name, _, number = arguments["problem"].partition(":")
    if name == "simulated":
        kind, (x, y) = KINDS[int(number) % len(KINDS)], simulated(int(number))
    else:
        kind, (x, y) = "data set", of_file(name, int(arguments.get("rows", 200)))
    print("kind", kind)
    for name, value in compare(x, y, int(arguments.get("starts", 25))).items():
        print(name, repr(float(value)))


if __name__ == "__main__":
    main()
