# Many lambdas at once, and values that find their places by name.

test_that("several lambdas give a column each, or a slice each, of what one gives", {
  p <- problem(25L, 3L)
  lambdas <- c(5, 0.1, 1e-4, 1)
  labels <- c("5", "0.1", "1e-04", "1")
  answers <- list(loo, coef, function(fit, lambda) predict(fit, p$new, lambda = lambda), function(fit, lambda) predict(fit, lambda = lambda))
  for (route in c("auto", "cholesky")) for (kernel in list(linear_kernel(), gaussian_kernel(2))) {
    fit <- freeridge(p$x, p$y, kernel, 0.3, route = route)
    own <- loo(fit)
    for (answer in answers) {
      found <- answer(fit, lambdas)
      expect_identical(dim(found), c(NROW(answer(fit, 1)), 4L))
      expect_identical(colnames(found), labels)
      for (i in 1:4) expect_close(found[, i], answer(fit, lambdas[i]), 1e-7)
    }
    expect_identical(loo(fit), own)  # the fit's own lambda is in force again
  }
  both <- freeridge(p$x, cbind(a = p$y, b = p$y^2), gaussian_kernel(2), c(0.3, 2))
  for (answer in answers) {
    found <- answer(both, lambdas)
    expect_identical(dim(found), c(dim(answer(both, 1)), 4L))
    expect_identical(dimnames(found)[2:3], list(c("a", "b"), labels))
    for (i in 1:4) expect_close(found[, , i], answer(both, lambdas[i]), 1e-7)
    # as many as outputs: one for each; the rows of a matrix are sets
    expect_close(answer(both, c(5, 0.1))[, "b"], answer(both, 0.1)[, "b"], 1e-7)
    sets <- rbind(c(5, 0.1), c(1, 2), c(3, 3))
    for (i in 1:3) expect_close(answer(both, sets)[, , i], answer(both, sets[i, ]), 1e-7)
  }
  expect_equal(attr(coef(both, lambdas), "intercept")[3L, ], attr(coef(both, 1e-4), "intercept"), tolerance = 1e-6)
  expect_refusal(loo(both, diag(3)), "a matrix of 3 columns; it must have one for each output: 2")
  expect_refusal(loo(both, c(1, -1, 2)), "lambda\\[2\\] is -1")
  expect_refusal(predict(both, p$new, lambda = lambdas, interval = "jackknife+"), "not 4 numbers")
  expect_warning(found <- loo(freeridge(c(0, 0, 0, 1), 1:4, linear_kernel(), 0, route = "primal"), c(0, 1)), "at row 4:")
  expect_identical(which(is.nan(found)), 4L)
  sparse <- if (requireNamespace("Matrix", quietly = TRUE)) freeridge(Matrix::Matrix(p$x, sparse = TRUE), p$y, linear_kernel(), 1)
  if (!is.null(sparse)) expect_close(coef(sparse, lambdas), coef(freeridge(p$x, p$y, linear_kernel(), 1), lambdas), 1e-7)
})

test_that("names win over places, and wrong names are errors", {
  cars <- mtcars[c("wt", "hp", "qsec")]
  scale <- c(wt = 0.98, hp = 68, qsec = 1.8)
  expected <- freeridge(cars, mtcars$mpg, gaussian_kernel(2), 1, scale = unname(scale))
  for (order in list(1:3, 3:1, c(2, 3, 1))) {
    expect_identical(freeridge(cars, mtcars$mpg, gaussian_kernel(2), 1, scale = scale[order])$scale, scale)
    by_formula <- freeridge(mpg ~ wt + hp + qsec, mtcars, kernel = gaussian_kernel(2), lambda = 1, scale = scale[order])
    expect_equal(fitted(by_formula), fitted(expected))
    kernel <- scaled_kernel(gaussian_kernel(2), scale[order])
    expect_equal(fitted(freeridge(cars, mtcars$mpg, kernel, 1)), fitted(expected), tolerance = 1e-10)
    expect_equal(fitted(freeridge(cars, mtcars$mpg, 2 * (kernel * linear_kernel()), 1)),
                 fitted(freeridge(cars, mtcars$mpg, 2 * (scaled_kernel(gaussian_kernel(2), unname(scale)) * linear_kernel()), 1)))
    logistic <- function(...) kernel_logistic(as.matrix(cars), mtcars$am, lambda = 1, ...)
    expect_equal(fitted(logistic(kernel)), fitted(logistic(gaussian_kernel(2), scale = unname(scale))), tolerance = 1e-9)
    expect_equal(coef(ridge(as.matrix(cars), mtcars$mpg, 1, penalty = scale[order])),
                 coef(ridge(as.matrix(cars), mtcars$mpg, 1, penalty = unname(scale))))
  }
  given <- function(scale) freeridge(cars, mtcars$mpg, gaussian_kernel(2), 1, scale = scale)
  expect_refusal(given(c(wt = 1, ph = 2, qsec = 3)), "scale has the name 'ph', .* no column; the columns are wt, hp, qsec")
  expect_refusal(given(c(wt = 1, hp = 2, hp = 3)), "scale has the name 'hp' twice")
  expect_refusal(given(c(wt = 1, hp = 2, 3)), "scale has the name ''")
  expect_refusal(by_name(c(a = 1), "scale", c("a", "b"), "column"), "scale has nothing for the column 'b'")
  expect_refusal(freeridge(unname(as.matrix(cars)), mtcars$mpg, gaussian_kernel(2), 1, scale = scale), "columns are x1, x2, x3")

  two <- function(lambda) freeridge(cars, mtcars[c("mpg", "disp")], gaussian_kernel(2), lambda, scale = TRUE)
  expect_identical(two(c(disp = 5, mpg = 1))$lambda, c(mpg = 1, disp = 5))
  fit <- two(c(1, 5))
  expect_equal(loo(fit, c(disp = 7, mpg = 2)), loo(fit, c(2, 7)))
  expect_equal(lambda_as(fit, "mean", c(disp = 7, mpg = 2)), lambda_as(fit, "mean", c(2, 7)))
  expect_refusal(two(c(dips = 5, mpg = 1)), "lambda has the name 'dips', which is that of no output; the outputs are mpg, disp")
  expect_identical(unname(two(c(best = 3))$lambda), c(3, 3))
})

test_that("step(), add1() and drop1() choose by left-out errors on request", {
  for (weights in list(NULL, mtcars$carb)) {
    line <- lm(mpg ~ wt + hp, mtcars, weights = weights)
    fit <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 0, weights = weights)
    press <- function(line) {
      w <- if (is.null(weights)) 1 else weights
      32 * log(sum(w * (residuals(line) / (1 - hatvalues(line)))^2) / 32)
    }
    expected <- c(press(line), press(update(line, . ~ . - wt)), press(update(line, . ~ . - hp)))
    expect_equal(drop1(fit, by = "loo")$AIC, expected)
    expect_equal(add1(fit, ~ . + qsec, by = "loo")$AIC[2L], press(update(line, . ~ . + qsec)))
  }
  cars <- mtcars[1:16, ]
  cars$noise <- rep(c(1, -1, -1, 1), 4L)
  learnt <- freeridge(mpg ~ wt + noise, cars)
  by_hand <- function(formula) {
    errors <- vapply(1:16, function(i) cars$mpg[i] - predict(freeridge(formula, cars[-i, ], scale = scales), cars[i, ]), 0)
    16 * log(mean(errors^2))
  }
  scales <- learnt$scale
  expect_equal(extractAIC(learnt, by = "learnt")[2L], by_hand(mpg ~ wt + noise), tolerance = 1e-4)
  expect_equal(extractAIC(learnt, by = "learnt")[2L], 16 * log(mean(loo(learnt, learnt = TRUE)^2)))
  said$aic <- NULL
  expect_message(extractAIC(learnt), "AIC counts the degrees of freedom of a fit and not what was learnt")
  expect_silent(extractAIC(learnt))  # once a session
  expect_identical(attr(terms(step(learnt, by = "loo", trace = 0)), "term.labels"), "wt")
})

test_that("arguments of other packages' callers are understood, and unknown ones name the near one", {
  fit <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 0)
  line <- lm(mpg ~ wt + hp, mtcars)
  expect_identical(vcov(fit, complete = FALSE), vcov(fit))
  expect_identical(nobs(fit, use.fallback = TRUE), 32L)
  expect_identical(formula(fit, env = globalenv()), formula(fit))
  expect_identical(attr(terms(step(fit, trace = 0)), "term.labels"), attr(terms(step(line, trace = 0)), "term.labels"))
  for (ask in list(function(fit) add1(fit, ~ . + qsec), function(fit) drop1(fit))) {
    expect_equal(diff(ask(fit)$AIC), diff(ask(line)$AIC), tolerance = 1e-8)
  }
  expect_refusal(extractAIC(fit, scale = 2), "scale must be 0")
  expect_refusal(extractAIC(fit, by = "bic"), 'by must be one of "aic", "loo", "learnt"')
  for (call in expression(predict(fit, newx = mtcars), predict(fit, newdatta = mtcars))) {
    expect_refusal(eval(call), "unknown argument: .* \\(is newdata meant\\?\\)")
  }
  for (ask in list(predict, coef, loo)) expect_refusal(ask(fit, s = "lambda.min"), "unknown argument: 's' \\(is lambda meant\\?\\)")
  expect_refusal(predict(fit, s = 1, se.fit = TRUE), "unknown argument: 's'")
  expect_refusal(group_errors(fit, groups = 10), "unknown argument: 'groups' \\(is group meant\\?\\)")
  expect_refusal(freeridge(mpg ~ wt, mtcars, groups = 10), "groups")
  expect_refusal(freeridge(mtcars["wt"], mtcars$mpg, groups = 10), "groups must be 32 labels, one for each row, not 10")
  expect_refusal(freeridge(mtcars["wt"], mtcars$mpg, lamda = 10), "'lamda' \\(is lambda meant\\?\\)")
  expect_refusal(freeridge(mtcars["wt"], mtcars$mpg, nfolds = 10), "'nfolds' \\(rows are left out one by one without folds, and groups")
  expect_refusal(freeridge(mtcars["wt"], mtcars$mpg, entirely.different = 10), "'entirely.different'; see")
})
