# freeridge(): the matrix and the formula interface.

freeridge <- function(x, ...) {
  call <- formula_first(...names(), sys.call(), parent.frame())
  if (is.null(call)) UseMethod("freeridge") else eval(call, parent.frame())
}

freeridge.default <- function(x, y, kernel = NULL, lambda = NULL, criterion = NULL, intercept = TRUE, weights = NULL,
                              groups = NULL, gap = NULL, fixed = NULL, scale = divides_columns(kernel), rule = "min",
                              lambda_range = NULL, lengths = NULL, learn = "open", bands = NULL, smoothness = NULL,
                              shrinkage = 0.5, learn_rows = NULL, bandwidth_range = NULL, budget = 0, landmarks = NULL,
                              landmark_method = "auto", seed = 0, route = "auto", reduction = "auto", refine = 0,
                              accuracy = 1e-8, device = "cpu", robust = NULL, stack = FALSE, noise_sd = NULL,
                              class_weights = NULL, ...) {
  refuse_extra(...)
  call <- match.call()
  call[[1L]] <- quote(freeridge)
  if (missing(x)) refuse("x is missing")
  if (missing(y)) refuse("y is missing")
  if (!is.null(class_weights)) {
    if (is.null(class_coding(y))) refuse("class_weights is given, and y has no classes: a factor, or TRUE and FALSE")
    weights <- with_class_weights(weights, class_weights, y)
  }
  if (!isFALSE(stack)) {
    given <- c(mget(setdiff(names(call)[-1L], c("weights", "class_weights")), environment()), list(weights = weights))
    return(fit_stack(x, y, stack, c(given, list(intercept = intercept)[!"intercept" %in% names(given)]), call))
  }

  given <- !is.null(kernel)
  kernel <- if (given) as_kernel(kernel) else matern_kernel()  # until it is known what is learnt
  check_kernel(kernel)
  classes <- class_coding(y)
  if (!is.null(classes)) y <- classes$y
  vector <- is.null(dim(y)) || length(dim(y)) == 1L
  sparse <- is_sparse(x)
  x <- if (sparse) sparse_matrix(x, "x") else numeric_matrix(x, "x", finite = FALSE)  # the core checks for NaN and Inf
  y <- response_matrix(y, finite = FALSE)
  n <- nrow(x)
  if (nrow(y) != n) refuse("y has ", nrow(y), " rows, x has ", n)
  check_row_names(x, y, given_count(kernel) > 0L)
  check_row_names(x, weights, called = "weights")
  check_row_names(x, groups, called = "groups")
  if (!is.null(lambda)) lambda <- check_lambda(lambda, ncol(y), output_names(y))
  kernel <- scales_by_name(kernel, feature_names(x))
  if (!is.null(weights)) weights <- check_weights(weights, n)
  gap <- gap_codes(gap, groups, n)
  if (!is.null(groups)) groups <- group_codes(groups, n, "groups")
  intercept <- check_intercept(intercept)
  if (!is.null(fixed)) fixed <- fixed_columns(fixed, n, intercept)
  missing_values <- !vector && anyNA(y)
  if (is.null(lengths)) {
    several <- missing_values && sets_of_rows(y) > most_sets_of_rows  # each costs gradients of its own
    lengths <- if (!several && has_lengths(kernel, sparse, criterion, bandwidth_range)) "each" else "one"
  }
  effects <- attr(x, "random_terms")
  if (!is.null(effects)) check_random(kernel)
  if (!is.null(noise_sd)) noise_sd <- check_noise(noise_sd, classes, robust, effects, kernel)
  if (is.null(criterion) && !is.null(noise_sd) && route != "iterative" && is.null(groups)) criterion <- "reml"
  if (is.null(criterion)) {
    variances <- !is.null(effects) || given_count(kernel) > 1L
    criterion <- default_criterion(kernel, y, groups, lengths, route, !is.null(classes), variances)
  }
  check_criterion(criterion, groups, route, lambda)
  check_square(kernel, x)
  if (isTRUE(scale) && has_own_distance(kernel)) {
    refuse("scale is TRUE, and the kernel has a period or angles in units of x: give FALSE, or numbers, 1 for these columns")
  }

  counts <- if (is.null(weights)) TRUE else weights > 0
  own <- own_columns(x)
  fit <- list(
    call = call, kernel = kernel,
    scale = column_scale(scale, if (all(counts)) x else rows_with_terms(x, counts), divisor_of_constant(kernel)),
    lambda = lambda, criterion = criterion, rule = check_rule(rule, lambda, criterion),
    lambda_range = check_range(lambda_range, "lambda_range"),
    bandwidth_range = check_range(bandwidth_range, "bandwidth_range"),
    intercept = !isFALSE(intercept), penalised = identical(intercept, "penalised"), weights = weights, groups = groups,
    gap = gap, x = x, y = y, vector = vector, missing_values = missing_values
  )
  fit <- c(fit, route_settings(n, landmarks, landmark_method, seed, route, reduction, refine, accuracy, budget))
  fit$device <- check_device(device)
  fit$fixed <- fixed$x
  fit$fixed_source <- fixed$source
  if (!is.null(classes)) fit$classes <- classes[c("levels", "known", "kind")]
  fit <- learning_settings(fit, lengths, learn, bands, shrinkage, learn_rows)
  smoothness <- check_smoothness(smoothness, given)
  if (!given) fit$kernel <- default_kernel(without_random_columns(x), fit$lengths, smoothness)
  fit$chooses_smoothness <- !given && is.null(smoothness) && is.null(classes) && is.null(effects)
  if (length(own) < ncol(x)) fit <- with_random_effects(fit, own)
  if (given_count(fit$kernel) > 1L) fit <- variances_alone(fit)
  fit <- set_aside(fit)
  fit$robust <- check_robust(robust, fit)
  fit$noise_sd <- noise_sd
  if (kernel$name == "function") fit <- with_kernel_values(fit)
  if (sparse) check_sparse_settings(fit)
  kinds <- c(if (sparse) "freeridge_sparse", if (!is.null(classes)) "freeridge_classes")
  structure(fit_model(fit), class = c(kinds, "freeridge"))
}

# The standard deviation of the error of a row of weight one, where it is known.
check_noise <- function(noise_sd, classes, robust, effects, kernel) {
  noise_sd <- one_number(noise_sd, "noise_sd")
  if (!is.finite(noise_sd) || noise_sd <= 0) refuse("noise_sd must be one positive number, not ", shown(noise_sd))
  of <- c(if (!is.null(classes)) "classes", if (!is.null(robust)) "robust", if (!is.null(effects)) "random()",
          if (given_count(kernel) > 1L) "several given matrices")
  if (length(of) > 0L) refuse("noise_sd is given, which does not go with ", of[1L])
  noise_sd
}

# A data frame with factors (or strings) becomes the columns that a formula of all its variables would give, and new
# data are treated in the same way.
freeridge.data.frame <- function(x, y, kernel = NULL, lambda = NULL, ...) {
  call <- match.call(freeridge.default, sys.call(), envir = parent.frame())  # every argument by its name, for update()
  call[[1L]] <- quote(freeridge)
  if (missing(y)) refuse("y is missing")
  classes <- vapply(x, function(column) is.factor(column) || is.character(column), NA)
  if (!any(classes | vapply(x, inherits, NA, c("Date", "POSIXct", "units")))) {
    fit <- freeridge.default(x, y, kernel, lambda, ...)
    fit$call <- call
    return(fit)
  }
  check_levels(x[classes])
  check_dot(x, "x")
  if (.row_names_info(x) < 0L) y <- without_row_names(y)  # numbers of rows are no names
  terms <- stats::terms(stats::as.formula("~ .", globalenv()), data = x)
  frame <- without_integer64(stats::model.frame(terms, x, na.action = stats::na.pass))
  terms <- terms_with_units(attr(frame, "terms"), frame)
  level_value <- level_value_for(if (is.null(kernel)) matern_kernel() else kernel, lambda)
  design <- design_matrix(terms, frame, level_value = level_value)
  fit <- freeridge.default(design$x, y, kernel, lambda, ...)
  fit$call <- call
  with_terms(fit, list(terms = terms, frame = frame, design = design, columns = names(x)))
}

# Several given matrices, each with its variance.
freeridge.list <- function(x, y, kernel = NULL, lambda = NULL, ...) {
  call <- match.call(freeridge.default, sys.call(), envir = parent.frame())
  call[[1L]] <- quote(freeridge)
  if (missing(y)) refuse("y is missing")
  x <- matrices_side_by_side(x)
  if (is.null(kernel)) kernel <- Reduce(`+`, rep(list(if (length(x$names) > 1L) NA * precomputed_kernel() else precomputed_kernel()), length(x$names)))
  if (!is_kernel(kernel) || given_count(kernel) != length(x$names)) {
    refuse("x is a list of ", counted(length(x$names), "matrix"), ": kernel must be a sum of as many precomputed_kernel(), ",
           "which it is where it is not given")
  }
  fit <- freeridge.default(x$x, y, kernel, lambda, ...)
  fit$call <- call
  fit$matrices <- x$names
  fit
}

without_row_names <- function(y) {
  if (is.null(dim(y))) names(y) <- NULL else rownames(y) <- NULL
  y
}

# What a fit keeps of the model frame it was made from. parts: those of formula_parts().
with_terms <- function(fit, parts) {
  fit$terms <- parts$terms
  fit$xlevels <- stats::.getXlevels(parts$terms, parts$frame)
  if (length(parts$effects) > 0L) {
    any <- factors_of_effects(parts)
    fit$xlevels <- fit$xlevels[setdiff(names(fit$xlevels), any)]
    classes <- attr(fit$terms, "dataClasses")
    attr(fit$terms, "dataClasses") <- classes[setdiff(names(classes), any)]
  }
  fit$contrasts <- parts$design$contrasts
  fit[c("columns", "response_columns")] <- parts[c("columns", "response_columns")]
  fit$frame <- kept_frame(parts$frame, fit, parts$dropped)
  fit
}

# REML for a kernel that learns a length for each column: it found kernels that predict better than leave-one-out errors
# did (docs/defaults.md), and leave-one-out errors flatter less where nothing was chosen by them. REML has no value for an
# output that does not vary. variances: whether there are random effects or several given matrices.
default_criterion <- function(kernel, y, groups, lengths, route, of_classes, variances = FALSE) {
  if (!is.null(groups)) return("groups")
  if (variances) return("reml")
  if (lengths != "each" || !chooses_bandwidth(kernel) || identical(route, "iterative")) return("loo")
  if (of_classes) return("log_loss")
  constant <- apply(y, 2L, function(column) length(unique(column[!is.na(column)])) < 2L)
  if (any(constant)) "loo" else "reml"
}

check_criterion <- function(criterion, groups, route, lambda) {
  check_choice(criterion, "criterion", criteria_names)
  if (criterion == "groups" && is.null(groups)) refuse("criterion is \"groups\", but there are no groups")
  if (identical(route, "iterative") && is.null(lambda) && !criterion %in% estimated_criteria) {
    refuse("the route \"iterative\" estimates \"loo\" and \"gcv\" alone: criterion must be one of them, not \"",
           criterion, "\"")
  }
}

# The part of a fit that says how its model of n rows is computed.
route_settings <- function(n, landmarks, landmark_method, seed, route, reduction, refine, accuracy, budget) {
  list(
    landmark_choice = check_landmarks(landmarks, n),
    landmark_method = check_choice(landmark_method, "landmark_method", c("auto", "random", "kmeans", "pivoted")),
    seed = check_whole(seed, "seed"), route = check_choice(route, "route", route_names),
    reduction = check_choice(reduction, "reduction", c("auto", "qr", "gram")),
    refine = check_whole(refine, "refine", 0, .Machine$integer.max), accuracy = check_accuracy(accuracy),
    budget = check_whole(budget, "budget", 0, .Machine$integer.max)
  )
}

# "cpu", "cuda" or "cuda:1"; "host" is the CPU in the place of a device, for tests.
check_device <- function(device) {
  if (!is.character(device) || length(device) != 1L || !grepl("^(cpu|host|cuda(:[0-9]{1,3})?)$", device)) {
    refuse("device must be \"cpu\", \"cuda\" or, of several, such as \"cuda:1\", not ", shown(device))
  }
  device
}

# The number that the core has for it.
device_code <- function(device) {
  if (device == "cpu") return(0)
  if (device == "host") return(-1)
  if (device == "cuda") 1 else 1 + as.numeric(sub("cuda:", "", device, fixed = TRUE))
}

# How lambda is taken from the search: its best, or the largest that is within one standard error of the best.
check_rule <- function(rule, lambda, criterion) {
  check_choice(rule, "rule", c("min", "1se"))
  if (rule == "min") return(rule)
  if (!is.null(lambda)) refuse("rule is \"1se\", but lambda is given: there is nothing to choose")
  if (!criterion %in% criteria_with_error) {
    refuse("rule is \"1se\", but the criterion \"", criterion, "\" has no standard error; those that have one: ",
           paste0('"', criteria_with_error, '"', collapse = ", "))
  }
  rule
}

freeridge.formula <- function(formula, data, subset, na.action, weights, offset, groups = NULL, gap = NULL,
                              intercept = TRUE, kernel = NULL, lambda = NULL, ...) {
  call <- match.call()
  call[[1L]] <- quote(freeridge)
  parts <- formula_parts(call, parent.frame(), formula, if (is.null(kernel)) matern_kernel() else kernel, intercept,
                         lambda)
  frame <- parts$frame
  response <- parts$response
  design <- parts$design
  intercept <- parts$intercept
  offset <- frame_offset(frame, response)
  if (ncol(design$x) == 0L && isFALSE(intercept) && is.null(parts$fixed)) {
    refuse("the formula has no predictors: ", shown_formula(formula))
  }
  if ("fixed" %in% ...names()) refuse("fixed goes with a matrix; a formula has unpenalised(...) for it")
  fit_to <- if (ncol(design$x) == 0L) fit_mean else freeridge.default
  fit <- fit_to(design$x, if (is.null(offset)) response else response - offset, kernel = kernel,
                lambda = lambda, weights = stats::model.weights(frame), groups = labels_of_frame(frame[["(groups)"]]),
                gap = labels_of_frame(frame[["(gap)"]]), intercept = intercept, fixed = parts$fixed$x, ...)
  if (!is.null(offset)) fit <- with_offset(fit, offset)
  fit$parts <- if (!is.null(parts$parts$given)) parts$parts
  fit$fixed_source <- parts$fixed$source
  if (length(parts$effects) > 0L) fit$random <- parts$effects
  fit$call <- call
  fit$na.action <- attr(frame, "na.action")
  with_terms(fit, parts)
}

# Adds the offset, which was subtracted from the response before the fit, to the fit's parts.
with_offset <- function(fit, offset) {
  fit$offset <- offset
  if (inherits(fit, "freeridge_stack")) {
    fit$y <- fit$y + offset
    return(fit)
  }
  if (!is.null(fit$aside)) {
    fit$offset <- offset[-fit$aside$rows]
    fit$aside$offset <- offset[fit$aside$rows]
    fit$aside$y <- fit$aside$y + fit$aside$offset
  }
  fit$y <- fit$y + fit$offset
  model <- fit$cache$model
  attr(model, "offset") <- fit$offset  # as new_model() does for the next one
  fit$cache$model <- model
  fit
}

# y ~ 1: an intercept and no columns but unpenalised ones. Neither kernel nor lambda matter; the core has a column of zeros
# (with_columns()), and with effects a lambda that gives them standard errors.
fit_mean <- function(x, y, ..., fixed = NULL, kernel = NULL, lambda = NULL, scale = NULL, rule = NULL,
                     landmarks = NULL, route = NULL, lambda_range = NULL, bandwidth_range = NULL, lengths = NULL,
                     learn = NULL, bands = NULL, shrinkage = NULL, learn_rows = NULL, stack = FALSE) {
  if (!isFALSE(stack)) refuse("stack is given, but the formula has no predictors: it fits the mean")
  names <- list(rownames(x), "none")
  fit <- freeridge.default(matrix(0, nrow(x), 1L, dimnames = names), y, linear_kernel(), if (is.null(fixed)) 0 else 1,
                           scale = FALSE, fixed = fixed, ...)
  fit$x <- fit$x[, 0L, drop = FALSE]
  if (!is.null(fit$aside)) fit$aside$x <- fit$aside$x[, 0L, drop = FALSE]
  fit
}

# The model frame, with R's words on what it cannot be made of.
made_frame <- function(call, environment) {
  frame <- tryCatch(eval(call, environment), error = function(condition) {
    if (inherits(condition, "freeridge_error")) stop(condition)
    refuse("the data do not fit the formula: ", conditionMessage(condition))
  })
  if (nrow(frame) == 0L) refuse_no_rows(call, environment)
  without_integer64(frame)
}

# The rows that na.exclude took from a frame, for augment(); NULL where they cannot be had by themselves.
dropped_rows <- function(frame, call, environment) {
  if (!inherits(attr(frame, "na.action"), "exclude")) return(NULL)
  call$na.action <- quote(stats::na.pass)
  tryCatch(eval(call, environment)[attr(frame, "na.action"), , drop = FALSE], error = function(condition) NULL)
}

# Why no row is left.
refuse_no_rows <- function(call, environment) {
  call$na.action <- quote(stats::na.pass)
  call$drop.unused.levels <- FALSE
  before <- eval(call, environment)
  if (nrow(before) == 0L) {
    call$subset <- NULL
    if (nrow(eval(call, environment)) == 0L) refuse("the data have no rows")
    refuse("no row is left: subset selects none of the ", counted(nrow(eval(call, environment)), "row"))
  }
  missing <- vapply(before, function(column) all(is.na(as.matrix(column))), NA)
  refuse("no row is left: each of the ", counted(nrow(before), "row"), " has a missing value",
         if (any(missing)) paste0("; all are missing in ", paste(names(before)[missing], collapse = ", ")))
}

# The sum of the offsets of a frame, in the formula and in the argument; NULL without any.
frame_offset <- function(frame, response) {
  offset <- stats::model.offset(frame)
  if (is.null(offset)) return(NULL)
  if (is.factor(response) || is.logical(response)) {
    refuse("an offset goes with a numeric response; this one is ", shown(response))
  }
  check_finite(offset, "offset")
  as.vector(offset)
}

# The call of model.frame for a call of the formula method. A missing group label means "never left out": as a level of
# its own, or in a matrix as the code 0, it is not taken for a missing value that drops the row. flat: the formula that
# takes the place of one with unpenalised(), or NULL.
frame_call <- function(call, flat = NULL) {
  frame <- call[c(1L, match(c("formula", "data", "subset", "na.action", "weights", "offset"), names(call), 0L))]
  frame[[1L]] <- quote(stats::model.frame)
  if (!is.null(flat)) frame$formula <- flat
  frame$drop.unused.levels <- TRUE
  if (!is.null(call$groups)) frame$groups <- bquote(.(labels_for_frame)(.(call$groups)))
  if (!is.null(call$gap)) {
    frame$gap <- bquote(.(shared_codes)(.(call$gap), .(call$groups)))
    frame$groups <- bquote(.(shared_codes)(.(call$groups), .(call$groups)))
  }
  frame
}

shown_formula <- function(formula) paste(deparse(formula), collapse = " ")
