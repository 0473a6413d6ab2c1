# Covariances of the coefficients of a linear fit, in the original units of x (freeridge_coefficient_covariance); for a
# fit with unpenalised columns the covariances of their effects (freeridge_get_unpenalised_covariance).

# complete = FALSE leaves out unpenalised effects that are NA. No other coefficient is NA.
vcov.freeridge <- function(object, type = "bayesian", lambda = NULL, complete = TRUE, ...) {
  refuse_extra(...)
  complete <- check_flag(complete, "complete")
  if (!is.null(object$fixed)) {
    check_choice(type, "type", covariance_types)
    return(effect_covariance(object, lambda, complete))
  }
  model <- covariance_model(object, type, lambda)
  found <- core_coefficient_covariance(model, type, if (is_of_chunks(object)) has_free(object) else object$intercept)
  warn_reason(found$reason)
  if (is_of_chunks(object)) found$covariance <- covariance_in_units(object, found$covariance)
  labels <- stacked_names(object)
  kept <- rep(c(if (object$intercept) TRUE, rep(ncol(object$x) > 0L, max(ncol(object$x), 1L))), ncol(object$y))
  value <- structure(found$covariance[kept, kept, drop = FALSE], dimnames = list(labels, labels))
  # Outputs that are not observed in the same rows have no covariance.
  if (isTRUE(object$missing_values)) value[is.nan(value)] <- NA_real_
  value
}
vcov.freeridge_chunks <- vcov.freeridge

# Standard errors, (intercept and) slopes x outputs: the square roots of the diagonal of vcov(), without the whole
# matrix.
coefficient_errors <- function(fit, type, lambda = NULL) {
  found <- core_coefficient_errors(covariance_model(fit, type, lambda), type)
  warn_reason(found$reason)
  if (is_of_chunks(fit)) found <- errors_in_units(fit, found)
  rbind(if (fit$intercept) found$b, found$w[seq_len(ncol(fit$x)), , drop = FALSE], deparse.level = 0L)
}

covariance_types <- c("bayesian", "frequentist")

# The model that has the covariances. For a fit without predictors the core has a column of zeros (with_columns()),
# whose slope is dropped afterwards. That slope has a variance at lambda > 0 only, so such a fit is asked at lambda = 1,
# which changes nothing else. A penalised intercept does depend on lambda: there 0 is raised to a lambda as small as
# rounding.
covariance_model <- function(fit, type, lambda) {
  check_choice(type, "type", covariance_types)
  if (is_sparse(fit$x)) refuse_sparse("a covariance of the coefficients")
  if (!is_linear(fit$kernel)) {
    refuse("the kernel is ", format(fit$kernel), ", which has no slopes: coefficients have covariances for linear ",
           "kernels only; marginal_effects() has average slopes with standard errors")
  }
  if (ncol(fit$x) > 0L) return(model_at(fit, lambda))
  if (!has_penalised(fit)) return(model_at(fit, 1))
  mass <- if (is.null(fit$weights)) nrow(fit$x) else sum(fit$weights)
  model_at(fit, pmax(if (is.null(lambda)) fit$lambda else lambda, 1e-30 * mass))
}

# Warns of numbers of an answer that do not exist. reason: the core's words for why, or "" where all exist.
warn_reason <- function(reason) if (nzchar(reason)) warn_undefined(in_words_of_r(reason))

# The names of the coefficients below one another, output by output, as those of lm with several responses.
stacked_names <- function(fit, names = c(if (fit$intercept) "(Intercept)", feature_names(fit$x))) {
  if (ncol(fit$y) == 1L) names else paste(rep(fit$outputs, each = length(names)), names, sep = ":")
}

# Degrees of freedom of the quantiles beside standard errors: those that are left for the errors, and infinity, for normal
# quantiles, where the noise is known.
quantile_freedom <- function(fit, left) if (is.null(fit$noise_sd)) left else replace(left, TRUE, Inf)

# The coefficients that have standard errors, list(estimates, errors, freedom), coefficients x outputs: all those of a
# linear fit, and the unpenalised effects of any fit. Such effects have the degrees of freedom of the mixed model.
inference <- function(fit, type, lambda = NULL) {
  linear <- is_linear(fit$kernel)
  if (!linear && is.null(fit$fixed)) covariance_model(fit, type, lambda)  # refuses
  check_choice(type, "type", covariance_types)
  found <- NULL
  if (linear) {
    errors <- coefficient_errors(fit, type, lambda)
    found <- list(estimates = as.matrix(coef(fit, lambda)), errors = errors,
                  freedom = matrix(quantile_freedom(fit, df.residual(fit, lambda)), nrow(errors), ncol(errors), byrow = TRUE))
  }
  if (is.null(fit$fixed)) {
    rownames(found$estimates) <- variable.names(fit)
    return(found)
  }
  model <- effects_model(fit, lambda)
  own <- effect_errors(fit, model)
  estimates <- if (linear) found$estimates else effects_at(fit, model)
  rownames(estimates) <- if (linear) variable.names(fit) else colnames(fit$fixed)
  list(estimates = estimates, errors = rbind(found$errors, own$errors, deparse.level = 0L),
       freedom = rbind(found$freedom, matrix(own$freedom, nrow(own$errors), ncol(own$errors), byrow = TRUE),
                       deparse.level = 0L))
}

confint.freeridge <- function(object, parm = NULL, level = 0.95, type = "bayesian", lambda = NULL, ...) {
  refuse_extra(...)
  level <- check_fraction(level, "level")
  found <- inference(object, type, lambda)
  freedom <- as.vector(found$freedom)
  tails <- c((1 - level) / 2, (1 + level) / 2)
  value <- as.vector(found$estimates) +
    outer(as.vector(found$errors), tails, function(error, tail) error * stats::qt(tail, freedom))
  dimnames(value) <- list(stacked_names(object, rownames(found$estimates)),
                          paste(format(100 * tails, trim = TRUE, digits = 3L), "%"))
  if (is.null(parm)) return(value)
  if (!is.character(parm) && !is.numeric(parm)) {
    refuse("parm must be names or numbers of coefficients, not ", shown(parm))
  }
  known <- if (is.character(parm)) parm %in% rownames(value) else parm %in% seq_len(nrow(value))
  if (!all(known)) refuse("parm: ", shown(parm[!known][1L]), " is not the name or number of a coefficient")
  value[parm, , drop = FALSE]
}
confint.freeridge_chunks <- confint.freeridge
