"""FreeRidge: an estimator in the manner of scikit-learn, which itself is not needed."""

from __future__ import annotations

import copy
import inspect
import sys
from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, is_sparse, real
from .importance import Columns, Importance, importance
from .inputs import choice, column_names, compare_names, response, sample_weights, table, warn_of_copies
from .kernels import Kernel, gaussian, laplacian, linear, matern, parse_kernel, precomputed
from .model import Model
from .robust import Robustness, reweighted

_CRITERIA = {"loo": c.LOO, "gcv": c.GCV, "reml": c.REML}
_ROUTES = {"auto": c.ROUTE_AUTO, "cholesky": c.ROUTE_CHOLESKY, "spectral": c.ROUTE_SPECTRAL, "band": c.ROUTE_BAND,
           "primal": c.ROUTE_PRIMAL, "landmark": c.ROUTE_LANDMARK, "iterative": c.ROUTE_ITERATIVE}
_SIMPLE = {"linear": linear, "precomputed": precomputed}
_WITH_BANDWIDTH: Dict[str, Callable[[float], Kernel]] = {
    "gaussian": gaussian, "laplacian": laplacian, "matern": lambda length: matern(1.5, length)}
_THEIRS = {"rbf": '"gaussian" with sigma = 1 / sqrt(gamma)',
           "poly": '"polynomial(degree = 3, scale = gamma, offset = coef0)" with numbers'}


class NotFittedError(ValueError, AttributeError):
    """An answer was asked for before fit."""


class FreeRidge:
    """Ridge and kernel ridge regression; lambda and the kernel's bandwidth are chosen by exact leave-one-out errors.

    Minimises  1/2 sum_i w_i (y_i - f(x_i) - b)^2 + alpha/2 ||f||^2  over f and b, for each output by itself.

    alpha          lambda of the library ("lambda" is a word of Python's own). The loss is a sum over points, not a
                   mean, so that this is alpha of scikit-learn's Ridge, RidgeCV and KernelRidge, and n times a lambda
                   that goes with a mean. 0: the minimum-norm solution. One number, or one for each output.
                   None: chosen for each output by `criterion`.
    kernel         "linear", "gaussian", "laplacian", "matern" (nu = 1.5), "precomputed" (X is the kernel matrix), a
                   kernel such as matern(2.5, 1.0), or text such as "0.5 * linear() + gaussian(sigma = 2)" or
                   "polynomial(degree = 2, scale = 1, offset = 1)".
    sigma          the bandwidth of a kernel given by its name, in the units of X: exp(-||x - z||^2 / sigma^2),
                   exp(-||x - z|| / sigma) of the Euclidean norm (sklearn's laplacian takes the sum of |x_k - z_k|), the
                   length of Matern. gamma of sklearn's rbf is 1 / sigma^2. None: chosen by `criterion`, together with
                   alpha, or at the alpha given.
    criterion      "loo", "gcv" or "reml".
    fit_intercept  b, which is never penalised.
    route          "auto", "cholesky", "spectral", "band", "primal", "landmark", "iterative": same answers, other costs.
    landmarks      None, how many (chosen from the data with `seed`), or which rows of X: f is a sum over these only.
    copy_X         True: fit copies X and y. False: they are borrowed where they are float64 and contiguous by rows or
                   columns, and must not change while the estimator is in use.
    device         "cpu"; "cuda": a GPU makes the kernel matrix, its factors and eigenvectors, on the routes "spectral" and
                   "cholesky", between which "auto" then chooses (Model.set_device).
    robust         None, or "huber": rows with large left-out errors e are weighed down, by min(1, 1.345 s / |e_i|) with
                   s = median |e| / 0.6745, errors times the root of the weight given, to the fixed point; alpha is
                   chosen again with each set of weights, sigma without and once with them. For one output.

    After fit: alpha_, best_score_ (of the criterion; None when nothing was chosen; of a robust fit with its weights),
    sigma_ (None: no bandwidth by name), route_, robustness_weights_ (None where not robust; loo_errors() has all errors
    in full), coef_ (linear kernels), dual_coef_, intercept_, n_features_in_; loo_errors(), predictor(). Features
    are not scaled. Where no column of X varies the fit is the mean of y; what is to be chosen has no influence then,
    and is 1. Cost of fit: one factorization; of choosing sigma: 15 of them; at a given alpha: 31.
    """

    _estimator_type = "regressor"

    def __init__(self, alpha: Union[None, float, ArrayLike] = None, kernel: Union[str, Kernel] = "linear",
                 sigma: Optional[float] = None, criterion: str = "loo", fit_intercept: bool = True,
                 route: str = "auto", landmarks: Union[None, int, ArrayLike] = None, seed: int = 0,
                 copy_X: bool = True, device: str = "cpu", robust: Optional[str] = None) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.sigma = sigma
        self.criterion = criterion
        self.fit_intercept = fit_intercept
        self.route = route
        self.landmarks = landmarks
        self.seed = seed
        self.copy_X = copy_X
        self.device = device
        self.robust = robust

    # Parameters

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters of __init__ by name."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> FreeRidge:
        """Sets some of the parameters. Raises ValueError for an unknown name."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for {type(self).__name__}; it has {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        default = {name: value.default for name, value in inspect.signature(type(self)).parameters.items()}
        given = [f"{name}={value!r}" for name, value in self.get_params().items()
                 if repr(value) != repr(default[name])]
        return f"{type(self).__name__}({', '.join(given)})"

    # Fit and predict

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: Optional[ArrayLike] = None) -> FreeRidge:
        """X: n x d, an array or a scipy.sparse matrix; y: n, or n x t; sample_weight: n numbers >= 0; rows of weight 0
        do not count. All finite. Raises ValueError, TypeError, MemoryError; a fit that fails changes nothing. Cost: at
        the head."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        names, points = column_names(X), table(X)
        rows = points.shape[0]
        outputs = response(y, rows)
        weights, used = None, None
        if sample_weight is not None:
            weights = sample_weights(sample_weight, rows)
            used = weights > 0 if np.any(weights == 0) else None
        kernel, criterion = self._kernel(), choice(_CRITERIA, self.criterion, "criterion")
        if self.alpha is None and (rows if used is None else used.sum()) == 1:
            raise ValueError("n_samples = 1: nothing can be left out to choose alpha by; give alpha and sigma")
        if self.robust is not None:
            choice({"huber": 0}, self.robust, "robust")
            if outputs.ndim > 1 and outputs.shape[1] > 1:
                raise ValueError(f"robust is for one output, and y has {outputs.shape[1]}: a row has one weight")
            if self.route == "iterative":
                raise ValueError("robust needs the left-out error of each row, which route='iterative' does not have")
        try:
            model = self._new_model(kernel, points, outputs, weights, used)

            def chosen() -> Optional[Array]:
                return self._choose(model, criterion, lambda: _spread(outputs, weights),
                                    lambda: _one_point(points, used))

            best, robustness = chosen(), None
            if self.robust is not None:
                best, robustness = self._reweight(model, criterion, best, chosen)
        except c.Error as error:
            raise self._in_words(error) from error
        if best is not None and criterion == c.LOO:
            warn_of_copies(points if used is None else points[used], outputs if used is None else outputs[used], 3)
        self._model, self._vector, self._used = model, outputs.ndim == 1, used
        self._unused = None if used is None else (points[~used].copy(), outputs[~used].copy())
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        self.alpha_ = self._shaped(model.lambdas())
        self.best_score_ = None if best is None else self._shaped(best)
        self.sigma_ = model.bandwidth() if self._named_bandwidth() else None
        self.robustness_weights_ = None
        if robustness is not None:
            self.robustness_weights_ = self._in_place(robustness.weights[:, None], 1.0)[:, 0]
        self.route_ = {number: name for name, number in _ROUTES.items()}[model.route()]
        self.n_features_in_ = points.shape[1]
        self.intercept_ = self._shaped(model.intercept())
        return self

    def predict(self, X: ArrayLike, return_std: bool = False,
                return_cov: bool = False) -> Union[Array, Tuple[Array, Array]]:
        """f(x) + b at m points: m numbers, or m x t. return_std, return_cov: (f + b, standard errors in the same shape) or
        (f + b, covariances of all pairs of points, m x m, or m x m x t), as GaussianProcessRegressor has them: of f + b,
        Bayesian, without the noise of a new y (Model.predict_covariance()). Raises NotFittedError, ValueError, Error
        (UNDEFINED at alpha = 0; INVALID_STATE of a predictor). Cost: O(m n (d + t)), linear kernels O(m d t); with
        errors Model.predict_covariance()."""
        if return_std and return_cov:
            raise ValueError("return_std and return_cov are both True; one of them at a time")
        model = self._fitted()
        compare_names(column_names(X), getattr(self, "feature_names_in_", None), type(self).__name__)
        X = table(X)
        f = self._outputs(self._predicted(X))
        if not (return_std or return_cov):
            return f
        found = model.predict_covariance(X, pairs=return_cov)
        return f, self._pairs(found.covariance, len(f)) if return_cov else self._outputs(found.errors)

    def _pairs(self, covariance: Array, m: int) -> Array:
        """The covariances of outputs side by side as m x m, or m x m x t."""
        cube = np.moveaxis(covariance.reshape((m, m, -1), order="F"), 2, -1)
        return cube[:, :, 0] if self._vector else cube

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: Any = None, noise: bool = True) -> Array:
        """Draws from the posterior at m points, m x n_samples, or m x t x n_samples, each output by itself: of f + b, the
        normal distribution of predict(return_cov=True), and with noise of a new y of weight one there.
        random_state: None, a number or a numpy.random.RandomState, as in scikit-learn. Raises as predict(). Cost: that
        of predict(), and O(m^3 t)."""
        f, covariance = self.predict(X, return_cov=True)
        draw = random_state if hasattr(random_state, "standard_normal") else np.random.RandomState(random_state)
        f, covariance = f.reshape(len(f), -1), covariance.reshape(len(f), len(f), -1)
        sigma2 = self._fitted().degrees_of_freedom().sigma2
        out = np.empty((len(f), f.shape[1], n_samples))
        for j in range(f.shape[1]):
            values, vectors = np.linalg.eigh(covariance[:, :, j])
            root = vectors * np.sqrt(np.maximum(values, 0.0))
            out[:, j] = f[:, j, None] + root @ draw.standard_normal((len(f), n_samples))
            if noise:
                out[:, j] += np.sqrt(sigma2[j]) * draw.standard_normal((len(f), n_samples))
        return out[:, 0] if self._vector else out

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: Optional[ArrayLike] = None) -> float:
        """R^2: 1 - sum w (y - f)^2 / sum w (y - mean)^2, the mean over outputs. y: n, or n x t, with as many outputs as
        were fitted, else ValueError. Cost: that of predict()."""
        f = self.predict(X)
        f = f.reshape(len(f), -1)
        y = response(y, len(f)).reshape(len(f), -1)
        if y.shape != f.shape:
            raise ValueError(f"y has {y.shape[1]} outputs, {type(self).__name__} was fitted with {f.shape[1]}")
        if not np.all(np.isfinite(y)):
            raise ValueError("y has NaN or inf")
        w = np.ones(len(y)) if sample_weight is None else sample_weights(sample_weight, len(y))
        residual = w @ (y - f) ** 2
        spread = w @ (y - np.average(y, axis=0, weights=w)) ** 2
        perfect = np.where(residual == 0.0, 1.0, 0.0)  # where y is constant
        return float(np.mean(np.where(spread > 0.0, 1.0 - residual / np.where(spread > 0.0, spread, 1.0), perfect)))

    def loo_errors(self, learnt: bool = False) -> Array:
        """Exact leave-one-out errors y - f of the rows fitted, in their order; a row of weight 0 is left out as it is.
        learnt: alpha and sigma, as far as they were chosen, are chosen again without the row (up to 50 rows; then
        without each of 20 or 10 folds of rows): errors that are larger where rows are few, and honest; see
        Model.loo_learnt(). Raises NotFittedError, Error (UNDEFINED where a leverage is one; INVALID_STATE of a predictor,
        or where learnt and alpha was given). Cost: O(n r t); learnt: that of fit for each row or fold."""
        try:
            model = self._fitted()
            return self._all_rows(model.loo_learnt().errors if learnt else model.loo())
        except c.Error as error:
            if error.values is not None:
                error.values = self._all_rows(error.values.errors if learnt else error.values)
            raise

    def importance(self, X: ArrayLike, y: ArrayLike, kind: str = "permutation", columns: Optional[Columns] = None,
                   permutations: int = 5, random_state: Any = 0, group: Optional[ArrayLike] = None) -> Importance:
        """How much the mean squared left-out error grows without each column, exactly and without a refit:
        freeridge.importance() of the X and y that were fitted. Raises NotFittedError, ValueError, Error. Cost: as there."""
        model = self._fitted()
        X, used = table(X), self._used
        y = response(y, X.shape[0])
        if used is not None and len(used) == X.shape[0]:
            X, y, group = X[used], y[used], None if group is None else np.asarray(group)[used]
        return importance(model, X, y, kind, columns, permutations, random_state, group)

    def _all_rows(self, errors: Array) -> Array:
        """Errors of the rows that count, and of those of weight 0, in the shape of y."""
        if self._unused is None:
            return self._outputs(errors)
        X, y = self._unused
        return self._outputs(self._in_place(errors, y.reshape(len(y), -1) - self._predicted(X)))

    def predictor(self) -> FreeRidge:
        """An estimator that has only what predict and score need, for deployment. Its pickle is small: w and b of a
        linear kernel, the points and c of others. It has no loo_errors(). Cost: that of copying them."""
        small = copy.copy(self)
        small._model, small._unused = self._fitted().predictor(), None
        return small

    @property
    def coef_(self) -> Array:
        """w of f(x) = w'x: d numbers, or t x d. Linear kernels only, else AttributeError. Cost: O(d t)."""
        return self._shaped(self._attribute("hyperplane", "only a linear kernel has coef_: see dual_coef_").T)

    @property
    def dual_coef_(self) -> Array:
        """c of f(x) = sum_i c_i k(x_i, x): n numbers, or n x t; 0 for a row of weight 0. AttributeError in the
        predictor of a linear kernel. Cost: O(n r t)."""
        missing = "the predictor of a linear kernel keeps no dual_coef_: see coef_"
        return self._outputs(self._in_place(self._attribute("coefficients", missing), 0.0))

    # What is behind it

    def _named_bandwidth(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel in _WITH_BANDWIDTH

    def _pairwise(self) -> bool:
        return self.kernel == "precomputed" or str(self.kernel).replace(" ", "") == "precomputed()"

    def _kernel(self) -> Kernel:
        kernel = self.kernel
        if isinstance(kernel, str) and kernel in _WITH_BANDWIDTH:
            return _WITH_BANDWIDTH[kernel](1.0 if self.sigma is None else self.sigma)
        known = isinstance(kernel, Kernel) or isinstance(kernel, str) and (kernel in _SIMPLE or "(" in kernel)
        if not known:
            names = ", ".join(f'"{name}"' for name in [*_SIMPLE, *_WITH_BANDWIDTH])
            theirs = _THEIRS.get(kernel) if isinstance(kernel, str) else None
            sentence = (f"kernel must be one of {names}, a kernel of this package as gaussian(2.0), or text as "
                        f'"0.5 * linear() + gaussian(sigma = 2)", not {kernel!r}')
            sentence += f"; scikit-learn's {kernel} is {theirs}" if theirs else ""
            raise ValueError(sentence) if isinstance(kernel, str) else TypeError(sentence)
        if self.sigma is not None:
            names = ", ".join(f'"{name}"' for name in _WITH_BANDWIDTH)
            raise ValueError(f"sigma is for the kernels {names}; a kernel or text has its own")
        if isinstance(kernel, Kernel):
            return kernel
        return _SIMPLE[kernel]() if kernel in _SIMPLE else parse_kernel(kernel)

    def _new_model(self, kernel: Kernel, X: Array, y: Array, weights: Optional[Array],
                   used: Optional[np.ndarray]) -> Model:
        route, landmarks = choice(_ROUTES, self.route, "route"), self.landmarks
        if used is not None:
            assert weights is not None
            if landmarks is not None and np.ndim(landmarks) == 1:
                landmarks = _renumbered(landmarks, used)
            X, y, weights = X[used], y[used], weights[used]
            X = X[:, used] if self._pairwise() else X
        model = Model(kernel, X, y, weights, self.fit_intercept, route, landmarks, self.seed, copy=self.copy_X,
                      factorize=False)
        return model if self.device == "cpu" else model.set_device(self.device)

    def _choose(self, model: Model, criterion: int, spread: Callable[[], Array],
                one_point: Callable[[], bool]) -> Optional[Array]:
        """Factorizes, chooses what is not given, and fits. The score of the choice, if there was one."""
        if self.alpha is not None and np.shape(self.alpha) not in ((), (model.t,)):
            raise ValueError(f"alpha has shape {np.shape(self.alpha)}; it must be one number, or one for each of the "
                             f"{model.t} outputs")
        best, bandwidth = None, self._named_bandwidth() and self.sigma is None
        if not bandwidth or one_point():  # of which each bandwidth says the same
            model.factorize()
        elif self.alpha is None:
            model.select_bandwidth(criterion)
        else:
            best = self._choose_bandwidth(model, criterion, spread())
        if self.alpha is not None:
            model.set_lambda(self.alpha)
            return best
        return model.select_lambda(criterion).score

    def _reweight(self, model: Model, criterion: int, best: Optional[Array],
                  chosen: Callable[[], Optional[Array]]) -> Tuple[Optional[Array], Robustness]:
        """The fixed point of the robustness weights, and the score of the choices with them. A bandwidth is chosen
        twice: without and with weights."""
        given, found, score = model.weights(), None, best

        def lambda_again() -> None:
            nonlocal score
            if self.alpha is None:
                score = model.select_lambda(criterion).score
            else:
                model.set_lambda(self.alpha)

        if self._named_bandwidth() and self.sigma is None:
            found = reweighted(model, given, lambda_again, None, False)
            score = chosen()
        found = reweighted(model, given, lambda_again, found, True)
        return score, found

    def _choose_bandwidth(self, model: Model, criterion: int, spread: Array) -> Array:
        """Chooses the bandwidth at a given alpha, among the bandwidths that the library tries when it chooses both.
        For several outputs the criterion is the library's: the sum of scores divided by the variance of y, or the sum
        of likelihoods."""
        kernel = _WITH_BANDWIDTH[str(self.kernel)]
        alpha = np.array(np.broadcast_to(real(self.alpha, "alpha"), model.t), dtype=np.float64)
        best, chosen, chosen_scores = np.inf, None, np.full(model.t, np.nan)
        for sigma in model.select_bandwidth(criterion).tried[:, 0]:
            model.set_kernel(kernel(sigma)).factorize()
            try:
                scores = np.diagonal(model.score(criterion, alpha)).copy()
            except c.Error as error:
                if error.status != c.UNDEFINED:
                    raise
                continue
            total = np.sum(scores if criterion == c.REML else scores / np.where(spread > 0, spread, 1.0))
            if total < best:
                best, chosen, chosen_scores = total, sigma, scores
        if chosen is None:
            raise ValueError("sigma cannot be chosen at this alpha: the criterion has no value; give sigma")
        model.set_kernel(kernel(chosen)).factorize()
        return chosen_scores

    def _predicted(self, X: Array) -> Array:
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input")
        try:
            return self._fitted().predict(X[:, self._used] if self._used is not None and self._pairwise() else X)
        except c.Error as error:
            raise self._in_words(error) from error

    @staticmethod
    def _in_words(error: c.Error) -> Exception:
        if error.status == c.NOT_FINITE:
            return ValueError(f"NaN or inf in the data, or on the way: {error}")
        if error.status == c.UNDEFINED:
            return ValueError(f"alpha and sigma cannot be chosen from these data; give them: {error}")
        return error

    def _fitted(self) -> Model:
        if not self.__sklearn_is_fitted__():
            # scikit-learn's own class where scikit-learn is in use, so that its tools know it
            exceptions = sys.modules.get("sklearn.exceptions")
            kind = NotFittedError if exceptions is None else exceptions.NotFittedError
            raise kind(f"this {type(self).__name__} is not fitted yet: call fit first")
        return self._model

    def _attribute(self, answer: str, missing: str) -> Array:
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
        out = np.empty((len(self._used), values.shape[1]))
        out[self._used], out[~self._used] = values, others
        return out

    def _outputs(self, matrix: Array) -> Array:
        return matrix[:, 0].copy() if self._vector else np.ascontiguousarray(matrix)

    def _shaped(self, values: Array) -> Any:
        """Values of which there is one for each output: a number where y was a vector."""
        return (values[0].copy() if values.ndim > 1 else float(values[0])) if self._vector else values

    # For scikit-learn's tools, which ask for it

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_model", None) is not None

    def _get_tags(self) -> Dict[str, Any]:
        """scikit-learn before 1.6. All other tags have their default."""
        from sklearn.utils._tags import _DEFAULT_TAGS

        return {**_DEFAULT_TAGS, "multioutput": True, "requires_y": True, "pairwise": self._pairwise()}

    def __sklearn_tags__(self) -> Any:
        """scikit-learn from 1.6 on."""
        from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags

        return Tags(estimator_type="regressor", target_tags=TargetTags(required=True, multi_output=True),
                    regressor_tags=RegressorTags(),
                    input_tags=InputTags(sparse=not self._pairwise(), pairwise=self._pairwise()))


def _one_point(X: Any, used: Optional[np.ndarray]) -> bool:
    """Whether all rows that count are the same."""
    X = X if used is None else X[used]
    return (X.max(axis=0) != X.min(axis=0)).nnz == 0 if is_sparse(X) else bool(np.all(X == X[0]))


def _spread(y: Array, weights: Optional[Array]) -> Array:
    """The weighted variance of each output."""
    y = y.reshape(len(y), -1)
    return np.average((y - np.average(y, axis=0, weights=weights)) ** 2, axis=0, weights=weights)


def _renumbered(landmarks: ArrayLike, used: np.ndarray) -> np.ndarray:
    """Rows of X as rows of those that count."""
    rows = real(landmarks, "landmarks")
    if not np.issubdtype(rows.dtype, np.integer) or np.any(rows < 0) or np.any(rows >= len(used)):
        raise ValueError(f"landmarks must be rows of X, whole numbers from 0 to {len(used) - 1}")
    if not np.all(used[rows]):
        raise ValueError(f"landmark {rows[~used[rows]][0]} has weight 0")
    return (np.cumsum(used) - 1)[rows]
