"""scikit-learn, one task a process: system_sklearn.py task=T data=FOLDER ...

  linear      RidgeCV: exact leave-one-out errors at all lambdas
  landmarks   landmarks=R sigma=S: Nystroem on the first R rows, then the same RidgeCV
  krr         sigma=S: KernelRidge at one lambda, without intercept; no errors left out
  gpr         sigma=S: GaussianProcessRegressor at one noise variance, hyperparameters fixed
  learn       GaussianProcessRegressor with a length for each feature and a noise, by its own search; `deviation`: the root
              mean square of held-out errors, of the folder points=
  predict     sigma=S: KernelRidge.predict at the points of the folder points=; not counted: the fit

  sparse      solver=S tol=T: Ridge at every third lambda by itself, and at all (lsqr: every third alone); CPU seconds; rows
              as make_data sparse=yes writes them

Data, results and what is counted: as in support.hpp.
"""
import sys
import time
import warnings

import numpy
import sklearn
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeCV

ONE_LAMBDA = 0.1


def status_bytes(name):
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith(name + ":"))


def tell(name, values):
    print(name, values if isinstance(values, str) else " ".join(repr(float(value)) for value in values))


def loaded_blas():
    with open("/proc/self/maps") as maps:
        paths = {line[line.index("/"):].strip() for line in maps if "/" in line}
    words = ("blas", "blis", "lapack.so", "mkl_rt")
    return " ".join(sorted(path for path in paths if any(word in path.rsplit("/", 1)[1] for word in words)))


def read_data(folder):
    y, lambdas, x = (numpy.fromfile(f"{folder}/{name}") for name in ("y", "lambdas", "x"))
    return x.reshape((len(y), -1), order="F"), y, lambdas


def sparse(arguments):
    """Ridge at one lambda after the other, and the relative residuals of the normal equations."""
    import scipy.sparse
    folder = arguments["data"]
    y, lambdas, start, index, value, features = (
        numpy.fromfile(f"{folder}/{name}") for name in ("y", "lambdas", "start", "index", "value", "features"))
    x = scipy.sparse.csr_matrix((value, index.astype("i4"), start.astype("i4")), shape=(len(y), int(features[0])))
    mean, centred = numpy.asarray(x.mean(axis=0)).ravel(), y - y.mean()
    product = x.T @ centred

    def fit(alpha):
        intercept = arguments["solver"] != "lsqr"  # which centres sparse x for the others alone
        return Ridge(alpha=alpha, solver=arguments["solver"], tol=float(arguments["tol"]), max_iter=100000,
                     fit_intercept=intercept).fit(x, y if intercept else centred).coef_

    def residual(w, alpha):
        f = x @ w - mean @ w
        return numpy.linalg.norm(product - x.T @ f + mean * f.sum() - alpha * w) / numpy.linalg.norm(product)

    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")
    before, of_all, worst = status_bytes("VmRSS"), 0, []
    for place, alpha in enumerate(lambdas):
        if place % 3 != 0 and arguments["solver"] == "lsqr":
            continue
        start = time.process_time()
        w = fit(alpha)
        taken = time.process_time() - start
        of_all += taken
        worst.append(residual(w, alpha))
        if place % 3 == 0:
            tell(f"seconds.{place + 1}", [taken])
    peak = status_bytes("VmHWM")
    tell("peak", [peak])
    tell("beyond", [peak - before])
    tell("seconds.total", [of_all])
    tell("residuals", worst)


def ridge_cv(x, y, lambdas):
    """The means of the squared errors left out, lambda by lambda."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # later versions call the argument store_cv_results
        try:
            fit = RidgeCV(alphas=lambdas, store_cv_values=True).fit(x, y)
        except TypeError:
            fit = RidgeCV(alphas=lambdas, store_cv_results=True).fit(x, y)
    values = fit.cv_results_ if hasattr(fit, "cv_results_") else fit.cv_values_
    return values.reshape(len(y), -1).mean(axis=0)


def timed(repeat, action):
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")
    before, seconds = status_bytes("VmRSS"), []
    for _ in range(repeat):
        start = time.perf_counter()
        scores = action()
        seconds.append(time.perf_counter() - start)
    peak = status_bytes("VmHWM")
    tell("peak", [peak])
    tell("beyond", [peak - before])
    tell("seconds.total", seconds)
    if scores is not None:
        tell("scores", scores)


def main():
    arguments = dict(argument.split("=", 1) for argument in sys.argv[1:])
    tell("version", f"scikit-learn {sklearn.__version__}, NumPy {numpy.__version__}")
    tell("blas", loaded_blas())
    task = arguments["task"]
    if task == "version":
        return
    if task == "sparse":
        return sparse(arguments)
    x, y, lambdas = read_data(arguments["data"])
    sigma = float(arguments.get("sigma", 1))
    krr = KernelRidge(alpha=ONE_LAMBDA, kernel="rbf", gamma=1 / sigma**2)

    def landmarks():
        r = int(arguments["landmarks"])
        features = Nystroem(kernel="rbf", gamma=1 / sigma**2, n_components=r, random_state=0).fit(x[:r])
        return ridge_cv(features.transform(x), y, lambdas)

    def krr_fit():
        krr.fit(x, y)

    def gpr():
        GaussianProcessRegressor(RBF(sigma / 2**0.5), alpha=ONE_LAMBDA, optimizer=None).fit(x, y)

    action = {
        "linear": lambda: ridge_cv(x, y, lambdas),
        "landmarks": landmarks,
        "krr": krr_fit,
        "gpr": gpr,
    }.get(task)
    if task == "predict":
        points = read_data(arguments["points"])[0]
        krr.fit(x, y)

        def action():
            krr.predict(points)

    learnt = GaussianProcessRegressor(ConstantKernel() * RBF(x.std(axis=0)) + WhiteKernel(), normalize_y=True)
    if task == "learn":
        def action():
            learnt.fit(x, y)

    timed(int(arguments.get("repetitions", 1)), action)
    if task == "learn":
        points, held_out, _ = read_data(arguments["points"])
        tell("deviation", [((learnt.predict(points) - held_out) ** 2).mean() ** 0.5])


if __name__ == "__main__":
    main()
