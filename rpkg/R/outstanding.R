# Rows that stand out, for summary(): those with a large studentised residual, and those whose left-out errors make most
# of the score that lambda was chosen by.

# Of more rows studentised residuals are taken as if the hat matrix were a projection: exact ones take as long as the
# fit or longer, and a row of many matters little.
exact_up_to <- 500L

# For each output list(rows, few). rows: the studentised residuals beyond the bound of Bonferroni at 5 %, largest first,
# with the names of their rows. few: the fewest rows whose squared left-out errors (times weights) make more than half
# of the sum, as their shares of it. few is NULL where these are more than one row and more than 2 % of the rows, as
# they are where all errors are of about the same size, and in a fit of fewer than 20 rows.
outstanding_rows <- function(fit, model) {
  labels <- case_labels(fit)
  exact <- nrow(fit$x) <= exact_up_to
  without <- if (exact) without_each_row(fit, model)
  residuals <- studentised_residuals(fit, model, without)
  df <- if (exact) without$df else matrix(core_degrees_of_freedom(model)$df, nrow(fit$x), ncol(fit$y), byrow = TRUE)
  squares <- weights_or_ones(fit) * core_by_row(model, "loo")^2
  outside <- outside_bonferroni(fit, residuals, df)
  of_output <- function(j) {
    large <- which(outside[, j])
    large <- large[order(-abs(residuals[large, j]))]
    shares <- squares[, j] / sum(squares[, j], na.rm = TRUE)
    first <- order(-shares)
    count <- which(cumsum(shares[first]) > 0.5)[1L]
    few <- !is.na(count) && nrow(fit$y) >= 20L && count <= max(1, nrow(fit$y) / 50)
    list(rows = stats::setNames(residuals[large, j], labels[large]),
         few = if (few) stats::setNames(shares[first[seq_len(count)]], labels[first[seq_len(count)]]))
  }
  found <- lapply(seq_len(ncol(fit$y)), of_output)
  names(found) <- if (ncol(fit$y) > 1L) fit$outputs
  found
}

# Of few rows print() names the outliers.
print_outliers <- function(fit) {
  if (nrow(fit$x) > few_to_learn_again || !is.null(fit$classes) || is_estimated(fit)) return(invisible())
  found <- tryCatch(outstanding_rows(fit, model_at(fit)), freeridge_error = function(condition) list())
  found <- lapply(found, `[`, "rows")
  for (sentence in utils::head(outstanding_sentences(found, FALSE), most_shown)) cat(sentence, "\n", sep = "")
}

outstanding_sentences <- function(found, chosen) {
  unlist(lapply(seq_along(found), function(j) {
    of <- if (!is.null(names(found))) paste0(" of output ", names(found)[j])
    rows <- found[[j]]$rows
    few <- found[[j]]$few
    c(if (length(rows) > 0L) {
      paste0(counted(length(rows), "row"), of, if (length(rows) > 1L) " are outliers" else " is an outlier",
             ", with studentised residuals that the largest of all rows has by chance in less than 5 % of data: ",
             some_values(rows, "(%.1f)"))
    }, if (length(few) > 0L) {
      paste0(format(100 * sum(few), digits = 2L), " % of the squared left-out errors", of, " come from ",
             counted(length(few), "row"), ": ", some_values(100 * few, "(%.0f %%)"),
             if (chosen) paste("; the choice of lambda hangs on", if (length(few) > 1L) "them" else "it"))
    })
  }))
}

# The names and values of the first ten, in a line, and how many more there are.
some_values <- function(values, format) {
  shown <- values[seq_len(min(length(values), 10L))]
  paste0(paste(names(shown), sprintf(format, shown), collapse = ", "),
         if (length(values) > length(shown)) paste(" and", length(values) - length(shown), "more"))
}
