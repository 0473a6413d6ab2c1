"""FreeRidge: an estimator in the manner of scikit-learn, which itself is not needed."""

import inspect
import sys
import warnings

import numpy as np

from . import library as c
from .model import Model, gaussian, laplacian, linear, matern, parse_kernel

_CRITERIA = {"loo": c.LOO, "gcv": c.GCV, "reml": c.REML}
_ROUTES = {"auto": c.AUTO, "cholesky": c.CHOLESKY, "spectral": c.SPECTRAL, "band": c.BAND, "primal": c.PRIMAL,
           "landmark": c.LANDMARK}
_KERNELS = {"gaussian": gaussian, "laplacian": laplacian, "matern": lambda length: matern(1.5, length)}


class NotFittedError(ValueError, AttributeError):
    """Asked before fit."""


class FreeRidge:
    """Ridge and kernel ridge regression; lambda and the kernel's bandwidth are chosen by exact leave-one-out errors.

    Minimises  1/2 sum_i w_i (y_i - f(x_i) - b)^2 + alpha/2 ||f||^2  over f and b, for each output by itself.

    alpha          lambda of the library ("lambda" is a word of Python's own). The loss is a sum over points, not a
                   mean, so that this is alpha of scikit-learn's Ridge, RidgeCV and KernelRidge, and n times a lambda
                   that goes with a mean. 0: the minimum-norm solution. One number, or one for each output.
                   None: chosen for each output by `criterion`.
    kernel         "linear", "gaussian", "laplacian", "matern" (nu = 1.5), or text such as
                   "0.5 * linear() + gaussian(sigma = 2)" or "polynomial(degree = 2, scale = 1, offset = 1)".
    sigma          the bandwidth of a kernel given by its name: exp(-||x - z||^2 / sigma^2), exp(-||x - z|| / sigma),
                   the length of Matern. gamma of sklearn's rbf is 1 / sigma^2. None: chosen by `criterion`, together
                   with alpha.
    criterion      "loo", "gcv" or "reml".
    fit_intercept  b, which is never penalised.
    route          "auto", "cholesky", "spectral", "band", "primal", "landmark": same answers, other costs.
    landmarks      None, how many (chosen from the data with `seed`), or which rows: f is a sum over these points only.
    copy_X         False: X and y are borrowed where they are float64 and contiguous by rows or columns, not copied, and
                   must not change while the estimator is in use. True: fit copies them.

    After fit: alpha_, best_score_ (of the criterion; None when alpha was given), sigma_ (None: no bandwidth), route_,
    coef_ (linear kernels), dual_coef_, intercept_, n_features_in_; loo_errors(). Features are not scaled.
    """

    _estimator_type = "regressor"

    def __init__(self, alpha=None, kernel="linear", sigma=None, criterion="loo", fit_intercept=True, route="auto",
                 landmarks=None, seed=0, copy_X=False):
        self.alpha = alpha
        self.kernel = kernel
        self.sigma = sigma
        self.criterion = criterion
        self.fit_intercept = fit_intercept
        self.route = route
        self.landmarks = landmarks
        self.seed = seed
        self.copy_X = copy_X

    # Parameters

    def get_params(self, deep=True):
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params):
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for {type(self).__name__}; it has {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self):
        default = {name: value.default for name, value in inspect.signature(type(self)).parameters.items()}
        given = [f"{name}={value!r}" for name, value in self.get_params().items()
                 if repr(value) != repr(default[name])]
        return f"{type(self).__name__}({', '.join(given)})"

    # Fit and predict

    def fit(self, X, y, sample_weight=None):
        """X: n x d; y: n, or n x t; sample_weight: n numbers >= 0, rows of weight 0 are left away."""
        X, y, weights = self._checked_data(X, y, sample_weight)
        criterion = _choice(_CRITERIA, self.criterion, "criterion")
        chooses_sigma = self.kernel in _KERNELS and self.sigma is None
        if chooses_sigma and self.alpha is not None:
            raise ValueError("sigma is chosen together with alpha: give both of them, sigma alone, or none")
        if len(X) == 1 and self.alpha is None:
            raise ValueError("n_samples = 1: nothing can be left out to choose alpha by; give alpha and sigma")
        best = None
        try:
            model = self._new_model(self._kernel(), X, y, weights)
            if chooses_sigma:
                model.select_bandwidth(criterion)
            else:
                model.factorize()
            if self.alpha is None:
                best = model.select_lambda(criterion)[1]
            else:
                model.set_lambda(self.alpha)
        except c.Error as error:
            raise self._in_words(error) from error
        self._model, self._vector = model, y.ndim == 1
        self.alpha_ = self._shaped(model.lambdas())
        self.best_score_ = None if best is None else self._shaped(best)
        self.sigma_ = model.bandwidth() if self.kernel in _KERNELS else None
        self.route_ = {number: name for name, number in _ROUTES.items()}[model.route()]
        self.n_features_in_ = model.d
        self.intercept_ = self._shaped(model.intercept())
        return self

    def predict(self, X):
        model = self._fitted()
        self._check_names(X, fitting=False)
        X = _numbers(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input")
        try:
            return self._outputs(model.predict(X))
        except c.Error as error:
            raise self._in_words(error) from error

    def score(self, X, y, sample_weight=None):
        """R^2: 1 - sum w (y - f)^2 / sum w (y - mean)^2, the mean over outputs."""
        y = np.asarray(y, dtype=np.float64)
        w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        residual = w @ (y - self.predict(X)).reshape(len(y), -1) ** 2
        spread = w @ (y - np.average(y, axis=0, weights=w)).reshape(len(y), -1) ** 2
        perfect = np.where(residual == 0.0, 1.0, 0.0)  # where y is constant
        return float(np.mean(np.where(spread > 0.0, 1.0 - residual / np.where(spread > 0.0, spread, 1.0), perfect)))

    def loo_errors(self):
        """Exact leave-one-out errors y - f of the rows fitted."""
        return self._outputs(self._fitted().loo())

    @property
    def coef_(self):
        """w of f(x) = w'x: d numbers, or t x d. Linear kernels only."""
        return self._shaped(self._fitted().hyperplane().T)

    @property
    def dual_coef_(self):
        """c of f(x) = sum_i c_i k(x_i, x): n numbers, or n x t."""
        return self._outputs(self._fitted().coefficients())

    # What is behind it

    def _kernel(self):
        if self.kernel == "linear":
            return linear()
        if self.kernel in _KERNELS:
            return _KERNELS[self.kernel](1.0 if self.sigma is None else self.sigma)
        if self.sigma is not None:
            raise ValueError("sigma is for kernels that are given by their name; write it into the text of this one")
        return parse_kernel(self.kernel)

    def _new_model(self, kernel, X, y, weights):
        return Model(kernel, X, y, weights, self.fit_intercept, _choice(_ROUTES, self.route, "route"), self.landmarks,
                     self.seed, copy=False, factorize=False)

    @staticmethod
    def _in_words(error):
        if error.status == c.NOT_FINITE:
            return ValueError(f"NaN or inf in the data, or on the way: {error}")
        if error.status == c.UNDEFINED:
            return ValueError(f"alpha and sigma cannot be chosen from these data; give them: {error}")
        return error

    def _more_tags(self):  # for scikit-learn's tools
        return {"multioutput": True, "requires_y": True}

    def _fitted(self):
        if getattr(self, "_model", None) is None:
            # scikit-learn's own class where scikit-learn is in use, so that its tools know it
            exceptions = sys.modules.get("sklearn.exceptions")
            kind = NotFittedError if exceptions is None else exceptions.NotFittedError
            raise kind(f"this {type(self).__name__} is not fitted yet: call fit first")
        return self._model

    def _outputs(self, matrix):
        return matrix[:, 0].copy() if self._vector else np.ascontiguousarray(matrix)

    def _shaped(self, values):
        """What there is one of for each output."""
        return (values[0].copy() if values.ndim > 1 else float(values[0])) if self._vector else values

    def _checked_data(self, X, y, weights):
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        self._check_names(X, fitting=True)
        X = _numbers(X)
        y = np.asarray(y, dtype=np.float64)
        if y.ndim not in (1, 2) or len(y) != len(X):
            raise ValueError(f"X has {len(X)} rows, y has shape {y.shape}")
        if weights is not None:
            weights = np.asarray(weights, dtype=np.float64)
            if weights.ndim == 0:
                weights = np.full(len(X), float(weights))
            if weights.shape != (len(X),) or not np.all(weights >= 0) or not np.any(weights > 0):
                raise ValueError("sample_weight must be one number >= 0 for each row of X, not all of them 0")
            if np.any(weights == 0):
                X, y, weights = X[weights > 0], y[weights > 0], weights[weights > 0]
        return (X.copy(), y.copy(), weights) if self.copy_X else (X, y, weights)

    def _check_names(self, X, fitting):
        """The names of a data frame's columns, when all are text."""
        columns = list(getattr(X, "columns", []))
        names = np.array(columns, dtype=object) if columns and all(isinstance(x, str) for x in columns) else None
        if fitting:
            self.__dict__.pop("feature_names_in_", None)
            if names is not None:
                self.feature_names_in_ = names
            return
        known = getattr(self, "feature_names_in_", None)
        if (names is None) != (known is None):
            what = "does not have valid feature names, but" if names is None else "has feature names, but"
            how = "was fitted with feature names" if names is None else "was fitted without feature names"
            warnings.warn(f"X {what} {type(self).__name__} {how}")
        elif names is not None and list(names) != list(known):
            raise ValueError(f"The feature names should match those that were passed during fit: {list(known)}, "
                             f"not {list(names)}")


def _choice(choices, value, name):
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    return choices[value]


def _numbers(X):
    """A real matrix with rows and columns; float64 arrays are taken as they are."""
    if hasattr(X, "toarray"):
        raise TypeError("a sparse matrix was passed, but dense data are required: use X.toarray()")
    X = np.asarray(X)
    if np.iscomplexobj(X):
        raise ValueError("Complex data not supported")
    X = X.astype(np.float64, copy=False)
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead. Reshape your data: X.reshape(-1, 1) if it "
                         "has a single feature, X.reshape(1, -1) if it is a single sample")
    for axis, what in enumerate(("sample", "feature")):
        if X.shape[axis] == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required.")
    return X
