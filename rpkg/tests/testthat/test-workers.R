# The same fit by other processes: future, mirai and Rmpi, two workers each.

data_for_workers <- function() {
  set.seed(6)
  data <- data.frame(a = rnorm(90), b = runif(90), g = c(rep(c("u", "v"), 44), "u", "last"), w = runif(90), k = rep(1:18, each = 5))
  data$y <- data$a + data$b + (data$g == "v") + rnorm(90) / 4
  data
}

# workers: as freeridge_chunks() takes them.
expect_same_by_workers <- function(workers, data = data_for_workers()) {
  knot <- 0.4
  bend <- function(b) pmax(b - knot, 0)
  fit <- function(source, ...) freeridge_chunks(y ~ a + bend(b) + g, source, weights = w, ...)
  here <- fit(row_source(data, 25))
  there <- fit(row_source(data, 25), workers = workers)
  expect_close(coef(there), coef(here), 1e-12)
  expect_close(there$score, here$score, 1e-12)
  expect_equal(there$rows, here$rows)
  expect_close(lambda_path(there, 3, "loo", source = row_source(data, 40), workers = workers)$loo,
               lambda_path(here, 3, "loo", source = row_source(data, 40))$loo, 1e-12)
  near <- function(answer) expect_equal(answer(row_source(data, 25), workers = workers), answer(row_source(data, 40)), tolerance = 1e-12)
  near(function(source, ...) loo(here, source, ...))
  near(function(source, ...) residuals(here, source, "pearson", ...))
  near(function(source, ...) fitted(here, source, ...))
  near(function(source, ...) group_errors(here, source, ~ k, ...))
  near(function(source, ...) predict(here, source, interval = "prediction", se.fit = TRUE, ...))
  classes <- freeridge_chunks(g == "u" ~ a + bend(b), row_source(data, 25), weights = w)
  near(function(source, ...) predict(classes, data, type = "probability", source = source, ...))
  by_groups <- function(size, ...) freeridge_chunks(y ~ a + b, row_source(data, size), groups = k, lambdas = 9, ...)
  expect_close(by_groups(25, workers = workers)$score, by_groups(40)$score, 1e-12)
  expect_refusal(by_groups(24, workers = workers), "the rows of group '5' are not together: .*, in one shard$")
  by_landmarks <- function(...) freeridge_chunks(y ~ a + b, row_source(data, 25), gaussian_kernel(1), lambda = 1, landmarks = 9, ...)
  expect_close(predict(by_landmarks(workers = workers), data), predict(by_landmarks(), data), 1e-12)
  shards <- row_source(function(k) if (k == 3) stop("no such disc") else data[1:40, ], shards = 3)
  expect_refusal(fit(shards, workers = workers), "^shard 3: no such disc$")
  data$a[77] <- Inf
  expect_refusal(fit(row_source(data, 25), workers = workers), "^chunk 4: a is Inf in row 2; all values must be finite")
  expect_refusal(fit(row_source(function(reset) NULL), workers = workers), "a function cannot go to other processes")
}

test_that("workers of future", {
  skip_if_not_installed("future")
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  expect_same_by_workers("future")
  # a database, which each shard opens for itself
  skip_if_not_installed("RSQLite")
  data <- data_for_workers()
  file <- tempfile(fileext = ".sqlite")
  connection <- DBI::dbConnect(RSQLite::SQLite(), file)
  DBI::dbWriteTable(connection, "rows", data)
  expect_refusal(freeridge_chunks(y ~ a, row_source(connection, table = "rows"), workers = "future"),
                 "the table 'rows' of a database cannot go to other processes")
  DBI::dbDisconnect(connection)
  shards <- row_source(function(k) {
    row_source(DBI::dbConnect(RSQLite::SQLite(), file), query = paste("SELECT * FROM rows WHERE rowid % 3 =", k - 1), rows = 7,
               disconnect = TRUE)
  }, shards = 3)
  here <- freeridge_chunks(y ~ a + g, data)
  expect_close(coef(freeridge_chunks(y ~ a + g, shards, workers = "future")), coef(here), 1e-10)
  expect_close(coef(freeridge_chunks(y ~ a + g, shards)), coef(here), 1e-10)
  unlink(file)
})

test_that("workers of mirai", {
  skip_if_not_installed("mirai")
  expect_refusal(freeridge_chunks(y ~ a, data_for_workers(), workers = "mirai"), "mirai has no daemons: mirai::daemons\\(2\\)")
  old <- Sys.getenv("R_LIBS", NA)
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  on.exit(restore_variables(c(R_LIBS = old)))
  mirai::daemons(2)
  on.exit(mirai::daemons(0), add = TRUE)
  expect_same_by_workers("mirai")
})

test_that("workers that are started for one call find the package", {
  skip_if_not_installed("mirai")
  old <- Sys.getenv("R_LIBS", NA)
  Sys.unsetenv("R_LIBS")
  on.exit(restore_variables(c(R_LIBS = old)))
  data <- data_for_workers()
  found <- freeridge_chunks(y ~ a + g, data, lambda = 1, workers = c(mirai = 2))
  expect_close(coef(found), coef(freeridge_chunks(y ~ a + g, data, lambda = 1)), 1e-12)
  expect_identical(Sys.getenv("R_LIBS"), "")
})

test_that("workers of Rmpi", {
  skip_if_not_installed("Rmpi")
  # MPI has a process of its own: where it cannot start others (as root, or without mpirun) it ends the process.
  variables <- c(OMPI_ALLOW_RUN_AS_ROOT = "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = "1", OMPI_MCA_rmaps_base_oversubscribe = "1",
                 OMPI_MCA_mpi_yield_when_idle = "1")
  old <- Sys.getenv(names(variables), NA, names = TRUE)
  do.call(Sys.setenv, as.list(variables))
  on.exit(restore_variables(old))
  said <- run_script(c(
    "set.seed(6); data <- data.frame(a = rnorm(90), g = c(rep(c('u', 'v'), 44), 'u', 'last')); data$y <- data$a + rnorm(90)",
    "here <- freeridge_chunks(y ~ a + g, row_source(data, 40))",
    "no_workers <- tryCatch(freeridge_chunks(y ~ a, data, workers = 'mpi'), error = conditionMessage)",
    "there <- freeridge_chunks(y ~ a + g, row_source(data, 40), workers = c(mpi = 2))",
    "cat('\\ndifference', max(abs(coef(there) - coef(here))) < 1e-12, abs(there$score - here$score) < 1e-12, '\\n')",
    "cat('no workers:', no_workers, '\\n')", "Rmpi::mpi.quit()"
  ))
  expect_false(any(grepl("the worker of chunk", said)), info = paste(said, collapse = "\n"))  # a worker that ran, and failed
  if (!any(grepl("^difference", said))) skip(paste("Rmpi starts no workers here:", paste(utils::head(said, 3L), collapse = " ")))
  expect_true(any(grepl("^difference TRUE TRUE", said)))
  expect_true(any(grepl("^no workers: Rmpi has no workers: ", said)))
})
