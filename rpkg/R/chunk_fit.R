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
influence.freeridge_chunks <- influence.measures.freeridge_chunks <- for_rows_alone("influence of single rows")
dffits.freeridge_chunks <- for_rows_alone("influence of single rows")
effects.freeridge_chunks <- marginal_effects.freeridge_chunks <- for_rows_alone("averages over rows")
anova.freeridge_chunks <- for_rows_alone("score tests")
simulate.freeridge_chunks <- for_rows_alone("draws of a response for each row")
augment.freeridge_chunks <- for_rows_alone("columns beside rows")
variance_components.freeridge_chunks <- for_rows_alone("mixed model of rows")
model.frame.freeridge_chunks <- for_rows_alone("model frame")
model.matrix.freeridge_chunks <- for_rows_alone("model matrix")
case.names.freeridge_chunks <- for_rows_alone("names of rows")

extractAIC.freeridge_chunks <- function(fit, scale = 0, k = 2, ...) {
  refuse_extra(...)
  extractAIC.freeridge(fit, scale, k)
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
