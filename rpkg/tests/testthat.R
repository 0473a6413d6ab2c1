library(testthat)
library(freeridge)

test_check("freeridge")
