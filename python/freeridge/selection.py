"""Choosing lambda, the bandwidth and the kernel by a criterion: LOO, GCV, REML, GROUPS, ERROR_RATE or LOG_LOSS; a kernel
also by EVIDENCE."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, answers, empty, numbers, pointer, vector
from .fixed_effects import FixedAnswers


class Choice(NamedTuple):
    """The best lambda of each output, and its score: t numbers each."""

    lambdas: Array
    score: Array


class Bandwidth(NamedTuple):
    """The best bandwidth, and all that were tried, in this order: rows of a bandwidth and its criterion."""

    sigma: float
    tried: Array


class Search(NamedTuple):
    """The lambdas that a search looked at, ascending; their scores, count x t, NaN where one was not tried for an
    output; edge: for each output -1 / 1 when the choice is the low / high end of the range, else 0."""

    lambdas: Array
    scores: Array
    edge: npt.NDArray[np.int32]


class SearchShape(NamedTuple):
    """t numbers each: over how many powers of ten the criterion stays near its best, and how many minima it has."""

    decades: Array
    dips: npt.NDArray[np.int32]


class BandwidthShape(NamedTuple):
    """edge: -1 / 1 when the choice is the low / high end of the range, else 0; decades: over how many powers of ten the
    criterion stays near its lowest; dips: how many minima were seen."""

    edge: int
    decades: float
    dips: int


class LearntKernel(NamedTuple):
    """What select_kernel() saw. score: the criterion on all rows; learnt: how many numbers beside lambda were free;
    rows: on how many rows the kernel was learnt; sample: how many of them were the sample; kept: whether nothing better
    than the given kernel was found; end: why each of the five stages ended (SEARCH_GRADIENT and so on).

    For each evaluation: stage, scores, lambdas, and gradient, the largest slope. For each hyperparameter: variable, the
    number of the variable that moved it (-1: none), its bounds low and high, and at: -1 / 1 where it ended at the low /
    high one; lambda_at: the same for lambda. learnt_on: the rows that the kernel was learnt on, ascending."""

    score: float
    learnt: int
    rows: int
    sample: int
    kept: bool
    end: npt.NDArray[np.int32]
    stage: npt.NDArray[np.int32]
    scores: Array
    lambdas: Array
    gradient: Array
    variable: npt.NDArray[np.int64]
    low: Array
    high: Array
    at: npt.NDArray[np.int32]
    lambda_at: int
    learnt_on: npt.NDArray[np.int64]


class OneStandardError(NamedTuple):
    """t numbers each: the rule's lambda, and the best score and its standard error."""

    lambdas: Array
    score: Array
    standard_error: Array


class Scores(NamedTuple):
    """count x t each."""

    scores: Array
    errors: Array


class ScoreGradient(NamedTuple):
    """A criterion of all outputs at one lambda, and its derivatives by log lambda and by the logarithms of the kernel's
    hyperparameters."""

    score: float
    by_log_lambda: float
    by_log_hyperparameters: Array


class LandmarkCurve(NamedTuple):
    """count x t each: the lambda chosen with so many landmarks, and its score."""

    lambdas: Array
    scores: Array


class Objective(NamedTuple):
    """count x t each: the training error sum_i W_ii r_i^2 / sum_i W_ii, the squared norm of f (of w for linear
    kernels), and what a fit minimises, sum_i W_ii r_i^2 + lambda ||f||^2."""

    training: Array
    norm2: Array
    objective: Array

    @classmethod
    def ask(cls, answer: Callable[..., Any], lambdas: ArrayLike, t: int) -> Objective:
        """By freeridge_objective or freeridge_accumulator_objective."""
        lambdas = vector(lambdas, name="lambdas")
        count = len(lambdas)
        out = cls(empty(count, t), empty(count, t), empty(count, t))
        return answer(out, "objective", count, pointer(lambdas), *map(pointer, out), count)


class Selection(FixedAnswers):
    """Scores are in the units of y, squared (LOO, GCV, GROUPS), log-likelihoods (REML), fractions (ERROR_RATE) or mean
    log losses (LOG_LOSS)."""

    def score(self, criterion: int, lambdas: ArrayLike) -> Array:
        """The criterion at some lambdas >= 0, whatever lambda is set: count x t. Needs the factorization, and groups
        for GROUPS, else Error (INVALID_STATE). Cost: O(n r t) a lambda, REML and GCV O(r t); by route: see
        freeridge_score."""
        lambdas = vector(lambdas, name="lambdas")
        out = empty(len(lambdas), self.t)
        return self._answer(out, "score", criterion, len(lambdas), pointer(lambdas), pointer(out), None, len(lambdas))

    def score_with_error(self, criterion: int, lambdas: ArrayLike) -> Scores:
        """The same with standard errors, for LOO, GROUPS, ERROR_RATE and LOG_LOSS; others: InputError. Cost: as score()."""
        lambdas = vector(lambdas, name="lambdas")
        count = len(lambdas)
        out = Scores(empty(count, self.t), empty(count, self.t))
        return self._answer(out, "score", criterion, count, pointer(lambdas), pointer(out.scores),
                            pointer(out.errors), count)

    def estimate_score(self, criterion: int, lambdas: ArrayLike, probes: int = 0) -> Scores:
        """LOO or GCV with the standard errors of the estimates of ROUTE_ITERATIVE, from so many probes (3 or more; 0:
        7, more where n < 4096); on other routes, which compute, the errors are 0. Raises Error (UNDEFINED) where
        solutions do not converge: set a larger lambda or another route; set_accuracy() does not change what estimates
        take. Cost: solutions with t + probes right-hand sides a lambda."""
        lambdas = vector(lambdas, name="lambdas")
        count = len(lambdas)
        out = Scores(empty(count, self.t), empty(count, self.t))
        return self._answer(out, "estimate_score", criterion, probes, count, pointer(lambdas), pointer(out.scores),
                            pointer(out.errors), count)

    def score_gradient(self, criterion: int, lambda_: float) -> ScoreGradient:
        """The criterion (all but ERROR_RATE) at one lambda as one number for all outputs, and its derivatives. No
        factorization is needed before. Raises InputError for ERROR_RATE, Error (NOT_POSITIVE_DEFINITE) where K + lambda
        W^-1 is numerically singular. Cost: n^3; LOO, GCV and LOG_LOSS 2 n^3; EVIDENCE
        about 2.3 n^3 for each output."""
        score, by_log_lambda = c.DOUBLE(), c.DOUBLE()
        by_kernel = numbers(len(self.kernel().hyperparameters))
        self._ask("score_gradient", criterion, lambda_, score, by_log_lambda, pointer(by_kernel))
        return ScoreGradient(score.value, by_log_lambda.value, by_kernel)

    def objective(self, lambdas: ArrayLike) -> Objective:
        """The training error, the norm of f and their weighted sum at some lambdas >= 0. Cost: O(r t) a lambda; by
        route: see freeridge_objective."""
        return Objective.ask(self._answer, lambdas, self.t)

    def lambda_grid(self, count: int = 100) -> Array:
        """`count` lambdas, ascending and evenly spaced in log, from below the smallest eigenvalue to above the largest.
        Raises Error (UNDEFINED) for a constant x. Cost: O(count)."""
        out = numbers(count)
        self._ask("lambda_grid", count, pointer(out))
        return out

    def select_lambda(self, criterion: int = c.LOO, low: float = 0.0, high: float = 0.0) -> Choice:
        """The best lambda of each output in [low, high] (0, 0: the range of lambda_grid()) and its score; the model is
        fitted at it. Raises Error (UNDEFINED) where no score has a value. Cost: score() at about 110 lambdas."""
        choice = Choice(numbers(self.t), numbers(self.t))
        self._change("select_lambda", criterion, low, high, pointer(choice.lambdas), pointer(choice.score))
        return choice

    def select_bandwidth(self, criterion: int = c.LOO, low: float = 0.0, high: float = 0.0,
                         budget: int = 0) -> Bandwidth:
        """The best bandwidth of the kernel in [low, high] (0, 0: around the median distance of the points), with lambda
        chosen for each; the model is fitted at both. No factorization is needed before. Raises Error (INVALID_STATE)
        for a kernel without bandwidth. Cost: `budget` (0: 15) factorizations and choices of lambda."""
        sigma, count = c.DOUBLE(), c.INT64()
        self._change("select_bandwidth", criterion, low, high, budget, sigma)
        self._ask("get_bandwidth", None, count, None, None, None, None, None)
        tried = empty(count.value, 2)
        self._ask("get_bandwidth", None, None, pointer(tried[:, 0]), pointer(tried[:, 1]), None, None, None)
        return Bandwidth(sigma.value, tried)

    def select_kernel(self, criterion: int = c.LOO, label: ArrayLike | None = None, shrinkage: float = 0.0,
                      rows: int = 0, seed: int = 0, evaluations: int = 0) -> LearntKernel:
        """Learns all hyperparameters of the kernel (their labels: negative: held; equal: moved together; None: each by
        itself) and lambda by gradients; the model is fitted with the kernel() learnt. For a length of each feature the
        kernel is scaled(gaussian(1), the columns' standard deviations). shrinkage, rows, evaluations 0: 0.5 (infinity:
        none, and no prior of the noise beside REML), 2000, 100. Raises Error (INVALID_STATE) for a kernel without
        hyperparameters, InputError for ERROR_RATE, and for GCV where several are free. Cost: some 10 to 50 times
        4/3 rows^3 flops; see freeridge_select_kernel."""
        count = len(self.kernel().hyperparameters)
        labels = None if label is None else vector(label, np.int32, count, name="label")
        score = c.DOUBLE()
        self._change("select_kernel", criterion, None if labels is None else pointer(labels), shrinkage, rows, seed,
                     evaluations, score)
        told = answers("kernel_search")
        self._ask("get_kernel_search", told)
        end, stage, at = (np.zeros(length, np.int32) for length in (5, told.evaluations, count))
        scores, lambdas, gradient = (numbers(told.evaluations) for _ in range(3))
        variable, row = (np.zeros(length, np.int64) for length in (count, told.rows))
        low, high = numbers(count), numbers(count)
        self._ask("get_kernel_search", answers(
            "kernel_search", ended=end, stage=stage, score=scores, lambda_=lambdas, gradient=gradient,
            row=row, variable=variable, low=low, high=high, at=at))
        return LearntKernel(score.value, told.learnt, told.rows, told.sample, told.kept == 1, end, stage, scores,
                            lambdas, gradient, variable, low, high, at, told.lambda_at, row)

    def search(self) -> Search:
        """What the last select_lambda() or select_bandwidth() saw. Before one: Error (INVALID_STATE). Cost:
        O(count t)."""
        told = answers("search")
        self._ask("get_search", told)
        out = Search(numbers(told.count), empty(told.count, self.t), np.zeros(self.t, np.int32))
        self._ask("get_search", answers("search", lambdas=out.lambdas, scores=out.scores, edge=out.edge))
        return out

    def search_shape(self) -> SearchShape:
        """How sure the last search can be: many decades mean a flat criterion, two dips one that is not unimodal.
        Before one: Error (INVALID_STATE). Cost: O(t)."""
        out = SearchShape(numbers(self.t), np.zeros(self.t, np.int32))
        self._ask("get_search", answers("search", decades=out.decades, dips=out.dips))
        return out

    def bandwidth_shape(self) -> BandwidthShape:
        """How sure the last select_bandwidth() can be. Before one: Error (INVALID_STATE). Cost: O(1)."""
        edge, decades, dips = c.INT32(), c.DOUBLE(), c.INT32()
        self._ask("get_bandwidth", None, None, None, None, edge, decades, dips)
        return BandwidthShape(edge.value, decades.value, dips.value)

    def one_standard_error(self) -> OneStandardError:
        """The one-standard-error rule on the last search by LOO, GROUPS or ERROR_RATE: the largest lambda tried up to
        which every score is within a standard error of the best one. Sets nothing: its lambdas are for set_lambda().
        Cost: a score()."""
        out = OneStandardError(numbers(self.t), numbers(self.t), numbers(self.t))
        return self._answer(out, "get_search", answers("search", one_se_lambda=out.lambdas, score=out.score,
                                                      standard_error=out.standard_error))

    def landmark_curve(self, criterion: int, sizes: ArrayLike) -> LandmarkCurve:
        """The criterion, with lambda chosen by it, for the first sizes[i] landmarks; sizes ascend. Needs landmarks
        (set_landmarks), else Error (INVALID_STATE); changes nothing. Cost: a factorization and a search for each
        size."""
        sizes = vector(sizes, np.int64, name="sizes")
        out = LandmarkCurve(empty(len(sizes), self.t), empty(len(sizes), self.t))
        return self._answer(out, "landmark_curve", criterion, len(sizes), pointer(sizes), pointer(out.lambdas),
                            pointer(out.scores), len(sizes))
