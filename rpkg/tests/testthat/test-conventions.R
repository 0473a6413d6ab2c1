# lambda in the conventions of systems that can be installed: their own fit at the converted lambda is ours.

ridge_data <- function() {
  set.seed(7)
  x <- matrix(rnorm(60 * 4), 60) %*% diag(c(1, 5, 0.2, 30)) + rep(c(0, 10, -3, 100), each = 60)
  list(x = x, y = drop(x %*% c(1, -0.3, 4, 0.02)) + rnorm(60))
}

# Standard deviations with 1/n, as glmnet and lm.ridge have them.
deviation <- function(v) sqrt(mean((v - mean(v))^2))

# Coefficients for the columns of x of a fit on the standardised ones.
on_original_scale <- function(fit, x) {
  slopes <- coef(fit)[-1L] / apply(x, 2L, deviation)
  unname(c(coef(fit)[1L] - sum(slopes * colMeans(x)), slopes))
}

test_that("lambda_as(fit, \"glmnet\") is the lambda that gives glmnet's coefficients", {
  skip_if_not_installed("glmnet")
  p <- ridge_data()
  standard <- scale(p$x, scale = apply(p$x, 2L, deviation))
  for (lambda in c(0.5, 20, 300)) {
    fit <- freeridge(standard, p$y, linear_kernel(), lambda = lambda)
    theirs <- glmnet::glmnet(p$x, p$y, alpha = 0, lambda = lambda_as(fit, "glmnet"),
                             thresh = 1e-20, maxit = 1e6)
    expect_equal(unname(as.matrix(coef(theirs))[, 1L]), on_original_scale(fit, p$x), tolerance = 1e-6)
  }
})

test_that("lambda_as(fit, \"lm.ridge\") is the lambda that gives lm.ridge's coefficients", {
  skip_if_not_installed("MASS")
  p <- ridge_data()
  standard <- scale(p$x, scale = apply(p$x, 2L, deviation))
  for (lambda in c(0.5, 20, 300)) {
    fit <- freeridge(standard, p$y, linear_kernel(), lambda = lambda)
    theirs <- MASS::lm.ridge(p$y ~ p$x, lambda = lambda_as(fit, "lm.ridge"))
    expect_equal(unname(coef(theirs)), on_original_scale(fit, p$x), tolerance = 1e-10)
  }
})

test_that("for a fit with scale = TRUE lambda_as gives what makes their coefficients those of the fit", {
  p <- ridge_data()
  fit <- freeridge(p$x, p$y, linear_kernel(), 20, scale = TRUE)
  expect_equal(lambda_as(fit, "lm.ridge"), 20 * 60 / 59, tolerance = 1e-14)
  expect_equal(lambda_as(freeridge(p$x, p$y, linear_kernel(), 20, scale = apply(p$x, 2L, deviation)), "lm.ridge"), 20,
               tolerance = 1e-14)
  constant <- freeridge(cbind(p$x, 7), p$y, linear_kernel(), 20, scale = TRUE)
  expect_equal(lambda_as(constant, "lm.ridge"), 20 * 60 / 59, tolerance = 1e-14)
  expect_identical(lambda_as(fit, "KRLS"), 20)
  expect_identical(lambda_as(fit, "sklearn"), 20)

  skip_if_not_installed("MASS")
  theirs <- MASS::lm.ridge(p$y ~ p$x, lambda = lambda_as(fit, "lm.ridge"))
  expect_equal(unname(coef(theirs)), unname(coef(fit)), tolerance = 1e-10)
  skip_if_not_installed("glmnet")
  theirs <- glmnet::glmnet(p$x, p$y, alpha = 0, lambda = lambda_as(fit, "glmnet"), thresh = 1e-20, maxit = 1e6)
  expect_equal(unname(as.matrix(coef(theirs))[, 1L]), unname(coef(fit)), tolerance = 1e-6)
})

test_that("columns divided by scale or within the kernel, and an offset: lambda_as gives the fit's coefficients or says that none does", {
  p <- ridge_data()
  data <- data.frame(y = p$y, z = 5 * cos(1:60), p$x)
  data$f <- factor(rep(c("u", "v", "w", "w"), 15L))
  deviations <- apply(p$x, 2L, deviation)
  linear <- linear_kernel()
  made <- function(kernel, ...) freeridge(p$x, p$y, kernel, 20, ...)
  less <- function(scale) freeridge(y ~ X1 + X2 + X3 + X4 + offset(z), data, kernel = linear, lambda = 20, scale = scale)
  # the fit, and whether glmnet divides the columns; NA: no lambda makes the fits equal
  cases <- list(
    list(made(2 * linear), FALSE), list(made(2 * linear, scale = TRUE), TRUE), list(made(linear, scale = rep(3, 4L)), FALSE),
    list(made(scaled_kernel(linear, rep(2, 4L))), FALSE), list(made(scaled_kernel(linear, 2 * deviations)), TRUE),
    list(made(linear), FALSE), list(less(FALSE), FALSE), list(less(TRUE), TRUE), list(made(linear, scale = 1:4), NA),
    list(made(gaussian_kernel(1), scale = TRUE), NA),
    list(freeridge(y ~ X1 + f, data, kernel = linear, lambda = 20, scale = TRUE), NA)
  )
  for (case in cases) {
    fit <- case[[1L]]
    divides <- case[[2L]]
    theirs <- data$y - if (is.null(fit$offset)) 0 else data$z
    if (!isTRUE(divides)) expect_refusal(lambda_as(fit, "lm.ridge"), '"lm.ridge" is for a linear fit whose columns are divided by a multiple')
    if (is.na(divides)) {
      expect_refusal(lambda_as(fit, "glmnet"), '"glmnet" is for a linear fit whose columns are divided by one number or by a multiple')
    } else if (requireNamespace("glmnet", quietly = TRUE)) {
      slopes <- coef(glmnet::glmnet(p$x, theirs, alpha = 0, lambda = lambda_as(fit, "glmnet"), standardize = divides, thresh = 1e-20, maxit = 1e6))
      expect_equal(as.vector(slopes), unname(coef(fit)), tolerance = 1e-6)
    }
    if (isTRUE(divides) && requireNamespace("MASS", quietly = TRUE)) {
      expect_equal(unname(coef(MASS::lm.ridge(theirs ~ p$x, lambda = lambda_as(fit, "lm.ridge")))), unname(coef(fit)), tolerance = 1e-10)
    }
  }
  weighted <- made(linear, scale = TRUE, weights = rep(1:2, 30L))
  expect_refusal(lambda_as(weighted, "lm.ridge"), 'the fit has weights, and "lm.ridge" has none')
  several <- kernel_logistic(p$x, data$f, gaussian_kernel(1), 0.5)
  expect_identical(lambda_as(several, "cost"), 2)
})
