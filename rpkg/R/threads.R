# The number of threads of package and BLAS. Until the user sets a number it is at most OMP_THREAD_LIMIT, and at most
# two while R checks a package (_R_CHECK_LIMIT_CORES_).

# Returns the number of threads that was in force before, so that a second call can bring it back.
freeridge_threads <- function(count = NULL) {
  if (is.null(count)) return(core_threads())
  before <- core_threads(check_whole(count, "count", 0, .Machine$integer.max))
  if (count == 0) keep_to_thread_limit()
  invisible(before)
}

thread_limit <- function() {
  limit <- suppressWarnings(as.integer(Sys.getenv("OMP_THREAD_LIMIT")))
  if (is.na(limit) || limit < 1L) limit <- .Machine$integer.max
  if (!tolower(Sys.getenv("_R_CHECK_LIMIT_CORES_")) %in% c("", "false")) limit <- min(limit, 2L)
  limit
}

keep_to_thread_limit <- function() {
  if (core_threads() > thread_limit()) core_threads(thread_limit())
}
