# One setting of threads for package and BLAS. CRAN allows two.

p <- problem(300L, 3L, 2L)

answers <- function() {
  fit <- freeridge(p$x, p$y, gaussian_kernel(2))
  line <- freeridge(p$x, p$y, linear_kernel())
  list(fit$lambda, loo(fit), predict(fit, p$new), unclass(coef(fit)), loo(line), coef(line))
}

test_that("the number of threads is set, asked for and put back", {
  first <- freeridge_threads()
  expect_gte(first, 1L)
  expect_identical(freeridge_threads(2), first)
  expect_invisible(freeridge_threads(2))
  expect_identical(freeridge_threads(), 2L)
  expect_match(freeridge_build_info(), "; 2 threads", fixed = TRUE)
  expect_identical(freeridge_threads(1L), 2L)
  expect_match(freeridge_build_info(), "; 1 thread\\b")
  freeridge_threads(0)
  expect_identical(freeridge_threads(), first)
  for (bad in list(-1, 1.5, NA, "2", 1:2)) {
    expect_error(freeridge_threads(bad), "count must be one whole number >= 0", class = "freeridge_invalid_argument")
  }
  expect_error(freeridge_threads(5000), "count is 5000; it must be from 1 to 1024", class = "freeridge_invalid_argument")
  expect_identical(freeridge_threads(), first)
})

test_that("one thread gives the same bits, two the same answers", {
  on.exit(freeridge_threads(0))
  freeridge_threads(1)
  one <- answers()
  expect_identical(answers(), one)
  freeridge_threads(2)
  expect_equal(answers(), one, tolerance = 1e-7)  # lambda is at a flat minimum
})

test_that("a forked process works on as many threads", {
  skip_on_os("windows")
  skip_on_cran()  # two processes of two threads
  on.exit(freeridge_threads(0))
  freeridge_threads(2)
  here <- answers()
  there <- parallel::mclapply(1:2, function(k) answers(), mc.cores = 2L)
  for (one in there) expect_equal(one, here, tolerance = 1e-7)
})

test_that("limits for all packages hold until another number is asked for", {
  variables <- c(OMP_THREAD_LIMIT = NA, "_R_CHECK_LIMIT_CORES_" = NA, OPENBLAS_NUM_THREADS = "4", OMP_NUM_THREADS = "4")
  threads <- function(...) {
    set <- c(...)
    variables[names(set)] <- set
    before <- Sys.getenv(names(variables), NA, names = TRUE)
    on.exit(restore_variables(before))
    restore_variables(variables)
    out <- run_script(c("loaded <- freeridge_threads()", "freeridge_threads(3)", "asked <- freeridge_threads()",
                        "freeridge_threads(0)", "cat(loaded, asked, freeridge_threads())"))
    out[length(out)]  # OpenMP may have said before it that it does not know such a limit
  }
  free <- threads()
  expect_match(free, "^[0-9]+ 3 [0-9]+$")
  expect_identical(threads(OMP_THREAD_LIMIT = "1"), "1 3 1")
  expect_identical(threads("_R_CHECK_LIMIT_CORES_" = "false"), free)
  limited <- as.integer(strsplit(threads("_R_CHECK_LIMIT_CORES_" = "TRUE"), " ")[[1L]])
  expect_identical(limited, pmin(c(as.integer(strsplit(free, " ")[[1L]])), c(2L, 3L, 2L)))
  expect_identical(threads("_R_CHECK_LIMIT_CORES_" = "TRUE", OMP_THREAD_LIMIT = "1"), "1 3 1")
  for (no in c("", "none", "0")) expect_identical(threads(OMP_THREAD_LIMIT = no), free)
})

test_that("a BLAS that runs below the processor is named once, after a fit that took some seconds", {
  info <- "freeridge; OpenBLAS, Prescott kernels; 1 thread; the BLAS runs below this processor: Prescott kernels where it has AVX2"
  said <- freeridge:::said
  before <- said$blas
  on.exit(said$blas <- before)
  said$blas <- NULL
  expect_silent(freeridge:::say_the_blas(1, info))
  expect_silent(freeridge:::say_the_blas(9, "freeridge; OpenBLAS, SkylakeX kernels; 1 thread"))
  expect_message(freeridge:::say_the_blas(9.12, info), "^The fit took 9.1 s, and the BLAS runs below this processor: Prescott kernels where it has AVX2\n$")
  expect_silent(freeridge:::say_the_blas(9, info))
})
