# noise_sd: the variance of the errors is known, against the restricted likelihood and the posterior by dense matrices.

set.seed(9)
n <- 40
s <- stats::runif(n, 0.05, 0.6)
known <- data.frame(x = sort(stats::runif(n, 0, 3)), s = s)
known$y <- sin(2 * known$x) + s * stats::rnorm(n)

# With V = t2 K + diag(s^2): -log of the restricted likelihood, and the posterior of f + b at new points.
restricted <- function(k, y, s, t2) {
  v <- chol2inv(chol(t2 * k + diag(s^2)))
  one <- rowSums(v)
  p <- v - tcrossprod(one) / sum(one)
  (length(y) - 1) / 2 * log(2 * pi) - as.numeric(determinant(v)$modulus) / 2 + log(sum(one)) / 2 + sum(y * (p %*% y)) / 2
}
posterior <- function(k, own, cross, y, s, t2) {
  v <- solve(t2 * k + diag(s^2))
  b <- sum(v %*% y) / sum(v)
  away <- 1 - colSums(v %*% (t2 * cross))
  variance <- t2 * own - colSums(t2 * cross * (v %*% (t2 * cross))) + away^2 / sum(v)
  list(fit = b + as.vector(crossprod(t2 * cross, v %*% (y - b))), se = sqrt(variance))
}

test_that("REML, predictions and standard errors are those of known noise", {
  kernel <- gaussian_kernel(0.8)
  fit <- freeridge(y ~ x, known, kernel = kernel, weights = 1 / s^2, noise_sd = 1)
  expect_identical(fit$criterion, "reml")
  k <- kernel_matrix(kernel, cbind(known$x))
  score <- function(log_t2) restricted(k, known$y, known$s, exp(log_t2))
  best <- stats::optimize(score, c(-6, 6), tol = 1e-10)
  expect_equal(fit$score[[1L]], best$objective, tolerance = 1e-8)
  expect_equal(log(1 / fit$lambda[[1L]]), best$minimum, tolerance = 1e-4)
  at <- data.frame(x = c(-0.3, 0.4, 1.9, 3.5))
  cross <- kernel_matrix(kernel, cbind(known$x), cbind(at$x))
  exact <- posterior(k, 1, cross, known$y, known$s, 1 / fit$lambda[[1L]])
  found <- predict(fit, at, interval = "confidence", se.fit = TRUE)
  expect_close(found$fit[, "fit"], exact$fit, 1e-8)
  expect_close(found$se.fit, exact$se, 1e-8)
  expect_close(found$fit[, "upr"] - found$fit[, "fit"], stats::qnorm(0.975) * exact$se, 1e-8)
  expect_identical(unname(stats::sigma(fit)), 1)
  expect_output(print(fit), "Noise: known, standard deviation 1 in a row of weight one")
  expect_equal(as.numeric(logLik(fit)), sum(stats::dnorm(known$y, fitted(fit), known$s, log = TRUE)), tolerance = 1e-10)
  # Quantiles are normal wherever errors have them: curves, whole curves, differences, coefficients.
  z <- stats::qnorm(0.975)
  curve <- effects(fit)
  expect_close(curve$upper - curve$estimate, z * curve$se, 1e-12)
  whole <- effects(fit, simultaneous = TRUE)
  ratio <- (whole$upper - whole$estimate) / whole$se
  expect_close(ratio, rep(ratio[1L], length(ratio)), 1e-10)
  expect_true(ratio[1L] > z && ratio[1L] < sqrt(stats::qchisq(0.95, 50)))
  pair <- pairs(effects(fit, points = 2, covariance = TRUE))
  expect_close(pair$p.value, 2 * stats::pnorm(-abs(pair$estimate / pair$se)), 1e-12)
  line <- freeridge(y ~ x, known, weights = 1 / s^2, noise_sd = 1, kernel = linear_kernel())
  expect_close(confint(line)[, 2L] - coef(line), z * sqrt(diag(vcov(line))), 1e-12)
  by_effects <- freeridge(y ~ x + unpenalised(s), known, weights = 1 / s^2, noise_sd = 1, kernel = gaussian_kernel(0.8))
  own <- freeridge:::inference(by_effects, "bayesian")
  expect_close(confint(by_effects)[, 2L] - own$estimates, z * own$errors, 1e-12)
  # In other units of the weights.
  other <- freeridge(y ~ x, known, kernel = kernel, weights = 4 / s^2, noise_sd = 2)
  expect_close(predict(other, at), predict(fit, at), 1e-6)
  expect_identical(predict(unserialize(serialize(fit, NULL)), at, se.fit = TRUE), predict(fit, at, se.fit = TRUE))
})

test_that("lengths are learnt by that likelihood, without a prior of the noise", {
  fit <- freeridge(y ~ x, known, weights = 1 / s^2, noise_sd = 1, kernel = gaussian_kernel(), shrinkage = Inf)
  sigma <- prod(hyperparameters(fit)) * fit$scale
  score <- function(par) restricted(kernel_matrix(gaussian_kernel(exp(par[1L])), cbind(known$x)), known$y, known$s, exp(par[2L]))
  best <- stats::optim(c(log(sigma), -log(fit$lambda[[1L]])), score, method = "BFGS", control = list(reltol = 1e-12))
  expect_lt(fit$score[[1L]] - best$value, 1e-5)
  expect_close(sigma / exp(best$par[1L]), 1, 0.01)
  expect_no_match(paste(capture.output(print(fit)), collapse = " "), "prior of the noise")
})

test_that("what noise_sd does not go with is refused", {
  fit <- freeridge(as.matrix(known["x"]), known$y, noise_sd = 0.3)
  expect_refusal(variance_components(fit), "^noise_sd\\^2 is 0.09: the variance of the errors is known, and that of f is noise_sd\\^2 / lambda", "freeridge_invalid_state")
  fit_with <- function(...) freeridge(as.matrix(known["x"]), known$y, noise_sd = 1, ...)
  expect_refusal(freeridge(as.matrix(known["x"]), known$y, noise_sd = -1), "one positive number")
  expect_refusal(freeridge(as.matrix(known["x"]), known$y, noise_sd = 1:2), "one number")
  expect_refusal(fit_with(robust = "huber"), "does not go with robust")
  expect_refusal(fit_with(stack = TRUE), "noise_sd cannot be given")
  expect_refusal(freeridge(as.matrix(known["x"]), factor(known$y > 0), noise_sd = 1), "does not go with classes")
})
