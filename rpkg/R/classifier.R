# Kernel logistic regression and support vector machines for two classes; several classes: logistic_classes.R.

kernel_logistic <- function(x, ...) {
  call <- formula_first(...names(), sys.call(), parent.frame())
  if (is.null(call)) UseMethod("kernel_logistic") else eval(call, parent.frame())
}

kernel_logistic.default <- function(x, y, kernel = NULL, lambda = NULL, intercept = TRUE, weights = NULL,
                                    scale = is.null(kernel) || divides_columns(kernel), tolerance = NULL, iterations = NULL,
                                    class_weights = NULL, lengths = NULL, shrinkage = 0.5, learn_rows = NULL, seed = 0,
                                    ...) {
  refuse_extra(...)
  call <- match.call()
  call[[1L]] <- quote(kernel_logistic)
  all_given(x, y)
  if (!is.null(kernel)) check_kernel(kernel)
  known <- levels(y)
  y <- labels_of_classes(y)
  weights <- with_class_weights(weights, class_weights, y)
  x <- numeric_matrix(x, "x")
  learning <- NULL
  if (is.null(kernel) || is.null(lambda) || chooses_bandwidth(kernel)) {
    learning <- learnt_logistic(x, y, kernel, intercept, weights, scale, lengths, shrinkage, learn_rows, seed)
    kernel <- learning$kernel
    scale <- if (is.null(learning$scale)) FALSE else learning$scale
    if (is.null(lambda)) lambda <- learning$lambda
  }
  fit_to <- function(y) fit_classifier("logistic", call, x, y, kernel, lambda, intercept, weights, scale, tolerance, iterations)
  fit <- if (is_of_several(y)) several_logistic(fit_to, y, call) else fit_to(y)
  fit[c("learning", "open_kernel", "bands")] <- learning[c("learning", "open_kernel", "bands")]
  if (!is.null(known)) fit$known <- known
  fit
}

kernel_svm <- function(x, ...) {
  call <- formula_first(...names(), sys.call(), parent.frame())
  if (is.null(call)) UseMethod("kernel_svm") else eval(call, parent.frame())
}

kernel_svm.default <- function(x, y, kernel, lambda, intercept = TRUE, weights = NULL, scale = FALSE, tolerance = NULL,
                               iterations = NULL, ...) {
  refuse_extra(...)
  call <- match.call()
  call[[1L]] <- quote(kernel_svm)
  fit_classifier("svm", call, x, y, kernel, lambda, intercept, weights, scale, tolerance, iterations)
}

fit_classifier <- function(loss, call, x, y, kernel, lambda, intercept, weights, scale, tolerance, iterations) {
  all_given(x, y)
  if (missing(kernel)) refuse("kernel is missing: as in gaussian_kernel(sigma = 1)")
  if (missing(lambda)) refuse_missing_lambda()
  check_kernel(kernel)
  if (chooses_bandwidth(kernel)) {
    refuse("kernel has a bandwidth that is not given; it is not chosen here, as freeridge() does")
  }
  x <- numeric_matrix(x, "x")
  classes <- two_classes(y)
  if (length(classes$y) != nrow(x)) {
    refuse("y has ", counted(length(classes$y), "label"), ", x has ", counted(nrow(x), "row"))
  }
  check_square(kernel, x)
  check_row_names(x, y, kernel$name == "precomputed")
  counts <- if (is.null(weights)) rep(TRUE, nrow(x)) else check_weights(weights, nrow(x)) > 0
  kernel <- scales_by_name(kernel, feature_names(x))

  aside <- NULL
  if (!all(counts)) {  # rows of weight zero: see rows.R
    if (length(unique(classes$y[counts])) < 2L) refuse("y has one class only among the rows whose weight is positive")
    columns <- if (kernel$name == "precomputed") counts else rep(TRUE, ncol(x))
    aside <- list(rows = which(!counts), x = x[!counts, columns, drop = FALSE], y = classes$y[!counts],
                  cases = rownames(x))
    x <- structure(x[counts, columns, drop = FALSE], factor_terms = attr(x, "factor_terms"))
    classes$y <- classes$y[counts]
    weights <- weights[counts]
  }
  intercept <- check_intercept(intercept)
  fit <- list(
    call = call, loss = loss, kernel = kernel, scale = column_scale(scale, x, divisor_of_constant(kernel)), aside = aside,
    lambda = check_classifier_lambda(lambda, loss), intercept = !isFALSE(intercept),
    penalised = identical(intercept, "penalised"), weights = weights,
    control = check_control(tolerance, iterations), x = x, y = classes$y, levels = classes$levels, known = classes$known,
    kind = classes$kind, cases = rownames(x)
  )
  model <- new_classifier(fit, fit$lambda)
  fit <- c(fit, core_classifier_summary(model, loss == "svm"))
  fit$saved <- core_classifier_save(model)
  fit$cache <- new.env(parent = emptyenv())
  fit$cache$model <- model
  structure(fit, class = "freeridge_classifier")
}

# Labels as -1 and +1: list(y, levels, known, kind), as in class_coding(). +1 is the second level of a factor, as in glm(), TRUE, or the larger of
# two numbers or strings.
two_classes <- function(y) {
  if (is.data.frame(y) || length(dim(y)) > 1L || !is.atomic(y) || length(y) == 0L || inherits(y, not_numbers)) {
    refuse("y must be a factor with two levels, TRUE and FALSE, 0 and 1, or -1 and +1, not ", shown(y),
           if (inherits(y, "Surv")) advice(y, "y"))
  }
  y <- without_class(y)
  missing <- which(is.na(y))
  if (length(missing) > 0L) refuse("y[", missing[1L], "] is NA; all labels must be known")
  kind <- "factor"
  if (is.logical(y)) {
    kind <- "logical"
    y <- factor(y, c(FALSE, TRUE))
  } else if (is.numeric(y)) {
    kind <- "numeric"
    known <- if (any(y == -1)) c(-1, 1) else c(0, 1)
    bad <- which(!y %in% known)
    if (length(bad) > 0L) {
      refuse("y[", bad[1L], "] is ", format(y[[bad[1L]]]), "; numbers must be 0 and 1, or -1 and +1; factor(y) makes ",
             "classes of others")
    }
    y <- factor(y, known)
  } else if (is.character(y)) {
    y <- factor(y)
  } else if (!is.factor(y)) {
    refuse("y must be a factor with two levels, TRUE and FALSE, 0 and 1, or -1 and +1, not ", shown(y))
  }
  known <- levels(y)
  there <- unique(as.character(y))
  if (length(there) < 2L) refuse("y has one class only, ", there, "; both must be there")
  if (nlevels(y) > 2L && length(there) == 2L) y <- droplevels(y)
  if (nlevels(y) != 2L) refuse("y has ", counted(nlevels(y), "level"), "; there must be two")
  list(y = c(-1, 1)[as.integer(y)], levels = levels(y), known = known, kind = kind)
}

check_one_positive <- function(value, name) {
  value <- without_class(value)
  if (!is.numeric(value) || length(value) != 1L || !is.finite(value) || value <= 0) {
    refuse(name, " must be one positive number, not ", shown(value))
  }
  as.double(value)
}

# A support vector machine has a limit at lambda = 0, the hard margin.
refuse_missing_lambda <- function() refuse("lambda is missing: one positive number, or 0 for the hard margin")
check_classifier_lambda <- function(value, loss) {
  if (loss == "svm" && is.numeric(value) && length(value) == 1L && !is.na(value) && value == 0) return(0)
  if (loss == "svm" && (!is.numeric(value) || length(value) != 1L || !is.finite(value) || value < 0)) {
    refuse("lambda must be one positive number, or 0 for the hard margin, not ", shown(value))
  }
  check_one_positive(value, "lambda")
}

check_control <- function(tolerance, iterations) {
  if (is.null(tolerance) && is.null(iterations)) return(NULL)
  if (is.null(tolerance) || is.null(iterations)) refuse("tolerance and iterations go together: give both or neither")
  c(check_one_positive(tolerance, "tolerance"), check_whole(iterations, "iterations", 1))
}

new_classifier <- function(fit, lambda) {
  model <- core_classifier_create(unclass(fit$kernel), fit$scale, fit$loss == "svm", fit$x, fit$y,
                                  intercept_code(fit), fit$weights, fit$control)
  core_classifier_fit(model, lambda)
  model
}

# The core's classifier of a fit that was read from a file, made of its saved bytes. Where there are none, as the kernel
# is nested too deeply to be saved, the classifier is fitted again.
revived_classifier <- function(fit) {
  if (is.null(fit$saved)) new_classifier(fit, fit$lambda) else core_classifier_load(fit$saved, fit$x)
}

# The core's classifier at the fit's lambda or at another one. For other lambdas the fit keeps a second classifier,
# which uses its kernel matrix again and starts from its last solution.
classifier_at <- function(fit, lambda = NULL) {
  if (is.null(lambda) || check_classifier_lambda(lambda, fit$loss) == fit$lambda) {
    if (!core_is_alive(fit$cache$model)) fit$cache$model <- revived_classifier(fit)
    return(fit$cache$model)
  }
  if (!core_is_alive(fit$cache$other)) {
    fit$cache$other <- new_classifier(fit, lambda)
  } else if (!identical(fit$cache$lambda, lambda)) {
    fit$cache$lambda <- NULL
    core_classifier_fit(fit$cache$other, lambda)
  }
  fit$cache$lambda <- lambda
  fit$cache$other
}

# Decision values as classes of the kind that y had.
as_classes <- function(fit, decision) {
  second <- decision > 0
  switch(fit$kind,
    factor = factor(fit$levels[second + 1L], levels = fit$known),
    logical = second,
    numeric = as.double(fit$levels)[second + 1L]
  )
}

predict.freeridge_classifier <- function(object, newdata = NULL, type = "decision", lambda = NULL,
                                         na.action = stats::na.pass, ...) {
  refuse_extra(...)
  check_choice(type, "type", c(class_types, "distance"))
  # as glm has it; a machine without probabilities answers with classes, as those of other packages do
  if (type == "response") type <- if (object$loss == "svm") "class" else "probability"
  scaling <- if (type == "probability" && object$loss == "svm") svm_calibration(object, lambda)
  model <- classifier_at(object, lambda)
  ask <- function(x) {
    if (type == "distance") return(hyperplane_distances(model, x))
    if (!is.null(scaling)) return(stats::plogis(scaling[1L] + scaling[2L] * core_classifier_predict(model, x)))
    core_classifier_predict(model, x, if (type == "probability") type else "decision")
  }
  if (is.null(newdata)) return(classifier_rows(object, ask(object$x), ask, type == "class"))
  new <- new_rows(object, newdata, na.action)
  values <- answered(new, function(x) matrix(ask(x)))[, 1L]
  if (type == "class") values <- as_classes(object, values)
  stats::setNames(values, new$names)
}

# Platt's two numbers (A, B) of a support vector machine, from the left-out decision values (loo()).
svm_calibration <- function(fit, lambda) {
  if (is.null(lambda)) lambda <- fit$lambda
  if (identical(fit$cache$calibration$lambda, lambda)) return(fit$cache$calibration$scaling)
  decision <- core_classifier_loo(classifier_at(fit, lambda))
  known <- !is.nan(decision)
  if (length(unique(fit$y[known])) < 2L) {
    refuse("type is \"probability\", which is calibrated on left-out rows, and a class has one row only")
  }
  weights <- if (is.null(fit$weights)) rep(1, length(fit$y)) else fit$weights
  scaling <- platt_scaling(decision[known], fit$y[known] > 0, weights[known])
  fit$cache$calibration <- list(lambda = lambda, scaling = scaling)
  scaling
}

# Values of all rows in the order of the data: `values` at the rows that count, ask(x) at those of weight zero.
all_points <- function(fit, values, ask) {
  if (is.null(fit$aside)) return(values)
  all <- rep(values[1L], row_count(fit))
  all[-fit$aside$rows] <- values
  all[fit$aside$rows] <- ask(fit$aside$x)
  all
}

# The same as users see it: with names, and with the rows that na.exclude brings back. as_class: as labels.
classifier_rows <- function(fit, values, ask, as_class = FALSE) {
  values <- all_points(fit, values, ask)
  if (as_class) values <- as_classes(fit, values)
  stats::naresid(fit$na.action, stats::setNames(values, all_cases(fit)))
}

fitted.freeridge_classifier <- function(object, ...) {
  refuse_extra(...)
  predict(object)
}

loo.freeridge_classifier <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  model <- classifier_at(object, lambda)
  decision <- core_classifier_loo(model)
  warn_leverage_of_one("the left-out decision value", place_of(object, which(is.nan(decision))))
  classifier_rows(object, decision, function(x) core_classifier_predict(model, x))
}

coef.freeridge_classifier <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  found <- core_classifier_coefficients(classifier_at(object, lambda))
  if (!is_linear(object$kernel)) {
    c <- classifier_rows(object, found$c, function(x) rep(0, nrow(x)))
    return(structure(c, intercept = found$b, class = "freeridge_expansion"))
  }
  metric <- linear_metric(object$kernel, ncol(object$x))
  if (!is.null(object$scale)) metric <- metric / object$scale^2
  w <- stats::setNames(metric * as.vector(crossprod(object$x, found$c)), feature_names(object$x))
  if (object$intercept) c("(Intercept)" = found$b, w) else w
}

nobs.freeridge_classifier <- function(object, use.fallback = FALSE, ...) {
  refuse_extra(...)
  nrow(object$x)
}

print.freeridge_classifier <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  wrapped({
    print_classifier_setting(x, digits)
    cat("lambda: ", format(x$lambda, digits = digits), if (x$lambda == 0) " (hard margin)",
        chosen_by_evidence(x), "; objective: ", format(x$objective, digits = digits), " after ",
        counted(x$iterations, if (x$loss == "svm") "pair update" else "Newton step"), "\n", sep = "")
    if (x$loss == "svm") {
      cat(counted(length(x$support), "support vector"), "; margin: ", format(x$margin, digits = digits), "\n", sep = "")
    }
  })
  invisible(x)
}
