# The intercept of a fit: FALSE, TRUE (not penalised) or "penalised". A fit has two flags: `intercept`, whether it has one,
# and `penalised`.

check_intercept <- function(value) {
  if (identical(value, "penalised")) return(value)
  if (!is.logical(value) || length(value) != 1L || is.na(value)) {
    refuse("intercept must be TRUE, FALSE or \"penalised\", not ", shown(value))
  }
  value
}

has_penalised <- function(fit) isTRUE(fit$penalised)

# The FREERIDGE_INTERCEPT_ constant.
intercept_code <- function(fit) if (!fit$intercept) 0L else if (has_penalised(fit)) 2L else 1L

intercept_words <- function(fit) if (!fit$intercept) "no" else if (has_penalised(fit)) "yes, penalised" else "yes, not penalised"
