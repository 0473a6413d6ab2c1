# The lambdas of an answer: one for each output, or several such sets at once.

# One lambda for each output; a single number serves all outputs. With several outputs lambdas may have the outputs'
# names.
check_lambda <- function(lambda, outputs, names = NULL) {
  labels <- base::names(lambda)
  lambda <- check_not_negative(lambda, "lambda")
  if (!length(lambda) %in% c(1L, outputs)) {
    refuse("lambda must be one number", if (outputs > 1L) paste0(" or ", outputs, " (one for each output)"),
           ", not ", length(lambda), " numbers")
  }
  if (outputs > 1L && length(lambda) == outputs) {
    lambda <- unname(by_name(stats::setNames(lambda, labels), "lambda", names, "output"))
  }
  rep_len(lambda, outputs)
}

# Sets of lambdas: a matrix with a row for each set and a column for each output. A vector is one set when it has a
# number for each output, else each of its numbers is a set, for all outputs; a matrix has the sets as its rows.
lambda_sets <- function(fit, lambda) {
  t <- ncol(fit$y)
  if (is.null(lambda)) return(matrix(fit$lambda, 1L))
  if (!is.matrix(lambda)) {
    if (length(lambda) == t) return(matrix(check_lambda(lambda, t, fit$outputs), 1L))
    return(matrix(check_not_negative(lambda, "lambda"), length(lambda), t))
  }
  if (ncol(lambda) != t) {
    refuse("lambda is a matrix of ", counted(ncol(lambda), "column"), "; it must have one for each output: ", t)
  }
  values <- check_not_negative(lambda, "lambda")
  columns <- seq_len(t)
  if (t > 1L && !is.null(colnames(lambda))) {
    columns <- by_name(stats::setNames(columns, colnames(lambda)), "lambda", fit$outputs, "output")
  }
  matrix(values, nrow(lambda))[, columns, drop = FALSE]
}

# What answer(model) gives with lambda in force, rows x outputs as users see them. Several sets of lambdas have a column
# each or, with several outputs, a slice each. own: the model at the fit's own lambda.
at_lambdas <- function(fit, lambda, answer, own = model_at(fit)) {
  if (is.null(lambda)) return(answer(own))
  sets <- lambda_sets(fit, lambda)
  if (nrow(sets) == 1L) return(answer(model_at(fit, sets[1L, ])))
  model <- model_for_path(fit)
  below <- numeric()
  slices <- lapply(seq_len(nrow(sets)), function(i) {
    core_set_lambda(model, sets[i, ])
    below <<- union(below, lambdas_below_floor(model))
    answer(model)
  })
  if (length(below) > 0L) warn_of_lambdas(below, core_lambda_flags(model)$floor)
  bound_slices(fit, sets, slices)
}

# Answers at several sets of lambdas (rows), side by side.
bound_slices <- function(fit, sets, slices) {
  same <- all(sets == sets[, 1L])
  labels <- if (same) vapply(sets[, 1L], format, "", digits = 15L) else as.character(seq_len(nrow(sets)))
  first <- as.matrix(slices[[1L]])
  rows <- rownames(first)
  if (fit$vector) return(matrix(unlist(slices), nrow(first), dimnames = list(rows, labels)))
  array(unlist(slices), c(dim(first), length(slices)), list(rows, colnames(first), labels))
}

# Values in the order of the things `known` that they belong to. Names of values win over places; values without names
# stay in their places.
by_name <- function(value, name, known, thing) {
  given <- names(value)
  if (is.null(given) || all(given == "") || identical(given, known)) return(value)
  there <- paste0("; the ", thing, "s are ", paste(known, collapse = ", "))
  wrong <- setdiff(given, known)
  if (length(wrong) > 0L) refuse(name, " has the name '", wrong[1L], "', which is that of no ", thing, there)
  again <- anyDuplicated(given)
  if (again > 0L) refuse(name, " has the name '", given[again], "' twice", there)
  missing <- setdiff(known, given)
  if (length(missing) > 0L) refuse(name, " has nothing for the ", thing, " '", missing[1L], "'", there)
  value[known]
}
