# Does the search for a kernel find the best REML that there is? Restarts from lengths, weights and orders of magnitude that
# chance picks, against one search of freeridge().
#
#   Rscript bench/restarts.R FOLDER [SET ...]     R_LIBS: a library with the package; FOLDER: <set>.csv, the response last
#
# Of each set at most 500 rows, `sample(n)` after set.seed(1). The kernel is a Matern 3/2 kernel with a length for each column,
# and with at most 30 columns its additive kernel with the same lengths beside it; all numbers are free, without shrinkage, as shrinkage is towards the lengths that a search begins with. A restart begins with lengths that are
# exp(1.5 z) times those of that search, z normal for each column, and for the additive part with the weight exp(2 z);
# the one factor on all lengths that the search tries first is its own. REML is minus a log-likelihood: `better` is how much
# lower the best of 20 restarts is, as the part of the residual variance that would make the same difference,
# 1 - exp(-2 (REML - best) / n), in per cent. Below zero: no restart was as good.
suppressPackageStartupMessages(library(freeridge))
RNGversion("3.6.0")
restarts <- 20L

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

of_set <- function(folder, set) {
  data <- utils::read.csv(file.path(folder, paste0(set, ".csv")))
  data <- data[names(data) != "train"]
  set.seed(1)
  rows <- sample(nrow(data))[seq_len(min(nrow(data), 500L))]
  x <- as.matrix(data[rows, -ncol(data)])
  y <- data[[ncol(data)]][rows]
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
  if (length(sets) == 0L) sets <- sub("\\.csv$", "", list.files(folder, "\\.csv$"))
  table <- do.call(rbind, lapply(sets, function(set) of_set(folder, set)))
  line <- function(cells) cat("| ", paste(cells, collapse = " | "), " |\n", sep = "")
  line(c("set", "n", "d", "REML of the search", "best of the restarts", "better, %", "restarts as good", "evaluations",
         "of a restart"))
  line(rep("---", 9L))
  for (i in seq_len(nrow(table))) {
    row <- table[i, ]
    line(c(row$set, row$n, row$d, sprintf("%.2f", c(row$reml, row$best, row$better)), row$as_good, row$evaluations, row$theirs))
  }
  cat("better by more than 1 %:", sum(table$better > 1), "of", nrow(table), "sets\n")
}

arguments <- commandArgs(TRUE)
main(arguments[1L], arguments[-1L])
