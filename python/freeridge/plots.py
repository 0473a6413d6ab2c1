"""Pictures of fitted estimators by matplotlib, in black and grey, as R's plot() draws them: path(), effect(), left_out(), rows(),
relevance(), importance(), calibration(), roc() and confusion(). Each draws into `ax`, or where it is None into a new figure, and returns the Axes
(path(), effect(), rows(): an array of them).

    from freeridge import plots
    plots.path(model)

matplotlib is needed here alone (Debian: python3-matplotlib)."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from . import library as c
from .arrays import Array
from .class_estimator import FreeRidgeClassifier
from .effects import Effect, simultaneous_quantile
from .estimator import FreeRidge
from .explaining import Explaining
from .fitting import CRITERIA
from .importance import Importance, with_nan
from .inputs import class_labels, response, table
from .intervals import student
from .least_squares import LeastSquares
from .stack import Stack

_TITLES = {"loo": ("Leave-one-out", "mean squared error"), "gcv": ("GCV", "score"),
           "reml": ("REML", "negative log-likelihood"), "groups": ("Leave-group-out", "mean squared error"),
           "error_rate": ("Leave-one-out error rate", "fraction wrong"),
           "log_loss": ("Leave-one-out log loss", "mean log loss")}
_WITH_BAND = ("loo", "groups", "error_rate", "log_loss")


def _axes(ax: Any, panels: int = 1, size: Tuple[float, float] = (5.0, 4.0), lines: int = 1) -> npt.NDArray[Any]:
    """So many Axes side by side, or in lines."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError("pictures need matplotlib (Debian: python3-matplotlib)") from error
        across = panels // lines
        made = pyplot.subplots(lines, across, figsize=(size[0] * across, size[1] * lines), squeeze=False, layout="constrained")
        return made[1].ravel()
    given = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(given) != panels:
        raise ValueError(f"ax has {len(given)} Axes, and there are {panels} panels")
    return given


def _checked(fit: Any, kind: Any, words: str) -> Any:
    if not isinstance(fit, kind):
        raise TypeError(f"fit must be a fitted {words}, not {fit!r}")
    fit._check_fitted()
    return fit


def _output(fit: LeastSquares, output: int) -> int:
    if not 0 <= output < fit._model.t:
        raise ValueError(f"output is {output}, and the fit has {fit._model.t}, counted from 0")
    return output


def path(fit: LeastSquares, criteria: Optional[Sequence[str]] = None, output: int = 0,
         alphas: Optional[ArrayLike] = None, ax: Any = None) -> npt.NDArray[Any]:
    """Criteria against alpha, a panel each: the dot is the alpha of the fit, the circle the lowest score; a band of a
    standard error around means of errors. criteria: None: leave-one-out, GCV, REML, and what the fit was chosen by.
    alphas: None: 100 over the range in which alpha matters. Cost: FreeRidge.scores() at these alphas."""
    fit = _checked(fit, LeastSquares, "FreeRidge or FreeRidgeClassifier")
    output, model = _output(fit, output), fit._model
    if isinstance(model, Stack):
        raise ValueError("a stack has no alpha of its own: its members have")
    names = list(dict.fromkeys(["loo", "gcv", "reml", fit.criterion_])) if criteria is None else list(criteria)
    unknown = [name for name in names if name not in CRITERIA]
    if unknown:
        raise ValueError(f"criteria must be some of {', '.join(CRITERIA)}, not {unknown[0]!r}")
    own = float(model.lambdas()[output])
    grid = model.lambda_grid(100) if alphas is None else np.asarray(alphas, dtype=float)
    grid = np.unique(np.append(grid[grid > 0], own if own > 0 else []))
    axes = _axes(ax, len(names))
    for name, panel in zip(names, axes):
        _panel(panel, grid, *_scores(model, name, grid, output), own, name)
    return axes


def _plain_ticks(axis: Any, low: float, high: float) -> None:
    """Numbers as 0.5, 1, 2 on a logarithmic axis, where it has few powers of ten."""
    from matplotlib.ticker import FormatStrFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    decades = np.log10(high / low)
    if decades > 2.5:
        return
    axis.set_major_locator(MaxNLocator(4) if decades < 0.7 else LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FormatStrFormatter("%g"))
    axis.set_minor_formatter(NullFormatter())
    axis.set_minor_locator(NullLocator())


def _scores(model: Any, name: str, grid: Array, output: int) -> Tuple[Array, Optional[Array]]:
    """The scores and, where there are any, their standard errors; NaN where there is none."""
    try:
        if name in _WITH_BAND:
            found = model.score_with_error(CRITERIA[name], grid)
            return found.scores[:, output], found.errors[:, output]
        return model.score(CRITERIA[name], grid)[:, output], None
    except c.Error as error:
        if error.status != c.UNDEFINED or error.values is None:
            raise
        values = error.values
        if isinstance(values, np.ndarray):
            return values[:, output], None
        return values.scores[:, output], values.errors[:, output]


def _panel(ax: Any, grid: Array, scores: Array, errors: Optional[Array], own: float, name: str) -> None:
    known = np.isfinite(scores)
    if not np.any(known):
        raise ValueError(f"criteria: {name} has no value at any of the alphas")
    at_log = name != "reml" and bool(np.all(scores[known] > 0))
    low, high = _shown(scores[known], at_log)
    if errors is not None:
        lower = scores - errors
        lower = np.maximum(lower, low / 10) if at_log else lower
        ax.fill_between(grid, lower, scores + errors, color="0.85", linewidth=0)
    ax.plot(grid, scores, color="black", linewidth=2)
    best = np.nanargmin(scores)
    ax.plot(grid[best], scores[best], "o", color="black", markerfacecolor="none", markersize=11)
    if own > 0:
        ax.axvline(own, color="black", linestyle="--", linewidth=1)
        ax.plot(own, scores[np.searchsorted(grid, own)], "o", color="black", markersize=6)
    ax.set_xscale("log")
    if at_log:
        ax.set_yscale("log")
        room = (high / low) ** 0.06
        ax.set_ylim(low / room, high * room)
        _plain_ticks(ax.yaxis, low / room, high * room)
    else:
        room = 0.06 * (high - low)
        ax.set_ylim(low - room, high + room)
    title, label = _TITLES[name]
    chosen = f"dot: alpha = {own:.3g}" if own > 0 else "alpha = 0 (not shown)"
    ax.set_title(f"{title}\n", fontweight="bold")
    ax.text(0.5, 1.02, f"{chosen}, circle: lowest", transform=ax.transAxes, ha="center", va="bottom")
    ax.set_xlabel("alpha")
    ax.set_ylabel(label)


def _shown(scores: Array, at_log: bool) -> Tuple[float, float]:
    """From the lowest score to about twice as far up as the last one, at the largest alpha, where the fit is nearly
    constant: scores at the smallest alphas, where the fit interpolates noise, may be many decades worse."""
    heights = np.log(scores) if at_log else scores
    lowest = np.min(heights)
    whole = np.max(heights) - lowest
    ends = lowest, lowest + max(min(whole, max(2 * (heights[-1] - lowest), 0.1 * whole)), 1e-12 * max(1.0, abs(lowest)))
    return (float(np.exp(ends[0])), float(np.exp(ends[1]))) if at_log else (float(ends[0]), float(ends[1]))


def left_out(fit: LeastSquares, y: ArrayLike, output: int = 0, ax: Any = None) -> Any:
    """What was observed against the prediction without the point. y: that of fit. Cost: FreeRidge.loo_errors()."""
    fit = _checked(fit, LeastSquares, "FreeRidge")
    errors = fit.loo_errors()
    seen = response(y, len(errors)).reshape(len(errors), -1)
    errors = errors.reshape(len(errors), -1)
    output = _output(fit, output)
    if seen.shape != errors.shape:
        raise ValueError(f"y has {seen.shape[1]} outputs, and the fit {errors.shape[1]}")
    observed = seen[:, output]
    predicted = observed - errors[:, output]
    [panel] = _axes(ax)
    both = np.concatenate([observed, predicted])
    ends = np.nanmin(both), np.nanmax(both)
    panel.plot(ends, ends, color="black", linestyle="--", linewidth=1)
    panel.plot(predicted, observed, "o", color="black", markersize=4, markerfacecolor="none", markeredgewidth=0.7)
    rmse = np.sqrt(np.nanmean((observed - predicted) ** 2))
    panel.set_title("Left-out points\n", fontweight="bold")
    panel.text(0.5, 1.02, f"root mean squared error {rmse:.3g}", transform=panel.transAxes, ha="center", va="bottom")
    panel.set_xlabel("prediction without the point")
    panel.set_ylabel("observed")
    return panel


def rows(fit: Explaining, output: int = 0, ax: Any = None) -> npt.NDArray[Any]:
    """Four panels: residuals against fitted values; studentised residuals against quantiles of Student's distribution; roots of absolute
    standardised residuals against fitted values; and these residuals against leverages, dashed where Cook's distance is 0.5 and 1. The
    three rows that are farthest out have their numbers beside them. Cost: influence()."""
    fit = _checked(fit, Explaining, "FreeRidge or FreeRidgeClassifier")
    output, model, found = _output(fit, output), fit._model, fit.influence()
    own = lambda values: np.asarray(values).reshape(len(values), -1)[:, output]
    freedom, seen = model.degrees_of_freedom(), np.flatnonzero(np.isfinite(own(found.rstudent)))
    if len(seen) < 2:
        raise ValueError("fewer than two rows have a studentised residual")
    df, sigma = freedom.df[output], np.sqrt(freedom.sigma2[output])
    fitted = own(fit._in_place(model.fitted(), np.nan))[seen]
    residual = own(fit._in_place((1 - model.leverage()) * with_nan(model.loo), np.nan))[seen]
    student_, hat, cook = (own(values)[seen] for values in (found.rstudent, found.hat, found.cooks_distance))
    standard = student_ * own(found.sigma)[seen] / sigma
    a = 0.375 if len(seen) <= 10 else 0.5  # R's ppoints()
    left = np.maximum(fit._observed[[output]] - 1 - df, 1.0)
    points = [float(student(left, 2 * (k + 1 - a) / (len(seen) + 1 - 2 * a) - 1)[0]) for k in range(len(seen))]
    quantile = np.array(points)[np.argsort(np.argsort(student_, kind="stable"))]
    size, axes = np.sqrt(np.abs(standard)), _axes(ax, 4, (4.0, 3.4), 2)
    panels = ((fitted, residual, np.abs(standard), "Residuals", f"alpha = {model.lambdas()[output]:.3g}", "fitted values", "residuals"),
              (quantile, student_, np.abs(student_), "Normal errors?", "on the line, were the errors normal", "quantiles of Student's t",
               "studentised residuals"),
              (fitted, size, size, "One spread?", "level, were the spread the same everywhere", "fitted values", "root of |standardised residuals|"),
              (hat, standard, cook, "Influence", "dashed: Cook's distances of 0.5 and 1", "leverage", "standardised residuals"))
    for panel, (x, y, far, title, sub, xlabel, ylabel) in zip(axes, panels):
        panel.plot(x, y, "o", color="black", markersize=4, markerfacecolor="none", markeredgewidth=0.7)
        for k in np.argsort(-far)[:3]:
            panel.annotate(str(seen[k]), (x[k], y[k]), (4, 0), textcoords="offset points", va="center", fontsize="small")
        panel.set_title(f"{title}\n", fontweight="bold")
        panel.text(0.5, 1.02, sub, transform=panel.transAxes, ha="center", va="bottom", fontsize="small")
        panel.set_xlabel(xlabel)
        panel.set_ylabel(ylabel)
    axes[0].axhline(0.0, color="black", linestyle="--", linewidth=1)
    axes[1].axline((0.0, 0.0), slope=1.0, color="black", linestyle="--", linewidth=1)
    limits, h = axes[3].get_ylim(), np.linspace(1e-3, 1.0, 500) * min(1.0, 1.1 * np.max(hat))
    for level in (0.5, 1.0):
        for sign in (-1, 1):
            axes[3].plot(h, sign * np.sqrt(level * df * (1 - h) / h), color="0.4", linestyle="--", linewidth=1)
    axes[3].set_ylim(limits)
    return axes


def effect(fit: FreeRidge, X: ArrayLike, y: Optional[ArrayLike] = None, columns: Optional[Sequence[Any]] = None,
           output: int = 0, most: int = 6, ax: Any = None, simultaneous: bool = False) -> npt.NDArray[Any]:
    """A panel for each column: the average prediction over the rows of X along it, with its 95 % band (the quantile of
    Student's distribution is scipy's; simultaneous: bands that hold whole curves, simultaneous_quantile()); where X and y are those of the fit, in grey the curve at each row and the row's
    left-out error. columns: names or numbers; None: the `most` along which the prediction moves most. Raises as
    FreeRidge.effects(). Cost: as there."""
    fit = _checked(fit, FreeRidge, "FreeRidge")
    found = fit.effects(X, columns, pairs=simultaneous)
    output = _output(fit, output)
    if columns is None:
        found = sorted(found, key=lambda one: -float(np.std(one.estimate[:, output])))[:most]
    freedom = fit._observed - fit._model.degrees_of_freedom().df
    half = student(freedom, 0.95)[output]

    def quantile(one: Effect) -> float:
        g = len(one.value)
        if one.covariance is None:
            return half
        return simultaneous_quantile(one.covariance[:, g * output:g * (output + 1)], freedom[output])

    points, names = table(X), fit._feature_names()
    partial = None if y is None else fit.loo_errors().reshape(len(points), -1)[:, output]
    panels = _axes(ax, len(found), (3.2, 3.4))
    for panel, one in zip(panels, found):
        centre, width = one.estimate[:, output], quantile(one) * one.errors[:, output]
        panel.fill_between(one.value, centre - width, centre + width, color="0.85", linewidth=0)
        if partial is not None:
            column = points[:, one.column]
            panel.plot(column, np.interp(column, one.value, centre) + partial, ".", color="0.55", markersize=2)
        panel.plot(one.value, centre, color="black", linewidth=1.5)
        panel.set_xlabel(str(names[one.column]))
    panels[0].set_ylabel("average prediction")
    low, high = min(p.get_ylim()[0] for p in panels), max(p.get_ylim()[1] for p in panels)
    for panel in panels:
        panel.set_ylim(low, high)
    return panels


def relevance(fit: LeastSquares, most: int = 30, ax: Any = None) -> Any:
    """The lengths of columns, the most relevant on top: a short length is a relevant column, an open point a length at
    the bound of the search, whose column hardly matters. most: how many columns at most. Raises AttributeError as
    FreeRidge.relevance(). Cost: O(d)."""
    fit = _checked(fit, LeastSquares, "FreeRidge or FreeRidgeClassifier")
    found = fit.relevance()
    shown = found[:most]
    [panel] = _axes(ax, size=(5.5, max(2.0, 1.2 + 0.27 * len(shown))))
    place = np.arange(len(shown))[::-1]
    for height, row in zip(place, shown):
        panel.axhline(height, color="0.85", linewidth=1, zorder=0)
        panel.plot(row.length, height, "o", color="black", markerfacecolor="none" if row.at_bound else "black")
    panel.set_xscale("log")
    _plain_ticks(panel.xaxis, *panel.get_xlim())
    panel.set_ylim(-0.6, len(shown) - 0.4)
    panel.set_yticks(place, [row.column if len(row.column) <= 24 else row.column[:21] + "..." for row in shown])
    panel.tick_params(axis="y", length=0)
    panel.set_title("Lengths of the columns\n", fontweight="bold")
    rest = f" ({len(shown)} of {len(found)} columns)" if len(shown) < len(found) else ""
    words = "a short length: a relevant column" + rest
    panel.text(0.5, 1.01, words, transform=panel.transAxes, ha="center", va="bottom")
    panel.set_xlabel("length" if fit.scale_ is None else "length / divisor of the column")
    return panel


def importance(found: Importance, names: Optional[Sequence[str]] = None, output: int = 0, ax: Any = None) -> Any:
    """What FreeRidge.importance() found, the variable that matters most on top: by how much the mean squared left-out error grows
    without it, and two standard errors. names: one for each variable. Raises TypeError, ValueError. Cost: O(d)."""
    if not isinstance(found, Importance):
        raise TypeError(f"found must be what importance() found, not {found!r}")
    increase, errors = (np.atleast_2d(np.asarray(values).T)[output] for values in (found.increase, found.errors))
    labels = [str(one) for one in (range(len(increase)) if names is None else names)]
    if len(labels) != len(increase):
        raise ValueError(f"names has {len(labels)} names, there are {len(increase)} variables")
    order = np.argsort(-increase, kind="stable")
    [panel] = _axes(ax, size=(5.5, max(2.0, 1.2 + 0.27 * len(order))))
    place = np.arange(len(order))[::-1]
    panel.axvline(0, color="0.6", linestyle="--", linewidth=1, zorder=0)
    panel.errorbar(increase[order], place, xerr=2 * errors[order], fmt="o", color="black", capsize=0)
    panel.set_ylim(-0.6, len(order) - 0.4)
    panel.set_yticks(place, [labels[one] if len(labels[one]) <= 24 else labels[one][:21] + "..." for one in order])
    panel.tick_params(axis="y", length=0)
    panel.set_title("Importance", fontweight="bold")
    panel.set_xlabel("increase of the mean squared left-out error,\ntwo standard errors")
    return panel


def calibration(fit: FreeRidgeClassifier, y: Any, X: Optional[ArrayLike] = None, bins: int = 10, ax: Any = None) -> Any:
    """How often a class is there against its probability, in bins of equally many points, with intervals of 95 %
    (Wilson's); on the dashed line probabilities are right. y: the labels of X or, where X is None, of the rows fitted,
    whose probabilities are those of left-out decision values. Of two classes the second is drawn, of more each one.
    Cost: predict_proba(), or loo_proba()."""
    fit = _checked(fit, FreeRidgeClassifier, "FreeRidgeClassifier")
    found = fit.loo_proba() if X is None else fit.predict_proba(X)
    labels = class_labels(y, len(found))
    if bins < 1:
        raise ValueError(f"bins is {bins}, and must be 1 or more")
    [panel] = _axes(ax)
    panel.plot([0, 1], [0, 1], color="black", linestyle="--", linewidth=1)
    several = len(fit.classes_) > 2
    marks = "os^Dv<>ph*"
    for k in range(0 if several else 1, len(fit.classes_)):
        known = ~np.isnan(found[:, k])
        order = np.flatnonzero(known)[np.argsort(found[known, k], kind="stable")]
        of_bin = [rows for rows in np.array_split(order, min(bins, max(len(order), 1))) if len(rows) > 0]
        centre = np.array([np.mean(found[rows, k]) for rows in of_bin])
        share = np.array([np.mean(labels[rows] == fit.classes_[k]) for rows in of_bin])
        low, high = _wilson(share, np.array([len(rows) for rows in of_bin]))
        grey = str(0.7 * (k / max(1, len(fit.classes_) - 1))) if several else "black"
        bars = np.maximum(0.0, [share - low, high - share])
        panel.errorbar(centre, share, yerr=bars, fmt=marks[k % len(marks)] + "-", color=grey, markersize=5, linewidth=1,
                       label=str(fit.classes_[k]))
    if several:
        panel.legend(title="class", frameon=False)
    place = np.searchsorted(fit.classes_, labels)
    own = found[np.arange(len(found)), np.minimum(place, len(fit.classes_) - 1)]
    loss = -np.nanmean(np.log(np.maximum(own, np.finfo(float).tiny)))
    panel.set_title("Calibration\n", fontweight="bold")
    words = f"{'left-out' if X is None else 'these'} points: log loss {loss:.3g}"
    panel.text(0.5, 1.02, words, transform=panel.transAxes, ha="center", va="bottom")
    panel.set_xlabel("probability" if several else f"probability of class {fit.classes_[1]}")
    panel.set_ylabel("share of the points")
    panel.set_xlim(-0.02, 1.02)
    panel.set_ylim(-0.02, 1.02)
    return panel


def roc(fit: FreeRidgeClassifier, y: Any, X: Optional[ArrayLike] = None, ax: Any = None) -> Any:
    """The ROC curve of decision values, with its area and the standard error of the area (E. DeLong, D. DeLong, D.
    Clarke-Pearson, Biometrics 44, 1988). y, X: as in calibration(). Of two classes the second is positive, of more
    there is a curve for each against all others. Cost: decision_function(), or loo_decision()."""
    fit = _checked(fit, FreeRidgeClassifier, "FreeRidgeClassifier")
    decision = fit.loo_decision() if X is None else fit.decision_function(X)
    decision = decision.reshape(len(decision), -1)
    labels = class_labels(y, len(decision))
    [panel] = _axes(ax)
    panel.plot([0, 1], [0, 1], color="black", linestyle="--", linewidth=1)
    several = decision.shape[1] > 1
    for k, (values, label) in enumerate(zip(decision.T, fit.classes_ if several else fit.classes_[1:])):
        known = ~np.isnan(values)
        alarms, hits, area, error = _roc_curve(values[known], labels[known] == label)
        words = f"area {area:.3g}, standard error {error:.2g}"
        grey = str(0.7 * (k / max(1, decision.shape[1] - 1))) if several else "black"
        panel.plot(alarms, hits, color=grey, linewidth=2, label=f"{label}: {area:.3g} \u00b1 {error:.2g}")
    if several:
        panel.legend(frameon=False, loc="lower right", title="area \u00b1 standard error", fontsize="small",
                     title_fontsize="small")
    panel.set_title("ROC curve\n", fontweight="bold")
    points = "left-out points" if X is None else "these points"
    panel.text(0.5, 1.02, points if several else f"{points}: {words}", transform=panel.transAxes, ha="center",
               va="bottom")
    panel.set_xlabel("false positive rate")
    panel.set_ylabel("true positive rate" if several else f"true positive rate of class {fit.classes_[1]}")
    return panel


def _roc_curve(decision: Array, positive: npt.NDArray[np.bool_]) -> Tuple[Array, Array, float, float]:
    """False and true positive rates at each decision value, the largest first, the area below the curve and its
    standard error. Raises ValueError where all points are of one kind. Cost: O(n log n)."""
    if len(np.unique(positive)) < 2:
        raise ValueError("the points are of one kind: there is no ROC curve")
    place = np.unique(-decision, return_inverse=True)[1]
    rates = [np.append(0.0, np.cumsum(np.bincount(place[kind], minlength=np.max(place) + 1)) / np.sum(kind))
             for kind in (~positive, positive)]
    middle = [(rate[place] + rate[place + 1]) / 2 for rate in rates]
    placed = (1 - middle[0][positive], middle[1][~positive])  # the share of the other kind in the right order
    area = float(np.mean(placed[0]))
    variance = sum(np.sum((each - area) ** 2) / (len(each) * max(len(each) - 1, 1)) for each in placed)
    return rates[0], rates[1], area, float(np.sqrt(variance))


def confusion(fit: FreeRidgeClassifier, y: Any, X: Optional[ArrayLike] = None, ax: Any = None) -> Any:
    """How many points of each class get each class; grey is the share of the class. y, X: as in calibration(). Cost:
    predict(), or loo_predict()."""
    fit = _checked(fit, FreeRidgeClassifier, "FreeRidgeClassifier")
    found = fit.loo_predict() if X is None else fit.predict(X)
    labels = class_labels(y, len(found))
    names = fit.classes_
    count = np.array([[np.sum((labels == own) & (found == other)) for other in names] for own in names])
    [panel] = _axes(ax)
    share = count / np.maximum(1, np.sum(count, axis=1, keepdims=True))
    panel.imshow(0.6 * share, cmap="Greys", vmin=0, vmax=1)
    for (i, j), points in np.ndenumerate(count):
        panel.text(j, i, str(points), ha="center", va="center")
    panel.set_xticks(range(len(names)), [str(name) for name in names])
    panel.set_yticks(range(len(names)), [str(name) for name in names])
    panel.set_title("Confusion\n", fontweight="bold")
    wrong = f"{100 * np.mean(found != labels):.3g} % in a wrong class"
    panel.text(0.5, 1.02, wrong, transform=panel.transAxes, ha="center", va="bottom")
    panel.set_xlabel("class when left out" if X is None else "predicted class")
    panel.set_ylabel("class")
    return panel


def _wilson(share: Array, count: Array) -> Tuple[Array, Array]:
    """Wilson's interval of 95 % of a share."""
    z2 = 1.959963984540054 ** 2
    centre = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = np.sqrt(z2 * (share * (1 - share) / count + z2 / (4 * count ** 2))) / (1 + z2 / count)
    return centre - half, centre + half
