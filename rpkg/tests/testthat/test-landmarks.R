# Landmarks: given and chosen ones, traces and curves.

rows <- c(3, 17, 8, 12, 5)

test_that("all rows as landmarks are no restriction", {
  p <- problem()
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), landmarks = 1:20)
  whole <- freeridge(p$x, p$y, gaussian_kernel(2))
  expect_close(fit$score, whole$score, 1e-6)
  expect_close(loo(fit, 0.5), loo(whole, 0.5), 1e-7)
  left <- landmarks(fit)
  expect_lt(left$trace_left, 1e-8 * left$trace)
  expect_equal(left$trace, 20)
})

test_that("TRUE and FALSE are rows, one number is a count", {
  p <- problem()
  mask <- seq_len(20L) %in% rows
  expect_identical(freeridge(p$x, p$y, gaussian_kernel(2), 1, landmarks = mask)$landmarks, sort(rows))
  expect_length(freeridge(p$x, p$y, gaussian_kernel(2), 1, landmarks = 7)$landmarks, 7L)
  expect_identical(freeridge(p$x, p$y, gaussian_kernel(2), 1, landmarks = seq_len(20L) == 7L)$landmarks, 7)
  expect_null(freeridge(p$x, p$y, gaussian_kernel(2), 1)$landmarks)
})

test_that("the core's choice is reproducible, and differs by method and seed", {
  p <- problem(200L, 2L)
  chosen <- function(...) freeridge(p$x, p$y, gaussian_kernel(1), 0.1, landmarks = 15, ...)$landmarks
  methods <- c("random", "kmeans", "pivoted")
  choices <- lapply(stats::setNames(methods, methods), function(method) chosen(landmark_method = method))
  for (method in methods) {
    expect_length(choices[[method]], 15L)
    expect_true(all(choices[[method]] %in% 1:200))
    expect_identical(anyDuplicated(choices[[method]]), 0L)
    expect_identical(chosen(landmark_method = method), choices[[method]])
    expect_false(identical(chosen(landmark_method = method, seed = 1), choices[[method]]))
  }
  expect_identical(length(unique(choices)), 3L)
  expect_identical(chosen(), choices$pivoted)
  fit <- freeridge(p$x, p$y, gaussian_kernel(1), 0.1, landmarks = 15)
  expect_output(print(fit), "route: landmark, 15 landmarks", fixed = TRUE)
  expect_output(print(summary(fit)), "Rank: 15", fixed = TRUE)
})

test_that("the traces are their definitions", {
  p <- problem()
  fit <- freeridge(p$x, p$y, gaussian_kernel(2), 1, landmarks = rows, scale = TRUE)
  scaled <- sweep(p$x, 2L, fit$scale, "/")
  k <- oracle_kernel(gaussian_kernel(2), scaled, scaled)
  left <- sum(diag(k - k[, rows] %*% solve(k[rows, rows], k[rows, ])))
  expect_equal(landmarks(fit), list(rows = rows, trace_left = left, trace = 20), tolerance = 1e-9)
})

test_that("the curve is what fits with the first landmarks have", {
  p <- problem(60L, 2L, 2L)
  with_groups <- function(...) freeridge(p$x, p$y, gaussian_kernel(1.5), groups = rep(1:6, 10L), ...)
  fit <- with_groups(landmarks = 20, landmark_method = "random", seed = 7, criterion = "loo")
  for (criterion in c("loo", "gcv", "reml", "groups")) {
    curve <- landmark_curve(fit, c(2, 9, 20), criterion)
    expect_named(curve, c("size", "output", "lambda", "score"))
    for (size in c(2, 9, 20)) {
      first <- with_groups(landmarks = fit$landmarks[seq_len(size)], criterion = criterion)
      expect_close(curve$score[curve$size == size], first$score, 1e-8)
    }
  }
  more <- landmark_curve(fit, c(20, 40))  # more than the fit has: the core chooses again
  expect_close(more$score[more$size == 20], fit$score, 1e-8)
  expect_identical(more$size, c(20, 40, 20, 40))
})

test_that("the bandwidth can be chosen with landmarks, and a formula can have them", {
  fit <- freeridge(sound_pressure ~ ., airfoil[seq(1L, 1503L, by = 5L), ], lengths = "one", landmarks = 40,
                   kernel = gaussian_kernel())
  expect_identical(fit$route, "landmark")
  expect_gte(nrow(fit$bandwidth_search), 3L)
  again <- freeridge(sound_pressure ~ ., airfoil[seq(1L, 1503L, by = 5L), ], kernel = fit$kernel, scale = fit$scale,
                     landmarks = fit$landmarks)
  expect_close(again$score, fit$score, 1e-8)
  expect_true(any(abs(fit$bandwidth_search$score / fit$score - 1) < 1e-6))
  expect_lte(fit$score, 1.003 * min(fit$bandwidth_search$score))
})

test_that("bad landmarks are refused", {
  p <- problem()
  given <- function(...) freeridge(p$x, p$y, gaussian_kernel(2), 1, ...)
  expect_refusal(given(landmarks = 0), "landmarks must be one whole number >= 1, not 0")
  expect_refusal(given(landmarks = 1.5), "landmarks must be one whole number >= 1, not 1.5")
  expect_refusal(given(landmarks = 21), "landmarks is 21, but x has 20 rows")
  expect_refusal(given(landmarks = NA), "landmarks must be a count.*not NA")
  expect_refusal(given(landmarks = "a"), 'landmarks must be a count.*not "a"')
  expect_refusal(given(landmarks = c(TRUE, FALSE)), "landmarks must be a count.*20 TRUE or FALSE")
  expect_refusal(given(landmarks = c(1, 0)), "landmarks\\[2\\] is 0; rows are whole numbers from 1 to 20")
  expect_refusal(given(landmarks = c(1, NaN)), "landmarks\\[2\\] is NaN")
  expect_refusal(given(landmarks = c(1, 2, 1)), "landmarks\\[3\\] is row 1, which is given twice")
  expect_refusal(given(landmarks = 3, landmark_method = "best"), 'landmark_method must be one of "auto"')
  expect_refusal(given(landmarks = 3, seed = 0.5), "seed must be one whole number, not 0.5")
  expect_refusal(given(landmarks = 3, reduction = "svd"), 'reduction must be one of "auto", "qr", "gram"')
  expect_refusal(given(route = "landmark"), "landmarks")
  expect_refusal(given(route = "spectral", landmarks = 5), 'the fit has 5 landmarks, which route = "spectral" does not take; give route = "landmark"', "freeridge_invalid_argument")
  expect_refusal(landmarks(given()), 'no landmarks: its route is "cholesky"')
  expect_refusal(landmark_curve(given(), 1:3), "the fit has no landmarks")
  fit <- given(landmarks = rows)
  expect_refusal(landmark_curve(fit), "sizes is missing")
  expect_refusal(landmark_curve(fit, "a"), "sizes must be whole numbers")
  expect_refusal(landmark_curve(fit, 6), "sizes\\[1\\] is 6; it must be a whole number from 1 to 5")
  expect_refusal(landmark_curve(fit, c(3, 3)), "sizes\\[2\\] is 3, not larger")
  expect_refusal(landmark_curve(fit, 3, "groups"), "the fit has no groups")
  expect_refusal(landmark_curve(fit, 3, best = 1), "unknown argument: 'best'")
  expect_refusal(landmarks(fit, 1), "unknown argument")
})

test_that("where all points do not fit into memory, landmarks are taken and said before anything is learnt", {
  p <- problem(60L, 2L)
  learnt <- 0L
  too_large <- new_condition("does not fit", "out_of_memory", c("freeridge_error", "error"))
  fit_with <- function(..., condition = too_large, landmarks_that_fit = 12) {
    learnt <<- 0L
    search <- with_replaced(learn_kernel, core_select_kernel = function(model, ...) {
      if (learnt == 0L) {
        learnt <<- 1L
        stop(condition)
      }
      core_select_kernel(model, ...)
    })
    instead <- with_replaced(landmarks_instead, landmarks_that_fit = landmarks_that_fit)
    with_replaced(freeridge.default, fit_model = with_replaced(
      fit_model, learn_kernel = search, landmarks_instead = instead, landmarks_that_fit = landmarks_that_fit))(...)
  }
  expect_message(fit <- fit_with(p$x, p$y),
                 "^All 60 points do not fit into memory \\(.* GiB\\): the fit takes 12 of them as landmarks; landmarks = 24 is nearer")
  expect_identical(c(fit$route, length(fit$landmarks)), c("landmark", "12"))
  given <- freeridge(p$x, p$y, landmarks = 12)
  expect_identical(predict(fit, p$x), predict(given, p$x))
  expect_message(expect_error(fit_with(p$x, p$y, route = "cholesky"), class = "freeridge_out_of_memory"), NA)
  expect_message(expect_error(fit_with(p$x, p$y, landmarks = 20), class = "freeridge_out_of_memory"), NA)
  # As many points as landmarks; and what the system refuses on the way.
  expect_message(expect_error(fit_with(p$x, p$y, landmarks_that_fit = 60), class = "freeridge_out_of_memory"), NA)
  expect_message(expect_error(fit_with(p$x, p$y, condition = out_of_memory()), class = "freeridge_out_of_memory"), NA)
})

test_that("a long wait is said before it begins", {
  p <- problem(60L, 2L)
  fit <- freeridge(p$x, p$y, gaussian_kernel(1), 1)
  large <- fit
  large$x <- matrix(0, 20000L, 2L)
  said <- function(text) {
    with_replaced(say_the_wait, core_memory = function(model) 3.1 * 2^30, expect = function(...) NULL,
                  core_explain = function(model) text)(large, NULL)
  }
  table <- c("route BAND: the fastest", "  CHOLESKY        3 GiB        7700 s", "* BAND          3.1 GiB         290 s   bandwidth 16")
  expect_message(said(table), "^20000 points take roughly 4.8 minutes and 3.1 GiB of memory; landmarks = 1000 takes far less of both")
  expect_message(said(sub("290 s", "42 s", table)), "roughly 40 seconds")
  expect_message(said(sub("290 s", "1.2e+04 s", table)), "roughly 200 minutes")
  expect_message(said(sub("290 s", "5.2 s", table)), NA)
  expect_message(said(paste(table, "  does not fit")), NA)
  expect_message(say_the_wait(fit, fit$cache$model), NA)
  # the words of the core are those that are read
  own <- grep("^\\* ", strsplit(paste(core_explain(new_model(fit)), collapse = "\n"), "\n")[[1L]], value = TRUE)
  expect_match(own, "^\\* [A-Z]+ .* [0-9.e+-]+ (s|ms)( |$)")
})

test_that("landmarks that were left out and that rows may need are a warning", {
  x <- c(seq(0, 0.3, length.out = 14L), seq(-3, 3, length.out = 30L))
  expect_warning(
    freeridge(cbind(x), sin(2 * x), gaussian_kernel(1), lambda = 1e-3, landmarks = 1:14),
    "some landmarks are so near to others", class = "freeridge_below_floor"
  )
  expect_silent(freeridge(cbind(x), sin(2 * x), gaussian_kernel(1), lambda = 1e-3, landmarks = 14L))  # pivoted
})
