"""Every answer of the Python package below its estimator, against its definition by numpy: what was handed over has
arrived in its place, and what came back has its shape."""

import copy
import pickle
import unittest

import numpy as np

import freeridge as fr

RANDOM = np.random.default_rng(7)


def gauss(x, z, sigma=1.5):
    return np.exp(-((x[:, np.newaxis] - z) ** 2).sum(axis=2) / sigma**2)


class Problem:
    """14 points, 2 outputs, weights and an intercept by dense matrices: hat matrix, P, errors left out."""

    def __init__(self, value=0.3, rows=slice(None)):
        generator = np.random.default_rng(3)
        self.x, self.new = generator.normal(size=(14, 2)), generator.normal(size=(5, 2))
        self.y = np.column_stack([np.sin(self.x[:, 0]), self.x.sum(axis=1)]) + 0.1 * generator.normal(size=(14, 2))
        self.w = generator.uniform(0.5, 2.0, 14)
        self.value, n = value, 14
        self.k = gauss(self.x, self.x)
        m_inverse = np.linalg.inv(self.k + value * np.diag(1 / self.w))
        one = np.ones(n)
        self.p = m_inverse - np.outer(m_inverse @ one, one @ m_inverse) / (one @ m_inverse @ one)
        self.hat = np.eye(n) - value * np.diag(1 / self.w) @ self.p
        self.m_inverse, self.loo = m_inverse, self.p @ self.y / np.diag(self.p)[:, np.newaxis]

    def model(self, **settings):
        return fr.Model(fr.gaussian(1.5), self.x, self.y, self.w, **settings).set_lambda(self.value)

    def predicted(self, rows, new):
        """The fit to some rows, from the equations."""
        n = len(rows)
        system = np.zeros((n + 1, n + 1))
        system[:n, :n] = self.k[np.ix_(rows, rows)] + self.value * np.diag(1 / self.w[rows])
        system[n, :n] = system[:n, n] = 1
        solution = np.linalg.solve(system, np.vstack([self.y[rows], np.zeros((1, 2))]))
        return gauss(new, self.x[rows]) @ solution[:n] + solution[n]


class Comparison(unittest.TestCase):
    def close(self, actual, expected, tolerance=1e-9):
        self.assertEqual(np.shape(actual), np.shape(expected))
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


class Models(Comparison):
    def setUp(self):
        self.p = Problem()
        self.model = self.p.model()

    def test_diagnostics(self):
        p, model = self.p, self.model
        fitted, leverage = p.hat @ p.y, np.diag(p.hat)
        df, sigma2 = model.degrees_of_freedom()
        self.close(df, [np.trace(p.hat)] * 2)
        self.close(sigma2, p.w @ (p.y - fitted) ** 2 / (14 - np.trace(p.hat)))
        self.close(model.fitted(), fitted)
        self.close(model.leverage(), np.column_stack([leverage] * 2))
        self.close(model.loo(), p.loo)
        self.close(model.cooks_distance(), p.w[:, None] * p.loo**2 * leverage[:, None] / (df * sigma2))
        self.close(model.coefficients(), p.p @ p.y)
        self.close(model.predict(p.new), p.predicted(np.arange(14), p.new))
        groups = np.arange(14) % 3 - 1  # -1 is never left out
        errors = model.group_errors(groups)
        for group in (0, 1):
            out = groups == group
            self.close(errors[out], p.y[out] - p.predicted(np.flatnonzero(~out), p.x[out]))
        self.assertTrue(np.all(np.isnan(errors[groups == -1])))

    def test_intervals(self):
        p, level = self.p, 0.7
        left_out = np.array([p.predicted(np.delete(np.arange(14), i), p.new) for i in range(14)])
        k, m = int(np.floor((1 - level) * 15)), int(np.ceil(level * 15))
        for new in (p.new, np.asfortranarray(p.new)):
            lower, upper = self.model.predict_jackknife(new, level)
            self.close(lower, np.sort(left_out - np.abs(p.loo)[:, None, :], axis=0)[k - 1])
            self.close(upper, np.sort(left_out + np.abs(p.loo)[:, None, :], axis=0)[m - 1])
        self.assertTrue(np.all(np.isinf(self.model.predict_jackknife(p.new, 0.99).upper)))

    def test_predictions_without_rows(self):
        p, m = self.p, len(self.p.new)
        groups = np.arange(14) % 3 - 1  # -1 is never left out
        for new in (p.new, np.asfortranarray(p.new)):
            each = self.model.predict_left_out(new)
            rows = np.arange(m) * 2
            for i in range(14):
                self.close(each[:, i::14], p.predicted(np.delete(np.arange(14), i), p.new))
            self.close(self.model.predict_left_out(new, rows), [[each[q, i], each[q, i + 14]] for q, i in enumerate(rows)])
            labels = np.arange(m) % 3 - 1
            found = self.model.predict_left_out(new, labels, groups)
            for q, label in enumerate(labels):
                kept = np.flatnonzero((groups != label) | (label < 0))
                self.close(found[q], p.predicted(kept, p.new[[q]])[0])
        self.assertRaises(fr.InputError, self.model.predict_left_out, p.new, None, groups)
        self.assertRaises(ValueError, self.model.predict_left_out, p.new, [0])
        self.assertRaises(ValueError, self.model.predict_left_out, p.new, labels, groups[1:])

    def test_variance(self):
        p, one = self.p, np.ones(14)
        tau2 = np.diag(p.y.T @ p.p @ p.y) / 13
        k = gauss(p.x, p.new)
        plain = 1 - np.sum(k * (p.m_inverse @ k), axis=0) + (1 - one @ p.m_inverse @ k) ** 2 / (one @ p.m_inverse @ one)
        variance, noise = self.model.predict_variance(p.new)
        self.close(variance, np.outer(plain, tau2))
        self.close(noise, p.value * tau2)

    def test_covariances_of_predictions(self):
        p, one, m = self.p, np.ones(14), len(self.p.new)
        sigma2 = self.model.degrees_of_freedom().sigma2
        k = gauss(p.x, p.new)
        r = 1 - one @ p.m_inverse @ k
        v = gauss(p.new, p.new) - k.T @ p.m_inverse @ k + np.outer(r, r) / (one @ p.m_inverse @ one)
        a = p.m_inverse @ (k + np.outer(one, r) / (one @ p.m_inverse @ one))
        for kind, whole in ((fr.COVARIANCE_BAYESIAN, v / p.value), (fr.COVARIANCE_FREQUENTIST, a.T @ (a / p.w[:, None]))):
            for new in (p.new, np.asfortranarray(p.new)):
                errors, covariance = self.model.predict_covariance(new, kind=kind)
                self.close(errors, np.sqrt(np.outer(np.diag(whole), sigma2)))
                for j in range(2):
                    self.close(covariance[:, m * j:m * (j + 1)], sigma2[j] * whole)
            alone = self.model.predict_covariance(p.new, pairs=False, kind=kind)
            self.close(alone.errors, errors)
            self.assertIsNone(alone.covariance)

    def test_matrices(self):
        p, model, n = self.p, self.model, 14
        self.close(model.hat_matrix(p.value), p.hat)
        self.close(model.inverse_matrix(p.value), p.p)
        root, one = np.sqrt(p.w), np.sqrt(p.w)[:, None] / np.sqrt(p.w.sum())
        centre = np.eye(n) - one @ one.T
        k = centre @ (root[:, None] * gauss(p.x, p.x) * root) @ centre
        values = np.linalg.eigvalsh(k)[:0:-1]
        self.close(model.eigenvalues(n - 1), values)
        found = model.eigenvectors(3)
        self.close(found.values, values[:3])
        self.close(k @ found.vectors, found.vectors * values[:3])
        condition, rank = model.condition_number([p.value, 1.0])
        self.close(condition[0], (values[0] + p.value) / (values[-1] + p.value))
        self.close(rank[1], np.sum(values / (values + 1)))
        self.close(fr.linear().scaled([2, 0.5]).linear_scale(2), [2, 0.5])
        self.assertIsNone(fr.gaussian(1.0).linear_scale(2))
    def test_derivatives_and_their_averages(self):
        p, model, step = self.p, self.model, 1e-5
        weights = np.arange(1.0, len(p.new) + 1)
        sigma2 = model.degrees_of_freedom().sigma2
        for new in (p.new, np.asfortranarray(p.new)):
            gradient = model.predict_gradient(new).reshape(len(new), 2, p.new.shape[1])
            average, errors = model.average_gradient(new, weights, fr.COVARIANCE_FREQUENTIST)
            posterior = model.average_gradient(new, weights).errors
            for k in range(new.shape[1]):
                high, low = np.array(new), np.array(new)
                high[:, k] += step
                low[:, k] -= step
                np.testing.assert_allclose(gradient[:, :, k],
                                           (model.predict(high) - model.predict(low)) / (2 * step), rtol=0, atol=1e-7)
                self.close(average[k], weights @ gradient[:, :, k] / weights.sum())
                share = weights / weights.sum()
                signed = np.concatenate([share, -share])
                change, change_errors, none = model.predict_combinations(np.vstack([high, low]), factors=signed,
                                                                         kind=fr.COVARIANCE_FREQUENTIST)
                change, change_errors = change[0], change_errors[0]
                self.assertIsNone(none)
                unit = p.p @ (gauss(p.x, high) - gauss(p.x, low)) @ weights / weights.sum()
                np.testing.assert_allclose(change, unit @ p.y, rtol=1e-7)
                np.testing.assert_allclose(change_errors, np.sqrt(sigma2 * (unit**2 @ (1 / p.w))), rtol=1e-7)
                np.testing.assert_allclose(errors[k], change_errors / (2 * step), rtol=1e-6)
                away = 0.5
                high[:, k], low[:, k] = new[:, k] + away, new[:, k] - away
                delta = (gauss(p.x, high) - gauss(p.x, low)) @ share
                prior = share @ (gauss(high, high) - 2 * gauss(high, low) + gauss(low, low)) @ share
                found = model.predict_combinations(np.vstack([high, low]), factors=signed, pairs=True)
                np.testing.assert_allclose(found.errors[0], np.sqrt(sigma2 / p.value * (prior - delta @ p.p @ delta)),
                                           rtol=1e-7)
                self.close(found.covariance, found.errors**2)
                self.assertTrue(np.all(posterior[k] > errors[k]))
        groups = np.arange(len(p.new)) % 2
        for kind in (fr.COVARIANCE_BAYESIAN, fr.COVARIANCE_FREQUENTIST):
            means = model.predict_combinations(p.new, groups, pairs=True, kind=kind)
            average = np.array([(groups == g) / np.sum(groups == g) for g in (0, 1)])
            self.close(means.value, average @ model.predict(p.new))
            whole = model.predict_covariance(p.new, kind=kind).covariance
            for j in range(2):
                of = whole[:, j * len(p.new):(j + 1) * len(p.new)]
                self.close(means.covariance[:, 2 * j:2 * j + 2], average @ of @ average.T)
        for group, weights_given in ((groups[1:], None), (groups + 1, None), (groups - 1, None), (None, weights[1:])):
            with self.assertRaises(ValueError):
                model.predict_combinations(p.new, group, weights_given)
        with self.assertRaises(ValueError):
            model.average_gradient(p.new, weights[1:])

    def test_fixed_effects(self):
        p, value = self.p, 0.7
        f, new_f = p.x[:, :2] ** 2, p.new[:, :2] ** 2
        model = fr.Model(fr.gaussian(1.5), p.x, p.y, weights=p.w, factorize=False)
        model.set_fixed_effects(np.column_stack([f, f[:, 0]]))
        self.assertEqual(model.factorize().set_lambda(value).fixed_count(), 3)
        design, new_design = np.column_stack([np.ones(14), f]), np.column_stack([np.ones(len(p.new)), new_f])
        m_inverse = np.linalg.inv(gauss(p.x, p.x) + value * np.diag(1 / p.w))
        covariance = np.linalg.inv(design.T @ m_inverse @ design)
        effects = covariance @ design.T @ m_inverse @ p.y
        c = m_inverse @ (p.y - design @ effects)
        tau2 = np.sum(p.y * c, axis=0) / 11
        found = model.fixed_effects()
        self.assertEqual(list(found.kept), [1, 1, 0])
        self.close(found.effects, np.vstack([effects[1:], np.zeros(2)]))
        self.close(model.predictor().fixed_coefficients(), found.effects)
        self.assertRaises(fr.Error, model.predictor().fixed_effects)
        self.close(found.errors, np.vstack([np.sqrt(np.outer(np.diag(covariance)[1:], tau2)), np.zeros(2)]))
        for j, whole in enumerate(model.fixed_covariance()):
            self.close(whole, np.pad(tau2[j] * covariance[1:, 1:], (0, 1)))
        k, given = gauss(p.x, p.new), np.column_stack([new_f, new_f[:, 0]])
        predicted = k.T @ c + new_design @ effects
        for new, fixed in ((p.new, given), (np.asfortranarray(p.new), given)):
            self.close(model.predict(new, fixed), predicted)
            self.close(model.predict_path(new, [value, 3.0], fixed)[:, :2], predicted)
            r = new_design - k.T @ m_inverse @ design
            plain = 1 - np.sum(k * (m_inverse @ k), axis=0) + np.sum(r * (r @ covariance), axis=1)
            self.close(model.predict_variance(new, fixed).variance, np.outer(plain, tau2))
            errors = model.predict_covariance(new, pairs=False, fixed=fixed).errors
            each = model.predict_combinations(new, np.arange(len(new)), fixed=fixed)
            self.close(each.errors, errors)
            self.close(each.value, model.predict(new, fixed))
            self.close(errors, np.sqrt(np.outer(plain / value, model.degrees_of_freedom().sigma2)))
            lower, upper = model.predict_jackknife(new, 0.7, fixed=fixed)
            self.assertTrue(np.all(lower < upper))
            nobody = np.full(len(new), -1)
            self.close(model.predict_left_out(new, nobody, fixed=fixed), predicted)
        components = model.set_lambda(value).variance_components
        try:
            found = components()
        except fr.Error as error:
            found = error.values
        self.close(found.random, tau2)
        self.close(found.residual, value * tau2)
        self.close(found.share, np.full(2, 1 / (1 + value)))
        with self.assertRaises(ValueError):
            model.predict(p.new, given[1:])
        with self.assertRaises(fr.Error):
            model.predict(p.new)
        with self.assertRaises(ValueError):
            model.set_fixed_effects(f[1:])
        self.assertEqual(model.set_fixed_effects(None).fixed_count(), 0)

    def test_covariances_of_coefficients(self):
        p = self.p
        model = fr.Model(fr.linear(), p.x, p.y)
        model.set_weights(p.w)
        model.factorize()
        model.set_lambda(0.7)
        design = np.column_stack([np.ones(14), p.x])
        side = design.shape[1]
        gram = design.T @ (p.w[:, None] * design)
        bread = np.linalg.inv(gram + 0.7 * np.diag([0.0] + [1.0] * (side - 1)))
        for kind, middle in ((fr.COVARIANCE_BAYESIAN, bread), (fr.COVARIANCE_FREQUENTIST, bread @ gram @ bread)):
            found, sigma2 = model.coefficient_covariance(kind), model.degrees_of_freedom().sigma2
            w, b = model.coefficient_errors(kind)
            for j in range(2):
                self.close(found[j * side:(j + 1) * side, j * side:(j + 1) * side], sigma2[j] * middle)
            self.close(np.concatenate([np.vstack([b, w]).T.ravel()]) ** 2, np.diag(found))

    def test_objective(self):
        p, at = self.p, self.model.objective(self.p.value)
        squares, c = p.w @ (p.y - p.hat @ p.y) ** 2, p.p @ p.y
        norm2 = np.diag(c.T @ gauss(p.x, p.x) @ c)
        self.close(at.training[0], squares / p.w.sum())
        self.close(at.norm2[0], norm2)
        self.close(at.objective[0], squares + p.value * norm2)

    def test_scores(self):
        p, model = self.p, self.model
        scores, errors = model.score_with_error(fr.LOO, [p.value, 1.0])
        mean = p.w @ p.loo**2 / p.w.sum()
        self.close(scores[0], mean)
        self.close(errors[0], np.sqrt(p.w @ (p.loo**2 - mean) ** 2 / (p.w.sum() * 13)))
        self.close(model.score(fr.LOO, [p.value, 1.0]), scores)
        self.close(model.score(fr.GCV, p.value)[0],
                   14 * (p.w @ (p.y - p.hat @ p.y) ** 2) / np.trace(np.eye(14) - p.hat) ** 2)

    def test_searches(self):
        model = self.model
        grid = model.lambda_grid(7)
        self.close(np.diff(np.log(grid)), np.full(6, np.log(grid[-1] / grid[0]) / 6))
        chosen, score = model.select_lambda(fr.LOO, 1e-4, 1e4)
        lambdas, scores, edge = model.search()
        self.assertTrue(np.all(np.diff(lambdas) > 0) and lambdas[0] >= 1e-4 * (1 - 1e-12) and np.all(edge == 0))
        self.close(np.nanmin(scores, axis=0), score)
        self.close(lambdas[np.nanargmin(scores, axis=0)], chosen)
        rule, best, error = model.one_standard_error()
        self.close(best, score)
        for j in range(2):
            self.close(error[j], model.score_with_error(fr.LOO, chosen[j]).errors[0, j])
            tried = ~np.isnan(scores[:, j]) & (lambdas >= chosen[j])
            good = np.logical_and.accumulate(scores[tried, j] <= score[j] + error[j])
            self.close(rule[j], lambdas[tried][good][-1])
        decades, dips = model.search_shape()
        self.assertTrue(np.all(decades > 0) and np.all(dips >= 1) and dips.dtype == np.int32)
        sigma, tried = model.select_bandwidth(fr.GCV, 0.5, 4.0, budget=5)
        self.assertEqual((model.bandwidth(), len(tried) <= 5), (sigma, True))
        self.assertIn(sigma, tried[:, 0])
        shape = model.bandwidth_shape()
        self.assertEqual(shape.edge, {0.5: -1, 4.0: 1}.get(sigma, 0))
        self.assertTrue(0 < shape.decades <= np.log10(8) + 1e-12 and shape.dips >= 1)
        with self.assertRaises(fr.Error) as caught:
            model.set_route(fr.ROUTE_SPECTRAL).factorize().search()
        self.assertEqual(caught.exception.name, "INVALID_STATE")

    def test_learning_the_kernel(self):
        x = np.random.default_rng(2).uniform(-1, 1, (60, 3))
        y = np.sin(4 * x[:, 0])
        model = fr.Model(fr.gaussian(1.0).scaled([1.0, 1.0, 1.0]), x, y)
        given = model.factorize().select_lambda(fr.LOO).score[0]
        learnt = model.select_kernel(fr.LOO, seed=4)
        lengths = model.kernel().hyperparameters
        self.assertTrue(learnt.score < given and lengths[1] > lengths[0] < lengths[2])
        self.assertEqual((learnt.learnt, learnt.rows, learnt.sample, learnt.kept), (3, 60, 60, False))
        self.assertEqual(learnt.variable.tolist(), [0, 1, 2, -1])
        self.assertEqual(len(learnt.stage), len(learnt.scores))
        self.assertTrue(np.all(learnt.low <= lengths * (1 + 1e-12)) and np.all(lengths <= learnt.high * (1 + 1e-12)))
        held = fr.Model(fr.gaussian(1.0).scaled([1.0, 1.0, 1.0]), x, y)
        some = held.select_kernel(fr.REML, [5, 5, -1, -1], rows=40, evaluations=6)
        self.assertEqual((some.learnt, len(set(some.learnt_on))), (1, 40))
        self.assertTrue(np.all(np.diff(some.learnt_on) > 0) and some.learnt_on[-1] < 60)
        self.assertEqual(held.kernel().hyperparameters[2:].tolist(), [1, 1])
        with self.assertRaises(ValueError):
            held.select_kernel(fr.LOO, [0, 0])
        with self.assertRaises(fr.Error):
            fr.Model(fr.linear(), x, y).select_kernel()

    def test_errors_with_the_learning_included(self):
        random = np.random.default_rng(5)
        x, group = random.uniform(-1, 1, (24, 2)), fr.make_folds(24, 6, 3)
        y = np.sin(3 * x[:, 0]) + 0.3 * random.normal(size=24)

        def chosen(rows):
            model = fr.Model(fr.gaussian(1.0), x[rows], y[rows])
            model.select_bandwidth(fr.LOO)
            return model

        model = chosen(np.arange(24))
        learnt = fr.Model(fr.matern(1.5, 1.0).scaled([1, 1]), x, y)
        learnt.select_kernel(fr.REML)
        self.assertTrue(0 < learnt.loo_learnt(2, freedom=True).freedom < 5 and np.isnan(learnt.loo_learnt(2).freedom))
        by_row, by_fold = model.loo_learnt(), model.loo_learnt(6, 3)
        for k in range(6):
            others = chosen(group != k)
            same = fr.Model(others.kernel(), x, y).factorize().set_lambda(others.lambdas()[0])
            np.testing.assert_allclose(by_fold.errors[group == k], same.loo()[group == k], rtol=1e-7)
        others = chosen(np.arange(24) != 5)
        np.testing.assert_allclose(by_row.errors[5], y[5] - others.predict(x[5:6])[0], rtol=1e-7)
        self.assertEqual((by_row.change.shape, len(set(by_fold.change))), ((24,), 6))
        estimator = fr.FreeRidge(kernel="gaussian", lengths="one", scale=False).fit(x, y)
        np.testing.assert_allclose(estimator.loo_errors(learnt=True), by_row.errors[:, 0], rtol=1e-7)
        weights = np.append(np.ones(24), 0.0)
        unused = fr.FreeRidge(kernel="gaussian", lengths="one", scale=False).fit(np.vstack([x, x[:1]]), np.append(y, 2.0), weights)
        np.testing.assert_allclose(unused.loo_errors(learnt=True)[:24], by_row.errors[:, 0], rtol=1e-7)
        for refused in (lambda: fr.FreeRidge(alpha=1.0, kernel="linear").fit(x, y).loo_errors(learnt=True), lambda: model.loo_learnt(25),
                        lambda: model.loo_learnt(1), lambda: model.predictor().loo_learnt()):
            with self.assertRaises(fr.Error):
                refused()

    def test_lambda_flags(self):
        line = np.linspace(0, 1, 30)[:, np.newaxis]
        model = fr.Model(fr.gaussian(1.5), line, np.hstack([np.sin(line), np.exp(line)])).set_lambda([1e-14, 1.0])
        floor, below, edge = model.lambda_flags()
        self.assertTrue(1e-14 < floor < 1)
        self.assertEqual((below.tolist(), edge.tolist()), ([1, 0], [0, 0]))
        self.close(model.lambda_grid(2)[0], floor)  # where searches begin
        model.select_lambda(fr.LOO, 1e3, 1e4)
        self.assertEqual([flags.tolist() for flags in model.lambda_flags()[1:]], [[0, 0], [-1, -1]])
        self.assertEqual(self.model.lambda_flags().floor, 0)  # eigenvalues of about one: there is none

    def test_settings(self):
        """Each setting does what it is for; the answers stay."""
        p = self.p
        expected = p.model().loo()
        model = fr.Model(fr.linear(), p.x[:5], p.y[:5], factorize=False)
        model.set_data(p.x, p.y).set_weights(p.w).set_kernel(fr.gaussian(1.5)).set_intercept(True)
        for route in (fr.ROUTE_CHOLESKY, fr.ROUTE_SPECTRAL, fr.ROUTE_BAND):
            model.set_route(route).set_expected_lambdas(3).set_expected_criterion(fr.GCV).factorize()
            self.assertEqual(model.route(), route)
            self.close(model.set_lambda(p.value).loo(), expected, 1e-8)
        self.close(model.set_refinement(2).set_lambda([0.1, 0.2]).lambdas(), [0.1, 0.2])
        groups = np.arange(14) % 4
        scores = model.set_groups(groups).score(fr.GROUPS, p.value)[0]
        self.close(scores, p.w @ model.set_lambda(p.value).group_errors(groups) ** 2 / p.w.sum(), 1e-8)
        np.testing.assert_array_equal(model.groups(), groups)
        twice = np.column_stack([groups, np.where(np.arange(14) < 5, 0, -3)])
        both = [model.set_groups(column).score(fr.GROUPS, p.value)[0] for column in twice.T]
        self.close(model.set_groups(twice).score(fr.GROUPS, p.value)[0], np.mean(both, axis=0))
        np.testing.assert_array_equal(model.groups(), np.maximum(twice, -1))
        for wrong in (np.zeros(13), np.zeros((13, 2)), np.zeros((14, 2, 2)), np.full((14, 2), -1)):
            self.assertRaises(ValueError, lambda: model.set_groups(wrong))
        y = p.y.copy()
        y[3, 0] = np.nan
        gappy = fr.Model(fr.gaussian(1.0), p.x, p.y, factorize=False).set_missing().set_data(p.x, y).factorize()
        rest = np.arange(14) != 3
        alone = fr.Model(fr.gaussian(1.0), p.x[rest], y[rest, :1]).set_lambda(0.3)
        self.close(gappy.set_lambda(0.3).loo()[rest, 0], alone.loo()[:, 0])
        self.assertTrue(np.isnan(gappy.loo()[3, 0]))
        self.assertRaises(ValueError, lambda: gappy.set_missing(False).set_data(p.x, y))
        blocks, gap = fr.make_blocks(14, 4, before=1, after=3)
        self.assertEqual(gap.shape, (14, 2))
        np.testing.assert_array_equal(np.unique(gap[blocks == 1]), [-1, 0, 2])
        model.set_groups(blocks, gap)
        np.testing.assert_array_equal(model.gaps(), gap)
        errors = model.group_errors(blocks, gap)
        self.close(model.score(fr.GROUPS, p.value)[0], p.w @ errors ** 2 / p.w.sum(), 1e-8)
        self.assertEqual(model.set_groups(blocks).gaps().shape, (14, 0))
        for wrong in (np.zeros(13), np.zeros((14, 2, 2)), np.full(14, 0.5)):
            self.assertRaises(ValueError, lambda: model.set_groups(blocks, wrong))
        self.assertRaises(ValueError, lambda: model.set_groups(None, gap))
        self.assertRaises(ValueError, lambda: model.set_groups(twice, np.zeros((14, 3))))
        gram = fr.Model(fr.linear(), p.x, p.y, factorize=False).set_reduction(fr.REDUCTION_GRAM).factorize()
        self.close(gram.set_lambda(1.0).hyperplane(), fr.Model(fr.linear(), p.x, p.y).set_lambda(1.0).hyperplane())
        self.assertEqual((gram.route(), gram.rank()), (fr.ROUTE_PRIMAL, 2))
        self.assertTrue(0 < gram.tolerance() < 1e-9)
        self.assertRegex(gram.explain(), r"^route PRIMAL")
        x = RANDOM.normal(size=(1500, 2))
        big = fr.Model(fr.gaussian(1.0), x, x[:, 0], route=fr.ROUTE_CHOLESKY, factorize=False)
        self.assertGreaterEqual(big.memory_required(), 8 * 1500**2)
        with self.assertRaises(MemoryError):
            big.set_memory_limit(1 << 23).factorize()

    def test_landmarks(self):
        p = self.p
        model = p.model(landmarks=[3, 0, 9])
        self.assertEqual(model.landmarks().tolist(), [3, 0, 9])
        rest = p.k - p.k[:, [3, 0, 9]] @ np.linalg.solve(p.k[np.ix_([3, 0, 9], [3, 0, 9])], p.k[[3, 0, 9]])
        self.close(model.landmark_error(), (np.trace(rest), 14.0))
        curve = model.landmark_curve(fr.GCV, [2, 3])
        for i, rows in enumerate(([3, 0], [3, 0, 9])):
            chosen, score = p.model(landmarks=rows).select_lambda(fr.GCV)
            self.close(curve.lambdas[i], chosen, 1e-4)
            self.close(curve.scores[i], score)
        model.set_landmarks(4, fr.LANDMARKS_RANDOM, 1).factorize()
        self.assertEqual(len(set(model.landmarks())), 4)
        self.assertEqual(len(model.set_landmarks(None).factorize().landmarks()), 0)
        with self.assertRaises(fr.Error):
            model.landmark_error()

    def test_several_variances(self):
        """Of matrices side by side, at the maximum of the restricted likelihood by its definition."""
        rng = np.random.default_rng(11)
        n, level = 60, np.arange(60) % 9
        u = rng.normal(size=(n, 3))
        each = [np.equal.outer(level, level) + 0.0, u @ u.T]
        y = (rng.normal(size=9)[level] + u @ [1, -0.5, 0.2] + rng.normal(size=n))[:, np.newaxis] * [1, 2]

        def reml(variances):
            v = sum(w * k for w, k in zip(variances, [*each, np.eye(n)]))
            inner = np.sum(np.linalg.inv(v))
            r = y[:, 0] - np.sum(np.linalg.solve(v, y[:, 0])) / inner
            return (np.linalg.slogdet(v)[1] + np.log(inner) + r @ np.linalg.solve(v, r)) / 2

        kernel = fr.sum_kernel([fr.precomputed(), fr.precomputed()])
        model = fr.Model(kernel, np.hstack(each), y[:, :1])
        model.select_kernel(fr.REML, [-1, 0], shrinkage=np.inf)
        found = model.variance_components()
        self.assertEqual(found.random.shape, (1, 2))
        best = [*found.random[0], found.residual[0]]
        for k in range(3):
            slope = [reml([w * (np.exp(h) if i == k else 1) for i, w in enumerate(best)]) for h in (1e-3, -1e-3)]
            self.assertLess(abs(slope[0] - slope[1]) / 2e-3, 1e-4)
        self.close(found.share[0], best[:2] / np.sum(best))
        self.assertTrue(np.all(found.error > 0) and np.all(found.error < 0.5))
        self.assertEqual(found.error.shape, (1, 3))
        self.close(model.predict(np.hstack([k[:4] for k in each])), model.fitted()[:4])
        both = fr.Model(kernel, np.hstack(each), y)
        both.select_kernel(fr.REML, [-1, 0], shrinkage=np.inf)
        outputs = both.variance_components()
        self.close(outputs.random[1], 4 * outputs.random[0], 1e-6)
        self.close(outputs.share[1], outputs.share[0], 1e-6)
        with self.assertRaises(fr.InputError):
            fr.Model(kernel, each[0], y)


class Accumulators(Comparison):
    def test_is_the_model_of_all_rows(self):
        p = Problem()
        lambdas = [0.5, 2.0]
        half, rest = fr.Accumulator(2, 2), fr.Accumulator(2, 2)
        half.add(p.x[:6], p.y[:6], p.w[:6])
        self.assertIs(half.merge(rest.add(p.x[6:], p.y[6:], p.w[6:])), half)
        self.assertEqual((half.n, rest.n), (14, 8))
        self.close(half.sum_w, p.w.sum())
        model = fr.Model(fr.linear(), p.x, p.y, p.w)
        self.close(half.score(fr.REML, lambdas), model.score(fr.REML, lambdas))
        self.close(half.lambda_grid(5), model.lambda_grid(5))
        w, b = half.solve(lambdas)
        errors = half.loo(p.x[4:8], p.y[4:8], lambdas, p.w[4:8])
        for i, value in enumerate(lambdas):
            model.set_lambda(value)
            self.close(w[:, 2 * i : 2 * i + 2], model.hyperplane())
            self.close(b[:, i], model.intercept())
            self.close(errors[:, 2 * i : 2 * i + 2], model.loo()[4:8])
        group = np.arange(len(p.y)) % 4 - 1  # left out together, as by a model, also by one with a reader
        model = fr.Model(fr.linear(), p.x, p.y, p.w).set_lambda(0.5)
        part = lambda first, count: [values[first:first + count] for values in (p.x, p.y, p.w)]
        read = fr.Model.from_reader(fr.linear(), part, 2, 2, len(p.y), factorize=False)
        read.set_groups(group).factorize().set_lambda(0.5)
        rows = fr.Accumulator(2, 2).add(p.x, p.y, p.w)
        self.close(rows.group_errors(p.x, p.y, group, [0.5], p.w), model.group_errors(group))
        self.close(read.group_errors(group), model.group_errors(group))
        scores = fr.moments_score(rows.group_moments(p.x, p.y, group, [0.5], p.w), [0.5])
        self.close(np.ravel(scores[0]), np.ravel(model.set_groups(group).score(fr.GROUPS, [0.5])))
        with self.assertRaises(fr.InputError) as refused:
            fr.moments_score(np.zeros((5, 1)), [-1.0])
        self.assertIsNone(refused.exception.values)
        at = np.geomspace(1e-3, 1e3, 7)
        chosen = fr.moments_select_lambda(rows.loo_moments(p.x, p.y, at, p.w), at)
        scores = fr.moments_score(rows.loo_moments(p.x, p.y, at, p.w), at)
        self.close(chosen.lambdas, at[scores[0].argmin(axis=0)])
        for found, table in zip((chosen.score, chosen.standard_error), scores):
            self.close(found, table[scores[0].argmin(axis=0), range(2)])
        with self.assertRaises(fr.Error) as undefined:
            fr.moments_select_lambda([[1], [1], [2], [0], [0]], [0.5])  # of one row
        one = undefined.exception.values
        self.assertEqual((one.lambdas[0], one.score[0], np.isnan(one.standard_error[0])), (0.5, 2, True))
        self.assertEqual(rows.set_unpenalised(1).unpenalised().tolist(), [True])
        self.assertEqual(read.set_unpenalised(1).factorize().unpenalised().tolist(), [True])
        read.set_lambda(0.5)  # its other column as that of a model with the first one as fixed effect
        own = fr.Model(fr.linear(), p.x[:, 1:], p.y, p.w, factorize=False).set_fixed_effects(p.x[:, :1]).factorize().set_lambda(0.5)
        self.close(read.coefficient_errors().w, own.coefficient_errors().w)
        self.close(read.coefficient_covariance(), own.coefficient_covariance())
        self.close(read.fixed_coefficients(), own.fixed_effects().effects)
        train = fr.Accumulator(2, 2).add(p.x[:6], p.y[:6], p.w[:6])
        w, b = train.solve(lambdas)
        sums = [train.squared_errors(p.x[rows], p.y[rows], lambdas, p.w[rows]) for rows in (slice(6, 9), slice(9, 14))]
        self.close(sums[0][0] + sums[1][0], p.w[6:].sum())
        for i in range(2):
            fresh = p.y[6:] - p.x[6:] @ w[:, 2 * i : 2 * i + 2] - b[:, i]
            self.close(sums[0][1][i] + sums[1][1][i], p.w[6:] @ fresh**2)
        self.assertGreater(half.memory_required(), 0)
        x = np.linspace(0, 1, 40)[:, None]  # of 20 landmarks side by side doubles tell a few apart
        near = fr.Accumulator.over_landmarks(fr.gaussian(3.0), x[::2]).add(x, np.sin(9 * x))
        self.assertEqual([near.select_lambda(fr.REML, at, at).below.tolist() for at in (1e-12, 1e3)], [[1], [0]])
        for wrong in (lambda: half.merge(fr.Accumulator(3, 2)), lambda: half.merge(half),
                      lambda: half.loo(p.x, p.y[:, 0], 1), lambda: half.score(fr.LOO, lambdas)):
            self.assertRaises(ValueError, wrong)


class Batches(Comparison):
    def test_each_group_is_the_model_of_its_rows(self):
        rng = np.random.default_rng(3)
        n = 90
        x, groups, w = rng.normal(size=(n, 3)), rng.choice(["north", "south", "west"], n), rng.uniform(0.5, 2, n)
        y = x @ [1.0, 2, 3] + rng.normal(size=n) * 3
        y[4] = np.nan
        for criterion in (fr.LOO, fr.GCV, fr.REML):
            for given, intercept in ((None, True), (w, False)):
                one = fr.batch(x, y, groups, given, intercept, criterion=criterion)
                both = fr.batch(np.asfortranarray(x), np.c_[y, 2 * y], groups, given, intercept, criterion=criterion)
                self.assertEqual((one.w.shape, both.w.shape, both.b.shape, both.errors.shape), ((3, 3), (3, 3, 2), (3, 2), (n, 2)))
                self.assertTrue(np.allclose(both.w[:, :, 1], 2 * one.w, rtol=1e-4))
                for g, name in enumerate(one.groups):
                    rows = (groups == name) & ~np.isnan(y)
                    model = fr.Model(fr.linear(), x[rows], y[rows], None if given is None else w[rows], intercept=intercept)
                    model.set_lambda(one.lambda_[g])
                    best = model.score(criterion, [one.lambda_[g]])[0, 0]
                    self.assertLessEqual(best, model.score(criterion, model.lambda_grid(300)).min() + 1e-9 * abs(best))
                    self.close(one.score[g], best)
                    self.close(one.w[g], model.hyperplane().ravel())
                    self.close(one.errors[rows], model.loo().ravel())
                    self.close(one.predict(x[rows], groups[rows]), model.predict(x[rows]).ravel())
                self.assertEqual(list(np.flatnonzero(np.isnan(one.errors))), [4])
        self.assertTrue(np.all(fr.batch(x, y, groups, lambda_=2.0).lambda_ == 2))

    def test_a_group_without_an_answer_has_its_status(self):
        x, y = np.random.default_rng(4).normal(size=(20, 2)), np.arange(20.0)
        found = fr.batch(x, y, [0] * 19 + [7])
        self.assertEqual(list(found.status), [0, fr.UNDEFINED])
        self.assertTrue(np.isnan(found.w[1]).all() and np.isfinite(found.w[0]).all() and np.isnan(found.errors[19]))
        some, alone = fr.batch(x, y, ["a"] * 15 + [np.nan, None] * 2 + ["b"]), fr.batch(x[:15], y[:15], [0] * 15)
        self.assertEqual((list(some.groups), list(np.flatnonzero(np.isnan(some.errors)))), (["a", "b"], [15, 16, 17, 18, 19]))
        self.close(some.predict(x[:3], ["a"] * 3), alone.predict(x[:3], [0] * 3))
        for words, call in (("groups must be 20", lambda: fr.batch(x, y, [0] * 19)), ("y has 19", lambda: fr.batch(x, y[1:], [0] * 20)),
                            ("no rows", lambda: found.predict(x[:1], [5])), ("x has 3", lambda: found.predict(np.ones((1, 3)), [0])),
                            ("infinit|inf", lambda: fr.batch(x, np.full(20, np.inf), [0] * 20)), ("must be one positive number, not -1", lambda: fr.batch(x, y, [0] * 20, lambda_=-1.0)),
                            ("must be one positive number, not 0", lambda: fr.batch(x, y, [0] * 20, lambda_=0)), ("no label", lambda: fr.batch(x, y, [None] * 20)),
                            ("criterion", lambda: fr.batch(x, y, [0] * 20, criterion=fr.GROUPS))):
            with self.assertRaisesRegex(ValueError, words):
                call()


class Windows(Comparison):
    def test_is_the_model_of_the_rows_that_are_there(self):
        p, z = Problem(), Problem().x[::3]
        for kernel, landmarks in ((fr.linear(), None), (fr.gaussian(1.5), None), (fr.gaussian(1.5), z.copy())):
            with self.subTest(kernel=repr(kernel), landmarks=landmarks is not None):
                rows = fr.Window(kernel, 2, 2, 0.5, 9, landmarks=landmarks)
                if landmarks is not None:
                    landmarks[:] = 0  # which were copied
                self.assertIs(rows.add(p.x[:8], p.y[:8], p.w[:8]), rows)
                before = rows.predict(p.x[8:9])
                self.close(rows.add_with_errors(p.x[8:9], p.y[8:9], p.w[8:9]), p.y[8:9] - before)
                before = rows.predict(p.x[9:10])
                error = rows.add_with_errors(p.x[9:10], p.y[9:10])  # the oldest goes
                self.close(error, p.y[9:10] - before)
                rows.remove(), rows.remove([0, 3])
                self.assertEqual((rows.n, rows.lambda_), (6, 0.5))
                there = [3, 4, 6, 7, 8, 9]
                w = np.append(p.w[there[:-1]], 1.0)
                for ours, theirs in zip(rows.rows(), (p.x[there], p.y[there], w)):
                    self.assertTrue(np.array_equal(ours, theirs))
                c, b = rows.coefficients()
                values = p.new @ c if kernel == fr.linear() else \
                    gauss(p.new, p.x[there] if landmarks is None else z) @ c
                self.close(rows.predict(p.new), values + b)
                self.close(rows.predict(np.asfortranarray(p.new)), values + b)
                if landmarks is None:
                    model = fr.Model(kernel, p.x[there], p.y[there], w).set_lambda(0.5)
                    self.close(rows.loo(), model.loo())
                    self.close(rows.predict(p.new), model.predict(p.new))
                    found, score = rows.select_lambda(fr.LOO, 1e-2, 1e2)
                    self.assertEqual(rows.lambda_, found)
                    self.close(score, model.score(fr.LOO, [found]).mean())
                    self.close(rows.loo(), model.set_lambda(found).loo())
                lost, factorizations = rows.set_lambda(2.0).digits()
                self.assertTrue(0 <= lost <= 1e-10 and factorizations >= 1)
                for again in (pickle.loads(pickle.dumps(rows)), copy.deepcopy(rows)):
                    self.close(again.loo(), rows.loo())
                    self.close(again.predict(p.new), rows.predict(p.new))
                    self.assertEqual((again.lambda_, again.capacity), (2.0, 9))
                heard = []
                rows.set_progress(lambda fraction: heard.append(fraction)).add(p.x[:1], p.y[:1])
                self.assertEqual((heard[0], heard[-1]), (0.0, 1.0))
                rows.set_progress(lambda fraction: True)
                with self.assertRaises(fr.Error) as cancelled:
                    rows.add(p.x[:1], p.y[:1])
                self.assertEqual((cancelled.exception.status, rows.set_progress(None).n), (fr.library.CANCELLED, 7))

    def test_rows_that_are_not_kept(self):
        p, f = Problem(), 0.8
        stream = fr.Window(fr.linear(), 2, 2, 0.5, 0, forgetting=f)
        self.assertTrue(np.all(np.isnan(stream.add_with_errors(p.x[:1], p.y[:1]))))
        for k in range(1, len(p.y)):
            stream.add(p.x[k : k + 1], p.y[k : k + 1])
        model = fr.Model(fr.linear(), p.x, p.y, f ** np.arange(len(p.y))[::-1]).set_lambda(0.5)
        self.close(stream.coefficients().c, model.hyperplane())
        for wrong in (stream.loo, stream.rows, stream.remove, stream.select_lambda):
            with self.assertRaises(fr.Error) as refused:
                wrong()
            self.assertEqual(refused.exception.name, "INVALID_STATE")
        self.assertRaises(TypeError, lambda: pickle.dumps(stream))
        for wrong in (lambda: fr.Window(fr.gaussian(1.0), 2, capacity=0), lambda: fr.Window(fr.linear(), 2, lambda_=0),
                      lambda: stream.add(p.x, p.y[:, 0]), lambda: stream.add(p.x[:1] * np.nan, p.y[:1]),
                      lambda: stream.predict(p.x[:, :1]), lambda: fr.Window(fr.linear(), 2).remove(count=0)):
            self.assertRaises(ValueError, wrong)


class Classifiers(Comparison):
    def test_answers(self):
        p = Problem()
        labels = np.where(p.y[:, 0] > 0, 1.0, -1.0)
        ours = fr.Classifier(fr.gaussian(1.5), fr.LOSS_LOGISTIC, p.x, labels, p.w).control(1e-10)
        self.assertGreaterEqual(ours.memory_required(), 8 * 14**2)
        decision = ours.fit(0.4).decision(p.new)
        coefficients, b = ours.coefficients()
        self.close(decision, gauss(p.new, p.x) @ coefficients + b)
        self.close(ours.probability(p.new), 1 / (1 + np.exp(-decision)))
        f = p.k @ coefficients + b
        self.close(ours.convergence().objective,
                   p.w @ np.log1p(np.exp(-labels * f)) + 0.2 * coefficients @ p.k @ coefficients)
        self.assertTrue(np.all(labels * (ours.loo() - f) < 0))  # left out, a point is less well met
        hinge = fr.Classifier(fr.gaussian(1.5), fr.LOSS_HINGE, p.x, labels).fit(0.4)
        rows, margin = hinge.support()
        c = hinge.coefficients().c
        self.assertEqual(rows.tolist(), np.flatnonzero(c).tolist())
        self.close(margin, 1 / np.sqrt(c @ p.k @ c))
        f = hinge.decision(p.x)
        self.close(hinge.margins(), labels * f)
        self.close(hinge.slacks(), np.maximum(0, 1 - labels * f))
        self.close(hinge.alpha(), labels * c)
        self.close(hinge.distances(p.new), hinge.decision(p.new) * margin)
        kinds = np.where(c == 0, fr.SUPPORT_NONE, np.where(labels * c == 1 / 0.4, fr.SUPPORT_BOUNDED, fr.SUPPORT_FREE))
        self.assertEqual(hinge.support_kinds().tolist(), kinds.tolist())
        duality = hinge.duality()
        self.close(duality.primal, hinge.convergence().objective)
        self.close(duality.dual, 0.4 * (labels @ c - 0.5 * c @ p.k @ c))
        self.assertLess(abs(duality.gap), 1e-6)
        apart = fr.Classifier(fr.linear(), fr.LOSS_HINGE, [[0.0], [1.0], [3.0]], [-1, -1, 1]).fit(0)
        self.close(apart.decision([[2.0], [3.0]]), [0, 1])
        ones = fr.Classifier(fr.gaussian(1.5), fr.LOSS_HINGE, p.x, labels, intercept=fr.INTERCEPT_PENALISED).fit(0.4)
        self.close(ones.coefficients().b, ones.coefficients().c.sum())
        self.assertTrue(ones.penalises_intercept() and ones.has_intercept())
        model = fr.Model(fr.gaussian(1.5), p.x, p.y, intercept=fr.INTERCEPT_PENALISED).set_lambda(0.4)
        self.assertTrue(model.penalises_intercept())
        self.close(model.intercept(), model.coefficients().sum(axis=0))


class Classical(Comparison):
    def setUp(self):
        p = Problem()
        self.x, self.y = p.x, p.y
        self.ones = np.column_stack([p.x, np.ones(14)])

    def test_least_squares(self):
        solution, rss, _, _ = np.linalg.lstsq(self.ones, self.y, rcond=None)
        for y, pick in ((self.y, slice(None)), (self.y[:, 1], 1)):
            w, b, rank = fr.ols(self.x, y)
            self.close(w, solution[:2][:, pick])
            self.close(b, solution[2][pick])
            self.assertEqual(rank, 2)
            table = fr.ols_summary(self.x, y)
            sigma = np.sqrt(rss / 11)
            errors = np.sqrt(np.diag(np.linalg.inv(self.ones.T @ self.ones)))[:, None] * sigma
            self.close(table.sigma, sigma[pick])
            self.close(table.w_error, errors[:2][:, pick])
            self.close(table.b_error, errors[2][pick])
            self.close(table.r_squared, (1 - rss / ((self.y - self.y.mean(axis=0)) ** 2).sum(axis=0))[pick])
        self.assertTrue(np.all(np.isnan(fr.ols_summary(self.x[:3], self.y[:3, 0]).w_error)))  # no degree of freedom
        self.assertEqual(fr.ols(self.x, self.y[:, 0], intercept=False).b, 0.0)

    def test_ridge(self):
        penalty = np.array([1.0, 0.0])
        for factors in (None, penalty):
            diagonal = 0.7 * np.append(np.ones(2) if factors is None else factors, 0.0)
            solution = np.linalg.solve(self.ones.T @ self.ones + np.diag(diagonal), self.ones.T @ self.y)
            w, b = fr.ridge(self.x, self.y, 0.7, penalty=factors)
            self.close(w, solution[:2])
            self.close(b, solution[2])

    def test_total_least_squares(self):
        y = self.y[:, 0]
        centred = np.column_stack([self.x, y]) - np.append(self.x.mean(axis=0), y.mean())
        v = np.linalg.svd(centred)[2][-1]
        w, b = fr.tls(self.x, y)
        self.close(w, -v[:2] / v[2])
        self.close(b, y.mean() - self.x.mean(axis=0) @ w)
        self.close(fr.tls(self.x, y, exact=[True, True]).w, fr.ols(self.x, y).w)
        for x, outputs in ((self.x, y), (np.asfortranarray(self.x), self.y), (self.x, self.y)):
            found = fr.tls_errors(x, outputs, exact=[False, True])
            self.close(found.w, fr.tls(x, outputs, exact=[False, True]).w)
            self.close((x + found.x_correction) @ found.w + found.b, outputs + found.y_correction)
            self.assertTrue(np.all(found.x_correction[:, 1] == 0))
            both = np.column_stack([found.x_correction, found.y_correction])
            self.close(np.linalg.norm(both, axis=1), found.distances)
            self.close(np.linalg.svd(both)[1][: len(found.singular_values)], found.singular_values)

    def test_pinv(self):
        for a in (self.x, self.x.T, np.outer([1.0, 2.0], [3.0, 4.0, 5.0])):
            inverse, rank = fr.pinv(a)
            self.close(inverse, np.linalg.pinv(a))
            self.assertEqual(rank, np.linalg.matrix_rank(a))

    def test_polynomials(self):
        for bias in (True, False):
            exponents = fr.polynomial_exponents(2, 3, bias)
            self.assertEqual(len(exponents), fr.polynomial_feature_count(2, 3, bias))
            expected = np.prod(self.x[:, np.newaxis] ** exponents, axis=2)
            self.close(fr.polynomial_features(self.x, 3, bias), expected)
            self.close(fr.polynomial_features(np.asfortranarray(self.x), 3, bias), expected)
        features = fr.polynomial_features(self.x, 3) * fr.polynomial_feature_factors(2, 3, 0.5, 2.0)
        self.close(features @ features.T, (0.5 * self.x @ self.x.T + 2.0) ** 3)

    def test_medians(self):
        values, weights = self.y[:, 0], Problem().w
        cost = [weights @ np.abs(values - m) for m in values]
        self.close(fr.weighted_median(values, weights), values[np.argmin(cost)])
        self.close(fr.weighted_median([3, 1, 2, 10]), 2.5)
        slopes = values / self.x[:, 0]
        cost = [np.abs(values - slope * self.x[:, 0]).sum() for slope in slopes]
        self.close(fr.absolute_slope(self.x[:, 0], values), slopes[np.argmin(cost)])

    def test_stack_weights(self):
        members, zeros = np.array([[1.0, 0], [1, 0], [0, 2], [0, 2]]), np.zeros(4)
        found = fr.stack_weights(members, zeros)
        self.close(found.w, [0.8, 0.2])
        self.close(found.errors, [-8 / 9, -8 / 9, -2 / 3, -2 / 3])
        both = fr.stack_weights(np.stack([members, members[:, ::-1]], axis=2), np.zeros((4, 2)))
        self.close(both.w, [[0.8, 0.2], [0.2, 0.8]])
        self.close(both.errors, np.column_stack([found.errors, found.errors]))
        self.close(fr.stack_weights(members, zeros, [1, 1, 0.25, 0.25]).w, [0.5, 0.5])
        drawn = fr.stack_weights(members, zeros, prior=8).w  # s^2 = 1/2: squares 2 and 8 + 8 / 2
        self.close(drawn, [12 / 14, 2 / 14])
        for wrong in (members, np.zeros((4, 2, 3))):
            with self.assertRaisesRegex(ValueError, "n x k x 2"):
                fr.stack_weights(wrong, np.zeros((4, 2)))

    def test_gradients_and_descent(self):
        y, labels = self.y[:, 0], np.where(self.y[:, 0] > np.median(self.y[:, 0]), 1.0, -1.0)
        w, b = fr.ridge(self.x, y, 0.5)
        at = fr.loss_gradient(fr.LOSS_SQUARED, self.x, y, 0.5, w, b)
        self.close(at.objective, 0.5 * np.sum((y - self.x @ w - b) ** 2) + 0.25 * w @ w)
        self.assertLess(np.abs(np.append(at.w, at.b)).max(), 1e-12)
        several = fr.loss_gradient(fr.LOSS_LOGISTIC, self.x, labels, 0.5, np.column_stack([w, 2 * w]), [b, 0.0])
        slopes = -labels / (1 + np.exp(labels * (self.x @ w + b)))
        self.close(several.w[:, 0], self.x.T @ slopes + 0.5 * w)
        self.close(several.b[0], slopes.sum())
        k, c = self.x @ self.x.T, np.linspace(-1, 1, len(y))
        expansion = fr.expansion_gradient(fr.LOSS_SQUARED, k, y, 0.5, c, 1.0)
        self.close(expansion.w, k @ (k @ c + 1.0 - y + 0.5 * c))
        self.close(expansion.b, np.sum(k @ c + 1.0 - y))

        heard = []
        found = fr.gradient_descent(fr.LOSS_SQUARED, self.x, y, 0.5, [0, 20000], progress=heard.append)
        self.close(found.w[:, 1], w)
        self.close(found.b[1], b)
        self.assertTrue(heard[0] == 0.0 and heard[-1] == 1.0 and found.objective[1] < found.objective[0])
        with self.assertRaises(ZeroDivisionError):
            fr.gradient_descent(fr.LOSS_SQUARED, self.x, y, 0.5, [100], progress=lambda fraction: 1 / 0)
        drawn = [fr.gradient_descent(fr.LOSS_HINGE, self.x, labels, 0.5, 50, batch=3, seed=seed, average=True,
                                     start=(w, b), rule=fr.STEP_INVERSE, step=0.1).w.tolist() for seed in (1, 1, 2)]
        self.assertTrue(drawn[0] == drawn[1] != drawn[2])

        stopped = fr.early_stopping(self.x, y, [1, 10])
        centred = self.x - self.x.mean(axis=0)
        self.close(stopped.step, 1 / np.linalg.norm(centred, 2) ** 2)
        self.close(stopped.w[:, 0], stopped.step * centred.T @ (y - y.mean()))
        self.close(stopped.ridge_w[:, 1], fr.ridge(self.x, y, stopped.value[1]).w)
        slope, offset = fr.calibrate(self.x[:, 0], labels)
        n = np.sum(labels > 0), np.sum(labels < 0)
        rest = 1 / (1 + np.exp(-offset - slope * self.x[:, 0])) - np.where(labels > 0, (n[0] + 0.5) / (n[0] + 1),
                                                                        0.5 / (n[1] + 1))
        self.assertLess(abs(rest.sum()) + abs(rest @ self.x[:, 0]), 1e-10)

    def test_the_rest(self):
        self.assertEqual(sorted(fr.make_holdout(10, 0.3, 5)), [-1] * 7 + [0] * 3)
        self.assertEqual(np.bincount(fr.make_folds(10, 3)).tolist(), [4, 3, 3])
        labels = np.repeat(["a", "b", "c"], [50, 30, 7])
        fold = fr.make_folds(87, 5, 3, strata=labels)
        for label in "abc":
            self.assertLessEqual(np.ptp(np.bincount(fold[labels == label], minlength=5)), 1)
        self.assertLessEqual(np.ptp(np.bincount(fold)), 1)
        group = np.tile(np.arange(29), 3)
        whole = fr.make_folds(87, 4, 3, strata=group > 20, groups=group)
        self.assertTrue(all(len(set(whole[group == g])) == 1 for g in range(29)))
        for bad in ({"strata": labels[:3]}, {"groups": np.zeros(87)}, {"groups": ["a", None] + ["b"] * 85}, {"strata": [np.nan] * 87}):
            self.assertRaises(ValueError, fr.make_folds, 87, 5, **bad)
        self.close(fr.convert_lambda(fr.CONVENTION_MEAN, fr.CONVENTION_TOTAL, 14, 1.0, 0.5), 7.0)
        before = fr.get_threads()
        fr.set_threads(2)
        self.assertEqual(fr.get_threads(), 2)
        fr.set_threads(0)
        self.assertEqual(fr.get_threads(), before)
        self.assertIn(fr.__version__, fr.build_info())


class SparseRows(unittest.TestCase):
    """A scipy.sparse matrix answers as the array of the same numbers, in every format, borrowed and copied."""

    def setUp(self):
        try:
            from scipy import sparse
        except ImportError:
            self.skipTest("scipy is not here")
        generator = np.random.default_rng(5)
        self.x = generator.normal(size=(60, 8)) * (generator.uniform(size=(60, 8)) < 0.3) + 0.0  # no -0
        self.y = np.column_stack([self.x.sum(axis=1), self.x[:, 0]]) + generator.normal(size=(60, 2))
        self.formats = [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix]
        unsorted = sparse.csr_matrix(self.x)
        for row in range(60):
            part = slice(unsorted.indptr[row], unsorted.indptr[row + 1])
            unsorted.indices[part], unsorted.data[part] = unsorted.indices[part][::-1], unsorted.data[part][::-1]
        unsorted.has_sorted_indices = unsorted.has_canonical_format = False
        halves = sparse.csr_matrix((np.repeat(self.x.ravel() / 2, 2), np.repeat(np.tile(np.arange(8), 60), 2), np.arange(0, 961, 16)))
        self.matrices = [make(self.x) for make in self.formats] + [unsorted, halves]

    def test_models(self):
        for kernel in (fr.linear(), fr.gaussian(2.0)):
            dense = fr.Model(kernel, self.x, self.y).set_lambda(0.5)
            for matrix in self.matrices:
                for copy in (True, False):
                    model = fr.Model(kernel, matrix, self.y, copy=copy).set_lambda(0.5)
                    for points in (self.x, matrix):
                        np.testing.assert_allclose(model.predict(points), dense.predict(self.x), atol=1e-12)
                        for ask in (lambda m, x: m.predict_path(x, [0.5, 3.0]), lambda m, x: m.predict_jackknife(x)[0],
                                    lambda m, x: m.predict_variance(x)[0], lambda m, x: m.predict_gradient(x),
                                    lambda m, x: m.average_gradient(x)[1], lambda m, x: kernel.values(x, x),
                                    lambda m, x: m.predict_combinations(x)[1]):
                            np.testing.assert_allclose(ask(model, points), ask(dense, self.x), atol=1e-9)
                    np.testing.assert_allclose(model.loo(), dense.loo(), atol=1e-12)
                    again = fr.Model.from_bytes(model.to_bytes())
                    np.testing.assert_array_equal(again.loo(), model.loo())

    def test_conjugate_gradients(self):
        dense = fr.Model(fr.linear(), self.x, self.y, route=fr.ROUTE_PRIMAL).set_lambda(0.5)
        for matrix in self.matrices:
            model = fr.Model(fr.linear(), matrix, self.y, route=fr.ROUTE_ITERATIVE).set_lambda(0.5)
            self.assertLessEqual(max(model.accuracy()), 1e-8)
            np.testing.assert_allclose(model.predict(matrix), dense.predict(self.x), atol=1e-6)
            np.testing.assert_allclose(model.score(fr.LOO, [0.5, 5.0]), dense.score(fr.LOO, [0.5, 5.0]), rtol=1e-3)
            with self.assertRaises(fr.Error):
                model.loo()

    def test_estimator_and_accumulator(self):
        dense = fr.FreeRidge(kernel="linear").fit(self.x, self.y)
        weights = np.ones(60)
        weights[7] = 0
        for matrix in self.matrices:
            np.testing.assert_allclose(fr.FreeRidge(kernel="linear").fit(matrix, self.y).predict(matrix),
                                       dense.predict(self.x), rtol=1e-5)
            np.testing.assert_allclose(fr.FreeRidge(1.0, kernel="linear").fit(matrix, self.y, weights).loo_errors(),
                                       fr.FreeRidge(1.0, kernel="linear").fit(self.x, self.y, weights).loo_errors(), atol=1e-12)
            scaled = dict(alpha=1.0, kernel="linear", scale=True)
            np.testing.assert_allclose(fr.FreeRidge(**scaled).fit(matrix, self.y).scale_, fr.FreeRidge(**scaled).fit(self.x, self.y).scale_)
            rows = fr.Accumulator(8, 2).add(matrix, self.y)
            self.assertEqual(rows.to_bytes(), fr.Accumulator(8, 2).add(self.x, self.y).to_bytes())
            np.testing.assert_array_equal(rows.loo(matrix, self.y, [0.1, 2.0]), rows.loo(self.x, self.y, [0.1, 2.0]))
            np.testing.assert_array_equal(rows.squared_errors(matrix, self.y, [0.1, 2.0])[1],
                                          rows.squared_errors(self.x, self.y, [0.1, 2.0])[1])
            group = np.arange(60) // 4
            np.testing.assert_array_equal(rows.group_errors(matrix, self.y, group, [0.1, 2.0]),
                                          rows.group_errors(self.x, self.y, group, [0.1, 2.0]))
            np.testing.assert_array_equal(rows.group_moments(matrix, self.y, group, [0.1, 2.0]),
                                          rows.group_moments(self.x, self.y, group, [0.1, 2.0]))

    def test_classifiers(self):
        labels = np.where(self.y[:, 0] > np.median(self.y[:, 0]), 1.0, -1.0)
        for kernel in (fr.linear(), fr.gaussian(1.5)):
            dense = fr.Classifier(kernel, fr.LOSS_LOGISTIC, self.x, labels).fit(0.5)
            for matrix in self.matrices:
                sparse = fr.Classifier(kernel, fr.LOSS_LOGISTIC, matrix, labels).fit(0.5)
                np.testing.assert_array_equal(sparse.decision(self.x), dense.decision(self.x))
                np.testing.assert_allclose(dense.probability(matrix), dense.probability(self.x), atol=1e-13)
                np.testing.assert_allclose(dense.distances(matrix), dense.distances(self.x), atol=1e-13)

    def test_what_is_refused(self):
        model = fr.Model(fr.linear(), self.matrices[0], self.y).set_lambda(1.0)
        with self.assertRaises(ValueError):
            model.predict(self.matrices[0][:, :5])
        with self.assertRaises(ValueError):
            fr.Model(fr.linear(), self.matrices[0], self.y[:-1])
        with self.assertRaises(ValueError):
            fr.Accumulator(8, 2).add(self.x, self.y).loo(self.matrices[0][:, :5], self.y, [0.1])
        with self.assertRaises(fr.InputError):
            fr.Model(fr.precomputed(), self.matrices[0][:8], self.y[:8])
        with self.assertRaisesRegex(ValueError, "32 bits"):
            fr.Model(fr.linear(), self.formats[0]((1, 2**31 + 1)), [1.0])
        spoilt = self.matrices[1].copy()
        spoilt.data[3] = np.nan
        with self.assertRaises(fr.InputError):
            fr.Model(fr.linear(), spoilt, self.y)


if __name__ == "__main__":
    unittest.main(verbosity=2)
