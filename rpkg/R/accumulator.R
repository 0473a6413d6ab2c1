# Ridge regression on rows that come in chunks. An accumulator is a reference: accumulate() and merge() change it.

ridge_accumulator <- function(d, t = 1, intercept = TRUE) {
  if (missing(d)) refuse("d is missing: the number of features")
  d <- check_whole(d, "d", 1, .Machine$integer.max)
  t <- check_whole(t, "t", 1, .Machine$integer.max)
  intercept <- check_flag(intercept, "intercept")
  new_accumulator(core_accumulator_create(d, t, intercept))
}

# columns: the names of the features and of the outputs, known from the first rows that have names. They are in an
# environment, as the accumulator is a reference.
new_accumulator <- function(handle, columns = NULL) {
  intercept <- core_accumulator_sizes(handle)[["intercept"]] != 0
  names <- list2env(as.list(columns), parent = emptyenv())
  structure(list(handle = handle, intercept = intercept, columns = names), class = "ridge_accumulator")
}

# x or y with the columns in the order of the rows before; NULL for its names where there are none yet.
in_order_of <- function(accumulator, value, name) {
  if (is.null(accumulator$columns[[name]])) return(value)
  columns_by_name(value, accumulator$columns[[name]], name)
}

keep_columns <- function(accumulator, rows) {
  for (name in c("x", "y")) {
    if (is.null(accumulator$columns[[name]])) accumulator$columns[[name]] <- colnames(rows[[name]])
  }
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

# x, y and weights as the core takes them, checked against the sizes of the accumulator, or of a window.
accumulator_rows <- function(accumulator, x, y, weights, size = core_accumulator_sizes(accumulator$handle),
                             what = "accumulator") {
  vector <- is.null(dim(y)) || length(dim(y)) == 1L
  x <- if (is.data.frame(x)) flat_columns(x) else without_class(x)
  x <- numeric_matrix(in_order_of(accumulator, x, "x"), "x")
  y <- response_matrix(in_order_of(accumulator, without_class(y), "y"))
  check_row_names(x, y)
  if (ncol(x) != size[["d"]]) refuse("x has ", counted(ncol(x), "column"), ", the ", what, " has d = ", size[["d"]])
  if (ncol(y) != size[["t"]]) refuse("y has ", counted(ncol(y), "column"), ", the ", what, " has t = ", size[["t"]])
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
  rows <- counting_rows(accumulator_rows(accumulator, x, y, weights))
  if (nrow(rows$x) > 0L) core_accumulator_add(handle, rows$x, rows$y, rows$weights)
  keep_columns(accumulator, rows)
  invisible(accumulator)
}

merge.ridge_accumulator <- function(x, y, ...) {
  refuse_extra(...)
  handles <- list(handle_of(x, "x"), handle_of(y, "y"))
  check_same_columns(x$columns, y$columns)
  core_accumulator_merge(handles[[1L]], handles[[2L]])
  for (name in names(y$columns)) x$columns[[name]] <- y$columns[[name]]
  invisible(x)
}

# Refuses accumulators whose columns are in different orders.
check_same_columns <- function(first, second) {
  for (name in intersect(names(first), names(second))) {
    place <- which(first[[name]] != second[[name]])[1L]
    if (!is.na(place)) {
      refuse("column ", place, " of ", name, " is '", first[[name]][place], "' in one accumulator and '",
             second[[name]][place], "' in the other: give accumulate() their columns in one order")
    }
  }
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
  rownames(values) <- c(if (object$intercept) "(Intercept)", names_in(object, "x", nrow(found$w)))
  by_lambda(values, names_in(object, "y", t), lambda)
}

# The names of the features or of the outputs: those of the rows, or x1, x2, ...
names_in <- function(accumulator, name, count) {
  known <- accumulator$columns[[name]]
  if (is.null(known)) return(paste0(name, seq_len(count)))
  feature_names(matrix(0, 0L, count, dimnames = list(NULL, known)))
}

# values: rows x (t lambdas), the t outputs of a lambda side by side. The result is a vector for one output and one
# lambda, rows x lambdas for one output, rows x t for one lambda, else rows x t x lambdas.
by_lambda <- function(values, outputs, lambda) {
  t <- length(outputs)
  labels <- vapply(lambda, format, "", digits = 15L)
  if (t == 1) {
    if (length(lambda) == 1L) return(stats::setNames(as.vector(values), rownames(values)))
    colnames(values) <- labels
    return(values)
  }
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
  by_output(lambdas, list(score = scores), names_in(object, "y", ncol(scores)))
}

loo.ridge_accumulator <- function(object, x, y, lambda, weights = NULL, ...) {
  refuse_extra(...)
  handle <- handle_of(object)
  if (missing(x) || missing(y)) refuse("x and y are needed: rows that were added, with their weights")
  if (missing(lambda)) refuse("lambda is missing: numbers >= 0")
  lambda <- check_not_negative(lambda, "lambda")
  rows <- accumulator_rows(object, x, y, weights)
  # A row of weight zero was not added: its leverage is zero, as that of a row with the smallest of weights is.
  if (!is.null(rows$weights)) rows$weights <- pmax(rows$weights, .Machine$double.xmin)
  errors <- core_accumulator_errors(handle, rows$x, rows$y, rows$weights, NULL, lambda)
  warn_leverage_of_one("the leave-one-out error", which(rowSums(is.nan(errors)) > 0L))
  if (!is.null(rownames(rows$x))) rownames(errors) <- rownames(rows$x)
  by_lambda(errors, names_in(object, "y", ncol(rows$y)), lambda)
}

squared_errors <- function(object, ...) UseMethod("squared_errors")

squared_errors.ridge_accumulator <- function(object, x, y, lambdas = lambda_grid(object), weights = NULL, ...) {
  refuse_extra(...)
  handle <- handle_of(object)
  if (missing(x) || missing(y)) refuse("x and y are needed: rows that were not added")
  lambdas <- check_not_negative(lambdas, "lambdas")
  rows <- counting_rows(accumulator_rows(object, x, y, weights))
  t <- ncol(rows$y)
  found <- if (nrow(rows$x) > 0L) {
    core_accumulator_squared_errors(handle, rows$x, rows$y, rows$weights, lambdas)
  } else {
    list(sum_w = 0, squares = matrix(0, length(lambdas), t))
  }
  tables <- list(weight = matrix(found$sum_w, length(lambdas), t), squares = found$squares)
  by_output(lambdas, tables, names_in(object, "y", t))
}

# The core's bytes; names of columns go along as an attribute, which saveRDS() and other processes keep.
accumulator_bytes <- function(accumulator) {
  all_given(accumulator)
  bytes <- core_accumulator_save(handle_of(accumulator, "accumulator"))
  columns <- as.list(accumulator$columns, sorted = TRUE)
  if (length(columns) > 0L) structure(bytes, columns = columns) else bytes
}

accumulator_from_bytes <- function(bytes) {
  all_given(bytes)
  if (!is.raw(bytes) || length(bytes) == 0L) {
    refuse("bytes must be raw bytes made by accumulator_bytes(), not ", shown(bytes))
  }
  new_accumulator(core_accumulator_load(bytes), attr(bytes, "columns"))
}
