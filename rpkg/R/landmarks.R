# Landmarks of a fit, and the criterion as their number grows.

landmarks <- function(object, ...) UseMethod("landmarks")

landmarks.freeridge <- function(object, ...) {
  refuse_extra(...)
  if (object$route != "landmark") {
    refuse("the fit has no landmarks: its route is \"", object$route, "\"; see the argument landmarks of freeridge()")
  }
  traces <- core_landmark_traces(model_at(object))
  list(rows = place_of(object, object$landmarks), trace_left = traces[1L], trace = traces[2L])
}

landmark_curve <- function(object, ...) UseMethod("landmark_curve")

landmark_curve.freeridge <- function(object, sizes, criterion = object$criterion, ...) {
  refuse_extra(...)
  choice <- object$landmark_choice
  if (is.null(choice)) refuse("the fit has no landmarks; see the argument landmarks of freeridge()")
  if (missing(sizes)) refuse("sizes is missing: how many landmarks to try, ascending, as in sizes = c(10, 20, 40)")
  sizes <- check_sizes(sizes, if (is.null(choice$rows)) nrow(object$x) else length(choice$rows))
  check_choice(criterion, "criterion", criteria_names)
  if (criterion == "groups" && is.null(object$groups)) refuse("criterion is \"groups\", but the fit has no groups")
  if (is.null(choice$rows)) choice$count <- max(choice$count, sizes)

  # The core chooses landmarks once more, as many as the largest size, from the same seed.
  object$route <- object$requested_route
  curve <- core_landmark_curve(new_model(object, choice), criterion, sizes)
  by_output(sizes, list(lambda = curve$lambdas, score = curve$scores), object$outputs, "size")
}

check_sizes <- function(sizes, available) {
  if (!is.numeric(sizes) || length(sizes) == 0L) refuse("sizes must be whole numbers, ascending, not ", shown(sizes))
  sizes <- as.double(sizes)
  bad <- which(!is.finite(sizes) | sizes != round(sizes) | sizes < 1 | sizes > available)
  if (length(bad) > 0L) {
    refuse("sizes[", bad[1L], "] is ", format(sizes[bad[1L]]), "; it must be a whole number from 1 to ", available)
  }
  bad <- which(diff(sizes) <= 0)
  if (length(bad) > 0L) {
    refuse("sizes[", bad[1L] + 1L, "] is ", sizes[bad[1L] + 1L], ", not larger than the one before; sizes must ascend")
  }
  sizes
}
