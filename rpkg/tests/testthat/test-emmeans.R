# Means, contrasts and slopes by emmeans and marginaleffects: those of lm() where the fit is least squares, those of
# predict(covariance = TRUE) for every kernel.

yarn <- local({
  frame <- warpbreaks
  frame$x <- sin(seq_len(54)) + 2000
  frame$times <- rep(1:3, 18)
  frame$off <- cos(1:54)
  frame$`body mass` <- frame$x
  frame$z <- frame$x - 2000
  frame$x[5] <- NA
  frame
})

least_squares <- function(formula) {
  list(ours = eval(bquote(freeridge(.(formula), yarn, kernel = linear_kernel(), lambda = 0))), theirs = eval(bquote(lm(.(formula), yarn))))
}

# What `ask` gives of both, but for names and notes.
expect_same_table <- function(fits, ask, columns = NULL, tolerance = 1e-6) {
  tables <- lapply(fits, function(fit) as.data.frame(suppressMessages(ask(fit))))
  if (!is.null(columns)) tables <- lapply(tables, `[`, columns)
  expect_equal(tables$ours, tables$theirs, tolerance = tolerance, ignore_attr = TRUE)
}

test_that("emmeans of least squares are those of lm", {
  skip_if_not_installed("emmeans")
  asked <- list(
    function(fit) emmeans::emmeans(fit, "wool"),
    function(fit) emmeans::emmeans(fit, "wool", type = "response"),
    function(fit) pairs(emmeans::emmeans(fit, "wool")),
    function(fit) emmeans::emmeans(fit, "wool", weights = "proportional"),
    function(fit) emmeans::emtrends(fit, "wool", "x"),
    function(fit) emmeans::joint_tests(fit)
  )
  formulas <- list(breaks ~ wool * tension + x, log(breaks) ~ wool + tension * x, breaks ~ factor(times) * wool + poly(x, 2),
                   sqrt(breaks) ~ tension + wool:x, breaks ~ wool + tension + log(x))
  for (formula in formulas[-3L]) for (ask in asked) expect_same_table(least_squares(formula), ask)
  yarn$x[5] <- 2000  # poly() takes no missing values
  fits <- list(ours = freeridge(breaks ~ factor(times) * wool + poly(x, 2), yarn, kernel = linear_kernel(), lambda = 0),
               theirs = lm(breaks ~ factor(times) * wool + poly(x, 2), yarn))
  for (ask in asked) expect_same_table(fits, ask)
  back <- function(fit) emmeans::emmeans(fit, "wool", regrid = "response")
  expect_same_table(least_squares(log(breaks) ~ wool + tension), back)
})

test_that("emmeans with weights, offsets and strange names are those of lm", {
  skip_if_not_installed("emmeans")
  ask <- function(fit) emmeans::emmeans(fit, "tension")
  expect_same_table(list(ours = freeridge(breaks ~ wool * tension + x, yarn, kernel = linear_kernel(), lambda = 0, weights = times, offset = off),
                         theirs = lm(breaks ~ wool * tension + x, yarn, weights = times, offset = off)), ask)
  expect_same_table(least_squares(breaks ~ wool + tension + offset(off)), ask)
  expect_same_table(least_squares(breaks ~ wool + tension + `body mass`), ask)
  expect_same_table(list(ours = freeridge(breaks ~ unpenalised(wool * tension + x), yarn, kernel = linear_kernel()),
                         theirs = lm(breaks ~ wool * tension + x, yarn)), ask)
  trend <- function(fit) emmeans::emtrends(fit, "wool", "x")
  expect_same_table(list(ours = freeridge(breaks ~ unpenalised(wool * x), yarn), theirs = lm(breaks ~ wool * x, yarn)), trend)
})

test_that("emmeans of kernels are combinations of predictions with their covariance", {
  skip_if_not_installed("emmeans")
  fits <- list(freeridge(log(breaks) ~ wool + tension + x, yarn, kernel = matern_kernel(1.5, 2), lambda = 0.5),
               freeridge(log(breaks) ~ unpenalised(wool) + tension + x, yarn, kernel = laplacian_kernel(2), lambda = 0.5),
               freeridge(log(breaks) ~ wool + tension + x, yarn, kernel = linear_kernel(), lambda = 3))
  grid <- expand.grid(wool = c("A", "B"), tension = c("L", "M", "H"), x = mean(yarn$x, na.rm = TRUE))
  average <- kronecker(t(rep(1 / 3, 3L)), diag(2L))
  for (fit in fits) for (kind in c("bayesian", "frequentist")) {
    means <- as.data.frame(emmeans::emmeans(fit, "wool", kind = kind))
    at <- predict(fit, grid, covariance = TRUE, kind = kind)
    expect_close(means$emmean, average %*% at$fit, 1e-10)
    expect_close(means$SE, sqrt(diag(average %*% at$covariance %*% t(average))), 1e-7)
    expect_close(means$df, rep(df.residual(fit), 2L), 1e-10)
    difference <- as.data.frame(pairs(emmeans::emmeans(fit, "wool", kind = kind)))
    of_pair <- c(1, -1) %*% average
    expect_close(difference$SE, sqrt(of_pair %*% at$covariance %*% t(of_pair)), 1e-7)
  }
  back <- as.data.frame(emmeans::emmeans(fits[[1L]], "wool", type = "response"))
  expect_close(back$response, exp(average %*% predict(fits[[1L]], grid)), 1e-10)
})

test_that("marginaleffects of least squares are those of lm", {
  skip_if_not_installed("marginaleffects", "1.0.0")
  if (!exists("%||%", baseenv())) assign("%||%", function(x, y) if (is.null(x)) y else x, globalenv())  # R before 4.4
  asked <- list(
    function(fit) marginaleffects::predictions(fit),
    function(fit) marginaleffects::avg_predictions(fit, by = "wool"),
    function(fit) marginaleffects::avg_slopes(fit),
    function(fit) marginaleffects::slopes(fit, variables = "z"),
    function(fit) marginaleffects::avg_comparisons(fit, variables = list(z = 0.5)),
    function(fit) marginaleffects::avg_comparisons(fit, variables = "z", hypothesis = ~reference, by = "tension"),
    function(fit) marginaleffects::comparisons(fit, comparison = "ratio", variables = "tension"),
    function(fit) marginaleffects::plot_predictions(fit, condition = c("z", "wool"), draw = FALSE)
  )
  columns <- c("estimate", "std.error", "conf.low", "conf.high")
  for (ask in asked) expect_same_table(least_squares(breaks ~ wool + tension * z), ask, columns, 1e-5)
  with_offset <- least_squares(log(breaks) ~ wool + tension * z + offset(off))  # of which lm has slopes by differences
  for (ask in asked[c(1, 2, 5, 6)]) expect_same_table(with_offset, ask, columns, 1e-5)
})

test_that("marginaleffects of kernels have the standard errors of predict() and of marginal_effects()", {
  skip_if_not_installed("marginaleffects", "1.0.0")
  if (!exists("%||%", baseenv())) assign("%||%", function(x, y) if (is.null(x)) y else x, globalenv())
  for (fit in list(freeridge(breaks ~ wool + tension + x, yarn, kernel = matern_kernel(1.5, 2), lambda = 0.5),
                   freeridge(breaks ~ unpenalised(wool) + tension + x, yarn, kernel = gaussian_kernel(2), lambda = 0.5, offset = off))) {
    known <- yarn[!is.na(yarn$x), ]
    single <- as.data.frame(marginaleffects::predictions(fit, newdata = known))
    expected <- predict(fit, known, se.fit = TRUE)
    expect_close(single$estimate, expected$fit, 1e-12)
    expect_close(single$std.error, expected$se.fit, 1e-8)
    slopes <- as.data.frame(marginaleffects::avg_slopes(fit, variables = c("tension", "x"), newdata = known))
    ours <- marginal_effects(fit)$average
    ours <- ours[match(c("tensionH", "tensionM", "x"), ours$column), ]
    slopes <- slopes[order(slopes$term, slopes$contrast), ]
    expect_close(slopes$estimate, ours$estimate, 1e-4)
    expect_close(slopes$std.error, ours$se, 1e-4)
  }
  expect_refusal(marginaleffects::avg_slopes(fit, slope = "eyex"), "needs coefficients, which the fit has not")
})

test_that("hypotheses about coefficients, which marginaleffects moves one by one, have standard errors", {
  fit <- freeridge(breaks ~ z + times, yarn, kernel = linear_kernel(), lambda = 1)
  moved <- get_coef.freeridge(fit) + c(0, 1, -2)
  expect_identical(get_parameters.freeridge(set_coef.freeridge(fit, moved))$Estimate, unname(moved))
  expect_identical(get_parameters.freeridge(set_coef.freeridge(fit, moved))$Parameter, get_parameters.freeridge(fit)$Parameter)
  skip_if_not_installed("marginaleffects", "1.0.0")
  if (!exists("%||%", baseenv())) assign("%||%", function(x, y) if (is.null(x)) y else x, globalenv())
  found <- as.data.frame(marginaleffects::hypotheses(fit))
  expect_close(found$std.error, unname(sqrt(diag(vcov(fit)))), 1e-6)
  weights <- c(0, 1, -3)
  found <- as.data.frame(marginaleffects::hypotheses(fit, "z = 3 * times"))
  expect_close(found$std.error, sqrt(drop(weights %*% vcov(fit) %*% weights)), 1e-6)
})

test_that("fits of which these tools would give other numbers are refused", {
  two <- freeridge(cbind(breaks, times) ~ wool, yarn, lambda = 1)
  classes <- freeridge(wool ~ breaks, yarn, lambda = 1)
  matrix <- freeridge(as.matrix(yarn["times"]), yarn$breaks, lambda = 1)
  expect_refusal(recover_data.freeridge(two), "emmeans is for one response, and the fit has 2: make a fit of each")
  expect_refusal(recover_data.freeridge(classes), "emmeans is for numbers, and the fit is to classes")
  expect_refusal(sanitize_model_specific.freeridge(matrix), "marginaleffects needs a fit that was made by a formula")
  fit <- freeridge(breaks ~ wool + times, yarn, kernel = gaussian_kernel(1), lambda = 1)
  expect_refusal(emm_basis.freeridge(fit, grid = yarn, vcov. = diag(2)), "these are means of predictions")
  expect_refusal(emm_basis.freeridge(fit, grid = yarn, kind = "wald"), "kind must be one of")
  expect_refusal(emm_basis.freeridge(fit, grid = data.frame(wool = c("A", NA), times = 1)), "missing values in row 2")
  expect_refusal(get_vcov.freeridge(fit, "HC3"), "vcov must be TRUE or FALSE, not \"HC3\"")
  expect_null(get_vcov.freeridge(fit, FALSE))
  expect_refusal(set_coef.freeridge(fit, 1), "needs coefficients, which the fit has not")
  expect_refusal(covariance_root(fit, list(x = matrix(seq_len(12002), 6001))), "6001 different points, and more than 6000")
  expect_refusal(as_few_columns(diag(4), c("z1", "z2")), "asked for 4 standard errors, and takes at most 2")
  expect_refusal(margins.freeridge(fit), "margins has no standard errors for this fit")
  skip_if_not_installed("margins")
  slopes <- margins::margins(freeridge(breaks ~ times, yarn, kernel = linear_kernel(), lambda = 0), vce = "none")
  expect_equal(slopes$dydx_times, rep(unname(coef(lm(breaks ~ times, yarn))[2L]), 54L), tolerance = 1e-6, ignore_attr = TRUE)
})
