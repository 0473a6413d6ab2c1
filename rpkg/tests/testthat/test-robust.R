# robust = "huber": the weights are those of the errors that refits without each row make.

contaminated <- function(n = 60L) {
  p <- problem(n)
  p$gross <- seq(5L, n, by = 10L)
  p$clean <- p$y
  p$y[p$gross] <- p$y[p$gross] + c(8, -6)
  p
}

# Huber's weights of the left-out errors of the plain way, at the fit's kernel, lambda and weights.
oracle_weights <- function(p, fit, given, x = p$x) {
  size <- sqrt(given) * abs(oracle_loo(x, p$y, fit$kernel, fit$lambda, given * weights(fit, "robustness"), fit$intercept))
  pmin(1, 1.345 * stats::median(size) / stats::qnorm(0.75) / size)
}

test_that("the weights are a fixed point, and the fit is near that of the data without gross errors", {
  p <- contaminated()
  made <- list(
    function(y, ...) freeridge(p$x, y, linear_kernel(), ...), function(y, ...) freeridge(p$x, y, gaussian_kernel(2), 0.3, ...),
    function(y, ...) freeridge(p$x, y, matern_kernel(2.5), scale = FALSE, lengths = "one", criterion = "gcv", ...),
    function(y, ...) freeridge(p$x, y, gaussian_kernel(), scale = FALSE, ...),
    function(y, ...) freeridge(p$x, y, gaussian_kernel(2), groups = rep(1:6, 10), rule = "1se", ...),
    function(y, ...) freeridge(p$x, y, gaussian_kernel(2), intercept = FALSE, landmarks = 60, ...),
    function(y, ...) freeridge(p$x, y, scale = FALSE, ...)
  )
  for (make in made) for (given in list(NULL, p$weights)) {
    fit <- unjudged(make(p$y, weights = given, robust = "huber"))
    found <- weights(fit, "robustness")
    ones <- if (is.null(given)) rep(1, 60L) else given
    expect_lte(max(abs(found - oracle_weights(p, fit, ones))), 2.5e-3)
    expect_lt(max(found[p$gross]), 0.35)
    expect_identical(weights(fit), given)
    expect_equal(weights(fit, "working"), ones * found)
    expect_equal(unname(loo(fit)), as.vector(oracle_loo(p$x, p$y, fit$kernel, fit$lambda, ones * found, fit$intercept)),
                 tolerance = 1e-6)
    near <- fitted(unjudged(make(p$clean, weights = given)))
    far <- fitted(unjudged(make(p$y, weights = given)))
    if (fit$rule == "min") expect_lt(mean((fitted(fit) - near)^2), mean((far - near)^2) / 3)
    # every error counts in full in what is said of the fit
    expect_equal(unname(summary(fit)$outputs$loo_rmse), sqrt(sum(ones * loo(fit)^2) / sum(ones)))
    expect_equal(fit$robust$left_out[["rmse"]], sqrt(sum(ones * loo(fit)^2) / sum(ones)))
    if (fit$chosen && fit$criterion == "loo") {
      expect_equal(fit$score, sum(ones * found * loo(fit)^2) / sum(ones * found), tolerance = 1e-8)
    }
    again <- unserialize(serialize(fit, NULL))
    expect_equal(loo(again), loo(fit), tolerance = 1e-8)
    expect_equal(predict(again, p$new), predict(fit, p$new), tolerance = 1e-10)
  }
})

test_that("rows of weight zero, missing rows, formulas, update and a mean", {
  p <- contaminated()
  data <- data.frame(p$x, y = p$y)
  data$y[7L] <- NA
  zero <- replace(p$weights, c(3L, 30L), 0)
  fit <- freeridge(y ~ ., data, weights = zero, kernel = linear_kernel(), na.action = na.exclude, robust = "huber")
  by_hand <- freeridge(y ~ ., data[-c(3L, 7L, 30L), ], weights = zero[-c(3L, 7L, 30L)], kernel = linear_kernel(), robust = "huber")
  expect_equal(weights(fit, "robustness")[-c(3L, 7L, 30L)], weights(by_hand, "robustness"))
  expect_equal(unname(weights(fit, "robustness")[c(3L, 7L, 30L)]), c(1, NA, 1))
  expect_equal(coef(fit), coef(by_hand))
  expect_identical(coef(update(fit, . ~ . - X1)),
                   coef(freeridge(y ~ X2 + X3, data, weights = zero, kernel = linear_kernel(), na.action = na.exclude,
                                  robust = "huber")))
  expect_null(weights(freeridge(p$x, p$y, linear_kernel()), "robustness"))
  mean <- freeridge(y ~ 1, data, robust = "huber")  # M-estimate of location, but with left-out errors
  expect_lt(abs(coef(mean)[[1L]] - median(p$clean)), 0.15)
  expect_identical(weights(freeridge(p$x, rep(2, 60L), linear_kernel(), 1, robust = "huber"), "robustness"), rep(1, 60L))
  decisive <- freeridge(cbind(c(1, rep(0, 20L)), c(0, 1:20)), c(9, 1:20 + rep(c(0.1, -0.2), 10L)), linear_kernel(), 0, robust = "huber")
  expect_identical(weights(decisive, "robustness")[1L], 1)
})

test_that("print says which rows are weighed down, and the error of all rows", {
  p <- contaminated()
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), robust = "huber")
  v <- weights(fit, "robustness")
  words <- paste0("Robust \\(Huber\\): ", sum(v < 1), " rows weighed down, ", sum(v < 0.5),
                  " of them to less than half; the lowest weight is ", format(min(v), digits = 4L), ", of row ", which.min(v))
  expect_output(print(fit), words)
  expect_output(print(fit), paste0("left-out errors: root mean square ", format(sqrt(mean(loo(fit)^2)), digits = 4L),
                                   ", each row counted in full; half of them are below ",
                                   format(median(abs(loo(fit))), digits = 4L)))
  expect_output(print(summary(fit)), "chosen by leave-one-out mean squared error, rows weighed down: ")
  spread <- freeridge(p$x, p$clean + exp(seq(-6, 3, length.out = 60L)) * rep(c(1, -1), 30L), linear_kernel(), robust = "huber")
  expect_output(print(spread), "% of the rows, where normal errors of one spread have about 18 %")
  expect_output(print(freeridge(p$x, rep(2, 60L), linear_kernel(), 1, robust = "huber")), "no row weighed down\\n")
  expect_identical(glance.freeridge(fit)$logLik, NA_real_)
})

test_that("at normal errors the standard deviation of the errors is right, and intervals of predictions hold", {
  set.seed(1)
  x <- matrix(stats::rnorm(8000L), 2000L)
  y <- x[, 1L] + 0.5 * stats::rnorm(2000L)
  new <- matrix(stats::rnorm(8000L), 2000L)
  fit <- freeridge(x, y, linear_kernel(), 1, robust = "huber")
  expect_equal(sigma(fit), 0.5, tolerance = 4 / sqrt(2 * 2000))  # four standard errors of a standard deviation
  working <- weights(fit, "working")
  left <- 2000 - sum(hatvalues(fit))
  expect_equal(sigma(fit)^2, sum(working * residuals(fit)^2) / left / (2 * pnorm(1.345) - 1), tolerance = 1e-9)
  held <- predict(fit, new, interval = "prediction", level = 0.9)
  truth <- new[, 1L] + 0.5 * stats::rnorm(2000L)
  expect_lt(abs(mean(truth > held[, "lwr"] & truth < held[, "upr"]) - 0.9), 4 * sqrt(0.09 / 2000))
  few <- 1:40
  small <- freeridge(x[few, ], y[few], linear_kernel(), 1, robust = "huber")
  i <- 7L
  rest <- freeridge(x[few[-i], ], y[few[-i]], linear_kernel(), 1, weights = weights(small, "working")[-i])
  expect_close(influence(small)$sigma[i], sigma(rest) / sqrt(2 * pnorm(1.345) - 1), 1e-9)
  again <- unserialize(serialize(small, NULL))
  expect_equal(sigma(again), sigma(small))
})

test_that("standard errors are those of MASS::rlm for normal errors, and larger where there are gross ones", {
  skip_if_not_installed("MASS")
  for (gross in c(0, 20)) {
    ratio <- vapply(1:20, function(seed) {
      set.seed(seed)
      x <- matrix(stats::rnorm(600L), 200L, dimnames = list(NULL, c("a", "b", "c")))
      y <- as.vector(x %*% c(1, 2, 0)) + stats::rnorm(200L) + gross * (seq_len(200L) %in% 1:4)
      data <- data.frame(y, x)
      fit <- freeridge(y ~ ., data, kernel = linear_kernel(), lambda = 1e-6, robust = "huber")
      ours <- c(sqrt(diag(vcov(fit)))[-1L], predict(fit, data[1:3, ], se.fit = TRUE)$se.fit)
      theirs <- MASS::rlm(y ~ ., data, scale.est = "MAD", k = 1.345)
      ours / c(sqrt(diag(vcov(theirs)))[-1L], predict(theirs, data[1:3, ], se.fit = TRUE)$se.fit)
    }, numeric(6L))
    if (gross == 0) expect_lt(max(abs(rowMeans(ratio) - 1)), 0.03)
    # the four gross errors count in sigma^2 with 1.345 s |e|, of 200 rows
    if (gross > 0) expect_lt(max(abs(rowMeans(ratio) - sqrt(1 + 4 * 1.345 * gross / 200 / (2 * pnorm(1.345) - 1)))), 0.05)
  }
})

test_that("what has no robust fit is refused", {
  p <- contaminated()
  make <- function(y, ...) freeridge(p$x, y, gaussian_kernel(2), 1, robust = "huber", ...)
  expect_refusal(freeridge(p$x, p$y, robust = "tukey"), 'robust must be one of "huber", not "tukey"')
  expect_refusal(freeridge(p$x, p$y, robust = TRUE), 'robust must be one of "huber", not TRUE')
  expect_refusal(make(cbind(p$y, p$y)), "robust is for one response, and y has 2")
  expect_refusal(make(p$y > 3), "robust is for numbers: y has classes")
  expect_refusal(make(p$y, route = "iterative"), 'which the route "iterative" has not')
  expect_refusal(freeridge(p$x, replace(rep(0, 60L), 3L, 1), gaussian_kernel(1e-3), 1, intercept = FALSE, robust = "huber"),
                 "half of the left-out errors or more are zero")
  expect_refusal(huber_weights(c(NaN, NaN), c(1, 1)), "no row has a left-out error")
  fit <- make(p$y)
  expect_refusal(logLik(fit), "the fit is robust, .* it has no likelihood")
  expect_refusal(extractAIC(fit), "it has no likelihood")
  expect_equal(extractAIC(fit, by = "loo")[2L], 60 * log(mean(loo(fit)^2)))
  expect_refusal(weights(fit, "huber"), 'type must be one of "prior", "robustness", "working"')
  expect_refusal(weights(fit, foo = 1), "unknown argument: 'foo'")
  once <- with_replaced(reweighted, most_reweightings = 1L)
  plain <- freeridge(p$x, p$y, gaussian_kernel(2), 1)
  plain$robust <- list(given = NULL)
  expect_warning(once(plain, model_at(plain), TRUE), "the robustness weights still change by .* after 1 rounds",
                 class = "freeridge_not_converged")
  expect_refusal(freeridge_chunks(y ~ ., data.frame(p$x, y = p$y), robust = "huber"), "unknown argument: 'robust'")
})
