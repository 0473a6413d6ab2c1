// What is announced against what is allocated: the announced bytes must hold at the peak, and must not be absurd.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "progress/heard_calls.hpp"
#include "support/counted_memory.hpp"
#include "support/sparse.hpp"
#include "support/window.hpp"

namespace {

using namespace heard;

// The most that call() had at once beside what was there before.
template <class Run>
std::int64_t peak_of(const Run& run) {
  const std::int64_t before = support::held_bytes();
  support::most_held_bytes();
  run();
  return support::most_held_bytes() - before;
}

std::int64_t required(const Model& model) {
  std::int64_t bytes = -1;
  support::check(freeridge_memory_required(model.get(), &bytes), "freeridge_memory_required");
  return bytes;
}

struct Counted {
  Case c;
  Sizes size;
  double share;  // of the announced bytes that is used at least
};

const Counted routes[] = {
    {{"CHOLESKY", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_CHOLESKY}, {2000, 4}, 0.6},
    {{"SPECTRAL", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_SPECTRAL}, {1300, 4}, 0.5},
    {{"BAND", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_BAND}, {1800, 4}, 0.3},
    {{"PRIMAL, kept", "linear()", FREERIDGE_ROUTE_PRIMAL}, {2000, 700}, 0.5},
    {{"PRIMAL, d > n", "linear()", FREERIDGE_ROUTE_PRIMAL}, {600, 1500}, 0.45},
    {{.name = "PRIMAL, d > n, two scales", .kernel = "linear()", .route = FREERIDGE_ROUTE_PRIMAL, .two_scales = true},
     {300, 700},
     0.3},
    {{"PRIMAL, streamed", "linear()", FREERIDGE_ROUTE_PRIMAL}, {4000, 800}, 0.4},
    {{.name = "PRIMAL, kept, two scales", .kernel = "linear()", .route = FREERIDGE_ROUTE_PRIMAL, .two_scales = true},
     {800, 300},
     0.3},
    {{.name = "PRIMAL, streamed, two scales",
      .kernel = "linear()",
      .route = FREERIDGE_ROUTE_PRIMAL,
      .reduction = FREERIDGE_REDUCTION_QR,
      .two_scales = true},
     {8000, 300},
     0.2},
    {{"PRIMAL by the Gram matrix", "linear()", FREERIDGE_ROUTE_PRIMAL, 0, FREERIDGE_REDUCTION_GRAM}, {4000, 800}, 0.3},
    {{"LANDMARK", "gaussian(sigma = 0.4)", FREERIDGE_ROUTE_LANDMARK, 600}, {5000, 4}, 0.5},
    {{"LANDMARK by QR", "gaussian(sigma = 0.4)", FREERIDGE_ROUTE_LANDMARK, 600, FREERIDGE_REDUCTION_QR},
     {5000, 4},
     0.4},
    {{"precomputed, CHOLESKY", "precomputed()", FREERIDGE_ROUTE_CHOLESKY}, {1500, 4}, 0.5},
};

void expect_required_to_hold(const Counted& r, std::int32_t threads) {
  SCOPED_TRACE(::testing::Message() << r.c.name << ", threads: " << threads);
  support::check(freeridge_set_threads(threads), "freeridge_set_threads");
  Model model = data_model(r.c, r.size);
  const std::int64_t announced = required(model);
  Vector errors(static_cast<std::size_t>(r.size.n * r.size.t));
  const std::int64_t used = peak_of([&] {
    model.factorize().lambda(0.5);
    support::check(freeridge_loo(model.get(), errors.data(), r.size.n), "freeridge_loo");
  });
  EXPECT_LE(used, announced);
  if (threads == 1) {
    EXPECT_GE(static_cast<double>(used), r.share * static_cast<double>(announced)) << used << " of " << announced;
  }
  support::check(freeridge_set_threads(0), "freeridge_set_threads");
}

TEST(CountedMemory, RequiredByFactorizeAndALambda) {
  for (const Counted& r : routes) expect_required_to_hold(r, 1);
}

// What each thread adds is announced, too.
TEST(CountedMemory, RequiredByThreads) {
  for (Counted r : routes) {
    for (std::int64_t* size : {&r.size.n, &r.size.d, &r.c.landmarks}) *size = (*size + 1) / 2;
    expect_required_to_hold(r, 2);
  }
}

// The call says what it needs when it is refused; allowed, it has no more than that beside what the model holds. At
// least this share of it is used.
void expect_announced(const Call<Model>& call, const Model& model, std::int64_t rows, double share = 0) {
  std::int64_t announced = 0;
  if (call.allocates) {
    support::check(freeridge_set_parameter(model.get(), FREERIDGE_MEMORY_LIMIT, 1), "freeridge_set_parameter");
    ASSERT_EQ(call.run(model).status, FREERIDGE_OUT_OF_MEMORY);
    announced = bytes_in_message();
  }
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_MEMORY_LIMIT,
                                         static_cast<double>(std::max<std::int64_t>(announced, 1))),
                 "freeridge_set_parameter");
  // The arrays that the answer is written to, and their copies in what the test hands back, are the test's own.
  std::int64_t own = 0;
  const std::int64_t used = peak_of([&] {
    const Answer answer = call.run(model);
    EXPECT_EQ(answer.status, FREERIDGE_OK) << freeridge_last_error();
    own = 3 * 8 * static_cast<std::int64_t>(answer.numbers.size()) + 8 * rows + 4096;
  });
  EXPECT_LE(used, announced + own);
  EXPECT_GE(static_cast<double>(used), share * static_cast<double>(announced)) << used << " of " << announced;
}

// Beside a borrowed x and y a model holds nothing as large as these, and it is not refused as a copy is.
TEST(CountedMemory, OfAViewOfTheData) {
  constexpr std::int64_t n = 5000, d = 40, bytes = 8 * n * (d + 1);
  support::Random random(5);
  const support::Packed x = support::pack(random.uniform_matrix(n, d, -1, 1), FREERIDGE_COL_MAJOR, 0);
  const support::Packed y = support::pack(random.uniform_matrix(n, 1, -1, 1), FREERIDGE_COL_MAJOR, 0);
  support::Model model(support::Kernel::linear());
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_MEMORY_LIMIT, static_cast<double>(bytes - 1)),
                 "freeridge_set_parameter");
  const auto copy = [&] {
    return freeridge_set_data(model.get(), x.layout, n, d, x.values.data(), x.ld, 1, y.values.data(), y.ld);
  };
  EXPECT_EQ(copy(), FREERIDGE_OUT_OF_MEMORY);
  EXPECT_LT(peak_of([&] { model.data_view(x, y, n, d, 1); }), bytes / 10);
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_MEMORY_LIMIT, static_cast<double>(bytes)),
                 "freeridge_set_parameter");
  const std::int64_t before = support::held_bytes();
  EXPECT_EQ(copy(), FREERIDGE_OK);
  EXPECT_GE(support::held_bytes(), before + bytes);
}

// Thousands of lambdas at once.
TEST(CountedMemory, OfManyLambdas) {
  constexpr std::int64_t count = 3000;
  Vector lambdas;
  for (std::int64_t l = 0; l < count; ++l) lambdas.push_back(std::exp(1e-3 * static_cast<double>(l) - 2));
  const auto expect = [&](const Counted& r, std::int32_t threads, freeridge_criterion criterion) {
    SCOPED_TRACE(::testing::Message() << r.c.name << ", criterion " << criterion << ", threads: " << threads);
    Sizes size = r.size;
    size.n = std::min<std::int64_t>(size.n, 200);
    size.d = std::min<std::int64_t>(size.d, 50);
    Case c = r.c;
    c.landmarks = std::min<std::int64_t>(c.landmarks, 50);
    support::check(freeridge_set_threads(threads), "freeridge_set_threads");
    const Model model = fitted_model(c, size);
    const Call<Model> call{"score", [&](const Model& m) {
                             Vector scores(static_cast<std::size_t>(count * size.t));
                             const freeridge_status status = freeridge_score(m.get(), criterion, count, lambdas.data(),
                                                                             scores.data(), nullptr, count);
                             return Answer{status, scores};
                           }};
    expect_announced(call, model, size.n, criterion == FREERIDGE_GCV ? 0 : 0.02);  // GCV keeps no rows
    support::check(freeridge_set_threads(0), "freeridge_set_threads");
  };
  for (const Counted& r : routes) {
    if (r.c.route == FREERIDGE_ROUTE_CHOLESKY) continue;  // one at a time, n^3 each
    expect(r, 1, FREERIDGE_LOO);
    expect(r, 2, FREERIDGE_LOO);
    if (r.c.route == FREERIDGE_ROUTE_SPECTRAL || r.c.route == FREERIDGE_ROUTE_LANDMARK) expect(r, 1, FREERIDGE_GROUPS);
    if (r.c.route == FREERIDGE_ROUTE_SPECTRAL) expect(r, 1, FREERIDGE_GCV);
  }
}

// Half of the rows left out at a time: what is made of them is as large as the directions are many, not the rows.
TEST(CountedMemory, OfLargeGroups) {
  const Counted cases[] = {
      {{"PRIMAL, kept", "linear()", FREERIDGE_ROUTE_PRIMAL}, {100000, 8}, 0.1},
      {{"PRIMAL by the Gram matrix", "linear()", FREERIDGE_ROUTE_PRIMAL, 0, FREERIDGE_REDUCTION_GRAM},
       {100000, 8},
       0.1},
      {{"LANDMARK", "gaussian(sigma = 0.4)", FREERIDGE_ROUTE_LANDMARK, 30}, {20000, 4}, 0.1},
      {{"SPECTRAL", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_SPECTRAL}, {400, 4}, 0.1}};
  for (const Counted& r : cases) {
    SCOPED_TRACE(r.c.name);
    Model model = fitted_model(r.c, r.size);
    const support::Labels halves = support::modulo_groups(r.size.n, 2);
    model.groups(halves);
    const auto bytes_of = [&](const std::function<freeridge_status(const Model&, Vector&)>& call,
                              std::int64_t numbers) {
      expect_announced({"groups",
                        [&](const Model& m) {
                          Vector out(static_cast<std::size_t>(numbers));
                          const freeridge_status status = call(m, out);
                          return Answer{status, out};
                        }},
                       model, r.size.n, r.share);
    };
    bytes_of(
        [&](const Model& m, Vector& out) {
          return freeridge_group_errors(m.get(), halves.data(), 0, nullptr, out.data(), r.size.n);
        },
        r.size.n * r.size.t);
    bytes_of(
        [&](const Model& m, Vector& out) {
          const Vector lambdas = {0.1, 1, 10};
          return freeridge_score(m.get(), FREERIDGE_GROUPS, 3, lambdas.data(), out.data(), nullptr, 3);
        },
        3 * r.size.t);
    bytes_of(
        [&](const Model& m, Vector& out) {
          Vector score = out;
          return freeridge_select_lambda(m.get(), FREERIDGE_GROUPS, 0, 0, out.data(), score.data());
        },
        r.size.t);
  }
}

// A search for many outputs, each with a curve of its own.
TEST(CountedMemory, OfASearchForManyOutputs) {
  for (const Case& c : {Case{"SPECTRAL", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_SPECTRAL},
                        Case{"PRIMAL", "linear()", FREERIDGE_ROUTE_PRIMAL}}) {
    SCOPED_TRACE(c.name);
    const Sizes size = {200, 20, 300};
    const Model model = factorized_model(c, size);
    const Call<Model> call{"select_lambda", [&](const Model& m) {
                             Vector lambda(static_cast<std::size_t>(size.t)), score = lambda;
                             const freeridge_status status =
                                 freeridge_select_lambda(m.get(), FREERIDGE_LOO, 0, 0, lambda.data(), score.data());
                             return Answer{status, lambda};
                           }};
    expect_announced(call, model, size.n);
  }
}

// Estimates and a search by them, with what the first of them makes for the model.
void expect_estimates(Model model, const Sizes& size) {
  const std::int64_t announced = required(model);
  EXPECT_LE(peak_of([&] { model.factorize().lambda(0.5); }), announced);
  for (const Vector& lambdas : {Vector{0.1}, Vector{3, 1, 0.3}})
    for (const auto criterion : {FREERIDGE_LOO, FREERIDGE_GCV}) {
      SCOPED_TRACE(::testing::Message() << lambdas.size() << " lambdas, criterion " << criterion);
      const auto estimate = [&](const Model& m) {
        const auto count = std::ssize(lambdas);
        Answer out{FREERIDGE_OK, Vector(static_cast<std::size_t>(2 * count * size.t))};
        out.status = freeridge_estimate_score(m.get(), criterion, 0, count, lambdas.data(), out.numbers.data(),
                                              &out.numbers[static_cast<std::size_t>(count * size.t)], count);
        return out;
      };
      support::check(freeridge_set_parameter(model.get(), FREERIDGE_MEMORY_LIMIT, 0), "freeridge_set_parameter");
      model.factorize();                              // knows no neighbours
      const double share = size.n > 100 ? 0.6 : 0.3;  // of few rows blocks are filled up to whole ones
      expect_announced({"estimate_score", estimate}, model, size.n, share);
    }
  if (size.n > 400) return;
  const auto select = [&](const Model& m) {
    Answer out{FREERIDGE_OK, Vector(static_cast<std::size_t>(2 * size.t))};
    out.status = freeridge_select_lambda(m.get(), FREERIDGE_LOO, 0.01, 10, out.numbers.data(),
                                         &out.numbers[static_cast<std::size_t>(size.t)]);
    return out;
  };
  expect_announced({"select_lambda", select}, model, size.n);
}

TEST(CountedMemory, OfEstimates) {
  for (const Sizes& size : {Sizes{20, 4, 2}, Sizes{300, 30, 1}, Sizes{1200, 4, 3}, Sizes{3000, 4, 1}}) {
    SCOPED_TRACE(size.n);
    expect_estimates(data_model({"distances", "gaussian(sigma = 0.4)", FREERIDGE_ROUTE_ITERATIVE}, size), size);
    if (size.n > 300) continue;
    expect_estimates(
        data_model({"products", "polynomial(degree = 2, scale = 1, offset = 1)", FREERIDGE_ROUTE_ITERATIVE}, size),
        size);
    support::check(freeridge_set_threads(2), "freeridge_set_threads");
    Model on_two = data_model({"two threads", "gaussian(sigma = 0.4)", FREERIDGE_ROUTE_ITERATIVE}, size);
    EXPECT_NO_THROW(on_two.factorize().score(FREERIDGE_LOO, {0.1, 1}));
    support::check(freeridge_set_threads(0), "freeridge_set_threads");
  }
}

TEST(CountedMemory, OfEstimatesOfSparseRows) {
  for (const Sizes& size : {Sizes{60, 20, 2}, Sizes{400, 200, 1}, Sizes{3000, 500, 3}, Sizes{400, 3000, 1}}) {
    SCOPED_TRACE(::testing::Message() << size.n << " x " << size.d);
    support::Random random(7);
    Matrix x(size.n, size.d);
    for (std::int64_t i = 0; i < size.n; ++i)
      for (int k = 0; k < 8; ++k) x(i, random.index(size.d)) = random.uniform(0.2, 2);
    Model model(support::Kernel::linear());
    support::check(
        set_sparse(model.get(), support::Sparse(x, FREERIDGE_CSR), random.uniform_matrix(size.n, size.t, -1, 1), false),
        "freeridge_set_points");
    model.weights(random.uniform_vector(size.n, 0.5, 2)).route(FREERIDGE_ROUTE_ITERATIVE);
    expect_estimates(std::move(model), size);
  }
}

TEST(CountedMemory, OfEveryCall) {
  for (const Counted& r : routes) {
    Sizes size = r.size;
    size.n = std::min<std::int64_t>(size.n, 800);
    size.d = std::min<std::int64_t>(size.d, 300);
    size.m = 1500;
    Case c = r.c;
    c.landmarks = std::min<std::int64_t>(c.landmarks, 300);
    const Model model = fitted_model(c, size);
    std::vector<Call<Model>> calls = fitted_calls(c, size);
    for (const Call<Model>& call : factorized_calls(c, size))
      if (call.name != "set_lambdas") calls.push_back(call);
    for (const Call<Model>& call : calls) {
      SCOPED_TRACE(std::string(c.name) + ": " + call.name);
      expect_announced(call, model, size.n);
    }
  }
}

// P, and little beside it: also for groups of one row, and with many outputs.
TEST(CountedMemory, OfTheGradientOfAScore) {
  const Case c = {"CHOLESKY", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_CHOLESKY};
  for (const std::int64_t t : {2, 30})
    for (const bool single : {false, true}) {
      const Sizes size = {1500, 4, t};
      Model model = data_model(c, size);
      if (single) model.groups(support::single_groups(size.n));
      for (const Call<Model>& call : data_calls(c, size)) {
        if (!call.name.starts_with("score_gradient")) continue;
        SCOPED_TRACE(call.name + (single ? ", groups of one row" : ""));
        expect_announced(call, model, size.n, 0.7);
        const std::int64_t tiles = 24 << 20, all = 8 * size.n * size.n;
        EXPECT_LE(peak_of([&] { call.run(model); }), all + all / 10 + 8 * 10 * size.n * t + tiles);
      }
    }
}

TEST(CountedMemory, OfTheGradientOfAScoreByPasses) {
  Case landmarks = {"LANDMARK", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_LANDMARK};
  landmarks.landmarks = 200;
  for (const Case& c : {landmarks, Case{"PRIMAL", "linear()", FREERIDGE_ROUTE_PRIMAL}}) {
    const Sizes size = {6000, c.landmarks > 0 ? 4 : 150, 2};
    const Model model = data_model(c, size);
    for (const Call<Model>& call : data_calls(c, size)) {
      if (!call.name.starts_with("score_gradient")) continue;
      SCOPED_TRACE(std::string(c.name) + ", " + call.name);
      expect_announced(call, model, size.n, 0.25);
    }
  }
}

TEST(CountedMemory, OfAClassifier) {
  const std::int64_t n = 1500, d = 5;
  support::Random random(3);
  const Matrix x = random.uniform_matrix(n, d, -1, 1);
  Vector y, left_out(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) y.push_back(x(i, 0) + 0.3 * random.normal() > 0 ? 1 : -1);
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE})
    for (const char* const kernel : {"gaussian(sigma = 1)", "linear()"}) {
      SCOPED_TRACE(::testing::Message() << kernel << ", loss " << loss);
      freeridge_classifier* classifier = nullptr;
      support::check(freeridge_classifier_create(support::Kernel::parse(kernel).get(), loss, &classifier),
                     "freeridge_classifier_create");
      const std::unique_ptr<freeridge_classifier, void (*)(freeridge_classifier*)> owner(classifier,
                                                                                         freeridge_classifier_destroy);
      std::int64_t announced = -1;
      EXPECT_EQ(freeridge_classifier_memory_required(classifier, &announced), FREERIDGE_INVALID_STATE);
      EXPECT_EQ(freeridge_classifier_memory_required(classifier, nullptr), FREERIDGE_INVALID_ARGUMENT);
      EXPECT_EQ(freeridge_classifier_memory_required(nullptr, &announced), FREERIDGE_INVALID_ARGUMENT);
      support::check(
          freeridge_classifier_set_data(classifier, support::at(FREERIDGE_COL_MAJOR, n, d, x.values.data()), y.data()),
          "freeridge_classifier_set_data");
      support::check(freeridge_classifier_memory_required(classifier, &announced),
                     "freeridge_classifier_memory_required");
      const std::int64_t used =
          peak_of([&] { support::check(freeridge_classifier_fit(classifier, 5), "freeridge_classifier_fit"); });
      EXPECT_LE(used, announced);
      EXPECT_GE(3 * used, announced);
    }
}

TEST(CountedMemory, OfAnAccumulator) {
  for (const std::int64_t d : {3, 400}) {
    SCOPED_TRACE(d);
    const std::int64_t t = 2, n = 5000;
    support::Random random(4);
    const Matrix x = random.uniform_matrix(n, d, -1, 1), y = random.uniform_matrix(n, t, -1, 1);
    const support::Accumulator accumulator(d, t, true), other(d, t, true);
    std::int64_t announced = -1;
    EXPECT_EQ(freeridge_accumulator_memory_required(accumulator.get(), nullptr), FREERIDGE_INVALID_ARGUMENT);
    EXPECT_EQ(freeridge_accumulator_memory_required(nullptr, &announced), FREERIDGE_INVALID_ARGUMENT);
    EXPECT_EQ(freeridge_accumulator_set_progress(nullptr, nullptr, nullptr), FREERIDGE_INVALID_ARGUMENT);
    support::check(freeridge_accumulator_memory_required(accumulator.get(), &announced),
                   "freeridge_accumulator_memory_required");
    const double lambda = 1;
    Vector w(static_cast<std::size_t>(d * t)), b(static_cast<std::size_t>(t)), errors(static_cast<std::size_t>(n * t));
    const auto add_to = [&](const support::Accumulator& to) {
      support::check(
          freeridge_accumulator_add(to.get(), support::at(x), FREERIDGE_COL_MAJOR, y.values.data(), n, nullptr),
          "freeridge_accumulator_add");
    };
    add_to(other);
    const std::int64_t used = peak_of([&] {
      add_to(accumulator);
      add_to(accumulator);
      support::check(freeridge_accumulator_merge(accumulator.get(), other.get()), "freeridge_accumulator_merge");
      support::check(freeridge_accumulator_solve(accumulator.get(), 1, &lambda, w.data(), d, b.data()),
                     "freeridge_accumulator_solve");
      support::check(freeridge_accumulator_errors(accumulator.get(), support::at(x), FREERIDGE_COL_MAJOR,
                                                  y.values.data(), n, nullptr, nullptr, 1, &lambda, errors.data(), n),
                     "freeridge_accumulator_errors");
      add_to(accumulator);
    });
    EXPECT_LE(used, announced);
    if (d > 3) {
      EXPECT_GE(3 * used, announced);
    }
  }
}

// A window has the memory that the header names, however many rows come and go.
TEST(CountedMemory, OfAWindow) {
  for (const bool kernel : {false, true}) {
    SCOPED_TRACE(kernel ? "kernel" : "linear");
    const std::int64_t d = kernel ? 4 : 150, t = 2, capacity = 300;
    support::Random random(5);
    const auto rows = [&](std::int64_t n) {
      return oracle::Problem{{}, random.uniform_matrix(n, d, -1, 1), random.uniform_matrix(n, t, -1, 1), {}, true};
    };
    const oracle::Problem first = rows(capacity), others = rows(200);
    const support::Window window(kernel ? support::Kernel::gaussian(2.0) : support::Kernel::linear(), Matrix(0, d), d,
                                 t, true, 0.1, capacity);
    Vector errors(static_cast<std::size_t>(capacity * t));
    const auto add = [&](const oracle::Problem& some, std::int64_t i, std::int64_t n) {
      support::check(freeridge_window_add(
                         window.get(), support::at(FREERIDGE_COL_MAJOR, n, d, some.x.values.data() + i, some.x.rows),
                         FREERIDGE_COL_MAJOR, some.y.values.data() + i, some.x.rows, nullptr, nullptr, 0),
                     "freeridge_window_add");
      support::check(freeridge_window_loo(window.get(), errors.data(), capacity), "freeridge_window_loo");
    };
    const std::int64_t few = 1 << 20, q = d + 1, own = kernel ? capacity * capacity : 2 * q * q;
    const std::int64_t kept = 8 * (own + 2 * (capacity + 1) * (d + t + 1));
    EXPECT_LE(peak_of([&] { add(first, 0, capacity); }), 3 * kept + few);
    const std::int64_t sliding = peak_of([&] {
      for (std::int64_t i = 0; i < others.x.rows; ++i) add(others, i, 1);
    });
    EXPECT_LE(sliding, 8 * 4 * (capacity + 1) * (d + t + 1) + few);  // the rows are moved once
  }
}

}  // namespace
