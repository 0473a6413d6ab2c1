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
  fit$weight <- sums$weight
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
  dependent <- effects[object$fixed_kept %in% FALSE]
  chunks_at(object, lambda, function(model) {
    w <- core_hyperplane(model)
    w[dependent, ] <- NA
    b <- if (object$penalised) w[nrow(w), ] else core_intercept(model)
    slopes <- w[columns, , drop = FALSE]
    with_intercept(object, b, if (is.null(object$scale)) slopes else slopes / object$scale, w[effects, , drop = FALSE])
  })
}

predict.freeridge_chunks <- function(object, newdata, lambda = NULL, type = "decision", na.action = stats::na.pass,
                                     ...) {
  refuse_extra(...)
  check_choice(type, "type", class_types)
  if (is.null(object$classes)) {
    if (!type %in% c("decision", "response")) refuse("type is \"", type, "\", and the response is not of classes")
    type <- "decision"
  }
  if (!type %in% c("decision", "class")) {
    refuse("type is \"", type, "\", which is calibrated on the left-out values of all rows: freeridge() has it")
  }
  if (missing(newdata)) refuse("newdata is missing: a data frame or a source of rows, see row_source()")
  if (inherits(newdata, "row_source")) return(predicted_chunks(object, newdata, lambda, type, na.action))
  new <- new_rows(object, newdata, na.action)
  if (!is.null(new$fixed)) new$x <- cbind(new$fixed, new$x)
  new$x <- core_columns(object$design, new$x)
  new$fixed <- NULL
  if (type == "decision") return(chunks_at(object, lambda, function(model) predicted(object, new, model)))
  lambda <- if (is.null(lambda)) object$lambda else check_lambda(lambda, ncol(object$y), object$outputs)
  as_labels(object$classes, predicted(object, new, chunk_model(object, lambda)))
}

# Predictions for the rows of a source, without names: the rows are never together, and so have none in common.
predicted_chunks <- function(fit, source, lambda, type, na.action) {
  pass <- new_pass(
    begin = function(k) list(),
    visit = function(state, chunk) {
      rows <- of_known_kinds(as.data.frame(chunk), fit$design$kinds)
      c(state, list(unname(predict(fit, rows, lambda, type, na.action))))
    },
    join = c
  )
  found <- with_steps(run_pass(source, pass, NULL))
  if (is.null(dim(found[[1L]]))) unlist(found) else do.call(rbind, found)
}

# The values of the rows of the fit, in the order of the source, by a pass over it: what `answer(numbers)` gives of the
# numbers of a chunk, rows x outputs.
values_of_rows <- function(fit, source, answer) {
  pass <- new_pass(
    begin = function(k) c(list(values = list()), no_rows),
    visit = function(state, chunk) {
      numbers <- chunk_numbers(fit$design, chunk)
      if (!is.null(numbers$x)) state$values <- c(state$values, list(answer(numbers)))
      counted_rows(state, numbers)
    },
    join = c
  )
  found <- with_steps(run_pass(row_source(source), pass, NULL, fit$rows$read))
  check_same_rows(fit$rows, found)
  do.call(rbind, found$values)
}

# A fit has no rows, and needs the source for answers by rows.
refuse_without_source <- function(what, call) {
  refuse("the fit keeps no rows, and ", what, " are those of its rows: hand them in once more, as in ", call,
         "(fit, source)")
}

residuals.freeridge_chunks <- function(object, source, type = "response", lambda = NULL, ...) {
  refuse_extra(...)
  if (missing(source)) refuse_without_source("residuals", "residuals")
  check_choice(type, "type", residual_types)
  if (type == "loo") return(loo(object, source, lambda))
  weighted <- type %in% c("pearson", "deviance")
  shape(object, values_of_rows(object, source, function(numbers) {
    residuals <- numbers$y - predicted_numbers(object, numbers, lambda)
    if (weighted && !is.null(numbers$weights)) sqrt(numbers$weights) * residuals else residuals
  }), NULL)
}

fitted.freeridge_chunks <- function(object, source, lambda = NULL, ...) {
  refuse_extra(...)
  if (missing(source)) refuse_without_source("fitted values", "fitted")
  shape(object, values_of_rows(object, source, function(numbers) {
    plus_offset(predicted_numbers(object, numbers, lambda), numbers$offset)
  }), NULL)
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
vcov.freeridge_chunks <- for_rows_alone("covariances of coefficients")
confint.freeridge_chunks <- for_rows_alone("intervals of coefficients")
hatvalues.freeridge_chunks <- for_rows_alone("leverages")
rstandard.freeridge_chunks <- for_rows_alone("standardised residuals")
cooks.distance.freeridge_chunks <- for_rows_alone("Cook's distances")
rstudent.freeridge_chunks <- for_rows_alone("studentised residuals")
dfbeta.freeridge_chunks <- dfbetas.freeridge_chunks <- for_rows_alone("coefficients without single rows")
influence.freeridge_chunks <- for_rows_alone("influence of single rows")
model.frame.freeridge_chunks <- for_rows_alone("model frame")
model.matrix.freeridge_chunks <- for_rows_alone("model matrix")
case.names.freeridge_chunks <- for_rows_alone("names of rows")
logLik.freeridge_chunks <- for_rows_alone("likelihood")
extractAIC.freeridge_chunks <- for_rows_alone("AIC")

# The path of the criteria that the fit knows, as plot() of freeridge() draws it; with a source that of others, too.
plot.freeridge_chunks <- function(x, type = "path", criteria = NULL, output = 1L, lambdas = NULL, source = NULL, ...) {
  data <- path_of_chunks(x, type, criteria, output, lambdas, source)
  plot_path(data, x, check_output(output, x), ...)
  invisible(data)
}

autoplot.freeridge_chunks <- function(object, type = "path", criteria = NULL, output = 1L, lambdas = NULL, source = NULL,
                                      ...) {
  refuse_extra(...)
  data <- path_of_chunks(object, type, criteria, output, lambdas, source)
  output <- check_output(output, object)
  draw_path(path_panels(data), object$lambda[[output]], lambda_of(object, output))
}

# The data frame of one output that plot() and autoplot() show.
path_of_chunks <- function(fit, type, criteria, output, lambdas, source) {
  check_choice(type, "type", plot_types)
  if (type != "path") refuse("type is \"", type, "\", and the fit keeps no rows: of chunks there is type = \"path\" alone")
  output <- check_output(output, fit)
  if (!is.null(criteria)) criteria <- unique(c(criteria, "training"))
  data <- withCallingHandlers(lambda_path(fit, lambdas, criteria, source), freeridge_undefined = function(condition) {
    tryInvokeRestart("muffleWarning")
  })
  if (ncol(fit$y) > 1L) data[as.integer(data$output) == output, ] else data
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
loo.freeridge_chunks <- function(object, source, lambda = NULL, ...) {
  refuse_extra(...)
  if (missing(source)) refuse("source is missing: the rows of the fit, once more")
  lambda <- if (is.null(lambda)) object$lambda else check_lambda(lambda, ncol(object$y), object$outputs)
  handle <- accumulator_of(object)
  own <- (seq_along(lambda) - 1L) * length(lambda) + seq_along(lambda)
  errors <- values_of_rows(object, source, function(numbers) {
    found <- core_accumulator_loo(handle, core_columns(object$design, numbers$x), numbers$y, numbers$weights, lambda)
    found[, own, drop = FALSE]
  })
  warn_leverage_of_one("the leave-one-out error", which(rowSums(is.nan(errors)) > 0L))
  shape(object, errors, NULL)
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
  if (object$chosen && object$criterion == "loo") table$loo_rmse <- sqrt(unname(object$score))
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
