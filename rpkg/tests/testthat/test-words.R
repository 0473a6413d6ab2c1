# Messages speak R: arguments by their names, rows and columns from 1, nothing of the C library; and every error is a
# freeridge_error.

test_that("what the core refuses is said in the words of R", {
  p <- problem()
  given <- function(...) freeridge(p$x, p$y, ...)
  expect_refusal(given(gaussian_kernel(1), 1, route = "landmark"),
                 '^route is "landmark", but there are none: give landmarks$', "freeridge_invalid_state")
  expect_refusal(given(gaussian_kernel(1), 1, route = "primal"), '^route is "primal", which needs a linear kernel; the fit\'s kernel')
  expect_refusal(freeridge(matrix(1, 5, 2), 1:5, lengths = "one"), "give the kernel its bandwidth, or bandwidth_range$")
  expect_refusal(given(linear_kernel(), 1, route = "spectral", refine = 2),
                 '^route = "spectral" refines no linear kernel; give route = "primal"$')
  k <- diag(3)
  k[3, 1] <- 5
  expect_refusal(freeridge(k, 1:3, precomputed_kernel(), 1), "x\\[[13], [13]\\]")
  big <- p$x
  big[4, 2] <- 1e200
  expect_refusal(freeridge(big, p$y, polynomial_kernel(3), 1), "^the kernel of rows 4 and 1 is Inf; x is too large for this kernel$")
  expect_refusal(score(ridge_accumulator(2), "gcv", 1), "the accumulator has no rows yet; accumulate\\(\\) adds some$")
  expect_refusal(gaussian_kernel(-Inf), "sigma is -Inf")
})

test_that("places are counted from 1 in every kind of sentence", {
  said <- c(
    "freeridge_predict: x[1, 0] is nan; it must be finite" = "x[2, 1] is NaN; it must be finite",
    "the kernel of rows 9 and 0 is inf" = "the kernel of rows 10 and 1 is Inf",
    "the mean of column 2 of x overflows" = "the mean of column 3 of x overflows",
    "weights[99] is 0" = "weights[100] is 0",
    "the variance of output 0 is 0" = "the variance of output 1 is 0",
    "freeridge_score: criterion is GROUPS, but the model has no groups; call freeridge_set_groups first" =
      'criterion is "groups", but the fit has no groups',
    "x has 20 rows, d = 3" = "x has 20 rows, d = 3"
  )
  for (sentence in names(said)) expect_identical(in_words_of_r(sentence), said[[sentence]])
})

test_that("no sentence of the core names its functions here", {
  folders <- c("../../src", "../../00_pkg_src/freeridge/src", "../../../src", "../../../00_pkg_src/freeridge/src")
  folder <- Filter(function(folder) dir.exists(file.path(folder, "libcore")), folders)
  skip_if(length(folder) == 0L, "the sources are not here")
  files <- list.files(file.path(folder[1L], c("libcore", "capi")), "[.][ch]pp$", recursive = TRUE, full.names = TRUE)
  lines <- unlist(lapply(files, readLines))
  texts <- unlist(regmatches(lines, gregexpr('"[^"]*\\b(freeridge_[a-z_]+|FREERIDGE_[A-Z_]+)[^"]*"', lines)))
  texts <- gsub('"', "", texts[grepl(" ", texts) & !grepl("[.]hpp", texts)])
  expect_gt(length(texts), 10L)
  for (text in texts) expect_false(grepl("freeridge_", in_words_of_r(text), ignore.case = TRUE), info = paste(text, "->", in_words_of_r(text)))
})

test_that("every error is a freeridge_error, and an argument that is left out is named", {
  fit <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 1)
  for (f in c("make_folds", "make_holdout", "convert_lambda", "scaled_kernel", "parse_kernel", "weighted_median", "absolute_slope",
              "polynomial_feature_count", "polynomial_feature_factors", "accumulator_bytes", "accumulator_from_bytes")) {
    expect_refusal(do.call(f, list()), "^[a-z]+ is missing$")
  }
  for (call in expression(
    freeridge(mpg ~ nowhere, mtcars), freeridge(mpg ~ wt, "a"), freeridge(mpg ~ wt, mtcars, weights = letters),
    freeridge(mpg ~ wt, mtcars, weights = 1:3), freeridge(mpg ~ wt, mtcars, subset = list(1)), freeridge(mpg ~ log("a"), mtcars),
    freeridge(mpg ~ wt, mtcars, na.action = na.fail("b")), freeridge(mpg ~ wt, transform(mtcars, wt = NA), na.action = na.fail),
    freeridge(mpg ~ wt, mtcars, offset = 1:3), confint(fit, list(1)), confint(fit, mean), confint(fit, "none"),
    predict(fit, data.frame(a = 1)), predict(fit, list(1)), freeridge(mpg ~ wt, mtcars, groups = 1:3)
  )) {
    expect_refusal(eval(call), "[a-z]", "freeridge_error")
  }
  expect_refusal(freeridge(mpg ~ wt, nowhere), "the data do not fit the formula: object 'nowhere' not found")
  expect_refusal(freeridge_chunks(mpg ~ wt^hp, mtcars), "the data do not fit the formula: invalid power")
  expect_refusal(freeridge(mpg ~ nowhere, mtcars), "the data do not fit the formula: object 'nowhere' not found")
  expect_refusal(confint(fit, list(1)), "parm must be names or numbers of coefficients")
})

test_that("kernel_logistic takes 0 and 1, strings, and factors with levels that are not there", {
  p <- problem(30L)
  up <- p$y > 3
  expected <- kernel_logistic(p$x, up, gaussian_kernel(2), 0.1)
  labels <- list(as.double(up), as.integer(up), ifelse(up, 1, -1), ifelse(up, "yes", "no"), factor(up),
                 factor(ifelse(up, "b", "a"), levels = c("a", "never", "b")))
  for (y in labels) {
    fit <- kernel_logistic(p$x, y, gaussian_kernel(2), 0.1)
    expect_identical(unname(fitted(fit)), unname(fitted(expected)))
    expect_identical(as.character(predict(fit, type = "class") )[fitted(fit) > 0][1L], as.character(y[up][1L]))
    expect_true(all(predict(fit, p$x, type = "class") %in% y))
  }
})
