//! `freeridge.h` as Rust: every type, constant and call, with the names of C. The header is the manual.
//!
//! A test of the project compares this file with the header (`tests/ffi/declarations_test.py`), and
//! `tests/ffi/declarations.py --add` adds what is missing.
#![allow(non_camel_case_types)]

use std::os::raw::{c_char, c_void};

#[repr(C)]
pub struct freeridge_model {
    _private: [u8; 0],
}
#[repr(C)]
pub struct freeridge_kernel {
    _private: [u8; 0],
}
#[repr(C)]
pub struct freeridge_accumulator {
    _private: [u8; 0],
}
#[repr(C)]
pub struct freeridge_classifier {
    _private: [u8; 0],
}
pub type freeridge_status = i32;
pub type freeridge_layout = i32;
pub type freeridge_route = i32;
pub type freeridge_criterion = i32;
pub type freeridge_landmark_method = i32;
pub type freeridge_reduction = i32;
pub type freeridge_convention = i32;
pub type freeridge_loss = i32;
pub type freeridge_progress = Option<unsafe extern "C" fn(fraction: f64, user: *mut c_void) -> i32>;

pub const FREERIDGE_VERSION_MAJOR: i32 = 0;
pub const FREERIDGE_VERSION_MINOR: i32 = 1;
pub const FREERIDGE_VERSION_PATCH: i32 = 0;
pub const FREERIDGE_OK: freeridge_status = 0;
pub const FREERIDGE_INVALID_ARGUMENT: freeridge_status = 1;
pub const FREERIDGE_INVALID_STATE: freeridge_status = 2;
pub const FREERIDGE_NOT_FINITE: freeridge_status = 3;
pub const FREERIDGE_DIMENSION_MISMATCH: freeridge_status = 4;
pub const FREERIDGE_OUT_OF_MEMORY: freeridge_status = 10;
pub const FREERIDGE_NOT_POSITIVE_DEFINITE: freeridge_status = 20;
pub const FREERIDGE_NOT_CONVERGED: freeridge_status = 21;
pub const FREERIDGE_UNDEFINED: freeridge_status = 22;
pub const FREERIDGE_CANCELLED: freeridge_status = 30;
pub const FREERIDGE_IO: freeridge_status = 40;
pub const FREERIDGE_CORRUPT: freeridge_status = 41;
pub const FREERIDGE_NEWER_FORMAT: freeridge_status = 42;
pub const FREERIDGE_INTERNAL: freeridge_status = 90;
pub const FREERIDGE_COL_MAJOR: freeridge_layout = 1;
pub const FREERIDGE_ROW_MAJOR: freeridge_layout = 2;
pub const FREERIDGE_ROUTE_AUTO: freeridge_route = 0;
pub const FREERIDGE_ROUTE_CHOLESKY: freeridge_route = 1;
pub const FREERIDGE_ROUTE_SPECTRAL: freeridge_route = 2;
pub const FREERIDGE_ROUTE_BAND: freeridge_route = 3;
pub const FREERIDGE_ROUTE_PRIMAL: freeridge_route = 4;
pub const FREERIDGE_ROUTE_LANDMARK: freeridge_route = 5;
pub const FREERIDGE_LOO: freeridge_criterion = 1;
pub const FREERIDGE_GCV: freeridge_criterion = 2;
pub const FREERIDGE_REML: freeridge_criterion = 3;
pub const FREERIDGE_GROUPS: freeridge_criterion = 4;
pub const FREERIDGE_ERROR_RATE: freeridge_criterion = 5;
pub const FREERIDGE_LANDMARKS_AUTO: freeridge_landmark_method = 0;
pub const FREERIDGE_LANDMARKS_RANDOM: freeridge_landmark_method = 1;
pub const FREERIDGE_LANDMARKS_KMEANS: freeridge_landmark_method = 2;
pub const FREERIDGE_LANDMARKS_PIVOTED: freeridge_landmark_method = 3;
pub const FREERIDGE_REDUCTION_AUTO: freeridge_reduction = 0;
pub const FREERIDGE_REDUCTION_QR: freeridge_reduction = 1;
pub const FREERIDGE_REDUCTION_GRAM: freeridge_reduction = 2;
pub const FREERIDGE_CONVENTION_TOTAL: freeridge_convention = 1;
pub const FREERIDGE_CONVENTION_MEAN: freeridge_convention = 2;
pub const FREERIDGE_CONVENTION_GLMNET: freeridge_convention = 3;
pub const FREERIDGE_CONVENTION_SKLEARN: freeridge_convention = 4;
pub const FREERIDGE_CONVENTION_LM_RIDGE: freeridge_convention = 5;
pub const FREERIDGE_CONVENTION_KRLS: freeridge_convention = 6;
pub const FREERIDGE_CONVENTION_GURLS: freeridge_convention = 7;
pub const FREERIDGE_LOSS_LOGISTIC: freeridge_loss = 1;
pub const FREERIDGE_LOSS_HINGE: freeridge_loss = 2;
pub type freeridge_sparse_format = i32;
pub const FREERIDGE_CSR: freeridge_sparse_format = 1;
pub const FREERIDGE_CSC: freeridge_sparse_format = 2;
pub type freeridge_step_rule = i32;
pub const FREERIDGE_LOSS_SQUARED: freeridge_loss = 3;
pub const FREERIDGE_LOSS_ABSOLUTE: freeridge_loss = 4;
pub const FREERIDGE_STEP_AUTO: freeridge_step_rule = 0;
pub const FREERIDGE_STEP_CONSTANT: freeridge_step_rule = 1;
pub const FREERIDGE_STEP_INVERSE: freeridge_step_rule = 2;
pub const FREERIDGE_STEP_ROOT: freeridge_step_rule = 3;
pub type freeridge_intercept = i32;
pub type freeridge_support = i32;
pub const FREERIDGE_INTERCEPT_NONE: freeridge_intercept = 0;
pub const FREERIDGE_INTERCEPT_FREE: freeridge_intercept = 1;
pub const FREERIDGE_INTERCEPT_PENALISED: freeridge_intercept = 2;
pub const FREERIDGE_CONVENTION_TIKHONOV_SQUARED: freeridge_convention = 8;
pub const FREERIDGE_CONVENTION_TIKHONOV_HALF: freeridge_convention = 9;
pub const FREERIDGE_CONVENTION_TIKHONOV_LOGISTIC: freeridge_convention = 10;
pub const FREERIDGE_CONVENTION_TIKHONOV_HINGE: freeridge_convention = 11;
pub const FREERIDGE_CONVENTION_COST: freeridge_convention = 12;
pub const FREERIDGE_CONVENTION_COST_MEAN: freeridge_convention = 13;
pub const FREERIDGE_CONVENTION_COST_MEAN_NORM: freeridge_convention = 14;
pub const FREERIDGE_SUPPORT_NONE: freeridge_support = 0;
pub const FREERIDGE_SUPPORT_FREE: freeridge_support = 1;
pub const FREERIDGE_SUPPORT_BOUNDED: freeridge_support = 2;
pub type freeridge_covariance_type = i32;
pub const FREERIDGE_COVARIANCE_BAYESIAN: freeridge_covariance_type = 1;
pub const FREERIDGE_COVARIANCE_FREQUENTIST: freeridge_covariance_type = 2;
pub type freeridge_search_end = i32;
pub const FREERIDGE_SEARCH_NONE: freeridge_search_end = 0;
pub const FREERIDGE_SEARCH_GRADIENT: freeridge_search_end = 1;
pub const FREERIDGE_SEARCH_CHANGE: freeridge_search_end = 2;
pub const FREERIDGE_SEARCH_BUDGET: freeridge_search_end = 3;
pub const FREERIDGE_SEARCH_NO_LOWER: freeridge_search_end = 4;
pub type freeridge_reader = Option<unsafe extern "C" fn(first: i64, count: i64, x: *mut f64, y: *mut f64, weights:
    *mut f64, user: *mut c_void) -> i64>;
pub const FREERIDGE_ROUTE_ITERATIVE: freeridge_route = 6;

extern "C" {
    pub fn freeridge_kernel_linear(out: *mut *mut freeridge_kernel) -> freeridge_status;
    pub fn freeridge_kernel_polynomial(
        degree: i32, scale: f64, offset: f64, out: *mut *mut freeridge_kernel,
    ) -> freeridge_status;
    pub fn freeridge_kernel_gaussian(sigma: f64, out: *mut *mut freeridge_kernel) -> freeridge_status;
    pub fn freeridge_kernel_laplacian(sigma: f64, out: *mut *mut freeridge_kernel) -> freeridge_status;
    pub fn freeridge_kernel_matern(nu: f64, length: f64, out: *mut *mut freeridge_kernel) -> freeridge_status;
    pub fn freeridge_kernel_sum(
        terms: *const *const freeridge_kernel, weights: *const f64, count: i32, out: *mut *mut freeridge_kernel,
    ) -> freeridge_status;
    pub fn freeridge_kernel_product(
        factors: *const *const freeridge_kernel, count: i32, out: *mut *mut freeridge_kernel,
    ) -> freeridge_status;
    pub fn freeridge_kernel_scaled(
        inner: *const freeridge_kernel, d: i64, scale: *const f64, out: *mut *mut freeridge_kernel,
    ) -> freeridge_status;
    pub fn freeridge_kernel_additive(
        inner: *const freeridge_kernel, d: i64, label: *const i32, out: *mut *mut freeridge_kernel,
    ) -> freeridge_status;
    pub fn freeridge_kernel_precomputed(out: *mut *mut freeridge_kernel) -> freeridge_status;
    pub fn freeridge_kernel_describe(
        kernel: *const freeridge_kernel, size: i64, text: *mut c_char, length: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_kernel_parse(text: *const c_char, out: *mut *mut freeridge_kernel) -> freeridge_status;
    pub fn freeridge_kernel_equal(
        a: *const freeridge_kernel, b: *const freeridge_kernel, equal: *mut i32,
    ) -> freeridge_status;
    pub fn freeridge_kernel_name(kernel: *const freeridge_kernel) -> *const c_char;
    pub fn freeridge_kernel_get_counts(
        kernel: *const freeridge_kernel, parameters: *mut i32, parts: *mut i32,
    ) -> freeridge_status;
    pub fn freeridge_kernel_parameter_name(kernel: *const freeridge_kernel, index: i32) -> *const c_char;
    pub fn freeridge_kernel_get_parameter(
        kernel: *const freeridge_kernel, index: i32, size: i64, values: *mut f64, length: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_kernel_get_part(
        kernel: *const freeridge_kernel, index: i32, out: *mut *mut freeridge_kernel,
    ) -> freeridge_status;
    pub fn freeridge_kernel_destroy(kernel: *mut freeridge_kernel);
    pub fn freeridge_create(kernel: *const freeridge_kernel, out: *mut *mut freeridge_model) -> freeridge_status;
    pub fn freeridge_destroy(model: *mut freeridge_model);
    pub fn freeridge_set_kernel(model: *mut freeridge_model, kernel: *const freeridge_kernel) -> freeridge_status;
    pub fn freeridge_set_data(
        model: *mut freeridge_model, layout: freeridge_layout, n: i64, d: i64, x: *const f64, ldx: i64, t: i64,
        y: *const f64, ldy: i64,
    ) -> freeridge_status;
    pub fn freeridge_set_data_view(
        model: *mut freeridge_model, layout: freeridge_layout, n: i64, d: i64, x: *const f64, ldx: i64, t: i64,
        y: *const f64, ldy: i64,
    ) -> freeridge_status;
    pub fn freeridge_set_weights(model: *mut freeridge_model, weights: *const f64) -> freeridge_status;
    pub fn freeridge_set_intercept(model: *mut freeridge_model, on: i32) -> freeridge_status;
    pub fn freeridge_set_groups(model: *mut freeridge_model, divisions: i64, group: *const i32) -> freeridge_status;
    pub fn freeridge_set_route(model: *mut freeridge_model, route: freeridge_route) -> freeridge_status;
    pub fn freeridge_set_expected_lambdas(model: *mut freeridge_model, count: i64) -> freeridge_status;
    pub fn freeridge_set_expected_criterion(
        model: *mut freeridge_model, criterion: freeridge_criterion,
    ) -> freeridge_status;
    pub fn freeridge_set_progress(
        model: *mut freeridge_model, callback: freeridge_progress, user: *mut c_void,
    ) -> freeridge_status;
    pub fn freeridge_set_landmarks(model: *mut freeridge_model, count: i64, rows: *const i64) -> freeridge_status;
    pub fn freeridge_set_landmark_method(
        model: *mut freeridge_model, method: freeridge_landmark_method, seed: i64,
    ) -> freeridge_status;
    pub fn freeridge_set_reduction(model: *mut freeridge_model, reduction: freeridge_reduction) -> freeridge_status;
    pub fn freeridge_get_landmarks(model: *const freeridge_model, count: *mut i64, rows: *mut i64) -> freeridge_status;
    pub fn freeridge_landmark_curve(
        model: *const freeridge_model, criterion: freeridge_criterion, count: i64, sizes: *const i64,
        lambdas: *mut f64, scores: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_get_rank(model: *const freeridge_model, rank: *mut i64) -> freeridge_status;
    pub fn freeridge_get_tolerance(model: *const freeridge_model, tolerance: *mut f64) -> freeridge_status;
    pub fn freeridge_set_refinement(model: *mut freeridge_model, steps: i32) -> freeridge_status;
    pub fn freeridge_memory_required(model: *const freeridge_model, bytes: *mut i64) -> freeridge_status;
    pub fn freeridge_explain(
        model: *const freeridge_model, size: i64, text: *mut c_char, length: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_factorize(model: *mut freeridge_model) -> freeridge_status;
    pub fn freeridge_set_lambda(model: *mut freeridge_model, lambda: f64) -> freeridge_status;
    pub fn freeridge_set_lambdas(model: *mut freeridge_model, lambda: *const f64) -> freeridge_status;
    pub fn freeridge_loo(model: *const freeridge_model, errors: *mut f64, ld: i64) -> freeridge_status;
    pub fn freeridge_group_errors(
        model: *const freeridge_model, group: *const i32, errors: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_predict(
        model: *const freeridge_model, layout: freeridge_layout, m: i64, x: *const f64, ldx: i64, out: *mut f64,
        ldout: i64,
    ) -> freeridge_status;
    pub fn freeridge_coefficients(model: *const freeridge_model, c: *mut f64, ld: i64) -> freeridge_status;
    pub fn freeridge_get_hyperplane(model: *const freeridge_model, w: *mut f64, ld: i64) -> freeridge_status;
    pub fn freeridge_get_intercept(model: *const freeridge_model, b: *mut f64) -> freeridge_status;
    pub fn freeridge_get_fitted(model: *const freeridge_model, fitted: *mut f64, ld: i64) -> freeridge_status;
    pub fn freeridge_get_leverage(model: *const freeridge_model, leverage: *mut f64, ld: i64) -> freeridge_status;
    pub fn freeridge_get_lambda(model: *const freeridge_model, lambda: *mut f64) -> freeridge_status;
    pub fn freeridge_get_route(model: *const freeridge_model, route: *mut freeridge_route) -> freeridge_status;
    pub fn freeridge_get_dimensions(
        model: *const freeridge_model, n: *mut i64, d: *mut i64, t: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_get_bandwidth(
        model: *const freeridge_model, sigma: *mut f64, count: *mut i64, sigmas: *mut f64, scores: *mut f64,
        edge: *mut i32, decades: *mut f64, dips: *mut i32,
    ) -> freeridge_status;
    pub fn freeridge_degrees_of_freedom(
        model: *const freeridge_model, df: *mut f64, sigma2: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_cooks_distance(model: *const freeridge_model, distance: *mut f64, ld: i64) -> freeridge_status;
    pub fn freeridge_predict_jackknife(
        model: *const freeridge_model, layout: freeridge_layout, m: i64, x: *const f64, ldx: i64, level: f64,
        lower: *mut f64, upper: *mut f64, ldout: i64,
    ) -> freeridge_status;
    pub fn freeridge_predict_variance(
        model: *const freeridge_model, layout: freeridge_layout, m: i64, x: *const f64, ldx: i64, variance: *mut f64,
        ldout: i64, noise: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_lambda_grid(model: *const freeridge_model, count: i64, lambdas: *mut f64) -> freeridge_status;
    pub fn freeridge_score(
        model: *const freeridge_model, criterion: freeridge_criterion, count: i64, lambdas: *const f64,
        scores: *mut f64, errors: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_select_lambda(
        model: *mut freeridge_model, criterion: freeridge_criterion, low: f64, high: f64, lambda: *mut f64,
        score: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_get_search(
        model: *const freeridge_model, count: *mut i64, lambdas: *mut f64, scores: *mut f64, ld: i64, edge: *mut i32,
        decades: *mut f64, dips: *mut i32,
    ) -> freeridge_status;
    pub fn freeridge_select_bandwidth(
        model: *mut freeridge_model, criterion: freeridge_criterion, low: f64, high: f64, budget: i64, sigma: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_get_one_standard_error(
        model: *const freeridge_model, lambda: *mut f64, score: *mut f64, standard_error: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_make_folds(n: i64, folds: i32, seed: i64, group: *mut i32) -> freeridge_status;
    pub fn freeridge_make_holdout(n: i64, fraction: f64, seed: i64, group: *mut i32) -> freeridge_status;
    pub fn freeridge_convert_lambda(
        from: freeridge_convention, to: freeridge_convention, n: i64, sd_y: f64, lambda: f64, out: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_create(
        d: i64, t: i64, intercept: i32, out: *mut *mut freeridge_accumulator,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_destroy(accumulator: *mut freeridge_accumulator);
    pub fn freeridge_accumulator_add(
        accumulator: *mut freeridge_accumulator, layout: freeridge_layout, n: i64, x: *const f64, ldx: i64,
        y: *const f64, ldy: i64, weights: *const f64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_merge(
        accumulator: *mut freeridge_accumulator, other: *const freeridge_accumulator,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_get_dimensions(
        accumulator: *const freeridge_accumulator, n: *mut i64, d: *mut i64, t: *mut i64, sum_w: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_solve(
        accumulator: *const freeridge_accumulator, count: i64, lambdas: *const f64, w: *mut f64, ld: i64, b: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_score(
        accumulator: *const freeridge_accumulator, criterion: freeridge_criterion, count: i64, lambdas: *const f64,
        scores: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_objective(
        accumulator: *const freeridge_accumulator, count: i64, lambdas: *const f64, training: *mut f64,
        norm2: *mut f64, objective: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_lambda_grid(
        accumulator: *const freeridge_accumulator, count: i64, lambdas: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_loo(
        accumulator: *const freeridge_accumulator, layout: freeridge_layout, n: i64, x: *const f64, ldx: i64,
        y: *const f64, ldy: i64, weights: *const f64, count: i64, lambdas: *const f64, errors: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_save(
        accumulator: *const freeridge_accumulator, path: *const c_char,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_load(path: *const c_char, out: *mut *mut freeridge_accumulator) -> freeridge_status;
    pub fn freeridge_pinv(
        layout: freeridge_layout, m: i64, n: i64, a: *const f64, lda: i64, rcond: f64, out: *mut f64, ldout: i64,
        rank: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_ols(
        layout: freeridge_layout, n: i64, d: i64, x: *const f64, ldx: i64, t: i64, y: *const f64, ldy: i64,
        intercept: i32, w: *mut f64, b: *mut f64, rank: *mut i64, w_error: *mut f64, b_error: *mut f64,
        sigma: *mut f64, r_squared: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_ridge(
        layout: freeridge_layout, n: i64, d: i64, x: *const f64, ldx: i64, t: i64, y: *const f64, ldy: i64,
        intercept: i32, lambda: f64, penalty: *const f64, w: *mut f64, b: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_tls(
        layout: freeridge_layout, n: i64, d: i64, x: *const f64, ldx: i64, t: i64, y: *const f64, ldy: i64,
        intercept: i32, exact: *const i32, w: *mut f64, b: *mut f64, singular_values: *mut f64, distances: *mut f64,
        x_correction: *mut f64, y_correction: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_polynomial_feature_count(d: i64, degree: i32, bias: i32, count: *mut i64) -> freeridge_status;
    pub fn freeridge_polynomial_exponents(d: i64, degree: i32, bias: i32, exponents: *mut i32) -> freeridge_status;
    pub fn freeridge_polynomial_features(
        layout: freeridge_layout, n: i64, d: i64, x: *const f64, ldx: i64, degree: i32, bias: i32, out: *mut f64,
        ldout: i64,
    ) -> freeridge_status;
    pub fn freeridge_polynomial_feature_factors(
        d: i64, degree: i32, scale: f64, offset: f64, factors: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_weighted_median(
        n: i64, values: *const f64, weights: *const f64, median: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_absolute_slope(n: i64, x: *const f64, y: *const f64, slope: *mut f64) -> freeridge_status;
    pub fn freeridge_classifier_create(
        kernel: *const freeridge_kernel, loss: freeridge_loss, out: *mut *mut freeridge_classifier,
    ) -> freeridge_status;
    pub fn freeridge_classifier_destroy(classifier: *mut freeridge_classifier);
    pub fn freeridge_classifier_set_data(
        classifier: *mut freeridge_classifier, layout: freeridge_layout, n: i64, d: i64, x: *const f64, ldx: i64,
        y: *const f64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_set_weights(
        classifier: *mut freeridge_classifier, weights: *const f64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_set_intercept(classifier: *mut freeridge_classifier, on: i32) -> freeridge_status;
    pub fn freeridge_classifier_set_progress(
        classifier: *mut freeridge_classifier, callback: freeridge_progress, user: *mut c_void,
    ) -> freeridge_status;
    pub fn freeridge_classifier_set_control(
        classifier: *mut freeridge_classifier, tolerance: f64, iterations: i64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_fit(classifier: *mut freeridge_classifier, lambda: f64) -> freeridge_status;
    pub fn freeridge_classifier_predict(
        classifier: *const freeridge_classifier, layout: freeridge_layout, m: i64, x: *const f64, ldx: i64,
        decision: *mut f64, probability: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_loo(classifier: *const freeridge_classifier, decision: *mut f64) -> freeridge_status;
    pub fn freeridge_classifier_get_coefficients(
        classifier: *const freeridge_classifier, c: *mut f64, b: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_get_convergence(
        classifier: *const freeridge_classifier, objective: *mut f64, iterations: *mut i64, gap: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_get_support(
        classifier: *const freeridge_classifier, count: *mut i64, rows: *mut i64, margin: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_status_name(status: freeridge_status) -> *const c_char;
    pub fn freeridge_last_error() -> *const c_char;
    pub fn freeridge_version(major: *mut i32, minor: *mut i32, patch: *mut i32) -> freeridge_status;
    pub fn freeridge_set_threads(count: i32) -> freeridge_status;
    pub fn freeridge_get_threads(count: *mut i32) -> freeridge_status;
    pub fn freeridge_build_info() -> *const c_char;
    pub fn freeridge_save(model: *const freeridge_model, path: *const c_char) -> freeridge_status;
    pub fn freeridge_save_predictor(model: *const freeridge_model, path: *const c_char) -> freeridge_status;
    pub fn freeridge_load(path: *const c_char, out: *mut *mut freeridge_model) -> freeridge_status;
    pub fn freeridge_save_to_memory(
        model: *const freeridge_model, size: i64, bytes: *mut c_void, length: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_save_predictor_to_memory(
        model: *const freeridge_model, size: i64, bytes: *mut c_void, length: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_locate_saved_x(
        bytes: *const c_void, size: i64, first: *mut i64, length: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_load_from_memory(
        bytes: *const c_void, size: i64, out: *mut *mut freeridge_model,
    ) -> freeridge_status;
    pub fn freeridge_set_memory_limit(model: *mut freeridge_model, bytes: i64) -> freeridge_status;
    pub fn freeridge_accumulator_set_progress(
        accumulator: *mut freeridge_accumulator, callback: freeridge_progress, user: *mut c_void,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_memory_required(
        accumulator: *const freeridge_accumulator, bytes: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_memory_required(
        classifier: *const freeridge_classifier, bytes: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_lambda_flags(
        model: *const freeridge_model, floor: *mut f64, below: *mut i32, edge: *mut i32,
    ) -> freeridge_status;
    pub fn freeridge_kernel_evaluate(
        kernel: *const freeridge_kernel, layout: freeridge_layout, m: i64, r: i64, d: i64, x: *const f64, ldx: i64,
        z: *const f64, ldz: i64, out: *mut f64, ldout: i64,
    ) -> freeridge_status;
    pub fn freeridge_clone(model: *const freeridge_model, out: *mut *mut freeridge_model) -> freeridge_status;
    pub fn freeridge_get_kernel(model: *const freeridge_model, out: *mut *mut freeridge_kernel) -> freeridge_status;
    pub fn freeridge_get_weights(model: *const freeridge_model, weights: *mut f64) -> freeridge_status;
    pub fn freeridge_get_groups(
        model: *const freeridge_model, divisions: *mut i64, group: *mut i32,
    ) -> freeridge_status;
    pub fn freeridge_has_intercept(model: *const freeridge_model, on: *mut i32) -> freeridge_status;
    pub fn freeridge_get_requested_route(
        model: *const freeridge_model, route: *mut freeridge_route,
    ) -> freeridge_status;
    pub fn freeridge_get_expected_lambdas(model: *const freeridge_model, count: *mut i64) -> freeridge_status;
    pub fn freeridge_get_expected_criterion(
        model: *const freeridge_model, criterion: *mut freeridge_criterion,
    ) -> freeridge_status;
    pub fn freeridge_get_memory_limit(model: *const freeridge_model, bytes: *mut i64) -> freeridge_status;
    pub fn freeridge_get_requested_landmarks(
        model: *const freeridge_model, count: *mut i64, given: *mut i64, rows: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_get_landmark_method(
        model: *const freeridge_model, method: *mut freeridge_landmark_method, seed: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_get_reduction(
        model: *const freeridge_model, reduction: *mut freeridge_reduction,
    ) -> freeridge_status;
    pub fn freeridge_landmark_trace(model: *const freeridge_model, left: *mut f64, trace: *mut f64)
        -> freeridge_status;
    pub fn freeridge_get_refinement(model: *const freeridge_model, steps: *mut i32) -> freeridge_status;
    pub fn freeridge_objective(
        model: *const freeridge_model, count: i64, lambdas: *const f64, training: *mut f64, norm2: *mut f64,
        objective: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_predict_path(
        model: *const freeridge_model, layout: freeridge_layout, m: i64, x: *const f64, ldx: i64, count: i64,
        lambdas: *const f64, out: *mut f64, ldout: i64,
    ) -> freeridge_status;
    pub fn freeridge_coefficients_path(
        model: *const freeridge_model, count: i64, lambdas: *const f64, c: *mut f64, ld: i64, b: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_hyperplane_path(
        model: *const freeridge_model, count: i64, lambdas: *const f64, w: *mut f64, ld: i64, b: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_has_intercept(
        accumulator: *const freeridge_accumulator, on: *mut i32,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_select_lambda(
        accumulator: *const freeridge_accumulator, criterion: freeridge_criterion, low: f64, high: f64,
        lambda: *mut f64, score: *mut f64, edge: *mut i32, decades: *mut f64, dips: *mut i32, below: *mut i32,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_save_to_memory(
        accumulator: *const freeridge_accumulator, size: i64, bytes: *mut c_void, length: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_load_from_memory(
        bytes: *const c_void, size: i64, out: *mut *mut freeridge_accumulator,
    ) -> freeridge_status;
    pub fn freeridge_classifier_get_kernel(
        classifier: *const freeridge_classifier, out: *mut *mut freeridge_kernel,
    ) -> freeridge_status;
    pub fn freeridge_classifier_get_loss(
        classifier: *const freeridge_classifier, loss: *mut freeridge_loss,
    ) -> freeridge_status;
    pub fn freeridge_classifier_has_intercept(
        classifier: *const freeridge_classifier, on: *mut i32,
    ) -> freeridge_status;
    pub fn freeridge_classifier_get_control(
        classifier: *const freeridge_classifier, tolerance: *mut f64, iterations: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_get_weights(
        classifier: *const freeridge_classifier, weights: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_get_dimensions(
        classifier: *const freeridge_classifier, n: *mut i64, d: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_get_lambda(
        classifier: *const freeridge_classifier, lambda: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_save(classifier: *const freeridge_classifier, path: *const c_char) -> freeridge_status;
    pub fn freeridge_classifier_save_to_memory(
        classifier: *const freeridge_classifier, size: i64, bytes: *mut c_void, length: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_load(path: *const c_char, out: *mut *mut freeridge_classifier) -> freeridge_status;
    pub fn freeridge_classifier_load_from_memory(
        bytes: *const c_void, size: i64, out: *mut *mut freeridge_classifier,
    ) -> freeridge_status;
    pub fn freeridge_set_sparse(
        model: *mut freeridge_model, format: freeridge_sparse_format, n: i64, d: i64, start: *const i64,
        index: *const i32, value: *const f64, layout: freeridge_layout, t: i64, y: *const f64, ldy: i64,
    ) -> freeridge_status;
    pub fn freeridge_set_sparse_view(
        model: *mut freeridge_model, format: freeridge_sparse_format, n: i64, d: i64, start: *const i64,
        index: *const i32, value: *const f64, layout: freeridge_layout, t: i64, y: *const f64, ldy: i64,
    ) -> freeridge_status;
    pub fn freeridge_predict_sparse(
        model: *const freeridge_model, format: freeridge_sparse_format, m: i64, start: *const i64, index: *const i32,
        value: *const f64, layout: freeridge_layout, out: *mut f64, ldout: i64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_add_sparse(
        accumulator: *mut freeridge_accumulator, format: freeridge_sparse_format, n: i64, start: *const i64,
        index: *const i32, value: *const f64, layout: freeridge_layout, y: *const f64, ldy: i64, weights: *const f64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_loo_sparse(
        accumulator: *const freeridge_accumulator, format: freeridge_sparse_format, n: i64, start: *const i64,
        index: *const i32, value: *const f64, layout: freeridge_layout, y: *const f64, ldy: i64, weights: *const f64,
        count: i64, lambdas: *const f64, errors: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_kernel_linear_scale(
        kernel: *const freeridge_kernel, d: i64, scale: *mut f64, linear: *mut i32,
    ) -> freeridge_status;
    pub fn freeridge_eigenvalues(
        model: *const freeridge_model, count: i64, eigenvalues: *mut f64, vectors: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_condition_number(
        model: *const freeridge_model, count: i64, lambdas: *const f64, condition: *mut f64, rank: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_hat_matrix(
        model: *const freeridge_model, lambda: f64, hat: *mut f64, inverse: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_loss_gradient(
        loss: freeridge_loss, layout: freeridge_layout, n: i64, d: i64, x: *const f64, ldx: i64, y: *const f64,
        weights: *const f64, lambda: f64, count: i64, w: *const f64, b: *const f64, objective: *mut f64,
        gradient: *mut f64, gradient_b: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_expansion_gradient(
        loss: freeridge_loss, n: i64, k: *const f64, ldk: i64, y: *const f64, weights: *const f64, lambda: f64,
        c: *const f64, b: f64, objective: *mut f64, gradient: *mut f64, gradient_b: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_gradient_descent(
        loss: freeridge_loss, layout: freeridge_layout, n: i64, d: i64, x: *const f64, ldx: i64, y: *const f64,
        weights: *const f64, intercept: i32, lambda: f64, start_w: *const f64, start_b: f64, done: i64,
        rule: freeridge_step_rule, step: f64, batch: i64, seed: i64, average: i32, count: i64, steps: *const i64,
        callback: freeridge_progress, user: *mut c_void, w: *mut f64, b: *mut f64, objective: *mut f64,
        step_used: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_early_stopping(
        layout: freeridge_layout, n: i64, d: i64, x: *const f64, ldx: i64, y: *const f64, intercept: i32, step: f64,
        count: i64, steps: *const i64, w: *mut f64, b: *mut f64, df: *mut f64, lambda: *mut f64, ridge_w: *mut f64,
        ridge_b: *mut f64, ridge_df: *mut f64, step_used: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_calibrate(
        n: i64, decision: *const f64, y: *const f64, weights: *const f64, slope: *mut f64, offset: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_distances(
        classifier: *const freeridge_classifier, layout: freeridge_layout, m: i64, x: *const f64, ldx: i64,
        distance: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_get_margins(
        classifier: *const freeridge_classifier, margin: *mut f64, slack: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_classifier_get_alpha(
        classifier: *const freeridge_classifier, alpha: *mut f64, support: *mut freeridge_support,
    ) -> freeridge_status;
    pub fn freeridge_classifier_get_duality(
        classifier: *const freeridge_classifier, primal: *mut f64, dual: *mut f64, gap: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_squared_errors(
        accumulator: *const freeridge_accumulator, layout: freeridge_layout, n: i64, x: *const f64, ldx: i64,
        y: *const f64, ldy: i64, weights: *const f64, count: i64, lambdas: *const f64, sum_w: *mut f64,
        squares: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_accumulator_squared_errors_sparse(
        accumulator: *const freeridge_accumulator, format: freeridge_sparse_format, n: i64, start: *const i64,
        index: *const i32, value: *const f64, layout: freeridge_layout, y: *const f64, ldy: i64, weights: *const f64,
        count: i64, lambdas: *const f64, sum_w: *mut f64, squares: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_coefficient_covariance(
        model: *const freeridge_model, kind: freeridge_covariance_type, covariance: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_coefficient_errors(
        model: *const freeridge_model, kind: freeridge_covariance_type, w: *mut f64, ld: i64, b: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_predict_gradient(
        model: *const freeridge_model, layout: freeridge_layout, m: i64, x: *const f64, ldx: i64, gradient: *mut f64,
        ldout: i64,
    ) -> freeridge_status;
    pub fn freeridge_average_gradient(
        model: *const freeridge_model, layout: freeridge_layout, m: i64, x: *const f64, ldx: i64, weights: *const f64,
        kind: freeridge_covariance_type, average: *mut f64, errors: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_average_difference(
        model: *const freeridge_model, layout: freeridge_layout, m: i64, x: *const f64, ldx: i64, z: *const f64,
        ldz: i64, weights: *const f64, kind: freeridge_covariance_type, average: *mut f64, errors: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_kernel_hyperparameter_count(kernel: *const freeridge_kernel, count: *mut i64) -> freeridge_status;
    pub fn freeridge_kernel_hyperparameter_name(
        kernel: *const freeridge_kernel, index: i64, size: i64, text: *mut c_char, length: *mut i64,
    ) -> freeridge_status;
    pub fn freeridge_kernel_get_hyperparameters(kernel: *const freeridge_kernel, values: *mut f64) -> freeridge_status;
    pub fn freeridge_kernel_with_hyperparameters(
        kernel: *const freeridge_kernel, values: *const f64, out: *mut *mut freeridge_kernel,
    ) -> freeridge_status;
    pub fn freeridge_score_gradient(
        model: *const freeridge_model, criterion: freeridge_criterion, lambda: f64, score: *mut f64,
        by_log_lambda: *mut f64, by_log_hyperparameters: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_select_kernel(
        model: *mut freeridge_model, criterion: freeridge_criterion, label: *const i32, shrinkage: f64, rows: i64,
        seed: i64, evaluations: i64, score: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_get_kernel_search(
        model: *const freeridge_model, evaluations: *mut i64, hyperparameters: *mut i64, learnt: *mut i64,
        rows: *mut i64, sample: *mut i64, kept: *mut i32, ended: *mut freeridge_search_end,
    ) -> freeridge_status;
    pub fn freeridge_get_kernel_search_history(
        model: *const freeridge_model, stage: *mut i32, score: *mut f64, lambda: *mut f64, gradient: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_get_kernel_search_bounds(
        model: *const freeridge_model, variable: *mut i64, low: *mut f64, high: *mut f64, at: *mut i32,
        lambda_at: *mut i32,
    ) -> freeridge_status;
    pub fn freeridge_set_fixed_effects(
        model: *mut freeridge_model, layout: freeridge_layout, q: i64, f: *const f64, ldf: i64,
    ) -> freeridge_status;
    pub fn freeridge_get_fixed_count(model: *const freeridge_model, q: *mut i64) -> freeridge_status;
    pub fn freeridge_predict_fixed(
        model: *const freeridge_model, layout: freeridge_layout, m: i64, x: *const f64, ldx: i64, fixed: *const f64,
        ldfixed: i64, out: *mut f64, ldout: i64,
    ) -> freeridge_status;
    pub fn freeridge_get_fixed_effects(
        model: *const freeridge_model, kept: *mut i32, effects: *mut f64, errors: *mut f64, ld: i64,
    ) -> freeridge_status;
    pub fn freeridge_variance_components(
        model: *const freeridge_model, residual: *mut f64, random: *mut f64, share: *mut f64, error: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_predict_path_fixed(
        model: *const freeridge_model, layout: freeridge_layout, m: i64, x: *const f64, ldx: i64, fixed: *const f64,
        ldfixed: i64, count: i64, lambdas: *const f64, out: *mut f64, ldout: i64,
    ) -> freeridge_status;
    pub fn freeridge_predict_jackknife_fixed(
        model: *const freeridge_model, layout: freeridge_layout, m: i64, x: *const f64, ldx: i64, fixed: *const f64,
        ldfixed: i64, level: f64, lower: *mut f64, upper: *mut f64, ldout: i64,
    ) -> freeridge_status;
    pub fn freeridge_predict_variance_fixed(
        model: *const freeridge_model, layout: freeridge_layout, m: i64, x: *const f64, ldx: i64, fixed: *const f64,
        ldfixed: i64, variance: *mut f64, ldout: i64, noise: *mut f64,
    ) -> freeridge_status;
    pub fn freeridge_set_gaps(model: *mut freeridge_model, layers: i64, gap: *const i32) -> freeridge_status;
    pub fn freeridge_get_gaps(model: *const freeridge_model, layers: *mut i64, gap: *mut i32) -> freeridge_status;
    pub fn freeridge_group_errors_with_gaps(model: *const freeridge_model, group: *const i32, layers: i64, gap: *const
        i32, errors: *mut f64, ld: i64) -> freeridge_status;
    pub fn freeridge_make_blocks(n: i64, folds: i32, before: i64, after: i64, layers: *mut i64, group: *mut i32, gap:
        *mut i32) -> freeridge_status;
    pub fn freeridge_accumulator_compact(accumulator: *mut freeridge_accumulator) -> freeridge_status;
    pub fn freeridge_accumulator_prepare(accumulator: *mut freeridge_accumulator) -> freeridge_status;
    pub fn freeridge_accumulator_loo_moments(accumulator: *const freeridge_accumulator, layout: freeridge_layout, n:
        i64, x: *const f64, ldx: i64, y: *const f64, ldy: i64, weights: *const f64, count: i64, lambdas: *const f64,
        moments: *mut f64) -> freeridge_status;
    pub fn freeridge_accumulator_loo_moments_sparse(accumulator: *const freeridge_accumulator, format:
        freeridge_sparse_format, n: i64, start: *const i64, index: *const i32, value: *const f64, layout:
        freeridge_layout, y: *const f64, ldy: i64, weights: *const f64, count: i64, lambdas: *const f64, moments: *mut
        f64) -> freeridge_status;
    pub fn freeridge_accumulator_predictor(accumulator: *const freeridge_accumulator, lambda: *const f64, out: *mut
        *mut freeridge_model) -> freeridge_status;
    pub fn freeridge_moments_score(count: i64, lambdas: *const f64, t: i64, moments: *const f64, scores: *mut f64,
        errors: *mut f64, ld: i64) -> freeridge_status;
    pub fn freeridge_moments_select_lambda(count: i64, lambdas: *const f64, t: i64, moments: *const f64, lambda: *mut
        f64, score: *mut f64, standard_error: *mut f64, edge: *mut i32, decades: *mut f64, dips: *mut i32, next: *mut
        f64) -> freeridge_status;
    pub fn freeridge_accumulator_create_landmarks(kernel: *const freeridge_kernel, layout: freeridge_layout, r: i64,
        d: i64, z: *const f64, ldz: i64, t: i64, intercept: i32, reduction: freeridge_reduction, out: *mut *mut
        freeridge_accumulator) -> freeridge_status;
    pub fn freeridge_accumulator_merge_bytes(other: *const c_void, size: i64, inout: *mut c_void) -> freeridge_status;
    pub fn freeridge_moments_join(count: i64, other: *const f64, inout: *mut f64) -> freeridge_status;
    pub fn freeridge_set_reader(model: *mut freeridge_model, layout: freeridge_layout, n: i64, d: i64, t: i64,
        callback: freeridge_reader, user: *mut c_void) -> freeridge_status;
    pub fn freeridge_set_accuracy(model: *mut freeridge_model, accuracy: f64) -> freeridge_status;
    pub fn freeridge_get_requested_accuracy(model: *const freeridge_model, accuracy: *mut f64) -> freeridge_status;
    pub fn freeridge_get_accuracy(model: *const freeridge_model, accuracy: *mut f64) -> freeridge_status;
    pub fn freeridge_estimate_score(model: *const freeridge_model, criterion: freeridge_criterion, probes: i64, count:
        i64, lambdas: *const f64, scores: *mut f64, errors: *mut f64, ld: i64) -> freeridge_status;
    pub fn freeridge_get_kernel_search_rows(model: *const freeridge_model, row: *mut i64) -> freeridge_status;
    pub fn freeridge_set_missing(model: *mut freeridge_model, on: i32) -> freeridge_status;
    pub fn freeridge_accumulator_set_unpenalised(accumulator: *mut freeridge_accumulator, count: i64) ->
        freeridge_status;
    pub fn freeridge_set_unpenalised(model: *mut freeridge_model, count: i64) -> freeridge_status;
    pub fn freeridge_get_unpenalised(model: *const freeridge_model, count: *mut i64, kept: *mut i32) ->
        freeridge_status;
    pub fn freeridge_accumulator_get_unpenalised(accumulator: *const freeridge_accumulator, count: *mut i64, kept:
        *mut i32) -> freeridge_status;
    pub fn freeridge_accumulator_group_moments(accumulator: *const freeridge_accumulator, layout: freeridge_layout, n:
        i64, x: *const f64, ldx: i64, y: *const f64, ldy: i64, weights: *const f64, group: *const i32, count: i64,
        lambdas: *const f64, moments: *mut f64) -> freeridge_status;
    pub fn freeridge_accumulator_group_errors(accumulator: *const freeridge_accumulator, layout: freeridge_layout, n:
        i64, x: *const f64, ldx: i64, y: *const f64, ldy: i64, weights: *const f64, group: *const i32, count: i64,
        lambdas: *const f64, errors: *mut f64, ld: i64) -> freeridge_status;
    pub fn freeridge_get_fixed_covariance(model: *const freeridge_model, covariance: *mut f64, ld: i64) ->
        freeridge_status;
}
