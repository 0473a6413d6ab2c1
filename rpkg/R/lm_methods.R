# What people and packages ask of a model because lm() has it: its frame and matrix, names and likelihood.

model.frame.freeridge <- function(formula, ...) {
  refuse_extra(...)
  refuse_lmtest(parent.frame())
  if (!made_by_formula(formula)) refuse("this fit was made from a matrix or a data frame: it has no model frame")
  whole_frame(formula)
}

# The tests of package lmtest take a part x for a model matrix with its constant column, fit a linear model to it, and test
# that.
refuse_lmtest <- function(frame) {
  if (!isNamespaceLoaded("lmtest") || !identical(topenv(frame), asNamespace("lmtest"))) return(invisible())
  refuse("lmtest would fit a linear model to the columns and test that one: give it lm(), or ask ",
         "performance::check_heteroscedasticity(fit), and rstudent() and acf() of the residuals")
}

# The terms as the user wrote them.
given_terms <- function(fit) if (is.null(fit$parts)) fit$terms else fit$parts$given

model.frame.freeridge_linear <- model.frame.freeridge_classifier <- model.frame.freeridge

model.matrix.freeridge <- function(object, ...) {
  refuse_extra(...)
  if (!made_by_formula(object)) return(points_of(object))
  frame <- whole_frame(object)
  level_value <- level_value_of(object)
  if (is.null(object$parts)) return(model_matrix_of(object$terms, frame, object$contrasts, level_value))
  penalised <- model_matrix_of(object$parts$penalised, frame, object$contrasts, level_value)
  given <- attr(given_terms(object), "term.labels")
  of_terms <- function(terms, assign) match(c("", attr(terms, "term.labels"))[1L + assign], given, 0L)
  place <- of_terms(object$parts$penalised, attr(penalised, "assign"))
  random <- attr(object$x, "random_terms")
  of_random <- match(vapply(object$random, `[[`, "", "term"), given)
  place <- c(place, rep(of_random, lengths(lapply(random, `[[`, "columns"))))
  x <- if (is.null(random)) penalised else with_random_columns(penalised, object$random, frame)
  if (!is.null(object$fixed_source)) {
    source <- object$fixed_source
    assign <- attr(model_matrix_of(source$terms, frame, source$contrasts, NULL), "assign")
    apart <- which(startsWith(given, "unpenalised("))
    assign <- assign[assign != 0L]
    place <- c(place, if (length(apart) > 0L) rep(apart[1L], length(assign)) else of_terms(source$terms, assign))
    x <- cbind(x, design_matrix(source$terms, frame, source$contrasts)$x)
  }
  structure(x, factor_terms = NULL, random_terms = NULL, assign = place)
}
model.matrix.freeridge_linear <- model.matrix.freeridge_classifier <- model.matrix.freeridge

terms.freeridge <- function(x, ...) {
  refuse_extra(...)
  if (!made_by_formula(x)) refuse("this fit was made from a matrix or a data frame: it has no terms")
  given_terms(x)
}
terms.freeridge_linear <- terms.freeridge_classifier <- terms.freeridge

case.names.freeridge <- function(object, full = FALSE, ...) {
  refuse_extra(...)
  names <- rownames(as.matrix(residuals(object)))  # with the rows that na.exclude brings back
  if (is.null(names)) names <- as.character(seq_len(row_count(object)))
  weights <- weights(object)
  if (full || is.null(weights)) names else names[weights != 0 | is.na(weights)]
}

variable.names.freeridge <- function(object, full = FALSE, ...) {
  refuse_extra(...)
  c(if (object$intercept) "(Intercept)", feature_names(points_of(object)), colnames(object$fixed))
}

# "prior": the weights that the fit was given; those of rows that do not count are zero. "robustness": those that robust
# = "huber" found; "working": the product of both, with which the fit was made. NULL where there are none.
weights.freeridge <- function(object, type = "prior", ...) {
  refuse_extra(...)
  check_choice(type, "type", c("prior", "robustness", "working"))
  own <- switch(type, prior = given_weights(object), robustness = object$robust$weights, working = object$weights)
  if (is.null(own)) return(NULL)
  values <- rep(if (type == "robustness") 1 else 0, row_count(object))
  values[place_of(object, seq_len(nrow(object$x)))] <- own
  if (type == "robustness") names(values) <- all_cases(object)
  stats::naresid(object$na.action, values)
}

# For step(), add1() and drop1(): the effective degrees of freedom and what is to be least, n log(mean square) + penalty
#     aic       of the residuals, with k for each degree of freedom: AIC up to a constant, as that of lm
#     loo       of the left-out errors
#     learnt    of the left-out errors with all that was chosen chosen again
extractAIC.freeridge <- function(fit, scale = 0, k = 2, ..., by = "aic") {
  refuse_extra(...)
  if (!identical(as.double(scale), 0)) refuse("scale must be 0: the variance is estimated, not ", shown(scale))
  check_choice(by, "by", c("aic", "loo", "learnt"))
  if (by == "aic" || is.null(fit$robust)) logLik(fit)  # refuses where there is none
  n <- observed_counts(fit)
  df <- n - unname(df.residual(fit))
  if (by == "aic") {
    if (!is.null(fit$learning) || !is.null(fit$bandwidth_search)) say_what_aic_misses()
    return(c(df, n * log(unname(deviance(fit)) / n) + k * df))
  }
  errors <- if (by == "loo") core_by_row(model_at(fit), "loo") else learnt_again(fit)$errors
  c(df, n * log(unname(observed_means(errors^2, weights_or_ones(fit), fit$y)) * sum(weights_or_ones(fit)) / n))
}

# Said once a session.
said <- new.env(parent = emptyenv())
say_what_aic_misses <- function() {
  if (!is.null(said$aic)) return(invisible())
  said$aic <- TRUE
  message("AIC counts the degrees of freedom of a fit and not what was learnt for it; by = \"learnt\", as in ",
          "step(fit, by = \"learnt\"), compares left-out errors with the kernel learnt again")
}

# The normal log-likelihood at the fitted values, with the variance that maximises it, or that is known; the effective
# degrees of freedom, and one for a variance that is not known, count as parameters.
logLik.freeridge <- function(object, ...) {
  refuse_extra(...)
  if (ncol(object$y) > 1L) refuse("the fit has ", ncol(object$y), " outputs; a log-likelihood is that of one")
  if (!is.null(object$classes)) refuse("a fit to classes is least squares on -1 and +1: it has no likelihood")
  if (!is.null(object$robust)) refuse("the fit is robust, with weights taken from its errors: it has no likelihood")
  n <- observed_counts(object)
  structure(log_likelihoods(object), nall = n, nobs = n, df = n - unname(df.residual(object)) + is.null(object$noise_sd), class = "logLik")
}

logLik.freeridge_chunks <- logLik.freeridge

# What packages ask to know the scale of predictions: least squares is the normal family with the identity as its link.
family.freeridge <- function(object, ...) {
  refuse_extra(...)
  if (!is.null(object$classes)) refuse("a fit to classes is least squares on -1 and +1: it has no family")
  stats::gaussian()
}
family.freeridge_linear <- family.freeridge_chunks <- family.freeridge

# The weights that the user gave to the rows that count, by which errors are averaged; of a robust fit without its own.
given_weights <- function(fit) if (is.null(fit$robust)) fit$weights else fit$robust$given
weights_or_ones <- function(fit) if (is.null(given_weights(fit))) rep(1, nrow(fit$x)) else given_weights(fit)

# The log-likelihood of each output.
log_likelihoods <- function(fit) {
  n <- observed_counts(fit)
  likelihood <- function(squares, log_weights) unname(0.5 * (log_weights - n * (log(2 * pi) + 1 - log(n) + log(squares))))
  if (is_of_chunks(fit)) return(likelihood(deviance(fit), fit$log_weight))
  weights <- weights_or_ones(fit)
  squares <- colSums(weights * (fit$y - fit$fitted.values)^2, na.rm = TRUE)
  if (!is.null(fit$noise_sd)) {
    known <- colSums(log(weights / (2 * pi * fit$noise_sd^2)) * !is.na(fit$y)) - squares / fit$noise_sd^2
    return(unname(0.5 * known))
  }
  likelihood(squares, colSums(log(weights) * !is.na(fit$y)))
}
