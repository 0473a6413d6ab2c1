# The package as a plain R has it: with Rcpp, RcppEigen, what comes with R, and testthat for the tests; nothing else.
#     plain.R library FOLDER             links those packages into FOLDER, which R_LIBS_SITE then names
#     plain.R tests TESTS BLAS LAPACK    runs TESTS (rpkg/tests/testthat); these files have to be R's BLAS and LAPACK
arguments <- commandArgs(TRUE)
if (arguments[1L] == "library") {
  known <- installed.packages()
  own <- rownames(known)[known[, "Priority"] %in% c("base", "recommended")]
  needed <- c("Rcpp", "RcppEigen", "testthat")
  needed <- union(needed, unlist(tools::package_dependencies(needed, known, c("Depends", "Imports"), recursive = TRUE)))
  needed <- setdiff(needed, own)
  stopifnot(needed %in% rownames(known),
            file.symlink(file.path(known[needed, "LibPath"], needed), file.path(arguments[2L], needed)))
} else {
  libraries <- c(extSoftVersion()[["BLAS"]], La_library())
  cat("BLAS, LAPACK:", libraries, "\npackages:", sort(unique(rownames(installed.packages()))), "\n")
  stopifnot(normalizePath(libraries) == normalizePath(arguments[3:4]))
  results <- as.data.frame(testthat::test_dir(arguments[2L], package = "freeridge", load_package = "installed",
                                              reporter = "summary", stop_on_failure = FALSE))
  slow <- results[order(-results$real), ][1:10, ]
  cat(sprintf("%6.1f s  %s: %s\n", slow$real, slow$file, slow$test), sep = "")
  bad <- sum(results$failed) + sum(results$error)
  cat(sprintf("[ FAIL %d | WARN %d | SKIP %d | PASS %d ]\n", bad, sum(results$warning), sum(results$skipped),
              sum(results$passed)))
  if (bad > 0L) quit(status = 1L)
}
