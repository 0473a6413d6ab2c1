# Every method that is registered for a class of this package behaves as the one that lm or glmnet has, and is compared
# with it in a table; for the rest this says why there is nothing to compare.

registered <- function() {
  methods <- getNamespaceInfo("freeridge", "S3methods")
  data.frame(generic = methods[, 1L], class = methods[, 2L])
}

# Compared in test-lm-table.R and test-like-lm.R with lm, there and here with glmnet.
compared_with_lm <- c("coef", "fitted", "predict", "residuals", "nobs", "formula", "terms", "model.frame", "model.matrix",
                      "df.residual", "sigma", "variable.names", "case.names", "logLik", "hatvalues", "cooks.distance",
                      "rstandard", "rstudent", "dfbeta", "dfbetas", "dffits", "influence", "influence.measures", "deviance", "vcov", "confint", "summary", "print", "plot", "weights", "extractAIC", "family")
# What lm does not have: the reason is the concept.
without_lm <- c(
  freeridge = "the function itself", kernel_ridge = "freeridge by another name", loo = "left-out errors", group_errors = "left-out errors",
  lambda_path = "lambda", lambda_grid = "lambda", one_standard_error = "lambda", lambda_as = "lambda",
  anova = "score tests of kernels, test-anova.R",
  importance = "left-out errors, test-importance.R", landmarks = "landmarks", landmark_curve = "landmarks", marginal_effects = "effects of kernels",
  effects = "of variables, test-effects.R; those of lm are of the rows in its QR", pairs = "of effects, test-effects.R",
  explain = "routes", score = "accumulators", squared_errors = "accumulators", ols = "the function itself",
  ridge = "the function itself", tls = "the function itself", kernel_logistic = "the function itself",
  kernel_svm = "the function itself", merge = "accumulators", Ops = "kernels", "+" = "kernels",
  "*" = "kernels", "==" = "kernels", "!=" = "kernels", all.equal = "kernels", as.character = "kernels",
  format = "kernels", "$" = "fitted values on demand, as of a list", "[[" = "as $", update = "parsnip's specification",
  tidy = "broom, test-broom.R", glance = "broom, test-broom.R", augment = "broom, test-broom.R",
  variance_components = "mixed models, test-unpenalised.R", eigenvalues = "kernel matrices", effective_rank = "lambda", hat_matrix = "smoothers",
  kappa = "of K + lambda I, lm's is of its columns", as.function = "kernels",
  autoplot = "ggplot2, test-plot.R", accumulate = "accumulators", predictor = "deployment, test-predictor.R",
  simulate = "of the posterior, test-intervals.R; that of lm holds the coefficients",
  recover_data = "emmeans", emm_basis = "emmeans", margins = "margins, test-emmeans.R",
  model_info = "insight", find_formula = "insight", find_parameters = "insight", get_parameters = "insight",
  get_statistic = "insight", get_df = "insight", get_predicted = "insight", standard_error = "parameters", p_value = "parameters",
  ci = "parameters", model_parameters = "parameters", r2 = "performance", model_performance = "performance", xtable = "xtable",
  estfun = "sandwich, test-car.R", bread = "sandwich", Anova = "car", linearHypothesis = "car", Effect = "effects", modelparm = "multcomp",
  yhat = "DALEX, test-explainers.R", multi_predict = "parsnip, test-parsnip.R",
  gradient_descent = "the function itself", early_stopping = "the function itself", row_source = "rows in pieces"
)

test_that("each registered method is in a table, and the tables have no others", {
  generics <- sub("^.*::", "", unique(registered()$generic))
  expect_setequal(generics, c(compared_with_lm, names(without_lm)))
  expect_identical(anyDuplicated(c(compared_with_lm, names(without_lm))), 0L)
  text <- unlist(lapply(c("test-lm-table.R", "test-like-lm.R", "test-s3-table.R"), readLines))
  for (generic in compared_with_lm) {
    expect_true(any(grepl(paste0("(^|[^a-z._])", gsub(".", "\\.", generic, fixed = TRUE), "\\("), text)), info = generic)
  }
})

test_that("print and plot give back what they were given, invisibly, as lm's and glmnet's do", {
  ours <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 0)
  theirs <- lm(mpg ~ wt + hp, mtcars)
  for (value in list(ours, theirs, summary(ours), summary(theirs))) {
    capture.output(shown <- withVisible(print(value)))
    expect_false(shown$visible)
    expect_identical(shown$value, value)
  }
  # both say the call first, and print takes digits
  first <- function(value) capture.output(print(value, digits = 3))[2:3]
  expect_identical(first(ours)[1L], first(theirs)[1L])
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_false(withVisible(plot(ours, "residuals"))$visible)
  expect_false(withVisible(plot(theirs, 1))$visible)
})

test_that("summary has the numbers of lm's by the same names and accessors", {
  ours <- summary(freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 0))
  theirs <- summary(lm(mpg ~ wt + hp, mtcars))
  expect_equal(coef(ours), coef(theirs), tolerance = 1e-9)
  expect_equal(ours$coefficients, theirs$coefficients, tolerance = 1e-9)
  expect_equal(ours$outputs$sigma, theirs$sigma, tolerance = 1e-10)
})

test_that("classical fits: the methods are those of lm on the same columns", {
  x <- as.matrix(mtcars[c("wt", "hp")])
  ours <- ols(x, mtcars$mpg)
  theirs <- lm(mpg ~ wt + hp, mtcars)
  for (method in list(coef, fitted, residuals, nobs, df.residual, sigma, hatvalues, function(fit) coef(summary(fit)))) {
    expect_equal(method(ours), method(theirs), tolerance = 1e-9)
  }
  expect_equal(predict(ours, x[1:3, ]), predict(theirs, mtcars[1:3, ]), tolerance = 1e-10)
  expect_identical(predict(ours), fitted(ours))
  # glmnet's ridge is ridge() on centred columns of length one
  skip_if_not_installed("MASS")
  sd_n <- apply(x, 2L, function(v) sqrt(mean((v - mean(v))^2)))
  penalised <- ridge(sweep(x, 2L, sd_n, "/"), mtcars$mpg, 3)
  expect_equal(unname(coef(penalised)[-1L] / sd_n), unname(coef(MASS::lm.ridge(mpg ~ wt + hp, mtcars, lambda = 3))[-1L]),
               tolerance = 1e-12)
})

# The columns' divisors, the formula's columns, what is sparse and what landmarks leave: always coefficients for x as it
# was given, so that x times them are the predictions.
test_that("coefficients are on the original scale, for every way to make a linear fit", {
  skip_if_not_installed("Matrix")
  cars <- mtcars
  cars$gear <- factor(cars$gear)
  x <- as.matrix(mtcars[c("wt", "hp", "disp")])
  sparse <- Matrix::Matrix(x * (x > 100), sparse = TRUE)
  kernels <- list(linear_kernel(), 2 * linear_kernel() + scaled_kernel(linear_kernel(), c(1, 30, 100)))
  for (scale in list(FALSE, TRUE, c(0.5, 60, 100))) for (intercept in c(TRUE, FALSE)) for (kernel in kernels) {
    made <- function(x, ...) freeridge(x, mtcars$mpg, kernel, 2, scale = scale, intercept = intercept, ...)
    fits <- list(made(x), made(data.frame(x)), made(x, landmarks = c(3, 9, 20, 31)), made(sparse), made(x, route = "cholesky"),
                 made(x, weights = mtcars$carb))
    for (fit in fits) {
      design <- as.matrix(fit$x)
      if (intercept) design <- cbind(1, design)
      # the other routes go by x x' or x'x, which squares the condition of x: about 1e3 here
      digits <- if (fit$route == "primal") 1e-11 else 1e-8
      expect_close(design %*% coef(fit), fitted(fit), digits)
      expect_close(design %*% coef(fit, 50), predict(fit, lambda = 50), digits)
    }
  }
  fit <- freeridge(mpg ~ log(hp) * gear + poly(wt, 2), cars, kernel = linear_kernel(), scale = TRUE)
  expect_close(model.matrix(fit) %*% coef(fit), fitted(fit), 1e-11)
  expect_close(model.matrix(fit) %*% coef(fit), predict(fit, cars), 1e-11)
  logistic <- kernel_logistic(x, mtcars$am == 1, linear_kernel(), 1, scale = TRUE)
  expect_close(cbind(1, x) %*% coef(logistic), fitted(logistic), 1e-10)
})
