# Fits as data frames, by the generics of the package generics, which broom and tidymodels use. The data frames are
# plain ones, so that nothing else has to be installed. With several outputs the column "response" names the output.
# Other packages pass on arguments that they have for all models; those that mean nothing here are let pass.

# A linear fit has a row for each coefficient, with standard errors, t and p where they exist; another fit has a row for
# each unpenalised effect, and for each column its average effect (marginal_effects()).
tidy.freeridge <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, ...) {
  refuse_misspelt(...)
  conf.int <- check_flag(conf.int, "conf.int")
  if (check_flag(exponentiate, "exponentiate")) {
    table <- tidy.freeridge(x, conf.int, conf.level)
    columns <- intersect(c("estimate", "conf.low", "conf.high"), names(table))
    table[columns] <- exp(table[columns])
    return(table)
  }
  level <- check_fraction(conf.level, "conf.level")
  if (is_linear(x$kernel) && is_sparse(x$x)) {
    if (conf.int) refuse_sparse("a confidence interval")
    return(by_response(x, list(estimate = coef(x)), variable.names(x)))
  }
  found <- if (is_linear(x$kernel)) inference(x, "bayesian") else effects_of_terms(x)
  statistic <- found$estimates / found$errors
  columns <- list(estimate = found$estimates, std.error = found$errors, statistic = statistic,
                  p.value = 2 * stats::pt(-abs(statistic), found$freedom))
  if (conf.int) {
    reach <- found$errors * stats::qt((1 + level) / 2, found$freedom)
    columns$conf.low <- found$estimates - reach
    columns$conf.high <- found$estimates + reach
  }
  by_response(x, columns, rownames(found$estimates))
}

# As inference(), of a fit without slopes: the unpenalised effects, and the average effects of the columns of the kernel.
effects_of_terms <- function(fit) {
  found <- if (!is.null(fit$fixed)) inference(fit, "bayesian")
  if (ncol(fit$x) == 0L) return(found)
  effects <- marginal_effects.freeridge(fit)
  by_output <- function(values) matrix(values, ncol = ncol(fit$y))
  own <- list(estimates = by_output(effects$average$estimate), errors = by_output(effects$average$se))
  rownames(own$estimates) <- as.character(effects$average$column[seq_len(nrow(own$estimates))])
  own$freedom <- matrix(effects$df, nrow(own$estimates), ncol(fit$y), byrow = TRUE)
  if (is.null(found)) own else Map(rbind, found, own)
}

# Columns (terms x outputs) below one another, output by output.
by_response <- function(fit, columns, terms) {
  frame <- data.frame(term = rep(terms, times = ncol(fit$y)))
  if (ncol(fit$y) > 1L) frame <- data.frame(response = rep(fit$outputs, each = length(terms)), frame)
  frame[names(columns)] <- lapply(columns, as.vector)
  frame
}

# A row for each output.
glance.freeridge <- function(x, ...) {
  refuse_misspelt(...)
  weights <- weights_or_ones(x)
  mean_square <- function(values) observed_means(values^2, weights, x$y)
  centred <- if (x$intercept) sweep(x$y, 2L, observed_means(x$y, weights, x$y)) else x$y
  total <- mean_square(centred)
  loo <- mean_square(core_by_row(model_at(x), "loo"))
  glance_table(x, mean_square(x$y - x$fitted.values), total, loo)
}

# Of mean squares of residuals, outputs and left-out errors.
glance_table <- function(x, training, total, loo, deviance = NULL) {
  frame <- data.frame(
    r.squared = 1 - training / total, loo.r.squared = 1 - loo / total,
    sigma = unname(sigma(x)), loo.rmse = sqrt(loo), lambda = unname(x$lambda),
    df = observed_counts(x) - unname(df.residual(x)),
    logLik = if (is.null(x$classes) && is.null(x$robust)) log_likelihoods(x) else NA_real_, row.names = NULL
  )
  parameters <- frame$df + is.null(x$noise_sd)  # as logLik() counts them
  frame$AIC <- -2 * frame$logLik + 2 * parameters
  frame$BIC <- -2 * frame$logLik + log(observed_counts(x)) * parameters
  frame$deviance <- deviance
  frame$df.residual <- unname(df.residual(x))
  frame$nobs <- observed_counts(x)
  if (ncol(x$y) > 1L) data.frame(response = x$outputs, frame) else frame
}

# Fits of freeridge_chunks(), which keep no rows. loo.rmse is NA where another criterion chose lambda, or none.
tidy.freeridge_chunks <- function(x, ...) {
  if (!is_linear(x$kernel)) coef(x)  # refuses
  tidy.freeridge(x, ...)
}

glance.freeridge_chunks <- function(x, ...) {
  refuse_misspelt(...)
  deviance <- unname(deviance(x))
  loo <- if (x$chosen && x$criterion == "loo") unname(x$score) else NA_real_
  glance_table(x, deviance / x$weight, x$total, loo, deviance = deviance)
}

# The data, or new data, with fitted values; for the fit's own points also residuals, leverages, left-out errors and
# Cook's distances. se_fit and interval add those of predict(), as .se.fit, .lower and .upper. With several outputs the
# columns are .fitted.<output> and so on; a fit to classes also has .class and .prob.<class>.
augment.freeridge <- function(x, data = NULL, newdata = NULL, se_fit = FALSE, interval = "none", conf.level = 0.95,
                              ...) {
  refuse_misspelt(...)
  se_fit <- check_flag(se_fit, "se_fit")
  own <- is.null(newdata)
  if (own && is.null(data)) data <- own_data(x)
  frame <- data.frame(if (own) data else newdata, check.names = FALSE)
  if (own && length(x$na.action) > 0L && nrow(frame) > row_count(x) && !inherits(x$na.action, "exclude")) {
    frame <- frame[-x$na.action, , drop = FALSE]
  }
  rows <- if (own) length(stats::naresid(x$na.action, rep(0, row_count(x)))) else nrow(frame)
  if (nrow(frame) != rows) refuse("data has ", counted(nrow(frame), "row"), ", the fit has ", rows)
  add <- function(name, values) {
    values <- as.matrix(values)
    names <- if (ncol(values) > 1L) paste(name, colnames(values), sep = ".") else name
    for (j in seq_len(ncol(values))) frame[[names[j]]] <<- unname(values[, j])
  }
  if (!is.null(x$classes)) {
    frame$.class <- unname(predict(x, newdata, type = "class"))
    add(".prob", predict(x, newdata, type = "probability"))
  }
  answer <- predict(x, newdata, interval = interval, level = conf.level, se.fit = se_fit)
  values <- if (se_fit) answer$fit else answer
  part <- function(name) if (length(dim(values)) == 3L) values[, name, ] else values[, name]
  add(".fitted", if (interval == "none") values else part("fit"))
  if (interval != "none") {
    add(".lower", part("lwr"))
    add(".upper", part("upr"))
  }
  if (se_fit) add(".se.fit", answer$se.fit)
  if (own) {
    add(".resid", residuals(x))
    add(".hat", hatvalues(x))
    add(".loo", loo(x))
    add(".cooksd", cooks.distance(x))
  }
  frame
}

# What the fit was made from: its model frame, with the rows that na.exclude brings back, or x.
own_data <- function(fit) {
  if (!is.null(fit$frame)) {
    frame <- whole_frame(fit)
    dropped <- fit$frame$dropped
    if (is.null(dropped)) return(frame)
    return(rbind(frame, dropped)[order(c(seq_len(nrow(frame) + nrow(dropped))[-fit$na.action], fit$na.action)), ])
  }
  if (is_sparse(fit$x)) refuse("data is missing: the rows of a fit with a sparse x are not made a data frame")
  data.frame(points_of(fit))
}
