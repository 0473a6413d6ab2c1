# Ridge regression on rows that come in chunks. An accumulator is a reference: accumulate() and merge() change it.

ridge_accumulator <- function(d, t = 1, intercept = TRUE) {
  if (missing(d)) refuse("d is missing: the number of features")
  d <- check_whole(d, "d", 1, .Machine$integer.max)
  t <- check_whole(t, "t", 1, .Machine$integer.max)
  intercept <- check_flag(intercept, "intercept")
  new_accumulator(core_accumulator_create(d, t, intercept))
}

new_accumulator <- function(handle) {
  intercept <- core_accumulator_sizes(handle)[["intercept"]] != 0
  structure(list(handle = handle, intercept = intercept), class = "ridge_accumulator")
}

handle_of <- function(accumulator, name = "object") {
  if (!inherits(accumulator, "ridge_accumulator")) {
    refuse(name, " must be an accumulator made by ridge_accumulator(), not ", shown(accumulator))
  }
  if (!core_is_alive(accumulator$handle)) {
    refuse(name, " is an accumulator of another session; ",
           "accumulator_bytes() and accumulator_from_bytes() take one there")
  }
  accumulator$handle
}

# x, y and weights as the core takes them, checked against the sizes of the accumulator.
accumulator_rows <- function(handle, x, y, weights) {
  size <- core_accumulator_sizes(handle)
  vector <- is.null(dim(y)) || length(dim(y)) == 1L
  x <- numeric_matrix(x, "x")
  y <- response_matrix(y)
  if (ncol(x) != size[["d"]]) refuse("x has ", counted(ncol(x), "column"), ", the accumulator has d = ", size[["d"]])
  if (ncol(y) != size[["t"]]) refuse("y has ", counted(ncol(y), "column"), ", the accumulator has t = ", size[["t"]])
  if (nrow(y) != nrow(x)) refuse("y has ", nrow(y), " rows, x has ", nrow(x))
  if (!is.null(weights)) weights <- check_weights(weights, nrow(x))
  list(x = x, y = y, weights = weights, vector = vector)
}

# The rows whose weight is positive.
counting_rows <- function(rows) {
  counts <- rows$weights > 0
  if (all(counts)) return(rows)
  list(x = rows$x[counts, , drop = FALSE], y = rows$y[counts, , drop = FALSE], weights = rows$weights[counts])
}

accumulate <- function(accumulator, ...) UseMethod("accumulate")

accumulate.ridge_accumulator <- function(accumulator, x, y, weights = NULL, ...) {
  refuse_extra(...)
  handle <- handle_of(accumulator, "accumulator")
  all_given(x, y)
  rows <- counting_rows(accumulator_rows(handle, x, y, weights))
  if (nrow(rows$x) > 0L) core_accumulator_add(handle, rows$x, rows$y, rows$weights)
  invisible(accumulator)
}

merge.ridge_accumulator <- function(x, y, ...) {
  refuse_extra(...)
  core_accumulator_merge(handle_of(x, "x"), handle_of(y, "y"))
  invisible(x)
}

nobs.ridge_accumulator <- function(object, use.fallback = FALSE, ...) {
  refuse_extra(...)
  core_accumulator_sizes(handle_of(object))[["n"]]
}

print.ridge_accumulator <- function(x, ...) {
  if (!core_is_alive(x$handle)) {
    cat("Ridge accumulator of another session\n")
  } else {
    size <- core_accumulator_sizes(x$handle)
    cat("Ridge accumulator: ", counted(size[["n"]], "row"), " of ", counted(size[["d"]], "feature"), " and ",
        counted(size[["t"]], "output"), if (x$intercept) ", with" else ", without", " intercept",
        if (size[["sum_w"]] != size[["n"]]) paste0("; sum of weights: ", format(size[["sum_w"]])), "\n", sep = "")
  }
  invisible(x)
}

coef.ridge_accumulator <- function(object, lambda, ...) {
  refuse_extra(...)
  if (missing(lambda)) refuse("lambda is missing: numbers >= 0")
  lambda <- check_not_negative(lambda, "lambda")
  handle <- handle_of(object)
  found <- core_accumulator_solve(handle, lambda)
  t <- core_accumulator_sizes(handle)[["t"]]
  values <- found$w
  if (object$intercept) values <- rbind(as.vector(found$b), values, deparse.level = 0L)
  rownames(values) <- c(if (object$intercept) "(Intercept)", paste0("x", seq_len(nrow(found$w))))
  by_lambda(values, t, lambda)
}

# values: rows x (t lambdas), the t outputs of a lambda side by side. The result is a vector for one output and one
# lambda, rows x lambdas for one output, rows x t for one lambda, else rows x t x lambdas.
by_lambda <- function(values, t, lambda) {
  labels <- vapply(lambda, format, "", digits = 15L)
  if (t == 1) {
    if (length(lambda) == 1L) return(stats::setNames(as.vector(values), rownames(values)))
    colnames(values) <- labels
    return(values)
  }
  outputs <- paste0("y", seq_len(t))
  if (length(lambda) == 1L) {
    colnames(values) <- outputs
    return(values)
  }
  array(values, c(nrow(values), t, length(lambda)), list(rownames(values), outputs, labels))
}

lambda_grid.ridge_accumulator <- function(object, count = 100, ...) {
  refuse_extra(...)
  core_accumulator_lambda_grid(handle_of(object), check_whole(count, "count", 1, .Machine$integer.max))
}

score <- function(object, ...) UseMethod("score")

score.ridge_accumulator <- function(object, criterion, lambdas = lambda_grid(object), ...) {
  refuse_extra(...)
  if (missing(criterion)) refuse("criterion is missing: \"gcv\" or \"reml\"")
  check_choice(criterion, "criterion", c("gcv", "reml", objective_names))
  handle <- handle_of(object)
  lambdas <- check_not_negative(lambdas, "lambdas")
  scores <- if (criterion %in% objective_names) {
    core_accumulator_objective(handle, lambdas)[[criterion]]
  } else {
    core_accumulator_score(handle, criterion, lambdas)
  }
  warn_at_lambdas(criterion, lambdas, is.nan(scores))
  by_output(lambdas, list(score = scores), paste0("y", seq_len(ncol(scores))))
}

loo.ridge_accumulator <- function(object, x, y, lambda, weights = NULL, ...) {
  refuse_extra(...)
  handle <- handle_of(object)
  if (missing(x) || missing(y)) refuse("x and y are needed: rows that were added, with their weights")
  if (missing(lambda)) refuse("lambda is missing: numbers >= 0")
  lambda <- check_not_negative(lambda, "lambda")
  rows <- accumulator_rows(handle, x, y, weights)
  # A row of weight zero was not added: its leverage is zero, as that of a row with the smallest of weights is.
  if (!is.null(rows$weights)) rows$weights <- pmax(rows$weights, .Machine$double.xmin)
  errors <- core_accumulator_loo(handle, rows$x, rows$y, rows$weights, lambda)
  warn_leverage_of_one("the leave-one-out error", which(rowSums(is.nan(errors)) > 0L))
  if (!is.null(rownames(rows$x))) rownames(errors) <- rownames(rows$x)
  by_lambda(errors, ncol(rows$y), lambda)
}

squared_errors <- function(object, ...) UseMethod("squared_errors")

squared_errors.ridge_accumulator <- function(object, x, y, lambdas = lambda_grid(object), weights = NULL, ...) {
  refuse_extra(...)
  handle <- handle_of(object)
  if (missing(x) || missing(y)) refuse("x and y are needed: rows that were not added")
  lambdas <- check_not_negative(lambdas, "lambdas")
  rows <- counting_rows(accumulator_rows(handle, x, y, weights))
  t <- ncol(rows$y)
  found <- if (nrow(rows$x) > 0L) {
    core_accumulator_squared_errors(handle, rows$x, rows$y, rows$weights, lambdas)
  } else {
    list(sum_w = 0, squares = matrix(0, length(lambdas), t))
  }
  tables <- list(weight = matrix(found$sum_w, length(lambdas), t), squares = found$squares)
  by_output(lambdas, tables, paste0("y", seq_len(t)))
}

accumulator_bytes <- function(accumulator) {
  all_given(accumulator)
  core_accumulator_save(handle_of(accumulator, "accumulator"))
}

accumulator_from_bytes <- function(bytes) {
  all_given(bytes)
  if (!is.raw(bytes) || length(bytes) == 0L) {
    refuse("bytes must be raw bytes made by accumulator_bytes(), not ", shown(bytes))
  }
  new_accumulator(core_accumulator_load(bytes))
}
