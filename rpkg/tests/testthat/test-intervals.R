# Prediction intervals against refits, and what predict() makes of predictive variances.

# refit(keep): the fit to the points `keep`.
oracle_jackknife <- function(x, y, new, refit, level) {
  n <- nrow(x)
  fits <- lapply(seq_len(n), function(i) refit(-i))
  errors <- vapply(seq_len(n), function(i) y[i] - oracle_predict(fits[[i]], x[i, , drop = FALSE])[1L], 0)
  without <- vapply(fits, function(fit) oracle_predict(fit, new)[, 1L], numeric(nrow(new)))
  low <- floor((1 - level) * (n + 1))
  high <- ceiling(level * (n + 1))
  t(apply(without, 1L, function(values) {
    c(if (low < 1) -Inf else sort(values - abs(errors))[low], if (high > n) Inf else sort(values + abs(errors))[high])
  }))
}

test_that("jackknife+ intervals are those of refits", {
  p <- problem()
  kernel <- gaussian_kernel(2)
  for (intercept in c(FALSE, TRUE)) for (level in c(0.5, 0.9)) {
    fit <- freeridge(p$x, p$y, kernel, 0.3, intercept = intercept, weights = p$weights)
    found <- predict(fit, p$new, interval = "jackknife+", level = level)
    expect_identical(colnames(found), c("fit", "lwr", "upr"))
    expect_close(found[, "fit"], predict(fit, p$new), 1e-12)
    refit <- function(keep) oracle_fit(p$x[keep, ], p$y[keep], kernel, 0.3, p$weights[keep], intercept)
    expect_close(found[, -1L], oracle_jackknife(p$x, p$y, p$new, refit, level), 1e-8)
  }
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), 0.3)
  wide <- predict(fit, p$new, interval = "jackknife+", level = 0.99)  # 20 points are too few
  expect_identical(unname(wide[1L, -1L]), c(-Inf, Inf))
  other <- freeridge(p$x, p$y, gaussian_kernel(2), 5)
  expect_close(predict(fit, p$new, 5, "jackknife+"), predict(other, p$new, interval = "jackknife+"), 1e-12)
})

test_that("cv+ intervals are those of refits without each group, gaps included", {
  p <- problem()
  n <- nrow(p$x)
  groups <- rep(c("a", "b", NA, "c", "d"), length.out = n)
  gap <- replace(rep(NA, n), 3L, "b")
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), 0.3, groups = groups, gap = gap)
  ends <- lapply(c("a", "b", "c", "d"), function(label) {
    own <- which(groups == label)
    refit <- freeridge(p$x[-c(own, if (label == "b") 3L), ], p$y[-c(own, if (label == "b") 3L)], gaussian_kernel(2), 0.3)
    errors <- abs(p$y[own] - predict(refit, p$x[own, ]))
    list(low = outer(predict(refit, p$new), errors, "-"), high = outer(predict(refit, p$new), errors, "+"))
  })
  low <- do.call(cbind, lapply(ends, `[[`, "low"))
  high <- do.call(cbind, lapply(ends, `[[`, "high"))
  place <- ceiling(0.8 * (ncol(low) + 1))
  found <- predict(fit, p$new, interval = "cv+", level = 0.8)
  expect_close(found[, "lwr"], apply(low, 1L, function(values) sort(values, decreasing = TRUE)[place]), 1e-8)
  expect_close(found[, "upr"], apply(high, 1L, function(values) sort(values)[place]), 1e-8)
  expect_refusal(predict(freeridge(p$x, p$y, gaussian_kernel(2), 0.3), p$new, interval = "cv+"), "the fit has no groups")
  line <- freeridge(matrix(c(1, 2, 3, 9)), c(1, 2, 2, 5), linear_kernel(), 0, groups = c(1, 1, 1, 2), intercept = FALSE)
  expect_true(all(is.finite(predict(line, 2, interval = "cv+", level = 0.5))))
  flat <- freeridge(cbind(c(1, 2, 3, 0), c(0, 0, 0, 1)), c(1, 2, 2, 5), linear_kernel(), 0, groups = c(1, 1, 1, 2))
  expect_warning(predict(flat, cbind(2, 1), interval = "cv+"), "predictions of a group", class = "freeridge_undefined")
})

test_that("jackknife+ intervals with the learning included are those of fits learnt without each point", {
  cars <- mtcars[1:18, c("mpg", "wt", "qsec")]
  new <- mtcars[19:24, ]
  fit <- freeridge(mpg ~ ., cars)
  found <- predict(fit, new, interval = "jackknife+", level = 0.8, learnt = TRUE)
  expect_identical(found[, "fit"], predict(fit, new))
  ends <- vapply(1:18, function(i) {
    without <- freeridge(mpg ~ ., cars[-i, ], scale = fit$scale)
    c(predict(without, new), abs(cars$mpg[i] - predict(without, cars[i, ])))
  }, numeric(7L))
  error <- ends[7L, ]
  expected <- t(apply(ends[-7L, ], 1L, function(at) c(sort(at - error)[3L], sort(at + error)[16L])))
  expect_close(unname(found[, -1L]), unname(expected), 1e-4)
  expect_refusal(predict(fit, new, interval = "gp", learnt = TRUE), "is for interval = .jackknife")
  expect_refusal(predict(fit, new, lambda = 1, interval = "jackknife+", learnt = TRUE), "lambda is given")
  given <- freeridge(mpg ~ ., cars, lambda = 1, kernel = gaussian_kernel(1))
  expect_refusal(predict(given, new, interval = "jackknife+", learnt = TRUE), "lambda was given to this fit")
})

test_that("local intervals are the predictions and a quantile of left-out errors over their local scale", {
  p <- problem(40L, t = 2L)
  gap <- replace(p$y, cbind(5L, 2L), NA)
  fit <- freeridge(p$x, gap, gaussian_kernel(2), c(0.3, 1), weights = p$weights)
  found <- predict(fit, p$new, interval = "local", level = 0.8)
  gp <- predict(fit, p$new, interval = "gp", level = 0.8)
  for (j in 1:2) {
    known <- if (j == 2L) -5L else seq_len(40L)
    # u: the predictive standard deviation of each row without it, by fits to the other rows
    kernel <- gaussian_kernel(2)
    noise <- ((gp[1L, "upr", j] - gp[1L, "fit", j]) / qnorm(0.9))^2 - core_predict_variance(model_at(fit), p$new[1L, , drop = FALSE])$variance[1L, j]
    x <- p$x[known, ]
    w <- p$weights[known]
    lambda <- c(0.3, 1)[j]
    u <- vapply(seq_along(w), function(i) {
      m_inverse <- solve(oracle_kernel(kernel, x[-i, ], x[-i, ]) + diag(lambda / w[-i]))
      k <- oracle_kernel(kernel, x[-i, ], x[i, , drop = FALSE])
      v <- 1 - sum(k * (m_inverse %*% k)) + (1 - sum(m_inverse %*% k))^2 / sum(m_inverse)
      sqrt(w[i] * noise * (v / lambda + 1 / w[i]))
    }, 0)
    errors <- (sqrt(p$weights) * abs(loo(fit)[, j]))[known]
    z <- log((errors / u)^2 + (0.05 * median(errors / u))^2)
    columns <- unname(cbind(p$x, gap[, j] - loo(fit)[, j]))[known, ]
    second <- freeridge(columns, z)
    # s: the second fit without a row, by refits with its kernel and lambda
    s <- vapply(seq_along(z), function(i) {
      refit <- freeridge(columns[-i, ], z[-i], second$kernel, second$lambda, scale = second$scale)
      exp(predict(refit, columns[i, , drop = FALSE]) / 2)
    }, 0)
    tried <- vapply(0:4 / 4, function(gamma) {
      q <- sort(errors / (u * s^gamma))[ceiling(0.8 * (length(z) + 1))]
      c(q, mean(2 * q * u * s^gamma + 2 / 0.2 * pmax(errors - q * u * s^gamma, 0)))
    }, numeric(2L))
    best <- which.min(tried[2L, ])
    centre <- predict(fit, p$new)[, j]
    at <- (gp[, "upr", j] - gp[, "fit", j]) / qnorm(0.9)
    half <- tried[1L, best] * at * exp((best - 1) / 4 * predict(second, unname(cbind(p$new, centre))) / 2)
    expect_close(found[, , j], cbind(centre, centre - half, centre + half), 1e-6)
  }
  expect_true(all(is.infinite(predict(fit, p$new, interval = "local", level = 0.99)[, -1L, ])))
  again <- unserialize(serialize(fit, NULL))
  expect_identical(predict(again, p$new, interval = "local", level = 0.8), found)
  expect_false(identical(predict(fit, p$new, lambda = 5, interval = "local", level = 0.8)[, 2L, 1L], found[, 2L, 1L]))
  exact <- freeridge(1:6, 2 * (1:6), linear_kernel(), 0)
  expect_silent(found <- predict(exact, 7, interval = "local", level = 0.5))
  zero <- freeridge(matrix(1:9), numeric(9), linear_kernel(), 1, intercept = FALSE)
  expect_equal(unname(predict(zero, 1:2, interval = "local", level = 0.8)), matrix(0, 2, 3))
  expect_close(found, c(14, 14, 14), 1e-8)
  expect_refusal(predict(freeridge(1:2, 1:2, gaussian_kernel(1), 1), 1, interval = "local"), "needs three left-out errors, and there are 2")
  mixed <- freeridge(mpg ~ wt + factor(cyl) + unpenalised(hp), mtcars)
  both <- predict(mixed, mtcars[1:3, ], interval = "local", learnt = TRUE)
  held <- predict(mixed, mtcars[1:3, ], interval = "local")
  expect_identical(both[, "fit"], held[, "fit"])
  expect_gt(mean(both[, "upr"] - both[, "lwr"]), mean(held[, "upr"] - held[, "lwr"]))
  given <- freeridge(tcrossprod(p$x) + diag(40), p$y[, 1L], precomputed_kernel(), 1)
  expect_true(all(is.finite(predict(given, tcrossprod(p$new, p$x), interval = "local"))))
})

test_that("local intervals are wide where the noise is", {
  held <- vapply(1:3, function(seed) {
    set.seed(seed)
    draw <- function(n) {
      x <- matrix(stats::runif(2 * n), n)
      list(x = x, y = sin(6 * x[, 1L]) + (0.05 + x[, 2L]^2) * stats::rnorm(n))
    }
    train <- draw(250)
    new <- draw(3000)
    fit <- freeridge(train$x, train$y)
    third <- cut(new$x[, 2L], 3, labels = FALSE)
    vapply(c("local", "jackknife+"), function(interval) {
      found <- predict(fit, new$x, interval = interval, level = 0.9)
      tapply(found[, "lwr"] <= new$y & new$y <= found[, "upr"], third, mean)
    }, numeric(3L))
  }, matrix(0, 3L, 2L))
  expect_true(all(abs(rowMeans(held[, 1L, ]) - 0.9) < 0.06))
  expect_lt(mean(held[3L, 2L, ]), 0.83)  # intervals of one width
})

test_that("Gaussian-process intervals are made of the predictive variances", {
  p <- problem()
  for (intercept in c(FALSE, TRUE)) {
    fit <- freeridge(p$x, p$y, gaussian_kernel(2), 0.1, intercept = intercept, weights = p$weights)
    expected <- core_predict_variance(model_at(fit), p$new, NULL)
    found <- predict(fit, p$new, interval = "gp", level = 0.8, se.fit = TRUE)
    expect_close(found$se.fit, sigma(fit) * sqrt(expected$variance / expected$noise), 1e-12)
    expect_identical(found$residual.scale, sigma(fit))
    half <- qnorm(0.9) * sqrt(expected$variance + expected$noise)
    expect_close(found$fit, cbind(predict(fit, p$new), predict(fit, p$new) - half, predict(fit, p$new) + half), 1e-12)
    expect_equal(found$df, df.residual(fit))
  }
})

test_that("covariances of predictions are the dense formulas, of both kinds, and have the names of the points", {
  p <- problem(t = 2L)
  rownames(p$new) <- letters[1:7]
  colnames(p$y) <- c("a", "b")
  k <- function(x, z) exp(-as.matrix(dist(rbind(x, z)))[seq_len(nrow(x)), nrow(x) + seq_len(nrow(z))]^2 / 4)
  lambda <- c(0.1, 1)
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), lambda, weights = p$weights)
  for (j in 1:2) {
    m <- k(p$x, p$x) + diag(lambda[j] / p$weights)
    cross <- k(p$x, p$new)
    r <- 1 - colSums(solve(m, cross))
    ones <- sum(solve(m))
    bayesian <- (k(p$new, p$new) - crossprod(cross, solve(m, cross)) + r %o% r / ones) / lambda[j]
    a <- solve(m, cross + rep(1, nrow(p$x)) %o% (r / ones))
    for (kind in c("bayesian", "frequentist")) {
      found <- predict(fit, p$new, covariance = TRUE, kind = kind, se.fit = TRUE)
      expected <- sigma(fit)[[j]]^2 * if (kind == "bayesian") bayesian else crossprod(a, a / p$weights)
      expect_identical(dimnames(found$covariance), list(letters[1:7], letters[1:7], c("a", "b")))
      expect_close(unname(found$covariance[, , j]), unname(expected), 1e-10)
      expect_close(unname(found$se.fit[, j]), sqrt(diag(expected)), 1e-10)
      expect_identical(names(found), c("fit", "se.fit", "covariance", "df", "residual.scale"))
    }
  }
  one <- freeridge(p$x, p$y[, 1L], gaussian_kernel(2), 0.1)
  p$new[3L, 2L] <- NA
  found <- predict(one, p$new, covariance = TRUE)
  expect_identical(names(found), c("fit", "covariance", "df", "residual.scale"))
  expect_identical(dimnames(found$covariance), list(letters[1:7], letters[1:7]))
  expect_identical(unname(is.na(found$covariance)), outer(1:7 == 3L, 1:7 == 3L, "|"))
  expect_close(found$covariance[-3L, -3L], predict(one, p$new[-3L, ], covariance = TRUE)$covariance, 1e-12)
  expect_identical(dim(predict(one, p$new[0L, ], covariance = TRUE)$covariance), c(0L, 0L))
  expect_refusal(predict(one, p$new, covariance = NA), "covariance must be TRUE or FALSE")
  expect_refusal(predict(one, p$new, se.fit = TRUE, kind = "both"), 'kind must be one of "bayesian", "frequentist"')
  values <- freeridge(unname(k(p$x, p$x)), p$y[, 1L], precomputed_kernel(), 0.1)
  given <- unname(k(p$new[-3L, ], p$x))
  expect_close(unname(predict(values, given, covariance = TRUE, kind = "frequentist")$covariance),
               unname(predict(one, p$new[-3L, ], covariance = TRUE, kind = "frequentist")$covariance), 1e-10)
})

test_that("covariances of the rows of the fit have the rows of na.exclude and of weight zero in their places", {
  cars <- mtcars
  cars$hp[4L] <- NA
  fit <- freeridge(mpg ~ wt + hp, cars, na.action = na.exclude, weights = as.numeric(seq_len(32L) != 7L), lambda = 0.1)
  found <- predict(fit, covariance = TRUE)
  expect_identical(dimnames(found$covariance), list(rownames(cars), rownames(cars)))
  expect_identical(unname(which(is.na(diag(found$covariance)))), 4L)
  expect_close(found$covariance[-4L, -4L], predict(fit, cars[-4L, ], covariance = TRUE)$covariance, 1e-9)
})

test_that("draws have the mean and covariance of the predictions, and repeat with their seed", {
  fit <- freeridge(mpg ~ wt + hp, mtcars, weights = carb, kernel = gaussian_kernel(2), lambda = 0.3)
  new <- data.frame(wt = c(2, 2.1, 5), hp = c(100, 105, 300), row.names = c("a", "b", "c"))
  at <- predict(fit, new, covariance = TRUE)
  drawn <- simulate(fit, 4000L, seed = 1L, newdata = new, noise = FALSE)
  expect_identical(dim(drawn), c(3L, 4000L))
  expect_identical(row.names(drawn), c("a", "b", "c"))
  expect_identical(names(drawn)[1:2], c("sim_1", "sim_2"))
  largest <- max(diag(at$covariance))
  expect_lt(max(abs(rowMeans(drawn) - at$fit)), 5 * sqrt(largest / 4000))
  expect_lt(max(abs(cov(t(drawn)) - at$covariance)), 5 * largest * sqrt(2 / 4000))
  noisy <- cov(t(simulate(fit, 4000L, seed = 1L, newdata = new)))
  expect_lt(max(abs(noisy - at$covariance - diag(3L) * sigma(fit)^2)), 5 * (largest + sigma(fit)^2) * sqrt(2 / 4000))
  set.seed(5)
  before <- .Random.seed
  expect_identical(simulate(fit, 2L, seed = 9L), simulate(fit, 2L, seed = 9L))
  expect_identical(.Random.seed, before)
  first <- simulate(fit, newdata = new)
  assign(".Random.seed", attr(first, "seed"), globalenv())
  expect_identical(simulate(fit, newdata = new), first)
  own <- apply(as.matrix(simulate(fit, 4000L, seed = 2L)), 1L, var) - diag(predict(fit, covariance = TRUE)$covariance)
  expect_lt(max(abs(own * mtcars$carb / sigma(fit)^2 - 1)), 0.7)  # sigma^2 / weight
  two <- freeridge(cbind(mpg, qsec) ~ wt, mtcars, lambda = c(1, 2))
  expect_identical(dim(simulate(two, 2L, seed = 1L)$sim_2), c(32L, 2L))
  expect_identical(dimnames(simulate(two, seed = 1L)$sim_1), list(rownames(mtcars), c("mpg", "qsec")))
  expect_refusal(simulate(fit, 0L), "nsim must be one whole number >= 1")
  expect_refusal(simulate(fit, noise = 2), "noise must be TRUE or FALSE")
  expect_refusal(simulate(freeridge(Species ~ ., iris, lambda = 1)), "the fit is to classes")
  curve <- suppressWarnings(freeridge(mpg ~ wt, mtcars[!duplicated(mtcars$wt), ], lambda = 0, kernel = gaussian_kernel(1)))
  expect_warning(expect_refusal(simulate(curve), "are undefined"), class = "freeridge_undefined")
})

test_that("terms add up to the prediction, and each is a function of its columns alone", {
  p <- problem(t = 2L)
  colnames(p$x) <- colnames(p$new) <- c("a", "b", "c")
  kernels <- list(linear_kernel(), gaussian_kernel(2), additive_kernel(matern_kernel(1.5, 1)),
                  additive_kernel(gaussian_kernel(1), c("s", NA, "s")),
                  0.5 * linear_kernel() + scaled_kernel(2 * gaussian_kernel(1) + additive_kernel(matern_kernel(2.5, 1)), c(1, 2, 3)))
  names <- list(c("a", "b", "c"), "gaussian of all columns", c("a", "b", "c"), "a:c",
                c("a", "b", "c", "gaussian of all columns", "a.1", "b.1", "c.1"))
  for (i in seq_along(kernels)) for (landmarks in list(NULL, c(2, 5, 11, 18))) {
    fit <- freeridge(p$x, p$y, kernels[[i]], c(0.3, 2), weights = p$weights, scale = c(1, 2, 0.5), landmarks = landmarks)
    found <- predict(fit, p$new, type = "terms")
    expect_identical(dimnames(found)[[2L]], names[[i]])
    constant <- rep(attr(found, "constant"), each = 7L)
    expect_close(apply(found, c(1L, 3L), sum) + constant, unname(predict(fit, p$new)), 1e-9)
    own <- predict(fit, type = "terms")
    expect_lt(max(abs(apply(own, 2:3, sum))), 1e-9 * max(abs(own), 1))
    moved <- p$new
    moved[, "b"] <- moved[, "b"] + 1
    still <- setdiff(names[[i]], c("b", "b.1", "gaussian of all columns"))
    expect_close(predict(fit, moved, type = "terms", terms = still)[, , 1L], found[, still, 1L], 1e-12)
  }
  line <- lm(mpg ~ wt + hp, mtcars, weights = carb)
  ours <- predict(freeridge(mpg ~ wt + hp, mtcars, weights = carb, kernel = linear_kernel(), lambda = 0), type = "terms")
  expect_equal(ours, predict(line, type = "terms"), ignore_attr = TRUE)
  expect_equal(unname(attr(ours, "constant")), attr(predict(line, type = "terms"), "constant"))
  mixed <- freeridge(mpg ~ wt + hp + unpenalised(qsec) + offset(drat), mtcars[-3L, ], lambda = 0.5)
  new <- mtcars[1:4, ]
  new$wt[2L] <- NA
  found <- predict(mixed, new, type = "terms")
  expect_identical(colnames(found), c("matern of all columns", "wt", "hp", "qsec"))
  expect_equal(unname(rowSums(found) + attr(found, "constant") + new$drat), unname(predict(mixed, new)))
  expect_refusal(predict(mixed, new, type = "terms", terms = "gear"), 'terms must be among "matern of all columns", "wt", "hp", "qsec", not "gear"')
  expect_refusal(predict(mixed, new, type = "terms", se.fit = TRUE), "no standard errors")
  expect_refusal(predict(mixed, new, terms = "wt"), 'terms is for type = "terms"')
  given <- freeridge(tcrossprod(p$x), p$y, precomputed_kernel(), 1)
  expect_refusal(predict(given, tcrossprod(p$new, p$x), type = "terms"), "the kernel is precomputed\\(\\), which is no sum of parts that are known")
})

test_that("standard errors are those of lm at lambda = 0", {
  theirs <- predict(lm(mpg ~ wt + hp, mtcars, weights = carb), mtcars[1:5, ], se.fit = TRUE)
  ours <- predict(freeridge(mpg ~ wt + hp, mtcars, weights = carb, kernel = linear_kernel(), lambda = 0), mtcars[1:5, ],
                  se.fit = TRUE)
  for (part in c("fit", "se.fit", "df", "residual.scale")) expect_equal(unname(ours[[part]]), unname(theirs[[part]]))
})

test_that("intervals of confidence and prediction are those of lm at lambda = 0, and fit -+ t se for any kernel", {
  for (weights in list(NULL, mtcars$carb)) for (interval in c("confidence", "prediction")) for (level in c(0.5, 0.95)) {
    line <- lm(mpg ~ wt + hp, mtcars, weights = weights)
    theirs <- suppressWarnings(predict(line, mtcars[1:5, ], se.fit = TRUE, interval = interval, level = level))
    ours <- predict(freeridge(mpg ~ wt + hp, mtcars, weights = weights, kernel = linear_kernel(), lambda = 0), mtcars[1:5, ],
                    se.fit = TRUE, interval = interval, level = level)
    expect_equal(ours$fit, theirs$fit)
    expect_equal(unname(ours$se.fit), unname(theirs$se.fit))
    if (is.null(weights)) expect_equal(predict(ols(mpg ~ wt + hp, mtcars), mtcars[1:5, ], interval = interval, level = level), theirs$fit)
  }
  p <- problem(t = 2L)
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), c(0.1, 1))
  plain <- predict(fit, p$new, se.fit = TRUE)
  half <- sweep(plain$se.fit, 2L, qt(0.9, plain$df), "*")
  expect_equal(predict(fit, p$new, interval = "confidence", level = 0.8)[, "upr", ], plain$fit + half)
  half <- sweep(sqrt(sweep(plain$se.fit^2, 2L, sigma(fit)^2, "+")), 2L, qt(0.9, plain$df), "*")
  expect_equal(predict(fit, p$new, interval = "prediction", level = 0.8)[, "lwr", ], plain$fit - half)
  shrunk <- predict(freeridge(mpg ~ wt, mtcars, kernel = linear_kernel(), lambda = 3), mtcars[1:3, ], interval = "prediction")
  expect_equal(predict(ridge(mpg ~ wt, mtcars, 3), mtcars[1:3, ], interval = "prediction"), shrunk)
  expect_warning(none <- predict(freeridge(matrix(1:2), 1:2, linear_kernel(), 0), matrix(3), interval = "confidence"), class = "freeridge_undefined")
  expect_true(all(is.nan(none[, -1L])))
})

test_that("the intervals of confidence cover the function, those of prediction new outputs", {
  set.seed(11)
  inside <- replicate(200L, {
    x <- runif(60L)
    f <- sin(6 * x)
    fit <- freeridge(matrix(x), f + 0.3 * rnorm(60L), gaussian_kernel(0.5), criterion = "reml")
    at <- runif(5L)
    covers <- function(interval, values) {
      bounds <- predict(fit, matrix(at), interval = interval, level = 0.9)
      mean(values >= bounds[, "lwr"] & values <= bounds[, "upr"])
    }
    c(covers("confidence", sin(6 * at)), covers("prediction", sin(6 * at) + 0.3 * rnorm(5L)))
  })
  expect_gt(min(rowMeans(inside)), 0.85)
  expect_lt(max(rowMeans(inside)), 0.95)
})

test_that("several outputs make an array, and rows keep their names", {
  p <- problem(t = 2L)
  colnames(p$y) <- c("a", "b")
  rownames(p$new) <- letters[1:7]
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), c(0.1, 1))
  for (interval in c("jackknife+", "gp")) {
    found <- predict(fit, p$new, interval = interval)
    expect_identical(dimnames(found), list(letters[1:7], c("fit", "lwr", "upr"), c("a", "b")))
    for (j in 1:2) {
      alone <- freeridge(p$x, p$y[, j], gaussian_kernel(2), fit$lambda[[j]])
      expect_close(found[, , j], predict(alone, p$new, interval = interval), 1e-9)
    }
  }
  one_column <- freeridge(p$x, p$y[, 1L, drop = FALSE], gaussian_kernel(2), 0.1)
  expect_identical(dim(predict(one_column, p$new, interval = "gp")), c(7L, 3L, 1L))
  se <- predict(fit, p$new, se.fit = TRUE)
  expect_identical(dim(se$se.fit), c(7L, 2L))
  expect_identical(se$fit, predict(fit, p$new))
})

test_that("without newdata the points are those of the fit, rows of na.exclude included", {
  cars <- mtcars
  cars$hp[4L] <- NA
  fit <- freeridge(mpg ~ wt + hp, cars, na.action = na.exclude, kernel = gaussian_kernel(100), lambda = 0.1)
  found <- predict(fit, interval = "jackknife+", se.fit = TRUE)
  expect_identical(rownames(found$fit), rownames(cars))
  expect_identical(unname(which(is.na(found$fit[, "lwr"]))), 4L)
  expect_equal(found$fit[, "fit"], fitted(fit))
  expect_equal(found$fit[1:3, ], predict(fit, cars[1:3, ], interval = "jackknife+"))
  both <- freeridge(cbind(mpg, qsec) ~ wt + hp, cars, na.action = na.exclude, kernel = gaussian_kernel(100), lambda = 0.1)
  expect_identical(dimnames(predict(both, interval = "gp")), list(rownames(cars), c("fit", "lwr", "upr"), c("mpg", "qsec")))
  expect_true(all(is.na(predict(both, interval = "gp")[4L, , ])))
})

test_that("bad arguments are refused, and what has no value is NaN with a warning", {
  p <- problem()
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), 1)
  expect_refusal(predict(fit, p$new, interval = "credible"), 'interval must be one of "none", "confidence", "prediction", "jackknife\\+", "cv\\+", "gp", "local"')
  for (bad in list(0, 1, -1, NA, "a", c(0.1, 0.2))) {
    expect_refusal(predict(fit, p$new, interval = "gp", level = bad), "level must be one number between 0 and 1")
  }
  expect_refusal(predict(fit, p$new, se.fit = 1), "se.fit must be TRUE or FALSE")
  expect_refusal(predict(fit, p$new[, 1:2], interval = "gp"), "newdata has 2 columns, the fit has 3")
  expect_refusal(predict(fit, p$new, lambda = -1, interval = "gp"), "lambda is -1")
  line <- freeridge(c(0, 0, 0, 1), c(1, 2, 3, 4), linear_kernel(), 0, route = "primal")
  expect_warning(found <- predict(line, 2, interval = "jackknife+"), "leverage of one", class = "freeridge_undefined")
  expect_identical(is.nan(found[1L, ]), c(fit = FALSE, lwr = TRUE, upr = TRUE))
  expect_warning(found <- predict(line, 2, interval = "gp"), "lambda must be positive", class = "freeridge_undefined")
  expect_true(is.nan(found[1L, "lwr"]))
  curved <- freeridge(p$x, p$y, gaussian_kernel(2), 0)  # goes through all points
  expect_warning(found <- predict(curved, p$new, se.fit = TRUE), "no degrees of freedom are left",
                 class = "freeridge_undefined")
  expect_true(all(is.nan(found$se.fit)))
})

test_that("new outputs have weights, and bounds that no interval leaves", {
  set.seed(4)
  d <- data.frame(x = seq(0, 3, length.out = 60L))
  d$y <- rpois(60L, exp(d$x - 1))
  fit <- freeridge(y ~ x, d)
  new <- data.frame(x = c(0, 1.3, 2.9))
  w <- c(0.5, 1, 4)
  found <- predict(fit, new, interval = "prediction", weights = w)
  half <- qt(0.975, df.residual(fit)) * sqrt(predict(fit, new, se.fit = TRUE)$se.fit^2 + sigma(fit)^2 / w)
  expect_close(found[, "upr"] - found[, "fit"], half)
  gp <- function(...) predict(fit, new, interval = "gp", ...)
  of_one <- (gp()[, "upr"] - gp()[, "fit"])^2
  expect_close(diff((gp(weights = w)[, "upr"] - gp()[, "fit"])^2 - of_one) / diff(1 / w - 1),
               rep(qnorm(0.975)^2 * core_predict_variance(model_at(fit), as.matrix(new), NULL)$noise, 2L), 1e-6)
  expect_identical(predict(fit, new, interval = "gp", weights = 1), gp())
  line <- freeridge(y ~ x, d, kernel = linear_kernel(), lambda = 0)
  expect_close(predict(line, new, interval = "prediction", weights = w),
               predict(lm(y ~ x, d), new, interval = "prediction", weights = w))
  bounded <- predict(fit, new, interval = "prediction", bounds = c(0, 8))
  free <- predict(fit, new, interval = "prediction")
  expect_identical(c(bounded), pmin(pmax(c(free), 0), 8))
  expect_identical(dimnames(bounded), dimnames(free))
  expect_true(free[1L, "lwr"] < 0 && bounded[1L, "lwr"] == 0)
  expect_identical(predict(fit, new, se.fit = TRUE, bounds = c(-1, 1))$fit, pmin(pmax(predict(fit, new), -1), 1))
  expect_identical(predict(fit, bounds = c(0, Inf)), pmax(predict(fit), 0))
  expect_output(print(summary(fit)), "counts have smaller errors near 0; sqrt\\(y\\)")
  expect_output(print(summary(freeridge(y / 40 ~ x, d))), "proportions\\s+have smaller errors")
  expect_identical(response_doubt(freeridge(dist ~ speed, cars)), character())
  expect_refusal(predict(fit, new, weights = w), "for interval = \"prediction\" and \"gp\"")
  expect_refusal(predict(fit, new, interval = "gp", weights = c(1, 0, 1)), "weights is 0 for a new row")
  expect_refusal(predict(fit, new, interval = "gp", weights = 1:2), "weights")
  for (bad in list(1, c(1, 0), c(0, NA), "0")) expect_refusal(predict(fit, new, bounds = bad), "bounds must be two numbers")
  expect_refusal(predict(fit, new, type = "terms", bounds = 0:1), "not for terms")
})
