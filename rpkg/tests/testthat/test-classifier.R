# Two classes: logistic regression against glm and glmnet, support vectors against e1071.

two <- function(n = 60L, d = 2L, seed = 1L) {
  p <- problem(n, d, seed = seed)
  set.seed(seed + 100L)
  p$y <- ifelse(p$x[, 1L] + 0.7 * p$x[, 2L]^2 + rnorm(n) > 0.5, 1, -1)
  p
}

test_that("with a tiny lambda and the linear kernel it is glm", {
  p <- two(200L)
  y <- factor(ifelse(p$y > 0, "yes", "no"))
  for (weights in list(NULL, rep(1:2, 100L))) {
    reference <- glm(y ~ p$x, binomial, weights = weights, epsilon = 1e-14)
    fit <- kernel_logistic(p$x, y, linear_kernel(), 1e-6, weights = weights)
    expect_close(coef(fit), coef(reference), 1e-6)
    expect_identical(names(coef(fit)), c("(Intercept)", "x1", "x2"))
    expect_close(predict(fit, type = "probability"), fitted(reference), 1e-6)
    expect_identical(predict(fit, type = "class"), factor(ifelse(unname(predict(reference)) > 0, "yes", "no")))
    # One Newton step from the full solution: f + g S / (1 - v S) with the hat matrix of glm's last weighted regression.
    h <- hatvalues(reference)
    probability <- fitted(reference)
    w <- if (is.null(weights)) 1 else weights
    v <- w * probability * (1 - probability)
    gradient <- w * (probability - (p$y > 0))
    expect_close(loo(fit), predict(reference) + gradient * (h / v) / (1 - h), 1e-5)
  }
})

test_that("a formula is the matrix of its columns, with factors, weights, missing values and new data", {
  p <- two(60L)
  data <- data.frame(a = p$x[, 1L], b = p$x[, 2L], f = factor(rep_len(c("u", "v", "w"), 60L)), y = factor(p$y))
  data$a[7L] <- NA
  data$w <- seq(0, 2, length.out = 60L)
  kept <- setdiff(seq_len(60L), 7L)
  for (kernel in list(linear_kernel(), gaussian_kernel(2))) for (method in list(kernel_logistic, kernel_svm)) {
    fit <- method(y ~ a + b + f, data, kernel, 0.5, weights = w, na.action = na.exclude)
    x <- design_matrix(terms(y ~ a + b + f), data[kept, ], level_value = level_value_for(kernel, 0.5))$x
    direct <- method(x, data$y[kept], kernel, 0.5, weights = data$w[kept])
    expect_close(predict(fit)[kept], predict(direct), 1e-12)
    expect_true(is.na(predict(fit)[[7L]]) && is.na(predict(fit, type = "class")[[7L]]))
    expect_close(predict(fit, data[c(3, 7, 20), ])[c(1L, 3L)], predict(direct)[c(3L, 19L)], 1e-12)
    expect_true(is.na(predict(fit, data[7L, ])))
    expect_identical(as.character(fit$call[[1L]]), as.character(direct$call[[1L]]))
    expect_equal(formula(fit), y ~ a + b + f, ignore_formula_env = TRUE)
    expect_identical(nrow(model.frame(fit)), 59L)
    expect_close(predict(update(fit, lambda = 2))[kept], predict(direct, lambda = 2), 1e-6)
  }
  expect_close(predict(kernel_svm(y ~ a, data, linear_kernel(), 1, subset = w > 1, scale = TRUE), data[50, ]),
               predict(kernel_svm(data[data$w > 1, "a"], data$y[data$w > 1], linear_kernel(), 1, scale = TRUE), data[50, "a"]),
               1e-9)
  again <- unserialize(serialize(fit, NULL))
  expect_close(predict(again, data[3, ]), predict(fit, data[3, ]), 1e-12)
  for (method in list(formula, terms, model.frame)) {
    expect_refusal(method(direct), "this fit was made from a matrix or a data frame: it has no")
  }
  expect_refusal(kernel_svm(y ~ a, data), "kernel is missing")
  expect_refusal(kernel_svm(y ~ a, data, linear_kernel()), "lambda is missing: .*hard margin")
  expect_refusal(kernel_svm(y ~ 1, data, linear_kernel(), 1), "the formula has no predictors")
  expect_refusal(kernel_svm(~ a, data, linear_kernel(), 1), "the formula has no response")
  expect_refusal(kernel_svm(y ~ a, data, linear_kernel(), 1, C = 3), "unknown argument")
  expect_refusal(kernel_svm(y ~ a + offset(b), data, linear_kernel(), 1), "offset, which kernel_svm\\(\\) does not take")
})

test_that("labels come back as they were given", {
  p <- two()
  y <- p$y > 0
  logical <- kernel_logistic(p$x, y, gaussian_kernel(2), 0.1)
  expect_type(predict(logical, type = "class"), "logical")
  expect_output(print(logical), "points, 2 features\nClasses: FALSE (25), TRUE (35)", fixed = TRUE)
  levels <- c("up", "down")  # not in the order of the alphabet: the second is +1
  named <- kernel_logistic(p$x, factor(ifelse(y, "down", "up"), levels), gaussian_kernel(2), 0.1)
  expect_identical(levels(predict(named, type = "class")), levels)
  expect_close(predict(named), predict(logical), 1e-12)
  rownames(p$x) <- paste0("r", 1:60)
  fit <- kernel_svm(p$x, y, gaussian_kernel(2), 0.1)
  expect_identical(names(predict(fit)), rownames(p$x))
  expect_identical(names(coef(fit)), rownames(p$x))
})

test_that("scale divides the columns; a precomputed kernel is the kernel", {
  p <- two()
  for (method in list(kernel_logistic, kernel_svm)) {
    scaled <- method(p$x, p$y, linear_kernel(), 0.3, scale = c(2, 5))
    by_hand <- method(sweep(p$x, 2L, c(2, 5), "/"), p$y, linear_kernel(), 0.3)
    expect_close(predict(scaled), predict(by_hand), 1e-6)
    expect_close(coef(scaled), coef(by_hand) / c(1, 2, 5), 1e-6)
    expect_close(cbind(1, p$x) %*% coef(scaled), predict(scaled), 1e-6)
    sum <- method(p$x, p$y, linear_kernel() + 3 * scaled_kernel(linear_kernel(), c(2, 5)), 0.3)
    expect_close(cbind(1, p$x) %*% coef(sum), predict(sum), 1e-6)
    k <- oracle_kernel(gaussian_kernel(2), p$x, p$x)
    direct <- method(p$x, p$y, gaussian_kernel(2), 0.3)
    given <- method(k, p$y, precomputed_kernel(), 0.3)
    new <- p$new[, 1:2]
    expect_close(predict(given, oracle_kernel(gaussian_kernel(2), new, p$x)), predict(direct, new), 1e-5)
  }
})

test_that("an answer at another lambda does not disturb the fit", {
  p <- two()
  for (method in list(kernel_logistic, kernel_svm)) {
    fit <- method(p$x, p$y, gaussian_kernel(2), 0.5)
    before <- list(predict(fit), coef(fit))
    other <- method(p$x, p$y, gaussian_kernel(2), 5)
    for (lambda in c(5, 50, 5)) predict(fit, lambda = lambda)
    expect_close(predict(fit, lambda = 5), predict(other), 1e-5)
    expect_close(coef(fit, 5), coef(other), 1e-5)
    expect_identical(list(predict(fit), coef(fit)), before)
  }
})

test_that("a classifier that was saved answers without a fit", {
  p <- two()
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  new <- p$new[, 1:2]
  for (method in list(kernel_logistic, kernel_svm)) for (kernel in kernels()) for (weighted in c(FALSE, TRUE)) {
    fit <- method(p$x, p$y > 0, kernel, 0.5, weights = if (weighted) p$weights, scale = c(2, 5))
    answers <- function(fit) {
      logistic <- if (fit$loss == "logistic") list(loo(fit), predict(fit, new, "probability"))
      c(list(predict(fit), predict(fit, new), predict(fit, new, "class"), coef(fit)), logistic)
    }
    expected <- answers(fit)
    saveRDS(fit, file)
    again <- readRDS(file)
    again$control <- c(-1, 1)  # which a fit would refuse
    expect_identical(answers(again), expected)
    expect_refusal(predict(again, lambda = 5), "^.*tolerance is -1")
    fitted_again <- readRDS(file)
    fitted_again$saved <- NULL  # as of a kernel that is nested too deeply to be saved
    expect_close(predict(fitted_again), predict(fit), 1e-9)
  }
  expect_lt(length(readRDS(file)$saved$bytes), 8 * length(p$x) + 32 * length(p$y))  # x is not among them
  for (length in c(0, 39, 40, 95)) {
    cut <- readRDS(file)
    cut$saved$bytes <- cut$saved$bytes[seq_len(length)]
    expect_refusal(predict(cut), "the bytes of the fit are cut short")
  }
  changed <- readRDS(file)
  at <- length(changed$saved$bytes) - 50L
  changed$saved$bytes[at] <- xor(changed$saved$bytes[at], as.raw(1L))
  expect_refusal(predict(changed), "", "freeridge_corrupt")
})

test_that("logistic regression is glmnet's without its standardisation", {
  skip_if_not_installed("glmnet")
  p <- two(200L)
  for (lambda in c(0.5, 20)) {
    fit <- kernel_logistic(p$x, p$y, linear_kernel(), lambda)
    reference <- glmnet::glmnet(p$x, factor(p$y), "binomial", alpha = 0, standardize = FALSE, thresh = 1e-14,
                                lambda = convert_lambda(lambda, "total", "mean", 200))
    expect_close(coef(fit), as.vector(as.matrix(coef(reference))), 1e-5)
  }
})

test_that("the support vector machine is that of e1071", {
  skip_if_not_installed("e1071")
  p <- two()
  fit <- kernel_svm(p$x, p$y, gaussian_kernel(2), 0.5)
  reference <- e1071::svm(p$x, factor(p$y, c(1, -1)), kernel = "radial", gamma = 1 / 4, cost = 2, scale = FALSE,
                          tolerance = 1e-8)
  values <- attr(predict(reference, p$x, decision.values = TRUE), "decision.values")
  if (!startsWith(colnames(values), "1/")) values <- -values
  expect_close(predict(fit), values, 1e-5)
  expect_identical(fit$support, sort(reference$index))
  expect_output(print(fit), "support vectors?; margin: ")
})

test_that("bad input is refused", {
  p <- two()
  for (method in list(kernel_logistic, kernel_svm)) {
    expect_refusal(method(), "x is missing")
    expect_refusal(method(p$x), "y is missing")
    expect_refusal(method(p$x, p$y, linear_kernel(), 1, foo = 2), "unknown argument: 'foo'")
    expect_refusal(method(p$x, p$y, "linear", 1), "kernel must be a kernel")
    expect_refusal(method(p$x, p$y, scaled_kernel(linear_kernel(), 1:3), 1), "", "freeridge_dimension_mismatch")
    for (bad in c(if (identical(method, kernel_logistic)) 0, list(-1, NA, Inf, "a", 1:2))) {
      expect_refusal(method(p$x, p$y, linear_kernel(), bad), "lambda must be one positive number")
    }
    given <- function(y) method(p$x, y, linear_kernel(), 1)
    expect_refusal(given(rep(1, 60)), "y has one class only, 1")
    expect_refusal(given(replace(p$y, 3, 0)), "y\\[3\\] is 0; numbers must be 0 and 1, or -1 and")
    expect_refusal(given(replace(p$y, 3, NA)), "y\\[3\\] is NA")
    expect_refusal(given(rep("a", 60)), "y has one class only, a")
    expect_refusal(given(list(1)), "y must be a factor with two levels")
    expect_refusal(given(cbind(p$y, p$y)), "y must be a factor with two levels")
    expect_refusal(given(p$y[-1]), "y has 59 labels, x has 60 rows")
    expect_refusal(method(replace(p$x, 2, Inf), p$y, linear_kernel(), 1), "x\\[2, 1\\] is Inf")
    expect_refusal(method(p$x, p$y, linear_kernel(), 1, weights = rep(-1, 60)), "weights\\[1\\] is -1")
    expect_refusal(method(p$x, p$y, linear_kernel(), 1, weights = as.double(p$y > 0)), "one class only among the rows")
    controlled <- function(...) method(p$x, p$y, gaussian_kernel(0.3), 1e-6, ...)
    expect_refusal(controlled(tolerance = 1e-3), "tolerance and iterations go together")
    expect_refusal(controlled(iterations = 3), "tolerance and iterations go together")
    expect_refusal(controlled(tolerance = 0, iterations = 5), "tolerance must be one positive number, not 0")
    expect_refusal(controlled(tolerance = 1, iterations = 0), "iterations must be one whole number >= 1")
    expect_refusal(controlled(tolerance = 1e-14, iterations = 1), "", "freeridge_not_converged")
    fit <- given(p$y)
    expect_refusal(predict(fit, p$x, "link"), 'type must be one of "decision", "class", "probability"')
    expect_refusal(predict(fit, p$x[, 1]), "newdata has 1 columns, the fit has 2")
    expect_refusal(predict(fit, lambda = -1), "lambda must be one positive number.*, not -1")
    expect_refusal(coef(fit, foo = 1), "unknown argument: 'foo'")
  }
  expect_refusal(kernel_svm(p$x, p$y), "kernel is missing")
  expect_refusal(kernel_svm(p$x, p$y, linear_kernel()), "lambda is missing")
  expect_refusal(kernel_svm(p$x, p$y, gaussian_kernel(), 1), "kernel has a bandwidth that is not given")
  expect_refusal(kernel_svm(p$x, factor(1:60), linear_kernel(), 1), "y has 60 levels; there must be two")
  one <- kernel_svm(p$x, seq_len(60) == 3, linear_kernel(), 1)
  expect_refusal(predict(one, type = "probability"), "a class has one row only")
  expect_refusal(kernel_logistic(p$x, p$y, class_weights = 2), "class_weights must be \"balanced\" or numbers")
  expect_refusal(kernel_logistic(p$x, p$y, class_weights = c("7" = 2)), "class_weights has the class '7'")
  expect_refusal(kernel_logistic(p$x, factor(replace(p$y, 4, NA))), "y\\[4\\] is NA")
  expect_refusal(kernel_logistic(p$x, p$y[-1]), "y has 59 labels, x has 60 rows")
  expect_refusal(kernel_logistic(p$x, factor(rep(1:3, 20)), weights = rep(c(0, 1, 1), 20)),
                 "a class has no row whose weight is positive")
  expect_refusal(loo(kernel_svm(matrix(1:4), c(-1, -1, 1, 1), linear_kernel(), 0)), "lambda is 0")
  expect_refusal(kernel_svm(p$x, p$y, precomputed_kernel(), 1), "x is 60 x 2; with precomputed_kernel")
})

test_that("a support vector machine has exact left-out values, of which probabilities are made", {
  p <- two(40L)
  weights <- rep_len(c(1, 2, 0, 1.5), 40L)
  fit <- kernel_svm(p$x, p$y, gaussian_kernel(1), 0.2, weights = weights, tolerance = 1e-10, iterations = 1e5)
  left_out <- vapply(1:40, function(i) {
    predict(kernel_svm(p$x[-i, ], p$y[-i], gaussian_kernel(1), 0.2, weights = weights[-i], tolerance = 1e-10, iterations = 1e5),
            p$x[i, , drop = FALSE])
  }, 0)
  expect_close(loo(fit), left_out, 1e-6)
  counts <- weights > 0
  scaling <- platt_scaling(left_out[counts], p$y[counts] > 0, weights[counts])
  expect_close(predict(fit, type = "probability"), plogis(scaling[1L] + scaling[2L] * predict(fit)), 1e-5)
  wrong <- sum(weights * ((left_out > 0) != (p$y > 0))) / sum(weights)
  expect_output(print(fit), paste0("Left-out points in a wrong class: ", format(100 * wrong, digits = 3)))
  other <- kernel_svm(p$x, p$y, gaussian_kernel(1), 3, weights = weights)
  expect_close(loo(fit, lambda = 3), loo(other), 1e-6)
})

test_that("logistic regression learns its lambda and its kernel by the evidence", {
  two <- droplevels(iris[51:150, ])
  x <- as.matrix(two[1:4])
  fit <- kernel_logistic(x, two$Species, gaussian_kernel(3))
  evidence <- function(lambda) {  # Laplace's, by its definition
    gram <- 25 + exp(-as.matrix(dist(x))^2 / 9) / lambda
    f <- rep(0, 100)
    t <- as.integer(two$Species) - 1
    for (step in 1:50) {
      p <- plogis(f)
      f <- as.vector(gram %*% solve(diag(100) + (p * (1 - p)) * gram, p * (1 - p) * f + t - p))
    }
    p <- plogis(f)
    spread <- (1 - mean(exp(-as.matrix(dist(x[1:64, ]))^2 / 9))) / lambda
    list(value = sum((t - p) * f) / 2 + sum(log1p(exp(-(2 * t - 1) * f))) +
      determinant(diag(100) + (p * (1 - p)) * gram)$modulus / 2, spread = spread)
  }
  # with the penalty of the log odds' variance, of 64 of the rows; the search ends where a step gains less than 2e-5 n
  penalised <- function(log_lambda) {
    found <- evidence(exp(log_lambda))
    found$value + (log(found$spread / 8) / 1.5)^2 / 2
  }
  least <- optimize(penalised, log(fit$lambda) + c(-2, 2))
  expect_lt(penalised(log(fit$lambda)) - least$objective, 2e-5 * 100)
  expect_lt(abs(least$minimum - log(fit$lambda)), 0.1)
  expect_output(print(fit), "by the evidence of 100 rows")
  expect_output(print(fit), paste(format(100 * mean((loo(fit) > 0) != (two$Species == "virginica"))), "% (50 %"), fixed = TRUE)

  several <- kernel_logistic(Species ~ ., iris, lambda = 1, kernel = gaussian_kernel(2))
  wrong <- mean(levels(iris$Species)[max.col(loo(several))] != iris$Species)
  expect_output(print(several), paste("wrong class:", format(100 * wrong, digits = 3), "% (66.7 %"), fixed = TRUE)
  learnt <- kernel_logistic(Species ~ ., two)
  expect_output(print(learnt), "Petal.Length  *##############")
  expect_identical(relevance(learnt)$column[1L], "Petal.Length")
  expect_gt(learnt$learning$learnt, 4)
  expect_lt(mean(predict(learnt, type = "class") != two$Species), 0.06)
  expect_equal(predict(learnt, two), predict(learnt))
  one <- kernel_logistic(x, two$Species, gaussian_kernel(), lengths = "one")
  expect_identical(one$learning$learnt, 1)
  again <- kernel_logistic(x, two$Species, one$kernel, one$lambda, scale = FALSE)
  expect_lt(abs(again$lambda - one$lambda), 1e-12)
  # units of the columns are no matter
  metres <- kernel_logistic(as.matrix(iris[51:150, 1:4]) %*% diag(c(100, 1, 0.01, 1)), two$Species)
  expect_equal(unname(predict(metres)), unname(predict(kernel_logistic(x, two$Species))), tolerance = 1e-6)
  # a common factor of the weights is one of lambda
  heavy <- kernel_logistic(Species ~ ., two, weights = rep(1e6, 100))
  expect_equal(heavy$lambda, 1e6 * learnt$lambda, tolerance = 1e-4)
  expect_equal(predict(heavy), predict(learnt), tolerance = 1e-4)
  balanced <- kernel_logistic(x[1:70, ], two$Species[1:70], linear_kernel(), 1, class_weights = "balanced")
  given <- kernel_logistic(x[1:70, ], two$Species[1:70], linear_kernel(), 1, weights = rep(c(0.7, 1.75), c(50, 20)))
  expect_identical(predict(balanced), predict(given))
  named <- kernel_logistic(x, two$Species, linear_kernel(), 1, class_weights = c(virginica = 3))
  expect_identical(predict(named), predict(kernel_logistic(x, two$Species, linear_kernel(), 1, weights = rep(c(1, 3), each = 50))))
})

test_that("several classes are one fit for each, against all others", {
  fit <- kernel_logistic(Species ~ ., iris, gaussian_kernel(2), 0.1)
  of <- function(level) kernel_logistic(as.matrix(iris[1:4]), iris$Species == level, gaussian_kernel(2), 0.1)
  each <- vapply(levels(iris$Species), function(level) predict(of(level)), numeric(150))
  expect_equal(unname(predict(fit)), unname(each))
  expect_identical(fitted(fit), predict(fit))
  expect_equal(unname(predict(fit, type = "probability")), unname(plogis(each) / rowSums(plogis(each))))
  expect_equal(predict(fit, iris[c(1, 60, 150), ], type = "response"),
               predict(fit, type = "probability")[c(1, 60, 150), ], ignore_attr = TRUE)
  expect_identical(as.character(predict(fit, type = "class")), levels(iris$Species)[max.col(each)])
  expect_equal(unname(loo(fit)[, 2L]), unname(loo(of("versicolor"))))
  expect_equal(unname(predict(fit, iris[1:3, ], lambda = 3)),
               unname(predict(kernel_logistic(Species ~ ., iris, gaussian_kernel(2), 3), iris[1:3, ])), tolerance = 1e-6)
  expect_identical(nobs(fit), 150L)
  expect_output(print(fit), "each class against all others: 150 points, 4 features")
  learnt <- kernel_logistic(as.matrix(iris[1:4]), as.character(iris$Species), weights = rep(c(0, 1, 2), 50))
  expect_identical(learnt$counts, c(setosa = 33, versicolor = 33, virginica = 34))
  expect_identical(dim(predict(learnt, type = "probability")), c(150L, 3L))
  expect_lt(mean(predict(learnt, type = "class") != iris$Species), 0.06)
  saved <- tempfile()
  saveRDS(learnt, saved)
  expect_equal(predict(readRDS(saved), as.matrix(iris[1:2, 1:4])), predict(learnt, as.matrix(iris[1:2, 1:4])))
})

test_that("probabilities of support vector machines come from left-out values", {
  two <- droplevels(iris[51:150, ])
  x <- as.matrix(two[1:4])
  fit <- kernel_svm(x, two$Species, gaussian_kernel(3), 0.2)
  scaling <- freeridge:::platt_scaling(loo(fit), two$Species == "virginica", rep(1, 100))
  expect_equal(predict(fit, type = "probability"), plogis(scaling[1L] + scaling[2L] * predict(fit)), tolerance = 1e-6)
  expect_false(identical(predict(fit, x, lambda = 5, type = "probability"), predict(fit, x, type = "probability")))
  gram <- exp(-as.matrix(dist(x))^2 / 9)
  by_gram <- kernel_svm(gram, two$Species, precomputed_kernel(), 0.2)
  expect_equal(unname(predict(by_gram, type = "probability")), unname(predict(fit, type = "probability")), tolerance = 1e-5)
})
