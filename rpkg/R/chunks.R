# freeridge_chunks(): a ridge regression on rows that come in pieces, which are never together.
#
#   first look   levels of factors, a sample of rows; not where nothing depends on it
#   pass 1       the rows become an accumulator
#   pass 2       the errors of rows left out, at each lambda; not for other criteria than "loo" and "groups", nor where
#                lambda is given

freeridge_chunks <- function(formula, source, kernel = linear_kernel(), lambda = NULL,
                             criterion = if (missing(groups)) "loo" else "groups", intercept = TRUE, subset, na.action,
                             weights, offset, groups, levels = list(), scale = divides_columns(kernel),
                             lambdas = 100, lambda_range = NULL, passes = 2, landmarks = NULL,
                             landmark_method = "auto", sample = NULL, seed = 0, workers = NULL, ...) {
  if ("gap" %in% ...names()) refuse("gap is for freeridge(): rows beside a group need not be in a chunk with it")
  refuse_extra(...)
  call <- match.call()
  call[[1L]] <- quote(freeridge_chunks)
  if (missing(formula)) refuse("formula is missing")
  if (missing(source)) refuse("source is missing: rows in pieces, see row_source()")
  source <- row_source(source)
  kernel <- as_kernel(kernel)
  check_chunk_kernel(kernel, landmarks)
  setting <- list(
    call = call, kernel = kernel, lambda = lambda, seed = check_whole(seed, "seed"),
    criterion = check_choice(criterion, "criterion", c("loo", "gcv", "reml", "groups")), asked = !missing(criterion),
    lambdas = check_lambdas(lambdas), range = check_range(lambda_range, "lambda_range"),
    passes = check_whole(passes, "passes", 2, 100), levels = check_given_levels(levels), scale = scale,
    landmark_method = check_choice(landmark_method, "landmark_method", c("auto", "random", "kmeans", "pivoted")),
    na.action = if (!missing(na.action)) na.action, sample = sample,
    count = if (!is.null(landmarks)) check_whole(landmarks, "landmarks", 1, .Machine$integer.max)
  )
  if (!is.null(lambda_range) && (!is.null(lambda) || length(setting$lambdas) > 1L)) {
    refuse("lambda_range is given, and ", if (is.null(lambda)) "lambdas are" else "lambda is",
           " too: the range is for a lambda that is searched")
  }
  if (setting$criterion == "groups" && missing(groups)) refuse("criterion is \"groups\", but there are no groups")
  workers <- check_workers(workers, source)
  environment <- if (is.null(environment(formula))) parent.frame() else environment(formula)
  with_steps(with_workers(workers, {
    begun <- begin_chunks(formula, setting, source, workers, intercept, environment)
    fit_chunks(begun$setting, begun$design, begun$rows, source, workers)
  }))
}

check_chunk_kernel <- function(kernel, landmarks) {
  if (is_of_values(kernel)) {
    refuse("the kernel must be one of the library, as rows never meet each other; not ", format(kernel))
  }
  if (!is_linear(kernel) && is.null(landmarks)) {
    refuse("the kernel is ", format(kernel), ", which needs landmarks here: how many, as in landmarks = 500")
  }
  if (!is.null(landmarks) && is_linear(kernel)) {
    refuse("the kernel is ", format(kernel), ", which needs no landmarks: it has as many features as there are columns")
  }
  if (is.null(landmarks) && kernel$name != "linear") {
    refuse("without landmarks the kernel must be linear_kernel() itself (scale divides columns), not ", format(kernel))
  }
}

# How many lambdas are tried, or the lambdas themselves, ascending.
check_lambdas <- function(lambdas) {
  lambdas <- check_not_negative(lambdas, "lambdas")
  if (any(lambdas == 0)) refuse("lambdas must be positive numbers, or how many are tried")
  if (length(lambdas) == 1L) check_whole(lambdas, "lambdas", 3, 10000) else sort(unique(lambdas))
}

check_given_levels <- function(levels) {
  named <- length(levels) == 0L || (!is.null(names(levels)) && all(vapply(levels, is.character, NA)))
  if (!is.list(levels) || !named) {
    refuse("levels must be a list of strings with the names of factors, as in list(g = c(\"a\", \"b\")), not ",
           shown(levels))
  }
  bad <- vapply(levels, function(labels) length(labels) < 2L || anyNA(labels) || anyDuplicated(labels) > 0L, NA)
  short <- names(levels)[bad]
  if (length(short) > 0L) refuse("levels$", short[1L], " must be two or more strings, none missing or twice")
  levels
}

# The first look, and all that is settled before pass 1: list(setting, design, rows). rows: how many rows there are, as
# far as it is known.
begin_chunks <- function(formula, setting, source, workers, intercept, environment) {
  head <- first_rows(source, workers)
  if (NROW(head) == 0L) refuse("the source has no rows")
  design <- new_design_of(formula, setting, head, intercept, environment)
  rows <- list(read = source$rows)
  sampled <- !is.null(setting$count) || chooses_bandwidth(setting$kernel)
  size <- if (sampled) sample_size(setting) else 0
  if (sampled || needs_look(design, head)) {
    look <- run_pass(source, look_pass(design, max(size, 1), setting$seed), workers, span = c(0, 0.3))
    if (look$rows == 0) refuse_no_rows_left(look$read, 0)
    rows <- look[c("read", "rows")]
    design$kinds <- look$kinds
    for (name in names(look$variables)) design$xlevels[[name]] <- joined_levels(look$variables[[name]], name)
    design$response_levels <- look$variables[[deparse(design$terms[[2L]], 500L)[1L]]]$all
    head <- look$sample
  }
  if (sampled && design$penalised) refuse("with landmarks the intercept is TRUE or FALSE: not penalised, or none")
  design <- settled_design(design, head)
  check_names_of_levels(setting$levels, design)
  design$scale <- scale_of_chunks(setting$scale, setting$kernel, design, source, workers, rows$read)
  if (sampled) {
    found <- fit_to_sample(setting, design, head)
    setting[c("kernel", "learning", "bands", "learnt_by")] <- found[c("kernel", "learning", "bands", "learnt_by")]
    design$landmarks <- found$landmarks
  }
  list(setting = setting, design = design, rows = rows)
}

# Whether the first rows leave levels of factors or kinds of columns unknown.
needs_look <- function(design, head) {
  if (anyNA(unlist(design$kinds))) return(TRUE)
  frame <- chunk_frame(design, head, na.action = stats::na.pass)
  any(vapply(setdiff(names(frame), names(design$xlevels)), function(name) {
    is.factor(frame[[name]]) || is.character(frame[[name]])
  }, NA))
}

check_names_of_levels <- function(levels, design) {
  unknown <- setdiff(names(levels), factor_variables(design))
  if (length(unknown) > 0L) refuse("levels has the name '", unknown[1L], "', which is that of no factor of the formula")
}

factor_variables <- function(design) {
  names(design$classes_of_variables)[design$classes_of_variables %in% c("factor", "ordered", "character")]
}

refuse_no_rows_left <- function(read, dropped) {
  if (read == 0) refuse("the source has no rows")
  refuse("no row is left of the ", counted(read, "row"), " of the source",
         if (dropped > 0) paste0(": ", dropped, " have missing values"), "; see subset, weights and missing values")
}

sample_size <- function(setting) {
  least <- max(setting$count, 2)
  if (is.null(setting$sample)) return(max(2000, 2 * least))
  check_whole(setting$sample, "sample", least, .Machine$integer.max)
}

# The landmarks that freeridge() chooses on the sample, and the kernel with the numbers that it chooses where they are
# open, by the criterion that was asked for or else by its own (REML for lengths).
fit_to_sample <- function(setting, design, sample) {
  numbers <- chunk_numbers(design, sample)
  if (is.null(numbers$x)) refuse("no row of the sample has a positive weight")
  x <- numbers$x
  attr(x, "factor_terms") <- design$factor_terms
  open <- chooses_bandwidth(setting$kernel)
  groups <- if (open && setting$criterion == "groups" && !all(is.na(numbers$groups))) numbers$groups
  criterion <- if (open && setting$asked && setting$criterion != "groups") setting$criterion  # else that of freeridge()
  fit <- freeridge.default(x, numbers$y, setting$kernel, lambda = if (!open) 1, criterion = criterion, groups = groups,
                           weights = numbers$weights, scale = if (is.null(design$scale)) FALSE else design$scale,
                           intercept = if (design$penalised) "penalised" else design$intercept,
                           landmarks = min(setting$count, nrow(x)), landmark_method = setting$landmark_method,
                           seed = setting$seed)
  list(kernel = fit$kernel, landmarks = unname(fit$x[fit$landmarks, , drop = FALSE]), learning = fit$learning,
       bands = fit$bands, learnt_by = if (!is.null(fit$learning)) learnt_by(fit))
}

# The divisors of the columns. Standard deviations take a pass of their own.
scale_of_chunks <- function(scale, kernel, design, source, workers, rows) {
  columns <- length(design$features)
  if (is.numeric(scale)) {
    return(check_positive(by_name(scale, "scale", design$features, "column"), "scale", columns, "column"))
  }
  if (!check_flag(scale, "scale")) return(NULL)
  found <- run_pass(source, deviation_pass(design), workers, rows, c(0.3, 0.4))
  if (found$n == 0) refuse_no_rows_left(if (is.null(rows)) 0 else rows, 0)
  sd <- sqrt(found$squares / max(found$n - 1, 1))
  constant <- !(sd > .Machine$double.eps * found$largest)
  if (found$n < 2) constant[] <- TRUE
  of_constant <- divisor_of_constant(kernel)
  divisors <- ifelse(constant, of_constant, sd)
  for (part in design$factor_terms) {
    total <- sqrt(sum(sd[part$columns]^2))
    divisors[part$columns] <- if (is.finite(total) && total > 0) total else of_constant
  }
  stats::setNames(divisors, design$features)
}

fit_chunks <- function(setting, design, rows, source, workers) {
  if (!is.null(setting$lambda)) lambda <- check_lambda(setting$lambda, design$t, design$outputs)
  sums <- run_pass(source, sum_pass(design, empty_accumulator(setting, design)), workers, rows$read, c(0.4, 0.6))
  if (sums$rows == 0) refuse_no_rows_left(sums$read, sums$dropped)
  if (!is.null(rows$rows) && sums$read != rows$read) {
    refuse("the source has changed between two passes: ", counted(rows$read, "row"), " at first, then ", sums$read)
  }
  handle <- sums$accumulator
  fit <- new_chunk_fit(setting, design, sums)
  fit$accumulator <- core_accumulator_save(handle, compact = TRUE)
  core_accumulator_prepare(handle)
  fit <- if (!is.null(setting$lambda)) {
    c(fit, list(lambda = lambda, chosen = FALSE))
  } else if (setting$criterion %in% names(left_out_passes)) {
    c(fit, lambda_by_left_out(setting, design, sums, source, workers), chosen = TRUE)
  } else {
    found <- core_accumulator_select_lambda(handle, setting$criterion, setting$range[1L], setting$range[2L])
    c(fit, found[c("lambda", "score", "edge")], chosen = TRUE)
  }
  warn_of_accumulator(handle, fit$lambda)
  names(fit$lambda) <- fit$outputs
  if (fit$chosen) names(fit$score) <- fit$outputs
  model <- core_accumulator_predictor(handle, fit$lambda)
  fit$predictor <- core_save_predictor(model, TRUE)
  fit$effects <- effects_at(fit, model)
  fit$cache <- new.env(parent = emptyenv())
  fit$cache$accumulator <- handle
  fit$cache$model <- model
  structure(fit, class = "freeridge_chunks")
}

# For each output, of the lambdas that were tried the one with the least mean squared left-out error. Each pass after
# the second one tries one more lambda of each output: the minimum of the polynomial through the best score and its
# neighbours.
lambda_by_left_out <- function(setting, design, sums, source, workers) {
  handle <- sums$accumulator
  bytes <- if (!is.null(workers)) core_accumulator_save(handle)
  new <- setting$lambdas
  if (length(new) == 1L) new <- grid_of_chunks(handle, new, setting$range)
  lambdas <- numeric()
  moments <- NULL
  for (number in seq(2, setting$passes)) {
    span <- 0.6 + 0.4 * c(number - 2, number - 1) / (setting$passes - 1)
    found <- left_out_moments(setting$criterion, design, handle, bytes, new, source, workers, sums, span)
    lambdas <- c(lambdas, new)
    moments <- cbind(moments, found)
    choice <- core_moments_select_lambda(lambdas, design$t, moments)
    new <- setdiff(choice$`next`, lambdas)
    if (length(new) == 0L) break
  }
  c(choice[c("lambda", "score", "edge")], list(search = sorted_search(lambdas, moments, design$t)))
}

# So many lambdas over a range, c(0, 0): that of the accumulator. Where no lambda matters there is no grid.
grid_of_chunks <- function(handle, count, range) {
  if (range[1L] > 0) return(unique(exp(seq(log(range[1L]), log(range[2L]), length.out = count))))
  tryCatch(core_accumulator_lambda_grid(handle, count), freeridge_undefined = function(condition) 1)
}

# The moments of the left-out errors at each lambda, by a pass over the rows of the fit.
left_out_moments <- function(criterion, design, handle, bytes, lambdas, source, workers, rows, span = c(0, 1)) {
  pass <- left_out_passes[[criterion]](design, handle, bytes, lambdas)
  found <- pass$pack(run_pass(source, pass, workers, rows$read, span))
  check_same_rows(rows, found)
  if (criterion == "groups" && found$groups == 0) refuse("groups has no label: each row's is missing")
  found$moments
}

# The lambdas ascending, with their moments. In moments, output j of lambda l has the column l t + j (all counted from
# 0).
sorted_search <- function(lambdas, moments, t) {
  order <- order(lambdas)
  list(lambda = lambdas[order], moments = moments[, rep((order - 1L) * t, each = t) + seq_len(t), drop = FALSE])
}
