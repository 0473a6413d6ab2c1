# Answers: predictions, leave-one-out and leave-group-out errors, scores along lambda.

# Arguments behind the dots are not matched by a part of their name: so `s`, glmnet's lambda, is not taken for se.fit.
predict.freeridge <- function(object, newdata = NULL, lambda = NULL, interval = "none", level = 0.95, ...,
                              type = "response", se.fit = FALSE, covariance = FALSE, kind = "bayesian",
                              learnt = FALSE, terms = NULL, na.action = stats::na.pass, fixed = NULL,
                              new_levels = "error", weights = NULL, bounds = NULL) {
  refuse_extra(...)
  if (!is.null(bounds)) {
    bounds <- check_bounds(bounds)
    if (type == "terms") refuse("bounds is for predictions and their intervals, not for terms")
    value <- predict(object, newdata, lambda, interval, level, type = type, se.fit = se.fit, covariance = covariance, kind = kind,
                     learnt = learnt, terms = terms, na.action = na.action, fixed = fixed, new_levels = new_levels,
                     weights = weights)
    return(within_bounds(value, bounds))
  }
  check_choice(type, "type", c("response", "link", "terms"))  # of which the first two are the same here
  check_choice(interval, "interval", interval_names)
  level <- check_fraction(level, "level")
  se.fit <- check_flag(se.fit, "se.fit")
  covariance <- check_flag(covariance, "covariance")
  check_choice(kind, "kind", covariance_types)
  if (check_flag(learnt, "learnt")) {
    if (!interval %in% c("jackknife+", "local")) refuse("learnt is TRUE, which is for interval = \"jackknife+\" and \"local\"")
    if (!is.null(lambda)) refuse("lambda is given, and learnt is TRUE: then lambda is chosen again without each row")
  }
  if (interval == "cv+" && is.null(object$groups)) {
    refuse("interval is \"cv+\", and the fit has no groups: freeridge(..., groups = ) has a label for each row")
  }
  if (!is.null(weights) && !interval %in% c("prediction", "gp")) {
    refuse("weights are those of new outputs, for interval = \"prediction\" and \"gp\"")
  }
  if (is.null(newdata) && !is.null(fixed)) refuse("fixed is given without newdata")
  check_choice(new_levels, "new_levels", c("error", "mean"))
  if (new_levels == "mean" && (type == "terms" || interval != "none" || se.fit || covariance)) {
    refuse("new_levels is \"mean\", which is for predictions alone: how far a level that was never seen is from the mean ",
           "of the others is not in their errors; random() in the formula has a variance for it")
  }
  if (type == "terms") {
    if (interval != "none" || se.fit || covariance) refuse("type is \"terms\", which has no standard errors and no intervals")
    new <- if (is.null(newdata)) own_rows(object) else new_rows(object, newdata, na.action, fixed)
    return(predict_terms(object, new, lambda, terms))
  }
  if (!is.null(terms)) refuse("terms is for type = \"terms\"")
  if (interval != "none" || se.fit || covariance) {
    new <- if (is.null(newdata)) own_rows(object) else new_rows(object, newdata, na.action, fixed)
    return(predict_interval(object, new, lambda, interval, level, se.fit, covariance, kind, learnt, weights))
  }
  if (is.null(newdata)) return(fitted_at(object, lambda))
  if (new_levels == "mean") {
    known <- with_known_levels(object, newdata)
    values <- predict(known$fit, known$data, lambda, na.action = stats::na.pass, fixed = fixed)
    return(mean_of_rows(values, known$from, rownames(newdata)))
  }
  new <- new_rows(object, newdata, na.action, fixed)
  at_lambdas(object, lambda, function(model) predicted(object, new, model), predicting_model(object))
}

check_bounds <- function(bounds) {
  if (!is.numeric(bounds) || length(bounds) != 2L || anyNA(bounds) || bounds[1L] >= bounds[2L]) {
    refuse("bounds must be two numbers, the lower one first, as in c(0, Inf), not ", shown(bounds))
  }
  as.double(bounds)
}

# Predictions and the ends of intervals, moved to the nearest bound where they are beyond it.
within_bounds <- function(value, bounds) {
  if (is.list(value)) {
    value$fit <- within_bounds(value$fit, bounds)
    return(value)
  }
  value[] <- pmin(pmax(value, bounds[1L]), bounds[2L])
  value
}

# Predictions at new rows, as users see them.
predicted <- function(fit, new, model) {
  fit <- unclass(fit)
  shape(fit, answered(new, function(x, fixed = NULL) core_predict(model, x, fixed), new$offset), new$names)
}

fitted_at <- function(object, lambda) {
  whole <- function(values, model) {
    aside <- plus_offset(predicted_aside(object, model), object$aside$offset)
    stats::napredict(object$na.action, all_rows(object, values, aside))
  }
  if (is.null(lambda)) return(whole(object$fitted.values, if (!is.null(object$aside)) predicting_model(object)))
  at_lambdas(object, lambda, function(model) whole(core_fitted(model), model))
}

loo <- function(object, ...) UseMethod("loo")

loo.freeridge <- function(object, lambda = NULL, ..., learnt = FALSE, folds = NULL, seed = 0) {
  refuse_extra(...)
  if (check_flag(learnt, "learnt")) {
    if (!is.null(lambda)) refuse("lambda is given, and learnt is TRUE: then lambda is chosen again without each row")
    return(loo_learnt(object, folds, seed))
  }
  if (!is.null(folds)) refuse("folds is given, and learnt is FALSE: nothing is chosen again without a fold")
  undefined <- integer()
  value <- at_lambdas(object, lambda, function(model) {
    errors <- core_by_row(model, "loo")
    undefined <<- c(undefined, which(rowSums(is.nan(errors) & !is.na(object$y)) > 0L))
    stats::naresid(object$na.action, all_rows(object, errors, errors_aside(object, model)))
  })
  warn_leverage_of_one("the leave-one-out error", place_of(object, sort(unique(undefined))))
  value
}

group_errors <- function(object, ...) UseMethod("group_errors")

group_errors.freeridge <- function(object, group, lambda = NULL, gap = NULL, ...) {
  refuse_extra(...)
  if (missing(group)) refuse("group is missing: a label for each row")
  dropped <- object$na.action
  group <- label_columns(group)
  rows <- row_count(object)
  if (length(dropped) > 0L && NROW(group) == rows + length(dropped)) {
    group <- if (is.matrix(group)) group[-dropped, , drop = FALSE] else group[-dropped]
    if (!is.null(gap)) gap <- as.matrix(label_columns(gap))[-dropped, , drop = FALSE]
  }
  codes <- group_codes(group, rows, "group")
  gap <- gap_codes(gap, group, rows)
  kept <- place_of(object, seq_len(nrow(object$x)))
  beside <- if (is.matrix(codes)) codes[object$aside$rows, , drop = FALSE] else codes[object$aside$rows]
  if (!is.null(object$aside)) codes <- labels_at(codes, kept, "group")
  model <- model_at(object, lambda)
  layers <- NCOL(gap) %/% NCOL(codes)
  gap_of <- function(k) {
    if (is.null(gap)) matrix(0L, nrow(object$x), 0L) else gap[kept, (k - 1L) * layers + seq_len(layers)]
  }
  if (!is.matrix(codes)) return(errors_of_division(object, model, codes, beside, group[kept], gap_of(1L)))
  slices <- lapply(seq_len(ncol(codes)), function(k) {
    errors_of_division(object, model, codes[, k], beside[, k], group[kept, k], gap_of(k))
  })
  if (object$vector) {
    return(matrix(unlist(slices), ncol = ncol(codes), dimnames = list(names(slices[[1L]]), colnames(group))))
  }
  array(unlist(slices), c(dim(slices[[1L]]), ncol(codes)), c(dimnames(slices[[1L]]), list(colnames(group))))
}

# The errors left out by one division of the rows. codes, labels and gap: those of the rows that count; beside: the codes
# of the rows of weight zero, whose errors are not known where there are gaps.
errors_of_division <- function(fit, model, codes, beside, labels, gap) {
  errors <- core_group_errors(model, codes, NCOL(gap), gap)
  undefined <- unique(labels[codes >= 0L & rowSums(is.nan(errors) & !is.na(fit$y)) > 0L])
  if (length(undefined) > 0L) {
    warn_undefined("the errors are undefined (NaN) in group ", some_of(undefined),
                   ": the other rows do not determine the predictions")
  }
  aside <- NaN
  if (NCOL(gap) == 0L && !is.null(fit$aside)) {
    aside <- errors_aside(fit, model, function(model, x, fixed) core_predict_left_out(model, x, codes, beside, fixed))
    aside[beside < 0L, ] <- NaN
  }
  stats::naresid(fit$na.action, all_rows(fit, errors, aside))
}

lambda_path <- function(object, ...) UseMethod("lambda_path")

lambda_path.freeridge <- function(object, lambdas = NULL, criteria = NULL, ...) {
  refuse_extra(...)
  available <- if (is.null(object$groups)) setdiff(criteria_names, "groups") else criteria_names
  if (is.null(criteria) && is_estimated(object)) {
    criteria <- c(estimated_criteria, "training")
  } else if (is.null(criteria)) {
    of_labels <- setdiff(c("error_rate", "log_loss"), object$criterion)
    criteria <- c(setdiff(available, of_labels), "training")
  }
  if (is_estimated(object)) available <- estimated_criteria
  check_criteria(criteria, c(available, objective_names))

  model <- model_for_path(object)
  lambdas <- if (is.null(lambdas)) usual_lambdas(object, model) else check_not_negative(lambdas, "lambdas")
  scores <- list()
  parts <- if (any(criteria %in% objective_names)) core_objective(model, lambdas)
  for (criterion in unique(criteria)) {
    found <- if (criterion %in% objective_names) parts[criterion] else scores_of(object, model, criterion, lambdas)
    scores <- c(scores, found)
  }
  for (name in names(scores)) {
    missing <- is.nan(scores[[name]])
    if (endsWith(name, "_se")) {
      # Where the score itself is NaN, this was said of the score; a mean of one term has no standard error at any lambda.
      known <- !is.nan(scores[[sub("(_estimate)?_se$", "", name)]])
      missing <- missing & known & !all(missing[known])
    }
    warn_at_lambdas(name, lambdas, missing)
  }
  by_output(lambdas, scores, object$outputs)
}

# The route "iterative" estimates some criteria instead of computing them, and refuses the others.
is_estimated <- function(fit) fit$route == "iterative"
estimated_criteria <- c("loo", "gcv")

# The lambdas of a path unless the user gives them. Where each lambda takes solutions of its own they are those that the
# search has tried, or nine within two decades of the one in force.
usual_lambdas <- function(fit, model) {
  if (!is_estimated(fit)) return(grid_of(fit, model, 100L))
  if (fit$chosen) return(sort(unique(fit$lambda_search$lambda)))
  sort(unique(c(outer(10^seq(-2, 2, 0.5), unname(fit$lambda)))))
}

grid_of <- function(fit, model, count) {
  if (ncol(fit$x) == 0L) {
    refuse("the fit has no penalised columns, and so no path of lambda; plot() with type = \"residuals\", and with ",
           "\"effect\" where there are unpenalised ones, shows it")
  }
  core_lambda_grid(model, count)
}

# A criterion at each lambda and, where the criterion is a mean or an estimate, the standard error of the mean or of the
# estimate, as matrices lambdas x outputs.
scores_of <- function(fit, model, criterion, lambdas) {
  if (is_estimated(fit) && criterion %in% estimated_criteria) {
    found <- core_estimate_score(model, criterion, lambdas)
    return(stats::setNames(found, c(criterion, paste0(criterion, "_estimate_se"))))
  }
  if (!criterion %in% criteria_with_error) {
    return(stats::setNames(list(core_score(model, criterion, lambdas)), criterion))
  }
  stats::setNames(core_score_with_error(model, criterion, lambdas), c(criterion, paste0(criterion, "_se")))
}

lambda_grid <- function(object, ...) UseMethod("lambda_grid")

lambda_grid.freeridge <- function(object, count = 100, ...) {
  refuse_extra(...)
  grid_of(object, model_for_path(object), check_whole(count, "count", 1, .Machine$integer.max))
}
