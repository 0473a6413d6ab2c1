# Kernels: small lists that the core turns into its own; their parameters are judged by the core.

new_kernel <- function(name, ...) {
  structure(list(name = name, ...), class = "freeridge_kernel")
}

one_number <- function(value, name) {
  if (!is.numeric(value) || length(value) != 1L || is.na(value)) refuse(name, " must be one number, not ", shown(value))
  as.double(value)
}

linear_kernel <- function() new_kernel("linear")

polynomial_kernel <- function(degree, scale = 1, offset = 1) {
  if (missing(degree)) refuse("degree is missing: as in polynomial_kernel(degree = 2)")
  degree <- one_number(degree, "degree")
  if (degree != round(degree) || abs(degree) > .Machine$integer.max) {
    refuse("degree must be a whole number, not ", shown(degree))
  }
  kernel <- new_kernel("polynomial", degree = degree, scale = one_number(scale, "scale"),
                       offset = one_number(offset, "offset"))
  core_check_kernel(kernel)
  kernel
}

gaussian_kernel <- function(sigma = NULL) {
  if (is.null(sigma)) return(new_kernel("gaussian"))
  kernel <- new_kernel("gaussian", sigma = one_number(sigma, "sigma"))
  core_check_kernel(kernel)
  kernel
}

# Whether the kernel has a bandwidth that is still to be chosen.
chooses_bandwidth <- function(kernel) {
  identical(kernel$name, "gaussian") && is.null(kernel$sigma)
}

check_kernel <- function(kernel) {
  if (!inherits(kernel, "freeridge_kernel")) {
    refuse("kernel must be linear_kernel(), polynomial_kernel() or gaussian_kernel(), not ", shown(kernel))
  }
}

format.freeridge_kernel <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  number <- function(value) format(value, digits = digits)
  switch(x$name,
    linear = "linear, k(x, z) = x'z",
    polynomial = sprintf("polynomial, k(x, z) = (%s x'z + %s)^%s", number(x$scale), number(x$offset), number(x$degree)),
    gaussian = paste0("Gaussian, k(x, z) = exp(-||x - z||^2 / sigma^2), sigma ",
                      if (is.null(x$sigma)) "to be chosen" else paste("=", number(x$sigma)))
  )
}

print.freeridge_kernel <- function(x, ...) {
  cat("Kernel: ", format(x, ...), "\n", sep = "")
  invisible(x)
}
