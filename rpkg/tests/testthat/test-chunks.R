# freeridge_chunks() is freeridge() on the same rows at once, whatever the pieces and wherever they come from.

rows_of_chunks <- function(n = 123L, seed = 4L) {
  set.seed(seed)
  data <- data.frame(a = rnorm(n), b = runif(n, 1, 2), g = sample(c("u", "v"), n, TRUE), stringsAsFactors = FALSE,
                     f = factor(sample(c("low", "high", "never"), n, TRUE, c(1, 1, 0)), c("low", "high", "never")),
                     on = rnorm(n) > 0, w = round(runif(n, 0, 2), 1), o = rnorm(n))
  data$g[n - 1L] <- "last"  # a level that only the last chunk has
  data$f[3L] <- NA
  data$a[c(11L, 60L)] <- NA
  data$y <- data$a + 2 * data$b^2 + (data$g == "v") + data$on + rnorm(n, sd = 0.3)
  data$z <- data$b - (data$f == "high") + rnorm(n, sd = 0.3)
  data
}

lambdas <- c(0.05, 1, 30)

# At the same lambdas: coefficients, scores, errors left out, predictions.
expect_same_fit <- function(part, whole, data, source = row_source(data, 50), tolerance = 1e-10) {
  expect_equal(nobs(part), nobs(whole))
  expect_close(coef(part, lambdas), coef(whole, lambdas), tolerance)
  expect_identical(dimnames(coef(part, lambdas)), dimnames(coef(whole, lambdas)))
  ours <- lambda_path(part, lambdas, source = source)
  theirs <- lambda_path(whole, lambdas)
  for (name in c("loo", "loo_se", "gcv", "reml", "training")) expect_close(ours[[name]], theirs[[name]], tolerance)
  expect_identical(names(ours), setdiff(names(theirs), "error_rate"))
  left_out <- as.matrix(suppressWarnings(loo(whole, 1)))
  if (!is.null(whole$aside)) left_out <- left_out[-whole$aside$rows, , drop = FALSE]
  expect_close(suppressWarnings(loo(part, source, 1)), left_out, tolerance)
  expect_close(predict(part, data, 1), predict(whole, data, 1), tolerance)
  expect_identical(names(predict(part, data, 1)), names(predict(whole, data, 1)))
}

# What sums of all rows decide: standard errors, intervals, likelihoods.
expect_same_errors <- function(part, whole, data, tolerance = 1e-9) {
  same <- function(ours, theirs) {
    expect_close(ours, theirs, tolerance)
    expect_identical(attributes(ours), attributes(theirs))
  }
  new <- data[2:9, ]
  for (kind in covariance_types) {
    for (interval in c("confidence", "prediction", "gp")) {
      same(predict(part, new, interval = interval, kind = kind, level = 0.8), predict(whole, new, interval = interval, kind = kind, level = 0.8))
    }
    if (!is_linear(whole$kernel)) next
    for (lambda in list(NULL, 3)) same(vcov(part, kind, lambda), vcov(whole, kind, lambda))
    same(confint(part, type = kind), confint(whole, type = kind))
  }
  ours <- predict(part, new, 2, se.fit = TRUE, covariance = TRUE)
  theirs <- predict(whole, new, 2, se.fit = TRUE, covariance = TRUE)
  expect_identical(names(ours), names(theirs))
  for (name in names(theirs)) same(ours[[name]], theirs[[name]])
  if (is_linear(whole$kernel)) expect_equal(generics::tidy(part, conf.int = TRUE), generics::tidy(whole, conf.int = TRUE), tolerance = tolerance)
  row <- generics::glance(whole)
  known <- setdiff(names(row), c("loo.rmse", "loo.r.squared"))
  expect_equal(generics::glance(part)[known], row[known], tolerance = tolerance)
  if (ncol(whole$y) > 1L || !is.null(whole$classes)) return(invisible())
  expect_equal(logLik(part), logLik(whole), tolerance = tolerance)
  expect_equal(extractAIC(part, k = 3), extractAIC(whole, k = 3), tolerance = tolerance)
  expect_identical(family(part), family(whole))
}

test_that("chunks of every size give the fit to all rows, for every part of a formula", {
  data <- rows_of_chunks()
  cases <- list(
    list(y ~ a + b), list(y ~ a + b + g + f + on, weights = quote(w)), list(y ~ ., data = c("y", "a", "g")),
    list(cbind(y, z) ~ a + g * b, weights = quote(w), offset = quote(o)), list(y ~ log(b) + f:a + offset(o), intercept = FALSE),
    list(y ~ g + a - 1), list(cbind(first = y, second = z) ~ a + b, intercept = "penalised", subset = quote(o > -1)),
    list(y ~ a + factor(round(4 * b)), subset = quote(on & !is.na(a)), na.action = quote(na.exclude)),
    list(y ~ I(a * b) + poly(b, 2, raw = TRUE) + splines::ns(b, knots = 1.5, Boundary.knots = 1:2), intercept = "penalised",
         weights = quote(w)),
    list(cbind(y, z) ~ a + f + unpenalised(b * on), weights = quote(w), offset = quote(o)),
    list(y ~ unpenalized(f) + ., data = c("y", "a", "f", "b"), scale = TRUE),
    list(y ~ a + unpenalised(log(b), on) - 1, scale = c(a = 2))
  )
  sizes <- rep(c(17, 123, 40, 1, 64), 3)
  for (i in seq_along(cases)) {
    case <- cases[[i]]
    rows <- if (is.null(case$data)) data else data[case$data]
    case$data <- NULL
    at_once <- eval(as.call(c(quote(freeridge), case, list(data = rows, kernel = linear_kernel(), lambda = 1))))
    chunks <- eval(as.call(c(quote(freeridge_chunks), case, list(source = row_source(rows, sizes[i]), lambda = 1))))
    expect_same_fit(chunks, at_once, rows, row_source(rows, 31))
    expect_same_errors(chunks, at_once, rows)
  }
})

test_that("divisors of the columns are those of all rows", {
  data <- rows_of_chunks()
  for (scale in list(TRUE, c(a = 2, b = 0.5, glast = 1, gu = 1, gv = 3))) {
    whole <- freeridge(y ~ a + b + g, data, kernel = linear_kernel(), lambda = 1, scale = scale, weights = w)
    expect_same_fit(freeridge_chunks(y ~ a + b + g, row_source(data, 25), lambda = 1, scale = scale, weights = w), whole, data)
  }
  data$constant <- 3
  part <- freeridge_chunks(y ~ a + constant, row_source(data, 25), lambda = 1, scale = TRUE)
  expect_identical(part$scale[["constant"]], 1)
})

test_that("lambda is chosen by each criterion", {
  data <- na.omit(rows_of_chunks())
  for (t in 1:2) {
    formula <- if (t == 1L) y ~ a + b + g else cbind(y, z) ~ a + b + g
    for (criterion in c("gcv", "reml")) {
      whole <- unjudged(freeridge(formula, data, kernel = linear_kernel(), criterion = criterion))
      part <- freeridge_chunks(formula, row_source(data, 40), criterion = criterion)
      expect_close(part$lambda, whole$lambda, 1e-6)
      expect_close(part$score, whole$score, 1e-10)
      expect_identical(names(part$lambda), names(whole$lambda))
      expect_output(print(part), paste0("chosen by ", criterion_titles[[criterion]]), fixed = TRUE)
    }
    whole <- freeridge(formula, data, kernel = linear_kernel())
    grid <- freeridge_chunks(formula, row_source(data, 40), lambdas = 30)
    finer <- freeridge_chunks(formula, row_source(data, 40), lambdas = 30, passes = 5)
    expect_close(finer$lambda, whole$lambda, 1e-3)
    expect_close(finer$score, whole$score, 1e-8)
    expect_true(all(grid$score >= finer$score))
    path <- lambda_path(grid)
    expect_close(path$loo, lambda_path(whole, unique(path$lambda), "loo")$loo, 1e-10)
    given <- freeridge_chunks(formula, row_source(data, 40), lambdas = c(8, 2, 0.1))
    expect_true(all(given$lambda %in% c(0.1, 2, 8)))
    expect_identical(unique(lambda_path(given)$lambda), c(0.1, 2, 8))
  }
  expect_output(print(summary(grid)), "Root mean squared errors of the fitted and the left-out rows:", fixed = TRUE)
  expect_close(summary(grid)$outputs$loo_rmse, sqrt(grid$score), 1e-14)
})

test_that("groups are left out together, whatever the chunks", {
  data <- rows_of_chunks()
  data$patient <- c(rep(NA, 5L), rep(1:24, length.out = 118L))
  data <- data[order(data$patient, na.last = NA), ][1:118, ]
  data <- rbind(data[1:50, ], transform(data[51:60, ], patient = NA), data[61:118, ])
  for (case in list(list(y ~ a + b + g), list(cbind(y, z) ~ a + b + unpenalised(on), weights = quote(w)))) {
    whole <- unjudged(eval(as.call(c(quote(freeridge), case, list(data = quote(data), kernel = linear_kernel(), groups = quote(patient))))))
    for (size in c(1, 7, 200)) {
      part <- eval(as.call(c(quote(freeridge_chunks), case, list(source = row_source(data, size), groups = quote(patient), passes = 5))))
      expect_identical(part$criterion, "groups")
      expect_close(part$score, whole$score, 1e-8)
      expect_close(lambda_path(part)$groups, lambda_path(whole, unique(lambda_path(part)$lambda), "groups")$groups, 1e-10)
      ours <- lambda_path(part, lambdas, source = row_source(data, 31))
      theirs <- lambda_path(whole, lambdas)
      for (name in c("loo", "groups", "groups_se", "gcv")) expect_close(ours[[name]], theirs[[name]], 1e-10)
    }
  }
  expect_output(print(summary(part)), "Root mean squared errors of the fitted and the left-out rows:", fixed = TRUE)
  expect_close(summary(part)$outputs$group_rmse, sqrt(part$score), 1e-14)
  part <- freeridge_chunks(y ~ a + b, row_source(data, 20), gaussian_kernel(2), landmarks = 9, groups = patient, lambdas = 20)
  again <- freeridge_chunks(y ~ a + b, row_source(data, 20), gaussian_kernel(2), landmarks = 9, groups = factor(patient), lambdas = 20)
  expect_close(again$score, part$score, 1e-10)
  expect_refusal(lambda_path(part, 1, "groups"), "^groups at lambdas that the fit has not tried takes a pass")
})

test_that("a factor, strings or a logical response are classes", {
  data <- na.omit(rows_of_chunks())
  data$two <- factor(ifelse(data$a + data$o > 0, "yes", "no"))
  data$three <- cut(data$y, c(-Inf, 3, 5, Inf), c("few", "some", "many"))
  data <- data[order(data$three), ]  # a class that only the last chunks have
  for (formula in list(two ~ a + b + g, three ~ a + b, on ~ a + b + unpenalised(o))) {
    whole <- freeridge(formula, data, kernel = linear_kernel(), lambda = 1, weights = w)
    part <- freeridge_chunks(formula, row_source(data, 20), lambda = 1, weights = w)
    expect_same_fit(part, whole, data)
    expect_same_errors(part, whole, data)
    expect_refusal(predict(part, data, type = "probability"), "hand these rows in once more, as in predict\\(fit, newdata, type = ")
    expect_refusal(predict(part, data, type = "class"), "hand these rows in once more")
    for (type in c("class", "probability", "response")) {
      at <- suppressWarnings(predict(part, data, 30, type = type, source = row_source(data, 17)))
      expect_same <- if (type == "class") expect_identical else function(object, expected) expect_close(object, expected, 1e-9)
      expect_same(at, predict(whole, data, 30, type = type))
      own <- predict(part, data[4:9, ], type = type, source = row_source(data, 17))
      expect_same(own, predict(whole, data[4:9, ], type = type))
      expect_identical(dimnames(own), dimnames(predict(whole, data[4:9, ], type = type)))
    }
    kept <- unserialize(serialize(part, NULL))  # what was calibrated is kept
    for (object in list(part, kept, predictor(part))) expect_identical(predict(object, data[4:9, ], type = type), own)
    expect_identical(predict(part, row_source(data[4:9, ], 4), type = type), without_row_names(own))
    expect_identical(part$xlevels[["g"]], whole$xlevels[["g"]])
    expect_identical(predict(part, data, type = "class"), predict(whole, data, type = "class"))
    expect_identical(predict(part, row_source(data, 50), type = "class"), unname(predict(whole, data, type = "class")))
    printed <- function(fit) grep("^Classes:", capture.output(print(fit)), value = TRUE)
    expect_identical(printed(part), printed(whole))
  }
  text <- transform(data, three = as.character(three))  # strings are sorted, as those of predictors
  part <- freeridge_chunks(three ~ a + b, row_source(text, 20), lambda = 1)
  expect_identical(levels(predict(part, data, type = "class", source = row_source(text, 20))), c("few", "many", "some"))
  given <- freeridge_chunks(three ~ a + b, row_source(text, 20), lambda = 1, levels = list(three = levels(data$three)))
  own <- predict(given, data, type = "class", source = row_source(text, 20))
  expect_identical(as.character(own), as.character(predict(part, data, type = "class")))
  numeric <- freeridge_chunks(y ~ a, row_source(data, 50), lambda = 1)
  expect_refusal(predict(numeric, data, type = "class"), "^type is \"class\", and the response is not of classes")
})

test_that("an unpenalised column that depends on others has no coefficient", {
  data <- na.omit(rows_of_chunks())
  data$twice <- 2 * data$b - 1
  formula <- y ~ a + unpenalised(b + twice + on)
  part <- freeridge_chunks(formula, row_source(data, 20), lambda = 1)
  whole <- freeridge(formula, data, kernel = linear_kernel(), lambda = 1)
  expect_close(coef(part, lambdas), coef(whole, lambdas), 1e-9)
  expect_true(is.na(coef(part)[["twice"]]))
  expect_close(predict(part, data), predict(whole, data), 1e-10)
})

test_that("landmarks that were left out, and rounding, are said where they cost digits", {
  set.seed(3)
  data <- data.frame(x = rnorm(80))
  data$y <- sin(2 * data$x) + rnorm(80, 0, 0.1)
  fit <- function(lambda) freeridge_chunks(y ~ x, data, gaussian_kernel(2), landmarks = 20, scale = FALSE, lambda = lambda)
  expect_warning(fit(1e-9), "so near to others that they were left out", class = "freeridge_below_floor")
  expect_silent(fit(10))
})

test_that("with landmarks the fit is the one to all rows with these landmarks", {
  data <- rows_of_chunks(160L)
  kernels <- list(gaussian_kernel(2), matern_kernel(1.5, 3) + 0.5 * laplacian_kernel(4), polynomial_kernel(2, 0.5))
  for (i in seq_along(kernels)) {
    scale <- list(FALSE, TRUE, FALSE)[[i]]
    formula <- list(y ~ a + b + g, cbind(y, z) ~ a + b + f + offset(o), y ~ a + b - 1)[[i]]
    part <- freeridge_chunks(formula, row_source(data, 30), kernels[[i]], weights = w, landmarks = 12, scale = scale, lambdas = 20)
    x <- freeridge(formula, data, kernel = kernels[[i]], weights = w, lambda = 1)$x
    same <- apply(part$landmarks, 1L, function(z) which(colSums(abs(t(x) - z)) == 0)[1L])
    counting <- which(complete.cases(data[c("y", "a", "b", "g", if (i == 2L) c("z", "f", "o"))]))
    rows <- match(counting[data$w[counting] > 0][same], counting)
    whole <- freeridge(formula, data, kernel = kernels[[i]], weights = w, lambda = 1, landmarks = rows, scale = scale,
                       reduction = "gram")
    ours <- lambda_path(part, lambdas, source = row_source(data, 45))
    theirs <- lambda_path(whole, lambdas)
    for (name in c("loo", "loo_se", "gcv", "reml", "training")) expect_close(ours[[name]], theirs[[name]], 1e-10)
    expect_close(predict(part, data, 1), predict(whole, data, 1), 1e-10)
    at_one <- freeridge_chunks(formula, row_source(data, 30), kernels[[i]], weights = w, landmarks = 12, scale = scale, lambda = 1)
    expect_same_errors(at_one, whole, data, 1e-8)
    expect_refusal(vcov(part), "which has no slopes: coefficients have covariances for linear kernels only")
    expect_refusal(generics::tidy(part), "which has no slopes")
    expect_close(lambda_path(part)$loo, lambda_path(whole, part$search$lambda, "loo")$loo, 1e-10)
    expect_output(print(part), paste(c(12, 12, 6)[i], "landmarks"), fixed = TRUE)  # of 6 monomials
    expect_refusal(coef(part), "which has no slopes")
    again <- freeridge_chunks(formula, row_source(data, 30), kernels[[i]], weights = w, landmarks = 12, scale = scale, lambdas = 20)
    expect_identical(predict(again, data), predict(part, data))
  }
  other <- freeridge_chunks(y ~ a + b, row_source(data, 30), gaussian_kernel(2), landmarks = 12, lambda = 1, seed = 1)
  expect_false(identical(other$landmarks, part$landmarks))
  # numbers of the kernel that are left open are learnt on the sample
  learnt <- freeridge_chunks(y ~ a + b, row_source(data, 30), gaussian_kernel(), landmarks = 30, sample = 80)
  expect_output(print(learnt), paste("learnt by REML on 80 of the", learnt$count, "rows"), fixed = TRUE)
  expect_output(print(learnt), paste("Left-out error:", short_numbers(sqrt(unname(learnt$score)), 4L)), fixed = TRUE)
  expect_identical(sort(relevance(learnt)$column), c("a", "b"))
  expect_true(!chooses_bandwidth(learnt$kernel) && !is.null(learnt$scale))
  expect_lt(learnt$score, var(data$y, na.rm = TRUE) / 4)
  expect_refusal(freeridge_chunks(y ~ a, data, gaussian_kernel(1), landmarks = 10, intercept = "penalised"), "not penalised, or none")
  expect_refusal(freeridge_chunks(y ~ a, data, linear_kernel(), landmarks = 10), "which needs no landmarks")
  expect_refusal(freeridge_chunks(y ~ a, data, gaussian_kernel(1), landmarks = 10, sample = 5), "sample must be one whole number >= 10")
})

test_that("the sample has the rows that subset selects", {
  data <- rows_of_chunks(60L)[c("a", "b", "y")]
  data$i <- seq_len(60L)
  data <- data[!is.na(data$a), ]
  data$m <- matrix(data$b * rnorm(116L), 58L)
  for (formula in list(y ~ a, y ~ a + m)) for (kernel in list(gaussian_kernel(1), gaussian_kernel())) for (size in c(100, 20)) {
    pieces <- split(data, (data$i - 1) %/% size)
    part <- freeridge_chunks(formula, pieces, kernel, landmarks = 10, sample = 60, subset = i > 29)
    whole <- freeridge_chunks(formula, lapply(pieces, subset, i > 29), kernel, landmarks = 10, sample = 60)
    expect_identical(part$design$landmarks, whole$design$landmarks)
    expect_identical(predict(part, data), predict(whole, data))
  }
  strings <- transform(data, g = rep(c("u", "v"), 29L))
  expect_equal(coef(freeridge_chunks(y ~ g + m, row_source(strings, 20), lambda = 1, subset = i > 5)),
               coef(freeridge_chunks(y ~ g + m, row_source(subset(strings, i > 5), 20), lambda = 1)))
})

test_that("rows come from anywhere, also in empty chunks and in chunks of one row", {
  data <- rows_of_chunks()
  expected <- freeridge_chunks(y ~ a + g, row_source(data, 1000), weights = w)
  same <- function(source) {
    found <- freeridge_chunks(y ~ a + g, source, weights = w)
    expect_close(coef(found), coef(expected), 1e-12)
    expect_close(found$score, expected$score, 1e-12)
    expect_close(predict(found, row_source(source)), predict(expected, data), 1e-12)
  }
  pieces <- split(data, c(1, rep(2:4, length.out = 121L), 5))  # the new level is alone in the last one
  pieces <- unname(c(pieces[1:2], list(data[0L, ]), pieces[3:5], list(data[0L, ])))
  expect_output(print(row_source(pieces)), "Rows from a list of 7 data frames, 123 rows", fixed = TRUE)
  data <- do.call(rbind, pieces)
  same(pieces)
  same(data)
  at <- 0L
  same(row_source(function(reset = FALSE) {
    if (reset) at <<- 0L else at <<- at + 1L
    if (reset || at > length(pieces)) NULL else pieces[[at]]
  }))
  same(row_source(function(k) pieces[[k]], shards = 7))
  same(row_source(function(k) row_source(pieces[if (k == 1) 1:3 else 4:7]), shards = 2))
  files <- tempfile(rep("rows", 7L), fileext = ".csv")
  for (k in 1:7) write.csv(pieces[[k]], files[k], row.names = FALSE)
  read <- function(file) read.csv(file, colClasses = c(g = "character"))
  same(row_source(files, read))
  unlink(files)
})

test_that("rows come from a database", {
  skip_if_not_installed("DBI")
  skip_if_not_installed("RSQLite")
  data <- rows_of_chunks()
  data$g[1:70] <- NA  # columns without any value in a chunk have no kind there
  data$f <- as.character(data$f)
  connection <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(connection))
  DBI::dbWriteTable(connection, "some rows", data)
  expected <- freeridge(y ~ a + g + f, data, kernel = linear_kernel(), lambda = 1)
  for (size in c(1, 17, 1000)) {
    table <- row_source(connection, table = "some rows", rows = size)
    expect_same_fit(freeridge_chunks(y ~ a + g + f, table, lambda = 1), expected, data, table)
    query <- row_source(connection, query = "SELECT y, a, g, f FROM \"some rows\" ORDER BY a", rows = size)
    expect_close(coef(freeridge_chunks(y ~ a + g + f, query, lambda = 1)), coef(expected), 1e-10)
  }
  expect_output(print(table), "Rows from the table 'some rows' of a database", fixed = TRUE)
  expect_refusal(freeridge_chunks(y ~ a, row_source(connection, query = "SELECT * FROM nowhere")), "^chunk 1: .*nowhere")
  expect_refusal(freeridge_chunks(y ~ a, row_source(connection, query = "SELECT * FROM \"some rows\" WHERE a > 1e9")), "no rows")
  expect_refusal(row_source(connection), "either query, an SQL text, or table")
  expect_refusal(row_source(connection, query = 1), "query must be one string, not 1")
  expect_silent(DBI::dbGetQuery(connection, "SELECT 1"))  # no result was left open

  # An interrupt in the middle: the result is cleared, the connection goes on.
  counter <- new.env()
  counter$calls <- 0L
  interrupted <- function(a) {
    counter$calls <- counter$calls + 1L
    if (counter$calls == 12L) tools::pskill(Sys.getpid(), tools::SIGINT)
    a
  }
  table <- row_source(connection, table = "some rows", rows = 10)
  outcome <- tryCatch(freeridge_chunks(y ~ interrupted(a), table), interrupt = function(condition) "interrupted")
  expect_identical(outcome, "interrupted")
  expect_silent(DBI::dbGetQuery(connection, "SELECT 1"))
  expect_equal(nobs(freeridge_chunks(y ~ interrupted(a), table)), 121)
})

test_that("levels are those of all rows at once, or those that are given", {
  n <- 60L
  set.seed(2)
  y <- rnorm(n)
  columns <- list(
    strings = rep(c("b", "a", "c"), each = 20), numbers = factor(rep(c(4, 10, 6), each = 20)),
    own_order = factor(rep(c("x", "m", "a"), each = 20), c("x", "m", "unused", "a")),
    ordered = factor(rep(c("low", "mid", "high"), 20), c("low", "mid", "high"), ordered = TRUE)
  )
  for (column in columns) {
    data <- data.frame(y, v = column)
    whole <- freeridge(y ~ v, data, kernel = linear_kernel(), lambda = 1)
    part <- freeridge_chunks(y ~ v, row_source(data, 20), lambda = 1)
    expect_equal(coef(part), coef(whole), tolerance = 1e-12)
    expect_identical(part$xlevels, whole$xlevels)
  }
  # each chunk made its own factor
  own <- lapply(split(data.frame(y, v = rep(c(4, 10, 6), each = 20)), rep(1:3, each = 20)), transform, v = factor(v))
  expect_identical(freeridge_chunks(y ~ v, unname(own), lambda = 1)$xlevels$v, c("4", "6", "10"))
  own <- lapply(own, transform, v = factor(paste0("n", v)))
  expect_identical(freeridge_chunks(y ~ v, own, lambda = 1)$xlevels$v, c("n10", "n4", "n6"))
  own[[1L]]$v <- ordered(own[[1L]]$v)
  own[[2L]]$v <- ordered(own[[2L]]$v)
  own[[3L]]$v <- ordered(own[[3L]]$v)
  expect_refusal(freeridge_chunks(y ~ v, own, lambda = 1), "the ordered factor v has other levels in some chunks")
  # no first look with all levels given
  reads <- 0L
  text <- data.frame(y, v = columns$strings)
  read <- function(k) {
    reads <<- reads + 1L
    text[20 * (k - 1) + 1:20, ]
  }
  given <- freeridge_chunks(y ~ v, row_source(read, shards = 3), lambda = 1, levels = list(v = c("c", "b", "a")))
  expect_identical(reads, 4L)  # one for the first rows
  expect_identical(names(coef(given)), c("(Intercept)", "vc", "vb", "va"))
  expect_refusal(freeridge_chunks(y ~ v, row_source(text, 20), lambda = 1, levels = list(v = c("c", "b"))),
                 "^chunk 2: the data do not fit the formula: factor v has new level a; the fit knows c, b$")
  expect_refusal(freeridge_chunks(y ~ v, text, levels = list(u = c("c", "b"))), "levels has the name 'u'")
  expect_refusal(freeridge_chunks(y ~ v, text, levels = c("c", "b")), "levels must be a list of strings")
  expect_refusal(freeridge_chunks(y ~ v, text, levels = list(v = "c")), "levels\\$v must be two or more strings")
  expect_refusal(predict(given, data.frame(v = "d")), "new level d; the fit knows c, b, a$")
})

test_that("a column that depends on all rows is refused, and one with numbers of its own is not", {
  data <- na.omit(rows_of_chunks())
  for (term in list("scale(a)", "poly(a, 2)", "splines::ns(a, 3)", "I(a - mean(a))", "rank(a)", "cut(a, 3)", "c(0, diff(a))")) {
    expect_refusal(freeridge_chunks(reformulate(term, "y"), row_source(data, 40)), "is another one for some of the rows")
  }
  expect_refusal(freeridge_chunks(scale(y) ~ a, data), "^scale\\(y\\) is another one")
  expect_refusal(freeridge_chunks(y ~ a, data, weights = w / sum(w)), "^w/sum\\(w\\) is another one")
  expect_refusal(freeridge_chunks(y ~ a, data, subset = a > median(a)), "^a > median\\(a\\) is another one")
  limits <- c(-9, 0, 9)
  half <- function(a) a / divisor
  divisor <- 2
  part <- freeridge_chunks(y ~ scale(a, center = 3, scale = 2) + cut(b, limits + 1.5) + half(a), row_source(data, 40), lambda = 1)
  whole <- freeridge(y ~ scale(a, center = 3, scale = 2) + cut(b, limits + 1.5) + half(a), data, kernel = linear_kernel(), lambda = 1)
  expect_equal(unname(coef(part)), unname(coef(whole)), tolerance = 1e-12)
  expect_equal(predict(part, data), predict(whole, data), tolerance = 1e-12)
})

no_logarithm <- function(x) stop("no logarithm")

test_that("what is wrong is named by its chunk and row, and a source that changes is found out", {
  data <- na.omit(rows_of_chunks())[1:90, ]
  data$g[data$g == "last"] <- "u"
  refused <- function(words, data, ..., formula = y ~ a + g) {
    more <- eval(substitute(alist(...)))
    expect_refusal(eval(as.call(c(quote(freeridge_chunks), formula, list(row_source(data, 20)), more))), words)
  }
  put <- function(name, row, value) {
    data[[name]][row] <- value
    data
  }
  refused("^chunk 3: a is Inf in row 7; all values", put("a", 47, Inf))
  refused("^chunk 3: a is NaN in row 7; all values", put("a", 47, NaN), na.action = na.pass)
  refused("^chunk 3: y is NA in row 7; all values", put("y", 47, NA), na.action = na.pass)
  refused("^chunk 5: .*missing values in object", put("a", 90, NA), na.action = na.fail)
  refused("^chunk 2: the weight of row 1 is -1; it must be", put("w", 21, -1), weights = w)
  refused("^chunk 2: offset is Inf in row 20", put("o", 40, Inf), offset = o)
  refused("no row is left of the 90 rows of the source: 90 have missing values", transform(data, a = NA_real_), formula = y ~ a)
  refused("no row is left of the 90 rows", transform(data, w = 0), weights = w)
  refused("no row is left of the 90 rows", data, subset = a > 1e9)
  refused("the source has no rows", data[0L, ])
  refused("^the response has one class only, high; there must be two or more", subset(data, f == "high"), formula = f ~ a)
  refused("^no row is of the class 'never'", data, formula = f ~ a, levels = list(f = c("low", "high", "never")))
  refused("^chunk 1: the response is NA in row 3; all labels", put("f", 3, NA), formula = f ~ a, na.action = na.pass)
  refused("^an offset goes with a numeric response; this one is a factor", data, formula = f ~ a + offset(o))
  refused("^1:3 has 3 values for a chunk of 20 rows", data, subset = 1:3)
  refused("subset must be TRUE or FALSE for each of the 20 rows of a chunk, not a numeric", data, subset = a)
  refused("^the formula has no predictors: y ~ 1", data, formula = y ~ 1)
  refused("^the formula has no response", data, formula = ~ a)
  refused("^gap is for freeridge\\(\\): rows beside a group", data, groups = g, gap = g)
  refused("the rows of group 'u' are not together: sort the source by its groups", data[order(data$o), ], groups = g)
  refused("groups must be a label for each row, not .*; several divisions are for freeridge", data, groups = cbind(g, g))
  refused("^groups has no label: each row's is missing", data, groups = ifelse(on, NA, NA))
  refused("the formula has no predictors beside unpenalised\\(\\): y ~ unpenalised", data, formula = y ~ unpenalised(a))
  refused("^unpenalised\\(\\) goes with linear_kernel\\(\\) in freeridge_chunks", data, formula = y ~ b + unpenalised(a),
          kernel = gaussian_kernel(1), landmarks = 5)
  pieces <- unname(split(data, rep(1:3, each = 30)))
  wrong <- function(words, k, value, formula = y ~ a + g) {
    pieces[[k]] <- value
    expect_refusal(freeridge_chunks(formula, row_source(function(k) pieces[[k]], shards = 3)), words)
  }
  pairs <- lapply(pieces, function(rows) list(a = rows$a, y = cbind(rows$y, rows$w)))
  pairs[[2L]]$y <- pairs[[2L]]$y[, c(1, 2, 1)]
  expect_refusal(freeridge_chunks(y ~ a, row_source(function(k) data.frame(a = pairs[[k]]$a, y = I(pairs[[k]]$y)), shards = 3)),
                 "^shard 2: variable .y. was fitted with type .nmatrix.2. but type .nmatrix.3. was supplied$")
  refused("^the data do not fit the formula: no logarithm$", data, formula = y ~ no_logarithm(a))
  refused("no row of the sample has a positive weight", transform(data, w = 0), formula = y ~ a, weights = w,
          kernel = gaussian_kernel(1), landmarks = 3)
  suppressWarnings(refused("levels has the name 'a', which is that of no factor", data, levels = list(a = c("u", "v"))))
  wrong("^shard 2: there is no column 'a'", 2L, data[1:9, c("y", "g")])
  wrong("^shard 3: a is of the kind \"factor\", and \"numeric\" in chunks before$", 3L, transform(data[1:9, ], a = "3"))
  wrong("^shard 3: .*variable 'a' was fitted with type \"numeric\" but type \"character\" was supplied", 3L,
        transform(data[1:9, ], a = "3"), formula = y ~ a)
  wrong("^shard 3 is a list \\(length 2\\), not a data frame", 3L, list(1, 2))
  expect_refusal(row_source(list(data, 3)), "from\\[\\[2\\]\\] must be a data frame, not 3")
  expect_refusal(row_source(list()), "list of no data frames")
  expect_refusal(row_source(3), "from must be a data frame, a list of data frames")
  expect_refusal(row_source(function() NULL), "must have an argument reset")
  expect_refusal(row_source(), "from is missing: a data frame")
  expect_refusal(row_source(c("file", NA), read.csv), "from must be names of files, none missing")
  expect_refusal(row_source("file"), "read must be a function")
  expect_refusal(row_source(data, 0), "rows must be one whole number >= 1, not 0")

  passes <- function(change, ...) {
    pass <- 0L
    row_source(function(reset = FALSE) {
      if (reset) {
        pass <<- pass + 1L
        given <<- FALSE
        return(NULL)
      }
      if (given) return(NULL)
      given <<- TRUE
      change(pass)
    })
  }
  given <- FALSE
  changed <- function(words, change) expect_refusal(freeridge_chunks(y ~ a + b, passes(change)), words)
  changed("^the source has no rows$", function(pass) if (pass < 2L) data)
  changed("changed between two passes: 90 rows at first, then 89$", function(pass) if (pass < 3L) data else data[-4L, ])
  changed("changed between two passes: as many rows, with other numbers$", function(pass) {
    if (pass < 3L) data else transform(data, y = y[c(2, 1, 3:90)])
  })
  fit <- freeridge_chunks(y ~ a + b, passes(function(pass) if (pass < 3L) data else data[90:1, ]))  # the same rows
  expect_equal(nobs(fit), 90)
  expect_refusal(freeridge_chunks(y ~ a + g, passes(function(pass) if (pass < 3L) data else data[1:60, ])),  # the look was pass 2
                 "changed between two passes: 90 rows at first, then 60$")
  expect_refusal(lambda_path(fit, 1, "groups"), 'criteria must be one of "loo", "gcv", "reml"')
  expect_refusal(lambda_path(fit, 1, 3), 'criteria must be some of "loo", "gcv", "reml"')
  expect_refusal(lambda_path(fit, 1, "loo"), "takes a pass over the rows: give source")
  expect_refusal(loo(fit), "source is missing: the rows of the fit, once more")
  expect_refusal(predict(fit), "newdata is missing: a data frame or a source of rows")
  expect_refusal(lambda_path(fit, 1, source = data[-1L, ]), "changed between two passes: 90 rows at first, then 89")
  expect_refusal(loo(fit, transform(data, a = -a)), "changed between two passes: as many rows")
})

test_that("arguments are judged before any row is read", {
  never <- row_source(function(reset) stop("read"))
  refused <- function(words, ...) expect_refusal(freeridge_chunks(y ~ a, never, ...), words)
  refused("needs landmarks here: how many", kernel = gaussian_kernel(1))
  refused("the kernel must be one of the library", kernel = function(x, z) 1, landmarks = 3)
  refused("without landmarks the kernel must be linear_kernel\\(\\) itself", kernel = 2 * linear_kernel())
  refused('criterion must be one of "loo", "gcv", "reml", "groups"', criterion = "error_rate")
  refused("criterion is \"groups\", but there are no groups", criterion = "groups")
  refused("lambdas must be one whole number >= 3, not 2", lambdas = 2)
  refused("lambdas must be positive numbers, or how many", lambdas = c(0, 1))
  refused("passes must be", passes = 1)
  refused("unknown argument: 'data'", data = 3)
  refused("workers must be \"future\", \"mirai\" or \"mpi\"", workers = "cluster")
  refused("workers must be one whole number >= 1", workers = c(future = 0))
  expect_refusal(freeridge_chunks(y ~ a), "source is missing")
  expect_refusal(freeridge_chunks(source = never), "formula is missing")
  expect_refusal(freeridge_chunks(3, data.frame(y = 1:2, a = 1:2)), "formula must be a formula")
  absent <- with_replaced(check_workers, requireNamespace = function(...) FALSE)
  expect_refusal(absent("mirai", never), "workers of mirai need the package mirai: install it")
  idle <- with_replaced(check_workers_there, `::` = function(package, name) function(...) list(connections = 0))
  expect_refusal(idle("mirai"), "mirai has no daemons")
  idle <- with_replaced(check_workers_there, `::` = function(package, name) function(...) 1)
  expect_refusal(idle("mpi"), "Rmpi has no workers")
  busy <- with_replaced(with_workers, `::` = function(package, name) function(...) 3)
  expect_refusal(busy(list(engine = "mpi", count = 2), NULL), "there are workers of Rmpi already")
  ended <- with_replaced(shards_of_workers, `::` = function(package, name) {
    if (identical(substitute(name), quote(value))) function(job) simpleError("it has ended") else function(...) NULL
  })
  expect_refusal(ended(row_source(data.frame(y = 1:2, a = 1:2)), NULL, list(engine = "future"), 1L), "^the worker of .*: it has ended$")
  absent <- with_replaced(database_source, requireNamespace = function(...) FALSE)
  expect_refusal(absent(NULL), "rows from a database need the package DBI: install it")
})

test_that("a row alone in its group has no leave-one-out error where nothing is penalised", {
  data <- data.frame(y = c(1, 3, 2, 5), a = c(1, 2, 4, 3), g = c("u", "u", "u", "v"))
  fit <- freeridge_chunks(y ~ a + g, row_source(data, 3), lambda = 0)
  expect_warning(errors <- loo(fit, data), "undefined \\(NaN\\) at row 4: the leverage is one")
  expect_identical(which(is.nan(errors)), 4L)
  expect_warning(lambda_path(fit, c(0, 1), "loo", source = data), "loo is undefined \\(NaN\\) at lambda = 0")
})

test_that("what is asked of a model answers as that of all rows, or says why not in a sentence", {
  data <- na.omit(rows_of_chunks())
  source <- row_source(data, 31)
  formula <- cbind(y, z) ~ a + b + g + unpenalised(on) + offset(o)
  for (lambda in list(NULL, c(0.3, 7))) {
    part <- freeridge_chunks(formula, source, weights = w, lambda = 2)
    whole <- freeridge(formula, data, weights = w, kernel = linear_kernel(), lambda = 2)
    for (what in list(deviance, sigma, df.residual)) expect_close(what(part, lambda = lambda), what(whole, lambda = lambda), 1e-10)
    counts <- data$w > 0
    for (type in residual_types) {
      ours <- residuals(part, source, type, lambda = lambda)
      expect_close(ours, residuals(whole, type, lambda = lambda)[counts, ], 1e-9)
    }
    expect_close(fitted(part, source, lambda = lambda), as.matrix(predict(whole, lambda = lambda))[counts, ], 1e-9)
    expect_identical(variable.names(part), variable.names(whole))
  }
  learnt <- freeridge_chunks(y ~ a + b, source, matern_kernel(1.5, 2), lambda = 1, landmarks = 20, intercept = FALSE)
  expect_close(deviance(learnt), sum(residuals(learnt, source)^2), 1e-10)
  expect_close(sigma(learnt), sqrt(deviance(learnt) / df.residual(learnt)), 1e-12)
  refused <- list(residuals = residuals, `fitted values` = fitted, `errors of groups` = group_errors,
                  `no leverages` = hatvalues, `no standardised` = rstandard, `no Cook's` = cooks.distance,
                  `no model frame` = model.frame, `no model matrix` = model.matrix, `no names` = case.names,
                  `no weights` = weights, `no influence` = influence, `no influence` = influence.measures,
                  `no influence` = dffits, `no averages` = effects, `no averages` = marginal_effects, `no score tests` = anova,
                  `no draws` = simulate, `no mixed model` = variance_components)
  if (requireNamespace("generics", quietly = TRUE)) refused$`no columns beside` <- generics::augment
  for (k in seq_along(refused)) expect_refusal(refused[[k]](part), paste0("keeps no rows, and .*", names(refused)[k]))
  expect_refusal(weights(learnt), "the fit has no weights")
  expect_refusal(residuals(part, row_source(data[-which(counts)[1L], ], 31)), "the source has changed")
  exact <- freeridge_chunks(y ~ a, data.frame(y = 1:2, a = 1:2), lambda = 0)
  expect_warning(found <- sigma(exact), "sigma is undefined \\(NaN\\)", class = "freeridge_undefined")
  expect_true(is.nan(found))
  pdf(NULL)
  on.exit(dev.off())
  drawn <- plot(part, output = "z")
  expect_identical(intersect(names(drawn), criteria_names), c("gcv", "reml"))
  expect_identical(nrow(plot(part, criteria = "loo", lambdas = c(1, 2, 5), source = source)), 3L)
  expect_true("loo" %in% names(plot(freeridge_chunks(y ~ a, source))))
  expect_refusal(plot(part, "slopes"), "of chunks there is type = \"path\" and, with source, \"residuals\" and \"loo\"")
  expect_refusal(plot(part, "loo"), "^the fit keeps no rows, and pictures of type loo are those of its rows: hand them in")
  expect_refusal(plot(part, "loo", "gcv", source = source), "criteria and lambdas are for type = \"path\", but type is \"loo\"")
  for (type in c("loo", "residuals")) {
    for (output in c("y", "z")) {
      ours <- plot(part, type, output = output, source = source)
      theirs <- plot(whole, type, output = output)
      expect_close(as.matrix(ours), as.matrix(theirs), 1e-9)
      if (type == "loo") expect_close(attr(ours, "r2"), summary(whole)$outputs[output, "loo_r2"], 1e-9)
    }
  }
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(part, "residuals", source = source), "ggplot")
})

test_that("standard errors and intervals are those of lm where nothing is penalised", {
  data <- na.omit(rows_of_chunks())
  data[["a b"]] <- data$a
  source <- row_source(data, 40)
  free <- freeridge_chunks(y ~ `a b` * b, source, lambda = 0, weights = w)
  line <- lm(y ~ `a b` * b, data, weights = w)
  expect_equal(vcov(free), vcov(line), tolerance = 1e-9)
  expect_equal(vcov(unserialize(serialize(free, NULL))), vcov(free), tolerance = 1e-12)  # without the source
  expect_equal(confint(free, level = 0.9), confint(line, level = 0.9), tolerance = 1e-9, ignore_attr = TRUE)
  expect_equal(predict(free, data, interval = "confidence"), predict(line, data, interval = "confidence"), tolerance = 1e-9)
  expect_equal(predict(free, data[1:5, ], interval = "prediction", weights = 2),
               predict(line, data[1:5, ], interval = "prediction", weights = 2), tolerance = 1e-9)
  expect_equal(AIC(free), AIC(lm(y ~ `a b` * b, data[data$w > 0, ], weights = w)), tolerance = 1e-9)
  tidied <- generics::tidy(free)
  expect_equal(as.matrix(tidied[-1L]), coef(summary(line)), tolerance = 1e-8, ignore_attr = TRUE)
})

test_that("a source is predicted with its intervals, chunk by chunk, and what is asked wrongly is said", {
  data <- na.omit(rows_of_chunks())
  source <- row_source(data, 40)
  for (formula in list(y ~ a + g, cbind(y, z) ~ a + g)) {
    part <- freeridge_chunks(formula, source, lambda = 2)
    for (interval in c("confidence", "prediction", "gp")) {
      ours <- predict(part, row_source(data, 23), interval = interval)
      expect_equal(ours, without_row_names(predict(part, data, interval = interval)), tolerance = 1e-13)
    }
    whole <- predict(part, data, interval = "prediction", se.fit = TRUE)
    expect_equal(predict(part, row_source(data, 23), interval = "prediction", se.fit = TRUE), without_cases(whole), tolerance = 1e-14)
    expect_equal(predict(part, row_source(data, 23), se.fit = TRUE)$se.fit, without_row_names(whole$se.fit), tolerance = 1e-14)
  }
  expect_refusal(predict(part, source, covariance = TRUE), "newdata a source, whose rows are never together: give a data frame")
  expect_refusal(predict(part, source, interval = "gp", weights = 1:2), "weights are numbers of rows, and newdata is a source: give one")
  expect_refusal(predict(part, data, interval = "confidence", weights = 2), "weights are those of new outputs, for interval")
  expect_refusal(predict(part, data, interval = "prediction", weights = 0), "weights is 0 for a new row")
  for (interval in c("jackknife+", "cv+", "local")) {
    expect_refusal(predict(part, data, interval = interval), "which is made of the left-out errors of all rows at each new one: of chunks")
  }
  expect_refusal(predict(part, data, interval = "wide"), "interval must be one of")
  expect_refusal(predict(part, data, interval = "gp", level = 1), "level")
  expect_refusal(predict(part, data, se.fit = NA), "se.fit")
  expect_refusal(predict(part, data, interval = "gp", kind = 3), "kind")
  expect_refusal(predict(part, source, workers = "all"), "workers must be")
  expect_refusal(predict(part, data, workers = "future"), "workers take the shards of a source, and none is read")
  expect_refusal(predict(part, data, source = source), "source is for the probabilities of classes")
  classes <- freeridge_chunks(on ~ a, source, lambda = 1)
  expect_refusal(predict(classes, data, type = "class", se.fit = TRUE), "type is \"class\", which has no standard errors and no intervals")
  expect_refusal(predict(classes, data, type = "response", source = data[-1L, ]), "changed between two passes")
  expect_refusal(logLik(classes), "it has no likelihood")
  expect_refusal(extractAIC(part, by = "loo"), "unknown argument: 'by'")
  expect_refusal(vcov(part, lambda = -1), "lambda")
  expect_refusal(confint(part, parm = "nobody"), "is not the name or number of a coefficient")
})

test_that("errors of groups are those of all rows, of the groups of the fit and of others", {
  data <- transform(na.omit(rows_of_chunks()), w = w + 0.1)
  data[["of a ward"]] <- c(rep(NA, 4L), rep(LETTERS[1:23], each = 5L))[seq_len(nrow(data))]
  data$patient <- (seq_len(nrow(data)) + 1) %/% 3
  set.seed(1)
  for (case in list(list(y ~ a + b + g), list(cbind(y, z) ~ a + unpenalised(on) + offset(o), weights = quote(w)),
                    list(y ~ a + b, kernel = gaussian_kernel(2), landmarks = 9))) {
    part <- eval(as.call(c(quote(freeridge_chunks), case, list(source = row_source(data, 31), groups = quote(patient), lambda = 0.4))))
    whole <- if (!is.null(case$kernel)) NULL else {
      eval(as.call(c(quote(freeridge), case, list(data = quote(data), kernel = linear_kernel(), lambda = 0.4))))
    }
    if (is.null(whole)) {
      same <- apply(part$landmarks, 1L, function(z) which(colSums(abs(t(as.matrix(data[c("a", "b")])) - z)) == 0)[1L])
      whole <- freeridge(y ~ a + b, data, kernel = gaussian_kernel(2), landmarks = same, lambda = 0.4, scale = FALSE, reduction = "gram")
    }
    for (lambda in list(NULL, 3)) {
      expect_close(group_errors(part, row_source(data, 50), lambda = lambda), without_row_names(group_errors(whole, data$patient, lambda)), 1e-9)
      expect_close(group_errors(part, row_source(data, 7), ~ factor(`of a ward`), lambda), without_row_names(group_errors(whole, data[["of a ward"]], lambda)), 1e-9)
    }
  }
  plain <- freeridge_chunks(y ~ a, row_source(data, 31), lambda = 0)
  expect_refusal(group_errors(plain, row_source(data, 31)), "the fit has no groups: give group, as in group = ~ patient")
  expect_refusal(group_errors(plain, row_source(data, 31), data$patient), "group must be a formula such as ~ patient, not a numeric")
  expect_refusal(group_errors(plain, row_source(data, 31), y ~ patient), "group must be a formula such as ~ patient")
  expect_refusal(group_errors(plain, row_source(data, 31), ~ nowhere), "^chunk 1: there is no column 'nowhere'")
  expect_refusal(group_errors(plain, row_source(data, 31), ~ ifelse(patient >= 0, NA, 1)), "group has no label: each row's is missing")
  expect_refusal(group_errors(plain, row_source(data, 31), ~ g), "the rows of group '[uv]' are not together: sort the source by its groups")
  few <- data.frame(y = c(1, 3, 2, 5, 4), a = c(1, 2, 3, 3, 3), k = c("p", "p", "q", "q", "q"))
  part <- freeridge_chunks(y ~ a, row_source(few, 2), lambda = 0)
  expect_warning(found <- group_errors(part, few, ~ k), "the errors are undefined \\(NaN\\) in group p: the other rows do not determine")
  expect_identical(which(is.nan(found)), 1:2)
})

test_that("lambda is searched within lambda_range", {
  data <- na.omit(rows_of_chunks())
  source <- row_source(data, 40)
  for (criterion in c("loo", "gcv", "reml")) {
    for (range in list(c(3, 9), c(1e-3, 1e3))) {
      part <- freeridge_chunks(y ~ a + b, source, criterion = criterion, lambda_range = range, lambdas = 40, passes = 5)
      whole <- unjudged(freeridge(y ~ a + b, data, kernel = linear_kernel(), criterion = criterion, lambda_range = range))
      expect_close(part$lambda, whole$lambda, 1e-3)
      if (criterion == "loo") expect_true(all(part$search$lambda >= range[1L] * (1 - 1e-12) & part$search$lambda <= range[2L] * (1 + 1e-12)))
    }
  }
  one <- freeridge_chunks(y ~ a + b, source, lambda_range = c(2, 2))
  expect_equal(unname(one$lambda), 2)
  expect_refusal(freeridge_chunks(y ~ a, source, lambda_range = c(2, 1)), "lambda_range must be two positive numbers, the smaller first")
  expect_refusal(freeridge_chunks(y ~ a, source, lambda_range = "all"), "lambda_range must be two positive numbers")
  expect_refusal(freeridge_chunks(y ~ a, source, lambda_range = c(1, 2), lambda = 1), "lambda_range is given, and lambda is too: the range is for")
  expect_refusal(freeridge_chunks(y ~ a, source, lambda_range = c(1, 2), lambdas = 1:5), "lambda_range is given, and lambdas are too")
  expect_output(print(explain(one)), "route: primal, the sums of 2 columns of the rows.*again for the left-out errors at all lambdas")
  expect_refusal(explain(one, 3), "unknown argument")
})

test_that("the kernel is learnt by the criterion that is asked for, and by REML where none is", {
  set.seed(3)
  data <- data.frame(a = runif(90L), b = runif(90L), g = rep(1:18, each = 5L))
  data$y <- sin(6 * data$a) + 0.2 * data$b + rnorm(90L, sd = 0.3)
  kernel_of <- function(...) freeridge_chunks(y ~ a + b, row_source(data, 40), matern_kernel(), landmarks = 30, ...)$kernel
  of_sample <- function(...) {
    design <- freeridge_chunks(y ~ a + b, row_source(data, 40), matern_kernel(1.5, 1), landmarks = 30, lambda = 1, scale = TRUE)
    freeridge(y ~ a + b, data, kernel = matern_kernel(), scale = design$scale, landmarks = 30, ...)$kernel
  }
  for (criterion in c("reml", "loo")) {
    expect_equal(kernel_of(criterion = criterion), of_sample(criterion = criterion), tolerance = 1e-3)
  }
  expect_equal(kernel_of(), kernel_of(criterion = "reml"), tolerance = 1e-12)
  expect_false(isTRUE(all.equal(unlist(kernel_of(criterion = "loo")), unlist(kernel_of()))))
  by_groups <- freeridge_chunks(y ~ a + b, row_source(data, 40), matern_kernel(), landmarks = 30, groups = g)$kernel
  expect_equal(by_groups, of_sample(groups = data$g), tolerance = 1e-3)
})

test_that("what is known of closed groups does not grow with their number, and groups that are split are noticed", {
  watch <- new_watch()
  few <- as.character(1:5000)
  expect_true(is.na(watched(watch, few)))
  expect_identical(watched(watch, c("x", "17")), "17")
  sizes <- vapply(1:8, function(k) {
    expect_true(is.na(watched(watch, sprintf("group %d of %d", 1:20000, k))))
    length(watch$seen)
  }, 0L)
  expect_lte(max(sizes), most_watched)
  expect_gt(min(sizes[3:8]), most_watched / 4)  # enough of them to notice
  again <- watched(watch, sprintf("group %d of 1", 1:20000))
  expect_match(again, "^group [0-9]+ of 1$")
  packed <- list(level = 0, labels = c("", "a"))
  both <- opened_watch(packed, 0)
  expect_identical(watched(both, ""), "")
  expect_setequal(labels_in(opened_watch(list(level = 0, labels = few), 3)), labels_of_level(few, 3))
  expect_close(length(labels_of_level(few, 3)) / 5000, 1 / 8, 0.15)
  # found again in a late chunk, in this session and by workers
  data <- data.frame(y = rnorm(60), a = rnorm(60), g = c(rep(1:19, each = 3), 1, 20, 20))
  expect_refusal(freeridge_chunks(y ~ a, row_source(data, 7), groups = g), "the rows of group '1' are not together")
})

half <- function(a) a / 2

test_that("a fit that was saved answers in another session, without the source", {
  data <- rows_of_chunks()
  fit <- freeridge_chunks(y ~ half(a) + g, row_source(data, 40), weights = w)
  file <- tempfile(fileext = ".rds")
  saveRDS(fit, file)
  expect_lt(file.size(file), 20000)
  said <- run_script(c(
    "fit <- readRDS(commandArgs(TRUE)[1])", "new <- data.frame(a = c(0.5, NA), g = 'v')",
    "cat(format(c(predict(fit, new), predict(fit, new, 2)[1], coef(fit)[2], coef(fit, 3)[2], nobs(fit)), digits = 15), sep = '\\n')",
    "invisible(capture.output(print(fit), print(summary(fit)), lambda_path(fit)))"
  ), file)
  unlink(file)
  new <- data.frame(a = c(0.5, NA), g = "v")
  here <- c(predict(fit, new), predict(fit, new, 2)[1], coef(fit)[2], coef(fit, 3)[2], nobs(fit))
  expect_equal(suppressWarnings(as.numeric(said)), unname(here), tolerance = 1e-13)
  expect_equal(formula(fit), y ~ half(a) + g, ignore_attr = TRUE)
})
test_that("R's random numbers are left as they were, and the sample does not depend on the chunks", {
  data <- na.omit(rows_of_chunks())
  set.seed(5)
  before <- .Random.seed
  design <- new_design_of(y ~ a, list(call = quote(f()), kernel = linear_kernel(), levels = list()), data, TRUE, environment())
  drawn <- lapply(c(1, 9, 200), function(size) {
    pieces <- unname(split(data, (seq_len(nrow(data)) - 1) %/% size))
    at <- 0
    source <- row_source(function(reset = FALSE) if (reset) at <<- 0 else if (at < length(pieces)) pieces[[at <<- at + 1]])
    run_pass(source, look_pass(design, 20, 7), NULL)$sample
  })
  expect_identical(.Random.seed, before)
  expect_equal(nrow(drawn[[1L]]), 20)
  expect_true(all(drawn[[1L]]$a %in% data$a) && anyDuplicated(drawn[[1L]]$a) == 0L)
  for (other in drawn[-1L]) expect_identical(other$a, drawn[[1L]]$a)
  # each row has the same chance: 400 samples of 20 of 40, a count has a standard deviation of 10
  rows <- data.frame(y = 1, a = 1:40)
  counts <- tabulate(unlist(lapply(1:400, function(seed) run_pass(row_source(rows, 13), look_pass(design, 20, seed), NULL)$sample$a)), 40)
  expect_true(all(abs(counts - 200) < 50))
})
