# Influence and degrees of freedom against lm at lambda = 0 and against explicit hat matrices.

test_that("at lambda = 0 they are those of lm", {
  for (weights in list(NULL, mtcars$cyl)) {
    fit <- freeridge(mpg ~ wt + hp, mtcars, weights = weights, kernel = linear_kernel(), lambda = 0)
    reference <- lm(mpg ~ wt + hp, mtcars, weights = weights)
    expect_close(cooks.distance(fit), cooks.distance(reference), 1e-8)
    expect_identical(names(cooks.distance(fit)), rownames(mtcars))
    expect_close(sigma(fit), sigma(reference), 1e-10)
    expect_close(df.residual(fit), df.residual(reference), 1e-10)
  }
})

test_that("they are their definitions for every kernel", {
  p <- problem(t = 2L)
  for (kernel in kernels()) for (intercept in c(FALSE, TRUE)) {
    fit <- freeridge(p$x, p$y, kernel, c(0.2, 3), weights = p$weights, intercept = intercept)
    for (j in 1:2) {
      hat <- oracle_hat(p$x, kernel, fit$lambda[[j]], p$weights, intercept)
      residuals <- p$y[, j] - hat %*% p$y[, j]
      df <- sum(diag(hat))
      sigma2 <- sum(p$weights * residuals^2) / (20 - df)
      h <- diag(hat)
      expect_close(df.residual(fit)[[j]], 20 - df, 1e-9)
      expect_close(sigma(fit)[[j]], sqrt(sigma2), 1e-9)
      expect_close(rstandard(fit)[, j], sqrt(p$weights) * residuals / sqrt(sigma2 * (1 - h)), 1e-8)
      expect_close(residuals(fit, "pearson")[, j], sqrt(p$weights) * residuals, 1e-8)
      expect_close(deviance(fit)[[j]], sum(p$weights * residuals^2), 1e-8)
      expect_close(cooks.distance(fit)[, j], p$weights * residuals^2 * h / (df * sigma2 * (1 - h)^2), 1e-8)
    }
    expect_equal(summary(fit)$outputs$df, unname(20 - df.residual(fit)))
    expect_equal(summary(fit)$outputs$sigma, unname(sigma(fit)))
  }
  expect_close(sigma(fit, 5), sigma(freeridge(p$x, p$y, kernel, 5, weights = p$weights)), 1e-10)
  expect_close(cooks.distance(fit, 5), cooks.distance(freeridge(p$x, p$y, kernel, 5, weights = p$weights)), 1e-10)
  expect_close(rstandard(fit, 5), rstandard(freeridge(p$x, p$y, kernel, 5, weights = p$weights)), 1e-10)
  for (type in c("response", "pearson", "working", "deviance", "loo")) {
    expect_close(residuals(fit, type, 5), residuals(freeridge(p$x, p$y, kernel, 5, weights = p$weights), type), 1e-10)
  }
  expect_identical(residuals(fit, "loo"), loo(fit))
  expect_close(deviance(fit, 5), deviance(freeridge(p$x, p$y, kernel, 5, weights = p$weights)), 1e-10)
  expect_close(df.residual(fit, 5), df.residual(freeridge(p$x, p$y, kernel, 5, weights = p$weights)), 1e-10)
})

test_that("studentised residuals and the influence of rows are those of refits without each row", {
  p <- problem(18L, t = 2L)
  p$y[4L, 2L] <- NA
  fixed <- cbind(z = cos(1:18))
  for (kernel in kernels()) for (intercept in c(FALSE, TRUE)) for (extra in list(NULL, fixed)) {
    fit <- freeridge(p$x, p$y, kernel, c(0.2, 3), weights = p$weights, intercept = intercept, fixed = extra)
    without <- lapply(1:18, function(i) {
      freeridge(p$x[-i, ], p$y[-i, ], kernel, c(0.2, 3), weights = p$weights[-i], intercept = intercept,
                fixed = extra[-i, , drop = FALSE])
    })
    sigma <- t(vapply(without, sigma, c(0, 0)))
    sigma[is.na(p$y)] <- NaN
    found <- without_each_row(fit, model_at(fit))
    expect_close(found$sigma, sigma, 1e-8)
    left <- t(vapply(without, df.residual, c(0, 0)))
    counts <- rbind(c(17, 16))[rep(1L, 18L), ]
    counts[4L, 2L] <- 17
    expect_close((counts - found$df)[!is.na(p$y)], left[!is.na(p$y)], 1e-9)
    spread <- 1 / sqrt(p$weights * (1 - hatvalues(fit)))
    expect_close(rstudent(fit), loo(fit) / (sigma * spread), 1e-8)
    expect_identical(is.na(rstudent(fit)), is.na(p$y), ignore_attr = TRUE)
    if (is_linear(kernel)) {
      change <- dfbeta(fit)
      for (i in 1:18) expect_close(change[i, , ], coef(fit) - coef(without[[i]]), 1e-8)
    }
    one <- freeridge(p$x, p$y[, 1L], kernel, 0.2, weights = p$weights, intercept = intercept, fixed = extra)
    found <- influence(one)
    expect_close(found$sigma, sigma[, 1L], 1e-8)
    expect_close(found$hat, hatvalues(fit)[, 1L], 1e-9)
    expect_close(found$infmat[, "rstudent"], rstudent(fit)[, 1L], 1e-8)
    expect_close(found$infmat[, "cook.d"], cooks.distance(one), 1e-9)
    expect_close(found$infmat[, "dffits"], stats::dffits(one, found, residuals(one, "pearson")), 1e-8)
    expect_identical(dffits(one), found$infmat[, "dffits"])
    expect_identical(is.null(found$coefficients), !is_linear(kernel))
  }
  expect_close(rstudent(one, 5), rstudent(freeridge(p$x, p$y[, 1L], kernel, 5, weights = p$weights, fixed = fixed)), 1e-9)
})

test_that("studentised residuals: offsets, rows of weight zero, robust fits, other kernels", {
  p <- problem(20L)
  data <- data.frame(p$x, y = p$y, o = seq(0, 3, length.out = 20L), w = replace(p$weights, 6L, 0))
  data$y[9L] <- NA
  fit <- freeridge(y ~ X1 + X2 + offset(o), data, weights = w, kernel = linear_kernel(), lambda = 0, na.action = na.exclude)
  reference <- lm(y ~ X1 + X2 + offset(o), data, weights = w, na.action = na.exclude)
  used <- names(rstudent(reference))[!is.na(rstudent(reference))]
  expect_length(used, 18L)
  expect_close(rstudent(fit)[used], rstudent(reference)[used], 1e-9)
  expect_identical(is.na(rstudent(fit)), seq_len(20L) %in% c(6L, 9L), ignore_attr = TRUE)
  expect_close(dfbeta(fit)[used, ], dfbeta(reference)[used, ], 1e-8)
  expect_identical(unname(dfbeta(fit)[c(6L, 9L), ]), matrix(0, 2L, 3L))
  expect_close(dfbetas(fit)[used, ], dfbetas(reference)[used, ], 1e-8)
  expect_identical(rownames(influence(fit)$infmat), rownames(data))
  many <- freeridge(p$x, cbind(p$y, p$y^2), linear_kernel(), 1)
  expect_identical(dim(dfbeta(many)), c(20L, 4L, 2L))
  expect_identical(dim(dfbeta(freeridge(y ~ 1, data))), c(19L, 1L))
  gross <- replace(p$y, 3L, 30)
  robust <- freeridge(p$x, gross, gaussian_kernel(2), robust = "huber")
  expect_gt(rstudent(robust)[3L], 10)  # a weight near zero does not hide it
  expect_gt(abs(rstandard(robust)[3L]), 10)
  matrix <- kernel_matrix(gaussian_kernel(2), p$x)
  given <- freeridge(matrix, p$y, precomputed_kernel(), 0.3)
  by_function <- freeridge(p$x, p$y, function(x, z) exp(-sum((x - z)^2) / 4), 0.3)
  own <- freeridge(p$x, p$y, gaussian_kernel(2), 0.3)
  for (other in list(given, by_function)) expect_close(rstudent(other), rstudent(own), 1e-9)
  expect_close(rstudent(freeridge(p$x, p$y, gaussian_kernel(2), 0.3, landmarks = 1:20)), rstudent(own), 1e-6)
  # of a projection the short formula is exact, of a smoother near
  line <- freeridge(p$x, p$y, linear_kernel(), 0)
  expect_close(studentised_residuals(line, model_at(line), NULL), rstudent(line), 1e-9)
  p <- problem(300L)
  more <- freeridge(p$x, p$y, gaussian_kernel(2), 0.3)
  expect_lt(max(abs(studentised_residuals(more, model_at(more), NULL) - rstudent(more))), 0.02 * max(abs(rstudent(more))))
})

test_that("influence() prints what stands out", {
  fit <- freeridge(dist ~ speed, cars, kernel = linear_kernel(), lambda = 0)
  found <- influence.measures(fit)
  line <- lm(dist ~ speed, cars)
  expect_identical(influence.measures(line), stats::influence.measures(line))  # not ours, and handed on
  expect_identical(dffits(line), stats::dffits(line))
  expect_output(print(found), "rstudent +dffits +cook.d +hat")
  expect_identical(withVisible(print(found))$visible, FALSE) |> utils::capture.output()
  marked <- found$infmat[, "rstudent"] > qt(1 - 0.025 / 50, 47)
  expect_identical(found$is.inf[, "rstudent"], marked)
  expect_output(print(summary(found)), "\\*")
  none <- found
  none$is.inf[] <- FALSE
  expect_output(print(summary(none)), "No row stands out")
  expect_refusal(influence(freeridge(cbind(dist, speed) ~ speed, cars, lambda = 1)), "influence\\(\\) is for one response, .* has 2")
  expect_refusal(dfbetas(freeridge(cbind(dist, speed) ~ speed, cars, kernel = linear_kernel(), lambda = 1)), "dfbetas\\(\\) is for one response")
  expect_refusal(dfbetas(freeridge(dist ~ unpenalised(speed), cars, kernel = linear_kernel(), lambda = 1)), "without unpenalised columns")
  expect_refusal(dfbeta(freeridge(dist ~ speed, cars, kernel = gaussian_kernel(1), lambda = 1)), "which has no slopes")
  if (requireNamespace("Matrix", quietly = TRUE)) {
    x <- rbind(diag(c(1, 5, 3, 2)), 1:4, 0)
    expect_close(dfbeta(freeridge(Matrix::Matrix(x, sparse = TRUE), 1:6, linear_kernel(), 1)),
                 dfbeta(freeridge(x, 1:6, linear_kernel(), 1)), 1e-10)
  }
  for (method in list(rstudent, dfbeta, dfbetas, influence)) expect_refusal(method(fit, foo = 1), "unknown argument: 'foo'")
  expect_refusal(summary(found, foo = 1), "unknown argument: 'foo'")
  chunks <- freeridge_chunks(dist ~ speed, cars, lambda = 1)
  for (method in list(rstudent, dfbeta, dfbetas, influence)) expect_refusal(method(chunks), "keeps no rows")
  expect_warning(student <- rstudent(freeridge(c(0, 0, 0, 1), c(1, 2, 3, 4), linear_kernel(), 0, route = "primal")),
                 "the studentised residual is undefined \\(NaN\\) at row 4", class = "freeridge_undefined")
})

test_that("what has no value is NaN with a warning", {
  line <- freeridge(c(0, 0, 0, 1), c(1, 2, 3, 4), linear_kernel(), 0, route = "primal")
  expect_warning(distance <- cooks.distance(line), "undefined \\(NaN\\) at row 4", class = "freeridge_undefined")
  expect_identical(is.nan(distance), c(FALSE, FALSE, FALSE, TRUE))
  words <- "standardised residual is undefined \\(NaN\\) at row 4"
  expect_warning(standard <- rstandard(line), words, class = "freeridge_undefined")
  expect_identical(is.nan(standard), c(FALSE, FALSE, FALSE, TRUE))
  expect_refusal(rstandard(line, foo = 1), "unknown argument: 'foo'")
  expect_refusal(deviance(line, foo = 1), "unknown argument: 'foo'")
  expect_refusal(residuals(line, foo = 1), "unknown argument: 'foo'")
  expect_refusal(residuals(line, "partial"), 'type must be one of "response", "pearson", "loo".*, not "partial"')
  exact <- freeridge(1:2, c(1, 3), linear_kernel(), 0, route = "primal")
  expect_warning(value <- sigma(exact), "no degrees of freedom", class = "freeridge_undefined")
  expect_true(is.nan(value))
  expect_refusal(sigma(line, lambda = -1), "lambda is -1")
  expect_refusal(cooks.distance(line, foo = 1), "unknown argument: 'foo'")
  expect_refusal(df.residual(line, foo = 1), "unknown argument: 'foo'")
})
