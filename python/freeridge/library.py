"""freeridge.h as Python: every constant and call, through ctypes. The header is the manual.

The shared library is the one that FREERIDGE_LIBRARY in the environment names. Without this variable it is that of the
folder lib beside this Python's own, or else the one that the system knows. A test of the project compares the
declarations with the header (tests/ffi/declarations_test.py), and tests/ffi/declarations.py --add adds what is missing.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import operator
import os
import sys
import weakref
from typing import Any, Dict

VERSION_MAJOR = 0
VERSION_MINOR = 1
VERSION_PATCH = 0
OK = 0
INVALID_ARGUMENT = 1
INVALID_STATE = 2
NOT_FINITE = 3
DIMENSION_MISMATCH = 4
OUT_OF_MEMORY = 10
NOT_POSITIVE_DEFINITE = 20
NOT_CONVERGED = 21
UNDEFINED = 22
CANCELLED = 30
IO = 40
CORRUPT = 41
NEWER_FORMAT = 42
INTERNAL = 90
COL_MAJOR = 1
ROW_MAJOR = 2
LOO = 1
GCV = 2
REML = 3
GROUPS = 4
ERROR_RATE = 5
LANDMARKS_AUTO = 0
LANDMARKS_RANDOM = 1
LANDMARKS_KMEANS = 2
LANDMARKS_PIVOTED = 3
REDUCTION_AUTO = 0
REDUCTION_QR = 1
REDUCTION_GRAM = 2
ROUTE_AUTO = 0
ROUTE_CHOLESKY = 1
ROUTE_SPECTRAL = 2
ROUTE_BAND = 3
ROUTE_PRIMAL = 4
ROUTE_LANDMARK = 5
CONVENTION_TOTAL = 1
CONVENTION_MEAN = 2
CONVENTION_GLMNET = 3
CONVENTION_SKLEARN = 4
CONVENTION_LM_RIDGE = 5
CONVENTION_KRLS = 6
CONVENTION_GURLS = 7
LOSS_LOGISTIC = 1
LOSS_HINGE = 2
CSR = 1
CSC = 2
LOSS_SQUARED = 3
LOSS_ABSOLUTE = 4
STEP_AUTO = 0
STEP_CONSTANT = 1
STEP_INVERSE = 2
STEP_ROOT = 3
INTERCEPT_NONE = 0
INTERCEPT_FREE = 1
INTERCEPT_PENALISED = 2
CONVENTION_TIKHONOV_SQUARED = 8
CONVENTION_TIKHONOV_HALF = 9
CONVENTION_TIKHONOV_LOGISTIC = 10
CONVENTION_TIKHONOV_HINGE = 11
CONVENTION_COST = 12
CONVENTION_COST_MEAN = 13
CONVENTION_COST_MEAN_NORM = 14
SUPPORT_NONE = 0
SUPPORT_FREE = 1
SUPPORT_BOUNDED = 2
COVARIANCE_BAYESIAN = 1
COVARIANCE_FREQUENTIST = 2
SEARCH_NONE = 0
SEARCH_GRADIENT = 1
SEARCH_CHANGE = 2
SEARCH_BUDGET = 3
SEARCH_NO_LOWER = 4
ROUTE_ITERATIVE = 6


class freeridge_model(ctypes.Structure):
    pass


class freeridge_kernel(ctypes.Structure):
    pass


class freeridge_accumulator(ctypes.Structure):
    pass


class freeridge_classifier(ctypes.Structure):
    pass


NOTHING, INT32, INT64, DOUBLE = None, ctypes.c_int32, ctypes.c_int64, ctypes.c_double
STATUS, TEXT, BYTES = ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p
INT32S, INT64S, DOUBLES = ctypes.POINTER(INT32), ctypes.POINTER(INT64), ctypes.POINTER(DOUBLE)
MODEL, MODELS = ctypes.POINTER(freeridge_model), ctypes.POINTER(ctypes.POINTER(freeridge_model))
KERNEL, KERNELS = ctypes.POINTER(freeridge_kernel), ctypes.POINTER(ctypes.POINTER(freeridge_kernel))
ACCUMULATOR = ctypes.POINTER(freeridge_accumulator)
ACCUMULATORS = ctypes.POINTER(ACCUMULATOR)
CLASSIFIER = ctypes.POINTER(freeridge_classifier)
CLASSIFIERS = ctypes.POINTER(CLASSIFIER)
PROGRESS = ctypes.CFUNCTYPE(INT32, DOUBLE, BYTES)
READER = ctypes.CFUNCTYPE(INT64, INT64, INT64, DOUBLES, DOUBLES, DOUBLES, BYTES)


class Error(Exception):
    """A call that failed. `status` is one of the constants above, `name` its word. `values`: for UNDEFINED, where only
    some numbers of an answer do not exist, the answer with NaN for these; else None."""

    def __init__(self, status: int, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.status, self.name, self.message = status, name, message
        self.values: Any = None

    def __reduce__(self) -> Any:  # an exception crosses the processes of a pool by pickle
        return type(self), (self.status, self.name, self.message), {"values": self.values}


class InputError(Error, ValueError):
    """An argument is wrong: INVALID_ARGUMENT, NOT_FINITE, DIMENSION_MISMATCH."""


class ResourceError(Error, MemoryError):
    """The call does not fit into memory: OUT_OF_MEMORY."""


_HOW = ("install it (cmake --install, then ldconfig), also with --prefix "
        f"{sys.prefix}, or set FREERIDGE_LIBRARY to its path")


def _load() -> ctypes.CDLL:
    path, reason = os.environ.get("FREERIDGE_LIBRARY"), ""
    names = [f"libfreeridge.so.{VERSION_MAJOR}", f"libfreeridge.{VERSION_MAJOR}.dylib"]
    beside = [os.path.join(sys.prefix, folder, name) for folder in ("lib", "lib64") for name in names]
    known = ctypes.util.find_library("freeridge")
    for candidate in [path] if path else beside + [known] * bool(known) + names:  # "" would be the program itself
        try:
            found = ctypes.CDLL(candidate)
        except OSError as error:
            if path:
                raise ImportError(f"the library freeridge cannot be loaded from {path}: {error}") from None
            reason = f" ({error})" if os.path.exists(candidate) else reason
        else:
            return _checked(found, candidate)
    raise ImportError(f"the shared library libfreeridge was not found{reason}: {_HOW}")


def _checked(library: ctypes.CDLL, path: str) -> ctypes.CDLL:
    """The library, when it is freeridge in a version that has all calls that are declared here."""
    if not hasattr(library, "freeridge_version"):
        raise ImportError(f"{path} is not the library freeridge, which has the call freeridge_version: {_HOW}")
    major, minor = INT32(), INT32()
    library.freeridge_version(ctypes.byref(major), ctypes.byref(minor), None)
    if major.value != VERSION_MAJOR or minor.value < VERSION_MINOR:
        raise ImportError(f"version {VERSION_MAJOR}.{VERSION_MINOR} of the library freeridge is needed, or a later one "
                          f"of the same major version; {path} is {major.value}.{minor.value}: {_HOW}")
    return library


library = _load()


def _declare(result: Any, name: str, **arguments: Any) -> None:
    """The arguments are named as in the header, with a _ after words that Python keeps for itself."""
    function = getattr(library, name, None)
    if function is None:
        raise ImportError(f"the library freeridge that was found has no call {name}: it was built from other sources; "
                          + _HOW)
    function.restype, function.argtypes = result, list(arguments.values())
    function.numbers = [(i, word, kind) for i, (word, kind) in enumerate(arguments.items())
                        if kind in (INT32, INT64, DOUBLE)]


_declare(STATUS, "freeridge_kernel_linear", out=KERNELS)
_declare(STATUS, "freeridge_kernel_polynomial", degree=INT32, scale=DOUBLE, offset=DOUBLE, out=KERNELS)
_declare(STATUS, "freeridge_kernel_gaussian", sigma=DOUBLE, out=KERNELS)
_declare(STATUS, "freeridge_kernel_laplacian", sigma=DOUBLE, out=KERNELS)
_declare(STATUS, "freeridge_kernel_matern", nu=DOUBLE, length=DOUBLE, out=KERNELS)
_declare(STATUS, "freeridge_kernel_sum", terms=KERNELS, weights=DOUBLES, count=INT32, out=KERNELS)
_declare(STATUS, "freeridge_kernel_product", factors=KERNELS, count=INT32, out=KERNELS)
_declare(STATUS, "freeridge_kernel_scaled", inner=KERNEL, d=INT64, scale=DOUBLES, out=KERNELS)
_declare(STATUS, "freeridge_kernel_additive", inner=KERNEL, d=INT64, label=INT32S, out=KERNELS)
_declare(STATUS, "freeridge_kernel_precomputed", out=KERNELS)
_declare(STATUS, "freeridge_kernel_describe", kernel=KERNEL, size=INT64, text=TEXT, length=INT64S)
_declare(STATUS, "freeridge_kernel_parse", text=TEXT, out=KERNELS)
_declare(STATUS, "freeridge_kernel_equal", a=KERNEL, b=KERNEL, equal=INT32S)
_declare(NOTHING, "freeridge_kernel_destroy", kernel=KERNEL)
_declare(TEXT, "freeridge_kernel_name", kernel=KERNEL)
_declare(STATUS, "freeridge_kernel_get_counts", kernel=KERNEL, parameters=INT32S, parts=INT32S)
_declare(TEXT, "freeridge_kernel_parameter_name", kernel=KERNEL, index=INT32)
_declare(STATUS, "freeridge_kernel_get_parameter", kernel=KERNEL, index=INT32, size=INT64, values=DOUBLES,
    length=INT64S)
_declare(STATUS, "freeridge_kernel_get_part", kernel=KERNEL, index=INT32, out=KERNELS)
_declare(STATUS, "freeridge_create", kernel=KERNEL, out=MODELS)
_declare(NOTHING, "freeridge_destroy", model=MODEL)
_declare(STATUS, "freeridge_set_kernel", model=MODEL, kernel=KERNEL)
_declare(STATUS, "freeridge_set_data", model=MODEL, layout=INT32, n=INT64, d=INT64, x=DOUBLES, ldx=INT64, t=INT64,
         y=DOUBLES, ldy=INT64)
_declare(STATUS, "freeridge_set_data_view", model=MODEL, layout=INT32, n=INT64, d=INT64, x=DOUBLES, ldx=INT64, t=INT64,
         y=DOUBLES, ldy=INT64)
_declare(STATUS, "freeridge_set_weights", model=MODEL, weights=DOUBLES)
_declare(STATUS, "freeridge_set_intercept", model=MODEL, on=INT32)
_declare(STATUS, "freeridge_set_groups", model=MODEL, divisions=INT64, group=INT32S)
_declare(STATUS, "freeridge_set_route", model=MODEL, route=INT32)
_declare(STATUS, "freeridge_set_expected_lambdas", model=MODEL, count=INT64)
_declare(STATUS, "freeridge_set_expected_criterion", model=MODEL, criterion=INT32)
_declare(STATUS, "freeridge_set_progress", model=MODEL, callback=PROGRESS, user=BYTES)
_declare(STATUS, "freeridge_set_landmarks", model=MODEL, count=INT64, rows=INT64S)
_declare(STATUS, "freeridge_set_landmark_method", model=MODEL, method=INT32, seed=INT64)
_declare(STATUS, "freeridge_set_reduction", model=MODEL, reduction=INT32)
_declare(STATUS, "freeridge_get_landmarks", model=MODEL, count=INT64S, rows=INT64S)
_declare(STATUS, "freeridge_landmark_curve", model=MODEL, criterion=INT32, count=INT64, sizes=INT64S, lambdas=DOUBLES,
         scores=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_get_rank", model=MODEL, rank=INT64S)
_declare(STATUS, "freeridge_get_tolerance", model=MODEL, tolerance=DOUBLES)
_declare(STATUS, "freeridge_set_refinement", model=MODEL, steps=INT32)
_declare(STATUS, "freeridge_memory_required", model=MODEL, bytes=INT64S)
_declare(STATUS, "freeridge_explain", model=MODEL, size=INT64, text=TEXT, length=INT64S)
_declare(STATUS, "freeridge_factorize", model=MODEL)
_declare(STATUS, "freeridge_set_lambda", model=MODEL, lambda_=DOUBLE)
_declare(STATUS, "freeridge_set_lambdas", model=MODEL, lambda_=DOUBLES)
_declare(STATUS, "freeridge_loo", model=MODEL, errors=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_group_errors", model=MODEL, group=INT32S, errors=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_predict", model=MODEL, layout=INT32, m=INT64, x=DOUBLES, ldx=INT64, out=DOUBLES,
         ldout=INT64)
_declare(STATUS, "freeridge_coefficients", model=MODEL, c=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_get_hyperplane", model=MODEL, w=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_get_intercept", model=MODEL, b=DOUBLES)
_declare(STATUS, "freeridge_get_fitted", model=MODEL, fitted=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_get_leverage", model=MODEL, leverage=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_get_lambda", model=MODEL, lambda_=DOUBLES)
_declare(STATUS, "freeridge_get_route", model=MODEL, route=INT32S)
_declare(STATUS, "freeridge_get_dimensions", model=MODEL, n=INT64S, d=INT64S, t=INT64S)
_declare(STATUS, "freeridge_get_bandwidth", model=MODEL, sigma=DOUBLES, count=INT64S, sigmas=DOUBLES, scores=DOUBLES,
         edge=INT32S, decades=DOUBLES, dips=INT32S)
_declare(STATUS, "freeridge_degrees_of_freedom", model=MODEL, df=DOUBLES, sigma2=DOUBLES)
_declare(STATUS, "freeridge_cooks_distance", model=MODEL, distance=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_predict_jackknife", model=MODEL, layout=INT32, m=INT64, x=DOUBLES, ldx=INT64, level=DOUBLE,
         lower=DOUBLES, upper=DOUBLES, ldout=INT64)
_declare(STATUS, "freeridge_predict_variance", model=MODEL, layout=INT32, m=INT64, x=DOUBLES, ldx=INT64,
         variance=DOUBLES, ldout=INT64, noise=DOUBLES)
_declare(STATUS, "freeridge_lambda_grid", model=MODEL, count=INT64, lambdas=DOUBLES)
_declare(STATUS, "freeridge_score", model=MODEL, criterion=INT32, count=INT64, lambdas=DOUBLES, scores=DOUBLES,
         errors=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_select_lambda", model=MODEL, criterion=INT32, low=DOUBLE, high=DOUBLE, lambda_=DOUBLES,
         score=DOUBLES)
_declare(STATUS, "freeridge_get_search", model=MODEL, count=INT64S, lambdas=DOUBLES, scores=DOUBLES, ld=INT64,
         edge=INT32S, decades=DOUBLES, dips=INT32S)
_declare(STATUS, "freeridge_select_bandwidth", model=MODEL, criterion=INT32, low=DOUBLE, high=DOUBLE, budget=INT64,
         sigma=DOUBLES)
_declare(STATUS, "freeridge_get_one_standard_error", model=MODEL, lambda_=DOUBLES, score=DOUBLES,
         standard_error=DOUBLES)
_declare(STATUS, "freeridge_make_folds", n=INT64, folds=INT32, seed=INT64, group=INT32S)
_declare(STATUS, "freeridge_make_holdout", n=INT64, fraction=DOUBLE, seed=INT64, group=INT32S)
_declare(STATUS, "freeridge_convert_lambda", from_=INT32, to=INT32, n=INT64, sd_y=DOUBLE, lambda_=DOUBLE, out=DOUBLES)
_declare(STATUS, "freeridge_accumulator_create", d=INT64, t=INT64, intercept=INT32, out=ACCUMULATORS)
_declare(NOTHING, "freeridge_accumulator_destroy", accumulator=ACCUMULATOR)
_declare(STATUS, "freeridge_accumulator_add", accumulator=ACCUMULATOR, layout=INT32, n=INT64, x=DOUBLES, ldx=INT64,
         y=DOUBLES, ldy=INT64, weights=DOUBLES)
_declare(STATUS, "freeridge_accumulator_merge", accumulator=ACCUMULATOR, other=ACCUMULATOR)
_declare(STATUS, "freeridge_accumulator_get_dimensions", accumulator=ACCUMULATOR, n=INT64S, d=INT64S, t=INT64S,
         sum_w=DOUBLES)
_declare(STATUS, "freeridge_accumulator_solve", accumulator=ACCUMULATOR, count=INT64, lambdas=DOUBLES, w=DOUBLES,
         ld=INT64, b=DOUBLES)
_declare(STATUS, "freeridge_accumulator_score", accumulator=ACCUMULATOR, criterion=INT32, count=INT64, lambdas=DOUBLES,
         scores=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_accumulator_objective", accumulator=ACCUMULATOR, count=INT64, lambdas=DOUBLES,
         training=DOUBLES, norm2=DOUBLES, objective=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_accumulator_lambda_grid", accumulator=ACCUMULATOR, count=INT64, lambdas=DOUBLES)
_declare(STATUS, "freeridge_accumulator_loo", accumulator=ACCUMULATOR, layout=INT32, n=INT64, x=DOUBLES, ldx=INT64,
         y=DOUBLES, ldy=INT64, weights=DOUBLES, count=INT64, lambdas=DOUBLES, errors=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_accumulator_save", accumulator=ACCUMULATOR, path=TEXT)
_declare(STATUS, "freeridge_accumulator_load", path=TEXT, out=ACCUMULATORS)
_declare(STATUS, "freeridge_pinv", layout=INT32, m=INT64, n=INT64, a=DOUBLES, lda=INT64, rcond=DOUBLE, out=DOUBLES,
         ldout=INT64, rank=INT64S)
_declare(STATUS, "freeridge_ols", layout=INT32, n=INT64, d=INT64, x=DOUBLES, ldx=INT64, t=INT64, y=DOUBLES, ldy=INT64,
         intercept=INT32, w=DOUBLES, b=DOUBLES, rank=INT64S, w_error=DOUBLES, b_error=DOUBLES, sigma=DOUBLES,
         r_squared=DOUBLES)
_declare(STATUS, "freeridge_ridge", layout=INT32, n=INT64, d=INT64, x=DOUBLES, ldx=INT64, t=INT64, y=DOUBLES,
         ldy=INT64, intercept=INT32, lambda_=DOUBLE, penalty=DOUBLES, w=DOUBLES, b=DOUBLES)
_declare(STATUS, "freeridge_tls", layout=INT32, n=INT64, d=INT64, x=DOUBLES, ldx=INT64, t=INT64, y=DOUBLES, ldy=INT64,
         intercept=INT32, exact=INT32S, w=DOUBLES, b=DOUBLES,
         singular_values=DOUBLES, distances=DOUBLES, x_correction=DOUBLES, y_correction=DOUBLES)
_declare(STATUS, "freeridge_polynomial_feature_count", d=INT64, degree=INT32, bias=INT32, count=INT64S)
_declare(STATUS, "freeridge_polynomial_exponents", d=INT64, degree=INT32, bias=INT32, exponents=INT32S)
_declare(STATUS, "freeridge_polynomial_features", layout=INT32, n=INT64, d=INT64, x=DOUBLES, ldx=INT64, degree=INT32,
         bias=INT32, out=DOUBLES, ldout=INT64)
_declare(STATUS, "freeridge_polynomial_feature_factors", d=INT64, degree=INT32, scale=DOUBLE, offset=DOUBLE,
         factors=DOUBLES)
_declare(STATUS, "freeridge_weighted_median", n=INT64, values=DOUBLES, weights=DOUBLES, median=DOUBLES)
_declare(STATUS, "freeridge_absolute_slope", n=INT64, x=DOUBLES, y=DOUBLES, slope=DOUBLES)
_declare(STATUS, "freeridge_classifier_create", kernel=KERNEL, loss=INT32, out=CLASSIFIERS)
_declare(NOTHING, "freeridge_classifier_destroy", classifier=CLASSIFIER)
_declare(STATUS, "freeridge_classifier_set_data", classifier=CLASSIFIER, layout=INT32, n=INT64, d=INT64, x=DOUBLES,
         ldx=INT64, y=DOUBLES)
_declare(STATUS, "freeridge_classifier_set_weights", classifier=CLASSIFIER, weights=DOUBLES)
_declare(STATUS, "freeridge_classifier_set_intercept", classifier=CLASSIFIER, on=INT32)
_declare(STATUS, "freeridge_classifier_set_progress", classifier=CLASSIFIER, callback=PROGRESS, user=BYTES)
_declare(STATUS, "freeridge_classifier_set_control", classifier=CLASSIFIER, tolerance=DOUBLE, iterations=INT64)
_declare(STATUS, "freeridge_classifier_fit", classifier=CLASSIFIER, lambda_=DOUBLE)
_declare(STATUS, "freeridge_classifier_predict", classifier=CLASSIFIER, layout=INT32, m=INT64, x=DOUBLES, ldx=INT64,
         decision=DOUBLES, probability=DOUBLES)
_declare(STATUS, "freeridge_classifier_loo", classifier=CLASSIFIER, decision=DOUBLES)
_declare(STATUS, "freeridge_classifier_get_coefficients", classifier=CLASSIFIER, c=DOUBLES, b=DOUBLES)
_declare(STATUS, "freeridge_classifier_get_convergence", classifier=CLASSIFIER, objective=DOUBLES, iterations=INT64S,
         gap=DOUBLES)
_declare(STATUS, "freeridge_classifier_get_support", classifier=CLASSIFIER, count=INT64S, rows=INT64S, margin=DOUBLES)
_declare(TEXT, "freeridge_status_name", status=INT32)
_declare(TEXT, "freeridge_last_error")
_declare(STATUS, "freeridge_version", major=INT32S, minor=INT32S, patch=INT32S)
_declare(STATUS, "freeridge_set_threads", count=INT32)
_declare(STATUS, "freeridge_get_threads", count=INT32S)
_declare(TEXT, "freeridge_build_info")
_declare(STATUS, "freeridge_save", model=MODEL, path=TEXT)
_declare(STATUS, "freeridge_save_predictor", model=MODEL, path=TEXT)
_declare(STATUS, "freeridge_load", path=TEXT, out=MODELS)
_declare(STATUS, "freeridge_save_to_memory", model=MODEL, size=INT64, bytes=BYTES, length=INT64S)
_declare(STATUS, "freeridge_save_predictor_to_memory", model=MODEL, size=INT64, bytes=BYTES, length=INT64S)
_declare(STATUS, "freeridge_locate_saved_x", bytes=BYTES, size=INT64, first=INT64S, length=INT64S)
_declare(STATUS, "freeridge_load_from_memory", bytes=BYTES, size=INT64, out=MODELS)
_declare(STATUS, "freeridge_set_memory_limit", model=MODEL, bytes=INT64)
_declare(STATUS, "freeridge_accumulator_set_progress", accumulator=ACCUMULATOR, callback=PROGRESS, user=BYTES)
_declare(STATUS, "freeridge_accumulator_memory_required", accumulator=ACCUMULATOR, bytes=INT64S)
_declare(STATUS, "freeridge_classifier_memory_required", classifier=CLASSIFIER, bytes=INT64S)
_declare(STATUS, "freeridge_lambda_flags", model=MODEL, floor=DOUBLES, below=INT32S, edge=INT32S)
_declare(STATUS, "freeridge_set_sparse", model=MODEL, format=INT32, n=INT64, d=INT64, start=INT64S, index=INT32S,
    value=DOUBLES, layout=INT32, t=INT64, y=DOUBLES, ldy=INT64)
_declare(STATUS, "freeridge_set_sparse_view", model=MODEL, format=INT32, n=INT64, d=INT64, start=INT64S, index=INT32S,
    value=DOUBLES, layout=INT32, t=INT64, y=DOUBLES, ldy=INT64)
_declare(STATUS, "freeridge_predict_sparse", model=MODEL, format=INT32, m=INT64, start=INT64S, index=INT32S,
    value=DOUBLES, layout=INT32, out=DOUBLES, ldout=INT64)
_declare(STATUS, "freeridge_accumulator_add_sparse", accumulator=ACCUMULATOR, format=INT32, n=INT64, start=INT64S,
    index=INT32S, value=DOUBLES, layout=INT32, y=DOUBLES, ldy=INT64, weights=DOUBLES)


_HELD: Dict[int, Any] = {}  # weak references to the owners of handles
_FREEING: Dict[str, Any] = {}  # by the name of a call: pointers whose attribute `now` makes the call
_room = 64


def hold(owner: Any, handle: Any, destroy: str) -> None:
    """Makes a handle, which may still be NULL, that of its owner, and has the call `destroy` free it when the owner
    goes. C code alone does that, as Python ignores what a signal's handler raises within a __del__: the weak reference
    calls getattr(pointer, "now", reference), and `now` is a property whose function is the library's call."""
    global _room
    if destroy not in _FREEING:
        _FREEING[destroy] = type("Freeing", (type(handle),), {"_type_": type(handle)._type_,
                                                                   "now": property(getattr(library, destroy))})
    owner.handle = handle
    pointer = _FREEING[destroy].from_buffer(handle)  # the same memory: what a call makes the handle later
    reference = weakref.ref(owner, functools.partial(getattr, pointer, "now"))
    _HELD[id(reference)] = reference
    if len(_HELD) > _room:
        for key in [key for key, other in list(_HELD.items()) if other() is None]:
            _HELD.pop(key, None)
        _room = 2 * len(_HELD) + 64


def c_text(text: bytes, name: str) -> bytes:
    """A text or path for the library, where a zero byte would be its end."""
    if b"\0" in text:
        raise ValueError(f"{name} has a zero byte, at place {text.index(0)}: nothing could come after it")
    return text


def _number(kind: Any, word: str, value: Any) -> Any:
    """A number given as an argument, also one of numpy's types. Too large a number is refused; ctypes would cut off
    its upper bits."""
    whole = kind is not DOUBLE
    try:
        kinds = getattr(getattr(value, "dtype", None), "kind", "f")  # of numpy's: not complex, text or a date
        masked = kinds in "biuf" and bool(getattr(value, "mask", False))
        if isinstance(value, (str, bytes)) or kinds not in "biufO" or masked:  # float() would read some of them
            raise TypeError
        value = operator.index(value) if whole else float(value)
    except TypeError:
        raise TypeError(f"{word.rstrip('_')} is {value!r}, and must be a {'whole ' * whole}number") from None
    if whole and not -(2 ** (8 * ctypes.sizeof(kind) - 1)) <= value < 2 ** (8 * ctypes.sizeof(kind) - 1):
        raise ValueError(f"{word} is {value}, which does not fit into {8 * ctypes.sizeof(kind)} bits")
    return value
_declare(STATUS, "freeridge_kernel_evaluate", kernel=KERNEL, layout=INT32, m=INT64, r=INT64, d=INT64, x=DOUBLES,
         ldx=INT64, z=DOUBLES, ldz=INT64, out=DOUBLES, ldout=INT64)
_declare(STATUS, "freeridge_clone", model=MODEL, out=MODELS)
_declare(STATUS, "freeridge_get_kernel", model=MODEL, out=KERNELS)
_declare(STATUS, "freeridge_get_weights", model=MODEL, weights=DOUBLES)
_declare(STATUS, "freeridge_get_groups", model=MODEL, divisions=INT64S, group=INT32S)
_declare(STATUS, "freeridge_has_intercept", model=MODEL, on=INT32S)
_declare(STATUS, "freeridge_get_requested_route", model=MODEL, route=INT32S)
_declare(STATUS, "freeridge_get_expected_lambdas", model=MODEL, count=INT64S)
_declare(STATUS, "freeridge_get_expected_criterion", model=MODEL, criterion=INT32S)
_declare(STATUS, "freeridge_get_memory_limit", model=MODEL, bytes=INT64S)
_declare(STATUS, "freeridge_get_requested_landmarks", model=MODEL, count=INT64S, given=INT64S, rows=INT64S)
_declare(STATUS, "freeridge_get_landmark_method", model=MODEL, method=INT32S, seed=INT64S)
_declare(STATUS, "freeridge_get_reduction", model=MODEL, reduction=INT32S)
_declare(STATUS, "freeridge_landmark_trace", model=MODEL, left=DOUBLES, trace=DOUBLES)
_declare(STATUS, "freeridge_get_refinement", model=MODEL, steps=INT32S)
_declare(STATUS, "freeridge_objective", model=MODEL, count=INT64, lambdas=DOUBLES, training=DOUBLES, norm2=DOUBLES,
         objective=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_predict_path", model=MODEL, layout=INT32, m=INT64, x=DOUBLES, ldx=INT64, count=INT64,
         lambdas=DOUBLES, out=DOUBLES, ldout=INT64)
_declare(STATUS, "freeridge_coefficients_path", model=MODEL, count=INT64, lambdas=DOUBLES, c=DOUBLES, ld=INT64,
         b=DOUBLES)
_declare(STATUS, "freeridge_hyperplane_path", model=MODEL, count=INT64, lambdas=DOUBLES, w=DOUBLES, ld=INT64,
         b=DOUBLES)
_declare(STATUS, "freeridge_accumulator_has_intercept", accumulator=ACCUMULATOR, on=INT32S)
_declare(STATUS, "freeridge_accumulator_select_lambda", accumulator=ACCUMULATOR, criterion=INT32, low=DOUBLE,
         high=DOUBLE, lambda_=DOUBLES, score=DOUBLES, edge=INT32S, decades=DOUBLES, dips=INT32S, below=INT32S)
_declare(STATUS, "freeridge_accumulator_save_to_memory", accumulator=ACCUMULATOR, size=INT64, bytes=BYTES,
         length=INT64S)
_declare(STATUS, "freeridge_accumulator_load_from_memory", bytes=BYTES, size=INT64, out=ACCUMULATORS)
_declare(STATUS, "freeridge_classifier_get_kernel", classifier=CLASSIFIER, out=KERNELS)
_declare(STATUS, "freeridge_classifier_get_loss", classifier=CLASSIFIER, loss=INT32S)
_declare(STATUS, "freeridge_classifier_has_intercept", classifier=CLASSIFIER, on=INT32S)
_declare(STATUS, "freeridge_classifier_get_control", classifier=CLASSIFIER, tolerance=DOUBLES, iterations=INT64S)
_declare(STATUS, "freeridge_classifier_get_weights", classifier=CLASSIFIER, weights=DOUBLES)
_declare(STATUS, "freeridge_classifier_get_dimensions", classifier=CLASSIFIER, n=INT64S, d=INT64S)
_declare(STATUS, "freeridge_classifier_get_lambda", classifier=CLASSIFIER, lambda_=DOUBLES)
_declare(STATUS, "freeridge_classifier_save", classifier=CLASSIFIER, path=TEXT)
_declare(STATUS, "freeridge_classifier_save_to_memory", classifier=CLASSIFIER, size=INT64, bytes=BYTES, length=INT64S)
_declare(STATUS, "freeridge_classifier_load", path=TEXT, out=CLASSIFIERS)
_declare(STATUS, "freeridge_classifier_load_from_memory", bytes=BYTES, size=INT64, out=CLASSIFIERS)
_declare(STATUS, "freeridge_accumulator_loo_sparse", accumulator=ACCUMULATOR, format=INT32, n=INT64, start=INT64S,
    index=INT32S, value=DOUBLES, layout=INT32, y=DOUBLES, ldy=INT64, weights=DOUBLES, count=INT64, lambdas=DOUBLES,
    errors=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_kernel_linear_scale", kernel=KERNEL, d=INT64, scale=DOUBLES, linear=INT32S)
_declare(STATUS, "freeridge_eigenvalues", model=MODEL, count=INT64, eigenvalues=DOUBLES, vectors=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_condition_number", model=MODEL, count=INT64, lambdas=DOUBLES, condition=DOUBLES,
    rank=DOUBLES)
_declare(STATUS, "freeridge_hat_matrix", model=MODEL, lambda_=DOUBLE, hat=DOUBLES, inverse=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_loss_gradient", loss=INT32, layout=INT32, n=INT64, d=INT64, x=DOUBLES, ldx=INT64,
    y=DOUBLES, weights=DOUBLES, lambda_=DOUBLE, count=INT64, w=DOUBLES, b=DOUBLES, objective=DOUBLES,
    gradient=DOUBLES, gradient_b=DOUBLES)
_declare(STATUS, "freeridge_expansion_gradient", loss=INT32, n=INT64, k=DOUBLES, ldk=INT64, y=DOUBLES,
    weights=DOUBLES, lambda_=DOUBLE, c=DOUBLES, b=DOUBLE, objective=DOUBLES, gradient=DOUBLES, gradient_b=DOUBLES)
_declare(STATUS, "freeridge_gradient_descent", loss=INT32, layout=INT32, n=INT64, d=INT64, x=DOUBLES, ldx=INT64,
    y=DOUBLES, weights=DOUBLES, intercept=INT32, lambda_=DOUBLE, start_w=DOUBLES, start_b=DOUBLE, done=INT64,
    rule=INT32, step=DOUBLE, batch=INT64, seed=INT64, average=INT32, count=INT64, steps=INT64S, callback=PROGRESS,
    user=BYTES, w=DOUBLES, b=DOUBLES, objective=DOUBLES, step_used=DOUBLES)
_declare(STATUS, "freeridge_early_stopping", layout=INT32, n=INT64, d=INT64, x=DOUBLES, ldx=INT64, y=DOUBLES,
    intercept=INT32, step=DOUBLE, count=INT64, steps=INT64S, w=DOUBLES, b=DOUBLES, df=DOUBLES, lambda_=DOUBLES,
    ridge_w=DOUBLES, ridge_b=DOUBLES, ridge_df=DOUBLES, step_used=DOUBLES)
_declare(STATUS, "freeridge_calibrate", n=INT64, decision=DOUBLES, y=DOUBLES, weights=DOUBLES, slope=DOUBLES,
    offset=DOUBLES)
_declare(STATUS, "freeridge_classifier_distances", classifier=CLASSIFIER, layout=INT32, m=INT64, x=DOUBLES, ldx=INT64,
    distance=DOUBLES)
_declare(STATUS, "freeridge_classifier_get_margins", classifier=CLASSIFIER, margin=DOUBLES, slack=DOUBLES)
_declare(STATUS, "freeridge_classifier_get_alpha", classifier=CLASSIFIER, alpha=DOUBLES, support=INT32S)
_declare(STATUS, "freeridge_classifier_get_duality", classifier=CLASSIFIER, primal=DOUBLES, dual=DOUBLES, gap=DOUBLES)
_declare(STATUS, "freeridge_accumulator_squared_errors", accumulator=ACCUMULATOR, layout=INT32, n=INT64, x=DOUBLES,
    ldx=INT64, y=DOUBLES, ldy=INT64, weights=DOUBLES, count=INT64, lambdas=DOUBLES, sum_w=DOUBLES, squares=DOUBLES,
    ld=INT64)
_declare(STATUS, "freeridge_accumulator_squared_errors_sparse", accumulator=ACCUMULATOR, format=INT32, n=INT64,
    start=INT64S, index=INT32S, value=DOUBLES, layout=INT32, y=DOUBLES, ldy=INT64, weights=DOUBLES, count=INT64,
    lambdas=DOUBLES, sum_w=DOUBLES, squares=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_coefficient_covariance", model=MODEL, kind=INT32, covariance=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_coefficient_errors", model=MODEL, kind=INT32, w=DOUBLES, ld=INT64, b=DOUBLES)
_declare(STATUS, "freeridge_predict_gradient", model=MODEL, layout=INT32, m=INT64, x=DOUBLES, ldx=INT64,
    gradient=DOUBLES, ldout=INT64)
_declare(STATUS, "freeridge_average_gradient", model=MODEL, layout=INT32, m=INT64, x=DOUBLES, ldx=INT64,
    weights=DOUBLES, kind=INT32, average=DOUBLES, errors=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_average_difference", model=MODEL, layout=INT32, m=INT64, x=DOUBLES, ldx=INT64, z=DOUBLES,
    ldz=INT64, weights=DOUBLES, kind=INT32, average=DOUBLES, errors=DOUBLES)
_declare(STATUS, "freeridge_kernel_hyperparameter_count", kernel=KERNEL, count=INT64S)
_declare(STATUS, "freeridge_kernel_hyperparameter_name", kernel=KERNEL, index=INT64, size=INT64, text=TEXT,
    length=INT64S)
_declare(STATUS, "freeridge_kernel_get_hyperparameters", kernel=KERNEL, values=DOUBLES)
_declare(STATUS, "freeridge_kernel_with_hyperparameters", kernel=KERNEL, values=DOUBLES, out=KERNELS)
_declare(STATUS, "freeridge_score_gradient", model=MODEL, criterion=INT32, lambda_=DOUBLE, score=DOUBLES,
    by_log_lambda=DOUBLES, by_log_hyperparameters=DOUBLES)
_declare(STATUS, "freeridge_select_kernel", model=MODEL, criterion=INT32, label=INT32S, shrinkage=DOUBLE, rows=INT64,
    seed=INT64, evaluations=INT64, score=DOUBLES)
_declare(STATUS, "freeridge_get_kernel_search", model=MODEL, evaluations=INT64S, hyperparameters=INT64S,
    learnt=INT64S, rows=INT64S, sample=INT64S, kept=INT32S, ended=INT32S)
_declare(STATUS, "freeridge_get_kernel_search_history", model=MODEL, stage=INT32S, score=DOUBLES, lambda_=DOUBLES,
    gradient=DOUBLES)
_declare(STATUS, "freeridge_get_kernel_search_bounds", model=MODEL, variable=INT64S, low=DOUBLES, high=DOUBLES,
    at=INT32S, lambda_at=INT32S)
_declare(STATUS, "freeridge_set_fixed_effects", model=MODEL, layout=INT32, q=INT64, f=DOUBLES, ldf=INT64)
_declare(STATUS, "freeridge_get_fixed_count", model=MODEL, q=INT64S)
_declare(STATUS, "freeridge_predict_fixed", model=MODEL, layout=INT32, m=INT64, x=DOUBLES, ldx=INT64, fixed=DOUBLES,
    ldfixed=INT64, out=DOUBLES, ldout=INT64)
_declare(STATUS, "freeridge_get_fixed_effects", model=MODEL, kept=INT32S, effects=DOUBLES, errors=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_variance_components", model=MODEL, residual=DOUBLES, random=DOUBLES, share=DOUBLES,
    error=DOUBLES)
_declare(STATUS, "freeridge_predict_path_fixed", model=MODEL, layout=INT32, m=INT64, x=DOUBLES, ldx=INT64,
    fixed=DOUBLES, ldfixed=INT64, count=INT64, lambdas=DOUBLES, out=DOUBLES, ldout=INT64)
_declare(STATUS, "freeridge_predict_jackknife_fixed", model=MODEL, layout=INT32, m=INT64, x=DOUBLES, ldx=INT64,
    fixed=DOUBLES, ldfixed=INT64, level=DOUBLE, lower=DOUBLES, upper=DOUBLES, ldout=INT64)
_declare(STATUS, "freeridge_predict_variance_fixed", model=MODEL, layout=INT32, m=INT64, x=DOUBLES, ldx=INT64,
    fixed=DOUBLES, ldfixed=INT64, variance=DOUBLES, ldout=INT64, noise=DOUBLES)
_declare(STATUS, "freeridge_set_gaps", model=MODEL, layers=INT64, gap=INT32S)
_declare(STATUS, "freeridge_get_gaps", model=MODEL, layers=INT64S, gap=INT32S)
_declare(STATUS, "freeridge_group_errors_with_gaps", model=MODEL, group=INT32S, layers=INT64, gap=INT32S,
    errors=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_make_blocks", n=INT64, folds=INT32, before=INT64, after=INT64, layers=INT64S,
    group=INT32S, gap=INT32S)
_declare(STATUS, "freeridge_accumulator_compact", accumulator=ACCUMULATOR)
_declare(STATUS, "freeridge_accumulator_prepare", accumulator=ACCUMULATOR)
_declare(STATUS, "freeridge_accumulator_loo_moments", accumulator=ACCUMULATOR, layout=INT32, n=INT64, x=DOUBLES,
    ldx=INT64, y=DOUBLES, ldy=INT64, weights=DOUBLES, count=INT64, lambdas=DOUBLES, moments=DOUBLES)
_declare(STATUS, "freeridge_accumulator_loo_moments_sparse", accumulator=ACCUMULATOR, format=INT32, n=INT64,
    start=INT64S, index=INT32S, value=DOUBLES, layout=INT32, y=DOUBLES, ldy=INT64, weights=DOUBLES, count=INT64,
    lambdas=DOUBLES, moments=DOUBLES)
_declare(STATUS, "freeridge_accumulator_predictor", accumulator=ACCUMULATOR, lambda_=DOUBLES, out=MODELS)
_declare(STATUS, "freeridge_moments_score", count=INT64, lambdas=DOUBLES, t=INT64, moments=DOUBLES, scores=DOUBLES,
    errors=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_moments_select_lambda", count=INT64, lambdas=DOUBLES, t=INT64, moments=DOUBLES,
    lambda_=DOUBLES, score=DOUBLES, standard_error=DOUBLES, edge=INT32S, decades=DOUBLES, dips=INT32S, next=DOUBLES)
_declare(STATUS, "freeridge_accumulator_create_landmarks", kernel=KERNEL, layout=INT32, r=INT64, d=INT64, z=DOUBLES,
    ldz=INT64, t=INT64, intercept=INT32, reduction=INT32, out=ACCUMULATORS)
_declare(STATUS, "freeridge_accumulator_merge_bytes", other=BYTES, size=INT64, inout=BYTES)
_declare(STATUS, "freeridge_moments_join", count=INT64, other=DOUBLES, inout=DOUBLES)
_declare(STATUS, "freeridge_set_reader", model=MODEL, layout=INT32, n=INT64, d=INT64, t=INT64, callback=READER,
    user=BYTES)
_declare(STATUS, "freeridge_set_accuracy", model=MODEL, accuracy=DOUBLE)
_declare(STATUS, "freeridge_get_requested_accuracy", model=MODEL, accuracy=DOUBLES)
_declare(STATUS, "freeridge_get_accuracy", model=MODEL, accuracy=DOUBLES)
_declare(STATUS, "freeridge_estimate_score", model=MODEL, criterion=INT32, probes=INT64, count=INT64, lambdas=DOUBLES,
    scores=DOUBLES, errors=DOUBLES, ld=INT64)
_declare(STATUS, "freeridge_get_kernel_search_rows", model=MODEL, row=INT64S)
_declare(STATUS, "freeridge_set_missing", model=MODEL, on=INT32)
_declare(STATUS, "freeridge_accumulator_set_unpenalised", accumulator=ACCUMULATOR, count=INT64)
_declare(STATUS, "freeridge_set_unpenalised", model=MODEL, count=INT64)
_declare(STATUS, "freeridge_get_unpenalised", model=MODEL, count=INT64S, kept=INT32S)
_declare(STATUS, "freeridge_accumulator_get_unpenalised", accumulator=ACCUMULATOR, count=INT64S, kept=INT32S)
_declare(STATUS, "freeridge_accumulator_group_moments", accumulator=ACCUMULATOR, layout=INT32, n=INT64, x=DOUBLES,
    ldx=INT64, y=DOUBLES, ldy=INT64, weights=DOUBLES, group=INT32S, count=INT64, lambdas=DOUBLES, moments=DOUBLES)
_declare(STATUS, "freeridge_accumulator_group_errors", accumulator=ACCUMULATOR, layout=INT32, n=INT64, x=DOUBLES,
    ldx=INT64, y=DOUBLES, ldy=INT64, weights=DOUBLES, group=INT32S, count=INT64, lambdas=DOUBLES, errors=DOUBLES,
    ld=INT64)
_declare(STATUS, "freeridge_get_fixed_covariance", model=MODEL, covariance=DOUBLES, ld=INT64)


def call(name: str, *arguments: Any) -> None:
    """freeridge_<name>, whose status becomes an exception."""
    function = getattr(library, "freeridge_" + name)
    given = list(arguments)
    for i, word, kind in function.numbers:
        if type(given[i]) is not float or kind is not DOUBLE:
            given[i] = _number(kind, word, given[i])
    status = function(*given)
    if status == OK:
        return
    word, message = library.freeridge_status_name(status).decode(), library.freeridge_last_error()
    kind = Error
    if status in (INVALID_ARGUMENT, NOT_FINITE, DIMENSION_MISMATCH):
        kind = InputError
    elif status == OUT_OF_MEMORY:
        kind = ResourceError
    raise kind(status, word, message.decode("utf-8", "surrogateescape"))  # a file's name may have any bytes
