# Predictions of a fit of freeridge_chunks(), at new rows in a data frame, or in a source chunk by chunk.

predict.freeridge_chunks <- function(object, newdata, lambda = NULL, interval = "none", level = 0.95, ...,
                                     type = "decision", se.fit = FALSE, covariance = FALSE, kind = "bayesian",
                                     na.action = stats::na.pass, weights = NULL, source = NULL, workers = NULL) {
  refuse_extra(...)
  check_choice(type, "type", class_types)
  check_choice(interval, "interval", interval_names)
  how <- list(lambda = lambda, interval = interval, level = check_fraction(level, "level"), type = type,
              se.fit = check_flag(se.fit, "se.fit"), covariance = check_flag(covariance, "covariance"),
              kind = check_choice(kind, "kind", covariance_types), weights = weights)
  if (is.null(object$classes)) {
    if (!type %in% c("decision", "response")) refuse("type is \"", type, "\", and the response is not of classes")
    how$type <- "decision"
  }
  with_errors <- interval != "none" || how$se.fit || how$covariance
  if (with_errors && how$type != "decision") {
    refuse("type is \"", type, "\", which has no standard errors and no intervals")
  }
  if (interval %in% c("jackknife+", "cv+", "local")) {
    refuse("interval is \"", interval, "\", which is made of the left-out errors of all rows at each new one: ",
           "of chunks there are \"confidence\", \"prediction\" and \"gp\", and freeridge() has it")
  }
  if (!is.null(weights) && !interval %in% c("prediction", "gp")) {
    refuse("weights are those of new outputs, for interval = \"prediction\" and \"gp\"")
  }
  if (missing(newdata)) refuse("newdata is missing: a data frame or a source of rows, see row_source()")
  calibrated <- how$type != "decision"
  if (!is.null(source) && !calibrated) {
    refuse("source is for the probabilities of classes, which are calibrated on its rows, and for classes, which are the most probable ones")
  }
  if (!is.null(workers) && is.null(source) && !inherits(newdata, "row_source")) {
    refuse("workers take the shards of a source, and none is read here")
  }
  if (calibrated) {
    how["calibration"] <- list(calibration_of_chunks(object, lambda, source, workers))
  }
  if (inherits(newdata, "row_source")) return(predicted_chunks(object, newdata, how, na.action, workers))
  predicted_rows(object, newdata, how, na.action)
}

# Predictions of a data frame. how: what predict() was asked for.
predicted_rows <- function(fit, newdata, how, na.action) {
  new <- new_rows(fit, newdata, na.action)
  if (!is.null(new$fixed)) new$x <- cbind(new$fixed, new$x)
  new$x <- core_columns(fit$design, new$x)
  new["fixed"] <- list(NULL)
  if (how$interval != "none" || how$se.fit || how$covariance) {
    return(predict_interval(fit, new, how$lambda, how$interval, how$level, how$se.fit, how$covariance, how$kind, FALSE,
                            how$weights))
  }
  if (how$type == "decision") return(chunks_at(fit, how$lambda, function(model) predicted(fit, new, model)))
  lambda <- if (is.null(how$lambda)) fit$lambda else check_lambda(how$lambda, ncol(fit$y), fit$outputs)
  class_answers(fit, predicted(fit, new, chunk_model(fit, lambda)), how$type, how$calibration)
}

# (What a pass needs is forced, and in no frame with the source: it goes to the workers.)
prediction_pass <- function(fit, how, na.action) {
  force(fit)
  force(how)
  force(na.action)
  new_pass(
    begin = function(k) list(),
    visit = function(state, chunk) {
      rows <- of_known_kinds(as.data.frame(chunk), fit$design$kinds)
      c(state, list(without_cases(predicted_rows(fit, rows, how, na.action))))
    },
    join = c
  )
}

# Predictions for the rows of a source, without names: the rows are never together, and so have none in common.
predicted_chunks <- function(fit, source, how, na.action, workers) {
  if (how$covariance) {
    refuse("covariance is TRUE, and newdata a source, whose rows are never together: give a data frame")
  }
  if (length(how$weights) > 1L) refuse("weights are numbers of rows, and newdata is a source: give one number")
  workers <- check_workers(workers, source)
  pass <- prediction_pass(fit, how, na.action)
  found <- with_steps(with_workers(workers, run_pass(source, pass, workers)))
  if (!how$se.fit) return(bound_rows(found))
  parts <- lapply(c(fit = "fit", se.fit = "se.fit"), function(name) bound_rows(lapply(found, `[[`, name)))
  c(parts, found[[1L]][c("df", "residual.scale")])
}

without_cases <- function(values) {
  if (!is.list(values)) return(without_row_names(values))
  values[c("fit", "se.fit")] <- lapply(values[c("fit", "se.fit")], without_row_names)
  values
}

# Answers for rows below one another: vectors, matrices, or arrays whose first dimension are the rows.
bound_rows <- function(parts) {
  size <- dim(parts[[1L]])
  if (is.null(size)) return(unlist(parts))
  if (length(size) == 2L) return(do.call(rbind, parts))
  slices <- lapply(seq_len(size[3L]), function(j) {
    do.call(rbind, lapply(parts, function(part) matrix(part[, , j], nrow(part))))
  })
  array(unlist(slices), c(dim(slices[[1L]]), size[3L]), c(list(NULL), dimnames(parts[[1L]])[-1L]))
}
