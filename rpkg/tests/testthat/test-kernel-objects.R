# Kernels of kernlab, R functions and matrices of kernel values in place of the kernels of this package.

p <- problem()

test_that("an R function is the kernel it computes", {
  by_function <- freeridge(p$x, p$y, function(x, z) exp(-sum((x - z)^2) / 4), 0.3)
  direct <- freeridge(p$x, p$y, gaussian_kernel(2), 0.3)
  for (answer in list(fitted, loo, coef, hatvalues, residuals, cooks.distance, function(fit) predict(fit, p$new),
                      function(fit) predict(fit, p$new[2, , drop = FALSE], lambda = 2),
                      function(fit) group_errors(fit, rep(1:4, 5L)),
                      function(fit) as.matrix(lambda_path(fit, c(0.1, 1))),
                      function(fit) predict(fit, p$new, interval = "jackknife+"))) {
    expect_close(answer(by_function), answer(direct), 1e-9)
  }
  chosen <- freeridge(p$x, p$y, function(x, z) exp(-sum((x - z)^2) / 4))
  expect_close(log(chosen$lambda), log(freeridge(p$x, p$y, gaussian_kernel(2))$lambda), 1e-6)
  expect_output(print(by_function), "Kernel: function (x, z) exp(-sum((x - z)^2)/4)", fixed = TRUE)
  expect_output(print(by_function), "20 points, 3 features", fixed = TRUE)
  expect_identical(format(by_function$kernel), "function (x, z) exp(-sum((x - z)^2)/4)")
  expect_true(by_function$kernel == chosen$kernel)
  expect_false(by_function$kernel == as_kernel(function(x, z) exp(-sum((x - z)^2) / 5)))
  expect_false(by_function$kernel == linear_kernel())
  expect_match(format(as_kernel(function(x, z) sum(x * z) + sum(x) * sum(z) + prod(x) * prod(z) + max(x) * max(z))),
               "[.]{3}$")
})

test_that("with a formula, divided columns, names and factors", {
  gauss <- function(x, z) exp(-sum((x - z)^2) / 4)
  fit <- freeridge(mpg ~ wt + hp + factor(gear), mtcars, kernel = gauss, lambda = 0.1, scale = TRUE)
  direct <- freeridge(mpg ~ wt + hp + factor(gear), mtcars, kernel = gaussian_kernel(2), lambda = 0.1, scale = TRUE)
  expect_close(predict(fit, mtcars[5:1, ]), predict(direct, mtcars[5:1, ]), 1e-9)
  expect_identical(names(fitted(fit)), rownames(mtcars))
  expect_close(loo(fit), loo(direct), 1e-9)
  x <- as.matrix(mtcars[c("wt", "hp")])
  named <- freeridge(x, mtcars$mpg, gauss, 0.1)
  expect_identical(predict(named, x[1:3, 2:1]), predict(named, x[1:3, ]))
  expect_refusal(predict(named, x[1:3, "wt", drop = FALSE]), "newdata has no column 'hp'")
  expect_refusal(predict(named, unname(cbind(x, 1))), "newdata has 3 columns, the fit has 2")
  several <- freeridge(x, cbind(a = mtcars$mpg, b = mtcars$qsec), gauss, c(0.1, 1))
  expect_close(predict(several, x[1:3, ]), fitted(several)[1:3, ], 1e-9)
  species <- freeridge(Species ~ ., iris[seq(1, 150, 5), ], kernel = gauss, lambda = 0.1)
  expect_identical(predict(species, type = "class"),
                   predict(freeridge(Species ~ ., iris[seq(1, 150, 5), ], kernel = gaussian_kernel(2), lambda = 0.1),
                           type = "class"))
  landmarks <- freeridge(p$x, p$y, gauss, 0.3, landmarks = 1:8)
  expect_close(predict(landmarks, p$new), predict(freeridge(p$x, p$y, gaussian_kernel(2), 0.3, landmarks = 1:8), p$new),
               1e-8)
})

test_that("a precomputed matrix predicts from a matrix of cross values", {
  k <- oracle_kernel(gaussian_kernel(2), p$x, p$x)
  fit <- freeridge(k, p$y, precomputed_kernel(), 0.3)
  direct <- freeridge(p$x, p$y, gaussian_kernel(2), 0.3)
  expect_close(loo(fit), loo(direct), 1e-10)
  expect_close(predict(fit, oracle_kernel(gaussian_kernel(2), p$new, p$x)), predict(direct, p$new), 1e-10)
})

test_that("kernlab's kernels are ours with other parameters, or are evaluated by kernlab", {
  skip_if_not_installed("kernlab")
  pairs <- list(list(kernlab::rbfdot(0.3), gaussian_kernel(1 / sqrt(0.3))),
                list(kernlab::laplacedot(0.3), laplacian_kernel(1 / 0.3)),
                list(kernlab::vanilladot(), linear_kernel()),
                list(kernlab::polydot(3, 0.5, 2), polynomial_kernel(3, 0.5, 2)))
  for (pair in pairs) {
    fit <- freeridge(p$x, p$y, pair[[1L]], 0.3)
    expect_true(fit$kernel == pair[[2L]])
    # the values are kernlab's
    k <- kernlab::kernelMatrix(pair[[1L]], p$x)
    by_values <- freeridge(matrix(as.double(k), 20L), p$y, precomputed_kernel(), 0.3)
    expect_close(loo(fit), loo(by_values), 1e-9)
  }
  for (kernel in list(kernlab::besseldot(0.5, 1, 1), kernlab::anovadot(0.5, 2), kernlab::splinedot())) {
    x <- abs(p$x)
    fit <- freeridge(x, p$y, kernel, 0.3)
    cross <- function(z) matrix(as.double(kernlab::kernelMatrix(kernel, z, x)), nrow(z))
    by_values <- freeridge(cross(x), p$y, precomputed_kernel(), 0.3)
    expect_close(fitted(fit), fitted(by_values), 1e-9)
    expect_close(predict(fit, abs(p$new)), predict(by_values, cross(abs(p$new))), 1e-9)
    expect_match(format(fit$kernel), "^kernlab (bessel|anova|spline)kernel\\(")
  }
})

test_that("functions that are no kernels are refused", {
  by_function <- freeridge(p$x, p$y, function(x, z) exp(-sum((x - z)^2)), 1)
  expect_refusal(marginal_effects(by_function), "an R function, whose derivative is not known")
  expect_refusal(freeridge(p$x, p$y, linear_kernel() + freeridge(p$x, p$y, function(x, z) sum(x * z), 1)$kernel),
                 "an R function cannot be a part of another one")
  expect_refusal(2 * freeridge(p$x, p$y, function(x, z) sum(x * z), 1)$kernel, "cannot be a part of another one")
  expect_refusal(freeridge(p$x, p$y, function(x, z) c(1, 2), 1),
                 "one finite number .* it gave a numeric \\(length 2\\)")
  expect_refusal(freeridge(p$x, p$y, function(x, z) x[1L] - z[1L], 1), "symmetric", "freeridge_invalid_argument")
  expect_refusal(freeridge(replace(p$x, 3, NA), p$y, function(x, z) 1, 1), "x\\[3, 1\\] is NA")
})
