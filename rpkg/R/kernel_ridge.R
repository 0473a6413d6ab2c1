# kernel_ridge(): freeridge() under the name that the field gives to kernel ridge regression. The kernel must be given.

kernel_ridge <- function(x, ...) {
  call <- formula_first(...names(), sys.call(), parent.frame())
  if (is.null(call)) UseMethod("kernel_ridge") else eval(call, parent.frame())
}

kernel_ridge.default <- function(x, y, kernel, lambda = NULL, intercept = TRUE, weights = NULL, ...) {
  call <- match.call()
  all_given(x, y)
  if (missing(kernel) || is.null(kernel)) refuse_no_kernel()
  as_kernel_ridge(freeridge(x, y, kernel, lambda, intercept = intercept, weights = weights, ...), call)
}

# freeridge() takes the expressions of subset, weights and offset from its call, as they may be columns of data. So that
# call is made in the frame in which kernel_ridge() was called.
kernel_ridge.formula <- function(formula, data, subset, na.action, weights, offset, groups = NULL, intercept = TRUE,
                                 kernel, lambda = NULL, ...) {
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
