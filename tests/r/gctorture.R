# Fits and their answers while R collects garbage at each of its allocations: an object that the C++ side holds without
# protecting it is then gone, and the answers differ, or the session dies. gctorture.R; R_LIBS says where the package is.
library(freeridge)
set.seed(1)
x <- matrix(rnorm(14 * 2), 14)
y <- sin(x[, 1L]) + rnorm(14)
new <- matrix(rnorm(6), 3)
kernel <- 0.5 * gaussian_kernel(1) + linear_kernel() * matern_kernel(1.5, 2)
thin <- if (requireNamespace("Matrix", quietly = TRUE)) Matrix::Matrix(round(x), sparse = TRUE)

works <- list(
  fit = function() freeridge(x, y, kernel, weights = 1:14)$lambda,
  answers = function() {
    fit <- freeridge(x, cbind(y, y^2), gaussian_kernel(1), c(0.1, 1), groups = rep(1:7, 2))
    list(loo(fit), group_errors(fit, rep(1:2, 7)), predict(fit, new), unclass(coef(fit)), hatvalues(fit),
         cooks.distance(fit), predict(fit, new, interval = "jackknife+"), lambda_path(fit, c(0.1, 1)))
  },
  linear = function() coef(freeridge(x, y, linear_kernel(), 1)),
  landmarks = function() landmarks(freeridge(x, y, gaussian_kernel(1), 1, landmarks = 4)),
  accumulator = function() {
    rows <- accumulate(ridge_accumulator(2L), x, y)
    list(coef(rows, c(0.1, 1)), accumulator_bytes(rows), loo(rows, x, y, 1))
  },
  classifier = function() predict(kernel_svm(x, y > 0, gaussian_kernel(1), 0.1), new),
  sparse = function() if (!is.null(thin)) loo(freeridge(thin, y, linear_kernel(), 1)),
  refused = function() tryCatch(gaussian_kernel(-1), error = conditionMessage),
  classical = function() list(coef(ols(x, y)), pinv(x), polynomial_features(x, 2), make_folds(9, 3))
)
for (name in names(works)) {
  expected <- works[[name]]()
  started <- proc.time()[["elapsed"]]
  gctorture(TRUE)
  found <- works[[name]]()
  gctorture(FALSE)
  if (!identical(found, expected)) stop(name, ": other answers under gctorture")
  cat(sprintf("%-12s the same answers, %.0f s\n", name, proc.time()[["elapsed"]] - started))
}
