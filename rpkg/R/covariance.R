# Covariances of the coefficients of a linear fit, in the original units of x. With a the metric of the kernel,
# k(x, z) = sum_j a_j x_j z_j, the slopes minimise sum_i W_ii (Y_i - w'x_i - b)^2 + lambda sum_j w_j^2 / a_j. On the
# columns X~ = W^(1/2) (X - 1 m') diag(a)^(1/2) = U S V', with m the weighted means (0 without an intercept),
# v = diag(a)^(-1/2) w has
#   frequentist: Cov(v) = sigma^2 V S^2 (S^2 + lambda)^-2 V'
#   bayesian:    Cov(v) = sigma^2 (V (S^2 + lambda)^-1 V' + (I - V V') / lambda)
# b = mean(Y) - m'w, and the mean is not correlated with w: Var(b) = sigma^2 / sum(W) + m' Cov(w) m. A penalised b is the
# slope of a column of ones, in a fit without an intercept (with_ones()).

# complete: only for other packages, which hand it on; lm() has NA coefficients, here there are none.
vcov.freeridge <- function(object, type = "bayesian", lambda = NULL, complete = TRUE, ...) {
  refuse_extra(...)
  check_flag(complete, "complete")
  parts <- covariance_parts(object, type, lambda)
  v <- parts$v
  t <- ncol(parts$g)
  d <- length(parts$centre)
  free <- object$intercept && !has_penalised(object)
  order <- ones_first(object, d)
  shift <- if (free) rbind(matrix(-parts$centre, 1L, d), diag(d), deparse.level = 0L)
  block <- function(j, k) {
    inner <- tcrossprod(v * rep(parts$g[, j] * parts$g[, k], each = nrow(v)), v)
    if (parts$free) inner <- inner + (parts$space() - tcrossprod(v)) / sqrt(parts$lambda[j] * parts$lambda[k])
    inner <- inner * tcrossprod(sqrt(parts$metric))
    if (!free) inner <- inner[order, order, drop = FALSE]
    if (free) {
      inner <- shift %*% tcrossprod(inner, shift)
      inner[1L, 1L] <- inner[1L, 1L] + 1 / parts$mass
    }
    parts$sigma2[j, k] * inner
  }
  value <- do.call(rbind, lapply(seq_len(t), function(j) do.call(cbind, lapply(seq_len(t), function(k) block(j, k)))))
  labels <- stacked_names(object)
  dimnames(value) <- list(labels, labels)
  (value + t(value)) / 2
}

# The square roots of the diagonal, (intercept and) slopes x outputs, without the matrix.
coefficient_errors <- function(fit, type, lambda = NULL) {
  free <- fit$intercept && !has_penalised(fit)
  parts <- covariance_parts(fit, type, lambda)
  squares <- parts$v^2
  along <- drop(crossprod(parts$v, sqrt(parts$metric) * parts$centre))^2
  outside <- parts$space_diagonal - rowSums(squares)
  centre_outside <- parts$space_form(sqrt(parts$metric) * parts$centre) - sum(along)
  variances <- vapply(seq_len(ncol(parts$g)), function(j) {
    g2 <- parts$g[, j]^2
    slopes <- drop(squares %*% g2)
    intercept <- 1 / parts$mass + sum(along * g2)
    if (parts$free) {
      slopes <- slopes + pmax(outside, 0) / parts$lambda[j]
      intercept <- intercept + max(centre_outside, 0) / parts$lambda[j]
    }
    slopes <- (parts$metric * slopes)[ones_first(fit, length(slopes))]
    parts$sigma2[j, j] * c(if (free) intercept, slopes)
  }, numeric(length(parts$metric) + free))
  sqrt(matrix(variances, ncol = ncol(parts$g)))
}

# Var(x'w + b) / sigma^2 for the rows of x, points x outputs, where no direction is without data.
linear_shares <- function(fit, x, lambda) {
  parts <- covariance_parts(fit, "bayesian", lambda)
  x <- x[, seq_len(ncol(fit$x)), drop = FALSE]  # without the column of zeros that with_columns() added
  if (has_penalised(fit)) x <- cbind(x, 1)
  centred <- (x - rep(parts$centre, each = nrow(x))) * rep(sqrt(parts$metric), each = nrow(x))
  (centred %*% parts$v)^2 %*% parts$g^2 + if (fit$intercept && !has_penalised(fit)) 1 / parts$mass else 0
}

covariance_types <- c("bayesian", "frequentist")

# The parts of vcov() and coefficient_errors(): v, the directions; g (directions x outputs), such that g_kj g_kl is the
# eigenvalue of direction k in the covariance of outputs j and l over sigma^2; free: whether directions without data
# have a variance, the prior's (bayesian, fewer points than columns); space: with landmarks the projection on the
# directions that the fit can have.
covariance_parts <- function(fit, type, lambda) {
  check_choice(type, "type", covariance_types)
  if (is_sparse(fit$x)) refuse_sparse("a covariance of the coefficients")
  if (!is_linear(fit$kernel)) {
    refuse("the kernel is ", format(fit$kernel), ", which has no slopes: coefficients have covariances for linear ",
           "kernels only; marginal_effects() has average slopes with standard errors")
  }
  model <- model_at(fit, lambda)
  lambda <- core_lambda(model)
  metric <- linear_metric(fit$kernel, ncol(fit$x)) / (if (is.null(fit$scale)) 1 else fit$scale^2)
  if (has_penalised(fit)) metric <- c(metric, 1)
  fit <- with_ones(fit)
  d <- ncol(fit$x)
  weights <- if (is.null(fit$weights)) rep(1, nrow(fit$x)) else fit$weights
  centre <- if (fit$intercept) colSums(weights * fit$x) / sum(weights) else rep(0, d)

  if (all(lambda == 0) && is.null(fit$landmarks)) {  # any metric will do: this one loses fewest digits
    lengths <- colSums(weights * (fit$x - rep(centre, each = nrow(fit$x)))^2)
    metric <- 1 / ifelse(lengths > 0, lengths, 1)
  }
  space <- landmark_space(fit, metric)
  found <- if (d > 0L) {
    svd(triangle_of(fit, sqrt(weights), centre, sqrt(metric), space), nu = 0L)
  } else {
    list(d = numeric(), v = matrix(0, 0L, 0L))  # there is only an intercept
  }
  s <- found$d
  v <- if (is.null(space)) found$v else space %*% found$v
  dimension <- if (is.null(space)) d else ncol(space)

  rank <- sum(s > max(nrow(fit$x), d) * .Machine$double.eps * max(s, 0))
  g <- vapply(lambda, function(one) {
    g <- if (type == "bayesian") 1 / sqrt(s^2 + one) else s / (s^2 + one)
    if (one == 0 && rank < dimension) rep(NaN, length(s)) else g
  }, numeric(length(s)))
  g <- matrix(g, ncol = length(lambda))
  if (anyNA(g)) {
    warn_undefined("the covariances are undefined (NaN): lambda is 0, and the ", counted(d, "column"), " of x, of ",
                   "rank ", rank, ", do not determine the coefficients")
  }
  residuals <- sqrt(weights) * (fit$y - core_fitted(model))
  freedom <- nrow(fit$x) - core_degrees_of_freedom(model)$df
  if (any(freedom <= 0)) {
    warn_undefined("the covariances are undefined (NaN): no degrees of freedom are left for the errors")
  }
  freedom[freedom <= 0] <- NaN
  list(v = v, g = g, free = type == "bayesian" && length(s) < dimension, lambda = lambda, metric = metric,
       centre = centre, mass = sum(weights), sigma2 = crossprod(residuals) / sqrt(tcrossprod(freedom)),
       space = function() if (is.null(space)) diag(d) else tcrossprod(space),
       space_diagonal = if (is.null(space)) rep(1, d) else rowSums(space^2),
       space_form = function(z) if (is.null(space)) sum(z^2) else sum(crossprod(space, z)^2))
}

# With landmarks the slopes are combinations of their rows: an orthonormal basis of these, d x rank. NULL: no
# restriction.
landmark_space <- function(fit, metric) {
  if (is.null(fit$landmarks)) return(NULL)
  found <- svd(t(fit$x[fit$landmarks, , drop = FALSE]) * sqrt(metric), nv = 0L)
  found$u[, found$d > fit$tolerance * found$d[1L], drop = FALSE]
}

# R with R'R = X~'X~, from blocks of rows, so that no second n x d matrix is made; X~ itself for a few rows.
triangle_of <- function(fit, roots, centre, factors, space) {
  n <- nrow(fit$x)
  rows <- max(1000L, ncol(fit$x))
  triangle <- NULL
  for (first in seq(1L, n, by = rows)) {
    part <- first:min(first + rows - 1L, n)
    centred <- fit$x[part, , drop = FALSE] - rep(centre, each = length(part))
    block <- roots[part] * centred * rep(factors, each = length(part))
    if (!is.null(space)) block <- block %*% space
    triangle <- rbind(triangle, block)
    if (nrow(triangle) > ncol(triangle)) {
      factored <- qr(triangle, LAPACK = TRUE)
      triangle <- qr.R(factored)[, order(factored$pivot), drop = FALSE]
    }
  }
  triangle
}

# The coefficients below one another, output by output, and their names as those of lm with several responses.
stacked_names <- function(fit) {
  names <- c(if (fit$intercept) "(Intercept)", feature_names(fit$x))
  if (ncol(fit$y) == 1L) names else paste(rep(fit$outputs, each = length(names)), names, sep = ":")
}

confint.freeridge <- function(object, parm = NULL, level = 0.95, type = "bayesian", lambda = NULL, ...) {
  refuse_extra(...)
  level <- check_fraction(level, "level")
  errors <- coefficient_errors(object, type, lambda)
  estimates <- as.vector(coef(object, lambda))
  freedom <- rep(df.residual(object, lambda), each = nrow(errors))
  tails <- c((1 - level) / 2, (1 + level) / 2)
  value <- estimates + outer(as.vector(errors), tails, function(error, tail) error * stats::qt(tail, freedom))
  dimnames(value) <- list(stacked_names(object), paste(format(100 * tails, trim = TRUE, digits = 3L), "%"))
  if (is.null(parm)) return(value)
  if (!is.character(parm) && !is.numeric(parm)) {
    refuse("parm must be names or numbers of coefficients, not ", shown(parm))
  }
  known <- if (is.character(parm)) parm %in% rownames(value) else parm %in% seq_len(nrow(value))
  if (!all(known)) refuse("parm: ", shown(parm[!known][1L]), " is not the name or number of a coefficient")
  value[parm, , drop = FALSE]
}
