"""A model and what is known of it: the rules that set it and factorize it. Its answers are those of dense.py."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import freeridge.library as c
from calls import Borrowed, expect, kernel_handle, lambdas, made, matrices, pointer, positive, vector
from dense import Dense, KernelSpec, restriction

EMPTY, DATA, FACTORIZED, FITTED = range(4)
DUAL = (c.ROUTE_CHOLESKY, c.ROUTE_SPECTRAL, c.ROUTE_BAND)
TOLERANCE = 1e-8  # beside eps cond < 1e-9, as K < 500, lambda > 2^-6, 1/4 <= W_ii <= 3
LANDMARK_TOLERANCE = 1e-6  # T of K_RR = L L' has the errors of cond(L)

functions = st.one_of(
    st.just(KernelSpec("linear")), st.just(KernelSpec("polynomial")),
    st.builds(KernelSpec, st.sampled_from(["gaussian", "laplacian", "matern", "mixed"]), positive),
    st.builds(KernelSpec, st.sampled_from(["linear", "gaussian"]), positive, st.lists(positive, min_size=2, max_size=2)))
kernels = st.one_of(functions, functions, st.just(KernelSpec("precomputed")))


class ModelState(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.handle = None

    def teardown(self):
        c.library.freeridge_destroy(self.handle)

    @initialize(kernel=kernels)
    def create(self, kernel):
        self.kernel = kernel
        text = kernel_handle(kernel.text())
        self.handle = made("create", c.MODEL, text)
        c.library.freeridge_kernel_destroy(text)
        self.state, self.x, self.y, self.kept = EMPTY, None, None, None
        self.intercept, self.route, self.reduction, self.refinement = True, c.ROUTE_AUTO, c.REDUCTION_AUTO, 0
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
        if self.route_taken() == c.ROUTE_LANDMARK:
            rows = self.chosen
            middle = restriction(k[np.ix_(rows, rows)])
            self.restrict = lambda values: values[:, rows] @ middle @ k[rows]
            self.middle = middle
            k = self.restrict(k)
        return Dense(k, self.y, self.weights, self.intercept)

    def tolerance(self):
        return LANDMARK_TOLERANCE if self.route_taken() == c.ROUTE_LANDMARK else TOLERANCE

    def route_taken(self):
        """AUTO's choice where the header says what it is."""
        if self.route != c.ROUTE_AUTO:
            return self.route
        if self.landmark_count:
            return c.ROUTE_LANDMARK
        return c.ROUTE_PRIMAL if self.kernel.linear and self.x.shape[1] < self.n else c.ROUTE_AUTO

    def plan_status(self):
        if self.state == EMPTY or (self.route == c.ROUTE_LANDMARK and not self.landmark_count):
            return c.INVALID_STATE
        if self.route == c.ROUTE_PRIMAL and not self.kernel.linear:
            return c.INVALID_ARGUMENT
        if self.landmark_count and self.route not in (c.ROUTE_AUTO, c.ROUTE_LANDMARK):
            return c.INVALID_ARGUMENT
        return c.OK

    def refines(self):
        """Whether set_lambda refines as it is asked to, or answers INVALID_STATE."""
        route = self.actual_route()
        return self.refinement == 0 or (route == c.ROUTE_PRIMAL if self.kernel.linear else route in DUAL)

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

    @rule(route=st.sampled_from([c.ROUTE_AUTO, c.ROUTE_AUTO, c.ROUTE_CHOLESKY, c.ROUTE_SPECTRAL, c.ROUTE_BAND, c.ROUTE_PRIMAL, c.ROUTE_LANDMARK]))
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
        assert self.route_taken() in (c.ROUTE_AUTO, route) and route != c.ROUTE_AUTO
        expect(c.OK, "get_landmark_count", self.handle, count)
        rows = np.full(self.n, -1, np.int64)
        expect(c.OK if route == c.ROUTE_LANDMARK else c.INVALID_STATE, "get_landmarks", self.handle, pointer(rows), None, None)
        self.chosen = rows[:count.value].tolist()
        if route != c.ROUTE_LANDMARK:
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

    @invariant()
    def dimensions(self):
        if self.handle is None:
            return
        sizes = [c.INT64(-1), c.INT64(-1), c.INT64(-1)]
        expect(c.OK if self.state >= DATA else c.INVALID_STATE, "get_dimensions", self.handle, *sizes)
        if self.state >= DATA:
            assert tuple(size.value for size in sizes) == self.x.shape + (self.t,)
