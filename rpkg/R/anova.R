# Score tests of variables. With K the kernel matrix and K_0 that of a kernel that does not see the variable (its
# columns constant), the outputs have under the model
#     Y ~ N(U beta, s^2 (K_0 / lambda + W^-1 + delta (K - K_0))),     H_0: delta = 0
# and at the lambda that REML chooses for K_0, P that of K_0,
#     q = y'P D P y / y'P y,   D = K - K_0;     p = Pr(sum_k (mu_k - q) z_k^2 > 0)
# with standard normal z_k and the eigenvalues mu_k of P^(1/2) D P^(1/2): exact where lambda and K_0 are known. A length
# that was learnt for the variable itself is replaced by the standard deviation of its column, as a length learnt from
# the same outputs would favour chance, and a long one hides what is there. The probability is a saddlepoint approximation with relative errors of up to about 4e-2.
# Sources: X. Lin, Variance component testing in generalised linear models with random effects, Biometrika 84 (1997);
# D. Liu, X. Lin, D. Ghosh, Biometrics 63 (2007); D. Kuonen, Saddlepoint approximations for distributions of quadratic
# forms in normal variables, Biometrika 86 (1999).

anova.freeridge <- function(object, ...) {
  if (...length() > 0L && is.null(...names()) && all(vapply(list(...), is.list, NA))) return(compared_fits(list(object, ...)))
  refuse_extra(...)
  if (given_count(object$kernel) > 0L) refuse("the kernel is precomputed: there are no variables to test")
  if (!is.null(object$classes)) refuse("the tests are of normal errors, and the fit is to classes")
  if (!is.null(object$robust)) refuse("the tests are of normal errors, and the fit is robust")
  if (object$missing_values) refuse("the tests need each output in all rows, and y has missing values")
  if (is_estimated(object)) {
    refuse("the tests need matrices of all pairs of rows, which the route \"iterative\" does not make")
  }
  variables <- variables_of_fit(object)
  variables <- variables[vapply(variables, function(variable) length(variable$columns) > 0L, NA)]
  if (length(variables) == 0L) refuse("the fit has no penalised predictors")
  y <- if (is.null(object$offset)) object$y else object$y - object$offset
  tables <- lapply(seq_len(ncol(y)), function(j) {
    found <- vapply(variables, function(variable) score_test(object, variable, y[, j]), c(0, 0, 0))
    data.frame(lambda = found[1L, ], Q = found[2L, ], "Pr(>Q)" = found[3L, ], check.names = FALSE,
               row.names = paste0(if (ncol(y) > 1L) paste0(object$outputs[j], ":"), names(variables)))
  })
  structure(do.call(rbind, tables), class = c("anova", "data.frame"),
            heading = c("Score tests of variables, each against the fit whose kernel does not see it\n",
                        paste0("Kernel: ", shown_kernel(object, 3L), "\n")))
}

# c(lambda, q, p) of one output.
score_test <- function(fit, variable, y) {
  whole <- kernel_of_rows(fit, tested_kernel(fit, variable), points_of(fit))
  points <- points_of(fit)
  points[, variable$columns] <- 0
  null <- kernel_of_rows(fit, fit$kernel, points)
  model <- core_create(unclass(precomputed_kernel()), NULL, null, matrix(y), FALSE, fit$fixed)
  core_set_intercept(model, intercept_code(fit))
  if (!is.null(fit$weights)) core_set_weights(model, fit$weights)
  core_set_route(model, "spectral")
  core_factorize(model)
  # Without any other variable lambda is of no consequence, and REML has no value.
  lambda <- tryCatch(core_select_lambda(model, "reml", 0, 0)$lambda, freeridge_undefined = function(condition) 1)
  core_set_lambda(model, lambda)
  p <- core_hat_matrix(model, lambda, TRUE)
  difference <- whole - kernel_of_rows(fit, tested_kernel(fit, variable), points)
  c0 <- as.vector(p %*% y)
  q <- sum(c0 * (difference %*% c0)) / sum(y * c0)
  apart <- eigen(p, symmetric = TRUE)
  kept <- apart$values > 1e-10 * apart$values[1L]
  root <- apart$vectors[, kept, drop = FALSE] * rep(sqrt(apart$values[kept]), each = nrow(p))
  mu <- eigen(crossprod(root, difference %*% root), symmetric = TRUE, only.values = TRUE)$values
  c(lambda, q, upper_tail(mu - q))
}

# The kernel's values at all pairs of rows.
kernel_of_rows <- function(fit, kernel, points) {
  points <- divided(if (is_sparse(points)) as.matrix(points) else points, fit$scale)
  if (kernel$name == "function") return(kernel_values(kernel, points, points))
  core_kernel_evaluate(unclass(kernel), points, points)
}

# The fit's kernel with lengths for the variable that were not learnt: a standard deviation of its column.
tested_kernel <- function(fit, variable) {
  if (is.null(fit$learning) || fit$lengths != "each") return(fit$kernel)
  spread <- if (is.null(fit$scale)) column_spread(fit)[variable$columns] else 1
  with_length <- function(kernel) {
    if (kernel$name == "scaled") {
      kernel$scale[variable$columns] <- spread
      return(kernel)
    }
    for (field in intersect(c("terms", "factors"), names(kernel))) {
      kernel[[field]] <- lapply(kernel[[field]], with_length)
    }
    kernel
  }
  with_length(fit$kernel)
}

# Pr(sum_k a_k z_k^2 > 0) by the saddlepoint t of K(t) = -1/2 sum_k log(1 - 2 t a_k), K'(t) = 0.
upper_tail <- function(a) {
  a <- a / max(abs(a))
  if (!all(is.finite(a))) return(NaN)
  if (min(a) >= 0) return(1)
  if (max(a) <= 0) return(0)
  slope <- function(t) sum(a / (1 - 2 * t * a))
  ends <- c(1 / (2 * min(a)), 1 / (2 * max(a)))
  t <- stats::uniroot(slope, ends * (1 - 1e-12), tol = 1e-13 * diff(ends))$root
  second <- 2 * sum((a / (1 - 2 * t * a))^2)
  if (abs(t) * sqrt(second) < 1e-4) return(0.5 - 8 * sum(a^3) / (6 * sqrt(2 * pi) * (2 * sum(a^2))^1.5))  # at the mean
  w <- sign(t) * sqrt(sum(log(1 - 2 * t * a)))
  v <- t * sqrt(second)
  stats::pnorm(w + log(v / w) / w, lower.tail = FALSE)
}

# Several fits of the same rows, as anova() of package stats has linear models: each beside the one before it, with the
# effective degrees of freedom. For fits without a penalty the test is exact, else a guide, and the left-out errors say
# more.
compared_fits <- function(fits) {
  for (fit in fits) {
    if (!inherits(fit, "freeridge")) refuse("anova() compares fits of freeridge() with one another, not with ", shown(fit))
    if (!is.null(fit$classes)) refuse("the tests are of normal errors, and one fit is to classes")
    if (!is.null(fit$robust)) refuse("the tests are of normal errors, and one fit is robust")
    if (ncol(fit$y) > 1L) refuse("anova() compares fits of one response, and one has ", ncol(fit$y))
    same <- isTRUE(all.equal(as.vector(fit$y), as.vector(fits[[1L]]$y))) && identical(given_weights(fit), given_weights(fits[[1L]]))
    if (!same) refuse("the fits have not the same rows, responses and weights")
  }
  left <- vapply(fits, function(fit) unname(df.residual(fit)), 0)
  squares <- vapply(fits, function(fit) unname(deviance(fit)), 0)
  loo <- vapply(fits, function(fit) glance.freeridge(fit)$loo.rmse, 0)
  largest <- which.min(left)
  df <- c(NA, -diff(left))
  change <- c(NA, -diff(squares))
  f <- change / df / (squares[largest] / left[largest])
  table <- data.frame(Res.Df = left, RSS = squares, "Left-out RMSE" = loo, Df = df, "Sum of Sq" = change, F = f,
                      "Pr(>F)" = stats::pf(f, abs(df), left[largest], lower.tail = FALSE), check.names = FALSE)
  described <- vapply(fits, function(fit) {
    paste0(if (made_by_formula(fit)) shown_formula(formula(fit)), if (made_by_formula(fit)) ", ", shown_kernel(fit, 3L))
  }, "")
  structure(table, class = c("anova", "data.frame"),
            heading = c("Effective degrees of freedom, and errors of fitted and of left-out rows\n",
                        paste0("Model ", format(seq_along(fits)), ": ", described, collapse = "\n")))
}
