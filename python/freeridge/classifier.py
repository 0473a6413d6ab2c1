"""Two classes by logistic or hinge loss."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, Integers, Matrix, numbers, pointer, vector
from .calls import Handle, Progress
from .kernels import Kernel
from .model import _checked


class Coefficients(NamedTuple):
    """c of f(x) = sum_i c_i k(x_i, x), n numbers, and b."""

    c: Array
    b: float


class Convergence(NamedTuple):
    """The objective, how many Newton steps or pair updates the last fit took, and how far from stationary it is."""

    objective: float
    iterations: int
    gap: float


class Support(NamedTuple):
    """The rows of the support vectors, from 0, and half the width of the street, 1 / ||f||."""

    rows: Integers
    margin: float


class Classifier(Handle):
    """Two classes: minimises  sum_i w_i L(y_i (f(x_i) + b)) + lambda/2 ||f||^2  over f and b.

    loss: LOGISTIC, L(z) = log(1 + exp(-z)), or HINGE, max(0, 1 - z): the support vector machine with C = 1 / lambda.
    x: n x d; y: n labels -1 and +1, both present; weights: n positive numbers, None: all one; intercept: b, which is
    not penalised. The data are copied.

    Threads, Ctrl-C and errors are as a Model's. pickle and copy take data, settings and lambda; the library has no
    saved form of a classifier, so that the copy is fitted once more when it is first asked: same answers to the
    tolerance."""

    _kind = "classifier_"
    _destroy = "freeridge_classifier_destroy"

    def __init__(self, kernel: Kernel, loss: int, x: ArrayLike, y: ArrayLike, weights: Optional[ArrayLike] = None,
                 intercept: bool = True, progress: Optional[Progress] = None) -> None:
        self.handle = c.CLASSIFIER()
        self._own("classifier_create", _checked(kernel).handle, loss)
        self.set_progress(progress)
        points = Matrix(x, name="x")
        y = vector(y, length=points.rows, name="y")
        weights = None if weights is None else vector(weights, length=points.rows, name="weights")
        self._change("set_data", points.layout, points.rows, points.columns, points.pointer, points.ld, pointer(y))
        if weights is not None:
            self._change("set_weights", pointer(weights))
        self._change("set_intercept", int(intercept))
        self.n, self.d = points.rows, points.columns
        # For pickle: beside the n x n kernel matrix little.
        self._made = dict(kernel=kernel, loss=loss, x=np.array(points.array), y=np.array(y), intercept=intercept,
                          weights=None if weights is None else np.array(weights))
        self._control: Optional[Dict[str, Any]] = None
        self._lambda: Optional[float] = None  # of the last fit
        self._to_fit = False  # what was loaded, until it is asked

    def __repr__(self) -> str:
        return f"<Classifier of {self.n} x {self.d}>"

    def control(self, tolerance: float = 1e-8, iterations: Optional[int] = None) -> Classifier:
        """When a fit ends. tolerance > 0: how far from stationary it may be; iterations: the most Newton steps (None:
        100), or pair updates in multiples of n (None: 10000). Unsets the fit. Cost: O(1)."""
        if iterations is None:
            iterations = 100 if self._made["loss"] == c.LOGISTIC else 10000
        self._change("set_control", tolerance, iterations)
        self._control, self._lambda, self._to_fit = dict(tolerance=tolerance, iterations=iterations), None, False
        return self

    def memory_required(self) -> int:
        """Bytes that fit() will allocate at most beside the data. Cost: O(1)."""
        return self._number("memory_required")

    def fit(self, value: float) -> Classifier:
        """Fits at lambda > 0. The next fit, at another lambda, starts from this solution. Raises InputError, Error
        (NOT_CONVERGED). Cost: n^2 kernel values once; LOGISTIC n^3/3 a Newton step, usually 5 to 10 of them; HINGE
        O(n) a pair update."""
        self._change("fit", value)
        self._lambda, self._to_fit = value, False
        return self

    def _refit(self) -> None:
        if self._to_fit and self._lambda is not None:
            self.fit(self._lambda)

    def _predict(self, x: ArrayLike, want_probability: bool) -> Array:
        self._refit()
        points = Matrix(x, name="x")
        if points.columns != self.d:
            raise ValueError(f"x has {points.columns} columns, the classifier's data have {self.d}")
        out = numbers(points.rows)
        decision, probability = (None, pointer(out)) if want_probability else (pointer(out), None)
        return self._answer(out, "predict", points.layout, points.rows, points.pointer, points.ld, decision,
                            probability)

    def decision(self, x: ArrayLike) -> Array:
        """f(x) + b at m points, positive for the class +1. Before fit(): Error (INVALID_STATE), as all answers. Cost:
        O(m n d), linear kernels O(m d)."""
        return self._predict(x, False)

    def probability(self, x: ArrayLike) -> Array:
        """The probability of the class +1 at m points, 1 / (1 + exp(-decision)). LOGISTIC, else InputError. Cost: as
        decision()."""
        return self._predict(x, True)

    def loo(self) -> Array:
        """Left-out decision values, n numbers, after one Newton step from the full solution. LOGISTIC only, else Error
        (INVALID_STATE). Cost: 2/3 n^3."""
        self._refit()
        out = numbers(self.n)
        return self._answer(out, "loo", pointer(out))

    def coefficients(self) -> Coefficients:
        """c and b. Cost: O(n)."""
        self._refit()
        out, b = numbers(self.n), c.DOUBLE()
        self._ask("get_coefficients", pointer(out), b)
        return Coefficients(out, b.value)

    def convergence(self) -> Convergence:
        """How the last fit went. Cost: O(1)."""
        self._refit()
        objective, iterations, gap = c.DOUBLE(), c.INT64(), c.DOUBLE()
        self._ask("get_convergence", objective, iterations, gap)
        return Convergence(objective.value, iterations.value, gap.value)

    def support(self) -> Support:
        """The support vectors and the margin. HINGE only, else Error (INVALID_STATE). Cost: O(n)."""
        self._refit()
        count, rows, margin = c.INT64(), np.empty(self.n, dtype=np.int64), c.DOUBLE()
        self._ask("get_support", count, pointer(rows), margin)
        return Support(rows[: count.value], margin.value)

    def __getstate__(self) -> Dict[str, Any]:
        self._calls.refuse_own()
        return dict(made=self._made, control=self._control, value=self._lambda)

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__init__(**state["made"])  # type: ignore[misc]
        if state["control"] is not None:
            self.control(**state["control"])
        self._lambda, self._to_fit = state["value"], state["value"] is not None
