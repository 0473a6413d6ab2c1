"""What scikit-learn's users hand over, checked: tables, responses, weights, names of columns."""

from __future__ import annotations

import sys
import warnings
from numbers import Real
from typing import Any, Optional, Tuple

import numpy as np

from .arrays import Array, Names, is_sparse, names_of, real, refuse_masked, same_names, summed


def table(X: Any) -> Array:
    """A real matrix with rows and columns; float64 arrays are taken as they are, and so are scipy.sparse matrices, by
    rows."""
    if is_sparse(X):
        X = summed(X.tocsr())
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


def table_of(x: Any, known: Names, name: str = "x") -> Array:
    """table(x), whose columns have the names that are known, where both have some."""
    same_names(names_of(x), known, name)
    return table(x)


def is_column(given: Any, columns: int) -> bool:
    """Whether it is the number of one of so many columns."""
    return isinstance(given, (int, np.integer)) and not isinstance(given, bool) and given in range(columns)


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
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight must be one number >= 0 for each row of X; its shape is {weights.shape}")
    if not np.all(weights >= 0) or np.any(np.isinf(weights)):
        place = np.flatnonzero(~(weights >= 0) | np.isinf(weights))[0]
        raise ValueError(f"sample_weight[{place}] is {weights[place]}; every weight must be a finite number >= 0")
    if not np.any(weights > 0):
        raise ValueError("sample_weight is zero for all rows of X; one weight must be positive")
    return weights


def row_numbers(X: np.ndarray) -> np.ndarray:
    """A number for each row, the same for equal rows; different rows have the same one by less than chance 2^-40."""
    bits = (np.array(X.reshape(len(X), -1), dtype=np.float64, order="C") + 0.0).view(np.uint64)
    bits ^= bits >> np.uint64(32)
    bits *= np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(29)
    factors = np.random.default_rng(1).integers(0, 2 ** 63, size=bits.shape[1], dtype=np.uint64) * np.uint64(2)
    rows = (bits * (factors + np.uint64(1))).sum(axis=1, dtype=np.uint64)
    rows ^= rows >> np.uint64(32)  # so that sums over rows tell which values stand in one row
    return rows * np.uint64(0xD6E8FEB86659FD93)


def copies(X: Any, y: np.ndarray) -> int:
    """How many rows have the X and the y of a row before; of sparse rows that is not looked for."""
    if not isinstance(X, np.ndarray) or X.shape[1] == 0:
        return 0
    of_y = row_numbers(y)
    _, place, count = np.unique(of_y, return_inverse=True, return_counts=True)
    tied = np.flatnonzero(count[place.ravel()] > 1)
    return len(tied) - len(np.unique(row_numbers(X[tied]) ^ of_y[tied])) if len(tied) > 0 else 0


def warn_of_copies(X: Any, y: np.ndarray, stacklevel: int) -> None:
    """Warns where rows have the X and the y of other rows: their leave-one-out errors see the row that was left out."""
    count = copies(X, y)
    if count > 0:
        warnings.warn(f"{count} rows have the X and the y of other rows: their leave-one-out errors are too small, as "
                      "the other rows stay; fit(X, y, groups=make_groups(X)) leaves equal rows out together",
                      stacklevel=stacklevel + 1)


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


def numbers_of(values: Any, name: str, count: Optional[int] = None) -> Array:
    """Positive numbers, or exactly `count` of them, ascending."""
    array = np.array(real(values, name), dtype=np.float64)
    good = array.ndim == 1 and len(array) > 0 and count in (None, len(array))
    good = good and bool(np.all(np.isfinite(array) & (array >= 0)))
    if not good or count is not None and not (array[0] > 0 and np.all(np.diff(array) >= 0)):
        what = "numbers >= 0" if count is None else f"{count} positive numbers, the lower one first"
        raise ValueError(f"{name} must be {what}, not {values!r}")
    return array


def one_each(values: Any, outputs: int, name: str) -> Array:
    """A number for each output, of such numbers or one for all."""
    array = real(values, name)
    if array.shape not in ((), (outputs,)):
        raise ValueError(f"{name} has shape {array.shape}; it must be one number, or one for each of the {outputs} "
                         "outputs")
    return np.array(np.broadcast_to(array, outputs), dtype=np.float64)


def read_labels(values: Any) -> np.ndarray:
    """Labels of any kind as objects, of which equal ones are one label, as 1 and 1.0; None where there is none: None,
    NaN, pandas.NA, NaT, or what is masked."""
    given = values if hasattr(values, "__array__") else np.array(values, dtype=object)
    array = np.asarray(given)
    labels = np.empty(array.shape, dtype=object)
    for place, label in enumerate(array.flat if array.dtype.kind in "mM" else array.ravel().tolist()):
        labels.flat[place] = None if _is_missing(label) else label
    if isinstance(given, np.ma.MaskedArray):
        labels[np.ma.getmaskarray(given)] = None
    return labels


def label_codes(labels: np.ndarray) -> np.ndarray:
    """Whole numbers from 0 on for labels of read_labels(), in ascending order where they have one; -1 for None."""
    known = dict.fromkeys(label for label in labels.flat if label is not None)
    try:
        names = sorted(known)
    except TypeError:
        names = sorted(known, key=str)
    codes = {None: -1, **{name: code for code, name in enumerate(names)}}
    return np.array([codes[label] for label in labels.flat], dtype=np.int32).reshape(labels.shape)


def group_labels(groups: Any, gap: Any, rows: int,
                 used: Optional[np.ndarray]) -> Tuple[np.ndarray, Optional[np.ndarray]]:
    """Labels of any kind, n or n x k (k divisions of the rows), as whole numbers for the rows `used` (None: all); -1: a
    row that is never left out, as it has no label or a negative number. And, unless gap is None, those of rows beside a
    group: n or n x (l k), l layers for each of the k divisions; -1: none, as is every label that no row of the division
    has."""
    labels, beside = labels_of_groups(groups), None if gap is None else labels_of_groups(gap)
    if labels.ndim not in (1, 2) or len(labels) != rows or labels.size == 0:
        raise ValueError(f"groups has shape {labels.shape}; it must have a label for each of the {rows} rows of X")
    columns = labels.reshape(rows, -1)
    codes = np.stack([label_codes(column) for column in columns.T], axis=1)
    kept: Any = slice(None) if used is None else used
    if np.any(np.all(codes[kept] < 0, axis=0)):
        raise ValueError("groups has no label at a row whose weight is positive")
    found = codes[kept, 0] if labels.ndim == 1 else codes[kept]
    if beside is None:
        return found, None
    if beside.ndim not in (1, 2) or len(beside) != rows or beside.size % labels.size != 0:
        raise ValueError(f"gap has shape {beside.shape}; it must have a label for each of the {rows} rows of X, in as many "
                         f"columns as groups, {columns.shape[1]}, or a multiple")
    layers = beside.reshape(rows, -1).T
    of_division = [dict(zip(column, own)) for column, own in zip(columns.T, codes.T)]
    gaps = [[of_division[place * len(of_division) // len(layers)].get(label, -1) for label in layer]
            for place, layer in enumerate(layers)]
    return found, np.array(gaps, dtype=np.int32).T[kept]


def labels_of_groups(values: Any) -> np.ndarray:
    """read_labels(), without negative numbers."""
    labels = read_labels(values)
    negative = np.array([isinstance(label, Real) and label < 0 for label in labels.flat], dtype=bool)
    labels[negative.reshape(labels.shape)] = None
    return labels


def _is_missing(label: Any) -> bool:
    """None, NaN, pandas.NA or NaT."""
    return label is None or type(label).__name__ == "NAType" or bool(label != label)


def class_labels(y: Any, rows: int) -> np.ndarray:
    """n labels: numbers that are whole, bool or text, all of one kind."""
    refuse_masked(y, "y")
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        _warn_of_a_column()
        labels = labels[:, 0]
    if labels.ndim != 1 or len(labels) != rows:
        raise ValueError(f"y has shape {labels.shape}; it must have a label for each of the {rows} rows of X")
    if labels.dtype.kind == "f":
        if not np.all(np.isfinite(labels)):
            raise ValueError(f"y[{np.flatnonzero(~np.isfinite(labels))[0]}] is NaN or inf; all labels must be known")
        if not np.all(labels == np.round(labels)):
            raise ValueError("Unknown label type: y has numbers that are not whole: labels of classes are whole "
                             "numbers or text")
    elif labels.dtype.kind in "OUS":
        known = read_labels(y).ravel().tolist()  # numpy makes text of what stands beside text in a list
        if None in known:
            raise ValueError(f"y[{known.index(None)}] is missing; all labels must be known")
        if len({isinstance(label, (str, bytes)) for label in known}) > 1:
            raise TypeError("y has labels that are text and others that are not")
    elif labels.dtype.kind not in "biu":
        raise TypeError(f"y has values of the type {labels.dtype}; labels of classes are whole numbers or text")
    return labels


def _warn_of_a_column() -> None:
    exceptions = sys.modules.get("sklearn.exceptions")  # scikit-learn's own class where scikit-learn is in use
    kind = UserWarning if exceptions is None else exceptions.DataConversionWarning
    warnings.warn("A column-vector y was passed when a 1d array was expected; y.ravel() is one", kind, stacklevel=4)


def class_weights(given: Any, classes: np.ndarray, count: np.ndarray) -> Optional[Array]:
    """The weight of a row of each class; None: no weights."""
    if given is None:
        return None
    if isinstance(given, str):
        choice({"balanced": 0}, given, "class_weight")
        return np.sum(count) / (len(classes) * count)
    if not isinstance(given, dict):
        raise TypeError('class_weight must be None, "balanced" or the weight of each class by its label, not '
                        f"{given!r}")
    known = list(classes)
    unknown = [label for label in given if label not in known]
    if unknown:
        raise ValueError(f"class_weight has the class {unknown[0]!r}, and y has {', '.join(map(str, known))}")
    return sample_weights([given.get(label, 1.0) for label in known], len(known))
