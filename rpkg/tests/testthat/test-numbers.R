# Objects of R that are numbers, and those that are not: right, or refused in one sentence, wherever numbers are taken.

# Whole numbers as bit64 has them, which need not be loaded: the bits of 64-bit integers in the memory of doubles.
as_64_bits <- function(values) {
  low <- values %% 2^32
  halves <- rbind(ifelse(low >= 2^31, low - 2^32, low), floor(values / 2^32))
  halves[halves == -2^31] <- NA
  bits <- writeBin(as.integer(halves), raw(), endian = "little")
  structure(readBin(bits, "double", length(values), endian = "little"), class = "integer64")
}

whole <- c(3, -1, 4, 1, -5, 9, 2, 6, 5, -3, 8, 7, 12, -4, 10, 0)
large <- 5e9 + 7 * whole
surv <- structure(cbind(time = whole + 9, status = 1), class = "Surv", type = "right")
day <- as.Date("2020-01-01") + whole
time <- as.POSIXct("2020-01-01", tz = "UTC") + whole

# Values of each class, and the numbers that they stand for; NULL: no numbers.
classes_of_numbers <- list(
  double = list(whole, whole), integer = list(as.integer(whole), whole),
    logical = list(whole > 3, as.double(whole > 3)),
  integer64 = list(as_64_bits(large), large), negative64 = list(as_64_bits(-large), -large),
  small64 = list(as_64_bits(whole), whole), array = list(array(whole), whole), column = list(matrix(whole), whole),
  as_is = list(I(whole), whole), label = list(structure(whole, class = c("labelled", "numeric"), label = "a"), whole),
  haven = list(structure(whole, class = c("haven_labelled", "vctrs_vctr", "double"), labels = c(low = 1, high = 9)),
    whole),
  ts = list(stats::ts(whole, start = 2000), whole),
  table = list(structure(as.integer(whole), dim = 16L, class = "table"), whole),
  roman = list(structure(as.integer(abs(whole) + 1), class = "roman"), abs(whole) + 1),
  factor = list(factor(whole), NULL), ordered = list(factor(whole, ordered = TRUE), NULL),
  character = list(as.character(whole), NULL), Date = list(day, NULL), POSIXct = list(time, NULL),
  POSIXlt = list(as.POSIXlt(time), NULL), difftime = list(as.difftime(whole, units = "mins"), NULL),
  complex = list(whole + 0i, NULL), raw = list(as.raw(whole + 5), NULL), list = list(as.list(whole), NULL),
  null = list(NULL, NULL), Surv = list(surv, NULL), "function" = list(mean, NULL),
  expression = list(expression(a), NULL), formula = list(y ~ x, NULL), environment = list(globalenv(), NULL)
)
beside <- cos(1:16)
up <- beside > 0

# What takes numbers, as functions of these numbers.
rows_of <- function(x, y) accumulate(ridge_accumulator(1), x, y)
takers <- list(
  x = list(
    freeridge = function(v) fitted(freeridge(v, beside, gaussian_kernel(5), 0.1)),
    kernel_ridge = function(v) fitted(kernel_ridge(v, beside, gaussian_kernel(5), 0.1)),
    ols = function(v) coef(ols(v, beside)), ridge = function(v) coef(ridge(v, beside, 1)),
    tls = function(v) coef(tls(v, beside)), kernel_svm = function(v) fitted(kernel_svm(v, up, gaussian_kernel(5), 1)),
    kernel_logistic = function(v) fitted(kernel_logistic(v, up, gaussian_kernel(5), 1)),
    gradient_descent = function(v) coef(gradient_descent(v, beside, epochs = 3)),
    early_stopping = function(v) coef(early_stopping(v, beside, 1:3)),
    accumulate = function(v) coef(rows_of(v, beside), 0.1), newdata = function(v) predict(ols(1:16, beside), v),
    fixed = function(v) coef(freeridge(beside^2, beside, linear_kernel(), 1, fixed = v)),
    kernel_matrix = function(v) kernel_matrix(gaussian_kernel(5), v), pinv = function(v) pinv(v),
    polynomial_features = function(v) polynomial_features(v, 2), absolute_slope = function(v) absolute_slope(v, beside)
  ),
  y = list(
    freeridge = function(v) fitted(freeridge(beside, v, gaussian_kernel(1), 0.1)),
    ols = function(v) coef(ols(beside, v)), ridge = function(v) coef(ridge(beside, v, 1)),
    tls = function(v) coef(tls(beside, v)),
    gradient_descent = function(v) coef(gradient_descent(beside, v, epochs = 3)),
    early_stopping = function(v) coef(early_stopping(beside, v, 1:3)),
    accumulate = function(v) coef(rows_of(beside, v), 0.1),
    labels = function(v) fitted(kernel_svm(beside, v, gaussian_kernel(1), 1)),
    loo = function(v) loo(rows_of(beside, beside), beside, v, 1)
  ),
  positive = list(
    weights = function(v) fitted(freeridge(beside, beside^2, gaussian_kernel(1), 0.1, weights = v)),
    lambda = function(v) lambda_path(freeridge(beside, beside^2, gaussian_kernel(1), 1), v, "loo"),
    convert = function(v) convert_lambda(v, "total", "mean", 16), median = function(v) weighted_median(beside, v)
  )
)
# Classes with a meaning of their own: labels are classes of a response, and levels among columns without a penalty.
with_own_meaning <- list(labels = c("logical", "factor", "ordered", "character"),
                         freeridge = c("logical", "factor", "ordered"), fixed = c("factor", "ordered", "character"),
                         absolute_slope = "logical", weights = "logical", lambda = "logical", convert = "logical",
                           median = "logical")

test_that("each class of numbers is right or refused, wherever it stands", {
  for (role in names(takers)) for (taker in names(takers[[role]])) for (class in names(classes_of_numbers)) {
    f <- takers[[role]][[taker]]
    value <- classes_of_numbers[[class]]
    numbers <- value[[2L]]
    info <- paste(role, taker, class)
    if (role == "positive" && any(numbers < 0) || class == "null" && taker %in% c("weights", "median", "fixed",
      "lambda", "newdata")) next
    if (class %in% with_own_meaning[[taker]] && !(taker == "freeridge" && role == "x")) next
    found <- tryCatch(suppressWarnings(f(value[[1L]])), error = function(condition) condition)
    if (is.null(numbers) || taker == "labels") {
      expect_true(inherits(found, "freeridge_error"), info = paste(info, class(found)[1L]))
      said <- if (inherits(found, "error")) conditionMessage(found) else ""
      expect_false(grepl("[.] |\n", said), info = paste(info, said))
    } else {
      if (inherits(found, "error")) found <- conditionMessage(found)
      expect_equal(found, suppressWarnings(f(numbers)), ignore_attr = TRUE, info = info)
    }
  }
})

# Some rows; the class of 64-bit numbers stays, as with the methods of bit64.
some_rows <- function(data, rows) {
  part <- data[rows, , drop = FALSE]
  if (inherits(data$v, "integer64")) class(part$v) <- "integer64"
  part
}

test_that("each class of numbers is right or refused as a column, too", {
  entries <- list(
    data_frame = function(data) predict(freeridge(data["v"], data$b, linear_kernel(), 1), some_rows(data, 3:5)),
    beside_a_factor = function(data) {
      data$g <- gl(2L, 8L)
      predict(freeridge(data[c("v", "g")], data$b, gaussian_kernel(9), 1), some_rows(data, 7:9))
    },
    formula = function(data) predict(freeridge(b ~ v, data, kernel = gaussian_kernel(9), lambda = 1),
      some_rows(data, 3:5)),
    ols = function(data) predict(ols(b ~ v, data), some_rows(data, 3:5)),
    svm = function(data) predict(kernel_svm((b > 0) ~ v, data, gaussian_kernel(9), 1), some_rows(data, 3:5)),
    chunks = function(data) predict(freeridge_chunks(b ~ v, row_source(data, 5), lambda = 1), some_rows(data, 3:5)),
    chunks_y = function(data) predict(freeridge_chunks(v ~ b, row_source(data, 5), lambda = 1), some_rows(data, 3:5)),
    y = function(data) predict(freeridge(v ~ b, data, kernel = gaussian_kernel(9), lambda = 1), some_rows(data, 3:5))
  )
  columns <- Filter(function(value) length(value[[1L]]) == 16L && is.atomic(value[[1L]]), classes_of_numbers)
  for (class in setdiff(names(columns), "table")) {
    value <- columns[[class]][[1L]]
    numbers <- columns[[class]][[2L]]
    data <- data.frame(b = beside)
    data$v <- value
    plain <- data.frame(b = beside, v = if (is.null(numbers)) suppressWarnings(as.double(value)) else numbers)
    for (entry in names(entries)) {
      found <- tryCatch(suppressWarnings(entries[[entry]](data)), error = function(condition) condition)
      refused <- inherits(found, "error")
      info <- paste(class, entry, if (refused) conditionMessage(found))
      if (refused) expect_true(inherits(found, "freeridge_error"), info = info)
      time <- inherits(value, c("Date", "POSIXct", "difftime"))
      if (time && entry %in% c("chunks_y", "y") || is.complex(value) || is.raw(value)) {
        expect_true(refused, info = info)
      } else if (!is.null(numbers) && !is.logical(value) || time && entry != "data_frame") {
        expect_equal(if (!refused) unname(found), unname(entries[[entry]](plain)), tolerance = 1e-6, info = info)
      }
    }
  }
})

test_that("what is refused is refused with a way out", {
  expect_refusal(ols(beside, day), "^y must be numeric, not a Date \\(length 16\\); as.numeric\\(y\\) makes numbers$")
  expect_refusal(ols(beside, as.difftime(1:16, units = "mins")), "as.numeric\\(y, units = \"hours\"\\) makes numbers$")
  data <- data.frame(b = beside)
  data$survived <- surv
  expect_refusal(freeridge(survived ~ b, data), "are for survival models, as coxph\\(\\) and survreg\\(\\)")
  if (requireNamespace("survival", quietly = TRUE)) {  # which keeps the class in some of the rows
    expect_refusal(freeridge_chunks(survival::Surv(b + 2, b > 0) ~ b, data), "are for survival models, as coxph\\(\\)")
  }
  expect_refusal(kernel_svm(survived ~ b, data, linear_kernel(), 1), "are for survival models")
  expect_refusal(ols(day, beside), "^x must be a numeric matrix, not a Date \\(length 16\\); as.numeric\\(x\\) makes numbers$")
  expect_refusal(ols(data.frame(day), beside),
    "column 'day' is a Date \\(length 16\\); as.numeric\\(day\\) makes numbers$")
  expect_refusal(ols(matrix("1", 16L, 2L), beside),
                 "not a character matrix \\(16 x 2\\); in a formula, or in a data frame for freeridge\\(\\), labels become")
  # a time has its unit in new data, too
  at <- data.frame(b = beside, t = as.POSIXct("2020-01-01", tz = "UTC") + 86400 * 1:16)
  fit <- freeridge(b ~ t, at, kernel = linear_kernel(), lambda = 1)
  expect_refusal(predict(fit, transform(at, t = as.Date(t))),
    "'t' is a Date \\(length 16\\), that of the fit was a POSIXct")
  fit <- freeridge(at["t"], beside, linear_kernel(), 1)
  expect_refusal(predict(fit, transform(at, t = as.Date(t))),
    "'t' is a Date \\(length 16\\), that of the fit was a POSIXct")
  lasting <- data.frame(b = beside, t = as.difftime(1:16, units = "mins"))
  fit <- freeridge_chunks(b ~ t, row_source(lasting, 5), lambda = 1)
  expect_refusal(predict(fit, transform(lasting, t = `units<-`(t, "secs"))), "that of the fit was a difftime in mins")
  expect_refusal(predict(ols(data.frame(b = beside), beside), data.frame(b = day)), "its column 'b' is a Date")
  measured <- function(values, unit) {
    structure(values, units = structure(list(numerator = unit, denominator = character()), class = "symbolic_units"),
      class = "units")
  }
  metres <- list2DF(list(b = measured(whole, "m"), y = beside))
  for (fit in list(freeridge(metres["b"], beside, linear_kernel(), 1), ols(y ~ b, metres))) {
    expect_refusal(predict(fit, list2DF(list(b = measured(100 * whole, "cm")))), "that of the fit was a units in m$")
    expect_silent(predict(fit, metres))
  }
})

test_that("the halves of 64 bits are put together rightly, NA among them", {
  values <- c(0, 1, -1, 2^31, 2^31 - 1, -2^31, 2^32, 2^32 - 1, -2^32, 2^53, -2^53, 2^62, -2^62, 123456789012)
  expect_identical(without_class(as_64_bits(values)), values)
  missing <- structure(readBin(as.raw(c(0, 0, 0, 0, 0, 0, 0, 128)), "double", endian = "little"), class = "integer64")
  expect_identical(without_class(missing), NA_real_)
  expect_identical(without_class(as_64_bits(-2^63 + 2^31)), -2^63 + 2^31)

  # labels beyond 2^53, where x and x + 1 are one double
  bits <- matrix(writeBin(unclass(as_64_bits(2^60 + 4096 * rep(1:4, 4L))), raw(), endian = "little"), 8L)
  bits[1L, ] <- as.raw(rep(0:1, 8L))
  ids <- structure(readBin(as.vector(bits), "double", 16L, endian = "little"), class = "integer64")
  names <- paste(rep(1:4, 4L), rep(0:1, 8L))
  fit <- freeridge(beside, beside^2, gaussian_kernel(1), 1)
  expect_equal(group_errors(fit, ids), group_errors(fit, names))
  data <- data.frame(y = beside^2, b = beside, names = names)
  data$ids <- ids
  expect_equal(freeridge(y ~ b, data, kernel = linear_kernel(), groups = ids)$score,
               freeridge(y ~ b, data, kernel = linear_kernel(), groups = names)$score)
  expect_equal(unname(fitted(freeridge(y ~ b + random(ids), data))), unname(fitted(freeridge(y ~ b + random(names), data))), tolerance = 1e-5)
  expect_equal(freeridge_chunks(y ~ b, list(data), groups = ids)$score,
    freeridge_chunks(y ~ b, list(data), groups = names)$score)

  y <- beside^2
  i <- as_64_bits(large)  # of the session, without the methods of its class
  for (formula in list(y ~ beside + i, y ~ i)) {
    expected <- coef(ols(formula, data.frame(y = y, beside = beside, i = large)))
    expect_equal(coef(ols(formula)), expected)
    expect_equal(coef(ols(formula, data.frame(beside = beside))), expected)
  }

  skip_if_not_installed("bit64")
  expect_identical(without_class(bit64::as.integer64(values)), values)
  data$i <- bit64::as.integer64(large)
  for (formula in list(y ~ b + i, y ~ log(i), y ~ I(i / 2) + b)) {
    expect_equal(coef(ols(formula, data)), coef(ols(formula, transform(data, i = large))))
  }
  skip_if_not_installed("RSQLite")
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(connection))
  DBI::dbExecute(connection, "CREATE TABLE rows (y REAL, i INTEGER)")
  DBI::dbAppendTable(connection, "rows", data.frame(y = beside, i = large))
  expect_s3_class(DBI::dbReadTable(connection, "rows")$i, "integer64")
  expect_equal(coef(freeridge_chunks(y ~ i, row_source(connection, table = "rows"), lambda = 1e-3)),
               coef(freeridge(y ~ i, data.frame(y = beside, i = large), kernel = linear_kernel(), lambda = 1e-3)),
                 tolerance = 1e-6)
})

test_that("labels are the same where their values are, in whatever they are an argument of", {
  time <- as.POSIXct("2020-01-01", tz = "UTC")
  kinds <- list(  # four labels, and the same ones in another form
    large = list(4e15 + c(1, 2, 5, 60)), near = list(0.1 + c(0, 1, 2, 3) * 2^-55),
    round = list(c(1e5, 2e5, 300001, -1), c(100000L, 200000L, 300001L, -1L)), whole = list(c(100000L, 2L, 0L, 7L), c("100000", "2", "0", "7")),
    text = list(factor(c(1e5, 2e5, 3e15, 12)), c(1e5, 2e5, 3e15, 12)), days = list(as.Date("2024-01-01") + c(0, 0.5, 1, 31)),
    times = list(time + c(0, 0.25, 0.5, 3)), midnights = list(time + 86400 * 0:3, as.POSIXct(format(time + 86400 * 0:3, tz = "Asia/Tokyo"), "Asia/Tokyo")),
    minutes = list(as.difftime(c(1, 2, 1e5, 4), units = "mins"))
  )
  set.seed(26)
  rows <- rep(1:4, each = 10L)
  data <- data.frame(b = rnorm(40L), names = letters[rows])
  data$y <- data$b + 2 * rows + rnorm(40L, 0, 0.3)
  linear <- linear_kernel()
  whole <- function(...) lambda_path(do.call(freeridge, list(y ~ b, data, kernel = linear, lambda = 1, ...)), 1, "groups")$groups
  chunks <- function(label) do.call(freeridge_chunks, list(y ~ b, row_source(data, 7), lambdas = 1:3, groups = label))$search$moments
  turned <- c(2, 1, 4, 3)
  other <- rep(c("u", "v"), 20L)
  score <- whole(groups = data$names)
  beside <- whole(groups = data$names, gap = letters[turned[rows]])
  moments <- chunks(quote(names))
  each <- predict(ridge_batch(data["b"], data$y, data$names, lambda = 1), data.frame(b = 1:4), letters[1:4])
  effects <- predict(freeridge(y ~ b + random(names), data, kernel = linear), data.frame(b = 1:4, names = letters[1:4]))
  for (kind in names(kinds)) {
    labels <- kinds[[kind]][[1L]]
    same <- kinds[[kind]][[length(kinds[[kind]])]]
    data$id <- labels[rows]
    expect_equal(whole(groups = data$id), score, info = kind)
    expect_equal(whole(groups = data.frame(data$id, other)), mean(c(score, whole(groups = other))), info = kind)
    expect_equal(lambda_path(freeridge(data["b"], data$y, linear, 1, groups = data$id), 1, "groups")$groups, score, info = kind)
    expect_equal(whole(groups = data$id, gap = same[turned[rows]]), beside, info = kind)
    expect_equal(chunks(quote(id)), moments, info = kind)
    own <- ridge_batch(data["b"], data$y, data$id, lambda = 1)
    expect_equal(unname(predict(own, data.frame(b = 1:4), same)), unname(each), info = kind)
    fit <- freeridge(y ~ b + random(id), data, kernel = linear)
    expect_equal(predict(fit, data.frame(b = 1:4, id = same)), effects, tolerance = 1e-5, info = kind)
  }
})

test_that("matrices of the package Matrix are right or refused", {
  skip_if_not_installed("Matrix")
  plain <- matrix(abs(sin(1:48)), 16L, 3L, dimnames = list(NULL, c("a", "b", "c")))
  plain[plain < 0.3] <- 0
  by_column <- Matrix::Matrix(plain, sparse = TRUE)
  expected <- fitted(freeridge(plain, beside, linear_kernel(), 1))
  for (x in list(by_column, methods::as(by_column, "RsparseMatrix"), methods::as(by_column, "TsparseMatrix"))) {
    expect_equal(fitted(freeridge(x, beside, linear_kernel(), 1)), expected)
    for (f in list(ols, tls, function(x, y) kernel_svm(x, up, linear_kernel(), 1), rows_of)) {
      expect_refusal(f(x, beside), "as.matrix\\(x\\) makes one$")
    }
    for (f in list(ols, tls, rows_of, function(x, y) freeridge(x, y, linear_kernel(), 1))) {
      expect_refusal(f(beside, x), "as.matrix\\(y\\) makes one$")
    }
  }
  dense <- Matrix::Matrix(plain, sparse = FALSE)
  expect_refusal(freeridge(dense, beside),
    "x must be a numeric matrix, not a dgeMatrix \\(16 x 3\\); as.matrix\\(x\\) makes one$")
  square <- crossprod(plain)
  expect_equal(unname(fitted(freeridge(Matrix::Matrix(square, sparse = TRUE), 1:3, linear_kernel(), 1))),
               unname(fitted(freeridge(square, 1:3, linear_kernel(), 1))))
})

test_that("tables of other packages are data frames", {
  data <- data.frame(y = beside, a = sin(1:16), b = whole, g = gl(2L, 8L))
  kinds <- list(tibble = function(data) tibble::as_tibble(data),
    data.table = function(data) data.table::as.data.table(data))
  uses <- list(
    function(data) predict(freeridge(y ~ a + g, data, kernel = gaussian_kernel(1), lambda = 1), data),
    function(data) predict(ols(y ~ ., data), data[3:4, ]),
    function(data) coef(freeridge_chunks(y ~ ., data, lambda = 1)),
    function(data) predict(freeridge(as.data.frame(data)[2:3], data$y, linear_kernel(), 1), data),
    function(data) fitted(freeridge(subset(data, select = a:b), data$y, linear_kernel(), 1)),
    function(data) fitted(freeridge(subset(data, select = a:g), data$y, gaussian_kernel(1), 1)),
    function(data) predict(kernel_svm(g ~ a + b, data, linear_kernel(), 1), data)
  )
  for (kind in Filter(function(kind) requireNamespace(kind, quietly = TRUE), names(kinds))) {
    for (f in uses) expect_equal(unname(f(kinds[[kind]](data))), unname(f(data)), info = kind)
  }
})
