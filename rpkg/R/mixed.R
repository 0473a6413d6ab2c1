# A fit as the mixed model y = b + F a + sum_k f_k + e, f_k ~ N(0, tau^2 w_k K_k), e ~ N(0, lambda tau^2 / w): its variance
# components, and the share of each, which is the heritability where K_k is a relationship matrix
# (freeridge_variance_components).

variance_components <- function(object, ...) UseMethod("variance_components")

variance_components.freeridge <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  if (!is.null(object$classes)) refuse("a fit to classes is least squares on -1 and +1: it has no variance components")
  if (ncol(object$x) == 0L) refuse("the fit has no penalised columns, and no random effect")
  found <- core_variance_components(model_at(object, lambda), TRUE)
  if (!any(found$random == 0, na.rm = TRUE)) warn_reason(found$reason)  # a variance of zero has no standard error
  table <- components_table(object, found)
  by_reml <- !is.null(lambda) || !object$chosen || object$criterion == "reml"
  structure(table, by_reml = by_reml, criterion = object$criterion, class = c("freeridge_components", "data.frame"))
}

# A row for each component of each output, the errors last.
components_table <- function(fit, found) {
  names <- c(component_names(fit), "residual")
  tables <- lapply(seq_len(ncol(fit$y)), function(j) {
    share <- found$share[, j]
    table <- data.frame(variance = c(found$random[, j], found$residual[j]), share = c(share, 1 - sum(share)),
                        share_se = found$se[, j])
    table$share_se[is.nan(table$share_se)] <- NA
    row.names(table) <- if (ncol(fit$y) > 1L) paste0(fit$outputs[j], ":", names) else names
    table
  })
  do.call(rbind, tables)
}

# The names of the terms of the kernel as a sum: random effects and given matrices have their own, the others those of
# their columns.
component_names <- function(fit) {
  terms <- outer_sum(fit$kernel)$terms
  random <- vapply(attr(fit$x, "random_terms"), `[[`, "", "name")
  if (length(fit$matrices) > 0L) return(fit$matrices)
  others <- length(terms) - length(random)
  if (length(terms) == 1L && length(random) == 0L) return("random")
  columns <- short_names(feature_names(fit$x)[own_columns(fit$x)])
  names <- vapply(terms[seq_len(others)], function(term) {
    several <- term$name == "additive" && length(unique(term$label[term$label >= 0L])) != 1L
    paste0(if (several) "each of ", columns)
  }, "")
  make.unique(c(names, random))
}

print.freeridge_components <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Variance components (times the kernel, of the errors at weight one), the share of each in their sum (the\n",
      "heritability, if the kernel is a relationship matrix), and its standard error:\n", sep = "")
  print.data.frame(x, digits = digits, ...)
  none <- row.names(x)[which(x$variance == 0)]
  if (length(none) > 0L) cat("zero, the least there is: ", short_names(none), "\n", sep = "")
  if (isFALSE(attr(x, "by_reml"))) {
    cat("lambda was chosen by the ", criterion_titles[[attr(x, "criterion")]], ": for the estimates of REML fit with ",
        "criterion = \"reml\"\n", sep = "")
  }
  invisible(x)
}

# What print() says of the variances of random effects and of given matrices.
print_variances <- function(fit, digits) {
  if (is.null(fit$random) && length(fit$matrices) < 2L) return(invisible())
  if (!is.null(fit$classes) || any(fit$lambda <= 0)) return(invisible())
  table <- components_table(fit, core_variance_components(model_at(fit), FALSE))
  # The variance of a function with long lengths is that far away from the rows, and says little beside those of effects.
  others <- length(outer_sum(fit$kernel)$terms) - length(fit$random)
  smooth <- !is.null(fit$random) && bandwidths(fit$kernel)[["all"]] > 0
  if (smooth) {
    table <- table[rep(rep(c(FALSE, TRUE), c(others, length(fit$random) + 1L)), ncol(fit$y)), ]
    output <- rep(seq_len(ncol(fit$y)), each = length(fit$random) + 1L)
    table$share <- table$variance / stats::ave(table$variance, output, FUN = sum)
  }
  number <- function(values) formatC(values, digits = digits, format = "g", width = 1L)
  cat("Variances", if (smooth) " beside the function of the other columns", ", and their shares:\n", sep = "")
  shown <- utils::head(seq_len(nrow(table)), 2L * most_shown)
  names <- format(row.names(table)[shown])
  values <- format(ifelse(table$variance[shown] == 0, "0", number(table$variance[shown])), justify = "right")
  percent <- paste0(format(formatC(100 * table$share[shown], digits = 1L, format = "f"), justify = "right"), " %")
  cat(paste0("  ", names, "  ", values, "  ", percent, "\n"), sep = "")
  if (length(shown) < nrow(table)) cat("  ... of ", counted(ncol(fit$y), "output"), "\n", sep = "")
}
