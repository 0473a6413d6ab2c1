# The first look at all rows: the levels of factors, the kinds of columns, and a random sample of rows.
#
# A look is what is known of the rows that were read so far. Each chunk adds to it, and looks of two shards are joined.
#   read, rows     how many rows there were, and how many of them are in the model frame
#   kinds          of each column of the data
#   variables      of each variable of the frame that is a factor or strings: its kind and levels
#   keys, sample   each row draws a random number, its key; the sample has the rows with the least keys: it is a sample
#                  without replacement, however the rows are cut into chunks
#   random         the state of the generator of these keys, which is not R's own

new_look <- function(seed, shard) {
  list(rows = 0, read = 0, variables = list(), kinds = NULL, keys = numeric(), sample = NULL,
       random = seeded(seed, shard))
}

look_at <- function(look, design, chunk, size) {
  rows <- chosen_rows(design, chunk)
  if (is.null(look$kinds)) look$kinds <- design$kinds
  fresh <- names(rows)[is.na(look$kinds)]
  look$kinds[fresh] <- lapply(rows[fresh], kind_of_column)
  design$kinds <- look$kinds
  given <- design$xlevels
  design$xlevels <- NULL  # those that are given are checked when the rows are added
  frame <- chunk_frame(design, chunk)
  look$read <- look$read + as.double(nrow(chunk))
  look$rows <- look$rows + as.double(nrow(frame))
  if (nrow(frame) == 0L) return(look)
  classes <- lapply(frame, stats::.MFclass)
  look$classes <- same_classes(look$classes, replace(classes, classes %in% c("ordered", "character"), "factor"))
  for (name in setdiff(names(frame), names(given))) {
    if (is.factor(frame[[name]]) || is.character(frame[[name]])) {
      look$variables[[name]] <- join_levels(look$variables[[name]], levels_of_column(frame[[name]]))
    }
  }
  if (size > 0) look <- sampled(look, rows[match(rownames(frame), row.names(rows)), , drop = FALSE], size)
  look
}

join_looks <- function(look, other, size) {
  look$rows <- look$rows + other$rows
  look$read <- look$read + other$read
  unknown <- is.na(look$kinds)
  if (is.null(look$kinds)) {
    look$kinds <- other$kinds
  } else if (!is.null(other$kinds)) {
    look$kinds[unknown] <- other$kinds[unknown]
  }
  look$classes <- same_classes(look$classes, other$classes)
  for (name in names(other$variables)) {
    look$variables[[name]] <- join_levels(look$variables[[name]], other$variables[[name]])
  }
  least(look, other$keys, other$sample, size)
}

same_classes <- function(classes, other) {
  for (name in intersect(names(classes), names(other))) {
    if (classes[[name]] != other[[name]]) {
      refuse(name, " is of the kind \"", other[[name]], "\", and \"", classes[[name]], "\" in chunks before")
    }
  }
  if (is.null(classes)) other else classes
}

# The levels of a variable. used: those that some row has, in order of appearance; all: those of the factor, where every
# chunk has the same ones, else NULL; as_strings and as_numbers: whether each chunk had its levels in the order that
# as.factor() gives to strings, and to numbers.

levels_of_column <- function(column) {
  if (is.character(column)) {
    used <- unique(column)
    return(list(kind = "character", used = used[!is.na(used)], all = NULL, as_strings = TRUE, as_numbers = FALSE))
  }
  all <- levels(column)
  list(kind = if (is.ordered(column)) "ordered" else "factor", used = all[sort(unique(as.integer(column)))], all = all,
       as_strings = identical(all, sort(all)), as_numbers = in_order_of_numbers(all))
}

in_order_of_numbers <- function(levels) {
  values <- suppressWarnings(as.numeric(levels))
  !anyNA(values) && !is.unsorted(values)
}

join_levels <- function(first, second) {
  if (is.null(first)) return(second)
  if (first$kind != second$kind) first$kind <- "factor"
  list(kind = first$kind, used = union(first$used, second$used), all = if (identical(first$all, second$all)) first$all,
       as_strings = first$as_strings && second$as_strings, as_numbers = first$as_numbers && second$as_numbers)
}

# The levels that all rows at once would have: those that are used. Their order is that of the factor where all chunks
# have the same levels, else that of as.factor(), or that of appearance where a chunk has another order.
joined_levels <- function(variable, name) {
  used <- variable$used
  if (!is.null(variable$all)) return(variable$all[variable$all %in% used])
  if (variable$kind == "ordered") {
    refuse("the ordered factor ", name, " has other levels in some chunks than in others: give their order, as in ",
           "levels = list(", name, " = c(\"low\", \"high\"))")
  }
  if (variable$as_numbers) return(used[order(as.numeric(used))])
  if (variable$as_strings) sort(used) else used
}

# Random numbers that leave R's own generator as it was.

seeded <- function(seed, shard) {
  aside(function() {
    set.seed((seed + 7919 * (shard - 1)) %% .Machine$integer.max, "Mersenne-Twister", "Inversion", "Rejection")
    get(".Random.seed", globalenv())
  })
}

aside <- function(f) {
  before <- get0(".Random.seed", globalenv(), inherits = FALSE)
  kinds <- RNGkind()
  on.exit({
    if (is.null(before)) {
      do.call(RNGkind, as.list(kinds))
      rm(".Random.seed", envir = globalenv())
    } else {
      assign(".Random.seed", before, globalenv())
    }
  })
  f()
}

sampled <- function(look, rows, size) {
  drawn <- aside(function() {
    assign(".Random.seed", look$random, globalenv())
    list(keys = stats::runif(nrow(rows)), random = get(".Random.seed", globalenv()))
  })
  look$random <- drawn$random
  bound <- if (length(look$keys) < size) 1 else max(look$keys)
  taken <- which(drawn$keys < bound)
  if (length(taken) == 0L) look else least(look, drawn$keys[taken], rows[taken, , drop = FALSE], size)
}

# The look with another sample: those with the least keys of the rows in its sample and of other rows.
least <- function(look, keys, rows, size) {
  if (length(keys) == 0L) return(look)
  all <- c(look$keys, keys)
  kept <- order(all)[seq_len(min(size, length(all)))]
  look$keys <- all[kept]
  rows <- if (is.null(look$sample)) rows else rbind(look$sample, rows)
  look$sample <- rows[kept, , drop = FALSE]
  row.names(look$sample) <- NULL
  look
}
