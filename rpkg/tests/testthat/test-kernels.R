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

test_that("kernels print as the core describes them", {
  expect_output(print(linear_kernel()), "Kernel: linear()", fixed = TRUE)
  expect_output(print(polynomial_kernel(3, 0.5, 2)), "polynomial(degree = 3, scale = 0.5, offset = 2)", fixed = TRUE)
  expect_output(print(gaussian_kernel()), "gaussian(sigma = to be chosen)", fixed = TRUE)
  expect_output(print(matern_kernel(2.5)), "matern(nu = 2.5, length = to be chosen)", fixed = TRUE)
  expect_output(print(linear_kernel() + 2 * gaussian_kernel(1)), "1 * linear() + 2 * gaussian(sigma = 1)", fixed = TRUE)
  expect_output(print(linear_kernel() * laplacian_kernel(1)), "product(linear(), laplacian(sigma = 1))", fixed = TRUE)
  expect_output(print(gaussian_kernel(1 / 3)), "sigma = 0.3333)", fixed = TRUE)
  expect_identical(format(gaussian_kernel(1 / 3), digits = 2), "gaussian(sigma = 0.33)")
  expect_identical(as.character(gaussian_kernel(1 / 3)), "gaussian(sigma = 0.3333333333333333)")
})

test_that("text and kernel are one to one, to the last bit", {
  set.seed(5)
  numbers <- c(10^runif(20, -150, 150), 1 / 3, pi, 1e23, 5e-324, .Machine$double.xmax)
  for (value in numbers) {
    kernel <- value * matern_kernel(0.5, value) + scaled_kernel(gaussian_kernel(value) * linear_kernel(), c(value, 1))
    expect_identical(parse_kernel(as.character(kernel)), kernel)
  }
  for (kernel in c(kernels(), list(precomputed_kernel(), 2 * linear_kernel()))) {
    expect_identical(parse_kernel(as.character(kernel)), kernel)
    expect_true(parse_kernel(as.character(kernel)) == kernel)
  }
  expect_identical(parse_kernel(" gaussian ( sigma=2 )"), gaussian_kernel(2))
  expect_identical(parse_kernel("2*(linear()+3*gaussian(sigma=1))"),
                   new_kernel("sum", terms = list(linear_kernel() + 3 * gaussian_kernel(1)), weights = 2))
  deep <- paste0(strrep("product(", 30L), "linear()", strrep(")", 30L))
  expect_identical(as.character(parse_kernel(deep)), deep)
})

test_that("kernels are compared by the core", {
  a <- linear_kernel() + 2 * gaussian_kernel(1)
  expect_true(a == linear_kernel() + 2 * gaussian_kernel(1))
  expect_true(a != linear_kernel() + 2 * gaussian_kernel(1 + 1e-15))
  expect_false(gaussian_kernel() == gaussian_kernel(1))
  expect_true(gaussian_kernel() == gaussian_kernel())
  expect_true(all.equal(a, a))
  expect_match(all.equal(a, linear_kernel()), "kernels differ: 1 * linear() + 2 * gaussian(sigma = 1); linear()", fixed = TRUE)
  expect_match(all.equal(a, 3), "current is not a kernel but 3")
  expect_refusal(a == "linear()", "a kernel can be compared with a kernel only")
})

test_that("a precomputed kernel gives what the kernel itself gives", {
  p <- problem(t = 2L)
  kernel <- gaussian_kernel(2)
  k <- oracle_kernel(kernel, p$x, p$x)
  new <- oracle_kernel(kernel, p$new, p$x)
  for (route in c("auto", "spectral", "band", "cholesky")) {
    direct <- freeridge(p$x, p$y, kernel, 0.5, weights = p$weights, route = route)
    fit <- freeridge(k, p$y, precomputed_kernel(), 0.5, weights = p$weights, route = route)
    expect_close(loo(fit), loo(direct), 1e-10)
    expect_close(predict(fit, new), predict(direct, p$new), 1e-10)
    expect_close(coef(fit), coef(direct), 1e-9)
    expect_close(predict(fit, new, interval = "jackknife+"), predict(direct, p$new, interval = "jackknife+"), 1e-9)
  }
  expect_close(freeridge(k, p$y, precomputed_kernel())$score, freeridge(p$x, p$y, kernel)$score, 1e-9)
  rows <- c(2, 9, 5)
  landmark <- freeridge(k, p$y, precomputed_kernel(), 0.5, landmarks = rows)
  expect_close(predict(landmark, new), predict(freeridge(p$x, p$y, kernel, 0.5, landmarks = rows), p$new), 1e-9)

  words <- "x is 20 x 3; with precomputed_kernel\\(\\) it is the square matrix"
  expect_refusal(freeridge(p$x, p$y, precomputed_kernel()), words)
  skew <- replace(k, 2, k[2] + 0.1)
  expect_refusal(freeridge(skew, p$y, precomputed_kernel()), "symmetric", "freeridge_invalid_argument")
  expect_refusal(precomputed_kernel() + linear_kernel(), "precomputed", "freeridge_invalid_argument")
  expect_close(loo(freeridge(k, p$y, 2 * precomputed_kernel(), 0.6)), loo(freeridge(k, p$y, precomputed_kernel(), 0.3)), 1e-10)
  expect_refusal(freeridge(k, p$y, precomputed_kernel(), scale = TRUE), "precomputed", "freeridge_invalid_argument")
  expect_refusal(predict(fit, p$new), "newdata has 3 columns, the fit has 20")
  expect_refusal(predict(fit, new, interval = "gp"), "precomputed", "freeridge_invalid_argument")
})

test_that("a scaled kernel is a kernel of divided columns, also inside others", {
  p <- problem()
  divisors <- c(2, 0.5, 10)
  fit <- freeridge(p$x, p$y, scaled_kernel(gaussian_kernel(1), divisors) + linear_kernel(), 0.3)
  expect_close(loo(fit), oracle_loo(p$x, p$y, fit$kernel, 0.3))
  expect_close(coef(freeridge(p$x, p$y, scaled_kernel(linear_kernel(), divisors), 0.3)),
               coef(freeridge(p$x, p$y, linear_kernel(), 0.3, scale = divisors)), 1e-12)
  chosen <- freeridge(p$x, p$y, scaled_kernel(gaussian_kernel(), divisors), scale = FALSE, lengths = "one")
  expect_identical(chosen$kernel$inner$sigma, chosen_bandwidth(chosen, divisors))
  expect_refusal(scaled_kernel(1, 2), "kernel must be a kernel such as gaussian_kernel\\(\\), not 1")
  expect_refusal(scaled_kernel(linear_kernel(), "a"), 'scale must be positive numbers, one for each column, not "a"')
  expect_refusal(scaled_kernel(linear_kernel(), c(1, 0)), "scale\\[2\\] is 0")
  expect_refusal(freeridge(p$x, p$y, scaled_kernel(linear_kernel(), 1:2), 1), "columns|d = ", "freeridge_dimension_mismatch")
})

test_that("an additive kernel is the mean over terms of the columns", {
  p <- problem()
  inner <- matern_kernel(1.5, 1) + 0.5 * linear_kernel()
  for (kernel in list(additive_kernel(inner), additive_kernel(inner, c("a", "b", "a")), additive_kernel(inner, c(NA, 2, 1)),
                      scaled_kernel(gaussian_kernel(2) + 3 * additive_kernel(laplacian_kernel(1)), c(2, 0.5, 10)))) {
    fit <- freeridge(p$x, p$y, kernel, 0.3)
    expect_close(loo(fit), oracle_loo(p$x, p$y, kernel, 0.3))
    expect_close(predict(fit, p$new), oracle_predict(oracle_fit(p$x, p$y, kernel, 0.3), p$new), 1e-9)
    expect_identical(parse_kernel(as.character(kernel)), kernel)
  }
  expect_identical(additive_kernel(inner, c("b", NA, "a", "b"))$label, c(0L, -1L, 1L, 0L))
  expect_output(print(additive_kernel(gaussian_kernel(), c(1, 1, NA))), "additive([0, 0, -1], gaussian(sigma = to be chosen))",
                fixed = TRUE)
  one <- freeridge(p$x, p$y, additive_kernel(gaussian_kernel()), lengths = "one")
  expect_identical(one$kernel$inner$sigma, chosen_bandwidth(one))
  each <- freeridge(p$x, p$y, additive_kernel(gaussian_kernel()))
  expect_identical(each$kernel, scaled_kernel(additive_kernel(gaussian_kernel(1)), each$kernel$scale))
  expect_refusal(additive_kernel(1), "kernel must be a kernel such as gaussian_kernel\\(\\), not 1")
  expect_refusal(additive_kernel(inner, c(NA, NA)), "terms must be labels, one for each column, NA for a column in no term")
  expect_refusal(additive_kernel(inner, list(1)), "terms must be labels")
  expect_refusal(additive_kernel(scaled_kernel(inner, 1)), "inner has a scaled kernel", "freeridge_invalid_argument")
  expect_refusal(freeridge(p$x, p$y, additive_kernel(inner, 1:2), 1), "labels of d = 2", "freeridge_dimension_mismatch")
})

test_that("scales and weights that are left open are learnt, scales for all parts together", {
  p <- problem(n = 40L)
  kernel <- scaled_kernel(gaussian_kernel() + NA * linear_kernel() + 2 * additive_kernel(laplacian_kernel()))
  expect_output(print(kernel), "scaled([to be chosen], 1 * gaussian(sigma = to be chosen) + to be chosen * linear()", fixed = TRUE)
  expect_identical(unname(hyperparameters(kernel)), c(NA, 1, NA, NA, 2, NA))
  fit <- freeridge(p$x, p$y, kernel)
  numbers <- fit$learning$numbers
  expect_identical(numbers$name[numbers$free], c(paste0("scaled.scale[", 0:2, "]"), "scaled.sum.weight[1]"))
  expect_identical(fit$kernel$inner$weights[c(1L, 3L)], c(1, 2))
  expect_identical(fit$kernel$inner$terms[[1L]]$sigma, 1)
  one <- freeridge(p$x, p$y, kernel, lengths = "one")
  expect_identical(length(unique(one$kernel$scale)), 1L)
  expect_identical(one$learning$learnt, 2)
  expect_true(kernel == scaled_kernel(gaussian_kernel() + NA * linear_kernel() + 2 * additive_kernel(laplacian_kernel())))
  expect_false(kernel == scaled_kernel(gaussian_kernel() + linear_kernel() + 2 * additive_kernel(laplacian_kernel())))
  weights <- freeridge(p$x, p$y, NA * gaussian_kernel(1) + 3 * linear_kernel())
  expect_identical(weights$learning$numbers$name[weights$learning$numbers$free], "sum.weight[0]")
  expect_identical(weights$kernel$weights[2L], 3)
  expect_refusal(NaN * linear_kernel(), "by one positive number, not by NaN")
})

test_that("text that is no kernel is refused with the place", {
  expect_refusal(parse_kernel("gauss(sigma = 1)"), "character 1", "freeridge_invalid_argument")
  expect_refusal(parse_kernel("gaussian(sigma = 0)"), "sigma is 0", "freeridge_invalid_argument")
  expect_refusal(parse_kernel("gaussian(sigma = to be chosen)"), "character 18", "freeridge_invalid_argument")
  expect_refusal(parse_kernel(""), "character 1", "freeridge_invalid_argument")
  expect_refusal(parse_kernel(3), "text must be one string, not 3")
  expect_refusal(parse_kernel(c("a", "b")), "text must be one string")
  expect_refusal(parse_kernel(NA_character_), "text must be one string, not NA")
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
    fit <- freeridge(p$x, p$y, kernel, lengths = "one")
    expect_false(chooses_bandwidth(fit$kernel))
    expect_identical(fit$kernel, with_bandwidth(kernel, chosen_bandwidth(fit)))
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
})

test_that("operators that kernels do not have, and numbers that are added, get a sentence", {
  kernel <- gaussian_kernel(2)
  expect_refusal(kernel + 3, "can be added to a kernel only, not to 3; a constant would change nothing, as the intercept")
  expect_refusal(3 + kernel, "can be added to a kernel only, not to 3; a constant")
  expect_refusal(kernel + "a", 'can be added to a kernel only, not to "a"$')
  for (call in list(quote(kernel - 1), quote(-kernel), quote(kernel / 2), quote(kernel^2), quote(1 < kernel), quote(!kernel),
                    quote(kernel - kernel), quote(kernel & TRUE))) {
    condition <- expect_refusal(eval(call), "kernels have no operator")
    expect_match(conditionMessage(condition), paste0(as.character(call[[1L]]), "; they have +, *"), fixed = TRUE)
  }
})
