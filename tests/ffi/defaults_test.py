"""FreeRidge and FreeRidgeClassifier do what R's freeridge() does: the same kernel is learnt, with the same answers. And
what there is to choose, against refits, brute force and the library's own calls."""

import os
import pickle
import shutil
import subprocess
import sys
import unittest
import warnings

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import freeridge as fr

DATA = os.environ["FREERIDGE_TEST_DATA"]
R_BUILD = os.path.join(os.environ["FREERIDGE_SOURCE"], "build", "r", "development")
SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")
R_LIBRARY = os.environ.get("FREERIDGE_R_LIBRARY", R_BUILD)


def table(name):
    """The numbers of a data set of tests/data, the response last."""
    path = os.path.join(DATA, *name.split("/")) + ".csv"
    with open(path, encoding="utf-8") as lines:
        rows = [line.replace('"', "").rstrip("\n").split(",") for line in lines][1:]
    classes = not all(row[-1].replace(".", "").replace("-", "").replace("e", "").isdigit() for row in rows)
    x = np.array([[float(value) for value in row[:-1]] for row in rows])
    y = [row[-1] for row in rows]
    return x, np.array(y) if classes else np.array(y, dtype=float)


def diabetes():
    return table("diabetes")


@unittest.skipIf(SANITIZED, "R is not built with sanitizers")
@unittest.skipUnless(shutil.which("Rscript") and os.path.isdir(os.path.join(R_LIBRARY, "freeridge")),
                     f"no R package in {R_LIBRARY} (./dev test makes it)")
class R(unittest.TestCase):
    """The same rows, the same numbers. Each row of the table: a data set (every third row is held out), R's arguments,
    and Python's; R's call prints predictions, lambda, the criterion's value and two ends of intervals."""

    CASES = [
        ("diabetes", "", {}), ("concrete", "", {}), ("base_r/mtcars", "", {}), ("base_r/swiss", "", {}),
        ("base_r/rock", "", {}), ("base_r/cars", "", {}),
        ("diabetes", "gaussian_kernel()", dict(kernel="gaussian")),
        ("diabetes", "laplacian_kernel(), criterion = 'loo'", dict(kernel="laplacian", criterion="loo")),
        ("diabetes", "matern_kernel(), lengths = 'one'", dict(kernel="matern", lengths="one")),
        ("diabetes", "gaussian_kernel(), lengths = 'one', scale = FALSE, criterion = 'gcv'",
         dict(kernel="gaussian", lengths="one", scale=False, criterion="gcv")),
        ("diabetes", "linear_kernel()", dict(kernel="linear")),
        ("diabetes", "linear_kernel(), scale = TRUE, rule = '1se'", dict(kernel="linear", scale=True, rule="1se")),
        ("diabetes", "linear_kernel(), lambda = 0.5, intercept = FALSE",
         dict(kernel="linear", alpha=0.5, fit_intercept=False)),
        ("diabetes", "lambda = 0.5", dict(alpha=0.5)), ("diabetes", "lambda_range = c(1, 3)", dict(alpha_range=(1, 3))),
        ("diabetes", "bands = c(1, 1, 1, 2, 2, 2, 2, 3, 3, 3)", dict(bands=[1, 1, 1, 2, 2, 2, 2, 3, 3, 3])),
        ("base_r/trees", "smoothness = 2.5", dict(smoothness=2.5)), ("diabetes", "noise_sd = 50", dict(noise_sd=50.0)),
        ("diabetes", "smoothness = Inf, weights = rep_len(1:3, sum(!out))",
         dict(smoothness=np.inf, sample_weight=lambda n: 1 + np.arange(n) % 3)),
        ("diabetes", "shrinkage = Inf, learn_rows = 100, budget = 20",
         dict(shrinkage=np.inf, learn_rows=100, budget=20)),
        ("diabetes", "gaussian_kernel(3) + linear_kernel(), learn = 'all'",
         dict(kernel="gaussian(sigma = 3) + linear()", learn="all")),
        ("diabetes", "linear_kernel(), reduction = 'gram', refine = 1, route = 'primal'",
         dict(kernel="linear", reduction="gram", refine=1, route="primal")),
        ("diabetes", "groups = seq_len(sum(!out)) %/% 10", dict(groups=lambda n: (np.arange(n) + 1) // 10)),
        ("diabetes", "weights = rep_len(c(0, 1, 2), sum(!out))", dict(sample_weight=lambda n: np.arange(n) % 3)),
        ("diabetes", "linear_kernel(), groups = seq_len(sum(!out)) %/% 10, rule = '1se'",
         dict(kernel="linear", rule="1se", groups=lambda n: (np.arange(n) + 1) // 10)),
        ("diabetes", "landmarks = 40, landmark_method = 'pivoted'", dict(landmarks=40, landmark_method="pivoted")),
        ("diabetes", "gaussian_kernel(), intercept = 'penalised', scale = FALSE",
         dict(kernel="gaussian", fit_intercept="penalised", scale=False)),
    ]
    SCRIPT = """
suppressPackageStartupMessages(library(freeridge))
for (line in readLines(file("stdin"))) {{
  parts <- strsplit(line, "|", fixed = TRUE)[[1]]
  data <- as.matrix(read.csv(file.path("{data}", paste0(parts[1], ".csv"))))
  d <- ncol(data); out <- seq_len(nrow(data)) %% 3 == 0
  x <- data[, -d]; y <- data[, d]
  dim(x) <- c(nrow(data), d - 1)
  text <- paste0("freeridge(x[!out, , drop = FALSE], y[!out]", if (!is.na(parts[2])) paste0(", ", parts[2]), ")")
  fit <- suppressWarnings(eval(parse(text = text)))
  new <- x[out, , drop = FALSE]
  numbers <- predict(fit, new)
  for (interval in c("confidence", "prediction", "jackknife+", if (!is.null(fit$groups)) "cv+",
                     if (nrow(data) < 100 || !is.null(fit$weights)) "local")) {{
    numbers <- c(numbers, predict(fit, new, interval = interval, level = 0.9)[, 2:3])
  }}
  cat(sprintf("%.17g", c(numbers, fit$lambda)), "\\n")
}}
"""

    @classmethod
    def setUpClass(cls):
        """A package that was made with another build of the library does not load with this one."""
        done = subprocess.run(["Rscript", "--vanilla", "-e", "library(freeridge)"], capture_output=True, text=True,
                              env={**os.environ, "R_LIBS": R_LIBRARY})
        if done.returncode != 0:
            raise unittest.SkipTest(f"the R package in {R_LIBRARY} does not load: {done.stderr.strip()[-200:]}")

    def answers_of_r(self, script, lines):
        environment = {**os.environ, "R_LIBS": R_LIBRARY}
        done = subprocess.run(["Rscript", "--vanilla", "-e", script.format(data=DATA)], input="\n".join(lines) + "\n",
                              capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [np.array(line.split(), dtype=float) for line in done.stdout.splitlines()]

    def test_logistic(self):
        """kernel_logistic() and KernelLogistic: two classes and four, learnt and given."""
        calls = (("", {}), ("class_weights = 'balanced'", dict(class_weight="balanced")),
                 ("gaussian_kernel(), lengths = 'one'", dict(kernel="gaussian", lengths="one")),
                 ("linear_kernel(), lambda = 0.5", dict(kernel="linear", alpha=0.5)), ("gaussian_kernel(2)", dict(kernel="gaussian", sigma=2.0)))
        script = """
suppressPackageStartupMessages(library(freeridge))
data <- as.matrix(read.csv(file.path("{data}", "diabetes.csv")))[1:120, ]
for (classes in c(2, 4)) for (line in readLines("stdin")) {{
  y <- factor(rank(data[, 11], ties.method = "first") %/% (1 + 120 / classes))
  fit <- eval(parse(text = paste0("kernel_logistic(data[, -11], y", if (nzchar(line)) ", ", line, ")")))
  cat(sprintf("%.17g", c(predict(fit, type = "probability"), fit$lambda)), "\\n")
}}
""".replace('for (classes in c(2, 4)) for (line in readLines("stdin"))',
            'lines <- readLines(file("stdin"))\nfor (classes in c(2, 4)) for (line in lines)')
        found = self.answers_of_r(script, [call for call, _ in calls])
        x, y = (part[:120] for part in table("diabetes"))
        rank = np.argsort(np.argsort(y, kind="stable"), kind="stable") + 1
        for k, expected in enumerate(found):
            with self.subTest(k):
                classes, (_, settings) = (2, 4)[k // len(calls)], calls[k % len(calls)]
                fit = fr.KernelLogistic(**settings).fit(x, rank // (1 + 120 // classes))
                ours = fit.predict_proba(x)
                ours = ours[:, 1] if classes == 2 else ours.ravel(order="F")
                np.testing.assert_allclose(np.append(ours, fit.alpha_), expected, rtol=1e-6, atol=1e-9)
        self.assertEqual(len(found), 2 * len(calls))

    def test_fits(self):
        found = self.answers_of_r(self.SCRIPT, [f"{name}|{call}" for name, call, _ in self.CASES])
        self.assertEqual(len(found), len(self.CASES))
        for (name, call, settings), expected in zip(self.CASES, found):
            with self.subTest(name, call=call), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                x, y = table(name)
                out = np.arange(1, len(y) + 1) % 3 == 0
                with_rows = {word: value(np.sum(~out)) for word, value in settings.items() if callable(value)}
                settings = {word: value for word, value in settings.items() if not callable(value)}
                model = fr.FreeRidge(**settings).fit(x[~out], y[~out], **with_rows)
                given = {"local": {"X_fitted": x[~out]}}
                intervals = ["confidence", "prediction", "jackknife+"] + ["cv+"] * ("groups" in with_rows)
                intervals += ["local"] * (len(y) < 100 or "sample_weight" in with_rows)
                ends = [np.concatenate(model.predict(x[out], interval=interval, level=0.9, **given.get(interval, {}))[1:])
                        for interval in intervals]
                ours = np.concatenate([model.predict(x[out]), *ends, [model.alpha_]])
                # a search ends within its own tolerance, which the rounding of standard deviations moves
                np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-4 * np.std(y))

    CLASSES = """
suppressPackageStartupMessages(library(freeridge))
for (name in readLines(file("stdin"))) {{
  data <- read.csv(file.path("{data}", paste0(name, ".csv")))
  d <- ncol(data); rows <- seq(1, nrow(data), length.out = min(nrow(data), 450)); out <- seq_along(rows) %% 3 == 0
  x <- as.matrix(data[rows, -d]); y <- factor(data[rows, d])
  if (name == "diabetes") y <- cut(data[rows, d], c(0, 80, 150, Inf), labels = c("a", "b", "c"))
  fit <- suppressWarnings(freeridge(x[!out, ], y[!out]))
  cat(sprintf("%.17g", predict(fit, x[out, ], type = "probability")), "\\n")
}}
"""

    def test_probabilities(self):
        names = ["sonar", "banknote", "diabetes"]
        for name, expected in zip(names, self.answers_of_r(self.CLASSES, names)):
            with self.subTest(name):
                x, y = table(name)
                rows = np.trunc(np.linspace(1, len(y), min(len(y), 450)) + 1e-9).astype(int) - 1
                out = np.arange(1, len(rows) + 1) % 3 == 0
                x, y = x[rows], y[rows]
                if name == "diabetes":
                    y = np.array(["a", "b", "c"])[(y > 80).astype(int) + (y > 150)]
                model = fr.FreeRidgeClassifier().fit(x[~out], y[~out])
                theirs = expected.reshape(model.predict_proba(x[out]).shape, order="F")
                np.testing.assert_allclose(model.predict_proba(x[out]), theirs, atol=1e-5)
                self.assertAlmostEqual(log_loss(y[out], model.predict_proba(x[out]), labels=model.classes_),
                                       log_loss(y[out], theirs, labels=model.classes_), 5)


class Learning(unittest.TestCase):
    """Against the library's own call, told by hand."""

    def test_the_default_is_the_kernel_of_the_page(self):
        """docs/defaults.md: Matern 3/2 and its additive kernel with the same lengths, by REML; divided columns."""
        x, y = diabetes()
        x = np.column_stack([x[:200], np.full(200, 7.0)])  # and a column that is constant
        deviation = np.append(x[:, :10].std(axis=0, ddof=1), 2.0 ** 500)
        part = fr.matern(1.5, 1.0)
        kernel = fr.sum_kernel([part, part.additive()]).scaled(np.ones(11)).scaled(deviation)
        label = [k - 11 if "scaled.scaled.scale[" in name else 11 if name.endswith("weight[1]") else -1
                 for k, name in enumerate(kernel.hyperparameter_names)]
        by_hand = fr.Model(kernel, x, y[:200], factorize=False)
        by_hand.set_smoothness(True).select_kernel(fr.REML, label)
        model = fr.FreeRidge().fit(x, y[:200])
        np.testing.assert_array_equal(model.predict(x), by_hand.predict(x)[:, 0])
        self.assertEqual((model.criterion_, model.learning_.learnt), ("reml", 11))
        shifted = x.copy()
        shifted[:, 10] = -3.0  # of whose other values the rows say nothing
        np.testing.assert_array_equal(model.predict(shifted), model.predict(x))
        found = model.relevance()
        self.assertEqual(sorted(each.column for each in found), sorted(f"x{k}" for k in range(10 + (len(found) == 11))))
        self.assertEqual([each.length for each in found], sorted(each.length for each in found))
        self.assertEqual(found[0].relevance, 1.0)

    def test_smoothness(self):
        rng = np.random.default_rng(4)
        x = rng.uniform(size=(60, 3))
        y = np.sin(4 * x[:, 0]) + x[:, 1] ** 2
        errors = {}
        new = rng.uniform(size=(500, 3))
        for smoothness, name in ((None, "gaussian"), (1.5, "matern(nu = 1.5"), (2.5, "matern(nu = 2.5"), (np.inf, "gaussian")):
            model = fr.FreeRidge(smoothness=smoothness).fit(x, y)
            self.assertIn(name, str(model.kernel_))
            errors[smoothness] = np.std(model.predict(new) - np.sin(4 * new[:, 0]) - new[:, 1] ** 2)
        self.assertLess(errors[None], 0.5 * errors[1.5])
        self.assertFalse(fr.Model(fr.gaussian(1.0), x, y).smoothness())
        for wrong in (0, "rough", -1.5, np.nan):
            with self.assertRaisesRegex(ValueError, "smoothness must be None, 1.5, 2.5 or infinity"):
                fr.FreeRidge(smoothness=wrong).fit(x, y)
        with self.assertRaisesRegex(ValueError, "here kernel is given"):
            fr.FreeRidge(kernel="gaussian", smoothness=2.5).fit(x, y)
        self.assertIn("nu = 1.5", str(fr.FreeRidge(criterion="loo").fit(x, y).kernel_))
        self.assertIn("nu = 1.5", str(fr.FreeRidgeClassifier().fit(x, y > 1).kernel_))

    def test_what_has_no_additive_part_and_no_lengths(self):
        rng = np.random.default_rng(3)
        x, y = rng.normal(size=(40, 31)), rng.normal(size=40)
        for points, settings, kernel in (
                (x, {}, "additive("), (x[:, :1], {}, "scaled("), (x[:, :5], {}, "additive("),
                (x[:, :5], dict(lengths="one"), "matern"), (csr_matrix(x[:, :5]), {}, "matern"),
                (x[:, :5], dict(criterion="gcv"), "matern"), (x[:, :5], dict(sigma_range=(1.0, 9.0)), "matern")):
            model = fr.FreeRidge(**settings).fit(points, y)
            self.assertIn(kernel, str(model.kernel_))
            self.assertEqual("additive" in str(model.kernel_), kernel == "additive(")
            self.assertEqual(model.criterion_, settings.get("criterion", "loo" if kernel == "matern" else "reml"))
            if kernel == "matern":
                self.assertRaises(AttributeError, model.relevance)
        dense, sparse = (fr.FreeRidge(lengths="one").fit(make(x[:, :5]), y) for make in (np.array, csr_matrix))
        np.testing.assert_allclose(dense.predict(x[:, :5]), sparse.predict(csr_matrix(x[:, :5])), rtol=1e-5)

    def test_the_criterion_where_reml_has_no_value(self):
        x, y = diabetes()
        both = np.column_stack([y[:60], np.full(60, 3.0)])
        self.assertEqual(fr.FreeRidge().fit(x[:60], both).criterion_, "loo")

    @unittest.skipIf(SANITIZED, "sanitizers map terabytes")
    def test_landmarks_where_all_points_do_not_fit(self):
        script = """
import resource, warnings
import numpy as np
import freeridge as fr
resource.setrlimit(resource.RLIMIT_AS, (10 ** 9, 10 ** 9))
rng = np.random.default_rng(1)
X = rng.uniform(size=(12000, 2))
y = np.sin(5 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=len(X))
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    model = fr.FreeRidge(learn_rows=200, budget=5).fit(X, y)
print(told[0].message, told[0].filename, len(model.landmarks_), model.route_, model.score(X, y) > 0.9)
try:
    fr.FreeRidge(learn_rows=200, budget=5, route="spectral").fit(X, y)
except MemoryError as error:
    print("refused")
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
        words = "^all 12000 points do not fit into memory .* <string> 1000 landmark True\nrefused\n$"
        self.assertRegex(done.stdout, words, done.stderr)


class Choices(unittest.TestCase):
    def test_alphas(self):
        """A grid: the best of its alphas for each output, whose scores are those of refits without each row."""
        x, y = diabetes()
        x, y = x[::6] / x.std(axis=0), np.column_stack([y[::6], np.sin(9 * x[::6, 2])])
        grid = [3.0, 1e-2, 30.0, 0.5]
        model = fr.FreeRidge(kernel="linear", alphas=grid).fit(x, y)
        rest = [np.arange(len(y)) != i for i in range(len(y))]

        def left_out(alpha, j, i):
            refit = Ridge(alpha, solver="svd").fit(x[rest[i]], y[rest[i], j])
            return y[i, j] - refit.predict(x[i:i + 1])[0]

        brute = np.array([[np.mean([left_out(alpha, j, i) ** 2 for i in range(len(y))]) for j in range(2)]
                          for alpha in grid])
        np.testing.assert_allclose(model.scores(grid), brute, rtol=1e-8)
        np.testing.assert_array_equal(model.alpha_, np.array(grid)[np.argmin(brute, axis=0)])
        np.testing.assert_allclose(model.best_score_, np.min(brute, axis=0), rtol=1e-8)
        narrow = fr.FreeRidge(kernel="linear", alpha_range=(2.0, 5.0)).fit(x, y)
        self.assertTrue(np.all((narrow.alpha_ >= 2.0) & (narrow.alpha_ <= 5.0)))
        least, wide = fr.FreeRidge(kernel="linear").fit(x, y), fr.FreeRidge(kernel="linear", rule="1se").fit(x, y)
        self.assertTrue(np.all(wide.alpha_ >= least.alpha_) and np.any(wide.alpha_ > least.alpha_))
        np.testing.assert_array_equal(wide.alpha_, least._model.one_standard_error().lambdas)
        with self.assertRaisesRegex(fr.Error, "by the one-standard-error rule"):  # as it was fitted
            wide.set_params(rule="min").loo_errors(learnt=True)
        learnt = fr.FreeRidge(alphas=[0.3, 5.0]).fit(x, y[:, 0])
        self.assertIn(learnt.alpha_, (0.3, 5.0))
        np.testing.assert_array_equal(str(learnt.kernel_), str(fr.FreeRidge().fit(x, y[:, 0]).kernel_))

    def test_groups(self):
        """Labels of any kind; rows without one are never left out; errors are those of refits without the group."""
        x, y = diabetes()
        x, y = x[::6] / x.std(axis=0), y[::6]
        block = np.arange(len(y)) // 10
        named = np.array([f"block {k}" for k in block], dtype=object)
        named[:3], some = None, np.where(np.arange(len(y)) < 3, np.nan, block)
        whole = np.where(np.isnan(some), -1, some).astype(int)
        for labels in (named, some, whole, whole.astype(object), [label or np.nan for label in named],
                       np.ma.array(block, mask=np.isnan(some))):
            model = fr.FreeRidge(kernel="linear", alphas=[0.1, 10.0]).fit(x, y, groups=labels)
            self.assertEqual(model.criterion_, "groups")
            errors = model.group_errors(labels)
            expected = np.full(len(y), np.nan)
            for k in np.unique(block):
                rows = (block == k) & ~np.isnan(some)
                refit = Ridge(model.alpha_, solver="svd").fit(x[~rows], y[~rows])
                expected[rows] = y[rows] - refit.predict(x[rows])
            np.testing.assert_allclose(errors, expected, rtol=1e-8)
            np.testing.assert_allclose(model.best_score_, np.nanmean(expected ** 2), rtol=1e-8)
        weights = np.where(block == 2, 0.0, 1.0)
        with_zeros = fr.FreeRidge(kernel="linear").fit(x, y, weights, named)
        without = fr.FreeRidge(kernel="linear").fit(x[block != 2], y[block != 2], groups=named[block != 2])
        np.testing.assert_allclose(with_zeros.predict(x), without.predict(x), rtol=1e-12)
        self.assertEqual(fr.FreeRidge().fit(x, y, groups=block).criterion_, "groups")

    def test_outputs_that_were_not_observed(self):
        x, y = diabetes()
        x, y = x[::4] / x.std(axis=0), np.column_stack([y[::4], y[::4] ** 2 / 100])
        holes = y.copy()
        holes[::5, 0] = holes[1::7, 1] = np.nan
        model = fr.FreeRidge(kernel="linear", alpha=2.0).fit(x, holes)
        for j in range(2):
            seen = ~np.isnan(holes[:, j])
            alone = Ridge(2.0, solver="svd").fit(x[seen], y[seen, j])
            np.testing.assert_allclose(model.predict(x)[:, j], alone.predict(x), rtol=1e-8)
        np.testing.assert_array_equal(np.isnan(model.loo_errors()), np.isnan(holes))
        scores = [Ridge(2.0, solver="svd").fit(x[seen], y[seen, j]).score(x[seen], y[seen, j])
                  for j, seen in enumerate(~np.isnan(holes.T))]
        self.assertAlmostEqual(model.score(x, holes), np.mean(scores), 8)
        self.assertEqual(np.shape(fr.FreeRidge().fit(x, holes).predict(x, interval="jackknife+")[1]), y.shape)
        self.assertRaises(ValueError, fr.FreeRidge(kernel="linear").fit, x, holes[:, 0])

    def test_intervals(self):
        """Of a linear fit without a penalty they are those of least squares; "gp" is the Gaussian process's."""
        from scipy.stats import norm, t
        x, y = diabetes()
        model = fr.FreeRidge(1e-10, kernel="linear").fit(x, y)
        design = np.column_stack([np.ones(len(y)), x])
        inverse, left = np.linalg.inv(design.T @ design), len(y) - 11
        residual = y - design @ (inverse @ (design.T @ y))
        sigma2, at = residual @ residual / left, design[:7]
        variance = sigma2 * np.einsum("ij,jk,ik->i", at, inverse, at)
        for interval, spread in (("confidence", variance), ("prediction", variance + sigma2)):
            f, lower, upper = model.predict(x[:7], interval=interval, level=0.8)
            np.testing.assert_allclose(upper - f, t.ppf(0.9, left) * np.sqrt(spread), rtol=1e-6)
            np.testing.assert_allclose(f - lower, upper - f, rtol=1e-9)
        plain = fr.FreeRidge(0.3, "gaussian", 4.0).fit(x / x.std(axis=0), y)
        found = plain._model.predict_variance(x[:5] / x.std(axis=0))
        f, lower, upper = plain.predict(x[:5] / x.std(axis=0), interval="gp")
        np.testing.assert_allclose(upper - f, norm.ppf(0.975) * np.sqrt(found.variance[:, 0] + found.noise), rtol=1e-12)
        for wrong in (dict(interval="best"), dict(interval="gp", level=1.0), dict(interval="gp", return_std=True),
                      dict(interval="gp", learnt=True), dict(interval="cv+"), dict(interval="local"),
                      dict(interval="gp", X_fitted=x), dict(interval="local", X_fitted=x),
                      dict(interval="local", X_fitted=x[:5])):
            self.assertRaises(ValueError, plain.predict, x[:5], **wrong)
        exact = fr.FreeRidge(1e-3, kernel="linear", fit_intercept=False).fit(x[:40], np.zeros(40))
        self.assertEqual(np.ptp(exact.predict(x[:5], interval="local", X_fitted=x[:40])[2]), 0)
        some = np.arange(40) % 8 > 0  # rows of weight 0 count for nothing
        weighted = fr.FreeRidge(1.0, "gaussian", 0.5).fit(x[:40], y[:40], sample_weight=2.0 * some)
        alone = fr.FreeRidge(1.0, "gaussian", 0.5).fit(x[:40][some], y[:40][some], sample_weight=np.full(35, 2.0))
        of_both = [one.predict(x[50:60], interval="local", level=0.8, X_fitted=rows)[1]
                   for one, rows in ((weighted, x[:40]), (alone, x[:40][some]))]
        np.testing.assert_allclose(*of_both, rtol=1e-6)
        again = pickle.loads(pickle.dumps(alone))  # with the second fit
        np.testing.assert_array_equal(again.predict(x[50:60], interval="local", level=0.8)[1], of_both[1])
        few = fr.FreeRidge().fit(x[:30], y[:30])
        held, learnt = (np.diff(few.predict(x[30:40], interval="jackknife+", learnt=again)[1:], axis=0)
                        for again in (False, True))
        self.assertGreater(learnt.mean(), held.mean())
        for settings in (dict(alpha=1.0), dict(alphas=[0.1, 1.0]), dict(alpha_range=(0.1, 1.0)),
                         dict(kernel="linear", rule="1se")):
            once = fr.FreeRidge(**settings).fit(x[:30], y[:30])
            self.assertRaisesRegex(fr.Error, "INVALID_STATE", once.loo_errors, learnt=True)
            self.assertRaisesRegex(fr.Error, "INVALID_STATE", once.predict, x[:2], interval="jackknife+", learnt=True)

    def test_choices_that_are_not_to_be_trusted(self):
        """Small problems, on many of which GCV takes a fit that goes through all points: a warning where the mean
        squared left-out error, by its own numbers, is 1.5 times the least one and two standard errors more; and only
        there."""
        warned = 0
        for seed in range(30):
            rng = np.random.default_rng(seed)
            x = rng.normal(size=(15, 3))
            y = np.sin(x[:, 0]) + 0.5 * x[:, 1] + 0.3 * rng.normal(size=15)
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                model = fr.FreeRidge(kernel="gaussian", lengths="one", criterion="gcv").fit(x, y)
            squares = {}
            for alpha in [model.alpha_, *model._model.search().lambdas]:
                alone = fr.Model(model.kernel_, x, y, route=fr.ROUTE_SPECTRAL).set_lambda(alpha)
                squares[alpha] = alone.loo()[:, 0] ** 2
            least = min(squares.values(), key=np.mean)
            own, error = np.mean(squares[model.alpha_]), np.std(least, ddof=1) / np.sqrt(15)
            expected = own > 1.5 * np.mean(least) and own - np.mean(least) > 2 * error
            text = " ".join(str(each.message) for each in told if "not to be trusted" in str(each.message))
            self.assertEqual(bool(text), expected, seed)
            self.assertTrue(all(each.filename == __file__ for each in told))
            warned += expected
        self.assertTrue(0 < warned < 30, warned)

    def test_alphas_below_what_rounding_allows(self):
        rng = np.random.default_rng(1)
        x, y = rng.normal(size=(60, 2)), rng.normal(size=60)
        with self.assertWarnsRegex(UserWarning,
                                   "^alpha is 1e-14, below .*, where rounding leaves left-out errors") as caught:
            fr.FreeRidge(1e-14, "gaussian", 3.0).fit(x, y)
        self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fr.FreeRidge(1e-2, "gaussian", 3.0).fit(x, y)

    def test_mistakes(self):
        x, y = diabetes()
        x, y = x[:40], y[:40]
        for words, settings in (
                ("alpha and alphas are both given", dict(alpha=1.0, alphas=[1.0])),
                ("alphas must be", dict(alphas=[-1.0])),
                ("alphas must be", dict(alphas=[])), ("alpha_range must be 2 positive", dict(alpha_range=(3.0, 1.0))),
                ("rule must be one of", dict(rule="best")),
                ("reduction must be", dict(reduction="svd")), ("(?i)accuracy", dict(accuracy=2.0)),
                ('rule is "1se", but the criterion', dict(rule="1se")),
                ('rule is "1se", which', dict(rule="1se", alpha=1.0)), ("lengths must be", dict(lengths="two")),
                ("learn must be", dict(learn="some")), ("scale must be", dict(scale=[-1.0] * 10)), ("scale must be", dict(scale=[1.0, 2.0])),
                ("shrinkage must be", dict(shrinkage=0)), ("seed must be", dict(seed=None)),
                ("bands must be 10 labels", dict(bands=[1, 2])), ("fit has no groups", dict(criterion="groups")),
                ("fit_intercept must be", dict(fit_intercept="free")),
                ("landmark_method must be", dict(landmarks=3, landmark_method="x")),
                ("has no number to learn", dict(kernel="linear()", learn="all")),
                ("sigma_range must be", dict(sigma_range=(0, 1))),
                ("there is no kernel whose bandwidth it could be", dict(sigma=2.0)),
                ("sigma is for the kernels", dict(kernel="linear", sigma=2.0))):
            with self.subTest(settings), self.assertRaisesRegex(ValueError, words):
                fr.FreeRidge(**settings).fit(x, y)
        with self.assertRaisesRegex(ValueError, "in a matrix"):
            fr.FreeRidge().fit(x, np.where(y > 200, np.nan, y))
        for groups in (np.zeros(39), np.full(40, -1), np.zeros((40, 1, 1))):
            self.assertRaises(ValueError, fr.FreeRidge().fit, x, y, groups=groups)

    def test_copies(self):
        x, y = diabetes()
        model = fr.FreeRidge().fit(x[:80], y[:80], np.arange(80) % 3.0, np.arange(80) % 5)
        for other in (pickle.loads(pickle.dumps(model)), model.predictor()):
            np.testing.assert_array_equal(other.predict(x), model.predict(x))
            self.assertEqual(other.relevance(), model.relevance())
        again = clone(model.set_params(bands=np.arange(10)))
        self.assertIs(again.kernel, None)
        search = GridSearchCV(fr.FreeRidge(), {"kernel": [None, "linear"], "shrinkage": [0.5, 1.0]}, cv=2)
        self.assertEqual(len(search.fit(x[:90], y[:90]).cv_results_["params"]), 4)
        pipeline = make_pipeline(fr.FreeRidgeLandmarks(30), fr.FreeRidge(kernel="linear"))
        self.assertGreater(np.mean(cross_val_score(pipeline, x, y, cv=3)), 0.35)


if __name__ == "__main__":
    unittest.main(verbosity=2)
