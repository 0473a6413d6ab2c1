# Everything a fit answers equals brute-force refits, for each kernel x route x weights x intercept x outputs x shape.

routes_for <- function(kernel) c("cholesky", "spectral", "band", if (kernel$name == "linear") "primal")

test_that("fitted values, predictions, leave-one-out and group-out errors equal refits", {
  for (kernel in kernels()) for (shape in list(c(20L, 3L), c(9L, 12L))) for (t in c(1L, 3L)) {
    p <- problem(shape[1L], shape[2L], t)
    group <- rep_len(c("a", "b", NA, "c", "a"), shape[1L])
    for (weighted in c(FALSE, TRUE)) for (intercept in c(FALSE, TRUE)) for (lambda in c(1e-3, 1, 1e3)) {
      weights <- if (weighted) p$weights
      oracle <- oracle_fit(p$x, p$y, kernel, lambda, weights, intercept)
      fitted <- oracle_predict(oracle, p$x)
      predicted <- oracle_predict(oracle, p$new)
      loo_errors <- oracle_loo(p$x, p$y, kernel, lambda, weights, intercept)
      out_errors <- oracle_group_errors(p$x, p$y, kernel, lambda, group, weights, intercept)
      for (route in routes_for(kernel)) {
        fit <- freeridge(p$x, p$y, kernel, lambda, intercept = intercept, weights = weights, route = route)
        expect_identical(fit$route, route)
        expect_close(fitted(fit), fitted)
        expect_close(predict(fit, p$new), predicted)
        expect_close(loo(fit), loo_errors)
        expect_close(group_errors(fit, group), out_errors)
      }
    }
  }
})

test_that("leverages and coefficients equal their definitions", {
  p <- problem()
  for (kernel in kernels()) for (route in routes_for(kernel)) for (intercept in c(FALSE, TRUE)) {
    fit <- freeridge(p$x, p$y, kernel, 0.7, intercept = intercept, weights = p$weights, route = route)
    oracle <- oracle_fit(p$x, p$y, kernel, 0.7, p$weights, intercept)
    expect_close(hatvalues(fit), diag(oracle_hat(p$x, kernel, 0.7, p$weights, intercept)))
    if (kernel$name == "linear") {
      expect_close(coef(fit), c(if (intercept) oracle$b, crossprod(p$x, oracle$c)))
    } else {
      expect_close(coef(fit), oracle$c)
      expect_close(attr(coef(fit), "intercept"), oracle$b)
    }
  }
})

test_that("each output may have its own lambda", {
  p <- problem(t = 3L)
  lambda <- c(0.01, 1, 100)
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), lambda)
  for (j in 1:3) {
    alone <- freeridge(p$x, p$y[, j], gaussian_kernel(2), lambda[j])
    expect_close(fitted(fit)[, j], fitted(alone), 1e-12)
    expect_close(loo(fit)[, j], loo(alone), 1e-12)
    expect_close(predict(fit, p$new)[, j], predict(alone, p$new), 1e-12)
  }
})

test_that("scaling divides the columns and leaves coefficients in the original units", {
  p <- problem()
  divisors <- c(2, 0.5, 10)
  fit <- freeridge(p$x, p$y, linear_kernel(), 1, scale = divisors)
  by_hand <- freeridge(sweep(p$x, 2L, divisors, "/"), p$y, linear_kernel(), 1)
  expect_close(fitted(fit), fitted(by_hand), 1e-12)
  expect_close(coef(fit), coef(by_hand) / c(1, divisors), 1e-12)
  expect_close(predict(fit, p$new), cbind(1, p$new) %*% coef(fit), 1e-12)

  constant <- cbind(p$x, 5)
  standard <- freeridge(constant, p$y, gaussian_kernel(2), 1, scale = TRUE)
  expect_equal(unname(standard$scale), c(apply(p$x, 2L, sd), 1))
  expect_identical(freeridge(t(c(3, 4)), 1, gaussian_kernel(2), 1, scale = TRUE)$scale, c(1, 1))  # one point
  expect_close(loo(standard), oracle_loo(scale(p$x, center = FALSE, apply(p$x, 2L, sd)), p$y, gaussian_kernel(2), 1))
})

test_that("lambda = 0 is the minimum-norm least-squares solution", {
  tall <- problem(20L, 3L)
  fit <- freeridge(tall$x, tall$y, linear_kernel(), 0)
  reference <- lm(tall$y ~ tall$x)
  expect_close(coef(fit), coef(reference))
  expect_close(loo(fit), residuals(reference) / (1 - hatvalues(reference)))

  wide <- problem(6L, 10L)
  fit <- freeridge(wide$x, wide$y, linear_kernel(), 0, intercept = FALSE)
  expect_close(coef(fit), crossprod(wide$x, solve(tcrossprod(wide$x), wide$y)))
})

test_that("a lambda too small for the Cholesky route is answered by the spectral one, unless the route was asked for", {
  p <- problem(20L, 1L)  # a polynomial of degree 2 in one variable: the kernel matrix has rank 3
  kernel <- polynomial_kernel(2)
  expect_warning(fit <- freeridge(p$x, p$y, kernel, 1e-18), class = "freeridge_below_floor")
  expect_identical(fit$route, "spectral")
  expect_close(fitted(fit), fitted(lm(p$y ~ poly(p$x, 2))))
  expect_error(freeridge(p$x, p$y, kernel, 1e-18, route = "cholesky"), class = "freeridge_not_positive_definite")
})

test_that("refinement takes the coefficients to full precision", {
  # Columns that differ in the seventh digit, and coefficients that are known.
  set.seed(2)
  base <- sample(100L, 40L, TRUE)
  x <- cbind(base, base + sample(c(-1, 1), 40L, TRUE) * 2^-20, sample(9L, 40L, TRUE))
  y <- x %*% c(3, -2, 5) + 7
  fit <- freeridge(x, y, linear_kernel(), 0, refine = 3)
  expect_close(coef(fit), c(7, 3, -2, 5), 1e-13)
  p <- problem()
  for (route in c("cholesky", "spectral", "primal")) {
    kernel <- if (route == "primal") linear_kernel() else gaussian_kernel(2)
    refined <- freeridge(p$x, p$y, kernel, 0.1, route = route, refine = 2)
    expect_close(coef(refined), coef(freeridge(p$x, p$y, kernel, 0.1, route = route)), 1e-10)
    expect_close(coef(refined, 3), coef(freeridge(p$x, p$y, kernel, 3, route = route)), 1e-10)
  }
})

test_that("symmetries hold", {
  p <- problem()
  kernel <- gaussian_kernel(1.5)
  fit <- freeridge(p$x, p$y, kernel, 0.3, weights = p$weights)

  order <- sample(20L)
  permuted <- freeridge(p$x[order, ], p$y[order], kernel, 0.3, weights = p$weights[order])
  expect_close(loo(permuted), loo(fit)[order], 1e-11)

  together <- freeridge(p$x, p$y, kernel, 3, weights = 10 * p$weights)
  expect_close(fitted(together), fitted(fit), 1e-12)
  expect_close(loo(together), loo(fit), 1e-11)

  shifted <- freeridge(p$x, p$y + 100, kernel, 0.3, weights = p$weights)
  expect_close(predict(shifted, p$new), predict(fit, p$new) + 100, 1e-12)
  expect_close(loo(shifted), loo(fit))

  doubled <- freeridge(p$x, p$y, kernel, 0.3, weights = rep(c(2, 1), c(5L, 15L)))
  twice <- freeridge(p$x[c(1:5, 1:20), ], p$y[c(1:5, 1:20)], kernel, 0.3)
  expect_close(predict(doubled, p$new), predict(twice, p$new), 1e-11)
})

test_that("predictions at the points are the fitted values, on the data set of the package", {
  some <- airfoil[seq(1L, 1503L, by = 5L), ]
  fit <- freeridge(sound_pressure ~ ., some, lambda = 0.1, kernel = gaussian_kernel(1.5), scale = TRUE)
  expect_close(predict(fit, some), fitted(fit), 1e-10)
})
