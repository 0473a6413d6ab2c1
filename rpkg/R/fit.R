# From checked input to a fit, and from a fit back to the core's model.

# A model of the core with the data, weights, groups and settings of `fit` (state DATA). landmarks: list(rows) or
# list(count); by default those of the fit, which an earlier factorization may have chosen. Only a new fit runs on its
# device: one that comes out of a file computes on the CPU, wherever it is.
new_model <- function(fit, landmarks = known_landmarks(fit), device = "cpu") {
  kernel <- fit$kernel
  if (is.null(fit$learning) && learns_kernel(fit)) {
    kernel <- with_keys(kernel, fit)$kernel
  } else if (chooses_bandwidth(kernel)) {
    kernel <- with_bandwidth(kernel, 1)  # any number: the search replaces it
  }
  by_function <- kernel$name == "function"  # then x has the kernel's values, of columns that are divided already
  if (by_function) kernel <- precomputed_kernel()
  y <- if (is.null(fit$offset)) fit$y else fit$y - fit$offset
  model <- tryCatch({
    core_create(unclass(kernel), if (!by_function) fit$scale, with_columns(fit$x), y, isTRUE(fit$missing_values),
                fit$fixed)
  }, freeridge_not_finite = function(condition) {
    if (!is_sparse(fit$x)) check_finite(fit$x, "x")  # finds the same fault first, and names row and column as R does
    check_finite(if (isTRUE(fit$missing_values)) replace(fit$y, is.na(fit$y), 0) else fit$y, "y")
    stop(condition)
  })
  attr(model, "offset") <- fit$offset
  core_set_intercept(model, intercept_code(fit))
  if (!is.null(fit$noise_sd)) core_set_sigma2(model, fit$noise_sd^2)
  if (!is.null(fit$robust)) core_set_kept_squares(model, 2 * stats::pnorm(huber_bound) - 1)
  if (!is.null(fit$weights)) core_set_weights(model, fit$weights)
  if (!is.null(fit$groups)) {
    gap <- if (is.null(fit$gap)) matrix(0L, 0L, 0L) else fit$gap
    core_set_groups(model, NCOL(fit$groups), fit$groups, ncol(gap) %/% NCOL(fit$groups), gap)
  }
  if (!is.null(landmarks)) {
    core_set_landmarks(model, if (is.null(landmarks$count)) 0 else landmarks$count, landmarks$rows)
    core_set_landmark_method(model, fit$landmark_method, fit$seed)
  }
  core_set_route(model, fit$route)
  core_set_reduction(model, fit$reduction)
  core_set_refinement(model, fit$refine)
  core_set_accuracy(model, fit$accuracy)
  if (device != "cpu") core_set_device(model, device_code(device))
  model
}

known_landmarks <- function(fit) {
  if (is.null(fit$landmarks)) fit$landmark_choice else list(rows = fit$landmarks)
}

fit_model <- function(fit) {
  fit$open_kernel <- fit$kernel  # before its numbers are chosen
  fit$outputs <- output_names(fit$y)
  fit$chosen <- is.null(fit$lambda)
  given <- fit$lambda
  model <- new_model(fit, device = fit$device)
  seconds <- c(kernel = 0, bandwidth = 0, factorize = 0, lambda = 0, robust = 0)
  middle <- NULL
  timed <- function(stage, expression) {
    started <- proc.time()[["elapsed"]]
    value <- expression
    seconds[[stage]] <<- seconds[[stage]] + proc.time()[["elapsed"]] - started
    value
  }

  say_the_wait(fit, model)
  # What learns a kernel is refused at once where all points do not fit into memory: then landmarks take their place. A
  # request that the system itself refuses, later, is an error.
  where_it_fits <- function(search) {
    tryCatch(search(fit), freeridge_out_of_memory = function(condition) {
      late <- inherits(condition, "freeridge_refused_by_system") || nrow(fit$x) <= landmarks_that_fit
      if (late || !is.null(fit$landmark_choice) || fit$route != "auto" || fit$refine > 0 || fit$device != "cpu") {
        stop(condition)
      }
      fit$landmark_choice <<- landmarks_instead(fit, model)
      search(fit)
    })
  }
  judged <- fit$criterion %in% judged_by_loo && !fit$missing_values
  choose <- function(last) {
    if (learns_kernel(fit)) {
      fit <<- timed("kernel", where_it_fits(function(fit) learn_kernel(fit, model)))
    } else if (chooses_bandwidth(fit$kernel)) {
      found <- timed("bandwidth", where_it_fits(function(fit) {
        core_select_bandwidth(model, fit$criterion, fit$bandwidth_range[1L], fit$bandwidth_range[2L], fit$budget)
      }))
      fit$kernel <<- with_bandwidth(fit$kernel, found$sigma)
      if (judged && last) middle <<- timed("bandwidth", loo_in_the_middle(model, fit, found))
      fit$bandwidth_search <<- data.frame(sigma = found$tried[, 1L], score = found$tried[, 2L])
      fit$bandwidth_shape <<- found[c("edge", "decades", "dips")]
    } else {
      expect(model, given, fit$criterion)
      timed("factorize", core_factorize(model))
    }
    learnt <- !is.null(fit$learning)
    if (fit$chosen) {
      fit <<- timed("lambda", keep_search(fit, model, new_lambda(fit, model, learnt)))
    } else {
      timed("lambda", set_given_lambda(model, fit))
    }
    if (!is.null(fit$robust)) fit <<- timed("robust", reweighted(fit, model, last))
  }
  again <- !is.null(fit$robust) && (learns_kernel(fit) || chooses_bandwidth(fit$kernel))
  choose(last = !again)
  if (again) {  # the kernel with the weights
    fit$kernel <- fit$open_kernel
    fit$learning <- NULL
    model <- new_model(fit, device = fit$device)
    choose(last = TRUE)
  }

  if (fit$chosen && judged && !core_route(model) %in% c("cholesky", "iterative") && copies_in(fit) == 0L) {
    fit$second_opinion <- timed("lambda", second_opinion(model, fit, middle))  # of copies left-out errors are too small
    warn_disagreement(fit)
  }
  names(fit$lambda) <- fit$outputs
  warn_below_floor(model)

  fit$seconds <- seconds
  say_the_blas(sum(seconds))
  as_fitted(fit, model)
}

# Says once a session, after a fit that took some seconds, that the BLAS does not make use of the processor.
slow_fit <- 5  # seconds
say_the_blas <- function(seconds, info = core_build_info()) {
  advice <- regmatches(info, regexpr("the BLAS runs below this processor.*", info))
  if (seconds < slow_fit || length(advice) == 0L || !is.null(said$blas)) return(invisible())
  said$blas <- TRUE
  message("The fit took ", signif(seconds, 2L), " s, and ", advice)
}

# What core_select_lambda() gives. learnt: whether the model comes from a search for a kernel, which ends with one for
# lambda.
new_lambda <- function(fit, model, learnt = FALSE) {
  range <- fit$lambda_range
  searched <- learnt && all(range == 0) && length(lambdas_below_floor(model)) == 0L
  if (searched) found_lambda(model) else core_select_lambda(model, fit$criterion, range[1L], range[2L])
}

# How many landmarks there are where all points do not fit into memory. Their time, 4 n r^2, is that of learning a kernel
# on 2000 rows at n = 1e5.
landmarks_that_fit <- 1000

# Sets them on the model, and says so before it takes time.
landmarks_instead <- function(fit, model) {
  count <- landmarks_that_fit
  message("All ", nrow(fit$x), " points do not fit into memory (", in_gib(core_memory(model)), "): the fit takes ", count,
          " of them as landmarks; landmarks = ", 2 * count, " is nearer to all points, and takes four times the time.")
  core_set_landmarks(model, count, NULL)
  core_set_landmark_method(model, fit$landmark_method, fit$seed)
  list(count = count)
}

in_gib <- function(bytes) paste(format(bytes / 2^30, digits = 2L), "GiB")

# Says before a wait how long it may be. Only large fits are asked, as the estimate measures the machine's speed.
say_the_wait <- function(fit, model) {
  if (!is.null(fit$landmark_choice) || nrow(fit$x) < 5000L) return(invisible())
  expect(model, fit$lambda, fit$criterion)
  if (core_memory(model) < 2^30) return(invisible())
  own <- grep("^\\* ", strsplit(paste(core_explain(model), collapse = "\n"), "\n")[[1L]], value = TRUE)
  seconds <- as.numeric(sub(".* ([0-9.e+]+) s( .*)?$", "\\1", own))
  if (length(seconds) != 1L || is.na(seconds) || seconds < 30 || grepl("does not fit", own)) return(invisible())
  time <- if (seconds < 90) paste(signif(seconds, 1), "seconds") else paste(signif(seconds / 60, 2), "minutes")
  message(nrow(fit$x), " points take roughly ", time, " and ", in_gib(core_memory(model)), " of memory; landmarks = ",
          landmarks_that_fit, " takes far less of both.")
}

# The fit with the numbers of its fitted model that stay when the model is gone: route, rank, tolerance, ...
as_fitted <- function(fit, model) {
  fit$requested_route <- fit$route
  fit$route <- core_route(model)
  if (!fit$route %in% c("cholesky", "band", "iterative")) fit$rank <- core_rank(model)
  if (is_estimated(fit)) fit <- keep_certainty(fit, model)
  fit$tolerance <- core_tolerance(model)
  fit$memory <- core_memory(model)
  if (fit$route == "landmark") fit$landmarks <- core_landmarks(model)
  points <- points_of(fit)
  fit$cases <- if (is.null(rownames(points))) rownames(fit$y) else rownames(points)
  fit$effects <- effects_at(fit, model)
  if (!is.null(fit$learning)) fit$learning$beside <- errors_beside_learning(fit, model)
  fit$predictor <- kept_predictor(fit, model)
  fit$cache <- new.env(parent = emptyenv())
  fit$cache$model <- model
  structure(fit, class = "freeridge")
}

# The route "iterative" gives solutions with a bound of their error, and estimates of criteria with standard errors.
keep_certainty <- function(fit, model) {
  fit$bound <- stats::setNames(core_accuracy(model), fit$outputs)
  if (fit$chosen) {
    found <- core_estimate_score(model, fit$criterion, fit$lambda)
    fit$score_error <- stats::setNames(diag(found$se), fit$outputs)
  }
  fit
}

# Tells the core what it needs for choosing a route. lambda = 0 asks for the minimum-norm solution, which CHOLESKY, the
# route for a few lambdas, does not have.
expect <- function(model, lambda, criterion) {
  if (!is.null(lambda) && all(lambda > 0)) core_expect_lambdas(model, length(unique(lambda)))
  core_expect_criterion(model, criterion)
}

# The result and the record of the search, as parts of the fit. With the rule "1se" that rule's lambda is set.
keep_search <- function(fit, model, found) {
  named <- function(values) stats::setNames(values, fit$outputs)
  fit$lambda <- found$lambda
  fit$score <- named(found$score)
  search <- core_search(model)
  fit$edge <- named(search$edge)
  fit$decades <- named(search$decades)
  fit$dips <- named(search$dips)
  tried <- by_output(search$lambdas, list(score = search$scores), fit$outputs)
  fit$lambda_search <- list2DF(lapply(tried, `[`, !is.nan(tried$score)))
  if (fit$criterion %in% criteria_with_error) {
    fit$one_standard_error <- data.frame(core_one_standard_error(model), row.names = fit$outputs)
    if (fit$rule == "1se") {
      undefined <- which(is.nan(fit$one_standard_error$lambda))
      if (length(undefined) > 0L) {
        refuse("rule is \"1se\", but ", fit$criterion, " is a mean of one term, and has no standard error")
      }
      fit$lambda <- fit$one_standard_error$lambda
      core_set_lambda(model, fit$lambda)
      fit$score <- named(score_at(model, fit$criterion, fit$lambda))
    }
  }
  fit
}

# What core_select_lambda() gave for the lambdas in force, from the record of the last search.
found_lambda <- function(model) {
  lambda <- core_lambda(model)
  search <- core_search(model)
  list(lambda = lambda, score = search$scores[cbind(match(lambda, search$lambdas), seq_along(lambda))])
}

# The criterion of each output at that output's lambda.
score_at <- function(model, criterion, lambda) {
  diag(core_score(model, criterion, lambda))
}

# Sets the given lambda. CHOLESKY and BAND have no answer where K + lambda I is numerically singular, and x'x of a sparse x
# has none where x'x + lambda I is; then the model is made again with the spectral route, or the reduction by QR, which
# have one.
set_given_lambda <- function(model, fit) {
  tryCatch(core_set_lambda(model, fit$lambda), freeridge_not_positive_definite = function(condition) {
    if (fit$route != "auto" || core_route(model) == "iterative") stop(condition)
    if (core_route(model) == "primal") {
      if (fit$reduction != "auto") stop(condition)
      core_set_reduction(model, "qr")
    } else {
      core_set_route(model, "spectral")
    }
    core_factorize(model)
    core_set_lambda(model, fit$lambda)
  })
}

# y1, y2, ... for those of several outputs that have no name; NULL for a single one without a name.
# Tables have rows by output: a name that is there twice becomes two, as in data.frame().
output_names <- function(y) {
  names <- colnames(y)
  if (is.null(names) && ncol(y) > 1L) names <- character(ncol(y))
  if (is.null(names)) return(NULL)
  make.unique(ifelse(nzchar(names), names, paste0("y", seq_along(names))))
}

# A data frame with one row for each lambda (or other `argument`) and output, and a column for each of `scores`
# (matrices lambdas x outputs).
by_output <- function(lambdas, scores, outputs, argument = "lambda") {
  several <- ncol(scores[[1L]])
  columns <- stats::setNames(list(rep(lambdas, times = several)), argument)
  if (several > 1L) columns$output <- factor(rep(outputs, each = length(lambdas)), levels = outputs)
  list2DF(c(columns, lapply(scores, as.vector)))
}

# The core's model behind a fit, with `lambda` (NULL: the fit's own) in force. Every answer states its lambda here, so no
# call is disturbed by an earlier one. A fit that was saved and read again is factorized anew when an answer needs more
# than predicting_model() has. A lambda of the call's own that is below what rounding allows is said once, when it is set;
# the fit's own where `warn` is TRUE.
model_at <- function(fit, lambda = NULL, warn = FALSE) {
  if (is_of_chunks(fit)) return(model_of_sums(fit, lambda))
  own <- is.null(lambda)
  lambda <- if (own) fit$lambda else check_lambda(lambda, ncol(fit$y), fit$outputs)
  model <- fit$cache$model
  if (!core_is_alive(model)) {
    model <- new_model(fit)
    core_factorize(model)
    core_set_lambda(model, fit$lambda)
    fit$cache$model <- model
  }
  moves <- any(core_lambda(model) != lambda)
  if (moves) core_set_lambda(model, lambda)
  if (warn || (moves && !own)) warn_below_floor(model)
  model
}

# The model for a path of lambdas: the fit's own, unless that was chosen for a single lambda (CHOLESKY factorizes for
# each).
model_for_path <- function(fit) {
  if (fit$route != "cholesky" || fit$requested_route == "cholesky") return(model_at(fit))
  model <- fit$cache$path_model
  if (!core_is_alive(model)) {
    fit$route <- fit$requested_route
    model <- new_model(fit)
    core_factorize(model)
    fit$cache$path_model <- model
  }
  model
}

# n x t values as users see them: a vector for a vector y, with names; rows dropped by na.exclude come back as NA.
shape <- function(fit, values, cases = fit$cases) {
  if (fit$vector) {
    values <- as.vector(values)
    names(values) <- cases
  } else if (!is.null(cases) || !is.null(fit$outputs)) {
    dimnames(values) <- list(cases, fit$outputs)
  }
  values
}

# Values of the model, rows x outputs, and what was taken from the response before it was made (NULL: nothing).
plus_offset <- function(values, offset) if (is.null(offset)) values else values + offset

# Fitted values of the response as it was given.
core_fitted_of_model <- core_fitted
core_fitted <- function(handle) plus_offset(core_fitted_of_model(handle), attr(handle, "offset"))

# The points, one in each row. They are x, unless the kernel is an R function: then x has the kernel's values.
points_of <- function(fit) if (is.null(fit$points)) fit$x else fit$points

# The fitted values. They are made when first asked for, because they cost a pass over the data.
fitted_matrix <- function(fit) {
  if (is.null(fit$cache$fitted)) {
    fit$cache$fitted <- if (core_is_alive(fit$cache$model) || is.null(fit$predictor)) {
      core_fitted(model_at(fit))
    } else {
      plus_offset(core_predict(predicting_model(fit), with_columns(fit$x), fit$fixed), fit$offset)
    }
  }
  fit$cache$fitted
}

# Parts that are made when they are asked for: the fitted values, and the model frame as lm() has it.
made_part <- function(fit, name) {
  switch(name, fitted.values = , fitted = fitted_matrix(fit),
         model = if (!is.null(.subset2(fit, "frame"))) whole_frame(fit))
}

`$.freeridge` <- function(x, name) {
  if (name %in% c("fitted.values", "fitted", "model")) made_part(x, name) else .subset2(x, name, exact = FALSE)
}

`[[.freeridge` <- function(x, i, ...) {
  if (is.character(i) && i[1L] %in% c("fitted.values", "model")) made_part(x, i) else .subset2(x, i, ...)
}
