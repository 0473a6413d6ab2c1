# How much worse left-out errors e become without a variable, lambda and the kernel held, nothing learnt again:
#     permutation   y_i - f_(-i)(z_i), z_i the point x_i with the variable's value of another row: the mean over several
#                   permutations of the rows. f_(-i) is the exact fit without row i (freeridge_predict_left_out).
#     drop          the errors of the fit whose kernel does not see the variable: its columns are constant, as if its
#                   inverse length were 0, and an additive part of it belongs to the intercept. One factorization each.
#     increase = mean(w d) / mean(w),   d_i = the mean square of the errors without the variable - e_i^2
# The standard error is that of this mean; rows that are left out together count as one. A factor, and all columns made
# of one variable of a formula, are one variable.

importance_types <- c("permutation", "drop")

importance <- function(object, ...) UseMethod("importance")

importance.freeridge <- function(object, type = "permutation", permutations = 5, seed = 0, group = NULL, lambda = NULL,
                                 ...) {
  refuse_extra(...)
  check_choice(type, "type", importance_types)
  permutations <- check_whole(permutations, "permutations", 1, 1e6)
  seed <- check_whole(seed, "seed", 0, .Machine$integer.max)
  if (given_count(object$kernel) > 0L) {
    refuse("the kernel is precomputed: there are no variables whose importance could be told")
  }
  at <- variable_rows(object)
  variables <- at$variables
  if (length(variables) == 0L) refuse("the fit has no predictors")
  codes <- codes_left_out(object, group)
  model <- model_at(object, lambda)
  lambda <- core_lambda(model)
  errors <- errors_left_out(object, model, codes)
  orders <- if (type == "permutation") {
    aside(function() {
      set.seed(seed)
      lapply(seq_len(permutations), function(k) sample.int(nrow(object$x)))
    })
  }
  squares <- lapply(variables, function(variable) {
    if (type == "drop") return(errors_left_out(object, model_without(object, variable, lambda), codes)^2)
    sums <- 0
    for (order in orders) {
      moved <- at$put(list(variable), list(values_at(variable$values, order)), seq_along(order))
      sums <- sums + permuted_errors(object, model, codes, moved)^2
    }
    sums / length(orders)
  })
  weights <- weights_or_ones(object)
  found <- lapply(seq_len(ncol(object$y)), function(j) {
    base <- errors[, j]^2
    values <- vapply(squares, function(own) mean_with_error(own[, j] - base, weights, codes), c(0, 0))
    rows <- is.finite(base)
    mean_square <- sum(weights[rows] * base[rows]) / sum(weights[rows])
    table <- data.frame(variable = names(variables), increase = values[1L, ], se = values[2L, ],
                        rmse = sqrt(pmax(mean_square + values[1L, ], 0)), row.names = NULL)
    if (ncol(object$y) > 1L) table <- cbind(output = object$outputs[j], table)
    list(table = table[order(-table$increase), ], rmse = sqrt(mean_square))
  })
  table <- do.call(rbind, lapply(found, `[[`, "table"))
  row.names(table) <- NULL
  structure(list(table = table, rmse = named_by_output(object, vapply(found, `[[`, 0, "rmse")), type = type,
                 permutations = if (type == "permutation") permutations, grouped = !is.null(codes),
                 robust = !is.null(object$robust), call = object$call), class = "freeridge_importance")
}

# The mean of differences d with weights, and its standard error; rows of a group count as one.
mean_with_error <- function(d, weights, codes) {
  known <- is.finite(d)
  d <- d[known]
  weights <- weights[known]
  mean <- sum(weights * d) / sum(weights)
  parts <- weights * (d - mean)
  if (!is.null(codes)) parts <- rowsum(parts, codes[known])
  count <- length(parts)
  c(mean, if (count > 1L) sqrt(sum(parts^2) * count / (count - 1)) / sum(weights) else NaN)
}

# The codes of rows that are left out together, of `group` or by default of the fit; NULL: each row by itself.
codes_left_out <- function(fit, group) {
  if (is.null(group)) {
    if (is.null(fit$groups)) return(NULL)
    if (is.matrix(fit$groups) && ncol(fit$groups) > 1L) {
      refuse("the fit has ", ncol(fit$groups), " divisions of the rows into groups; give one of them as group")
    }
    if (!is.null(fit$gap)) refuse("the fit has gaps beside its groups, which are not left out here; give group")
    return(as.vector(fit$groups))
  }
  codes <- group_codes(group, row_count(fit), "group")
  if (is.matrix(codes)) refuse("group must be one label for each row, not ", shown(group))
  if (is.null(fit$aside)) codes else labels_at(codes, place_of(fit, seq_len(nrow(fit$x))), "group")
}

# n x t; NaN where there is none.
errors_left_out <- function(fit, model, codes) {
  if (is.null(codes)) core_by_row(model, "loo") else core_group_errors(model, codes, 0L, matrix(0L, nrow(fit$x), 0L))
}

# The same of points of which a variable has values of other rows. at: list(x, fixed).
permuted_errors <- function(fit, model, codes, at) {
  y <- if (is.null(fit$offset)) fit$y else fit$y - fit$offset
  label <- if (is.null(codes)) seq_len(nrow(fit$x)) - 1L else codes
  errors <- y - core_predict_left_out(model, as_core_rows(fit, at$x), as.integer(codes), label, at$fixed)
  if (!is.null(codes)) errors[codes < 0L, ] <- NaN
  errors
}

# The model, at lambda, whose kernel does not see a variable.
model_without <- function(fit, variable, lambda) {
  points <- points_of(fit)
  if (length(variable$columns) > 0L) points[, variable$columns] <- 0
  if (is.null(fit$points)) {
    fit$x <- points
  } else {
    fit$points <- points
    fit$x <- as_core_rows(fit, points)
  }
  if (length(variable$fixed) > 0L) {
    fit$fixed_source <- NULL  # which fit$fixed would find where that is NULL
    fit$fixed <- if (length(variable$fixed) < ncol(fit$fixed)) fit$fixed[, -variable$fixed, drop = FALSE]
  }
  model <- new_model(fit)
  core_factorize(model)
  fit$lambda <- lambda
  set_given_lambda(model, fit)
  model
}

print.freeridge_importance <- function(x, digits = max(3L, getOption("digits") - 4L), ...) {
  number <- function(values) formatC(values, digits = digits, format = "g", flag = "#")
  print_call(x)
  permuted <- if (x$type == "permutation") paste0(" (mean of ", counted(x$permutations, "permutation"), ")")
  wrapped(cat("Importance: the increase of the mean squared left-out error ",
              if (x$type == "drop") "without the variable" else "with the variable permuted", permuted, if (x$grouped) ", groups of rows left out together", "\n", sep = ""))
  outputs <- unique(x$table$output)
  tables <- if (is.null(outputs)) list(x$table) else split(x$table, factor(x$table$output, outputs))
  for (j in seq_along(tables)) {
    table <- tables[[j]]
    cat("\nroot mean squared error", if (length(tables) > 1L) paste(" of output", names(tables)[j]),
        " with all variables: ", number(x$rmse[[j]]), "\n", sep = "")
    most <- max(table$increase, 0, na.rm = TRUE)
    share <- if (most > 0) pmax(table$increase, 0) / most else 0 * table$increase
    bar <- formatC(strrep("#", round(20 * ifelse(is.na(share), 0, share))), width = -20)
    shown <- data.frame(increase = number(table$increase), se = number(table$se), rmse = number(table$rmse), bar = bar,
                        row.names = table$variable)
    names(shown) <- c("increase", "std. error", "rmse without", "")
    print(shown)
  }
  invisible(x)
}

# The data of the pictures: one output's table with the ends of intervals of two standard errors, the first on top.
importance_data <- function(x, output) {
  table <- x$table
  if (!is.null(table$output)) {
    outputs <- unique(table$output)
    place <- if (is.character(output)) match(output, outputs) else output
    if (!is.numeric(place) || length(place) != 1L || !place %in% seq_along(outputs)) {
      refuse("output must be the number or the name of one of the ", length(outputs), " outputs, not ", shown(output))
    }
    table <- table[table$output == outputs[place], ]
  }
  table$lower <- table$increase - 2 * table$se
  table$upper <- table$increase + 2 * table$se
  table
}

importance_label <- "increase of the mean squared left-out error, two standard errors"

plot.freeridge_importance <- function(x, output = 1L, main = "Importance", xlab = importance_label, ylab = "", ...) {
  data <- importance_data(x, output)
  shown <- data
  names(shown)[match(c("variable", "increase"), names(shown))] <- c("column", "estimate")
  sub <- if (x$type == "drop") "without the variable" else "the variable permuted"
  draw_intervals(shown, main, sub, xlab, ylab, ...)
  invisible(data)
}

autoplot.freeridge_importance <- function(object, output = 1L, ...) {
  refuse_extra(...)
  data <- importance_data(object, output)
  data$variable <- factor(data$variable, levels = rev(data$variable))
  ggplot2::ggplot(data, mapped("increase", "variable")) + ggplot2::geom_vline(xintercept = 0, linetype = 2) +
    ggplot2::geom_pointrange(mapped(xmin = "lower", xmax = "upper")) + ggplot2::labs(x = importance_label, y = NULL) +
    ggplot2::theme_bw()
}
