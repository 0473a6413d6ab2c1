// Threads of the caller's: N threads with a handle each, and N threads that ask one handle everything that a const call
// can. With one thread for the library's own loops every answer has the bits that it has on a single thread; with more,
// the library's threads work among the caller's. ThreadSanitizer (preset tsan) sees that nobody writes what another
// reads.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "capi/support/fingerprint.hpp"
#include "capi/support/landmark_calls.hpp"
#include "capi/support/sample.hpp"
#include "support/accumulator.hpp"
#include "support/landmarks.hpp"
#include "support/random.hpp"
#include "support/window.hpp"

namespace {

using support::check;
using support::Matrix;
using Bytes = std::vector<unsigned char>;

constexpr int callers = 4;

// body(k) for k = 0 ... callers - 1, all at the same time.
void side_by_side(const std::function<void(int)>& body) {
  std::atomic<int> ready = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < callers; ++k)
    threads.emplace_back([&, k] {
      for (++ready; ready < callers;) std::this_thread::yield();
      body(k);
    });
  for (std::thread& thread : threads) thread.join();
}

void append(Bytes& bytes, const std::vector<double>& numbers) {
  const auto* first = reinterpret_cast<const unsigned char*>(numbers.data());
  bytes.insert(bytes.end(), first, first + numbers.size() * sizeof(double));
}

class Threads : public ::testing::Test {
 protected:
  Threads() { check(freeridge_set_threads(1), "freeridge_set_threads"); }
  ~Threads() override { freeridge_set_threads(0); }
};

const std::vector<freeridge_route> routes = {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND,
                                             FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_LANDMARK};

// The sample moved by k, factorized and searched: another problem for each k.
Model model_of_caller(freeridge_route route, int k) {
  Model model(route == FREERIDGE_ROUTE_PRIMAL ? Kernel::linear() : Kernel::gaussian(sample::sigma + 0.1 * k));
  std::vector<double> y = sample::y();
  for (double& value : y) value += 0.25 * k * value * value;
  model.route(route).data(sample::matrix(sample::n, sample::x()), sample::matrix(sample::n, y));
  model.weights(sample::weights()).groups(sample::group());
  if (route == FREERIDGE_ROUTE_LANDMARK) support::set_landmarks(model, sample::landmarks());
  model.factorize();
  model.select_lambda(FREERIDGE_LOO, 1e-3, 1e3);
  return model;
}

TEST_F(Threads, AModelEach) {
  for (const freeridge_route route : routes) {
    SCOPED_TRACE(route);
    std::vector<Fingerprint> serial, parallel(callers);
    for (int k = 0; k < callers; ++k) serial.push_back(fingerprint(model_of_caller(route, k).get()));
    side_by_side([&](int k) { parallel[static_cast<std::size_t>(k)] = fingerprint(model_of_caller(route, k).get()); });
    for (std::size_t k = 0; k < callers; ++k) EXPECT_EQ(difference(serial[k], parallel[k]), "");
    EXPECT_NE(difference(serial[0], serial[1]), "") << "the callers have one problem";
  }
}

TEST_F(Threads, OneModelForAll) {
  for (const freeridge_route route : routes) {
    SCOPED_TRACE(route);
    const Model model = model_of_caller(route, 0);
    const Fingerprint serial = fingerprint(model.get());
    std::vector<Fingerprint> parallel(callers);
    side_by_side([&](int k) {
      for (int repetition = 0; repetition < 3; ++repetition)
        parallel[static_cast<std::size_t>(k)] = fingerprint(model.get());
    });
    for (const Fingerprint& answers : parallel) EXPECT_EQ(difference(serial, answers), "");
  }
}

// The const calls that a fingerprint leaves out: the plan's words, and the curve, which factorizes on its own.
TEST_F(Threads, OnePlanForAll) {
  const Model model = model_of_caller(FREERIDGE_ROUTE_LANDMARK, 0);
  const auto ask = [&] {
    LandmarkCurve curve;
    curve.model = model.get();
    check(curve(), curve.name);
    int64_t length = 0;
    std::string text(4096, '?');
    check(freeridge_explain(model.get(), 4096, text.data(), &length), "freeridge_explain");
    EXPECT_EQ(text.compare(0, 14, "route LANDMARK"), 0);
    Bytes bytes;
    append(bytes, curve.lambdas.values);
    append(bytes, curve.scores.values);
    return bytes;
  };
  const Bytes serial = ask();
  side_by_side([&](int) { EXPECT_EQ(ask(), serial); });
}

// One kernel described, compared and copied into models.
TEST_F(Threads, OneKernelForAll) {
  const Kernel kernel = Kernel::scaled(Kernel::gaussian(1.25), {0.5, 3.0});
  const std::string serial = kernel.description();
  side_by_side([&](int) {
    for (int repetition = 0; repetition < 20; ++repetition) {
      EXPECT_EQ(kernel.description(), serial);
      EXPECT_TRUE(kernel == Kernel::parse(serial));
      const Model model(kernel);
      const Kernel scaled = Kernel::scaled(kernel, {2.0, 1.0});
      EXPECT_FALSE(scaled == kernel);
    }
  });
}

// ---- accumulators ----

struct Rows {
  oracle::Problem problem;
  support::Vector lambdas = {0, 0.5, 2};

  explicit Rows(std::uint64_t seed) {
    support::Random random(seed);
    problem.x = random.uniform_matrix(700, 3, -1.0, 1.0);
    problem.y = random.uniform_matrix(700, 2, -1.0, 1.0);
    problem.intercept = true;
  }
  support::Accumulator accumulator() const { return support::Accumulator(problem, 100); }
  Bytes answers(const support::Accumulator& rows) const {
    Bytes bytes = rows.save();
    const support::Planes planes = rows.solve(lambdas);
    append(bytes, planes.w.values);
    append(bytes, planes.b.values);
    append(bytes, rows.score(FREERIDGE_GCV, lambdas).values);
    append(bytes, rows.lambda_grid(7));
    append(bytes, rows.loo(problem, lambdas).values);
    return bytes;
  }
};

TEST_F(Threads, AnAccumulatorEach) {
  std::vector<Bytes> serial, parallel(callers);
  for (std::uint64_t k = 0; k < callers; ++k) serial.push_back(Rows(k).answers(Rows(k).accumulator()));
  side_by_side([&](int k) {
    const Rows rows(static_cast<std::uint64_t>(k));
    parallel[static_cast<std::size_t>(k)] = rows.answers(rows.accumulator());
  });
  EXPECT_TRUE(parallel == serial);
  EXPECT_NE(serial[0], serial[1]);
}

// All ask a new one: the first pays for what the others share, and they merge it into their own.
TEST_F(Threads, OneAccumulatorForAll) {
  const Rows rows(7);
  const Bytes serial = rows.answers(rows.accumulator());
  for (int repetition = 0; repetition < 5; ++repetition) {
    const support::Accumulator shared = rows.accumulator();
    side_by_side([&](int) {
      EXPECT_EQ(rows.answers(shared), serial);
      support::Accumulator own(3, 2, true);
      own.merge(shared);
      EXPECT_EQ(own.n(), 700);
    });
  }
}

// ---- windows ----

// All ask a new one: the first makes the factor, its solution and the left-out errors.
TEST_F(Threads, OneWindowForAll) {
  const Rows rows(9);
  for (const bool kernel : {false, true}) {
    const auto make = [&] {
      support::Window out(kernel ? Kernel::gaussian(1.5) : Kernel::linear(), support::Matrix(0, 3), 3, 2, true, 0.5,
                          90);
      out.add(support::slice(rows.problem, 0, 100), false);
      return out;
    };
    const auto answers = [&](const support::Window& window) {
      support::Vector b;
      Bytes bytes;
      append(bytes, window.coefficients(b).values);
      append(bytes, b);
      append(bytes, window.predict(rows.problem.x).values);
      append(bytes, window.loo().values);
      append(bytes, window.rows().y.values);
      return bytes;
    };
    const Bytes serial = answers(make());
    for (int repetition = 0; repetition < 5; ++repetition) {
      const support::Window shared = make();
      side_by_side([&](int) { EXPECT_EQ(answers(shared), serial); });
      EXPECT_EQ(shared.state().factorizations, 1);
    }
  }
}

// ---- classifiers ----

class Classes {
 public:
  Classes(freeridge_loss loss, int k) : loss_(loss) {
    const Kernel kernel = Kernel::gaussian(1.0 + 0.25 * k);
    const std::vector<double> x = sample::x();
    std::vector<double> y;
    for (int64_t i = 0; i < sample::n; ++i) y.push_back(x[sample::size(i)] > 0.1 || i == 2 ? 1 : -1);
    freeridge_classifier* made = nullptr;
    check(freeridge_classifier_create(kernel.get(), loss, &made), "freeridge_classifier_create");
    handle_.reset(made);
    check(
        freeridge_classifier_set_data(made, support::at(FREERIDGE_COL_MAJOR, sample::n, sample::d, x.data()), y.data()),
        "freeridge_classifier_set_data");
    check(freeridge_classifier_fit(made, 0.5), "freeridge_classifier_fit");
  }
  Bytes answers() const {
    const std::vector<double> points = sample::new_x();
    std::vector<double> out(120, -7.0);
    int64_t iterations = 0;
    check(freeridge_classifier_get_coefficients(get(), &out[0], &out[15]), "freeridge_classifier_get_coefficients");
    check(freeridge_classifier_get_convergence(get(), &out[16], &iterations, &out[17], &out[71], &out[72]),
          "freeridge_classifier_get_convergence");
    check(freeridge_classifier_predict(get(), support::at(FREERIDGE_COL_MAJOR, sample::m, sample::d, points.data()),
                                       &out[20], loss_ == FREERIDGE_LOSS_LOGISTIC ? &out[25] : nullptr),
          "freeridge_classifier_predict");
    if (loss_ == FREERIDGE_LOSS_LOGISTIC) {
      check(freeridge_classifier_loo(get(), &out[30]), "freeridge_classifier_loo");
    } else {
      int64_t count = 0;
      check(freeridge_classifier_get_support(get(), &count, nullptr, &out[30]), "freeridge_classifier_get_support");
      out[31] = static_cast<double>(count);
    }
    check(freeridge_classifier_distances(get(), support::at(FREERIDGE_COL_MAJOR, sample::m, sample::d, points.data()),
                                         &out[60]),
          "freeridge_classifier_distances");
    check(freeridge_classifier_get_margins(get(), &out[80], nullptr, &out[100], nullptr),
          "freeridge_classifier_get_margins");
    Bytes bytes;
    append(bytes, out);
    return bytes;
  }

 private:
  struct Destroy {
    void operator()(freeridge_classifier* classifier) const { freeridge_classifier_destroy(classifier); }
  };
  const freeridge_classifier* get() const { return handle_.get(); }
  freeridge_loss loss_;
  std::unique_ptr<freeridge_classifier, Destroy> handle_;
};

TEST_F(Threads, AClassifierEachAndOneForAll) {
  for (const freeridge_loss loss : {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE}) {
    std::vector<Bytes> serial, parallel(callers);
    for (int k = 0; k < callers; ++k) serial.push_back(Classes(loss, k).answers());
    side_by_side([&](int k) { parallel[static_cast<std::size_t>(k)] = Classes(loss, k).answers(); });
    EXPECT_TRUE(parallel == serial);
    const Classes shared(loss, 0);
    side_by_side([&](int) {
      for (int repetition = 0; repetition < 10; ++repetition) EXPECT_EQ(shared.answers(), serial[0]);
    });
  }
}

// ---- about the library ----

TEST_F(Threads, WordsAreEachThreadsOwn) {
  side_by_side([](int k) {
    for (int repetition = 0; repetition < 50; ++repetition) {
      freeridge_kernel* kernel = nullptr;
      EXPECT_EQ(freeridge_kernel_gaussian(-1.0 - k, &kernel), FREERIDGE_INVALID_ARGUMENT);
      EXPECT_NE(std::string(freeridge_last_error()).find(std::to_string(-1 - k)), std::string::npos);
      EXPECT_EQ(std::strncmp(freeridge_build_info(), "freeridge ", 10), 0);
      int32_t threads = 0;
      EXPECT_EQ(freeridge_get_threads(&threads), FREERIDGE_OK);
      EXPECT_EQ(threads, 1);
    }
  });
}

// ---- the library's own threads among the caller's ----

struct Large {
  Model model;
  Matrix points;

  explicit Large(freeridge_route route)
      : model(route == FREERIDGE_ROUTE_PRIMAL ? Kernel::linear() : Kernel::gaussian(2.0)) {
    const int64_t n = route == FREERIDGE_ROUTE_PRIMAL ? 4000 : route == FREERIDGE_ROUTE_LANDMARK ? 1500 : 240;
    support::Random random(3);
    points = random.uniform_matrix(n, 6, -1.0, 1.0);
    std::vector<int32_t> group;
    for (int64_t i = 0; i < n; ++i) group.push_back(static_cast<int32_t>(i % 10));
    model.route(route).data(points, random.uniform_matrix(n, 2, -1.0, 1.0)).groups(group);
    if (route == FREERIDGE_ROUTE_LANDMARK)
      check(freeridge_set_landmarks(model.get(), 30, nullptr), "freeridge_set_landmarks");
    model.factorize().lambda(2.0);
  }
  std::vector<Matrix> answers() const {
    return {model.loo(), model.predict(points), model.fitted(), model.score(FREERIDGE_LOO, {1, 2, 4}),
            model.score(FREERIDGE_GROUPS, {1, 2})};
  }
};

TEST_F(Threads, LoopsOfSeveralThreadsAmongThem) {
  for (const freeridge_route route : routes) {
    SCOPED_TRACE(route);
    const Large alone(route);
    const std::vector<Matrix> serial = alone.answers();
    check(freeridge_set_threads(3), "freeridge_set_threads");
    const Large shared(route);
    side_by_side([&](int k) {
      const std::vector<Matrix> answers = k % 2 == 0 ? shared.answers() : Large(route).answers();
      ASSERT_EQ(answers.size(), serial.size());
      for (std::size_t i = 0; i < serial.size(); ++i) EXPECT_CLOSE(answers[i], serial[i], 1e-11);
    });
    check(freeridge_set_threads(1), "freeridge_set_threads");
  }
}

// Many small models, on several threads for each caller.
TEST_F(Threads, ABatchEachAndOneForAll) {
  constexpr std::int64_t models = 60, rows = 8, n = models * rows;
  support::Random random(3);
  const Matrix x = random.uniform_matrix(n, 2, -1, 1), y = random.uniform_matrix(n, 1, -1, 1);
  std::vector<std::int64_t> start;
  for (std::int64_t g = 0; g <= models; ++g) start.push_back(g * rows);
  const Model shared(Kernel::gaussian(1.5));
  const auto answers = [&](const Model& settings) {
    Matrix errors(n, 1);
    freeridge_batch_answers out = {};
    out.size = sizeof out;
    out.errors = errors.values.data();
    check(freeridge_batch(settings.get(), support::at(x), FREERIDGE_COL_MAJOR, 1, y.values.data(), n, nullptr, models,
                          start.data(), FREERIDGE_GCV, 0.01, 100, &out),
          "freeridge_batch");
    return errors;
  };
  const Matrix serial = answers(shared);
  check(freeridge_set_threads(3), "freeridge_set_threads");
  side_by_side([&](int k) {
    EXPECT_CLOSE(k % 2 == 0 ? answers(shared) : answers(Model(Kernel::gaussian(1.5))), serial, 1e-11);
  });
  check(freeridge_set_threads(1), "freeridge_set_threads");
}

// A failure on one of the library's threads comes back on the thread that called.
TEST_F(Threads, CancelledAmongThem) {
  check(freeridge_set_threads(3), "freeridge_set_threads");
  side_by_side([](int) {
    Large own(FREERIDGE_ROUTE_CHOLESKY);
    std::atomic<int> heard = 0;
    own.model.progress([](double, void* user) -> int32_t { return ++*static_cast<std::atomic<int>*>(user) > 1; },
                       &heard);
    EXPECT_EQ(freeridge_factorize(own.model.get()), FREERIDGE_CANCELLED);
    EXPECT_EQ(heard, 2);
    own.model.progress(nullptr, nullptr).factorize();
  });
}

}  // namespace
