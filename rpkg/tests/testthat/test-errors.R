# Bad input: every argument is refused with a sentence that names it and the value.

x <- problem()$x
y <- problem()$y
fit <- freeridge(x, y, gaussian_kernel(2), 1)

test_that("x and y", {
  expect_refusal(freeridge(), "x is missing")
  expect_refusal(freeridge(x), "y is missing")
  expect_refusal(freeridge("a", y), 'x must be a numeric matrix, not "a"')
  expect_refusal(freeridge(list(1), y), "x must be a numeric matrix, not a list")
  expect_refusal(freeridge(NULL, y), "x must be a numeric matrix, not NULL")
  expect_refusal(freeridge(array(0, c(2, 2, 2)), y), "x must be a numeric matrix, not an array \\(2 x 2 x 2\\)")
  expect_refusal(freeridge(x + 0i, y), "x must be a numeric matrix, not a complex matrix \\(20 x 3\\); Re\\(\\), Im\\(\\) and Mod")
  expect_refusal(freeridge(x[0, ], y[0]), "x has no rows")
  expect_refusal(freeridge(x[, 0], y), "x has no columns")
  strange <- data.frame(a = 1:3)
  strange$b <- as.list(1:3)
  expect_refusal(freeridge(strange, 1:3), "x must be numeric, but its column 'b' is a list")
  expect_refusal(freeridge(data.frame(a = 1:3, b = factor(c("u", NA, "v"))), 1:3), 'x\\[2, "b"\\] is NA')
  expect_refusal(freeridge(data.frame(a = 1:3, b = letters[1:3])), "y is missing")
  expect_refusal(freeridge(x, y[-1]), "y has 19 rows, x has 20")
  expect_refusal(freeridge(x, matrix(0, 20, 0)), "y has no columns")
  expect_refusal(freeridge(x, letters[1:20]), "y must be numeric, not a character \\(length 20\\); factor\\(y\\) makes")
  expect_refusal(freeridge(x, list(1)), "y must be a numeric matrix, not a list")
})

test_that("values that are not finite are named with their place", {
  for (bad in c(NA, NaN, Inf, -Inf)) {
    hole <- x
    hole[7, 2] <- bad
    expect_refusal(freeridge(hole, y), paste0("x\\[7, 2\\] is ", bad))
    colnames(hole) <- c("a", "b", "c")
    expect_refusal(freeridge(hole, y), paste0("x\\[7, \"b\"\\] is ", bad))
    expect_refusal(freeridge(x, replace(y, 5, bad)), paste0("y\\[5\\] is ", bad))
    if (is.infinite(bad)) expect_refusal(predict(fit, unname(hole)), paste0("newdata\\[7, 2\\] is ", bad))
  }
  expect_refusal(freeridge(matrix(c(1L, NA, 3L)), 1:3), "x\\[2\\] is NA")
  expect_refusal(freeridge(replace(x, 60, NaN), replace(y, 1, NA)), "x\\[20, 3\\] is NaN")
  expect_refusal(freeridge(x, unname(cbind(y, replace(y, 20, Inf)))), "y\\[20, 2\\] is Inf")
  long <- matrix(0, 9000, 2)  # the last number of x, and one at the seam of the search for it
  for (place in c(1, 4096, 4097, 9000, 18000)) {
    row <- (place - 1) %% 9000 + 1
    expect_refusal(freeridge(replace(long, place, NaN), numeric(9000), linear_kernel()),
                   sprintf("x\\[%d, %d\\] is NaN", row, (place - 1) %/% 9000 + 1))
  }
})

test_that("lambda", {
  for (bad in list(-1, NA_real_, Inf, NaN)) expect_refusal(freeridge(x, y, linear_kernel(), bad), paste("lambda is", bad))
  expect_refusal(freeridge(x, y, linear_kernel(), "a"), 'lambda must be numbers >= 0, not "a"')
  expect_refusal(freeridge(x, y, linear_kernel(), numeric()), "lambda must be numbers >= 0, not a numeric \\(length 0\\)")
  expect_refusal(freeridge(x, y, linear_kernel(), 1:2), "lambda must be one number, not 2 numbers")
  expect_refusal(freeridge(x, cbind(y, y), linear_kernel(), 1:3), "one number or 2 \\(one for each output\\), not 3")
  expect_refusal(freeridge(x, cbind(y, y), linear_kernel(), c(1, -2)), "lambda\\[2\\] is -2")
  for (answer in list(loo, predict, coef, hatvalues)) expect_refusal(answer(fit, lambda = -3), "lambda is -3")
  expect_refusal(group_errors(fit, rep(1:2, 10), lambda = -3), "lambda is -3")
  expect_refusal(lambda_path(fit, c(1, -3)), "lambdas\\[2\\] is -3")
})

test_that("settings", {
  expect_refusal(freeridge(x, y, "gaussian"), 'kernel must be a kernel such as linear_kernel\\(\\).*, not "gaussian"')
  expect_refusal(kernel_ridge(x, y, NULL), "kernel is missing: as in gaussian_kernel")
  expect_refusal(freeridge(x, y, gaussian_kernel), "not the function that makes it: with brackets")
  expect_refusal(freeridge(x, y, function(x) 1), "kernel is a function of 1 argument; it must be k\\(x, z\\)")
  expect_refusal(freeridge(x, y, function(x, z) "a"), 'one finite number for two rows; for row 1 and row 1 it gave "a"')
  expect_refusal(freeridge(x, y, criterion = "aic"), 'criterion must be one of "loo".*, not "aic"')
  expect_refusal(freeridge(x, y, criterion = c("loo", "gcv")), "criterion must be one of .*, not a character")
  expect_refusal(freeridge(x, y, criterion = "groups"), "there are no groups")
  expect_refusal(freeridge(x, y, intercept = NA), "intercept must be TRUE, FALSE or \"penalised\", not NA")
  expect_refusal(freeridge(x, y, intercept = 1), "intercept must be TRUE, FALSE or \"penalised\", not 1")
  expect_refusal(freeridge(x, y, route = "fast"), 'route must be one of "auto".*, not "fast"')
  expect_refusal(freeridge(x, y, gaussian_kernel(1), 1, route = "primal"), "linear", "freeridge_invalid_argument")
  for (bad in list(-1, 1.5, NA, "a", 1:2)) expect_refusal(freeridge(x, y, refine = bad), "refine must be one whole number >= 0")
  expect_refusal(freeridge(x, y, gaussian_kernel(1), 1, refine = 101), "101", "freeridge_invalid_argument")
  expect_refusal(freeridge(x, y, gaussian_kernel(1), landmarks = 5, refine = 2), "refine", "freeridge_invalid_state")
  expect_refusal(freeridge(x, y, linear_kernel(), 1, route = "spectral", refine = 2), "refine", "freeridge_invalid_state")
  expect_refusal(freeridge(x, y, lamda = 1), "unknown argument: 'lamda'")
  expect_refusal(freeridge(x, y, foo = 1), "unknown argument: 'foo'")
  expect_refusal(freeridge(mpg ~ wt, mtcars, foo = 1), "unknown argument: 'foo'")
  expect_refusal(loo(fit, 1, 2), "unknown argument: one without a name")
})

test_that("weights, groups and scale", {
  expect_refusal(freeridge(x, y, weights = replace(rep(1, 20), 4, -1)), "weights\\[4\\] is -1; none may be negative")
  expect_refusal(freeridge(x, y, weights = rep(0, 20)), "weights are 0 for all rows")
  expect_refusal(freeridge(x, y, weights = replace(rep(1, 20), 4, NA)), "weights\\[4\\] is NA")
  expect_refusal(freeridge(x, y, weights = 1), "weights must be 20 numbers >= 0, one for each row, not 1")
  expect_refusal(freeridge(x, y, weights = letters[1:20]), "weights must be 20 numbers >= 0")
  expect_refusal(freeridge(x, y, groups = 1:3), "groups must be 20 labels, one for each row, not an integer \\(length 3\\)")
  expect_refusal(freeridge(x, y, groups = rep(NA, 20)), "groups must have at least one label")
  expect_refusal(group_errors(fit), "group is missing")
  expect_refusal(group_errors(fit, 1:3), "group must be 20 labels")
  expect_refusal(group_errors(fit, as.list(1:20)), "group must be 20 labels")
  expect_refusal(freeridge(x, y, scale = NA), "scale must be TRUE, FALSE or 3 positive numbers, not NA")
  expect_refusal(freeridge(x, y, scale = c(1, 0, 1)), "scale\\[2\\] is 0")
  expect_refusal(freeridge(x, y, scale = c(1, 2)), "scale must be 3 positive numbers, one for each column of x")
})

test_that("kernel parameters get the core's sentence", {
  expect_refusal(gaussian_kernel(0), "sigma is 0; it must be positive", "freeridge_invalid_argument")
  expect_refusal(gaussian_kernel(-2), "sigma is -2", "freeridge_invalid_argument")
  expect_refusal(gaussian_kernel(Inf), "sigma is Inf", "freeridge_not_finite")
  expect_refusal(gaussian_kernel(NA), "sigma must be one number, not NA")
  expect_refusal(gaussian_kernel(c(1, -2)), "sigma\\[2\\] is -2; all must be positive")
  expect_refusal(gaussian_kernel(c("a", "b")), "sigma must be one number, not a character \\(length 2\\)")
  expect_refusal(polynomial_kernel(), "degree is missing")
  expect_refusal(polynomial_kernel(0), "degree is 0", "freeridge_invalid_argument")
  expect_refusal(polynomial_kernel(1.5), "degree must be a whole number, not 1.5")
  expect_refusal(polynomial_kernel(1e10), "degree must be a whole number")
  expect_refusal(polynomial_kernel(2, scale = -1), "scale is -1", "freeridge_invalid_argument")
  expect_refusal(polynomial_kernel(2, offset = -1), "offset is -1", "freeridge_invalid_argument")
})

test_that("every method refuses an argument that it does not know", {
  x <- problem()$x
  y <- problem()$y
  objects <- list(
    freeridge = freeridge(mpg ~ wt, mtcars, kernel = linear_kernel(), lambda = 1), freeridge_kernel = gaussian_kernel(1),
    freeridge_linear = ols(x, y), freeridge_ols = ols(x, y), freeridge_classifier = kernel_logistic(x, y > 3, linear_kernel(), 1),
    ridge_accumulator = accumulate(ridge_accumulator(3), x, y), freeridge_descent = gradient_descent(x, y, epochs = 2),
    freeridge_early_stopping = early_stopping(x, y, 1:2), ridge_window = accumulate(ridge_window(3), x, y)
  )
  methods <- getNamespaceInfo("freeridge", "S3methods")
  # (Those for generics of other packages let arguments of these pass.)
  methods <- methods[methods[, 2L] %in% names(objects) & methods[, 4L] %in% c(NA, "ggplot2"), 1:2]
  # these give what they do not know to what they draw or print with, or have no arguments to know
  others <- c("print", "plot", "Ops", "+", "*", "==", "!=", "$", "[[", "all.equal", "merge")
  others <- c(others, "simulate")  # which is called by other packages with arguments of theirs
  methods <- methods[!sub("^.*::", "", methods[, 1L]) %in% others, ]
  for (i in seq_len(nrow(methods))) {
    method <- get(paste(sub("^.*::", "", methods[i, 1L]), methods[i, 2L], sep = "."))
    said <- tryCatch(method(objects[[methods[i, 2L]]], anything.else = 1), freeridge_error = conditionMessage)
    expect_match(paste(said, collapse = " "), "unknown argument: 'anything.else'", info = paste(methods[i, ], collapse = "."))
  }
  expect_gt(nrow(methods), 50L)
  accumulator <- objects$ridge_accumulator
  expect_refusal(merge(accumulator, accumulator, all = TRUE), "unknown argument: 'all'")
})

test_that("arguments of other packages are answered with what they are called here", {
  # (R takes c = 1 for the beginning of another name; weights are known)
  for (name in setdiff(unlist(strsplit(c(names(other_concepts), toupper(names(other_concepts))), " ")), c("c", "weights", "nu"))) {
    concept <- other_concepts[[which(vapply(strsplit(names(other_concepts), " "), function(known) tolower(name) %in% known, NA))]]
    condition <- expect_refusal(do.call(freeridge, c(list(mpg ~ wt, mtcars), stats::setNames(list(1), name))), "^unknown argument: ")
    expect_identical(conditionMessage(condition), paste0("unknown argument: '", name, "' (", concept, "); see ?freeridge for those there are"))
  }
  expect_refusal(ols(x, y, alpha = 0.5), "'alpha' \\(the penalty is that of ridge regression")
  expect_refusal(kernel_svm(x, y > 3, gaussian_kernel(1), 1, C = 3), "'C' \\(lambda is the penalty")
  expect_refusal(freeridge(X = x, y = y), "'X' \\(is x meant\\?\\)")
  expect_refusal(predict(fit, X = x), "'X' \\(is newdata meant\\?\\)")
  for (call in expression(freeridge(mpg ~ wt, mtcars, groups = "cyl"), freeridge_chunks(mpg ~ wt, mtcars, groups = "cyl"))) {
    expect_refusal(eval(call), "groups is the string \"cyl\": a column of the data is written without quotes, groups = cyl")
  }
  expect_refusal(kernel_svm(am ~ wt, mtcars, linear_kernel(), 1, weights = "my w"), "without quotes, weights = `my w`$")
  expect_refusal(ols(mpg ~ wt, mtcars, weights = cyl), "'weights' \\(freeridge\\(\\) with linear_kernel\\(\\) takes weights")
  expect_refusal(predict(predictor(fit), x, interval = "gp"), "'interval' \\(fits of freeridge\\(\\), ols\\(\\) and ridge\\(\\) have")
  expect_refusal(predict(fit, na.rm = TRUE), "'na.rm' \\(is na.action meant")
})

test_that("newdata", {
  expect_refusal(predict(fit, x[, 1:2]), "newdata has 2 columns, the fit has 3")
  expect_refusal(predict(fit, "a"), 'newdata must be a numeric matrix, not "a"')
  expect_refusal(predict(fit, x, intervals = "gp"), "unknown argument: 'intervals'")
  named <- freeridge(data.frame(a = 1:5, b = 5:1), 1:5, linear_kernel(), 1)
  expect_refusal(predict(named, data.frame(a = 1, c = 2)), "newdata has no column 'b'")
  by_formula <- freeridge(mpg ~ wt, mtcars, kernel = linear_kernel(), lambda = 1)
  expect_refusal(predict(by_formula, as.matrix(mtcars)), "newdata must be a data frame")
  by_factor <- freeridge(mpg ~ factor(gear), mtcars, kernel = linear_kernel(), lambda = 1)
  expect_refusal(predict(by_factor, data.frame(gear = 7)), "has new level 7; the fit knows 3, 4, 5")
  expect_refusal(predict(by_formula, data.frame(wt = "a")), "newdata does not fit the model: variable 'wt'")
})

test_that("formulas", {
  expect_refusal(freeridge(~ wt, mtcars), "no response: ~wt")
  expect_refusal(freeridge(mpg ~ 0, mtcars), "no predictors: mpg ~ 0")
  expect_refusal(formula(fit), "no formula")
})

test_that("an answer that does not exist is a warning with NaN, or an error where nothing is left", {
  # The slope of the least-squares line is known from the last point alone.
  line <- freeridge(c(0, 0, 0, 1), c(1, 2, 3, 4), linear_kernel(), 0, route = "primal")
  words <- "undefined \\(NaN\\) at row 4: the leverage is one"
  warning <- expect_warning(errors <- loo(line), words, class = "freeridge_undefined")
  expect_null(conditionCall(warning))
  expect_equal(errors, c(-1.5, 0, 1.5, NaN))
  words <- "loo is undefined \\(NaN\\) at lambda = 0"
  expect_warning(path <- lambda_path(line, c(0, 1), "loo"), words, class = "freeridge_undefined")
  expect_identical(is.nan(path$loo), c(TRUE, FALSE))
  expect_warning(errors <- group_errors(line, c("a", "a", "b", "c")), "in group c:", class = "freeridge_undefined")
  expect_identical(is.nan(errors), c(FALSE, FALSE, FALSE, TRUE))
  expect_silent(group_errors(line, c("a", "a", NA, NA)))
  expect_silent(loo(line, lambda = 1))
  expect_equal(fitted(freeridge(matrix(1, 5, 2), 1:5, linear_kernel())), rep(3, 5))  # no lambda matters
})

test_that("what cannot fit into memory is refused before it is tried", {
  many <- as.double(1:2e6)
  expect_refusal(freeridge(many, many, gaussian_kernel(1), 1), "n = 2000000 .* GiB", "freeridge_out_of_memory")
})

test_that("a fit still works after a refused call", {
  before <- loo(fit)
  expect_error(predict(fit, replace(x, 1, Inf)), class = "freeridge_error")
  expect_error(loo(fit, -1), class = "freeridge_error")
  expect_identical(loo(fit), before)
})
