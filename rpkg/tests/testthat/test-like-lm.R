# The methods of a fit do on the same calls what those of lm and glmnet do.

# At lambda = 0 a linear fit is the one of lm: for each call, values and their names.
calls_of_lm <- list(
  coef = function(fit) coef(fit),
  fitted = function(fit) fitted(fit),
  predict = function(fit) predict(fit),
  "predict at new points" = function(fit) predict(fit, new_cars),
  residuals = function(fit) residuals(fit),
  resid = function(fit) resid(fit),
  "residuals, response" = function(fit) residuals(fit, "response"),
  "residuals, working" = function(fit) residuals(fit, type = "working"),
  "residuals, pearson" = function(fit) residuals(fit, type = "pearson"),
  "residuals, deviance" = function(fit) residuals(fit, type = "deviance"),
  weighted.residuals = function(fit) weighted.residuals(fit),
  weights = function(fit) weights(fit),
  extractAIC = function(fit) extractAIC(fit, k = 3),
  rstandard = function(fit) rstandard(fit),
  rstudent = function(fit) rstudent(fit),
  dfbeta = function(fit) dfbeta(fit),
  dfbetas = function(fit) dfbetas(fit),
  dffits = function(fit) dffits(fit),
  influence.measures = function(fit) influence.measures(fit)$infmat[, c("cook.d", "hat")],
  "sigma of influence" = function(fit) influence(fit)$sigma,
  "coefficients of influence" = function(fit) influence(fit)$coefficients,
  hatvalues = function(fit) hatvalues(fit),
  cooks.distance = function(fit) cooks.distance(fit),
  deviance = function(fit) deviance(fit),
  sigma = function(fit) sigma(fit),
  df.residual = function(fit) as.double(df.residual(fit)),
  nobs = function(fit) nobs(fit),
  vcov = function(fit) vcov(fit),
  confint = function(fit) confint(fit),
  "confint of one" = function(fit) confint(fit, "wt", level = 0.5),
  "coef of the summary" = function(fit) coef(summary(fit)),
  formula = function(fit) formula(fit),
  "formula of terms" = function(fit) formula(terms(fit)),
  "call of update" = function(fit) update(fit, . ~ . - hp, evaluate = FALSE)$formula,
  na.action = function(fit) na.action(fit)
)
new_cars <- mtcars[c(3, 8), ]
new_cars$wt <- new_cars$wt + 1

like_lm <- function(name, ours, theirs) {
  ask <- calls_of_lm[[name]]
  found <- ask(ours)
  expected <- ask(theirs)
  if (inherits(expected, "formula")) return(expect_equal(found, expected))
  expect_identical(dim(found), dim(expected), info = name)
  expect_identical(if (is.matrix(expected)) dimnames(found) else names(found),
                   if (is.matrix(expected)) dimnames(expected) else names(expected), info = name)
  expect_equal(found, expected, tolerance = 1e-8, info = name)
}

test_that("at lambda = 0 the methods are those of lm", {
  cars <- mtcars
  cars$hp[4L] <- NA
  for (treatment in list(na.omit, na.exclude)) {
    ours <- freeridge(mpg ~ wt + hp + factor(am), cars, na.action = treatment, kernel = linear_kernel(), lambda = 0)
    theirs <- lm(mpg ~ wt + hp + factor(am), cars, na.action = treatment)
    for (name in names(calls_of_lm)) like_lm(name, ours, theirs)
  }
  expect_equal(coef(update(ours, . ~ . - hp)), coef(update(theirs, . ~ . - hp)), tolerance = 1e-8)
  ours <- freeridge(mpg ~ wt + hp, mtcars, weights = carb, subset = cyl > 4, kernel = linear_kernel(), lambda = 0)
  theirs <- lm(mpg ~ wt + hp, mtcars, weights = carb, subset = cyl > 4)
  for (name in names(calls_of_lm)) like_lm(name, ours, theirs)
})

test_that("with several responses the methods are those of lm", {
  ours <- freeridge(cbind(mpg, qsec) ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 0)
  theirs <- lm(cbind(mpg, qsec) ~ wt + hp, mtcars)
  for (name in c("coef", "fitted", "predict", "predict at new points", "residuals", "cooks.distance", "rstandard",
                 "deviance", "sigma", "nobs", "vcov", "confint", "formula")) {
    like_lm(name, ours, theirs)
  }
  # lm has one leverage for all responses; here each may have its own lambda
  expect_equal(unname(hatvalues(ours)[, "qsec"]), unname(hatvalues(theirs)), tolerance = 1e-8)
})

# `s` of glmnet is `lambda` here, in other units (?lambda_as).
test_that("coef and predict at other lambdas are those of glmnet", {
  skip_if_not_installed("glmnet")
  x <- scale(as.matrix(mtcars[, c("wt", "hp", "qsec")])) * sqrt(32 / 31)  # as glmnet standardises
  fit <- freeridge(x, mtcars$mpg, linear_kernel(), 3)
  lambdas <- c(20, 3, 0.5)
  there <- vapply(lambdas, function(lambda) lambda_as(fit, "glmnet", lambda), 0)
  theirs <- glmnet::glmnet(x, mtcars$mpg, alpha = 0, lambda = there, thresh = 1e-20, maxit = 1e6)
  for (i in 1:3) {
    expect_equal(coef(fit, lambdas[i]), coef(theirs, s = there[i])[, 1L], tolerance = 1e-6)
    expect_equal(predict(fit, x[1:4, ], lambda = lambdas[i]), predict(theirs, x[1:4, ], s = there[i])[, 1L],
                 tolerance = 1e-6)
  }
  expect_equal(nobs(fit), nobs(theirs))
  expect_equal(deviance(fit, lambdas[2L]), deviance(theirs)[[2L]], tolerance = 1e-6)
})
