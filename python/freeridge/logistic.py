"""KernelLogistic: kernel logistic regression, as R's kernel_logistic(). For each class against all others (of two classes
for the second)

    minimise  sum_i w_i log(1 + exp(-s_i (f(x_i) + b))) + alpha/2 ||f||^2  over f and b,      s_i = +1 in the class, else -1

The numbers of the kernel and alpha, one for all classes, are those with the most evidence: the Laplace approximation of
the likelihood, f a Gaussian process, summed over the classes (freeridge_select_kernel, EVIDENCE).
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array, is_sparse, real
from .class_estimator import ClassAnswers, coded_classes, probabilities_of
from .classifier import Classifier
from .fitting import (check_seed, check_shrinkage, check_sigma, columns_of, intercept_of, is_named, is_precomputed,
                      kernel_of)
from .inputs import choice, column_names, table
from .kernels import Kernel
from .learning import (Keys, Relevance, bands_of, default_kernel, divisors, labels_of, relevance_of_fit, varying,
                       with_keys)
from .model import Model
from .protocol import Estimator
from .selection import LearntKernel


class KernelLogistic(ClassAnswers, Estimator):
    """Any number of classes by logistic loss: decision values are logarithms of odds as they are, without calibration.

    alpha          None: chosen with the kernel, by the evidence. lambda of the library, 1 / C of scikit-learn's
                   LogisticRegression where the kernel is linear.
    tol, max_iter  when Newton's method ends: see Classifier.control().
    class_weight   as FreeRidgeClassifier.
    kernel, sigma, fit_intercept, lengths, scale, bands, shrinkage, learn_rows, seed, budget: as FreeRidge. A kernel that
    is given with its numbers stays as it is.

    After fit: classes_, kernel_, scale_, alpha_, intercept_ (a number, or one for each class), learning_ (None where
    alpha and the kernel were given), classifiers_ (a Classifier for each class, of two classes one), n_iter_ (the most
    Newton steps), n_features_in_.
    Cost of fit: where something is learnt some 10 to 60 times 4/3 rows^3 flops for each class, at most 2000 rows; then
    n^3/3 for each of 5 to 10 Newton steps and class.
    Source: C. Rasmussen, C. Williams, Gaussian Processes for Machine Learning, 2006, sections 3.4 and 3.5.
    """

    _estimator_type = "classifier"
    _metadata = {"fit": ("sample_weight",), "score": ("sample_weight",)}

    def __init__(self, alpha: Optional[float] = None, kernel: Union[None, str, Kernel] = None,
                 sigma: Optional[float] = None, fit_intercept: Union[bool, str] = True, lengths: Optional[str] = None,
                 scale: Union[None, bool, ArrayLike] = None, bands: Optional[ArrayLike] = None, shrinkage: float = 0.5,
                 learn_rows: Optional[int] = None, seed: int = 0, budget: int = 0,
                 class_weight: Union[None, str, Dict[Any, float]] = None, tol: float = 1e-8,
                 max_iter: Optional[int] = None) -> None:
        self._store(locals())

    alpha: Optional[float]
    kernel: Union[None, str, Kernel]
    sigma: Optional[float]
    fit_intercept: Union[bool, str]
    lengths: Optional[str]
    scale: Any
    bands: Any
    shrinkage: float
    learn_rows: Optional[int]
    seed: int
    budget: int
    class_weight: Any
    tol: float
    max_iter: Optional[int]

    def fit(self, X: ArrayLike, y: Any, sample_weight: Optional[ArrayLike] = None) -> KernelLogistic:
        """y: n labels, numbers or text, of two classes or more; sample_weight: n numbers >= 0. Raises ValueError,
        TypeError, MemoryError, Error (NOT_CONVERGED); a fit that fails changes nothing. Cost: at the head."""
        names, points = column_names(X), table(X)
        coded = coded_classes(y, points.shape[0], sample_weight, self.class_weight, type(self).__name__)
        used, signs, weights = None, coded.signs, coded.weights
        if weights is not None and np.any(weights == 0):
            used = weights > 0
            points_of_fit = columns_of(points[used], used) if self._pairwise() else points[used]
            signs, weights = signs[used], weights[used]
        else:
            points_of_fit = points
        alpha = None if self.alpha is None else real(self.alpha, "alpha")
        if alpha is not None and (alpha.shape != () or not 0 < alpha < np.inf):
            raise ValueError(f"alpha must be a positive number, not {self.alpha!r}")
        intercept = intercept_of(self.fit_intercept)
        try:
            kernel, scale, keys = self._start(points_of_fit)
            learnt: Optional[LearntKernel] = None
            if not self._pairwise() and not np.any(varying(points_of_fit)):  # f is a constant, whatever is chosen
                alpha = np.array(1.0) if alpha is None else alpha
            elif alpha is None or keys is not None:
                model = Model(kernel, points_of_fit, signs, weights, intercept, copy=False, factorize=False)
                free = [None] * len(kernel.hyperparameters) if keys is None else keys
                held = 0 if scale is None or keys is None else len(scale)
                learnt = model.select_kernel(c.EVIDENCE, labels_of(free, held), self.shrinkage, self.learn_rows or 0,
                                             self.seed, self.budget)
                kernel = model.kernel()
                alpha = model.lambdas()[0] if alpha is None else alpha
            fits = [Classifier(kernel, c.LOSS_LOGISTIC, points_of_fit, sign, weights, intercept)
                    .control(self.tol, self.max_iter).fit(float(alpha)) for sign in signs.T]
        except c.Error as error:
            if error.status != c.NOT_FINITE:
                raise
            raise ValueError(f"NaN or inf in the data, or on the way: {error}") from error
        intercepts = np.array([fit.coefficients().b for fit in fits])
        self.n_iter_ = max(fit.convergence().iterations for fit in fits)
        self.intercept_ = float(intercepts[0]) if len(fits) == 1 else intercepts
        self.classes_, self.kernel_, self.scale_, self.alpha_ = coded.classes, kernel, scale, float(alpha)
        self.learning_, self.classifiers_, self._used = learnt, fits, used
        self._unused = None if used is None else points[~used].copy()
        self._set_features(names, points.shape[1])
        return self

    def _start(self, X: Any) -> Any:
        """The kernel of X as it is, the divisors of its columns, and the keys of its numbers; None: they are given."""
        is_open = self.kernel is None or is_named(self.kernel) and self.sigma is None
        lengths = ("each" if is_open and not is_sparse(X) else "one") if self.lengths is None else self.lengths
        choice({"each": 0, "one": 0}, lengths, "lengths")
        check_sigma(self.kernel, self.sigma)
        check_shrinkage(self.shrinkage)
        check_seed(self.seed)
        kernel = default_kernel(X, lengths, 1.5) if self.kernel is None else kernel_of(self.kernel, self.sigma)
        scale = divisors(X, kernel, is_open if self.scale is None else self.scale)
        if self._pairwise() and scale is not None:
            raise ValueError("scale is for columns of X, and X is a kernel matrix: scale must be False")
        keys: Optional[Keys] = None
        if is_open:
            kernel, keys = with_keys(kernel, lengths == "each", bands_of(self.bands, X.shape[1]))
        return (kernel if scale is None else kernel.scaled(scale)), scale, keys

    def _pairwise(self) -> bool:
        return is_precomputed(self.kernel)

    # Decision values and what is made of them

    def decision_function(self, X: ArrayLike) -> Array:
        """The logarithm of the odds at m points: of the second class, m numbers, or of each class against all others, m
        x classes. Raises NotFittedError, ValueError. Cost: O(m n d) for each class."""
        self._check_fitted()
        self._compare_features(X)
        points = table(X)
        self._compare_width(points.shape[1])
        return self._values(points)

    def _values(self, points: Any) -> Array:
        if self._used is not None and is_precomputed(self.kernel_):
            points = columns_of(points, self._used)
        try:
            return self._shaped([fit.decision(points) for fit in self.classifiers_])
        except c.Error as error:
            if error.status != c.NOT_FINITE:
                raise
            raise ValueError(f"NaN or inf in X: {error}") from error

    def _shaped(self, values: List[Array]) -> Array:
        return values[0] if len(values) == 1 else np.column_stack(values)

    def predict_proba(self, X: ArrayLike) -> Array:
        """The probabilities of the classes, m x classes; of more than two each against all others, divided by their
        sum. Cost: that of decision_function()."""
        return probabilities_of(self.decision_function(X))

    def loo_decision(self) -> Array:
        """The decision values of the rows fitted, each left out, in their order, after one Newton step from the full
        solution; a row of weight 0 is left out as it is. Cost: 2/3 n^3 for each class."""
        self._check_fitted()
        values = self._shaped([fit.loo() for fit in self.classifiers_])
        if self._used is None:
            return values
        out = np.empty((len(self._used),) + values.shape[1:])
        out[self._used], out[~self._used] = values, self._values(self._unused)
        return out

    def loo_proba(self) -> Array:
        """The probabilities of loo_decision(), n x classes. Cost: that of loo_decision()."""
        return probabilities_of(self.loo_decision())

    def relevance(self) -> List[Relevance]:
        """The columns of X with their lengths, the most relevant first. Raises AttributeError where no length for each
        column was learnt. Cost: O(d)."""
        return relevance_of_fit(self)
