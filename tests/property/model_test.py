"""Any sequence of calls on a model, against dense.py: each answer is that of the data, weights, kernel, landmarks,
intercept and lambda set last, or INVALID_STATE; a call that fails leaves the model as it was, to the byte of what it
saves. Here: searches, saved models, and all of it together."""

import os
import tempfile
import unittest

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

import freeridge.library as c
from calls import Borrowed, Output, bytes_of, close, expect, made, matrices, pointer, status_of, test_case
from model_answers import ModelAnswers
from model_misuse import ModelMisuse
from model_state import EMPTY, FACTORIZED, FITTED


class ModelMachine(ModelAnswers, ModelMisuse):
    def __init__(self):
        super().__init__()
        self.predictors = []
        self.folder = tempfile.TemporaryDirectory()

    def teardown(self):
        super().teardown()
        for handle, *_ in self.predictors:
            c.library.freeridge_destroy(handle)
        self.folder.cleanup()

    # Searches

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


TestModel = test_case(ModelMachine, 100, 30)

if __name__ == "__main__":
    unittest.main()
