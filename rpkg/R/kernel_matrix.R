# Matrices of kernel values, and a kernel as an R function of two rows.

kernel_matrix <- function(kernel, x, z = x) {
  all_given(kernel, x)
  kernel <- evaluable_kernel(as_kernel(kernel))
  points <- kernel_points(x, "x")
  others <- if (missing(z)) points else columns_of(kernel_points(z, "z"), points)
  kernel <- scales_by_name(kernel, feature_names(points))
  values <- if (kernel$name == "function") {
    kernel_values(kernel, points, others)
  } else {
    core_kernel_evaluate(unclass(kernel), points, others)
  }
  if (!is.null(rownames(points)) || !is.null(rownames(others))) {
    dimnames(values) <- list(rownames(points), rownames(others))
  }
  values
}

# The kernel; those whose values cannot be computed are refused.
evaluable_kernel <- function(kernel) {
  check_kernel(kernel)
  if (chooses_bandwidth(kernel)) refuse("kernel has a bandwidth that is not given: as in gaussian_kernel(sigma = 1)")
  if (given_count(kernel) > 0L) refuse("kernel is precomputed_kernel(): its values are given, and not computed")
  kernel
}

kernel_points <- function(x, name) {
  if (is_sparse(x)) as.matrix(sparse_matrix(x, name)) else numeric_matrix(x, name)
}

# The columns of z that x has, by their names where both have names.
columns_of <- function(z, x) {
  z <- columns_by_name(z, colnames(x), "z")
  if (ncol(z) != ncol(x)) refuse("z has ", counted(ncol(z), "column"), ", x has ", ncol(x))
  z
}

# k(x, z) of two rows. The class "kernel" is that of kernlab, whose functions take it as a kernel.
as.function.freeridge_kernel <- function(x, ...) {
  refuse_extra(...)
  kernel <- evaluable_kernel(x)
  if (kernel$name == "function") return(kernel[["f"]])
  kernel <- unclass(kernel)
  row <- function(value, name) matrix(plain_numbers(value, name), 1L)
  structure(function(x, z) {
    x <- row(x, "x")
    z <- row(z, "z")
    if (length(z) != length(x)) refuse("z has ", counted(length(z), "number"), ", x has ", length(x))
    core_kernel_evaluate(kernel, x, z)[1L]
  }, class = "kernel")
}
