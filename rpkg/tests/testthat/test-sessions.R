# A fit in another session, interrupts, and the memory that the core borrows.

test_that("a fit survives saveRDS and readRDS in a new session", {
  p <- problem(40L, 2L, 2L, seed = 2L)
  fit <- freeridge(p$x, p$y, weights = rep(1:2, 20L))
  line <- freeridge(mpg ~ wt + factor(gear), mtcars, kernel = linear_kernel())
  files <- c(tempfile(), tempfile())
  saveRDS(list(fit = fit, line = line, new = p$new), files[1L])
  output <- run_script(c(
    "files <- commandArgs(TRUE)",
    "saved <- readRDS(files[1])",
    "fit <- saved$fit",
    "copy <- fit",
    "print(fit)",
    "saveRDS(list(loo = loo(fit), other = loo(copy, lambda = 3), predict = predict(fit, saved$new),",
    "             path = lambda_path(fit, c(0.1, 1)), coef = coef(saved$line),",
    "             line = predict(saved$line, mtcars[1:3, ])), files[2])"
  ), files)
  expect_true(file.exists(files[2L]), info = paste(output, collapse = "\n"))
  expect_equal(readRDS(files[2L]), list(
    loo = loo(fit), other = loo(fit, lambda = 3), predict = predict(fit, p$new), path = lambda_path(fit, c(0.1, 1)),
    coef = coef(line), line = predict(line, mtcars[1:3, ])
  ), tolerance = 1e-12)
})

test_that("a fit with landmarks has the same ones in a new session", {
  p <- problem(100L, 2L)
  fit <- freeridge(p$x, p$y, gaussian_kernel(1), landmarks = 12, seed = 3)
  files <- c(tempfile(), tempfile())
  saveRDS(fit, files[1L])
  output <- run_script(c(
    "files <- commandArgs(TRUE)",
    "fit <- readRDS(files[1])",
    "saveRDS(list(loo(fit), landmarks(fit), landmark_curve(fit, c(6, 20)), one_standard_error(fit)), files[2])"
  ), files)
  expect_true(file.exists(files[2L]), info = paste(output, collapse = "\n"))
  expect_equal(readRDS(files[2L]), list(loo(fit), landmarks(fit), landmark_curve(fit, c(6, 20)), one_standard_error(fit)),
               tolerance = 1e-9)
})

test_that("classifiers and the bytes of an accumulator go to a new session, an accumulator does not", {
  p <- problem(40L, 2L)
  logistic <- kernel_logistic(p$x, p$y > 3, gaussian_kernel(2), 0.1)
  svm <- kernel_svm(p$x, p$y > 3, gaussian_kernel(2), 0.1)
  accumulator <- accumulate(ridge_accumulator(2), p$x, p$y)
  files <- c(tempfile(), tempfile())
  saveRDS(list(logistic, svm, accumulator, accumulator_bytes(accumulator)), files[1L])
  output <- run_script(c(
    "files <- commandArgs(TRUE)",
    "saved <- readRDS(files[1])",
    "print(saved[[3]])",
    "refused <- tryCatch(coef(saved[[3]], 1), freeridge_error = conditionMessage)",
    "saveRDS(list(predict(saved[[1]]), predict(saved[[2]]), refused, coef(accumulator_from_bytes(saved[[4]]), 1)), files[2])"
  ), files)
  expect_true(file.exists(files[2L]), info = paste(output, collapse = "\n"))
  expect_match(output, "of another session", all = FALSE)
  answers <- readRDS(files[2L])
  expect_equal(answers[c(1L, 2L, 4L)], list(predict(logistic), predict(svm), coef(accumulator, 1)), tolerance = 1e-9)
  expect_match(answers[[3L]], "accumulator of another session")
})

test_that("the data are saved once", {
  x <- matrix(stats::rnorm(1e5), 1000L)
  fit <- freeridge(x, stats::rnorm(1000L), linear_kernel(), 1)
  expect_lt(length(serialize(fit, NULL)), 1.2 * length(serialize(x, NULL)))
})

test_that("interrupts and time limits stop a long call as they stop R, and a fit made before still answers", {
  output <- run_script(c(
    "set.seed(1)",
    "x <- matrix(rnorm(2000 * 3), 2000)",
    "y <- rnorm(2000)",
    "small <- freeridge(x[1:50, ], y[1:50])",
    "before <- loo(small)",
    "system(sprintf('(sleep 1; kill -INT %d) &', Sys.getpid()))",
    "caught <- tryCatch({ for (i in 1:100) freeridge(x, y); 'finished' }, interrupt = function(e) 'interrupted')",
    "setTimeLimit(elapsed = 1)",
    "late <- tryCatch({ for (i in 1:100) freeridge(x, y); 'finished' }, error = conditionMessage)",
    "setTimeLimit()",
    "cat(caught, identical(loo(small), before), '\\n', late)"
  ))
  expect_identical(trimws(tail(output, 2L)), c("interrupted TRUE", "reached elapsed time limit"))
})

test_that("x is not copied", {
  skip_on_os(c("windows", "mac", "solaris"))  # memory is read from /proc
  output <- run_script(c(
    "memory <- function(field) {",
    "  line <- grep(field, readLines('/proc/self/status'), value = TRUE)",
    "  as.numeric(gsub('[^0-9]', '', line)) / 1024",
    "}",
    "y <- rnorm(100)",
    "kernel <- gaussian_kernel(300)",
    "answers <- function(x, fit = freeridge(x, y, kernel)) list(fit, loo(fit), lambda_path(fit), predict(fit, x[1:9, ]))",
    "warm <- answers(matrix(0.5, 100, 2) + y)",
    "x <- matrix(0.5, 100, 1e5)  # 76 MiB",
    "x[] <- y",
    "before <- memory('^VmHWM')",
    "model <- with(asNamespace('freeridge'), new_model(list(",
    "  kernel = kernel, x = numeric_matrix(x, 'x'), y = response_matrix(y), intercept = TRUE, route = 'auto',",
    "  reduction = 'auto', refine = 0, accuracy = 1e-8)))",
    "handed_over <- memory('^VmHWM') - before  # at the peak",
    "before <- memory('^VmRSS')",
    "kept <- answers(x)",
    "invisible(gc())",
    "cat(handed_over, memory('^VmRSS') - before, '\\n')"
  ))
  grown <- as.numeric(strsplit(output[length(output)], " ")[[1L]])
  expect_length(grown, 2L)
  expect_lt(grown[1L], 25)
  expect_lt(grown[2L], 25)
})

test_that("changing x after the fit does not change the fit", {
  p <- problem()
  x <- p$x
  y <- p$y
  fit <- freeridge(x, y, gaussian_kernel(2), 1)
  before <- loo(fit)
  x[1, 1] <- 1000
  y[1] <- 1000
  rm(p)
  gc()
  expect_identical(loo(fit), before)
  expect_identical(loo(fit, lambda = 1), before)
})

test_that("a fit answers in forked workers and in workers of their own", {
  skip_if_not_installed("parallel")
  p <- problem(40L, 2L)
  fit <- freeridge(p$x, p$y, gaussian_kernel(1))
  lambdas <- c(0.1, 1, 10)
  expected <- lapply(lambdas, function(lambda) loo(fit, lambda))
  output <- run_script(c(
    "files <- commandArgs(TRUE)",
    "saved <- readRDS(files[1])",
    "fit <- freeridge(saved$x, saved$y, gaussian_kernel(1))",
    "ask <- function(lambda) freeridge::loo(fit, lambda)",
    "forks <- if (.Platform$OS.type == 'unix') 2 else 1",
    "forked <- parallel::mclapply(saved$lambdas, ask, mc.cores = forks)",
    "cluster <- parallel::makePSOCKcluster(2)",
    "parallel::clusterCall(cluster, function(paths) .libPaths(paths), .libPaths())",
    "parallel::clusterExport(cluster, 'fit')",
    "separate <- parallel::parLapply(cluster, saved$lambdas, ask)",
    "parallel::stopCluster(cluster)",
    "saveRDS(list(forked, separate, lapply(saved$lambdas, ask)), files[2])"
  ), {
    files <- c(tempfile(), tempfile())
    saveRDS(list(x = p$x, y = p$y, lambdas = lambdas), files[1L])
    files
  })
  expect_true(file.exists(files[2L]), info = paste(output, collapse = "\n"))
  for (answers in readRDS(files[2L])) expect_equal(answers, expected, tolerance = 1e-10)
})

# The work between two looks at the interrupt is counted in the library's own tests; tests/r/interrupts.py takes the time.
test_that("Ctrl-C ends the call that it comes in, and the session goes on", {
  skip_on_os("windows")
  for (work in c("freeridge(x, y, gaussian_kernel(1), route = 'spectral')",
                 "freeridge(x, y, gaussian_kernel(1), route = 'band')",
                 "freeridge(x, y)", "kernel_logistic(x, y > 0, gaussian_kernel(1), 1e-3)",
                 "coef(accumulate(ridge_accumulator(1200), wide, y), 1)")) {
    output <- run_script(c(
      "set.seed(1)",
      "x <- matrix(rnorm(3000 * 3), 3000)",
      "y <- rnorm(3000)",
      "wide <- matrix(rnorm(3000 * 1200), 3000)",
      "small <- freeridge(x[1:50, ], y[1:50])",
      "before <- loo(small)",
      "sent <- tempfile()",
      "system(sprintf('(sleep 1; kill -INT %d; touch %s) 2>/dev/null &', Sys.getpid(), sent))",
      "finished <- 0  # calls that went on to their end all the same; Sys.sleep() hears what comes between two calls",
      sprintf("caught <- tryCatch({ repeat { %s; Sys.sleep(0); finished <- finished + file.exists(sent) } },", work),
      "                   interrupt = function(e) 'interrupted')",
      "again <- freeridge(x[1:50, ], y[1:50])",
      "cat(caught, finished, identical(loo(small), before), identical(loo(again), before))"
    ))
    expect_identical(output[length(output)], "interrupted 0 TRUE TRUE", info = paste(c(work, output), collapse = "\n"))
  }
})

test_that("a bar is drawn for calls of more than a second, and for no others", {
  output <- run_script(c(
    "set.seed(1)",
    "x <- matrix(rnorm(64000 * 3), 64000)",
    "y <- rnorm(64000)",
    "state <- getFromNamespace('progress', 'freeridge')",
    "listen <- function() {",
    "  heard <<- numeric()",
    "  state$bar <- function(fraction) heard <<- c(heard, fraction)",
    "}",
    "listen()",
    "short <- freeridge(x[1:20, ], y[1:20])",
    "silent <- length(heard)",
    "n <- 500  # some n takes more than a second; where the second is over at the end of the work, the bar only ends",
    "while (length(heard) < 2) {",
    "  listen()",
    "  n <- 2 * n",
    "  long <- freeridge(x[1:n, ], y[1:n], gaussian_kernel(1), lambda = 1, route = 'spectral')",
    "}",
    "cat(silent, length(heard) > 1, tail(heard, 1), all(heard >= 0 & heard <= 1), is.null(state$bar))"
  ))
  expect_identical(output[length(output)], "0 TRUE 1 TRUE TRUE")
})

test_that("the bar is drawn by base R without cli, only where somebody sees it, and can be turned off", {
  old <- options(freeridge.progress = FALSE)
  on.exit(options(old))
  expect_false(show_progress(0.3))
  expect_null(progress$bar)
  options(freeridge.progress = TRUE)
  drawn <- capture.output({
    bar <- new_bar(with_cli = FALSE)
    bar(0.5)
    bar(1)
  }, type = "message")
  expect_match(paste(drawn, collapse = ""), "=.* 50%")
  skip_if_not_installed("cli")
  capture.output({
    expect_true(show_progress(0.3))
    expect_true(show_progress(0.6))
    expect_false(show_progress(1))
  }, type = "message")
  expect_null(progress$bar)
  expect_false(show_progress(1))  # what never began needs no end
})
