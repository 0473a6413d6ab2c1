"""Ridge and kernel ridge regression in which one factorization is paid for, and every lambda and exact leave-one-out
errors are nearly free after it. `FreeRidge` is an estimator in the manner of scikit-learn; `Model`, `Accumulator`, `Window`
and `Classifier` are the library's own objects; `ols`, `ridge`, `tls` and others are calls without one. numpy is all that is
needed beside the shared library; `freeridge.library` has every call and constant of freeridge.h.
"""

import inspect

from .accumulator import Accumulator
from .batch import Batch, batch
from .classical import (absolute_slope, build_info, convert_lambda, get_threads, locate_saved_x, make_blocks,
                        make_folds, make_groups, make_holdout, ols, ols_summary, parameter_bounds, pinv, polynomial_exponents,
                        polynomial_feature_count, polynomial_feature_factors, polynomial_features, ridge, set_threads,
                        stack_weights, tls, tls_errors, weighted_median)
from .class_estimator import FreeRidgeClassifier
from .classifier import Classifier
from .descent import calibrate, early_stopping, expansion_gradient, gradient_descent, loss_gradient
from .effects import effects, simultaneous_quantile
from .estimator import FreeRidge
from .importance import importance
from .kernels import (Kernel, anova, constant, gaussian, laplacian, linear, matern, parse_kernel, periodic, polynomial,
                      precomputed, product_kernel, sphere, sum_kernel)
from .landmark_features import FreeRidgeLandmarks
from .library import (CONVENTION_COST, CONVENTION_COST_MEAN, CONVENTION_COST_MEAN_NORM, CONVENTION_GLMNET,
                      CONVENTION_GURLS, CONVENTION_KRLS, CONVENTION_LM_RIDGE, CONVENTION_MEAN, CONVENTION_SKLEARN,
                      CONVENTION_TIKHONOV_HALF, CONVENTION_TIKHONOV_HINGE, CONVENTION_TIKHONOV_LOGISTIC,
                      CONVENTION_TIKHONOV_SQUARED, CONVENTION_TOTAL, COVARIANCE_BAYESIAN, COVARIANCE_FREQUENTIST,
                      DEVICE_CPU, DEVICE_CUDA, DEVICE_HOST, ERROR_RATE, EVIDENCE, GCV, GROUPS, INTERCEPT_FREE, INTERCEPT_NONE,
                      INTERCEPT_PENALISED, LANDMARKS_AUTO,
                      LANDMARKS_KMEANS, LANDMARKS_PIVOTED, LANDMARKS_RANDOM, LOG_LOSS, LOO, LOSS_ABSOLUTE, LOSS_HINGE,
                      LOSS_LOGISTIC, LOSS_SQUARED, REDUCTION_AUTO, REDUCTION_GRAM, REDUCTION_QR, REML, ROUTE_AUTO,
                      ROUTE_BAND, ROUTE_CHOLESKY, ROUTE_ITERATIVE, ROUTE_LANDMARK, ROUTE_PRIMAL, ROUTE_SPECTRAL,
                      SEARCH_BUDGET, SEARCH_CHANGE, SEARCH_GRADIENT, SEARCH_NONE, SEARCH_NO_LOWER, STEP_AUTO,
                      STEP_CONSTANT, STEP_INVERSE, STEP_ROOT, SUPPORT_BOUNDED, SUPPORT_FREE, SUPPORT_NONE, UNDEFINED,
                      VERSION_MAJOR, VERSION_MINOR, VERSION_PATCH, Error, InputError, ResourceError)
from .logistic import KernelLogistic
from .model import Model
from .moments import join_moments, moments_score, moments_select_lambda
from .protocol import NotFittedError
from .score_tests import score_tests
from .terms import predict_terms
from .window import Window

__version__ = f"{VERSION_MAJOR}.{VERSION_MINOR}.{VERSION_PATCH}"

__all__ = [name for name, value in list(globals().items())
           if not name.startswith("_") and not inspect.ismodule(value) and not name.startswith("VERSION_")]
