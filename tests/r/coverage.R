# Line coverage of the package's R code by its tests, for each file: coverage.R TESTS [FILTER]; TESTS is
# rpkg/tests/testthat. Fails below 95 %, and when a message is raised by no test. R_LIBS says where the package is,
# installed with --with-keep.source; covr, of Debian's r-cran-covr, counts.
arguments <- commandArgs(TRUE)
folder <- normalizePath(arguments[1L])
filter <- if (length(arguments) > 1L) arguments[2L]
library(freeridge)
Sys.setenv(NOT_CRAN = "true")
package <- asNamespace("freeridge")
messages <- new.env()
sys.source(file.path(folder, "messages.R"), messages)

run <- tempfile(fileext = ".R")
results <- NULL
writeLines(c("seen <<- messages$watch_messages(package)",
             paste("results <<- as.data.frame(testthat::test_dir(folder, package = 'freeridge', filter = filter,",
                   "load_package = 'installed', reporter = 'summary', stop_on_failure = FALSE))")), run)
sites <- messages$message_sites(package)  # before covr takes the code apart
counted <- covr::environment_coverage(package, run)
lines <- covr::tally_coverage(counted, by = "line")
lines <- lines[basename(lines$filename) != "RcppExports.R", ]
share <- function(rows) 100 * mean(rows$value > 0)
for (rows in split(lines, lines$filename)) {
  missed <- rows$line[rows$value == 0]
  cat(sprintf("%-16s %4d lines %6.1f %%%s\n", basename(rows$filename[1L]), nrow(rows), share(rows),
              if (length(missed) > 0L) paste0("   not run: ", paste(missed, collapse = ", ")) else ""))
}
cat(sprintf("%-16s %4d lines %6.1f %%\n", "all", nrow(lines), share(lines)))

unseen <- messages$unseen_messages(sites, seen$sites(), seen$words(), file.path(folder, "..", "..", "src"))
if (length(unseen) > 0L) cat("no test raises:", unseen, sep = "\n")
bad <- sum(results$failed) + sum(results$error)
cat(sum(results$nb), "expectations,", bad, "failed,", sum(results$skipped), "skipped\n")
if (bad > 0L || is.null(filter) && (share(lines) < 95 || length(unseen) > 0L)) quit(status = 1L)
