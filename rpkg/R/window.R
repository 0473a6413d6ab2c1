# Rows that come and go at one lambda. A window is a reference, as an accumulator is: accumulate(), remove_rows() and
# window_lambda() change it.

ridge_window <- function(d, t = 1, kernel = linear_kernel(), lambda = 1, capacity = 1000, intercept = TRUE,
                         landmarks = NULL, forgetting = 1) {
  if (missing(d)) refuse("d is missing: the number of features")
  d <- check_whole(d, "d", 1, .Machine$integer.max)
  t <- check_whole(t, "t", 1, .Machine$integer.max)
  kernel <- evaluable_kernel(as_kernel(kernel))
  if (kernel$name == "function") refuse("kernel is a function of R, and a window needs one of freeridge's own")
  lambda <- check_window_lambda(lambda)
  capacity <- check_whole(capacity, "capacity", 0, .Machine$integer.max)
  intercept <- check_flag(intercept, "intercept")
  forgetting <- check_not_negative(forgetting, "forgetting")
  if (length(forgetting) != 1L) refuse("forgetting must be one number, not ", shown(forgetting))
  if (!is.null(landmarks)) {
    landmarks <- numeric_matrix(landmarks, "landmarks")
    if (ncol(landmarks) != d) refuse("landmarks has ", counted(ncol(landmarks), "column"), ", and d is ", d)
  }
  handle <- core_window_create(unclass(kernel), landmarks, d, t, intercept, lambda, capacity, forgetting)
  structure(list(handle = handle, kernel = kernel, intercept = intercept, capacity = capacity,
                 landmarks = nrow(landmarks), columns = new.env(parent = emptyenv())), class = "ridge_window")
}

check_window_lambda <- function(lambda) {
  lambda <- check_not_negative(lambda, "lambda")
  if (length(lambda) != 1L || lambda == 0) refuse("lambda must be one positive number, not ", shown_values(lambda))
  lambda
}

window_handle <- function(window, name = "window") {
  if (!inherits(window, "ridge_window")) refuse(name, " must be a window made by ridge_window(), not ", shown(window))
  if (!core_is_alive(window$handle)) refuse(name, " is a window of another session; window_rows() takes its rows there")
  window$handle
}

accumulate.ridge_window <- function(accumulator, x, y, weights = NULL, errors = FALSE, ...) {
  refuse_extra(...)
  handle <- window_handle(accumulator, "accumulator")
  errors <- check_flag(errors, "errors")
  all_given(x, y)
  rows <- accumulator_rows(accumulator, x, y, weights, core_window_state(handle), "window")
  names <- rownames(rows$x)
  counts <- if (is.null(rows$weights)) rep(TRUE, nrow(rows$x)) else rows$weights > 0
  rows <- counting_rows(rows)
  found <- if (nrow(rows$x) > 0L) core_window_add(handle, rows$x, rows$y, rows$weights, errors)
  keep_columns(accumulator, rows)
  if (!errors) return(invisible(accumulator))
  all <- matrix(NaN, length(counts), ncol(rows$y), dimnames = list(names, NULL))
  all[counts, ] <- found
  by_lambda(all, names_in(accumulator, "y", ncol(all)), 0)
}

remove_rows <- function(window, rows = NULL, count = 1) {
  handle <- window_handle(window)
  if (is.null(rows)) {
    core_window_remove(handle, check_whole(count, "count", 1, .Machine$integer.max), NULL)
  } else {
    rows <- check_not_negative(rows, "rows")
    n <- core_window_state(handle)[["n"]]
    bad <- which(rows < 1 | rows > n | rows != round(rows) | duplicated(rows))
    if (length(bad) > 0L) refuse("rows[", bad[1L], "] is ", format(rows[bad[1L]]), "; it must be a row from 1, the oldest, to ", n, ", and each once")
    core_window_remove(handle, length(rows), rows - 1)
  }
  invisible(window)
}

window_lambda <- function(window, lambda = NULL, criterion = "loo", range = NULL) {
  handle <- window_handle(window)
  if (!is.null(lambda)) {
    core_window_set_lambda(handle, check_window_lambda(lambda))
    return(invisible(window))
  }
  check_choice(criterion, "criterion", c("loo", "gcv", "reml"))
  range <- check_range(range, "range")
  core_window_select_lambda(handle, criterion, range[1L], range[2L])
}

window_rows <- function(window) {
  rows <- core_window_rows(window_handle(window))
  for (name in c("x", "y")) colnames(rows[[name]]) <- names_in(window, name, ncol(rows[[name]]))
  rows
}

loo.ridge_window <- function(object, ...) {
  refuse_extra(...)
  errors <- core_window_loo(window_handle(object, "object"))
  warn_leverage_of_one("the leave-one-out error", which(rowSums(is.nan(errors)) > 0L))
  by_lambda(errors, names_in(object, "y", ncol(errors)), 0)
}

predict.ridge_window <- function(object, newdata, ...) {
  refuse_extra(...)
  handle <- window_handle(object, "object")
  if (missing(newdata)) refuse("newdata is missing: a matrix with the columns of x")
  x <- if (is.data.frame(newdata)) flat_columns(newdata) else without_class(newdata)
  x <- numeric_matrix(in_order_of(object, x, "x"), "newdata")
  d <- core_window_state(handle)[["d"]]
  if (ncol(x) != d) refuse("newdata has ", counted(ncol(x), "column"), ", the window has d = ", d)
  found <- core_window_predict(handle, x)
  rownames(found) <- rownames(x)
  by_lambda(found, names_in(object, "y", ncol(found)), 0)
}

coef.ridge_window <- function(object, ...) {
  refuse_extra(...)
  found <- core_window_coefficients(window_handle(object, "object"))
  values <- found$c
  linear <- is.null(object$landmarks) && is_linear(object$kernel)
  rows <- if (linear) names_in(object, "x", nrow(values)) else seq_len(nrow(values))
  if (object$intercept) values <- rbind(found$b, values, deparse.level = 0L)
  rownames(values) <- c(if (object$intercept) "(Intercept)", rows)
  by_lambda(values, names_in(object, "y", ncol(values)), 0)
}

nobs.ridge_window <- function(object, use.fallback = FALSE, ...) {
  refuse_extra(...)
  core_window_state(window_handle(object, "object"))[["n"]]
}

print.ridge_window <- function(x, ...) {
  if (!core_is_alive(x$handle)) {
    cat("Ridge window of another session\n")
    return(invisible(x))
  }
  state <- core_window_state(x$handle)
  cat("Ridge window: ", counted(state[["n"]], "row"), if (x$capacity > 0) paste0(" (at most ", x$capacity, ")") else " that came",
      " of ", counted(state[["d"]], "feature"), " and ", counted(state[["t"]], "output"),
      if (x$intercept) ", with" else ", without", " intercept\n", sep = "")
  cat("Kernel: ", format(x$kernel), if (!is.null(x$landmarks)) paste0(", ", counted(x$landmarks, "landmark")), "\n", sep = "")
  cat("lambda: ", format(state[["lambda"]]), "\n", sep = "")
  invisible(x)
}
