"""Effects of columns: the average prediction as one column takes the value v in all rows and the others stay as they are,
with standard errors (J. Friedman, Greedy function approximation, Annals of Statistics 29, 2001, section 8.2)."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, is_sparse
from .inputs import is_column, table_of
from .model import Model


class Effect(NamedTuple):
    """Of a column: its values, g numbers; the average predictions and their standard errors, g x t; and their covariances,
    g x (g t), that of output j in the columns g j to g j + g - 1, None where they were not asked for."""

    column: int
    value: Array
    estimate: Array
    errors: Array
    covariance: Optional[Array]


def simultaneous_quantile(covariance: ArrayLike, freedom: float, level: float = 0.95) -> float:
    """c so that g estimates with this covariance matrix and these degrees of freedom are all within c standard errors with
    at least the probability `level`: for whole curves, covariance[:, g j : g (j + 1)] of Effect. The least of the bounds of
    Bonferroni, of Scheffe (sqrt(r F) with the rank r) and of Naiman, kappa / pi (1 + c^2 / nu)^(-nu / 2) + P(|T| > c) = 1 -
    level with kappa the sum of arccos of the correlations of neighbours (Annals of Statistics 14, 1986). NaN where freedom is
    not positive. Needs scipy. Raises ValueError. Cost: O(g^3)."""
    from scipy.optimize import brentq
    from scipy.stats import f, t

    covariance = np.asarray(covariance, dtype=float)
    if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1]:
        raise ValueError(f"covariance must be a square matrix, not of shape {covariance.shape}")
    if not 0 < level < 1:
        raise ValueError(f"level must be a number between 0 and 1, not {level!r}")
    if not freedom > 0 or not np.all(np.isfinite(covariance)):
        return float("nan")
    freedom = min(freedom, 1e12)  # beyond, the quantiles are normal to all digits
    sd = np.sqrt(np.diag(covariance))
    kept = sd > 0
    if not np.any(kept):
        return 0.0
    correlation = (covariance / np.where(kept, sd, 1) / np.where(kept, sd, 1)[:, None])[np.ix_(kept, kept)]
    g = len(correlation)
    values = np.linalg.eigvalsh(correlation)
    rank = int(np.sum(values > g * np.finfo(float).eps * values[-1]))
    bonferroni = t.ppf(1 - (1 - level) / (2 * g), freedom)
    scheffe = np.sqrt(rank * f.ppf(level, rank, freedom))
    kappa = np.sum(np.arccos(np.clip(np.diag(correlation, 1), -1, 1)))

    def beyond(c: float) -> float:
        return kappa / np.pi * np.exp(-freedom / 2 * np.log1p(c * c / freedom)) + 2 * t.sf(c, freedom) - (1 - level)

    high = bonferroni
    while beyond(high) > 0:
        high *= 2
    return float(min(bonferroni, scheffe, brentq(beyond, 0, high, xtol=1e-12)))


def effects(model: Model, x: ArrayLike, columns: Optional[Sequence[int]] = None, points: int = 25, rows: int = 500,
            pairs: bool = False, kind: int = c.COVARIANCE_BAYESIAN, fixed: Optional[ArrayLike] = None) -> List[Effect]:
    """For a fitted model, averaged over the rows of x, at most `rows` evenly spaced ones. columns: of x; None: all. points:
    how many values a column takes, evenly spaced over its range in x; fewer distinct ones are taken as they are. kind: of
    the errors, as in Model.predict_covariance(); pairs: with covariances, for differences between values; fixed: the values
    of the columns without a penalty in the rows of x, which stay as they are (their own effects are
    Model.fixed_effects()). Raises ValueError (columns, a precomputed kernel, a sparse x), Error. Cost of a column: points * rows * n kernel
    values, and points * rows^2 for Bayesian errors."""
    if "precomputed" in str(model.kernel()):
        raise ValueError("the kernel is precomputed: there are no columns whose effect could be shown")
    if model.fixed_count() > 0 and fixed is None:
        raise ValueError("the model has unpenalised columns, whose values in the rows of x are to be given: fixed")
    x = table_of(x, model._names)
    if is_sparse(x):
        raise ValueError("x is sparse: effects are of ordinary arrays")
    if points < 2 or rows < 1:
        raise ValueError(f"points must be 2 or more and rows 1 or more, not {points} and {rows}")
    some = np.unique(np.round(np.linspace(0, len(x) - 1, min(rows, len(x)))).astype(int))
    kept, beside = x[some], None if fixed is None else table_of(fixed, model._fixed_names, "fixed")[some]
    found = []
    for column in range(x.shape[1]) if columns is None else columns:
        if not is_column(column, x.shape[1]):
            raise ValueError(f"columns must be whole numbers from 0 to {x.shape[1] - 1}, not {column!r}")
        value = np.unique(x[:, column])
        if len(value) > points:
            value = np.linspace(value[0], value[-1], points)
        moved = np.tile(kept, (len(value), 1))
        moved[:, column] = np.repeat(value, len(kept))
        group = np.repeat(np.arange(len(value)), len(kept))
        held = None if beside is None else np.tile(beside, (len(value), 1))
        found.append(Effect(int(column), value, *model.predict_combinations(moved, group, None, pairs, kind, held)))
    return found
