# Columns and rows by their names: any name, the same name twice, another order, a column that is missing; and the frame
# that a fit keeps.

# Names of columns, and the parts of a call in which a column may stand. Each fit has the numbers of the fit to the same
# data with plain names, its answers at new rows, too.
strange_names <- c("body mass", "if", "2nd", ".1", "_a", "TRUE", "a-b", "log(a)", "\\", "\u4f53\u91cd", "a`b", " ")

named_data <- local({
  set.seed(8)
  n <- 24L
  data <- data.frame(y = 0, a = rnorm(n), b = rnorm(n), f = factor(rep(c("u", "v", "w"), 8L)), w = runif(n, 0.5, 2),
    o = rnorm(n),
                     g = rep(1:6, 4L), keep = rep(c(TRUE, TRUE, FALSE, TRUE), 6L))
  data$y <- data$a - 2 * data$b + (data$f == "v") + rnorm(n)
  data
})
# The call of each entry point, with the columns by their roles y, a, b, f, w, o, g, keep.
named_calls <- list(
  freeridge = quote(freeridge(y ~ a + b + f, data, subset = keep, weights = w, offset = o, groups = g,
                              kernel = linear_kernel(), lambda = 1)),
  gaussian = quote(freeridge(y ~ a * f + b, data, weights = w, groups = g, kernel = gaussian_kernel(2))),
  offset = quote(freeridge(y ~ a + b + offset(o), data, kernel = gaussian_kernel(2), lambda = 1)),
  unpenalised = quote(freeridge(y ~ a + unpenalised(b + f), data, kernel = linear_kernel(), lambda = 1)),
  kernel_ridge = quote(kernel_ridge(y ~ a + b + f, data, weights = w, kernel = gaussian_kernel(2), lambda = 1)),
  classes = quote(freeridge(f ~ a + b, data, kernel = gaussian_kernel(2), lambda = 1)),
  ols = quote(ols(y ~ a + b + f, data)), ridge = quote(ridge(y ~ a + b + f, data, 2)),
  tls = quote(tls(y ~ a + b, data)),
  kernel_logistic = quote(kernel_logistic(keep ~ a + b + f, data, gaussian_kernel(2), 1, weights = w)),
  kernel_svm = quote(kernel_svm(keep ~ a + f, data, gaussian_kernel(2), 1)),
  gradient_descent = quote(gradient_descent(y ~ a + b + f, data, weights = w, epochs = 5)),
  chunks = quote(freeridge_chunks(y ~ a + b + f, row_source(data, 7), weights = w, offset = o, groups = g,
    subset = keep, lambda = 1)),
  chunks_unpenalised = quote(freeridge_chunks(y ~ a + unpenalised(b + f), row_source(data, 7), lambda = 1))
)
answers_of <- function(fit, data) {
  if (inherits(fit, "freeridge_early_stopping")) return(unname(coef(fit)))
  list(predict(fit, data[3:5, ]), if (!inherits(fit, "freeridge") || fit$kernel$name == "linear") unname(coef(fit)),
       if (inherits(fit, "freeridge")) predict(predictor(fit), data[3:5, ]))
}

test_that("a column may have any name, in any part of a call of any function that takes a formula", {
  before <- lapply(named_calls, function(call) answers_of(eval(call, list(data = named_data)), named_data))
  of_columns <- predict(freeridge(named_data[-1L], named_data$y, gaussian_kernel(2), 1), named_data[3:5, ])
  for (name in strange_names) for (role in names(named_data)) {
    data <- named_data
    names(data)[names(data) == role] <- name
    expect_identical(predict(freeridge(data[-1L], data[[1L]], gaussian_kernel(2), 1), data[3:5, ]), of_columns,
      info = name)
    renamed <- function(call) eval(do.call(substitute, list(call, stats::setNames(list(as.name(name)), role))),
      list(data = data))
    for (entry in names(named_calls)) {
      if (!role %in% all.vars(named_calls[[entry]])) next
      found <- try(answers_of(renamed(named_calls[[entry]]), data), silent = TRUE)
      expect_equal(found, before[[entry]], info = paste(entry, role, name))
    }
  }
})

test_that("columns of one name, or of none, are told apart by their places or not at all", {
  set.seed(1)
  x <- matrix(rnorm(120), 40L, dimnames = list(NULL, c("a", "a", "b")))
  y <- x[, 1L] - 2 * x[, 2L]^2
  up <- y > median(y)
  fits <- list(
    freeridge(x, y, gaussian_kernel(1.5), 0.1), freeridge(data.frame(x, check.names = FALSE), y, linear_kernel(), 0.1),
    ols(x, y),
    ridge(x, y, 1), tls(x, y), kernel_svm(x, up, gaussian_kernel(1), 1), kernel_logistic(x, up, gaussian_kernel(1), 1),
    gradient_descent(x, y, epochs = 2), predictor(freeridge(x, y, gaussian_kernel(1.5), 0.1))
  )
  for (fit in fits) {
    expect_equal(unname(predict(fit, x[1:3, ])), unname(predict(fit, unname(x[1:3, ]))))
    for (other in list(cbind(id = 1:3, x[1:3, ]), x[1:3, c(1L, 3L, 2L)])) {
      expect_refusal(predict(fit, other), "two columns are called 'a', so newdata must have the columns of the fit in their order: 'a', 'a', 'b'")
    }
  }
  expect_identical(names(coef(fits[[2L]])), c("(Intercept)", "a", "a.1", "b"))
  expect_identical(as.character(marginal_effects(fits[[1L]])$average$column), c("a", "a.1", "b"))
  once <- freeridge(unname(x), y, gaussian_kernel(1), 1)
  expect_equal(predict(once, x), predict(once, unname(x)))
  unique <- freeridge(`colnames<-`(x, c("a", "b", "c")), y, gaussian_kernel(1), 1)
  expect_refusal(predict(unique, cbind(`colnames<-`(x, c("a", "b", "c")), a = 1)), "two columns are called 'a'")
  empty <- freeridge(cbind(y, v = x[, 3L]), y, gaussian_kernel(1), 1)
  bare <- freeridge(cbind(x[, 1L], v = x[, 3L]), y, gaussian_kernel(1), 1)
  expect_refusal(predict(bare, cbind(x[, 1L], v = 1, extra = 1)), "a column has no name, so newdata must have")
  expect_identical(names(hyperparameters(bare)), names(hyperparameters(once)))
  expect_refusal(kernel_matrix(linear_kernel(), x, cbind(x, c = 1)), "two columns are called 'a', so z must have")

  data <- data.frame(y = y, x, g = gl(2L, 20L), check.names = FALSE)
  for (call in expression(freeridge(y ~ ., data), freeridge(y ~ b + unpenalised(a), data), ols(y ~ a, data),
    tls(y ~ b, data, subset = a > 0),
                          kernel_svm(g ~ b, data, linear_kernel(), 1, weights = a^2), freeridge_chunks(y ~ a + b, data),
                          freeridge_chunks(y ~ ., data), freeridge(y ~ b, data, groups = a > 0))) {
    expect_refusal(eval(call), "data has more than one column 'a': which one is meant\\?")
  }
  expect_equal(coef(ols(y ~ b, data)), coef(lm(y ~ b, data)))
  expect_refusal(predict(ols(y ~ b, data), data.frame(b = 1, b = 2, check.names = FALSE)),
    "newdata has more than one column 'b'")
  expect_refusal(freeridge(data.frame(x, g = data$g, check.names = FALSE), y), "x has more than one column 'a'")
  names(data)[2:3] <- c("", "c")
  expect_refusal(freeridge(y ~ ., data), "column 2 of data has no name: give it one")
  expect_refusal(freeridge_chunks(y ~ ., data), "column 2 of data has no name: give it one")
  expect_refusal(freeridge(data[2:5], y), "column 1 of x has no name: give it one")
})

test_that("a level and a variable that make one name have two", {
  set.seed(1)
  data <- data.frame(g = factor(rep(c("x", "y2"), 20L)), gy2 = rnorm(40L))
  data$y <- data$gy2 + (data$g == "x")
  fit <- freeridge(y ~ g + gy2, data, kernel = gaussian_kernel(3), lambda = 1e-3)
  expect_identical(as.character(marginal_effects(fit)$average$column), c("g.y2", "gy2"))
  expect_identical(names(coef(freeridge(y ~ g + gy2, data, kernel = linear_kernel(), lambda = 1))),
    c("(Intercept)", "gx", "g.y2", "gy2"))
  expect_identical(names(coef(ols(y ~ gy2 + g, data))), c("(Intercept)", "gy2", "g.y2"))
  mixed <- freeridge(y ~ gy2 + unpenalised(g), data, kernel = linear_kernel(), lambda = 1)
  expect_identical(names(coef(mixed)), c("(Intercept)", "gy2", "gy2.1"))
  expect_equal(predict(mixed, data), fitted(mixed))
  expect_identical(predict(fit, data), predict(freeridge(y ~ g + z, transform(data, z = gy2),
    kernel = gaussian_kernel(3), lambda = 1e-3), transform(data, z = gy2)))
})

test_that("a column that newdata lacks is missed, whatever the session has", {
  set.seed(1)
  data <- data.frame(a = rnorm(30L), b = rnorm(30L), g = gl(2L, 15L), o = 0, w = runif(30L))
  y <- data$y <- data$a + rnorm(30L)
  up <- data$up <- y > 0
  a <- c(7, 7)
  o <- c(1, 1)
  new <- data[1:2, c("b", "g", "o")]
  for (fit in list(
    freeridge(y ~ a + g, data, kernel = gaussian_kernel(1), lambda = 1),
    freeridge(data[c("a", "g")], y, gaussian_kernel(1), 0.1),
    freeridge(data["a"], y, gaussian_kernel(1), 0.1),
    freeridge(y ~ b + unpenalised(log(a^2)), data, kernel = linear_kernel(), lambda = 1),
    ols(y ~ poly(a, 2), data), ridge(y ~ a, data, 1), tls(y ~ a, data),
    kernel_svm(up ~ a * g, data, linear_kernel(), 1),
    gradient_descent(y ~ a, data), freeridge_chunks(y ~ a + g, data),
    freeridge(y ~ b, data, offset = a, kernel = linear_kernel(), lambda = 1),
    freeridge(y ~ b + offset(a), data, kernel = linear_kernel(), lambda = 1),
    predictor(freeridge(y ~ a + g, data, kernel = gaussian_kernel(1), lambda = 1))
  )) expect_refusal(predict(fit, new), "newdata has no column 'a'")
  expect_refusal(predict(freeridge(data["b"], y, linear_kernel(), 1, fixed = data["a"]), new),
    "newdata has no column 'a'")
  fixed <- freeridge(data["b"], y, linear_kernel(), 1, fixed = data[c("g", "a")])
  expect_refusal(predict(fixed, new, fixed = new["g"]), "fixed has no column 'a'")
  expect_refusal(gradient_descent(y ~ a, data, development = data["a"]), "development has no column 'y'")
  expect_refusal(freeridge_chunks(y ~ a, data = data), "'data' \\(is source meant\\?\\)")
  letters26 <- data.frame(y = rnorm(26L), s = base::letters, a = rnorm(26L))
  expect_equal(unname(predict(ols(y ~ a + I(s %in% letters[1:9]), letters26), letters26[1:3, ])),
               unname(predict(lm(y ~ a + I(s %in% letters[1:9]), letters26), letters26[1:3, ])))
  # what is not a column of the data still comes from where the formula was made
  knots <- 2
  expect_equal(predict(ols(y ~ I(a > knots / 9), data), data[1:4, ]),
    predict(lm(y ~ I(a > knots / 9), data), data[1:4, ]))
  beside <- data$b
  expect_refusal(predict(ols(y ~ a + beside, data), data[1:4, ]), "newdata has no column 'beside'")
  expect_refusal(predict(freeridge(y ~ beside, kernel = linear_kernel(), lambda = 1), data[1:4, ]),
    "newdata has no column 'beside'")
})

test_that("the fit keeps its frame: what comes of the data afterwards does not matter", {
  set.seed(3)
  data <- data.frame(a = rnorm(30L), g = gl(3L, 10L), w = runif(30L), y = rnorm(30L), keep = rep(c(TRUE, FALSE), 15L),
    o = 1:30 / 10)
  data$m <- matrix(rnorm(60L), 30L)
  data$a[4L] <- NA
  calls <- expression(
    freeridge(y ~ a + g, data, weights = w, kernel = gaussian_kernel(1), lambda = 0.1),
    freeridge(y ~ log(a^2) + m, data, subset = keep, kernel = linear_kernel(), lambda = 1),
    freeridge(y ~ a + unpenalised(g), data, offset = o, kernel = linear_kernel(), lambda = 1),
    freeridge(y ~ a, data, weights = round(w), kernel = linear_kernel(), lambda = 1),
    freeridge(y ~ a + m, data, na.action = na.exclude, groups = g, kernel = function(x, z) sum(x * z), lambda = 1),
    freeridge(cbind(y, o) ~ a, data, kernel = linear_kernel(), lambda = 1),
    freeridge(g ~ a + o, data, kernel = linear_kernel(), lambda = 1),
    ols(y ~ a * g, data), ridge(y ~ a, data, 1), tls(y ~ a + m, data), kernel_svm(keep ~ a, data, linear_kernel(), 1)
  )
  original <- data
  for (call in calls) {
    data <- original
    fit <- eval(call)
    ours <- model.frame(fit)
    matrix <- model.matrix(fit)
    rows <- if (inherits(fit, "freeridge")) augment.freeridge(fit)
    data$a <- 0
    data <- data[1:20, ]
    expect_identical(model.frame(fit), ours)
    expect_identical(model.matrix(fit), matrix)
    rm(data)
    again <- unserialize(serialize(fit, NULL))
    expect_equal(model.frame(again), ours, ignore_attr = "terms")
    expect_equal(model.matrix(again), matrix)
    if (!is.null(rows)) expect_equal(augment.freeridge(again), rows, ignore_attr = "terms")
    if ("a" %in% names(ours)) expect_identical(ours$a, original[rownames(ours), "a"])
    expect_identical(unname(as.matrix(ours[[1L]])),
      unname(as.matrix(eval(formula(fit)[[2L]], original[rownames(ours), ]))))
    if (inherits(fit, "freeridge")) expect_identical(fit$model, ours)
  }
  # columns of numbers are kept once, in x
  wide <- data.frame(y = rnorm(2000L), matrix(rnorm(40000L), 2000L))
  line <- freeridge(y ~ ., wide, kernel = linear_kernel(), lambda = 1)
  expect_named(line$frame$frame, "y")
  expect_equal(line$model, lm(y ~ ., wide)$model, ignore_attr = "terms")
})

test_that("a column of a data frame may be a matrix", {
  set.seed(1)
  data <- data.frame(id = 1:20)
  data$nir <- matrix(rnorm(60L), 20L, dimnames = list(NULL, c("a", "b", "c")))
  data$bare <- matrix(rnorm(40L), 20L)
  y <- data$nir[, 1L]
  for (columns in list("nir", "bare", c("id", "nir"), c("bare", "id"))) {
    fit <- freeridge(data[columns], y, gaussian_kernel(1), 0.1)
    expect_identical(colnames(fit$x), colnames(as.matrix(data[columns])))
    expect_equal(unname(predict(fit, data[3:1, ])), unname(predict(fit)[3:1]))
  }
  expect_equal(unname(predict(ols(data["nir"], y), data)), y)
  by_formula <- freeridge(y ~ nir, data, kernel = gaussian_kernel(1), lambda = 0.1)
  expect_equal(unname(predict(by_formula, data[1:3, ])),
    unname(fitted(freeridge(data["nir"], y, gaussian_kernel(1), 0.1))[1:3]))
})

test_that("named arguments come in any order", {
  for (call in expression(freeridge(mpg ~ wt + hp, cars), ols(mpg ~ wt, cars), ridge(mpg ~ wt, cars, lambda = 2),
    tls(mpg ~ wt, cars),
                          kernel_ridge(mpg ~ wt, cars, kernel = gaussian_kernel(1), lambda = 1),
                          freeridge_chunks(mpg ~ wt, source = cars),
                          kernel_logistic(am ~ wt, cars, kernel = gaussian_kernel(1), lambda = 1),
                          kernel_svm(am ~ wt, cars, kernel = gaussian_kernel(1), lambda = 1),
                          gradient_descent(mpg ~ wt, cars, weights = carb, epochs = 4),
                          early_stopping(mpg ~ wt, cars, steps = 1:9))) {
    cars <- mtcars
    named <- as.list(call)
    names(named)[2L] <- "formula"
    if (is.na(names(named)[3L]) || names(named)[3L] == "") names(named)[3L] <- "data"
    expected <- coef(eval(call))
    for (turned in list(rev(named[-1L]), named[c(3L, 2L, seq_along(named)[-(1:3)])], named[-1L])) {
      fit <- eval(as.call(c(named[[1L]], turned)))
      expect_identical(coef(fit), expected, info = deparse(call))
      expect_identical(coef(update(fit)), expected)
      wrapper <- function(...) eval(as.call(list(named[[1L]], quote(...))))
      if (is.null(named$weights)) expect_identical(coef(do.call(wrapper, lapply(turned, eval, environment()))),
        expected)
    }
  }
  expect_identical(coef(freeridge(mtcars, formula = mpg ~ wt, kernel = linear_kernel(), lambda = 1)),
                   coef(freeridge(mpg ~ wt, mtcars, kernel = linear_kernel(), lambda = 1)))
  inside <- function(data, ...) ols(data = data, ...)
  expect_identical(coef(inside(mtcars, formula = mpg ~ wt)), coef(ols(mpg ~ wt, mtcars)))
})

test_that("terms of other packages are refused with what is written here", {
  data <- data.frame(y = rnorm(30L), a = rnorm(30L), g = gl(5L, 6L))
  for (formula in list(y ~ a + (1 | g), y ~ a + (a || g), y ~ 1 | g, y ~ unpenalised(a + (1 | g)), y ~ (1 | g) - 1)) {
    for (fit in list(ols, tls, freeridge_chunks)) {  # freeridge() has them: test-random.R
      expect_refusal(fit(formula, data), "random\\(\\) is for freeridge\\(\\)|random effects? (are for freeridge\\(\\)|is a term by itself)")
    }
  }
  for (formula in list(y ~ s(a), y ~ a + te(a, y, k = 3), y ~ mgcv::s(a) + g, y ~ a:lo(a))) {
    for (fit in list(freeridge, ols, freeridge_chunks)) expect_refusal(fit(formula, data),
      "which is no term here: name the columns alone, as in y ~ x")
  }
  s <- function(x) x^2  # a function of the user's own is one
  expect_equal(coef(ols(y ~ s(a), data)), coef(lm(y ~ s(a), data)))
  expect_equal(unname(fitted(ols(y ~ I(a > 0 | g == "1"), data))), unname(fitted(lm(y ~ I(a > 0 | g == "1"), data))))
  expect_refusal(freeridge:::ols.formula("y"), "formula must be a formula such as y ~ x1 \\+ x2")
})

test_that("names of rows that x and y both have are in one order", {
  set.seed(1)
  m <- matrix(rnorm(800L), 40L, dimnames = list(paste0("line", 1:40), NULL))
  k <- tcrossprod(m) / 20
  y <- m[, 1L] + 0.1 * rnorm(40L)
  o <- c(2:40, 1L)
  words <- "row 1 of x is called 'line2', that of y 'line1': put them into one order"
  expect_silent(freeridge(k, y, precomputed_kernel(), 1))
  expect_silent(freeridge(k[o, o], unname(y), precomputed_kernel(), 1))
  expect_silent(freeridge(k[o, o], y[o], precomputed_kernel(), 1))
  for (call in expression(freeridge(k[o, o], y, precomputed_kernel()), freeridge(m[o, ], y, linear_kernel(), 1),
    ols(m[o, 1:3], y), ridge(m[o, ], y, 1), tls(m[o, 1:3], y),
                          freeridge(m[o, ], cbind(y, y), linear_kernel(), 1),
                          kernel_svm(m[o, ], y > 0, linear_kernel(), 1), gradient_descent(m[o, ], y),
                          freeridge(m[o, ], setNames(factor(y > 0), names(y)), linear_kernel(), 1),
                          accumulate(ridge_accumulator(20), m[o, ], y))) {
    expect_refusal(eval(call), words)
  }
  for (name in c("weights", "groups")) {
    expect_refusal(do.call(freeridge, c(list(m[o, ], unname(y), linear_kernel(), 1),
      setNames(list(setNames(1:40, names(y))), name))),
                   paste0("row 1 of x is called 'line2', that of ", name, " 'line1'"))
  }
  half <- setNames(y, c(paste0("line", 21:40), paste0("other", 1:20)))
  expect_refusal(freeridge(k, half, precomputed_kernel()), "row 1 of x is called 'line1', that of y 'line21'")
  expect_silent(freeridge(m, half, linear_kernel(), 1))  # other names are no order
  numbered <- data.frame(a = unname(y), g = gl(2L, 20L))
  expect_silent(freeridge(numbered, setNames(y, 40:1), linear_kernel(), 1))  # numbers of rows are no names
})
