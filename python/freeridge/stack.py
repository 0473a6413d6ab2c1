"""A stack: a few fits to the same rows, whose predictions are averaged with the weights at which the mean of their
leave-one-out predictions F_im is nearest to y,

    sum_i W_i (y_i - sum_m w_m F_im)^2 + k s^2 sum_(m > 0) w_m^2,      w_m >= 0, sum_m w_m = 1

The first of the k members is the default of R's freeridge(), to which the second term draws, s^2 being its mean squared
left-out error; rows whose error is beyond five times the median size / 0.6745 count as rows at that size. Members and
numbers are those of R's freeridge(stack = TRUE), where ?stack_weights says what each is."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import library as c
from .arrays import Array, Names, is_sparse
from .classical import make_folds, stack_weights
from .fitting import intercept_of
from .inputs import table_of
from .kernels import Kernel, linear, matern, parse_kernel
from .learning import MOST_TERMS, default_kernel, deviations, labels_of, varying, with_keys
from .model import Model
from .robust import huber_weights

MOST_ROWS = {"default": np.inf, "gaussian": 10000, "linear": np.inf, "robust": 3000, "one length": 1000,
             "response": 5000, "ranks": 5000}
ROWS_TO_CHOOSE = 1000  # what is chosen among a few fits is chosen on so many rows at most


class _NoMember(Exception):
    """Why a member is left out."""


@dataclass
class Knots:
    """The ranks of a column: (the share of rows below + half of that of equal ones) at each of its values."""

    column: int
    value: Array
    rank: Array


@dataclass
class Transform:
    """z of y: "log", "sqrt", or Yeo and Johnson's "power" of (y - centre) / spread. errors: 101 quantiles of the
    left-out errors of z, over which a prediction of y is the mean."""

    kind: str
    power: float = 1.0
    centre: float = 0.0
    spread: float = 1.0
    errors: Array = field(default_factory=lambda: np.zeros(1))

    def __str__(self) -> str:
        return f"{self.kind}(y)" if self.kind != "power" else f"Yeo and Johnson's power {self.power:g}"

    def forward(self, y: Array) -> Array:
        if self.kind != "power":
            return np.log(y) if self.kind == "log" else np.sqrt(y)

        def half(u: Array, p: float) -> Array:
            return np.log1p(u) if p == 0 else ((1 + u) ** p - 1) / p

        u = (y - self.centre) / self.spread
        return np.where(u >= 0, half(np.maximum(u, 0), self.power), -half(np.maximum(-u, 0), 2 - self.power))

    def slope(self, y: Array) -> Array:
        if self.kind != "power":
            return 1 / y if self.kind == "log" else 0.5 / np.sqrt(y)
        u = (y - self.centre) / self.spread
        return np.where(u >= 0, (1 + np.maximum(u, 0)) ** (self.power - 1),
                        (1 + np.maximum(-u, 0)) ** (1 - self.power)) / self.spread

    def back(self, z: Array) -> Array:
        if self.kind != "power":
            return np.exp(z) if self.kind == "log" else np.maximum(z, 0) ** 2

        def half(z: Array, p: float) -> Array:
            return np.expm1(z) if p == 0 else np.maximum(1 + p * z, 0) ** (1 / p) - 1

        return self.centre + self.spread * np.where(z >= 0, half(np.maximum(z, 0), self.power),
                                                    -half(np.maximum(-z, 0), 2 - self.power))

    def mean_back(self, f: Array) -> Array:
        return np.mean([self.back(f + error) for error in self.errors], axis=0)


@dataclass
class Member:
    """A fit and its left-out errors in the units of y. learnt: whether the model has learnt its kernel."""

    model: Model
    errors: Array
    learnt: bool = False
    knots: Sequence[Knots] = ()
    transform: Optional[Transform] = None

    def predict(self, X: Array) -> Array:
        f = self.model.predict(_with_ranks(X, self.knots))[:, 0]
        return f if self.transform is None else self.transform.mean_back(f)

    def learnt_errors(self, y: Array) -> Array:
        """The left-out errors with the kernel learnt again, where it was learnt."""
        if not self.learnt:
            return self.errors
        again = self.model.loo_learnt().errors[:, 0]
        return again if self.transform is None else y - self.transform.mean_back(self.transform.forward(y) - again)


@dataclass
class OneStack:
    """The stack of one output: the members' weights by name, the left-out errors of the stack (with weights that are
    found without the row), and why members were left out."""

    members: Dict[str, Member]
    weights: Dict[str, float]
    errors: Array
    left_out: Dict[str, str]


class Stack:
    """The stacks of all outputs, `stacks`. X, n x d; y, n x t; weights positive, None: all one."""

    _names: Names = None  # of the columns of X

    def __init__(self, X: Array, y: Array, weights: Optional[Array], names: Sequence[str], intercept: int,
                 seed: int) -> None:
        self._y, self._row_weights = y.copy(), None if weights is None else weights.copy()
        self.stacks = [_one_stack(_Data(X, y[:, j], weights, intercept, seed), names) for j in range(y.shape[1])]

    @property
    def t(self) -> int:
        """How many outputs there are."""
        return len(self.stacks)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"a stack has no {name} of its own: its members have")

    def __str__(self) -> str:
        lines = []
        for number, one in enumerate(self.stacks):
            if len(self.stacks) > 1:
                lines.append(f"output {number}")
            for name, member in one.members.items():
                words = f"{name} ({member.transform})" if member.transform is not None else name
                lines.append(f"{words:30s} weight {one.weights[name]:.3f}  "
                             f"left-out error {self._rmse(member.errors):.5g}")
            lines.append(f"{'the stack':30s}               left-out error {self._rmse(one.errors):.5g}")
            lines += [f"without {name}: {why}" for name, why in one.left_out.items()]
        return "\n".join(lines)

    def _rmse(self, errors: Array) -> float:
        return float(np.sqrt(np.average(errors ** 2, weights=self._row_weights)))

    def predict(self, X: Array) -> Array:
        """m x t. Members without a weight are not asked."""
        return np.column_stack([sum(one.weights[name] * member.predict(X) for name, member in one.members.items()
                                    if one.weights[name] > 0) for one in self.stacks])

    def predict_interval(self, X: Any, level: float = 0.9, learnt: bool = False) -> Tuple[Array, Array]:
        """Bounds of new y, each m x t: the prediction and the (n + 1) (1 - level) / 2 smallest and largest of the
        stack's left-out errors, learnt: of loo_learnt(); infinite where n is too small for the level."""
        if not 0 < level < 1:
            raise ValueError(f"level must be between 0 and 1, not {level!r}")
        f = self.predict(table_of(X, self._names, "X"))
        low, high = np.empty(f.shape[1]), np.empty(f.shape[1])
        for j, errors in enumerate(np.sort(self.loo_learnt() if learnt else self.loo(), axis=0).T):
            place = int(np.floor((len(errors) + 1) * (1 - level) / 2 + 1e-9))
            low[j], high[j] = (errors[place - 1], errors[-place]) if place > 0 else (-np.inf, np.inf)
        return f + low, f + high

    def loo(self) -> Array:
        """n x t: y less the prediction of the stack without the row, whose weights have not seen it."""
        return np.column_stack([one.errors for one in self.stacks])

    def loo_learnt(self) -> Array:
        """The same with the kernels of the members learnt again. Cost: two to four fits."""
        columns = []
        for j, one in enumerate(self.stacks):
            y = self._y[:, j]
            again = {name: replace(member, errors=member.learnt_errors(y)) for name, member in one.members.items()}
            columns.append(_weighed(again, y, self._row_weights)[1])
        return np.column_stack(columns)

    def predictor(self) -> Stack:
        """With what predict() needs and no more."""
        small = type(self).__new__(type(self))
        small._y, small._row_weights, small._names = np.empty((0, 0)), None, self._names
        small.stacks = []
        for one in self.stacks:
            members = {name: replace(member, model=member.model.predictor(), errors=np.empty(0))
                       for name, member in one.members.items() if one.weights[name] > 0}
            small.stacks.append(replace(one, members=members))
        return small


def _choice(stack: Any) -> List[str]:
    """The names of the members that stack= asks for."""
    if stack is True:
        return list(MOST_ROWS)
    names = [stack] if isinstance(stack, str) else stack
    wrong = [stack]
    if isinstance(names, (list, tuple)) and names:
        wrong = [name for name in names if name not in MOST_ROWS]
    if wrong:
        raise ValueError(f"stack must be True, False or some of {', '.join(MOST_ROWS)}, not {wrong[0]!r}")
    return [name for name in MOST_ROWS if name == "default" or name in names]


def stack_of(estimator: Any, X: Any, y: Array, weights: Optional[Array], used: Optional[np.ndarray]) -> Stack:
    """The stack that FreeRidge(stack=...).fit makes of the rows that count. Raises ValueError."""
    names = _choice(estimator.stack)
    for name, parameter in inspect.signature(type(estimator)).parameters.items():
        value = getattr(estimator, name)
        same = value is parameter.default or isinstance(value, str) and value == parameter.default
        if name not in ("stack", "fit_intercept", "seed", "copy_X") and not same:
            raise ValueError("stack is given, whose members have kernels and alphas of their own: "
                             f"{name} cannot be given")
    if is_sparse(X):
        raise ValueError("stack is given, but X is sparse: a stack takes an ordinary array")
    if not (np.all(np.isfinite(X)) and np.all(np.isfinite(y))):
        raise ValueError("X or y has NaN or inf")
    rows: Any = slice(None) if used is None else used
    if len(X[rows]) < 3:
        raise ValueError(f"stack is given, and takes three rows or more: n_samples = {len(X[rows])}")
    return Stack(X[rows], y.reshape(len(y), -1)[rows], None if weights is None else weights[rows], names,
                 intercept_of(estimator.fit_intercept), estimator.seed)


class _Data:
    """The rows, and the default, whose kernel other members share."""

    def __init__(self, X: Array, y: Array, weights: Optional[Array], intercept: int, seed: int) -> None:
        self.X, self.y, self.weights, self.intercept, self.seed = X, y, weights, intercept, seed
        self.criterion = c.REML if np.any(y != y[0]) else c.LOO
        self.varies = bool(np.any(varying(X)))
        if self.varies:
            model = self.learn(X, y)
        else:
            kernel = default_kernel(X, "each")
            model = self.model(kernel.scaled(deviations(X, kernel)), X, y, weights).factorize().set_lambda(1.0)
        self.default = Member(model, model.loo()[:, 0], learnt=self.varies)

    def model(self, kernel: Kernel, X: Array, y: Array, weights: Optional[Array]) -> Model:
        return Model(kernel, X, y, weights, self.intercept, factorize=False)

    def learn(self, X: Array, y: Array) -> Model:
        kernel, keys = with_keys(default_kernel(X, "each"), True, range(X.shape[1]))
        scale = deviations(X, kernel)
        model = self.model(kernel.scaled(scale), X, y, self.weights)
        model.set_smoothness(True).select_kernel(self.criterion, labels_of(keys, len(scale)), 0.5, seed=self.seed)
        return model

    def held(self, y: Optional[Array] = None, rows: Any = slice(None), weights: Optional[Array] = None,
             value: Optional[float] = None, kernel: Optional[Kernel] = None) -> Model:
        """A fit with the kernel that the default has learnt; value: lambda, None: chosen."""
        y = self.y if y is None else y
        weights = self.weights if weights is None else weights
        model = self.model(self.default.model.kernel() if kernel is None else kernel, self.X[rows], y[rows],
                           None if weights is None else weights[rows])
        model.factorize()
        if value is None:
            model.select_lambda(self.criterion)
        else:
            model.set_lambda(value)
        return model


def _one_stack(data: _Data, names: Sequence[str]) -> OneStack:
    members, left_out = {"default": data.default}, {}
    for name in names[1:]:
        try:
            if not data.varies:
                raise _NoMember("X is constant")
            if len(data.y) > MOST_ROWS[name]:
                raise _NoMember(f"it takes long for more than {MOST_ROWS[name]} rows")
            member = _MEMBERS[name](data)
            if not np.all(np.isfinite(member.errors)):
                raise _NoMember("a left-out error of it is undefined")
            members[name] = member
        except (c.Error, _NoMember) as why:
            left_out[name] = str(why)
    weights, errors = _weighed(members, data.y, data.weights)
    return OneStack(members, dict(zip(members, weights.tolist())), errors, left_out)


def _weighed(members: Dict[str, Member], y: Array, weights: Optional[Array]) -> Tuple[Array, Array]:
    errors = np.column_stack([member.errors for member in members.values()])
    weights = np.ones(len(y)) if weights is None else weights
    found = stack_weights(y[:, None] - errors, y, weights * _capped(errors[:, 0] * np.sqrt(weights)), len(members))
    return found.w, found.errors


def _capped(errors: Array) -> Array:
    """min(1, (5 s / |e_i|)^2), s the median |e_i| / 0.6745."""
    sizes = np.abs(errors)
    s = np.median(sizes) / 0.6745
    return (5 * s / np.maximum(sizes, 5 * s)) ** 2 if s > 0 else np.ones(len(sizes))


def _few(data: _Data) -> Any:
    """Rows by which a few fits are compared: all, or a fold of ROWS_TO_CHOOSE at most."""
    n = len(data.y)
    return slice(None) if n <= ROWS_TO_CHOOSE else np.flatnonzero(make_folds(n, -(-n // ROWS_TO_CHOOSE)) == 0)


def _gaussian(data: _Data) -> Member:
    text, few = str(data.default.model.kernel()), _few(data)

    def score(model: Model) -> float:
        return float(model.score(data.criterion, model.lambdas())[0, 0])

    if "matern" not in text:
        raise _NoMember("the default has Gaussian kernels")
    kernels = [parse_kernel(re.sub(r"matern\(nu = [12].5, length = 1\)", f"gaussian(sigma = {factor})", text))
               for factor in (0.5, 0.7, 1.0, 1.4)]
    best = min([data.held(rows=few, kernel=kernel) for kernel in kernels], key=score)
    model = best if isinstance(few, slice) else data.held(kernel=best.kernel())
    return Member(model, model.loo()[:, 0])


def _linear(data: _Data) -> Member:
    kernel = linear()
    model = data.model(kernel.scaled(deviations(data.X, kernel)), data.X, data.y, data.weights).factorize()
    model.select_lambda(c.LOO)
    return Member(model, model.loo()[:, 0])


def _robust(data: _Data, folds: int = 5) -> Member:
    """huber_weights() of left-out errors, three times; the errors are those of the default, changed by what the weights change in
    folds that they have not seen."""
    n = len(data.y)
    if n < 5 * folds:
        raise _NoMember(f"it takes {5 * folds} rows or more")
    weights = np.ones(n) if data.weights is None else data.weights

    def refitted(rows: Any, value: float, times: int, choose: bool) -> Model:
        all_weights = weights.copy()
        for _ in range(times):
            model = data.held(rows=rows, weights=all_weights, value=value)
            try:
                robust = huber_weights(model.loo()[:, 0], weights[rows])
            except ValueError as why:
                raise _NoMember(str(why)) from why
            all_weights[rows] = weights[rows] * robust.weights
        return data.held(rows=rows, weights=all_weights, value=None if choose else value)

    model = refitted(np.arange(n), float(data.default.model.lambdas()[0]), 3, True)
    fold, change = make_folds(n, folds), np.empty(n)
    for k in range(folds):
        out = np.flatnonzero(fold == k)
        part = refitted(np.flatnonzero(fold != k), float(model.lambdas()[0]), 2, False)
        change[out] = data.y[out] - part.predict(data.X[out])[:, 0]
    return Member(model, data.default.errors + change - data.default.model.group_errors(fold)[:, 0])


def _one_length(data: _Data) -> Member:
    kernel = matern(2.5, 1.0)
    model = data.model(kernel.scaled(deviations(data.X, kernel)), data.X, data.y, data.weights)
    model.select_bandwidth(data.criterion)
    model.select_lambda(data.criterion)
    return Member(model, model.loo()[:, 0])


def _transforms(y: Array) -> List[Transform]:
    if y.min() > 0:
        return [Transform("log"), Transform("sqrt")]
    if y.min() == 0:
        return [Transform("power", power, 0.0, float(np.median(y[y > 0]))) for power in (0.0, 0.5)]
    centre, spread = float(np.median(y)), float(np.std(y, ddof=1))
    return [Transform("power", power, centre, spread) for power in (0.0, 0.5, 1.5, 2.0)]


def _response(data: _Data) -> Member:
    """The transform whose left-out errors are the most likely as normal ones, with its Jacobian."""
    y, few = data.y, _few(data)
    if len(np.unique(y)) < 5:
        raise _NoMember("y has fewer than five values")

    def likelihood(errors: Array, slope: Array) -> float:
        return float(np.sum(np.log(np.abs(slope))) - len(errors) / 2 * np.log(np.mean(errors ** 2)))

    found = []
    for transform in _transforms(y):
        model = data.held(y=transform.forward(y), rows=few)
        found.append((likelihood(model.loo(), transform.slope(y[few])), transform, model))
    value, transform, model = max(found, key=lambda each: each[0])
    whole = isinstance(few, slice)
    errors = data.default.errors if whole else data.held(rows=few).loo()[:, 0]
    if not value > likelihood(errors, np.ones(len(errors))) + 2:
        raise _NoMember("no transform of y makes the errors more alike")
    learnt = _of_transform(data.learn(data.X, transform.forward(y)), transform, y, True)
    held = _of_transform(model, transform, y, False) if whole else learnt
    return learnt if np.mean(learnt.errors ** 2) < np.mean(held.errors ** 2) else held


def _of_transform(model: Model, transform: Transform, y: Array, learnt: bool) -> Member:
    errors = model.loo()[:, 0]
    transform = replace(transform, errors=np.quantile(errors, (np.arange(101) + 0.5) / 101))
    return Member(model, y - transform.mean_back(transform.forward(y) - errors), learnt, transform=transform)


def _ranks(data: _Data) -> Member:
    knots = [one for one in (_rank_knots(data.X[:, j], j) for j in range(data.X.shape[1])) if one is not None]
    if not knots:
        raise _NoMember("the ranks of the columns tell no more than the columns")
    if data.X.shape[1] + len(knots) > MOST_TERMS:
        raise _NoMember(f"it has more than {MOST_TERMS} columns")
    model = data.learn(_with_ranks(data.X, knots), data.y)
    return Member(model, model.loo()[:, 0], True, knots)


def _rank_knots(column: Array, j: int) -> Optional[Knots]:
    value, place, count = np.unique(column, return_inverse=True, return_counts=True)
    if len(value) < 3:
        return None
    share = count / len(column)
    rank = np.cumsum(share) - share / 2
    return None if abs(np.corrcoef(column, rank[place])[0, 1]) > 0.999 else Knots(j, value, rank)


def _with_ranks(X: Array, knots: Sequence[Knots]) -> Array:
    if not knots:
        return X
    return np.column_stack([X, *(np.interp(X[:, one.column], one.value, one.rank) for one in knots)])


_MEMBERS: Dict[str, Callable[[_Data], Member]] = {
    "gaussian": _gaussian, "linear": _linear, "robust": _robust, "one length": _one_length, "response": _response,
    "ranks": _ranks}
