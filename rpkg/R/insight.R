# Methods for the generics of insight, parameters, performance and xtable, which others (sjPlot, ggeffects, modelsummary)
# ask. The parameters of a fit are the rows of tidy(): coefficients or, of a kernel without slopes, average effects.

model_info.freeridge <- function(x, ...) {
  if (!is.null(x$classes)) refuse("the fit is to classes, least squares on -1 and +1, which is no family of models")
  NextMethod()
}

find_formula.freeridge <- function(x, ...) {
  flat <- stats::formula(x)
  if (!is.null(x$parts)) flat <- stats::formula(x$terms)  # without unpenalised()
  structure(list(conditional = flat), class = c("insight_formula", "list"))
}

find_parameters.freeridge <- function(x, flatten = FALSE, ...) {
  names <- parameter_rows(x)$term
  if (isTRUE(flatten)) names else list(conditional = names)
}

# coefs: of set_coef(), by which marginaleffects moves the coefficients.
get_parameters.freeridge <- function(x, ...) {
  if (!is.null(x$coefs)) return(data.frame(Parameter = names(coef.freeridge(x)), Estimate = unname(x$coefs)))
  rows <- parameter_rows(x)
  data.frame(Parameter = rows$term, Estimate = rows$estimate)
}

get_statistic.freeridge <- function(x, ...) {
  rows <- parameter_rows(x)
  structure(data.frame(Parameter = rows$term, Statistic = rows$statistic), statistic = "t-statistic")
}

# type: "model" is the effective number of parameters, any other the degrees of freedom that are left.
get_df.freeridge <- function(x, type = "residual", ...) {
  left <- unname(stats::df.residual(x))
  if (identical(type, "model")) observed_counts(x) - left else left
}

# predict: "expectation" has intervals of the function, "prediction" those of new observations.
get_predicted.freeridge <- function(x, data = NULL, predict = "expectation", ci = 0.95, ...) {
  if (ncol(x$y) > 1L) refuse("get_predicted() is for one response, and the fit has ", ncol(x$y), "; predict() has all")
  interval <- if (identical(predict, "prediction")) "prediction" else "confidence"
  level <- if (is.null(ci)) 0.95 else ci[1L]
  at <- stats::predict(x, data, interval = interval, level = level, se.fit = TRUE)
  values <- data.frame(Predicted = unname(at$fit[, "fit"]), SE = unname(at$se.fit), CI_low = unname(at$fit[, "lwr"]),
                       CI_high = unname(at$fit[, "upr"]))
  structure(values$Predicted, ci = level, ci_data = values[-1L], data = data, class = c("get_predicted", "numeric"))
}

# The rows of tidy() of a fit with one response.
parameter_rows <- function(fit, ...) {
  if (ncol(fit$y) > 1L) refuse("tables of parameters are of one response, and the fit has ", ncol(fit$y), "; tidy() has all")
  tidy.freeridge(fit, ...)
}

standard_error.freeridge <- function(model, ...) {
  rows <- parameter_rows(model)
  data.frame(Parameter = rows$term, SE = rows$std.error)
}

p_value.freeridge <- function(model, ...) {
  rows <- parameter_rows(model)
  data.frame(Parameter = rows$term, p = rows$p.value)
}

ci.freeridge <- function(x, ci = 0.95, ...) {
  do.call(rbind, lapply(ci, function(level) {
    rows <- parameter_rows(x, conf.int = TRUE, conf.level = level)
    data.frame(Parameter = rows$term, CI = level, CI_low = rows$conf.low, CI_high = rows$conf.high)
  }))
}

model_parameters.freeridge <- function(model, ci = 0.95, exponentiate = FALSE, ...) {
  rows <- parameter_rows(model, conf.int = TRUE, conf.level = ci, exponentiate = isTRUE(exponentiate))
  structure(data.frame(Parameter = rows$term, Coefficient = rows$estimate, SE = rows$std.error, CI = ci,
                       CI_low = rows$conf.low, CI_high = rows$conf.high, t = rows$statistic,
                       df_error = get_df.freeridge(model), p = rows$p.value),
            class = c("parameters_model", "see_parameters_model", "data.frame"), ci = ci,
            coefficient_name = "Coefficient", ci_method = "residual", exponentiate = isTRUE(exponentiate), digits = 2,
            ci_digits = 2, p_digits = 3, iterations = NULL, ignore_group = TRUE)
}

# R2_loo and RMSE_loo: of the rows left out, as glance() has them.
r2.freeridge <- function(model, ...) {
  row <- glance.freeridge(model)
  structure(list(R2 = stats::setNames(row$r.squared, rep("R2", length(row$r.squared))),
                 R2_loo = stats::setNames(row$loo.r.squared, rep("left-out R2", length(row$loo.r.squared)))),
            class = "r2_generic")
}

# RMSE is of all rows alike, as performance has it of weighted fits, too; glance() has the weighted one.
model_performance.freeridge <- function(model, ...) {
  row <- glance.freeridge(model)
  rmse <- function(errors) unname(sqrt(colMeans(errors^2, na.rm = TRUE)))
  structure(data.frame(AIC = row$AIC, BIC = row$BIC, R2 = row$r.squared, R2_loo = row$loo.r.squared,
                       RMSE = rmse(model$y - model$fitted.values), RMSE_loo = rmse(core_by_row(model_at(model), "loo")),
                       Sigma = row$sigma, row.names = NULL),
            class = c("performance_model", "data.frame"))
}

xtable.freeridge <- function(x, ...) {
  rows <- tidy.freeridge(x)
  names(rows)[names(rows) == "term"] <- ""
  table <- rows[setdiff(names(rows), "")]
  row.names(table) <- make.unique(rows[[which(names(rows) == "")]])
  xtable::xtable(table, ...)
}
