"""All points without a factorization: the route ITERATIVE beside others, in one run each.

    python3 bench/iterative.py solutions FOLDER [rows=1500] [accuracy=1e-9]      c against exact solutions, and its bound
    python3 bench/iterative.py band FOLDER [rows=10000] [accuracy=1e-10]         LOO at 5 lambdas and c, beside BAND
    python3 bench/iterative.py landmarks FOLDER [rows=8000] [share=0.75]         test errors beside landmarks of equal time
    python3 bench/iterative.py kernel_ridge [rows=10000] [lambda=0.1] [accuracy=1e-6]      beside scikit-learn's KernelRidge
    python3 bench/iterative.py memory [rows=100000] [lambda=0.1] [accuracy=1e-6] [estimate=0]   one lambda, synthetic rows

FOLDER: <set>.csv, one header line, the response last. PYTHONPATH: python; FREERIDGE_LIBRARY: the library. Columns and response
are divided by their standard deviations; Gaussian kernels, intercept. Seconds are those of the processor.
"""
import os
import re
import resource
import sys
import time

import numpy as np
from scipy.linalg import cho_factor, cho_solve

import freeridge as fr
from estimates import median_distance, problem

SETS = ("concrete", "energy", "yacht", "airfoil", "abalone", "diabetes", "wine_red", "power_plant", "california", "prostate",
        "pima", "banknote")


def model(x, y, sigma, route, accuracy=None):
    made = fr.Model(fr.gaussian(sigma), x, y, route=route, factorize=False)
    return made.set_accuracy(accuracy) if accuracy and route == fr.ROUTE_ITERATIVE else made


def taken(call):
    begin = time.process_time()
    answer = call()
    return answer, time.process_time() - begin


def kernel_matrix(x, sigma):
    """In the widest floats that there are: 64 bits of mantissa on x86."""
    k = np.zeros((len(x), len(x)), np.longdouble)
    for column in x.T.astype(np.longdouble):
        k += (column[:, None] - column) ** 2
    return np.exp(-k / np.longdouble(sigma) ** 2)


class Exact:
    """c of (K + lambda I) c + b 1 = y, 1'c = 0: Cholesky in double precision, refined with residuals in wider floats."""

    def __init__(self, k, y, lambda_):
        self.g = k + np.longdouble(lambda_) * np.eye(len(k), dtype=np.longdouble)
        factor = cho_factor(self.g.astype(float), lower=True)
        ones = cho_solve(factor, np.ones(len(k)))
        self.c = np.zeros(len(k), np.longdouble)
        b = np.longdouble(0)
        for _ in range(30):
            residual = y - self.g @ self.c - b
            step = cho_solve(factor, residual.astype(float))
            more = (step.sum() + float(self.c.sum())) / ones.sum()
            self.c += step - more * ones
            b += more
            if self.norm(step - more * ones) < 1e-15 * self.norm(self.c):
                break

    def norm(self, v):
        return float(np.sqrt(v @ (self.g @ v)))


def solutions(folder, rows="1500", accuracy="1e-9"):
    """c to the accuracy, or what can be reached, at the lambda that LOO chooses and that times 0.01 and 100. error: |c - c*|_G / |c*|_G;
    largest: max |c - c*| / max |c*|; bound: what accuracy() says; ratio: the bound over the error; spectral: error of SPECTRAL."""
    print("| set | rows | lambda | error | largest | bound | ratio | SPECTRAL |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in SETS:
        path = folder if os.path.exists(os.path.join(folder, name + ".csv")) else os.path.join(folder, "../classification")
        x, y = problem(path, name, int(rows), 1)
        sigma = median_distance(x)
        spectral = model(x, y, sigma, fr.ROUTE_SPECTRAL).factorize()
        chosen = spectral.select_lambda(fr.LOO).lambdas[0]
        ours = model(x, y, sigma, fr.ROUTE_ITERATIVE, float(accuracy)).factorize()
        k = kernel_matrix(x, sigma)
        for lambda_ in (100 * chosen, chosen, chosen / 100):
            line = f"| {name} | {len(x)} | {lambda_:.2g} |"
            try:
                c = ours.set_lambda(lambda_).coefficients()[:, 0]
            except fr.Error as error:
                print(line, f"NOT_CONVERGED: {re.search('certain to ([^ ]*)', str(error))[1]} | | | | |", flush=True)
                continue
            truth = Exact(k, y, lambda_)
            size, error = truth.norm(truth.c), truth.norm(c - truth.c)
            largest = float(abs(c - truth.c).max() / abs(truth.c).max())
            of_spectral = truth.norm(spectral.set_lambda(lambda_).coefficients()[:, 0] - truth.c) / size
            bound = ours.accuracy()[0]
            print(line, f"{error / size:.1e} | {largest:.1e} | {bound:.1e} | {bound / (error / size):.2f} | {of_spectral:.0e} |",
                  flush=True)


def band(folder, rows="10000", accuracy="1e-10"):
    """California housing: the factorization, LOO at 5 lambdas and c at one of them, of both routes in turn."""
    x, y = problem(folder, "california", int(rows), 1)
    lambdas = (1, 0.3, 0.1, 0.03, 0.01)
    print("| route | factorize | LOO at 5 lambdas | c at 0.03 | together |\n| --- | --- | --- | --- | --- |")
    scores, c = {}, {}
    for route, name in ((fr.ROUTE_ITERATIVE, "ITERATIVE"), (fr.ROUTE_BAND, "BAND")):
        ours = model(x, y, 3, route, float(accuracy))
        _, first = taken(ours.factorize)
        if route == fr.ROUTE_ITERATIVE:
            scores[name], second = taken(lambda: ours.estimate_score(fr.LOO, lambdas))
        else:
            scores[name], second = taken(lambda: ours.score(fr.LOO, lambdas))
        c[name], third = taken(lambda: ours.set_lambda(0.03).coefficients()[:, 0])
        print(f"| {name} | {first:.2f} | {second:.2f} | {third:.2f} | {first + second + third:.2f} |", flush=True)
        if route == fr.ROUTE_ITERATIVE:
            print("bound", ours.accuracy()[0])
    estimate, exact = scores["ITERATIVE"], scores["BAND"][:, 0]
    print("LOO of BAND", exact)
    print("errors of LOO, in %", 100 * (estimate.scores[:, 0] / exact - 1))
    print("standard errors, in %", 100 * estimate.errors[:, 0] / exact)
    print("largest difference of c over its largest number", abs(c["ITERATIVE"] - c["BAND"]).max() / abs(c["BAND"]).max())


def of_equal_time(run, seconds, most):
    """(r, seconds, answer) of that number of landmarks r <= most whose seconds are nearest to those wanted: run(r) = (answer,
    seconds) is tried with r doubled, then interpolated in the logarithms of both, until it is within a tenth, 12 times at most."""
    tried = {}
    r = min(200, most)
    while r not in tried and len(tried) < 12:
        tried[r] = run(r)
        if abs(tried[r][1] / seconds - 1) <= 0.1:
            break
        below = max((k for k in tried if tried[k][1] <= seconds), default=0)
        above = min((k for k in tried if k > below), default=0)
        if above == 0:
            r = min(2 * below, most)
        elif below == 0:
            r = max(above // 2, 1)
        else:
            way = np.log(seconds / tried[below][1]) / np.log(tried[above][1] / tried[below][1])
            r = round(below * (above / below) ** way)
    best = min(tried, key=lambda k: abs(np.log(tried[k][1] / seconds)))
    return best, tried[best][1], tried[best][0]


def landmarks(folder, rows="8000", share="0.75"):
    """Lambda by LOO with all points, and with as many landmarks as take the same time within a tenth, or what came nearest to it;
    seconds: the least of two runs. sigma by LOO with 300 landmarks, not counted. Errors at the other points, over the standard
    deviation of y; the standard error of their difference, over the same."""
    print("| set | rows | sigma | seconds | error | landmarks | seconds | error | difference, its standard error |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in ("california", "power_plant", "abalone", "wine_red", "airfoil"):
        x, y = problem(folder, name, int(rows), 1)
        n = int(float(share) * len(x))
        x_test, y_test = x[n:], y[n:]

        def errors(made):
            return (made.predict(x_test)[:, 0] - y_test) ** 2

        def chosen(made):
            made.factorize()
            made.set_lambda(made.select_lambda(fr.LOO).lambdas[0])
            return made

        def with_landmarks(sigma, r):
            return fr.Model(fr.gaussian(sigma), x[:n], y[:n], factorize=False).set_landmarks(r)

        sigma = with_landmarks(median_distance(x), 300).select_bandwidth(fr.LOO).sigma

        def least_of_two(make):
            once, twice = (taken(lambda: chosen(make())) for _ in range(2))
            return errors(once[0]), min(once[1], twice[1])

        of_all, seconds = least_of_two(lambda: model(x[:n], y[:n], sigma, fr.ROUTE_ITERATIVE, 1e-6))
        r, used, theirs = of_equal_time(lambda r: least_of_two(lambda: with_landmarks(sigma, r)), seconds, n)
        difference = np.sqrt(of_all.mean()) - np.sqrt(theirs.mean())
        deviation = (of_all - theirs).std() / np.sqrt(len(y_test)) / (2 * np.sqrt(theirs.mean()))
        print(f"| {name} | {n} | {sigma:.2f} | {seconds:.2f} | {np.sqrt(of_all.mean()):.4f} | {r} | {used:.2f} | "
              f"{np.sqrt(theirs.mean()):.4f} | {difference:.4f}, {deviation:.4f} |", flush=True)


def synthetic(rows):
    """Normal x of 8 columns, y, and the median distance of two rows."""
    random = np.random.default_rng(1)
    x = random.standard_normal((rows, 8))
    y = np.sin(x[:, 0]) + x[:, 1] * x[:, 2] / 2 + 0.3 * random.standard_normal(rows)
    return x, y, median_distance(x)


def most_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def kernel_ridge(rows="10000", lambda_="0.1", accuracy="1e-6"):
    """Synthetic rows, one lambda, no intercept, which scikit-learn's KernelRidge does not have: seconds, and MiB beyond the data."""
    from sklearn.kernel_ridge import KernelRidge
    x, y, sigma = synthetic(int(float(rows)))
    before = most_memory()
    ours = fr.Model(fr.gaussian(sigma), x, y, intercept=False, route=fr.ROUTE_ITERATIVE, factorize=False)
    _, seconds = taken(lambda: ours.set_accuracy(float(accuracy)).factorize().set_lambda(float(lambda_)))
    c, between = ours.coefficients()[:, 0], most_memory()
    theirs = KernelRidge(alpha=float(lambda_), kernel="rbf", gamma=1 / sigma ** 2)
    _, theirs_seconds = taken(lambda: theirs.fit(x, y))
    print(f"| {len(x)} | {seconds:.1f} | {theirs_seconds:.1f} | {theirs_seconds / seconds:.1f} | {between - before:.0f} | "
          f"{most_memory() - before:.0f} | {abs(c - theirs.dual_coef_).max() / abs(c).max():.0e} |", flush=True)


def memory(rows="100000", lambda_="0.1", accuracy="1e-6", estimate="0"):
    """Synthetic rows: one lambda, seconds and the most memory beside Python's and the data's."""
    n = int(float(rows))
    x, y, sigma = synthetic(n)
    before = most_memory()
    ours = model(x, y, sigma, fr.ROUTE_ITERATIVE, float(accuracy))
    required = ours.memory_required()
    _, first = taken(ours.factorize)
    _, second = taken(lambda: ours.set_lambda(float(lambda_)))
    beyond = most_memory() - before
    r = max(512, int(np.sqrt(32 * n)))
    print(f"n = {n}, r = {r}: factorize {first:.1f} s, c at {lambda_} {second:.1f} s, bound {ours.accuracy()[0]:.1e}")
    print(f"{beyond:.0f} MiB beyond the data, 8 n r = {8 * n * r / 2 ** 20:.0f} MiB; announced {required / 2 ** 20:.0f} MiB")
    if estimate != "0":
        scores, third = taken(lambda: ours.estimate_score(fr.LOO, [float(lambda_)]))
        print(f"LOO {scores.scores[0, 0]:.5f}, standard error {scores.errors[0, 0]:.5f}: {third:.1f} s")


if __name__ == "__main__":
    globals()[sys.argv[1]](*[a.split("=")[-1] for a in sys.argv[2:]])
