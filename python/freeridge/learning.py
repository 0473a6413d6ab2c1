"""Kernels that learn: with which numbers a search for the kernel begins, which of them are free, and by what columns
are divided. The search itself is the library's (Model.select_kernel), and the defaults are those of R's freeridge().

All numbers of a kernel are free but those that others make superfluous: a bandwidth beneath free scales, and the first
weight of a sum, which lambda stands for. A kernel of the distance may have a length for each column, k(x / length, z /
length). Each hyperparameter has a key: those with the same key have one value, and those with the key None are held.
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from .arrays import Array, is_sparse, real
from .kernels import Kernel, gaussian, matern, product_kernel, sum_kernel

RADIAL = ("gaussian", "laplacian", "matern")
MOST_TERMS = 30  # of the additive part of the default kernel, which takes time for each of them

# A divisor for a column that is constant in the rows fitted, which say nothing of its other values: divided by it all
# of them are one value for a kernel of the distance.
_NO_PART = 2.0 ** 500


class Relevance(NamedTuple):
    """A column and its length in units of the column's divisor; relevance: the least length of all columns / length;
    at_bound: whether the length is at the high bound of the search, where a column hardly matters."""

    column: str
    length: float
    relevance: float
    at_bound: bool


def default_kernel(X: Any, lengths: str, smoothness: Optional[float] = None) -> Kernel:
    """The Matern 3/2 kernel, or one of another smoothness (2.5; infinity: the Gaussian kernel), plus the additive kernel
    of it, with the same lengths, one for each column. More than MOST_TERMS columns are bands of neighbours, as many in
    each as are needed, and a band is a term of the additive part. Without that part where it would be the same as the
    first (one column varies), and where one length serves all columns."""
    if smoothness not in (None, 1.5, 2.5, np.inf):
        raise ValueError(f"smoothness must be None, 1.5, 2.5 or infinity (the Gaussian kernel), not {smoothness!r}")
    part = gaussian(1.0) if smoothness == np.inf else matern(smoothness or 1.5, 1.0)
    if lengths == "one" or np.count_nonzero(varying(X)) <= 1:
        return part
    columns = X.shape[1]
    bands = np.arange(columns) // -(-columns // MOST_TERMS) if columns > MOST_TERMS else None
    return sum_kernel([part, part.additive(bands)]).scaled(np.ones(columns))


def varying(X: Any) -> npt.NDArray[np.bool_]:
    """Whether each column has two numbers that differ."""
    if is_sparse(X):
        most, least = (np.asarray(values.todense()).ravel() for values in (X.max(axis=0), X.min(axis=0)))
        return most != least
    return np.max(X, axis=0) != np.min(X, axis=0)


def divisors(X: Any, kernel: Kernel, scale: Any) -> Optional[Array]:
    """One for each column: standard deviations for scale = True, and a number without effect for a constant column;
    scale itself where it is numbers; None for False."""
    if isinstance(scale, (bool, np.bool_)):
        return deviations(X, kernel) if scale else None
    values = real(scale, "scale").astype(np.float64)
    if values.shape not in ((), (X.shape[1],)) or not np.all(np.isfinite(values) & (values > 0)):
        raise ValueError(f"scale must be True, False or {X.shape[1]} positive numbers, not {scale!r}")
    return np.array(np.broadcast_to(values, X.shape[1]))


def deviations(X: Any, kernel: Kernel) -> Array:
    """The divisors of scale = True."""
    constant = 1.0 if kernel.name in ("linear", "precomputed") else _NO_PART
    deviation, size = _deviations(X)
    known = np.isfinite(deviation) & (deviation > np.finfo(float).eps * size)
    return np.where(known, deviation, constant)


def _deviations(X: Any) -> Tuple[Array, Array]:
    """The standard deviation of each column with the denominator n - 1, and the size of its numbers."""
    rows = X.shape[0]
    if rows < 2:
        return np.zeros(X.shape[1]), np.ones(X.shape[1])
    if not is_sparse(X):
        return np.std(X, axis=0, ddof=1), np.max(np.abs(X), axis=0)
    mean, entries, centred = np.asarray(X.mean(axis=0)).ravel(), X.tocsc(), X.tocsc().copy()
    count = np.diff(entries.indptr)
    centred.data = (entries.data - np.repeat(mean, count)) ** 2
    squares = np.asarray(centred.sum(axis=0)).ravel() + (rows - count) * mean ** 2
    return np.sqrt(squares / (rows - 1)), np.asarray(abs(entries).sum(axis=0)).ravel()


Keys = List[Optional[str]]


def with_keys(kernel: Kernel, each: bool, bands: Sequence[int], beneath: bool = False,
              place: str = "") -> Tuple[Kernel, Keys]:
    """The kernel at which the search begins, and a key for each hyperparameter, in the library's order. each: a length
    for each column, one for columns of the same band; beneath: whether the scales around this kernel are free; place:
    the path to it, which makes keys of different parts differ."""

    def of_part(index: int, beneath: bool) -> Tuple[Kernel, Keys]:
        return with_keys(kernel.parts[index], each, bands, beneath, f"{place}{kernel.name}{index}.")

    lengths: Keys = [f"{place}length{band}" for band in bands]
    if kernel.name in RADIAL:
        if each and not beneath:
            start = np.full(len(bands), kernel.hyperparameters[0])
            return kernel.with_hyperparameters([1.0]).scaled(start), lengths + [None]
        return kernel, [None if beneath else place + "bandwidth"]
    if kernel.name == "polynomial":
        return kernel, [None if beneath else place + "scale", place + "offset"]
    if kernel.name == "scaled":
        inner, keys = of_part(0, True)
        return inner.scaled(kernel.parameters["scale"]), [*(None if beneath else key for key in lengths), *keys]
    if kernel.name in ("periodic", "sphere"):  # in units of its own distance
        inner, keys = with_keys(kernel.parts[0], False, bands, False, f"{place}{kernel.name}0.")
        return kernel, ([f"{place}period", *keys] if kernel.name == "periodic" else keys)
    if kernel.name in ("additive", "multiplicative"):  # lengths stand around it: within it are the columns of one term
        own = _has_own_distance(kernel)
        if each and not beneath and not own:
            return with_keys(kernel.scaled(np.ones(len(bands))), each, bands, beneath, place)
        inner, keys = with_keys(kernel.parts[0], each and not own, bands, beneath, f"{place}{kernel.name}0.")
        label = kernel.parameters["label"]
        of_terms = inner.additive if kernel.name == "additive" else inner.multiplicative
        return of_terms(label if len(label) > 0 else None), keys
    parts = [of_part(index, beneath) for index in range(len(kernel.parts))]
    if kernel.name == "product":
        return product_kernel([part for part, _ in parts]), [key for _, keys in parts for key in keys]
    if kernel.name == "sum":
        found: Keys = []
        for index, (_, keys) in enumerate(parts):  # the weight of a term comes before what is in the term
            found += [None if index == 0 else f"{place}weight{index}"] + keys
        return sum_kernel([part for part, _ in parts], kernel.parameters["weights"]), found
    return kernel, []


def _has_own_distance(kernel: Kernel) -> bool:
    return kernel.name in ("periodic", "sphere") or any(map(_has_own_distance, kernel.parts))


def labels_of(keys: Keys, held: int) -> npt.NDArray[np.int32]:
    """The labels that Model.select_kernel() takes: -1 for what is held, `held` of them first."""
    names = [key for key in dict.fromkeys(keys) if key is not None]
    return np.array([-1] * held + [-1 if key is None else names.index(key) for key in keys], dtype=np.int32)


def bands_of(bands: Any, columns: int) -> List[int]:
    """A number for each column, the same for columns with the same label."""
    if bands is None:
        return list(range(columns))
    labels = list(bands)
    if len(labels) != columns:
        raise ValueError(f"bands must be {columns} labels, one for each column of X, not {len(labels)}")
    names = list(dict.fromkeys(labels))
    return [names.index(label) for label in labels]


def relevance_of_fit(fit: Any) -> List[Relevance]:
    """Of an estimator, the most relevant column first. Raises AttributeError where it has no length for each column."""
    fit._check_fitted()
    learnt = fit.learning_
    held = 0 if fit.scale_ is None else len(fit.scale_)
    names = fit._feature_names()
    columns = getattr(fit, "_columns", None)
    if columns is not None:
        names = names[columns[0]]
    found = [] if learnt is None else relevance_of(fit.kernel_, learnt.variable, learnt.at, held, list(names))
    if not found:
        raise AttributeError('this fit has no length for each column: lengths="each" learns them')
    return found


def relevance_of(kernel: Kernel, variable: npt.NDArray[np.int64], at: npt.NDArray[np.int32], held: int,
                 columns: Sequence[str]) -> List[Relevance]:
    """Of a kernel that was learnt: the columns with a length that was free, the most relevant first. held: how many
    divisors stand before the lengths."""
    found = [(int(name[name.rindex("[") + 1:-1]), value, high > 0)
             for index, (name, value, free, high) in
             enumerate(zip(kernel.hyperparameter_names, kernel.hyperparameters, variable, at))
             if index >= held and free >= 0 and ".scale[" in "." + name and "scaled" in name]
    least = min((length for _, length, _ in found), default=1.0)
    return [Relevance(str(columns[place]), float(length), float(least / length), bool(bound))
            for place, length, bound in sorted(found, key=lambda each: each[1])]
