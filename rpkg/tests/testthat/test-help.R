# ?? finds the pages by the names that textbooks use.

test_that("help.search() finds the field's names", {
  pages <- c(
    "pseudo-inverse" = "pinv", "kernel trick" = "polynomial_features", "subset of regressors" = "landmarks",
    "Nystroem" = "landmarks", "total least squares" = "ols", "hat matrix" = "coef.freeridge",
    "Tikhonov regularization" = "freeridge", "weight decay" = "freeridge", "regularized least squares" = "freeridge",
    "least-squares support vector machine" = "kernel_ridge", "leave-one-out cross-validation" = "loo", "PRESS" = "loo",
    "support vector machine" = "kernel_logistic", "hinge loss" = "kernel_logistic", "logistic loss" = "kernel_logistic",
    "feature map" = "polynomial_features", "minimum norm solution" = "pinv", "hold-out" = "make_folds",
    "normal equations" = "ols", "kernel ridge regression" = "kernel_ridge", "ridge regression" = "ols",
    "development set" = "make_folds", "Gram matrix" = "kernels", "least absolute deviations" = "weighted_median", "stacking" = "stack_weights"
  )
  for (word in names(pages)) {
    found <- utils::help.search(word, package = "freeridge", agrep = FALSE)$matches
    expect_true(pages[[word]] %in% found$Name | pages[[word]] %in% found$Topic, info = word)
  }
  expect_identical(nrow(utils::help.search("no such words", package = "freeridge", agrep = FALSE)$matches), 0L)
})
