"""Kernel ridge regression, and what holds of every estimator: rows 38 to 42 of the table in properties_test.py, and the
estimator checks."""

import copy
import pickle

import numpy as np

import freeridge as fr
from freeridge import library
from properties import (KERNEL_ROUTES, SEEDS, Problem, Properties, each_problem, gaussian, kernel_refit, refit)


def of_kernels(p):
    """kernel, its values at points x and z."""
    unit = lambda x: x / np.linalg.norm(x, axis=1, keepdims=True)
    return ((fr.linear(), lambda x, z: x @ z.T), (fr.gaussian(2.0), lambda x, z: gaussian(x, z, 2.0)),
            (fr.polynomial(3, 0.3, 1.0), lambda x, z: (0.3 * x @ z.T + 1.0) ** 3),
            (None, lambda x, z: unit(x) @ unit(z).T))  # cosine: that of the linear kernel on rows of length one


class Kernels(Properties):
    def test_linear_is_ridge(self):
        for p in each_problem(((12, 4), (4, 12))):
            if p.intercept:
                continue
            w, b = refit(p.x, p.y, 0.6, False, p.weights)
            for route in KERNEL_ROUTES:
                model = p.model(route=route).set_lambda(0.6)
                self.assert_close(model.predict(p.x), p.x @ w)
                self.assert_close(model.hyperplane(), w)

    def test_singular_without_alpha(self):
        """K of repeated points, alpha = 0: least squares, of minimum norm; CHOLESKY and BAND say that they cannot."""
        for p in each_problem(((8, 3),), weights=(False,)):
            x, y = np.vstack([p.x, p.x[:5]]), np.vstack([p.y, p.y[:5] + 1.0])
            model = fr.Model(fr.gaussian(1.0), x, y, None, p.intercept, fr.ROUTE_SPECTRAL).set_lambda(0.0)
            means = np.vstack([p.y[:5] + 0.5, p.y[5:]])
            self.assert_close(model.fitted(), np.vstack([means, means[:5]]))
            c, b = kernel_refit(gaussian(p.x, p.x, 1.0), means, 0.0, p.intercept)
            new = p.random.normal(size=(6, 3))
            self.assert_close(model.predict(new), gaussian(new, p.x, 1.0) @ c + b, 1e-9)
            shares = model.coefficients()
            self.assert_close(shares[8:], shares[:5])  # equal points share alike: the minimum norm
            for route in (fr.ROUTE_CHOLESKY, fr.ROUTE_BAND):
                refused = fr.Model(fr.gaussian(1.0), x, y, None, p.intercept, route)
                with self.assertRaises(fr.Error) as caught:
                    refused.set_lambda(0.0)
                self.assertEqual(caught.exception.status, library.NOT_POSITIVE_DEFINITE)

    def test_precomputed(self):
        for p in each_problem(((9, 4),)):
            new = p.random.normal(size=(5, 4))
            for kernel, values in of_kernels(p):
                k = values(p.x, p.x)
                k = (k + k.T) / 2
                before = k.copy()
                k.setflags(write=False)
                given = fr.Model(fr.precomputed(), k, p.y, p.weights, p.intercept).set_lambda(0.9)
                if kernel is None:
                    x, z = (a / np.linalg.norm(a, axis=1, keepdims=True) for a in (p.x, new))
                    kernel = fr.linear()
                else:
                    x, z = p.x, new
                own = fr.Model(kernel, x, p.y, p.weights, p.intercept, fr.ROUTE_SPECTRAL).set_lambda(0.9)
                self.assert_close(given.predict(values(new, p.x)), own.predict(z))
                self.assert_close(given.loo(), own.loo())
                self.assert_same(k, before)

    def test_weights(self):
        """ridge = kernel ridge = precomputed = the refit."""
        for p in each_problem(((11, 4),), weights=(True,)):
            k = p.x @ p.x.T
            c, b = kernel_refit(k, p.y, 0.8, p.intercept, p.weights)
            for model in (p.model(), p.model(route=fr.ROUTE_CHOLESKY), p.model(route=fr.ROUTE_BAND),
                          fr.Model(fr.precomputed(), (k + k.T) / 2, p.y, p.weights, p.intercept)):
                model.set_lambda(0.8)
                self.assert_close(model.fitted(), k @ c + b)
                self.assert_close(model.predict(p.x) if model.d == 4 else model.predict(k), k @ c + b)

    def test_outputs_together(self):
        for p in each_problem(((11, 4),), t=3):
            for route in KERNEL_ROUTES:
                together = p.model(fr.gaussian(2.0), route).set_lambda(0.4)
                for j in range(3):
                    alone = fr.Model(fr.gaussian(2.0), p.x, p.y[:, j], p.weights, p.intercept, route).set_lambda(0.4)
                    self.assert_close(together.coefficients()[:, [j]], alone.coefficients())
                    self.assert_close(together.predict(p.x)[:, [j]], alone.predict(p.x))


def of_estimators():
    return (fr.FreeRidge(alpha=0.5, kernel="linear"), fr.FreeRidge(kernel="linear"),
            fr.FreeRidge(alpha=0.5, kernel="gaussian", sigma=3.0),
            fr.FreeRidge(kernel="gaussian", sigma=3.0, fit_intercept=False),
            fr.FreeRidge(alpha=0.5, kernel="laplacian", sigma=9.0, landmarks=4))


class Estimators(Properties):
    """What check_estimator looks at once (estimator_test.py runs it), here for each seed and to the last digits."""

    def each(self):
        for seed in range(SEEDS):
            p = Problem(seed, 14, 4)
            for estimator in of_estimators():
                yield p, estimator.fit(p.x, p.y)

    def test_subsets(self):
        for p, estimator in self.each():
            whole = estimator.predict(p.x)
            self.assert_close(np.vstack([estimator.predict(p.x[[i]]) for i in range(14)]), whole, 1e-12)
            self.assert_close(estimator.predict(p.x[3:8]), whole[3:8], 1e-12)

    def test_order(self):
        """Of the points predicted, and of the rows fitted."""
        for p, estimator in self.each():
            order = p.random.permutation(14)
            whole = estimator.predict(p.x)
            self.assert_close(estimator.predict(p.x[order]), whole[order], 1e-12)
            if estimator.landmarks is not None:
                continue  # they are drawn from the rows by their places
            again = copy.deepcopy(estimator).fit(p.x[order], p.y[order])
            # where alpha is chosen it is as close as a search promises
            self.assert_close(again.predict(p.x), whole, 1e-10 if estimator.alpha is not None else 1e-7)

    def test_again(self):
        for p, estimator in self.each():
            before, parameters = estimator.predict(p.x), estimator.get_params()
            self.assert_same(estimator.fit(p.x, p.y).predict(p.x), before)
            self.assertEqual(estimator.get_params(), parameters)

    def test_inputs_are_left_alone(self):
        for p, estimator in self.each():
            before = p.x.copy(), p.y.copy()
            v = np.ones(14)
            for array in (p.x, p.y, v):
                array.setflags(write=False)
            estimator.fit(p.x, p.y, v).predict(p.x)
            self.assert_same(p.x, before[0])
            self.assert_same(p.y, before[1])
            self.assert_same(v, np.ones(14))

    def test_saved(self):
        for p, estimator in self.each():
            for other in (pickle.loads(pickle.dumps(estimator)), copy.deepcopy(estimator)):
                self.assert_same(other.predict(p.x), estimator.predict(p.x))

    def test_weights(self):
        """None, and ones; a row of zero is not there."""
        for p, estimator in self.each():
            whole = estimator.predict(p.x)
            tolerance = 1e-10 if estimator.alpha is not None else 1e-7
            self.assert_close(copy.deepcopy(estimator).fit(p.x, p.y, np.ones(14)).predict(p.x), whole, tolerance)
            v = np.where(np.arange(14) % 5 == 3, 0.0, 1.0)
            some = copy.deepcopy(estimator).fit(p.x, p.y, v).predict(p.x)
            self.assert_close(some, copy.deepcopy(estimator).fit(p.x[v > 0], p.y[v > 0]).predict(p.x), tolerance)

    def test_outputs(self):
        for p, estimator in self.each():
            self.assertEqual(estimator.predict(p.x).shape, (14, 2))
            first = copy.deepcopy(estimator).fit(p.x, p.y[:, 0]).predict(p.x)
            self.assert_close(first, estimator.predict(p.x)[:, 0], 1e-10 if estimator.alpha is not None else 1e-6)

    def test_one_row_and_one_column(self):
        for seed in range(SEEDS):
            p = Problem(seed, 10, 1)
            self.assert_plane(p.model().set_lambda(0.5), *refit(p.x, p.y, 0.5))
            one = fr.FreeRidge(alpha=1.0, kernel="linear").fit(p.x[:1], p.y[:1])
            self.assert_close(one.predict(p.x), np.repeat(p.y[:1], 10, axis=0))
            with self.assertRaises(ValueError) as caught:
                fr.FreeRidge(kernel="linear").fit(p.x[:1], p.y[:1])
            self.assertIn("n_samples = 1", str(caught.exception))

    def test_what_is_refused(self):
        for p, estimator in self.each():
            bad_x, bad_y = p.x.copy(), p.y.copy()
            place = tuple(p.random.integers(0, 14, 1)) + (0,)
            bad_x[place] = p.random.choice([np.nan, np.inf, -np.inf])
            bad_y[place] = np.inf
            fresh = copy.deepcopy(estimator)
            before = fresh.predict(p.x)
            for x, y in ((bad_x, p.y), (p.x, bad_y), (p.x[:0], p.y[:0]), (p.x[:, :0], p.y), (p.x[:, 0], p.y),
                         (p.x * 1j, p.y), (p.x, p.y[1:])):
                with self.assertRaises(ValueError):
                    fresh.fit(x, y)
            for x in (p.x[:, :3], bad_x, p.x[0], np.hstack([p.x, p.x])):
                with self.assertRaises(ValueError):
                    fresh.predict(x)
            self.assert_same(fresh.predict(p.x), before)
            with self.assertRaises(ValueError):
                type(estimator)(**estimator.get_params()).predict(p.x)  # not fitted
