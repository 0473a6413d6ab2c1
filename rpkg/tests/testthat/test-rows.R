# Rows with missing values, no rows, and rows that do not count.

test_that("missing values in newdata give NA there, and no rows give none, as predict.lm has it", {
  cars <- transform(mtcars, gear = factor(gear))
  ours <- freeridge(mpg ~ log(hp) * gear + offset(qsec), cars, kernel = linear_kernel(), lambda = 0)
  theirs <- lm(mpg ~ log(hp) * gear + offset(qsec), cars)
  new <- cars[1:6, ]
  new$hp[2] <- NA
  new$gear[3] <- NA
  new$qsec[5] <- NA
  expect_equal(predict(ours, new), predict(theirs, new), tolerance = 1e-8)
  for (action in list(na.omit, na.exclude)) {  # lm adds the offsets of other rows here
    expect_identical(predict(ours, new, na.action = action), predict(ours, new)[c(1, 4, 6)])
  }
  expect_equal(predict(ours, new[0, ]), unname(predict(theirs, new[0, ])), ignore_attr = TRUE)
  expect_refusal(predict(ours, new, na.action = na.fail), "newdata has missing values in row 2 and 2 others")
  expect_refusal(marginal_effects(ours, new), "newdata has missing values in row 2 and 2 others")
  expect_refusal(marginal_effects(ours, new[0, ]), "newdata has no rows")

  p <- problem(20L, 3L, 2L)
  hole <- replace(p$new, 2, NA)
  for (kernel in list(linear_kernel(), gaussian_kernel(2), function(x, z) exp(-sum((x - z)^2)))) {
    fit <- freeridge(p$x, p$y, kernel, 1)
    for (arguments in list(list(), list(interval = "gp"), list(interval = "jackknife+"), list(lambda = c(0.1, 2, 3)))) {
      if (is.function(kernel) && identical(arguments$interval, "gp")) next  # k(x, x) of new points is not known
      ask <- function(new) do.call(predict, c(list(fit, new), arguments))
      found <- ask(hole)
      whole <- ask(p$new)
      expect_identical(dim(found), dim(whole))
      at <- slice.index(whole, 1L) == 2L
      expect_true(all(is.na(found[at])))
      expect_equal(found[!at], whole[!at], tolerance = 1e-12)
      expect_identical(dim(ask(p$new[0, ])), replace(dim(whole), 1L, 0L))
      expect_true(all(is.na(ask(NA * p$new))))
    }
    expect_refusal(predict(fit, replace(hole, 10, Inf)), "newdata\\[3, 2\\] is Inf")
  }
  classes <- freeridge(p$x, factor(p$y[, 1] > 3), gaussian_kernel(2), 1)
  expect_identical(which(is.na(predict(classes, hole, type = "class"))), 2L)
  logistic <- kernel_logistic(p$x, p$y[, 1] > 3, gaussian_kernel(2), 1)
  for (object in list(logistic, ols(p$x, p$y[, 1]))) {
    expect_identical(is.na(predict(object, hole)), is.na(hole[, 1]))
    expect_length(predict(object, hole[0, ]), 0L)
  }
  skip_if_not_installed("Matrix")
  sparse <- freeridge(Matrix::Matrix(p$x, sparse = TRUE), p$y, linear_kernel(), 1)
  expect_identical(is.na(predict(sparse, Matrix::Matrix(hole, sparse = TRUE))[, 1]), is.na(hole[, 1]))
  expect_refusal(predict(sparse, Matrix::Matrix(replace(hole, 10, Inf), sparse = TRUE)), "is Inf")
})

# A fit without the rows, and what it says of them.
test_that("rows of weight zero do not count, and have a prediction without themselves", {
  p <- problem(30L, 3L, 2L)
  rownames(p$x) <- paste0("case", 1:30)
  out <- c(2, 7, 30)
  weights <- replace(p$weights, out, 0)
  new <- p$new
  by_function <- function(x, z) exp(-sum((x - z)^2))
  works <- list(list(gaussian_kernel(2)), list(linear_kernel(), scale = TRUE), list(gaussian_kernel(), lambda = NULL),
                list(by_function, scale = TRUE), list(gaussian_kernel(2), landmarks = c(3, 8, 20)))
  for (work in works) {
    given <- function(rows, ...) {
      settings <- work
      settings$landmarks <- match(work$landmarks, rows)
      if (is.null(work$landmarks)) settings$landmarks <- NULL
      lambda <- if ("lambda" %in% names(work)) NULL else list(lambda = 0.3)
      do.call(freeridge, c(list(p$x[rows, ], p$y[rows, ], ...), lambda, settings[names(settings) != "lambda"]))
    }
    fit <- given(1:30, weights = weights)
    less <- given((1:30)[-out], weights = weights[-out])
    expect_equal(fit$lambda, less$lambda)
    expect_equal(predict(fit, new), predict(less, new), tolerance = 1e-10)
    digits <- if ("lambda" %in% names(work)) 1e-6 else 1e-9  # the lambda that is chosen is small
    there <- predict(less, p$x)
    expect_close(fitted(fit), there, digits)
    expect_close(residuals(fit), p$y - there, digits)
    errors <- p$y - there
    errors[-out, ] <- loo(less)
    expect_close(loo(fit), errors, digits)
    expect_identical(dimnames(loo(fit)), list(rownames(p$x), c("y1", "y2")))
    expect_close(hatvalues(fit)[out, ], rep(0, 6))
    expect_close(hatvalues(fit)[-out, ], hatvalues(less))
    expect_identical(nobs(fit), nobs(less))
    expect_equal(sigma(fit), sigma(less), tolerance = 1e-10)
    expect_equal(weights(fit), weights)
    groups <- rep(1:10, 3)
    expect_close(group_errors(fit, groups)[-out, ], group_errors(less, groups[-out]))
    if (is.null(work$landmarks) && !("lambda" %in% names(work)) && is.null(fit$scale)) for (i in out[1:2]) {  # a row of weight zero without its group, too
      rows <- setdiff((1:30)[-out], which(groups == groups[i]))
      without <- p$y[i, ] - predict(given(rows, weights = weights[rows]), p$x[i, , drop = FALSE])
      expect_close(group_errors(fit, groups)[i, ], drop(without), 1e-8)
      expect_true(all(is.nan(group_errors(fit, replace(groups, i, NA))[i, ])))
      expect_true(all(is.nan(group_errors(fit, groups, gap = rep(NA, 30))[i, ])))
    }
    if (!is.function(work[[1L]])) {
      intervals <- predict(less, p$x, interval = "jackknife+")
      expect_close(predict(fit, interval = "jackknife+"), intervals)
      effects <- marginal_effects(fit)
      expect_equal(effects$average, marginal_effects(less)$average, tolerance = 1e-8)
      expect_identical(which(is.na(effects$effects[, 1L, 1L])), stats::setNames(as.integer(out), paste0("case", out)))
    }
    if (!is.null(work$landmarks)) expect_equal(landmarks(fit)$rows, work$landmarks)
    again <- unserialize(serialize(fit, NULL))
    expect_close(loo(again), errors, digits)
    expect_close(fitted(again), there, digits)
  }
  k <- oracle_kernel(gaussian_kernel(2), p$x, p$x)
  fit <- freeridge(k, p$y, precomputed_kernel(), 0.3, weights = weights)
  less <- freeridge(p$x, p$y, gaussian_kernel(2), 0.3, weights = weights)
  expect_close(loo(fit), loo(less))
  expect_close(predict(fit, oracle_kernel(gaussian_kernel(2), new, p$x)), predict(less, new))
  expect_refusal(freeridge(p$x, p$y, gaussian_kernel(2), 1, weights = weights, landmarks = c(1, 7)),
                 "landmarks\\[2\\] is row 7, whose weight is 0")
  expect_refusal(freeridge(p$x, p$y, gaussian_kernel(2), weights = weights, groups = replace(rep(NA, 30), out, 1)),
                 "groups has no label at a row whose weight is positive")
  expect_refusal(group_errors(less, replace(rep(NA, 30), out, 1)), "group has no label at a row whose weight is positive")
  expect_refusal(freeridge(p$x, seq_len(30) == 7, gaussian_kernel(2), weights = weights), "a class whose rows all have weight 0")
})

test_that("rows of weight zero in a formula, with an offset, missing values and classes", {
  cars <- mtcars
  cars$hp[4] <- NA
  cars$w <- replace(cars$carb, c(2, 9), 0)
  for (action in list(na.omit, na.exclude)) {
    ours <- freeridge(mpg ~ wt + hp + offset(qsec), cars, weights = w, kernel = linear_kernel(), lambda = 0, na.action = action)
    theirs <- lm(mpg ~ wt + hp + offset(qsec), cars, weights = w, na.action = action)
    for (answer in list(fitted, residuals, weights, nobs, coef, vcov, deviance, df.residual, predict)) {
      expect_equal(answer(ours), answer(theirs), tolerance = 1e-8)
    }
    # lm leaves these out
    common <- intersect(names(hatvalues(ours))[-c(2, 9)], names(hatvalues(theirs)))
    expect_equal(hatvalues(ours)[common], hatvalues(theirs)[common], tolerance = 1e-8)
  }
  plain <- freeridge(mpg ~ wt, cars, weights = w, kernel = linear_kernel(), lambda = 0)
  theirs <- lm(mpg ~ wt, cars, weights = w)
  for (full in c(TRUE, FALSE)) expect_identical(case.names(plain, full = full), case.names(theirs, full = full))
  skip_if_not_installed("generics")
  expect_identical(nrow(generics::augment(ours, cars)), 32L)
  flowers <- freeridge(Species ~ ., iris, weights = rep(c(0, 1, 1), 50), kernel = gaussian_kernel(2), lambda = 0.1)
  expect_identical(dim(loo(flowers)), c(150L, 3L))
  expect_gt(mean(predict(flowers, type = "class") == iris$Species), 0.9)
})

test_that("classifiers and accumulators leave rows of weight zero out", {
  p <- problem(40L, 2L)
  weights <- replace(p$weights, c(3, 40), 0)
  y <- p$y > 3
  fit <- kernel_logistic(p$x, y, gaussian_kernel(1), 0.1, weights = weights)
  less <- kernel_logistic(p$x[-c(3, 40), ], y[-c(3, 40)], gaussian_kernel(1), 0.1, weights = weights[-c(3, 40)])
  expect_equal(fitted(fit), predict(less, p$x), tolerance = 1e-9)
  expect_equal(loo(fit)[c(3, 40)], predict(less, p$x[c(3, 40), ]), tolerance = 1e-9)
  expect_equal(loo(fit)[-c(3, 40)], loo(less), tolerance = 1e-9)
  expect_identical(as.vector(coef(fit))[c(3, 40)], c(0, 0))
  rows <- accumulate(ridge_accumulator(2), p$x, p$y, weights)
  expect_identical(nobs(rows), 38)
  line <- freeridge(p$x, p$y, linear_kernel(), 2, weights = weights)
  expect_equal(coef(rows, 2), coef(line), tolerance = 1e-10)
  expect_equal(loo(rows, p$x, p$y, 2, weights), loo(line), tolerance = 1e-9)
})

test_that("y ~ 1 is the mean, as lm has it", {
  for (weighted in c(FALSE, TRUE)) {
    cars <- transform(mtcars, w = if (weighted) carb else 1)
    ours <- freeridge(mpg ~ 1 + offset(wt), cars, weights = w)
    theirs <- lm(mpg ~ 1 + offset(wt), cars, weights = w)
    for (answer in list(coef, fitted, residuals, vcov, sigma, df.residual, confint, hatvalues, deviance, model.matrix,
                        function(fit) coef(summary(fit)), function(fit) predict(fit, mtcars[1:3, ]))) {
      expect_equal(answer(ours), answer(theirs), tolerance = 1e-8, ignore_attr = "assign")
    }
    expect_equal(loo(ours), residuals(theirs) / (1 - hatvalues(theirs)), tolerance = 1e-9)
  }
  expect_equal(coef(freeridge(mpg ~ 1, mtcars, kernel = gaussian_kernel(), lambda = 3)), c("(Intercept)" = mean(mtcars$mpg)))
  expect_equal(coef(update(ours, . ~ . + hp, kernel = linear_kernel(), lambda = 0)),
               coef(update(theirs, . ~ . + hp)), tolerance = 1e-8)
  expect_refusal(marginal_effects(ours), "no predictors, and no effects")
  expect_refusal(freeridge(mpg ~ 1, mtcars, foo = 2), "unknown argument: 'foo'")
})

test_that("where no row is left the message says why", {
  lost <- transform(mtcars, wt = NA_real_)
  expect_refusal(freeridge(mpg ~ wt, lost), "each of the 32 rows has a missing value; all are missing in wt")
  expect_refusal(freeridge(mpg ~ wt, mtcars, subset = wt > 100), "subset selects none of the 32 rows")
  expect_refusal(freeridge(mpg ~ wt, mtcars[0, ]), "the data have no rows")
  holes <- data.frame(y = c(1, NA), x = c(NA, 1))
  expect_refusal(freeridge(y ~ x, holes), "each of the 2 rows has a missing value$")
})

test_that("factors with a column for each level: rows without known levels, no rows, and rows that do not count", {
  frame <- data.frame(a = sin(1:30), f = rep(c("u", "v", "w"), 10), t = rep(c(TRUE, FALSE), 15))
  frame$y <- frame$a + 2 * (frame$f == "w") + cos(3 * (1:30))
  frame$s <- replace(rep(1:2, 15), c(2, 9, 30), 0)
  known <- frame$s > 0
  new <- frame[1:6, ]
  new$f[2] <- NA
  new$t[5] <- NA
  by_function <- function(x, z) exp(-sum((x - z)^2))
  for (kernel in list(gaussian_kernel(2), matern_kernel(1.5, 2), by_function)) {
    for (landmarks in if (is.function(kernel)) list(NULL) else list(NULL, 8)) {
      fit <- freeridge(y ~ a + f + t, frame, weights = s, kernel = kernel, lambda = 0.1, scale = TRUE, landmarks = landmarks)
      less <- freeridge(y ~ a + f + t, frame[known, ], weights = s, kernel = kernel, lambda = 0.1, scale = TRUE,
                        landmarks = landmarks)
      expect_identical(fit$scale, less$scale)
      expect_close(fitted(fit), predict(less, frame))
      whole <- predict(fit, frame[1:6, ])
      expect_equal(predict(fit, new), replace(whole, c(2, 5), NA))
      expect_identical(predict(predictor(fit), new), predict(fit, new))
      for (object in list(fit, predictor(fit))) {
        expect_length(predict(object, new[0, ]), 0L)
        expect_true(all(is.na(predict(object, new[c(2, 5), ]))))
      }
    }
    if (!is.function(kernel)) {
      effects <- marginal_effects(fit)
      expect_equal(effects$average, marginal_effects(less)$average, tolerance = 1e-8)
      expect_identical(effects$reference, c("fu", "tFALSE"))
    }
  }
  for (kernel in list(linear_kernel(), gaussian_kernel(1))) {
    expect_refusal(freeridge(y ~ a + f, frame, kernel = kernel, subset = f == "u"), "f has one level only, u: a factor needs two")
    expect_refusal(freeridge(data.frame(a = 1:3, f = "u"), 1:3, kernel), "f has one level only, u")
  }
})

test_that("standard errors of predictions at rows that are missing or do not count, those of lm at lambda = 0", {
  cars <- transform(mtcars, gear = factor(gear), w = replace(mtcars$carb, c(2, 9), 0))
  new <- cars[1:5, ]
  new$hp[3] <- NA
  for (formula in list(mpg ~ hp + gear, mpg ~ 1)) {
    ours <- freeridge(formula, cars, weights = w, kernel = linear_kernel(), lambda = 0)
    theirs <- lm(formula, cars, weights = w)
    for (rows in list(new, cars)) {  # lm drops some names of y ~ 1
      found <- predict(ours, rows, se.fit = TRUE)
      for (name in names(found)) {
        expect_equal(found[[name]], predict(theirs, rows, se.fit = TRUE)[[name]], tolerance = 1e-8, ignore_attr = TRUE)
      }
    }
    expect_equal(predict(ours, se.fit = TRUE), found)
    expect_identical(lengths(predict(ours, new[0, ], se.fit = TRUE)[1:2]), c(fit = 0L, se.fit = 0L))
  }
  curved <- freeridge(mpg ~ hp + gear, cars, weights = w, kernel = gaussian_kernel(50), lambda = 1)
  less <- freeridge(mpg ~ hp + gear, cars[cars$w > 0, ], weights = w, kernel = gaussian_kernel(50), lambda = 1)
  for (ask in list(function(fit, new) predict(fit, new, se.fit = TRUE)$se.fit,
                   function(fit, new) predict(fit, new, interval = "gp", se.fit = TRUE)$fit)) {
    expect_close(ask(curved, cars), ask(less, cars))
    expect_equal(ask(curved, NULL), ask(curved, cars))
    found <- ask(curved, new)
    expect_true(all(is.na(as.matrix(found)[3, ])))
    expect_equal(as.matrix(found)[-3, , drop = FALSE], as.matrix(ask(curved, cars[c(1:2, 4:5), ])))
  }
})

test_that("what summary() says of rows and classes is the same without those of weight zero", {
  p <- problem(60L, 2L)
  y <- replace(p$y, 41, 30)
  weights <- replace(p$weights, c(3, 20), 0)
  fit <- freeridge(p$x, y, gaussian_kernel(), weights = weights)
  less <- freeridge(p$x[-c(3, 20), ], y[-c(3, 20)], gaussian_kernel(), weights = weights[-c(3, 20)])
  found <- summary(fit)$outstanding[[1L]]$rows
  expect_identical(names(found)[1L], "41")  # its place among all rows
  expect_close(found, summary(less)$outstanding[[1L]]$rows, 1e-6)
  expect_identical(summary(fit)$outputs, summary(less)$outputs)
  labels <- factor(ifelse(p$y > 3, "high", "low"))
  classes <- freeridge(p$x, labels, gaussian_kernel(2), 0.1, weights = weights)
  without <- freeridge(p$x[-c(3, 20), ], labels[-c(3, 20)], gaussian_kernel(2), 0.1, weights = weights[-c(3, 20)])
  expect_identical(left_out_classes(classes), left_out_classes(without))
  close <- rep(1:30, each = 2)
  x <- p$x[close, ] + 1e-6 * p$x
  judged <- unjudged(freeridge(x, p$y[close] + 0.01 * p$y, gaussian_kernel(), criterion = "reml", weights = weights))
  twin <- unjudged(freeridge(x[-c(3, 20), ], (p$y[close] + 0.01 * p$y)[-c(3, 20)], gaussian_kernel(),
                             criterion = "reml", weights = weights[-c(3, 20)]))
  expect_equal(judged$second_opinion, twin$second_opinion, tolerance = 1e-9)
})
