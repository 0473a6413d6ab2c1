# A stack: a few fits to the same rows, whose predictions are averaged with the weights at which the mean of their
# leave-one-out predictions F_im is nearest to y:
#     minimise sum_i W_i (y_i - sum_m w_m F_im)^2 + k s^2 sum_(m > 1) w_m^2,      w_m >= 0, sum_m w_m = 1
# The first of the k members is the default, to which the second term draws, s^2 being its mean squared left-out error.
# The core finds w, and the errors of stacks whose weights have not seen the row (freeridge_stack_weights).
#
# (Of rows with very large errors W_i is less: see capped().)
#
# Members share what the default has learnt: "gaussian" and "robust" have its lengths, and "response" first tries with
# them which transform of y is the best. Errors of all members are in the units of y.

# Each member, and the number of rows beyond which it costs too much; those that learn a kernel of their own last.
most_rows <- c(default = Inf, gaussian = 10000, linear = Inf, robust = 3000, "one length" = 1000, response = 5000,
               ranks = 5000)
stack_names <- names(most_rows)
of_numbers <- c("robust", "response")  # what classes have not

# What is chosen among a few fits is chosen on so many rows at most.
rows_to_choose <- 1000L

# The arguments of freeridge() that a stack takes.
stack_takes <- c("x", "y", "stack", "weights", "intercept", "shrinkage", "learn_rows", "seed", "budget")

stack_weights <- function(predictions, y, weights = NULL, prior = 0) {
  all_given(predictions, y)
  y <- numeric_matrix(y, "y")
  several <- length(dim(predictions)) == 3L
  if (!several) predictions <- numeric_matrix(predictions, "predictions")
  size <- dim(predictions)
  shape <- if (several) size[c(1L, 3L)] else c(size[1L], 1L)
  if (!is.numeric(predictions) || !identical(as.integer(shape), dim(y))) {
    refuse("predictions must be ", nrow(y), " x members", if (ncol(y) > 1L) paste(" x", ncol(y)), ", as y is ", nrow(y),
           " x ", ncol(y), ", not ", shown(predictions))
  }
  weights <- if (is.null(weights)) rep(1, nrow(y)) else check_weights(weights, nrow(y))
  prior <- check_not_negative(one_number(prior, "prior"), "prior")
  found <- lapply(seq_len(ncol(y)), function(j) {
    of <- matrix(as.double(if (several) predictions[, , j] else predictions), size[1L])
    check_finite(of, "predictions")
    core_stack_weights(of, y[, j], weights, prior)
  })
  part <- function(name, names) {
    value <- vapply(found, `[[`, numeric(length(found[[1L]][[name]])), name)
    value <- matrix(value, ncol = ncol(y), dimnames = if (length(c(names, colnames(y)))) list(names, colnames(y)))
    if (several) value else drop_to_vector(value)
  }
  list(weights = part("w", dimnames(predictions)[[2L]]), errors = part("errors", rownames(y)))
}

drop_to_vector <- function(value) stats::setNames(as.vector(value), rownames(value))

# The stack of freeridge(stack = ). given: the arguments of freeridge() by their names.
fit_stack <- function(x, y, stack, given, call) {
  members <- stack_choice(stack)
  other <- setdiff(names(given)[!vapply(given, is.null, NA)], stack_takes)
  if (length(other) > 0L) {
    refuse("stack is given, whose members have kernels and lambdas of their own: ", other[1L], " cannot be given",
           if (other[1L] == "fixed") " (nor unpenalised() in a formula)")
  }
  if (!is.null(attr(x, "random_terms"))) {
    refuse("stack is given, whose members have kernels of their own: random() in a formula has no part in them")
  }
  classes <- class_coding(y)
  if (!is.null(classes)) y <- classes$y
  if (is_sparse(x)) refuse("stack is given, but x is sparse: a stack takes an ordinary matrix")
  vector <- is.null(dim(y)) || length(dim(y)) == 1L
  x <- numeric_matrix(x, "x")
  y <- response_matrix(y, finite = FALSE)
  n <- nrow(x)
  if (nrow(y) != n) refuse("y has ", nrow(y), " rows, x has ", n)
  check_row_names(x, y)
  check_finite(if (vector) y else replace(y, is.na(y), 0), "y")
  weights <- if (is.null(given$weights)) NULL else check_weights(given$weights, n)
  settings <- c(list(intercept = check_intercept(given$intercept)),
                given[c("shrinkage", "learn_rows", "seed", "budget")])
  numbers <- is.null(classes)
  outputs <- output_names(y)
  stacks <- lapply(seq_len(ncol(y)), function(j) {
    rows <- which(!is.na(y[, j]) & (if (is.null(weights)) TRUE else weights > 0))
    if (length(rows) < 3L) {
      refuse("stack is given, and takes three rows or more: ", if (ncol(y) > 1L) paste0("of output ", outputs[j], ", "),
             counted(length(rows), "row"), " can be fitted")
    }
    one_stack(rows_with_terms(x, rows), y[rows, j], weights[rows], rows, members, settings, numbers)
  })
  fit <- list(call = call, x = x, y = y, vector = vector, weights = weights, intercept = !isFALSE(settings$intercept),
              outputs = outputs, stacks = stats::setNames(stacks, outputs), kernel = matern_kernel(),
              cases = if (is.null(rownames(x))) rownames(y) else rownames(x), cache = new.env(parent = emptyenv()))
  fit$classes <- classes[c("levels", "known", "kind")]
  structure(fit, class = "freeridge_stack")
}

# The names of the members that are asked for: TRUE: all.
stack_choice <- function(stack) {
  if (isTRUE(stack)) return(stack_names)
  bad <- if (is.character(stack)) setdiff(stack, stack_names) else "stack"
  if (length(bad) > 0L || length(stack) == 0L) {
    refuse("stack must be TRUE, FALSE or some of ", paste0('"', stack_names, '"', collapse = ", "), ", not ",
           if (is.character(stack) && length(bad) > 0L) paste0('"', bad[1L], '"') else shown(stack))
  }
  intersect(stack_names, c("default", stack))
}

# The stack of one output, y and x of the rows that count; rows: their places among all rows. numbers: FALSE where y has
# -1 and +1 for a class.
one_stack <- function(x, y, weights, rows, names, settings, numbers) {
  n <- nrow(x)
  shown_rows <- function(most) format(most, scientific = FALSE)
  started <- proc.time()
  data <- list(x = x, y = y, weights = weights, settings = settings)
  data$default <- member_fit(data, x, y)
  data$errors <- as.vector(loo(data$default))
  members <- list(default = list(fit = data$default, errors = data$errors))
  seconds <- c(default = spent_since(started))
  left_out <- character()
  for (name in setdiff(names, "default")) {
    started <- proc.time()
    member <- if (!numbers && name %in% of_numbers) {
      "it is for numbers, not for classes"
    } else if (n > most_rows[[name]]) {
      paste("it takes long for more than", shown_rows(most_rows[[name]]), "rows")
    } else {
      tryCatch(suppressWarnings(stack_members[[name]](data)), freeridge_error = conditionMessage)
    }
    if (is.list(member) && any(is.finite(data$errors) & !is.finite(member$errors))) {
      member <- "a left-out error of it is undefined"
    }
    if (is.list(member)) {
      members[[name]] <- member
      seconds[[name]] <- spent_since(started)
    } else {
      left_out[[name]] <- member
    }
  }
  c(list(rows = rows, members = members, left_out = left_out, seconds = seconds), weighed(members, y, weights))
}

spent_since <- function(started) sum((proc.time() - started)[c("user.self", "sys.self")])

# list(w, errors): the members' weights, and the left-out errors of the stack, NaN where the default has none.
weighed <- function(members, y, weights) {
  errors <- vapply(members, `[[`, numeric(length(y)), "errors")
  known <- is.finite(errors[, 1L])
  if (!any(known)) return(list(w = stats::setNames(as.numeric(seq_along(members) == 1L), names(members)), errors = errors[, 1L]))
  if (is.null(weights)) weights <- rep(1, length(y))
  weights <- weights * capped(errors[, 1L] * sqrt(weights))
  found <- core_stack_weights((y - errors)[known, , drop = FALSE], y[known], weights[known], length(members))
  list(w = stats::setNames(found$w, names(members)), errors = replace(rep(NaN, length(y)), known, found$errors))
}

# min(1, (5 s / |e_i|)^2), s the median |e_i| / 0.6745: a row whose error is larger than 5 s counts as one at 5 s, so
# that a few rows do not decide on the weights.
capped <- function(errors) {
  sizes <- abs(errors)
  s <- stats::median(sizes, na.rm = TRUE) / 0.6745
  if (s > 0) pmin(1, (5 * s / sizes)^2) else rep(1, length(errors))
}

# A fit of freeridge() with the settings of the stack; rows: those of the stack's rows that it is made of.
member_fit <- function(data, x, y, ..., weights = data$weights) {
  given <- data$settings[!vapply(data$settings, is.null, NA)]
  do.call(freeridge.default, c(list(x = quote(x), y = quote(y), weights = quote(weights)), list(...), given))
}

# A fit with the kernel that the default has learnt, and its divisors of the columns. lambda: NULL, by REML.
with_learnt_kernel <- function(data, x, y, lambda = NULL, weights = data$weights, kernel = data$default$kernel) {
  divisors <- data$default$scale
  member_fit(data, x, y, kernel = kernel, lambda = lambda, scale = if (is.null(divisors)) FALSE else unname(divisors),
             criterion = data$default$criterion, weights = weights)
}

member_of <- function(fit, x_map = NULL) list(fit = fit, errors = as.vector(loo(fit)), x_map = x_map)

# The members: each is a function of the stack's data, and answers with list(fit, errors, x_map, y_map), or with words
# on why there is none.
stack_members <- list(
  # The default's kernel with Gaussians in the place of its Matern kernels, whose lengths are those times a factor.
  gaussian = function(data) {
    if (identical(with_gaussians(data$default$kernel, 1), data$default$kernel)) return("the default has Gaussian kernels")
    few <- few_rows_of(data)
    fit_at <- function(data, kernel) with_learnt_kernel(data, data$x, data$y, kernel = kernel)
    kernels <- lapply(c(0.5, 0.7, 1, 1.4), function(factor) with_gaussians(data$default$kernel, factor))
    fits <- lapply(kernels, function(kernel) fit_at(few, kernel))
    best <- which.min(vapply(fits, function(fit) unname(fit$score), 0))
    member_of(if (few$whole) fits[[best]] else fit_at(data, kernels[[best]]))
  },
  linear = function(data) member_of(member_fit(data, data$x, data$y, kernel = linear_kernel(), scale = TRUE)),
  robust = function(data) robust_member(data),
  "one length" = function(data) {
    member_of(member_fit(data, data$x, data$y, kernel = matern_kernel(2.5), lengths = "one",
                         criterion = data$default$criterion))
  },
  response = function(data) response_member(data),
  ranks = function(data) ranks_member(data)
)

# The same data with rows_to_choose rows at most, drawn by make_folds(); whole: whether these are all.
few_rows_of <- function(data) {
  n <- length(data$y)
  data$whole <- n <= rows_to_choose
  if (data$whole) return(data)
  rows <- which(make_folds(n, ceiling(n / rows_to_choose)) == 1L)
  data[c("x", "y", "weights")] <- list(rows_with_terms(data$x, rows), data$y[rows], data$weights[rows])
  data$errors <- as.vector(loo(with_learnt_kernel(data, data$x, data$y)))
  data
}

with_gaussians <- function(kernel, factor) {
  if (kernel$name == "matern") return(gaussian_kernel(kernel[[bandwidth_name(kernel)]] * factor))
  if (!is.null(kernel$inner)) kernel$inner <- with_gaussians(kernel$inner, factor)
  if (!is.null(kernel$terms)) kernel$terms <- lapply(kernel$terms, with_gaussians, factor)
  kernel
}

# huber_weights() of the left-out errors, three times, with the kernel of the default. As the weights of a row's neighbours know the row, its left-out error would flatter: the
# errors are those of the default, changed by what the weights change in folds that they have not seen.
robust_member <- function(data, folds = 5L) {
  n <- length(data$y)
  if (n < 5L * folds) return(paste("it takes", 5L * folds, "rows or more"))
  weights <- if (is.null(data$weights)) rep(1, n) else data$weights
  refitted <- function(rows, lambda, times, choose) {
    x <- rows_with_terms(data$x, rows)
    robust <- rep(1, length(rows))
    for (time in seq_len(times)) {
      fit <- with_learnt_kernel(data, x, data$y[rows], lambda, weights = weights[rows] * robust)
      robust <- huber_weights(as.vector(loo(fit)), weights[rows])$weights
    }
    with_learnt_kernel(data, x, data$y[rows], if (!choose) lambda, weights = weights[rows] * robust)
  }
  lambda <- data$default$lambda
  fit <- refitted(seq_len(n), lambda, 3L, TRUE)
  fold <- make_folds(n, folds)
  change <- numeric(n)
  for (k in seq_len(folds)) {
    out <- which(fold == k)
    part <- refitted(which(fold != k), fit$lambda, 2L, FALSE)
    change[out] <- data$y[out] - predict(part, data$x[out, , drop = FALSE])
  }
  list(fit = fit, errors = data$errors + change - as.vector(group_errors(data$default, fold)))
}

# The transform z of y whose left-out errors, at the default's kernel, are the most likely as normal ones,
#     -n/2 log(mean of e_i^2) + sum_i log |dz/dy (y_i)|
# if that is more than by 2 above y itself. With it the kernel is learnt, and taken if its errors are less.
response_member <- function(data) {
  if (length(unique(data$y)) < 5L) return("y has fewer than five values")
  few <- few_rows_of(data)
  likelihood <- function(errors, map) {
    sum(log(abs(slope_of_response(map, few$y)))) - length(errors) / 2 * log(mean(errors^2))
  }
  maps <- response_maps(data$y)
  fits <- lapply(maps, function(map) with_learnt_kernel(few, few$x, to_response(map, few$y)))
  value <- mapply(function(fit, map) likelihood(loo(fit), map), fits, maps)
  best <- which.max(value)
  if (length(best) == 0L || !(value[best] > likelihood(few$errors, NULL) + 2)) {
    return("no transform of y makes the errors more alike")
  }
  learnt <- of_response(member_fit(data, data$x, to_response(maps[[best]], data$y)), maps[[best]], data$y)
  if (!few$whole) return(learnt)
  held <- of_response(fits[[best]], maps[[best]], data$y)
  if (isTRUE(mean(learnt$errors^2) < mean(held$errors^2))) learnt else held
}

# A member whose fit is of z. A prediction is the mean of the response at f + e, over the left-out errors e of z (Duan,
# The smearing estimate, 1983); of these the map keeps 101 quantiles.
of_response <- function(fit, map, y) {
  errors <- as.vector(loo(fit))
  map$errors <- stats::quantile(errors, (seq_len(101L) - 0.5) / 101, names = FALSE, na.rm = TRUE)
  list(fit = fit, errors = y - smeared(map, to_response(map, y) - errors), y_map = map)
}

smeared <- function(map, f) {
  values <- 0
  for (error in map$errors) values <- values + from_response(map, f + error) / length(map$errors)
  values
}

# The transforms that are tried: of positive numbers the logarithm and the root, of others Yeo and Johnson's (A new
# family of power transformations, 2000) of (y - centre) / spread.
response_maps <- function(y) {
  if (min(y) > 0) return(list(list(kind = "log"), list(kind = "sqrt")))
  if (min(y) == 0) {
    spread <- stats::median(y[y > 0])
    return(lapply(c(0, 0.5), function(power) list(kind = "power", power = power, centre = 0, spread = spread)))
  }
  centre <- stats::median(y)
  spread <- stats::sd(y)
  lapply(c(0, 0.5, 1.5, 2), function(power) list(kind = "power", power = power, centre = centre, spread = spread))
}

to_response <- function(map, y) {
  if (map$kind == "log") return(log(y))
  if (map$kind == "sqrt") return(sqrt(y))
  u <- (y - map$centre) / map$spread
  half <- function(u, p) if (p == 0) log1p(u) else ((1 + u)^p - 1) / p
  ifelse(u >= 0, half(pmax(u, 0), map$power), -half(pmax(-u, 0), 2 - map$power))
}

# dz/dy
slope_of_response <- function(map, y) {
  if (is.null(map)) return(rep(1, length(y)))
  if (map$kind == "log") return(1 / y)
  if (map$kind == "sqrt") return(0.5 / sqrt(y))
  u <- (y - map$centre) / map$spread
  ifelse(u >= 0, (1 + pmax(u, 0))^(map$power - 1), (1 + pmax(-u, 0))^(1 - map$power)) / map$spread
}

from_response <- function(map, z) {
  if (map$kind == "log") return(exp(z))
  if (map$kind == "sqrt") return(pmax(z, 0)^2)
  half <- function(z, p) if (p == 0) expm1(z) else pmax(1 + p * z, 0)^(1 / p) - 1
  map$centre + map$spread * ifelse(z >= 0, half(pmax(z, 0), map$power), -half(pmax(-z, 0), 2 - map$power))
}

map_words <- function(map) {
  if (is.null(map)) return(NULL)
  if (map$kind != "power") return(paste0(map$kind, "(y)"))
  paste0("Yeo and Johnson's transform of y with the power ", map$power)
}

# The default with the ranks of the columns beside them, (the share of rows below + half of that of equal ones). Columns
# of two values, and those whose ranks are nearly a linear function of them, have none.
ranks_member <- function(data) {
  knots <- lapply(seq_len(ncol(data$x)), function(j) rank_knots(data$x[, j]))
  knots <- Filter(Negate(is.null), stats::setNames(knots, seq_len(ncol(data$x))))
  if (length(knots) == 0L) return("the ranks of the columns tell no more than the columns")
  if (ncol(data$x) + length(knots) > most_terms) return(paste("it has more than", most_terms, "columns"))
  x <- with_ranks(data$x, knots)
  member_of(member_fit(data, x, data$y), knots)
}

rank_knots <- function(column) {
  value <- sort(unique(column))
  if (length(value) < 3L) return(NULL)
  share <- tabulate(match(column, value)) / length(column)
  rank <- cumsum(share) - share / 2
  if (abs(stats::cor(column, rank[match(column, value)])) > 0.999) return(NULL)
  list(value = value, rank = rank)
}

with_ranks <- function(x, knots) {
  ranks <- vapply(names(knots), function(j) {
    stats::approx(knots[[j]]$value, knots[[j]]$rank, x[, as.integer(j)], rule = 2)$y
  }, numeric(nrow(x)))
  ranks <- matrix(ranks, nrow(x))
  colnames(ranks) <- paste0("rank_of_", feature_names(x)[as.integer(names(knots))])
  out <- cbind(x, ranks)
  if (is.null(colnames(x))) colnames(out)[seq_len(ncol(x))] <- feature_names(x)
  attr(out, "factor_terms") <- attr(x, "factor_terms")
  out
}

# Predictions of a member at rows x, in the units of y.
predicted_by <- function(member, x) {
  if (!is.null(member$x_map)) x <- with_ranks(x, member$x_map)
  f <- as.vector(core_predict(predicting_model(member$fit), x))
  if (is.null(member$y_map)) f else smeared(member$y_map, f)
}
