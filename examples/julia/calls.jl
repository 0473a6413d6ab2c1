# freeridge.h as Julia: every type, constant and call, with the names of C. The header is the manual. A part of
# Freeridge.jl.
#
# A test of the project compares this file with the header (tests/ffi/declarations_test.py), and
# tests/ffi/declarations.py --add adds what is missing.

struct freeridge_model end
struct freeridge_kernel end
struct freeridge_accumulator end
struct freeridge_classifier end
const freeridge_status = Int32
const freeridge_layout = Int32
const freeridge_route = Int32
const freeridge_criterion = Int32
const freeridge_landmark_method = Int32
const freeridge_reduction = Int32
const freeridge_convention = Int32
const freeridge_loss = Int32
const freeridge_progress = Ptr{Cvoid}
const FREERIDGE_VERSION_MAJOR = Int32(0)
const FREERIDGE_VERSION_MINOR = Int32(1)
const FREERIDGE_VERSION_PATCH = Int32(0)
const FREERIDGE_OK = freeridge_status(0)
const FREERIDGE_INVALID_ARGUMENT = freeridge_status(1)
const FREERIDGE_INVALID_STATE = freeridge_status(2)
const FREERIDGE_NOT_FINITE = freeridge_status(3)
const FREERIDGE_DIMENSION_MISMATCH = freeridge_status(4)
const FREERIDGE_OUT_OF_MEMORY = freeridge_status(10)
const FREERIDGE_NOT_POSITIVE_DEFINITE = freeridge_status(20)
const FREERIDGE_NOT_CONVERGED = freeridge_status(21)
const FREERIDGE_UNDEFINED = freeridge_status(22)
const FREERIDGE_CANCELLED = freeridge_status(30)
const FREERIDGE_IO = freeridge_status(40)
const FREERIDGE_CORRUPT = freeridge_status(41)
const FREERIDGE_NEWER_FORMAT = freeridge_status(42)
const FREERIDGE_INTERNAL = freeridge_status(90)
const FREERIDGE_COL_MAJOR = freeridge_layout(1)
const FREERIDGE_ROW_MAJOR = freeridge_layout(2)
const FREERIDGE_ROUTE_AUTO = freeridge_route(0)
const FREERIDGE_ROUTE_CHOLESKY = freeridge_route(1)
const FREERIDGE_ROUTE_SPECTRAL = freeridge_route(2)
const FREERIDGE_ROUTE_BAND = freeridge_route(3)
const FREERIDGE_ROUTE_PRIMAL = freeridge_route(4)
const FREERIDGE_ROUTE_LANDMARK = freeridge_route(5)
const FREERIDGE_LOO = freeridge_criterion(1)
const FREERIDGE_GCV = freeridge_criterion(2)
const FREERIDGE_REML = freeridge_criterion(3)
const FREERIDGE_GROUPS = freeridge_criterion(4)
const FREERIDGE_ERROR_RATE = freeridge_criterion(5)
const FREERIDGE_LANDMARKS_AUTO = freeridge_landmark_method(0)
const FREERIDGE_LANDMARKS_RANDOM = freeridge_landmark_method(1)
const FREERIDGE_LANDMARKS_KMEANS = freeridge_landmark_method(2)
const FREERIDGE_LANDMARKS_PIVOTED = freeridge_landmark_method(3)
const FREERIDGE_REDUCTION_AUTO = freeridge_reduction(0)
const FREERIDGE_REDUCTION_QR = freeridge_reduction(1)
const FREERIDGE_REDUCTION_GRAM = freeridge_reduction(2)
const FREERIDGE_CONVENTION_TOTAL = freeridge_convention(1)
const FREERIDGE_CONVENTION_MEAN = freeridge_convention(2)
const FREERIDGE_CONVENTION_GLMNET = freeridge_convention(3)
const FREERIDGE_CONVENTION_SKLEARN = freeridge_convention(4)
const FREERIDGE_CONVENTION_LM_RIDGE = freeridge_convention(5)
const FREERIDGE_CONVENTION_KRLS = freeridge_convention(6)
const FREERIDGE_CONVENTION_GURLS = freeridge_convention(7)
const FREERIDGE_LOSS_LOGISTIC = freeridge_loss(1)
const FREERIDGE_LOSS_HINGE = freeridge_loss(2)
freeridge_kernel_linear(out) =
    ccall((:freeridge_kernel_linear, library), freeridge_status, (Ptr{Ptr{freeridge_kernel}},), out)
freeridge_kernel_polynomial(degree, scale, offset, out) =
    ccall((:freeridge_kernel_polynomial, library), freeridge_status, (Int32, Float64, Float64,
          Ptr{Ptr{freeridge_kernel}}), degree, scale, offset, out)
freeridge_kernel_gaussian(sigma, out) =
    ccall((:freeridge_kernel_gaussian, library), freeridge_status, (Float64, Ptr{Ptr{freeridge_kernel}}), sigma,
          out)
freeridge_kernel_laplacian(sigma, out) =
    ccall((:freeridge_kernel_laplacian, library), freeridge_status, (Float64, Ptr{Ptr{freeridge_kernel}}), sigma,
          out)
freeridge_kernel_matern(nu, length, out) =
    ccall((:freeridge_kernel_matern, library), freeridge_status, (Float64, Float64, Ptr{Ptr{freeridge_kernel}}), nu,
          length, out)
freeridge_kernel_sum(terms, weights, count, out) =
    ccall((:freeridge_kernel_sum, library), freeridge_status, (Ptr{Ptr{freeridge_kernel}}, Ptr{Float64}, Int32,
          Ptr{Ptr{freeridge_kernel}}), terms, weights, count, out)
freeridge_kernel_product(factors, count, out) =
    ccall((:freeridge_kernel_product, library), freeridge_status, (Ptr{Ptr{freeridge_kernel}}, Int32,
          Ptr{Ptr{freeridge_kernel}}), factors, count, out)
freeridge_kernel_scaled(inner, d, scale, out) =
    ccall((:freeridge_kernel_scaled, library), freeridge_status, (Ptr{freeridge_kernel}, Int64, Ptr{Float64},
          Ptr{Ptr{freeridge_kernel}}), inner, d, scale, out)
freeridge_kernel_additive(inner, d, label, out) =
    ccall((:freeridge_kernel_additive, library), freeridge_status, (Ptr{freeridge_kernel}, Int64, Ptr{Int32},
          Ptr{Ptr{freeridge_kernel}}), inner, d, label, out)
freeridge_kernel_precomputed(out) =
    ccall((:freeridge_kernel_precomputed, library), freeridge_status, (Ptr{Ptr{freeridge_kernel}},), out)
freeridge_kernel_describe(kernel, size, text, length) =
    ccall((:freeridge_kernel_describe, library), freeridge_status, (Ptr{freeridge_kernel}, Int64, Ptr{UInt8},
          Ptr{Int64}), kernel, size, text, length)
freeridge_kernel_parse(text, out) =
    ccall((:freeridge_kernel_parse, library), freeridge_status, (Cstring, Ptr{Ptr{freeridge_kernel}}), text, out)
freeridge_kernel_equal(a, b, equal) =
    ccall((:freeridge_kernel_equal, library), freeridge_status, (Ptr{freeridge_kernel}, Ptr{freeridge_kernel},
          Ptr{Int32}), a, b, equal)
freeridge_kernel_name(kernel) = ccall((:freeridge_kernel_name, library), Cstring, (Ptr{freeridge_kernel},), kernel)
freeridge_kernel_get_counts(kernel, parameters, parts) = ccall((:freeridge_kernel_get_counts, library),
    freeridge_status, (Ptr{freeridge_kernel}, Ptr{Int32}, Ptr{Int32}), kernel, parameters, parts)
freeridge_kernel_parameter_name(kernel, index) = ccall((:freeridge_kernel_parameter_name, library), Cstring,
    (Ptr{freeridge_kernel}, Int32), kernel, index)
freeridge_kernel_get_parameter(kernel, index, size, values, length) = ccall((:freeridge_kernel_get_parameter,
    library), freeridge_status, (Ptr{freeridge_kernel}, Int32, Int64, Ptr{Float64}, Ptr{Int64}), kernel, index, size,
    values, length)
freeridge_kernel_get_part(kernel, index, out) = ccall((:freeridge_kernel_get_part, library), freeridge_status,
    (Ptr{freeridge_kernel}, Int32, Ptr{Ptr{freeridge_kernel}}), kernel, index, out)
freeridge_kernel_destroy(kernel) =
    ccall((:freeridge_kernel_destroy, library), Cvoid, (Ptr{freeridge_kernel},), kernel)
freeridge_create(kernel, out) =
    ccall((:freeridge_create, library), freeridge_status, (Ptr{freeridge_kernel}, Ptr{Ptr{freeridge_model}}),
          kernel, out)
freeridge_destroy(model) =
    ccall((:freeridge_destroy, library), Cvoid, (Ptr{freeridge_model},), model)
freeridge_set_kernel(model, kernel) =
    ccall((:freeridge_set_kernel, library), freeridge_status, (Ptr{freeridge_model}, Ptr{freeridge_kernel}), model,
          kernel)
freeridge_set_data(model, layout, n, d, x, ldx, t, y, ldy) =
    ccall((:freeridge_set_data, library), freeridge_status, (Ptr{freeridge_model}, freeridge_layout, Int64, Int64,
          Ptr{Float64}, Int64, Int64, Ptr{Float64}, Int64), model, layout, n, d, x, ldx, t, y, ldy)
freeridge_set_data_view(model, layout, n, d, x, ldx, t, y, ldy) =
    ccall((:freeridge_set_data_view, library), freeridge_status, (Ptr{freeridge_model}, freeridge_layout, Int64,
          Int64, Ptr{Float64}, Int64, Int64, Ptr{Float64}, Int64), model, layout, n, d, x, ldx, t, y, ldy)
freeridge_set_weights(model, weights) =
    ccall((:freeridge_set_weights, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}), model, weights)
freeridge_set_intercept(model, on) =
    ccall((:freeridge_set_intercept, library), freeridge_status, (Ptr{freeridge_model}, Int32), model, on)
freeridge_set_groups(model, divisions, group) = ccall((:freeridge_set_groups, library), freeridge_status,
    (Ptr{freeridge_model}, Int64, Ptr{Int32}), model, divisions, group)
freeridge_set_route(model, route) =
    ccall((:freeridge_set_route, library), freeridge_status, (Ptr{freeridge_model}, freeridge_route), model, route)
freeridge_set_expected_lambdas(model, count) =
    ccall((:freeridge_set_expected_lambdas, library), freeridge_status, (Ptr{freeridge_model}, Int64), model, count)
freeridge_set_expected_criterion(model, criterion) =
    ccall((:freeridge_set_expected_criterion, library), freeridge_status, (Ptr{freeridge_model},
          freeridge_criterion), model, criterion)
freeridge_set_progress(model, callback, user) =
    ccall((:freeridge_set_progress, library), freeridge_status, (Ptr{freeridge_model}, freeridge_progress,
          Ptr{Cvoid}), model, callback, user)
freeridge_set_landmarks(model, count, rows) =
    ccall((:freeridge_set_landmarks, library), freeridge_status, (Ptr{freeridge_model}, Int64, Ptr{Int64}), model,
          count, rows)
freeridge_set_landmark_method(model, method, seed) =
    ccall((:freeridge_set_landmark_method, library), freeridge_status, (Ptr{freeridge_model},
          freeridge_landmark_method, Int64), model, method, seed)
freeridge_set_reduction(model, reduction) =
    ccall((:freeridge_set_reduction, library), freeridge_status, (Ptr{freeridge_model}, freeridge_reduction), model,
          reduction)
freeridge_get_landmarks(model, count, rows) = ccall((:freeridge_get_landmarks, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{Int64}, Ptr{Int64}), model, count, rows)
freeridge_landmark_curve(model, criterion, count, sizes, lambdas, scores, ld) =
    ccall((:freeridge_landmark_curve, library), freeridge_status, (Ptr{freeridge_model}, freeridge_criterion, Int64,
          Ptr{Int64}, Ptr{Float64}, Ptr{Float64}, Int64), model, criterion, count, sizes, lambdas, scores, ld)
freeridge_get_rank(model, rank) =
    ccall((:freeridge_get_rank, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Int64}), model, rank)
freeridge_get_tolerance(model, tolerance) =
    ccall((:freeridge_get_tolerance, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}), model,
          tolerance)
freeridge_set_refinement(model, steps) =
    ccall((:freeridge_set_refinement, library), freeridge_status, (Ptr{freeridge_model}, Int32), model, steps)
freeridge_memory_required(model, bytes) =
    ccall((:freeridge_memory_required, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Int64}), model, bytes)
freeridge_explain(model, size, text, length) =
    ccall((:freeridge_explain, library), freeridge_status, (Ptr{freeridge_model}, Int64, Ptr{UInt8}, Ptr{Int64}),
          model, size, text, length)
freeridge_factorize(model) =
    ccall((:freeridge_factorize, library), freeridge_status, (Ptr{freeridge_model},), model)
freeridge_set_lambda(model, lambda) =
    ccall((:freeridge_set_lambda, library), freeridge_status, (Ptr{freeridge_model}, Float64), model, lambda)
freeridge_set_lambdas(model, lambda) =
    ccall((:freeridge_set_lambdas, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}), model, lambda)
freeridge_loo(model, errors, ld) =
    ccall((:freeridge_loo, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}, Int64), model, errors,
          ld)
freeridge_group_errors(model, group, errors, ld) =
    ccall((:freeridge_group_errors, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Int32}, Ptr{Float64},
          Int64), model, group, errors, ld)
freeridge_predict(model, layout, m, x, ldx, out, ldout) =
    ccall((:freeridge_predict, library), freeridge_status, (Ptr{freeridge_model}, freeridge_layout, Int64,
          Ptr{Float64}, Int64, Ptr{Float64}, Int64), model, layout, m, x, ldx, out, ldout)
freeridge_coefficients(model, c, ld) =
    ccall((:freeridge_coefficients, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}, Int64),
          model, c, ld)
freeridge_get_hyperplane(model, w, ld) =
    ccall((:freeridge_get_hyperplane, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}, Int64),
          model, w, ld)
freeridge_get_intercept(model, b) =
    ccall((:freeridge_get_intercept, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}), model, b)
freeridge_get_fitted(model, fitted, ld) =
    ccall((:freeridge_get_fitted, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}, Int64), model,
          fitted, ld)
freeridge_get_leverage(model, leverage, ld) =
    ccall((:freeridge_get_leverage, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}, Int64), model,
          leverage, ld)
freeridge_get_lambda(model, lambda) =
    ccall((:freeridge_get_lambda, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}), model, lambda)
freeridge_get_route(model, route) =
    ccall((:freeridge_get_route, library), freeridge_status, (Ptr{freeridge_model}, Ptr{freeridge_route}), model,
          route)
freeridge_get_dimensions(model, n, d, t) =
    ccall((:freeridge_get_dimensions, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Int64}, Ptr{Int64},
          Ptr{Int64}), model, n, d, t)
freeridge_get_bandwidth(model, sigma, count, sigmas, scores, edge, decades, dips) = ccall((:freeridge_get_bandwidth,
    library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}, Ptr{Int64}, Ptr{Float64}, Ptr{Float64},
    Ptr{Int32}, Ptr{Float64}, Ptr{Int32}), model, sigma, count, sigmas, scores, edge, decades, dips)
freeridge_degrees_of_freedom(model, df, sigma2) =
    ccall((:freeridge_degrees_of_freedom, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64},
          Ptr{Float64}), model, df, sigma2)
freeridge_cooks_distance(model, distance, ld) =
    ccall((:freeridge_cooks_distance, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}, Int64),
          model, distance, ld)
freeridge_predict_jackknife(model, layout, m, x, ldx, level, lower, upper, ldout) =
    ccall((:freeridge_predict_jackknife, library), freeridge_status, (Ptr{freeridge_model}, freeridge_layout, Int64,
          Ptr{Float64}, Int64, Float64, Ptr{Float64}, Ptr{Float64}, Int64), model, layout, m, x, ldx, level, lower,
          upper, ldout)
freeridge_predict_variance(model, layout, m, x, ldx, variance, ldout, noise) =
    ccall((:freeridge_predict_variance, library), freeridge_status, (Ptr{freeridge_model}, freeridge_layout, Int64,
          Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64}), model, layout, m, x, ldx, variance, ldout, noise)
freeridge_lambda_grid(model, count, lambdas) =
    ccall((:freeridge_lambda_grid, library), freeridge_status, (Ptr{freeridge_model}, Int64, Ptr{Float64}), model,
          count, lambdas)
freeridge_score(model, criterion, count, lambdas, scores, errors, ld) = ccall((:freeridge_score, library),
    freeridge_status, (Ptr{freeridge_model}, freeridge_criterion, Int64, Ptr{Float64}, Ptr{Float64}, Ptr{Float64},
    Int64), model, criterion, count, lambdas, scores, errors, ld)
freeridge_select_lambda(model, criterion, low, high, lambda, score) =
    ccall((:freeridge_select_lambda, library), freeridge_status, (Ptr{freeridge_model}, freeridge_criterion,
          Float64, Float64, Ptr{Float64}, Ptr{Float64}), model, criterion, low, high, lambda, score)
freeridge_get_search(model, count, lambdas, scores, ld, edge, decades, dips) = ccall((:freeridge_get_search, library),
    freeridge_status, (Ptr{freeridge_model}, Ptr{Int64}, Ptr{Float64}, Ptr{Float64}, Int64, Ptr{Int32}, Ptr{Float64},
    Ptr{Int32}), model, count, lambdas, scores, ld, edge, decades, dips)
freeridge_select_bandwidth(model, criterion, low, high, budget, sigma) = ccall((:freeridge_select_bandwidth, library),
    freeridge_status, (Ptr{freeridge_model}, freeridge_criterion, Float64, Float64, Int64, Ptr{Float64}), model,
    criterion, low, high, budget, sigma)
freeridge_get_one_standard_error(model, lambda, score, standard_error) =
    ccall((:freeridge_get_one_standard_error, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64},
          Ptr{Float64}, Ptr{Float64}), model, lambda, score, standard_error)
freeridge_make_folds(n, folds, seed, group) =
    ccall((:freeridge_make_folds, library), freeridge_status, (Int64, Int32, Int64, Ptr{Int32}), n, folds, seed,
          group)
freeridge_make_holdout(n, fraction, seed, group) =
    ccall((:freeridge_make_holdout, library), freeridge_status, (Int64, Float64, Int64, Ptr{Int32}), n, fraction,
          seed, group)
freeridge_convert_lambda(from, to, n, sd_y, lambda, out) =
    ccall((:freeridge_convert_lambda, library), freeridge_status, (freeridge_convention, freeridge_convention,
          Int64, Float64, Float64, Ptr{Float64}), from, to, n, sd_y, lambda, out)
freeridge_accumulator_create(d, t, intercept, out) =
    ccall((:freeridge_accumulator_create, library), freeridge_status, (Int64, Int64, Int32,
          Ptr{Ptr{freeridge_accumulator}}), d, t, intercept, out)
freeridge_accumulator_destroy(accumulator) =
    ccall((:freeridge_accumulator_destroy, library), Cvoid, (Ptr{freeridge_accumulator},), accumulator)
freeridge_accumulator_add(accumulator, layout, n, x, ldx, y, ldy, weights) =
    ccall((:freeridge_accumulator_add, library), freeridge_status, (Ptr{freeridge_accumulator}, freeridge_layout,
          Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64}), accumulator, layout, n, x, ldx, y, ldy,
          weights)
freeridge_accumulator_merge(accumulator, other) =
    ccall((:freeridge_accumulator_merge, library), freeridge_status, (Ptr{freeridge_accumulator},
          Ptr{freeridge_accumulator}), accumulator, other)
freeridge_accumulator_get_dimensions(accumulator, n, d, t, sum_w) =
    ccall((:freeridge_accumulator_get_dimensions, library), freeridge_status, (Ptr{freeridge_accumulator},
          Ptr{Int64}, Ptr{Int64}, Ptr{Int64}, Ptr{Float64}), accumulator, n, d, t, sum_w)
freeridge_accumulator_solve(accumulator, count, lambdas, w, ld, b) =
    ccall((:freeridge_accumulator_solve, library), freeridge_status, (Ptr{freeridge_accumulator}, Int64,
          Ptr{Float64}, Ptr{Float64}, Int64, Ptr{Float64}), accumulator, count, lambdas, w, ld, b)
freeridge_accumulator_score(accumulator, criterion, count, lambdas, scores, ld) =
    ccall((:freeridge_accumulator_score, library), freeridge_status, (Ptr{freeridge_accumulator},
          freeridge_criterion, Int64, Ptr{Float64}, Ptr{Float64}, Int64), accumulator, criterion, count, lambdas,
          scores, ld)
freeridge_accumulator_objective(accumulator, count, lambdas, training, norm2, objective, ld) =
    ccall((:freeridge_accumulator_objective, library), freeridge_status, (Ptr{freeridge_accumulator}, Int64,
          Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Int64), accumulator, count, lambdas, training, norm2,
          objective, ld)
freeridge_accumulator_lambda_grid(accumulator, count, lambdas) =
    ccall((:freeridge_accumulator_lambda_grid, library), freeridge_status, (Ptr{freeridge_accumulator}, Int64,
          Ptr{Float64}), accumulator, count, lambdas)
freeridge_accumulator_loo(accumulator, layout, n, x, ldx, y, ldy, weights, count, lambdas, errors, ld) =
    ccall((:freeridge_accumulator_loo, library), freeridge_status, (Ptr{freeridge_accumulator}, freeridge_layout,
          Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Ptr{Float64}, Int64),
          accumulator, layout, n, x, ldx, y, ldy, weights, count, lambdas, errors, ld)
freeridge_accumulator_save(accumulator, path) = ccall((:freeridge_accumulator_save, library), freeridge_status,
    (Ptr{freeridge_accumulator}, Cstring), accumulator, path)
freeridge_accumulator_load(path, out) = ccall((:freeridge_accumulator_load, library), freeridge_status, (Cstring,
    Ptr{Ptr{freeridge_accumulator}}), path, out)
freeridge_pinv(layout, m, n, a, lda, rcond, out, ldout, rank) =
    ccall((:freeridge_pinv, library), freeridge_status, (freeridge_layout, Int64, Int64, Ptr{Float64}, Int64,
          Float64, Ptr{Float64}, Int64, Ptr{Int64}), layout, m, n, a, lda, rcond, out, ldout, rank)
freeridge_ols(layout, n, d, x, ldx, t, y, ldy, intercept, w, b, rank, w_error, b_error, sigma, r_squared) =
    ccall((:freeridge_ols, library), freeridge_status, (freeridge_layout, Int64, Int64, Ptr{Float64}, Int64, Int64,
    Ptr{Float64}, Int64, Int32, Ptr{Float64}, Ptr{Float64}, Ptr{Int64}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64},
    Ptr{Float64}), layout, n, d, x, ldx, t, y, ldy, intercept, w, b, rank, w_error, b_error, sigma, r_squared)
freeridge_ridge(layout, n, d, x, ldx, t, y, ldy, intercept, lambda, penalty, w, b) = ccall((:freeridge_ridge,
    library), freeridge_status, (freeridge_layout, Int64, Int64, Ptr{Float64}, Int64, Int64, Ptr{Float64}, Int64,
    Int32, Float64, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}), layout, n, d, x, ldx, t, y, ldy, intercept, lambda,
    penalty, w, b)
freeridge_tls(layout, n, d, x, ldx, t, y, ldy, intercept, exact, w, b, singular_values, distances, x_correction,
    y_correction) = ccall((:freeridge_tls, library), freeridge_status, (freeridge_layout, Int64, Int64, Ptr{Float64},
    Int64, Int64, Ptr{Float64}, Int64, Int32, Ptr{Int32}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64},
    Ptr{Float64}, Ptr{Float64}), layout, n, d, x, ldx, t, y, ldy, intercept, exact, w, b, singular_values, distances,
    x_correction, y_correction)
freeridge_polynomial_feature_count(d, degree, bias, count) =
    ccall((:freeridge_polynomial_feature_count, library), freeridge_status, (Int64, Int32, Int32, Ptr{Int64}), d,
          degree, bias, count)
freeridge_polynomial_exponents(d, degree, bias, exponents) =
    ccall((:freeridge_polynomial_exponents, library), freeridge_status, (Int64, Int32, Int32, Ptr{Int32}), d,
          degree, bias, exponents)
freeridge_polynomial_features(layout, n, d, x, ldx, degree, bias, out, ldout) =
    ccall((:freeridge_polynomial_features, library), freeridge_status, (freeridge_layout, Int64, Int64,
          Ptr{Float64}, Int64, Int32, Int32, Ptr{Float64}, Int64), layout, n, d, x, ldx, degree, bias, out, ldout)
freeridge_polynomial_feature_factors(d, degree, scale, offset, factors) =
    ccall((:freeridge_polynomial_feature_factors, library), freeridge_status, (Int64, Int32, Float64, Float64,
          Ptr{Float64}), d, degree, scale, offset, factors)
freeridge_weighted_median(n, values, weights, median) =
    ccall((:freeridge_weighted_median, library), freeridge_status, (Int64, Ptr{Float64}, Ptr{Float64},
          Ptr{Float64}), n, values, weights, median)
freeridge_absolute_slope(n, x, y, slope) =
    ccall((:freeridge_absolute_slope, library), freeridge_status, (Int64, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}),
          n, x, y, slope)
freeridge_classifier_create(kernel, loss, out) =
    ccall((:freeridge_classifier_create, library), freeridge_status, (Ptr{freeridge_kernel}, freeridge_loss,
          Ptr{Ptr{freeridge_classifier}}), kernel, loss, out)
freeridge_classifier_destroy(classifier) =
    ccall((:freeridge_classifier_destroy, library), Cvoid, (Ptr{freeridge_classifier},), classifier)
freeridge_classifier_set_data(classifier, layout, n, d, x, ldx, y) =
    ccall((:freeridge_classifier_set_data, library), freeridge_status, (Ptr{freeridge_classifier}, freeridge_layout,
          Int64, Int64, Ptr{Float64}, Int64, Ptr{Float64}), classifier, layout, n, d, x, ldx, y)
freeridge_classifier_set_weights(classifier, weights) =
    ccall((:freeridge_classifier_set_weights, library), freeridge_status, (Ptr{freeridge_classifier}, Ptr{Float64}),
          classifier, weights)
freeridge_classifier_set_intercept(classifier, on) =
    ccall((:freeridge_classifier_set_intercept, library), freeridge_status, (Ptr{freeridge_classifier}, Int32),
          classifier, on)
freeridge_classifier_set_progress(classifier, callback, user) =
    ccall((:freeridge_classifier_set_progress, library), freeridge_status, (Ptr{freeridge_classifier},
          freeridge_progress, Ptr{Cvoid}), classifier, callback, user)
freeridge_classifier_set_control(classifier, tolerance, iterations) =
    ccall((:freeridge_classifier_set_control, library), freeridge_status, (Ptr{freeridge_classifier}, Float64,
          Int64), classifier, tolerance, iterations)
freeridge_classifier_fit(classifier, lambda) =
    ccall((:freeridge_classifier_fit, library), freeridge_status, (Ptr{freeridge_classifier}, Float64), classifier,
          lambda)
freeridge_classifier_predict(classifier, layout, m, x, ldx, decision, probability) =
    ccall((:freeridge_classifier_predict, library), freeridge_status, (Ptr{freeridge_classifier}, freeridge_layout,
          Int64, Ptr{Float64}, Int64, Ptr{Float64}, Ptr{Float64}), classifier, layout, m, x, ldx, decision,
          probability)
freeridge_classifier_loo(classifier, decision) =
    ccall((:freeridge_classifier_loo, library), freeridge_status, (Ptr{freeridge_classifier}, Ptr{Float64}),
          classifier, decision)
freeridge_classifier_get_coefficients(classifier, c, b) =
    ccall((:freeridge_classifier_get_coefficients, library), freeridge_status, (Ptr{freeridge_classifier},
          Ptr{Float64}, Ptr{Float64}), classifier, c, b)
freeridge_classifier_get_convergence(classifier, objective, iterations, gap) =
    ccall((:freeridge_classifier_get_convergence, library), freeridge_status, (Ptr{freeridge_classifier},
          Ptr{Float64}, Ptr{Int64}, Ptr{Float64}), classifier, objective, iterations, gap)
freeridge_classifier_get_support(classifier, count, rows, margin) =
    ccall((:freeridge_classifier_get_support, library), freeridge_status, (Ptr{freeridge_classifier}, Ptr{Int64},
          Ptr{Int64}, Ptr{Float64}), classifier, count, rows, margin)
freeridge_status_name(status) =
    ccall((:freeridge_status_name, library), Cstring, (freeridge_status,), status)
freeridge_last_error() =
    ccall((:freeridge_last_error, library), Cstring, ())
freeridge_version(major, minor, patch) =
    ccall((:freeridge_version, library), freeridge_status, (Ptr{Int32}, Ptr{Int32}, Ptr{Int32}), major, minor,
          patch)
freeridge_set_threads(count) =
    ccall((:freeridge_set_threads, library), freeridge_status, (Int32,), count)
freeridge_get_threads(count) =
    ccall((:freeridge_get_threads, library), freeridge_status, (Ptr{Int32},), count)
freeridge_build_info() =
    ccall((:freeridge_build_info, library), Cstring, ())
freeridge_save(model, path) = ccall((:freeridge_save, library), freeridge_status, (Ptr{freeridge_model}, Cstring),
    model, path)
freeridge_save_predictor(model, path) = ccall((:freeridge_save_predictor, library), freeridge_status,
    (Ptr{freeridge_model}, Cstring), model, path)
freeridge_load(path, out) = ccall((:freeridge_load, library), freeridge_status, (Cstring, Ptr{Ptr{freeridge_model}}),
    path, out)
freeridge_save_to_memory(model, size, bytes, length) = ccall((:freeridge_save_to_memory, library), freeridge_status,
    (Ptr{freeridge_model}, Int64, Ptr{Cvoid}, Ptr{Int64}), model, size, bytes, length)
freeridge_save_predictor_to_memory(model, size, bytes, length) = ccall((:freeridge_save_predictor_to_memory, library),
    freeridge_status, (Ptr{freeridge_model}, Int64, Ptr{Cvoid}, Ptr{Int64}), model, size, bytes, length)
freeridge_locate_saved_x(bytes, size, first, length) = ccall((:freeridge_locate_saved_x, library), freeridge_status,
    (Ptr{Cvoid}, Int64, Ptr{Int64}, Ptr{Int64}), bytes, size, first, length)
freeridge_load_from_memory(bytes, size, out) = ccall((:freeridge_load_from_memory, library), freeridge_status,
    (Ptr{Cvoid}, Int64, Ptr{Ptr{freeridge_model}}), bytes, size, out)
freeridge_set_memory_limit(model, bytes) = ccall((:freeridge_set_memory_limit, library), freeridge_status,
    (Ptr{freeridge_model}, Int64), model, bytes)
freeridge_accumulator_set_progress(accumulator, callback, user) = ccall((:freeridge_accumulator_set_progress,
    library), freeridge_status, (Ptr{freeridge_accumulator}, freeridge_progress, Ptr{Cvoid}), accumulator, callback,
    user)
freeridge_accumulator_memory_required(accumulator, bytes) = ccall((:freeridge_accumulator_memory_required, library),
    freeridge_status, (Ptr{freeridge_accumulator}, Ptr{Int64}), accumulator, bytes)
freeridge_classifier_memory_required(classifier, bytes) = ccall((:freeridge_classifier_memory_required, library),
    freeridge_status, (Ptr{freeridge_classifier}, Ptr{Int64}), classifier, bytes)
freeridge_lambda_flags(model, floor, below, edge) = ccall((:freeridge_lambda_flags, library),
    freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}, Ptr{Int32}, Ptr{Int32}), model, floor, below, edge)
freeridge_kernel_evaluate(kernel, layout, m, r, d, x, ldx, z, ldz, out, ldout) = ccall((:freeridge_kernel_evaluate,
    library), freeridge_status, (Ptr{freeridge_kernel}, freeridge_layout, Int64, Int64, Int64, Ptr{Float64}, Int64,
    Ptr{Float64}, Int64, Ptr{Float64}, Int64), kernel, layout, m, r, d, x, ldx, z, ldz, out, ldout)
freeridge_clone(model, out) = ccall((:freeridge_clone, library), freeridge_status, (Ptr{freeridge_model},
    Ptr{Ptr{freeridge_model}}), model, out)
freeridge_get_kernel(model, out) = ccall((:freeridge_get_kernel, library), freeridge_status, (Ptr{freeridge_model},
    Ptr{Ptr{freeridge_kernel}}), model, out)
freeridge_get_weights(model, weights) = ccall((:freeridge_get_weights, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{Float64}), model, weights)
freeridge_get_groups(model, divisions, group) = ccall((:freeridge_get_groups, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{Int64}, Ptr{Int32}), model, divisions, group)
freeridge_has_intercept(model, on) = ccall((:freeridge_has_intercept, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{Int32}), model, on)
freeridge_get_requested_route(model, route) = ccall((:freeridge_get_requested_route, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{freeridge_route}), model, route)
freeridge_get_expected_lambdas(model, count) = ccall((:freeridge_get_expected_lambdas, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{Int64}), model, count)
freeridge_get_expected_criterion(model, criterion) = ccall((:freeridge_get_expected_criterion, library),
    freeridge_status, (Ptr{freeridge_model}, Ptr{freeridge_criterion}), model, criterion)
freeridge_get_memory_limit(model, bytes) = ccall((:freeridge_get_memory_limit, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{Int64}), model, bytes)
freeridge_get_requested_landmarks(model, count, given, rows) = ccall((:freeridge_get_requested_landmarks, library),
    freeridge_status, (Ptr{freeridge_model}, Ptr{Int64}, Ptr{Int64}, Ptr{Int64}), model, count, given, rows)
freeridge_get_landmark_method(model, method, seed) = ccall((:freeridge_get_landmark_method, library),
    freeridge_status, (Ptr{freeridge_model}, Ptr{freeridge_landmark_method}, Ptr{Int64}), model, method, seed)
freeridge_get_reduction(model, reduction) = ccall((:freeridge_get_reduction, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{freeridge_reduction}), model, reduction)
freeridge_landmark_trace(model, left, trace) = ccall((:freeridge_landmark_trace, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{Float64}, Ptr{Float64}), model, left, trace)
freeridge_get_refinement(model, steps) = ccall((:freeridge_get_refinement, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{Int32}), model, steps)
freeridge_objective(model, count, lambdas, training, norm2, objective, ld) = ccall((:freeridge_objective, library),
    freeridge_status, (Ptr{freeridge_model}, Int64, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Int64),
    model, count, lambdas, training, norm2, objective, ld)
freeridge_predict_path(model, layout, m, x, ldx, count, lambdas, out, ldout) = ccall((:freeridge_predict_path,
    library), freeridge_status, (Ptr{freeridge_model}, freeridge_layout, Int64, Ptr{Float64}, Int64, Int64,
    Ptr{Float64}, Ptr{Float64}, Int64), model, layout, m, x, ldx, count, lambdas, out, ldout)
freeridge_coefficients_path(model, count, lambdas, c, ld, b) = ccall((:freeridge_coefficients_path, library),
    freeridge_status, (Ptr{freeridge_model}, Int64, Ptr{Float64}, Ptr{Float64}, Int64, Ptr{Float64}), model, count,
    lambdas, c, ld, b)
freeridge_hyperplane_path(model, count, lambdas, w, ld, b) = ccall((:freeridge_hyperplane_path, library),
    freeridge_status, (Ptr{freeridge_model}, Int64, Ptr{Float64}, Ptr{Float64}, Int64, Ptr{Float64}), model, count,
    lambdas, w, ld, b)
freeridge_accumulator_has_intercept(accumulator, on) = ccall((:freeridge_accumulator_has_intercept, library),
    freeridge_status, (Ptr{freeridge_accumulator}, Ptr{Int32}), accumulator, on)
freeridge_accumulator_select_lambda(accumulator, criterion, low, high, lambda, score, edge, decades, dips, below) =
    ccall((:freeridge_accumulator_select_lambda, library), freeridge_status, (Ptr{freeridge_accumulator},
    freeridge_criterion, Float64, Float64, Ptr{Float64}, Ptr{Float64}, Ptr{Int32}, Ptr{Float64}, Ptr{Int32},
    Ptr{Int32}), accumulator, criterion, low, high, lambda, score, edge, decades, dips, below)
freeridge_accumulator_save_to_memory(accumulator, size, bytes, length) = ccall((:freeridge_accumulator_save_to_memory,
    library), freeridge_status, (Ptr{freeridge_accumulator}, Int64, Ptr{Cvoid}, Ptr{Int64}), accumulator, size, bytes,
    length)
freeridge_accumulator_load_from_memory(bytes, size, out) = ccall((:freeridge_accumulator_load_from_memory, library),
    freeridge_status, (Ptr{Cvoid}, Int64, Ptr{Ptr{freeridge_accumulator}}), bytes, size, out)
freeridge_classifier_get_kernel(classifier, out) = ccall((:freeridge_classifier_get_kernel, library),
    freeridge_status, (Ptr{freeridge_classifier}, Ptr{Ptr{freeridge_kernel}}), classifier, out)
freeridge_classifier_get_loss(classifier, loss) = ccall((:freeridge_classifier_get_loss, library), freeridge_status,
    (Ptr{freeridge_classifier}, Ptr{freeridge_loss}), classifier, loss)
freeridge_classifier_has_intercept(classifier, on) = ccall((:freeridge_classifier_has_intercept, library),
    freeridge_status, (Ptr{freeridge_classifier}, Ptr{Int32}), classifier, on)
freeridge_classifier_get_control(classifier, tolerance, iterations) = ccall((:freeridge_classifier_get_control,
    library), freeridge_status, (Ptr{freeridge_classifier}, Ptr{Float64}, Ptr{Int64}), classifier, tolerance,
    iterations)
freeridge_classifier_get_weights(classifier, weights) = ccall((:freeridge_classifier_get_weights, library),
    freeridge_status, (Ptr{freeridge_classifier}, Ptr{Float64}), classifier, weights)
freeridge_classifier_get_dimensions(classifier, n, d) = ccall((:freeridge_classifier_get_dimensions, library),
    freeridge_status, (Ptr{freeridge_classifier}, Ptr{Int64}, Ptr{Int64}), classifier, n, d)
freeridge_classifier_get_lambda(classifier, lambda) = ccall((:freeridge_classifier_get_lambda, library),
    freeridge_status, (Ptr{freeridge_classifier}, Ptr{Float64}), classifier, lambda)
freeridge_classifier_save(classifier, path) = ccall((:freeridge_classifier_save, library), freeridge_status,
    (Ptr{freeridge_classifier}, Cstring), classifier, path)
freeridge_classifier_save_to_memory(classifier, size, bytes, length) = ccall((:freeridge_classifier_save_to_memory,
    library), freeridge_status, (Ptr{freeridge_classifier}, Int64, Ptr{Cvoid}, Ptr{Int64}), classifier, size, bytes,
    length)
freeridge_classifier_load(path, out) = ccall((:freeridge_classifier_load, library), freeridge_status, (Cstring,
    Ptr{Ptr{freeridge_classifier}}), path, out)
freeridge_classifier_load_from_memory(bytes, size, out) = ccall((:freeridge_classifier_load_from_memory, library),
    freeridge_status, (Ptr{Cvoid}, Int64, Ptr{Ptr{freeridge_classifier}}), bytes, size, out)
const freeridge_sparse_format = Int32
const FREERIDGE_CSR = freeridge_sparse_format(1)
const FREERIDGE_CSC = freeridge_sparse_format(2)
freeridge_set_sparse(model, format, n, d, start, index, value, layout, t, y, ldy) = ccall((:freeridge_set_sparse,
    library), freeridge_status, (Ptr{freeridge_model}, freeridge_sparse_format, Int64, Int64, Ptr{Int64}, Ptr{Int32},
    Ptr{Float64}, freeridge_layout, Int64, Ptr{Float64}, Int64), model, format, n, d, start, index, value, layout, t,
    y, ldy)
freeridge_set_sparse_view(model, format, n, d, start, index, value, layout, t, y, ldy) =
    ccall((:freeridge_set_sparse_view, library), freeridge_status, (Ptr{freeridge_model}, freeridge_sparse_format,
    Int64, Int64, Ptr{Int64}, Ptr{Int32}, Ptr{Float64}, freeridge_layout, Int64, Ptr{Float64}, Int64), model, format,
    n, d, start, index, value, layout, t, y, ldy)
freeridge_predict_sparse(model, format, m, start, index, value, layout, out, ldout) =
    ccall((:freeridge_predict_sparse, library), freeridge_status, (Ptr{freeridge_model}, freeridge_sparse_format,
    Int64, Ptr{Int64}, Ptr{Int32}, Ptr{Float64}, freeridge_layout, Ptr{Float64}, Int64), model, format, m, start,
    index, value, layout, out, ldout)
freeridge_accumulator_add_sparse(accumulator, format, n, start, index, value, layout, y, ldy, weights) =
    ccall((:freeridge_accumulator_add_sparse, library), freeridge_status, (Ptr{freeridge_accumulator},
    freeridge_sparse_format, Int64, Ptr{Int64}, Ptr{Int32}, Ptr{Float64}, freeridge_layout, Ptr{Float64}, Int64,
    Ptr{Float64}), accumulator, format, n, start, index, value, layout, y, ldy, weights)
freeridge_accumulator_loo_sparse(accumulator, format, n, start, index, value, layout, y, ldy, weights, count, lambdas,
    errors, ld) = ccall((:freeridge_accumulator_loo_sparse, library), freeridge_status, (Ptr{freeridge_accumulator},
    freeridge_sparse_format, Int64, Ptr{Int64}, Ptr{Int32}, Ptr{Float64}, freeridge_layout, Ptr{Float64}, Int64,
    Ptr{Float64}, Int64, Ptr{Float64}, Ptr{Float64}, Int64), accumulator, format, n, start, index, value, layout, y,
    ldy, weights, count, lambdas, errors, ld)
freeridge_kernel_linear_scale(kernel, d, scale, linear) = ccall((:freeridge_kernel_linear_scale, library),
    freeridge_status, (Ptr{freeridge_kernel}, Int64, Ptr{Float64}, Ptr{Int32}), kernel, d, scale, linear)
freeridge_eigenvalues(model, count, eigenvalues, vectors, ld) = ccall((:freeridge_eigenvalues, library),
    freeridge_status, (Ptr{freeridge_model}, Int64, Ptr{Float64}, Ptr{Float64}, Int64), model, count, eigenvalues,
    vectors, ld)
freeridge_condition_number(model, count, lambdas, condition, rank) = ccall((:freeridge_condition_number, library),
    freeridge_status, (Ptr{freeridge_model}, Int64, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}), model, count, lambdas,
    condition, rank)
freeridge_hat_matrix(model, lambda, hat, inverse, ld) = ccall((:freeridge_hat_matrix, library), freeridge_status,
    (Ptr{freeridge_model}, Float64, Ptr{Float64}, Ptr{Float64}, Int64), model, lambda, hat, inverse, ld)
const freeridge_step_rule = Int32
const FREERIDGE_LOSS_SQUARED = freeridge_loss(3)
const FREERIDGE_LOSS_ABSOLUTE = freeridge_loss(4)
const FREERIDGE_STEP_AUTO = freeridge_step_rule(0)
const FREERIDGE_STEP_CONSTANT = freeridge_step_rule(1)
const FREERIDGE_STEP_INVERSE = freeridge_step_rule(2)
const FREERIDGE_STEP_ROOT = freeridge_step_rule(3)
freeridge_loss_gradient(loss, layout, n, d, x, ldx, y, weights, lambda, count, w, b, objective, gradient,
    gradient_b) = ccall((:freeridge_loss_gradient, library), freeridge_status, (freeridge_loss, freeridge_layout, Int64,
    Int64, Ptr{Float64}, Int64, Ptr{Float64}, Ptr{Float64}, Float64, Int64, Ptr{Float64}, Ptr{Float64}, Ptr{Float64},
    Ptr{Float64}, Ptr{Float64}), loss, layout, n, d, x, ldx, y, weights, lambda, count, w, b, objective, gradient,
    gradient_b)
freeridge_expansion_gradient(loss, n, k, ldk, y, weights, lambda, c, b, objective, gradient, gradient_b) =
    ccall((:freeridge_expansion_gradient, library), freeridge_status, (freeridge_loss, Int64, Ptr{Float64}, Int64,
    Ptr{Float64}, Ptr{Float64}, Float64, Ptr{Float64}, Float64, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}), loss, n, k,
    ldk, y, weights, lambda, c, b, objective, gradient, gradient_b)
freeridge_gradient_descent(loss, layout, n, d, x, ldx, y, weights, intercept, lambda, start_w, start_b, done, rule,
    step, batch, seed, average, count, steps, callback, user, w, b, objective, step_used) =
    ccall((:freeridge_gradient_descent, library), freeridge_status, (freeridge_loss, freeridge_layout, Int64, Int64,
    Ptr{Float64}, Int64, Ptr{Float64}, Ptr{Float64}, Int32, Float64, Ptr{Float64}, Float64, Int64,
    freeridge_step_rule, Float64, Int64, Int64, Int32, Int64, Ptr{Int64}, freeridge_progress, Ptr{Cvoid},
    Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}), loss, layout, n, d, x, ldx, y, weights, intercept,
    lambda, start_w, start_b, done, rule, step, batch, seed, average, count, steps, callback, user, w, b, objective,
    step_used)
freeridge_early_stopping(layout, n, d, x, ldx, y, intercept, step, count, steps, w, b, df, lambda, ridge_w, ridge_b,
    ridge_df, step_used) = ccall((:freeridge_early_stopping, library), freeridge_status, (freeridge_layout, Int64,
    Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int32, Float64, Int64, Ptr{Int64}, Ptr{Float64}, Ptr{Float64},
    Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}), layout, n, d, x, ldx, y,
    intercept, step, count, steps, w, b, df, lambda, ridge_w, ridge_b, ridge_df, step_used)
freeridge_calibrate(n, decision, y, weights, slope, offset) = ccall((:freeridge_calibrate, library), freeridge_status,
    (Int64, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}), n, decision, y, weights, slope,
    offset)
const freeridge_intercept = Int32
const freeridge_support = Int32
const FREERIDGE_INTERCEPT_NONE = freeridge_intercept(0)
const FREERIDGE_INTERCEPT_FREE = freeridge_intercept(1)
const FREERIDGE_INTERCEPT_PENALISED = freeridge_intercept(2)
const FREERIDGE_CONVENTION_TIKHONOV_SQUARED = freeridge_convention(8)
const FREERIDGE_CONVENTION_TIKHONOV_HALF = freeridge_convention(9)
const FREERIDGE_CONVENTION_TIKHONOV_LOGISTIC = freeridge_convention(10)
const FREERIDGE_CONVENTION_TIKHONOV_HINGE = freeridge_convention(11)
const FREERIDGE_CONVENTION_COST = freeridge_convention(12)
const FREERIDGE_CONVENTION_COST_MEAN = freeridge_convention(13)
const FREERIDGE_CONVENTION_COST_MEAN_NORM = freeridge_convention(14)
const FREERIDGE_SUPPORT_NONE = freeridge_support(0)
const FREERIDGE_SUPPORT_FREE = freeridge_support(1)
const FREERIDGE_SUPPORT_BOUNDED = freeridge_support(2)
freeridge_classifier_distances(classifier, layout, m, x, ldx, distance) = ccall((:freeridge_classifier_distances,
    library), freeridge_status, (Ptr{freeridge_classifier}, freeridge_layout, Int64, Ptr{Float64}, Int64,
    Ptr{Float64}), classifier, layout, m, x, ldx, distance)
freeridge_classifier_get_margins(classifier, margin, slack) = ccall((:freeridge_classifier_get_margins, library),
    freeridge_status, (Ptr{freeridge_classifier}, Ptr{Float64}, Ptr{Float64}), classifier, margin, slack)
freeridge_classifier_get_alpha(classifier, alpha, support) = ccall((:freeridge_classifier_get_alpha, library),
    freeridge_status, (Ptr{freeridge_classifier}, Ptr{Float64}, Ptr{freeridge_support}), classifier, alpha, support)
freeridge_classifier_get_duality(classifier, primal, dual, gap) = ccall((:freeridge_classifier_get_duality, library),
    freeridge_status, (Ptr{freeridge_classifier}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}), classifier, primal, dual,
    gap)
freeridge_accumulator_squared_errors(accumulator, layout, n, x, ldx, y, ldy, weights, count, lambdas, sum_w, squares,
    ld) = ccall((:freeridge_accumulator_squared_errors, library), freeridge_status, (Ptr{freeridge_accumulator},
    freeridge_layout, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64},
    Ptr{Float64}, Ptr{Float64}, Int64), accumulator, layout, n, x, ldx, y, ldy, weights, count, lambdas, sum_w,
    squares, ld)
freeridge_accumulator_squared_errors_sparse(accumulator, format, n, start, index, value, layout, y, ldy, weights,
    count, lambdas, sum_w, squares, ld) = ccall((:freeridge_accumulator_squared_errors_sparse, library),
    freeridge_status, (Ptr{freeridge_accumulator}, freeridge_sparse_format, Int64, Ptr{Int64}, Ptr{Int32},
    Ptr{Float64}, freeridge_layout, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Ptr{Float64},
    Ptr{Float64}, Int64), accumulator, format, n, start, index, value, layout, y, ldy, weights, count, lambdas, sum_w,
    squares, ld)
const freeridge_covariance_type = Int32
const FREERIDGE_COVARIANCE_BAYESIAN = freeridge_covariance_type(1)
const FREERIDGE_COVARIANCE_FREQUENTIST = freeridge_covariance_type(2)
freeridge_coefficient_covariance(model, kind, covariance, ld) = ccall((:freeridge_coefficient_covariance, library),
    freeridge_status, (Ptr{freeridge_model}, freeridge_covariance_type, Ptr{Float64}, Int64), model, kind, covariance,
    ld)
freeridge_coefficient_errors(model, kind, w, ld, b) = ccall((:freeridge_coefficient_errors, library),
    freeridge_status, (Ptr{freeridge_model}, freeridge_covariance_type, Ptr{Float64}, Int64, Ptr{Float64}), model,
    kind, w, ld, b)
freeridge_predict_gradient(model, layout, m, x, ldx, gradient, ldout) = ccall((:freeridge_predict_gradient, library),
    freeridge_status, (Ptr{freeridge_model}, freeridge_layout, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int64),
    model, layout, m, x, ldx, gradient, ldout)
freeridge_average_gradient(model, layout, m, x, ldx, weights, kind, average, errors, ld) =
    ccall((:freeridge_average_gradient, library), freeridge_status, (Ptr{freeridge_model}, freeridge_layout, Int64,
    Ptr{Float64}, Int64, Ptr{Float64}, freeridge_covariance_type, Ptr{Float64}, Ptr{Float64}, Int64), model, layout,
    m, x, ldx, weights, kind, average, errors, ld)
freeridge_average_difference(model, layout, m, x, ldx, z, ldz, weights, kind, average, errors) =
    ccall((:freeridge_average_difference, library), freeridge_status, (Ptr{freeridge_model}, freeridge_layout, Int64,
    Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64}, freeridge_covariance_type, Ptr{Float64}, Ptr{Float64}),
    model, layout, m, x, ldx, z, ldz, weights, kind, average, errors)
freeridge_kernel_hyperparameter_count(kernel, count) = ccall((:freeridge_kernel_hyperparameter_count, library),
    freeridge_status, (Ptr{freeridge_kernel}, Ptr{Int64}), kernel, count)
freeridge_kernel_hyperparameter_name(kernel, index, size, text, length) =
    ccall((:freeridge_kernel_hyperparameter_name, library), freeridge_status, (Ptr{freeridge_kernel}, Int64, Int64,
    Ptr{UInt8}, Ptr{Int64}), kernel, index, size, text, length)
freeridge_kernel_get_hyperparameters(kernel, values) = ccall((:freeridge_kernel_get_hyperparameters, library),
    freeridge_status, (Ptr{freeridge_kernel}, Ptr{Float64}), kernel, values)
freeridge_kernel_with_hyperparameters(kernel, values, out) = ccall((:freeridge_kernel_with_hyperparameters, library),
    freeridge_status, (Ptr{freeridge_kernel}, Ptr{Float64}, Ptr{Ptr{freeridge_kernel}}), kernel, values, out)
freeridge_score_gradient(model, criterion, lambda, score, by_log_lambda, by_log_hyperparameters) =
    ccall((:freeridge_score_gradient, library), freeridge_status, (Ptr{freeridge_model}, freeridge_criterion, Float64,
    Ptr{Float64}, Ptr{Float64}, Ptr{Float64}), model, criterion, lambda, score, by_log_lambda, by_log_hyperparameters)
const freeridge_search_end = Int32
const FREERIDGE_SEARCH_NONE = freeridge_search_end(0)
const FREERIDGE_SEARCH_GRADIENT = freeridge_search_end(1)
const FREERIDGE_SEARCH_CHANGE = freeridge_search_end(2)
const FREERIDGE_SEARCH_BUDGET = freeridge_search_end(3)
const FREERIDGE_SEARCH_NO_LOWER = freeridge_search_end(4)
freeridge_select_kernel(model, criterion, label, shrinkage, rows, seed, evaluations, score) =
    ccall((:freeridge_select_kernel, library), freeridge_status, (Ptr{freeridge_model}, freeridge_criterion,
    Ptr{Int32}, Float64, Int64, Int64, Int64, Ptr{Float64}), model, criterion, label, shrinkage, rows, seed,
    evaluations, score)
freeridge_get_kernel_search(model, evaluations, hyperparameters, learnt, rows, sample, kept, ended) =
    ccall((:freeridge_get_kernel_search, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Int64}, Ptr{Int64},
    Ptr{Int64}, Ptr{Int64}, Ptr{Int64}, Ptr{Int32}, Ptr{freeridge_search_end}), model, evaluations, hyperparameters,
    learnt, rows, sample, kept, ended)
freeridge_get_kernel_search_history(model, stage, score, lambda, gradient) =
    ccall((:freeridge_get_kernel_search_history, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Int32},
    Ptr{Float64}, Ptr{Float64}, Ptr{Float64}), model, stage, score, lambda, gradient)
freeridge_get_kernel_search_bounds(model, variable, low, high, at, lambda_at) =
    ccall((:freeridge_get_kernel_search_bounds, library), freeridge_status, (Ptr{freeridge_model}, Ptr{Int64},
    Ptr{Float64}, Ptr{Float64}, Ptr{Int32}, Ptr{Int32}), model, variable, low, high, at, lambda_at)
freeridge_set_fixed_effects(model, layout, q, f, ldf) = ccall((:freeridge_set_fixed_effects, library),
    freeridge_status, (Ptr{freeridge_model}, freeridge_layout, Int64, Ptr{Float64}, Int64), model, layout, q, f, ldf)
freeridge_get_fixed_count(model, q) = ccall((:freeridge_get_fixed_count, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{Int64}), model, q)
freeridge_predict_fixed(model, layout, m, x, ldx, fixed, ldfixed, out, ldout) = ccall((:freeridge_predict_fixed,
    library), freeridge_status, (Ptr{freeridge_model}, freeridge_layout, Int64, Ptr{Float64}, Int64, Ptr{Float64},
    Int64, Ptr{Float64}, Int64), model, layout, m, x, ldx, fixed, ldfixed, out, ldout)
freeridge_get_fixed_effects(model, kept, effects, errors, ld) = ccall((:freeridge_get_fixed_effects, library),
    freeridge_status, (Ptr{freeridge_model}, Ptr{Int32}, Ptr{Float64}, Ptr{Float64}, Int64), model, kept, effects,
    errors, ld)
freeridge_variance_components(model, residual, random, share, error) = ccall((:freeridge_variance_components,
    library), freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}), model,
    residual, random, share, error)
freeridge_predict_path_fixed(model, layout, m, x, ldx, fixed, ldfixed, count, lambdas, out, ldout) =
    ccall((:freeridge_predict_path_fixed, library), freeridge_status, (Ptr{freeridge_model}, freeridge_layout, Int64,
    Ptr{Float64}, Int64, Ptr{Float64}, Int64, Int64, Ptr{Float64}, Ptr{Float64}, Int64), model, layout, m, x, ldx,
    fixed, ldfixed, count, lambdas, out, ldout)
freeridge_predict_jackknife_fixed(model, layout, m, x, ldx, fixed, ldfixed, level, lower, upper, ldout) =
    ccall((:freeridge_predict_jackknife_fixed, library), freeridge_status, (Ptr{freeridge_model}, freeridge_layout,
    Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Float64, Ptr{Float64}, Ptr{Float64}, Int64), model, layout, m, x,
    ldx, fixed, ldfixed, level, lower, upper, ldout)
freeridge_predict_variance_fixed(model, layout, m, x, ldx, fixed, ldfixed, variance, ldout, noise) =
    ccall((:freeridge_predict_variance_fixed, library), freeridge_status, (Ptr{freeridge_model}, freeridge_layout,
    Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64}), model, layout, m, x, ldx,
    fixed, ldfixed, variance, ldout, noise)
freeridge_set_gaps(model, layers, gap) = ccall((:freeridge_set_gaps, library), freeridge_status,
    (Ptr{freeridge_model}, Int64, Ptr{Int32}), model, layers, gap)
freeridge_get_gaps(model, layers, gap) = ccall((:freeridge_get_gaps, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{Int64}, Ptr{Int32}), model, layers, gap)
freeridge_group_errors_with_gaps(model, group, layers, gap, errors, ld) = ccall((:freeridge_group_errors_with_gaps,
    library), freeridge_status, (Ptr{freeridge_model}, Ptr{Int32}, Int64, Ptr{Int32}, Ptr{Float64}, Int64), model,
    group, layers, gap, errors, ld)
freeridge_make_blocks(n, folds, before, after, layers, group, gap) = ccall((:freeridge_make_blocks, library),
    freeridge_status, (Int64, Int32, Int64, Int64, Ptr{Int64}, Ptr{Int32}, Ptr{Int32}), n, folds, before, after,
    layers, group, gap)
freeridge_accumulator_compact(accumulator) = ccall((:freeridge_accumulator_compact, library), freeridge_status,
    (Ptr{freeridge_accumulator},), accumulator)
freeridge_accumulator_prepare(accumulator) = ccall((:freeridge_accumulator_prepare, library), freeridge_status,
    (Ptr{freeridge_accumulator},), accumulator)
freeridge_accumulator_loo_moments(accumulator, layout, n, x, ldx, y, ldy, weights, count, lambdas, moments) =
    ccall((:freeridge_accumulator_loo_moments, library), freeridge_status, (Ptr{freeridge_accumulator},
    freeridge_layout, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64},
    Ptr{Float64}), accumulator, layout, n, x, ldx, y, ldy, weights, count, lambdas, moments)
freeridge_accumulator_loo_moments_sparse(accumulator, format, n, start, index, value, layout, y, ldy, weights, count,
    lambdas, moments) = ccall((:freeridge_accumulator_loo_moments_sparse, library), freeridge_status,
    (Ptr{freeridge_accumulator}, freeridge_sparse_format, Int64, Ptr{Int64}, Ptr{Int32}, Ptr{Float64},
    freeridge_layout, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Ptr{Float64}), accumulator, format, n,
    start, index, value, layout, y, ldy, weights, count, lambdas, moments)
freeridge_accumulator_predictor(accumulator, lambda, out) = ccall((:freeridge_accumulator_predictor, library),
    freeridge_status, (Ptr{freeridge_accumulator}, Ptr{Float64}, Ptr{Ptr{freeridge_model}}), accumulator, lambda, out)
freeridge_moments_score(count, lambdas, t, moments, scores, errors, ld) = ccall((:freeridge_moments_score, library),
    freeridge_status, (Int64, Ptr{Float64}, Int64, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Int64), count, lambdas,
    t, moments, scores, errors, ld)
freeridge_moments_select_lambda(count, lambdas, t, moments, lambda, score, standard_error, edge, decades, dips,
    next) = ccall((:freeridge_moments_select_lambda, library), freeridge_status, (Int64, Ptr{Float64}, Int64,
    Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Ptr{Int32}, Ptr{Float64}, Ptr{Int32}, Ptr{Float64}), count,
    lambdas, t, moments, lambda, score, standard_error, edge, decades, dips, next)
freeridge_accumulator_create_landmarks(kernel, layout, r, d, z, ldz, t, intercept, reduction, out) =
    ccall((:freeridge_accumulator_create_landmarks, library), freeridge_status, (Ptr{freeridge_kernel},
    freeridge_layout, Int64, Int64, Ptr{Float64}, Int64, Int64, Int32, freeridge_reduction,
    Ptr{Ptr{freeridge_accumulator}}), kernel, layout, r, d, z, ldz, t, intercept, reduction, out)
freeridge_accumulator_merge_bytes(other, size, inout) = ccall((:freeridge_accumulator_merge_bytes, library),
    freeridge_status, (Ptr{Cvoid}, Int64, Ptr{Cvoid}), other, size, inout)
freeridge_moments_join(count, other, inout) = ccall((:freeridge_moments_join, library), freeridge_status, (Int64,
    Ptr{Float64}, Ptr{Float64}), count, other, inout)
const freeridge_reader = Ptr{Cvoid}
freeridge_set_reader(model, layout, n, d, t, callback, user) = ccall((:freeridge_set_reader, library),
    freeridge_status, (Ptr{freeridge_model}, freeridge_layout, Int64, Int64, Int64, freeridge_reader, Ptr{Cvoid}),
    model, layout, n, d, t, callback, user)
const FREERIDGE_ROUTE_ITERATIVE = freeridge_route(6)
freeridge_set_accuracy(model, accuracy) = ccall((:freeridge_set_accuracy, library), freeridge_status,
    (Ptr{freeridge_model}, Float64), model, accuracy)
freeridge_get_requested_accuracy(model, accuracy) = ccall((:freeridge_get_requested_accuracy, library),
    freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}), model, accuracy)
freeridge_get_accuracy(model, accuracy) = ccall((:freeridge_get_accuracy, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{Float64}), model, accuracy)
freeridge_estimate_score(model, criterion, probes, count, lambdas, scores, errors, ld) =
    ccall((:freeridge_estimate_score, library), freeridge_status, (Ptr{freeridge_model}, freeridge_criterion, Int64,
    Int64, Ptr{Float64}, Ptr{Float64}, Ptr{Float64}, Int64), model, criterion, probes, count, lambdas, scores, errors,
    ld)
freeridge_get_kernel_search_rows(model, row) = ccall((:freeridge_get_kernel_search_rows, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{Int64}), model, row)
freeridge_set_missing(model, on) = ccall((:freeridge_set_missing, library), freeridge_status, (Ptr{freeridge_model},
    Int32), model, on)
freeridge_accumulator_set_unpenalised(accumulator, count) = ccall((:freeridge_accumulator_set_unpenalised, library),
    freeridge_status, (Ptr{freeridge_accumulator}, Int64), accumulator, count)
freeridge_set_unpenalised(model, count) = ccall((:freeridge_set_unpenalised, library), freeridge_status,
    (Ptr{freeridge_model}, Int64), model, count)
freeridge_get_unpenalised(model, count, kept) = ccall((:freeridge_get_unpenalised, library), freeridge_status,
    (Ptr{freeridge_model}, Ptr{Int64}, Ptr{Int32}), model, count, kept)
freeridge_accumulator_get_unpenalised(accumulator, count, kept) = ccall((:freeridge_accumulator_get_unpenalised,
    library), freeridge_status, (Ptr{freeridge_accumulator}, Ptr{Int64}, Ptr{Int32}), accumulator, count, kept)
freeridge_accumulator_group_moments(accumulator, layout, n, x, ldx, y, ldy, weights, group, count, lambdas, moments) =
    ccall((:freeridge_accumulator_group_moments, library), freeridge_status, (Ptr{freeridge_accumulator},
    freeridge_layout, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Ptr{Int32}, Int64, Ptr{Float64},
    Ptr{Float64}), accumulator, layout, n, x, ldx, y, ldy, weights, group, count, lambdas, moments)
freeridge_accumulator_group_errors(accumulator, layout, n, x, ldx, y, ldy, weights, group, count, lambdas, errors,
    ld) = ccall((:freeridge_accumulator_group_errors, library), freeridge_status, (Ptr{freeridge_accumulator},
    freeridge_layout, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Int64, Ptr{Float64}, Ptr{Int32}, Int64, Ptr{Float64},
    Ptr{Float64}, Int64), accumulator, layout, n, x, ldx, y, ldy, weights, group, count, lambdas, errors, ld)
freeridge_get_fixed_covariance(model, covariance, ld) = ccall((:freeridge_get_fixed_covariance, library),
    freeridge_status, (Ptr{freeridge_model}, Ptr{Float64}, Int64), model, covariance, ld)
