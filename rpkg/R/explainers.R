# What DALEX asks of a model, a fit or a stack.

yhat.freeridge <- function(X.model, newdata, ...) {
  as_plain(predict(X.model, newdata, type = "response"))  # of two classes the probability of the second
}

as_plain <- function(values) if (is.matrix(values)) values else unname(values)

# Of classes the numbers that yhat() gives are probabilities.
dalex_model_info <- function(model, ...) {
  type <- if (is.null(model$classes)) "regression" else if (model$vector) "classification" else "multiclass"
  structure(list(package = "freeridge", ver = as.character(utils::packageVersion("freeridge")), type = type),
            class = "model_info")
}

# What pdp asks of a model: of classes their probabilities, and with logit = TRUE their logarithms less the mean of these.
get_task.freeridge <- function(object) if (is.null(object$classes)) "regression" else "classification"

get_probs.freeridge <- function(object, newdata, which.class = 1L, logit = FALSE, ...) {
  found <- predict(object, as.data.frame(newdata), type = "probability")
  if (!isTRUE(logit)) return(found[, which.class])
  logs <- log(pmax(found, .Machine$double.eps))
  logs[, which.class] - rowMeans(logs)
}

get_task.freeridge_stack <- get_task.freeridge
get_probs.freeridge_stack <- get_probs.freeridge
