# A bar for calls of the core that take more than a second, where somebody sees it: the C++ side calls show_progress()
# at most ten times a second. options(freeridge.progress = FALSE) turns it off, TRUE draws it in scripts too.

progress <- new.env(parent = emptyenv())

# Draws the bar; a fraction of 1 ends it. TRUE when a bar is (still) on the screen.
show_progress <- function(fraction) {
  if (is.null(progress$bar)) {
    if (fraction >= 1 || !isTRUE(getOption("freeridge.progress", interactive()))) return(FALSE)
    progress$bar <- new_bar()
  }
  progress$bar(min(max(fraction, 0), 1))
  if (fraction < 1) return(TRUE)
  progress$bar <- NULL
  FALSE
}

# A function of the fraction: by cli when that is there, else as base R draws it.
new_bar <- function(with_cli = requireNamespace("cli", quietly = TRUE)) {
  if (with_cli) {
    id <- cli::cli_progress_bar("freeridge", total = 100, clear = TRUE, .envir = progress, .auto_close = FALSE)
    return(function(fraction) {
      if (fraction < 1) cli::cli_progress_update(set = 100 * fraction, id = id, .envir = progress)
      else cli::cli_progress_done(id = id, .envir = progress)
    })
  }
  bar <- utils::txtProgressBar(style = 3, file = stderr())
  function(fraction) {
    utils::setTxtProgressBar(bar, fraction)
    if (fraction >= 1) close(bar)
  }
}
