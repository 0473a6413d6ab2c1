"""Models: data, one factorization, and the answers that it gives."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from . import library as c
from .arrays import (Matrix, Sparse, matrix_of_labels, names_of, pointer, points_of, read_rows, same_names, struct_of,
                     vector)
from .calls import Callback, Path, Progress, path_bytes
from .devices import device_number
from .kernels import Kernel
from .selection import Selection

Reader = Callable[[int, int], Any]


class Model(Selection):
    """Data and one factorization, which is made here unless factorize=False; then every lambda and its leave-one-out
    errors are nearly free. It minimises, for each output by itself,

        1/2 sum_i w_i (y_i - f(x_i) - b)^2  +  lambda/2 ||f||^2

    x: n x d, an array or a scipy.sparse matrix; y: n, or n x t; real numbers, all finite; missing: NaN in y is a value
    that was not observed (set_missing()). Rows that need not be in memory: from_reader(). weights: n positive numbers,
    None: all one. intercept: b, which is not penalised. route: ROUTE_AUTO, _CHOLESKY, _SPECTRAL, _BAND, _PRIMAL,
    _LANDMARK or _ITERATIVE. landmarks: how many, or which rows.
    copy=False: x and y are borrowed where they are float64 and contiguous by rows or columns, and must not change while
    the model lives. progress: see set_progress().

    A model is used by one thread at a time; a second one waits, but answers side by side. Ctrl-C ends every call.
    pickle and copy take all of it, but for the progress function: see predictor(). Raises InputError, ResourceError,
    Error; ValueError where shapes do not fit."""

    def __init__(self, kernel: Kernel, x: ArrayLike, y: ArrayLike, weights: Optional[ArrayLike] = None,
                 intercept: Union[bool, int] = True, route: int = c.ROUTE_AUTO, landmarks: Union[None, int, ArrayLike] = None,
                 seed: int = 0, copy: bool = True, progress: Optional[Progress] = None,
                 factorize: bool = True, missing: bool = False) -> None:
        self._create(kernel)
        if missing:
            self.set_missing()
        self.set_data(x, y, copy)
        if weights is not None:
            self.set_weights(weights)
        self.set_route(route)
        self._begin(intercept, landmarks, seed, progress, factorize)

    @classmethod
    def from_reader(cls, kernel: Kernel, reader: Reader, d: int, t: int = 1, n: int = -1,
                    intercept: Union[bool, int] = True,
                    landmarks: Union[None, int, ArrayLike] = None, seed: int = 0, progress: Optional[Progress] = None,
                    factorize: bool = True) -> Model:
        """A model of rows that need not be in memory: reader(first, count) hands them out, as set_reader() says. Cost:
        factorize()."""
        model = cls.__new__(cls)
        model._create(kernel)
        model.set_reader(reader, d, t, n)
        model._begin(intercept, landmarks, seed, progress, factorize)
        return model

    def _create(self, kernel: Kernel) -> None:
        self._hold(c.MODEL())
        self._own("create", _checked(kernel).handle)

    def _begin(self, intercept: Union[bool, int], landmarks: Union[None, int, ArrayLike], seed: int,
               progress: Optional[Progress], factorize: bool) -> None:
        self.set_intercept(intercept)
        if landmarks is not None:
            self.set_landmarks(landmarks, seed=seed)
        self.set_progress(progress)
        if factorize:
            self.factorize()

    def __repr__(self) -> str:
        rows = self.n if self.n >= 0 else "a reader's rows"
        what = f"{rows} x {self.d}, {self.t} output{'s' * (self.t > 1)}"
        return f"<{type(self).__name__} of {'a predictor, ' * self.is_predictor}{what}>"

    # Data and settings: they unset the factorization, unless it says otherwise

    def set_data(self, x: ArrayLike, y: ArrayLike, copy: bool = True) -> Model:
        """Replaces the data; drops weights, groups and landmarks. Cost: O(n (d + t)), of a sparse x
        O(entries + n t)."""
        points = points_of(x)
        outputs = Matrix(y, name="y")
        if outputs.rows != points.rows:
            raise ValueError(f"x has {points.rows} rows, y has {outputs.rows}")
        with _missing_explained(outputs):
            self._change("set_points", struct_of(points), int(not copy), outputs.layout, outputs.columns,
                         outputs.pointer, outputs.ld)
        self.n, self.d, self.t = points.rows, points.columns, outputs.columns
        kept, self._names = (points, None) if isinstance(points, Sparse) else (points.array, points.names)
        self._reads = False
        self._borrowed = None if copy else (kept, outputs.array)
        return self

    def set_reader(self, reader: Reader, d: int, t: int = 1, n: int = -1) -> Model:
        """Rows that need not be in memory. reader(first, count) gives x (rows x d), y (rows, or rows x t) and, if there
        are any, weights (rows, or None) of the rows first, first + 1, ..., at most `count` of them. n: how many rows
        there are; -1: not known, and the reader gives fewer than `count`, or none, where the rows end (it is asked once
        more then, and gives none). In each pass it is asked for all rows again, in order, and must give the same ones;
        what it raises ends the call. With a linear kernel, or landmarks; what needs all points in memory raises Error
        (INVALID_STATE). Cost: O(1)."""

        def hand_out(first: int, count: int, x: Any, y: Any, weights: Any, _: Any) -> int:
            given = reader(first, count)
            parts = read_rows(given, first, count, d, t)
            self._names = same_names(names_of(given[0]), self._names, "the reader's x")
            for place, shape, part in zip((x, y, weights), ((count, d), (count, t), (count,)), parts):
                np.ctypeslib.as_array(place, shape)[: len(part)] = part
            return len(parts[0])

        callback = c.READER(Callback(-1, hand_out))
        points = c.struct("points", n=n, d=d, layout=c.ROW_MAJOR, reader=callback)
        self._change("set_points", points, 0, c.ROW_MAJOR, t, None, 0)
        self.n, self.d, self.t, self._names = n, d, t, None
        self._reads = True
        self._borrowed = callback
        return self

    def set_unpenalised(self, count: int) -> Model:
        """Leaves the first `count` columns of a reader's x, 0 <= count < d, without a penalty: fixed effects that are
        columns of x, also in predict(). Raises Error (INVALID_STATE) without a reader. Cost: O(1)."""
        return self._set(c.UNPENALISED, count)

    def unpenalised(self) -> npt.NDArray[np.bool_]:
        """For each column of set_unpenalised(): False where it depends on the intercept and the columns before it.
        Raises Error (INVALID_STATE) before factorize(). Cost: O(1)."""
        count = self.fixed_count()
        kept = np.zeros(count, np.int32)
        if count > 0 or not self._reads:
            self._ask("get_unpenalised", None, pointer(kept), None, None, 0)
        return kept != 0

    def set_kernel(self, kernel: Kernel) -> Model:
        """Replaces the kernel, for loops over bandwidths. Cost: O(1)."""
        return self._change("set_kernel", _checked(kernel).handle)

    def set_weights(self, weights: Optional[ArrayLike]) -> Model:
        """n positive numbers; None: all one. Cost: O(n)."""
        weights = None if weights is None else vector(weights, length=self._rows(), name="weights")
        return self._change("set_weights", pointer(weights))

    def set_fixed_effects(self, fixed: Optional[ArrayLike]) -> Model:
        """n x q columns whose coefficients are not penalised, beside the intercept; None: none. Predictions need their
        values at the new points (predict(x, fixed)). Cost: O(n q)."""
        points, names = c.struct("points", n=self.n, d=self.d), None  # no rows: the model keeps its own
        if fixed is not None:
            columns = Matrix(fixed, name="fixed")
            if columns.rows != self._rows():
                raise ValueError(f"fixed has {columns.rows} rows, and x {self.n}")
            names = columns.names
            points.layout, points.unpenalised_count = columns.layout, columns.columns
            points.unpenalised, points.ldu = columns.pointer, columns.ld
        self._change("set_points", points, 0, c.COL_MAJOR, 0, None, 0)
        self._fixed_names = names
        return self

    def set_intercept(self, intercept: Union[bool, int]) -> Model:
        """Whether there is b; INTERCEPT_PENALISED: with lambda/2 b^2 in the objective. Cost: O(1)."""
        return self._set(c.INTERCEPT, int(intercept))

    def set_route(self, route: int) -> Model:
        """ROUTE_AUTO, _CHOLESKY, _SPECTRAL, _BAND, _PRIMAL, _LANDMARK or _ITERATIVE: same answers, other
        costs. Cost: O(1)."""
        return self._set(c.ROUTE, route)

    def set_landmarks(self, landmarks: Union[None, int, ArrayLike], method: int = c.LANDMARKS_AUTO,
                      seed: int = 0) -> Model:
        """f is a sum over these rows only (counted from 0); or over so many, chosen by LANDMARKS_AUTO, _RANDOM, _KMEANS
        or _PIVOTED; None: over all. Cost: O(n)."""
        if landmarks is None or np.ndim(landmarks) == 0:
            if isinstance(landmarks, (float, str)):
                raise TypeError(f"landmarks is {landmarks!r}, and must be how many, or which rows")
            rows, count = None, 0 if landmarks is None else landmarks
        else:
            rows = vector(landmarks, np.int64, name="landmarks")
            if np.asarray(landmarks).dtype.kind == "b":
                raise TypeError("landmarks is a mask, and must be how many, or which rows: numpy.flatnonzero(mask)")
            count = len(rows)
        self._set(c.LANDMARK_METHOD, method)._set(c.LANDMARK_SEED, seed)
        return self._change("set_landmarks", count, pointer(rows))

    def set_reduction(self, reduction: int) -> Model:
        """How PRIMAL and LANDMARK reduce their rows: REDUCTION_AUTO, _QR (accurate) or _GRAM (fast). Cost: O(1)."""
        return self._set(c.REDUCTION, reduction)

    def set_groups(self, group: Optional[ArrayLike], gap: Optional[ArrayLike] = None) -> Model:
        """For the criterion GROUPS: n whole numbers; rows with the same one are left out together, those with a
        negative one never are; None: no groups. n x k of them: each column divides the rows anew, and the criterion is
        the mean over the k divisions. gap: rows that are left out with a group and not scored, as the neighbours of a
        block: n labels, or n x l, a row with a group's label in any of the layers; negative: none; for k divisions
        n x (l k), the layers of the first division first. make_blocks() makes both. Keeps the factorization. Cost:
        O(n k (1 + l) log n)."""
        if group is None:
            if gap is not None:
                raise ValueError("gap is given, but group is None; gaps are those of groups")
            return self._change("set_groups", 0, None, 0, None)
        columns = matrix_of_labels(group, self._rows(), "group")
        divisions, layers, gaps = columns.shape[1], 0, None
        if gap is not None:
            labels = matrix_of_labels(gap, self._rows(), "gap")
            if labels.shape[1] % divisions != 0:
                raise ValueError(f"gap has {labels.shape[1]} columns, which the {divisions} divisions do not share "
                                 "evenly")
            layers, gaps = labels.shape[1] // divisions, pointer(labels.ravel(order="F"))
        return self._change("set_groups", divisions, pointer(columns.ravel(order="F")), layers, gaps)

    def set_missing(self, on: bool = True) -> Model:
        """Whether NaN in y means that the value was not observed, from the next set_data() on (Model(..., missing=True)
        from the first one on): each output is then fitted to the rows in which it is observed. Cost: O(1)."""
        return self._set(c.MISSING, int(bool(on)))

    def set_accuracy(self, accuracy: float) -> Model:
        """The relative error that solutions of ROUTE_ITERATIVE may have, above 0 and below 1 (1e-8 unless set). Cost:
        O(1)."""
        return self._set(c.ACCURACY, accuracy)

    def set_device(self, device: Union[int, str]) -> Model:
        """Where the kernel matrix, its factors and eigenvectors are made: "cpu" (unless set), or "cuda", a GPU by NVIDIA
        ("cuda:1": the second one), for ROUTE_SPECTRAL and ROUTE_CHOLESKY. CUDA's libraries are looked for in the folders
        of the environment variable FREERIDGE_CUDA_PATH, which is set to those of this Python's packages (nvidia-cublas
        and the like) where it is not set, and where the system looks. Raises Error (DEVICE_UNAVAILABLE) with what is
        missing. Cost: O(1); CUDA up to a second."""
        return self._set(c.DEVICE, device_number(device))

    def set_smoothness(self, chosen: bool) -> Model:
        """Whether a select_kernel() by REML chooses the smoothness of Matern kernels with nu = 3/2, too (unless set: no);
        freeridge_select_kernel says how. Cost: O(1)."""
        return self._set(c.SMOOTHNESS, int(bool(chosen)))

    def set_sigma2(self, sigma2: float) -> Model:
        """The variance of the error of a row of weight one, where it is known, as 1 for weights 1 / variance; 0: it is
        estimated. REML, standard errors and Cook's distances then use it (FREERIDGE_SIGMA2). Cost: O(1), and the model
        goes back to its data."""
        return self._set(c.SIGMA2, sigma2)

    def set_kept_squares(self, share: float) -> Model:
        """Of weights made from the errors themselves, as Huber's: the share of the squares of normal errors that they leave, in
        (0, 1], by which estimates of the variance of the errors are divided (FREERIDGE_KEPT_SQUARES). Cost: O(1)."""
        return self._set(c.KEPT_SQUARES, share)

    def set_refinement(self, steps: int) -> Model:
        """Steps of iterative refinement of every later solution, in twice the precision. Keeps the factorization. Cost:
        of a step O(n d t) (PRIMAL), O(n^2) (others)."""
        return self._set(c.REFINEMENT, steps)

    def set_expected_lambdas(self, count: int) -> Model:
        """For AUTO: how many lambdas will be looked at (100). Keeps the factorization. Cost: O(1)."""
        return self._set(c.EXPECTED_LAMBDAS, count)

    def set_expected_criterion(self, criterion: int) -> Model:
        """For AUTO: what lambdas will be judged by (LOO). Keeps the factorization. Cost: O(1)."""
        return self._set(c.EXPECTED_CRITERION, criterion)

    def set_memory_limit(self, limit: int) -> Model:
        """The most bytes that one call may allocate beside what the model holds; a call that would need more raises
        ResourceError before it begins. 0: no limit but the machine's memory. Keeps the factorization. Cost: O(1)."""
        return self._set(c.MEMORY_LIMIT, limit)

    # Factorize and lambda

    def memory_required(self) -> int:
        """Bytes that factorize, and a lambda after it, will allocate at most beside the data. Cost: O(1)."""
        return self._number("memory_required")

    def explain(self) -> str:
        """The route that factorize would take and why, with bytes and seconds of each route: text for people. Cost:
        some milliseconds, for a measurement."""
        length, text = c.INT64(), ctypes.create_string_buffer(2048)
        self._ask("explain", 0, None, length)
        if length.value > 1024:  # it may be a little longer the next time
            text = ctypes.create_string_buffer(2 * length.value)
        self._ask("explain", len(text), text, length)
        return text.value.decode()

    def factorize(self) -> Model:
        """The one expensive step. Raises InputError (a precomputed matrix that is not a kernel matrix), ResourceError,
        Error (NOT_CONVERGED). Cost: by route; n^3 times 8/3 to 9 (kernels), 2 to 6 n d^2 (linear)."""
        self._change("factorize")
        if self.n < 0:  # a reader's rows, which have been counted now
            n, d, t = c.INT64(), c.INT64(), c.INT64()
            self._ask("get_dimensions", n, d, t)
            self.n = n.value
        return self

    def set_lambda(self, value: Union[float, ArrayLike]) -> Model:
        """One lambda >= 0, or one for each output; 0: the minimum-norm solution. Raises Error (NOT_POSITIVE_DEFINITE)
        where CHOLESKY and BAND have no answer. Cost: O(n r t) (SPECTRAL, PRIMAL), O(n^2 t) (BAND), n^3/3 (CHOLESKY)."""
        if np.ndim(value) == 0:
            return self._change("set_lambda", value)
        return self._change("set_lambdas", pointer(vector(value, length=self.t, name="lambda")))

    # Files, bytes, pickle, copies

    def clone(self) -> Model:
        """A second model in the same state, without the progress function; the two are independent from then on, and
        share memory that never changes. copy.copy() makes one, too. Cost: O(n)."""
        model = type(self).__new__(type(self))
        model._hold(c.MODEL())
        model._borrowed, model._predictor = self._borrowed, self._predictor
        model.n, model.d, model.t = self.n, self.d, self.t
        model._names, model._fixed_names, model._reads = self._names, self._fixed_names, self._reads
        self._ask("clone", ctypes.byref(model.handle))
        model._listen()
        return model

    __copy__ = clone

    @property
    def is_predictor(self) -> bool:
        """Whether it was loaded from a predictor: then it predicts, and answers little else. Cost: O(1)."""
        return self._predictor

    def predictor(self) -> Model:
        """A model that has only what prediction needs, for deployment: w and b of linear kernels, n (d + t) numbers of
        others. Its pickle is as small. Cost: that of copying them."""
        small = self.from_bytes(self.to_bytes(predictor=True))
        small._names, small._fixed_names = self._names, self._fixed_names
        return small

    def to_bytes(self, predictor: bool = False) -> bytes:
        """The whole model, or only what prediction needs, as the bytes that a file would have. Cost: O(their
        number)."""
        return self._bytes("save_to_memory", self._save_kind(predictor))

    def _save_kind(self, predictor: bool) -> int:
        return c.SAVE_PREDICTOR if predictor or self._predictor else c.SAVE_MODEL

    def save(self, path: Path, predictor: bool = False) -> None:
        """Saves to a file. Whatever happens, the file is the whole old one or the whole new one. Raises Error (IO).
        Cost: O(bytes)."""
        self._ask("save", self._save_kind(predictor), path_bytes(path))

    @classmethod
    def from_bytes(cls, saved: bytes) -> Model:
        """The model that to_bytes() saved, with data of its own. Nothing is factorized again. Raises Error (CORRUPT,
        NEWER_FORMAT). Cost: O(bytes)."""
        saved = memoryview(saved).tobytes()
        return cls._loaded("load_from_memory", saved, len(saved))

    @classmethod
    def load(cls, path: Path) -> Model:
        """The model that save() wrote. Raises Error (IO, CORRUPT, NEWER_FORMAT). Cost: O(bytes)."""
        return cls._loaded("load", path_bytes(path))

    @classmethod
    def _loaded(cls, name: str, *arguments: Any) -> Model:
        return cls._made(lambda handle: c.call(name, *arguments, handle))

    @classmethod
    def _made(cls, make: Callable[[Any], None]) -> Model:
        """Of the handle that a call makes."""
        model = cls.__new__(cls)
        model._hold(c.MODEL())
        model._borrowed = None
        make(ctypes.byref(model.handle))
        model._listen()
        sizes = [c.INT64(), c.INT64(), c.INT64()]
        model._ask("get_dimensions", *sizes)
        model.n, model.d, model.t = (size.value for size in sizes)
        try:
            model._ask("save_to_memory", c.SAVE_MODEL, 0, None, c.INT64())
        except c.Error as error:
            if error.status != c.INVALID_STATE:
                raise
            model._predictor = True
        return model

    def __reduce__(self) -> Tuple[Any, ...]:
        names = {"_names": self._names, "_fixed_names": self._fixed_names}
        return type(self).from_bytes, (self.to_bytes(),), names


@contextmanager
def _missing_explained(outputs: Matrix) -> Iterator[None]:
    """Where NaN in y is refused, the error says how it is taken."""
    try:
        yield
    except c.InputError as error:
        if error.status != c.NOT_FINITE or not np.any(np.isnan(outputs.array)):
            raise
        how = "Model(missing=True), or set_missing(), takes NaN in y as values that were not observed"
        raise c.InputError(error.status, error.name, f"{error.message}; {how}") from None


def _checked(kernel: Any) -> Kernel:
    if not isinstance(kernel, Kernel):
        raise TypeError(f"kernel is {kernel!r}, and must be a kernel: linear(), polynomial(), gaussian(), laplacian(), "
                        "matern(), precomputed(), sum_kernel(), product_kernel(), parse_kernel(text)")
    return kernel
