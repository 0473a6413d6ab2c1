# Printing, summary, plot and the small methods.

p <- problem(30L, 2L, 2L)
colnames(p$y) <- c("first", "second")
fit <- freeridge(p$x, p$y, gaussian_kernel(2))
one <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 1.5, scale = TRUE)

test_that("print says what was fitted and returns the fit", {
  text <- capture.output(value <- withVisible(print(fit)))
  expect_identical(value$value, fit)
  expect_false(value$visible)
  text <- paste(text, collapse = "\n")
  expect_match(text, "30 points, 2 features, 2 outputs; route: spectral", fixed = TRUE)
  expect_match(text, "sigma = 2", fixed = TRUE)
  expect_match(text, "chosen by leave-one-out mean squared error", fixed = TRUE)
  expect_match(text, format(fit$lambda[["first"]], digits = 4), fixed = TRUE)
  expect_output(print(one), "lambda: 1.5 (given)", fixed = TRUE)
  expect_output(print(one), "columns divided by: 0.9785, 68.56", fixed = TRUE)
  expect_silent(freeridge(p$x, p$y))
})

test_that("summary has the errors of fitted and of left-out points", {
  table <- summary(fit)$outputs
  expect_identical(rownames(table), c("first", "second"))
  expect_equal(table$lambda, unname(fit$lambda))
  expect_equal(table$df, unname(colSums(hatvalues(fit))))
  expect_equal(table$rmse, unname(sqrt(colMeans(residuals(fit)^2))))
  expect_equal(table$loo_rmse, unname(sqrt(colMeans(loo(fit)^2))))
  expect_equal(table$loo_r2, unname(1 - colMeans(loo(fit)^2) / colMeans(scale(p$y, scale = FALSE)^2)))
  expect_output(print(summary(fit)), "loo_rmse")
  expect_output(print(summary(fit)), "Memory: at most [0-9.]+ [KM]b beside the data")
  expect_gt(fit$memory, 8 * 30^2)

  weighted <- freeridge(p$x, p$y[, 1L], gaussian_kernel(2), weights = p$weights)
  expect_equal(summary(weighted)$outputs$loo_rmse^2, weighted$score)
})

test_that("small methods", {
  expect_identical(nobs(fit), 30L)
  expect_equal(fitted(fit) + residuals(fit), p$y)
  expect_identical(weights(fit), NULL)
  expect_output(print(coef(fit)), "f(x) = sum_i c_i k(x_i, x) + b", fixed = TRUE)
  k <- exp(-as.matrix(dist(p$x))^2 / 4)
  expect_close(sweep(k %*% unclass(coef(fit)), 2L, attr(coef(fit), "intercept"), "+"), fitted(fit), 1e-10)
  expect_match(freeridge_build_info(), "0.1.0", fixed = TRUE)
})

test_that("fitted values are computed when they are asked for, and are those of the fit's own lambda", {
  fresh <- freeridge(p$x, p$y, gaussian_kernel(2), c(0.5, 2))
  expect_null(unclass(fresh)[["fitted.values"]])
  predict(fresh, p$x, lambda = 100)  # puts another lambda in force in the core
  expected <- predict(fresh, p$x)
  for (values in list(fresh$fitted.values, fresh[["fitted.values"]], fresh$fitted, fitted(fresh))) {
    expect_close(unname(values), unname(expected), 1e-12)
  }
  expect_identical(fresh$lambda, fresh[["lambda"]])
  expect_null(fresh$no_such_thing)
  other <- update(fresh, lambda = 3)
  expect_false(isTRUE(all.equal(other$fitted.values, fresh$fitted.values)))
})

test_that("the data set is what its page says", {
  expect_identical(dim(airfoil), c(1503L, 6L))
  expect_named(airfoil, c("frequency", "angle", "chord", "velocity", "thickness", "sound_pressure"))
  expect_false(anyNA(airfoil))
})
