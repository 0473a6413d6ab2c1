# Predictors: the small object for deployment, and predictions of a fit that was saved, without factorizing anew.

# An object as another session reads it.
read_again <- function(object) unserialize(serialize(object, NULL))

# The expression, where a factorization is an error.
never_factorizing <- function(expression) {
  factorize <- core_factorize
  on.exit(assignInNamespace("core_factorize", factorize, "freeridge"))
  assignInNamespace("core_factorize", function(...) stop("factorized"), "freeridge")
  force(expression)
}

fits_of_every_kind <- function() {
  p <- problem(40L, 3L, 2L)
  cars <- transform(mtcars, gear = factor(gear))
  list(
    list(fit = freeridge(p$x, p$y, gaussian_kernel(2)), new = p$new),
    list(fit = freeridge(p$x, p$y[, 1], gaussian_kernel(2), 0.1, weights = p$weights, route = "cholesky"), new = p$new),
    list(fit = freeridge(p$x, p$y, linear_kernel(), scale = TRUE), new = p$new),
    list(fit = freeridge(p$x, p$y, gaussian_kernel(2), 1, landmarks = 9), new = p$new),
    list(fit = freeridge(tcrossprod(p$x), p$y, precomputed_kernel(), 1), new = tcrossprod(p$new, p$x)),
    list(fit = freeridge(p$x, p$y[, 1], function(x, z) exp(-sum((x - z)^2)), 1, scale = TRUE), new = p$new),
    list(fit = freeridge(mpg ~ log(hp) * gear + poly(wt, 2) + offset(qsec), cars), new = cars[1:5, ]),
    list(fit = freeridge(mpg ~ 1, mtcars), new = mtcars[1:3, ]),
    list(fit = freeridge(Species ~ ., iris, kernel = gaussian_kernel(2), lambda = 0.1), new = iris[c(1, 60, 120), ])
  )
}

test_that("a fit of every kind predicts at once in another session, and its predictor the same", {
  for (case in fits_of_every_kind()) {
    linear <- is_linear(case$fit$kernel)
    expected <- predict(case$fit, case$new)
    again <- read_again(case$fit)
    expect_false(core_is_alive(again$cache$model))
    never_factorizing({
      expect_identical(predict(again, case$new), expected)
      expect_equal(fitted(again), fitted(case$fit), tolerance = 1e-9)
      if (linear) expect_identical(coef(again), coef(case$fit))
    })
    expect_error(never_factorizing(loo(again)), "factorized")
    expect_equal(loo(again), loo(case$fit), tolerance = 1e-9)  # needs the factorization, and has it
    small <- read_again(predictor(case$fit))
    expect_identical(predict(small, case$new), expected)
    if (linear) expect_identical(coef(small), coef(case$fit)) else expect_refusal(coef(small), "which has no slopes")
    hole <- case$new
    hole[2L, 1L] <- NA
    if (!is.null(colnames(hole))) hole[2L, intersect(colnames(hole), all.vars(case$fit$terms)[-1L])] <- NA
    if (ncol(case$fit$x) > 0L) expect_identical(is.na(rowSums(as.matrix(predict(small, hole)))), is.na(rowSums(as.matrix(predict(case$fit, hole)))))
    expect_output(print(small), "Predictor of a fit to")
  }
})

test_that("predictors at another lambda, of sparse fits and of classes", {
  p <- problem(40L, 3L)
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), 1)
  expect_identical(predict(predictor(fit, 7), p$new), predict(fit, p$new, lambda = 7))
  expect_identical(predict(fit, p$new), predict(freeridge(p$x, p$y, gaussian_kernel(2), 1), p$new))
  flowers <- freeridge(Species ~ ., iris, kernel = gaussian_kernel(2), lambda = 0.1)
  small <- read_again(predictor(flowers))
  two <- freeridge(factor(am) ~ hp + wt, mtcars, kernel = gaussian_kernel(50), lambda = 0.1)
  for (type in class_types) {
    expect_identical(predict(small, iris[1:3, ], type = type), predict(flowers, iris[1:3, ], type = type))
    expect_identical(predict(predictor(two, 2), mtcars[1:3, ], type), predict(two, mtcars[1:3, ], 2, type))
    hole <- transform(mtcars[1:3, ], hp = c(100, NA, 150))
    for (object in list(two, predictor(two))) {
      found <- as.matrix(predict(object, hole, type = type))
      expect_identical(is.na(found[, 1L]), c(FALSE, TRUE, FALSE), ignore_attr = TRUE)
      expect_identical(NROW(predict(object, hole, type = type, na.action = na.omit)), 2L)
    }
  }
  expect_identical(predict(small, iris[1:3, ]), predict(flowers, iris[1:3, ]))
  expect_null(predictor(unjudged(freeridge(p$x, p$y, criterion = "gcv")))$second_opinion)
  expect_refusal(predict(small), "newdata is missing")
  expect_refusal(predict(small, iris, typ = 2), "type must be one of")
  expect_refusal(predict(predictor(fit), p$new, s = 2), "unknown argument: 's'")
  expect_refusal(predictor(3), "predictor\\(\\) takes a fit")
  deep <- gaussian_kernel(1)
  for (i in 1:70) deep <- scaled_kernel(deep, c(1, 1, 1))
  tall <- freeridge(p$x, p$y, deep, 1)
  expect_refusal(predictor(tall), "too many others to be kept as text")
  expect_equal(predict(read_again(tall), p$new), predict(tall, p$new), tolerance = 1e-9)
  skip_if_not_installed("Matrix")
  sparse <- Matrix::Matrix(p$x * (p$x > 0), sparse = TRUE)
  line <- freeridge(sparse, p$y, linear_kernel(), 1)
  for (other in list(read_again(line), read_again(predictor(line)))) {
    expect_identical(predict(other, sparse[1:4, ]), predict(line, sparse[1:4, ]))
    expect_identical(coef(other), coef(line))
  }
})

test_that("a predictor is small, and a fit keeps its points once", {
  heavy <- function() {
    ballast <- numeric(1e5)
    square <- function(v) v^2
    cars <- mtcars[rep(1:32, 100), ]
    freeridge(mpg ~ square(wt) + hp, cars, kernel = linear_kernel(), lambda = 1)
  }
  fit <- heavy()
  small <- predictor(fit)
  expect_lt(length(serialize(small, NULL)), 2e4)
  expect_identical(predict(read_again(small), mtcars), predict(fit, mtcars))
  x <- matrix(rnorm(30000), 300)
  wide <- freeridge(x, rnorm(300), gaussian_kernel(20), 1)
  expect_lt(length(serialize(wide, NULL)), 1.1 * length(serialize(x, NULL)))
  expect_gt(length(serialize(predictor(wide), NULL)), length(serialize(x, NULL)) * 0.99)  # it needs them
})

test_that("fits of chunks have predictors, without the sums of all rows", {
  data <- transform(mtcars, cyl = factor(cyl), am = am == 1, off = 0.1 * qsec)
  fits <- list(
    freeridge_chunks(mpg ~ wt * cyl + offset(off), row_source(data, 10)), freeridge_chunks(cbind(mpg, qsec) ~ unpenalised(wt) + hp, row_source(data, 10)),
    freeridge_chunks(mpg ~ wt + hp, row_source(data, 10), kernel = gaussian_kernel(50), landmarks = 6), freeridge_chunks(am ~ wt + hp, row_source(data, 10))
  )
  for (fit in fits) {
    small <- read_again(predictor(fit))
    expect_identical(predict(small, data), predict(fit, data))
    expect_equal(predict(predictor(fit, 7), data), predict(fit, data, lambda = 7), tolerance = 1e-12)
    expect_lt(length(serialize(predictor(fit), NULL)), length(serialize(fit, NULL)))
    if (is.null(fit$landmarks)) expect_identical(coef(small), coef(fit))
  }
  expect_refusal(predict(small, data, type = "class"), "hand these rows in once more")
  own <- predict(fit, data, type = "class", source = row_source(data, 10))
  expect_identical(predict(read_again(predictor(fit)), data, type = "class"), own)
  expect_output(print(small), "Predictor of a fit to 32 points, 2 features, 1 output")
  expect_refusal(predict(small, data, lambda = 2), "unknown argument: 'lambda'")
})
