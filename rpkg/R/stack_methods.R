# The methods of a stack: predictions and their intervals, errors, and what print says.

predict.freeridge_stack <- function(object, newdata = NULL, interval = "none", level = 0.95, ...,
                                    type = if (is.null(object$classes)) "response" else "decision",
                                    learnt = FALSE, na.action = stats::na.pass) {
  refuse_extra(...)
  check_choice(type, "type", if (is.null(object$classes)) "response" else class_types)
  check_choice(interval, "interval", c("none", "prediction"))
  level <- check_fraction(level, "level")
  if (check_flag(learnt, "learnt") && interval == "none") {
    refuse("learnt is TRUE, which is for interval = \"prediction\"")
  }
  if (!is.null(object$classes)) {
    if (interval != "none") refuse("interval is \"", interval, "\", but the stack is of classes")
    decision <- predict.freeridge_stack(replace(object, "classes", list(NULL)), newdata, na.action = na.action)
    return(class_answers(object, decision, type, if (type != "decision") stack_calibration(object)))
  }
  new <- if (is.null(newdata)) {
    list(x = object$x, offset = object$offset, known = rep(TRUE, nrow(object$x)), names = object$cases, own = TRUE)
  } else {
    new_rows(object, newdata, na.action)
  }
  centre <- answered(new, function(x) stacked(object, x), new$offset)
  padded <- function(values) if (new$own) stats::napredict(object$na.action, values) else values
  labelled <- function(values) padded(shape(object, values, new$names))
  if (interval == "none") return(labelled(centre))
  ends <- vapply(seq_along(object$stacks), function(j) {
    error_quantiles(if (learnt) learnt_stack_errors(object, j) else object$stacks[[j]]$errors, level)
  }, numeric(2L))
  bound_columns(object, labelled, centre, list(lower = sweep(centre, 2L, ends[1L, ], "+"),
                                               upper = sweep(centre, 2L, ends[2L, ], "+")))
}

# Platt's two numbers for each output, as calibration() has them, from the left-out decision values of the stack.
stack_calibration <- function(fit) {
  if (!is.null(fit$calibration)) return(fit$calibration)
  vapply(seq_along(fit$stacks), function(j) {
    one <- fit$stacks[[j]]
    y <- fit$y[one$rows, j]
    platt_scaling(y - one$errors, y > 0, if (is.null(fit$weights)) rep(1, length(y)) else fit$weights[one$rows])
  }, numeric(2L))
}

# The predictions of the stack at rows x, m x t. Members without a weight are not asked.
stacked <- function(fit, x) {
  columns <- lapply(fit$stacks, function(one) {
    value <- 0
    for (name in names(one$members)[one$w > 0]) value <- value + one$w[[name]] * predicted_by(one$members[[name]], x)
    value
  })
  matrix(unlist(columns), nrow(x))
}

# Ends of the errors such that of n + 1 that can be in any order the last one is between them with this probability: the
# (n + 1) (1 - level) / 2 smallest and largest; infinite where n is too small.
error_quantiles <- function(errors, level) {
  errors <- sort(errors[is.finite(errors)])
  place <- floor((length(errors) + 1) * (1 - level) / 2 + 1e-9)
  if (place < 1) return(c(-Inf, Inf))
  c(errors[place], rev(errors)[place])
}

# The errors of all rows in their order: y less what is predicted without the row; for rows of weight zero, which are in
# no member, y less the prediction.
loo.freeridge_stack <- function(object, ..., learnt = FALSE) {
  refuse_extra(...)
  values <- object$y - fitted_stack(object)
  for (j in seq_along(object$stacks)) {
    one <- object$stacks[[j]]
    values[one$rows, j] <- if (check_flag(learnt, "learnt")) learnt_stack_errors(object, j) else one$errors
  }
  stats::naresid(object$na.action, shape(object, values))
}

# The left-out errors of output j with the kernels and lambdas of the members learnt again, where they were learnt, and
# the weights, too. What is between the members and y (transforms, ranks, robust weights) stays. Made once for each fit.
learnt_stack_errors <- function(fit, j) {
  known <- fit$cache$learnt[[as.character(j)]]
  if (!is.null(known)) return(known)
  one <- fit$stacks[[j]]
  y <- response_of_stack(fit)[one$rows, j]
  members <- lapply(one$members, function(member) {
    if (!is.null(why_not_learnt_again(member$fit)) || is.null(member$fit$learning)) return(member)
    again <- as.vector(loo(member$fit, learnt = TRUE))
    map <- member$y_map
    member$errors <- if (is.null(map)) again else y - smeared(map, to_response(map, y) - again)
    member
  })
  found <- weighed(members, y, fit$weights[one$rows])$errors
  fit$cache$learnt[[as.character(j)]] <- found
  found
}

# What the members were fitted to.
response_of_stack <- function(fit) if (is.null(fit$offset)) fit$y else fit$y - fit$offset

fitted_stack <- function(fit) {
  values <- stacked(fit, fit$x)
  if (is.null(fit$offset)) values else values + fit$offset
}

fitted.freeridge_stack <- function(object, ...) {
  refuse_extra(...)
  stats::napredict(object$na.action, shape(object, fitted_stack(object)))
}

residuals.freeridge_stack <- function(object, type = "response", ...) {
  refuse_extra(...)
  check_choice(type, "type", c("response", "loo"))
  if (type == "loo") return(loo(object))
  stats::naresid(object$na.action, shape(object, object$y - fitted_stack(object)))
}

# The weights of the members, for several outputs a column each; 0 for a member that an output does not have.
coef.freeridge_stack <- function(object, ...) {
  refuse_extra(...)
  names <- intersect(stack_names, unlist(lapply(object$stacks, function(one) names(one$w))))
  value <- vapply(object$stacks, function(one) {
    found <- one$w[names]
    ifelse(is.na(found), 0, found)
  }, numeric(length(names)))
  value <- matrix(value, length(names), dimnames = list(names, object$outputs))
  if (object$vector) drop_to_vector(value) else value
}

weights.freeridge_stack <- function(object, ...) {
  refuse_extra(...)
  if (is.null(object$weights)) NULL else stats::naresid(object$na.action, object$weights)
}

nobs.freeridge_stack <- function(object, use.fallback = FALSE, ...) {  # stats::sigma() says use.fallback = TRUE
  refuse_extra(...)
  length(unique(unlist(lapply(object$stacks, `[[`, "rows"))))
}

formula.freeridge_stack <- formula.freeridge
terms.freeridge_stack <- terms.freeridge
model.frame.freeridge_stack <- model.frame.freeridge

# list(members, held, learnt, r2): a table with a row for each member of an output: its weight, the root of the
# (weighted) mean of its squared left-out errors, and the seconds it took; the same root for the stack, with the
# members' kernels held and, of few rows, learnt again (else NULL); R squared of the last of them.
stack_table <- function(fit, j) {
  one <- fit$stacks[[j]]
  weights <- if (is.null(fit$weights)) rep(1, length(one$rows)) else fit$weights[one$rows]
  rmse <- function(errors) {
    known <- is.finite(errors)
    sqrt(sum(weights[known] * errors[known]^2) / sum(weights[known]))
  }
  table <- data.frame(weight = one$w, loo_rmse = vapply(one$members, function(member) rmse(member$errors), 0),
                      seconds = one$seconds[names(one$w)], row.names = names(one$w))
  y <- fit$y[one$rows, j]
  held <- rmse(one$errors)
  learnt <- if (length(one$rows) <= few_to_learn_again) rmse(learnt_stack_errors(fit, j))
  if (identical(learnt, NaN)) learnt <- NULL  # as where y does not vary
  list(members = table, held = held, learnt = learnt,
       r2 = 1 - (c(learnt, held)[1L] / rmse(y - stats::weighted.mean(y, weights)))^2)
}

print_stack <- function(fit, digits) {
  print_call(fit)
  cat("A stack of fits to ", counted(nobs(fit), "point"), ", ", counted(ncol(fit$x), "feature"), ", ",
      counted(ncol(fit$y), "output"), if (!is.null(fit$weights)) "; weighted points",
      if (!is.null(fit$offset)) "; offset", "\n", sep = "")
  if (!is.null(fit$na.action)) cat(stats::naprint(fit$na.action), "\n", sep = "")
  if (!is.null(fit$classes)) {
    cat("Classes: ", shown_classes(fit), "\n", sep = "")
    rows <- fit$stacks[[1L]]$rows  # those of all outputs, as classes have no missing values
    y <- fit$y[rows, , drop = FALSE]
    errors <- matrix(unlist(lapply(fit$stacks, `[[`, "errors")), length(rows))
    wrong <- row_labels(fit, y - errors, stack_calibration(fit)) != row_labels(fit, y)
    weights <- if (is.null(fit$weights)) rep(1, length(rows)) else fit$weights[rows]
    wrong <- stats::weighted.mean(wrong, weights, na.rm = TRUE)
    cat("Left-out points in a wrong class: ", format(100 * wrong, digits = min(digits, 3L)), " %\n", sep = "")
  }
}

print_members <- function(fit, j, digits) {
  table <- stack_table(fit, j)
  if (length(fit$stacks) > 1L) cat("\nOutput ", fit$outputs[j], "\n", sep = "")
  print(data.frame(weight = round(table$members$weight, 3L), loo_rmse = signif(table$members$loo_rmse, digits),
                   row.names = paste0(row.names(table$members), " ", member_words(fit$stacks[[j]]))))
  number <- function(value) short_numbers(value, digits)
  wrapped({
    again <- if (is.null(table$learnt)) {
      "; the members' kernels held"
    } else {
      paste0(", and kernels learnt again without the row or its fold; with these held ", number(table$held))
    }
    cat("Left-out error of the stack: ", number(c(table$learnt, table$held)[1L]),
        if (is.finite(table$r2)) paste0(" (R squared ", number(table$r2), ")"),
        "\n  weights found again without each row", again, "\n", sep = "")
  })
  copies <- copies_in(fit$stacks[[j]]$members$default$fit)
  if (copies > 0L) {
    wrapped(cat("  ", copies, if (copies == 1L) " row is a copy of another" else " rows are copies of others",
                ", which stay when one is left out: all left-out errors are too small\n", sep = ""))
  }
  out <- fit$stacks[[j]]$left_out
  wrapped(for (name in names(out)) cat("  without ", name, ": ", out[[name]], "\n", sep = ""))
}

# What a member is, beside its name.
member_words <- function(one) {
  vapply(one$members, function(member) {
    words <- map_words(member$y_map)
    if (is.null(words)) "" else paste0("(", words, ")")
  }, "")
}

print.freeridge_stack <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_stack(x, digits)
  for (j in seq_along(x$stacks)) print_members(x, j, digits)
  invisible(x)
}

summary.freeridge_stack <- function(object, ...) {
  refuse_extra(...)
  tables <- lapply(seq_along(object$stacks), function(j) stack_table(object, j))
  residuals <- object$y - fitted_stack(object)
  weights <- if (is.null(object$weights)) rep(1, nrow(residuals)) else object$weights
  mean_square <- function(values) observed_means(values^2, weights, object$y)
  left_out <- vapply(tables, function(table) c(table$learnt, table$held)[1L], 0)
  outputs <- data.frame(rmse = sqrt(mean_square(residuals)), loo_rmse = left_out,
                        loo_r2 = vapply(tables, `[[`, 0, "r2"), row.names = object$outputs)
  members <- lapply(tables, `[[`, "members")
  members <- if (object$vector) members[[1L]] else stats::setNames(members, object$outputs)
  structure(list(fit = object, outputs = outputs, members = members), class = "summary.freeridge_stack")
}

print.summary.freeridge_stack <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  fit <- x$fit
  print_stack(fit, digits)
  for (j in seq_along(fit$stacks)) {
    print_members(fit, j, digits)
    one <- fit$stacks[[j]]
    wrapped(for (name in names(one$members)) {
      member <- one$members[[name]]$fit
      cat("  ", name, ": ", shown_kernel(member, digits), "; lambda ",
          short_numbers(unname(member$lambda), digits), "; ", format(one$seconds[[name]], digits = 2L), " s\n",
          sep = "")
    })
  }
  cat("\nRoot mean squared errors of the fitted and the left-out points:\n")
  print_outputs(x$outputs, digits)
  invisible(x)
}

# The response of output `output` against what the stack predicts without the row.
plot.freeridge_stack <- function(x, output = 1, xlab = "prediction without the point", ylab = "response",
                                 main = "Left-out points", ...) {
  output <- check_whole(output, "output", 1)
  if (output > length(x$stacks)) refuse("output is ", output, ", the stack has ", length(x$stacks))
  one <- x$stacks[[output]]
  y <- x$y[one$rows, output]
  plot(y - one$errors, y, xlab = xlab, ylab = ylab, main = main, ...)
  graphics::abline(0, 1, lty = 2)
  invisible(x)
}

# What prediction needs and no more.
predictor.freeridge_stack <- function(object, ...) {
  refuse_extra(...)
  value <- unclass(object)[c("call", "vector", "outputs", "kernel", "terms", "xlevels", "contrasts", "columns", "classes")]
  if (!is.null(object$classes)) value$calibration <- stack_calibration(object)
  if (!is.null(object$offset)) value$offset <- TRUE
  value$terms <- lean_terms(object$terms)
  value$x <- object$x[0L, , drop = FALSE]
  value$stacks <- lapply(object$stacks, function(one) {
    one$members <- lapply(one$members[one$w > 0], function(member) {
      list(fit = predictor(member$fit), x_map = member$x_map, y_map = member$y_map)
    })
    one$w <- one$w[names(one$members)]
    one[c("members", "w", "errors")]
  })
  structure(value, class = "freeridge_stack_predictor")
}

predict.freeridge_stack_predictor <- function(object, newdata, interval = "none", level = 0.95, ...,
                                              type = if (is.null(object$classes)) "response" else "decision",
                                              na.action = stats::na.pass) {
  refuse_extra(...)
  if (missing(newdata)) refuse("newdata is missing: a predictor has no rows of its own")
  predict.freeridge_stack(object, newdata, interval, level, type = type, na.action = na.action)
}

print.freeridge_stack_predictor <- function(x, ...) {
  names <- unique(unlist(lapply(x$stacks, function(one) names(one$w))))
  wrapped(cat("Predictor of a stack with the members ", paste(names, collapse = ", "), "\n", sep = ""))
  invisible(x)
}
