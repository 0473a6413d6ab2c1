# The engine "freeridge" of parsnip: the same fits and predictions by its verbs.

skip_if_not_installed("parsnip")

test_that("linear_reg", {
  spec <- parsnip::set_engine(parsnip::linear_reg(penalty = 2), "freeridge")
  fit <- parsnip::fit(spec, mpg ~ wt + factor(gear), mtcars)
  direct <- freeridge(mpg ~ wt + factor(gear), mtcars, kernel = linear_kernel(), lambda = 2)
  expect_equal(coef(fit$fit), coef(direct))
  expect_equal(predict(fit, mtcars[1:3, ])$.pred, unname(fitted(direct)[1:3]))
  bounds <- predict(fit, mtcars[1:3, ], type = "pred_int", level = 0.9)
  expected <- predict(direct, mtcars[1:3, ], interval = "jackknife+", level = 0.9)
  expect_equal(unname(as.matrix(bounds)), unname(expected[, c("lwr", "upr")]))
  by_columns <- parsnip::fit_xy(spec, mtcars[c("wt", "hp")], mtcars$mpg)
  expect_equal(coef(by_columns$fit), coef(freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 2)))
  chosen <- parsnip::fit(parsnip::set_engine(parsnip::linear_reg(), "freeridge"), mpg ~ wt + hp, mtcars)
  expect_identical(chosen$fit$lambda, freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel())$lambda)
})

test_that("case weights", {
  skip_if_not_installed("hardhat")
  spec <- parsnip::set_engine(parsnip::linear_reg(penalty = 2), "freeridge")
  fit <- parsnip::fit(spec, mpg ~ wt, mtcars, case_weights = hardhat::importance_weights(mtcars$cyl / 4))
  expect_equal(coef(fit$fit),
               coef(freeridge(mpg ~ wt, mtcars, weights = cyl / 4, kernel = linear_kernel(), lambda = 2)))
})

test_that("kernel_ridge_reg for regression and classification", {
  regression <- parsnip::set_engine(kernel_ridge_reg("regression", penalty = 0.1), "freeridge",
                                    kernel = laplacian_kernel(2), scale = TRUE)
  fit <- parsnip::fit(regression, mpg ~ wt + hp, mtcars)
  direct <- freeridge(mpg ~ wt + hp, mtcars, kernel = laplacian_kernel(2), lambda = 0.1, scale = TRUE)
  expect_equal(predict(fit, mtcars)$.pred, unname(predict(direct, mtcars)))
  expect_output(print(regression), "kernel ridge reg", ignore.case = TRUE)
  expect_identical(parsnip::translate(regression)$method$fit$func, c(pkg = "freeridge", fun = "freeridge"))

  classification <- kernel_ridge_reg("classification")
  flowers <- parsnip::fit(classification, Species ~ ., iris)
  direct <- freeridge(Species ~ ., iris)
  expect_identical(predict(flowers, iris)$.pred_class, unname(predict(direct, iris, type = "class")))
  probability <- predict(flowers, iris[c(1L, 51L, 101L), ], type = "prob")
  expect_named(probability, paste0(".pred_", levels(iris$Species)))
  expect_equal(unname(as.matrix(probability)), unname(predict(direct, iris[c(1L, 51L, 101L), ], type = "probability")))
  two <- parsnip::fit(classification, Species ~ ., iris[51:150, ])  # a level without rows
  probability <- predict(two, iris[c(51L, 101L), ], type = "prob")
  expect_named(probability, paste0(".pred_", levels(iris$Species)))
  expect_identical(probability$.pred_setosa, c(0, 0))
  expect_identical(levels(predict(two, iris[51L, ])$.pred_class), levels(iris$Species))
  single <- parsnip::fit(kernel_ridge_reg("regression"), mpg ~ wt + hp, mtcars)
  default <- freeridge(mpg ~ wt + hp, mtcars)  # whose kernel the engine takes
  expect_equal(predict(single, mtcars)$.pred, unname(predict(default, mtcars)))
  expect_equal(as.matrix(predict(single, mtcars[1:3, ], type = "conf_int", level = 0.9)),
               predict(default, mtcars[1:3, ], interval = "confidence", level = 0.9)[, c("lwr", "upr")], ignore_attr = TRUE)
  several <- parsnip::multi_predict(single, mtcars[1:3, ], penalty = c(0.1, 1))
  expect_equal(t(vapply(several$.pred, function(rows) rows$.pred, c(0, 0))), predict(default, mtcars[1:3, ], lambda = c(0.1, 1)),
               ignore_attr = TRUE)
  expect_identical(parsnip::multi_predict(single, mtcars[1:2, ])$.pred[[1L]]$penalty, unname(default$lambda))
  of_classes <- parsnip::multi_predict(flowers, iris[c(1L, 51L), ], penalty = 1, type = "prob")$.pred[[2L]]
  expect_equal(unlist(of_classes[-1L]), predict(direct, iris[51L, ], lambda = 1, type = "probability")[1L, ], ignore_attr = TRUE)
  expect_identical(parsnip::multi_predict(flowers, iris[51L, ])$.pred[[1L]]$.pred_class, factor("versicolor", levels(iris$Species)))
  changed <- update(classification, penalty = 3)
  expect_identical(unname(parsnip::fit(changed, Species ~ ., iris)$fit$lambda), rep(3, 3L))
})

test_that("tidymodels without a recipe: several specifications, the same data, compared by left-out points", {
  train <- seq(1, 32, by = 2)
  specs <- list(parsnip::set_engine(parsnip::linear_reg(), "freeridge"), kernel_ridge_reg("regression"))
  fits <- lapply(specs, parsnip::fit, mpg ~ wt + hp, mtcars[train, ])
  tested <- vapply(fits, function(fit) sqrt(mean((mtcars$mpg[-train] - predict(fit, mtcars[-train, ])$.pred)^2)), 0)
  expect_true(all(tested < sd(mtcars$mpg)))
  skip_if_not_installed("generics")
  rows <- do.call(rbind, lapply(fits, function(fit) generics::glance(fit$fit)))
  expect_identical(nrow(rows), 2L)
  expect_identical(names(generics::augment(fits[[1L]]$fit))[4L], ".fitted")
})

test_that("the engines are registered once, whichever package is loaded first", {
  for (order in list(c("freeridge", "parsnip"), c("parsnip", "freeridge"))) {
    output <- run_script(c(sprintf("loadNamespace('%s')", order), "freeridge:::register_engines()",
                           "cat(sum(parsnip::get_from_env('linear_reg')$engine == 'freeridge'),",
                           "    sum(parsnip::get_from_env('kernel_ridge_reg')$engine == 'freeridge'))"))
    expect_identical(output[length(output)], "1 2")
  }
})
