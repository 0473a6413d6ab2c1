# Score tests of variables (freeridge_score_test), with the kernel matrix K and that of a kernel that does not see the
# variable (its columns constant), K_0, at the lambda that REML chooses for K_0: D = K - K_0. A length that was learnt for
# the variable itself is replaced by the standard deviation of its column, as a length learnt from the same outputs would
# favour chance, and a long one hides what is there.

anova.freeridge <- function(object, ...) {
  if (...length() > 0L && is.null(...names()) && all(vapply(list(...), is.list, NA))) return(compared_fits(list(object, ...)))
  refuse_extra(...)
  if (given_count(object$kernel) > 0L) refuse("the kernel is precomputed: there are no variables to test")
  if (!is.null(object$classes)) refuse("the tests are of normal errors, and the fit is to classes")
  if (!is.null(object$robust)) refuse("the tests are of normal errors, and the fit is robust")
  if (object$missing_values) refuse("the tests need each output in all rows, and y has missing values")
  if (is_estimated(object)) {
    refuse("the tests need matrices of all pairs of rows, which the route \"iterative\" does not make")
  }
  variables <- variables_of_fit(object)
  variables <- variables[vapply(variables, function(variable) length(variable$columns) > 0L, NA)]
  if (length(variables) == 0L) refuse("the fit has no penalised predictors")
  y <- if (is.null(object$offset)) object$y else object$y - object$offset
  tables <- lapply(seq_len(ncol(y)), function(j) {
    found <- vapply(variables, function(variable) score_test(object, variable, y[, j]), c(0, 0, 0))
    data.frame(lambda = found[1L, ], Q = found[2L, ], "Pr(>Q)" = found[3L, ], check.names = FALSE,
               row.names = paste0(if (ncol(y) > 1L) paste0(object$outputs[j], ":"), names(variables)))
  })
  structure(do.call(rbind, tables), class = c("anova", "data.frame"),
            heading = c("Score tests of variables, each against the fit whose kernel does not see it\n",
                        paste0("Kernel: ", shown_kernel(object, 3L), "\n")))
}

# c(lambda, q, p) of one output.
score_test <- function(fit, variable, y) {
  whole <- kernel_of_rows(fit, tested_kernel(fit, variable), points_of(fit))
  points <- points_of(fit)
  points[, variable$columns] <- 0
  null <- kernel_of_rows(fit, fit$kernel, points)
  model <- core_create(unclass(precomputed_kernel()), NULL, null, matrix(y), FALSE, fit$fixed)
  core_set_intercept(model, intercept_code(fit))
  if (!is.null(fit$weights)) core_set_weights(model, fit$weights)
  core_set_route(model, "spectral")
  core_factorize(model)
  # Without any other variable lambda is of no consequence, and REML has no value.
  lambda <- tryCatch(core_select_lambda(model, "reml", 0, 0)$lambda, freeridge_undefined = function(condition) 1)
  core_set_lambda(model, lambda)
  found <- core_score_test(model, whole - kernel_of_rows(fit, tested_kernel(fit, variable), points))
  c(lambda, found$statistic, found$p)
}

# The kernel's values at all pairs of rows.
kernel_of_rows <- function(fit, kernel, points) {
  points <- divided(if (is_sparse(points)) as.matrix(points) else points, fit$scale)
  if (kernel$name == "function") return(kernel_values(kernel, points, points))
  core_kernel_evaluate(unclass(kernel), points, points)
}

# The fit's kernel with lengths for the variable that were not learnt: a standard deviation of its column.
tested_kernel <- function(fit, variable) {
  if (is.null(fit$learning) || fit$lengths != "each") return(fit$kernel)
  spread <- if (is.null(fit$scale)) column_spread(fit)[variable$columns] else 1
  with_length <- function(kernel) {
    if (kernel$name == "scaled") {
      kernel$scale[variable$columns] <- spread
      return(kernel)
    }
    for (field in intersect(c("terms", "factors"), names(kernel))) {
      kernel[[field]] <- lapply(kernel[[field]], with_length)
    }
    kernel
  }
  with_length(fit$kernel)
}

# Several fits of the same rows, as anova() of package stats has linear models: each beside the one before it, with the
# effective degrees of freedom. For fits without a penalty the test is exact, else a guide, and the left-out errors say
# more.
compared_fits <- function(fits) {
  for (fit in fits) {
    if (!inherits(fit, "freeridge")) refuse("anova() compares fits of freeridge() with one another, not with ", shown(fit))
    if (!is.null(fit$classes)) refuse("the tests are of normal errors, and one fit is to classes")
    if (!is.null(fit$robust)) refuse("the tests are of normal errors, and one fit is robust")
    if (ncol(fit$y) > 1L) refuse("anova() compares fits of one response, and one has ", ncol(fit$y))
    same <- isTRUE(all.equal(as.vector(fit$y), as.vector(fits[[1L]]$y))) && identical(given_weights(fit), given_weights(fits[[1L]]))
    if (!same) refuse("the fits have not the same rows, responses and weights")
  }
  left <- vapply(fits, function(fit) unname(df.residual(fit)), 0)
  squares <- vapply(fits, function(fit) unname(deviance(fit)), 0)
  loo <- vapply(fits, function(fit) glance.freeridge(fit)$loo.rmse, 0)
  largest <- which.min(left)
  df <- c(NA, -diff(left))
  change <- c(NA, -diff(squares))
  f <- change / df / (squares[largest] / left[largest])
  table <- data.frame(Res.Df = left, RSS = squares, "Left-out RMSE" = loo, Df = df, "Sum of Sq" = change, F = f,
                      "Pr(>F)" = stats::pf(f, abs(df), left[largest], lower.tail = FALSE), check.names = FALSE)
  described <- vapply(fits, function(fit) {
    paste0(if (made_by_formula(fit)) shown_formula(formula(fit)), if (made_by_formula(fit)) ", ", shown_kernel(fit, 3L))
  }, "")
  structure(table, class = c("anova", "data.frame"),
            heading = c("Effective degrees of freedom, and errors of fitted and of left-out rows\n",
                        paste0("Model ", format(seq_along(fits)), ": ", described, collapse = "\n")))
}
