# Robust covariances of sandwich, tests of lmtest and car, effects: those of lm() where the fit is least squares; with a
# penalty the sandwich is that of its definition, and tests are those of coef() and vcov().

cars <- transform(mtcars, cyl = factor(cyl))
squares <- freeridge(mpg ~ wt * cyl + hp, cars, weights = carb, kernel = linear_kernel(), lambda = 0)
line <- lm(mpg ~ wt * cyl + hp, cars, weights = carb)
penalised <- freeridge(mpg ~ wt + cyl, cars, kernel = linear_kernel(), lambda = 2)
curved <- freeridge(mpg ~ wt + cyl, cars, kernel = gaussian_kernel(1), lambda = 1)
partly <- freeridge(mpg ~ unpenalised(wt) + hp, cars)

test_that("sandwich and lmtest", {
  skip_if_not_installed("sandwich")
  for (type in c("HC0", "HC1", "HC2", "HC3", "HC4", "const")) {
    expect_equal(sandwich::vcovHC(squares, type = type), sandwich::vcovHC(line, type = type), tolerance = 1e-7, ignore_attr = TRUE)
  }
  expect_equal(sandwich::vcovCL(squares, cars$gear, type = "HC1"), sandwich::vcovCL(line, cars$gear, type = "HC1"), tolerance = 1e-7,
               ignore_attr = TRUE)
  x <- cbind(1, model.matrix(penalised)[, -1L])
  a <- solve(crossprod(x) + diag(c(0, rep(2, 4L))))
  expect_close(sandwich::vcovHC(penalised, type = "HC0"), a %*% crossprod(x * residuals(penalised)) %*% a, 1e-9)
  cars$some <- rep(c(0, 1, 2, 1), 8)
  some <- freeridge(mpg ~ wt + hp, cars, weights = some, kernel = linear_kernel(), lambda = 0)
  counted <- cars[cars$some > 0, ]  # lm() has no left-out errors of rows of weight zero, and vcovHC() mixes up its rows
  expect_equal(sandwich::vcovHC(some), sandwich::vcovHC(lm(mpg ~ wt + hp, counted, weights = some)), tolerance = 1e-7, ignore_attr = TRUE)
  without <- cars
  without$wt[3] <- NA
  expect_equal(dim(sandwich::estfun(freeridge(mpg ~ wt, without, kernel = linear_kernel(), lambda = 0, na.action = na.exclude))), c(31L, 2L))
  skip_if_not_installed("lmtest")
  expect_equal(lmtest::coeftest(squares, vcov = sandwich::vcovHC)[, 1:4], lmtest::coeftest(line, vcov = sandwich::vcovHC)[, 1:4],
               tolerance = 1e-7, ignore_attr = TRUE)
  # These fit linear models of their own: a kernel's residuals are not what they would test.
  for (test in c("bptest", "dwtest", "resettest", "bgtest")) {
    for (fit in list(curved, ols(mpg ~ wt, cars))) {
      expect_refusal(getExportedValue("lmtest", test)(fit), "lmtest would fit a linear model to the columns and test that one")
    }
  }
})

test_that("car and effects", {
  skip_if_not_installed("car")
  tests <- lapply(list(squares, line), function(fit) car::linearHypothesis(fit, c("wt = 0", "hp = -0.01"), test = "F"))
  expect_equal(tests[[1L]][["Pr(>F)"]], tests[[2L]][["Pr(>F)"]], tolerance = 1e-6)
  expect_equal(car::Anova(squares, test.statistic = "F")[["Pr(>F)"]][1:4], car::Anova(line)[["Pr(>F)"]][1:4], tolerance = 1e-6)
  of_factor <- coef(penalised)[3:5]
  wald <- sum(of_factor * solve(vcov(penalised)[3:5, 3:5], of_factor))
  expect_equal(car::Anova(penalised)["cyl", "Chisq"], wald, tolerance = 1e-8)
  expect_equal(car::linearHypothesis(partly, "wt = 0")$Chisq[2L], partly$effects[1L]^2 / vcov(partly)[1L], tolerance = 1e-8)
  if (requireNamespace("multcomp", quietly = TRUE)) {
    single <- lapply(list(squares, line), function(fit) {
      summary(multcomp::glht(fit, c("wt = 0", "hp = 0"), df = 25), test = multcomp::univariate())$test[c("sigma", "tstat", "pvalues")]
    })
    expect_equal(lapply(single[[1L]], as.vector), lapply(single[[2L]], as.vector), tolerance = 1e-7)
    skip_if_not_installed("emmeans")
    of_means <- lapply(list(squares, line), function(fit) {
      suppressMessages(summary(multcomp::glht(fit, emmeans::emm(pairwise ~ cyl)), test = multcomp::univariate())$test$pvalues)
    })
    expect_equal(as.vector(of_means[[1L]]), as.vector(of_means[[2L]]), tolerance = 1e-6)
  }
  skip_if_not_installed("effects")
  numbers <- list(freeridge(log(mpg) ~ poly(wt, 2) * hp, mtcars, kernel = linear_kernel(), lambda = 0),
                  lm(log(mpg) ~ poly(wt, 2) * hp, mtcars))
  eff <- lapply(numbers, function(fit) summary(effects::Effect("wt", fit)))
  expect_equal(eff[[1L]][c("effect", "lower")], eff[[2L]][c("effect", "lower")], tolerance = 1e-6)
})

test_that("what needs slopes says so where there are none", {
  expect_refusal(estfun.freeridge(curved), "sandwich is for slopes, and the kernel gaussian")
  expect_refusal(bread.freeridge(partly), "sandwich is for slopes")
  mixed <- freeridge(mpg ~ unpenalised(wt) + hp, cars, kernel = linear_kernel(), lambda = 1)
  expect_refusal(estfun.freeridge(mixed), "sandwich needs one covariance of all slopes")
  expect_refusal(Anova.freeridge(curved), "has none: .*; anova\\(fit\\) tests the variables of any kernel")
  expect_refusal(linearHypothesis.freeridge(curved, "wt = 0"), "car::linearHypothesis\\(\\) is for slopes")
  expect_refusal(modelparm.freeridge(curved), "multcomp::glht\\(\\) is for slopes")
  for (fit in list(curved, partly, penalised)) {
    expect_refusal(Effect.freeridge("wt", fit), "the package effects needs slopes of columns coded by contrasts")
  }
})

test_that("anova() of several fits is that of lm where they are least squares", {
  small <- freeridge(mpg ~ wt, cars, weights = carb, kernel = linear_kernel(), lambda = 0)
  ours <- anova(small, squares)
  theirs <- anova(lm(mpg ~ wt, cars, weights = carb), line)
  expect_equal(ours[names(theirs)], theirs, tolerance = 1e-8, ignore_attr = TRUE)
  expect_equal(ours[["Left-out RMSE"]], c(sqrt(weighted.mean(loo(small)^2, cars$carb)), sqrt(weighted.mean(loo(squares)^2, cars$carb))))
  learnt <- freeridge(mpg ~ wt + hp, cars, weights = carb)
  expect_equal(anova(small, squares, learnt)$Res.Df[3L], unname(df.residual(learnt)))
  expect_output(print(anova(small, learnt)), "Model 2: mpg ~ wt \\+ hp, (matern|gaussian)")
  expect_refusal(anova(small, line), "compares fits of freeridge\\(\\) with one another")
  expect_refusal(anova(small, freeridge(mpg ~ wt, cars, lambda = 1)), "not the same rows, responses and weights")
  expect_refusal(anova(small, freeridge(factor(am) ~ wt, cars, lambda = 1)), "one fit is to classes")
  expect_refusal(anova(small, freeridge(mpg ~ wt, cars, lambda = 1, robust = "huber")), "one fit is robust")
  expect_refusal(anova(small, freeridge(cbind(mpg, wt) ~ hp, cars, lambda = 1)), "of one response, and one has 2")
})
