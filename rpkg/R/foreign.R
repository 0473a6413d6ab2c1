# What users of other packages write, and what it is called here: terms of formulas, and arguments.

# Refuses terms of formulas that have a meaning in other packages: s(x) of mgcv. A function s of the user's own is one
# that R finds, and that is of no package. (Random effects: random.R.)
check_formula <- function(formula) {
  if (!inherits(formula, "formula")) refuse("formula must be a formula such as y ~ x1 + x2, not ", shown(formula))
  for (term in terms_within(formula[[length(formula)]])) {
    head <- deparse(term[[1L]])[1L]
    head <- sub("^.*::", "", head)
    if (head %in% smooth_terms && !is_own_function(head, environment(formula))) {
      refuse("the formula has ", deparse(term)[1L], ", which is no term here: name the columns alone, as in y ~ x, ",
             "as the kernel makes the function smooth; additive_kernel() makes it a sum of functions of single columns")
    }
  }
  formula
}

smooth_terms <- c("s", "te", "ti", "t2", "lo")

is_own_function <- function(name, environment) {
  found <- get0(name, environment, mode = "function")
  !is.null(found) && !isNamespace(environment(found))
}

# The calls among the terms of an expression, in and outside of unpenalised().
terms_within <- function(part) {
  if (!is.call(part)) return(list())
  if (deparse(part[[1L]])[1L] %in% c("+", "-", "*", ":", "/", "^", "%in%", "(") || is_unpenalised_call(part)) {
    return(unlist(lapply(as.list(part)[-1L], terms_within), recursive = FALSE))
  }
  list(part)
}

# A call of a generic with `formula` among its named arguments, whichever place it has, becomes one that begins with it,
# as lm() takes it: R finds the method by the first argument. NULL where the call is as it should be.
formula_first <- function(names, call, environment) {
  if (!any(is_formula_name(names))) return(NULL)
  call <- match.call(function(...) NULL, call, envir = environment)
  place <- which(is_formula_name(names(call)))[1L]
  names(call)[place] <- ""
  call[c(1L, place, setdiff(seq_along(call)[-1L], place))]
}

is_formula_name <- function(names) names %in% c("form", "formu", "formul", "formula")

# Arguments of other packages by what they are called here.
other_names <- c(newx = "newdata", new_data = "newdata", x = "newdata", data = "source", s = "lambda",
                 penalty = "lambda", lambdas = "lambda", sigma = "kernel", bandwidth = "kernel", se = "se.fit",
                 conf.level = "level", maxit = "iterations", na.rm = "na.action")

# What has no argument here, and why. The names of one line are separated by blanks.
other_concepts <- c(
  "alpha" = "the penalty is that of ridge regression, alpha = 0 in glmnet, and lambda is its size",
  "family distribution" =
    "the response says it: numbers are regression, a factor is classes, and kernel_logistic() has the logistic loss",
  "standardize standardise scaled normalize center preprocess" =
    "scale = TRUE divides the columns by their standard deviations, and beside an intercept their means do not matter",
  "nfolds nfold folds foldid cv trcontrol" =
    "rows are left out one by one without folds, and groups = make_folds(n, 10) leaves out folds",
  "type.measure metric" = "criterion says by what lambda is chosen",
  "nlambda lambda.min.ratio tunegrid tunelength" =
    "lambda is searched within lambda_range, and lambda_path() shows the criterion along it",
  "penalty.factor" = "unpenalised() and fixed leave columns without a penalty, and ridge() has one for each column",
  "ntree ntrees num.trees mtry nrounds nodesize min.node.size max_depth eta" =
    "there are no trees: the kernel is the model, see ?gaussian_kernel",
  "cost c" = "lambda is the penalty, and convert_lambda() makes one of a cost",
  "gamma" = "gaussian_kernel(sigma) has sigma = 1 / sqrt(gamma)",
  "degree coef0 kpar" = "polynomial_kernel(degree, scale, offset) is a kernel with a degree",
  "random" = "a random effect is the term random(id) of a formula, see ?random",
  "reml" = "criterion = \"reml\" chooses by REML",
  "method" = "route says how the fit is computed, and criterion how lambda is chosen",
  "contrasts" = "contrasts(data$g) <- sets the coding of a factor g",
  "model qr singular.ok" = "the fit keeps its model frame, see model.frame() and model.matrix()",
  "probability prob.model" = "predict() of a fit to classes has them: type = \"probability\"",
  "importance" = "relevance() of the fit says which columns matter",
  "thresh max_iter" = "the solution is exact, and accuracy is for route = \"iterative\"",
  "nugget" = "lambda is the variance of the noise divided by that of the kernel",
  "covtype whichkernel" = "kernel says which one, as in kernel = matern_kernel()",
  "epsilon nu" = "the loss is the squared error, without a tube around it",
  "control" = "what can be set has an argument of its own",
  "verbose trace print.level" = "options(freeridge.progress = TRUE) shows how far a fit is",
  "weights" = "freeridge() with linear_kernel() takes weights, and lambda = 0 is least squares",
  "interval se.fit" = "fits of freeridge(), ols() and ridge() have standard errors and intervals",
  "ncores n.cores nthread nthreads num.threads n_jobs" = "freeridge_threads() sets how many threads compute"
)

# What an argument that is not known is answered with; none: character().
answer_to <- function(name, known) {
  other <- other_names[tolower(name)]
  if (!is.na(other) && other %in% known) return(paste0("is ", other, " meant?"))
  concept <- which(vapply(strsplit(names(other_concepts), " "), function(names) tolower(name) %in% names, NA))
  if (length(concept) > 0L) return(other_concepts[[concept]])
  near <- near_name(name, known)
  if (length(near) > 0L) paste0("is ", near, " meant?") else character()
}
