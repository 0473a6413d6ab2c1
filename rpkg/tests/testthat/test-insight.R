# What insight, parameters, performance and those who ask them (ggeffects, sjPlot) get: lm's answers where the fit is least
# squares.

cars <- transform(mtcars, cyl = factor(cyl))
squares <- freeridge(mpg ~ wt + cyl, cars, kernel = linear_kernel(), lambda = 0)
line <- lm(mpg ~ wt + cyl, cars)
curved <- freeridge(log(mpg) ~ wt + cyl, cars)
partly <- freeridge(mpg ~ unpenalised(wt) + hp, cars)

test_that("insight has the parts of lm", {
  skip_if_not_installed("insight")
  for (ask in c("get_parameters", "get_statistic", "find_variables", "find_predictors", "find_response", "get_df", "get_sigma",
                "find_parameters", "n_obs", "link_function")) {
    f <- getExportedValue("insight", ask)
    expect_equal(f(squares), f(line), tolerance = 1e-8, ignore_attr = TRUE, info = ask)
  }
  expect_equal(insight::get_df(squares, type = "model"), 4)
  expect_identical(insight::find_parameters(curved, flatten = TRUE), c("wt", "cyl6", "cyl8"))
  expect_true(insight::model_info(squares)$is_linear)
  expect_identical(sort(insight::find_variables(partly)$conditional), c("hp", "wt"))
  expect_equal(suppressWarnings(insight::get_data(curved))$mpg, cars$mpg)
  expect_equal(insight::get_varcov(squares), vcov(line), tolerance = 1e-8)
  at <- data.frame(wt = 2:3, cyl = factor(c(4, 8), levels(cars$cyl)))
  ours <- as.data.frame(insight::get_predicted(squares, data = at))
  expect_equal(ours$Predicted, unname(predict(line, at)))
  expect_equal(ours$CI_low, unname(predict(line, at, interval = "confidence")[, "lwr"]))
  new <- as.data.frame(insight::get_predicted(squares, data = at, predict = "prediction", ci = 0.9))
  expect_equal(new$CI_high, unname(predict(line, at, interval = "prediction", level = 0.9)[, "upr"]))
})

test_that("parameters and performance have the numbers of lm", {
  skip_if_not_installed("parameters")
  skip_if_not_installed("performance")
  columns <- c("Coefficient", "SE", "CI_low", "CI_high", "t", "df_error", "p")
  expect_equal(as.data.frame(parameters::model_parameters(squares))[columns],
               as.data.frame(parameters::model_parameters(line))[columns], tolerance = 1e-8, ignore_attr = TRUE)
  for (ask in c("standard_error", "p_value", "ci")) {
    f <- getExportedValue("parameters", ask)
    expect_equal(as.data.frame(f(squares))[-1L], as.data.frame(f(line))[-1L], tolerance = 1e-8, ignore_attr = TRUE)
  }
  expect_output(print(parameters::model_parameters(curved)), "cyl8")
  tested <- parameters::model_parameters(partly)
  expect_equal(tested$Coefficient, c(unname(partly$effects[1L]), marginal_effects(partly)$average$estimate))
  weighted <- list(freeridge(mpg ~ wt + cyl, cars, weights = carb, kernel = linear_kernel(), lambda = 0), lm(mpg ~ wt + cyl, cars, weights = carb))
  shared <- c("AIC", "BIC", "R2", "RMSE", "Sigma")
  for (pair in list(list(squares, line), weighted)) {
    found <- lapply(pair, function(fit) as.data.frame(performance::model_performance(fit)))
    expect_equal(found[[1L]][shared], found[[2L]][shared], tolerance = 1e-8, ignore_attr = TRUE)
    expect_equal(found[[1L]]$RMSE_loo, sqrt(mean((residuals(pair[[2L]]) / (1 - hatvalues(pair[[2L]])))^2)))
  }
  expect_equal(unname(performance::r2(squares)$R2), summary(line)$r.squared)
  expect_equal(performance::rmse(squares), performance::rmse(line))
  for (ask in c("check_heteroscedasticity", "check_normality", "check_autocorrelation")) {
    f <- getExportedValue("performance", ask)
    set.seed(1)
    expected <- f(line)
    set.seed(1)
    expect_equal(as.numeric(f(squares)), as.numeric(expected), tolerance = 1e-6, info = ask)
  }
  expect_s3_class(performance::check_predictions(squares, iterations = 3), "performance_pp_check")
})

test_that("ggeffects and sjPlot draw and write tables", {
  skip_if_not_installed("ggeffects")
  columns <- c("x", "predicted", "conf.low", "conf.high")
  for (ask in c("ggpredict", "ggemmeans")) {
    if (ask == "ggemmeans") skip_if_not_installed("emmeans")
    f <- function(fit) suppressWarnings(as.data.frame(getExportedValue("ggeffects", ask)(fit, "wt [2,3]")))[columns]
    expect_equal(f(squares), f(line), tolerance = 1e-6)
  }
  skip_if_not_installed("sjPlot")
  expect_match(suppressWarnings(sjPlot::tab_model(curved))$knitr, "cyl")
  expect_s3_class(suppressWarnings(sjPlot::plot_model(curved)), "ggplot")
})

test_that("xtable has the rows of tidy()", {
  skip_if_not_installed("xtable")
  expect_output(print(xtable::xtable(curved)), "cyl8")
  two <- freeridge(cbind(mpg, qsec) ~ wt, cars, kernel = linear_kernel(), lambda = 0)
  expect_equal(as.data.frame(xtable::xtable(two))$estimate, unname(as.vector(coef(two))))
})

test_that("several responses and classes are refused", {
  two <- freeridge(cbind(mpg, qsec) ~ wt, cars, kernel = linear_kernel(), lambda = 0)
  expect_refusal(parameter_rows(two), "tables of parameters are of one response, and the fit has 2")
  expect_refusal(get_predicted.freeridge(two), "get_predicted\\(\\) is for one response, and the fit has 2")
  expect_refusal(model_info.freeridge(freeridge(factor(am) ~ wt, cars, lambda = 1)), "which is no family of models")
})
