"""From the parameters of FreeRidge and FreeRidgeClassifier to a fitted model, in the manner of R's freeridge(): the
kernel, or one bandwidth of it, where its numbers are not given; the factorization; alpha.
"""

from __future__ import annotations

import warnings
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, is_sparse, real
from .inputs import choice, numbers_of, one_each
from .kernels import Kernel, gaussian, laplacian, linear, matern, parse_kernel, precomputed, sum_kernel
from .learning import bands_of, default_kernel, divisors, labels_of, varying, with_keys
from .model import Model
from .protocol import Estimator
from .robust import KEPT_OF_SQUARES
from .selection import LearntKernel

CRITERIA = {"loo": c.LOO, "gcv": c.GCV, "reml": c.REML, "groups": c.GROUPS, "error_rate": c.ERROR_RATE,
            "log_loss": c.LOG_LOSS}
ROUTES = {"auto": c.ROUTE_AUTO, "cholesky": c.ROUTE_CHOLESKY, "spectral": c.ROUTE_SPECTRAL, "band": c.ROUTE_BAND,
          "primal": c.ROUTE_PRIMAL, "landmark": c.ROUTE_LANDMARK, "iterative": c.ROUTE_ITERATIVE}
METHODS = {"auto": c.LANDMARKS_AUTO, "random": c.LANDMARKS_RANDOM, "kmeans": c.LANDMARKS_KMEANS,
           "pivoted": c.LANDMARKS_PIVOTED}
REDUCTIONS = {"auto": c.REDUCTION_AUTO, "qr": c.REDUCTION_QR, "gram": c.REDUCTION_GRAM}
_SIMPLE = {"linear": linear, "precomputed": precomputed}
WITH_BANDWIDTH: Dict[str, Callable[[float], Kernel]] = {
    "gaussian": gaussian, "laplacian": laplacian, "matern": lambda length: matern(1.5, length)}
_THEIRS = {"rbf": '"gaussian" with sigma = 1 / sqrt(gamma)',
           "poly": '"polynomial(degree = 3, scale = gamma, offset = coef0)" with numbers'}
_WITH_ERROR = ("loo", "groups", "error_rate", "log_loss")  # criteria that are means, and have a standard error

# So many landmarks take the place of all points where these do not fit into memory.
_LANDMARKS_THAT_FIT = 1000
_MOST_SETS_OF_ROWS = 3  # in which outputs are observed; with more a length for each column takes long


def is_named(kernel: Any) -> bool:
    """Whether it is the name of a kernel with a bandwidth."""
    return isinstance(kernel, str) and kernel in WITH_BANDWIDTH


def is_precomputed(kernel: Any) -> bool:
    """Whether X is to be a kernel matrix, or several side by side: in sums precomputed kernels stand alone."""
    return isinstance(kernel, (str, Kernel)) and "precomputed" in str(kernel)


def columns_of(matrices: Any, rows: np.ndarray) -> Any:
    """The columns of these rows, of kernel matrices side by side."""
    return matrices[:, np.tile(rows, matrices.shape[1] // len(rows))]


def check_sigma(kernel: Any, sigma: Optional[float]) -> None:
    """Raises ValueError for a bandwidth without a kernel."""
    if kernel is None and sigma is not None:
        raise ValueError(f"sigma is {sigma!r}, and there is no kernel whose bandwidth it could be: give its name")


def check_shrinkage(shrinkage: Any) -> None:
    """Raises ValueError for what the library takes as its own, too."""
    number = real(shrinkage, "shrinkage")
    if number.shape != () or not number > 0:
        raise ValueError(f"shrinkage must be one positive number, or infinity for none, not {shrinkage!r}")


def check_seed(seed: Any) -> None:
    """Raises ValueError for what is no whole number, as None, which others take for chance."""
    if not isinstance(seed, (int, np.integer)):
        raise ValueError(f"seed must be a whole number, the same one for the same fit, not {seed!r}")


def intercept_of(fit_intercept: Any) -> int:
    """INTERCEPT_FREE, _NONE or _PENALISED, which the parameter stands for."""
    if not isinstance(fit_intercept, str):
        return int(bool(fit_intercept))
    if fit_intercept != "penalised":
        raise ValueError(f'fit_intercept must be True, False or "penalised", not {fit_intercept!r}')
    return c.INTERCEPT_PENALISED


def kernel_of(kernel: Any, sigma: Optional[float]) -> Kernel:
    """The kernel of a parameter, with bandwidth 1 where it is to be chosen."""
    if is_named(kernel):
        return WITH_BANDWIDTH[kernel](1.0 if sigma is None else sigma)
    known = isinstance(kernel, Kernel) or isinstance(kernel, str) and (kernel in _SIMPLE or "(" in kernel)
    if not known:
        names = ", ".join(f'"{name}"' for name in [*_SIMPLE, *WITH_BANDWIDTH])
        theirs = _THEIRS.get(kernel) if isinstance(kernel, str) else None
        sentence = (f"kernel must be one of {names}, a kernel of this package as gaussian(2.0), or text as "
                    f'"0.5 * linear() + gaussian(sigma = 2)", not {kernel!r}')
        sentence += f"; scikit-learn's {kernel} is {theirs}" if theirs else ""
        raise ValueError(sentence) if isinstance(kernel, str) else TypeError(sentence)
    if sigma is not None:
        names = ", ".join(f'"{name}"' for name in WITH_BANDWIDTH)
        raise ValueError(f"sigma is for the kernels {names}; a kernel or text has its own")
    if isinstance(kernel, Kernel):
        return kernel
    return _SIMPLE[kernel]() if kernel in _SIMPLE else parse_kernel(kernel)


class Plan(NamedTuple):
    """What is to be done, before a model is made. bandwidth, learns: whether one bandwidth, or a kernel, is to be searched;
    scale: the divisors of columns; keys: of the kernel's numbers; one_point: whether all rows are the same."""

    kernel: Kernel
    scale: Optional[Array]
    bandwidth: bool
    learns: bool
    keys: List[Optional[str]]
    criterion: str
    one_point: bool
    shrinkage: float

    @property
    def searches(self) -> bool:
        """Of one point each kernel says the same."""
        return (self.learns or self.bandwidth) and not self.one_point


class Fitting(Estimator):
    """See FreeRidge for the parameters."""

    alpha: Any
    kernel: Any
    sigma: Any
    criterion: Any
    fit_intercept: Any
    route: Any
    landmarks: Any
    seed: Any
    copy_X: Any
    device: Any
    alphas: Any
    alpha_range: Any
    rule: Any
    lengths: Any
    learn: Any
    scale: Any
    bands: Any
    smoothness: Any = 1.5  # of the classifier
    shrinkage: Any
    learn_rows: Any
    sigma_range: Any
    budget: Any
    landmark_method: Any
    reduction: Any
    refine: Any
    accuracy: Any

    def _check_choice_of_alpha(self, rows: int) -> None:
        given = [name for name in ("alpha", "alphas", "alpha_range") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"{given[0]} and {given[1]} are both given; one of them says what alpha can be")
        if self.alpha is None and rows == 1:
            raise ValueError("n_samples = 1: nothing can be left out to choose alpha by; give alpha and sigma")
        if choice({"min": 0, "1se": 1}, self.rule, "rule") and (self.alpha is not None or self.alphas is not None):
            raise ValueError('rule is "1se", which is for an alpha that is chosen in a range: alpha and alphas must be '
                             "None")

    def _plan(self, X: Any, y: Array, grouped: bool) -> Plan:
        sparse, is_open = is_sparse(X), self.kernel is None or is_named(self.kernel) and self.sigma is None
        learn = choice({"open": False, "all": True}, self.learn, "learn")
        lengths = self.lengths
        if lengths is None:
            several = y.ndim == 2 and len(np.unique(np.isnan(y), axis=1).T) > _MOST_SETS_OF_ROWS
            each = (is_open and not sparse and self.sigma_range is None and not several and
                    self.criterion in (None, "loo", "reml", "groups", "log_loss"))
            lengths = "each" if each else "one"
        choice({"each": 0, "one": 0}, lengths, "lengths")
        check_sigma(self.kernel, self.sigma)
        check_shrinkage(self.shrinkage)
        check_seed(self.seed)
        smoothness = self.smoothness
        if self.kernel is None:
            kernel = default_kernel(X, lengths, smoothness)
        else:
            kernel = kernel_of(self.kernel, self.sigma)
            if smoothness is not None and "smoothness" in self.__dict__:
                raise ValueError("smoothness is of the kernel that is taken where none is given; here kernel is given: as "
                                 "in matern(2.5, 1.0)")
        parts = X.shape[1] // X.shape[0] if kernel.name == "precomputed" else 1  # matrices without a kernel for each
        criterion = self._criterion(y, lengths if is_open else "each" if parts > 1 else "one", grouped)
        if parts > 1:
            kernel = sum_kernel([kernel] * parts)
        scale = divisors(X, kernel, is_open if self.scale is None else self.scale)
        if self._pairwise() and scale is not None:
            raise ValueError("scale is for columns of X, and X is a kernel matrix: scale must be False")
        learns = learn or is_open and lengths == "each" or parts > 1
        keys: List[Optional[str]] = []
        if learns:
            kernel, keys = with_keys(kernel, lengths == "each", bands_of(self.bands, X.shape[1]))
            if not any(key is not None for key in keys):
                raise ValueError(f'learn is "all", but the kernel {kernel} has no number to learn')
        one_point = not self._pairwise() and not np.any(varying(X))  # points of a kernel matrix are their own business
        return Plan(kernel, scale, is_open and not learns, learns, keys, criterion, one_point,
                    np.inf if parts > 1 else self.shrinkage)  # of matrices variances alone, by REML itself

    _learns_by = "reml"  # of classes: the log loss

    def _noise(self) -> Optional[float]:
        """noise_sd, which FreeRidge alone has."""
        value = getattr(self, "noise_sd", None)
        if value is None:
            return None
        number = real(value, "noise_sd")
        if number.shape != () or not 0 < number < np.inf:
            raise ValueError(f"noise_sd must be a positive number, not {value!r}")
        return float(number)

    def _criterion(self, y: Array, lengths: str, grouped: bool) -> str:
        """REML for a kernel that learns a length for each column; it has no value for an output that does not vary."""
        criterion = self.criterion
        if criterion is None:
            varies = all(len(np.unique(column[~np.isnan(column)])) > 1 for column in y.reshape(len(y), -1).T)
            learnt = lengths == "each" and self.route != "iterative" and varies
            known = self._noise() is not None and self.route != "iterative" and varies
            criterion = "groups" if grouped else self._learns_by if learnt else "reml" if known else "loo"
        choice(CRITERIA, criterion, "criterion")
        if criterion == "groups" and not grouped:
            raise ValueError('criterion is "groups", and fit has no groups: fit(X, y, groups=labels)')
        if criterion not in _WITH_ERROR and self.rule == "1se":
            raise ValueError(f'rule is "1se", but the criterion "{criterion}" has no standard error')
        return criterion

    @staticmethod
    def _start(plan: Plan) -> Kernel:
        """The kernel that a search begins with, of X as it is."""
        return plan.kernel if plan.scale is None else plan.kernel.scaled(plan.scale)

    def _new_model(self, plan: Plan, X: Any, y: Array, weights: Optional[Array], used: Optional[np.ndarray]) -> Model:
        kernel = self._start(plan)
        route, landmarks = choice(ROUTES, self.route, "route"), self.landmarks
        if used is not None and landmarks is not None and np.ndim(landmarks) == 1:
            landmarks = _renumbered(landmarks, used)
        intercept = intercept_of(self.fit_intercept)
        model = Model(kernel, X, y, weights, intercept, route, copy=self.copy_X, factorize=False,
                      missing=y.ndim == 2 and bool(np.any(np.isnan(y))))
        if landmarks is not None:
            if isinstance(landmarks, (int, np.integer)):
                landmarks = min(landmarks, X.shape[0])  # in a small fold of a search
            model.set_landmarks(landmarks, choice(METHODS, self.landmark_method, "landmark_method"), self.seed)
        model.set_reduction(choice(REDUCTIONS, self.reduction, "reduction")).set_refinement(self.refine)
        model.set_accuracy(self.accuracy)
        noise = self._noise()
        if noise is not None:
            model.set_sigma2(noise ** 2)
        if getattr(self, "robust", None) is not None:
            model.set_kept_squares(KEPT_OF_SQUARES)
        return model if self.device == "cpu" else model.set_device(self.device)

    def _choose(self, model: Model, plan: Plan, y: Array,
                weights: Optional[Array]) -> Tuple[Optional[Array], Optional[LearntKernel]]:
        """Chooses what is not given, and fits. The score of the choice, if there was one, and what was learnt."""
        criterion = CRITERIA[plan.criterion]
        alpha = None if self.alpha is None else one_each(self.alpha, model.t, "alpha")
        best: Optional[Array] = None
        learnt: Optional[LearntKernel] = None
        if plan.searches and plan.learns:
            model.set_smoothness(self.kernel is None and self.smoothness is None)
            labels = labels_of(plan.keys, 0 if plan.scale is None else len(plan.scale))
            learnt = self._where_it_fits(model, lambda: model.select_kernel(
                criterion, labels, plan.shrinkage, self.learn_rows or 0, self.seed, evaluations=self.budget))
        elif plan.searches and alpha is None:
            low, high = self._range("sigma_range")
            self._where_it_fits(model, lambda: model.select_bandwidth(criterion, low, high, self.budget))
        elif plan.searches:
            best = self._choose_bandwidth(model, criterion, _spread(y, weights))
        else:
            if alpha is not None and np.all(alpha > 0):
                model.set_expected_lambdas(len(np.unique(alpha)))
            model.set_expected_criterion(criterion).factorize()
        if alpha is not None:
            self._set_alpha(model, alpha)
            return best, learnt
        return self._choose_alpha(model, criterion, learnt is not None), learnt

    def _range(self, name: str) -> Tuple[float, float]:
        """The ends of a range to choose in; 0, 0: the library's own."""
        if getattr(self, name) is None:
            return 0.0, 0.0
        low, high = numbers_of(getattr(self, name), name, 2)
        return float(low), float(high)

    def _where_it_fits(self, model: Model, search: Callable[[], Any]) -> Any:
        """What learns a kernel is refused at once where all points do not fit into memory: then landmarks take their
        place. A request that the system itself refuses, later, is an error."""
        try:
            return search()
        except c.ResourceError as error:
            late = error.message.endswith(": out of memory") or model.n <= _LANDMARKS_THAT_FIT
            if late or self.landmarks is not None or self.route != "auto" or self.refine > 0 or self.device != "cpu":
                raise
        count = _LANDMARKS_THAT_FIT
        needed = f"{model.memory_required() / 2 ** 30:.2g} GiB"
        warnings.warn(f"all {model.n} points do not fit into memory ({needed}): the fit takes {count} of them as "
                      f"landmarks; landmarks={2 * count} is nearer to all points, and takes four times the time",
                      stacklevel=6)
        model.set_landmarks(count, choice(METHODS, self.landmark_method, "landmark_method"), self.seed)
        return search()

    def _set_alpha(self, model: Model, alpha: Array) -> None:
        """CHOLESKY and BAND have no answer where K + alpha I is numerically singular, and X'X of a sparse X has none
        where X'X + alpha I is; then the spectral route, or the reduction by QR, has one."""
        try:
            model.set_lambda(alpha if alpha.ndim == 1 else float(alpha))
        except c.Error as error:
            if error.status != c.NOT_POSITIVE_DEFINITE or self.route != "auto" or model.route() == c.ROUTE_ITERATIVE:
                raise
            if model.route() == c.ROUTE_PRIMAL:
                if self.reduction != "auto":
                    raise
                model.set_reduction(c.REDUCTION_QR)
            else:
                model.set_route(c.ROUTE_SPECTRAL)
            model.factorize().set_lambda(alpha if alpha.ndim == 1 else float(alpha))

    def _choose_alpha(self, model: Model, criterion: int, learnt: bool) -> Array:
        """The score of the alpha that is chosen."""
        if self.alphas is not None:
            grid = numbers_of(self.alphas, "alphas")
            scores = model.score(criterion, grid)
            if np.any(np.all(np.isnan(scores), axis=0)):
                raise ValueError("alpha cannot be chosen among alphas: the criterion has no value at any of them")
            place = np.nanargmin(scores, axis=0)
            self._set_alpha(model, grid[place])
            return scores[place, np.arange(model.t)]
        low, high = self._range("alpha_range")
        if learnt and self.alpha_range is None and not np.any(model.lambda_flags().below):
            seen, lambdas = model.search(), model.lambdas()  # the search for the kernel ends with one for lambda
            score = seen.scores[np.searchsorted(seen.lambdas, lambdas), np.arange(model.t)]
        else:
            score = model.select_lambda(criterion, low, high).score
        if self.rule == "1se":
            lambdas = model.one_standard_error().lambdas
            model.set_lambda(lambdas)
            score = np.diagonal(model.score(criterion, lambdas)).copy()
        return score

    def _choose_bandwidth(self, model: Model, criterion: int, spread: Array) -> Array:
        """Chooses the bandwidth at a given alpha, among the bandwidths that the library tries when it chooses both.
        For several outputs the criterion is the library's: the sum of scores divided by the variance of y, or the sum
        of likelihoods."""
        alpha = one_each(self.alpha, model.t, "alpha")
        best, chosen, chosen_scores = np.inf, None, np.full(model.t, np.nan)
        low, high = self._range("sigma_range")
        tried = self._where_it_fits(model, lambda: model.select_bandwidth(criterion, low, high, self.budget)).tried
        kernel = model.kernel()
        numbers = kernel.hyperparameters
        for sigma in tried[:, 0]:
            numbers[-1] = sigma  # after the divisors of the columns
            model.set_kernel(kernel.with_hyperparameters(numbers)).factorize()
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
        numbers[-1] = chosen
        model.set_kernel(kernel.with_hyperparameters(numbers)).factorize()
        return chosen_scores

    def _pairwise(self) -> bool:
        return is_precomputed(self.kernel)


def _spread(y: Array, weights: Optional[Array]) -> Array:
    """The weighted variance of each output where it is observed."""
    y = y.reshape(len(y), -1)
    w = np.where(np.isnan(y), 0.0, 1.0 if weights is None else weights[:, np.newaxis])
    known = np.where(np.isnan(y), 0.0, y)
    mean = np.sum(w * known, axis=0) / np.sum(w, axis=0)
    return np.sum(w * (known - mean) ** 2, axis=0) / np.sum(w, axis=0)


def _renumbered(landmarks: ArrayLike, used: np.ndarray) -> np.ndarray:
    """Rows of X as rows of those that count."""
    rows = real(landmarks, "landmarks")
    if not np.issubdtype(rows.dtype, np.integer) or np.any(rows < 0) or np.any(rows >= len(used)):
        raise ValueError(f"landmarks must be rows of X, whole numbers from 0 to {len(used) - 1}")
    if not np.all(used[rows]):
        raise ValueError(f"landmark {rows[~used[rows]][0]} has weight 0")
    return (np.cumsum(used) - 1)[rows]
