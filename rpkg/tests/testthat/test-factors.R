# Penalised factors: a column for each level, so that which level is the first one makes no difference.

curved_kernels <- function() {
  list(gaussian_kernel(1.5), laplacian_kernel(2), matern_kernel(1.5, 2), polynomial_kernel(2),
       linear_kernel() + gaussian_kernel(1), function(x, z) exp(-sum((x - z)^2)))
}

test_that("the order of the levels, ordered or not, and the session's contrasts make no difference", {
  frame <- factor_data()
  old <- options(contrasts = c("contr.treatment", "contr.poly"))
  on.exit(options(old))
  for (formula in list(y ~ a + f + g + t, y ~ f * g + a:f, y ~ a + f - 1)) for (scale in c(TRUE, FALSE)) {
    for (kernel in curved_kernels()) {
      fit <- freeridge(formula, frame, kernel = kernel, lambda = 0.1, scale = scale)
      for (levels in list(c("w", "u", "x", "v"), c("x", "w", "v", "u"))) for (ordered in c(TRUE, FALSE)) {
        options(contrasts = if (ordered) c("contr.sum", "contr.helmert") else c("contr.treatment", "contr.poly"))
        other <- transform(frame, f = factor(f, levels, ordered = ordered), g = factor(g, c("q", "p")), t = !t)
        again <- freeridge(formula, other, kernel = kernel, lambda = 0.1, scale = scale)
        expect_close(loo(again), loo(fit), 1e-9)
        expect_close(predict(again, other[5:3, ]), fitted(fit)[5:3], 1e-9)
      }
    }
  }
  chosen <- freeridge(y ~ a + f, frame)
  expect_close(freeridge(y ~ a + relevel(factor(f), "x"), frame)$score, chosen$score, 1e-9)
})

test_that("a column that is constant in the rows fitted has no part in predictions", {
  set.seed(4)
  x <- cbind(a = stats::rnorm(40L), year = 5, c = stats::rnorm(40L))
  y <- x[, 1L] + 0.1 * stats::rnorm(40L)
  new <- x[1:6, ]
  new[, "year"] <- c(5, 6, 9, -300, 1e6, 0)
  classes <- factor(y > 0)
  fits <- list(
    freeridge(x, y), freeridge(x, y, gaussian_kernel()), freeridge(x, y, laplacian_kernel(), lengths = "one"),
    freeridge(x, y, gaussian_kernel(), scale = FALSE, lengths = "each"), freeridge(x, y, gaussian_kernel(2), scale = TRUE),
    freeridge(x, y, polynomial_kernel(3), scale = TRUE), freeridge(x, y, landmarks = 12),
    freeridge(x, y, weights = rep(c(2, 1), 20L)), freeridge(x, classes), freeridge(x, cbind(y, y^2)),
    freeridge(x, y, linear_kernel()), freeridge(x, y, scaled_kernel(gaussian_kernel(1)), intercept = "penalised"),
    freeridge(x, y, function(x, z) exp(-sum((x - z)^2)), 1, scale = TRUE),
    if (requireNamespace("Matrix", quietly = TRUE)) {
      freeridge(Matrix::Matrix(x, sparse = TRUE), y, gaussian_kernel(2), scale = TRUE)
    }, kernel_ridge(x, y, gaussian_kernel()), kernel_svm(x, classes, gaussian_kernel(2), 1, scale = TRUE)
  )
  for (fit in Filter(Negate(is.null), fits)) expect_identical(predict(fit, new), predict(fit, x[1:6, ]))
  frame <- data.frame(x, y = y, f = c("u", "v"))
  change <- transform(frame[1:6, ], year = new[, "year"])
  for (fit in list(freeridge(y ~ a + year + f, frame), freeridge(frame[-4L], y),
                   freeridge_chunks(y ~ a + year + f, row_source(frame, 7), gaussian_kernel(), landmarks = 10),
                   freeridge_chunks(y ~ a + year + f, row_source(frame, 7), gaussian_kernel(2), scale = TRUE, landmarks = 10),
                   freeridge_chunks(y ~ a + year, row_source(frame, 7), scale = TRUE))) {
    expect_identical(predict(fit, change), predict(fit, frame[1:6, ]))
    expect_identical(unname(predict(predictor(fits[[1L]]), new)), unname(predict(fits[[1L]], x[1:6, ])))
  }
  # it is as if the column were not there; a kernel on the columns as they are sees its new values
  expect_close(predict(fits[[5L]], new), predict(freeridge(x[, -2L], y, gaussian_kernel(2), scale = TRUE), new[, -2L]), 1e-8)
  expect_output(print(fits[[1L]]), "  columns divided by: 0.[0-9]+, 0.[0-9]+\n  constant, and without a part in the kernel: year\n")
  raw <- freeridge(x, y, gaussian_kernel(2))
  expect_gt(max(abs(predict(raw, new) - predict(raw, x[1:6, ]))), 1e-3)
})

test_that("rows of different levels are at distance one, and a factor has one divisor", {
  frame <- factor_data()
  n <- nrow(frame)
  shares <- table(frame$f) / n
  for (scale in c(TRUE, FALSE)) {
    of_f <- if (scale) 0.5 * sum(shares * (1 - shares)) * n / (n - 1) else 1
    squares <- (outer(frame$a, frame$a, `-`) / (if (scale) sd(frame$a) else 1))^2 +
      outer(frame$f, frame$f, `!=`) / of_f + outer(frame$t, frame$t, `!=`) / (if (scale) stats::var(frame$t) else 1)
    fit <- freeridge(y ~ a + f + t, frame, kernel = gaussian_kernel(1.5), lambda = 0.1, scale = scale)
    by_hand <- freeridge(exp(-squares / 1.5^2), frame$y, precomputed_kernel(), lambda = 0.1)
    expect_close(loo(fit), loo(by_hand), 1e-10)
    from_frame <- freeridge(frame[c("a", "f", "t")], frame$y, gaussian_kernel(1.5), 0.1, scale = scale)
    expect_close(predict(from_frame, frame[9:2, 5:1]), predict(by_hand)[9:2], 1e-10)
    expect_identical(from_frame$scale, fit$scale)
  }
})

test_that("there is a column for every level, in the model matrix, too; contrasts where nothing is penalised", {
  frame <- factor_data()
  for (line in list(freeridge(y ~ a + f, frame, kernel = linear_kernel(), lambda = 1),
                    freeridge(frame[c("a", "f")], frame$y, kernel = linear_kernel(), lambda = 1))) {
    expect_identical(names(coef(line)), c("(Intercept)", "a", "fu", "fv", "fw", "fx"))
    expect_equal(line$x[, "fw"], as.numeric(frame$f == "w"), ignore_attr = TRUE)
  }
  none <- freeridge(y ~ a + f, frame, kernel = linear_kernel(), lambda = 0)
  expect_close(coef(none), coef(lm(y ~ a + f, frame)), 1e-9)
  expect_equal(predict(none, frame[3:1, ]), fitted(none)[3:1])
  expect_identical(names(coef(ols(y ~ a + f, frame))), names(coef(none)))
  apart <- freeridge(y ~ a + unpenalised(f), frame, kernel = linear_kernel(), lambda = 1)
  expect_identical(names(coef(apart)), c("(Intercept)", "a", "fv", "fw", "fx"))
  fit <- freeridge(y ~ a + f, frame, kernel = gaussian_kernel(1), lambda = 1)
  expect_identical(variable.names(fit), c("(Intercept)", "a", "fu", "fv", "fw", "fx"))
  expect_equal(model.matrix(fit)[, "fw"], sqrt(0.5) * (frame$f == "w"), ignore_attr = TRUE)
  expect_identical(unname(model.matrix(fit)[, -1L]), unname(fit$x[, ]))
  expect_refusal(predict(fit, data.frame(a = 1, f = "z")), "factor f has new level z; the fit knows u, v, w, x")
  expect_equal(predict(fit, transform(frame[2, ], f = factor(f))), fitted(fit)[2L])  # one level only
})

test_that("with a linear kernel no fit depends on which level comes first", {
  frame <- factor_data(60L)
  frame$class <- factor(frame$y > 1)
  first <- function(level) {
    d <- transform(frame, f = factor(f, c(level, setdiff(c("u", "v", "w", "x"), level)), ordered = level == "w"))
    source <- row_source(d, 25)
    x <- d[c("a", "f", "g")]
    fits <- list(
      freeridge(y ~ a + f * g, d, kernel = linear_kernel()),
      freeridge(y ~ f + a:f + g, d, kernel = linear_kernel(), criterion = "reml", scale = TRUE),
      freeridge(y ~ unpenalised(a) + f, d, kernel = linear_kernel(), criterion = "reml"),
      freeridge(y ~ unpenalised(f) + a + g, d, kernel = linear_kernel(), lambda = 3),
      freeridge(y ~ a + f, d, kernel = scaled_kernel(linear_kernel(), c(2, 1, 1, 1, 1)), lambda = 2, intercept = "penalised"),
      freeridge(x, d$y, linear_kernel()), freeridge(class ~ a + f, d, kernel = linear_kernel()),
      freeridge_chunks(y ~ a + f + g, source), freeridge_chunks(y ~ unpenalised(a) + f, source, criterion = "reml", scale = TRUE),
      ridge(y ~ a + f, d, 2), kernel_logistic(class ~ a + f, d, kernel = linear_kernel(), lambda = 2),
      kernel_svm(class ~ a + f, d, kernel = linear_kernel(), lambda = 2), kernel_ridge(y ~ a + f, d, kernel = linear_kernel()),
      ols(y ~ a + f, transform(d, f = factor(f, ordered = FALSE)))
    )
    lapply(fits, predict, d[1:7, ])
  }
  by_u <- first("u")
  for (level in c("v", "w", "x")) expect_close(unlist(first(level)), unlist(by_u), 1e-6)
})

test_that("a penalised factor is a random effect, with the variances of REML", {
  # O. Davies, P. Goldsmith, Statistical methods in research and production, 1972, table 6.3: the yield of dyestuff from
  # samples of six batches. Balanced, so that REML has the variances of the analysis of variance. lme4 1.1-31 says of
  # lmer(yield ~ 1 + (1 | batch)): 1764.05 and 2451.25.
  dyestuff <- data.frame(batch = rep(LETTERS[1:6], each = 5L), yield = c(
    1545, 1440, 1440, 1520, 1580, 1540, 1555, 1490, 1560, 1495, 1595, 1550, 1605, 1510, 1560,
    1445, 1440, 1595, 1465, 1545, 1595, 1630, 1515, 1635, 1625, 1520, 1455, 1450, 1480, 1445))
  table <- anova(lm(yield ~ batch, dyestuff))[["Mean Sq"]]
  found <- variance_components(freeridge(yield ~ batch, dyestuff, kernel = linear_kernel(), criterion = "reml"))
  expect_close(found$variance, c((table[1L] - table[2L]) / 5, table[2L]), 1e-5)
  expect_equal(found$variance, c(1764.05, 2451.25), tolerance = 1e-5)

  # not balanced, with a covariate: the restricted likelihood by its definition, over both variances
  set.seed(8)
  n <- 90L
  d <- data.frame(g = factor(sample(letters[1:9], n, TRUE, 9:1)), x = stats::rnorm(n))
  d$y <- 2 * d$x + stats::rnorm(9L, sd = 1.5)[d$g] + stats::rnorm(n)
  z <- stats::model.matrix(~ g - 1, d)
  f <- cbind(1, d$x)
  minus_log <- function(theta) {
    v <- exp(theta[1L]) * tcrossprod(z) + diag(exp(theta[2L]), n)
    inner <- crossprod(f, solve(v, f))
    r <- d$y - f %*% solve(inner, crossprod(f, solve(v, d$y)))
    (determinant(v)$modulus + determinant(inner)$modulus + sum(r * solve(v, r))) / 2
  }
  best <- stats::optim(c(0, 0), minus_log, method = "BFGS", control = list(reltol = 1e-14))
  for (level in c("a", "i")) {
    fit <- freeridge(y ~ unpenalised(x) + g, transform(d, g = relevel(g, level)), kernel = linear_kernel(), criterion = "reml")
    found <- variance_components(fit)
    expect_close(found$variance, exp(best$par), 1e-4)
  }
  # the predictions of the random effects, and the effect of a level: the difference to the first one with its error
  v <- found$variance[1L] * tcrossprod(z) + diag(found$variance[2L], n)
  beta <- solve(crossprod(f, solve(v, f)), crossprod(f, solve(v, d$y)))
  blups <- drop(found$variance[1L] * crossprod(z, solve(v, d$y - f %*% beta)))
  expect_close(coef(fit)[sort(names(blups))], blups[sort(names(blups))], 1e-8)
  effects <- marginal_effects(fit)$average
  expect_identical(as.character(effects$column), paste0("g", letters[1:8]))
  expect_close(effects$estimate, unname(blups[1:8] - blups[9L]), 1e-8)
  at <- function(level) transform(d[1L, ], g = level)
  between <- rbind(new_matrix(fit, at("b")), new_matrix(fit, at("i")))
  one <- core_predict_combinations(model_at(fit), between, c(0L, 0L), 1L, c(1, -1), "bayesian", TRUE, FALSE, matrix(0, 2L, 1L))
  expect_close(effects$se[2L], drop(one$errors), 1e-8)
})

test_that("the effect of a level is the difference of predictions to the first one", {
  frame <- factor_data()
  for (kernel in curved_kernels()[-c(2L, 6L)]) for (landmarks in list(NULL, c(1, 4, 9, 17, 22, 30))) {
    fit <- freeridge(y ~ a + f + t, frame, kernel = kernel, lambda = 0.3, landmarks = landmarks, scale = TRUE)
    found <- marginal_effects(fit, type = "frequentist")
    expect_identical(as.character(found$average$column), c("a", "fv", "fw", "fx", "tTRUE"))
    expect_identical(found$reference, c("fu", "tFALSE"))
    at <- function(...) predict(fit, transform(frame, ...))
    expect_close(found$effects[, "fw"], at(f = "w") - at(f = "u"), 1e-8)
    expect_close(found$effects[, "tTRUE"], at(t = TRUE) - at(t = FALSE), 1e-8)
    # linear in the response: the standard error is that of the effects of unit responses
    units <- freeridge(diag(30) ~ a + f + t, frame, kernel = kernel, lambda = 0.3, landmarks = landmarks, scale = TRUE)
    each <- matrix(marginal_effects(units, se = FALSE)$average$estimate, 5L)
    expect_close(found$average$se, sigma(fit) * sqrt(rowSums(each^2)), 1e-6)
  }
  expect_output(print(found), "Levels of a factor: differences to its first level, fu, tFALSE", fixed = TRUE)
  shown <- plot_data(fit, "slopes", NULL, 1L, NULL)
  expect_equal(shown$estimate[3L], sd(frame$f == "w") * found$average$estimate[3L])
  laplacian <- freeridge(y ~ f, frame, kernel = laplacian_kernel(1), lambda = 0.3)  # levels need no derivative
  expect_close(marginal_effects(laplacian)$average$estimate[1L], diff(predict(laplacian, data.frame(f = c("u", "v")))), 1e-9)
})

test_that("a level that the fit has not seen gets the mean of the others where that is asked for", {
  frame <- factor_data()
  new <- frame[c(2, 5, 9, 11), ]
  new$f <- c("new", "u", "other", NA)
  for (kernel in list(linear_kernel(), gaussian_kernel(2), NULL)) for (several in c(FALSE, TRUE)) {
    fit <- freeridge(if (several) cbind(y, 2 * a) ~ a + f + t else y ~ a + f + t, frame, kernel = kernel, lambda = 0.3)
    expect_refusal(predict(fit, new), "new levels")
    each <- lapply(c("u", "v", "w", "x"), function(level) predict(fit, transform(new, f = level)))
    expected <- Reduce(`+`, each) / 4
    found <- predict(fit, new, new_levels = "mean")
    rows <- function(values, k) if (several) values[k, ] else values[k]
    expect_close(rows(found, c(1, 3)), rows(expected, c(1, 3)), 1e-7)
    expect_close(rows(found, 2L), rows(each[[1L]], 2L), 1e-7)
    expect_true(all(is.na(rows(found, 4L))))
    expect_identical(if (several) rownames(found) else names(found), rownames(new))
    expect_equal(predict(fit, frame, new_levels = "mean"), predict(fit, frame))
  }
  frame$k <- match(frame$f, unique(frame$f))
  for (formula in list(y ~ a + factor(k), y ~ unpenalised(a + factor(k)) + t, y ~ k + factor(k))) {  # a factor of the formula
    fit <- freeridge(formula, frame, kernel = gaussian_kernel(2), lambda = 0.3)
    new <- transform(frame[c(2, 5, 9), ], k = c(99, 2, 98))
    each <- lapply(1:4, function(level) predict(fit, transform(new, k = c(level, 2, level))))
    found <- predict(fit, new, new_levels = "mean")
    if (identical(formula[[3L]], quote(k + factor(k)))) expect_close(found[2L], each[[1L]][2L], 1e-12) else
      expect_close(found, Reduce(`+`, each) / 4, 1e-7)
    expect_identical(names(found), rownames(new))
    expect_refusal(predict(fit, new["t"], new_levels = "mean"), "newdata has no column")
  }
  expect_refusal(predict(fit, new, new_levels = "mean", se.fit = TRUE), "for predictions alone")
  expect_refusal(predict(fit, new, new_levels = "zero"), 'new_levels must be one of "error", "mean"')
  expect_refusal(predict(freeridge(y ~ a, frame), new, new_levels = "mean"), "the fit has no factors")
})
