# The data frames that the pictures of plot() and autoplot() show.

plot_types <- c("path", "effect", "loo", "residuals", "coefficients", "slopes", "spectrum", "relevance", "rows",
                "calibration", "roc", "confusion")

plot_data <- function(fit, type, criteria, output, lambdas, variables = NULL) {
  check_choice(type, "type", plot_types)
  output <- check_output(output, fit)
  if (type != "path" && !is.null(criteria)) refuse("criteria is for type = \"path\", but type is \"", type, "\"")
  if (!type %in% c("path", "coefficients") && !is.null(lambdas)) {
    refuse("lambdas is for type = \"path\" and \"coefficients\", but type is \"", type, "\"")
  }
  if (type != "effect" && !is.null(variables)) refuse("variables is for type = \"effect\", but type is \"", type, "\"")
  switch(type,
    path = path_data(fit, criteria, output, lambdas),
    effect = effect_data(fit, output, variables),
    loo = left_out_data(fit, output),
    residuals = data.frame(fitted = fit$fitted.values[, output], residual = (fit$y - fit$fitted.values)[, output],
                           row.names = case_labels(fit)),
    coefficients = coefficient_data(fit, output, lambdas),
    slopes = slope_data(fit, output),
    spectrum = spectrum_data(fit),
    relevance = relevance(fit),
    rows = rows_data(fit, output),
    calibration = calibration_data(fit, output),
    roc = roc_data(fit, output),
    confusion = confusion_data(fit)
  )
}

check_output <- function(output, fit) {
  place <- if (is.character(output)) match(output, fit$outputs) else output
  good <- is.numeric(place) && length(place) == 1L && !is.na(place) && place %in% seq_len(ncol(fit$y))
  if (!good) {
    refuse("output must be the number or the name of one of the ", ncol(fit$y), " outputs, not ", shown(output))
  }
  as.integer(place)
}

case_labels <- function(fit) {
  if (!is.null(fit$cases) && anyDuplicated(fit$cases) == 0L) return(fit$cases)
  as.character(place_of(fit, seq_len(nrow(fit$y))))
}

# The lambdas of a path and the one in force. The axis is logarithmic, so that only positive ones are drawn.
path_lambdas <- function(fit, output, lambdas) {
  if (is.null(lambdas)) lambdas <- usual_lambdas(fit, model_for_path(fit))
  lambdas <- sort(unique(c(check_not_negative(lambdas, "lambdas"), fit$lambda[[output]])))
  lambdas[lambdas > 0]
}

# The path of the criteria, and the training error, which is drawn in the panels of left-out errors. Of the usual
# criteria those that have a value are there.
path_data <- function(fit, criteria, output, lambdas) {
  if (!is.null(criteria)) {
    if (is.character(criteria)) for (criterion in criteria) check_choice(criterion, "criteria", criteria_names)
    criteria <- c(criteria, "training")
  }
  # Where a score does not exist the curve has a gap: no warning is needed.
  path <- withCallingHandlers(lambda_path(fit, path_lambdas(fit, output, lambdas), criteria),
                              freeridge_undefined = function(condition) tryInvokeRestart("muffleWarning"))
  if (ncol(fit$y) > 1L) path <- path[as.integer(path$output) == output, ]
  if (is.null(criteria)) {
    usual <- intersect(names(path), criteria_names)
    without <- usual[!vapply(path[usual], function(scores) any(is.finite(scores)), NA)]
    if (length(without) < length(usual)) path[without] <- NULL
  }
  path
}

left_out_data <- function(fit, output) {
  observed <- fit$y[, output]
  errors <- core_by_row(model_at(fit), "loo")[, output]
  data.frame(predicted = observed - errors, observed = observed, row.names = case_labels(fit))
}

# Slopes at each lambda, times the standard deviations of their columns, in the units of y.
coefficient_data <- function(fit, output, lambdas) {
  if (!is_linear(fit$kernel)) {
    refuse("type is \"coefficients\", but the kernel is ", format(fit$kernel), "; for kernels that are not linear ",
           "there are type = \"effect\" and \"slopes\"")
  }
  lambdas <- path_lambdas(fit, output, lambdas)
  model <- model_for_path(fit)
  slopes <- vapply(lambdas, function(lambda) {
    core_set_lambda(model, lambda)
    core_hyperplane(model)[, output]
  }, numeric(ncol(fit$x)))
  slopes <- matrix(slopes, ncol(fit$x)) * unname(column_spread(fit))
  names <- feature_names(fit$x)
  data.frame(lambda = rep(lambdas, times = length(names)),
             column = factor(rep(names, each = length(lambdas)), levels = names), coefficient = as.vector(t(slopes)))
}

# The standard deviations of the columns; those of columns for levels as if they were columns of 0 and 1.
column_spread <- function(fit) {
  spread <- vapply(seq_len(ncol(fit$x)), function(j) column_sd(fit$x[, j]), 0)
  of_levels <- unlist(lapply(level_terms(fit$x), `[[`, "columns"))
  if (length(of_levels) > 0L) spread[of_levels] <- spread[of_levels] / level_value_of(fit)
  stats::setNames(spread, feature_names(fit$x))
}

slope_data <- function(fit, output) {
  found <- marginal_effects(fit)
  average <- found$average
  if (!is.null(average$output)) average <- average[as.integer(average$output) == output, ]
  half <- stats::qt(0.975, found$df[[output]]) * average$se
  spread <- unname(column_spread(fit)[as.character(average$column)])
  data.frame(column = average$column, estimate = spread * average$estimate, lower = spread * (average$estimate - half),
             upper = spread * (average$estimate + half))
}

# The eigenvalues that are not zero: the axis is logarithmic.
spectrum_data <- function(fit) {
  values <- eigenvalues(fit)
  values <- values[values > 0]
  if (length(values) == 0L) refuse("type is \"spectrum\", but all eigenvalues are zero")
  data.frame(index = seq_along(values), eigenvalue = values)
}
