# Passes over the rows of a source. A pass collects what it learns of the rows in a state:
#   begin(k)             the state before shard k is read
#   visit(state, chunk)  the state after a chunk
#   join(state, other)   one state of the states of two shards
#   pack(state)          the state in a form that can go to another process
#   enough(state)        whether no more rows are needed
#   apart                whether each shard has a state of its own in this session, too
# In this session one state goes through all shards, but for apart = TRUE. Workers have a state for each shard, and
# these are joined in the order of the shards: so the bits of an answer do not depend on the number of workers.

new_pass <- function(begin, visit, join, pack = identity, apart = FALSE, enough = function(state) FALSE) {
  list(begin = begin, visit = visit, join = join, pack = pack, apart = apart, enough = enough)
}

run_pass <- function(source, pass, workers, rows = source$rows, span = c(0, 1)) {
  if (!is.null(workers)) return(pass_of_workers(source, pass, workers, span))
  read <- 0
  state <- NULL
  for (k in seq_len(source$count)) {
    shard <- if (k == 1L || pass$apart) pass$begin(k) else state
    each_chunk(source$open(k), source$label(k), function(chunk) {
      step_to(span, read / max(rows, 1), (read + nrow(chunk)) / max(rows, 1))
      shard <<- pass$visit(shard, chunk)
      read <<- read + nrow(chunk)
      pass$enough(shard)
    })
    state <- if (is.null(state) || !pass$apart) shard else in_place(source$label(k), pass$join(state, shard))
    if (pass$enough(state)) break
  }
  state
}

# The packed state of a shard, as a worker computes it.
run_shard <- function(pass, open, k, label) {
  threads <- freeridge_threads(1)
  on.exit(freeridge_threads(threads))
  state <- pass$begin(k)
  each_chunk(open, label, function(chunk) {
    state <<- pass$visit(state, chunk)
    pass$enough(state)
  })
  pass$pack(state)
}

# The first rows, at least two where the source has two.
first_rows <- function(source, workers) {
  pass <- head_pass(100L)
  if (is.null(workers)) return(run_pass(source, pass, NULL))
  state <- NULL
  for (k in seq_len(source$count)) {
    state <- pass$join(state, shards_of_workers(source, pass, workers, k)[[1L]])
    if (pass$enough(state)) break
  }
  state
}

# (Here and below, what a pass needs is forced: the promise of an argument would take the frame of the caller along to
# the workers.)
head_pass <- function(most) {
  force(most)
  join <- function(state, other) if (is.null(state)) other else if (is.null(other)) state else rbind(state, other)
  new_pass(
    begin = function(k) NULL, join = join, enough = function(state) NROW(state) >= 2L,
    visit = function(state, chunk) join(state, utils::head(as.data.frame(chunk), most))
  )
}

look_pass <- function(design, size, seed) {
  force(design)
  force(size)
  force(seed)
  new_pass(
    begin = function(k) new_look(seed, k), visit = function(state, chunk) look_at(state, design, chunk, size),
    join = function(state, other) join_looks(state, other, size), apart = TRUE
  )
}

# Of columns: the number of rows, or the sum of their weights, the means, the sums of squares about the means, and the
# largest absolute values. Two shards are joined by formulas for all rows at once.
spread_of <- function(x, weights = NULL) {
  if (is.null(weights)) weights <- rep(1, nrow(x))
  mean <- colSums(weights * x) / sum(weights)
  list(n = sum(weights), mean = mean, squares = colSums(weights * sweep(x, 2L, mean)^2),
       largest = apply(abs(x), 2L, max))
}

joined_spread <- function(first, second) {
  if (first$n == 0) return(second)
  if (second$n == 0) return(first)
  n <- first$n + second$n
  moved <- second$mean - first$mean
  list(n = n, mean = first$mean + moved * (second$n / n),
       squares = first$squares + second$squares + moved^2 * (first$n * second$n / n),
       largest = pmax(first$largest, second$largest))
}

# For the standard deviations of the columns.
deviation_pass <- function(design) {
  force(design)
  new_pass(
    begin = function(k) list(n = 0),
    visit = function(state, chunk) {
      x <- chunk_numbers(design, chunk)$x
      if (is.null(x)) return(state)
      joined_spread(state, spread_of(x[, length(design$fixed) + seq_along(design$features), drop = FALSE]))
    },
    join = joined_spread
  )
}

# Pass 1: the rows as an accumulator, and the counts that tell whether another pass sees the same rows. positive: in how
# many rows each output is positive; of classes these are the rows of the class. weight, log_weight: the sums of the
# weights and of their logarithms. spread: of the outputs as they were given.
# empty: the bytes of an accumulator without rows, with which each worker begins.
sum_pass <- function(design, empty) {
  force(design)
  force(empty)
  new_pass(
    begin = function(k) {
      c(list(accumulator = core_accumulator_load(empty), positive = 0, log_weight = 0, spread = list(n = 0)), no_rows)
    },
    visit = function(state, chunk) {
      numbers <- chunk_numbers(design, chunk)
      if (!is.null(numbers$x)) {
        core_accumulator_add(state$accumulator, core_columns(design, numbers$x), numbers$y, numbers$weights)
        state$positive <- state$positive + colSums(numbers$y > 0)
        if (!is.null(numbers$weights)) state$log_weight <- state$log_weight + sum(log(numbers$weights))
        state$spread <- joined_spread(state$spread, spread_of(plus_offset(numbers$y, numbers$offset), numbers$weights))
      }
      counted_rows(state, numbers)
    },
    join = function(state, other) {
      state$positive <- state$positive + other$positive
      state$log_weight <- state$log_weight + other$log_weight
      state$spread <- joined_spread(state$spread, other$spread)
      core_accumulator_merge(state$accumulator, core_accumulator_load(other$accumulator))
      added_rows(state, other)
    },
    pack = function(state) {
      state$accumulator <- core_accumulator_save(state$accumulator, compact = TRUE)
      state
    }
  )
}

# Pass 2 for the criterion "loo": the moments of the left-out errors at each lambda. bytes: those of the accumulator,
# for a worker, which has no handle.
loo_pass <- function(design, handle, bytes, lambdas) {
  force(design)
  force(handle)
  force(bytes)
  force(lambdas)
  accumulator <- function() {
    if (!core_is_alive(handle)) handle <<- core_accumulator_load(bytes)
    handle
  }
  new_pass(
    begin = function(k) c(list(moments = matrix(0, 5L, design$t * length(lambdas))), no_rows),
    visit = function(state, chunk) {
      numbers <- chunk_numbers(design, chunk)
      if (!is.null(numbers$x)) {
        found <- core_accumulator_moments(accumulator(), core_columns(design, numbers$x), numbers$y, numbers$weights,
                                          NULL, lambdas)
        state$moments <- core_moments_join(state$moments, found)
      }
      counted_rows(state, numbers)
    },
    join = function(state, other) {
      state$moments <- core_moments_join(state$moments, other$moments)
      added_rows(state, other)
    }
  )
}

# Pass 2 for the criterion "groups", whose rows are left out together. The rows of a group follow one another: those of
# the last group of a chunk stay open until rows of another group come. Rows without a label are in no group. own: NULL,
# or the columns of the errors (rows x (lambdas x outputs)) that are wanted themselves, in the places of their rows.
group_pass <- function(design, handle, bytes, lambdas, own = NULL) {
  force(own)
  pass <- loo_pass(design, handle, bytes, lambdas)
  accumulator <- environment(pass$visit)$accumulator
  rows_at <- function(rows, which) {
    list(x = rows$x[which, , drop = FALSE], y = rows$y[which, , drop = FALSE], weights = rows$weights[which],
         groups = rows$groups[which], place = rows$place[which])
  }
  closed <- function(state, labels) {
    again <- watched(state$watch, labels)
    if (!is.na(again)) {
      refuse("the rows of group '", again, "' are not together: sort the source by its groups, so that the rows ",
             "of each follow one another, in one shard")
    }
    state
  }
  left_out <- function(state, rows) {
    labels <- unique(rows$groups)
    state <- closed(state, labels)
    state$groups <- state$groups + length(labels)
    of_labels <- if (is.null(own)) core_accumulator_moments else core_accumulator_errors
    found <- of_labels(accumulator(), core_columns(design, rows$x), rows$y, rows$weights,
                       match(rows$groups, labels) - 1L, lambdas)
    if (is.null(own)) {
      state$moments <- core_moments_join(state$moments, found)
    } else {
      found <- found[, own, drop = FALSE]
      undefined <- unique(rows$groups[rowSums(is.nan(found)) > 0L])
      state$undefined <- unique(c(state$undefined, undefined))
      state$errors <- c(state$errors, list(list(place = rows$place, values = found)))
    }
    state
  }
  begin <- pass$begin
  join <- pass$join
  new_pass(
    begin = function(k) c(begin(k), list(open = NULL, groups = 0, watch = new_watch())),
    visit = function(state, chunk) {
      numbers <- chunk_numbers(design, chunk)
      numbers$place <- state$rows + seq_len(NROW(numbers$x))
      state <- counted_rows(state, numbers)
      known <- which(!is.na(numbers$groups))
      if (length(known) == 0L) return(state)
      rows <- rows_at(numbers, known)
      if (!is.null(state$open)) {
        rows <- list(x = rbind(state$open$x, rows$x), y = rbind(state$open$y, rows$y),
                     weights = c(state$open$weights, rows$weights), groups = c(state$open$groups, rows$groups),
                     place = c(state$open$place, rows$place))
      }
      last <- rows$groups == rows$groups[length(rows$groups)]
      state["open"] <- list(rows_at(rows, last))
      if (all(last)) state else left_out(state, rows_at(rows, !last))
    },
    join = function(state, other) {
      state$watch <- opened_watch(state$watch, other$watch$level)
      state$groups <- state$groups + other$groups
      state$undefined <- unique(c(state$undefined, other$undefined))
      moved <- lapply(other$errors, function(part) list(place = part$place + state$rows, values = part$values))
      state$errors <- c(state$errors, moved)
      join(closed(state, other$watch$labels), other)
    },
    pack = function(state) {
      if (!is.null(state$open)) state <- left_out(state, state$open)
      state["open"] <- list(NULL)
      state$watch <- list(level = state$watch$level, labels = labels_in(state$watch))
      state
    }
  )
}

# Which groups are closed, in memory and time that do not grow with their number: all of them up to 2^16, of more those
# whose hash is a multiple of 2^level, so that a source which is not sorted by its groups is noticed by some of them.
# Packed it is list(level, labels), else an environment with these as names (with "=" in front, as a name is not empty).
most_watched <- 2^16

new_watch <- function(level = 0, labels = character()) {
  watch <- new.env(parent = emptyenv())
  watch$level <- level
  watch$seen <- new.env(parent = emptyenv())
  watch_also(watch, labels)
  watch
}

watch_also <- function(watch, labels) {
  if (length(labels) > 0L) list2env(stats::setNames(rep(list(TRUE), length(labels)), paste0("=", labels)), watch$seen)
}

labels_in <- function(watch) substring(ls(watch$seen, all.names = TRUE, sorted = FALSE), 2L)

# The first of the labels that was closed before, NA: none; from now on all are closed.
watched <- function(watch, labels) {
  labels <- labels_of_level(labels, watch$level)
  before <- vapply(paste0(rep("=", length(labels)), labels), exists, NA, envir = watch$seen, inherits = FALSE)
  if (any(before)) return(labels[before][1L])
  watch_also(watch, labels)
  if (length(watch$seen) > most_watched) raise_level(watch, watch$level + 1)
  NA_character_
}

raise_level <- function(watch, level) {
  kept <- labels_of_level(labels_in(watch), level)
  watch$level <- level
  watch$seen <- new_watch(level, kept)$seen
}

# The watch of a packed one, at the higher of its level and another.
opened_watch <- function(packed, level) {
  watch <- if (is.environment(packed)) packed else new_watch(packed$level, packed$labels)
  if (level > watch$level) raise_level(watch, level)
  watch
}

labels_of_level <- function(labels, level) {
  if (level == 0 || length(labels) == 0L) return(labels)
  labels[vapply(labels, hash_of_label, 0) %% 2^level == 0]
}

# 0 to 2^31 - 2: the polynomial with the label's characters, and steps of a generator that mix its bits.
hash_of_label <- function(label) {
  modulus <- 2^31 - 1
  hash <- 0
  for (code in c(utf8ToInt(enc2utf8(label)), 0, 0)) hash <- ((hash + code) * 48271 + 11) %% modulus
  hash
}

left_out_passes <- list(loo = loo_pass, groups = group_pass)

# Counts of rows, and a sum over the rows of a number that depends on the data of each row. The sum tells rows with
# other data, but does not depend on the order of the rows and the chunks.

no_rows <- list(read = 0, dropped = 0, rows = 0, checksum = 0)

counted_rows <- function(state, numbers) {
  checksum <- if (is.null(numbers$data)) 0 else core_rows_checksum(numbers$data)
  added_rows(state, list(read = numbers$read, dropped = numbers$dropped, rows = NROW(numbers$x), checksum = checksum))
}

checksum_range <- 2^52

added_rows <- function(state, other) {
  for (name in c("read", "dropped", "rows")) state[[name]] <- state[[name]] + other[[name]]
  state$checksum <- (state$checksum + other$checksum) %% checksum_range
  state
}

check_same_rows <- function(first, again) {
  if (first$rows != again$rows) {
    refuse("the source has changed between two passes: ", counted(first$rows, "row"), " at first, then ", again$rows)
  }
  if (first$checksum != again$checksum) {
    refuse("the source has changed between two passes: as many rows, with other numbers")
  }
}
