"""FreeRidgeClassifier: classes by least squares, as R's freeridge() with a factor. Of two classes y is coded as -1 and
+1; of more there is an output for each class, +1 where the row is of that class, else -1. Platt's method on the
left-out values of the fit f makes decision values and probabilities of it:

    decision = offset + slope f,    P(+1 | f) = 1 / (1 + exp(-decision)),

of more than two classes P of each class against all others, divided by their sum.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array
from .descent import Calibration, calibrate
from .explaining import Explaining
from .inputs import class_labels, class_weights, column_names, sample_weights, table
from .kernels import Kernel


class CodedClasses(NamedTuple):
    """classes: the labels in order; signs: +1 where a row is of a class and -1 where not, n x 1 of the second of two
    classes, else n x classes; weights: those of rows times those of their classes; None: all one."""

    classes: np.ndarray
    signs: Array
    weights: Optional[Array]


def coded_classes(y: Any, rows: int, sample_weight: Optional[ArrayLike], class_weight: Any, name: str) -> CodedClasses:
    """Raises ValueError where fewer than two classes count, or a class has no row that counts. name: the estimator's."""
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None")
    labels = class_labels(y, rows)
    classes, code = np.unique(labels, return_inverse=True)
    weights = None if sample_weight is None else sample_weights(sample_weight, len(labels))
    counted = code if weights is None else code[weights > 0]
    of_class = class_weights(class_weight, classes, np.bincount(counted, minlength=len(classes)))
    if of_class is not None:
        weights = of_class[code] if weights is None else weights * of_class[code]
    present = code if weights is None else code[weights > 0]
    if len(np.unique(present)) < 2:
        raise ValueError(f"y has one class only, {classes[present[0]]!r}, among the rows that count; there must be "
                         "two or more classes")
    if len(np.unique(present)) < len(classes):
        missing = np.setdiff1d(np.arange(len(classes)), present)[0]
        raise ValueError(f"all rows of the class {classes[missing]!r} have weight 0; each class must have one that "
                         "counts")
    signs = 2.0 * (code[:, np.newaxis] == np.arange(len(classes))) - 1.0
    return CodedClasses(classes, signs[:, 1:] if len(classes) == 2 else signs, weights)


def probabilities_of(decision: Array) -> Array:
    """Of the logarithms of the odds, n of the second of two classes, or n x classes, each class against all others:
    n x classes."""
    found = 0.5 + 0.5 * np.tanh(0.5 * decision)
    if found.ndim == 1:
        return np.column_stack([1.0 - found, found])
    return found / np.sum(found, axis=1, keepdims=True)


class ClassAnswers:
    """What follows from decision values and probabilities."""

    classes_: np.ndarray

    def decision_function(self, X: ArrayLike) -> Array:
        raise NotImplementedError

    def predict_proba(self, X: ArrayLike) -> Array:
        raise NotImplementedError

    def loo_decision(self) -> Array:
        raise NotImplementedError

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The class of m points: the one with the largest decision value, and the largest probability. Cost: as
        decision_function()."""
        return self._labels(self.decision_function(X))

    def predict_log_proba(self, X: ArrayLike) -> Array:
        """The logarithms of predict_proba(). Cost: that of predict_proba()."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def loo_predict(self) -> np.ndarray:
        """The class that each row fitted gets when it is left out. Cost: that of loo_decision()."""
        return self._labels(self.loo_decision())

    def score(self, X: ArrayLike, y: Any, sample_weight: Optional[ArrayLike] = None) -> float:
        """The share (by weight) of the rows that get their own class. Cost: that of predict()."""
        found = self.predict(X)
        right = found == class_labels(y, len(found))
        weights = None if sample_weight is None else sample_weights(sample_weight, len(right))
        return float(np.average(right, weights=weights))

    def _labels(self, decision: Array) -> np.ndarray:
        place = (decision > 0).astype(int) if decision.ndim == 1 else np.argmax(decision, axis=1)
        return self.classes_[place]


class FreeRidgeClassifier(ClassAnswers, Explaining):
    """Any number of classes, by regularized least squares with the defaults of R's freeridge(): a length for each
    column of X is learnt, and probabilities come from exact left-out decision values.

    class_weight   None; "balanced": each class has the same weight in all, n / (classes x rows of the class) a row; or
                   the weight of a row of each class, {"yes": 3, "no": 1}, 1 for classes that are not named. All others
                   are the parameters of FreeRidge.

    After fit: classes_, and what FreeRidge has. Labels are numbers or text. Cost of fit: that of FreeRidge, with as
    many outputs as classes where there are more than two.
    """

    _estimator_type = "classifier"
    _learns_by = "log_loss"

    def __init__(self, alpha: Union[None, float, ArrayLike] = None, kernel: Union[None, str, Kernel] = None,
                 sigma: Optional[float] = None, criterion: Optional[str] = None, fit_intercept: Union[bool, str] = True,
                 route: str = "auto", landmarks: Union[None, int, ArrayLike] = None, seed: int = 0,
                 copy_X: bool = True, device: str = "cpu", alphas: Optional[ArrayLike] = None,
                 alpha_range: Optional[Tuple[float, float]] = None, rule: str = "min", lengths: Optional[str] = None,
                 learn: str = "open", scale: Union[None, bool, ArrayLike] = None, bands: Optional[ArrayLike] = None,
                 shrinkage: float = 0.5, learn_rows: Optional[int] = None,
                 sigma_range: Optional[Tuple[float, float]] = None, budget: int = 0, landmark_method: str = "auto",
                 reduction: str = "auto", refine: int = 0, accuracy: float = 1e-8,
                 class_weight: Union[None, str, Dict[Any, float]] = None,
                 unpenalised: Union[None, int, str, Sequence[Union[int, str]]] = None) -> None:
        self._store(locals())

    def fit(self, X: ArrayLike, y: Any, sample_weight: Optional[ArrayLike] = None,
            groups: Optional[ArrayLike] = None, gap: Optional[ArrayLike] = None) -> FreeRidgeClassifier:
        """y: n labels, numbers or text, of two classes or more; all else as FreeRidge.fit(). Raises ValueError,
        TypeError, MemoryError; a fit that fails changes nothing. Cost: at the head."""
        names, points = column_names(X), table(X)
        coded = coded_classes(y, points.shape[0], sample_weight, self.class_weight, type(self).__name__)
        signs = coded.signs[:, 0].copy() if len(coded.classes) == 2 else coded.signs
        with self._as_before_if_it_fails():
            self._fit(points, signs, coded.weights, groups, names, gap)
            self.classes_, self._signs = coded.classes, coded.signs
            self._calibrations = self._calibrated()
        return self

    class_weight: Union[None, str, Dict[Any, float]]

    def _calibrated(self) -> Optional[List[Calibration]]:
        """Of each output, from the left-out values that exist: at a leverage of one there is none. None where no output
        has any, and on the route "iterative", which leaves no row out."""
        if self.route_ == "iterative":
            return None
        model = self._model
        try:
            errors = model.loo()
        except c.Error as error:
            if error.status != c.UNDEFINED:
                raise
            errors = error.values
        signs = self._signs if self._used is None else self._signs[self._used]
        weights, found = model.weights(), []
        weights = weights / np.mean(weights)  # a common factor of the weights changes no probability
        for f, sign in zip((signs - errors).T, signs.T):
            known = ~np.isnan(f)
            if len(np.unique(sign[known])) < 2:
                return None
            found.append(calibrate(f[known], sign[known], weights[known]))
        return found

    # Decision values and what is made of them

    def decision_function(self, X: ArrayLike) -> Array:
        """The logarithm of the odds at m points: of the second class, m numbers, or of each class against all others, m
        x classes. On the route "iterative" f(x) + b itself. Raises NotFittedError, ValueError. Cost: as
        FreeRidge.predict()."""
        self._check_fitted()
        self._compare_features(X)
        return self._decision(self._predicted(table(X)))

    def predict_proba(self, X: ArrayLike) -> Array:
        """The probabilities of the classes, m x classes. Raises as decision_function(), Error (INVALID_STATE where the
        fit has no left-out values: the route "iterative"). Cost: that of decision_function()."""
        return self._probabilities(self.decision_function(X))

    def loo_decision(self) -> Array:
        """The decision values of the rows fitted, each left out of f, in their order. Raises as loo_errors(). Cost:
        O(n r t)."""
        return self._decision(self._signs - self.loo_errors().reshape(len(self._signs), -1))

    def loo_proba(self) -> Array:
        """The probabilities of loo_decision(), n x classes. Cost: that of loo_decision()."""
        return self._probabilities(self.loo_decision())

    def _outputs_of(self, y: Any, rows: int) -> Array:
        labels, known = class_labels(y, rows), set(self.classes_.tolist())
        for place, label in enumerate(labels.tolist()):
            if label not in known:
                raise ValueError(f"y[{place}] is {label!r}, and the classes are {', '.join(map(str, self.classes_))}")
        signs = 2.0 * (labels[:, np.newaxis] == self.classes_) - 1.0
        return signs[:, 1].copy() if self._vector else signs

    def predictor(self) -> FreeRidgeClassifier:
        """As FreeRidge.predictor(). Cost: that of copying."""
        small = super().predictor()
        small._signs = np.empty((0, self._signs.shape[1]))
        return small

    def _decision(self, f: Array) -> Array:
        if self._calibrations is not None:
            f = np.column_stack([each.offset + each.slope * column for each, column in zip(self._calibrations, f.T)])
        return self._outputs(f)

    def _probabilities(self, decision: Array) -> Array:
        if self._calibrations is None:
            raise c.Error(c.INVALID_STATE, "INVALID_STATE", "probabilities come from left-out values, which this fit "
                          f'has not: its route is "{self.route_}"')
        return probabilities_of(decision)
