"""Ridge regression on rows that come in chunks."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, Matrix, answers, empty, numbers, pointer, same_names, vector
from .calls import Path, Progress, RowHandle, path_bytes
from .inputs import one_each
from .kernels import Kernel
from .model import Model, _checked
from .selection import Objective


class Solutions(NamedTuple):
    """w: d x (count t), output j of lambda l in column l t + j; b: t x count."""

    w: Array
    b: Array


class LambdaChoice(NamedTuple):
    """t numbers each: the best lambda and its score; edge: -1 / 1 when it is the low / high end of the range, else 0;
    over how many powers of ten the criterion stays near its best; how many minima it has; and below: 1 where errors
    left out at this lambda may have fewer than six digits, also as landmarks were left out, else 0."""

    lambdas: Array
    score: Array
    edge: npt.NDArray[np.int32]
    decades: Array
    dips: npt.NDArray[np.int32]
    below: npt.NDArray[np.int32]


class Accumulator(RowHandle):
    """Ridge regression on rows that come in chunks, from disk or many machines, and are forgotten: O((d + t)^2)
    memory, as accurate as all rows at once. d features, t outputs; intercept: b, which is not penalised. Its answers
    are those of a Model with the linear kernel and all rows. Threads, Ctrl-C and errors are as a Model's; pickle and
    copy take all of it."""

    _kind = "accumulator_"
    _destroy = "freeridge_accumulator_destroy"

    def __init__(self, d: int, t: int = 1, intercept: bool = True, progress: Optional[Progress] = None) -> None:
        self._hold(c.ACCUMULATOR())
        self._own("accumulator_create", d, t, int(intercept))
        self.d, self.t = d, t
        self.set_progress(progress)

    @classmethod
    def over_landmarks(cls, kernel: Kernel, z: ArrayLike, t: int = 1, intercept: bool = True,
                       reduction: int = c.REDUCTION_AUTO, progress: Optional[Progress] = None) -> Accumulator:
        """Over the features of landmarks with the coordinates z, r x d, for any kernel but a linear and a precomputed
        one: its answers, all but solve(), are those of a Model whose route is LANDMARK. Raises InputError. Cost:
        O(r^3)."""
        points, rows = Matrix(z, name="z"), cls.__new__(cls)
        rows._names = points.names
        rows._hold(c.ACCUMULATOR())
        rows.d, rows.t = points.columns, t
        rows._own("accumulator_create_landmarks", _checked(kernel).handle, points.layout, points.rows, points.columns,
                  points.pointer, points.ld, t, int(intercept), reduction)
        rows.set_progress(progress)
        return rows

    def __repr__(self) -> str:
        return f"<Accumulator of {self.n} rows, {self.d} features, {self.t} output{'s' * (self.t > 1)}>"

    def add(self, x: ArrayLike, y: ArrayLike, weights: Optional[ArrayLike] = None) -> Accumulator:
        """Adds n rows: x (n x d, an array or a scipy.sparse matrix), y (n, or n x t), weights: n positive numbers.
        Raises ValueError, InputError. Cost: 2 n (d + t)^2."""
        return self._change("add", *self._rows(x, y, weights)[1])._named_by(x)

    def merge(self, other: Accumulator) -> Accumulator:
        """Adds all rows of another accumulator, which must have the same d, t and intercept, else InputError. The
        other one stays as it is, and no other thread may change it meanwhile. Cost: O((d + t)^3)."""
        if not isinstance(other, Accumulator):
            raise TypeError(f"only an Accumulator can be merged, not {other!r}")
        other._calls.refuse_own()
        names = same_names(other._names, self._names, "the other's x")
        self._change("merge", other.handle)
        self._names = names
        return self

    def _sizes(self) -> Tuple[int, float]:
        n, sum_w = c.INT64(), c.DOUBLE()
        self._ask("get_dimensions", n, None, None, sum_w)
        return n.value, sum_w.value

    def has_intercept(self) -> bool:
        """Whether there is b. Cost: O(1)."""
        return self._parameter(c.INTERCEPT) != c.INTERCEPT_NONE

    @property
    def n(self) -> int:
        """The rows so far. Cost: O(1)."""
        return self._sizes()[0]

    @property
    def sum_w(self) -> float:
        """The sum of the weights of the rows so far. Cost: O(1)."""
        return self._sizes()[1]

    def memory_required(self) -> int:
        """Bytes that it will allocate at most, however many rows are added. Cost: O(1)."""
        return self._number("memory_required")

    def solve(self, lambdas: ArrayLike) -> Solutions:
        """The solutions at some lambdas >= 0 (0: minimum norm): w, d x (count t), and b, t x count. Raises Error
        (INVALID_STATE) before the first row. Cost: O((d + t)^3) once after rows were added, O(d^2 t) a lambda."""
        lambdas = vector(lambdas, name="lambdas")
        out = Solutions(empty(self.d, len(lambdas) * self.t), empty(self.t, len(lambdas)))
        return self._answer(out, "solve", len(lambdas), pointer(lambdas), pointer(out.w), self.d, pointer(out.b))

    def score(self, criterion: int, lambdas: ArrayLike) -> Array:
        """GCV or REML (others: InputError) at some lambdas, count x t. Cost: O(d t) for each lambda, and the first
        answer's (see solve)."""
        lambdas = vector(lambdas, name="lambdas")
        out = empty(len(lambdas), self.t)
        return self._answer(out, "score", criterion, len(lambdas), pointer(lambdas), pointer(out), len(lambdas))

    def objective(self, lambdas: ArrayLike) -> Objective:
        """The training error, |w|^2 and their weighted sum at some lambdas. Cost: as score()."""
        return Objective.ask(self._answer, lambdas, self.t)

    def lambda_grid(self, count: int = 100) -> Array:
        """`count` lambdas, ascending and evenly spaced in log, over the range in which lambda matters. Cost: O(count),
        and the first answer's (see solve)."""
        out = numbers(count)
        self._ask("lambda_grid", count, pointer(out))
        return out

    def select_lambda(self, criterion: int, low: float = 0.0, high: float = 0.0) -> LambdaChoice:
        """The best lambda of each output by GCV or REML (others: InputError) in [low, high] (0, 0: the range of
        lambda_grid()). Sets nothing: solve() takes the lambdas. low = high: at that lambda, whose `below` it tells. Raises Error (UNDEFINED) where no score has a value.
        Cost: score() at about 110 lambdas."""
        out = LambdaChoice(numbers(self.t), numbers(self.t), np.zeros(self.t, np.int32), numbers(self.t),
                           np.zeros(self.t, np.int32), np.zeros(self.t, np.int32))
        self._ask("select_lambda", criterion, low, high, answers(
            "search", lambda_=out.lambdas, score=out.score, edge=out.edge, decades=out.decades,
            dips=out.dips, below=out.below))
        return out

    def _errors(self, x: Any, y: ArrayLike, weights: Optional[ArrayLike], group: Optional[ArrayLike],
                lambdas: ArrayLike) -> Array:
        at = vector(lambdas, name="lambdas")
        n, rows = self._rows(x, y, weights)
        labels = None if group is None else vector(group, np.int32, n, "group")
        out = empty(n, len(at) * self.t)
        return self._answer(out, "errors", *rows, pointer(labels), len(at), pointer(at), pointer(out), n)

    def _moments(self, x: Any, y: ArrayLike, weights: Optional[ArrayLike], group: Optional[ArrayLike],
                 lambdas: ArrayLike) -> Array:
        at = vector(lambdas, name="lambdas")
        n, rows = self._rows(x, y, weights)
        labels = None if group is None else vector(group, np.int32, n, "group")
        out = empty(5, len(at) * self.t)
        self._ask("moments", *rows, pointer(labels), len(at), pointer(at), pointer(out))
        return out

    def loo(self, x: ArrayLike, y: ArrayLike, lambdas: ArrayLike, weights: Optional[ArrayLike] = None) -> Array:
        """The second pass: exact leave-one-out errors of rows that were added (with their weights), in any chunks:
        n x (count t), output j of lambda l in column l t + j. x may be a scipy.sparse matrix. The sum of their squares
        times weights over all rows, divided by sum_w, is the criterion LOO. Raises Error (UNDEFINED) where a leverage
        is one; its `values` have NaN there. Cost: O(n d (d + count t))."""
        return self._errors(x, y, weights, None, lambdas)

    def loo_moments(self, x: ArrayLike, y: ArrayLike, lambdas: ArrayLike, weights: Optional[ArrayLike] = None) -> Array:
        """The second pass, as loo() makes it, with the moments of the errors alone, 5 x (count t), column l t + j for
        lambda l and output j: how many rows have an error, their weight, the mean and the spread of the squared errors,
        and how many rows have none. join_moments() joins the moments of chunks and of machines; of all rows
        moments_score() makes the criterion LOO, and moments_select_lambda() chooses lambda. Cost: O(n d (d + count
        t))."""
        return self._moments(x, y, weights, None, lambdas)

    def group_errors(self, x: ArrayLike, y: ArrayLike, group: ArrayLike, lambdas: ArrayLike,
                     weights: Optional[ArrayLike] = None) -> Array:
        """The second pass: exact errors of rows that were added, with all rows of a group left out together: n x (count
        t) as loo(). group: n whole numbers, of whole groups; rows with a negative one are never left out, and have NaN.
        Raises Error (UNDEFINED) where the other rows do not determine a group's predictions; its `values` have NaN
        there. Cost: O(n d^2), and O(s^2 d + s^3) a lambda for a group of s rows, O(d^3) for one of more than d."""
        return self._errors(x, y, weights, group, lambdas)

    def group_moments(self, x: ArrayLike, y: ArrayLike, group: ArrayLike, lambdas: ArrayLike,
                      weights: Optional[ArrayLike] = None) -> Array:
        """The moments of the errors of group_errors(), in the form of loo_moments(), but with groups in the place of
        rows: for the criterion GROUPS. join_moments(), moments_score() and moments_select_lambda() take them. Cost: as
        group_errors()."""
        return self._moments(x, y, weights, group, lambdas)

    def unpenalised(self) -> npt.NDArray[np.bool_]:
        """For each column of set_unpenalised(): False where it depends on the intercept and the columns before it.
        Raises Error (INVALID_STATE) before the first row. Cost: that of the first answer."""
        count = c.INT64()
        self._ask("get_unpenalised", count, None)
        kept = np.zeros(count.value, np.int32)
        self._ask("get_unpenalised", None, pointer(kept))
        return kept != 0

    def set_unpenalised(self, count: int) -> Accumulator:
        """Leaves the first `count` columns of x, 0 <= count < d, without a penalty: fixed effects. Rows may have been
        added. Raises Error (INVALID_ARGUMENT), also over landmarks. Cost: O(1)."""
        return self._set(c.UNPENALISED, count)

    def compact(self) -> Accumulator:
        """Reduces the rows to their triangle. Until rows are added, to_bytes() has as many bytes as that of any other
        compact accumulator of the same d, t and intercept. Cost: O((d + t)^3)."""
        return self._change("compact")

    def prepare(self) -> Accumulator:
        """Computes now what the first answer would compute, and saves it with the accumulator, so that it is there when
        the accumulator is loaded. Raises Error (INVALID_STATE) before the first row. Cost: O((d + t)^3)."""
        return self._change("prepare")

    @staticmethod
    def merge_bytes(first: bytes, second: bytes) -> bytes:
        """The bytes of an accumulator with the rows of two compact ones of the same d, t and intercept: for the
        reduction of any pool of workers. Raises InputError, Error (CORRUPT, NEWER_FORMAT). Cost: O((d + t)^3)."""
        inout, other = bytearray(first), memoryview(second).tobytes()
        if len(inout) != len(other):
            raise ValueError(f"{len(inout)} bytes and {len(other)}: compact accumulators of the same d, t and "
                             "intercept have the same number")
        if inout:
            c.call("accumulator_merge_bytes", other, len(inout), (ctypes.c_char * len(inout)).from_buffer(inout))
        return bytes(inout)

    def predictor(self, lambdas: ArrayLike) -> Model:
        """The fit at a lambda for each output, or one for all, as a Model for prediction alone, as
        Model.predictor() makes it. Raises Error (INVALID_STATE) before the first row. Cost: O(d^2 t)."""
        values = one_each(lambdas, self.t, "lambdas")
        model = Model._made(lambda handle: self._ask("predictor", pointer(values), handle))
        model._names = self._names
        return model

    def squared_errors(self, x: ArrayLike, y: ArrayLike, lambdas: ArrayLike,
                       weights: Optional[ArrayLike] = None) -> Tuple[float, Array]:
        """On rows that were not added, a development set: the sum of their weights, and count x t, the sums of weight
        times squared error of the solution at each lambda. Both add up over chunks of rows, and over machines; the
        second divided by the first is the mean squared error. x may be a scipy.sparse matrix. Cost: O(n d count t)."""
        lambdas, sum_w = vector(lambdas, name="lambdas"), c.DOUBLE()
        out = empty(len(lambdas), self.t)
        _, rows = self._rows(x, y, weights)
        self._ask("squared_errors", *rows, len(lambdas), pointer(lambdas), sum_w, pointer(out), len(lambdas))
        return sum_w.value, out

    def to_bytes(self) -> bytes:
        """The accumulator as bytes, the same on every machine and in a file. Cost: O(bytes)."""
        return self._bytes("save_to_memory")

    def save(self, path: Path) -> None:
        """To a file: never half of it. Raises Error (IO). Cost: O(bytes)."""
        self._ask("save", path_bytes(path))

    @classmethod
    def from_bytes(cls, saved: bytes) -> Accumulator:
        """The accumulator that to_bytes() saved. It goes on bit for bit as the saved one would. Raises Error (CORRUPT,
        NEWER_FORMAT). Cost: O(bytes)."""
        saved = memoryview(saved).tobytes()
        return cls._loaded("accumulator_load_from_memory", saved, len(saved))

    @classmethod
    def load(cls, path: Path) -> Accumulator:
        """The accumulator that save() wrote. Raises Error (IO, CORRUPT, NEWER_FORMAT). Cost: O(bytes)."""
        return cls._loaded("accumulator_load", path_bytes(path))

    @classmethod
    def _loaded(cls, name: str, *arguments: Any) -> Accumulator:
        rows = cls.__new__(cls)
        rows._hold(c.ACCUMULATOR())
        rows._own(name, *arguments)
        d, t = c.INT64(), c.INT64()
        rows._ask("get_dimensions", None, d, t, None)
        rows.d, rows.t = d.value, t.value
        return rows

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),), {"_names": self._names}
