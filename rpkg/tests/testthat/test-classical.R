# Classical utilities against lm, MASS::lm.ridge, explicit formulas and published figures.

test_that("ols is lm", {
  x <- as.matrix(mtcars[c("wt", "hp", "qsec")])
  for (intercept in c(TRUE, FALSE)) {
    fit <- ols(x, mtcars$mpg, intercept)
    reference <- if (intercept) lm(mpg ~ wt + hp + qsec, mtcars) else lm(mpg ~ wt + hp + qsec - 1, mtcars)
    expect_close(coef(fit), coef(reference), 1e-11)
    expect_identical(names(coef(fit)), names(coef(reference)))
    expect_close(fitted(fit), fitted(reference), 1e-12)
    expect_identical(names(fitted(fit)), rownames(mtcars))
    expect_close(residuals(fit), residuals(reference), 1e-10)
    expect_close(predict(fit, mtcars[3:5, ]), predict(reference, mtcars[3:5, ]), 1e-12)
    table <- summary(fit)
    expected <- summary(reference)
    expect_close(table$coefficients[, "Estimate"], expected$coefficients[, "Estimate"], 1e-11)
    expect_close(table$coefficients[, "Std. Error"], expected$coefficients[, "Std. Error"], 1e-10)
    expect_close(table$coefficients[, "t value"], expected$coefficients[, "t value"], 1e-10)
    expect_close(log(table$coefficients[, "Pr(>|t|)"]), log(expected$coefficients[, "Pr(>|t|)"]), 1e-8)
    expect_identical(dimnames(table$coefficients), dimnames(expected$coefficients))
    expect_close(c(table$sigma, sigma(fit)), rep(expected$sigma, 2L), 1e-11)
    expect_close(table$r.squared, expected$r.squared, 1e-11)
    expect_equal(df.residual(fit), df.residual(reference))
    expect_equal(deviance(fit), deviance(reference))
    expect_identical(variable.names(fit), variable.names(reference))
    expect_identical(nobs(fit), 32L)
  }
  expect_output(print(fit), "Ordinary least squares: 32 points, 3 features, 1 output", fixed = TRUE)
  expect_output(print(summary(fit)), "Residual standard error: .* on 29 degrees of freedom; R-squared")
})

test_that("several outputs are several regressions", {
  x <- mtcars[c("wt", "hp")]
  y <- as.matrix(mtcars[c("mpg", "qsec")])
  fit <- ols(x, y)
  expect_identical(dimnames(coef(fit)), list(c("(Intercept)", "wt", "hp"), c("mpg", "qsec")))
  for (name in colnames(y)) {
    alone <- ols(x, y[, name])
    expect_close(coef(fit)[, name], coef(alone), 1e-12)
    expect_close(summary(fit)$coefficients[[name]], summary(alone)$coefficients, 1e-9)
    expect_close(summary(fit)$r.squared[[name]], summary(alone)$r.squared, 1e-12)
  }
  expect_output(print(summary(fit)), "Output qsec:")
})

test_that("a rank deficient x gets the solution of least norm", {
  p <- problem(10L, 3L)
  x <- cbind(p$x, p$x[, 1L] + p$x[, 2L])
  fit <- ols(x, p$y, intercept = FALSE)
  expect_close(coef(fit), pinv(x) %*% p$y, 1e-10)
  expect_identical(fit$rank, 3)
  expect_output(print(fit), "rank 3: the solution of least norm")
  expect_warning(table <- summary(fit), "rank deficient", class = "freeridge_undefined")
  expect_true(all(is.nan(table$coefficients[, "Std. Error"])))
  expect_close(table$sigma, summary(lm(p$y ~ p$x - 1))$sigma, 1e-10)
  wide <- problem(3L, 6L)
  expect_close(coef(ols(wide$x, wide$y)), coef(freeridge(wide$x, wide$y, linear_kernel(), 0)), 1e-9)
  exact <- ols(1:2, 3:4)
  expect_warning(sigma(exact), "no degrees of freedom", class = "freeridge_undefined")
})

test_that("ridge is MASS::lm.ridge on columns divided by their standard deviations", {
  skip_if_not_installed("MASS")
  x <- as.matrix(airfoil[, 1:5])
  sd_n <- sqrt(colMeans(sweep(x, 2L, colMeans(x))^2))
  for (lambda in c(0.01, 1, 100)) {
    reference <- MASS::lm.ridge(sound_pressure ~ ., airfoil, lambda = lambda)
    converted <- convert_lambda(lambda, "lm.ridge", "total", nrow(x))
    fit <- ridge(sweep(x, 2L, sd_n, "/"), airfoil$sound_pressure, converted)
    expect_close(coef(fit) / c(1, sd_n), coef(reference), 1e-9)
    by_penalty <- ridge(x, airfoil$sound_pressure, converted, penalty = sd_n^2)
    expect_close(coef(by_penalty), coef(reference), 1e-9)
  }
  expect_output(print(fit), "Ridge regression: 1503 points, 5 features, 1 output; lambda: 100", fixed = TRUE)
})

test_that("pinv has the four properties of Penrose", {
  set.seed(8)
  for (a in list(matrix(rnorm(12), 4L), matrix(rnorm(12), 3L), tcrossprod(rnorm(5), rnorm(3)), matrix(0, 2L, 3L))) {
    b <- unclass(pinv(a))
    rank <- attr(b, "rank")
    attr(b, "rank") <- NULL
    expect_identical(rank, as.double(sum(svd(a)$d > 1e-10)))
    expect_close(a %*% b %*% a, a, 1e-12)
    expect_close(b %*% a %*% b, b, 1e-12)
    expect_close(t(a %*% b), a %*% b, 1e-12)
    expect_close(t(b %*% a), b %*% a, 1e-12)
  }
  expect_identical(attr(pinv(diag(c(1, 1e-3)), rcond = 0.01), "rank"), 1)
  named <- matrix(1:4 + 0, 2L, dimnames = list(c("a", "b"), c("u", "v")))
  expect_identical(dimnames(pinv(named)), list(c("u", "v"), c("a", "b")))
})

test_that("polynomial features are the monomials, and with their factors they are the polynomial kernel", {
  x <- matrix(c(2, 3, 5, 7), 2L, byrow = TRUE, dimnames = list(NULL, c("u", "v")))
  features <- polynomial_features(x, 2)
  expect_identical(colnames(features), c("1", "u", "v", "u^2", "u v", "v^2"))
  expect_identical(unname(features[1L, ]), c(1, 2, 3, 4, 6, 9))
  expect_identical(unname(attr(features, "exponents")), matrix(c(0L, 1L, 0L, 2L, 1L, 0L, 0L, 0L, 1L, 0L, 1L, 2L), 6L))
  expect_identical(colnames(polynomial_features(unname(x), 1, bias = FALSE)), c("x1", "x2"))
  p <- problem(6L, 3L)
  for (degree in 1:4) {
    features <- polynomial_features(p$x, degree)
    expect_identical(ncol(features), as.integer(choose(3 + degree, degree)))
    expect_identical(dim(polynomial_features(p$x, degree, bias = FALSE)), dim(features) - c(0L, 1L))
    expect_identical(polynomial_feature_count(3, degree), ncol(features))
    expect_identical(polynomial_feature_count(3, degree, FALSE), ncol(features) - 1L)
    exponents <- attr(features, "exponents")
    expect_close(features, apply(exponents, 1L, function(power) apply(t(p$x)^power, 2L, prod)), 1e-13)
    scaled <- sweep(features, 2L, polynomial_feature_factors(3, degree, 0.5, 2), "*")
    expect_close(tcrossprod(scaled), oracle_kernel(polynomial_kernel(degree, 0.5, 2), p$x, p$x), 1e-12)
  }
})

test_that("weighted medians and slopes of least absolute deviations are minimisers", {
  set.seed(9)
  for (n in c(1L, 2L, 7L, 20L)) {
    values <- round(rnorm(n), 1L)
    weights <- sample(0:3, n, TRUE) + (seq_len(n) == 1L)
    loss <- function(m) sum(weights * abs(values - m))
    expect_lte(loss(weighted_median(values, weights)), min(vapply(values, loss, 0)) + 1e-12)
    expect_identical(weighted_median(values), median(values))
    x <- rnorm(n)
    slopes <- values / x
    loss <- function(slope) sum(abs(values - slope * x))
    expect_lte(loss(absolute_slope(x, values)), min(vapply(slopes, loss, 0)) + 1e-12)
  }
})

test_that("bad input is refused", {
  x <- problem()$x
  y <- problem()$y
  for (method in list(ols, tls, function(x, y, ...) ridge(x, y, 1, ...))) {
    expect_refusal(method("a", y), 'x must be a numeric matrix, not "a"')
    expect_refusal(method(x, y[-1]), "y has 19 rows, x has 20")
    expect_refusal(method(replace(x, 3, NA), y), "x\\[3, 1\\] is NA")
    expect_refusal(method(x, replace(y, 3, Inf)), "y\\[3\\] is Inf")
    expect_refusal(method(x, y, intercept = 2), "intercept must be TRUE or FALSE, not 2")
  }
  expect_refusal(ols(), "x is missing")
  expect_refusal(tls(x), "y is missing")
  expect_refusal(ols(x, y, foo = 1), "unknown argument: 'foo'")
  expect_refusal(ridge(x, y), "lambda is missing")
  expect_refusal(ridge(x, y, -1), "lambda is -1")
  expect_refusal(ridge(x, y, 1:2), "lambda must be one number, not 2 numbers")
  expect_refusal(ridge(x, y, 1, penalty = 1), "penalty must be 3 numbers >= 0, one for each column of x, not 1")
  expect_refusal(ridge(x, y, 1, penalty = c(1, -1, 1)), "penalty\\[2\\] is -1")
  expect_refusal(tls(x, y, exact = c(TRUE, NA, TRUE)), "exact must be 3 TRUE or FALSE")
  expect_refusal(tls(x[1:3, ], y[1:3]), "", "freeridge_error")
  expect_refusal(predict(ols(x, y), x[, 1:2]), "newdata has 2 columns, the fit has 3")
  expect_refusal(predict(ols(x, y), x, interval = "gp"), "interval must be one of \"none\", \"confidence\", \"prediction\"")
  expect_refusal(predict(tls(x, y), x, interval = "confidence"), "Total least squares has no intervals of predictions here")
  expect_refusal(predict(ridge(x, y, 1, penalty = 1:3), x, se.fit = TRUE), "Ridge regression has no intervals of predictions here")
  expect_refusal(pinv(matrix(NaN)), "a\\[1\\] is NaN")
  expect_refusal(pinv(), "a is missing")
  expect_refusal(pinv(x, -1), "rcond must be one number >= 0, not -1")
  expect_refusal(polynomial_features(x), "degree is missing")
  expect_refusal(polynomial_features(x, 0), "degree must be one whole number >= 1, not 0")
  expect_refusal(polynomial_features(matrix(0, 1, 1000), 1000), "", "freeridge_error")
  expect_refusal(polynomial_feature_count(1e6, 1e6), "", "freeridge_invalid_argument")
  expect_refusal(polynomial_features(x, 2, NA), "bias must be TRUE or FALSE")
  expect_refusal(polynomial_feature_factors(2, 2, scale = -1), "scale is -1", "freeridge_invalid_argument")
  expect_refusal(polynomial_feature_factors(0, 2), "d must be one whole number >= 1")
  expect_refusal(weighted_median("a"), "values must be numbers")
  expect_refusal(weighted_median(1:3, 1:2), "weights must be 3 numbers, not 2")
  expect_refusal(weighted_median(1:3, c(1, -1, 1)), "weights\\[2\\] is -1")
  expect_refusal(weighted_median(1:3, c(0, 0, 0)), "weight", "freeridge_invalid_argument")
  expect_refusal(weighted_median(c(1, NA)), "values\\[2\\] is NA")
  expect_refusal(absolute_slope(1:3, 1:2), "y must be 3 numbers, not 2")
  expect_refusal(absolute_slope(c(0, 0), 1:2), "", "freeridge_undefined")
})
