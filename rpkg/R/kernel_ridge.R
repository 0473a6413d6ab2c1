# kernel_ridge(): kernel ridge regression by the name that the field gives it; a front of freeridge() whose kernel must be
# named.

kernel_ridge <- function(x, ...) UseMethod("kernel_ridge")

kernel_ridge.default <- function(x, y, kernel, lambda = NULL, intercept = TRUE, weights = NULL, ...) {
  call <- match.call()
  if (missing(x)) refuse("x is missing")
  if (missing(y)) refuse("y is missing")
  if (missing(kernel) || is.null(kernel)) refuse_no_kernel()
  as_kernel_ridge(freeridge(x, y, kernel, lambda, intercept = intercept, weights = weights, ...), call)
}

# freeridge() reads the call itself (subset, weights and offset are columns of data), so the call is made where this one
# was made.
kernel_ridge.formula <- function(formula, data, subset, na.action, weights, offset, groups = NULL, intercept = TRUE, kernel,
                                 lambda = NULL, ...) {
  call <- match.call()
  if (missing(kernel) || is.null(kernel)) refuse_no_kernel()
  fitting <- call
  fitting[[1L]] <- quote(freeridge::freeridge)
  as_kernel_ridge(eval(fitting, parent.frame()), call)
}

refuse_no_kernel <- function() refuse("kernel is missing: as in gaussian_kernel(sigma = 1)")

# The fit with the call that made it, for print() and update().
as_kernel_ridge <- function(fit, call) {
  call[[1L]] <- quote(kernel_ridge)
  fit$call <- call
  fit
}
