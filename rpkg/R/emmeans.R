# Estimated marginal means of the package emmeans. Its means, contrasts and trends are linear combinations of predictions
# at the points of a grid. A linear fit has its coefficients as the basis; for another kernel the predictions themselves
# are the coefficients, with their joint covariance. emmeans adds the offset itself.

recover_data.freeridge <- function(object, data = NULL, ...) {
  check_one_response(object, "emmeans")
  call <- as.list(object$call)[intersect(c("data", "subset", "weights", "offset"), names(object$call))]
  call <- as.call(c(as.name("freeridge"), formula = stats::formula(object), call))
  emmeans::recover_data(call, stats::delete.response(object$terms), object$na.action, data = data,
                        frame = stats::model.frame(object), ...)
}

# kind: as that of predict().
emm_basis.freeridge <- function(object, trms, xlev, grid, kind = "bayesian", vcov. = NULL, ...) {
  if (!is.null(vcov.)) refuse("vcov. is given, and these are means of predictions, which have their own covariance, see kind")
  at <- unlabelled_rows(object, grid)
  found <- if (is_linear(object$kernel)) linear_basis(object, at, kind) else joint_predictions(object, at, kind)
  list(X = if (is.null(found$design)) diag(nrow(grid)) else found$design, bhat = found$estimate, nbasis = matrix(NA),
       V = found$covariance, dffun = function(k, dfargs) dfargs$df, dfargs = list(df = found$df), misc = list())
}

# New rows without their offset, for which newdata needs no variables.
unlabelled_rows <- function(fit, newdata) {
  fit["offset"] <- list(NULL)
  fit$columns <- intersect(fit$columns, names(newdata))
  new <- new_rows(fit, as.data.frame(newdata))
  if (!all(new$known)) refuse("the points to predict have missing values in row ", some_of(which(!new$known)))
  new[c("x", "fixed")]
}

# list(estimate, covariance, df) of f + b at points that unlabelled_rows() gives.
joint_predictions <- function(fit, at, kind) {
  check_choice(kind, "kind", covariance_types)
  model <- if (ncol(fit$x) == 0L && !has_penalised(fit)) model_at(fit, 1) else model_at(fit)  # as covariance_model()
  found <- core_predict_covariance(model, at$x, kind, TRUE, at$fixed)
  warn_reason(found$reason)
  list(estimate = core_predict(model, at$x, at$fixed)[, 1L], covariance = matrix(found$covariance, nrow(at$x)),
       df = quantile_freedom(fit, unname(df.residual(fit))))
}

# A linear fit at the same points: list(design, estimate, covariance, df), where design %*% estimate are the predictions.
# The estimates are the coefficients; beside unpenalised columns, f + b at the centre of the rows, and its change by a
# standard deviation of each column.
linear_basis <- function(fit, at, kind) {
  if (has_coefficients(fit)) {
    return(list(design = coefficient_columns(fit, at$x), estimate = unname(coef.freeridge(fit)),
                covariance = unname(vcov.freeridge(fit, kind)), df = quantile_freedom(fit, unname(df.residual(fit)))))
  }
  rows <- cbind(with_columns(fit$x), fit$fixed)
  p <- ncol(rows)
  d <- p - NCOL(fit$fixed) * !is.null(fit$fixed)
  centre <- if (fit$intercept) colMeans(rows) else rep(0, p)
  step <- apply(rows, 2L, column_sd)
  points <- rbind(centre, rep(centre, each = p) + diag(step, p), deparse.level = 0L)
  found <- joint_predictions(fit, list(x = points[, seq_len(d), drop = FALSE],
                                       fixed = if (d < p) points[, -seq_len(d), drop = FALSE]), kind)
  change <- cbind(c(1, rep(-1, p)), rbind(0, diag(p)))
  design <- cbind(1, (cbind(at$x, at$fixed) - rep(centre, each = nrow(at$x))) / rep(step, each = nrow(at$x)))
  kept <- c(fit$intercept, rep(c(ncol(fit$x) > 0L, TRUE), c(d, p - d)))  # with_columns()
  list(design = unname(design[, kept, drop = FALSE]), estimate = as.vector(change %*% found$estimate)[kept],
       covariance = (change %*% found$covariance %*% t(change))[kept, kept, drop = FALSE], df = found$df)
}

# Fits whose coefficients have one covariance, and their columns of points x.
has_coefficients <- function(fit) is_linear(fit$kernel) && is.null(fit$fixed)
coefficient_columns <- function(fit, x) {
  unname(cbind(if (fit$intercept) rep(1, nrow(x)), x[, seq_len(ncol(fit$x)), drop = FALSE]))
}

# Refuses fits of which a tool of another package would give numbers that mean something else.
check_one_response <- function(fit, tool) {
  if (!made_by_formula(fit)) refuse(tool, " needs a fit that was made by a formula with data")
  if (!is.null(fit$classes)) {
    refuse(tool, " is for numbers, and the fit is to classes, least squares on -1 and +1: effects() shows its ",
           "curves, and predict(type = \"probability\") has probabilities")
  }
  if (ncol(fit$y) > 1L) refuse(tool, " is for one response, and the fit has ", ncol(fit$y), ": make a fit of each")
}
