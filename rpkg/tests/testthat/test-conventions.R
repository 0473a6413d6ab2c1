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
  for (other in list(freeridge(p$x, p$y, linear_kernel(), 20, scale = 1:4),  # no one number
                     freeridge(p$x, p$y, gaussian_kernel(1), 20, scale = TRUE))) {
    expect_identical(lambda_as(other, "lm.ridge"), 20)
  }
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
