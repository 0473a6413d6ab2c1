# Which default of freeridge() predicts best? Root mean squared errors on rows that were not fitted.
#
#   Rscript bench/held_out.R FOLDER [SET ...]     R_LIBS: a library with the package; FOLDER: <set>.csv, the response last
#   Rscript bench/held_out.R robust FOLDER [SET ...]   the default, and with robust = "huber", without and with gross errors
#
# Protocol, fixed before any candidate was tried: of each set five splits; split s is `sample(n)` after set.seed(s) (R's
# generator since 3.6); its first 500 rows, or two thirds where there are fewer than 750, are fitted, the next 5000 at
# most are predicted. Each candidate is one call without a look at the held-out rows. A set's number is the mean over the
# splits of the error divided by the error of the candidate "one" (a single bandwidth); the last row is the geometric
# mean over sets. Seconds are those of the processor, of all splits of a set.
#
# Gross errors: in a tenth of the rows that are fitted, drawn after the split, the response gets normal errors with five
# times its standard deviation. Numbers are ratios to the error of the default on the rows as they are. The set "body" is
# made: 252 rows of 13 measures that have one factor in common (correlations of 0.7), and a response of unit variance,
# linear in three measures but for one bend, with errors of a tenth.
suppressPackageStartupMessages(library(freeridge))
RNGversion("3.6.0")

# A kernel and its additive kernel with the same lengths, the weight of the second learnt; and more terms.
beside <- function(kernel, ...) scaled_kernel(Reduce(`+`, list(kernel, NA * additive_kernel(kernel), ...)))

candidates <- list(
  one = function(x, y) freeridge(x, y, gaussian_kernel(), lengths = "one"),
  matern32_one = function(x, y) freeridge(x, y, matern_kernel(1.5), lengths = "one"),
  matern52_one = function(x, y) freeridge(x, y, matern_kernel(2.5), lengths = "one"),
  gaussian_reml = function(x, y) freeridge(x, y, gaussian_kernel()),
  matern32_reml = function(x, y) freeridge(x, y, matern_kernel(1.5)),
  matern52_reml = function(x, y) freeridge(x, y, matern_kernel(2.5)),
  matern32_reml_s1 = function(x, y) freeridge(x, y, matern_kernel(1.5), shrinkage = 1),
  matern32_additive = function(x, y) freeridge(x, y, beside(matern_kernel(1.5))),
  matern52_additive = function(x, y) freeridge(x, y, beside(matern_kernel(2.5))),
  matern32_additive_linear = function(x, y) freeridge(x, y, beside(matern_kernel(1.5), NA * linear_kernel())),
  matern32_additive_s1 = function(x, y) freeridge(x, y, beside(matern_kernel(1.5)), shrinkage = 1),
  matern32_loo = function(x, y) freeridge(x, y, matern_kernel(1.5), criterion = "loo"),
  matern32_10_folds = function(x, y) freeridge(x, y, matern_kernel(1.5), groups = make_folds(nrow(x), 10))
)

split_of <- function(n, seed) {
  set.seed(seed)
  order <- sample(n)
  fitted <- if (n < 750L) (2L * n) %/% 3L else 500L
  list(train = order[seq_len(fitted)], test = order[seq(fitted + 1L, min(n, fitted + 5000L))])
}

body <- function(seed) {
  set.seed(seed)
  n <- 252L + 2000L
  x <- sqrt(0.7) * stats::rnorm(n) + sqrt(0.3) * matrix(stats::rnorm(13L * n), n)
  f <- x[, 1L] - 0.6 * x[, 2L] + 0.4 * x[, 3L] + 0.3 * pmax(x[, 1L], 0)^2
  f <- (f - mean(f)) / stats::sd(f)
  list(x = x, y = f + 0.1 * stats::rnorm(n), train = seq_len(252L), test = 252L + seq_len(2000L))
}

parts_of <- function(set, folder, seed) {
  if (set == "body") return(body(seed))
  data <- utils::read.csv(file.path(folder, paste0(set, ".csv")))
  data <- data[names(data) != "train"]
  c(list(x = as.matrix(data[-ncol(data)]), y = data[[ncol(data)]]), split_of(nrow(data), seed))
}

robust_on <- function(set, folder) {
  found <- vapply(1:5, function(seed) {
    part <- parts_of(set, folder, seed)
    x <- part$x[part$train, , drop = FALSE]
    y <- part$y[part$train]
    gross <- y
    wrong <- sample(length(y), length(y) %/% 10L)
    gross[wrong] <- gross[wrong] + 5 * stats::sd(y) * stats::rnorm(length(wrong))
    error <- function(y, ...) {
      started <- proc.time()
      fit <- freeridge(x, y, ...)
      spent <- sum((proc.time() - started)[c("user.self", "sys.self")])
      c(sqrt(mean((part$y[part$test] - predict(fit, part$x[part$test, , drop = FALSE]))^2)), spent)
    }
    cbind(error(y), error(y, robust = "huber"), error(gross), error(gross, robust = "huber"))
  }, matrix(0, 2L, 4L))
  c(one = mean(found[1L, 1L, ]), rowMeans(found[1L, , ] / rep(found[1L, 1L, ], each = 4L))[-1L],
    seconds = rowSums(found[2L, , ])[2L] / rowSums(found[2L, , ])[1L])
}

robust <- function(folder, sets) {
  if (length(sets) == 0L) sets <- c("body", sub("\\.csv$", "", list.files(folder, "\\.csv$")))
  line <- function(cells) cat("| ", paste(cells, collapse = " | "), " |\n", sep = "")
  line(c("set", "error of the default", "huber", "gross errors: default", "gross errors: huber", "time of huber"))
  line(rep("---", 6L))
  found <- vapply(sets, function(set) {
    numbers <- robust_on(set, folder)
    line(c(set, formatC(numbers[1L], digits = 4L), formatC(numbers[-1L], digits = 3L, format = "f")))
    numbers
  }, numeric(5L))
  line(c("geometric mean", "", formatC(exp(rowMeans(log(found[-1L, , drop = FALSE]))), digits = 3L, format = "f")))
}

errors_on <- function(data) {
  x <- as.matrix(data[-ncol(data)])
  y <- data[[ncol(data)]]
  found <- vapply(1:5, function(seed) {
    rows <- split_of(nrow(x), seed)
    vapply(candidates, function(candidate) {
      started <- proc.time()
      fit <- candidate(x[rows$train, , drop = FALSE], y[rows$train])
      spent <- sum((proc.time() - started)[c("user.self", "sys.self")])
      c(sqrt(mean((y[rows$test] - predict(fit, x[rows$test, , drop = FALSE]))^2)), spent)
    }, numeric(2))
  }, matrix(0, 2L, length(candidates), dimnames = list(NULL, names(candidates))))
  list(ratio = rowMeans(found[1L, , ] / rep(found[1L, "one", ], each = length(candidates))),
       seconds = rowSums(found[2L, , ]), one = mean(found[1L, "one", ]))
}

main <- function(folder, sets) {
  if (length(sets) == 0L) sets <- sub("\\.csv$", "", list.files(folder, "\\.csv$"))
  results <- lapply(stats::setNames(sets, sets), function(set) {
    data <- utils::read.csv(file.path(folder, paste0(set, ".csv")))
    errors_on(data[names(data) != "train"])  # prostate's own split is not used
  })
  ratios <- t(vapply(results, `[[`, numeric(length(candidates)), "ratio"))
  seconds <- t(vapply(results, `[[`, numeric(length(candidates)), "seconds"))
  line <- function(cells) cat("| ", paste(cells, collapse = " | "), " |\n", sep = "")
  number <- function(values) formatC(values, digits = 3L, format = "f")
  line(c("set", "error of one", names(candidates)))
  line(rep("---", length(candidates) + 2L))
  for (set in sets) line(c(set, formatC(results[[set]]$one, digits = 4L), number(ratios[set, ])))
  line(c("geometric mean", "", number(exp(colMeans(log(ratios))))))
  line(c("worst", "", number(apply(ratios, 2L, max))))
  line(c("seconds", "", formatC(colSums(seconds), digits = 3L)))
}

arguments <- commandArgs(TRUE)
if (arguments[1L] == "robust") robust(arguments[2L], arguments[-(1:2)]) else main(arguments[1L], arguments[-1L])
