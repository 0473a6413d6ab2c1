# A bar for calls of the core that take more than a second, in interactive sessions. The C++ side calls show_progress()
# at most ten times a second. options(freeridge.progress = FALSE) turns the bar off, TRUE draws it in scripts, too, and
# a number draws it after so many seconds.

progress <- new.env(parent = baseenv())  # cli evaluates its templates here: they need R's own functions

# Draws the bar, or ends it at a fraction of 1. Returns whether a bar is on the screen. An error while drawing does not
# end the call: then base R draws the bar and, if that fails too, there is no bar. An interrupt waits until the bar is
# drawn, so that no half-drawn bar is left.
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

# A function that draws the bar at a fraction, and removes it at 1: by the package cli where it is installed, else by
# base R.
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

# Evaluates an expression that takes many steps, with calls of the core among them, and draws one bar for all of them.
with_steps <- function(expression) {
  progress$started <- proc.time()[["elapsed"]]
  progress$span <- c(0, 0)
  on.exit({
    progress$span <- progress$started <- NULL
    if (!is.null(progress$bar)) show_progress(1)
  })
  expression
}

# Says that the next step takes the work from the fraction `from` to the fraction `to` of `part`, which is itself a part
# of the whole, from one fraction to another.
step_to <- function(part, from, to) {
  if (is.null(progress$started)) return(invisible())
  progress$span <- part[1L] + pmin(c(from, to), 1) * diff(part)
  patience <- getOption("freeridge.progress")
  patience <- if (is.numeric(patience)) patience else 1
  if (proc.time()[["elapsed"]] - progress$started >= patience) show_progress(0)
  invisible()
}
