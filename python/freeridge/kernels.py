"""Kernel functions k(x, z): small objects that do not change."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, empty, numbers, pointer, points_of, struct_of, vector
from .library import c_text, call, hold, library


class Kernel:
    """A kernel function, by the name of its call and the call's arguments: Kernel("gaussian", 1.5). linear() and the
    other functions below are the way to make one, and k1 + k2, 2 * k and k1 * k2 of kernels are kernels. str() of a kernel is its text, which parse_kernel() reads; kernels
    are equal when their texts are; pickle and copy keep every bit of their numbers."""

    handle: Any

    def __init__(self, name: str, *arguments: Any) -> None:
        hold(self, c.KERNEL(), "freeridge_kernel_destroy")
        call("kernel_" + name, *arguments, ctypes.byref(self.handle))

    def __str__(self) -> str:
        length = c.INT64()
        call("kernel_describe", self.handle, 0, None, length)
        text = ctypes.create_string_buffer(length.value + 1)
        call("kernel_describe", self.handle, len(text), text, length)
        return text.value.decode()

    def __repr__(self) -> str:
        return f"parse_kernel({str(self)!r})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return parse_kernel, (str(self),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Kernel):
            return NotImplemented
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __add__(self, other: object) -> Kernel:
        """The sum; terms of sums are terms of the new one, as in R."""
        if not isinstance(other, Kernel):
            return NotImplemented
        terms, weights = zip(*(_weighted_terms(self) + _weighted_terms(other)))
        return sum_kernel(terms, weights)

    def __mul__(self, other: object) -> Kernel:
        """The product with a kernel, or with a positive number, which multiplies the weights."""
        if isinstance(other, Kernel):
            return product_kernel([*_factors(self), *_factors(other)])
        if isinstance(other, bool) or not isinstance(other, (int, float, np.integer, np.floating)):
            return NotImplemented
        if not 0 < other < np.inf:
            raise ValueError(f"a kernel can be multiplied by a kernel or a positive number, not by {other!r}")
        terms, weights = zip(*_weighted_terms(self))
        return sum_kernel(terms, float(other) * np.array(weights))

    __rmul__ = __mul__

    @classmethod
    def adopt(cls, handle: Any) -> Kernel:
        """A kernel of a handle that a call has made; the handle is freed with the kernel. Cost: O(1)."""
        kernel = cls.__new__(cls)
        hold(kernel, handle, "freeridge_kernel_destroy")
        return kernel

    @property
    def name(self) -> str:
        """The word of its kind: "gaussian", "sum", "scaled". Cost: O(1)."""
        return library.freeridge_kernel_name(self.handle).decode()

    @property
    def parameters(self) -> Dict[str, Array]:
        """Its parameters by name, without those of its parts. Each is an array: of one number; for `scale` of one for
        each feature; for `weights` of one for each term; for `label`, of an additive or a multiplicative kernel, of
        one for each feature, or empty. Cost: O(numbers)."""
        found = {}
        for index in range(self._counts()[0]):
            length = c.INT64()
            call("kernel_get_parameter", self.handle, index, 0, None, length)
            values = numbers(length.value)
            call("kernel_get_parameter", self.handle, index, length.value, pointer(values), length)
            found[library.freeridge_kernel_parameter_name(self.handle, index).decode()] = values
        return found

    @property
    def parts(self) -> List[Kernel]:
        """The kernels that it is made of: the terms of a sum, the factors of a product, the inner kernel of others. Cost:
        O(their number)."""
        found = []
        for index in range(self._counts()[1]):
            handle = c.KERNEL()
            call("kernel_get_part", self.handle, index, ctypes.byref(handle))
            found.append(Kernel.adopt(handle))
        return found

    @property
    def hyperparameters(self) -> Array:
        """All continuous numbers of it and of its parts, in the order of its text: weights, scales, sigma, length, period,
        and scale and offset of polynomials. Cost: O(numbers)."""
        values = numbers(self._hyperparameter_count())
        call("kernel_get_hyperparameters", self.handle, None, pointer(values))
        return values

    @property
    def hyperparameter_names(self) -> List[str]:
        """The names of its hyperparameters: "gaussian.sigma", "sum[1].scaled.scale[0]". Cost: O(numbers kernels)."""
        found = []
        for index in range(self._hyperparameter_count()):
            length = c.INT64()
            call("kernel_hyperparameter_name", self.handle, index, 0, None, length)
            text = ctypes.create_string_buffer(length.value + 1)
            call("kernel_hyperparameter_name", self.handle, index, len(text), text, length)
            found.append(text.value.decode())
        return found

    def with_hyperparameters(self, values: ArrayLike) -> Kernel:
        """The same kernel with other hyperparameters. Raises InputError where a number cannot be. Cost: O(numbers)."""
        others = vector(values, length=self._hyperparameter_count(), name="values")
        handle = c.KERNEL()
        call("kernel_with_hyperparameters", self.handle, pointer(others), ctypes.byref(handle))
        return Kernel.adopt(handle)

    def _hyperparameter_count(self) -> int:
        count = c.INT64()
        call("kernel_get_hyperparameters", self.handle, count, None)
        return count.value

    def _counts(self) -> Tuple[int, int]:
        parameters, parts = c.INT32(), c.INT32()
        call("kernel_get_counts", self.handle, parameters, parts)
        return parameters.value, parts.value

    def values(self, x: ArrayLike, z: ArrayLike) -> Array:
        """k(x_i, z_j) for the rows of x (m x d) and z (r x d): m x r. A precomputed kernel has none: InputError. Cost:
        O(m r d)."""
        points = points_of(x)
        others = points_of(z, "z")
        if others.columns != points.columns:
            raise ValueError(f"x has {points.columns} columns, z has {others.columns}")
        out = empty(points.rows, others.rows, points.layout)
        call("kernel_evaluate", self.handle, struct_of(points), struct_of(others), points.layout, pointer(out),
             others.rows if points.layout == c.ROW_MAJOR else points.rows)
        return out

    def linear_scale(self, d: int) -> Optional[Array]:
        """The d divisors of a linear kernel, k(x, z) = sum_k x_k z_k / scale_k^2; None for other kernels. Raises
        InputError for a scaled kernel of another d. Cost: O(d)."""
        scale, is_linear = numbers(d), c.INT32()
        call("kernel_linear_scale", self.handle, d, pointer(scale), is_linear)
        return scale if is_linear.value else None

    def scaled(self, scale: ArrayLike) -> Kernel:
        """k(x / scale, z / scale), column by column. scale: d positive numbers, in the units of the columns of x.
        Raises InputError. Cost: O(d)."""
        scale = vector(scale, name="scale")
        return Kernel("scaled", self.handle, len(scale), pointer(scale))

    def additive(self, label: Optional[ArrayLike] = None) -> Kernel:
        """The mean of this kernel over terms of the columns: each column (label None), or those with equal labels;
        columns with a negative label are in none. Raises InputError. Cost: O(d log d)."""
        if label is None:
            return Kernel("additive", self.handle, 0, None)
        terms = vector(label, np.int32, name="label")
        return Kernel("additive", self.handle, len(terms), pointer(terms))

    def multiplicative(self, label: Optional[ArrayLike] = None) -> Kernel:
        """The product of this kernel over terms of the columns, as additive() has them: of laplacian(1 / gamma) it is
        exp(-gamma sum_k |x_k - z_k|), scikit-learn's laplacian_kernel. Raises InputError. Cost: O(d log d)."""
        terms = "" if label is None else str(vector(label, np.int32, name="label").tolist()) + ", "
        return parse_kernel(f"multiplicative({terms}{self})")


def constant() -> Kernel:
    """1. A part of products: (constant() + 0.3 * k1) * (constant() + 0.7 * k2). Cost: O(1)."""
    return parse_kernel("constant()")


def anova(kernel: Kernel, label: ArrayLike, weights: ArrayLike = 1.0) -> Kernel:
    """prod_t (1 + weights_t kernel(x_t, z_t)) over the terms t of the columns, those with equal labels; columns with a
    negative label are in none. weights: a positive number for each label in the order of their first columns, or one
    for all; Model.select_kernel(), or FreeRidge(learn="all"), learns them. A function with it is a sum of functions of
    any number of terms each. Raises InputError. Source: M. Stitson et al., Support vector regression with ANOVA
    decomposition kernels, 1999. Cost: O(terms d)."""
    labels = vector(label, np.int32, name="label")
    terms = [each for each in dict.fromkeys(labels.tolist()) if each >= 0]
    if not terms:
        raise ValueError("label has no number that is not negative: one term is needed")
    sizes = np.broadcast_to(np.asarray(weights, dtype=float), len(terms))
    return product_kernel([sum_kernel([constant(), kernel.additive(np.where(labels == term, 0, -1))], [1.0, weight])
                           for term, weight in zip(terms, sizes)])


def periodic(period: float, kernel: Kernel) -> Kernel:
    """kernel (gaussian, laplacian or matern) at the distance r^2 = sum_k 4 sin^2(pi (x_k - z_k) / period), which is that
    of points on a circle of radius 1; period > 0, in the units of x, else InputError. scikit-learn's
    ExpSineSquared(l, p) is periodic(p, gaussian(sqrt(2) * l)) of one column. Source: D. MacKay, Introduction to Gaussian
    processes, 1998. Cost: O(1)."""
    return parse_kernel(f"periodic(period = {float(period)!r}, {kernel})")


def sphere(kernel: Kernel) -> Kernel:
    """kernel (gaussian, laplacian or matern, else InputError) at the distance 2 sin(angle / 2) of points on a sphere of
    radius 1; x has two columns, longitude and latitude in degrees. On the earth a length of 0.1 is 637 km. Source: T.
    Gneiting, Strictly and non-strictly positive definite functions on spheres, Bernoulli 19(4), 2013. Cost: O(1)."""
    return parse_kernel(f"sphere({kernel})")


def linear() -> Kernel:
    """x'z. Cost: O(1)."""
    return Kernel("linear")


def polynomial(degree: int, scale: float, offset: float) -> Kernel:
    """(scale x'z + offset)^degree;  degree >= 1, scale > 0, offset >= 0, else InputError. Cost: O(1)."""
    return Kernel("polynomial", degree, scale, offset)


def gaussian(sigma: float) -> Kernel:
    """exp(-||x - z||^2 / sigma^2);  sigma > 0, in the units of x, else InputError. gamma of scikit-learn's rbf is
    1 / sigma^2; a length scale s has sigma = sqrt(2) s. Cost: O(1)."""
    return Kernel("gaussian", sigma)


def laplacian(sigma: float) -> Kernel:
    """exp(-||x - z|| / sigma) of the Euclidean norm;  sigma > 0, in the units of x, else InputError. scikit-learn's
    laplacian, exp(-gamma sum_k |x_k - z_k|), is laplacian(1 / gamma).multiplicative(). Cost: O(1)."""
    return Kernel("laplacian", sigma)


def matern(nu: float, length: float) -> Kernel:
    """Of u = sqrt(2 nu) ||x - z|| / length, for nu = 0.5, 1.5 or 2.5: exp(-u), (1 + u) exp(-u),
    (1 + u + u^2 / 3) exp(-u);  length > 0, in the units of x; else InputError. Cost: O(1)."""
    return Kernel("matern", nu, length)


def precomputed() -> Kernel:
    """k is given: a model's x is K itself, n x n, symmetric and positive semi-definite, and predictions take the m x n
    values k(x*_i, x_j). In a sum of p precomputed kernels x is numpy.hstack([K_1, ..., K_p]), and predictions take the
    m x (p n) values; Model.select_kernel(REML, label=[-1, 0, 1, ...], shrinkage=inf) then finds the variance of each. It
    cannot be a part of any other kernel. Cost: O(1)."""
    return Kernel("precomputed")


def _weighted_terms(kernel: Kernel) -> List[Tuple[Kernel, float]]:
    return list(zip(kernel.parts, kernel.parameters["weights"])) if kernel.name == "sum" else [(kernel, 1.0)]


def _factors(kernel: Kernel) -> List[Kernel]:
    return kernel.parts if kernel.name == "product" else [kernel]


def _handles(kernels: Sequence[Kernel]) -> Any:
    return (c.KERNEL * len(kernels))(*[kernel.handle for kernel in kernels])


def sum_kernel(terms: Sequence[Kernel], weights: Optional[ArrayLike] = None) -> Kernel:
    """sum_i weights[i] terms[i];  weights: a number >= 0 for each term, one of them positive; None: all one. Raises
    InputError. Cost: O(terms)."""
    weights = None if weights is None else vector(weights, length=len(terms), name="weights")
    return Kernel("sum", _handles(terms), pointer(weights), len(terms))


def product_kernel(factors: Sequence[Kernel]) -> Kernel:
    """prod_i factors[i]. Raises InputError. Cost: O(factors)."""
    return Kernel("product", _handles(factors), len(factors))


def parse_kernel(text: str) -> Kernel:
    """From text such as "0.5 * linear() + gaussian(sigma = 2)", which str() of a kernel gives, with the same numbers to
    the last bit. Raises InputError, which says what was expected and at which character. Cost: O(len(text))."""
    return Kernel("parse", c_text(text.encode("utf-8", "surrogateescape"), "text"))
