# Which rows have an answer. Rows of weight zero do not count: a fit is made without them, keeps them aside, and
# predicts them like new ones. New rows with missing values have missing answers.

# The parts of a fit that is about to be made, without the rows of weight zero, which go to fit$aside with their places.
set_aside <- function(fit) {
  out <- which(fit$weights == 0)
  if (length(out) == 0L) return(fit)
  n <- nrow(fit$x)
  if (length(out) == n) refuse("weights are 0 for all rows; one must be positive")
  square <- given_count(fit$kernel) > 0L
  cases <- if (is.null(rownames(fit$x))) rownames(fit$y) else rownames(fit$x)
  kept <- seq_len(n)[-out]
  columns <- if (square) given_columns(fit$kernel, kept, n) else seq_len(ncol(fit$x))
  fit$aside <- list(rows = out, x = fit$x[out, columns, drop = FALSE], y = fit$y[out, , drop = FALSE], cases = cases)
  fit$x <- if (square) fit$x[kept, columns, drop = FALSE] else rows_with_terms(fit$x, kept)
  fit$y <- fit$y[kept, , drop = FALSE]
  if (!is.null(fit$fixed)) {
    fit$aside$fixed <- fit$fixed[out, , drop = FALSE]
    fit$fixed <- fit$fixed[kept, , drop = FALSE]
  }
  fit$weights <- fit$weights[kept]
  fit$groups <- labels_at(fit$groups, kept, "groups")
  if (!is.null(fit$gap)) fit$gap <- fit$gap[kept, , drop = FALSE]
  if (!is.null(fit$classes) && any(apply(fit$y, 2L, function(column) length(unique(column)) < 2L))) {
    refuse("y has a class whose rows all have weight 0; each must have one that counts")
  }
  rows <- fit$landmark_choice$rows
  if (!is.null(rows)) {
    bad <- which(rows %in% out)
    if (length(bad) > 0L) refuse("landmarks[", bad[1L], "] is row ", rows[bad[1L]], ", whose weight is 0")
    fit$landmark_choice$rows <- as.double(match(rows, kept))
  }
  count <- fit$landmark_choice$count
  if (!is.null(count)) fit$landmark_choice$count <- min(count, length(kept))
  fit
}

# The labels of some rows, which must have one that is not NA in each division; NULL: no labels.
labels_at <- function(codes, rows, name) {
  if (is.null(codes)) return(NULL)
  codes <- if (is.matrix(codes)) codes[rows, , drop = FALSE] else codes[rows]
  if (any(colSums(as.matrix(codes) >= 0L) == 0L)) {
    refuse(name, " has no label at a row whose weight is positive", if (NCOL(codes) > 1L) " in one of its columns")
  }
  codes
}

# The places that the rows that count have among all rows.
place_of <- function(fit, rows) {
  if (is.null(fit$aside)) rows else seq_len(nrow(fit$x) + length(fit$aside$rows))[-fit$aside$rows][rows]
}

# How many rows the data had, those of weight zero included, and their names.
row_count <- function(fit) nrow(fit$x) + length(fit$aside$rows)
all_cases <- function(fit) if (is.null(fit$aside)) fit$cases else fit$aside$cases

# Values of all rows in the order of the data, with names. values: of the rows that count; aside: of the others, or one
# value.
all_rows <- function(fit, values, aside = NaN) {
  if (is.null(fit$aside)) return(shape(fit, values))
  whole <- matrix(0, row_count(fit), ncol(values))
  whole[-fit$aside$rows, ] <- values
  whole[fit$aside$rows, ] <- aside
  shape(fit, whole, fit$aside$cases)
}

# Rows x of the points as the core takes them, which have a column at least: for a kernel that is an R function its values
# at x and the points of the fit.
as_core_rows <- function(fit, x) {
  if (is.null(fit$points)) return(with_columns(x))
  kernel_values(fit$kernel, divided(x, fit$scale), divided(fit$points, fit$scale))
}

# Predictions for the rows that are aside, without their offset; NULL where there are none. predict(model, x, fixed): how.
predicted_aside <- function(fit, model, predict = core_predict) {
  if (is.null(fit$aside)) return(NULL)
  predict(model, as_core_rows(fit, fit$aside$x), fit$aside$fixed)
}

# Outputs less predictions at the rows of weight zero. As the fit was made without these rows, they are their residuals
# and their left-out errors, too.
errors_aside <- function(fit, model, predict = core_predict) {
  f <- predicted_aside(fit, model, predict)
  if (is.null(f)) NULL else fit$aside$y - plus_offset(f, fit$aside$offset)
}

# The rows of newdata without missing values, as the core takes them: list(x, fixed, offset, known, names). fixed: NULL
# without fixed effects; known: which rows of the answer these rows are; names: of all rows of the answer. na.action: as
# in predict.lm. given: the values of the fixed effects, where they are not in newdata. own: whether they are the rows of
# the fit.
new_rows <- function(fit, newdata, na.action = stats::na.pass, given = NULL) {
  fit <- unclass(fit)  # whose parts are had without looking for a method of `$`, as long as the prediction of a row takes
  offset <- fixed <- NULL
  if (is.null(fit$terms)) {
    x <- new_features(fit, newdata)
  } else {
    x <- new_design(fit, newdata)
    offset <- attr(x, "offset")
    fixed <- attr(x, "fixed")
    attr(x, "offset") <- attr(x, "fixed") <- NULL
  }
  if (is.null(fit$parts)) {
    fixed <- new_fixed(fit, newdata_with_columns(newdata), given)
  } else if (!is.null(given)) {
    refuse("fixed is given, but the fit was made by a formula: newdata has its variables")
  }
  known <- known_rows(x)
  if (!is.null(fixed)) known <- known & !is.na(rowSums(fixed))
  if (!is.null(offset)) known <- known & !is.na(offset)
  kept <- kept_rows(known, na.action)
  names <- rownames(x)[kept]
  if (!all(known)) {
    x <- x[known, , drop = FALSE]
    if (!is.null(fixed)) fixed <- fixed[known, , drop = FALSE]
  }
  list(x = as_core_rows(fit, x), fixed = fixed, offset = offset[known], known = known[kept],
       names = names, own = FALSE)
}

# A vector is one column of newdata.
newdata_with_columns <- function(newdata) if (is.null(dim(newdata))) matrix(newdata, ncol = 1L) else newdata

# Rows without a missing value; infinite values are refused.
known_rows <- function(x) {
  numbers <- if (is_sparse(x)) x@x else x
  if (first_not_finite(numbers) == 0) return(rep(TRUE, nrow(x)))
  if (is_sparse(x)) {
    missing <- is.na(x@x)
    if (any(is.infinite(x@x))) check_finite(as.matrix(x[x@i[is.infinite(x@x)][1L] + 1L, , drop = FALSE]), "newdata")
    return(!(seq_len(nrow(x)) %in% (x@i[missing] + 1L)))
  }
  infinite <- is.infinite(x)
  if (any(infinite)) check_finite(replace(x, is.na(x), 0), "newdata")
  !rowSums(is.na(x))
}

# Which rows na.action keeps: na.pass keeps all, na.omit and na.exclude those that are known; na.fail refuses missing
# values.
kept_rows <- function(known, na.action) {
  if (all(known)) return(known)
  action <- tryCatch(match.fun(na.action)(data.frame(known = ifelse(known, 1, NA))), error = function(condition) {
    refuse("newdata has missing values in row ", some_of(which(!known)), ": ", conditionMessage(condition))
  })
  dropped <- attr(action, "na.action")
  if (is.null(dropped)) rep(TRUE, length(known)) else !(seq_along(known) %in% dropped)
}

# Answers, rows x outputs: at the rows that are known ask(x) or, with fixed effects, ask(x, fixed), plus the offset; NA
# at the others. The core takes one row or more: where no row is known it is asked for a row of zeros, and that answer
# is dropped.
answered <- function(new, ask, offset = NULL) {
  m <- nrow(new$x)
  row <- function(values) if (m > 0L || is.null(values)) values else matrix(0, 1L, ncol(values))
  values <- if (is.null(new$fixed)) ask(row(new$x)) else ask(row(new$x), row(new$fixed))
  if (m == 0L) values <- values[0L, , drop = FALSE]
  values <- plus_offset(values, offset)
  if (all(new$known)) return(values)
  whole <- matrix(NA_real_, length(new$known), ncol(values))
  whole[new$known, ] <- values
  whole
}

# A formula without predictors has no columns. The core then gets a column of zeros, which changes nothing.
with_columns <- function(x) if (ncol(x) == 0L) matrix(0, nrow(x), 1L) else x
