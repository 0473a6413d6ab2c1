# The same work as the five_sets programs in C, Rust, Python and Julia, with the R package: see ../README.md.
#
#     Rscript five_sets.R ../../tests/data
library(freeridge)

sets <- c(norris = "first", longley = "first", diabetes = "last", concrete = "last", sonar = "last")  # the response
grid <- c(1e-3, 1e-2, 1e-1, 1, 10)
invisible(freeridge_threads(1))  # with one thread equal calls give equal bits

# The bits of each number.
show <- function(set, name, what, values) {
  bytes <- matrix(writeBin(as.double(values), raw(), endian = "big"), nrow = 8L)
  cat(set, name, what, apply(bytes, 2L, function(number) paste(number, collapse = "")))
  cat("\n")
}

kernels <- list(linear = linear_kernel(), gaussian = gaussian_kernel(1), sum = 0.5 * linear_kernel() + matern_kernel(1.5, 1),
                laplacian = laplacian_kernel(1), polynomial = polynomial_kernel(2, 1, 1))
routes <- c(linear = "primal", gaussian = "spectral", sum = "cholesky", laplacian = "band", polynomial = "landmark")

folder <- commandArgs(trailingOnly = TRUE)[1L]
for (set in names(sets)) {
  table <- as.matrix(utils::read.csv(file.path(folder, paste0(set, ".csv"))))
  response <- if (sets[[set]] == "first") 1L else ncol(table)
  train <- seq(1L, nrow(table), by = 2L)  # the rows 0, 2, 4, ... counted from 0
  x <- unname(table[train, -response, drop = FALSE])
  y <- unname(table[train, response])
  new_x <- unname(table[-train, -response, drop = FALSE])
  scale <- apply(abs(x), 2L, max)
  for (name in names(kernels)) {
    fit <- freeridge(x, y, kernel = scaled_kernel(kernels[[name]], scale), lambda_range = c(1e-4, 100), route = routes[[name]],
                     scale = FALSE, landmarks = if (name == "polynomial") (nrow(x) + 3) %/% 4)
    show(set, name, "scores", lambda_path(fit, grid, "loo")$loo)
    show(set, name, "choice", c(fit$lambda, fit$score))
    show(set, name, "loo", loo(fit))
    coefficients <- coef(fit)
    linear <- name == "linear"
    show(set, name, "coefficients", if (linear) coefficients[-1L] else as.vector(coefficients))
    show(set, name, "intercept", if (linear) coefficients[1L] else attr(coefficients, "intercept"))
    show(set, name, "predictions", predict(fit, new_x))
  }

  rows <- ridge_accumulator(ncol(x))
  for (first in seq(1L, nrow(x), by = 7L)) {
    chunk <- first:min(first + 6L, nrow(x))
    accumulate(rows, x[chunk, , drop = FALSE], y[chunk])
  }
  show(set, "accumulator", "scores", score(rows, "gcv", grid)$score)
  solution <- coef(rows, grid[3L])
  show(set, "accumulator", "coefficients", solution[-1L])
  show(set, "accumulator", "intercept", solution[1L])
}
