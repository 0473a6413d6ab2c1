#include "saved/cases.hpp"

#include <cmath>

#include "support/landmarks.hpp"
#include "support/sparse.hpp"

namespace {

using sample::State;

using Prepare = std::function<void(Model&)>;  // after the data
const Prepare nothing = [](Model&) {};

void weigh(Model& model) {
  model.weights(sample::weights()).groups(sample::group(), 1, sample::gap());
}

Model in_state(Model model, State state, const std::function<void(Model&)>& give_data) {
  if (state == State::empty) return model;
  give_data(model);
  if (state == State::data) return model;
  model.factorize();
  if (state == State::factorized) return model;
  model.select_lambda(FREERIDGE_LOO, 1e-3, 1e3);
  return model;
}

SavedCase of(const std::string& name, const std::function<Kernel()>& kernel, freeridge_route route,
             const Prepare& prepare, bool intercept = true) {
  return {name, [=](State state) {
            Model model(kernel());
            model.route(route).intercept(intercept);
            return in_state(std::move(model), state, [&](Model& m) {
              m.data(sample::matrix(sample::n, sample::x()), sample::matrix(sample::n, sample::y()));
              prepare(m);
            });
          }};
}

Kernel gaussian() {
  return Kernel::gaussian(sample::sigma);
}
Kernel linear() {
  return Kernel::linear();
}
Kernel composite() {
  std::vector<Kernel> factors, terms;
  factors.push_back(Kernel::polynomial(2, 0.1, 1.0));
  factors.push_back(Kernel::scaled(Kernel::gaussian(1.0 / 3), sample::scale()));
  terms.push_back(Kernel::product(factors));
  terms.push_back(Kernel::linear());
  return Kernel::sum(terms, {0.1, 0.7});
}

Prepare chosen_landmarks(freeridge_landmark_method method) {
  return [=](Model& model) {
    weigh(model);
    support::choose_landmarks(model, 4, method, -3);
  };
}

Prepare given_landmarks(bool weighted) {
  return [=](Model& model) {
    if (weighted) weigh(model);
    support::set_landmarks(model, sample::landmarks());
  };
}

// The same x, but for two numbers that are zero, sparse.
Prepare sparse(freeridge_sparse_format format) {
  return [=](Model& model) {
    support::Matrix x = sample::matrix(sample::n, sample::x());
    x(1, 0) = x(2, 0) = 0;
    support::check(
        support::set_sparse(model.get(), support::Sparse(x, format), sample::matrix(sample::n, sample::y()), false),
        "freeridge_set_points");
    weigh(model);
  };
}

void fix(Model& model) {
  model.data(sample::matrix(sample::n, sample::x()), sample::matrix(sample::n, sample::y()),
             sample::matrix(sample::n, sample::fixed()));
  weigh(model);
}

void refine(Model& model) {
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, 2), "freeridge_set_parameter");
}

void expect_few(Model& model) {
  model.expected_lambdas(3);
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_EXPECTED_CRITERION, FREERIDGE_GCV),
                 "freeridge_set_parameter");
}

// x and y row by row with gaps, borrowed: they live as long as the program.
Model borrowed(State state, const Kernel& kernel, freeridge_route route) {
  static const support::Packed x = support::pack(sample::matrix(sample::n, sample::x()), FREERIDGE_ROW_MAJOR, 3);
  static const support::Packed y = support::pack(sample::matrix(sample::n, sample::y()), FREERIDGE_ROW_MAJOR, 1);
  Model model(kernel);
  model.route(route);
  return in_state(std::move(model), state, [&](Model& m) {
    m.data_view(x, y, sample::n, sample::d, sample::t);
    weigh(m);
  });
}

// K of the Gaussian kernel, given.
Model given(State state, freeridge_route route, bool landmarks) {
  support::Matrix k(sample::n, sample::n);
  const std::vector<double> x = sample::x();
  for (int64_t i = 0; i < sample::n; ++i)
    for (int64_t j = 0; j < sample::n; ++j) {
      double square = 0;
      for (int64_t f = 0; f < sample::d; ++f) {
        const double gap = x[sample::size(i + f * sample::n)] - x[sample::size(j + f * sample::n)];
        square += gap * gap;
      }
      k(i, j) = std::exp(-square);
    }
  Model model(Kernel::precomputed());
  model.route(route);
  return in_state(std::move(model), state, [&](Model& m) {
    m.data(k, sample::matrix(sample::n, sample::y()));
    weigh(m);
    if (landmarks) support::set_landmarks(m, sample::landmarks());
  });
}

}  // namespace

const std::vector<SavedCase>& saved_cases() {
  static const std::vector<SavedCase> all = {
      of("spectral", gaussian, FREERIDGE_ROUTE_SPECTRAL, weigh),
      of("cholesky", gaussian, FREERIDGE_ROUTE_CHOLESKY, weigh),
      of("band", gaussian, FREERIDGE_ROUTE_BAND, weigh),
      of("primal", linear, FREERIDGE_ROUTE_PRIMAL, weigh),
      of("landmark", gaussian, FREERIDGE_ROUTE_LANDMARK, given_landmarks(true)),
      of("automatic, unweighted", gaussian, FREERIDGE_ROUTE_AUTO, nothing),
      of("spectral, no intercept", gaussian, FREERIDGE_ROUTE_SPECTRAL, weigh, false),
      of("cholesky, no intercept", gaussian, FREERIDGE_ROUTE_CHOLESKY, nothing, false),
      of("band, no intercept", gaussian, FREERIDGE_ROUTE_BAND, weigh, false),
      of("primal, no intercept", linear, FREERIDGE_ROUTE_PRIMAL, nothing, false),
      of("landmark, no intercept", gaussian, FREERIDGE_ROUTE_LANDMARK, given_landmarks(false), false),
      of("iterative", gaussian, FREERIDGE_ROUTE_ITERATIVE, weigh),
      of("iterative, no intercept", composite, FREERIDGE_ROUTE_ITERATIVE, nothing, false),
      of("fixed effects, iterative", gaussian, FREERIDGE_ROUTE_ITERATIVE, fix),
      of("fixed effects, spectral", gaussian, FREERIDGE_ROUTE_SPECTRAL, fix),
      of("fixed effects, cholesky", gaussian, FREERIDGE_ROUTE_CHOLESKY, fix, false),
      of("fixed effects, band", gaussian, FREERIDGE_ROUTE_BAND, fix),
      of("fixed effects, primal", linear, FREERIDGE_ROUTE_PRIMAL, fix),
      of("fixed effects, landmarks", gaussian, FREERIDGE_ROUTE_LANDMARK,
         [](Model& m) {
           fix(m);
           support::set_landmarks(m, sample::landmarks());
         }),
      of("fixed effects, streamed", linear, FREERIDGE_ROUTE_PRIMAL,
         [](Model& m) {
           fix(m);
           support::set_reduction(m, FREERIDGE_REDUCTION_GRAM);
         }),
      of("composite kernel", composite, FREERIDGE_ROUTE_SPECTRAL, weigh),
      of("composite kernel, landmarks", composite, FREERIDGE_ROUTE_LANDMARK,
         chosen_landmarks(FREERIDGE_LANDMARKS_KMEANS)),
      of("linear kernel, spectral", linear, FREERIDGE_ROUTE_SPECTRAL, weigh),
      of("linear kernel, cholesky", linear, FREERIDGE_ROUTE_CHOLESKY, weigh),
      of("linear kernel, band", linear, FREERIDGE_ROUTE_BAND, nothing),
      of("linear kernel, landmarks", linear, FREERIDGE_ROUTE_LANDMARK, given_landmarks(false)),
      of("landmarks, pivoted", gaussian, FREERIDGE_ROUTE_AUTO, chosen_landmarks(FREERIDGE_LANDMARKS_PIVOTED)),
      of("landmarks, at random, by QR", gaussian, FREERIDGE_ROUTE_LANDMARK,
         [](Model& m) {
           chosen_landmarks(FREERIDGE_LANDMARKS_RANDOM)(m);
           support::set_reduction(m, FREERIDGE_REDUCTION_QR);
         }),
      of("primal, streamed", linear, FREERIDGE_ROUTE_PRIMAL,
         [](Model& m) {
           weigh(m);
           support::set_reduction(m, FREERIDGE_REDUCTION_GRAM);
         }),
      of("band, few lambdas", gaussian, FREERIDGE_ROUTE_BAND, expect_few),
      of("spectral, refined", gaussian, FREERIDGE_ROUTE_SPECTRAL, refine),
      of("primal, refined", linear, FREERIDGE_ROUTE_PRIMAL, refine),
      of("sparse, primal", linear, FREERIDGE_ROUTE_PRIMAL, sparse(FREERIDGE_CSC)),
      of("sparse, spectral", gaussian, FREERIDGE_ROUTE_SPECTRAL, sparse(FREERIDGE_CSR)),
      {"borrowed rows, spectral", [](State state) { return borrowed(state, gaussian(), FREERIDGE_ROUTE_SPECTRAL); }},
      {"borrowed rows, primal", [](State state) { return borrowed(state, linear(), FREERIDGE_ROUTE_PRIMAL); }},
      {"given matrix, spectral", [](State state) { return given(state, FREERIDGE_ROUTE_SPECTRAL, false); }},
      {"given matrix, cholesky", [](State state) { return given(state, FREERIDGE_ROUTE_CHOLESKY, false); }},
      {"given matrix, band", [](State state) { return given(state, FREERIDGE_ROUTE_BAND, false); }},
      {"given matrix, landmarks", [](State state) { return given(state, FREERIDGE_ROUTE_LANDMARK, true); }},
  };
  return all;
}
