# Prediction intervals in the shape of predict.lm: columns fit, lwr, upr.

predict_interval <- function(fit, newdata, lambda, interval, level, se.fit) {
  x <- if (is.null(newdata)) fit$x else new_matrix(fit, newdata)
  model <- model_at(fit, lambda)
  offset <- if (is.null(newdata)) fit$offset else attr(x, "offset")
  centre <- plus_offset(core_predict(model, x), offset)
  gp <- if (interval == "gp" || se.fit) core_predict_variance(model, x)
  bounds <- switch(interval,
    none = NULL,
    "jackknife+" = lapply(core_predict_jackknife(model, x, level), plus_offset, offset),
    gp = {
      half <- stats::qnorm((1 + level) / 2) * sqrt(sweep(gp$variance, 2L, gp$noise, "+"))
      list(lower = centre - half, upper = centre + half)
    }
  )
  if (anyNA(bounds$lower)) {
    warn_undefined("the intervals are undefined (NaN): ", if (interval == "gp") {
      "lambda must be positive"
    } else {
      "a point has a leverage of one, and no leave-one-out error"
    })
  }

  # Rows that na.exclude dropped come back when the points are those of the fit.
  padded <- function(values) if (is.null(newdata)) stats::napredict(fit$na.action, values) else values
  labelled <- function(values) padded(shape(fit, values, if (is.null(newdata)) fit$cases else rownames(x)))
  value <- if (is.null(bounds)) labelled(centre) else bound_columns(fit, labelled, centre, bounds)
  if (!se.fit) return(value)
  freedom <- core_degrees_of_freedom(model)
  list(fit = value, se.fit = labelled(mean_errors(fit, model, x, gp, freedom$sigma2)),
       df = named_by_output(fit, nrow(fit$x) - freedom$df),
       residual.scale = named_by_output(fit, sqrt(freedom$sigma2)))
}

# The standard errors of f(x) + b: sigma sqrt(v(x) / (lambda tau^2)), in which tau cancels. With a linear kernel they are
# those of x'w + b by vcov(), which has them at lambda = 0, too.
mean_errors <- function(fit, model, x, gp, sigma2) {
  lambda <- core_lambda(model)
  shares <- gp$variance / rep(ifelse(gp$noise > 0, gp$noise, 1), each = nrow(x))  # no variance: 0 / 1
  if (any(lambda == 0) && is_linear(fit$kernel)) {
    # one sentence, below, is enough
    found <- withCallingHandlers(linear_shares(fit, x, lambda),
                                 freeridge_undefined = function(condition) tryInvokeRestart("muffleWarning"))
    shares[, lambda == 0] <- found[, lambda == 0]
  }
  errors <- sqrt(shares * rep(sigma2, each = nrow(x)))
  if (anyNA(errors)) {
    warn_undefined("the standard errors are undefined (NaN): lambda is 0 and does not determine them, or no degrees of ",
                   "freedom are left for the errors")
  }
  errors
}

# m x 3, or m x 3 x t for several outputs and for a matrix response.
bound_columns <- function(fit, labelled, centre, bounds) {
  parts <- lapply(list(fit = centre, lwr = bounds$lower, upr = bounds$upper), labelled)
  if (fit$vector) return(do.call(cbind, parts))
  first <- parts[[1L]]
  cube <- aperm(array(unlist(parts), c(dim(first), 3L)), c(1L, 3L, 2L))
  dimnames(cube) <- list(rownames(first), names(parts), colnames(first))
  cube
}
