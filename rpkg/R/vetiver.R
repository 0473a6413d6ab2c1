# Deployment by the package vetiver: what is stored and served is the predictor of a fit. Registered by register_methods().

vetiver_create_description.freeridge <- function(model) {
  paste(if (is_linear(model$kernel)) "A ridge regression" else "A kernel ridge regression", "by freeridge")
}
vetiver_create_description.freeridge_stack <- function(model) "A stack of kernel ridge regressions by freeridge"

vetiver_create_meta.freeridge <- function(model, metadata) {
  getExportedValue("vetiver", "vetiver_meta")(metadata, required_pkgs = "freeridge")
}
vetiver_create_meta.freeridge_stack <- vetiver_create_meta.freeridge

# No rows of the variables that predict() needs, as a tibble.
vetiver_ptype.freeridge <- function(model, ...) {
  fit <- unclass(model)
  if (is.null(fit$terms)) return(as_tibble_frame(as.data.frame(as.matrix(fit$x[0L, , drop = FALSE]))))
  frame <- stats::model.frame(model)
  # Variables that the formula changes are not in the frame: the data has them.
  if (!all(fit$columns %in% names(frame))) {
    frame <- tryCatch(as.data.frame(eval(fit$call$data, environment(fit$terms))), error = function(condition) frame)
  }
  absent <- setdiff(fit$columns, names(frame))
  if (length(absent) > 0L) {
    refuse("the data with the column ", some_of(absent), " is not there any more: save_prototype takes rows with all variables, or FALSE")
  }
  as_tibble_frame(as.data.frame(frame)[0L, fit$columns, drop = FALSE])
}
vetiver_ptype.freeridge_stack <- vetiver_ptype.freeridge

vetiver_prepare_model.freeridge <- function(model) predictor(model)
vetiver_prepare_model.freeridge_stack <- vetiver_prepare_model.freeridge

# The function that answers a request with rows in its body; classes by their names, as long as no other type is asked
# for.
handler_predict.freeridge_predictor <- function(vetiver_model, ..., type = NULL) {
  known <- vetiver_model$prototype
  model <- vetiver_model$model
  if (is.null(type)) type <- if (is.null(unclass(model)$classes)) "response" else "class"
  function(req) {
    rows <- req$body
    if (!is.null(known)) {
      rows <- getExportedValue("vetiver", "vetiver_type_convert")(rows, known)
      rows <- getExportedValue("hardhat", "scream")(rows, known)
    }
    list(.pred = predict(model, rows, ..., type = type))
  }
}
handler_predict.freeridge_stack_predictor <- handler_predict.freeridge_predictor
