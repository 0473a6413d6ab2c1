# Errors along y and at right angles: residuals, fitted values, summaries and the picture of ols(), ridge() and tls().

directions_of_errors <- c("response", "orthogonal")

# "response": y - (w'x + b). "orthogonal", for tls() alone: the distances of the points from the hyperplane, with one
# output with the sign of y - (w'x + b).
residuals.freeridge_linear <- function(object, type = "response", ...) {
  refuse_extra(...)
  check_orthogonal(object, type)
  along_y <- residuals_matrix(object)
  if (type == "response") return(stats::naresid(object$na.action, shape(object, along_y)))
  distances <- if (ncol(object$y) == 1L) sign(along_y[, 1L]) * object$distances else object$distances
  stats::naresid(object$na.action, stats::setNames(distances, object$cases))
}

# "orthogonal": the nearest points of the hyperplane, [X + E, Y + F], x and y side by side.
fitted.freeridge_linear <- function(object, type = "response", ...) {
  refuse_extra(...)
  check_orthogonal(object, type)
  if (type == "response") return(predict(object))
  nearest <- cbind(object$x + object$x_correction, object$y + object$y_correction)
  outputs <- if (is.null(object$outputs)) "y" else object$outputs
  dimnames(nearest) <- list(object$cases, c(feature_names(object$x), outputs))
  stats::naresid(object$na.action, nearest)
}

check_orthogonal <- function(fit, type) {
  check_choice(type, "type", directions_of_errors)
  if (type == "orthogonal" && fit$method != "tls") {
    refuse("type is \"orthogonal\", but ", fit$method, "() measures errors along y; ",
           "tls() measures them at right angles")
  }
}

summary.freeridge_ridge <- function(object, ...) {
  refuse_extra(...)
  squares <- colSums(residuals_matrix(object)^2)
  centre <- if (object$intercept) colMeans(object$y) else 0
  structure(list(fit = object, coefficients = coef(object),
                 rmse = named_by_output(object, sqrt(squares / nrow(object$x))),
                 r.squared = named_by_output(object, 1 - squares / colSums(sweep(object$y, 2L, centre)^2))),
            class = c("summary.freeridge_ridge", "summary.freeridge_linear"))
}

summary.freeridge_tls <- function(object, ...) {
  refuse_extra(...)
  n <- nrow(object$x)
  structure(list(fit = object, coefficients = coef(object), singular_values = object$singular_values,
                 distance = sqrt(sum(object$distances^2) / n),
                 rmse = named_by_output(object, sqrt(colSums(residuals_matrix(object)^2) / n))),
            class = c("summary.freeridge_tls", "summary.freeridge_linear"))
}

residuals_matrix <- function(fit) fit$y - sweep(fit$x %*% fit$w, 2L, fit$b, "+")

print.summary.freeridge_linear <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  number <- function(values) short_numbers(values, digits)
  print_linear(x$fit, digits)
  cat("Coefficients:\n")
  print(x$coefficients, digits = digits, ...)
  cat("\nRoot mean squared residual: ", number(x$rmse), sep = "")
  if (x$fit$method == "ridge") {
    cat("; R-squared: ", number(x$r.squared), "\nFor standard errors, effective degrees of freedom and left-out ",
        "errors use freeridge() with\nlinear_kernel() and this lambda.\n", sep = "")
  } else {
    cat("\nRoot mean squared distance from the ", if (nrow(x$fit$w) == 1L) "line: " else "hyperplane: ",
        number(x$distance), "\nSmallest singular value", if (length(x$singular_values) > 1L) "s", " of [x y]",
        if (x$fit$intercept) ", centred", ": ", number(x$singular_values),
        "\nTotal least squares has no standard errors here.\n", sep = "")
  }
  invisible(x)
}

# Refuses what these fits do not have, and says where it is.
no_standard_errors <- function(fit, what) {
  instead <- switch(fit$method,
    ols = "summary() has the standard errors, and freeridge() with linear_kernel() and lambda = 0 more",
    ridge = "freeridge() with linear_kernel() and this lambda has",
    tls = "its errors are distances, see residuals(fit, \"orthogonal\")"
  )
  refuse(linear_titles[[fit$method]], " has no ", what, " here; ", instead)
}

vcov.freeridge_linear <- function(object, ...) {
  refuse_extra(...)
  no_standard_errors(object, "covariance of its coefficients")
}

deviance.freeridge_linear <- function(object, ...) {
  refuse_extra(...)
  if (object$method == "tls") no_standard_errors(object, "deviance")
  squares <- colSums(as.matrix(residuals(object))^2)
  if (length(squares) == 1L) unname(squares) else squares
}

variable.names.freeridge_linear <- function(object, ...) {
  refuse_extra(...)
  rownames(as.matrix(coef(object)))
}

sigma.freeridge_linear <- function(object, ...) {
  refuse_extra(...)
  no_standard_errors(object, "residual standard deviation")
}

df.residual.freeridge_linear <- function(object, ...) {
  refuse_extra(...)
  no_standard_errors(object, "degrees of freedom")
}

# The points of one feature and one output, the lines of least squares and of total least squares, and the errors that
# the fit measures: along y, or at right angles to the line, which takes one scale for both axes.
plot.freeridge_linear <- function(x, main = NULL, xlab = NULL, ylab = NULL, ...) {
  if (ncol(x$x) != 1L || ncol(x$y) != 1L) {
    refuse("plot() draws the line of a fit with one feature and one output; this one has ",
           counted(ncol(x$x), "feature"), " and ", counted(ncol(x$y), "output"))
  }
  if (x$method == "ridge") refuse("plot() draws the lines of ols() and tls(), not that of ridge()")
  lines <- list(ols = core_ols(x$x, x$y, x$intercept), tls = total_line(x))
  right_angles <- x$method == "tls"
  data <- data.frame(x = x$x[, 1L], y = x$y[, 1L], nearest_x = x$x[, 1L], nearest_y = as.vector(x$x %*% x$w + x$b),
                     row.names = case_labels(x))
  if (right_angles) data[3:4] <- fitted_points(x)
  if (is.null(main)) main <- linear_titles[[x$method]]
  if (is.null(xlab)) xlab <- feature_names(x$x)
  response <- if (made_by_formula(x)) deparse(x$terms[[2L]])[1L] else x$outputs
  if (is.null(ylab)) ylab <- if (is.null(response)) "y" else response
  graphics::plot.default(data$x, data$y, xlim = range(data$x, data$nearest_x), ylim = range(data$y, data$nearest_y),
                         asp = if (right_angles) 1 else NA, xlab = "", ylab = "", ...)
  graphics::segments(data$x, data$y, data$nearest_x, data$nearest_y, col = "grey60")
  for (name in names(lines)) {
    line <- lines[[name]]
    own <- name == x$method
    if (!is.null(line)) graphics::abline(line$b, line$w[[1L]], lty = if (own) 1L else 2L, lwd = if (own) 2 else 1)
  }
  other <- if (right_angles) "least squares" else if (is.null(lines$tls)) NULL else "total least squares"
  write_labels(main, paste0("errors ", if (right_angles) "at right angles" else "along y",
                            if (!is.null(other)) paste0("; dashed: ", other)), xlab, ylab)
  invisible(data)
}

fitted_points <- function(fit) list(fit$x[, 1L] + fit$x_correction[, 1L], fit$y[, 1L] + fit$y_correction[, 1L])

# The line of total least squares for the data of a fit; NULL where no line, or more than one, is the best.
total_line <- function(fit) {
  if (fit$method == "tls") return(fit)
  tryCatch(core_tls(fit$x, fit$y, fit$intercept, NULL), freeridge_error = function(condition) NULL)
}
