# Every message of the package is raised by a test. testthat.R watches while the tests run: which messages there are is
# read from the package itself, by walking R's own parse of each function, and from the C++ side by its source.

# What raises: each of these ends in new_condition().
raisers <- c("new_condition", "refuse", "refuse_sparse", "warn_undefined")

# Messages that no input is known to raise, by the beginning of their call, and why.
never <- c(
  "the eigenvalues of x'x were not found" = "LAPACK's dsterf has always converged on finite numbers"
)

text_of <- function(call) paste(deparse(call, width.cutoff = 500L), collapse = " ")

called <- function(call) if (is.call(call) && is.symbol(call[[1L]])) as.character(call[[1L]]) else ""

# All calls in a piece of code, those within calls, too.
calls_in <- function(code) {
  found <- if (is.call(code)) list(code) else list()
  if (is.call(code) || is.pairlist(code) || is.expression(code)) {
    for (i in seq_along(code)) {
      part <- code[[i]]
      if (!missing(part)) found <- c(found, calls_in(part))  # x[, 1] has an empty one
    }
  }
  found
}

# Once each, as a method of several classes is one function with several names.
functions_of <- function(namespace) {
  functions <- Filter(is.function, mget(ls(namespace, all.names = TRUE), namespace))
  functions[!duplicated(lapply(functions, body))]
}

# A row for each call of a raiser: the function it stands in, and its text.
message_sites <- function(namespace) {
  functions <- functions_of(namespace)
  rows <- lapply(names(functions), function(name) {
    f <- functions[[name]]
    calls <- c(calls_in(body(f)), calls_in(formals(f)))
    text <- unique(vapply(Filter(function(call) called(call) %in% raisers, calls), text_of, ""))
    data.frame(where = rep(name, length(text)), text = text)
  })
  do.call(rbind, rows)
}

# stop() and warning() take a condition of ours and no words, so that nothing is raised past the raisers.
plain_messages <- function(namespace) {
  functions <- functions_of(namespace)
  calls <- unlist(lapply(functions, function(f) calls_in(body(f))), recursive = FALSE)
  raised <- Filter(function(call) called(call) %in% c("stop", "warning", "signalCondition", "abort", "stopifnot"), calls)
  ours <- c("condition", "new_condition", "out_of_memory")
  bad <- Filter(function(call) {
    what <- call[[2L]]
    length(call) != 2L || !(if (is.symbol(what)) as.character(what) else called(what)) %in% ours
  }, raised)
  vapply(bad, text_of, "")
}

# Whose frame an environment is: the functions of the package have frames right below its namespace.
top_function <- function(environment, namespace, functions, frames) {
  while (!identical(parent.env(environment), namespace)) {
    environment <- parent.env(environment)
    if (identical(environment, emptyenv())) return(NA_character_)
  }
  place <- which(vapply(frames, identical, NA, environment))
  if (length(place) == 0L) return(NA_character_)
  f <- sys.function(place[1L])
  for (name in names(functions)) if (identical(body(functions[[name]]), body(f))) return(name)
  NA_character_
}

# Watches new_condition(): a list of two functions, sites() (as message_sites(), those that have been raised; where is
# NA for a function that has returned since) and words() (the messages themselves).
watch_messages <- function(namespace) {
  functions <- functions_of(namespace)
  state <- new.env()
  state$sites <- data.frame(where = character(), text = character())
  state$words <- character()
  record <- function() {
    calls <- sys.calls()
    frames <- sys.frames()
    parents <- sys.parents()
    raised <- which(vapply(calls, called, "") %in% raisers)
    for (i in raised) {
      parent <- if (parents[i] > 0L) frames[[parents[i]]] else globalenv()
      row <- list(where = top_function(parent, namespace, functions, frames), text = text_of(calls[[i]]))
      state$sites[nrow(state$sites) + 1L, ] <- row
    }
    last <- frames[[max(which(vapply(calls, called, "") == "new_condition"))]]
    state$words <- unique(c(state$words, get("message", last)))
    state$sites <- unique(state$sites)
  }
  suppressMessages(trace("new_condition", tracer = bquote((.(record))()), where = namespace, print = FALSE))
  list(sites = function() state$sites, words = function() state$words)
}

# The words of refuse("...") in the C++ side: literals, with whatever stands between them.
glue_messages <- function(folder) {
  files <- setdiff(list.files(folder, "\\.(cpp|h)$", full.names = TRUE), file.path(folder, "RcppExports.cpp"))
  lines <- unlist(lapply(files, readLines))
  if (any(grepl("Rcpp::(stop|warning)|Rf_(error|warning)", lines))) {
    stop("the C++ side raises past refuse(): ", grep("Rcpp::(stop|warning)|Rf_(error|warning)", lines, value = TRUE)[1L])
  }
  code <- paste(lines, collapse = "\n")
  calls <- regmatches(code, gregexpr("\\brefuse\\(\\s*(?=\")(\"[^\"]*\"|[^\";])*\\);", code, perl = TRUE))[[1L]]
  literals <- regmatches(calls, gregexpr("\"[^\"]*\"", calls))  # each call begins with one
  unique(vapply(Filter(length, literals), function(parts) paste(gsub("\"", "", parts), collapse = "\r"), ""))
}

# The messages of message_sites() that were not raised, as sentences; none: all were. folder: the C++ side, NULL where it is not at hand.
unseen_messages <- function(sites, seen, words, folder = NULL) {
  raised <- vapply(seq_len(nrow(sites)), function(i) {
    any(seen$text == sites$text[i] & (is.na(seen$where) | seen$where == sites$where[i]))
  }, NA)
  unseen <- paste0(sites$where[!raised], ": ", sites$text[!raised])
  if (!is.null(folder)) {
    glue <- glue_messages(folder)
    if (length(glue) < 10L) stop("the C++ side has messages, and they were not found")
    quoted <- function(text) gsub("([][{}()+*^$|\\\\?.])", "\\\\\\1", text)
    patterns <- vapply(strsplit(glue, "\r"), function(parts) paste(quoted(parts), collapse = ".*"), "")
    heard <- vapply(patterns, function(pattern) any(grepl(pattern, words)), NA)
    unseen <- c(unseen, paste("C++:", gsub("\r", "...", glue[!heard & !glue %in% names(never)])))
  }
  unseen[!unseen %in% c(": ", "C++: ")]
}
