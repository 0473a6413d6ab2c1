# Random effects in a formula, beside the other columns or alone:
#     random(id)         an effect of each level of id, N(0, s^2) each: the kernel s^2 Z Z' of a column for every level
#     random(a:b)        of each combination of levels that occurs;  random(a/b): random(a) + random(a:b)
#     (1 | id)           random(id), as lme4 writes it, likewise (1 | a:b) and (1 | a/b)
#     (0 + x | id)       a slope of the number x in each level;  (x || id): (1 | id) + (0 + x | id)
# In a formula with bars and a linear kernel the terms outside of bars have no penalty, as in lme4. Each effect is a term
# of a sum of kernels, K = K_0 + sum_k w_k Z_k Z_k', whose weights REML finds with lambda. A level that is not known has
# only zeros, and so the effect 0, the mean of the others.
#
# An effect is list(name, groups, slope, term): its name, the factors whose levels are combined, as expressions, the
# number or NULL, and the term of the formula that it comes from; `labels`, the variables that are labels and nothing else;
# once the data are known `levels`, and in the attribute "random_terms" of x `columns`, too.

random <- function(...) {
  refuse("random() is a term of a formula of freeridge(), by itself: as in y ~ x + random(id)")
}

# list(formula, effects): the formula without its random effects. linear: whether the kernel is.
random_parts <- function(formula, linear) {
  taken <- take_random(formula[[length(formula)]])
  if (length(taken$effects) == 0L) return(list(formula = formula, effects = list()))
  effects <- taken$effects[!duplicated(vapply(taken$effects, `[[`, "", "name"))]
  rest <- if (is.null(taken$rest)) 1 else taken$rest
  formula[[length(formula)]] <- if (linear && taken$bars) without_penalty(rest) else rest
  list(formula = formula, effects = effects)
}

# list(rest, effects, bars) of a sum of terms; rest: NULL where nothing is left; bars: whether an effect had one.
take_random <- function(part) {
  head <- if (is.call(part)) deparse(part[[1L]])[1L] else ""
  inner <- if (head == "(") part[[2L]] else part
  bar <- is.call(inner) && deparse(inner[[1L]])[1L] %in% c("|", "||")
  own <- if (bar) bar_effects(inner) else if (sub("^.*::", "", head) == "random") call_effects(part)
  if (!is.null(own)) return(list(effects = lapply(own, c, term = frame_name(inner)), bars = bar))
  if (head == "+" || (head == "-" && length(part) == 3L)) {
    sides <- lapply(as.list(part)[-1L], take_random)
    if (head == "-" && length(sides[[2L]]$effects) > 0L) refuse_random(part)
    rest <- if (is.null(sides[[1L]]$rest) && length(sides) == 2L && head == "-") {
      call("-", 1, sides[[2L]]$rest)
    } else {
      kept <- Filter(Negate(is.null), lapply(sides, `[[`, "rest"))
      if (length(kept) == length(sides)) as.call(c(part[[1L]], kept)) else if (length(kept) == 1L) kept[[1L]]
    }
    return(list(rest = rest, effects = do.call(c, lapply(sides, `[[`, "effects")),
                bars = any(vapply(sides, `[[`, NA, "bars"))))
  }
  if (any(c("random", "|", "||") %in% unlist(lapply(terms_within(part), function(term) all.names(term[[1L]]))))) {
    refuse_random(part)
  }
  list(rest = part, effects = list(), bars = FALSE)
}

refuse_random <- function(part) {
  refuse("the formula has ", deparse(part)[1L], ": a random effect is a term by itself, as in y ~ x + random(id), and ",
         "random(a:b) is that of each combination of levels")
}

call_effects <- function(part) {
  given <- as.list(part)[-1L]
  if (length(given) == 0L || any(nzchar(names(given)))) random()
  do.call(c, lapply(given, group_effects))
}

# The effects (slope | group).
bar_effects <- function(bar) {
  left <- bar[[2L]]
  words <- deparse(left)[1L]
  apart <- identical(bar[[1L]], as.name("||"))
  terms <- tryCatch(stats::terms(stats::as.formula(call("~", left))), error = function(condition) {
    refuse("the formula has (", deparse(bar)[1L], "), whose left side is ", words, ": it must be 1 or terms of numbers")
  })
  slopes <- lapply(attr(terms, "term.labels"), str2lang)
  constant <- attr(terms, "intercept") == 1L
  if (length(slopes) + constant > 1L && !apart) {
    refuse("the formula has (", deparse(bar)[1L], "), whose effects in a level are correlated, which no sum of kernels ",
           "is: (", words, " || ", deparse(bar[[3L]])[1L], ") has them without the correlation")
  }
  c(if (constant) group_effects(bar[[3L]]),
    do.call(c, lapply(slopes, function(slope) group_effects(bar[[3L]], slope))))
}

# a/b: the effects of a and of a:b.
group_effects <- function(groups, slope = NULL) {
  if (is.call(groups) && identical(groups[[1L]], as.name("("))) return(group_effects(groups[[2L]], slope))
  if (is.call(groups) && identical(groups[[1L]], as.name("/"))) {
    return(c(group_effects(groups[[2L]], slope), group_effects(call(":", groups[[2L]], groups[[3L]]), slope)))
  }
  factors <- function(part) {
    product <- is.call(part) && identical(part[[1L]], as.name(":"))
    if (product) c(factors(part[[2L]]), factors(part[[3L]])) else list(part)
  }
  parts <- factors(groups)
  name <- paste(vapply(parts, frame_name, ""), collapse = ":")
  list(list(name = if (is.null(slope)) name else paste(frame_name(slope), "|", name), groups = parts, slope = slope))
}

# The name that a variable has in a model frame.
frame_name <- function(part) paste(deparse(part, 500L), collapse = " ")

# y ~ unpenalised(all terms), and offsets and the intercept as they were.
without_penalty <- function(rest) {
  if (with_one_spelling(rest)$found) return(rest)
  dot <- "." %in% all.names(rest)
  terms <- if (!dot) stats::terms(stats::as.formula(call("~", rest)))
  labels <- if (dot) list(rest) else lapply(attr(terms, "term.labels"), str2lang)
  offsets <- as.list(attr(terms, "variables"))[-1L][attr(terms, "offset")]
  parts <- c(if (length(labels) > 0L) as.call(c(as.name("unpenalised"), labels)), offsets,
             if (!dot && attr(terms, "intercept") == 0L) 0)
  if (length(parts) == 0L) 1 else Reduce(function(a, b) call("+", a, b), parts)
}

# The variables of random effects, as expressions.
random_variables <- function(effects) unique(do.call(c, lapply(effects, function(effect) c(effect$groups, effect$slope))))

label_variables <- function(effects) unlist(lapply(effects, `[[`, "labels"))

# Data of which these variables do not become doubles, in which labels of 64 bits might be the same.
with_plain_labels <- function(data, effects) {
  for (name in intersect(label_variables(effects), names(data))) data[[name]] <- plain_labels(data[[name]])
  data
}

# The label of each row of a frame, a factor.
labels_of_effect <- function(effect, frame) {
  combined_labels(lapply(effect$groups, function(part) {
    column <- frame[[frame_name(part)]]
    if (!is.null(dim(column))) refuse("random(", effect$name, ") has ", frame_name(part), ", which is a matrix: a factor is needed")
    column
  }))
}

# The effects with the levels that occur in a frame.
with_levels <- function(effects, frame) {
  lapply(effects, function(effect) {
    effect$levels <- levels(labels_of_effect(effect, frame))
    if (length(effect$levels) < 2L) {
      refuse("random(", effect$name, ") has one level only, ", effect$levels, ": an effect needs two or more")
    }
    if (is.null(effect$slope) && length(effect$levels) == nrow(frame) && is.null(stats::model.weights(frame))) {
      refuse("random(", effect$name, ") has a level for each of the ", nrow(frame), " rows: its effects cannot be told ",
             "from the errors")
    }
    if (!is.null(effect$slope) && !is.numeric(frame[[frame_name(effect$slope)]])) {
      refuse("(", effect$name, ") is a slope of ", frame_name(effect$slope), ", which is ",
             shown(frame[[frame_name(effect$slope)]]), ": it must be numbers")
    }
    effect
  })
}

# x with the columns of the effects behind its own.
with_random_columns <- function(x, effects, frame) {
  if (length(effects) == 0L) return(x)
  terms <- list()
  factors <- attr(x, "factor_terms")
  for (effect in effects) {
    label <- as.character(labels_of_effect(effect, frame))
    columns <- matrix(0, nrow(x), length(effect$levels), dimnames = list(NULL, paste0(effect$name, effect$levels)))
    known <- which(label %in% effect$levels)
    value <- if (is.null(effect$slope)) rep(1, nrow(x)) else as.double(frame[[frame_name(effect$slope)]])
    columns[cbind(known, match(label[known], effect$levels))] <- value[known]
    columns[is.na(label) | is.na(value), ] <- NA
    terms <- c(terms, list(list(name = effect$name, columns = ncol(x) + seq_along(effect$levels))))
    x <- cbind(x, columns)
  }
  colnames(x) <- make.unique(colnames(x))
  structure(x, factor_terms = factors, random_terms = terms)
}

# The columns of x that no random effect has.
own_columns <- function(x) setdiff(seq_len(ncol(x)), unlist(lapply(attr(x, "random_terms"), `[[`, "columns")))

without_random_columns <- function(x) {
  if (is.null(attr(x, "random_terms"))) return(x)
  own <- x[, own_columns(x), drop = FALSE]
  attr(own, "factor_terms") <- attr(x, "factor_terms")
  own
}

# kernel + sum of NA * z z' of the columns of each effect; kernel: of the other columns, NULL where there are none.
with_random_kernels <- function(kernel, x) {
  effects <- lapply(attr(x, "random_terms"), function(term) {
    additive_kernel(linear_kernel(), replace(rep(NA, ncol(x)), term$columns, 1L))
  })
  if (is.null(kernel) && length(effects) == 1L) return(linear_kernel())
  effects <- lapply(effects, function(effect) NA * effect)
  beside <- function(kernel) {  # within a scaled kernel, so that the terms of a sum there and the effects are one sum
    if (kernel$name == "scaled") return(with_parts(kernel, beside))
    Reduce(`+`, c(list(kernel), effects))
  }
  if (is.null(kernel)) Reduce(`+`, effects) else beside(of_columns(kernel, own_columns(x), ncol(x)))
}

# The kernel of the first columns, `own`, as one of d columns.
of_columns <- function(kernel, own, d) {
  if (is_of_terms(kernel)) {
    label <- if (is.null(kernel$label)) seq_along(own) - 1L else kernel$label
    kernel$label <- c(as.integer(label), rep(-1L, d - length(own)))
    return(kernel)
  }
  if (kernel$name == "scaled" && !is.null(kernel$scale)) kernel$scale <- c(kernel$scale, rep(1, d - length(own)))
  if (length(parts_of(kernel)) > 0L && !kernel$name %in% c("periodic", "sphere")) return(with_parts(kernel, of_columns, own, d))
  additive_kernel(kernel, replace(rep(NA, d), own, 1L))
}

# Refuses what random effects cannot stand beside. kernel: of the other columns.
check_random <- function(kernel) {
  if (kernel$name == "function") {
    refuse("random() goes with the kernels of this package, and the kernel is an R function")
  }
  if (given_count(kernel) > 0L) {
    refuse("random() is of a formula, and the kernel is precomputed: give the matrix of random(id) beside it, as in ",
           "list(K, outer(id, id, \"==\") + 0)")
  }
}

# The fit with the kernels of the effects beside its own, whose columns are `own`. Their columns have no lengths and no
# divisors. Without lengths variances are learnt by REML alone, and on all rows.
with_random_effects <- function(fit, own) {
  d <- ncol(fit$x)
  fit$bands <- c(fit$bands, rep(NA, d - length(own)))
  if (!is.null(fit$scale)) fit$scale[-own] <- 1
  fit$kernel <- with_random_kernels(if (length(own) > 0L) fit$kernel, fit$x)
  variances_alone(fit)
}

most_rows_of_variances <- 5000L

variances_alone <- function(fit) {
  if (chooses_bandwidth(fit$kernel)) return(fit)
  fit$shrinkage <- Inf
  if (fit$learn_rows == 0 && nrow(fit$x) <= most_rows_of_variances) fit$learn_rows <- nrow(fit$x)
  fit
}

# The factors that random effects alone have: new data may have other levels of them, and of another class.
factors_of_effects <- function(parts) {
  used <- c(variables_of(parts$parts$penalised), if (!is.null(parts$fixed)) variables_of(parts$fixed$source$terms))
  setdiff(vapply(do.call(c, lapply(parts$effects, `[[`, "groups")), frame_name, ""), used)
}

# The columns of the effects that a variable has a part in.
random_columns_of <- function(fit, variable) {
  of <- vapply(fit$random, function(effect) variable %in% vapply(c(effect$groups, effect$slope), frame_name, ""), NA)
  unlist(lapply(attr(fit$x, "random_terms")[of], `[[`, "columns"))
}

# Given matrices K_1, K_2, ...: list(x, names), the matrices side by side and their names.
matrices_side_by_side <- function(matrices) {
  if (length(matrices) == 0L) refuse("x is an empty list; it must have square matrices of kernel values")
  if (!all(vapply(matrices, function(own) length(dim(own)) == 2L, NA))) {
    refuse("x must be a numeric matrix, not ", shown(matrices), ", which has other things than square matrices")
  }
  called <- names_of_matrices(matrices)
  values <- Map(numeric_matrix, matrices, called)
  n <- nrow(values[[1L]])
  for (k in seq_along(values)) {
    own <- values[[k]]
    if (nrow(own) != n || ncol(own) != n) {
      refuse(called[k], " is ", nrow(own), " x ", ncol(own), "; the matrices in x must be square, and all of one size, ", n)
    }
    if (!is.null(rownames(own)) && !is.null(colnames(own)) && !identical(rownames(own), colnames(own))) {
      refuse("rows and columns of ", called[k], " have other names")
    }
    check_row_names(values[[1L]], own, TRUE, called[k])
  }
  list(x = structure(do.call(cbind, values), dimnames = if (!is.null(rownames(values[[1L]]))) list(rownames(values[[1L]]), NULL)),
       names = called)
}

names_of_matrices <- function(matrices) {
  given <- names(matrices)
  if (is.null(given)) given <- character(length(matrices))
  make.unique(ifelse(nzchar(given), given, paste0("K", seq_along(matrices))))
}

# The values k_j(new, rows of the fit), side by side in the order of the fit.
new_matrices <- function(fit, newdata) {
  if (!is.null(names(newdata)) && all(fit$matrices %in% names(newdata))) newdata <- newdata[fit$matrices]
  if (length(newdata) != length(fit$matrices)) {
    refuse("newdata has ", counted(length(newdata), "matrix"), ", the fit has ", length(fit$matrices))
  }
  values <- Map(numeric_matrix, newdata, paste("newdata,", fit$matrices), rows = FALSE)
  if (!is.null(all_cases(fit))) values <- Map(columns_by_name, values, list(all_cases(fit)), paste("newdata,", fit$matrices))
  if (length(unique(vapply(values, nrow, 0L))) > 1L) refuse("the matrices in newdata have other numbers of rows")
  names <- rownames(values[[1L]])
  structure(do.call(cbind, values), dimnames = if (!is.null(names)) list(names, NULL))
}

# The names of the columns, all those of a random effect with the name of the effect.
names_by_effect <- function(x) {
  names <- feature_names(x)
  for (term in attr(x, "random_terms")) {
    names[term$columns] <- make.unique(c(names[own_columns(x)], term$name))[length(own_columns(x)) + 1L]
  }
  names
}

# The inverse of of_columns(): a kernel of the columns `own` alone, as print() shows it.
of_own_columns <- function(kernel, own) {
  if (is_of_terms(kernel)) {
    label <- kernel$label[own]
    if (all(label == 0L) && length(own) > 1L || length(own) == 1L) return(kernel$inner)
    kernel$label <- if (anyDuplicated(label)) label
    return(kernel)
  }
  if (kernel$name == "scaled" && !is.null(kernel$scale)) kernel$scale <- kernel$scale[own]
  with_parts(kernel, of_own_columns, own)
}

# The kernel as print() shows it: that of the other columns by `shown`, a function of a fit without random effects.
shown_with_effects <- function(fit, digits, shown) {
  effects <- attr(fit$x, "random_terms")
  names <- paste0("random(", vapply(effects, `[[`, "", "name"), ")")
  terms <- outer_sum(fit$kernel)
  others <- length(terms$terms) - length(effects)
  number <- function(weights) {
    ifelse(weights == 1, "", paste0(formatC(weights, digits = digits, format = "g", width = 1L), " * "))
  }
  words <- paste0(number(utils::tail(terms$weights, length(effects))), names)
  if (others > 0L) {
    kept <- seq_len(others)
    sum <- if (others == 1L) terms$terms[[1L]] else new_kernel("sum", terms = terms$terms[kept], weights = terms$weights[kept])
    around <- function(kernel) if (kernel$name == "scaled") with_parts(kernel, around) else sum
    fit$kernel <- of_own_columns(around(fit$kernel), own_columns(fit$x))
    fit$x <- without_random_columns(fit$x)
    words <- c(paste0(if (others == 1L) number(terms$weights[1L]), shown(fit, digits)), words)
  }
  paste(words, collapse = " + ")
}

# list(terms, weights) of a kernel that is a sum, or a sum within scaled kernels, and of another kernel as a sum of one.
outer_sum <- function(kernel) {
  while (kernel$name == "scaled") kernel <- kernel$inner
  weighted_terms(kernel)
}
