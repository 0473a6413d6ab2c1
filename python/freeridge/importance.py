"""Importance by left-out errors: how much worse they become without a column, lambda and the kernel held."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, is_sparse, vector
from .inputs import response, table_of
from .model import Model

Columns = Sequence[Union[int, Sequence[int]]]
_Answer = TypeVar("_Answer")


class Importance(NamedTuple):
    """increase: of the mean squared left-out error, a row for each variable, a column for each output; errors: the
    standard errors of these means; mean_square: with all variables, t numbers."""

    increase: Array
    errors: Array
    mean_square: Array


def importance(model: Model, x: ArrayLike, y: ArrayLike, kind: str = "permutation", columns: Optional[Columns] = None,
               permutations: int = 5, random_state: Any = 0, group: Optional[ArrayLike] = None,
               fixed: Optional[ArrayLike] = None, weights: Optional[ArrayLike] = None) -> Importance:
    """For a fitted model and the x and y that it was made from. kind: "permutation", the errors y_i - f_(-i)(z_i),
    f_(-i) the exact fit without row i, z_i its point with the column's value of another row, the mean over
    `permutations`; "drop", those of the fit whose kernel does not see the column. columns: the variables, each a column
    or several, as those of one category; None: each column. group: n labels of rows that are left out together.
    random_state: a number or a numpy.random.RandomState. fixed: the unpenalised columns of the model, which are columns d, d + 1, ...
    here. weights: of the means over rows, n; None: those of the model. Raises ValueError (shapes, a precomputed kernel), and what Model.loo() raises. Cost: for each variable and permutation that of Model.predict_left_out(), or
    a factorization."""
    if kind not in ("permutation", "drop"):
        raise ValueError(f"kind must be 'permutation' or 'drop', not {kind!r}")
    if "precomputed" in str(model.kernel()):
        raise ValueError("the kernel is precomputed: there are no columns whose importance could be told")
    points = table_of(x, model._names)
    beside = None if fixed is None else table_of(fixed, model._fixed_names, "fixed")
    q = 0 if beside is None else beside.shape[1]
    if q != model.fixed_count() or beside is not None and len(beside) != model.n:
        raise ValueError(f"the model has {model.fixed_count()} unpenalised columns of {model.n} rows, which fixed are to be")
    outputs = response(y, points.shape[0]).reshape(points.shape[0], -1)
    if (points.shape, outputs.shape) != ((model.n, model.d), (model.n, model.t)):
        raise ValueError(f"x is {points.shape[0]} x {points.shape[1]} and y has {outputs.shape[1]} outputs; the model was "
                         f"made from {model.n} x {model.d} and {model.t}")
    if permutations < 1:
        raise ValueError(f"permutations is {permutations}; it must be 1 or more")
    variables = variables_of(columns, model.d + q)
    labels = None if group is None else vector(group, np.int32, model.n, "group")
    rows = np.arange(model.n, dtype=np.int32) if labels is None else labels

    def squares(of: Model) -> Array:
        return with_nan(lambda: of.loo() if labels is None else of.group_errors(labels)) ** 2

    draw = random_state if hasattr(random_state, "permutation") else np.random.RandomState(random_state)
    orders = [draw.permutation(model.n) for _ in range(permutations if kind == "permutation" else 0)]
    weights = model.weights() if weights is None else vector(weights, length=model.n, name="weights")
    base = squares(model)
    increase, errors = np.empty((len(variables), model.t)), np.empty((len(variables), model.t))
    for k, variable in enumerate(variables):
        one, other = variable[variable < model.d], variable[variable >= model.d] - model.d
        if kind == "drop":
            seen = None if beside is None else _with(beside, other, None)
            without = squares(_unseeing(model, _with(points, one, None), seen, outputs))
        else:
            without = np.zeros_like(base)
            for order in orders:
                seen = None if beside is None else _with(beside, other, order)
                f = with_nan(partial(model.predict_left_out, _with(points, one, order), rows, labels, seen))
                without += (outputs - f) ** 2 / len(orders)
            without[rows < 0] = np.nan
        for j in range(model.t):
            increase[k, j], errors[k, j] = _mean(without[:, j] - base[:, j], weights, rows)
    known = np.isfinite(base)
    mean_square = weights @ np.where(known, base, 0.0) / (weights @ known)
    return Importance(increase, errors, mean_square)


def variables_of(columns: Optional[Columns], count: int) -> List[np.ndarray]:
    """Each as the numbers of its columns, of which there are `count`."""
    variables = [np.atleast_1d(one) for one in (range(count) if columns is None else columns)]
    for one in variables:
        if not np.issubdtype(one.dtype, np.integer) or np.any(one < 0) or np.any(one >= count):
            raise ValueError(f"columns must be whole numbers from 0 to {count - 1}, or several of them, not {one.tolist()}")
    return variables


def with_nan(ask: Callable[[], _Answer]) -> _Answer:
    """Answers with NaN where an error does not exist."""
    try:
        return ask()
    except c.Error as error:
        if error.values is None:
            raise
        return error.values


def _with(points: Any, columns: np.ndarray, order: Optional[np.ndarray]) -> Any:
    """The points with values of other rows in some columns; order None: zeros."""
    out = points.tolil(copy=True) if is_sparse(points) else np.array(points)
    if order is None:
        out[:, columns] = 0.0
    else:
        out[:, columns] = (points.tocsr() if is_sparse(points) else points)[order][:, columns]
    return out.tocsr() if is_sparse(points) else out


def _unseeing(model: Model, points: Any, fixed: Any, outputs: Array) -> Model:
    """The model with the same kernel and lambdas of other points and unpenalised columns."""
    landmarks = model.landmarks() if model.route() == c.ROUTE_LANDMARK else None
    other = model.clone().set_data(points, outputs).set_weights(model.weights())
    if landmarks is not None:
        other.set_landmarks(landmarks)
    if fixed is not None:
        other.set_fixed_effects(fixed)
    return other.factorize().set_lambda(model.lambdas())


def _mean(d: Array, weights: Array, rows: np.ndarray) -> Tuple[float, float]:
    """The weighted mean and its standard error; rows with one label count as one."""
    known = np.isfinite(d)
    d, weights = d[known], weights[known]
    mean = float(np.sum(weights * d) / np.sum(weights))
    parts: List[float] = np.bincount(np.unique(rows[known], return_inverse=True)[1], weights * (d - mean)).tolist()
    count = len(parts)
    error = np.sqrt(np.sum(np.square(parts)) * count / (count - 1)) / np.sum(weights) if count > 1 else np.nan
    return mean, float(error)
