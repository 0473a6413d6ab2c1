# Conditions: every error is of class freeridge_error and of one class more that says which kind, and has no call.

new_condition <- function(message, kind, class) {
  structure(class = c(paste0("freeridge_", kind), class, "condition"), list(message = message, call = NULL))
}

# A bad argument, found before the core is called.
refuse <- function(...) {
  stop(new_condition(paste0(...), "invalid_argument", c("freeridge_error", "error")))
}

# Called by the C++ side: a status that is not OK, and the core's own sentence, without the name of the C function that it
# opens with.
stop_from_core <- function(status, message) {
  if (status == "OUT_OF_MEMORY" && grepl(": out of memory$", message)) stop(out_of_memory())
  message <- sub("^freeridge_[a-z_]+: ", "", message)
  if (grepl("rows? [0-9]|\\[[0-9]", message)) message <- paste(message, "(rows and columns are counted from 0)")
  stop(new_condition(message, tolower(status), c("freeridge_error", "error")))
}

# Memory that was asked for and not given, in the core or in the C++ side, which then asks for this and signals it.
out_of_memory <- function() {
  new_condition(paste("out of memory: the system has not given what this call needs; objects that were there before are",
                      "as they were"), "out_of_memory", c("freeridge_error", "error"))
}

# Some entries of an answer do not exist; they are NaN.
warn_undefined <- function(...) {
  warning(new_condition(paste0(...), "undefined", c("freeridge_warning", "warning")))
}

# The lambda in force is below what rounding allows.
warn_below_floor <- function(model) {
  flags <- core_lambda_flags(model)
  below <- which(flags$below != 0L)
  if (length(below) == 0L) return(invisible())
  number <- function(value) format(value, digits = 2L)
  warning(new_condition(
    paste0("lambda is ", some_of(number(core_lambda(model)[below])), ", below ", number(flags$floor),
           ", where rounding leaves left-out errors and what follows from them fewer than six digits, and far below none"),
    "below_floor", c("freeridge_warning", "warning")
  ))
}

# The first of several things and how many more there are, for a sentence.
some_of <- function(things) {
  more <- length(things) - 1L
  paste0(things[1L], if (more > 0L) paste(" and", more, if (more > 1L) "others" else "other"))
}

# What was given, in a few words, for the end of a sentence.
shown <- function(value) {
  if (is.null(value)) return("NULL")
  if (is.atomic(value) && length(value) == 1L && is.null(dim(value))) {
    return(if (is.factor(value)) "a factor" else deparse(unname(value)))
  }
  kind <- class(value)[1L]
  size <- if (is.null(dim(value))) paste("length", length(value)) else paste(dim(value), collapse = " x ")
  paste0(if (grepl("^[aeiou]", kind)) "an " else "a ", kind, if (!is.function(value)) paste0(" (", size, ")"))
}

# The same for a few numbers, where each of them matters.
shown_values <- function(value) {
  if (!is.numeric(value) || !length(value) %in% 2:4) return(shown(value))
  paste0("c(", paste(format(value, trim = TRUE), collapse = ", "), ")")
}

refuse_extra <- function(...) {
  if (...length() == 0L) return(invisible())
  given <- ...names()
  if (is.null(given)) given <- character(...length())
  given <- ifelse(is.na(given) | given == "", "one without a name", paste0("'", given, "'"))
  refuse("unknown argument: ", paste(given, collapse = ", "), "; see ?freeridge for those there are")
}
