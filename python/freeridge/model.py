"""Kernels, models and accumulators, and the calls without a handle that go with them."""

import ctypes
import operator
import os

import numpy as np

from . import library as c
from .arrays import Matrix, empty, pointer, vector
from .library import call, library


class Kernel:
    """A kernel function, by the name of its call and the call's arguments: Kernel("gaussian", 1.5). See linear() and
    the other functions below."""

    def __init__(self, name, *arguments):
        self.handle = c.KERNEL()
        call("kernel_" + name, *arguments, ctypes.byref(self.handle))

    def __del__(self):
        library.freeridge_kernel_destroy(self.handle)

    def __str__(self):
        length = c.INT64()
        call("kernel_describe", self.handle, 0, None, length)
        text = ctypes.create_string_buffer(length.value + 1)
        call("kernel_describe", self.handle, len(text), text, length)
        return text.value.decode()

    def __repr__(self):
        return f"parse_kernel({str(self)!r})"

    def __reduce__(self):  # for pickle and copy
        return parse_kernel, (str(self),)

    def __eq__(self, other):
        return isinstance(other, Kernel) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    def scaled(self, scale):
        """This kernel of x / scale, column by column."""
        scale = vector(scale)
        return Kernel("scaled", self.handle, len(scale), pointer(scale))


def linear():
    return Kernel("linear")


def polynomial(degree, scale, offset):
    return Kernel("polynomial", degree, scale, offset)


def gaussian(sigma):
    """exp(-||x - z||^2 / sigma^2)"""
    return Kernel("gaussian", sigma)


def laplacian(sigma):
    return Kernel("laplacian", sigma)


def matern(nu, length):
    return Kernel("matern", nu, length)


def precomputed():
    return Kernel("precomputed")


def _handles(kernels):
    return (c.KERNEL * len(kernels))(*[kernel.handle for kernel in kernels])


def sum_kernel(terms, weights=None):
    weights = None if weights is None else vector(weights, length=len(terms), name="weights")
    return Kernel("sum", _handles(terms), pointer(weights), len(terms))


def product_kernel(factors):
    return Kernel("product", _handles(factors), len(factors))


def parse_kernel(text):
    """From text such as "0.5 * linear() + gaussian(sigma = 2)", which str() of a kernel gives."""
    return Kernel("parse", text.encode())


def convert_lambda(source, target, n, sd_y, value):
    """lambda of another system: the constants TOTAL, MEAN, GLMNET, ..."""
    out = c.DOUBLE()
    call("convert_lambda", source, target, n, sd_y, value, out)
    return out.value


def make_folds(n, folds, seed):
    """Labels of `folds` folds, for Model.group_errors."""
    out = np.empty(n, dtype=np.int32)
    call("make_folds", n, folds, seed, pointer(out))
    return out


def set_threads(count):
    """Of the whole process; 0: as it was before."""
    call("set_threads", count)


class Model:
    """Data and one factorization, which is made here unless factorize=False; then every lambda and its leave-one-out
    errors are nearly free. x: n x d; y: n, or n x t. weights: n positive numbers. landmarks: how many, or which rows.
    copy=False: x and y are borrowed and must not change while the model lives. progress: a function of the fraction
    done that returns true to cancel."""

    def __init__(self, kernel, x, y, weights=None, intercept=True, route=c.AUTO, landmarks=None, seed=0, copy=True,
                 progress=None, factorize=True):
        self.handle = c.MODEL()
        call("create", kernel.handle, ctypes.byref(self.handle))
        x = Matrix(x)
        y = Matrix(y, x.layout)
        if y.rows != x.rows:
            raise ValueError(f"x has {x.rows} rows, y has {y.rows}")
        self.n, self.d, self.t = x.rows, x.columns, y.columns
        call("set_data" if copy else "set_data_view", self.handle, x.layout, self.n, self.d, x.pointer, x.ld, self.t,
             y.pointer, y.ld)
        self._borrowed = None if copy else (x.array, y.array)
        if weights is not None:
            call("set_weights", self.handle, pointer(vector(weights, length=self.n, name="weights")))
        call("set_intercept", self.handle, int(intercept))
        call("set_route", self.handle, route)
        if landmarks is not None:
            rows = None if np.ndim(landmarks) == 0 else vector(landmarks, np.int64)
            call("set_landmarks", self.handle, operator.index(landmarks) if rows is None else len(rows), pointer(rows))
            call("set_landmark_method", self.handle, c.LANDMARKS_AUTO, seed)
        self._callback, self._raised = None, None
        self.set_progress(progress)
        if factorize:
            self.factorize()

    def __del__(self):
        library.freeridge_destroy(self.handle)

    def _call(self, name, *arguments):
        """A call that may report progress; what the progress function raised goes on after it."""
        self._raised = None
        try:
            call(name, self.handle, *arguments)
        except c.Error as error:
            if self._raised is None:
                raise
            raise self._raised from error
        return self

    def to_bytes(self, predictor=False):
        """The whole model, or what prediction needs; the same bytes as those of a file."""
        name, length = "save_predictor_to_memory" if predictor else "save_to_memory", c.INT64()
        call(name, self.handle, 0, None, length)
        out = ctypes.create_string_buffer(length.value)
        call(name, self.handle, len(out), out, length)
        return out.raw

    @classmethod
    def from_bytes(cls, saved):
        """A model with data of its own."""
        return cls._loaded("load_from_memory", saved, len(saved))

    def save(self, path, predictor=False):
        """To a file: never half of it."""
        call("save_predictor" if predictor else "save", self.handle, os.fsencode(path))

    @classmethod
    def load(cls, path):
        return cls._loaded("load", os.fsencode(path))

    @classmethod
    def _loaded(cls, name, *arguments):
        model = cls.__new__(cls)
        model.handle, model._borrowed, model._callback, model._raised = c.MODEL(), None, None, None
        call(name, *arguments, ctypes.byref(model.handle))
        sizes = [c.INT64(), c.INT64(), c.INT64()]
        call("get_dimensions", model.handle, *sizes)
        model.n, model.d, model.t = (size.value for size in sizes)
        return model

    def __reduce__(self):  # for pickle and copy; a progress function stays behind
        return Model.from_bytes, (self.to_bytes(),)

    def set_progress(self, function):
        def callback(fraction, _):
            try:
                return int(bool(function(fraction)))
            except BaseException as raised:  # no exception crosses the library: it cancels, and is kept
                self._raised = raised
                return 1

        kept = c.PROGRESS() if function is None else c.PROGRESS(callback)
        call("set_progress", self.handle, kept, None)
        self._callback = kept  # as long as the library knows it
        return self

    def factorize(self):
        return self._call("factorize")

    def set_lambda(self, value):
        """One number, or one for each output."""
        if np.ndim(value) == 0:
            return self._call("set_lambda", float(value))
        return self._call("set_lambdas", pointer(vector(value, length=self.t, name="lambda")))

    def set_refinement(self, steps):
        return self._call("set_refinement", steps)

    def set_groups(self, group):
        group = None if group is None else vector(group, np.int32, self.n, "group")
        return self._call("set_groups", pointer(group))

    def _columns(self, name, rows, *arguments):
        out = empty(rows, self.t)
        self._call(name, *arguments, pointer(out), rows)
        return out

    def loo(self):
        """Exact leave-one-out errors, n x t."""
        return self._columns("loo", self.n)

    def group_errors(self, group):
        """Exact errors with whole groups left out, n x t."""
        return self._columns("group_errors", self.n, pointer(vector(group, np.int32, self.n, "group")))

    def hyperplane(self):
        return self._columns("get_hyperplane", self.d)

    def coefficients(self):
        return self._columns("get_coefficients", self.n)

    def fitted(self):
        return self._columns("get_fitted", self.n)

    def _numbers(self, name, count, dtype=np.float64):
        out = np.empty(count, dtype)
        self._call(name, pointer(out))
        return out

    def intercept(self):
        return self._numbers("get_intercept", self.t)

    def lambdas(self):
        return self._numbers("get_lambda", self.t)

    def route(self):
        return int(self._numbers("get_route", 1, np.int32)[0])

    def bandwidth(self):
        return float(self._numbers("get_bandwidth", 1)[0])

    def predict(self, x):
        """m x t."""
        x = Matrix(x)
        if x.columns != self.d:
            raise ValueError(f"x has {x.columns} columns, the model's data have {self.d}")
        out = empty(x.rows, self.t, x.layout)
        self._call("predict", x.layout, x.rows, x.pointer, x.ld, pointer(out),
                   self.t if x.layout == c.ROW_MAJOR else x.rows)
        return out

    def score(self, criterion, lambdas):
        """The criterion at each of some lambdas, for each output."""
        lambdas = vector(lambdas)
        return self._columns("score", len(lambdas), criterion, len(lambdas), pointer(lambdas))

    def lambda_grid(self, count):
        out = np.empty(count)
        self._call("lambda_grid", count, pointer(out))
        return out

    def select_lambda(self, criterion, low=0.0, high=0.0):
        """The best lambda of each output and its score; the model is fitted at it."""
        chosen, score = np.empty(self.t), np.empty(self.t)
        self._call("select_lambda", criterion, low, high, pointer(chosen), pointer(score))
        return chosen, score

    def select_bandwidth(self, criterion, low=0.0, high=0.0, budget=0):
        """The best sigma of the kernel, with lambda chosen for each; the model is fitted at it."""
        tried = empty(budget or c.DEFAULT_BUDGET, 2)
        sigma, used = c.DOUBLE(), c.INT64()
        self._call("select_bandwidth", criterion, low, high, budget, sigma, pointer(tried), used)
        return sigma.value


class Accumulator:
    """Ridge regression on rows that come in chunks and are forgotten."""

    def __init__(self, d, t=1, intercept=True):
        self.handle, self.d, self.t = c.ACCUMULATOR(), d, t
        call("accumulator_create", d, t, int(intercept), ctypes.byref(self.handle))

    def __del__(self):
        library.freeridge_accumulator_destroy(self.handle)

    def add(self, x, y, weights=None):
        x = Matrix(x)
        y = Matrix(y, x.layout)
        if (x.columns, y.rows, y.columns) != (self.d, x.rows, self.t):
            raise ValueError(f"x is {x.rows} x {x.columns}, y {y.rows} x {y.columns}; d = {self.d}, t = {self.t}")
        weights = None if weights is None else vector(weights, length=x.rows, name="weights")
        call("accumulator_add", self.handle, x.layout, x.rows, x.pointer, x.ld, y.pointer, y.ld, pointer(weights))
        return self

    def score(self, criterion, lambdas):
        """GCV or REML at each of some lambdas, for each output."""
        lambdas = vector(lambdas)
        out = empty(len(lambdas), self.t)
        call("accumulator_score", self.handle, criterion, len(lambdas), pointer(lambdas), pointer(out), len(lambdas))
        return out

    def solve(self, lambdas):
        """w, d x (count t), and b, t x count."""
        lambdas = vector(lambdas)
        w, b = empty(self.d, len(lambdas) * self.t), empty(self.t, len(lambdas))
        call("accumulator_solve", self.handle, len(lambdas), pointer(lambdas), pointer(w), self.d, pointer(b))
        return w, b
