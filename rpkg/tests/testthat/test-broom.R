# tidy(), glance() and augment(): data frames of what the other methods say.

skip_if_not_installed("generics")

test_that("tidy has a row for each coefficient, with standard errors of a linear fit", {
  fit <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 0)
  table <- generics::tidy(fit, conf.int = TRUE)
  expected <- summary(lm(mpg ~ wt + hp, mtcars))$coefficients
  expect_identical(table$term, rownames(expected))
  expect_equal(table$estimate, unname(expected[, 1L]), tolerance = 1e-9)
  expect_equal(table$std.error, unname(expected[, 2L]), tolerance = 1e-9)
  expect_equal(unname(as.matrix(table[c("conf.low", "conf.high")])), unname(confint(lm(mpg ~ wt + hp, mtcars))),
               tolerance = 1e-9)
  expect_equal(unname(as.matrix(table[c("statistic", "p.value")])), unname(expected[, 3:4]), tolerance = 1e-9)
  expect_named(generics::tidy(fit), c("term", "estimate", "std.error", "statistic", "p.value"))

  two <- generics::tidy(freeridge(cbind(mpg, qsec) ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 0),
                        conf.int = TRUE)
  each <- lapply(c("mpg", "qsec"), function(name) lm(reformulate(c("wt", "hp"), name), mtcars))
  expect_identical(two$response, rep(c("mpg", "qsec"), each = 3L))
  expect_equal(two$std.error, unlist(lapply(each, function(one) unname(sqrt(diag(vcov(one)))))), tolerance = 1e-9)
  expect_equal(two$p.value, unlist(lapply(each, function(one) unname(coef(summary(one))[, 4L]))), tolerance = 1e-9)
  expect_equal(two$conf.high, unlist(lapply(each, function(one) unname(confint(one)[, 2L]))), tolerance = 1e-9)
})

test_that("tidy of another kernel has the average effects of its columns", {
  fit <- freeridge(mpg ~ wt + factor(cyl), mtcars, kernel = gaussian_kernel(2), lambda = 0.1)
  table <- generics::tidy(fit, conf.int = TRUE)
  effects <- marginal_effects(fit)
  expect_identical(table$term, c("wt", "factor(cyl)6", "factor(cyl)8"))
  expect_equal(table[c("estimate", "std.error")], effects$average[c("estimate", "se")], ignore_attr = TRUE)
  expect_equal(table$p.value, 2 * pt(-abs(table$statistic), unname(effects$df)))
  expect_equal(as.matrix(table[c("conf.low", "conf.high")]), confint(effects), ignore_attr = TRUE)
  partly <- freeridge(cbind(mpg, qsec) ~ unpenalised(wt) + hp, mtcars, lambda = 1)
  both <- generics::tidy(partly)
  expect_identical(both$term, rep(c("wt", "hp"), 2L))
  expect_equal(both$estimate[c(1, 3)], as.vector(partly$effects))
  expect_equal(both$estimate[c(2, 4)], marginal_effects(partly)$average$estimate)
  expect_refusal(generics::tidy(freeridge(tcrossprod(mtcars$wt), mtcars$mpg, precomputed_kernel(), 1)), "no columns to differentiate")
  expect_refusal(generics::tidy(fit, conf.levle = 0.9), "unknown argument: 'conf.levle'")
})

test_that("glance has a row for each output", {
  fit <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 0)
  row <- generics::glance(fit)
  line <- lm(mpg ~ wt + hp, mtcars)
  expect_equal(row$r.squared, summary(line)$r.squared)
  expect_equal(c(row$sigma, row$df.residual, row$nobs, row$df), c(sigma(line), 29, 32, 3))
  expect_equal(row$loo.rmse, sqrt(mean((residuals(line) / (1 - hatvalues(line)))^2)))
  expect_equal(row$loo.r.squared, 1 - row$loo.rmse^2 / mean((mtcars$mpg - mean(mtcars$mpg))^2))
  expect_equal(unlist(row[c("logLik", "AIC", "BIC")]), c(logLik = c(logLik(line)), AIC = AIC(line), BIC = BIC(line)))
  curved <- freeridge(mpg ~ wt + hp, mtcars, lambda = 0.1)
  expect_equal(generics::glance(curved)$BIC, BIC(curved))
  two <- generics::glance(freeridge(cbind(mpg, qsec) ~ wt + hp, mtcars, weights = cyl, kernel = linear_kernel(),
                                    lambda = 0))
  expect_identical(two$response, c("mpg", "qsec"))
  expect_equal(two$r.squared[2L], summary(lm(qsec ~ wt + hp, mtcars, weights = cyl))$r.squared)
  expect_equal(two$AIC, c(AIC(lm(mpg ~ wt + hp, mtcars, weights = cyl)), AIC(lm(qsec ~ wt + hp, mtcars, weights = cyl))))
  expect_true(is.na(generics::glance(freeridge(factor(am) ~ wt, mtcars, lambda = 1))$AIC))  # no likelihood
})

test_that("fits of chunks have tidy, glance and autoplot, with what freeridge() has of the same rows", {
  two <- freeridge(cbind(mpg, qsec) ~ wt + hp, mtcars, kernel = linear_kernel())
  part <- freeridge_chunks(cbind(mpg, qsec) ~ wt + hp, row_source(mtcars, 7), lambda = two$lambda)
  expect_equal(generics::tidy(part, conf.int = TRUE, conf.level = 0.9), generics::tidy(two, conf.int = TRUE, conf.level = 0.9))
  row <- generics::glance(part)
  expect_identical(setdiff(names(row), "deviance"), names(generics::glance(two)))
  shared <- setdiff(names(row), c("deviance", "loo.rmse", "loo.r.squared"))
  expect_equal(row[shared], generics::glance(two)[shared])
  expect_equal(row$deviance, unname(deviance(part)))
  expect_true(all(is.na(row$loo.rmse)))
  chosen <- freeridge_chunks(mpg ~ wt + hp, row_source(mtcars, 7))
  same <- generics::glance(freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = chosen$lambda))
  expect_equal(generics::glance(chosen)[names(same)], same)
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::ggplot_build(ggplot2::autoplot(part, output = "qsec"))$plot, "ggplot")
})

test_that("augment adds columns to the data", {
  fit <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 2)
  table <- generics::augment(fit)
  expect_identical(names(table), c("mpg", "wt", "hp", ".fitted", ".resid", ".hat", ".loo", ".cooksd"))
  expect_identical(rownames(table), rownames(mtcars))
  expect_equal(table$.fitted, unname(fitted(fit)))
  expect_equal(table$.loo, unname(loo(fit)))
  expect_equal(table$.cooksd, unname(cooks.distance(fit)))
  expect_equal(generics::augment(fit, mtcars)$cyl, mtcars$cyl)
  new <- generics::augment(fit, newdata = mtcars[1:3, ])
  expect_identical(names(new), c(names(mtcars), ".fitted"))
  expect_equal(new$.fitted, unname(fitted(fit)[1:3]))

  holes <- mtcars
  holes$hp[4L] <- NA
  omitted <- freeridge(mpg ~ wt + hp, holes, kernel = linear_kernel(), lambda = 2)
  expect_identical(nrow(generics::augment(omitted, holes)), 31L)
  excluded <- freeridge(mpg ~ wt + hp, holes, na.action = na.exclude, kernel = linear_kernel(), lambda = 2)
  expect_identical(which(is.na(generics::augment(excluded, holes)$.fitted)), 4L)
  padded <- generics::augment(excluded)  # without data: the rows that na.exclude brings back
  expect_equal(padded[c("mpg", "hp", ".fitted")], generics::augment(excluded, holes)[c("mpg", "hp", ".fitted")])
  expect_identical(generics::augment(omitted)$mpg, mtcars$mpg[-4L])
  some <- freeridge(mpg ~ wt + hp, holes, subset = cyl > 4, na.action = na.exclude, kernel = linear_kernel(), lambda = 2)
  expect_identical(rownames(generics::augment(some)), rownames(mtcars)[mtcars$cyl > 4])
  expect_refusal(generics::augment(fit, mtcars[1:5, ]), "data has 5 rows, the fit has 32")

  two <- generics::augment(freeridge(as.matrix(mtcars[2:4]), as.matrix(mtcars[c(1L, 7L)]), linear_kernel(), 1))
  expect_identical(names(two)[1:5], c("cyl", "disp", "hp", ".fitted.mpg", ".fitted.qsec"))
  flowers <- freeridge(Species ~ ., iris, kernel = linear_kernel(), lambda = 1)
  classes <- generics::augment(flowers, newdata = iris[c(1L, 51L), ])
  expect_identical(classes$.class, unname(predict(flowers, iris[c(1L, 51L), ], type = "class")))
  expect_equal(classes$.prob.setosa, unname(predict(flowers, iris[c(1L, 51L), ], type = "probability")[, "setosa"]))
})

test_that("what broom's methods of lm take is taken, and what other packages pass on is let pass", {
  fit <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 0)
  line <- lm(mpg ~ wt + hp, mtcars)
  for (interval in c("confidence", "prediction")) {
    bounds <- suppressWarnings(predict(line, interval = interval, level = 0.8))
    table <- generics::augment(fit, se_fit = TRUE, interval = interval, conf.level = 0.8)
    expect_equal(unname(as.matrix(table[c(".fitted", ".lower", ".upper")])), unname(bounds))
    expect_equal(table$.se.fit, unname(predict(line, se.fit = TRUE)$se.fit))
    expect_equal(generics::augment(fit, newdata = mtcars[3:4, ], interval = interval, conf.level = 0.8)$.upper, table$.upper[3:4])
  }
  two <- freeridge(cbind(mpg, qsec) ~ wt, mtcars, kernel = linear_kernel(), lambda = 0)
  expect_equal(generics::augment(two, interval = "confidence")$.lower.qsec,
               unname(predict(lm(qsec ~ wt, mtcars), interval = "confidence")[, "lwr"]))
  plain <- generics::tidy(fit, conf.int = TRUE)
  grown <- generics::tidy(fit, conf.int = TRUE, exponentiate = TRUE)
  for (column in c("estimate", "conf.low", "conf.high")) expect_identical(grown[[column]], exp(plain[[column]]))
  expect_identical(grown$std.error, plain$std.error)
  expect_identical(generics::tidy(fit, effects = "fixed", parametric = TRUE), generics::tidy(fit))
  expect_identical(generics::glance(fit, deviance = FALSE, conf.int = TRUE), generics::glance(fit))
  expect_identical(generics::augment(fit, type.predict = "response"), generics::augment(fit))
  expect_refusal(generics::augment(fit, new_data = 3), "unknown argument: 'new_data' \\(is newdata meant")
  expect_refusal(generics::augment(fit, interval = "gpp"), "interval must be one of")
})

test_that("a sparse x has no standard errors, and its rows are not made a data frame", {
  skip_if_not_installed("Matrix")
  set.seed(1)
  fit <- freeridge(Matrix::rsparsematrix(30L, 4L, 0.5), rnorm(30L), linear_kernel(), 1)
  expect_named(generics::tidy(fit), c("term", "estimate"))
  expect_refusal(generics::tidy(fit, conf.int = TRUE), "a confidence interval is not to be had with a sparse x")
  expect_refusal(generics::augment(fit), "data is missing")
  expect_equal(generics::glance(fit)$df, 30 - df.residual(fit))
})
