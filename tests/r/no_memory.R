# Memory that fails in an R session: each request of each work in turn, once and for good; and an address space that is
# too small. Every work ends with its right answer or with an R error that says so, and the same session does it again.
# no_memory.sh builds and preloads what refuses. Argument: how many requests of a work to refuse at most.
library(freeridge)
arguments <- commandArgs(TRUE)
most <- as.integer(arguments[1L])
dyn.load(arguments[2L])

set.seed(1)
x <- matrix(rnorm(60 * 3), 60)
y <- sin(x[, 1L]) + rnorm(60)
thin <- Matrix::rsparsematrix(80L, 12L, 0.2)
kernel <- gaussian_kernel(1)
fits <- lapply(c(spectral = "spectral", band = "band", cholesky = "cholesky"), function(route) {
  freeridge(x, y, kernel, 0.3, route = route)
})
rows <- accumulate(ridge_accumulator(3L), x, y)
bytes <- accumulator_bytes(rows)

works <- list(
  spectral = function() loo(freeridge(x, y, kernel, route = "spectral")),
  band = function() loo(freeridge(x, y, kernel, route = "band")),
  cholesky = function() loo(freeridge(x, y, kernel, 0.1, route = "cholesky")),
  primal = function() coef(freeridge(x, y, linear_kernel(), refine = 0)),
  bandwidth = function() loo(freeridge(x[1:20, ], y[1:20], budget = 6)),
  landmarks = function() loo(freeridge(x, y, kernel, landmarks = 8)),
  formula = function() loo(freeridge(mpg ~ wt + factor(gear), mtcars, kernel = 2 * linear_kernel() + kernel)),
  path = function() lambda_path(fits$spectral, c(0.1, 1)),
  another_lambda = function() lapply(fits, loo, lambda = 2),
  groups = function() group_errors(fits$band, rep(1:4, 15)),
  predict = function() predict(fits$band, x[1:9, ] + 0.1),
  interval = function() predict(fits$spectral, x[1:9, ], interval = "jackknife+"),
  effects = function() marginal_effects(fits$spectral),
  sparse = function() loo(freeridge(thin, rowSums(as.matrix(thin)) + 1:80, linear_kernel())),
  logistic = function() predict(kernel_logistic(x, y > 0, kernel, 0.1)),
  svm = function() predict(kernel_svm(x, y > 0, kernel, 0.1)),
  accumulator = function() coef(accumulate(accumulator_from_bytes(bytes), x, y), c(0.1, 1)),
  ols = function() coef(ols(x, y)),
  text = function() parse_kernel(as.character(kernel + 0.5 * kernel * matern_kernel(1.5, 2)))
)

failed <- 0L
complain <- function(...) {
  failed <<- failed + 1L
  cat(..., "\n")
}
without <- function(work, number, all_after) {
  .C("refuse_from", as.integer(number), as.integer(all_after))
  value <- tryCatch(work(), error = function(condition) condition)
  counts <- .C("refuse_no_more", requested = 0L, declined = 0L)
  list(value = value, requested = counts$requested, declined = counts$declined)
}

for (name in names(works)) {
  work <- works[[name]]
  expected <- work()
  count <- without(work, 0L, 0L)$requested
  errors <- right <- 0L
  for (number in unique(round(seq(1, count, length.out = min(count, most))))) for (all_after in 0:1) {
    found <- without(work, number, all_after)
    place <- paste0(name, ", request ", number, " of ", count, if (all_after) " and all after it", ":")
    if (inherits(found$value, "error")) {
      errors <- errors + 1L
      if (!inherits(found$value, "freeridge_out_of_memory") || nchar(conditionMessage(found$value)) < 20L) {
        complain(place, class(found$value)[1L], conditionMessage(found$value))
      }
    } else {
      right <- right + 1L
      if (!identical(found$value, expected)) complain(place, "another answer, and no error")
    }
    if (!identical(tryCatch(work(), error = conditionMessage), expected)) complain(place, "another answer afterwards")
  }
  if (count == 0L || errors == 0L) complain(name, "was never refused anything")
  cat(sprintf("%-15s %5d requests; refused in turn: %d errors, %d right answers all the same\n", name, count, errors, right))
}

# The address space ends: R's own memory and the system's are refused, wherever they are asked for.
limited <- function(mib, lines, threads = 1L) {
  script <- tempfile(fileext = ".R")
  writeLines(c(sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")), "library(freeridge)", lines), script)
  system2("sh", c("-c", shQuote(sprintf("ulimit -v %d; OPENBLAS_NUM_THREADS=%d LD_PRELOAD= timeout 120 %s --vanilla %s 2>&1",
                                        mib * 1024L, threads, file.path(R.home("bin"), "Rscript"), script))), stdout = TRUE)
}
for (mib in c(700L, 760L, 820L, 900L, 1000L, 1200L)) {
  output <- limited(mib, c(
    "set.seed(1); x <- matrix(rnorm(6000 * 2), 6000); y <- rnorm(6000)",
    "small <- function() loo(freeridge(x[1:50, ], y[1:50], gaussian_kernel(1)))",
    "before <- small()",
    "said <- tryCatch({ freeridge(x, y, gaussian_kernel(1), 1, route = 'cholesky'); 'done' }, error = conditionMessage)",
    "wide <- tryCatch({ predict(freeridge(x[1:100, ], cbind(y, y)[1:100, rep(1:2, 400)], gaussian_kernel(1), 1),",
    "                           x[rep(1:6000, 20), ]); 'done' }, error = conditionMessage)",
    "cat(sep = '\\n', identical(small(), before), said, wide)"))
  cat(mib, "MiB:", paste(tail(output, 2L), collapse = " | "), "\n")
  if (length(output) < 3L || !identical(output[length(output) - 2L], "TRUE")) {
    complain("with", mib, "MiB the session did not live:", paste(output, collapse = "\n"))
  }
}
# Without room for the buffer of OpenBLAS, which then asks for it for ever: a session that could begin ends, with the
# answer or with an error.
for (threads in 1:2) for (mib in seq(200L, 650L, 50L)) {
  output <- suppressWarnings(limited(mib, c(
    "x <- matrix(sin(1:40), 20)",
    "cat(tryCatch(if (all(is.finite(loo(freeridge(x, x[, 1], gaussian_kernel(1)))))) 'answered', error = conditionMessage))"),
    threads))
  cat(mib, "MiB,", threads, if (threads == 1L) "thread: " else "threads:", substr(paste(output, collapse = " "), 1L, 100L), "\n")
  if (identical(attr(output, "status"), 124L) && any(grepl("answered|OpenBLAS needs", output))) {
    complain("with", mib, "MiB and", threads, "threads the session does not end")
  }
  if (identical(attr(output, "status"), 124L) && threads == 1L) complain("with", mib, "MiB the session hangs")
}
if (failed > 0L) quit(status = 1L)
