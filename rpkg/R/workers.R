# A pass over the shards of a source by other processes. The packages future, mirai and Rmpi, called engines here, start
# the processes, wait for them, and carry what goes to and from them.

engine_packages <- c(future = "future", mirai = "mirai", mpi = "Rmpi")

# The argument workers as list(engine, count), or NULL. count: how many workers are started for this call; NULL: the
# workers that are there are used.
check_workers <- function(workers, source) {
  if (is.null(workers)) return(NULL)
  engine <- if (is.character(workers)) workers else names(workers)
  count <- if (is.numeric(workers)) check_whole(unname(workers), "workers", 1, .Machine$integer.max)
  if (length(workers) != 1L || length(engine) != 1L || !engine %in% names(engine_packages)) {
    refuse("workers must be \"future\", \"mirai\" or \"mpi\", or one of these with a number, as in c(mirai = 2), not ",
           shown(workers))
  }
  package <- engine_packages[[engine]]
  if (!requireNamespace(package, quietly = TRUE)) {
    refuse("workers of ", engine, " need the package ", package, ": install it")
  }
  if (!source$travels) {
    refuse(source$what, " cannot go to other processes: give row_source() a function of the number of a shard, which ",
           "opens it there, and shards, their number")
  }
  list(engine = engine, count = count)
}

# Evaluates an expression with the workers that it needs, and ends those that it has started.
with_workers <- function(workers, expression) {
  if (is.null(workers$count)) {
    if (!is.null(workers)) check_workers_there(workers$engine)
    return(expression)
  }
  # Processes that are started find packages where this session does.
  before <- Sys.getenv("R_LIBS", NA)
  Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  on.exit(if (is.na(before)) Sys.unsetenv("R_LIBS") else Sys.setenv(R_LIBS = before))
  switch(workers$engine,
    future = {
      old <- future::plan(future::multisession, workers = workers$count)
      on.exit(future::plan(old), add = TRUE)
    },
    mirai = {
      mirai::daemons(workers$count, .compute = "freeridge")
      on.exit(mirai::daemons(0, .compute = "freeridge"), add = TRUE)
    },
    mpi = {
      if (Rmpi::mpi.comm.size(1) > 0) refuse("there are workers of Rmpi already: workers = \"mpi\" takes them")
      utils::capture.output(Rmpi::mpi.spawn.Rslaves(nslaves = workers$count, needlog = FALSE))
      on.exit(Rmpi::mpi.close.Rslaves(dellog = FALSE), add = TRUE)
    }
  )
  expression
}

check_workers_there <- function(engine) {
  if (engine == "mirai" && !isTRUE(mirai::status()$connections > 0)) {
    refuse("mirai has no daemons: mirai::daemons(2) starts two, or workers = c(mirai = 2) for this call")
  }
  if (engine == "mpi" && Rmpi::mpi.comm.size(1) < 2) {
    refuse("Rmpi has no workers: Rmpi::mpi.spawn.Rslaves(nslaves = 2) starts two, or workers = c(mpi = 2) for this ",
           "call")
  }
}

# What a worker evaluates. The function is in the environment of base R, so that nothing else goes to the worker with
# it. An error comes back as a value.
task_of_worker <- function(libraries, pass, open, k, label) {
  .libPaths(unique(c(libraries, .libPaths())))
  run <- get("run_shard", loadNamespace("freeridge"))
  tryCatch(run(pass, open, k, label), error = function(condition) condition)
}
environment(task_of_worker) <- baseenv()

# The packed states of the shards, in order.
shards_of_workers <- function(source, pass, workers, shards, said = function(fraction) NULL) {
  tasks <- lapply(shards, function(k) {
    list(libraries = .libPaths(), pass = pass, open = source$open(k), k = k, label = source$label(k))
  })
  value <- function(found, i) {
    if (!inherits(found, "error")) {
      said(i / length(tasks))
      return(found)
    }
    condition <- found
    if (inherits(condition, "freeridge_error")) stop(condition)
    refuse("the worker of ", source$label(shards[i]), ": ", conditionMessage(found))
  }
  switch(workers$engine,
    future = {
      jobs <- lapply(tasks, function(task) {
        future::future(do.call(run, task), globals = list(run = task_of_worker, task = task), seed = NULL)
      })
      lapply(seq_along(jobs), function(i) value(future::value(jobs[[i]]), i))
    },
    mirai = {
      compute <- if (!is.null(workers$count)) "freeridge"
      jobs <- list()
      on.exit(for (job in jobs) mirai::stop_mirai(job))
      for (task in tasks) {
        jobs <- c(jobs, list(mirai::mirai(do.call(run, task), run = task_of_worker, task = task, .compute = compute)))
      }
      lapply(seq_along(jobs), function(i) value(result_of_mirai(jobs[[i]]), i))
    },
    mpi = {
      found <- Rmpi::mpi.applyLB(tasks, function(task, run) list(do.call(run, task)), run = task_of_worker)
      lapply(seq_along(found), function(i) value(found[[i]][[1L]], i))
    }
  )
}

# What a daemon gave. An error of mirai itself, such as that of a daemon that has ended, becomes an error of the shard.
result_of_mirai <- function(job) {
  found <- mirai::call_mirai(job)$data
  if (inherits(found, "errorValue")) simpleError(paste("mirai gave no answer:", format(found)[1L])) else found
}

pass_of_workers <- function(source, pass, workers, span) {
  found <- shards_of_workers(source, pass, workers, seq_len(source$count), function(done) step_to(span, done, done))
  state <- pass$begin(1L)
  for (k in seq_along(found)) state <- in_place(source$label(k), pass$join(state, found[[k]]))
  state
}
