# kernel_ridge(): kernel ridge regression by its name, against freeridge().

test_that("each way to call it gives the fit of freeridge()", {
  # but for the call and the seconds
  same <- function(ours, theirs) {
    expect_s3_class(ours, "freeridge")
    expect_identical(ours$call[[1L]], quote(kernel_ridge))
    expect_identical(c(ours$lambda, ours$score, ours$scale, ours$intercept),
                     c(theirs$lambda, theirs$score, theirs$scale, theirs$intercept))
    expect_identical(ours$kernel, theirs$kernel)
    expect_identical(fitted(ours), fitted(theirs))
    expect_identical(loo(ours), loo(theirs))
  }
  p <- problem()
  same(kernel_ridge(p$x, p$y, gaussian_kernel()), freeridge(p$x, p$y, gaussian_kernel()))
  same(kernel_ridge(p$x, p$y, gaussian_kernel(2), landmarks = 5), freeridge(p$x, p$y, gaussian_kernel(2), landmarks = 5))
  cars <- transform(mtcars, gear = factor(gear), w = seq(0.5, 2, length.out = 32L))
  same(kernel_ridge(cars[c("wt", "gear")], cars$mpg, laplacian_kernel(2), 0.5),
       freeridge(cars[c("wt", "gear")], cars$mpg, laplacian_kernel(2), 0.5))
  same(kernel_ridge(mpg ~ wt + gear, cars, kernel = linear_kernel(), lambda = 2, subset = cyl > 4, weights = w),
       freeridge(mpg ~ wt + gear, cars, kernel = linear_kernel(), lambda = 2, subset = cyl > 4, weights = w))
  same(kernel_ridge(mpg ~ wt - 1, cars, kernel = linear_kernel(), criterion = "gcv", offset = hp / 100),
       freeridge(mpg ~ wt - 1, cars, kernel = linear_kernel(), criterion = "gcv", offset = hp / 100))
  flowers <- kernel_ridge(Species ~ ., iris, kernel = linear_kernel(), lambda = 1)
  expect_identical(predict(flowers, iris[51L, ], type = "class"),
                   predict(freeridge(Species ~ ., iris, kernel = linear_kernel(), lambda = 1), iris[51L, ], type = "class"))
})

test_that("it works within functions, and update(), model.frame() and print() know its call", {
  within <- function(data, k, ...) kernel_ridge(mpg ~ wt + hp, data, kernel = k, ...)
  fit <- within(mtcars, linear_kernel(), lambda = 3)
  expect_identical(unname(fit$lambda), 3)
  fit <- kernel_ridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 1)
  expect_identical(dim(model.frame(fit)), c(32L, 3L))
  expect_output(print(fit), "kernel_ridge(formula = mpg ~ wt + hp", fixed = TRUE)
  expect_identical(unname(update(fit, lambda = 5)$lambda), 5)
  expect_equal(formula(update(fit, . ~ . - hp)), mpg ~ wt, ignore_formula_env = TRUE)
  set.seed(3)
  numbers <- rnorm(2L)
  set.seed(3)
  once <- kernel_ridge(c(rnorm(1L), 2, 3), 1:3, linear_kernel(), 1)  # x is evaluated once
  expect_identical(c(once$x[1L], rnorm(1L)), numbers)
})

test_that("what it refuses", {
  p <- problem()
  expect_refusal(kernel_ridge(), "x is missing")
  expect_refusal(kernel_ridge(p$x), "y is missing")
  expect_refusal(kernel_ridge(p$x, p$y), "kernel is missing: as in gaussian_kernel\\(sigma = 1\\)")
  expect_refusal(kernel_ridge(mpg ~ wt, mtcars), "kernel is missing")
  expect_refusal(kernel_ridge(p$x, p$y, linear_kernel(), lambda = -1), "lambda")
  expect_refusal(kernel_ridge(p$x, p$y, linear_kernel(), lambdas = 1), "lambda")
  expect_refusal(kernel_ridge(p$x, p$y, "gaussian", lambda = 1), "kernel")
  expect_refusal(kernel_ridge(replace(p$x, 4L, NaN), p$y, linear_kernel(), 1), "x\\[4, 1\\] is nan|NaN")
})
