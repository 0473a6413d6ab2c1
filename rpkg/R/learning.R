# Kernels that learn: which numbers are free, and what was found. The search itself is the core's
# (freeridge_select_kernel).
#
# Free are the bandwidths, scales and weights that a kernel leaves open; with learn = "all" the given numbers, too,
# except those that others make superfluous: a bandwidth beneath free scales, and the first weight of a sum, which
# lambda stands for. With lengths = "each" a kernel with an open bandwidth becomes k(x / length, z / length), a length
# for each column; columns with the same label in `bands` (by default those of one factor) have one length. Each
# hyperparameter has a key: those with the same key have one value, and those with the key NA are held.

lengths_names <- c("each", "one")
most_sets_of_rows <- 3L

# How many different sets of rows there are in which an output is observed.
sets_of_rows <- function(y) ncol(unique(is.na(y), MARGIN = 2L))
learn_names <- c("open", "all")

# Whether the kernel has a length for each column of x where the user says nothing of lengths.
has_lengths <- function(kernel, sparse, criterion, bandwidth_range) {
  chooses_bandwidth(kernel) && !sparse && is.null(bandwidth_range) &&
    (is.null(criterion) || (is.character(criterion) && all(criterion %in% c("loo", "reml", "groups", "log_loss"))))
}

# Whether one bandwidth is the only free number: for it the core has a search of its own (freeridge_select_bandwidth).
searches_one_bandwidth <- function(fit) {
  identical(fit$lengths, "one") && !identical(fit$learn, "all") && bandwidths(fit$kernel)[["all"]] == 1 &&
    !has_open_numbers(fit$kernel) && !has_own_distance(fit$kernel)
}
learns_kernel <- function(fit) {
  fit$kernel$name != "function" && !searches_one_bandwidth(fit) &&
    (identical(fit$learn, "all") || chooses_bandwidth(fit$kernel) || has_open_numbers(fit$kernel))
}

# list(kernel, keys): the kernel at which the search starts, with all its numbers, and a key for each hyperparameter, in
# the order of the core. beneath: whether the scales around this kernel are free. place: the path to this kernel within
# the whole one, which makes keys of different parts differ.
with_keys <- function(kernel, setting, beneath = FALSE, place = "") {
  all <- setting$learn == "all"
  own <- function(word, held = !all) if (held) NA_character_ else paste0(place, word)
  of_part <- function(part, i, beneath) with_keys(part, setting, beneath, paste0(place, kernel$name, i, "."))
  bandwidth <- bandwidth_name(kernel)
  if (!is.null(bandwidth)) {
    open <- is.null(kernel[[bandwidth]])
    if (setting$lengths == "each" && (open || all) && !beneath) {
      start <- if (open) 1 else kernel[[bandwidth]]
      kernel[[bandwidth]] <- 1
      kernel <- new_kernel("scaled", inner = kernel, scale = rep(start, length(setting$bands)))
      return(list(kernel = kernel, keys = c(band_keys(setting, place), NA)))
    }
    if (open) kernel[[bandwidth]] <- 1
    return(list(kernel = kernel, keys = own("bandwidth", !(open || all) || beneath)))
  }
  if (kernel$name == "polynomial") return(list(kernel = kernel, keys = c(own("scale", !all || beneath), own("offset"))))
  if (kernel$name == "scaled") {
    open <- is.null(kernel$scale)
    if (open) kernel$scale <- rep(1, length(setting$bands))
    free <- (all || open) && !beneath
    inner <- of_part(kernel$inner, 1L, beneath || free)
    kernel$inner <- inner$kernel
    scales <- if (free) band_keys(setting, place, open && setting$lengths == "one") else NA_character_
    return(list(kernel = kernel, keys = c(rep_len(scales, length(kernel$scale)), inner$keys)))
  }
  if (kernel$name %in% c("periodic", "sphere")) {  # its bandwidth is in units of its own distance
    inner <- with_keys(kernel$inner, replace(setting, "lengths", "one"), FALSE, paste0(place, kernel$name, "."))
    kernel$inner <- inner$kernel
    return(list(kernel = kernel, keys = c(if (kernel$name == "periodic") own("period"), inner$keys)))
  }
  if (is_of_terms(kernel)) {  # lengths stand around it: within it are the columns of one term
    each <- setting$lengths == "each" && !beneath && (all || chooses_bandwidth(kernel)) && !has_own_distance(kernel)
    if (each) return(with_keys(new_kernel("scaled", inner = kernel), setting, beneath, place))
    inner <- of_part(kernel$inner, 1L, beneath)
    kernel$inner <- inner$kernel
    return(list(kernel = kernel, keys = inner$keys))
  }
  field <- c(sum = "terms", product = "factors")[kernel$name]
  if (is.na(field)) return(list(kernel = kernel, keys = character()))
  parts <- lapply(seq_along(kernel[[field]]), function(i) of_part(kernel[[field]][[i]], i, beneath))
  kernel[[field]] <- lapply(parts, `[[`, "kernel")
  keys <- lapply(parts, `[[`, "keys")
  if (kernel$name == "sum") {  # the core has the weight of a term before what is in the term
    open <- is.na(kernel$weights)
    reference <- if (all || all(open)) 1L else which(!open)[1L]  # what lambda stands for
    kernel$weights[open] <- 1
    held <- !(all | open) | seq_along(keys) == reference
    keys <- Map(function(i, inner) c(own(paste0("weight", i), held[i]), inner), seq_along(keys), keys)
  }
  list(kernel = kernel, keys = unlist(keys))
}

# A key for the scale of each column; columns of random effects, which have no band, are held.
band_keys <- function(setting, place, one = FALSE) {
  ifelse(is.na(setting$bands), NA, paste0(place, "length", if (!one) setting$bands))
}

# The default kernel (docs/defaults.md): the Matern 3/2 kernel plus the additive kernel of it, with the same lengths,
# one for each column. The weight of the second is learnt, and a factor is one term of it. Of more than `most_terms`
# columns and factors neighbours are bands, as many in each as are needed, and a band is one term. The additive part is
# left out where it would be the same as the first (one term varies), and where one length serves all columns. Unless a
# smoothness is given the core tries smoother kernels in the place of both.
most_terms <- 30L
default_kernel <- function(x, lengths, smoothness = NULL) {
  if (is.null(smoothness)) smoothness <- 1.5
  part <- if (is.infinite(smoothness)) gaussian_kernel() else matern_kernel(smoothness)
  if (lengths == "one") return(part)
  label <- factor_labels(x)
  if (length(unique(label[varying(x)])) <= 1L) return(part)
  term <- match(label, unique(label))
  label <- (term - 1L) %/% ceiling(max(term) / most_terms)
  scaled_kernel(part + NA * additive_kernel(part, if (anyDuplicated(label)) label))
}

# The smoothness of the default kernel: nu of a Matern kernel, or Inf for the Gaussian; NULL: chosen.
check_smoothness <- function(smoothness, given) {
  if (is.null(smoothness)) return(NULL)
  if (given) {
    refuse("smoothness is of the kernel that is taken where none is given; here kernel is given: as in matern_kernel(nu = 2.5)")
  }
  if (!is.numeric(smoothness) || length(smoothness) != 1L || !smoothness %in% c(1.5, 2.5, Inf)) {
    refuse("smoothness must be NULL, 1.5, 2.5 or Inf (the Gaussian kernel), not ", shown(smoothness))
  }
  as.double(smoothness)
}

# Whether each column of x has two numbers that differ.
varies <- function(column) anyNA(column) || max(column) > min(column)
varying <- function(x) apply(x, 2L, varies)

# A label for each column: its number or, for a column of a factor, the number of the factor's first column.
factor_labels <- function(x) {
  labels <- seq_len(ncol(x))
  for (part in attr(x, "factor_terms")) labels[part$columns] <- part$columns[1L]
  labels
}

# Which terms of a sum are additive kernels.
are_additive <- function(kernel) vapply(kernel$terms, function(term) term$name == "additive", NA)

# What one function of the additive part is a function of.
words_of_terms <- function(fit) {
  kernel <- if (fit$kernel$name == "scaled") fit$kernel$inner else fit$kernel
  label <- kernel$terms[[which(are_additive(kernel))[1L]]]$label
  alone <- factor_labels(fit$x)
  if (!is.null(label) && length(unique(label)) < length(unique(alone))) return("band of columns")
  if (anyDuplicated(alone)) "column or factor" else "column"
}

# The share of the additive terms in k(x, x), for a kernel that is a sum. NULL where no term or each one is additive,
# and where k(x, x) depends on x.
additive_share <- function(kernel) {
  if (kernel$name == "scaled") kernel <- kernel$inner
  if (kernel$name != "sum") return(NULL)
  of_distance <- vapply(kernel$terms, function(term) {
    !is.null(bandwidth_name(if (term$name == "additive") term$inner else term))
  }, NA)
  additive <- are_additive(kernel)
  if (!all(of_distance) || !any(additive) || all(additive)) return(NULL)
  sum(kernel$weights[additive]) / sum(kernel$weights)
}

# One label for each column: those that the user gives, or by default factor_labels().
check_bands <- function(bands, x) {
  d <- ncol(x)
  if (is.null(bands)) return(factor_labels(x))
  if (!is.atomic(bands) || length(bands) != d || anyNA(bands)) {
    refuse("bands must be ", d, " labels, one for each column of x, none missing, not ", shown(bands))
  }
  if (!is.null(names(bands))) bands <- by_name(bands, "bands", feature_names(x), "column")
  match(bands, unique(bands))
}

# Whether lambda was chosen by REML with a prior of the noise, as it is where a kernel was learnt with shrinkage.
has_noise_prior <- function(fit) {
  fit$criterion %in% c("reml", "log_loss") && is.null(fit$noise_sd) && !is.null(fit$learning) && is.finite(fit$shrinkage)
}

# The arguments that say what is learnt, as parts of the fit.
learning_settings <- function(fit, lengths, learn, bands, shrinkage, learn_rows) {
  fit$learn <- check_choice(learn, "learn", learn_names)
  fit$lengths <- check_choice(lengths, "lengths", lengths_names)
  fit$bands <- check_bands(bands, without_random_columns(fit$x))
  if (fit$lengths == "each" && any(fit$bandwidth_range > 0)) {
    refuse("bandwidth_range is of one bandwidth, and lengths is \"each\"; give lengths = \"one\"")
  }
  if (!is.numeric(shrinkage) || length(shrinkage) != 1L || is.na(shrinkage) || shrinkage <= 0) {
    refuse("shrinkage must be one positive number, or Inf for none, not ", shown(shrinkage))
  }
  fit$shrinkage <- as.double(shrinkage)
  fit$learn_rows <- if (is.null(learn_rows)) 0 else check_whole(learn_rows, "learn_rows", 2)
  if (fit$kernel$name == "function" && fit$learn == "all") {
    refuse("learn is \"all\", but the kernel is an R function, whose numbers the library does not know")
  }
  fit
}

# The fit with the kernel that was learnt. Afterwards the model has this kernel, and all lambdas are chosen.
learn_kernel <- function(fit, model) {
  if (!is_sparse(fit$x) && is.na(Position(function(j) varies(fit$x[, j]), seq_len(ncol(fit$x))))) {
    refuse("x is constant: there is nothing that a kernel could be learnt from (a formula without predictors, y ~ 1, ",
           "fits the mean)")
  }
  start <- with_keys(fit$kernel, fit)
  label <- c(rep(-1L, length(fit$scale)), match(start$keys, unique(stats::na.omit(start$keys)), 0L) - 1L)
  found <- core_select_kernel(model, fit$criterion, label, fit$shrinkage, fit$learn_rows, fit$seed, fit$budget,
                              isTRUE(fit$chooses_smoothness))
  fit$kernel <- if (is.null(fit$scale)) found$kernel else found$kernel$inner
  own <- seq_along(found$name) > length(fit$scale)  # without the divisors of the columns
  numbers <- list2DF(lapply(list(name = found$name, value = found$value, free = found$variable >= 0, low = found$low,
                                 high = found$high, at = found$at), `[`, own))
  if (!is.null(fit$scale)) numbers$name <- sub("^scaled\\.", "", numbers$name)
  found$history <- list2DF(found$history)
  fit$learning <- c(list(numbers = numbers), found[c("learnt", "rows", "learnt_on", "kept", "lambda_at", "history")])
  fit
}

# The core's model in which the kernel and lambda have just been chosen as for the fit, and nothing else was asked since.
chosen_model <- function(fit) {
  fit$kernel <- fit$open_kernel
  fit$route <- fit$requested_route
  fit$learning <- NULL
  model <- new_model(fit, fit$landmark_choice)
  if (learns_kernel(fit)) {
    learn_kernel(fit, model)
  } else if (chooses_bandwidth(fit$kernel)) {
    core_select_bandwidth(model, fit$criterion, fit$bandwidth_range[1L], fit$bandwidth_range[2L], fit$budget)
  } else {
    expect(model, NULL, fit$criterion)
    core_factorize(model)
    core_select_lambda(model, fit$criterion, fit$lambda_range[1L], fit$lambda_range[2L])
  }
  model
}

# Why the errors with the learning included are not known for a fit; NULL where they are.
why_not_learnt_again <- function(fit) {
  if (!fit$chosen) return("lambda was given to this fit, and not chosen")
  if (fit$rule == "1se") return("lambda was chosen by the one-standard-error rule, and not as the best one")
  if (!is.null(fit$learning) && any(fit$lambda_range != 0)) {
    return("lambda was chosen in a range that was given, after the kernel was learnt")
  }
  NULL
}

# The model that knows its choices, to make them again; refuses where they cannot be.
chosen_to_learn_again <- function(fit) {
  why <- why_not_learnt_again(fit)
  if (!is.null(why)) refuse(why, ": there are no errors with the learning included")
  chosen_model(fit)
}

# list(errors, change, freedom) of core_loo_learnt(), made once for each fit, folds and seed. The degrees of freedom of the
# choice are those of fits that print() learns again.
learnt_again <- function(fit, folds = 0, seed = 0) {
  key <- c(folds, seed)
  known <- fit$cache$learnt
  if (!identical(known$key, key)) {
    known <- c(core_loo_learnt(chosen_to_learn_again(fit), folds, seed, nrow(fit$x) <= few_to_learn_again),
               list(key = key))
    fit$cache$learnt <- known
  }
  known
}

loo_learnt <- function(fit, folds, seed) {
  folds <- if (is.null(folds)) 0 else check_whole(folds, "folds", 2)
  found <- learnt_again(fit, folds, check_whole(seed, "seed"))
  undefined <- which(rowSums(is.nan(found$errors) & !is.na(fit$y)) > 0L)
  warn_leverage_of_one("the leave-one-out error", place_of(fit, undefined))
  whole <- function(values, aside) stats::naresid(fit$na.action, all_rows(fit, values, aside))
  value <- whole(found$errors, errors_aside(fit, model_at(fit)))
  structure(value, change = stats::naresid(fit$na.action, replace(rep(0, row_count(fit)),
                                                                  place_of(fit, seq_len(nrow(fit$x))), found$change)))
}

# A row of this share of the errors' size, or more, is said to lead to another model when it is left out.
another_model <- 0.3
# Up to so many rows print() and summary() learn again.
few_to_learn_again <- 100L

# The root mean squared errors of a fit of few rows with the learning included, for each output, R squared with its
# standard error, how many rows lead to another model, and the degrees of freedom of the choice (NA: not known); NULL where
# they are not known or take long.
honest_errors <- function(fit, most = few_to_learn_again) {
  if (nrow(fit$x) > most || !is.null(fit$classes) || is_estimated(fit) || is.null(fit$open_kernel) ||
        !is.null(fit$learning$beside) ||
        (is.null(fit$learning) && is.null(fit$bandwidth_search))) {
    return(NULL)
  }
  found <- tryCatch(learnt_again(fit), freeridge_error = function(condition) NULL)
  if (is.null(found) || any(is.nan(found$errors) & !is.na(fit$y))) return(NULL)
  weights <- weights_or_ones(fit)
  mean_of <- function(values) observed_means(values, weights, fit$y)
  squares <- found$errors^2
  spread <- sweep(fit$y, 2L, mean_of(fit$y))^2
  mean_square <- mean_of(squares)
  mean_spread <- mean_of(spread)
  share <- mean_square / mean_spread
  rest <- squares - sweep(spread, 2L, share, `*`)  # the delta method for a ratio of means
  error <- sqrt(colSums((weights * rest)^2, na.rm = TRUE)) / colSums(weights * !is.na(fit$y)) / mean_spread
  list(rmse = sqrt(mean_square), r2 = 1 - share, r2_error = error, rows = sum(found$change >= another_model),
       freedom = found$freedom)
}

# What print() and summary() say first: how far predictions of rows are off when the rows are left out.
print_left_out <- function(fit, digits) {
  if (!is.null(fit$classes)) {
    if (has_left_out_classes(fit)) {
      print_left_out_classes(fit, left_out_classes(fit), digits)
      print_copies(fit)
    }
    return(invisible())
  }
  number <- function(values) short_numbers(unname(values), digits)
  honest <- honest_errors(fit)
  if (is.null(honest) && !left_out_are_at_hand(fit)) return(invisible())
  squares <- core_by_row(model_at(fit), "loo")^2
  mean_square <- observed_means(squares, weights_or_ones(fit), fit$y)
  held <- sqrt(mean_square)
  if (is.null(honest)) {
    if (anyNA(held)) return(invisible())
    total <- observed_means(sweep(fit$y, 2L, observed_means(fit$y, weights_or_ones(fit), fit$y))^2, weights_or_ones(fit), fit$y)
    learnt <- !is.null(fit$learning) && is.null(fit$learning$beside)
    cat("Left-out error: ", number(held), " (R squared ", number(1 - mean_square / total), ")",
        if (learnt) ", with the kernel held", "\n", sep = "")
    return(invisible())
  }
  cat("Left-out error: ", number(honest$rmse), " (R squared ", number(honest$r2), ", standard error ",
      short_numbers(unname(honest$r2_error), 2L), ")\n  ", what_was_chosen(fit), " chosen again without ",
      if (nrow(fit$x) <= 50L) "the row" else "the row's fold", "; with both held ", number(held), "\n", sep = "")
  if (honest$rows > 0L) {
    cat("  ", honest$rows, " of the rows", if (honest$rows == 1L) " changes" else " change",
        " the fit much when left out alone\n", sep = "")
  }
  print_copies(fit)
}

print_copies <- function(fit) {
  copies <- copies_in(fit)
  if (copies == 0L) return(invisible())
  cat("  ", copies, if (copies == 1L) " row is a copy of another, which stays when it" else
    " rows are copies of others, which stay when one", " is left out: the error is too small\n", sep = "")
}

what_was_chosen <- function(fit) if (is.null(fit$learning)) "bandwidth and lambda" else "kernel and lambda"

# list(rows, learnt_on, others): left-out errors of the rows that the kernel was learnt on, and of the others, whose
# outputs were used for the choice of lambda alone; rows: how many others there are. Each error is the root of the
# (weighted) mean square of an output, or for classes the (weighted) share in a wrong class. NULL where the kernel was
# learnt on all rows.
errors_beside_learning <- function(fit, model) {
  rows <- setdiff(seq_len(nrow(fit$x)), fit$learning$learnt_on)
  if (is.null(fit$learning) || length(rows) == 0L) return(NULL)
  errors <- tryCatch(core_by_row(model, "loo"), freeridge_not_finite = function(condition) NULL)
  if (is.null(errors)) return(NULL)
  list(rows = length(rows), learnt_on = left_out_error(fit, errors, fit$learning$learnt_on),
       others = left_out_error(fit, errors, rows))
}

left_out_error <- function(fit, errors, rows) {
  weights <- weights_or_ones(fit)[rows]
  errors <- errors[rows, , drop = FALSE]
  # NaN: at a leverage of one, and where an output is not observed
  if (is.null(fit$classes)) return(stats::setNames(sqrt(observed_means(errors^2, weights, errors)), fit$outputs))
  known <- !is.nan(rowSums(errors))
  mean_of <- function(values) colSums(weights[known] * values[known, , drop = FALSE]) / sum(weights[known])
  y <- fit$y[rows, , drop = FALSE]
  mean_of(as.matrix(row_labels(fit, y - errors, known_calibration(fit)) != row_labels(fit, y)))
}

shown_left_out <- function(fit, error, digits) {
  if (!is.null(fit$classes)) return(paste(format(100 * error, digits = min(digits, 3L)), "%"))
  short_numbers(error, digits)
}

# A table of the lengths that were learnt, the most relevant column first. part: of the kernel, where several parts have
# lengths; column; length: in the units of fit$scale; relevance: the least length / length; at_bound: whether the length
# is at its high bound.
relevance <- function(object) {
  if (!inherits(object, c("freeridge", "freeridge_chunks", "freeridge_classifier", "freeridge_logistic_classes"))) {
    refuse("object must be a fit of freeridge(), freeridge_chunks() or kernel_logistic(), not ", shown(object))
  }
  table <- relevance_table(object)
  if (is.null(table)) refuse("this fit has no length for each column: see lengths in ?freeridge")
  table[names(table) != "band"]
}

# The table with a row for each band. A band has the name of its factor, or of its first column with the number of the
# others.
relevance_of_bands <- function(fit) {
  table <- relevance_table(fit)
  if (is.null(table)) return(NULL)
  key <- paste(table$part, table$band)
  size <- table(key)[key]
  factors <- attr(fit$x, "factor_terms")
  of_band <- fit$bands[vapply(factors, function(part) part$columns[1L], 0L)]
  alone <- vapply(factors, function(part) sum(fit$bands %in% fit$bands[part$columns]) == length(part$columns), NA)
  name <- vapply(factors, `[[`, "", "name")[alone][match(table$band, of_band[alone])]
  more <- ifelse(size > 1L, paste(" and", size - 1L, "more"), "")
  table$column <- ifelse(is.na(name), paste0(table$column, more), name)
  table[!duplicated(key), ]
}

# A column has no influence where its length is at the bound, and its relevance at most this.
without_influence <- 0.01

# The table of relevance(), and the label of each column's band.
relevance_table <- function(fit) {
  numbers <- fit$learning$numbers
  lengths <- numbers[grepl("scaled\\.scale\\[[0-9]+\\]$", numbers$name) & numbers$free, ]
  if (is.null(numbers) || nrow(lengths) == 0L) return(NULL)
  column <- as.integer(sub(".*\\[([0-9]+)\\]$", "\\1", lengths$name)) + 1L
  part <- sub("\\.?scaled\\.scale\\[[0-9]+\\]$", "", lengths$name)
  table <- data.frame(column = feature_names(fit$x)[column], length = lengths$value,
                      relevance = min(lengths$value) / lengths$value, at_bound = lengths$at > 0,
                      band = fit$bands[column])
  if (length(unique(part)) > 1L) table <- cbind(part = part, table)
  table <- table[order(table$length), ]
  row.names(table) <- NULL
  table
}

# What print() says of the lengths: the most relevant columns and their lengths, at most `most`.
print_learning <- function(fit, digits, most = 6L) {
  learning <- fit$learning
  rows <- if (is.null(fit[["count"]])) nrow(fit$x) else fit[["count"]]  # of a fit by chunks
  chosen <- isTRUE(fit$chooses_smoothness) && fit$criterion == "reml"
  cat("  ", counted(learning$learnt, "number"), if (chosen) " and the smoothness" else " of it", " learnt by ",
      if (is.null(fit$learnt_by)) learnt_by(fit) else fit$learnt_by, " on ",
      if (learning$rows < rows) paste(learning$rows, "of the "), counted(rows, "row"), " (",
      nrow(learning$history), " evaluations)\n", sep = "")
  beside <- learning$beside
  if (!is.null(beside)) {
    cat("  ", if (is.null(fit$classes)) "root mean squared left-out error" else "left-out points in a wrong class",
        " of the ", beside$rows, " other rows: ", shown_left_out(fit, beside$others, digits), " (of those learnt on: ",
        shown_left_out(fit, beside$learnt_on, digits), ")\n", sep = "")
  }
  if (learning$kept) cat("  nothing better than the given kernel was found\n")
  share <- additive_share(fit$kernel)
  if (!is.null(share)) {
    percent <- min(99, max(1, round(100 * share)))
    words <- if (share < 0.005) "less than 1" else if (share > 0.995) "more than 99" else percent
    cat("  ", words, " % of the kernel is additive: a sum of functions of one ", words_of_terms(fit), " each\n", sep = "")
  }
  table <- relevance_of_bands(fit)
  if (is.null(table)) return(invisible())
  cat("  lengths", if (!is.null(fit$scale)) " in divisors of columns", ", most relevant first (short: f changes fast)\n", sep = "")
  print_bars(utils::head(table, most), digits)
  if (nrow(table) > most) cat("    ... (", nrow(table), " in all; see relevance())\n", sep = "")
  print_some <- function(words, columns) {
    if (length(columns) == 0L) return(invisible())
    cat("  ", words, ": ", paste(utils::head(columns, most), collapse = ", "),
        if (length(columns) > most) paste0(", ... (", length(columns), " in all)"), "\n", sep = "")
  }
  weak <- table$relevance <= without_influence
  print_some("without influence (length at its bound)", table$column[table$at_bound & weak])
  print_some("length at the bound of the search", table$column[table$at_bound & !weak])
}

# A line for each column: its name, a bar as long as it is relevant, its length.
print_bars <- function(table, digits) {
  names <- format(shortened(table$column))
  lengths <- formatC(table$length, digits = digits, format = "g", width = 1L)
  room <- max(8L, min(30L, getOption("width") - 8L - max(nchar(names, "width")) - max(nchar(lengths))))
  bars <- strrep("#", pmax(round(room * table$relevance), ifelse(table$at_bound, 0, 1)))
  cat(paste0("    ", names, " ", formatC(bars, width = -room), " ", lengths, "\n"), sep = "")
}

# A sentence on why the score of a kernel that was learnt is too good.
learning_doubt <- function(fit) {
  learning <- fit$learning
  if (is.null(learning) || !is.null(honest_errors(fit))) return(character())
  paste0("The kernel's ", counted(learning$learnt, "number"), if (learning$learnt == 1) " was" else " were",
         " learnt by ", learnt_by(fit), " on ",
         if (is.null(learning$beside)) "these rows: the" else paste(learning$rows, "of these rows: their"),
         " leave-one-out errors, which do not learn again, are somewhat too small (loo(fit, learnt = TRUE) learns again)",
         if (!is.null(learning$beside)) "; with the other rows lambda alone was chosen", ".")
}

learnt_by <- function(fit) {
  if (fit$criterion == "reml") return("REML")
  paste0(if (fit$criterion == "log_loss") "the evidence of logistic regression" else "REML", ", then by the ",
         criterion_titles[[fit$criterion]])
}

# The hyperparameters of a kernel, with their names; NA: to be chosen. Those are the numbers that with_bandwidth() sets.
hyperparameters <- function(kernel) {
  if (inherits(kernel, "freeridge")) kernel <- kernel$kernel
  kernel <- as_kernel(kernel)
  if (kernel$name == "function") refuse("the kernel is an R function, whose numbers the library does not know")
  open <- bandwidths(kernel)[["open"]] > 0
  found <- core_kernel_hyperparameters(unclass(with_bandwidth(kernel, 1)))
  if (open) {
    other <- core_kernel_hyperparameters(unclass(with_bandwidth(kernel, 2)))
    found$value[found$value != other$value] <- NA
  }
  stats::setNames(found$value, found$name)
}

# The kernel as print() shows it, without the lengths that were learnt, which print_learning() shows.
shown_kernel <- function(fit, digits) {
  if (!is.null(attr(fit$x, "random_terms"))) return(shown_with_effects(fit, digits, shown_kernel))
  kernel <- fit$kernel
  if (is.null(relevance_table(fit)) || kernel$name != "scaled") return(format(kernel, digits = digits))
  inner <- kernel$inner
  # The default: a kernel of all columns, and beside it the same one of each column (or factor) alone.
  terms <- if (inner$name == "sum" && length(inner$terms) == 2L) inner$terms
  if (!is.null(terms) && terms[[2L]]$name == "additive" && isTRUE(all.equal(terms[[1L]], terms[[2L]]$inner))) {
    unit <- sub("\\(sigma = 1\\)|, length = 1(?=\\))", "", format(terms[[1L]], digits = digits), perl = TRUE)
    each <- words_of_terms(fit)
    return(paste0(unit, " of all columns and of each ", each, ", a length for each", if (each == "band of columns") " column"))
  }
  paste0(format(inner, digits = digits), " of x / length, a length for each column")
}
