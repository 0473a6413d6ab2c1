// The same for accumulators and classifiers: fractions from 0 to 1, and cancelled at each of its reports a call leaves
// the handle as it was.
#include <gtest/gtest.h>

#include <algorithm>

#include "losses/classifier.hpp"
#include "progress/heard_calls.hpp"
#include "support/search.hpp"
#include "support/window.hpp"

namespace other_handles_test {

using namespace heard;
using support::Accumulator;

constexpr std::int64_t d = 4, t = 2;

oracle::Problem rows(std::int64_t n, std::uint64_t seed) {
  support::Random random(seed);
  return support::random_problem(random, support::kernel_of(oracle::Family::linear, d), n, d, t, true, true);
}

freeridge_status add(const Accumulator& accumulator, const oracle::Problem& more) {
  return freeridge_accumulator_add(accumulator.get(), support::at(more.x), FREERIDGE_COL_MAJOR, more.y.values.data(),
                                   more.x.rows, more.weights.empty() ? nullptr : more.weights.data());
}

std::vector<Call<Accumulator>> calls() {
  static const Vector lambdas = {0.1, 1};
  std::vector<Call<Accumulator>> out;
  out.push_back({"add", [](const Accumulator& a) { return Answer{add(a, rows(50, 8)), {}}; }});
  // So many rows that the stack is reduced on the way.
  out.push_back({"add many", [](const Accumulator& a) { return Answer{add(a, rows(1500, 9)), {}}; }});
  out.push_back({"merge", [](const Accumulator& a) {
                   return Answer{freeridge_accumulator_merge(a.get(), Accumulator(rows(700, 10)).get()), {}};
                 }});
  out.push_back({"solve", [](const Accumulator& a) {
                   Vector w(2 * d * t, untouched), b(2 * t, untouched);
                   const freeridge_status status =
                       freeridge_accumulator_solve(a.get(), 2, lambdas.data(), w.data(), d, b.data());
                   w.insert(w.end(), b.begin(), b.end());
                   return Answer{status, w};
                 }});
  for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_REML})
    out.push_back({"score", [=](const Accumulator& a) {
                     Vector scores(2 * t, untouched);
                     const freeridge_status status =
                         freeridge_accumulator_score(a.get(), criterion, 2, lambdas.data(), scores.data(), 2);
                     return Answer{status, scores};
                   }});
  out.push_back({"select_lambda", [](const Accumulator& a) {
                   Vector lambda(t, untouched), score(t, untouched);
                   freeridge_search search = support::search_of(lambda.data(), score.data());
                   const freeridge_status status =
                       freeridge_accumulator_select_lambda(a.get(), FREERIDGE_GCV, 0, 0, &search);
                   lambda.insert(lambda.end(), score.begin(), score.end());
                   return Answer{status, lambda};
                 }});
  out.push_back({"save", [](const Accumulator& a) {
                   return Answer{freeridge_accumulator_save(a.get(), "/dev/null"), {}};
                 }});
  out.push_back({"lambda_grid", [](const Accumulator& a) {
                   Vector grid(5, untouched);
                   const freeridge_status status = freeridge_accumulator_lambda_grid(a.get(), 5, grid.data());
                   return Answer{status, grid};
                 }});
  out.push_back({"loo",
                 [](const Accumulator& a) {
                   const oracle::Problem some = rows(600, 7);
                   Vector errors(static_cast<std::size_t>(600 * 2 * t), untouched);
                   const freeridge_status status = freeridge_accumulator_errors(
                       a.get(), support::at(some.x), FREERIDGE_COL_MAJOR, some.y.values.data(), 600,
                       some.weights.data(), nullptr, 2, lambdas.data(), errors.data(), 600);
                   return Answer{status, errors};
                 },
                 true});
  out.push_back({"squared_errors", [](const Accumulator& a) {
                   const oracle::Problem some = rows(600, 8);
                   Vector squares(static_cast<std::size_t>(2 * t + 1), untouched);
                   const freeridge_status status = freeridge_accumulator_squared_errors(
                       a.get(), support::at(some.x), FREERIDGE_COL_MAJOR, some.y.values.data(), 600,
                       some.weights.data(), 2, lambdas.data(), squares.data() + 2 * t, squares.data(), 2);
                   return Answer{status, squares};
                 }});
  return out;
}

void set_progress(const Accumulator& accumulator, Listener* listener) {
  support::check(
      freeridge_accumulator_set_progress(accumulator.get(), listener != nullptr ? Listener::hear : nullptr, listener),
      "freeridge_accumulator_set_progress");
}

TEST(Progress, OfAccumulators) {
  for (const Call<Accumulator>& call : calls()) {
    SCOPED_TRACE(call.name);
    const Accumulator silent(rows(600, 7)), heard(rows(600, 7)), cancelled(rows(600, 7));
    Listener whole;
    set_progress(heard, &whole);
    const Answer expected = call.run(silent), answer = call.run(heard);
    ASSERT_EQ(answer.status, FREERIDGE_OK) << freeridge_last_error();
    EXPECT_TRUE(support::bit_equal(answer.numbers, expected.numbers));
    EXPECT_EQ(heard.save(), silent.save());
    ASSERT_FALSE(whole.fractions.empty());
    EXPECT_EQ(whole.fractions.front(), 0.0);
    EXPECT_EQ(whole.fractions.back(), 1.0);
    EXPECT_TRUE(std::is_sorted(whole.fractions.begin(), whole.fractions.end()));
    EXPECT_FALSE(whole.on_other_thread);

    const std::vector<unsigned char> before = cancelled.save();
    for (std::size_t place = 0; place < whole.fractions.size(); ++place) {
      SCOPED_TRACE("cancelled at report " + std::to_string(place));
      Listener listener;
      listener.cancel_at = place;
      set_progress(cancelled, &listener);
      const Answer none = call.run(cancelled);
      // An answer that was cancelled late has left the reduced problem, which the next one needs not make: fewer reports.
      if (none.status == FREERIDGE_OK && place >= listener.fractions.size()) break;
      ASSERT_EQ(none.status, FREERIDGE_CANCELLED);
      EXPECT_EQ(listener.fractions.size(), place + 1);
      EXPECT_EQ(cancelled.save(), before);
      if (!call.by_pieces) {
        EXPECT_TRUE(std::all_of(none.numbers.begin(), none.numbers.end(), [](double v) { return v == untouched; }));
      }
    }
    set_progress(cancelled, nullptr);
    const Accumulator again(before);
    EXPECT_TRUE(support::bit_equal(call.run(again).numbers, expected.numbers));
    EXPECT_EQ(again.save(), silent.save());
  }
}

// Windows of 600 rows, which the first answer factorizes.
TEST(Progress, OfWindows) {
  using support::Window;
  const auto made = [](bool kernel) {
    Window out(kernel ? support::Kernel::gaussian(2.0) : support::Kernel::linear(), Matrix(0, d), d, t, true, 0.5, 620);
    out.add(rows(600, 7), false);
    return out;
  };
  std::vector<Call<Window>> calls;
  const auto add_call = [&](const char* name, std::int64_t count, bool errors) {
    calls.push_back({name, [=](const Window& w) {
                       const oracle::Problem more = rows(count, 8);
                       Vector e(static_cast<std::size_t>(count * t), untouched);
                       const freeridge_status status =
                           freeridge_window_add(w.get(), support::at(more.x), FREERIDGE_COL_MAJOR, more.y.values.data(),
                                                count, more.weights.data(), errors ? e.data() : nullptr, count);
                       return Answer{status, e};
                     }});
  };
  add_call("add one", 1, true);
  add_call("add some", 12, true);
  add_call("add many", 300, false);
  calls.push_back({"remove", [](const Window& w) { return Answer{freeridge_window_remove(w.get(), 3, nullptr), {}}; }});
  calls.push_back({"select_lambda", [](const Window& w) {
                     Vector found(2, untouched);
                     const freeridge_status status =
                         freeridge_window_select_lambda(w.get(), FREERIDGE_LOO, 0, 0, &found[0], &found[1]);
                     return Answer{status, found};
                   }});
  calls.push_back({"loo", [](const Window& w) {
                     Vector errors(600 * t, untouched);
                     return Answer{freeridge_window_loo(w.get(), errors.data(), 600), errors};
                   }});
  calls.push_back({"predict", [](const Window& w) {
                     Vector f(600 * t, untouched);
                     const freeridge_status status = freeridge_window_predict(w.get(), support::at(rows(600, 7).x),
                                                                              FREERIDGE_COL_MAJOR, f.data(), 600);
                     return Answer{status, f};
                   }});
  const auto hear = [](const Window& window, Listener* listener) {
    support::check(
        freeridge_window_set_progress(window.get(), listener != nullptr ? Listener::hear : nullptr, listener),
        "freeridge_window_set_progress");
  };
  for (const bool kernel : {false, true})
    for (const Call<Window>& call : calls) {
      SCOPED_TRACE(std::string(kernel ? "kernel, " : "linear, ") + call.name);
      const Window silent = made(kernel), heard = made(kernel);
      Listener whole;
      hear(heard, &whole);
      const Answer expected = call.run(silent), answer = call.run(heard);
      ASSERT_EQ(answer.status, FREERIDGE_OK) << freeridge_last_error();
      EXPECT_TRUE(support::bit_equal(answer.numbers, expected.numbers));
      ASSERT_GE(whole.fractions.size(), 2U);
      EXPECT_EQ(whole.fractions.front(), 0.0);
      EXPECT_EQ(whole.fractions.back(), 1.0);
      EXPECT_TRUE(std::is_sorted(whole.fractions.begin(), whole.fractions.end()));
      const std::size_t places = whole.fractions.size(), step = places / 20 + 1;
      for (std::size_t place = 0; place < places;
           place += place + 1 + step < places || place + 1 == places ? step : 1) {
        SCOPED_TRACE("cancelled at report " + std::to_string(place));
        const Window cancelled = made(kernel);
        Listener listener;
        listener.cancel_at = place;
        hear(cancelled, &listener);
        const Answer none = call.run(cancelled);
        ASSERT_EQ(none.status, FREERIDGE_CANCELLED);
        EXPECT_TRUE(std::all_of(none.numbers.begin(), none.numbers.end(), [](double v) { return v == untouched; }));
        hear(cancelled, nullptr);
        EXPECT_EQ(cancelled.state().n, 600);
        EXPECT_EQ(cancelled.state().lambda, 0.5);
        EXPECT_TRUE(support::bit_equal(call.run(cancelled).numbers, expected.numbers));
        EXPECT_TRUE(support::bit_equal(cancelled.predict(rows(20, 4).x), silent.predict(rows(20, 4).x)));
      }
    }
}

using losses::Classifier;

constexpr std::int64_t n = 40, m = 9;

Classifier classifier(freeridge_loss loss, const char* kernel) {
  support::Random random(4);
  const Matrix x = random.uniform_matrix(n, 2, -1, 1);
  Vector y;
  for (std::int64_t i = 0; i < n; ++i) y.push_back(x(i, 0) + 0.3 * random.normal() > 0 ? 1 : -1);
  Classifier out(support::Kernel::parse(kernel), loss);
  out.data(x, y);
  return out;
}

Vector everything(const Classifier& handle) {
  Vector c(static_cast<std::size_t>(n), untouched), b(1, untouched), objective(1, untouched);
  if (freeridge_classifier_get_coefficients(handle.get(), c.data(), b.data()) != FREERIDGE_OK) return {};
  support::check(
      freeridge_classifier_get_convergence(handle.get(), objective.data(), nullptr, nullptr, nullptr, nullptr),
      "freeridge_classifier_get_convergence");
  c.push_back(b[0]);
  c.push_back(objective[0]);
  return c;
}

TEST(Progress, OfClassifiers) {
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE})
    for (const char* const kernel : {"gaussian(sigma = 1)", "linear()"}) {
      std::vector<Call<Classifier>> calls;
      calls.push_back({"fit", [](const Classifier& h) { return Answer{freeridge_classifier_fit(h.get(), 0.5), {}}; }});
      calls.push_back({"predict",
                       [](const Classifier& h) {
                         support::Random random(6);
                         const Matrix x = random.uniform_matrix(m, 2, -1, 1);
                         Vector values(static_cast<std::size_t>(m), untouched);
                         const freeridge_status status =
                             freeridge_classifier_predict(h.get(), support::at(x), values.data(), nullptr);
                         return Answer{status, values};
                       },
                       true});
      calls.push_back({"distances", [](const Classifier& h) {
                         support::Random random(6);
                         const Matrix x = random.uniform_matrix(m, 2, -1, 1);
                         Vector values(static_cast<std::size_t>(m), untouched);
                         const freeridge_status status =
                             freeridge_classifier_distances(h.get(), support::at(x), values.data());
                         return Answer{status, values};
                       }});
      calls.push_back({"save", [](const Classifier& h) {
                         return Answer{freeridge_classifier_save(h.get(), "/dev/null"), {}};
                       }});
      calls.push_back({"loo", [](const Classifier& h) {
                         Vector values(static_cast<std::size_t>(n), untouched);
                         const freeridge_status status = freeridge_classifier_loo(h.get(), values.data());
                         return Answer{status, values};
                       }});
      for (const bool fitted : {false, true})
        for (const Call<Classifier>& call : calls) {
          if (!fitted && call.name != "fit") continue;
          SCOPED_TRACE(std::string(kernel) + ", loss " + std::to_string(loss) + ": " + call.name);
          const auto make = [&] {
            Classifier handle = classifier(loss, kernel);
            if (fitted) handle.fit(2);
            return handle;
          };
          const Classifier silent = make(), model = make();
          const Answer expected = call.run(silent);
          const Vector before = everything(model), after = everything(silent);
          std::size_t cancelled = 0;
          for (std::size_t place = 0;; ++place) {
            Listener listener;
            listener.cancel_at = place;
            freeridge_classifier_set_progress(model.get(), Listener::hear, &listener);
            const Answer answer = call.run(model);
            EXPECT_TRUE(std::is_sorted(listener.fractions.begin(), listener.fractions.end()));
            if (answer.status == FREERIDGE_OK) {
              EXPECT_EQ(listener.fractions.front(), 0.0);
              EXPECT_EQ(listener.fractions.back(), 1.0);
              EXPECT_TRUE(support::bit_equal(answer.numbers, expected.numbers));
              break;
            }
            ASSERT_EQ(answer.status, FREERIDGE_CANCELLED);
            EXPECT_TRUE(support::bit_equal(everything(model), before));
            ++cancelled;
          }
          EXPECT_GE(cancelled, 2u);
          EXPECT_TRUE(support::bit_equal(everything(model), after));
        }
    }
}

}  // namespace other_handles_test
