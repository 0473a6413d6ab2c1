# Effects of variables: the average prediction over rows x_i, with weights a_i, as one variable takes the value v in all of
# them and the others stay as they are,
#     e_j(v) = sum_i a_i (f(x_i, x_ij = v) + b)
# with the standard error of the average (freeridge_predict_combinations). For sums of functions of one variable each it
# is that function and a constant. Two variables: both take values together.
# J. Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29 (2001), section 8.2.

effects.freeridge <- function(object, variables = NULL, points = 25, rows = 500, newdata = NULL, lambda = NULL,
                              level = 0.95, type = "bayesian", individual = FALSE, covariance = FALSE,
                              simultaneous = FALSE, ...) {
  refuse_extra(...)
  check_choice(type, "type", covariance_types)
  level <- check_fraction(level, "level")
  individual <- check_flag(individual, "individual")
  covariance <- check_flag(covariance, "covariance")
  simultaneous <- check_flag(simultaneous, "simultaneous")
  if (is_sparse(object$x)) refuse_sparse("an effect")
  if (is_of_values(object$kernel)) {
    refuse("the kernel is ", format(object$kernel), ": there are no columns whose effect could be shown")
  }
  model <- model_at(object, lambda, warn = TRUE)
  freedom <- core_degrees_of_freedom(model)
  df <- named_by_output(object, quantile_freedom(object, observed_counts(object) - freedom$df))
  reason <- ""
  found <- average_curves(object, variables, points, rows, newdata, function(moved, groups, weights) {
    found <- core_predict_combinations(model, with_columns(moved$x), moved$group, groups, weights, type, TRUE, covariance || simultaneous, moved$fixed)
    if (nzchar(found$reason)) reason <<- found$reason
    if (individual) found$individual <- core_predict(model, with_columns(moved$x), moved$fixed)
    found
  })
  warn_reason(reason)
  table <- found$table
  covariances <- if (covariance || simultaneous) named_covariances(found$curves, object$outputs)
  quantile <- if (simultaneous) curve_quantiles(table, covariances, df, level) else effect_quantile(df, level, table$output)
  half <- quantile * table$se
  table$lower <- table$estimate - half
  table$upper <- table$estimate + half
  structure(table, class = c("freeridge_curves", "data.frame"), kind = type, level = level, df = df,
            averaged = length(found$at$rows), fitted_rows = found$at$all,
            covariance = if (covariance) covariances, simultaneous = simultaneous,
            individual = if (individual) individual_lines(found$curves, found$at, object$outputs))
}

# A stack has no errors of its predictions, and its curves no bands.
effects.freeridge_stack <- function(object, variables = NULL, points = 25, rows = 500, newdata = NULL, individual = FALSE, ...) {
  refuse_extra(...)
  individual <- check_flag(individual, "individual")
  found <- average_curves(object, variables, points, rows, newdata, function(moved, groups, weights) {
    lines <- stacked(object, moved$x)
    list(value = rowsum(weights * lines, moved$group), individual = lines)
  })
  structure(found$table, class = c("freeridge_curves", "data.frame"), averaged = length(found$at$rows), fitted_rows = found$at$all,
            individual = if (individual) individual_lines(found$curves, found$at, object$outputs))
}

# list(table, curves, at): the averages of the values that answer(moved rows, how many groups, weights) has.
average_curves <- function(fit, variables, points, rows, newdata, answer) {
  points <- check_whole(points, "points", 2, 1000)
  rows <- check_whole(rows, "rows", 1, .Machine$integer.max)
  at <- averaged_rows(fit, newdata, rows)
  known <- at$variables
  if (length(known) == 0L) refuse("the fit has no predictors, and no effects of them")
  chosen <- chosen_variables(variables, known)
  curves <- lapply(chosen, function(of) {
    grid <- effect_grid(known[of], if (length(of) > 1L) min(points, 15L) else points)
    group <- rep(seq_len(nrow(grid)), each = length(at$rows))
    values <- lapply(seq_along(of), function(k) {
      levels <- known[[of[k]]]$levels
      if (is.null(levels)) grid[group, k] else levels[grid[group, k]]
    })
    moved <- c(at$put(known[of], values, rep(at$rows, times = nrow(grid))), list(group = group - 1L))
    found <- answer(moved, nrow(grid), rep(at$weights, times = nrow(grid)))
    list(grid = grid, estimate = found$value + at$offset, se = found$errors, covariance = found$covariance,
         individual = found$individual, places = known[of])
  })
  pairs <- any(lengths(chosen) == 2L)
  table <- do.call(rbind, lapply(curves, function(curve) curve_table(curve, fit$outputs, pairs)))
  row.names(table) <- NULL
  names(curves) <- vapply(chosen, function(of) paste(names(known)[of], collapse = ":"), "")
  list(table = table, curves = curves, at = at)
}

# The variables that are asked for, a list of one or two places each.
chosen_variables <- function(variables, known) {
  if (is.null(variables)) return(as.list(seq_along(known)))
  if (!is.list(variables)) variables <- as.list(variables)
  lapply(variables, function(of) {
    place <- if (is.numeric(of)) match(of, seq_along(known)) else match(as.character(of), names(known))
    if (length(of) < 1L || length(of) > 2L || anyNA(place) || anyDuplicated(place) > 0L) {
      refuse("variables must be names among ", some_names(names(known)), ", or in a list pairs of two different ones, not ",
             shown(if (anyNA(place)) of[is.na(place)][[1L]] else of))
    }
    place
  })
}

some_names <- function(names) {
  more <- length(names) - 8L
  paste0(paste0("\"", utils::head(names, 8L), "\"", collapse = ", "), if (more > 0L) paste(" and", more, "more"))
}

# variable_rows(), those of its rows that are averaged over, at most `most` and evenly spaced, their weights, of sum one,
# and the average offset. Variables that are matrices in a formula, or dates, have no curves.
averaged_rows <- function(fit, newdata, most) {
  at <- variable_rows(fit, newdata)
  all <- nrow(at$x)
  weights <- if (is.null(at$weights)) rep(1, all) else at$weights
  kept <- if (all > most) unique(round(seq(1, all, length.out = most))) else seq_len(all)
  share <- weights[kept] / sum(weights[kept])
  curved <- vapply(at$variables, function(one) {
    number <- is.numeric(one$values) && is.null(dim(one$values)) && (!is.object(one$values) || inherits(one$values, "AsIs"))
    number || !is.null(one$levels)
  }, NA)
  list(variables = at$variables[curved], put = at$put, rows = kept, names = rownames(at$x)[kept], weights = share,
       offset = if (is.null(at$offset)) 0 else sum(share * at$offset[kept]), all = all)
}

# A row for each value: numbers, or the places of levels. Two variables: all pairs of values.
effect_grid <- function(variables, points) {
  values <- lapply(variables, function(variable) {
    if (!is.null(variable$levels)) return(seq_along(variable$levels))
    distinct <- sort(unique(as.vector(variable$values)))
    if (length(distinct) <= points) distinct else seq(distinct[1L], distinct[length(distinct)], length.out = points)
  })
  expand.grid(unname(values), KEEP.OUT.ATTRS = FALSE)
}

# variable, value and level of the grid (variable2 ... of pairs), the output where there are several, estimate and se.
curve_table <- function(curve, outputs, pairs) {
  count <- nrow(curve$grid)
  columns <- lapply(1:2, function(k) {
    if (k > length(curve$places)) return(list(rep(NA_character_, count), rep(NA_real_, count), rep(NA_character_, count)))
    place <- curve$places[[k]]
    of_levels <- !is.null(place$levels)
    list(rep(names(curve$places)[k], count), if (of_levels) rep(NA_real_, count) else curve$grid[, k],
         if (of_levels) place$levels[curve$grid[, k]] else rep(NA_character_, count))
  })
  frame <- as.data.frame(unlist(columns, recursive = FALSE), col.names = paste0(c("variable", "value", "level"), rep(c("", "2"), each = 3L)))
  if (!pairs) frame <- frame[1:3]
  t <- ncol(curve$estimate)
  frame <- frame[rep(seq_len(count), times = t), , drop = FALSE]
  if (t > 1L) frame$output <- factor(rep(outputs, each = count), levels = outputs)
  frame$estimate <- as.vector(curve$estimate)
  if (!is.null(curve$se)) frame$se <- as.vector(curve$se)
  frame
}

effect_quantile <- function(df, level, output) {
  each <- ifelse(df > 0, stats::qt((1 + level) / 2, pmax(df, .Machine$double.xmin)), NaN)
  if (is.null(output)) each[[1L]] else unname(each[as.character(output)])
}

# Of each row of the table, for all values of its variable together.
curve_quantiles <- function(table, covariances, df, level) {
  quantile <- numeric(nrow(table))
  for (part in curve_parts(table, covariances)) {
    quantile[part$rows] <- simultaneous_quantile(part$covariance, df[[part$output]], level)
  }
  quantile
}

# For each curve of each output list(rows, title, output, covariance): its rows of the table, its name in the list of
# covariances, the place of the output, and the covariances of its values.
curve_parts <- function(table, covariances) {
  titles <- curve_titles(table[setdiff(names(table), "output")])
  output <- if (is.null(table$output)) rep(1L, nrow(table)) else as.integer(table$output)
  lapply(unname(split(seq_len(nrow(table)), list(titles, output), drop = TRUE)), function(rows) {
    title <- as.character(titles[rows[1L]])
    of <- covariances[[title]]
    if (length(dim(of)) == 3L) of <- of[, , output[rows[1L]]]
    list(rows = rows, title = title, output = output[rows[1L]], covariance = as.matrix(of))
  })
}

named_covariances <- function(curves, outputs) {
  lapply(curves, function(curve) {
    count <- nrow(curve$grid)
    t <- ncol(curve$estimate)
    if (t == 1L) curve$covariance else array(curve$covariance, c(count, count, t), list(NULL, NULL, outputs))
  })
}

# The predictions that are averaged, rows x values (x outputs).
individual_lines <- function(curves, at, outputs) {
  lapply(curves, function(curve) {
    t <- ncol(curve$estimate)
    lines <- array(curve$individual + at$offset, c(length(at$rows), nrow(curve$grid), t), list(at$names, NULL, if (t > 1L) outputs))
    if (t == 1L) matrix(lines, nrow(lines), dimnames = dimnames(lines)[1:2]) else lines
  })
}

# What plot(fit, "effect") draws: the curves of an output, the most moving variable first, and for each row of the fit the
# curve at its value and its left-out error, a left-out partial residual.
most_curves <- 12L
most_lines <- 100L

effect_data <- function(fit, output, variables) {
  curves <- effects.freeridge(fit, variables, covariance = FALSE)
  if (!is.null(curves$output)) curves <- curves[as.integer(curves$output) == output, ]
  errors <- core_by_row(model_at(fit), "loo")[, output]
  titles <- curve_titles(curves)
  moves <- vapply(split(curves$estimate, titles), stats::sd, 0)
  order <- if (is.null(variables)) utils::head(order(-moves), most_curves) else seq_along(moves)
  parts <- split(seq_len(nrow(curves)), titles)[order]
  known <- variables_of_fit(fit)
  partial <- lapply(parts, function(rows) {
    curve <- curves[rows, ]
    if (!is.null(curve$variable2) && !is.na(curve$variable2[1L])) return(NULL)
    variable <- known[[curve$variable[1L]]]
    if (!is.null(variable$levels)) {
      value <- match(as.character(variable$values), variable$levels)
      height <- curve$estimate[value]
    } else {
      value <- variable$values
      height <- if (length(rows) > 1L) stats::approx(curve$value, curve$estimate, value)$y else rep(curve$estimate, length(value))
    }
    data.frame(value = value, partial = height + errors)
  })
  # Attributes stay beside rows of a data frame that are picked.
  shown <- curves[unlist(parts), ]
  mostattributes(shown) <- utils::modifyList(attributes(curves), list(row.names = seq_len(nrow(shown))))
  attr(shown, "covariance") <- NULL
  structure(shown, partial = partial, all = length(moves), of = lambda_of(fit, output))
}

curve_titles <- function(curves) {
  titles <- if (is.null(curves$variable2)) curves$variable else {
    ifelse(is.na(curves$variable2), curves$variable, paste(curves$variable, curves$variable2, sep = ":"))
  }
  if (!is.null(curves$output) && length(unique(curves$output)) > 1L) titles <- paste0(curves$output, ", ", titles)
  factor(titles, levels = unique(titles))
}

print.freeridge_curves <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  rows <- if (attr(x, "averaged") < attr(x, "fitted_rows")) {
    paste0(attr(x, "averaged"), " of the ", attr(x, "fitted_rows"), " rows, evenly spaced")
  } else paste(attr(x, "averaged"), "rows")
  cat("Average predictions over ", rows, ", as one variable moves and the others stay as they are\n", sep = "")
  titles <- curve_titles(x)
  for (title in levels(titles)) {
    rows <- which(titles == title)
    columns <- lapply(as.list(x)[intersect(c("estimate", "se", "lower", "upper"), names(x))], `[`, rows)
    size <- if (is.null(columns$se)) diff(range(columns$estimate)) / 100 else columns$se
    decimals <- max(0, digits - 3L - floor(log10(min(size[size > 0], 1, na.rm = TRUE))))
    columns <- lapply(columns, function(values) formatC(values, digits = min(decimals, 15), format = "f"))
    places <- lapply(c("", "2"), function(k) {
      if (is.null(x[[paste0("variable", k)]]) || is.na(x[[paste0("variable", k)]][rows[1L]])) return(NULL)
      level <- x[[paste0("level", k)]][rows]
      stats::setNames(list(if (anyNA(level)) format(x[[paste0("value", k)]][rows], digits = digits) else level),
                      x[[paste0("variable", k)]][rows[1L]])
    })
    cat("\n")
    if (!is.null(x$output)) cat("Output ", as.character(x$output[rows[1L]]), "\n", sep = "")
    print(data.frame(unlist(places, recursive = FALSE), columns, check.names = FALSE), row.names = FALSE)
  }
  if (!is.null(x$se)) cat("\n", standard_error_words(attr(x, "kind")), " Intervals: ", format(100 * attr(x, "level")), " %",
                          if (isTRUE(attr(x, "simultaneous"))) ", of all values of a variable together", ".\n", sep = "")
  invisible(x)
}

# A panel for each variable, all with one vertical axis: the curve with its band, left-out partial residuals or the curves
# of single rows in grey, and the values in the data as a rug; levels as points with intervals; two numbers as contours, a
# number and a factor as a curve for each level.
plot.freeridge_curves <- function(x, partial = TRUE, main = NULL, ylab = "average prediction", ylim = NULL, ...) {
  titles <- curve_titles(x)
  parts <- split(seq_len(nrow(x)), titles)
  points <- attr(x, "partial")
  single <- vapply(parts, function(rows) is.null(x$variable2) || is.na(x$variable2[rows[1L]]), NA)
  if (is.null(ylim) && any(single)) {
    alone <- unlist(parts[single])
    far <- if (check_flag(partial, "partial")) {
      unlist(lapply(points, function(of) stats::quantile(of$partial, c(0.01, 0.99), na.rm = TRUE)))
    }
    far <- c(far, unlist(lapply(attr(x, "individual"), stats::quantile, c(0.01, 0.99))))
    ylim <- range(x$lower[alone], x$upper[alone], x$estimate[alone], far, na.rm = TRUE)
  }
  if (length(parts) > 1L) {
    columns <- ceiling(sqrt(length(parts) * min(2, max(0.5, graphics::par("din")[1L] / graphics::par("din")[2L]))))
    columns <- min(columns, length(parts))
    rows <- ceiling(length(parts) / columns)
    old <- graphics::par(mfrow = c(rows, columns), mar = c(4, 4, 1.5, 1), mgp = c(2.3, 0.8, 0), oma = c(0, 0, 3, 0))
    on.exit(graphics::par(old))
  }
  for (k in seq_along(parts)) {
    curve <- as.list(x[parts[[k]], ])
    lines <- attr(x, "individual")[[names(parts)[k]]]
    shown <- if (partial) points[[names(parts)[k]]]
    if (!single[k]) plot_pair(curve, ylab, ...) else plot_curve(curve, shown, if (is.matrix(lines)) lines, ylim, ylab, ...)
  }
  if (is.null(main)) main <- "Effects of variables"
  if (length(parts) == 1L) {
    write_labels(main, curves_words(x, 1L), NULL, NULL)
  } else {
    graphics::mtext(main, 3L, 1.3, outer = TRUE, font = 2L)
    graphics::mtext(curves_words(x, length(parts)), 3L, 0.2, outer = TRUE, cex = 0.8)
  }
  invisible(x)
}

# What the pictures say below their title.
curves_words <- function(x, panels) {
  all <- attr(x, "all")
  bands <- !is.null(x$se) && (is.null(x$variable2) || anyNA(x$variable2))
  paste(c(attr(x, "of"), if (bands) paste(format(100 * attr(x, "level")), if (isTRUE(attr(x, "simultaneous"))) "% bands of whole curves" else "% bands"),
          if (!is.null(all) && all > panels) paste("the", panels, "that move most of", all)), collapse = ", ")
}

plot_curve <- function(curve, points, lines, ylim, ylab, ...) {
  of_levels <- !is.na(curve$level[1L])
  at <- if (of_levels) seq_along(curve$level) else curve$value
  few <- of_levels || length(at) < 3L
  span <- range(at, if (!is.null(points)) points$value)
  if (few) span <- span + c(-0.3, 0.3) * if (of_levels) 1 else max(diff(span), 1e-300)
  graphics::plot.default(span, ylim, type = "n", xlim = span, ylim = ylim, xaxt = if (few) "n" else "s", xlab = "", ylab = "", ...)
  if (is.null(curve$lower)) {
    if (few) graphics::axis(1L, at, if (of_levels) shortened(curve$level) else format(at, digits = 3L), gap.axis = 0.1)
  } else if (!few) {
    graphics::polygon(c(at, rev(at)), c(curve$lower, rev(curve$upper)), col = "grey85", border = NA)
  } else {
    names <- if (of_levels) shortened(curve$level) else format(at, digits = 3L)
    graphics::axis(1L, at, names, gap.axis = 0.1)
  }
  if (!is.null(lines)) {  # of rows, evenly spaced
    rows <- unique(round(seq(1, nrow(lines), length.out = min(nrow(lines), most_lines))))
    graphics::matlines(at, t(lines[rows, , drop = FALSE]), col = "grey60", lty = 1L, lwd = 0.5)
  }
  if (!is.null(points)) {
    beside <- if (of_levels) 0.15 + 0.1 * ((seq_along(points$value) * 0.618) %% 1) else 0
    graphics::points(points$value + beside, points$partial, cex = 0.4, col = "grey55", pch = 16)
    if (!of_levels) graphics::rug(points$value, col = "grey40", quiet = TRUE)
  }
  if (few) {
    if (!is.null(curve$lower)) graphics::segments(at, curve$lower, at, curve$upper, lwd = 2)
    graphics::points(at, curve$estimate, pch = 19)
  } else {
    graphics::lines(at, curve$estimate, lwd = 2)
  }
  write_labels(NULL, NULL, curve$variable[1L], ylab)
}

# Contours; where one of the variables is a factor, a curve for each of its levels.
plot_pair <- function(curve, ylab, ...) {
  if (!is.na(curve$level[1L]) && is.na(curve$level2[1L])) {
    curve[c("variable", "value", "level", "variable2", "value2", "level2")] <-
      curve[c("variable2", "value2", "level2", "variable", "value", "level")]
  }
  if (is.na(curve$level2[1L])) {
    first <- sort(unique(curve$value))
    second <- sort(unique(curve$value2))
    if (length(first) < 2L || length(second) < 2L) refuse("contours need two values of each variable")
    graphics::contour(first, second, matrix(curve$estimate, length(first)), labcex = 0.8, ...)
    return(write_labels(NULL, NULL, curve$variable[1L], curve$variable2[1L]))
  }
  at <- if (is.na(curve$level[1L])) curve$value else match(curve$level, unique(curve$level))
  lines <- split(seq_along(at), factor(curve$level2, levels = unique(curve$level2)))
  graphics::plot.default(range(at), range(curve$estimate), type = "n", xaxt = if (is.na(curve$level[1L])) "s" else "n", xlab = "",
                         ylab = "", ...)
  if (!is.na(curve$level[1L])) graphics::axis(1L, unique(at), unique(curve$level))
  for (k in seq_along(lines)) graphics::lines(at[lines[[k]]], curve$estimate[lines[[k]]], lty = (k - 1L) %% 6L + 1L, lwd = 1.5)
  away <- if (at[which.max(curve$estimate)] > mean(range(at))) "topleft" else "topright"  # from the highest point
  graphics::legend(away, names(lines), lty = (seq_along(lines) - 1L) %% 6L + 1L, lwd = 1.5, bty = "n", cex = 0.8,
                   title = curve$variable2[1L])
  write_labels(NULL, NULL, curve$variable[1L], ylab)
}
