# Choosing lambda and the bandwidth.

criteria <- c("loo", "gcv", "reml", "groups")
groups <- rep_len(c(1, 2, 3, NA), 20L)

test_that("scores equal their definitions", {
  p <- problem()
  lambdas <- c(1e-2, 1, 50)
  for (kernel in kernels()) for (intercept in c(FALSE, TRUE)) for (weighted in c(FALSE, TRUE)) {
    weights <- if (weighted) p$weights
    fit <- freeridge(p$x, p$y, kernel, 1, intercept = intercept, weights = weights, groups = groups)
    path <- lambda_path(fit, lambdas)
    for (criterion in criteria) {
      expected <- vapply(lambdas, function(lambda) {
        oracle_score(criterion, p$x, p$y, kernel, lambda, weights, intercept, groups)
      }, 0)
      expect_close(path[[criterion]], expected)
    }
  }
})

test_that("the chosen lambda is never worse than a grid of 400", {
  for (seed in 1:3) for (kernel in kernels()) {
    p <- problem(20L, 3L, 2L, seed)
    for (criterion in criteria) {
      fit <- freeridge(p$x, p$y, kernel, criterion = criterion, groups = groups, weights = p$weights)
      searched <- range(fit$lambda_search$lambda)
      grid <- exp(seq(log(searched[1L]), log(searched[2L]), length.out = 400L))
      path <- lambda_path(fit, grid, criterion)
      for (j in 1:2) {
        lowest <- min(path[[criterion]][path$output == fit$outputs[j]])
        expect_lte(fit$score[[j]], lowest + 1e-12 * abs(lowest))
        at_choice <- lambda_path(fit, fit$lambda[[j]], criterion)
        expect_close(at_choice[[criterion]][j], fit$score[[j]], 1e-10)
      }
    }
  }
})

test_that("every score that the search saw is kept", {
  p <- problem(t = 2L)
  fit <- freeridge(p$x, p$y, gaussian_kernel(2))
  search <- fit$lambda_search
  expect_named(search, c("lambda", "output", "score"))
  expect_identical(levels(search$output), c("y1", "y2"))
  for (output in c("y1", "y2")) {
    seen <- search[search$output == output, ]
    expect_gte(nrow(seen), 100L)
    expect_false(is.unsorted(seen$lambda))
    expect_equal(min(seen$score), fit$score[[output]])
    expect_true(fit$lambda[[output]] %in% seen$lambda)
  }
})

test_that("a choice at the end of the range is told", {
  # Up and down again and again: any slope makes left-out points worse, so no lambda is too large.
  fit <- freeridge(1:20, rep(c(1, -1), 10L), linear_kernel())
  expect_identical(fit$edge, 1L)
  expect_output(print(fit), "end of the range")
  p <- problem()
  inside <- freeridge(p$x, p$y, gaussian_kernel(2))
  expect_identical(inside$edge, 0L)
  expect_false(any(grepl("end of the range", capture.output(print(inside)))))
})

test_that("the bandwidth is chosen, with the best lambda of each bandwidth", {
  p <- problem(40L, 2L)
  fit <- freeridge(p$x, p$y)
  tried <- fit$bandwidth_search
  expect_named(tried, c("sigma", "score"))
  expect_gte(nrow(tried), 3L)
  expect_true(fit$kernel$sigma %in% tried$sigma)
  expect_equal(fit$scale, apply(p$x, 2L, sd))

  # Each row of the table is the best score over lambda at that sigma.
  best_at <- function(sigma, y) freeridge(p$x, y, gaussian_kernel(sigma), scale = TRUE)$score
  expect_close(tried$score, vapply(tried$sigma, best_at, 0, y = p$y), 1e-8)
  expect_close(fit$score, min(tried$score), 1e-8)

  # Several outputs: the sum of the scores, each in units of its variance.
  p <- problem(40L, 2L, 2L)
  p$y[, 2L] <- 10 * cos(p$y[, 2L])
  tried <- freeridge(p$x, p$y)$bandwidth_search
  variances <- colMeans(scale(p$y, scale = FALSE)^2)
  expect_close(tried$score, vapply(tried$sigma, function(sigma) sum(best_at(sigma, p$y) / variances), 0), 1e-8)
})

test_that("a given lambda is used also when the bandwidth is chosen", {
  p <- problem()
  fit <- freeridge(p$x, p$y, lambda = 2)
  expect_identical(fit$lambda, 2)
  expect_null(fit$lambda_search)
  again <- freeridge(p$x, p$y, gaussian_kernel(fit$kernel$sigma), 2, scale = fit$scale)
  expect_close(fitted(fit), fitted(again), 1e-10)
})

test_that("groups without a criterion are what the choice is made by", {
  p <- problem()
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), groups = groups)
  expect_identical(fit$criterion, "groups")
  named <- freeridge(p$x, p$y, gaussian_kernel(2), groups = c("u", "v", "w")[groups], criterion = "groups")
  expect_identical(named$lambda, fit$lambda)
  left <- !is.na(groups)
  expect_close(mean(group_errors(fit, groups)[left]^2), fit$score, 1e-10)
})

test_that("the path uses the range of the core and names its outputs", {
  p <- problem(t = 2L)
  colnames(p$y) <- c("left", "right")
  fit <- freeridge(p$x, p$y, gaussian_kernel(2))
  path <- lambda_path(fit)
  expect_named(path, c("lambda", "output", "loo", "gcv", "reml"))
  expect_identical(levels(path$output), c("left", "right"))
  expect_equal(nrow(path), 200L)
  expect_equal(range(path$lambda), range(fit$lambda_search$lambda))
})

test_that("a fit at one lambda gives the same path as one made for many", {
  p <- problem(30L, 2L)
  one <- freeridge(p$x, p$y, gaussian_kernel(2), 1)
  many <- freeridge(p$x, p$y, gaussian_kernel(2), 1, route = "spectral")
  expect_identical(one$route, "cholesky")
  expect_equal(lambda_path(one), lambda_path(many), tolerance = 1e-12)
  expect_equal(lambda_path(freeridge(p$x, p$y, gaussian_kernel(2), 1, route = "cholesky"), c(0.1, 10)),
               lambda_path(many, c(0.1, 10)), tolerance = 1e-9)
})
