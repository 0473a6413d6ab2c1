"""What fits of FreeRidge and FreeRidgeClassifier are made of, and answer."""

from __future__ import annotations

import copy
import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, is_sparse
from .doubts import warn_below_floor, warn_of_disagreement
from .fitting import CRITERIA, ROUTES, Fitting, Plan, columns_of, is_named, is_precomputed
from .fixed_effects import VarianceComponents
from .inputs import choice, group_labels, is_column, warn_of_copies
from .learning import Relevance, relevance_of_fit
from .model import Model
from .robust import Robustness
from .selection import LearntKernel
from .stack import Stack

Self = TypeVar("Self", bound="LeastSquares")


class Chosen(NamedTuple):
    """The score of the choice, if there was one, what was learnt, and the weights of a robust fit."""

    best: Optional[Array]
    learnt: Optional[LearntKernel]
    robustness: Optional[Robustness] = None


class LeastSquares(Fitting):
    """One model, and the shape that its answers have for the user: that of y, with rows of weight 0 in their places."""

    _metadata = {"fit": ("sample_weight", "groups", "gap"), "score": ("sample_weight",)}
    _model: Any  # a Model, or a Stack
    robustness_weights_: Optional[Array]
    _vector: bool
    unpenalised: Any
    _columns: Optional[Tuple[np.ndarray, np.ndarray]]  # of X with and without a penalty; None: all have one
    _observed: np.ndarray  # in how many rows each output was observed; infinity where the noise is known
    _parameters: Dict[str, Any]  # of the estimator when it was fitted
    _used: Optional[np.ndarray]  # the rows that count, where some have weight 0
    _unused: Optional[Tuple[Any, Array]]  # X and y of the others

    # Fit

    def _fit(self, X: Any, y: Array, weights: Optional[Array], groups: Any, names: Optional[np.ndarray],
             gap: Any = None) -> None:
        """X: a table; y: n, or n x t, NaN where an output is not observed; weights: n numbers >= 0. Sets what a fit
        has, at the end."""
        rows = X.shape[0]
        used = weights > 0 if weights is not None and np.any(weights == 0) else None
        kept, outputs, kept_weights = X, y, weights
        if used is not None:
            assert weights is not None
            kept, outputs, kept_weights = X[used], y[used], weights[used]
            kept = columns_of(kept, used) if self._pairwise() else kept
        labels, beside = self._labels_of_groups(groups, gap, rows, used)
        if outputs.ndim == 1 and np.any(np.isnan(outputs)):
            raise ValueError("y has NaN; in a matrix, as y.reshape(-1, 1), NaN is an output that was not observed")
        self._check_choice_of_alpha(kept.shape[0])
        columns = self._columns_of_penalty(names, X.shape[1])
        kept, fixed = split_columns(kept, columns)
        try:
            plan = self._plan(kept, outputs, labels is not None)
            model = self._new_model(plan, kept, outputs, kept_weights, used)
            if fixed is not None:
                model.set_fixed_effects(fixed)
            if labels is not None:
                model.set_groups(labels, beside)

            def choose() -> Chosen:
                return Chosen(*self._choose(model, plan, outputs, kept_weights))

            best, learnt, robustness = self._reweigh(model, plan, choose(), choose)
        except c.Error as error:
            raise self._in_words(error) from error
        if best is not None and plan.criterion == "loo":
            warn_of_copies(kept, outputs, 3)
        if self.alpha is None and self.alphas is None and robustness is None and not plan.one_point:
            warn_of_disagreement(model, plan.criterion, kept, outputs, 3)
        warn_below_floor(model, 3)
        self._keep(model, X, y, used, names, columns)
        if model.sigma2() > 0:
            self._observed = np.full(len(self._observed), np.inf)
        self._grouped = labels is not None
        if robustness is not None:
            self.robustness_weights_ = self._in_place(robustness.weights[:, None], 1.0)[:, 0]
            self._to_choose_again = plan
        self.criterion_ = plan.criterion
        self.scale_, self.kernel_ = plan.scale, model.kernel()
        self.learning_: Optional[LearntKernel] = learnt
        self.alpha_ = self._shaped(model.lambdas())
        self.best_score_ = None if best is None else self._shaped(best)
        self.sigma_ = model.bandwidth() if learnt is None and is_named(self.kernel) else None
        self.route_ = {number: name for name, number in ROUTES.items()}[model.route()]
        self.intercept_ = self._shaped(model.intercept())

    def _reweigh(self, model: Model, plan: Plan, found: Chosen, choose: Callable[[], Chosen]) -> Chosen:
        """What follows the first choice."""
        return found

    def _columns_of_penalty(self, names: Optional[np.ndarray], count: int) -> Optional[Tuple[np.ndarray, np.ndarray]]:
        """The columns of X with a penalty, and those that `unpenalised` names or numbers."""
        if self.unpenalised is None:
            return None
        if self._pairwise():
            raise ValueError("unpenalised is for columns of X, and X is a kernel matrix")
        if np.shape(self.unpenalised) == (0,):
            return None
        known: List[Any] = list(range(count)) if names is None else list(names)
        given = [self.unpenalised] if isinstance(self.unpenalised, (str, int, np.integer)) else list(self.unpenalised)
        places = []
        for one in given:
            place = known.index(one) if isinstance(one, str) and one in known else one
            if not is_column(place, count):
                raise ValueError(f"unpenalised has {one!r}, which is no column of X: their names, or numbers from 0 to {count - 1}")
            places.append(int(place))
        if len(set(places)) == count:
            raise ValueError("unpenalised has all columns of X: nothing is left to fit with a penalty")
        fixed = np.unique(np.array(places, dtype=int))
        return np.setdiff1d(np.arange(count), fixed), fixed

    def _keep(self, model: Any, X: Any, y: Array, used: Optional[np.ndarray], names: Optional[np.ndarray],
              columns: Optional[Tuple[np.ndarray, np.ndarray]] = None) -> None:
        """What a fit has beside its choices."""
        outputs = y if used is None else y[used]
        for kept in ("stack_", "_sums"):
            self.__dict__.pop(kept, None)
        self.robustness_weights_, self._parameters = None, self.get_params()
        self._model, self._vector, self._used, self._columns = model, y.ndim == 1, used, columns
        self._scales: Dict[bool, Any] = {}  # of local intervals, by whether the learning is included
        self._observed = np.sum(~np.isnan(outputs.reshape(len(outputs), -1)), axis=0)
        self._unused = None if used is None else (X[~used].copy(), y[~used].copy())
        self._set_features(names, X.shape[1])
        if names is not None and not self._pairwise():  # the library's object refuses tables with others, too
            places: Any = [slice(None), []] if columns is None else columns
            model._names, model._fixed_names = (tuple(names[place]) or None for place in places)

    # Answers

    def loo_errors(self, learnt: bool = False) -> Array:
        """Exact leave-one-out errors y - f of the rows fitted, in their order; a row of weight 0 is left out as it is;
        NaN where y is. learnt: the kernel and alpha, as far as they were chosen, are chosen again without the row (up
        to 50 rows; then without each of 20 or 10 folds of rows): errors that are larger where rows are few, and honest;
        see Model.loo_learnt(). Raises NotFittedError, Error (UNDEFINED where a leverage is one; INVALID_STATE of a
        predictor, or where learnt and alpha was given or chosen by alphas, rule or, after a kernel was
        learnt, in alpha_range). Cost: O(n r t); learnt: that of fit for each row or fold."""
        try:
            model = self._fitted()
            if not learnt:
                return self._all_rows(model.loo())
            if isinstance(model, Stack):
                return self._all_rows(model.loo_learnt())
            return self._all_rows(self._that_chose().loo_learnt().errors)
        except c.Error as error:
            if error.values is not None:
                error.values = self._all_rows(error.values.errors if learnt else error.values)
            raise

    @staticmethod
    def _labels_of_groups(groups: Any, gap: Any, rows: int, used: Optional[np.ndarray]) -> Tuple[Any, Any]:
        """Those of group_labels()."""
        if groups is None:
            if gap is not None:
                raise ValueError("gap is given, and there are no groups beside which it could be")
            return None, None
        return group_labels(groups, gap, rows, used)

    def group_errors(self, groups: Any, gap: Any = None) -> Array:
        """Exact errors y - f of the rows fitted, each with all rows of its group left out. groups: a label of any kind
        for each row; rows without one (None, NaN, negative numbers) have NaN. gap: n or n x l labels of groups with which a row
        is left out, too, without an error of it. Raises as loo_errors(). Cost: O(n r t), and O(s^2 r + s^3) for a group of s
        rows, its gap among them; a row of weight 0 has the prediction without its group, with gap NaN."""
        model = self._fitted()
        if isinstance(model, Stack):
            raise ValueError("a stack has no errors of groups: loo_errors() leaves out each row")
        rows = model.n if self._used is None else len(self._used)
        labels, beside = self._labels_of_groups(groups, gap, rows, self._used)

        def without(X: Any) -> Array:
            assert self._used is not None
            own = group_labels(groups, None, rows, None)[0][~self._used]
            f = np.full((len(own), model.t), np.nan)
            if beside is None and np.any(own >= 0):
                points, fixed = self._of_core(X[own >= 0])
                f[own >= 0] = model.predict_left_out(points, own[own >= 0], labels, fixed)
            return f

        try:
            return self._all_rows(model.group_errors(labels, beside), without)
        except c.Error as error:
            if error.values is not None:
                error.values = self._all_rows(error.values, without)
            raise

    def scores(self, alphas: ArrayLike, criterion: Optional[str] = None) -> Array:
        """A criterion ("loo", "gcv", "reml", "groups", "error_rate"; None: the fit's own) at some alphas, nearly free:
        count numbers, or count x t. Cost: O(n r t) an alpha, "reml" and "gcv" O(r t)."""
        name = self.criterion_ if criterion is None else criterion
        return self._outputs(self._fitted().score(choice(CRITERIA, name, "criterion"), alphas))

    def alpha_grid(self, count: int = 100) -> Array:
        """`count` alphas, ascending and evenly spaced in log, over the range in which alpha matters. Cost: O(count)."""
        return self._fitted().lambda_grid(count)

    def relevance(self) -> List[Relevance]:
        """The columns of X with their lengths, the most relevant first. Raises AttributeError where no length for each
        column was learnt. Cost: O(d)."""
        return relevance_of_fit(self)

    def variance_components(self) -> VarianceComponents:
        """Of the mixed model y = b + sum_k f_k + e at the alphas in force, a share for each term of the kernel:
        Model.variance_components(). What has no value is NaN, with a RuntimeWarning: the standard error of a share that is not
        at the maximum of the likelihood, or is zero; at alpha = 0 all. Raises NotFittedError, Error (INVALID_STATE of a
        predictor). Cost: as there."""
        try:
            return self._fitted().variance_components()
        except c.Error as error:
            if error.values is None:
                raise
            warnings.warn(error.message, RuntimeWarning, stacklevel=2)
            return error.values

    def predictor(self: Self) -> Self:
        """An estimator that has only what predict and score need, for deployment. Its pickle is small: w and b of a
        linear kernel, the points and c of others. It has no loo_errors(). Cost: that of copying them."""
        small = copy.copy(self)
        small.__dict__.pop("_sums", None)
        small._model, small._unused = self._fitted().predictor(), None
        if isinstance(small._model, Stack):
            setattr(small, "stack_", small._model)
        return small

    @property
    def model_(self) -> Model:
        """The library's own object behind the fit, with all its answers: degrees_of_freedom() and sigma^2, coefficient_errors() and
        _covariance(), average_gradient() (marginal effects), hat_matrix(), eigenvalues() and others. Its points are the rows
        of X that count (sample_weight > 0) in the columns with a penalty; its unpenalised columns are `fixed`. Of a stack: the stack. It is
        not to be changed: clone() first. Cost: O(1)."""
        model: Model = self._fitted()
        return model

    @property
    def coef_(self) -> Array:
        """w of f(x) = w'x: d numbers, or t x d, those of unpenalised columns in their places. Linear kernels only, else
        AttributeError. Cost: O(d t)."""
        w = self._attribute("hyperplane", "only a linear kernel has coef_: see dual_coef_").T
        if self._columns is None:
            return self._shaped(w)
        out = np.empty((len(w), self.n_features_in_))
        out[:, self._columns[0]], out[:, self._columns[1]] = w, self._model.fixed_coefficients().T
        return self._shaped(out)

    @property
    def unpenalised_coef_(self) -> Array:
        """The coefficients of the unpenalised columns, in the order of X: q numbers, or t x q. AttributeError without them.
        Cost: O(q t)."""
        self._check_fitted()
        if self._columns is None:
            raise AttributeError("no column of X is unpenalised")
        return self._shaped(self._model.fixed_coefficients().T)

    @property
    def dual_coef_(self) -> Array:
        """c of f(x) = sum_i c_i k(x_i, x): n numbers, or n x t; 0 for a row of weight 0. AttributeError in the
        predictor of a linear kernel. Cost: O(n r t)."""
        missing = "the predictor of a linear kernel keeps no dual_coef_: see coef_"
        return self._outputs(self._in_place(self._attribute("coefficients", missing), 0.0))

    @property
    def landmarks_(self) -> np.ndarray:
        """The rows of X that are landmarks; none on other routes. Cost: O(r)."""
        rows = self._fitted().landmarks()
        return rows if self._used is None else np.flatnonzero(self._used)[rows]

    # What is behind it

    def _that_chose(self) -> Model:
        """The model that knows its choices, which it can make again; of a robust fit one with the last weights."""
        told = copy.copy(self).set_params(**self._parameters)
        why = ("alpha was given" if told.alpha is not None
               else "alpha was chosen among alphas" if told.alphas is not None
               else "alpha was chosen by the one-standard-error rule" if told.rule == "1se"
               else "alpha was chosen in a range that was given, after the kernel was learnt"
               if told.learning_ is not None and told.alpha_range is not None else None)
        if why is not None:
            raise c.Error(c.INVALID_STATE, "INVALID_STATE", f"{why}: there are no errors with the learning included")
        if getattr(self, "robustness_weights_", None) is None:
            return self._fitted()
        plan = self._to_choose_again
        model = self._fitted().clone().set_kernel(self._start(plan))
        told._choose(model, plan, np.empty(0), None)
        return model

    def _all_rows(self, errors: Array, predict: Optional[Callable[[Any], Array]] = None) -> Array:
        """Errors of the rows that count, and of those of weight 0, in the shape of y; predict: how these are predicted."""
        if self._unused is None:
            return self._outputs(errors)
        X, y = self._unused
        return self._outputs(self._in_place(errors, y.reshape(len(y), -1) - (predict or self._predicted)(X)))

    def _counted(self, rows: Any) -> Any:
        """Of the rows of fit those that count; others, without rows of weight 0, as they are."""
        used = self._used
        return rows if used is None or len(used) != rows.shape[0] else rows[used]

    def _of_core(self, X: Any) -> Tuple[Any, Optional[Array]]:
        """New points as the model takes them: of kernel matrices the columns of rows that count; and the values of the
        columns without a penalty."""
        if self._used is not None and is_precomputed(self.kernel_):
            return columns_of(X, self._used), None
        return split_columns(X, self._columns)

    def _predicted(self, X: Any) -> Array:
        self._compare_width(X.shape[1])
        points, fixed = self._of_core(X)
        try:
            return self._fitted().predict(points, fixed) if fixed is not None else self._fitted().predict(points)
        except c.Error as error:
            raise self._in_words(error) from error

    @staticmethod
    def _in_words(error: c.Error) -> Exception:
        if error.status == c.NOT_FINITE:
            return ValueError(f"NaN or inf in the data, or on the way: {error}")
        if error.status == c.UNDEFINED:
            return ValueError(f"alpha and sigma cannot be chosen from these data; give them: {error}")
        return error

    def _fitted(self) -> Any:
        self._check_fitted()
        return self._model

    def _attribute(self, answer: str, missing: str) -> Array:
        if isinstance(self._fitted(), Stack):
            raise AttributeError("a stack has no coefficients of its own: its members have")
        try:
            return getattr(self._fitted(), answer)()
        except c.Error as error:
            if error.status != c.INVALID_STATE:
                raise
            raise AttributeError(missing) from None

    def _in_place(self, values: Array, others: Union[float, Array]) -> Array:
        """Rows of the fit among those of weight 0."""
        if self._used is None:
            return values
        out = np.empty((len(self._used), *values.shape[1:]))
        out[self._used], out[~self._used] = values, others
        return out

    def _outputs(self, matrix: Array) -> Array:
        return matrix[:, 0].copy() if self._vector else np.ascontiguousarray(matrix)

    def _shaped(self, values: Array) -> Any:
        """Values of which there is one for each output: a number where y was a vector."""
        return (values[0].copy() if values.ndim > 1 else float(values[0])) if self._vector else values


def split_columns(X: Any, columns: Optional[Tuple[np.ndarray, np.ndarray]]) -> Tuple[Any, Optional[Array]]:
    """The columns with a penalty, and those without; columns None: all have one."""
    if columns is None:
        return X, None
    fixed = X[:, columns[1]]
    return X[:, columns[0]], fixed.toarray() if is_sparse(fixed) else fixed
