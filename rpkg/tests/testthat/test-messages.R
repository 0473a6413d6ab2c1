# Messages that few users see, each raised once.

test_that("packages that are not installed are named", {
  absent <- function(...) FALSE
  expect_refusal(with_replaced(kernel_ridge_reg, requireNamespace = absent)(), "a model of the package parsnip: install it")
  skip_if_not_installed("kernlab")
  kernel <- as_kernel(kernlab::besseldot())
  expect_refusal(with_replaced(kernel_values, requireNamespace = absent)(kernel, diag(2), diag(2)),
                 "one of the package kernlab: install it")
})

test_that("a mean of one term has no standard error", {
  p <- problem()
  one <- c("a", rep(NA, 19L))
  expect_refusal(freeridge(p$x, p$y, gaussian_kernel(2), groups = one, rule = "1se"), "groups is a mean of one term")
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), groups = one)
  expect_warning(rule <- one_standard_error(fit), "it is a mean of one term", class = "freeridge_undefined")
  expect_true(is.nan(rule$se))
})

test_that("answers that exist nowhere are refused or NaN", {
  line <- freeridge(problem()$x, rep(2, 20L), linear_kernel(), 1)  # what is constant has a likelihood without bounds
  expect_refusal(plot(line, criteria = "reml", lambdas = 1:3), "reml has no value at any of the lambdas")
  if (requireNamespace("ggplot2", quietly = TRUE)) {
    expect_refusal(ggplot2::autoplot(line, criteria = "reml", lambdas = 1:3), "reml has no value at any of the lambdas")
  }
  rows <- accumulate(ridge_accumulator(1L), c(1, 2), c(3, 5))
  nowhere <- with_replaced(score.ridge_accumulator, core_accumulator_score = function(...) matrix(c(NaN, 1)))
  expect_warning(found <- nowhere(rows, "gcv", c(0, 1)), "gcv is undefined \\(NaN\\) at lambda = 0",
                 class = "freeridge_undefined")
  expect_identical(is.nan(found$score), c(TRUE, FALSE))
  fit <- kernel_logistic(matrix(1:6), c(1, -1, 1, -1, 1, 1), gaussian_kernel(1), 1)
  none <- with_replaced(loo.freeridge_classifier, core_classifier_loo = function(...) c(1, NaN, 2, 3, NaN, 1))
  expect_warning(found <- none(fit), "at row 2 and 1 other: the leverage is one", class = "freeridge_undefined")
  expect_identical(which(is.nan(found)), c(2L, 5L))
  skip_if_not_installed("Matrix")
  set.seed(3)
  alone <- Matrix::sparseMatrix(i = c(1L, 2:20), j = c(1L, rep(2L, 19L)), x = c(1, rnorm(19L)))
  expect_refusal(freeridge(alone, rnorm(20L), linear_kernel(), lambda_range = c(1e-20, 1e-19), intercept = FALSE),
                 "the criterion has no value for output 1", "freeridge_undefined")
})

test_that("arguments of other kinds", {
  fit <- freeridge(problem()$x, problem()$y, gaussian_kernel(2), 1)
  for (bad in list(3, character())) {
    expect_refusal(lambda_path(fit, 1, criteria = bad), 'criteria must be some of "loo", "gcv"')
  }
  expect_refusal(polynomial_features(), "x is missing")
  for (n in c(1, 10)) expect_refusal(freeridge(matrix(1, n, 2L), seq_len(n)), "x is constant: .* y ~ 1, fits the mean")
  rows <- accumulate(ridge_accumulator(1L), c(1, 2), c(3, 5))
  stale <- unserialize(serialize(rows, NULL))
  expect_refusal(coef(stale, 1), "object is an accumulator of another session; accumulator_bytes\\(\\) and")
})
