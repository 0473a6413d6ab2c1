# Printing, summary, plot and the small methods.

p <- problem(30L, 2L, 2L)
colnames(p$y) <- c("first", "second")
fit <- freeridge(p$x, p$y, gaussian_kernel(2))
one <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 1.5, scale = TRUE)

test_that("print says what was fitted and returns the fit", {
  text <- capture.output(value <- withVisible(print(fit)))
  expect_identical(value$value, fit)
  expect_false(value$visible)
  text <- paste(text, collapse = "\n")
  expect_match(text, "30 points, 2 features, 2 outputs; route: spectral", fixed = TRUE)
  expect_match(text, "sigma = 2", fixed = TRUE)
  expect_match(text, "chosen by leave-one-out mean squared error", fixed = TRUE)
  expect_match(text, format(fit$lambda[["first"]], digits = 4), fixed = TRUE)
  expect_output(print(one), "lambda: 1.5 (given)", fixed = TRUE)
  expect_output(print(one), "columns divided by: 0.9785, 68.56", fixed = TRUE)
  expect_silent(freeridge(p$x, p$y))
})

test_that("summary has the errors of fitted and of left-out points", {
  table <- summary(fit)$outputs
  expect_identical(rownames(table), c("first", "second"))
  expect_equal(table$lambda, unname(fit$lambda))
  expect_equal(table$df, unname(colSums(hatvalues(fit))))
  expect_equal(table$rmse, unname(sqrt(colMeans(residuals(fit)^2))))
  expect_equal(table$loo_rmse, unname(sqrt(colMeans(loo(fit)^2))))
  expect_equal(table$loo_r2, unname(1 - colMeans(loo(fit)^2) / colMeans(scale(p$y, scale = FALSE)^2)))
  expect_output(print(summary(fit)), "loo_rmse")
  expect_output(print(summary(fit)), "Memory: at most [0-9.]+ [KM]b beside the data")
  expect_gt(fit$memory, 8 * 30^2)

  weighted <- freeridge(p$x, p$y[, 1L], gaussian_kernel(2), weights = p$weights)
  expect_equal(summary(weighted)$outputs$loo_rmse^2, weighted$score)
})

test_that("small methods", {
  expect_identical(nobs(fit), 30L)
  expect_equal(fitted(fit) + residuals(fit), p$y)
  expect_identical(weights(fit), NULL)
  expect_output(print(coef(fit)), "f(x) = sum_i c_i k(x_i, x) + b", fixed = TRUE)
  k <- exp(-as.matrix(dist(p$x))^2 / 4)
  expect_close(sweep(k %*% unclass(coef(fit)), 2L, attr(coef(fit), "intercept"), "+"), fitted(fit), 1e-10)
  expect_match(freeridge_build_info(), "0.1.0", fixed = TRUE)
})

test_that("fitted values are computed when they are asked for, and are those of the fit's own lambda", {
  fresh <- freeridge(p$x, p$y, gaussian_kernel(2), c(0.5, 2))
  expect_null(unclass(fresh)[["fitted.values"]])
  predict(fresh, p$x, lambda = 100)  # puts another lambda in force in the core
  expected <- predict(fresh, p$x)
  for (values in list(fresh$fitted.values, fresh[["fitted.values"]], fresh$fitted, fitted(fresh))) {
    expect_close(unname(values), unname(expected), 1e-12)
  }
  expect_identical(fresh$lambda, fresh[["lambda"]])
  expect_null(fresh$no_such_thing)
  other <- update(fresh, lambda = 3)
  expect_false(isTRUE(all.equal(other$fitted.values, fresh$fitted.values)))
})

test_that("the data set is what its page says", {
  expect_identical(dim(airfoil), c(1503L, 6L))
  expect_named(airfoil, c("frequency", "angle", "chord", "velocity", "thickness", "sound_pressure"))
  expect_false(anyNA(airfoil))
})

test_that("what is printed of many outputs, levels and lengths is brief, and lines end between words", {
  set.seed(1)
  d <- data.frame(id = sprintf("id%03d", 1:120), x = stats::rnorm(120L), "a rather long name of a column" = stats::rnorm(120L),
                  check.names = FALSE)
  d$y <- d$x + stats::rnorm(120L)
  x <- matrix(stats::rnorm(600L), 60L)
  y <- matrix(stats::rnorm(60L * 300L), 60L)
  colnames(y) <- paste0("voxel", 1:300)
  y[7L, 1:40] <- 30
  classes <- factor(rep(sprintf("class %d", 1:20), 3L))
  source <- row_source(data.frame(x, y = y[, 1:40]), 25)
  fits <- list(freeridge(y ~ ., d), freeridge(x, y, linear_kernel()), freeridge(x, y[, 1:30], gaussian_kernel(3)),
               freeridge(x, classes, linear_kernel()), freeridge(mpg ~ ., mtcars), freeridge(x, y[, 1:20], linear_kernel(), criterion = "gcv"),
               freeridge_chunks(as.formula(paste0("cbind(", paste0("y.voxel", 1:40, collapse = ", "), ") ~ X1 + X2")), source))
  for (width in c(60L, 80L)) for (fit in fits) {
    old <- options(width = width)
    shown <- capture.output(print(fit))
    long <- capture.output(print(summary(fit)))
    options(old)
    expect_lt(sum(nchar(shown)), 2500)
    expect_lt(length(long), 160)  # a table of 20 classes is the longest
    whole <- options(width = 10000L)
    plain <- capture.output(print(fit))
    options(whole)
    body <- function(lines) lines[seq(grep("points,|rows in pieces", lines)[1L], length(lines))]  # without the call
    expect_lte(max(nchar(body(shown))), width)
    words <- function(lines) gsub("#+", "#", unlist(strsplit(trimws(body(lines)), " +")))  # bars have the width of the screen
    expect_identical(words(shown), words(plain))  # no word is cut
  }
  expect_identical(short_numbers(c(3, 1, 2, rep(5, 6), NaN), 3L), "10 numbers from 1 to 5, median 5, not finite: 1")
  expect_identical(short_names(letters[1:9]), "a, b, c, d, e, f, g, h, ... (9 in all)")
  labels <- additive_kernel(gaussian_kernel(1), rep(1:3, c(10, 1, 1)))
  expect_identical(format(labels), "additive([0, 0, 0, ..., 2; 12 numbers], gaussian(sigma = 1))")
  expect_identical(parse_kernel(as.character(labels)), labels)  # whole, as it is read again
  expect_output(print(summary(fits[[2L]])), "300 outputs, of which these are the quartiles; \\$outputs has them all.*median .*such sentences? more")
  expect_output(print(summary(fits[[2L]])), "Coefficients of 300 outputs: a table for each is in \\$coefficients")
})

test_that("a choice at an end of the range is said with the end and what it means", {
  low <- freeridge(mpg ~ wt, transform(mtcars, mpg = 3 * wt + 1e-4 * qsec), kernel = linear_kernel())
  high <- freeridge(1:20, rep(c(1, -1), 10L), linear_kernel())
  expect_identical(c(low$edge, high$edge), c(-1L, 1L), ignore_attr = TRUE)
  expect_output(print(low), "the choice is at the low end of the range that was searched: hardly anything is penalised")
  expect_output(print(high), "the choice is at the high end of the range that was searched: the penalty leaves hardly anything but")
  both <- freeridge(1:20, cbind(rep(c(1, -1), 10L), rep(c(-2, 1), 10L)), linear_kernel())
  expect_output(print(both), "the choice of 2 outputs is at the high end")
})
