"""The C interface of freeridge through ctypes: what a Python program needs, and no more.

FREERIDGE_LIBRARY in the environment is the path of the shared library.
"""

import ctypes
import os

import numpy as np

CHOLESKY, SPECTRAL, PRIMAL = 1, 2, 4
LOO, GCV, REML, GROUPS, ERROR_RATE = 1, 2, 3, 4, 5
TOTAL, MEAN, GLMNET, SKLEARN, LM_RIDGE, KRLS, GURLS = 1, 2, 3, 4, 5, 6, 7
ROW_MAJOR = 2

_library = ctypes.CDLL(os.environ["FREERIDGE_LIBRARY"])
_library.freeridge_last_error.restype = ctypes.c_char_p
_library.freeridge_status_name.restype = ctypes.c_char_p


class Error(Exception):
    pass


def _call(name, *arguments):
    status = getattr(_library, "freeridge_" + name)(*arguments)
    if status != 0:
        word = _library.freeridge_status_name(status).decode()
        raise Error(f"{name}: {word}: {_library.freeridge_last_error().decode()}")


def _int(value):
    return ctypes.c_int64(value)


def _pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def _rows(array):
    """A float matrix whose rows are contiguous, and its leading dimension. A slice of columns is not copied."""
    array = np.asarray(array, dtype=np.float64)
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.strides[1] != 8 or array.strides[0] < 8 * array.shape[1]:
        array = np.ascontiguousarray(array)
    return array, array.strides[0] // 8


class Kernel:
    def __init__(self, name, *arguments):
        self.handle = ctypes.c_void_p()
        _call("kernel_" + name, *arguments, ctypes.byref(self.handle))

    def __del__(self):
        _library.freeridge_kernel_destroy(self.handle)


def linear():
    return Kernel("linear")


def polynomial(degree, scale, offset):
    return Kernel("polynomial", ctypes.c_int32(degree), ctypes.c_double(scale), ctypes.c_double(offset))


def gaussian(sigma):
    return Kernel("gaussian", ctypes.c_double(sigma))


def convert_lambda(source, target, n, sd_y, value):
    out = ctypes.c_double()
    _call("convert_lambda", source, target, _int(n), ctypes.c_double(sd_y), ctypes.c_double(value), ctypes.byref(out))
    return out.value


def make_folds(n, folds, seed):
    out = np.empty(n, dtype=np.int32)
    _call("make_folds", _int(n), folds, _int(seed), _pointer(out))
    return out


class Model:
    """A model that is factorized when it is made."""

    def __init__(self, kernel, x, y, weights=None, intercept=True, route=0):
        self.handle = ctypes.c_void_p()
        _call("create", kernel.handle, ctypes.byref(self.handle))
        x, ldx = _rows(x)
        y, ldy = _rows(y)
        self.n, self.d = x.shape
        self.t = y.shape[1]
        _call("set_data", self.handle, ROW_MAJOR, _int(self.n), _int(self.d), _pointer(x), _int(ldx),
              _int(self.t), _pointer(y), _int(ldy))
        if weights is not None:
            _call("set_weights", self.handle, _pointer(np.ascontiguousarray(weights, dtype=np.float64)))
        _call("set_intercept", self.handle, int(intercept))
        _call("set_route", self.handle, route)
        _call("factorize", self.handle)

    def __del__(self):
        _library.freeridge_destroy(self.handle)

    def set_lambda(self, value):
        if np.ndim(value) == 0:
            _call("set_lambda", self.handle, ctypes.c_double(value))
        else:
            _call("set_lambdas", self.handle, _pointer(np.ascontiguousarray(value, dtype=np.float64)))
        return self

    def set_refinement(self, steps):
        _call("set_refinement", self.handle, ctypes.c_int32(steps))
        return self

    def _columns(self, name, rows, *arguments):
        out = np.empty((rows, self.t), order="F")
        _call(name, self.handle, *arguments, _pointer(out), _int(rows))
        return out

    def loo(self):
        return self._columns("loo", self.n)

    def group_errors(self, group):
        return self._columns("group_errors", self.n, _pointer(np.ascontiguousarray(group, dtype=np.int32)))

    def hyperplane(self):
        return self._columns("get_hyperplane", self.d)

    def coefficients(self):
        return self._columns("get_coefficients", self.n)

    def intercept(self):
        out = np.empty(self.t)
        _call("get_intercept", self.handle, _pointer(out))
        return out

    def predict(self, x):
        x, ldx = _rows(x)
        out = np.empty((x.shape[0], self.t))
        _call("predict", self.handle, ROW_MAJOR, _int(x.shape[0]), _pointer(x), _int(ldx), _pointer(out), _int(self.t))
        return out

    def score(self, criterion, lambdas):
        lambdas = np.ascontiguousarray(lambdas, dtype=np.float64)
        return self._columns("score", lambdas.size, criterion, _int(lambdas.size), _pointer(lambdas))

    def select_lambda(self, criterion, low=0.0, high=0.0):
        chosen, score = np.empty(self.t), np.empty(self.t)
        _call("select_lambda", self.handle, criterion, ctypes.c_double(low), ctypes.c_double(high), _pointer(chosen),
              _pointer(score))
        return chosen, score


LOGISTIC, HINGE = 1, 2


class Classifier:
    """Two classes, labels -1 and +1."""

    def __init__(self, kernel, loss, x, y, weights=None, intercept=True):
        self.handle = ctypes.c_void_p()
        _call("classifier_create", kernel.handle, loss, ctypes.byref(self.handle))
        self.loss = loss
        x, ldx = _rows(x)
        self.n, self.d = x.shape
        _call("classifier_set_data", self.handle, ROW_MAJOR, _int(self.n), _int(self.d), _pointer(x), _int(ldx),
              _pointer(np.ascontiguousarray(y, dtype=np.float64)))
        if weights is not None:
            _call("classifier_set_weights", self.handle, _pointer(np.ascontiguousarray(weights, dtype=np.float64)))
        _call("classifier_set_intercept", self.handle, int(intercept))

    def __del__(self):
        _library.freeridge_classifier_destroy(self.handle)

    def control(self, tolerance, iterations):
        _call("classifier_set_control", self.handle, ctypes.c_double(tolerance), _int(iterations))
        return self

    def fit(self, value):
        _call("classifier_fit", self.handle, ctypes.c_double(value))
        return self

    def decision(self, x):
        x, ldx = _rows(x)
        out = np.empty(x.shape[0])
        _call("classifier_predict", self.handle, ROW_MAJOR, _int(x.shape[0]), _pointer(x), _int(ldx), _pointer(out),
              None)
        return out

    def probability(self, x):
        x, ldx = _rows(x)
        out = np.empty(x.shape[0])
        _call("classifier_predict", self.handle, ROW_MAJOR, _int(x.shape[0]), _pointer(x), _int(ldx), None,
              _pointer(out))
        return out

    def loo(self):
        out = np.empty(self.n)
        _call("classifier_loo", self.handle, _pointer(out))
        return out

    def coefficients(self):
        c, b = np.empty(self.n), ctypes.c_double()
        _call("classifier_get_coefficients", self.handle, _pointer(c), ctypes.byref(b))
        return c, b.value

    def convergence(self):
        objective, iterations, gap = ctypes.c_double(), ctypes.c_int64(), ctypes.c_double()
        _call("classifier_get_convergence", self.handle, ctypes.byref(objective), ctypes.byref(iterations),
              ctypes.byref(gap))
        return objective.value, iterations.value, gap.value

    def support(self):
        count, rows, margin = ctypes.c_int64(), np.empty(self.n, dtype=np.int64), ctypes.c_double()
        _call("classifier_get_support", self.handle, ctypes.byref(count), _pointer(rows), ctypes.byref(margin))
        return rows[: count.value], margin.value
