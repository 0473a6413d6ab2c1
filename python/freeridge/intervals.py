"""Intervals of predictions, as R's predict(interval = ) has them. With the standard error se of f(x) + b, the degrees
of freedom that are left, and sigma:

    confidence    f(x) + b -+ t se                    of the function
    prediction    f(x) + b -+ t sqrt(se^2 + sigma^2 / w)  of a new y, w its weight
    gp            as prediction with normal quantiles, and the noise at the prior's scale
    jackknife+    from left-out errors, without a model of the noise
    cv+           from errors left out with the groups of the fit, for rows of new groups
    local         f(x) + b -+ q u(x) s(x)^gamma, wide where the noise is

t: the quantile (1 + level) / 2 of Student's distribution, of the normal one where the noise is known. u(x): the predictive standard deviation that gp takes, of a row of
the fit without that row (noise / (1 - h_i))^(1/2). s(x) = exp(g(x) / 2) with a second fit g to log (e_i / u_i)^2, e_i the
left-out errors, on the columns and the predictions; s_i without row i. q: the quantile of |e_i| / (u_i s_i^gamma) that
conformal prediction takes, gamma of 0, 1/4, ..., 1: where the left-out errors have the least interval score, the mean of
the widths + 2 / (1 - level) times the mean of what is beyond the ends. J. Lei, M. G'Sell, A. Rinaldo, R. Tibshirani, L.
Wasserman, Distribution-free predictive inference for regression, Journal of the American Statistical Association 113
(2018), section 5.2; T. Gneiting, A. Raftery, Strictly proper scoring rules, the same 102 (2007), section 6.2."""

from __future__ import annotations

import warnings
from math import ceil
from statistics import NormalDist
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from .arrays import Array, is_sparse
from .model import Model

KINDS = ("confidence", "prediction", "jackknife+", "cv+", "gp", "local")


def check_interval(interval: str, level: float, grouped: bool) -> None:
    """Raises ValueError."""
    if interval not in KINDS:
        raise ValueError(f"interval must be one of {', '.join(KINDS)}, not {interval!r}")
    if not 0 < level < 1:
        raise ValueError(f"level must be a number between 0 and 1, not {level!r}")
    if interval == "cv+" and not grouped:
        raise ValueError('interval is "cv+", and fit had no groups: fit(X, y, groups=labels)')


def interval_of(model: Model, X: Any, observed: np.ndarray, interval: str, level: float,
                learnt: bool, weights: Optional[Array] = None,
                fixed: Optional[Array] = None) -> Tuple[Array, Array]:
    """The lower and the upper ends, m x t each, but of "local" ones: see half_widths(). observed: in how many rows each
    output was observed, infinity where the noise is known. weights: of new y, m; None: 1."""
    w: Any = 1.0 if weights is None else weights[:, np.newaxis]
    if interval in ("jackknife+", "cv+"):
        return model.predict_jackknife(X, level, 0 if learnt else None, by_groups=interval == "cv+", fixed=fixed)
    centre = model.predict(X, fixed)
    if interval == "gp":
        half = NormalDist().inv_cdf((1 + level) / 2) * _predictive_deviations(model, X, fixed, w)
        return centre - half, centre + half
    freedom = model.degrees_of_freedom()
    errors = model.predict_covariance(X, pairs=False, fixed=fixed).errors
    if interval == "prediction":
        errors = np.sqrt(errors ** 2 + freedom.sigma2 / w)
    half = errors * student(observed - freedom.df, level)
    return centre - half, centre + half


def _predictive_deviations(model: Model, X: Any, fixed: Optional[Array], w: Any = 1.0) -> Array:
    """u(x), m x t, with the noise of a new y of this weight."""
    found = model.predict_variance(X, fixed)
    return np.sqrt(found.variance + found.noise / w)


def student(freedom: Array, level: float) -> Array:
    """The quantiles, normal ones of infinite freedom; NaN where no degree of freedom is left."""
    if np.all(np.isinf(freedom)):
        return np.full(np.shape(freedom), NormalDist().inv_cdf((1 + level) / 2))
    try:
        from scipy.special import stdtrit
    except ImportError as error:
        raise ImportError('interval="confidence" and "prediction" take the quantile of Student\'s distribution from '
                          'scipy, which is not installed; the others need numpy alone') from error
    return np.where(freedom > 0, stdtrit(np.maximum(freedom, 1e-300), (1 + level) / 2), np.nan)


class LocalScale(NamedTuple):
    """Of an output: the fit g, None where all errors are zero, and of the rows |e_i|, u_i and log s_i; predictive: whether
    u is known (else 1)."""

    fit: Any
    size: Array
    u: Array
    log_s: Array
    predictive: bool


def local_scales(model: Model, X: Any, errors: Array, weights: Array, fixed: Optional[Array]) -> List[LocalScale]:
    """X: the rows that were fitted; errors: their left-out errors, n x t; weights: n, as they were given. Raises ValueError (X
    is of other rows, or fewer than three errors exist)."""
    from .estimator import FreeRidge

    fitted, leverage = model.fitted(), model.leverage()
    if not model._has_rows(X, fixed):
        raise ValueError("X_fitted does not have the rows that were fitted, in their order")
    predictive = "precomputed" not in str(model.kernel()) and bool(np.all(model.lambdas() > 0))
    noise = model.predict_variance(X[:1], None if fixed is None else fixed[:1]).noise if predictive else None
    y = fitted + (1 - leverage) * model.loo()
    scales = []
    for j in range(errors.shape[1]):
        known = np.flatnonzero(~np.isnan(errors[:, j]))
        if len(known) < 3:
            raise ValueError(f"a local scale needs three left-out errors, and there are {len(known)}")
        size = np.abs(errors[known, j]) * np.sqrt(weights[known])
        u = np.ones(len(known)) if noise is None else np.sqrt(noise[j] / (1 - leverage[known, j]))
        if np.max(size) == 0:
            scales.append(LocalScale(None, size, u, np.zeros(len(known)), predictive))
            continue
        ratio = size / u
        least = max(0.05 * np.median(ratio), 1e-8 * np.max(ratio))  # how far below the others an error is says little
        target = np.log(ratio ** 2 + least ** 2)
        left_out = (y - errors)[known, j]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what may be said against the choices of this fit is not said of the user's
            g = FreeRidge().fit(_columns(model, X[known], None if fixed is None else fixed[known], left_out), target)
        scales.append(LocalScale(g, size, u, (target - g.loo_errors()) / 2, predictive))
    return scales


def _columns(model: Model, X: Any, fixed: Optional[Array], predictions: Array) -> Array:
    """The columns that are numbers for another fit, and predictions beside them."""
    alone = is_sparse(X) or "precomputed" in str(model.kernel())
    parts = ([] if alone else [np.asarray(X, dtype=float)]) + ([] if fixed is None else [fixed])
    return np.column_stack([*parts, predictions])


def half_widths(model: Model, X: Any, scales: List[LocalScale], level: float, fixed: Optional[Array]) -> Array:
    """q u(x) s(x)^gamma at new rows, m x t."""
    f = model.predict(X, fixed)
    own = _predictive_deviations(model, X, fixed) if scales[0].predictive else np.ones(f.shape)
    return np.column_stack([_half_width(scale, level, _columns(model, X, fixed, f[:, j]), own[:, j]) for j, scale in enumerate(scales)])


def _half_width(scale: LocalScale, level: float, columns: Array, u: Array) -> Array:
    count = len(scale.size)
    place = ceil(level * (count + 1))
    if place > count:
        return np.full(len(u), np.inf)
    if scale.fit is None:
        return np.zeros(len(u))
    best: Tuple[float, float, float] = (np.inf, 0.0, 0.0)
    for gamma in (0.0, 0.25, 0.5, 0.75, 1.0):
        own = scale.u * np.exp(gamma * scale.log_s)
        q = float(np.sort(scale.size / own)[place - 1])
        score = float(np.mean(2 * q * own + 2 / (1 - level) * np.maximum(scale.size - q * own, 0)))
        if score < best[0]:
            best = score, q, gamma
    q, gamma = best[1:]
    return q * u if gamma == 0 else q * u * np.exp(gamma / 2 * scale.fit.predict(columns))
