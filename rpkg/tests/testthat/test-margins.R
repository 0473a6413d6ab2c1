# The geometry of classifiers: margins, slacks, distances, alpha, the dual gap, the hard margin, and their picture.

separable <- rbind(c(0, 0), c(0, 1), c(4, 0), c(4, 1), c(7, 3))
separable_labels <- c(-1, -1, 1, 1, 1)

overlapping <- function(n = 50L, seed = 1L) {
  set.seed(seed)
  x <- matrix(rnorm(2L * n), n, 2L, dimnames = list(NULL, c("width", "height")))
  list(x = x, y = ifelse(x[, 1L] + 0.5 * x[, 2L] + rnorm(n) > 0, 1, -1))
}

test_that("point_margins has what its columns say", {
  p <- overlapping()
  w <- rep(c(1, 2), 25)
  for (weights in list(NULL, w)) for (kernel in list(linear_kernel(), gaussian_kernel(1.5))) {
    fit <- kernel_svm(p$x, p$y, kernel, 0.7, weights = weights)
    points <- point_margins(fit)
    k <- oracle_kernel(kernel, p$x, p$x)
    c <- core_classifier_coefficients(classifier_at(fit))
    f <- as.vector(k %*% c$c) + c$b
    norm <- sqrt(sum(c$c * (k %*% c$c)))
    bound <- (if (is.null(weights)) 1 else weights) / 0.7
    expect_close(points$decision, f, 1e-9)
    expect_close(points$margin, p$y * f, 1e-9)
    expect_close(points$distance, f / norm, 1e-9)
    expect_close(points$slack, pmax(0, 1 - p$y * f), 1e-8)
    expect_identical(points$alpha, p$y * c$c)
    kind <- ifelse(points$alpha == 0, "none", ifelse(points$alpha < bound * (1 - 1e-12), "free", "bounded"))
    expect_identical(as.character(points$support), kind)
    expect_identical(which(points$support != "none"), fit$support)
    expect_close(predict(fit, p$x, type = "distance"), f / norm, 1e-9)
    found <- summary(fit)
    dual <- 0.7 * (sum(points$alpha) - sum(c$c * (k %*% c$c)) / 2)
    expect_close(found$primal, fit$objective, 1e-12)
    expect_close(found$dual, dual, 1e-8)
    expect_true(found$duality_gap >= 0 && found$duality_gap < 1e-6)
    expect_close(found$norm, norm, 1e-8)
    expect_identical(found$errors, sum(p$y * f <= 0))
  }
  logistic <- kernel_logistic(p$x, p$y, linear_kernel(), 0.7)
  points <- point_margins(logistic)
  expect_named(points, c("label", "decision", "margin", "distance", "alpha"))
  expect_close(points$alpha, plogis(-points$margin) / 0.7, 1e-6)  # alpha = - W L'(margin) / lambda
  expect_close(points$distance, predict(logistic) / sqrt(sum(coef(logistic)[-1L]^2)), 1e-9)
  expect_true(summary(logistic)$duality_gap >= 0)
  expect_lt(summary(logistic)$duality_gap, 1e-8)
  expect_close(point_margins(logistic, lambda = 5)$decision, predict(logistic, lambda = 5), 1e-12)
})

test_that("rows of weight zero have their places", {
  p <- overlapping()
  rownames(p$x) <- paste0("r", 1:50)
  w <- rep(1, 50)
  w[c(3, 17)] <- 0
  fit <- kernel_svm(p$x, p$y, gaussian_kernel(1.5), 0.7, weights = w)
  rest <- kernel_svm(p$x[-c(3, 17), ], p$y[-c(3, 17)], gaussian_kernel(1.5), 0.7)
  points <- point_margins(fit)
  expect_identical(row.names(points), rownames(p$x))
  expect_identical(points$label, p$y)
  expect_close(points$decision, predict(fit), 1e-12)
  expect_close(points$decision, predict(rest, p$x), 1e-6)
  expect_identical(points$alpha[c(3, 17)], c(0, 0))
  expect_identical(as.character(points$support[c(3, 17)]), c("none", "none"))
  expect_close(points$slack, pmax(0, 1 - points$margin), 1e-8)
  expect_identical(summary(fit)$errors, sum(points$margin[-c(3, 17)] <= 0))
})

test_that("lambda = 0 is the hard margin", {
  fit <- kernel_svm(separable, separable_labels, linear_kernel(), 0)
  expect_close(fit$margin, 2, 1e-8)
  expect_close(coef(fit), c(-1, 0.5, 0), 1e-7)
  points <- point_margins(fit)
  expect_identical(as.character(points$support[5L]), "none")
  expect_close(points$distance, c(-2, -2, 2, 2, 5), 1e-7)
  expect_true(all(points$slack < 1e-7))
  expect_close(fit$objective, 0.5 / 4, 1e-8)  # ||w||^2 / 2
  expect_output(print(fit), "lambda: 0 (hard margin)", fixed = TRUE)
  expect_output(print(summary(fit)), "Support vectors: [2-4] free, 0 bounded")
  soft <- kernel_svm(separable, separable_labels, linear_kernel(), 2)
  expect_close(predict(soft, lambda = 0), predict(fit), 1e-6)
  expect_close(predict(fit, lambda = 2), predict(soft), 1e-6)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file)), predict(fit))
  p <- overlapping()
  expect_refusal(kernel_svm(p$x, p$y, linear_kernel(), 0), "no hyperplane separates", "freeridge_undefined")
  expect_refusal(kernel_logistic(p$x, p$y, linear_kernel(), 0), "lambda must be one positive number, not 0")
})

test_that("a penalised intercept is a column of ones, and k + 1", {
  p <- overlapping()
  ones <- cbind(p$x, 1)
  for (method in list(kernel_svm, kernel_logistic)) {
    fit <- method(p$x, p$y, linear_kernel(), 0.5, intercept = "penalised")
    wide <- method(ones, p$y, linear_kernel(), 0.5, intercept = FALSE)
    expect_close(coef(fit), unname(coef(wide))[c(3L, 1L, 2L)], 1e-6)
    expect_identical(names(coef(fit)), c("(Intercept)", "width", "height"))
    expect_output(print(fit), "Intercept: yes, penalised")
    given <- method(oracle_kernel(gaussian_kernel(2), p$x, p$x) + 1, p$y, precomputed_kernel(), 0.5, intercept = FALSE)
    smooth <- method(p$x, p$y, gaussian_kernel(2), 0.5, intercept = "penalised")
    expect_close(predict(smooth), predict(given), 1e-6)
    expect_close(attr(coef(smooth), "intercept"), sum(coef(smooth)), 1e-9)
    expect_refusal(method(p$x, p$y, linear_kernel(), 1, intercept = "yes"), "intercept must be TRUE, FALSE or")
  }
})

test_that("lambda_as gives the number that the written objective needs", {
  p <- overlapping(30L)
  n <- 30
  losses <- list(kernel_svm = function(z) pmax(0, 1 - z), kernel_logistic = function(z) log1p(exp(-z)))
  for (name in names(losses)) {
    fit <- get(name)(p$x, p$y, linear_kernel(), 3)
    loss <- losses[[name]]
    l <- lambda_as(fit, "tikhonov")
    expect_close(l, 3 / (2 * n), 1e-15)
    expect_identical(l, lambda_as(fit, if (name == "kernel_svm") "tikhonov_hinge" else "tikhonov_logistic"))
    objectives <- list(
      function(b) mean(loss(p$y * (b[1L] + p$x %*% b[-1L]))) + l * sum(b[-1L]^2),
      function(b) lambda_as(fit, "cost") * sum(loss(p$y * (b[1L] + p$x %*% b[-1L]))) + sum(b[-1L]^2) / 2,
      function(b) lambda_as(fit, "cost_mean") * mean(loss(p$y * (b[1L] + p$x %*% b[-1L]))) + sum(b[-1L]^2) / 2,
      function(b) lambda_as(fit, "cost_mean_norm") * mean(loss(p$y * (b[1L] + p$x %*% b[-1L]))) + sum(b[-1L]^2),
      function(b) mean(loss(p$y * (b[1L] + p$x %*% b[-1L]))) + lambda_as(fit, "mean") / 2 * sum(b[-1L]^2)
    )
    for (objective in objectives) {
      found <- optim(coef(fit) + 0.1, objective, control = list(maxit = 5000, reltol = 1e-14))
      for (again in 1:3) found <- optim(found$par, objective, control = list(maxit = 5000, reltol = 1e-15))
      expect_lt(max(abs(found$par[-1L] - coef(fit)[-1L])), 1e-3)
      expect_lte(objective(coef(fit)), found$value + 1e-9)
    }
    expect_close(lambda_as(fit, "cost", 0.25), 4, 1e-15)
    expect_refusal(lambda_as(fit, "glmnet"), "to must be one of \"total\", \"mean\", \"tikhonov\"")
    expect_refusal(lambda_as(fit), "to is missing: one of")
    weighted <- get(name)(p$x, p$y, linear_kernel(), 3, weights = rep(2, 30))
    expect_refusal(lambda_as(weighted, "tikhonov"), "the fit has weights")
    expect_close(lambda_as(weighted, "cost"), 1 / 3, 1e-15)
  }
  squared <- freeridge(p$x, p$y, linear_kernel(), 3)
  expect_close(unname(lambda_as(squared, "tikhonov")), 3 / n, 1e-15)
  expect_close(convert_lambda(0.1, "tikhonov_half", "total", n), 2 * n * 0.1, 1e-15)
  expect_refusal(convert_lambda(0, "total", "cost", n), "infinite C")
})

test_that("what a classifier has not is said", {
  p <- overlapping()
  svm <- kernel_svm(p$x, p$y, linear_kernel(), 1)
  expect_refusal(residuals(svm), "no residuals: point_margins\\(\\) has the margins y f of its points and their slacks")
  for (ask in list(deviance, sigma, df.residual)) expect_refusal(ask(svm), "a classifier has no .*: point_margins\\(\\)")
  expect_identical(variable.names(svm), c("(Intercept)", colnames(svm$x)))
  expect_refusal(point_margins(lm(mpg ~ wt, mtcars)), "object must be a fit of kernel_svm")
  one <- kernel_svm(p$x[, 1L, drop = FALSE], p$y, linear_kernel(), 1)
  expect_refusal(plot(one), "two features, and this fit has 1 feature")
  expect_refusal(plot(kernel_svm(cbind(p$x, 1:50), p$y, linear_kernel(), 1)), "this fit has 3 features")
  expect_refusal(plot(kernel_svm(tcrossprod(p$x), p$y, precomputed_kernel(), 1)), "there are no features to draw")
  expect_refusal(plot(svm, size = 1), "size must be one whole number >= 2")
  expect_refusal(plot(svm, xlim = c(2, 1)), "xlim must be two numbers")
  constant <- kernel_svm(matrix(2, 3L, 2L), c(-1, 1, 1), linear_kernel(), 1)
  expect_warning(expect_true(all(is.nan(point_margins(constant)$distance))), "no hyperplane")
})

test_that("a tolerance that leaves points on the wrong side is told", {
  x <- as.matrix(iris[1:100, 3:4])
  fit <- kernel_svm(x, droplevels(iris$Species[1:100]), linear_kernel(), 0, tolerance = 1.5, iterations = 100)
  expect_warning(summary(fit), "the primal value is undefined")
})

test_that("plot draws, and gives the points", {
  p <- overlapping()
  for (fit in list(kernel_svm(p$x, p$y, linear_kernel(), 1), kernel_logistic(p$x, p$y > 0, gaussian_kernel(2), 0.1),
                   kernel_svm(p$x, p$y, gaussian_kernel(2), 1, weights = rep(c(0, 1), 25)),
                   kernel_svm(am ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 1, scale = TRUE),
                   kernel_svm(separable, separable_labels, linear_kernel(), 0))) {
    drawn <- withVisible(plot(fit, size = 21, asp = 1))
    expect_false(drawn$visible)
    expect_identical(drawn$value, point_margins(fit))
  }
})

test_that("the left-out error of a summary is that of its lambda", {
  set.seed(1)
  d <- data.frame(a = rnorm(120), b = rnorm(120))
  d$class <- factor(ifelse(d$a + rnorm(120) > 0, "u", "v"))
  for (fit in list(kernel_logistic(class ~ a + b, d, gaussian_kernel(0.3), lambda = 0.01),
                   kernel_svm(class ~ a + b, d, gaussian_kernel(0.3), lambda = 0.01))) {
    wrong <- mean((loo(fit, lambda = 500) > 0) != (d$class == "v"))
    expect_false(wrong == mean((loo(fit) > 0) != (d$class == "v")))
    expect_output(print(summary(fit, lambda = 500)), paste0("wrong class: ", format(100 * wrong, digits = 3L), " %"), fixed = TRUE)
  }
})
