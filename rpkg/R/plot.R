# plot(fit): each criterion against lambda on a panel of its own, with the lambda in force and the panel's own best.

panel_titles <- c(loo = "Leave-one-out", gcv = "GCV", reml = "REML", groups = "Leave-group-out",
                  error_rate = "Leave-one-out error rate")
panel_labels <- c(loo = "mean squared error", gcv = "score", reml = "negative log-likelihood",
                  groups = "mean squared error", error_rate = "fraction wrong")

plot.freeridge <- function(x, criteria = NULL, output = 1L, lambdas = NULL, ...) {
  output <- check_output(output, x)
  lambda <- x$lambda[[output]]
  if (is.null(lambdas)) lambdas <- core_lambda_grid(model_for_path(x), 100L)
  lambdas <- check_not_negative(lambdas, "lambdas")
  lambdas <- sort(unique(c(lambdas, lambda)))
  # Where a score does not exist the curve has a gap, which says enough.
  path <- withCallingHandlers(lambda_path(x, lambdas[lambdas > 0], criteria),
                              freeridge_undefined = function(condition) tryInvokeRestart("muffleWarning"))
  criteria <- intersect(names(path), criteria_names)
  if (ncol(x$y) > 1L) path <- path[as.integer(path$output) == output, ]

  several <- length(criteria) > 1L
  if (several) {
    rows <- if (length(criteria) > 3L) 2L else 1L
    old <- graphics::par(mfrow = c(rows, ceiling(length(criteria) / rows)))
    on.exit(graphics::par(old))
  }
  for (criterion in criteria) plot_panel(path$lambda, path[[criterion]], lambda, criterion, ...)
  invisible(path)
}

check_output <- function(output, fit) {
  place <- if (is.character(output)) match(output, fit$outputs) else output
  good <- is.numeric(place) && length(place) == 1L && !is.na(place) && place %in% seq_len(ncol(fit$y))
  if (!good) refuse("output must be the number or the name of one of the ", ncol(fit$y), " outputs, not ", shown(output))
  as.integer(place)
}

plot_panel <- function(lambdas, scores, lambda, criterion, ylim = NULL, ...) {
  known <- is.finite(scores)
  if (!any(known)) refuse("criteria: ", criterion, " has no value at any of the lambdas")
  log_scale <- all(scores[known] > 0) && criterion != "reml"
  if (is.null(ylim)) ylim <- score_range(scores[known], log_scale)
  graphics::plot(lambdas[known], scores[known], type = "l", lwd = 2, log = if (log_scale) "xy" else "x", xaxt = "n",
                 xlim = range(lambdas), ylim = ylim, xlab = expression(lambda), ylab = panel_labels[[criterion]],
                 main = panel_titles[[criterion]], ...)
  decade_axis(range(lambdas))
  best <- which.min(scores)
  graphics::points(lambdas[best], scores[best], pch = 1, cex = 2)
  marks <- "circle: lowest"
  if (lambda > 0) {
    graphics::abline(v = lambda, lty = 2)
    graphics::points(lambda, scores[match(lambda, lambdas)], pch = 19)
    marks <- paste0("dot: lambda = ", format(lambda, digits = 3L), ", ", marks)
  }
  graphics::mtext(marks, side = 3L, line = 0.3, cex = 0.9 * graphics::par("cex"))
}

# From the lowest score to about twice as far up as the score at the largest lambda, the last one (there the fit is a
# constant): interpolation of noise at the smallest lambda, many decades worse, would flatten everything else.
score_range <- function(scores, log_scale) {
  heights <- if (log_scale) log(scores) else scores
  lowest <- min(heights)
  whole <- max(heights) - lowest
  shown <- min(whole, max(2 * (heights[length(heights)] - lowest), 0.1 * whole))
  if (log_scale) exp(lowest + c(0, shown)) else lowest + c(0, shown)
}

# Labels at powers of ten, at most about seven of them.
decade_axis <- function(range) {
  powers <- ceiling(log10(range[1L])):floor(log10(range[2L]))
  if (length(powers) < 2L || range[1L] > 10^powers[1L]) return(graphics::axis(1))
  powers <- powers[(powers - powers[1L]) %% ceiling(length(powers) / 7) == 0]
  graphics::axis(1, at = 10^powers, labels = parse(text = paste0("10^", powers)))
}
