# Marginal effects: the derivatives of f(x) = sum_i c_i k(x_i, x) + b at given points (freeridge_predict_gradient), and
# their averages with standard errors (freeridge_average_gradient). Along columns with two values, and between levels of
# a factor, differences of f take the place of derivatives (freeridge_predict_combinations). A function that falls first
# and then rises may have an average slope that says nothing: beside it stands the average difference of f between two
# quantiles of the column.

marginal_effects <- function(object, ...) UseMethod("marginal_effects")

marginal_effects.freeridge <- function(object, newdata = NULL, lambda = NULL, se = TRUE, binary = TRUE,
                                       type = "bayesian", ...) {
  refuse_extra(...)
  check_choice(type, "type", covariance_types)
  if (is_sparse(object$x)) refuse_sparse("a marginal effect")
  se <- check_flag(se, "se")
  if (ncol(object$x) == 0L) {
    if (is.null(object$fixed)) refuse("the fit has no predictors, and no effects of them")
    refuse("the fit has no penalised columns: the effects of unpenalised ones are their coefficients, see coef() and confint()")
  }
  factors <- level_terms(object$x)
  two_values <- if (check_flag(binary, "binary")) binary_steps(object$x, factors)
  steps <- c(factor_steps(object, factors), two_values)
  smooth <- setdiff(seq_len(ncol(object$x)), unlist(c(lapply(factors, `[[`, "columns"), lapply(two_values, `[[`, "column"))))
  first <- vapply(factors, function(part) part$columns[1L], 0L)  # the levels that the others are compared with
  shown <- setdiff(seq_len(ncol(object$x)), first)
  x <- if (is.null(newdata)) object$x else new_matrix(object, newdata)
  m <- nrow(x)
  average <- if (is.null(newdata)) weights_or_ones(object) / sum(weights_or_ones(object)) else rep(1 / m, m)
  model <- model_at(object, lambda, warn = TRUE)
  lambda <- core_lambda(model)
  freedom <- if (se) core_degrees_of_freedom(model)

  if (is_linear(object$kernel)) {
    found <- linear_effects(object, model, factors, se, type, lambda)
    slopes <- found$slopes[shown, , drop = FALSE]
    effects <- aperm(array(slopes, c(dim(slopes), m)), c(3L, 1L, 2L))
    if (se) errors <- found$errors[shown, , drop = FALSE]
    difference <- function(step) {
      list(average = found$slopes[step$column, ] * (step$high - step$low),
           errors = if (se) found$errors[step$column, ] * (step$high - step$low))
    }
  } else {
    check_derivative(object$kernel, smooth = length(shown) > length(steps))
    fixed <- no_effects(object, m)
    difference <- function(step) step_difference(model, x, step, average, type, se, fixed)
    found <- core_effects(model, x, average, steps, type, se, fixed)
    effects <- found$effects[, shown, , drop = FALSE]
    slopes <- found$average[shown, , drop = FALSE]
    if (se) errors <- found$errors[shown, , drop = FALSE]
  }
  if (se && anyNA(errors)) {
    warn_undefined("a standard error is undefined (NaN): no degrees of freedom are left for the errors, or lambda is ",
                   "0", if (type == "frequentist") " with landmarks")
  }

  between <- c(quantile_steps(x, smooth), two_values)
  differences <- lapply(between, difference)
  names <- feature_names(object$x)[shown]
  cases <- if (is.null(newdata)) object$cases else rownames(x)
  columns <- c(list(estimate = slopes), if (se) list(se = errors))
  table <- by_output(factor(names, levels = names), columns, object$outputs, "column")
  structure(
    list(effects = effect_array(object, effects, names, cases, padded = is.null(newdata)), average = table,
         differences = difference_table(object, between, differences, se),
         binary = names(two_values), reference = feature_names(object$x)[first],
         type = if (se) type, df = if (se) named_by_output(object, quantile_freedom(object, observed_counts(object) - freedom$df))),
    class = "freeridge_effects"
  )
}

# m x d for a vector response, else m x d x t; rows that na.exclude dropped come back as NA.
effect_array <- function(fit, effects, names, cases, padded) {
  slices <- lapply(seq_len(dim(effects)[3L]), function(j) {
    slice <- matrix(effects[, , j], dim(effects)[1L], dimnames = list(cases, names))
    if (padded && !is.null(fit$aside)) {  # rows of weight zero have no effects
      whole <- matrix(NA_real_, row_count(fit), length(names), dimnames = list(fit$aside$cases, names))
      whole[-fit$aside$rows, ] <- slice
      slice <- whole
    }
    if (padded) stats::napredict(fit$na.action, slice) else slice
  })
  if (fit$vector) return(slices[[1L]])
  rows <- rownames(slices[[1L]])
  array(unlist(slices), c(dim(slices[[1L]]), length(slices)), list(rows, names, fit$outputs))
}

# What a difference of f between two quantiles of a column is between. (A column with two values has the difference between
# these.)
difference_quantiles <- c(0.1, 0.9)

# The steps between the quantiles of columns, by their names; none for columns whose quantiles are the same.
quantile_steps <- function(x, columns) {
  steps <- lapply(columns, function(k) {
    ends <- unname(stats::quantile(x[, k], difference_quantiles))
    if (ends[1L] < ends[2L]) list(column = k, columns = k, low = ends[1L], high = ends[2L], width = 1)
  })
  names(steps) <- feature_names(x)[columns]
  steps[!vapply(steps, is.null, NA)]
}

# A row for each step and output: column, low, high, estimate and, where it is wanted, se; NULL without steps.
difference_table <- function(fit, steps, differences, se) {
  if (length(steps) == 0L) return(NULL)
  of_steps <- function(name) matrix(unlist(lapply(differences, `[[`, name)), length(steps), byrow = TRUE)
  ends <- function(name) matrix(vapply(steps, `[[`, 0, name), length(steps), ncol(fit$y))
  by_output(factor(names(steps), levels = names(steps)),
            c(list(low = ends("low"), high = ends("high"), estimate = of_steps("average")),
              if (se) list(se = of_steps("errors"))), fit$outputs, "column")
}

# A step is an effect that is a difference of f and not a derivative: list(column, columns, low, high, width). The
# effect of `column` is f with the values `high` in `columns` less f with the values `low` in them, divided by `width`.
#
# The steps of columns that have just two values, by their names:
binary_steps <- function(x, factors) {
  of_factors <- unlist(lapply(factors, `[[`, "columns"))
  steps <- lapply(seq_len(ncol(x)), function(k) {
    ends <- range(x[, k])
    if (k %in% of_factors || ends[1L] == ends[2L] || !all(x[, k] == ends[1L] | x[, k] == ends[2L])) return(NULL)
    list(column = k, columns = k, low = ends[1L], high = ends[2L], width = diff(ends))
  })
  names(steps) <- feature_names(x)
  steps[!vapply(steps, is.null, NA)]
}

# list(slopes, errors), d x t, of a linear kernel: of columns their slopes, of levels the differences to the slope of the
# first one, whose variances are Var(w_k) + Var(w_1) - 2 Cov(w_k, w_1).
linear_effects <- function(fit, model, factors, se, type, lambda) {
  slopes <- core_hyperplane(model)[seq_len(ncol(fit$x)), , drop = FALSE]
  errors <- if (se) coefficient_errors(fit, type, lambda)
  if (se && fit$intercept) errors <- errors[-1L, , drop = FALSE]
  all <- if (se && length(factors) > 0L) core_coefficient_covariance(covariance_model(fit, type, lambda), type, fit$intercept)$covariance
  side <- NCOL(all) %/% ncol(fit$y)
  for (part in factors) {
    others <- part$columns[-1L]
    first <- part$columns[1L]
    slopes[others, ] <- slopes[others, ] - rep(slopes[first, ], each = length(others))
    for (j in if (se) seq_len(ncol(fit$y))) {
      place <- (j - 1L) * side + fit$intercept
      variances <- diag(all)[place + others] + all[place + first, place + first] - 2 * all[place + others, place + first]
      errors[others, j] <- sqrt(pmax(variances, 0))
    }
  }
  list(slopes = slopes, errors = errors)
}

# The steps of factors: from the first level to each other one.
factor_steps <- function(fit, factors) {
  of_one <- function(part) {
    count <- length(part$columns)
    values <- level_value_of(fit) * diag(count)
    lapply(seq_len(count)[-1L], function(k) {
      list(column = part$columns[k], columns = part$columns, low = values[1L, ], high = values[k, ], width = 1)
    })
  }
  if (length(factors) == 0L) return(list())
  steps <- do.call(c, lapply(factors, of_one))
  names(steps) <- feature_names(fit$x)[vapply(steps, `[[`, 0L, "column")]
  steps
}

# Refuses kernels without derivatives. smooth: whether derivatives are needed, or differences alone.
check_derivative <- function(kernel, smooth) {
  for (part in parts_of(kernel)) check_derivative(part, smooth)
  if (kernel$name == "function") refuse("the kernel is an R function, whose derivative is not known")
  if (given_count(kernel) > 0L) refuse("the kernel is precomputed: there are no columns to differentiate along")
  if (smooth && (kernel$name %in% c("laplacian", "sphere") || (kernel$name == "matern" && kernel$nu == 0.5))) {
    refuse("the kernel ", format(kernel), " is not differentiable at the points of the fit; those that are: ",
           "gaussian, matern with nu = 1.5 or 2.5, polynomial, linear, and their sums and products, also of terms and periodic")
  }
}

# list(effects, average, errors): m x d x t, d x t and, where se is TRUE, d x t. fixed: zeros as values of the fixed
# effects, which have no part in a difference of f; NULL where there are none.
core_effects <- function(model, x, average, steps, type, se, fixed) {
  d <- ncol(x)
  smooth <- setdiff(seq_len(d), unlist(lapply(steps, `[[`, "columns")))
  values <- core_predict(model, x[1L, , drop = FALSE], fixed[1L, , drop = FALSE])
  value <- list(effects = array(0, c(nrow(x), d, ncol(values))), average = matrix(0, d, ncol(values)))
  if (se) value$errors <- value$average
  if (length(smooth) > 0L) {
    gradient <- array(core_predict_gradient(model, x), dim(value$effects))
    found <- core_average_gradient(model, x, average, type, se)
    value$effects[, smooth, ] <- gradient[, smooth, ]
    value$average[smooth, ] <- found$average[smooth, ]
    if (se) value$errors[smooth, ] <- found$errors[smooth, ]
  }
  for (step in steps) {
    k <- step$column
    at <- lapply(step[c("high", "low")], function(values) core_predict(model, with_values(x, step, values), fixed))
    value$effects[, k, ] <- (at$high - at$low) / step$width
    found <- step_difference(model, x, step, average, type, se, fixed)
    value$average[k, ] <- found$average / step$width
    if (se) value$errors[k, ] <- found$errors / step$width
  }
  value
}

with_values <- function(x, step, values) {
  x[, step$columns] <- rep(values, each = nrow(x))
  x
}

# list(average, errors) of f with the high values of a step less f with the low ones.
step_difference <- function(model, x, step, average, type, se, fixed) {
  both <- rbind(with_values(x, step, step$high), with_values(x, step, step$low))
  found <- core_predict_combinations(model, both, rep(0L, nrow(both)), 1L, c(average, -average), type, se, FALSE, rbind(fixed, fixed))
  list(average = found$value, errors = if (se) found$errors)
}

# What print() says of standard errors of a type.
standard_error_words <- function(type) {
  if (type == "bayesian") return("Standard errors are Bayesian: of the posterior, with the bias of the penalty.")
  "Standard errors are frequentist: how the averages vary, without the bias of the penalty."
}

# Intervals of the averages or, with `parm = "differences"`, of the differences between quantiles.
confint.freeridge_effects <- function(object, parm = "average", level = 0.95, ...) {
  refuse_extra(...)
  table <- object[[check_parm(object, parm)]]
  level <- check_fraction(level, "level")
  if (is.null(object$type)) refuse("the effects were made with se = FALSE: they have no standard errors")
  df <- if (is.null(table$output)) object$df else object$df[as.character(table$output)]
  tails <- c((1 - level) / 2, (1 + level) / 2)
  value <- table$estimate + table$se * vapply(tails, function(tail) stats::qt(tail, rep_len(unname(df), nrow(table))), numeric(nrow(table)))
  value <- matrix(value, nrow(table))
  dimnames(value) <- list(if (is.null(table$output)) as.character(table$column) else paste(table$output, table$column, sep = ":"),
                          paste(format(100 * tails, trim = TRUE, digits = 3L), "%"))
  value
}

# A row for each effect, or with parm = "differences" for each difference, as broom has those of other packages.
tidy.freeridge_effects <- function(x, parm = "average", conf.int = FALSE, conf.level = 0.95, ...) {
  refuse_misspelt(...)
  table <- x[[check_parm(x, parm)]]
  value <- data.frame(term = as.character(table$column), estimate = table$estimate)
  if (!is.null(table$output)) value <- cbind(response = table$output, value)
  if (is.null(table$se)) {
    if (check_flag(conf.int, "conf.int")) confint.freeridge_effects(x, parm)
    return(value)
  }
  df <- rep_len(unname(if (is.null(table$output)) x$df else x$df[as.character(table$output)]), nrow(table))
  value$std.error <- table$se
  value$statistic <- table$estimate / table$se
  value$p.value <- 2 * stats::pt(abs(value$statistic), pmax(df, 0), lower.tail = FALSE)
  if (check_flag(conf.int, "conf.int")) {
    ends <- confint.freeridge_effects(x, parm, conf.level)
    value$conf.low <- unname(ends[, 1L])
    value$conf.high <- unname(ends[, 2L])
  }
  value
}

check_parm <- function(object, parm) {
  check_choice(parm, "parm", c("average", "differences"))
  if (is.null(object[[parm]])) refuse("the fit has no columns with differences between quantiles")
  parm
}

# The differences with their intervals, in the units of the response, the largest at the top, and those of levels to the
# first one.
plot.freeridge_effects <- function(x, level = 0.95, output = 1L, main = "Average differences", ylab = "",
                                   xlab = "between the 10 % and the 90 % quantile, or two values", ...) {
  tables <- lapply(c("average", "differences"), function(parm) {
    table <- x[[parm]]
    if (is.null(table)) return(NULL)
    ends <- confint.freeridge_effects(x, parm, level)
    kept <- parm == "differences" | !table$column %in% x$differences$column
    if (!is.null(table$output)) {
      kept <- kept & table$output %in% (if (is.character(output)) output else levels(table$output)[output])
    }
    data.frame(column = as.character(table$column), estimate = table$estimate, lower = ends[, 1L], upper = ends[, 2L])[kept, ]
  })
  data <- do.call(rbind, tables)
  data <- data[order(-abs(data$estimate)), ]
  row.names(data) <- NULL
  if (nrow(data) == 0L) refuse("there is no output ", shown(output))
  draw_intervals(data, main, paste(format(100 * level), "% intervals,", x$type), xlab, ylab, ...)
  invisible(data)
}

print.freeridge_effects <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  tables <- if (is.null(x$average$output)) list(x$average) else split(x$average, x$average$output)
  for (j in seq_along(tables)) {
    table <- tables[[j]]
    of <- if (length(tables) > 1L) paste(" of output", names(tables)[j])
    cat("\nAverage marginal effects", of, ":\n", sep = "")
    columns <- cbind(Estimate = table$estimate)
    if (!is.null(table$se)) {
      t <- table$estimate / table$se
      p <- 2 * stats::pt(abs(t), pmax(x$df[[j]], 0), lower.tail = FALSE)
      columns <- cbind(columns, "Std. Error" = table$se, "t value" = t, "Pr(>|t|)" = p)
    }
    rownames(columns) <- as.character(table$column)
    if (is.null(table$se)) print(columns, digits = digits) else stats::printCoefmat(columns, digits = digits, ...)
    between <- x$differences
    if (!is.null(between$output)) between <- between[between$output == names(tables)[j], ]
    if (!is.null(between)) {
      cat("\nAverage differences", of, " between the 10 % and the 90 % quantile of a column, or its two values, the others as they are:\n", sep = "")
      columns <- cbind(from = between$low, to = between$high, Estimate = between$estimate, "Std. Error" = between$se)
      print(structure(columns, dimnames = list(as.character(between$column), colnames(columns))), digits = digits)
    }
    effects <- if (length(dim(x$effects)) == 3L) matrix(x$effects[, , j], nrow(x$effects)) else x$effects
    quartiles <- t(apply(effects, 2L, stats::quantile, c(0.25, 0.5, 0.75), na.rm = TRUE))
    if (all(quartiles[, 1L] == quartiles[, 3L])) next  # linear: the same everywhere
    rownames(quartiles) <- as.character(table$column)
    cat("\nQuartiles over the points", of, ":\n", sep = "")
    print(quartiles, digits = digits)
  }
  if (!is.null(x$type)) cat("\n", standard_error_words(x$type), "\n", sep = "")
  if (length(x$binary) > 0L) {
    cat("\nDifferences between two values instead of derivatives: ", paste(x$binary, collapse = ", "), "\n", sep = "")
  }
  if (length(x$reference) > 0L) {
    cat("\nLevels of a factor: differences to its first level, ", paste(x$reference, collapse = ", "), "\n", sep = "")
  }
  invisible(x)
}
