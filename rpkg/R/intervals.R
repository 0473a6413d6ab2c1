# Intervals in the shape of predict.lm: columns fit, lwr, upr. With the standard error se of f(x) + b, the degrees of
# freedom that are left, and sigma:
#     confidence    f(x) + b -+ t se                    of the function
#     prediction    f(x) + b -+ t sqrt(se^2 + sigma^2)  of a new output
#     gp            as prediction with normal quantiles, and the noise at the prior's scale
#     jackknife+    from left-out errors, without a model of the noise
# t: the quantile (1 + level) / 2 of Student's distribution.

interval_names <- c("none", "confidence", "prediction", "jackknife+", "gp")

predict_interval <- function(fit, newdata, lambda, interval, level, se.fit, na.action, fixed = NULL) {
  new <- if (is.null(newdata)) own_rows(fit) else new_rows(fit, newdata, na.action, fixed)
  model <- model_at(fit, lambda)
  centre <- answered(new, function(x, fixed = NULL) core_predict(model, x, fixed), new$offset)
  of_lm <- interval %in% c("confidence", "prediction")
  gp <- if (interval == "gp" || of_lm || se.fit) {
    noise <- NULL
    variance <- answered(new, function(x, fixed = NULL) {
      found <- core_predict_variance(model, x, fixed)
      noise <<- found$noise
      found$variance
    })
    list(variance = variance, noise = noise)
  }
  if (of_lm || se.fit) {
    freedom <- core_degrees_of_freedom(model)
    left <- observed_counts(fit) - freedom$df
    errors <- mean_errors(fit, model, new, gp, freedom$sigma2)
  }
  bounds <- switch(interval,
    none = NULL,
    confidence = around(centre, errors, left, level),
    prediction = around(centre, sqrt(sweep(errors^2, 2L, freedom$sigma2, "+")), left, level),
    "jackknife+" = {
      both <- answered(new, function(x, fixed = NULL) {
        do.call(cbind, core_predict_jackknife(model, x, level, fixed))
      }, new$offset)
      lower <- seq_len(ncol(centre))
      list(lower = both[, lower, drop = FALSE], upper = both[, -lower, drop = FALSE])
    },
    gp = {
      around(centre, sqrt(sweep(gp$variance, 2L, gp$noise, "+")), rep(Inf, ncol(centre)), level)
    }
  )
  if (!of_lm && anyNA(bounds$lower[new$known, ])) {
    leverage <- "a point has a leverage of one, and no leave-one-out error"
    reason <- if (interval == "gp") "lambda must be positive" else leverage
    warn_undefined("the intervals are undefined (NaN): ", reason)
  }

  # Rows that na.exclude dropped come back when the points are those of the fit.
  padded <- function(values) if (is.null(newdata)) stats::napredict(fit$na.action, values) else values
  labelled <- function(values) padded(shape(fit, values, new$names))
  value <- if (is.null(bounds)) labelled(centre) else bound_columns(fit, labelled, centre, bounds)
  if (!se.fit) return(value)
  list(fit = value, se.fit = labelled(errors), df = named_by_output(fit, left),
       residual.scale = named_by_output(fit, sqrt(freedom$sigma2)))
}

# centre -+ t errors, with the degrees of freedom of each output; NaN where none are left.
around <- function(centre, errors, freedom, level) {
  t <- ifelse(freedom > 0, stats::qt((1 + level) / 2, pmax(freedom, .Machine$double.xmin)), NaN)
  half <- sweep(errors, 2L, t, "*")
  list(lower = centre - half, upper = centre + half)
}

# The standard errors of f(x) + b: sigma sqrt(v(x) / (lambda tau^2)), where v(x) has the factor tau^2, too. With a
# linear kernel these are the standard errors of x'w + b by vcov(), which also has them at lambda = 0.
mean_errors <- function(fit, model, new, gp, sigma2) {
  lambda <- core_lambda(model)
  m <- length(new$known)
  shares <- gp$variance / rep(ifelse(gp$noise > 0, gp$noise, 1), each = m)  # no variance: 0 / 1
  variances <- shares * rep(sigma2, each = m)
  if (any(lambda == 0) && is_linear(fit$kernel) && is.null(fit$fixed)) {
    # Without the warning of vcov(), as there is one below.
    found <- withCallingHandlers(answered(new, function(x) linear_variances(fit, x, lambda, sigma2)),
                                 freeridge_undefined = function(condition) tryInvokeRestart("muffleWarning"))
    variances[, lambda == 0] <- found[, lambda == 0]
  }
  errors <- sqrt(variances)
  if (anyNA(errors[new$known, ])) {
    warn_undefined("the standard errors are undefined (NaN): lambda is 0 and does not determine them, or no degrees ",
                   "of freedom are left for the errors")
  }
  errors
}

# Predictions with their bounds: m x 3, or for a matrix response m x 3 x t.
bound_columns <- function(fit, labelled, centre, bounds) {
  parts <- lapply(list(fit = centre, lwr = bounds$lower, upr = bounds$upper), labelled)
  if (fit$vector) return(do.call(cbind, parts))
  first <- parts[[1L]]
  cube <- aperm(array(unlist(parts), c(dim(first), 3L)), c(1L, 3L, 2L))
  dimnames(cube) <- list(rownames(first), names(parts), colnames(first))
  cube
}

# The rows of the fit, those of weight zero in their places, in the form that new_rows() gives to new rows.
own_rows <- function(fit) {
  x <- fit$x
  fixed <- fit$fixed
  offset <- fit$offset
  if (!is.null(fit$aside)) {
    order <- order(c(place_of(fit, seq_len(nrow(x))), fit$aside$rows))
    x <- rbind(x, as_core_rows(fit, fit$aside$x))[order, , drop = FALSE]
    if (!is.null(fixed)) fixed <- rbind(fixed, fit$aside$fixed)[order, , drop = FALSE]
    offset <- c(offset, fit$aside$offset)[order]
  }
  list(x = with_columns(x), fixed = fixed, offset = offset, known = rep(TRUE, nrow(x)),
       names = all_cases(fit))
}
