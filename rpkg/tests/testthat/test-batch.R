# Ridge regression in many groups: each group has the answers of a fit to its rows alone.

groups_data <- function(n = 120, d = 3) {
  set.seed(8)
  x <- matrix(rnorm(n * d), n, dimnames = list(NULL, c("dose", "body mass", "age")[seq_len(d)]))
  group <- sample(c("north", "south", "east", "west"), n, TRUE, c(4, 3, 2, 1))
  list(x = x, group = group, y = drop(x %*% seq_len(d)) + match(group, unique(group)) + rnorm(n, sd = 4), weights = runif(n, 0.5, 2))
}

test_that("each group has the fit of its rows alone", {
  p <- groups_data()
  p$y[7] <- NA
  p$weights[c(3, 50)] <- 0
  for (criterion in c("loo", "gcv", "reml")) for (intercept in c(TRUE, FALSE)) {
    fit <- ridge_batch(p$x, cbind(p$y, 2 * p$y), p$group, p$weights, criterion = criterion, intercept = intercept)
    expect_identical(dimnames(coef(fit)), list(sort(unique(p$group)), c(if (intercept) "(Intercept)", colnames(p$x)), c("y1", "y2")))
    expect_equal(coef(fit)[, , 2], 2 * coef(fit)[, , 1], tolerance = 1e-5)
    for (g in unique(p$group)) {
      rows <- which(p$group == g & !is.na(p$y) & p$weights > 0)
      alone <- function(lambda) {
        freeridge(p$x[rows, ], p$y[rows], linear_kernel(), lambda, criterion = criterion, weights = p$weights[rows], intercept = intercept, scale = FALSE)
      }
      expect_equal(fit$lambda[g, 1], alone(NULL)$lambda, tolerance = 1e-4)
      one <- alone(fit$lambda[[g, 1]])
      expect_equal(coef(fit)[g, , 1], coef(one), tolerance = 1e-8)
      expect_equal(loo(fit)[rows, 1], loo(one), tolerance = 1e-8, ignore_attr = TRUE)
      expect_equal(fit$sigma2[g, 1], sigma(one)^2, tolerance = 1e-8)
      expect_equal(predict(fit, p$x[rows[1:3], ], p$group[rows[1:3]])[, 1], predict(one, p$x[rows[1:3], ]), tolerance = 1e-8, ignore_attr = TRUE)
    }
    expect_identical(which(is.nan(loo(fit)[, 1])), c(3L, 7L, 50L))
    expect_identical(nobs(fit), 118L)
  }
})

test_that("groups may be labels of any kind, and columns have their names", {
  p <- groups_data()
  fit <- ridge_batch(as.data.frame(p$x), p$y, p$group, lambda = 2)
  expect_true(all(fit$lambda == 2))
  plain <- function(fit) unname(coef(fit)[order(coef(fit)[, 1]), ])
  number <- match(p$group, unique(p$group)) * 1.5
  for (group in list(factor(p$group, rev(unique(p$group))), number, as.Date("2024-01-01") + number, data.frame(p$group, one = 1))) {
    expect_equal(plain(ridge_batch(p$x, p$y, group, lambda = 2)), plain(fit), tolerance = 1e-12)
  }
  turned <- as.data.frame(p$x)[c(3, 1, 2)]
  expect_equal(predict(fit, turned, p$group), predict(fit, p$x, p$group), ignore_attr = TRUE)
  expect_true(all(is.na(predict(fit, p$x[1:2, ], c(NA, NA)))))
  some <- replace(p$group, 1:5, NA)
  expect_true(all(is.nan(loo(ridge_batch(p$x, p$y, some))[1:5])))
  expect_identical(sum(ridge_batch(p$x, p$y, some)$rows), 115L)
})

test_that("combinations of labels are groups, found by the names of their columns", {
  p <- groups_data()
  group <- data.frame(dose = c(1.5, 1, 1, 1.5), week = c(2, 5.2, 2, 1))[match(p$group, unique(p$group)), ]
  fit <- ridge_batch(p$x, p$y, group, lambda = 2)
  expect_identical(rownames(coef(fit)), c("1:2", "1:5.2", "1.5:1", "1.5:2"))
  plain <- ridge_batch(p$x, p$y, p$group, lambda = 2)
  expect_equal(predict(fit, p$x, group[c("week", "dose")]), predict(plain, p$x, p$group), tolerance = 1e-12)
  expect_equal(predict(fit, p$x, unname(as.list(group))), predict(plain, p$x, p$group), tolerance = 1e-12)
  expect_refusal(predict(fit, p$x, group["week"]), "group has no column 'dose'")
  expect_refusal(ridge_batch(p$x, p$y, list(p$group, 1)), "group must be 120 labels, one for each row, not 1")
  expect_refusal(ridge_batch(p$x, p$y, list()), "group must be 120 labels")
})

test_that("a group without an answer is named, and spoils no other", {
  p <- groups_data()
  group <- replace(p$group, 1, "alone")
  expect_warning(fit <- ridge_batch(p$x, p$y, group), 'of 5 groups lack numbers \\(NaN\\); group "alone": .*leverage is one', class = "freeridge_undefined")
  expect_identical(fit$failed, "alone")
  expect_true(all(is.nan(coef(fit)["alone", ])) && all(is.finite(coef(fit)[rownames(coef(fit)) != "alone", ])))
  expect_output(print(fit), "1 group without all numbers: alone")
  expect_output(print(fit), "in each of 5 groups of 1 to [0-9]+ rows, 3 columns")
})

test_that("arguments that a batch cannot have are refused", {
  p <- groups_data(20)
  fit <- ridge_batch(p$x, p$y, p$group)
  expect_refusal(ridge_batch(p$y ~ p$x, group = p$group), "ridge_batch\\(\\) takes the columns")
  expect_refusal(ridge_batch(p$x, p$y), "group is missing")
  expect_refusal(ridge_batch(p$x, p$y, p$group[-1]), "group must be 20 labels")
  expect_refusal(ridge_batch(p$x, p$y, lm), "group must be 20 labels")
  expect_refusal(ridge_batch(p$x, p$y, rep(NA, 20)), "no row has a group")
  expect_refusal(ridge_batch(p$x, p$y[-1], p$group), "y has 19 rows, x has 20")
  expect_refusal(ridge_batch(p$x, p$y, p$group, lambda = -1), "lambda")
  expect_refusal(ridge_batch(p$x, p$y, p$group, criterion = "groups"), "criterion")
  expect_refusal(ridge_batch(p$x, p$y, p$group, weights = rep(-1, 20)), "none may be negative")
  expect_refusal(ridge_batch(replace(p$x, 2, Inf), p$y, p$group), "x\\[")
  expect_refusal(ridge_batch(p$x, replace(p$y, 2, Inf), p$group), "y\\[", "freeridge_not_finite")
  expect_refusal(predict(fit, p$x, rep("nowhere", 20)), 'group\\[1\\] is "nowhere"')
  expect_refusal(predict(fit, p$x[, 1:2], p$group), "no column 'age'")
  expect_refusal(predict(fit, unname(p$x)[, 1:2], p$group), "newdata has 2 columns")
})
