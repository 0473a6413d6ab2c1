# The demo: a kernel model of real data, which learns lambda, a length for each column and how much of it is additive,
# beside ordinary least squares on rows that neither has seen. Prints a table and writes freeridge-demo.png to the current
# directory.
#
# Data: airfoil self-noise, 1503 wind-tunnel measurements (T. Brooks, D. Pope, M. Marcolini, NASA RP 1218, 1989; UCI Machine
# Learning Repository, doi 10.24432/C5VW2C, licence CC BY 4.0), shipped with the package: ?airfoil.
library(freeridge)

rmse <- function(errors) sqrt(mean(errors^2))
elapsed <- function(expression) system.time(expression)[["elapsed"]]
row <- function(label, ...) cat(sprintf("  %-46s %s\n", label, sprintf(...)))

data(airfoil, package = "freeridge")
set.seed(1)
held_out <- sample(nrow(airfoil), 300)
train <- airfoil[-held_out, ]
test <- airfoil[held_out, ]
response <- "sound_pressure"
x <- as.matrix(train[names(train) != response])
x_test <- as.matrix(test[names(test) != response])
y <- train[[response]]
y_test <- test[[response]]

# The fit: nothing is given, so the kernel and lambda are learnt, and the columns are divided by their standard deviations.
fit <- freeridge(x, y)

# The stages at the kernel learnt, and what leaving out would cost by refitting: one of the refits, timed three times.
at_kernel <- freeridge(x, y, fit$kernel, scale = fit$scale)
lambdas <- 10^seq(-6, 3, length.out = 100)
path_seconds <- elapsed(path <- lambda_path(at_kernel, lambdas, "loo"))
refit_seconds <- median(replicate(3, elapsed(
  freeridge(x[-1, ], y[-1], fit$kernel, lambda = fit$lambda, scale = fit$scale)
)))

ols <- lm(reformulate(setdiff(names(train), response), response), train)
ols_prediction <- predict(ols, test)
prediction <- predict(fit, x_test)
interval <- predict(fit, x_test, interval = "jackknife+", level = 0.9)

cat("\nAirfoil self-noise: sound pressure (dB) from frequency, angle, chord, velocity, thickness\n")
cat("(NASA RP 1218; UCI Machine Learning Repository, doi 10.24432/C5VW2C; CC BY 4.0)\n\n")
row("rows fitted (n), columns (d), rows held out", "%d, %d, %d", nrow(x), ncol(x), length(y_test))
additive <- fit$kernel$inner$weights[2]
row("kernel, route", "Matern 3/2, of which %.0f %% additive, %s", 100 * additive / (1 + additive), fit$route)
cat("\n")
row("at one kernel: its matrix and factorization", "%6.2f s   paid once", at_kernel$seconds[["factorize"]])
row("at one kernel: search over lambda", "%6.2f s   %d lambdas, each by exact leave-one-out", at_kernel$seconds[["lambda"]],
    nrow(at_kernel$lambda_search))
row("learning the kernel and lambda", "%6.2f s   %d gradients of REML and first tries", fit$seconds[["kernel"]],
    nrow(fit$learning$history))
row("exact leave-one-out errors at 100 lambdas", "%6.2f s", path_seconds)
row("  at one lambda, by refitting, it would take", "%6.0f s   %d refits of %.3f s (median of three; not run)", length(y) * refit_seconds,
    length(y), refit_seconds)
cat("\n")
lengths <- relevance(fit)
row("lengths, in standard deviations", "%s", paste(lengths$column, sprintf("%.2g", lengths$length), collapse = ", "))
row("lambda", "%.4g", fit$lambda)
row("leave-one-out RMSE, fitted rows", "%.3f dB", rmse(loo(fit)))
row("test RMSE, freeridge", "%.3f dB", rmse(y_test - prediction))
row("test rows inside 90 % jackknife+ intervals", "%.0f %%", 100 * mean(y_test > interval[, "lwr"] & y_test < interval[, "upr"]))
row("test RMSE, ordinary least squares", "%.3f dB", rmse(y_test - ols_prediction))

# The picture. Left: what was chosen, and from what. Right: what it is worth.
others <- c(0.5, 1, 2, 4, 8, 16)
other_paths <- lapply(others, function(s) {
  lambda_path(freeridge(x, y, matern_kernel(1.5, s), lambda = 1, scale = TRUE), lambdas, "loo")
})

file <- "freeridge-demo.png"
png(file, width = 2000, height = 950, res = 170, type = "cairo")
par(mfrow = c(1, 2), mar = c(4.5, 4.5, 3, 1), las = 1, cex.main = 1.1)

chosen_error <- rmse(loo(fit))
plot(lambdas, sqrt(path$loo), type = "n", log = "xy", xaxt = "n", ylim = c(0.9 * chosen_error, 2.2 * sd(y)),
     xlab = expression(lambda), ylab = "leave-one-out error, dB (RMSE)", main = "Every lambda, exactly, from one factorization")
decades <- seq(-6, 3, by = 1)
axis(1, at = 10^decades, labels = parse(text = paste0("10^", decades)))
for (other in other_paths) lines(other$lambda, sqrt(other$loo), col = "grey60")
lines(lambdas, sqrt(path$loo), lwd = 3)
abline(v = fit$lambda, lty = 3)
points(fit$lambda, chosen_error, pch = 21, bg = "white", cex = 1.8, lwd = 3)
legend("top", bg = "white", cex = 0.85, lwd = c(3, NA, 1), pch = c(NA, 21, NA), pt.cex = 1.5, pt.lwd = 3,
       col = c("black", "black", "grey60"),
       legend = c("a length for each column, learnt", sprintf("lambda = %.2g, learnt: %.2f dB", fit$lambda, chosen_error),
                  sprintf("one length for all, %.2g to %.2g", min(others), max(others))))

both <- range(y_test, ols_prediction, prediction)
plot(y_test, ols_prediction, type = "n", xlim = both, ylim = both, asp = 1, xlab = "measured, dB", ylab = "predicted, dB",
     main = sprintf("%d rows held out", length(y_test)))
abline(0, 1)
points(y_test, ols_prediction, pch = 4, col = "grey55", cex = 0.8)
points(y_test, prediction, pch = 16, cex = 0.7)
legend("topleft", bg = "white", cex = 0.85, pch = c(4, 16, NA), lty = c(NA, NA, 1), col = c("grey55", "black", "black"),
       legend = c(sprintf("least squares, RMSE %.2f dB", rmse(y_test - ols_prediction)),
                  sprintf("freeridge, RMSE %.2f dB", rmse(y_test - prediction)), "predicted = measured"))
invisible(dev.off())
cat("\n")
row("picture", "%s", normalizePath(file))
