# The one-standard-error rule, folds, and lambda in the conventions of other systems.

one_standard_error <- function(object, ...) UseMethod("one_standard_error")

one_standard_error.freeridge <- function(object, ...) {
  refuse_extra(...)
  if (!object$chosen) refuse("lambda was given to this fit: there was no search, and there is no rule to apply")
  rule <- object$one_standard_error
  if (is.null(rule)) {
    refuse("the criterion \"", object$criterion, "\" has no standard error; those that have one: ",
           paste0('"', criteria_with_error, '"', collapse = ", "))
  }
  if (anyNA(rule$lambda)) {
    warn_undefined("the standard error of ", object$criterion, " is undefined (NaN): it is a mean of one term")
  }
  rule
}

# Among the lambdas that the passes tried.
one_standard_error.freeridge_chunks <- function(object, ...) {
  refuse_extra(...)
  if (!is.null(object$search)) {
    found <- core_moments_one_standard_error(object$search$lambda, ncol(object$y), object$search$moments)
    object$one_standard_error <- data.frame(found, row.names = object$outputs)
  }
  one_standard_error.freeridge(object)
}

check_count_of_folds <- function(folds, n) {
  folds <- check_whole(folds, "folds", 2, .Machine$integer.max)
  if (folds > n) refuse("folds is ", folds, ", but n is ", n, "; at most n folds have a row each")
  folds
}

make_folds <- function(n, folds, seed = 0, repeats = 1, strata = NULL, groups = NULL) {
  all_given(n, folds)
  n <- check_whole(n, "n", 1, .Machine$integer.max)
  if (is.null(strata) && is.null(groups)) {
    folds <- check_count_of_folds(folds, n)
    return(repeated(function(seed) core_make_folds(n, folds, seed) + 1L, n, seed, repeats))
  }
  codes <- function(labels, name) {
    if (is.null(labels)) return(NULL)
    labels <- plain_labels(labels)
    if (!is.atomic(labels) || length(labels) != n || anyNA(labels)) {
      refuse(name, " must be ", n, " labels, none missing, not ", shown(labels))
    }
    match(labels, unique(labels))
  }
  strata <- codes(strata, "strata")
  unit <- if (is.null(groups)) seq_len(n) else codes(groups, "groups")
  count <- max(unit)
  if (count < 2L) refuse("groups has one label only, and there are to be two folds or more")
  folds <- check_count_of_folds(folds, count)
  # of a group the stratum of most of its rows
  stratum <- if (is.null(strata)) rep(1L, count) else max.col(table(unit, strata), ties.method = "first")
  repeated(function(seed) {
    fold <- integer(count)  # dealt in turn, to each stratum in random order
    fold[order(stratum, core_make_folds(count, count, seed))] <- rep_len(seq_len(folds), count)
    fold[unit]
  }, n, seed, repeats)
}

make_blocks <- function(n, folds, gap = 0) {
  all_given(n, folds)
  n <- check_whole(n, "n", 1, .Machine$integer.max)
  folds <- check_count_of_folds(folds, n)
  if (!is.numeric(gap) || !length(gap) %in% 1:2 || anyNA(gap) || any(gap < 0 | (gap != round(gap) & gap < Inf))) {
    refuse("gap must be one or two whole numbers, the rows left out before and after a block, not ", shown(gap))
  }
  gap <- rep_len(pmin(gap, n), 2L)
  made <- core_make_blocks(n, folds, gap[1L], gap[2L])
  list(group = made$group + 1L, gap = if (ncol(made$gap) > 0L) ifelse(made$gap < 0L, NA_integer_, made$gap + 1L))
}

make_holdout <- function(n, fraction, seed = 0, repeats = 1) {
  all_given(n, fraction)
  n <- check_whole(n, "n", 2, .Machine$integer.max)
  fraction <- check_fraction(fraction, "fraction")
  repeated(function(seed) ifelse(core_make_holdout(n, fraction, seed) < 0L, NA_integer_, 1L), n, seed, repeats)
}

make_groups <- function(x) {
  all_given(x)
  if (!is.data.frame(x) && !(is.atomic(x) && !is.null(x))) {
    refuse("x must be a matrix, a data frame or a vector, whose equal rows are to have one label, not ", shown(x))
  }
  if (!is.data.frame(x)) x <- as.data.frame(as.matrix(plain_labels(x)))
  if (length(x) == 0L) return(rep(1L, nrow(x)))
  equal_rows(lapply(x, function(column) if (is.matrix(column)) make_groups(column) else plain_labels(column)))
}

# The number of the first row that is equal, counted among different rows. columns: a list of vectors.
equal_rows <- function(columns) {
  label <- rep(1, length(columns[[1L]]))
  for (column in columns) {
    code <- match(column, unique(column))
    pair <- (label - 1) * max(code, 1L) + code
    label <- match(pair, unique(pair))
  }
  as.integer(label)
}

# How many rows of a fit have the x and the y of a row before, whose left-out errors see the row that was left out.
copies_in <- function(fit) {
  if (is_sparse(fit$x) || ncol(fit$x) == 0L) return(0L)
  rows <- seq_len(nrow(fit$x))
  label <- rep(1L, length(rows))
  for (j in seq_len(ncol(fit$y) + ncol(fit$x))) {
    column <- if (j <= ncol(fit$y)) fit$y[, j] else fit$x[, j - ncol(fit$y)]
    label <- equal_rows(list(label, column[rows]))
    again <- duplicated(label) | duplicated(label, fromLast = TRUE)
    if (!any(again)) return(0L)
    rows <- rows[again]
    label <- label[again]
  }
  sum(duplicated(label))
}

# A sentence on left-out errors that copies make too small.
copies_doubt <- function(fit) {
  count <- copies_in(fit)
  if (count == 0L || identical(fit$criterion, "groups")) return(character())
  paste0(counted(count, "row"), if (count == 1L) " has" else " have",
         " the predictors and the response of another row: their leave-one-out errors are too ",
         "small, as the other row stays; groups = make_groups(x) leaves equal rows out together.")
}

# The labels that draw(seed) gives; for several repeats a matrix, whose columns are drawn with the seeds seed, seed + 1,
# ...
repeated <- function(draw, n, seed, repeats) {
  seed <- check_whole(seed, "seed")
  repeats <- check_whole(repeats, "repeats", 1, .Machine$integer.max)
  if (repeats == 1) return(draw(seed))
  vapply(seed + seq_len(repeats) - 1, draw, integer(n))
}

convention_names <- c("total", "mean", "glmnet", "sklearn", "lm.ridge", "KRLS", "GURLS", "tikhonov_squared",
                      "tikhonov_half", "tikhonov_logistic", "tikhonov_hinge", "cost", "cost_mean", "cost_mean_norm")
# The conventions in which the loss is divided by the number of points, and those whose number is C, a multiple of 1 /
# lambda.
mean_conventions <- c("mean", "glmnet", "GURLS", "tikhonov_squared", "tikhonov_half", "tikhonov_logistic",
                      "tikhonov_hinge", "cost_mean", "cost_mean_norm")
cost_conventions <- c("cost", "cost_mean", "cost_mean_norm")

convert_lambda <- function(lambda, from, to, n, sd_y = NULL) {
  all_given(lambda, from, to, n)
  lambda <- check_not_negative(lambda, "lambda")
  check_choice(from, "from", convention_names)
  check_choice(to, "to", convention_names)
  if (any(c(from, to) %in% cost_conventions) && any(lambda == 0)) {
    refuse("lambda has a 0, which is an infinite C: \"cost\" needs positive numbers")
  }
  n <- check_whole(n, "n", 1, .Machine$integer.max)
  if (is.null(sd_y)) {
    if ("glmnet" %in% c(from, to)) {
      refuse("sd_y is missing: the standard deviation of y with denominator n, for \"glmnet\"")
    }
    sd_y <- 1  # no other convention uses it
  }
  if (!is.numeric(sd_y) || !length(sd_y) %in% c(1L, length(lambda))) {
    refuse("sd_y must be one number or as many as lambda, not ", shown(sd_y))
  }
  core_convert_lambda(lambda, from, to, n, rep_len(as.double(sd_y), length(lambda)))
}

lambda_as <- function(object, to, ...) UseMethod("lambda_as")

lambda_as.freeridge <- function(object, to, lambda = NULL, ...) {
  refuse_extra(...)
  to <- check_target(to, c(convention_names, "tikhonov"), object)
  if (to == "tikhonov") to <- "tikhonov_squared"
  lambda <- if (is.null(lambda)) object$lambda else check_lambda(lambda, ncol(object$y), object$outputs)
  if (has_penalised(object) && to %in% c("glmnet", "lm.ridge")) {
    refuse("the intercept is penalised, and that of \"", to, "\" is not: no lambda makes the fits equal")
  }
  if (!is.null(object$fixed) && to %in% c("glmnet", "lm.ridge")) {
    refuse("the fit has unpenalised columns, and that of \"", to, "\" penalises all of its own: ",
           "no lambda makes the fits equal")
  }
  if (to == "lm.ridge" && !is.null(object$weights)) {
    refuse("the fit has weights, and \"lm.ridge\" has none: no lambda makes the fits equal")
  }
  lambda <- rep_len(lambda, ncol(object$y))
  y <- if (is.null(object$offset)) object$y else object$y - object$offset
  converted <- vapply(seq_along(lambda), function(j) {
    seen <- !is.na(y[, j])
    factor <- if (to %in% c("glmnet", "lm.ridge")) divisor_ratio(object, seen, to) else 1
    convert_lambda(lambda[[j]] * factor^2, "total", to, sum(seen), deviation(y[seen, j], object$intercept))
  }, 0)
  named_by_output(object, converted)
}

# All its fits have one lambda.
lambda_as.freeridge_logistic_classes <- function(object, to, ...) lambda_as(object$fits[[1L]], to, ...)

lambda_as.freeridge_classifier <- function(object, to, lambda = NULL, ...) {
  refuse_extra(...)
  own <- c(logistic = "tikhonov_logistic", svm = "tikhonov_hinge")[[object$loss]]
  to <- check_target(to, c("total", "mean", "tikhonov", own, cost_conventions), object)
  if (to == "tikhonov") to <- own
  lambda <- if (is.null(lambda)) object$lambda else check_classifier_lambda(lambda, object$loss)
  convert_lambda(lambda, "total", to, nrow(object$x))
}

check_target <- function(to, known, fit) {
  if (missing(to)) refuse("to is missing: one of ", paste0('"', known, '"', collapse = ", "))
  check_choice(to, "to", known)
  if (!is.null(fit$weights) && to %in% c(mean_conventions, "tikhonov")) {
    refuse("the fit has weights, and \"", to, "\" divides the loss by the number of points: use convert_lambda() with ",
           "the n that the other system takes")
  }
  to
}

# The standard deviation with denominator n or, not centred, the root mean square.
deviation <- function(column, centred = TRUE) sqrt(mean((column - if (centred) mean(column) else 0)^2))

# The divisors of the columns of a linear fit, those within its kernel among them, over the standard deviations with
# denominator n by which the other system divides, or over 1, if glmnet is told not to divide: where that is one ratio for
# all columns. Without an intercept the other systems centre nothing; glmnet alone centres columns for their deviations.
divisor_ratio <- function(fit, rows, to) {
  if (ncol(fit$x) == 0L) return(1)
  if (is_linear(fit$kernel)) {
    divisors <- core_kernel_linear_scale(unclass(fit$kernel), ncol(fit$x)) * if (is.null(fit$scale)) 1 else fit$scale
    centred <- to == "glmnet" || fit$intercept
    deviations <- vapply(seq_len(ncol(fit$x)), function(j) deviation(fit$x[rows, j], centred), 0)
    vary <- deviations > sqrt(.Machine$double.eps) * divisors
    ratios <- list(divided = (divisors / deviations)[vary], plain = if (to == "glmnet") divisors[vary])
    for (ratio in if (is.null(fit$scale)) rev(ratios) else ratios) {
      if (length(ratio) > 0L && diff(range(ratio)) <= 1e-8 * ratio[1L]) return(ratio[[1L]])
    }
    if (!any(vary)) return(1)
  }
  refuse("\"", to, "\" is for a linear fit whose columns are divided by ",
         if (to == "glmnet") "one number or by ", "a multiple of their standard deviations: no lambda makes the fits equal")
}
