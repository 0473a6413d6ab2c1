"""FreeRidge(stack=True): weights by the definition, members by refits, what is refused, pickles."""

import copy
import os
import pickle
import unittest

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import freeridge as fr

DATA = os.environ["FREERIDGE_TEST_DATA"]
MEMBERS = ("default", "gaussian", "linear", "robust", "one length", "response", "ranks")


def problem(n=70, kind="plain", seed=1):
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.uniform(size=n), rng.uniform(0, 3, n), rng.normal(size=n), np.zeros(n)])
    f = np.sin(5 * x[:, 0]) + np.log1p(x[:, 1])
    if kind == "positive":
        return x, np.exp(3 * f + 0.05 * rng.normal(size=n))
    outliers = np.where(np.arange(n) % 13 == 0, 4.0 * (-1.0) ** np.arange(n), 0) if kind == "outliers" else 0
    return x, f + 0.1 * rng.normal(size=n) + outliers


class Stack(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.x, cls.y = problem()
        cls.fit = fr.FreeRidge(stack=True).fit(cls.x, cls.y)
        cls.one = cls.fit.stack_.stacks[0]

    def test_weights_are_those_of_the_left_out_predictions(self):
        self.assertEqual({*self.one.members, *self.one.left_out}, set(MEMBERS))
        errors = np.column_stack([member.errors for member in self.one.members.values()])
        s = np.median(np.abs(errors[:, 0])) / 0.6745
        counts = np.minimum(1, (5 * s / np.abs(errors[:, 0])) ** 2)
        found = fr.stack_weights(self.y[:, None] - errors, self.y, counts, errors.shape[1])
        np.testing.assert_allclose(list(self.one.weights.values()), found.w, atol=1e-12)
        np.testing.assert_allclose(self.fit.loo_errors(), found.errors, rtol=1e-9)
        new = problem(9, seed=2)[0]
        mean = sum(self.one.weights[name] * member.predict(new) for name, member in self.one.members.items())
        np.testing.assert_allclose(self.fit.predict(new), mean, rtol=1e-12)
        low, high = self.fit.stack_.predict_interval(new, 0.9)
        errors = np.sort(self.fit.loo_errors())
        np.testing.assert_allclose(low[:, 0], mean + errors[2], rtol=1e-10)  # 71 * 0.05 = 3.55
        np.testing.assert_allclose(high[:, 0], mean + errors[-3], rtol=1e-10)
        self.assertTrue(np.all(np.isinf(self.fit.stack_.predict_interval(new, 0.99)[0])))
        self.assertGreater(self.fit.score(*problem(300, seed=3)), 0.9)

    def test_members_are_left_out_as_refits_are(self):
        x, y = problem(40, "positive")
        members = fr.FreeRidge(stack=True).fit(x, y).stack_.stacks[0].members
        kept = np.arange(40) != 5
        for name in ("default", "gaussian", "linear", "one length"):
            model = members[name].model
            refit = fr.Model(model.kernel(), x[kept], y[kept]).set_lambda(model.lambdas())
            np.testing.assert_allclose(members[name].errors[5], y[5] - refit.predict(x[5:6])[0, 0], rtol=1e-7)
        self.assertIn("gaussian", str(members["gaussian"].model.kernel()))
        response = members["response"]
        self.assertEqual(str(response.transform), "log(y)")
        refit = fr.Model(response.model.kernel(), x[kept], np.log(y[kept])).set_lambda(response.model.lambdas())
        at = refit.predict(x[5:6])[0, 0]
        mean = np.mean(np.exp(at + response.transform.errors))
        np.testing.assert_allclose(response.errors[5], y[5] - mean, rtol=1e-7)

    def test_each_member_has_the_weight_where_it_is_right(self):
        x, y = problem(200, "outliers")
        robust = fr.FreeRidge(stack="robust").fit(x, y)
        self.assertGreater(robust.stack_.stacks[0].weights["robust"], 0.5)
        x, y = problem(60, "positive")
        self.assertGreater(fr.FreeRidge(stack=["response"]).fit(x, y).stack_.stacks[0].weights["response"], 0.5)
        x = np.exp(12 * self.x[:, :1])
        ranks = fr.FreeRidge(stack=["ranks"]).fit(x, np.sin(15 * self.x[:, 0])).stack_.stacks[0]
        self.assertGreater(ranks.weights["ranks"], 0.5)
        self.assertLess(np.abs(ranks.members["ranks"].knots[0].rank[-1] - (70 - 0.5) / 70), 1e-12)

    def test_transforms_have_inverses(self):
        from freeridge.stack import Transform, _transforms

        kinds = [transform.kind for y in ([1.0, 2, 5], [0.0, 2, 5], [-1.0, 2, 5]) for transform in _transforms(np.array(y))]
        self.assertEqual(kinds, ["log", "sqrt"] + ["power"] * 6)
        powers = [Transform("power", power, 0.3, 2.0) for power in (0, 0.5, 1.5, 2)]
        for transform in [Transform("log"), Transform("sqrt"), *powers]:
            y = np.array([0.1, 1, 9]) if transform.kind != "power" else np.array([-3, -0.1, 0.5, 4])
            np.testing.assert_allclose(transform.back(transform.forward(y)), y, rtol=1e-12)
            slope = (transform.forward(y + 1e-6) - transform.forward(y - 1e-6)) / 2e-6
            np.testing.assert_allclose(transform.slope(y), slope, rtol=1e-6)

    def test_kernels_learnt_again(self):
        x, y = problem(30)
        fit = fr.FreeRidge(stack="linear").fit(x, y)
        one = fit.stack_.stacks[0]
        errors = np.column_stack([one.members["default"].model.loo_learnt().errors[:, 0], one.members["linear"].errors])
        s = np.median(np.abs(errors[:, 0])) / 0.6745
        found = fr.stack_weights(y[:, None] - errors, y, np.minimum(1, (5 * s / np.abs(errors[:, 0])) ** 2), 2)
        np.testing.assert_allclose(fit.loo_errors(learnt=True), found.errors, rtol=1e-8)
        high = fit.stack_.predict_interval(x, 0.8, learnt=True)[1][:, 0]
        np.testing.assert_allclose(high - fit.predict(x), np.sort(found.errors)[-3], rtol=1e-8)  # 31 * 0.1

    def test_rows_of_weight_zero_outputs_and_pickles(self):
        weights = np.where(np.arange(70) % 7 == 0, 0.0, 1.0 + np.arange(70) % 3)
        both = np.column_stack([self.y, self.x[:, 0]])
        fit = fr.FreeRidge(stack=["linear", "robust"]).fit(self.x, both, weights)
        some = weights > 0
        first = fr.FreeRidge(stack=["linear", "robust"]).fit(self.x[some], self.y[some], weights[some])
        np.testing.assert_allclose(fit.predict(self.x)[:, 0], first.predict(self.x), rtol=1e-10)
        np.testing.assert_allclose(fit.loo_errors()[weights > 0, 0], first.loo_errors(), rtol=1e-10)
        np.testing.assert_allclose(fit.loo_errors()[0, 0], self.y[0] - first.predict(self.x[:1])[0], rtol=1e-10)
        self.assertIn("output 1", str(fit.stack_))
        shown, weights[:], both[:] = str(fit.stack_), 1.0, 0.0
        self.assertEqual(str(fit.stack_), shown)  # data are copied
        penalised = fr.FreeRidge(stack="linear", fit_intercept="penalised").fit(self.x, self.y).stack_.stacks[0]
        self.assertTrue(all(member.model.penalises_intercept() for member in penalised.members.values()))
        again = pickle.loads(pickle.dumps(fit))
        np.testing.assert_array_equal(again.predict(self.x), fit.predict(self.x))
        np.testing.assert_array_equal(copy.deepcopy(fit).loo_errors(), fit.loo_errors())
        small = self.fit.predictor()
        self.assertLess(len(pickle.dumps(small)), 0.7 * len(pickle.dumps(self.fit)))
        again = pickle.loads(pickle.dumps(small))
        np.testing.assert_allclose(again.predict(self.x), self.fit.predict(self.x), rtol=1e-12)
        self.assertGreater(cross_val_score(clone(fr.FreeRidge(stack="linear")), self.x, self.y, cv=3).min(), 0.8)

    def test_what_is_left_out_is_said(self):
        from freeridge import stack

        x, y = problem(20)
        for name, words in (("robust", "25 rows or more"), ("response", "no transform")):
            self.assertRegex(fr.FreeRidge(stack=name).fit(x, y).stack_.stacks[0].left_out[name], words)
        wide = np.exp(np.random.default_rng(1).normal(size=(40, 16)))
        left_out = fr.FreeRidge(stack=["ranks", "response"]).fit(wide, np.arange(40) % 3).stack_.stacks[0].left_out
        self.assertRegex(left_out["ranks"], "more than 30 columns")
        self.assertRegex(left_out["response"], "fewer than five values")
        most = stack.MOST_ROWS["ranks"]
        stack.MOST_ROWS["ranks"] = 10
        try:
            shown = str(fr.FreeRidge(stack=True).fit(x, y).stack_)
            self.assertIn("without ranks: it takes long for more than 10 rows", shown)
        finally:
            stack.MOST_ROWS["ranks"] = most

    def test_of_many_rows_a_part_says_what_is_taken(self):
        from freeridge import stack

        x, y = problem(120, "positive")
        stack.ROWS_TO_CHOOSE = 60
        try:
            members = fr.FreeRidge(stack=["gaussian", "response"]).fit(x, y).stack_.stacks[0].members
        finally:
            stack.ROWS_TO_CHOOSE = 1000
        self.assertEqual(str(members["response"].transform), "log(y)")
        self.assertEqual([members[name].model.n for name in ("gaussian", "response")], [120, 120])

    def test_mistakes(self):
        from scipy.sparse import csr_matrix

        for words, arguments, x, y in (
                ("kernel cannot be given", {"kernel": "gaussian"}, self.x, self.y),
                ("alpha cannot be given", {"alpha": 1.0}, self.x, self.y),
                ("landmarks cannot be given", {"landmarks": np.arange(3)}, self.x, self.y),
                ("some of default, gaussian.*not 'lin'", {"stack": ["linear", "lin"]}, self.x, self.y),
                ("stack must be True.*not 2", {"stack": 2}, self.x, self.y),
                ("X is sparse", {}, csr_matrix(self.x), self.y), ("n_samples = 2", {}, self.x[:2], self.y[:2]),
                ("seed must be", {"seed": None}, self.x, self.y), ("NaN or inf", {}, self.x, self.y + np.inf)):
            with self.assertRaisesRegex(ValueError, words):
                fr.FreeRidge(**{"stack": True, **arguments}).fit(x, y)
        with self.assertRaisesRegex(ValueError, "predict_interval"):
            self.fit.predict(self.x, return_std=True)
        with self.assertRaisesRegex(ValueError, "level must be between"):
            self.fit.stack_.predict_interval(self.x, 1.5)
        with self.assertRaisesRegex(ValueError, "is masked"):
            self.fit.stack_.predict_interval(np.ma.array(self.x, mask=self.x > 0.5))
        with self.assertRaisesRegex(ValueError, "loo_errors.. leaves out each row"):
            self.fit.group_errors(np.arange(70))
        for name in ("coef_", "dual_coef_"):
            with self.assertRaisesRegex(AttributeError, "a stack has no coefficients"):
                getattr(self.fit, name)
        plain = copy.copy(self.fit).set_params(stack=False).fit(self.x, self.y)
        self.assertFalse(hasattr(plain, "stack_"))


if __name__ == "__main__":
    unittest.main()
