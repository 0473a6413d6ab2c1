# A sparse x of the package Matrix. The core borrows it as it lies in memory, and never makes the whole of it dense.

is_sparse <- function(x) {
  isS4(x) && identical(attr(class(x), "package"), "Matrix") && requireNamespace("Matrix", quietly = TRUE) &&
    methods::is(x, "sparseMatrix")
}

# A dgCMatrix as it is; any other sparse matrix of numbers, TRUEs or patterns is converted once.
sparse_matrix <- function(x, name, finite = TRUE, rows = TRUE) {
  if (!identical(class(x)[1L], "dgCMatrix")) {
    x <- methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  }
  if (rows && nrow(x) == 0L) refuse(name, " has no rows")
  if (ncol(x) == 0L) refuse(name, " has no columns")
  place <- if (finite) first_not_finite(x@x) else 0
  if (place > 0) {
    column <- findInterval(place - 1, x@p)
    if (!is.null(colnames(x))) column <- paste0('"', colnames(x)[column], '"')
    refuse(name, "[", x@i[place] + 1, ", ", column, "] is ", format(x@x[place]), "; all values must be finite numbers")
  }
  x
}

# Standard deviations of the columns, zeros included; `constant` for a constant column.
sparse_sd <- function(x, constant) {
  n <- nrow(x)
  means <- Matrix::colMeans(x)
  entries <- diff(x@p)
  squares <- x
  squares@x <- (x@x - rep(means, entries))^2
  sd <- if (n > 1L) sqrt((Matrix::colSums(squares) + (n - entries) * means^2) / (n - 1)) else rep(0, ncol(x))
  squares@x <- abs(x@x)
  size <- Matrix::colSums(squares)  # of absolute values: at least the largest of them
  unname(ifelse(is.finite(sd) & sd > .Machine$double.eps * size, sd, constant))
}

refuse_sparse <- function(what) refuse(what, " is not to be had with a sparse x; as.matrix(x) has it")

check_sparse_settings <- function(fit) {
  if (given_count(fit$kernel) > 0L) refuse_sparse("a precomputed kernel")
  if (fit$refine > 0) refuse_sparse("iterative refinement")
}
