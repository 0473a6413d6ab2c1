# What a fit answers equals brute-force refits, for each kernel, route and shape, weighted or not, with an intercept or without.

routes_for <- function(kernel) c("cholesky", "spectral", "band", if (kernel$name == "linear") "primal")

# Of the values of weighted, intercept and t each pair is in one of these; the cross of all is the core's test.
pairs <- data.frame(weighted = c(FALSE, TRUE, FALSE, TRUE), intercept = c(FALSE, FALSE, TRUE, TRUE), t = c(1L, 3L, 3L, 1L))

test_that("fitted values, predictions, leave-one-out and group-out errors equal refits", {
  for (kernel in kernels()) for (shape in list(c(20L, 3L), c(9L, 12L))) for (i in 1:4) {
    p <- problem(shape[1L], shape[2L], pairs$t[i])
    group <- rep_len(c("a", "b", NA, "c", "a"), shape[1L])
    weights <- if (pairs$weighted[i]) p$weights
    intercept <- pairs$intercept[i]
    oracle <- oracle_fit(p$x, p$y, kernel, 1, weights, intercept)
    loo_errors <- oracle_loo(p$x, p$y, kernel, 1, weights, intercept)
    out_errors <- oracle_group_errors(p$x, p$y, kernel, 1, group, weights, intercept)
    for (route in routes_for(kernel)) {
      fit <- freeridge(p$x, p$y, kernel, 1, intercept = intercept, weights = weights, route = route)
      expect_identical(fit$route, route)
      expect_close(fitted(fit), oracle_predict(oracle, p$x))
      expect_close(predict(fit, p$new), oracle_predict(oracle, p$new))
      expect_close(loo(fit), loo_errors)
      expect_close(group_errors(fit, group), out_errors)
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
  expect_equal(unname(standard$scale), c(apply(p$x, 2L, sd), no_part))
  expect_identical(freeridge(t(c(3, 4)), 1, gaussian_kernel(2), 1, scale = TRUE)$scale, c(no_part, no_part))  # one point
  expect_close(loo(standard), oracle_loo(scale(p$x, center = FALSE, apply(p$x, 2L, sd)), p$y, gaussian_kernel(2), 1))
})

test_that("a lambda too small for the Cholesky route is answered by the spectral one, unless the route was asked for", {
  p <- problem(20L, 1L)  # a polynomial of degree 2 in one variable: the kernel matrix has rank 3
  kernel <- polynomial_kernel(2)
  expect_warning(fit <- freeridge(p$x, p$y, kernel, 1e-18), class = "freeridge_below_floor")
  expect_identical(fit$route, "spectral")
  expect_close(fitted(fit), fitted(lm(p$y ~ poly(p$x, 2))))
  expect_error(freeridge(p$x, p$y, kernel, 1e-18, route = "cholesky"), class = "freeridge_not_positive_definite")
})

test_that("refinement leaves the coefficients where they are, to rounding, at other lambdas, too", {
  p <- problem()
  for (route in c("cholesky", "spectral", "primal")) {
    kernel <- if (route == "primal") linear_kernel() else gaussian_kernel(2)
    refined <- freeridge(p$x, p$y, kernel, 0.1, route = route, refine = 2)
    expect_close(coef(refined), coef(freeridge(p$x, p$y, kernel, 0.1, route = route)), 1e-10)
    expect_close(coef(refined, 3), coef(freeridge(p$x, p$y, kernel, 3, route = route)), 1e-10)
  }
})

test_that("predictions at the points are the fitted values, on the data set of the package", {
  some <- airfoil[seq(1L, 1503L, by = 5L), ]
  fit <- freeridge(sound_pressure ~ ., some, lambda = 0.1, kernel = gaussian_kernel(1.5), scale = TRUE)
  expect_close(predict(fit, some), fitted(fit), 1e-10)
})
