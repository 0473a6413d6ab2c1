# Marginal effects: the derivatives of f(x) = sum_i c_i k(x_i, x) + b at given points, and their averages with
# standard errors.
#
# Every kernel's derivative is a sum of terms, each a matrix (points x rows of z) times a difference or a column:
#   radial  d k(x, z) / d x_k = S(x, z) (x_k - z_k) / s_k^2,   k = phi(||(x - z) / s||^2), S = 2 phi'
#   dot     d k(x, z) / d x_k = T(x, z) z_k / s_k^2,           k = psi(sum_k x_k z_k / s_k^2), T = psi'
# so that the sums over the rows of z are products of matrices. The average derivative, a mean over points with
# weights a, is delta_k' c, delta_k = sum_i a_i d k(x_i, X) / d x_ik; c = P Y with P of ?loo, so its variance is
# sigma^2 delta_k' P W^-1 P delta_k; P delta_k are the coefficients of a fit to the response delta_k.

marginal_effects <- function(object, ...) UseMethod("marginal_effects")

marginal_effects.freeridge <- function(object, newdata = NULL, lambda = NULL, se = TRUE, binary = TRUE, ...) {
  refuse_extra(...)
  if (is_sparse(object$x)) refuse_sparse("a marginal effect")
  se <- check_flag(se, "se")
  if (ncol(object$x) == 0L) refuse("the fit has no predictors, and no effects of them")
  factors <- if (!is_linear(object$kernel)) level_terms(object$x)
  two_values <- if (check_flag(binary, "binary")) binary_steps(object$x, factors)
  steps <- c(factor_steps(object$x, factors), two_values)
  shown <- setdiff(seq_len(ncol(object$x)), vapply(factors, function(part) part$columns[1L], 0L))
  x <- if (is.null(newdata)) object$x else new_matrix(object, newdata)
  m <- nrow(x)
  average <- if (is.null(newdata) && !is.null(object$weights)) object$weights / sum(object$weights) else rep(1 / m, m)
  model <- model_at(object, lambda, warn = TRUE)
  lambda <- core_lambda(model)
  freedom <- if (se) core_degrees_of_freedom(model)

  if (is_linear(object$kernel)) {
    slopes <- core_hyperplane(model)
    effects <- aperm(array(slopes, c(dim(slopes), m)), c(3L, 1L, 2L))
    if (se) errors <- coefficient_errors(object, "frequentist", lambda)
    if (se && object$intercept) errors <- errors[-1L, , drop = FALSE]
  } else {
    check_derivative(object$kernel, smooth = length(shown) > length(steps))
    centres <- if (is.null(object$landmarks)) seq_len(nrow(object$x)) else object$landmarks
    found <- sum_derivatives(scaled_by(object$kernel, object$scale), x, object$x[centres, , drop = FALSE],
                             core_coefficients(model)[centres, , drop = FALSE], average, steps)
    effects <- found$effects[, shown, , drop = FALSE]
    slopes <- apply(average * effects, c(2L, 3L), sum)
    dim(slopes) <- dim(effects)[2:3]
    if (se) errors <- average_errors(object, found$functional[, shown, drop = FALSE], lambda, freedom$sigma2)
  }
  if (se && anyNA(errors)) {
    warn_undefined("a standard error is undefined (NaN): no degrees of freedom are left for the errors, or lambda is 0 ",
                   "with landmarks")
  }

  names <- feature_names(object$x)[shown]
  reference <- vapply(factors, function(part) feature_names(object$x)[part$columns[1L]], "")
  cases <- if (is.null(newdata)) object$cases else rownames(x)
  columns <- c(list(estimate = slopes), if (se) list(se = errors))
  table <- by_output(factor(names, levels = names), columns, object$outputs, "column")
  structure(
    list(effects = effect_array(object, effects, names, cases, padded = is.null(newdata)), average = table,
         binary = names(two_values), reference = reference,
         df = if (se) named_by_output(object, nrow(object$x) - freedom$df)),
    class = "freeridge_effects"
  )
}

# m x d for a vector response, else m x d x t; rows that na.exclude dropped come back as NA.
effect_array <- function(fit, effects, names, cases, padded) {
  slices <- lapply(seq_len(dim(effects)[3L]), function(j) {
    slice <- matrix(effects[, , j], dim(effects)[1L], dimnames = list(cases, names))
    if (padded && !is.null(fit$aside)) {  # rows of weight zero have none
      whole <- matrix(NA_real_, row_count(fit), length(names), dimnames = list(fit$aside$cases, names))
      whole[-fit$aside$rows, ] <- slice
      slice <- whole
    }
    if (padded) stats::napredict(fit$na.action, slice) else slice
  })
  if (fit$vector) return(slices[[1L]])
  rows <- rownames(slices[[1L]])
  array(unlist(slices), c(dim(slices[[1L]]), length(slices)), list(rows, names, fit$outputs))
}

# Columns along which the effect is a difference, by name: list(column, columns, low, high, width). f with the values
# `high` in `columns`, less f with `low` there, over `width`.
# Columns with just two values:
binary_steps <- function(x, factors) {
  of_factors <- unlist(lapply(factors, `[[`, "columns"))
  steps <- lapply(seq_len(ncol(x)), function(k) {
    ends <- range(x[, k])
    if (k %in% of_factors || ends[1L] == ends[2L] || !all(x[, k] == ends[1L] | x[, k] == ends[2L])) return(NULL)
    list(column = k, columns = k, low = ends[1L], high = ends[2L], width = diff(ends))
  })
  names(steps) <- feature_names(x)
  steps[!vapply(steps, is.null, NA)]
}

# The levels of a factor, each less the first one:
factor_steps <- function(x, factors) {
  of_one <- function(part) {
    count <- length(part$columns)
    values <- level_value * diag(count)
    lapply(seq_len(count)[-1L], function(k) {
      list(column = part$columns[k], columns = part$columns, low = values[1L, ], high = values[k, ], width = 1)
    })
  }
  if (length(factors) == 0L) return(list())
  steps <- do.call(c, lapply(factors, of_one))
  names(steps) <- feature_names(x)[vapply(steps, `[[`, 0L, "column")]
  steps
}

scaled_by <- function(kernel, scale) {
  if (is.null(scale)) kernel else new_kernel("scaled", inner = kernel, scale = unname(scale))
}

# smooth: whether derivatives are needed, not only differences along columns with two values.
check_derivative <- function(kernel, smooth) {
  for (part in parts_of(kernel)) check_derivative(part, smooth)
  if (kernel$name == "function") refuse("the kernel is an R function, whose derivative is not known")
  if (kernel$name == "precomputed") refuse("the kernel is precomputed: there are no columns to differentiate along")
  if (smooth && (kernel$name == "laplacian" || (kernel$name == "matern" && kernel$nu == 0.5))) {
    refuse("the kernel ", format(kernel), " is not differentiable at the points of the fit; those that are: gaussian, ",
           "matern with nu = 1.5 or 2.5, polynomial, linear, and their sums and products")
  }
}

# Over tiles of points, so that no matrix of more than about 2e6 numbers is made.
# effects: m x d x t; functional: rows of z x d, the delta_k.
sum_derivatives <- function(kernel, x, z, c, average, steps) {
  m <- nrow(x)
  d <- ncol(x)
  t <- ncol(c)
  effects <- array(0, c(m, d, t))
  functional <- matrix(0, nrow(z), d)
  smooth <- setdiff(seq_len(d), unlist(lapply(steps, `[[`, "columns")))
  middle <- colMeans(z)
  from_middle <- z - rep(middle, each = nrow(z))
  tile <- max(1L, floor(2e6 / nrow(z)))
  for (first in seq(1L, m, by = tile)) {
    rows <- first:min(first + tile - 1L, m)
    points <- x[rows, , drop = FALSE]
    weights <- average[rows]
    terms <- if (length(smooth) > 0L) kernel_parts(kernel, points, z, derivative = TRUE)$terms
    for (term in terms) {
      divisor <- rep_len(term$divisor, d)^2
      centre <- if (term$radial) from_middle else z
      for (j in seq_len(t)) {
        part <- -(term$slope %*% (c[, j] * centre))
        if (term$radial) part <- part + (points - rep(middle, each = length(rows))) * drop(term$slope %*% c[, j])
        if (!term$radial) part <- -part
        effects[rows, smooth, j] <- effects[rows, smooth, j] + (part / rep(divisor, each = length(rows)))[, smooth]
      }
      mass <- drop(crossprod(term$slope, weights))
      part <- if (term$radial) {
        crossprod(term$slope, weights * (points - rep(middle, each = length(rows)))) - mass * from_middle
      } else {
        mass * z
      }
      functional[, smooth] <- functional[, smooth] + (part / rep(divisor, each = nrow(z)))[, smooth]
    }
    for (step in steps) {
      k <- step$column
      values <- lapply(step[c("low", "high")], function(value) {
        points[, step$columns] <- rep(value, each = length(rows))
        kernel_parts(kernel, points, z)$value
      })
      difference <- (values[[2L]] - values[[1L]]) / step$width
      effects[rows, k, ] <- difference %*% c
      functional[, k] <- functional[, k] + drop(crossprod(difference, weights))
    }
  }
  list(effects = effects, functional = functional)
}

# The values k(x, z) and, if asked for, the terms of the derivative: slope (S or T), radial, divisor (s).
kernel_parts <- function(kernel, x, z, derivative = FALSE) {
  with_slope <- function(value, slope, radial) {
    list(value = value, terms = if (derivative) list(list(slope = slope, radial = radial, divisor = 1)))
  }
  radial <- function(value, slope) with_slope(value, slope, TRUE)
  dot <- function(value, slope) with_slope(value, slope, FALSE)
  times <- function(terms, factor) lapply(terms, function(term) replace(term, "slope", list(term$slope * factor)))
  inner <- function(part) kernel_parts(part, x, z, derivative)

  switch(kernel$name,
    linear = dot(tcrossprod(x, z), matrix(1, nrow(x), nrow(z))),
    polynomial = {
      base <- kernel$scale * tcrossprod(x, z) + kernel$offset
      dot(base^kernel$degree, kernel$degree * kernel$scale * base^(kernel$degree - 1))
    },
    gaussian = {
      value <- exp(-squared_distances(x, z) / kernel$sigma^2)
      radial(value, -2 / kernel$sigma^2 * value)
    },
    laplacian = list(value = exp(-sqrt(squared_distances(x, z)) / kernel$sigma)),
    matern = {
      u <- sqrt(2 * kernel$nu * squared_distances(x, z)) / kernel$length
      decay <- exp(-u)
      switch(as.character(kernel$nu),
        "0.5" = list(value = decay),
        "1.5" = radial((1 + u) * decay, -3 / kernel$length^2 * decay),
        "2.5" = radial((1 + u + u^2 / 3) * decay, -5 / (3 * kernel$length^2) * (1 + u) * decay)
      )
    },
    sum = {
      parts <- lapply(kernel$terms, inner)
      list(value = Reduce(`+`, Map(function(part, weight) weight * part$value, parts, kernel$weights)),
           terms = do.call(c, Map(function(part, weight) times(part$terms, weight), parts, kernel$weights)))
    },
    product = Reduce(function(a, b) {
      list(value = a$value * b$value, terms = c(times(a$terms, b$value), times(b$terms, a$value)))
    }, lapply(kernel$factors, inner)),
    scaled = {
      s <- kernel$scale
      found <- kernel_parts(kernel$inner, x / rep(s, each = nrow(x)), z / rep(s, each = nrow(z)), derivative)
      found$terms <- lapply(found$terms, function(term) replace(term, "divisor", list(term$divisor * s)))
      found
    }
  )
}

# From differences, column by column: ||x||^2 + ||z||^2 - 2 x'z loses the digits of close points that are far from 0.
squared_distances <- function(x, z) {
  total <- matrix(0, nrow(x), nrow(z))
  for (k in seq_len(ncol(x))) total <- total + (x[, k] - rep(z[, k], each = nrow(x)))^2
  total
}

# Standard errors of the averages, d x t. The fit to delta has the setting of the fit itself; where the solution is
# restricted to landmarks R, delta is first carried from them to all points: K_TR (K_RR)^-1 delta_R.
average_errors <- function(fit, functional, lambda, sigma2) {
  weights <- if (is.null(fit$weights)) 1 else fit$weights
  other <- unclass(fit)
  other$y <- functional
  if (!is.null(fit$landmarks)) {
    basis <- new_model(list(kernel = fit$kernel, scale = fit$scale, x = fit$x[fit$landmarks, , drop = FALSE],
                            y = functional, intercept = has_penalised(fit), penalised = has_penalised(fit),
                            route = "spectral", reduction = "auto", refine = 0),
                       landmarks = NULL)
    core_factorize(basis)
    core_set_lambda(basis, 0)
    other$y <- core_predict(basis, fit$x)
  }
  other$groups <- NULL
  other$offset <- NULL
  other$route <- fit$requested_route
  other$lambda <- unique(lambda)
  model <- new_model(other)
  expect(model, other$lambda, "gcv")
  core_factorize(model)
  variances <- lapply(other$lambda, function(one) {
    other$lambda <- one
    set_given_lambda(model, other)
    projected <- if (is.null(fit$landmarks)) {
      core_coefficients(model)
    } else {
      weights * (other$y - core_fitted(model)) / if (one == 0) NaN else one
    }
    colSums(projected^2 / weights)
  })
  variances <- matrix(unlist(variances), ncol(functional))[, match(lambda, other$lambda), drop = FALSE]
  sqrt(variances * rep(sigma2, each = nrow(variances)))
}

print.freeridge_effects <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  tables <- if (is.null(x$average$output)) list(x$average) else split(x$average, x$average$output)
  for (j in seq_along(tables)) {
    table <- tables[[j]]
    of <- if (length(tables) > 1L) paste(" of output", names(tables)[j])
    cat("\nAverage marginal effects", of, ":\n", sep = "")
    columns <- cbind(Estimate = table$estimate)
    if (!is.null(table$se)) {
      t <- table$estimate / table$se
      p <- 2 * stats::pt(abs(t), pmax(x$df[[j]], 0), lower.tail = FALSE)
      columns <- cbind(columns, "Std. Error" = table$se, "t value" = t, "Pr(>|t|)" = p)
    }
    rownames(columns) <- as.character(table$column)
    if (is.null(table$se)) print(columns, digits = digits) else stats::printCoefmat(columns, digits = digits, ...)
    effects <- if (length(dim(x$effects)) == 3L) matrix(x$effects[, , j], nrow(x$effects)) else x$effects
    quartiles <- t(apply(effects, 2L, stats::quantile, c(0.25, 0.5, 0.75), na.rm = TRUE))
    if (all(quartiles[, 1L] == quartiles[, 3L])) next  # linear: the same everywhere
    rownames(quartiles) <- as.character(table$column)
    cat("\nQuartiles over the points", of, ":\n", sep = "")
    print(quartiles, digits = digits)
  }
  if (length(x$binary) > 0L) {
    cat("\nDifferences between two values instead of derivatives: ", paste(x$binary, collapse = ", "), "\n", sep = "")
  }
  if (length(x$reference) > 0L) {
    cat("\nLevels of a factor: differences to its first level, ", paste(x$reference, collapse = ", "), "\n", sep = "")
  }
  invisible(x)
}
