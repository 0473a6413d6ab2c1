# The usual methods of a fitted model.

criterion_titles <- c(
  loo = "leave-one-out mean squared error", gcv = "generalized cross-validation",
  reml = "negative restricted log-likelihood", groups = "leave-group-out mean squared error",
  error_rate = "leave-one-out error rate", log_loss = "leave-one-out log loss"
)

counted <- function(count, thing) paste0(count, " ", thing, if (count != 1L) "s")

# Of more numbers, names or outputs than these print() says how many there are, and some of them.
most_shown <- 8L

# The numbers or, of many, their count, ends and median.
short_numbers <- function(values, digits) {
  number <- function(values) formatC(values, digits = digits, format = "g", width = 1L)
  known <- values[is.finite(values)]
  if (length(values) <= most_shown || length(known) == 0L) return(paste(number(values), collapse = ", "))
  paste0(length(values), " numbers from ", number(min(known)), " to ", number(max(known)), ", median ",
         number(stats::median(known)), if (length(known) < length(values)) paste(", not finite:", length(values) - length(known)))
}

# The first names, and how many there are.
short_names <- function(names) {
  if (length(names) <= most_shown) return(paste(names, collapse = ", "))
  paste0(paste(utils::head(names, most_shown), collapse = ", "), ", ... (", length(names), " in all)")
}

# Prints what `expression` prints, with lines that are wider than the screen wrapped between words.
wrapped <- function(expression) {
  width <- getOption("width")
  for (line in utils::capture.output(expression)) {
    wide <- nchar(line, "width") > width
    blanks <- nchar(sub("^( *).*", "\\1", line))
    writeLines(if (wide) strwrap(line, width + 1L, blanks, blanks + 4L) else line)
  }
}

print_call <- function(fit) cat("\nCall:\n", paste(deparse(fit$call), collapse = "\n"), "\n\n", sep = "")

print_divisors <- function(fit, digits) {
  if (is.null(fit$scale)) return(invisible())
  constant <- fit$scale == no_part
  scale <- fit$scale[!constant]
  few <- length(scale) <= 8L
  cat("  columns divided by: ", short_numbers(if (few) scale else range(scale), digits),
      if (!few) " (smallest, largest)", "\n", sep = "")
  names <- feature_names(fit$x)[constant]
  if (length(names) > 0L) {
    cat("  constant, and without a part in the kernel: ", paste(utils::head(names, 6L), collapse = ", "),
        if (length(names) > 6L) paste0(", ... (", length(names), " in all)"), "\n", sep = "")
  }
}

# Which end of the range of lambda the choice is at, and what that means.
print_edge <- function(fit) {
  say <- function(which, end, meaning) {
    if (!any(which)) return(invisible())
    of <- if (length(which) > 1L) paste0(" of ", counted(sum(which), "output"))
    cat("  the choice", of, " is at the ", end, " end of the range that was searched: ", meaning, "\n", sep = "")
  }
  say(fit$edge < 0L, "low", "hardly anything is penalised, and a smaller lambda would change little")
  say(fit$edge > 0L, "high", "the penalty leaves hardly anything but the intercept: the columns tell next to nothing of y")
}

# What print and summary open with.
print_setting <- function(fit, digits) {
  number <- function(values) short_numbers(values, digits)
  print_call(fit)
  print_left_out(fit, digits)
  cat(counted(nrow(fit$x), "point"), if (!is.null(fit$aside)) paste(" and", length(fit$aside$rows), "of weight zero"),
      ", ", counted(ncol(points_of(fit)), "feature"), ", ", counted(ncol(fit$y), "output"), "; route: ", fit$route,
      if (!is.null(fit$landmarks)) paste0(", ", counted(length(fit$landmarks), "landmark")), "\n", sep = "")
  if (!is.null(fit$na.action)) cat(stats::naprint(fit$na.action), "\n", sep = "")
  if (!is.null(fit$classes)) cat("Classes: ", shown_classes(fit), "\n", sep = "")
  cat("Kernel: ", shown_kernel(fit, digits), "\n", sep = "")
  if (!is.null(fit$learning)) print_learning(fit, digits)
  print_variances(fit, digits)
  if (!is.null(fit$bandwidth_search)) {
    cat("  bandwidth chosen from ", nrow(fit$bandwidth_search), " tried by ", criterion_titles[[fit$criterion]], "\n",
        sep = "")
    for (line in bandwidth_doubts(fit$bandwidth_shape)) cat(line, "\n", sep = "")
  }
  print_divisors(fit, digits)
  print_unpenalised(fit)
  cat("Intercept: ", intercept_words(fit), if (!is.null(given_weights(fit))) "; weighted points",
      if (!is.null(fit$offset)) "; offset", "\n", sep = "")
  if (!is.null(fit$noise_sd)) cat("Noise: known, standard deviation ", number(fit$noise_sd), " in a row of weight one\n", sep = "")
  if (!is.null(fit$robust)) print_robust(fit, digits)
  if (!is.null(fit$bound)) cat("Solved with a relative error of at most ", number(unname(fit$bound)), "\n", sep = "")
  given <- if (ncol(fit$x) == 0L) " (of no consequence: no column is penalised)" else if (!fit$chosen) " (given)"
  cat("lambda: ", number(unname(fit$lambda)), given, "\n", sep = "")
  if (fit$chosen) {
    cat("  chosen by ", criterion_titles[[fit$criterion]], if (has_noise_prior(fit)) ", with a prior of the noise",
        if (fit$criterion == "groups" && NCOL(fit$groups) > 1L) paste0(", mean of ", NCOL(fit$groups), " divisions"),
        if (fit$rule == "1se") ", one-standard-error rule", if (!is.null(fit$robust)) ", rows weighed down", ": ",
        number(unname(fit$score)),
        if (!is.null(fit$score_error)) paste0(", estimated, standard error ", number(unname(fit$score_error))), "\n",
        sep = "")
    print_edge(fit)
    doubtful <- disagreements(fit, digits)
    for (words in utils::head(doubtful, most_shown)) cat("  BEWARE: ", words, "\n", sep = "")
    if (length(doubtful) > most_shown) cat("  BEWARE: the same of ", length(doubtful) - most_shown, " more outputs\n", sep = "")
  }
}

# Why the choice of the bandwidth is not to be trusted too much, a line for each reason.
bandwidth_doubts <- function(shape) {
  c(if (shape$edge != 0L) {
    paste0("  it is at the ", if (shape$edge < 0L) "low" else "high",
           " end of the range that was searched; the best bandwidth may lie beyond it")
  }, if (shape$decades >= 1) {
    paste0("  nearly the same over a factor of ", format(10^shape$decades, digits = 2L),
           " of the bandwidth; the data hardly tell them apart")
  })
}

print.freeridge <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  wrapped({
    print_setting(x, digits)
    print_outliers(x)
  })
  invisible(x)
}

# Weighted means of the columns of `values`, each over the rows in which that output of y is observed.
observed_means <- function(values, weights, y) {
  observed <- !is.na(y)
  values[!observed] <- 0
  colSums(weights * values) / colSums(weights * observed)
}

summary.freeridge <- function(object, type = "bayesian", coefficients = NULL, ...) {
  refuse_extra(...)
  linear <- is_linear(object$kernel) && !is_sparse(object$x)  # which has no standard errors
  if (is.null(coefficients)) coefficients <- linear && ncol(object$x) <= 1000L
  if (check_flag(coefficients, "coefficients") && !linear) {
    refuse("coefficients is TRUE, but the kernel is ", format(object$kernel), ", which has none with standard errors; ",
           "see marginal_effects()")
  }
  check_choice(type, "type", covariance_types)
  weights <- weights_or_ones(object)
  mean_square <- function(values) observed_means(values^2, weights, object$y)
  centred <- sweep(object$y, 2L, observed_means(object$y, weights, object$y))
  model <- model_at(object, warn = TRUE)
  estimated <- is_estimated(object)  # then the left-out errors of single points are not known
  loo <- if (estimated) {
    diag(core_estimate_score(model, "loo", object$lambda)$scores)
  } else {
    mean_square(core_by_row(model, "loo"))
  }
  freedom <- core_degrees_of_freedom(model)
  table <- data.frame(
    lambda = unname(object$lambda), df = freedom$df, sigma = sqrt(freedom$sigma2),
    rmse = sqrt(mean_square(object$y - object$fitted.values)), loo_rmse = sqrt(loo),
    loo_r2 = 1 - loo / mean_square(centred), row.names = object$outputs
  )
  value <- list(fit = object, outputs = table, honest = honest_errors(object))
  if (estimated) {
    value$estimated <- TRUE
  } else if (is.null(object$classes)) {
    value$outstanding <- outstanding_rows(object, model)
  } else {
    value$classes <- left_out_classes(object)
  }
  if (coefficients) {
    errors <- coefficient_errors(object, type)
    value$coefficients <- coefficient_tables(object, errors, observed_counts(object) - freedom$df,
                                             utils::head(as.matrix(coef(object)), nrow(errors)))
    value$type <- type
  }
  if (!is.null(object$fixed)) {
    found <- effect_errors(object, effects_model(object, NULL))
    estimates <- structure(object$effects, dimnames = list(colnames(object$fixed), NULL))
    value$effects <- coefficient_tables(object, found$errors, found$freedom, estimates)
    value$effects_df <- found$freedom
  }
  structure(value, class = "summary.freeridge")
}

# Why the choices of the kernel and of lambda are not to be trusted too much, a sentence for each reason.
doubts <- function(fit) c(learning_doubt(fit), lambda_doubts(fit), copies_doubt(fit), response_doubt(fit))

# Of counts and proportions, whose errors are smaller near a bound: transforms after which they have about one size.
response_doubt <- function(fit) {
  y <- fit$y[!is.na(fit$y)]
  if (!is.null(fit$classes) || length(y) < 10L || any(y < 0) || !is.null(fit$offset)) return(character())
  counts <- any(y == 0) && all(y == round(y)) && length(unique(y)) > 2L
  shares <- all(y <= 1) && !all(y %in% 0:1)
  if (!counts && !shares) return(character())
  paste0("The response has ", if (counts) "whole numbers from 0 on: counts" else "numbers from 0 to 1 alone: proportions",
         " have smaller errors near ", if (counts) "0; sqrt(y)" else "0 and 1; asin(sqrt(y))",
         " as response has errors of about one size, and predict(bounds = c(0, ", if (counts) "Inf" else "1",
         ")) keeps intervals within the bounds.")
}

lambda_doubts <- function(fit) {
  if (!fit$chosen) return(character())
  of <- function(which) {
    if (length(fit$lambda) > 1L) paste0(" of output ", short_names(fit$outputs[which]))
  }
  flat <- which(fit$decades >= 4)
  several <- which(fit$dips > 1L)
  c(if (length(flat) > 0L) {
    paste0("The criterion", of(flat), " is flat: nearly the same over ", format(min(fit$decades[flat]), digits = 2L),
           " powers of ten of lambda", if (length(flat) > 1L) " or more", "; the data hardly tell them apart.")
  }, if (length(several) > 0L) {
    paste0("The criterion", of(several), " has ", short_numbers(fit$dips[several], 3L),
           " local minima; lambda is at the lowest of them.")
  })
}

# The table of the outputs or, of many, its quartiles.
print_outputs <- function(table, digits) {
  if (nrow(table) <= most_shown) return(print(table, digits = digits, row.names = nrow(table) > 1L))
  cat(nrow(table), " outputs, of which these are the quartiles; $outputs has them all\n", sep = "")
  print(vapply(table, stats::quantile, c(least = 0, `25 %` = 0, median = 0, `75 %` = 0, most = 0), na.rm = TRUE),
        digits = digits)
}

print.summary.freeridge <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  wrapped({
    print_setting(x$fit, digits)
    if (!is.null(x$fit$rank)) cat("Rank: ", x$fit$rank, "\n", sep = "")
    cat("Memory: at most ", format(structure(x$fit$memory, class = "object_size"), units = "auto"), " beside the data\n",
        sep = "")
    for (sentence in doubts(x$fit)) cat(sentence, "\n", sep = "")
  })
  print_coefficients(x, digits, ...)
  wrapped(cat("\nEffective degrees of freedom, standard deviation of the errors, and root mean squared errors of the ",
              "fitted and the left-out points", if (!is.null(x$estimated)) " (estimated, as df is)", ":\n", sep = ""))
  print_outputs(x$outputs, digits)
  if (isTRUE(is.finite(x$honest$freedom))) {
    number <- function(value) formatC(value, digits = 1L, format = "f")
    cat("df ", number(x$outputs$df), ", and ", number(x$honest$freedom), " for learning the kernel\n", sep = "")
  }
  if (!is.null(x$classes)) {
    cat("\nClasses of the points and those that they get when they are left out:\n")
    print(x$classes$table)
  }
  if (!is.null(x$outstanding)) {
    sentences <- outstanding_sentences(x$outstanding, x$fit$chosen)
    wrapped(for (sentence in utils::head(sentences, most_shown)) cat("\n", sentence, "\n", sep = ""))
    more <- length(sentences) - most_shown
    if (more > 0L) cat("\nand ", counted(more, "such sentence"), " more, of other outputs: see $outstanding\n", sep = "")
  }
  spent <- x$fit$seconds[x$fit$seconds > 0]
  if (length(spent) > 0L) {
    cat("\nSeconds: ", paste(names(spent), format(spent, digits = 3L, trim = TRUE), collapse = ", "), "\n", sep = "")
  }
  invisible(x)
}

print_coefficients <- function(summary, digits, ...) {
  print_tables("Coefficients", summary$coefficients, if (!is.null(summary$type)) {
    paste(c(bayesian = "Bayesian", frequentist = "frequentist")[[summary$type]], "standard errors")
  }, digits, ...)
  print_tables("Unpenalised effects", summary$effects, if (!is.null(summary$effects)) {
    paste("standard errors of the mixed model,", vapply(summary$effects_df, counted, "", "degree"), "of freedom")
  }, digits, ...)
}

# Prints nothing where there are no tables. words: one text for all tables, or one for each.
print_tables <- function(title, tables, words, digits, ...) {
  if (is.matrix(tables)) tables <- list(tables)
  if (length(tables) > most_shown) {
    cat("\n", title, " of ", length(tables), " outputs: a table for each is in $", sub(".* ", "", tolower(title)), "\n", sep = "")
    return(invisible())
  }
  words <- rep_len(words, length(tables))
  for (j in seq_along(tables)) {
    cat("\n", title, if (length(tables) > 1L) paste0(" of output ", names(tables)[j]), " (", words[j], "):\n", sep = "")
    stats::printCoefmat(tables[[j]], digits = digits, ...)
  }
}

coef.freeridge <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  if (is_linear(object$kernel)) {
    return(at_lambdas(object, lambda, function(model) linear_coefficients(object, model), predicting_model(object)))
  }
  b <- list()
  value <- at_lambdas(object, lambda, function(model) {
    b <<- c(b, list(stats::setNames(core_intercept(model), object$outputs)))
    all_rows(object, core_by_row(model, "coefficients"), 0)
  })
  b <- if (length(b) == 1L) b[[1L]] else do.call(rbind, b)
  effects <- if (!is.null(object$fixed)) {
    at_lambdas(object, lambda, function(model) shape(object, effects_at(object, model), colnames(object$fixed)))
  }
  structure(value, intercept = b, effects = effects, class = "freeridge_expansion")
}

linear_coefficients <- function(fit, model) {
  with_intercept(fit, core_intercept(model), core_hyperplane(model)[seq_len(ncol(fit$x)), , drop = FALSE],
                 effects_at(fit, model))
}

print.freeridge_expansion <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  b <- attr(x, "intercept")
  values <- unclass(x)
  effects <- attr(x, "effects")
  attr(values, "intercept") <- attr(values, "effects") <- NULL
  cat("Expansion coefficients c of f(x) = sum_i c_i k(x_i, x) + b, one for each point (row of x)\n")
  cat("b: ", paste(format(b, digits = digits, trim = TRUE), collapse = ", "), "\n", sep = "")
  if (!is.null(effects)) {
    cat("Unpenalised effects:\n")
    print(effects, digits = digits)
    cat("c:\n")
  }
  print(values, digits = digits, ...)
  invisible(x)
}

fitted.freeridge <- function(object, ...) {
  refuse_extra(...)
  fitted_at(object, NULL)
}

hatvalues.freeridge <- function(model, lambda = NULL, ...) {
  refuse_extra(...)
  values <- stats::naresid(model$na.action, all_rows(model, core_by_row(model_at(model, lambda), "leverage"), 0))
  values[is.na(values)] <- 0  # as lm has it: the leverage of a row that is not in the fit
  values
}

nobs.freeridge <- function(object, use.fallback = FALSE, ...) {  # step() says use.fallback = TRUE
  refuse_extra(...)
  if (ncol(object$y) == 1L) observed_counts(object) else nrow(object$x)
}

formula.freeridge <- function(x, env = parent.frame(), ...) {  # env is not used: the formula has its own environment
  refuse_extra(...)
  if (!made_by_formula(x)) refuse("this fit was made from a matrix or a data frame: it has no formula")
  stats::formula(given_terms(x))
}
formula.freeridge_linear <- formula.freeridge_classifier <- formula.freeridge

freeridge_build_info <- function() core_build_info()
