# Columns that no penalty touches (fixed effects): unpenalised(...) in a formula, `fixed` beside a matrix, and their
# values at new rows.
#
# A formula y ~ x1 + unpenalised(x2 * f) is taken apart into
#     given      its terms as they were written, of which unpenalised(...) is one
#     penalised  ~ x1, the columns of the kernel
#     fixed      ~ x2 * f, coded by contrasts as lm() codes them
#     flat       y ~ x1 + x2 * f, the formula of the model frame
# The dot stands for all columns of the data that are in no unpenalised().

unpenalised <- function(...) {
  refuse("unpenalised() is a term of a formula of freeridge(), by itself: as in y ~ x1 + unpenalised(x2 + x3)")
}
unpenalized <- unpenalised

is_unpenalised_call <- function(part) {
  if (!is.call(part)) return(FALSE)
  head <- part[[1L]]
  if (is.call(head) && length(head) == 3L && deparse(head[[1L]])[1L] %in% c("::", ":::")) head <- head[[3L]]
  identical(head, as.name("unpenalised")) || identical(head, as.name("unpenalized"))
}

# list(part, variables, found): the expression with the word always spelled "unpenalised", the variables within
# unpenalised(), and whether there is an unpenalised().
with_one_spelling <- function(part) {
  if (!is.call(part)) return(list(part = part, variables = character(), found = FALSE))
  found <- is_unpenalised_call(part)
  variables <- if (found) all.vars(part) else character()
  if (found) part[[1L]] <- as.name("unpenalised")
  for (i in seq_along(part)[-1L]) {
    if (!is.call(part[[i]])) next  # an empty argument, as in x[, 1], is none
    inner <- with_one_spelling(part[[i]])
    part[[i]] <- inner$part
    variables <- c(variables, inner$variables)
    found <- found || inner$found
  }
  list(part = part, variables = variables, found = found)
}

# list(given, penalised, fixed, flat), as above, fixed NULL without unpenalised(); NULL for a formula without unpenalised()
# and random effects, whose variables are in `flat`, too. given and penalised are terms, fixed and flat formulas, as the
# coding of `fixed` depends on the intercept, which is decided later. data: for the dot alone. whole: the formula with its
# effects.
unpenalised_parts <- function(formula, data, effects = list(), whole = formula) {
  spelled <- with_one_spelling(formula[[length(formula)]])
  if (length(formula) == 3L && with_one_spelling(formula[[2L]])$found) refuse("unpenalised() is not for the response")
  if (!spelled$found && length(effects) == 0L) return(NULL)
  formula[[length(formula)]] <- spelled$part
  if (!is.data.frame(data)) data <- NULL
  of_effects <- random_variables(effects)
  data <- data[setdiff(names(data), unlist(lapply(of_effects, all.vars)))]
  others <- data[setdiff(names(data), spelled$variables)]
  given <- terms_of(formula, others)
  place <- attr(given, "specials")$unpenalised
  factors <- attr(given, "factors")
  own <- if (length(place) > 0L) colSums(factors[place, , drop = FALSE] > 0L) > 0L
  if (is.null(own)) own <- rep(FALSE, length(attr(given, "term.labels")))
  if ((spelled$found && !any(own)) || any(attr(given, "order")[own] > 1L)) unpenalised()
  inner <- lapply(as.list(attr(given, "variables"))[1L + place], written_terms)
  inner <- Reduce(function(a, b) call("+", a, b), inner)
  labels <- lapply(attr(given, "term.labels")[!own], str2lang)
  environment <- environment(formula)
  response <- if (attr(given, "response") == 1L) formula[[2L]]
  if (!is.null(inner)) inner <- expanded(inner, response, data, environment)
  offsets <- as.list(attr(given, "variables"))[1L + attr(given, "offset")]
  constant <- attr(given, "intercept")
  sum_of <- function(parts) {  # ~ 1 or ~ 0 where there are none
    parts <- c(parts, if (constant == 0L) 0, if (length(parts) == 0L && constant == 1L) 1)
    Reduce(function(a, b) call("+", a, b), parts)
  }
  if (length(effects) > 0L) {
    whole[[length(whole)]] <- with_one_spelling(whole[[length(whole)]])$part
    given <- terms_of(whole, others)
  }
  list(given = given, penalised = stats::terms(formula_of(NULL, sum_of(labels), environment)),
       fixed = if (!is.null(inner)) formula_of(NULL, inner, environment),
       flat = formula_of(response, sum_of(c(labels, if (!is.null(inner)) list(call("(", inner)), of_effects, offsets)),
                         environment))
}

# In `. - g + unpenalised(g)` the dot has no g, and R warns that its list of variables, which is right, became longer.
terms_of <- function(formula, data) {
  withCallingHandlers(
    tryCatch(stats::terms(formula, specials = "unpenalised", data = data), error = function(condition) {
      refuse("the data do not fit the formula: ", conditionMessage(condition))
    }),
    warning = function(condition) {
      if (grepl("EncodeVars", conditionMessage(condition), fixed = TRUE)) invokeRestart("muffleWarning")
    }
  )
}

# unpenalised(a, b) as a + b.
written_terms <- function(part) {
  parts <- as.list(part)[-1L]
  named <- names(parts)[nzchar(names(parts))]
  if (length(parts) == 0L) refuse("unpenalised() is empty: as in unpenalised(x2 + x3)")
  if (length(named) > 0L) refuse("unpenalised() takes terms without names, not '", named[1L], "'")
  Reduce(function(a, b) call("+", a, b), parts)
}

# Terms in which the dot is written out, as the sum of all other columns of the data.
expanded <- function(inner, response, data, environment) {
  if (!"." %in% all.names(inner)) return(inner)
  stats::formula(terms_of(formula_of(response, inner, environment), data))[[if (is.null(response)) 2L else 3L]]
}

formula_of <- function(response, right, environment) {
  made <- if (is.null(response)) call("~", right) else call("~", response, right)
  stats::as.formula(made, environment)
}

# list(x, source): the columns of a formula `fixed`, and what makes them of new data. Without an intercept a factor has
# a column for every level.
fixed_design <- function(formula, frame, intercept) {
  if (isFALSE(intercept)) formula[[2L]] <- call("-", formula[[2L]], 1)
  terms <- stats::terms(formula)
  if (!is.null(attr(terms, "offset"))) refuse("an offset has no effect to be found: write it beside unpenalised()")
  design <- design_matrix(terms, frame)
  if (ncol(design$x) == 0L) refuse("unpenalised() has no columns: ", shown_formula(formula))
  list(x = double_columns(design$x), source = list(terms = terms, contrasts = design$contrasts))
}

double_columns <- function(x) {
  x <- x[, seq_len(ncol(x)), drop = FALSE]  # without the attributes of model.matrix()
  if (!is.double(x)) storage.mode(x) <- "double"
  x
}

# The same for the argument `fixed` beside a matrix: numbers, or a data frame or a factor, coded as lm() codes factors.
fixed_columns <- function(fixed, n, intercept) {
  if (is.factor(fixed) || is.character(fixed)) fixed <- data.frame(fixed = fixed)
  design <- if (is.data.frame(fixed) && !all(vapply(fixed, is_number, NA))) {
    check_levels(fixed[vapply(fixed, function(column) is.factor(column) || is.character(column), NA)], "fixed")
    check_dot(fixed, "fixed")
    frame <- stats::model.frame(~ ., without_integer64(fixed), na.action = stats::na.pass)
    made <- fixed_design(stats::formula(attr(frame, "terms")), frame, intercept)
    made$source$terms <- structure(made$source$terms, dataClasses = attr(attr(frame, "terms"), "dataClasses"))
    made$source$xlevels <- stats::.getXlevels(attr(frame, "terms"), frame)
    made
  } else {
    list(x = numeric_matrix(fixed, "fixed", finite = FALSE))
  }
  x <- design$x
  check_finite(x, "fixed")
  if (nrow(x) != n) refuse("fixed has ", counted(nrow(x), "row"), ", x has ", n)
  if (is.null(colnames(x))) colnames(x) <- if (ncol(x) == 1L) "fixed" else paste0("fixed", seq_len(ncol(x)))
  list(x = x, source = design$source)
}

# The values of the fixed effects of a fit to a matrix at new rows: `fixed` or, where it is NULL, the columns of newdata
# with the names of the effects.
new_fixed <- function(fit, newdata, fixed) {
  if (is.null(fit$fixed)) {
    if (!is.null(fixed)) refuse("fixed is given, but the fit has no unpenalised columns")
    return(NULL)
  }
  if (is.null(fixed)) fixed <- fixed_of_newdata(fit, newdata)
  source <- fit$fixed_source
  names <- colnames(fit$fixed)
  if (is.null(source)) {
    if (all(names %in% colnames(fixed))) fixed <- columns_by_name(fixed, names, "fixed")
    x <- numeric_matrix(fixed, "fixed", finite = FALSE, rows = FALSE)
  } else {
    if (is.factor(fixed) || is.character(fixed)) fixed <- data.frame(fixed = fixed)
    if (!is.data.frame(fixed)) refuse("fixed must be a data frame, as that of the fit was, not ", shown(fixed))
    check_columns(all.vars(source$terms), fixed, "fixed")
    frame <- new_frame(source$terms, fixed, source$xlevels, "fixed does not fit the model: ")
    x <- double_columns(design_matrix(source$terms, frame, source$contrasts)$x)
  }
  if (ncol(x) != length(names)) {
    refuse("fixed has ", counted(ncol(x), "column"), ", that of the fit has ", length(names))
  }
  if (nrow(x) != nrow(newdata)) refuse("fixed has ", counted(nrow(x), "row"), ", newdata has ", nrow(newdata))
  infinite <- is.infinite(x)
  if (any(infinite)) check_finite(replace(x, is.na(x), 0), "fixed")
  x
}

fixed_of_newdata <- function(fit, newdata) {
  names <- if (is.null(fit$fixed_source)) colnames(fit$fixed) else all.vars(fit$fixed_source$terms)
  missing <- setdiff(names, colnames(newdata))
  if (length(missing) > 0L) {
    refuse("the fit has unpenalised columns, and newdata has no column '", missing[1L],
           "': give their values, fixed = ...")
  }
  newdata[, names, drop = FALSE]
}

# Zeros as values of the fixed effects, for differences and derivatives of f, in which the effects have no part.
no_effects <- function(fit, rows) if (!is.null(fit$fixed)) matrix(0, rows, ncol(fit$fixed))

# The effects at the lambda in force, q x t. As in lm(), NA is the effect of a column that depends on the intercept and
# the columns before it. A model that was made of a predictor's bytes knows predictions alone: its effects are those in
# the fit.
effects_at <- function(fit, model) {
  if (is.null(fit$fixed)) return(NULL)
  if (identical(model, fit$cache$predictor)) return(fit$effects)
  found <- core_fixed_effects(model, FALSE)
  own_effects(found, found$effects)
}

own_effects <- function(found, values) {
  values[found$kept == 0L, ] <- NA
  values
}

# The model that has the standard errors of the effects. Without columns of the kernel these do not depend on lambda,
# but they do not exist at lambda = 0.
effects_model <- function(fit, lambda) {
  if (ncol(fit$x) > 0L) return(model_at(fit, lambda, warn = FALSE))
  model_at(fit, if (!is.null(lambda)) pmax(lambda, 1))
}

# list(errors, freedom) at the lambda in force: standard errors in the mixed model, q x t, and for each output n - p
# degrees of freedom: n rows in which the output is observed, p effects that are not NA and an intercept that is not
# penalised.
effect_errors <- function(fit, model) {
  found <- core_fixed_effects(model, TRUE)
  warn_reason(found$reason)
  freedom <- observed_counts(fit) - sum(found$kept) - has_free(fit)
  list(errors = own_effects(found, found$errors), freedom = quantile_freedom(fit, freedom))
}

# The covariances of the effects in the mixed model, output by output. Each output is a model by itself: covariances
# between two of them are NA.
effect_covariance <- function(fit, lambda, complete) {
  found <- core_fixed_covariance(effects_model(fit, lambda))
  warn_reason(found$reason)
  names <- colnames(fit$fixed)
  q <- length(names)
  value <- matrix(NA_real_, q * ncol(fit$y), q * ncol(fit$y), dimnames = rep(list(stacked_names(fit, names)), 2L))
  for (j in seq_len(ncol(fit$y))) {
    own <- q * (j - 1L) + seq_len(q)
    value[own, own] <- found$covariance[, own]
  }
  lost <- is.na(as.vector(fit$effects))
  value[lost, ] <- value[, lost] <- NA
  if (complete) value else value[!lost, !lost, drop = FALSE]
}

# What print() says of the unpenalised columns.
print_unpenalised <- function(fit, most = 8L) {
  if (is.null(fit$fixed)) return(invisible())
  names <- colnames(fit$fixed)
  lost <- names[is.na(fit$effects[, 1L])]
  cat("Unpenalised: ", counted(length(names), "column"), " (", paste(utils::head(names, most), collapse = ", "),
      if (length(names) > most) ", ...", ")\n", sep = "")
  if (length(lost) > 0L) {
    cat("  without an effect of their own, as they depend on others: ", paste(utils::head(lost, most), collapse = ", "),
        if (length(lost) > most) ", ...", "\n", sep = "")
  }
}
