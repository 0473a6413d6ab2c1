// The progress callback: fractions in [0, 1] that do not fall within a call, on the caller's thread; and a call that is
// cancelled at its first, second, ... report, until it runs through, leaves the model as it was each time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <thread>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace {

using namespace support;
using oracle::Family;
using oracle::Problem;

constexpr std::int64_t n = 24, d = 3, t = 2;

struct Recorder {
  std::vector<double> fractions;
  std::vector<std::thread::id> threads;
  std::size_t cancel_at = 0;  // the report that cancels, from 1 on; 0: none
};

std::int32_t record(double fraction, void* user) {
  auto* recorder = static_cast<Recorder*>(user);
  recorder->fractions.push_back(fraction);
  recorder->threads.push_back(std::this_thread::get_id());
  return recorder->fractions.size() == recorder->cancel_at ? 1 : 0;
}

struct Call {
  const char* name;
  std::function<freeridge_status(Model&)> run;
};

std::vector<Call> calls(bool has_bandwidth) {
  std::vector<Call> out;
  out.push_back({"factorize", [](Model& m) { return freeridge_factorize(m.get()); }});
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS}) {
    out.push_back({"score", [criterion](Model& m) {
                     const Vector lambdas = {1e-3, 1e-2, 0.1, 1.0, 10.0};
                     Matrix scores(5, t);
                     return freeridge_score(m.get(), criterion, 5, lambdas.data(), scores.values.data(), 5);
                   }});
    if (criterion == FREERIDGE_GCV || criterion == FREERIDGE_REML) continue;  // the same search
    out.push_back({"select_lambda", [criterion](Model& m) {
                     double lambda[t], score[t];
                     return freeridge_select_lambda(m.get(), criterion, 0, 0, lambda, score);
                   }});
  }
  out.push_back({"group_errors", [](Model& m) {
                   Matrix errors(n, t);
                   return freeridge_group_errors(m.get(), modulo_groups(n, 9).data(), errors.values.data(), n);
                 }});
  out.push_back({"predict", [](Model& m) {
                   Random random(3);
                   const Matrix x = random.uniform_matrix(500, d, -1.0, 1.0);
                   Matrix values(500, t);
                   return freeridge_predict(m.get(), FREERIDGE_COL_MAJOR, 500, x.values.data(), 500,
                                            values.values.data(), 500);
                 }});
  const auto with_points = [](auto call) {
    Random random(3);
    const Matrix x = random.uniform_matrix(500, d, -1.0, 1.0);
    Matrix first(500, t), second(500, t);
    return call(x.values.data(), first.values.data(), second.values.data());
  };
  out.push_back({"predict_jackknife", [=](Model& m) {
                   return with_points([&](const double* x, double* lower, double* upper) {
                     return freeridge_predict_jackknife(m.get(), FREERIDGE_COL_MAJOR, 500, x, 500, 0.9, lower, upper,
                                                        500);
                   });
                 }});
  out.push_back({"predict_variance", [=](Model& m) {
                   return with_points([&](const double* x, double* variance, double* noise) {
                     return freeridge_predict_variance(m.get(), FREERIDGE_COL_MAJOR, 500, x, 500, variance, 500, noise);
                   });
                 }});
  if (has_bandwidth)
    out.push_back({"select_bandwidth", [](Model& m) {
                     double sigma = 0;
                     Matrix tried(3, 2);
                     std::int64_t used = 0;
                     return freeridge_select_bandwidth(m.get(), FREERIDGE_GCV, 0.5, 5.0, 3, &sigma, tried.values.data(),
                                                       &used);
                   }});
  return out;
}

// Everything a fitted model answers, in one row of numbers.
Vector everything(Model& model, bool has_bandwidth) {
  model.progress(nullptr, nullptr);
  Random random(4);
  Vector out = model.loo().values;
  const auto append = [&](const Vector& more) { out.insert(out.end(), more.begin(), more.end()); };
  append(model.group_errors(modulo_groups(n, 7)).values);
  append(model.fitted().values);
  append(model.coefficients().values);
  append(model.leverage().values);
  append(model.intercepts());
  append(model.lambda_in_force());
  append(model.predict(random.uniform_matrix(5, d, -1.0, 1.0)).values);
  append(model.score(FREERIDGE_GROUPS, {0.2}).values);
  append(model.lambda_grid(5));
  append({static_cast<double>(model.route_used()), static_cast<double>(model.search_count())});
  const Search search = model.search();
  append(search.lambdas);
  for (const double score : search.scores.values)
    if (!std::isnan(score)) out.push_back(score);
  if (has_bandwidth) out.push_back(model.bandwidth());
  return out;
}

struct Case {
  Family family;
  freeridge_route route;
};

class Progress : public ::testing::Test {
 protected:
  // body() for a linear model by the primal route and a Gaussian one by each of the others.
  template <class Body>
  void for_each_case(Body body) {
    for (const Case& c : {Case{Family::linear, FREERIDGE_ROUTE_PRIMAL}, Case{Family::gaussian, FREERIDGE_ROUTE_SPECTRAL},
                          Case{Family::gaussian, FREERIDGE_ROUTE_CHOLESKY}}) {
      SCOPED_TRACE(route_name(c.route));
      case_ = c;
      body();
    }
  }
  bool has_bandwidth() const { return case_.family == Family::gaussian; }
  Model fitted_model() const {
    Random random(2);
    const Problem problem = random_problem(random, kernel_of(case_.family, d), n, d, t, true, true);
    Model model = oracle::make_model(problem, case_.route);
    model.groups(modulo_groups(n, 6)).factorize();
    model.select_lambda(FREERIDGE_LOO, 1e-2, 1.0);
    return model;
  }

  Case case_{};
};

TEST_F(Progress, FractionsRiseFromZeroToOneOnTheCallersThread) {
  for_each_case([&] {
    for (const Call& call : calls(has_bandwidth())) {
      SCOPED_TRACE(call.name);
      Model model = fitted_model();
      Recorder recorder;
      model.progress(record, &recorder);
      ASSERT_EQ(call.run(model), FREERIDGE_OK) << freeridge_last_error();
      ASSERT_FALSE(recorder.fractions.empty());
      EXPECT_GE(recorder.fractions.front(), 0.0);
      EXPECT_LE(recorder.fractions.back(), 1.0);
      EXPECT_TRUE(std::is_sorted(recorder.fractions.begin(), recorder.fractions.end()));
      for (const std::thread::id id : recorder.threads) EXPECT_EQ(id, std::this_thread::get_id());
    }
  });
}

TEST_F(Progress, CancelledAtAnyReportTheModelIsAsBefore) {
  for_each_case([&] {
    for (const Call& call : calls(has_bandwidth())) {
      SCOPED_TRACE(call.name);
      Model model = fitted_model();
      const Vector before = everything(model, has_bandwidth());
      std::size_t cancelled = 0;
      for (std::size_t k = 1;; ++k) {
        Recorder recorder;
        recorder.cancel_at = k;
        model.progress(record, &recorder);
        const freeridge_status status = call.run(model);
        if (status == FREERIDGE_OK) {
          EXPECT_LT(recorder.fractions.size(), k);  // it never heard a yes
          break;
        }
        ASSERT_EQ(status, FREERIDGE_CANCELLED) << freeridge_last_error();
        ASSERT_EQ(recorder.fractions.size(), k);  // no report after the one that cancelled
        ASSERT_TRUE(bit_equal(everything(model, has_bandwidth()), before)) << "cancelled at report " << k;
        ++cancelled;
      }
      EXPECT_GT(cancelled, 0u);
    }
  });
}

TEST_F(Progress, TheCallbackChangesNoAnswer) {
  for_each_case([&] {
    Model quiet = fitted_model(), heard = fitted_model();
    Recorder recorder;
    heard.progress(record, &recorder);
    heard.factorize().select_lambda(FREERIDGE_LOO, 1e-2, 1.0);
    quiet.factorize().select_lambda(FREERIDGE_LOO, 1e-2, 1.0);
    EXPECT_FALSE(recorder.fractions.empty());
    EXPECT_TRUE(bit_equal(everything(heard, has_bandwidth()), everything(quiet, has_bandwidth())));
  });
}

}  // namespace
