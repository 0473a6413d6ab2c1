# autoplot(fit): the pictures of plot(fit) by ggplot2, where that is installed: NAMESPACE registers the method with its
# generic when that is loaded.

autoplot.freeridge <- function(object, type = "path", criteria = NULL, output = 1L, lambdas = NULL, variables = NULL, ...) {
  refuse_extra(...)
  picture_by_ggplot(plot_data(object, type, criteria, output, lambdas, variables), object, type, output)
}

picture_by_ggplot <- function(data, object, type, output) {
  force(data)
  output <- check_output(output, object)
  lambda <- object$lambda[[output]]
  chosen <- lambda_of(object, output)
  picture <- switch(type,
    path = draw_path(path_panels(data), lambda, chosen),
    loo = ggplot2::ggplot(data, mapped("predicted", "observed")) + ggplot2::geom_abline(linetype = 2) +
      ggplot2::geom_point(shape = 1, na.rm = TRUE) +
      ggplot2::coord_equal(xlim = range(data, na.rm = TRUE), ylim = range(data, na.rm = TRUE)) +
      ggplot2::labs(x = "prediction without the point", y = "observed", subtitle = chosen),
    residuals = ggplot2::ggplot(data, mapped("fitted", "residual")) +
      ggplot2::geom_hline(yintercept = 0, linetype = 2) + ggplot2::geom_point(shape = 1) +
      ggplot2::labs(x = "fitted values", y = "residuals", subtitle = chosen),
    coefficients = draw_coefficients(data, lambda, chosen),
    effect = draw_effects(data),
    slopes = {
      data$column <- factor(data$column, levels = rev(levels(data$column)))
      ggplot2::ggplot(data, mapped("estimate", "column")) + ggplot2::geom_vline(xintercept = 0, linetype = 2) +
        ggplot2::geom_pointrange(mapped(xmin = "lower", xmax = "upper")) +
        ggplot2::labs(x = slopes_label, y = NULL, subtitle = chosen)
    },
    spectrum = ggplot2::ggplot(data, mapped("index", "eigenvalue")) + ggplot2::geom_point(shape = 1) +
      (if (lambda > 0) ggplot2::geom_hline(yintercept = lambda, linetype = 2)) + ggplot2::scale_y_log10() +
      ggplot2::labs(x = "index", y = "eigenvalue",
                    subtitle = paste0(chosen, if (lambda > 0) " (dashed)", ", ", rank_of(object, output))),
    relevance = {
      data$column <- factor(data$column, levels = rev(unique(data$column)))
      ggplot2::ggplot(data, mapped("length", "column", shape = "at_bound")) + ggplot2::geom_point() +
        ggplot2::scale_shape_manual(values = c("FALSE" = 19, "TRUE" = 1), guide = "none") + ggplot2::scale_x_log10() +
        (if (!is.null(data$part)) ggplot2::facet_wrap("part")) +
        ggplot2::labs(x = if (is.null(object$scale)) "length" else "length / divisor of the column", y = NULL,
                      subtitle = "a short length: a relevant column")
    },
    rows = draw_rows(data, chosen),
    calibration = ggplot2::ggplot(data, mapped("probability", "share")) +
      ggplot2::geom_ribbon(mapped(ymin = "lower", ymax = "upper"), fill = "grey85") +
      ggplot2::geom_abline(linetype = 2) + ggplot2::geom_line() + ggplot2::geom_point() +
      ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
      ggplot2::labs(x = paste("probability of", class_name(object, output)), y = "share of the class",
                    subtitle = "left-out points; band: 95 % intervals"),
    roc = ggplot2::ggplot(data, mapped("false_positive", "true_positive")) + ggplot2::geom_abline(linetype = 2) +
      ggplot2::geom_step(direction = "hv") + ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
      ggplot2::labs(x = "false positive rate", y = paste("true positive rate of", class_name(object, output)),
                    subtitle = paste("left-out points,", auc_words(data))),
    confusion = ggplot2::ggplot(data, mapped("left_out", "class")) + ggplot2::geom_tile(mapped(fill = "share"), color = "grey50") +
      ggplot2::geom_text(mapped(label = "points")) + ggplot2::scale_fill_gradient(low = "white", high = "grey40", guide = "none") +
      ggplot2::scale_y_discrete(limits = rev) + ggplot2::labs(x = "class when left out", y = "class", subtitle = "left-out points")
  )
  picture + ggplot2::theme_bw() + ggplot2::theme(plot.margin = ggplot2::margin(5.5, 14, 5.5, 5.5))
}

# ggplot2::aes() of columns given by their names.
mapped <- function(...) do.call(ggplot2::aes, lapply(list(...), as.name))

# The curves of effect_data() on a panel for each variable; levels stand at whole numbers, with their names beside them.
draw_effects <- function(data) {
  if (!is.null(data$variable2) && any(!is.na(data$variable2))) {
    refuse("autoplot() draws the effects of single variables: plot() draws contours of two")
  }
  points <- attr(data, "partial")
  frame <- as.data.frame(unclass(data))
  frame$variable <- curve_titles(data)
  of_levels <- !is.na(frame$level)
  frame$value[of_levels] <- stats::ave(seq_len(sum(of_levels)), frame$variable[of_levels], FUN = seq_along)
  partial <- do.call(rbind, lapply(names(points), function(name) data.frame(variable = name, points[[name]])))
  partial$variable <- factor(partial$variable, levels = levels(frame$variable))
  range <- range(frame$lower, frame$upper, stats::quantile(partial$partial, c(0.01, 0.99), na.rm = TRUE))
  ends <- mapped(ymin = "lower", ymax = "upper")
  ggplot2::ggplot(frame, mapped("value", "estimate")) +
    ggplot2::geom_ribbon(ends, frame[!of_levels, ], fill = "grey85") +
    ggplot2::geom_point(mapped("value", "partial"), partial, colour = "grey55", size = 0.4, na.rm = TRUE) +
    ggplot2::geom_line(data = frame[!of_levels, ]) + ggplot2::geom_pointrange(ends, frame[of_levels, ]) +
    ggplot2::geom_text(mapped(label = "level"), frame[of_levels, ], hjust = -0.2, size = 3) +
    ggplot2::geom_rug(mapped("value", "partial"), partial, sides = "b", colour = "grey40") +
    ggplot2::facet_wrap("variable", scales = "free_x") + ggplot2::coord_cartesian(ylim = range) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(0.1)) +
    ggplot2::labs(x = NULL, y = "average prediction", subtitle = curves_words(data, nlevels(frame$variable)))
}

# A dashed line at lambda; nothing at 0, which a logarithmic axis does not have.
line_at <- function(lambda) if (lambda > 0) ggplot2::geom_vline(xintercept = lambda, linetype = 2)

draw_path <- function(panels, lambda, chosen) {
  band <- panels[!is.na(panels$lower) & !is.na(panels$upper), ]  # ggplot2 draws no ribbon without an end
  lowest <- do.call(rbind, lapply(split(panels, panels$criterion), function(panel) panel[which.min(panel$score), ]))
  ends <- mapped(ymin = "lower", ymax = "upper")
  ggplot2::ggplot(panels, mapped("lambda", "place")) +
    ggplot2::geom_ribbon(ends, band[!band$estimate, ], fill = "grey85") +
    ggplot2::geom_errorbar(ends, band[band$estimate, ], width = 0.1) +
    ggplot2::geom_line(na.rm = TRUE) + line_at(lambda) +
    ggplot2::geom_line(mapped(y = "training"), linetype = 3, na.rm = TRUE) +
    ggplot2::geom_point(data = lowest, shape = 1, size = 3) +
    ggplot2::geom_point(data = panels[panels$lambda == lambda, ], shape = 19, na.rm = TRUE) +
    ggplot2::facet_wrap(stats::as.formula("~ criterion"), scales = "free_y") +
    lambda_scale(panels$lambda, if (nlevels(panels$criterion) > 1L) 3 else 7) + score_scale(attr(panels, "shift")) +
    ggplot2::labs(x = expression(lambda), y = NULL, subtitle = paste0(
                    chosen, " (dashed, dot), circle: lowest",
                    if (!all(is.na(panels$training))) ", dotted: training error"
                  ))
}

# The columns' names stand on an axis of their own, where they have room; lines lead from the names to the curves.
draw_coefficients <- function(data, lambda, chosen) {
  ends <- data[data$lambda == min(data$lambda), ]
  if (nrow(ends) > most_labels) ends <- ends[0L, ]
  limits <- range(data$coefficient, 0)
  ends$height <- spread(ends$coefficient, 0.045 * diff(limits), limits)
  span <- range(data$lambda)
  ends$left <- rep(span[1L] * (span[1L] / span[2L])^0.08, nrow(ends))
  ggplot2::ggplot(data, mapped("lambda", "coefficient")) +
    ggplot2::geom_line(mapped(linetype = "column")) + line_at(lambda) +
    ggplot2::geom_segment(mapped(x = "left", xend = "lambda", y = "height", yend = "coefficient"), ends,
                          colour = "grey60") +
    lambda_scale(data$lambda, 6, expand = ggplot2::expansion(c(0, 0.05))) +
    ggplot2::scale_y_continuous(position = "right", sec.axis = ggplot2::dup_axis(
      name = NULL, breaks = ends$height, labels = shortened(ends$column)
    )) +
    ggplot2::scale_linetype_manual(values = rep_len(1:6, nlevels(data$column)), guide = "none") +
    ggplot2::labs(x = expression(lambda), y = "coefficient x sd of its column", subtitle = paste(chosen, "(dashed)"))
}

# A logarithmic axis with at most `most` labels, powers of ten where there are any.
lambda_scale <- function(lambdas, most, ...) {
  powers <- decades(range(lambdas), most)
  if (is.null(powers)) return(ggplot2::scale_x_log10(...))
  ggplot2::scale_x_log10(breaks = 10^powers, labels = decade_labels(powers), ...)
}

# One row for each lambda and criterion: score; place, training, lower and upper, where the score, the training error and
# the ends of the band or, of an estimate, the bar stand (NA for none), within the range that plot() shows. Places are
# logarithms of scores. Where scores have no logarithm, the place is the score plus `shift`, which is beyond all
# logarithms: so one scale of ggplot2 can tell the two kinds apart.
path_panels <- function(path) {
  criteria <- intersect(names(path), criteria_names)
  known <- unlist(path[criteria])
  shift <- 10^ceiling(4 + log10(1 + max(abs(known[is.finite(known)]), 0)))
  panels <- lapply(criteria, function(criterion) {
    scores <- path[[criterion]]
    if (!any(is.finite(scores))) refuse("criteria: ", criterion, " has no value at any of the lambdas")
    errors <- path_error(path, criterion)
    log_scale <- on_log_scale(scores, criterion)
    limits <- panel_range(scores, errors, log_scale)
    estimate <- isTRUE(attr(errors, "estimate"))
    errors <- as.vector(errors)
    if (is.null(errors)) errors <- rep(NA_real_, length(scores))
    scores[!(scores <= limits[2L])] <- NA
    training <- if (criterion %in% beside_training) path$training else rep(NA_real_, length(scores))
    training[!(training >= limits[1L] & training <= limits[2L])] <- NA
    place <- function(values) if (log_scale) log10(values) else values + shift
    title <- paste(panel_titles[[criterion]], panel_labels[[criterion]], sep = "\n")
    data.frame(lambda = path$lambda, criterion = title, score = scores, place = place(scores), training = place(training),
               estimate = estimate, lower = place(pmax(scores - errors, limits[1L])),
               upper = place(pmin(scores + errors, limits[2L])))
  })
  panels <- do.call(rbind, panels)
  panels$criterion <- factor(panels$criterion, levels = unique(panels$criterion))
  structure(panels, shift = shift)
}

# The axis of such places: ticks where base graphics has them, labelled with the scores.
score_scale <- function(shift) {
  shifted <- function(places) places > shift / 2
  ggplot2::scale_y_continuous(
    breaks = function(limits) {
      if (all(shifted(limits))) return(pretty(limits - shift) + shift)
      log10(grDevices::axisTicks(limits, log = TRUE, nint = 5L))
    },
    labels = function(places) {
      vapply(places, function(place) {
        if (is.na(place)) NA_character_ else format(if (shifted(place)) place - shift else 10^place, digits = 6L)
      }, "")
    }
  )
}
