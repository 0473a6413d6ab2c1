# Influence and degrees of freedom against lm at lambda = 0 and against explicit hat matrices.

test_that("at lambda = 0 they are those of lm", {
  for (weights in list(NULL, mtcars$cyl)) {
    fit <- freeridge(mpg ~ wt + hp, mtcars, weights = weights, kernel = linear_kernel(), lambda = 0)
    reference <- lm(mpg ~ wt + hp, mtcars, weights = weights)
    expect_close(cooks.distance(fit), cooks.distance(reference), 1e-8)
    expect_identical(names(cooks.distance(fit)), rownames(mtcars))
    expect_close(sigma(fit), sigma(reference), 1e-10)
    expect_close(df.residual(fit), df.residual(reference), 1e-10)
  }
})

test_that("they are their definitions for every kernel", {
  p <- problem(t = 2L)
  for (kernel in kernels()) for (intercept in c(FALSE, TRUE)) {
    fit <- freeridge(p$x, p$y, kernel, c(0.2, 3), weights = p$weights, intercept = intercept)
    for (j in 1:2) {
      hat <- oracle_hat(p$x, kernel, fit$lambda[[j]], p$weights, intercept)
      residuals <- p$y[, j] - hat %*% p$y[, j]
      df <- sum(diag(hat))
      sigma2 <- sum(p$weights * residuals^2) / (20 - df)
      h <- diag(hat)
      expect_close(df.residual(fit)[[j]], 20 - df, 1e-9)
      expect_close(sigma(fit)[[j]], sqrt(sigma2), 1e-9)
      expect_close(rstandard(fit)[, j], sqrt(p$weights) * residuals / sqrt(sigma2 * (1 - h)), 1e-8)
      expect_close(residuals(fit, "pearson")[, j], sqrt(p$weights) * residuals, 1e-8)
      expect_close(deviance(fit)[[j]], sum(p$weights * residuals^2), 1e-8)
      expect_close(cooks.distance(fit)[, j], p$weights * residuals^2 * h / (df * sigma2 * (1 - h)^2), 1e-8)
    }
    expect_equal(summary(fit)$outputs$df, unname(20 - df.residual(fit)))
    expect_equal(summary(fit)$outputs$sigma, unname(sigma(fit)))
  }
  expect_close(sigma(fit, 5), sigma(freeridge(p$x, p$y, kernel, 5, weights = p$weights)), 1e-10)
  expect_close(cooks.distance(fit, 5), cooks.distance(freeridge(p$x, p$y, kernel, 5, weights = p$weights)), 1e-10)
  expect_close(rstandard(fit, 5), rstandard(freeridge(p$x, p$y, kernel, 5, weights = p$weights)), 1e-10)
  for (type in c("response", "pearson", "working", "deviance", "loo")) {
    expect_close(residuals(fit, type, 5), residuals(freeridge(p$x, p$y, kernel, 5, weights = p$weights), type), 1e-10)
  }
  expect_identical(residuals(fit, "loo"), loo(fit))
  expect_close(deviance(fit, 5), deviance(freeridge(p$x, p$y, kernel, 5, weights = p$weights)), 1e-10)
  expect_close(df.residual(fit, 5), df.residual(freeridge(p$x, p$y, kernel, 5, weights = p$weights)), 1e-10)
})

test_that("what has no value is NaN with a warning", {
  line <- freeridge(c(0, 0, 0, 1), c(1, 2, 3, 4), linear_kernel(), 0, route = "primal")
  expect_warning(distance <- cooks.distance(line), "undefined \\(NaN\\) at row 4", class = "freeridge_undefined")
  expect_identical(is.nan(distance), c(FALSE, FALSE, FALSE, TRUE))
  words <- "standardised residual is undefined \\(NaN\\) at row 4"
  expect_warning(standard <- rstandard(line), words, class = "freeridge_undefined")
  expect_identical(is.nan(standard), c(FALSE, FALSE, FALSE, TRUE))
  expect_refusal(rstandard(line, foo = 1), "unknown argument: 'foo'")
  expect_refusal(deviance(line, foo = 1), "unknown argument: 'foo'")
  expect_refusal(residuals(line, foo = 1), "unknown argument: 'foo'")
  expect_refusal(residuals(line, "partial"), 'type must be one of "response", "pearson", "loo".*, not "partial"')
  exact <- freeridge(1:2, c(1, 3), linear_kernel(), 0, route = "primal")
  expect_warning(value <- sigma(exact), "no degrees of freedom", class = "freeridge_undefined")
  expect_true(is.nan(value))
  expect_refusal(sigma(line, lambda = -1), "lambda is -1")
  expect_refusal(cooks.distance(line, foo = 1), "unknown argument: 'foo'")
  expect_refusal(df.residual(line, foo = 1), "unknown argument: 'foo'")
})
