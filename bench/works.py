"""The works that compare.py runs: what each system computes, the limit, and the targets.

A work has rows; a row is one task of one system in a process of its own (Run). The first row is freeridge's, and the
others are measured by it. A target asks for a number from the rows, and says what it should be.
"""
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

LAMBDAS = 100
MIB = 2**20


@dataclass(frozen=True)
class Run:
    program: str  # which system_* program
    arguments: tuple  # (name, value), with data=(n, d)
    long: bool = False  # many minutes, or nearly all memory: in `all` only, or when the work is asked for by name


@dataclass(frozen=True)
class Row:
    key: str
    system: str
    computes: str
    run: Run
    part: str = "total"  # which of the run's times


@dataclass(frozen=True)
class Target:
    text: str
    value: Callable  # of a Found; None: not known
    show: Callable = "{:.2f}".format
    at_most: Optional[float] = None
    at_least: Optional[float] = None  # neither: reported


@dataclass(frozen=True)
class Limit:
    formula: str
    flops: float


@dataclass(frozen=True)
class Work:
    name: str
    title: str
    rows: list
    targets: list = field(default_factory=list)
    limit: Optional[Limit] = None
    long: bool = False


@dataclass(frozen=True)
class Starts:
    """Ends of the search for a kernel beside the best of random starts: a line for each kind of problems. The targets
    ask the results of all problems."""

    name: str
    title: str
    runs: list  # of program restarts, one a problem
    targets: list
    long: bool = True


@dataclass(frozen=True)
class Growth:
    """A table of one system by n: factorize, LOO at all lambdas, search, and one lambda by itself."""

    name: str
    title: str
    runs: list  # (n, run of task `both`, run of task `one`)
    long: bool = True


def run(program, n, d, long=False, **arguments):
    return Run(program, (("data", (n, d)), *sorted(arguments.items())), long)


def gaussian(sigma):
    return f"gaussian(sigma = {sigma})"


# Targets. `found` has .time(key), .result(key), .limit_seconds; what is not there is None, and so is what follows.


def ratio(a, b):
    return None if a is None or not b else a / b


def difference(a, b):
    return None if a is None or b is None else (a - b) / MIB


def seconds(value):
    if value < 1e-3:
        return f"{value * 1e6:.0f} us"
    if value < 1:
        return f"{value * 1e3:.3g} ms"
    return f"{value:.3g} s" if value < 1000 else f"{value / 60:.0f} min"


def times_limit(key, text, bound):
    return Target(text, lambda found: ratio(found.time(key), found.limit_seconds), at_most=bound)


def times_other(key, other, text, bound):
    return Target(text, lambda found: ratio(found.time(key), found.time(other)), at_most=bound)


def faster_than(key, other, text, bound=None):
    return Target(text, lambda found: ratio(found.time(other), found.time(key)), at_least=bound)


def extra_memory(key, text, bound=None):
    return Target(text, lambda found: ratio(found.number(key, "beyond"), MIB), "{:.0f} MiB".format, at_most=bound)


def same_scores(key, other, text, bound=None):
    return Target(text, lambda found: found.difference(key, other), "{:.1e}".format, at_most=bound)


def taken(key, text):
    return Target(text, lambda found: found.time(key), seconds)


def yes(key, name, text):
    def value(found):
        word = found.word(key, name)
        return None if word is None else float(word == "yes")

    return Target(text, value, lambda number: "yes" if number else "no", at_least=1)


def linear_works(sizes):
    n, d = sizes.pick((100000, 500), (4000, 40))
    loo = f"exact LOO at {LAMBDAS} lambdas"
    ours = dict(kernel="linear()", route="primal", task="scores", repetitions=sizes.times(5))
    qr = Row("qr", "freeridge, C", f"{loo}, QR", run("freeridge", n, d, reduction="qr", **ours))
    gram = Row("gram", "freeridge, C", f"{loo}, Gram matrix", run("freeridge", n, d, reduction="gram", **ours))
    sklearn = Row("sklearn", "scikit-learn RidgeCV", loo,
                  run("sklearn", n, d, task="linear", repetitions=sizes.times(3)))
    others = [
        Row("r", "freeridge, R", f"{loo} and their standard errors, QR",
            run("r", n, d, task="freeridge_path", repetitions=sizes.times(3))),
        sklearn,
        Row("dlib", "dlib rr_trainer", f"LOO at {LAMBDAS} lambdas, intercept penalised",
            run("dlib", n, d, task="linear")),
        Row("mass", "MASS lm.ridge", f"GCV at {LAMBDAS} lambdas",
            run("r", n, d, task="lm_ridge", repetitions=sizes.times(3))),
        Row("glmnet", "glmnet, alpha = 0", f"coefficients at {LAMBDAS} lambdas",
            run("r", n, d, task="glmnet", repetitions=sizes.times(3))),
    ]

    def work(name, route, rows, squares, bound, aim, times_faster):
        key, half_of_x = rows[0].key, n * d * 8 / 2 / MIB
        return Work(name, f"linear, n = {n}, d = {d}, {loo}, {route}", rows, [
            times_limit(key, f"time within {bound} of the limit{aim}", bound),
            faster_than(key, "sklearn", f"at least {times_faster} times faster than RidgeCV", times_faster),
            same_scores(key, "sklearn", "same scores as RidgeCV to 1e-6", 1e-6),
            extra_memory(key, f"extra memory at most half of X, {half_of_x:.0f} MiB", half_of_x),
        ], Limit(f"{squares} n d^2 + 4 n d {LAMBDAS}", squares * n * d**2 + 4 * n * d * LAMBDAS))

    return [work("linear_qr", "accurate route", [qr, *others], 4, 1.8, " (the aim is 1.4)", 12),
            work("linear_gram", "fast route", [gram, sklearn], 3, 1.25, "", 20)]


def dense_works(sizes):
    n, d, sigma = sizes.pick(8000, 400), 8, 2
    loo = f"exact LOO at {LAMBDAS} lambdas"
    ours = dict(kernel=gaussian(sigma), repetitions=sizes.times(3))
    dsyevd = Row("dsyevd", "LAPACK dsyevd alone", "eigenvectors of the same K",
                 run("lapack", n, d, task="dsyevd", sigma=sigma))
    others = [
        Row("krr", "scikit-learn KernelRidge", "one lambda; no LOO", run("sklearn", n, d, task="krr", sigma=sigma)),
        Row("gpr", "scikit-learn GPR", "one noise variance; no LOO", run("sklearn", n, d, task="gpr", sigma=sigma)),
        Row("gausspr", "kernlab gausspr", "one noise variance; no LOO", run("r", n, d, task="gausspr", sigma=sigma)),
    ]
    bound = 2.2 * n * n * 8 / MIB
    yield Work(
        "dense_loo", f"Gaussian, n = {n}, d = {d}, {loo}",
        [Row("loo", "freeridge, C", loo, run("freeridge", n, d, task="scores", **ours)), dsyevd, *others],
        [times_other("loo", "dsyevd", "at most 0.6 of the time of dsyevd (the aim is 0.5)", 0.6),
         extra_memory("loo", f"extra memory at most 2.2 n^2 doubles, {bound:.0f} MiB", bound)])
    yield Work(
        "dense_select", f"Gaussian, n = {n}, d = {d}, LOO-optimal lambda",
        [Row("select", "freeridge, C", "lambda by exact LOO", run("freeridge", n, d, task="select", **ours)),
         Row("r", "freeridge, R", "lambda by exact LOO", run("r", n, d, task="freeridge_gaussian", sigma=sigma)),
         dsyevd],
        [times_other("select", "dsyevd", "at most 0.4 of the time of dsyevd (the aim is 0.3)", 0.4),
         yes("select", "within_one_percent", "lambda within 1 % of the optimum")])

    n = sizes.pick(20000, 800)
    yield Work(
        "dense_20000", f"Gaussian, n = {n}, d = {d}, LOO-optimal lambda",
        [Row("select", "freeridge, C", "lambda by exact LOO",
             run("freeridge", n, d, task="select", kernel=gaussian(sigma)))],
        [taken("select", "finishes; time"), extra_memory("select", "extra memory")], long=True)


def landmark_works(sizes):
    (n, r), d, sigma = sizes.pick((200000, 2000), (3000, 100)), 8, 2  # the first r rows: they are as good as any
    loo = f"exact LOO at {LAMBDAS} lambdas"
    ours = dict(task="scores", kernel=gaussian(sigma), landmarks=r)

    def limit(n):
        return Limit(f"3 n r^2 + 4 n r {LAMBDAS}", 3 * n * r**2 + 4 * n * r * LAMBDAS)

    yield Work(
        "landmarks", f"Gaussian, n = {n}, d = {d}, {r} landmarks, {loo}",
        [Row("loo", "freeridge, C", loo, run("freeridge", n, d, repetitions=sizes.times(3), **ours)),
         Row("sklearn", "scikit-learn Nystroem, RidgeCV", loo,
             run("sklearn", n, d, task="landmarks", sigma=sigma, landmarks=r, long=True))],
        [times_limit("loo", "time within 1.3 of the limit", 1.3),
         extra_memory("loo", "extra memory at most 400 MiB", 400),
         faster_than("loo", "sklearn", "times faster than scikit-learn"),
         same_scores("loo", "sklearn", "scores differ from scikit-learn's by")],
        limit(n))
    n = sizes.pick(1000000, 10000)
    yield Work(
        "landmarks_million", f"Gaussian, n = {n}, d = {d}, {r} landmarks, {loo}",
        [Row("loo", "freeridge, C", loo, run("freeridge", n, d, **ours))],
        [taken("loo", "finishes; time (the aim is about 85 s)"), extra_memory("loo", "extra memory")],
        limit(n), long=True)


def learning_works(sizes):
    (n, m), d = sizes.pick((2000, 3000), (200, 300)), 8
    task = dict(task="learn", points=(m, d))
    ones = ", ".join(["1"] * d)

    def error_ratio(found):
        return ratio(found.number("learn", "deviation"), found.number("sklearn", "deviation"))

    yield Work(
        "learning", f"Gaussian with {d} lengths, n = {n}, and lambda by REML",
        [Row("learn", "freeridge, C", "lengths and lambda",
             run("freeridge", n, d, kernel=f"scaled([{ones}], gaussian(sigma = 1))", repetitions=sizes.times(3), **task)),
         Row("sklearn", "scikit-learn GPR", "lengths, scale and noise", run("sklearn", n, d, **task))],
        [times_other("learn", "sklearn", "at most a sixth of the time of scikit-learn", 1 / 6),
         Target("test error over scikit-learn's, at most 1.02", error_ratio, "{:.3f}".format, at_most=1.02)])


def sparse_works(sizes):
    n, d = sizes.pick((100000, 100000), (2000, 2000))
    count, data = 11, (n, d, "sparse")

    def task(program, **arguments):
        return Run(program, (("data", data), *sorted(arguments.items())))

    def each_lambda(found):
        """The largest ratio of CPU seconds at a lambda by itself."""
        ours, theirs = found.result("cg"), found.result("sparse_cg")
        ratios = [ratio(ours.median(f"seconds.{k}"), theirs.median(f"seconds.{k}")) for k in (1, 4, 7, 10)]
        return None if None in ratios else max(ratios)

    # At an accuracy of 2e-5 no residual of the normal equations is above 1e-6 of X'y, what scikit-learn is asked for.
    ours = Row("cg", "freeridge, C", f"hyperplanes at {count} lambdas, accuracy 2e-5",
               task("sparse", accuracy=2e-5, estimate="yes", repetitions=sizes.times(3)))
    others = [Row(solver, f"scikit-learn Ridge({solver})", text, task("sklearn", task="sparse", solver=solver, tol=1e-6))
              for solver, text in (("sparse_cg", f"{count} lambdas, tol = 1e-6"), ("lsqr", "4 of them, tol = 1e-6"))]
    others.append(Row("glmnet", "glmnet, alpha = 0", f"{count} lambdas, thresh = 1e-12",
                      task("r", task="glmnet_sparse", thresh=1e-12), part="cpu"))
    yield Work(
        "sparse", f"linear, sparse, n = {n}, d = {d}, 9.6 numbers a row, {count} lambdas; CPU seconds, one thread", [ours, *others],
        [Target("a lambda, once factorized, at most 1/5 of sparse_cg, the worst of four", each_lambda, "{:.3f}".format, at_most=0.2),
         Target("factorization", lambda found: found.result("cg").median("seconds.factorize"), seconds),
         times_other("cg", "glmnet", "factorization and all lambdas at most the time of glmnet", 1),
         extra_memory("cg", "extra memory", None)])
    n, d = sizes.pick((1000000, 1000000), (4000, 4000))
    yield Work(
        "sparse_million", f"linear, sparse, n = {n}, d = {d}, {count} lambdas; CPU seconds",
        [Row("cg", "freeridge, C", f"hyperplanes at {count} lambdas, accuracy 2e-5",
             Run("sparse", (("data", (n, d, "sparse")), ("accuracy", 2e-5))))],
        [taken("cg", "finishes; CPU time"), extra_memory("cg", "extra memory")], long=True)


def prediction_works(sizes):
    (n, m), d, sigma = sizes.pick((10000, 100000), (300, 2000)), 8, 2
    task = dict(task="predict", points=(m, d))
    yield Work(
        "prediction", f"Gaussian, {m} points, {n} support points, d = {d}",
        [Row("predict", "freeridge, C", "predictions",
             run("freeridge", n, d, kernel=gaussian(sigma), repetitions=sizes.times(5), **task)),
         Row("sklearn", "scikit-learn KernelRidge", "predictions", run("sklearn", n, d, sigma=sigma, **task)),
         Row("dlib", "dlib decision_function", "predictions", run("dlib", n, d, sigma=sigma, **task))],
        [Target("kernel values a second, at least 0.6e9", lambda found: ratio(n * m, found.time("predict")),
                "{:.2e}".format, at_least=0.6e9),
         extra_memory("predict", "extra memory at most 100 MiB", 100)])


def r_works(sizes):
    n, d, sigma = sizes.pick(2000, 200), 8, 4
    on_scale = dict(sigma=sigma, standardize="yes")
    yield Work(
        "r_loo", f"in R: Gaussian, n = {n}, d = {d}, fixed sigma",
        [Row("r", "freeridge, R", "lambda by exact LOO",
             run("r", n, d, task="freeridge_gaussian", repetitions=sizes.times(5), **on_scale)),
         Row("krls", "KRLS, approx = \"none\"", "lambda by LOO", run("r", n, d, task="krls", **on_scale)),
         Row("gausspr", "kernlab gausspr", "one noise variance; no LOO",
             run("r", n, d, task="gausspr", repetitions=sizes.times(3), **on_scale)),
         Row("fastkrr", "FastKRR, exact", "lambda by REML", run("r", n, d, task="fastkrr", **on_scale))],
        [faster_than("r", "krls", "at least 10 times faster than KRLS", 10),
         faster_than("r", "gausspr", "times faster than one fit of gausspr")])

    n, d = sizes.pick((100000, 100), (5000, 20))
    x = n * d * 8 / MIB
    yield Work(
        "r_overhead", f"linear, n = {n}, d = {d}, the same fit from C and from R",
        [Row("c", "freeridge, C", "lambda by exact LOO",
             run("freeridge", n, d, task="package", kernel="linear()", repetitions=sizes.times(51))),
         Row("r", "freeridge, R", "lambda by exact LOO",
             run("r", n, d, task="freeridge_linear", repetitions=sizes.times(51)))],
        [times_other("r", "c", "R takes at most 1.05 of the time", 1.05),
         Target(f"no second copy of X, {x:.0f} MiB: memory beyond C's at most half of it",
                lambda found: difference(found.number("r", "beyond"), found.number("c", "beyond")),
                "{:.0f} MiB".format, at_most=x / 2)])


def small_works(sizes):
    n, d, sigma, many = 50, 5, 2, sizes.times(200)
    ours = dict(kernel=gaussian(sigma))
    yield Work(
        "small", f"Gaussian, n = {n}, d = {d}, whole fit, lambda by LOO",
        [Row("select", "freeridge, C", "lambda by exact LOO",
             run("freeridge", n, d, task="select", repetitions=many, **ours)),
         Row("r", "freeridge, R", "lambda by exact LOO",
             run("r", n, d, task="freeridge_gaussian", sigma=sigma, repetitions=many)),
         Row("dlib", "dlib krr_trainer", f"LOO at {LAMBDAS} lambdas, intercept penalised",
             run("dlib", n, d, task="kernel", sigma=sigma, repetitions=many)),
         Row("krls", "KRLS, approx = \"none\"", "lambda by LOO",
             run("r", n, d, task="krls", sigma=sigma, repetitions=many)),
         Row("krr", "scikit-learn KernelRidge", "one lambda; no LOO",
             run("sklearn", n, d, task="krr", sigma=sigma, repetitions=many)),
         Row("gausspr", "kernlab gausspr", "one noise variance; no LOO",
             run("r", n, d, task="gausspr", sigma=sigma, repetitions=many))],
        [Target("at most 0.5 ms", lambda found: found.time("select"), seconds, at_most=0.5e-3)])

    n, d = sizes.pick(2000, 300), 8
    once = run("freeridge", n, d, task="scores", repetitions=sizes.times(5), **ours)
    yield Work(
        "nearly_free", f"Gaussian, n = {n}, d = {d}: the one factorization, and all that comes after it",
        [Row("factorize", "freeridge, C", "factorize", once, "factorize"),
         Row("score", "freeridge, C", f"exact LOO at {LAMBDAS} lambdas", once, "score")],
        [times_other("score", "factorize", f"{LAMBDAS} lambdas at most one half of the factorization", 0.5)])


def many_works(sizes):
    """Many outputs, rows that come and go, many small models."""

    def task(name, by, **arguments):
        return Run("many", (("task", name), ("by", by), *sorted(arguments.items())))

    (n, d, t), count = sizes.pick((1200, 3000, 2000), (60, 90, 40)), 30
    size = dict(n=n, d=d, t=t, lambdas=count, repetitions=sizes.times(3))
    for name, what, bound, more in (("outputs", "exact LOO", 0.71, {}), ("outputs_groups", "five groups left out", 0.58, {"folds": 5})):
        computes = f"{what} at {count} lambdas"
        rows = [Row("scores", "freeridge, Python", computes, task("outputs", "freeridge", **size, **more)),
                Row("numpy", "NumPy, one eigendecomposition", computes, task("outputs", "numpy", **size, **more)),
                Row("select", "freeridge, Python", "the search alone", task("outputs", "select", **size, **more))]
        if not more:
            few = dict(size, t=t // 4)
            rows += [Row("few", "freeridge, Python", f"{t // 4} outputs", task("outputs", "freeridge", **few)),
                     Row("sklearn", "scikit-learn RidgeCV", f"{t // 4} outputs, a lambda for each", task("outputs", "sklearn", **few))]
        yield Work(name, f"linear, n = {n}, d = {d}, {t} outputs, {computes}", rows,
                   [times_other("scores", "numpy", f"at most {bound} of the time of NumPy", bound),
                    Target("the search over the scores", lambda found: ratio(found.time("select"), found.time("scores")), at_most=2),
                    same_scores("scores", "numpy", "same scores as NumPy to 1e-9", 1e-9)])
    d = sizes.pick(200, 20)
    yield Work("rows", f"linear, d = {d}: a row comes, and w is solved",
               [Row("window", "freeridge, Python", "a window", task("row", "freeridge", d=d, repetitions=sizes.times(3))),
                Row("rls", "NumPy", "recursive least squares", task("row", "numpy", d=d, repetitions=sizes.times(3)))],
               [times_other("window", "rls", "at most the time of recursive least squares", 1)])
    n, d = sizes.pick((2000, 5), (100, 3))
    size = dict(n=n, d=d, repetitions=sizes.times(3))
    yield Work("slide", f"Gaussian, n = {n}, d = {d}: a row comes, the oldest goes, all left-out errors",
               [Row("window", "freeridge, Python", "a window", task("slide", "freeridge", **size)),
                Row("refit", "SciPy", "K^-1 by Cholesky", task("slide", "scipy", **size))],
               [times_other("window", "refit", "at most a tenth of the time of a refit", 0.1)])
    models, n, d = sizes.pick(10000, 100), 20, 5
    size = dict(models=models, n=n, d=d, repetitions=sizes.times(3))
    yield Work("models", f"{models} linear models of n = {n}, d = {d}, lambda by LOO",
               [Row("batch", "freeridge, Python", "in one call", task("models", "batch", **size)),
                Row("loop", "freeridge, Python", "one after the other", task("models", "loop", **size)),
                Row("sklearn", "scikit-learn RidgeCV", f"{LAMBDAS} lambdas, one after the other", task("models", "sklearn", **size))],
               [times_other("batch", "loop", "at most a third of the loop", 1 / 3)])


def growth_works(sizes):
    def growth(name, title, rows, d, one_lambda=None, **arguments):
        def runs(n):
            both = run("freeridge", n, d, task="both", repetitions=1 if n > 4000 else sizes.times(3), **arguments)
            return n, both, one_lambda and run("freeridge", n, d, task="one", **{**arguments, **one_lambda})

        return Growth(name, title, [runs(n) for n in rows])

    dense = sizes.pick([500, 1000, 2000, 4000, 8000, 16000], [100, 200, 400])
    tall = sizes.pick([10000, 31623, 100000, 316228, 1000000], [1000, 3000])
    r = sizes.pick(1000, 50)
    yield growth("growth_dense", "Gaussian, d = 8", dense, 8, dict(route="cholesky"), kernel=gaussian(2))
    yield growth("growth_linear", "linear, d = 100", tall, 100, kernel="linear()")
    yield growth("growth_landmarks", f"Gaussian, d = 8, {r} landmarks", tall, 8, kernel=gaussian(2), landmarks=r)


DATA = Path(__file__).resolve().parent.parent / "tests/data"


def restart_works(sizes):
    """Data sets of two columns and more, of those of many rows 200, and 40 simulated problems: restarts.py."""
    sets = [path for path in sorted((DATA / "base_r").glob("*.csv")) if path.open().readline().count(",") >= 2]
    problems = [*sets, *(DATA / f"{name}.csv" for name in ("concrete", "diabetes", "sonar")),
                *(f"simulated:{i}" for i in range(1, 41))]
    problems, count = sizes.pick(problems, problems[::7]), sizes.pick(25, 2)
    runs = [Run("restarts", (("problem", str(problem)), ("starts", count))) for problem in problems]

    def of_all(value):
        """Not known where one problem has no result."""
        return lambda results: None if any(result.absent for result in results) else value(results)

    def most(name):
        return of_all(lambda results: max(result.median(name) for result in results))

    share_lower = of_all(lambda results: 100 * sum(result.median("lower") > 1 for result in results) / len(results))

    yield Starts(
        "restarts", f"the default kernel as it is learnt, beside the best of {count} random starts; {len(runs)} problems",
        runs,
        [Target("the best start is lower by more than 1 in at most 2 % of the problems", share_lower, "{:.1f} %".format,
                at_most=2),
         Target("a search that goes on from the end gets lower by at most 1", most("polished"), at_most=1),
         Target("slopes agree with differences to 1e-6", most("off"), "{:.1e}".format, at_most=1e-6)])


@dataclass(frozen=True)
class Sizes:
    quick: bool

    def pick(self, full, small):
        return small if self.quick else full

    def times(self, full):
        """How often a task is repeated."""
        return min(full, 2) if self.quick else full


def all_works(quick):
    groups = (linear_works, dense_works, landmark_works, learning_works, sparse_works, prediction_works, r_works,
              small_works, many_works, restart_works, growth_works)
    return [work for group in groups for work in group(Sizes(quick))]
