# robust = "huber": rows with large left-out errors get small weights. With the exact left-out errors e of the fit with
# weights c v (c: the weights that the user gave) the weights v are the fixed point of
#     v_i = min(1, 1.345 s / u_i),    u_i = sqrt(c_i) |e_i|,    s = median(u) / qnorm(0.75)
# where e_i does not depend on v_i. At normal errors about one row in six has a weight below one, and the estimate of a
# mean loses 5 % of its precision.
# Source: P. Huber, Robust estimation of a location parameter, Annals of Mathematical Statistics 35 (1964).

robust_names <- "huber"
huber_bound <- 1.345
# A fixed point: no weight changes by more. The weights with which a kernel is learnt again need not be as exact.
weights_settled <- 1e-3
weights_nearly_settled <- 0.05
most_reweightings <- 50L
undamped <- 8L  # of more rounds each goes half the way, as weights may go to and fro

# list(given): the weights that the user gave, NULL: none. NULL: not robust.
check_robust <- function(robust, fit) {
  if (is.null(robust)) return(NULL)
  check_choice(robust, "robust", robust_names)
  if (!is.null(fit$classes)) refuse("robust is for numbers: y has classes, whose errors are not large by chance")
  if (ncol(fit$y) > 1L) {
    refuse("robust is for one response, and y has ", ncol(fit$y), ": a row has one weight for all of them, and an ",
           "error in one says nothing of the others")
  }
  if (fit$route == "iterative") {
    refuse("robust needs the left-out error of each row, which the route \"iterative\" has not")
  }
  list(given = fit$weights)
}

# list(weights, scale) for left-out errors. A row without one (NaN: its leverage is one, or its output is missing) keeps
# its weight.
huber_weights <- function(errors, given) {
  size <- sqrt(given) * abs(errors)
  scale <- stats::median(size, na.rm = TRUE) / stats::qnorm(0.75)
  if (is.na(scale)) refuse("robust is \"huber\", but no row has a left-out error")
  if (scale == 0 && any(size > 0, na.rm = TRUE)) {
    refuse("robust is \"huber\", but half of the left-out errors or more are zero: there is no scale for the others")
  }
  bounded <- !is.na(size) & size > huber_bound * scale
  list(weights = ifelse(bounded, huber_bound * scale / size, 1), scale = scale)
}

# The fit with the weights of the fixed point, which its model has afterwards; the kernel is held. A lambda that is
# chosen is chosen again with each set of weights, but for the last weights of a kernel that was learnt with a prior of
# the noise: its lambda was learnt with it.
reweighted <- function(fit, model, last) {
  held <- fit$chosen && last && has_noise_prior(fit)
  given <- weights_or_ones(fit)
  known <- if (is.null(fit$robust$weights)) rep(1, nrow(fit$x)) else fit$robust$weights
  for (round in seq_len(most_reweightings)) {
    found <- huber_weights(core_by_row(model, "loo")[, 1L], given)
    change <- max(abs(found$weights - known))
    if (change > 0) {
      known <- if (round > undamped) (known + found$weights) / 2 else found$weights
      fit$weights <- given * known
      core_set_weights(model, fit$weights)
      core_factorize(model)
      fit <- if (fit$chosen && !held) keep_search(fit, model, new_lambda(fit, model)) else with_held_lambda(fit, model)
    }
    if (change <= if (last) weights_settled else weights_nearly_settled) break
  }
  errors <- core_by_row(model, "loo")
  fit$robust[c("weights", "scale", "rounds", "change", "left_out")] <- list(
    known, found$scale, round, change,
    c(rmse = sqrt(observed_means(errors^2, given, fit$y)), median = stats::median(abs(errors), na.rm = TRUE))
  )
  if (last && change > weights_settled) {
    warning(new_condition(paste0("the robustness weights still change by ", format(change, digits = 2L), " after ",
                                 round, " rounds: they are not the fixed point"),
                          "not_converged", c("freeridge_warning", "warning")))
  }
  fit
}

# The fit at its lambda; a chosen one is raised to where left-out errors have six digits, which depends on the weights.
with_held_lambda <- function(fit, model) {
  set_given_lambda(model, fit)
  if (!fit$chosen || length(lambdas_below_floor(model)) == 0L) return(fit)
  fit$lambda <- core_lambda_flags(model)$floor
  set_given_lambda(model, fit)
  fit
}



print_robust <- function(fit, digits) {
  weights <- fit$robust$weights
  below <- sum(weights < 1)
  number <- function(value) format(value, digits = digits)
  share <- below / length(weights)
  cat("Robust (Huber): ", if (below == 0L) "no row" else counted(below, "row"), " weighed down",
      if (below > 0L) {
        paste0(", ", sum(weights < 0.5), " of them to less than half; the lowest weight is ", number(min(weights)),
               ", of row ", case_labels(fit)[which.min(weights)])
      }, "\n",
      if (length(weights) >= 20L && share > most_weighed_down) {
        paste0("  ", round(100 * share), " % of the rows, where normal errors of one spread have about 18 %: the errors ",
               "have long tails, or a spread that varies\n")
      },
      "  left-out errors: root mean square ", number(fit$robust$left_out[["rmse"]]),
      ", each row counted in full; half of them are below ", number(fit$robust$left_out[["median"]]), "\n", sep = "")
}

# Of a larger share of rows weighed down print() says what it may mean.
most_weighed_down <- 0.3
