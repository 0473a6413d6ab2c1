# What lm() has and people and packages ask of a model: its frame and matrix, names and likelihood.

model.frame.freeridge <- function(formula, ...) {
  refuse_extra(...)
  if (!made_by_formula(formula)) refuse("this fit was made from a matrix or a data frame: it has no model frame")
  eval(frame_call(formula$call), environment(formula$terms))
}

model.matrix.freeridge <- function(object, ...) {
  refuse_extra(...)
  if (!made_by_formula(object)) return(points_of(object))
  model_matrix_of(object$terms, stats::model.frame(object), object$contrasts, takes_all_levels(object$kernel))
}

terms.freeridge <- function(x, ...) {
  refuse_extra(...)
  if (!made_by_formula(x)) refuse("this fit was made from a matrix or a data frame: it has no terms")
  x$terms
}

case.names.freeridge <- function(object, ...) {
  refuse_extra(...)
  names <- rownames(as.matrix(residuals(object)))  # with those that na.exclude brings back
  if (is.null(names)) as.character(seq_len(nrow(object$x))) else names
}

variable.names.freeridge <- function(object, ...) {
  refuse_extra(...)
  c(if (object$intercept) "(Intercept)", feature_names(points_of(object)))
}

# The normal log-likelihood at the fitted values, with the variance that maximises it; the effective degrees of freedom,
# and one for the variance, count as parameters.
logLik.freeridge <- function(object, ...) {
  refuse_extra(...)
  if (ncol(object$y) > 1L) refuse("the fit has ", ncol(object$y), " outputs; a log-likelihood is that of one")
  if (!is.null(object$classes)) refuse("a fit to classes is least squares on -1 and +1: it has no likelihood")
  structure(log_likelihoods(object), nall = nrow(object$x), nobs = nrow(object$x),
            df = unname(nrow(object$x) - df.residual(object)) + 1, class = "logLik")
}

# One for each output.
log_likelihoods <- function(fit) {
  n <- nrow(fit$x)
  weights <- if (is.null(fit$weights)) rep(1, n) else fit$weights
  squares <- colSums(weights * (fit$y - fit$fitted.values)^2)
  unname(0.5 * (sum(log(weights)) - n * (log(2 * pi) + 1 - log(n) + log(squares))))
}
