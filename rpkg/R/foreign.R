# What users of other packages write, and what it is called here: terms of formulas, and arguments.

# Refuses terms of formulas that have a meaning in other packages: (1 | g) of lme4, s(x) of mgcv. A function s of the
# user's own is one that R finds, and that is of no package.
check_formula <- function(formula) {
  if (!inherits(formula, "formula")) refuse("formula must be a formula such as y ~ x1 + x2, not ", shown(formula))
  for (term in terms_within(formula[[length(formula)]])) {
    head <- deparse(term[[1L]])[1L]
    if (head %in% c("|", "||")) {
      refuse("the formula has ", deparse(term)[1L], ", which is no term here: a random effect of g is the penalised ",
             "factor g beside unpenalised() terms, as in y ~ unpenalised(x) + g with kernel = linear_kernel() and ",
             "criterion = \"reml\" (see ?variance_components), and a logical column is I(a | b)")
    }
    head <- sub("^.*::", "", head)
    if (head %in% smooth_terms && !is_own_function(head, environment(formula))) {
      refuse("the formula has ", deparse(term)[1L], ", which is no term here: name the columns alone, as in y ~ x, ",
             "as the kernel makes the function smooth; additive_kernel() makes it a sum of functions of one column each")
    }
  }
  formula
}

smooth_terms <- c("s", "te", "ti", "t2", "lo")

is_own_function <- function(name, environment) {
  found <- get0(name, environment, mode = "function")
  !is.null(found) && !isNamespace(environment(found))
}

# The calls among the terms of an expression, in and outside of unpenalised().
terms_within <- function(part) {
  if (!is.call(part)) return(list())
  if (deparse(part[[1L]])[1L] %in% c("+", "-", "*", ":", "/", "^", "%in%", "(") || is_unpenalised_call(part)) {
    return(unlist(lapply(as.list(part)[-1L], terms_within), recursive = FALSE))
  }
  list(part)
}

# A call of a generic with `formula` among its named arguments, whichever place it has, becomes one that begins with it,
# as lm() takes it: R finds the method by the first argument. NULL where the call is as it should be.
formula_first <- function(names, call, environment) {
  if (!any(is_formula_name(names))) return(NULL)
  call <- match.call(function(...) NULL, call, envir = environment)
  place <- which(is_formula_name(names(call)))[1L]
  names(call)[place] <- ""
  call[c(1L, place, setdiff(seq_along(call)[-1L], place))]
}

is_formula_name <- function(names) names %in% c("form", "formu", "formul", "formula")
