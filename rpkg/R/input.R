# Checks of what users hand in, and its conversion to the double matrices and plain vectors that the core takes.

# A double matrix is returned as it is, because the core borrows its memory; other numbers are converted once.
# finite = FALSE: the caller checks that all values are finite. rows = FALSE: a matrix without rows is allowed.
numeric_matrix <- function(value, name, finite = TRUE, rows = TRUE) {
  if (is.data.frame(value)) {
    bad <- which(!vapply(value, is_number, NA))
    if (length(bad) > 0L) {
      column <- value[[bad[1L]]]
      refuse(name, " must be numeric, but its column '", names(value)[bad[1L]], "' is ", shown(column),
             advice(column, names(value)[bad[1L]]))
    }
    value <- as.matrix(with_columns_as(value, is.object, without_class))
  }
  value <- without_class(value)
  if (!is_number(value) || length(dim(value)) > 2L) {
    refuse(name, " must be a numeric matrix, not ", shown(value), advice(value, name))
  }
  if (!is.matrix(value)) value <- matrix(value, ncol = 1L, dimnames = if (!is.null(names(value))) list(names(value)))
  if (!is.double(value)) storage.mode(value) <- "double"
  if (rows && nrow(value) == 0L) refuse(name, " has no rows")
  if (ncol(value) == 0L) refuse(name, " has no columns")
  if (finite) check_finite(value, name)
  value
}

check_finite <- function(value, name) {
  place <- first_not_finite(value)
  if (place == 0) return(invisible())
  if (is.matrix(value)) {
    row <- (place - 1) %% nrow(value) + 1
    column <- (place - 1) %/% nrow(value) + 1
    labels <- colnames(value)
    column <- if (is.null(labels)) column else paste0('"', labels[column], '"')
    where <- if (ncol(value) == 1L && is.null(labels)) row else paste0(row, ", ", column)
  } else {
    where <- place
  }
  refuse(name, "[", where, "] is ", format(value[place]), "; all values must be finite numbers")
}

# With a precomputed kernel x is the kernel matrix; with a sum of them it has their matrices side by side.
check_square <- function(kernel, x) {
  count <- given_count(kernel)
  if (count > 0L && nrow(x) * count != ncol(x)) {
    refuse("x is ", nrow(x), " x ", ncol(x), "; with ", if (count > 1L) paste("a sum of", count, "kernels "),
           "precomputed_kernel() it ", if (count > 1L) "has the square matrices" else "is the square matrix",
           " of the values k(x_i, x_j)", if (count > 1L) " side by side, as list(K1, K2) makes them")
  }
}

# How many matrices x has side by side; 0 where x has points (kernel NULL: of ols() and its like).
given_count <- function(kernel) {
  if (is.null(kernel)) return(0L)
  if (kernel$name == "sum" && all(vapply(kernel$terms, function(term) term$name == "precomputed", NA))) {
    return(length(kernel$terms))
  }
  sum(kernel$name == "precomputed")
}

# The columns of x that belong to some of its n rows, in each of the matrices side by side.
given_columns <- function(kernel, rows, n) as.vector(outer(rows, n * (seq_len(given_count(kernel)) - 1L), `+`))

response_matrix <- function(y, finite = TRUE) {
  if (inherits(y, not_numbers)) refuse("y must be numeric, not ", shown(y), advice(y, "y"))
  if (is.factor(y) || is.character(y)) {
    refuse("y must be numeric, not ", shown(y), "; factor(y) makes classes of strings")
  }
  numeric_matrix(y, "y", finite)
}

# Finite positive numbers, one for each of `count` things.
check_positive <- function(value, name, count, things) {
  value <- without_class(value)
  if (!are_numbers(value) || length(value) != count) {
    refuse(name, " must be ", count, " positive numbers, one for each ", things, ", not ", shown(value))
  }
  value <- as.double(value)
  check_finite(value, name)
  bad <- which(value <= 0)
  if (length(bad) > 0L) refuse(name, "[", bad[1L], "] is ", format(value[bad[1L]]), "; all must be positive")
  value
}

# Weights of rows, >= 0. A row of weight zero does not count.
check_weights <- function(weights, n) {
  weights <- without_class(weights)
  if (!are_numbers(weights) || length(weights) != n) {
    refuse("weights must be ", n, " numbers >= 0, one for each row, not ", shown(weights))
  }
  weights <- as.double(weights)
  check_finite(weights, "weights")
  bad <- which(weights < 0)
  if (length(bad) > 0L) refuse("weights[", bad[1L], "] is ", format(weights[bad[1L]]), "; none may be negative")
  weights
}

check_not_negative <- function(value, name) {
  value <- without_class(value)
  if (!are_numbers(value) || length(value) == 0L) refuse(name, " must be numbers >= 0, not ", shown(value))
  value <- as.double(value)
  bad <- which(!is.finite(value) | value < 0)
  if (length(bad) > 0L) {
    place <- if (length(value) > 1L) paste0("[", bad[1L], "]")
    refuse(name, place, " is ", format(value[bad[1L]]), "; it must be a finite number >= 0")
  }
  value
}

check_flag <- function(value, name) {
  if (!is.logical(value) || length(value) != 1L || is.na(value)) {
    refuse(name, " must be TRUE or FALSE, not ", shown(value))
  }
  value
}

check_choice <- function(value, name, choices) {
  if (!is.character(value) || length(value) != 1L || !value %in% choices) {
    refuse(name, " must be one of ", paste0('"', choices, '"', collapse = ", "), ", not ", shown(value))
  }
  value
}

check_criteria <- function(criteria, available) {
  if (!is.character(criteria) || length(criteria) == 0L) {
    refuse("criteria must be some of ", paste0('"', available, '"', collapse = ", "), ", not ", shown(criteria))
  }
  for (criterion in criteria) check_choice(criterion, "criteria", available)
}

criteria_names <- c("loo", "gcv", "reml", "groups", "error_rate", "log_loss")
criteria_with_error <- c("loo", "groups", "error_rate", "log_loss")  # those that are means, and have a standard error
# What a fit minimises, and the parts of it. They are no criteria for a choice, as they say nothing of new rows.
objective_names <- c("training", "norm2", "objective")
route_names <- c("auto", "cholesky", "spectral", "band", "primal", "landmark", "iterative")

# One whole number from `low` to `high`; by default any that a double holds exactly.
check_whole <- function(value, name, low = -Inf, high = 2^53) {
  value <- without_class(value)
  good <- is.numeric(value) && length(value) == 1L && is.finite(value) && value == round(value) && value >= low &&
    abs(value) <= high
  if (!good) {
    refuse(name, " must be one whole number", if (is.finite(low)) paste0(" >= ", low), ", not ", shown(value))
  }
  as.double(value)
}

# One number strictly between 0 and 1.
check_fraction <- function(value, name) {
  if (!is.numeric(value) || length(value) != 1L || is.na(value) || value <= 0 || value >= 1) {
    refuse(name, " must be one number between 0 and 1, not ", shown(value))
  }
  as.double(value)
}

# The two ends of a range that is searched. NULL becomes c(0, 0), for which the core takes a range of its own.
check_range <- function(value, name) {
  if (is.null(value)) return(c(0, 0))
  if (!is.numeric(value) || length(value) != 2L || !all(is.finite(value)) || value[1L] <= 0 || value[1L] > value[2L]) {
    refuse(name, " must be two positive numbers, the smaller first, not ", shown_values(value))
  }
  as.double(value)
}

# Landmarks as NULL, list(count) or list(rows), counted from 1. Of what the user gives one number is a count, and
# several numbers or TRUEs are rows.
check_landmarks <- function(landmarks, n) {
  if (is.null(landmarks)) return(NULL)
  landmarks <- without_class(landmarks)
  if (is.logical(landmarks) && length(landmarks) == n && !anyNA(landmarks) && any(landmarks)) {
    return(list(rows = as.double(which(landmarks))))
  }
  if (!is.numeric(landmarks) || length(landmarks) == 0L) {
    refuse("landmarks must be a count, several row numbers, or ", n, " TRUE or FALSE, not ", shown(landmarks))
  }
  if (length(landmarks) == 1L) {
    count <- check_whole(landmarks, "landmarks", 1)
    if (count > n) refuse("landmarks is ", count, ", but x has ", counted(n, "row"))
    return(list(count = count))
  }
  rows <- as.double(landmarks)
  bad <- which(!is.finite(rows) | rows != round(rows) | rows < 1 | rows > n)
  if (length(bad) > 0L) {
    refuse("landmarks[", bad[1L], "] is ", format(rows[bad[1L]]), "; rows are whole numbers from 1 to ", n)
  }
  again <- anyDuplicated(rows)
  if (again > 0L) refuse("landmarks[", again, "] is row ", rows[again], ", which is given twice")
  list(rows = rows)
}

# A divisor for a column that is constant in the rows fitted. The rows say nothing of other values of the column: divided
# by 2^500 all of them are one value for the kernel. (The core has the same number for lengths that it learns.)
no_part <- 2^500

# What a constant column is divided by. A linear kernel has one slope for it, which is 0, or is that of an intercept.
divisor_of_constant <- function(kernel) if (given_count(kernel) > 0L || is_linear(kernel)) 1 else no_part

# The divisors of the columns: for scale = FALSE NULL, for TRUE standard deviations, and `constant` for a constant column.
column_scale <- function(scale, x, constant = 1) {
  if (is.numeric(scale)) {
    if (length(scale) == ncol(x)) scale <- by_name(scale, "scale", feature_names(x), "column")
    scale <- check_positive(scale, "scale", ncol(x), "column of x")
  } else {
    if (!is.logical(scale) || length(scale) != 1L || is.na(scale)) {
      refuse("scale must be TRUE, FALSE or ", ncol(x), " positive numbers, not ", shown(scale))
    }
    if (!scale) return(NULL)
    scale <- if (is_sparse(x)) sparse_sd(x, constant) else apply(x, 2L, column_sd, constant)
    scale <- one_for_each_factor(scale, x, constant)
  }
  names(scale) <- colnames(x)
  scale
}

# constant: what a column has that is constant, up to rounding.
column_sd <- function(column, constant = 1) {
  if (length(column) < 2L) return(constant)
  sd <- stats::sd(column)
  if (is.finite(sd) && sd > .Machine$double.eps * max(abs(column))) sd else constant
}

# Refuses missing values among the strings and factors of a data frame.
check_levels <- function(frame, called = "x") {
  for (name in names(frame)) {
    missing <- which(is.na(frame[[name]]))
    if (length(missing) > 0L) refuse(called, "[", missing[1L], ", \"", name, "\"] is NA; all values must be known")
  }
}

# The rows of newdata as the core takes them, for answers that need all of them to be known. For a kernel that is an R
# function they are its values at these rows and the points of the fit. The attribute "offset" has the offset of a
# formula.
new_matrix <- function(fit, newdata) {
  if (is.null(fit$parts)) fit$fixed <- NULL  # so that new_rows() does not ask for values of fixed effects
  new <- new_rows(fit, newdata)
  missing <- which(!new$known)
  if (length(missing) > 0L) refuse("newdata has missing values in row ", some_of(missing))
  if (length(new$known) == 0L) refuse("newdata has no rows")
  structure(new$x, dimnames = if (!is.null(new$names)) list(new$names, colnames(new$x)), offset = new$offset)
}

# The columns of newdata that the fit was made with, found by name where there are names.
new_features <- function(fit, newdata) {
  points <- points_of(fit)
  if (given_count(fit$kernel) > 1L && is.list(newdata) && !is.data.frame(newdata)) newdata <- new_matrices(fit, newdata)
  newdata <- if (is.data.frame(newdata)) flat_columns(newdata) else without_class(newdata)
  newdata <- columns_by_name(newdata, colnames(points), "newdata")
  x <- if (is_sparse(newdata) && is_sparse(points)) {
    sparse_matrix(newdata, "newdata", finite = FALSE, rows = FALSE)
  } else {
    numeric_matrix(newdata, "newdata", finite = FALSE, rows = FALSE)
  }
  n <- row_count(fit)
  if (!is.null(fit$aside) && given_count(fit$kernel) > 0L && ncol(x) == n * given_count(fit$kernel)) {
    x <- x[, given_columns(fit$kernel, seq_len(n)[-fit$aside$rows], n), drop = FALSE]  # values with the rows that count
  }
  if (ncol(x) != ncol(points)) refuse("newdata has ", ncol(x), " columns, the fit has ", ncol(points))
  x
}

new_design <- function(fit, newdata) {
  if (!is.data.frame(newdata)) {
    refuse("newdata must be a data frame, as the fit was made by a formula or from a data frame, not ", shown(newdata))
  }
  terms <- stats::delete.response(fit$terms)
  check_columns(fit$columns, newdata, "newdata")
  newdata <- without_integer64(with_plain_labels(newdata, fit$random))
  frame <- new_frame(terms, newdata, fit$xlevels, "newdata does not fit the model: ")
  some <- nrow(frame) > 0L
  x <- if (some) {
    design <- design_matrix(if (is.null(fit$parts)) terms else fit$parts$penalised, frame, fit$contrasts,
                            level_value_of(fit))
    with_random_columns(design$x, fit$random, frame)
  } else {
    points_of(fit)[0L, , drop = FALSE]
  }
  if (!is.double(x)) storage.mode(x) <- "double"
  offset <- new_offset(fit, frame, newdata)
  if (!is.null(offset)) attr(x, "offset") <- offset
  if (!is.null(fit$parts) && !is.null(fit$fixed_source)) {
    source <- fit$fixed_source
    attr(x, "fixed") <- if (some) {
      double_columns(design_matrix(source$terms, frame, source$contrasts)$x)
    } else {
      fit$fixed[0L, , drop = FALSE]
    }
  }
  x
}

# The model frame of new data, in which values may be missing.
new_frame <- function(terms, newdata, xlevels, opening) {
  tryCatch({
    frame <- stats::model.frame(terms, newdata, na.action = stats::na.pass, xlev = xlevels)
    check_variables(terms, frame)
    without_integer64(frame)
  }, error = function(condition) refuse(opening, sentence_of(condition, xlevels)))
}

# The message of model.frame(). For a new level of a factor the levels that the fit knows are added.
sentence_of <- function(condition, xlevels) {
  words <- conditionMessage(condition)
  factor <- sub("^factor (.*) has new levels? .*$", "\\1", words)
  if (!factor %in% names(xlevels)) return(words)
  paste0(words, "; the fit knows ", paste(xlevels[[factor]], collapse = ", "))
}

# The offsets of the formula, and that of the argument `offset`, which is evaluated in newdata as predict.lm does.
new_offset <- function(fit, frame, newdata) {
  offset <- stats::model.offset(frame)
  if (is.null(fit$offset)) return(offset)
  if (!is.null(fit$call$offset)) {
    extra <- eval(fit$call$offset, newdata, environment(fit$terms))
    if (length(extra) != nrow(frame)) {
      refuse("the argument offset of the fit, ", deparse(fit$call$offset)[1L], ", gives ",
             counted(length(extra), "number"), " for the ", counted(nrow(frame), "row"),
             " of newdata: make it a variable of the data")
    }
    offset <- if (is.null(offset)) extra else offset + extra
  }
  check_finite(replace(offset, is.na(offset), 0), "offset")
  as.vector(offset)
}

made_by_formula <- function(fit) !is.null(fit$terms) && attr(fit$terms, "response") == 1L

divided <- function(x, scale) if (is.null(scale)) x else x / rep(scale, each = nrow(x))

check_accuracy <- function(accuracy) {
  if (!is.numeric(accuracy) || length(accuracy) != 1L || is.na(accuracy) || accuracy <= 0 || accuracy >= 1) {
    refuse("accuracy must be one number above 0 and below 1, not ", shown(accuracy))
  }
  as.double(accuracy)
}
