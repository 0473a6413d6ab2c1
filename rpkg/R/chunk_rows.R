# Answers of a fit of freeridge_chunks() about its own rows, by one more pass over them: residuals, left-out errors of
# rows and of groups, probabilities of classes, pictures.

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

# The left-out errors of the rows of the fit, in the order of the source, by a pass over it.
loo.freeridge_chunks <- function(object, source, lambda = NULL, workers = NULL, ...) {
  refuse_extra(...)
  if (missing(source)) refuse("source is missing: the rows of the fit, once more")
  errors <- values_of_rows(object, source, left_out_of(object, lambda), workers)
  warn_leverage_of_one("the leave-one-out error", which(rowSums(is.nan(errors)) > 0L))
  shape(object, errors, NULL)
}

# The left-out errors of the rows of a chunk and, where they are wanted, their outputs as they were given and their
# weights beside them.
left_out_of <- function(fit, lambda, beside = FALSE) {
  force(fit)
  force(beside)
  lambda <- if (is.null(lambda)) fit$lambda else check_lambda(lambda, ncol(fit$y), fit$outputs)
  own <- places_of_own(lambda)
  function(numbers) {
    found <- core_accumulator_errors(accumulator_of(fit), core_columns(fit$design, numbers$x), numbers$y,
                                     numbers$weights, NULL, lambda)[, own, drop = FALSE]
    if (!beside) return(found)
    weights <- if (is.null(numbers$weights)) rep(1, nrow(found)) else numbers$weights
    cbind(found, plus_offset(numbers$y, numbers$offset), weights)
  }
}

# Of the columns lambdas x outputs those of each output at its own lambda.
places_of_own <- function(lambda) (seq_along(lambda) - 1L) * length(lambda) + seq_along(lambda)

# Platt's numbers, from the left-out values of all rows, by a pass over the source. Those at the fit's own lambda are
# kept.
calibration_of_chunks <- function(fit, lambda, source, workers) {
  kept <- if (is.null(fit$calibration)) fit$cache$calibration else fit$calibration
  if (is.null(lambda) && is.null(source) && !is.null(kept)) return(kept)
  if (is.null(source)) {
    refuse("probabilities, and the most probable class, are calibrated on the left-out values of the rows of the fit, which it ",
           "does not keep: hand these rows in once more, as in predict(fit, newdata, type = \"probability\", source = rows)")
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
  if (!inherits(group, "formula") || length(group) != 2L) {
    refuse("group must be a formula such as ~ patient, not ", shown(group))
  }
  design$parts$groups <- group[[2L]]
  design$beside <- setdiff(all.vars(group), design$columns)
  design$label_columns <- c(design$label_columns, design$beside)
  design
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
  if (!is.null(criteria) || !is.null(lambdas)) {
    refuse("criteria and lambdas are for type = \"path\", but type is \"", type, "\"")
  }
  answer <- if (type == "loo") left_out_of(fit, NULL, TRUE) else residual_of(fit, "response", NULL, TRUE)
  rows <- values_of_rows(fit, source, answer)
  columns <- seq_len(ncol(fit$y))
  value <- rows[, output]
  observed <- rows[, length(columns) + output]
  if (type == "residuals") return(data.frame(fitted = observed - value, residual = value))
  known <- !is.nan(value)
  mean_square <- sum((rows[, ncol(rows)] * value^2)[known]) / fit$weight
  structure(data.frame(predicted = observed - value, observed = observed), r2 = 1 - mean_square / fit$total[output])
}
