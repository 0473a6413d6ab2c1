# Why a fit took its route, and what the others would have cost.

explain <- function(object, ...) UseMethod("explain")

explain.freeridge <- function(object, ...) {
  refuse_extra(...)
  object$route <- object$requested_route
  model <- new_model(object, device = if (is.null(object$device)) "cpu" else object$device)
  expect(model, if (!object$chosen) object$lambda, object$criterion)
  structure(core_explain(model), class = "freeridge_explanation")
}

print.freeridge_explanation <- function(x, ...) {
  cat(x, sep = "\n")
  invisible(x)
}
