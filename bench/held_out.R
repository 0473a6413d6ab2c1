# Which default of freeridge() predicts best? Root mean squared errors on rows that were not fitted.
#
#   Rscript bench/held_out.R FOLDER [SET ...]     R_LIBS: a library with the package; FOLDER: <set>.csv, the response last
#   Rscript bench/held_out.R robust FOLDER [SET ...]   the default, and with robust = "huber", without and with gross errors
#   Rscript bench/held_out.R stack 500 FOLDER [SET ...]     of stacks, whole and without each member; beyond 500 rows of three splits
#   Rscript bench/held_out.R classes [SET ...]         probabilities of classes; sets of MASS, kernlab and mlbench
#   Rscript bench/held_out.R default 500 FOLDER [SET ...]   the default alone, a line for each split; matern32: with smoothness = 1.5
#   Rscript bench/held_out.R compare BEFORE AFTER           what two such calls, or two versions of the package, have printed
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

split_of <- function(n, seed, rows = 500L) {
  set.seed(seed)
  order <- sample(n)
  fitted <- if (n < 1.5 * rows) (2L * n) %/% 3L else rows
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

line <- function(cells) cat("| ", paste(cells, collapse = " | "), " |\n", sep = "")
number <- function(values) formatC(values, digits = 3L, format = "f")
geometric <- function(values) exp(mean(log(values)))

read_sets <- function(folder, sets) {
  if (length(sets) == 0L) sets <- sub("\\.csv$", "", list.files(folder, "\\.csv$"))
  lapply(stats::setNames(sets, sets), function(set) {
    data <- utils::read.csv(file.path(folder, paste0(set, ".csv")))
    data[names(data) != "train"]  # prostate's own split is not used
  })
}

# Stacks: the error on rows that were not fitted over that of the first member, the default; that of stacks whose weights
# are found without one of the members; over the stack's left-out error, kernels held and learnt again; the share of new
# rows within intervals of 90 %; and seconds of the processor.
stack_numbers <- function(data, rows, seed) {
  members <- setdiff(freeridge:::stack_names, "default")
  x <- as.matrix(data[-ncol(data)])
  y <- data[[ncol(data)]]
  split <- split_of(nrow(x), seed, rows)
  test <- x[split$test, , drop = FALSE]
  rmse <- function(errors) sqrt(mean(errors^2))
  fit <- freeridge(x[split$train, , drop = FALSE], y[split$train], stack = TRUE)
  one <- fit$stacks[[1L]]
  predicted <- vapply(one$members, freeridge:::predicted_by, numeric(nrow(test)), test)
  held <- function(names) {
    w <- freeridge:::weighed(one$members[names], y[split$train], NULL)$w
    rmse(y[split$test] - predicted[, names, drop = FALSE] %*% w)
  }
  default <- rmse(y[split$test] - predicted[, "default"])
  bounds <- predict(fit, test, interval = "prediction", level = 0.9)
  without <- vapply(members, function(name) held(setdiff(names(one$members), name)), 0)
  stack <- rmse(y[split$test] - bounds[, "fit"])
  c(default = default, stack = stack / default, without / default, held = stack / rmse(loo(fit)),
    learnt = if (rows <= 500L) stack / rmse(loo(fit, learnt = TRUE)) else NA,
    covered = mean(y[split$test] >= bounds[, "lwr"] & y[split$test] <= bounds[, "upr"]),
    one$seconds["default"], sum(one$seconds), replace(one$seconds[members], is.na(one$seconds[members]), 0))
}

stacks <- function(rows, folder, sets) {
  data <- read_sets(folder, sets)
  data <- Filter(function(set) rows <= 500L || nrow(set) >= 1.5 * rows, data)
  members <- setdiff(freeridge:::stack_names, "default")
  line(c("set", "error of the default", "stack", paste("without", members), "test / left-out", "the same, learnt again",
         "in 90 %"))
  line(rep("---", length(members) + 6L))
  splits <- if (rows <= 500L) 1:5 else 1:3
  numbers <- numeric(2L * length(members) + 7L)
  table <- t(vapply(data, function(set) {
    rowMeans(vapply(splits, function(seed) stack_numbers(set, rows, seed), numbers))
  }, numbers))
  ratios <- seq(2L, length(members) + 4L)
  covered <- length(members) + 5L
  for (set in rownames(table)) line(c(set, formatC(table[set, 1L], digits = 4L), number(table[set, c(ratios, covered)])))
  line(c("geometric mean", "", number(apply(table[, ratios, drop = FALSE], 2L, geometric)), number(mean(table[, covered]))))
  line(c("worst", "", number(apply(table[, ratios, drop = FALSE], 2L, max)), number(min(table[, covered]))))
  seconds <- length(splits) * colSums(table[, -seq_len(covered), drop = FALSE], na.rm = TRUE)
  cat("seconds of all fits: default ", paste(c("", "stack ", paste0(members, " ")), formatC(seconds, digits = 3L), sep = "",
                                             collapse = ", "), "\n", sep = "")
}

# Classes: the log loss of probabilities of rows that were not fitted. 200 rows are fitted, or two thirds where there are
# fewer than 300. "reml" is the choice by REML of -1 and +1 with Platt's own targets, to whose log loss others are compared.
class_sets <- list(
  biopsy = function() stats::na.omit(MASS::biopsy[-1L]),
  birthwt = function() transform(MASS::birthwt, low = factor(low), race = factor(race), bwt = NULL),
  crabs = function() MASS::crabs[c("sex", "FL", "RW", "CL", "CW", "BD")],
  fgl = function() MASS::fgl,
  Pima = function() rbind(MASS::Pima.tr, MASS::Pima.te),
  Ionosphere = function() from_package("Ionosphere", "mlbench")[-(1:2)],
  Sonar = function() from_package("Sonar", "mlbench"),
  Vehicle = function() from_package("Vehicle", "mlbench"),
  votes = function() stats::na.omit(from_package("HouseVotes84", "mlbench")),
  promotergene = function() from_package("promotergene", "kernlab"),
  spam = function() from_package("spam", "kernlab"),
  musk = function() from_package("musk", "kernlab")
)
class_response <- c(biopsy = "class", birthwt = "low", crabs = "sex", fgl = "type", Pima = "type", votes = "Class",
                    promotergene = "Class", spam = "type")
from_package <- function(name, package) {
  utils::data(list = name, package = package, envir = environment())
  get(name, environment())
}

# Probabilities of the classes of `new`, rows x classes; what the fit says of its own errors; and the classes of the largest
# decision values, in the place of the largest probabilities.
by_freeridge <- function(fit, new) {
  left_out <- freeridge:::left_out_classes(fit)
  list(probabilities = predict(fit, new, type = "probability"), error = left_out$error,
       by_decision = as.integer(freeridge:::as_labels(fit$classes, predict(fit, new))))
}
with_platt <- function(fit, new) {
  f <- as.matrix(fit$y - freeridge:::core_by_row(freeridge:::model_at(fit), "loo"))
  scaling <- vapply(seq_len(ncol(f)), function(j) {
    plus <- sum(fit$y[, j] > 0)
    target <- ifelse(fit$y[, j] > 0, (plus + 1) / (plus + 2), 1 / (nrow(f) - plus + 2))
    suppressWarnings(stats::glm.fit(cbind(1, f[, j]), target, family = stats::quasibinomial()))$coefficients
  }, numeric(2L))
  decision <- predict(fit, new)
  list(probabilities = freeridge:::probabilities(fit$classes$levels, decision, scaling),
       error = freeridge:::left_out_classes(fit)$error)
}
class_candidates <- list(
  reml = function(formula, data, new) with_platt(freeridge(formula, data, criterion = "reml"), new),
  default = function(formula, data, new) by_freeridge(freeridge(formula, data), new),
  kernel_logistic = function(formula, data, new) {
    fit <- kernel_logistic(formula, data)
    p <- predict(fit, new, type = "probability")
    list(probabilities = if (is.matrix(p)) p else cbind(1 - p, p), error = NA)
  },
  svm = function(formula, data, new) {
    grid <- list(cost = 4^(-1:4), gamma = 4^(-2:2) / (ncol(stats::model.matrix(formula, data)) - 1))
    best <- e1071::tune.svm(formula, data = data, cost = grid$cost, gamma = grid$gamma,
                            tunecontrol = e1071::tune.control(cross = 5))$best.parameters
    fit <- e1071::svm(formula, data, cost = best$cost, gamma = best$gamma, probability = TRUE)
    found <- attr(predict(fit, new, probability = TRUE), "probabilities")
    list(probabilities = found[, levels(stats::model.response(stats::model.frame(formula, data)))], error = NA)
  },
  ranger = function(formula, data, new) {
    fit <- ranger::ranger(formula, data, probability = TRUE, num.threads = 1L)
    list(probabilities = predict(fit, new, num.threads = 1L)$predictions, error = fit$prediction.error)
  }
)

# Of each candidate: log loss, error, error of the largest decision values, calibration slope, the error that the fit says less the truth in standard errors of
# both, seconds.
class_numbers <- function(set, seed) {
  data <- class_sets[[set]]()
  response <- if (set %in% names(class_response)) class_response[[set]] else "Class"
  names(data)[names(data) == response] <- "response"
  data$response <- droplevels(factor(data$response))
  rows <- split_of(nrow(data), seed, 200L)
  train <- data[rows$train, ]
  train$response <- droplevels(train$response)
  test <- data[rows$test, ]
  test <- test[test$response %in% levels(train$response), ]
  truth <- as.integer(factor(test$response, levels(train$response)))
  vapply(class_candidates, function(candidate) {
    set.seed(seed)
    started <- proc.time()
    found <- candidate(response ~ ., train, test)
    spent <- sum((proc.time() - started)[c("user.self", "sys.self")])
    p <- found$probabilities
    own <- pmin(pmax(p[cbind(seq_along(truth), truth)], 1e-15), 1 - 1e-15)
    wrong <- mean(max.col(p, ties.method = "first") != truth)
    error <- sqrt(wrong * (1 - wrong) * (1 / nrow(test) + 1 / nrow(train)) + 1 / nrow(train)^2)
    odds <- stats::qlogis(pmin(pmax(as.vector(p), 1e-12), 1 - 1e-12))
    hits <- as.vector(outer(truth, seq_len(ncol(p)), `==`))
    slope <- suppressWarnings(stats::glm.fit(cbind(1, odds), hits, family = stats::binomial()))$coefficients[2L]
    by_decision <- if (is.null(found$by_decision)) NA else mean(found$by_decision != truth)
    c(loss = -mean(log(own)), wrong = wrong, by_decision = by_decision, slope = slope, said = (found$error - wrong) / error,
      seconds = spent)
  }, numeric(6L))
}

classes <- function(sets) {
  if (length(sets) == 0L) sets <- names(class_sets)
  names <- names(class_candidates)
  line(c("set", "log loss of reml", names[-1L], paste("error of", names[1:2]), "by decision value", "slope", "said less true error, se"))
  line(rep("---", length(names) + 6L))
  found <- lapply(stats::setNames(sets, sets), function(set) {
    all <- vapply(1:5, function(seed) class_numbers(set, seed), matrix(0, 6L, length(names)))
    found <- apply(all, 1:2, mean)
    found[4L, ] <- apply(all[4L, , ], 1L, stats::median)
    dimnames(found) <- list(c("loss", "wrong", "by_decision", "slope", "said", "seconds"), names)
    line(c(set, number(found["loss", 1L]), number(found["loss", -1L] / found["loss", 1L]), number(found["wrong", 1:2]),
           number(found[c("by_decision", "slope", "said"), 2L])))
    found
  })
  loss <- t(vapply(found, function(each) each["loss", ], numeric(length(names))))
  line(c("geometric mean", "", number(apply(loss[, -1L, drop = FALSE] / loss[, 1L], 2L, geometric)),
         number(rowMeans(vapply(found, function(each) c(each["wrong", 1:2], each["by_decision", 2L]), numeric(3L)))),
         number(stats::median(vapply(found, function(each) each["slope", 2L], 0))), ""))
  line(c("worst", "", number(apply(loss[, -1L, drop = FALSE] / loss[, 1L], 2L, max)), rep("", 5L)))
  line(c("mean rank", number(rowMeans(apply(loss, 1L, rank))), rep("", 5L)))
  line(c("seconds", formatC(rowSums(vapply(found, function(each) each["seconds", ], numeric(length(names)))) * 5, digits = 3L),
         rep("", 5L)))
}

# The default on splits of so many rows, of the sets that have half as many more: error, seconds, the criterion on all
# rows, and evaluations on the rows that the kernel is learnt on.
defaults <- function(rows, folder, sets, ...) {
  data <- Filter(function(set) rows <= 500L || nrow(set) >= 1.5 * rows, read_sets(folder, sets))
  cat("set,split,error,seconds,score,evaluations\n")
  for (set in names(data)) {
    x <- as.matrix(data[[set]][-ncol(data[[set]])])
    y <- data[[set]][[ncol(data[[set]])]]
    for (seed in if (rows <= 500L) 1:5 else 1:3) {
      split <- split_of(nrow(x), seed, rows)
      started <- proc.time()
      fit <- freeridge(x[split$train, , drop = FALSE], y[split$train], ...)
      seconds <- (proc.time() - started)[["user.self"]]
      error <- sqrt(mean((y[split$test] - predict(fit, x[split$test, , drop = FALSE]))^2))
      cat(set, seed, error, seconds, fit$score, sum(fit$learning$history$stage == 4L), sep = ",")
      cat("\n")
    }
  }
}

compared <- function(before, after) {
  both <- merge(utils::read.csv(before), utils::read.csv(after), c("set", "split"), suffixes = c(".before", ".after"))
  ratio <- both$error.after / both$error.before
  line(c("set", "error before", "after / before", "worst split", "seconds before", "seconds after"))
  line(rep("---", 6L))
  each <- split(seq_along(ratio), both$set)
  for (set in names(each)) {
    of <- each[[set]]
    line(c(set, formatC(mean(both$error.before[of]), digits = 4L), number(geometric(ratio[of])), number(max(ratio[of])),
           formatC(c(mean(both$seconds.before[of]), mean(both$seconds.after[of])), digits = 3L)))
  }
  means <- vapply(each, function(of) geometric(ratio[of]), 0)
  line(c("geometric mean", "", number(geometric(means)), "", formatC(c(sum(both$seconds.before), sum(both$seconds.after)), digits = 3L)))
  line(c("worst", "", number(max(means)), number(max(ratio)), "", ""))
}

main <- function(folder, sets) {
  data <- read_sets(folder, sets)
  sets <- names(data)
  results <- lapply(data, errors_on)
  ratios <- t(vapply(results, `[[`, numeric(length(candidates)), "ratio"))
  seconds <- t(vapply(results, `[[`, numeric(length(candidates)), "seconds"))
  line(c("set", "error of one", names(candidates)))
  line(rep("---", length(candidates) + 2L))
  for (set in sets) line(c(set, formatC(results[[set]]$one, digits = 4L), number(ratios[set, ])))
  line(c("geometric mean", "", number(apply(ratios, 2L, geometric))))
  line(c("worst", "", number(apply(ratios, 2L, max))))
  line(c("seconds", "", formatC(colSums(seconds), digits = 3L)))
}

arguments <- commandArgs(TRUE)
if (identical(arguments[1L], "robust")) {
  robust(arguments[2L], arguments[-(1:2)])
} else if (identical(arguments[1L], "stack")) {
  stacks(as.integer(arguments[2L]), arguments[3L], arguments[-(1:3)])
} else if (identical(arguments[1L], "classes")) {
  classes(arguments[-1L])
} else if (identical(arguments[1L], "default")) {
  defaults(as.integer(arguments[2L]), arguments[3L], arguments[-(1:3)])
} else if (identical(arguments[1L], "matern32")) {
  defaults(as.integer(arguments[2L]), arguments[3L], arguments[-(1:3)], smoothness = 1.5)
} else if (identical(arguments[1L], "compare")) {
  compared(arguments[2L], arguments[3L])
} else {
  main(arguments[1L], arguments[-1L])
}
