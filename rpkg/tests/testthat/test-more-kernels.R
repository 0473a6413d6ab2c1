# Kernels of terms, of a period, on the sphere: values by their formulas, and what freeridge() learns of them.

values <- function(kernel, x) kernel_matrix(kernel, x)
x <- matrix(sin(1:24) * 3, 8, 3)
distances <- function(k) abs(outer(x[, k], x[, k], "-"))

test_that("products over columns and ANOVA kernels are their formulas", {
  l1 <- exp(-(distances(1) + distances(2) + distances(3)) / 2)
  expect_close(values(multiplicative_kernel(laplacian_kernel(2)), x), l1, 1e-14)
  terms <- exp(-sqrt(distances(1)^2 + distances(3)^2)) * exp(-distances(2))
  expect_close(values(multiplicative_kernel(laplacian_kernel(1), c("a", "b", "a")), x), terms, 1e-14)
  anova <- (1 + 0.3 * exp(-distances(1)^2)) * (1 + 2 * exp(-distances(2)^2))
  expect_close(values(anova_kernel(gaussian_kernel(1), c("a", "b", NA), c(0.3, 2)), x), anova, 1e-14)
  expect_close(values(multiplicative_kernel(constant_kernel() + 0.5 * gaussian_kernel(1)), x),
               (1 + exp(-distances(1)^2) / 2) * (1 + exp(-distances(2)^2) / 2) * (1 + exp(-distances(3)^2) / 2), 1e-14)
})

test_that("periodic kernels and kernels on the sphere are their formulas, and positive semi-definite", {
  l <- 0.7
  expect_close(values(periodic_kernel(1.3, gaussian_kernel(sqrt(2) * l)), x[, 1, drop = FALSE]),
               exp(-2 * sin(pi * distances(1) / 1.3)^2 / l^2), 1e-13)
  set.seed(3)
  places <- cbind(stats::runif(60, -180, 180), stats::runif(60, -90, 90))
  at <- places * pi / 180
  unit <- cbind(cos(at[, 2]) * cos(at[, 1]), cos(at[, 2]) * sin(at[, 1]), sin(at[, 2]))
  chord <- as.matrix(stats::dist(unit))
  for (nu in c(0.5, 1.5, 2.5)) {
    k <- values(sphere_kernel(matern_kernel(nu, 0.8)), places)
    expect_close(k, values(matern_kernel(nu, 0.8), unit), 1e-13)
    expect_gt(min(eigen(k, TRUE)$values), 0)
  }
  expect_close(values(sphere_kernel(laplacian_kernel(0.5)), places), exp(-chord / 0.5), 1e-13)
})

test_that("as text and back, in pieces, and what is refused", {
  for (k in list(multiplicative_kernel(matern_kernel(1.5, 1 / 3), c(2, NA, 2)), constant_kernel(),
                 periodic_kernel(1 / 3, laplacian_kernel(2)), sphere_kernel(gaussian_kernel(0.1)),
                 anova_kernel(gaussian_kernel(1), 1:3, 1:3))) {
    expect_true(parse_kernel(as.character(k)) == k)
  }
  expect_identical(format(periodic_kernel(12)), "periodic(period = 12, gaussian(sigma = to be chosen))")
  expect_identical(names(hyperparameters(periodic_kernel(12, gaussian_kernel(2)))),
                   c("periodic.period", "periodic.gaussian.sigma"))
  expect_refusal(periodic_kernel(), "period is missing")
  expect_refusal(periodic_kernel(-1), "period is -1; it must be positive")
  expect_refusal(periodic_kernel(1, linear_kernel()), "within periodic it must be a kernel of the distance")
  expect_refusal(sphere_kernel(2), "kernel must be a kernel")
  expect_refusal(multiplicative_kernel(scaled_kernel(gaussian_kernel(), 1)), "scale the multiplicative kernel")
  expect_refusal(anova_kernel(gaussian_kernel(1), 1:3, c(1, 2)), "one for each of the 3 terms")
  expect_refusal(anova_kernel(gaussian_kernel(1), 1:2, -1), "positive number")
  expect_refusal(freeridge(x, x[, 1], sphere_kernel(gaussian_kernel(1))), "two, longitude and latitude")
  expect_refusal(freeridge(x, x[, 1], periodic_kernel(1), scale = TRUE), "period or angles in units of x")
  expect_refusal(freeridge(x, x[, 1], sphere_kernel), "with brackets")
})

test_that("a period is found, and the season is predicted a year ahead", {
  set.seed(4)
  time <- sort(stats::runif(120, 0, 8))
  season <- function(t) sin(2 * pi * t / 1.37) + 0.5 * cos(4 * pi * t / 1.37)
  data <- data.frame(time = time, y = season(time) + stats::rnorm(120, sd = 0.1))
  fit <- freeridge(y ~ time, data, kernel = periodic_kernel(1.3), learn = "all")
  expect_null(fit$scale)
  expect_equal(hyperparameters(fit)[["periodic.period"]], 1.37, tolerance = 0.005)
  ahead <- data.frame(time = seq(8, 9.37, length.out = 30))
  expect_lt(sqrt(mean((predict(fit, ahead) - season(ahead$time))^2)), 0.1)
  held <- freeridge(y ~ time, data, kernel = periodic_kernel(1.3))
  expect_identical(hyperparameters(held)[["periodic.period"]], 1.3)
  expect_gt(held$score, fit$score)
  slopes <- marginal_effects(fit)$effects
  h <- 1e-4
  moved <- function(by) predict(fit, data.frame(time = time + by))
  expect_close(as.vector(slopes), as.vector(moved(h) - moved(-h)) / (2 * h), 1e-5)
  expect_identical(predict(unserialize(serialize(fit, NULL)), ahead), predict(fit, ahead))
})

test_that("an ANOVA kernel says which columns act alone and which together, and a sphere finds its length", {
  set.seed(6)
  x <- matrix(stats::runif(600, -1, 1), 200, 3, dimnames = list(NULL, c("a", "b", "c")))
  y <- sin(3 * x[, 1]) * cos(2 * x[, 2]) + stats::rnorm(200, sd = 0.05)
  fit <- freeridge(x, y, anova_kernel(matern_kernel(2.5), colnames(x)))
  numbers <- hyperparameters(fit)
  weights <- numbers[grepl("weight\\[1\\]$", names(numbers))]
  expect_length(weights, 3L)
  rmse <- function(fit) sqrt(mean(loo(fit)^2))
  expect_lt(rmse(fit), 0.1)
  expect_lt(weights[[3L]], 0.1 * min(weights[1:2]))
  places <- quakes[seq(1, 1000, 7), c("long", "lat")]
  depth <- quakes$depth[seq(1, 1000, 7)]
  sphere <- freeridge(as.matrix(places), depth, sphere_kernel())
  plain <- freeridge(as.matrix(places), depth, matern_kernel(), lengths = "one", scale = FALSE)
  expect_lt(rmse(sphere), 1.1 * rmse(plain))
  expect_refusal(marginal_effects(sphere), "not differentiable")
})
