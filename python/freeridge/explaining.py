"""What an estimator says of its columns and rows: effects, importance, and the influence of each row."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array
from .effects import Effect, effects
from .importance import Columns, Importance, importance, variables_of
from .influence import Influence, influence_of
from .inputs import group_labels, is_column, response, table
from .least_squares import LeastSquares, split_columns
from .stack import Stack


class Explaining(LeastSquares):
    """FreeRidge and FreeRidgeClassifier, whose outputs are -1 and +1: for the second of two classes, or for each class."""

    def effects(self, X: ArrayLike, columns: Optional[Sequence[Any]] = None, points: int = 25, rows: int = 500,
                pairs: bool = False) -> List[Effect]:
        """The average prediction over the rows of X as one column takes the value v in all of them, for each column (None),
        or columns by their names or numbers: freeridge.effects(), with Bayesian standard errors. Raises NotFittedError,
        ValueError, Error. Cost: as there."""
        model = self._fitted()
        if isinstance(model, Stack):
            raise ValueError("a stack has no errors of its predictions, and no effects with errors: its members have")
        self._compare_features(X)
        names = self._feature_names().tolist()
        places = None if columns is None else [names.index(one) if one in names else one for one in columns]
        points_of_rows, fixed = self._of_core(table(X))
        if self._columns is None:
            return effects(model, points_of_rows, places, points, rows, pairs)
        own = self._columns[0].tolist()
        for one in places or ():
            if not is_column(one, len(names)) or one not in own:
                raise ValueError(f"columns has {one!r}, which is no column with a penalty; others have unpenalised_coef_")
        found = effects(model, points_of_rows, places and [own.index(one) for one in places], points, rows, pairs, fixed=fixed)
        return [one._replace(column=own[one.column]) for one in found]

    def importance(self, X: ArrayLike, y: ArrayLike, kind: str = "permutation", columns: Optional[Columns] = None,
                   permutations: int = 5, random_state: Any = 0, group: Optional[ArrayLike] = None) -> Importance:
        """How much the mean squared left-out error grows without each column, exactly and without a refit:
        freeridge.importance() of the X and y that were fitted, also of columns without a penalty. group: None: rows are left out
        with the groups of fit, if it had some. A robust fit has its errors in full. Raises NotFittedError, ValueError, Error. Cost: as
        there."""
        model = self._fitted()
        if isinstance(model, Stack):
            raise ValueError("a stack has no importance of its own: its members have")
        self._compare_features(X)
        rows = table(X)
        y = self._counted(self._outputs_of(y, rows.shape[0]))
        if group is None:
            labels = self._own_groups()
        else:
            labels = self._counted(group_labels(group, None, rows.shape[0], None)[0])
        rows = self._counted(rows)
        if self._columns is not None:
            self._compare_width(rows.shape[1])
            place = self._places_in_model()
            columns = [place[one] for one in variables_of(columns, len(place))]
        points, fixed = split_columns(rows, self._columns)
        weights = model.weights() / self._robustness()
        return importance(model, points, y, kind, columns, permutations, random_state, labels, fixed, weights)

    def influence(self) -> Influence:
        """What each row does to the fit, exactly and without refits, alpha and the kernel held: leverages, studentised
        residuals, and what is large among them, Cook's distances, and the change of the coefficients: Influence. Raises
        NotFittedError, ValueError, ImportError (the quantile of Student's distribution is scipy's), Error (INVALID_STATE of a
        predictor). Cost: O(n^2 (r + t)), for coefficients O(n p r)."""
        model = self._fitted()
        if isinstance(model, Stack):
            raise ValueError("a stack has no influence of its rows: its members have")
        own = influence_of(model, model.weights() / self._robustness(), self._observed)
        aside = [np.nan, np.nan, np.nan, np.nan, 0.0]
        values = [self._outputs(self._in_place(values, other)) for values, other in zip(own[:5], aside)]
        outlier = self._outputs(self._in_place(own.outlier, 0.0)).astype(bool)
        if own.dfbeta is None:
            return Influence._make([*values, outlier, None])
        change = self._in_place(own.dfbeta, 0.0)
        if self._columns is not None:
            first = change.shape[1] - self.n_features_in_
            change = change[:, np.concatenate([np.arange(first), first + self._places_in_model()])]
        return Influence._make([*values, outlier, change[:, :, 0] if self._vector else change])

    def _outputs_of(self, y: Any, rows: int) -> Array:
        """y as fit took it, with the outputs as numbers."""
        return response(y, rows)

    def _places_in_model(self) -> Any:
        """Where the columns of X stand in the model: those without a penalty behind the others."""
        assert self._columns is not None
        return np.argsort(np.concatenate(self._columns))

    def _own_groups(self) -> Any:
        """The labels of the groups of fit, at the rows that count; None without groups."""
        if not self._grouped:
            return None
        labels = self._model.groups()
        if labels.ndim > 1 or self._model.gaps().size > 0:
            what = f"{labels.shape[1]} divisions of the rows into groups" if labels.ndim > 1 else "gaps beside its groups"
            raise ValueError(f"the fit has {what}: give one label for each row as group")
        return labels

    def _robustness(self) -> Any:
        """The robustness weights of the rows that count."""
        own = getattr(self, "robustness_weights_", None)
        return 1.0 if own is None else own if self._used is None else own[self._used]

