"""Where a fit is not to be trusted, as R says it: an alpha below what rounding allows, and a choice by GCV or REML
whose leave-one-out error, which costs about as much as the scores did, is far from the least one."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import library as c
from .inputs import copies
from .model import Model

# A choice is said to be worse where its error is so many times the least error, and greater by so many standard errors
# of the least error. Smaller differences between two criteria are chance.
_MUCH_WORSE, _MANY_ERRORS = 1.5, 2.0


def warn_below_floor(model: Model, stacklevel: int) -> None:
    """Warns where an alpha in force is below what rounding allows."""
    flags = model.lambda_flags()
    below = model.lambdas()[flags.below != 0]
    if len(below) == 0:
        return
    if below[0] < flags.floor:
        text = (f"alpha is {below[0]:.2g}, below {flags.floor:.2g}, where rounding leaves left-out errors and what "
                "follows from them fewer than six digits; far below it leaves none")
    else:
        text = (f"some landmarks are so near to others that they were left out, and at alpha = {below[0]:.2g} rows far "
                'from all landmarks may need them; landmark_method="pivoted" puts landmarks where rows are')
    warnings.warn(text, stacklevel=stacklevel + 1)


def warn_of_disagreement(model: Model, criterion: str, X: Any, y: np.ndarray, stacklevel: int) -> None:
    """Warns of an output whose choice by "gcv" or "reml" has a leave-one-out error much worse than the least one."""
    judged = criterion in ("gcv", "reml") and model.route() not in (c.ROUTE_CHOLESKY, c.ROUTE_ITERATIVE)
    if not judged or np.any(np.isnan(y)) or copies(X, y) > 0:  # of copies leave-one-out errors are too small
        return
    own = model.lambdas()
    lambdas = np.unique(np.concatenate([own, model.search().lambdas]))
    try:
        found = model.score_with_error(c.LOO, lambdas)
    except c.Error as error:
        if error.status != c.UNDEFINED:
            raise
        found = error.values
    for j, lambda_ in enumerate(own):
        scores, errors = found.scores[:, j], found.errors[:, j]
        if np.all(np.isnan(scores)):
            continue
        at, least = scores[np.searchsorted(lambdas, lambda_)], int(np.nanargmin(scores))
        if at > _MUCH_WORSE * scores[least] and at - scores[least] > _MANY_ERRORS * errors[least]:
            of = f" for output {j}" if len(own) > 1 else ""
            warnings.warn(f"the leave-one-out error of the choice by {criterion}{of} is {at:.3g}; at alpha = "
                          f"{lambdas[least]:.3g} it is {scores[least]:.3g}: {criterion} is not to be trusted here, as "
                          'with rows that are nearly the same: see criterion="loo"', stacklevel=stacklevel + 1)
