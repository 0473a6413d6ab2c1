# The geometry of a classifier: margins, slacks, distances, the dual numbers alpha, and the gap that bounds the error of
# the objective.

support_names <- c("none", "free", "bounded")

point_margins <- function(object, lambda = NULL) {
  if (!inherits(object, "freeridge_classifier")) {
    refuse("object must be a fit of kernel_svm() or kernel_logistic(), not ", shown(object))
  }
  model <- classifier_at(object, lambda)
  svm <- object$loss == "svm"
  found <- core_classifier_points(model, svm)
  decision <- all_points(object, object$y * found$margin, function(x) core_classifier_predict(model, x))
  label <- all_points(object, object$y, function(x) object$aside$y)
  distance <- all_points(object, hyperplane_distances(model, object$x), function(x) hyperplane_distances(model, x))
  value <- data.frame(label = label, decision = decision, margin = label * decision, distance = distance,
                      alpha = all_points(object, found$alpha, function(x) rep(0, nrow(x))))
  if (svm) {
    value$slack <- pmax(0, 1 - value$margin)
    value$slack[all_points(object, rep(TRUE, nrow(object$x)), function(x) FALSE)] <- found$slack
    value$support <- factor(support_names[all_points(object, found$support, function(x) rep(0L, nrow(x))) + 1L],
                            support_names)
  }
  names <- names(classifier_rows(object, rep(0, nrow(object$x)), function(x) rep(0, nrow(x))))
  if (!is.null(names) && anyDuplicated(names) == 0L) row.names(value) <- names
  value
}

hyperplane_distances <- function(model, x) {
  found <- core_classifier_predict(model, x, "distance")
  if (anyNA(found)) {
    warn_undefined("the distances are undefined (NaN): the function is constant, there is no hyperplane")
  }
  found
}

residuals.freeridge_classifier <- function(object, ...) {
  refuse_extra(...)
  refuse("a classifier has no residuals: point_margins() has the margins y f of its points",
         if (object$loss == "svm") " and their slacks max(0, 1 - y f)")
}

# What is asked of fits to numbers.
for_numbers_alone <- function(what) {
  function(object, ...) {
    refuse_extra(...)
    refuse("a classifier has no ", what, ": point_margins() and summary() say how well it does")
  }
}
deviance.freeridge_classifier <- for_numbers_alone("deviance")
sigma.freeridge_classifier <- for_numbers_alone("standard deviation of errors")
df.residual.freeridge_classifier <- for_numbers_alone("degrees of freedom")

variable.names.freeridge_classifier <- function(object, ...) {
  refuse_extra(...)
  c(if (object$intercept) "(Intercept)", feature_names(object$x))
}

summary.freeridge_classifier <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  points <- point_margins(object, lambda)
  counted <- if (is.null(object$aside)) points else points[-object$aside$rows, ]
  duality <- core_classifier_duality(classifier_at(object, lambda))
  if (anyNA(unlist(duality))) warn_undefined("the primal value is undefined (NaN): a point is on the wrong side")
  far <- which.max(abs(counted$distance))
  norm <- if (length(far) == 1L) counted$decision[far] / counted$distance[far] else 0  # ||f||
  structure(
    list(fit = object, lambda = if (is.null(lambda)) object$lambda else lambda, norm = norm, margin = 1 / norm,
         support = if (object$loss == "svm") table(counted$support), slack = sum(counted$slack),
         errors = sum(counted$margin <= 0), primal = duality$primal, dual = duality$dual, duality_gap = duality$gap,
         points = points),
    class = "summary.freeridge_classifier"
  )
}

print.summary.freeridge_classifier <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  fit <- x$fit
  number <- function(value) format(value, digits = digits)
  wrapped(print_classifier_setting(fit, digits, x$lambda))
  cat("lambda: ", number(x$lambda), if (x$lambda == 0) " (hard margin)", "; points on the wrong side, none left out: ",
      x$errors, " of ", nrow(fit$x), "\n", sep = "")
  if (fit$loss == "svm") {
    cat("Support vectors: ", x$support[["free"]], " free, ", x$support[["bounded"]], " bounded; sum of slacks: ",
        number(x$slack), "\n", sep = "")
  }
  cat("||f||: ", number(x$norm), "; margin 1/||f||: ", number(x$margin), "\n", sep = "")
  cat("Objective: ", number(x$primal), "; dual: ", number(x$dual), "; gap, which bounds the error of the objective: ",
      number(x$duality_gap), "\n", sep = "")
  invisible(x)
}
