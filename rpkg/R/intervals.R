# Prediction intervals in the shape of predict.lm: columns fit, lwr, upr.

predict_interval <- function(fit, newdata, lambda, interval, level, se.fit, na.action) {
  new <- if (is.null(newdata)) own_rows(fit) else new_rows(fit, newdata, na.action)
  model <- model_at(fit, lambda)
  centre <- answered(new, function(x) core_predict(model, x), new$offset)
  gp <- if (interval == "gp" || se.fit) {
    noise <- NULL
    variance <- answered(new, function(x) {
      found <- core_predict_variance(model, x)
      noise <<- found$noise
      found$variance
    })
    list(variance = variance, noise = noise)
  }
  bounds <- switch(interval,
    none = NULL,
    "jackknife+" = {
      both <- answered(new, function(x) do.call(cbind, core_predict_jackknife(model, x, level)), new$offset)
      lower <- seq_len(ncol(centre))
      list(lower = both[, lower, drop = FALSE], upper = both[, -lower, drop = FALSE])
    },
    gp = {
      half <- stats::qnorm((1 + level) / 2) * sqrt(sweep(gp$variance, 2L, gp$noise, "+"))
      list(lower = centre - half, upper = centre + half)
    }
  )
  if (any(is.nan(bounds$lower)) && interval == "jackknife+") {
    warn_undefined("the intervals are undefined (NaN): a point has a leverage of one, and no leave-one-out error")
  } else if (any(is.nan(gp$variance))) {
    warn_undefined("the predictive variance is undefined (NaN): lambda must be positive")
  }

  # Rows that na.exclude dropped come back when the points are those of the fit.
  padded <- function(values) if (is.null(newdata)) stats::napredict(fit$na.action, values) else values
  labelled <- function(values) padded(shape(fit, values, new$names))
  value <- if (is.null(bounds)) labelled(centre) else bound_columns(fit, labelled, centre, bounds)
  if (!se.fit) return(value)
  freedom <- core_degrees_of_freedom(model)
  list(fit = value, se.fit = labelled(sqrt(gp$variance)), df = named_by_output(fit, nrow(fit$x) - freedom$df),
       residual.scale = named_by_output(fit, sqrt(gp$noise)))
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

# The rows that the fit was made from, those of weight zero in their places, as new_rows() has new ones.
own_rows <- function(fit) {
  x <- fit$x
  offset <- fit$offset
  if (!is.null(fit$aside)) {
    aside <- fit$aside$x
    if (!is.null(fit$points)) aside <- kernel_values(fit$kernel, divided(aside, fit$scale), divided(fit$points, fit$scale))
    order <- order(c(place_of(fit, seq_len(nrow(x))), fit$aside$rows))
    x <- rbind(x, aside)[order, , drop = FALSE]
    offset <- c(offset, fit$aside$offset)[order]
  }
  list(x = with_columns(x), offset = offset, known = rep(TRUE, nrow(x)),
       names = if (is.null(fit$aside)) fit$cases else fit$aside$cases)
}
