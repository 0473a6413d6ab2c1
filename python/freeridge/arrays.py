"""numpy arrays as the library sees them. A float64 matrix whose rows or whose columns are contiguous is not copied, nor
is a slice of such a matrix."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from .library import COL_MAJOR, CSC, CSR, DOUBLES, INT32S, INT64S, ROW_MAJOR

Array = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_POINTERS = {np.dtype(np.float64): DOUBLES, np.dtype(np.int32): INT32S, np.dtype(np.int64): INT64S}


def pointer(array: Any) -> Any:
    """The address of the numbers of an array; NULL for None. The pointer keeps the array alive."""
    return None if array is None else array.ctypes.data_as(_POINTERS[array.dtype])


def real(values: Any, name: str) -> np.ndarray:
    """An array of real numbers."""
    if hasattr(values, "toarray"):
        raise TypeError(f"{name} is a sparse matrix, and dense data are needed: use its toarray()")
    array = np.asarray(values)
    if np.iscomplexobj(array):
        raise ValueError(f"{name} has complex numbers: Complex data not supported")
    return array


def vector(values: Any, dtype: Any = np.float64, length: Optional[int] = None, name: str = "the array") -> np.ndarray:
    """A contiguous vector of a given length. For whole numbers (dtype) others are refused, not rounded."""
    given = real(values, name)
    array = np.ascontiguousarray(given, dtype=dtype)
    if array.ndim != 1 or length not in (None, len(array)):
        raise ValueError(f"{name} has shape {array.shape}, expected was {'(n,)' if length is None else (length,)}")
    if array.dtype != np.float64 and not np.all(array == given):
        raise ValueError(f"{name} must be whole numbers of {8 * array.itemsize} bits")
    return array


def matrix_of_labels(values: Any, rows: int, name: str) -> np.ndarray:
    """Whole numbers, n or n x k of them, as a matrix of k columns."""
    columns = real(values, name)
    if columns.ndim == 1:
        columns = columns[:, np.newaxis]
    if columns.ndim != 2 or len(columns) != rows:
        raise ValueError(f"{name} has shape {np.shape(values)}, expected was {(rows,)} or {(rows, 'k')}")
    return vector(columns.ravel(order="F"), np.int32, name=name).reshape(columns.shape, order="F")


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


class Matrix:
    """A matrix with its layout and leading dimension: `array` is the one that was given, or a copy where it has to be.
    A vector is one column. `layout`: the one that it must be in."""

    def __init__(self, values: Any, layout: Optional[int] = None, name: str = "the matrix") -> None:
        array = real(values, name)
        if array.dtype != np.float64 or not array.flags.aligned or not array.dtype.isnative:
            array = array.astype(np.float64)
        if array.ndim == 1:
            array = array[:, np.newaxis]
        if array.ndim != 2 or 0 in array.shape:
            raise ValueError(f"{name}: shape {array.shape} is not that of a matrix with numbers in it")
        for self.layout in (ROW_MAJOR, COL_MAJOR) if layout is None else (layout,):
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


class Sparse:
    """A scipy.sparse matrix as the library takes it. CSR and CSC of float64 numbers with sorted indices of 32 bits are
    not copied, but for the starts of their lines; others are converted."""

    def __init__(self, values: Any, name: str = "the matrix") -> None:
        matrix = values if getattr(values, "format", None) in ("csr", "csc") else values.tocsr()
        if np.iscomplexobj(matrix.data):
            raise ValueError(f"{name} has complex numbers: Complex data not supported")
        if matrix.ndim != 2 or 0 in matrix.shape:
            raise ValueError(f"{name}: shape {matrix.shape} is not that of a matrix with numbers in it")
        if max(matrix.shape) > np.iinfo(np.int32).max:
            raise ValueError(f"{name}: shape {matrix.shape} needs indices of more than 32 bits")
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        self.format = CSR if matrix.format == "csr" else CSC
        self.rows, self.columns = matrix.shape
        self.start = np.ascontiguousarray(matrix.indptr, dtype=np.int64)
        self.index = np.ascontiguousarray(matrix.indices, dtype=np.int32)
        self.value = np.ascontiguousarray(matrix.data, dtype=np.float64)

    @property
    def pointers(self) -> Any:
        return pointer(self.start), pointer(self.index), pointer(self.value)


def empty(rows: int, columns: int, layout: int = COL_MAJOR) -> Array:
    """A matrix for results: NaN until they are there."""
    return np.full((rows, columns), np.nan, order="F" if layout == COL_MAJOR else "C")


def numbers(count: int) -> Array:
    """A vector for results: NaN until they are there."""
    return np.full(count, np.nan)
