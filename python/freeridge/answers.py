"""What a fitted model answers, at the lambdas set."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from . import library as c
from .arrays import (Array, Integers, Matrix, Names, Sparse, empty, leading_dimension, matrix_of_labels, numbers, pointer,
                     points_of, same_names, struct_of, vector)
from .calls import Handle
from .settings import Settings


_WORK_AT_ONCE = 1_000_000  # products of numbers: about a millisecond


class DegreesOfFreedom(NamedTuple):
    """t numbers each: the trace of the hat matrix, and the estimate of the error variance at weight one."""

    df: Array
    sigma2: Array


class WithoutRows(NamedTuple):
    """Of the fits without each row, n x t each: effective degrees of freedom, and sigma in the units of y."""

    df: Array
    sigma: Array


class ScoreTest(NamedTuple):
    """The statistic q, and the probability of a larger one by chance; t numbers each."""

    statistic: Array
    p_value: Array


class Interval(NamedTuple):
    """m x t each, in the units of y."""

    lower: Array
    upper: Array


class Variance(NamedTuple):
    """Of f(x) + b, m x t, and of the errors at weight one, t numbers; in the units of y, squared."""

    variance: Array
    noise: Array


class PredictionErrors(NamedTuple):
    """Standard errors of f(x) + b, m x t, and the covariances of all pairs of points, m x (m t), those of output j in the
    columns m j to m j + m - 1; None where they were not asked for."""

    errors: Array
    covariance: Optional[Array]


class CoefficientErrors(NamedTuple):
    """Standard errors of w, d x t, without columns of set_unpenalised() (d - count) x t, and of b, t numbers."""

    w: Array
    b: Array


class Combinations(NamedTuple):
    """Linear combinations of predictions and their standard errors, g x t, and their covariances, g x (g t), as those of
    PredictionErrors; None where they were not asked for."""

    value: Array
    errors: Array
    covariance: Optional[Array]


class Average(NamedTuple):
    """Averages over points and their standard errors: d x t."""

    average: Array
    errors: Array


class LandmarkError(NamedTuple):
    """The traces of K - K_TR K_RR^-1 K_RT and of K."""

    trace_left: float
    trace: float


class LearntErrors(NamedTuple):
    """errors: n x t. change: for each point how much choosing without it changes the model, as the root mean square
    change of the left-out errors of all points over their root mean square; 0 for points without a part in the choice.
    freedom: the degrees of freedom of the choice; NaN where they were not asked for or are not known."""

    errors: Array
    change: Array
    freedom: float = float("nan")


class LambdaFlags(NamedTuple):
    """floor: from this lambda on left-out errors have six digits (0: at every lambda). below: for each output 1 where
    its lambda is below the floor and its answers may have fewer digits, or where landmarks that were left out may have
    had a part in them, else 0. edge: -1 / 1 where the last search
    chose it at the low / high end of its range, else 0."""

    floor: float
    below: npt.NDArray[np.int32]
    edge: npt.NDArray[np.int32]


class Spectrum(NamedTuple):
    """values: eigenvalues, descending; vectors: n x count, orthonormal."""

    values: Array
    vectors: Array


class Conditioning(NamedTuple):
    """One number for each lambda: the condition number of K_c + lambda I, and the effective rank."""

    condition: Array
    rank: Array


class Path(NamedTuple):
    """values: n x (count t) or d x (count t), output j of lambda l in column l t + j; b: t x count."""

    values: Array
    b: Array


class Answers(Settings):
    """n points, d features, t outputs; matrices are n x t or m x t also where t is 1."""

    _predictor = False
    _fixed_names: Names = None
    _quick: Any = None  # of a predictor: a clone without a progress function, and how many rows it predicts at once

    def _columns(self, name: str, rows: int, *arguments: Any) -> Array:
        out = empty(rows, self.t)
        return self._answer(out, name, *arguments, pointer(out), rows)

    def _points(self, x: ArrayLike, name: str = "x") -> Union[Matrix, Sparse]:
        points = points_of(x, name)
        if points.columns != self.d:
            raise ValueError(f"{name} has {points.columns} columns, the model's data have {self.d}")
        if isinstance(points, Matrix):
            same_names(points.names, self._names, name)
        return points

    def fixed_count(self) -> int:
        """q, 0 without fixed effects; of predictors, too. Cost: O(1)."""
        count = c.INT64()
        self._ask("get_unpenalised", count, None, None, None, 0)
        return count.value

    def _given(self, x: ArrayLike, fixed: Optional[ArrayLike]) -> Tuple[Union[Matrix, Sparse], Any]:
        """New points, and as a call takes them, with the values of their columns without a penalty."""
        points = self._points(x)
        if fixed is None:
            return points, struct_of(points)
        values, count = Matrix(fixed, points.layout, "fixed"), self.fixed_count()
        if (values.rows, values.columns) != (points.rows, count):
            raise ValueError(f"fixed is {values.rows} x {values.columns}, expected was {points.rows} x {count}")
        same_names(values.names, self._fixed_names, "fixed")
        return points, struct_of(points, values)

    def _predict(self, points: Union[Matrix, Sparse], given: Any, lambdas: Optional[Array] = None) -> Array:
        count = 0 if lambdas is None else len(lambdas)
        out = empty(points.rows, max(count, 1) * self.t, points.layout)
        return self._answer(out, "predict_points", given, count, pointer(lambdas), points.layout, pointer(out),
                            leading_dimension(out, points.layout))

    def predict(self, x: ArrayLike, fixed: Optional[ArrayLike] = None) -> Array:
        """f(x) + b at m new points (m x d, the units of the model's x): m x t. Needs a lambda, or raises Error
        (INVALID_STATE), as all answers do. Here and below new points may be a scipy.sparse matrix; fixed, of a model with
        set_fixed_effects(): their values at the points, m x q, and + fixed a in f(x) + b. Cost: O(m n (d + t)), linear
        kernels O(m d t), of a sparse x O((entries + m) t)."""
        out = self._at_once(x) if self._predictor and type(x) is np.ndarray and fixed is None else None
        if out is not None:
            return out
        return self._predict(*self._given(x, fixed))

    def _at_once(self, x: Any) -> Optional[Array]:
        """The predictions of a predictor for so few rows that Ctrl-C, other threads and progress need not be thought of,
        in some microseconds; None where predict() is to go its way, also to say what is wrong with x."""
        if self._quick is None:
            quick = Handle()
            quick._hold(c.MODEL())
            self._ask("clone", ctypes.byref(quick.handle))
            self._quick = quick, _WORK_AT_ONCE // (self.n * (self.d + self.t))
        quick, most = self._quick
        if (x.dtype != np.float64 or x.ndim != 2 or not 0 < x.shape[0] <= most or x.shape[1] != self.d or
                self._calls.function is not None or not x.flags.c_contiguous or not x.flags.aligned):
            return None
        out = np.empty((x.shape[0], self.t))
        status = c.predict_at_once(quick.handle, c.ROW_MAJOR, x.shape[0], x.ctypes.data, self.d, out.ctypes.data, self.t)
        return out if status == c.OK else None

    def predict_path(self, x: ArrayLike, lambdas: ArrayLike, fixed: Optional[ArrayLike] = None) -> Array:
        """f(x) + b at m new points and many lambdas >= 0, whatever lambda is set, from one factorization:
        m x (count t), output j of lambda l in column l t + j. Raises Error (NOT_POSITIVE_DEFINITE), as set_lambda().
        Cost: set_lambda() for each, and predict() of count t outputs."""
        return self._predict(*self._given(x, fixed), vector(lambdas, name="lambdas"))

    def coefficients_path(self, lambdas: ArrayLike) -> Path:
        """c and b at many lambdas >= 0. Raises as predict_path(). Cost: set_lambda() and coefficients() for each."""
        lambdas = vector(lambdas, name="lambdas")
        out = Path(empty(self._rows(), len(lambdas) * self.t), empty(self.t, len(lambdas)))
        return self._answer(out, "coefficients", len(lambdas), pointer(lambdas), pointer(out.values), self._rows(),
                            pointer(out.b))

    def hyperplane_path(self, lambdas: ArrayLike) -> Path:
        """w and b at many lambdas >= 0. Linear kernels only. Raises as predict_path(). Cost: set_lambda() for each."""
        lambdas = vector(lambdas, name="lambdas")
        out = Path(empty(self.d, len(lambdas) * self.t), empty(self.t, len(lambdas)))
        return self._answer(out, "hyperplane", len(lambdas), pointer(lambdas), pointer(out.values), self.d,
                            pointer(out.b))

    def predict_jackknife(self, x: ArrayLike, level: float = 0.9, folds: Optional[int] = None, seed: int = 0,
                          by_groups: bool = False, fixed: Optional[ArrayLike] = None) -> Interval:
        """Jackknife+ intervals for a new y at m points, without a refit; 0 < level < 1. They hold it with probability
        of at least 2 level - 1, and about `level`; an end is infinite where n is too small for the level. Raises Error
        (UNDEFINED) where an error left out has no value. folds: the kernel and lambda, as far as they were chosen, are
        chosen again without each of so many folds of points, 0: as loo_learnt() does by default; None: they are held,
        and the intervals too narrow where points are few. by_groups: rows are left out with their group (set_groups),
        for points of new groups (CV+). Cost: O(m n r), with folds also that of loo_learnt(), with groups that of
        group_errors()."""
        points, given = self._given(x, fixed)
        out = Interval(empty(points.rows, self.t, points.layout), empty(points.rows, self.t, points.layout))
        if by_groups and folds is not None:
            raise ValueError("by_groups is True, and folds are given: one of them says what is left out")
        folds = -2 if by_groups else -1 if folds is None else folds
        return self._answer(out, "predict_jackknife", given, level, folds, seed, points.layout, pointer(out.lower),
                            pointer(out.upper), leading_dimension(out.lower, points.layout))

    def predict_left_out(self, x: ArrayLike, rows: Optional[ArrayLike] = None,
                         group: Optional[ArrayLike] = None, fixed: Optional[ArrayLike] = None) -> Array:
        """f(x) + b at m points without some rows of the data, exactly and without a refit. rows: for each point the row
        that is left out, -1: none; m x t. None: each row by itself for every point, m x (n t), that without row i of
        output j in column i + n j. group: n labels; rows are then labels, and all rows with the label are left out.
        Raises Error (UNDEFINED) where an error left out has no value; its `values` have NaN there. Cost: O(m n r), and
        loo() or group_errors()."""
        points, given = self._given(x, fixed)
        label = None if rows is None else vector(rows, np.int32, points.rows, "rows")
        labels = None if group is None else vector(group, np.int32, self._rows(), "group")
        out = empty(points.rows, self.t if label is not None else self._rows() * self.t, points.layout)
        return self._answer(out, "predict_left_out", given, pointer(labels), pointer(label), points.layout,
                            pointer(out), leading_dimension(out, points.layout))

    def predict_variance(self, x: ArrayLike, fixed: Optional[ArrayLike] = None) -> Variance:
        """The variance of f(x) + b at m points as a Gaussian process, given y, its scale estimated by REML; add `noise`
        (divided by the weight) for a new observation. lambda must be positive, else Error (UNDEFINED); a precomputed
        kernel: InputError. Cost: O(m n r)."""
        points, given = self._given(x, fixed)
        out = Variance(empty(points.rows, self.t, points.layout), numbers(self.t))
        return self._answer(out, "predict_variance", given, points.layout, pointer(out.variance),
                            leading_dimension(out.variance, points.layout), pointer(out.noise))

    def predict_covariance(self, x: ArrayLike, pairs: bool = True, kind: int = c.COVARIANCE_BAYESIAN,
                           fixed: Optional[ArrayLike] = None) -> PredictionErrors:
        """Standard errors of f(x) + b at m points and, with pairs, the covariances of all of them, with sigma2 of
        degrees_of_freedom(). kind: COVARIANCE_BAYESIAN, the posterior of a Gaussian process of covariance
        sigma2 / lambda k, or COVARIANCE_FREQUENTIST, how the predictions vary with y. Raises Error (UNDEFINED) at
        lambda = 0 (Bayesian, but for linear kernels that determine f), InputError (Bayesian, a precomputed kernel). Cost:
        O(m n r), and with pairs O(m^2 (n + d))."""
        points, given = self._given(x, fixed)
        m = points.rows
        out = PredictionErrors(empty(m, self.t, points.layout), empty(m, m * self.t) if pairs else None)
        return self._answer(out, "predict_covariance", given, kind, points.layout, pointer(out.errors),
                            leading_dimension(out.errors, points.layout), pointer(out.covariance), m)

    def predict_combinations(self, x: ArrayLike, group: Optional[ArrayLike] = None, factors: Optional[ArrayLike] = None,
                             pairs: bool = False, kind: int = c.COVARIANCE_BAYESIAN,
                             fixed: Optional[ArrayLike] = None) -> Combinations:
        """Linear combinations of predictions at m points, with their errors and, with pairs, their covariances: point i
        has factors[i] in combination group[i], whole numbers from 0, each of which some point has; without group there is
        one combination. Without factors they are averages over the points of each group. Factors of 1 / m and -1 / m in
        one group give the difference of two averages. Else as predict_covariance(). Cost: O(m n d), and O(m^2 d)."""
        points, given = self._given(x, fixed)
        labels = None if group is None else vector(group, np.int64, points.rows, "group")
        count = 1 if labels is None else int(labels.max()) + 1
        out = Combinations(empty(count, self.t), empty(count, self.t), empty(count, count * self.t) if pairs else None)
        return self._answer(out, "predict_combinations", given, count, pointer(labels),
                            self._weights_of(points, factors, "factors"), kind, pointer(out.value), pointer(out.errors),
                            count, pointer(out.covariance), count)

    def predict_gradient(self, x: ArrayLike) -> Array:
        """d f / d x_k at m points: m x (d t), that of output j by column k in column k + d j. Kernels without
        derivatives (laplacian, matern with nu = 0.5, precomputed): InputError. Cost: predict(), and O(m n d t)."""
        points = self._points(x)
        out = empty(points.rows, self.d * self.t, points.layout)
        return self._answer(out, "predict_gradient", struct_of(points), points.layout, pointer(out),
                            leading_dimension(out, points.layout))

    def average_gradient(self, x: ArrayLike, weights: Optional[ArrayLike] = None,
                         kind: int = c.COVARIANCE_BAYESIAN) -> Average:
        """The average derivatives over m points, d x t, and their standard errors, NaN in `values` of Error (UNDEFINED)
        where they are not defined. weights: m numbers >= 0, none: all one. kind: COVARIANCE_BAYESIAN, or
        COVARIANCE_FREQUENTIST, which is smaller, as bias is not counted. Cost: predict_gradient() of one output, and
        O((m^2 + n^2) d)."""
        points = self._points(x)
        out = Average(empty(self.d, self.t), empty(self.d, self.t))
        return self._answer(out, "average_gradient", struct_of(points),
                            self._weights_of(points, weights), kind, pointer(out.average), pointer(out.errors), self.d)

    @staticmethod
    def _weights_of(points: Union[Matrix, Sparse], weights: Optional[ArrayLike], name: str = "weights") -> Any:
        return None if weights is None else pointer(vector(weights, length=points.rows, name=name))

    def coefficient_covariance(self, kind: int = c.COVARIANCE_BAYESIAN) -> Array:
        """The covariances of b (where there is an intercept) and w, output after output; linear kernels only, else
        Error (INVALID_STATE). Columns of set_unpenalised() have no part in w. NaN, in `values` of Error (UNDEFINED),
        where lambda = 0 does not determine them. Cost: O(n d min(n, d)) and O(d^2 min(n, d) t^2)."""
        side = (self._penalised() + (1 if self.has_intercept() else 0)) * self.t
        out = empty(side, side)
        return self._answer(out, "coefficient_covariance", kind, pointer(out), side)

    def coefficient_errors(self, kind: int = c.COVARIANCE_BAYESIAN) -> CoefficientErrors:
        """The square roots of the variances of coefficient_covariance(). Cost: O(n d min(n, d))."""
        rows = self._penalised()
        out = CoefficientErrors(empty(rows, self.t), numbers(self.t))
        return self._answer(out, "coefficient_errors", kind, pointer(out.w), rows, pointer(out.b))

    def _penalised(self) -> int:
        """How many columns of x have a penalty: d less those of set_unpenalised()."""
        return self.d - int(self._parameter(c.UNPENALISED))

    def _has_rows(self, x: Array, fixed: Optional[Array]) -> bool:
        """Whether these are the rows that were fitted, in their order, as far as their predictions tell."""
        fitted = self.fitted()
        return bool(x.shape[0] == self.n and
                    np.allclose(self.predict(x, fixed), fitted, rtol=1e-6, atol=1e-3 * float(np.std(fitted))))

    def loo(self) -> Array:
        """Exact leave-one-out errors, n x t: y_i - f(x_i) fitted without point i. Raises Error (UNDEFINED) where a
        leverage is one; its `values` have NaN there. Cost: O(n r t), by route: see freeridge_loo."""
        return self._columns("loo", self._rows())

    def loo_learnt(self, folds: int = 0, seed: int = 0, freedom: bool = False) -> LearntErrors:
        """Left-out errors with the learning included: what select_lambda(), select_bandwidth() or select_kernel() chose
        last is chosen again without each fold of the points, and an error is that of the fit to all points but its own
        with it. folds: 2 to n, or 0: one for each point up to 50, 20 up to 100, else 10. freedom: whether the degrees of
        freedom of the choice, beside those of degrees_of_freedom(), are wanted; they are known for a kernel that was
        chosen by REML on all points of one output, without landmarks and missing values. Raises Error (INVALID_STATE
        where nothing was chosen; UNDEFINED where a leverage is one; its `values` have NaN there). Cost: for each fold
        that of the choice, or of 8 gradients (4/3 n^3), and a factorization; of the degrees of freedom 4 gradients for
        each number chosen; see freeridge_loo_learnt."""
        out = LearntErrors(empty(self._rows(), self.t), numbers(self._rows()))
        place = c.DOUBLE(float("nan"))
        self._answer(out, "loo_learnt", folds, seed, pointer(out.errors), self._rows(), pointer(out.change),
                     place if freedom else None)
        return out._replace(freedom=place.value)

    def group_errors(self, group: ArrayLike, gap: Optional[ArrayLike] = None) -> Array:
        """Exact errors, n x t, with all rows of a group left out together. group: n whole numbers; rows with a negative
        one are never left out, and their error is NaN. gap: n or n x l labels of rows that are left out with a group
        and not scored, as for set_groups(). Cost: O(n r t), and O(s^2 r + s^3) for a group of s rows, its gap
        among them."""
        labels = pointer(vector(group, np.int32, self._rows(), "group"))
        if gap is None:
            return self._columns("group_errors", self._rows(), labels, 0, None)
        layers = matrix_of_labels(gap, self._rows(), "gap")
        return self._columns("group_errors", self._rows(), labels, layers.shape[1],
                             pointer(layers.ravel(order="F")))

    def hyperplane(self) -> Array:
        """w of f(x) = w'x, d x t, in the units of y over those of x. Linear kernels only, else Error (INVALID_STATE).
        Cost: O(d t)."""
        out = empty(self.d, self.t)
        return self._answer(out, "hyperplane", 0, None, pointer(out), self.d, None)

    def coefficients(self) -> Array:
        """c of f(x) = sum_i c_i k(x_i, x), n x t; of a reader's rows r x t, those of landmarks(), in their order. Cost:
        O(n r t)."""
        rows = len(self.landmarks()) if self._reads else self._rows()
        out = empty(rows, self.t)
        return self._answer(out, "coefficients", 0, None, pointer(out), rows, None)

    def intercept(self) -> Array:
        """b, t numbers in the units of y; 0 without intercept. Cost: O(t)."""
        out = numbers(self.t)
        return self._answer(out, "coefficients", 0, None, None, 0, pointer(out))

    def fitted(self) -> Array:
        """f(x_i) + b at the model's own points, n x t. Cost: O(n r t)."""
        return self._columns("get_fitted", self._rows())

    def lambdas(self) -> Array:
        """The lambda of each output, t numbers. Cost: O(t)."""
        out = numbers(self.t)
        return self._answer(out, "get_lambda", pointer(out))

    def lambda_flags(self) -> LambdaFlags:
        """How far the lambdas in force can be trusted. Cost: O(r + t); CHOLESKY and BAND, below the floor, as
        set_lambda(), unless all outputs have one lambda."""
        floor, below, edge = c.DOUBLE(), np.zeros(self.t, np.int32), np.zeros(self.t, np.int32)
        self._ask("lambda_flags", floor, pointer(below), pointer(edge))
        return LambdaFlags(floor.value, below, edge)

    def leverage(self) -> Array:
        """H_ii of the hat matrix, n x t, the intercept's share included. Cost: as loo()."""
        return self._columns("get_leverage", self._rows())

    def cooks_distance(self) -> Array:
        """Cook's distances, n x t. Raises Error (UNDEFINED) where a leverage is one. Cost: as loo()."""
        return self._columns("cooks_distance", self._rows())

    def without_rows(self) -> WithoutRows:
        """The degrees of freedom and sigma of the fit without each row, lambda and the kernel held, exactly and without
        refits. Raises Error (UNDEFINED) where a leverage is one or no degrees of freedom are left. Cost: that of
        predict_left_out() at n points."""
        n = self._rows()
        out = WithoutRows(empty(n, self.t), empty(n, self.t))
        return self._answer(out, "influence", pointer(out.df), pointer(out.sigma), n, None, 0)

    def dfbeta(self) -> Array:
        """By how much the p coefficients of a linear kernel (the intercept, if there is one, the slopes and those of unpenalised
        columns) are above those without row i, n x (p t), that of coefficient k of output j in column k + p j. Another
        kernel: Error (INVALID_STATE); a leverage of one: UNDEFINED. Cost: that of predict_left_out() at p points."""
        p = self.has_intercept() + self.d + self.fixed_count()
        out = empty(self._rows(), p * self.t)
        return self._answer(out, "influence", None, None, 0, pointer(out), self._rows())

    def score_test(self, difference: ArrayLike) -> ScoreTest:
        """The score test of delta = 0 in y ~ N(U beta, sigma2 (K / lambda + W^-1 + delta D)), with the lambdas in force and D, n x n
        and symmetric: see freeridge_score_test. Missing values: Error (INVALID_STATE); lambda = 0: UNDEFINED. Cost:
        hat_matrix() and 11 n^3 a lambda."""
        d = Matrix(difference, name="difference")
        if (d.rows, d.columns) != (self._rows(), self._rows()):
            raise ValueError(f"difference is {d.rows} x {d.columns}; it must be n x n, {self._rows()} x {self._rows()}")
        out = ScoreTest(numbers(self.t), numbers(self.t))
        return self._answer(out, "score_test", d.pointer, d.ld, pointer(out.statistic), pointer(out.p_value))

    def degrees_of_freedom(self) -> DegreesOfFreedom:
        """The effective degrees of freedom, the intercept's included, and the error variance in the units of y,
        squared: NaN, in `values` of Error (UNDEFINED), where no degree is left for it. Cost: O(r t) to n^3/3 by
        route."""
        out = DegreesOfFreedom(numbers(self.t), numbers(self.t))
        return self._answer(out, "degrees_of_freedom", pointer(out.df), pointer(out.sigma2))

    # Of the factorization: no lambda is needed

    def route(self) -> int:
        """The route that factorize took: CHOLESKY, SPECTRAL, BAND, PRIMAL, LANDMARK or ITERATIVE. Cost: O(1)."""
        return self._number("get_route", c.INT32)

    def accuracy(self) -> Array:
        """Bounds of the relative error of the coefficients in the norm of K + lambda W^-1, t numbers; ITERATIVE, else
        Error (INVALID_STATE). Cost: O(t)."""
        out = numbers(self.t)
        return self._answer(out, "get_accuracy", pointer(out))

    def bandwidth(self) -> float:
        """sigma, or the length, of the only kernel that has one, in the units of x; else Error (INVALID_STATE). Cost:
        O(1)."""
        sigma = c.DOUBLE()
        self._ask("get_bandwidth", sigma, None, None, None, None, None, None)
        return sigma.value

    def rank(self) -> int:
        """How many eigenvalues are not zero to working precision (SPECTRAL, PRIMAL, LANDMARK; else Error,
        INVALID_STATE). Cost: O(1)."""
        return self._number("get_rank")

    def eigenvalues(self, count: int) -> Array:
        """The `count` largest eigenvalues of the kernel matrix as the fit uses it, weighted, and centred with an
        intercept; 0 where they are rounding. Of a linear kernel their square roots are the singular values of x.
        CHOLESKY: Error (INVALID_STATE). Cost: known; BAND 6 n^2 b."""
        out = numbers(count)
        self._ask("eigenvalues", count, pointer(out), None, 0)
        return out

    def eigenvectors(self, count: int) -> Spectrum:
        """The `count` largest eigenvalues and their eigenvectors. An eigenvalue that is 0: InputError; BAND and
        CHOLESKY: Error (INVALID_STATE). Cost: 2 n r count."""
        out = Spectrum(numbers(count), empty(self._rows(), count))
        return self._answer(out, "eigenvalues", count, pointer(out.values), pointer(out.vectors), self._rows())

    def condition_number(self, lambdas: ArrayLike) -> Conditioning:
        """(Lambda_1 + lambda) / (Lambda_m + lambda) and sum_k Lambda_k / (Lambda_k + lambda) at some lambdas >= 0. At
        lambda = 0 only the eigenvalues count that are not rounding, and the second is how many there are. CHOLESKY:
        Error (INVALID_STATE); all eigenvalues and lambda 0: Error (UNDEFINED). Cost: eigenvalues() and O(n) a
        lambda."""
        lambdas = vector(lambdas, name="lambdas")
        out = Conditioning(numbers(len(lambdas)), numbers(len(lambdas)))
        return self._answer(out, "condition_number", len(lambdas), pointer(lambdas), pointer(out.condition),
                            pointer(out.rank))

    def hat_matrix(self, lambda_: float) -> Array:
        """H, n x n, at a lambda >= 0: fitted() = H y. Raises Error (NOT_POSITIVE_DEFINITE), as set_lambda(). Cost: 2
        n^2 r to 4 n^3 by route: see freeridge_hat_matrix."""
        out = empty(self._rows(), self._rows())
        return self._answer(out, "hat_matrix", lambda_, pointer(out), None, self._rows())

    def inverse_matrix(self, lambda_: float) -> Array:
        """P, n x n, at a lambda >= 0: coefficients() = P y; without intercept and weights (K + lambda I)^-1. Raises as
        hat_matrix(). Cost: that of hat_matrix()."""
        out = empty(self._rows(), self._rows())
        return self._answer(out, "hat_matrix", lambda_, None, pointer(out), self._rows())

    def tolerance(self) -> float:
        """Eigenvalues below this are rounding errors. At a lambda far below it, lambda no longer matters. Cost:
        O(1)."""
        return self._number("get_tolerance", c.DOUBLE)

    def landmarks(self) -> Integers:
        """The rows of the landmarks, from 0, in the order given or chosen; none on other routes. Cost: O(r)."""
        count = c.INT64()
        self._ask("get_landmarks", count, None)
        rows = np.empty(count.value, np.int64)
        self._ask("get_landmarks", None, pointer(rows))
        return rows

    def landmark_error(self) -> LandmarkError:
        """The error of the landmarks' approximation of the kernel matrix, in nuclear norm, and the trace of the
        matrix. LANDMARK only, else Error (INVALID_STATE). Cost: O(n r^2) and n r kernel values."""
        left, whole = c.DOUBLE(), c.DOUBLE()
        self._ask("landmark_trace", left, whole)
        return LandmarkError(left.value, whole.value)
