# Conditions. Every error has the class freeridge_error and a second class that says what kind of error it is; it shows
# no call.

new_condition <- function(message, kind, class) {
  structure(class = c(paste0("freeridge_", kind), class, "condition"), list(message = message, call = NULL))
}

# A bad argument, found before the core is called.
refuse <- function(...) {
  stop(new_condition(paste0(...), "invalid_argument", c("freeridge_error", "error")))
}

# Called by the C++ side when a status is not OK: signals the error, with the core's sentence put into R's words.
stop_from_core <- function(status, message) {
  if (status == "OUT_OF_MEMORY" && grepl(": out of memory$", message)) stop(out_of_memory())
  stop(new_condition(in_words_of_r(message), tolower(status), c("freeridge_error", "error")))
}

# Patterns in the core's sentences, and the words of R for them.
words_of_r <- c(
  "^freeridge_[a-z_]+: " = "",
  "but the model has no landmarks; call freeridge_set_landmarks first" = "but there are none: give landmarks",
  "; call freeridge_set_landmarks( first| before freeridge_factorize)" = "; give landmarks to freeridge()",
  "; see FREERIDGE_TOLERANCE and FREERIDGE_ITERATIONS" = "; give tolerance and iterations",
  "; call freeridge_accumulator_add first" = "; accumulate() adds some",
  "\\bSIGMA2\\b" = "noise_sd^2", "\\bthe value of ([A-Z_]+) is" = "\\L\\1\\E is", " ?\\(FREERIDGE_[A-Z_]+\\)" = "",
  "\\bFREERIDGE_(?!CUDA_PATH)([A-Z_]+)" = "\\L\\1\\E",
  "\\bDEVICE is set" = "device is given", "\\bset DEVICE to 0" = "give device = \"cpu\"",
  "\\bpoints\\.unpenalised_count is ([0-9]+)" = "fixed has \\1 columns",
  "set sigma, or give low and high" = "give the kernel its bandwidth, or bandwidth_range",
  "save it for prediction only \\(FREERIDGE_SAVE_PREDICTOR\\)" = "keep predictor(fit) only",
  "(the )?SPECTRAL route\\b" = "route = \"spectral\"",
  "set the route ([A-Z]+) or AUTO, or the landmarks to none" = "give route = \"\\L\\1\\E\", or no landmarks",
  "set the route ([A-Z]+)" = "give route = \"\\L\\1\\E\"",
  "(the )?([A-Z]{3,}) route\\b" = "route = \"\\L\\2\\E\"",
  "\\b(AUTO|CHOLESKY|SPECTRAL|BAND|PRIMAL|LANDMARK|LOO|GCV|REML|GROUPS|ERROR_RATE|LOG_LOSS|EVIDENCE|HINGE|LOGISTIC)\\b" =
    "\"\\L\\1\\E\"",
  "\\bthe model's\\b" = "the fit's", "\\bthe model\\b" = "the fit", "\\binf\\b" = "Inf", "\\bnan\\b" = "NaN",
  "[;,]? ?\\(?(call|see)? ?\\bfreeridge_[a-z_]+\\)?( first)?" = ""
)

# Rows, columns and outputs are counted from 1 here, from 0 in the core.
in_words_of_r <- function(message) {
  for (pattern in names(words_of_r)) message <- gsub(pattern, words_of_r[[pattern]], message, perl = TRUE)
  places <- "\\[[0-9]+(, [0-9]+)?\\]|\\b(rows?|columns?|outputs?|features?|monomial) [0-9]+\\b( and [0-9]+\\b)?"
  found <- gregexpr(places, message, perl = TRUE)
  regmatches(message, found) <- lapply(regmatches(message, found), function(texts) {
    vapply(texts, function(text) {
      numbers <- gregexpr("[0-9]+", text)
      from_one <- as.numeric(regmatches(text, numbers)[[1L]]) + 1
      regmatches(text, numbers) <- list(format(from_one, trim = TRUE, scientific = FALSE))
      text
    }, "")
  })
  message
}

# The condition for memory that could not be had. The C++ side asks for it and signals it.
out_of_memory <- function() {
  new_condition(paste("out of memory: the system has not given what this call needs; objects that were there before",
                      "are as they were"), "out_of_memory", c("freeridge_refused_by_system", "freeridge_error", "error"))
}

# Some entries of an answer do not exist; they are NaN.
warn_undefined <- function(...) {
  warning(new_condition(paste0(...), "undefined", c("freeridge_warning", "warning")))
}

# rows: the numbers of the rows at which `what` does not exist.
warn_leverage_of_one <- function(what, rows) {
  if (length(rows) > 0L) warn_undefined(what, " is undefined (NaN) at row ", some_of(rows), ": the leverage is one")
}

# missing: lambdas x outputs, TRUE where `what` does not exist.
warn_at_lambdas <- function(what, lambdas, missing) {
  undefined <- lambdas[rowSums(missing) > 0L]
  if (length(undefined) > 0L) warn_undefined(what, " is undefined (NaN) at lambda = ", some_of(undefined))
}

# Warns where the lambda in force is below what rounding allows.
warn_below_floor <- function(model) warn_of_lambdas(lambdas_below_floor(model), core_lambda_flags(model)$floor)

lambdas_below_floor <- function(model) core_lambda(model)[core_lambda_flags(model)$below != 0L]

warn_of_lambdas <- function(below, floor) {
  if (length(below) == 0L) return(invisible())
  number <- function(value) format(value, digits = 2L)
  rounded <- below[below < floor]
  text <- if (length(rounded) > 0L) {
    paste0("lambda is ", some_of(number(rounded)), ", below ", number(floor), ", where rounding leaves left-out ",
           "errors and what follows from them fewer than six digits; far below it leaves none")
  } else {
    paste0("some landmarks are so near to others that they were left out, and at lambda = ", some_of(number(below)),
           " rows far from all landmarks may need them; landmark_method = \"pivoted\" puts landmarks where rows are")
  }
  warning(new_condition(text, "below_floor", c("freeridge_warning", "warning")))
}

# The same of an accumulator, whose search at one lambda above 0 tells of it.
warn_of_accumulator <- function(handle, lambda) {
  below <- Filter(function(value) core_accumulator_below(handle, value), unique(lambda[lambda > 0]))
  if (length(below) == 0L) return(invisible())
  text <- paste0("lambda is ", some_of(format(below, digits = 2L)), ", where rounding, or landmarks so near to others ",
                 "that they were left out, may leave left-out errors and what follows from them fewer than six digits")
  warning(new_condition(text, "below_floor", c("freeridge_warning", "warning")))
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
  if (kind %in% c("matrix", "array") && !is.numeric(value)) kind <- paste(typeof(value), kind)
  paste0(if (grepl("^[aeiou]", kind)) "an " else "a ", kind, if (!is.function(value)) paste0(" (", size, ")"))
}

# What was given where each of two to four numbers matters, for the end of a sentence.
shown_values <- function(value) {
  if (!is.numeric(value) || !length(value) %in% 2:4) return(shown(value))
  paste0("c(", paste(format(value, trim = TRUE), collapse = ", "), ")")
}

# Refuses a call of the calling function in which one of these arguments is missing.
all_given <- function(...) {
  frame <- parent.frame()
  for (name in as.character(substitute(list(...)))[-1L]) {
    if (eval(call("missing", as.name(name)), frame)) refuse(name, " is missing")
  }
}

# Refuses arguments in the dots of the calling function, and names the argument that may have been meant.
refuse_extra <- function(...) {
  if (...length() == 0L) return(invisible())
  given <- ...names()
  if (is.null(given)) given <- character(...length())
  known <- setdiff(names(formals(sys.function(sys.parent()))), "...")
  shown <- vapply(given, function(name) {
    if (is.na(name) || name == "") return("one without a name")
    words <- answer_to(name, known)
    paste0("'", name, "'", if (length(words) > 0L) paste0(" (", words, ")"))
  }, "")
  refuse("unknown argument: ", paste(shown, collapse = ", "), "; see ?freeridge for those there are")
}

# The same for functions to which other packages pass on what they know: only arguments that are nearly one of ours.
refuse_misspelt <- function(...) {
  known <- setdiff(names(formals(sys.function(sys.parent()))), "...")
  for (name in setdiff(...names(), c("", NA))) {
    near <- near_name(name, known)
    if (length(near) > 0L) refuse("unknown argument: '", name, "' (is ", near, " meant?)")
  }
}

# The known argument of nearly the same name; none: character().
near_name <- function(name, known) {
  same <- tolower(known) == tolower(name)
  if (any(same)) return(known[same][1L])
  distance <- utils::adist(name, known, ignore.case = TRUE)
  near <- which(distance <= max(1L, nchar(name) %/% 3L) & distance < pmax(nchar(known), nchar(name)) - 1L)
  if (length(near) == 0L) character() else known[near[which.min(distance[near])]]
}
