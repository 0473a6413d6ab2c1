# A sparse x gives what the same x as an ordinary matrix gives, without becoming one.

skip_if_not_installed("Matrix")

sparse_problem <- function(n = 120L, d = 15L, t = 1L) {
  set.seed(2)
  x <- Matrix::rsparsematrix(n, d, 0.15)
  dimnames(x) <- list(NULL, paste0("v", seq_len(d)))
  y <- as.matrix(x %*% matrix(stats::rnorm(d * t), d)) + stats::rnorm(n * t) + 3
  list(x = x, y = if (t == 1L) y[, 1L] else unname(y), weights = stats::runif(n, 0.5, 2),
       new = Matrix::rsparsematrix(8L, d, 0.3))
}

test_that("a factorization that Matrix keeps in x is not looked at, and rows of weight zero do not count", {
  p <- sparse_problem()
  cached <- p$x
  cached@factors <- list(sparseLU = "anything")
  weights <- replace(p$weights, c(1, 120), 0)
  fit <- freeridge(cached, p$y, linear_kernel(), 1, scale = TRUE, weights = weights)
  dense <- freeridge(as.matrix(p$x), p$y, linear_kernel(), 1, scale = TRUE, weights = weights)
  expect_close(loo(fit), loo(dense), 1e-10)
  expect_close(fit$scale, dense$scale, 1e-13)
})

test_that("every answer is that of the dense matrix", {
  answers <- list(coef, fitted, residuals, loo, hatvalues, cooks.distance, sigma, df.residual,
                  function(fit) predict(fit, if (is_sparse(fit$x)) p$new else as.matrix(p$new)),
                  function(fit) predict(fit, as.matrix(p$new), lambda = 3),
                  function(fit) loo(fit, lambda = 0.01), function(fit) coef(fit, lambda = 0))
  for (kernel in list(linear_kernel(), 2 * linear_kernel() + scaled_kernel(linear_kernel(), 1:15))) for (i in 1:4) {
    # each pair of the numbers of outputs, intercepts, weights and scales
    t <- c(1L, 2L, 2L, 1L)[i]
    p <- sparse_problem(t = t)
    make <- function(x) {
      freeridge(x, p$y, kernel, c(0.7, 20)[seq_len(t)], intercept = i > 2L, weights = if (i %in% c(2L, 4L)) p$weights,
                scale = i %in% c(1L, 4L))
    }
    sparse <- make(p$x)
    dense <- make(as.matrix(p$x))
    expect_s4_class(sparse$x, "dgCMatrix")
    expect_equal(sparse$scale, dense$scale, tolerance = 1e-13)
    for (answer in answers) {
      expect_close(answer(sparse), answer(dense), 1e-10)
      expect_identical(dimnames(answer(sparse)), dimnames(answer(dense)))
      expect_identical(names(answer(sparse)), names(answer(dense)))
    }
    grid <- lambda_grid(dense)
    expect_close(lambda_grid(sparse), grid, 1e-10)
    path <- lambda_path(sparse, grid, c("loo", "gcv", "reml"))
    expected <- lambda_path(dense, grid, c("loo", "gcv", "reml"))
    expect_identical(names(path), names(expected))
    for (name in setdiff(names(path), "output")) expect_close(path[[name]], expected[[name]], 1e-10)
  }
})

test_that("squares that overflow are refused, those near are not NaN", {
  p <- sparse_problem()
  expect_refusal(freeridge(p$x * 1e152, p$y, linear_kernel(), 1), "the squares of x overflow; rescale x")
  near <- freeridge(p$x * 1e148, p$y, linear_kernel(), 1)
  expect_true(all(is.finite(c(coef(near), loo(near)))))
  expect_close(fitted(near), fitted(lm(p$y ~ as.matrix(p$x))), 1e-9)
})

test_that("the search finds the same lambda", {
  p <- sparse_problem(t = 2L)
  for (criterion in c("loo", "gcv", "reml")) {
    sparse <- freeridge(p$x, p$y, linear_kernel(), criterion = criterion)
    dense <- freeridge(as.matrix(p$x), p$y, linear_kernel(), criterion = criterion)
    expect_close(sparse$lambda, dense$lambda, 1e-6)
    expect_close(sparse$score, dense$score, 1e-12)
    expect_close(sparse$decades, dense$decades, 1e-2)  # linear between the lambdas tried, which are not all the same
    expect_identical(sparse$dips, dense$dips)
    expect_identical(sparse$edge, dense$edge)
    expect_identical(names(sparse), names(dense))
  }
  inside <- freeridge(p$x, p$y[, 1L], linear_kernel(), lambda_range = c(100, 1000))
  expect_identical(inside$edge, -1L)
  expect_output(print(inside), "route: primal")
  expect_output(print(summary(inside)), "the choice is at the (low|high) end of the range")
  expect_output(print(explain(inside)), "sparse, [0-9]+ entries")
})

test_that("classes, and their error rate", {
  p <- sparse_problem()
  label <- factor(c("a", "b", "c")[cut(p$y, stats::quantile(p$y, 0:3 / 3), include.lowest = TRUE)])
  for (y in list(label, label == "a")) {
    sparse <- freeridge(p$x, y, linear_kernel(), 2)
    dense <- freeridge(as.matrix(p$x), y, linear_kernel(), 2)
    expect_close(predict(sparse, type = "probability"), predict(dense, type = "probability"), 1e-9)
    expect_identical(predict(sparse, p$x, type = "class"), predict(dense, as.matrix(p$x), type = "class"))
    grid <- lambda_grid(dense)
    expect_close(as.matrix(lambda_path(sparse, grid, "error_rate")[c("error_rate", "error_rate_se")]),
                 as.matrix(lambda_path(dense, grid, "error_rate")[c("error_rate", "error_rate_se")]), 1e-10)
    by_rate <- freeridge(p$x, y, linear_kernel(), criterion = "error_rate")
    expect_close(by_rate$score, freeridge(as.matrix(p$x), y, linear_kernel(), criterion = "error_rate")$score, 1e-12)
  }
  expect_refusal(lambda_path(freeridge(p$x, p$y, linear_kernel(), 2), 1, "error_rate"), "each row must be -1 or \\+1")
})

test_that("constant columns, none, and a point that is alone in its column", {
  set.seed(3)
  wide <- Matrix::rsparsematrix(20L, 60L, 0.2)
  y <- stats::rnorm(20L)
  constant <- cbind(wide[, 1:3], Matrix::Matrix(1, 20L, 1L, sparse = TRUE))
  expect_close(freeridge(constant, y, linear_kernel(), 1, scale = TRUE)$scale,
               freeridge(as.matrix(constant), y, linear_kernel(), 1, scale = TRUE)$scale, 1e-13)
  none <- Matrix::sparseMatrix(i = integer(), j = integer(), x = numeric(), dims = c(20L, 2L))
  for (lambda in list(NULL, 0, 2)) expect_close(fitted(freeridge(none, y, linear_kernel(), lambda)), rep(mean(y), 20L), 1e-14)
  ones <- none + 1e6
  expect_close(fitted(freeridge(methods::as(ones, "CsparseMatrix"), y, linear_kernel(), 0)), rep(mean(y), 20L), 1e-14)
  # a point that is alone in its column has a leverage of one at lambda = 0
  alone <- Matrix::sparseMatrix(i = c(1L, 2:20), j = c(1L, rep(2L, 19L)), x = c(1, stats::rnorm(19L)))
  expect_warning(errors <- loo(freeridge(alone, y, linear_kernel(), 0, intercept = FALSE)), "at row 1:",
                 class = "freeridge_undefined")
  expect_identical(which(is.nan(errors)), 1L)
})

test_that("kinds of sparse matrices, names and new data", {
  p <- sparse_problem()
  fit <- freeridge(p$x, p$y, linear_kernel(), 1)
  triplets <- methods::as(p$x, "TsparseMatrix")
  by_row <- methods::as(p$x, "RsparseMatrix")
  for (kind in list(triplets, by_row)) expect_close(coef(freeridge(kind, p$y, linear_kernel(), 1)), coef(fit), 1e-13)
  pattern <- p$x != 0
  expect_close(coef(freeridge(pattern, p$y, linear_kernel(), 1)),
               coef(freeridge(as.matrix(pattern) + 0, p$y, linear_kernel(), 1)), 1e-12)
  expect_identical(names(coef(fit)), c("(Intercept)", colnames(p$x)))
  expect_close(predict(fit, p$x[1:5, 15:1]), fitted(fit)[1:5], 1e-12)  # by name
  expect_refusal(predict(fit, p$x[, 1:14]), "newdata has no column 'v15'")
  file <- tempfile()
  saveRDS(fit, file)
  again <- readRDS(file)
  expect_identical(loo(again), loo(fit))
  expect_identical(fitted(again), fitted(fit))
})

test_that("other kernels, landmarks, groups, routes and intervals see tiles of rows", {
  p <- sparse_problem()
  groups <- rep(1:6, 20L)
  same <- function(...) {
    sparse <- freeridge(p$x, p$y, ...)
    dense <- freeridge(as.matrix(p$x), p$y, ...)
    for (answer in list(fitted, loo, function(fit) predict(fit, if (is_sparse(fit$x)) p$new else as.matrix(p$new)),
                        function(fit) group_errors(fit, groups))) {
      expect_close(answer(sparse), answer(dense), 1e-9)
    }
    for (interval in c("jackknife+", "gp")) {
      expect_close(predict(sparse, p$new, interval = interval),
                   predict(dense, as.matrix(p$new), interval = interval), 1e-9)
    }
    expect_close(predict(predictor(sparse), p$new), predict(predictor(dense), as.matrix(p$new)), 1e-9)
  }
  same(linear_kernel(), 1)
  same(linear_kernel(), groups = groups)
  same(gaussian_kernel(2), 1)
  same(polynomial_kernel(2), 1, scale = TRUE)
  same(gaussian_kernel(2), 1, landmarks = c(3, 20, 40, 70))
  expect_close(freeridge(p$x, p$y)$score, freeridge(as.matrix(p$x), p$y, lengths = "one")$score, 1e-6)
})

test_that("what a sparse x does not have is said", {
  p <- sparse_problem()
  fit <- freeridge(p$x, p$y, linear_kernel(), 1)
  expect_refusal(freeridge(p$x, p$y, function(x, z) sum(x * z), 1), "a kernel that is an R function is not to be had")
  expect_refusal(freeridge(p$x, p$y, linear_kernel(), 1, refine = 2), "iterative refinement is not to be had")
  square <- Matrix::crossprod(p$x)
  expect_refusal(freeridge(square, seq_len(nrow(square)), precomputed_kernel(), 1), "a precomputed kernel is not to be")
  expect_refusal(vcov(fit), "a covariance of the coefficients is not to be had")
  expect_refusal(marginal_effects(fit), "a marginal effect is not to be had")
  expect_refusal(predict(fit, type = "terms"), "a prediction by terms is not to be had")
  hole <- p$x
  hole@x[20L] <- NA
  column <- findInterval(19, hole@p)
  expect_refusal(freeridge(hole, p$y, linear_kernel()), sprintf('x\\[%d, "v%d"\\] is NA', hole@i[20L] + 1L, column))
  expect_refusal(freeridge(p$x, replace(p$y, 4L, Inf), linear_kernel()), "y\\[4\\] is Inf")
  expect_refusal(freeridge(p$x[0, ], numeric(0), linear_kernel()), "x has no rows")
  expect_refusal(freeridge(p$x[, 0], p$y, linear_kernel()), "x has no columns")
  broken <- p$x
  broken@i[1:2] <- broken@i[2:1]
  expect_refusal(freeridge(broken, p$y, linear_kernel(), 1), "must ascend", "freeridge_invalid_argument")
  broken <- p$x
  broken@p[ncol(broken) + 1L] <- 3L
  expect_refusal(freeridge(broken, p$y, linear_kernel(), 1), "not a valid dgCMatrix")
})

test_that("memory stays below three times x and one d x d matrix", {
  skip_on_os(c("windows", "mac", "solaris"))  # it is read from /proc
  output <- run_script(c(
    "library(Matrix)",
    "peak <- function() {",
    "  line <- grep('^VmHWM', readLines('/proc/self/status'), value = TRUE)",
    "  as.numeric(gsub('[^0-9]', '', line)) / 1024",
    "}",
    "set.seed(1)",
    "n <- 20000; d <- 2000",
    "x <- rsparsematrix(n, d, 0.005)",
    "y <- as.vector(x %*% rnorm(d)) + rnorm(n)",
    "answers <- function(x, y) {",
    "  fit <- freeridge(x, y, linear_kernel(), c(5))",
    "  list(loo(fit), predict(fit, x[1:100, ]), coef(fit), lambda_path(fit, c(1, 10), c('loo', 'gcv')))",
    "}",
    "warm <- answers(x[1:500, 1:20], y[1:500])",
    "invisible(gc())",
    "writeLines('5', '/proc/self/clear_refs')",
    "before <- peak()",
    "kept <- answers(x, y)",
    "cat(peak() - before, (3 * as.numeric(object.size(x)) + 8 * d^2) / 2^20)"
  ))
  grown <- as.numeric(strsplit(output[length(output)], " ")[[1L]])
  expect_length(grown, 2L)
  expect_gt(grown[1L], 8 * 2000^2 / 2^20 * 0.9)  # what is measured is there
  expect_lt(grown[1L], grown[2L])
})

test_that("the route \"iterative\" solves within its bound, estimates scores, and promises nothing about single points", {
  p <- sparse_problem(t = 2L)
  for (weights in list(NULL, p$weights)) {
    fit <- freeridge(p$x, p$y, linear_kernel(), route = "iterative", weights = weights)
    exact <- freeridge(as.matrix(p$x), p$y, linear_kernel(), lambda = fit$lambda, weights = weights)
    expect_identical(fit$route, "iterative")
    expect_true(all(fit$bound <= 1e-8))
    expect_close(coef(fit), coef(exact), 1e-6)
    expect_close(predict(fit, p$new), predict(exact, as.matrix(p$new)), 1e-6)
    for (j in 1:2) {
      path <- lambda_path(exact, fit$lambda[[j]], "loo")
      expect_close(fit$score[[j]], path$loo[path$output == fit$outputs[j]], 1e-3)
    }
    expect_output(print(fit), "estimated, standard error")
    expect_output(print(fit), "relative error of at most")
    table <- summary(fit)$outputs
    expect_close(table$loo_rmse^2, unname(fit$score), 1e-4)  # from solutions of that accuracy
    expect_close(table$df, summary(exact)$outputs$df, 1e-2)
    expect_output(print(summary(fit)), "(estimated, as df is)", fixed = TRUE)
    expect_error(loo(fit), "iterative")
    expect_error(hatvalues(fit), "iterative")
  }
  again <- unserialize(serialize(fit, NULL))
  expect_identical(predict(again, p$new), predict(fit, p$new))
  expect_refusal(freeridge(p$x, p$y, linear_kernel(), 1, accuracy = 0), "accuracy must be one number above 0")
  expect_error(freeridge(p$x, p$y, linear_kernel(), 0, route = "iterative"), "iterative")
})

test_that("the route \"iterative\" with a kernel: estimates beside the exact criteria, bars in the pictures", {
  set.seed(8)
  x <- matrix(stats::rnorm(600), 300L)
  y <- sin(x[, 1L]) + stats::rnorm(300L) / 5
  fit <- freeridge(x, y, gaussian_kernel(1.5), route = "iterative")
  exact <- freeridge(x, y, gaussian_kernel(1.5), lambda = fit$lambda)
  expect_identical(fit$route, "iterative")
  expect_lte(fit$bound, 1e-8)
  expect_close(predict(fit, x), predict(exact, x), 1e-6)
  path <- lambda_path(fit, fit$lambda * c(0.1, 1, 10))
  expect_named(path, c("lambda", "loo", "loo_estimate_se", "gcv", "gcv_estimate_se", "training"))
  true <- lambda_path(exact, path$lambda, c("loo", "gcv"))
  for (criterion in c("loo", "gcv")) {
    errors <- path[[paste0(criterion, "_estimate_se")]]
    expect_true(all(abs(path[[criterion]] - true[[criterion]]) <= 5 * errors + 1e-4 * true$loo))
  }
  expect_setequal(lambda_path(fit)$lambda, fit$lambda_search$lambda)
  given <- freeridge(x, y, gaussian_kernel(1.5), 1, route = "iterative")
  expect_equal(range(lambda_path(given)$lambda), c(0.01, 100))
  expect_refusal(lambda_path(fit, 1, "reml"), 'criteria must be one of "loo", "gcv", "training"')
  expect_refusal(freeridge(x, y, gaussian_kernel(1), route = "iterative", criterion = "reml"),
                 "criterion must be one of them, not \"reml\"")
  learnt <- freeridge(y ~ ., data.frame(y, x), route = "iterative")  # lengths by leave-one-out errors, as REML is not estimated
  expect_identical(learnt$criterion, "loo")
  again <- update(learnt, kernel = learnt$kernel, scale = learnt$scale, lambda = learnt$lambda, route = "spectral")
  expect_close(predict(learnt, data.frame(x)), predict(again, data.frame(x)), 1e-6)
  plot(fit)
  skip_if_not_installed("ggplot2")
  bars <- ggplot2::layer_data(ggplot2::autoplot(given), 2L)
  expect_equal(10^sort(unique(bars$x)), lambda_path(given)$lambda)
  expect_true(all(bars$ymin < bars$ymax))
})
