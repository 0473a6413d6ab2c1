# Linear ridge regression on a sparse x of the package Matrix, which never becomes dense: src/sparse.cpp has the
# formulas. A fit has what it needs behind the same calls as every other fit: those that know a sparse model are listed
# at the end.

is_sparse <- function(x) {
  isS4(x) && identical(attr(class(x), "package"), "Matrix") && requireNamespace("Matrix", quietly = TRUE) &&
    methods::is(x, "sparseMatrix")
}

# A dgCMatrix as it is; any other sparse matrix of numbers, TRUEs or patterns is converted once.
sparse_matrix <- function(x, name, finite = TRUE, rows = TRUE) {
  if (!identical(class(x)[1L], "dgCMatrix")) {
    x <- methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  }
  if (rows && nrow(x) == 0L) refuse(name, " has no rows")
  if (ncol(x) == 0L) refuse(name, " has no columns")
  place <- if (finite) first_not_finite(x@x) else 0
  if (place > 0) {
    column <- findInterval(place - 1, x@p)
    if (!is.null(colnames(x))) column <- paste0('"', colnames(x)[column], '"')
    refuse(name, "[", x@i[place] + 1, ", ", column, "] is ", format(x@x[place]), "; all values must be finite numbers")
  }
  x
}

# Standard deviations of the columns (1 for a constant one), zeros included.
sparse_sd <- function(x) {
  n <- nrow(x)
  means <- Matrix::colMeans(x)
  entries <- diff(x@p)
  squares <- x
  squares@x <- (x@x - rep(means, entries))^2
  sd <- if (n > 1L) sqrt((Matrix::colSums(squares) + (n - entries) * means^2) / (n - 1)) else rep(0, ncol(x))
  squares@x <- abs(x@x)
  size <- Matrix::colSums(squares)  # at least the largest
  unname(ifelse(is.finite(sd) & sd > .Machine$double.eps * size, sd, 1))
}

refuse_sparse <- function(what) {
  refuse(what,
         " is not to be had with a sparse x, which linear kernels take without making it dense; as.matrix(x) has it")
}

check_sparse_settings <- function(fit) {
  if (!is_linear(fit$kernel)) {
    refuse("x is sparse, and the kernel ", format(fit$kernel),
           " is not linear: give kernel = linear_kernel(), or as.matrix(x)")
  }
  if (!is.null(fit$groups)) refuse_sparse("leaving groups out")
  if (!is.null(fit$landmark_choice)) refuse_sparse("a choice of landmarks")
  if (fit$route != "auto") refuse_sparse(paste0("the route \"", fit$route, "\""))
  if (fit$reduction == "qr") refuse_sparse("the reduction \"qr\"")
  if (fit$refine > 0) refuse_sparse("iterative refinement")
}

# What a fit with a sparse x has in place of the core's model: the data, lambda and the search of lambda. The handle is
# made by sparse_factorize(), the one expensive step.
new_sparse_model <- function(fit) {
  check_finite(fit$y, "y")
  model <- list2env(fit[c("x", "y", "weights", "intercept")], parent = emptyenv())
  model$multipliers <- sqrt(linear_metric(fit$kernel, ncol(fit$x))) / (if (is.null(fit$scale)) 1 else fit$scale)
  structure(model, class = "sparse_model")
}

sparse_factorize <- function(model) {
  model$handle <- sparse_create(model$x, model$y, model$weights, model$intercept,
                                rep_len(model$multipliers, ncol(model$x)))
  model$facts <- sparse_summary(model$handle)
  invisible()
}

# Called by the C++ side.
refuse_singular <- function(lambda) {
  words <- paste0("lambda is ", format(lambda),
                  ", too small for a sparse x: x'x + lambda I is numerically singular; the ",
                  "limit to lambda = 0 is to be had with as.matrix(x)")
  stop(new_condition(words, "not_positive_definite", c("freeridge_error", "error")))
}

sparse_rank <- function(model) min(sum(model$facts$eigenvalues > model$facts$tolerance), model$facts$m)

sparse_set_lambda <- function(model, lambda) {
  lambda <- rep_len(lambda, ncol(model$y))
  solution <- sparse_solution(model$handle, lambda)
  model$lambda <- lambda
  model$solution <- solution
  model$rows <- NULL
  invisible()
}

# Leverages, residuals and left-out errors at the lambdas in force.
rows_of <- function(model) {
  if (is.null(model$rows)) model$rows <- sparse_rows(model$handle, model$lambda)
  model$rows
}

sparse_predict <- function(model, x) {
  values <- as.matrix(x %*% model$solution$w)
  dimnames(values) <- NULL
  values + rep(model$solution$b, each = nrow(values))
}

sparse_freedom <- function(model) {
  eigenvalues <- pmax(model$facts$eigenvalues, 0)
  df <- vapply(model$lambda, function(lambda) sum(eigenvalues / (eigenvalues + lambda)), 0) + model$intercept
  weights <- if (is.null(model$weights)) 1 else model$weights
  rest <- nrow(model$x) - df
  list(df = df, sigma2 = ifelse(rest > 0, colSums(weights * rows_of(model)$residuals^2) / rest, NaN))
}

sparse_cooks_distance <- function(model) {
  freedom <- sparse_freedom(model)
  weights <- if (is.null(model$weights)) 1 else model$weights
  rows <- rows_of(model)
  weights * rows$errors^2 * rows$leverage / rep(freedom$df * freedom$sigma2, each = nrow(rows$errors))
}

# From this lambda on left-out errors have six digits: where the smallest eigenvalue of x'x + lambda I is 3e5 times the
# rounding of the others, which the tolerance is.
sparse_floor <- function(model) {
  max(3e5 * model$facts$tolerance - max(model$facts$eigenvalues[1L], 0), 0)
}

sparse_lambda_flags <- function(model) {
  floor <- sparse_floor(model)
  list(floor = floor, below = as.integer(model$lambda < (1 - 1e-12) * floor))
}

# The range of lambda: from a thousandth of the smallest eigenvalue that is not zero, but not below the floor, to a
# thousand times the largest.
sparse_lambda_grid <- function(model, count) {
  eigenvalues <- model$facts$eigenvalues
  kept <- eigenvalues[eigenvalues > model$facts$tolerance]
  if (length(kept) == 0L) {
    stop(new_condition("all eigenvalues of x'x are zero: no lambda matters", "undefined",
                       c("freeridge_error", "error")))
  }
  low <- max(kept[1L] / 1000, .Machine$double.eps * max(kept), sparse_floor(model))
  high <- 1000 * max(kept, low)
  exp(seq(log(low), log(high), length.out = count))
}

# Scores and (where the criterion is a mean) their standard errors, lambdas x outputs; the definitions are those of
# freeridge.h.
sparse_score_with_error <- function(model, criterion, lambdas) {
  if (criterion == "error_rate") check_signs(model$y)
  facts <- model$facts
  sums <- sparse_sums(model$handle, lambdas, model$y)
  n <- nrow(model$x)
  t <- ncol(model$y)
  eigenvalues <- pmax(rev(facts$eigenvalues)[seq_len(min(length(facts$eigenvalues), facts$m))], 0)
  error_of <- function(mean, mean_square) sqrt(pmax(mean_square - mean^2, 0) / (n - 1))
  switch(criterion,
    loo = {
      mean <- sums$loo / facts$sum_w
      list(scores = mean, se = error_of(mean, sums$loo2 / facts$sum_w))
    },
    error_rate = {
      mean <- matrix(sums$wrong / facts$sum_w, length(lambdas), t)
      list(scores = mean, se = error_of(mean, mean))
    },
    gcv = {
      df <- vapply(lambdas, function(lambda) sum(eigenvalues / (eigenvalues + lambda)), 0) + model$intercept
      list(scores = n * sums$rss / (n - df)^2)
    },
    reml = {
      m <- facts$m
      log_det <- vapply(lambdas,
                        function(lambda) sum(log(eigenvalues + lambda)) + (m - length(eigenvalues)) * log(lambda), 0)
      variance <- (rep(facts$norms, each = length(lambdas)) - sums$form) / lambdas / m
      list(scores = 0.5 * (m * log(2 * pi * variance) + m + log_det - facts$sum_log_w +
                             if (model$intercept) log(facts$sum_w) else 0))
    }
  )
}

sparse_score <- function(model, criterion, lambdas) sparse_score_with_error(model, criterion, lambdas)$scores

check_signs <- function(y) {
  bad <- which(if (ncol(y) == 1L) abs(y) != 1 else rowSums(y > 0) != 1 | rowSums(abs(y) != 1) > 0)
  if (length(bad) > 0L) {
    refuse("row ", bad[1L], " of y names no class: with \"error_rate\" y is -1 or +1, and of several outputs one is +1")
  }
}

# A hundred values in the range, then in each of the five deepest dips the minimum of the polynomial in log lambda
# through the scores at its Chebyshev points (the scores are analytic there: with eleven of them nothing is left to find).
sparse_select_lambda <- function(model, criterion, low, high) {
  grid <- if (high > 0) exp(seq(log(low), log(high), length.out = 100L)) else sparse_lambda_grid(model, 100L)
  scores <- sparse_score(model, criterion, grid)
  if (any(colSums(!is.nan(scores)) == 0L)) {
    stop(new_condition(paste0(criterion, " is undefined everywhere in the range of lambda"), "undefined",
                       c("freeridge_error", "error")))
  }
  dips <- lapply(seq_len(ncol(scores)), function(j) dips_of(scores[, j]))
  tried <- list(lambdas = grid, scores = scores)
  if (criterion != "error_rate") tried <- refined_search(model, criterion, tried, dips)

  best <- apply(tried$scores, 2L, choice_of, logs = log(tried$lambdas))
  lambda <- tried$lambdas[best]
  model$search <- c(tried, list(
    edge = ifelse(lambda <= grid[1L], -1L, ifelse(lambda >= grid[100L], 1L, 0L)),
    decades = vapply(seq_along(best), function(j) {
      flat_decades(tried$lambdas, tried$scores[, j], best[j], criterion)
    }, 0),
    dips = vapply(dips, length, 0L)
  ))
  model$criterion <- criterion
  sparse_set_lambda(model, lambda)
  list(lambda = lambda, score = tried$scores[cbind(best, seq_along(best))])
}

# The lowest score; of those equal to it within rounding the one with the largest lambda, where that is another place
# than the minimum's own neighbourhood.
choice_of <- function(values, logs) {
  best <- max(which(values == min(values, na.rm = TRUE)))
  equal <- which(values <= values[best] + 1e-12 * abs(values[best]) & logs > logs[best] + 0.1)
  max(best, equal)
}

# Local minima of the grid that stand out by more than 1e-8, its ends included, the deepest first; none when the
# scores are constant.
dips_of <- function(values) {
  known <- which(!is.nan(values))
  change <- diff(values[known])
  moves <- which(abs(change) > 1e-8 * abs(values[known][-1L]))
  if (length(moves) == 0L) return(integer())
  turns <- which(diff(c(-1, sign(change[moves]), 1)) > 0)
  found <- known[c(moves, length(known))[turns]]
  found[order(values[found])]
}

deepest <- function(dips) dips[seq_len(min(length(dips), 5L))]

refined_search <- function(model, criterion, tried, dips) {
  grid <- log(tried$lambdas)
  nodes <- cos(pi * (seq_len(11L) - 0.5) / 11)
  places <- unique(unlist(lapply(dips, deepest)))
  if (length(places) == 0L) return(tried)
  centre <- function(place) mean(grid[range_of(place)])
  half <- function(place) diff(grid[range_of(place)]) / 2
  range_of <- function(place) c(max(place - 1L, 1L), min(place + 1L, 100L))
  between <- lapply(places, function(place) exp(centre(place) + half(place) * nodes))
  between <- lapply(between, function(lambdas) pmin(pmax(lambdas, min(tried$lambdas)), max(tried$lambdas)))
  scores <- sparse_score(model, criterion, unlist(between))
  added <- unlist(lapply(seq_along(places), function(k) {
    rows <- (k - 1L) * 11L + seq_len(11L)
    lapply(seq_len(ncol(scores)), function(j) {
      if (!places[k] %in% deepest(dips[[j]]) || anyNA(scores[rows, j])) return(NULL)
      exp(centre(places[k]) + half(places[k]) * chebyshev_minimum(nodes, scores[rows, j]))
    })
  }))
  tried <- list(lambdas = c(tried$lambdas, unlist(between)), scores = rbind(tried$scores, scores))
  if (length(added) > 0L) {
    added <- unique(added)
    tried <- list(lambdas = c(tried$lambdas, added),
                  scores = rbind(tried$scores, sparse_score(model, criterion, added)))
  }
  ascending <- order(tried$lambdas)
  ascending <- ascending[!duplicated(tried$lambdas[ascending])]
  list(lambdas = tried$lambdas[ascending], scores = tried$scores[ascending, , drop = FALSE])
}

# The place in [-1, 1] of the minimum of the polynomial through values at the Chebyshev nodes.
chebyshev_minimum <- function(nodes, values) {
  order <- seq_along(nodes) - 1
  weights <- colMeans((values - min(values)) * cos(outer(acos(nodes), order))) * ifelse(order == 0, 1, 2)
  polynomial <- function(x) sum(weights * cos(order * acos(pmin(pmax(x, -1), 1))))
  start <- nodes[which.min(values)]
  stats::optimize(polynomial, pmin(pmax(start + c(-0.35, 0.35), -1), 1), tol = 1e-9)$minimum
}

# Over how many powers of ten around the choice the score stays within 1% of it (REML: within 0.5), linear between the
# lambdas tried.
flat_decades <- function(lambdas, scores, best, criterion) {
  bound <- if (criterion == "reml") scores[best] + 0.5 else scores[best] + 0.01 * abs(scores[best])
  logs <- log10(lambdas)
  reach <- function(step) {
    place <- best
    repeat {
      following <- place + step
      if (following < 1L || following > length(scores) || is.nan(scores[following])) return(logs[place])
      if (scores[following] > bound) {
        share <- (bound - scores[place]) / (scores[following] - scores[place])
        return(logs[place] + share * (logs[following] - logs[place]))
      }
      place <- following
    }
  }
  reach(1L) - reach(-1L)
}

# The largest lambda tried, from the choice on, up to which every score stays within one standard error of the best.
sparse_one_standard_error <- function(model) {
  search <- model$search
  at <- match(model$lambda, search$lambdas)
  best <- sparse_score_with_error(model, model$criterion, model$lambda)
  outputs <- seq_along(at)
  score <- best$scores[cbind(outputs, outputs)]
  se <- best$se[cbind(outputs, outputs)]
  lambda <- vapply(outputs, function(j) {
    above <- search$scores[at[j]:length(search$lambdas), j]
    beyond <- which(!(above <= score[j] + se[j]))
    if (is.nan(se[j])) return(NaN)
    search$lambdas[at[j] + if (length(beyond) > 0L) beyond[1L] - 2L else length(above) - 1L]
  }, 0)
  list(lambda = lambda, score = score, se = se)
}

sparse_memory <- function(model) {
  d <- ncol(model$x)
  8 * (d * (d + 128) + 2 * 2^19 + 8 * length(model$y))
}

sparse_explain <- function(model) {
  paste0("route: sparse, for a sparse x and a linear kernel: x is not made dense\nmemory beside x: ",
         format(structure(sparse_memory(model), class = "object_size"), units = "auto"),
         ", most of it for one matrix of ", ncol(model$x), " x ", ncol(model$x), " numbers")
}

# The calls of the core that a sparse model answers in its own way, and those it does not.
on_sparse <- function(dense, sparse) {
  force(dense)
  force(sparse)
  function(handle, ...) if (inherits(handle, "sparse_model")) sparse(handle, ...) else dense(handle, ...)
}
not_on_sparse <- function(dense, what) on_sparse(dense, function(...) refuse_sparse(what))

core_is_alive <- on_sparse(core_is_alive, function(model) core_is_alive(model$handle))
core_expect_lambdas <- on_sparse(core_expect_lambdas, function(...) invisible())
core_expect_criterion <- on_sparse(core_expect_criterion, function(...) invisible())
core_factorize <- on_sparse(core_factorize, sparse_factorize)
core_route <- on_sparse(core_route, function(model) "sparse")
core_rank <- on_sparse(core_rank, sparse_rank)
core_tolerance <- on_sparse(core_tolerance, function(model) model$facts$tolerance)
core_memory <- on_sparse(core_memory, sparse_memory)
core_explain <- on_sparse(core_explain, sparse_explain)
core_set_lambda <- on_sparse(core_set_lambda, sparse_set_lambda)
core_lambda <- on_sparse(core_lambda, function(model) model$lambda)
core_lambda_grid <- on_sparse(core_lambda_grid, sparse_lambda_grid)
core_score <- on_sparse(core_score, sparse_score)
core_score_with_error <- on_sparse(core_score_with_error, sparse_score_with_error)
core_select_lambda <- on_sparse(core_select_lambda, sparse_select_lambda)
core_lambda_flags <- on_sparse(core_lambda_flags, sparse_lambda_flags)
core_search <- on_sparse(core_search, function(model) model$search)
core_one_standard_error <- on_sparse(core_one_standard_error, sparse_one_standard_error)
core_fitted <- on_sparse(core_fitted, function(model) model$y - rows_of(model)$residuals)
core_loo <- on_sparse(core_loo, function(model) rows_of(model)$errors)
core_leverage <- on_sparse(core_leverage, function(model) rows_of(model)$leverage)
core_hyperplane <- on_sparse(core_hyperplane, function(model) model$solution$w)
core_intercept <- on_sparse(core_intercept, function(model) model$solution$b)
core_predict <- on_sparse(core_predict, sparse_predict)
core_degrees_of_freedom <- on_sparse(core_degrees_of_freedom, sparse_freedom)
core_cooks_distance <- on_sparse(core_cooks_distance, sparse_cooks_distance)
core_group_errors <- not_on_sparse(core_group_errors, "leaving groups out")
core_predict_jackknife <- not_on_sparse(core_predict_jackknife, "an interval")
core_predict_variance <- not_on_sparse(core_predict_variance, "an interval or a standard error of predictions")
