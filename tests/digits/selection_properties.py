"""Leave-one-out and the choice of lambda: rows 18 to 30 and 34 of the table in properties_test.py."""

import numpy as np
from sklearn.datasets import load_iris

import freeridge as fr
from freeridge import library
from properties import (KERNEL_ROUTES, LINEAR_ROUTES, SEEDS, ZERO_ROUTES, Problem, Properties, each_problem, gaussian,
                        kernel_refit, left_out, refit, ridge_left_out)

CONDITION = 1e4


def smallest_lambda(k):
    """Above which cond(K + lambda I) is below CONDITION."""
    return 1.01 * np.trace(k) / CONDITION


class LeaveOneOut(Properties):
    def test_equals_refits(self):
        """n > d and d > n, cond(K + lambda I) < 1e4: errors by every route, the best alpha, and the plane."""
        for p in each_problem(((12, 4), (6, 10))):
            v = np.ones(len(p.y)) if p.weights is None else p.weights
            low = smallest_lambda(v[:, np.newaxis] * (p.x @ p.x.T))
            alphas = low * np.array([1.0, 30.0, 1000.0])
            errors = np.array([ridge_left_out(p, alpha) for alpha in alphas])
            scores = np.average(errors**2, axis=1, weights=v)
            for route in LINEAR_ROUTES:
                model = p.model(route=route)
                self.assert_close(model.score(fr.LOO, alphas), scores)
                for alpha, expected in zip(alphas, errors):
                    self.assert_close(model.set_lambda(alpha).loo(), expected)
            best = alphas[np.argmin(scores, axis=0)]
            self.assert_same(alphas[np.argmin(model.score(fr.LOO, alphas), axis=0)], best)
            model.set_lambda(best)
            planes = [refit(p.x, p.y[:, [j]], best[j], p.intercept, p.weights) for j in range(2)]
            self.assert_plane(model, np.hstack([w for w, _ in planes]), np.hstack([b for _, b in planes]))

    def test_kernels_equal_refits(self):
        for p in each_problem(((14, 3),)):
            k = gaussian(p.x, p.x, 2.0)
            v = np.ones(len(p.y)) if p.weights is None else p.weights
            lam = smallest_lambda(v[:, np.newaxis] * k)

            def fit_rows(rows):
                c, b = kernel_refit(k[np.ix_(rows, rows)], p.y[rows], lam, p.intercept,
                                    None if p.weights is None else p.weights[rows])
                return lambda x: gaussian(x, p.x[rows], 2.0) @ c + b

            expected = left_out(fit_rows, p.x, p.y)
            for route in KERNEL_ROUTES:
                self.assert_close(p.model(fr.gaussian(2.0), route).set_lambda(lam).loo(), expected)

    def test_minimum_norm_equals_refits(self):
        """alpha = 0, wide and [X, X] / 2, with an intercept, too."""
        for p in each_problem(((12, 4), (5, 12))):
            expected = ridge_left_out(p, 0.0)
            twice = np.hstack([p.x, p.x]) / 2
            for route in ZERO_ROUTES:
                self.assert_close(p.model(route=route).set_lambda(0.0).loo(), expected)
                model = fr.Model(fr.linear(), twice, p.y, p.weights, p.intercept, route)
                self.assert_close(model.set_lambda(0.0).loo(), expected)

    def test_asymmetric_score(self):
        """Any score of left-out values picks the alpha that it picks with refits."""
        for p in each_problem():
            alphas = np.array([0.3, 3.0, 30.0, 300.0])
            model = p.model()

            def score(errors):
                return np.where(errors > 0, errors, -3 * errors).mean(axis=0)

            ours = np.array([score(model.set_lambda(alpha).loo()) for alpha in alphas])
            theirs = np.array([score(ridge_left_out(p, alpha)) for alpha in alphas])
            self.assert_close(ours, theirs)
            self.assert_same(np.argmin(ours, axis=0), np.argmin(theirs, axis=0))

    def test_weights_are_repeated_rows(self):
        """Leaving out a row of weight m is leaving out its m copies together."""
        for p in each_problem(((10, 4), (6, 9)), weights=(False,)):
            counts = p.random.integers(1, 4, len(p.y))
            rows = np.repeat(np.arange(len(p.y)), counts)
            heavy = fr.Model(fr.linear(), p.x, p.y, counts.astype(float), p.intercept).set_lambda(0.7)
            copies = fr.Model(fr.linear(), p.x[rows], p.y[rows], None, p.intercept).set_lambda(0.7)
            self.assert_close(copies.group_errors(rows), heavy.loo()[rows])

    def test_values_on_request(self):
        """n x t, and only when asked for; asking changes nothing."""
        for p in each_problem(t=3, weights=(False,)):
            model = p.model().set_lambda(1.0)
            before = model.hyperplane()
            self.assertEqual(model.loo().shape, p.y.shape)
            self.assert_same(model.hyperplane(), before)
            self.assertEqual(fr.FreeRidge(alpha=1.0, kernel="linear").fit(p.x, p.y[:, 0]).loo_errors().shape, (len(p.y),))


class Choice(Properties):
    alphas = np.logspace(-2, 3, 12)

    def test_method_by_kernel(self):
        for p in each_problem(((12, 4), (4, 12), (7, 7)), weights=(False,)):
            self.assertEqual(p.model().route(), fr.ROUTE_PRIMAL)
            self.assertIn(p.model(fr.gaussian(1.0)).route(), KERNEL_ROUTES)

    def test_any_route_any_way(self):
        """The same best alpha; and y twice is each answer twice."""
        for p in each_problem():
            scores = [p.model(route=route).score(fr.LOO, self.alphas) for route in LINEAR_ROUTES]
            for other in scores[1:]:
                self.assert_close(other, scores[0])
                self.assert_same(np.argmin(other, axis=0), np.argmin(scores[0], axis=0))
            one = p.model()
            two = fr.Model(fr.linear(), p.x, np.hstack([p.y, p.y]), p.weights, p.intercept)
            one.select_lambda(fr.LOO), two.select_lambda(fr.LOO)
            self.assert_close(two.predict(p.x), np.hstack([one.predict(p.x)] * 2))

    def test_one_alpha_for_each(self):
        for p in each_problem(t=3):
            together = p.model()
            chosen, score = together.select_lambda(fr.LOO, 1e-2, 1e3)
            self.assertEqual((chosen.shape, score.shape), ((3,), (3,)))
            for j in range(3):
                alone = fr.Model(fr.linear(), p.x, p.y[:, j], p.weights, p.intercept)
                value, best = alone.select_lambda(fr.LOO, 1e-2, 1e3)
                # Where the curve is so flat that the two lambdas are not close, it is because their scores are the same.
                if abs(chosen[j] / value[0] - 1) > 1e-6:
                    both = together.score(fr.LOO, [chosen[j], value[0]])[:, j]
                    self.assert_close(both[:1], both[1:], 1e-13)
                self.assert_close(score[[j]], best)
            self.assert_same(together.select_lambda(fr.LOO, 2.0, 2.0)[0], np.full(3, 2.0))
            for wrong in ((3.0, 2.0), (-1.0, 2.0), (0.0, 2.0)):
                with self.assertRaises(ValueError):
                    together.select_lambda(fr.LOO, *wrong)
            with self.assertRaises(fr.Error) as caught:
                together.select_lambda(fr.GROUPS)  # there are none
            self.assertEqual(caught.exception.status, library.INVALID_STATE)

    def test_best_score(self):
        for p in each_problem():
            model = p.model()
            chosen, score = model.select_lambda(fr.LOO)
            self.assert_close(np.average(model.loo() ** 2, axis=0, weights=p.weights), score)
            others = model.score(fr.LOO, model.lambda_grid(37))  # of the range that is searched
            self.assertTrue(np.all(score <= others.min(axis=0) * (1 + 1e-9)))
            self.assert_same(model.lambdas(), chosen)

    def test_a_tie_goes_to_the_larger(self):
        """scikit-learn keeps the first of its list; here the smoothest of equals is kept."""
        for p in each_problem(weights=(False,)):
            model = fr.Model(fr.linear(), p.x, np.zeros((len(p.y), 1)), None, p.intercept)
            self.assert_same(model.select_lambda(fr.LOO, 0.5, 8.0)[0], [8.0])

    def test_alphas(self):
        """Not modified; whole numbers and scalars are fine; what is not a number >= 0 is refused by its place."""
        for p in each_problem(t=3, weights=(False,)):
            alphas = np.array([1.0, 10.0, 100.0])
            alphas.setflags(write=False)
            model = p.model()
            scores = model.score(fr.LOO, alphas)
            self.assert_same(model.score(fr.LOO, [1, 10, 100]), scores)
            self.assert_same(model.set_lambda(2).hyperplane(), model.set_lambda([2, 2, 2]).hyperplane())
            for place, wrong in ((1, [1.0, -2.0, 3.0]), (2, [1.0, 2.0, np.nan]), (0, [np.inf, 1.0, 1.0])):
                for call in (model.set_lambda, lambda values: model.score(fr.LOO, values)):
                    with self.assertRaises(ValueError) as caught:
                        call(wrong)
                    self.assertIn(f"[{place}]", str(caught.exception))
            with self.assertRaises((ValueError, TypeError)):
                model.set_lambda(["a", "b", "c"])

    def test_weighted_grid_search(self):
        """Folds and weights: the scores of an explicit search, and its choice."""
        for p in each_problem(((12, 4), (6, 9))):
            v = np.ones(len(p.y)) if p.weights is None else p.weights
            groups = p.random.permutation(len(p.y)) % 3
            errors = np.array([ridge_left_out(p, alpha, groups) for alpha in self.alphas[::3]])
            expected = np.average(errors**2, axis=1, weights=v)
            scores = p.model().set_groups(groups).score(fr.GROUPS, self.alphas[::3])
            self.assert_close(scores, expected)
            self.assert_same(np.argmin(scores, axis=0), np.argmin(expected, axis=0))

    def test_weights_have_one_dimension(self):
        for p in each_problem(weights=(True,)):
            for wrong in (p.weights[:, np.newaxis], np.outer(p.weights, p.weights), p.weights[1:]):
                with self.assertRaises(ValueError):
                    fr.Model(fr.linear(), p.x, p.y, wrong)
                with self.assertRaises(ValueError):
                    fr.FreeRidge(alpha=1.0, kernel="linear").fit(p.x, p.y, wrong)
            scalar = fr.FreeRidge(alpha=1.0, kernel="linear").fit(p.x, p.y, 2.0)
            self.assert_close(scalar.coef_.T, refit(p.x, p.y, 0.5)[0])

    def test_unknown_method(self):
        for p in each_problem(weights=(False,)):
            with self.assertRaises(ValueError) as caught:
                fr.FreeRidge(route="this one", kernel="linear").fit(p.x, p.y)
            self.assertIn("this one", str(caught.exception))
            for call in (lambda: fr.Model(fr.linear(), p.x, p.y, route=99),
                         lambda: p.model().score(99, [1.0])):
                with self.assertRaises(fr.Error) as caught:
                    call()
                self.assertEqual(caught.exception.status, library.INVALID_ARGUMENT)
                self.assertIn("99", str(caught.exception))


class Classes(Properties):
    """Outputs of -1 and +1; the largest value names the class."""

    def test_iris(self):
        x, label = load_iris(return_X_y=True)
        codes = np.where(label[:, np.newaxis] == np.arange(3), 1.0, -1.0)
        values = fr.Model(fr.linear(), x, codes).set_lambda(1.0).predict(x)
        self.assertGreater(np.mean(values.argmax(axis=1) == label), 0.79)
        for seed in range(SEEDS):
            rows = np.random.default_rng(seed).permutation(150)[:100]
            w, b = refit(x[rows], codes[rows], 1.0)
            model = fr.Model(fr.linear(), x[rows], codes[rows]).set_lambda(1.0)
            self.assert_close(model.predict(x), x @ w + b)
            wrong = np.mean(ridge_left_out_label(x[rows], codes[rows]) != label[rows]) if seed < 10 else None
            if wrong is not None:
                self.assert_close(model.score(fr.ERROR_RATE, [1.0])[0], np.full(3, wrong))

    def test_class_weights(self):
        """A weight for a class is one for its rows; balanced weights are n / (classes x rows of the class)."""
        for seed in range(SEEDS):
            p = Problem(seed, 18, 3)
            label = np.arange(18) % 3 // 2  # twelve and six
            codes = np.where(label == 1, 1.0, -1.0)[:, np.newaxis]
            twice = np.concatenate([np.arange(18), np.flatnonzero(label == 1)])
            weighted = fr.Model(fr.linear(), p.x, codes, np.where(label == 1, 2.0, 1.0)).set_lambda(1.0)
            rows = fr.Model(fr.linear(), p.x[twice], codes[twice]).set_lambda(1.0)
            self.assert_plane(weighted, rows.hyperplane(), rows.intercept())
            balanced = 18 / (2.0 * np.bincount(label))[label]
            model = fr.Model(fr.linear(), p.x, codes, balanced).set_lambda(1.0)
            self.assert_plane(model, *refit(p.x, codes, 1.0, True, balanced))

    def test_labels_together(self):
        """Several labels a row: each output as if alone."""
        for seed in range(SEEDS):
            p = Problem(seed, 15, 4, 4)
            codes = np.where(p.y > np.median(p.y, axis=0), 1.0, -1.0)
            together = fr.Model(fr.linear(), p.x, codes).set_lambda(0.5).predict(p.x)
            for j in range(4):
                alone = fr.Model(fr.linear(), p.x, codes[:, j]).set_lambda(0.5).predict(p.x)
                self.assert_close(together[:, [j]], alone)


def ridge_left_out_label(x, codes):
    p = Problem(0, len(x), x.shape[1])
    p.x, p.y = x, codes
    return (codes - ridge_left_out(p, 1.0)).argmax(axis=1)
