"""The Python package of python/: its estimator passes scikit-learn's estimator checks and is scikit-learn's
Ridge where the two are one; arrays are not copied; errors, progress and cancelling arrive as Python's own."""

import copy
import importlib.util
import inspect
import os
import pickle
import subprocess
import sys
import unittest
import warnings

import numpy as np
from scipy.sparse import csr_matrix
from scipy.stats import norm, t
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, ExpSineSquared
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency

import freeridge as fr

DATA = os.environ["FREERIDGE_TEST_DATA"]
ONE = dict(lengths="one", scale=False)  # one bandwidth, in the units of X


def diabetes():
    table = np.loadtxt(os.path.join(DATA, "diabetes.csv"), delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]


class Devices(unittest.TestCase):
    """Without a GPU: "host" is the CPU in the place of a device."""

    def test_the_answers_are_those_of_the_cpu(self):
        x, y = diabetes()
        there = fr.FreeRidge(kernel="gaussian", sigma=0.5, alpha=0.1, device="host").fit(x, y)
        here = fr.FreeRidge(kernel="gaussian", sigma=0.5, alpha=0.1).fit(x, y)
        np.testing.assert_allclose(there.loo_errors(), here.loo_errors(), rtol=1e-8)
        np.testing.assert_allclose(there.predict(x[:5]), here.predict(x[:5]), rtol=1e-8)

    def test_what_is_not_there_is_an_error(self):
        x, y = diabetes()
        with self.assertRaisesRegex(fr.Error, "DEVICE_UNAVAILABLE"):
            fr.FreeRidge(kernel="gaussian", device="cuda:999").fit(x, y)
        with self.assertRaisesRegex(ValueError, "runs on the CPU alone"):
            fr.FreeRidge(device="host", kernel="linear").fit(x, y)
        for name in ("gpu", "cuda:x", "", "cuda:9999"):
            with self.assertRaisesRegex(ValueError, "device must be"):
                fr.FreeRidge(kernel="gaussian", device=name).fit(x, y)

    def test_a_model_tells_its_device(self):
        x, y = diabetes()
        model = fr.Model(fr.gaussian(1.0), x, y, factorize=False)
        self.assertEqual(model.device(), "cpu")
        for device, name in (("host", "host"), (-1, "host"), ("cpu", "cpu"), (0, "cpu")):
            self.assertEqual(model.set_device(device).device(), name)


class EstimatorChecks(unittest.TestCase):
    # A check that skips itself says why, and the list of these is fixed.
    SKIP_THEMSELVES = {"check_sample_weights_pandas_series", "check_regressor_data_not_an_array",  # they need pandas
                       "check_array_api_input"}

    # Of 1.6 and later: a row of weight 2 is no row that stands twice where rows are left out to choose by.
    WEIGHTS = {"check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"}

    @staticmethod
    def checks(estimator):
        if hasattr(estimator_checks, "estimator_checks_generator"):
            return estimator_checks.estimator_checks_generator(estimator)
        return estimator_checks.check_estimator(estimator, generate_only=True)

    def check(self, estimator):
        ran = []
        for instance, check in self.checks(estimator):
            name = check.func.__name__
            left_out = isinstance(estimator, (fr.FreeRidgeClassifier, fr.KernelLogistic)) or getattr(estimator, "alpha", 1.0) is None
            if name in self.WEIGHTS and left_out:
                continue
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    check(instance)
                    ran.append(name)
                except unittest.SkipTest as reason:
                    self.assertRegex(str(reason), "pandas|SCIPY_ARRAY_API")
                    self.assertIn(name, self.SKIP_THEMSELVES)
                    print(f"{estimator}: not run: {name}: {reason}")
        self.assertGreaterEqual(len(ran), 33 if isinstance(estimator, fr.FreeRidgeLandmarks) else 40)
        print(f"{estimator}: {len(ran)} checks: {', '.join(sorted(set(ran)))}")

    def test_default(self):
        self.check(fr.FreeRidge())

    def test_classes(self):
        self.check(fr.FreeRidgeClassifier())

    def test_classes_by_a_given_kernel(self):
        self.check(fr.FreeRidgeClassifier(0.1, "gaussian", 2.0, class_weight="balanced"))

    def test_logistic(self):
        self.check(fr.KernelLogistic())

    def test_features(self):
        self.check(fr.FreeRidgeLandmarks())

    def test_features_of_given_width(self):
        self.check(fr.FreeRidgeLandmarks(5, "gaussian", 2.0, method="kmeans"))

    def test_linear(self):
        self.check(fr.FreeRidge(kernel="linear"))

    def test_linear_with_alpha(self):
        self.check(fr.FreeRidge(alpha=1.0, kernel="linear"))

    def test_gaussian(self):
        self.check(fr.FreeRidge(kernel="gaussian", sigma=3.0))

    def test_gaussian_of_chosen_bandwidth(self):
        self.check(fr.FreeRidge(kernel="gaussian", **ONE))

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed (Debian: python3-pandas)")
    def test_data_frames(self):
        """scikit-learn's check of the names of columns, which is none of check_estimator's; and tables end to end."""
        import pandas

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for estimator in (fr.FreeRidge(), fr.FreeRidge(kernel="linear"), fr.FreeRidgeClassifier(), fr.KernelLogistic()):
                check_dataframe_column_names_consistency(type(estimator).__name__, estimator)
        x, y = diabetes()
        frame = pandas.DataFrame(x, columns=[f"x{i}" for i in range(10)])
        for response in (pandas.Series(y), pandas.DataFrame({"y": y})):
            model = fr.FreeRidge(kernel="linear").fit(frame, response, pandas.Series(np.ones(len(y))))
            expected = fr.FreeRidge(kernel="linear").fit(x, y)
            self.assertTrue(np.all(model.predict(frame).ravel() == expected.predict(x)))
            self.assertEqual([model.score(frame, each) for each in (pandas.Series(y), pandas.DataFrame({"y": y}))],
                             [expected.score(x, y)] * 2)
            self.assertEqual(list(model.feature_names_in_), list(frame.columns))
            with self.assertRaisesRegex(ValueError, "same order"):
                model.predict(frame[frame.columns[::-1]])
            with self.assertRaisesRegex(ValueError, "(?s)unseen at fit time.*- other.*now missing.*- x3"):
                model.predict(frame.rename(columns={"x3": "other"}))
            with self.assertWarnsRegex(UserWarning, "does not have valid feature names"):
                model.predict(x)

    def test_landmarks(self):
        self.check(fr.FreeRidge(kernel="laplacian", sigma=20.0, landmarks=9))

    def test_copies_and_another_route(self):
        self.check(fr.FreeRidge(kernel="linear() + matern(nu = 2.5, length = 2)", route="cholesky", copy_X=False))


def routes_metadata():
    try:
        from sklearn import config_context
        with config_context(enable_metadata_routing=True):
            return hasattr(Ridge(), "set_fit_request") and hasattr(make_pipeline(Ridge()), "get_metadata_routing")
    except TypeError:
        return False


class Metadata(unittest.TestCase):
    @unittest.skipUnless(routes_metadata(), "this scikit-learn (before 1.4) routes no metadata through pipelines")
    def test_routing(self):
        from sklearn import config_context
        x, y = diabetes()
        weights, blocks = np.linspace(0.5, 2.0, len(y)), np.arange(len(y)) // 20
        with config_context(enable_metadata_routing=True):
            asked = fr.FreeRidge(kernel="linear").set_fit_request(sample_weight=True, groups="blocks")
            plain = StandardScaler().set_fit_request(sample_weight=False)
            routed = make_pipeline(plain, clone(asked)).fit(x, y, sample_weight=weights, blocks=blocks)
            scaled = StandardScaler().fit_transform(x)
            expected = fr.FreeRidge(kernel="linear").fit(scaled, y, weights, blocks)
            np.testing.assert_array_equal(routed.predict(x), expected.predict(scaled))
            self.assertEqual(routed[-1].criterion_, "groups")
            with self.assertRaisesRegex(ValueError, "not explicitly set as requested"):
                make_pipeline(fr.FreeRidge()).fit(x, y, sample_weight=weights)

    def test_requests(self):
        model = fr.FreeRidgeClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight="w")
        asked = {("fit", "sample_weight"): True, ("score", "sample_weight"): "w"}
        self.assertEqual(dict(model._metadata_request), asked)
        with self.assertRaisesRegex(TypeError, "fit of FreeRidge takes no weights; it takes sample_weight, groups"):
            fr.FreeRidge().set_fit_request(weights=True)

    def test_weights_and_groups_by_cross_validation(self):
        x, y = diabetes()
        weights, blocks = np.linspace(0.0, 2.0, len(y)), np.arange(len(y)) // 20
        model, folds = fr.FreeRidge(kernel="linear"), KFold(3)
        expected = [clone(model).fit(x[a], y[a], weights[a], blocks[a]).score(x[b], y[b]) for a, b in folds.split(x)]
        word = "params" if "params" in inspect.signature(cross_val_score).parameters else "fit_params"
        np.testing.assert_allclose(
            cross_val_score(model, x, y, cv=folds, **{word: {"sample_weight": weights, "groups": blocks}}), expected)


class Copies(unittest.TestCase):
    """Rows that stand twice: a warning where rows are left out one by one, and labels that leave them out together."""

    def test_copies_are_told(self):
        rng = np.random.default_rng(1)
        X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fr.FreeRidge(kernel="linear").fit(X, y)
            fr.FreeRidge(kernel="linear").fit(np.vstack([X, X[:1]]), np.append(y, 9.0))  # a repetition with another y
            fr.FreeRidge(criterion="reml", kernel="linear").fit(np.vstack([X, X[:1]]), np.append(y, y[0]))
        X, y = np.vstack([X, X[:2], X[:1]]), np.concatenate([y, y[:2], y[:1]])
        with self.assertWarnsRegex(UserWarning, "^3 rows have the X and the y of other rows"):
            fr.FreeRidge(kernel="linear").fit(X, y)
        group = fr.make_groups(X)
        self.assertEqual(group.tolist(), list(range(40)) + [0, 1, 0])
        self.assertEqual(fr.make_groups([2.0, 1.0, 2.0]).tolist(), [0, 1, 0])
        self.assertEqual(fr.make_groups(np.array([[2, True], [1.0, "a"], [2.0, True]], dtype=object)).tolist(), [0, 1, 0])
        with self.assertRaisesRegex(ValueError, "X must be a matrix with a row or more"):
            fr.make_groups(np.zeros((2, 2, 2)))
        model = fr.Model(fr.gaussian(1.0), X, y)
        model.set_lambda(0.5)
        without = fr.Model(fr.gaussian(1.0), X[group != 0], y[group != 0])
        without.set_lambda(0.5)
        np.testing.assert_allclose(np.ravel(model.group_errors(group))[0],
                                   y[0] - np.ravel(without.predict(X[:1]))[0], rtol=1e-9)


class Estimator(unittest.TestCase):
    def assert_close(self, actual, expected, tolerance=1e-8):
        actual, expected = np.asarray(actual), np.asarray(expected)
        self.assertEqual(actual.shape, expected.shape)
        self.assertLessEqual(np.max(np.abs(actual - expected)), tolerance * np.max(np.abs(expected)))

    def test_is_ridge(self):
        x, y = diabetes()
        weights = np.random.default_rng(1).uniform(0.0, 2.0, len(y)).round(1)  # some of them zero
        self.assertTrue(np.any(weights == 0))
        for intercept in (True, False):
            for outputs in (y, np.column_stack([y, np.sin(x[:, 2])])):
                with self.subTest(intercept=intercept, outputs=outputs.ndim):
                    ours = fr.FreeRidge(alpha=3.0, fit_intercept=intercept, kernel="linear").fit(x, outputs, weights)
                    theirs = Ridge(3.0, fit_intercept=intercept, solver="svd").fit(x, outputs, weights)
                    self.assert_close(ours.coef_, theirs.coef_)
                    self.assert_close(ours.predict(x), theirs.predict(x))
                    self.assertAlmostEqual(ours.score(x, outputs, weights), theirs.score(x, outputs, weights), 10)
                    if intercept:
                        self.assert_close(ours.intercept_, theirs.intercept_)
                    else:
                        self.assertTrue(np.all(ours.intercept_ == 0))

    def test_rows_are_added(self):
        """partial_fit() to parts of the rows is fit() to all."""
        x, y = diabetes()
        weights = np.random.default_rng(1).uniform(0.0, 2.0, len(y)).round(1)  # some of them zero
        both = np.column_stack([y, np.sin(x[:, 2])])
        cases = [(dict(alpha=3.0), y, weights), (dict(alpha=3.0, fit_intercept=False), both, None), (dict(alpha=[2.0, 5.0]), both, weights),
                 (dict(criterion="gcv"), both, weights), (dict(criterion="reml", alpha_range=(1e-3, 1e3)), y, None)]
        for settings, outputs, given in cases:
            with self.subTest(**settings):
                ours = fr.FreeRidge(kernel="linear", **settings)
                for rows in np.array_split(np.arange(len(y)), 4):
                    part = csr_matrix(x[rows]) if rows[0] == 0 else x[rows]
                    self.assertIs(ours.partial_fit(part, outputs[rows], None if given is None else given[rows]), ours)
                theirs = fr.FreeRidge(kernel="linear", scale=False, **settings).fit(x, outputs, given)
                if "alpha" not in settings:
                    theirs.set_params(alpha=ours.alpha_, criterion=None, alpha_range=None)
                    self.assertLess(np.max(np.abs(np.log(ours.alpha_ / theirs.fit(x, outputs, given).alpha_))), 1e-3)
                for answer in (lambda fit: fit.coef_, lambda fit: fit.intercept_, lambda fit: fit.predict(x),
                               lambda fit: fit.predict(x, return_std=True)[1], lambda fit: fit.predict(x, interval="prediction")[2],
                               lambda fit: fit.score(x, outputs)):
                    self.assert_close(answer(ours), answer(theirs))
                again = pickle.loads(pickle.dumps(ours))
                np.testing.assert_array_equal(again.predict(x, return_std=True)[1], ours.predict(x, return_std=True)[1])
                np.testing.assert_array_equal(again.partial_fit(x, outputs).coef_, ours.partial_fit(x, outputs).coef_)
                small = ours.predictor()
                self.assert_close(small.predict(x), ours.predict(x))
                self.assertLess(len(pickle.dumps(small)), len(pickle.dumps(ours)))
                self.assertRaisesRegex(fr.Error, "sums of its rows and no row", ours.loo_errors)
                self.assert_close(ours.fit(x, outputs).partial_fit(x[:50], outputs[:50]).coef_,
                                  fr.FreeRidge(kernel="linear", **settings).partial_fit(x[:50], outputs[:50]).coef_)

    def test_rows_that_cannot_be_added(self):
        x, y = diabetes()
        for kernel in (None, "gaussian", "precomputed", fr.gaussian(1.0)):
            self.assertFalse(hasattr(fr.FreeRidge(kernel=kernel), "partial_fit"))
        for settings, words in ((dict(robust="huber"), "robust is given"), (dict(landmarks=5), "landmarks is given"), (dict(scale=True), "scale is given"),
                                (dict(scale=np.ones(10)), "scale is given"), (dict(fit_intercept="penalised"), "has no penalty"),
                                (dict(criterion="loo"), "criterion"), (dict(alpha=1.0, alpha_range=(1, 2)), "both given"),
                                (dict(unpenalised=[0]), "unpenalised is given")):
            with self.assertRaisesRegex(ValueError, words):
                fr.FreeRidge(kernel="linear", **settings).partial_fit(x, y)
        fit = fr.FreeRidge(kernel="linear", alpha=1.0).partial_fit(x[:9], y[:9])
        before = fit.coef_
        for wrong in ((x[9:, :4], y[9:]), (x[9:], y[10:]), (x[9:], np.column_stack([y, y])[9:]), (x[9:], y[9:, None]),
                      (np.where(x == x[20], np.nan, x), y), (x[9:], y[9:], -np.ones(len(y) - 9)), (x[9:], np.full(len(y) - 9, np.inf))):
            self.assertRaises(ValueError, fit.partial_fit, *wrong)
        self.assertRaises(ValueError, fit.fit, x, y * np.nan)
        np.testing.assert_array_equal(fit.coef_, before)
        self.assertRaises(ValueError, fit.set_params(fit_intercept=False).partial_fit, x, y)
        self.assertRaises(ValueError, fr.FreeRidge(kernel="linear").partial_fit, x[:1], y[:1])
        np.testing.assert_allclose(fit.set_params(fit_intercept=True).partial_fit(x[9:], y[9:]).coef_,
                                   fr.FreeRidge(kernel="linear", alpha=1.0).fit(x, y).coef_, rtol=1e-10)

    def test_is_kernel_ridge(self):
        x, y = diabetes()
        x = x / x.std(axis=0)
        theirs = KernelRidge(alpha=0.5, kernel="rbf", gamma=1 / 4.0**2).fit(x, y)
        ours = fr.FreeRidge(alpha=0.5, kernel="gaussian", sigma=4.0, fit_intercept=False).fit(x, y)
        self.assert_close(ours.dual_coef_, theirs.dual_coef_)
        self.assert_close(ours.predict(x[:9] + 0.1), theirs.predict(x[:9] + 0.1))
        self.assertEqual((ours.alpha_, ours.sigma_, ours.best_score_), (0.5, 4.0, None))

    def test_laplacian_of_scikit_learn(self):
        """Theirs has the L1 norm: the product of ours over the columns, as docs/other-systems.md says. And their kernel
        of a period."""
        x, y = diabetes()
        x = x[:, :2] / x[:, :2].std(axis=0)
        ours = "multiplicative(laplacian(sigma = 2))"
        self.assertEqual(fr.laplacian(2).multiplicative(), fr.parse_kernel(ours))
        with open(os.path.join(os.environ["FREERIDGE_SOURCE"], "docs", "other-systems.md"), encoding="utf-8") as page:
            self.assertIn(ours, page.read())
        theirs = KernelRidge(alpha=0.5, kernel="laplacian", gamma=0.5).fit(x, y)
        self.assert_close(fr.FreeRidge(0.5, ours, fit_intercept=False).fit(x, y).dual_coef_, theirs.dual_coef_)
        single = fr.FreeRidge(0.5, "laplacian", 2.0, fit_intercept=False).fit(x[:, :1], y)
        self.assert_close(single.dual_coef_, theirs.fit(x[:, :1], y).dual_coef_)
        period = fr.periodic(1.7, fr.gaussian(np.sqrt(2) * 0.6)).values(x[:50, :1], x[:50, :1])
        self.assert_close(period, ExpSineSquared(length_scale=0.6, periodicity=1.7)(x[:50, :1]))

    def test_known_noise(self):
        """REML and standard errors with the noise known: scikit-learn's Gaussian process with alpha = s^2, which has no
        intercept and the likelihood itself."""
        random = np.random.default_rng(8)
        s = random.uniform(0.05, 0.5, 50)
        x = np.sort(random.uniform(0, 3, 50))[:, None]
        y = np.sin(2 * x[:, 0]) + s * random.normal(size=50)
        ours = fr.FreeRidge(kernel="gaussian", sigma=np.sqrt(2), scale=False, fit_intercept=False, noise_sd=1)
        ours.fit(x, y, sample_weight=1 / s ** 2)
        kernel = ConstantKernel(1.0, (1e-4, 1e4)) * RBF(1.0, "fixed")
        theirs = GaussianProcessRegressor(kernel, alpha=s ** 2).fit(x, y)
        self.assertAlmostEqual(np.log(ours.alpha_), -theirs.kernel_.theta[0], delta=1e-3)
        self.assertAlmostEqual(ours.best_score_, -theirs.log_marginal_likelihood_value_, delta=1e-6)
        new = np.linspace(-0.5, 3.5, 9)[:, None]
        for found, expected in zip(ours.predict(new, return_std=True), theirs.predict(new, return_std=True)):
            self.assertLess(np.max(np.abs(found - expected)), 1e-3)
        learnt = fr.FreeRidge(noise_sd=1, kernel="gaussian", shrinkage=np.inf, scale=False).fit(x, y, sample_weight=1 / s ** 2)
        self.assertLess(np.sqrt(np.mean((learnt.predict(x) - np.sin(2 * x[:, 0])) ** 2)), 0.1)
        self.assertEqual(pickle.loads(pickle.dumps(ours)).predict(new).tolist(), ours.predict(new).tolist())
        model = fr.Model(fr.gaussian(1.0), x, y).set_sigma2(0.25)
        self.assertEqual(model.sigma2(), 0.25)
        for wrong in (0, -1.0, np.nan, [1.0, 2.0]):
            with self.assertRaises(ValueError):
                fr.FreeRidge(noise_sd=wrong).fit(x, y)
        for other in (dict(robust="huber"), dict(stack=True)):
            with self.assertRaisesRegex(ValueError, "noise_sd"):
                fr.FreeRidge(noise_sd=1, **other).fit(x, y)

    def test_numbers_of_more_kernels_are_learnt(self):
        """A period near the given one, and the weights of an ANOVA kernel."""
        random = np.random.default_rng(5)
        time = np.sort(random.uniform(0, 8, 120))[:, None]
        y = np.sin(2 * np.pi * time[:, 0] / 1.37) + 0.1 * random.normal(size=120)
        fit = fr.FreeRidge(kernel=fr.periodic(1.3, fr.gaussian(1.0)), learn="all").fit(time, y)
        self.assertAlmostEqual(fit.kernel_.parameters["period"][0], 1.37, delta=0.01)
        x = random.uniform(-1, 1, (200, 3))
        y = np.sin(3 * x[:, 0]) * x[:, 1] + 0.05 * random.normal(size=200)
        fit = fr.FreeRidge(kernel=fr.anova(fr.matern(2.5, 1.0), [0, 1, 2]), learn="all").fit(x, y)
        weights = [part.parameters["weights"] for part in fit.kernel_.parts]
        self.assertEqual([own[0] for own in weights], [1.0] * 3)
        self.assertLess(weights[2][1], 0.1 * min(weights[0][1], weights[1][1]))
        self.assertLess(np.sqrt(np.mean(fit.loo_errors() ** 2)), 0.08)
        x, pole = np.column_stack([random.uniform(-180, 180, 60), random.uniform(-80, 80, 60), x[:60, 0]]), [180.0, 10, 0]
        kernel = fr.sphere(fr.matern(1.5, 0.5)).additive([0, 0, -1]) + fr.matern(1.5, 1.0).additive([-1, -1, 0])
        fit = fr.FreeRidge(kernel=kernel, learn="all", lengths="each").fit(x, np.cos(np.radians(x[:, 0] - 170)) + x[:, 2])
        self.assert_close(fit.predict([pole]), fit.predict([pole * np.array([-1, 1, 1])]))  # one place

    def test_constant_x(self):
        """The fit is the mean, as RidgeCV's, whatever is to be chosen; a fold in which no column varies does not end a
        search."""
        y = np.array([1.0, 2.0, 3.0, 4.0, 10.0, 5.0])
        weights = np.array([1.0, 2.0, 0.0, 1.0, 1.0, 3.0])
        x, new = np.full((6, 2), 7.0), np.array([[7.0, 7.0], [1.0, 9.0]])
        left_out = (y - y.mean()) * 6 / 5
        for make in (np.asarray, csr_matrix):
            for settings in (dict(), dict(criterion="loo"), dict(criterion="gcv"), dict(criterion="reml"),
                             dict(kernel="gaussian"),
                             dict(kernel="laplacian", alpha=2.0), dict(kernel="matern", sigma=3.0), dict(alpha=0.0),
                             dict(kernel="gaussian", landmarks=2), dict(kernel="gaussian", route="band"),
                             dict(kernel="gaussian", criterion="reml", route="cholesky")):
                for w in (None, weights):
                    with self.subTest(settings, make=make.__name__, weights=w is not None):
                        model = fr.FreeRidge(**settings).fit(make(x), np.column_stack([y, 3 * y]), w)
                        mean = np.average(y, weights=w)
                        self.assert_close(model.predict(make(new)), np.outer([1, 1], [mean, 3 * mean]), 1e-12)
                        self.assertTrue(np.all(model.alpha_ == settings.get("alpha", 1.0)))
                        if w is None:
                            self.assert_close(model.loo_errors(), np.column_stack([left_out, 3 * left_out]), 1e-10)
                            if settings == dict(criterion="loo"):
                                self.assert_close(model.best_score_, [np.mean(left_out**2), 9 * np.mean(left_out**2)])
        self.assert_close(fr.FreeRidge(kernel="linear").fit(x, y).predict(new), RidgeCV().fit(x, y).predict(new))
        self.assertTrue(np.all(fr.FreeRidge(fit_intercept=False, kernel="linear").fit(0 * x, y).predict(x) == 0))
        plain = fr.FreeRidge(kernel="gaussian", fit_intercept=False, **ONE).fit(x, y)  # f is constant, and shrunk
        self.assert_close(plain.predict(x), np.full(6, y.sum() / (6 + plain.alpha_)))
        stack = fr.FreeRidge(stack=True).fit(x, y)
        self.assert_close(stack.predict(new), np.full(2, y.mean()), 1e-12)
        self.assert_close(stack.loo_errors(), left_out, 1e-10)
        for kernel in (None, "linear"):
            self.assert_close(fr.KernelLogistic(kernel=kernel).fit(x, y > 4).predict_proba(x[:1]), [[4 / 6, 2 / 6]], 1e-7)
        folds = np.concatenate([np.full((5, 1), 7.0), np.arange(5.0)[:, np.newaxis]])
        for kernel in ("linear", "gaussian"):
            scores = cross_val_score(fr.FreeRidge(kernel=kernel), folds, np.arange(10.0), cv=KFold(2))
            self.assertTrue(np.all(np.isfinite(scores)))

    def test_leave_one_out(self):
        x, y = diabetes()
        ours = fr.FreeRidge(kernel="gaussian", sigma=200.0, alpha=0.1)
        expected = y[::6] - cross_val_predict(clone(ours), x[::6], y[::6], cv=LeaveOneOut())
        self.assert_close(ours.fit(x[::6], y[::6]).loo_errors(), expected, 1e-7)

    def test_robust_weights_are_a_fixed_point(self):
        """Huber's weights of the errors that refits without each row make, times the weights given; gross errors are
        weighed down, and the fit is near that of the data without them."""
        x, y = diabetes()
        x, y = x[::4] / x.std(axis=0), y[::4].copy()
        clean, weights = y.copy(), np.linspace(0.5, 2.0, len(y))
        y[5::10] += 1000.0
        weights[::9] = 0.0
        used = weights > 0
        for given in (None, weights):
            for kernel, alpha, lengths in (("linear", 3.0, None), ("linear", None, None), ("gaussian", None, "one"),
                                           (None, None, None)):
                ours = fr.FreeRidge(alpha, kernel, lengths=lengths, robust="huber").fit(x, y, given)
                plain = lambda: fr.FreeRidge(alpha, kernel, lengths=lengths)
                v, c = ours.robustness_weights_, np.ones(len(y)) if given is None else given
                size = np.full(len(y), np.nan)
                for i in np.flatnonzero(c > 0):
                    others = (np.arange(len(y)) != i) & (c > 0)
                    refit = fr.FreeRidge(ours.alpha_, ours.kernel_, scale=False).fit(x[others], y[others], (c * v)[others])
                    size[i] = np.sqrt(c[i]) * abs(y[i] - refit.predict(x[[i]])[0])
                expected = np.minimum(1.0, 1.345 * np.nanmedian(size) / 0.6744897501960817 / size)
                np.testing.assert_allclose(v[c > 0], expected[c > 0], atol=2e-3)
                self.assertTrue(np.all(v[c == 0] == 1.0))
                self.assertLess(v[5::10][c[5::10] > 0].max(), 0.25)
                far = lambda model: np.mean((model.predict(x) - plain().fit(x, clean, given).predict(x)) ** 2)
                self.assertLess(far(ours), far(plain().fit(x, y, given)) / 10)
                self.assertEqual(copy.deepcopy(ours).robustness_weights_.tolist(), v.tolist())
                if alpha is None and kernel == "linear":
                    errors = ours.loo_errors()[c > 0]
                    self.assert_close(np.average(errors ** 2, weights=(c * v)[c > 0]), ours.best_score_)
        _, lower, upper = ours.predict(x[:5], interval="prediction", level=0.9)  # sigma is that of normal errors
        freedom, error = ours.model_.degrees_of_freedom(), ours.predict(x[:5], return_std=True)[1]
        residual = (y - ours.predict(x))[used]
        self.assert_close(freedom.sigma2, ours.model_.weights() @ residual ** 2 / (used.sum() - freedom.df) / (2 * norm.cdf(1.345) - 1))
        new = error ** 2 + freedom.sigma2
        self.assert_close(upper - lower, 2 * t.ppf(0.95, used.sum() - freedom.df) * np.sqrt(new))
        again = fr.FreeRidge(kernel="linear", robust="huber").fit(x[::3], y[::3])
        v = again.robustness_weights_
        self.assertRaises(ValueError, again.fit, x, y * np.nan)
        self.assertIs(again.robustness_weights_, v)
        for i in (0, 7):  # lambda chosen again without the row, with the weights held
            others = np.arange(len(v)) != i
            refit = fr.FreeRidge(kernel="linear").fit(x[::3][others], y[::3][others], v[others])
            self.assertAlmostEqual(again.loo_errors(learnt=True)[i], y[::3][i] - refit.predict(x[::3][[i]])[0], delta=1e-5 * y.std())
        lower, upper = fr.FreeRidge(robust="huber").fit(x[::3], y[::3]).predict(x[:3], interval="jackknife+", learnt=True)[1:]
        self.assertTrue(np.all(lower < upper))
        self.assertIsNone(fr.FreeRidge().fit(x, y).robustness_weights_)
        np.testing.assert_array_equal(fr.FreeRidge(1.0, robust="huber").fit(x, np.ones(len(y))).robustness_weights_, 1.0)
        for robust, outputs, route, words in (("huber", np.column_stack([y, y]), "auto", "one output, and y has 2"),
                                              ("tukey", y, "auto", "robust must be"),
                                              ("huber", y, "iterative", "left-out error of each row"),
                                              ("huber", (np.arange(len(y)) == 3) * 1.0, "auto", "half of the left-out")):
            with self.assertRaisesRegex(ValueError, words):
                fr.FreeRidge(1.0, robust=robust, route=route, fit_intercept=False, kernel="laplacian",
                             sigma=1e-3).fit(x, outputs)

    def test_importance_is_that_of_refits(self):
        x, y = diabetes()
        x, y = x[::11, :4] / x[::11, :4].std(axis=0), y[::11]
        n, weights, group = len(y), np.linspace(0.5, 2.0, len(y)), np.arange(len(y)) % 7 - 1
        weights[3] = 0.0
        used = weights > 0
        for kernel, given, labels, free in (("linear", None, None, None), ("gaussian", weights, None, None),
                                            ("gaussian", None, group, None), ("gaussian", weights, None, [1]), ("linear", None, group, [0, 2])):
            sigma = None if kernel == "linear" else 3.0
            def new():
                return fr.FreeRidge(2.0, kernel, sigma, unpenalised=free)
            w, rows = np.ones(n) if given is None else given, np.arange(n) if labels is None else labels
            ours = new().fit(x, y, given)
            def squares(z, of=x):
                out = np.full(n, np.nan)
                for i in np.flatnonzero((w > 0) & (rows >= 0)):
                    kept = (rows != rows[i]) & (w > 0)
                    out[i] = (y[i] - new().fit(of[kept], y[kept], w[kept]).predict(z[[i]])[0]) ** 2
                return out
            base = squares(x)
            variables = [0, [1, 3]]
            for kind in ("permutation", "drop"):
                found = ours.importance(x, y, kind, variables, 2, 5, labels)
                self.assert_close(found.mean_square[0], np.average(base[np.isfinite(base)], weights=w[np.isfinite(base)]))
                for k, one in enumerate(variables):
                    draw, without = np.random.RandomState(5), []
                    for _ in range(2 if kind == "permutation" else 1):
                        z = x.copy()
                        if kind == "permutation":
                            z[np.ix_(w > 0, np.atleast_1d(one))] = x[w > 0][draw.permutation(np.sum(w > 0))][:, np.atleast_1d(one)]
                            without.append(squares(z))
                        else:
                            z[:, one] = 0.0
                            without.append(squares(z, z))
                    d = np.mean(without, axis=0) - base
                    known = np.isfinite(d)
                    mean = np.average(d[known], weights=w[known])
                    parts = [np.sum((w * (d - mean))[known & (rows == label)]) for label in np.unique(rows[known])]
                    error = np.sqrt(np.sum(np.square(parts)) * len(parts) / (len(parts) - 1)) / w[known].sum()
                    np.testing.assert_allclose([found.increase[k, 0], found.errors[k, 0]], [mean, error], rtol=1e-7)
        ours = fr.FreeRidge(2.0, "gaussian", 3.0).fit(x, y)
        sparse = fr.FreeRidge(2.0, "gaussian", 3.0).fit(csr_matrix(x), y)
        for kind in ("permutation", "drop"):
            np.testing.assert_allclose(sparse.importance(csr_matrix(x), y, kind).increase,
                                       fr.FreeRidge(2.0, "gaussian", 3.0).fit(x, y).importance(x, y, kind).increase, rtol=1e-7)
            few = fr.FreeRidge(2.0, "gaussian", 3.0, landmarks=list(range(n))).fit(x, y).importance(x, y, kind)
            np.testing.assert_allclose(few.increase, sparse.importance(csr_matrix(x), y, kind).increase, rtol=1e-5)
        for arguments, words in (((x, y, "shap"), "kind must be"), ((x[:, 1:], y), "the model was made from"),
                                 ((x, np.column_stack([y, y])), "the model was made from"), ((x, y, "drop", [9]), "columns must be"),
                                 ((x, y, "drop", [0.5]), "columns must be"), ((x, y, "permutation", None, 0), "permutations is 0"),
                                 ((x, y, "drop", None, 1, 0, [0]), "group")):
            with self.assertRaisesRegex(ValueError, words):
                ours.importance(*arguments)
        square = fr.Model(fr.precomputed(), np.eye(5), np.arange(5.0)).set_lambda(1.0)
        with self.assertRaisesRegex(ValueError, "precomputed"):
            fr.importance(square, np.eye(5), np.arange(5.0))
        fixed = fr.Model(fr.linear(), x, y, factorize=False).set_fixed_effects(np.sin(y)).factorize().set_lambda(1.0)
        for other in (None, np.ones((n, 2)), np.ones((n - 1, 1))):
            with self.assertRaisesRegex(ValueError, "unpenalised columns"):
                fr.importance(fixed, x, y, fixed=other)
        with self.assertRaisesRegex(ValueError, "columns must be"):
            fr.FreeRidge(2.0, "linear", unpenalised=[1]).fit(x, y).importance(x, y, columns=[4])

    def test_importance_has_the_groups_of_fit_and_gross_errors_in_full(self):
        x, y = diabetes()
        x, y, group = x[::11, :3], y[::11], np.arange(len(y[::11])) % 7
        fit = fr.FreeRidge(2.0, "linear").fit(x, y, groups=group)
        for labels in (group, np.array(list("abcdefg"))[group]):
            np.testing.assert_array_equal(fit.importance(x, y).increase, fit.importance(x, y, group=labels).increase)
        self.assertNotEqual(fit.importance(x, y).increase[0, 0], fr.FreeRidge(2.0, "linear").fit(x, y).importance(x, y).increase[0, 0])
        for groups, gap, words in ((np.column_stack([group, group[::-1]]), None, "2 divisions"), (group, (group + 1) % 7, "gaps beside")):
            with self.assertRaisesRegex(ValueError, words):
                fr.FreeRidge(2.0, "linear").fit(x, y, groups=groups, gap=gap).importance(x, y)
        y[4] += 1000
        robust = fr.FreeRidge(2.0, "linear", robust="huber").fit(x, y)
        self.assert_close(robust.importance(x, y).mean_square, [np.mean(robust.loo_errors() ** 2)])

    def test_the_influence_of_rows_is_that_of_refits(self):
        x, y = diabetes()
        x, y = x[::15, :4] / x[::15, :4].std(axis=0), y[::15] / 50
        n, weights = len(y), np.linspace(0.5, 2.0, len(y))
        weights[3] = 0.0
        both = np.column_stack([y, np.sin(y)])
        both[5, 1] = np.nan
        y[7] += 30
        for settings, given, outputs in ((dict(kernel="linear", alpha=2.0), weights, both),
                                         (dict(kernel="linear", alpha=0.5, unpenalised=[1, 3]), weights, y),
                                         (dict(kernel="linear", alpha=0.0, fit_intercept=False), None, y),
                                         (dict(kernel="gaussian", sigma=2.0, alpha=0.3, noise_sd=1.5), None, y),
                                         (dict(kernel="gaussian", sigma=2.0, alpha=0.3, unpenalised=[0]), weights, both)):
            with self.subTest(**settings):
                fit = lambda w: fr.FreeRidge(scale=False, **settings).fit(x, outputs, w)
                ours, used = fit(given), np.ones(n, bool) if given is None else given > 0
                found, w = ours.influence(), np.ones(n) if given is None else given
                seen = lambda values: np.asarray(values).reshape(n, -1)
                for i in np.flatnonzero(used):
                    without = fit(w * (np.arange(n) != i))
                    freedom = without._model.degrees_of_freedom()
                    known = ~np.isnan(seen(outputs)[i])
                    self.assert_close(seen(found.sigma)[i][known], np.sqrt(freedom.sigma2)[known])
                    e = seen(outputs)[i] - without.predict(x[[i]]).ravel()
                    student = e / np.sqrt(freedom.sigma2 / w[i] / (1 - seen(found.hat)[i]))
                    self.assert_close(seen(found.rstudent)[i][known], student[known])
                    self.assertTrue(np.all(np.isnan(seen(found.rstudent)[i][~known])))
                    left = np.sum(used) - np.sum(np.isnan(seen(outputs)), axis=0) - 1 - freedom.df
                    bound = norm.ppf(1 - 0.025 / n) if "noise_sd" in settings else t.ppf(1 - 0.025 / (used.sum() - np.isnan(seen(outputs)).sum(axis=0)), left)
                    np.testing.assert_array_equal(seen(found.outlier)[i], np.abs(np.where(known, student, 0.0)) > bound)
                    self.assertEqual(found.dfbeta is None, settings["kernel"] != "linear")
                    if found.dfbeta is not None:
                        change = np.atleast_2d(ours.coef_ - without.coef_)
                        if settings.get("fit_intercept", True):
                            change = np.column_stack([np.ravel(ours.intercept_ - without.intercept_), change])
                        self.assert_close(found.dfbeta[i], change[0] if outputs is y else change.T, 1e-7)
                if given is not None:
                    self.assertTrue(np.all(np.isnan(found.rstudent[3])) and not np.any(found.outlier[3]))
                    self.assertTrue(found.dfbeta is None or not np.any(found.dfbeta[3]))
                self.assertTrue(seen(found.outlier)[7, 0] if outputs is y else not found.outlier.any())
                np.testing.assert_allclose(found.dffits, found.rstudent * np.sqrt(found.hat / (1 - found.hat)))
        with self.assertRaisesRegex(ValueError, "a stack has no influence"):
            fr.FreeRidge(stack=True).fit(x, y).influence()
        with self.assertRaisesRegex(fr.Error, "INVALID_STATE"):
            ours.predictor().influence()

    def test_the_model_behind_a_fit(self):
        x, y = diabetes()
        fit = fr.FreeRidge(2.0, "linear", unpenalised=[1]).fit(x, y, np.arange(len(y)) % 3)
        self.assertEqual((fit.model_.n, fit.model_.d, fit.model_.fixed_count()), (int(np.sum(np.arange(len(y)) % 3 > 0)), 9, 1))
        self.assert_close(fit.model_.hyperplane()[:, 0], np.delete(fit.coef_, 1))
        self.assertRaises(AttributeError, lambda: fr.FreeRidge().model_)

    def test_score_tests(self):
        """With all other columns unpenalised it is the t test of least squares; the statistic by its formula."""
        x, y = diabetes()
        x, y = x[::9, :4] * [1, 2, 3, 4], y[::9]
        n, weights = len(y), np.linspace(0.5, 2.0, len(y))
        design, root = np.column_stack([np.ones(n), x]), np.sqrt(weights)
        for k in range(4):
            w = np.linalg.lstsq(root[:, None] * design, root * y, rcond=None)[0]
            sigma2 = np.sum(weights * (y - design @ w) ** 2) / (n - 5)
            error = np.sqrt(sigma2 * np.linalg.inv((design.T * weights) @ design)[k + 1, k + 1])
            fit = fr.FreeRidge(1.0, "linear", unpenalised=[j for j in range(4) if j != k]).fit(x, y, weights)
            found = fit.score_tests(x, y)
            self.assert_close(found.p_value, [2 * t.sf(abs(w[k + 1] / error), n - 5)], 1e-6)
            with self.assertRaisesRegex(ValueError, "which has no penalty"):
                fit.score_tests(x, y, columns=[(k + 1) % 4])
        both = np.column_stack([y, np.cos(y)])
        learnt = fr.FreeRidge().fit(x, both)
        every, pair = learnt.score_tests(x, both), learnt.score_tests(x, both, columns=[1, [2, 3]])
        self.assert_close(pair.p_value[0], every.p_value[1])
        self.assertEqual(every.p_value.shape, (4, 2))
        given = fr.FreeRidge(1.0, "gaussian", sigma=60.0, scale=False).fit(x, y)
        tests = given.set_params(robust="huber").score_tests(x, y)  # a parameter of the next fit
        blind = x * [0, 1, 1, 1]
        null, kernel = given.kernel_.values(blind, blind), given.kernel_.values(x, x)
        inverse = np.linalg.inv(null + tests.alpha[0] * np.eye(n))
        p = inverse - np.outer(inverse.sum(axis=0), inverse.sum(axis=0)) / inverse.sum()
        self.assert_close(tests.statistic[0], y @ p @ (kernel - null) @ p @ y / (y @ p @ y), 1e-7)
        model = fr.Model(fr.precomputed(), null, y).set_lambda(tests.alpha[0])
        self.assert_close(model.score_test(kernel - null).p_value, tests.p_value[:1], 1e-6)
        self.assertRaises(ValueError, model.score_test, null[1:])
        self.assertRaises(fr.InputError, model.score_test, null * np.nan)
        for words, call in (("precomputed", lambda: fr.FreeRidge(kernel="precomputed").fit(null, y).score_tests(null, y)),
                            ("missing", lambda: given.score_tests(x, np.where(y > 200, np.nan, y))), ("made from", lambda: given.score_tests(x[1:], y[1:])),
                            ("robust", lambda: fr.FreeRidge(robust="huber").fit(x, y).score_tests(x, y)), ("columns must be", lambda: given.score_tests(x, y, [4])),
                            ("a stack", lambda: fr.FreeRidge(stack=True).fit(x, y).score_tests(x, y))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                call()

    def test_predictions_are_sums_of_parts(self):
        x, y = diabetes()
        x, new, y = x[:60], x[60:75], y[:60]
        both, weights = np.column_stack([y, np.sin(y)]), np.arange(60) % 3 * 1.0
        wide = np.random.default_rng(2).normal(size=(60, 34))
        part = fr.matern(1.5, 1.0)
        cases = [({}, x, y, None), (dict(kernel="linear", alpha=2.0), x, both, weights), (dict(kernel="linear", alpha=0.0), x, y, None),
                 (dict(unpenalised=[2, 5]), x, y, weights), (dict(kernel="linear", alpha=0.0, unpenalised=[1]), x, y, None),
                 (dict(kernel=part + 0.5 * part.additive([0, 0, 1, 2, -1, 3, 3, 3, 4, 5]) + 2 * fr.constant(), alpha=1.0), x, both, None),
                 (dict(kernel="gaussian", sigma=3.0, landmarks=20, alpha=1.0), x, y, None), (dict(fit_intercept=False), x, y, None), ({}, wide, y, None)]
        for settings, rows, outputs, given in cases:
            with self.subTest(**settings):
                fit = fr.FreeRidge(**settings).fit(rows, outputs, given)
                at = new if rows is x else wide[:15] + 0.1
                found = fit.predict_terms(at, rows)
                self.assert_close(found.constant + found.values.sum(axis=1), fit.predict(at))
                own = fit.predict_terms(rows, rows).values[weights > 0 if given is not None else slice(None)]
                self.assertLess(np.max(np.abs(own.mean(axis=0))), 1e-9 * np.max(np.abs(outputs)))
                self.assertEqual(len(found.names), found.values.shape[1])
                moved = at.copy()
                moved[:, 0] += 1  # of which only the parts with this column know
                change = np.max(np.abs(fit.predict_terms(moved, rows).values - found.values).reshape(15, len(found.names), -1), axis=(0, 2))
                for name, by in zip(found.names, change):
                    if "of all" not in name and "x0" not in name.split(":"):
                        self.assertLess(by, 1e-10 * np.max(np.abs(outputs)), name)
        if importlib.util.find_spec("pandas"):
            import pandas
            frame = pandas.DataFrame(x[:, :3], columns=["a b", "if", "c"])
            names = fr.FreeRidge(unpenalised=["c"]).fit(frame, y).predict_terms(frame[:2], frame).names
            self.assertEqual(names[-3:], ["a b", "if", "c"])
        fit = fr.FreeRidge(alpha=1.0, kernel="linear").fit(x, y)
        for words, call in (("expecting 10", lambda: fit.predict_terms(new[:, 1:], x)), ("made from", lambda: fit.predict_terms(new, x[1:])),
                            ("in their order", lambda: fit.predict_terms(new, x[::-1])),
                            ("sparse", lambda: fit.predict_terms(csr_matrix(new), x)), ("a stack", lambda: fr.FreeRidge(stack=True).fit(x, y).predict_terms(new, x)),
                            ("no sum of parts", lambda: fr.FreeRidge(kernel="precomputed").fit(x @ x.T, y).predict_terms(x @ x.T, x @ x.T))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                call()

    def test_several_kernel_matrices_have_a_variance_each(self):
        """Those that maximise the restricted likelihood of y = b + f_1 + f_2 + e; rows of weight 0 count for nothing."""
        from scipy.optimize import minimize
        draw = np.random.RandomState(0)
        factors = [draw.randn(60, 5), draw.randn(60, 7)]
        first, second = (z @ z.T / z.shape[1] for z in factors)
        y = factors[0] @ draw.randn(5) + 0.5 * factors[1] @ draw.randn(7) + draw.randn(60)

        def reml(logs):
            v = np.exp(logs[0]) * first + np.exp(logs[1]) * second + np.exp(logs[2]) * np.eye(60)
            inverse = np.linalg.inv(v)
            ones = inverse.sum(axis=0)
            residual = y - ones @ y / ones.sum()
            return np.linalg.slogdet(v)[1] + np.log(ones.sum()) + residual @ inverse @ residual

        best = minimize(reml, np.zeros(3), method="Nelder-Mead", options=dict(xatol=1e-9, fatol=1e-13, maxiter=4000)).x
        fit = fr.FreeRidge(kernel="precomputed").fit(np.hstack([first, second]), y)
        found = fit.variance_components()
        np.testing.assert_allclose([*found.random[0], found.residual[0]], np.exp(best), rtol=1e-5)
        w = np.ones(60)
        w[[3, 40]] = 0
        some = w > 0
        weighted = fr.FreeRidge(kernel="precomputed").fit(np.hstack([first, second]), y, sample_weight=w)
        alone = fr.FreeRidge(kernel="precomputed").fit(np.hstack([k[np.ix_(some, some)] for k in (first, second)]), y[some])
        self.assert_close(weighted.predict(np.hstack([first, second])),
                          alone.predict(np.hstack([first[:, some], second[:, some]])))
        self.assert_close(weighted.set_params(kernel=None).predict(np.hstack([first, second])[:2]),
                          alone.predict(np.hstack([first[:, some], second[:, some]])[:2]))
        both = np.hstack([first, second])
        for kernel, matrices, one in ((2 * fr.precomputed(), first, 2 * first), ("2 * precomputed()", first, 2 * first),
                                      (fr.precomputed() + 0.5 * fr.precomputed(), both, first + 0.5 * second)):
            for make, outputs, answer in ((fr.FreeRidge, y, "predict"), (fr.KernelLogistic, y > 0, "decision_function")):
                ours, own = make(1.0, kernel).fit(matrices, outputs, w), make(1.0, "precomputed").fit(one, outputs, w)
                self.assert_close(getattr(ours, answer)(matrices), getattr(own, answer)(one), 1e-7)
        self.assert_close(cross_val_predict(fr.FreeRidge(1.0, 2 * fr.precomputed()), first, y),
                          cross_val_predict(fr.FreeRidge(1.0, "precomputed"), 2 * first, y))
        with self.assertRaisesRegex(ValueError, "DIMENSION_MISMATCH"):
            fr.FreeRidge(kernel="precomputed").fit(np.hstack([first, second[:, 1:]]), y)

    def test_gaps_beside_groups(self):
        """Blocks of time with gaps, by the core's call, by refits, and with labels of any kind; rows of weight 0."""
        x, y = diabetes()
        x, y = x[:60], y[:60]
        group, gap = fr.make_blocks(60, 5, 2, 2)
        for names in (group, np.array(["a", "b", "c", "d", "e"])[group], group.astype(object), group.astype(float), [*group]):
            beside = gap if names is group else np.where(gap >= 0, np.asarray(names)[np.maximum(0, 12 * gap)], None)
            if isinstance(names, list):  # as pandas shifts labels
                beside = np.where(gap < 0, np.nan, gap)
            fit = fr.FreeRidge(kernel="gaussian", sigma=3.0, criterion="groups").fit(x, y, groups=names, gap=beside)
            if names is group:
                first = fit
                model = fr.Model(fr.gaussian(3.0), x, y, factorize=False).set_groups(group, gap)
                self.assertEqual(fit.alpha_, model.factorize().select_lambda(fr.GROUPS).lambdas[0])
            self.assertEqual(fit.alpha_, first.alpha_)
            errors = fit.group_errors(names, beside)
            for k in range(5):
                kept = (group != k) & ~np.any(gap == k, axis=1)
                again = fr.FreeRidge(fit.alpha_, "gaussian", 3.0).fit(x[kept], y[kept])
                self.assert_close(errors[group == k], y[group == k] - again.predict(x[group == k]))
        w = np.where(np.arange(60) % 7 == 3, 0.0, 1.0)
        weighted = fr.FreeRidge(kernel="gaussian", sigma=3.0).fit(x, y, w, groups=group, gap=gap)
        there = fr.FreeRidge(kernel="gaussian", sigma=3.0).fit(x[w > 0], y[w > 0], groups=group[w > 0], gap=gap[w > 0])
        self.assert_close(weighted.alpha_, there.alpha_)
        plain = fr.FreeRidge(weighted.alpha_, "gaussian", 3.0).fit(x, y, w)
        errors = plain.group_errors(np.where(group == 4, -1, group))
        for k in range(4):  # rows of weight 0 without their group, too
            again = fr.FreeRidge(weighted.alpha_, "gaussian", 3.0).fit(x, y, w * (group != k))
            self.assert_close(errors[group == k], y[group == k] - again.predict(x[group == k]))
        self.assertTrue(np.all(np.isnan(errors[group == 4])))
        self.assertTrue(np.all(np.isnan(plain.group_errors(group, gap)[w == 0])))
        for words, call in (("no groups beside", lambda: fr.FreeRidge().fit(x, y, gap=gap)),
                            ("gap has shape", lambda: first.group_errors(group, gap[:9]))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                call()

    def test_columns_without_a_penalty(self):
        """By name and number: the core's fixed effects, in predictions, errors, intervals, effects, classes; linear fits by
        their equations; rows of weight 0; sparse rows."""
        import pandas
        x, y = diabetes()
        x, y, new = x[::4], y[::4], x[1:9]
        rest, two = [0, 1, 3, 4, 6, 7, 8, 9], [2, 5]
        linear = fr.FreeRidge(2.0, "linear", unpenalised=two).fit(x, y)
        z = x - x.mean(axis=0)
        penalty = np.diag([0.0 if k in two else 2.0 for k in range(10)])
        self.assert_close(linear.coef_, np.linalg.solve(z.T @ z + penalty, z.T @ y))
        self.assert_close(linear.unpenalised_coef_, linear.coef_[two])
        frame = pandas.DataFrame(x, columns=[f"x{i}" for i in range(10)])
        named = fr.FreeRidge(2.0, "linear", unpenalised=["x5", "x2"]).fit(frame, y)
        self.assert_close(named.coef_, linear.coef_)
        fit = fr.FreeRidge(unpenalised=two).fit(x, y)
        model = fr.Model(fit.kernel_, x[:, rest], y, factorize=False).set_fixed_effects(x[:, two])
        model.factorize().set_lambda(fit.alpha_)
        self.assert_close(fit.predict(new), model.predict(new[:, rest], new[:, two])[:, 0])
        self.assert_close(fit.loo_errors(), model.loo()[:, 0])
        self.assert_close(fit.predict(new, return_std=True)[1],
                          model.predict_covariance(new[:, rest], False, fixed=new[:, two]).errors[:, 0])
        self.assert_close(fit.predict(new, return_cov=True)[1], model.predict_covariance(new[:, rest], fixed=new[:, two]).covariance)
        self.assert_close(fit.predict(new, interval="jackknife+")[1],
                          model.predict_jackknife(new[:, rest], 0.95, fixed=new[:, two]).lower[:, 0])
        for kind in ("confidence", "prediction", "gp", "local"):
            f, lower, upper = fit.predict(new, interval=kind, X_fitted=x if kind == "local" else None)
            self.assertTrue(np.all((lower < f) & (f < upper)))
        self.assert_close(fit.predict_path(new, [fit.alpha_])[:, 0], fit.predict(new))
        self.assertEqual(sorted(one.column for one in fit.relevance()), [f"x{k}" for k in rest])
        effect = fit.effects(x, [3], points=4, rows=20)[0]
        moved = x[np.unique(np.round(np.linspace(0, len(x) - 1, 20)).astype(int))].copy()
        moved[:, 3] = effect.value[1]
        self.assertEqual(effect.column, 3)
        self.assert_close(effect.estimate[1, 0], fit.predict(moved).mean())
        w = np.where(np.arange(len(y)) % 5 == 1, 0.0, 1.0)
        weighted = fr.FreeRidge(0.5, "gaussian", 2.0, unpenalised=2).fit(x, y, w)
        alone = fr.FreeRidge(0.5, "gaussian", 2.0, unpenalised=2).fit(x[w > 0], y[w > 0])
        self.assert_close(weighted.predict(new), alone.predict(new))
        self.assert_close(weighted.loo_errors()[w == 0], (y - alone.predict(x))[w == 0])
        sparse = fr.FreeRidge(2.0, "linear", unpenalised=two).fit(csr_matrix(x), y)
        self.assert_close(sparse.predict(csr_matrix(new)), linear.predict(new))
        self.assert_close(pickle.loads(pickle.dumps(fit.predictor())).predict(new), fit.predict(new))
        classes = fr.FreeRidgeClassifier(2.0, "linear", unpenalised=two).fit(x, y > 150)
        signs = fr.FreeRidge(2.0, "linear", unpenalised=two).fit(x, np.where(y > 150, 1.0, -1.0))
        self.assert_close(classes.coef_, signs.coef_)
        for words, call in (("which is no column of X", lambda: fr.FreeRidge(unpenalised=["age"]).fit(x, y)),
                            ("which is no column of X", lambda: fr.FreeRidge(unpenalised=[10]).fit(x, y)),
                            ("all columns of X", lambda: fr.FreeRidge(unpenalised=range(10)).fit(x, y)),
                            ("chosen without unpenalised", lambda: fr.FreeRidge(unpenalised=[1], stack=True).fit(x, y)),
                            ("kernel matrix", lambda: fr.FreeRidge(kernel="precomputed", unpenalised=[1]).fit(x[:10], y[:10])),
                            ("no column with a penalty", lambda: fit.effects(x, [2])),
                            ("expecting 10 features", lambda: fit.importance(x[:, :9], y))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                call()
        self.assertRaises(AttributeError, lambda: fr.FreeRidge(1.0, "linear").fit(x, y).unpenalised_coef_)

    def test_predictions_at_many_alphas(self):
        x, y = diabetes()
        x, y, new, alphas = x[::4], y[::4], x[1:6], [0.1, 3.0]
        for outputs in (y, np.column_stack([y, np.sin(y)])):
            fit = fr.FreeRidge(kernel="gaussian").fit(x, outputs)
            found = fit.predict_path(new, alphas)
            for k, alpha in enumerate(alphas):
                same = fr.FreeRidge(alpha, fit.kernel_, scale=False).fit(x, outputs)
                self.assert_close(found[:, k], same.predict(new))
        with self.assertRaises(ValueError):
            fit.predict_path(new[:, 1:], alphas)

    def test_new_outputs_have_weights_and_bounds(self):
        x, y = diabetes()
        x, y, new, w = x[::4], y[::4], x[1:9], np.arange(1.0, 9)
        model = fr.FreeRidge().fit(x, y)
        core = model._model
        f, lower, upper = model.predict(new, interval="gp", weights=w)
        found = core.predict_variance(new)
        self.assert_close((upper - f) / 1.959963984540054, np.sqrt(found.variance + found.noise / w[:, np.newaxis])[:, 0])
        f, lower, upper = model.predict(new, interval="prediction", weights=w)
        _, low, high = model.predict(new, interval="confidence")
        ratio = (upper - f) ** 2 - (high - f) ** 2  # t^2 sigma^2 / w
        self.assert_close(ratio * w, np.full(8, ratio[0]))
        self.assert_close(np.array(model.predict(new, interval="gp", weights=1)), np.array(model.predict(new, interval="gp")))
        bounded = model.predict(new, interval="prediction", weights=w, bounds=(100, 150))
        self.assert_close(np.array(bounded), np.clip(np.array([f, lower, upper]), 100, 150))
        free, std = model.predict(new, return_std=True)
        kept, same = model.predict(new, return_std=True, bounds=(0, 150))
        self.assert_close(kept, np.minimum(free, 150))
        self.assert_close(same, std)
        for words, settings in (("weights are those", dict(weights=w)), ("weights is 0", dict(interval="gp", weights=w - 1)),
                                ("one number >= 0", dict(interval="gp", weights=w[1:])), ("bounds must be", dict(bounds=(1, 0))),
                                ("bounds must be", dict(bounds=3))):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                model.predict(new, **settings)

    def test_effects_are_averages_of_predictions(self):
        x, y = diabetes()
        x, y = x[::6, :4] / x[::6, :4].std(axis=0), np.column_stack([y[::6], np.sin(y[::6])])
        model = fr.FreeRidge(2.0, "gaussian", 3.0, scale=False).fit(x, y)
        for found in (model.effects(x, [2, "x0"], points=4, pairs=True), model.effects(x, [2, "x0"], points=4, rows=30)):
            self.assertEqual([one.column for one in found], [2, 0])
            for one in found:
                self.assert_close(one.value, np.linspace(x[:, one.column].min(), x[:, one.column].max(), 4))
                kept = x if one.covariance is not None else x[np.unique(np.round(np.linspace(0, len(x) - 1, 30)).astype(int))]
                moved = np.tile(kept, (4, 1))
                moved[:, one.column] = np.repeat(one.value, len(kept))
                f, whole = model.predict(moved, return_cov=True)
                average = np.kron(np.eye(4), np.full(len(kept), 1 / len(kept)))
                self.assert_close(one.estimate, average @ f)
                for j in range(2):
                    expected = average @ whole[:, :, j] @ average.T
                    np.testing.assert_allclose(one.errors[:, j], np.sqrt(np.diag(expected)), rtol=1e-7)
                    if one.covariance is not None:
                        np.testing.assert_allclose(one.covariance[:, 4 * j:4 * j + 4], expected, rtol=1e-6, atol=1e-12)
        one = model.effects(x, [0], pairs=True)[0]
        covariance, freedom = one.covariance[:, :25], 20.0
        c = fr.simultaneous_quantile(covariance, freedom)
        draw = np.random.RandomState(1)
        values = draw.multivariate_normal(np.zeros(25), covariance, 40000) / one.errors[:, 0]
        exact = np.quantile(np.max(np.abs(values), axis=1) / np.sqrt(draw.chisquare(freedom, 40000) / freedom), 0.95)
        self.assertTrue(exact - 0.03 < c < exact + 0.15, (c, exact))
        independent = t.ppf(1 - 0.05 / 80, 9)
        self.assert_close(fr.simultaneous_quantile(np.diag(np.arange(41.0)), 9.0), independent)
        self.assert_close(fr.simultaneous_quantile(np.full((2, 2), 3.0), 7.0, 0.9), t.ppf(0.95, 7))
        self.assertTrue(np.isnan(fr.simultaneous_quantile(np.eye(2), -1.0)))
        curve = np.exp(-np.subtract.outer(np.arange(9.0), np.arange(9.0)) ** 2 / 8)
        self.assertAlmostEqual(fr.simultaneous_quantile(curve, np.inf), fr.simultaneous_quantile(curve, 1e9), 6)
        self.assertEqual(fr.simultaneous_quantile(np.zeros((2, 2)), 3.0), 0)
        for wrong in ((np.eye(3)[:2], 3.0), (np.eye(2), 3.0, 1.0)):
            self.assertRaises(ValueError, fr.simultaneous_quantile, *wrong)
        few = model.effects(np.round(x), [1], points=50)[0]
        np.testing.assert_array_equal(few.value, np.unique(np.round(x[:, 1])))
        for arguments, words in (((x, ["age"]), "columns must be"), ((x, [4]), "columns must be"), ((x, [1.0]), "columns must be"),
                                 ((x, [True]), "columns must be"), ((x, None, 1), "points must be"),
                                 ((x, None, 5, 0), "rows 1 or more"), ((csr_matrix(x),), "x is sparse")):
            with self.assertRaisesRegex(ValueError, words):
                model.effects(*arguments)
        square = fr.Model(fr.precomputed(), np.eye(5), np.arange(5.0)).set_lambda(1.0)
        with self.assertRaisesRegex(ValueError, "precomputed"):
            fr.effects(square, np.eye(5))
        fixed = fr.Model(fr.linear(), x, y, factorize=False).set_fixed_effects(np.sin(y)).factorize().set_lambda(1.0)
        with self.assertRaisesRegex(ValueError, "unpenalised columns"):
            fr.effects(fixed, x)
        with self.assertRaisesRegex(ValueError, "a stack has no errors"):
            fr.FreeRidge(stack="linear").fit(x, y[:, 0]).effects(x)

    def test_errors_and_draws_as_gaussian_process_regression_has_them(self):
        """Its posterior has the variance of the kernel times sigma^2 / alpha, and no intercept."""
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel
        x, y = diabetes()
        x, y, new = x[::9] / x.std(axis=0), y[::9] - y.mean(), x[1:8] / x.std(axis=0)
        for outputs in (y, np.column_stack([y, y[::-1]])):
            ours = fr.FreeRidge(0.3, kernel="gaussian", sigma=4.0, fit_intercept=False).fit(x, outputs)
            sigma2 = ours._model.degrees_of_freedom().sigma2
            f, covariance = ours.predict(new, return_cov=True)
            errors = ours.predict(new, return_std=True)[1]
            self.assertEqual(np.shape(covariance), (7, 7) + np.shape(outputs)[1:])
            for j, s2 in enumerate(sigma2):
                theirs = GaussianProcessRegressor(ConstantKernel(s2 / 0.3) * RBF(4.0 / np.sqrt(2)), alpha=s2, optimizer=None)
                expected = theirs.fit(x, outputs.reshape(len(x), -1)[:, j]).predict(new, return_cov=True)
                self.assert_close(f.reshape(7, -1)[:, j], expected[0], 1e-7)
                self.assert_close(covariance.reshape(7, 7, -1)[:, :, j], expected[1], 1e-7)
                self.assert_close(errors.reshape(7, -1)[:, j] ** 2, np.diag(expected[1]), 1e-7)
            drawn = ours.sample_y(new, 4000, random_state=3, noise=False)
            with_noise = ours.sample_y(new, 4000, random_state=3)
            self.assertEqual(np.shape(drawn), np.shape(f) + (4000,))
            self.assertTrue(np.all(drawn == ours.sample_y(new, 4000, random_state=np.random.RandomState(3), noise=False)))
            for j, s2 in enumerate(sigma2):
                of_one, its = drawn.reshape(7, -1, 4000)[:, j], covariance.reshape(7, 7, -1)[:, :, j]
                largest = its.diagonal().max()  # the standard error of a covariance is at most sqrt(2 / 4000) of it
                np.testing.assert_allclose(np.cov(of_one), its, atol=5 * largest * np.sqrt(2 / 4000))
                noisy = np.cov(with_noise.reshape(7, -1, 4000)[:, j])
                np.testing.assert_allclose(noisy, its + s2 * np.eye(7), atol=5 * (largest + s2) * np.sqrt(2 / 4000))
        self.assertRaises(ValueError, ours.predict, new, return_std=True, return_cov=True)
        self.assertRaises(fr.Error, ours.predictor().predict, new, return_std=True)
        self.assertRaises(fr.Error, fr.FreeRidge(0.0, kernel="gaussian", sigma=1.0).fit(x, y).predict, new, return_std=True)

    def test_alpha_is_chosen(self):
        x, y = diabetes()
        alphas = np.logspace(-2, 5, 60)
        for outputs in (y, np.column_stack([y, np.sin(x[:, 2])])):
            theirs = RidgeCV(alphas, alpha_per_target=outputs.ndim > 1).fit(x, outputs)
            ours = fr.FreeRidge(kernel="linear").fit(x, outputs)
            self.assertTrue(np.all(ours.best_score_ <= -np.asarray(theirs.best_score_) * (1 + 1e-10)))
            self.assert_close(np.mean(ours.loo_errors() ** 2, axis=0), ours.best_score_)
            self.assertEqual(np.shape(ours.alpha_), np.shape(theirs.alpha_))

    def test_bandwidth_is_chosen_at_an_alpha(self):
        """No worse than the bandwidth that goes with the best alpha, nor than others around it."""
        x, y = diabetes()
        x = x / x.std(axis=0)
        for alpha, outputs in ((1e-2, y), (50.0, y), ([1.0, 30.0], np.column_stack([y, 1e3 * np.sin(x[:, 2])]))):
            for criterion in ("loo", "reml"):
                chosen = fr.FreeRidge(alpha, "gaussian", criterion=criterion, **ONE).fit(x[::4], outputs[::4])
                spread = 1.0 if criterion == "reml" else np.var(outputs[::4], axis=0)
                number = getattr(fr, criterion.upper())
                total = lambda model: np.sum(model._model.score(number, alpha).diagonal() / spread)
                both = fr.FreeRidge(kernel="gaussian", criterion=criterion, **ONE).fit(x[::4], outputs[::4])
                self.assert_close(np.sum(chosen.best_score_ / spread), total(chosen))
                self.assertLessEqual(total(chosen), total(both) + 1e-9)

    def test_score_takes_any_shape_of_y(self):
        """n, n x 1 and a list are one response; other outputs than fitted are refused."""
        x, y = diabetes()
        two = np.column_stack([y, np.sin(x[:, 2])])
        weights = np.linspace(0.0, 2.0, len(y))
        for fitted in (y, y[:, np.newaxis]):
            model, theirs = fr.FreeRidge(alpha=1.0, kernel="linear").fit(x, fitted), Ridge(1.0, solver="svd").fit(x, y)
            for given in (y, y[:, np.newaxis], y.tolist(), np.asfortranarray(y[:, np.newaxis])):
                for w in (None, weights):
                    self.assertAlmostEqual(model.score(x, given, w), theirs.score(x, y, w), 10)
            for wrong in (two, y[1:], np.append(y, 1.0), y[0], y[np.newaxis], np.where(y > 300, np.nan, y)):
                self.assertRaises(ValueError, model.score, x, wrong)
            self.assertRaises(ValueError, model.score, x, y, weights[:, np.newaxis])
        model = fr.FreeRidge(alpha=1.0, kernel="linear").fit(x, two)
        self.assertRaises(ValueError, model.score, x, y)

    def test_kernels(self):
        x, y = diabetes()
        x = x / x.std(axis=0)
        expected = fr.FreeRidge(0.5, "gaussian", 4.0).fit(x, y)
        for kernel in (fr.gaussian(4.0), "gaussian(sigma = 4)"):
            model = clone(fr.FreeRidge(0.5, kernel)).fit(x, y)
            self.assertTrue(np.all(model.predict(x) == expected.predict(x)))
        gram = np.exp(-((x[:, np.newaxis] - x) ** 2).sum(axis=2) / 16)
        weights = np.where(np.arange(len(y)) % 5 == 0, 0.0, 1.0)
        for w in (None, weights):
            given = fr.FreeRidge(0.5, "precomputed").fit(gram, y, w)
            self.assert_close(given.predict(gram), fr.FreeRidge(0.5, "gaussian", 4.0).fit(x, y, w).predict(x))
        folds = {name: cross_val_predict(fr.FreeRidge(0.5, name), data, y, cv=4)
                 for name, data in (("precomputed", gram), ("gaussian(sigma = 4)", x))}
        self.assert_close(folds["precomputed"], folds["gaussian(sigma = 4)"])
        for kernel, kind, words in (("rbf", ValueError, 'scikit-learn\'s rbf is "gaussian" with sigma'),
                                    ("poly", ValueError, "polynomial\\(degree"), ("cosine", ValueError, '"laplacian"'),
                                    (RBF(2.0), TypeError, '"matern"'), (len, TypeError, "gaussian\\(2.0\\)"),
                                    (3, TypeError, '"linear"')):
            with self.subTest(kernel), self.assertRaisesRegex(kind, words):
                fr.FreeRidge(kernel=kernel).fit(x, y)

    def test_attributes_that_are_not_there(self):
        x, y = diabetes()
        model, plain = fr.FreeRidge(0.5, "gaussian", 400.0), fr.FreeRidge(kernel="linear")
        for estimator in (model, plain):
            self.assertFalse(hasattr(estimator, "coef_") or hasattr(estimator, "dual_coef_"))
        self.assertFalse(hasattr(model.fit(x, y), "coef_"))
        self.assertTrue(hasattr(model, "dual_coef_") and hasattr(plain.fit(x, y), "coef_"))
        self.assertFalse(hasattr(plain.predictor(), "dual_coef_"))

    def test_weights_of_zero_keep_their_place(self):
        """Errors left out are those of refits without the row, which do not need it; c is 0 there; and landmarks are
        rows of X."""
        x, y = diabetes()
        x, y = x[::9] / x.std(axis=0), np.column_stack([y, np.sin(x[:, 2])])[::9]
        weights = np.arange(len(y)) % 3.0
        estimator = fr.FreeRidge(0.5, "gaussian", 4.0)
        model = clone(estimator).fit(x, y, weights)
        for i in range(0, len(y), 5):
            rest = np.arange(len(y)) != i
            refit = clone(estimator).fit(x[rest], y[rest], weights[rest])
            self.assert_close(model.loo_errors()[i], y[i] - refit.predict(x[[i]])[0], 1e-7)
        c = model.dual_coef_
        gram = np.exp(-((x[:, np.newaxis] - x) ** 2).sum(axis=2) / 16)
        self.assert_close(gram @ c + model.intercept_, model.predict(x))
        self.assertTrue(np.all((c[:, 0] == 0) == (weights == 0)))
        used = np.flatnonzero(weights > 0)
        for given, there in ((used[[3, 7, 9]], [3, 7, 9]), (3, 3)):
            ours = fr.FreeRidge(0.5, "gaussian", 4.0, landmarks=given).fit(x, y, weights)
            expected = fr.FreeRidge(0.5, "gaussian", 4.0, landmarks=there).fit(x[used], y[used], weights[used])
            self.assertTrue(np.all(ours.predict(x) == expected.predict(x)))
        for wrong in ([0, 1], [1, len(y)], [-1, 1], [0.5]):  # row 0 has weight 0
            self.assertRaises(ValueError, fr.FreeRidge(0.5, landmarks=wrong, kernel="linear").fit, x, y, weights)

    def test_predictor(self):
        x, y = diabetes()
        weights = np.arange(len(y)) % 3.0
        for estimator in (fr.FreeRidge(kernel="linear"), fr.FreeRidge(kernel="gaussian", **ONE),
                          fr.FreeRidge(kernel="precomputed")):
            points = x @ x.T if estimator.kernel == "precomputed" else x
            model = estimator.fit(points, y, weights)
            small = pickle.loads(pickle.dumps(model.predictor()))
            self.assertTrue(np.all(small.predict(points) == model.predict(points)))
            self.assertEqual((small.score(points, y), repr(small)), (model.score(points, y), repr(model)))
            self.assertLess(len(pickle.dumps(small)), 0.3 * len(pickle.dumps(model)))
            with self.assertRaises(fr.Error):
                small.loo_errors()
        self.assertEqual(len(model.loo_errors()), len(y))  # the one it came from is whole
        wide = fr.FreeRidge(kernel="linear").fit(np.repeat(x, 100, axis=0), np.repeat(y, 100))
        self.assertLess(len(pickle.dumps(wide.predictor())), 2500)  # 10 numbers and names

    def test_bandwidth_is_chosen(self):
        x, y = diabetes()
        x = x / x.std(axis=0)
        chosen = fr.FreeRidge(kernel="gaussian", **ONE).fit(x, y)
        for sigma in (1.0, 3.0, 10.0, 30.0):
            other = fr.FreeRidge(kernel="gaussian", sigma=sigma).fit(x, y)
            self.assertLessEqual(chosen.best_score_, other.best_score_ * (1 + 1e-4))
        again = fr.FreeRidge(kernel="gaussian", sigma=chosen.sigma_, alpha=chosen.alpha_).fit(x, y)
        self.assert_close(again.predict(x), chosen.predict(x))

    def test_in_scikit_learn(self):
        x, y = diabetes()
        pipeline = make_pipeline(StandardScaler(), fr.FreeRidge(kernel="gaussian", **ONE))
        self.assertGreater(pipeline.fit(x[::2], y[::2]).score(x[1::2], y[1::2]), 0.4)
        search = GridSearchCV(fr.FreeRidge(kernel="linear"), {"alpha": [1e-2, 1e1, 1e9]}, cv=3).fit(x, y)
        theirs = GridSearchCV(Ridge(solver="svd"), {"alpha": [1e-2, 1e1, 1e9]}, cv=3).fit(x, y)
        self.assert_close(search.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])

    def test_copies_are_equal(self):
        x, y = diabetes()
        for model in (fr.FreeRidge(), fr.FreeRidge(kernel="linear"), fr.FreeRidge(kernel="matern", **ONE),
                      fr.FreeRidge(kernel="gaussian", landmarks=30, **ONE)):
            model.fit(x / x.std(axis=0), y)
            for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
                self.assertEqual(repr(other), repr(model))
                self.assertTrue(np.all(other.predict(x[:20]) == model.predict(x[:20])))
                self.assertTrue(np.all(other.loo_errors() == model.loo_errors()))

    def test_mistakes(self):
        x, y = diabetes()
        cases = [dict(kernel="gauss(sigma = 1)"), dict(criterion="best"), dict(route="fast"), dict(alpha=-1.0),
                 dict(kernel="gaussian", sigma=-1.0), dict(kernel="linear()", sigma=1.0), dict(alpha=[1.0, 2.0]),
                 dict(kernel="gaussian", alpha=[1.0, 2.0]), dict(landmarks=0.5), dict(landmarks=-1),
                 dict(landmarks=[1, 2, 442]), dict(landmarks=[3, 3])]
        for parameters in cases:
            with self.subTest(parameters), self.assertRaises((ValueError, TypeError)):
                fr.FreeRidge(**parameters).fit(x, y)
        model = fr.FreeRidge(alpha=1.0, kernel="linear").fit(x, y)
        expected = model.predict(x)
        with self.assertRaises(ValueError):
            model.set_params(kernel="gaussian", sigma=-2.0).fit(x[:, :3], np.column_stack([y, y]))
        self.assertTrue(np.all(model.predict(x) == expected))  # a fit that failed changes nothing
        none = fr.FreeRidge(1.0, "linear", unpenalised=[]).fit(x, y)
        np.testing.assert_array_equal(none.coef_, fr.FreeRidge(1.0, "linear").fit(x, y).coef_)
        few = fr.FreeRidge(1.0, "gaussian", 2.0, landmarks=40).fit(x[:20], y[:20])  # as in a small fold
        self.assertEqual(sorted(few.landmarks_), list(range(20)))

    def test_without_scikit_learn(self):
        """numpy is enough, and the error of a model that is not fitted is ours then."""
        script = "import sys; sys.modules['sklearn'] = None\nimport freeridge as fr\n" \
                 "try: fr.FreeRidge().predict([[1.0]])\n" \
                 "except (ValueError) as error: print(type(error).__name__)\n" \
                 "model = fr.FreeRidge(alpha=0.0, kernel='linear').fit([[1.0], [2.0], [4.0]], [3.0, 5.0, 9.0])\n" \
                 "print(model.predict([[3.0]]).round(9))"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual(done.stdout, "NotFittedError\n[7.]\n", done.stderr)

    def test_the_estimator_borrows(self):
        x, y = diabetes()
        for array in (x, np.asfortranarray(x)):
            model = fr.FreeRidge(alpha=1.0, copy_X=False, kernel="linear").fit(array, y)
            self.assertTrue(np.shares_memory(model._model._borrowed[0], array))
            copied = fr.FreeRidge(alpha=1.0, kernel="gaussian(sigma = 99)").fit(array, y)
            expected = copied.predict(x[:5].copy())
            before = array[:, 3].copy()
            array[:, 3] = 0.0
            changed = copied.predict(np.column_stack([x[:5, :3], before[:5], x[:5, 4:]]))
            array[:, 3] = before
            self.assertTrue(np.all(changed == expected))


if __name__ == "__main__":
    unittest.main(verbosity=2)
