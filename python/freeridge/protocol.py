"""What scikit-learn's tools ask of an estimator: parameters, whether it is fitted, tags, and which metadata go to which
method. scikit-learn itself is not needed, and imported only by what asks for its own classes."""

from __future__ import annotations

import inspect
import sys
from contextlib import contextmanager
from typing import Any, ClassVar, Dict, Iterator, Optional, Tuple, TypeVar

import numpy as np

from .inputs import column_names, compare_names

Self = TypeVar("Self", bound="Estimator")


class NotFittedError(ValueError, AttributeError):
    """An answer was asked for before fit."""


class _Requests(Dict[Tuple[str, str], Any]):
    """What set_fit_request() and set_score_request() were told, by method and word; scikit-learn's clone() copies
    it."""

    def __sklearn_clone__(self) -> _Requests:
        return _Requests(self)


class Estimator:
    """The parameters are the arguments of __init__, which stores each as it is."""

    _estimator_type: ClassVar[str] = ""  # "regressor", "classifier", "transformer"
    _metadata: ClassVar[Dict[str, Tuple[str, ...]]] = {}  # beside X and y: {"fit": ("sample_weight",)}
    n_features_in_: int

    @classmethod
    def _parameter_names(cls) -> Tuple[str, ...]:
        return tuple(inspect.signature(cls).parameters)

    def _store(self, given: Dict[str, Any]) -> None:
        for name in self._parameter_names():
            setattr(self, name, given[name])

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters of __init__ by name."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self: Self, **params: Any) -> Self:
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

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            # scikit-learn's own class where scikit-learn is in use, so that its tools know it
            exceptions = sys.modules.get("sklearn.exceptions")
            kind = NotFittedError if exceptions is None else exceptions.NotFittedError
            raise kind(f"this {type(self).__name__} is not fitted yet: call fit first")

    @contextmanager
    def _as_before_if_it_fails(self) -> Iterator[None]:
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    # Features

    def _set_features(self, names: Optional[np.ndarray], count: int) -> None:
        """Of the data fitted. names: those of a table's columns."""
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        self.n_features_in_ = count

    def _compare_features(self, X: Any) -> None:
        """Raises where a table's columns are not those of the fit."""
        compare_names(column_names(X), getattr(self, "feature_names_in_", None), type(self).__name__)

    def _compare_width(self, columns: int) -> None:
        if columns != self.n_features_in_:
            raise ValueError(f"X has {columns} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input")

    def _feature_names(self) -> np.ndarray:
        """The names of the columns of X, or x0, x1, ..."""
        made = [f"x{index}" for index in range(self.n_features_in_)]
        return getattr(self, "feature_names_in_", np.array(made, dtype=object))

    # Tags

    def _pairwise(self) -> bool:
        return False

    def _takes_sparse(self) -> bool:
        return not self._pairwise()

    def _get_tags(self) -> Dict[str, Any]:
        """scikit-learn before 1.6. All other tags have their default."""
        from sklearn.utils._tags import _DEFAULT_TAGS

        supervised = self._estimator_type != "transformer"
        return {**_DEFAULT_TAGS, "multioutput": self._estimator_type == "regressor", "requires_y": supervised,
                "pairwise": self._pairwise()}

    def __sklearn_tags__(self) -> Any:
        """scikit-learn from 1.6 on."""
        from sklearn import utils

        kind = self._estimator_type
        tags = utils.Tags(estimator_type=kind, target_tags=utils.TargetTags(required=kind != "transformer",
                                                                            multi_output=kind == "regressor"),
                          input_tags=utils.InputTags(sparse=self._takes_sparse(), pairwise=self._pairwise()))
        setattr(tags, kind + "_tags", getattr(utils, kind.capitalize() + "Tags")())
        return tags

    # Metadata: sample_weight, groups

    def get_metadata_routing(self) -> Any:
        """Which metadata fit and score want, as scikit-learn (1.3 and later) asks for it; see set_fit_request(). Cost:
        O(1)."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=type(self).__name__)
        asked = getattr(self, "_metadata_request", {})
        for method, words in self._metadata.items():
            for word in words:
                getattr(request, method).add_request(param=word, alias=asked.get((method, word)))
        return request

    def set_fit_request(self: Self, **requests: Any) -> Self:
        """For scikit-learn's enable_metadata_routing: whether fit wants sample_weight or groups: True, False, None
        (an error where they are given) or the name that they are given under. Raises TypeError for another word. Cost:
        O(1)."""
        return self._request("fit", requests)

    def set_score_request(self: Self, **requests: Any) -> Self:
        """The same for score. Cost: O(1)."""
        return self._request("score", requests)

    def _request(self: Self, method: str, requests: Dict[str, Any]) -> Self:
        words = self._metadata.get(method, ())
        unknown = sorted(set(requests) - set(words))
        if unknown:
            raise TypeError(f"{method} of {type(self).__name__} takes no {unknown[0]}; it takes "
                            f"{', '.join(words) or 'none'}")
        asked = {(method, word): value for word, value in requests.items()}
        self._metadata_request = _Requests({**getattr(self, "_metadata_request", {}), **asked})
        return self
