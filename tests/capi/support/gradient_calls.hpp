// The calls of "Gradients and descent" as structs: their arguments, valid until a test spoils one.
#pragma once

#include "capi/support/call.hpp"
#include "capi/support/sample.hpp"

namespace classical {

inline std::vector<double> labels() {
  return {1, -1, 1, 1, -1, -1, 1, -1, 1, 1, -1, -1};
}

struct LossGradient : AnyCall {
  static constexpr const char* optional = "weights objective gradient gradient_b";
  static constexpr const char* own = "loss";
  freeridge_loss loss = FREERIDGE_LOSS_HINGE;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = sample::n, d = sample::d;
  Input<double> x{sample::x()};
  int64_t ldx = sample::n;
  Input<double> y{labels()}, weights{sample::weights()};
  double lambda = 0.5;
  int64_t count = 2;
  Input<double> w{{1, -0.5, 0.25, 2}}, b{{0, 1}};
  Output<double> objective{2}, gradient{4}, gradient_b{2};
  FREERIDGE_CALL(freeridge_loss_gradient);
};

struct ExpansionGradient : AnyCall {
  static constexpr const char* optional = "weights objective gradient gradient_b";
  static constexpr const char* own = "loss";
  freeridge_loss loss = FREERIDGE_LOSS_LOGISTIC;
  int64_t n = 2;
  Input<double> k{{2, 0.5, 0.5, 1}};
  int64_t ldk = 2;
  Input<double> y{{1, -1}}, weights{{1, 2}};
  double lambda = 0.5;
  Input<double> c{{1, -1}};
  double b = 0.25;
  Output<double> objective{1}, gradient{2}, gradient_b{1};
  FREERIDGE_CALL(freeridge_expansion_gradient);
};

struct GradientDescent : AnyCall {
  static constexpr const char* optional = "weights start_w callback user objective step_used";
  static constexpr const char* own = "loss";
  freeridge_loss loss = FREERIDGE_LOSS_LOGISTIC;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = sample::n, d = sample::d;
  Input<double> x{sample::x()};
  int64_t ldx = sample::n;
  Input<double> y{labels()}, weights{sample::weights()};
  int32_t intercept = 1;
  double lambda = 0.5;
  Input<double> start_w{{0.5, -1}};
  double start_b = 0.25;
  int64_t done = 3;
  freeridge_step_rule rule = FREERIDGE_STEP_INVERSE;
  double step = 0.01;
  int64_t batch = 5, seed = 1;
  int32_t average = 1;
  int64_t count = 3;
  Input<int64_t> steps{{0, 4, 9}};
  freeridge_progress callback = nullptr;
  void* user = nullptr;
  Output<double> w{6}, b{3}, objective{3}, step_used{1};
  FREERIDGE_CALL(freeridge_gradient_descent);
};

struct EarlyStopping : AnyCall {
  static constexpr const char* optional = "w b df lambda ridge_w ridge_b ridge_df step_used";
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = sample::n, d = sample::d;
  Input<double> x{sample::x()};
  int64_t ldx = sample::n;
  Input<double> y{labels()};
  int32_t intercept = 1;
  double step = 0;
  int64_t count = 3;
  Input<int64_t> steps{{1, 4, 2}};
  Output<double> w{6}, b{3}, df{3}, lambda{3}, ridge_w{6}, ridge_b{3}, ridge_df{3}, step_used{1};
  FREERIDGE_CALL(freeridge_early_stopping);
};

struct Calibrate : AnyCall {
  static constexpr const char* optional = "weights";
  int64_t n = 4;
  Input<double> decision{{-1, 0.5, -0.5, 2}}, y{{-1, -1, 1, 1}}, weights{{1, 2, 1, 0.5}};
  Output<double> slope{1}, offset{1};
  FREERIDGE_CALL(freeridge_calibrate);
};

}  // namespace classical
