# The argument intercept: FALSE, TRUE (not penalised) or "penalised". A fit has two flags for it: `intercept`, whether
# there is one, and `penalised`.

check_intercept <- function(value) {
  if (identical(value, "penalised")) return(value)
  if (!is.logical(value) || length(value) != 1L || is.na(value)) {
    refuse("intercept must be TRUE, FALSE or \"penalised\", not ", shown(value))
  }
  value
}

has_penalised <- function(fit) isTRUE(fit$penalised)
has_free <- function(fit) fit$intercept && !has_penalised(fit)

# The FREERIDGE_INTERCEPT_ constant.
intercept_code <- function(fit) if (!fit$intercept) 0L else if (has_penalised(fit)) 2L else 1L

intercept_words <- function(fit) c("no", "yes, not penalised", "yes, penalised")[1L + intercept_code(fit)]
