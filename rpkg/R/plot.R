# plot(fit): pictures of the data frames of plot_data.R in base graphics, all in black and grey.

panel_titles <- c(loo = "Leave-one-out", gcv = "GCV", reml = "REML", groups = "Leave-group-out",
                  error_rate = "Leave-one-out error rate", log_loss = "Leave-one-out log loss")
panel_labels <- c(loo = "mean squared error", gcv = "score", reml = "negative log-likelihood",
                  groups = "mean squared error", error_rate = "fraction wrong",
                  log_loss = "mean log loss")

plot.freeridge <- function(x, type = "path", criteria = NULL, output = 1L, lambdas = NULL, variables = NULL, ...) {
  data <- plot_data(x, type, criteria, output, lambdas, variables)
  draw_picture(data, x, type, output, ...)
  invisible(data)
}

draw_picture <- function(data, x, type, output, ...) {
  switch(type,
    path = plot_path(data, x, output, ...),
    effect = plot.freeridge_curves(data, ...),
    loo = plot_loo(data, x, output, ...),
    residuals = plot_residuals(data, x, output, ...),
    coefficients = plot_coefficients(data, x, output, ...),
    slopes = plot_slopes(data, x, output, ...),
    spectrum = plot_spectrum(data, x, output, ...),
    relevance = plot_relevance(data, x, ...),
    rows = plot_rows(data, x, output, ...),
    calibration = plot_calibration(data, x, check_output(output, x), ...),
    roc = plot_roc(data, x, check_output(output, x), ...),
    confusion = plot_confusion(data, x, ...)
  )
}

# The criteria that are mean squared left-out errors, which have the unit of the training error.
beside_training <- c("loo", "groups")

# The standard error of a criterion in a path, of the mean or, where the criterion is estimated, of the estimate. NULL:
# none.
path_error <- function(path, criterion) {
  for (ending in c("_se", "_estimate_se")) {
    errors <- path[[paste0(criterion, ending)]]
    if (!is.null(errors)) return(structure(errors, estimate = ending == "_estimate_se"))
  }
}

# Each criterion on a panel of its own, with its standard error, the lambda in force, and the lambda with the lowest
# score.
plot_path <- function(path, fit, output, ...) {
  lambda <- fit$lambda[[output]]
  criteria <- intersect(names(path), criteria_names)
  if (length(criteria) > 1L) {
    wide <- graphics::par("din")[1L] > 1.4 * graphics::par("din")[2L]
    rows <- if (length(criteria) > 3L || (length(criteria) > 2L && !wide)) 2L else 1L
    old <- graphics::par(mfrow = c(rows, ceiling(length(criteria) / rows)),
                         mar = pmin(graphics::par("mar"), c(4, 4, 3, 1)),
                         mgp = pmin(graphics::par("mgp"), c(2.4, 0.9, 0)))
    on.exit(graphics::par(old))
  }
  for (criterion in criteria) {
    plot_panel(path$lambda, path[[criterion]], path_error(path, criterion), lambda, criterion,
               of = output_prefix(fit, output), training = if (criterion %in% beside_training) path$training,
               lowest = if (criterion == "reml" && has_noise_prior(fit)) "lowest without the prior" else "lowest", ...)
  }
}

plot_panel <- function(lambdas, scores, errors, lambda, criterion, of, training, lowest = "lowest", ylim = NULL,
                       main = panel_titles[[criterion]], xlab = expression(lambda), ylab = panel_labels[[criterion]],
                       ...) {
  known <- is.finite(scores)
  if (!any(known)) refuse("criteria: ", criterion, " has no value at any of the lambdas")
  log_scale <- on_log_scale(scores, criterion)
  if (is.null(ylim)) ylim <- panel_range(scores, errors, log_scale)
  graphics::plot.default(lambdas[known], scores[known], type = "l", lwd = 2, log = if (log_scale) "xy" else "x",
                         xaxt = "n", xlim = range(lambdas), ylim = ylim, xlab = "", ylab = "",
                         panel.first = plot_band(lambdas, scores, errors, min(ylim)), ...)
  decade_axis(range(lambdas))
  if (!is.null(training)) graphics::lines(lambdas, training, lty = 3, lwd = 2)
  best <- which.min(scores)
  graphics::points(lambdas[best], scores[best], pch = 1, cex = 2)
  if (lambda > 0) {
    graphics::abline(v = lambda, lty = 2)
    graphics::points(lambda, scores[match(lambda, lambdas)], pch = 19)
  }
  chosen <- if (lambda > 0) paste("dot: lambda =", format(lambda, digits = 3L)) else "lambda = 0 (not shown)"
  dotted <- if (!is.null(training)) ", dotted: training error"
  write_labels(main, paste0(of, chosen, ", circle: ", lowest, dotted), xlab, ylab, ...)
}

# The scores plus and minus a standard error, as a band, or as bars where the score is an estimate. The lower end stays
# above a tenth of the panel's floor, as negative numbers have no place on a logarithmic axis.
plot_band <- function(lambdas, scores, errors, floor) {
  known <- is.finite(scores) & is.finite(errors)
  if (!any(known)) return(invisible())
  l <- lambdas[known]
  upper <- (scores + errors)[known]
  lower <- pmax((scores - errors)[known], floor / 10)
  if (!isTRUE(attr(errors, "estimate"))) {
    return(graphics::polygon(c(l, rev(l)), c(upper, rev(lower)), col = "grey85", border = NA))
  }
  graphics::segments(l, lower, l, upper)
  graphics::points(c(l, l), c(lower, upper), pch = "-")
}

# For each point the prediction without it along x, and what was observed along y. They agree on the diagonal.
plot_loo <- function(data, fit, output, main = "Left-out points", xlab = "prediction without the point",
                     ylab = "observed", ...) {
  ends <- range(data, na.rm = TRUE)
  graphics::plot.default(data$predicted, data$observed, xlim = ends, ylim = ends, xlab = "", ylab = "", ...)
  graphics::abline(0, 1, lty = 2)
  r2 <- attr(data, "r2")  # of a fit of chunks
  if (is.null(r2)) r2 <- summary(fit, coefficients = FALSE)$outputs$loo_r2[check_output(output, fit)]
  write_labels(main, paste0(lambda_of(fit, output), ", leave-one-out R2 = ", format(r2, digits = 3L)), xlab, ylab, ...)
}

# Residuals against fitted values, with a smooth curve through them, and the names of the three largest.
plot_residuals <- function(data, fit, output, main = "Residuals", xlab = "fitted values", ylab = "residuals",
                           ylim = NULL, ...) {
  data <- data[!is.na(data$residual), ]
  if (is.null(ylim)) {  # with room for half the height of a name
    share <- graphics::strheight("A", "inches", cex = 0.75) / graphics::par("pin")[2L]
    ylim <- range(data$residual) + c(-1, 1) * min(share, 0.25) * diff(range(data$residual))
  }
  graphics::plot.default(data$fitted, data$residual, xlab = "", ylab = "", ylim = ylim, ...)
  graphics::abline(h = 0, lty = 2)
  if (length(unique(data$fitted)) > 3L) graphics::lines(stats::lowess(data$fitted, data$residual), lwd = 2)
  far <- order(abs(data$residual), decreasing = TRUE)[seq_len(min(3L, nrow(data)))]
  name_points(data$fitted, data$residual, row.names(data), far)
  write_labels(main, lambda_of(fit, output), xlab, ylab, ...)
}

# The slopes against lambda. The name of each stands where lambda is smallest.
plot_coefficients <- function(data, fit, output, main = "Coefficients", xlab = expression(lambda),
                              ylab = "coefficient x sd of its column", ...) {
  lambdas <- unique(data$lambda)
  slopes <- matrix(data$coefficient, length(lambdas))
  names <- shortened(levels(data$column))
  span <- range(lambdas)
  # The names stand at the left of the curves, and take at most 0.45 of the width.
  pin <- graphics::par("pin")
  cex <- size_that_fits(names, 0.75, 0.45 * pin[1L] - 0.3, pin[2L])
  share <- (max(graphics::strwidth(names, "inches", cex = cex)) + 0.3) / pin[1L]
  if (length(names) > most_labels || cex < smallest_size) share <- 0
  left <- span[1L] * (span[1L] / span[2L])^(share / (1 - share))
  graphics::plot.default(span, range(slopes, 0), type = "n", log = "x", xaxt = "n", xlim = c(left, span[2L]),
                         xlab = "", ylab = "", ...)
  graphics::abline(h = 0, col = "grey60")
  graphics::matlines(lambdas, slopes, col = "black", lty = seq_len(6L), lwd = 1.5)
  decade_axis(span)
  if (share > 0) {
    ends <- slopes[1L, ]
    heights <- spread(ends, line_height * graphics::strheight("A", cex = cex), graphics::par("usr")[3:4])
    place <- exp(log(span[1L]) - log(span[1L] / left) * 0.2 / (share * pin[1L]))
    graphics::segments(place, heights, span[1L], ends, col = "grey60")
    graphics::text(place, heights, names, pos = 2L, offset = 0.2, cex = cex)
  }
  dashed <- fit$lambda[[output]] > 0
  if (dashed) graphics::abline(v = fit$lambda[[output]], lty = 2)
  write_labels(main, paste0(lambda_of(fit, output), if (dashed) " (dashed)"), xlab, ylab, ...)
}

most_labels <- 30L
smallest_size <- 0.4
line_height <- 1.5  # of names that stand below one another, in heights of a capital letter

# The size of letters, at most `size`, at which names below one another fit into width and height, in inches.
size_that_fits <- function(names, size, width, height) {
  shrink(size, function(cex) {
    max(graphics::strwidth(names, "inches", cex = cex)) <= width &&
      length(names) * line_height * graphics::strheight("A", "inches", cex = cex) <= height
  })
}

# The first of size, 0.95 size, 0.95^2 size, ... that fits. It is not computed, as devices round the sizes of letters.
shrink <- function(size, fits) {
  while (size > 0.1 && !fits(size)) size <- 0.95 * size
  size
}

shortened <- function(names, most = 20L) {
  names <- as.character(names)
  ifelse(nchar(names) > most, paste0(substr(names, 1L, most - 3L), "..."), names)
}

# Heights near `at`, in the same order, that are at least `gap` apart where there is room.
spread <- function(at, gap, room) {
  rank <- order(at)
  heights <- at[rank]
  gap <- min(gap, 0.98 * diff(room) / max(length(at), 1L))
  for (i in seq_along(heights)[-1L]) heights[i] <- max(heights[i], heights[i - 1L] + gap)
  top <- room[2L] - gap / 2
  for (i in rev(seq_along(heights))) {
    heights[i] <- min(heights[i], top)
    top <- heights[i] - gap
  }
  heights[order(rank)]
}

slopes_label <- "effect x sd of its column, Bayesian 95 % interval"

# Average effects with their 95 % intervals, the first column on top.
plot_slopes <- function(data, fit, output, main = "Average marginal effects",
                         xlab = slopes_label, ylab = "", ...) {
  draw_intervals(data, main, lambda_of(fit, output), xlab, ylab, ...)
}

# The columns estimate, lower and upper of a data frame, the first row on top, with the names in `column`.
draw_intervals <- function(data, main, sub, xlab, ylab, ...) {
  count <- nrow(data)
  names <- shortened(data$column)
  cex <- max(size_that_fits(names, 1, 0.45 * graphics::par("fin")[1L] - 0.4, graphics::par("pin")[2L]), smallest_size)
  left <- max(graphics::strwidth(names, "inches", cex = cex)) + 0.4
  old <- graphics::par(mai = replace(graphics::par("mai"), 2L, left))
  on.exit(graphics::par(old))
  ends <- range(data[c("estimate", "lower", "upper")], 0, na.rm = TRUE)
  graphics::plot.default(data$estimate, rev(seq_len(count)), xlim = ends, ylim = c(0.5, count + 0.5), yaxt = "n",
                         pch = 19, xlab = "", ylab = "", panel.first = graphics::abline(v = 0, lty = 2), ...)
  graphics::segments(data$lower, rev(seq_len(count)), data$upper, rev(seq_len(count)), lwd = 2)
  graphics::axis(2L, rev(seq_len(count)), names, las = 1L, tick = FALSE, cex.axis = cex, gap.axis = 0.05)
  write_labels(main, sub, xlab, ylab, ...)
}

# Eigenvalues, the largest first. The dashed line is the lambda of the fit: directions whose eigenvalues lie far below
# it are shrunk to nearly nothing.
plot_spectrum <- function(data, fit, output, main = "Eigenvalues of the kernel matrix", xlab = "index",
                          ylab = "eigenvalue", ylim = NULL, ...) {
  lambda <- fit$lambda[[output]]
  if (is.null(ylim)) ylim <- range(data$eigenvalue, if (lambda > 0) lambda)
  graphics::plot.default(data$index, data$eigenvalue, log = "y", ylim = ylim, xlab = "", ylab = "", ...)
  if (lambda > 0) graphics::abline(h = lambda, lty = 2)
  write_labels(main, paste0(lambda_of(fit, output), if (lambda > 0) " (dashed)", ", ", rank_of(fit, output)), xlab,
               ylab, ...)
}

rank_of <- function(fit, output) {
  paste("effective rank", format(effective_rank(fit, fit$lambda[[output]]), digits = 3L))
}

lambda_of <- function(fit, output) {
  paste0(output_prefix(fit, output), "lambda = ", format(fit$lambda[[output]], digits = 3L))
}

# Names the output or class that a picture shows; "" where there is only one.
output_prefix <- function(fit, output) {
  if (ncol(fit$y) == 1L) return("")
  paste0(if (is.null(fit$classes)) "output " else "class ", fit$outputs[check_output(output, fit)], ", ")
}

# Writes the title, a line below it, and the labels of the axes, each as small as it must be to stay within the figure.
write_labels <- function(main, sub, xlab, ylab, cex.main = graphics::par("cex.main"),
                         cex.lab = graphics::par("cex.lab"), ...) {
  outer <- graphics::par("mgp")[1L]
  write_fitted(main, 3L, 1.5, cex.main, 2L)
  write_fitted(sub, 3L, 0.3, 0.9)
  write_fitted(xlab, 1L, outer, cex.lab)
  write_fitted(ylab, 2L, outer, cex.lab)
}

write_fitted <- function(text, side, line, size, font = 1L) {
  if (is.null(text) || identical(text, "")) return(invisible())
  graphics::mtext(text, side, line, cex = fitted_size(text, side, size, font) * graphics::par("cex"), font = font)
}

# The size of letters, at most `size`, at which a text in the middle of a side of the plot stays within the figure.
fitted_size <- function(text, side, size, font = 1L) {
  flat <- side %in% c(1L, 3L)
  room <- graphics::par("pin")[if (flat) 1L else 2L] + 2 * min(graphics::par("mai")[if (flat) c(2L, 4L) else c(1L, 3L)])
  shrink(size, function(cex) graphics::strwidth(text, "inches", cex = cex, font = font) <= 0.95 * room)
}

on_log_scale <- function(scores, criterion) criterion != "reml" && all(scores[is.finite(scores)] > 0)

# The range of a panel: score_range(), and the band of the standard error at the lowest score and at the last one.
panel_range <- function(scores, errors, log_scale) {
  known <- is.finite(scores)
  limits <- score_range(scores[known], log_scale)
  if (is.null(errors)) return(limits)
  at <- c(which.min(scores), max(which(known)))
  band <- c(scores[at] - errors[at], scores[at] + errors[at])
  range(limits, band[is.finite(band) & (band > 0 | !log_scale)])
}

# From the lowest score to about twice as far up as the last one, at the largest lambda, where the fit is nearly
# constant. Scores at the smallest lambdas, where the fit interpolates noise, may be many decades worse: with all of
# them in the panel the rest would look flat.
score_range <- function(scores, log_scale) {
  heights <- if (log_scale) log(scores) else scores
  lowest <- min(heights)
  whole <- max(heights) - lowest
  shown <- min(whole, max(2 * (heights[length(heights)] - lowest), 0.1 * whole))
  if (log_scale) exp(lowest + c(0, shown)) else lowest + c(0, shown)
}

# An axis with labels at powers of ten, as many as there is room for and at most seven.
decade_axis <- function(range) {
  width <- 1.4 * graphics::strwidth(expression(10^-10), "inches", cex = graphics::par("cex.axis"))
  powers <- decades(range, max(2, min(7, floor(graphics::par("pin")[1L] / width))))
  if (is.null(powers)) return(graphics::axis(1))
  graphics::axis(1, at = 10^powers, labels = decade_labels(powers))
}

# The exponents of evenly spaced powers of ten within a range, at most `most`; NULL where it has less than two.
decades <- function(range, most) {
  ends <- c(ceiling(log10(range[1L])), floor(log10(range[2L])))
  if (ends[1L] >= ends[2L]) return(NULL)
  powers <- ends[1L]:ends[2L]
  powers[(powers - powers[1L]) %% ceiling(length(powers) / most) == 0]
}

decade_labels <- function(powers) parse(text = paste0("10^", powers))

# The lengths that were learnt, the most relevant column at the top. A length at its bound is an open point.
plot_relevance <- function(data, fit, main = "Lengths of the columns", xlab = NULL, ylab = "", ...) {
  if (is.null(xlab)) xlab <- if (is.null(fit$scale)) "length" else "length / divisor of the column"
  names <- if (is.null(data$part)) data$column else paste(data$part, data$column)
  place <- rev(seq_len(nrow(data)))
  old <- graphics::par(mar = pmax(graphics::par("mar"), c(0, 1 + 0.5 * min(24, max(nchar(names))), 0, 0)))
  on.exit(graphics::par(old))
  graphics::plot.default(data$length, place, log = "x", yaxt = "n", xlab = "", ylab = "",
                         pch = ifelse(data$at_bound, 1, 19), panel.first = graphics::abline(h = place, col = "grey85"),
                         ...)
  graphics::axis(2, at = place, labels = names, las = 1, tick = FALSE)
  write_labels(main, "a short length: a relevant column", xlab, ylab, ...)
}
