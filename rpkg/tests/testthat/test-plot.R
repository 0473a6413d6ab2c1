# Pictures: what they show is what the answers say; that they are drawn at all, on every device state.

p <- problem(30L, 2L, 2L)
colnames(p$y) <- c("first", "second")
fit <- freeridge(p$x, p$y, gaussian_kernel(2))
# Others need lengths that were learnt, or classes.
of_any_fit <- setdiff(plot_types, c("relevance", "calibration", "roc", "confusion"))
one <- freeridge(mpg ~ wt + hp, mtcars, kernel = linear_kernel(), lambda = 1.5, scale = TRUE)

# Draws on a device of its own, and sees that something was drawn and that the settings are as before.
drawn <- function(expression, width = 1000, height = 400) {
  file <- tempfile(fileext = ".png")
  grDevices::png(file, width = width, height = height)
  on.exit(unlink(file))
  before <- graphics::par(c("mfrow", "mai"))
  value <- withVisible(expression)
  after <- graphics::par(c("mfrow", "mai"))
  grDevices::dev.off()
  expect_identical(after, before)
  expect_gt(file.size(file), 2000)
  expect_false(value$visible)
  value$value
}

test_that("the path has a panel for each criterion", {
  path <- drawn(plot(fit, output = "second"))
  alone <- drawn(plot(one, criteria = "reml", lambdas = c(0.1, 1, 10)))
  zero <- drawn(plot(freeridge(p$x, p$y[, 1L], linear_kernel(), 0)))
  expect_named(path, c("lambda", "output", "loo", "loo_se", "gcv", "reml", "training"))
  expect_true(fit$lambda[["second"]] %in% path$lambda)
  expect_identical(unique(as.character(path$output)), "second")
  expect_equal(alone$lambda, c(0.1, 1, 1.5, 10))
  expect_true(all(zero$lambda > 0))
  signs <- freeridge(p$x, sign(p$y[, 1L] - 3), gaussian_kernel(2), criterion = "error_rate")
  expect_true("error_rate_se" %in% names(drawn(plot(signs))))  # scores of 0 on a plain scale
  expect_identical(nrow(drawn(plot(fit, criteria = "loo", ylim = c(0.01, 1), main = "mine", xlab = "x"))), nrow(path))
})

test_that("the spectrum has the eigenvalues and the lambda", {
  found <- drawn(plot(fit, "spectrum", output = 2))
  expect_identical(found$eigenvalue, eigenvalues(fit))
  expect_identical(names(drawn(plot(one, "spectrum", main = "mine", ylim = c(1, 100)))), c("index", "eigenvalue"))
  drawn(plot(freeridge(p$x, p$y[, 1L], linear_kernel(), 0), "spectrum"))
  expect_refusal(plot(fit, "spectrum", lambdas = 1), "lambdas is for type")
})

test_that("the four pictures of rows have their numbers, of every kind of fit", {
  found <- drawn(plot(one, "rows"), 600, 600)
  expect_close(found$residual, residuals(one), 1e-12)
  expect_close(found$rstudent, rstudent(one), 1e-12)
  expect_close(found$rstandard, rstandard(one), 1e-12)
  expect_close(found$leverage, hatvalues(one), 1e-12)
  expect_close(found$cook, cooks.distance(one), 1e-12)
  expect_identical(order(found$quantile), order(found$rstudent))
  expect_equal(sort(found$quantile), qt(ppoints(32), 31 - attr(found, "df")))
  # on a curve Cook's distance is its level
  h <- found$leverage
  expect_close(cook_curve(found$cook, h, attr(found, "df")), abs(found$rstandard), 1e-10)
  holes <- freeridge(p$x, replace(p$y, 3L, NA), gaussian_kernel(2))
  expect_identical(which(is.na(drawn(plot(holes, "rows"), 600, 600)$quantile)), 3L)
  for (other in list(freeridge(Species ~ ., iris, lambda = 1), freeridge(p$x, p$y[, 1L], linear_kernel(), robust = "huber"),
                     freeridge(mpg ~ 1, mtcars), freeridge(p$x, p$y[, 1L], gaussian_kernel(2), 1, landmarks = 8))) {
    drawn(plot(other, "rows"), 480, 480)
  }
  expect_refusal(plot(freeridge(1:2, c(1, 3), linear_kernel(), 0, route = "primal"), "rows"), "fewer than two rows have a studentised residual")
  expect_refusal(plot(freeridge_chunks(mpg ~ wt, mtcars, lambda = 1), "rows"), "type")
  expect_refusal(plot(kernel_logistic(p$x, p$y[, 1L] > 3, gaussian_kernel(2), 1), "rows"), 'has one picture, .* none that is called "rows"')
  if (requireNamespace("ggplot2", quietly = TRUE)) {
    for (other in list(one, holes)) expect_silent(drawn(print(ggplot2::autoplot(other, "rows"))))
  }
})

test_that("the lengths learnt are drawn, the shortest at the top", {
  learnt <- freeridge(p$x, p$y[, 1L])
  expect_identical(drawn(plot(learnt, "relevance")), relevance(learnt))
  sum <- freeridge(p$x, p$y[, 1L], gaussian_kernel() + matern_kernel(), scale = FALSE)
  expect_identical(drawn(plot(sum, "relevance", main = "mine"))$part, relevance(sum)$part)
  if (requireNamespace("ggplot2", quietly = TRUE)) {
    for (fit in list(learnt, sum)) expect_silent(drawn(print(ggplot2::autoplot(fit, "relevance"))))
  }
})

test_that("the range has the scores of interest and their band", {
  scores <- c(1000, 10, 2, 1, 2, 4)
  expect_equal(score_range(scores, FALSE), c(1, 1 + 0.1 * 999))
  expect_equal(score_range(scores, TRUE), c(1, 16))
  expect_equal(panel_range(scores, NULL, TRUE), c(1, 16))
  expect_equal(panel_range(scores, c(500, 5, 1, 0.5, 1, 14), TRUE), c(0.5, 18))
  expect_equal(panel_range(scores, c(500, 5, 1, 3, 1, 14), TRUE), c(1, 18))  # 1 - 3 has no logarithm
})

test_that("left-out points, residuals, coefficients and effects are those of the fit", {
  left <- drawn(plot(fit, "loo", output = 2))
  expect_close(left$observed - left$predicted, loo(fit)[, 2L], 1e-12)
  expect_close(left$observed, p$y[, 2L], 1e-15)
  found <- drawn(plot(one, type = "residuals"))
  expect_close(found$residual, residuals(one), 1e-12)
  expect_close(found$fitted, fitted(one), 1e-12)
  expect_identical(row.names(found), rownames(mtcars))

  found <- drawn(plot(one, "coefficients", lambdas = c(1, 5, 20)))
  expect_equal(unique(found$lambda), c(1, 1.5, 5, 20))
  for (lambda in c(1, 1.5, 20)) {
    expected <- coef(one, lambda)[-1L] * c(sd(mtcars$wt), sd(mtcars$hp))
    expect_close(found$coefficient[found$lambda == lambda], expected, 1e-10)
  }
  found <- drawn(plot(freeridge(p$x, p$y, linear_kernel()), "coefficients", output = "second"))
  expect_identical(levels(found$column), c("x1", "x2"))
  wide <- problem(20L, 40L)
  drawn(plot(freeridge(wide$x, wide$y, linear_kernel()), "coefficients"))  # too many for names

  found <- drawn(plot(fit, "slopes", output = "second"))
  average <- marginal_effects(fit)$average
  average <- average[average$output == "second", ]
  spread <- apply(p$x, 2L, sd)
  expect_close(found$estimate, spread * average$estimate, 1e-12)
  half <- qt(0.975, df.residual(fit)[["second"]]) * spread * average$se
  expect_close(found$upper - found$estimate, half, 1e-10)
  expect_close(found$estimate - found$lower, half, 1e-10)
})

test_that("effects of variables are drawn with left-out partial residuals", {
  frame <- transform(mtcars, cyl = factor(cyl), am = am == 1)
  mixed <- freeridge(mpg ~ wt + cyl + am + unpenalised(hp), frame, lambda = 0.1)
  found <- drawn(plot(mixed, "effect"))
  curves <- effects(mixed)
  moves <- vapply(split(curves$estimate, factor(curves$variable, unique(curves$variable))), sd, 0)
  expect_identical(unique(found$variable), names(sort(-moves)))
  partial <- attr(found, "partial")
  at <- approx(curves$value[curves$variable == "wt"], curves$estimate[curves$variable == "wt"], mtcars$wt)$y
  expect_close(partial$wt$partial, at + unname(loo(mixed)), 1e-10)
  expect_close(partial$cyl$partial, curves$estimate[curves$variable == "cyl"][as.integer(frame$cyl)] + unname(loo(mixed)), 1e-10)
  expect_identical(drawn(plot(mixed, "effect", variables = "cyl", main = "mine"))$level, c("4", "6", "8"))
  pairs <- list("wt", c("wt", "hp"), c("cyl", "wt"), c("cyl", "am"))
  expect_identical(nrow(drawn(plot(mixed, "effect", variables = pairs, ylim = c(10, 30)))), 25L + 225L + 45L + 6L)
  drawn(plot(mixed, "effect", variables = list(c("wt", "hp"))))
  drawn(plot(effects(fit, 1), partial = FALSE))
  drawn(plot(effects(mixed, list("wt", "cyl", c("wt", "hp")), individual = TRUE)))
  expect_identical(unique(drawn(plot(fit, "effect", output = "second"))$output), factor("second", c("first", "second")))
  many <- freeridge(matrix(rep(mtcars$wt, 14L), 32L) + outer(1:32, 1:14) / 100, mtcars$mpg, linear_kernel(), 1)
  expect_identical(length(unique(drawn(plot(many, "effect"))$variable)), 12L)
  expect_match(curves_words(effect_data(many, 1L, NULL), 12L), "the 12 that move most of 14")
  still <- freeridge(mpg ~ wt + hp, transform(mtcars, hp = 1), lambda = 1)
  expect_refusal(plot(effects(still, list(c("wt", "hp")))), "contours need two values of each variable")
  shown <- drawn(plot(marginal_effects(mixed)))
  expect_identical(shown$column[order(shown$column)], c("amTRUE", "cyl6", "cyl8", "wt"))
  expect_false(is.unsorted(-abs(shown$estimate)))
  expect_identical(nrow(drawn(plot(marginal_effects(fit), output = "second"))), 2L)
  expect_refusal(plot(marginal_effects(fit), output = 3), "there is no output 3")
  expect_refusal(plot(fit, "loo", variables = "a"), 'variables is for type = "effect"')
  if (requireNamespace("ggplot2", quietly = TRUE)) {
    expect_silent(drawn(print(ggplot2::autoplot(mixed, "effect"))))
    expect_refusal(ggplot2::autoplot(mixed, "effect", variables = list(c("wt", "hp"))), "draws the effects of single variables")
  }
})

test_that("titles and labels are made to stay within the figure", {
  file <- tempfile(fileext = ".png")
  grDevices::png(file, 4, 3, units = "in", res = 72)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  for (panels in list(c(1L, 1L), c(2L, 2L))) {
    graphics::par(mfrow = panels, mar = c(4, 4, 3, 1))
    graphics::plot.new()
    edges <- graphics::par("fin")
    middle <- graphics::par("mai")[2:1] + graphics::par("pin") / 2
    for (side in 1:3) for (text in list("short", strrep("a long title ", 5L), expression(lambda))) {
      cex <- fitted_size(text, side, 1.2, 2L)
      along <- if (side == 2L) 2L else 1L
      half <- graphics::strwidth(text, "inches", cex = cex, font = 2L) / 2
      expect_true(middle[along] - half >= 0 && middle[along] + half <= edges[along])
      if (is.expression(text)) expect_identical(cex, 1.2)
      if (nchar(as.character(text)) > 60L) expect_lt(cex, 1.2)
    }
  }
})

test_that("small devices have room for every picture", {
  signs <- freeridge(p$x, sign(p$y[, 1L] - 3), gaussian_kernel(2), criterion = "error_rate")
  for (type in of_any_fit) drawn(plot(one, type), 400, 300)
  drawn(plot(freeridge(p$x, p$y[, 1L]), "relevance"), 400, 300)
  drawn(plot(signs), 400, 300)
})

test_that("names take the room there is", {
  file <- tempfile(fileext = ".png")
  grDevices::png(file)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  names <- c("one", "another", strrep("m", 20L))
  expect_identical(size_that_fits(names, 0.75, 10, 10), 0.75)
  for (room in list(c(1, 10), c(10, 0.2), c(0.5, 0.1))) {
    cex <- size_that_fits(names, 0.75, room[1L], room[2L])
    expect_lt(cex, 0.75)
    expect_lte(max(graphics::strwidth(names, "inches", cex = cex)), room[1L] * (1 + 1e-9))
    expect_lte(3 * graphics::strheight("A", "inches", cex = cex), room[2L])
  }
})

test_that("labels of the lambda axis are powers of ten within the range", {
  expect_identical(decades(c(1e-3, 1e3), 7), -3:3)
  expect_identical(decades(c(0.0011, 999), 7), -2:2)
  expect_identical(decades(c(1e-3, 1e3), 3), c(-3L, 0L, 3L))
  expect_lte(length(decades(c(1e-14, 1e9), 4)), 4L)
  expect_null(decades(c(2, 9), 7))
  expect_null(decades(c(2, 30), 7))
  drawn(plot(one, criteria = "loo", lambdas = c(1.2, 2)))  # an axis without powers of ten
})

test_that("names are put apart and cut, in their order", {
  set.seed(1)
  for (count in c(1L, 2L, 10L, 30L)) for (gap in c(0.01, 0.2)) {
    at <- sample(c(runif(count %/% 2L), rep(0.97, count - count %/% 2L)))
    heights <- spread(at, gap, c(0, 1))
    rank <- order(at)
    distance <- min(gap, 0.98 / count)
    expect_true(all(diff(heights[rank]) >= distance * (1 - 1e-9)))
    expect_true(all(heights >= 0 & heights <= 1))
  }
  expect_equal(spread(c(0.2, 0.8), 0.1, c(0, 1)), c(0.2, 0.8))
  expect_identical(shortened(c("short", strrep("x", 21L))), c("short", paste0(strrep("x", 17L), "...")))
})

test_that("bad arguments are refused", {
  expect_refusal(plot(fit, output = 3), "output must be the number or the name of one of the 2 outputs, not 3")
  expect_refusal(plot(fit, criteria = "groups"), 'criteria must be one of "loo", "gcv".*, not "groups"')
  expect_refusal(plot(fit, "qq"), 'type must be one of "path", "effect", "loo", "residuals", "coefficients", "slopes", "spectrum", "relevance", "rows", "calibration", "roc", "confusion", not "qq"')
  expect_refusal(plot(fit, "coefficients"), 'type is "coefficients", but the kernel is gaussian.*type = "effect" and "slopes"')
  expect_refusal(plot(fit, "loo", criteria = "gcv"), 'criteria is for type = "path", but type is "loo"')
  expect_refusal(plot(fit, "slopes", lambdas = 1), 'lambdas is for type = "path" and "coefficients", but type')
})

# The texts in a picture.
written <- function(expression) {
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file, 10, 4, compress = FALSE, useKerning = FALSE)
  on.exit(unlink(file))
  expression
  grDevices::dev.off()
  grep("Tj$", readLines(file, warn = FALSE), value = TRUE, useBytes = TRUE)
}

test_that("a picture of one of several classes or outputs says which", {
  flowers <- freeridge(Species ~ ., iris, kernel = linear_kernel(), lambda = 1)
  for (type in of_any_fit) {
    expect_match(written(plot(flowers, type, output = 2L)), "(class versicolor, ", fixed = TRUE, all = FALSE)
    expect_match(written(plot(fit, if (type == "coefficients") "loo" else type)), "(output first, ", fixed = TRUE, all = FALSE)
    expect_false(any(grepl("output|class", written(plot(one, type)))))
    skip_if_not_installed("ggplot2")
    expect_match(ggplot2::autoplot(flowers, type, output = "setosa")$labels$subtitle, "^class setosa, ")
  }
})

test_that("the axes of autoplot are those of plot", {
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(fit, output = 2L)
  scores <- plot_data(fit, "path", NULL, 2L, NULL)
  grDevices::png(tempfile(fileext = ".png"), 900, 400)
  on.exit(grDevices::dev.off())
  panels <- ggplot2::ggplot_build(picture)$layout$panel_params
  for (k in 1:3) {
    criterion <- c("loo", "gcv", "reml")[k]
    limits <- panel_range(scores[[criterion]], scores[[paste0(criterion, "_se")]], criterion != "reml")
    ticks <- panels[[k]]$y$get_labels()
    ticks <- as.numeric(ticks[!is.na(ticks)])
    height <- if (k < 3L) log else identity
    room <- 0.05 * diff(height(limits))  # that ggplot2 leaves at both ends
    expect_true(all(height(ticks) >= height(limits[1L]) - room & height(ticks) <= height(limits[2L]) + room))
    # as far apart as the logarithms of the scores (REML: as these) are
    places <- panels[[k]]$y$break_positions()
    places <- places[!is.na(places)]
    expect_close(diff(places) / diff(places)[1L], diff(height(ticks)) / diff(height(ticks))[1L], 1e-5)
  }
  expect_match(levels(picture$data$criterion), "mean squared error|score|negative log-likelihood")
  loo <- ggplot2::autoplot(one, "loo")
  expect_identical(loo$labels[c("x", "y")], list(x = "prediction without the point", y = "observed"))
  expect_identical(loo$coordinates$limits$x, loo$coordinates$limits$y)
})

test_that("autoplot draws the same data", {
  skip_if_not_installed("ggplot2")
  file <- tempfile(fileext = ".png")
  on.exit(unlink(file))
  for (type in of_any_fit) {
    picture <- ggplot2::autoplot(one, type)
    expect_s3_class(picture, "ggplot")
    expect_silent(suppressMessages(ggplot2::ggsave(file, picture, width = 6, height = 4, dpi = 50)))
    expect_gt(file.size(file), 2000)
    layers <- lapply(seq_along(picture$layers), function(i) ggplot2::layer_data(picture, i))
    chosen <- vapply(layers, function(layer) isTRUE(all.equal(layer$xintercept[1L], log10(1.5))), NA)
    expect_identical(any(chosen), type %in% c("path", "coefficients"))
  }
  path <- ggplot2::autoplot(fit, output = "second", criteria = "loo")$data
  expected <- plot_data(fit, "path", "loo", "second", NULL)
  shown <- !is.na(path$score)
  expect_equal(path$score[shown], expected$loo[shown])
  wide <- problem(20L, 40L)
  expect_s3_class(ggplot2::autoplot(freeridge(wide$x, wide$y, linear_kernel()), "coefficients"), "ggplot")
  narrow <- ggplot2::autoplot(one, "coefficients", lambdas = c(1.2, 2))
  expect_silent(suppressMessages(ggplot2::ggsave(file, narrow, width = 6, height = 4, dpi = 50)))
  expect_refusal(ggplot2::autoplot(one, "qq"), "type must be one of")
  expect_refusal(ggplot2::autoplot(one, foo = 1), "unknown argument: 'foo'")
})

test_that("pictures of classes have the numbers of left-out points", {
  two <- droplevels(iris[51:150, ])
  weights <- rep(c(1, 2), 50)
  for (fit in list(freeridge(Species ~ ., two), freeridge(Species ~ ., two, kernel = linear_kernel(), lambda = 1, weights = weights),
                   freeridge(Species ~ ., iris))) {
    k <- if (fit$vector) 1L else 3L
    decision <- (fit$y - as.matrix(loo(fit)))[, k]
    positive <- fit$y[, k] > 0
    w <- if (is.null(fit$weights)) rep(1, length(decision)) else fit$weights
    found <- drawn(plot(fit, "roc", output = k), 480, 480)
    # by all pairs
    order <- outer(decision[positive], decision[!positive], function(a, b) (a > b) + (a == b) / 2)
    mass <- outer(w[positive], w[!positive])
    auc <- sum(order * mass) / sum(mass)
    expect_equal(attr(found, "auc"), auc)
    part <- function(placed, w) sum((w / sum(w))^2 * (placed - auc)^2) * length(w) / (length(w) - 1)
    expect_equal(attr(found, "auc_error")^2,
                 part(order %*% w[!positive] / sum(w[!positive]), w[positive]) +
                   part(w[positive] %*% order / sum(w[positive]), w[!positive]))
    at <- found$threshold[5L]
    expect_equal(found$true_positive[5L], sum(w[positive & decision >= at]) / sum(w[positive]))
    expect_equal(found$false_positive[5L], sum(w[!positive & decision >= at]) / sum(w[!positive]))

    bins <- drawn(plot(fit, "calibration", output = k), 480, 480)
    expect_identical(sum(bins$points), length(decision))
    expect_true(all(bins$lower < bins$share + 1e-12 & bins$share < bins$upper + 1e-12 & bins$lower > -1e-12 &
                      bins$upper < 1 + 1e-12))
    expect_false(is.unsorted(bins$probability))
    table <- drawn(plot(fit, "confusion"), 1000, 800)
    all <- fit$y - as.matrix(loo(fit))
    ab <- calibration(fit)
    odds <- vapply(seq_len(ncol(all)), function(j) ab[1L, j] + ab[2L, j] * all[, j], numeric(nrow(all)))
    got <- if (fit$vector) 1L + (odds[, 1L] > 0) else max.col(odds)
    known <- if (fit$vector) 1L + (fit$y[, 1L] > 0) else max.col(fit$y)
    expect_identical(table$points, as.vector(table(known, got)))
    expect_equal(as.vector(tapply(table$share, table$class, sum)), rep(1, nlevels(table$class)))
    if (requireNamespace("ggplot2", quietly = TRUE)) {
      for (type in c("calibration", "roc", "confusion")) {
        expect_silent(drawn(print(ggplot2::autoplot(fit, type, output = k)), 480, 480))
      }
    }
  }
  # 90 points of equal probability: Wilson's interval by prop.test()
  known <- prop.test(30, 90, correct = FALSE)$conf.int
  flat <- freeridge(matrix(rep_len(0:1, 90L)), factor(rep(c("a", "b", "b"), 30L)), linear_kernel(), 1e6)
  found <- calibration_data(flat, 1L)
  expect_equal(prop.test(round(found$share[1L] * found$points[1L]), found$points[1L], correct = FALSE)$conf.int[1:2],
               c(found$lower[1L], found$upper[1L]))
  for (type in c("calibration", "roc", "confusion")) expect_refusal(plot(one, type), "that picture is of classes")
  # the one row of a class has leverage one, and no left-out value
  alone <- freeridge(rbind(c(1, 0), c(0, 1), c(0, 1.1), c(0, 0.9)), factor(c("a", "b", "b", "b")), linear_kernel(), 0, intercept = FALSE)
  expect_refusal(suppressWarnings(plot(alone, "roc")), "the points with left-out values are of one kind")
})

test_that("an output with missing values has its picture of residuals", {
  set.seed(2)
  d <- data.frame(a = rnorm(40), y = rnorm(40))
  d$z <- replace(d$y, 1:3, NA)
  fit <- freeridge(cbind(y, z) ~ a, d, na.action = na.pass, kernel = linear_kernel())
  file <- tempfile(fileext = ".png")
  grDevices::png(file)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit, "residuals", output = "z"))
})
