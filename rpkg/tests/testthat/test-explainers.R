# caret, DALEX, pdp and iml: each asks for predictions, and gets those of predict().

test_that("caret trains with caret_method()", {
  skip_if_not_installed("caret")
  columns <- mtcars[c("wt", "hp")]
  set.seed(1)
  trained <- caret::train(columns, mtcars$mpg, method = caret_method(), tuneGrid = data.frame(lambda = c("chosen", 0.1, 10)),
                          trControl = caret::trainControl("cv", 4))
  expect_setequal(trained$results$lambda, c("chosen", "0.1", "10"))
  best <- trained$bestTune$lambda
  direct <- if (best == "chosen") freeridge(columns, mtcars$mpg) else freeridge(columns, mtcars$mpg, lambda = as.numeric(best))
  expect_equal(unname(predict(trained, columns)), unname(predict(direct, columns)))
  folds <- trained$control$indexOut
  errors <- vapply(folds, function(out) {
    sqrt(mean((mtcars$mpg[out] - predict(freeridge(columns[-out, ], mtcars$mpg[-out], lambda = 0.1), columns[out, ]))^2))
  }, 0)
  expect_equal(trained$results$RMSE[trained$results$lambda == "0.1"], mean(errors), tolerance = 1e-8)
  set.seed(1)
  flowers <- caret::train(Species ~ ., iris, method = caret_method(), trControl = caret::trainControl("cv", 3, classProbs = TRUE))
  expect_identical(flowers$bestTune$lambda, "chosen")
  expect_equal(as.matrix(predict(flowers, iris[c(1, 80), ], type = "prob")),
               predict(freeridge(Species ~ ., iris), iris[c(1, 80), ], type = "probability"), ignore_attr = TRUE)
  expect_true(rownames(caret::varImp(flowers)$importance)[1L] %in% c("Petal.Width", "Petal.Length"))
  expect_identical(caret::predictors(trained), c("wt", "hp"))
})

test_that("the list for caret can be asked by itself", {
  with_caret <- with_replaced(caret_method, requireNamespace = function(...) TRUE)()
  expect_identical(with_caret$grid(len = 3)$lambda, "chosen")
  expect_identical(with_caret$grid(len = 4)$lambda, c("chosen", "1e-04", "1e-01", "1e+02"))
  expect_length(with_caret$grid(len = 4, search = "random")$lambda, 4L)
  expect_identical(with_caret$sort(data.frame(lambda = c("1", "chosen", "10")))$lambda, c("chosen", "10", "1"))
  expect_refusal(with_caret$fit(mtcars["wt"], mtcars$mpg, NULL, list(lambda = "own")), "numbers or \"chosen\", not \"own\"")
  expect_refusal(with_replaced(caret_method, requireNamespace = function(...) FALSE)(), "for the package caret: install it")
})

test_that("DALEX gets probabilities of classes, and predictions else", {
  classes <- freeridge(factor(am) ~ wt + hp, mtcars)
  expect_equal(yhat.freeridge(classes, mtcars), unname(predict(classes, mtcars, type = "probability")[, 2L]))
  three <- freeridge(Species ~ ., iris, lambda = 1)
  expect_equal(yhat.freeridge(three, iris), predict(three, iris, type = "probability"))
  two <- freeridge(cbind(mpg, qsec) ~ wt, mtcars, lambda = 1)
  expect_equal(yhat.freeridge(two, mtcars), predict(two, mtcars))
  expect_identical(vapply(list(classes, three, two), function(fit) dalex_model_info(fit)$type, ""),
                   c("classification", "multiclass", "regression"))
  stack <- freeridge(factor(am) ~ wt + hp, mtcars, stack = TRUE)
  expect_equal(yhat.freeridge(stack, mtcars), unname(predict(stack, mtcars, type = "probability")[, 2L]))
  expect_equal(get_probs.freeridge(stack, mtcars, 1L), predict(stack, mtcars, type = "probability")[, 1L])
  skip_if_not_installed("DALEX")
  of_stack <- DALEX::explain(stack, data = mtcars[c("wt", "hp")], y = mtcars$am, verbose = FALSE)
  expect_equal(of_stack$y_hat, yhat.freeridge(stack, mtcars))
  explained <- explain(classes, data = mtcars[c("wt", "hp")], y = mtcars$am, verbose = FALSE)
  expect_equal(explained$y_hat, unname(predict(classes, type = "probability")[, 2L]))
  expect_identical(explained$model_info$type, "classification")
})

test_that("pdp's profiles are those of effects()", {
  fit <- freeridge(mpg ~ wt + hp, mtcars)
  classes <- freeridge(factor(am) ~ wt + hp, mtcars)
  expect_identical(c(get_task.freeridge(fit), get_task.freeridge(classes)), c("regression", "classification"))
  probability <- predict(classes, mtcars, type = "probability")
  expect_equal(get_probs.freeridge(classes, mtcars, 2L), probability[, 2L])
  expect_equal(get_probs.freeridge(classes, mtcars, 2L, TRUE), log(probability[, 2L]) - rowMeans(log(probability)))
  skip_if_not_installed("pdp")
  ends <- range(mtcars$wt)
  profile <- pdp::partial(fit, pred.var = "wt", pred.grid = data.frame(wt = ends), train = mtcars)
  curve <- effects(fit, "wt", points = 2)
  expect_equal(profile$yhat, curve$estimate)
})

test_that("iml's and DALEX's own importance finds the first column that importance() finds", {
  skip_if_not_installed("iml")
  fit <- freeridge(mpg ~ wt + hp, mtcars)
  set.seed(1)
  asked <- iml::FeatureImp$new(iml::Predictor$new(fit, data = mtcars[c("wt", "hp")], y = mtcars$mpg), loss = "rmse")
  expect_identical(asked$results$feature[1L], importance(fit)$table$variable[1L])
})

# The methods that vetiver calls; tests/r/workflows.R has them by way of vetiver itself.
test_that("a model for deployment is the predictor of a fit", {
  cars <- mtcars
  fit <- freeridge(mpg ~ wt + log(hp) + factor(cyl), cars)
  known <- freeridge:::vetiver_ptype.freeridge(fit)
  expect_identical(dim(known), c(0L, 3L))
  expect_named(known, c("wt", "hp", "cyl"))
  at_x <- freeridge(as.matrix(mtcars[c("wt", "hp")]), mtcars$mpg, kernel = linear_kernel())
  expect_named(freeridge:::vetiver_ptype.freeridge(at_x), c("wt", "hp"))
  fit$call$data <- quote(data_that_is_gone)
  expect_refusal(freeridge:::vetiver_ptype.freeridge(fit), "the data with the column hp and 1 other is not there any more")
  expect_identical(freeridge:::vetiver_create_description.freeridge(fit), "A kernel ridge regression by freeridge")
  expect_identical(freeridge:::vetiver_create_description.freeridge(at_x), "A ridge regression by freeridge")
  flowers <- freeridge(Species ~ ., iris)
  rows <- iris[c(1L, 51L), -5L]
  answers <- function(fit, ...) {
    model <- list(model = unserialize(serialize(freeridge:::vetiver_prepare_model.freeridge(fit), NULL)))
    freeridge:::handler_predict.freeridge_predictor(model, ...)(list(body = rows))$.pred
  }
  expect_identical(answers(flowers), predict(flowers, rows, type = "class"))
  expect_equal(answers(flowers, type = "probability"), predict(flowers, rows, type = "probability"))
  stack <- freeridge(Sepal.Length ~ Petal.Length + Petal.Width, iris, stack = TRUE)
  expect_s3_class(freeridge:::vetiver_prepare_model.freeridge_stack(stack), "freeridge_stack_predictor")
  expect_match(freeridge:::vetiver_create_description.freeridge_stack(stack), "^A stack")
})
