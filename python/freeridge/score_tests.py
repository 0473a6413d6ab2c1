"""Score tests of variables, as R's anova() has them (freeridge_score_test): with the kernel matrix K and that of a kernel
that does not see the variable (its columns constant), K_0, at the lambda that REML chooses for K_0: D = K - K_0. A length
that was learnt for the variable itself is replaced by the standard deviation of its column, as a length learnt from the
same outputs would favour chance, and a long one hides what is there."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, is_sparse
from .importance import Columns, variables_of, with_nan
from .inputs import response, table_of
from .kernels import Kernel, precomputed
from .model import Model


class ScoreTests(NamedTuple):
    """A row for each variable, a column for each output: the lambda of the fit without the variable, the statistic q, and
    the probability of a larger one by chance."""

    alpha: Array
    statistic: Array
    p_value: Array


def score_tests(model: Model, x: ArrayLike, y: ArrayLike, columns: Optional[Columns] = None,
                fixed: Optional[ArrayLike] = None, lengths: Optional[Array] = None, held: int = 0) -> ScoreTests:
    """For a fitted model and the x, y and unpenalised columns that it was made from. columns: the variables, each a column
    or several, as those of one category; None: each column. lengths: d numbers, which a column that is tested has in the place
    of its lengths, the scales of scaled kernels from the hyperparameter `held` on; None: the kernel is as it is.
    Raises ValueError (shapes, missing values, a precomputed kernel), Error (INVALID_STATE of the ITERATIVE route). Cost:
    for each variable kernel values of all pairs, and two to four decompositions of n x n matrices; memory 8 n^2."""
    points: Any = table_of(x, model._names)
    fixed = None if fixed is None else table_of(fixed, model._fixed_names, "fixed")
    points = points.toarray() if is_sparse(points) else points
    outputs = response(y, len(points)).reshape(len(points), -1)
    kernel = model.kernel()
    if "precomputed" in str(kernel):
        raise ValueError("the kernel is precomputed: there are no variables to test")
    if (points.shape, outputs.shape) != ((model.n, model.d), (model.n, model.t)):
        raise ValueError(f"x is {len(points)} x {points.shape[1]} and y has {outputs.shape[1]} outputs; the model was made "
                         f"from {model.n} x {model.d} and {model.t}")
    if np.isnan(outputs).any():
        raise ValueError("the tests need each output in all rows, and y has missing values")
    if model.route() == c.ROUTE_ITERATIVE:
        raise ValueError("the tests need matrices of all pairs of rows, which the route ITERATIVE does not make")
    found = []
    for variable in variables_of(columns, model.d):
        unseeing = points.copy()
        unseeing[:, variable] = 0.0
        tested = kernel if lengths is None else _with_lengths(kernel, variable, lengths, held)
        difference = tested.values(points, points) - tested.values(unseeing, unseeing)
        null = kernel.values(unseeing, unseeing)
        found.append([_test(model, null, outputs[:, j], fixed, difference) for j in range(model.t)])
    alpha, statistic, p_value = np.moveaxis(np.array(found).reshape(len(found), model.t, 3), 2, 0)
    return ScoreTests(alpha, statistic, p_value)


def _test(model: Model, null: Array, y: Array, fixed: Optional[ArrayLike], difference: Array) -> List[float]:
    intercept = (c.INTERCEPT_PENALISED if model.penalises_intercept()
                 else c.INTERCEPT_FREE if model.has_intercept() else c.INTERCEPT_NONE)
    without = Model(precomputed(), null, y, weights=model.weights(), intercept=intercept, route=c.ROUTE_SPECTRAL)
    if fixed is not None:
        without.set_fixed_effects(fixed)
    without.factorize()
    try:
        without.select_lambda(c.REML)
    except c.Error as error:  # without any other variable lambda is of no consequence, and REML has no value
        if error.status != c.UNDEFINED:
            raise
        without.set_lambda(1.0)
    test = with_nan(lambda: without.score_test(difference))
    return [float(without.lambdas()[0]), float(test.statistic[0]), float(test.p_value[0])]


def _with_lengths(kernel: Kernel, variable: np.ndarray, lengths: Array, held: int) -> Kernel:
    values = kernel.hyperparameters
    for index, name in enumerate(kernel.hyperparameter_names):
        part, _, place = name.rpartition("[")
        if index >= held and part.endswith("scaled.scale") and int(place[:-1]) in variable:
            values[index] = lengths[int(place[:-1])]
    return kernel.with_hyperparameters(values)
