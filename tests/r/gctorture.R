# Fits and their answers while R collects garbage at each allocation that is made within a call of the C++ side: an object
# that it holds without protecting it is then gone, and the answers differ, or the session dies. (R's own code allocates
# a hundred times as often, protects for itself, and would take hours.) gctorture.R; R_LIBS says where the package is.
library(freeridge)

# Each function that calls the C++ side does so under torture.
called <- new.env()
torturing <- FALSE
tortured <- function(name, f) {
  force(name)
  force(f)
  function(...) {
    arguments <- list(...)  # evaluated before
    if (torturing) {
      called[[name]] <- TRUE
      gctorture(TRUE)
      on.exit(gctorture(FALSE))
    }
    do.call(f, arguments, quote = TRUE)
  }
}
calls_cpp <- function(f) any(grepl("^_freeridge_", all.names(body(f))))
package <- asNamespace("freeridge")
glue <- character()
for (name in ls(package)) {
  f <- package[[name]]
  if (!is.function(f)) next
  if (calls_cpp(f)) {
    unlockBinding(name, package)
    assign(name, tortured(name, f), package)
  } else if (exists("dense", environment(f), inherits = FALSE)) {
    holder <- environment(f)
    if (!calls_cpp(holder$dense)) next
    holder$dense <- tortured(name, holder$dense)
  } else {
    next
  }
  glue <- c(glue, name)
}
stopifnot(length(glue) > 80)

set.seed(1)
x <- matrix(rnorm(14 * 2), 14)
y <- sin(x[, 1L]) + rnorm(14)
new <- matrix(rnorm(6), 3)
kernel <- 0.5 * gaussian_kernel(1) + linear_kernel() * matern_kernel(1.5, 2)
thin <- if (requireNamespace("Matrix", quietly = TRUE)) Matrix::Matrix(round(x), sparse = TRUE)

works <- list(
  fit = function() freeridge(x, y, kernel, weights = 1:14)$lambda,
  bandwidth = function() {
    fit <- freeridge(x, y, budget = 5)
    list(fit$kernel, as.character(fit$kernel), fit$kernel == parse_kernel(as.character(fit$kernel)))
  },
  answers = function() {
    fit <- freeridge(x, cbind(y, y^2), gaussian_kernel(1), c(0.1, 1), groups = rep(1:7, 2))
    list(loo(fit), group_errors(fit, rep(1:2, 7)), predict(fit, new), unclass(coef(fit)), fitted(fit), hatvalues(fit),
         cooks.distance(fit), sigma(fit), predict(fit, new, interval = "jackknife+"), predict(fit, new, interval = "gp"),
         lambda_path(fit, c(0.1, 1)), lambda_grid(fit, 5), marginal_effects(fit),
         vapply(c("CHOLESKY", "SPECTRAL", "BAND"), grepl, NA, explain(fit)))  # its times are measured
  },
  linear = function() {
    fit <- freeridge(x, y, linear_kernel(), 1)
    list(coef(fit), lambda_as(fit, "glmnet"), freeridge(x, y, linear_kernel(), rule = "1se")$lambda)
  },
  landmarks = function() {
    fit <- freeridge(x, y, gaussian_kernel(1), 1, landmarks = 4)
    list(landmarks(fit), landmark_curve(fit, c(2, 4)))
  },
  predictor = function() {
    lapply(list(kernel, linear_kernel()), function(kernel) {
      fit <- freeridge(x, y, kernel, 1)
      predicted <- lapply(list(fit, predictor(fit)), function(object) predict(unserialize(serialize(object, NULL)), new))
      list(predicted, identical(predicted[[1L]], predicted[[2L]]))
    })
  },
  accumulator = function() {
    rows <- merge(accumulate(ridge_accumulator(2L), x, y), accumulate(ridge_accumulator(2L), x[1:5, ], y[1:5]))
    copy <- accumulator_from_bytes(accumulator_bytes(rows))
    list(coef(copy, c(0.1, 1)), score(copy, "gcv", c(0.1, 1)), lambda_grid(copy, 5), loo(rows, x, y, 1))
  },
  classifier = function() {
    logistic <- kernel_logistic(x, y > 0, gaussian_kernel(1), 0.1)
    list(predict(kernel_svm(x, y > 0, gaussian_kernel(1), 0.1), new), loo(logistic), coef(logistic))
  },
  sparse = function() {
    if (is.null(thin)) return(NULL)
    fit <- freeridge(thin, y, linear_kernel())
    list(loo(fit), predict(fit, thin[1:3, ]), hatvalues(fit), lambda_path(fit, c(0.1, 1)))
  },
  refused = function() tryCatch(gaussian_kernel(-1), error = conditionMessage),
  classical = function() {
    list(summary(ols(x, y))$coefficients, coef(ridge(x, y, 1)), coef(tls(x, y)), pinv(x), polynomial_features(x, 2),
         polynomial_feature_count(2, 2), polynomial_feature_factors(2, 2), make_folds(9, 3), make_groups(c(1, 2, 1)), make_holdout(9, 0.3),
         weighted_median(y, 1:14), absolute_slope(x[, 1L], y), stack_weights(x, y),
         convert_lambda(1, "glmnet", "sklearn", n = 14, sd_y = 2))
  },
  descent = function() {
    list(coef(gradient_descent(x, y, lambda = 1, epochs = 5)), early_stopping(x, y, 1:3)$path,
         coef(gradient_descent(x, y > 0, "hinge", 1, epochs = 2, batch = 3, start = c(0, 1, 1))),
         loss_gradient(x, y, c(1, 2)), expansion_gradient(tcrossprod(x), y, y),
         predict(freeridge(x, y > 0, linear_kernel(), 1), type = "probability"))
  },
  settings = function() list(freeridge_build_info(), freeridge_threads(freeridge_threads()))
)
for (name in names(works)) {
  expected <- works[[name]]()
  torturing <- TRUE
  started <- proc.time()[["elapsed"]]
  found <- works[[name]]()
  torturing <- FALSE
  if (!identical(found, expected)) stop(name, ": other answers under gctorture")
  cat(sprintf("%-12s the same answers, %.0f s\n", name, proc.time()[["elapsed"]] - started))
}
cat("not called under torture:", setdiff(glue, ls(called)), "\n")
