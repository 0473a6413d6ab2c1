# Residuals of every kind, influence, degrees of freedom and the standard deviation of the errors.

# "working" and "deviance" are the same as "response" and "pearson", whose names they have for models that are not
# linear.
residual_types <- c("response", "pearson", "loo", "working", "deviance")

residuals.freeridge <- function(object, type = "response", lambda = NULL, ...) {
  refuse_extra(...)
  check_choice(type, "type", residual_types)
  if (type == "loo") return(loo(object, lambda))
  values <- residual_matrix(object, lambda)
  weighted <- type %in% c("pearson", "deviance") && !is.null(given_weights(object))
  if (weighted) values <- sqrt(given_weights(object)) * values
  aside <- if (weighted) 0 else if (!is.null(object$aside)) errors_aside(object, model_at(object, lambda))
  stats::naresid(object$na.action, all_rows(object, values, aside))
}

residual_matrix <- function(fit, lambda) {
  fit$y - if (is.null(lambda)) fit$fitted.values else core_fitted(model_at(fit, lambda))
}

rstandard.freeridge <- function(model, lambda = NULL, ...) {
  refuse_extra(...)
  values <- standardised_residuals(model, model_at(model, lambda))
  warn_no_variance("the standardised residual", model, values)
  stats::naresid(model$na.action, all_rows(model, values))
}

# values: n x t, NaN where `what` does not exist.
warn_no_variance <- function(what, fit, values) {
  undefined <- which(rowSums(is.nan(values)) > 0L)
  if (length(undefined) == 0L) return(invisible())
  warn_undefined(what, " is undefined (NaN) at row ", some_of(place_of(fit, undefined)),
                 ": its leverage is one, or the errors have no variance")
}

# e_i over its standard deviation, which is r_i sqrt(W_ii) / (sigma sqrt(1 - H_ii)) (influence.R), n x t, at the lambda
# in force. NaN where the left-out error does not exist.
standardised_residuals <- function(fit, handle) {
  sigma <- sqrt(core_degrees_of_freedom(handle)$sigma2)
  known_errors(fit, handle) / (rep(sigma, each = nrow(fit$x)) * spread_of_errors(fit, core_by_row(handle, "leverage")))
}

deviance.freeridge <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  weights <- weights_or_ones(object)
  named_by_output(object, colSums(weights * residual_matrix(object, lambda)^2, na.rm = TRUE))
}

cooks.distance.freeridge <- function(model, lambda = NULL, ...) {
  refuse_extra(...)
  distance <- core_by_row(model_at(model, lambda), "cooks_distance")
  warn_no_variance("Cook's distance", model, distance)
  stats::naresid(model$na.action, all_rows(model, distance, 0))
}

warn_no_sigma <- function() {
  warn_undefined("sigma is undefined (NaN): no degrees of freedom are left for the errors")
}

sigma.freeridge <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  variance <- core_degrees_of_freedom(model_at(object, lambda))$sigma2
  if (anyNA(variance)) warn_no_sigma()
  named_by_output(object, sqrt(variance))
}

df.residual.freeridge <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  named_by_output(object, observed_counts(object) - core_degrees_of_freedom(model_at(object, lambda))$df)
}

# In how many rows each output is observed.
observed_counts <- function(fit) {
  if (is_of_chunks(fit)) rep(fit$count, ncol(fit$y)) else as.integer(colSums(!is.na(fit$y)))
}

named_by_output <- function(fit, values) stats::setNames(values, fit$outputs)
