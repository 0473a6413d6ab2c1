# A fit as the mixed model y = b + F a + f + e, f ~ N(0, tau^2 K), e ~ N(0, lambda tau^2 / w): its variance components,
# and the share of f, which is the heritability where K is a relationship matrix (freeridge_variance_components).

variance_components <- function(object, ...) UseMethod("variance_components")

variance_components.freeridge <- function(object, lambda = NULL, ...) {
  refuse_extra(...)
  if (!is.null(object$classes)) refuse("a fit to classes is least squares on -1 and +1: it has no variance components")
  if (ncol(object$x) == 0L) refuse("the fit has no penalised columns, and no random effect")
  found <- core_variance_components(model_at(object, lambda))
  warn_reason(found$reason)
  names(found)[names(found) == "se"] <- "share_se"
  table <- data.frame(found[c("random", "residual", "share", "share_se")], row.names = object$outputs)
  by_reml <- !is.null(lambda) || !object$chosen || object$criterion == "reml"
  structure(table, by_reml = by_reml, criterion = object$criterion, class = c("freeridge_components", "data.frame"))
}

print.freeridge_components <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Variance components: of the random effect (times the kernel), of the errors (at weight one), the share\n",
      "of the first in their sum (the heritability, if the kernel is a relationship matrix), and its standard error:\n",
      sep = "")
  print.data.frame(x, digits = digits, row.names = nrow(x) > 1L, ...)
  if (isFALSE(attr(x, "by_reml"))) {
    cat("lambda was chosen by the ", criterion_titles[[attr(x, "criterion")]], ": for the estimates of REML fit with ",
        "criterion = \"reml\"\n", sep = "")
  }
  invisible(x)
}
