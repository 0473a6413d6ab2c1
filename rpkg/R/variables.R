# The variables of a fit, of which effects(), importance() and anova() tell: columns of x and unpenalised columns, all
# columns of a factor as one, and after a formula the variables of its terms with all columns that are made of them.

# The rows of a fit, or of new data, with what sets variables in them to other values:
#     x, fixed, offset, weights   of the rows
#     variables                   by their names, list(columns, fixed, values, levels): the columns of x and of the unpenalised
#                                 ones that a variable has a part in, its values at the rows, and where they are levels, these
#     put(variables, values, rows)   list(x, fixed): some rows, in which each variable has the values that are given for it
variable_rows <- function(fit, newdata = NULL) {
  at <- if (is.null(newdata)) {
    list(x = points_of(fit), fixed = fit$fixed, offset = fit$offset, weights = fit$weights)
  } else {
    new <- new_rows(fit, newdata)
    if (!any(new$known)) refuse("newdata has no row without missing values")
    new[c("x", "fixed", "offset")]
  }
  if (is.null(fit$terms)) return(c(at, column_variables(fit, at)))
  terms <- stats::delete.response(fit$terms)
  frame <- whole_frame(fit)[place_of(fit, seq_len(nrow(fit$x))), , drop = FALSE]
  own <- frame
  if (!is.null(newdata)) {
    frame <- new_frame(terms, newdata_with_columns(newdata), fit$xlevels, "newdata does not fit the model: ")[new$known, , drop = FALSE]
  }
  c(at, formula_variables(fit, terms, own, frame))
}

variables_of_fit <- function(fit) variable_rows(fit)$variables

column_variables <- function(fit, at) {
  names <- feature_names(if (is.null(fit$points)) fit$x else at$x)
  value <- level_value_of(fit)
  factors <- lapply(level_terms(fit$x), function(part) {
    own <- names[part$columns]
    of_name <- startsWith(own, part$name) & nchar(own) > nchar(part$name)
    levels <- ifelse(of_name, substring(own, nchar(part$name) + 1L), own)
    place <- apply(at$x[, part$columns, drop = FALSE], 1L, which.max)
    list(name = part$name, columns = part$columns, fixed = integer(), values = factor(levels[place], levels), levels = levels)
  })
  single <- setdiff(seq_along(names), unlist(lapply(factors, `[[`, "columns")))
  columns <- lapply(single, function(k) list(name = names[k], columns = k, fixed = integer(), values = as.vector(at$x[, k])))
  fixed <- lapply(seq_len(NCOL(at$fixed) * !is.null(at$fixed)), function(k) {
    list(name = colnames(fit$fixed)[k], columns = integer(), fixed = k, values = as.vector(at$fixed[, k]))
  })
  variables <- c(columns, factors)
  variables <- c(variables[order(vapply(variables, function(one) one$columns[1L], 0L))], fixed)
  list(
    variables = stats::setNames(variables, make.unique(vapply(variables, `[[`, "", "name"))),
    put = function(variables, values, rows) {
      x <- at$x[rows, , drop = FALSE]
      fixed <- if (!is.null(at$fixed)) at$fixed[rows, , drop = FALSE]
      for (k in seq_along(variables)) {
        one <- variables[[k]]
        if (length(one$fixed) > 0L) {
          fixed[, one$fixed] <- values[[k]]
        } else {
          x[, one$columns] <- if (is.null(one$levels)) values[[k]] else value * diag(length(one$levels))[match(values[[k]], one$levels), ]
        }
      }
      list(x = x, fixed = fixed)
    }
  )
}

# own: the model frame of the fit, whose levels there are; frame: that of the rows.
formula_variables <- function(fit, terms, own, frame) {
  has_part <- rowSums(as.matrix(attr(terms, "factors"))) > 0  # as offsets have not
  names <- if (length(attr(terms, "term.labels")) > 0L) variables_of(terms)[has_part]
  within <- function(terms, assign, name) {
    has <- attr(terms, "factors")
    if (length(has) == 0L) return(integer())
    which(assign %in% which(has[match(name, variables_of(terms)), ] > 0L))
  }
  penalised <- if (is.null(fit$parts)) terms else fit$parts$penalised
  level_value <- level_value_of(fit)
  columns_of <- function(...) attr(model_matrix_of(...), "assign")
  assign <- columns_of(penalised, own, fit$contrasts, level_value)
  source <- if (!is.null(fit$parts)) fit$fixed_source
  fixed_assign <- if (!is.null(source)) columns_of(source$terms, own, source$contrasts, NULL)
  variables <- lapply(names, function(name) {
    known <- own[[name]]
    levels <- if (is.factor(known) || is.character(known) || is.logical(known)) {
      found <- as.character(known)
      if (is.factor(known)) intersect(levels(known), found) else sort(unique(found))
    }
    list(columns = c(within(penalised, assign[assign != 0L], name), random_columns_of(fit, name)),
         fixed = if (!is.null(source)) within(source$terms, fixed_assign[fixed_assign != 0L], name) else integer(),
         values = frame[[name]], levels = levels, name = name)
  })
  list(
    variables = stats::setNames(variables, names),
    put = function(variables, values, rows) {
      moved <- frame[rows, , drop = FALSE]
      for (k in seq_along(variables)) {
        one <- variables[[k]]
        known <- own[[one$name]]
        value <- values[[k]]
        moved[[one$name]] <- if (is.null(one$levels)) value else known[match(as.character(value), as.character(known))]
      }
      x <- with_random_columns(design_matrix(penalised, moved, fit$contrasts, level_value)$x, fit$random, moved)
      if (!is.double(x)) storage.mode(x) <- "double"
      list(x = x, fixed = if (!is.null(source)) double_columns(design_matrix(source$terms, moved, source$contrasts)$x))
    }
  )
}

# The values of other rows.
values_at <- function(values, rows) if (is.matrix(values)) values[rows, , drop = FALSE] else values[rows]
