# Formulas: what a fit takes from a formula and its data, and the formula methods of the fits beside freeridge().

# What a call of a formula method gives: list(frame, terms, response, design, intercept, fixed, parts, dropped,
# columns, response_columns). With unpenalised() in the formula `fixed` has its columns and their source, and `parts`
# the terms as given and those of the kernel; with random effects `parts` is there, too, and `effects`. dropped: the rows of the frame that na.exclude took away. columns: the
# variables that new data must have. kernel: NULL for a linear fit.
formula_parts <- function(call, environment, formula, kernel, intercept, lambda = NULL) {
  formula <- check_formula(formula)
  data <- data_of_call(call, environment)
  random <- random_parts(formula, !is.null(kernel) && is_linear(as_kernel(kernel)))
  beside <- as.list(call[intersect(names(call), c("subset", "weights", "offset"))])
  others <- unlist(lapply(c(random$formula, beside), all.vars))
  random$effects <- lapply(random$effects, function(effect) {
    c(effect, list(labels = if (!"." %in% others) setdiff(unlist(lapply(effect$groups, all.vars)), others)))
  })
  call <- call_with_data(call, formula, data, random$effects)
  parts <- unpenalised_parts(random$formula, call$data, random$effects, formula)
  framing <- frame_call(call, parts$flat)
  frame <- made_frame(framing, environment)
  terms <- terms_with_units(attr(frame, "terms"), frame)
  response <- with_levels_of_data(stats::model.response(frame), formula, call$data)
  if (is.null(response)) refuse("the formula has no response: ", shown_formula(formula))
  design <- design_matrix(if (is.null(parts)) terms else parts$penalised, frame,
                          level_value = level_value_for(kernel, lambda))
  effects <- with_levels(random$effects, frame)
  design$x <- with_random_columns(design$x, effects, frame)
  intercept <- check_intercept(intercept)
  if (attr(if (is.null(parts)) terms else parts$given, "intercept") != 1L) intercept <- FALSE
  fixed <- if (!is.null(parts$fixed)) fixed_design(parts$fixed, frame, intercept)
  if (!is.null(fixed)) {  # no name of another penalised column; a trend has that of its variable
    same <- intersect(attr(parts$penalised, "term.labels"), attr(fixed$source$terms, "term.labels"))
    names <- make.unique(c(setdiff(colnames(design$x), same), colnames(fixed$x)))
    colnames(fixed$x) <- utils::tail(names, ncol(fixed$x))
  }
  c(list(frame = frame, terms = terms, response = response, design = design, intercept = intercept, fixed = fixed,
         parts = parts[c("given", "penalised")], effects = effects,
         dropped = dropped_rows(frame, framing, environment)),
    columns_of_call(call, terms, data, environment(formula)))
}

# A response of labels with all levels that it has in the data, those of no row of the frame among them.
with_levels_of_data <- function(response, formula, data) {
  if (!is.factor(response)) return(response)
  factor(response, union(levels(eval(formula[[2L]], data, environment(formula))), levels(response)))
}

# The fit that fit_to(x, y, intercept, weights) makes of the columns of a formula. name: the function that the user
# called.
fit_formula <- function(name, call, environment, formula, intercept, fit_to, kernel = NULL, lambda = NULL) {
  call[[1L]] <- as.name(name)
  parts <- formula_parts(call, environment, formula, kernel, intercept, lambda)
  for (word in c(if (length(parts$effects) > 0L) "random()", if (!is.null(parts$fixed)) "unpenalised()")) {
    refuse(word, " is for freeridge(), ", name, "() has no such columns")
  }
  if (!is.null(stats::model.offset(parts$frame))) {
    refuse("the formula has an offset, which ", name, "() does not take; freeridge() does")
  }
  x <- parts$design$x
  if (ncol(x) == 0L) refuse("the formula has no predictors: ", shown_formula(formula))
  fit <- fit_to(x, parts$response, parts$intercept, stats::model.weights(parts$frame))
  fit$call <- call
  fit$na.action <- attr(parts$frame, "na.action")
  with_terms(fit, parts)
}

ols.formula <- function(formula, data, subset, na.action, intercept = TRUE, ...) {
  refuse_extra(...)
  fit_formula("ols", match.call(), parent.frame(), formula, intercept, function(x, y, intercept, weights) {
    ols.default(x, y, intercept)
  })
}

ridge.formula <- function(formula, data, lambda, penalty = NULL, subset, na.action, intercept = TRUE, ...) {
  refuse_extra(...)
  if (missing(lambda)) refuse("lambda is missing: one number >= 0")
  fit_formula("ridge", match.call(), parent.frame(), formula, intercept, function(x, y, intercept, weights) {
    ridge.default(x, y, lambda, penalty, intercept)
  }, linear_kernel(), lambda)
}

tls.formula <- function(formula, data, exact = NULL, subset, na.action, intercept = TRUE, ...) {
  refuse_extra(...)
  fit_formula("tls", match.call(), parent.frame(), formula, intercept, function(x, y, intercept, weights) {
    tls.default(x, y, intercept, exact)
  })
}

kernel_logistic.formula <- function(formula, data, kernel = NULL, lambda = NULL, subset, na.action, weights,
                                    intercept = TRUE, ...) {
  fit_formula("kernel_logistic", match.call(), parent.frame(), formula, intercept, function(x, y, intercept, weights) {
    kernel_logistic.default(x, y, kernel, lambda, intercept, weights, ...)
  }, if (is.null(kernel)) matern_kernel() else kernel)
}

kernel_svm.formula <- function(formula, data, kernel, lambda, subset, na.action, weights, intercept = TRUE, ...) {
  if (missing(kernel)) refuse("kernel is missing: as in gaussian_kernel(sigma = 1)")
  if (missing(lambda)) refuse_missing_lambda()
  fit_formula("kernel_svm", match.call(), parent.frame(), formula, intercept, function(x, y, intercept, weights) {
    kernel_svm.default(x, y, kernel, lambda, intercept, weights, ...)
  }, kernel)
}
