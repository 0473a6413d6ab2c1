# Influence, degrees of freedom and the standard deviation of the errors.

cooks.distance.freeridge <- function(model, lambda = NULL, ...) {
  refuse_extra(...)
  distance <- core_cooks_distance(model_at(model, lambda))
  undefined <- which(rowSums(is.nan(distance)) > 0L)
  if (length(undefined) > 0L) {
    warn_undefined("Cook's distance is undefined (NaN) at row ", some_of(undefined),
                   ": its leverage is one, or the errors have no variance")
  }
  stats::naresid(model$na.action, shape(model, distance))
}

sigma.freeridge <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  variance <- core_degrees_of_freedom(model_at(object, lambda))$sigma2
  if (anyNA(variance)) warn_undefined("sigma is undefined (NaN): no degrees of freedom are left for the errors")
  named_by_output(object, sqrt(variance))
}

df.residual.freeridge <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  named_by_output(object, nrow(object$x) - core_degrees_of_freedom(model_at(object, lambda))$df)
}

named_by_output <- function(fit, values) stats::setNames(values, fit$outputs)
