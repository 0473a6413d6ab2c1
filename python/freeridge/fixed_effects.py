"""Models with columns F that no penalty touches: their effects, and predictions with the values of F at new points."""

from __future__ import annotations

from ctypes import byref
from typing import Any, List, NamedTuple, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .answers import Answers, Combinations, Interval, PredictionErrors, Variance
from .arrays import Array, Matrix, Names, Sparse, empty, numbers, pointer, same_names, struct_of, vector


class FixedEffects(NamedTuple):
    """effects and errors: q x t, the coefficients of F and their standard errors; kept: for each column of F 1 where it
    has an effect of its own, 0 where it depends on the intercept and the columns before it, and its effect is 0."""

    kept: np.ndarray
    effects: Array
    errors: Array


class VarianceComponents(NamedTuple):
    """t numbers each; of a kernel that is a sum of several, all but residual are t x terms. residual: the variance of the
    errors at weight one; random: that of f, the random effect, or of each term's; share: of random in the sum of all
    variances, which is the heritability where K is a relationship matrix; error: the standard error of share, of a sum
    t x (terms + 1), the last that of the residual's share."""

    residual: Array
    random: Array
    share: Array
    error: Array


class FixedAnswers(Answers):
    """`fixed`: m x q, in the columns as set_fixed_effects() had them."""

    _fixed_names: Names = None

    def fixed_count(self) -> int:
        """q, 0 without fixed effects; of predictors, too. Cost: O(1)."""
        count = c.INT64()
        self._ask("get_unpenalised", count, None, None, None, 0)
        return count.value

    def fixed_effects(self) -> FixedEffects:
        """Raises Error (INVALID_STATE) without fixed effects, (UNDEFINED) at lambda = 0, with the effects and NaN for
        the errors in its `values`. Cost: predict_variance() at q points."""
        q = self.fixed_count()
        out = FixedEffects(np.zeros(max(q, 1), np.int32), empty(max(q, 1), self.t), empty(max(q, 1), self.t))
        return self._answer(out, "get_unpenalised", None, pointer(out.kept), pointer(out.effects), pointer(out.errors),
                            max(q, 1))

    def fixed_covariance(self) -> List[Array]:
        """For each output the covariances of the effects in the mixed model, q x q; the square roots of the diagonal
        are the standard errors. Raises Error as fixed_effects(). Cost: predict_variance() at q (q + 1) / 2 points."""
        q = self.fixed_count()
        whole = empty(max(q, 1), max(q, 1) * self.t)
        parts = [whole[:, j * q : (j + 1) * q] for j in range(self.t)]
        return self._answer(parts, "get_unpenalised_covariance", pointer(whole), max(q, 1))

    def variance_components(self) -> VarianceComponents:
        """Those of the mixed model y = F a + f + e at the lambda set, which REML should have chosen, as well as the weights
        of a sum (select_kernel). Raises Error (UNDEFINED) at lambda = 0, where the likelihood has no maximum nearby, or
        where a variance is zero and has no standard error, with NaN in its `values`. Cost: four lambdas; of a sum four
        gradients for each term and output."""
        count = c.INT64()
        self._ask("variance_components", byref(count), None, None, None, None)
        terms = count.value
        shape = (self.t,) if terms == 1 else (self.t, terms)
        error = np.full((self.t, terms + 1), np.nan)
        out = VarianceComponents(numbers(self.t), np.full(shape, np.nan), np.full(shape, np.nan),
                                 error[:, 0] if terms == 1 else error)
        places = [pointer(part) for part in (*out[:3], error)]
        return self._answer(out, "variance_components", None, *places)

    def _with_fixed(self, x: ArrayLike, fixed: ArrayLike) -> Tuple[Union[Matrix, Sparse], Any]:
        points = self._points(x)
        values = Matrix(fixed, points.layout, "fixed")
        if (values.rows, values.columns) != (points.rows, self.fixed_count()):
            raise ValueError(f"fixed is {values.rows} x {values.columns}, expected was {points.rows} x "
                             f"{self.fixed_count()}")
        same_names(values.names, self._fixed_names, "fixed")
        return points, struct_of(points, values)

    def predict_fixed(self, x: ArrayLike, fixed: ArrayLike) -> Array:
        """f(x) + b + fixed a at m new points: m x t. Cost: predict(), and O(m q t)."""
        return self._predict(*self._with_fixed(x, fixed))

    def predict_path_fixed(self, x: ArrayLike, fixed: ArrayLike, lambdas: ArrayLike) -> Array:
        """predict_path() with fixed effects. Cost: that of predict_path, and m q flops a lambda."""
        return self._predict(*self._with_fixed(x, fixed), vector(lambdas, name="lambdas"))

    def predict_jackknife_fixed(self, x: ArrayLike, fixed: ArrayLike, level: float = 0.9, folds: Optional[int] = None,
                                seed: int = 0, by_groups: bool = False) -> Interval:
        """predict_jackknife() with fixed effects. Cost: that of predict_jackknife, and n m q flops."""
        return self._jackknife(*self._with_fixed(x, fixed), level, folds, seed, by_groups)

    def predict_left_out_fixed(self, x: ArrayLike, fixed: ArrayLike, rows: Optional[ArrayLike] = None,
                               group: Optional[ArrayLike] = None) -> Array:
        """predict_left_out() with fixed effects. Cost: that of predict_left_out, and n m q flops."""
        return self._left_out(*self._with_fixed(x, fixed), rows, group)

    def predict_variance_fixed(self, x: ArrayLike, fixed: ArrayLike) -> Variance:
        """predict_variance() with fixed effects. Cost: that of predict_variance, and n m q flops."""
        return self._variance(*self._with_fixed(x, fixed))

    def predict_combinations_fixed(self, x: ArrayLike, fixed: ArrayLike, group: Optional[ArrayLike] = None,
                                   factors: Optional[ArrayLike] = None, pairs: bool = False,
                                   kind: int = c.COVARIANCE_BAYESIAN) -> Combinations:
        """predict_combinations() with fixed effects. Cost: that of predict_combinations, and n m q flops."""
        return self._combinations(*self._with_fixed(x, fixed), group, factors, pairs, kind)

    def predict_covariance_fixed(self, x: ArrayLike, fixed: ArrayLike, pairs: bool = True,
                                 kind: int = c.COVARIANCE_BAYESIAN) -> PredictionErrors:
        """predict_covariance() with fixed effects. Cost: that of predict_covariance, and n m q flops."""
        return self._covariance(*self._with_fixed(x, fixed), pairs, kind)
