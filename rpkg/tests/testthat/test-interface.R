# The matrix and the formula interface, names, and what a call leaves untouched.

test_that("the formula interface is the matrix interface", {
  cars <- mtcars
  cars$gear <- factor(cars$gear)
  fit <- freeridge(mpg ~ wt + hp + gear, cars, kernel = linear_kernel(), lambda = 2)
  x <- cbind(as.matrix(cars[c("wt", "hp")]), model.matrix(~ gear - 1, cars))
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
  fits <- lapply(c(0, 2), function(lambda) {
    freeridge(mpg ~ wt + factor(gear), mtcars, kernel = linear_kernel(), lambda = lambda)
  })
  options(old)
  for (fit in fits) expect_equal(predict(fit, mtcars), fitted(fit))
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

test_that("a data frame with factors and strings is the formula of all its variables", {
  set.seed(5)
  frame <- data.frame(a = stats::rnorm(24L), f = factor(rep(c("u", "v", "w"), 8L)), s = rep(c("p", "q"), each = 12L),
                      stringsAsFactors = FALSE)
  y <- stats::rnorm(24L)
  fit <- freeridge(frame, y, linear_kernel(), 1)
  by_formula <- freeridge(y ~ a + f + s, frame, kernel = linear_kernel(), lambda = 1)
  expect_identical(coef(fit), coef(by_formula))
  expect_identical(predict(fit, frame[5:1, 3:1]), predict(by_formula, frame[5:1, ]))
  expect_identical(predict(fit, frame[1L, ]), predict(by_formula, frame[1L, ]))
  expect_refusal(predict(fit, data.frame(a = 1, f = "z", s = "p")), "factor f has new level z; the fit knows u, v, w")
  expect_refusal(predict(fit, data.frame(a = 1, s = "p")), "newdata has no column 'f'")
  expect_refusal(predict(fit, as.matrix(1)), "newdata must be a data frame")
  expect_refusal(formula(fit), "from a matrix or a data frame: it has no formula")
  expect_identical(fit$call[[1L]], quote(freeridge))
  numbers <- freeridge(frame["a"], y, linear_kernel(), 1)
  expect_identical(numbers$call, quote(freeridge(x = frame["a"], y = y, kernel = linear_kernel(), lambda = 1)))
  expect_equal(update(fit, lambda = 5)$lambda, 5)
})

test_that("offsets go off before the fit and on again after it, at any lambda, with padding and intervals", {
  cars <- mtcars
  cars$hp[4L] <- NA
  cars$z <- cars$qsec / 2
  for (kernel in list(linear_kernel(), gaussian_kernel(2))) {
    fit <- freeridge(mpg ~ wt + hp + offset(z), cars, na.action = na.exclude, kernel = kernel, lambda = 2)
    plain <- freeridge(I(mpg - z) ~ wt + hp, cars, na.action = na.exclude, kernel = kernel, lambda = 2)
    z <- cars$z
    expect_equal(fitted(fit), fitted(plain) + ifelse(is.na(cars$hp), NA, z))
    expect_equal(residuals(fit), residuals(plain))
    expect_equal(loo(fit), loo(plain))
    expect_equal(coef(fit), coef(plain))
    answers <- list(sigma, df.residual, deviance, logLik, hatvalues, cooks.distance, rstandard, lambda_grid,
                    function(fit) lambda_path(fit, c(0.1, 3), c("loo", "gcv", "reml")),
                    function(fit) group_errors(fit, rep_len(1:4, 31)), function(fit) marginal_effects(fit)$average)
    if (is_linear(kernel)) answers <- c(answers, vcov, confint)
    for (answer in answers) expect_equal(answer(fit), answer(plain), tolerance = 1e-9)
    expect_equal(predict(fit, lambda = 9), predict(plain, lambda = 9) + ifelse(is.na(cars$hp), NA, z))
    expect_equal(predict(fit, cars[7:5, ]), predict(plain, cars[7:5, ]) + z[7:5])
    for (interval in c("jackknife+", "gp")) {
      expect_equal(predict(fit, cars[7:5, ], interval = interval), predict(plain, cars[7:5, ], interval = interval) + z[7:5])
      expect_equal(predict(fit, interval = interval)[1:3, ], predict(plain, interval = interval)[1:3, ] + z[1:3])
    }
    file <- tempfile()
    saveRDS(fit, file)
    expect_equal(fitted(readRDS(file)), fitted(fit))
    expect_equal(predict(readRDS(file), lambda = 9), predict(fit, lambda = 9))
  }
  expect_output(print(fit), "; offset", fixed = TRUE)
  outside <- cars$z
  fixed <- freeridge(mpg ~ wt, cars, offset = outside, kernel = linear_kernel(), lambda = 2)
  expect_refusal(predict(fixed, cars[1:3, ]), "the argument offset of the fit, outside, gives 32 numbers for the 3 rows")
  expect_refusal(freeridge(mpg ~ wt + offset(log(am)), mtcars), "offset\\[4\\] is -Inf")
  expect_refusal(predict(fit, transform(cars[1:3, ], z = Inf)), "offset\\[1\\] is Inf")
})

test_that("predict() of every class of fits takes type = \"response\"", {
  p <- problem(24L)
  up <- p$y > median(p$y)
  three <- factor(rep(c("u", "v", "w"), 8L))
  data <- data.frame(y = p$y, p$x)
  for (fit in list(freeridge(p$x, p$y, gaussian_kernel(2), 1), freeridge(p$x, cbind(p$y, up), gaussian_kernel(2), 1), ols(p$x, p$y), ridge(p$x, p$y, 1), tls(p$x, p$y),
                   gradient_descent(p$x, p$y, epochs = 3), kernel_ridge(p$x, p$y, gaussian_kernel(2), 1), predictor(freeridge(p$x, p$y, linear_kernel(), 1)))) {
    expect_identical(predict(fit, p$new, type = "response"), predict(fit, p$new))
    expect_refusal(predict(fit, p$new, type = "nothing"), "type must be")
  }
  chunks <- freeridge_chunks(y ~ ., data, lambda = 1)
  expect_identical(predict(chunks, data[1:3, ], type = "response"), predict(chunks, data[1:3, ]))
  labelled <- freeridge(p$x, up, gaussian_kernel(2), 1)
  expect_identical(predict(labelled, p$new, type = "response"), predict(labelled, p$new, type = "probability")[, "TRUE"])
  several <- freeridge(p$x, three, gaussian_kernel(2), 1)
  expect_identical(predict(several, p$new, type = "response"), predict(several, p$new, type = "probability"))
  logistic <- kernel_logistic(p$x, up, gaussian_kernel(2), 1)
  expect_identical(predict(logistic, p$new, type = "response"), predict(logistic, p$new, type = "probability"))
  for (fit in list(kernel_svm(p$x, up, gaussian_kernel(2), 1), gradient_descent(p$x, up, "hinge", epochs = 3))) {
    expect_identical(predict(fit, p$new, type = "response"), predict(fit, p$new, type = "class"))
  }
})

test_that("callers that give type and interval to every model can call", {
  skip_if_not_installed("boot")
  fit <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 1)
  set.seed(1)
  found <- boot::cv.glm(mtcars, fit, K = 32L)$delta
  expect_equal(found[1L], mean(loo(fit)^2))
  expect_equal(boot::cv.glm(mtcars, ols(mpg ~ wt + hp, mtcars), K = 32L)$delta[1L],
               boot::cv.glm(mtcars, glm(mpg ~ wt + hp, data = mtcars), K = 32L)$delta[1L])
  skip_if_not_installed("ggplot2")
  for (method in list(freeridge, function(formula, data, weights) freeridge(formula, data, kernel = linear_kernel(), lambda = 0))) {
    curve <- ggplot2::layer_data(ggplot2::ggplot(mtcars, ggplot2::aes(wt, mpg)) + ggplot2::geom_smooth(method = method, formula = y ~ x))
    expect_identical(nrow(curve), 80L)
    expect_true(all(curve$ymin < curve$y & curve$y < curve$ymax))
  }
  line <- ggplot2::layer_data(ggplot2::ggplot(mtcars, ggplot2::aes(wt, mpg)) + ggplot2::geom_smooth(method = lm, formula = y ~ x))
  expect_equal(curve[c("y", "ymin", "ymax")], line[c("y", "ymin", "ymax")])
})
