// The calls of freeridge_classifier as values, valid until a test spoils an argument; a classifier in each state, and all
// that it answers.
#pragma once

#include "capi/support/refusals.hpp"
#include "losses/classifier.hpp"

namespace losses {

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
  Vector values(n), b(1), convergence(2), decision(m), probability(m);
  std::int64_t iterations = 0, count = 0;
  const Vector x = sample::new_x();
  keep(freeridge_classifier_get_coefficients(c.get(), values.data(), b.data()), values);
  out.push_back(b[0]);
  keep(freeridge_classifier_get_convergence(c.get(), &convergence[0], &iterations, &convergence[1]), convergence);
  out.push_back(static_cast<double>(iterations));
  keep(freeridge_classifier_predict(c.get(), FREERIDGE_COL_MAJOR, m, x.data(), m, decision.data(), nullptr), decision);
  keep(freeridge_classifier_predict(c.get(), FREERIDGE_COL_MAJOR, m, x.data(), m, nullptr, probability.data()),
       probability);
  keep(freeridge_classifier_loo(c.get(), values.data()), values);
  keep(freeridge_classifier_get_support(c.get(), &count, nullptr, &b[0]), b);
  out.push_back(static_cast<double>(count));
  return out;
}

// ---- the calls, valid until a test spoils an argument ----

struct Create {
  static constexpr const char* name = "freeridge_classifier_create";
  Kernel owned = Kernel::gaussian(1.0);
  const freeridge_kernel* kernel = owned.get();
  freeridge_loss loss = FREERIDGE_LOSS_LOGISTIC;
  Output<freeridge_classifier*> out{1};
  freeridge_status operator()() { return freeridge_classifier_create(kernel, loss, out.get()); }
  void each_output(auto visit) { visit(out); }
};

struct SetData {
  static constexpr const char* name = "freeridge_classifier_set_data";
  freeridge_classifier* classifier = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t rows = n, columns = d;
  Input<double> x{sample::x()};
  int64_t ldx = n;
  Input<double> y{labels()};
  freeridge_status operator()() {
    return freeridge_classifier_set_data(classifier, layout, rows, columns, x.get(), ldx, y.get());
  }
};

struct SetWeights {
  static constexpr const char* name = "freeridge_classifier_set_weights";
  freeridge_classifier* classifier = nullptr;
  Input<double> weights{sample::weights()};
  freeridge_status operator()() { return freeridge_classifier_set_weights(classifier, weights.get()); }
};

struct SetIntercept {
  static constexpr const char* name = "freeridge_classifier_set_intercept";
  freeridge_classifier* classifier = nullptr;
  freeridge_status operator()() { return freeridge_classifier_set_intercept(classifier, 1); }
};

struct SetProgress {
  static constexpr const char* name = "freeridge_classifier_set_progress";
  freeridge_classifier* classifier = nullptr;
  freeridge_status operator()() { return freeridge_classifier_set_progress(classifier, nullptr, nullptr); }
};

struct SetControl {
  static constexpr const char* name = "freeridge_classifier_set_control";
  freeridge_classifier* classifier = nullptr;
  double tolerance = 1e-6;
  int64_t iterations = 500;
  freeridge_status operator()() { return freeridge_classifier_set_control(classifier, tolerance, iterations); }
};

struct FitCall {
  static constexpr const char* name = "freeridge_classifier_fit";
  freeridge_classifier* classifier = nullptr;
  double lambda = 0.25;
  freeridge_status operator()() { return freeridge_classifier_fit(classifier, lambda); }
};

struct Predict {
  static constexpr const char* name = "freeridge_classifier_predict";
  freeridge_classifier* classifier = nullptr;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  int64_t rows = m;
  Input<double> x{sample::new_x()};
  int64_t ldx = m;
  Output<double> decision{m}, probability{m};
  freeridge_status operator()() {
    return freeridge_classifier_predict(classifier, layout, rows, x.get(), ldx, decision.get(), probability.get());
  }
  void each_output(auto visit) { visit(decision), visit(probability); }
};

struct Loo {
  static constexpr const char* name = "freeridge_classifier_loo";
  freeridge_classifier* classifier = nullptr;
  Output<double> decision{n};
  freeridge_status operator()() { return freeridge_classifier_loo(classifier, decision.get()); }
  void each_output(auto visit) { visit(decision); }
};

struct GetCoefficients {
  static constexpr const char* name = "freeridge_classifier_get_coefficients";
  freeridge_classifier* classifier = nullptr;
  Output<double> c{n}, b{1};
  freeridge_status operator()() { return freeridge_classifier_get_coefficients(classifier, c.get(), b.get()); }
  void each_output(auto visit) { visit(c), visit(b); }
};

struct GetConvergence {
  static constexpr const char* name = "freeridge_classifier_get_convergence";
  freeridge_classifier* classifier = nullptr;
  Output<double> objective{1}, gap{1};
  Output<int64_t> iterations{1};
  freeridge_status operator()() {
    return freeridge_classifier_get_convergence(classifier, objective.get(), iterations.get(), gap.get());
  }
  void each_output(auto visit) { visit(objective), visit(gap), visit(iterations); }
};

struct GetSupport {
  static constexpr const char* name = "freeridge_classifier_get_support";
  freeridge_classifier* classifier = nullptr;
  Output<int64_t> count{1}, rows{n};
  Output<double> margin{1};
  freeridge_status operator()() {
    return freeridge_classifier_get_support(classifier, count.get(), rows.get(), margin.get());
  }
  void each_output(auto visit) { visit(count), visit(rows), visit(margin); }
};

}  // namespace losses
