# Kernels: what + and * make of them, the bandwidth that is chosen, and how they print.

test_that("sums and products have their parts and weights", {
  a <- linear_kernel()
  b <- gaussian_kernel(1)
  c <- laplacian_kernel(2)
  sum <- 2 * (a + 3 * b) + c
  expect_identical(sum$terms, list(a, b, c))
  expect_identical(sum$weights, c(2, 6, 1))
  expect_identical((a * b * c)$factors, list(a, b, c))
  expect_identical((b * 2)$weights, 2)
  expect_identical(+a, a)
})

test_that("kernels print their formula", {
  expect_output(print(matern_kernel(2.5)), "Matern, nu = 2.5, length to be chosen", fixed = TRUE)
  expect_output(print(laplacian_kernel(3)), "k(x, z) = exp(-||x - z|| / sigma), sigma = 3", fixed = TRUE)
  expect_output(print(linear_kernel() + 2 * gaussian_kernel(1)), "[linear, k(x, z) = x'z] + 2 * [Gaussian", fixed = TRUE)
  expect_output(print(linear_kernel() * laplacian_kernel(1)), "[linear, k(x, z) = x'z] * [Laplacian", fixed = TRUE)
})

test_that("a sum of linear kernels is a linear kernel", {
  p <- problem(d = 4L)
  fit <- freeridge(p$x, p$y, linear_kernel() + 3 * linear_kernel(), lambda = 2)
  expect_equal(coef(fit), coef(freeridge(p$x, p$y, linear_kernel(), lambda = 0.5)), tolerance = 1e-12)
  expect_identical(fit$route, "primal")
})

test_that("the only bandwidth of a kernel is chosen, by its own name", {
  p <- problem(n = 40L)
  for (kernel in list(laplacian_kernel(), matern_kernel(1.5), matern_kernel(2.5) * polynomial_kernel(1),
                      linear_kernel() + 2 * gaussian_kernel())) {
    fit <- freeridge(p$x, p$y, kernel)
    expect_false(chooses_bandwidth(fit$kernel))
    chosen <- fit$bandwidth_search$sigma[which.min(fit$bandwidth_search$score)]
    expect_identical(fit$kernel, with_bandwidth(kernel, chosen))
    # The columns were divided by their standard deviations.
    scaled <- sweep(p$x, 2L, fit$scale, "/")
    expect_equal(as.vector(loo(fit, 0.3)), as.vector(oracle_loo(scaled, p$y, fit$kernel, 0.3)), tolerance = 1e-9)
  }
})

test_that("bad kernels are refused", {
  p <- problem()
  expect_refusal(laplacian_kernel(-1), "sigma is -1; it must be positive")
  expect_refusal(matern_kernel(1), "nu is 1; it must be 0.5, 1.5 or 2.5")
  expect_refusal(matern_kernel(1.5, 0), "length is 0; it must be positive")
  expect_refusal(matern_kernel("a"), 'nu must be one number, not "a"')
  expect_refusal(linear_kernel() + 1, "a kernel can be added to a kernel only, not to 1")
  expect_refusal(-1 * linear_kernel(), "by one positive number, not by -1")
  expect_refusal(linear_kernel() * c(1, 2), "by one positive number, not by a numeric")
  expect_refusal(linear_kernel() * "a", 'by one positive number, not by "a"')
  expect_refusal(freeridge(p$x, p$y, gaussian_kernel() + gaussian_kernel(1)), "kernel has 2 bandwidths; one can be chosen only")
})
