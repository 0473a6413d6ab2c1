# The C++ side's own checks, which the R side should leave nothing for: its calls as no user makes them.

test_that("sizes that do not fit, and unknown words, are refused", {
  linear <- list(name = "linear")
  one <- matrix(0, 3L, 1L)
  other <- matrix(0, 2L, 1L)
  for (call in list(quote(core_create(linear, NULL, one, other)), quote(core_ols(one, other, TRUE)),
                    quote(core_classifier_create(linear, NULL, TRUE, one, c(-1, 1), TRUE, NULL, NULL)),
                    quote(core_early_stopping(one, c(1, 2), TRUE, 0, 1)),
                    quote(core_gradient_descent(3L, one, c(1, 2), NULL, 0, NULL, list(), 1)))) {
    expect_refusal(eval(call), "x and y differ in their number of rows", "freeridge_invalid_argument")
  }
  for (call in list(quote(core_loss_gradient(3L, one, c(1, 2), NULL, 0, one, 0)), quote(core_calibrate(1, 1:2, 1)),
                    quote(core_expansion_gradient(3L, one, 1:3, NULL, 0, 1:3, 0)))) {
    expect_refusal(eval(call), "the sizes differ", "freeridge_invalid_argument")
  }
  rows <- ridge_accumulator(2L)
  for (x in list(matrix(0, 2L, 3L), matrix(0, 3L, 2L))) {
    expect_refusal(core_accumulator_add(rows$handle, x, other, NULL), "do not fit the accumulator")
  }
  expect_refusal(core_accumulator_predictor(rows$handle, c(1, 2)), "lambda must have a number for each output")
  for (call in list(quote(core_moments_join(matrix(0, 5L, 1L), matrix(0, 5L, 2L))), quote(core_moments_score(1, 1L, matrix(0, 5L, 2L))),
                    quote(core_moments_select_lambda(1, 1L, matrix(0, 4L, 1L))))) {
    expect_refusal(eval(call), "moments of other lambdas")
  }
  expect_refusal(core_accumulator_moments(rows$handle, matrix(1, 2L, 2L), matrix(1, 2L, 1L), NULL, 1:3, 1), "a label for each row")
  fit <- freeridge(1:5, c(1, 3, 2, 5, 4), gaussian_kernel(1), 1)
  model <- model_at(fit)
  for (ask in list(core_predict, core_predict_variance, function(model, x) core_predict_jackknife(model, x, 0.9, FALSE))) {
    expect_refusal(ask(model, matrix(0, 1L, 2L)), "newdata has another number of columns")
  }
  expect_refusal(core_kernel_evaluate(linear, one, matrix(0, 1L, 2L)), "x and z have different numbers of columns")
  expect_refusal(core_check_kernel(list(name = "spline")), "unknown kernel 'spline'")
  expect_refusal(core_set_landmark_method(model, "best", 0), "unknown landmark method 'best'")
  expect_refusal(core_set_route(model, "fast"), "unknown route 'fast'")
  expect_refusal(core_set_reduction(model, "none"), "unknown reduction 'none'")
  expect_refusal(core_score(model, "aic", 1), "unknown criterion 'aic'")
  expect_refusal(core_by_row(model, "residuals"), "unknown answer 'residuals'")
  expect_refusal(core_convert_lambda(1, "total", "other", 5, 1), "unknown convention 'other'")
  expect_refusal(core_coefficient_covariance(model, "robust", TRUE), "unknown type of covariance")
  expect_refusal(core_average_gradient(model, one, 1:2, "bayesian", TRUE), "weights must be one number for each row")
  expect_refusal(core_predict_combinations(model, one, 0:1, 2L, 1, "bayesian", TRUE, FALSE), "must be one number for each row")
})

test_that("handles of other kinds and of other sessions are refused", {
  fit <- freeridge(1:5, c(1, 3, 2, 5, 4), gaussian_kernel(1), 1)
  for (handle in list(NULL, new.env(), ridge_accumulator(2L)$handle)) {
    expect_refusal(core_fitted(handle), "not a freeridge model handle", "freeridge_invalid_argument")
  }
  stale <- unserialize(serialize(model_at(fit), NULL))
  expect_refusal(core_by_row(stale, "loo"), "the freeridge model handle is of another session", "freeridge_invalid_argument")
  expect_identical(loo(unserialize(serialize(fit, NULL))), loo(fit))
})

test_that("a function of the R side that should signal and does not is an error all the same", {
  package <- asNamespace("freeridge")
  kept <- package$refuse
  replace_refuse <- function(f) {
    unlockBinding("refuse", package)
    assign("refuse", f, package)
    lockBinding("refuse", package)
  }
  replace_refuse(function(...) NULL)
  on.exit(replace_refuse(kept))
  expect_error(core_check_kernel(list(name = "spline")), "refuse returned")
})

test_that("memory that the system does not have is an error of R with a sentence", {
  # A matrix of d x d numbers has 29 TiB.
  skip_if_not_installed("Matrix")
  skip_if(.Machine$sizeof.pointer < 8L, "32 bits")
  large <- Matrix::sparseMatrix(i = 1:3, j = c(1L, 5L, 7L), x = 1, dims = c(2e6, 2e6 - 1))
  expect_refusal(freeridge(large, rep(1:2, 1e6), linear_kernel(), 1, route = "primal"), "sparse|needs",
                 "freeridge_out_of_memory")
  condition <- expect_error(stop_from_core("OUT_OF_MEMORY", "freeridge_predict: out of memory"),
                            class = "freeridge_out_of_memory")
  expect_identical(conditionMessage(condition), conditionMessage(out_of_memory()))
  expect_error(stop_from_core("OUT_OF_MEMORY", "freeridge_factorize: needs 3 GiB, and 2 are free"), "^needs 3 GiB")
})
