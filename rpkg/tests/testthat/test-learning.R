# Kernels that learn: a length for each column, and all numbers of a kernel.

relevant <- function(n = 60L, seed = 1) {
  set.seed(seed)
  x <- matrix(stats::rnorm(3L * n), n, dimnames = list(NULL, c("a", "b", "c")))
  list(x = x, y = sin(2 * x[, "a"]) + 0.3 * x[, "b"] + stats::rnorm(n, sd = 0.05))
}

test_that("a length for each column is learnt", {
  p <- relevant()
  for (kernel in list(gaussian_kernel(), matern_kernel(2.5), matern_kernel())) {
    fit <- freeridge(p$x, p$y, kernel)
    expect_identical(fit$criterion, "reml")
    lengths <- fit$kernel$scale
    expect_identical(fit$kernel, scaled_kernel(fit$kernel$inner, lengths))
    table <- relevance(fit)
    expect_identical(table$column[1L], "a")
    expect_equal(table$length, sort(lengths))
    expect_equal(table$relevance, table$length[1L] / table$length)
    expect_identical(fit$learning$learnt, 3)
    # the fit is the one of a kernel that is given
    again <- freeridge(p$x, p$y, fit$kernel, fit$lambda, scale = fit$scale)
    expect_close(fitted(fit), fitted(again), 1e-10)
    expect_close(predict(fit, p$x[1:5, ]), predict(again, p$x[1:5, ]), 1e-10)
  }
  expect_output(print(fit), "3 numbers of it learnt by REML on 60 rows")
  expect_output(print(fit), "most relevant first .*\n    a #+ +[0-9.]+\n    b #* +[0-9.]+\n    c #* +[0-9.]+")
  expect_output(print(summary(fit)), "Left-out error: .*kernel and lambda chosen again without the row's fold")
  expect_named(hyperparameters(fit), c(paste0("scaled.scale[", 0:2, "]"), "scaled.matern.length"))
})

test_that("columns of one factor, and of one band, have one length", {
  fit <- freeridge(Sepal.Length ~ ., iris)
  species <- grepl("^Species", colnames(fit$x))
  expect_identical(length(unique(fit$kernel$scale[species])), 1L)
  expect_identical(fit$learning$learnt, 5)
  p <- relevant()
  fit <- freeridge(p$x, p$y, bands = c(c = "x", a = "y", b = "x"))
  expect_identical(fit$kernel$scale[2L], fit$kernel$scale[3L])
  expect_refusal(freeridge(p$x, p$y, bands = 1:2), "bands must be 3 labels, one for each column of x, none missing")
})

test_that("the default is a kernel of all columns and an additive one with the same lengths", {
  p <- relevant()
  given <- scaled_kernel(matern_kernel(1.5) + NA * additive_kernel(matern_kernel(1.5)))
  fit <- freeridge(p$x, p$y, smoothness = 1.5)
  expect_identical(fit$kernel, freeridge(p$x, p$y, given)$kernel)
  frame <- data.frame(p$x, y = p$y)
  expect_identical(freeridge(y ~ ., frame, smoothness = 1.5)$kernel, fit$kernel)
  expect_identical(freeridge(frame[1:3], p$y, smoothness = 1.5)$kernel, fit$kernel)
  expect_identical(freeridge(p$x, p$y, NULL, smoothness = 1.5)$kernel, fit$kernel)
  expect_identical(update(freeridge(p$x, p$y, matern_kernel()), kernel = NULL, smoothness = 1.5)$kernel, fit$kernel)
  expect_identical(fit$learning$learnt, 4)
  # a sum of functions of one column is nearly all additive, a product is not
  share <- function(y, x = p$x) additive_share(freeridge(x, y)$kernel)
  expect_gt(share(sin(2 * p$x[, 1L]) + cos(p$x[, 2L])), 0.9)
  expect_lt(share(sin(2 * p$x[, 1L]) * p$x[, 2L]), 0.5)
  expect_output(print(fit), "chosen by negative restricted log-likelihood, with a prior of the noise: ", fixed = TRUE)
  expect_output(print(freeridge(p$x, p$y, shrinkage = Inf)), "chosen by negative restricted log-likelihood: ", fixed = TRUE)
  both <- freeridge(len ~ ., ToothGrowth)
  w <- both$kernel$inner$weights
  expect_output(print(both), sprintf("  %.0f %% of the kernel is additive: a sum of functions of one column or factor each\n",
                                     100 * w[2L] / sum(w)), fixed = TRUE)
  # with factors: a term and a length for each
  frame <- data.frame(p$x, f = factor(rep(c("u", "v", "w"), 20L)), y = p$y)
  for (mixed in list(freeridge(y ~ ., frame), freeridge(frame[-5L], p$y))) {
    expect_identical(mixed$kernel$inner$terms[[2L]]$label, c(0L, 1L, 2L, 3L, 3L, 3L))
    expect_identical(mixed$learning$learnt, 5)
    expect_output(print(mixed), "a sum of functions of one column or factor each")
  }
})

test_that("the default is without the additive kernel where it is nothing new; many columns are bands of neighbours", {
  p <- relevant()
  alone <- function(x, ...) is.null(additive_share(freeridge(x, p$y, ...)$kernel))
  expect_true(alone(p$x[, 1L]))
  expect_true(alone(cbind(p$x[, 1L], 1, 2)))
  expect_true(alone(p$x, lengths = "one"))
  expect_true(alone(p$x, criterion = "gcv"))
  wide <- matrix(stats::rnorm(60L * 61L), 60L)
  terms <- function(x) freeridge(x, wide[, 1L] + wide[, 40L]^2, smoothness = 1.5)$kernel$inner$terms[[2L]]$label
  expect_null(terms(wide[, 1:30]))
  expect_identical(terms(wide[, 1:31]), rep(0:15, c(rep(2L, 15L), 1L)))
  expect_identical(terms(wide), rep(0:20, c(rep(3L, 20L), 1L)))
  expect_output(print(freeridge(wide, wide[, 1L] + wide[, 40L]^2)), "a sum of functions of one band of columns each")
  with_factor <- data.frame(f = factor(rep(letters[1:4], 15L)), wide[, 1:40])
  expect_identical(terms(with_factor), c(rep(0L, 5L), rep(1:20, c(rep(2L, 19L), 1L))))
  expect_true(alone(data.frame(f = factor(rep(letters[1:4], 15L)))))
  # a share is that of kernels whose value k(x, x) is one number
  expect_null(additive_share(linear_kernel() + additive_kernel(gaussian_kernel(1))))
  expect_null(additive_share(additive_kernel(gaussian_kernel(1)) + 2 * additive_kernel(matern_kernel(1.5, 1))))
  expect_identical(additive_share(gaussian_kernel(1) + 3 * additive_kernel(gaussian_kernel(1))), 0.75)
  expect_output(print(freeridge(p$x, p$y, matern_kernel(1.5, 1) + 1e-3 * additive_kernel(matern_kernel(1.5, 1)), learn = "all")),
                "  (less than 1|[0-9]+) % of the kernel is additive")
})

test_that("all numbers of a sum are learnt, and those that are superfluous are held", {
  p <- relevant()
  fit <- freeridge(p$x, p$y, gaussian_kernel() + 0.5 * linear_kernel(), learn = "all", scale = TRUE)
  numbers <- fit$learning$numbers
  expect_identical(numbers$name[numbers$free], c(paste0("sum[0].scaled.scale[", 0:2, "]"), "sum.weight[1]"))
  expect_identical(fit$kernel$weights[1L], 1)
  given <- freeridge(p$x, p$y, gaussian_kernel(2) * polynomial_kernel(2), learn = "all", lengths = "one")
  expect_identical(given$learning$numbers$name[given$learning$numbers$free],
                   c("product[0].gaussian.sigma", "product[1].polynomial.scale", "product[1].polynomial.offset"))
  both <- freeridge(p$x, p$y, gaussian_kernel() + matern_kernel(), lengths = "one")
  expect_identical(both$learning$learnt, 2)
  expect_null(relevance_table(both))
  expect_refusal(relevance(both), "this fit has no length for each column")
  expect_refusal(relevance(1), "object must be a fit of freeridge\\(\\), freeridge_chunks\\(\\) or kernel_logistic\\(\\), not 1")
})

test_that("the smoothness of the default kernel is chosen by REML, with the lengths of Matern 3/2 times a factor", {
  set.seed(3)
  x <- matrix(runif(180), 60L)
  smooth <- sin(4 * x[, 1L]) + x[, 2L]^2
  rough <- cumsum(rnorm(60L))[rank(x[, 1L])]
  kernel_of <- function(fit) as.character(fit$kernel)
  fit <- freeridge(x, smooth)
  plain <- freeridge(x, smooth, smoothness = 1.5)
  expect_match(kernel_of(fit), "gaussian", fixed = TRUE)
  expect_output(print(fit), "Kernel: gaussian of all columns and of each", fixed = TRUE)
  expect_output(print(fit), "4 numbers and the smoothness learnt by REML on 60 rows", fixed = TRUE)
  expect_lt(fit$score, plain$score)
  expect_lt(diff(range(log(fit$kernel$scale / plain$kernel$scale))), 1e-9)
  new <- matrix(runif(900), 300L)
  error <- function(fit) sqrt(mean((predict(fit, new) - sin(4 * new[, 1L]) - new[, 2L]^2)^2))
  expect_lt(error(fit), error(plain) / 2)
  expect_identical(freeridge(x, rough)$kernel, freeridge(x, rough, smoothness = 1.5)$kernel)
  expect_output(print(plain), "4 numbers of it learnt by REML", fixed = TRUE)
  expect_match(kernel_of(freeridge(x, rough, smoothness = 2.5)), "matern(nu = 2.5", fixed = TRUE)
  expect_match(kernel_of(freeridge(x, rough, smoothness = Inf)), "gaussian", fixed = TRUE)
  expect_match(kernel_of(freeridge(x, smooth, matern_kernel())), "nu = 1.5", fixed = TRUE)
  expect_match(kernel_of(freeridge(x, smooth, criterion = "loo")), "nu = 1.5", fixed = TRUE)
  expect_match(kernel_of(freeridge(x, factor(smooth > 1))), "nu = 1.5", fixed = TRUE)
  expect_refusal(freeridge(x, smooth, smoothness = 0.5), "smoothness must be NULL, 1.5, 2.5 or Inf \\(the Gaussian kernel\\), not 0.5")
  expect_refusal(freeridge(x, smooth, smoothness = "reml"), "smoothness must be NULL, 1.5, 2.5 or Inf")
  expect_refusal(freeridge(x, smooth, gaussian_kernel(), smoothness = 2.5), "here kernel is given: as in matern_kernel\\(nu = 2.5\\)")
  again <- loo(fit, learnt = TRUE)
  expect_lt(sqrt(mean(again^2)), 3 * sqrt(mean(loo(fit)^2)))
  expect_match(paste(capture.output(print(freeridge(x, smooth, stack = c("gaussian", "linear")))), collapse = " "),
               "the default has Gaussian kernels", fixed = TRUE)
})

test_that("what is learnt by which criterion, on which rows", {
  p <- relevant(90L)
  by_loo <- freeridge(p$x, p$y, criterion = "loo")
  expect_output(print(by_loo), "learnt by REML, then by the leave-one-out mean squared error on 90 rows")
  expect_lte(by_loo$score, freeridge(p$x, p$y, lengths = "one")$score)
  expect_identical(freeridge(p$x, p$y, groups = rep(1:9, 10))$criterion, "groups")
  expect_identical(freeridge(p$x, p$y, criterion = "gcv")$lengths, "one")
  some <- freeridge(p$x, p$y, learn_rows = 40, seed = 3)
  expect_identical(some$learning$rows, 40)
  expect_output(print(some), "on 40 of the 90 rows")
  expect_output(print(summary(some)), "learnt by REML on 40 of these rows: their leave-one-out errors.*; with the other rows lambda alone")
  expect_identical(some$kernel, freeridge(p$x, p$y, learn_rows = 40, seed = 3)$kernel)
  free <- freeridge(p$x, p$y, shrinkage = Inf)
  held <- freeridge(p$x, p$y, shrinkage = 0.01)
  expect_lt(diff(range(log(held$kernel$scale))), 0.02)
  expect_gt(diff(range(log(free$kernel$scale))), diff(range(log(held$kernel$scale))))
  expect_refusal(freeridge(p$x, p$y, shrinkage = 0), "shrinkage must be one positive number, or Inf for none, not 0")
  expect_refusal(freeridge(p$x, p$y, lengths = "both"), 'lengths must be one of "each", "one", not "both"')
  expect_refusal(freeridge(p$x, p$y, lengths = "each", bandwidth_range = c(1, 2)),
                 'bandwidth_range is of one bandwidth, and lengths is "each"; give lengths = "one"')
  expect_refusal(freeridge(p$x, p$y, function(a, b) sum(a * b), learn = "all"),
                 'learn is "all", but the kernel is an R function, whose numbers the library does not know')
  expect_refusal(hyperparameters(function(a, b) sum(a * b)), "the kernel is an R function, whose numbers")
  expect_refusal(freeridge(p$x, p$y, lengths = "each", criterion = "gcv"), "over several .gcv. runs away", "freeridge_invalid_argument")
})

test_that("an output that does not vary is fitted by the mean, beside one that does", {
  set.seed(4)
  x <- matrix(stats::rnorm(60L), 30L)
  y <- x[, 1L]^2 + stats::rnorm(30L, sd = 0.1)
  alone <- freeridge(x, rep(0.1, 30L))
  both <- freeridge(x, cbind(a = 0.1, b = y))
  expect_identical(c(alone$criterion, both$criterion), c("loo", "loo"))
  for (values in list(fitted(alone), fitted(both)[, "a"], predict(alone, x + 1))) expect_equal(unname(values), rep(0.1, 30L))
  expect_equal(loo(alone), numeric(30L), tolerance = 1e-12)
  expect_lt(mean(loo(both)[, "b"]^2), 0.5 * stats::var(y))
  pdf(NULL)
  on.exit(dev.off())
  expect_identical(intersect(names(plot(alone)), criteria_names), c("loo", "gcv"))
})

test_that("what print() says of lengths is true of R's own data sets", {
  # all lengths are long, and the function is steep
  tall <- freeridge(log(Volume) ~ log(Girth), trees)
  expect_gt(diff(range(fitted(tall))), 1)
  expect_false(any(grepl("without influence", capture.output(print(tall)))))
  # a column of noise beside one that matters
  set.seed(2)
  p <- data.frame(a = runif(150L), b = runif(150L))
  noise <- freeridge(sin(20 * a) ~ ., p, shrinkage = Inf)
  shown <- capture.output(print(noise))
  flat <- predict(noise, data.frame(a = 0.5, b = c(0.1, 0.9)))
  if (any(grepl("without influence.*: b", shown))) expect_lt(abs(diff(flat)), 1e-3)
  # a factor is one entry, with its name
  expect_output(print(freeridge(len ~ ., ToothGrowth)), "most relevant first .*\n    dose #+ +[0-9.]+\n    supp #+ +[0-9.]+\n")
  expect_output(print(freeridge(mpg ~ wt + hp + disp, mtcars, bands = c("x", "y", "x"))), "(wt and 1 more #+ +[0-9.]+\n    hp|hp  +#+ +[0-9.]+\n    wt and 1 more)")
  expect_identical(nrow(relevance(freeridge(len ~ ., ToothGrowth))), 3L)
  # no choice of the default is below what rounding allows
  expect_warning(flowers <- freeridge(Species ~ ., iris), NA)
  expect_true(all(flowers$lambda >= core_lambda_flags(model_at(flowers))$floor))
})

test_that("rows that the kernel was not learnt on have errors of their own", {
  p <- relevant(90L)
  fit <- freeridge(p$x, p$y, learn_rows = 40, seed = 3)
  own <- fit$learning$learnt_on
  others <- setdiff(1:90, own)
  expect_identical(c(length(own), length(others), fit$learning$beside$rows), c(40L, 50L, 50L))
  beside <- fit$learning$beside
  expect_close(c(beside$learnt_on, beside$others), c(sqrt(mean(loo(fit)[own]^2)), sqrt(mean(loo(fit)[others]^2))), 1e-12)
  expect_output(print(fit), paste0("root mean squared left-out error of the 50 other rows: ", formatC(beside$others, digits = 4, format = "g"),
                                   " .of those learnt on: ", formatC(beside$learnt_on, digits = 4, format = "g")))
  # their outputs have no part in the kernel
  moved <- p$y
  moved[others] <- rev(moved[others]) + 2
  expect_identical(freeridge(p$x, moved, learn_rows = 40, seed = 3)$kernel, fit$kernel)
  moved <- p$y
  moved[own[7L]] <- moved[own[7L]] + 2
  expect_false(identical(freeridge(p$x, moved, learn_rows = 40, seed = 3)$kernel, fit$kernel))

  w <- rep(c(1, 2, 0), 30L)
  y <- cbind(a = p$y, b = rev(p$y))
  fit <- freeridge(p$x, y, weights = w, learn_rows = 40, seed = 3)
  counting <- which(w > 0)
  others <- counting[-fit$learning$learnt_on]
  expect_close(fit$learning$beside$others, sqrt(colSums(w[others] * loo(fit)[others, ]^2) / sum(w[others])), 1e-12)
  expect_named(fit$learning$beside$others, c("a", "b"))

  for (labels in list(factor(p$y > 0.3), cut(p$y, 3))) {
    fit <- freeridge(p$x, labels, learn_rows = 40, seed = 3)
    others <- setdiff(1:90, fit$learning$learnt_on)
    decision <- fit$y - as.matrix(loo(fit))
    ab <- calibration(fit)
    odds <- vapply(seq_len(ncol(decision)), function(j) ab[1L, j] + ab[2L, j] * decision[, j], numeric(90L))
    found <- if (nlevels(labels) == 2L) levels(labels)[1L + (odds > 0)] else levels(labels)[max.col(odds)]
    expect_close(fit$learning$beside$others, mean((found != as.character(labels))[others]), 1e-12)
    expect_output(print(fit), "left-out points in a wrong class of the 50 other rows: [0-9.]+ % .of those learnt on")
  }
  expect_null(freeridge(p$x, p$y)$learning$beside)
})

test_that("numbers of kernels by their names; several bandwidths are a length for each column", {
  expect_identical(hyperparameters(gaussian_kernel(2)), c(gaussian.sigma = 2))
  expect_identical(hyperparameters(gaussian_kernel() + 3 * linear_kernel()),
                   c("sum.weight[0]" = 1, "sum[0].gaussian.sigma" = NA, "sum.weight[1]" = 3))
  expect_true(gaussian_kernel(c(1, 2)) == scaled_kernel(gaussian_kernel(1), c(1, 2)))
  expect_true(matern_kernel(2.5, c(b = 1, a = 2)) == scaled_kernel(matern_kernel(2.5, 1), c(1, 2)))
})

test_that("a fit that learnt is saved, read and updated", {
  p <- relevant()
  fit <- freeridge(p$x, p$y)
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(fit, file)
  again <- readRDS(file)
  expect_identical(predict(again, p$x[1:3, ]), predict(fit, p$x[1:3, ]))
  expect_close(loo(again), loo(fit), 1e-9)
  expect_identical(relevance(again), relevance(fit))
  expect_identical(update(fit, lengths = "one")$lengths, "one")
})

test_that("the degrees of freedom of learning are those of moving each response", {
  fit <- freeridge(Volume ~ ., trees, kernel = matern_kernel())
  learnt <- summary(fit)$honest$freedom
  moved <- function(i, by) {
    fitted(freeridge(Volume ~ ., within(trees, Volume[i] <- Volume[i] + by), kernel = matern_kernel()))[[i]]
  }
  whole <- sum(vapply(seq_len(31L), function(i) (moved(i, 0.3) - moved(i, -0.3)) / 0.6, 0))
  expect_close(whole - summary(fit)$outputs$df, learnt, 0.05)
  expect_output(print(summary(fit)), "df [0-9.]+, and [0-9.]+ for learning the kernel")
})

test_that("left-out errors with the learning included are those of choosing by hand without the point", {
  p <- relevant()
  rows <- 1:18
  x <- p$x[rows, ]
  y <- 10 * p$y[rows] + sin(7 * rows)
  group <- rows %% 5L
  weights <- replace(rep(c(1, 2), 9L), 4L, 0)
  cases <- list(
    "kernel" = list(),
    "kernel with weights" = list(weights = weights),
    "kernel by LOO, one length" = list(kernel = gaussian_kernel(), criterion = "loo", lengths = "one", learn = "all"),
    "kernel on some rows" = list(learn_rows = 12, seed = 2),
    "bandwidth" = list(kernel = gaussian_kernel(), lengths = "one", criterion = "reml"),
    "lambda by groups" = list(kernel = linear_kernel(), criterion = "groups", groups = group),
    "lambda in a range" = list(kernel = linear_kernel(), lambda_range = c(1e-3, 500))
  )
  for (name in names(cases)) {
    given <- cases[[name]]
    fit <- do.call(freeridge, c(list(x, y), given))
    found <- loo(fit, learnt = TRUE)
    counting <- if (is.null(given$weights)) rows else which(given$weights > 0)
    had_part <- if (is.null(given$learn_rows)) counting else counting[fit$learning$learnt_on]
    for (i in rows[c(2L, 4L, 9L)]) {
      if (!i %in% had_part) {
        expect_equal(found[[i]], loo(fit)[[i]], info = name)
        next
      }
      if (!is.null(given$learn_rows)) next  # other rows would be drawn
      part <- lapply(given, function(value) if (length(value) == length(rows)) value[-i] else value)
      without <- do.call(freeridge, c(list(x[-i, ], y[-i]), part, list(scale = if (is.null(fit$scale)) FALSE else fit$scale)))
      expect_equal(found[[i]], y[i] - predict(without, x[i, , drop = FALSE])[[1L]], tolerance = 1e-6, info = name)
    }
    expect_length(attr(found, "change"), 18L)
    expect_gt(sum(abs(found - loo(fit))), 1e-6, label = name)
  }
})

test_that("folds, missing rows, saved fits and several outputs: left-out errors with the learning included", {
  p <- relevant()
  data <- data.frame(p$x[1:30, ], y = p$y[1:30] + sin(1:30) / 5)
  data$y[7] <- NA
  fit <- freeridge(y ~ ., data, na.action = na.exclude)
  found <- loo(fit, learnt = TRUE, folds = 6, seed = 2)
  expect_true(is.na(found[[7L]]) && is.na(attr(found, "change")[[7L]]))
  expect_length(unique(na.omit(attr(found, "change"))), 6L)
  expect_gt(max(abs(found - loo(fit, learnt = TRUE, folds = 6, seed = 3)), na.rm = TRUE), 1e-8)
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(fit, file)
  again <- readRDS(file)
  expect_equal(loo(again, learnt = TRUE, folds = 6, seed = 2), found, tolerance = 1e-9)
  many <- freeridge(p$x[1:30, ], cbind(a = p$y[1:30], b = cos(1:30)))
  expect_identical(colnames(loo(many, learnt = TRUE)), c("a", "b"))

  expect_error(loo(fit, 1, learnt = TRUE), "lambda is chosen again")
  expect_error(loo(fit, folds = 3), "learnt is FALSE")
  for (bad in list(1, 2.5, NA, "2", 30)) expect_error(loo(fit, learnt = TRUE, folds = bad), "folds")
  expect_error(loo(fit, learnt = NA), "learnt")
  expect_error(loo(freeridge(p$x, p$y, linear_kernel(), lambda = 1), learnt = TRUE), "lambda was given")
  expect_error(loo(freeridge(p$x, p$y, linear_kernel(), rule = "1se"), learnt = TRUE), "one-standard-error")
  expect_error(loo(freeridge(p$x[1:30, ], p$y[1:30], lambda_range = c(1e-4, 1)), learnt = TRUE), "range")
})

test_that("print and summary begin with the left-out error with the learning included", {
  fit <- freeridge(mpg ~ ., mtcars)
  honest <- loo(fit, learnt = TRUE)
  number <- function(value) trimws(formatC(value, digits = 4L, format = "g"))
  printed <- capture.output(print(fit))
  at <- grep("^Left-out error: ", printed)
  expect_lt(at, grep("^32 points", printed))
  expect_match(printed[at], paste("error:", number(sqrt(mean(honest^2)))), fixed = TRUE)
  r2 <- 1 - sum(honest^2) / sum((mtcars$mpg - mean(mtcars$mpg))^2)
  expect_match(printed[at], paste("R squared", number(r2)), fixed = TRUE)
  expect_match(printed[at + 1L], paste("both held", number(sqrt(mean(loo(fit)^2)))), fixed = TRUE)
  count <- sum(attr(honest, "change") >= 0.3)
  expect_match(printed[at + 2L], paste(count, "of the rows change"), fixed = TRUE)
  expect_equal(summary(fit)$honest$rmse, sqrt(mean(honest^2)), ignore_attr = TRUE)
  # The standard error of R squared, against a bootstrap of rows.
  draws <- vapply(1:4000, function(k) {
    rows <- sample.int(32L, replace = TRUE)
    1 - sum(honest[rows]^2) / sum((mtcars$mpg[rows] - mean(mtcars$mpg))^2)
  }, 0)
  expect_lt(abs(log(summary(fit)$honest$r2_error / sd(draws))), 0.4)
  expect_false(any(grepl("too small", capture.output(print(summary(fit))))))
  w <- rep(c(1, 5), 16L)
  weighted <- freeridge(mpg ~ wt + hp, mtcars, weights = w)
  errors <- as.vector(loo(weighted, learnt = TRUE))
  centred <- mtcars$mpg - weighted.mean(mtcars$mpg, w)
  share <- sum(w * errors^2) / sum(w * centred^2)
  expect_equal(summary(weighted)$honest$r2, 1 - share, ignore_attr = TRUE)
  expect_equal(summary(weighted)$honest$r2_error, sqrt(sum((w * (errors^2 - share * centred^2))^2)) / sum(w * centred^2),
               ignore_attr = TRUE)
  expect_output(print(freeridge(mpg ~ wt, mtcars[c(1:20, 3), ])), "1 row is a copy of another")
  large <- freeridge(relevant()$x[rep(1:60, 2), ] + 0.01 * sin(1:360), rnorm(120))
  number <- function(value) format(value, digits = 4L)
  error <- sqrt(mean(loo(large)^2))
  r2 <- 1 - error^2 / mean((large$y - mean(large$y))^2)
  expect_output(print(large), paste0("Left-out error: ", number(error), " (R squared ", formatC(r2, digits = 4L, format = "g"), "), with the kernel held"),
                fixed = TRUE)
  given <- freeridge(mpg ~ wt, mtcars, kernel = linear_kernel(), lambda = 1, weights = w)
  expect_output(print(given), paste0("Left-out error: ", number(sqrt(weighted.mean(loo(given)^2, w)))), fixed = TRUE)
  expect_false(any(grepl("Left-out", capture.output(print(unserialize(serialize(given, NULL)))))))  # it would be factorized anew
  expect_output(print(summary(large)), "learns again")
})
