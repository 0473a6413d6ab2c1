// Hostile arguments of every call without a handle: refused with words, and no output written.
#include "capi/support/refusals.hpp"

namespace {

constexpr int64_t n = sample::n, d = sample::d, t = sample::t;

struct RegressionCall {
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = sample::n, d = sample::d;
  Input<double> x{sample::x()};
  int64_t ldx = sample::n, t = sample::t;
  Input<double> y{sample::y()};
  int64_t ldy = sample::n;
  int32_t intercept = 1;
  Output<double> w{sample::size(sample::d, sample::t)}, b{sample::size(sample::t)};
  void each_output(auto visit) { visit(w), visit(b); }
};

// A member of RegressionCall as one of what is derived from it.
template <class Call, class T>
T Call::*of(T RegressionCall::*member) {
  return member;
}

struct Ols : RegressionCall {
  static constexpr const char* name = "freeridge_ols";
  Output<int64_t> rank{1};
  freeridge_status operator()() {
    return freeridge_ols(layout, n, d, x.get(), ldx, t, y.get(), ldy, intercept, w.get(), b.get(), rank.get());
  }
  void each_output(auto visit) { RegressionCall::each_output(visit), visit(rank); }
};

struct OlsSummary : RegressionCall {
  static constexpr const char* name = "freeridge_ols_summary";
  Output<int64_t> rank{1};
  Output<double> w_error{sample::size(sample::d, sample::t)}, b_error{sample::size(sample::t)};
  Output<double> sigma{sample::size(sample::t)}, r_squared{sample::size(sample::t)};
  freeridge_status operator()() {
    return freeridge_ols_summary(layout, n, d, x.get(), ldx, t, y.get(), ldy, intercept, w.get(), b.get(), rank.get(),
                                 w_error.get(), b_error.get(), sigma.get(), r_squared.get());
  }
  void each_output(auto visit) {
    RegressionCall::each_output(visit), visit(rank), visit(w_error), visit(b_error), visit(sigma), visit(r_squared);
  }
};

struct Ridge : RegressionCall {
  static constexpr const char* name = "freeridge_ridge";
  double lambda = 0.5;
  freeridge_status operator()() {
    return freeridge_ridge(layout, n, d, x.get(), ldx, t, y.get(), ldy, intercept, lambda, w.get(), b.get());
  }
};

struct RidgePenalty : RegressionCall {
  static constexpr const char* name = "freeridge_ridge_penalty";
  double lambda = 0.5;
  Input<double> penalty{sample::scale()};
  freeridge_status operator()() {
    return freeridge_ridge_penalty(layout, n, d, x.get(), ldx, t, y.get(), ldy, intercept, lambda, penalty.get(),
                                   w.get(), b.get());
  }
};

struct Tls : RegressionCall {
  static constexpr const char* name = "freeridge_tls";
  freeridge_status operator()() {
    return freeridge_tls(layout, n, d, x.get(), ldx, t, y.get(), ldy, intercept, w.get(), b.get());
  }
};

struct TlsExact : RegressionCall {
  static constexpr const char* name = "freeridge_tls_exact";
  Input<int32_t> exact{{1, 0}};
  freeridge_status operator()() {
    return freeridge_tls_exact(layout, n, d, x.get(), ldx, t, y.get(), ldy, intercept, exact.get(), w.get(), b.get());
  }
};

struct Pinv {
  static constexpr const char* name = "freeridge_pinv";
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::n, n = sample::d;
  Input<double> a{sample::x()};
  int64_t lda = sample::n;
  double rcond = -1;
  Output<double> out{sample::size(sample::d, sample::n)};
  int64_t ldout = sample::d;
  Output<int64_t> rank{1};
  freeridge_status operator()() {
    return freeridge_pinv(layout, m, n, a.get(), lda, rcond, out.get(), ldout, rank.get());
  }
  void each_output(auto visit) { visit(out), visit(rank); }
};

struct FeatureCount {
  static constexpr const char* name = "freeridge_polynomial_feature_count";
  int64_t d = 2;
  int32_t degree = 2;
  Output<int64_t> count{1};
  freeridge_status operator()() { return freeridge_polynomial_feature_count(d, degree, 1, count.get()); }
  void each_output(auto visit) { visit(count); }
};

struct Exponents {
  static constexpr const char* name = "freeridge_polynomial_exponents";
  int64_t d = 2;
  int32_t degree = 2;
  Output<int32_t> exponents{12};
  freeridge_status operator()() { return freeridge_polynomial_exponents(d, degree, 1, exponents.get()); }
  void each_output(auto visit) { visit(exponents); }
};

struct Features {
  static constexpr const char* name = "freeridge_polynomial_features";
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = sample::n, d = sample::d;
  Input<double> x{sample::x()};
  int64_t ldx = sample::n;
  int32_t degree = 2;
  Output<double> out{sample::size(sample::n, 6)};
  int64_t ldout = sample::n;
  freeridge_status operator()() {
    return freeridge_polynomial_features(layout, n, d, x.get(), ldx, degree, 1, out.get(), ldout);
  }
  void each_output(auto visit) { visit(out); }
};

struct Factors {
  static constexpr const char* name = "freeridge_polynomial_feature_factors";
  int64_t d = 2;
  int32_t degree = 2;
  double scale = 1, offset = 1;
  Output<double> factors{6};
  freeridge_status operator()() {
    return freeridge_polynomial_feature_factors(d, degree, scale, offset, factors.get());
  }
  void each_output(auto visit) { visit(factors); }
};

struct Median {
  static constexpr const char* name = "freeridge_weighted_median";
  int64_t n = 3;
  Input<double> values{{1, 2, 3}}, weights{{1, 1, 1}};
  Output<double> median{1};
  freeridge_status operator()() { return freeridge_weighted_median(n, values.get(), weights.get(), median.get()); }
  void each_output(auto visit) { visit(median); }
};

struct Slope {
  static constexpr const char* name = "freeridge_absolute_slope";
  int64_t n = 3;
  Input<double> x{{1, 2, 3}}, y{{1, 1, 1}};
  Output<double> slope{1};
  freeridge_status operator()() { return freeridge_absolute_slope(n, x.get(), y.get(), slope.get()); }
  void each_output(auto visit) { visit(slope); }
};

const std::vector<int32_t> bad_degrees = {0, -1, INT32_MIN};

template <class Call>
void expect_regression_refused() {
  Call valid;
  EXPECT_EQ(valid(), FREERIDGE_OK) << freeridge_last_error();
  expect_refused<Call>({
      {"layout", values(of<Call>(&RegressionCall::layout), unknown_layouts)},
      {"n", values(of<Call>(&RegressionCall::n), bad_sizes)},
      {"d", values(of<Call>(&RegressionCall::d), bad_sizes)},
      {"x", null(of<Call>(&RegressionCall::x))},
      {"x", entries(of<Call>(&RegressionCall::x), not_finite), FREERIDGE_NOT_FINITE},
      {"ldx", values(of<Call>(&RegressionCall::ldx), bad_leading(n))},
      {"t", values(of<Call>(&RegressionCall::t), bad_sizes)},
      {"y", null(of<Call>(&RegressionCall::y))},
      {"y", entries(of<Call>(&RegressionCall::y), not_finite), FREERIDGE_NOT_FINITE},
      {"ldy", values(of<Call>(&RegressionCall::ldy), bad_leading(n))},
  });
  Call rows;
  rows.layout = FREERIDGE_ROW_MAJOR;
  rows.ldx = d - 1;
  rows.ldy = t;
  expect_failure(rows, FREERIDGE_INVALID_ARGUMENT, {"ldx", "1", "2"});
  rows.ldx = d;
  rows.ldy = t - 1;
  expect_failure(rows, FREERIDGE_INVALID_ARGUMENT, {"ldy", "1", "2"});
}

template <class Call>
void expect_outputs_needed() {
  expect_refused<Call>({{"w", null(of<Call>(&RegressionCall::w))}, {"b", null(of<Call>(&RegressionCall::b))}});
}

TEST(ContractClassical, RegressionsRefuse) {
  expect_regression_refused<Ols>();
  expect_regression_refused<OlsSummary>();
  expect_regression_refused<Ridge>();
  expect_regression_refused<RidgePenalty>();
  expect_regression_refused<Tls>();
  expect_regression_refused<TlsExact>();
  expect_outputs_needed<Ols>();
  expect_outputs_needed<Ridge>();
  expect_outputs_needed<RidgePenalty>();
  expect_outputs_needed<Tls>();
  expect_outputs_needed<TlsExact>();
}

TEST(ContractClassical, RidgeRefusesLambdaAndPenalties) {
  expect_refused<Ridge>({{"lambda", values(&Ridge::lambda, {-1.0, -1e-300})},
                         {"lambda", values(&Ridge::lambda, not_finite), FREERIDGE_NOT_FINITE}});
  expect_refused<RidgePenalty>({{"lambda", values(&RidgePenalty::lambda, {-1.0, -1e-300})},
                                {"lambda", values(&RidgePenalty::lambda, not_finite), FREERIDGE_NOT_FINITE},
                                {"penalty", null(&RidgePenalty::penalty)},
                                {"penalty", entries(&RidgePenalty::penalty, {-1.0, -1e-300})},
                                {"penalty", entries(&RidgePenalty::penalty, not_finite), FREERIDGE_NOT_FINITE}});
}

TEST(ContractClassical, TlsRefusesTooFewPoints) {
  expect_refused<Tls>({{"n", values(of<Tls>(&RegressionCall::n), {1, 2, 3, 4})}});  // d + t + 1 = 5
  expect_refused<TlsExact>({{"n", values(of<TlsExact>(&RegressionCall::n), {4})}, {"exact", null(&TlsExact::exact)}});
  Tls without;
  without.intercept = 0;
  without.n = 4;
  EXPECT_EQ(without(), FREERIDGE_OK) << freeridge_last_error();
}

TEST(ContractClassical, PinvRefuses) {
  Pinv valid;
  EXPECT_EQ(valid(), FREERIDGE_OK);
  expect_refused<Pinv>({{"layout", values(&Pinv::layout, unknown_layouts)},
                        {"m", values(&Pinv::m, bad_sizes)},
                        {"n", values(&Pinv::n, bad_sizes)},
                        {"a", null(&Pinv::a)},
                        {"a", entries(&Pinv::a, not_finite), FREERIDGE_NOT_FINITE},
                        {"lda", values(&Pinv::lda, bad_leading(n))},
                        {"rcond", values(&Pinv::rcond, not_finite), FREERIDGE_NOT_FINITE},
                        {"out", null(&Pinv::out)},
                        {"ldout", values(&Pinv::ldout, bad_leading(d))}});
}

TEST(ContractClassical, FeaturesRefuse) {
  Features valid;
  EXPECT_EQ(valid(), FREERIDGE_OK);
  expect_refused<FeatureCount>({{"d", values(&FeatureCount::d, bad_sizes)},
                                {"degree", values(&FeatureCount::degree, bad_degrees)},
                                {"degree", values(&FeatureCount::degree, {INT32_MAX})},
                                {"count", null(&FeatureCount::count)}});
  expect_refused<Exponents>({{"d", values(&Exponents::d, bad_sizes)},
                             {"degree", values(&Exponents::degree, bad_degrees)},
                             {"exponents", null(&Exponents::exponents)}});
  expect_refused<Features>({{"layout", values(&Features::layout, unknown_layouts)},
                            {"n", values(&Features::n, bad_sizes)},
                            {"d", values(&Features::d, bad_sizes)},
                            {"x", null(&Features::x)},
                            {"x", entries(&Features::x, not_finite), FREERIDGE_NOT_FINITE},
                            {"ldx", values(&Features::ldx, bad_leading(n))},
                            {"degree", values(&Features::degree, bad_degrees)},
                            {"out", null(&Features::out)},
                            {"ldout", values(&Features::ldout, bad_leading(n))}});
  expect_refused<Factors>({{"d", values(&Factors::d, bad_sizes)},
                           {"degree", values(&Factors::degree, bad_degrees)},
                           {"scale", values(&Factors::scale, {0.0, -1.0})},
                           {"scale", values(&Factors::scale, not_finite), FREERIDGE_NOT_FINITE},
                           {"offset", values(&Factors::offset, {-1.0})},
                           {"offset", values(&Factors::offset, not_finite), FREERIDGE_NOT_FINITE},
                           {"factors", null(&Factors::factors)}});
}

TEST(ContractClassical, MedianAndSlopeRefuse) {
  expect_refused<Median>({{"n", values(&Median::n, bad_sizes)},
                          {"values", null(&Median::values)},
                          {"values", entries(&Median::values, not_finite), FREERIDGE_NOT_FINITE},
                          {"weights", null(&Median::weights)},
                          {"weights", entries(&Median::weights, {-1.0})},
                          {"weights", entries(&Median::weights, not_finite), FREERIDGE_NOT_FINITE},
                          {"median", null(&Median::median)}});
  Median none;
  none.weights.values = {0, 0, 0};
  expect_failure(none, FREERIDGE_INVALID_ARGUMENT, {"weights"});
  expect_refused<Slope>({{"n", values(&Slope::n, bad_sizes)},
                         {"x", null(&Slope::x)},
                         {"x", entries(&Slope::x, not_finite), FREERIDGE_NOT_FINITE},
                         {"y", null(&Slope::y)},
                         {"y", entries(&Slope::y, not_finite), FREERIDGE_NOT_FINITE},
                         {"slope", null(&Slope::slope)}});
  Slope zeros;
  zeros.x.values = {0, 0, 0};
  expect_failure(zeros, FREERIDGE_UNDEFINED, {"x"});
  EXPECT_TRUE(zeros.slope.untouched());
}

}  // namespace
