# Does the search for a kernel find the best REML that there is? Restarts from lengths, weights and orders of magnitude that
# chance picks, against one search of freeridge().
#
#   Rscript bench/restarts.R FOLDER [SET ...]     R_LIBS: a library with the package; FOLDER: <set>.csv, the response last
#   Rscript bench/restarts.R simulated [I ...]    the problems 1 to 40 of simulated(), or some of them
#
# Of each set at most 500 rows, `sample(n)` after set.seed(1). The kernel is a Matern 3/2 kernel with a length for each column,
# and with at most 30 columns its additive kernel with the same lengths beside it; all numbers are free, without shrinkage, as shrinkage is towards the lengths that a search begins with. A restart begins with lengths that are
# exp(1.5 z) times those of that search, z normal for each column, and for the additive part with the weight exp(2 z);
# the one factor on all lengths that the search tries first is its own. REML is minus a log-likelihood: `better` is how much
# lower the best of 25 restarts is, as the part of the residual variance that would make the same difference,
# 1 - exp(-2 (REML - best) / n), in per cent. Below zero: no restart was as good.
suppressPackageStartupMessages(library(freeridge))
RNGversion("3.6.0")
restarts <- 25L

start <- function(lengths, weight) {
  kernel <- matern_kernel(1.5, 1)
  if (length(lengths) <= 30L) kernel <- kernel + weight * additive_kernel(matern_kernel(1.5, 1))
  scaled_kernel(kernel, lengths)
}

reml_from <- function(x, y, lengths, weight) {
  fit <- tryCatch(freeridge(x, y, start(lengths, weight), learn = "all", criterion = "reml", scale = TRUE, shrinkage = Inf),
                  freeridge_error = function(condition) NULL)
  if (is.null(fit)) c(NA, NA) else c(fit$score, nrow(fit$learning$history))
}

# Problem i: list(x, y) of 30 to 300 rows. Additive, nearly additive, a slope and a wiggle, an interaction, columns of noise,
# two factors (a column for each level), skewed and periodic columns with a factor, and what is steep, bent and wiggles in a part.
simulated <- function(i) {
  set.seed(i)
  n <- c(30L, 50L, 80L, 120L, 200L, 300L)[1L + i %% 6L]
  d <- 2L + i %% 7L
  x <- matrix(stats::rnorm(n * d), n)
  if (i %% 3L == 0L) x <- matrix(stats::runif(n * d, -2, 2), n)
  levels_of <- function(codes, count) outer(codes, seq_len(count), "==") + 0
  f <- switch(1L + i %% 8L,
    sin(2 * x[, 1L]) + x[, 2L]^2 / 2,
    sin(2 * x[, 1L]) + x[, 2L] + 0.3 * x[, 1L] * x[, 2L],
    5 * x[, 1L] + 0.5 * sin(6 * x[, 2L]),
    x[, 1L] * x[, 2L],
    2 * x[, 1L] + cos(4 * x[, 1L]) / 2,
    {
      g <- sample(4L, n, TRUE)
      h <- sample(3L, n, TRUE, c(6, 3, 1))
      x <- cbind(x, levels_of(g, 4L), levels_of(h, 3L))
      c(0, 3, -1, 6)[g] + 2 * x[, 1L] + sin(3 * x[, 2L]) * (h == 1L)
    },
    {
      x[, 1L] <- stats::rexp(n, 0.2)
      g <- sample(4L, n, TRUE, c(1, 5, 2, 2))
      x[, 2L] <- sample(0:23, n, TRUE)
      x <- cbind(x, levels_of(g, 4L))
      4 + 2.5 * x[, 1L] + 6 * sin(pi * x[, 2L] / 12)^2 + 3 * (g == 2L)
    },
    exp(x[, 1L]) + abs(x[, 2L]) + sin(5 * x[, d]) * (x[, 1L] > 0)
  )
  list(x = x, y = f + c(0.1, 0.3, 1)[1L + i %% 3L] * stats::sd(f) / 2 * stats::rnorm(n))
}

rows_of_set <- function(folder, set) {
  data <- utils::read.csv(file.path(folder, paste0(set, ".csv")))
  data <- data[names(data) != "train"]
  set.seed(1)
  rows <- sample(nrow(data))[seq_len(min(nrow(data), 500L))]
  list(x = as.matrix(data[rows, -ncol(data)]), y = data[[ncol(data)]][rows])
}

of_set <- function(folder, set) {
  problem <- if (folder == "simulated") simulated(as.integer(set)) else rows_of_set(folder, set)
  x <- problem$x
  y <- problem$y
  set.seed(1)
  d <- ncol(x)
  own <- reml_from(x, y, rep(1, d), 1)
  tried <- replicate(restarts, reml_from(x, y, exp(1.5 * stats::rnorm(d)), exp(2 * stats::rnorm(1L))))
  found <- tried[1L, ]
  better <- 100 * (1 - exp(-2 * (own[1L] - min(found, na.rm = TRUE)) / nrow(x)))
  data.frame(set = set, n = nrow(x), d = d, reml = own[1L], best = min(found, na.rm = TRUE), better = better,
             as_good = sum(found <= own[1L] + 0.005 * nrow(x), na.rm = TRUE), evaluations = own[2L],
             theirs = stats::median(tried[2L, ], na.rm = TRUE))
}

main <- function(folder, sets) {
  if (length(sets) == 0L) {
    sets <- if (folder == "simulated") as.character(1:40) else sub("\\.csv$", "", list.files(folder, "\\.csv$"))
  }
  table <- do.call(rbind, lapply(sets, function(set) of_set(folder, set)))
  line <- function(cells) cat("| ", paste(cells, collapse = " | "), " |\n", sep = "")
  line(c("set", "n", "d", "REML of the search", "best of the restarts", "better, %", "restarts as good", "evaluations",
         "of a restart"))
  line(rep("---", 9L))
  for (i in seq_len(nrow(table))) {
    row <- table[i, ]
    line(c(row$set, row$n, row$d, sprintf("%.2f", c(row$reml, row$best, row$better)), row$as_good, row$evaluations, row$theirs))
  }
  cat("better by more than 1 %:", sum(table$better > 1), "of", nrow(table), "sets; REML lower by more than 1:",
      sum(table$reml - table$best > 1), "\n")
}

arguments <- commandArgs(TRUE)
main(arguments[1L], arguments[-1L])
