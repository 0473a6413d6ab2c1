# Formulas of textbooks (docs/textbooks.md) that no other file has, written out with matrices and refits.

p <- problem(15L, 4L)
n <- 15L
lambda <- 0.3

test_that("fitted values, hat matrix and left-out errors by the formulas of G", {
  for (kernel in kernels()) {
    fit <- kernel_ridge(p$x, p$y, kernel, lambda, intercept = FALSE)
    K <- oracle_kernel(kernel, p$x, p$x)
    inverse <- solve(K + lambda * diag(n))
    H <- K %*% inverse
    expect_equal(H, diag(n) - lambda * inverse, tolerance = 1e-8)
    expect_equal(hat_matrix(fit), H, tolerance = 1e-8)
    expect_equal(hat_matrix(fit, inverse = TRUE), inverse, tolerance = 1e-8)
    c <- inverse %*% p$y
    expect_equal(unname(hatvalues(fit)), diag(H), tolerance = 1e-9)
    expect_equal(unname(fitted(fit)), drop(H %*% p$y), tolerance = 1e-9)
    expect_equal(unname(loo(fit)), drop(p$y - H %*% p$y) / (1 - diag(H)), tolerance = 1e-8)
    expect_equal(unname(loo(fit)), drop(c) / diag(inverse), tolerance = 1e-8)
    expect_equal(unname(loo(fit)), unname(residuals(fit) / (1 - hatvalues(fit))), tolerance = 1e-8)
  }
})

test_that("the label that is made up leaves the left-out fit", {
  kernel <- gaussian_kernel(2)
  fit <- kernel_ridge(p$x, p$y, kernel, lambda)
  for (i in c(1L, 8L)) {
    value <- p$y[i] - loo(fit)[[i]]
    without <- kernel_ridge(p$x[-i, ], p$y[-i], kernel, lambda)
    made_up <- kernel_ridge(p$x, replace(p$y, i, value), kernel, lambda)
    expect_equal(predict(without, p$x[i, , drop = FALSE]), value, tolerance = 1e-10)
    expect_equal(predict(made_up, p$new), predict(without, p$new), tolerance = 1e-10)
    expect_equal(coef(made_up)[[i]], 0, tolerance = 1e-10)
  }
})

test_that("the linear kernel by the singular value decomposition", {
  fit <- freeridge(p$x, p$y, linear_kernel(), lambda, intercept = FALSE, route = "primal")
  parts <- svd(p$x)
  U <- parts$u
  S <- parts$d
  expect_equal(unname(coef(fit)), drop(parts$v %*% (S / (S^2 + lambda) * crossprod(U, p$y))), tolerance = 1e-12)
  inverse <- U %*% ((1 / (S^2 + lambda) - 1 / lambda) * t(U)) + diag(n) / lambda
  expect_equal(hat_matrix(fit, inverse = TRUE), inverse, tolerance = 1e-11)
  expect_equal(unname(loo(fit)), drop(inverse %*% p$y) / diag(inverse), tolerance = 1e-11)
  for (i in c(2L, 9L)) {  # the hyperplane without point i
    w <- solve(crossprod(p$x[-i, ]) + lambda * diag(4L), crossprod(p$x[-i, ], p$y[-i]))
    expect_equal(loo(fit)[[i]], p$y[i] - sum(p$x[i, ] * w), tolerance = 1e-11)
    cars <- mtcars
    part <- freeridge(mpg ~ wt + hp, cars, kernel = linear_kernel(), lambda = 1)
    expect_equal(loo(part)[[i]], cars$mpg[i] - predict(update(part, subset = -i), cars[i, ])[[1L]], tolerance = 1e-10)
  }
})

test_that("the augmented system of a point left out", {
  kernel <- gaussian_kernel(2)
  left_out <- loo(kernel_ridge(p$x, p$y, kernel, lambda))
  for (i in c(3L, 11L)) {  # a column e_i without penalty: its coefficient is the error, and point i carries none
    e_i <- as.numeric(seq_len(n) == i)
    fit <- freeridge(p$x, p$y, kernel, lambda, fixed = e_i)
    expect_equal(fit$effects[[1L]], left_out[[i]], tolerance = 1e-10)
    expect_equal(coef(fit)[[i]], 0, tolerance = 1e-10)
  }
})

test_that("products of features are the kernel matrix", {
  features <- polynomial_features(p$x, 3) %*% diag(polynomial_feature_factors(ncol(p$x), 3))
  expect_equal(kernel_matrix(polynomial_kernel(3), p$x), tcrossprod(features), ignore_attr = TRUE, tolerance = 1e-12)
})

test_that("least squares is a projection", {
  for (intercept in c(TRUE, FALSE)) {
    fit <- ols(p$x, p$y, intercept = intercept)
    X <- if (intercept) cbind(1, p$x) else p$x
    expect_lt(max(abs(crossprod(X, residuals(fit)))), 1e-12)  # the normal equations
    P <- X %*% pinv(X)
    expect_equal(unname(fitted(fit)), drop(P %*% p$y), tolerance = 1e-12)
    expect_equal(P %*% P, P, tolerance = 1e-12)
    same <- freeridge(p$x, p$y, linear_kernel(), 0, intercept = intercept)
    expect_equal(unname(hatvalues(same)), diag(P), tolerance = 1e-11)
  }
})

test_that("lambda n of a mean of squares", {
  mean_lambda <- 0.05                                       # 1/n sum (y - w'x)^2 + lambda |w|^2
  w <- solve(crossprod(p$x) + mean_lambda * n * diag(4L), crossprod(p$x, p$y))
  expect_equal(unname(coef(ridge(p$x, p$y, n * mean_lambda, intercept = FALSE))), drop(w), tolerance = 1e-12)
  expect_equal(convert_lambda(mean_lambda, "mean", "total", n), n * mean_lambda)
  expect_equal(unname(coef(ridge(p$x, p$y, convert_lambda(mean_lambda, "mean", "total", n)))),
               unname(coef(freeridge(p$x, p$y, linear_kernel(), n * mean_lambda))), tolerance = 1e-10)
})
