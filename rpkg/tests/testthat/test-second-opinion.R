# Where GCV (or REML) and the exact leave-one-out errors disagree much, the fit says so, and only there.

# Small problems, on many of which GCV takes a fit that goes through all points.
small_problem <- function(seed, n) {
  set.seed(seed)
  x <- matrix(stats::rnorm(3L * n), n)
  list(x = x, y = sin(x[, 1L]) + 0.5 * x[, 2L] + stats::rnorm(n, sd = 0.3))
}

# The fit, and whether it warned.
with_warning <- function(expression) {
  warned <- FALSE
  fit <- withCallingHandlers(expression, freeridge_disagreement = function(condition) {
    warned <<- TRUE
    tryInvokeRestart("muffleWarning")
  })
  list(fit = fit, warned = warned)
}

test_that("the opinion is the leave-one-out errors of refits, and a warning where they are much worse", {
  seen <- c(0L, 0L)
  for (case in list(c(5, 60), c(7, 30), c(10, 30), c(12, 15), c(1, 30), c(2, 60))) for (criterion in c("gcv", "reml")) {
    p <- small_problem(case[1L], case[2L])
    found <- with_warning(freeridge(p$x, p$y, gaussian_kernel(), criterion = criterion, lengths = "one"))
    fit <- found$fit
    opinion <- fit$second_opinion
    expect_close(opinion$loo, mean(loo(fit)^2), 1e-9)
    least <- if (is.na(opinion$lambda)) {
      update(fit, kernel = gaussian_kernel(opinion$sigma), scale = fit$scale, criterion = "loo")$score
    } else {
      mean(loo(fit, lambda = opinion$lambda)^2)
    }
    expect_close(opinion$least, least, 1e-6)
    expect_identical(found$warned, opinion$disagrees)
    # what it says is true of the best fit by leave-one-out errors, too
    if (opinion$disagrees) expect_gt(opinion$loo, 1.5 * freeridge(p$x, p$y, gaussian_kernel(), lengths = "one")$score)
    seen[opinion$disagrees + 1L] <- seen[opinion$disagrees + 1L] + 1L
  }
  expect_true(all(seen > 1L))
})

test_that("of copies, whose leave-one-out errors are too small, there is no second opinion", {
  p <- small_problem(5, 20)
  three <- rep(1:20, 3L)
  found <- with_warning(freeridge(p$x[three, ], p$y[three], gaussian_kernel(), criterion = "reml", lengths = "one"))
  expect_false(found$warned)
  expect_null(found$fit$second_opinion)
  expect_output(print(summary(found$fit)), "40 rows have the predictors and the response of another row")
})

test_that("rows that are nearly the same: the airfoil's, by a warning and a line of print and summary", {
  set.seed(1)
  rows <- airfoil[sample(1503L, 400L), ]
  expect_warning(fit <- freeridge(sound_pressure ~ ., rows, kernel = gaussian_kernel(), criterion = "gcv"), "gcv is not to be trusted here",
                 class = "freeridge_disagreement")
  expect_output(print(fit), "BEWARE: the leave-one-out error of the choice by gcv is 2", fixed = TRUE)
  expect_output(print(summary(fit)), "BEWARE: the leave-one-out error of the choice by gcv", fixed = TRUE)
  expect_warning(fixed <- update(fit, kernel = fit$kernel, scale = fit$scale), class = "freeridge_disagreement")
  expect_identical(fixed$lambda, fit$lambda)  # what looks on does not touch the choice
  expect_null(freeridge(sound_pressure ~ ., rows[1:50, ], criterion = "loo")$second_opinion)
})

test_that("several outputs have an opinion each, and so has a sparse x", {
  p <- small_problem(5, 60)
  both <- with_warning(freeridge(p$x, cbind(a = p$y, b = stats::rnorm(60)), gaussian_kernel(65), scale = TRUE,
                                 criterion = "gcv", lambda_range = c(1e-9, 1)))$fit
  expect_identical(row.names(both$second_opinion), c("a", "b"))
  expect_close(both$second_opinion$loo, colMeans(loo(both)^2), 1e-8)
  both$second_opinion$disagrees <- c(FALSE, TRUE)
  expect_output(print(both), "of the choice by gcv for b is", fixed = TRUE)
  skip_if_not_installed("Matrix")
  sparse <- freeridge(Matrix::rsparsematrix(40L, 3L, 0.5), p$y[1:40], linear_kernel(), criterion = "gcv")
  expect_false(sparse$second_opinion$disagrees)
})
