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

gaussian_kernel <- function(sigma = NULL) radial_kernel("gaussian", sigma = sigma)

laplacian_kernel <- function(sigma = NULL) radial_kernel("laplacian", sigma = sigma)

matern_kernel <- function(nu = 1.5, length = NULL) {
  radial_kernel("matern", nu = one_number(nu, "nu"), length = length)
}

# A kernel with a bandwidth, the last parameter; NULL (then it is not in the list): to be chosen.
radial_kernel <- function(name, ...) {
  parameters <- list(...)
  bandwidth <- names(parameters)[length(parameters)]
  kernel <- do.call(new_kernel, c(name, parameters[!vapply(parameters, is.null, NA)]))
  if (!is.null(kernel[[bandwidth]])) kernel[[bandwidth]] <- one_number(kernel[[bandwidth]], bandwidth)
  core_check_kernel(if (is.null(kernel[[bandwidth]])) with_bandwidth(kernel, 1) else kernel)
  kernel
}

# k1 + k2, k1 * k2, and a positive number times a kernel.
`+.freeridge_kernel` <- function(e1, e2) {
  if (missing(e2)) return(e1)
  if (!is_kernel(e1) || !is_kernel(e2)) refuse("a kernel can be added to a kernel only, not to ", shown(if (is_kernel(e1)) e2 else e1))
  first <- weighted_terms(e1)
  second <- weighted_terms(e2)
  new_kernel("sum", terms = c(first$terms, second$terms), weights = c(first$weights, second$weights))
}

`*.freeridge_kernel` <- function(e1, e2) {
  if (is_kernel(e1) && is_kernel(e2)) return(new_kernel("product", factors = c(factors_of(e1), factors_of(e2))))
  kernel <- if (is_kernel(e1)) e1 else e2
  factor <- if (is_kernel(e1)) e2 else e1
  if (!is.numeric(factor) || length(factor) != 1L || !is.finite(factor) || factor <= 0) {
    refuse("a kernel can be multiplied by a kernel or by one positive number, not by ", shown(factor))
  }
  parts <- weighted_terms(kernel)
  new_kernel("sum", terms = parts$terms, weights = factor * parts$weights)
}

is_kernel <- function(value) inherits(value, "freeridge_kernel")

# A kernel as a sum, and as a product.
weighted_terms <- function(kernel) {
  if (kernel$name == "sum") kernel[c("terms", "weights")] else list(terms = list(kernel), weights = 1)
}
factors_of <- function(kernel) if (kernel$name == "product") kernel$factors else list(kernel)
parts_of <- function(kernel) switch(kernel$name, sum = kernel$terms, product = kernel$factors)

# The name of the bandwidth parameter; NULL for kernels without.
bandwidth_names <- c(gaussian = "sigma", laplacian = "sigma", matern = "length")
bandwidth_name <- function(kernel) if (kernel$name %in% names(bandwidth_names)) bandwidth_names[[kernel$name]]

# How many kernels in this one have a bandwidth, and how many of these are still to be chosen.
bandwidths <- function(kernel) {
  parts <- parts_of(kernel)
  if (length(parts) > 0L) return(Reduce(`+`, lapply(parts, bandwidths)))
  name <- bandwidth_name(kernel)
  c(all = !is.null(name), open = !is.null(name) && is.null(kernel[[name]]))
}

# Whether the kernel has a bandwidth that is still to be chosen.
chooses_bandwidth <- function(kernel) is_kernel(kernel) && bandwidths(kernel)[["open"]] > 0

# The kernel with the bandwidth that was still to be chosen.
with_bandwidth <- function(kernel, value) {
  for (field in intersect(c("terms", "factors"), names(kernel))) {
    kernel[[field]] <- lapply(kernel[[field]], with_bandwidth, value)
  }
  name <- bandwidth_name(kernel)
  if (!is.null(name) && is.null(kernel[[name]])) kernel[[name]] <- value
  kernel
}

is_linear <- function(kernel) {
  kernel$name == "linear" || (kernel$name == "sum" && all(vapply(kernel$terms, is_linear, NA)))
}

check_kernel <- function(kernel) {
  if (!is_kernel(kernel)) {
    refuse("kernel must be a kernel such as linear_kernel() or gaussian_kernel(), not ", shown(kernel))
  }
  count <- bandwidths(kernel)
  if (count[["open"]] > 0 && count[["all"]] > 1) {
    refuse("kernel has ", count[["all"]], " bandwidths; one can be chosen only when it is the only one: give them all")
  }
}

format.freeridge_kernel <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  number <- function(value) format(value, digits = digits)
  bandwidth <- function(name) paste(name, if (is.null(x[[name]])) "to be chosen" else paste("=", number(x[[name]])))
  inner <- function(parts) vapply(parts, function(part) paste0("[", format(part, digits = digits), "]"), "")
  switch(x$name,
    linear = "linear, k(x, z) = x'z",
    polynomial = sprintf("polynomial, k(x, z) = (%s x'z + %s)^%s", number(x$scale), number(x$offset), number(x$degree)),
    gaussian = paste0("Gaussian, k(x, z) = exp(-||x - z||^2 / sigma^2), ", bandwidth("sigma")),
    laplacian = paste0("Laplacian, k(x, z) = exp(-||x - z|| / sigma), ", bandwidth("sigma")),
    matern = paste0("Matern, nu = ", number(x$nu), ", ", bandwidth("length")),
    sum = paste0(ifelse(x$weights == 1, "", paste0(vapply(x$weights, number, ""), " * ")), inner(x$terms), collapse = " + "),
    product = paste(inner(x$factors), collapse = " * ")
  )
}

print.freeridge_kernel <- function(x, ...) {
  cat("Kernel: ", format(x, ...), "\n", sep = "")
  invisible(x)
}
