#include "progress/heard_calls.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>

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

// An output of so many numbers.
struct Out {
  std::int64_t count;
};

// function(model, argument...): its status, and its outputs one after the other.
template <class Function, class... Argument>
Answer asked(const Model& model, Function function, const Argument&... argument) {
  std::vector<Vector> outputs;
  outputs.reserve(sizeof...(argument));
  [[maybe_unused]] const auto passed = [&](const auto& one) {
    if constexpr (std::is_same_v<std::decay_t<decltype(one)>, Out>) {
      return outputs.emplace_back(at(one.count), untouched).data();
    } else {
      return one;
    }
  };
  const std::tuple arguments{model.get(), passed(argument)...};  // in their order
  Answer out{std::apply(function, arguments), {}};
  std::size_t numbers = 0;
  for (const Vector& output : outputs) numbers += output.size();
  out.numbers.reserve(numbers);
  for (const Vector& output : outputs) out.numbers.insert(out.numbers.end(), output.begin(), output.end());
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
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_EXPECTED_CRITERION, c.expected),
                 "freeridge_set_parameter");
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, c.refinement), "freeridge_set_parameter");
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
  model.select_lambda(FREERIDGE_LOO, 0.01, 10);  // loo_learnt is of a choice
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
  if (c.landmarks == 0 && std::string(c.kernel) != "precomputed()")
    out.push_back({"batch",
                   [=](const Model& m) {
                     const Data data = data_of(c, s);
                     const std::vector<std::int64_t> start = {0, s.n / 3, s.n};
                     freeridge_batch_answers answers = {};
                     answers.size = sizeof answers;
                     Vector errors(at(s.n * s.t), untouched);
                     answers.errors = errors.data();
                     return Answer{
                         freeridge_batch(m.get(), support::at(data.x), FREERIDGE_COL_MAJOR, s.t, data.y.values.data(),
                                         s.n, nullptr, 2, start.data(), FREERIDGE_GCV, 0.1, 1, &answers),
                         errors};
                   },
                   true});
  out.push_back({"set_data", [=](const Model& m) {
                   const Data data = data_of(c, s);
                   return asked(m, freeridge_set_data, FREERIDGE_COL_MAJOR, s.n, data.x.cols, data.x.values.data(), s.n,
                                s.t, data.y.values.data(), s.n);
                 }});
  out.push_back({"factorize", [](const Model& m) { return asked(m, freeridge_factorize); }});
  if (c.landmarks > 0)
    out.push_back({"landmark_curve", [=](const Model& m) {
                     const std::int64_t sizes[] = {3, c.landmarks};
                     return asked(m, freeridge_landmark_curve, FREERIDGE_GCV, 2, sizes, Out{2 * s.t}, Out{2 * s.t}, 2);
                   }});
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_REML, FREERIDGE_GROUPS})
    out.push_back({"score_gradient by criterion " + std::to_string(criterion), [=](const Model& m) {
                     std::int64_t count = 0;
                     const support::Kernel kernel = support::Kernel::parse(c.kernel);
                     support::check(freeridge_kernel_get_hyperparameters(kernel.get(), &count, nullptr),
                                    "freeridge_kernel_get_hyperparameters");
                     return asked(m, freeridge_score_gradient, criterion, 0.4, Out{1}, Out{1}, Out{count + 1});
                   }});
  if (std::string(c.kernel).find("gaussian") == std::string::npos) return out;
  out.push_back({"select_bandwidth", [](const Model& m) {
                   return asked(m, freeridge_select_bandwidth, FREERIDGE_GCV, 0.5, 5.0, 3, Out{1});
                 }});
  out.push_back({"select_kernel", [](const Model& m) {
                   return asked(m, freeridge_select_kernel, FREERIDGE_REML, nullptr, 0.0, 0, 1, 3, Out{1});
                 }});
  return out;
}

std::vector<Call<Model>> factorized_calls(const Case& c, const Sizes& s) {
  std::vector<Call<Model>> out;
  out.push_back({"set_lambda", [](const Model& m) { return asked(m, freeridge_set_lambda, 0.4); }});
  out.push_back({"set_lambdas", [=](const Model& m) {
                   Vector each;
                   for (std::int64_t j = 0; j < s.t; ++j) each.push_back(0.1 + 0.3 * static_cast<double>(j));
                   return asked(m, freeridge_set_lambdas, each.data());
                 }});
  const auto several = static_cast<std::int64_t>(lambdas.size());
  const Out scores{several * s.t}, each_output{s.t};
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS}) {
    const std::string name = " by criterion " + std::to_string(criterion);
    out.push_back({"score" + name, [=](const Model& m) {
                     return asked(m, freeridge_score, criterion, several, lambdas.data(), scores, nullptr, several);
                   }});
    if (criterion == FREERIDGE_LOO || criterion == FREERIDGE_GROUPS)
      out.push_back({"score" + name + " with errors", [=](const Model& m) {
                       return asked(m, freeridge_score, criterion, several, lambdas.data(), scores, scores, several);
                     }});
    if (criterion == FREERIDGE_LOO || criterion == FREERIDGE_GCV)
      out.push_back({"select_lambda" + name, [=](const Model& m) {
                       return asked(m, freeridge_select_lambda, criterion, 0.01, 10.0, each_output, each_output);
                     }});
  }
  const Matrix points = data_of(c, s).points;
  out.push_back({"predict_points at lambdas",
                 [=](const Model& m) {
                   return asked(m, freeridge_predict_points, support::at(points), several, lambdas.data(),
                                FREERIDGE_COL_MAJOR, Out{s.m * several * s.t}, s.m);
                 },
                 true});
  out.push_back({"objective", [=](const Model& m) {
                   return asked(m, freeridge_objective, several, lambdas.data(), scores, scores, scores, several);
                 }});
  out.push_back({"coefficients at lambdas",
                 [=](const Model& m) {
                   return asked(m, freeridge_coefficients, several, lambdas.data(), Out{s.n * several * s.t}, s.n,
                                scores);
                 },
                 true});
  out.push_back(
      {"hat_matrix",
       [=](const Model& m) { return asked(m, freeridge_hat_matrix, 0.3, Out{s.n * s.n}, Out{s.n * s.n}, s.n); }, true});
  if (c.route != FREERIDGE_ROUTE_CHOLESKY) {
    out.push_back({"condition_number", [=](const Model& m) {
                     return asked(m, freeridge_condition_number, several, lambdas.data(), Out{several}, Out{several});
                   }});
    out.push_back({"eigenvalues", [=](const Model& m) {
                     if (c.route == FREERIDGE_ROUTE_BAND)  // which has no vectors
                       return asked(m, freeridge_eigenvalues, 2, Out{2}, nullptr, s.n);
                     return asked(m, freeridge_eigenvalues, 2, Out{2}, Out{2 * s.n}, s.n);
                   }});
  }
  if (c.landmarks > 0)
    out.push_back(
        {"landmark_trace", [](const Model& m) { return asked(m, freeridge_landmark_trace, Out{1}, Out{1}); }});
  return out;
}

std::vector<Call<Model>> fitted_calls(const Case& c, const Sizes& s) {
  std::vector<Call<Model>> out;
  const Out points_of_data{s.n * s.t}, new_points{s.m * s.t}, each_output{s.t}, features{s.d * s.t};
  using Matrices = freeridge_status (*)(const freeridge_model*, double*, std::int64_t);
  for (const auto& [name, call] :
       std::initializer_list<std::pair<const char*, Matrices>>{{"loo", freeridge_loo},
                                                               {"cooks_distance", freeridge_cooks_distance},
                                                               {"get_fitted", freeridge_get_fitted},
                                                               {"get_leverage", freeridge_get_leverage}})
    out.push_back({name, [=, call = call](const Model& m) { return asked(m, call, points_of_data, s.n); }});
  out.push_back({"influence", [=](const Model& m) {
                   return asked(m, freeridge_influence, points_of_data, points_of_data, s.n, nullptr, 0);
                 }});
  out.push_back({"score_test", [=](const Model& m) {
                   return asked(m, freeridge_score_test, std::vector<double>(s.n * s.n, 1.0).data(), s.n, each_output,
                                each_output);
                 }});
  out.push_back({"loo_learnt", [=](const Model& m) {
                   return asked(m, freeridge_loo_learnt, 3, 1, points_of_data, s.n, Out{s.n}, Out{1});
                 }});
  out.push_back({"coefficients", [=](const Model& m) {
                   return asked(m, freeridge_coefficients, 0, nullptr, points_of_data, s.n, each_output);
                 }});
  // The solution of LANDMARK holds its coefficients: they are copied.
  if (c.route == FREERIDGE_ROUTE_LANDMARK) out.back().allocates = false;
  out.push_back({"group_errors", [=](const Model& m) {
                   const Labels groups = support::modulo_groups(s.n, 3);
                   return asked(m, freeridge_group_errors, groups.data(), 0, nullptr, points_of_data, s.n);
                 }});
  out.push_back({"degrees_of_freedom",
                 [=](const Model& m) { return asked(m, freeridge_degrees_of_freedom, each_output, each_output); }});
  const Matrix points = data_of(c, s).points;
  // A call at new points: function(model, points, argument...).
  const auto at_points = [=](const Model& m, auto function, const auto&... argument) {
    return asked(m, function, support::at(points), argument...);
  };
  out.push_back({"predict",
                 [=](const Model& m) {
                   return asked(m, freeridge_predict, FREERIDGE_COL_MAJOR, s.m, points.values.data(), s.m, new_points,
                                s.m);
                 },
                 true});
  out.push_back({"predict_jackknife", [=](const Model& m) {
                   return at_points(m, freeridge_predict_jackknife, 0.8, -1, 0, FREERIDGE_COL_MAJOR, new_points,
                                    new_points, s.m);
                 }});
  out.push_back({"predict_left_out", [=](const Model& m) {
                   return at_points(m, freeridge_predict_left_out, nullptr, nullptr, FREERIDGE_COL_MAJOR,
                                    Out{s.m * s.n * s.t}, s.m);
                 }});
  if (std::string(c.kernel) == "precomputed()") return out;
  out.push_back({"predict_variance", [=](const Model& m) {
                   return at_points(m, freeridge_predict_variance, FREERIDGE_COL_MAJOR, new_points, s.m, each_output);
                 }});
  out.push_back({"predict_covariance", [=](const Model& m) {
                   return at_points(m, freeridge_predict_covariance, FREERIDGE_COVARIANCE_BAYESIAN, FREERIDGE_COL_MAJOR,
                                    new_points, s.m, Out{s.m * s.m * s.t}, s.m);
                 }});
  out.push_back({"predict_gradient",
                 [=](const Model& m) {
                   return at_points(m, freeridge_predict_gradient, FREERIDGE_COL_MAJOR, Out{s.m * s.d * s.t}, s.m);
                 },
                 true});
  out.push_back({"average_gradient", [=](const Model& m) {
                   return at_points(m, freeridge_average_gradient, nullptr, FREERIDGE_COVARIANCE_BAYESIAN, features,
                                    features, s.d);
                 }});
  out.push_back({"predict_combinations", [=](const Model& m) {
                   return at_points(m, freeridge_predict_combinations, 1, nullptr, nullptr,
                                    FREERIDGE_COVARIANCE_BAYESIAN, each_output, each_output, 1, each_output, 1);
                 }});
  if (std::string(c.kernel) != "linear()") return out;
  const std::int64_t side = (s.d + 1) * s.t;
  out.push_back({"coefficient_covariance", [=](const Model& m) {
                   return asked(m, freeridge_coefficient_covariance, FREERIDGE_COVARIANCE_BAYESIAN, Out{side * side},
                                side);
                 }});
  out.push_back({"coefficient_errors", [=](const Model& m) {
                   return asked(m, freeridge_coefficient_errors, FREERIDGE_COVARIANCE_FREQUENTIST, features, s.d,
                                each_output);
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
