# Why a fit took its route, and what the others would have cost.

explain <- function(object, ...) UseMethod("explain")

# With the data that DALEX::explain() takes it is that function, whichever package was attached last.
explain.freeridge <- function(object, ...) {
  if (any(c("data", "y") %in% ...names()) && requireNamespace("DALEX", quietly = TRUE)) return(DALEX::explain(object, ...))
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
