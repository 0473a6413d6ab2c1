# Some generics of this package have the names of generics of other packages. So that both work, whichever package was
# attached last, the methods of this package are registered with the other generic, too, and objects that this package
# does not know are handed on to the other generic.

# For each generic the packages that have one of this name, and the classes here that have a method.
shared_generics <- list(
  loo = list(packages = "loo",
             classes = c("freeridge", "ridge_accumulator", "freeridge_classifier", "freeridge_chunks")),
  explain = list(packages = c("dplyr", "generics", "fastshap", "lime"), classes = c("freeridge", "freeridge_chunks")),
  accumulate = list(packages = "purrr", classes = "ridge_accumulator"),
  importance = list(packages = c("randomForest", "ranger"), classes = "freeridge"),
  score = list(packages = c("bnlearn", "lava", "riskRegression"), classes = "ridge_accumulator"),
  axe_data = list(packages = "butcher", classes = "freeridge"),
  vetiver_create_description = list(packages = "vetiver", classes = c("freeridge", "freeridge_stack")),
  vetiver_create_meta = list(packages = "vetiver", classes = c("freeridge", "freeridge_stack")),
  vetiver_ptype = list(packages = "vetiver", classes = c("freeridge", "freeridge_stack")),
  vetiver_prepare_model = list(packages = "vetiver", classes = c("freeridge", "freeridge_stack")),
  handler_predict = list(packages = "vetiver", classes = c("freeridge_predictor", "freeridge_stack_predictor")),
  min_grid = list(packages = "generics", classes = "kernel_ridge_reg"),
  # of packages of which not each version has them
  get_task = list(packages = "pdp", classes = c("freeridge", "freeridge_stack")),
  get_probs = list(packages = "pdp", classes = c("freeridge", "freeridge_stack")),
  sanitize_model_specific = list(packages = "marginaleffects", classes = "freeridge"),
  get_predict = list(packages = "marginaleffects", classes = "freeridge"),
  get_coef = list(packages = "marginaleffects", classes = c("freeridge", "freeridge_basis")),
  get_vcov = list(packages = "marginaleffects", classes = "freeridge"),
  set_coef = list(packages = "marginaleffects", classes = "freeridge"),
  get_jacobian_analytic = list(packages = "marginaleffects", classes = "freeridge"),
  get_prediction_jacobian_spec = list(packages = "marginaleffects", classes = "freeridge_basis")
)

# Registers the methods with each of these packages, now where it is loaded, and whenever it is loaded later.
register_methods <- function() {
  for (generic in names(shared_generics)) {
    for (package in shared_generics[[generic]]$packages) local({
      name <- generic
      from <- package
      register <- function(...) register_with(name, from)
      if (isNamespaceLoaded(from)) register()
      setHook(packageEvent(from, "onLoad"), register)
    })
  }
}

register_with <- function(generic, package) {
  namespace <- asNamespace(package)
  if (!is.function(namespace[[generic]])) return(invisible())
  for (class in shared_generics[[generic]]$classes) {
    registerS3method(generic, class, get(paste(generic, class, sep = ".")), envir = namespace)
  }
}

# The function that the generic of this package masks: the first one on the search path that has its name and is another
# function; NULL: none.
masked_function <- function(generic) {
  for (place in setdiff(search(), ".GlobalEnv")) {
    found <- get0(generic, as.environment(place), mode = "function", inherits = FALSE)
    if (!is.null(found) && !identical(found, get(generic))) return(found)
  }
}

# Calls f from an environment that does not see the methods of this package. Otherwise UseMethod() in f would find the
# default method here, which would call f again, without end.
call_outside <- function(f, ...) f(...)
environment(call_outside) <- baseenv()

# The default method of the generics: an object goes to the masked function, where there is one.
handed_on <- function(generic, object, ...) {
  theirs <- masked_function(generic)
  if (!is.null(theirs)) return(if (missing(object)) call_outside(theirs, ...) else call_outside(theirs, object, ...))
  all_given(object)
  refuse(generic, "() takes a fit of freeridge(), an accumulator or a classifier that has such answers, not ",
         shown(object))
}

# ridge() is also a term of formulas of the package survival. Within a call of that package the term is meant.
within_survival <- function() {
  isNamespaceLoaded("survival") && any(vapply(sys.frames(), function(frame) {
    identical(topenv(parent.env(frame)), asNamespace("survival"))
  }, NA))
}

survival_call <- function(call) {
  call[[1L]] <- getExportedValue("survival", "ridge")
  call
}

loo.default <- function(object, ...) handed_on("loo", object, ...)
explain.default <- function(object, ...) handed_on("explain", object, ...)
squared_errors.default <- function(object, ...) handed_on("squared_errors", object, ...)
score.default <- function(object, ...) handed_on("score", object, ...)
importance.default <- function(object, ...) handed_on("importance", object, ...)
accumulate.default <- function(accumulator, ...) {
  if (is.null(masked_function("accumulate"))) {
    all_given(accumulator)
    handle_of(accumulator, "accumulator")
  }
  handed_on("accumulate", accumulator, ...)
}
group_errors.default <- function(object, ...) handed_on("group_errors", object, ...)
lambda_path.default <- function(object, ...) handed_on("lambda_path", object, ...)
lambda_grid.default <- function(object, ...) handed_on("lambda_grid", object, ...)
one_standard_error.default <- function(object, ...) handed_on("one_standard_error", object, ...)
lambda_as.default <- function(object, ...) handed_on("lambda_as", object, ...)
landmarks.default <- function(object, ...) handed_on("landmarks", object, ...)
landmark_curve.default <- function(object, ...) handed_on("landmark_curve", object, ...)
marginal_effects.default <- function(object, ...) handed_on("marginal_effects", object, ...)
eigenvalues.default <- function(object, ...) handed_on("eigenvalues", object, ...)
effective_rank.default <- function(object, ...) handed_on("effective_rank", object, ...)
variance_components.default <- function(object, ...) handed_on("variance_components", object, ...)
hat_matrix.default <- function(object, ...) handed_on("hat_matrix", object, ...)
predictor.default <- function(object, ...) handed_on("predictor", object, ...)
influence.measures.default <- function(model, ...) handed_on("influence.measures", model, ...)
dffits.default <- function(model, ...) handed_on("dffits", model, ...)
