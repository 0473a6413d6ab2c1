# Random effects and several variances: against lme4, against the restricted likelihood by its definition, and against the
# same model written as matrices.

# y ~ terms with one factor of some levels, another crossed with it, and a number.
effects_data <- function(n = 120L) {
  set.seed(29)
  d <- data.frame(x = rnorm(n), g = factor(sample(letters[1:7], n, TRUE)), id = sample(c(3, 11, 20, 7, 5), n, TRUE))
  d$y <- sin(2 * d$x) + rnorm(7L)[d$g] + rnorm(20L, 0, 0.5)[d$id] + rnorm(n, 0, 0.4)
  d
}

# Minus the restricted log-likelihood of the covariance v, without constants.
minus_reml <- function(v, f, y) {
  inner <- crossprod(f, solve(v, f))
  r <- y - f %*% solve(inner, crossprod(f, solve(v, y)))
  as.numeric(determinant(v)$modulus + determinant(inner)$modulus + sum(r * solve(v, r))) / 2
}

test_that("variances, effects and predictions are those of lme4", {
  skip_if_not_installed("lme4")
  tight <- lme4::lmerControl("nloptwrap", optCtrl = list(
    xtol_abs = 1e-10, ftol_abs = 1e-14, xtol_rel = 1e-10, ftol_rel = 1e-15, maxeval = 1e4))
  cases <- list(
    list(Reaction ~ Days + (1 | Subject), "sleepstudy"), list(Reaction ~ Days + (Days || Subject), "sleepstudy"),
    list(Yield ~ 1 + (1 | Batch), "Dyestuff"), list(Yield ~ 1 + (1 | Batch), "Dyestuff2"),
    list(diameter ~ 1 + (1 | plate) + (1 | sample), "Penicillin"), list(strength ~ 1 + (1 | batch / cask), "Pastes"),
    list(angle ~ recipe * temperature + (1 | recipe:replicate), "cake")
  )
  for (case in cases) {
    data <- getExportedValue("lme4", case[[2L]])
    model <- suppressMessages(suppressWarnings(lme4::lmer(case[[1L]], data, control = tight)))
    fit <- freeridge(case[[1L]], data, kernel = linear_kernel())
    found <- variance_components(fit)
    known <- as.data.frame(lme4::VarCorr(model))
    expect_close(sort(found$variance), sort(known$vcov), 1e-5)
    none <- any(known$vcov == 0)  # then lambda is the largest of its range, and leaves a thousandth of the effects
    expect_close(fitted(fit), unname(fitted(model)), if (none) 1e-3 else 1e-6)
    expect_close(unname(fit$score), -as.numeric(logLik(model)), if (none) 1e-4 else 1e-9)
    fixed <- lme4::fixef(model)
    expect_close(unname(coef(fit)[names(fixed)]), unname(fixed), 1e-5 * max(abs(fixed)))
    if (length(fixed) > 1L) {
      errors <- sqrt(diag(as.matrix(stats::vcov(model))))[-1L]
      expect_close(unname(summary(fit)$effects[names(errors), "Std. Error"]), unname(errors), 1e-5)
    }
    expect_close(sum(found$share), 1, 1e-12)
  }
  fit <- freeridge(Reaction ~ Days + (1 | Subject), lme4::sleepstudy, kernel = linear_kernel())
  effects <- lme4::ranef(suppressMessages(lme4::lmer(Reaction ~ Days + (1 | Subject), lme4::sleepstudy, control = tight)))
  expect_close(unname(coef(fit)[paste0("Subject", rownames(effects$Subject))]), effects$Subject[[1L]], 1e-5)
  none <- variance_components(freeridge(Yield ~ 1 + (1 | Batch), lme4::Dyestuff2, kernel = linear_kernel()))
  expect_identical(none$variance[1L], 0)
  expect_identical(none$share, c(0, 1))
  expect_output(print(none), "zero, the least there is: Batch")
})

test_that("random() is a term of its own beside each kernel", {
  d <- effects_data()
  n <- nrow(d)
  z <- function(label) outer(label, label, "==") + 0
  f <- matrix(1, n)
  kernels <- list(linear = linear_kernel(), gaussian = gaussian_kernel(1.3),
                  sum = gaussian_kernel(1) + 0.5 * linear_kernel(), scaled = scaled_kernel(matern_kernel(1.5, 1), 2),
                  additive = additive_kernel(laplacian_kernel(2)), product = linear_kernel() * gaussian_kernel(1))
  for (kernel in kernels) {
    fit <- freeridge(y ~ x + random(g) + random(id), d, kernel = kernel)
    own <- kernel_matrix(kernel, as.matrix(d["x"]))
    by_matrices <- freeridge(list(own, z(d$g), z(d$id)), d$y)
    found <- variance_components(fit)
    values <- variance_components(by_matrices)
    several <- if (kernel$name == "sum") 1:2 else 1L  # of a sum each term has a variance
    expect_close(sum(found$variance[several] * if (kernel$name == "sum") c(1, 0) + c(0, 1) else 1),
                 values$variance[1L] * if (kernel$name == "sum") 1.5 else 1, 1e-5 * values$variance[1L])
    expect_close(utils::tail(found$variance, 3L), utils::tail(values$variance, 3L), 1e-5)
    expect_close(unname(fitted(fit)), unname(fitted(by_matrices)), 1e-5)
    expect_close(unname(loo(fit)), unname(loo(by_matrices)), 1e-5)
    expect_close(unname(group_errors(fit, d$g)), unname(group_errors(by_matrices, d$g)), 1e-5)
    # the maximum of the likelihood by its definition
    v <- function(theta) theta[1L] * own + theta[2L] * z(d$g) + theta[3L] * z(d$id) + diag(theta[4L], n)
    best <- values$variance
    for (k in which(best > 0)) {
      slope <- (minus_reml(v(replace(best, k, best[k] * 1.001)), f, d$y) - minus_reml(v(replace(best, k, best[k] * 0.999)), f, d$y)) / 0.002
      expect_lt(abs(slope), 1e-4)
    }
  }
  expect_identical(row.names(variance_components(freeridge(y ~ x + random(g) + random(id), d))), c("x", "g", "id", "residual"))
  two <- freeridge(cbind(a = y, b = y^2) ~ x + random(g), d, kernel = linear_kernel())
  expect_identical(row.names(variance_components(two)), paste0(rep(c("a:", "b:"), each = 3L), c("x", "g", "residual")))
  expect_output(print(two), "a:g .*b:residual")
})

test_that("formulas of random effects", {
  d <- effects_data()
  d$`a b` <- d$g
  linear <- linear_kernel()
  same <- function(a, b, ...) expect_close(unname(fitted(freeridge(a, d, ...))), unname(fitted(freeridge(b, d, ...))), 1e-9)
  same(y ~ x + (1 | g), y ~ unpenalised(x) + random(g), kernel = linear)
  same(y ~ x + (1 | g) + unpenalised(id), y ~ x + random(g) + unpenalised(id), kernel = linear)
  same(y ~ x + (1 | g), y ~ x + random(g), kernel = gaussian_kernel(1))
  same(y ~ random(g / id), y ~ random(g) + random(g:id), kernel = linear)
  same(y ~ random(g) + random(id), y ~ random(g, id) + random(g), kernel = linear)
  same(y ~ x + random(`a b`), y ~ x + freeridge::random(g), kernel = linear)
  same(y ~ (1 | g) - 1, y ~ random(g) + 0, kernel = linear)
  same(y ~ (1 | (g)) + offset(x), y ~ random(g) + offset(x), kernel = linear)
  same(y ~ . - id - `a b` + random(g), y ~ x + random(g), kernel = linear)
  same(y ~ . + (1 | g), y ~ unpenalised(x + id + `a b`) + random(g), kernel = linear)
  same(y ~ (0 + x | g), y ~ (x - 1 | g), kernel = linear)
  fit <- freeridge(y ~ x + (1 | g), d, kernel = linear)
  expect_identical(formula(fit), y ~ x + (1 | g), ignore_formula_env = TRUE)
  expect_identical(deparse(update(fit, . ~ . - x)$call$formula), "y ~ (1 | g)")
  slopes <- freeridge(y ~ x + (x || g) + random(g:id), d, kernel = linear)
  expect_identical(row.names(variance_components(slopes)), c("g", "x | g", "g:id", "residual"))
  x <- model.matrix(slopes)
  expect_identical(colnames(x)[1:2], c("(Intercept)", "ga"))
  expect_identical(unique(attr(x, "assign")), c(0L, 2L, 3L, 1L))
  expect_identical(unname(x[, "x | ga"]), d$x * (d$g == "a"))
  apart <- model.matrix(freeridge(y ~ unpenalised(x) + random(g), d, kernel = linear))
  expect_identical(unique(attr(apart, "assign")), c(0L, 2L, 1L))

  refused <- function(formula, words, ...) expect_refusal(freeridge(formula, d, ...), words)
  refused(y ~ x + (x | g), "whose effects in a level are correlated, .* \\(x \\|\\| g\\) has them without")
  refused(y ~ x * random(g), "a random effect is a term by itself")
  refused(y ~ x - random(g), "a random effect is a term by itself")
  refused(y ~ unpenalised(x + (1 | g)), "a random effect is a term by itself")
  refused(y ~ random(), "random\\(\\) is a term of a formula of freeridge")
  refused(y ~ random(id = g), "random\\(\\) is a term of a formula of freeridge")
  expect_refusal(random(d$g), "random\\(\\) is a term of a formula of freeridge")
  refused(y ~ (. | g), "whose left side is \\.: it must be 1 or terms of numbers")
  refused(y ~ (0 + g | id), "is a slope of g, which is a factor")
  refused(y ~ random(as.matrix(id)), "has as.matrix\\(id\\), which is a matrix: a factor is needed")
  refused(y ~ random(rep(1, 120)), "has one level only, 1: an effect needs two or more")
  refused(y ~ random(seq_along(y)), "has a level for each of the 120 rows")
  refused(y ~ x + random(g), "goes with the kernels of this package", kernel = function(a, b) sum(a * b))
  refused(y ~ x + random(g), "the kernel is precomputed: give the matrix of random\\(id\\) beside it", kernel = precomputed_kernel())
  refused(y ~ x + random(g), "stack is given, whose members have kernels of their own: random\\(\\) in a formula", stack = TRUE)
  expect_refusal(ols(y ~ x + random(g), d), "random\\(\\) is for freeridge\\(\\), ols\\(\\) has no such columns")
  expect_refusal(ridge(y ~ x + (1 | g), d, lambda = 1), "random\\(\\) is for freeridge\\(\\), ridge\\(\\)")
  expect_refusal(freeridge_chunks(y ~ x + (1 | g), d, kernel = linear), "random effects are for freeridge\\(\\), which has all rows at once")
  weighted <- freeridge(y ~ x + random(seq_along(y)), d, kernel = linear, weights = rep(1:3, 40L))  # as in meta-analysis
  expect_identical(nrow(variance_components(weighted)), 3L)
})

test_that("each combination of labels is a level of its own", {
  d <- effects_data()
  d$p <- rep(c("a", "a:b", "a\\"), 40L)
  d$q <- rep(c("b:c", "c", ":c", "d"), each = 30L)
  fit <- freeridge(y ~ x + random(p:q), d, kernel = linear_kernel())
  d$both <- interaction(d$p, d$q, sep = " of ", drop = TRUE)
  expect_close(unname(fitted(fit)), unname(fitted(freeridge(y ~ x + random(both), d, kernel = linear_kernel()))), 1e-6)
  expect_true("p:qa:b\\:c" %in% names(coef(fit)))
})

test_that("answers of a fit with random effects", {
  d <- effects_data()
  d$x[3L] <- NA
  fit <- freeridge(y ~ x + random(g) + random(id), d, na.action = na.exclude)
  expect_identical(is.na(fitted(fit))[1:4], c(FALSE, FALSE, TRUE, FALSE), ignore_attr = TRUE)
  text <- paste(capture.output(print(fit)), collapse = "\n")
  expect_match(text, "matern\\(nu = 1.5, length = 1\\) of x / length, a length for each column \\+\\s+[0-9.]+ \\* random\\(g\\) \\+\\s+[0-9.]+ \\* random\\(id\\)")
  expect_match(text, "Variances beside the function of the other columns, and their shares:\n  g .*\n  id .*\n  residual")
  expect_match(paste(capture.output(print(freeridge(y ~ x + id + random(g), d))), collapse = "\n"),
               "of all columns and of each column, a length for each\\s+\\+\\s+[0-9.]+ \\*\\s+random\\(g\\)")
  d$none <- rep(1:6, 20L)  # has no part in y
  expect_identical(variance_components(freeridge(y ~ x + random(g) + random(none), d))["none", "variance"], 0)
  terms <- predict(fit, type = "terms")
  expect_identical(colnames(terms), c("x", "g", "id"))
  expect_close(rowSums(terms) + attr(terms, "constant"), fitted(fit), 1e-10)
  linear <- freeridge(y ~ x + random(g), d, kernel = linear_kernel())
  terms <- predict(linear, type = "terms")
  expect_identical(colnames(terms), c("x", "g"))
  expect_close(rowSums(terms) + attr(terms, "constant"), unname(fitted(linear)), 1e-10)

  # a level that is not known has the effect zero; a level that is missing has none
  new <- d[c(1L, 2L, 4L, 5L), ]
  new$g <- as.character(new$g)
  new$g[1L] <- "unheard of"
  new$id[2L] <- 99
  new$id[3L] <- NA
  found <- predict(fit, new, se.fit = TRUE)
  expect_identical(is.na(unname(found$fit)), c(FALSE, FALSE, TRUE, FALSE))
  beta <- coef(linear)
  expect_close(unname(predict(linear, new[1L, ])), unname(beta[["(Intercept)"]] + beta[["x"]] * new$x[1L]), 1e-10)
  expect_true(all(found$se.fit[c(1L, 2L, 4L)] > 0))
  expect_true(all(is.finite(predict(fit, new[c(1L, 2L, 4L), ], interval = "jackknife+"))))

  file <- tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), new), predict(fit, new))
  expect_close(predict(predictor(fit), new), predict(fit, new), 1e-12)
  curves <- effects(fit, "g")
  expect_identical(curves$level, levels(d$g))
  expect_identical(names(variables_of_fit(fit)), c("x", "g", "id"))
  expect_true(all(importance(fit)$table$increase > 0))
  expect_true(all(anova(fit)[["Pr(>Q)"]] < 0.01))
  learnt <- loo(freeridge(y ~ random(g) + random(id), d, kernel = linear_kernel()), learnt = TRUE)
  expect_true(all(is.finite(learnt)))
  apart <- freeridge(y ~ x + random(g), d, kernel = gaussian_kernel(), scale = TRUE)
  expect_identical(unname(apart$scale[-1L]), rep(1, 7L))
  expect_match(paste(capture.output(print(relevance(apart))), collapse = ""), "x")
})

test_that("given matrices, each with its variance", {
  set.seed(61)
  n <- 50L
  m <- matrix(rnorm(n * 8L), n, dimnames = list(paste0("line", seq_len(n)), NULL))
  a <- tcrossprod(m) / 8
  b <- exp(-as.matrix(dist(m[, 1:2]))^2)
  y <- drop(m %*% rnorm(8L)) / 2 + sin(2 * m[, 1L]) + rnorm(n, 0, 0.5)
  fit <- freeridge(list(additive = a, b), y)
  found <- variance_components(fit)
  expect_identical(row.names(found), c("additive", "K2", "residual"))
  v <- function(theta) theta[1L] * a + theta[2L] * b + diag(theta[3L], n)
  best <- stats::optim(log(found$variance + 0.01), function(t) minus_reml(v(exp(t)), matrix(1, n), y), method = "BFGS",
                       control = list(reltol = 1e-15, maxit = 1000L))
  expect_close(found$variance, exp(best$par), 1e-5)
  # standard errors of shares: the delta method on the inverse of the second derivatives by the logarithms
  h <- stats::optimHess(log(found$variance), function(t) minus_reml(v(exp(t)), matrix(1, n), y), control = list(ndeps = rep(1e-3, 3L)))
  share <- found$share
  jacobian <- diag(share) - share %o% share
  expect_close(found$share_se, sqrt(diag(jacobian %*% solve(h, jacobian))), 1e-4)
  expect_output(print(fit), "Variances, and their shares:\n  additive .*\n  K2")

  whole <- found$variance[1L] * a + found$variance[2L] * b
  one <- freeridge(whole, y, precomputed_kernel(), lambda = found$variance[3L])
  expect_close(loo(fit), loo(one), 1e-8)
  expect_close(fitted(fit), fitted(one), 1e-8)
  first <- list(a[1:3, ], b[1:3, ])
  expect_identical(names(predict(fit, first)), rownames(a)[1:3])
  expect_close(predict(fit, first), fitted(fit)[1:3], 1e-10)
  expect_close(predict(fit, list(K2 = b[1:3, n:1], additive = a[1:3, n:1])), fitted(fit)[1:3], 1e-10)
  w <- replace(rep(1, n), 4L, 0)
  without <- freeridge(list(a, b), y, weights = w)
  expect_close(unname(fitted(without)[4L]), unname(predict(freeridge(list(a[-4L, -4L], b[-4L, -4L]), y[-4L]), list(a[4L, -4L, drop = FALSE], b[4L, -4L, drop = FALSE]))), 1e-8)
  expect_close(predict(without, list(a[1:6, ], b[1:6, ])), fitted(without)[1:6], 1e-10)
  file <- tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), first), predict(fit, first))
  expect_identical(freeridge(list(a), y)$lambda, freeridge(a, y, precomputed_kernel())$lambda)

  expect_refusal(freeridge(list(), y), "x is an empty list")
  expect_refusal(freeridge(list(a, b)), "y is missing")
  expect_refusal(freeridge(list(a, b), y, linear_kernel()), "kernel must be a sum of as many precomputed_kernel")
  expect_refusal(freeridge(list(a, b[-1L, ]), y), "K2 is 49 x 50; the matrices in x must be square, and all of one size, 50")
  expect_refusal(freeridge(list(a, b[n:1, n:1]), y), "row 1 of x is called 'line1', that of K2 'line50'")
  expect_refusal(freeridge(list(a, b[, n:1]), y), "rows and columns of K2 have other names")
  expect_refusal(freeridge(cbind(a, b), y, precomputed_kernel() + precomputed_kernel() + precomputed_kernel()),
                 "with a sum of 3 kernels precomputed_kernel\\(\\) it has the square matrices .* side by side")
  expect_refusal(predict(fit, list(a[1:3, ])), "newdata has 1 matrix, the fit has 2")
  expect_refusal(predict(fit, list(a[1:3, ], b[1:2, ])), "the matrices in newdata have other numbers of rows")
})
