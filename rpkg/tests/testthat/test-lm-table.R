# The methods behave as lm's and glmnet's do on the same calls: names, dimensions, types and, at lambda = 0, the
# numbers.

# What answers have in common that is not their numbers.
shape_of <- function(value) {
  list(class = setdiff(class(value), c("integer", "numeric")), mode = mode(value), length = length(value),
       dim = dim(value),
       names = names(value), dimnames = dimnames(value))
}

cars <- mtcars
cars$gear <- factor(cars$gear)
cars$w <- seq(0.5, 2, length.out = 32L)
cars$half <- cars$qsec / 2
holes <- cars
holes$hp[c(4L, 9L)] <- NA
new <- cars[c(30L, 2L, 7L), ]

# One row for each way to call, one column for each method. Every entry is compared.
calls <- list(
  plain = list(formula = mpg ~ wt + hp, data = cars),
  factor = list(formula = mpg ~ wt * gear, data = cars),
  transformed = list(formula = log(mpg) ~ poly(wt, 2) + I(hp / 100), data = cars),
  without_intercept = list(formula = mpg ~ wt + hp - 1, data = cars),
  weights = list(formula = mpg ~ wt + hp, data = cars, weights = quote(w)),
  subset = list(formula = mpg ~ wt + hp, data = cars, subset = quote(cyl > 4)),
  omit = list(formula = mpg ~ wt + hp, data = holes),
  exclude = list(formula = mpg ~ wt + hp, data = holes, na.action = quote(na.exclude)),
  offset = list(formula = mpg ~ wt + offset(half), data = cars),
  offset_argument = list(formula = mpg ~ wt + offset(half), data = cars, offset = quote(hp / 50)),
  interaction = list(formula = mpg ~ factor(cyl):wt + hp, data = cars),
  several = list(formula = cbind(mpg, qsec) ~ wt + hp, data = cars)
)
methods <- list(
  coef = coef, fitted = fitted, residuals = residuals, resid = resid, nobs = nobs, formula = formula, terms = terms,
  predict = function(fit) predict(fit), predict_new = function(fit) predict(fit, new),
  predict_one = function(fit) predict(fit, new[1L, ]),
  weights = weights, model.frame = model.frame,
  model.matrix = model.matrix, update_refits = function(fit) coef(update(fit, . ~ . - hp)), na.action = na.action
)
for_one_output <- list(
  df.residual = df.residual, sigma = sigma, family = function(fit) unlist(family(fit)[1:2]), variable.names = variable.names, case.names = case.names,
  logLik = logLik, AIC = AIC, BIC = BIC,
  hatvalues = function(fit) hatvalues(fit)[!is.na(fitted(fit))],
  cooks.distance = function(fit) cooks.distance(fit)[!is.na(fitted(fit))],
  rstudent = rstudent, dfbeta = function(fit) dfbeta(fit)[!is.na(fitted(fit)), ],
  dfbetas = function(fit) dfbetas(fit)[!is.na(fitted(fit)), ],
  dffits = function(fit) dffits(fit)[!is.na(fitted(fit))]
)

test_that("the table of methods against lm", {
  compared <- 0L
  for (call in names(calls)) {
    ours <- eval(as.call(c(list(quote(freeridge)), calls[[call]], list(kernel = quote(linear_kernel()), lambda = 0))))
    theirs <- eval(as.call(c(list(quote(lm)), calls[[call]])))
    for (method in c(methods, if (call != "several") for_one_output)) {
      name <- names(Filter(function(f) identical(f, method), c(methods, for_one_output)))[1L]
      got <- method(ours)
      wanted <- method(theirs)
      info <- paste(call, name)
      expect_identical(shape_of(got), shape_of(wanted), info = info)
      expect_equal(got, wanted, tolerance = 1e-7, ignore_formula_env = TRUE, info = info)
      compared <- compared + 1L
    }
  }
  expect_identical(compared, length(calls) * length(methods) + (length(calls) - 1L) * length(for_one_output))
})

test_that("fitted values are the predictions at the training data, for every kernel and every way to call", {
  for (call in calls) {
    for (kernel in list(linear_kernel(), gaussian_kernel(2), polynomial_kernel(2) + laplacian_kernel(1))) {
      fit <- do.call(freeridge, c(lapply(call, eval, cars), list(kernel = kernel, lambda = 0.5, scale = TRUE)))
      data <- eval(call$data)
      kept <- !is.na(as.matrix(fitted(fit))[, 1L])
      predicted <- as.matrix(predict(fit, data[rownames(as.matrix(fitted(fit)))[kept], ]))
      expect_close(predicted, as.matrix(fitted(fit))[kept, ], 1e-9)
      expect_identical(predict(fit), fitted(fit))
    }
  }
})

test_that("the table of methods against glmnet: names, numbers of rows, and the kinds of numbers", {
  skip_if_not_installed("glmnet")
  x <- as.matrix(mtcars[c("wt", "hp", "qsec")])
  ours <- freeridge(x, mtcars$mpg, linear_kernel(), 3)
  theirs <- glmnet::glmnet(x, mtcars$mpg, alpha = 0, lambda = 0.1)
  several <- freeridge(x, as.matrix(mtcars[c("mpg", "disp")]), linear_kernel(), 3)
  multi <- glmnet::glmnet(x, as.matrix(mtcars[c("mpg", "disp")]), family = "mgaussian", alpha = 0, lambda = 0.1)
  expect_identical(names(coef(ours)), rownames(coef(theirs)))
  expect_identical(names(predict(ours, x[1:4, ])), rownames(predict(theirs, x[1:4, ])))
  expect_equal(nobs(ours), nobs(theirs))
  expect_identical(colnames(coef(several)), names(coef(multi)))
  expect_identical(rownames(coef(several))[-1L], rownames(coef(multi)$mpg)[-1L])
  expect_identical(dimnames(predict(several, x[1:4, ])), dimnames(predict(multi, x[1:4, ]))[1:2])
  classes <- factor(rep_len(c("a", "b", "c"), 32L))
  kinds <- freeridge(x, classes, linear_kernel(), 3)
  multinomial <- glmnet::glmnet(x, classes, family = "multinomial", alpha = 0, lambda = 0.1)
  expect_identical(dimnames(predict(kinds, x[1:4, ], type = "probability")),
                   dimnames(predict(multinomial, x[1:4, ], type = "response"))[1:2])
  expect_identical(levels(predict(kinds, x, type = "class")), sort(unique(c(levels(classes)))))
})

test_that("coefficients are in the original units, whatever the columns are divided by", {
  x <- as.matrix(mtcars[c("wt", "hp", "disp")])
  for (scale in list(FALSE, TRUE, c(2, 50, 100))) {
    fit <- freeridge(x, mtcars$mpg, linear_kernel(), 2, scale = scale)
    expect_close(cbind(1, x) %*% coef(fit), fitted(fit), 1e-12)
    # the same problem by hand: divided columns, and their coefficients divided again
    divisors <- if (isTRUE(scale)) apply(x, 2L, sd) else if (is.numeric(scale)) scale else rep(1, 3L)
    by_hand <- freeridge(sweep(x, 2L, divisors, "/"), mtcars$mpg, linear_kernel(), 2)
    expect_close(coef(fit)[-1L], coef(by_hand)[-1L] / divisors, 1e-10)
  }
})

test_that("the divisors stay when a point is left out, which the help page says", {
  x <- as.matrix(mtcars[c("wt", "hp", "disp")])
  fit <- freeridge(x, mtcars$mpg, linear_kernel(), 2, scale = TRUE)
  kept <- anew <- numeric(32L)
  for (i in 1:32) {
    kept[i] <- mtcars$mpg[i] - predict(freeridge(x[-i, ], mtcars$mpg[-i], linear_kernel(), 2, scale = fit$scale),
                                       x[i, , drop = FALSE])
    anew[i] <- mtcars$mpg[i] - predict(freeridge(x[-i, ], mtcars$mpg[-i], linear_kernel(), 2, scale = TRUE),
                                       x[i, , drop = FALSE])
  }
  expect_close(loo(fit), kept, 1e-10)
  expect_gt(max(abs(anew - kept)), 1e-6)  # they are not the same thing
  expect_lt(abs(mean(anew^2) / mean(kept^2) - 1), 1 / 32)  # but of the order 1 / n
})

test_that("what a fit of a matrix does not have, and what several outputs do not have, is said", {
  p <- problem(t = 2L)
  fit <- freeridge(p$x, p$y, linear_kernel(), 1)
  expect_refusal(terms(fit), "from a matrix or a data frame: it has no terms")
  expect_refusal(model.frame(fit), "it has no model frame")
  expect_refusal(formula(fit), "it has no formula")
  for (other in list(ols(p$x, p$y), kernel_svm(p$x, p$x[, 1L] > mean(p$x[, 1L]), linear_kernel(), 1))) {
    expect_refusal(terms(other), "from a matrix or a data frame: it has no terms")
    expect_refusal(model.frame(other), "it has no model frame")
    expect_refusal(formula(other), "it has no formula")
  }
  expect_refusal(family(freeridge(factor(am) ~ wt, mtcars, lambda = 1)), "least squares on -1 and \\+1: it has no family")
  expect_refusal(logLik(fit), "2 outputs; a log-likelihood is that of one")
  expect_refusal(model.frame(freeridge(mpg ~ wt, mtcars, kernel = linear_kernel()), 3), "unknown argument")
  expect_identical(case.names(fit), as.character(1:20))
  expect_identical(variable.names(fit), c("(Intercept)", "x1", "x2", "x3"))
  expect_identical(model.matrix(fit), p$x)
})
