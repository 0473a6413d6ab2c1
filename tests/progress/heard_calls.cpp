#include "progress/heard_calls.hpp"

#include <algorithm>
#include <cmath>

namespace heard {
namespace {

using support::Random;

std::size_t at(std::int64_t size) {
  return static_cast<std::size_t>(size);
}

struct Data {
  Matrix x, y, points;
};

Data data_of(const Case& c, const Sizes& s) {
  Random random(17);
  Data out{random.uniform_matrix(s.n, s.d, -1, 1), {}, random.uniform_matrix(s.m, s.d, -1, 1)};
  if (c.two_scales)
    for (std::int64_t j = 1; j < s.d; j += 2)
      for (std::int64_t i = 0; i < s.n; ++i) out.x(i, j) *= 1e-9;
  out.y = support::responses(random, out.x, s.t, 0.1);
  if (std::string(c.kernel) != "precomputed()") return out;
  const auto gram = [&](const Matrix& a) {
    Matrix k(a.rows, s.n);
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t j = 0; j < s.n; ++j) {
        double distance = 0;
        for (std::int64_t f = 0; f < s.d; ++f) distance += (a(i, f) - out.x(j, f)) * (a(i, f) - out.x(j, f));
        k(i, j) = std::exp(-distance);
      }
    return k;
  };
  const Matrix points = gram(out.points), k = gram(out.x);
  out.x = k;
  out.points = points;
  return out;
}

Vector numbers(std::int64_t count) {
  return Vector(at(count), untouched);
}

Vector joined(std::initializer_list<Vector> parts) {
  Vector out;
  for (const Vector& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

const Vector lambdas = {0.01, 0.1, 0.3, 1, 10};

}  // namespace

Model data_model(const Case& c, const Sizes& s) {
  const Data data = data_of(c, s);
  Random random(5);
  Model model(support::Kernel::parse(c.kernel));
  model.data(data.x, data.y).weights(random.uniform_vector(s.n, 0.5, 2)).route(c.route);
  if (c.landmarks > 0) support::choose_landmarks(model, c.landmarks, FREERIDGE_LANDMARKS_AUTO, 3);
  support::set_reduction(model, c.reduction);
  support::check(freeridge_set_expected_criterion(model.get(), c.expected), "freeridge_set_expected_criterion");
  support::check(freeridge_set_refinement(model.get(), c.refinement), "freeridge_set_refinement");
  model.groups(support::modulo_groups(s.n, 5));
  return model;
}

Model factorized_model(const Case& c, const Sizes& s) {
  Model model = data_model(c, s);
  model.factorize();
  return model;
}

Model fitted_model(const Case& c, const Sizes& s) {
  Model model = factorized_model(c, s);
  if (c.two_lambdas) {
    Vector each;
    for (std::int64_t j = 0; j < s.t; ++j) each.push_back(0.2 * static_cast<double>(j + 1));
    model.lambdas(each);
  } else {
    model.lambda(0.3);
  }
  return model;
}

std::vector<Call<Model>> data_calls(const Case& c, const Sizes& s) {
  std::vector<Call<Model>> out;
  out.push_back({"set_data", [=](const Model& m) {
                   const Data data = data_of(c, s);
                   const std::int64_t d = data.x.cols;
                   return Answer{freeridge_set_data(m.get(), FREERIDGE_COL_MAJOR, s.n, d, data.x.values.data(), s.n,
                                                    s.t, data.y.values.data(), s.n),
                                 {}};
                 }});
  out.push_back({"factorize", [](const Model& m) { return Answer{freeridge_factorize(m.get()), {}}; }});
  if (c.landmarks > 0)
    out.push_back({"landmark_curve", [=](const Model& m) {
                     const std::vector<std::int64_t> sizes = {3, c.landmarks};
                     Vector best = numbers(2 * s.t), score = best;
                     const freeridge_status status = freeridge_landmark_curve(m.get(), FREERIDGE_GCV, 2, sizes.data(),
                                                                              best.data(), score.data(), 2);
                     return Answer{status, joined({best, score})};
                   }});
  const bool dual = std::string(c.kernel).find("gaussian") != std::string::npos;
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_REML, FREERIDGE_GROUPS})
    if (dual && c.landmarks == 0)
      out.push_back({"score_gradient by criterion " + std::to_string(criterion), [=](const Model& m) {
                       Vector score = numbers(1), by_lambda = score, by_sigma = score;
                       const freeridge_status status = freeridge_score_gradient(m.get(), criterion, 0.4, score.data(),
                                                                                by_lambda.data(), by_sigma.data());
                       return Answer{status, joined({score, by_lambda, by_sigma})};
                     }});
  if (dual)
    out.push_back({"select_bandwidth", [=](const Model& m) {
                     Vector sigma = numbers(1);
                     const freeridge_status status =
                         freeridge_select_bandwidth(m.get(), FREERIDGE_GCV, 0.5, 5, 3, sigma.data());
                     return Answer{status, sigma};
                   }});
  if (std::string(c.kernel).find("gaussian") != std::string::npos)
    out.push_back({"select_kernel", [=](const Model& m) {
                     Vector score = numbers(1);
                     const freeridge_status status =
                         freeridge_select_kernel(m.get(), FREERIDGE_REML, nullptr, 0, 0, 1, 3, score.data());
                     return Answer{status, score};
                   }});
  return out;
}

std::vector<Call<Model>> factorized_calls(const Case& c, const Sizes& s) {
  std::vector<Call<Model>> out;
  out.push_back({"set_lambda", [](const Model& m) { return Answer{freeridge_set_lambda(m.get(), 0.4), {}}; }});
  out.push_back({"set_lambdas", [=](const Model& m) {
                   Vector each;
                   for (std::int64_t j = 0; j < s.t; ++j) each.push_back(0.1 + 0.3 * static_cast<double>(j));
                   return Answer{freeridge_set_lambdas(m.get(), each.data()), {}};
                 }});
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS}) {
    const std::string name = " by criterion " + std::to_string(criterion);
    const auto count = static_cast<std::int64_t>(lambdas.size());
    out.push_back({"score" + name, [=](const Model& m) {
                     Vector scores = numbers(count * s.t);
                     const freeridge_status status =
                         freeridge_score(m.get(), criterion, count, lambdas.data(), scores.data(), nullptr, count);
                     return Answer{status, scores};
                   }});
    if (criterion == FREERIDGE_LOO || criterion == FREERIDGE_GROUPS)
      out.push_back({"score" + name + " with errors", [=](const Model& m) {
                       Vector scores = numbers(count * s.t), errors = scores;
                       const freeridge_status status = freeridge_score(m.get(), criterion, count, lambdas.data(),
                                                                       scores.data(), errors.data(), count);
                       return Answer{status, joined({scores, errors})};
                     }});
    if (criterion == FREERIDGE_LOO || criterion == FREERIDGE_GCV)
      out.push_back({"select_lambda" + name, [=](const Model& m) {
                       Vector lambda = numbers(s.t), score = numbers(s.t);
                       const freeridge_status status =
                           freeridge_select_lambda(m.get(), criterion, 0.01, 10, lambda.data(), score.data());
                       return Answer{status, joined({lambda, score})};
                     }});
  }
  const auto several = static_cast<std::int64_t>(lambdas.size());
  const Matrix points = data_of(c, s).points;
  out.push_back({"predict_path",
                 [=](const Model& m) {
                   Vector values = numbers(s.m * several * s.t);
                   const freeridge_status status =
                       freeridge_predict_path(m.get(), FREERIDGE_COL_MAJOR, s.m, points.values.data(), s.m, several,
                                              lambdas.data(), values.data(), s.m);
                   return Answer{status, values};
                 },
                 true});
  out.push_back({"objective", [=](const Model& m) {
                   Vector training = numbers(several * s.t), norm2 = training, value = training;
                   const freeridge_status status = freeridge_objective(
                       m.get(), several, lambdas.data(), training.data(), norm2.data(), value.data(), several);
                   return Answer{status, joined({training, norm2, value})};
                 }});
  out.push_back({"coefficients_path",
                 [=](const Model& m) {
                   Vector values = numbers(s.n * several * s.t), b = numbers(several * s.t);
                   const freeridge_status status =
                       freeridge_coefficients_path(m.get(), several, lambdas.data(), values.data(), s.n, b.data());
                   return Answer{status, joined({values, b})};
                 },
                 true});
  out.push_back({"hat_matrix",
                 [=](const Model& m) {
                   Vector hat = numbers(s.n * s.n), inverse = hat;
                   const freeridge_status status = freeridge_hat_matrix(m.get(), 0.3, hat.data(), inverse.data(), s.n);
                   return Answer{status, joined({hat, inverse})};
                 },
                 true});
  if (c.route != FREERIDGE_ROUTE_CHOLESKY) {
    out.push_back({"condition_number", [=](const Model& m) {
                     Vector condition = numbers(several), rank = condition;
                     const freeridge_status status =
                         freeridge_condition_number(m.get(), several, lambdas.data(), condition.data(), rank.data());
                     return Answer{status, joined({condition, rank})};
                   }});
    out.push_back({"eigenvalues", [=](const Model& m) {
                     const bool with_vectors = c.route != FREERIDGE_ROUTE_BAND;
                     Vector values = numbers(2), vectors = numbers(with_vectors ? 2 * s.n : 0);
                     const freeridge_status status =
                         freeridge_eigenvalues(m.get(), 2, values.data(), with_vectors ? vectors.data() : nullptr, s.n);
                     return Answer{status, joined({values, vectors})};
                   }});
  }
  if (c.landmarks > 0)
    out.push_back({"landmark_trace", [=](const Model& m) {
                     Vector left = numbers(1), trace = numbers(1);
                     const freeridge_status status = freeridge_landmark_trace(m.get(), left.data(), trace.data());
                     return Answer{status, joined({left, trace})};
                   }});
  return out;
}

std::vector<Call<Model>> fitted_calls(const Case& c, const Sizes& s) {
  std::vector<Call<Model>> out;
  using Matrices = freeridge_status (*)(const freeridge_model*, double*, std::int64_t);
  for (const auto& [name, call] :
       std::initializer_list<std::pair<const char*, Matrices>>{{"loo", freeridge_loo},
                                                               {"cooks_distance", freeridge_cooks_distance},
                                                               {"coefficients", freeridge_coefficients},
                                                               {"get_fitted", freeridge_get_fitted},
                                                               {"get_leverage", freeridge_get_leverage}})
    out.push_back({name, [=](const Model& m) {
                     Vector values = numbers(s.n * s.t);
                     const freeridge_status status = call(m.get(), values.data(), s.n);
                     return Answer{status, values};
                   }});
  // The solution of LANDMARK holds its coefficients: they are copied.
  for (Call<Model>& call : out)
    if (call.name == "coefficients" && c.route == FREERIDGE_ROUTE_LANDMARK) call.allocates = false;
  out.push_back({"group_errors", [=](const Model& m) {
                   Vector values = numbers(s.n * s.t);
                   const freeridge_status status =
                       freeridge_group_errors(m.get(), support::modulo_groups(s.n, 3).data(), values.data(), s.n);
                   return Answer{status, values};
                 }});
  out.push_back({"degrees_of_freedom", [=](const Model& m) {
                   Vector df = numbers(s.t), sigma2 = df;
                   const freeridge_status status = freeridge_degrees_of_freedom(m.get(), df.data(), sigma2.data());
                   return Answer{status, joined({df, sigma2})};
                 }});
  const Matrix points = data_of(c, s).points;
  out.push_back({"predict",
                 [=](const Model& m) {
                   Vector values = numbers(s.m * s.t);
                   const freeridge_status status = freeridge_predict(m.get(), FREERIDGE_COL_MAJOR, s.m,
                                                                     points.values.data(), s.m, values.data(), s.m);
                   return Answer{status, values};
                 },
                 true});
  out.push_back({"predict_jackknife", [=](const Model& m) {
                   Vector lower = numbers(s.m * s.t), upper = lower;
                   const freeridge_status status =
                       freeridge_predict_jackknife(m.get(), FREERIDGE_COL_MAJOR, s.m, points.values.data(), s.m, 0.8,
                                                   lower.data(), upper.data(), s.m);
                   return Answer{status, joined({lower, upper})};
                 }});
  if (std::string(c.kernel) == "precomputed()") return out;
  out.push_back({"predict_variance", [=](const Model& m) {
                   Vector variance = numbers(s.m * s.t), noise = numbers(s.t);
                   const freeridge_status status =
                       freeridge_predict_variance(m.get(), FREERIDGE_COL_MAJOR, s.m, points.values.data(), s.m,
                                                  variance.data(), s.m, noise.data());
                   return Answer{status, joined({variance, noise})};
                 }});
  out.push_back({"predict_gradient",
                 [=](const Model& m) {
                   Vector gradient = numbers(s.m * s.d * s.t);
                   const freeridge_status status = freeridge_predict_gradient(
                       m.get(), FREERIDGE_COL_MAJOR, s.m, points.values.data(), s.m, gradient.data(), s.m);
                   return Answer{status, gradient};
                 },
                 true});
  out.push_back({"average_gradient", [=](const Model& m) {
                   Vector average = numbers(s.d * s.t), errors = average;
                   const freeridge_status status =
                       freeridge_average_gradient(m.get(), FREERIDGE_COL_MAJOR, s.m, points.values.data(), s.m, nullptr,
                                                  average.data(), errors.data(), s.d);
                   return Answer{status, joined({average, errors})};
                 }});
  out.push_back({"average_difference", [=](const Model& m) {
                   Vector average = numbers(s.t), errors = average;
                   const Matrix others = support::scaled(points, 0.5);
                   const freeridge_status status =
                       freeridge_average_difference(m.get(), FREERIDGE_COL_MAJOR, s.m, points.values.data(), s.m,
                                                    others.values.data(), s.m, nullptr, average.data(), errors.data());
                   return Answer{status, joined({average, errors})};
                 }});
  if (std::string(c.kernel) != "linear()") return out;
  out.push_back({"coefficient_covariance", [=](const Model& m) {
                   const std::int64_t side = (s.d + 1) * s.t;
                   Vector covariance = numbers(side * side);
                   const freeridge_status status = freeridge_coefficient_covariance(
                       m.get(), FREERIDGE_COVARIANCE_BAYESIAN, covariance.data(), side);
                   return Answer{status, covariance};
                 }});
  out.push_back({"coefficient_errors", [=](const Model& m) {
                   Vector w = numbers(s.d * s.t), b = numbers(s.t);
                   const freeridge_status status =
                       freeridge_coefficient_errors(m.get(), FREERIDGE_COVARIANCE_FREQUENTIST, w.data(), s.d, b.data());
                   return Answer{status, joined({w, b})};
                 }});
  return out;
}

std::int64_t bytes_in_message() {
  const std::string message = freeridge_last_error();
  const std::size_t at = message.find(" GiB (");
  return at == std::string::npos ? -1 : std::stoll(message.substr(at + 6));
}

std::vector<Vector> everything(const Case& c, const Sizes& size, const Model& model) {
  std::vector<Vector> out;
  freeridge_route route = -1;
  const bool factorized = freeridge_get_route(model.get(), &route) == FREERIDGE_OK;
  out.push_back({static_cast<double>(route)});
  out.push_back({static_cast<double>(model.search_count())});
  double sigma = 0;
  if (freeridge_get_bandwidth(model.get(), &sigma, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) ==
      FREERIDGE_OK)
    out.push_back({sigma});
  if (!factorized) return out;
  for (const Call<Model>& call : factorized_calls(c, size))
    if (call.name.rfind("score", 0) == 0) out.push_back(call.run(model).numbers);
  Vector lambda(static_cast<std::size_t>(size.t));
  if (freeridge_get_lambda(model.get(), lambda.data()) != FREERIDGE_OK) return out;
  out.push_back(lambda);
  for (const Call<Model>& call : fitted_calls(c, size)) out.push_back(call.run(model).numbers);
  return out;
}

bool same(const std::vector<Vector>& a, const std::vector<Vector>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Vector& u, const Vector& v) { return support::bit_equal(u, v); });
}

}  // namespace heard
