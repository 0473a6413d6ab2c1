# From a formula and a chunk of rows to the numbers that the core takes. Rows in a chunk become the same numbers as in
# all rows at once.
#
# For this the levels of factors, the kinds of variables and the contrasts are fixed before the first chunk is read. A
# variable of the formula must not depend on other rows than its own, as scale(x) and poly(x, 2) do.

# The design of a formula. setting: call, which has the expressions subset, weights and offset; na.action, levels and
# kernel. head: the first rows of the source, at least two where it has two. Variables and functions of the formula that
# are not columns of the data go along in the environment of the terms.
new_design_of <- function(formula, setting, head, intercept, environment) {
  formula <- check_formula(formula)
  if (length(random_parts(formula, FALSE)$effects) > 0L) {
    refuse("random effects are for freeridge(), which has all rows at once")
  }
  head <- call_with_data(setting$call, formula, as.data.frame(head))$data
  apart <- unpenalised_parts(formula, head)
  formula <- if (is.null(apart)) stats::formula(terms_of(formula, head)) else apart$flat
  parts <- as.list(setting$call)[intersect(names(setting$call), c("subset", "weights", "offset", "groups"))]
  names <- unique(unlist(lapply(c(list(formula), parts), all.names)))
  columns <- intersect(names, names(head))
  carried <- lean_environment(setdiff(names, columns), environment, values = TRUE)
  environment(formula) <- carried
  terms <- stats::terms(formula)
  variables <- vapply(as.list(attr(terms, "variables"))[-1L], function(variable) deparse(variable, 500L)[1L], "")
  unknown <- setdiff(names(setting$levels), variables)
  if (length(unknown) > 0L) {
    refuse("levels has the name '", unknown[1L], "', which is that of no variable of the formula")
  }
  if (attr(terms, "response") != 1L) refuse("the formula has no response: ", shown_formula(formula))
  for (name in names(apart)) environment(apart[[name]]) <- carried
  penalised <- if (is.null(apart)) terms else apart$penalised
  if (length(attr(penalised, "term.labels")) == 0L) {
    refuse("the formula has no predictors", if (!is.null(apart)) " beside unpenalised()", ": ",
           shown_formula(if (is.null(apart)) formula else apart$given))
  }
  if (!is.null(apart) && !is_linear(setting$kernel)) {
    refuse("unpenalised() goes with linear_kernel() in freeridge_chunks(), not with landmarks; freeridge() has both")
  }
  intercept <- check_intercept(intercept)
  if (attr(if (is.null(apart)) terms else apart$given, "intercept") != 1L) intercept <- FALSE
  design <- list(terms = terms, parts = parts, na.action = setting$na.action, columns = columns,
                 xlevels = setting$levels, level_value = level_value_for(setting$kernel, setting$lambda),
                 intercept = isTRUE(intercept), penalised = identical(intercept, "penalised"),
                 apart = apart[c("given", "penalised", "fixed")])
  design$kinds <- lapply(head[columns], kind_of_column)
  others <- unlist(lapply(parts[names(parts) != "groups"], all.vars))
  design$label_columns <- setdiff(all.vars(parts$groups), c(all.vars(formula), others))
  check_rows_apart(design, head)
  design
}

# The kind of a column; NA where all values are missing, as then the kind is not known yet.
kind_of_column <- function(column) {
  if (is.logical(column) && all(is.na(column))) return(NA_character_)
  stats::.MFclass(column)
}

# A column in which all values are missing, in the kind that the column has in other chunks. (Databases give such a
# column no kind.)
missing_as <- function(column, kind) {
  if (is.na(kind) || !is.logical(column) || !all(is.na(column))) return(column)
  switch(kind, numeric = as.double(column), character = as.character(column), factor = , ordered = factor(column),
         column)
}

of_known_kinds <- function(chunk, kinds) {
  for (name in intersect(names(kinds), names(chunk))) chunk[[name]] <- missing_as(chunk[[name]], kinds[[name]])
  chunk
}

# The columns that the formula uses, of the rows that subset selects; row names are places in the chunk.
chosen_rows <- function(design, chunk) {
  columns <- c(design$columns, design$beside)  # beside: of labels that the fit has not
  missing <- setdiff(columns, names(chunk))
  if (length(missing) > 0L) refuse("there is no column '", missing[1L], "'")
  check_columns(columns, chunk, "the chunk")
  n <- nrow(chunk)
  chunk <- without_integer64(of_known_kinds(as.data.frame(chunk)[columns], design$kinds), design$label_columns)
  for (name in design$label_columns) chunk[[name]] <- plain_labels(chunk[[name]])
  attr(chunk, "row.names") <- .set_row_names(n)
  if (is.null(design$parts$subset)) return(chunk)
  keep <- eval(design$parts$subset, chunk, environment(design$terms))
  if (!is.logical(keep) || length(keep) != n) {
    refuse("subset must be TRUE or FALSE for each of the ", counted(n, "row"), " of a chunk, not ", shown(keep))
  }
  chunk[which(keep), , drop = FALSE]
}

# The model frame of a chunk.
chunk_frame <- function(design, chunk, na.action = design$na.action) {
  chunk <- chosen_rows(design, chunk)
  call <- as.call(c(list(quote(stats::model.frame), formula = design$terms, data = chunk, xlev = design$xlevels),
                    design$parts[intersect(names(design$parts), c("weights", "offset"))],
                    if (!is.null(na.action)) list(na.action = na.action)))
  tryCatch(eval(call, environment(design$terms)), error = function(condition) {
    if (inherits(condition, "freeridge_error")) stop(condition)
    refuse("the data do not fit the formula: ", sentence_of(condition, design$xlevels))
  })
}

# Refuses a formula with a variable that has other values for some rows by themselves than for all rows.
check_rows_apart <- function(design, head) {
  if (nrow(head) < 2L) return(invisible())
  half <- seq_len(nrow(head) %/% 2L)
  expressions <- c(as.list(attr(design$terms, "variables"))[-1L], design$parts)
  value <- function(expression, rows) {
    column <- tryCatch(eval(expression, rows, environment(design$terms)), error = function(condition) condition)
    if (is.factor(column)) column <- as.character(column)
    if (is.atomic(column)) matrix(as.vector(column), NROW(column)) else column
  }
  for (expression in expressions) {
    whole <- value(expression, head)
    if (inherits(whole, "error")) refuse("the data do not fit the formula: ", conditionMessage(whole))
    if (NROW(whole) != nrow(head)) {
      refuse(deparse(expression)[1L], " has ", counted(NROW(whole), "value"), " for a chunk of ",
             counted(nrow(head), "row"), ": it must have one for each row, of the columns of the data")
    }
    for (rows in list(half, -half)) {
      part <- value(expression, head[rows, , drop = FALSE])
      if (!isTRUE(all.equal(part, if (is.matrix(whole)) whole[rows, , drop = FALSE] else whole[rows]))) {
        refuse(deparse(expression)[1L], " is another one for some of the rows than for all of them, and chunks are ",
               "some: give it all that it takes from the data, as in scale(x, center = 3, scale = 2), ",
               "ns(x, knots = , Boundary.knots = ) or poly(x, 2, raw = TRUE)")
      }
    }
  }
}

# The design with everything fixed: names of columns, contrasts, the response. rows: some rows, which show the kinds of
# the columns.
settled_design <- function(design, rows) {
  frame <- chunk_frame(design, rows, na.action = stats::na.pass)
  # (The design keeps its own terms: those of the frame have predvars, for columns that depend on all rows.)
  design$classes_of_variables <- attr(attr(frame, "terms"), "dataClasses")
  attr(design$terms, "dataClasses") <- design$classes_of_variables
  design$terms <- terms_with_units(design$terms, frame)
  response <- stats::model.response(frame)
  design$response_classes <- classes_of_response(response, design$response_levels)
  design$has_offset <- !is.null(stats::model.offset(frame))
  if (!is.null(design$response_classes) && design$has_offset) {
    refuse("an offset goes with a numeric response; this one is ", shown(response))
  }
  y <- if (is.null(design$response_classes)) response else coded_classes(1L, design$response_classes$levels)
  design$vector <- is.null(dim(y)) || length(dim(y)) == 1L
  y <- as.matrix(y)
  design$outputs <- output_names(y)
  design$t <- ncol(y)
  found <- design_matrix(terms_of_kernel(design), frame, level_value = design$level_value)
  design$contrasts <- found$contrasts
  design$features <- colnames(found$x)
  design$factor_terms <- attr(found$x, "factor_terms")
  if (!is.null(design$apart)) {
    fixed <- fixed_design(design$apart$fixed, frame, design$intercept || design$penalised)
    design$fixed_source <- fixed$source
    design$fixed <- colnames(fixed$x)
  }
  design$weighted <- !is.null(stats::model.weights(frame))
  design
}

# The levels of a response of labels, list(levels, known, kind) as in class_coding(); NULL for another response. known:
# the levels that a factor has in all chunks, or NULL.
classes_of_response <- function(response, known) {
  if (is.logical(response) && is.null(dim(response))) {
    return(list(levels = c("FALSE", "TRUE"), known = c("FALSE", "TRUE"), kind = "logical"))
  }
  if (!is.factor(response)) return(NULL)
  levels <- levels(response)
  if (length(levels) < 2L) refuse("the response has one class only, ", levels, "; there must be two or more")
  list(levels = levels, known = if (is.null(known)) levels else known, kind = "factor")
}

# The response of a model frame as outputs. places: the numbers that the rows of the frame have in the chunk.
response_of_chunk <- function(design, frame, places) {
  response <- stats::model.response(frame)
  if (is.null(design$response_classes)) return(response_matrix(response, finite = FALSE))
  code <- match(as.character(response), design$response_classes$levels)
  missing <- which(is.na(code))
  if (length(missing) > 0L) refuse("the response is NA in row ", places[missing[1L]], "; all labels must be known")
  unname(as.matrix(coded_classes(code, design$response_classes$levels)))
}

# The labels of the rows of a model frame, NA for a row of no group. places: as in response_of_chunk().
groups_of_chunk <- function(design, chunk, places) {
  if (is.null(design$parts$groups)) return(NULL)
  rows <- chosen_rows(design, chunk)
  labels <- eval(design$parts$groups, rows, environment(design$terms))
  if (!is.atomic(labels) && !is.factor(labels) || !is.null(dim(labels)) || length(labels) != nrow(rows)) {
    refuse("groups must be a label for each row, not ", shown(labels), "; several divisions are for freeridge()")
  }
  label_text(labels)[match(places, as.integer(row.names(rows)))]
}

# The terms whose columns are penalised.
terms_of_kernel <- function(design) if (is.null(design$apart)) design$terms else design$apart$penalised

# The data of some rows as numbers, for their checksum. (The columns that a formula makes of the data would not do:
# products of matrices, for one, may depend on the chunk in their last bits.) places: the numbers of the rows in the
# chunk.
data_of_rows <- function(design, chunk, places) {
  numbers <- lapply(as.data.frame(chunk)[places, design$columns, drop = FALSE], function(column) {
    if (is.list(column)) return(NULL)
    if (!is.factor(column) && !is.character(column)) return(matrix(as.double(without_class(column)), length(places)))
    labels <- unique(as.character(column))
    codes <- vapply(labels, function(label) {
      points <- utf8ToInt(enc2utf8(label))
      sum(points * seq_along(points))
    }, 0)
    codes[match(as.character(column), labels)]
  })
  do.call(cbind, unname(numbers))
}

# The numbers of a chunk, list(x, y, weights, groups, offset, data, read, dropped), of the rows whose weight is positive;
# without such rows read and dropped alone. y is without the offset; x is as the user has it, not divided and without
# the column of ones, and its columns without a penalty come first.
chunk_numbers <- function(design, chunk) {
  frame <- chunk_frame(design, chunk)
  numbers <- list(read = nrow(chunk), dropped = length(attr(frame, "na.action")))
  if (nrow(frame) == 0L) return(numbers)
  check_variables(design$terms, frame)
  places <- as.integer(rownames(frame))
  y <- response_of_chunk(design, frame, places)
  groups <- groups_of_chunk(design, chunk, places)
  offset <- stats::model.offset(frame)
  if (!is.null(offset)) {
    check_chunk_finite(matrix(offset), places, "offset")
    y <- y - as.vector(offset)
  }
  x <- design_matrix(terms_of_kernel(design), frame, design$contrasts, design$level_value)$x
  if (!is.null(design$fixed)) {
    x <- cbind(design_matrix(design$fixed_source$terms, frame, design$fixed_source$contrasts)$x, x)
  }
  storage.mode(x) <- "double"
  check_chunk_finite(x, places, colnames(x))
  check_chunk_finite(y, places, if (is.null(design$outputs)) deparse(design$terms[[2L]])[1L] else design$outputs)
  weights <- stats::model.weights(frame)
  if (!is.null(weights)) {
    bad <- which(!is.finite(weights) | weights < 0)
    if (length(bad) > 0L) {
      refuse("the weight of row ", places[bad[1L]], " is ", weights[bad[1L]], "; it must be a number >= 0")
    }
    rows <- counting_rows(list(x = x, y = y, weights = as.double(weights)))
    if (nrow(rows$x) == 0L) return(numbers)
    counts <- weights > 0
    return(c(numbers, rows, list(groups = groups[counts], offset = as.vector(offset)[counts],
                                 data = data_of_rows(design, chunk, places[counts]))))
  }
  c(numbers, list(x = x, y = y, groups = groups, offset = as.vector(offset), data = data_of_rows(design, chunk, places)))
}

check_chunk_finite <- function(values, places, names) {
  at <- first_not_finite(values)
  if (at == 0) return(invisible())
  row <- (at - 1) %% nrow(values) + 1
  refuse(names[(at - 1) %/% nrow(values) + 1], " is ", format(values[at]), " in row ", places[row],
         "; all values must be finite numbers")
}

# The columns as the core has them: divided, and with a column of ones for a penalised intercept. (With landmarks the
# kernel divides them.)
core_columns <- function(design, x) {
  if (!is.null(design$landmarks)) return(x)
  if (!is.null(design$scale)) x <- divided(x, c(rep(1, length(design$fixed)), design$scale))
  if (design$penalised) cbind(x, 1) else x
}
