# Stacks: weights by the definition, members by refits, what users bring along, refusals.

rmse <- function(errors) sqrt(mean(errors^2))

# Responses with a few outliers, or the exponential of a smooth function.
stack_data <- function(n = 80L, kind = "plain", seed = 1L) {
  set.seed(seed)
  x <- cbind(a = runif(n), b = if (kind == "plain") rexp(n) else runif(n, 0, 3), c = rnorm(n))
  f <- sin(5 * x[, 1L]) + log1p(x[, 2L])
  y <- switch(kind, plain = f + 0.2 * rnorm(n), positive = exp(3 * f + 0.05 * rnorm(n)),
              outliers = f + 0.1 * rnorm(n) + ifelse(seq_len(n) %% 13L == 0L, 4 * (-1)^seq_len(n), 0))
  list(x = x, y = y)
}
whole_stack <- local({
  p <- stack_data()
  list(x = p$x, y = p$y, fit = freeridge(p$x, p$y, stack = TRUE))
})

# The least of a sum of squares over weights on a grid of the simplex of three members.
best_on_grid <- function(errors, weights, prior, steps = 100L) {
  grid <- expand.grid(0:steps, 0:steps)
  grid <- grid[rowSums(grid) <= steps, ]
  w <- cbind(steps - rowSums(grid), grid[[1L]], grid[[2L]]) / steps
  square <- sum(weights * errors[, 1L]^2) / sum(weights > 0)
  value <- colSums(weights * (errors %*% t(w))^2) + prior * square * rowSums(w[, -1L]^2)
  w[which.min(value), ]
}

test_that("stack_weights are those of the definition, and its errors those without the row", {
  set.seed(4)
  y <- rnorm(30)
  f <- y + matrix(rnorm(90), 30) %*% diag(c(1, 0.7, 1.5)) + rnorm(30) / 2
  colnames(f) <- c("a", "b", "c")
  weights <- c(0, runif(29))
  for (prior in c(0, 6)) {
    found <- stack_weights(f, y, weights, prior)
    expect_equal(unname(found$weights), best_on_grid(y - f, weights, prior), tolerance = 0.02)
    expect_identical(names(found$weights), colnames(f))
  }
  without <- stack_weights(f[-7, ], y[-7], weights[-7])$weights
  expect_equal(stack_weights(f, y, weights)$errors[7], y[7] - sum(f[7, ] * without), tolerance = 1e-11)
  both <- stack_weights(array(c(f, f[, 3:1]), c(30, 3, 2)), cbind(u = y, v = y))
  expect_equal(both$weights[, "u"], unname(stack_weights(f, y)$weights), ignore_attr = TRUE)
  expect_equal(both$weights[, "v"], unname(rev(stack_weights(f, y)$weights)), ignore_attr = TRUE)
  expect_equal(dim(both$errors), c(30L, 2L))
  expect_error(stack_weights(f[1:5, ], y), "predictions must be 30 x members, as y is 30 x 1", class = "freeridge_error")
  expect_error(stack_weights(f, cbind(y, y)), "30 x members x 2")
  expect_error(stack_weights(f, y, prior = -1), "prior is -1")
  expect_error(stack_weights(replace(f, 3, Inf), y), "predictions")
})

test_that("the stack is the weighted mean of its members, and weighed by their left-out errors", {
  fit <- whole_stack$fit
  one <- fit$stacks[[1L]]
  expect_setequal(c(names(one$members), names(one$left_out)), freeridge:::stack_names)
  errors <- vapply(one$members, `[[`, numeric(80L), "errors")
  s <- median(abs(errors[, 1L])) / 0.6745
  counts <- pmin(1, (5 * s / abs(errors[, 1L]))^2)
  again <- stack_weights(whole_stack$y - errors, whole_stack$y, counts, prior = ncol(errors))
  expect_equal(coef(fit), again$weights, tolerance = 1e-10)
  expect_equal(unname(loo(fit)), unname(again$errors), tolerance = 1e-10)
  expect_identical(residuals(fit, "loo"), loo(fit))
  new <- stack_data(10L, seed = 2L)$x
  single <- freeridge(whole_stack$x, whole_stack$y)
  expect_equal(errors[, "default"], unname(loo(single)), tolerance = 1e-10)
  members <- vapply(one$members, freeridge:::predicted_by, numeric(10L), new)
  expect_equal(members[, "default"], unname(predict(single, new)), tolerance = 1e-10)
  expect_equal(members[, "linear"], unname(predict(one$members$linear$fit, new)))
  expect_equal(unname(predict(fit, new)), unname(drop(members %*% coef(fit))), tolerance = 1e-12)
  expect_equal(fitted(fit), predict(fit))
  expect_equal(unname(residuals(fit)), whole_stack$y - unname(fitted(fit)))
})

test_that("left-out errors of members are those of refits without the row", {
  p <- stack_data(40L, "positive")
  fit <- freeridge(p$x, p$y, stack = c("gaussian", "response", "ranks"))
  members <- fit$stacks[[1L]]$members
  refit <- function(member, x, z) {
    freeridge(x[-5, ], z[-5], member$fit$kernel, member$fit$lambda, scale = unname(member$fit$scale %||% FALSE))
  }
  `%||%` <- function(a, b) if (is.null(a)) b else a
  rough <- cumsum(rnorm(40L))[rank(p$x[, "a"])]  # of a smooth one the default is Gaussian, too
  gaussian <- freeridge(p$x, rough, stack = "gaussian")$stacks[[1L]]$members$gaussian
  expect_match(format(gaussian$fit$kernel), "gaussian")
  expect_equal(gaussian$errors[5], rough[5] - unname(predict(refit(gaussian, p$x, rough), p$x[5, , drop = FALSE])),
               tolerance = 1e-8)
  ranks <- members$ranks
  x <- freeridge:::with_ranks(p$x, ranks$x_map)
  expect_equal(x[, "rank_of_b"], (rank(p$x[, "b"]) - 0.5) / 40, ignore_attr = TRUE)
  expect_equal(ranks$errors[5], p$y[5] - unname(predict(refit(ranks, x, p$y), x[5, , drop = FALSE])), tolerance = 1e-8)
  response <- members$response
  expect_identical(response$y_map$kind, "log")
  z <- log(p$y)
  at <- unname(predict(refit(response, p$x, z), p$x[5, , drop = FALSE]))
  expect_equal(response$errors[5], p$y[5] - mean(exp(at + response$y_map$errors)), tolerance = 1e-8)
  expect_equal(response$y_map$errors, quantile(unname(loo(response$fit)), (1:101 - 0.5) / 101, names = FALSE))
})

test_that("transforms have inverses, and are chosen by what y can be", {
  maps <- unlist(lapply(list(c(1, 2, 5), c(0, 2, 5), c(-1, 2, 5)), freeridge:::response_maps), recursive = FALSE)
  expect_identical(vapply(maps, `[[`, "", "kind"), c("log", "sqrt", rep("power", 6L)))
  for (map in maps) {
    y <- if (map$kind == "power") c(-3, -0.1, 0.1, 0.5, 4) else c(0.1, 1, 9)
    slope <- (freeridge:::to_response(map, y + 1e-6) - freeridge:::to_response(map, y - 1e-6)) / 2e-6
    expect_equal(freeridge:::slope_of_response(map, y), slope, tolerance = 1e-6)
    expect_equal(freeridge:::from_response(map, freeridge:::to_response(map, y)), y, tolerance = 1e-12)
  }
  # the definition of Yeo and Johnson, at powers 0.5 and 2
  half <- list(kind = "power", power = 0.5, centre = 0, spread = 1)
  expect_equal(freeridge:::to_response(half, c(3, -3)), c((4^0.5 - 1) / 0.5, -(4^1.5 - 1) / 1.5))
  expect_equal(freeridge:::to_response(replace(half, "power", list(2)), c(3, -3)), c((4^2 - 1) / 2, -log(4)))
})

test_that("each member has the weight where it is right", {
  outliers <- stack_data(200L, "outliers")
  fit <- freeridge(outliers$x, outliers$y, stack = "robust")
  expect_gt(coef(fit)[["robust"]], 0.5)
  truth <- stack_data(500L, "outliers", seed = 9L)$x
  f <- sin(5 * truth[, 1L]) + log1p(truth[, 2L])
  expect_lt(rmse(predict(fit, truth) - f), 0.7 * rmse(predict(freeridge(outliers$x, outliers$y), truth) - f))
  positive <- stack_data(120L, "positive")
  fit <- freeridge(positive$x, positive$y, stack = "response")
  expect_gt(coef(fit)[["response"]], 0.5)
  expect_output(print(fit), "response (log(y))", fixed = TRUE)
})

test_that("intervals are quantiles of the left-out errors", {
  fit <- whole_stack$fit
  new <- stack_data(2000L, seed = 3L)
  bounds <- predict(fit, new$x, interval = "prediction", level = 0.9)
  errors <- sort(loo(fit))
  expect_equal(unname(bounds[1, "lwr"] - bounds[1, "fit"]), unname(errors[4]))  # 81 * 0.05 = 4.05
  expect_equal(unname(bounds[1, "upr"] - bounds[1, "fit"]), unname(rev(errors)[4]))
  covered <- mean(new$y >= bounds[, "lwr"] & new$y <= bounds[, "upr"])
  expect_gt(covered, 0.82)
  expect_lt(covered, 0.96)
  expect_identical(unname(predict(fit, new$x[1:2, ], interval = "prediction", level = 0.99)[1, 2:3]), c(-Inf, Inf))
})

test_that("errors with the kernels learnt again are of members that learn", {
  p <- stack_data(30L)
  fit <- freeridge(p$x, p$y, stack = "linear")
  single <- freeridge(p$x, p$y)
  errors <- cbind(as.vector(loo(single, learnt = TRUE)), fit$stacks[[1L]]$members$linear$errors)
  s <- median(abs(errors[, 1L])) / 0.6745
  again <- stack_weights(p$y - errors, p$y, pmin(1, (5 * s / abs(errors[, 1L]))^2), prior = 2)$errors
  expect_equal(as.vector(loo(fit, learnt = TRUE)), again, tolerance = 1e-8)
  expect_equal(summary(fit)$outputs$loo_rmse, rmse(loo(fit, learnt = TRUE)))
  bounds <- predict(fit, p$x, interval = "prediction", level = 0.8, learnt = TRUE)
  expect_equal(unname(bounds[1, "upr"] - bounds[1, "fit"]), sort(again, decreasing = TRUE)[3])  # 31 * 0.1
  expect_error(predict(fit, p$x, learnt = TRUE), "for interval = \"prediction\"")
  expect_output(print(fit), "kernels learnt again without the row or its fold; with these held")
})

test_that("a formula with factors, weights, an offset, missing values and a subset", {
  data <- transform(mtcars, cyl = factor(cyl), hp = replace(hp, 3, NA))
  data$w <- rep(c(1, 2, 0, 1), 8)
  fit <- freeridge(mpg ~ wt + hp + cyl + offset(qsec), data, weights = w, stack = c("linear", "gaussian"),
                   na.action = na.exclude)
  expect_length(fitted(fit), 32L)
  expect_true(is.na(loo(fit)[["Datsun 710"]]))
  expect_identical(nobs(fit), sum(data$w[-3] > 0))
  expect_equal(unname(weights(fit)), replace(data$w, 3, NA))
  expect_equal(unname(predict(fit, data[-3, ])), unname(fitted(fit)[-3]))
  expect_true(is.na(predict(fit, data[1:4, ])[3]))
  out <- which(data$w == 0 & !is.na(data$hp))
  expect_equal(unname(loo(fit)[out]), unname(data$mpg[out] - predict(fit, data[out, ])))
  # the same rows as a matrix
  x <- model.matrix(freeridge(mpg ~ wt + hp + cyl, data, weights = w, lambda = 1))
  expect_identical(formula(fit), mpg ~ wt + hp + cyl + offset(qsec), ignore_formula_env = TRUE)
  expect_identical(dim(model.frame(fit)), c(31L, 6L))
  expect_identical(attr(terms(fit), "term.labels"), c("wt", "hp", "cyl"))
  again <- update(fit, stack = "linear")
  expect_identical(names(coef(again)), c("default", "linear"))
  expect_error(predict(fit, data[c("wt", "hp")]), "no column 'cyl'")
  expect_error(predict(fit, transform(data[1:2, ], cyl = "5")), "newdata does not fit")
  expect_output(print(fit), "weighted points; offset")
  frame <- freeridge(data[c("wt", "cyl")], data$mpg, stack = "linear")
  expect_equal(predict(frame, data[1:3, c("wt", "cyl")]), predict(frame)[1:3])
})

test_that("several outputs have a stack each, of the rows in which they are observed", {
  y <- as.matrix(mtcars[c("mpg", "qsec")])
  y[2, 1] <- NA
  x <- as.matrix(mtcars[c("wt", "hp")])
  fit <- freeridge(x, y, stack = c("linear", "robust"))
  first <- freeridge(x[-2, ], y[-2, 1], stack = c("linear", "robust"))
  expect_equal(predict(fit, x)[, "mpg"], predict(first, x), tolerance = 1e-10)
  expect_equal(coef(fit)[, "mpg"], coef(first), tolerance = 1e-10)
  expect_equal(loo(fit)[-2, "mpg"], loo(first), tolerance = 1e-10)
  expect_true(is.na(loo(fit)[2, "mpg"]))
  expect_identical(dim(predict(fit, x[1:3, ], interval = "prediction", level = 0.8)), c(3L, 3L, 2L))
  expect_identical(rownames(summary(fit)$outputs), c("mpg", "qsec"))
  expect_output(print(summary(fit)), "Output qsec")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(fit, 2), fit)
  expect_error(plot(fit, 3), "output is 3, the stack has 2")
})

test_that("a stack survives another session, and its predictor has what prediction needs", {
  fit <- whole_stack$fit
  new <- stack_data(4L, seed = 5L)$x
  small <- predictor(fit)
  expect_equal(predict(small, new), predict(fit, new))
  expect_equal(predict(small, new, interval = "prediction"), predict(fit, new, interval = "prediction"))
  expect_error(predict(small), "newdata is missing")
  expect_output(print(small), "Predictor of a stack with the members")
  files <- c(tempfile(), tempfile())
  saveRDS(list(fit = fit, small = small, new = new), files[1L])
  output <- run_script(c(
    "files <- commandArgs(TRUE)", "saved <- readRDS(files[1])", "print(saved$fit)",
    "saveRDS(list(predict(saved$fit, saved$new), loo(saved$fit), predict(saved$small, saved$new)), files[2])"
  ), files)
  expect_true(file.exists(files[2L]), info = paste(output, collapse = "\n"))
  expect_equal(readRDS(files[2L]), list(predict(fit, new), loo(fit), predict(fit, new)), tolerance = 1e-12)
})

test_that("members that are of no use or take long are left out, and that is said", {
  left_out <- function(x, y, stack, ...) freeridge(x, y, stack = stack, ...)$stacks[[1L]]$left_out
  p <- stack_data(20L)
  expect_match(left_out(p$x, p$y, "response")[["response"]], "no transform of y")
  expect_match(left_out(p$x, p$y, "robust")[["robust"]], "25 rows or more")
  expect_match(left_out(p$x, rep(1:4, 5) + 0, "response")[["response"]], "fewer than five values")
  q <- stack_data(40L)
  expect_match(left_out(cbind(1:40, rep(0:1, 20)), q$y, "ranks")[["ranks"]], "tell no more")
  expect_match(left_out(matrix(rexp(40 * 16), 40), q$y, "ranks")[["ranks"]], "more than 30 columns")
  most <- freeridge:::most_rows
  on.exit(assignInNamespace("most_rows", most, "freeridge"))
  assignInNamespace("most_rows", replace(most, "ranks", 10), "freeridge")
  fit <- freeridge(p$x, p$y, stack = "ranks")
  expect_identical(coef(fit), c(default = 1))
  expect_output(print(fit), "without ranks: it takes long for more than 10 rows")
})

test_that("classes are outputs of -1 and +1", {
  two <- droplevels(iris[51:150, ])
  fit <- freeridge(Species ~ ., two, stack = TRUE)
  plain <- freeridge(as.matrix(two[1:4]), ifelse(two$Species == "virginica", 1, -1),
                     stack = c("gaussian", "linear", "one length", "ranks"))
  expect_equal(coef(fit), coef(plain), tolerance = 1e-8)
  decision <- unname(predict(plain, as.matrix(two[1:4])))
  expect_equal(unname(predict(fit, two)), decision, tolerance = 1e-8)
  labels <- setNames(factor(levels(two$Species)[1 + (decision > 0)]), rownames(two))
  expect_identical(predict(fit, two, type = "class"), labels)
  left_out <- as.vector(plain$y[, 1] - loo(plain))
  scaling <- freeridge:::platt_scaling(left_out, plain$y[, 1] > 0, rep(1, 100))
  expect_equal(unname(predict(fit, two, type = "response")), plogis(scaling[1] + scaling[2] * decision), tolerance = 1e-6)
  expect_output(print(fit), paste("Left-out points in a wrong class:", sum((left_out > 0) != (plain$y > 0)), "%"))
  expect_output(print(fit), "without robust: it is for numbers, not for classes")
  expect_error(predict(fit, two, interval = "prediction"), "the stack is of classes")
  expect_error(predict(fit, two, type = "labels"), "type must be one of")
  three <- freeridge(Species ~ ., iris, stack = "linear", weights = rep(c(1, 2, 0), 50))
  expect_identical(dim(predict(three, iris[c(1, 60, 110), ])), c(3L, 3L))
  probabilities <- predict(three, iris[c(1, 60, 110), ], type = "probability")
  expect_equal(unname(rowSums(probabilities)), rep(1, 3))
  expect_identical(colnames(probabilities), levels(iris$Species))
  expect_identical(as.character(predict(three, iris[c(1, 60, 110), ], type = "class")), levels(iris$Species))
  expect_output(print(three), "one against all")
  small <- predictor(three)
  expect_equal(predict(small, iris[c(1, 60, 110), ], type = "probability"), probabilities)
})

test_that("copies of rows are said", {
  p <- stack_data(30L)
  fit <- freeridge(p$x[c(1:30, 4:5), ], p$y[c(1:30, 4:5)], stack = "linear")
  expect_output(print(fit), "2 rows are copies of others, which stay when one is left out")
})

test_that("of many rows a part says which factor and which transform are taken", {
  p <- stack_data(120L, "positive")
  whole <- freeridge(p$x, p$y, stack = c("gaussian", "response"))
  most <- freeridge:::rows_to_choose
  on.exit(assignInNamespace("rows_to_choose", most, "freeridge"))
  assignInNamespace("rows_to_choose", 60L, "freeridge")
  part <- freeridge(p$x, p$y, stack = c("gaussian", "response"))
  members <- part$stacks[[1L]]$members
  expect_identical(members$response$y_map$kind, "log")
  expect_length(members$gaussian$errors, 120L)
  expect_identical(nrow(members$gaussian$fit$x), 120L)
  expect_equal(predict(part), predict(whole), tolerance = 0.2)
})

test_that("what a stack does not take is refused", {
  x <- as.matrix(mtcars[c("wt", "hp")])
  y <- mtcars$mpg
  refused <- function(words, ...) expect_error(freeridge(...), words, fixed = TRUE, class = "freeridge_invalid_argument")
  refused("kernel cannot be given", x, y, gaussian_kernel(), stack = TRUE)
  refused("lambda cannot be given", x, y, lambda = 1, stack = TRUE)
  expect_error(freeridge(mpg ~ wt, mtcars, groups = cyl, stack = TRUE), "groups cannot be given")
  refused("fixed cannot be given (nor unpenalised()", mpg ~ wt + unpenalised(hp), mtcars, stack = TRUE)
  refused("stack must be TRUE, FALSE or some of \"default\"", x, y, stack = "lin")
  refused("not \"lin\"", x, y, stack = c("linear", "lin"))
  refused("stack must be TRUE", x, y, stack = 2)
  refused("three rows or more: 2 rows", x, y, weights = rep(1:0, c(2, 30)), stack = TRUE)
  refused("of output mpg, 1 row", x, cbind(mpg = c(1, rep(NA, 31)), y), stack = TRUE)
  refused("the formula has no predictors", mpg ~ 1, mtcars, stack = TRUE)
  refused("y has 31 rows, x has 32", x, y[-1], stack = TRUE)
  refused("y[2] is NA", x, replace(y, 2, NA), stack = TRUE)
  fit <- whole_stack$fit
  expect_error(predict(fit, whole_stack$x, interval = "confidence"), "interval must be one of")
  expect_error(predict(fit, whole_stack$x, lambda = 1), "unknown argument: 'lambda'")
  expect_error(residuals(fit, "pearson"), "type must be one of")
  skip_if_not_installed("Matrix")
  refused("x is sparse", Matrix::Matrix(x, sparse = TRUE), y, stack = TRUE)
})

test_that("a stack of a response that does not vary prints", {
  for (seed in 1:3) {
    set.seed(seed)
    fit <- freeridge(y ~ a, data.frame(a = rnorm(70), y = 3), stack = TRUE)
    expect_output(suppressWarnings(print(fit)), "Left-out error of the stack: 0\n", fixed = TRUE)
    expect_equal(unname(predict(fit, data.frame(a = 0))), 3, tolerance = 1e-8)
  }
})
