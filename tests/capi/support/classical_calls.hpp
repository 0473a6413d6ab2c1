// The calls without a handle as structs: their arguments, valid until a test spoils one.
#pragma once

#include "capi/support/call.hpp"
#include "capi/support/sample.hpp"
#include "capi/support/struct_argument.hpp"

namespace classical {

struct RegressionCall : AnyCall {
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = sample::n, d = sample::d;
  Input<double> x{sample::x()};
  int64_t ldx = sample::n, t = sample::t;
  Input<double> y{sample::y()};
  int64_t ldy = sample::n;
  int32_t intercept = 1;
};

struct Ols : RegressionCall {
  using Answers = freeridge_ols_answers;
  static constexpr const char* optional =
      "answers.w answers.b answers.w_error answers.b_error answers.sigma answers.r_squared";
  StructArgument<Answers> answers = StructArgument<Answers>({}, {})
                                        .out("w", &Answers::w, sample::size(sample::d, sample::t))
                                        .out("b", &Answers::b, sample::size(sample::t))
                                        .out("w_error", &Answers::w_error, sample::size(sample::d, sample::t))
                                        .out("b_error", &Answers::b_error, sample::size(sample::t))
                                        .out("sigma", &Answers::sigma, sample::size(sample::t))
                                        .out("r_squared", &Answers::r_squared, sample::size(sample::t));
  FREERIDGE_CALL(freeridge_ols);
};

struct Ridge : RegressionCall {
  static constexpr const char* optional = "penalty";
  double lambda = 0.5;
  Input<double> penalty{sample::scale()};
  Output<double> w{sample::size(sample::d, sample::t)}, b{sample::size(sample::t)};
  FREERIDGE_CALL(freeridge_ridge);
};

struct Tls : RegressionCall {
  using Answers = freeridge_tls_answers;
  static constexpr const char* optional =
      "exact answers.w answers.b answers.singular_values answers.distances answers.x_correction answers.y_correction";
  Input<int32_t> exact{{1, 0}};
  StructArgument<Answers> answers =
      StructArgument<Answers>({}, {})
          .out("w", &Answers::w, sample::size(sample::d, sample::t))
          .out("b", &Answers::b, sample::size(sample::t))
          .out("singular_values", &Answers::singular_values, sample::size(sample::t))
          .out("distances", &Answers::distances, sample::size(sample::n))
          .out("x_correction", &Answers::x_correction, sample::size(sample::n, sample::d))
          .out("y_correction", &Answers::y_correction, sample::size(sample::n, sample::t));
  FREERIDGE_CALL(freeridge_tls);
};

struct Pinv : AnyCall {
  static constexpr const char* optional = "rank";
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t m = sample::n, n = sample::d;
  Input<double> a{sample::x()};
  int64_t lda = sample::n;
  double rcond = -1;
  Output<double> out{sample::size(sample::d, sample::n)};
  int64_t ldout = sample::d;
  Output<int64_t> rank{1};
  FREERIDGE_CALL(freeridge_pinv);
};

struct Exponents : AnyCall {
  static constexpr const char* optional = "count exponents";
  int64_t d = 2;
  int32_t degree = 2, bias = 1;
  Output<int64_t> count{1};
  Output<int32_t> exponents{12};
  FREERIDGE_CALL(freeridge_polynomial_exponents);
};

struct Features : AnyCall {
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = sample::n, d = sample::d;
  Input<double> x{sample::x()};
  int64_t ldx = sample::n;
  int32_t degree = 2, bias = 1;
  Output<double> out{sample::size(sample::n, 6)};
  int64_t ldout = sample::n;
  FREERIDGE_CALL(freeridge_polynomial_features);
};

struct Factors : AnyCall {
  int64_t d = 2;
  int32_t degree = 2;
  double scale = 1, offset = 1;
  Output<double> factors{6};
  FREERIDGE_CALL(freeridge_polynomial_feature_factors);
};

struct Median : AnyCall {
  int64_t n = 3;
  Input<double> values{{1, 2, 3}}, weights{{1, 1, 1}};
  Output<double> median{1};
  FREERIDGE_CALL(freeridge_weighted_median);
};

struct Slope : AnyCall {
  int64_t n = 3;
  Input<double> x{{1, 2, 3}}, y{{1, 1, 1}};
  Output<double> slope{1};
  FREERIDGE_CALL(freeridge_absolute_slope);
};

struct StackWeights : AnyCall {
  static constexpr const char* optional = "weights errors";
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = 4, k = 2;
  Input<double> f{{1, 2, 3, 4, 2, 1, 3, 5}};
  int64_t ldf = 4;
  Input<double> y{{1, 1, 4, 4}}, weights{{1, 2, 1, 0.5}};
  double prior = 0.5;
  Output<double> w{2}, errors{4};
  FREERIDGE_CALL(freeridge_stack_weights);
};

}  // namespace classical
