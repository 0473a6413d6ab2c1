# A source gives rows in pieces. It has shards, numbered from 1, which may be read again and again:
#   count      how many
#   open(k)    a function of no arguments that makes a reader of shard k, list(read, close): read() gives the next data
#              frame, NULL at the end; close() gives back what was open, and may be called at any time
#   label(k)   what messages call the shard; NULL: its chunks are numbered
#   rows       the number of rows, NULL where nobody knows it before they are read
#   travels    whether open(k) can go to another process
# In this session the shards are read one after the other; workers take a shard each.

row_source <- function(from, ...) UseMethod("row_source")

new_source <- function(count, open, label, rows = NULL, travels = TRUE, what) {
  structure(list(count = count, open = open, label = label, rows = rows, travels = travels, what = what),
            class = "row_source")
}

row_source.default <- function(from, ...) {
  if (missing(from)) refuse("from is missing: a data frame, a list of data frames, a connection, files or a function")
  if (inherits(from, "row_source")) {
    refuse_extra(...)
    return(from)
  }
  if (inherits(from, "DBIConnection")) return(database_source(from, ...))
  refuse("from must be a data frame, a list of data frames, a DBI connection, names of files or a function, not ",
         shown(from))
}

row_source.data.frame <- function(from, rows = 10000, ...) {
  refuse_extra(...)
  rows <- check_whole(rows, "rows", 1)
  # Without the methods of bit64 some of the rows are not integer64.
  if (any(vapply(from, is_integer64, NA)) && !requireNamespace("bit64", quietly = TRUE)) from <- without_integer64(from)
  n <- nrow(from)
  count <- max(1, ceiling(n / rows))
  piece <- function(k) from[seq_len(min(rows, n - (k - 1) * rows)) + (k - 1) * rows, , drop = FALSE]
  new_source(count, function(k) shard_of(piece(k)), function(k) paste("chunk", k), n,
             what = paste("a data frame in", counted(count, "chunk")))
}

row_source.list <- function(from, ...) {
  refuse_extra(...)
  if (length(from) == 0L) refuse("from is a list of no data frames")
  bad <- which(!vapply(from, is.data.frame, NA))
  if (length(bad) > 0L) refuse("from[[", bad[1L], "]] must be a data frame, not ", shown(from[[bad[1L]]]))
  new_source(length(from), function(k) shard_of(from[[k]]), function(k) paste("chunk", k),
             sum(vapply(from, nrow, 0L)), what = paste("a list of", counted(length(from), "data frame")))
}

# Files. Each is a shard, of which read(file) makes a data frame.
row_source.character <- function(from, read, ...) {
  refuse_extra(...)
  if (length(from) == 0L || anyNA(from)) refuse("from must be names of files, none missing")
  if (missing(read) || !is.function(read)) {
    refuse("read must be a function that makes a data frame of a file's name, such as read.csv")
  }
  read <- self_contained(read)
  new_source(length(from), function(k) shard_of(read, from[[k]]), function(k) paste0("file '", from[[k]], "'"),
             what = counted(length(from), "file"))
}

# A function f of which f(reset = TRUE) begins again, and f(reset = FALSE) gives the next data frame or NULL, as
# biglm::bigglm() takes it. With shards: a function of which f(k) gives all rows of shard k, as a data frame or a
# source.
row_source.function <- function(from, shards = NULL, ...) {
  refuse_extra(...)
  if (is.null(shards)) {
    if (is.primitive(from) || !any(c("reset", "...") %in% names(formals(from)))) {
      refuse("the function must have an argument reset: f(reset = TRUE) begins again, f() gives the next data frame, ",
             "or NULL at the end. (A function of the number of a shard goes with shards, their number.)")
    }
    return(new_source(1, function(k) function_shard(from), function(k) NULL, travels = FALSE, what = "a function"))
  }
  shards <- check_whole(shards, "shards", 1, .Machine$integer.max)
  from <- self_contained(from)
  new_source(shards, function(k) shard_of(from, k), function(k) paste("shard", k),
             what = paste("a function of", counted(shards, "shard")))
}

# The rows of a query, or of a table. disconnect: whether the connection is closed after a pass, as it must be where the
# function of a shard opens it.
database_source <- function(connection, query = NULL, table = NULL, rows = 10000, disconnect = FALSE, ...) {
  refuse_extra(...)
  if (!requireNamespace("DBI", quietly = TRUE)) refuse("rows from a database need the package DBI: install it")
  rows <- check_whole(rows, "rows", 1, .Machine$integer.max)
  disconnect <- check_flag(disconnect, "disconnect")
  if (is.null(query) == is.null(table)) refuse("give either query, an SQL text, or table, the name of a table")
  if (!is.null(query) && (!is.character(query) || length(query) != 1L || is.na(query))) {
    refuse("query must be one string, not ", shown(query))
  }
  what <- if (is.null(table)) "a query of a database" else paste0("the table '", format(table), "' of a database")
  if (!is.null(table)) query <- paste("SELECT * FROM", DBI::dbQuoteIdentifier(connection, table))
  new_source(1, function(k) query_shard(connection, query, rows, disconnect), function(k) NULL, travels = FALSE,
             what = what)
}

print.row_source <- function(x, ...) {
  cat("Rows from ", x$what, if (!is.null(x$rows)) paste0(", ", counted(x$rows, "row")), "\n", sep = "")
  invisible(x)
}

# Shards: functions that make readers. The environment of a shard has what the shard needs and no more, as it may go to
# another process.

# The shard of one data frame `make` or, where `make` is a function, of make(argument): a data frame, or a source whose
# shards are read one after the other.
shard_of <- function(make, argument) {
  force(make)
  if (is.function(make)) force(argument)
  function() {
    value <- if (is.function(make)) make(argument) else make
    if (inherits(value, "row_source")) return(reader_of_source(value))
    list(read = function() {
      found <- value
      value <<- NULL
      found
    }, close = function() NULL)
  }
}

reader_of_source <- function(source) {
  k <- 0
  reader <- NULL
  close <- function() {
    if (!is.null(reader)) reader$close()
    reader <<- NULL
  }
  read <- function() {
    repeat {
      if (is.null(reader)) {
        if (k == source$count) return(NULL)
        k <<- k + 1
        reader <<- source$open(k)()
      }
      chunk <- reader$read()
      if (!is.null(chunk)) return(chunk)
      close()
    }
  }
  list(read = read, close = close)
}

function_shard <- function(f) {
  force(f)
  function() {
    f(reset = TRUE)
    list(read = function() f(reset = FALSE), close = function() NULL)
  }
}

# The shard of a query. The query is sent when the first rows are asked for: by then each_chunk() has seen to it that
# the shard is closed.
query_shard <- function(connection, query, rows, disconnect) {
  force(connection)
  force(query)
  function() {
    result <- NULL
    ended <- FALSE
    close <- function() {
      if (!is.null(result)) DBI::dbClearResult(result)
      result <<- NULL
      if (disconnect && DBI::dbIsValid(connection)) DBI::dbDisconnect(connection)
    }
    read <- function() {
      if (ended) return(NULL)
      if (is.null(result)) result <<- DBI::dbSendQuery(connection, query)
      chunk <- DBI::dbFetch(result, n = rows)
      ended <<- nrow(chunk) == 0L || DBI::dbHasCompleted(result)
      chunk
    }
    list(read = read, close = close)
  }
}

# Calls visit(chunk) for each data frame of a shard, until it gives TRUE. label: what messages call the shard.
each_chunk <- function(shard, label, visit) {
  reader <- list(close = function() NULL)
  on.exit(reader$close())
  number <- 1
  place <- function() {
    if (is.null(label)) paste("chunk", number) else if (number > 1) paste0(label, ", chunk ", number) else label
  }
  reader <- in_place(place(), shard())
  repeat {
    chunk <- in_place(place(), reader$read())
    if (is.null(chunk)) return(invisible())
    if (!is.data.frame(chunk)) refuse(place(), " is ", shown(chunk), ", not a data frame")
    if (in_place(place(), isTRUE(visit(chunk)))) return(invisible())
    number <- number + 1
  }
}

# The value of an expression; the message of an error says where it happened.
in_place <- function(place, expression) {
  tryCatch(expression, error = function(condition) {
    if (inherits(condition, "freeridge_in_place")) stop(condition)
    known <- inherits(condition, "freeridge_error")
    kinds <- if (known) class(condition) else c("freeridge_error", "error", "condition")
    message <- paste0(place, ": ", conditionMessage(condition))
    condition <- structure(class = c("freeridge_in_place", kinds), list(message = message, call = NULL))
    stop(condition)
  })
}
