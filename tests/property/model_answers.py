"""Every answer of a model, in whatever state: what dense.py has for what is set, or INVALID_STATE."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import rule

import freeridge.library as c
from calls import Borrowed, Output, close, expect, lambdas, matrices, pointer, status_of, vector
from model_state import FACTORIZED, FITTED, ModelState


class ModelAnswers(ModelState):
    def scale(self):
        return float(1 + np.abs(self.y).max())

    def each_output(self, answer):
        """Column j of answer(lambda_j)."""
        return np.stack([answer(value)[:, j] for j, value in enumerate(self.lambdas)], axis=1)

    def asked(self, name, rows, allowed=(), *arguments):
        """An answer of rows x t numbers; None before FITTED, where it has to be refused."""
        out = Output(rows, self.t)
        status = status_of(name, self.handle, *arguments, out.pointer, out.ld)
        if self.state < FITTED:
            assert status == c.INVALID_STATE and out.untouched, (name, status)
            return None
        assert status in (c.OK,) + tuple(allowed), (name, status)
        if status == c.UNDEFINED:
            assert np.isnan(out.numbers).any(), name
        return out.numbers

    @rule()
    def loo(self):
        errors = self.asked("loo", self.n, (c.UNDEFINED,))
        if errors is not None:
            close(errors, self.each_output(self.dense().loo), self.scale(), 100 * self.tolerance(), "loo")

    @rule(data=st.data())
    def group_errors(self, data):
        labels = vector(data.draw(st.lists(st.integers(-1, 2), min_size=self.n, max_size=self.n)), np.int32)
        if labels.max() < 0:
            out = Output(self.n, self.t)
            expect((c.INVALID_ARGUMENT, c.INVALID_STATE), "group_errors", self.handle, pointer(labels), out.pointer,
                   out.ld)
            assert out.untouched
            return
        errors = self.asked("group_errors", self.n, (c.UNDEFINED,), pointer(labels))
        if errors is not None:
            dense = self.dense()
            close(errors, self.each_output(lambda value: dense.left_out(value, labels)), self.scale(),
                  100 * self.tolerance(), "group_errors")

    @rule()
    def fitted(self):
        fitted, leverage = self.asked("get_fitted", self.n), self.asked("get_leverage", self.n)
        if fitted is not None:
            dense = self.dense()
            close(fitted, self.each_output(dense.fitted), self.scale(), self.tolerance(), "fitted")
            expected = self.each_output(lambda value: np.repeat(np.diag(dense.hat(value))[:, None], self.t, 1))
            close(leverage, expected, 1, self.tolerance(), "leverage")

    @rule()
    def solution(self):
        c_asked = self.asked("get_coefficients", self.n)
        b = Output(self.t)
        expect(c.OK if self.state == FITTED else c.INVALID_STATE, "get_intercept", self.handle, b.pointer)
        w = Output(1 if self.x is None else self.x.shape[1], self.t)
        has_plane = self.state == FITTED and self.kernel.linear
        expect(c.OK if has_plane else c.INVALID_STATE, "get_hyperplane", self.handle, w.pointer, w.ld)
        if c_asked is None:
            return
        dense = self.dense()
        expected_b = self.each_output(lambda value: dense.fit(value)[1][None, :])[0]
        close(b.numbers[:, 0], expected_b, self.scale(), self.tolerance(), "intercept")
        expected = self.each_output(lambda value: dense.fit(value)[0])
        landmark = self.actual_route() == c.ROUTE_LANDMARK
        if not landmark:
            close(c_asked, expected, self.scale() * 3 / min(self.lambdas), self.tolerance(), "coefficients")
        elif not self.kernel.linear:
            assert not np.any(np.delete(c_asked, self.chosen, axis=0)), "a coefficient beside the landmarks"
        if has_plane:
            scale = np.array(self.kernel.columns or [1] * self.x.shape[1], np.longdouble)[:, None]
            plane = (self.x / scale.T / scale.T).T @ self.expansion(dense, expected)
            close(w.numbers, plane, self.scale() * 10 / min(self.lambdas), self.tolerance(), "hyperplane")

    def expansion(self, dense, coefficients):
        """Coefficients of k itself; those of the restricted kernel meet the landmarks alone."""
        if self.route_taken() != c.ROUTE_LANDMARK:
            return coefficients
        out = np.zeros_like(coefficients)
        out[self.chosen] = self.middle @ self.values(self.x)[self.chosen] @ coefficients
        return out

    def expected_prediction(self, points):
        dense = self.dense()
        values = self.restrict(self.values(points))

        def predict(value):
            fit = dense.fit(value)
            return values @ fit[0] + fit[1]

        return self.each_output(predict)

    def points(self, points):
        """Two new points with as many numbers as the model's have; for a precomputed kernel their inner products."""
        if self.x is None:
            return points
        points = np.resize(points, (2, self.given_by.shape[1]))
        return points @ self.given_by.T if self.kernel.name == "precomputed" else points

    @rule(points=matrices(2, 3), by_rows=st.booleans(), gap=st.integers(0, 2))
    def predict(self, points, by_rows, gap):
        x = Borrowed(self.points(points), by_rows, gap)
        out = Borrowed(np.zeros((2, self.t)), by_rows, gap)
        before = out.buffer.copy()
        expect(c.OK if self.state == FITTED else c.INVALID_STATE, "predict", self.handle, x.layout, 2, x.pointer, x.ld,
               out.pointer, out.ld)
        if self.state < FITTED:
            assert np.array_equal(out.buffer, before)
            return
        numbers = out.buffer[:, :self.t] if by_rows else out.buffer[:, :2].T
        assert np.all((out.buffer[:, self.t:] if by_rows else out.buffer[:, 2:]) == 99.0)
        close(numbers, self.expected_prediction(self.points(points)), self.point_scale(points), self.tolerance(),
              "predict")

    def point_scale(self, points):
        """New points may lie beyond the data: rounding in c meets k there."""
        size = float(np.abs(self.values(self.points(points))).max(initial=1)) if self.x is not None else 1
        return self.scale() * (1 + size / min(self.lambdas))

    @rule(points=matrices(2, 3), level=st.sampled_from([0.5, 0.8, 0.95]))
    def intervals(self, points, level):
        x = Borrowed(self.points(points), True, 0)
        lower, upper = np.full((2, self.t), 7.0), np.full((2, self.t), 7.0)
        variance, noise = np.full((2, self.t), 7.0), np.full(self.t, 7.0)
        jackknife = status_of("predict_jackknife", self.handle, x.layout, 2, x.pointer, x.ld, level, pointer(lower),
                              pointer(upper), self.t)
        gaussian = status_of("predict_variance", self.handle, x.layout, 2, x.pointer, x.ld, pointer(variance), self.t,
                             pointer(noise))
        if self.state < FITTED:
            assert jackknife == c.INVALID_STATE and np.all(lower == 7) and np.all(upper == 7)
            assert gaussian in (c.INVALID_STATE, c.INVALID_ARGUMENT) and np.all(variance == 7) and np.all(noise == 7)
            return
        dense, m = self.dense(), self.n - int(self.intercept)
        values = self.restrict(self.values(self.points(points)))
        if m == 0:
            assert jackknife == gaussian == c.UNDEFINED or self.kernel.name == "precomputed", (jackknife, gaussian)
            return
        expected = [dense.jackknife(value, values, level) for value in self.lambdas]
        for side, numbers in enumerate((lower, upper)):
            expected_side = np.stack([expected[j][side][:, j] for j in range(self.t)], axis=1)
            close(numbers, expected_side, self.point_scale(points), 100 * self.tolerance(), "jackknife")
        if self.kernel.name == "precomputed":
            assert gaussian == c.INVALID_ARGUMENT and np.all(variance == 7)
            return
        assert gaussian == c.OK
        own = self.self_values(self.points(points))
        expected = [dense.variance(value, values, own) for value in self.lambdas]
        scale = self.point_scale(points) ** 2 / min(self.lambdas)
        close(variance, np.stack([expected[j][0][:, j] for j in range(self.t)], axis=1), scale, self.tolerance(),
              "variance")
        close(noise, [expected[j][1][j] for j in range(self.t)], self.scale() ** 2 * 3, self.tolerance(), "noise")

    def self_values(self, points):
        """k(x, x), of the restricted kernel with landmarks."""
        if self.route_taken() != c.ROUTE_LANDMARK:
            return np.diag(self.kernel.matrix(points, points))
        k = self.values(points)[:, self.chosen]
        return ((k @ self.middle) * k).sum(axis=1)

    @rule()
    def diagnostics(self):
        df, sigma2 = Output(self.t), Output(self.t)
        status = status_of("get_degrees_of_freedom", self.handle, df.pointer, sigma2.pointer)
        distance = self.asked("cooks_distance", self.n, (c.UNDEFINED,))
        if self.state < FITTED:
            assert status == c.INVALID_STATE and df.untouched and sigma2.untouched
            return
        dense = self.dense()
        if self.n == int(self.intercept):  # no degree of freedom is left
            assert status == c.UNDEFINED and np.isnan(sigma2.numbers).all() and np.isnan(distance).all()
            return
        assert status == c.OK
        freedom = [dense.freedom(value) for value in self.lambdas]
        close(df.numbers[:, 0], [freedom[j][0] for j in range(self.t)], self.n, self.tolerance(), "df")
        expected = np.array([freedom[j][1][j] for j in range(self.t)])
        close(sigma2.numbers[:, 0], expected, self.scale() ** 2 * 1e3, self.tolerance(), "sigma2")
        for j in range(self.t):
            if expected[j] > 1e-8 and freedom[j][0] > 1e-8:
                cook = dense.cooks_distance(self.lambdas[j])[:, j]
                close(distance[:, j], cook, 1 + np.abs(cook).max(), 1e4 * self.tolerance(), "cooks_distance")

    def barely(self, score):
        """A score that does not exist, or the logarithm or square of rounding."""
        return bool(np.any(np.isnan(score)) or np.any(np.abs(score) < 1e-12) or np.any(score < -10))

    @rule(criterion=st.integers(1, 4), values=st.lists(lambdas, min_size=1, max_size=2))
    def score(self, criterion, values):
        out = Output(len(values), self.t)
        status = status_of("score", self.handle, criterion, len(values), pointer(vector(values)), out.pointer, out.ld)
        if self.state < FACTORIZED or (criterion == c.GROUPS and self.groups is None):
            assert status == c.INVALID_STATE and out.untouched, status
            return
        assert status in (c.OK, c.UNDEFINED), status
        dense = self.dense()
        for k, value in enumerate(values):
            expected = dense.score(criterion, value, self.groups)
            if criterion != c.REML or not self.barely(expected):
                close(out.numbers[k], expected, 1 + np.abs(np.nan_to_num(expected)).max() + self.scale() ** 2,
                      1e3 * self.tolerance(), f"score {criterion}")

    @rule()
    def what_is_set(self):
        found, sigma, count = Output(self.t), c.DOUBLE(), c.INT64(-1)
        expect(c.OK if self.state == FITTED else c.INVALID_STATE, "get_lambda", self.handle, found.pointer)
        if self.state == FITTED:
            assert found.numbers[:, 0].tolist() == self.lambdas
        else:
            assert found.untouched
        has_bandwidth = self.kernel.sigma is not None and not self.kernel.linear
        expect(c.OK if has_bandwidth else c.INVALID_STATE, "get_bandwidth", self.handle, sigma)
        assert not has_bandwidth or sigma.value == self.kernel.sigma
        expect(c.OK, "get_search_count", self.handle, count)
        assert (count.value > 0) == (self.search is not None)
        rank, grid = c.INT64(-1), Output(3)
        knows = self.state >= FACTORIZED and self.actual_route() in (c.ROUTE_SPECTRAL, c.ROUTE_PRIMAL, c.ROUTE_LANDMARK)
        expect(c.OK if knows else c.INVALID_STATE, "get_rank", self.handle, rank)
        expect((c.OK, c.UNDEFINED) if self.state >= FACTORIZED else c.INVALID_STATE, "lambda_grid", self.handle, 3,
               grid.pointer)
