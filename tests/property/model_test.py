"""Any sequence of calls on a model, against dense.py: each answer is that of the data, weights, kernel, landmarks,
intercept and lambda set last, or INVALID_STATE; a call that fails leaves the model as it was, to the byte of what it
saves."""

import ctypes
import os
import tempfile
import unittest

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import freeridge.library as c
from calls import (Borrowed, Output, bytes_of, close, eighths, expect, kernel_handle, lambdas, made, matrices, none,
                   pointer, positive, status_of, test_case, vector)
from dense import Dense, KernelSpec, restriction

EMPTY, DATA, FACTORIZED, FITTED = range(4)
DUAL = (c.CHOLESKY, c.SPECTRAL, c.BAND)
TOLERANCE = 1e-8  # beside eps cond < 1e-9, as K < 500, lambda > 2^-6, 1/4 <= W_ii <= 3
LANDMARK_TOLERANCE = 1e-6  # T of K_RR = L L' has the errors of cond(L)

functions = st.one_of(
    st.just(KernelSpec("linear")), st.just(KernelSpec("polynomial")),
    st.builds(KernelSpec, st.sampled_from(["gaussian", "laplacian", "matern", "mixed"]), positive),
    st.builds(KernelSpec, st.sampled_from(["linear", "gaussian"]), positive, st.lists(positive, min_size=2, max_size=2)))
kernels = st.one_of(functions, functions, st.just(KernelSpec("precomputed")))


class ModelMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.handle, self.predictors = None, []
        self.folder = tempfile.TemporaryDirectory()

    def teardown(self):
        c.library.freeridge_destroy(self.handle)
        for handle, *_ in self.predictors:
            c.library.freeridge_destroy(handle)
        self.folder.cleanup()

    @initialize(kernel=kernels)
    def create(self, kernel):
        self.kernel = kernel
        text = kernel_handle(kernel.text())
        self.handle = made("create", c.MODEL, text)
        c.library.freeridge_kernel_destroy(text)
        self.state, self.x, self.y, self.kept = EMPTY, None, None, None
        self.intercept, self.route, self.reduction, self.refinement = True, c.AUTO, c.REDUCTION_AUTO, 0
        self.drop_rows()
        self.unset()

    # What is known

    def drop_rows(self):
        self.weights, self.groups, self.landmarks, self.landmark_count = None, None, None, 0

    def unset(self):
        self.state = min(self.state, DATA)
        self.search, self.lambdas, self.chosen = None, None, None

    @property
    def n(self):
        return 1 if self.x is None else len(self.x)

    @property
    def t(self):
        return 1 if self.y is None else self.y.shape[1]

    def values(self, points):
        """Kernel values of new points; of a precomputed kernel the points are the values."""
        if self.kernel.name == "precomputed":
            return np.asarray(points, np.longdouble)
        return self.kernel.matrix(points, self.x)

    def dense(self):
        """The problem in force, its kernel restricted to the landmarks, and how its values at new points are made."""
        k = self.values(self.x)
        self.restrict = lambda values: values
        if self.route_taken() == c.LANDMARK:
            rows = self.chosen
            middle = restriction(k[np.ix_(rows, rows)])
            self.restrict = lambda values: values[:, rows] @ middle @ k[rows]
            self.middle = middle
            k = self.restrict(k)
        return Dense(k, self.y, self.weights, self.intercept)

    def tolerance(self):
        return LANDMARK_TOLERANCE if self.route_taken() == c.LANDMARK else TOLERANCE

    def route_taken(self):
        """AUTO's choice where the header says what it is."""
        if self.route != c.AUTO:
            return self.route
        if self.landmark_count:
            return c.LANDMARK
        return c.PRIMAL if self.kernel.linear and self.x.shape[1] < self.n else c.AUTO

    def plan_status(self):
        if self.state == EMPTY or (self.route == c.LANDMARK and not self.landmark_count):
            return c.INVALID_STATE
        if self.route == c.PRIMAL and not self.kernel.linear:
            return c.INVALID_ARGUMENT
        if self.landmark_count and self.route not in (c.AUTO, c.LANDMARK):
            return c.INVALID_ARGUMENT
        return c.OK

    def refines(self):
        """Whether set_lambda refines as it is asked to, or answers INVALID_STATE."""
        route = self.actual_route()
        return self.refinement == 0 or (route == c.PRIMAL if self.kernel.linear else route in DUAL)

    def actual_route(self):
        route = c.INT32()
        expect(c.OK, "get_route", self.handle, route)
        return route.value

    # Settings

    @rule(data=st.data(), n=st.integers(1, 7), d=st.integers(1, 3), t=st.integers(1, 2), view=st.booleans(),
          by_rows=st.booleans(), gap=st.integers(0, 2), classes=st.booleans())
    def set_data(self, data, n, d, t, view, by_rows, gap, classes):
        x, y = data.draw(matrices(n, d)), data.draw(matrices(n, t))
        if classes:
            y = np.where(y > 0, 1.0, -1.0)
        given_by = x  # the points whose inner products a precomputed kernel has
        if self.kernel.name == "precomputed":
            x = x @ x.T
        kept = Borrowed(x, by_rows, gap), Borrowed(y, by_rows, gap)
        columns = self.kernel.columns
        fits = columns is None or len(columns) == x.shape[1]
        expect(c.OK if fits else c.DIMENSION_MISMATCH, "set_data_view" if view else "set_data", self.handle,
               kept[0].layout, n, x.shape[1], kept[0].pointer, kept[0].ld, t, kept[1].pointer, kept[1].ld)
        if fits:
            self.x, self.y, self.given_by, self.kept = x, y, given_by, kept if view else None
            self.state = DATA
            self.drop_rows()
            self.unset()
            if not view:
                kept[0].buffer[:] = kept[1].buffer[:] = np.nan  # it has a copy

    @precondition(lambda self: self.kernel.name != "precomputed")
    @rule(kernel=functions)
    def set_kernel(self, kernel):
        handle = kernel_handle(kernel.text())
        fits = self.x is None or kernel.columns is None or len(kernel.columns) == self.x.shape[1]
        expect(c.OK if fits else c.DIMENSION_MISMATCH, "set_kernel", self.handle, handle)
        c.library.freeridge_kernel_destroy(handle)
        if fits:
            self.kernel = kernel
            self.unset()

    @rule(data=st.data(), wanted=st.booleans())
    def set_weights(self, data, wanted):
        weights = vector(data.draw(st.lists(positive, min_size=self.n, max_size=self.n))) if wanted else None
        expect(c.OK if self.state >= DATA else c.INVALID_STATE, "set_weights", self.handle, pointer(weights))
        if self.state >= DATA:
            self.weights = weights
            self.unset()

    @rule(data=st.data(), wanted=st.booleans())
    def set_groups(self, data, wanted):
        labels = st.lists(st.integers(-1, 2), min_size=self.n, max_size=self.n)
        groups = vector(data.draw(labels), np.int32) if wanted else None
        sound = groups is None or groups.max() >= 0
        expected = c.INVALID_STATE if self.state == EMPTY else c.OK if sound else c.INVALID_ARGUMENT
        expect(expected, "set_groups", self.handle, pointer(groups))
        if expected == c.OK:
            self.groups = groups

    @rule(on=st.booleans())
    def set_intercept(self, on):
        expect(c.OK, "set_intercept", self.handle, int(on))
        self.intercept = on
        self.unset()

    @rule(route=st.sampled_from([c.AUTO, c.AUTO, c.CHOLESKY, c.SPECTRAL, c.BAND, c.PRIMAL, c.LANDMARK]))
    def set_route(self, route):
        expect(c.OK, "set_route", self.handle, route)
        self.route = route
        self.unset()

    @rule(reduction=st.sampled_from([c.REDUCTION_AUTO, c.REDUCTION_QR, c.REDUCTION_GRAM]))
    def set_reduction(self, reduction):
        expect(c.OK, "set_reduction", self.handle, reduction)
        self.unset()

    @rule(data=st.data(), given=st.booleans(), method=st.integers(0, 3), seed=st.integers(-2, 2))
    def set_landmarks(self, data, given, method, seed):
        expect(c.OK, "set_landmark_method", self.handle, method, seed)
        self.unset()
        count = data.draw(st.integers(0, self.n))
        rows = data.draw(st.permutations(range(self.n)))[:count] if given else None
        expect(c.OK if self.state >= DATA else c.INVALID_STATE, "set_landmarks", self.handle, count,
               pointer(vector(rows, np.int64)) if given else None)
        if self.state >= DATA:
            self.landmark_count, self.landmarks = count, rows

    @rule(steps=st.integers(0, 3))
    def set_refinement(self, steps):
        expect(c.OK, "set_refinement", self.handle, steps)
        self.refinement = steps

    @rule(count=st.sampled_from([1, 3, 100, 100000]), criterion=st.integers(1, 5))
    def set_hints(self, count, criterion):
        expect(c.OK, "set_expected_lambdas", self.handle, count)
        expect(c.OK, "set_expected_criterion", self.handle, criterion)

    # Work

    @rule()
    def factorize(self):
        expected = self.plan_status()
        bytes_needed = c.INT64()
        expect(expected, "memory_required", self.handle, bytes_needed)
        expect(expected, "factorize", self.handle)
        if expected != c.OK:
            return
        self.unset()
        self.state = FACTORIZED
        self.read_landmarks()

    def read_landmarks(self):
        route, count = self.actual_route(), c.INT64()
        assert self.route_taken() in (c.AUTO, route) and route != c.AUTO
        expect(c.OK, "get_landmark_count", self.handle, count)
        rows = np.full(self.n, -1, np.int64)
        expect(c.OK if route == c.LANDMARK else c.INVALID_STATE, "get_landmarks", self.handle, pointer(rows), None, None)
        self.chosen = rows[:count.value].tolist()
        if route != c.LANDMARK:
            assert count.value == 0
        elif self.landmarks is not None:
            assert self.chosen == list(self.landmarks)
        else:
            assert len(set(self.chosen)) == count.value <= self.landmark_count and min(self.chosen, default=0) >= 0

    @rule(data=st.data(), one=st.booleans())
    def set_lambda(self, data, one):
        values = data.draw(st.lists(lambdas, min_size=self.t, max_size=self.t))
        if one:
            values = values[:1] * self.t
        expected = c.OK if self.state >= FACTORIZED and self.refines() else c.INVALID_STATE
        if one:
            expect(expected, "set_lambda", self.handle, values[0])
        else:
            expect(expected, "set_lambdas", self.handle, pointer(vector(values)))
        if expected == c.OK:
            self.lambdas, self.state = values, FITTED

    # Twice, as most of the answers need it.
    @rule(data=st.data(), one=st.booleans())
    def fit(self, data, one):
        self.factorize()
        self.set_lambda(data, one)

    @rule(data=st.data())
    def fit_anew(self, data):
        if self.state < FITTED:
            self.set_data(data, data.draw(st.integers(2, 7)), data.draw(st.integers(1, 3)), 1, False, False, 0, False)
        self.factorize()
        self.set_lambda(data, True)

    @rule(criterion=st.integers(1, 4), low=st.integers(-6, 0), decades=st.integers(0, 6))
    def select_lambda(self, criterion, low, decades):
        low, high = 2.0 ** low, 2.0 ** (low + decades)
        chosen, score = Output(self.t), Output(self.t)
        status = status_of("select_lambda", self.handle, criterion, low, high, chosen.pointer, score.pointer)
        if self.state < FACTORIZED or (criterion == c.GROUPS and self.groups is None) or not self.refines():
            # refinement where there is none is found at the end
            late = self.state >= FACTORIZED and not self.refines()
            assert status == c.INVALID_STATE or (late and status == c.UNDEFINED), status
            assert status == c.UNDEFINED or (chosen.untouched and score.untouched)
            return
        if status == c.UNDEFINED:  # an output has no score anywhere
            dense = self.dense()
            assert any(self.barely(dense.score(criterion, value, self.groups)) for value in (low, high))
            return
        assert status == c.OK, status
        self.state, self.lambdas = FITTED, chosen.numbers[:, 0].tolist()
        self.search = criterion
        self.check_choice(criterion, low, high, score.numbers[:, 0])

    def barely(self, score):
        """A score that does not exist, or the logarithm or square of rounding."""
        return bool(np.any(np.isnan(score)) or np.any(np.abs(score) < 1e-12) or np.any(score < -10))

    def check_choice(self, criterion, low, high, score):
        """In the range, with the score there, which none of some others in the range beats."""
        dense, groups = self.dense(), self.groups
        grid = np.geomspace(low, high, 5)
        for j, value in enumerate(self.lambdas):
            assert low <= value <= high
            here = dense.score(criterion, value, groups)[j]
            others = np.array([dense.score(criterion, other, groups)[j] for other in grid])
            if self.barely(np.append(others, here)):
                continue
            close(score[j], here, 1 + abs(here), 10 * self.tolerance(), "the score of the choice")
            assert np.all(others >= here - 1e-6 * (1 + abs(here))), (value, here, others)

    @rule(criterion=st.integers(1, 3), low=st.integers(-1, 1), high=st.integers(1, 2))
    def select_bandwidth(self, criterion, low, high):
        sigma, used, tried = c.DOUBLE(-1), c.INT64(-1), Output(4, 2)
        status = status_of("select_bandwidth", self.handle, criterion, 2.0 ** low, 2.0 ** high, 5, sigma,
                           tried.pointer, used)
        if self.state == EMPTY or self.kernel.sigma is None or self.kernel.linear:
            assert status == c.INVALID_STATE, status
            return
        if status != c.OK:
            # the plan's reasons, or no score; refinement where there is none is found at the end
            allowed = (self.plan_status(), c.UNDEFINED) + ((c.INVALID_STATE,) if self.refinement else ())
            assert status in allowed and status != c.OK, status
            assert sigma.value == -1 and used.value == -1
            return
        assert self.plan_status() == c.OK
        assert 2.0 ** low <= sigma.value * (1 + 1e-12) and sigma.value <= 2.0 ** high * (1 + 1e-12)
        self.kernel = self.kernel.with_sigma(sigma.value)
        self.unset()
        self.state, self.search = FITTED, criterion
        found = Output(self.t)
        expect(c.OK, "get_lambda", self.handle, found.pointer)
        self.lambdas = found.numbers[:, 0].tolist()
        self.read_landmarks()

    # Saving

    @rule(to_file=st.booleans())
    def save_and_load(self, to_file):
        saved = bytes_of("save_to_memory", self.handle)
        if to_file:
            path = os.path.join(self.folder.name, "model").encode()
            expect(c.OK, "save", self.handle, path)
            with open(path, "rb") as file:
                assert file.read() == saved
            other = made("load", c.MODEL, path)
        else:
            other = made("load_from_memory", c.MODEL, saved, len(saved))
        assert bytes_of("save_to_memory", other) == saved
        c.library.freeridge_destroy(self.handle)
        self.handle, self.kept = other, None

    @rule(points=matrices(2, 3))
    def save_predictor(self, points):
        length = c.INT64(-1)
        if self.state < FITTED:
            expect(c.INVALID_STATE, "save_predictor_to_memory", self.handle, 0, None, length)
            return
        if len(self.predictors) == 2:
            c.library.freeridge_destroy(self.predictors.pop(0)[0])
        saved = bytes_of("save_predictor_to_memory", self.handle)
        points = self.points(points)
        handle = made("load_from_memory", c.MODEL, saved, len(saved))
        self.predictors.append((handle, points, self.expected_prediction(points), self.tolerance() * self.scale(), saved))

    @precondition(lambda self: self.predictors)
    @rule(data=st.data())
    def ask_a_predictor(self, data):
        """It answers for the model that it was saved of, whatever became of that."""
        handle, points, expected, tolerance, saved = data.draw(st.sampled_from(self.predictors))
        out = Output(2, expected.shape[1])
        x = Borrowed(points, True, 0)
        columns = np.empty((2, expected.shape[1]))
        expect(c.OK, "predict", handle, x.layout, 2, x.pointer, x.ld, pointer(columns), expected.shape[1])
        close(columns, expected, 1, tolerance, "a predictor")
        expect(c.INVALID_STATE, "loo", handle, out.pointer, 100)
        expect(c.INVALID_STATE, "set_lambda", handle, 1.0)
        expect(c.INVALID_STATE, "set_intercept", handle, 0)
        expect(c.INVALID_STATE, "factorize", handle)
        assert out.untouched and bytes_of("save_predictor_to_memory", handle) == saved

    # Answers

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
        landmark = self.actual_route() == c.LANDMARK
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
        if self.route_taken() != c.LANDMARK:
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
        if self.route_taken() != c.LANDMARK:
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
        knows = self.state >= FACTORIZED and self.actual_route() in (c.SPECTRAL, c.PRIMAL, c.LANDMARK)
        expect(c.OK if knows else c.INVALID_STATE, "get_rank", self.handle, rank)
        expect((c.OK, c.UNDEFINED) if self.state >= FACTORIZED else c.INVALID_STATE, "lambda_grid", self.handle, 3,
               grid.pointer)

    @invariant()
    def dimensions(self):
        if self.handle is None:
            return
        sizes = [c.INT64(-1), c.INT64(-1), c.INT64(-1)]
        expect(c.OK if self.state >= DATA else c.INVALID_STATE, "get_dimensions", self.handle, *sizes)
        if self.state >= DATA:
            assert tuple(size.value for size in sizes) == self.x.shape + (self.t,)

    # What cannot be right, and cancelling

    @rule(data=st.data(), bad=none)
    def misuse(self, data, bad):
        """Refused; and the model saves the same bytes as before."""
        name, arguments = data.draw(st.sampled_from(self.mistakes(bad)))
        before = bytes_of("save_to_memory", self.handle)
        status = status_of(name, self.handle, *arguments)
        assert status in (c.INVALID_ARGUMENT, c.NOT_FINITE, c.INVALID_STATE, c.DIMENSION_MISMATCH, c.OUT_OF_MEMORY), \
            (name, arguments, status)
        assert bytes_of("save_to_memory", self.handle) == before, name

    def mistakes(self, bad):
        one, out = vector([1.0] * 30), Output(30)
        spoilt = vector([1.0] * 5 + [bad] + [1.0] * 24)
        all_bad, negative = vector([bad] * 30), vector([-1.0] * 30)
        huge, column = 2 ** 31, c.COL_MAJOR
        self.alive = one, out, spoilt, all_bad, negative  # until the call has been made
        return [
            ("set_data", (column, 3, 2, pointer(spoilt), 3, 2, pointer(one), 3)),
            ("set_data_view", (column, 3, 2, pointer(one), 3, 2, pointer(spoilt), 3)),
            ("set_data", (column, 3, 2, pointer(one), 2, 1, pointer(one), 3)),
            ("set_data", (column, 0, 2, pointer(one), 3, 1, pointer(one), 3)),
            ("set_data", (column, 3, -1, pointer(one), 3, 1, pointer(one), 3)),
            ("set_data", (3, 3, 2, pointer(one), 3, 1, pointer(one), 3)),
            ("set_data", (column, 3, 2, None, 3, 1, pointer(one), 3)),
            ("set_data_view", (column, huge, 2, pointer(one), huge, 1, pointer(one), huge)),
            ("set_weights", (pointer(all_bad),)), ("set_weights", (pointer(negative),)),
            ("set_groups", (pointer(vector([-1] * 30, np.int32)),)),
            ("set_kernel", (None,)), ("set_route", (6,)), ("set_route", (-1,)), ("set_reduction", (3,)),
            ("set_landmark_method", (4, 0)), ("set_landmarks", (self.n + 1, None)), ("set_landmarks", (-1, None)),
            ("set_landmarks", (1, pointer(vector([self.n], np.int64)))),
            ("set_landmarks", (2, pointer(vector([0, 0], np.int64)))),
            ("set_refinement", (-1,)), ("set_refinement", (101,)), ("set_expected_lambdas", (0,)),
            ("set_expected_criterion", (6,)), ("set_memory_limit", (-1,)),
            ("set_lambda", (bad,)), ("set_lambda", (-1.0,)), ("set_lambdas", (None,)), ("set_lambdas", (pointer(all_bad),)),
            ("select_lambda", (c.LOO, 2.0, 1.0, out.pointer, out.pointer)),
            ("select_lambda", (7, 1.0, 2.0, out.pointer, out.pointer)),
            ("select_lambda", (c.LOO, 1.0, bad, out.pointer, out.pointer)),
            ("select_bandwidth", (c.LOO, 1.0, 2.0, 2, c.DOUBLE(), out.pointer, c.INT64())),
            ("select_bandwidth", (c.LOO, bad, 2.0, 5, c.DOUBLE(), out.pointer, c.INT64())),
            ("loo", (None, 30)), ("loo", (out.pointer, 0)), ("get_fitted", (out.pointer, self.n - 1)),
            ("predict", (column, 0, pointer(one), 1, out.pointer, 1)),
            ("predict", (column, 1, pointer(all_bad), 1, out.pointer, 1)),
            ("score", (c.LOO, 1, pointer(all_bad), out.pointer, 1)), ("score", (0, 1, pointer(one), out.pointer, 1)),
            ("group_errors", (None, out.pointer, 30)), ("lambda_grid", (0, out.pointer)),
        ]

    @rule(work=st.sampled_from(["factorize", "set_lambda", "select_lambda", "select_bandwidth", "set_data"]),
          beats=st.integers(0, 3))
    def cancel(self, work, beats):
        """A call that is cancelled has not been."""
        left = [beats]

        def heard(fraction, user):
            left[0] -= 1
            return int(left[0] < 0)

        callback = c.PROGRESS(heard)
        before = bytes_of("save_to_memory", self.handle)
        expect(c.OK, "set_progress", self.handle, callback, None)
        x, out = vector([1.0, 2.0, 3.0, 5.0]), Output(2 * self.t)
        arguments = {"factorize": (), "set_lambda": (0.125,), "select_lambda": (c.GCV, 0.5, 2.0, out.pointer, out.pointer),
                     "select_bandwidth": (c.GCV, 1.0, 2.0, 3, c.DOUBLE(), Output(3, 2).pointer, c.INT64()),
                     "set_data": (c.COL_MAJOR, 2, 2, pointer(x), 2, 1, pointer(x), 2)}[work]
        # Cancelled at the last beat that there is, at the latest: what may not do its work has not.
        left[0] = min(beats, self.beats_of(work, arguments) - 1)
        status = c.OK if left[0] < 0 else status_of(work, self.handle, *arguments)
        expect(c.OK, "set_progress", self.handle, c.PROGRESS(), None)
        assert status != c.OK or left[0] < 0
        assert bytes_of("save_to_memory", self.handle) == before, (work, status)

    def beats_of(self, work, arguments):
        """How often the call is heard, found with a copy of the model; -1: it does not do its work."""
        saved, count = bytes_of("save_to_memory", self.handle), [0]
        other = made("load_from_memory", c.MODEL, saved, len(saved))

        def heard(fraction, user):
            count[0] += 1
            return 0

        callback = c.PROGRESS(heard)
        expect(c.OK, "set_progress", other, callback, None)
        status = status_of(work, other, *arguments)
        c.library.freeridge_destroy(other)
        return count[0] if status == c.OK else -1


TestModel = test_case(ModelMachine, 100, 30)

if __name__ == "__main__":
    unittest.main()
