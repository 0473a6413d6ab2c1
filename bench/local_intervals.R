# How good are the intervals for new observations where the noise is not the same everywhere?
#
#   Rscript bench/local_intervals.R FOLDER     R_LIBS: a library with the package; FOLDER: <set>.csv, the response last
#
# Protocol: of each set the first two splits of bench/held_out.R, and of each simulation four data sets of 300 rows with 2000
# new ones; the default fit; intervals of 90 %. The interval score (T. Gneiting, A. Raftery, JASA 102, 2007, section 6.2) is the
# mean of width + 20 (distance beyond an end), over that of the Gaussian-process intervals; coverage, of all new rows and of the
# thirds with the narrowest, middle and widest local intervals, is the mean over sets.
suppressPackageStartupMessages(library(freeridge))
RNGversion("3.6.0")

simulations <- list(
  wedge = function(n) { x <- matrix(runif(3 * n), n); list(x = x, y = sin(6 * x[, 1]) + (0.05 + x[, 2]^2) * rnorm(n)) },
  step = function(n) { x <- matrix(runif(2 * n), n); list(x = x, y = x[, 1] + ifelse(x[, 2] > 0.7, 1, 0.1) * rnorm(n)) },
  mean = function(n) { x <- matrix(runif(4 * n), n); list(x = x, y = exp(2 * x[, 1] + x[, 2]) * (1 + 0.2 * rnorm(n))) },
  constant = function(n) { x <- matrix(runif(3 * n), n); list(x = x, y = sin(6 * x[, 1]) + x[, 2] + 0.3 * rnorm(n)) }
)
kinds <- c("gp", "jackknife+", "local")

judged <- function(train, new) {
  fit <- freeridge(train$x, train$y)
  found <- lapply(stats::setNames(kinds, kinds), function(kind) predict(fit, new$x, interval = kind, level = 0.9))
  width <- found$local[, "upr"] - found$local[, "lwr"]
  third <- cut(rank(width, ties.method = "first"), 3L, labels = FALSE)
  vapply(found, function(ends) {
    below <- pmax(ends[, "lwr"] - new$y, 0)
    above <- pmax(new$y - ends[, "upr"], 0)
    inside <- below == 0 & above == 0
    c(mean(ends[, "upr"] - ends[, "lwr"] + 20 * (below + above)), mean(inside), tapply(inside, third, mean))
  }, numeric(5L))
}

of_set <- function(file) {
  data <- utils::read.csv(file)
  data <- data[names(data) != "train"]
  x <- unname(as.matrix(data[-ncol(data)]))
  y <- data[[ncol(data)]]
  lapply(1:2, function(seed) {
    set.seed(seed)
    order <- sample(nrow(x))
    count <- if (nrow(x) < 750L) (2L * nrow(x)) %/% 3L else 500L
    rows <- function(places) list(x = x[order[places], , drop = FALSE], y = y[order[places]])
    judged(rows(seq_len(count)), rows(seq(count + 1L, min(nrow(x), count + 2000L))))
  })
}

of_simulation <- function(draw) {
  lapply(1:4, function(seed) {
    set.seed(seed)
    train <- draw(300L)
    judged(train, draw(2000L))
  })
}

files <- list.files(commandArgs(TRUE)[1L], "\\.csv$", full.names = TRUE)
results <- c(lapply(stats::setNames(files, sub("\\.csv$", "", basename(files))), of_set), lapply(simulations, of_simulation))
number <- function(values) formatC(values, digits = 3L, format = "f")
cat("| set | jackknife+ | local |\n| --- | --- | --- |\n")
ratios <- t(vapply(results, function(each) exp(rowMeans(vapply(each, function(one) log(one[1L, -1L] / one[1L, 1L]), numeric(2L)))), numeric(2L)))
for (name in rownames(ratios)) cat("| ", name, " | ", paste(number(ratios[name, ]), collapse = " | "), " |\n", sep = "")
simulated <- rownames(ratios) %in% names(simulations)
for (of in c("sets", "simulations")) {
  which <- if (of == "sets") !simulated else simulated
  cat("| geometric mean of ", of, " | ", paste(number(exp(colMeans(log(ratios[which, , drop = FALSE])))), collapse = " | "), " |\n", sep = "")
}
cat("\n| coverage | all | narrow third | middle | wide |\n| --- | --- | --- | --- | --- |\n")
for (of in c("sets", "simulations")) for (kind in kinds) {
  each <- unlist(results[if (of == "sets") !simulated else simulated], recursive = FALSE)
  cat("| ", of, ", ", kind, " | ", paste(number(rowMeans(vapply(each, function(one) one[-1L, kind], numeric(4L)))), collapse = " | "), " |\n", sep = "")
}
