# A bar for calls of the core that take more than a second, where somebody sees it: the C++ side calls show_progress()
# at most ten times a second. options(freeridge.progress = FALSE) turns it off, TRUE draws it in scripts too, a number
# draws it after so many seconds.

progress <- new.env(parent = baseenv())  # cli evaluates its templates here: they need R's own functions

# Draws the bar, or ends it at a fraction of 1. Returns whether a bar is on the screen. An error while drawing does not
# end the call: base R draws the bar instead or, if that fails too, nobody. An interrupt waits until the bar is drawn,
# so that no half-drawn bar is left.
show_progress <- function(fraction) suspendInterrupts(draw_progress(fraction))

draw_progress <- function(fraction) {
  if (!is.null(progress$span)) fraction <- min(progress$span[1L] + fraction * diff(progress$span), 0.999)
  if (is.null(progress$bar)) {
    if (fraction >= 1 || !wants_progress()) return(FALSE)
    progress$bar <- tryCatch(new_bar(), error = function(condition) new_bar(with_cli = FALSE))
  }
  tryCatch(progress$bar(min(max(fraction, 0), 1)), error = function(condition) progress$bar <- function(fraction) NULL)
  if (fraction < 1) return(TRUE)
  progress$bar <- NULL
  FALSE
}

wants_progress <- function() {
  option <- getOption("freeridge.progress", interactive())
  isTRUE(option) || is.numeric(option)
}

# A function of the fraction, which removes the bar at 1: by cli when that is there, else as base R draws it.
new_bar <- function(with_cli = requireNamespace("cli", quietly = TRUE)) {
  if (with_cli) {
    old <- options(cli.progress_show_after = 0)  # there has been a second already
    on.exit(options(old))
    id <- cli::cli_progress_bar("freeridge", total = 100, clear = TRUE, .envir = progress, .auto_close = FALSE)
    return(function(fraction) {
      # forced: cli's own clock may leave out all the updates of a call of less than a second
      if (fraction < 1) cli::cli_progress_update(set = 100 * fraction, id = id, .envir = progress, force = TRUE)
      else cli::cli_progress_done(id = id, .envir = progress)
    })
  }
  bar <- utils::txtProgressBar(style = 3, file = stderr())
  function(fraction) {
    if (fraction < 1) utils::setTxtProgressBar(bar, fraction)
    else cat("\r", strrep(" ", getOption("width")), "\r", sep = "", file = stderr())
  }
}

# Work that R does in many steps, with calls of the core among them: one bar for all of it.
with_steps <- function(expression) {
  progress$started <- proc.time()[["elapsed"]]
  progress$span <- c(0, 0)
  on.exit({
    progress$span <- progress$started <- NULL
    if (!is.null(progress$bar)) show_progress(1)
  })
  expression
}

# The work is at the fraction `from` of `part`, two fractions of the whole, and the next step takes it to `to`.
step_to <- function(part, from, to) {
  if (is.null(progress$started)) return(invisible())
  progress$span <- part[1L] + pmin(c(from, to), 1) * diff(part)
  patience <- getOption("freeridge.progress")
  patience <- if (is.numeric(patience)) patience else 1
  if (proc.time()[["elapsed"]] - progress$started >= patience) show_progress(0)
  invisible()
}
