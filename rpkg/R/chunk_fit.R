# A fit of freeridge_chunks(). Of the rows it keeps the accumulator's bytes, for other lambdas, and the bytes of a
# predictor; so it answers in any session without the source.

# The bytes of an accumulator without rows.
empty_accumulator <- function(setting, design) {
  handle <- if (is.null(design$landmarks)) {
    fixed <- length(design$fixed)
    core_accumulator_create(fixed + length(design$features) + design$penalised, design$t, design$intercept, fixed)
  } else {
    kernel <- setting$kernel
    if (!is.null(design$scale)) kernel <- new_kernel("scaled", inner = kernel, scale = unname(design$scale))
    core_accumulator_create_landmarks(unclass(kernel), design$landmarks, design$t, design$intercept)
  }
  core_accumulator_save(handle)
}

new_chunk_fit <- function(setting, design, sums) {
  known <- function(parts, names) parts[intersect(names, names(parts))]
  fit <- c(known(setting, c("call", "kernel", "criterion", "learning", "bands", "learnt_by")),
           known(design, c("terms", "xlevels", "contrasts", "vector", "outputs", "scale")))
  fit$xlevels[deparse(design$terms[[2L]], 500L)[1L]] <- NULL  # of classes
  used <- c(all.vars(stats::delete.response(design$terms)), all.vars(design$parts$offset))
  fit$columns <- intersect(design$columns, used)
  fit$intercept <- design$intercept || design$penalised
  fit$penalised <- design$penalised
  if (design$has_offset) fit$offset <- TRUE  # one was taken from the response
  fit$weighted <- design$weighted
  fit$landmarks <- design$landmarks
  if (!is.null(design$fixed)) {
    fit$parts <- design$apart[c("given", "penalised")]
    fit$fixed_source <- design$fixed_source
    fit$fixed <- matrix(0, 0L, length(design$fixed), dimnames = list(NULL, design$fixed))
  }
  fit$x <- matrix(0, 0L, length(design$features), dimnames = list(NULL, design$features))
  fit$y <- matrix(0, 0L, design$t, dimnames = list(NULL, design$outputs))
  if (!is.null(design$response_classes)) {
    fit$classes <- design$response_classes
    fit$class_counts <- if (design$vector) c(sums$rows - sums$positive, sums$positive) else sums$positive
    empty <- which(fit$class_counts == 0)
    if (length(empty) > 0L) refuse("no row is of the class '", design$response_classes$levels[empty[1L]], "'")
  }
  fit$count <- sums$rows
  fit$weight <- sums$spread$n
  fit$log_weight <- sums$log_weight
  # the mean square of each output, about its mean where there is an intercept
  fit$total <- unname(sums$spread$squares / fit$weight + if (fit$intercept) 0 else sums$spread$mean^2)
  fit$rows <- sums[names(no_rows)]
  fit$design <- design[setdiff(names(design), "factor_terms")]
  fit
}

accumulator_of <- function(fit) {
  if (!core_is_alive(fit$cache$accumulator)) fit$cache$accumulator <- core_accumulator_load(fit$accumulator)
  fit$cache$accumulator
}

# The model that predicts, at a lambda for each output.
chunk_model <- function(fit, lambda) {
  if (all(lambda == fit$lambda)) predicting_model(fit) else core_accumulator_predictor(accumulator_of(fit), lambda)
}

is_of_chunks <- function(fit) inherits(fit, "freeridge_chunks")

# The model that answers what sums of all rows decide, such as standard errors. (One that was loaded predicts alone.)
model_of_sums <- function(fit, lambda) {
  lambda <- if (is.null(lambda)) fit$lambda else check_lambda(lambda, ncol(fit$y), fit$outputs)
  model <- fit$cache$model
  if (core_is_alive(model) && all(core_lambda(model) == lambda)) return(model)
  model <- core_accumulator_predictor(accumulator_of(fit), lambda)
  if (all(lambda == fit$lambda)) fit$cache$model <- model
  model
}

# The core has the columns divided, and of a penalised intercept a column of ones behind the others (core_columns()).
divisors_of <- function(fit) if (is.null(fit$scale)) rep(1, ncol(fit$x)) else unname(fit$scale)

errors_in_units <- function(fit, found) {
  columns <- seq_len(ncol(fit$x))
  if (fit$penalised) found$b <- found$w[ncol(fit$x) + 1L, ]
  list(w = found$w[columns, , drop = FALSE] / divisors_of(fit), b = found$b)
}

covariance_in_units <- function(fit, covariance) {
  divisors <- divisors_of(fit)
  columns <- seq_along(divisors)
  order <- if (fit$penalised) c(length(divisors) + 1L, columns) else c(if (fit$intercept) 1L, columns + fit$intercept)
  unit <- rep(c(if (fit$intercept) 1, divisors), ncol(fit$y))
  side <- nrow(covariance) / ncol(fit$y)
  place <- rep((seq_len(ncol(fit$y)) - 1L) * side, each = side) + order
  covariance[place, place, drop = FALSE] / outer(unit, unit)
}

# What `answer` gives at each set of lambdas, as at_lambdas() has it.
chunks_at <- function(fit, lambda, answer) {
  sets <- lambda_sets(fit, lambda)
  slices <- lapply(seq_len(nrow(sets)), function(i) answer(chunk_model(fit, sets[i, ])))
  if (length(slices) == 1L) slices[[1L]] else bound_slices(fit, sets, slices)
}

coef.freeridge_chunks <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  if (!is.null(object$landmarks)) refuse("the kernel is ", format(object$kernel), ", which has no slopes")
  effects <- seq_along(colnames(object$fixed))
  columns <- length(effects) + seq_len(ncol(object$x))
  dependent <- effects[is.na(object$effects[, 1L])]
  chunks_at(object, lambda, function(model) {
    w <- core_hyperplane(model)
    w[dependent, ] <- NA
    b <- if (object$penalised) w[nrow(w), ] else core_intercept(model)
    slopes <- w[columns, , drop = FALSE]
    with_intercept(object, b, if (is.null(object$scale)) slopes else slopes / object$scale, w[effects, , drop = FALSE])
  })
}

predict.freeridge_chunks <- function(object, newdata, lambda = NULL, interval = "none", level = 0.95, ...,
                                     type = "decision", se.fit = FALSE, covariance = FALSE, kind = "bayesian",
                                     na.action = stats::na.pass, weights = NULL, source = NULL, workers = NULL) {
  refuse_extra(...)
  check_choice(type, "type", class_types)
  check_choice(interval, "interval", interval_names)
  how <- list(lambda = lambda, interval = interval, level = check_fraction(level, "level"), type = type,
              se.fit = check_flag(se.fit, "se.fit"), covariance = check_flag(covariance, "covariance"),
              kind = check_choice(kind, "kind", covariance_types), weights = weights)
  if (is.null(object$classes)) {
    if (!type %in% c("decision", "response")) refuse("type is \"", type, "\", and the response is not of classes")
    how$type <- "decision"
  }
  with_errors <- interval != "none" || how$se.fit || how$covariance
  if (with_errors && how$type != "decision") refuse("type is \"", type, "\", which has no standard errors and no intervals")
  if (interval %in% c("jackknife+", "cv+", "local")) {
    refuse("interval is \"", interval, "\", which is made of the left-out errors of all rows at each new one: of chunks there ",
           "are \"confidence\", \"prediction\" and \"gp\", and freeridge() has it")
  }
  if (!is.null(weights) && !interval %in% c("prediction", "gp")) {
    refuse("weights are those of new outputs, for interval = \"prediction\" and \"gp\"")
  }
  if (missing(newdata)) refuse("newdata is missing: a data frame or a source of rows, see row_source()")
  calibrated <- how$type %in% c("probability", "response")
  if (!is.null(source) && !calibrated) refuse("source is for the probabilities of classes, which are calibrated on its rows")
  if (!is.null(workers) && is.null(source) && !inherits(newdata, "row_source")) {
    refuse("workers take the shards of a source, and none is read here")
  }
  if (calibrated) {
    how["calibration"] <- list(calibration_of_chunks(object, lambda, source, workers))
  }
  if (inherits(newdata, "row_source")) return(predicted_chunks(object, newdata, how, na.action, workers))
  predicted_rows(object, newdata, how, na.action)
}

# Predictions of a data frame. how: what predict() was asked for.
predicted_rows <- function(fit, newdata, how, na.action) {
  new <- new_rows(fit, newdata, na.action)
  if (!is.null(new$fixed)) new$x <- cbind(new$fixed, new$x)
  new$x <- core_columns(fit$design, new$x)
  new["fixed"] <- list(NULL)
  if (how$interval != "none" || how$se.fit || how$covariance) {
    return(predict_interval(fit, new, how$lambda, how$interval, how$level, how$se.fit, how$covariance, how$kind, FALSE,
                            how$weights))
  }
  if (how$type == "decision") return(chunks_at(fit, how$lambda, function(model) predicted(fit, new, model)))
  lambda <- if (is.null(how$lambda)) fit$lambda else check_lambda(how$lambda, ncol(fit$y), fit$outputs)
  class_answers(fit, predicted(fit, new, chunk_model(fit, lambda)), how$type, how$calibration)
}

# (What a pass needs is forced, and in no frame with the source: it goes to the workers.)
prediction_pass <- function(fit, how, na.action) {
  force(fit)
  force(how)
  force(na.action)
  new_pass(
    begin = function(k) list(),
    visit = function(state, chunk) {
      rows <- of_known_kinds(as.data.frame(chunk), fit$design$kinds)
      c(state, list(without_cases(predicted_rows(fit, rows, how, na.action))))
    },
    join = c
  )
}

# Predictions for the rows of a source, without names: the rows are never together, and so have none in common.
predicted_chunks <- function(fit, source, how, na.action, workers) {
  if (how$covariance) refuse("covariance is TRUE, and newdata a source, whose rows are never together: give a data frame")
  if (length(how$weights) > 1L) refuse("weights are numbers of rows, and newdata is a source: give one number")
  workers <- check_workers(workers, source)
  pass <- prediction_pass(fit, how, na.action)
  found <- with_steps(with_workers(workers, run_pass(source, pass, workers)))
  if (!how$se.fit) return(bound_rows(found))
  parts <- lapply(c(fit = "fit", se.fit = "se.fit"), function(name) bound_rows(lapply(found, `[[`, name)))
  c(parts, found[[1L]][c("df", "residual.scale")])
}

without_cases <- function(values) {
  if (!is.list(values)) return(without_row_names(values))
  values[c("fit", "se.fit")] <- lapply(values[c("fit", "se.fit")], without_row_names)
  values
}

# Answers for rows below one another: vectors, matrices, or arrays whose first dimension are the rows.
bound_rows <- function(parts) {
  size <- dim(parts[[1L]])
  if (is.null(size)) return(unlist(parts))
  if (length(size) == 2L) return(do.call(rbind, parts))
  slices <- lapply(seq_len(size[3L]), function(j) do.call(rbind, lapply(parts, function(part) matrix(part[, , j], nrow(part)))))
  array(unlist(slices), c(dim(slices[[1L]]), size[3L]), c(list(NULL), dimnames(parts[[1L]])[-1L]))
}

# The values of the rows of the fit, in the order of the source, by a pass over it: what `answer(numbers)` gives of the
# numbers of a chunk, rows x outputs.
values_pass <- function(design, answer) {
  force(design)
  force(answer)
  new_pass(
    begin = function(k) c(list(values = list()), no_rows),
    visit = function(state, chunk) {
      numbers <- chunk_numbers(design, chunk)
      if (!is.null(numbers$x)) state$values <- c(state$values, list(answer(numbers)))
      counted_rows(state, numbers)
    },
    join = function(state, other) {
      state$values <- c(state$values, other$values)
      added_rows(state, other)
    }
  )
}

values_of_rows <- function(fit, source, answer, workers = NULL) {
  found <- pass_again(fit, source, values_pass(fit$design, answer), workers)
  do.call(rbind, found$values)
}

# What a pass over the rows of the fit, once more, collects.
pass_again <- function(fit, source, pass, workers) {
  source <- row_source(source)
  workers <- check_workers(workers, source)
  found <- pass$pack(with_steps(with_workers(workers, run_pass(source, pass, workers, fit$rows$read))))
  check_same_rows(fit$rows, found)
  found
}

# A fit has no rows, and needs the source for answers by rows.
refuse_without_source <- function(what, call) {
  refuse("the fit keeps no rows, and ", what, " are those of its rows: hand them in once more, as in ", call,
         "(fit, source)")
}

residuals.freeridge_chunks <- function(object, source, type = "response", lambda = NULL, workers = NULL, ...) {
  refuse_extra(...)
  if (missing(source)) refuse_without_source("residuals", "residuals")
  check_choice(type, "type", residual_types)
  if (type == "loo") return(loo(object, source, lambda, workers = workers))
  shape(object, values_of_rows(object, source, residual_of(object, type, lambda), workers), NULL)
}

residual_of <- function(fit, type, lambda, beside = FALSE) {
  force(fit)
  weighted <- type %in% c("pearson", "deviance")
  force(lambda)
  force(beside)
  function(numbers) {
    residuals <- numbers$y - predicted_numbers(fit, numbers, lambda)
    if (weighted && !is.null(numbers$weights)) residuals <- sqrt(numbers$weights) * residuals
    if (beside) cbind(residuals, plus_offset(numbers$y, numbers$offset)) else residuals
  }
}

fitted.freeridge_chunks <- function(object, source, lambda = NULL, workers = NULL, ...) {
  refuse_extra(...)
  if (missing(source)) refuse_without_source("fitted values", "fitted")
  shape(object, values_of_rows(object, source, fitted_of(object, lambda), workers), NULL)
}

fitted_of <- function(fit, lambda) {
  force(fit)
  force(lambda)
  function(numbers) plus_offset(predicted_numbers(fit, numbers, lambda), numbers$offset)
}

# Predictions of the rows of a chunk, without the offset.
predicted_numbers <- function(fit, numbers, lambda) {
  lambda <- if (is.null(lambda)) fit$lambda else check_lambda(lambda, ncol(fit$y), fit$outputs)
  core_predict(chunk_model(fit, lambda), core_columns(fit$design, numbers$x))
}

# With S = sum_i W_ii r_i^2, the training error times the sum of the weights, GCV is n S / (n - df)^2.
deviance.freeridge_chunks <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  named_by_output(object, object$weight * at_own_lambdas(object, lambda, function(handle, lambdas) {
    core_accumulator_objective(handle, lambdas)$training
  }))
}

df.residual.freeridge_chunks <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  gcv <- at_own_lambdas(object, lambda, function(handle, lambdas) core_accumulator_score(handle, "gcv", lambdas))
  named_by_output(object, sqrt(object$count * unname(deviance(object, lambda)) / gcv))
}

sigma.freeridge_chunks <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  variance <- deviance(object, lambda) / df.residual(object, lambda)
  if (anyNA(variance)) warn_no_sigma()
  sqrt(variance)
}

# What `answer` gives (lambdas x outputs), of each output at its lambda.
at_own_lambdas <- function(fit, lambda, answer) {
  lambda <- if (is.null(lambda)) fit$lambda else check_lambda(lambda, ncol(fit$y), fit$outputs)
  diag(as.matrix(answer(accumulator_of(fit), unname(lambda))))
}

variable.names.freeridge_chunks <- function(object, full = FALSE, ...) {
  refuse_extra(...)
  c(if (object$intercept) "(Intercept)", feature_names(object$x), colnames(object$fixed))
}

weights.freeridge_chunks <- function(object, ...) {
  refuse_extra(...)
  if (!object$weighted) refuse("the fit has no weights")
  refuse("the fit keeps no rows, and so no weights: they are in its source")
}

# What needs rows, or has not been made for them.
for_rows_alone <- function(what) {
  function(...) refuse("a fit of freeridge_chunks() keeps no rows, and has no ", what, "; freeridge() has, of rows in memory")
}
hatvalues.freeridge_chunks <- for_rows_alone("leverages")
rstandard.freeridge_chunks <- for_rows_alone("standardised residuals")
cooks.distance.freeridge_chunks <- for_rows_alone("Cook's distances")
rstudent.freeridge_chunks <- for_rows_alone("studentised residuals")
dfbeta.freeridge_chunks <- dfbetas.freeridge_chunks <- for_rows_alone("coefficients without single rows")
influence.freeridge_chunks <- for_rows_alone("influence of single rows")
model.frame.freeridge_chunks <- for_rows_alone("model frame")
model.matrix.freeridge_chunks <- for_rows_alone("model matrix")
case.names.freeridge_chunks <- for_rows_alone("names of rows")

extractAIC.freeridge_chunks <- function(fit, scale = 0, k = 2, ...) {
  refuse_extra(...)
  extractAIC.freeridge(fit, scale, k)
}

# The path of the criteria that the fit knows, as plot() of freeridge() draws it; with a source that of others, too, and
# pictures of the rows.
plot.freeridge_chunks <- function(x, type = "path", criteria = NULL, output = 1L, lambdas = NULL, source = NULL, ...) {
  data <- picture_of_chunks(x, type, criteria, output, lambdas, source)
  draw_picture(data, x, type, output, ...)
  invisible(data)
}

autoplot.freeridge_chunks <- function(object, type = "path", criteria = NULL, output = 1L, lambdas = NULL, source = NULL,
                                      ...) {
  refuse_extra(...)
  picture_by_ggplot(picture_of_chunks(object, type, criteria, output, lambdas, source), object, type, output)
}

# The data frame of one output that plot() and autoplot() show.
picture_of_chunks <- function(fit, type, criteria, output, lambdas, source) {
  check_choice(type, "type", plot_types)
  output <- check_output(output, fit)
  if (!type %in% c("path", "residuals", "loo")) {
    refuse("type is \"", type, "\", and the fit keeps no rows: of chunks there is type = \"path\" and, with source, ",
           "\"residuals\" and \"loo\"")
  }
  if (type == "path") {
    if (!is.null(criteria)) criteria <- unique(c(criteria, "training"))
    data <- withCallingHandlers(lambda_path(fit, lambdas, criteria, source), freeridge_undefined = function(condition) {
      tryInvokeRestart("muffleWarning")
    })
    return(if (ncol(fit$y) > 1L) data[as.integer(data$output) == output, ] else data)
  }
  if (is.null(source)) refuse_without_source(paste("pictures of type", type), "plot")
  if (!is.null(criteria) || !is.null(lambdas)) refuse("criteria and lambdas are for type = \"path\", but type is \"", type, "\"")
  answer <- if (type == "loo") left_out_of(fit, NULL, beside = TRUE) else residual_of(fit, "response", NULL, beside = TRUE)
  rows <- values_of_rows(fit, source, answer)
  columns <- seq_len(ncol(fit$y))
  value <- rows[, output]
  observed <- rows[, length(columns) + output]
  if (type == "residuals") return(data.frame(fitted = observed - value, residual = value))
  known <- !is.nan(value)
  mean_square <- sum((rows[, ncol(rows)] * value^2)[known]) / fit$weight
  structure(data.frame(predicted = observed - value, observed = observed), r2 = 1 - mean_square / fit$total[output])
}

nobs.freeridge_chunks <- function(object, use.fallback = FALSE, ...) {
  refuse_extra(...)
  object$count
}

formula.freeridge_chunks <- function(x, env = parent.frame(), ...) {
  refuse_extra(...)
  stats::formula(terms(x))
}

terms.freeridge_chunks <- function(x, ...) {
  refuse_extra(...)
  given_terms(x)
}

# The left-out errors of the rows of the fit, in the order of the source, by a pass over it.
loo.freeridge_chunks <- function(object, source, lambda = NULL, workers = NULL, ...) {
  refuse_extra(...)
  if (missing(source)) refuse("source is missing: the rows of the fit, once more")
  errors <- values_of_rows(object, source, left_out_of(object, lambda), workers)
  warn_leverage_of_one("the leave-one-out error", which(rowSums(is.nan(errors)) > 0L))
  shape(object, errors, NULL)
}

# The left-out errors of the rows of a chunk and, where they are wanted, their outputs as they were given and their weights
# beside them.
left_out_of <- function(fit, lambda, beside = FALSE) {
  force(fit)
  force(beside)
  lambda <- if (is.null(lambda)) fit$lambda else check_lambda(lambda, ncol(fit$y), fit$outputs)
  own <- places_of_own(lambda)
  function(numbers) {
    found <- core_accumulator_errors(accumulator_of(fit), core_columns(fit$design, numbers$x), numbers$y,
                                     numbers$weights, NULL, lambda)[, own, drop = FALSE]
    if (!beside) return(found)
    cbind(found, plus_offset(numbers$y, numbers$offset), if (is.null(numbers$weights)) rep(1, nrow(found)) else numbers$weights)
  }
}

# Of the columns lambdas x outputs those of each output at its own lambda.
places_of_own <- function(lambda) (seq_along(lambda) - 1L) * length(lambda) + seq_along(lambda)

# Platt's numbers, from the left-out values of all rows, by a pass over the source. Those at the fit's own lambda are kept.
calibration_of_chunks <- function(fit, lambda, source, workers) {
  kept <- if (is.null(fit$calibration)) fit$cache$calibration else fit$calibration
  if (is.null(lambda) && is.null(source) && !is.null(kept)) return(kept)
  if (is.null(source)) {
    refuse("probabilities are calibrated on the left-out values of the rows of the fit, which it does not keep: hand these rows ",
           "in once more, as in predict(fit, newdata, type = \"probability\", source = rows)")
  }
  columns <- seq_len(ncol(fit$y))
  found <- values_of_rows(fit, source, left_out_of(fit, lambda, beside = TRUE), workers)
  y <- found[, length(columns) + columns, drop = FALSE]
  decision <- y - found[, columns, drop = FALSE]
  scaling <- vapply(columns, function(j) platt_scaling(decision[, j], y[, j] > 0, found[, ncol(found)]), numeric(2L))
  if (is.null(lambda)) fit$cache$calibration <- scaling
  scaling
}

# group: a formula of one side, as ~ patient, whose labels divide the rows; NULL: the groups of the fit.
group_errors.freeridge_chunks <- function(object, source, group = NULL, lambda = NULL, workers = NULL, ...) {
  refuse_extra(...)
  if (missing(source)) refuse_without_source("errors of groups", "group_errors")
  lambda <- if (is.null(lambda)) object$lambda else check_lambda(lambda, ncol(object$y), object$outputs)
  design <- with_groups(object$design, group)
  pass <- group_pass(design, accumulator_of(object), object$accumulator, lambda, places_of_own(lambda))
  found <- pass_again(object, source, pass, workers)
  if (found$groups == 0) refuse("group has no label: each row's is missing")
  errors <- matrix(NaN, object$count, ncol(object$y))
  for (part in found$errors) errors[part$place, ] <- part$values
  if (length(found$undefined) > 0L) {
    warn_undefined("the errors are undefined (NaN) in group ", some_of(found$undefined),
                   ": the other rows do not determine the predictions")
  }
  shape(object, errors, NULL)
}

with_groups <- function(design, group) {
  if (is.null(group)) {
    if (is.null(design$parts$groups)) refuse("the fit has no groups: give group, as in group = ~ patient")
    return(design)
  }
  if (!inherits(group, "formula") || length(group) != 2L) refuse("group must be a formula such as ~ patient, not ", shown(group))
  design$parts$groups <- group[[2L]]
  design$beside <- setdiff(all.vars(group), design$columns)
  design$label_columns <- c(design$label_columns, design$beside)
  design
}

lambda_grid.freeridge_chunks <- function(object, count = 100, ...) {
  refuse_extra(...)
  core_accumulator_lambda_grid(accumulator_of(object), check_whole(count, "count", 1, .Machine$integer.max))
}

# The fit has the scores of its own criterion at the lambdas that it tried. "loo" and "groups" at other lambdas take a
# pass over the source; "gcv", "reml" and the objective take none.
lambda_path.freeridge_chunks <- function(object, lambdas = NULL, criteria = NULL, source = NULL, workers = NULL,
                                         ...) {
  refuse_extra(...)
  available <- c("loo", "gcv", "reml", if (!is.null(object$design$parts$groups)) "groups", objective_names)
  tried <- object$search$lambda
  if (is.null(lambdas)) lambdas <- if (is.null(tried) || !is.null(source)) lambda_grid(object) else tried
  lambdas <- check_not_negative(lambdas, "lambdas")
  known <- if (length(tried) > 0L && all(lambdas %in% tried)) object$criterion
  if (is.null(criteria)) {
    left_out <- if (is.null(source)) known else names(left_out_passes)
    criteria <- c(intersect(available, left_out), "gcv", "reml", "training")
  }
  check_criteria(criteria, available)
  unknown <- setdiff(intersect(criteria, names(left_out_passes)), known)
  if (length(unknown) > 0L && is.null(source)) {
    refuse(unknown[1L], " at lambdas that the fit has not tried takes a pass over the rows: give source")
  }
  handle <- accumulator_of(object)
  scores <- list()
  parts <- if (any(criteria %in% objective_names)) core_accumulator_objective(handle, lambdas)
  for (criterion in unique(criteria)) {
    scores <- c(scores, if (criterion %in% names(left_out_passes)) {
      left_out_scores(object, criterion, lambdas, if (!criterion %in% known) row_source(source), workers)
    } else if (criterion %in% objective_names) {
      parts[criterion]
    } else {
      stats::setNames(list(core_accumulator_score(handle, criterion, lambdas)), criterion)
    })
  }
  for (name in grep("_se$", names(scores), value = TRUE, invert = TRUE)) {
    warn_at_lambdas(name, lambdas, is.nan(scores[[name]]))
  }
  by_output(lambdas, scores, object$outputs)
}

# The criterion "loo" or "groups" and its standard error, lambdas x outputs. source: NULL where the fit has the scores.
left_out_scores <- function(fit, criterion, lambdas, source, workers) {
  t <- ncol(fit$y)
  search <- fit$search
  if (!is.null(source)) {
    workers <- check_workers(workers, source)
    found <- with_steps(with_workers(workers, left_out_moments(
      criterion, fit$design, accumulator_of(fit), fit$accumulator, lambdas, source, workers, fit$rows
    )))
    search <- list(lambda = lambdas, moments = found)
  }
  all <- core_moments_score(search$lambda, t, search$moments)
  names(all) <- paste0(criterion, c("", "_se"))
  lapply(all, function(table) table[match(lambdas, search$lambda), , drop = FALSE])
}

print.freeridge_chunks <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  wrapped(print_chunk_setting(x, digits))
  invisible(x)
}

print_chunk_setting <- function(fit, digits) {
  number <- function(values) short_numbers(values, digits)
  print_call(fit)
  if (fit$chosen && fit$criterion %in% c("loo", "groups") && is.null(fit$classes)) {
    cat("Left-out error", if (fit$criterion == "groups") " of groups", ": ", number(sqrt(unname(fit$score))), "\n", sep = "")
  }
  cat(counted(format(fit$count, scientific = FALSE), "row"), " in pieces, ", counted(ncol(fit$x), "feature"), ", ",
      counted(ncol(fit$y), "output"),
      if (!is.null(fit$landmarks)) paste0(", ", counted(nrow(fit$landmarks), "landmark")), "\n", sep = "")
  if (fit$rows$dropped > 0) cat("  ", counted(fit$rows$dropped, "row"), " left out for missing values\n", sep = "")
  if (!is.null(fit$classes)) cat("Classes: ", shown_classes(fit, fit$class_counts), "\n", sep = "")
  cat("Kernel: ", shown_kernel(fit, digits), "\n", sep = "")
  if (!is.null(fit$learning)) print_learning(fit, digits)
  print_divisors(fit, digits)
  cat("Intercept: ", intercept_words(fit), if (fit$weighted) "; weighted points",
      if (!is.null(fit$offset)) "; offset", "\n", sep = "")
  if (!is.null(fit$fixed)) cat("Unpenalised: ", counted(ncol(fit$fixed), "column"), "\n", sep = "")
  cat("lambda: ", number(unname(fit$lambda)), if (!fit$chosen) " (given)", "\n", sep = "")
  if (fit$chosen) {
    cat("  chosen by ", criterion_titles[[fit$criterion]], ": ", number(unname(fit$score)), "\n", sep = "")
    print_edge(fit)
  }
}

summary.freeridge_chunks <- function(object, ...) {
  refuse_extra(...)
  t <- ncol(object$y)
  own <- cbind(seq_len(t), seq_len(t))
  table <- data.frame(lambda = unname(object$lambda),
                      rmse = sqrt(core_accumulator_objective(accumulator_of(object), object$lambda)$training[own]),
                      row.names = object$outputs)
  table$r2 <- 1 - table$rmse^2 / object$total
  if (object$chosen && object$criterion == "loo") {
    table$loo_rmse <- sqrt(unname(object$score))
    table$loo_r2 <- 1 - unname(object$score) / object$total
  }
  if (object$chosen && object$criterion == "groups") table$group_rmse <- sqrt(unname(object$score))
  structure(list(fit = object, outputs = table), class = "summary.freeridge_chunks")
}

print.summary.freeridge_chunks <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  wrapped(print_chunk_setting(x$fit, digits))
  left_out <- any(c("loo_rmse", "group_rmse") %in% names(x$outputs))
  cat("\nRoot mean squared errors of the fitted", if (left_out) " and the left-out", " rows:\n",
      sep = "")
  print_outputs(x$outputs, digits)
  invisible(x)
}
