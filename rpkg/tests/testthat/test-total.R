# Errors along y and at right angles, against the singular value decomposition and against lm; formulas of ols(), ridge() and
# tls(); summaries and pictures.

noisy_plane <- function(t = 1L) {
  p <- problem(25L, 3L, t)
  p$y <- p$x %*% matrix(c(1, -2, 0.5, 3, 0, 1), 3L)[, seq_len(t), drop = FALSE] + 0.1 * as.matrix(p$y)
  if (t == 1L) p$y <- p$y[, 1L]
  p
}

test_that("the corrections of total least squares are those of the best approximation of lower rank", {
  for (t in 1:2) for (intercept in c(TRUE, FALSE)) {
    p <- noisy_plane(t)
    fit <- tls(p$x, p$y, intercept)
    both <- cbind(p$x, p$y)
    centre <- if (intercept) colMeans(both) else rep(0, 3L + t)
    s <- svd(sweep(both, 2L, centre))
    last <- s$v[, 3L + seq_len(t), drop = FALSE]
    errors <- -sweep(both, 2L, centre) %*% last %*% t(last)
    expect_close(cbind(fit$x_correction, fit$y_correction), errors, 1e-10)
    expect_close(fitted(fit, "orthogonal"), both + errors, 1e-12)
    expect_close(fit$singular_values, s$d[3L + seq_len(t)], 1e-12)
    expect_close(abs(residuals(fit, "orthogonal")), sqrt(rowSums(errors^2)), 1e-10)
    expect_close(sum(residuals(fit, "orthogonal")^2), sum(s$d[3L + seq_len(t)]^2), 1e-11)
    expect_close(residuals(fit), p$y - fitted(fit), 1e-12)
    # the nearest points are on the hyperplane
    nearest <- fitted(fit, "orthogonal")
    expect_close(predict(fit, nearest[, 1:3]), nearest[, -(1:3)], 1e-10)
  }
  fit <- tls(p$x[, 1:2], p$y[, 1L], exact = c(TRUE, FALSE))
  expect_true(all(fit$x_correction[, 1L] == 0) && any(fit$x_correction[, 2L] != 0))
  expect_close(abs(residuals(fit, "orthogonal")), abs(residuals(fit)) / sqrt(1 + coef(fit)[["x2"]]^2), 1e-11)
  expect_identical(sign(residuals(fit, "orthogonal")), sign(residuals(fit)))
  x <- p$x
  colnames(x) <- c("a", "b", "c")
  expect_identical(coef(tls(x, p$y, exact = c(c = TRUE, a = FALSE, b = FALSE))), coef(tls(x, p$y, exact = c(FALSE, FALSE, TRUE))))
  expect_identical(colnames(fitted(tls(x, p$y[, 1L]), "orthogonal")), c("a", "b", "c", "y"))
  expect_refusal(residuals(ols(x, p$y), "orthogonal"), "ols\\(\\) measures errors along y")
  expect_refusal(fitted(ridge(x, p$y, 1), "orthogonal"), "ridge\\(\\) measures errors along y")
  expect_refusal(residuals(fit, "vertical"), "type must be one of")
})

test_that("formulas are the columns of lm, with factors, subsets, missing values and new data", {
  cars <- mtcars
  cars$gear <- factor(cars$gear)
  cars$hp[4L] <- NA
  for (no_intercept in c(FALSE, TRUE)) {
    formula <- if (no_intercept) mpg ~ wt * gear + hp - 1 else mpg ~ wt * gear + hp
    theirs <- lm(formula, cars, subset = cyl > 4, na.action = na.exclude)
    ours <- ols(formula, cars, subset = cyl > 4, na.action = na.exclude)
    expect_close(coef(ours), coef(theirs), 1e-9)
    expect_identical(names(coef(ours)), names(coef(theirs)))
    expect_close(residuals(ours), residuals(theirs), 1e-9)
    expect_identical(names(residuals(ours)), names(residuals(theirs)))
    expect_close(fitted(ours), fitted(theirs), 1e-10)
    expect_close(predict(ours, cars[c(1, 4, 9), ]), predict(theirs, cars[c(1, 4, 9), ]), 1e-10)
    expect_close(coef(summary(ours)), coef(summary(theirs)), 1e-8)
    expect_equal(formula(ours), formula, ignore_formula_env = TRUE)
    expect_equal(unname(model.matrix(ours)), unname(model.matrix(theirs)), ignore_attr = TRUE)
    expect_identical(dim(model.frame(ours)), dim(model.frame(theirs)))
  }
  x <- model.matrix(mpg ~ wt + gear, cars)[, -1L]
  levels <- cbind(wt = cars$wt, model.matrix(~ gear - 1, cars))  # a penalty: a column for each level, no penalty: contrasts
  expect_identical(coef(ridge(mpg ~ wt + gear, cars, 2)), coef(ridge(levels, cars$mpg, 2)))
  part <- ridge(mpg ~ wt + gear, cars, 2, penalty = c(0, 1, 1, 1))
  expect_identical(coef(part), coef(ridge(levels, cars$mpg, 2, c(0, 1, 1, 1))))
  expect_close(predict(part, cars[4:9, ]), fitted(part)[4:9], 1e-12)
  expect_identical(coef(ridge(mpg ~ wt + gear, cars, 0)), coef(ridge(x, cars$mpg, 0)))
  total <- tls(mpg ~ wt + gear, cars, exact = c(FALSE, TRUE, TRUE))
  expect_identical(coef(total), coef(tls(x, cars$mpg, exact = c(FALSE, TRUE, TRUE))))
  expect_identical(names(residuals(total, "orthogonal")), rownames(cars))
  expect_equal(dim(fitted(tls(mpg ~ hp, cars, na.action = na.exclude), "orthogonal")), c(32L, 2L))
  expect_true(is.na(residuals(tls(mpg ~ hp, cars, na.action = na.exclude), "orthogonal")[[4L]]))
  two <- ols(cbind(mpg, qsec) ~ wt, cars)
  expect_identical(colnames(coef(two)), c("mpg", "qsec"))
  expect_close(coef(two), coef(lm(cbind(mpg, qsec) ~ wt, cars)), 1e-11)
  expect_identical(deparse(ols(mpg ~ wt, cars)$call), "ols(formula = mpg ~ wt, data = cars)")
  expect_identical(deparse(ols(cars$wt, cars$mpg)$call), "ols(x = cars$wt, y = cars$mpg)")
  expect_identical(coef(update(ols(mpg ~ wt, cars), . ~ . + qsec)), coef(ols(mpg ~ wt + qsec, cars)))
  expect_identical(coef(ols(formula = mpg ~ wt, data = cars)), coef(ols(mpg ~ wt, cars)))

  saved <- unserialize(serialize(ours, NULL))
  expect_identical(predict(saved, cars[1:3, ]), predict(ours, cars[1:3, ]))
  expect_refusal(predict(ours, transform(cars, gear = factor(7))), "newdata does not fit the model")
  for (method in list(stats::formula, terms, model.frame)) {
    expect_refusal(method(ols(x, cars$mpg)), "this fit was made from a matrix or a data frame: it has no")
  }
  expect_refusal(predict(ours, 1:3), "newdata must be a data frame")
  expect_refusal(ols(mpg ~ 1, cars), "the formula has no predictors: mpg ~ 1")
  expect_refusal(ols(~ wt, cars), "the formula has no response")
  expect_refusal(ols(mpg ~ nowhere, cars), "the data do not fit the formula")
  expect_refusal(ols(mpg ~ wt + offset(hp), cars), "the formula has an offset, which ols\\(\\) does not take")
  expect_refusal(ols(mpg ~ wt, cars, weights = hp), "unknown argument: 'weights'")
  expect_refusal(ridge(mpg ~ wt, cars), "lambda is missing")
})

test_that("summaries have numbers that are true, and what has none says so", {
  p <- noisy_plane()
  fit <- tls(p$x, p$y)
  table <- summary(fit)
  expect_identical(table$coefficients, coef(fit))
  expect_close(table$distance, sqrt(mean(residuals(fit, "orthogonal")^2)), 1e-13)
  expect_close(table$rmse, sqrt(mean(residuals(fit)^2)), 1e-13)
  expect_output(print(table), "Smallest singular value of [x y], centred: ", fixed = TRUE)
  expect_output(print(summary(tls(p$x, cbind(p$y, p$x[, 1L] + p$y^2)))), "Smallest singular values of [x y], centred: ", fixed = TRUE)
  penalised <- ridge(p$x, p$y, 3)
  table <- summary(penalised)
  expect_close(table$rmse, sqrt(mean(residuals(penalised)^2)), 1e-13)
  expect_close(table$r.squared, 1 - sum(residuals(penalised)^2) / sum((p$y - mean(p$y))^2), 1e-12)
  expect_close(summary(ridge(p$x, p$y, 0))$r.squared, summary(ols(p$x, p$y))$r.squared, 1e-10)
  expect_close(summary(ridge(p$x, p$y, 0, intercept = FALSE))$r.squared, summary(ols(p$x, p$y, FALSE))$r.squared, 1e-10)
  expect_output(print(table), "use freeridge() with\nlinear_kernel() and this lambda", fixed = TRUE)
  for (method in list(vcov, sigma, df.residual)) {
    expect_refusal(method(fit), "Total least squares has no")
    expect_refusal(method(penalised), "Ridge regression has no")
  }
  expect_refusal(vcov(ols(p$x, p$y)), "summary\\(\\) has the standard errors")
})

test_that("plot draws both lines, and the errors that the fit measures", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (intercept in c(TRUE, FALSE)) {
    total <- tls(mtcars$wt, mtcars$mpg / 6, intercept)
    shown <- withVisible(plot(total))
    expect_false(shown$visible)
    data <- shown$value
    expect_close(sqrt((data$x - data$nearest_x)^2 + (data$y - data$nearest_y)^2), abs(residuals(total, "orthogonal")), 1e-10)
    expect_close(predict(total, data$nearest_x), data$nearest_y, 1e-11)
    least <- ols(mtcars$wt, mtcars$mpg / 6, intercept)
    data <- plot(least, main = "a title", xlab = "tons", ylab = "miles", col = "red")
    expect_identical(data$x, data$nearest_x)
    expect_close(data$y - data$nearest_y, residuals(least), 1e-12)
  }
  expect_identical(rownames(plot(tls(mpg ~ wt, mtcars))), rownames(mtcars))
  # where there is no line of total least squares the other one is drawn alone
  expect_identical(dim(plot(ols(c(1, -1, 0, 0), c(0, 0, 3, 3), FALSE))), c(4L, 4L))
  expect_refusal(plot(ols(mpg ~ wt + hp, mtcars)), "this one has 2 features and 1 output")
  expect_refusal(plot(tls(mtcars$wt, mtcars[c("mpg", "qsec")])), "this one has 1 feature and 2 outputs")
  expect_refusal(plot(ridge(mtcars$wt, mtcars$mpg, 1)), "not that of ridge")
})
