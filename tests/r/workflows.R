# Examples of other packages' vignettes with fits of freeridge() in the place of lm(): a table with, for each, the largest relative
# difference of its numbers from those with lm() where the fit is least squares, and what the default kernel gives.
#     R_LIBS=... Rscript workflows.R [FILE.csv]
# Run by hand, with the packages of Debian and of CRAN that are there; those that are not are said. docs/other-tools.md has its table.
suppressMessages(library(freeridge))
if (!exists("%||%", baseenv())) `%||%` <- function(x, y) if (is.null(x)) y else x  # marginaleffects needs R 4.4's
options(warn = -1)
set.seed(1)

engines <- list(lm = quote(lm()), squares = quote(freeridge(kernel = linear_kernel(), lambda = 0)), kernel = quote(freeridge()))
engine <- "lm"
fit <- function(formula, data, ...) {
  eval(as.call(c(as.list(engines[[engine]]), list(formula = formula, data = substitute(data), ...))), globalenv())
}
numbers <- function(x) as.numeric(unlist(Filter(is.numeric, as.data.frame(x))))

pigs <- if (requireNamespace("emmeans", quietly = TRUE)) transform(emmeans::pigs, percent = factor(percent))
fiber <- if (requireNamespace("emmeans", quietly = TRUE)) emmeans::fiber
boston <- MASS::Boston[seq(1, 506, 3), ]
orange <- transform(as.data.frame(Orange), Tree = factor(as.character(Tree)))
prestige <- if (requireNamespace("carData", quietly = TRUE)) na.omit(carData::Prestige)
treated <- local({
  n <- 200
  age <- rnorm(n, 30, 5)
  treat <- factor(rbinom(n, 1, plogis((age - 30) / 5)), labels = c("no", "yes"))
  data.frame(age, treat, outcome = 2 * (treat == "yes") + sin(age / 5) + rnorm(n, 0, 0.5))
})
apartments <- if (requireNamespace("DALEX", quietly = TRUE)) DALEX::apartments[seq(1, 1000, 5), ]

works <- list(
  list("emmeans, basics", "emmeans", function() {
    m <- fit(log(conc) ~ source + percent, pigs)
    c(numbers(emmeans::emmeans(m, "percent")), numbers(pairs(emmeans::emmeans(m, "source"), type = "response")))
  }),
  list("emmeans, interactions: emmip, simple contrasts", "emmeans", function() {
    m <- fit(breaks ~ wool * tension, warpbreaks)
    c(numbers(emmeans::emmip(m, wool ~ tension, plotit = FALSE)), numbers(emmeans::contrast(emmeans::emmeans(m, ~ wool | tension), "pairwise")))
  }),
  list("emmeans, covariates: emtrends", "emmeans", function() {
    m <- fit(strength ~ diameter * machine, fiber)
    c(numbers(emmeans::emtrends(m, pairwise ~ machine, var = "diameter")$emtrends), numbers(emmeans::emmeans(m, "machine")))
  }),
  list("emmeans, comparisons: joint_tests, confint", "emmeans", function() {
    m <- fit(log(conc) ~ source * percent, pigs)
    c(numbers(emmeans::joint_tests(m)), numbers(confint(pairs(emmeans::emmeans(m, "source")), adjust = "none")))
  }),
  list("marginaleffects, predictions and plot_predictions", "marginaleffects", function() {
    m <- fit(mpg ~ hp * wt + factor(cyl), mtcars)
    own <- c("estimate", "std.error", "conf.low", "conf.high")
    c(numbers(as.data.frame(marginaleffects::predictions(m))[own]),
      numbers(as.data.frame(marginaleffects::plot_predictions(m, condition = list("hp", "wt" = "threenum"), draw = FALSE))[own]))
  }),
  list("marginaleffects, comparisons and hypotheses", "marginaleffects", function() {
    m <- fit(mpg ~ hp + wt + factor(cyl), mtcars)
    own <- c("estimate", "std.error")
    c(numbers(as.data.frame(marginaleffects::avg_comparisons(m, variables = list(hp = 50)))[own]),
      numbers(as.data.frame(marginaleffects::avg_predictions(m, by = "cyl", hypothesis = ~pairwise))[own]))
  }),
  list("marginaleffects, slopes", "marginaleffects", function() {
    m <- fit(mpg ~ hp * wt, mtcars)
    numbers(as.data.frame(marginaleffects::avg_slopes(m))[c("estimate", "std.error")])
  }),
  list("marginaleffects, G-computation", "marginaleffects", function() {
    m <- fit(outcome ~ treat * age, treated)
    numbers(as.data.frame(marginaleffects::avg_comparisons(m, variables = "treat", newdata = subset(treated, treat == "yes")))[c("estimate", "std.error")])
  }),
  list("broom: tidy, glance, augment", "broom", function() {
    m <- fit(mpg ~ wt + qsec, mtcars)
    c(numbers(broom::tidy(m, conf.int = TRUE)), numbers(broom::glance(m)[c("r.squared", "sigma", "AIC", "BIC")]),
      broom::augment(m)$.fitted, broom::augment(m)$.resid)
  }),
  list("broom and lists of fits: a model for each tree", "broom", function() {
    numbers(do.call(rbind, lapply(split(orange, orange$Tree), function(part) {
      assign("one_tree", part, globalenv())
      broom::tidy(fit(circumference ~ age, one_tree))
    })))
  }),
  list("modelsummary: models beside one another", "modelsummary", function() {
    m <- list(fit(mpg ~ wt, mtcars), fit(mpg ~ wt + hp, mtcars))
    table <- modelsummary::modelsummary(m, output = "data.frame", gof_map = c("nobs", "r.squared", "aic"))
    as.numeric(gsub("[()]", "", unlist(table[-(1:3)])))
  }),
  list("parameters and performance: model_parameters, check_*", "performance", function() {
    m <- fit(mpg ~ wt + factor(cyl), mtcars)
    c(numbers(parameters::model_parameters(m)), unlist(as.data.frame(performance::model_performance(m))[c("AIC", "R2", "RMSE")]),
      as.numeric(performance::check_heteroscedasticity(m)))
  }),
  list("ggeffects: ggpredict, ggemmeans", "ggeffects", function() {
    m <- fit(log(mpg) ~ wt + hp, mtcars)
    c(numbers(as.data.frame(ggeffects::ggpredict(m, "wt [2:4]"))[c("predicted", "conf.low", "conf.high")]),
      numbers(as.data.frame(ggeffects::ggemmeans(m, "wt [2:4]"))[c("predicted", "conf.low")]))
  }),
  list("sjPlot: tab_model, plot_model", "sjPlot", function() {
    m <- fit(mpg ~ wt + hp, mtcars)
    invisible(sjPlot::tab_model(m))
    numbers(sjPlot::plot_model(m)$data[c("estimate", "std.error")])
  }),
  list("sandwich and lmtest: coeftest with vcovHC", "lmtest", function() {
    m <- fit(prestige ~ income + education, prestige)
    as.vector(lmtest::coeftest(m, vcov = sandwich::vcovHC)[, 1:4])
  }),
  list("car: Anova, linearHypothesis", "car", function() {
    m <- fit(prestige ~ income + education + type, prestige)
    c(numbers(car::Anova(m, test.statistic = "F")["Pr(>F)"]), car::linearHypothesis(m, "income = education", test = "F")[["Pr(>F)"]])
  }),
  list("car: vif, deltaMethod", "car", function() {
    m <- fit(prestige ~ income + education + women, prestige)
    c(car::vif(m), numbers(car::deltaMethod(m, "income / education")))
  }),
  list("car: residualPlots, avPlots, crPlots", "car", function() {
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    m <- fit(prestige ~ income + education, prestige)
    car::avPlots(m)
    numbers(car::residualPlots(m))
  }),
  list("effects: predictorEffects", "effects", function() {
    m <- fit(prestige ~ log(income) + education, prestige)
    numbers(as.data.frame(effects::predictorEffect("income", m)))
  }),
  list("lm itself: step, anova of two, predict intervals, termplot", "stats", function() {
    m <- fit(mpg ~ wt + hp + qsec, mtcars)
    c(AIC(m), anova(fit(mpg ~ wt, mtcars), m)[["Pr(>F)"]], predict(m, mtcars[1:3, ], interval = "prediction"),
      drop1(m)$AIC - extractAIC(m)[2L], stats::termplot(m, plot = FALSE)$wt$y)
  }),
  list("boot: bootstrap of rows", "boot", function() {
    boot::boot(mtcars, function(rows, i) {
      assign("drawn", rows[i, ], globalenv())
      set.seed(1)
      unname(predict(fit(mpg ~ wt, drawn), mtcars[1:3, ]))
    }, 5)$t0
  }),
  list("caret: train, resamples, varImp", "caret", function() {
    set.seed(1)
    method <- if (engine == "lm") "lm" else caret_method()
    more <- if (engine == "squares") list(kernel = linear_kernel(), tuneGrid = data.frame(lambda = 0))
    trained <- suppressMessages(do.call(caret::train, c(list(medv ~ lstat + rm, boston, method = method,
                                                             trControl = caret::trainControl("cv", 5)), more)))
    c(trained$results$RMSE, predict(trained, boston[1:5, ]))
  }),
  list("tidymodels: parsnip, fit and predict", "parsnip", function() {
    spec <- switch(engine, lm = parsnip::linear_reg(), kernel = kernel_ridge_reg("regression"),
                   squares = parsnip::set_engine(parsnip::linear_reg(penalty = 0), "freeridge"))
    trained <- parsnip::fit(spec, medv ~ lstat + rm, boston)
    c(predict(trained, boston[1:5, ])$.pred, numbers(predict(trained, boston[1:5, ], type = "conf_int")))
  }),
  list("tidymodels: workflows", "workflows", function() {
    spec <- switch(engine, lm = parsnip::linear_reg(), kernel = kernel_ridge_reg("regression"),
                   squares = parsnip::set_engine(parsnip::linear_reg(penalty = 0), "freeridge"))
    whole <- workflows::add_model(workflows::add_formula(workflows::workflow(), medv ~ lstat + rm), spec)
    predict(parsnip::fit(whole, boston), boston[1:5, ])$.pred
  }),
  # With the kernel: all penalties of a grid from one fit a fold, and the same numbers from a fit for each penalty.
  list("tidymodels: tune", "tune", function() {
    suppressMessages(library(tune))
    spec <- switch(engine, lm = parsnip::linear_reg(), kernel = kernel_ridge_reg("regression", penalty = tune()),
                   squares = parsnip::set_engine(parsnip::linear_reg(penalty = 0), "freeridge"))
    whole <- workflows::add_model(workflows::add_formula(workflows::workflow(), medv ~ lstat + rm), spec)
    set.seed(1)
    folds <- rsample::vfold_cv(boston, v = 3)
    if (engine != "kernel") return(collect_metrics(fit_resamples(whole, folds), summarize = FALSE)$.estimate)
    penalties <- c(0.01, 0.1, 1, 10)
    found <- collect_metrics(tune_grid(whole, folds, grid = data.frame(penalty = penalties)), summarize = FALSE)
    alone <- do.call(rbind, lapply(penalties, function(penalty) {
      one <- finalize_workflow(whole, data.frame(penalty = penalty))
      cbind(penalty, collect_metrics(fit_resamples(one, folds), summarize = FALSE)[c("id", ".metric", ".estimate")])
    }))
    both <- merge(as.data.frame(found), alone, by = c("penalty", "id", ".metric"))
    stopifnot(nrow(both) == nrow(alone), all.equal(both$.estimate.x, both$.estimate.y, tolerance = 1e-10))
    found$.estimate
  }),
  # Stored, read and asked by way of its API: the numbers of the fit itself.
  list("vetiver: a model for deployment", "vetiver", function() {
    m <- fit(medv ~ lstat + log(rm), boston)
    board <- pins::board_temp(versioned = TRUE)
    model <- if (engine == "lm") vetiver::vetiver_model(m, "boston", save_prototype = boston[0L, c("lstat", "rm")]) else vetiver::vetiver_model(m, "boston")
    suppressMessages(vetiver::vetiver_pin_write(board, model))
    read <- vetiver::vetiver_pin_read(board, "boston")
    answered <- vetiver::handler_predict(read)(list(body = boston[1:5, c("lstat", "rm")]))$.pred
    stopifnot(all.equal(unname(answered), unname(predict(m, boston[1:5, ])), tolerance = 1e-12))
    c(predict(read, boston[1:5, ]), answered)
  }),
  list("tidymodels: rsample, folds", "rsample", function() {
    set.seed(1)
    folds <- rsample::vfold_cv(boston, v = 5)
    vapply(folds$splits, function(split) {
      assign("fitted_rows", rsample::analysis(split), globalenv())
      out <- rsample::assessment(split)
      sqrt(mean((out$medv - predict(fit(medv ~ lstat + rm, fitted_rows), out))^2))
    }, 0)
  }),
  list("DALEX: explain, model_parts, model_profile, predict_parts", "DALEX", function() {
    m <- fit(m2.price ~ construction.year + surface + district, apartments)
    ex <- DALEX::explain(m, data = apartments[-1L], y = apartments$m2.price, verbose = FALSE)
    set.seed(1)
    c(DALEX::model_performance(ex)$measures$rmse, as.data.frame(DALEX::model_parts(ex, B = 2))$dropout_loss,
      as.data.frame(DALEX::model_profile(ex, variables = "surface", N = NULL)$agr_profiles)$`_yhat_`,
      as.data.frame(DALEX::predict_parts(ex, apartments[1L, ]))$contribution)
  }),
  list("pdp: partial", "pdp", function() {
    m <- fit(medv ~ lstat + rm, boston)
    pdp::partial(m, pred.var = "lstat", train = boston, type = "regression", grid.resolution = 10)$yhat
  }),
  list("iml: Predictor, FeatureImp, FeatureEffect", "iml", function() {
    m <- fit(medv ~ lstat + rm, boston)
    asked <- iml::Predictor$new(m, data = boston[c("lstat", "rm")], y = boston$medv)
    set.seed(1)
    c(iml::FeatureImp$new(asked, loss = "rmse")$results$importance, iml::FeatureEffect$new(asked, "rm", "pdp", grid.size = 10)$results$.value)
  }),
  list("multcomp: glht", "multcomp", function() {
    m <- fit(breaks ~ wool + tension, warpbreaks)
    as.vector(summary(multcomp::glht(m, "woolB = 0"))$test$sigma)
  }),
  list("margins: average effects with standard errors", "margins", function() {
    m <- fit(mpg ~ wt + hp, mtcars)
    numbers(summary(margins::margins(m))[c("AME", "SE")])
  }),
  list("lmtest's bptest, dwtest", "lmtest", function() {
    m <- fit(mpg ~ wt + hp, mtcars)
    c(lmtest::bptest(m)$p.value, lmtest::dwtest(m)$p.value)
  }),
  list("xtable, table for LaTeX", "xtable", function() {
    m <- fit(mpg ~ wt + hp, mtcars)
    numbers(xtable::xtable(m))
  })
)

asked <- function(work, name) {
  engine <<- name
  tryCatch({
    value <- NULL
    capture.output(value <- suppressMessages(work[[3L]]()))
    value
  }, error = function(condition) gsub("\n", " ", conditionMessage(condition)))
}
rows <- lapply(works, function(work) {
  if (!requireNamespace(work[[2L]], quietly = TRUE)) {
    return(data.frame(workflow = work[[1L]], squares = paste("no package", work[[2L]]), kernel = ""))
  }
  values <- lapply(names(engines), function(name) asked(work, name))
  said <- function(value) if (is.character(value)) paste("error:", substr(value, 1L, 150L))
  known <- is.finite(values[[1L]])
  difference <- if (is.numeric(values[[2L]]) && is.numeric(values[[1L]])) {
    if (length(values[[1L]]) != length(values[[2L]])) "other numbers" else {
      size <- pmax(abs(values[[1L]]), 1e-6 * max(abs(values[[1L]][known])))
      format(max((abs(values[[1L]] - values[[2L]]) / size)[known]), digits = 2L)
    }
  }
  data.frame(workflow = work[[1L]], squares = c(said(values[[1L]]), said(values[[2L]]), difference)[1L],
             kernel = c(said(values[[3L]]), if (any(is.finite(values[[3L]]))) "works" else "no number")[1L])
})
table <- do.call(rbind, rows)
for (i in seq_len(nrow(table))) cat(sprintf("%-62s %-14s %s\n", table$workflow[i], table$squares[i], table$kernel[i]))
cat(sum(table$kernel == "works"), "of", nrow(table), "with the default kernel\n")
file <- commandArgs(TRUE)
if (length(file) > 0L) write.csv(table, file[1L], row.names = FALSE)
