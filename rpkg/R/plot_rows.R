# The four pictures of plot(lm): residuals against fitted values; studentised residuals against the quantiles of
# Student's distribution; the roots of absolute standardised residuals; and these residuals against leverages, with the
# curves on which Cook's distance D = s^2 h / (df (1 - h)) is 0.5 and 1.

rows_data <- function(fit, output) {
  handle <- model_at(fit)
  leverage <- core_by_row(handle, "leverage")[, output]
  data <- data.frame(fitted = fit$fitted.values[, output], residual = (fit$y - fit$fitted.values)[, output],
                     rstandard = standardised_residuals(fit, handle)[, output],
                     rstudent = studentised_residuals(fit, handle)[, output], leverage = leverage,
                     cook = core_by_row(handle, "cooks_distance")[, output], row.names = case_labels(fit))
  freedom <- core_degrees_of_freedom(handle)$df[output]
  known <- !is.na(data$residual) & is.finite(data$rstudent)
  if (sum(known) < 2L) refuse("type is \"rows\", but fewer than two rows have a studentised residual")
  student <- data$rstudent[known]
  data$quantile <- NA_real_
  left <- quantile_freedom(fit, max(sum(!is.na(data$residual)) - 1 - freedom, 1))
  quantiles <- stats::qt(stats::ppoints(length(student)), left)
  data$quantile[known] <- quantiles[rank(student, ties.method = "first")]
  structure(data, df = freedom)
}

cook_levels <- c(0.5, 1)

# +- s at leverages h.
cook_curve <- function(level, h, df) sqrt(level * df * (1 - h) / h)

plot_rows <- function(data, fit, output, ...) {
  old <- graphics::par(mfrow = c(2L, 2L), mar = pmin(graphics::par("mar"), c(4, 4, 3, 1)),
                       mgp = pmin(graphics::par("mgp"), c(2.4, 0.9, 0)))
  on.exit(graphics::par(old))
  known <- data[!is.na(data$quantile), ]
  smooth <- function(x, y) if (length(unique(x)) > 3L) graphics::lines(stats::lowess(x, y), lwd = 2)
  panel <- function(x, y, title, sub, xlab, ylab, far, lines, xlim = range(x), ylim = range(y)) {
    room <- max(0.06 * diff(ylim), 1e-8 * max(abs(ylim)))  # for half of a name
    graphics::plot.default(x, y, xlab = "", ylab = "", xlim = xlim, ylim = ylim + c(-room, room), ...)
    lines()
    name_points(x, y, row.names(known), order(-far)[seq_len(min(3L, length(far)))])
    write_labels(title, sub, xlab, ylab, ...)
  }
  of <- lambda_of(fit, output)
  panel(known$fitted, known$residual, "Residuals", of, "fitted values", "residuals", abs(known$rstandard), function() {
    graphics::abline(h = 0, lty = 2)
    smooth(known$fitted, known$residual)
  })
  panel(known$quantile, known$rstudent, "Normal errors?", "on the line, were the errors normal",
        "quantiles of Student's t", "studentised residuals", abs(known$rstudent), function() graphics::abline(0, 1, lty = 2))
  size <- sqrt(abs(known$rstandard))
  panel(known$fitted, size, "One spread?", "level, were the spread the same everywhere", "fitted values",
        expression(sqrt(abs("standardised residuals"))), size, function() smooth(known$fitted, size),
        ylim = c(0, max(size)))
  df <- attr(data, "df")
  most <- max(known$leverage)
  panel(known$leverage, known$rstandard, "Influence", "dashed: Cook's distances of 0.5 and 1", "leverage",
        "standardised residuals", known$cook, function() {
          graphics::abline(h = 0, lty = 3)
          h <- seq(graphics::par("usr")[2L] / 500, min(1, graphics::par("usr")[2L]), length.out = 500L)
          for (level in cook_levels) for (sign in c(-1, 1)) {
            graphics::lines(h, sign * cook_curve(level, h, df), lty = 2, col = "grey40")
          }
        }, xlim = c(0, most))
}

# The names of some points, beside them, each as near to its point as no other name is in the way.
name_points <- function(x, y, names, which) {
  room <- graphics::par("usr")
  right <- x[which] > mean(room[1:2])
  wide <- graphics::strwidth(names[which], cex = 0.75)
  tall <- line_height * graphics::strheight("A", cex = 0.75)
  left <- x[which] - ifelse(right, wide, 0)
  heights <- y[which]
  for (k in seq_along(which)[-1L]) {
    before <- seq_len(k - 1L)
    in_the_way <- before[left[before] < left[k] + 1.2 * wide[k] & left[k] < left[before] + 1.2 * wide[before]]
    tries <- heights[k] + tall * c(0, 1, -1, 2, -2, 3, -3)
    free <- vapply(tries, function(at) {
      at > room[3L] && at < room[4L] && all(abs(heights[in_the_way] - at) >= 0.999 * tall)
    }, NA)
    if (any(free)) heights[k] <- tries[free][1L]
  }
  graphics::text(x[which], heights, names[which], pos = ifelse(right, 2L, 4L), cex = 0.75, offset = 0.4)
}

# The panels in a long table for ggplot2: x, y, and the curves of Cook's distance.
draw_rows <- function(data, chosen) {
  titles <- c("Residuals against fitted values", "Studentised residuals against quantiles of t",
              "Root of |standardised residuals| against fitted values", "Standardised residuals against leverage")
  known <- data[!is.na(data$quantile), ]
  long <- data.frame(x = c(known$fitted, known$quantile, known$fitted, known$leverage),
                     y = c(known$residual, known$rstudent, sqrt(abs(known$rstandard)), known$rstandard),
                     panel = factor(rep(titles, each = nrow(known)), levels = titles))
  h <- seq(max(known$leverage) / 200, max(known$leverage), length.out = 200L)
  curves <- do.call(rbind, lapply(c(outer(c(-1, 1), cook_levels)), function(level) {
    data.frame(x = h, y = sign(level) * cook_curve(abs(level), h, attr(data, "df")), level = level)
  }))
  curves <- curves[abs(curves$y) <= max(abs(known$rstandard)), ]
  lines <- data.frame(slope = c(0, 1, 0), intercept = 0, panel = factor(titles[c(1L, 2L, 4L)], levels = titles))
  if (nrow(curves) > 0L) curves$panel <- factor(titles[4L], levels = titles)
  ggplot2::ggplot(long, mapped("x", "y")) +
    ggplot2::geom_abline(mapped(slope = "slope", intercept = "intercept"), lines, linetype = 3) +
    (if (nrow(curves) > 0L) ggplot2::geom_line(mapped(group = "level"), curves, linetype = 2)) +
    ggplot2::geom_point(shape = 1) + ggplot2::facet_wrap(stats::as.formula("~ panel"), scales = "free") +
    ggplot2::labs(x = NULL, y = NULL, subtitle = paste0(chosen, "; dashed: Cook's distances of 0.5 and 1"))
}
