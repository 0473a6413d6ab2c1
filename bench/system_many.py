"""Much of the same, one task a process: many outputs, rows that come and go, many small models.
system_many.py task=T by=SYSTEM ...

  outputs   n= d= t= lambdas=: exact leave-one-out (or, with folds=5, five groups) scores of t outputs at all lambdas
              freeridge  a model, its scores; select: the search for t lambdas by itself; numpy: one eigendecomposition of the
              centred K = X X', and products; sklearn: RidgeCV with a lambda for each output
  row       d=: a row comes, and w is solved; seconds a row
              freeridge  a window without rows kept; numpy: recursive least squares (Sherman and Morrison)
  slide     n= d=: a row comes to a Gaussian kernel's n, the oldest goes, and all left-out errors are there
              freeridge  a window; scipy: K^-1 anew by Cholesky
  models    models= n= d=: a linear model for each, lambda by leave-one-out; seconds for all
              batch  freeridge.batch(); loop: freeridge.Model, one after the other; sklearn: RidgeCV, of every fiftieth

Data are drawn by a fixed seed. Results and what is counted: as in support.hpp.
"""
import sys
import time

import numpy as np

from system_sklearn import loaded_blas, status_bytes, tell


def drawn(n, d, t):
    rng = np.random.default_rng(7)
    x = rng.normal(size=(n, d))
    return x, x @ rng.normal(size=(d, t)) / d**0.5 + rng.normal(size=(n, t))


def loo_by_numpy(x, y, lambdas, folds):
    """The means of squared errors, lambda by lambda and output by output: e = (P y)_S by (P_SS)^-1, P = V s V'."""
    n = len(x)
    centred = x - x.mean(axis=0)
    values, vectors = np.linalg.eigh(centred @ centred.T)
    values, vectors = values[1:], vectors[:, 1:]  # without the column of ones
    rotated, squares, out = vectors.T @ y, vectors**2, []
    for value in lambdas:
        s = 1 / (values + value)
        residual = vectors @ (s[:, None] * rotated)
        if folds == 0:
            residual /= (squares @ s)[:, None]
        else:
            for k in range(folds):
                part = vectors[k::folds]
                residual[k::folds] = np.linalg.solve((part * s) @ part.T, residual[k::folds])
        out.append((residual**2).sum(axis=0) / n)
    return np.array(out)


def outputs(a):
    x, y = drawn(a["n"], a["d"], a["t"])
    lambdas, folds = np.geomspace(1, 1e5, a["lambdas"]), a.get("folds", 0)
    if a["by"] == "numpy":
        return lambda: loo_by_numpy(x, y, lambdas, folds)
    if a["by"] == "sklearn":
        from sklearn.linear_model import RidgeCV
        return lambda: RidgeCV(alphas=lambdas, alpha_per_target=True).fit(x, y) and None
    import freeridge as fr
    criterion = fr.GROUPS if folds else fr.LOO

    def model():
        made = fr.Model(fr.linear(), x, y, copy=False)
        return made.set_groups(np.arange(len(x)) % folds) if folds else made

    if a["by"] == "freeridge":
        return lambda: model().score(criterion, lambdas)
    made = model()
    return lambda: made.select_lambda(criterion, lambdas[0], lambdas[-1]) and None


def row(a):
    d, count = a["d"], 2000
    x, y = drawn(count, d, 1)
    if a["by"] == "freeridge":
        import freeridge as fr
        window = fr.Window(fr.linear(), d, capacity=0, intercept=False)

        def change(i):
            window.add(x[i:i + 1], y[i:i + 1])
            window.coefficients()
    else:
        inverse, w = np.eye(d), np.zeros(d)

        def change(i):
            nonlocal inverse, w
            gain = inverse @ x[i]
            gain = gain / (1 + x[i] @ gain)
            w = w + gain * (y[i, 0] - x[i] @ w)
            inverse = inverse - np.outer(gain, x[i] @ inverse)

    def all_rows():
        for i in range(count):
            change(i)

    return all_rows, count


def slide(a):
    n, d, count, value = a["n"], a["d"], 20, 0.1
    x, y = drawn(n + 10 * count, d, 1)
    at = 0
    if a["by"] == "freeridge":
        import freeridge as fr
        window = fr.Window(fr.gaussian(float(d)), d, lambda_=value, capacity=n).add(x[:n], y[:n])
        window.loo()

        def change():
            nonlocal at
            window.add(x[n + at:n + at + 1], y[n + at:n + at + 1])
            at += 1
            window.loo()
    else:
        from scipy.linalg import lapack

        def change():
            nonlocal at
            at += 1
            z, v = x[at:at + n], y[at:at + n, 0]
            sums = (z**2).sum(axis=1)
            k = np.exp(-(sums[:, None] + sums - 2 * z @ z.T) / d**2)
            k[np.diag_indices(n)] += value
            inverse = lapack.dpotri(lapack.dpotrf(k, lower=1)[0], lower=1)[0]
            inverse = np.tril(inverse) + np.tril(inverse, -1).T
            ones = inverse.sum(axis=0)
            c = inverse @ v - ones * (ones @ v) / ones.sum()
            return c / (np.diag(inverse) - ones**2 / ones.sum())

    def some():
        for _ in range(count):
            change()

    return some, count


def models(a):
    n, d, many = a["n"], a["d"], a["models"]
    x, y = drawn(many * n, d, 1)
    if a["by"] == "sklearn":
        from sklearn.linear_model import RidgeCV
        lambdas, some = np.geomspace(1e-3, 1e4, 100), range(0, many, 50)

        def each():
            for g in some:
                RidgeCV(alphas=lambdas).fit(x[g * n:(g + 1) * n], y[g * n:(g + 1) * n, 0])

        return each, len(some) / many
    import freeridge as fr
    if a["by"] == "batch":
        groups = np.repeat(np.arange(many), n)
        return lambda: fr.batch(x, y[:, 0], groups) and None

    def each():
        for g in range(many):
            model = fr.Model(fr.linear(), x[g * n:(g + 1) * n], y[g * n:(g + 1) * n])
            model.select_lambda(fr.LOO)
            model.hyperplane()

    return each


def main():
    arguments = dict(argument.split("=", 1) for argument in sys.argv[1:])
    task, repeat = arguments.pop("task"), int(arguments.pop("repetitions", 1))
    numbers = {name: value if name == "by" else int(value) for name, value in arguments.items()}
    action = {"outputs": outputs, "row": row, "slide": slide, "models": models}[task](numbers)
    action, count = action if isinstance(action, tuple) else (action, 1)
    tell("blas", loaded_blas())
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")
    before, seconds, scores = status_bytes("VmRSS"), [], None
    for _ in range(repeat):
        start = time.perf_counter()
        scores = action()
        seconds.append((time.perf_counter() - start) / count)
    peak = status_bytes("VmHWM")
    tell("peak", [peak])
    tell("beyond", [peak - before])
    tell("seconds.total", seconds)
    if scores is not None:
        tell("scores", np.ravel(scores)[:200])


if __name__ == "__main__":
    main()
