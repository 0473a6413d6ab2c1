"""Models with columns F that no penalty touches: their effects, and predictions with the values of F at new points."""

from __future__ import annotations

from ctypes import byref
from typing import List, NamedTuple

import numpy as np

from . import library as c
from .answers import Answers
from .arrays import Array, empty, numbers, pointer


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
    """Of the columns of set_fixed_effects(). Predictions take their values as `fixed`."""

    def fixed_effects(self) -> FixedEffects:
        """Raises Error (INVALID_STATE) without fixed effects or of a predictor, which has fixed_coefficients() alone,
        (UNDEFINED) at lambda = 0, with the effects and NaN for the errors in its `values`. Cost: predict_variance() at
        q points."""
        q = self.fixed_count()
        out = FixedEffects(np.zeros(max(q, 1), np.int32), empty(max(q, 1), self.t), empty(max(q, 1), self.t))
        return self._answer(out, "get_unpenalised", None, pointer(out.kept), pointer(out.effects), pointer(out.errors),
                            max(q, 1))

    def fixed_coefficients(self) -> Array:
        """The effects without their errors, of predictors, too: q x t; 0 for a column without one of its own. Cost:
        O(q t)."""
        q = self.fixed_count()
        out = np.full((q, self.t), np.nan, order="F")
        self._ask("get_unpenalised", None, None, pointer(out), None, q)
        return out

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
