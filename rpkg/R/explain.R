# Why a fit took its route, and what the others would have cost.

explain <- function(object, ...) UseMethod("explain")

# With the data that DALEX::explain() takes it is that function, whichever package was attached last.
explain.freeridge <- function(object, ...) {
  if (any(c("data", "y") %in% ...names()) && requireNamespace("DALEX", quietly = TRUE)) return(DALEX::explain(object, ...))
  refuse_extra(...)
  object$route <- object$requested_route
  model <- new_model(object, device = if (is.null(object$device)) "cpu" else object$device)
  expect(model, if (!object$chosen) object$lambda, object$criterion)
  structure(core_explain(model), class = "freeridge_explanation")
}

# Rows in pieces have one route; what there is to say is why, how often they were read, and what was kept of them.
explain.freeridge_chunks <- function(object, ...) {
  refuse_extra(...)
  over <- if (is.null(object$landmarks)) {
    paste(counted(ncol(object$x) + NCOL(object$fixed) * !is.null(object$fixed), "column"), "of the rows")
  } else {
    paste("the features of", counted(nrow(object$landmarks), "landmark"))
  }
  left_out <- object$chosen && object$criterion %in% names(left_out_passes)
  lines <- c(
    paste0("route: ", if (is.null(object$landmarks)) "primal" else "landmark", ", the sums of ", over,
           ", as rows in pieces never meet"),
    paste0("rows read: once to add them up", if (left_out) "; again for the left-out errors at all lambdas",
           "; before that for levels, divisors or landmarks where these are not given"),
    paste0("kept of ", counted(format(object$count, scientific = FALSE), "row"), ": ",
           format(structure(as.double(length(object$accumulator)), class = "object_size"), units = "auto"),
           ", which answer at any lambda; left-out errors at other lambdas read the rows again")
  )
  structure(lines, class = "freeridge_explanation")
}

print.freeridge_explanation <- function(x, ...) {
  cat(x, sep = "\n")
  invisible(x)
}
