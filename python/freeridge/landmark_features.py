"""FreeRidgeLandmarks: features of landmarks R, rows of X, for any method that takes columns. With K_RR = V S V',

    phi(x) = k(x, R) V S^(-1/2),    phi(x) phi(z)' = k(x, R) K_RR^-1 k(R, z),

which is Nystroem's approximation of k(x, z), and exact where x or z is a landmark.
"""

from __future__ import annotations

import sys
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array
from .fitting import METHODS, check_seed, is_named, kernel_of
from .inputs import choice, column_names, table
from .kernels import Kernel
from .learning import divisors, varying
from .model import Model
from .protocol import Estimator


class FreeRidgeLandmarks(Estimator):
    """A transformer in the manner of scikit-learn: columns whose products are Nystroem's approximation of a kernel.

    landmarks   how many (at most n), or which rows of X.
    kernel      "gaussian", "laplacian", "matern", "linear", a kernel of this package, or text, as for FreeRidge. The
                kernel that a FreeRidge has learnt is its kernel_.
    sigma       the bandwidth of a kernel given by its name, in the units of X / scale. None: the square root of the
                number of columns that vary, which is what scikit-learn's SVC takes with gamma="scale".
    method      how landmarks are chosen, with `seed`: "pivoted" (randomly pivoted Cholesky: each row with a chance in
                proportion to what the landmarks before leave of it), "kmeans", "random" or "auto" (pivoted).
    scale       as for FreeRidge; None: True where sigma is to be chosen.

    After fit: landmarks_ (rows of X), components_ (the landmarks themselves), kernel_, n_features_in_,
    feature_names_in_. There are fewer features than landmarks where these do not all differ. Cost of fit: O(n r^2 +
    r^3).
    """

    _estimator_type = "transformer"

    landmarks: Any
    kernel: Any
    sigma: Any
    method: Any
    seed: Any
    scale: Any

    def __init__(self, landmarks: Union[int, ArrayLike] = 100, kernel: Union[str, Kernel] = "matern",
                 sigma: Optional[float] = None, method: str = "pivoted", seed: int = 0,
                 scale: Union[None, bool, ArrayLike] = None) -> None:
        self._store(locals())

    def fit(self, X: ArrayLike, y: Any = None) -> FreeRidgeLandmarks:
        """X: n x d, an array, a table or a scipy.sparse matrix; y is not used. Raises ValueError, TypeError,
        MemoryError. Cost: at the head."""
        names, points = column_names(X), table(X)
        is_open = is_named(self.kernel) and self.sigma is None
        sigma = np.sqrt(max(1, np.count_nonzero(varying(points)))) if is_open else self.sigma
        kernel = kernel_of(self.kernel, sigma)
        if kernel.name == "precomputed":
            raise ValueError("kernel must be one that has values between any two points, and a precomputed one has not")
        scale = divisors(points, kernel, is_open if self.scale is None else self.scale)
        kernel = kernel if scale is None else kernel.scaled(scale)
        rows = self._rows(points, kernel)
        if len(rows) == 0:
            raise ValueError(f"the kernel {kernel} is 0 at all rows of X: there are no landmarks, and no features")
        chosen = points[rows]
        values, vectors = np.linalg.eigh(kernel.values(chosen, chosen))
        kept = values > len(rows) * np.finfo(float).eps * values[-1]
        self.kernel_, self.landmarks_, self.components_ = kernel, rows, chosen
        self._root = vectors[:, kept] / np.sqrt(values[kept])
        self._n_features_out = self._root.shape[1]
        self._set_features(names, points.shape[1])
        return self

    def _rows(self, points: Any, kernel: Kernel) -> np.ndarray:
        given, method = self.landmarks, choice(METHODS, self.method, "method")
        check_seed(self.seed)
        if np.ndim(given) == 0 and isinstance(given, (int, np.integer)) and not isinstance(given, bool):
            if given < 1:
                raise ValueError(f"landmarks is {given}, and must be how many, 1 or more, or which rows")
            given = min(int(given), points.shape[0])
        try:
            model = Model(kernel, points, np.zeros(points.shape[0]), intercept=False, route=c.ROUTE_LANDMARK,
                          factorize=False)
            return model.set_landmarks(given, method, self.seed).factorize().landmarks()
        except c.Error as error:
            if error.status == c.NOT_FINITE:
                raise ValueError(f"NaN or inf in X: {error}") from error
            raise

    def transform(self, X: ArrayLike) -> Any:
        """m x features at m points: an array, or what set_output() says. Raises NotFittedError, ValueError. Cost:
        O(m r (d + r))."""
        self._check_fitted()
        self._compare_features(X)
        points = table(X)
        self._compare_width(points.shape[1])
        try:
            out = np.ascontiguousarray(self.kernel_.values(points, self.components_) @ self._root)
        except c.Error as error:
            raise ValueError(f"NaN or inf in X: {error}") from error
        return self._output(out, X)

    def fit_transform(self, X: ArrayLike, y: Any = None) -> Any:
        """fit(X).transform(X). Cost: of both."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Optional[ArrayLike] = None) -> np.ndarray:
        """The names of the features: freeridgelandmarks0, ... input_features: None, or the names of the columns of X,
        else ValueError; they have no part in the names. Cost: O(r)."""
        self._check_fitted()
        if input_features is not None:
            given = np.asarray(input_features, dtype=object)
            if hasattr(self, "feature_names_in_") and not np.array_equal(given, self.feature_names_in_):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(given) != self.n_features_in_:
                raise ValueError("input_features should have length equal to number of features "
                                 f"({self.n_features_in_}), got {len(given)}")
        name = type(self).__name__.lower()
        return np.array([f"{name}{index}" for index in range(self._n_features_out)], dtype=object)

    def set_output(self, *, transform: Optional[str] = None) -> FreeRidgeLandmarks:
        """What transform() gives: "default" (an array) or "pandas" (a table with the rows' names); None: no change.
        Unless set, scikit-learn's set_config(transform_output=...) holds. Cost: O(1)."""
        if transform is not None:
            choice({"default": 0, "pandas": 0}, transform, "transform")
            self._sklearn_output_config = {"transform": transform}
        return self

    def _output(self, out: Array, X: Any) -> Any:
        sklearn = sys.modules.get("sklearn")
        everywhere = "default" if sklearn is None else sklearn.get_config().get("transform_output", "default")
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform", everywhere)
        if wanted != "pandas":
            return out
        import pandas

        return pandas.DataFrame(out, columns=self.get_feature_names_out(), index=getattr(X, "index", None))
