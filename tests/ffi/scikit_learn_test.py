"""freeridge against scikit-learn on real data.

Conventions: alpha of Ridge, RidgeCV and KernelRidge is lambda, with and without weights (a sum of squares, not a mean);
gamma of the rbf kernel is 1 / sigma^2; KernelRidge has no intercept. cv_values_ of RidgeCV are W_ii e_i^2, and its best
score is minus their mean over the rows, not over the weights.
"""

import os
import unittest

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier, RidgeCV
from sklearn.model_selection import KFold, LeaveOneGroupOut, LeaveOneOut, cross_val_predict

import freeridge as fr

TOLERANCE = 1e-8
DATA = os.environ["FREERIDGE_TEST_DATA"]


def read(name):
    table = np.loadtxt(os.path.join(DATA, name), delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]


def standardized(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


def with_outputs(x, y, outputs):
    """y, and beside it a smooth and a rough function of the columns on the same scale."""
    more = [y, y.std() * np.sin(standardized(x)[:, 0]), y.std() * np.sign(x[:, -1] - np.median(x[:, -1]) + 0.1)]
    return np.column_stack(more[:outputs])


def some_weights(n):
    return np.random.default_rng(1).uniform(0.3, 3.0, n)


# intercept, weights, outputs: every combination
SETTINGS = [dict(intercept=i, weighted=w, outputs=t) for i in (True, False) for w in (False, True) for t in (1, 3)]


class Comparison(unittest.TestCase):
    def assert_close(self, actual, expected, tolerance=TOLERANCE):
        """The largest difference, relative to the largest expected magnitude, column by column."""
        actual, expected = np.asarray(actual), np.asarray(expected)
        self.assertEqual(actual.shape, expected.shape)
        difference = np.max(np.abs(actual - expected), axis=0)
        self.assertLessEqual(np.max(difference / np.max(np.abs(expected), axis=0)), tolerance)


class RidgeLeaveOneOut(Comparison):
    """RidgeCV's closed-form leave-one-out values."""

    alphas = np.array([1.0, 30.0, 1000.0])

    def compare(self, x, y, gcv_mode, route, alphas=alphas):
        for setting in SETTINGS:
            with self.subTest(**setting):
                intercept, weighted, outputs = setting.values()
                many = with_outputs(x, y, outputs)
                weights = some_weights(len(y)) if weighted else None
                theirs = RidgeCV(alphas, fit_intercept=intercept, gcv_mode=gcv_mode, store_cv_values=True)
                theirs.fit(x, many, sample_weight=weights)
                ours = fr.Model(fr.linear(), x, many, weights, intercept, route)
                root = np.sqrt(np.ones(len(y)) if weights is None else weights)[:, np.newaxis]
                for k, alpha in enumerate(alphas):
                    values = theirs.cv_values_.reshape(len(y), outputs, len(alphas))[:, :, k]
                    self.assert_close(np.abs(root * ours.set_lambda(alpha).loo()), np.sqrt(values))

    def test_diabetes_svd(self):
        self.compare(*read("diabetes.csv"), "svd", fr.ROUTE_PRIMAL)

    def test_diabetes_eigen(self):
        # Without an intercept the raw columns make X X' + alpha I ill-conditioned (1e7 / alpha), and any eigendecomposition
        # of it as inaccurate: at alpha = 1 theirs is 1.4e-8 from the answer in extended precision, ours 4.4e-9.
        self.compare(*read("diabetes.csv"), "eigen", fr.ROUTE_SPECTRAL, np.array([30.0, 300.0, 3000.0]))

    def test_more_columns_than_rows(self):
        x, y = read("concrete.csv")
        x = standardized(x)
        pairs = [x[:, i] * x[:, j] for i in range(8) for j in range(i + 1)]
        x = np.column_stack([x] + pairs)[::34]  # 31 rows, 44 columns
        self.assertLess(x.shape[0], x.shape[1])
        self.compare(x, y[::34], "eigen", fr.ROUTE_SPECTRAL)
        self.compare(x, y[::34], "eigen", fr.ROUTE_CHOLESKY)

    def test_best_alpha_on_a_grid(self):
        x, y = read("diabetes.csv")
        alphas = np.logspace(-2, 5, 60)
        for setting in SETTINGS:
            with self.subTest(**setting):
                intercept, weighted, outputs = setting.values()
                many = with_outputs(x, y, outputs)
                weights = some_weights(len(y)) if weighted else None
                theirs = RidgeCV(alphas, fit_intercept=intercept, alpha_per_target=outputs > 1)
                theirs.fit(x, many if outputs > 1 else y, sample_weight=weights)
                ours = fr.Model(fr.linear(), x, many, weights, intercept)
                scores = ours.score(fr.LOO, alphas)
                self.assert_close(alphas[np.argmin(scores, axis=0)], np.atleast_1d(theirs.alpha_))
                mean_weight = 1.0 if weights is None else weights.mean()
                best = -np.atleast_1d(theirs.best_score_) / mean_weight
                self.assert_close(scores.min(axis=0), best)
                chosen, score = ours.select_lambda(fr.LOO, alphas[0], alphas[-1])
                self.assertTrue(np.all(score <= best * (1 + 1e-10)))
                self.assert_close(np.diag(ours.score(fr.LOO, chosen)), score)


class RidgeFit(Comparison):
    def compare(self, x, y, alpha, routes):
        for setting in SETTINGS:
            with self.subTest(**setting):
                intercept, weighted, outputs = setting.values()
                many = with_outputs(x, y, outputs)
                weights = some_weights(len(y)) if weighted else None
                theirs = Ridge(alpha, fit_intercept=intercept, solver="svd").fit(x, many, sample_weight=weights)
                for route in routes:
                    ours = fr.Model(fr.linear(), x, many, weights, intercept, route).set_lambda(alpha)
                    self.assert_close(ours.hyperplane(), theirs.coef_.T)
                    self.assert_close(ours.predict(x[::7]), theirs.predict(x[::7]))
                    if intercept:
                        self.assert_close(ours.intercept(), theirs.intercept_)
                    else:
                        self.assertTrue(np.all(ours.intercept() == 0.0))

    def test_diabetes(self):
        self.compare(*read("diabetes.csv"), 10.0, (fr.ROUTE_CHOLESKY, fr.ROUTE_SPECTRAL, fr.ROUTE_PRIMAL))

    def test_concrete(self):
        self.compare(*read("concrete.csv"), 1.0, (fr.ROUTE_PRIMAL,))

    def test_one_alpha_per_output(self):
        x, y = read("diabetes.csv")
        many, alphas = with_outputs(x, y, 3), np.array([0.1, 50.0, 3000.0])
        theirs = Ridge(alphas, solver="svd").fit(x, many)
        ours = fr.Model(fr.linear(), x, many).set_lambda(alphas)
        self.assert_close(ours.hyperplane(), theirs.coef_.T)
        self.assert_close(ours.intercept(), theirs.intercept_)

    def test_lambda_zero_is_least_squares(self):
        x, y = read("diabetes.csv")
        theirs = LinearRegression().fit(x, y)
        ours = fr.Model(fr.linear(), x, y).set_lambda(0.0)
        self.assert_close(ours.hyperplane()[:, 0], theirs.coef_)
        self.assert_close(ours.intercept(), [theirs.intercept_])

    def test_a_slice_of_a_larger_matrix(self):
        x, y = read("diabetes.csv")
        theirs = Ridge(5.0).fit(x[10:300, 2:7], y[10:300])
        ours = fr.Model(fr.linear(), x[10:300, 2:7], y[10:300]).set_lambda(5.0)  # leading dimension 10
        self.assert_close(ours.hyperplane()[:, 0], theirs.coef_)


class KernelRidgeFit(Comparison):
    def compare(self, kernel, theirs, routes=(fr.ROUTE_CHOLESKY, fr.ROUTE_SPECTRAL)):
        x, y = read("concrete.csv")
        x = standardized(x)
        train, test = slice(0, None, 4), slice(1, None, 4)
        for weighted in (False, True):
            for outputs in (1, 3):
                with self.subTest(weighted=weighted, outputs=outputs):
                    many = with_outputs(x, y, outputs)
                    weights = some_weights(len(y))[train] if weighted else None
                    theirs.fit(x[train], many[train], sample_weight=weights)
                    for route in routes:
                        ours = fr.Model(kernel, x[train], many[train], weights, False, route).set_lambda(theirs.alpha)
                        self.assert_close(ours.predict(x[test]), theirs.predict(x[test]))
                        self.assert_close(ours.coefficients(), theirs.dual_coef_)

    def test_gaussian(self):
        sigma = 2.5
        self.compare(fr.gaussian(sigma), KernelRidge(alpha=0.1, kernel="rbf", gamma=1 / sigma**2))

    def test_polynomial(self):
        self.compare(fr.polynomial(3, 0.2, 1.5), KernelRidge(alpha=0.5, kernel="poly", gamma=0.2, coef0=1.5, degree=3))

    def test_linear(self):
        self.compare(fr.linear(), KernelRidge(alpha=2.0, kernel="linear"), (fr.ROUTE_CHOLESKY, fr.ROUTE_SPECTRAL, fr.ROUTE_PRIMAL))


class CrossValidation(Comparison):
    """scikit-learn's own cross-validation, which fits again for every fold."""

    def test_kernel_ridge_leave_one_out_and_folds(self):
        x, y = read("concrete.csv")
        x, y = standardized(x)[::10], y[::10]
        sigma, alpha = 3.0, 0.2
        theirs = KernelRidge(alpha=alpha, kernel="rbf", gamma=1 / sigma**2)
        ours = fr.Model(fr.gaussian(sigma), x, y, intercept=False).set_lambda(alpha)
        self.assert_close(ours.loo()[:, 0], y - cross_val_predict(theirs, x, y, cv=LeaveOneOut()))
        folds = KFold(7, shuffle=True, random_state=3)
        group = np.empty(len(y), dtype=np.int32)
        for label, (_, left_out) in enumerate(folds.split(x)):
            group[left_out] = label
        self.assert_close(ours.group_errors(group)[:, 0], y - cross_val_predict(theirs, x, y, cv=folds))

    def test_ridge_leave_one_group_out(self):
        x, y = read("concrete.csv")
        age = x[:, -1].astype(np.int32)  # 14 groups, from 2 to 425 mixtures
        theirs = Ridge(alpha=3.0, solver="svd")
        expected = y - cross_val_predict(theirs, x, y, cv=LeaveOneGroupOut(), groups=age)
        ours = fr.Model(fr.linear(), x, y).set_lambda(3.0)
        self.assert_close(ours.group_errors(age)[:, 0], expected)

    def test_folds_made_here(self):
        x, y = read("concrete.csv")
        group = fr.make_folds(len(y), 10, 1)
        theirs = Ridge(alpha=3.0, solver="svd")
        expected = y - cross_val_predict(theirs, x, y, cv=LeaveOneGroupOut(), groups=group)
        ours = fr.Model(fr.linear(), x, y).set_lambda(3.0)
        self.assert_close(ours.group_errors(group)[:, 0], expected)

    def test_error_rate(self):
        x, y = read("diabetes.csv")
        x = x[::6]
        for classes in (2, 3):
            with self.subTest(classes=classes):
                label = np.digitize(y[::6], np.quantile(y, np.arange(1, classes) / classes))
                codes = np.where(label[:, np.newaxis] == np.arange(classes), 1.0, -1.0)
                ours = fr.Model(fr.linear(), x, codes[:, 1:] if classes == 2 else codes)
                alphas = np.array([0.1, 100.0])
                rates = ours.score(fr.ERROR_RATE, alphas)
                for alpha, rate in zip(alphas, rates[:, 0]):
                    theirs = cross_val_predict(RidgeClassifier(alpha=alpha, solver="svd"), x, label, cv=LeaveOneOut())
                    self.assertAlmostEqual(rate, np.mean(theirs != label), delta=1e-12)
                self.assertTrue(np.all(rates == rates[:, :1]))


class Conventions(Comparison):
    """lambda of other systems, by their problems."""

    def test_sklearn_alpha_is_the_total(self):
        x, y = read("diabetes.csv")
        alpha = 7.5
        ours = fr.convert_lambda(fr.CONVENTION_SKLEARN, fr.CONVENTION_TOTAL, len(y), 1.0, alpha)
        theirs = Ridge(alpha, solver="svd").fit(x, y)
        self.assert_close(fr.Model(fr.linear(), x, y).set_lambda(ours).hyperplane()[:, 0], theirs.coef_)

    def test_glmnet_by_its_problem(self):
        # glmnet(alpha = 0): y and lambda over sd(y), a loss over 2 n, columns over their sd (all with 1/n).
        x, y = read("diabetes.csv")
        n, sd, lam = len(y), y.std(), 3.0
        z = standardized(x)
        gram = z.T @ z / n + lam / sd * np.eye(z.shape[1])
        theirs = np.linalg.solve(gram, z.T @ ((y - y.mean()) / sd) / n) * sd
        total = fr.convert_lambda(fr.CONVENTION_GLMNET, fr.CONVENTION_TOTAL, n, sd, lam)
        self.assert_close(fr.Model(fr.linear(), z, y).set_lambda(total).hyperplane()[:, 0], theirs)

    def test_gurls_by_its_system(self):
        # GURLS solves (K + n lambda I) c = y.
        x, y = read("concrete.csv")
        x, y = standardized(x)[::10], y[::10]
        kernel = np.exp(-((x[:, np.newaxis] - x) ** 2).sum(axis=2) / 4.0)
        theirs = np.linalg.solve(kernel + len(y) * 1e-3 * np.eye(len(y)), y)
        total = fr.convert_lambda(fr.CONVENTION_GURLS, fr.CONVENTION_TOTAL, len(y), 1.0, 1e-3)
        ours = fr.Model(fr.gaussian(2.0), x, y, intercept=False).set_lambda(total)
        self.assert_close(ours.coefficients()[:, 0], theirs)


class Evidence(unittest.TestCase):
    def test_is_that_of_gaussian_process_classification(self):
        """The same model without an intercept: Laplace's log marginal likelihood, and its slopes by the logarithms of the
        amplitude 1 / lambda and of the length sigma / sqrt(2)."""
        rng = np.random.default_rng(5)
        x = rng.normal(size=(60, 3))
        y = np.where(x[:, 0] + 0.5 * x[:, 1] ** 2 + 0.7 * rng.normal(size=60) > 0.3, 1.0, -1.0)
        for amplitude, length in ((0.5, 2.0), (3.0, 1.3), (100.0, 0.8)):
            theirs = GaussianProcessClassifier(ConstantKernel(amplitude) * RBF(length), optimizer=None).fit(x, y)
            value, slopes = theirs.log_marginal_likelihood(theirs.kernel_.theta, eval_gradient=True)
            ours = fr.Model(fr.gaussian(length * np.sqrt(2)), x, y, intercept=False)
            found = ours.score_gradient(fr.EVIDENCE, 1 / amplitude)
            self.assertAlmostEqual(found.score, -value, delta=1e-8 * abs(value))
            np.testing.assert_allclose([found.by_log_lambda, -found.by_log_hyperparameters[0]], slopes, rtol=1e-5,
                                       atol=1e-6)


if __name__ == "__main__":
    unittest.main(verbosity=2)
