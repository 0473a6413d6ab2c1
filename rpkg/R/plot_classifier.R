# plot(fit) of a classifier in two features, in black and grey: the points, and where the decision value f(x) + b is
#     0 (line) and -1, +1 (dashed: the margin's edges)                     support vector machines
#     that of a probability of 0.1, 0.25, 0.5 (line), 0.75, 0.9 (dashed)   logistic regression

contour_probabilities <- c(0.1, 0.25, 0.5, 0.75, 0.9)

plot.freeridge_classifier <- function(x, lambda = NULL, size = 101, main = NULL, xlab = NULL, ylab = NULL, xlim = NULL,
                                      ylim = NULL, ...) {
  if (is.character(lambda)) {
    refuse("plot() of a classifier has one picture, of two features, and none that is called ", shown(lambda),
           "; a fit of freeridge() to a factor has those of residuals")
  }
  d <- ncol(x$x)
  if (given_count(x$kernel) > 0L) refuse("the kernel is a matrix of values: there are no features to draw")
  if (d != 2L) {
    refuse("plot() draws a classifier of two features, and this fit has ", counted(d, "feature"),
           ": predict() and point_margins() have its numbers")
  }
  size <- check_whole(size, "size", 2, 10000)
  points <- point_margins(x, lambda)
  at <- all_places(x)
  names <- feature_names(x$x)
  ends <- list(plot_ends(xlim, at[, 1L], "xlim"), plot_ends(ylim, at[, 2L], "ylim"))
  svm <- x$loss == "svm"
  graphics::plot.default(at, type = "n", xlim = ends[[1L]], ylim = ends[[2L]], xlab = "", ylab = "", ...)
  corners <- graphics::par("usr")  # of the whole picture, which with asp = 1 is larger than the ends
  axes <- list(seq(corners[1L], corners[2L], length.out = size), seq(corners[3L], corners[4L], length.out = size))
  grid <- as.matrix(expand.grid(axes))
  colnames(grid) <- colnames(x$x)
  decision <- matrix(core_classifier_predict(classifier_at(x, lambda), grid), size)
  draw_levels(axes, decision, svm)
  graphics::points(at, pch = ifelse(points$label < 0, 1L, 17L), col = ifelse(points$label < 0, "black", "grey45"))
  if (svm) {
    graphics::points(at[points$support == "free", , drop = FALSE], pch = 1L, cex = 2.2)
    graphics::points(at[points$support == "bounded", , drop = FALSE], pch = 0L, cex = 2.2)
  }
  titles <- c(logistic = "Kernel logistic regression", svm = "Support vector machine")
  lambda <- if (is.null(lambda)) x$lambda else lambda
  marks <- if (svm) ", support vectors: large circle free, square bounded" else ""
  write_labels(if (is.null(main)) titles[[x$loss]] else main,
               paste0("circle: ", x$levels[1L], ", triangle: ", x$levels[2L], marks, "; lambda = ",
                      format(lambda, digits = 3L)),
               if (is.null(xlab)) names[1L] else xlab, if (is.null(ylab)) names[2L] else ylab, ...)
  invisible(points)
}

# The points in the order of point_margins().
all_places <- function(fit) {
  at <- fit$x
  if (is.null(fit$aside)) return(at)
  all <- matrix(0, row_count(fit), ncol(at))
  all[-fit$aside$rows, ] <- at
  all[fit$aside$rows, ] <- fit$aside$x
  all
}

plot_ends <- function(given, values, name) {
  if (is.null(given)) {
    range <- grDevices::extendrange(values)
    return(if (diff(range) > 0) range else range[1L] + c(-1, 1))
  }
  if (!is.numeric(given) || length(given) != 2L || !all(is.finite(given)) || given[1L] >= given[2L]) {
    refuse(name, " must be two numbers, the smaller one first, not ", shown(given))
  }
  given
}

# Draws the contours of those levels that the function reaches. (A constant function reaches none.)
draw_levels <- function(axes, decision, svm) {
  heights <- if (svm) c(-1, 0, 1) else stats::qlogis(contour_probabilities)
  labels <- if (svm) c("-1", "0", "+1") else format(contour_probabilities)
  for (i in which(heights > min(decision) & heights < max(decision))) {
    middle <- heights[i] == 0
    graphics::contour(axes[[1L]], axes[[2L]], decision, levels = heights[i], labels = labels[i], add = TRUE,
                      lwd = if (middle) 2 else 1, lty = if (middle) 1 else 2, labcex = 0.8)
  }
}
