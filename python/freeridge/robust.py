"""Huber's weights from exact left-out errors e of a fit with the weights c v (c: given):
    v_i = min(1, 1.345 s / u_i),    u_i = sqrt(c_i) |e_i|,    s = median(u) / 0.6745
e_i does not depend on v_i. At normal errors about one row in six has a weight below one.
Source: P. Huber, Robust estimation of a location parameter, Annals of Mathematical Statistics 35 (1964)."""

from __future__ import annotations

import warnings
from statistics import NormalDist
from typing import Callable, NamedTuple, Optional

import numpy as np

from . import library as c
from .arrays import Array
from .model import Model

BOUND = 1.345
SETTLED, NEARLY_SETTLED = 1e-3, 0.05  # no weight changes by more; the second: weights by which a bandwidth is chosen
MOST_ROUNDS = 50
UNDAMPED = 8  # of more rounds each goes half the way, as weights may go to and fro
_QUARTILE = 0.6744897501960817  # of the normal distribution, at 3/4
KEPT_OF_SQUARES = 2 * NormalDist().cdf(BOUND) - 1  # by the weights, of the squares of normal errors


class Robustness(NamedTuple):
    """Robustness weights of the rows, the scale of the left-out errors, and how often they were computed."""

    weights: Array
    scale: float
    rounds: int


def huber_weights(errors: Array, given: Array) -> Robustness:
    """A row without an error (NaN: its leverage is one) keeps its weight. Raises ValueError where half of the errors or
    more are zero, and others are not."""
    known = np.isfinite(errors)
    size = np.sqrt(given) * np.abs(np.where(known, errors, 0.0))
    if not known.any():
        raise ValueError("robust='huber': no row has a left-out error")
    scale = float(np.median(size[known])) / _QUARTILE
    if scale == 0.0 and np.any(size > 0.0):
        raise ValueError("robust='huber': half of the left-out errors or more are zero, and there is no scale to judge "
                         "the others by")
    bounded = size > BOUND * scale
    return Robustness(np.where(bounded, BOUND * scale / np.where(bounded, size, 1.0), 1.0), scale, 1)


def reweighted(model: Model, given: Array, choose: Callable[[], object], start: Optional[Robustness],
               last: bool) -> Robustness:
    """Brings the model to the fixed point with its kernel held; choose() sets or chooses lambda after each
    factorization. last: to SETTLED, else to NEARLY_SETTLED. Cost: a factorization and a choice of lambda for each of
    some ten rounds."""
    known = np.ones(len(given)) if start is None else start.weights
    for count in range(1, MOST_ROUNDS + 1):
        found = huber_weights(_left_out(model), given)
        change = np.max(np.abs(found.weights - known))
        known = (known + found.weights) / 2 if count > UNDAMPED else found.weights
        if change > 0.0:
            model.set_weights(given * known).factorize()
            choose()
        if change <= (SETTLED if last else NEARLY_SETTLED):
            break
    if last and change > SETTLED:
        warnings.warn(f"the robustness weights still change by {change:.2g} after {count} rounds: they are not the "
                      "fixed point", RuntimeWarning, stacklevel=4)
    return Robustness(known, found.scale, count)


def _left_out(model: Model) -> Array:
    try:
        return model.loo()[:, 0]
    except c.Error as error:
        if error.values is None:
            raise
        return error.values[:, 0]
