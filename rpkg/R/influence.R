# What each row does to the fit, exactly and without refits (freeridge_influence). With the left-out errors e, the
# leverages h, and df_(-i) and sigma_(-i) of the fit without row i
#     rstudent_i = e_i / (sigma_(-i) s_i),   s_i^2 = 1 / W_ii + h_i / ((1 - h_i) W_ii)
# s_i sigma is the standard deviation of e_i; of a robust fit the first W_ii is the weight that was given, the others
# are the weights that it was made with.

# The left-out errors; NA where the output is not observed, NaN where they do not exist.
known_errors <- function(fit, handle) {
  errors <- core_by_row(handle, "loo")
  errors[is.na(fit$y)] <- NA
  errors
}

# The standard deviations of the left-out errors, over sigma; n x t.
spread_of_errors <- function(fit, leverage) {
  working <- if (is.null(fit$weights)) 1 else fit$weights
  sqrt(1 / weights_or_ones(fit) + leverage / (pmax(1 - leverage, 0) * working))
}

# list(df, sigma), n x t each: of the fits without each row. NaN where they do not exist.
without_each_row <- function(fit, handle) {
  found <- core_influence(handle)
  found$sigma[is.na(fit$y)] <- NaN
  found
}

rstudent.freeridge <- function(model, lambda = NULL, ...) {
  refuse_extra(...)
  handle <- model_at(model, lambda)
  values <- studentised_residuals(model, handle)
  warn_no_variance("the studentised residual", model, values)
  stats::naresid(model$na.action, all_rows(model, values))
}

# n x t, at the lambda in force. without: of without_each_row(), or NULL: sigma_(-i) as if H were a projection,
# sigma_(-i)^2 (d - 1) = sigma^2 (d - s_i^2) with the standardised residual s_i and d = n - df.
studentised_residuals <- function(fit, handle, without = without_each_row(fit, handle)) {
  leverage <- core_by_row(handle, "leverage")
  if (!is.null(without)) return(known_errors(fit, handle) / (without$sigma * spread_of_errors(fit, leverage)))
  standard <- standardised_residuals(fit, handle)
  left <- rep(observed_counts(fit) - core_degrees_of_freedom(handle)$df, each = nrow(leverage))
  standard * sqrt((left - 1) / (left - standard^2))
}

# By how much the coefficients of a linear fit are above those without row i: n x p or, of a matrix response, n x p x t.
dfbeta.freeridge <- function(model, lambda = NULL, ...) {
  refuse_extra(...)
  if (!is_linear(model$kernel)) {
    refuse("the kernel is ", format(model$kernel), ", which has no slopes; rstudent(), cooks.distance() and influence() ",
           "tell what a row does to the predictions")
  }
  handle <- model_at(model, lambda)
  n <- nrow(model$x)
  p <- model$intercept + ncol(with_columns(model$x)) + NCOL(model$fixed) * !is.null(model$fixed)
  change <- array(core_dfbeta(handle, p), c(n, p, ncol(model$y)))
  if (ncol(model$x) == 0L) change <- change[, -(model$intercept + 1L), , drop = FALSE]  # with_columns()
  names <- variable.names(model)
  slices <- lapply(seq_len(dim(change)[3L]), function(j) {
    whole <- matrix(0, row_count(model), dim(change)[2L])  # rows of weight zero change nothing
    whole[place_of(model, seq_len(n)), ] <- change[, , j]
    dimnames(whole) <- list(all_cases(model), names)
    with_dropped(model, whole, 0)
  })
  if (model$vector) return(slices[[1L]])
  array(unlist(slices), c(dim(slices[[1L]]), length(slices)), list(rownames(slices[[1L]]), names, model$outputs))
}

# Values of all rows with those that na.exclude dropped, which have the value `of_dropped`, as lm has it.
with_dropped <- function(fit, values, of_dropped) {
  values <- stats::naresid(fit$na.action, values)
  if (!inherits(fit$na.action, "exclude")) return(values)
  if (is.matrix(values)) values[fit$na.action, ] <- of_dropped else values[fit$na.action] <- of_dropped
  values
}

# dfbeta() over the frequentist standard errors with sigma_(-i) in the place of sigma.
dfbetas.freeridge <- function(model, lambda = NULL, ...) {
  refuse_extra(...)
  if (!is.null(model$fixed)) refuse("dfbetas() is for fits without unpenalised columns; dfbeta() has their changes too")
  if (ncol(model$y) > 1L) {
    refuse("dfbetas() is for one response, and the fit has ", ncol(model$y), "; dfbeta() is for several")
  }
  change <- dfbeta(model, lambda)
  handle <- model_at(model, lambda)
  sigma <- without_each_row(model, handle)$sigma[, 1L]
  own <- rep(NA_real_, row_count(model))
  own[place_of(model, seq_len(nrow(model$x)))] <- sigma
  errors <- coefficient_errors(model, "frequentist", lambda)[, 1L]
  errors <- errors / sqrt(core_degrees_of_freedom(model_at(model, lambda))$sigma2)
  change / outer(with_dropped(model, own, 1), errors[seq_len(ncol(change))])
}

# The parts of influence() of lm: hat, sigma (that of the fit without the row), wt.res, of linear kernels coefficients
# (dfbeta), and a table of measures with what is large, as influence.measures() has it.
influence.freeridge <- function(model, lambda = NULL, ...) {
  refuse_extra(...)
  if (ncol(model$y) > 1L) refuse("influence() is for one response, and the fit has ", ncol(model$y))
  handle <- model_at(model, lambda)
  without <- without_each_row(model, handle)
  hat <- core_by_row(handle, "leverage")
  student <- studentised_residuals(model, handle, without)
  df <- core_degrees_of_freedom(handle)$df
  n <- observed_counts(model)
  padded <- function(values, aside) stats::naresid(model$na.action, all_rows(model, as.matrix(values), aside))
  table <- cbind(rstudent = padded(student, NaN), dffits = padded(student * sqrt(hat / pmax(1 - hat, 0)), NaN),
                 cook.d = padded(core_by_row(handle, "cooks_distance"), 0), hat = hatvalues(model, lambda))
  rownames(table) <- case.names(model, full = TRUE)
  large <- cbind(padded(outside_bonferroni(model, student, without$df), FALSE),
                 abs(table[, "dffits"]) > 3 * sqrt(df / (n - df)),
                 stats::pf(table[, "cook.d"], df, n - df) > 0.5, table[, "hat"] > 3 * df / n)
  dimnames(large) <- dimnames(table)
  large[is.na(large)] <- 0
  linear <- is_linear(model$kernel)
  sigma <- with_dropped(model, all_rows(model, without$sigma), sigma(model, lambda))
  structure(
    c(list(hat = hatvalues(model, lambda), sigma = sigma, wt.res = residuals(model, "pearson", lambda)),
      if (linear) list(coefficients = dfbeta(model, lambda)),
      list(infmat = table, is.inf = large > 0, call = model$call)),
    class = "freeridge_influence"
  )
}

# stats has these two as functions of lm alone; other models are handed on to it.
influence.measures <- function(model, ...) UseMethod("influence.measures")

influence.measures.freeridge <- function(model, lambda = NULL, ...) {
  refuse_extra(...)
  influence(model, lambda)
}

dffits <- function(model, ...) UseMethod("dffits")

dffits.freeridge <- function(model, lambda = NULL, ...) {
  refuse_extra(...)
  influence(model, lambda)$infmat[, "dffits"]
}

# Whether |rstudent| is beyond the bound that the largest of n exceeds by chance in 5 % of data with normal errors; n x
# t, as df is, the degrees of freedom without each row.
outside_bonferroni <- function(fit, student, df) {
  n <- rep(observed_counts(fit), each = nrow(df))
  abs(student) > stats::qt(1 - 0.025 / n, quantile_freedom(fit, pmax(n - 1 - df, 1)))
}

print.freeridge_influence <- function(x, digits = max(3L, getOption("digits") - 4L), ...) {
  print_influence(x, seq_len(nrow(x$infmat)), digits, ...)
  invisible(x)
}

summary.freeridge_influence <- function(object, ...) {
  refuse_extra(...)
  structure(object, class = c("summary.freeridge_influence", class(object)))
}

print.summary.freeridge_influence <- function(x, digits = max(3L, getOption("digits") - 4L), ...) {
  print_influence(x, which(rowSums(x$is.inf) > 0L), digits, ...)
  invisible(x)
}

# A star beside what is large, and at the end of its row.
print_influence <- function(x, rows, digits, ...) {
  print_call(x)
  if (length(rows) == 0L) return(cat("No row stands out.\n"))
  numbers <- apply(x$infmat[rows, , drop = FALSE], 2L, format, digits = digits)
  marked <- matrix(paste0(numbers, ifelse(x$is.inf[rows, , drop = FALSE], "*", " ")), length(rows),
                   dimnames = list(rownames(x$infmat)[rows], colnames(x$infmat)))
  print(marked, quote = FALSE, right = TRUE, ...)
  wrapped(cat("* rstudent beyond the bound of Bonferroni at 5 %, |dffits| > 3 sqrt(df / (n - df)), Cook's distance ",
              "beyond the median of F, hat > 3 df / n\n", sep = ""))
}
