# MASS::lm.ridge centres x and divides its columns by standard deviations with denominator n; its lambda is the total
# penalty on those columns. With the same divisors lambda is the same number; with scale = TRUE (denominator n - 1)
# lambda is (n - 1) / n times that of lm.ridge.

test_that("coefficients and GCV agree with MASS::lm.ridge", {
  skip_if_not_installed("MASS")
  x <- as.matrix(airfoil[, 1:5])
  y <- airfoil$sound_pressure
  n <- nrow(x)
  sd_n <- sqrt(colMeans(sweep(x, 2L, colMeans(x))^2))
  for (lambda in c(0.01, 1, 100)) {
    reference <- MASS::lm.ridge(sound_pressure ~ ., airfoil, lambda = lambda)
    for (fit in list(
      freeridge(x, y, linear_kernel(), lambda, scale = sd_n),
      freeridge(sound_pressure ~ ., airfoil, kernel = linear_kernel(), lambda = lambda * (n - 1) / n, scale = TRUE)
    )) {
      expect_identical(names(coef(fit)), c("(Intercept)", names(coef(reference))[-1L]))
      expect_close(coef(fit), coef(reference), 1e-8)
      # lm.ridge's degrees of freedom leave the intercept out, and its GCV has no factor n.
      rss <- sum(residuals(fit)^2)
      expect_close(rss / (n - (sum(hatvalues(fit)) - 1))^2, reference$GCV, 1e-8)
    }
  }
})
