# Ridge regression in each of many groups of rows: the core fits all of them in one call (freeridge_batch).

ridge_batch <- function(x, y, group, weights = NULL, lambda = NULL, criterion = "loo", range = NULL, intercept = TRUE) {
  if (!missing(x) && inherits(x, "formula")) refuse("x is a formula; ridge_batch() takes the columns: model.matrix(formula, data)[, -1]")
  all_given(x, y, group)
  x <- numeric_matrix(x, "x")
  y <- response_matrix(y, finite = FALSE)
  n <- nrow(x)
  if (nrow(y) != n) refuse("y has ", counted(nrow(y), "row"), ", x has ", n)
  check_row_names(x, y)
  labels <- if (is.list(group)) names(group)
  group <- group_factor(group, n)
  weights <- if (!is.null(weights)) check_weights(weights, n)
  check_choice(criterion, "criterion", c("loo", "gcv", "reml"))
  range <- if (is.null(lambda)) check_range(range, "range") else rep(check_window_lambda(lambda), 2L)
  intercept <- check_flag(intercept, "intercept")

  counts <- !is.na(group) & (if (is.null(weights)) TRUE else weights > 0)
  group <- droplevels(group[counts, drop = FALSE])
  if (length(group) == 0L) refuse("no row has a group and a positive weight")
  rows <- which(counts)[order(group, method = "radix")]
  sizes <- tabulate(group, nlevels(group))
  found <- core_batch(x[rows, , drop = FALSE], y[rows, , drop = FALSE], weights[rows], c(0, cumsum(sizes)), intercept,
                      criterion, range[1L], range[2L])
  of_groups <- function(values) by_lambda(`rownames<-`(t(values), levels(group)), outputs, 0)
  outputs <- if (is.null(output_names(y))) "y" else output_names(y)
  features <- c(if (intercept) "(Intercept)", feature_names(x))
  slopes <- array(found$w, c(ncol(x), ncol(y), nlevels(group)))
  if (intercept) slopes <- with_intercepts(found$b, slopes)
  errors <- matrix(NaN, n, ncol(y), dimnames = list(rownames(x), NULL))
  errors[rows, ] <- found$errors
  fit <- list(coefficients = array(aperm(slopes, c(3L, 1L, 2L)), c(nlevels(group), length(features), ncol(y)),
                                   list(levels(group), features, outputs)),
              lambda = of_groups(found$lambda), score = of_groups(found$score), df = of_groups(found$df),
              sigma2 = of_groups(found$sigma2), errors = errors, rows = stats::setNames(sizes, levels(group)),
              failed = levels(group)[found$status != 0L], criterion = criterion, given = !is.null(lambda), intercept = intercept,
              outputs = outputs, y = y, labels = labels)
  if (length(fit$failed) > 0L) {
    warn_undefined(length(fit$failed), " of ", counted(nlevels(group), "group"), " lack numbers (NaN); ", reason_in_group(found$reason, levels(group)))
  }
  structure(fit, class = "ridge_batch")
}

# Labels of rows as a factor; several columns of labels, which for a fit have names, as their combinations.
group_factor <- function(group, n, names = NULL) {
  if (!is.null(names) && is.list(group) && !is.null(names(group))) {
    check_columns(names, group, "group")
    group <- as.list(group)[names]
  }
  columns <- if (is.data.frame(group) || (is.list(group) && !is.object(group))) as.list(group) else list(group)
  for (column in if (length(columns) > 0L) columns else list(group)) {
    if (!is.atomic(column) || length(dim(column)) > 1L) refuse("group must be ", n, " labels, one for each row, not ", shown(column))
    if (length(column) != n) refuse("group must be ", n, " labels, one for each row, not ", length(column))
  }
  combined_labels(columns)
}

# The intercepts, outputs x groups, before the slopes, columns x outputs x groups.
with_intercepts <- function(b, slopes) {
  size <- dim(slopes) + c(1L, 0L, 0L)
  both <- array(0, size)
  both[1L, , ] <- b
  both[-1L, , ] <- slopes
  both
}

# The core's words about a model, which it counts from 0, with the name of the group.
reason_in_group <- function(reason, groups) {
  of_model <- ".*?model ([0-9]+): "
  number <- as.integer(sub(paste0(of_model, ".*"), "\\1", reason, perl = TRUE))
  paste0("group \"", groups[number + 1L], "\": ", sub(of_model, "", reason, perl = TRUE))
}

coef.ridge_batch <- function(object, ...) {
  refuse_extra(...)
  if (length(object$outputs) > 1L) return(object$coefficients)
  structure(object$coefficients[, , 1L], dim = dim(object$coefficients)[1:2], dimnames = dimnames(object$coefficients)[1:2])
}

loo.ridge_batch <- function(object, ...) {
  refuse_extra(...)
  by_lambda(object$errors, object$outputs, 0)
}

nobs.ridge_batch <- function(object, use.fallback = FALSE, ...) {
  refuse_extra(...)
  sum(object$rows)
}

predict.ridge_batch <- function(object, newdata, group, ...) {
  refuse_extra(...)
  all_given(newdata, group)
  features <- setdiff(dimnames(object$coefficients)[[2L]], "(Intercept)")
  x <- columns_by_name(if (is.data.frame(newdata)) flat_columns(newdata) else without_class(newdata), features, "newdata")
  x <- numeric_matrix(x, "newdata")
  if (ncol(x) != length(features)) refuse("newdata has ", counted(ncol(x), "column"), ", the fit has ", length(features))
  group <- group_factor(group, nrow(x), object$labels)
  known <- match(as.character(group), rownames(object$coefficients))
  unknown <- which(is.na(known) & !is.na(group))
  if (length(unknown) > 0L) refuse("group[", unknown[1L], "] is \"", group[unknown[1L]], "\", of which the fit has no rows")
  if (object$intercept) x <- cbind(1, x)
  values <- vapply(seq_along(object$outputs), function(j) {
    of_group <- matrix(object$coefficients[known, , j], nrow(x))
    rowSums(x * of_group)
  }, numeric(nrow(x)))
  by_lambda(matrix(values, nrow(x), dimnames = list(rownames(newdata), NULL)), object$outputs, 0)
}

print.ridge_batch <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  sizes <- range(x$rows)
  cat("Ridge regression in each of ", counted(length(x$rows), "group"), " of ", if (sizes[1L] < sizes[2L]) paste0(sizes[1L], " to "),
      counted(sizes[2L], "row"), ", ", counted(dim(x$coefficients)[2L] - x$intercept, "column"),
      if (length(x$outputs) > 1L) paste0(", ", length(x$outputs), " outputs"), "\n", sep = "")
  cat(if (x$given) "lambda: given\n" else paste0("lambda: of each group by ", c(loo = "leave-one-out errors", gcv = "GCV", reml = "REML")[[x$criterion]], "\n"))
  squares <- x$errors^2
  centred <- if (x$intercept) sweep(x$y, 2L, colMeans(x$y, na.rm = TRUE)) else x$y
  seen <- is.finite(squares)
  cat("R squared of all rows, left out one by one: ", format(1 - sum(squares[seen]) / sum(centred[seen]^2), digits = digits), "\n\n", sep = "")
  quantiles <- function(values) stats::quantile(values, c(0, 0.25, 0.5, 0.75, 1), na.rm = TRUE, names = FALSE)
  table <- rbind(lambda = quantiles(x$lambda), df = quantiles(x$df), sigma = quantiles(sqrt(x$sigma2)))
  colnames(table) <- c("Min", "1Q", "Median", "3Q", "Max")
  cat("Over the groups:\n")
  print(formatC(table, digits = digits, format = "g"), quote = FALSE, right = TRUE)
  if (length(x$failed) > 0L) cat("\n", counted(length(x$failed), "group"), " without all numbers: ", some_of(x$failed), "\n", sep = "")
  invisible(x)
}
