"""Ridge regression: rows 1 to 17, 31 to 33, 35 and 36 of the table in properties_test.py."""

import numpy as np
from sklearn.linear_model import LinearRegression, Ridge

import freeridge as fr
from properties import (LINEAR_ROUTES, SEEDS, ZERO_ROUTES, Problem, Properties, each_problem, gaussian, refit,
                        regression)


class Solutions(Properties):
    def known(self, seed, n, d, intercept, alpha):
        """X = U diag(s) V' + mean with 1'U = 0, y = X w + b + noise: the solution is V diag(s / (s^2 + alpha)) U'y."""
        random = np.random.default_rng([seed, n, d, 1])
        r = min(n - int(intercept), d)
        ones = np.ones((n, int(intercept)))
        u = np.linalg.qr(np.hstack([ones, random.normal(size=(n, r))]))[0][:, int(intercept):]
        v = np.linalg.qr(random.normal(size=(d, r)))[0]
        s = random.uniform(0.5, 3.0, r)
        mean = random.normal(size=d) if intercept else np.zeros(d)
        x = (u * s) @ v.T + mean
        y = x @ random.normal(size=(d, 2)) + random.normal(size=(n, 2)) + (1.0 if intercept else 0.0)
        y_mean = y.mean(axis=0) if intercept else np.zeros(2)
        w = (v * (s / (s**2 + alpha))) @ (u.T @ (y - y_mean))
        return x, y, w, y_mean - mean @ w

    def each_known(self, alpha):
        for seed in range(SEEDS):
            for n, d in ((12, 4), (4, 12)):
                for intercept in (True, False):
                    yield self.known(seed, n, d, intercept, alpha) + (intercept,)

    def test_known_solution(self):
        for x, y, w, b, intercept in self.each_known(1.0):
            for route in LINEAR_ROUTES:
                self.assert_plane(fr.Model(fr.linear(), x, y, intercept=intercept, route=route).set_lambda(1.0), w, b)
            self.assert_same_plane(regression("ridge", x, y, 1.0, intercept=intercept), w, b)
            estimator = fr.FreeRidge(alpha=1.0, fit_intercept=intercept, kernel="linear").fit(x, y)
            residual, spread = ((y - x @ w - b) ** 2).sum(axis=0), ((y - y.mean(axis=0)) ** 2).sum(axis=0)
            self.assert_close(estimator.score(x, y), np.mean(1 - residual / spread))

    def test_minimum_norm(self):
        """alpha = 0, also wide with an intercept, which scikit-learn marks as a known failure."""
        for x, y, w, b, intercept in self.each_known(0.0):
            for route in ZERO_ROUTES:
                self.assert_plane(fr.Model(fr.linear(), x, y, intercept=intercept, route=route).set_lambda(0.0), w, b)
            for found in (regression("ols", x, y, intercept=intercept),
                          regression("ridge", x, y, 0.0, intercept=intercept)):
                self.assert_same_plane(found, w, b)
            if x.shape[1] > x.shape[0]:
                self.assert_close(x @ w + b, y)  # it interpolates, as does every other w of a larger norm

    def test_minimum_norm_of_stacked(self):
        """[X, X] / 2 and [X; X]."""
        for x, y, w, b, intercept in self.each_known(0.0):
            for wide, twice, expected in ((np.hstack([x, x]) / 2, y, np.vstack([w, w])),
                                          (np.vstack([x, x]), np.vstack([y, y]), w)):
                for route in ZERO_ROUTES:
                    model = fr.Model(fr.linear(), wide, twice, intercept=intercept, route=route).set_lambda(0.0)
                    self.assert_plane(model, expected, b)
                self.assert_same_plane(regression("ols", wide, twice, intercept=intercept), expected, b)

    def test_columns_twice(self):
        for x, y, w, b, intercept in self.each_known(1.0):
            for route in LINEAR_ROUTES:
                model = fr.Model(fr.linear(), np.hstack([x, x]) / 2, y, intercept=intercept, route=route)
                self.assert_plane(model.set_lambda(0.5), np.vstack([w, w]), b)

    def test_rows_twice(self):
        for x, y, w, b, intercept in self.each_known(1.0):
            for route in LINEAR_ROUTES:
                model = fr.Model(fr.linear(), np.vstack([x, x]), np.vstack([y, y]), intercept=intercept, route=route)
                self.assert_plane(model.set_lambda(2.0), w, b)

    def test_weights_that_add_up(self):
        """Weights v and 1 - v on [X; X] are none."""
        for x, y, w, b, intercept in self.each_known(1.0):
            v = np.random.default_rng(len(x)).uniform(0.05, 0.95, len(x))
            model = fr.Model(fr.linear(), np.vstack([x, x]), np.vstack([y, y]), np.hstack([v, 1 - v]), intercept)
            self.assert_plane(model.set_lambda(1.0), w, b)

    def test_unit_weights(self):
        for p in each_problem(weights=(False,)):
            plain, ones = p.model(), fr.Model(fr.linear(), p.x, p.y, np.ones(len(p.y)), p.intercept)
            for lam in (0.0, 1.0):
                self.assert_plane(ones.set_lambda(lam), plain.set_lambda(lam).hyperplane(), plain.intercept())
                if len(p.y) > p.x.shape[1] or lam > 0:
                    self.assert_close(ones.loo(), plain.loo())

    def test_primal_and_dual(self):
        for p in each_problem(weights=(False,)):
            for route in LINEAR_ROUTES:
                model = p.model(route=route).set_lambda(1e-2)
                self.assert_close(p.x.T @ model.coefficients(), model.hyperplane())

    def test_alpha_zero_is_least_squares(self):
        for p in each_problem(((12, 4), (30, 7)), weights=(False,)):
            theirs = LinearRegression(fit_intercept=p.intercept).fit(p.x, p.y)
            b = theirs.intercept_ if p.intercept else np.zeros(2)
            self.assert_same_plane(regression("ols", p.x, p.y, intercept=p.intercept), theirs.coef_.T, b)
            self.assert_plane(p.model().set_lambda(0.0), theirs.coef_.T, b)

    def test_objective_is_smallest(self):
        for p in each_problem():
            model = p.model().set_lambda(0.7)
            w, b, v = model.hyperplane(), model.intercept(), np.ones(len(p.y)) if p.weights is None else p.weights

            def objective(w, b):
                return v @ (p.y - p.x @ w - b) ** 2 + 0.7 * (w**2).sum(axis=0)

            for size in (1e-1, 1e-3, 1e-5):
                shift = size * p.random.normal(size=2) if p.intercept else 0.0
                elsewhere = objective(w + size * p.random.normal(size=w.shape), b + shift)
                self.assertTrue(np.all(elsewhere > objective(w, b)))


class Outputs(Properties):
    def test_shapes(self):
        for seed in range(SEEDS):
            p = Problem(seed, 5, 10, 3)
            for y in (p.y[:, 0], p.y[:, :1], p.y):
                ours, theirs = fr.FreeRidge(alpha=1.0, kernel="linear").fit(p.x, y), Ridge(1.0).fit(p.x, y)
                for name in ("coef_", "intercept_"):
                    self.assertEqual(np.shape(getattr(ours, name)), np.shape(getattr(theirs, name)))
                self.assertEqual(ours.predict(p.x).shape, theirs.predict(p.x).shape)
                self.assertEqual(ours.loo_errors().shape, y.shape)

    def test_a_constant_moves_the_intercept(self):
        for p in each_problem():
            if not p.intercept:
                continue
            before = p.model().set_lambda(1.0)
            shift = np.array([10.0, -3.0])
            after = fr.Model(fr.linear(), p.x, p.y + shift, p.weights).set_lambda(1.0)
            self.assert_plane(after, before.hyperplane(), before.intercept() + shift)

    def test_one_alpha_for_each(self):
        for p in each_problem(t=3):
            alphas = p.random.uniform(0.1, 5.0, 3)
            model = p.model().set_lambda(alphas)
            for j, alpha in enumerate(alphas):
                alone = fr.Model(fr.linear(), p.x, p.y[:, j], p.weights, p.intercept).set_lambda(alpha)
                self.assert_same_plane((model.hyperplane()[:, [j]], model.intercept()[[j]]), alone.hyperplane(),
                                       alone.intercept())
                self.assert_close(model.loo()[:, [j]], alone.loo())
            for wrong in (alphas[:2], np.append(alphas, 1.0)):
                with self.assertRaises(ValueError):
                    model.set_lambda(wrong)


class Routes(Properties):
    def test_solvers_agree(self):
        """Every route, the landmarks being all rows, an accumulator, freeridge_ridge: with the refit by an SVD."""
        for p in each_problem():
            w, b = refit(p.x, p.y, 0.3, p.intercept, p.weights)
            for route in LINEAR_ROUTES:
                self.assert_plane(p.model(route=route).set_lambda(0.3), w, b)
            landmarks = fr.Model(fr.linear(), p.x, p.y, p.weights, p.intercept, landmarks=np.arange(len(p.y)))
            self.assert_plane(landmarks.set_lambda(0.3), w, b)
            rows = fr.Accumulator(p.x.shape[1], 2, p.intercept)
            for i in range(0, len(p.y), 3):
                rows.add(p.x[i: i + 3], p.y[i: i + 3], None if p.weights is None else p.weights[i: i + 3])
            found = rows.solve([0.3])
            self.assert_same_plane((found[0], found[1][:, 0]), w, b)
            if p.weights is None:
                self.assert_same_plane(regression("ridge", p.x, p.y, 0.3, intercept=p.intercept), w, b)

    def test_centring(self):
        """An intercept is centring: of x, and of K on both sides, with the weighted means."""
        for p in each_problem(((12, 4), (4, 12), (2, 3), (20, 1), (9, 9))):
            if not p.intercept:
                continue
            v = np.ones(len(p.y)) if p.weights is None else p.weights
            x_mean, y_mean = np.average(p.x, axis=0, weights=v), np.average(p.y, axis=0, weights=v)
            model = p.model().set_lambda(0.8)
            centred = fr.Model(fr.linear(), p.x - x_mean, p.y - y_mean, p.weights, False).set_lambda(0.8)
            self.assert_plane(model, centred.hyperplane(), y_mean - x_mean @ centred.hyperplane())
            k = gaussian(p.x, p.x, 3.0)
            centre = np.eye(len(v)) - np.outer(np.ones(len(v)), v / v.sum())
            dense = fr.Model(fr.precomputed(), centre @ k @ centre.T, p.y - y_mean, p.weights, False).set_lambda(0.8)
            self.assert_close(p.model(fr.gaussian(3.0)).set_lambda(0.8).fitted(), dense.fitted() + y_mean)

    def test_arguments(self):
        """Known coefficients beside an intercept of 10^4 come back with every combination."""
        for seed in range(SEEDS):
            random = np.random.default_rng(seed)
            x, w = random.uniform(size=(20, 3)), np.array([1.0, 2.0, 0.1])
            y = (x @ w + 1e4)[:, np.newaxis]
            for layout in (x, np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2]):
                for weights in (None, random.uniform(0.5, 2.0, 20)):
                    for copy in (True, False):
                        for route in ZERO_ROUTES:
                            model = fr.Model(fr.linear(), layout, y, weights, route=route, copy=copy).set_lambda(0.0)
                            self.assert_close(model.hyperplane()[:, 0], w)
                            self.assert_close(model.intercept(), [1e4])

    def test_single_precision(self):
        """It goes in as the double that it is; answers are doubles."""
        for p in each_problem(weights=(False,)):
            x, y = p.x.astype(np.float32), p.y.astype(np.float32)
            single = fr.Model(fr.linear(), x, y, intercept=p.intercept).set_lambda(1.0)
            exact = fr.Model(fr.linear(), x.astype(float), y.astype(float), intercept=p.intercept).set_lambda(1.0)
            self.assert_same(single.hyperplane(), exact.hyperplane())
            self.assertEqual(single.hyperplane().dtype, np.float64)
            self.assert_close(single.hyperplane(), p.model().set_lambda(1.0).hyperplane(), 1e-4)

    def test_strides(self):
        for p in each_problem(((12, 4), (5, 9)), weights=(False,)):
            expected = p.model().set_lambda(1.0)
            n, d = p.x.shape
            room = np.full((2 * n, 3 * d), np.nan)
            room[:n, :d] = p.x
            thin = np.full((n, 2 * d), np.nan)
            thin[:, ::2] = p.x
            for x in (np.asfortranarray(p.x), room[:n, :d], np.asfortranarray(room)[:n, :d], thin[:, ::2],
                      p.x[::-1, ::-1].copy()[::-1, ::-1]):
                model = fr.Model(fr.linear(), x, p.y, intercept=p.intercept).set_lambda(1.0)
                self.assert_plane(model, expected.hyperplane(), expected.intercept())

    def test_weights(self):
        """Of zero: the row is not there; all times 3: alpha times 3; two: the row twice."""
        for p in each_problem(((12, 4), (6, 9)), weights=(True,)):
            for route in (fr.ROUTE_AUTO, fr.ROUTE_CHOLESKY):
                model = p.model(route=route).set_lambda(0.5)
                w, b = model.hyperplane(), model.intercept()
                scaled = fr.Model(fr.linear(), p.x, p.y, 3 * p.weights, p.intercept, route).set_lambda(1.5)
                self.assert_plane(scaled, w, b)
                self.assert_close(scaled.loo(), model.loo())
            whole = p.random.integers(1, 4, len(p.y)).astype(float)
            heavy = fr.Model(fr.linear(), p.x, p.y, whole, p.intercept).set_lambda(0.5)
            rows = np.repeat(np.arange(len(p.y)), whole.astype(int))
            self.assert_plane(fr.Model(fr.linear(), p.x[rows], p.y[rows], None, p.intercept).set_lambda(0.5),
                              heavy.hyperplane(), heavy.intercept())
            some = np.where(p.random.uniform(size=len(p.y)) < 0.3, 0.0, p.weights)
            some[:2] = 1.0
            with_zeros = fr.FreeRidge(alpha=0.5, fit_intercept=p.intercept, kernel="linear").fit(p.x, p.y, some)
            w, b = refit(p.x[some > 0], p.y[some > 0], 0.5, p.intercept, some[some > 0])
            self.assert_same_plane((with_zeros.coef_.T, with_zeros.intercept_), w, b)
