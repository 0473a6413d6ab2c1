# Gradient descent on the losses that the package solves exactly, for teaching and comparison.

gradient_descent <- function(x, ...) {
  call <- formula_first(...names(), sys.call(), parent.frame())
  if (is.null(call)) UseMethod("gradient_descent") else eval(call, parent.frame())
}

loss_codes <- c(squared = 3L, absolute = 4L, logistic = 1L, hinge = 2L)  # as in freeridge.h
loss_titles <- c(squared = "squared loss", absolute = "absolute loss", logistic = "logistic loss", hinge = "hinge loss")
step_rules <- c(auto = 0L, constant = 1L, inverse = 2L, root = 3L)

gradient_descent.default <- function(x, y, loss = "squared", lambda = 0, epochs = 100, batch = NULL, step = NULL,
                                     rule = "auto", average = FALSE, seed = 0, steps = NULL, start = NULL,
                                     intercept = TRUE, weights = NULL, scale = FALSE, development = NULL, ...) {
  refuse_extra(...)
  call <- match.call()
  call[[1L]] <- quote(gradient_descent)
  all_given(x, y)
  data <- descent_data(x, y, check_choice(loss, "loss", names(loss_codes)))
  n <- nrow(data$x)
  batch <- if (is.null(batch)) n else check_whole(batch, "batch", 1, n)
  fit <- c(list(call = call, loss = loss, lambda = check_lambda(lambda, 1L)), data, list(
    intercept = check_flag(intercept, "intercept"), weights = weights, batch = min(batch, n),
    rule = check_choice(rule, "rule", names(step_rules)), average = check_flag(average, "average"),
    seed = check_whole(seed, "seed"), kernel = linear_kernel(), vector = TRUE, cases = rownames(data$x)
  ))
  if (!is.null(weights)) fit$weights <- check_positive(weights, "weights", n, "row")
  fit$scale <- column_scale(scale, fit$x)
  if (is.null(steps)) {
    total <- check_whole(epochs, "epochs", 1) * ceiling(n / fit$batch)
    steps <- unique(round(seq(0, total, length.out = min(total, 100) + 1)))
  }
  fit <- descended(fit, check_steps(steps, 0), if (is.null(step)) 0 else check_one_positive(step, "step"), start)
  class(fit) <- "freeridge_descent"
  with_development(fit, development)
}

gradient_descent.formula <- function(formula, data, subset, na.action, weights, development = NULL, ...) {
  fit_to <- function(x, y, intercept, weights) {
    gradient_descent.default(x, y, weights = weights, intercept = intercept, ...)
  }
  with_development(fit_formula("gradient_descent", match.call(), parent.frame(), formula, TRUE, fit_to), development)
}

# x and y as the core takes them; labels are -1 and +1.
descent_data <- function(x, y, loss, name = "x") {
  x <- numeric_matrix(x, name)
  classes <- if (loss %in% c("logistic", "hinge")) two_classes(y)
  y <- if (is.null(classes)) response_matrix(y) else as.matrix(classes$y)
  if (ncol(y) != 1L) refuse("y has ", ncol(y), " columns; gradient descent takes one")
  if (nrow(y) != nrow(x)) refuse("y has ", nrow(y), " rows, ", name, " has ", nrow(x))
  if (is.null(classes)) check_row_names(x, y)
  list(x = x, y = as.vector(y), levels = classes$levels, known = classes$known, kind = classes$kind)
}

# Numbers of steps: whole, ascending, and at least `low`.
check_steps <- function(steps, low) {
  good <- is.numeric(steps) && length(steps) > 0L && all(is.finite(steps)) && all(steps == round(steps)) &&
    all(steps >= low) && all(steps <= 2^53) && all(diff(steps) > 0)
  if (!good) refuse("steps must be ascending whole numbers >= ", low, ", not ", shown_values(steps))
  as.double(steps)
}

# The columns as gradient descent sees them: with a scale they are divided by it and, with an intercept, centred.
standardised <- function(fit, x) {
  if (is.null(fit$scale)) return(x)
  if (fit$intercept) x <- sweep(x, 2L, fit$centre)
  sweep(x, 2L, fit$scale, "/")
}

# The fit with its path: coefficients in the units of x, one row for each number of steps.
descended <- function(fit, steps, step, start) {
  d <- ncol(fit$x)
  if (!is.null(fit$scale)) fit$centre <- if (fit$intercept) colMeans(fit$x) else rep(0, d)
  if (!is.null(start)) {
    if (!is.numeric(start) || length(start) != d + fit$intercept) {
      refuse("start must be ", d + fit$intercept, " numbers, as coef() gives them, not ", shown(start))
    }
    check_finite(start, "start")
    start <- as.double(start)
    b <- if (fit$intercept) start[1L] else 0
    w <- if (fit$intercept) start[-1L] else start
    if (!is.null(fit$scale)) {
      b <- b + sum(fit$centre * w)
      w <- w * fit$scale
    }
    start <- c(w, b)
  }
  plan <- list(intercept = fit$intercept, rule = step_rules[[fit$rule]], step = step, batch = fit$batch,
               seed = fit$seed, average = fit$average)
  found <- core_gradient_descent(loss_codes[[fit$loss]], standardised(fit, fit$x), fit$y, fit$weights, fit$lambda,
                                 start, plan, steps)
  if (!is.null(fit$scale)) {
    found$w <- found$w / fit$scale
    found$b <- found$b - colSums(fit$centre * found$w)
  }
  coefficients <- rbind(if (fit$intercept) found$b, found$w)
  names <- feature_names(fit$x)
  dimnames(coefficients) <- list(c(if (fit$intercept) "(Intercept)", names), in_digits(steps))
  fit$step <- found$step
  fit$path <- data.frame(step = steps, epoch = steps / ceiling(nrow(fit$x) / fit$batch), objective = found$objective)
  fit$coefficients <- t(coefficients)
  fit
}

# Whole numbers as text: 100000, not 1e+05.
in_digits <- function(values) format(values, trim = TRUE, scientific = FALSE)

# w (d x records) and b of the path.
path_of <- function(fit) {
  all <- t(fit$coefficients)
  if (fit$intercept) list(w = all[-1L, , drop = FALSE], b = all[1L, ]) else list(w = all, b = rep(0, ncol(all)))
}

# The mean loss of rows at each recorded step.
mean_losses <- function(fit, x, y, weights) {
  at <- path_of(fit)
  core_loss_gradient(loss_codes[[fit$loss]], x, y, weights / sum(weights), 0, at$w, unname(at$b))$objective
}

# The fit with the mean losses of other rows along its path. development: list(x, y), or for a fit by a formula a data
# frame.
with_development <- function(fit, development) {
  if (is.null(development)) return(fit)
  if (is.null(fit$terms)) {
    if (!is.list(development) || !all(c("x", "y") %in% names(development))) {
      refuse("development must be a list with x and y, not ", shown(development))
    }
    x <- new_rows(fit, development$x)$x
    y <- development$y
  } else {
    x <- new_rows(fit, development)$x
    check_columns(fit$response_columns, development, "development")
    y <- stats::model.response(new_frame(fit$terms, without_integer64(development), fit$xlevels,
                                         "development does not fit the model: "))
  }
  y <- if (is.null(fit$levels)) as.vector(response_matrix(y)) else labels_like(fit, y)
  if (length(y) != nrow(x)) {
    refuse("development has ", counted(nrow(x), "known row"), " and ", counted(length(y), "response"))
  }
  fit$path$training <- mean_losses(fit, fit$x, fit$y, weights_or_ones(fit))
  fit$path$development <- mean_losses(fit, x, y, rep(1, length(y)))
  fit$best <- fit$path$step[which.min(fit$path$development)]
  fit
}

# The labels of other rows as -1 and +1.
labels_like <- function(fit, y) {
  known <- match(as.character(y), fit$levels)
  if (anyNA(known)) refuse("development has a label that the fit does not know, ", shown(y[[which(is.na(known))[1L]]]))
  c(-1, 1)[known]
}

# The row of the path that belongs to a number of steps, to "best", or (NULL) the last one.
path_row <- function(fit, step) {
  if (is.null(step)) return(nrow(fit$path))
  if (identical(step, "best")) {
    if (is.null(fit$best)) refuse("step is \"best\", but there is no development set")
    step <- fit$best
  }
  row <- if (is.numeric(step) && length(step) == 1L) match(step, fit$path$step) else NA
  if (is.na(row)) {
    refuse("step must be one of the recorded numbers of steps (x$path$step) or \"best\", not ", shown(step))
  }
  row
}

coef.freeridge_descent <- function(object, step = NULL, ...) {
  refuse_extra(...)
  stats::setNames(object$coefficients[path_row(object, step), ], colnames(object$coefficients))
}

predict.freeridge_descent <- function(object, newdata = NULL, type = "decision", step = NULL,
                                      na.action = stats::na.pass, ...) {
  refuse_extra(...)
  check_choice(type, "type", class_types)
  if (is.null(object$levels) && type %in% c("class", "probability")) {
    refuse("type is \"", type, "\", but the response has no classes")
  }
  if (type == "response" && !is.null(object$levels)) type <- if (object$loss == "hinge") "class" else "probability"
  if (type == "probability" && object$loss == "hinge") {
    refuse("type is \"probability\", but the hinge loss has decision values only")
  }
  found <- coef(object, step)
  w <- if (object$intercept) found[-1L] else found
  at <- function(x) x %*% w + (if (object$intercept) found[[1L]] else 0)
  if (is.null(newdata)) {
    values <- at(object$x)[, 1L]
    names <- object$cases
  } else {
    new <- new_rows(object, newdata, na.action)
    values <- answered(new, at)[, 1L]
    names <- new$names
  }
  if (type == "probability") values <- stats::plogis(values)
  if (type == "class") values <- as_classes(object, values)
  stats::setNames(values, names)
}

fitted.freeridge_descent <- function(object, ...) {
  refuse_extra(...)
  predict(object)
}

nobs.freeridge_descent <- function(object, use.fallback = FALSE, ...) {
  refuse_extra(...)
  nrow(object$x)
}

print.freeridge_descent <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_call(x)
  last <- x$path[nrow(x$path), ]
  short <- function(value) format(value, digits = digits)
  cat(if (x$batch < nrow(x$x)) "Stochastic gradient descent" else "Gradient descent", ", ", loss_titles[[x$loss]],
      if (x$loss %in% c("hinge", "absolute")) " (subgradients)", ": ", counted(nrow(x$x), "point"), ", ",
      counted(ncol(x$x), "feature"), "; lambda: ", short(x$lambda), "\n", sep = "")
  cat(counted(last$step, "step"), " of ", if (x$batch < nrow(x$x)) counted(x$batch, "row") else "all rows",
      ", ", short(last$epoch), " epochs; step: ", short(x$step), ", rule: ", x$rule,
      if (x$average) "; averaged iterates", "\n", sep = "")
  cat("objective: ", short(x$path$objective[1L]), " -> ", short(last$objective), "\n", sep = "")
  if (!is.null(x$best)) {
    cat("mean loss of the development set: ", short(last$development), "; lowest: ", short(min(x$path$development)),
        " after ", counted(x$best, "step"), "\n", sep = "")
  }
  cat("\n")
  print(coef(x), digits = digits)
  invisible(x)
}

plot.freeridge_descent <- function(x, type = if (is.null(x$best)) "objective" else "development", ...) {
  check_choice(type, "type", c("objective", "development", "coefficients"))
  if (type == "development" && is.null(x$best)) refuse("type is \"development\", but there is no development set")
  steps <- x$path$step
  if (type == "coefficients") {
    slopes <- t(path_of(x)$w) %*% diag(apply(x$x, 2L, column_sd), ncol(x$x))
    draw_curves(steps, slopes, main = "Coefficients", ylab = "coefficient x sd of its column", ...)
    graphics::abline(h = 0, col = "grey60")
  } else if (type == "objective") {
    draw_curves(steps, cbind(x$path$objective), main = "Gradient descent", ylab = "objective", ...)
  } else {
    draw_curves(steps, cbind(x$path$development, x$path$training), main = "Early stopping",
                ylab = "mean loss (dashed: of the training rows)", ...)
    best <- match(x$best, steps)
    graphics::points(x$best, x$path$development[best], pch = 19)
  }
  invisible(x$path)
}

# Draws the columns of `values` against steps.
draw_curves <- function(steps, values, xlab = "step", ...) {
  graphics::matplot(steps, values, type = "l", col = "black", lty = seq_len(6L), xlab = xlab, ...)
}

# The objective of a loss and its gradient, at w and b of x'w + b, and at c and b of K c + b.
loss_gradient <- function(x, y, w, b = 0, loss = "squared", lambda = 0, weights = NULL) {
  all_given(x, y, w)
  data <- descent_data(x, y, check_choice(loss, "loss", names(loss_codes)))
  w <- coefficients_at(w, "w", ncol(data$x), "column of x")
  gradient_list(core_loss_gradient(loss_codes[[loss]], data$x, data$y, row_weights(weights, data),
                                   check_lambda(lambda, 1L), matrix(w), coefficients_at(b, "b", 1L, "output")),
                feature_names(data$x))
}

expansion_gradient <- function(k, y, c, b = 0, loss = "squared", lambda = 0, weights = NULL) {
  all_given(k, y, c)
  data <- descent_data(k, y, check_choice(loss, "loss", names(loss_codes)), "k")
  if (ncol(data$x) != nrow(data$x)) refuse("k is ", nrow(data$x), " x ", ncol(data$x), "; it must be square")
  gradient_list(core_expansion_gradient(loss_codes[[loss]], data$x, data$y, row_weights(weights, data),
                                        check_lambda(lambda, 1L), coefficients_at(c, "c", ncol(data$x), "row"),
                                        coefficients_at(b, "b", 1L, "output")), rownames(data$x))
}

gradient_list <- function(found, names) {
  list(objective = found$objective, gradient = stats::setNames(as.vector(found$gradient), names),
       gradient_b = found$gradient_b)
}

row_weights <- function(weights, data) {
  if (!is.null(weights)) check_positive(weights, "weights", nrow(data$x), "row")
}

# `count` finite numbers.
coefficients_at <- function(value, name, count, things) {
  if (!is.numeric(value) || length(value) != count) {
    refuse(name, " must be ", counted(count, "number"), ", one for each ", things, ", not ", shown(value))
  }
  check_finite(as.double(value), name)
  as.double(value)
}
