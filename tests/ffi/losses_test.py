"""freeridge's other losses against scikit-learn on real data.

Conventions: C of LogisticRegression and SVC is 1 / lambda, their objectives are 1 / lambda times freeridge's; gamma of the
rbf kernel is 1 / sigma^2. LogisticRegression and SVC do not penalise the intercept. Objectives are formed here, from what each
of them answers: theirs cannot be below ours by more than rounding, since ours is the minimum. SVC keeps the kernel matrix in
single precision, which costs its primal objective digits but its dual one next to none: ours lies between the two, and equals
the dual one.
"""

import os
import unittest

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.svm import SVC

import freeridge as fr

DATA = os.environ["FREERIDGE_TEST_DATA"]


def read(name):
    table = np.loadtxt(os.path.join(DATA, name), delimiter=",", skiprows=1)
    x, y = table[:, :-1], table[:, -1]
    return (x - x.mean(axis=0)) / x.std(axis=0), y


def some_weights(n):
    return np.random.default_rng(1).uniform(0.3, 3.0, n)


def logistic_loss(z):
    return np.logaddexp(0.0, -z)


def hinge_loss(z):
    return np.maximum(0.0, 1.0 - z)


def objective(loss, weights, y, decision, squared_norm, value):
    return np.sum(weights * loss(y * decision)) + value / 2 * squared_norm


class Comparison(unittest.TestCase):
    def assert_objectives(self, ours, reported, theirs, tolerance=1e-5):
        self.assertLessEqual(abs(ours - reported), 1e-8 * ours)
        self.assertLessEqual(ours, theirs * (1 + 1e-8))
        self.assertLessEqual(theirs, ours * (1 + tolerance))


class Logistic(Comparison):
    def compare(self, x, y):
        for intercept in (True, False):
            for weighted in (False, True):
                weights = some_weights(len(y)) if weighted else None
                w = np.ones(len(y)) if weights is None else weights
                ours = fr.Classifier(fr.linear(), fr.LOSS_LOGISTIC, x, y, weights, intercept)
                for value in (100.0, 1.0, 0.02):
                    with self.subTest(intercept=intercept, weighted=weighted, value=value):
                        theirs = LogisticRegression(C=1 / value, fit_intercept=intercept, tol=1e-10, max_iter=20000)
                        theirs.fit(x, y, sample_weight=weights)
                        ours.fit(value)
                        c, b = ours.coefficients()
                        plane = x.T @ c
                        mine = objective(logistic_loss, w, y, x @ plane + (b if intercept else 0), plane @ plane, value)
                        other = theirs.coef_[0]
                        self.assert_objectives(mine, ours.convergence()[0], objective(
                            logistic_loss, w, y, theirs.decision_function(x), other @ other, value))
                        difference = np.max(np.abs(ours.decision(x) - theirs.decision_function(x)))
                        self.assertLessEqual(difference, 1e-3 * np.max(np.abs(theirs.decision_function(x))))
                        self.assertLessEqual(np.max(np.abs(ours.probability(x) - theirs.predict_proba(x)[:, 1])), 1e-3)

    def test_sonar(self):
        self.compare(*read("sonar.csv"))

    def test_banknote(self):
        x, y = read("banknote.csv")
        self.compare(x[::3], y[::3])

    def test_left_out_values(self):
        """One Newton step covers most of the way to the value of a refit."""
        x, y = read("sonar.csv")
        value = 5.0
        model = LogisticRegression(C=1 / value, tol=1e-8, max_iter=5000)
        exact = cross_val_predict(model, x, y, cv=LeaveOneOut(), method="decision_function")
        ours = fr.Classifier(fr.linear(), fr.LOSS_LOGISTIC, x, y).fit(value)
        whole = np.linalg.norm(exact - ours.decision(x))
        self.assertLessEqual(np.linalg.norm(exact - ours.loo()), 0.2 * whole)


class SupportVectors(Comparison):
    def compare(self, ours_kernel, x, matrix, y, values, **theirs_kernel):
        for weighted in (False, True):
            weights = some_weights(len(y)) if weighted else None
            w = np.ones(len(y)) if weights is None else weights
            ours = fr.Classifier(ours_kernel, fr.LOSS_HINGE, x, y, weights)
            for value in values:
                with self.subTest(weighted=weighted, value=value):
                    theirs = SVC(C=1 / value, tol=1e-7, **theirs_kernel).fit(x, y, sample_weight=weights)
                    ours.fit(value)
                    c, b = ours.coefficients()
                    dual = np.zeros(len(y))
                    dual[theirs.support_] = theirs.dual_coef_[0]
                    mine = objective(hinge_loss, w, y, matrix @ c + b, c @ matrix @ c, value)
                    primal = objective(hinge_loss, w, y, theirs.decision_function(x), dual @ matrix @ dual, value)
                    self.assert_objectives(mine, ours.convergence()[0], primal, 1e-3)
                    lower = value * (dual @ y - dual @ matrix @ dual / 2)
                    self.assertLessEqual(lower, mine * (1 + 1e-8))
                    self.assertLessEqual(mine, lower * (1 + 1e-5))
                    decision = theirs.decision_function(x)
                    self.assertLessEqual(np.max(np.abs(ours.decision(x) - decision)),
                                         1e-3 * np.max(np.abs(decision)))
                    rows, margin = ours.support()
                    self.assertLessEqual(abs(margin * np.sqrt(c @ matrix @ c) - 1), 1e-8)
                    if np.linalg.matrix_rank(matrix) < len(y):  # the coefficients are not unique
                        continue
                    different = np.setxor1d(rows, theirs.support_)
                    self.assertLessEqual(np.max(np.abs(c[different]), initial=0.0), 1e-3 * np.max(np.abs(c)))
                    self.assertLessEqual(np.max(np.abs(c - dual)), 1e-3 * np.max(np.abs(c)))

    def test_linear_sonar(self):
        x, y = read("sonar.csv")
        self.compare(fr.linear(), x, x @ x.T, y, (300.0, 1.0, 0.05), kernel="linear")

    def test_linear_banknote(self):
        x, y = read("banknote.csv")
        self.compare(fr.linear(), x, x @ x.T, y, (10.0, 0.1), kernel="linear")

    def test_gaussian(self):
        for name in ("sonar.csv", "banknote.csv"):
            x, y = read(name)
            sigma = np.sqrt(2.0 * x.shape[1])
            squares = np.sum(x**2, axis=1)
            matrix = np.exp(-(squares[:, None] + squares[None, :] - 2 * x @ x.T) / sigma**2)
            self.compare(fr.gaussian(sigma), x, matrix, y, (1.0, 0.01), kernel="rbf", gamma=1 / sigma**2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
