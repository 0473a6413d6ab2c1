"""What cannot be right, and work that is cancelled: refused, and the model is as it was, to the byte of what it saves."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import rule

import freeridge.library as c
from calls import Output, bytes_of, expect, made, none, pointer, status_of, vector
from model_state import ModelState


class ModelMisuse(ModelState):
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
