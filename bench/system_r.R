# Systems for R, one task a process: system_r.R task=T data=FOLDER ...
#
#   freeridge_linear    freeridge(): lambda by leave-one-out
#   freeridge_path      freeridge() at one lambda, then lambda_path(): exact leave-one-out scores at all lambdas
#   freeridge_gaussian  sigma=S: freeridge(): lambda by leave-one-out
#   krls                sigma=S: krls() without derivatives and covariances: its own search of lambda by leave-one-out
#   gausspr             sigma=S: kernlab::gausspr() at one noise variance
#   fastkrr             sigma=S: fastkrr(), exact kernel matrix, lambda by REML
#   glmnet              glmnet(), alpha = 0: coefficients at all lambdas; no errors left out
#   glmnet_sparse       thresh=T: the same of rows as make_data sparse=yes writes them; CPU seconds
#   lm_ridge            MASS::lm.ridge(): coefficients and GCV at all lambdas
# standardize=yes divides the centred columns of x, and y, by their standard deviations first, as KRLS does by itself.
#
# Data, results and what is counted: as in support.hpp.

tell <- function(name, values) cat(name, format(values, digits = 17, trim = TRUE), "\n")

status_bytes <- function(name) {
  line <- grep(paste0("^", name, ":"), readLines("/proc/self/status"), value = TRUE)
  1024 * as.numeric(gsub("[^0-9]", "", line))
}

tell_blas <- function() {
  paths <- unique(sub("^[^/]*", "", grep("/", readLines("/proc/self/maps"), value = TRUE)))
  cat("blas", sort(grep("(blas|blis|lapack\\.so|libRlapack|mkl_rt)[^/]*$", paths, value = TRUE)), "\n")
}

read_doubles <- function(folder, name) {
  file <- file.path(folder, name)
  readBin(file, "double", file.size(file) / 8)
}

timed <- function(action) {
  invisible(gc())
  cat("5", file = "/proc/self/clear_refs")
  before <- status_bytes("VmRSS")
  seconds <- numeric(repetitions)
  for (i in seq_along(seconds)) {
    invisible(gc())
    start <- Sys.time()
    answer <- action()
    seconds[i] <- as.numeric(Sys.time() - start, units = "secs")
    if (i < repetitions) answer <- NULL
  }
  peak <- status_bytes("VmHWM")
  tell("peak", peak)
  tell("beyond", peak - before)
  tell("seconds.total", seconds)
  answer
}

arguments <- strsplit(commandArgs(trailingOnly = TRUE), "=", fixed = TRUE)
arguments <- stats::setNames(lapply(arguments, `[`, 2L), vapply(arguments, `[`, "", 1L))
packages <- c(freeridge_linear = "freeridge", freeridge_path = "freeridge", freeridge_gaussian = "freeridge",
              krls = "KRLS", gausspr = "kernlab", fastkrr = "FastKRR", glmnet = "glmnet",
              glmnet_sparse = "glmnet", lm_ridge = "MASS")
package <- packages[[arguments$task]]
if (!suppressWarnings(suppressMessages(requireNamespace(package, quietly = TRUE)))) {
  cat("absent", package, "is not installed\n")
  quit(status = 0)
}
cat("version", package, as.character(utils::packageVersion(package)), "\n")
suppressMessages(library(package, character.only = TRUE))
invisible(crossprod(diag(2)))  # R loads its BLAS at the first use
tell_blas()
if (is.null(arguments$data)) quit(status = 0)

repetitions <- as.integer(if (is.null(arguments$repetitions)) 1L else arguments$repetitions)
y <- read_doubles(arguments$data, "y")
if (arguments$task == "glmnet_sparse") {
  start <- read_doubles(arguments$data, "start")
  x <- Matrix::sparseMatrix(i = rep(seq_along(y), diff(start)), j = read_doubles(arguments$data, "index") + 1,
                            x = read_doubles(arguments$data, "value"),
                            dims = c(length(y), read_doubles(arguments$data, "features")))
} else {
  x <- read_doubles(arguments$data, "x")
  dim(x) <- c(length(y), length(x) / length(y))
}
lambdas <- read_doubles(arguments$data, "lambdas")
if (identical(arguments$standardize, "yes")) {
  x <- scale(x)
  x <- matrix(x, nrow(x), dimnames = list(NULL, paste0("x", seq_len(ncol(x)))))
  y <- as.vector(scale(y))
}
sigma <- as.numeric(arguments$sigma)
one_lambda <- 0.1

invisible(switch(
  arguments$task,
  freeridge_linear = {
    fit <- timed(function() freeridge(x, y, kernel = linear_kernel()))
    tell("lambda", unname(fit$lambda))
    cat("route", fit$route, "\n")
  },
  freeridge_path = {
    path <- timed(function() {
      lambda_path(freeridge(x, y, kernel = linear_kernel(), lambda = lambdas[1L]), lambdas, criteria = "loo")
    })
    tell("scores", path$loo)
  },
  freeridge_gaussian = {
    fit <- timed(function() freeridge(x, y, kernel = gaussian_kernel(sigma)))
    tell("lambda", unname(fit$lambda))
    cat("route", fit$route, "\n")
  },
  krls = {
    fit <- timed(function() {
      krls(x, y, sigma = sigma^2, derivative = FALSE, vcov = FALSE, print.level = 0, approx = "none")
    })
    tell("lambda", fit$lambda)
  },
  gausspr = timed(function() {
    gausspr(x, y, scaled = FALSE, type = "regression", kernel = "rbfdot", kpar = list(sigma = 1 / sigma^2),
            var = one_lambda)
  }),
  fastkrr = {
    frame <- data.frame(x, y = y)
    fit <- timed(function() {
      fastkrr(frame, "y", kernel = "gaussian", opt = "exact", rho = 1 / sigma^2, selection_method = "REML",
              verbose = FALSE)
    })
    tell("lambda", length(y) * fit$lambda)
  },
  glmnet = {
    sd_y <- sqrt(mean((y - mean(y))^2))
    timed(function() glmnet(x, y, alpha = 0, lambda = rev(lambdas) * sd_y / length(y), standardize = FALSE))
  },
  glmnet_sparse = {
    sd_y <- sqrt(mean((y - mean(y))^2))
    cpu <- NULL
    fit <- timed(function() {
      before <- sum(proc.time()[1:2])
      out <- glmnet(x, y, alpha = 0, lambda = rev(lambdas) * sd_y / length(y), standardize = FALSE,
                    thresh = as.numeric(arguments$thresh), maxit = 1e7)
      cpu <<- c(cpu, sum(proc.time()[1:2]) - before)
      out
    })
    tell("seconds.cpu", cpu)
    w <- as.matrix(fit$beta)
    if (ncol(w) == length(lambdas)) tell("scores", rev(colSums(w^2)))
  },
  lm_ridge = {
    frame <- data.frame(x, y = y)
    timed(function() lm.ridge(y ~ ., frame, lambda = lambdas))
  }
))
