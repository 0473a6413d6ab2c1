# What citation("freeridge") says.

test_that("the package and its sources can be cited", {
  found <- citation("freeridge")
  expect_s3_class(found, "citation")
  expect_identical(found[[1L]]$note, paste("R package version", packageVersion("freeridge")))
  expect_match(found[[1L]]$title, "^freeridge: ")
  expect_identical(found[[2L]]$number, "MIT-CSAIL-TR-2007-025")
  expect_identical(found[[3L]]$doi, "10.1016/j.neunet.2004.07.002")
  expect_match(paste(toBibtex(found), collapse = "\n"), "@Manual.*@TechReport.*@Article")
  expect_output(print(found), "To cite freeridge")
})
