# gradient_descent(), early_stopping(), loss_gradient() against the exact solvers and formulas in R.

classes_data <- function() {
  x <- scale(as.matrix(iris[51:150, 1:4]))
  list(x = x, y = droplevels(iris$Species[51:150]))
}

test_that("gradients are those of the formulas, and vanish at the exact solutions", {
  p <- problem()
  fit <- ridge(p$x, p$y, 2)
  at <- loss_gradient(p$x, p$y, coef(fit)[-1L], coef(fit)[[1L]], lambda = 2)
  expect_lt(max(abs(c(at$gradient, at$gradient_b))), 1e-10)
  expect_equal(at$objective, sum(residuals(fit)^2) / 2 + sum(coef(fit)[-1L]^2))
  w <- c(0.5, -1, 0.25)
  weights <- seq(0.5, 2, length.out = 20L)
  up <- p$y > 3
  at <- loss_gradient(p$x, up, w, 1, "logistic", 0.3, weights)
  y <- ifelse(up, 1, -1)
  slopes <- -weights * y / (1 + exp(y * (as.vector(p$x %*% w) + 1)))
  expect_equal(unname(at$gradient), as.vector(crossprod(p$x, slopes)) + 0.3 * w, tolerance = 1e-12)
  expect_equal(at$gradient_b, sum(slopes), tolerance = 1e-12)
  for (loss in c("squared", "absolute", "logistic", "hinge")) {
    given <- if (loss %in% c("logistic", "hinge")) up else p$y
    k <- tcrossprod(p$x)
    c <- sin(1:20) / 10
    of_c <- expansion_gradient(k, given, c, 1, loss, 0.3, weights)
    of_w <- loss_gradient(p$x, given, as.vector(crossprod(p$x, c)), 1, loss, 0.3, weights)
    expect_equal(of_c$objective, of_w$objective)
    expect_equal(of_c$gradient, as.vector(p$x %*% of_w$gradient), ignore_attr = TRUE)
  }
  expect_refusal(loss_gradient(p$x, p$y, 1), "w must be 3 numbers, one for each column of x, not 1")
  expect_refusal(loss_gradient(p$x, p$y), "w is missing")
  expect_refusal(expansion_gradient(p$x, p$y, 1), "k is 20 x 3; it must be square")
})

test_that("gradient descent reaches the exact solutions", {
  p <- problem()
  fit <- gradient_descent(p$x, p$y, lambda = 2, epochs = 3000)
  expect_equal(coef(fit), coef(ridge(p$x, p$y, 2)), tolerance = 1e-8, ignore_attr = TRUE)
  expect_equal(predict(fit, p$x[1:3, ]), predict(ridge(p$x, p$y, 2), p$x[1:3, ]), tolerance = 1e-8)
  steps <- diff(fit$path$objective)  # downhill, until rounding is all that is left
  expect_true(all(steps <= 1e-12 * fit$path$objective[1]))
  expect_equal(fitted(fit), predict(fit))
  expect_equal(nobs(fit), 20L)
  expect_output(print(fit), "Gradient descent, squared loss: 20 points")

  d <- classes_data()
  exact <- kernel_logistic(d$x, d$y, linear_kernel(), 1)
  logistic <- gradient_descent(d$x, d$y, "logistic", 1, epochs = 5000)
  expect_equal(coef(logistic), coef(exact), tolerance = 1e-7)
  expect_identical(predict(logistic, type = "class"), predict(exact, type = "class"))
  expect_equal(predict(logistic, d$x[1:5, ], "probability"), predict(exact, d$x[1:5, ], "response"), tolerance = 1e-6)
  expect_equal(predict(logistic, type = "response"), predict(logistic, type = "probability"))
  svm <- kernel_svm(d$x, d$y, linear_kernel(), 1)
  hinge <- gradient_descent(d$x, d$y, "hinge", 1, batch = 5, epochs = 500, average = TRUE)
  expect_lt(hinge$path$objective[101L], 1.02 * svm$objective)
  expect_output(print(hinge), "Stochastic gradient descent, hinge loss \\(subgradients\\)")
  expect_refusal(predict(hinge, type = "probability"), "the hinge loss has decision values only")
  expect_refusal(predict(fit, type = "class"), "the response has no classes")
})

test_that("a formula, scaled columns, a start and a development set", {
  rows <- seq(1, 32, by = 3)
  fit <- gradient_descent(mpg ~ wt + factor(cyl), mtcars[-rows, ], scale = TRUE, epochs = 4000, development = mtcars[rows, ])
  exact <- lm(mpg ~ wt + factor(cyl), mtcars[-rows, ])
  expect_equal(coef(fit), coef(exact), tolerance = 1e-6)
  expect_equal(predict(fit, mtcars[rows, ]), predict(exact, mtcars[rows, ]), tolerance = 1e-6)
  last <- nrow(fit$path)
  expect_equal(fit$path$development[last], mean((mtcars$mpg[rows] - predict(exact, mtcars[rows, ]))^2) / 2, tolerance = 1e-6)
  expect_equal(fit$path$training[last], mean(residuals(exact)^2) / 2, tolerance = 1e-8)
  expect_identical(fit$best, fit$path$step[which.min(fit$path$development)])
  expect_identical(coef(fit, "best"), fit$coefficients[as.character(fit$best), ])
  expect_output(print(fit), "mean loss of the development set")
  again <- gradient_descent(mpg ~ wt + factor(cyl), mtcars[-rows, ], scale = TRUE, steps = 0, start = coef(fit))
  expect_equal(coef(again), coef(fit))
  weighted <- gradient_descent(mpg ~ wt, mtcars, weights = hp, scale = TRUE, epochs = 2000)
  expect_equal(coef(weighted), coef(lm(mpg ~ wt, mtcars, weights = hp)), tolerance = 1e-8)
  plain <- gradient_descent(mpg ~ wt - 1, mtcars, epochs = 500)
  expect_equal(coef(plain), coef(lm(mpg ~ wt - 1, mtcars)), tolerance = 1e-8)

  d <- classes_data()
  drawn <- function(seed) gradient_descent(d$x, d$y, "logistic", batch = 7, epochs = 3, seed = seed, development = d)
  expect_identical(coef(drawn(1)), coef(drawn(1)))
  expect_false(identical(coef(drawn(1)), coef(drawn(2))))
  expect_equal(drawn(1)$path$development, drawn(1)$path$training)
  expect_identical(drawn(1)$path$epoch[46L], 3)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (type in c("objective", "development", "coefficients")) expect_identical(plot(drawn(1), type), drawn(1)$path)
})

test_that("early stopping is the iteration, beside ridge regression", {
  x <- scale(as.matrix(mtcars[c("wt", "hp", "qsec")]), scale = FALSE)
  y <- mtcars$mpg
  stopped <- early_stopping(x, y, steps = c(1, 7, 200))
  first <- stopped$step * as.vector(crossprod(x, y - mean(y)))
  expect_equal(unname(coef(stopped)["1", -1L]), first, tolerance = 1e-10)
  for (row in 1:3) expect_equal(coef(stopped, ridge = TRUE)[row, ], coef(ridge(x, y, stopped$path$lambda[row])))
  scaled <- early_stopping(mpg ~ ., mtcars, scale = TRUE)
  expect_equal(coef(scaled, ridge = TRUE)["100000", ], coef(lm(mpg ~ ., mtcars)), tolerance = 1e-3)
  expect_output(print(scaled), "beside ridge regression with lambda")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(scaled), scaled$path)
})

test_that("what does not fit is refused", {
  p <- problem()
  descend <- function(...) gradient_descent(p$x, p$y, ...)
  expect_refusal(descend("quadratic"), "loss must be")
  expect_refusal(descend(lambda = -1), "lambda")
  expect_refusal(descend(batch = 0), "batch must be one whole number >= 1, not 0")
  expect_refusal(descend(step = -1), "step must be one positive number, not -1")
  expect_refusal(descend(step = 1e3, epochs = 200), "the iterates overflow", "freeridge_not_finite")
  expect_refusal(descend(rule = "quick"), "rule must be")
  expect_refusal(descend(steps = c(2, 1)), "steps must be ascending whole numbers >= 0, not c\\(2, 1\\)")
  expect_refusal(descend(start = 1), "start must be 4 numbers, as coef\\(\\) gives them, not 1")
  expect_refusal(descend(weights = rep(0, 20)), "weights\\[1\\] is 0")
  expect_refusal(descend(development = 5), "development must be a list with x and y, not 5")
  expect_refusal(descend(development = list(x = p$x, y = 1)), "development has 20 known rows and 1 response")
  expect_refusal(descend(epocs = 3), "unknown argument: 'epocs' \\(is epochs meant")
  expect_refusal(gradient_descent(p$x, cbind(p$y, p$y)), "y has 2 columns")
  expect_refusal(gradient_descent(p$x, 1:3), "y has 3 rows, x has 20")
  expect_refusal(gradient_descent(p$x), "y is missing")
  expect_refusal(gradient_descent(mpg ~ 1, mtcars), "the formula has no predictors")
  expect_refusal(gradient_descent(~ wt, mtcars), "the formula has no response")
  expect_refusal(gradient_descent(mpg ~ wt + offset(hp), mtcars), "the formula has an offset, which gradient_descent")
  fit <- descend(epochs = 5)
  expect_refusal(coef(fit, "best"), "there is no development set")
  expect_refusal(coef(fit, 77), "step must be one of the recorded numbers of steps")
  expect_refusal(plot(fit, "development"), "there is no development set")
  d <- classes_data()
  expect_refusal(gradient_descent(d$x, d$y, "hinge", development = list(x = d$x, y = iris$Species[1:100])),
                 "a label that the fit does not know, a factor")
  expect_refusal(early_stopping(p$x, p$y, steps = 0), "steps must be ascending whole numbers >= 1")
  expect_refusal(early_stopping(p$x, p$y, step = 100), "step is 100")
})

test_that("probabilities are those of a logistic regression on Platt's targets", {
  x <- as.matrix(iris[51:150, 1:4])
  weights <- rep(c(1, 2, 0.5, 3), 25L)
  for (w in list(NULL, weights)) {
    fit <- freeridge(x, droplevels(iris$Species[51:150]), linear_kernel(), 5, weights = w)
    w <- if (is.null(w)) rep(1, 100L) else w / mean(w)
    positive <- fit$y > 0
    decision <- as.vector(fit$y - loo(fit))
    many <- c(sum(w[!positive]), sum(w[positive]))
    target <- ifelse(positive, (many[2L] + 0.5) / (many[2L] + 1), 0.5 / (many[1L] + 1))
    expected <- glm.fit(cbind(1, decision), target, w, family = quasibinomial(), control = list(epsilon = 1e-14, maxit = 100L))
    found <- predict(fit, type = "probability")[, 2L]
    expect_equal(qlogis(unname(found)), unname(expected$coefficients[1L] + expected$coefficients[2L] * predict(fit)),
                 tolerance = 1e-10, ignore_attr = TRUE)
  }
})
