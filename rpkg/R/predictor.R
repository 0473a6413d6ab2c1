# A predictor has what prediction needs and no more: the core's bytes of a predictor (docs/file-format.md of the
# library). These are w and b of a linear fit, and c, b and the points of another one. A fit keeps such bytes, too,
# without the points, which it has as x.

predictor <- function(object, ...) UseMethod("predictor")

predictor.freeridge <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  model <- if (is.null(lambda)) predicting_model(object) else model_at(object, lambda)
  found <- kept_predictor(object, model, whole = TRUE)
  if (is.null(found)) {
    refuse("the kernel is made of too many others to be kept as text, which a predictor needs: saveRDS() keeps the fit")
  }
  value <- unclass(object)[setdiff(names(object), left_behind)]
  if (!is.null(object$classes)) value$calibration <- calibration(object, lambda)
  if (!is.null(object$offset)) value$offset <- TRUE  # one was taken from the response
  value$call <- object$call[c(1L, which(names(object$call) == "offset"))]
  value$terms <- lean_terms(object$terms)
  value$parts <- if (!is.null(object$parts)) lapply(object$parts, lean_terms)
  if (!is.null(object$fixed_source)) value$fixed_source$terms <- lean_terms(object$fixed_source$terms)
  value$fixed <- object$fixed[0L, , drop = FALSE]
  value$effects <- effects_at(object, model)
  value$x <- object$x[0L, , drop = FALSE]
  value$y <- object$y[0L, , drop = FALSE]
  value$lambda <- named_by_output(object, core_lambda(model))
  value$predictor <- found
  value$count <- nrow(object$x)
  value$cache <- new.env(parent = emptyenv())
  structure(value, class = "freeridge_predictor")
}

# Of a fit of chunks the accumulator, which has the sums of all rows for other lambdas, is left behind.
predictor.freeridge_chunks <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  lambda <- if (is.null(lambda)) object$lambda else check_lambda(lambda, ncol(object$y), object$outputs)
  value <- unclass(object)[setdiff(names(object), c("accumulator", "cache", "rows", "score", "edge"))]
  value$lambda <- stats::setNames(rep_len(lambda, ncol(object$y)), object$outputs)
  value$predictor <- core_save_predictor(chunk_model(object, value$lambda), TRUE)
  value$terms <- lean_terms(object$terms)
  if (all(value$lambda == object$lambda)) value$calibration <- object$cache$calibration
  value$cache <- new.env(parent = emptyenv())
  structure(value, class = c("freeridge_chunks_predictor", "freeridge_predictor"))
}

predict.freeridge_chunks_predictor <- function(object, newdata, type = "decision", na.action = stats::na.pass, ...) {
  refuse_extra(...)
  predict.freeridge_chunks(object, newdata, type = type, na.action = na.action)
}

coef.freeridge_chunks_predictor <- function(object, ...) coef.freeridge_chunks(object, NULL, ...)

# The parts of a fit that a predictor does not need: the rows, and how the fit was found.
left_behind <- c("x", "y", "frame", "weights", "groups", "aside", "cases", "na.action", "cache", "landmarks",
                 "landmark_choice", "lambda_search", "bandwidth_search", "one_standard_error", "second_opinion",
                 "seconds", "memory", "predictor")

# Terms without the environment in which the formula was written, which may hold data of any size. Functions of that
# environment that the formula calls are kept, and what these use.
lean_terms <- function(terms) {
  frame <- if (!is.null(terms)) environment(terms)
  if (is.null(frame) || identical(frame, globalenv()) || isNamespace(frame)) return(terms)
  lean <- lean_environment(all.names(terms, unique = TRUE), frame)
  attr(terms, ".Environment") <- if (length(ls(lean)) > 0L) lean else globalenv()
  terms
}

# A new environment, whose parent is the global one, with the functions of these names as they are found from `frame`
# on, and with what functions of the frame itself use. values = TRUE is for another process: then it also has values
# that are no functions, the functions of packages other than base, and what functions of the frames around this one
# use.
lean_environment <- function(names, frame, values = FALSE) {
  lean <- new.env(parent = globalenv())
  frames <- list(frame)
  around <- frame
  while (values && !identical(around, globalenv()) && !identical(around, emptyenv())) {
    around <- parent.env(around)
    frames <- c(frames, around)
  }
  keep <- function(names, functions) {
    for (name in setdiff(names, ls(lean, all.names = TRUE))) {
      found <- get0(name, frame, mode = if (functions) "function" else "any")
      if (is.null(found) || is.primitive(found) || is_of_package(found, name, base_only = values)) next
      assign(name, if (is.function(found)) utils::removeSource(found) else found, lean)
      if (is.function(found) && any(vapply(frames, identical, NA, environment(found)))) {
        environment(lean[[name]]) <- lean
        keep(setdiff(all.names(body(found), unique = TRUE), names(formals(found))), functions = FALSE)
      }
    }
  }
  keep(names, functions = !values)
  lean
}

is_of_package <- function(found, name, base_only) {
  if (!base_only) return(is.function(found) && isNamespace(environment(found)))
  identical(get0(name, baseenv(), inherits = FALSE), found)
}

# A function of the global environment becomes one that brings along what it uses there; others stay as they are.
self_contained <- function(f) {
  if (!identical(environment(f), globalenv())) return(f)
  used <- setdiff(all.names(body(f), unique = TRUE), names(formals(f)))
  environment(f) <- lean_environment(used, globalenv(), values = TRUE)
  f
}

# The bytes of a predictor for a fit. whole: with the points. NULL for a kernel that cannot be saved, and for a fit with
# a sparse x and a kernel that is not linear: all points would be in the bytes, and make these many times the fit.
kept_predictor <- function(fit, model, whole = FALSE) {
  if (!whole && is_sparse(fit$x) && !is_linear(fit$kernel)) return(NULL)
  core_save_predictor(model, whole)
}

# A model that predicts at the fit's own lambda: the fit's model, where it is of this session and has that lambda in
# force, else one that is made of the bytes that were kept. Nothing is factorized.
predicting_model <- function(fit) {
  model <- fit$cache$model
  if (core_is_alive(model) && all(core_lambda(model) == fit$lambda)) return(model)
  kept <- fit$predictor
  if (is.null(kept)) return(model_at(fit))
  if (!core_is_alive(fit$cache$predictor)) {
    fit$cache$predictor <- core_load_predictor(kept, with_columns(fit$x))
  }
  fit$cache$predictor
}

predict.freeridge_predictor <- function(object, newdata, type = if (is.null(object$classes)) "response" else "decision",
                                        na.action = stats::na.pass, fixed = NULL, ...) {
  refuse_extra(...)
  object <- unclass(object)  # as in new_rows()
  if (missing(newdata)) refuse("newdata is missing: a predictor has no rows of its own")
  check_choice(type, "type", if (is.null(object$classes)) "response" else class_types)
  values <- predicted(object, new_rows(object, newdata, na.action, fixed), predicting_model(object))
  if (is.null(object$classes)) values else class_answers(object, values, type, object$calibration)
}

coef.freeridge_predictor <- function(object, ...) {
  refuse_extra(...)
  if (!is_linear(object$kernel)) refuse("the kernel is ", format(object$kernel), ", which has no slopes")
  linear_coefficients(object, predicting_model(object))
}

print.freeridge_predictor <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  size <- as.double(utils::object.size(x$predictor))
  if (!is.null(x$points)) size <- size + as.double(utils::object.size(x$points))
  cat("Predictor of a fit to ", counted(x$count, "point"), ", ", counted(ncol(points_of(x)), "feature"), ", ",
      counted(ncol(x$y), "output"), ", in ", format(structure(size, class = "object_size"), units = "auto"), "\n",
      sep = "")
  cat("Kernel: ", format(x$kernel, digits = digits), "; lambda: ", short_numbers(unname(x$lambda), digits), "\n",
      sep = "")
  if (!is.null(x$classes)) cat("Classes: ", paste(x$classes$levels, collapse = ", "), "\n", sep = "")
  invisible(x)
}

# The method that butcher::butcher() calls: a fit without its data is a predictor.
axe_data.freeridge <- function(x, verbose = FALSE, ...) predictor(x)
