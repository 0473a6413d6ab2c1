# The list that caret::train() takes as its method. What is tuned is lambda: numbers, or "chosen", the one that the fit
# chooses itself. The grid of up to 3 values, which is what train() asks for by default, has this alone.

caret_method <- function() {
  if (!requireNamespace("caret", quietly = TRUE)) refuse("caret_method() is for the package caret: install it")
  list(
    label = "Kernel ridge regression", library = "freeridge", type = c("Regression", "Classification"),
    parameters = data.frame(parameter = "lambda", class = "character", label = "Penalty"),
    grid = function(x, y, len = NULL, search = "grid") {
      if (is.null(len) || len <= 3L) return(data.frame(lambda = "chosen"))
      powers <- if (search == "random") stats::runif(len - 1L, -4, 2) else seq(-4, 2, length.out = len - 1L)
      data.frame(lambda = c("chosen", format(10^powers, digits = 3L, trim = TRUE)))
    },
    fit = function(x, y, wts, param, lev, last, classProbs, ...) {
      lambda <- if (!identical(as.character(param$lambda), "chosen")) suppressWarnings(as.numeric(as.character(param$lambda)))
      if (isTRUE(is.na(lambda))) refuse("lambda in the grid must be numbers or \"chosen\", not ", shown(param$lambda))
      freeridge::freeridge(as.data.frame(x), y, lambda = lambda, weights = wts, ...)
    },
    predict = function(modelFit, newdata, preProc = NULL, submodels = NULL) {
      newdata <- as.data.frame(newdata)
      if (is.null(modelFit$classes)) return(as.vector(stats::predict(modelFit, newdata)))
      unname(stats::predict(modelFit, newdata, type = "class"))
    },
    prob = function(modelFit, newdata, preProc = NULL, submodels = NULL) {
      data.frame(stats::predict(modelFit, as.data.frame(newdata), type = "probability"), check.names = FALSE)
    },
    predictors = function(x, ...) stats::variable.names(x)[-1L],
    varImp = function(object, ...) {
      found <- freeridge::importance(object)$table  # of classes the mean over them
      found <- tapply(found$increase, factor(found$variable, unique(found$variable)), mean)
      data.frame(Overall = as.vector(found), row.names = names(found))
    },
    levels = function(x) x$obsLevels, tags = c("Kernel Method", "L2 Regularization"),
    sort = function(x) x[order(x$lambda != "chosen", -suppressWarnings(as.numeric(x$lambda))), , drop = FALSE]
  )
}
