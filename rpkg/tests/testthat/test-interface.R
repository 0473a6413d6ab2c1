# The matrix and the formula interface, names, and what a call leaves untouched.

test_that("the formula interface is the matrix interface", {
  cars <- mtcars
  cars$gear <- factor(cars$gear)
  fit <- freeridge(mpg ~ wt + hp + gear, cars, kernel = linear_kernel(), lambda = 2)
  x <- model.matrix(~ wt + hp + gear, cars)[, -1L]
  direct <- freeridge(x, cars$mpg, linear_kernel(), 2)
  expect_identical(coef(fit), coef(direct))
  expect_identical(names(coef(fit)), c("(Intercept)", colnames(x)))
  expect_identical(loo(fit), loo(direct))
  expect_identical(names(fitted(fit)), rownames(mtcars))
  expect_equal(predict(fit, cars[3:5, ]), fitted(fit)[3:5])
  expect_equal(predict(fit, cars[3, ]), fitted(fit)[3])  # one level of the factor only
  expect_equal(formula(fit), mpg ~ wt + hp + gear, ignore_formula_env = TRUE)
})

test_that("predictions use the contrasts of the fit, whatever the session's are", {
  old <- options(contrasts = c("contr.sum", "contr.poly"))
  on.exit(options(old))
  fit <- freeridge(mpg ~ wt + factor(gear), mtcars, kernel = linear_kernel(), lambda = 2)
  options(old)
  expect_equal(predict(fit, mtcars), fitted(fit))
})

test_that("subset, na.action, weights and groups go with the rows", {
  cars <- mtcars
  cars$hp[4L] <- NA
  cars$w <- seq(0.5, 2, length.out = 32L)
  cars$maker <- rep_len(c("a", "b", NA), 32L)
  fit <- freeridge(mpg ~ wt + hp, cars, subset = cyl > 4, weights = w, groups = maker, kernel = linear_kernel())
  rows <- which(cars$cyl > 4 & !is.na(cars$hp))
  expect_identical(nobs(fit), length(rows))
  direct <- freeridge(as.matrix(cars[rows, c("wt", "hp")]), cars$mpg[rows], linear_kernel(), weights = cars$w[rows],
                      groups = cars$maker[rows])
  expect_identical(fit$lambda, direct$lambda)
  expect_equal(loo(fit), loo(direct))
  expect_equal(unname(weights(fit)), cars$w[rows])
  expect_output(print(fit), "1 observation deleted due to missingness")

  padded <- freeridge(mpg ~ wt + hp, cars, na.action = na.exclude, kernel = linear_kernel(), lambda = 1)
  for (values in list(fitted(padded), residuals(padded), loo(padded), rstandard(padded))) {
    expect_identical(names(values), rownames(cars))
    expect_identical(unname(which(is.na(values))), 4L)
  }
  expect_identical(which(hatvalues(padded) == 0), c("Hornet 4 Drive" = 4L))
  by_row <- group_errors(padded, rep_len(1:5, 32L))  # labels for all rows, or for those that are used
  expect_identical(which(is.na(by_row)), c("Hornet 4 Drive" = 4L))
  expect_identical(by_row, group_errors(padded, rep_len(1:5, 32L)[-4L]))
  complete <- freeridge(mpg ~ wt + hp, cars[-4L, ], kernel = linear_kernel(), lambda = 1)
  expect_equal(by_row[-4L], group_errors(complete, rep_len(1:5, 32L)[-4L]))
})

test_that("a formula without intercept has none, and several responses are several outputs", {
  fit <- freeridge(cbind(mpg, qsec) ~ wt + hp - 1, mtcars, kernel = linear_kernel(), lambda = c(1, 2))
  expect_false(fit$intercept)
  expect_identical(dimnames(coef(fit)), list(c("wt", "hp"), c("mpg", "qsec")))
  expect_identical(dimnames(fitted(fit)), list(rownames(mtcars), c("mpg", "qsec")))
  expect_identical(fit$lambda, c(mpg = 1, qsec = 2))
})

test_that("transformed responses and predictors work, and update() refits", {
  fit <- freeridge(log(mpg) ~ poly(wt, 2) + hp, mtcars, kernel = linear_kernel(), lambda = 1)
  expect_equal(predict(fit, mtcars[1:4, ]), fitted(fit)[1:4])
  other <- update(fit, . ~ . - hp, lambda = 3)
  expect_identical(unname(other$lambda), 3)
  expect_equal(formula(other), log(mpg) ~ poly(wt, 2), ignore_formula_env = TRUE)
  p <- problem()
  again <- update(freeridge(p$x, p$y, linear_kernel(), 1), lambda = 5)
  expect_identical(again$lambda, 5)
})

test_that("data frames, integers, logicals and vectors are numbers", {
  p <- problem()
  fit <- freeridge(p$x, p$y, linear_kernel(), 1)
  frame <- data.frame(a = p$x[, 1L], b = p$x[, 2L], c = p$x[, 3L])
  from_frame <- freeridge(frame, p$y, linear_kernel(), 1)
  expect_equal(unname(coef(from_frame)), unname(coef(fit)))
  expect_identical(names(coef(from_frame)), c("(Intercept)", "a", "b", "c"))
  expect_equal(predict(from_frame, frame[c("c", "a", "b")]), fitted(from_frame))  # by name, not by place

  whole <- matrix(c(1:6, 2:7), 6L)
  expect_equal(coef(freeridge(whole, 1:6, linear_kernel(), 1)), coef(freeridge(whole + 0, 1:6 + 0, linear_kernel(), 1)))
  expect_equal(coef(freeridge(whole > 3, 1:6, linear_kernel(), 1)),
               coef(freeridge((whole > 3) + 0, 1:6, linear_kernel(), 1)))
  line <- freeridge(1:10, 2 * (1:10), linear_kernel(), 0)
  expect_equal(unname(coef(line)), c(0, 2))
  expect_equal(predict(line, 20), 40)
})

test_that("results carry the names of rows and columns", {
  p <- problem(t = 2L)
  dimnames(p$x) <- list(paste0("row", 1:20), c("u", "v", "w"))
  colnames(p$y) <- c("one", "two")
  names <- list(rownames(p$x), colnames(p$y))
  fit <- freeridge(p$x, p$y, gaussian_kernel(2))
  expect_identical(dimnames(fitted(fit)), names)
  expect_identical(dimnames(residuals(fit)), names)
  expect_identical(dimnames(loo(fit)), names)
  expect_identical(dimnames(hatvalues(fit)), names)
  expect_identical(dimnames(coef(fit)), names)
  expect_identical(dimnames(predict(fit, p$x[2:3, ])), list(c("row2", "row3"), names[[2L]]))
  expect_identical(names(fit$lambda), names[[2L]])
  expect_identical(names(loo(freeridge(p$x, p$y[, 1L], gaussian_kernel(2)))), names[[1L]])
  expect_null(names(loo(freeridge(unname(p$x), unname(p$y[, 1L]), gaussian_kernel(2)))))
})

test_that("a matrix response gives matrices, also with one column", {
  p <- problem()
  fit <- freeridge(p$x, matrix(p$y), gaussian_kernel(2))
  expect_identical(dim(fitted(fit)), c(20L, 1L))
  expect_identical(dim(predict(fit, p$new)), c(7L, 1L))
})

test_that("an answer at another lambda does not disturb the fit", {
  p <- problem(t = 2L)
  for (route in c("spectral", "band", "cholesky")) {
    fit <- freeridge(p$x, p$y, gaussian_kernel(2), c(0.1, 1), route = route)
    other <- freeridge(p$x, p$y, gaussian_kernel(2), 50, route = route)
    before <- list(loo(fit), predict(fit, p$new), coef(fit), hatvalues(fit))
    expect_close(loo(fit, lambda = 50), loo(other), 1e-12)
    expect_close(predict(fit, p$new, lambda = 50), predict(other, p$new), 1e-12)
    expect_close(predict(fit, lambda = 50), fitted(other), 1e-12)
    expect_close(group_errors(fit, rep(1:4, 5L), lambda = 50), group_errors(other, rep(1:4, 5L)), 1e-12)
    expect_close(coef(fit, lambda = 50), coef(other), 1e-12)
    expect_error(loo(fit, lambda = -1), class = "freeridge_error")
    lambda_path(fit, c(1, 2))
    expect_identical(list(loo(fit), predict(fit, p$new), coef(fit), hatvalues(fit)), before)
  }
})
