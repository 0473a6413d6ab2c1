"""Gradients of the losses, gradient descent, early stopping, and probabilities by Platt's method: for teaching, for
comparison, and for rows that come as a stream. ridge(), Model and Classifier reach the minimum to all digits, and
nearly always in less time. All of it is about

    J(w, b) = sum_i weights_i L(y_i, x_i'w + b)  +  lambda/2 |w|^2

loss: LOSS_SQUARED, LOSS_ABSOLUTE, or, with labels -1 and +1, LOSS_LOGISTIC and LOSS_HINGE; `value`: lambda >= 0; x: n x
d, y: n. Raises ValueError where shapes do not fit, InputError, Error."""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, Matrix, empty, numbers, pointer, real, vector
from .calls import Calls, Progress
from .classical import Numbers
from .library import call


class LossGradient(NamedTuple):
    """The objective, and its derivatives by w (or c) and by b."""

    objective: Numbers
    w: Array
    b: Numbers


class Descent(NamedTuple):
    """The iterates: a column of w, and one number of b and objective, for each number of steps; and the step."""

    w: Array
    b: Array
    objective: Array
    step: float


class EarlyStopping(NamedTuple):
    """Gradient descent (w, b, df) and ridge regression with lambda = 1 / (step k) beside each other; df: the effective
    degrees of freedom."""

    w: Array
    b: Array
    df: Array
    value: Array
    ridge_w: Array
    ridge_b: Array
    ridge_df: Array
    step: float


class Calibration(NamedTuple):
    """P(+1) = 1 / (1 + exp(-(offset + slope decision)))."""

    slope: float
    offset: float


def _points(x: ArrayLike, y: ArrayLike,
            weights: Optional[ArrayLike]) -> Tuple[Matrix, np.ndarray, Optional[np.ndarray]]:
    points = Matrix(x, name="x")
    outputs = vector(y, length=points.rows, name="y")
    return points, outputs, None if weights is None else vector(weights, length=points.rows, name="weights")


def _lengths(steps: ArrayLike) -> np.ndarray:
    return vector(np.atleast_1d(real(steps, "steps")), dtype=np.int64, name="steps")


def loss_gradient(loss: int, x: ArrayLike, y: ArrayLike, value: float, w: ArrayLike, b: ArrayLike = 0.0,
                  weights: Optional[ArrayLike] = None) -> LossGradient:
    """J and its gradient at w (d numbers) and b, or at each column of w (d x count) and each of count numbers b; a
    subgradient where a loss has its corner. Cost: 4 n d for each column."""
    points, outputs, given = _points(x, y, weights)
    at, one = Matrix(w, c.COL_MAJOR, name="w"), real(w, "w").ndim == 1
    if at.rows != points.columns:
        raise ValueError(f"w has {at.rows} rows, x has {points.columns} columns")
    columns = np.asfortranarray(at.array)
    places = vector(np.broadcast_to(real(b, "b"), at.columns), name="b")
    objective, by_w, by_b = numbers(at.columns), empty(at.rows, at.columns), numbers(at.columns)
    call("loss_gradient", loss, points.layout, points.rows, points.columns, points.pointer, points.ld, pointer(outputs),
         pointer(given), value, at.columns, pointer(columns), pointer(places), pointer(objective), pointer(by_w),
         pointer(by_b))
    if one:
        return LossGradient(float(objective[0]), by_w[:, 0], float(by_b[0]))
    return LossGradient(objective, by_w, by_b)


def expansion_gradient(loss: int, k: ArrayLike, y: ArrayLike, value: float, coefficients: ArrayLike, b: float = 0.0,
                       weights: Optional[ArrayLike] = None) -> LossGradient:
    """The same for f = K c + b with the penalty lambda/2 c'K c, by c (the field w) and b. k: n x n, symmetric. Cost: 4
    n^2."""
    values = Matrix(k, c.COL_MAJOR, name="k")
    n = values.rows
    if values.columns != n:
        raise ValueError(f"k is {n} x {values.columns}, and must be square")
    outputs = vector(y, length=n, name="y")
    given = None if weights is None else vector(weights, length=n, name="weights")
    at = vector(coefficients, length=n, name="coefficients")
    objective, by_c, by_b = numbers(1), numbers(n), numbers(1)
    call("expansion_gradient", loss, n, values.pointer, values.ld, pointer(outputs), pointer(given), value, pointer(at),
         b, pointer(objective), pointer(by_c), pointer(by_b))
    return LossGradient(float(objective[0]), by_c, float(by_b[0]))


def gradient_descent(loss: int, x: ArrayLike, y: ArrayLike, value: float, steps: ArrayLike, intercept: bool = True,
                     weights: Optional[ArrayLike] = None, start: Optional[Tuple[ArrayLike, float]] = None,
                     done: int = 0, rule: int = c.STEP_AUTO, step: float = 0.0, batch: Optional[int] = None,
                     seed: int = 0, average: bool = False, progress: Optional[Progress] = None) -> Descent:
    """The iterates after `steps` (numbers of steps, ascending) of gradient descent from `start` (w, b; zeros). batch:
    so many rows at a time, in an order drawn from the seed; None: all rows. step: 0 for the library's own; rule:
    STEP_CONSTANT, STEP_INVERSE (step = 1 / lambda: Pegasos), STEP_ROOT, or STEP_AUTO. done: steps made before, for
    rules in which steps become shorter. average: the mean of the iterates, each weighted by its number. progress:
    see Model.set_progress(); it is heard, and Ctrl-C ends the call. Cost: 4 n d a step, 4 batch d with a batch."""
    points, outputs, given = _points(x, y, weights)
    at = _lengths(steps)
    from_w, from_b = (None, 0.0) if start is None else start
    begin = None if from_w is None else vector(from_w, length=points.columns, name="start")
    w, b, objective = empty(points.columns, len(at)), numbers(len(at)), numbers(len(at))
    calls = Calls()  # so that freeridge_gradient_descent is heard, and ended by Ctrl-C, as the calls on a handle are
    calls.function = progress
    descent = c.struct("descent", intercept=int(intercept), average=int(average), start_w=pointer(begin),
                       start_b=from_b, done=done, rule=rule, step=step, batch=0 if batch is None else batch, seed=seed,
                       callback=calls.callback)
    calls.run(False, "gradient_descent", loss, points.layout, points.rows, points.columns, points.pointer, points.ld,
              pointer(outputs), pointer(given), value, len(at), pointer(at), descent, pointer(w), pointer(b),
              pointer(objective))
    return Descent(w, b, objective, descent.step_used)


def early_stopping(x: ArrayLike, y: ArrayLike, steps: ArrayLike, intercept: bool = True,
                   step: float = 0.0) -> EarlyStopping:
    """Gradient descent on least squares after `steps` (numbers of steps), in closed form by the singular values of x,
    beside ridge regression with lambda = 1 / (step k). step: 0 for 1 / s_1^2. Cost: the SVD, n d min(n, d)."""
    points, outputs, _ = _points(x, y, None)
    at = _lengths(steps)
    count = len(at)
    w, ridge_w = empty(points.columns, count), empty(points.columns, count)
    b, df, value, ridge_b, ridge_df = (numbers(count) for _ in range(5))
    answers = c.struct("early_stopping_answers", w=pointer(w), b=pointer(b), df=pointer(df), ridge_w=pointer(ridge_w),
                       ridge_b=pointer(ridge_b), ridge_df=pointer(ridge_df), **{"lambda": pointer(value)})
    call("early_stopping", points.layout, points.rows, points.columns, points.pointer, points.ld, pointer(outputs),
         int(intercept), step, count, pointer(at), answers)
    return EarlyStopping(w, b, df, value, ridge_w, ridge_b, ridge_df, answers.step_used)


def calibrate(decision: ArrayLike, y: ArrayLike, weights: Optional[ArrayLike] = None) -> Calibration:
    """Probabilities from left-out decision values of two classes, by Platt's method. y: -1 and +1. Cost: O(n)."""
    values = vector(decision, name="decision")
    labels = vector(y, length=len(values), name="y")
    given = None if weights is None else vector(weights, length=len(values), name="weights")
    slope, offset = numbers(1), numbers(1)
    call("calibrate", len(values), pointer(values), pointer(labels), pointer(given), pointer(slope), pointer(offset))
    return Calibration(float(slope[0]), float(offset[0]))
