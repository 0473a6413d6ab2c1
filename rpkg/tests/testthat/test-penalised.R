# intercept = "penalised": freeridge() with a column of ones and without an intercept, or with the kernel k + 1.

test_that("for a linear kernel it is a column of ones", {
  p <- problem(40L, 3L)
  ones <- cbind(p$x, 1)
  new <- p$new[, 1:3]
  for (weights in list(NULL, p$weights)) {
    fit <- freeridge(p$x, p$y, linear_kernel(), 2, intercept = "penalised", weights = weights)
    wide <- freeridge(ones, p$y, linear_kernel(), 2, intercept = FALSE, weights = weights)
    order <- c(4L, 1:3)
    expect_close(coef(fit), unname(coef(wide))[order], 1e-10)
    expect_identical(names(coef(fit))[1L], "(Intercept)")
    expect_close(predict(fit, new), predict(wide, cbind(new, 1)), 1e-10)
    expect_close(loo(fit), loo(wide), 1e-10)
    expect_close(hatvalues(fit), hatvalues(wide), 1e-10)
    for (type in c("bayesian", "frequentist")) {
      expect_close(vcov(fit, type), unname(vcov(wide, type))[order, order], 1e-9)
      expect_close(confint(fit, type = type), unname(confint(wide, type = type))[order, ], 1e-9)
    }
    expect_close(predict(fit, new, se.fit = TRUE)$se.fit, predict(wide, cbind(new, 1), se.fit = TRUE)$se.fit, 1e-9)
    expect_close(sigma(fit), sigma(wide), 1e-10)
    expect_close(eigenvalues(fit), eigenvalues(wide), 1e-12)
    expect_length(eigenvalues(fit), 4L)
    expect_close(lambda_path(fit, c(0.1, 10), c("loo", "gcv", "reml"))$reml,
                 lambda_path(wide, c(0.1, 10), c("loo", "gcv", "reml"))$reml, 1e-9)
    expect_output(print(fit), "Intercept: yes, penalised")
  }
  formula <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 2, intercept = "penalised")
  x <- cbind(1, as.matrix(mtcars[c("wt", "hp")]))
  expect_close(coef(formula), solve(crossprod(x) + diag(2, 3), crossprod(x, mtcars$mpg))[, 1L], 1e-9)
  none <- freeridge(mpg ~ wt - 1, mtcars, kernel = linear_kernel(), lambda = 2, intercept = "penalised")
  expect_named(coef(none), "wt")
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(formula, file)
  expect_identical(predict(readRDS(file), mtcars), predict(formula, mtcars))
  expect_close(loo(readRDS(file)), loo(formula), 1e-10)
  expect_close(predict(predictor(formula), mtcars), predict(formula, mtcars), 1e-12)
})

test_that("for other kernels it is k + 1", {
  p <- problem(40L, 2L)
  new <- p$new[, 1:2]
  kernel <- gaussian_kernel(1.5)
  k <- oracle_kernel(kernel, p$x, p$x) + 1
  fit <- freeridge(p$x, p$y, kernel, 0.5, intercept = "penalised")
  given <- freeridge(k, p$y, precomputed_kernel(), 0.5, intercept = FALSE)
  expect_close(predict(fit, new), predict(given, oracle_kernel(kernel, new, p$x) + 1), 1e-8)
  expect_close(loo(fit), loo(given), 1e-8)
  expect_close(attr(coef(fit), "intercept"), sum(coef(fit)), 1e-9)
  expect_close(as.vector(coef(fit)), solve(k + diag(0.5, 40L), p$y), 1e-8)
  expect_close(predict(fit, new, interval = "jackknife+"),
               predict(given, oracle_kernel(kernel, new, p$x) + 1, interval = "jackknife+"), 1e-7)
  for (each in list(fit, freeridge(p$x[1:6, ], p$y[1:6], kernel, 0.5, intercept = "penalised", landmarks = 4))) {
    size <- nrow(each$x)
    spectrum <- eigenvalues(each)
    k_of_landmarks <- if (size == 40L) k else {
      rows <- landmarks(each)$rows
      k[1:6, rows] %*% solve(k[rows, rows], k[rows, 1:6])
    }
    expect_close(spectrum, eigen(k_of_landmarks, TRUE)$values[seq_along(spectrum)], 1e-9)
    expect_length(spectrum, if (size == 40L) 40L else 4L)
    expect_close(sum(spectrum), sum(diag(k_of_landmarks)), 1e-10)
  }
  pdf(NULL)
  on.exit(dev.off())
  expect_identical(plot(fit, "spectrum")$eigenvalue, eigenvalues(fit))
  searched <- freeridge(p$x, p$y, matern_kernel(), intercept = "penalised")
  expect_true(searched$intercept && searched$lambda > 0)
  effects <- marginal_effects(fit)
  expect_true(all(is.finite(effects$average$se)))
  expect_refusal(freeridge(p$x, p$y, kernel, 0.5, intercept = "free"), "intercept must be TRUE, FALSE or")
  expect_refusal(lambda_as(freeridge(p$x, p$y, linear_kernel(), 1, intercept = "penalised"), "glmnet"),
                 "the intercept is penalised")
})
