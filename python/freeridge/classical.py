"""Least squares without a handle, and what goes with them. Each call takes its data and answers at once; nothing of it
can be cancelled. x: n x d; y: n, or n x t, and w is d, or d x t; b is a number, or t of them, 0 without intercept.
Raises ValueError where shapes do not fit, InputError, Error (NOT_CONVERGED)."""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, Matrix, empty, numbers, pointer, real, vector
from .inputs import label_codes, read_labels
from .library import call

Numbers = Union[float, Array]


class Solution(NamedTuple):
    """w in the units of y over those of x, b in the units of y."""

    w: Array
    b: Numbers


class TotalLeastSquares(NamedTuple):
    """[X + x_correction, Y + y_correction] is the nearest matrix whose rows lie on the hyperplane y = w'x + b.
    distances: the norms of the rows of both corrections; singular_values: the t of the corrections, descending."""

    w: Array
    b: Numbers
    singular_values: Array
    distances: Array
    x_correction: Array
    y_correction: Array


class LeastSquares(NamedTuple):
    """rank: of x, centred with an intercept."""

    w: Array
    b: Numbers
    rank: int


class LeastSquaresSummary(NamedTuple):
    """With standard errors, the residual standard deviation, and R^2; NaN where one has no value."""

    w: Array
    b: Numbers
    rank: int
    w_error: Array
    b_error: Numbers
    sigma: Numbers
    r_squared: Numbers


class StackWeights(NamedTuple):
    """The weights of the members, k (k x t), and the left-out errors of the stack, n (n x t)."""

    w: Array
    errors: Array


class PseudoInverse(NamedTuple):
    """n x m, and how many singular values count."""

    inverse: Array
    rank: int


class _Problem:
    """x and y as calls take them, and answers in the shape of y."""

    def __init__(self, x: ArrayLike, y: ArrayLike, intercept: bool) -> None:
        points = Matrix(x, name="x")
        outputs = Matrix(y, points.layout, name="y")
        if outputs.rows != points.rows:
            raise ValueError(f"x has {points.rows} rows, y has {outputs.rows}")
        self.d, self.t, self.one = points.columns, outputs.columns, real(y, "y").ndim == 1
        self.arguments = (points.layout, points.rows, self.d, points.pointer, points.ld, self.t, outputs.pointer,
                          outputs.ld, int(intercept))

    def places(self) -> Tuple[Array, Array]:
        return empty(self.d, self.t), numbers(self.t)

    def shaped(self, w: Array, b: Array) -> Tuple[Array, Numbers]:
        return w[:, 0] if self.one else w, self.each(b)

    def each(self, values: Array) -> Numbers:
        return float(values[0]) if self.one else values


def ols(x: ArrayLike, y: ArrayLike, intercept: bool = True) -> LeastSquares:
    """Ordinary least squares by QR with column pivoting, refined; the minimum-norm w where x is rank deficient. Cost:
    2 n d min(n, d)."""
    problem = _Problem(x, y, intercept)
    w, b = problem.places()
    answers = c.struct("ols_answers", w=pointer(w), b=pointer(b))
    call("ols", *problem.arguments, answers)
    return LeastSquares(*problem.shaped(w, b), answers.rank)


def ols_summary(x: ArrayLike, y: ArrayLike, intercept: bool = True) -> LeastSquaresSummary:
    """The same with what goes into a table of results; what has no value (the standard errors where no degree of
    freedom is left or x is rank deficient, R^2 of a constant y) is NaN. Cost: as ols(), and O(d^3)."""
    problem = _Problem(x, y, intercept)
    (w, b), (w_error, b_error) = problem.places(), problem.places()
    sigma, r_squared = numbers(problem.t), numbers(problem.t)
    answers = c.struct("ols_answers", w=pointer(w), b=pointer(b), w_error=pointer(w_error), b_error=pointer(b_error),
                       sigma=pointer(sigma), r_squared=pointer(r_squared))
    try:
        call("ols", *problem.arguments, answers)
    except c.Error as error:
        if error.status != c.UNDEFINED:
            raise
    return LeastSquaresSummary(*problem.shaped(w, b), answers.rank, *problem.shaped(w_error, b_error),
                               problem.each(sigma), problem.each(r_squared))


def ridge(x: ArrayLike, y: ArrayLike, value: float, intercept: bool = True,
          penalty: Optional[ArrayLike] = None) -> Solution:
    """Ridge regression, refined: 1/2 |y - x w - b|^2 + lambda/2 sum_k penalty_k w_k^2;  lambda >= 0; penalty: d numbers
    >= 0, None: all one, 0: a feature that is not penalised. Cost: O(n d min(n, d))."""
    problem = _Problem(x, y, intercept)
    w, b = problem.places()
    factors = None if penalty is None else vector(penalty, length=problem.d, name="penalty")
    call("ridge", *problem.arguments, value, pointer(factors), pointer(w), pointer(b))
    return Solution(*problem.shaped(w, b))


def tls(x: ArrayLike, y: ArrayLike, intercept: bool = True, exact: Optional[ArrayLike] = None) -> Solution:
    """Total least squares: x has errors, too, but for the columns that `exact` (d flags) says are known exactly. Raises
    Error (UNDEFINED) where there is no solution, or not a single one. Cost: O(n (d + t)^2)."""
    problem = _Problem(x, y, intercept)
    w, b = problem.places()
    flags = None if exact is None else vector(exact, np.int32, problem.d, "exact")
    call("tls", *problem.arguments, pointer(flags), c.struct("tls_answers", w=pointer(w), b=pointer(b)))
    return Solution(*problem.shaped(w, b))


def tls_errors(x: ArrayLike, y: ArrayLike, intercept: bool = True,
               exact: Optional[ArrayLike] = None) -> TotalLeastSquares:
    """The same with the smallest corrections of x (n x d, zero in exact columns) and y (in the shape of y) that put all
    points on the hyperplane, and with their distances from it. Cost: as tls(), and O(n d t)."""
    problem = _Problem(x, y, intercept)
    w, b = problem.places()
    flags = None if exact is None else vector(exact, np.int32, problem.d, "exact")
    layout, n = problem.arguments[:2]
    singular_values, distances = numbers(problem.t), numbers(n)
    of_x, of_y = empty(n, problem.d, layout), empty(n, problem.t, layout)
    answers = c.struct("tls_answers", w=pointer(w), b=pointer(b), singular_values=pointer(singular_values),
                       distances=pointer(distances), x_correction=pointer(of_x), y_correction=pointer(of_y))
    call("tls", *problem.arguments, pointer(flags), answers)
    return TotalLeastSquares(*problem.shaped(w, b), singular_values, distances, of_x,
                             of_y[:, 0] if problem.one else of_y)


def pinv(a: ArrayLike, rcond: float = -1.0) -> PseudoInverse:
    """The Moore-Penrose inverse (n x m) of a (m x n) by the SVD. Singular values at most rcond times the largest count
    as zero; rcond < 0: max(m, n) machine epsilons. Cost: O(m n min(m, n))."""
    given, rank = Matrix(a, name="a"), c.INT64()
    out = empty(given.columns, given.rows, given.layout)
    call("pinv", given.layout, given.rows, given.columns, given.pointer, given.ld, rcond, pointer(out),
         given.rows if given.layout == c.ROW_MAJOR else given.columns, rank)
    return PseudoInverse(out, rank.value)


def polynomial_feature_count(d: int, degree: int, bias: bool = True) -> int:
    """The monomials of d features up to `degree`, with the constant one if `bias`. Cost: O(min(d, degree))."""
    count = c.INT64()
    call("polynomial_exponents", d, degree, int(bias), count, None)
    return count.value


def polynomial_exponents(d: int, degree: int, bias: bool = True) -> npt.NDArray[np.int32]:
    """Their exponents, count x d, in the order of polynomial_features(). Cost: O(count d)."""
    out = np.zeros((polynomial_feature_count(d, degree, bias), d), np.int32, order="F")
    call("polynomial_exponents", d, degree, int(bias), None, pointer(out))
    return out


def polynomial_features(x: ArrayLike, degree: int, bias: bool = True) -> Array:
    """All monomials of the columns of x, n x count: by degree, then 1; x1, x2; x1^2, x1 x2, x2^2; ... Cost:
    O(n count)."""
    points = Matrix(x, name="x")
    count = polynomial_feature_count(points.columns, degree, bias)
    out = empty(points.rows, count, points.layout)
    call("polynomial_features", points.layout, points.rows, points.columns, points.pointer, points.ld, degree,
         int(bias), pointer(out), count if points.layout == c.ROW_MAJOR else points.rows)
    return out


def polynomial_feature_factors(d: int, degree: int, scale: float, offset: float) -> Array:
    """Features with bias, times these, have the kernel polynomial(degree, scale, offset) as inner products. Cost:
    O(count d)."""
    out = numbers(polynomial_feature_count(d, degree))
    call("polynomial_feature_factors", d, degree, scale, offset, pointer(out))
    return out


def weighted_median(values: ArrayLike, weights: Optional[ArrayLike] = None) -> float:
    """A minimiser of sum_i weights_i |values_i - m|; weights: n numbers >= 0, one of them positive; None: all one.
    Cost: O(n log n)."""
    numbers_, median = vector(values, name="values"), c.DOUBLE()
    weights = np.ones(len(numbers_)) if weights is None else vector(weights, length=len(numbers_), name="weights")
    call("weighted_median", len(numbers_), pointer(numbers_), pointer(weights), median)
    return median.value


def absolute_slope(x: ArrayLike, y: ArrayLike) -> float:
    """The minimiser of sum_i |y_i - slope x_i|. Raises Error (UNDEFINED) where all x are 0. Cost: O(n log n)."""
    given, slope = vector(x, name="x"), c.DOUBLE()
    call("absolute_slope", len(given), pointer(given), pointer(vector(y, length=len(given), name="y")), slope)
    return slope.value


def stack_weights(predictions: ArrayLike, y: ArrayLike, weights: Optional[ArrayLike] = None,
                  prior: float = 0.0) -> StackWeights:
    """The non-negative weights with sum one that make of left-out predictions, n x k, the best one of y. errors: y less
    the stack's prediction, with weights that are found without the row. Several outputs, y n x t: each has weights of
    its own, and predictions are n x k x t. weights: n numbers >= 0. prior: draws the weights to the first member, as so
    many rows would. Cost: O(n k^2)."""
    outputs = real(y, "y")
    if outputs.ndim == 2:
        members = real(predictions, "predictions")
        if members.ndim != 3 or members.shape[2] != outputs.shape[1]:
            raise ValueError(f"y has {outputs.shape[1]} columns: predictions must be n x k x {outputs.shape[1]}, "
                             f"and have the shape {members.shape}")
        each = [stack_weights(members[:, :, j], outputs[:, j], weights, prior) for j in range(outputs.shape[1])]
        return StackWeights(np.column_stack([one.w for one in each]), np.column_stack([one.errors for one in each]))
    table = Matrix(predictions, c.COL_MAJOR, name="predictions")
    n, k = table.rows, table.columns
    given = None if weights is None else vector(weights, length=n, name="weights")
    w, errors = numbers(k), numbers(n)
    call("stack_weights", table.layout, n, k, table.pointer, table.ld, pointer(vector(y, length=n, name="y")),
         pointer(given), prior, pointer(w), pointer(errors))
    return StackWeights(w, errors)


def convert_lambda(source: int, target: int, n: int, sd_y: float, value: float) -> float:
    """lambda of another system: CONVENTION_TOTAL (this library's), _MEAN, _GLMNET, _SKLEARN, _LM_RIDGE, _KRLS, _GURLS,
    _TIKHONOV_SQUARED, _TIKHONOV_HALF, _TIKHONOV_LOGISTIC, _TIKHONOV_HINGE, _COST, _COST_MEAN or _COST_MEAN_NORM. n: the
    points; sd_y > 0: the standard deviation of y with divisor n, for GLMNET alone. Cost: O(1)."""
    out = c.DOUBLE()
    call("convert_lambda", source, target, n, sd_y, value, out)
    return out.value


def make_folds(n: int, folds: int, seed: int = 0, strata: Optional[ArrayLike] = None,
               groups: Optional[ArrayLike] = None) -> npt.NDArray[np.int32]:
    """Labels of `folds` random folds, for Model.group_errors() and Model.set_groups(); the same on any machine. strata:
    n labels, as of classes, each of which has about the same share of every fold; groups: n labels, rows with the same
    one are in the same fold (with strata each group goes with the stratum of most of its rows). Cost: O(n log n)."""
    if strata is None and groups is None:
        out = np.empty(max(0, n), dtype=np.int32)
        call("make_folds", n, folds, seed, pointer(out))
        return out

    def codes(labels: ArrayLike, name: str) -> np.ndarray:
        """Numbers of labels in the order of their first rows."""
        given = read_labels(labels)
        code = label_codes(given)
        if given.shape != (n,):
            raise ValueError(f"{name} must be {n} labels, one for each row, not an array of shape {given.shape}")
        if np.any(code < 0):
            raise ValueError(f"{name}[{np.argmin(code)}] is missing; each row must have a label")
        _, first, label = np.unique(code, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[label]

    unit = np.arange(n) if groups is None else codes(groups, "groups")
    count = int(np.max(unit)) + 1
    if not 2 <= folds <= count:
        raise ValueError(f"folds is {folds}; it must lie between 2 and {count}, the rows or groups there are")
    stratum = np.zeros(count, dtype=int)
    if strata is not None:
        code = codes(strata, "strata")
        of_unit = np.zeros((count, int(np.max(code)) + 1))
        np.add.at(of_unit, (unit, code), 1)
        stratum = np.argmax(of_unit, axis=1)
    random = np.empty(count, dtype=np.int32)
    call("make_folds", count, count, seed, pointer(random))
    fold = np.empty(count, dtype=np.int32)
    fold[np.lexsort((random, stratum))] = np.arange(count) % folds
    return fold[unit]


def make_holdout(n: int, fraction: float, seed: int = 0) -> npt.NDArray[np.int32]:
    """Labels of one hold-out: 0 for a random fraction of the rows, -1 for the others. Cost: O(n)."""
    out = np.empty(max(0, n), dtype=np.int32)
    call("make_holdout", n, fraction, seed, pointer(out))
    return out


def make_groups(X: ArrayLike) -> npt.NDArray[np.int32]:
    """A label for each row of X (numbers, or labels of any kind), the same for equal rows, for Model.set_groups() and
    Model.group_errors(). Where rows stand twice, the error of a row that is left out alone is too small, as its copy
    stays; the errors of these groups are those of an x that was not seen. Cost: O(n d log n)."""
    rows = np.asarray(X)
    if rows.ndim not in (1, 2) or len(rows) == 0:
        raise ValueError(f"X must be a matrix with a row or more, or a vector, not an array of shape {rows.shape}")
    if rows.dtype.kind == "O":
        rows = np.stack([label_codes(column) for column in read_labels(X).reshape(len(rows), -1).T], axis=1)
    _, first, label = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[label.ravel()].astype(np.int32)


def make_blocks(n: int, folds: int, before: int = 0,
                after: int = 0) -> Tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Labels of contiguous blocks, for rows in order of time, and of their gaps (n x layers), the `before` rows before
    a block and the `after` rows after it: for Model.set_groups() or Model.group_errors(). Cost: O(n layers)."""
    group, layers = np.empty(max(0, n), dtype=np.int32), c.INT64()
    call("make_blocks", n, folds, before, after, layers, pointer(group), None)
    gap = np.empty((n, layers.value), dtype=np.int32, order="F")
    call("make_blocks", n, folds, before, after, None, None, pointer(gap))
    return group, gap


def set_threads(count: int) -> None:
    """For the library and the BLAS in the whole process; 0: as it was before. Cost: O(1)."""
    call("set_threads", count)


def get_threads() -> int:
    """How many are in force. Cost: O(1)."""
    count = c.INT32()
    call("get_threads", count)
    return count.value


class ParameterBounds(NamedTuple):
    """The least, the greatest and the usual value of a parameter, and whether it is a whole number."""
    low: float
    high: float
    usual: float
    whole: bool


def parameter_bounds(parameter: int) -> ParameterBounds:
    """Of a number that set_refinement() and the like set: freeridge.library.REFINEMENT, ... Raises InputError. Cost:
    O(1)."""
    low, high, usual, whole = c.DOUBLE(), c.DOUBLE(), c.DOUBLE(), c.INT32()
    call("parameter_bounds", parameter, low, high, usual, whole)
    return ParameterBounds(low.value, high.value, usual.value, bool(whole.value))


def locate_saved_x(saved: bytes) -> Tuple[int, int]:
    """Where the x of all rows stands among the bytes of a predictor or a Classifier: (first, length), counted in bytes;
    (0, 0): it is not there. So x can be cut out, where it is kept anyway, and put back before from_bytes(). Raises
    Error (CORRUPT, NEWER_FORMAT). Cost: O(bytes)."""
    saved = memoryview(saved).tobytes()
    first, length = c.INT64(), c.INT64()
    call("locate_saved_x", saved, len(saved), first, length)
    return first.value, length.value


def build_info() -> str:
    """One line for bug reports: version, compiler, BLAS, threads. Cost: O(1)."""
    return c.library.freeridge_build_info().decode()
