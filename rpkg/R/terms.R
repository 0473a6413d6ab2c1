# predict(type = "terms"): f + b as a sum of parts. A kernel that is a sum of kernels k_p makes f a sum of functions,
#     f(x) = sum_p f_p(x),   f_p(x) = sum_i c_i k_p(x_i, x)
# and each unpenalised column F_k adds F_k(x) a_k. A part is centred as predict.lm() does it: its mean over the
# rows of the fit is zero, and all means are in the constant.

# The parts of a kernel as a sum, list(name, kernel): the terms of sums, each term of an additive kernel, and the columns
# of a linear one. columns: the names of the columns.
kernel_terms <- function(kernel, columns) {
  within <- function(kernel, f) lapply(kernel_terms(kernel, columns), function(part) list(name = part$name, kernel = f(part$kernel)))
  switch(kernel$name,
    sum = do.call(c, Map(function(term, weight) within(term, function(part) weight * part), kernel$terms, kernel$weights)),
    scaled = within(kernel$inner, function(part) new_kernel("scaled", inner = part, scale = kernel$scale)),
    additive = additive_terms(kernel, columns),
    linear = additive_terms(list(inner = length(columns) * kernel), columns),
    list(list(name = paste(kernel$name, "of all columns"), kernel = kernel))
  )
}

additive_terms <- function(kernel, columns) {
  label <- if (is.null(kernel$label)) seq_along(columns) - 1L else as.integer(kernel$label)
  terms <- sort(unique(label[label >= 0L]))
  lapply(terms, function(term) {
    inside <- which(label == term)
    part <- new_kernel("additive", inner = kernel$inner, label = replace(rep(-1L, length(columns)), inside, 0L))
    list(name = paste(unique(columns[inside]), collapse = ":"), kernel = (1 / length(terms)) * part)
  })
}

# How many kernel values are made at once.
values_at_once <- 1e6

# f_p at rows of x (as the core takes them), rows x outputs; the points whose coefficients are zero have no part in it.
part_of_prediction <- function(fit, kernel, x, coefficients) {
  used <- rowSums(coefficients != 0) > 0
  if (!any(used)) return(matrix(0, nrow(x), ncol(coefficients)))
  coefficients <- coefficients[used, , drop = FALSE]
  support <- divided(fit$x[used, , drop = FALSE], fit$scale)
  x <- divided(x, fit$scale)
  height <- max(1L, values_at_once %/% nrow(support))
  value <- matrix(0, nrow(x), ncol(coefficients))
  for (first in seq(1L, by = height, length.out = ceiling(nrow(x) / height))) {
    rows <- first:min(first + height - 1L, nrow(x))
    value[rows, ] <- core_kernel_evaluate(unclass(kernel), x[rows, , drop = FALSE], support) %*% coefficients
  }
  value
}

predict_terms <- function(fit, new, lambda, terms) {
  if (is_sparse(fit$x)) refuse_sparse("a prediction by terms")
  if (is_of_values(fit$kernel)) {
    refuse("the kernel is ", format(fit$kernel), ", which is no sum of parts that are known")
  }
  model <- model_at(fit, lambda)
  same <- new$own && is.null(fit$aside)  # the new rows are those of the fit
  if (ncol(fit$x) == 0L) {
    names <- character()
    values <- list()
  } else if (is_linear(fit$kernel)) {
    names <- unique(names_by_effect(fit$x))
    slopes <- core_hyperplane(model)
    values <- lapply(names, function(name) {
      k <- which(names_by_effect(fit$x) == name)
      part <- function(x) x[, k, drop = FALSE] %*% slopes[k, , drop = FALSE]
      list(new = part(new$x), own = part(fit$x))
    })
  } else {
    coefficients <- core_by_row(model, "coefficients")
    parts <- kernel_terms(fit$kernel, names_by_effect(fit$x))
    names <- vapply(parts, `[[`, "", "name")
    values <- lapply(parts, function(part) {
      own <- part_of_prediction(fit, part$kernel, fit$x, coefficients)
      list(new = if (same) own else part_of_prediction(fit, part$kernel, new$x, coefficients), own = own)
    })
  }
  if (!is.null(fit$fixed)) {
    effects <- effects_at(fit, model)
    effects[is.na(effects)] <- 0
    values <- c(values, lapply(seq_len(ncol(fit$fixed)), function(k) {
      list(new = new$fixed[, k] %o% effects[k, ], own = fit$fixed[, k] %o% effects[k, ])
    }))
    names <- c(names, colnames(fit$fixed))
  }
  names <- make.unique(names)
  if (is.null(terms)) terms <- names
  unknown <- setdiff(terms, names)
  if (!is.character(terms) || length(unknown) > 0L) {
    refuse("terms must be among ", paste0("\"", names, "\"", collapse = ", "), ", not ",
           shown(if (is.character(terms)) unknown[1L] else terms))
  }
  means <- vapply(values, function(part) colMeans(part$own), numeric(ncol(fit$y)))
  means <- matrix(means, ncol(fit$y))
  constant <- stats::setNames(core_intercept(model) + rowSums(means), fit$outputs)
  kept <- match(terms, names)
  slices <- lapply(seq_len(ncol(fit$y)), function(j) {
    columns <- vapply(kept, function(p) values[[p]]$new[, j] - means[j, p], numeric(nrow(new$x)))
    whole <- matrix(NA_real_, length(new$known), length(kept))
    whole[new$known, ] <- columns
    dimnames(whole) <- list(new$names, terms)
    if (new$own) stats::napredict(fit$na.action, whole) else whole
  })
  value <- if (fit$vector) slices[[1L]] else {
    array(unlist(slices), c(dim(slices[[1L]]), length(slices)), list(rownames(slices[[1L]]), terms, fit$outputs))
  }
  structure(value, constant = constant)
}
