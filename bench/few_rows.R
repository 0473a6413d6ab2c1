# Where rows are few: does the default of freeridge() predict better than lm()? Data sets of R itself, 15 to 578 rows.
#
#   Rscript bench/few_rows.R [SET ...]     R_LIBS: a library with the package
#   Rscript bench/few_rows.R columns       each column of twelve data sets in turn the response, the others predict it
#   Rscript bench/few_rows.R factors       the sets with factors, a linear kernel: a column for each level, or contrasts
#   Rscript bench/few_rows.R stack         the default and freeridge(stack = TRUE), ten folds once
#   Rscript bench/few_rows.R honest        left-out errors, with and without the learning, against fits without each row
#   Rscript bench/few_rows.R tests         how often anova() finds a column that has no effect, or a small one
#   Rscript bench/few_rows.R noiseless     six functions without noise, over the standard deviation of their values
#
# Protocol: of each set ten folds by chance, five times; each candidate is fitted anew, with all that it chooses, to nine
# folds and predicts the tenth. A set's number is the root mean squared error over all rows and repeats, divided by that
# of lm(); the last rows are the geometric mean over sets and the worst. `flatters`: by how much less the left-out errors that
# the default reports of a fit are than those of the rows it had not seen, in per cent. Columns: ten folds once, the default
# alone, and the share of the rows not seen that lie in their intervals of 90 per cent (interval = "gp").
suppressPackageStartupMessages(library(freeridge))
RNGversion("3.6.0")
repeats <- 5L

sets <- list(
  airquality = function() list(Ozone ~ Solar.R + Wind + Temp + Month + Day, stats::na.omit(datasets::airquality)),
  attitude = function() list(rating ~ ., datasets::attitude),
  cars = function() list(dist ~ speed, datasets::cars),
  chickwts = function() list(weight ~ feed, datasets::chickwts),
  ChickWeight = function() list(weight ~ Time + Diet, as.data.frame(datasets::ChickWeight)),
  CO2 = function() list(uptake ~ Type + Treatment + conc, as.data.frame(datasets::CO2)),
  esoph = function() list(ncases / (ncases + ncontrols) ~ agegp + alcgp + tobgp, datasets::esoph),
  faithful = function() list(waiting ~ eruptions, datasets::faithful),
  InsectSprays = function() list(count ~ spray, datasets::InsectSprays),
  infert = function() list(age ~ education + parity + induced + spontaneous, datasets::infert),
  iris = function() list(Sepal.Length ~ ., datasets::iris),
  LifeCycleSavings = function() list(sr ~ ., datasets::LifeCycleSavings),
  longley = function() list(Employed ~ ., datasets::longley),
  mtcars = function() list(mpg ~ ., datasets::mtcars),
  PlantGrowth = function() list(weight ~ group, datasets::PlantGrowth),
  quakes = function() list(mag ~ ., datasets::quakes[1:400, ]),
  rock = function() list(perm ~ ., datasets::rock),
  stackloss = function() list(stack.loss ~ ., datasets::stackloss),
  swiss = function() list(Fertility ~ ., datasets::swiss),
  ToothGrowth = function() list(len ~ ., datasets::ToothGrowth),
  trees = function() list(Volume ~ ., datasets::trees),
  USJudgeRatings = function() list(RTEN ~ ., datasets::USJudgeRatings),
  warpbreaks = function() list(breaks ~ ., datasets::warpbreaks),
  women = function() list(weight ~ height, datasets::women)
)

candidates <- list(
  lm = function(formula, data) stats::lm(formula, data),
  one = function(formula, data) freeridge(formula, data, kernel = gaussian_kernel(), lengths = "one"),
  matern32_reml = function(formula, data) freeridge(formula, data, kernel = matern_kernel(1.5)),
  default = function(formula, data) freeridge(formula, data)
)

# The same with a linear kernel: the columns of lm() (treatment contrasts) beside those that freeridge() makes of factors.
by_contrasts <- function(criterion, scale) function(formula, data) {
  columns <- function(frame) stats::model.matrix(stats::delete.response(terms), frame, xlev = levels)[, -1L, drop = FALSE]
  frame <- stats::model.frame(formula, data)
  terms <- stats::terms(frame)
  levels <- stats::.getXlevels(terms, frame)
  fit <- freeridge(columns(frame), stats::model.response(frame), linear_kernel(), criterion = criterion, scale = scale)
  structure(list(fit = fit, columns = columns), class = "by_contrasts")
}
predict.by_contrasts <- function(object, new, ...) stats::predict(object$fit, object$columns(new))
residuals.by_contrasts <- function(object, ...) stats::residuals(object$fit, ...)
by_levels <- function(criterion, scale) function(formula, data) {
  freeridge(formula, data, kernel = linear_kernel(), criterion = criterion, scale = scale)
}
of_factors <- list(
  lm = candidates$lm, loo_contrasts = by_contrasts("loo", FALSE), loo_levels = by_levels("loo", FALSE),
  reml_contrasts = by_contrasts("reml", FALSE), reml_levels = by_levels("reml", FALSE),
  scaled_contrasts = by_contrasts("loo", TRUE), default = by_levels("loo", TRUE)
)
sets_with_factors <- c("ChickWeight", "chickwts", "CO2", "esoph", "infert", "iris", "InsectSprays", "PlantGrowth",
                       "ToothGrowth", "warpbreaks")

errors_on <- function(set) {
  parts <- sets[[set]]()
  formula <- parts[[1L]]
  data <- parts[[2L]]
  y <- stats::model.response(stats::model.frame(formula, data))
  n <- length(y)
  squares <- matrix(0, n, length(candidates), dimnames = list(NULL, names(candidates)))
  spent <- stats::setNames(numeric(length(candidates)), names(candidates))
  reported <- 0
  for (seed in seq_len(repeats)) {
    set.seed(seed)
    fold <- sample(rep_len(seq_len(min(10L, n)), n))
    for (left in unique(fold)) for (name in names(candidates)) {
      started <- proc.time()
      fit <- candidates[[name]](formula, data[fold != left, , drop = FALSE])
      new <- data[fold == left, , drop = FALSE]
      squares[fold == left, name] <- squares[fold == left, name] + (y[fold == left] - suppressWarnings(stats::predict(fit, new)))^2
      spent[name] <- spent[name] + sum((proc.time() - started)[c("user.self", "sys.self")])
      if (name == "default") reported <- reported + mean(stats::residuals(fit, type = "loo")^2) * sum(fold == left)
    }
  }
  list(rmse = sqrt(colMeans(squares) / repeats), n = n, seconds = spent,
       flatters = 100 * (1 - sqrt(reported / sum(squares[, "default"]))))
}

line <- function(cells) cat("| ", paste(cells, collapse = " | "), " |\n", sep = "")

frames <- list(airquality = stats::na.omit(datasets::airquality), attitude = datasets::attitude, iris = datasets::iris[1:4],
               LifeCycleSavings = datasets::LifeCycleSavings, longley = datasets::longley, mtcars = datasets::mtcars,
               rock = datasets::rock, stackloss = datasets::stackloss, state = as.data.frame(datasets::state.x77),
               swiss = datasets::swiss, trees = datasets::trees, USJudgeRatings = datasets::USJudgeRatings)

# The error of the default over that of lm() for a column of a frame, and the share in its intervals.
of_column <- function(column, data) {
  formula <- stats::reformulate(".", column)
  set.seed(1)
  fold <- sample(rep_len(1:10, nrow(data)))
  sums <- rowSums(vapply(1:10, function(left) {
    seen <- data[fold != left, ]
    new <- data[fold == left, ]
    y <- new[[column]]
    found <- stats::predict(freeridge(formula, seen), new, interval = "gp", level = 0.9)
    of_lm <- suppressWarnings(stats::predict(stats::lm(formula, seen), new))
    c(sum((y - found[, 1L])^2), sum((y - of_lm)^2), sum(y >= found[, 2L] & y <= found[, 3L]))
  }, numeric(3)))
  c(sqrt(sums[1L] / sums[2L]), sums[3L] / nrow(data))
}

columns <- function() {
  found <- lapply(frames, function(data) {
    names(data) <- make.names(names(data))
    vapply(names(data), of_column, numeric(2), data)
  })
  found$all <- do.call(cbind, found)
  line(c("set", "columns", "error over that of lm", "worst", "in 90 %"))
  line(rep("---", 5L))
  for (set in names(found)) {
    ratio <- found[[set]][1L, ]
    line(c(set, length(ratio), sprintf("%.3f", c(exp(mean(log(ratio))), max(ratio), mean(found[[set]][2L, ])))))
  }
}

# Points u uniform in [0, 1]^d. borehole: the flow through a borehole, with the usual ranges of its eight variables.
functions <- list(
  borehole = list(8L, function(u) {
    low <- c(0.05, 100, 63070, 990, 63.1, 700, 1120, 9855)
    high <- c(0.15, 50000, 115600, 1110, 116, 820, 1680, 12045)
    v <- sweep(sweep(u, 2L, high - low, "*"), 2L, low, "+")
    log_ratio <- log(v[, 2L] / v[, 1L])
    2 * pi * v[, 3L] * (v[, 4L] - v[, 6L]) /
      (log_ratio * (1 + 2 * v[, 7L] * v[, 3L] / (log_ratio * v[, 1L]^2 * v[, 8L]) + v[, 3L] / v[, 5L]))
  }),
  friedman = list(5L, function(u) 10 * sin(pi * u[, 1L] * u[, 2L]) + 20 * (u[, 3L] - 0.5)^2 + 10 * u[, 4L] + 5 * u[, 5L]),
  branin = list(2L, function(u) {
    a <- 15 * u[, 1L] - 5
    b <- 15 * u[, 2L]
    (b - 5.1 / (4 * pi^2) * a^2 + 5 / pi * a - 6)^2 + 10 * (1 - 1 / (8 * pi)) * cos(a) + 10
  }),
  sine = list(1L, function(u) sin(12 * u[, 1L]) + u[, 1L]),
  linear = list(4L, function(u) drop(u %*% 1:4)),
  quadratic = list(3L, function(u) rowSums(u^2) + u[, 1L] * u[, 2L])
)

noiseless <- function() {
  line(c("function", "n", "error"))
  line(rep("---", 3L))
  for (n in c(12L, 30L, 80L, 200L)) {
    for (name in names(functions)) {
      set.seed(n)
      d <- functions[[name]][[1L]]
      f <- functions[[name]][[2L]]
      errors <- vapply(1:4, function(draw) {
        x <- matrix(stats::runif(n * d), n)
        new <- matrix(stats::runif(2000L * d), 2000L)
        truth <- f(new)
        sqrt(mean((stats::predict(suppressWarnings(freeridge(x, f(x))), new) - truth)^2)) / stats::sd(truth)
      }, 0)
      line(c(name, n, sprintf("%.4g", exp(mean(log(errors))))))
    }
  }
}

# Of 20 data sets of up to 150 rows and of 20 simulated ones: the root mean square left-out error with all held and with
# all chosen again, over that of fits made anew without each row (with its own divisors of the columns), and the share of
# rows that lead to another fit; the errors of lm() without each row.
simulated <- function(kind, n) {
  set.seed(100 * kind + n)
  x <- matrix(stats::runif(n * (2L * kind)), n)
  f <- switch(kind, sin(6 * x[, 1L]) + x[, 2L], 4 * x[, 1L] * x[, 2L] + x[, 3L], 3 * abs(x[, 1L] - 0.5) + sin(3 * x[, 2L] * x[, 5L]),
              rowSums(x[, 1:4]))
  data.frame(x, y = f + stats::rnorm(n, sd = c(0.1, 0.3, 0.05, 0.5)[kind]))
}
honest <- function() {
  real <- setdiff(names(sets), c("ChickWeight", "faithful", "infert", "quakes"))
  cases <- lapply(stats::setNames(real, real), function(set) sets[[set]]())
  for (n in c(20L, 30L, 50L, 80L, 120L)) for (kind in 1:4) {
    cases[[paste0("simulated ", kind, ", ", n)]] <- list(y ~ ., simulated(kind, n))
  }
  line(c("set", "n", "error of lm", "learnt / lm", "held / anew", "learnt / anew", "rows of other fits", "seconds of a fit", "learnt / fit"))
  line(rep("---", 9L))
  rms <- function(errors) sqrt(mean(errors^2))
  seconds <- function(expression) sum(system.time(expression)[c("user.self", "sys.self")])
  ratios <- t(vapply(names(cases), function(name) {
    formula <- cases[[name]][[1L]]
    data <- cases[[name]][[2L]]
    y <- stats::model.response(stats::model.frame(formula, data))
    of_fit <- seconds(fit <- freeridge(formula, data))
    of_learning <- seconds(learnt <- loo(fit, learnt = TRUE))
    anew <- vapply(seq_along(y), function(i) {
      y[i] - suppressWarnings(stats::predict(freeridge(formula, data[-i, , drop = FALSE]), data[i, , drop = FALSE]))[[1L]]
    }, 0)
    of_lm <- stats::lm(formula, data)
    of_lm <- rms((stats::residuals(of_lm) / (1 - stats::hatvalues(of_lm)))[stats::hatvalues(of_lm) < 1 - 1e-10])
    changed <- mean(attr(learnt, "change") >= 0.3)
    line(c(name, length(y), formatC(of_lm, digits = 4L), sprintf("%.3f", c(rms(learnt) / of_lm, rms(loo(fit)) / rms(anew),
                                                                          rms(learnt) / rms(anew), changed)),
           formatC(of_fit, digits = 2L), sprintf("%.1f", of_learning / of_fit)))
    c(rms(learnt) / of_lm, rms(anew) / of_lm, rms(loo(fit)) / rms(anew), rms(learnt) / rms(anew))
  }, numeric(4)))
  line(c("geometric mean", "", "", sprintf("%.3f", exp(colMeans(log(ratios)))[-2L]), "", "", ""))
  line(c("least", "", "", sprintf("%.3f", apply(ratios, 2L, min)[-2L]), "", "", ""))
  line(c("most", "", "", sprintf("%.3f", apply(ratios, 2L, max)[-2L]), "", "", ""))
  of_r <- ratios[seq_along(real), ]
  cat("\nBelow lm() on ", sum(of_r[, 1L] < 1), " of R's sets; fits made anew on ", sum(of_r[, 2L] < 1), "; errors held on ",
      sum(of_r[, 3L] * of_r[, 2L] < 1), ".\n", sep = "")
}

# y = sin(2 x1) + x2 + effect x3^2 / sqrt(2) + 0.5 e with standard normal columns and errors: sets 1, 2, ... of each.
tests <- function() {
  line(c("rows", "effect of x3", "sets", "found at 5 %", "found at 1 %"))
  line(rep("---", 5L))
  for (n in c(50L, 150L)) for (effect in c(0, 0.15, 0.3)) {
    sets <- if (effect == 0) 1000L else 300L
    p <- vapply(seq_len(sets), function(seed) {
      set.seed(seed)
      x <- matrix(stats::rnorm(n * 3), n)
      y <- sin(2 * x[, 1]) + x[, 2] + effect * x[, 3]^2 / sqrt(2) + 0.5 * stats::rnorm(n)
      stats::anova(freeridge(x, y))[3L, "Pr(>Q)"]
    }, 0)
    line(c(n, effect, sets, sprintf("%.3f", c(mean(p < 0.05), mean(p < 0.01)))))
  }
}

main <- function(chosen) {
  if (length(chosen) == 0L) chosen <- setdiff(names(sets), c("chickwts", "InsectSprays", "PlantGrowth"))
  results <- lapply(stats::setNames(chosen, chosen), errors_on)
  ratios <- t(vapply(results, function(found) found$rmse / found$rmse[["lm"]], numeric(length(candidates))))
  number <- function(values) formatC(values, digits = 3L, format = "f")
  line(c("set", "n", "error of lm", names(candidates), "flatters, %"))
  line(rep("---", length(candidates) + 4L))
  for (set in chosen) {
    found <- results[[set]]
    line(c(set, found$n, formatC(found$rmse[["lm"]], digits = 4L), number(ratios[set, ]), sprintf("%.0f", found$flatters)))
  }
  line(c("geometric mean", "", "", number(exp(colMeans(log(ratios)))), sprintf("%.0f", mean(vapply(results, `[[`, 0, "flatters")))))
  line(c("worst", "", "", number(apply(ratios, 2L, max)), ""))
  line(c("seconds", "", "", formatC(rowSums(vapply(results, `[[`, numeric(length(candidates)), "seconds")), digits = 3L), ""))
}
chosen <- commandArgs(TRUE)
if (identical(chosen, "stack")) {
  candidates <- c(candidates[c("lm", "default")], stack = function(formula, data) freeridge(formula, data, stack = TRUE))
  repeats <- 1L
  main(character())
} else if (identical(chosen, "factors")) {
  candidates <- of_factors
  main(sets_with_factors)
} else if (length(chosen) == 1L && chosen %in% c("columns", "noiseless", "honest", "tests")) {
  match.fun(chosen)()
} else main(chosen)
