# Bounds for several estimates together. Of estimates with the covariances C and nu degrees of freedom, with
# probability `level` all |t_k| are at most c. c is the least of
#     Bonferroni   the quantile 1 - (1 - level) / (2 g) of Student's distribution, g estimates
#     Scheffe      sqrt(r F), r the rank of C, F the quantile of F with r and nu degrees of freedom
#     Naiman       kappa / pi (1 + c^2 / nu)^(-nu / 2) + P(|T| > c) = 1 - level,   kappa = sum_k arccos(correlation of k, k + 1)
# each of which is at least the exact one; the last is close to it for the values of a smooth curve, one after the other.
# H. Scheffe, The Analysis of Variance, 1959, section 3.5; D. Naiman, Conservative confidence bands in curvilinear
# regression, Annals of Statistics 14 (1986).

simultaneous_quantile <- function(covariance, freedom, level) {
  if (is.na(freedom) || freedom <= 0 || anyNA(covariance)) return(NaN)
  sd <- sqrt(diag(covariance))
  covariance <- covariance[sd > 0, sd > 0, drop = FALSE]
  g <- nrow(covariance)
  if (g == 0L) return(0)
  correlation <- stats::cov2cor(covariance)
  rank <- rank_of_covariance(correlation)
  bonferroni <- stats::qt(1 - (1 - level) / (2 * g), freedom)
  scheffe <- sqrt(rank * stats::qf(level, rank, freedom))
  steps <- correlation[cbind(seq_len(g - 1L), seq_len(g - 1L) + 1L)]
  kappa <- sum(acos(pmin(1, pmax(-1, steps))))
  beyond <- function(c) {
    density <- if (is.finite(freedom)) exp(-freedom / 2 * log1p(c^2 / freedom)) else exp(-c^2 / 2)
    kappa / pi * density + 2 * stats::pt(-c, freedom) - (1 - level)
  }
  naiman <- stats::uniroot(beyond, c(0, bonferroni), extendInt = "downX", tol = 1e-10)$root
  min(bonferroni, scheffe, naiman)
}

rank_of_covariance <- function(correlation) {
  values <- eigen(correlation, symmetric = TRUE, only.values = TRUE)$values
  sum(values > nrow(correlation) * .Machine$double.eps * values[1L])
}

# The differences between all values of each variable, in the order of the table: variable, from, to (and output),
# estimate, se, lower, upper, p.value. simultaneous: intervals and p values are for all differences of a variable together.
pairs.freeridge_curves <- function(x, level = 0.95, simultaneous = TRUE, ...) {
  refuse_extra(...)
  level <- check_fraction(level, "level")
  simultaneous <- check_flag(simultaneous, "simultaneous")
  all <- attr(x, "covariance")
  if (is.null(all)) refuse("the covariances were not kept: effects(fit, ..., covariance = TRUE) has them")
  tables <- lapply(curve_parts(x, all), function(part) {
    rows <- part$rows
    if (length(rows) < 2L) return(NULL)
    freedom <- attr(x, "df")[[part$output]]
    between <- utils::combn(length(rows), 2L)
    step <- matrix(0, ncol(between), length(rows))
    step[cbind(seq_len(ncol(between)), between[1L, ])] <- -1
    step[cbind(seq_len(ncol(between)), between[2L, ])] <- 1
    estimate <- as.vector(step %*% x$estimate[rows])
    covariance <- step %*% part$covariance %*% t(step)
    se <- sqrt(pmax(diag(covariance), 0))
    p <- 2 * stats::pt(-abs(estimate / se), freedom)
    if (simultaneous) {
      c <- simultaneous_quantile(covariance, freedom, level)
      rank <- rank_of_covariance(covariance)
      of_all <- stats::pf((estimate / se)^2 / rank, rank, freedom, lower.tail = FALSE)
      p <- pmin(1, length(p) * p, of_all)
    } else {
      c <- stats::qt((1 + level) / 2, freedom)
    }
    value <- function(k) {
      shown <- ifelse(is.na(x$level[rows]), format(x$value[rows], digits = 4L, trim = TRUE), x$level[rows])
      if (!is.null(x$variable2) && !is.na(x$variable2[rows[1L]])) {
        second <- ifelse(is.na(x$level2[rows]), format(x$value2[rows], digits = 4L, trim = TRUE), x$level2[rows])
        shown <- paste(shown, second, sep = ":")
      }
      shown[between[k, ]]
    }
    table <- data.frame(variable = part$title, from = value(1L), to = value(2L))
    if (!is.null(x$output)) table$output <- levels(x$output)[part$output]
    cbind(table, estimate = estimate, se = se, lower = estimate - c * se, upper = estimate + c * se, p.value = p)
  })
  table <- do.call(rbind, tables)
  if (is.null(table)) refuse("no variable has two values")
  row.names(table) <- NULL
  table
}
