# device = "cuda" without a GPU: what runs on a device, run on the CPU in its place, and what is said where there is none.

p <- local({
  set.seed(48)
  x <- matrix(stats::runif(240L), 80L)
  list(x = x, y = sin(4 * x[, 1L]) + x[, 2L]^2 + stats::rnorm(80L) / 5)
})

test_that("a fit on a device has the answers of the CPU", {
  for (route in c("auto", "spectral", "cholesky")) {
    fit_on <- function(device) freeridge(p$x, p$y, gaussian_kernel(1), 0.1, route = route, device = device)
    there <- fit_on("host")
    here <- fit_on("cpu")
    expect_equal(loo(there), loo(here), tolerance = 1e-9)
    expect_equal(predict(there, p$x[1:5, ]), predict(here, p$x[1:5, ]), tolerance = 1e-9)
    expect_equal(group_errors(there, rep(1:8, 10L)), group_errors(here, rep(1:8, 10L)), tolerance = 1e-9)
    expect_identical(there$device, "host")
    expect_match(as.character(explain(there)), "in the place of a device", fixed = TRUE)
    # A fit that comes out of a file is on the CPU.
    expect_equal(loo(unserialize(serialize(there, NULL))), loo(here), tolerance = 1e-9)
  }
  chosen <- freeridge(p$x, p$y, gaussian_kernel(), device = "host")
  expect_equal(chosen$lambda, freeridge(p$x, p$y, gaussian_kernel())$lambda, tolerance = 1e-4)
})

test_that("what does not run on a device is refused, and so is a device that is not there", {
  expect_error(freeridge(p$x, p$y, linear_kernel(), 1, device = "host"), "runs on the CPU alone", fixed = TRUE)
  expect_error(freeridge(p$x, p$y, gaussian_kernel(1), 1, landmarks = 10, device = "host"), "landmark", fixed = TRUE)
  expect_error(freeridge(p$x, p$y, linear_kernel(), 1, device = "host"),
               "device is given, and route = \"primal\" .* runs on the CPU alone; give device = \"cpu\", or the route")
  expect_error(freeridge(p$x, p$y, gaussian_kernel(1), 1, device = "cuda:999"),
               "libcuda.so.1.* was not found.*FREERIDGE_CUDA_PATH|no CUDA device 999|is needed|another version",
               class = "freeridge_device_unavailable")
  for (device in list("gpu", "cuda:x", "cuda:", 1, NA, c("cpu", "cpu"), NULL, "")) {
    expect_refusal(freeridge(p$x, p$y, gaussian_kernel(1), 1, device = device), "device must be \"cpu\"")
  }
})
