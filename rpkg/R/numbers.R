# Which objects of R are numbers, and their conversion to plain doubles. A class may mean that the numbers in memory are
# not what they stand for:
#   integer64        whole numbers of 64 bits, in the memory of doubles (package bit64; fread() and databases give them)
#   Date, POSIXct    days and seconds
#   difftime, units  a quantity in a unit that the object chooses: minutes here may be hours there
#   Surv             times beside a mark of those that are censored

not_numbers <- c("Date", "POSIXt", "difftime", "Surv")

are_numbers <- function(value) is.numeric(value) && !inherits(value, not_numbers)
is_number <- function(value) are_numbers(value) || is.logical(value)

# Numbers without their class, which might have methods of its own; integer64 becomes doubles.
without_class <- function(value) {
  if (!is.object(value) || isS4(value) || !is_number(value)) return(value)
  kept <- attributes(value)[c("dim", "dimnames", "names")]
  value <- if (inherits(value, "integer64")) doubles_of_64_bits(value) else as.vector(unclass(value))
  attributes(value) <- kept[!vapply(kept, is.null, NA)]
  value
}

# A data frame, or another list, in which f(column) takes the place of the columns for which which(column) is TRUE.
with_columns_as <- function(data, which, f) {
  for (j in base::which(vapply(data, which, NA))) data[[j]] <- f(data[[j]])
  data
}

is_integer64 <- function(value) inherits(value, "integer64")

# The data of a formula, or its model frame, with doubles for integer64, which model.matrix() does not know. but:
# columns that stay, as they are labels.
without_integer64 <- function(data, but = character()) {
  if (!is.list(data)) return(data)
  for (name in setdiff(names(data)[vapply(data, is_integer64, NA)], but)) data[[name]] <- without_class(data[[name]])
  data
}

# high * 2^32 + low of the two halves of each number, low without a sign. -2^63 stands for NA. (R takes the half 2^31
# for NA.)
doubles_of_64_bits <- function(value) {
  halves <- halves_of_64_bits(value)
  low <- halves[c(TRUE, FALSE)]
  high <- halves[c(FALSE, TRUE)]
  missing <- is.na(high) & low %in% 0L
  low <- ifelse(is.na(low), 2^31, low %% 2^32)
  high <- ifelse(is.na(high), -2^31, as.double(high))
  ifelse(missing, NA_real_, high * 2^32 + low)
}

halves_of_64_bits <- function(value) {
  bytes <- writeBin(as.vector(unclass(value)), raw(), endian = "little")
  readBin(bytes, "integer", 2L * length(value), endian = "little")
}

# What a user can do with an object that is not numbers, for the end of a sentence.
advice <- function(value, name) {
  made <- function(words) paste0("; ", words, " makes ", if (grepl("^as[.]matrix", words)) "one" else "numbers")
  if (isS4(value)) return(made(paste0("as.matrix(", name, ")")))
  if (inherits(value, "Surv")) {
    return("; times that may be censored are for survival models, as coxph() and survreg() of the package survival")
  }
  if (inherits(value, "difftime")) return(made(paste0("as.numeric(", name, ", units = \"hours\")")))
  if (inherits(value, c("Date", "POSIXt"))) return(made(paste0("as.numeric(", name, ")")))
  if (is.factor(value) || is.character(value)) {
    return(paste0("; in a formula, or in a data frame for freeridge(), labels become columns of numbers"))
  }
  if (is.complex(value)) return("; Re(), Im() and Mod() make numbers")
}

# The unit of a time: another one in new data would be a misreading. NULL for what is no time.
unit_of <- function(value) {
  if (inherits(value, c("difftime", "units"))) {
    return(paste(class(value)[1L], "in", paste(unlist(attr(value, "units")), collapse = " ")))
  }
  intersect(c("Date", "POSIXct"), class(value))
}
