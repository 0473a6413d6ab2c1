# The engine "freeridge" for parsnip's linear_reg(), and for kernel_ridge_reg(), which is a model of this package. It is
# registered when parsnip is loaded. penalty is lambda, in the units of this package; without a penalty lambda is
# chosen.

kernel_ridge_reg <- function(mode = "unknown", engine = "freeridge", penalty = NULL) {
  if (!requireNamespace("parsnip", quietly = TRUE)) {
    refuse("kernel_ridge_reg() is a model of the package parsnip: install it")
  }
  parsnip::new_model_spec("kernel_ridge_reg", args = list(penalty = rlang::enquo(penalty)), eng_args = NULL,
                          mode = mode, user_specified_mode = !missing(mode), method = NULL, engine = engine,
                          user_specified_engine = !missing(engine))
}

update.kernel_ridge_reg <- function(object, parameters = NULL, penalty = NULL, fresh = FALSE, ...) {
  parsnip::update_spec(object = object, parameters = parameters,
                       args_enquo_list = list(penalty = rlang::enquo(penalty)),
                       fresh = fresh, cls = "kernel_ridge_reg", ...)
}

.onLoad <- function(libname, pkgname) {
  keep_to_thread_limit()
  register_methods()
  if (isNamespaceLoaded("parsnip")) register_engines()
  setHook(packageEvent("parsnip", "onLoad"), function(...) register_engines())
}

# Registers what is not registered yet: parsnip refuses a model that is set twice, as when a package is loaded again.
register_engines <- function() {
  known <- parsnip::get_from_env("models")
  if (!"kernel_ridge_reg" %in% known) {
    parsnip::set_new_model("kernel_ridge_reg")
    for (mode in c("regression", "classification")) parsnip::set_model_mode("kernel_ridge_reg", mode)
  }
  register_engine("linear_reg", "regression", quote(freeridge::linear_kernel()))
  for (mode in c("regression", "classification")) register_engine("kernel_ridge_reg", mode, NULL)
}

# kernel: NULL for the default of freeridge().
register_engine <- function(model, mode, kernel) {
  engines <- parsnip::get_from_env(model)
  if (any(engines$engine == "freeridge" & engines$mode == mode)) return(invisible())
  parsnip::set_model_engine(model, mode, "freeridge")
  parsnip::set_dependency(model, "freeridge", "freeridge", mode)
  if (!any(parsnip::get_from_env(paste0(model, "_args"))$engine == "freeridge")) {
    parsnip::set_model_arg(model, "freeridge", parsnip = "penalty", original = "lambda",
                           func = list(pkg = "dials", fun = "penalty"), has_submodel = TRUE)
  }
  parsnip::set_fit(model, mode, "freeridge", value = list(
    interface = "formula", protect = c("formula", "data", "weights"), func = c(pkg = "freeridge", fun = "freeridge"),
    defaults = c(list(), if (!is.null(kernel)) list(kernel = kernel))
  ))
  # Factors are expanded by freeridge itself, which drops the intercept's column.
  parsnip::set_encoding(model, mode, "freeridge", options = list(
    predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE, allow_sparse_x = FALSE
  ))
  prediction <- function(name, post = NULL, ...) {
    arguments <- list(object = quote(object$fit), newdata = quote(new_data), ...)
    parsnip::set_pred(model, mode, "freeridge", name,
                      value = list(pre = NULL, post = post, func = c(fun = "predict"), args = arguments))
  }
  prediction("raw", NULL)
  if (mode == "regression") {
    prediction("numeric", function(values, object) as_plain(values))
    prediction("pred_int", interval_columns, interval = "jackknife+", level = quote(level))
    prediction("conf_int", interval_columns, interval = "confidence", level = quote(level))
  } else {
    prediction("class", function(values, object) unname(values), type = "class")
    prediction("prob", function(values, object) data.frame(values, check.names = FALSE, row.names = NULL),
               type = "probability")
  }
}

interval_columns <- function(values, object) {
  data.frame(.pred_lower = unname(values[, "lwr"]), .pred_upper = unname(values[, "upr"]))
}

# Predictions at several penalties of the one factorization, a data frame of them for each row. The kernel is that of
# the fit.
multi_predict._freeridge <- function(object, new_data, penalty = NULL, type = NULL, ...) {
  fit <- object$fit
  known <- if (is.null(fit$classes)) "numeric" else c("class", "prob")
  if (is.null(type)) type <- known[1L]
  check_choice(type, "type", known)
  of_fit <- c(numeric = "response", class = "class", prob = "probability")[[type]]
  own <- if (length(fit$lambda) == 1L) unname(fit$lambda) else NA_real_  # of several classes each has its own
  values <- lapply(if (is.null(penalty)) list(NULL) else penalty, function(lambda) {
    found <- predict(fit, new_data, lambda, type = of_fit)
    columns <- as.data.frame(found, optional = TRUE)
    names(columns) <- switch(type, numeric = ".pred", class = ".pred_class", prob = paste0(".pred_", colnames(found)))
    data.frame(penalty = if (is.null(lambda)) own else lambda, columns, check.names = FALSE, row.names = NULL)
  })
  rows <- lapply(seq_len(nrow(new_data)), function(i) as_tibble_frame(do.call(rbind, lapply(values, `[`, i, , drop = FALSE))))
  as_tibble_frame(structure(list(.pred = rows), row.names = seq_along(rows), class = "data.frame"))
}

# Which fits tune makes for a grid: one for all penalties, as multi_predict() has the others, by the rule that tune has for
# linear_reg().
min_grid.kernel_ridge_reg <- function(x, grid, ...) {
  class(x) <- c("linear_reg", class(x))
  x$mode <- "regression"
  getExportedValue("generics", "min_grid")(x, grid, ...)
}

as_tibble_frame <- function(frame) {
  structure(frame, row.names = seq_len(nrow(frame)), class = c("tbl_df", "tbl", "data.frame"))
}
