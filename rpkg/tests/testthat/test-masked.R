# Names that other packages have, too: with theirs attached before ours or after, both kinds of objects are understood.

toy <- function(folder, name, code, exports) {
  path <- file.path(folder, "source", name)
  dir.create(file.path(path, "R"), recursive = TRUE)
  writeLines(c(paste("Package:", name), "Version: 1.0", "Title: Toy", "Description: Toy.", "Author: None",
               "Maintainer: None <none@example.org>", "License: GPL"), file.path(path, "DESCRIPTION"))
  writeLines(c(sprintf("export(%s)", exports), sprintf("S3method(%s, toy)", exports), sprintf("S3method(%s, default)", exports)),
             file.path(path, "NAMESPACE"))
  writeLines(code, file.path(path, "R", "code.R"))
  path
}

test_that("either order of library() works", {
  skip_on_cran()
  folder <- tempfile()
  library <- file.path(folder, "library")
  dir.create(library, recursive = TRUE)
  generics <- c(loo = "loo", dplyr = "explain", bnlearn = "score", butcher = "axe_data", purrr = "accumulate")
  code <- function(generic) c(sprintf("%s <- function(x, ...) UseMethod('%s')", generic, generic),
                              sprintf("%s.toy <- function(x, ...) 'theirs'", generic),
                              sprintf("%s.default <- function(x, ...) paste('their default of', class(x)[1])", generic))
  sources <- vapply(names(generics), function(name) toy(folder, name, code(generics[[name]]), generics[[name]]), "")
  system2(file.path(R.home("bin"), "R"), c("CMD", "INSTALL", "--no-docs", "--no-test-load", "--no-byte-compile", "--no-staged-install",
                                           paste0("--library=", library), sources), stdout = FALSE, stderr = FALSE)
  expect_true(all(dir.exists(file.path(library, names(generics)))))
  ask <- c(
    "set.seed(1); x <- matrix(rnorm(60), 20); y <- rnorm(20)",
    "fit <- freeridge(x, y, linear_kernel(), 1)",
    "rows <- ridge_accumulator(3)",
    "rows <- accumulate(rows, x, y)",
    "theirs <- structure(list(), class = 'toy')",
    "ours <- c(length(loo(fit)), class(explain(fit)), nrow(score(rows, 'gcv', 1:2)), class(axe_data(fit)), nobs(rows))",
    "others <- c(loo(theirs), explain(theirs), score(theirs), axe_data(theirs), accumulate(theirs))",
    "both <- c(loo(1), loo(x = 1), explain(1), score('a'), accumulate(2))",
    "cat(ours, others, both, sep = '; ')"
  )
  packages <- sprintf("library(%s)", names(generics))
  lines <- function(first, second) c(sprintf(".libPaths(c('%s', .libPaths()))", library), "detach('package:freeridge')", first, second, ask)
  expected <- paste(c("20", "freeridge_explanation", "2", "freeridge_predictor", "20", rep("theirs", 5L),
                      paste("their default of", c("numeric", "numeric", "numeric", "character", "numeric"))), collapse = "; ")
  for (order in list(list(packages, "library(freeridge)"), list("library(freeridge)", packages))) {
    output <- run_script(lines(order[[1L]], order[[2L]]))
    expect_identical(output[length(output)], expected, info = paste(output, collapse = "\n"))
  }
})

test_that("ridge() in a formula of the package survival is that package's term", {
  skip_if_not_installed("survival")
  for (term in c("ridge(age, sex, theta = 1)", "ridge(age, sex)", "ridge(age, theta = 2, scale = FALSE)")) {
    formula <- function(ridge) stats::as.formula(paste("survival::Surv(time, status) ~", sub("^ridge", ridge, term)))
    ours <- survival::coxph(formula("ridge"), survival::lung)
    expect_equal(unname(coef(ours)), unname(coef(survival::coxph(formula("survival::ridge"), survival::lung))), tolerance = 0.1)
    theirs <- eval(bquote(survival::coxph(.(formula("ridge")), survival::lung)), list(ridge = survival::ridge))
    expect_identical(names(coef(ours)), gsub("survival::", "", names(coef(ours))))
  }
  expect_equal(unname(coef(survival::coxph(survival::Surv(time, status) ~ ridge(age, sex, theta = 1), survival::lung))), c(0.01693716, -0.50990792),
               tolerance = 1e-6)
  expect_refusal(ridge(as.matrix(mtcars["wt"]), mtcars$mpg), "lambda is missing")
})

test_that("without another package what is not ours is refused", {
  for (generic in list(loo, explain, score, group_errors, lambda_path, lambda_grid, one_standard_error, lambda_as,
                       landmarks, landmark_curve, marginal_effects, predictor)) {
    expect_refusal(generic(3), "\\(\\) takes a fit of freeridge\\(\\), .*not 3")
    expect_refusal(generic(), "object is missing")
  }
  expect_refusal(accumulate(3), "accumulator must be an accumulator made by")
  expect_refusal(accumulate(), "accumulator is missing")
})
