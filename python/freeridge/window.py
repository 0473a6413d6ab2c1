"""Ridge and kernel ridge regression on rows that come and go."""

from __future__ import annotations

import copy
import ctypes
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, Matrix, empty, numbers, pointer, points_of, same_names, struct_of, vector
from .calls import Progress, RowHandle
from .kernels import Kernel
from .model import _checked


_ROWS_AT_ONCE = 8
_WORK_AT_ONCE = 1e10  # of a factorization of all rows


class WindowRows(NamedTuple):
    """The rows that are there, the oldest first: x (n x d), y (n x t) and n weights."""

    x: Array
    y: Array
    weights: Array


class WindowCoefficients(NamedTuple):
    """c: w of a linear kernel (d x t), the coefficients of the landmarks (r x t) or of the rows (n x t); b: t numbers."""

    c: Array
    b: Array


class Window(RowHandle):
    """Ridge regression at one lambda > 0 on rows that come and go: a row costs some products with a vector, and no
    factorization, and all exact left-out errors after it are as cheap. Its answers are those of a Model with the kernel,
    that lambda and the rows that are there. kernel: any but a precomputed one. landmarks: their coordinates, r x d: f is
    in their features, whatever rows come. capacity: as soon as there are more rows the oldest goes; 0: rows are not kept
    and cannot go (a linear kernel, or landmarks). forgetting: f <= 1, a row has the weight w f^age (with capacity 0).
    Threads, Ctrl-C and errors are as a Model's; pickle and copy take its rows, and factorize them. Raises InputError.
    Cost: O(d^2), landmarks O(r^3)."""

    _kind = "window_"
    _destroy = "freeridge_window_destroy"

    def __init__(self, kernel: Kernel, d: int, t: int = 1, lambda_: float = 1.0, capacity: int = 1000,
                 intercept: bool = True, landmarks: Optional[ArrayLike] = None, forgetting: float = 1.0,
                 progress: Optional[Progress] = None) -> None:
        z = None if landmarks is None else points_of(landmarks, "landmarks")
        self._hold(c.WINDOW())
        self._made_with = kernel, d, t, capacity, bool(intercept), copy.deepcopy(landmarks), forgetting
        self._names = z.names if isinstance(z, Matrix) else None
        self._own("window_create", _checked(kernel).handle, None if z is None else struct_of(z), d, t, int(intercept),
                  lambda_, capacity, forgetting)
        self.d, self.t, self.capacity = d, t, capacity
        features = d if z is None else z.rows
        kernel_work, linear_work = float(capacity) ** 3, (capacity + features) * float(features) ** 2
        self._quick = min(linear_work, kernel_work) <= _WORK_AT_ONCE and (self.d + self.t) * _ROWS_AT_ONCE <= 1 << 20
        self._heard = True  # whether the library has the callback
        if self._quick:
            self._x, self._y = empty(_ROWS_AT_ONCE, d, c.ROW_MAJOR), empty(_ROWS_AT_ONCE, t, c.ROW_MAJOR)
            self._points = struct_of(Matrix(self._x, c.ROW_MAJOR))
            self._addresses = ctypes.addressof(self._points), self._y.ctypes.data
        self.set_progress(progress)

    def _change(self, name: str, *arguments: Any) -> Window:
        self._hear()
        return super()._change(name, *arguments)

    def _ask(self, name: str, *arguments: Any) -> None:
        self._hear()
        super()._ask(name, *arguments)

    def _hear(self) -> None:
        with self._calls._turn:
            if not self._heard:
                c.call("window_set_progress", self.handle, self._calls.callback, None)
                self._heard = True

    def _at_once(self, name: str, arguments: Tuple[Any, ...], x: Any = None, y: Any = None) -> bool:
        """A call of so little work that Ctrl-C and progress need not be thought of, in some microseconds: few rows x and
        y as numpy's arrays. False where it is to go its long way, also to say what is wrong."""
        calls = self._calls
        if not self._quick or calls.function is not None:
            return False
        count = 0
        if x is not None:
            if type(x) is not np.ndarray or x.ndim != 2 or x.dtype.kind not in "fiu" or x.shape[1] != self.d:
                return False
            count = len(x)
            if not 0 < count <= _ROWS_AT_ONCE:
                return False
        if y is not None and (type(y) is not np.ndarray or y.dtype.kind not in "fiu" or
                              y.shape != (count, self.t) and (self.t > 1 or y.shape != (count,))):
            return False
        with calls._turn:  # other threads' calls wait for it to begin
            if calls._running:
                return False
            if self._heard:
                c.window_at_once["set_progress"](self.handle, None, None)
                self._heard = False
            if x is not None:
                self._x[:count] = x
                self._points.n = count
            if y is not None:
                self._y[:count] = y.reshape(count, self.t)
            return bool(c.window_at_once[name](self.handle, *arguments) == c.OK)

    def __repr__(self) -> str:
        return f"<Window of {self.n} rows, {self.d} features, {self.t} output{'s' * (self.t > 1)}>"

    def add(self, x: ArrayLike, y: ArrayLike, weights: Optional[ArrayLike] = None) -> Window:
        """n rows come: x (n x d, an array or a scipy.sparse matrix), y (n, or n x t), weights: n positive numbers.
        Raises ValueError, InputError. Cost: O(p^2) a row for p features, O(n^2) for a kernel; many at once are
        factorized with all others at the next answer."""
        if weights is None and self._add_at_once(x, y, None, 0):
            return self
        return self._change("add", *self._rows(x, y, weights)[1], None, 0)._named_by(x)

    def _add_at_once(self, x: Any, y: Any, errors: Any, ld: int) -> bool:
        if not self._quick:
            return False
        points, at_y = self._addresses
        return self._at_once("add", (points, c.ROW_MAJOR, at_y, self.t, None, errors, ld), x, y)

    def add_with_errors(self, x: ArrayLike, y: ArrayLike, weights: Optional[ArrayLike] = None) -> Array:
        """add(), one row after another, and for each y less its prediction before it came, n x t: its exact left-out
        error; NaN where there were no rows, and an intercept. Raises as add(). Cost: as of add()."""
        if weights is None and type(x) is np.ndarray and x.ndim == 2:
            out = empty(len(x), self.t)
            if self._add_at_once(x, y, out.ctypes.data, len(x)):
                return out
        count, rows = self._rows(x, y, weights)
        out = empty(count, self.t)
        self._change("add", *rows, pointer(out), count)._named_by(x)
        return out

    def remove(self, rows: Optional[ArrayLike] = None, count: int = 1) -> Window:
        """The rows of these positions go, 0 is the oldest; without any the `count` oldest. Raises InputError, and Error
        (INVALID_STATE) where rows are not kept. Cost: as of add()."""
        positions = None if rows is None else vector(np.atleast_1d(rows), np.int64, name="rows")
        return self._change("remove", count if positions is None else len(positions), pointer(positions))

    def set_lambda(self, lambda_: float) -> Window:
        """Another lambda > 0; the next answer factorizes all rows. Raises InputError. Cost: O(1)."""
        return self._change("set_lambda", lambda_)

    def select_lambda(self, criterion: int = c.LOO, low: float = 0.0, high: float = 0.0) -> Tuple[float, float]:
        """Sets the lambda in [low, high] (0, 0: the library's range) with the least criterion of the rows that are
        there, LOO, GCV or REML, the mean over the outputs, and returns it and that criterion. Raises InputError, and
        Error (INVALID_STATE) where rows are not kept. Cost: of a Model of these rows and its search."""
        lambda_, score = c.DOUBLE(), c.DOUBLE()
        self._change("select_lambda", criterion, low, high, lambda_, score)
        return lambda_.value, score.value

    def _state(self, *wanted: str) -> List[Any]:
        kinds: Dict[str, Any] = {"n": c.INT64, "d": c.INT64, "t": c.INT64, "rows": c.INT64, "lambda": c.DOUBLE,
                                 "lost": c.DOUBLE, "factorizations": c.INT64}
        found = {name: kinds[name]() for name in wanted}
        if not self._at_once("get_state", tuple(ctypes.addressof(found[k]) if k in found else None for k in kinds)):
            self._ask("get_state", *map(found.get, kinds))
        return [found[name].value for name in wanted]

    @property
    def n(self) -> int:
        """The rows that are there; with capacity 0 those that came. Cost: O(1)."""
        return self._state("n")[0]

    @property
    def lambda_(self) -> float:
        """lambda at present. Cost: O(1)."""
        return self._state("lambda")[0]

    def digits(self) -> Tuple[float, int]:
        """About what part of the answers rounding has taken, and how many factorizations of all rows there were: by rows
        that went since the last one at most 1e-10, and of a kernel eps tr(K + lambda W^-1) max(W) / lambda: above 1e-6
        take a larger lambda, or landmarks. Cost: O(1)."""
        lost, count = self._state("lost", "factorizations")
        return lost, count

    def loo(self) -> Array:
        """For each row that is there, the oldest first, y less the prediction of a fit without it: n x t. Raises Error
        (INVALID_STATE) without rows, (UNDEFINED) for one row and an intercept. Cost: the first time O(n p^2), then O(n
        p); kernels: O(n^3), then O(n^2)."""
        n = max(1, self.n)
        out = empty(n, self.t)
        if self._at_once("loo", (out.ctypes.data, n)):
            return out
        return self._answer(out, "loo", pointer(out), n)

    def coefficients(self) -> WindowCoefficients:
        """The solution. Raises Error (INVALID_STATE) without rows. Cost: O(p^2 t), kernels O(n^2 t), after rows came or
        went."""
        rows = max(1, self._state("rows")[0])
        out = WindowCoefficients(empty(rows, self.t), numbers(self.t))
        if not self._at_once("coefficients", (out.c.ctypes.data, rows, out.b.ctypes.data)):
            self._ask("coefficients", pointer(out.c), rows, pointer(out.b))
        return out

    def predict(self, x: ArrayLike) -> Array:
        """Predictions at m points (an array or a scipy.sparse matrix), m x t. Raises Error (INVALID_STATE) without
        rows, InputError. Cost: coefficients(), and O(m d t), or m n kernel values (m r with landmarks)."""
        if self._quick and type(x) is np.ndarray and x.ndim == 2:
            quick = empty(len(x), self.t, c.ROW_MAJOR)
            if self._at_once("predict", (self._addresses[0], c.ROW_MAJOR, quick.ctypes.data, self.t), x):
                return quick
        points = points_of(x)
        if isinstance(points, Matrix):
            same_names(points.names, self._names, "x")
        out = empty(points.rows, self.t, points.layout)
        self._ask("predict", struct_of(points), points.layout, pointer(out),
                  points.rows if points.layout == c.COL_MAJOR else self.t)
        return out

    def rows(self) -> WindowRows:
        """The rows that are there, as they came: a Model of them has all other answers. Raises Error (INVALID_STATE)
        without rows, or where they are not kept. Cost: O(n (d + t))."""
        n = max(1, self.n)
        out = WindowRows(empty(n, self.d), empty(n, self.t), numbers(n))
        self._ask("get_rows", c.COL_MAJOR, pointer(out.x), n, pointer(out.y), n, pointer(out.weights))
        return out

    def __reduce__(self) -> Tuple[Any, ...]:
        kernel, d, t, capacity, intercept, landmarks, forgetting = self._made_with
        if capacity == 0:
            raise TypeError("a window that keeps no rows (capacity 0) has nothing to be copied or pickled by")
        arguments = kernel, d, t, self.lambda_, capacity, intercept, landmarks, forgetting
        return _again, (arguments, tuple(self.rows()) if self.n > 0 else None, self._names)


def _again(arguments: Tuple[Any, ...], rows: Optional[Tuple[Array, Array, Array]], names: Any) -> Window:
    """A window made of another one's arguments and rows."""
    window = Window(*arguments)
    window._names = names
    return window if rows is None else window.add(*rows)
