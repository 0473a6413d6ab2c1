# Labels of rows: of groups that are left out together, of random effects, of fits in groups. A label is a string, a level
# of a factor, a number or a time, and two labels are the same where their values are: 100000, the integer 100000L and the
# string "100000" are one label, and numbers that differ in their last bit are two. (as.character() has "1e+05" for the
# first of these, and 15 digits.)

# Labels as strings, in the form of `labels`: the same string for the same value, and another for another.
label_text <- function(labels) {
  if (is_integer64(labels)) return(plain_labels(labels))
  if (!is.atomic(labels)) return(labels)
  if (is.numeric(unclass(labels)) && !is.factor(labels)) {
    value <- as.double(unclass(labels)) + 0  # no -0
    different <- unique(value[!is.na(value)])
    text <- text_of_numbers(different, class(labels))[match(value, different)]
  } else {
    text <- as.character(labels)
    large <- grep("e+", text, fixed = TRUE)  # a number that as.character() made a string
    number <- suppressWarnings(as.numeric(text[large]))
    text[large[!is.na(number)]] <- text_of_numbers(number[!is.na(number)])
  }
  if (!is.null(dim(labels))) text <- array(text, dim(labels), dimnames(labels))
  text
}

# Of values that are not NA: whole numbers have all their digits, others 15 or, where these are not enough, 17. Whole days
# are dates, and whole seconds times in UTC, so that a time has one name in all time zones.
text_of_numbers <- function(value, class = "numeric") {
  whole <- is.finite(value) & value == round(value) & abs(value) < 2^53
  text <- sprintf(c("%.15g", "%.0f")[whole + 1L], value)
  rounded <- which(as.numeric(text) != value)
  text[rounded] <- sprintf("%.17g", value[rounded])
  if ("Date" %in% class) text[whole] <- format(.Date(value[whole]))
  if ("POSIXct" %in% class) text[whole] <- format(.POSIXct(value[whole], "UTC"), "%Y-%m-%d %H:%M:%S UTC")
  text
}

# integer64 becomes strings, as beyond 2^53 not all doubles are different; other labels stay.
plain_labels <- function(value) {
  if (!is_integer64(value)) return(value)
  labels <- without_class(value)
  exact <- abs(labels) < 2^53
  halves <- matrix(halves_of_64_bits(value), 2L)
  labels[] <- ifelse(exact, sprintf("%.0f", labels), paste(halves[1L, ], halves[2L, ]))
  labels
}

# Labels as a vector or, of a data frame, as a matrix.
label_columns <- function(labels) {
  if (!is.data.frame(labels)) return(plain_labels(labels))
  as.matrix(with_columns_as(flat_columns(labels), function(column) TRUE, label_text))
}

# The combinations of labels in several columns as a factor with the levels that occur, "a:b"; within a label of several a
# colon or a backslash has a backslash before it, so that each combination has a name of its own. NA: a label is missing.
# Levels are in the order of those of each column, a factor's own or else ascending.
combined_labels <- function(columns) {
  parts <- lapply(unname(columns), function(column) {
    column <- plain_labels(column)
    factor(label_text(column), unique(label_text(if (is.factor(column)) levels(column) else sort(unique(column)))))
  })
  text <- lapply(parts, as.character)
  if (length(text) > 1L) text <- lapply(text, gsub, pattern = "([\\\\:])", replacement = "\\\\\\1")
  label <- do.call(paste, c(text, sep = ":"))
  label[Reduce(`|`, lapply(text, is.na))] <- NA
  factor(label, unique(label[do.call(order, parts)]))
}

# Labels of any kind, one for each row, as integers 0, 1, ...; NA, for a row that is never left out, becomes -1. Each
# column of a matrix is a division of the rows.
group_codes <- function(group, n, name) {
  group <- label_columns(group)
  if (is.matrix(group) && is.atomic(group) && nrow(group) == n && ncol(group) > 0L) {
    code_column <- function(k) group_codes(group[, k], n, paste0(name, "[, ", k, "]"))
    codes <- vapply(seq_len(ncol(group)), code_column, integer(n))
    return(matrix(codes, n, dimnames = list(NULL, colnames(group))))
  }
  if (is.object(group)) group <- label_text(group)
  if (!is.atomic(group) || !is.null(dim(group)) || length(group) != n) {
    refuse(name, " must be ", n, " labels, one for each row, not ", shown(group))
  }
  codes <- match(group, unique(group[!is.na(group)])) - 1L
  if (all(is.na(codes))) refuse(name, " must have at least one label that is not NA")
  codes[is.na(codes)] <- -1L
  codes
}

# Gaps: a row may be left out together with a group beside it, without a score. gap: labels of such groups for each row,
# in one or more columns (layers) for each division. The result has the codes of these groups, -1 for none; NULL: no
# gaps. group: the labels of the groups as they were given.
gap_codes <- function(gap, group, n, name = "gap") {
  if (is.null(gap)) return(NULL)
  if (is.null(group)) refuse(name, " is given, but there are no groups beside which it could be")
  group <- text_matrix(group)
  gap <- text_matrix(gap)
  if (!is.atomic(gap) || nrow(gap) != n || ncol(gap) == 0L || ncol(gap) %% ncol(group) != 0L) {
    refuse(name, " must be labels of groups, ", n, " or a matrix of as many rows",
           if (ncol(group) > 1L) paste0(" and a multiple of ", ncol(group), " columns"), ", not ", shown(gap))
  }
  layers <- ncol(gap) %/% ncol(group)
  codes <- vapply(seq_len(ncol(gap)), function(column) {
    labels <- group[, (column - 1L) %/% layers + 1L]
    match(gap[, column], unique(labels[!is.na(labels)]), 0L) - 1L
  }, integer(n))
  matrix(codes, n)
}

text_matrix <- function(labels) as.matrix(label_text(label_columns(labels)))

# In a model frame: labels of groups or gaps as numbers that both have in common, 0 for none; NULL stays.
shared_codes <- function(labels, group) {
  if (is.null(labels)) return(NULL)
  group <- text_matrix(group)
  labels <- text_matrix(labels)
  array(match(labels, unique(group[!is.na(group)]), 0L), dim(labels))
}

labels_for_frame <- function(group) {
  group <- label_columns(group)
  if (!is.matrix(group)) return(if (is.null(group)) NULL else addNA(label_text(group)))
  codes <- array(match(group, unique(group[!is.na(group)]), 0L), dim(group))
  dimnames(codes) <- dimnames(group)
  codes
}

labels_of_frame <- function(group) {
  if (is.matrix(group)) group[group == 0L] <- NA
  group
}
