# One R session that does long work of every kind again and again, while interrupts.py sends it SIGINT. After each, what
# was there before has to give the same bits, and memory has to stay flat. Lines to and from the outside:
#   "go WORK"      the work begins: now it may be interrupted
#   "interrupted SECONDS" or "finished SECONDS", then it waits for "on NUMBER" or "end NUMBER"
#   "healthy TRUE MIB"    the checks passed; resident memory
# Arguments: the number of works to do, a seed.
library(freeridge)
arguments <- as.integer(commandArgs(TRUE))
set.seed(arguments[2L])
outside <- file("stdin", "r")
say <- function(...) {
  cat(..., "\n")
  flush(stdout())
}
wait_for <- function(word, number) {
  while (!identical(readLines(outside, 1L), paste(word, number))) NULL
}
resident <- function() {
  line <- grep("^VmRSS", readLines("/proc/self/status"), value = TRUE)
  round(as.numeric(gsub("[^0-9]", "", line)) / 1024, 1)
}

x <- matrix(rnorm(1600 * 4), 1600)
y <- sin(x[, 1L]) + rnorm(1600)
many <- matrix(rnorm(150000 * 4), 150000)
tall <- matrix(rnorm(60000 * 150), 60000)
tall_y <- rnorm(60000)
some <- 1:60
thin <- Matrix::rsparsematrix(20000L, 1500L, 0.005)
thin_y <- rnorm(20000)
kernel <- gaussian_kernel(1)
fit <- freeridge(x, y, kernel, 0.1, route = "spectral")
rows <- ridge_accumulator(800L)
accumulate(rows, matrix(rnorm(3000 * 800), 3000), rnorm(3000))

works <- list(
  spectral = function() freeridge(x, y, kernel, route = "spectral"),
  band = function() freeridge(x, y, kernel, route = "band"),
  cholesky = function() freeridge(x, y, kernel, 0.1, route = "cholesky"),
  bandwidth = function() freeridge(x[1:700, ], y[1:700]),
  landmarks = function() freeridge(many, many[, 1L], kernel, landmarks = 150),
  primal = function() freeridge(tall, tall_y, linear_kernel(), route = "primal"),
  path = function() lambda_path(fit, exp(seq(-8, 4, length.out = 3000))),
  groups = function() group_errors(fit, rep(1:4, 400)),
  predict = function() predict(fit, many),
  interval = function() predict(fit, many[1:8000, ], interval = "jackknife+"),
  effects = function() marginal_effects(fit),
  accumulate = function() accumulate(ridge_accumulator(150L), tall, tall_y),
  solve = function() {
    accumulate(rows, matrix(0, 1L, 800L), 0)  # so that the answers are made anew
    coef(rows, c(0.1, 1))
  },
  sparse = function() freeridge(thin, thin_y, linear_kernel()),
  logistic = function() kernel_logistic(x, y > 0, kernel, 1e-3),
  svm = function() kernel_svm(x, y > 0, kernel, 1e-3)
)

# Answers of objects that the interrupted calls work on, and of new ones.
answers <- function() {
  fresh <- freeridge(x[some, ], y[some])
  list(fresh$lambda, loo(fresh), predict(fresh, many[some, ]), predict(fit, many[some, ]), fit$lambda,
       coef(freeridge(thin[1:300, 1:40], thin_y[1:300], linear_kernel(), 1)),
       coef(accumulate(ridge_accumulator(4L), x, y), 1))
}
expected <- answers()

say("pid", Sys.getpid())
for (number in seq_len(arguments[1L])) {
  name <- sample(names(works), 1L)
  started <- proc.time()[["elapsed"]]
  tryCatch({
    say("go", name)
    works[[name]]()
    say("finished", proc.time()[["elapsed"]] - started)
    wait_for("end", number)
    Sys.sleep(0.05)  # hears a signal that came while it waited
  }, interrupt = function(condition) {
    say("interrupted", proc.time()[["elapsed"]] - started)
    wait_for("on", number)
  })
  invisible(gc())
  say("healthy", identical(answers(), expected), resident())
}
