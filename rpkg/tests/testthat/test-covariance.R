# Covariances, intervals and tables of coefficients: against lm at lambda = 0, and against explicit matrices.

test_that("at lambda = 0 they are those of lm", {
  for (formula in list(mpg ~ wt + hp + factor(cyl), mpg ~ wt + hp - 1)) for (weights in list(NULL, mtcars$carb)) {
    fit <- freeridge(formula, mtcars, weights = weights, kernel = linear_kernel(), lambda = 0)
    reference <- lm(formula, mtcars, weights = weights)
    for (type in c("bayesian", "frequentist")) {
      expect_close(vcov(fit, type), vcov(reference), 1e-10)
      expect_identical(dimnames(vcov(fit, type)), dimnames(vcov(reference)))
      expect_close(confint(fit, type = type), confint(reference), 1e-10)
      expect_close(coef(summary(fit, type = type))[, 1:3], coef(summary(reference))[, 1:3], 1e-10)
      expect_close(log(coef(summary(fit, type = type))[, 4L]), log(coef(summary(reference))[, 4L]), 1e-8)
    }
    expect_identical(dimnames(confint(fit, level = 0.9)), dimnames(confint(reference, level = 0.9)))
    expect_identical(dimnames(coef(summary(fit))), dimnames(coef(summary(reference))))
  }
  scaled <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 0, scale = TRUE)
  expect_close(vcov(scaled), vcov(lm(mpg ~ wt + hp, mtcars)), 1e-10)
  penalised <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 5)
  expect_close(vcov(penalised, lambda = 0), vcov(lm(mpg ~ wt + hp, mtcars)), 1e-10)
})

test_that("several outputs: those of lm with several responses", {
  fit <- freeridge(cbind(mpg, qsec) ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 0)
  reference <- lm(cbind(mpg, qsec) ~ wt + hp, mtcars)
  for (type in c("bayesian", "frequentist")) {
    expect_close(vcov(fit, type), vcov(reference), 1e-10)
    expect_identical(dimnames(vcov(fit, type)), dimnames(vcov(reference)))
    expect_close(confint(fit, type = type), confint(reference), 1e-10)
    expect_identical(dimnames(confint(fit)), dimnames(confint(reference)))
  }
  expect_identical(names(coef(summary(fit))), c("mpg", "qsec"))
  expect_close(coef(summary(fit))$qsec, coef(summary(lm(qsec ~ wt + hp, mtcars))), 1e-8)
})

# The textbook's formulas: X has the column of ones, `penalty` is a diagonal, 0 for the intercept.
oracle_covariance <- function(x, y, weights, intercept, penalty, type) {
  if (intercept) {
    x <- cbind(1, x)
    penalty <- c(0, penalty)
  }
  bread <- solve(crossprod(x, weights * x) + diag(penalty), tol = 0)
  smoother <- bread %*% t(weights * x)
  residuals <- y - x %*% (smoother %*% y)
  sigma2 <- sum(weights * residuals^2) / (nrow(x) - sum(diag(x %*% smoother)))
  sigma2 * if (type == "bayesian") bread else bread %*% crossprod(x, weights * x) %*% bread
}

test_that("for a penalised fit they are the formulas, for fewer and for more columns than points", {
  for (d in c(3L, 30L)) for (intercept in c(TRUE, FALSE)) for (type in c("bayesian", "frequentist")) {
    p <- problem(20L, d)
    divisors <- seq(0.5, 2, length.out = d)
    metric <- 0.5 + 2 / (2 * divisors)^2
    kernel <- 0.5 * linear_kernel() + 2 * scaled_kernel(linear_kernel(), 2 * divisors)
    for (scale in list(FALSE, rep(3, d))) {
      fit <- freeridge(p$x, p$y, kernel, 1.5, weights = p$weights, intercept = intercept, scale = scale)
      penalty <- 1.5 / metric * (if (is.numeric(scale)) 9 else 1)
      expected <- oracle_covariance(p$x, p$y, p$weights, intercept, penalty, type)
      expect_close(vcov(fit, type), expected, 1e-9)
      expect_close(coef(summary(fit, type = type))[, "Std. Error"], sqrt(diag(expected)), 1e-9)
      half <- qt(0.9, df.residual(fit)) * sqrt(diag(expected))
      expect_close(confint(fit, level = 0.8, type = type), cbind(coef(fit) - half, coef(fit) + half), 1e-9)
      other <- freeridge(p$x, p$y, kernel, 9, weights = p$weights, intercept = intercept, scale = scale)
      expect_close(vcov(other, type, 1.5), expected, 1e-9)
    }
  }
})

test_that("what has no value is NaN with a warning, and bad arguments are refused", {
  p <- problem(5L, 8L)
  flat <- freeridge(cbind(p$x[, 1:2], p$x[, 1L]), p$y, linear_kernel(), 0, route = "primal")
  expect_warning(found <- vcov(flat), "lambda is 0, and the 3 columns of x, of rank 2", class = "freeridge_undefined")
  expect_true(all(is.nan(found)))
  expect_warning(found <- summary(flat), "lambda is 0", class = "freeridge_undefined")
  expect_true(all(is.nan(coef(found)[, "Std. Error"])))
  line <- freeridge(1:2, c(1, 3), linear_kernel(), 0, route = "primal")
  expect_warning(found <- vcov(line), "no degrees of freedom are left", class = "freeridge_undefined")
  expect_true(all(is.nan(found)))

  curve <- freeridge(p$x, p$y, gaussian_kernel(2), 1)
  expect_refusal(vcov(curve), "the kernel is gaussian\\(sigma = 2\\), which has no slopes: .* marginal_effects\\(\\)")
  expect_refusal(confint(curve), "which has no slopes")
  expect_refusal(summary(curve, coefficients = TRUE), "coefficients is TRUE, but the kernel is gaussian")
  fit <- freeridge(p$x, p$y, linear_kernel(), 1)
  expect_refusal(vcov(fit, "robust"), 'type must be one of "bayesian", "frequentist", not "robust"')
  expect_refusal(summary(fit, type = "robust"), "type must be one of")
  expect_refusal(summary(fit, coefficients = 1), "coefficients must be TRUE or FALSE, not 1")
  expect_refusal(vcov(fit, lambda = -1), "lambda is -1")
  expect_refusal(vcov(fit, foo = 1), "unknown argument: 'foo'")
  expect_refusal(confint(fit, foo = 1), "unknown argument: 'foo'")
  expect_refusal(confint(fit, "z"), 'parm: "z" is not the name or number of a coefficient')
  expect_refusal(confint(fit, 10), "parm: 10 is not the name or number of a coefficient")
  expect_refusal(confint(fit, level = 2), "level must be one number between 0 and 1, not 2")
  expect_identical(confint(fit, c("x2", "x1")), confint(fit)[c("x2", "x1"), ])
  expect_identical(confint(fit, 2), confint(fit, "x1"))
})

test_that("summary prints the table of coefficients where there is one", {
  fit <- freeridge(cbind(mpg, qsec) ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 1)
  expect_output(print(summary(fit)), "Coefficients of output qsec (Bayesian standard errors):", fixed = TRUE)
  expect_output(print(summary(fit, type = "frequentist")), "(frequentist standard errors):", fixed = TRUE)
  expect_null(summary(fit, coefficients = FALSE)$coefficients)
  expect_false(any(grepl("Coefficients", capture.output(print(summary(fit, coefficients = FALSE))))))
  p <- problem(5L, 1001L)
  wide <- freeridge(p$x, p$y, linear_kernel(), 1)
  expect_null(summary(wide)$coefficients)
  expect_identical(dim(coef(summary(wide, coefficients = TRUE))), c(1002L, 4L))
})
