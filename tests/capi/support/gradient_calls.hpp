// The calls of "Gradients and descent" as structs: their arguments, valid until a test spoils one.
#pragma once

#include "capi/support/call.hpp"
#include "capi/support/sample.hpp"
#include "capi/support/struct_argument.hpp"

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
  using Descent = freeridge_descent;
  static constexpr const char* optional = "weights descent.start_w objective";
  static constexpr const char* own = "loss";
  freeridge_loss loss = FREERIDGE_LOSS_LOGISTIC;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = sample::n, d = sample::d;
  Input<double> x{sample::x()};
  int64_t ldx = sample::n;
  Input<double> y{labels()}, weights{sample::weights()};
  double lambda = 0.5;
  int64_t count = 3;
  Input<int64_t> steps{{0, 4, 9}};
  StructArgument<Descent> descent = StructArgument<Descent>({.size = 0,
                                                             .intercept = 1,
                                                             .average = 1,
                                                             .start_w = nullptr,
                                                             .start_b = 0.25,
                                                             .done = 3,
                                                             .rule = FREERIDGE_STEP_INVERSE,
                                                             .step = 0.01,
                                                             .batch = 5,
                                                             .seed = 1,
                                                             .callback = nullptr,
                                                             .user = nullptr,
                                                             .step_used = 0},
                                                            {{"start_b", &Descent::start_b},
                                                             {"done", &Descent::done},
                                                             {"rule", &Descent::rule},
                                                             {"step", &Descent::step},
                                                             {"batch", &Descent::batch}})
                                        .in("start_w", &Descent::start_w, {0.5, -1});
  Output<double> w{6}, b{3}, objective{3};
  FREERIDGE_CALL(freeridge_gradient_descent);
};

struct EarlyStopping : AnyCall {
  using Answers = freeridge_early_stopping_answers;
  static constexpr const char* optional =
      "answers.w answers.b answers.df answers.lambda answers.ridge_w answers.ridge_b answers.ridge_df";
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t n = sample::n, d = sample::d;
  Input<double> x{sample::x()};
  int64_t ldx = sample::n;
  Input<double> y{labels()};
  int32_t intercept = 1;
  double step = 0;
  int64_t count = 3;
  Input<int64_t> steps{{1, 4, 2}};
  StructArgument<Answers> answers = StructArgument<Answers>({}, {})
                                        .out("w", &Answers::w, 6)
                                        .out("b", &Answers::b, 3)
                                        .out("df", &Answers::df, 3)
                                        .out("lambda", &Answers::lambda, 3)
                                        .out("ridge_w", &Answers::ridge_w, 6)
                                        .out("ridge_b", &Answers::ridge_b, 3)
                                        .out("ridge_df", &Answers::ridge_df, 3);
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
