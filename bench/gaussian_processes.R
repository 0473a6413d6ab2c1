# A kernel with a length for each column: the default of freeridge() beside Gaussian processes of CRAN, in time and in error on
# rows that were not fitted.
#
#   Rscript bench/gaussian_processes.R FILE.csv [ROWS]     FILE: the response last; ROWS: 1000 by default
#   R_LIBS: a library with the package, and with those of DiceKriging, hetGP and GauPro that are to be compared
#
# set.seed(1); sample(n): the first ROWS rows are fitted, at most the next 5000 predicted. Each system has the columns divided by
# their standard deviations (hetGP: in [0, 1], as it asks), the response centred and divided by its own, a Matern 3/2 kernel with
# a length for each column and a variance of noise, and what else it does by default. Seconds are those of the processor: of
# the fit, and of the predictions.
RNGversion("3.6.0")
options(freeridge.progress = FALSE)
unit <- function(x) sweep(sweep(x, 2L, apply(x, 2L, min)), 2L, apply(x, 2L, function(column) diff(range(column))), "/")

# Each answers a function of new rows. `range`: the columns of all rows in [0, 1].
systems <- list(
  freeridge = list(fit = function(x, y) freeridge::freeridge(x, y), predict = function(fit, x) predict(fit, x)),
  "freeridge, Matern 3/2 alone" = list(fit = function(x, y) freeridge::freeridge(x, y, freeridge::matern_kernel(1.5)),
                                       predict = function(fit, x) predict(fit, x)),
  DiceKriging = list(
    fit = function(x, y) {
      DiceKriging::km(~1, x, y, covtype = "matern3_2", nugget.estim = TRUE, control = list(trace = FALSE))
    },
    predict = function(fit, x) predict(fit, x, "UK", se.compute = FALSE, checkNames = FALSE)$mean
  ),
  hetGP = list(fit = function(x, y) hetGP::mleHomGP(x, y, covtype = "Matern3_2"), predict = function(fit, x) predict(fit, x)$mean,
               in_unit = TRUE),
  GauPro = list(fit = function(x, y) GauPro::gpkm(x, y, kernel = "matern32", nug.est = TRUE, parallel = FALSE),
                predict = function(fit, x) fit$pred(x))
)
package_of <- function(name) sub(",.*", "", name)

seconds_of <- function(expression) sum(system.time(expression)[c("user.self", "sys.self")])

main <- function(file, rows = 1000L) {
  data <- as.matrix(utils::read.csv(file))
  set.seed(1)
  order <- sample(nrow(data))
  fitted <- order[seq_len(rows)]
  held_out <- order[seq(rows + 1L, min(nrow(data), rows + 5000L))]
  d <- ncol(data) - 1L
  y <- data[, d + 1L]
  response <- (y[fitted] - mean(y[fitted])) / stats::sd(y[fitted])
  x <- sweep(data[, seq_len(d)], 2L, apply(data[fitted, seq_len(d)], 2L, stats::sd), "/")
  cat("n = ", rows, ", d = ", d, ", ", length(held_out), " rows held out\n", sep = "")
  cat("| system | version | fit, s | predictions, s | error / sd(y) |\n| --- | --- | --- | --- | --- |\n")
  for (name in names(systems)) {
    if (!requireNamespace(package_of(name), quietly = TRUE)) {
      cat("|", name, "| not installed | | | |\n")
      next
    }
    system <- systems[[name]]
    points <- if (isTRUE(system$in_unit)) unit(x) else x
    fit_seconds <- seconds_of(fit <- system$fit(points[fitted, ], response))
    predict_seconds <- seconds_of(found <- system$predict(fit, points[held_out, ]))
    error <- sqrt(mean((y[held_out] - mean(y[fitted]) - stats::sd(y[fitted]) * as.vector(found))^2)) / stats::sd(y[fitted])
    cat("|", paste(name, utils::packageVersion(package_of(name)), sprintf("%.2f", fit_seconds), sprintf("%.2f", predict_seconds),
                   sprintf("%.4f", error), sep = " | "), "|\n")
  }
}

arguments <- commandArgs(TRUE)
do.call(main, c(list(arguments[1L]), if (length(arguments) > 1L) list(as.integer(arguments[2L]))))
