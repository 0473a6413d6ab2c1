# A second opinion on a choice by GCV or REML: the exact leave-one-out errors, which cost about as much as the scores
# did. GCV judges all rows by a mean leverage, and REML by a Gaussian process: rows that are nearly the same can make
# them take a lambda that follows the noise. The error at the choice is compared with the least error at all lambdas
# that were tried with the bandwidth chosen and, where the bandwidth was searched, with the least error in the middle of
# its range.

judged_by_loo <- c("gcv", "reml")

# The choice is said to be worse where its error is `much_worse` times the least error, and greater by `many_errors`
# standard errors of the least error. Smaller differences between two criteria are chance.
much_worse <- 1.5
many_errors <- 2

# The least leave-one-out error of each output at another bandwidth: the median distance, or the middle of a given
# range. NULL where that is about the bandwidth chosen. Afterwards the model has the bandwidth chosen again.
loo_in_the_middle <- function(model, fit, found) {
  given <- all(fit$bandwidth_range > 0)
  middle <- if (given) sqrt(prod(fit$bandwidth_range)) else 16 * min(found$tried[, 1L])
  if (abs(log(middle / found$sigma)) < log(1.5)) return(NULL)
  at <- function(sigma, criterion) core_select_bandwidth(model, criterion, sigma, sigma, 0L)
  least <- tryCatch({
    at(middle, "loo")
    list(sigma = middle, score = score_at(model, "loo", core_lambda(model)))
  }, freeridge_undefined = function(condition) NULL, freeridge_not_finite = function(condition) NULL)
  at(found$sigma, fit$criterion)
  least
}

# A row for each output: the error at the choice, the least error and its lambda (or its bandwidth), and whether the
# first is much worse.
second_opinion <- function(model, fit, middle) {
  lambdas <- sort(unique(c(fit$lambda, fit$lambda_search$lambda)))
  found <- core_score_with_error(model, "loo", lambdas)
  outputs <- seq_along(fit$lambda)
  place <- vapply(outputs, function(j) c(which.min(found$scores[, j]), 1L)[1L], 0L)
  least <- found$scores[cbind(place, outputs)]
  opinion <- list(loo = found$scores[cbind(match(fit$lambda, lambdas), outputs)], least = least, lambda = lambdas[place])
  if (!is.null(middle)) {
    better <- which(middle$score < least)
    opinion$sigma <- replace(rep(NA_real_, length(outputs)), better, middle$sigma)
    opinion$lambda[better] <- NA
    opinion$least[better] <- middle$score[better]
  }
  beyond <- opinion$loo - opinion$least > many_errors * found$se[cbind(place, outputs)]
  opinion$disagrees <- opinion$loo > much_worse * opinion$least & beyond %in% TRUE
  opinion <- list2DF(opinion)
  if (!is.null(fit$outputs)) row.names(opinion) <- fit$outputs
  opinion
}

# A sentence for each output whose choice is much worse.
disagreements <- function(fit, digits = 3L) {
  opinion <- fit$second_opinion
  if (is.null(opinion)) return(character())
  number <- function(value) format(value, digits = digits)
  vapply(which(opinion$disagrees), function(j) {
    row <- opinion[j, ]
    other <- is.na(row$lambda)
    where <- if (other) paste("a bandwidth of", number(row$sigma)) else paste("lambda =", number(row$lambda))
    paste0("the leave-one-out error of the choice by ", fit$criterion,
           if (nrow(opinion) > 1L) paste(" for", fit$outputs[j]), " is ", number(row$loo), "; at ", where, " it is ",
           number(row$least))
  }, "")
}

warn_disagreement <- function(fit) {
  words <- disagreements(fit)
  if (length(words) == 0L) return(invisible())
  warning(new_condition(
    paste0(paste(words, collapse = "; "), ". ", fit$criterion, " is not to be trusted here, as with rows that are ",
           "nearly the same: see criterion = \"loo\""),
    "disagreement", c("freeridge_warning", "warning")
  ))
}
