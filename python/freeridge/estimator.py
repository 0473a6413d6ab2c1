"""FreeRidge: an estimator in the manner of scikit-learn, which itself is not needed."""

from __future__ import annotations

from inspect import signature
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import library as c
from .accumulator import Accumulator
from .arrays import Array
from .explaining import Explaining
from .fitting import CRITERIA, Plan, check_seed, intercept_of
from .importance import Columns, variables_of
from .inputs import choice, column_names, one_each, response, sample_weights, table
from .intervals import LocalScale, check_interval, half_widths, interval_of, local_scales
from .kernels import Kernel
from .learning import deviations
from .least_squares import Chosen, split_columns
from .model import Model
from .robust import reweighted
from .score_tests import ScoreTests, score_tests
from .stack import Stack, stack_of
from .terms import Terms, predict_terms

# The parameters that partial_fit() takes; all others are as they are by default there.
_OF_SUMS = ("alpha", "kernel", "criterion", "fit_intercept", "alpha_range", "copy_X", "seed", "scale")


class FreeRidge(Explaining):
    """Ridge and kernel ridge regression, with the defaults of R's freeridge(): a length for each column of X is learnt.

    Minimises  1/2 sum_i w_i (y_i - f(x_i) - b)^2 + alpha/2 ||f||^2  over f and b, for each output by itself.

    What is fitted:
    alpha          lambda of the library ("lambda" is a word of Python's own). The loss is a sum over points, not a
                   mean, so that this is alpha of scikit-learn's Ridge, RidgeCV and KernelRidge, and n times a lambda
                   that goes with a mean. 0: the minimum-norm solution. One number, or one for each output.
                   None: chosen for each output by `criterion`.
    kernel         None: a Matern kernel of all columns (see smoothness) and, with 2 columns or more, the mean of it over single columns (over 30 bands of neighbours at most), with
                   the same lengths; the weight of the second is learnt, too (docs/defaults.md). "linear", "gaussian",
                   "laplacian", "matern" (nu = 1.5), "precomputed" (X is the kernel matrix, or several side by side, numpy.hstack([K_1, K_2]), each
                   with its variance by REML: variance_components()), a kernel such as
                   matern(2.5, 1.0), or text such as "0.5 * linear() + gaussian(sigma = 2)".
    sigma          the bandwidth of a kernel given by its name, in the units of X / scale: exp(-||x - z||^2 / sigma^2),
                   exp(-||x - z|| / sigma) of the Euclidean norm (sklearn's laplacian takes the sum of |x_k - z_k|), the
                   length of Matern. gamma of sklearn's rbf is 1 / sigma^2. None: chosen as `lengths` says.
    fit_intercept  b, which is not penalised; "penalised": with alpha/2 b^2.
    scale          what columns of X are divided by: True (their standard deviations), False, or a number for each.
                   None: True where the kernel's bandwidth is to be chosen, else False.

    What is learnt:
    lengths        "each": a length for each column; "one": one bandwidth for all. None: "each" where a bandwidth is to
                   be chosen, X is dense, and criterion and sigma_range leave it open.
    criterion      "reml", "loo", "gcv", "groups" (left-out errors of the groups that fit has) or, where y is -1 and +1,
                   "error_rate", for labels -1 and +1 "log_loss". None: "groups" where there are any, else "reml" (of
                   FreeRidgeClassifier "log_loss") with a length for each column, else
                   "loo".
    alphas         the alphas to choose among. alpha_range: (low, high), in which to choose.
    rule           "min"; "1se": the largest alpha tried up to which every score is within a standard error of the best.
    learn          "open": what is not given; "all": the numbers of a kernel that is given, too, from there on.
    bands          a label for each column: columns with the same one have one length.
    smoothness     of the kernel that is taken where none is given: 1.5, 2.5 (Matern kernels) or infinity (the Gaussian
                   kernel). None: 1.5, with which lengths are learnt, or, where that has a lower REML with these lengths
                   times a factor, 2.5 or infinity.
    shrinkage      of the lengths towards each other; infinity: none, and no prior of the noise.
    learn_rows     how many rows at most a kernel is learnt on; None: 2000.
    sigma_range    (low, high) of one bandwidth; budget: how many are tried, or evaluations of a kernel (0: 15, and
                   100).

    How it is computed:
    route          "auto", "cholesky", "spectral", "band", "primal", "landmark", "iterative": same answers, other costs.
    landmarks      None, how many (chosen by landmark_method, "auto", "random", "kmeans" or "pivoted", with `seed`), or
                   which rows of X: f is a sum over these only; a number beyond n: all. Where a kernel is to be learnt
                   and all points do not fit into memory, 1000 of them are taken, with a warning.
    reduction      how the routes "primal" and "landmark" reduce their rows: "auto", "qr" (accurate) or "gram" (fast).
    refine         steps of iterative refinement of solutions. accuracy: the relative error that solutions of the route
                   "iterative" may have.
    copy_X         True: fit copies X and y. False: they are borrowed where they are float64 and contiguous by rows or
                   columns, and must not change while the estimator is in use.
    device         "cpu"; "cuda": a GPU makes the kernel matrix, its factors and eigenvectors, on the routes "spectral"
                   and "cholesky", between which "auto" then chooses (Model.set_device).

    Other kinds of fits:
    unpenalised    columns of X, by their names or numbers, whose coefficients are not penalised, beside the intercept: fixed
                   effects, unpenalised_coef_. The kernel, scale and bands are of the other columns. None: none.
    noise_sd       the standard deviation of the error of a row of weight one, where it is known; None: estimated. With
                   known standard errors s of y: noise_sd=1, and fit(X, y, sample_weight=1 / s ** 2). REML, which then
                   chooses alpha, and standard errors use it; return_std is that of f.
    robust         None, or "huber": rows with large left-out errors e are weighed down, by min(1, 1.345 s / |e_i|) with
                   s = median |e| / 0.6745, errors times the root of the weight given, to the fixed point; alpha is
                   chosen again with each set of weights, the kernel without and once with them. For one output.
                   After fit: robustness_weights_; loo_errors() has all errors in full.
    stack          True: a few fits, weighed by their left-out predictions, in the place of one, as R's
                   freeridge(stack = TRUE) makes them; or names of these members: "gaussian", "linear", "robust",
                   "one length", "response", "ranks" (beside "default"). They have kernels and alphas of their own; seed
                   and fit_intercept are theirs, too. After fit: stack_, a table as str(stack_), its stacks, one for each
                   output, and predict_interval(X, level); loo_errors(); alpha_ and best_score_ are None, and there are
                   no coef_, dual_coef_ and no errors of predictions.

    After fit: alpha_, best_score_ (of the criterion; None when nothing was chosen), criterion_, kernel_ (with all
    numbers, of X as it is), scale_, learning_ (what the search for the kernel saw, or None), relevance(), sigma_ (None:
    no bandwidth by name), route_, landmarks_, model_ (the library's own
    object, with degrees of freedom, errors of coefficients, marginal effects and all else), coef_ (linear kernels), dual_coef_, intercept_, n_features_in_,
    feature_names_in_; loo_errors(), group_errors(), scores(), effects(), importance(), predictor(). Where no column of X varies the fit is the
    mean of y; what is to be chosen has no influence then, and alpha_ is 1. Cost of fit: one factorization; of learning
    a kernel: 10 to 50 times 4/3 n^3 flops, n at most 2000; of choosing one sigma: 15 factorizations; at a given alpha:
    31.
    """

    _estimator_type = "regressor"
    robust: Any
    stack: Any
    noise_sd: Any
    stack_: Stack

    def __init__(self, alpha: Union[None, float, ArrayLike] = None, kernel: Union[None, str, Kernel] = None,
                 sigma: Optional[float] = None, criterion: Optional[str] = None, fit_intercept: Union[bool, str] = True,
                 route: str = "auto", landmarks: Union[None, int, ArrayLike] = None, seed: int = 0,
                 copy_X: bool = True, device: str = "cpu", alphas: Optional[ArrayLike] = None,
                 alpha_range: Optional[Tuple[float, float]] = None, rule: str = "min", lengths: Optional[str] = None,
                 learn: str = "open", scale: Union[None, bool, ArrayLike] = None, bands: Optional[ArrayLike] = None,
                 smoothness: Optional[float] = None, shrinkage: float = 0.5, learn_rows: Optional[int] = None,
                 sigma_range: Optional[Tuple[float, float]] = None, budget: int = 0,
                 landmark_method: str = "auto", reduction: str = "auto", refine: int = 0,
                 accuracy: float = 1e-8, robust: Optional[str] = None,
                 stack: Union[bool, str, Sequence[str]] = False, noise_sd: Optional[float] = None,
                 unpenalised: Union[None, int, str, Sequence[Union[int, str]]] = None) -> None:
        self._store(locals())

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: Optional[ArrayLike] = None,
            groups: Optional[ArrayLike] = None, gap: Optional[ArrayLike] = None) -> FreeRidge:
        """X: n x d, an array, a table or a scipy.sparse matrix; y: n, or n x t, where NaN in a matrix is an output that
        was not observed; sample_weight: n numbers >= 0; rows of weight 0 do not count. groups: a label of any kind for
        each row, for the criterion "groups": rows with the same one are left out together, those with None, NaN, a
        masked value or a negative number never; n x k: k divisions of the rows. gap: labels of groups with which a row
        is left out, too, and not scored, as the neighbours of a block in time: n, or n x (l k) with l layers for each
        division (make_blocks()). Raises ValueError, TypeError, MemoryError; a fit that fails changes nothing. Cost: at
        the head."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        names, points = column_names(X), table(X)
        outputs = response(y, points.shape[0])
        weights = None if sample_weight is None else sample_weights(sample_weight, points.shape[0])
        if self.stack is not False:
            return self._fit_stack(points, outputs, weights, groups if gap is None else gap, names)
        if self.robust is not None:
            self._check_robust(outputs)
            if self.noise_sd is not None:
                raise ValueError("noise_sd is given, which does not go with robust")
        with self._as_before_if_it_fails():
            self._fit(points, outputs, weights, groups, names, gap)
        return self

    @property
    def partial_fit(self) -> Callable[..., FreeRidge]:
        """partial_fit(X, y, sample_weight=None): adds rows to those of the calls before, for kernel="linear" and columns
        as they are (scale None or False): the fit is that of fit() to all rows so far, which are not kept: the sums of
        their products are, (d + t)^2 numbers (Accumulator). alpha None is chosen anew each time by GCV (criterion None) or REML, which
        need no row again. Predictions, their errors and intervals, coef_ and score() are those of fit(); loo_errors() and
        other answers of single rows are refused. Rows of a fit() before it are not among its rows, and fit() begins
        anew. Raises ValueError, Error; a call that fails adds no row. AttributeError for other kernels:
        FreeRidgeLandmarks makes features of them, Window keeps their rows. Cost: 2 n (d + t)^2, and O(d^3)."""
        if self.kernel != "linear":
            raise AttributeError('partial_fit adds rows to sums of products, for kernel="linear"; Window has other kernels')
        return self._partial_fit

    def _partial_fit(self, X: ArrayLike, y: ArrayLike, sample_weight: Optional[ArrayLike] = None) -> FreeRidge:
        for name, parameter in signature(type(self)).parameters.items():
            given = getattr(self, name)
            if name not in _OF_SUMS and given is not parameter.default and not (np.isscalar(given) and given == parameter.default):
                raise ValueError(f"{name} is given, which sums of rows do not know: partial_fit takes {', '.join(_OF_SUMS)}")
        if self.scale is not None and self.scale is not False:
            raise ValueError("scale is given: partial_fit has columns as they are, divide them before")
        intercept = intercept_of(self.fit_intercept)
        if intercept == c.INTERCEPT_PENALISED:
            raise ValueError('fit_intercept is "penalised": an intercept of partial_fit has no penalty; give a column of ones')
        criterion = choice({"gcv": c.GCV, "reml": c.REML}, self.criterion or "gcv", "criterion")
        names, points = column_names(X), table(X)
        outputs = response(y, points.shape[0])
        shape = (points.shape[1], 1 if outputs.ndim == 1 else outputs.shape[1])
        before: Optional[Accumulator] = self.__dict__.get("_sums")
        if before is not None:
            self._compare_features(X)
            self._compare_width(shape[0])
            if shape[1] != before.t or (outputs.ndim == 1) != self._vector:
                raise ValueError(f"y has {shape[1]} outputs, and that of the rows before has {before.t}")
            if before.has_intercept() != bool(intercept):
                raise ValueError("fit_intercept is another one than for the rows before")
        sums = Accumulator(*shape, intercept=bool(intercept))
        used: Any = slice(None)
        weights = None
        if sample_weight is not None:
            weights = sample_weights(sample_weight, points.shape[0])
            used, weights = weights > 0, weights[weights > 0]
        try:
            sums.add(points[used], outputs[used], weights)
            if before is not None:
                sums.merge(before)
            self._check_choice_of_alpha(sums.n)
            found = None if self.alpha is not None else sums.select_lambda(criterion, *self._range("alpha_range"))
            model = sums.predictor(one_each(self.alpha, sums.t, "alpha") if found is None else found.lambdas)
        except c.Error as error:
            raise self._in_words(error) from error
        if before is not None and names is None:
            names = getattr(self, "feature_names_in_", None)
        self._keep(model, points, outputs, None, names)
        self._observed = np.full(shape[1], sums.n)
        self._sums, self._grouped = sums, False
        sums._names = model._names
        self.criterion_ = "gcv" if criterion == c.GCV else "reml"
        self.scale_ = self.learning_ = self.sigma_ = None
        self.kernel_, self.route_ = model.kernel(), "primal"
        self.alpha_, self.intercept_ = self._shaped(model.lambdas()), self._shaped(model.intercept())
        self.best_score_ = None if found is None else self._shaped(found.score)
        return self

    # A saved predictor has no errors of its predictions; the sums have, and the model is made of them.
    def __getstate__(self) -> Dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_model" or "_sums" not in self.__dict__}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_sums" in state:
            self._model = self._sums.predictor(self.alpha_)

    def _check_robust(self, y: Array) -> None:
        choice({"huber": 0}, self.robust, "robust")
        if y.ndim > 1 and y.shape[1] > 1:
            raise ValueError(f"robust is for one output, and y has {y.shape[1]}: a row has one weight")
        if self.route == "iterative":
            raise ValueError("robust needs the left-out error of each row, which route='iterative' does not have")

    def _reweigh(self, model: Model, plan: Plan, found: Chosen, choose: Callable[[], Chosen]) -> Chosen:
        """The fixed point of the robustness weights, and the choices with them. A kernel or a bandwidth is chosen twice:
        without and with weights. The lambda of a kernel that was learnt with a prior of the noise was learnt with it, and
        is held with the last weights."""
        if self.robust is None:
            return found
        given, robustness = model.weights(), None
        held: Any = self.alpha

        def lambda_again() -> None:
            nonlocal found
            if held is None:
                found = Chosen(self._choose_alpha(model, CRITERIA[plan.criterion], False), found.learnt)
                return
            model.set_lambda(held)
            flags = model.lambda_flags()
            if self.alpha is None and np.any(flags.below):  # where left-out errors have six digits depends on the weights
                model.set_lambda(flags.floor)

        if plan.learns or plan.bandwidth:
            robustness = reweighted(model, given, lambda_again, None, False)
            model.set_kernel(self._start(plan))
            found = choose()
            prior = plan.learns and plan.criterion == "reml" and np.isfinite(self.shrinkage)
            if prior and held is None and self.alphas is None:
                held = model.lambdas()
        robustness = reweighted(model, given, lambda_again, robustness, True)
        return Chosen(found.best, found.learnt, robustness)

    def _fit_stack(self, X: Array, y: Array, weights: Optional[Array], groups: Any,
                   names: Optional[np.ndarray]) -> FreeRidge:
        for word, given in (("groups", groups), ("unpenalised", self.unpenalised)):
            if given is not None:
                raise ValueError(f"stack is given, whose members are chosen without {word}: {word} cannot be given")
        used = weights > 0 if weights is not None and np.any(weights == 0) else None
        check_seed(self.seed)
        try:
            model = stack_of(self, X, y, weights, used)
        except c.Error as error:
            raise self._in_words(error) from error
        self._keep(model, X, y, used, names)
        self.stack_ = model
        none: Any = None
        self.alpha_ = self.best_score_ = self.sigma_ = self.route_ = self.intercept_ = none
        self.criterion_ = self.kernel_ = self.scale_ = self.learning_ = none
        return self

    def predict(self, X: ArrayLike, return_std: bool = False, return_cov: bool = False, interval: Optional[str] = None,
                level: float = 0.95, learnt: bool = False, X_fitted: Optional[ArrayLike] = None,
                weights: Optional[ArrayLike] = None, bounds: Optional[Tuple[float, float]] = None) -> Any:
        """f(x) + b at m points: m numbers, or m x t. return_std, return_cov: (f + b, standard errors in the same shape)
        or (f + b, covariances of all pairs of points, m x m, or m x m x t), as GaussianProcessRegressor has them: of f
        + b, Bayesian, without the noise of a new y (Model.predict_covariance()). interval: (f + b, lower, upper) at
        this level: "confidence" (f + b -+ t se, of the function), "prediction" (f + b -+ t sqrt(se^2 + sigma^2), of a
        new y), "jackknife+" (of a new y, from left-out errors, without a model of the noise), "cv+" (from errors
        left out with the groups of fit, of a new y of a new group), "gp" (as "prediction", with normal quantiles and the
        noise at the prior's scale), or "local" (from left-out errors over a local scale, wide where the noise is: a second
        fit to them, made by the first call, which takes X_fitted, the X of fit). learnt, of jackknife+ and local
        intervals: kernel and alpha, as far as they were chosen, are chosen again without each fold. weights, of "prediction"
        and "gp": those of the new y, whose errors have the variance sigma^2 / w; None: 1. bounds: two numbers between
        which y lies, as (0, inf) for counts: predictions and ends of intervals beyond a bound are moved to it. Raises NotFittedError, ValueError, ImportError (the first two
        take scipy's quantile of Student's distribution), Error (UNDEFINED at alpha = 0; INVALID_STATE of a predictor).
        Cost: O(m n (d + t)), linear kernels O(m d t); with errors Model.predict_covariance()."""
        if return_std + return_cov + (interval is not None) > 1:
            raise ValueError("of return_std, return_cov and interval one at a time")
        if learnt and interval not in ("jackknife+", "local"):
            raise ValueError('learnt is True, which is for interval="jackknife+" and "local"')
        if X_fitted is not None and interval != "local":
            raise ValueError('X_fitted is given, which is for interval="local"')
        if weights is not None and interval not in ("prediction", "gp"):
            raise ValueError('weights are those of new y, for interval="prediction" and "gp"')
        if bounds is not None:
            return _within(self.predict(X, return_std, return_cov, interval, level, learnt, X_fitted, weights), bounds,
                           interval is not None)
        model = self._fitted()
        chosen = self._that_chose() if learnt and interval == "jackknife+" else model
        self._compare_features(X)
        X = table(X)
        if weights is not None:
            weights = sample_weights(weights, X.shape[0])
            if np.any(weights == 0):
                raise ValueError("weights is 0 for a new row, whose y then could be anything")
        f = self._outputs(self._predicted(X))
        if isinstance(model, Stack) and (return_std or return_cov or interval is not None):
            raise ValueError("a stack has no errors of its predictions: stack_.predict_interval(X, level) has intervals")
        if interval is not None:
            check_interval(interval, level, self._grouped)
            X, fixed = self._of_core(X)
            if interval == "local":
                half = self._outputs(half_widths(model, X, self._local_scales(X_fitted, learnt), level, fixed))
                return f, f - half, f + half
            return f, *map(self._outputs, interval_of(chosen, X, self._observed, interval, level, learnt, weights, fixed))
        if not (return_std or return_cov):
            return f
        X, fixed = self._of_core(X)
        found = model.predict_covariance(X, pairs=return_cov, fixed=fixed)
        if found.covariance is None:
            return f, self._outputs(found.errors)
        return f, self._pairs(found.covariance, len(f))

    def predict_path(self, X: ArrayLike, alphas: ArrayLike) -> Array:
        """f(x) + b at m points and many alphas >= 0, the kernel held, from the factorization in hand: m x count, or m x count x
        t. Raises as predict(), Error (NOT_POSITIVE_DEFINITE; INVALID_STATE of a predictor). Cost: as scores(), and predict()
        of count t outputs."""
        model = self._fitted()
        if isinstance(model, Stack):
            raise ValueError("a stack has no alpha of its own: its members have")
        self._compare_features(X)
        X = table(X)
        self._compare_width(X.shape[1])
        try:
            points, fixed = self._of_core(X)
            found = model.predict_path(points, alphas, fixed)
        except c.Error as error:
            raise self._in_words(error) from error
        return found if self._vector else found.reshape(X.shape[0], -1, model.t)

    def _local_scales(self, X: Optional[ArrayLike], learnt: bool) -> List[LocalScale]:
        """Made once, and kept with the fit."""
        if learnt not in self._scales:
            if X is None:
                raise ValueError('interval is "local": X_fitted, the X of fit, is needed once, for the scale of the errors')
            self._compare_features(X)
            model, X = self._fitted(), self._counted(table(X))
            X, fixed = self._of_core(X)
            weights = model.weights() / self._robustness()
            errors = self._that_chose().loo_learnt().errors if learnt else model.loo()
            self._scales[learnt] = local_scales(model, X, errors, weights, fixed)
        return self._scales[learnt]

    def score_tests(self, X: ArrayLike, y: ArrayLike, columns: Optional[Columns] = None) -> ScoreTests:
        """Whether each column with a penalty has an effect: score tests against the fit whose kernel does not see the column,
        freeridge.score_tests() of the X and y that were fitted, with normal errors. columns: by their numbers in X; several for one category;
        None: each with a penalty. Raises NotFittedError, ValueError, Error. Cost: as there."""
        model = self._fitted()
        if isinstance(model, Stack) or self.robustness_weights_ is not None:
            what = "a stack" if isinstance(model, Stack) else "a robust fit"
            raise ValueError(f"the tests are of normal errors and one fit, and this is {what}")
        self._compare_features(X)
        rows = table(X)
        y = self._counted(response(y, rows.shape[0]))
        self._compare_width(rows.shape[1])
        points, fixed = split_columns(self._counted(rows), self._columns)
        if columns is not None and self._columns is not None:
            own = self._columns[0].tolist()
            wanted = variables_of(columns, rows.shape[1])
            for one in wanted:
                if not set(one.tolist()) <= set(own):
                    raise ValueError(f"columns has {one.tolist()}, which has no penalty: unpenalised_coef_ has the coefficient")
            columns = [[own.index(k) for k in one.tolist()] for one in wanted]
        lengths = None
        if self.learning_ is not None:
            lengths = np.ones(points.shape[1]) if self.scale_ is not None else deviations(points, self.kernel_)
        found = score_tests(model, points, y, columns, fixed, lengths, 0 if self.scale_ is None else len(self.scale_))
        return ScoreTests._make(one[:, 0] for one in found) if self._vector else found

    def predict_terms(self, X: ArrayLike, X_fitted: ArrayLike) -> Terms:
        """The parts of predict(X), freeridge.predict_terms(): values m x p, or m x p x t, and the constant, whose sum with all parts
        is predict(X). X_fitted: the X of fit, over which each part has mean zero. Raises NotFittedError, ValueError, Error. Cost: as
        there."""
        model = self._fitted()
        if isinstance(model, Stack):
            raise ValueError("a stack has no terms of its own: its members have")
        self._compare_features(X)
        self._compare_features(X_fitted)
        rows, new = self._counted(table(X_fitted)), table(X)
        for points in (rows, new):
            self._compare_width(points.shape[1])
        (own, own_fixed), (at, at_fixed) = split_columns(rows, self._columns), split_columns(new, self._columns)
        names = self._feature_names()
        kept, fixed = (names, []) if self._columns is None else (names[self._columns[0]], names[self._columns[1]])
        found = predict_terms(model, at, own, kept, at_fixed, own_fixed, fixed)
        if not self._vector:
            return found
        return Terms(found.names, found.values[:, :, 0], found.constant[0])

    def _pairs(self, covariance: Array, m: int) -> Array:
        """The covariances of outputs side by side as m x m, or m x m x t."""
        cube = np.moveaxis(covariance.reshape((m, m, -1), order="F"), 2, -1)
        return cube[:, :, 0] if self._vector else cube

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: Any = None, noise: bool = True) -> Array:
        """Draws from the posterior at m points, m x n_samples, or m x t x n_samples, each output by itself: of f + b,
        the normal distribution of predict(return_cov=True), and with noise of a new y of weight one there.
        random_state: None, a number or a numpy.random.RandomState, as in scikit-learn. Raises as predict(). Cost: that
        of predict(), and O(m^3 t)."""
        f, covariance = self.predict(X, return_cov=True)
        draw = random_state if hasattr(random_state, "standard_normal") else np.random.RandomState(random_state)
        f, covariance = f.reshape(len(f), -1), covariance.reshape(len(f), len(f), -1)
        sigma2 = self._fitted().degrees_of_freedom().sigma2
        out = np.empty((len(f), f.shape[1], n_samples))
        for j in range(f.shape[1]):
            values, vectors = np.linalg.eigh(covariance[:, :, j])
            root = vectors * np.sqrt(np.maximum(values, 0.0))
            out[:, j] = f[:, j, None] + root @ draw.standard_normal((len(f), n_samples))
            if noise:
                out[:, j] += np.sqrt(sigma2[j]) * draw.standard_normal((len(f), n_samples))
        return out[:, 0] if self._vector else out

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: Optional[ArrayLike] = None) -> float:
        """R^2: 1 - sum w (y - f)^2 / sum w (y - mean)^2, the mean over outputs. y: n, or n x t, with as many outputs as
        were fitted, else ValueError; NaN in a matrix y is not counted. Cost: that of predict()."""
        f = self.predict(X)
        f = f.reshape(len(f), -1)
        given = response(y, len(f))
        y = given.reshape(len(f), -1)
        if y.shape != f.shape:
            raise ValueError(f"y has {y.shape[1]} outputs, {type(self).__name__} was fitted with {f.shape[1]}")
        seen = ~np.isnan(y)
        if np.any(np.isinf(y)) or given.ndim == 1 and not np.all(seen):
            raise ValueError("y has NaN or inf")
        w = np.ones(len(y)) if sample_weight is None else sample_weights(sample_weight, len(y))
        w, y = np.where(seen, w[:, np.newaxis], 0.0), np.where(seen, y, 0.0)
        if not np.all(np.any(w > 0, axis=0)):
            raise ValueError("y has an output that is nowhere observed")
        residual = np.sum(w * (y - f) ** 2, axis=0)
        spread = np.sum(w * (y - np.average(y, axis=0, weights=w)) ** 2, axis=0)
        perfect = np.where(residual == 0.0, 1.0, 0.0)  # where y is constant
        return float(np.mean(np.where(spread > 0.0, 1.0 - residual / np.where(spread > 0.0, spread, 1.0), perfect)))


def _within(found: Any, bounds: Any, interval: bool) -> Any:
    """Predictions and ends of intervals, moved to the nearest bound; errors stay."""
    low, high = _two_bounds(bounds)
    if not isinstance(found, tuple):
        return np.clip(found, low, high)
    return tuple(np.clip(part, low, high) if interval or k == 0 else part for k, part in enumerate(found))


def _two_bounds(bounds: Any) -> Tuple[float, float]:
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not low < high:
        raise ValueError(f"bounds must be two numbers, the lower one first, as in (0, inf), not {bounds!r}")
    return low, high
