# Rows that stand out are named by summary(), and only these.

test_that("planted rows are found, with their names, in each output", {
  for (seed in 1:4) for (kernel in list(gaussian_kernel(), linear_kernel())) {
    set.seed(seed)
    x <- matrix(stats::rnorm(400L), 200L, dimnames = list(paste0("row", 1:200), NULL))
    y <- 2 * x[, 1L] + stats::rnorm(200L, sd = 0.2)
    rows <- sample(200L, 3L)
    y[rows] <- y[rows] + c(4, -5, 6)
    fit <- freeridge(x, cbind(a = stats::rnorm(200L), b = y), kernel)
    found <- summary(fit)$outstanding
    expect_length(found$a$rows, 0L)
    expect_null(found$a$few)
    expect_identical(names(found$b$rows), paste0("row", rev(rows)))
    expect_equal(unname(found$b$rows), unname(rstudent(fit)[rev(rows), "b"]))
    shares <- sort(loo(fit)[, "b"]^2 / sum(loo(fit)[, "b"]^2), decreasing = TRUE)
    count <- which(cumsum(shares) > 0.5)[1L]
    expect_equal(found$b$few, shares[seq_len(count)])
    expect_output(print(summary(fit)), paste0("3 rows of output b are outliers, with studentised residuals that the largest of all rows has ",
                                               "by chance in less than 5 % of data: row", rows[3L], " ("),
                  fixed = TRUE)
    expect_output(print(summary(fit)), "% of the squared left-out errors of output b come from [123] rows?: row")
  }
})

test_that("ordinary errors are nothing to talk of, many rows are counted, and weights count", {
  named <- 0
  for (n in c(30L, 100L)) for (seed in 1:100) {
    set.seed(seed)
    x <- matrix(stats::rnorm(n))
    fit <- freeridge(x, x[, 1L] + stats::rnorm(n), linear_kernel(), 1)
    found <- outstanding_rows(fit, model_at(fit))
    expect_null(found[[1L]]$few)
    named <- named + (length(found[[1L]]$rows) > 0L)
  }
  # at most 5 % of data with normal errors: of 200, by chance between 2 and 19 (99.8 % of the binomial distribution)
  expect_true(named >= 2 && named <= 19)
  set.seed(1)
  y <- stats::rnorm(1000L, sd = 1e-3)
  y[1:12] <- 1
  many <- summary(freeridge(matrix(stats::rnorm(1000L)), y, linear_kernel(), 1))
  expect_output(print(many), "12 rows are outliers, with .* and 2 more\\n")
  gross <- freeridge(matrix(1:30), replace(cos(1:30), 7L, 20), linear_kernel(), 1)
  expect_output(print(gross), "\\n1 row is an outlier, with studentised residuals .*: 7 \\(")
  expect_no_match(capture.output(print(freeridge(matrix(1:30), cos(1:30), linear_kernel(), 1))), "outlier")
  weighted <- summary(freeridge(cbind(mpg = mpg) ~ wt, mtcars, kernel = linear_kernel(), lambda = 1,
                                weights = replace(rep(1, 32L), 20L, 400)))$outstanding[[1L]]
  expect_identical(names(weighted$few), "Toyota Corolla")
  hangs <- "the choice of lambda hangs on"
  expect_match(outstanding_sentences(list(list(few = c(a = 0.4, b = 0.2))), TRUE), paste(hangs, "them$"))
  expect_no_match(outstanding_sentences(list(list(few = c(a = 0.6))), FALSE), hangs)  # it was given
  expect_null(summary(freeridge(Species ~ ., iris, lambda = 1))$outstanding)
})
