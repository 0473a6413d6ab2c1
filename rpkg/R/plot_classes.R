# Pictures of a fit to classes, all of left-out points: calibration, ROC curve and confusion.

# Of one output: list(positive, decision, p, weights) of the points that have a left-out value. Of two classes the second
# one is positive.
left_out_of_class <- function(fit, output) {
  if (is.null(fit$classes)) {
    refuse("that picture is of classes: the response of this fit is of numbers (a factor makes classes)")
  }
  decision <- fit$y - core_by_row(model_at(fit), "loo")
  p <- probabilities(fit$classes$levels, if (fit$vector) as.vector(decision) else decision, calibration(fit))
  known <- !is.na(rowSums(decision))
  list(positive = fit$y[known, output] > 0, decision = decision[known, output],
       p = p[known, if (fit$vector) 2L else output], weights = weights_or_ones(fit)[known])
}

class_name <- function(fit, output) fit$classes$levels[if (fit$vector) 2L else output]

# Points in bins of about equally many, by their left-out probabilities: the (weighted) mean probability and share of the
# class, with the 95 % interval of Wilson for the share.
bins_of_calibration <- 10L
calibration_data <- function(fit, output) {
  of <- left_out_of_class(fit, output)
  bins <- max(2L, min(bins_of_calibration, length(of$p) %/% 10L))
  bin <- ceiling(bins * rank(of$p, ties.method = "average") / length(of$p))
  sums <- function(values) as.vector(tapply(values, bin, sum))
  weights <- sums(of$weights)
  share <- sums(of$weights * of$positive) / weights
  count <- weights^2 / sums(of$weights^2)  # as many points of equal weight
  z <- stats::qnorm(0.975)
  middle <- (share + z^2 / (2 * count)) / (1 + z^2 / count)
  half <- z * sqrt(share * (1 - share) / count + z^2 / (4 * count^2)) / (1 + z^2 / count)
  data.frame(probability = sums(of$weights * of$p) / weights, share = share, lower = middle - half, upper = middle + half,
             points = as.vector(table(bin)))
}

# The ROC curve of left-out decision values; attributes: auc, the (weighted) share of pairs of a point of the class and
# another that stand in the right order, ties counting half, and its standard error by E. DeLong, D. DeLong, D.
# Clarke-Pearson, Biometrics 44 (1988).
roc_data <- function(fit, output) {
  of <- left_out_of_class(fit, output)
  if (length(unique(of$positive)) < 2L) refuse("type is \"roc\", but the points with left-out values are of one kind")
  levels <- sort(unique(of$decision), decreasing = TRUE)
  place <- match(of$decision, levels)
  rates <- function(positive) {
    mass <- vapply(split(of$weights * (of$positive == positive), factor(place, seq_along(levels))), sum, 0)
    c(0, cumsum(mass) / sum(mass))
  }
  hits <- unname(rates(TRUE))
  alarms <- unname(rates(FALSE))
  # of each point of the class the share of others below it, and of each other the share of the class above it
  below <- 1 - (alarms[place] + alarms[place + 1L]) / 2
  above <- (hits[place] + hits[place + 1L]) / 2
  placed <- ifelse(of$positive, below, above)
  auc <- stats::weighted.mean(placed[of$positive], of$weights[of$positive])
  variance <- function(rows) {
    v <- of$weights[rows] / sum(of$weights[rows])
    sum(v^2 * (placed[rows] - auc)^2) * sum(rows) / max(sum(rows) - 1, 1)
  }
  structure(data.frame(threshold = c(Inf, levels), false_positive = alarms, true_positive = hits), auc = auc,
            auc_error = sqrt(variance(of$positive) + variance(!of$positive)))
}

# The number of points of each class that get each class when they are left out, and their share of the class.
confusion_data <- function(fit) {
  if (is.null(fit$classes)) left_out_of_class(fit, 1L)
  table <- left_out_classes(fit)$table
  data.frame(class = factor(rep(rownames(table), ncol(table)), rownames(table)),
             left_out = factor(rep(colnames(table), each = nrow(table)), colnames(table)), points = as.vector(table),
             share = as.vector(table / rowSums(table)))
}

auc_words <- function(data) {
  paste0("area ", format(attr(data, "auc"), digits = 3L), ", standard error ", format(attr(data, "auc_error"), digits = 2L))
}

plot_calibration <- function(data, fit, output, main = "Left-out probabilities", xlab = NULL, ylab = "share of the class", ...) {
  if (is.null(xlab)) xlab <- paste0("probability of ", class_name(fit, output))
  graphics::plot.default(data$probability, data$share, type = "n", xlim = c(0, 1), ylim = c(0, 1), xlab = "", ylab = "", ...)
  graphics::polygon(c(data$probability, rev(data$probability)), c(data$lower, rev(data$upper)), col = "grey85", border = NA)
  graphics::abline(0, 1, lty = 2)
  graphics::lines(data$probability, data$share, type = "o", pch = 19, lwd = 2)
  write_labels(main, "band: 95 % intervals of the shares; dashed: perfect", xlab, ylab, ...)
}

plot_roc <- function(data, fit, output, main = "ROC curve of left-out points", xlab = "false positive rate", ylab = NULL, ...) {
  if (is.null(ylab)) ylab <- paste0("true positive rate of ", class_name(fit, output))
  graphics::plot.default(data$false_positive, data$true_positive, type = "l", lwd = 2, xlim = c(0, 1), ylim = c(0, 1),
                         xlab = "", ylab = "", ...)
  graphics::abline(0, 1, lty = 2)
  write_labels(main, auc_words(data), xlab, ylab, ...)
}

plot_confusion <- function(data, fit, main = "Left-out classes", xlab = "class when left out", ylab = "class", ...) {
  levels <- levels(data$class)
  k <- length(levels)
  x <- as.integer(data$left_out)
  y <- k + 1L - as.integer(data$class)
  names <- shortened(levels)
  old <- graphics::par(mar = pmax(graphics::par("mar"), c(5, 4, 4, 2)))
  on.exit(graphics::par(old))
  graphics::plot.default(NULL, xlim = c(0.5, k + 0.5), ylim = c(0.5, k + 0.5), xaxs = "i", yaxs = "i", xaxt = "n", yaxt = "n",
                         xlab = "", ylab = "", ...)
  graphics::rect(x - 0.5, y - 0.5, x + 0.5, y + 0.5, col = grDevices::grey(1 - 0.6 * data$share), border = "grey50")
  graphics::text(x, y, data$points)
  size <- shrink(0.9, function(cex) max(graphics::strwidth(names, "inches", cex = cex)) <= 0.9 * min(graphics::par("pin")) / k)
  graphics::axis(1L, seq_len(k), names, tick = FALSE, cex.axis = size, gap.axis = 0)
  graphics::axis(2L, rev(seq_len(k)), names, tick = FALSE, cex.axis = size, gap.axis = 0)
  wrong <- paste(format(100 * left_out_classes(fit)$error, digits = 3L), "%")
  write_labels(main, paste0(wrong, " in a wrong class; grey: share of the class"), xlab, ylab, ...)
}
