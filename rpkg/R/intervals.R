# Intervals in the shape of predict.lm: columns fit, lwr, upr. With the standard error se of f(x) + b, the degrees of
# freedom that are left, and sigma:
#     confidence    f(x) + b -+ t se                    of the function
#     prediction    f(x) + b -+ t sqrt(se^2 + sigma^2 / w)  of a new output, w its weight
#     gp            as prediction with normal quantiles, and the noise at the prior's scale
#     jackknife+    from left-out errors, without a model of the noise
#     cv+           from errors left out with the groups of the fit, for rows of new groups
#     local         f(x) + b -+ q u(x) s(x)^gamma, wide where the noise is
# t: the quantile (1 + level) / 2 of Student's distribution, of the normal one where the noise is known. u(x): the predictive standard deviation that gp takes, of a row of
# the fit without that row (noise / (1 - h_i))^(1/2). s(x) = exp(g(x) / 2) with a second fit g to log (e_i / u_i)^2, e_i the
# left-out errors, on the columns and the predictions; s_i without row i. q: the quantile of |e_i| / (u_i s_i^gamma) that
# conformal prediction takes, gamma of 0, 1/4, ..., 1: where the left-out errors have the least interval score
#     mean of the widths + 2 / (1 - level) mean of what is beyond the ends
# J. Lei, M. G'Sell, A. Rinaldo, R. Tibshirani, L. Wasserman, Distribution-free predictive inference for regression, Journal of
# the American Statistical Association 113 (2018), section 5.2; T. Gneiting, A. Raftery, Strictly proper scoring rules, the same
# 102 (2007), section 6.2.

interval_names <- c("none", "confidence", "prediction", "jackknife+", "cv+", "gp", "local")

predict_interval <- function(fit, new, lambda, interval, level, se.fit, covariance, kind, learnt, weights = NULL) {
  model <- model_at(fit, lambda)
  m <- length(new$known)
  if (!is.null(weights)) {
    weights <- check_weights(rep(weights, if (length(weights) == 1L) m else 1L), m)
    if (any(weights == 0)) refuse("weights is 0 for a new row, whose output then could be anything")
  }
  # The variances of the errors of new outputs, m x t.
  of_new <- function(variance) matrix(rep(variance, each = m), m, length(variance)) / (if (is.null(weights)) 1 else weights)
  centre <- answered(new, function(x, fixed = NULL) core_predict(model, x, fixed), new$offset)
  with_errors <- interval %in% c("confidence", "prediction") || se.fit || covariance
  if (with_errors) {
    freedom <- core_degrees_of_freedom(model)
    left <- quantile_freedom(fit, observed_counts(fit) - freedom$df)
    found <- NULL
    # Of a fit without predictors any lambda gives the same (covariance_model()).
    of <- if (ncol(fit$x) == 0L && !has_penalised(fit)) model_at(fit, 1) else model
    errors <- answered(new, function(x, fixed = NULL) {
      found <<- core_predict_covariance(of, x, kind, covariance, fixed)
      found$errors
    })
    if (any(new$known)) warn_reason(found$reason)
  }
  bounds <- switch(interval,
    none = NULL,
    confidence = around(centre, errors, left, level),
    prediction = around(centre, sqrt(errors^2 + of_new(freedom$sigma2)), left, level),
    "jackknife+" = ,
    "cv+" = {
      of <- if (learnt) chosen_to_learn_again(fit) else model
      folds <- if (interval == "cv+") -2L else if (learnt) 0L else -1L
      both <- answered(new, function(x, fixed = NULL) {
        do.call(cbind, core_predict_jackknife(of, x, level, folds, fixed))
      }, new$offset)
      lower <- seq_len(ncol(centre))
      list(lower = both[, lower, drop = FALSE], upper = both[, -lower, drop = FALSE])
    },
    gp = {
      noise <- NULL
      variance <- answered(new, function(x, fixed = NULL) {
        found <- core_predict_variance(model, x, fixed)
        noise <<- found$noise
        found$variance
      })
      around(centre, sqrt(variance + of_new(noise)), rep(Inf, ncol(centre)), level)
    },
    local = {
      half <- answered(new, function(x, fixed = NULL) {
        scales <- local_scales(fit, model, lambda, learnt)
        at <- core_predict(model, x, fixed)
        own <- if (scales[[1L]]$predictive) predictive_deviations(model, x, fixed) else array(1, dim(at))
        do.call(cbind, lapply(seq_along(scales), function(j) {
          half_width(scales[[j]], level, scale_columns(fit, x, fixed, at[, j]), own[, j])
        }))
      })
      list(lower = centre - half, upper = centre + half)
    }
  )
  if (interval %in% c("jackknife+", "cv+", "gp") && anyNA(bounds$lower[new$known, ])) {
    reason <- switch(interval, gp = "lambda must be positive",
                     "cv+" = "the other rows do not determine the predictions of a group",
                     "a point has a leverage of one, and no leave-one-out error")
    warn_undefined("the intervals are undefined (NaN): ", reason)
  }

  # Rows that na.exclude dropped come back when the points are those of the fit.
  padded <- function(values) if (new$own) stats::napredict(fit$na.action, values) else values
  labelled <- function(values) padded(shape(fit, values, new$names))
  value <- if (is.null(bounds)) labelled(centre) else bound_columns(fit, labelled, centre, bounds)
  if (!se.fit && !covariance) return(value)
  c(list(fit = value), if (se.fit) list(se.fit = labelled(errors)),
    if (covariance) list(covariance = labelled_pairs(fit, found$covariance, new$known, labelled)),
    list(df = named_by_output(fit, left), residual.scale = named_by_output(fit, sqrt(freedom$sigma2))))
}

# u(x), m x t
predictive_deviations <- function(model, x, fixed) {
  found <- core_predict_variance(model, x, fixed)
  sqrt(sweep(found$variance, 2L, found$noise, "+"))
}

# For each output list(fit, size, u, log_s, predictive): the fit g, NULL where all errors are zero, and of its rows |e_i|, u_i and
# log s_i; predictive: whether u is known (else 1). Kept with the fit at its own lambda.
local_scales <- function(fit, model, lambda, learnt) {
  name <- if (learnt) "learnt_scales" else "local_scales"
  if (is.null(lambda) && !is.null(fit$cache[[name]])) return(fit$cache[[name]])
  errors <- if (learnt) learnt_again(fit)$errors else core_by_row(model, "loo")
  leverage <- core_by_row(model, "leverage")
  predictive <- !is_of_values(fit$kernel) && all(core_lambda(model) > 0)
  noise <- if (predictive) core_predict_variance(model, with_columns(fit$x[1L, , drop = FALSE]), fit$fixed[1L, , drop = FALSE])$noise
  scales <- lapply(seq_len(ncol(fit$y)), function(j) {
    known <- which(!is.na(errors[, j]))
    if (length(known) < 3L) refuse("a local scale needs three left-out errors, and there are ", length(known))
    size <- sqrt(weights_or_ones(fit)[known]) * abs(errors[known, j])
    u <- if (predictive) sqrt(noise[[j]] / (1 - leverage[known, j])) else rep(1, length(known))
    if (max(size) == 0) return(list(fit = NULL, size = size, u = u, log_s = 0 * size, predictive = predictive))
    ratio <- size / u
    least <- max(0.05 * stats::median(ratio), 1e-8 * max(ratio))  # how far below the others an error is says little
    columns <- scale_columns(fit, fit$x[known, , drop = FALSE], fit$fixed[known, , drop = FALSE], (fit$y - errors)[known, j])
    # (What may be said against the choices of this fit is not said of the user's.)
    spread <- suppressWarnings(freeridge.default(columns, log(ratio^2 + least^2)))
    log_s <- (spread$y - core_by_row(model_at(spread), "loo"))[, 1L] / 2
    list(fit = spread, size = size, u = u, log_s = log_s, predictive = predictive)
  })
  if (is.null(lambda)) fit$cache[[name]] <- scales
  scales
}

# q u(x) s(x)^gamma at new rows, whose u are given.
half_width <- function(scale, level, columns, u) {
  count <- length(scale$size)
  place <- ceiling(level * (count + 1))
  if (place > count) return(rep(Inf, length(u)))
  if (is.null(scale$fit)) return(rep(0, length(u)))
  tried <- lapply(seq(0, 1, by = 0.25), function(gamma) {
    own <- scale$u * exp(gamma * scale$log_s)
    q <- sort(scale$size / own)[place]
    list(q = q, gamma = gamma, score = mean(2 * q * own + 2 / (1 - level) * pmax(scale$size - q * own, 0)))
  })
  best <- tried[[which.min(vapply(tried, `[[`, 0, "score"))]]
  if (best$gamma == 0) return(best$q * u)
  best$q * u * exp(best$gamma / 2 * core_predict(model_at(scale$fit), columns)[, 1L])
}

# The columns of a fit that are numbers for another fit, and its predictions beside them.
scale_columns <- function(fit, x, fixed, predictions) {
  given <- ncol(fit$x) == 0L || is_sparse(fit$x) || is_of_values(fit$kernel)
  unname(cbind(if (!given) x[, seq_len(ncol(x)), drop = FALSE], fixed, predictions))
}

# The covariances of all pairs of points, m x m, or for a matrix response m x m x t, from those of the known points side
# by side; labelled: adds names to values of all points, and the rows that na.exclude dropped.
labelled_pairs <- function(fit, pairs, known, labelled) {
  t <- ncol(fit$y)
  place <- labelled(matrix(replace(rep(NA_real_, length(known)), known, seq_len(sum(known))), length(known), t))
  names <- if (fit$vector) names(place) else rownames(place)
  if (!fit$vector) place <- place[, 1L]
  m <- sum(known)
  pairs <- array(if (m > 0L) pairs else numeric(), c(m, m, t))[place, place, , drop = FALSE]
  if (fit$vector) return(matrix(pairs, length(place), dimnames = if (!is.null(names)) list(names, names)))
  dimnames(pairs) <- list(names, names, fit$outputs)
  pairs
}

# centre -+ t errors, with the degrees of freedom of each output; NaN where none are left.
around <- function(centre, errors, freedom, level) {
  t <- ifelse(freedom > 0, stats::qt((1 + level) / 2, pmax(freedom, .Machine$double.xmin)), NaN)
  half <- sweep(errors, 2L, t, "*")
  list(lower = centre - half, upper = centre + half)
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
  x <- with_columns(fit$x)
  fixed <- fit$fixed
  offset <- fit$offset
  if (!is.null(fit$aside)) {
    order <- order(c(place_of(fit, seq_len(nrow(x))), fit$aside$rows))
    x <- rbind(x, as_core_rows(fit, fit$aside$x))[order, , drop = FALSE]
    if (!is.null(fixed)) fixed <- rbind(fixed, fit$aside$fixed)[order, , drop = FALSE]
    offset <- c(offset, fit$aside$offset)[order]
  }
  list(x = x, fixed = fixed, offset = offset, known = rep(TRUE, nrow(x)), names = all_cases(fit), own = TRUE)
}
