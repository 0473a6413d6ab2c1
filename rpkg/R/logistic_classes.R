# What kernel_logistic() has beside one fit of two classes: numbers that are learnt, weights of classes, several classes.

# Labels of more than two classes as a factor; all others as they are.
labels_of_classes <- function(y) {
  if (is.character(y) && length(unique(y[!is.na(y)])) > 2L) y <- factor(y)
  if (!is.factor(y)) return(y)
  missing <- which(is.na(y))
  if (length(missing) > 0L) refuse("y[", missing[1L], "] is NA; all labels must be known")
  droplevels(y)
}
is_of_several <- function(y) is.factor(y) && nlevels(y) > 2L

# The weights of rows times those of their classes. given: NULL; "balanced": each class has the same weight in all, n /
# (classes x rows of the class) a row; or numbers by the names of classes, 1 for others.
with_class_weights <- function(weights, given, y) {
  if (is.null(given)) return(weights)
  labels <- as.character(y)
  if (!is.null(weights)) weights <- check_weights(weights, length(labels))
  counted <- labels[if (is.null(weights)) TRUE else weights > 0]
  count <- table(counted)
  if (identical(given, "balanced")) {
    each <- length(counted) / (length(count) * count)
  } else {
    named <- is.numeric(given) && !is.null(names(given)) && all(is.finite(given) & given >= 0)
    if (!named) refuse("class_weights must be \"balanced\" or numbers >= 0 by the names of classes, not ", shown(given))
    unknown <- setdiff(names(given), labels)
    if (length(unknown) > 0L) refuse("class_weights has the class '", unknown[1L], "', and y has none of it")
    each <- stats::setNames(rep(1, length(count)), names(count))
    each[names(given)] <- given
  }
  weight <- as.vector(each[labels])
  weight[is.na(weight)] <- 0  # of a class that does not count
  if (is.null(weights)) weight else weights * weight
}

# list(kernel, scale, lambda, learning) by the evidence: the numbers of the kernel that are not given, and lambda.
learnt_logistic <- function(x, y, kernel, intercept, weights, scale, lengths, shrinkage, learn_rows, seed) {
  counts <- if (is.null(weights)) rep(TRUE, nrow(x)) else check_weights(weights, nrow(x)) > 0
  if (length(y) != nrow(x)) refuse("y has ", counted(length(y), "label"), ", x has ", counted(nrow(x), "row"))
  coded <- if (is_of_several(y)) coded_classes(as.integer(y), levels(y)) else two_classes(y)$y
  coded <- as.matrix(coded)[counts, , drop = FALSE]
  if (any(apply(coded, 2L, function(column) length(unique(column)) < 2L))) {
    refuse("a class has no row whose weight is positive, or all rows")
  }
  given <- !is.null(kernel)
  if (!given) kernel <- matern_kernel()
  check_square(kernel, x)
  if (is.null(lengths)) lengths <- if (chooses_bandwidth(kernel)) "each" else "one"
  columns <- if (kernel$name == "precomputed") counts else rep(TRUE, ncol(x))
  intercept <- check_intercept(intercept)
  fit <- list(kernel = scales_by_name(kernel, feature_names(x)), scale = column_scale(scale, x, divisor_of_constant(kernel)),
              x = structure(x[counts, columns, drop = FALSE], factor_terms = attr(x, "factor_terms")), y = coded,
              intercept = !isFALSE(intercept), penalised = identical(intercept, "penalised"), weights = weights[counts],
              criterion = "evidence", bandwidth_range = c(0, 0))
  fit <- c(fit, route_settings(nrow(x), NULL, "auto", seed, "auto", "auto", 0, 1e-8, 0))
  fit <- learning_settings(fit, lengths, "open", NULL, shrinkage, learn_rows)
  if (!given) fit$kernel <- default_kernel(fit$x, fit$lengths)
  fit$open_kernel <- fit$kernel
  model <- new_model(fit)
  fit <- learn_kernel(fit, model)
  c(fit[c("kernel", "scale", "learning", "open_kernel", "bands")], list(lambda = core_lambda(model)[1L]))
}

# One against all: a fit for each class, whose probabilities are divided by their sum.
several_logistic <- function(fit_to, y, call) {
  fits <- lapply(stats::setNames(levels(y), levels(y)), function(level) fit_to(y == level))
  first <- fits[[1L]]
  structure(
    c(list(call = call, fits = fits, levels = levels(y), known = levels(y), counts = vapply(fits, function(fit) sum(fit$y > 0), 0), y = y),
      first[c("kernel", "scale", "lambda", "x", "aside", "cases", "intercept", "penalised", "weights")]),
    class = "freeridge_logistic_classes"
  )
}

predict.freeridge_logistic_classes <- function(object, newdata = NULL, type = "decision", lambda = NULL,
                                               na.action = stats::na.pass, ...) {
  refuse_extra(...)
  check_choice(type, "type", class_types)
  if (is.null(newdata)) {
    values <- vapply(object$fits, function(fit) unname(predict(fit, lambda = lambda)), numeric(row_count(object)))
    values <- stats::naresid(object$na.action, structure(values, dimnames = list(all_cases(object), object$levels)))
  } else {
    new <- new_rows(object, newdata, na.action)
    values <- answered(new, function(x) {
      vapply(object$fits, function(fit) core_classifier_predict(classifier_at(fit, lambda), x), numeric(nrow(x)))
    })
    dim(values) <- c(length(new$known), length(object$levels))
    dimnames(values) <- list(new$names, object$levels)
  }
  if (type == "class") return(as_labels(list(levels = object$levels, known = object$known, kind = "factor"), values))
  if (type == "decision") return(values)
  values <- stats::plogis(values)
  of_all_levels(values / rowSums(values), object$known)
}

fitted.freeridge_logistic_classes <- function(object, ...) {
  refuse_extra(...)
  predict(object)
}

loo.freeridge_logistic_classes <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  values <- vapply(object$fits, function(fit) unname(loo(fit, lambda)), numeric(row_count(object)))
  stats::naresid(object$na.action, structure(values, dimnames = list(all_cases(object), object$levels)))
}

nobs.freeridge_logistic_classes <- nobs.freeridge_classifier

# The classes of the rows by decision values without each (loo()), as left_out_classes() has those of least squares.
left_out_by_logistic <- function(fit, lambda = NULL) {
  decision <- function(fit) core_classifier_loo(classifier_at(fit, lambda))
  several <- !is.null(fit$fits)
  levels <- fit$levels
  actual <- if (several) factor(levels[max.col(vapply(fit$fits, `[[`, fit$x[, 1L] * 0, "y"))], levels) else
    factor(levels[(fit$y > 0) + 1L], levels)
  values <- if (several) vapply(fit$fits, decision, numeric(nrow(fit$x))) else decision(fit)
  predicted <- as_labels(list(levels = levels, known = levels, kind = "factor"), values)
  wrong_classes(actual, predicted, if (is.null(fit$weights)) rep(1, nrow(fit$x)) else fit$weights)
}

# Up to so many rows print() makes the decision values without each row.
logistic_left_out_rows <- 2000L
svm_left_out_rows <- 500L

# What print() and summary() open with.
print_classifier_setting <- function(fit, digits, lambda = NULL) {
  several <- !is.null(fit$fits)
  logistic <- several || fit$loss == "logistic"
  counts <- if (several) fit$counts else c(sum(fit$y < 0), sum(fit$y > 0))
  print_call(fit)
  most <- if (logistic) logistic_left_out_rows else if (fit$lambda > 0) svm_left_out_rows else 0L
  if (nrow(fit$x) <= most && min(counts) > 1L) print_left_out_classes(fit, left_out_by_logistic(fit, lambda), digits)
  cat(if (logistic) "Kernel logistic regression" else "Support vector machine",
      if (several) ", each class against all others", ": ", counted(nrow(fit$x), "point"), ", ",
      counted(ncol(fit$x), "feature"), "\nClasses: ", short_names(paste0(fit$levels, " (", counts, ")")), "\n", sep = "")
  fit$learnt_by <- "the evidence of logistic regression"
  learnt <- !is.null(fit$learning) && fit$learning$learnt > 0
  cat("Kernel: ", if (learnt) shown_kernel(fit, digits) else format(fit$kernel, digits = digits), "\n", sep = "")
  if (learnt) print_learning(fit, digits)
  print_divisors(fit, digits)
  cat("Intercept: ", intercept_words(fit), if (!is.null(fit$weights)) "; weighted points", "\n", sep = "")
}

chosen_by_evidence <- function(fit) {
  if (!is.null(fit$learning)) paste0(" (by the evidence of ", counted(fit$learning$rows, "row"), ")")
}

print.freeridge_logistic_classes <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  wrapped({
    print_classifier_setting(x, digits)
    cat("lambda: ", format(x$lambda, digits = digits), chosen_by_evidence(x), "\n", sep = "")
  })
  invisible(x)
}
