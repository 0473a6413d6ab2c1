"""Two classes by logistic or hinge loss."""

import ctypes

import numpy as np

from . import library as c
from .arrays import Matrix, pointer, vector
from .library import call, library


class Classifier:
    """Labels y are -1 and +1; loss: LOGISTIC or HINGE."""

    def __init__(self, kernel, loss, x, y, weights=None, intercept=True):
        self.handle = c.CLASSIFIER()
        call("classifier_create", kernel.handle, loss, ctypes.byref(self.handle))
        x = Matrix(x)
        self.n, self.d = x.rows, x.columns
        call("classifier_set_data", self.handle, x.layout, self.n, self.d, x.pointer, x.ld,
             pointer(vector(y, length=self.n, name="y")))
        if weights is not None:
            call("classifier_set_weights", self.handle, pointer(vector(weights, length=self.n, name="weights")))
        call("classifier_set_intercept", self.handle, int(intercept))

    def __del__(self):
        library.freeridge_classifier_destroy(self.handle)

    def control(self, tolerance, iterations):
        call("classifier_set_control", self.handle, tolerance, iterations)
        return self

    def fit(self, value):
        call("classifier_fit", self.handle, value)
        return self

    def _predict(self, x, want_probability):
        x = Matrix(x)
        if x.columns != self.d:
            raise ValueError(f"x has {x.columns} columns, the classifier's data have {self.d}")
        out = np.empty(x.rows)
        decision, probability = (None, pointer(out)) if want_probability else (pointer(out), None)
        call("classifier_predict", self.handle, x.layout, x.rows, x.pointer, x.ld, decision, probability)
        return out

    def decision(self, x):
        """f(x) + b, positive for the class +1."""
        return self._predict(x, False)

    def probability(self, x):
        """Of the class +1; LOGISTIC only."""
        return self._predict(x, True)

    def loo(self):
        out = np.empty(self.n)
        call("classifier_loo", self.handle, pointer(out))
        return out

    def coefficients(self):
        out, b = np.empty(self.n), c.DOUBLE()
        call("classifier_get_coefficients", self.handle, pointer(out), b)
        return out, b.value

    def convergence(self):
        """The objective, the iterations, and how far from stationary."""
        objective, iterations, gap = c.DOUBLE(), c.INT64(), c.DOUBLE()
        call("classifier_get_convergence", self.handle, objective, iterations, gap)
        return objective.value, iterations.value, gap.value

    def support(self):
        """HINGE: the rows of the support vectors, and the margin."""
        count, rows, margin = c.INT64(), np.empty(self.n, dtype=np.int64), c.DOUBLE()
        call("classifier_get_support", self.handle, count, pointer(rows), margin)
        return rows[: count.value], margin.value
