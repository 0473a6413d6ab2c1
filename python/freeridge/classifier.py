"""Two classes by logistic or hinge loss."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, Integers, Matrix, numbers, pointer, points_of, same_names, struct_of, vector
from .calls import Handle, Path, Progress, path_bytes
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
    stationarity: float


class Support(NamedTuple):
    """The rows of the support vectors, from 0, and half the width of the street, 1 / ||f||."""

    rows: Integers
    margin: float


class Duality(NamedTuple):
    """The objective, its lower bound by the dual problem, and their difference."""

    primal: float
    dual: float
    gap: float


class Control(NamedTuple):
    """When a fit ends: see Classifier.control()."""

    tolerance: float
    iterations: int


class Classifier(Handle):
    """Two classes: minimises  sum_i w_i L(y_i (f(x_i) + b)) + lambda/2 ||f||^2  over f and b.

    loss: LOSS_LOGISTIC, L(z) = log(1 + exp(-z)), or LOSS_HINGE, max(0, 1 - z): the support vector machine with
    C = 1 / lambda. x: n x d, an array or a scipy.sparse matrix; y: n labels -1 and +1, both present; weights: n
    positive numbers, None: all one; intercept: b, which is not penalised, or INTERCEPT_PENALISED: with lambda/2 b^2.
    The data are copied, those of a sparse matrix with their zeros.

    Threads, Ctrl-C and errors are as a Model's. pickle and copy take all of it but the kernel matrix, which is made
    again when it is needed, and the progress function."""

    _kind = "classifier_"
    _destroy = "freeridge_classifier_destroy"

    def __init__(self, kernel: Kernel, loss: int, x: ArrayLike, y: ArrayLike, weights: Optional[ArrayLike] = None,
                 intercept: Union[bool, int] = True, progress: Optional[Progress] = None) -> None:
        self._hold(c.CLASSIFIER())
        self._own("classifier_create", _checked(kernel).handle, loss)
        self.set_progress(progress)
        points = points_of(x)
        y = vector(y, length=points.rows, name="y")
        weights = None if weights is None else vector(weights, length=points.rows, name="weights")
        self._change("set_data", struct_of(points), pointer(y))
        if weights is not None:
            self._change("set_weights", pointer(weights))
        self._set(c.INTERCEPT, int(intercept))
        self.n, self.d, self._names = points.rows, points.columns, points.names if isinstance(points, Matrix) else None

    def __repr__(self) -> str:
        return f"<Classifier of {self.n} x {self.d}>"

    def control(self, tolerance: float = 1e-8, iterations: Optional[int] = None) -> Classifier:
        """Sets when a fit ends. tolerance > 0: how far from stationary it may be; iterations: the most Newton steps
        (None: 100), or pair updates in multiples of n (None: 10000). Unsets the fit. Cost: O(1)."""
        return self._set(c.TOLERANCE, tolerance)._set(c.ITERATIONS, 0 if iterations is None else iterations)

    def memory_required(self) -> int:
        """Bytes that fit() will allocate at most beside the data. Cost: O(1)."""
        return self._number("memory_required")

    def fit(self, value: float) -> Classifier:
        """Fits at lambda > 0, or, HINGE alone, at lambda = 0: the hard margin; where the classes overlap Error
        (UNDEFINED). The next fit, at another lambda, starts from this solution. Raises InputError, Error
        (NOT_CONVERGED). Cost: n^2 kernel values once; LOGISTIC n^3/3 a Newton step, usually 5 to 10 of them; HINGE
        O(n) a pair update."""
        return self._change("fit", value)

    def _points(self, x: ArrayLike) -> Tuple[Array, Any]:
        """An array for the answers at m points, and the points as a call takes them."""
        points = points_of(x)
        if points.columns != self.d:
            raise ValueError(f"x has {points.columns} columns, the classifier's data have {self.d}")
        if isinstance(points, Matrix):
            same_names(points.names, self._names, "x")
        return numbers(points.rows), struct_of(points)

    def decision(self, x: ArrayLike) -> Array:
        """f(x) + b at m points, positive for the class +1. Before fit(): Error (INVALID_STATE), as all answers. Cost:
        O(m n d), linear kernels O(m d)."""
        out, points = self._points(x)
        return self._answer(out, "predict", points, pointer(out), None)

    def probability(self, x: ArrayLike) -> Array:
        """The probability of the class +1 at m points, 1 / (1 + exp(-decision)). LOGISTIC, else InputError. Cost: as
        decision()."""
        out, points = self._points(x)
        return self._answer(out, "predict", points, None, pointer(out))

    def loo(self) -> Array:
        """Left-out decision values, n numbers: LOGISTIC after one Newton step from the full solution, HINGE of the solution
        without the row. Raises Error (INVALID_STATE at lambda = 0; UNDEFINED for the only row of a class). Cost: 2/3
        n^3; HINGE for each support vector a part of a fit."""
        out = numbers(self.n)
        return self._answer(out, "loo", pointer(out))

    def coefficients(self) -> Coefficients:
        """c and b. Cost: O(n)."""
        out, b = numbers(self.n), c.DOUBLE()
        self._ask("get_coefficients", pointer(out), b)
        return Coefficients(out, b.value)

    def convergence(self) -> Convergence:
        """How the last fit went. Cost: O(1)."""
        objective, iterations, stationarity = c.DOUBLE(), c.INT64(), c.DOUBLE()
        self._ask("get_convergence", objective, iterations, stationarity, None, None)
        return Convergence(objective.value, iterations.value, stationarity.value)

    def support(self) -> Support:
        """The support vectors and the margin. HINGE only, else Error (INVALID_STATE). Cost: O(n)."""
        count, rows, margin = c.INT64(), np.empty(self.n, dtype=np.int64), c.DOUBLE()
        self._ask("get_support", count, pointer(rows), margin)
        return Support(rows[: count.value], margin.value)

    # Geometry

    def distances(self, x: ArrayLike) -> Array:
        """(f(x) + b) / ||f|| at m points: the distance from the hyperplane, positive for the class +1. Error
        (UNDEFINED) where f = 0. Cost: as decision()."""
        out, points = self._points(x)
        return self._answer(out, "distances", points, pointer(out))

    def margins(self) -> Array:
        """y_i (f(x_i) + b), n numbers, positive where the class is right. Cost: O(n)."""
        out = numbers(self.n)
        return self._answer(out, "get_margins", pointer(out), None, None, None)

    def slacks(self) -> Array:
        """max(0, 1 - margin), n numbers. HINGE only, else Error (INVALID_STATE). Cost: O(n)."""
        out = numbers(self.n)
        return self._answer(out, "get_margins", None, pointer(out), None, None)

    def alpha(self) -> Array:
        """The dual numbers c_i y_i, from 0 to w_i / lambda. Cost: O(n)."""
        out = numbers(self.n)
        return self._answer(out, "get_margins", None, None, pointer(out), None)

    def support_kinds(self) -> npt.NDArray[np.int32]:
        """SUPPORT_NONE, _FREE or _BOUNDED for each point. HINGE only, else Error (INVALID_STATE). Cost: O(n)."""
        out = np.zeros(self.n, np.int32)
        return self._answer(out, "get_margins", None, None, None, pointer(out))

    def duality(self) -> Duality:
        """How near the optimum is: the minimum lies between dual and primal. Cost: O(n)."""
        dual, gap = c.DOUBLE(), c.DOUBLE()
        self._ask("get_convergence", None, None, None, dual, gap)
        return Duality(dual.value + gap.value, dual.value, gap.value)

    # What it was told

    def kernel(self) -> Kernel:
        """Equal to the one in use. Cost: O(1)."""
        handle = c.KERNEL()
        self._ask("get_kernel", ctypes.byref(handle))
        return Kernel.adopt(handle)

    def loss(self) -> int:
        """LOSS_LOGISTIC or LOSS_HINGE. Cost: O(1)."""
        return int(self._parameter(c.LOSS))

    def has_intercept(self) -> bool:
        """Whether there is b. Cost: O(1)."""
        return self._parameter(c.INTERCEPT) != c.INTERCEPT_NONE

    def penalises_intercept(self) -> bool:
        """Whether there is b, with lambda/2 b^2. Cost: O(1)."""
        return self._parameter(c.INTERCEPT) == c.INTERCEPT_PENALISED

    def get_control(self) -> Control:
        """As control() was told, or the loss's own. Cost: O(1)."""
        return Control(self._parameter(c.TOLERANCE), int(self._parameter(c.ITERATIONS)))

    def weights(self) -> Array:
        """n positive numbers, ones unless given. Cost: O(n)."""
        out = numbers(self.n)
        return self._answer(out, "get_weights", pointer(out))

    def lambda_(self) -> float:
        """The lambda of the last fit; before one: Error (INVALID_STATE). Cost: O(1)."""
        return self._number("get_lambda", c.DOUBLE)

    # Files, bytes, pickle

    def to_bytes(self) -> bytes:
        """All of it but the kernel matrix; the same bytes as those of a file. Cost: O(n d)."""
        return self._bytes("save_to_memory")

    def save(self, path: Path) -> None:
        """To a file: never half of it. Raises Error (IO). Cost: O(n d)."""
        self._ask("save", path_bytes(path))

    @classmethod
    def from_bytes(cls, saved: bytes) -> Classifier:
        """The classifier that to_bytes() saved; nothing is fitted again. Raises Error (CORRUPT, NEWER_FORMAT). Cost:
        O(n d)."""
        saved = memoryview(saved).tobytes()
        return cls._loaded("classifier_load_from_memory", saved, len(saved))

    @classmethod
    def load(cls, path: Path) -> Classifier:
        """The classifier that save() wrote. Raises Error (IO, CORRUPT, NEWER_FORMAT). Cost: O(n d)."""
        return cls._loaded("classifier_load", path_bytes(path))

    @classmethod
    def _loaded(cls, name: str, *arguments: Any) -> Classifier:
        classifier = cls.__new__(cls)
        classifier._hold(c.CLASSIFIER())
        classifier._own(name, *arguments)
        n, d = c.INT64(), c.INT64()
        classifier._ask("get_dimensions", n, d)
        classifier.n, classifier.d = n.value, d.value
        return classifier

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),), {"_names": self._names}
