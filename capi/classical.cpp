// The C layer, classical utilities: calls without a handle. Each works on its own memory and writes its outputs last.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "capi/freeridge_classical.h"
#include "capi/wall.hpp"
#include "libcore/classical/pinv.hpp"
#include "libcore/classical/polynomial_features.hpp"
#include "libcore/classical/regression.hpp"
#include "libcore/classical/stacking.hpp"
#include "libcore/classical/weighted_median.hpp"

namespace freeridge::capi {
namespace {

// x (n x d) and y (n x t) of a regression, as a call is given them.
struct RegressionArguments {
  freeridge_layout layout;
  int64_t n, d;
  const double* x;
  int64_t ldx, t;
  const double* y;
  int64_t ldy;
};

// Throws NOT_FINITE where a wanted answer has an Inf. NaN is allowed: it says that a number does not exist.
template <class T>
void require_in_range(const char* name, const T& values, const double* wanted) {
  if (wanted == nullptr) return;
  for (const double value : values)
    if (std::isinf(value)) fail(Status::not_finite, name, " overflows; rescale x or y");
}

// Checks the arguments and calls answer(x, y).
template <class Answer>
freeridge_status with_rows(const char* call, const RegressionArguments& a, const Answer& answer) noexcept {
  return guarded(call, [&] {
    const Layout order = checked_layout(a.layout);
    require_size("n", a.n);
    require_size("d", a.d);
    require_size("t", a.t);
    const LayoutView x = checked_matrix("x", a.x, order, "n", a.n, "d", a.d, "ldx", a.ldx);
    const LayoutView y = checked_matrix("y", a.y, order, "n", a.n, "t", a.t, "ldy", a.ldy);
    require_product("d", a.d, "t", a.t);
    answer(x, y);
  });
}

Span<const double> checked_numbers(const char* name, const double* values, int64_t count) {
  return {&required(name, values), count};
}

// `count` values; none for NULL.
template <class T>
Span<const T> given(const T* values, int64_t count) {
  return values == nullptr ? Span<const T>() : Span<const T>(values, count);
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

// ---- linear algebra and regression ----

freeridge_status freeridge_pinv(freeridge_layout layout, int64_t m, int64_t n, const double* a, int64_t lda,
                                double rcond, double* out, int64_t ldout, int64_t* rank) {
  return guarded(__func__, [&] {
    const Layout order = checked_layout(layout);
    require_size("m", m);
    require_size("n", n);
    const LayoutView view = checked_matrix("a", a, order, "m", m, "n", n, "lda", lda);
    required("out", out);
    checked_matrix("out", out, order, "n", n, "m", m, "ldout", ldout);
    const PseudoInverse result = pinv(view, rcond);
    copy_out(result.inverse.view(), order, out, ldout);
    if (rank != nullptr) *rank = result.rank;
  });
}

freeridge_status freeridge_ols(freeridge_layout layout, int64_t n, int64_t d, const double* x, int64_t ldx, int64_t t,
                               const double* y, int64_t ldy, int32_t intercept, freeridge_ols_answers* answers) {
  return with_rows(__func__, {layout, n, d, x, ldx, t, y, ldy}, [&](const LayoutView& xs, const LayoutView& ys) {
    const freeridge_ols_answers to = checked_struct("answers", answers, sizeof(freeridge_ols_answers));
    const bool table = to.w_error != nullptr || to.b_error != nullptr || to.sigma != nullptr || to.r_squared != nullptr;
    OlsSummary summary = table ? ols_summary(xs, ys, intercept != 0) : OlsSummary(ols(xs, ys, intercept != 0));
    std::string reason;  // allocated before an output is written, because nothing may fail afterwards
    if (to.w_error != nullptr || to.b_error != nullptr) reason = std::move(summary.errors_undefined);
    if (reason.empty() && to.sigma != nullptr) reason = std::move(summary.sigma_undefined);
    if (reason.empty() && to.r_squared != nullptr) reason = std::move(summary.r_squared_undefined);
    require_in_range("w_error", summary.w_error.values(), to.w_error);
    require_in_range("b_error", summary.b_error, to.b_error);
    require_in_range("sigma", summary.sigma, to.sigma);
    answers->rank = summary.regression.rank;
    copy_to(summary.regression.w.values(), to.w);
    copy_to(summary.regression.b, to.b);
    copy_to(summary.w_error.values(), to.w_error);
    copy_to(summary.b_error, to.b_error);
    copy_to(summary.sigma, to.sigma);
    copy_to(summary.r_squared, to.r_squared);
    report_undefined(std::move(reason));
  });
}

freeridge_status freeridge_ridge(freeridge_layout layout, int64_t n, int64_t d, const double* x, int64_t ldx, int64_t t,
                                 const double* y, int64_t ldy, int32_t intercept, double lambda, const double* penalty,
                                 double* w, double* b) {
  return with_rows(__func__, {layout, n, d, x, ldx, t, y, ldy}, [&](const LayoutView& xs, const LayoutView& ys) {
    required("w", w);
    required("b", b);
    const RegressionResult result = ridge(xs, ys, intercept != 0, lambda, given(penalty, d));
    std::ranges::copy(result.w.values(), w);
    std::ranges::copy(result.b, b);
  });
}

freeridge_status freeridge_tls(freeridge_layout layout, int64_t n, int64_t d, const double* x, int64_t ldx, int64_t t,
                               const double* y, int64_t ldy, int32_t intercept, const int32_t* exact,
                               freeridge_tls_answers* answers) {
  return with_rows(__func__, {layout, n, d, x, ldx, t, y, ldy}, [&](const LayoutView& xs, const LayoutView& ys) {
    const freeridge_tls_answers to = checked_struct("answers", answers, sizeof(freeridge_tls_answers));
    const TlsWanted wanted = to.x_correction != nullptr || to.y_correction != nullptr   ? TlsWanted::corrections
                             : to.singular_values != nullptr || to.distances != nullptr ? TlsWanted::distances
                                                                                        : TlsWanted::solution;
    const TlsResult result = tls(xs, ys, intercept != 0, given(exact, d), wanted);
    copy_to(result.w.values(), to.w);
    copy_to(result.b, to.b);
    copy_to(result.errors.singular_values, to.singular_values);
    copy_to(result.errors.distances, to.distances);
    const auto hand_out = [&](const Matrix& from, double* place) {
      if (place != nullptr) copy_out(from.view(), xs.layout, place, xs.layout == Layout::col_major ? n : from.cols());
    };
    hand_out(result.errors.x, to.x_correction);
    hand_out(result.errors.y, to.y_correction);
  });
}

// ---- polynomial features ----

freeridge_status freeridge_polynomial_exponents(int64_t d, int32_t degree, int32_t bias, int64_t* count,
                                                int32_t* exponents) {
  return guarded(__func__, [&] {
    require_size("d", d);
    const int64_t found = polynomial_feature_count(d, degree, bias != 0);
    if (exponents != nullptr) Monomials(d, degree, bias != 0).exponents(exponents);
    if (count != nullptr) *count = found;
  });
}

freeridge_status freeridge_polynomial_features(freeridge_layout layout, int64_t n, int64_t d, const double* x,
                                               int64_t ldx, int32_t degree, int32_t bias, double* out, int64_t ldout) {
  return guarded(__func__, [&] {
    const LayoutView xs = checked_points(layout, n, d, x, ldx);
    required("out", out);
    const int64_t count = polynomial_feature_count(d, degree, bias != 0);
    checked_matrix("out", out, xs.layout, "n", n, "the number of monomials", count, "ldout", ldout);
    Monomials(d, degree, bias != 0).evaluate(xs, xs.layout, out, ldout);
  });
}

freeridge_status freeridge_polynomial_feature_factors(int64_t d, int32_t degree, double scale, double offset,
                                                      double* factors) {
  return guarded(__func__, [&] {
    require_size("d", d);
    const int64_t count = polynomial_feature_count(d, degree, true);
    required("factors", factors);
    Monomials(d, degree, true).kernel_factors(scale, offset, {factors, count});
  });
}

// ---- absolute errors ----

freeridge_status freeridge_weighted_median(int64_t n, const double* values, const double* weights, double* median) {
  return guarded(__func__, [&] {
    require_size("n", n);
    const auto v = checked_numbers("values", values, n), w = checked_numbers("weights", weights, n);
    required("median", median) = checked_weighted_median(v, w);
  });
}

freeridge_status freeridge_absolute_slope(int64_t n, const double* x, const double* y, double* slope) {
  return guarded(__func__, [&] {
    require_size("n", n);
    const auto xs = checked_numbers("x", x, n), ys = checked_numbers("y", y, n);
    required("slope", slope) = absolute_slope(xs, ys);
  });
}

// ---- a stack ----

freeridge_status freeridge_stack_weights(freeridge_layout layout, int64_t n, int64_t k, const double* f, int64_t ldf,
                                         const double* y, const double* weights, double prior, double* w,
                                         double* errors) {
  return guarded(__func__, [&] {
    const Layout order = checked_layout(layout);
    require_size("n", n);
    require_size("k", k);
    const LayoutView members = checked_matrix("f", f, order, "n", n, "k", k, "ldf", ldf);
    required("y", y);
    required("w", w);
    Stack found = stack_weights(members, y, weights, prior, errors != nullptr);
    copy_to(found.w, w);
    copy_to(found.errors, errors);
    report_undefined(std::move(found.errors_undefined));
  });
}
