# Eigenvalues, condition numbers, effective ranks, the hat matrix and the inverse against R's own linear algebra.

p <- problem()
n <- nrow(p$x)
centred <- function(k) {
  centre <- diag(nrow(k)) - 1 / nrow(k)
  centre %*% k %*% centre
}

test_that("they are those of the kernel matrix, on every route", {
  kernel <- matern_kernel(1.5, 2)
  k <- oracle_kernel(kernel, p$x, p$x)
  known <- eigen(centred(k), symmetric = TRUE)
  values <- known$values[-n]
  for (route in c("spectral", "band", "cholesky")) {
    fit <- freeridge(p$x, p$y, kernel, 0.3, route = route)
    hat <- oracle_hat(p$x, kernel, 0.3)
    expect_close(hat_matrix(fit), hat, 1e-11)
    expect_close(hat_matrix(fit, inverse = TRUE), (diag(n) - hat) / 0.3, 1e-10)
    expect_close(hat_matrix(fit, 2), oracle_hat(p$x, kernel, 2), 1e-11)
    expect_close(diag(hat_matrix(fit)), hatvalues(fit), 1e-11)
    if (route == "cholesky") next
    expect_close(eigenvalues(fit), values, 1e-12)
    expect_close(kappa(fit), (values[1] + 0.3) / (values[n - 1] + 0.3), 1e-10)
    expect_close(kappa(fit, c(0, 1)), (values[1] + 0:1) / (values[n - 1] + 0:1), 1e-9)
    expect_close(effective_rank(fit), n - df.residual(fit) - 1, 1e-10)
    expect_close(effective_rank(fit, c(0, 5)), c(n - 1, sum(values / (values + 5))), 1e-10)
  }
  expect_refusal(eigenvalues(freeridge(p$x, p$y, kernel, 0.3, route = "cholesky")), "give route = \"spectral\"$",
                 "freeridge_invalid_state")
  expect_refusal(eigenvalues(freeridge(p$x, p$y, kernel, 0.3, route = "band"), vectors = TRUE),
                 "no eigenvectors; give route = \"spectral\"$", "freeridge_invalid_state")
  chosen <- freeridge(p$x, p$y, kernel, 0.3)  # by CHOLESKY, which has none: another model answers
  expect_close(eigenvalues(chosen), values, 1e-12)
  found <- eigenvalues(freeridge(p$x, p$y, kernel, 0.3, route = "spectral"), vectors = TRUE)
  expect_identical(names(found), c("values", "vectors"))
  expect_close(abs(crossprod(found$vectors, known$vectors[, -n])), diag(n - 1), 1e-8)
})

test_that("outputs, names, landmarks and what has no value", {
  y <- cbind(a = p$y, b = p$y^2)
  rownames(y) <- letters[seq_len(n)]
  several <- freeridge(p$x, y, gaussian_kernel(2), c(0.1, 1))
  expect_named(kappa(several), c("a", "b"))
  expect_close(unname(effective_rank(several)), effective_rank(several, c(0.1, 1)), 1e-14)
  expect_refusal(hat_matrix(several), "^lambda must be one number")
  expect_identical(dimnames(hat_matrix(several, 1)), list(letters[seq_len(n)], letters[seq_len(n)]))
  expect_identical(rownames(eigenvalues(several, vectors = TRUE)$vectors), letters[seq_len(n)])
  few <- freeridge(p$x, p$y, gaussian_kernel(2), 0.1, landmarks = 1:5)
  expect_length(eigenvalues(few), 5L)
  expect_close(drop(hat_matrix(few) %*% p$y), fitted(few), 1e-10)
  constant <- freeridge(matrix(1, n, 2), p$y, linear_kernel(), 0)
  expect_identical(eigenvalues(constant), c(0, 0))
  expect_identical(dim(eigenvalues(constant, vectors = TRUE)$vectors), c(n, 0L))
  expect_warning(found <- kappa(constant), "all eigenvalues are zero", class = "freeridge_undefined")
  expect_true(is.nan(found))
  expect_refusal(plot(constant, "spectrum"), "all eigenvalues are zero")
  expect_refusal(eigenvalues(few, vectors = 2), "vectors must be TRUE or FALSE")
  expect_refusal(kappa(few, -1), "lambda is -1")
  expect_refusal(hat_matrix(1), "^hat_matrix\\(\\) takes a fit")
})

test_that("leverages of the classical fits are those of their hat matrices", {
  x <- p$x
  expect_close(hatvalues(ols(x, p$y)), hatvalues(lm(p$y ~ x)), 1e-12)
  expect_close(hatvalues(ols(x, p$y, intercept = FALSE)), hatvalues(lm(p$y ~ x - 1)), 1e-12)
  penalty <- c(1, 4, 0.5)
  design <- sweep(x, 2, colMeans(x))
  hat <- 1 / n + design %*% solve(crossprod(design) + 3 * diag(penalty), t(design))
  expect_close(hatvalues(ridge(x, p$y, 3, penalty)), diag(hat), 1e-12)
  expect_close(hatvalues(ridge(x, p$y, 0, c(1, 0, 1))), hatvalues(ols(x, p$y)), 1e-12)
  expect_identical(names(hatvalues(ols(as.matrix(mtcars[2:3]), mtcars$mpg))), rownames(mtcars))
  expect_refusal(hatvalues(ridge(x, p$y, 3, c(1, 0, 1))), "a penalty of 0")
})

test_that("values of kernels: of every kind, of data frames, sparse, and by name", {
  z <- p$new
  kernels <- list(linear_kernel(), polynomial_kernel(3, 0.5, 2), gaussian_kernel(2), laplacian_kernel(1.5),
                  matern_kernel(2.5, 2), scaled_kernel(gaussian_kernel(1), c(1, 2, 3)),
                  linear_kernel() + 0.3 * gaussian_kernel(2), linear_kernel() * laplacian_kernel(2))
  for (kernel in kernels) {
    expect_close(kernel_matrix(kernel, p$x, z), oracle_kernel(kernel, p$x, z), 1e-12)
    expect_close(kernel_matrix(kernel, p$x), oracle_kernel(kernel, p$x, p$x), 1e-12)
    k <- as.function(kernel)
    expect_close(k(p$x[2, ], z[1, ]), oracle_kernel(kernel, p$x, z)[2, 1], 1e-12)
  }
  own <- function(x, z) exp(-sum((x - z)^2) / 4)
  expect_close(kernel_matrix(own, p$x, z), kernel_matrix(gaussian_kernel(2), p$x, z), 1e-12)
  expect_identical(as.function(as_kernel(own)), own)
  cars <- mtcars[1:5, c("wt", "hp")]
  found <- kernel_matrix(linear_kernel(), cars, cars[2:1])
  expect_identical(dimnames(found), list(rownames(cars), rownames(cars)))
  expect_close(found, tcrossprod(as.matrix(cars)), 1e-14)
  named <- scaled_kernel(linear_kernel(), c(hp = 100, wt = 2))
  expect_close(kernel_matrix(named, cars), tcrossprod(cbind(cars$wt / 2, cars$hp / 100)), 1e-14)
  expect_refusal(kernel_matrix(linear_kernel(), cars, cars["wt"]), "z has no column 'hp'")
  expect_refusal(kernel_matrix(linear_kernel(), p$x, z[, 1:2]), "z has 2 columns, x has 3")
  expect_refusal(kernel_matrix(gaussian_kernel(), p$x), "kernel has a bandwidth that is not given")
  expect_refusal(kernel_matrix(precomputed_kernel(), p$x), "its values are given")
  expect_refusal(kernel_matrix(linear_kernel(), cbind(1, NaN)), "x\\[1, 2\\] is NaN")
  expect_refusal(kernel_matrix(linear_kernel()), "x is missing")
  k <- as.function(linear_kernel())
  expect_refusal(k(1:2, 1:3), "z has 3 numbers, x has 2")
  skip_if_not_installed("Matrix")
  sparse <- Matrix::Matrix(p$x * (p$x > 0), sparse = TRUE)
  expect_close(kernel_matrix(gaussian_kernel(2), sparse), kernel_matrix(gaussian_kernel(2), as.matrix(sparse)), 1e-14)
})

test_that("kernlab takes our kernels as functions", {
  skip_if_not_installed("kernlab")
  k <- as.function(gaussian_kernel(2))
  values <- kernlab::kernelMatrix(k, p$x)
  expect_close(matrix(as.double(values), n), kernel_matrix(gaussian_kernel(2), p$x), 1e-14)
  classes <- factor(p$y > median(p$y))
  ours <- kernlab::ksvm(p$x, classes, kernel = k, C = 1, scaled = FALSE)
  theirs <- kernlab::ksvm(p$x, classes, kernel = kernlab::rbfdot(1 / 4), C = 1, scaled = FALSE)
  expect_close(ours@b, theirs@b, 1e-6)
  expect_identical(kernlab::predict(ours, p$new), kernlab::predict(theirs, p$new))
})
