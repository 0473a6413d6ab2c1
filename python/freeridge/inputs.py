"""What scikit-learn's users hand over, checked: tables, responses, weights, names of columns."""

from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np

from .arrays import Array, is_sparse, real


def table(X: Any) -> Array:
    """A real matrix with rows and columns; float64 arrays are taken as they are, and so are scipy.sparse matrices, by
    rows."""
    if is_sparse(X):
        X = X.tocsr()
        if X.dtype != np.float64:
            X = type(X)((real(X.data, "X").astype(np.float64), X.indices, X.indptr), shape=X.shape)
    else:
        X = real(X, "X").astype(np.float64, copy=False)
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead. Reshape your data: X.reshape(-1, 1) if it "
                         "has a single feature, X.reshape(1, -1) if it is a single sample")
    for axis, what in enumerate(("sample", "feature")):
        if X.shape[axis] == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required.")
    return X


def response(y: Any, rows: int) -> Array:
    """n numbers, or n x t."""
    y = real(y, "y").astype(np.float64, copy=False)
    if y.ndim not in (1, 2) or len(y) != rows:
        raise ValueError(f"X has {rows} rows, y has shape {y.shape}")
    return y


def sample_weights(weights: Any, rows: int) -> Array:
    """n numbers >= 0, one of them positive; one number stands for all."""
    weights = real(weights, "sample_weight").astype(np.float64, copy=False)
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.shape != (rows,) or not np.any(weights > 0):
        raise ValueError("sample_weight must be one number >= 0 for each row of X, not all of them 0; its shape is "
                         f"{weights.shape}")
    if not np.all(weights >= 0) or np.any(np.isinf(weights)):
        place = np.flatnonzero(~(weights >= 0) | np.isinf(weights))[0]
        raise ValueError(f"sample_weight[{place}] is {weights[place]}; every weight must be a finite number >= 0")
    return weights


def _row_numbers(X: np.ndarray) -> np.ndarray:
    """A number for each row, the same for equal rows; different rows have the same one by less than chance 2^-40."""
    bits = (np.array(X.reshape(len(X), -1), dtype=np.float64, order="C") + 0.0).view(np.uint64)
    bits ^= bits >> np.uint64(32)
    bits *= np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(29)
    factors = np.random.default_rng(1).integers(0, 2 ** 63, size=bits.shape[1], dtype=np.uint64) * np.uint64(2)
    return (bits * (factors + np.uint64(1))).sum(axis=1, dtype=np.uint64)


def warn_of_copies(X: Any, y: np.ndarray, stacklevel: int) -> None:
    """Warns where rows have the X and the y of other rows: their leave-one-out errors see the row that was left out."""
    if not isinstance(X, np.ndarray) or X.shape[1] == 0:
        return
    of_y = _row_numbers(y)
    _, place, count = np.unique(of_y, return_inverse=True, return_counts=True)
    tied = np.flatnonzero(count[place.ravel()] > 1)
    copies = len(tied) - len(np.unique(_row_numbers(X[tied]) ^ of_y[tied])) if len(tied) > 0 else 0
    if copies > 0:
        warnings.warn(f"{copies} rows have the X and the y of other rows: their leave-one-out errors are too small, as "
                      "the other rows stay; Model.set_groups(make_groups(X)) leaves equal rows out together",
                      stacklevel=stacklevel)


def column_names(X: Any) -> Optional[np.ndarray]:
    """The names of the columns of a data frame, when all are text; else None."""
    columns = list(getattr(X, "columns", []))
    texts = [isinstance(name, str) for name in columns]
    if any(texts) and not all(texts):
        raise TypeError("Feature names are only supported if all input features have string names; here some have")
    return np.array(columns, dtype=object) if columns and all(texts) else None


def compare_names(names: Optional[np.ndarray], known: Optional[np.ndarray], estimator: str) -> None:
    """Raises unless the column names at prediction are those of the fit."""
    if (names is None) != (known is None):
        what = "does not have valid feature names, but" if names is None else "has feature names, but"
        how = "was fitted with feature names" if names is None else "was fitted without feature names"
        warnings.warn(f"X {what} {estimator} {how}", stacklevel=4)
        return
    if names is None or known is None or list(names) == list(known):
        return
    lines = ["The feature names should match those that were passed during fit."]
    for title, odd in (("Feature names unseen at fit time:", sorted(set(names) - set(known))),
                       ("Feature names seen at fit time, yet now missing:", sorted(set(known) - set(names)))):
        if odd:
            lines += [title] + [f"- {name}" for name in odd[:5]] + ["- ..."] * (len(odd) > 5)
    if len(lines) == 1:
        lines.append("Feature names must be in the same order as they were in fit.")
    raise ValueError("\n".join(lines) + "\n")


def choice(choices: Any, value: Any, name: str) -> Any:
    """The value that a word given as a parameter stands for."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    return choices[value]
