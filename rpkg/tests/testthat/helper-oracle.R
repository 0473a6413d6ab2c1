# The problem solved the plain way, without any of the identities that the core uses: the optimality conditions
#   [ K + lambda W^-1  1 ] [c]   [Y]
#   [ 1'               0 ] [b] = [0]
# as one linear system, and leaving out means deleting the rows and solving again.

oracle_kernel <- function(kernel, x, z) {
  inner <- tcrossprod(x, z)
  switch(kernel$name,
    linear = inner,
    polynomial = (kernel$scale * inner + kernel$offset)^kernel$degree,
    laplacian = exp(-distances(x, z) / kernel$sigma),
    matern = matern_value(kernel$nu, sqrt(2 * kernel$nu) * distances(x, z) / kernel$length),
    sum = Reduce(`+`, Map(function(term, weight) weight * oracle_kernel(term, x, z), kernel$terms, kernel$weights)),
    product = Reduce(`*`, lapply(kernel$factors, oracle_kernel, x, z)),
    scaled = oracle_kernel(kernel$inner, sweep(x, 2L, kernel$scale, "/"), sweep(z, 2L, kernel$scale, "/")),
    additive = {
      label <- if (is.null(kernel$label)) seq_len(ncol(x)) else kernel$label
      terms <- lapply(unique(label[label >= 0]), function(one) which(label == one))
      Reduce(`+`, lapply(terms, function(columns) {
        oracle_kernel(kernel$inner, x[, columns, drop = FALSE], z[, columns, drop = FALSE])
      })) / length(terms)
    },
    gaussian = exp(-(outer(rowSums(x^2), rowSums(z^2), "+") - 2 * inner) / kernel$sigma^2)
  )
}

distances <- function(x, z) {
  squares <- lapply(seq_len(ncol(x)), function(k) outer(x[, k], z[, k], "-")^2)
  sqrt(Reduce(`+`, squares))
}

matern_value <- function(nu, u) {
  exp(-u) * switch(as.character(nu), "0.5" = 1, "1.5" = 1 + u, "2.5" = 1 + u + u^2 / 3)
}

oracle_fit <- function(x, y, kernel, lambda, weights = NULL, intercept = TRUE) {
  y <- as.matrix(y)
  n <- nrow(x)
  if (is.null(weights)) weights <- rep(1, n)
  system <- oracle_kernel(kernel, x, x) + diag(lambda / weights, n)
  right <- y
  if (intercept) {
    system <- rbind(cbind(system, 1), c(rep(1, n), 0))
    right <- rbind(y, 0)
  }
  solution <- solve(system, right, tol = 0)
  list(x = x, kernel = kernel, c = solution[seq_len(n), , drop = FALSE],
       b = if (intercept) solution[n + 1L, ] else rep(0, ncol(y)))
}

oracle_predict <- function(fit, x) {
  sweep(oracle_kernel(fit$kernel, x, fit$x) %*% fit$c, 2L, fit$b, "+")
}

# Errors at the rows of each group (NA: never left out) of the fit without that group.
oracle_group_errors <- function(x, y, kernel, lambda, group, weights = NULL, intercept = TRUE) {
  y <- as.matrix(y)
  errors <- matrix(NaN, nrow(y), ncol(y))
  for (label in unique(group[!is.na(group)])) {
    out <- which(group == label)
    fit <- oracle_fit(x[-out, , drop = FALSE], y[-out, , drop = FALSE], kernel, lambda, weights[-out], intercept)
    errors[out, ] <- y[out, , drop = FALSE] - oracle_predict(fit, x[out, , drop = FALSE])
  }
  errors
}

oracle_loo <- function(x, y, kernel, lambda, weights = NULL, intercept = TRUE) {
  oracle_group_errors(x, y, kernel, lambda, seq_len(nrow(x)), weights, intercept)
}

# The hat matrix column by column: the fitted values of unit responses.
oracle_hat <- function(x, kernel, lambda, weights = NULL, intercept = TRUE) {
  oracle_predict(oracle_fit(x, diag(nrow(x)), kernel, lambda, weights, intercept), x)
}

# The criteria by their definitions in freeridge.h, for one output.
oracle_score <- function(criterion, x, y, kernel, lambda, weights = NULL, intercept = TRUE, group = NULL) {
  n <- nrow(x)
  w <- if (is.null(weights)) rep(1, n) else weights
  switch(criterion,
    loo = sum(w * oracle_loo(x, y, kernel, lambda, weights, intercept)^2) / sum(w),
    groups = {
      left <- !is.na(group)
      errors <- oracle_group_errors(x, y, kernel, lambda, group, weights, intercept)
      sum((w * errors^2)[left]) / sum(w[left])
    },
    gcv = {
      hat <- oracle_hat(x, kernel, lambda, weights, intercept)
      n * sum(w * (y - hat %*% y)^2) / (n - sum(diag(hat)))^2
    },
    reml = {
      covariance <- oracle_kernel(kernel, x, x) + diag(lambda / w, n)
      inverse <- solve(covariance, tol = 0)
      ones <- rep(1, n)
      projection <- inverse
      m <- n
      log_ones <- 0
      if (intercept) {
        information <- sum(inverse)
        projection <- inverse - inverse %*% ones %*% t(ones) %*% inverse / information
        m <- n - 1
        log_ones <- log(information)
      }
      variance <- sum(y * (projection %*% y)) / m
      log_det <- as.numeric(determinant(covariance)$modulus)
      0.5 * (m * log(2 * pi * variance) + m + log_det + log_ones)
    }
  )
}

# Largest difference relative to the largest number expected; NaN must stand at the same places.
expect_close <- function(actual, expected, tolerance = 1e-9) {
  label <- rlang::expr_label(substitute(actual))
  actual <- as.vector(unclass(actual))
  expected <- as.vector(unclass(expected))
  testthat::expect(
    length(actual) == length(expected) && identical(is.na(actual), is.na(expected)),
    paste(label, "has another length, or NaN at other places")
  )
  difference <- max(abs(actual - expected), 0, na.rm = TRUE) / max(abs(expected), .Machine$double.xmin, na.rm = TRUE)
  testthat::expect(
    difference <= tolerance,
    sprintf("%s differs by %.2e relative, more than %.0e", label, difference, tolerance)
  )
  invisible(actual)
}

# The bandwidth that the fit has to have: of all tried that score within 0.3 % of the best, the nearest to the median
# distance of the rows (at most 256), of columns divided by `scale`.
chosen_bandwidth <- function(fit, scale = fit$scale) {
  distances <- sort(as.vector(stats::dist(if (is.null(scale)) fit$x else sweep(fit$x, 2L, scale, "/"))))
  distances <- distances[distances > 0]
  typical <- distances[length(distances) %/% 2L + 1L]
  tried <- fit$bandwidth_search[fit$bandwidth_search$score <= 1.003 * min(fit$bandwidth_search$score), ]
  tried$sigma[which.min(abs(log(tried$sigma / typical)))]
}

# A small regression problem; the same numbers for the same arguments.
problem <- function(n = 20L, d = 3L, t = 1L, seed = 1L) {
  set.seed(seed)
  x <- matrix(stats::rnorm(n * d), n, d)
  signal <- sin(x[, 1L]) + 0.5 * x[, min(d, 2L)]
  y <- 3 + outer(signal, seq_len(t)) + 0.3 * matrix(stats::rnorm(n * t), n, t)
  list(x = x, y = if (t == 1L) y[, 1L] else y, weights = stats::runif(n, 0.5, 2),
       new = matrix(stats::rnorm(7L * d), 7L, d))
}

kernels <- function() {
  list(linear_kernel(), polynomial_kernel(degree = 2, scale = 0.5, offset = 1), gaussian_kernel(sigma = 2),
       laplacian_kernel(sigma = 3), matern_kernel(2.5, length = 3),
       linear_kernel() + 0.5 * (matern_kernel(1.5, 2) * polynomial_kernel(1) + gaussian_kernel(1)))
}

expect_refusal <- function(expression, words, class = "freeridge_error") {
  condition <- testthat::expect_error(expression, words, class = class)
  testthat::expect_null(conditionCall(condition))
  invisible(condition)
}

# A fit whose choice by GCV or REML leave-one-out errors may contradict, which is of no matter here.
unjudged <- function(expression) {
  withCallingHandlers(expression, freeridge_disagreement = function(condition) tryInvokeRestart("muffleWarning"))
}

# A function of the package that finds these instead of what the package or R has by these names.
with_replaced <- function(f, ...) {
  environment(f) <- list2env(list(...), parent = asNamespace("freeridge"))
  f
}

# What an R session of its own prints that runs these lines; further arguments are its arguments.
run_script <- function(lines, ...) {
  script <- tempfile(fileext = ".R")
  writeLines(c(sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")), "library(freeridge, warn.conflicts = FALSE)", lines),
             script)
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script), ...), stdout = TRUE, stderr = TRUE)
}

# Environment variables as they are in `values`, NA: not set.
restore_variables <- function(values) {
  Sys.unsetenv(names(values)[is.na(values)])
  if (!all(is.na(values))) do.call(Sys.setenv, as.list(values[!is.na(values)]))
}

# Lines as they are before they are wrapped to a screen (test-methods.R has those that are).
expect_output <- function(object, regexp = NULL, ..., width = 1000L) testthat::expect_output(object, regexp, ..., width = width)

# Factors beside a number, with an interaction.
factor_data <- function(n = 30L) {
  set.seed(2)
  frame <- data.frame(a = stats::rnorm(n), f = sample(c("u", "v", "w", "x"), n, TRUE, c(0.5, 0.2, 0.2, 0.1)),
                      g = rep_len(c("p", "q"), n), t = rep_len(c(TRUE, FALSE, FALSE), n))
  frame$y <- frame$a + c(u = 0, v = 2, w = -1, x = 5)[frame$f] + (frame$g == "p") * frame$a + stats::rnorm(n, sd = 0.3)
  frame
}
