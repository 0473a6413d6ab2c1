# A factor or logical response: one against all on -1 and +1, classes, and probabilities from left-out values.

flowers <- iris[seq(1, 150, by = 3), ]
x <- as.matrix(flowers[1:4])
signs <- function(y) ifelse(outer(as.character(y), levels(y), "=="), 1, -1)

test_that("a factor is its columns of -1 and +1, and two levels are one column", {
  fit <- freeridge(x, flowers$Species, gaussian_kernel(2))
  coded <- signs(flowers$Species)
  colnames(coded) <- levels(flowers$Species)
  direct <- freeridge(x, coded, gaussian_kernel(2))
  expect_identical(fit$lambda, direct$lambda)
  expect_identical(fitted(fit), fitted(direct))
  expect_identical(loo(fit), loo(direct))
  expect_identical(predict(fit, x[1:3, ]), predict(direct, x[1:3, ]))
  expect_equal(predict(fit, x, type = "decision"), fitted(fit))
  expect_identical(dimnames(fitted(fit)), list(rownames(x), levels(flowers$Species)))

  late <- flowers$Species == "virginica"
  two <- freeridge(x, factor(late, labels = c("no", "yes")), linear_kernel(), 2)
  logical <- freeridge(x, late, linear_kernel(), 2)
  numbers <- freeridge(x, ifelse(late, 1, -1), linear_kernel(), 2)
  expect_identical(fitted(two), fitted(numbers))
  expect_identical(fitted(logical), fitted(numbers))
  expect_identical(coef(two), coef(numbers))
})

test_that("classes are those of the largest probability, of the kind the response had", {
  fit <- freeridge(Species ~ ., flowers, kernel = gaussian_kernel(2), lambda = 0.1)
  values <- predict(fit, iris, type = "probability")
  classes <- predict(fit, iris, type = "class")
  expect_identical(as.integer(classes), unname(apply(values, 1L, which.max)))
  expect_identical(levels(classes), levels(iris$Species))
  expect_identical(names(classes), rownames(iris))
  expect_gt(mean(classes == iris$Species), 0.95)
  late <- flowers$Species == "virginica"
  logical <- freeridge(x, late, linear_kernel(), 2)
  expect_identical(predict(logical, type = "class"), predict(logical, type = "response") > 0.5)
  estimated <- freeridge(x, late, gaussian_kernel(2), 2, route = "iterative")  # which has no probabilities
  expect_identical(predict(estimated, type = "class"), fitted(estimated) > 0)
  two <- freeridge(x, factor(late, labels = c("no", "yes")), linear_kernel(), 2)
  expect_identical(predict(two, type = "class") == "yes", predict(logical, type = "class"), ignore_attr = TRUE)
  # at another lambda
  expect_identical(predict(two, type = "class", lambda = 50), predict(update(two, lambda = 50), type = "class"))
})

test_that("lengths are learnt by the log loss of left-out values where the response is of classes", {
  two <- droplevels(iris[51:150, ])
  fit <- freeridge(Species ~ ., two)
  expect_identical(fit$criterion, "log_loss")
  expect_output(print(fit), "evidence of logistic regression, then by the leave-one-out log loss")
  p <- stats::plogis(freeridge:::calibration(fit)[1L, ] + freeridge:::calibration(fit)[2L, ] * (fit$y - loo(fit)))
  target <- ifelse(fit$y > 0, 50.5 / 51, 0.5 / 51)
  expect_equal(fit$score[[1L]], -mean(target * log(p) + (1 - target) * log(1 - p)), tolerance = 1e-8)
  path <- lambda_path(fit, fit$lambda, "log_loss")
  expect_equal(path$log_loss, fit$score[[1L]], tolerance = 1e-10)
  expect_gt(path$log_loss_se, 0)
  expect_identical(freeridge(Species ~ ., two, criterion = "reml")$criterion, "reml")
  expect_identical(freeridge(Species ~ ., two, kernel = linear_kernel())$criterion, "loo")
  three <- freeridge(Species ~ ., iris)
  expect_length(three$lambda, 3L)
  expect_lt(freeridge:::left_out_classes(three)$error, 0.06)
  # the errors with the learning included are not far from those of the fit, as no left-out value chose the lengths
  learnt <- as.vector(loo(fit, learnt = TRUE))
  expect_true(all(is.finite(learnt)))
  expect_lt(mean(((fit$y - learnt) > 0) != (fit$y > 0)), 0.1)
  # rows that stand twice are said, and do not make a fit through every point
  twice <- freeridge(Species ~ Sepal.Length + Sepal.Width, two[rep(1:100, 2), ])
  expect_output(print(twice), "rows are copies of others, which stay when one is left out")
  expect_gt(mean(predict(twice, type = "class") != two$Species[rep(1:100, 2)]), 0.1)
  # classes of labels that say nothing, of one row, and rows that stand twice
  for (label in list(rep_len(c("a", "b"), 100L), replace(rep("a", 100L), 7L, "b"), rep(c("a", "b"), each = 50L))) {
    odd <- freeridge(rbind(two[1:50, 1:4], two[1:50, 1:4]), factor(label))
    expect_true(all(is.finite(predict(odd, type = "probability"))))
  }
})

# Platt's criterion with half of his smoothing, minimised by a general optimizer over left-out values of brute-force refits.
platt <- function(decision, positive, weights) {
  weights <- weights / mean(weights)
  many <- c(sum(weights[!positive]), sum(weights[positive]))
  target <- ifelse(positive, (many[2L] + 0.5) / (many[2L] + 1), 0.5 / (many[1L] + 1))
  loss <- function(ab) {
    p <- stats::plogis(ab[1L] + ab[2L] * decision)
    -sum(weights * (target * log(p) + (1 - target) * log(1 - p)))
  }
  slope <- function(ab) {
    rest <- weights * (stats::plogis(ab[1L] + ab[2L] * decision) - target)
    c(sum(rest), sum(rest * decision))
  }
  stats::optim(c(0, 1), loss, slope, method = "BFGS", control = list(reltol = 1e-15, maxit = 1000L))$par
}

test_that("probabilities are Platt's, from exact left-out values", {
  p <- problem(40L, 2L)
  label <- p$y > median(p$y)
  y <- ifelse(label, 1, -1)
  for (weights in list(NULL, seq(0.5, 2, length.out = 40L))) {
    fit <- freeridge(p$x, factor(label), gaussian_kernel(2), 0.3, weights = weights)
    left_out <- y - oracle_loo(p$x, y, gaussian_kernel(2), 0.3, weights)[, 1L]
    ab <- platt(left_out, label, if (is.null(weights)) rep(1, 40L) else weights)
    expected <- stats::plogis(ab[1L] + ab[2L] * predict(fit, p$new))
    found <- predict(fit, p$new, type = "probability")
    expect_equal(found[, "TRUE"], expected, tolerance = 1e-5)
    expect_equal(rowSums(found), rep(1, 7L))
    expect_identical(colnames(found), c("FALSE", "TRUE"))
    heavy <- if (is.null(weights)) rep(1e6, 40L) else 1e6 * weights
    expect_equal(predict(update(fit, lambda = 0.3 * 1e6, weights = heavy), p$new, type = "probability"), found, tolerance = 1e-8)
  }
  three <- freeridge(x, flowers$Species, gaussian_kernel(2), 0.1)
  raw <- vapply(1:3, function(j) {
    left_out <- signs(flowers$Species)[, j] - loo(three)[, j]
    ab <- platt(left_out, signs(flowers$Species)[, j] > 0, rep(1, 50L))
    stats::plogis(ab[1L] + ab[2L] * fitted(three)[, j])
  }, numeric(50L))
  expect_equal(unname(predict(three, type = "probability")), unname(raw / rowSums(raw)), tolerance = 1e-4)
  expect_equal(predict(three, x, type = "probability"), predict(three, type = "probability"))
  other <- predict(three, x[1:5, ], lambda = 10, type = "probability")
  expect_equal(other, predict(freeridge(x, flowers$Species, gaussian_kernel(2), 10), x[1:5, ], type = "probability"))
})

test_that("probabilities say how sure one can be: about as many hits as they promise", {
  set.seed(4)
  z <- matrix(stats::rnorm(1600L), 800L)
  chance <- stats::plogis(2 * z[, 1L])
  label <- factor(stats::runif(800L) < chance)
  fit <- freeridge(z[1:400, ], label[1:400], linear_kernel())
  promised <- predict(fit, z[401:800, ], type = "probability")[, "TRUE"]
  expect_lt(abs(mean(promised) - mean(label[401:800] == "TRUE")), 0.07)
  expect_lt(mean((promised - chance[401:800])^2), 0.01)
})

test_that("lambda by the error rate of left-out points", {
  fit <- freeridge(x, flowers$Species, gaussian_kernel(3), criterion = "error_rate")
  left_out <- signs(flowers$Species) - loo(fit)
  expect_equal(unname(fit$score), rep(mean(max.col(left_out) != as.integer(flowers$Species)), 3L))
  expect_length(unique(unname(fit$lambda)), 1L)
})

test_that("rows with missing values, print and summary", {
  holes <- flowers
  holes$Sepal.Length[3L] <- NA
  fit <- freeridge(Species ~ ., holes, kernel = linear_kernel(), na.action = na.exclude)
  for (values in list(predict(fit), predict(fit, type = "probability"))) {
    expect_identical(which(is.na(values[, 1L])), stats::setNames(3L, rownames(flowers)[3L]))
  }
  expect_identical(unname(which(is.na(predict(fit, type = "class")))), 3L)
  expect_output(print(fit), "Classes: setosa (16), versicolor (17), virginica (16); one against all", fixed = TRUE)
  expect_output(print(summary(fit)), "Classes: setosa (16)", fixed = TRUE)
  expect_output(print(freeridge(x, flowers$Species == "setosa", linear_kernel(), 1)),
                "Classes: FALSE (33), TRUE (17); coded as -1 and +1", fixed = TRUE)
})

test_that("type = \"response\" gives probabilities: of the second of two levels as glm does, of all of more", {
  late <- flowers$Species == "virginica"
  two <- freeridge(x, factor(late, labels = c("no", "yes")), linear_kernel(), 2)
  theirs <- suppressWarnings(glm(late ~ ., binomial(), data.frame(x)))
  found <- predict(two, x, type = "response")
  expect_identical(names(found), names(predict(theirs, type = "response")))
  expect_identical(found, predict(two, x, type = "probability")[, "yes"])
  three <- freeridge(x, flowers$Species, gaussian_kernel(2), 0.1)
  expect_identical(predict(three, type = "response"), predict(three, type = "probability"))
  logistic <- kernel_logistic(x, late, gaussian_kernel(2), 1)
  expect_identical(predict(logistic, type = "response"), predict(logistic, type = "probability"))
})

# The classes of left-out points by refits without them.
test_that("print and summary have the errors of left-out points by class, beside those of the largest class", {
  mixed <- iris[c(1:20, 51:100, 101:140), ]
  for (weights in list(NULL, seq(0.5, 2, length.out = 110L))) for (kernel in list(linear_kernel(), gaussian_kernel(2))) {
    fit <- freeridge(Species ~ ., mixed, kernel = kernel, lambda = 1, weights = weights)
    z <- as.matrix(mixed[1:4])
    left_out <- signs(mixed$Species) - oracle_loo(z, signs(mixed$Species), kernel, 1, weights)
    w <- if (is.null(weights)) rep(1, 110L) else weights
    odds <- vapply(1:3, function(j) {
      ab <- platt_scaling(left_out[, j], mixed$Species == levels(iris$Species)[j], w)
      ab[1L] + ab[2L] * left_out[, j]
    }, numeric(110L))
    gets <- max.col(odds)
    wrong <- gets != as.integer(mixed$Species)
    found <- summary(fit)$classes
    expect_equal(found$error, sum(w * wrong) / sum(w))
    expect_equal(found$each[["versicolor"]], sum((w * wrong)[21:70]) / sum(w[21:70]))
    expect_equal(unclass(found$table), unclass(table(mixed$Species, factor(gets, 1:3))), ignore_attr = TRUE)
    expect_equal(found$largest_error, 1 - max(tapply(w, mixed$Species, sum)) / sum(w))
  }
  poor <- freeridge(Species ~ ., iris, kernel = linear_kernel())
  expect_output(print(poor), "wrong class: 10.7 % \\(66.7 % if all .* setosa\\)")
  expect_output(print(summary(poor)), "left out\nclass +setosa versicolor virginica\n")
  good <- paste(capture.output(print(freeridge(Species ~ ., iris))), collapse = "\n")
  expect_match(good, "wrong class: [0-5]", all = TRUE)
  expect_no_match(good, "try kernel")
  two <- freeridge(x, flowers$Species == "setosa", linear_kernel(), 1)
  expect_output(print(two), "wrong class: 0 % \\(34 % if all were in the largest class, FALSE\\)")
  # where there are no predictors no kernel helps
  expect_no_match(paste(capture.output(print(freeridge(Species ~ 1, flowers))), collapse = ""), "gaussian_kernel")
  # nothing is factorized for print
  old <- unserialize(serialize(freeridge(x, flowers$Species, linear_kernel(), 1), NULL))
  expect_no_match(paste(capture.output(print(old)), collapse = ""), "Left-out")
})

test_that("a level without rows stays a level, which no row gets", {
  two <- iris[51:150, ]
  three <- transform(iris, Species = factor(Species, c("virginica", "none", "setosa", "versicolor")))
  fits <- list(
    freeridge = function(data) freeridge(Species ~ ., data, kernel = linear_kernel(), lambda = 1),
    matrix = function(data) freeridge(as.matrix(data[1:4]), data$Species, gaussian_kernel(1), 1),
    stack = function(data) freeridge(Species ~ ., data, stack = c("linear", "gaussian")),
    chunks = function(data) freeridge_chunks(Species ~ ., row_source(data, 40), lambda = 1),
    subset = function(data) freeridge(Species ~ ., rbind(data, transform(iris[1, ], Species = NA)), kernel = linear_kernel(), lambda = 1),
    logistic = function(data) kernel_logistic(Species ~ ., data, kernel = linear_kernel(), lambda = 1),
    svm = function(data) kernel_svm(Species ~ ., data, kernel = linear_kernel(), lambda = 1),
    descent = function(data) gradient_descent(Species ~ ., data, loss = "logistic", epochs = 5),
    predictor = function(data) predictor(freeridge(Species ~ ., data, kernel = linear_kernel(), lambda = 1))
  )
  answer <- function(name, fit, data, type) {
    new <- if (name == "matrix") as.matrix(data[1:4]) else data[1:4]
    if (name == "chunks") predict(fit, new, type = type, source = row_source(data, 40)) else predict(fit, new, type = type)
  }
  for (name in names(fits)) for (data in if (name %in% c("svm", "descent")) list(two) else list(two, three)) {
    fit <- fits[[name]](data)
    plain <- fits[[name]](droplevels(data))
    found <- answer(name, fit, data, "class")
    expect_identical(levels(found), levels(data$Species), info = name)
    expect_identical(as.character(found), as.character(answer(name, plain, droplevels(data), "class")), info = name)
    expect_true(is.finite(mean(found == data$Species)))
    if (name == "svm") next
    p <- answer(name, fit, data, "probability")
    known <- answer(name, plain, droplevels(data), "probability")
    if (is.matrix(p)) expect_identical(colnames(p), levels(data$Species), info = name)
    expect_identical(if (is.matrix(p)) p[, colnames(known)] else p, known, info = name)
    if (is.matrix(p)) expect_true(all(p[, setdiff(colnames(p), colnames(known))] == 0))
    if (name == "freeridge" && ncol(known) == 2L) expect_identical(yhat.freeridge(fit, data), yhat.freeridge(plain, data))
  }
})

test_that("labels that cannot be used are refused", {
  fit <- freeridge(x, flowers$Species, linear_kernel(), 1)
  expect_refusal(freeridge(x, factor(c(NA, 1:49))), "y\\[1\\] is NA; all labels must be known")
  expect_refusal(freeridge(x, rep(TRUE, 50L)), "one class only, TRUE; there must be two or more")
  expect_refusal(freeridge(x, factor(character(0))), "y has no rows; there must be two")
  expect_refusal(freeridge(x, factor(rep(2, 50L), levels = 1:3)), "one class only, 2; there must be two or more")
  expect_refusal(freeridge(Species ~ Sepal.Length + offset(Sepal.Width), flowers),
                 "an offset goes with a numeric response")
  expect_refusal(predict(fit, type = "link"), 'type must be one of "decision", "class", "probability", "response", not "link"')
  expect_refusal(predict(fit, type = "class", interval = "gp"), "no further arguments but newdata, lambda, na.action and fixed")
  expect_refusal(predict(freeridge(x, flowers$Species == "setosa", linear_kernel(), 1), x, 1:2, "class"), "lambda must be one number")
  expect_refusal(logLik(freeridge(x, flowers$Species == "setosa", linear_kernel(), 1)), "it has no likelihood")
})

test_that("weights of classes are weights of their rows", {
  y <- flowers$Species
  each <- c(table(y))
  of <- function(weights) freeridge(x, y, linear_kernel(), 1, weights = weights)
  balanced <- freeridge(x, y, linear_kernel(), 1, class_weights = "balanced")
  expect_identical(predict(balanced), predict(of(unname(length(y) / (length(each) * each[as.character(y)])))))
  named <- freeridge(x, y, linear_kernel(), 1, weights = rep_len(1:2, length(y)), class_weights = setNames(3, levels(y)[1L]))
  expect_identical(predict(named), predict(of(rep_len(1:2, length(y)) * ifelse(y == levels(y)[1L], 3, 1))))
  frame <- data.frame(x, top = y == levels(y)[1L])
  expect_equal(predict(freeridge(top ~ ., frame, kernel = linear_kernel(), lambda = 1, class_weights = c(`TRUE` = 2))),
               predict(freeridge(top ~ ., frame, kernel = linear_kernel(), lambda = 1, weights = 1 + frame$top)))
  stack <- freeridge(top ~ ., frame, stack = c("default", "linear"), class_weights = "balanced")
  expect_equal(stack$weights, unname(50 / (2 * c(table(frame$top)))[as.character(frame$top)]))
  expect_refusal(freeridge(x, x[, 1L], class_weights = "balanced"), "y has no classes")
  expect_refusal(freeridge(x, y, class_weights = c(rose = 2)), "class_weights has the class 'rose'")
})
