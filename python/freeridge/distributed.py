"""Ridge and kernel ridge regression on partitions of rows that never are together, in processes or on machines that
another system has: concurrent.futures, Dask, Spark, Ray. Each pass maps a function over the partitions and joins what it
gives, two at a time:

    sample    rows by chance, for landmarks and the numbers of a kernel (only with landmarks)
    sums      the triangle of all rows, (d + t)^2 / 2 numbers a partition: Accumulator.merge_bytes()
    moments   of the left-out errors at each lambda, 5 numbers each: join_moments(); once for all lambdas, and once more
              for each lambda that is tried between them
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .accumulator import Accumulator
from .arrays import Array, is_sparse, real
from .estimator import FreeRidge
from .fitting import CRITERIA, METHODS
from .inputs import (choice, column_names, compare_names, label_codes, labels_of_groups, numbers_of, one_each, response,
                     row_numbers, sample_weights, table)
from .kernels import Kernel
from .model import Model
from .moments import join_moments, moments_score, moments_select_lambda

MapReduce = Callable[[Callable[[Any], Any], Callable[[Any, Any], Any], Any], Any]


def over_map(apply: Callable[..., Iterable[Any]] = map) -> MapReduce:
    """By a function that works as map() does: that of a pool of multiprocessing, concurrent.futures, joblib, Ray, MPI.
    What partitions give is joined here, in their order."""

    def map_reduce(function: Callable[[Any], Any], join: Callable[[Any, Any], Any], partitions: Any) -> Any:
        return functools.reduce(join, apply(function, partitions), None)

    return map_reduce


def over_dask(fan: int = 8) -> MapReduce:
    """By Dask's scheduler in use; partitions may hold delayed objects, such as blocks of arrays. What they give is joined
    in a tree, `fan` at a time, where it is: the answers do not depend on which worker has what."""
    if fan < 2:
        raise ValueError(f"fan must be 2 or more, not {fan}")

    def map_reduce(function: Callable[[Any], Any], join: Callable[[Any, Any], Any], partitions: Any) -> Any:
        import dask

        found = [dask.delayed(function, pure=False)(one) for one in partitions]
        fold = dask.delayed(functools.partial(functools.reduce, join), pure=False)
        while len(found) > 1:
            found = [fold(found[first:first + fan]) for first in range(0, len(found), fan)]
        return found[0].compute() if found else None

    return map_reduce


class DistributedFit:
    """What fit() found. alpha_, best_score_ and standard_error_ (of the criterion, for each output; None where alpha was
    given, or there is no such error), n_ (rows), criterion_, kernel_ and components_ (the landmarks; None without any),
    coef_ and intercept_ (in the shapes of scikit-learn's Ridge; None with landmarks), accumulator_, n_features_in_,
    feature_names_in_, and of the criteria "loo" and "groups" lambdas_, scores_ and standard_errors_ (count x t). All of
    it goes through pickle."""

    accumulator_: Accumulator
    alpha_: Array
    n_: int
    n_features_in_: int
    feature_names_in_: np.ndarray
    criterion_: Optional[str] = None
    best_score_: Optional[Array] = None
    standard_error_: Optional[Array] = None
    kernel_: Optional[Kernel] = None
    components_: Optional[Array] = None
    coef_: Optional[Array] = None
    intercept_: Any = None
    lambdas_: Optional[Array] = None
    scores_: Optional[Array] = None
    standard_errors_: Optional[Array] = None
    _predictor: Model
    _vector: bool

    def predictor(self) -> Model:
        """The fit for prediction alone. Cost: O(1)."""
        return self._predictor

    def predict(self, X: ArrayLike) -> Array:
        """f(x) + b at m points: m numbers, or m x t. Raises ValueError. Cost: O(m d t), with r landmarks O(m r (d +
        t))."""
        compare_names(column_names(X), getattr(self, "feature_names_in_", None), type(self).__name__)
        f = self._predictor.predict(table(X))
        return f[:, 0] if self._vector else f


def fit(partitions: Any, map_reduce: Optional[MapReduce] = None, kernel: Union[None, str, Kernel] = None,
        landmarks: Optional[int] = None, alpha: Union[None, float, ArrayLike] = None, criterion: str = "loo",
        fit_intercept: bool = True, lambdas: Union[int, ArrayLike] = 100, passes: int = 4, sample: Optional[int] = None,
        landmark_method: str = "auto", seed: int = 0) -> DistributedFit:
    """The fit to the rows of all partitions, with the answers of one process that has all rows.

    partitions       a list (or what map_reduce takes), each of (X, y), (X, y, weights) or (X, y, weights, groups), where
                     weights and groups may be None, as FreeRidge.fit() has them; None and X without rows: no rows; or a
                     function of no arguments that gives one of these, where the partition is read. They are read in each
                     pass, and must have the same rows each time.
    map_reduce       map_reduce(function, join, partitions): the values of function for all partitions, joined by
                     join(one, other). over_map(pool.map), over_dask(), or for Spark: lambda function, join, rdd:
                     rdd.map(function).treeReduce(join). None: in this process.
    kernel           without landmarks linear, of columns as they are; with them one that FreeRidge takes, None: its
                     default. What is open in it is learnt on the sample, as are the divisors of columns.
    landmarks        how many, chosen among the sample by landmark_method with `seed`, as FreeRidge does.
    alpha            one, or one for each output; None: chosen by criterion: "loo", "groups", "gcv" or "reml". Rows of a
                     group stand in one partition.
    lambdas          which are tried by "loo" and "groups", or how many; passes: how often all rows are read at most for
                     it, where each pass after the first tries one more for each output.
    sample           how many rows: None: 2000, or twice the landmarks if that is more.

    Raises ValueError, TypeError, Error; and what map_reduce raises. A partition that has other rows in a later pass, or is
    lost or counted twice, is a ValueError. Cost: that of Accumulator.add() and loo_moments(); traffic: (d + t)^2 doubles
    for each partition, with r landmarks (r + t)^2."""
    if hasattr(partitions, "__next__"):
        raise TypeError("partitions are read more than once: give a list of them, not an iterator")
    if criterion not in ("loo", "groups", "gcv", "reml"):
        raise ValueError(f"criterion must be loo, groups, gcv or reml, not {criterion!r}")
    if landmarks is None and not (kernel is None or str(kernel) in ("linear", "linear()")):
        raise ValueError(f"the kernel is {kernel}, which needs landmarks here: how many, as in landmarks=500")
    run = over_map() if map_reduce is None else map_reduce
    found, empty, drawn = DistributedFit(), None, None
    if landmarks is not None:
        choice(METHODS, landmark_method, "landmark_method")
        size = _sample_size(landmarks, sample)
        drawn = run(functools.partial(_sampled, size, seed), functools.partial(_joined_samples, size), partitions)
        if drawn is None:
            raise ValueError("the partitions have no rows")
        empty = _over_landmarks(found, drawn, kernel, landmarks, landmark_method, fit_intercept, seed)
    sums = run(functools.partial(_summed, empty, bool(fit_intercept), criterion == "groups"), _joined_sums, partitions)
    if sums is None:
        raise ValueError("the partitions have no rows")
    if drawn is not None:
        _compare_rows(drawn, sums)
    rows = found.accumulator_ = Accumulator.from_bytes(sums.saved).prepare()
    rows._names = sums.names
    found._vector, found.n_, found.n_features_in_ = sums.vector, sums.rows, sums.d
    if sums.names is not None:
        found.feature_names_in_ = np.array(sums.names, dtype=object)
    if alpha is not None:
        found.alpha_ = one_each(alpha, rows.t, "alpha")
    else:
        found.criterion_ = criterion
        if criterion == "groups" and not sums.labels:
            raise ValueError("groups has no label at a row whose weight is positive")
        if criterion in ("loo", "groups"):
            again = functools.partial(_moments_of, rows.to_bytes(), criterion == "groups")
            _choose(found, lambda new: _pass(run, again, new, partitions, sums), _tried(rows, lambdas), passes)
        else:
            best = rows.select_lambda(CRITERIA[criterion])
            found.alpha_, found.best_score_ = best.lambdas, best.score
    found._predictor = rows.predictor(found.alpha_)
    if landmarks is None:
        w, b = rows.solve(found.alpha_)
        own = np.arange(rows.t) * (rows.t + 1)
        found.coef_ = w[:, 0] if sums.vector else w[:, own].T.copy()
        found.intercept_ = b[0, 0] if sums.vector else np.diagonal(b).copy()
    return found


# --------------------------------------------------------------------------------------------------------------------
# One partition
# --------------------------------------------------------------------------------------------------------------------


class _Rows(NamedTuple):
    """y: n x t; vector: whether it came as n numbers; groups: labels_of_groups(). checksum: a sum over the rows of a
    number that depends on X, y and weight of each, modulo 2^64."""

    X: Any
    y: Array
    vector: bool
    weights: Optional[Array]
    groups: Optional[np.ndarray]
    names: Optional[Tuple[str, ...]]
    checksum: int


def _rows_of(partition: Any) -> Optional[_Rows]:
    """None: there are none."""
    if callable(partition):
        partition = partition()
    if partition is None:
        return None
    if not isinstance(partition, (tuple, list)) or not 2 <= len(partition) <= 4:
        raise TypeError("a partition must be (X, y), (X, y, weights) or (X, y, weights, groups), a function that gives one "
                        f"of these, or None, not {type(partition).__name__}")
    X, y, weights, groups = [*partition, None, None][:4]
    if np.shape(X)[:1] == (0,):
        return None
    names, points = column_names(X), table(X)
    outputs = response(y, points.shape[0])
    vector, outputs = outputs.ndim == 1, outputs.reshape(points.shape[0], -1)
    groups = None if groups is None else labels_of_groups(groups)
    if groups is not None and groups.shape != (points.shape[0],):
        raise ValueError(f"groups has shape {groups.shape}; it must have a label for each of the {points.shape[0]} "
                         "rows of X")
    if weights is not None:
        weights = np.asarray(real(weights, "weights"), dtype=np.float64)
        if not np.any(weights != 0):
            return None
        weights = sample_weights(weights, points.shape[0])
        used = weights > 0
        points, outputs, weights = points[used], outputs[used], weights[used]
        groups = None if groups is None else groups[used]
    return _Rows(points, outputs, vector, weights, groups, None if names is None else tuple(names),
                 _checksum(points, outputs, weights))


def _checksum(X: Any, y: Array, weights: Optional[Array]) -> int:
    if is_sparse(X):  # a product with numbers by chance, in the order of the entries
        X = X @ np.random.default_rng(1).normal(size=(X.shape[1], 2))
    ones = np.ones(len(y)) if weights is None else weights
    return int(np.sum(row_numbers(np.column_stack([X, y, ones])), dtype=np.uint64))


def _labels(rows: _Rows) -> np.ndarray:
    if rows.groups is None:
        raise ValueError('criterion is "groups", and a partition has no groups: (X, y, weights, groups)')
    return rows.groups


class _Sample(NamedTuple):
    """keys: of the rows, numbers by chance, of which the least are kept."""

    keys: Array
    X: Any
    y: Array
    weights: Array
    rows: int
    checksum: int


def _sampled(size: int, seed: int, partition: Any) -> Optional[_Sample]:
    rows = _rows_of(partition)
    if rows is None:
        return None
    n = len(rows.y)
    keys = np.random.default_rng([seed, rows.checksum]).random(n)
    X = rows.X.toarray() if is_sparse(rows.X) else rows.X
    whole = _Sample(keys, X, rows.y, np.ones(n) if rows.weights is None else rows.weights, n, rows.checksum)
    return _least(whole, size)


def _least(sample: _Sample, size: int) -> _Sample:
    kept = np.argsort(sample.keys, kind="stable")[:size]
    return sample._replace(keys=sample.keys[kept], X=sample.X[kept], y=sample.y[kept], weights=sample.weights[kept])


def _joined_samples(size: int, one: Optional[_Sample], other: Optional[_Sample]) -> Optional[_Sample]:
    if one is None or other is None:
        return other if one is None else one
    _compare_columns(one.X.shape[1], one.y.shape[1], other.X.shape[1], other.y.shape[1])
    X, y = np.concatenate([one.X, other.X]), np.concatenate([one.y, other.y])
    keys, weights = np.concatenate([one.keys, other.keys]), np.concatenate([one.weights, other.weights])
    checksum = (one.checksum + other.checksum) % 2 ** 64
    return _least(_Sample(keys, X, y, weights, one.rows + other.rows, checksum), size)


class _Sums(NamedTuple):
    """saved: the bytes of a compact accumulator; labels: of all groups."""

    saved: bytes
    rows: int
    checksum: int
    d: int
    t: int
    vector: bool
    names: Optional[Tuple[str, ...]]
    labels: frozenset


def _summed(empty: Optional[bytes], intercept: bool, grouped: bool, partition: Any) -> Optional[_Sums]:
    rows = _rows_of(partition)
    if rows is None:
        return None
    d, t = rows.X.shape[1], rows.y.shape[1]
    sums = Accumulator(d, t, intercept) if empty is None else Accumulator.from_bytes(empty)
    labels = frozenset(_labels(rows).tolist()) - {None} if grouped else frozenset()
    saved = sums.add(rows.X, rows.y, rows.weights).compact().to_bytes()
    return _Sums(saved, len(rows.y), rows.checksum, d, t, rows.vector, rows.names, labels)


def _joined_sums(one: Optional[_Sums], other: Optional[_Sums]) -> Optional[_Sums]:
    if one is None or other is None:
        return other if one is None else one
    _compare_columns(one.d, one.t, other.d, other.t)
    if one.names != other.names:
        raise ValueError(f"the columns of X have other names, or another order, in different partitions: {one.names} and "
                         f"{other.names}")
    both = one.labels & other.labels
    if both:
        raise ValueError(f"group {next(iter(both))!r} has rows in two partitions, and must have all in one")
    return one._replace(saved=Accumulator.merge_bytes(one.saved, other.saved), rows=one.rows + other.rows,
                        checksum=(one.checksum + other.checksum) % 2 ** 64, vector=one.vector and other.vector,
                        labels=one.labels | other.labels)


def _compare_columns(d: int, t: int, other_d: int, other_t: int) -> None:
    if (d, t) != (other_d, other_t):
        raise ValueError(f"partitions differ: X with {d} columns and y with {t}, and X with {other_d} and y with {other_t}")


class _Moments(NamedTuple):
    moments: Array
    rows: int
    checksum: int


def _moments_of(saved: bytes, grouped: bool, lambdas: Array, partition: Any) -> Optional[_Moments]:
    rows = _rows_of(partition)
    if rows is None:
        return None
    sums = Accumulator.from_bytes(saved)
    if grouped:
        found = sums.group_moments(rows.X, rows.y, label_codes(_labels(rows)), lambdas, rows.weights)
    else:
        found = sums.loo_moments(rows.X, rows.y, lambdas, rows.weights)
    return _Moments(found, len(rows.y), rows.checksum)


def _joined_moments(one: Optional[_Moments], other: Optional[_Moments]) -> Optional[_Moments]:
    if one is None or other is None:
        return other if one is None else one
    return _Moments(join_moments(one.moments, other.moments), one.rows + other.rows,
                    (one.checksum + other.checksum) % 2 ** 64)


# --------------------------------------------------------------------------------------------------------------------
# All partitions
# --------------------------------------------------------------------------------------------------------------------


def _sample_size(landmarks: int, sample: Optional[int]) -> int:
    if isinstance(landmarks, bool) or not isinstance(landmarks, (int, np.integer)) or landmarks < 1:
        raise ValueError(f"landmarks must be how many, 1 or more, not {landmarks!r}")
    if sample is not None and sample < max(landmarks, 2):
        raise ValueError(f"sample is {sample}, and must be at least as many rows as landmarks, {landmarks}")
    return max(2000, 2 * landmarks) if sample is None else int(sample)


def _over_landmarks(found: DistributedFit, drawn: _Sample, kernel: Union[None, str, Kernel], landmarks: int, method: str,
                    intercept: bool, seed: int) -> bytes:
    """Settles the kernel and its landmarks on the sample. The bytes of the accumulator over them, which has no rows."""
    model = FreeRidge(kernel=kernel, landmarks=min(landmarks, len(drawn.y)), landmark_method=method, seed=seed,
                      fit_intercept=intercept).fit(drawn.X, drawn.y, drawn.weights)
    if str(model.kernel_) == "linear()":
        raise ValueError("the kernel is linear, which needs no landmarks: it has as many features as there are columns")
    found.kernel_, found.components_ = model.kernel_, np.ascontiguousarray(drawn.X[model.landmarks_])
    rows = Accumulator.over_landmarks(model.kernel_, found.components_, drawn.y.shape[1], intercept)
    return rows.to_bytes()


def _compare_rows(first: Any, again: Any) -> None:
    if first.rows != (0 if again is None else again.rows):
        raise ValueError(f"the partitions have changed between two passes: {first.rows} rows at first, then "
                         f"{0 if again is None else again.rows}")
    if first.checksum != again.checksum:
        raise ValueError("the partitions have changed between two passes: as many rows, with other numbers")


def _pass(run: MapReduce, moments: Any, lambdas: Array, partitions: Any, sums: _Sums) -> Array:
    found = run(functools.partial(moments, lambdas), _joined_moments, partitions)
    _compare_rows(sums, found)
    out: Array = found.moments
    return out


def _tried(rows: Accumulator, lambdas: Union[int, ArrayLike]) -> Array:
    if np.ndim(lambdas) > 0:
        return np.unique(numbers_of(lambdas, "lambdas"))
    try:
        return rows.lambda_grid(int(np.asarray(lambdas)))
    except c.Error as error:
        if error.status != c.UNDEFINED:
            raise
        return np.ones(1)  # no lambda matters


def _choose(found: DistributedFit, moments: Callable[[Array], Array], new: Array, passes: int) -> None:
    """The lambda of each output with the least mean squared left-out error among those tried; each further pass tries
    one more for each output, between the best and its neighbours."""
    if passes < 1:
        raise ValueError(f"passes must be 1 or more, not {passes}")
    tried: List[Array] = []
    known: List[Array] = []
    for _ in range(passes):
        known.append(moments(new))
        tried.append(new)
        best = moments_select_lambda(np.concatenate(known, axis=1), np.concatenate(tried))
        new = np.setdiff1d(best.next, np.concatenate(tried))
        if len(new) == 0:
            break
    found.alpha_, found.best_score_, found.standard_error_ = best.lambdas, best.score, best.standard_error
    lambdas = np.concatenate(tried)
    scores, errors = moments_score(np.concatenate(known, axis=1), lambdas)
    order = np.argsort(lambdas)
    found.lambdas_, found.scores_, found.standard_errors_ = lambdas[order], scores[order], errors[order]
