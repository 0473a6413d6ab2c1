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
  c(fit[c("kernel", "scale", "learning", "open_kernel")], list(lambda = core_lambda(model)[1L]))
}

# One against all: a fit for each class, whose probabilities are divided by their sum.
several_logistic <- function(fit_to, y, call) {
  fits <- lapply(stats::setNames(levels(y), levels(y)), function(level) fit_to(y == level))
  first <- fits[[1L]]
  structure(
    c(list(call = call, fits = fits, levels = levels(y), counts = vapply(fits, function(fit) sum(fit$y > 0), 0), y = y),
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
  if (type == "class") return(as_labels(list(levels = object$levels, kind = "factor"), values))
  if (type == "decision") return(values)
  values <- stats::plogis(values)
  values / rowSums(values)
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

print.freeridge_logistic_classes <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_call(x)
  cat("Kernel logistic regression, each class against all others: ", counted(nrow(x$x), "point"), ", ",
      counted(ncol(x$x), "feature"), "\nClasses: ",
      paste0(short_names(paste0(x$levels, " (", x$counts, ")"))), "\nKernel: ", format(x$kernel, digits = digits),
      "\nIntercept: ", intercept_words(x), if (!is.null(x$weights)) "; weighted points", "\n", sep = "")
  print_logistic_learning(x)
  cat("lambda: ", format(x$lambda, digits = digits), "\n", sep = "")
  invisible(x)
}

print_logistic_learning <- function(fit) {
  if (is.null(fit$learning)) return(invisible())
  numbers <- fit$learning$learnt
  cat("  lambda", if (numbers > 0) paste(" and", counted(numbers, "number"), "of the kernel"), " by the evidence on ", fit$learning$rows,
      " rows (", nrow(fit$learning$history), " evaluations)\n", sep = "")
}
