// The calls of freeridge_classifier as values, valid until a test spoils an argument; a classifier in each state, and all
// that it answers.
#pragma once

#include "capi/support/shared_arguments.hpp"
#include "losses/classifier.hpp"
#include "support/saved.hpp"

namespace classifier {

using losses::Classifier;
using support::Kernel;
using support::Vector;

constexpr std::int64_t n = sample::n, d = sample::d, m = sample::m;

inline Vector labels() {
  return {1, 1, -1, 1, -1, -1, 1, -1, 1, 1, -1, -1};
}

enum class State { empty, data, fitted };

inline Classifier classifier(State state, freeridge_loss loss = FREERIDGE_LOSS_LOGISTIC) {
  Classifier out(Kernel::gaussian(sample::sigma), loss);
  if (state == State::empty) return out;
  out.data(sample::matrix(n, sample::x()), labels()).weights(sample::weights());
  if (state == State::fitted) out.fit(0.5);
  return out;
}

// Everything that a classifier answers; the statuses of what it refuses.
inline Vector everything(const Classifier& c) {
  Vector out;
  const auto keep = [&](freeridge_status status, const Vector& numbers) {
    out.push_back(status);
    if (status == FREERIDGE_OK) out.insert(out.end(), numbers.begin(), numbers.end());
  };
  Vector values(n), b(1), convergence(4), decision(m), probability(m);
  std::int64_t iterations = 0, count = 0;
  const Vector x = sample::new_x();
  keep(freeridge_classifier_get_coefficients(c.get(), values.data(), b.data()), values);
  out.push_back(b[0]);
  keep(freeridge_classifier_get_convergence(c.get(), &convergence[0], &iterations, &convergence[1], &convergence[2],
                                            &convergence[3]),
       convergence);
  out.push_back(static_cast<double>(iterations));
  keep(
      freeridge_classifier_predict(c.get(), support::at(FREERIDGE_COL_MAJOR, m, d, x.data()), decision.data(), nullptr),
      decision);
  keep(freeridge_classifier_predict(c.get(), support::at(FREERIDGE_COL_MAJOR, m, d, x.data()), nullptr,
                                    probability.data()),
       probability);
  keep(freeridge_classifier_loo(c.get(), values.data()), values);
  keep(freeridge_classifier_get_support(c.get(), &count, nullptr, &b[0]), b);
  out.push_back(static_cast<double>(count));
  keep(freeridge_classifier_distances(c.get(), support::at(FREERIDGE_COL_MAJOR, m, d, x.data()), decision.data()),
       decision);
  keep(freeridge_classifier_get_margins(c.get(), values.data(), nullptr, nullptr, nullptr), values);
  keep(freeridge_classifier_get_margins(c.get(), nullptr, values.data(), nullptr, nullptr), values);
  keep(freeridge_classifier_get_margins(c.get(), nullptr, nullptr, values.data(), nullptr), values);
  return out;
}

// ---- the calls, valid until a test spoils an argument ----

struct OnClassifier {
  freeridge_classifier* classifier = nullptr;
};

struct Create : AnyCall {
  Kernel owned = Kernel::gaussian(1.0);
  const freeridge_kernel* kernel = owned.get();
  freeridge_loss loss = FREERIDGE_LOSS_LOGISTIC;
  Output<freeridge_classifier*> out{1};
  FREERIDGE_CALL(freeridge_classifier_create);
};

struct SetData : AnyCall, OnClassifier {
  PointsArgument points = dense_points(sample::n, sample::x());
  Input<double> y{labels()};
  FREERIDGE_CALL(freeridge_classifier_set_data);
};
struct SetSparse : AnyCall, OnClassifier {
  PointsArgument points = sparse_points(sample::n, sample::x());
  Input<double> y{labels()};
  FREERIDGE_CALL(freeridge_classifier_set_data);
};

struct SetWeights : AnyCall, OnClassifier {
  static constexpr const char* optional = "weights";
  Input<double> weights{sample::weights()};
  FREERIDGE_CALL(freeridge_classifier_set_weights);
};

struct SetParameter : AnyCall, OnClassifier {
  freeridge_parameter parameter = FREERIDGE_INTERCEPT;
  double value = 1;
  FREERIDGE_CALL(freeridge_classifier_set_parameter);
};
struct SetTolerance : SetParameter {
  SetTolerance() { parameter = FREERIDGE_TOLERANCE, value = 1e-6; }
};
struct SetIterations : SetParameter {
  SetIterations() { parameter = FREERIDGE_ITERATIONS, value = 50; }
};
struct GetParameter : AnyCall, OnClassifier {
  freeridge_parameter parameter = FREERIDGE_LOSS;
  Output<double> value{1};
  FREERIDGE_CALL(freeridge_classifier_get_parameter);
};

struct SetProgress : AnyCall, OnClassifier {
  static constexpr const char* optional = "callback user";
  freeridge_progress callback = nullptr;
  void* user = nullptr;
  FREERIDGE_CALL(freeridge_classifier_set_progress);
};

FREERIDGE_GETTER(MemoryRequired, OnClassifier, freeridge_classifier_memory_required, 1);

FREERIDGE_SETTER(Fit, OnClassifier, freeridge_classifier_fit, 0.25);

struct NewPoints {
  PointsArgument points = dense_points(sample::m, sample::new_x());
};
struct NewSparsePoints {
  PointsArgument points = sparse_points(sample::m, sample::new_x());
};

struct Predict : AnyCall, OnClassifier, NewPoints {
  static constexpr const char* optional = "decision probability";
  Output<double> decision{sample::m}, probability{sample::m};
  FREERIDGE_CALL(freeridge_classifier_predict);
};
struct PredictSparse : AnyCall, OnClassifier, NewSparsePoints {
  static constexpr const char* optional = "decision probability";
  Output<double> decision{sample::m}, probability{sample::m};
  FREERIDGE_CALL(freeridge_classifier_predict);
};

FREERIDGE_GETTER(Loo, OnClassifier, freeridge_classifier_loo, n);

struct GetCoefficients : AnyCall, OnClassifier {
  static constexpr const char* optional = "c b";
  Output<double> c{n}, b{1};
  FREERIDGE_CALL(freeridge_classifier_get_coefficients);
};

struct GetConvergence : AnyCall, OnClassifier {
  static constexpr const char* optional = "objective iterations stationarity dual gap";
  Output<double> objective{1}, stationarity{1}, dual{1}, gap{1};
  Output<int64_t> iterations{1};
  FREERIDGE_CALL(freeridge_classifier_get_convergence);
};

struct GetSupport : AnyCall, OnClassifier {
  static constexpr const char* optional = "rows margin";
  Output<int64_t> count{1}, rows{n};
  Output<double> margin{1};
  FREERIDGE_CALL(freeridge_classifier_get_support);
};

struct Distances : AnyCall, OnClassifier, NewPoints {
  Output<double> distance{sample::m};
  FREERIDGE_CALL(freeridge_classifier_distances);
};

struct GetMargins : AnyCall, OnClassifier {
  static constexpr const char* optional = "margin slack alpha support";
  Output<double> margin{n}, slack{n}, alpha{n};
  Output<freeridge_support> support{n};
  FREERIDGE_CALL(freeridge_classifier_get_margins);
};

FREERIDGE_GETTER(GetKernel, OnClassifier, freeridge_classifier_get_kernel, 1);
FREERIDGE_GETTER(GetWeights, OnClassifier, freeridge_classifier_get_weights, sample::n);
FREERIDGE_GETTER(GetLambda, OnClassifier, freeridge_classifier_get_lambda, 1);

struct GetDimensions : AnyCall, OnClassifier {
  static constexpr const char* optional = "n d";
  Output<int64_t> n{1}, d{1};
  FREERIDGE_CALL(freeridge_classifier_get_dimensions);
};

struct Save : AnyCall, OnClassifier {
  Input<char> path{{'/', 'd', 'e', 'v', '/', 'n', 'u', 'l', 'l', '\0'}};
  FREERIDGE_CALL(freeridge_classifier_save);
};

struct SaveToMemory : AnyCall, OnClassifier {
  int64_t size = 100000;
  Output<unsigned char> bytes{100000};
  Output<int64_t> length{1};
  FREERIDGE_CALL(freeridge_classifier_save_to_memory);
};

struct Load : AnyCall {
  Input<char> path{{'/', 'n', 'o', 'n', 'e', '\0'}};
  Output<freeridge_classifier*> out{1};
  FREERIDGE_CALL(freeridge_classifier_load);
};

inline support::Bytes saved_bytes() {
  return support::saved(classifier(State::fitted).get());
}

struct LoadFromMemory : AnyCall {
  Input<unsigned char> bytes{saved_bytes()};
  int64_t size = static_cast<int64_t>(bytes.values.size());
  Output<freeridge_classifier*> out{1};
  FREERIDGE_CALL(freeridge_classifier_load_from_memory);
};

}  // namespace classifier
