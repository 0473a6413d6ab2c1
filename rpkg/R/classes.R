# Classification by a fit: a factor or logical response as outputs of -1 and +1, one against all, and decision values as
# classes and probabilities.

# Labels as numbers, list(y, levels, known, kind); NULL for a response without labels. known: the levels that y has, and
# levels those of them that some row has. Of two classes y is a vector, +1 for the second level (TRUE) as in glm, else -1.
# Of more classes it is a matrix with a column for each level, +1 where the row is of that class, else -1.
class_coding <- function(y) {
  if (is.factor(y)) {
    known <- levels(y)
    code <- as.integer(y)
  } else if (is.logical(y) && is.null(dim(y))) {
    known <- c("FALSE", "TRUE")
    code <- y + 1L
  } else {
    return(NULL)
  }
  missing <- which(is.na(code))
  if (length(missing) > 0L) refuse("y[", missing[1L], "] is NA; all labels must be known")
  there <- sort(unique(code))
  if (length(there) < 2L) {
    refuse("y has ", if (length(code) == 0L) "no rows" else paste("one class only,", known[there]),
           "; there must be two or more")
  }
  list(y = coded_classes(match(code, there), known[there], names(y)), levels = known[there], known = known,
       kind = if (is.factor(y)) "factor" else "logical")
}

# code: the number of the level of each row.
coded_classes <- function(code, levels, names = NULL) {
  if (length(levels) == 2L) return(stats::setNames(c(-1, 1)[code], names))
  coded <- matrix(-1, length(code), length(levels), dimnames = list(names, levels))
  coded[cbind(seq_along(code), code)] <- 1
  coded
}

# For print: each class and how many rows it has.
shown_classes <- function(fit, counts = if (fit$vector) c(sum(fit$y < 0), sum(fit$y > 0)) else colSums(fit$y > 0)) {
  paste0(short_names(paste0(fit$classes$levels, " (", counts, ")")),
         if (fit$vector) "; coded as -1 and +1" else "; one against all, coded as -1 and +1")
}

# A + B f of decision values f, with the numbers of calibration(): their order is that of the probabilities.
log_odds <- function(decision, scaling) {
  if (is.null(dim(decision))) return(scaling[1L] + scaling[2L] * decision)
  sweep(sweep(decision, 2L, scaling[2L, ], `*`), 2L, scaling[1L, ], `+`)
}

# Labels of decision values: of two classes by the sign, of more the class with the largest value; with `scaling`, the
# classes with the largest probability.
as_labels <- function(classes, decision, scaling = NULL) {
  if (!is.null(scaling)) decision <- log_odds(decision, scaling)
  if (is.null(dim(decision))) {
    code <- (decision > 0) + 1L
    names <- names(decision)
  } else {
    code <- rep(NA_integer_, nrow(decision))
    known <- !is.na(rowSums(decision))
    code[known] <- max.col(decision[known, , drop = FALSE], ties.method = "first")
    names <- rownames(decision)
  }
  labels <- if (classes$kind == "logical") code == 2L else factor(classes$levels[code], levels = classes$known)
  stats::setNames(labels, names)
}

# The same as text, of decision values as a matrix, points x outputs.
row_labels <- function(fit, decision, scaling = NULL) {
  as.character(as_labels(fit$classes, if (fit$vector) as.vector(decision) else decision, scaling))
}

class_types <- c("decision", "class", "probability", "response")

predict.freeridge_classes <- function(object, newdata = NULL, lambda = NULL, type = "decision", ...,
                                      na.action = stats::na.pass, fixed = NULL) {
  check_choice(type, "type", class_types)
  if (type == "decision") return(predict.freeridge(object, newdata, lambda, ..., na.action = na.action, fixed = fixed))
  if (...length() > 0L) {
    refuse("type is \"", type, "\", which takes no further arguments but newdata, lambda, na.action and fixed")
  }
  if (!is.null(lambda)) lambda <- check_lambda(lambda, ncol(object$y), object$outputs)
  decision <- predict.freeridge(object, newdata, lambda, na.action = na.action, fixed = fixed)
  class_answers(object, decision, type, if (type == "class") known_calibration(object, lambda) else calibration(object, lambda))
}

# What `type` asks for, made of the decision values of a fit or a predictor.
class_answers <- function(fit, decision, type, scaling) {
  if (type == "decision") return(decision)
  if (type == "class") return(as_labels(fit$classes, decision, scaling))
  values <- probabilities(fit$classes$levels, decision, scaling)
  if (type == "response" && fit$vector) return(values[, 2L])  # as glm(): the probability of the second level
  of_all_levels(values, fit$classes$known)
}

# Probabilities with a column for each level, 0 for one without rows.
of_all_levels <- function(values, known) {
  if (identical(colnames(values), known)) return(values)
  all <- matrix(0, nrow(values), length(known), dimnames = list(rownames(values), known))
  all[, colnames(values)] <- values
  all
}

# The classes that rows get when they are left out.
left_out_classes <- function(fit) {
  if (!is.null(fit$cache$left_out)) return(fit$cache$left_out)
  levels <- fit$classes$levels
  left_out <- row_labels(fit, fit$y - core_by_row(model_at(fit), "loo"), known_calibration(fit))
  fit$cache$left_out <- wrong_classes(factor(row_labels(fit, fit$y), levels), factor(left_out, levels), weights_or_ones(fit))
}

# Of rows with a class and a predicted one, factors with the same levels. error: the share (by weight) that is wrong;
# largest_error: the share that would be wrong if every row got the largest class; each: the share that is wrong in each
# class; table: both classes.
wrong_classes <- function(actual, predicted, weights) {
  levels <- levels(actual)
  known <- !is.na(predicted)  # a leverage of one leaves no value
  wrong <- function(rows) sum(weights[rows & actual != predicted]) / sum(weights[rows])
  mass <- vapply(levels, function(level) sum(weights[actual == level]), 0)
  list(
    error = wrong(known), largest = levels[which.max(mass)], largest_error = 1 - max(mass) / sum(mass),
    each = vapply(levels, function(level) wrong(known & actual == level), 0),
    table = table(class = actual, "left out" = predicted)
  )
}

# Whether print() shows left-out classes: where they are known, or cost no further factorization.
has_left_out_classes <- function(fit) {
  if (is.null(fit$classes)) return(FALSE)
  !is_estimated(fit) && (!is.null(fit$cache$left_out) || left_out_are_at_hand(fit))
}

# Whether left-out errors take no further factorization, and no long pass.
left_out_are_at_hand <- function(fit) {
  !is_estimated(fit) && core_is_alive(fit$cache$model) && nrow(fit$y) <= (if (fit$route == "cholesky") 2000L else 20000L)
}

# print() names a class of which more than this share of the rows gets another class. So it goes with a linear kernel,
# which separates each class from all others by a plane, for a class that lies between two others.
poor_class <- 1 / 4

print_left_out_classes <- function(fit, found, digits) {
  percent <- function(share) paste(format(100 * share, digits = min(digits, 3L)), "%")
  cat("Left-out points in a wrong class: ", percent(found$error), " (", percent(found$largest_error),
      " if all were in the largest class, ", found$largest, ")", if (!is.null(fit$learning)) ", with the kernel held", "\n", sep = "")
  poor <- which(found$each > poor_class)
  if (length(poor) == 0L || ncol(fit$x) == 0L || !is_linear(fit$kernel)) return(invisible())
  cat("  ", paste0(percent(found$each[poor]), " of those of class ", names(poor), collapse = ", "), ": ",
      "try kernel = gaussian_kernel(), which is not bound to planes\n", sep = "")
}

# Platt's two numbers (A, B) for each output, P(+1 | f) = 1 / (1 + exp(-(A + B f))), from the left-out decision values.
calibration <- function(fit, lambda = NULL) {
  if (is.null(lambda) && !is.null(fit$cache$calibration)) return(fit$cache$calibration)
  decision <- fit$y - core_by_row(model_at(fit, lambda), "loo")
  weights <- weights_or_ones(fit)
  found <- vapply(seq_len(ncol(fit$y)), function(j) platt_scaling(decision[, j], fit$y[, j] > 0, weights), numeric(2L))
  if (is.null(lambda)) fit$cache$calibration <- found
  found
}

# NULL where the fit has no left-out values of both signs: then a class is the one of the largest decision value.
known_calibration <- function(fit, lambda = NULL) {
  if (is_estimated(fit)) return(NULL)
  tryCatch(calibration(fit, lambda), freeridge_error = function(condition) NULL)
}

# c(A, B) by Platt's method, from the decision values that exist. (At a leverage of one there is no left-out value.) Weights
# are in units of their mean: a common factor of them changes no probability.
platt_scaling <- function(decision, positive, weights) {
  known <- !is.nan(decision)
  core_calibrate(decision[known], ifelse(positive[known], 1, -1), weights[known] / mean(weights[known]))
}

# Probabilities, points x classes. Of more than two classes they are the probabilities of each class against all others,
# divided by their sum.
probabilities <- function(levels, decision, scaling) {
  p <- stats::plogis(log_odds(decision, scaling))
  if (!is.null(dim(p))) return(p / rowSums(p))
  matrix(c(1 - p, p), ncol = 2L, dimnames = list(names(decision), levels))
}
