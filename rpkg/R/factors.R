# Factors as columns. Where their columns are penalised a factor has a column for every level, so that no level is the
# reference, and which one comes first makes no difference:
#     kernels that see distances or angles   sqrt(1/2) where the row is of that level, else 0: two rows of different
#                                            levels are at distance 1, whichever levels they are
#     linear kernels                         1, else 0: the slopes are the random effects of a mixed model
# Columns without a penalty (unpenalised(), ols(), lambda = 0) are coded by contrasts, as in lm(). All columns of a factor
# have one divisor. (Strings and TRUE or FALSE are factors here; a product of factors has a column for each combination.)

# The value of a column for a level in rows of that level; NULL: by contrasts. kernel: NULL for a fit without a penalty.
level_value_for <- function(kernel, lambda = NULL) {
  if (is.null(kernel)) return(NULL)
  if (!is_linear(as_kernel(kernel))) return(sqrt(0.5))
  if (!is.null(lambda) && isTRUE(all(lambda == 0))) NULL else 1
}

# The same of a fit, which has contrasts where its factors are coded by them.
level_value_of <- function(fit) {
  if (is.null(fit$contrasts)) level_value_for(if (identical(fit$method, "ridge")) linear_kernel() else fit$kernel)
}

# list(x, contrasts); x: the columns of the model matrix without the constant one. With a column for every level
# (level_value) x has the attribute "factor_terms", a list with an entry list(columns, levels, name) for each term that
# has a factor: the term's columns of x, whether they stand for levels (FALSE for those of a number in each level, as of
# number:factor), and the term.
design_matrix <- function(terms, frame, contrasts = NULL, level_value = NULL) {
  full <- model_matrix_of(terms, frame, contrasts, level_value)
  term <- attr(full, "assign")
  x <- full[, term != 0L, drop = FALSE]
  colnames(x) <- one_name_each(terms, frame, colnames(x), term[term != 0L])
  if (!is.null(level_value)) attr(x, "factor_terms") <- factor_terms(terms, frame, term[term != 0L])
  list(x = x, contrasts = if (is.null(level_value)) attr(full, "contrasts"))
}

# The names of columns, where level "y2" of a factor g and a variable gy2 have made one name of both: the level's column
# becomes "g.y2", and what is then still there twice gets a number.
one_name_each <- function(terms, frame, names, term) {
  twice <- names %in% names[duplicated(names)]
  if (!any(twice)) return(names)
  variables <- variables_of(terms)
  factors <- factor_names(terms, frame)
  for (j in which(twice)) {
    own <- intersect(variables[attr(terms, "factors")[, term[j]] > 0L], factors)
    for (name in own) names[j] <- sub(name, paste0(name, "."), names[j], fixed = TRUE)
  }
  make.unique(names)
}

# The model matrix, with the constant column where the terms have one.
model_matrix_of <- function(terms, frame, contrasts, level_value) {
  check_two_levels(terms, frame)
  if (is.null(level_value)) return(model_columns(terms, frame, contrasts.arg = contrasts))
  names <- factor_names(terms, frame)
  frame[names] <- lapply(frame[names], function(column) {
    if (is.logical(column)) factor(column, c(FALSE, TRUE)) else as.factor(column)
  })
  identities <- lapply(frame[names], stats::contrasts, contrasts = FALSE)
  x <- model_columns(terms, frame, contrasts.arg = identities)
  for (part in factor_terms(terms, frame, attr(x, "assign"))) {
    if (part$levels) x[, part$columns] <- level_value * x[, part$columns]
  }
  x
}

# stats::model.matrix(), of which errors are those of this package: complex numbers, for one, are no columns.
model_columns <- function(...) {
  tryCatch(stats::model.matrix(...), error = function(condition) {
    refuse("the data do not fit the formula: ", conditionMessage(condition))
  })
}

# Refuses a factor with one level, which says nothing beside the intercept, and has no contrasts.
check_two_levels <- function(terms, frame) {
  for (name in factor_names(terms, frame)) {
    levels <- if (is.logical(frame[[name]])) c(FALSE, TRUE) else levels(as.factor(frame[[name]]))
    if (length(levels) < 2L) refuse(name, " has one level only, ", levels, ": a factor needs two or more; leave it out")
  }
}

# Some rows of x, with the attributes that say which columns belong together.
rows_with_terms <- function(x, rows) {
  part <- x[rows, , drop = FALSE]
  if (!is_sparse(x)) for (name in c("factor_terms", "random_terms")) attr(part, name) <- attr(x, name)
  part
}

# The variables of terms by their names in the model frame. (The rows of attr(terms, "factors") are the same variables,
# but their names have backticks where a name is no symbol of R.)
variables_of <- function(terms) {
  vapply(as.list(attr(terms, "variables"))[-1L], function(part) paste(deparse(part, 500L), collapse = " "), "")
}

# The variables of the right-hand side that are factors. (Terms of offsets alone have variables and no columns.)
factor_names <- function(terms, frame) {
  if (!is.matrix(attr(terms, "factors"))) return(character())
  of_levels <- vapply(frame, function(column) is.factor(column) || is.character(column) || is.logical(column), NA)
  if (!any(of_levels)) return(character())
  known <- variables_of(terms)
  setdiff(known[of_levels[known]], if (attr(terms, "response") == 1L) known[1L])
}

# The attribute "factor_terms" of design_matrix(). term: the number of the term of each column, 0 for the constant one.
factor_terms <- function(terms, frame, term) {
  if (!is.matrix(attr(terms, "factors"))) return(list())
  factors <- factor_names(terms, frame)
  if (length(factors) == 0L) return(list())
  of_factor <- variables_of(terms) %in% factors
  parts <- lapply(seq_len(ncol(attr(terms, "factors"))), function(k) {
    variables <- attr(terms, "factors")[, k] > 0L
    if (any(variables & of_factor)) {
      list(columns = which(term == k), levels = all(of_factor[variables]), name = attr(terms, "term.labels")[k])
    }
  })
  Filter(function(part) length(part$columns) > 0L, parts)
}

# list(data, from, fit): newdata with each row whose factors have levels that the fit does not know once for each level that
# it knows, and which row of newdata each is. A factor of the formula, as factor(k), becomes a column of that name, which
# the terms of this fit take.
with_known_levels <- function(fit, newdata) {
  if (length(fit$xlevels) == 0L) refuse("new_levels is \"mean\", and the fit has no factors")
  from <- seq_len(nrow(newdata))
  for (name in names(fit$xlevels)) {
    levels <- fit$xlevels[[name]]
    place <- match(name, variables_of(fit$terms)) + 1L
    value <- newdata[[name]]
    if (is.null(value)) {
      value <- tryCatch(eval(attr(fit$terms, "variables")[[place]], newdata, environment(fit$terms)), error = function(condition) NULL)
      if (length(value) != nrow(newdata)) next  # the model frame says what is wrong
    }
    value <- as.character(value)
    unknown <- !is.na(value) & !value %in% levels
    if (!any(unknown)) next
    if (!name %in% names(newdata)) {
      if (is.null(attr(fit$terms, "predvars"))) attr(fit$terms, "predvars") <- attr(fit$terms, "variables")
      attr(fit$terms, "predvars")[[place]] <- as.name(name)
    }
    rows <- rep(seq_along(value), ifelse(unknown, length(levels), 1L))
    value <- replace(value[rows], unknown[rows], rep(levels, sum(unknown)))
    newdata <- newdata[rows, , drop = FALSE]
    newdata[[name]] <- factor(value, levels)
    from <- from[rows]
  }
  list(data = newdata, from = from, fit = fit)
}

# The means of the values (a vector or matrix) of rows that come from one row.
mean_of_rows <- function(values, from, names) {
  several <- is.matrix(values)
  means <- rowsum(as.matrix(values), from, reorder = FALSE) / tabulate(from)
  if (several) return(structure(means, dimnames = list(names, colnames(values))))
  stats::setNames(means[, 1L], names)
}

# The divisors, with one and the same for all columns of a factor: the root of the sum of their variances. For two
# levels that is the standard deviation of a column of 0 and 1. constant: where there is one level only.
one_for_each_factor <- function(scale, x, constant) {
  for (part in attr(x, "factor_terms")) {
    total <- sqrt(sum(vapply(part$columns, function(j) stats::var(x[, j]), 0)))
    scale[part$columns] <- if (is.finite(total) && total > 0) total else constant
  }
  scale
}

# The terms whose columns stand for levels.
level_terms <- function(x) Filter(function(part) part$levels, attr(x, "factor_terms"))
