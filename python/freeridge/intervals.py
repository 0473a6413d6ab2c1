"""Intervals of predictions, as R's predict(interval = ) has them. With the standard error se of f(x) + b, the degrees
of freedom that are left, and sigma:

    confidence    f(x) + b -+ t se                    of the function
    prediction    f(x) + b -+ t sqrt(se^2 + sigma^2)  of a new y
    gp            as prediction with normal quantiles, and the noise at the prior's scale
    jackknife+    from left-out errors, without a model of the noise

t: the quantile (1 + level) / 2 of Student's distribution."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, Tuple

import numpy as np

from .arrays import Array
from .model import Model


def interval_of(model: Model, X: Any, observed: np.ndarray, interval: str, level: float,
                learnt: bool) -> Tuple[Array, Array]:
    """The lower and the upper ends, m x t each. observed: in how many rows each output was observed."""
    if interval not in ("confidence", "prediction", "jackknife+", "gp"):
        raise ValueError(f'interval must be "confidence", "prediction", "jackknife+" or "gp", not {interval!r}')
    if not 0 < level < 1:
        raise ValueError(f"level must be a number between 0 and 1, not {level!r}")
    if interval == "jackknife+":
        return model.predict_jackknife(X, level, 0 if learnt else None)
    centre = model.predict(X)
    if interval == "gp":
        found = model.predict_variance(X)
        half = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(found.variance + found.noise)
        return centre - half, centre + half
    freedom = model.degrees_of_freedom()
    errors = model.predict_covariance(X, pairs=False).errors
    if interval == "prediction":
        errors = np.sqrt(errors ** 2 + freedom.sigma2)
    half = errors * student(observed - freedom.df, level)
    return centre - half, centre + half


def student(freedom: Array, level: float) -> Array:
    """The quantiles; NaN where no degree of freedom is left."""
    try:
        from scipy.special import stdtrit
    except ImportError as error:
        raise ImportError('interval="confidence" and "prediction" take the quantile of Student\'s distribution from '
                          'scipy, which is not installed; "jackknife+" and "gp" need numpy alone') from error
    return np.where(freedom > 0, stdtrit(np.maximum(freedom, 1e-300), (1 + level) / 2), np.nan)
