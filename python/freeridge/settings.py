"""What a model was told: each setting that its set_ methods make, also of one that was loaded or copied."""

from __future__ import annotations

import ctypes
from typing import NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from . import library as c
from .arrays import Array, Integers, numbers, pointer
from .calls import Handle
from .devices import device_name
from .kernels import Kernel


class LandmarkMethod(NamedTuple):
    """LANDMARKS_AUTO, _RANDOM, _KMEANS or _PIVOTED, and the seed."""

    method: int
    seed: int


class RequestedLandmarks(NamedTuple):
    """How many were asked for, 0: none; and which rows were given, None where the library chooses."""

    count: int  # type: ignore[assignment]  # a tuple's own method
    rows: Optional[Integers]


class Settings(Handle):
    """The settings of a model. A predictor has its kernel alone; all others raise Error (INVALID_STATE)."""

    n: int  # -1: a reader's rows, which have not been counted
    d: int
    t: int

    _reads = False  # whether a reader hands out the rows

    def _rows(self) -> int:
        if self.n < 0:
            raise c.Error(c.INVALID_STATE, "INVALID_STATE", "how many rows the reader has is not known before "
                          "factorize(): give n to set_reader() or from_reader(), or factorize")
        return self.n

    def kernel(self) -> Kernel:
        """Equal to the one in use. Cost: O(1)."""
        handle = c.KERNEL()
        self._ask("get_kernel", ctypes.byref(handle))
        return Kernel.adopt(handle)

    def weights(self) -> Array:
        """n positive numbers, ones unless set. Cost: O(n)."""
        out = numbers(self._rows())
        return self._answer(out, "get_weights", pointer(out))

    def groups(self) -> npt.NDArray[np.int32]:
        """n labels, -1 for rows that are never left out; n x k for k divisions of the rows. Without groups: Error
        (INVALID_STATE). Cost: O(n k)."""
        count = c.INT64()
        self._ask("get_groups", count, None, None, None)
        out = np.zeros((self._rows(), count.value), np.int32, order="F")
        self._answer(out, "get_groups", None, pointer(out), None, None)
        return out[:, 0] if count.value == 1 else out

    def gaps(self) -> npt.NDArray[np.int32]:
        """n x (l k) labels that set_groups() makes the same gaps of, -1 for none: l layers for each of the k divisions.
        Without groups: Error (INVALID_STATE). Cost: O(n l k)."""
        divisions, layers = c.INT64(), c.INT64()
        self._ask("get_groups", divisions, None, layers, None)
        out = np.zeros((self._rows(), layers.value * divisions.value), np.int32, order="F")
        return self._answer(out, "get_groups", None, None, None, pointer(out))

    def has_intercept(self) -> bool:
        """Whether there is b. Cost: O(1)."""
        return self._parameter(c.INTERCEPT) != c.INTERCEPT_NONE

    def penalises_intercept(self) -> bool:
        """Whether there is b, with lambda/2 b^2. Cost: O(1)."""
        return self._parameter(c.INTERCEPT) == c.INTERCEPT_PENALISED

    def requested_route(self) -> int:
        """As set_route() was told; route() says what factorize took. Cost: O(1)."""
        return int(self._parameter(c.ROUTE))

    def requested_landmarks(self) -> RequestedLandmarks:
        """As set_landmarks() was told. Cost: O(r)."""
        count, given = c.INT64(), c.INT64()
        self._ask("get_requested_landmarks", count, given, None)
        rows = np.empty(given.value, np.int64)
        self._ask("get_requested_landmarks", None, None, pointer(rows))
        return RequestedLandmarks(count.value, rows if given.value else None)

    def landmark_method(self) -> LandmarkMethod:
        """As set_landmarks() was told. Cost: O(1)."""
        return LandmarkMethod(int(self._parameter(c.LANDMARK_METHOD)), int(self._parameter(c.LANDMARK_SEED)))

    def reduction(self) -> int:
        """As set_reduction() was told. Cost: O(1)."""
        return int(self._parameter(c.REDUCTION))

    def requested_accuracy(self) -> float:
        """As set_accuracy() was told. Cost: O(1)."""
        return self._parameter(c.ACCURACY)

    def device(self) -> str:
        """As set_device() was told: "cpu", "cuda", "cuda:1" ... Cost: O(1)."""
        return device_name(int(self._parameter(c.DEVICE)))

    def smoothness(self) -> bool:
        """As set_smoothness() was told. Cost: O(1)."""
        return bool(self._parameter(c.SMOOTHNESS))

    def sigma2(self) -> float:
        """As set_sigma2() was told. Cost: O(1)."""
        return self._parameter(c.SIGMA2)

    def kept_squares(self) -> float:
        """As set_kept_squares() was told. Cost: O(1)."""
        return self._parameter(c.KEPT_SQUARES)

    def refinement(self) -> int:
        """As set_refinement() was told. Cost: O(1)."""
        return int(self._parameter(c.REFINEMENT))

    def expected_lambdas(self) -> int:
        """As set_expected_lambdas() was told. Cost: O(1)."""
        return int(self._parameter(c.EXPECTED_LAMBDAS))

    def expected_criterion(self) -> int:
        """As set_expected_criterion() was told. Cost: O(1)."""
        return int(self._parameter(c.EXPECTED_CRITERION))

    def memory_limit(self) -> int:
        """As set_memory_limit() was told. Cost: O(1)."""
        return int(self._parameter(c.MEMORY_LIMIT))
