# Robust covariances of sandwich, and the tests of car, for coefficients of linear fits. With the columns X of the
# coefficients, weights W and residuals r the minimum of 1/2 r'Wr + lambda/2 ||w||^2 has
#     estfun   the n rows W_ii r_i X_i             bread   n (X'WX + lambda P)^-1 = n vcov / sigma^2
# so that sandwich::vcovHC() is the covariance of the penalised estimates when errors have different variances. Their bias
# is not in it.

estfun.freeridge <- function(x, ...) {
  refuse_extra(...)
  check_slopes(x, "sandwich")
  x["na.action"] <- list(NULL)
  weights <- stats::weights(x)
  model.matrix.freeridge(x)[, variable.names.freeridge(x), drop = FALSE] * as.vector(stats::residuals(x)) *
    (if (is.null(weights)) 1 else weights)
}

bread.freeridge <- function(x, ...) {
  refuse_extra(...)
  check_slopes(x, "sandwich")
  vcov.freeridge(x) * row_count(x) / unname(sigma(x))^2
}

Anova.freeridge <- function(mod, ...) {
  check_slopes(mod, "car::Anova()", "; anova(fit) tests the variables of any kernel")
  NextMethod()
}

linearHypothesis.freeridge <- function(model, ...) {
  if (is.null(model$fixed)) {
    check_slopes(model, "car::linearHypothesis()")
    return(NextMethod())
  }
  known <- !is.na(model$effects[, 1L])
  NextMethod(coef. = stats::setNames(model$effects[known, 1L], colnames(model$fixed)[known]),
             vcov. = vcov.freeridge(model, complete = FALSE))
}

modelparm.freeridge <- function(model, ...) {
  check_slopes(model, "multcomp::glht()", "; contrasts of emmeans have adjusted p values")
  NextMethod()
}

# The package effects makes the columns of a formula itself, with contrasts.
Effect.freeridge <- function(focal.predictors, mod, ...) {
  if (!is_linear(mod$kernel) || !is.null(mod$fixed) || length(level_terms(mod$x)) > 0L) {
    refuse("the package effects needs slopes of columns coded by contrasts, which this fit has not: effects(fit) has the ",
           "curves, and the packages emmeans and ggeffects have adjusted predictions")
  }
  check_one_response(mod, "the package effects")
  NextMethod()
}

# Refuses fits whose slopes have no covariance, or not all of them. instead: where the answer is.
check_slopes <- function(fit, tool, instead = "") {
  if (!is_linear(fit$kernel)) {
    refuse(tool, " is for slopes, and the kernel ", shown_kernel(fit, 3L), " has none: predictions, their contrasts and ",
           "average slopes have standard errors, see predict(), marginal_effects() and the package emmeans", instead)
  }
  if (!is.null(fit$fixed)) refuse(tool, " needs one covariance of all slopes, and unpenalised ones have their own, see vcov()")
  check_one_response(fit, tool)
}
