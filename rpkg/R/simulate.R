# Draws from the posterior distribution of f + b at points, and of new observations there.

# f + b is drawn from the normal distribution of mean and covariance of predict(covariance = TRUE): with the eigenvectors
# V and eigenvalues D of the covariance, mean + V D^(1/2) z. An observation of weight w has a variance of sigma^2 / w
# beside. Each output is drawn by itself.
simulate.freeridge <- function(object, nsim = 1, seed = NULL, newdata = NULL, lambda = NULL, noise = TRUE, ...,
                               kind = "bayesian", na.action = stats::na.pass, fixed = NULL) {
  refuse_misspelt(...)  # performance::check_predictions() says re.form
  if (!is.null(object$classes)) refuse("the fit is to classes, whose decision values are no observations to draw")
  nsim <- check_whole(nsim, "nsim", 1, .Machine$integer.max)
  noise <- check_flag(noise, "noise")
  at <- predict.freeridge(object, newdata, lambda, covariance = TRUE, kind = kind, na.action = na.action, fixed = fixed)
  means <- as.matrix(at$fit)
  m <- nrow(means)
  weights <- if (is.null(newdata)) stats::weights(object)
  if (is.null(weights)) weights <- rep(1, m)
  deviations <- sqrt(outer(1 / weights, at$residual.scale^2))
  deviations[which(weights == 0), ] <- NA
  pairs <- array(at$covariance, c(m, m, ncol(means)))
  roots <- lapply(seq_len(ncol(means)), function(j) {
    known <- which(!is.na(means[, j]))
    if (anyNA(pairs[known, known, j])) refuse("the covariances of the predictions are undefined, and so are draws")
    apart <- eigen(array(pairs[known, known, j], rep(length(known), 2L)), symmetric = TRUE)
    list(known = known, root = apart$vectors * rep(sqrt(pmax(apart$values, 0)), each = length(known)))
  })
  draw <- function() {
    values <- means
    for (j in seq_along(roots)) {
      known <- roots[[j]]$known
      values[known, j] <- means[known, j] + roots[[j]]$root %*% stats::rnorm(length(known))
      if (noise) values[, j] <- values[, j] + deviations[, j] * stats::rnorm(m)
    }
    if (object$vector) as.vector(values) else values
  }
  drawn <- with_seed(seed, function() replicate(nsim, draw(), simplify = FALSE))
  rows <- rownames(means)
  value <- structure(drawn$value, names = paste0("sim_", seq_len(nsim)), class = "data.frame",
                     row.names = if (is.null(rows)) seq_len(m) else make.unique(rows))
  attr(value, "seed") <- drawn$seed
  value
}

# list(value = f(), seed), where seed has what repeats it, as simulate() of package stats has it: seed, or the state of
# the generator before. With a seed the state is then as it was.
with_seed <- function(seed, f) {
  if (!is.null(seed)) {
    return(list(value = aside(function() {
      set.seed(seed)
      f()
    }), seed = structure(seed, kind = as.list(RNGkind()))))
  }
  if (is.null(get0(".Random.seed", globalenv(), inherits = FALSE))) stats::runif(1L)
  list(seed = get(".Random.seed", globalenv()), value = f())
}
