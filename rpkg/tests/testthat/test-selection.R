# Choosing lambda and the bandwidth.

criteria <- c("loo", "gcv", "reml", "groups")
groups <- rep_len(c(1, 2, 3, NA), 20L)

test_that("folds hold each stratum in its share, and groups whole", {
  y <- rep(c("a", "b", "c"), c(50, 30, 7))
  fold <- make_folds(87, 5, seed = 3, strata = y)
  expect_true(all(apply(table(fold, y), 2L, function(count) diff(range(count))) <= 1L))
  expect_true(diff(range(table(fold))) <= 1L)
  expect_false(identical(fold, make_folds(87, 5, seed = 4, strata = y)))
  expect_identical(make_folds(87, 5, seed = 3, repeats = 2, strata = factor(y))[, 1L], fold)
  group <- rep(1:29, 3L)
  whole <- make_folds(87, 4, groups = group, strata = group > 20)
  expect_true(all(tapply(whole, group, function(each) length(unique(each))) == 1L))
  expect_true(all(apply(table(whole, group > 20), 2L, function(count) diff(range(count))) <= 3L))
  expect_refusal(make_folds(3, 2, strata = 1:2), "strata must be 3 labels")
  expect_refusal(make_folds(3, 2, groups = c(1, NA, 2)), "groups must be 3 labels, none missing")
  expect_refusal(make_folds(3, 2, groups = c(1, 1, 1)), "groups has one label only")
  expect_refusal(make_folds(4, 3, groups = c(1, 1, 2, 2)), "folds")
})

test_that("scores equal their definitions", {
  p <- problem()
  lambdas <- c(1e-2, 1, 50)
  for (kernel in kernels()) for (intercept in c(FALSE, TRUE)) for (weighted in c(FALSE, TRUE)) {
    weights <- if (weighted) p$weights
    fit <- freeridge(p$x, p$y, kernel, 1, intercept = intercept, weights = weights, groups = groups)
    path <- lambda_path(fit, lambdas)
    for (criterion in criteria) {
      expected <- vapply(lambdas, function(lambda) {
        oracle_score(criterion, p$x, p$y, kernel, lambda, weights, intercept, groups)
      }, 0)
      expect_close(path[[criterion]], expected)
    }
  }
})

test_that("the objective is that of the fit, and its two parts", {
  p <- problem()
  for (kernel in kernels()) for (weights in list(NULL, p$weights)) {
    fit <- freeridge(p$x, p$y, kernel, 1, weights = weights)
    path <- lambda_path(fit, 1, c("training", "norm2", "objective"))
    w <- if (is.null(weights)) rep(1, nrow(p$x)) else weights
    dual <- w * as.matrix(residuals(fit))  # c at lambda = 1; its sum is 0, so that c'K c = c'(fitted - b) = c'fitted
    expect_close(path$training, colSums(w * as.matrix(residuals(fit))^2) / sum(w))
    expect_close(path$norm2, colSums(dual * as.matrix(fitted(fit))))
    expect_close(path$objective, sum(w) * path$training + path$norm2)
  }
})

test_that("every score that the search saw is kept", {
  p <- problem(t = 2L)
  fit <- freeridge(p$x, p$y, gaussian_kernel(2))
  search <- fit$lambda_search
  expect_named(search, c("lambda", "output", "score"))
  expect_identical(levels(search$output), c("y1", "y2"))
  for (output in c("y1", "y2")) {
    seen <- search[search$output == output, ]
    expect_gte(nrow(seen), 100L)
    expect_false(is.unsorted(seen$lambda))
    expect_equal(min(seen$score), fit$score[[output]])
    expect_true(fit$lambda[[output]] %in% seen$lambda)
  }
})

test_that("a choice at the end of the range is told", {
  # Up and down again and again: any slope makes left-out points worse, so no lambda is too large.
  fit <- freeridge(1:20, rep(c(1, -1), 10L), linear_kernel())
  expect_identical(fit$edge, 1L)
  expect_output(print(fit), "end of the range")
  p <- problem()
  inside <- freeridge(p$x, p$y, gaussian_kernel(2))
  expect_identical(inside$edge, 0L)
  expect_false(any(grepl("end of the range", capture.output(print(inside)))))
})

test_that("the bandwidth is chosen, with the best lambda of each bandwidth", {
  p <- problem(40L, 2L)
  fit <- freeridge(p$x, p$y, gaussian_kernel(), lengths = "one")
  tried <- fit$bandwidth_search
  expect_named(tried, c("sigma", "score"))
  expect_gte(nrow(tried), 3L)
  expect_true(fit$kernel$sigma %in% tried$sigma)
  expect_equal(fit$scale, apply(p$x, 2L, sd))

  # Each row of the table is the best score over lambda at that sigma.
  best_at <- function(sigma, y) freeridge(p$x, y, gaussian_kernel(sigma), scale = TRUE)$score
  expect_close(tried$score, vapply(tried$sigma, best_at, 0, y = p$y), 1e-8)
  expect_close(fit$score, tried$score[tried$sigma == fit$kernel$sigma], 1e-8)
  expect_identical(fit$kernel$sigma, chosen_bandwidth(fit))

  # Several outputs: the sum of the scores, each in units of its variance.
  p <- problem(40L, 2L, 2L)
  p$y[, 2L] <- 10 * cos(p$y[, 2L])
  tried <- freeridge(p$x, p$y, gaussian_kernel(), lengths = "one")$bandwidth_search
  variances <- colMeans(scale(p$y, scale = FALSE)^2)
  expect_close(tried$score, vapply(tried$sigma, function(sigma) sum(best_at(sigma, p$y) / variances), 0), 1e-8)
})

test_that("a bandwidth at the end of its range, or any of many, is said to be", {
  fit <- freeridge(mpg ~ wt + hp, mtcars, kernel = gaussian_kernel(), lengths = "one")
  expect_identical(fit$kernel$sigma, chosen_bandwidth(fit))
  expect_lt(fit$kernel$sigma, 0.5 * max(fit$bandwidth_search$sigma))
  expect_gt(fit$bandwidth_shape$decades, 1)
  expect_true(any(grepl("nearly the same over a factor of [0-9]+ of the bandwidth", capture.output(print(summary(fit))))))
  expect_identical(fit$bandwidth_shape$edge, 0L)
  p <- problem(40L, 2L)
  low <- freeridge(p$x, p$y, gaussian_kernel(), bandwidth_range = c(1e-3, 2e-3))
  expect_identical(abs(low$bandwidth_shape$edge), 1L)
  for (shown in list(capture.output(print(low)), capture.output(print(summary(low))))) {
    expect_true(any(grepl("it is at the (low|high) end of the range that was searched; the best bandwidth", shown)))
  }
  expect_null(freeridge(p$x, p$y, gaussian_kernel(1))$bandwidth_shape)
})

test_that("ranges and the budget of the search are heard", {
  p <- problem(40L, 2L)
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), lambda_range = c(1e-3, 10))
  expect_equal(range(fit$lambda_search$lambda), c(1e-3, 10))
  expect_equal(freeridge(p$x, p$y, gaussian_kernel(2), lambda_range = c(3, 3))$lambda, 3)
  fit <- freeridge(p$x, p$y, gaussian_kernel(), bandwidth_range = c(0.5, 4), budget = 5)
  expect_equal(nrow(fit$bandwidth_search), 5L)
  expect_true(all(fit$bandwidth_search$sigma >= 0.5 * (1 - 1e-12) & fit$bandwidth_search$sigma <= 4 * (1 + 1e-12)))
  expect_refusal(freeridge(p$x, p$y, lambda_range = c(2, 1)), "lambda_range must be two positive numbers.*c\\(2, 1\\)")
  expect_refusal(freeridge(p$x, p$y, lambda_range = 0:1), "lambda_range must be two positive numbers")
  expect_refusal(freeridge(p$x, p$y, bandwidth_range = "a"), 'bandwidth_range must be two positive numbers.*"a"')
  expect_refusal(freeridge(p$x, p$y, budget = -1), "budget must be one whole number >= 0, not -1")
  expect_refusal(freeridge(p$x, p$y, lengths = "one", budget = 2), "budget is 2", "freeridge_invalid_argument")
})

test_that("the one-standard-error rule is what the search's table gives", {
  p <- problem(40L, 2L, 2L)
  for (criterion in c("loo", "groups")) {
    fit <- freeridge(p$x, p$y, gaussian_kernel(2), groups = rep(1:8, 5L), criterion = criterion)
    rule <- one_standard_error(fit)
    expect_identical(dim(rule), c(2L, 3L))
    for (j in 1:2) {
      at_best <- lambda_path(fit, fit$lambda[[j]], criterion)[j, ]
      expect_close(rule$se[j], at_best[[paste0(criterion, "_se")]], 1e-8)
      expect_close(rule$score[j], fit$score[[j]], 1e-12)
      seen <- fit$lambda_search[as.integer(fit$lambda_search$output) == j & fit$lambda_search$lambda >= fit$lambda[[j]], ]
      too_bad <- which(seen$score > rule$score[j] + rule$se[j])
      expect_identical(rule$lambda[j], seen$lambda[if (length(too_bad) > 0L) too_bad[1L] - 1L else nrow(seen)])
    }
    simple <- freeridge(p$x, p$y, gaussian_kernel(2), groups = rep(1:8, 5L), criterion = criterion, rule = "1se")
    expect_equal(unname(simple$lambda), rule$lambda)
    expect_true(all(simple$lambda > fit$lambda))
    expect_equal(unname(simple$score), diag(matrix(lambda_path(simple, simple$lambda, criterion)[[criterion]], 2L)))
    expect_equal(fitted(simple), predict(fit, lambda = rule$lambda))
    expect_output(print(simple), "one-standard-error rule", fixed = TRUE)
  }
  expect_refusal(one_standard_error(freeridge(p$x, p$y, linear_kernel(), 1)), "lambda was given")
  expect_refusal(one_standard_error(freeridge(p$x, p$y, linear_kernel(), criterion = "gcv")), '"gcv" has no standard error')
  expect_refusal(freeridge(p$x, p$y, linear_kernel(), criterion = "reml", rule = "1se"), '"reml" has no standard error')
  expect_refusal(freeridge(p$x, p$y, linear_kernel(), 1, rule = "1se"), "lambda is given")
  expect_refusal(freeridge(p$x, p$y, rule = "best"), 'rule must be one of "min", "1se"')
  data <- data.frame(p$x, y1 = p$y[, 1L], y2 = p$y[, 2L], g = rep(1:8, each = 5L))
  chunked <- list(freeridge_chunks(cbind(y1, y2) ~ X1 + X2, row_source(data, 7)),
                  freeridge_chunks(cbind(y1, y2) ~ X1 + X2, row_source(data, 7), groups = g))
  for (fit in chunked) {
    rule <- one_standard_error(fit)
    path <- lambda_path(fit, criteria = fit$criterion)
    for (j in 1:2) {
      own <- path[as.integer(path$output) == j, ]
      best <- match(fit$lambda[[j]], own$lambda)
      expect_close(c(rule$score[j], rule$se[j]), unlist(own[best, c(fit$criterion, paste0(fit$criterion, "_se"))]), 1e-10)
      above <- own[best:nrow(own), ]
      too_bad <- which(above[[fit$criterion]] > rule$score[j] + rule$se[j])
      expect_identical(rule$lambda[j], above$lambda[if (length(too_bad) > 0L) too_bad[1L] - 1L else nrow(above)])
    }
  }
  expect_refusal(one_standard_error(freeridge_chunks(y1 ~ X1, row_source(data, 7), criterion = "gcv")), '"gcv" has no standard error')
  expect_refusal(one_standard_error(freeridge_chunks(y1 ~ X1, row_source(data, 7), lambda = 1)), "lambda was given")
})

test_that("the error rate counts the signs that left-out values have wrong", {
  p <- problem(40L, 2L)
  y <- sign(p$y - 3)
  fit <- freeridge(p$x, y, gaussian_kernel(2), criterion = "error_rate", weights = p$weights[1:40])
  path <- lambda_path(fit, c(0.01, 1, 100), "error_rate")
  for (i in 1:3) {
    wrong <- y * (y - loo(fit, path$lambda[i])) <= 0
    expect_close(path$error_rate[i], sum(p$weights * wrong) / sum(p$weights), 1e-12)
  }
  expect_equal(fit$score, min(fit$lambda_search$score))
  expect_named(lambda_path(fit, 1), c("lambda", "loo", "loo_se", "gcv", "reml", "error_rate", "error_rate_se", "training"))

  codes <- ifelse(outer(rep(1:3, length.out = 40L), 1:3, "=="), 1, -1)
  several <- freeridge(p$x, codes, gaussian_kernel(2), criterion = "error_rate")
  expect_identical(length(unique(several$lambda)), 1L)
  wrong <- max.col(codes - loo(several), "first") != rep(1:3, length.out = 40L)
  expect_close(several$score, rep(mean(wrong), 3L), 1e-12)
  expect_refusal(freeridge(p$x, p$y, gaussian_kernel(2), criterion = "error_rate"), "row", "freeridge_invalid_argument")
})

test_that("the shape of the search is kept, and a doubtful choice is told", {
  p <- problem(t = 2L)
  fit <- freeridge(p$x, p$y, gaussian_kernel(2))
  expect_length(fit$decades, 2L)
  expect_identical(names(fit$dips), c("y1", "y2"))
  # Noise without any signal in x: whatever is far to the right is as good.
  set.seed(3)
  noise <- freeridge(matrix(rnorm(60), 30L), rnorm(30L), gaussian_kernel(0.01))
  expect_gte(noise$decades, 4)
  expect_output(print(summary(noise)), "is flat: nearly the same over [0-9.]+ powers of ten")
  # A coarse and a fine structure, each with a lambda of its own.
  x <- seq(0, 1, length.out = 60L)
  found <- FALSE
  for (seed in 1:40) {
    set.seed(seed)
    fit <- freeridge(x, sin(2 * x) + 0.5 * sin(40 * x) + rnorm(60, sd = 0.7), gaussian_kernel(0.05))
    if (fit$dips > 1L) break
  }
  expect_gt(fit$dips, 1L)
  expect_output(print(summary(fit)), "has [0-9]+ local minima; lambda is at the lowest")
  expect_silent(text <- capture.output(print(fit)))
  expect_false(any(grepl("local minima", text)))
})

test_that("a lambda below what rounding allows is said to be, and no choice is", {
  p <- problem(20L, 1L)
  expect_below <- function(expression) expect_warning(expression, "below .*, where rounding", class = "freeridge_below_floor")
  for (route in c("auto", "spectral", "band")) {
    expect_silent(chosen <- freeridge(p$x, p$y, gaussian_kernel(5), route = route))
    expect_silent(loo(chosen, 1e-3))
    expect_below(loo(chosen, 1e-11))
    expect_silent(loo(chosen, c(1e-3, 1)))
    said <- testthat::capture_warnings(loo(chosen, c(1e-11, 1, 1e-12)))
    expect_match(said, "lambda is 1e-11 and 1 other, below")
    expect_silent(loo(chosen))
    expect_below(fit <- freeridge(p$x, p$y, gaussian_kernel(5), lambda = 1e-11, route = route))
    expect_below(summary(fit))
    expect_below(marginal_effects(fit))
    expect_below(freeridge(p$x, p$y, gaussian_kernel(5), lambda_range = c(1e-12, 1e-11), route = route))
  }
  expect_silent(freeridge(p$x, p$y, linear_kernel(), lambda = 1e-200))
  expect_silent(freeridge(mpg ~ ., mtcars, kernel = linear_kernel(), lambda = 0))
})

test_that("folds and hold-outs have the sizes asked for, and are reproducible", {
  group <- make_folds(101, 3)
  expect_identical(sort(unique(group)), 1:3)
  expect_lte(diff(range(table(group))), 1L)
  expect_identical(make_folds(101, 3), group)
  expect_false(identical(make_folds(100, 5), make_folds(100, 5, seed = 1)))
  expect_identical(sum(!is.na(make_holdout(40, 0.25, seed = 5))), 10L)
  expect_false(identical(make_holdout(100, 0.5), make_holdout(100, 0.5, seed = 1)))
  p <- problem()
  expect_identical(freeridge(p$x, p$y, gaussian_kernel(2), groups = make_holdout(20, 0.3))$criterion, "groups")
  expect_refusal(make_folds(10, 11), "folds is 11, but n is 10")
  expect_refusal(make_folds(10, 1), "folds must be one whole number >= 2, not 1")
  expect_refusal(make_folds(0, 2), "n must be one whole number >= 1, not 0")
  expect_refusal(make_folds(10, 2, seed = "a"), 'seed must be one whole number, not "a"')
  for (bad in list(0, 1, NaN, "a")) expect_refusal(make_holdout(10, bad), "fraction must be one number between 0 and 1")
  expect_refusal(make_holdout(1, 0.5), "n must be one whole number >= 2, not 1")
})

test_that("several divisions: the score is the mean of theirs, as are the errors, and weights and formulas go with them", {
  p <- problem(24L, 2L, 2L)
  kernel <- gaussian_kernel(2)
  splits <- cbind(make_folds(24, 5, repeats = 2), make_holdout(24, 0.3), NA)
  splits[c(3, 9), 4L] <- "last"
  expect_identical(make_folds(24, 5, seed = 7, repeats = 3)[, 2L], make_folds(24, 5, seed = 8))
  expect_identical(make_holdout(24, 0.3, seed = 7, repeats = 3)[, 3L], make_holdout(24, 0.3, seed = 9))
  for (y in list(p$y, p$y[, 1L])) {
    fit <- freeridge(p$x, y, kernel, groups = splits)
    expect_identical(fit$criterion, "groups")
    lambdas <- c(0.01, 0.5, 7)
    path <- lambda_path(fit, lambdas, "groups")
    each <- vapply(1:4, function(k) {  # without a warning of the last two, whose means of one term have no standard error
      path <- expect_no_warning(lambda_path(freeridge(p$x, y, kernel, 1, groups = splits[, k]), lambdas, "groups"))
      expect_identical(anyNA(path$groups_se), k > 2L)
      path$groups
    }, numeric(3L * NCOL(y)))
    expect_close(path$groups, rowMeans(each), 1e-11)
    expect_true(all(path$groups_se > 0))
    errors <- group_errors(fit, splits, lambda = 0.5)
    expect_identical(dim(errors), c(24L, if (is.matrix(y)) 2L, 4L))
    for (k in 1:4) {
      alone <- group_errors(fit, splits[, k], lambda = 0.5)
      expect_identical(unname(if (is.matrix(y)) errors[, , k] else errors[, k]), unname(alone))
    }
  }
  expect_output(print(fit), "leave-group-out mean squared error, mean of 4 divisions")

  # a formula, with rows that fall out and rows that do not count
  data <- data.frame(p$x, y = y, a = splits[, 1L], b = splits[, 4L])
  data$X1[5L] <- NA
  data$w <- replace(rep(1, 24L), 11L, 0)
  by_formula <- freeridge(y ~ X1 + X2, data, groups = cbind(a, b), weights = w, kernel = kernel, lambda = 0.5)
  kept <- setdiff(1:24, c(5L, 11L))
  direct <- freeridge(p$x[kept, ], y[kept], kernel, 0.5, groups = splits[kept, c(1L, 4L)])
  expect_close(lambda_path(by_formula, 0.5, "groups")$groups, lambda_path(direct, 0.5, "groups")$groups, 1e-12)
  for (rows in list(1:24, setdiff(1:24, 5L))) {  # labels of all rows, or of those of the fit
    expect_close(group_errors(by_formula, splits[rows, c(1L, 4L)])[as.character(kept), ],
                 group_errors(direct, splits[kept, c(1L, 4L)]), 1e-12)
  }
  expect_refusal(freeridge(p$x, y, kernel, groups = splits[-1L, ]), "groups must be 24 labels, one for each row, not a character matrix \\(23 x 4\\)")
  expect_refusal(freeridge(p$x, y, kernel, groups = cbind(1, rep(NA, 24))), "groups\\[, 2\\] must have at least one label")
  expect_refusal(freeridge(p$x, y, kernel, groups = splits, weights = replace(rep(1, 24), c(3, 9), 0)),
                 "groups has no label at a row whose weight is positive in one of its columns")
  for (bad in list(0, -1, 1.5, "a", NA)) expect_refusal(make_folds(10, 2, repeats = bad), "repeats must be one whole number >= 1")
})

test_that("lambdas of other systems are their formulas", {
  total <- c(0, 0.5, 20)
  expected <- list(total = total, mean = total / 50, glmnet = total * 3 / 50, sklearn = total, lm.ridge = total, KRLS = total,
                   GURLS = total / 50)
  for (to in names(expected)) {
    expect_close(convert_lambda(total, "total", to, 50, 3), expected[[to]], 1e-15)
    expect_close(convert_lambda(expected[[to]], to, "total", 50, 3), total, 1e-15)
  }
  p <- problem(t = 2L)
  fit <- freeridge(p$x, p$y, linear_kernel(), c(1, 4))
  sd_y <- sqrt(colMeans(scale(p$y, scale = FALSE)^2))
  expect_close(lambda_as(fit, "glmnet"), c(1, 4) * sd_y / 20, 1e-12)
  expect_identical(names(lambda_as(fit, "mean")), c("y1", "y2"))
  expect_close(lambda_as(fit, "mean", lambda = 7), c(7, 7) / 20, 1e-15)
  expect_refusal(lambda_as(fit), "to is missing")
  expect_refusal(lambda_as(fit, "spss"), 'to must be one of "total"')
  expect_refusal(lambda_as(freeridge(p$x, p$y, linear_kernel(), 1, weights = p$weights), "GURLS"), "the fit has weights")
  expect_refusal(convert_lambda(1, "total", "glmnet", 50), "sd_y is missing")
  expect_refusal(convert_lambda(1, "total", "glmnet", 50, -1), "sd_y", "freeridge_invalid_argument")
  expect_refusal(convert_lambda(-1, "total", "mean", 50), "lambda is -1")
  expect_refusal(convert_lambda(1, "mine", "mean", 50), 'from must be one of "total"')
  expect_refusal(convert_lambda(1, "total", "mean", 0), "n must be one whole number >= 1")
  expect_refusal(convert_lambda(1:2, "total", "glmnet", 5, 1:3), "sd_y must be one number or as many as lambda")
})

test_that("lambda_grid is the range of the search in as many steps as asked for", {
  p <- problem()
  fit <- freeridge(p$x, p$y, gaussian_kernel(2))
  grid <- lambda_grid(fit, 7)
  expect_equal(range(grid), range(fit$lambda_search$lambda))
  expect_equal(diff(log(grid)), rep(diff(log(range(grid))) / 6, 6L))
  expect_length(lambda_grid(fit), 100L)
  expect_refusal(lambda_grid(fit, 0), "count must be one whole number >= 1, not 0")
})

test_that("a given lambda is used also when the bandwidth is chosen", {
  p <- problem()
  fit <- freeridge(p$x, p$y, gaussian_kernel(), lambda = 2, lengths = "one")
  expect_identical(fit$lambda, 2)
  expect_null(fit$lambda_search)
  again <- freeridge(p$x, p$y, gaussian_kernel(fit$kernel$sigma), 2, scale = fit$scale)
  expect_close(fitted(fit), fitted(again), 1e-10)
})

test_that("groups without a criterion are what the choice is made by", {
  p <- problem()
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), groups = groups)
  expect_identical(fit$criterion, "groups")
  named <- freeridge(p$x, p$y, gaussian_kernel(2), groups = c("u", "v", "w")[groups], criterion = "groups")
  expect_identical(named$lambda, fit$lambda)
  left <- !is.na(groups)
  expect_close(mean(group_errors(fit, groups)[left]^2), fit$score, 1e-10)
})

test_that("the path uses the range of the core and names its outputs", {
  p <- problem(t = 2L)
  colnames(p$y) <- c("left", "right")
  fit <- freeridge(p$x, p$y, gaussian_kernel(2))
  path <- lambda_path(fit)
  expect_named(path, c("lambda", "output", "loo", "loo_se", "gcv", "reml", "training"))
  expect_identical(levels(path$output), c("left", "right"))
  expect_equal(nrow(path), 200L)
  expect_equal(range(path$lambda), range(fit$lambda_search$lambda))
})

test_that("a fit at one lambda gives the same path as one made for many", {
  p <- problem(30L, 2L)
  one <- freeridge(p$x, p$y, gaussian_kernel(2), 1)
  many <- freeridge(p$x, p$y, gaussian_kernel(2), 1, route = "spectral")
  expect_identical(one$route, "cholesky")
  expect_equal(lambda_path(one), lambda_path(many), tolerance = 1e-12)
  expect_equal(lambda_path(freeridge(p$x, p$y, gaussian_kernel(2), 1, route = "cholesky"), c(0.1, 10)),
               lambda_path(many, c(0.1, 10)), tolerance = 1e-9)
})

test_that("blocks with gaps: errors are those of refits without the block and its gap", {
  made <- make_blocks(20, 5, gap = c(1, 2))
  expect_identical(made$group, rep(1:5, each = 4L))
  expect_identical(which(made$gap == 2L, arr.ind = TRUE)[, "row"], c(4L, 9L, 10L))
  expect_null(make_blocks(20, 5)$gap)
  expect_identical(unique(c(make_blocks(20, 4, gap = c(0, Inf))$gap)), c(NA, 1L, 2L, 3L))  # each block from its past
  expect_refusal(make_blocks(20, 5, gap = -1), "gap must be one or two whole numbers")
  expect_refusal(make_blocks(20, 5, gap = 1:3), "gap must be one or two whole numbers")

  p <- problem()
  kernel <- gaussian_kernel(2)
  expected <- rep(NaN, 20L)
  for (label in 1:5) {
    out <- made$group == label | rowSums(made$gap == label, na.rm = TRUE) > 0
    refit <- freeridge(p$x[!out, ], p$y[!out], kernel, 0.5, weights = p$weights[!out])
    own <- made$group == label
    expected[own] <- p$y[own] - predict(refit, p$x[own, ])
  }
  labels <- letters[made$group]
  gap <- array(letters[made$gap], dim(made$gap))
  fit <- freeridge(p$x, p$y, kernel, 0.5, weights = p$weights, groups = labels, gap = gap)
  expect_close(group_errors(fit, labels, gap = gap), expected, 1e-10)
  score <- sum(p$weights * expected^2) / sum(p$weights)
  expect_close(lambda_path(fit, 0.5, "groups")$groups, score, 1e-10)

  both <- group_errors(fit, cbind(made$group, rep_len(1:3, 20L)), gap = cbind(made$gap, NA))
  expect_close(both[, 1L], expected, 1e-10)
  expect_close(both[, 2L], group_errors(fit, rep_len(1:3, 20L)), 1e-10)

  data <- data.frame(y = p$y, p$x, w = p$weights)
  data$y[3L] <- NA
  whole <- freeridge(y ~ . - w, data, weights = w, groups = labels, gap = gap, kernel = kernel, lambda = 0.5, scale = FALSE)
  fewer <- freeridge(p$x[-3L, ], p$y[-3L], kernel, 0.5, weights = p$weights[-3L], groups = labels[-3L], gap = gap[-3L, ],
                     scale = FALSE)
  expect_close(lambda_path(whole, 0.5, "groups")$groups, lambda_path(fewer, 0.5, "groups")$groups, 1e-10)

  expect_refusal(freeridge(p$x, p$y, kernel, 0.5, gap = labels), "gap is given, but there are no groups")
  expect_refusal(freeridge(p$x, p$y, kernel, 0.5, groups = labels, gap = labels[-1L]), "gap must be labels")
})

test_that("NA in a matrix response: each output is that of the rows in which it is observed", {
  p <- problem(24L, 2L, 3L)
  y <- p$y
  y[c(2L, 7L, 11L), 1L] <- NA
  y[5:9, 3L] <- NA
  colnames(y) <- c("a", "b", "c")
  for (weights in list(NULL, p$weights)) {
    fit <- freeridge(p$x, y, gaussian_kernel(2), weights = weights, criterion = "loo", scale = FALSE)
    expect_silent(errors <- loo(fit))
    for (j in 1:3) {
      seen <- !is.na(y[, j])
      one <- freeridge(p$x[seen, ], p$y[seen, j], gaussian_kernel(2), fit$lambda[[j]], weights = weights[seen], scale = FALSE)
      expect_close(errors[seen, j], loo(one), 1e-10)
      expect_true(all(is.nan(errors[!seen, j])))
      expect_close(fitted(fit)[, j], predict(one, p$x), 1e-10)
      expect_close(predict(fit, p$new)[, j], predict(one, p$new), 1e-10)
      expect_close(summary(fit)$outputs$loo_rmse[j], summary(one)$outputs$loo_rmse, 1e-10)
      expect_close(glance.freeridge(fit)$r.squared[j], glance.freeridge(one)$r.squared, 1e-10)
    }
    expect_identical(is.na(residuals(fit)), is.na(y))
  }
  # what counts the rows of an output, the mixed model of each, and coefficients with their errors
  z <- cbind(z = sin(1:24))
  answers <- function(fit, j) {
    of <- function(values) unname(as.matrix(values)[, j])
    own <- function(table) nrow(table) / ncol(fit$y) * (j - 1L) + seq_len(nrow(table) / ncol(fit$y))
    covariance <- vcov(fit)
    ends <- confint(fit)
    new_z <- if (!is.null(fit$fixed)) list(fixed = z[seq_len(nrow(p$new)), , drop = FALSE])
    se <- do.call(predict, c(list(fit, p$new, se.fit = TRUE), new_z))
    path <- lambda_path(fit, c(0.1, 1), c("loo", "training", "norm2", "objective"))
    effects <- if (is.null(fit$fixed)) marginal_effects(fit)$average
    if (ncol(fit$y) > 1L) {
      path <- path[path$output == fit$outputs[j], ]
      effects <- effects[effects$output == fit$outputs[j], ]
    }
    seen <- !is.na(fit$y[, j])
    components <- suppressWarnings(variance_components(fit))
    c(list(summary(fit)$outputs[j, ], glance.freeridge(fit)[j, c("logLik", "BIC", "nobs")],
           components[own(components), ]),
      as.list(path[c("loo", "training", "norm2", "objective")]), list(effects$estimate, effects$se),
      list(df.residual(fit)[j], deviance(fit)[j], ends[own(ends), ], covariance[own(covariance), own(covariance)],
           of(rstandard(fit))[seen], of(cooks.distance(fit))[seen], of(se$se.fit), se$df[j],
           if (is.null(fit$weights)) lambda_as(fit, "mean")[j]))
  }
  for (case in list(list(linear_kernel(), NULL), list(linear_kernel(), z), list(gaussian_kernel(2), z))) {
    weights <- if (is.null(case[[2L]])) NULL else p$weights
    fit <- freeridge(p$x, y, case[[1L]], c(0.2, 1, 3), fixed = case[[2L]], weights = weights, scale = FALSE)
    for (j in 1:3) {
      seen <- !is.na(y[, j])
      one <- freeridge(p$x[seen, ], y[seen, j, drop = FALSE], case[[1L]], c(0.2, 1, 3)[j], weights = weights[seen],
                       fixed = case[[2L]][seen, , drop = FALSE], scale = FALSE)
      expect_close(unlist(answers(fit, j)), unlist(answers(one, 1L)), 1e-8)
    }
    expect_true(all(is.na(vcov(fit)[1L, nrow(vcov(fit))])))
    expect_output(print(summary(fit)), "errors")
  }
  # a kernel that is learnt: that of the observed rows where one set of rows is observed
  part <- y[, c(1L, 1L)]
  seen <- !is.na(part[, 1L])
  learnt <- freeridge(p$x, part, scale = FALSE)
  expect_identical(learnt$outputs, c("a", "a.1"))
  expect_identical(freeridge(p$x, cbind(a = y[, 1L], y[, 2L]), gaussian_kernel(2), 1)$outputs, c("a", "y2"))
  alone <- freeridge(p$x[seen, ], part[seen, ], scale = FALSE)
  expect_identical(learnt$lengths, "each")
  expect_close(fitted(learnt)[seen, ], fitted(alone), 1e-3)
  expect_output(print(freeridge(p$x, y, learn_rows = 20)), "left-out")
  expect_identical(freeridge(p$x, cbind(y, replace(p$y[, 1L], 1L, NA)))$lengths, "one")  # four sets of rows
  expect_refusal(freeridge(p$x, replace(y, 2L, Inf), gaussian_kernel(2), 1), "y")
  expect_refusal(freeridge(p$x, replace(p$y[, 1L], 2L, NA), gaussian_kernel(2), 1), "y")  # a vector: see na.action
  data <- data.frame(p$x)
  whole <- freeridge(y ~ X1 + X2, data, kernel = gaussian_kernel(2), lambda = 1, na.action = na.pass, scale = FALSE)
  expect_close(fitted(whole), fitted(freeridge(p$x, y, gaussian_kernel(2), 1, scale = FALSE)), 1e-12)
})

test_that("equal rows have one group, and the summary says where copies flatter", {
  x <- data.frame(a = c(1, 2, 1, 0, 2), b = c("u", "v", "u", "u", "w"), stringsAsFactors = TRUE)
  expect_identical(make_groups(x), c(1L, 2L, 1L, 3L, 4L))
  expect_identical(make_groups(as.matrix(x["a"])), c(1L, 2L, 1L, 3L, 2L))
  expect_identical(make_groups(c(NA, 0, NA, -0)), c(1L, 2L, 1L, 2L))
  expect_refusal(make_groups(list(1)), "x must be a matrix, a data frame or a vector")
  set.seed(3)
  d <- data.frame(a = rnorm(40), b = rnorm(40))
  d$y <- sin(d$a) + 0.3 * rnorm(40)
  words <- "2 rows have the predictors and the response of another row"
  said <- function(fit) any(grepl(words, capture.output(print(summary(fit))), fixed = TRUE))
  copied <- d[c(1:40, 3, 3), ]
  expect_false(said(freeridge(y ~ a + b, d, kernel = gaussian_kernel(1))))
  expect_true(said(freeridge(y ~ a + b, copied, kernel = gaussian_kernel(1))))
  by_groups <- freeridge(y ~ a + b, copied, kernel = gaussian_kernel(1), groups = make_groups(copied[c("a", "b")]))
  expect_false(said(by_groups))
  # Left out together, the rows 3, 41 and 42 have the error of a fit without them.
  without <- freeridge(y ~ a + b, copied[-c(3, 41, 42), ], kernel = gaussian_kernel(1), lambda = by_groups$lambda)
  errors <- group_errors(by_groups, make_groups(copied[c("a", "b")]))
  expect_equal(as.vector(errors)[3], copied$y[3] - as.vector(predict(without, copied[3, ])), tolerance = 1e-8)
  # Copies change no noise: the standard deviation of the errors is about .3 with and without them.
  learnt <- freeridge(y ~ a + b, d[c(1:40, 1:20), ])
  expect_gt(sigma(learnt), 0.2)
})
