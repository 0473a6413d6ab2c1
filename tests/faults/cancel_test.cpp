// Long work cancelled at random moments: a call drawn at random, at a report drawn at random. It answers CANCELLED and is
// not asked again; its outputs are untouched, the handle answers to the last bit what it did before, the same call again
// answers to the last bit what one answers that nobody disturbed, and no block is left. FREERIDGE_MOMENTS: how many
// moments (200 unless set); FREERIDGE_SEED: others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <tuple>

#include "faults/allocations.hpp"
#include "progress/heard_calls.hpp"
#include "support/saved.hpp"

namespace {

using namespace heard;
using support::Accumulator;

// A call on a handle of its own.
class Work {
 public:
  virtual ~Work() = default;
  virtual void hear(Listener* listener) = 0;  // NULL: nobody
  virtual Answer run() = 0;
  virtual std::vector<Vector> everything() = 0;  // that the handle answers
};

struct Kind {
  std::string name;
  bool by_pieces;                               // its outputs may be partly written
  std::function<std::unique_ptr<Work>()> make;  // the same each time
};

freeridge_progress callback(const Listener* listener) {
  return listener != nullptr ? Listener::hear : nullptr;
}

// What tells bytes from others.
Vector numbers_of(const std::vector<unsigned char>& bytes) {
  const std::uint64_t hash = std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return {static_cast<double>(bytes.size()), static_cast<double>(hash >> 32), static_cast<double>(hash & 0xffffffff)};
}

// ---- models ----

struct OfModel final : Work {
  Case c;
  Sizes size;
  Model model;
  Call<Model> call;

  OfModel(const Case& the_case, const Sizes& sizes, Model made, Call<Model> what)
      : c(the_case), size(sizes), model(std::move(made)), call(std::move(what)) {}
  void hear(Listener* listener) override { model.progress(callback(listener), listener); }
  Answer run() override { return call.run(model); }
  std::vector<Vector> everything() override { return heard::everything(c, size, model); }
};

const std::vector<Case> cases = {
    {"CHOLESKY", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_CHOLESKY},
    {"SPECTRAL", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_SPECTRAL},
    {"SPECTRAL, refined", "matern(nu = 1.5, length = 2)", FREERIDGE_ROUTE_SPECTRAL, 0, FREERIDGE_REDUCTION_AUTO,
     FREERIDGE_LOO, 2},
    {"BAND", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_BAND},
    {"PRIMAL", "linear()", FREERIDGE_ROUTE_PRIMAL},
    {"PRIMAL, streamed", "linear()", FREERIDGE_ROUTE_PRIMAL, 0, FREERIDGE_REDUCTION_GRAM},
    {"LANDMARK", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_LANDMARK, 40},
    {"LANDMARK by QR", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_LANDMARK, 40, FREERIDGE_REDUCTION_QR},
    {"precomputed, SPECTRAL", "precomputed()", FREERIDGE_ROUTE_SPECTRAL},
};

void add_models(std::vector<Kind>& kinds) {
  using Make = Model (*)(const Case&, const Sizes&);
  using Calls = std::vector<Call<Model>> (*)(const Case&, const Sizes&);
  for (const Case& c : cases)
    for (const Sizes& size : {Sizes{60, 3}, Sizes{c.route == FREERIDGE_ROUTE_PRIMAL ? 1500 : 300, 3, 2, 300}})
      for (const auto& [state, make, calls] : {std::tuple<const char*, Make, Calls>{"DATA", data_model, data_calls},
                                               {"FACTORIZED", factorized_model, factorized_calls},
                                               {"FITTED", fitted_model, factorized_calls},
                                               {"FITTED", fitted_model, data_calls},
                                               {"FITTED", fitted_model, fitted_calls}})
        for (const Call<Model>& call : calls(c, size))
          kinds.push_back({std::string(c.name) + ", n = " + std::to_string(size.n) + ", " + state + ": " + call.name,
                           call.by_pieces,
                           [=, make = make] { return std::make_unique<OfModel>(c, size, make(c, size), call); }});
}

// ---- saving ----

// Over an older file, of some megabytes.
struct OfSaving final : Work {
  support::Directory directory;
  std::string path = directory / "model";
  bool predictor;
  Model model;

  explicit OfSaving(bool for_prediction) : predictor(for_prediction), model(support::Kernel::linear()) {
    support::Random random(3);
    const std::int64_t n = 1100, d = 1000;
    model.data(random.uniform_matrix(n, d, -1, 1), random.uniform_matrix(n, 1, -1, 1));
    support::write_bytes(path, {1, 2, 3});
    if (!predictor) return;
    Model other(support::Kernel::gaussian(30));
    other.data(random.uniform_matrix(n, d, -1, 1), random.uniform_matrix(n, 1, -1, 1)).route(FREERIDGE_ROUTE_CHOLESKY);
    other.factorize().lambda(1);
    model = std::move(other);
  }
  void hear(Listener* listener) override { model.progress(callback(listener), listener); }
  Answer run() override {
    return {predictor ? freeridge_save_predictor(model.get(), path.c_str()) : freeridge_save(model.get(), path.c_str()),
            {}};
  }
  std::vector<Vector> everything() override {
    std::vector<Vector> out;
    for (const std::string& name : directory.names())  // and nothing beside it
      out.push_back(numbers_of(support::file_bytes(directory / name)));
    return out;
  }
};

void add_saving(std::vector<Kind>& kinds) {
  for (const bool predictor : {false, true})
    kinds.push_back(
        {predictor ? "save_predictor" : "save", false, [=] { return std::make_unique<OfSaving>(predictor); }});
}

// ---- accumulators ----

constexpr std::int64_t d = 6, t = 2;

oracle::Problem rows(std::int64_t n, std::uint64_t seed) {
  support::Random random(seed);
  return support::random_problem(random, support::kernel_of(oracle::Family::linear, d), n, d, t, true, true);
}

struct OfAccumulator final : Work {
  using Run = freeridge_status (*)(OfAccumulator&);
  Accumulator accumulator{rows(600, 7)}, other{rows(900, 8)};
  oracle::Problem more = rows(2500, 9);
  Vector lambdas = {0.1, 1}, out = Vector(2500 * 2 * t, untouched);
  Run call;

  explicit OfAccumulator(Run what) : call(what) {}
  void hear(Listener* listener) override {
    support::check(freeridge_accumulator_set_progress(accumulator.get(), callback(listener), listener),
                   "freeridge_accumulator_set_progress");
  }
  Answer run() override {
    std::fill(out.begin(), out.end(), untouched);
    const freeridge_status status = call(*this);
    return {status, out};
  }
  std::vector<Vector> everything() override { return {numbers_of(accumulator.save())}; }
};

void add_accumulators(std::vector<Kind>& kinds) {
  const auto add = [&](const char* name, OfAccumulator::Run run, bool by_pieces = false) {
    kinds.push_back({name, by_pieces, [=] { return std::make_unique<OfAccumulator>(run); }});
  };
  add("accumulator_add", [](OfAccumulator& a) {
    return freeridge_accumulator_add(a.accumulator.get(), FREERIDGE_COL_MAJOR, 2500, a.more.x.values.data(), 2500,
                                     a.more.y.values.data(), 2500, a.more.weights.data());
  });
  add("accumulator_merge",
      [](OfAccumulator& a) { return freeridge_accumulator_merge(a.accumulator.get(), a.other.get()); });
  add("accumulator_solve", [](OfAccumulator& a) {
    return freeridge_accumulator_solve(a.accumulator.get(), 2, a.lambdas.data(), a.out.data(), d,
                                       a.out.data() + 2 * d * t);
  });
  add("accumulator_score", [](OfAccumulator& a) {
    return freeridge_accumulator_score(a.accumulator.get(), FREERIDGE_GCV, 2, a.lambdas.data(), a.out.data(), 2);
  });
  add(
      "accumulator_loo",
      [](OfAccumulator& a) {
        return freeridge_accumulator_loo(a.accumulator.get(), FREERIDGE_COL_MAJOR, 2500, a.more.x.values.data(), 2500,
                                         a.more.y.values.data(), 2500, a.more.weights.data(), 2, a.lambdas.data(),
                                         a.out.data(), 2500);
      },
      true);
}

// ---- classifiers ----

struct OfClassifier final : Work {
  using Run = freeridge_status (*)(OfClassifier&);
  static constexpr std::int64_t n = 300, m = 20000;
  freeridge_classifier* classifier = nullptr;
  Matrix points;
  Vector out;
  Run call;

  OfClassifier(freeridge_loss loss, const char* kernel, bool fitted, Run what) : call(what) {
    support::Random random(4);
    const Matrix x = random.uniform_matrix(n, 2, -1, 1);
    points = random.uniform_matrix(m, 2, -1, 1);
    Vector y;
    for (std::int64_t i = 0; i < n; ++i) y.push_back(x(i, 0) + 0.3 * random.normal() > 0 ? 1 : -1);
    support::check(freeridge_classifier_create(support::Kernel::parse(kernel).get(), loss, &classifier),
                   "freeridge_classifier_create");
    support::check(freeridge_classifier_set_data(classifier, FREERIDGE_COL_MAJOR, n, 2, x.values.data(), n, y.data()),
                   "freeridge_classifier_set_data");
    if (fitted) support::check(freeridge_classifier_fit(classifier, 2), "freeridge_classifier_fit");
  }
  OfClassifier(const OfClassifier&) = delete;
  ~OfClassifier() override { freeridge_classifier_destroy(classifier); }
  void hear(Listener* listener) override {
    support::check(freeridge_classifier_set_progress(classifier, callback(listener), listener),
                   "freeridge_classifier_set_progress");
  }
  Answer run() override {
    out.assign(m, untouched);
    const freeridge_status status = call(*this);
    return {status, out};
  }
  std::vector<Vector> everything() override {
    Vector c(n, untouched), b(2, untouched);
    if (freeridge_classifier_get_coefficients(classifier, c.data(), b.data()) != FREERIDGE_OK) return {};
    support::check(freeridge_classifier_get_convergence(classifier, b.data() + 1, nullptr, nullptr),
                   "freeridge_classifier_get_convergence");
    return {c, b};
  }
};

void add_classifiers(std::vector<Kind>& kinds) {
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE})
    for (const char* const kernel : {"gaussian(sigma = 1)", "linear()"}) {
      const auto add = [&](const char* name, bool fitted, OfClassifier::Run run, bool by_pieces = false) {
        kinds.push_back({std::string(name) + " of " + kernel + ", loss " + std::to_string(loss), by_pieces,
                         [=] { return std::make_unique<OfClassifier>(loss, kernel, fitted, run); }});
      };
      const auto fit = [](OfClassifier& a) { return freeridge_classifier_fit(a.classifier, 0.5); };
      add("classifier_fit", false, fit);
      add("classifier_fit again", true, fit);
      add(
          "classifier_predict", true,
          [](OfClassifier& a) {
            return freeridge_classifier_predict(a.classifier, FREERIDGE_COL_MAJOR, OfClassifier::m,
                                                a.points.values.data(), OfClassifier::m, a.out.data(), nullptr);
          },
          true);
      if (loss == FREERIDGE_LOSS_LOGISTIC)
        add("classifier_loo", true,
            [](OfClassifier& a) { return freeridge_classifier_loo(a.classifier, a.out.data()); });
    }
}

// ---- moments ----

// What a call does that nobody disturbs.
struct Undisturbed {
  std::size_t reports;
  Vector numbers;
  std::vector<Vector> before, after;
};

Undisturbed undisturbed(const Kind& kind) {
  Undisturbed out;
  {
    const std::unique_ptr<Work> looked_at = kind.make();
    out.before = looked_at->everything();
  }
  const std::unique_ptr<Work> work = kind.make();
  Listener listener;
  work->hear(&listener);
  Answer answer = work->run();
  work->hear(nullptr);
  EXPECT_EQ(answer.status, FREERIDGE_OK) << freeridge_last_error();
  out.reports = listener.fractions.size();
  out.numbers = std::move(answer.numbers);
  out.after = work->everything();
  return out;
}

void cancel_and_repeat(const Kind& kind, const Undisturbed& expected, std::size_t place) {
  const std::unique_ptr<Work> work = kind.make();
  Listener listener;
  listener.cancel_at = place;
  work->hear(&listener);
  const Answer cancelled = work->run();
  work->hear(nullptr);
  ASSERT_EQ(cancelled.status, FREERIDGE_CANCELLED) << freeridge_last_error();
  EXPECT_EQ(listener.fractions.size(), place + 1) << "asked again";
  EXPECT_FALSE(listener.on_other_thread);
  EXPECT_TRUE(kind.by_pieces || std::all_of(cancelled.numbers.begin(), cancelled.numbers.end(),
                                            [](double value) { return value == untouched; }));
  EXPECT_TRUE(same(work->everything(), expected.before)) << "not as before";
  const Answer again = work->run();
  ASSERT_EQ(again.status, FREERIDGE_OK) << freeridge_last_error();
  EXPECT_TRUE(support::bit_equal(again.numbers, expected.numbers)) << "another answer";
  EXPECT_TRUE(same(work->everything(), expected.after)) << "the handle answers otherwise";
}

std::int64_t from_environment(const char* name, std::int64_t otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::atoll(value) : otherwise;
}

TEST(Cancelled, AtRandomMoments) {
  // One thread: to the last bit is to the last bit.
  support::check(freeridge_set_threads(1), "freeridge_set_threads");
  std::vector<Kind> kinds;
  add_models(kinds);
  // As often as the models' routes: they are fewer.
  for (int k = 0; k < 12; ++k) {
    add_saving(kinds);
    add_accumulators(kinds);
    add_classifiers(kinds);
  }
  std::map<std::string, Undisturbed> known;
  const std::int64_t moments = from_environment("FREERIDGE_MOMENTS", 200);
  support::Random random(static_cast<std::uint64_t>(from_environment("FREERIDGE_SEED", 1)));
  std::size_t within = 0;
  for (std::int64_t moment = 0; moment < moments && !HasFailure(); ++moment) {
    const Kind& kind = kinds[static_cast<std::size_t>(random.index(std::ssize(kinds)))];
    SCOPED_TRACE(kind.name);
    if (!known.contains(kind.name)) known[kind.name] = undisturbed(kind);
    const Undisturbed& expected = known[kind.name];
    ASSERT_GT(expected.reports, 1u);
    // Mostly on the way, where there is one.
    const auto reports = static_cast<std::int64_t>(expected.reports);
    const auto place = static_cast<std::size_t>(reports > 2 && random.index(4) > 0 ? 1 + random.index(reports - 2)
                                                                                   : random.index(reports));
    SCOPED_TRACE("report " + std::to_string(place) + " of " + std::to_string(expected.reports));
    within += place > 0 && place + 1 < expected.reports ? 1 : 0;
    const long before = faults::live_blocks();
    cancel_and_repeat(kind, expected, place);
    if (!HasFailure()) {
      EXPECT_EQ(faults::live_blocks(), before) << "blocks are left";
    }
  }
  EXPECT_GT(2 * within, static_cast<std::size_t>(moments)) << "half of them in the midst of it";
  freeridge_set_threads(0);
}

}  // namespace
