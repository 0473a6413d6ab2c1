# Columns that no penalty touches: against lm(), the conditions of the optimum as one linear system, refits without the rows
# that are left out, and REML by its definition.

# minimise 1/2 sum w (y - f - F a)^2 + lambda/2 ||f||^2: [K + lambda/w, F; F', 0][c; a] = [y; 0]. f: with the ones.
mixed_fit <- function(k, f, y, lambda, w = rep(1, nrow(k))) {
  n <- nrow(k)
  q <- ncol(f)
  system <- rbind(cbind(k + diag(lambda / w, n), f), cbind(t(f), matrix(0, q, q)))
  found <- solve(system, rbind(as.matrix(y), matrix(0, q, NCOL(y))), tol = 0)
  list(c = found[seq_len(n), , drop = FALSE], a = found[-seq_len(n), , drop = FALSE])
}

left_out_by_refits <- function(k, f, y, lambda, group, w = rep(1, nrow(k))) {
  y <- as.matrix(y)
  errors <- y
  for (label in unique(group)) {
    out <- which(group == label)
    fit <- mixed_fit(k[-out, -out], f[-out, , drop = FALSE], y[-out, , drop = FALSE], lambda, w[-out])
    errors[out, ] <- y[out, , drop = FALSE] - k[out, -out, drop = FALSE] %*% fit$c - f[out, , drop = FALSE] %*% fit$a
  }
  errors
}

cars <- function() {
  data <- mtcars
  data$gear <- factor(data$gear)
  data
}

kernel_of_cars <- function(data, columns, sigma) {
  oracle_kernel(gaussian_kernel(sigma), as.matrix(data[columns]), as.matrix(data[columns]))
}

test_that("the fit, its effects and its left-out errors are those of the linear system and of refits", {
  data <- cars()
  k <- kernel_of_cars(data, c("hp", "qsec"), 80)
  f <- model.matrix(~ wt + gear, data)
  for (weighted in c(FALSE, TRUE)) {
    w <- if (weighted) seq(0.5, 2, length.out = 32L) else rep(1, 32L)
    fit <- freeridge(mpg ~ hp + qsec + unpenalised(wt + gear), data, weights = w, kernel = gaussian_kernel(80), lambda = 0.4)
    oracle <- mixed_fit(k, f, data$mpg, 0.4, w)
    found <- coef(fit)
    expect_close(as.vector(found), drop(oracle$c), 1e-9)
    expect_close(unname(c(attr(found, "intercept"), attr(found, "effects"))), drop(oracle$a), 1e-9)
    expect_named(attr(found, "effects"), c("wt", "gear4", "gear5"))
    # generalised least squares, with tau^2 by REML
    m_inverse <- solve(k + diag(0.4 / w))
    inner <- solve(t(f) %*% m_inverse %*% f)
    covariance <- inner[-1L, -1L] * sum(data$mpg * oracle$c) / (32 - 4)
    expect_close(vcov(fit), covariance, 1e-9)
    expect_close(sqrt(diag(vcov(fit))), summary(fit)$effects[, "Std. Error"], 1e-10)
    expect_identical(rownames(vcov(fit)), rownames(confint(fit)))
    expect_close(unname(fitted(fit)), drop(k %*% oracle$c + f %*% oracle$a), 1e-10)
    expect_close(unname(loo(fit)), drop(left_out_by_refits(k, f, data$mpg, 0.4, 1:32, w)), 1e-9)
    group <- rep_len(1:7, 32L)
    expect_close(unname(group_errors(fit, group)), drop(left_out_by_refits(k, f, data$mpg, 0.4, group, w)), 1e-9)
    expect_close(predict(fit, data[c(5, 2), ]), fitted(fit)[c(5, 2)], 1e-10)
    # the same columns beside a matrix
    direct <- freeridge(as.matrix(data[c("hp", "qsec")]), data$mpg, gaussian_kernel(80), 0.4, weights = w, fixed = f[, -1L])
    expect_identical(loo(direct), loo(fit))
    expect_identical(coef(direct), coef(fit))
    z <- qr.Q(qr(sqrt(w) * f), complete = TRUE)[, -(1:4)]  # the complement of what is not penalised
    expect_close(eigenvalues(fit), eigen(t(z) %*% (sqrt(w) * k %*% diag(sqrt(w))) %*% z, TRUE)$values, 1e-9)
    path <- lambda_path(fit, c(0.4, 2), "loo")
    expect_close(path$loo[1L], sum(w * loo(fit)^2) / sum(w), 1e-9)
  }
})

test_that("without columns of the kernel, or with a large lambda, the fit is lm()", {
  data <- cars()
  data$w <- seq(0.5, 2, length.out = 32L)
  formulas <- list(
    list(mpg ~ unpenalised(wt * gear), mpg ~ wt * gear), list(mpg ~ unpenalised(.), mpg ~ .),
    list(mpg ~ unpenalised(wt, poly(hp, 2)), mpg ~ wt + poly(hp, 2)), list(mpg ~ 0 + unpenalised(wt + gear), mpg ~ 0 + wt + gear),
    list(mpg ~ offset(qsec) + unpenalised(splines::ns(hp, 3)), mpg ~ offset(qsec) + splines::ns(hp, 3)),
    list(cbind(mpg, drat) ~ freeridge::unpenalised(wt + log(hp)), cbind(mpg, drat) ~ wt + log(hp)),
    list(mpg ~ unpenalized(wt) + unpenalised(hp), mpg ~ wt + hp)
  )
  for (pair in formulas) {
    ours <- freeridge(pair[[1L]], data, weights = w)
    theirs <- lm(pair[[2L]], data, weights = w)
    expect_close(as.matrix(coef(ours)), as.matrix(coef(theirs)), 1e-8)
    expect_close(as.matrix(predict(ours, data[3:7, ])), as.matrix(predict(theirs, data[3:7, ])), 1e-9)
    expect_close(as.matrix(loo(ours)), as.matrix(residuals(theirs)) / (1 - hatvalues(theirs)), 1e-8)
    if (!inherits(theirs, "mlm")) {
      expect_close(confint(ours), confint(theirs), 1e-8)
      effects <- colnames(ours$fixed)
      expect_close(vcov(ours), vcov(theirs)[effects, effects], 1e-8)
      expect_close(predict(ours, data[3:7, ], se.fit = TRUE)$se.fit, predict(theirs, data[3:7, ], se.fit = TRUE)$se.fit, 1e-8)
    }
    expect_close(df.residual(ours), rep(df.residual(theirs), ncol(ours$y)), 1e-9)
  }
  theirs <- lm(mpg ~ wt + gear, data)
  for (kernel in list(gaussian_kernel(80), linear_kernel())) {
    ours <- freeridge(mpg ~ hp + unpenalised(wt + gear), data, kernel = kernel, lambda = 1e13)
    expect_close(summary(ours)$effects, coef(summary(theirs))[-1L, ], 1e-6)
    expect_close(confint(ours)[c("wt", "gear4", "gear5"), ], confint(theirs)[-1L, ], 1e-6)
    expect_close(vcov(ours), vcov(theirs)[-1L, -1L], 1e-6)
  }
  table <- tidy.freeridge(ours)
  expect_identical(table$term, c("(Intercept)", "hp", "wt", "gear4", "gear5"))
  expect_close(table$std.error[3:5], coef(summary(theirs))[-1L, 2L], 1e-6)
})

test_that("a column that depends on the others has no effect, as lm() has it", {
  data <- cars()
  data$twice <- 2 * data$wt + 1
  data$one <- 7
  ours <- freeridge(mpg ~ hp + unpenalised(wt + one + twice), data, kernel = linear_kernel(), lambda = 1e13)
  theirs <- lm(mpg ~ wt + one + twice, data)
  expect_identical(unname(is.na(coef(ours))), c(FALSE, FALSE, FALSE, TRUE, TRUE))
  expect_close(coef(ours)[["wt"]], coef(theirs)[["wt"]], 1e-6)
  expect_close(predict(ours, data[1:3, ]), suppressWarnings(predict(theirs, data[1:3, ])), 1e-6)
  expect_true(all(is.na(summary(ours)$effects[c("one", "twice"), "Estimate"])))
  expect_close(confint(ours)["wt", ], confint(theirs)["wt", ], 1e-6)
  expect_identical(is.na(diag(vcov(ours))), c(wt = FALSE, one = TRUE, twice = TRUE))
  expect_close(vcov(ours, complete = FALSE), vcov(theirs, complete = FALSE)["wt", "wt", drop = FALSE], 1e-6)
  expect_output(print(ours), "without an effect of their own, as they depend on others: one, twice")
  full <- freeridge(mpg ~ hp + unpenalised(0 + gear), data, kernel = linear_kernel(), lambda = 1)
  expect_identical(is.na(coef(full))[c("gear3", "gear5")], c(gear3 = FALSE, gear5 = TRUE))
})

test_that("the dot is all columns but those in unpenalised(), and one that is written stays", {
  data <- cars()[c("mpg", "wt", "hp", "gear")]
  fit <- freeridge(mpg ~ . + unpenalised(gear), data, kernel = gaussian_kernel(5), lambda = 1)
  expect_identical(colnames(fit$x), c("wt", "hp"))
  expect_identical(loo(fit), loo(freeridge(mpg ~ wt + hp + unpenalised(gear), data, kernel = gaussian_kernel(5), lambda = 1)))
  trend <- freeridge(mpg ~ wt + unpenalised(wt), data, kernel = gaussian_kernel(1), lambda = 0.1)  # a trend and what is beside it
  expect_identical(c(colnames(trend$x), colnames(trend$fixed)), c("wt", "wt"))
  k <- kernel_of_cars(data, "wt", 1)
  expect_close(unname(loo(trend)), drop(left_out_by_refits(k, cbind(1, data$wt), data$mpg, 0.1, 1:32)), 1e-9)
})

test_that("what the dot has not may be taken away from it", {
  data <- mtcars
  data$gear <- factor(data$gear)
  for (own in c("unpenalised(gear)", "random(gear)")) {
    of <- function(left) freeridge(stats::as.formula(paste("mpg ~ .", left, "+", own)), data, kernel = linear_kernel(), lambda = 2)
    expect_no_warning(given <- of("- gear"))
    expect_identical(fitted(given), fitted(of("")))
  }
})

test_that("rows, missing values, offsets, classes and weights of zero go along", {
  data <- cars()
  data$hp[4L] <- data$wt[9L] <- NA
  fit <- freeridge(mpg ~ hp + offset(qsec) + unpenalised(wt + gear), data, subset = cyl > 4, na.action = na.exclude,
                   kernel = gaussian_kernel(80), lambda = 0.4)
  rows <- which(data$cyl > 4)
  known <- rows[complete.cases(data[rows, ])]
  expect_identical(names(loo(fit)), rownames(data)[rows])
  expect_identical(is.na(unname(fitted(fit))), !rows %in% known)
  k <- kernel_of_cars(data[known, ], "hp", 80)
  f <- model.matrix(~ wt + gear, data[known, ])
  errors <- left_out_by_refits(k, f, (data$mpg - data$qsec)[known], 0.4, seq_along(known))
  expect_close(unname(loo(fit))[rows %in% known], drop(errors), 1e-9)
  expect_identical(is.na(unname(predict(fit, data[c(1, 4, 9), ]))), c(FALSE, TRUE, TRUE))
  expect_identical(length(predict(fit, data[0, ])), 0L)
  expect_identical(dim(model.frame(fit)), c(length(known), 5L))
  expect_identical(dim(model.matrix(fit)), c(length(known), 5L))
  expect_identical(nrow(augment.freeridge(fit)), length(rows))

  data <- cars()
  w <- rep(1, 32L)
  w[c(3L, 30L)] <- 0
  fit <- freeridge(mpg ~ hp + unpenalised(wt), data, weights = w, kernel = gaussian_kernel(80), lambda = 0.4)
  without <- freeridge(mpg ~ hp + unpenalised(wt), data[w > 0, ], kernel = gaussian_kernel(80), lambda = 0.4)
  expect_close(fitted(fit)[c(3L, 30L)], predict(without, data[c(3, 30), ]), 1e-10)
  expect_close(predict(fit, interval = "gp")[3L, ], predict(without, data[3, ], interval = "gp")[1L, ], 1e-9)
  expect_close(loo(fit)[3L], data$mpg[3L] - predict(without, data[3, ]), 1e-10)

  flowers <- freeridge(Species ~ Sepal.Length + Sepal.Width + unpenalised(Petal.Length), iris, kernel = gaussian_kernel(2), lambda = 0.1)
  expect_identical(dim(flowers$effects), c(1L, 3L))
  expect_identical(levels(predict(flowers, iris[1:3, ], type = "class")), levels(iris$Species))
  expect_close(rowSums(predict(flowers, iris[1:9, ], type = "probability")), rep(1, 9L), 1e-12)
})

test_that("a fit that was saved, its predictor and an update are the fit", {
  data <- cars()
  for (kernel in list(gaussian_kernel(80), linear_kernel())) {
    fit <- freeridge(mpg ~ hp + qsec + unpenalised(wt + gear), data, kernel = kernel, lambda = 0.4)
    file <- tempfile()
    saveRDS(fit, file)
    again <- readRDS(file)
    expect_identical(predict(again, data[1:4, ]), predict(fit, data[1:4, ]))
    expect_identical(coef(again), coef(fit))
    expect_identical(loo(again), loo(fit))
    expect_identical(summary(again)$effects, summary(fit)$effects)
    small <- unserialize(serialize(predictor(fit), NULL))
    expect_identical(predict(small, data[1:4, ]), predict(fit, data[1:4, ]))
    expect_lt(length(serialize(small, NULL)), length(serialize(fit, NULL)))
  }
  expect_identical(coef(small), coef(fit))
  expect_equal(formula(fit), mpg ~ hp + qsec + unpenalised(wt + gear), ignore_formula_env = TRUE)
  expect_identical(colnames(update(fit, . ~ . - unpenalised(wt + gear))$x), c("hp", "qsec"))
  expect_identical(colnames(update(fit, . ~ . - hp)$x), "qsec")
  scope <- drop1(fit)
  expect_identical(rownames(scope), c("<none>", "hp", "qsec", "unpenalised(wt + gear)"))
  expect_identical(variable.names(fit), names(coef(fit)))
})

test_that("intervals and marginal effects go along", {
  data <- cars()
  fit <- freeridge(mpg ~ hp + unpenalised(wt), data, kernel = gaussian_kernel(80), lambda = 0.4)
  new <- data[1:3, ]
  new$wt <- new$wt + 1
  for (interval in c("jackknife+", "gp")) {
    bounds <- predict(fit, new, interval = interval, level = 0.9)
    expect_identical(unname(bounds[, "fit"]), unname(predict(fit, new)))
    expect_true(all(bounds[, "lwr"] < bounds[, "fit"] & bounds[, "fit"] < bounds[, "upr"]))
  }
  # f alone
  step <- 1e-4
  up <- down <- new
  up$hp <- new$hp + step
  down$hp <- new$hp - step
  effects <- marginal_effects(fit, new)$effects
  expect_close(unname(effects[, "hp"]), unname(predict(fit, up) - predict(fit, down)) / (2 * step), 1e-6)
  direct <- freeridge(cbind(hp = data$hp, am = data$am), data$mpg, gaussian_kernel(80), 0.4, fixed = data$wt)
  expect_identical(colnames(marginal_effects(direct, cbind(hp = 100, am = 1))$effects), c("hp", "am"))
})

test_that("fixed beside a matrix: numbers, factors, data frames, sparse x and kernel functions", {
  data <- cars()
  x <- as.matrix(data[c("hp", "qsec")])
  reference <- freeridge(mpg ~ hp + qsec + unpenalised(gear), data, kernel = gaussian_kernel(80), lambda = 0.4)
  for (fixed in list(data$gear, data["gear"], as.character(data$gear))) {
    fit <- freeridge(x, data$mpg, gaussian_kernel(80), 0.4, fixed = fixed)
    expect_identical(loo(fit), loo(reference))
    new <- if (is.data.frame(fixed)) fixed[2:4, , drop = FALSE] else fixed[2:4]
    expect_identical(predict(fit, x[2:4, ], fixed = new), predict(reference, data[2:4, ]))
    expect_identical(predict(predictor(fit), x[2:4, ], fixed = new), predict(reference, data[2:4, ]))
  }
  fit <- freeridge(x, data$mpg, gaussian_kernel(80), 0.4, fixed = data["gear"])
  expect_identical(predict(fit, data[2:4, ]), predict(reference, data[2:4, ]))  # columns of newdata by their names
  plain <- freeridge(x, data$mpg, gaussian_kernel(80), 0.4, fixed = data$wt)
  expect_named(attr(coef(plain), "effects"), "fixed")
  expect_identical(predict(plain, x[1:2, ], fixed = data$wt[1:2]),
                   predict(freeridge(mpg ~ hp + qsec + unpenalised(wt), data, kernel = gaussian_kernel(80), lambda = 0.4), data[1:2, ]))
  frame <- freeridge(data[c("hp", "gear")], data$mpg, gaussian_kernel(80), 0.4, fixed = data["wt"])
  expect_close(predict(frame, data[3:5, ]), fitted(frame)[3:5], 1e-12)
  none <- freeridge(x, data$mpg, gaussian_kernel(80), 0.4, intercept = FALSE, fixed = data$gear)
  expect_identical(colnames(none$fixed), paste0("fixed", levels(data$gear)))

  k <- oracle_kernel(gaussian_kernel(80), x, x)
  given <- freeridge(k, data$mpg, precomputed_kernel(), 0.4, fixed = data$gear)
  expect_close(unname(loo(given)), unname(loo(reference)), 1e-9)
  expect_close(unname(predict(given, k[2:4, ], fixed = data$gear[2:4])), unname(predict(reference, data[2:4, ])), 1e-9)
  by_function <- freeridge(x, data$mpg, function(x, z) exp(-sum((x - z)^2) / 80^2), 0.4, fixed = data$gear)
  expect_close(unname(predict(by_function, x[2:4, ], fixed = data$gear[2:4])), unname(predict(given, k[2:4, ], fixed = data$gear[2:4])), 1e-9)
  expect_close(unname(loo(by_function)), unname(loo(given)), 1e-9)

  skip_if_not_installed("Matrix")
  sparse <- freeridge(Matrix::Matrix(x, sparse = TRUE), data$mpg, gaussian_kernel(80), 0.4, fixed = data$gear)
  expect_close(unname(predict(sparse, Matrix::Matrix(x[2:4, ], sparse = TRUE), fixed = data$gear[2:4])),
               unname(predict(reference, data[2:4, ])), 1e-9)
  line <- freeridge(Matrix::Matrix(x, sparse = TRUE), data$mpg, linear_kernel(), 3, fixed = data$wt)
  dense <- freeridge(x, data$mpg, linear_kernel(), 3, fixed = data$wt)
  expect_close(coef(line), coef(dense), 1e-8)
  expect_close(unname(loo(line)), unname(loo(dense)), 1e-8)
})

test_that("landmarks and several outputs have unpenalised columns, too", {
  data <- cars()
  fit <- freeridge(cbind(mpg, drat) ~ hp + qsec + unpenalised(wt), data, kernel = gaussian_kernel(80), lambda = c(0.4, 2),
                   landmarks = 8)
  expect_identical(dim(attr(coef(fit), "effects")), c(1L, 2L))
  expect_close(unname(predict(fit, data)), unname(fitted(fit)), 1e-9)
  both <- summary(fit)$effects
  expect_named(both, c("mpg", "drat"))
  one <- freeridge(drat ~ hp + qsec + unpenalised(wt), data, kernel = gaussian_kernel(80), lambda = 2, landmarks = 8)
  expect_close(both$drat, summary(one)$effects, 1e-8)
  expect_identical(dimnames(vcov(fit)), rep(list(c("mpg:wt", "drat:wt")), 2L))
  expect_close(vcov(fit)["drat:wt", "drat:wt"], vcov(one)[[1L]], 1e-8)
  expect_true(is.na(vcov(fit)["mpg:wt", "drat:wt"]))
  expect_warning(none <- vcov(one, lambda = 0), "undefined at lambda = 0", class = "freeridge_undefined")
  expect_true(is.nan(none[[1L]]))
  expect_close(dim(attr(coef(one, c(1, 2, 3)), "effects")), c(1, 3), 0)
})

test_that("variance components and their print", {
  set.seed(5)
  n <- 60L
  genes <- matrix(sample(0:2, n * 40L, TRUE), n)
  z <- scale(genes, scale = FALSE)
  k <- tcrossprod(z) / 20
  f <- cbind(1, rnorm(n))
  y <- drop(f %*% c(3, 1) + t(chol(k + diag(1e-6, n))) %*% rnorm(n) + rnorm(n))
  fit <- freeridge(k, y, precomputed_kernel(), criterion = "reml", fixed = f[, 2L])
  found <- variance_components(fit)
  expect_close(found$share[1L], 1 / (1 + fit$lambda), 1e-12)
  expect_close(found$variance[2L], fit$lambda * found$variance[1L], 1e-12)
  expect_output(print(found), "the share of each in their sum.*variance.*share.*share_se.*random.*residual")
  expect_false(any(grepl("lambda was chosen", capture.output(print(found)))))
  by_loo <- variance_components(freeridge(k, y, precomputed_kernel(), fixed = f[, 2L]))
  expect_output(print(by_loo), "lambda was chosen by the leave-one-out mean squared error: for the estimates of REML")
  expect_close(variance_components(fit, lambda = 2)$share[1L], 1 / 3, 1e-12)
  # predicted random effects of individuals without a record: K c
  expect_close(unname(predict(fit, k[1:3, ], fixed = rep(0, 3L)) - attr(coef(fit), "intercept")), drop(k[1:3, ] %*% coef(fit)), 1e-8)
  expect_warning(variance_components(fit, lambda = 0), class = "freeridge_undefined")
})

test_that("what makes no sense is refused, and says why", {
  data <- cars()
  x <- as.matrix(data[c("hp", "qsec")])
  for (formula in list(mpg ~ hp:unpenalised(wt), mpg ~ hp + log(unpenalised(wt)), mpg ~ hp * unpenalised(wt), mpg ~ hp - unpenalised(wt),
                       mpg ~ unpenalised(unpenalised(wt)))) {
    expect_refusal(freeridge(formula, data, kernel = linear_kernel()), "unpenalised\\(\\) is a term of a formula of freeridge\\(\\), by itself")
  }
  expect_refusal(unpenalised(1), "is a term of a formula")
  expect_refusal(freeridge(unpenalised(mpg) ~ hp, data), "unpenalised\\(\\) is not for the response")
  expect_refusal(freeridge(mpg ~ hp + unpenalised(), data), "unpenalised\\(\\) is empty")
  expect_refusal(freeridge(mpg ~ hp + unpenalised(df = wt), data), "takes terms without names, not 'df'")
  expect_refusal(freeridge(mpg ~ hp + unpenalised(offset(wt)), data), "an offset has no effect to be found")
  expect_refusal(freeridge(mpg ~ hp + unpenalised(1), data), "unpenalised\\(\\) has no columns")
  expect_refusal(freeridge(y ~ . + unpenalised(a), list(y = 1:3, a = 1:3)), "the data do not fit the formula")
  expect_refusal(freeridge(mpg ~ hp + unpenalised(nowhere), data), "the data do not fit the formula")
  expect_refusal(ols(mpg ~ hp + unpenalised(wt), data), "unpenalised\\(\\) is for freeridge\\(\\), ols\\(\\) has no such columns")
  expect_refusal(freeridge(mpg ~ hp, data, fixed = data$wt), "fixed goes with a matrix")

  fit <- freeridge(mpg ~ hp + unpenalised(wt + gear), data, kernel = gaussian_kernel(80), lambda = 1)
  other <- data[1:2, ]
  other$gear <- factor("9")
  expect_refusal(predict(fit, other), "factor gear has new level 9; the fit knows 3, 4, 5")
  expect_refusal(predict(fit, data[c("hp", "wt")]), "newdata has no column 'gear'")
  expect_refusal(predict(fit, data, fixed = data$wt), "the fit was made by a formula: newdata has its variables")
  expect_refusal(predict(fit, fixed = data$wt), "fixed is given without newdata")
  line <- freeridge(mpg ~ hp + unpenalised(wt), data, kernel = linear_kernel(), lambda = 1)
  for (to in c("glmnet", "lm.ridge")) expect_refusal(lambda_as(line, to), "the fit has unpenalised columns")
  expect_close(lambda_as(line, "mean"), 1 / 32, 1e-12)
  expect_refusal(vcov(fit, "robust"), 'type must be one of "bayesian", "frequentist", not "robust"')

  for (bad in list(data$wt[-1L], data[-1L, "wt", drop = FALSE])) {
    expect_refusal(freeridge(x, data$mpg, fixed = bad), "fixed has 31 rows, x has 32")
  }
  expect_refusal(freeridge(x, data$mpg, fixed = replace(data$wt, 3L, NA)), "fixed\\[3, \"fixed\"\\] is NA|fixed\\[3\\] is NA")
  expect_refusal(freeridge(x, data$mpg, fixed = replace(data$gear, 3L, NA)), "fixed\\[3, \"fixed\"\\] is NA")
  expect_refusal(freeridge(x, data$mpg, fixed = list(1)), "fixed must be a numeric matrix")
  expect_refusal(freeridge(x, data$mpg, fixed = matrix(0, 32L, 0L)), "fixed has no columns")
  expect_refusal(freeridge(x, data$mpg, gaussian_kernel(1), 1, fixed = diag(32L)),
                 "fixed has 32 columns; there can be fewer unpenalised columns than rows")
  expect_refusal(freeridge(x, data$mpg, linear_kernel(), 1, fixed = data$wt, refine = 2), "refinement")

  numbers <- freeridge(x, data$mpg, gaussian_kernel(80), 1, fixed = cbind(wt = data$wt, am = data$am))
  expect_refusal(predict(numbers, x), "newdata has no column 'wt': give their values, fixed = ...")
  expect_refusal(predict(numbers, x[1:3, ], fixed = cbind(1, 2)), "fixed has 1 row, newdata has 3")
  expect_refusal(predict(numbers, x[1:3, ], fixed = 1:3), "fixed has 1 column, that of the fit has 2")
  expect_refusal(predict(numbers, x[1:2, ], fixed = cbind(c(1, Inf), 1)), "fixed\\[2, 1\\] is Inf")
  expect_identical(is.na(unname(predict(numbers, x[1:2, ], fixed = cbind(c(1, NA), 1)))), c(FALSE, TRUE))
  levels <- freeridge(x, data$mpg, gaussian_kernel(80), 1, fixed = data["gear"])
  expect_refusal(predict(levels, x[1:2, ], fixed = 1:2), "fixed must be a data frame")
  expect_refusal(predict(levels, x[1:2, ], fixed = data.frame(gear = c("3", "x"))), "fixed does not fit the model: factor gear has new levels? x")
  plain <- freeridge(x, data$mpg, gaussian_kernel(80), 1)
  expect_refusal(predict(plain, x, fixed = data$wt), "fixed is given, but the fit has no unpenalised columns")

  classes <- freeridge(Species ~ Sepal.Length, iris, kernel = gaussian_kernel(1), lambda = 1)
  expect_refusal(variance_components(classes), "a fit to classes .* has no variance components")
  expect_refusal(variance_components(freeridge(mpg ~ unpenalised(wt), data)), "no penalised columns, and no random effect")
  expect_refusal(variance_components(fit, 1, 2), "unknown argument")

  model <- model_at(numbers)
  expect_refusal(core_create(list(name = "linear"), NULL, x, cbind(data$mpg), FALSE, matrix(0, 2L, 1L)),
                 "fixed and x differ in their number of rows")
  expect_refusal(core_predict(model, x, matrix(0, 2L, 2L)), "fixed and newdata differ in their number of rows")
  for (ask in list(core_predict, core_predict_variance, function(model, x, fixed) core_predict_jackknife(model, x, 0.9, FALSE, fixed))) {
    expect_refusal(ask(model, x, matrix(0, 32L, 3L)), "fixed has another number of columns")
  }
})

test_that("a penalised column that unpenalised columns explain, and constant columns, are fitted without a lambda", {
  cars <- datasets::cars
  line <- lm(dist ~ speed, cars)
  for (criterion in c("loo", "gcv", "reml")) {
    fit <- freeridge(dist ~ speed + unpenalised(speed), cars, kernel = linear_kernel(), criterion = criterion)
    expect_identical(unname(fit$lambda), 1)
    expect_close(fitted(fit), fitted(line), 1e-12)
    expect_close(loo(fit), residuals(line) / (1 - hatvalues(line)), 1e-12)
  }
  cars$one <- 1
  expect_close(coef(freeridge_chunks(dist ~ one, row_source(cars, 20))), c(mean(cars$dist), 0), 1e-12)
})

test_that("a fit with unpenalised columns alone has the answers that need no penalised one", {
  cars <- transform(mtcars, cyl = factor(cyl))
  fit <- freeridge(mpg ~ unpenalised(wt + cyl), cars)
  line <- lm(mpg ~ wt + cyl, cars)
  # the fit beside a column that lambda leaves no part of
  beside <- freeridge(mpg ~ unpenalised(wt + cyl) + hp, cars, kernel = linear_kernel(), lambda = 1e12)
  table <- importance(beside)$table
  expect_close(importance(fit)$table$increase, table$increase[table$variable != "hp"], 1e-6)
  curves <- effects(fit, points = 3)
  of_wt <- curves$estimate[curves$variable == "wt"]
  expect_close(diff(of_wt) / diff(as.numeric(curves$value[curves$variable == "wt"])), rep(coef(line)[["wt"]], 2L), 1e-8)
  expect_identical(effects(fit, "cyl", individual = TRUE)$level, levels(cars$cyl))
  bounds <- predict(fit, cars, interval = "local")
  expect_true(all(bounds[, "lwr"] < bounds[, "fit"] & bounds[, "fit"] < bounds[, "upr"]))
  expect_true(all(is.finite(predict(freeridge(mpg ~ 1, cars), cars[1:3, ], interval = "local"))))
  expect_identical(plot_data(fit, "effect", NULL, 1L, NULL)$variable[1L], "wt")
  for (ask in list(plot, lambda_path, lambda_grid)) expect_refusal(ask(fit), "no penalised columns, and so no path of lambda; plot\\(\\) with type")
  expect_refusal(marginal_effects(fit), "the effects of unpenalised ones are their coefficients, see coef\\(\\) and confint\\(\\)")
})
