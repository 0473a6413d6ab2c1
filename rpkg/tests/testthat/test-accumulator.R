# An accumulator against a fit to all rows at once, whatever the chunks were.

chunks <- list(1:7, 8L, 9:25, 26:40)

filled <- function(p, t = NCOL(p$y), intercept = TRUE, weights = NULL, parts = chunks) {
  accumulator <- ridge_accumulator(ncol(p$x), t, intercept)
  y <- as.matrix(p$y)
  for (rows in parts) accumulate(accumulator, p$x[rows, , drop = FALSE], y[rows, , drop = FALSE], weights[rows])
  accumulator
}

test_that("coefficients, scores and errors left out are those of all rows at once", {
  for (t in 1:2) for (intercept in c(TRUE, FALSE)) for (weighted in c(TRUE, FALSE)) {
    p <- problem(40L, 3L, t)
    weights <- if (weighted) p$weights
    accumulator <- filled(p, intercept = intercept, weights = weights)
    lambdas <- c(0, 0.3, 20)
    fit <- freeridge(p$x, p$y, linear_kernel(), 1, intercept = intercept, weights = weights)
    all_coef <- coef(accumulator, lambdas)
    all_loo <- loo(accumulator, p$x, p$y, lambdas, weights)
    for (l in seq_along(lambdas)) {
      expect_close(coef(accumulator, lambdas[l]), coef(fit, lambdas[l]), 1e-10)
      expect_close(if (t == 1L) all_coef[, l] else all_coef[, , l], coef(fit, lambdas[l]), 1e-10)
      expect_close(if (t == 1L) all_loo[, l] else all_loo[, , l], loo(fit, lambdas[l]), 1e-10)
    }
    path <- lambda_path(fit, lambdas[-1L])
    for (part in c("training", "norm2", "objective"))
      expect_equal(score(accumulator, part, lambdas[-1L])$score, lambda_path(fit, lambdas[-1L], part)[[part]])
    for (criterion in c("gcv", "reml")) {
      expect_close(score(accumulator, criterion, lambdas[-1L])$score, path[[criterion]], 1e-9)
    }
    expect_close(lambda_grid(accumulator, 5), lambda_grid(fit, 5), 1e-9)
    expect_identical(names(score(accumulator, "gcv")), names(lambda_path(fit, 1, "gcv"))[seq_len(t)] |> c("score"))
  }
})

test_that("accumulators are references, and can be merged", {
  p <- problem(40L, 3L, 2L)
  whole <- filled(p)
  first <- filled(p, parts = chunks[1:2])
  second <- filled(p, parts = chunks[3:4])
  expect_identical(merge(first, second), first)
  expect_equal(nobs(first), 40)
  expect_equal(nobs(second), 32)
  expect_close(coef(first, 0.5), coef(whole, 0.5), 1e-12)
  same <- first
  accumulate(same, p$x[1, , drop = FALSE], p$y[1, , drop = FALSE])
  expect_equal(nobs(first), 41)
  expect_output(print(whole), "Ridge accumulator: 40 rows of 3 features and 2 outputs, with intercept", fixed = TRUE)
  expect_output(print(filled(p, weights = p$weights, intercept = FALSE)), "without intercept; sum of weights: ")
})

test_that("columns are found by the names that the first rows had", {
  p <- problem(40L, 3L, 2L)
  colnames(p$x) <- c("a", "b", "c")
  colnames(p$y) <- c("u", "v")
  whole <- coef(freeridge(p$x, p$y, linear_kernel(), 0.5))
  rows <- 1:20
  turned <- function(from) accumulate(from, cbind(id = 1, p$x[-rows, c("c", "a", "b")]), p$y[-rows, c("v", "u")])
  first <- function(x = p$x, y = p$y) accumulate(ridge_accumulator(3, 2), x[rows, ], y[rows, ])
  accumulator <- turned(first())
  expect_equal(coef(accumulator, 0.5), whole)  # names, too
  expect_equal(coef(turned(accumulator_from_bytes(unserialize(serialize(accumulator_bytes(first()), NULL)))), 0.5), whole)
  expect_equal(coef(accumulate(first(data.frame(p$x)), data.frame(p$x)[-rows, 3:1], p$y[-rows, ]), 0.5), whole)
  expect_equal(unname(coef(accumulate(first(), unname(p$x[-rows, ]), unname(p$y[-rows, ])), 0.5)), unname(whole))
  expect_equal(loo(accumulator, p$x[, 3:1], p$y[, 2:1], 0.5), loo(accumulator, p$x, p$y, 0.5))
  expect_equal(squared_errors(accumulator, p$x[, 3:1], p$y[, 2:1], 1), squared_errors(accumulator, p$x, p$y, 1))
  expect_identical(levels(score(accumulator, "gcv", 1)$output), c("u", "v"))
  expect_refusal(accumulate(accumulator, `colnames<-`(p$x, c("a", "b", "d")), p$y), "x has no column 'c'")
  expect_refusal(accumulate(accumulator, p$x, `colnames<-`(p$y, c("u", "w"))), "y has no column 'v'")
  other <- accumulate(ridge_accumulator(3, 2), p$x[, 3:1], p$y)
  expect_refusal(merge(accumulator, other), "column 1 of x is 'a' in one accumulator and 'c' in the other: give accumulate")
  bare <- accumulate(ridge_accumulator(3, 2), unname(p$x[-rows, ]), unname(p$y[-rows, ]))
  expect_equal(coef(merge(bare, first()), 0.5), whole)
})

test_that("bytes and accumulator are one to one", {
  p <- problem(40L, 3L)
  for (intercept in c(TRUE, FALSE)) {
    accumulator <- filled(p, intercept = intercept, weights = p$weights)
    copy <- accumulator_from_bytes(accumulator_bytes(accumulator))
    expect_identical(copy$intercept, intercept)
    expect_identical(coef(copy, 0.1), coef(accumulator, 0.1))
    accumulate(copy, p$x, p$y)
    accumulate(accumulator, p$x, p$y)
    expect_identical(accumulator_bytes(copy), accumulator_bytes(accumulator))
  }
  empty <- accumulator_from_bytes(accumulator_bytes(ridge_accumulator(2, 3, FALSE)))
  expect_equal(nobs(empty), 0)
  bytes <- accumulator_bytes(accumulator)
  expect_refusal(accumulator_from_bytes(bytes[-1L]), "", "freeridge_corrupt")
  expect_refusal(accumulator_from_bytes(replace(bytes, 30L, xor(bytes[30L], as.raw(1)))), "", "freeridge_corrupt")
  expect_refusal(accumulator_from_bytes(raw()), "bytes must be raw bytes")
  expect_refusal(accumulator_from_bytes(1:3), "bytes must be raw bytes made by accumulator_bytes\\(\\), not an integer")
})

test_that("squared errors of rows that were not added are those of the solutions, and add up", {
  for (t in 1:2) for (intercept in c(TRUE, FALSE)) {
    p <- problem(40L, 3L, t)
    y <- as.matrix(p$y)
    train <- filled(p, intercept = intercept, weights = p$weights, parts = chunks[1:3])
    fresh <- chunks[[4L]]
    lambdas <- c(0, 0.3, 20)
    of <- function(rows, weights = p$weights) {
      squared_errors(train, p$x[rows, , drop = FALSE], y[rows, , drop = FALSE], lambdas, weights[rows])
    }
    found <- of(fresh)
    expect_identical(names(found), c("lambda", if (t > 1L) "output", "weight", "squares"))
    expected <- vapply(lambdas, function(lambda) {
      design <- if (intercept) cbind(1, p$x[fresh, ]) else p$x[fresh, ]
      colSums(p$weights[fresh] * (y[fresh, , drop = FALSE] - design %*% coef(train, lambda))^2)
    }, numeric(t))
    expect_close(found$squares, if (t > 1L) t(expected) else expected, 1e-10)
    expect_close(found$weight, rep(sum(p$weights[fresh]), 3L * t), 1e-13)
    expect_close(of(fresh[1:4])$squares + of(fresh[-(1:4)])$squares, found$squares, 1e-12)
    # rows of weight zero do not count
    expect_equal(of(fresh, replace(p$weights, fresh[1:4], 0)), of(fresh[-(1:4)]))
    expect_equal(of(fresh, rep(0, 40))[c("weight", "squares")], data.frame(weight = rep(0, 3L * t), squares = 0))
  }
  expect_identical(squared_errors(train, p$x, p$y)$lambda[1:100], lambda_grid(train))
  expect_refusal(squared_errors(train, p$x), "x and y are needed: rows that were not added")
  expect_refusal(squared_errors(train, p$x, p$y, -1), "lambdas is -1")
  expect_refusal(squared_errors(train, p$x[, 1:2], p$y, 1), "x has 2 columns, the accumulator has d = 3")
  expect_refusal(squared_errors(train, replace(p$x, 1, NA), p$y, 1), "x\\[1, 1\\] is NA")
  expect_refusal(squared_errors(ridge_accumulator(3, 2), p$x, p$y, 1), "accumulate\\(\\) adds some", "freeridge_invalid_state")
  expect_refusal(squared_errors(1), "squared_errors\\(\\) takes")
})

test_that("a leverage of one has no error left out", {
  accumulator <- accumulate(ridge_accumulator(1), c(0, 0, 0, 1), 1:4)
  words <- "undefined \\(NaN\\) at row 4: the leverage is one"
  expect_warning(errors <- loo(accumulator, c(0, 0, 0, 1), 1:4, 0), words, class = "freeridge_undefined")
  expect_equal(errors, c(-1, 0, 1, NaN) * 1.5)
})

test_that("bad input is refused, and leaves the accumulator as it was", {
  expect_refusal(ridge_accumulator(), "d is missing")
  expect_refusal(ridge_accumulator(0), "d must be one whole number >= 1, not 0")
  expect_refusal(ridge_accumulator(2, -1), "t must be one whole number >= 1, not -1")
  expect_refusal(ridge_accumulator(2, 1, NA), "intercept must be TRUE or FALSE")
  p <- problem()
  accumulator <- ridge_accumulator(3)
  expect_refusal(coef(accumulator, 1), "", "freeridge_invalid_state")
  expect_refusal(score(accumulator, "gcv", 1), "", "freeridge_invalid_state")
  accumulate(accumulator, p$x, p$y)
  before <- accumulator_bytes(accumulator)
  expect_refusal(accumulate(3, p$x, p$y), "accumulator must be an accumulator made by ridge_accumulator\\(\\), not 3")
  expect_refusal(accumulate(accumulator), "x is missing")
  expect_refusal(accumulate(accumulator, p$x), "y is missing")
  expect_refusal(accumulate(accumulator, p$x[, 1:2], p$y), "x has 2 columns, the accumulator has d = 3")
  expect_refusal(accumulate(accumulator, p$x, cbind(p$y, p$y)), "y has 2 columns, the accumulator has t = 1")
  expect_refusal(accumulate(accumulator, p$x, p$y[-1]), "y has 19 rows, x has 20")
  expect_refusal(accumulate(accumulator, replace(p$x, 1, NaN), p$y), "x\\[1, 1\\] is NaN")
  expect_refusal(accumulate(accumulator, p$x, p$y, rep(-1, 20)), "weights\\[1\\] is -1")
  expect_refusal(merge(accumulator, 2), "y must be an accumulator")
  expect_refusal(merge(accumulator, accumulator), "", "freeridge_invalid_argument")
  expect_refusal(merge(accumulator, ridge_accumulator(2)), "", "freeridge_dimension_mismatch")
  expect_refusal(merge(accumulator, ridge_accumulator(3, intercept = FALSE)), "intercept", "freeridge_dimension_mismatch")
  expect_refusal(coef(accumulator), "lambda is missing")
  expect_refusal(coef(accumulator, -1), "lambda is -1")
  expect_refusal(score(accumulator), "criterion is missing")
  expect_refusal(score(accumulator, "loo"), 'criterion must be one of "gcv", "reml"')
  expect_refusal(loo(accumulator), "x and y are needed")
  expect_refusal(loo(accumulator, p$x, p$y), "lambda is missing")
  expect_refusal(lambda_grid(accumulator, 0), "count must be")
  expect_identical(accumulator_bytes(accumulator), before)
})
