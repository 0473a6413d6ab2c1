"""Many small models in one call of the library: a ridge regression for each patient, gene or station, of its own few rows."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, Matrix, Names, answers, empty, pointer, real, same_names, struct_of, vector
from .inputs import label_codes, read_labels
from .kernels import linear
from .model import Model


class Batch(NamedTuple):
    """Of g groups, in the order of their labels: w (g x d, or g x d x t), b, lambda_, score, df, sigma2 (g, or g x t); errors
    (n, or n x t): the left-out errors; status: g statuses, OK or why a group has no value somewhere, which is NaN;
    names: of the columns of x, where it was a table."""

    groups: np.ndarray
    w: Array
    b: Array
    lambda_: Array
    score: Array
    df: Array
    sigma2: Array
    errors: Array
    status: np.ndarray
    names: Names = None

    def predict(self, x: ArrayLike, groups: ArrayLike) -> Array:
        """The predictions at rows (m x d) of these groups, m labels: m, or m x t. Raises ValueError for another label. Cost:
        O(m d t)."""
        points = Matrix(x, c.ROW_MAJOR, name="x")
        same_names(points.names, self.names, "x")
        rows, labels = points.array, _labels(groups, points.rows)
        known = {label: place for place, label in enumerate(read_labels(self.groups))}
        places = np.array([known.get(label, -1) for label in labels])
        unknown = np.flatnonzero(places < 0)
        if len(unknown):
            raise ValueError(f"groups[{unknown[0]}] is {labels[unknown[0]]!r}, of which the fit has no rows")
        if rows.shape[1] != self.w.shape[1]:
            raise ValueError(f"x has {rows.shape[1]} columns, the fit has {self.w.shape[1]}")
        return np.asarray(self.b[places] + np.einsum("ij,ij...->i...", rows, self.w[places]))


def batch(x: ArrayLike, y: ArrayLike, groups: ArrayLike, weights: Optional[ArrayLike] = None, intercept: bool = True,
          lambda_: Optional[float] = None, criterion: int = c.LOO, low: float = 0.0, high: float = 0.0) -> Batch:
    """A linear ridge regression in each group of rows, each as Model(linear(), ...) of its rows alone, with lambda by the
    criterion (LOO, GCV, REML) in [low, high] (both 0: the range of Model.lambda_grid()), or lambda_ > 0 for all.
    x: n x d; y: n, or n x t, NaN where a value is not known; groups: n labels, None or NaN of rows in no group, whose
    errors are NaN; weights: n positive numbers. Groups share nothing else. Cost: for 20 rows and 5 columns some 40
    microseconds a group and thread. Raises ValueError, InputError, ResourceError."""
    points, outputs = Matrix(x, c.ROW_MAJOR, name="x"), Matrix(y, c.ROW_MAJOR, name="y")
    n, d, t = points.rows, points.columns, outputs.columns
    if outputs.rows != n:
        raise ValueError(f"y has {outputs.rows} rows, x has {n}")
    if lambda_ is not None:
        number = real(lambda_, "lambda_")
        if number.shape != () or not 0 < number < np.inf:
            raise ValueError(f"lambda_ must be one positive number, not {lambda_!r}")
    codes = label_codes(_labels(groups, n))
    order = np.argsort(codes, kind="stable")[np.count_nonzero(codes < 0):]
    if len(order) == 0:
        raise ValueError("groups has no label")
    _, first = np.unique(codes[order], return_index=True)
    labels = np.asarray(groups)[order[first]]
    start = np.append(first, len(order)).astype(np.int64)
    of_rows = Matrix(points.array[order], c.ROW_MAJOR, name="x")
    given = None if weights is None else vector(weights, length=n, name="weights")[order]
    g = len(labels)
    w, errors, status = empty(d, g * t), empty(len(order), t), np.zeros(g, dtype=np.int32)
    each = {name: empty(t, g) for name in ("b", "lambda_", "score", "df", "sigma2")}
    settings = Model.__new__(Model)
    settings._create(linear())
    settings.set_missing().set_intercept(intercept)
    values = Matrix(outputs.array[order], name="y")
    low, high = (low, high) if lambda_ is None else (lambda_, lambda_)
    try:
        settings._ask("batch", struct_of(of_rows), values.layout, t, values.pointer, values.ld, pointer(given), g,
                      pointer(start), criterion, low, high,
                      answers("batch_answers", w=w, errors=errors, status=status, **each))
    except c.Error as error:
        if error.status != c.UNDEFINED:  # that of single groups is in `status`
            raise
    one = np.ndim(y) == 1
    back = empty(n, t)
    back[order] = errors
    slopes = np.ascontiguousarray(w.reshape((d, t, g), order="F").transpose(2, 0, 1))
    shaped = {name: values[0] if one else np.ascontiguousarray(values.T) for name, values in each.items()}
    return Batch(labels, slopes[:, :, 0] if one else slopes, **shaped, errors=back[:, 0] if one else back,
                 status=status, names=points.names)


def _labels(groups: ArrayLike, n: int) -> np.ndarray:
    labels = read_labels(groups)
    if labels.ndim != 1 or len(labels) != n:
        raise ValueError(f"groups must be {n} labels, one for each row, and have the shape {labels.shape}")
    return labels
