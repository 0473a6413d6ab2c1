# importance() against refits without each row, or each group of rows.

# The errors y_i - f_(-S)(z_i), S the group of row i, of fits made again without S; z: the points that take the place of x.
errors_of_refits <- function(p, kernel, lambda, z = p$x, x = p$x, group = seq_along(p$y), weights = NULL, ...) {
  vapply(seq_along(p$y), function(i) {
    if (is.na(group[i])) return(NaN)
    kept <- is.na(group) | group != group[i]
    fit <- freeridge(x[kept, , drop = FALSE], p$y[kept], kernel, lambda, weights = weights[kept], ...)
    p$y[i] - predict(fit, z[i, , drop = FALSE])
  }, 0)
}

drawn_orders <- function(n, count, seed) {
  set.seed(seed)
  lapply(seq_len(count), function(k) sample.int(n))
}

expect_importance <- function(found, name, without, base, weights = rep(1, length(base)), cluster = seq_along(base)) {
  d <- without - base^2
  known <- is.finite(d)
  mean <- weighted.mean(d[known], weights[known])
  parts <- tapply(weights[known] * (d[known] - mean), cluster[known], sum)
  row <- found$table[found$table$variable == name, ]
  expect_close(row$increase, mean, 1e-8)
  expect_close(row$se, sqrt(sum(parts^2) * length(parts) / (length(parts) - 1)) / sum(weights[known]), 1e-8)
  expect_close(row$rmse, sqrt(weighted.mean(without[known], weights[known])), 1e-8)
  expect_close(found$rmse, sqrt(weighted.mean(base[known]^2, weights[known])), 1e-9)
}

test_that("they are those of refits without each row, or group", {
  p <- problem(24L)
  colnames(p$x) <- c("a", "b", "c")
  some <- replace(rep(1:6, 4), c(2L, 9L), NA)
  kernels <- list(linear_kernel(), gaussian_kernel(2), scaled_kernel(matern_kernel(2.5, 1) + 0.5 * additive_kernel(matern_kernel(1.5, 1)), 1:3),
                  2 * linear_kernel() + gaussian_kernel(3) * polynomial_kernel(2, 0.3, 1))
  for (kernel in kernels) for (weights in list(NULL, p$weights)) for (group in list(NULL, some)) {
    fit <- freeridge(p$x, p$y, kernel, 0.3, weights = weights, groups = group)
    labels <- if (is.null(group)) seq_len(24L) else group
    cluster <- labels
    w <- if (is.null(weights)) rep(1, 24L) else weights
    base <- errors_of_refits(p, kernel, 0.3, group = labels, weights = weights)
    permuted <- importance(fit, permutations = 3, seed = 5)
    dropped <- importance(fit, "drop")
    for (k in 1:3) {
      without <- rowMeans(vapply(drawn_orders(24L, 3L, 5), function(order) {
        z <- p$x
        z[, k] <- z[order, k]
        errors_of_refits(p, kernel, 0.3, z, group = labels, weights = weights)^2
      }, numeric(24L)))
      expect_importance(permuted, colnames(p$x)[k], without, base, w, cluster)
      x <- p$x
      x[, k] <- 0
      expect_importance(dropped, colnames(p$x)[k], errors_of_refits(p, kernel, 0.3, x, x, labels, weights)^2, base, w, cluster)
    }
    expect_false(is.unsorted(-permuted$table$increase))
    expect_identical(permuted, importance(fit, permutations = 3, seed = 5))
    if (!is.null(group)) expect_equal(importance(freeridge(p$x, p$y, kernel, 0.3, weights = weights), "drop", group = some)$table, dropped$table)
  }
  # without the columns: as if they had never been there
  without_b <- freeridge(p$x[, c("a", "c")], p$y, gaussian_kernel(2), 0.3)
  own <- importance(freeridge(p$x, p$y, gaussian_kernel(2), 0.3), "drop")
  expect_equal(own$table$rmse[own$table$variable == "b"], sqrt(mean(loo(without_b)^2)), tolerance = 1e-9)
  additive <- additive_kernel(gaussian_kernel(2))
  own <- importance(freeridge(p$x, p$y, additive, 0.3), "drop")
  rest <- freeridge(p$x[, c("a", "c")], p$y, additive_kernel(gaussian_kernel(2)), 0.3 * 3 / 2)  # the mean over two terms
  expect_equal(own$table$rmse[own$table$variable == "b"], sqrt(mean(loo(rest)^2)), tolerance = 1e-8)
})

test_that("factors, terms, unpenalised columns, offsets, rows of weight zero, outputs", {
  cars <- mtcars
  cars$gear <- factor(cars$gear)
  cars$w <- replace(seq(0.5, 2, length.out = 32L), c(3L, 20L), 0)
  fit <- freeridge(mpg ~ wt * gear + poly(hp, 2) + unpenalised(qsec) + offset(am), cars, weights = w, kernel = linear_kernel(), lambda = 2)
  found <- importance(fit, permutations = 1, seed = 3)
  dropped <- importance(fit, "drop")
  expect_setequal(found$table$variable, c("wt", "gear", "poly(hp, 2)", "qsec"))
  kept <- cars[-c(3L, 20L), ]
  at <- variable_rows(fit)
  for (variable in at$variables) {
    expect_equal(at$put(list(variable), list(variable$values), 1:30), list(x = fit$x, fixed = fit$fixed), ignore_attr = TRUE)
  }
  set.seed(3)
  order <- sample.int(30L)
  # qsec and gear by hand, through the data frame
  for (name in c("gear", "qsec", "wt")) {
    permuted <- kept
    permuted[[name]] <- permuted[[name]][order]
    errors <- vapply(1:30, function(i) {
      refit <- freeridge(fit$x[-i, ], (kept$mpg - kept$am)[-i], linear_kernel(), 2, weights = kept$w[-i], fixed = fit$fixed[-i, , drop = FALSE])
      at <- new_design(fit, permuted[i, ])
      kept$mpg[i] - kept$am[i] - predict(refit, matrix(at[1L, ], 1L, dimnames = list(NULL, colnames(at))), fixed = attr(at, "fixed"))
    }, 0)
    row <- found$table[found$table$variable == name, ]
    expect_close(row$rmse, sqrt(weighted.mean(errors^2, kept$w)), 1e-8)
  }
  without <- freeridge(mpg ~ wt + poly(hp, 2) + unpenalised(qsec) + offset(am), cars, weights = w, kernel = linear_kernel(), lambda = 2)
  row <- dropped$table[dropped$table$variable == "gear", ]
  expect_close(row$rmse, sqrt(weighted.mean(loo(without)^2, cars$w)), 1e-8)
  without <- freeridge(mpg ~ wt * gear + poly(hp, 2) + offset(am), cars, weights = w, kernel = linear_kernel(), lambda = 2)
  expect_close(dropped$table$rmse[dropped$table$variable == "qsec"], sqrt(weighted.mean(loo(without)^2, cars$w)), 1e-8)
  # a data frame with a factor, and columns beside a matrix
  frame <- freeridge(cars[c("wt", "gear")], cars$mpg, gaussian_kernel(2), 1)
  expect_setequal(importance(frame)$table$variable, c("wt", "gear"))
  beside <- freeridge(as.matrix(mtcars[c("wt", "hp")]), mtcars$mpg, gaussian_kernel(100), 1, fixed = cbind(q = mtcars$qsec))
  expect_setequal(importance(beside, "drop")$table$variable, c("wt", "hp", "q"))
  p <- problem(20L, t = 2L)
  p$y[3L, 2L] <- NA
  both <- importance(freeridge(p$x, p$y, gaussian_kernel(2), c(0.2, 3)), permutations = 2)
  second <- importance(freeridge(p$x[-3L, ], p$y[-3L, 2L], gaussian_kernel(2), 3), "drop")
  own <- importance(freeridge(p$x, p$y, gaussian_kernel(2), c(0.2, 3)), "drop")$table
  expect_close(own$increase[own$output == "y2"], second$table$increase, 1e-8)
  expect_named(both$rmse, c("y1", "y2"))
  by_function <- freeridge(p$x, p$y[, 1L], function(x, z) exp(-sum((x - z)^2) / 4), 0.3)
  plain <- freeridge(p$x, p$y[, 1L], gaussian_kernel(2), 0.3)
  for (type in importance_types) expect_equal(importance(by_function, type)$table, importance(plain, type)$table, tolerance = 1e-8)
  if (requireNamespace("Matrix", quietly = TRUE)) {
    sparse <- freeridge(Matrix::Matrix(p$x, sparse = TRUE), p$y[, 1L], gaussian_kernel(2), 0.3)
    for (type in importance_types) expect_equal(importance(sparse, type)$table, importance(plain, type)$table, tolerance = 1e-8)
  }
  expect_equal(importance(plain, lambda = 5)$table, importance(freeridge(p$x, p$y[, 1L], gaussian_kernel(2), 5))$table)
})

test_that("a variable without a part has none, and the random numbers of R stay as they are", {
  set.seed(2)
  x <- matrix(stats::rnorm(600L), 200L, dimnames = list(NULL, c("much", "little", "nothing")))
  y <- 3 * x[, 1L] + 0.5 * x[, 2L] + 0.3 * stats::rnorm(200L)
  before <- .Random.seed
  fit <- freeridge(x, y)
  for (type in importance_types) {
    table <- importance(fit, type)$table
    expect_identical(table$variable, colnames(x))
    expect_gt(table$increase[2L], 3 * table$se[2L])
    expect_lt(abs(table$increase[3L]), 3 * table$se[3L] + 1e-3)
  }
  expect_identical(.Random.seed, before)
  # permuting an independent variable adds twice its variance times its slope squared
  expect_equal(importance(fit, permutations = 50)$table$increase[1L], 2 * 9 * var(x[, 1L]), tolerance = 0.05)
})

test_that("importance is printed in order with bars, and drawn", {
  fit <- freeridge(mpg ~ wt + hp + qsec, mtcars, kernel = linear_kernel())
  found <- importance(fit)
  text <- capture.output(print(found))
  expect_match(gsub(" +", " ", paste(text, collapse = " ")), "with the variable permuted (mean of 5 permutations)", fixed = TRUE)
  bars <- nchar(gsub("[^#]", "", text[match(found$table$variable, sub(" .*", "", text))]))
  expect_identical(bars[1L], 20L)
  expect_equal(bars, round(20 * pmax(found$table$increase, 0) / found$table$increase[1L]))
  expect_output(print(importance(fit, "drop", group = mtcars$cyl)), "without the variable, groups of rows left out together")
  flowers <- importance(freeridge(Species ~ ., iris, lambda = 1))
  expect_output(print(flowers), "of output versicolor with all variables")
  file <- tempfile(fileext = ".png")
  grDevices::png(file, 480, 400)
  shown <- withVisible(plot(found))
  plot(flowers, output = "virginica")
  grDevices::dev.off()
  expect_false(shown$visible)
  expect_equal(shown$value$upper - shown$value$lower, 4 * found$table$se)
  expect_gt(file.size(file), 2000)
  unlink(file)
  expect_refusal(plot(flowers, output = 4), "output must be the number or the name of one of the 3 outputs")
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(found), "ggplot")
  expect_refusal(autoplot.freeridge_importance(found, foo = 1), "unknown argument: 'foo'")
})

test_that("what has no importance is refused", {
  p <- problem()
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), 1)
  expect_refusal(importance(fit, "shap"), 'type must be one of "permutation", "drop", not "shap"')
  expect_refusal(importance(fit, permutations = 0), "permutations must be one whole number >= 1")
  expect_refusal(importance(fit, seed = -1), "seed must be one whole number >= 0")
  expect_refusal(importance(fit, foo = 1), "unknown argument: 'foo'")
  expect_refusal(importance(fit, lambda = -1), "lambda is -1")
  expect_refusal(importance(fit, group = 1:3), "group must be 20 labels")
  expect_refusal(importance(fit, group = cbind(1:20, 1:20)), "group must be one label for each row")
  expect_refusal(importance(freeridge(mpg ~ 1, mtcars)), "the fit has no predictors")
  expect_refusal(importance(freeridge(diag(5) + 1, 1:5, precomputed_kernel(), 1)), "the kernel is precomputed: there are no variables")
  two <- freeridge(p$x, p$y, gaussian_kernel(2), groups = cbind(rep(1:2, 10), rep(1:4, 5)))
  expect_refusal(importance(two), "the fit has 2 divisions of the rows into groups")
  gaps <- freeridge(p$x, p$y, gaussian_kernel(2), groups = rep(1:4, each = 5), gap = c(rep(NA, 5), 1, rep(NA, 14)))
  expect_refusal(importance(gaps), "the fit has gaps beside its groups")
  expect_s3_class(importance(gaps, group = rep(1:4, each = 5)), "freeridge_importance")
  expect_refusal(importance(3), "importance\\(\\) takes a fit of freeridge\\(\\)")
})
