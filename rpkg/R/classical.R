# Least squares of several kinds and what goes with them. No factorization is kept.

ols <- function(x, ...) {
  call <- formula_first(...names(), sys.call(), parent.frame())
  if (is.null(call)) UseMethod("ols") else eval(call, parent.frame())
}

ols.default <- function(x, y, intercept = TRUE, ...) {
  refuse_extra(...)
  data <- regression_data(x, y, intercept)
  linear_result("ols", match.call(), data, core_ols(data$x, data$y, data$intercept))
}

ridge <- function(x, ...) {
  call <- if (within_survival()) survival_call(sys.call()) else formula_first(...names(), sys.call(), parent.frame())
  if (is.null(call)) UseMethod("ridge") else eval(call, parent.frame())
}

ridge.default <- function(x, y, lambda, penalty = NULL, intercept = TRUE, ...) {
  refuse_extra(...)
  data <- regression_data(x, y, intercept)
  if (missing(lambda)) refuse("lambda is missing: one number >= 0")
  lambda <- check_lambda(lambda, 1L)
  if (!is.null(penalty)) {
    if (!is.numeric(penalty) || length(penalty) != ncol(data$x)) {
      refuse("penalty must be ", ncol(data$x), " numbers >= 0, one for each column of x, not ", shown(penalty))
    }
    penalty <- by_name(penalty, "penalty", feature_names(data$x), "column")
    penalty <- check_not_negative(penalty, "penalty")
  }
  found <- core_ridge(data$x, data$y, data$intercept, lambda, penalty)
  linear_result("ridge", match.call(), data, found, lambda = lambda, penalty = penalty)
}

tls <- function(x, ...) {
  call <- formula_first(...names(), sys.call(), parent.frame())
  if (is.null(call)) UseMethod("tls") else eval(call, parent.frame())
}

tls.default <- function(x, y, intercept = TRUE, exact = NULL, ...) {
  refuse_extra(...)
  data <- regression_data(x, y, intercept)
  if (!is.null(exact)) {
    if (!is.logical(exact) || length(exact) != ncol(data$x) || anyNA(exact)) {
      refuse("exact must be ", ncol(data$x), " TRUE or FALSE, one for each column of x, not ", shown(exact))
    }
    exact <- by_name(exact, "exact", feature_names(data$x), "column")
  }
  found <- core_tls(data$x, data$y, data$intercept, exact)
  fit <- linear_result("tls", match.call(), data, found, exact = exact, singular_values = found$singular_values,
                       distances = found$distances)
  fit$x_correction <- structure(found$x_correction, dimnames = dimnames(data$x))
  fit$y_correction <- structure(found$y_correction, dimnames = dimnames(data$y))
  fit
}

regression_data <- function(x, y, intercept) {
  all_given(x, y)
  vector <- is.null(dim(y)) || length(dim(y)) == 1L
  x <- numeric_matrix(x, "x")
  y <- response_matrix(y)
  if (nrow(y) != nrow(x)) refuse("y has ", nrow(y), " rows, x has ", nrow(x))
  check_row_names(x, y)
  list(x = x, y = y, vector = vector, intercept = check_flag(intercept, "intercept"))
}

linear_titles <- c(ols = "Ordinary least squares", ridge = "Ridge regression", tls = "Total least squares")

# A fit of the class "freeridge_linear": w and b as the core gives them, and the data.
linear_result <- function(method, call, data, found, ...) {
  call[[1L]] <- as.name(method)
  fit <- c(list(call = call, method = method), data, list(w = found$w, b = found$b, rank = found$rank, ...))
  fit$outputs <- output_names(data$y)
  fit$cases <- if (is.null(rownames(data$x))) rownames(data$y) else rownames(data$x)
  structure(fit, class = c(paste0("freeridge_", method), "freeridge_linear"))
}

# A name for each column: x3 for the third where it has none, and a number behind a name that is there twice.
feature_names <- function(x) {
  names <- colnames(x)
  if (is.null(names)) return(sprintf("x%d", seq_len(ncol(x))))
  empty <- is.na(names) | !nzchar(names)
  if (any(empty)) names[empty] <- sprintf("x%d", which(empty))
  if (anyDuplicated(names) > 0L) make.unique(names) else names
}

coef.freeridge_linear <- function(object, ...) {
  refuse_extra(...)
  with_intercept(object, object$b, object$w)
}

# The row of the intercept, if there is one, above those of the features; below them those of the fixed effects.
with_intercept <- function(fit, b, w, effects = NULL) {
  names <- c(if (fit$intercept) "(Intercept)", feature_names(fit$x), colnames(fit$fixed))
  shape(fit, rbind(if (fit$intercept) b, w, effects, deparse.level = 0L), names)
}

predict.freeridge_linear <- function(object, newdata = NULL, na.action = stats::na.pass, interval = "none",
                                     level = 0.95, ..., type = "response", se.fit = FALSE) {
  refuse_extra(...)
  check_choice(type, "type", c("response", "link"))
  check_choice(interval, "interval", c("none", "confidence", "prediction"))
  if (interval != "none" || check_flag(se.fit, "se.fit")) {
    return(predict(as_freeridge(object), newdata, interval = interval, level = level, se.fit = se.fit,
                   na.action = na.action))
  }
  at <- function(x) sweep(x %*% object$w, 2L, object$b, "+")
  if (is.null(newdata)) return(stats::naresid(object$na.action, shape(object, at(object$x))))
  new <- new_rows(object, newdata, na.action)
  shape(object, answered(new, at), new$names)
}

# The same fit by freeridge(), which has standard errors: ols() is the one with lambda = 0.
as_freeridge <- function(fit) {
  if (fit$method == "tls" || !is.null(fit$penalty)) no_standard_errors(fit, "intervals of predictions")
  same <- freeridge.default(fit$x, if (fit$vector) fit$y[, 1L] else fit$y, linear_kernel(),
                            if (fit$method == "ols") 0 else fit$lambda, intercept = fit$intercept)
  kept <- intersect(c("terms", "xlevels", "contrasts", "columns", "na.action", "cases"), names(fit))
  same[kept] <- unclass(fit)[kept]
  same
}

nobs.freeridge_linear <- function(object, use.fallback = FALSE, ...) {
  refuse_extra(...)
  nrow(object$x)
}

hatvalues.freeridge_ols <- function(model, ...) {
  refuse_extra(...)
  leverages(model, 0, NULL)
}

hatvalues.freeridge_ridge <- function(model, ...) {
  refuse_extra(...)
  if (any(model$penalty == 0) && model$lambda > 0) {
    refuse("the leverages of a fit with a penalty of 0 are not to be had")
  }
  leverages(model, model$lambda, if (model$lambda > 0) model$penalty)
}

# The leverages of the same fit by the kernel model: a column divided by sqrt(penalty) has the penalty one.
leverages <- function(fit, lambda, penalty) {
  handle <- core_create(list(name = "linear"), if (!is.null(penalty)) sqrt(penalty), fit$x, fit$y[, 1L, drop = FALSE])
  core_set_intercept(handle, fit$intercept)
  core_set_route(handle, "primal")
  core_factorize(handle)
  core_set_lambda(handle, lambda)
  stats::setNames(as.vector(core_by_row(handle, "leverage")), fit$cases)
}

df.residual.freeridge_ols <- function(object, ...) {
  refuse_extra(...)
  nrow(object$x) - object$rank - object$intercept
}

sigma.freeridge_ols <- function(object, ...) {
  refuse_extra(...)
  sigma <- core_ols(object$x, object$y, object$intercept, summary = TRUE)$sigma
  if (anyNA(sigma)) warn_undefined("sigma is undefined (NaN): no degrees of freedom are left")
  named_by_output(object, sigma)
}

print_linear <- function(fit, digits) {
  print_call(fit)
  cat(linear_titles[[fit$method]], ": ", counted(nrow(fit$x), "point"), ", ", counted(ncol(fit$x), "feature"), ", ",
      counted(ncol(fit$y), "output"), sep = "")
  if (!is.null(fit$rank) && fit$rank < ncol(fit$x)) cat("; rank ", fit$rank, ": the solution of least norm", sep = "")
  if (!is.null(fit$lambda)) cat("; lambda: ", format(fit$lambda, digits = digits), sep = "")
  if (!is.null(fit$exact)) cat("; known exactly: ", counted(sum(fit$exact), "feature"), sep = "")
  cat("\n\n")
}

print.freeridge_linear <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_linear(x, digits)
  print(coef(x), digits = digits)
  invisible(x)
}

summary.freeridge_ols <- function(object, ...) {
  refuse_extra(...)
  found <- core_ols(object$x, object$y, object$intercept, summary = TRUE)
  if (anyNA(unlist(found))) {
    warn_undefined("some entries are undefined (NaN): no degrees of freedom are left, x is rank deficient, or y is ",
                   "constant")
  }
  df <- df.residual(object)
  errors <- as.matrix(with_intercept(object, found$b_error, found$w_error))
  coefficients <- coefficient_tables(object, errors, rep(df, ncol(object$y)))
  structure(list(fit = object, coefficients = coefficients, sigma = named_by_output(object, found$sigma), df = df,
                 r.squared = named_by_output(object, found$r_squared)), class = "summary.freeridge_ols")
}

# A table as summary.lm has it, or of a matrix y a list with a table for each output. errors: coefficients x outputs.
coefficient_tables <- function(fit, errors, freedom, estimates = as.matrix(coef(fit))) {
  tables <- lapply(seq_along(freedom), function(j) {
    t <- estimates[, j] / errors[, j]
    p <- if (isTRUE(freedom[[j]] > 0)) 2 * stats::pt(abs(t), freedom[[j]], lower.tail = FALSE) else rep(NaN, length(t))
    cbind(Estimate = estimates[, j], "Std. Error" = errors[, j], "t value" = t, "Pr(>|t|)" = p)
  })
  if (fit$vector) tables[[1L]] else stats::setNames(tables, fit$outputs)
}

print.summary.freeridge_ols <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_linear(x$fit, digits)
  tables <- if (x$fit$vector) list(x$coefficients) else x$coefficients
  for (j in seq_along(tables)) {
    if (length(tables) > 1L) cat("Output ", names(tables)[j], ":\n", sep = "")
    stats::printCoefmat(tables[[j]], digits = digits, ...)
    cat("\nResidual standard error: ", format(x$sigma[[j]], digits = digits), " on ", x$df,
        " degrees of freedom; R-squared: ", format(x$r.squared[[j]], digits = digits), "\n\n", sep = "")
  }
  invisible(x)
}

pinv <- function(a, rcond = NULL) {
  all_given(a)
  a <- numeric_matrix(a, "a")
  if (is.null(rcond)) {
    rcond <- -1  # the core's own
  } else if (!is.numeric(rcond) || length(rcond) != 1L || !is.finite(rcond) || rcond < 0) {
    refuse("rcond must be one number >= 0, not ", shown(rcond))
  }
  found <- core_pinv(a, rcond)
  if (!is.null(dimnames(a))) dimnames(found$inverse) <- rev(dimnames(a))
  structure(found$inverse, rank = found$rank)
}

polynomial_features <- function(x, degree, bias = TRUE) {
  all_given(x)
  if (missing(degree)) refuse("degree is missing: as in polynomial_features(x, degree = 2)")
  x <- numeric_matrix(x, "x")
  degree <- check_whole(degree, "degree", 1, .Machine$integer.max)
  bias <- check_flag(bias, "bias")
  found <- core_polynomial_features(x, degree, bias)
  colnames(found$exponents) <- feature_names(x)
  structure(found$features, dimnames = list(rownames(x), monomial_names(found$exponents)), exponents = found$exponents)
}

polynomial_feature_count <- function(d, degree, bias = TRUE) {
  all_given(d, degree)
  core_polynomial_count(check_whole(d, "d", 1, .Machine$integer.max),
                        check_whole(degree, "degree", 1, .Machine$integer.max), check_flag(bias, "bias"))
}

# Names of monomials, a row of exponents each: "1", "x1", "x1^2", "x1 x2", ...
monomial_names <- function(exponents) {
  labels <- character(nrow(exponents))
  for (k in seq_len(ncol(exponents))) {
    power <- exponents[, k]
    name <- colnames(exponents)[k]
    factor <- ifelse(power == 0L, "", ifelse(power == 1L, name, paste0(name, "^", power)))
    labels <- ifelse(labels == "" | factor == "", paste0(labels, factor), paste(labels, factor))
  }
  ifelse(labels == "", "1", labels)
}

polynomial_feature_factors <- function(d, degree, scale = 1, offset = 1) {
  all_given(d, degree)
  d <- check_whole(d, "d", 1, .Machine$integer.max)
  degree <- check_whole(degree, "degree", 1, .Machine$integer.max)
  core_polynomial_factors(d, degree, one_number(scale, "scale"), one_number(offset, "offset"))
}

weighted_median <- function(values, weights = NULL) {
  all_given(values)
  values <- plain_numbers(values, "values")
  weights <- if (is.null(weights)) rep(1, length(values)) else plain_numbers(weights, "weights", length(values))
  core_weighted_median(values, check_not_negative(weights, "weights"))
}

absolute_slope <- function(x, y) {
  all_given(x, y)
  x <- plain_numbers(x, "x")
  core_absolute_slope(x, plain_numbers(y, "y", length(x)))
}

plain_numbers <- function(value, name, count = length(value)) {
  value <- without_class(value)
  if (!are_numbers(value) || length(value) == 0L) refuse(name, " must be numbers, not ", shown(value))
  if (length(value) != count) refuse(name, " must be ", counted(count, "number"), ", not ", length(value))
  value <- as.double(value)
  check_finite(value, name)
  value
}
