library(testthat)
library(freeridge)

# Where everything that the tests need is there, every message has to be raised by one of them (testthat/messages.R).
needed <- c("Matrix", "generics", "ggplot2", "kernlab", "glmnet", "MASS", "lmtest")
complete <- identical(Sys.getenv("NOT_CRAN"), "true") && all(vapply(needed, requireNamespace, NA, quietly = TRUE))
messages <- new.env()
sys.source(file.path("testthat", "messages.R"), messages)
package <- asNamespace("freeridge")
if (complete) seen <- messages$watch_messages(package)

test_check("freeridge")

if (complete) {
  source_folder <- Filter(dir.exists, c("../00_pkg_src/freeridge/src", "../src"))  # of R CMD check, of a checkout
  source_folder <- if (length(source_folder) > 0L) source_folder[1L]
  unseen <- messages$unseen_messages(messages$message_sites(package), seen$sites(), seen$words(), source_folder)
  plain <- messages$plain_messages(package)
  if (length(unseen) > 0L) stop("no test raises these messages:\n", paste(unseen, collapse = "\n"))
  if (length(plain) > 0L) stop("raised without new_condition():\n", paste(plain, collapse = "\n"))
  cat(nrow(messages$message_sites(package)), "messages of the R side,",
      if (is.null(source_folder)) "none looked for" else length(messages$glue_messages(source_folder)),
      "of the C++ side: each was raised by a test\n")
} else {
  cat("whether every message is raised by a test was not checked: not all packages are here, or this is CRAN\n")
}
