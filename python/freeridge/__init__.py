"""Ridge and kernel ridge regression in which one factorization is paid for, and every lambda and exact leave-one-out
errors are nearly free after it. `FreeRidge` is an estimator in the manner of scikit-learn; `Model`, `Accumulator` and
`Classifier` are the library's own objects. numpy is all that is needed beside the shared library.
"""

from .classifier import Classifier
from .estimator import FreeRidge
from .library import (AUTO, BAND, CHOLESKY, ERROR_RATE, GCV, GLMNET, GROUPS, GURLS, HINGE, KRLS, LANDMARK, LM_RIDGE,
                      LOGISTIC, LOO, MEAN, PRIMAL, REML, SKLEARN, SPECTRAL, TOTAL, Error, InputError, ResourceError)
from .model import (Accumulator, Kernel, Model, convert_lambda, gaussian, laplacian, linear, make_folds, matern,
                    parse_kernel, polynomial, precomputed, product_kernel, set_threads, sum_kernel)

__all__ = [name for name in dir() if not name.startswith("_")]
