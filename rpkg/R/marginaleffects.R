# The package marginaleffects: predictions, comparisons and slopes, their averages and hypotheses. It takes them for
# functions of coefficients b with a covariance V, and their standard errors from the Jacobian J: diag(J V J')^(1/2).
# Fits of any kernel have what is asked for as linear combinations of predictions at some points,
#     J = A R',   R R' = C
# with the joint covariance C of the predictions there (predict(covariance = TRUE)) and V = I. A is found by marginaleffects
# itself, from the columns of R as the model matrix of a linear model.

most_joint_points <- 6000L  # their covariance has 288 MB, and its factor takes some 10 s

sanitize_model_specific.freeridge <- function(model, ...) {
  check_one_response(model, "marginaleffects")
  # How a class that it does not list is made known to it.
  options(marginaleffects_model_classes = union(getOption("marginaleffects_model_classes"), "freeridge"))
  model
}

# coefs: of set_coef(), by which marginaleffects has moved the coefficients of such a fit.
get_predict.freeridge <- function(model, newdata = NULL, type = "response", ...) {
  newdata <- as.data.frame(newdata)
  values <- if (is.null(model$coefs)) {
    predict.freeridge(model, newdata, type = type)
  } else {
    new <- new_rows(model, newdata)
    answered(new, function(x) coefficient_columns(model, x) %*% model$coefs, new$offset)
  }
  data.frame(rowid = if (is.null(newdata$rowid)) seq_along(values) else newdata$rowid, estimate = as.vector(values))
}

# Of other fits as many as an answer may have rows with standard errors.
get_coef.freeridge <- function(model, ...) {
  if (has_coefficients(model)) return(if (is.null(model$coefs)) coef.freeridge(model) else model$coefs)
  count <- min(max(5L * nrow(model$x), 500L), 1500L)
  stats::setNames(numeric(count), paste0("z", seq_len(count)))
}

get_vcov.freeridge <- function(model, vcov = TRUE, ...) {
  if (has_coefficients(model)) return(NextMethod())
  if (isFALSE(vcov)) return(NULL)
  if (!isTRUE(vcov) && !is.null(vcov)) {
    refuse("vcov must be TRUE or FALSE, not ", shown(vcov), ": the standard errors are those of predict(se.fit = TRUE)")
  }
  names <- names(get_coef.freeridge(model))
  structure(diag(length(names)), dimnames = list(names, names))
}

set_coef.freeridge <- function(model, coefs, ...) {
  if (!has_coefficients(model)) {
    refuse("marginaleffects 1.0 or later takes differences, ratios, slopes and averages of predictions of this fit; what ",
           "else it is asked for needs coefficients, which the fit has not")
  }
  model$coefs <- coefs
  model
}

# plan, kind, contrast_data: of marginaleffects 1.0, what is asked for and the data at which.
get_jacobian_analytic.freeridge <- function(model, type, plan = NULL, kind = "", estimate = NULL, contrast_data = NULL, ...) {
  data <- if (identical(kind, "comparisons")) contrast_data[c("lo", "hi")] else list(plan$predict_args$newdata)
  data <- lapply(data, as.data.frame)
  at <- unlabelled_rows(model, do.call(rbind, lapply(data, `[`, all.vars(stats::delete.response(model$terms)))))
  own <- names(get_coef.freeridge(model))
  basis <- if (has_coefficients(model)) coefficient_columns(model, at$x) else covariance_root(model, at)
  names <- if (has_coefficients(model)) own else paste0("z", seq_len(ncol(basis)))
  columns <- function(rows) structure(basis[rows, , drop = FALSE], dimnames = list(NULL, names))
  last <- nrow(data[[1L]])
  if (identical(kind, "comparisons")) {
    attr(contrast_data$lo, "marginaleffects_model_matrix") <- columns(seq_len(last))
    attr(contrast_data$hi, "marginaleffects_model_matrix") <- columns(last + seq_len(nrow(data[[2L]])))
  } else {
    attr(plan$predict_args$newdata, "marginaleffects_model_matrix") <- columns(seq_len(last))
  }
  plan$model_matrix_used <- TRUE
  model <- structure(list(names = names), class = "freeridge_basis")
  jacobian <- NextMethod(model = model, plan = plan, contrast_data = contrast_data)
  if (is.null(jacobian) || identical(names, own)) jacobian else as_few_columns(jacobian, own)
}

# R with R R' = C, for the rows that unlabelled_rows() gives.
covariance_root <- function(fit, at) {
  key <- do.call(paste, as.data.frame(cbind(at$x, at$fixed)))
  first <- which(!duplicated(key))
  if (length(first) > most_joint_points) {
    refuse("marginaleffects asks for the covariance of ", length(first), " different points, and more than ",
           most_joint_points, " take too much memory: give newdata with fewer rows; marginal_effects() and effects() take all")
  }
  some <- list(x = at$x[first, , drop = FALSE], fixed = if (!is.null(at$fixed)) at$fixed[first, , drop = FALSE])
  # Warned of is a matrix without full rank, as that of more points than the data tell apart has not.
  factor <- suppressWarnings(chol(joint_predictions(fit, some, "bayesian")$covariance, pivot = TRUE))
  root <- t(factor[seq_len(attr(factor, "rank")), order(attr(factor, "pivot")), drop = FALSE])
  root[match(key, key[first]), , drop = FALSE]
}

# A matrix with the same J J' and at most length(names) columns.
as_few_columns <- function(jacobian, names) {
  if (ncol(jacobian) > length(names)) {
    apart <- qr(t(jacobian))
    jacobian <- t(qr.R(apart)[, order(apart$pivot), drop = FALSE])
    if (ncol(jacobian) > length(names)) {
      refuse("marginaleffects is asked for ", nrow(jacobian), " standard errors, and takes at most ", length(names), " of this ",
             "fit at once: give newdata with fewer rows, or ask for averages")
    }
  }
  structure(jacobian, dimnames = list(NULL, names[seq_len(ncol(jacobian))]))
}

get_coef.freeridge_basis <- function(model, ...) stats::setNames(numeric(length(model$names)), model$names)

get_prediction_jacobian_spec.freeridge_basis <- function(model, ...) list(response_scale = FALSE, family = NULL)

# margins::margins() moves coefficients within the fit, which has none there: its standard errors would all be 0.
margins.freeridge <- function(model, ..., vce = "delta") {
  if (!identical(vce, "none")) {
    refuse("margins has no standard errors for this fit: marginal_effects() and the package marginaleffects have, and ",
           "vce = \"none\" gives margins without them")
  }
  NextMethod(vce = "none")
}
