"""The Python package of python/: its estimator passes scikit-learn's estimator checks and is scikit-learn's
Ridge where the two are one; arrays are not copied; errors, progress and cancelling arrive as Python's own."""

import copy
import ctypes
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import freeridge as fr
from freeridge import library
from freeridge.arrays import Matrix

DATA = os.environ["FREERIDGE_TEST_DATA"]


def diabetes():
    table = np.loadtxt(os.path.join(DATA, "diabetes.csv"), delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]


class EstimatorChecks(unittest.TestCase):
    # A check that skips itself says why, and the list of these is fixed.
    SKIP_THEMSELVES = {"check_sample_weights_pandas_series", "check_regressor_data_not_an_array",
                       "check_dataframe_column_names_consistency"}  # they need pandas

    def check(self, estimator):
        ran = []
        for instance, check in check_estimator(estimator, generate_only=True):
            name = check.func.__name__
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    check(instance)
                    ran.append(name)
                except unittest.SkipTest as reason:
                    self.assertIn("pandas", str(reason))
                    self.assertIn(name, self.SKIP_THEMSELVES)
                    print(f"{estimator}: not run: {name}: {reason}")
        self.assertGreaterEqual(len(ran), 40)
        print(f"{estimator}: {len(ran)} checks: {', '.join(sorted(set(ran)))}")

    def test_linear(self):
        self.check(fr.FreeRidge())

    def test_linear_with_alpha(self):
        self.check(fr.FreeRidge(alpha=1.0))

    def test_gaussian(self):
        self.check(fr.FreeRidge(kernel="gaussian", sigma=3.0))

    def test_gaussian_of_chosen_bandwidth(self):
        self.check(fr.FreeRidge(kernel="gaussian"))

    def test_landmarks(self):
        self.check(fr.FreeRidge(kernel="laplacian", sigma=20.0, landmarks=9))

    def test_copies_and_another_route(self):
        self.check(fr.FreeRidge(kernel="linear() + matern(nu = 2.5, length = 2)", route="cholesky", copy_X=False))


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
                    ours = fr.FreeRidge(alpha=3.0, fit_intercept=intercept).fit(x, outputs, weights)
                    theirs = Ridge(3.0, fit_intercept=intercept, solver="svd").fit(x, outputs, weights)
                    self.assert_close(ours.coef_, theirs.coef_)
                    self.assert_close(ours.predict(x), theirs.predict(x))
                    self.assertAlmostEqual(ours.score(x, outputs, weights), theirs.score(x, outputs, weights), 10)
                    if intercept:
                        self.assert_close(ours.intercept_, theirs.intercept_)
                    else:
                        self.assertTrue(np.all(ours.intercept_ == 0))

    def test_is_kernel_ridge(self):
        x, y = diabetes()
        x = x / x.std(axis=0)
        theirs = KernelRidge(alpha=0.5, kernel="rbf", gamma=1 / 4.0**2).fit(x, y)
        ours = fr.FreeRidge(alpha=0.5, kernel="gaussian", sigma=4.0, fit_intercept=False).fit(x, y)
        self.assert_close(ours.dual_coef_, theirs.dual_coef_)
        self.assert_close(ours.predict(x[:9] + 0.1), theirs.predict(x[:9] + 0.1))
        self.assertEqual((ours.alpha_, ours.sigma_, ours.best_score_), (0.5, 4.0, None))

    def test_leave_one_out(self):
        x, y = diabetes()
        ours = fr.FreeRidge(kernel="gaussian", sigma=200.0, alpha=0.1)
        expected = y[::6] - cross_val_predict(clone(ours), x[::6], y[::6], cv=LeaveOneOut())
        self.assert_close(ours.fit(x[::6], y[::6]).loo_errors(), expected, 1e-7)

    def test_alpha_is_chosen(self):
        x, y = diabetes()
        alphas = np.logspace(-2, 5, 60)
        for outputs in (y, np.column_stack([y, np.sin(x[:, 2])])):
            theirs = RidgeCV(alphas, alpha_per_target=outputs.ndim > 1).fit(x, outputs)
            ours = fr.FreeRidge().fit(x, outputs)
            self.assertTrue(np.all(ours.best_score_ <= -np.asarray(theirs.best_score_) * (1 + 1e-10)))
            self.assert_close(np.mean(ours.loo_errors() ** 2, axis=0), ours.best_score_)
            self.assertEqual(np.shape(ours.alpha_), np.shape(theirs.alpha_))

    def test_bandwidth_is_chosen(self):
        x, y = diabetes()
        x = x / x.std(axis=0)
        chosen = fr.FreeRidge(kernel="gaussian").fit(x, y)
        for sigma in (1.0, 3.0, 10.0, 30.0):
            other = fr.FreeRidge(kernel="gaussian", sigma=sigma).fit(x, y)
            self.assertLessEqual(chosen.best_score_, other.best_score_ * (1 + 1e-4))
        again = fr.FreeRidge(kernel="gaussian", sigma=chosen.sigma_, alpha=chosen.alpha_).fit(x, y)
        self.assert_close(again.predict(x), chosen.predict(x))

    def test_in_scikit_learn(self):
        x, y = diabetes()
        pipeline = make_pipeline(StandardScaler(), fr.FreeRidge(kernel="gaussian"))
        self.assertGreater(pipeline.fit(x[::2], y[::2]).score(x[1::2], y[1::2]), 0.4)
        search = GridSearchCV(fr.FreeRidge(), {"alpha": [1e-2, 1e1, 1e9]}, cv=3).fit(x, y)
        theirs = GridSearchCV(Ridge(solver="svd"), {"alpha": [1e-2, 1e1, 1e9]}, cv=3).fit(x, y)
        self.assert_close(search.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])

    def test_copies_are_equal(self):
        x, y = diabetes()
        for model in (fr.FreeRidge(), fr.FreeRidge(kernel="matern"), fr.FreeRidge(kernel="gaussian", landmarks=30)):
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
                 dict(landmarks=443), dict(landmarks=[1, 2, 442]), dict(landmarks=[3, 3])]
        for parameters in cases:
            with self.subTest(parameters), self.assertRaises((ValueError, TypeError)):
                fr.FreeRidge(**parameters).fit(x, y)
        model = fr.FreeRidge(alpha=1.0).fit(x, y)
        expected = model.predict(x)
        with self.assertRaises(ValueError):
            model.set_params(kernel="gaussian", sigma=-2.0).fit(x[:, :3], np.column_stack([y, y]))
        self.assertTrue(np.all(model.predict(x) == expected))  # a fit that failed changes nothing

    def test_without_scikit_learn(self):
        """numpy is enough, and the error of a model that is not fitted is ours then."""
        script = "import sys; sys.modules['sklearn'] = None\nimport freeridge as fr\n" \
                 "try: fr.FreeRidge().predict([[1.0]])\n" \
                 "except (ValueError) as error: print(type(error).__name__)\n" \
                 "print(fr.FreeRidge(alpha=0.0).fit([[1.0], [2.0], [4.0]], [3.0, 5.0, 9.0]).predict([[3.0]]).round(9))"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual(done.stdout, "NotFittedError\n[7.]\n", done.stderr)


class Arrays(unittest.TestCase):
    def test_what_is_not_copied(self):
        whole = np.arange(60.0).reshape(6, 10)
        for array in (whole, whole.T, np.asfortranarray(whole), whole[1:5], whole[:, 2:7], whole[::2], whole[::2, 3:],
                      whole.T[2:7], whole[:1], whole[:, :1], whole[2:3, 4:5], whole[:, 3], np.arange(5.0)):
            with self.subTest(shape=array.shape, strides=array.strides):
                matrix = Matrix(array)
                self.assertTrue(np.shares_memory(matrix.array, array))
                self.check_elements(matrix, array if array.ndim == 2 else array[:, np.newaxis])

    def test_what_is_copied(self):
        whole = np.arange(60.0).reshape(6, 10)
        unaligned = np.zeros(6 * 8 + 1, dtype=np.uint8)[1:].view(np.float64).reshape(2, 3)
        for array in (whole[:, ::2], whole[:, ::-1], whole[::-1], whole.astype(np.float32), whole.astype(int),
                      unaligned, np.broadcast_to(np.arange(3.0), (4, 3)), whole.astype(">f8"), whole.tolist()):
            matrix = Matrix(array)
            self.assertFalse(np.shares_memory(matrix.array, np.asarray(array)))
            self.check_elements(matrix, np.asarray(array, dtype=np.float64))

    def check_elements(self, matrix, expected):
        """Element (i, j) is where the library looks for it."""
        for layout in (None, library.ROW_MAJOR, library.COL_MAJOR):
            matrix = matrix if layout is None else Matrix(expected, layout)
            self.assertEqual((matrix.rows, matrix.columns), expected.shape)
            line = matrix.columns if matrix.layout == library.ROW_MAJOR else matrix.rows
            self.assertGreaterEqual(matrix.ld, line)
            for i in range(matrix.rows):
                for j in range(matrix.columns):
                    row_major = matrix.layout == library.ROW_MAJOR
                    at = i * matrix.ld + j if row_major else i + j * matrix.ld
                    self.assertEqual(matrix.pointer[at], expected[i, j])

    def test_the_estimator_borrows(self):
        x, y = diabetes()
        for array in (x, np.asfortranarray(x)):
            model = fr.FreeRidge(alpha=1.0, copy_X=False).fit(array, y)
            self.assertTrue(np.shares_memory(model._model._borrowed[0], array))
            copied = fr.FreeRidge(alpha=1.0, kernel="gaussian(sigma = 99)").fit(array, y)
            expected = copied.predict(x[:5].copy())
            before = array[:, 3].copy()
            array[:, 3] = 0.0
            changed = copied.predict(np.column_stack([x[:5, :3], before[:5], x[:5, 4:]]))
            array[:, 3] = before
            self.assertTrue(np.all(changed == expected))


class Callers(unittest.TestCase):
    def test_errors(self):
        for kind, call in ((fr.InputError, lambda: fr.gaussian(-1.0)), (ValueError, lambda: fr.gaussian(np.nan))):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn("sigma", str(caught.exception))
        with self.assertRaises(fr.Error) as caught:
            fr.Model(fr.linear(), np.eye(3), np.ones(3), factorize=False).loo()
        self.assertEqual((caught.exception.status, caught.exception.name), (library.INVALID_STATE, "INVALID_STATE"))
        self.assertNotIsInstance(caught.exception, ValueError)
        with self.assertRaises(MemoryError):  # 8 n^2 bytes
            fr.Model(fr.gaussian(1.0), np.zeros(10**7), np.zeros(10**7), route=fr.CHOLESKY)
        with self.assertRaises(ctypes.ArgumentError):  # by the declarations
            library.library.freeridge_factorize(fr.linear().handle)

    def test_wrong_lengths_never_reach_the_library(self):
        x, y = np.random.default_rng(2).normal(size=(20, 3)), np.arange(20.0)
        model = fr.Model(fr.linear(), x, y).set_lambda(1.0)
        for call in (lambda: fr.Model(fr.linear(), x, y[1:]), lambda: fr.Model(fr.linear(), x, y, weights=y[1:]),
                     lambda: model.predict(x[:, :2]), lambda: model.group_errors(np.zeros(19)),
                     lambda: model.set_groups(np.zeros(21)), lambda: model.set_lambda([1.0, 2.0]),
                     lambda: fr.Accumulator(3).add(x[:, :2], y), lambda: fr.Accumulator(3).add(x, y, y[1:]),
                     lambda: fr.Classifier(fr.linear(), fr.LOGISTIC, x, y[1:]), lambda: model.predict(x[:0])):
            with self.assertRaises(ValueError):
                call()

    def test_progress_and_cancel(self):
        x = np.random.default_rng(3).normal(size=(300, 3))
        y = np.sin(x).sum(axis=1)
        seen = []
        model = fr.Model(fr.gaussian(2.0), x, y, progress=lambda fraction: seen.append(fraction))
        self.assertTrue(len(seen) > 1 and seen == sorted(seen) and seen[-1] == 1.0)
        expected = model.set_lambda(0.1).loo()
        model.set_progress(lambda fraction: True)
        with self.assertRaises(fr.Error) as caught:
            model.factorize()
        self.assertEqual(caught.exception.status, library.CANCELLED)

        def wrong(fraction):
            raise KeyboardInterrupt(f"at {fraction}")

        model.set_progress(wrong)
        with self.assertRaises(KeyboardInterrupt):
            model.select_lambda(fr.LOO)
        self.assertTrue(np.all(model.set_progress(None).loo() == expected))

    def test_save_and_load(self):
        x = np.random.default_rng(5).normal(size=(30, 3))
        model = fr.Model(fr.gaussian(2.0), x, x[:, 0] ** 2).set_lambda(0.1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.freeridge")
            model.save(path)
            for loaded in (fr.Model.load(path), fr.Model.from_bytes(model.to_bytes()), copy.copy(model)):
                self.assertTrue(np.all(loaded.loo() == model.loo()))
                self.assertTrue(np.all(loaded.set_lambda(1.0).loo() == copy.copy(model).set_lambda(1.0).loo()))
            model.save(path, predictor=True)
            predictor = fr.Model.load(path)
            self.assertTrue(np.all(predictor.predict(x) == model.predict(x)))
            with self.assertRaises(fr.Error) as caught:
                predictor.loo()
            self.assertEqual(caught.exception.status, library.INVALID_STATE)
        damaged = bytearray(model.to_bytes(predictor=True))
        damaged[-20] ^= 1
        with self.assertRaises(fr.Error) as caught:
            fr.Model.from_bytes(bytes(damaged))
        self.assertEqual(caught.exception.status, library.CORRUPT)

    def test_kernels(self):
        kernel = fr.sum_kernel([fr.linear(), fr.product_kernel([fr.matern(1.5, 2.0), fr.gaussian(0.3)])], [0.5, 2.0])
        x = np.random.default_rng(4).normal(size=(12, 2))
        self.assertEqual(pickle.loads(pickle.dumps(kernel)), kernel)
        self.assertNotEqual(kernel, fr.linear())
        self.assertEqual(eval(repr(kernel), {"parse_kernel": fr.parse_kernel}), kernel)
        scaled = fr.Model(kernel.scaled([2.0, 4.0]), x, x[:, 0]).set_lambda(0.1).loo()
        divided = fr.Model(kernel, x / [2.0, 4.0], x[:, 0]).set_lambda(0.1).loo()
        self.assertLessEqual(np.max(np.abs(scaled - divided)), 1e-12)

    def test_which_library(self):
        """FREERIDGE_LIBRARY, and without it what the system knows."""
        path = os.environ["FREERIDGE_LIBRARY"]
        for variable, installed, words in ((path, None, ""), ("", path, ""), ("", None, "set FREERIDGE_LIBRARY"),
                                           ("/does/not/exist.so", path, "/does/not/exist.so")):
            script = f"import ctypes.util; ctypes.util.find_library = {{'freeridge': {installed!r}}}.get\n" \
                     "import freeridge"
            done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "FREERIDGE_LIBRARY": variable},
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode == 0, words == "", done.stderr)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
