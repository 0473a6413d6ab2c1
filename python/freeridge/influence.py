"""What each row does to a fit, exactly and without refits, as R's influence.measures() has it. With the left-out errors e,
the leverages h, and df_(-i) and sigma_(-i) of the fit without row i (Model.without_rows())

    rstudent_i = e_i / (sigma_(-i) s_i),   s_i^2 = 1 / W_ii + h_i / ((1 - h_i) W_ii)
    dffits_i   = rstudent_i (h_i / (1 - h_i))^(1/2)

s_i sigma is the standard deviation of e_i; of a robust fit the first W_ii is the weight that was given, the others are the
weights that it was made with."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np

from .arrays import Array
from .importance import with_nan
from .intervals import student
from .model import Model


class Influence(NamedTuple):
    """n numbers each, or n x t; NaN where there is no value and, but for Cook's distances, which are 0, in a row of weight 0. hat: leverages; sigma: of the fit
    without the row; outlier: whether |rstudent| is beyond what the largest of all rows has by chance in 5 % of data with
    normal errors (Bonferroni); dfbeta: of linear kernels, by how much the intercept, if there is one, and the slopes of all
    columns of X are above those without the row, n x p, or n x p x t; None of other kernels."""

    hat: Array
    sigma: Array
    rstudent: Array
    dffits: Array
    cooks_distance: Array
    outlier: np.ndarray
    dfbeta: Optional[Array]


def influence_of(model: Model, given: Array, observed: Array) -> Influence:
    """n x t each. given: the weights of the rows; observed: in how many rows each output is, infinity where the noise is known."""
    leverage, errors = model.leverage(), with_nan(model.loo)
    df, sigma = with_nan(model.without_rows)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.sqrt(1 / given[:, None] + leverage / (np.maximum(1 - leverage, 0) * model.weights()[:, None]))
        rstudent = errors / (sigma * spread)
        dffits = rstudent * np.sqrt(leverage / np.maximum(1 - leverage, 0))
    outlier = np.empty(errors.shape, dtype=bool)
    for j in range(errors.shape[1]):
        rows = np.sum(np.isfinite(errors[:, j]))
        bound = student(np.maximum(observed[j] - 1 - df[:, j], 1), 1 - 0.05 / max(rows, 1))
        outlier[:, j] = np.abs(rstudent[:, j]) > bound
    dfbeta = None
    if model.kernel().linear_scale(model.d) is not None:
        dfbeta = with_nan(model.dfbeta).reshape((len(errors), -1, model.t), order="F")
    return Influence(leverage, sigma, rstudent, dffits, with_nan(model.cooks_distance), outlier,
                     dfbeta)
