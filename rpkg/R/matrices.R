# The matrices behind a fit: eigenvalues, condition numbers, effective ranks, the hat matrix and the inverse.

eigenvalues <- function(object, ...) UseMethod("eigenvalues")

eigenvalues.freeridge <- function(object, vectors = FALSE, ...) {
  refuse_extra(...)
  vectors <- check_flag(vectors, "vectors")
  model <- model_for_path(object)
  count <- eigenvalue_count(object)
  values <- if (count > 0) core_eigenvalues(model, count, FALSE) else numeric()
  if (!vectors) return(values)
  rank <- sum(values > 0)
  vectors <- if (rank > 0) core_eigenvalues(model, rank, TRUE) else matrix(0, nrow(object$x), 0L)
  if (!is.null(object$cases)) rownames(vectors) <- object$cases
  list(values = values, vectors = vectors)
}

# At most how many eigenvalues are not zero; that they are zero beyond this number does not depend on the data.
eigenvalue_count <- function(fit) {
  penalised <- has_penalised(fit)  # a direction of K + 1 like the others; a column of ones for a linear kernel
  linear <- if (is_linear(fit$kernel)) ncol(fit$x) + penalised else Inf
  most <- if (!is.null(fit$landmarks)) length(fit$landmarks) else linear
  min(nrow(fit$x) - (fit$intercept && !penalised) - sum(!is.na(fit$effects[, 1L])), most)
}

kappa.freeridge <- function(z, lambda = NULL, ...) {
  refuse_extra(...)
  found <- condition_at(z, lambda)
  if (anyNA(found$condition)) warn_undefined("the condition number is undefined (NaN): all eigenvalues are zero")
  found$condition
}

effective_rank <- function(object, ...) UseMethod("effective_rank")

effective_rank.freeridge <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  condition_at(object, lambda)$rank
}

# list(condition, rank), with a number for each output at the lambdas of the fit, or a number for each of `lambda`.
condition_at <- function(fit, lambda) {
  if (!is.null(lambda)) return(core_condition(model_for_path(fit), check_not_negative(lambda, "lambda")))
  lapply(core_condition(model_for_path(fit), fit$lambda), function(values) named_by_output(fit, values))
}

hat_matrix <- function(object, ...) UseMethod("hat_matrix")

hat_matrix.freeridge <- function(object, lambda = NULL, inverse = FALSE, ...) {
  refuse_extra(...)
  inverse <- check_flag(inverse, "inverse")
  if (is.null(lambda)) lambda <- unique(unname(object$lambda))
  if (length(lambda) != 1L) refuse("lambda must be one number: the matrix of an output is that at its lambda")
  matrix <- core_hat_matrix(model_at(object), check_not_negative(lambda, "lambda"), inverse)
  if (!is.null(object$cases)) dimnames(matrix) <- list(object$cases, object$cases)
  matrix
}
