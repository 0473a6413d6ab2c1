# anova(): score tests of variables, against the t test where they are the same, and against draws.

test_that("where the other columns are not penalised it is the t test of lm", {
  for (w in list(NULL, mtcars$carb)) {
    fit <- freeridge(mpg ~ qsec + unpenalised(wt + hp), mtcars, weights = w, kernel = linear_kernel(), criterion = "reml")
    expected <- coef(summary(lm(mpg ~ wt + hp + qsec, mtcars, weights = w)))["qsec", 4L]
    expect_close(anova(fit)["qsec", "Pr(>Q)"], expected, 1e-7)
  }
  alone <- anova(freeridge(mpg ~ wt, mtcars, kernel = linear_kernel(), lambda = 1))
  expect_close(alone[["Pr(>Q)"]], coef(summary(lm(mpg ~ wt, mtcars)))[2L, 4L], 1e-7)
})

test_that("the statistic and its distribution are those of the formulas", {
  p <- problem(25L)
  kernel <- gaussian_kernel(2) + 0.5 * linear_kernel()
  fit <- freeridge(p$x, p$y, kernel, 0.3, weights = p$weights)
  found <- anova(fit)
  expect_s3_class(found, "anova")
  x <- p$x
  x[, 2L] <- 0
  null <- oracle_kernel(kernel, x, x)
  difference <- oracle_kernel(kernel, p$x, p$x) - null
  lambda <- found$lambda[2L]
  reml <- function(log_lambda) oracle_score("reml", x, p$y, kernel, exp(log_lambda), p$weights)
  expect_equal(reml(log(lambda)), optimize(reml, log(lambda) + c(-2, 2))$objective, tolerance = 1e-6)
  v <- null + diag(lambda / p$weights)
  inverse <- solve(v)
  ones <- rep(1, 25L)
  projection <- inverse - inverse %*% ones %*% t(ones) %*% inverse / sum(inverse)
  statistic <- function(y) colSums((projection %*% y) * (difference %*% projection %*% y)) / colSums(y * (projection %*% y))
  expect_close(found$Q[2L], statistic(matrix(p$y)), 1e-6)
  set.seed(4)
  draws <- statistic(t(chol(v)) %*% matrix(stats::rnorm(25L * 40000L), 25L))
  own <- found[2L, "Pr(>Q)"]
  expect_lt(abs(own - mean(draws >= found$Q[2L])), 5 * sqrt(own / 40000))
})

test_that("a column with an effect is found, one without is not more often than chance has it", {
  p <- t(vapply(1:60, function(seed) {
    set.seed(seed)
    x <- matrix(stats::rnorm(120L), 40L)
    anova(freeridge(x, sin(2 * x[, 1L]) + 0.4 * x[, 2L]^2 + 0.5 * stats::rnorm(40L)))[["Pr(>Q)"]]
  }, numeric(3L)))
  expect_gt(mean(p[, 1L] < 0.01), 0.9)
  expect_gt(mean(p[, 2L] < 0.05), 0.5)
  expect_lte(sum(p[, 3L] < 0.05), qbinom(0.9999, 60L, 0.05))
  expect_gte(mean(p[, 3L] > 0.5), 0.25)
})

test_that("factors, sums of scaled kernels, functions, sparse x, outputs; print; refusals", {
  cars <- mtcars
  cars$gear <- factor(cars$gear)
  fit <- freeridge(mpg ~ wt + gear + offset(am) + unpenalised(qsec), cars)
  found <- anova(fit)
  expect_identical(rownames(found), c("wt", "gear"))
  expect_output(print(found), "Score tests of variables, each against the fit whose kernel does not see it")
  expect_output(print(found), "Pr\\(>Q\\)")
  p <- problem(20L, t = 2L)
  both <- anova(freeridge(p$x, p$y, gaussian_kernel(2), 1))
  expect_identical(rownames(both)[c(1L, 6L)], c("y1:x1", "y2:x3"))
  own <- anova(freeridge(p$x, p$y[, 2L], gaussian_kernel(2), 1))
  expect_equal(both[["Pr(>Q)"]][4:6], own[["Pr(>Q)"]], tolerance = 1e-6)
  by_function <- freeridge(p$x, p$y[, 2L], function(x, z) exp(-sum((x - z)^2) / 4), 1)
  expect_equal(anova(by_function)[["Pr(>Q)"]], own[["Pr(>Q)"]], tolerance = 1e-6)
  if (requireNamespace("Matrix", quietly = TRUE)) {
    sparse <- freeridge(Matrix::Matrix(p$x, sparse = TRUE), p$y[, 2L], gaussian_kernel(2), 1)
    expect_equal(anova(sparse)[["Pr(>Q)"]], own[["Pr(>Q)"]], tolerance = 1e-6)
  }
  # lengths that were learnt for the column itself have no part in its test
  sum <- freeridge(p$x, p$y[, 1L], gaussian_kernel() + matern_kernel(), scale = FALSE)
  for (part in tested_kernel(sum, list(columns = 2L))$terms) expect_equal(part$scale[2L], sd(p$x[, 2L]))
  learnt <- freeridge(p$x, p$y[, 1L])
  expect_identical(tested_kernel(learnt, list(columns = 2L))$scale[2L], 1)
  expect_refusal(anova(fit, foo = 1), "unknown argument: 'foo'")
  expect_refusal(anova(freeridge(mpg ~ 1, mtcars)), "the fit has no penalised predictors")
  expect_refusal(anova(freeridge(diag(5) + 1, 1:5, precomputed_kernel(), 1)), "there are no variables to test")
  expect_refusal(anova(freeridge(Species ~ ., iris, lambda = 1)), "and the fit is to classes")
  expect_refusal(anova(freeridge(mpg ~ wt, mtcars, robust = "huber")), "and the fit is robust")
  expect_refusal(anova(freeridge(p$x, replace(p$y, 3L, NA), gaussian_kernel(2), 1)), "y has missing values")
  expect_refusal(anova(freeridge(p$x, p$y[, 1L], gaussian_kernel(2), 1, route = "iterative")), 'the route "iterative" does not make')
})
