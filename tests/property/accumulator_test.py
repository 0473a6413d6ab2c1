"""Any sequence of calls on two accumulators, against dense.py on all rows that each was given: adding in chunks with and
without weights, merging, saving and loading, misuse. Answers are always those of the rows so far."""

import unittest

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import freeridge.library as c
from calls import (Borrowed, Output, bytes_of, close, expect, lambdas, made, matrices, none, pointer, positive,
                   status_of, test_case, vector)
from dense import Dense

TOLERANCE = 1e-8


class Rows:
    """What one accumulator was given, row by row, beside its handle."""

    def __init__(self, d, t, intercept):
        self.d, self.t, self.intercept = d, t, intercept
        self.x, self.y, self.w = np.zeros((0, d)), np.zeros((0, t)), np.zeros(0)
        self.handle = made("accumulator_create", c.ACCUMULATOR, d, t, int(intercept))

    def take(self, x, y, w):
        self.x, self.y, self.w = np.vstack([self.x, x]), np.vstack([self.y, y]), np.concatenate([self.w, w])

    def dense(self):
        x = self.x.astype(np.longdouble)
        return Dense(x @ x.T, self.y, self.w, self.intercept)

    @property
    def scale(self):
        return float(1 + np.abs(self.y).max(initial=0))


which = st.integers(0, 1)


class AccumulatorMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.rows = []

    def teardown(self):
        for rows in self.rows:
            c.library.freeridge_accumulator_destroy(rows.handle)

    @initialize(d=st.integers(1, 3), t=st.integers(1, 2), intercept=st.booleans(), alike=st.booleans())
    def create(self, d, t, intercept, alike):
        self.rows = [Rows(d, t, intercept), Rows(d, t, intercept if alike else not intercept)]

    @rule(k=which, data=st.data(), n=st.integers(1, 4), weighted=st.booleans(), by_rows=st.booleans(),
          gap=st.integers(0, 2))
    def add(self, k, data, n, weighted, by_rows, gap):
        rows = self.rows[k]
        if len(rows.x) > 12:
            return
        x, y = data.draw(matrices(n, rows.d)), data.draw(matrices(n, rows.t))
        w = vector(data.draw(st.lists(positive, min_size=n, max_size=n))) if weighted else None
        bx, by = Borrowed(x, by_rows, gap), Borrowed(y, by_rows, gap)
        expect(c.OK, "accumulator_add", rows.handle, bx.layout, n, bx.pointer, bx.ld, by.pointer, by.ld, pointer(w))
        bx.buffer[:] = by.buffer[:] = np.nan  # nothing is borrowed
        rows.take(x, y, np.ones(n) if w is None else w)

    @rule(k=which, itself=st.booleans())
    def merge(self, k, itself):
        rows, other = self.rows[k], self.rows[k if itself else 1 - k]
        expected = c.INVALID_ARGUMENT if itself else c.OK if rows.intercept == other.intercept else c.DIMENSION_MISMATCH
        if expected == c.OK and len(rows.x) + len(other.x) > 16:
            return
        before = bytes_of("accumulator_save", other.handle)
        expect(expected, "accumulator_merge", rows.handle, other.handle)
        assert bytes_of("accumulator_save", other.handle) == before
        if expected == c.OK:
            rows.take(other.x, other.y, other.w)

    @rule(k=which)
    def save_and_load(self, k):
        rows = self.rows[k]
        saved = bytes_of("accumulator_save", rows.handle)
        other = made("accumulator_load", c.ACCUMULATOR, saved, len(saved))
        assert bytes_of("accumulator_save", other) == saved
        c.library.freeridge_accumulator_destroy(rows.handle)
        rows.handle = other

    @rule(k=which, values=st.lists(lambdas, min_size=1, max_size=2))
    def solve(self, k, values):
        rows = self.rows[k]
        w, b = Output(rows.d, rows.t * len(values)), np.full((rows.t, len(values)), 7.0, order="F")
        status = status_of("accumulator_solve", rows.handle, len(values), pointer(vector(values)), w.pointer, w.ld,
                           pointer(b))
        if len(rows.x) == 0:
            assert status == c.INVALID_STATE and w.untouched and np.all(b == 7)
            return
        assert status == c.OK
        dense = rows.dense()
        for l, value in enumerate(values):
            coefficients, intercept = dense.fit(value)
            plane = rows.x.T @ coefficients
            close(w.numbers[:, l * rows.t:(l + 1) * rows.t], plane, rows.scale * (1 + np.abs(plane).max()), TOLERANCE, "w")
            close(b[:, l], intercept, rows.scale * (1 + np.abs(plane).max()), TOLERANCE, "b")

    @rule(k=which, criterion=st.integers(0, 5), value=lambdas)
    def score(self, k, criterion, value):
        rows, out = self.rows[k], Output(1, self.rows[k].t)
        status = status_of("accumulator_score", rows.handle, criterion, 1, pointer(vector([value])), out.pointer, out.ld)
        if criterion not in (c.GCV, c.REML):
            assert status in (c.INVALID_ARGUMENT, c.INVALID_STATE) and out.untouched
            return
        if len(rows.x) == 0:
            assert status == c.INVALID_STATE and out.untouched
            return
        expected = rows.dense().score(criterion, value)
        assert status in (c.OK, c.UNDEFINED)
        if criterion == c.GCV or not np.any(np.isnan(expected) | (expected < -10)):
            close(out.numbers[0], expected, 1 + np.abs(np.nan_to_num(expected)).max() + rows.scale ** 2, 1e3 * TOLERANCE,
                  "score")

    @rule(k=which, value=lambdas)
    def loo(self, k, value):
        rows = self.rows[k]
        n = max(1, len(rows.x))
        x = Borrowed(rows.x if len(rows.x) else np.zeros((1, rows.d)), True, 0)
        y = Borrowed(rows.y if len(rows.x) else np.zeros((1, rows.t)), True, 0)
        out = Output(n, rows.t)
        status = status_of("accumulator_loo", rows.handle, x.layout, n, x.pointer, x.ld, y.pointer, y.ld,
                           pointer(vector(rows.w)) if len(rows.x) else None, 1, pointer(vector([value])), out.pointer,
                           out.ld)
        if len(rows.x) == 0:
            assert status == c.INVALID_STATE and out.untouched
            return
        expected = rows.dense().loo(value)
        assert status == (c.UNDEFINED if np.isnan(expected).any() else c.OK), status
        close(out.numbers, expected, rows.scale, 1e3 * TOLERANCE, "loo")

    @rule(k=which, data=st.data(), bad=none)
    def misuse(self, k, data, bad):
        """Refused; and the accumulator saves the same bytes as before."""
        rows, one = self.rows[k], vector([1.0] * 12)
        spoilt, negative = vector([1.0, bad] * 6), vector([1.0, -1.0] * 6)
        d, t, by_rows = rows.d, rows.t, c.ROW_MAJOR
        calls = [("accumulator_add", (by_rows, 2, pointer(spoilt), d, pointer(one), t, None)),
                 ("accumulator_add", (by_rows, 2, pointer(one), d, pointer(spoilt), t, None)),
                 ("accumulator_add", (by_rows, 2, pointer(one), d, pointer(one), t, pointer(spoilt))),
                 ("accumulator_add", (by_rows, 2, pointer(one), d, pointer(one), t, pointer(negative))),
                 ("accumulator_add", (by_rows, 2, pointer(one), d - 1, pointer(one), t, None)),
                 ("accumulator_add", (by_rows, 0, pointer(one), d, pointer(one), t, None)),
                 ("accumulator_add", (9, 2, pointer(one), d, pointer(one), t, None)),
                 ("accumulator_add", (by_rows, 2, None, d, pointer(one), t, None)),
                 ("accumulator_merge", (None,)),
                 ("accumulator_solve", (1, pointer(negative[1:]), pointer(one.copy()), d, pointer(one.copy()))),
                 ("accumulator_solve", (0, pointer(one), pointer(one.copy()), d, pointer(one.copy())))]
        name, arguments = data.draw(st.sampled_from(calls))
        before = bytes_of("accumulator_save", rows.handle)
        status = status_of(name, rows.handle, *arguments)
        assert status in (c.INVALID_ARGUMENT, c.NOT_FINITE, c.INVALID_STATE), (name, arguments, status)
        assert bytes_of("accumulator_save", rows.handle) == before

    @rule(k=which, data=st.data())
    def cancel(self, k, data):
        """An addition that is cancelled at its first beat has not been."""
        rows = self.rows[k]
        callback = c.PROGRESS(lambda fraction, user: 1)
        before = bytes_of("accumulator_save", rows.handle)
        expect(c.OK, "accumulator_set_progress", rows.handle, callback, None)
        x, y = data.draw(matrices(2, rows.d)), data.draw(matrices(2, rows.t))
        expect(c.CANCELLED, "accumulator_add", rows.handle, c.ROW_MAJOR, 2, pointer(vector(x)), rows.d,
               pointer(vector(y)), rows.t, None)
        expect(c.OK, "accumulator_set_progress", rows.handle, c.PROGRESS(), None)
        assert bytes_of("accumulator_save", rows.handle) == before

    @invariant()
    def dimensions(self):
        for rows in self.rows:
            sizes, weight = [c.INT64(), c.INT64(), c.INT64()], c.DOUBLE()
            expect(c.OK, "accumulator_get_dimensions", rows.handle, *sizes, weight)
            assert [size.value for size in sizes] == [len(rows.x), rows.d, rows.t]
            assert weight.value == rows.w.sum()  # multiples of 1/4


TestAccumulator = test_case(AccumulatorMachine, 100, 25)

if __name__ == "__main__":
    unittest.main()
