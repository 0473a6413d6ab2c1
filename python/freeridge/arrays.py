"""numpy arrays as the library sees them, and which values are numbers at all. A float64 matrix whose rows or whose
columns are contiguous is not copied, nor is a slice of such a matrix."""

from __future__ import annotations

import reprlib
from typing import Any, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from .library import COL_MAJOR, CSC, CSR, DOUBLES, INT32S, INT64S, ROW_MAJOR, struct

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_POINTERS = {np.dtype(np.float64): DOUBLES, np.dtype(np.int32): INT32S, np.dtype(np.int64): INT64S}


def pointer(array: Any) -> Any:
    """The address of the numbers of an array; NULL for None. The pointer keeps the array alive."""
    return None if array is None else array.ctypes.data_as(_POINTERS[array.dtype])


_COMPLEX = "has complex numbers: Complex data not supported"
_TEXT = ("has text, and numbers are needed: text that stands for numbers becomes them by astype(float), other text by "
         "a column of 0 and 1 for each of its values (pandas.get_dummies)")
_CATEGORY = ("is a category, whose values need not be numbers: use astype(float) where they are, else a column of 0 "
             "and 1 for each of them (pandas.get_dummies)")
_LABELS = ("has labels that are no numbers, and whole numbers are needed: "
           "numpy.unique(labels, return_inverse=True)[1] makes them of any labels")
_DATES = "has dates or times, and numbers are needed, such as days: (t - t.min()) / numpy.timedelta64(1, 'D')"


def real(values: Any, name: str, labels: bool = False) -> np.ndarray:
    """An array of real numbers: of bool, int or float. Objects that stand for a number become it, and None and
    pandas.NA NaN. Masked values, categories, text, dates and complex numbers are refused, in one sentence. labels:
    whether the numbers are only to tell rows apart."""
    if type(values) is np.ndarray and values.dtype.kind in "biuf":
        return values
    if hasattr(values, "toarray"):
        raise TypeError(f"{name} is a sparse matrix, and dense data are needed: use its toarray()")
    for column, kind in _kinds(values):
        if str(kind) == "category":
            raise TypeError(f"{name}{column} " + (_LABELS if labels else _CATEGORY))
    refuse_masked(values, name)
    array = np.asarray(values)
    if array.dtype.kind == "O":
        if labels and any(isinstance(value, (str, bytes)) for value in array.flat):
            raise TypeError(f"{name} {_LABELS}")
        return _of_objects(array, name)
    if array.dtype.kind == "c":
        raise ValueError(f"{name} {_COMPLEX}")
    if array.dtype.kind not in "biuf":
        text = _LABELS if labels else _TEXT
        what = {"U": text, "S": text, "M": _DATES, "m": _DATES}
        raise TypeError(f"{name} {what.get(array.dtype.kind, f'has values of the type {array.dtype}, not numbers')}")
    return array


def refuse_masked(values: Any, name: str) -> None:
    """Raises ValueError where a value is masked."""
    if np.ma.is_masked(values):
        place = ", ".join(map(str, np.argwhere(np.ma.getmaskarray(values))[0]))
        raise ValueError(f"{name}[{place}] is masked, and what is under a mask is no value: leave its row out, or put "
                         "a number there (filled())")


def _kinds(values: Any) -> Any:
    """Of pandas' tables and columns: which column, in words, and the type of its values."""
    kinds: Any = getattr(values, "dtypes", None)
    if hasattr(kinds, "items"):
        return [(f", column {column!r},", kind) for column, kind in kinds.items()]
    return [("", getattr(values, "dtype", None))]


_NUMBERS = (int, float, np.integer, np.floating, np.bool_)


def _of_objects(array: np.ndarray, name: str) -> Array:
    if all(issubclass(kind, _NUMBERS) for kind in set(map(type, array.flat))):
        try:
            return array.astype(np.float64)
        except OverflowError:
            pass  # which number, is said below
    out = np.empty(array.shape)
    for place, value in np.ndenumerate(array):
        try:
            out[place] = _of_object(value)
        except (TypeError, ValueError, OverflowError) as error:
            where = f"{name}[{', '.join(map(str, place))}] is {reprlib.repr(value)}"
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{where}, which is not a real number: {error}") from None
    return out


def _of_object(value: Any) -> float:
    if value is None or type(value).__name__ == "NAType":
        return np.nan
    kind = getattr(getattr(value, "dtype", None), "kind", "f")
    if isinstance(value, complex) or kind == "c":
        raise ValueError("Complex data not supported")
    if isinstance(value, (str, bytes)):  # float() would read them
        raise TypeError("text becomes numbers by astype(float), or by pandas.get_dummies")
    if isinstance(value, np.ndarray) or kind not in "biufO":
        raise TypeError(f"it is of the type {type(value).__name__}")
    return float(value)


def contiguous(values: Any, dtype: Any) -> np.ndarray:
    """Values one after another, each where a number of its type may begin: arrays out of messages or files may not be."""
    return np.require(np.atleast_1d(values), dtype, ["C", "A"])


def vector(values: Any, dtype: Any = np.float64, length: Optional[int] = None, name: str = "the array") -> np.ndarray:
    """A contiguous vector of a given length. For whole numbers (dtype) others are refused, not rounded."""
    given = real(values, name, dtype == np.int32)
    with np.errstate(invalid="ignore"):  # NaN as a whole number, which is seen below
        array = contiguous(given, dtype)
    if array.ndim != 1 or length not in (None, len(array)):
        raise ValueError(f"{name} has shape {array.shape}, expected was {'(n,)' if length is None else (length,)}")
    if array.dtype != np.float64 and not np.all(array == given):
        raise ValueError(f"{name} must be whole numbers of {8 * array.itemsize} bits")
    return array


def matrix_of_labels(values: Any, rows: int, name: str) -> np.ndarray:
    """Whole numbers, n or n x k of them, as a matrix of k columns."""
    columns = real(values, name, True)
    if columns.ndim == 1:
        columns = columns[:, np.newaxis]
    if columns.ndim != 2 or len(columns) != rows:
        raise ValueError(f"{name} has shape {np.shape(values)}, expected was {(rows,)} or {(rows, 'k')}")
    return vector(columns.ravel(order="F"), np.int32, name=name).reshape(columns.shape, order="F")


def read_rows(given: Any, first: int, count: int, d: int, t: int) -> List[np.ndarray]:
    """x, y and, where there are any, weights: what a reader gave for at most `count` rows from `first` on."""
    if not isinstance(given, (tuple, list)) or len(given) not in (2, 3):
        raise TypeError(f"the reader gave {reprlib.repr(given)} at row {first}; it must give x and y, or x, y and "
                        "weights")
    names = ("x", "y", "weights")
    parts = [real(part, f"the reader's {name} (from row {first} on)") for part, name in zip(given, names)
             if name != "weights" or part is not None]
    for k, width in enumerate((d, t)):
        if parts[k].ndim == 1 and (width == 1 or parts[k].size == 0):  # one column; no rows
            parts[k] = parts[k].reshape(-1, width)
    rows = len(parts[0]) if parts[0].ndim else 0
    expected = [(rows, d), (rows, t), (rows,)]
    if rows > count or any(part.shape != shape for part, shape in zip(parts, expected)):
        shapes = ", ".join(f"{name} of shape {part.shape}" for part, name in zip(parts, names))
        raise ValueError(f"the reader gave {shapes} at row {first}; for rows <= {count} it must be x: rows x {d}, y: "
                         f"rows{'' if t == 1 else f' x {t}'}, weights: rows")
    return parts


def leading_dimension(array: np.ndarray, layout: int) -> Optional[int]:
    """The leading dimension of a matrix that is in this layout already, else None."""
    shape, strides = array.shape, array.strides
    line, step = (1, 0) if layout == ROW_MAJOR else (0, 1)  # the axis along a line, and that from line to line
    if shape[line] > 1 and strides[line] != 8:
        return None
    if shape[step] == 1:
        return shape[line]
    if strides[step] < 8 * shape[line] or strides[step] % 8 != 0:
        return None
    return strides[step] // 8


Names = Optional[Tuple[str, ...]]


def names_of(values: Any) -> Names:
    """The names of a table's columns, where all of them are text."""
    names = tuple(getattr(values, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None


def same_names(names: Names, known: Names, what: str) -> Names:
    """What is known of the names of columns after a table with some. Other names, or another order, are refused."""
    if names is None or known is None or names == known:
        return known if names is None else names
    for k, (name, before) in enumerate(zip(names, known)):
        if name != before:
            raise ValueError(f"column {k} of {what} is {name!r}, and was {before!r} in the data before: the columns "
                             "must be the same ones, in the same order")
    return known  # of another number, which is refused by the shape


class Matrix:
    """A matrix with its layout and leading dimension: `array` is the one that was given, or a copy where it has to be.
    A vector is one column. `layout`: the one that it must be in. `names`: of a table's columns."""

    def __init__(self, values: Any, layout: Optional[int] = None, name: str = "the matrix") -> None:
        array, self.names = real(values, name), names_of(values)
        if array.dtype != np.float64 or not array.flags.aligned or not array.dtype.isnative:
            array = array.astype(np.float64)
        if array.ndim == 1:
            array = array[:, np.newaxis]
        if array.ndim != 2 or 0 in array.shape:
            raise ValueError(f"{name}: shape {array.shape} is not that of a matrix with numbers in it")
        either = (COL_MAJOR, ROW_MAJOR) if array.shape[1] == 1 else (ROW_MAJOR, COL_MAJOR)
        for self.layout in either if layout is None else (layout,):
            self.ld = leading_dimension(array, self.layout)
            if self.ld is not None:
                break
        else:
            array = np.array(array, order="C" if self.layout == ROW_MAJOR else "F")
            self.ld = leading_dimension(array, self.layout)
        self.array, (self.rows, self.columns) = array, array.shape

    @property
    def pointer(self) -> Any:
        return pointer(self.array)


def is_sparse(values: Any) -> bool:
    """Whether it is a matrix of scipy.sparse."""
    return hasattr(values, "tocsr") and hasattr(values, "toarray")


def summed(matrix: Any) -> Any:
    """A matrix of scipy.sparse, by rows or columns, with one entry for each place: a copy where places have several."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


class Sparse:
    """A scipy.sparse matrix as the library takes it. CSR and CSC of float64 numbers with sorted indices of 32 bits are
    not copied, but for the starts of their lines; others are converted."""

    def __init__(self, values: Any, name: str = "the matrix") -> None:
        matrix = values if getattr(values, "format", None) in ("csr", "csc") else values.tocsr()
        if matrix.ndim != 2 or 0 in matrix.shape:
            raise ValueError(f"{name}: shape {matrix.shape} is not that of a matrix with numbers in it")
        if max(matrix.shape) > np.iinfo(np.int32).max:
            raise ValueError(f"{name}: shape {matrix.shape} needs indices of more than 32 bits")
        matrix = summed(matrix)
        self.format = CSR if matrix.format == "csr" else CSC
        self.rows, self.columns = matrix.shape
        self.layout = COL_MAJOR  # of answers at these points
        self.start = contiguous(matrix.indptr, np.int64)
        self.index = contiguous(matrix.indices, np.int32)
        self.value = contiguous(real(matrix.data, name), np.float64)

    @property
    def pointers(self) -> Any:
        return pointer(self.start), pointer(self.index), pointer(self.value)


def points_of(values: Any, name: str = "x") -> Union[Matrix, Sparse]:
    """Points as the library takes them, from an array, a table or a scipy.sparse matrix."""
    return Sparse(values, name) if is_sparse(values) else Matrix(values, name=name)


def struct_of(points: Any, unpenalised: Optional[Matrix] = None) -> Any:
    """A Matrix or a Sparse as freeridge_points, with the columns without a penalty, a Matrix in the layout of the
    points (or, of sparse ones, in its own). It keeps both alive."""
    out: Any = struct("points", n=points.rows, d=points.columns)
    out.keeps = points, unpenalised
    if isinstance(points, Sparse):
        out.format = points.format
        out.start, out.index, out.value = points.pointers
    else:
        out.layout, out.x, out.ldx = points.layout, points.pointer, points.ld
    if unpenalised is not None:
        out.layout, out.unpenalised_count = unpenalised.layout, unpenalised.columns
        out.unpenalised, out.ldu = unpenalised.pointer, unpenalised.ld
    return out


def answers(name: str, **arrays: Any) -> Any:
    """freeridge_<name> for answers, which go to these arrays (lambda_ is the field lambda); all else is not wanted."""
    return struct(name, **{word.rstrip("_"): pointer(array) for word, array in arrays.items()})


def empty(rows: int, columns: int, layout: int = COL_MAJOR) -> Array:
    """A matrix for results: NaN until they are there."""
    return np.full((rows, columns), np.nan, order="F" if layout == COL_MAJOR else "C")


def numbers(count: int) -> Array:
    """A vector for results: NaN until they are there."""
    return np.full(count, np.nan)
