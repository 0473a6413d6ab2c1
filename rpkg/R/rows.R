# Which rows have an answer. Rows of weight zero do not count: a fit is made without them and keeps them aside, so that
# they are predicted like new ones. New rows with missing values have missing answers.

# The fit that is about to be made, without the rows of weight zero: these go to fit$aside, with their places among all.
set_aside <- function(fit) {
  out <- which(fit$weights == 0)
  if (length(out) == 0L) return(fit)
  n <- nrow(fit$x)
  if (length(out) == n) refuse("weights are 0 for all rows; one must be positive")
  square <- fit$kernel$name == "precomputed"
  cases <- if (is.null(rownames(fit$x))) rownames(fit$y) else rownames(fit$x)
  kept <- seq_len(n)[-out]
  columns <- if (square) kept else seq_len(ncol(fit$x))
  fit$aside <- list(rows = out, x = fit$x[out, columns, drop = FALSE], y = fit$y[out, , drop = FALSE], cases = cases)
  fit$x <- if (square) fit$x[kept, kept, drop = FALSE] else rows_with_terms(fit$x, kept)
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

# Some rows of labels, of which each division must have one that is left out; NULL: none.
labels_at <- function(codes, rows, name) {
  if (is.null(codes)) return(NULL)
  codes <- if (is.matrix(codes)) codes[rows, , drop = FALSE] else codes[rows]
  if (any(colSums(as.matrix(codes) >= 0L) == 0L)) {
    refuse(name, " has no label at a row whose weight is positive", if (NCOL(codes) > 1L) " in one of its columns")
  }
  codes
}

# Places of counting rows among all.
place_of <- function(fit, rows) {
  if (is.null(fit$aside)) rows else seq_len(nrow(fit$x) + length(fit$aside$rows))[-fit$aside$rows][rows]
}

# How many rows the data had, those of weight zero included.
row_count <- function(fit) nrow(fit$x) + length(fit$aside$rows)

# Values of the rows that count and of those aside (a matrix or one value), in the order of the data, with names.
all_rows <- function(fit, values, aside = NaN) {
  if (is.null(fit$aside)) return(shape(fit, values))
  whole <- matrix(0, row_count(fit), ncol(values))
  whole[-fit$aside$rows, ] <- values
  whole[fit$aside$rows, ] <- aside
  shape(fit, whole, fit$aside$cases)
}

# f at the rows that are aside, without their offset; NULL where there are none.
predicted_aside <- function(fit, model) {
  if (is.null(fit$aside)) return(NULL)
  x <- fit$aside$x
  if (!is.null(fit$points)) x <- kernel_values(fit$kernel, divided(x, fit$scale), divided(fit$points, fit$scale))
  core_predict(model, with_columns(x), fit$aside$fixed)
}

# Outputs minus f at the rows of weight zero. These are residuals and left-out errors at once: the fit was made without
# them.
errors_aside <- function(fit, model) {
  f <- predicted_aside(fit, model)
  if (is.null(f)) NULL else fit$aside$y - plus_offset(f, fit$aside$offset)
}

# The rows of newdata that are known, as the core takes them: x, fixed (NULL: no fixed effects) and offset; known: which
# rows of the answer these are; names: those of all rows of the answer. na.action as in predict.lm. given: the values of the
# fixed effects beside newdata.
new_rows <- function(fit, newdata, na.action = stats::na.pass, given = NULL) {
  x <- if (is.null(fit$terms)) new_features(fit, newdata) else new_design(fit, newdata)
  offset <- attr(x, "offset")
  fixed <- attr(x, "fixed")
  attr(x, "offset") <- attr(x, "fixed") <- NULL
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
  if (!is.null(fit$points)) x <- kernel_values(fit$kernel, divided(x, fit$scale), divided(fit$points, fit$scale))
  list(x = with_columns(x), fixed = fixed, offset = offset[known], known = known[kept], names = names)
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

# Which rows na.action keeps: all (na.pass), or those that are known (na.omit, na.exclude); na.fail refuses.
kept_rows <- function(known, na.action) {
  if (all(known)) return(known)
  action <- tryCatch(match.fun(na.action)(data.frame(known = ifelse(known, 1, NA))), error = function(condition) {
    refuse("newdata has missing values in row ", some_of(which(!known)), ": ", conditionMessage(condition))
  })
  dropped <- attr(action, "na.action")
  if (is.null(dropped)) rep(TRUE, length(known)) else !(seq_along(known) %in% dropped)
}

# What `ask` gives for the rows that are known, and the values of the fixed effects there if there are some (rows x outputs),
# plus the offset, NA in the others. The core takes one row or more: where there is none it answers for a row of zeros, which
# is then dropped.
answered <- function(new, ask, offset = NULL) {
  m <- nrow(new$x)
  row <- function(values) if (m > 0L || is.null(values)) values else matrix(0, 1L, ncol(values))
  values <- if (is.null(new$fixed)) ask(row(new$x)) else ask(row(new$x), row(new$fixed))
  values <- values[seq_len(m), , drop = FALSE]
  values <- plus_offset(values, offset)
  if (all(new$known)) return(values)
  whole <- matrix(NA_real_, length(new$known), ncol(values))
  whole[new$known, ] <- values
  whole
}

# A formula without predictors has no columns: the core gets one of zeros, which changes nothing.
with_columns <- function(x) if (ncol(x) == 0L) matrix(0, nrow(x), 1L) else x
