# Names of columns and of rows, and the model frame that a fit keeps.

# The columns of x that have `names`, in this order. x stays as it is where it or `names` has none. Columns of one name,
# or of no name, are known by their places alone: then all names must be the same. called: what messages call x.
columns_by_name <- function(x, names, called) {
  given <- colnames(x)
  if (is.null(names) || is.null(given) || identical(given, names)) return(x)
  missing <- setdiff(names, given)
  if (length(missing) > 0L) refuse(called, " has no column '", missing[1L], "'")
  unclear <- c(names[is_unclear(names)], given[is_unclear(given) & given %in% names])
  if (length(unclear) > 0L) {
    nameless <- unclear[1L] %in% c("", NA)
    refuse(if (nameless) "a column has no name" else paste0("two columns are called '", unclear[1L], "'"), ", so ",
           called, " must have the columns of the fit in their order: ", paste0("'", names, "'", collapse = ", "))
  }
  x[, names, drop = FALSE]
}

# Which names do not tell a column from the others.
is_unclear <- function(names) is.na(names) | !nzchar(names) | names %in% names[duplicated(names)]

# A data frame with a column for each column of its matrices, by the names that as.matrix() gives them.
flat_columns <- function(data) {
  if (!any(vapply(data, is.matrix, NA))) return(as.data.frame(data))
  parts <- lapply(seq_along(data), function(j) {
    part <- as.data.frame(data)[j]
    if (is.matrix(part[[1L]])) as.data.frame(as.matrix(part), optional = TRUE) else part
  })
  structure(do.call(c, lapply(parts, as.list)), row.names = attr(data, "row.names"), class = "data.frame")
}

# Refuses data without one of these columns: R would look for it in the session, and find something else. Columns of one
# name are refused, as R would take the first of them.
check_columns <- function(columns, data, called) {
  missing <- setdiff(columns, names(data))
  if (length(missing) > 0L) refuse(called, " has no column '", missing[1L], "'")
  twice <- intersect(columns, names(data)[duplicated(names(data))])
  if (length(twice) > 0L) refuse(called, " has more than one column '", twice[1L], "': which one is meant?")
}

# The names of rows where both have them: y in another order than x would go to other rows. square: with a kernel matrix
# x that is given, whose names say which rows are meant, there may be no other names either.
check_row_names <- function(x, y, square = FALSE, called = "y") {
  rows <- rownames(x)
  given <- if (is.null(dim(y))) names(y) else rownames(y)
  if (is.null(rows) || is.null(given) || identical(rows, given) || length(rows) != length(given)) return(invisible())
  same <- if (square) any(given %in% rows) else anyDuplicated(rows) == 0L && setequal(rows, given)
  if (!same) return(invisible())
  place <- which(rows != given)[1L]
  refuse("row ", place, " of x is called '", rows[place], "', that of ", called, " '", given[place],
         "': put them into one order, as ", called, "[rownames(x)] does, or take the names away with unname()")
}

# Refuses variables of another kind than those of the fit, a date where there was a number of seconds among them.
check_variables <- function(terms, frame) {
  classes <- attr(terms, "dataClasses")
  if (!is.null(classes)) stats::.checkMFClasses(classes, frame)
  units <- attr(terms, "units")
  for (name in intersect(names(units), names(frame))) {
    if (!identical(unit_of(frame[[name]]), units[[name]])) {
      refuse("the variable '", name, "' is ", shown(frame[[name]]), ", that of the fit was a ", units[[name]])
    }
  }
}

# Terms with the units of the times among the variables of a frame.
terms_with_units <- function(terms, frame) {
  units <- Filter(length, lapply(frame, unit_of))
  if (length(units) > 0L) attr(terms, "units") <- units
  terms
}

# The data of a call of a formula method; NULL where they are not given.
data_of_call <- function(call, environment) {
  tryCatch(eval(call$data, environment), error = function(condition) {
    refuse("the data do not fit the formula: ", conditionMessage(condition))
  })
}

# The call with its data as a value, in which model.matrix() can rely on doubles. Refuses columns of one name among the
# variables that the call uses. effects: random effects, whose labels stay what they are.
call_with_data <- function(call, formula, data, effects = list()) {
  for (name in intersect(c("subset", "weights", "offset", "groups", "gap"), names(call))) {
    if (is.character(call[[name]]) && length(call[[name]]) == 1L) {
      refuse(name, " is the string ", deparse(call[[name]]), ": a column of the data is written without quotes, ", name,
             " = ", deparse(as.name(call[[name]]), backtick = TRUE))
    }
  }
  arguments <- function(names) unlist(lapply(as.list(call[intersect(names(call), names)]), all.vars))
  used <- c(all.vars(formula), arguments(c("subset", "weights", "offset")))
  if (is.list(data)) {
    if ("." %in% used) {
      check_dot(data, "data")
      used <- names(data)
    }
    check_columns(intersect(c(used, arguments(c("groups", "gap"))), names(data)), data, "data")
    data <- without_integer64(with_plain_labels(data, effects), but = setdiff(names(data), used))
  }
  for (name in if (!is.environment(data)) setdiff(used, names(data))) {  # variables of the session
    value <- get0(name, environment(formula))
    if (!is_integer64(value) || is.data.frame(data) && NROW(value) != nrow(data)) next
    if (is.null(data)) data <- list()
    data[[name]] <- if (name %in% label_variables(effects)) plain_labels(value) else without_class(value)
  }
  call$data <- data
  call
}

# Data whose columns a dot stands for: each has a name of its own.
check_dot <- function(data, called) {
  empty <- which(is.na(names(data)) | !nzchar(names(data)))
  if (length(empty) > 0L) refuse("column ", empty[1L], " of ", called, " has no name: give it one")
  check_columns(names(data), data, called)
}

# The variables among `used` that new data must have: those that were columns of the data or, found elsewhere, had a
# value for each of n rows.
columns_among <- function(used, data, n, environment) {
  inside <- intersect(used, names(data))
  beside <- Filter(function(name) {
    value <- if (!is_of_search_path(name, environment)) get0(name, environment)
    n > 1L && !is.null(value) && !is.function(value) && NROW(value) == n
  }, setdiff(used, inside))
  c(inside, beside)
}

# Whether a name is found in a package first, as `letters` is.
is_of_search_path <- function(name, environment) {
  while (!exists(name, environment, inherits = FALSE)) {
    if (identical(environment, emptyenv())) return(FALSE)
    environment <- parent.env(environment)
  }
  isNamespace(environment) || grepl("^(package:|base$)", environmentName(environment))
}

# list(columns, response_columns): those of the right-hand side and of the argument offset, and those of the response.
# (What the argument offset takes from elsewhere new_offset() judges by its length.)
columns_of_call <- function(call, terms, data, environment) {
  response <- terms[[2L]]
  n <- if (is.data.frame(data)) nrow(data) else NROW(eval(response, data, environment))
  of_offset <- intersect(all.vars(call$offset), names(data))
  list(columns = union(columns_among(all.vars(stats::delete.response(terms)), data, n, environment), of_offset),
       response_columns = columns_among(all.vars(response), data, n, environment))
}

# The model frame as a fit keeps it, list(frame, names, dropped). A column of plain doubles that x has, too, is left
# out, as it would be there twice: whole_frame() takes it from x again. dropped: the rows that na.exclude took away.
kept_frame <- function(frame, fit, dropped = NULL) {
  x <- if (is.null(fit$aside) && is.null(fit$points) && is.matrix(fit$x)) fit$x
  columns <- as.list(frame)
  own <- vapply(names(columns), function(name) {
    column <- columns[[name]]
    name %in% colnames(x) && is.double(column) && is.null(attributes(column)) && identical(column, as.vector(x[, name]))
  }, NA)
  list(frame = with_attributes(columns[!own], frame), names = names(columns), dropped = dropped)
}

with_attributes <- function(columns, frame) {
  kept <- attributes(frame)
  kept$names <- names(columns)
  attributes(columns) <- kept
  columns
}

# The model frame of a fit, as it was when the fit was made.
whole_frame <- function(fit) {
  kept <- fit$frame
  columns <- lapply(kept$names, function(name) {
    if (name %in% names(kept$frame)) kept$frame[[name]] else as.vector(fit$x[, name])
  })
  with_attributes(stats::setNames(columns, kept$names), kept$frame)
}
