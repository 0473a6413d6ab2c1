# Other systems' own fits at the converted lambda, each to the digits that it has. (Its lambda there: lambda_as().)

agreement_data <- function() {
  set.seed(7)
  x <- matrix(rnorm(60 * 4), 60) %*% diag(c(1, 5, 0.2, 30)) + rep(c(0, 10, -3, 100), each = 60)
  colnames(x) <- letters[1:4]
  list(x = x, y = drop(x %*% c(1, -0.3, 4, 0.02)) + rnorm(60))
}

# The slopes of lm.ridge come from a singular value decomposition, and agree to the last digits.
test_that("MASS::lm.ridge: coefficients and GCV, to 1e-13", {
  skip_if_not_installed("MASS")
  p <- agreement_data()
  fit <- freeridge(p$x, p$y, linear_kernel(), 1, scale = TRUE)
  for (lambda in c(1e-3, 0.5, 20, 300)) {
    theirs <- MASS::lm.ridge(p$y ~ p$x, lambda = lambda_as(fit, "lm.ridge", lambda))
    expect_close(coef(fit, lambda), coef(theirs), 1e-13)
    # lm.ridge leaves the intercept out of its degrees of freedom, and the factor n out of GCV
    rss <- sum((p$y - predict(fit, lambda = lambda))^2)
    expect_close(rss / (60 - (sum(hatvalues(fit, lambda)) - 1))^2, theirs$GCV, 1e-12)
  }
})

test_that("MASS::lm.ridge without an intercept", {
  skip_if_not_installed("MASS")
  p <- agreement_data()
  fit <- freeridge(p$x, p$y, linear_kernel(), 3, scale = sqrt(colMeans(p$x^2)), intercept = FALSE)
  theirs <- MASS::lm.ridge(p$y ~ p$x - 1, lambda = lambda_as(fit, "lm.ridge"))
  expect_close(coef(fit), coef(theirs), 1e-13)
})

# Coordinate descent stops when no step gains more than thresh: with 1e-14 eleven digits are left, here and at the
# default of 1e-7 seven.
test_that("glmnet with thresh = 1e-14: coefficients and predictions, to 1e-10 with an intercept", {
  skip_if_not_installed("glmnet")
  p <- agreement_data()
  for (intercept in c(TRUE, FALSE)) for (lambda in c(0.5, 20, 300)) {
    # means that are large and not taken off are columns that are nearly the same: coordinate descent crawls
    if (!intercept) p$x <- sweep(p$x, 2L, colMeans(p$x) - 0.3 * apply(p$x, 2L, sd))
    fit <- freeridge(p$x, p$y, linear_kernel(), lambda, scale = TRUE, intercept = intercept)
    theirs <- glmnet::glmnet(p$x, p$y, alpha = 0, lambda = lambda_as(fit, "glmnet"), thresh = 1e-14,
                             intercept = intercept, maxit = 1e6)
    slopes <- as.matrix(coef(theirs))[, 1L]
    digits <- if (intercept) 1e-10 else 1e-9
    expect_close(coef(fit), if (intercept) slopes else slopes[-1L], digits)
    expect_close(predict(fit, p$x[1:9, ]), predict(theirs, p$x[1:9, ]), digits)
  }
})

# gausspr has no intercept; its Laplacian kernel comes from ||x||^2 + ||z||^2 - 2 x'z, which loses digits.
test_that("kernlab::gausspr: expansion and predictions, to 1e-12", {
  skip_if_not_installed("kernlab")
  p <- agreement_data()
  x <- scale(p$x)[, ]
  kernels <- list(rbfdot = list(sigma = 0.5), polydot = list(degree = 2, scale = 0.5, offset = 1), vanilladot = list(),
                  laplacedot = list(sigma = 0.5))
  for (name in names(kernels)) for (variance in c(0.01, 1, 30)) {
    kernel <- do.call(getExportedValue("kernlab", name), kernels[[name]])
    theirs <- kernlab::gausspr(x, p$y, kernel = kernel, var = variance, scaled = FALSE)
    fit <- freeridge(x, p$y, kernel, variance, intercept = FALSE)
    digits <- if (name == "laplacedot") 1e-8 else 1e-11
    expect_close(predict(fit, x[1:9, ] + 0.1), kernlab::predict(theirs, x[1:9, ] + 0.1), digits)
    if (name != "vanilladot") expect_close(coef(fit), kernlab::alpha(theirs), digits)
  }
})

# KRLS standardises x and y and has no intercept; its kernel is exp(-||x - z||^2 / sigma). Its Looe is the sum of the
# squared left-out errors of the standardised y, times the standard deviation of y.
test_that("KRLS: coefficients, fitted values, predictions and left-out errors, to 1e-12", {
  skip_if_not_installed("KRLS")
  krls <- getExportedValue("KRLS", "krls")
  p <- agreement_data()
  for (sigma in c(1, 4)) for (lambda in c(0.1, 2)) {
    theirs <- krls(p$x, p$y, lambda = lambda, sigma = sigma, approx = "none", print.level = 0, derivative = FALSE)
    fit <- freeridge(p$x, p$y - mean(p$y), gaussian_kernel(sqrt(sigma)), lambda, scale = TRUE, intercept = FALSE)
    expect_identical(unname(lambda_as(fit, "KRLS")), theirs$lambda)
    expect_close(coef(fit), theirs$coeffs * sd(p$y), 1e-12)
    expect_close(fitted(fit) + mean(p$y), theirs$fitted, 1e-12)
    new <- p$x[1:9, ] + 0.3
    expect_close(predict(fit, new) + mean(p$y), predict(theirs, new)$fit, 1e-12)
    expect_close(sum(loo(fit)^2) / sd(p$y), theirs$Looe, 1e-12)
  }
  # It chooses lambda by the same criterion, to the tolerance of its search.
  theirs <- krls(p$x, p$y, sigma = 4, approx = "none", print.level = 0, derivative = FALSE)
  fit <- freeridge(p$x, p$y - mean(p$y), gaussian_kernel(2), scale = TRUE, intercept = FALSE)
  expect_close(fit$lambda, theirs$lambda, 0.05)
  expect_lte(sum(loo(fit)^2), sum(loo(fit, theirs$lambda)^2))
})
