# Early stopping of gradient descent on least squares, in closed form, beside ridge regression.

early_stopping <- function(x, ...) {
  call <- formula_first(...names(), sys.call(), parent.frame())
  if (is.null(call)) UseMethod("early_stopping") else eval(call, parent.frame())
}

early_stopping.default <- function(x, y, steps = NULL, step = NULL, intercept = TRUE, scale = FALSE, ...) {
  refuse_extra(...)
  call <- match.call()
  call[[1L]] <- quote(early_stopping)
  all_given(x, y)
  data <- descent_data(x, y, "squared")
  if (is.null(steps)) steps <- unique(round(10^seq(0, 5, length.out = 51L)))
  steps <- check_steps(steps, 1)
  divisor <- column_scale(scale, data$x)
  points <- if (is.null(divisor)) data$x else sweep(data$x, 2L, divisor, "/")
  intercept <- check_flag(intercept, "intercept")
  step <- if (is.null(step)) 0 else check_one_positive(step, "step")
  found <- core_early_stopping(points, data$y, intercept, step, steps)
  table <- function(w, b) {
    if (!is.null(divisor)) w <- w / divisor
    out <- t(rbind(if (intercept) b, w, deparse.level = 0L))
    dimnames(out) <- list(in_digits(steps), c(if (intercept) "(Intercept)", feature_names(data$x)))
    out
  }
  size <- function(w) sqrt(colSums(w^2))
  path <- data.frame(
    steps = steps, lambda = found$lambda, df = found$df, ridge_df = found$ridge_df, norm = size(found$w),
    ridge_norm = size(found$ridge_w), difference = size(found$w - found$ridge_w) / pmax(size(found$ridge_w), 1e-300)
  )
  structure(list(call = call, x = data$x, scale = divisor, intercept = intercept, step = found$step, path = path,
                 coefficients = table(found$w, found$b), ridge = table(found$ridge_w, found$ridge_b)),
            class = "freeridge_early_stopping")
}

early_stopping.formula <- function(formula, data, subset, na.action, ...) {
  fit_formula("early_stopping", match.call(), parent.frame(), formula, TRUE, function(x, y, intercept, weights) {
    early_stopping.default(x, y, intercept = intercept, ...)
  })
}

coef.freeridge_early_stopping <- function(object, ridge = FALSE, ...) {
  refuse_extra(...)
  if (check_flag(ridge, "ridge")) object$ridge else object$coefficients
}

print.freeridge_early_stopping <- function(x, digits = 3L, ...) {
  print_call(x)
  cat("Gradient descent on least squares with the step ", format(x$step, digits = digits),
      ", stopped early, beside ridge regression with lambda = 1 / (step * steps)\n\n", sep = "")
  rows <- unique(round(seq(1, nrow(x$path), length.out = min(nrow(x$path), 11L))))
  print(x$path[rows, ], digits = digits, row.names = FALSE)
  invisible(x)
}

plot.freeridge_early_stopping <- function(x, main = "Early stopping and ridge regression", xlab = "steps",
                                          ylab = "coefficient x sd of its column", ...) {
  slopes <- if (x$intercept) -1L else seq_len(ncol(x$coefficients))
  size <- diag(apply(x$x, 2L, column_sd), ncol(x$x))
  descent <- x$coefficients[, slopes, drop = FALSE] %*% size
  ridge <- x$ridge[, slopes, drop = FALSE] %*% size
  steps <- x$path$steps
  graphics::matplot(steps, descent, type = "l", lty = 1L, col = "black", log = "x", xaxt = "n",
                    ylim = range(descent, ridge, 0), main = main, xlab = xlab, ylab = ylab,
                    sub = "solid: after so many steps; dashed: ridge", ...)
  decade_axis(range(steps))
  graphics::matlines(steps, ridge, lty = 2L, col = "grey40")
  graphics::abline(h = 0, col = "grey60")
  shown <- unique(round(seq(1, length(steps), length.out = 5L)))
  labels <- c(expression(lambda), signif(x$path$lambda[shown[-1L]], 2L))
  graphics::axis(3L, at = steps[shown], labels = labels, tick = FALSE, line = -0.8, cex.axis = 0.75)
  invisible(x$path)
}
