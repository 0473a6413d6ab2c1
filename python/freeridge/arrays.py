"""numpy arrays as the library sees them. A float64 matrix whose rows or whose columns are contiguous is not copied, nor
is a slice of such a matrix."""

import numpy as np

from .library import COL_MAJOR, DOUBLES, INT32S, INT64S, ROW_MAJOR

_POINTERS = {np.dtype(np.float64): DOUBLES, np.dtype(np.int32): INT32S, np.dtype(np.int64): INT64S}


def pointer(array):
    """Where the numbers are; None is NULL. The pointer keeps the array alive."""
    return None if array is None else array.ctypes.data_as(_POINTERS[array.dtype])


def vector(values, dtype=np.float64, length=None, name="the array"):
    """A contiguous vector, of a given length."""
    values = np.ascontiguousarray(values, dtype=dtype)
    if values.ndim != 1 or length not in (None, len(values)):
        raise ValueError(f"{name} has shape {values.shape}, expected was {'(n,)' if length is None else (length,)}")
    return values


def leading_dimension(array, layout):
    """The leading dimension with which a matrix is in a layout already; None: it is not."""
    shape, strides = array.shape, array.strides
    line, step = (1, 0) if layout == ROW_MAJOR else (0, 1)  # along this axis numbers are neighbours; and lines follow
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

    def __init__(self, values, layout=None):
        array = np.asarray(values)
        if array.dtype != np.float64 or not array.flags.aligned or not array.dtype.isnative:
            array = array.astype(np.float64)
        if array.ndim == 1:
            array = array[:, np.newaxis]
        if array.ndim != 2 or 0 in array.shape:
            raise ValueError(f"shape {array.shape} is not that of a matrix with numbers in it")
        for self.layout in (ROW_MAJOR, COL_MAJOR) if layout is None else (layout,):
            self.ld = leading_dimension(array, self.layout)
            if self.ld is not None:
                break
        else:
            array = np.array(array, order="C" if self.layout == ROW_MAJOR else "F")
            self.ld = leading_dimension(array, self.layout)
        self.array, (self.rows, self.columns) = array, array.shape

    @property
    def pointer(self):
        return pointer(self.array)


def empty(rows, columns, layout=COL_MAJOR):
    """A matrix for results."""
    return np.empty((rows, columns), order="F" if layout == COL_MAJOR else "C")
