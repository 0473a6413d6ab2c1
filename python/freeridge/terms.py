"""Predictions as sums of parts: with f(x) = sum_i c_i k(x_i, x) and k = sum_p w_p k_p

    f(x) + b = constant + sum_p (f_p(x) - mean_i f_p(x_i)),   f_p(x) = w_p sum_i c_i k_p(x_i, x)
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, is_sparse
from .inputs import table_of
from .kernels import Kernel
from .model import Model

_VALUES_AT_ONCE = 1000000


class Terms(NamedTuple):
    """values: m x p x t, a column for each part, with mean zero over the rows fitted; constant: t numbers."""

    names: List[str]
    values: Array
    constant: Array


def predict_terms(model: Model, x: ArrayLike, x_fitted: ArrayLike, names: Optional[Sequence[str]] = None,
                  fixed: Optional[ArrayLike] = None, fixed_fitted: Optional[ArrayLike] = None,
                  fixed_names: Optional[Sequence[str]] = None) -> Terms:
    """The parts of f + b at m points x: of a linear kernel one for each column, of a sum of kernels those of each of them,
    of an additive kernel one for each of its terms; and one for each unpenalised column. x_fitted: the x that the model was
    made from; fixed, fixed_fitted: the unpenalised columns at both; names: of the columns. Their sum and the constant are
    predict(x); predictions without some parts are sums of the others. Raises ValueError (shapes, sparse x, a kernel with
    given values), Error (INVALID_STATE of a predictor). Cost: for each part O(m n d)."""
    if "precomputed" in str(model.kernel()):
        raise ValueError(f"the kernel is {model.kernel()}, which is no sum of parts that are known")
    if is_sparse(x) or is_sparse(x_fitted):
        raise ValueError("x is sparse, whose values by terms would be dense: give an array")
    new, own = table_of(x, model._names), table_of(x_fitted, model._names, "x_fitted")
    if own.shape != (model.n, model.d) or new.shape[1] != model.d:
        raise ValueError(f"x_fitted is {own.shape[0]} x {own.shape[1]} and x has {new.shape[1]} columns; the model was made "
                         f"from {model.n} x {model.d}")
    columns = [f"x{k}" for k in range(model.d)] if names is None else [str(name) for name in names]
    parts: List[Tuple[str, Array, Array]] = []  # at x and at x_fitted
    try:
        w = model.hyperplane()
        parts = [(columns[k], np.outer(new[:, k], w[k]), np.outer(own[:, k], w[k])) for k in range(model.d)]
    except c.Error as error:
        if error.status != c.INVALID_STATE:
            raise
        coefficients = model.coefficients()
        used = np.any(coefficients != 0, axis=1)
        for name, factor, kernel in kernel_terms(model.kernel(), columns):
            at = [factor * _sums(kernel, points, own[used], coefficients[used]) for points in (new, own)]
            parts.append((name, at[0], at[1]))
    q = model.fixed_count()
    if q > 0:
        if fixed is None or fixed_fitted is None:
            raise ValueError(f"the model has {q} unpenalised columns: fixed and fixed_fitted are their values")
        effects = model.fixed_coefficients()
        beside, beside_own = (table_of(each, model._fixed_names, "fixed") for each in (fixed, fixed_fitted))
        for k in range(q):
            label = f"fixed{k}" if fixed_names is None else str(fixed_names[k])
            parts.append((label, np.outer(beside[:, k], effects[k]), np.outer(beside_own[:, k], effects[k])))
    if not model._has_rows(own, None if q == 0 else beside_own):
        raise ValueError("x_fitted does not have the rows that were fitted, in their order")
    means = [part.mean(axis=0) for _, _, part in parts]
    values = np.stack([part - mean for (_, part, _), mean in zip(parts, means)], axis=1)
    return Terms([name for name, _, _ in parts], values, model.intercept() + np.sum(means, axis=0))


def kernel_terms(kernel: Kernel, names: Sequence[str]) -> List[Tuple[str, float, Kernel]]:
    """A kernel as a sum of factors times kernels, each with its name."""
    if kernel.name == "sum":
        return [(name, weight * factor, part) for inner, weight in zip(kernel.parts, kernel.parameters["weights"])
                for name, factor, part in kernel_terms(inner, names)]
    if kernel.name == "scaled":
        return [(name, factor, part.scaled(kernel.parameters["scale"]))
                for name, factor, part in kernel_terms(kernel.parts[0], names)]
    if kernel.name not in ("additive", "linear"):
        return [(f"{kernel.name} of all columns", 1.0, kernel)]
    given = np.asarray(kernel.parameters["label"] if kernel.name == "additive" else [])
    label = given if len(given) > 0 else np.arange(len(names))
    terms = np.unique(label[label >= 0])
    inner, factor = (kernel.parts[0], 1 / len(terms)) if kernel.name == "additive" else (kernel, 1.0)
    return [(":".join(names[k] for k in np.flatnonzero(label == term)), factor,
             inner.additive(np.where(label == term, 0, -1))) for term in terms]


def _sums(kernel: Kernel, x: Any, z: Any, coefficients: Array) -> Array:
    """sum_i c_i k(z_i, x) at the rows of x, some of them at once."""
    out = np.zeros((len(x), coefficients.shape[1]))
    step = max(1, _VALUES_AT_ONCE // max(1, len(z)))
    for first in range(0, len(x) if len(z) > 0 else 0, step):
        out[first:first + step] = kernel.values(x[first:first + step], z) @ coefficients
    return out
