problem <- function(n = 60, d = 3) {
  set.seed(5)
  x <- matrix(rnorm(n * d), n)
  list(x = x, y = sin(x[, 1]) + rnorm(n) / 10)
}

test_that("a fit explains its route", {
  p <- problem()
  fit <- freeridge(p$x, p$y, gaussian_kernel(2))
  text <- explain(fit)
  expect_s3_class(text, "freeridge_explanation")
  expect_match(text, paste0("^route ", toupper(fit$route), ": the fastest that fits into memory\n"))
  expect_match(text, "n = 60, d = 3, 1 output, gaussian(sigma = 2), 100 lambdas, with rows left out", fixed = TRUE)
  for (route in c("CHOLESKY", "SPECTRAL", "BAND")) {
    expect_match(text, paste0("\n[* ] ", route, " +[0-9.]+ [KMG]iB +[0-9.e+-]+ s"))
  }
  expect_match(text, "PRIMAL +needs a linear kernel")
  expect_output(print(text), "memory +time")
  expect_output(expect_identical(print(text), text))
})

test_that("what the fit expected counts", {
  p <- problem()
  expect_match(explain(freeridge(p$x, p$y, gaussian_kernel(2), 0.1)), "^route CHOLESKY")
  expect_match(explain(freeridge(p$x, p$y, gaussian_kernel(2), 0.1)), "1 lambda,", fixed = TRUE)
  expect_match(explain(unjudged(freeridge(p$x, p$y, gaussian_kernel(2), criterion = "gcv"))), "without leaving rows out")
  expect_match(explain(freeridge(p$x, p$y, gaussian_kernel(2), route = "band")), "^route BAND: the route was set")
  expect_match(explain(freeridge(p$x, p$y, linear_kernel())), "^route PRIMAL: the kernel is linear")
  expect_match(explain(freeridge(p$x, p$y, gaussian_kernel(2), landmarks = 10)), "^route LANDMARK: landmarks are set")
})

test_that("explain refuses what it does not know", {
  p <- problem()
  fit <- freeridge(p$x, p$y, gaussian_kernel(2))
  expect_error(explain(fit, 3))
  expect_error(explain(1))
})

test_that("the band route gives what the spectral route gives", {
  p <- problem(150)
  band <- freeridge(p$x, p$y, gaussian_kernel(1), route = "band")
  spectral <- freeridge(p$x, p$y, gaussian_kernel(1), route = "spectral")
  expect_identical(band$route, "band")
  expect_null(band$rank)
  expect_equal(band$score, spectral$score, tolerance = 1e-12)
  expect_equal(unname(band$lambda), unname(spectral$lambda), tolerance = 1e-5)
  for (lambda in c(1e-3, 0.1, 10)) {
    expect_equal(loo(band, lambda), loo(spectral, lambda), tolerance = 1e-10)
    expect_equal(predict(band, p$x[1:9, ] / 2, lambda), predict(spectral, p$x[1:9, ] / 2, lambda), tolerance = 1e-10)
  }
  leverages <- function(route) hatvalues(freeridge(p$x, p$y, gaussian_kernel(1), 0.1, route = route))
  expect_equal(leverages("band"), leverages("spectral"), tolerance = 1e-10)
  # below the rounding of K there is no answer, and the automatic choice finds one
  wide <- gaussian_kernel(100)
  expect_error(freeridge(p$x, p$y, wide, 0, route = "band"), class = "freeridge_not_positive_definite")
})
