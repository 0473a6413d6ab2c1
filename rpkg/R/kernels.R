# Kernels: small lists that the core turns into its own; their parameters are judged by the core.

new_kernel <- function(name, ...) {
  structure(list(name = name, ...), class = "freeridge_kernel")
}

one_number <- function(value, name) {
  value <- without_class(value)
  if (!is.numeric(value) || length(value) != 1L || is.na(value)) refuse(name, " must be one number, not ", shown(value))
  as.double(value)
}

linear_kernel <- function() new_kernel("linear")

# 1, a part of products: an ANOVA kernel is a product of sums of it and a kernel of one term each.
constant_kernel <- function() new_kernel("constant")

# The user gives the values k(x_i, x_j) in the place of x; in a sum of such kernels the matrices of all, side by side.
precomputed_kernel <- function() new_kernel("precomputed")

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

# Several bandwidths, one for each column, make a scaled kernel of the kernel with bandwidth 1.
gaussian_kernel <- function(sigma = NULL) radial_kernel("gaussian", sigma = sigma)

laplacian_kernel <- function(sigma = NULL) radial_kernel("laplacian", sigma = sigma)

matern_kernel <- function(nu = 1.5, length = NULL) {
  radial_kernel("matern", nu = one_number(nu, "nu"), length = length)
}

# A kernel with a bandwidth, its last parameter. A bandwidth of NULL is to be chosen, and is not in the kernel's list.
radial_kernel <- function(name, ...) {
  parameters <- list(...)
  bandwidth <- names(parameters)[length(parameters)]
  each <- parameters[[bandwidth]]
  if (is.numeric(each) && length(each) > 1L) {
    each <- stats::setNames(check_positive(each, bandwidth, length(each), "column"), names(each))
    parameters[[bandwidth]] <- 1
    return(scaled_kernel(do.call(radial_kernel, c(name, parameters)), each))
  }
  kernel <- do.call(new_kernel, c(name, parameters[!vapply(parameters, is.null, NA)]))
  if (!is.null(kernel[[bandwidth]])) kernel[[bandwidth]] <- one_number(kernel[[bandwidth]], bandwidth)
  core_check_kernel(if (is.null(kernel[[bandwidth]])) with_bandwidth(kernel, 1) else kernel)
  kernel
}

# k(x / scale, z / scale), column by column. A scale of NULL is to be chosen, and is not in the kernel's list.
scaled_kernel <- function(kernel, scale = NULL) {
  all_given(kernel)
  if (!is_kernel(kernel)) refuse("kernel must be a kernel such as gaussian_kernel(), not ", shown(kernel))
  if (is.null(scale)) return(new_checked_kernel("scaled", inner = kernel))
  if (!is.numeric(scale) || length(scale) == 0L) {
    refuse("scale must be positive numbers, one for each column, not ", shown(scale))
  }
  names <- names(scale)
  scale <- stats::setNames(check_positive(scale, "scale", length(scale), "column"), names)
  new_checked_kernel("scaled", inner = kernel, scale = scale)
}

# The mean of k over terms, or the product. A term is a column or, where there are labels in `terms`, the columns with the same label
# (NA: a column in no term). In the kernel's list labels are numbers from 0, and -1 for NA, as in the core.
additive_kernel <- function(kernel, terms = NULL) {
  all_given(kernel)
  kernel_of_terms("additive", kernel, terms)
}

multiplicative_kernel <- function(kernel, terms = NULL) {
  all_given(kernel)
  kernel_of_terms("multiplicative", kernel, terms)
}

kernel_of_terms <- function(name, kernel, terms) {
  if (!is_kernel(kernel)) refuse("kernel must be a kernel such as gaussian_kernel(), not ", shown(kernel))
  if (is.null(terms)) return(new_checked_kernel(name, inner = kernel))
  if (!is.atomic(terms) || length(terms) == 0L || all(is.na(terms))) {
    refuse("terms must be labels, one for each column, NA for a column in no term, not ", shown(terms))
  }
  new_checked_kernel(name, inner = kernel, label = match(terms, unique(terms[!is.na(terms)]), 0L) - 1L)
}

# prod_t (1 + w_t k(x_t, z_t)), with lengths around it where those of k are to be chosen.
anova_kernel <- function(kernel, terms, weights = NA) {
  all_given(kernel, terms)
  labels <- unique(terms[!is.na(terms)])
  if (!is.numeric(weights) && !all(is.na(weights)) || !length(weights) %in% c(1L, length(labels))) {
    refuse("weights must be NA or a positive number, one or one for each of the ", counted(length(labels), "term"), ", not ",
           shown(weights))
  }
  factors <- Map(function(label, weight) {
    constant_kernel() + weight * additive_kernel(kernel, replace(rep(NA, length(terms)), which(terms == label), 1L))
  }, labels, as.double(weights))
  product <- Reduce(`*`, unname(factors))
  if (chooses_bandwidth(kernel) && !has_own_distance(kernel)) scaled_kernel(product) else product
}

# Kernels with a distance of their own, in units of x: k at the distance of points on a circle, or on a sphere.
periodic_kernel <- function(period, kernel = gaussian_kernel()) {
  if (missing(period)) refuse("period is missing: as in periodic_kernel(period = 12)")
  new_checked_kernel("periodic", inner = checked_inner(kernel), period = one_number(period, "period"))
}

sphere_kernel <- function(kernel = matern_kernel()) new_checked_kernel("sphere", inner = checked_inner(kernel))

checked_inner <- function(kernel) {
  if (!is_kernel(kernel)) refuse("kernel must be a kernel such as gaussian_kernel(), not ", shown(kernel))
  kernel
}

is_of_terms <- function(kernel) kernel$name %in% c("additive", "multiplicative")
has_own_distance <- function(kernel) {
  is_kernel(kernel) && (kernel$name %in% c("periodic", "sphere") || any(vapply(parts_of(kernel), has_own_distance, NA)))
}

# The kernel with f(part, ...) in the place of each of its parts.
with_parts <- function(kernel, f, ...) {
  for (field in intersect(c("terms", "factors"), names(kernel))) kernel[[field]] <- lapply(kernel[[field]], f, ...)
  if (!is.null(kernel[["inner"]])) kernel$inner <- f(kernel$inner, ...)
  kernel
}

# The same kernel for columns with these names: scales that have names are put into the order of the columns.
scales_by_name <- function(kernel, columns) {
  kernel <- with_parts(kernel, scales_by_name, columns)
  if (kernel$name == "scaled") {
    if (length(kernel$scale) == length(columns)) kernel$scale <- by_name(kernel$scale, "scale", columns, "column")
    if (!is.null(kernel$scale)) kernel$scale <- unname(kernel$scale)
  }
  kernel
}

# A kernel that is made of others. The core refuses what cannot be combined.
new_checked_kernel <- function(...) {
  kernel <- new_kernel(...)
  if (any(vapply(parts_of(kernel), function(part) part$name == "function", NA))) {
    refuse("a kernel that is an R function cannot be a part of another one: combine them inside the function")
  }
  core_check_kernel(with_bandwidth(kernel, 1))
  kernel
}

# The kernel that a user gave: one made here, an object of kernlab, or an R function k(x, z) of two rows.
as_kernel <- function(kernel) {
  if (is_kernel(kernel)) return(kernel)
  if (isS4(kernel) && inherits(kernel, "kernel")) return(from_kernlab(kernel))
  if (!is.function(kernel)) {
    refuse("kernel must be a kernel such as linear_kernel() or gaussian_kernel(), a kernel of kernlab, or a function ",
           "k(x, z) of two rows, not ", shown(kernel))
  }
  makers <- list(linear_kernel, polynomial_kernel, gaussian_kernel, laplacian_kernel, matern_kernel, precomputed_kernel,
                 scaled_kernel, additive_kernel, multiplicative_kernel, anova_kernel, periodic_kernel, sphere_kernel,
                 constant_kernel)
  if (any(vapply(makers, identical, NA, kernel))) {
    refuse("kernel must be a kernel, not the function that makes it: with brackets, as in gaussian_kernel()")
  }
  count <- length(formals(args(kernel)))
  if (count < 2L) refuse("kernel is a function of ", counted(count, "argument"), "; it must be k(x, z), of two rows")
  new_kernel("function", f = kernel)
}

# A kernel of kernlab: rbfdot is exp(-sigma |x - z|^2), and laplacedot exp(-sigma |x - z|). Kernels that the core does
# not have are evaluated by kernlab.
from_kernlab <- function(kernel) {
  parameters <- attr(kernel, "kpar")
  switch(class(kernel)[1L],
    vanillakernel = linear_kernel(),
    rbfkernel = gaussian_kernel(1 / sqrt(parameters$sigma)),
    laplacekernel = laplacian_kernel(1 / parameters$sigma),
    polykernel = polynomial_kernel(parameters$degree, parameters$scale, parameters$offset),
    new_kernel("function", f = kernel)
  )
}

# k(x_i, z_j) for all rows of two matrices, by the kernel's own function.
kernel_values <- function(kernel, x, z) {
  f <- kernel[["f"]]
  if (isS4(f)) {
    if (!requireNamespace("kernlab", quietly = TRUE)) refuse("the kernel is one of the package kernlab: install it")
    values <- kernlab::kernelMatrix(f, x, z)
    return(matrix(as.double(values), nrow(x)))
  }
  values <- matrix(0, nrow(x), nrow(z))
  for (i in seq_len(nrow(x))) {
    for (j in seq_len(nrow(z))) {
      value <- f(x[i, ], z[j, ])
      if (!is.numeric(value) || length(value) != 1L || !is.finite(value)) {
        refuse("the kernel function must give one finite number for two rows; for row ", i, " and row ", j, " it gave ",
               shown(value))
      }
      values[i, j] <- value
    }
  }
  values
}

# A fit by an R function keeps the points as `points`, and has the values of the kernel as x. The columns are divided
# here, as the core does not see them.
with_kernel_values <- function(fit) {
  if (is_sparse(fit$x)) refuse_sparse("a kernel that is an R function")
  check_finite(fit$x, "x")
  fit$points <- fit$x
  x <- divided(fit$x, fit$scale)
  fit$x <- kernel_values(fit$kernel, x, x)
  fit
}

# k1 + k2, k1 * k2, and a positive number times a kernel; NA is a number that is to be chosen.
`+.freeridge_kernel` <- function(e1, e2) {
  if (missing(e2)) return(e1)
  if (!is_kernel(e1) || !is_kernel(e2)) {
    other <- if (is_kernel(e1)) e2 else e1
    refuse("a kernel can be added to a kernel only, not to ", shown(other),
           if (is.numeric(other)) "; a constant would change nothing, as the intercept is not penalised (in a product: constant_kernel())")
  }
  first <- weighted_terms(e1)
  second <- weighted_terms(e2)
  new_checked_kernel("sum", terms = c(first$terms, second$terms), weights = c(first$weights, second$weights))
}

`*.freeridge_kernel` <- function(e1, e2) {
  if (is_kernel(e1) && is_kernel(e2)) {
    return(new_checked_kernel("product", factors = c(factors_of(e1), factors_of(e2))))
  }
  kernel <- if (is_kernel(e1)) e1 else e2
  factor <- if (is_kernel(e1)) e2 else e1
  open <- is.atomic(factor) && length(factor) == 1L && is.na(factor) && !is.nan(factor)
  if (!open && (!is.numeric(factor) || length(factor) != 1L || !is.finite(factor) || factor <= 0)) {
    refuse("a kernel can be multiplied by a kernel or by one positive number, not by ", shown(factor))
  }
  parts <- weighted_terms(kernel)
  new_checked_kernel("sum", terms = parts$terms, weights = as.double(factor) * parts$weights)
}

# Refuses all operators that have no method of their own.
Ops.freeridge_kernel <- function(e1, e2) {
  refuse("kernels have no operator ", .Generic, "; they have +, * (by a kernel or a positive number), == and !=")
}

# Whether k is known by its values at the rows alone.
is_of_values <- function(kernel) kernel$name == "function" || given_count(kernel) > 0L

is_kernel <- function(value) inherits(value, "freeridge_kernel")

# The terms of a kernel as a sum, its factors as a product, and the kernels that it is made of.
weighted_terms <- function(kernel) {
  if (kernel$name == "sum") kernel[c("terms", "weights")] else list(terms = list(kernel), weights = 1)
}
factors_of <- function(kernel) if (kernel$name == "product") kernel$factors else list(kernel)
parts_of <- function(kernel) {
  switch(kernel$name, sum = kernel$terms, product = kernel$factors, if (!is.null(kernel[["inner"]])) list(kernel$inner))
}

# The name of the bandwidth parameter; NULL for a kernel without a bandwidth.
bandwidth_names <- c(gaussian = "sigma", laplacian = "sigma", matern = "length")
bandwidth_name <- function(kernel) if (kernel$name %in% names(bandwidth_names)) bandwidth_names[[kernel$name]]

# all: how many bandwidths there are within a kernel; open: how many bandwidths and scales in it are to be chosen.
bandwidths <- function(kernel) {
  parts <- parts_of(kernel)
  if (length(parts) > 0L) return(Reduce(`+`, lapply(parts, bandwidths)) + c(all = 0, open = has_open_scale(kernel)))
  name <- bandwidth_name(kernel)
  c(all = !is.null(name), open = !is.null(name) && is.null(kernel[[name]]))
}

has_open_scale <- function(kernel) kernel$name == "scaled" && is.null(kernel$scale)
# Whether scales, or weights of a sum, are to be chosen anywhere in the kernel.
has_open_numbers <- function(kernel) {
  has_open_scale(kernel) || anyNA(kernel[["weights"]]) || any(vapply(parts_of(kernel), has_open_numbers, NA))
}

# Whether columns are divided by their standard deviations where the user says nothing: not where the kernel has angles
# or a period in them.
divides_columns <- function(kernel) chooses_bandwidth(kernel) && !has_own_distance(kernel)

# Whether the kernel has a bandwidth or scales that are still to be chosen.
chooses_bandwidth <- function(kernel) is_kernel(kernel) && bandwidths(kernel)[["open"]] > 0

# The kernel with this value for all bandwidths, scales and weights that are to be chosen.
with_bandwidth <- function(kernel, value) {
  if (has_open_scale(kernel)) kernel$scale <- rep(value, columns_within(kernel$inner))
  if (kernel$name == "sum") kernel$weights[is.na(kernel$weights)] <- value
  kernel <- with_parts(kernel, with_bandwidth, value)
  name <- bandwidth_name(kernel)
  if (!is.null(name) && is.null(kernel[[name]])) kernel[[name]] <- value
  kernel
}

# How many columns the kernel is for; 1 for a kernel that takes any number of columns.
columns_within <- function(kernel) {
  own <- c(length(kernel[["scale"]]) * (kernel$name == "scaled"), length(kernel[["label"]]), 2L * (kernel$name == "sphere"))
  max(1L, own, if (!is_of_terms(kernel)) vapply(parts_of(kernel), columns_within, 1))
}

# Whether k(x, z) = sum_k m_k x_k z_k, and the numbers m_k of d columns.
is_linear <- function(kernel) {
  kernel$name != "function" && !is.null(core_kernel_linear_scale(with_bandwidth(unclass(kernel), 1), 0L))
}
linear_metric <- function(kernel, d) 1 / core_kernel_linear_scale(unclass(kernel), d)^2

check_kernel <- function(kernel) {
  if (!is_kernel(kernel)) {
    refuse("kernel must be a kernel such as linear_kernel() or gaussian_kernel(), not ", shown(kernel))
  }
  invisible()
}

# The core's description of a kernel, exact to the last bit. A bandwidth that is to be chosen has no number: this one,
# which nobody uses, is described in its place, and its digits are then replaced by words.
open_bandwidth <- 1.2345678901234567e+123

as.character.freeridge_kernel <- function(x, ...) {
  refuse_extra(...)
  if (x$name == "function") return(function_text(x[["f"]]))
  digits <- gsub("gaussian\\(sigma = |\\)", "", core_kernel_text(list(name = "gaussian", sigma = open_bandwidth)))
  text <- core_kernel_text(with_bandwidth(unclass(x), open_bandwidth))
  gsub(digits, "to be chosen", text, fixed = TRUE)
}

# The text of an R function in one line of at most 60 characters; of a kernlab kernel its class and parameters.
function_text <- function(f) {
  if (isS4(f)) {
    parameters <- unlist(attr(f, "kpar"))
    parameters <- paste(names(parameters), "=", format(parameters), collapse = ", ")
    return(paste0("kernlab ", class(f)[1L], "(", parameters, ")"))
  }
  text <- gsub("[[:space:]]+", " ", paste(deparse(f), collapse = " "))
  if (nchar(text) > 60L) paste0(substr(text, 1L, 57L), "...") else text
}

format.freeridge_kernel <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  refuse_extra(...)
  without_long_lists(as.character(rounded_kernel(x, digits)))
}

# The text of a kernel with its lists of many numbers (scales, labels of terms) cut to their ends and their length.
without_long_lists <- function(text) {
  found <- gregexpr("\\[[^][]*\\]", text)
  regmatches(text, found) <- lapply(regmatches(text, found), function(lists) {
    vapply(lists, function(list) {
      numbers <- strsplit(substring(list, 2L, nchar(list) - 1L), ", ", fixed = TRUE)[[1L]]
      if (length(numbers) <= most_shown) return(list)
      paste0("[", paste(numbers[1:3], collapse = ", "), ", ..., ", numbers[length(numbers)], "; ", length(numbers),
             " numbers]")
    }, "")
  })
  text
}

# The kernel with its numbers rounded to so many significant digits.
rounded_kernel <- function(kernel, digits) {
  rapply(kernel, signif, "numeric", how = "replace", digits = digits)
}

print.freeridge_kernel <- function(x, ...) {
  cat("Kernel: ", format(x, ...), "\n", sep = "")
  invisible(x)
}

`==.freeridge_kernel` <- function(e1, e2) {
  if (!is_kernel(e1) || !is_kernel(e2)) {
    refuse("a kernel can be compared with a kernel only, not with ", shown(if (is_kernel(e1)) e2 else e1))
  }
  if (e1$name == "function" || e2$name == "function") return(identical(e1[["f"]], e2[["f"]]))
  bandwidths(e1)[["open"]] == bandwidths(e2)[["open"]] &&
    core_kernel_text(with_bandwidth(e1, open_bandwidth)) == core_kernel_text(with_bandwidth(e2, open_bandwidth))
}

`!=.freeridge_kernel` <- function(e1, e2) !(e1 == e2)

all.equal.freeridge_kernel <- function(target, current, ...) {
  if (!is_kernel(current)) return(paste("current is not a kernel but", shown(current)))
  if (target == current) TRUE else paste0("kernels differ: ", as.character(target), "; ", as.character(current))
}

# The kernel of a text that as.character() wrote.
parse_kernel <- function(text) {
  all_given(text)
  if (!is.character(text) || length(text) != 1L || is.na(text)) refuse("text must be one string, not ", shown(text))
  core_parse_kernel(text)
}
