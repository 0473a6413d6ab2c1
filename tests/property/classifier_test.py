"""Any sequence of calls on a classifier. The conditions of stationarity of (3) in freeridge.h single out the solution, so
an answer is right when they hold for the data, weights, intercept and lambda set last: that they do is computed here, in
long double from the coefficients that the library hands out, and all other answers from the same fit."""

import unittest

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

import freeridge.library as c
from calls import (Borrowed, close, expect, kernel_handle, made, matrices, none, pointer, positive, status_of,
                   test_case, vector)
from dense import Dense, KernelSpec

EMPTY, DATA, FITTED = range(3)
kernels = st.one_of(st.just(KernelSpec("linear")), st.just(KernelSpec("polynomial")),
                    st.builds(KernelSpec, st.sampled_from(["gaussian", "laplacian", "matern", "mixed"]), positive))


class ClassifierMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.handle = None

    def teardown(self):
        c.library.freeridge_classifier_destroy(self.handle)

    @initialize(kernel=kernels, loss=st.sampled_from([c.LOSS_LOGISTIC, c.LOSS_HINGE]))
    def create(self, kernel, loss):
        handle = kernel_handle(kernel.text())
        self.handle = made("classifier_create", c.CLASSIFIER, handle, loss)
        c.library.freeridge_kernel_destroy(handle)
        self.kernel, self.loss, self.state = kernel, loss, EMPTY
        self.intercept, self.w, self.x, self.tolerance = True, None, np.zeros((1, 1)), 1e-8

    @property
    def n(self):
        return len(self.x)

    def unset(self):
        self.state = min(self.state, DATA)

    @rule(data=st.data(), n=st.integers(2, 7), d=st.integers(1, 3), by_rows=st.booleans(), gap=st.integers(0, 2))
    def set_data(self, data, n, d, by_rows, gap):
        x = data.draw(matrices(n, d))
        y = vector(data.draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)))
        kept = Borrowed(x, by_rows, gap)
        both = y.min() < y.max()
        expect(c.OK if both else c.INVALID_ARGUMENT, "classifier_set_data", self.handle, kept.layout, n, d, kept.pointer,
               kept.ld, pointer(y))
        if both:
            self.x, self.y, self.w, self.state = x, y.copy(), np.ones(n), DATA
            kept.buffer[:] = y[:] = np.nan

    @rule(data=st.data(), wanted=st.booleans())
    def set_weights(self, data, wanted):
        weights = vector(data.draw(st.lists(positive, min_size=self.n, max_size=self.n))) if wanted else None
        expect(c.OK if self.state >= DATA else c.INVALID_STATE, "classifier_set_weights", self.handle, pointer(weights))
        if self.state >= DATA:
            self.w = np.ones(self.n) if weights is None else weights
            self.unset()

    @rule(on=st.booleans())
    def set_intercept(self, on):
        expect(c.OK, "classifier_set_intercept", self.handle, int(on))
        self.intercept = on
        self.unset()

    @rule(tolerance=st.sampled_from([1e-4, 1e-6, 1e-8]))
    def set_control(self, tolerance):
        expect(c.OK, "classifier_set_control", self.handle, tolerance, 20000)
        self.tolerance = tolerance
        self.unset()

    @rule(power=st.integers(-3, 4))
    def fit(self, power):
        expected = c.OK if self.state >= DATA else c.INVALID_STATE
        expect(expected, "classifier_fit", self.handle, 2.0 ** power)
        if expected == c.OK:
            self.value, self.state = 2.0 ** power, FITTED
            self.check_stationarity()

    @rule(power=st.integers(-3, 4), data=st.data())
    def fit_anew(self, power, data):
        if self.state == EMPTY:
            self.set_data(data, 5, 2, False, 0)
        self.fit(power)

    def coefficients(self):
        """c and b in long double, or None before FITTED, where they are refused."""
        coefficients, b = np.full(self.n, 7.0), c.DOUBLE(7.0)
        status = status_of("classifier_get_coefficients", self.handle, pointer(coefficients), b)
        if self.state < FITTED:
            assert status == c.INVALID_STATE and np.all(coefficients == 7) and b.value == 7
            return None
        assert status == c.OK
        return coefficients.astype(np.longdouble), np.longdouble(b.value)

    @rule()
    def check_stationarity(self):
        found = self.coefficients()
        if found is None:
            return
        coefficients, b = found
        decision = self.kernel.matrix(self.x, self.x) @ coefficients + b
        margin = self.y * decision
        alpha = self.value * coefficients * self.y / self.w  # in -dL(margin)
        slack = 2 * self.tolerance + 1e-9
        if self.loss == c.LOSS_LOGISTIC:
            close(alpha, 1 / (1 + np.exp(margin)), 1, slack, "stationarity")
        else:
            assert np.all(alpha >= 0) and np.all(alpha <= 1 + 1e-12), alpha
            # b lies between those that the conditions allow, which may be a whole interval: all hold within the slack
            assert np.all(margin[alpha < 1 - 1e-9] >= 1 - slack), (margin, alpha)
            assert np.all(margin[alpha > 1e-9] <= 1 + slack), (margin, alpha)
        if self.intercept:
            assert abs(coefficients.sum()) <= slack * self.w.sum() / self.value
        else:
            assert b == 0

    @rule()
    def convergence(self):
        objective, iterations, gap = c.DOUBLE(7), c.INT64(7), c.DOUBLE(7)
        status = status_of("classifier_get_convergence", self.handle, objective, iterations, gap)
        found = self.coefficients()
        if found is None:
            assert status == c.INVALID_STATE and (objective.value, iterations.value, gap.value) == (7, 7, 7)
            return
        coefficients, b = found
        k = self.kernel.matrix(self.x, self.x)
        margin = self.y * (k @ coefficients + b)
        losses = np.log1p(np.exp(-margin)) if self.loss == c.LOSS_LOGISTIC else np.maximum(0, 1 - margin)
        expected = self.w @ losses + self.value / 2 * (coefficients @ k @ coefficients)
        assert status == c.OK and 0 <= gap.value <= self.tolerance and iterations.value >= 0
        close(objective.value, expected, 1 + abs(expected), 1e-9, "objective")

    @rule(points=matrices(2, 3), by_rows=st.booleans())
    def predict(self, points, by_rows):
        points = np.resize(points, (2, self.x.shape[1]))
        x = Borrowed(points, by_rows, 1)
        decision, probability = np.full(2, 7.0), np.full(2, 7.0)
        logistic = self.loss == c.LOSS_LOGISTIC
        status = status_of("classifier_predict", self.handle, x.layout, 2, x.pointer, x.ld, pointer(decision),
                           pointer(probability) if logistic else None)
        found = self.coefficients()
        if found is None:
            assert status == c.INVALID_STATE and np.all(decision == 7) and np.all(probability == 7)
            return
        assert status == c.OK
        values = self.kernel.matrix(points, self.x)
        expected = values @ found[0] + found[1]
        close(decision, expected, 1 + (np.abs(values) @ np.abs(found[0])).max(), 1e-12, "decision")
        if logistic:
            close(probability, 1 / (1 + np.exp(-expected)), 1, 1e-9, "probability")

    @rule()
    def loo(self):
        """One Newton step from the full solution, by the definition in the header."""
        out = np.full(self.n, 7.0)
        status = status_of("classifier_loo", self.handle, pointer(out))
        found = self.coefficients()
        if found is None or self.loss == c.LOSS_HINGE:
            assert status == c.INVALID_STATE and np.all(out == 7)
            return
        assert status in (c.OK, c.UNDEFINED), status
        k = self.kernel.matrix(self.x, self.x)
        f = k @ found[0] + found[1]
        p = 1 / (1 + np.exp(self.y * f))
        g, v = -self.w * self.y * p, self.w * p * (1 - p)
        hat = Dense(k, np.zeros((self.n, 1)), v, self.intercept).hat(self.value)
        s = np.diag(hat) / v
        left = 1 - v * s
        sound = left > 1e-6
        close(out[sound], (f + g * s / left)[sound], 1 + np.abs(f).max() + np.abs(g * s / left)[sound].max(initial=0),
              1e-5, "loo")

    @rule()
    def support(self):
        count, rows, margin = c.INT64(-7), np.full(self.n, -7, np.int64), c.DOUBLE(7)
        status = status_of("classifier_get_support", self.handle, count, pointer(rows), margin)
        found = self.coefficients()
        if found is None or self.loss == c.LOSS_LOGISTIC:
            assert status == c.INVALID_STATE and count.value == -7 and np.all(rows == -7) and margin.value == 7
            return
        assert status == c.OK and rows[:count.value].tolist() == np.flatnonzero(found[0]).tolist()
        norm = found[0] @ self.kernel.matrix(self.x, self.x) @ found[0]
        if norm > 1e-12:
            close(margin.value, 1 / np.sqrt(norm), 1 / np.sqrt(norm), 1e-6, "margin")

    @rule(data=st.data(), bad=none)
    def misuse(self, data, bad):
        """Refused; and the fit, or that there is none, is as before."""
        before = self.coefficients()
        one, spoilt = vector([1.0, -1.0, 1.0, 1.0]), vector([1.0, bad, 1.0, 1.0])
        name, arguments = data.draw(st.sampled_from([
            ("classifier_set_data", (c.COL_MAJOR, 2, 2, pointer(spoilt), 2, pointer(one))),
            ("classifier_set_data", (c.COL_MAJOR, 2, 2, pointer(one), 1, pointer(one))),
            ("classifier_set_data", (c.COL_MAJOR, 2, 2, pointer(one), 2, pointer(one[2:]))),
            ("classifier_set_data", (c.COL_MAJOR, 0, 2, pointer(one), 2, pointer(one))),
            ("classifier_set_data", (c.COL_MAJOR, 2, 2, None, 2, pointer(one))),
            ("classifier_set_weights", (pointer(vector([bad] * 7)),)),
            ("classifier_set_weights", (pointer(vector([0.0] * 7)),)),
            ("classifier_set_control", (0.0, 1)), ("classifier_set_control", (bad, 1)),
            ("classifier_set_control", (1e-8, 0)),
            ("classifier_fit", (0.0,)), ("classifier_fit", (-1.0,)), ("classifier_fit", (bad,)),
            ("classifier_loo", (None,)), ("classifier_predict", (c.COL_MAJOR, 0, pointer(one), 1, None, None))]))
        status = status_of(name, self.handle, *arguments)
        assert status in (c.INVALID_ARGUMENT, c.NOT_FINITE, c.INVALID_STATE), (name, arguments, status)
        after = self.coefficients()
        assert (before is None) == (after is None)
        assert before is None or (np.array_equal(before[0], after[0]) and before[1] == after[1])

    @rule(power=st.integers(-3, 4))
    def cancel(self, power):
        """A fit that is cancelled at its first beat leaves the last one."""
        before = self.coefficients()
        callback = c.PROGRESS(lambda fraction, user: 1)
        expect(c.OK, "classifier_set_progress", self.handle, callback, None)
        expect(c.INVALID_STATE if self.state == EMPTY else c.CANCELLED, "classifier_fit", self.handle, 2.0 ** power)
        expect(c.OK, "classifier_set_progress", self.handle, c.PROGRESS(), None)
        after = self.coefficients()
        assert before is None or (np.array_equal(before[0], after[0]) and before[1] == after[1])


TestClassifier = test_case(ClassifierMachine, 100, 25)

if __name__ == "__main__":
    unittest.main()
