"""Moments of squared left-out errors: what Accumulator.loo_moments() hands out, 5 x (count t)."""

from __future__ import annotations

from typing import NamedTuple, Tuple

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, answers, empty, numbers, pointer, real, vector
from .library import call


class MomentChoice(NamedTuple):
    """t numbers each: the best lambda, its score and standard error; edge, decades and dips as a search has them; next:
    a lambda to be tried in one more pass, or the choice itself where that would tell nothing more."""

    lambdas: Array
    score: Array
    standard_error: Array
    edge: npt.NDArray[np.int32]
    decades: Array
    dips: npt.NDArray[np.int32]
    next: Array


def _moments(moments: ArrayLike, name: str = "moments") -> Array:
    out = np.array(real(moments, name), dtype=np.float64, order="F", ndmin=2)
    if out.ndim != 2 or out.shape[0] != 5:
        raise ValueError(f"{name} has the shape {out.shape}; moments are 5 x (count t)")
    return out


def _pairs(moments: ArrayLike, lambdas: ArrayLike) -> Tuple[Array, Array, int]:
    known, values = _moments(moments), vector(lambdas, name="lambdas")
    t, rest = divmod(known.shape[1], len(values))
    if rest or not t:
        raise ValueError(f"moments has {known.shape[1]} columns, which is no multiple of the {len(values)} lambdas")
    return known, values, t


def join_moments(first: ArrayLike, second: ArrayLike) -> Array:
    """The moments of all rows of which two have the moments. Raises InputError where these are no moments. Cost:
    O(count t)."""
    out, more = _moments(first, "first"), _moments(second, "second")
    if out.shape != more.shape:
        raise ValueError(f"first has {out.shape[1]} columns, second {more.shape[1]}")
    call("moments_join", out.shape[1], pointer(more), pointer(out))
    return out


def moments_score(moments: ArrayLike, lambdas: ArrayLike) -> Tuple[Array, Array]:
    """The criterion LOO and its standard error from the moments of all rows, count x t each. Raises Error (UNDEFINED)
    where a row has no left-out error. Cost: O(count t)."""
    known, values, t = _pairs(moments, lambdas)
    scores, errors = empty(len(values), t), empty(len(values), t)
    try:
        call("moments_score", len(values), pointer(values), t, pointer(known), pointer(scores), pointer(errors),
             len(values))
    except c.Error as error:
        if error.status == c.UNDEFINED:
            error.values = scores, errors
        raise
    return scores, errors


def moments_select_lambda(moments: ArrayLike, lambdas: ArrayLike) -> MomentChoice:
    """The lowest LOO of each output among lambdas > 0 whose moments of all rows are known. Raises Error (UNDEFINED)
    where no lambda has a score, and where it is that of one row, which has no standard error; its `values` have the
    rest. Cost: O(count t)."""
    known, values, t = _pairs(moments, lambdas)
    out = MomentChoice(numbers(t), numbers(t), numbers(t), np.zeros(t, np.int32), numbers(t), np.zeros(t, np.int32),
                       numbers(t))
    try:
        call("moments_select_lambda", len(values), pointer(values), t, pointer(known),
             answers("search", lambda_=out.lambdas, score=out.score, standard_error=out.standard_error,
                    edge=out.edge, decades=out.decades, dips=out.dips, next=out.next))
    except c.Error as error:
        if error.status == c.UNDEFINED:
            error.values = out
        raise
    return out
