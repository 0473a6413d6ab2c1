// Saved factorizations, asked of the core directly: the bits of every answer are those of the factorization that was
// saved, whatever the route; the bytes are as many as saved.hpp says; and payloads that are cut short or forged (their
// checksum is right) are refused, or answer something, but never crash, hang or ask for more memory than they could
// fill.
#include "libcore/routes/saved_route.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <limits>
#include <thread>

#include "core/factorization_answers.hpp"
#include "support/counted_memory.hpp"
#include "support/problems.hpp"

namespace {

using namespace freeridge;
using support::Random;
using Words = std::vector<std::uint64_t>;
using Labels = std::vector<std::int32_t>;

constexpr std::size_t head = 32, tail = 8;  // of a container

LayoutView view(const support::Matrix& x) {
  return {x.values.data(), x.rows, x.cols, x.rows, Layout::col_major};
}

std::vector<unsigned char> container(const Payload& payload) {
  std::vector<unsigned char> out(static_cast<std::size_t>(container_size(payload)));
  MemorySink sink(out);
  write_container(SavedKind::model, payload, sink);
  return out;
}

// The payload, number by number.
Words saved(const Factorization& f) {
  const std::vector<unsigned char> bytes = container([&](ByteWriter& out) { f.save(out); });
  Words out((bytes.size() - head - tail) / 8);
  for (std::size_t k = 0; k < 8 * out.size(); ++k) out[k / 8] |= std::uint64_t{bytes[head + k]} << (8 * (k % 8));
  return out;
}

FactorizationPtr load(const ProblemPtr& problem, Route route, const Words& words) {
  const std::vector<unsigned char> bytes = container([&](ByteWriter& out) {
    for (const std::uint64_t word : words) out.integer(static_cast<std::int64_t>(word));
  });
  const MemorySource source(bytes);
  ByteReader in(source, {SavedKind::model});
  FactorizationPtr out = load_factorization(problem, route, in);
  in.end();
  return out;
}

struct Data {
  support::Matrix x, y;
  support::Vector weights;
  KernelPtr kernel;
  bool intercept;

  ProblemPtr problem() const { return std::make_shared<const Problem>(kernel, view(x), view(y), weights, intercept); }
  Labels groups() const {  // of some 40 rows at most, with rows that are never left out
    Labels out(static_cast<std::size_t>(x.rows));
    const std::size_t count = std::max<std::size_t>(5, out.size() / 40);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = i % 7 == 3 ? -1 : static_cast<std::int32_t>(i % count);
    return out;
  }
};

Data data_of(Random& random, KernelPtr kernel, Index n, Index d, Index t, bool weighted, bool intercept) {
  auto p = support::random_problem(random, oracle::KernelSpec::linear(), n, d, t, weighted, intercept);
  return {std::move(p.x), std::move(p.y), std::move(p.weights), std::move(kernel), intercept};
}

struct Way {
  const char* name;
  std::function<FactorizationPtr(ProblemPtr)> factorize;
};

std::vector<Way> ways(Index landmarks, bool linear) {
  const auto band = [](Index bandwidth, bool with_basis) {
    return [=](ProblemPtr p) { return factorize_band(std::move(p), bandwidth, with_basis); };
  };
  const auto by_landmarks = [=](LandmarkMethod method, Reduction reduction) {
    return [=](ProblemPtr p) { return factorize_landmark(std::move(p), {landmarks, {}, method, 3}, reduction); };
  };
  const auto primal = [](Reduction reduction) {
    return [=](ProblemPtr p) { return factorize_primal(std::move(p), reduction); };
  };
  std::vector<Way> out = {
      {"CHOLESKY", [](ProblemPtr p) { return factorize_cholesky(std::move(p)); }},
      {"SPECTRAL", [](ProblemPtr p) { return factorize_spectral(std::move(p)); }},
      {"BAND, Q later", band(16, false)},
      {"BAND, Q at once", band(32, true)},
      {"LANDMARK, k-means, QR", by_landmarks(LandmarkMethod::kmeans, Reduction::qr)},
      {"LANDMARK, random, Gram", by_landmarks(LandmarkMethod::random, Reduction::gram)},
      {"LANDMARK, pivoted, Gram", by_landmarks(LandmarkMethod::pivoted, Reduction::gram)},
  };
  if (linear) {
    out.push_back({"PRIMAL, QR", primal(Reduction::qr)});
    out.push_back({"PRIMAL, Gram", primal(Reduction::gram)});
  }
  return out;
}

// What was saved before any answer, and after all of them.
void expect_same(const Data& data, const Way& way, const std::vector<double>& lambdas) {
  SCOPED_TRACE(::testing::Message() << way.name << ", n = " << data.x.rows << ", weights " << !data.weights.empty()
                                    << ", intercept " << data.intercept << ", t = " << data.y.cols);
  const FactorizationPtr original = way.factorize(data.problem());
  const Words first = saved(*original);
  const FactorizationPtr loaded = load(data.problem(), original->route(), first);
  EXPECT_EQ(loaded->route(), original->route());
  EXPECT_EQ(saved(*loaded), first);
  const LayoutView x = view(data.x);
  const answers::Answers of_original = answers::all_answers(*original, lambdas, x, data.groups());
  EXPECT_TRUE(answers::all_answers(*loaded, lambdas, x, data.groups()) == of_original);
  const Words second = saved(*original);
  EXPECT_EQ(saved(*loaded), second);
  const answers::Answers again = answers::all_answers(*original, lambdas, x, data.groups());
  const FactorizationPtr later = load(data.problem(), original->route(), second);
  EXPECT_TRUE(answers::all_answers(*later, lambdas, x, data.groups()) == again);
}

const std::vector<double> some_lambdas = {0.0, 1e-3, 0.7, 1e9};

TEST(SavedFactorizations, AnswerWithTheSameBits) {
  Random random(601);
  for (const Index n : {1, 2, 5, 17, 40, 90})
    for (const bool linear : {true, false})
      for (const bool weighted : {false, true})
        for (const bool intercept : {false, true})
          for (const Index t : {1, 3}) {
            const KernelPtr kernel = linear ? linear_kernel() : gaussian_kernel(1.3);
            const Data data = data_of(random, kernel, n, 4, t, weighted, intercept);
            for (const Way& way : ways(std::min<Index>(n, 9), linear)) expect_same(data, way, some_lambdas);
          }
}

TEST(SavedFactorizations, SeveralBlocksAndTiles) {
  // Several blocks of reflectors and tiles of rows; landmarks enough for a partly whitened Gram matrix, folded (Matern)
  // and not (Gaussian).
  Random random(602);
  for (const bool smooth : {false, true}) {
    const Data data = data_of(random, smooth ? gaussian_kernel(2.0) : matern_kernel(0.5, 0.3), 400, 3, 2, smooth, true);
    for (const Way& way : ways(280, false)) expect_same(data, way, {1e-3, 10.0});
  }
  // d >= n; and B formed from the data by QR: more numbers than are kept.
  Data wide = data_of(random, linear_kernel(), 30, 45, 2, true, true);
  for (const Way& way : ways(9, true)) expect_same(wide, way, some_lambdas);
  for (Index k = 0; k < 45; ++k)  // three groups of features
    for (Index i = 0; i < 30; ++i) wide.x(i, k) *= std::pow(10.0, 6 * static_cast<double>(k % 3));
  expect_same(wide, ways(9, true)[7], some_lambdas);
  const Data tall = data_of(random, linear_kernel(), 11000, 200, 1, true, true);
  ASSERT_TRUE(primal_streams(11000, 200, Reduction::qr));
  expect_same(tall, ways(9, true)[7], {1.0});
}

// y is almost in the span of B: what is left of it takes a pass of its own, which a loaded factorization does not make
// again.
TEST(SavedFactorizations, OutputsInTheSpanOfTheBasis) {
  Random random(604);
  for (const bool linear : {true, false})
    for (const Index t : {1, 2}) {
      Data data = data_of(random, linear ? linear_kernel() : gaussian_kernel(3.0), 12, 2, t, false, true);
      for (Index j = 0; j < t; ++j)
        for (Index i = 0; i < 12; ++i)
          data.y(i, j) = data.x(i, 0) - 2 * data.x(i, 1) + 1e-7 * std::sin(static_cast<double>(i * (j + 1)));
      for (const Way& way : ways(9, linear)) expect_same(data, way, some_lambdas);
    }
}

TEST(SavedFactorizations, ADependentLandmarkAndAPrecomputedKernel) {
  Random random(603);
  Data data = data_of(random, gaussian_kernel(1.0), 30, 2, 2, true, true);
  for (Index k = 0; k < 2; ++k) data.x(7, k) = data.x(4, k);
  expect_same(data,
              {"LANDMARK, one of them twice",
               [](ProblemPtr p) {
                 return factorize_landmark(std::move(p), {4, {4, 7, 1, 20}}, Reduction::automatic);
               }},
              some_lambdas);
  support::Matrix k(30, 30);
  for (Index i = 0; i < 30; ++i)
    for (Index j = 0; j < 30; ++j) {
      const double u = data.x(i, 0) - data.x(j, 0), v = data.x(i, 1) - data.x(j, 1);
      k(i, j) = std::exp(-u * u - v * v);
    }
  for (const bool intercept : {false, true}) {
    data.x = k;
    data.kernel = precomputed_kernel();
    data.intercept = intercept;
    for (const Way& way : ways(9, false)) expect_same(data, way, some_lambdas);
  }
}

// A kernel that counts its values.
class Counting final : public Kernel {
 public:
  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    values += out.rows * out.cols;
    inner_->evaluate(a, b, out);
  }
  DoubleDouble twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z) const override {
    return inner_->twofold(x, z);
  }
  void slopes(ConstMatrixView a, ConstMatrixView b, const SlopeFactor& factor, const TakeSlope& take) const override {
    inner_->slopes(a, b, factor, take);
  }
  void along(ConstMatrixView a, ConstMatrixView b, Index k, const AlongColumn& out) const override {
    inner_->along(a, b, k, out);
  }
  void add_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s, const LogGradient& to) const override {
    inner_->add_log_gradient(a, b, s, to);
  }
  KernelPtr rebuilt(Span<const double> numbers, Array<KernelPtr> parts) const override {
    return inner_->rebuilt(numbers, std::move(parts));
  }
  const char* name() const override { return inner_->name(); }
  void describe(KernelText& out) const override { inner_->describe(out); }
  mutable std::atomic<Index> values{0};

 private:
  KernelPtr inner_ = gaussian_kernel(1.0);
};

TEST(SavedFactorizations, NoKernelMatrixIsFormedAgain) {
  Random random(609);
  const auto kernel = std::make_shared<Counting>();
  const Data data = data_of(random, kernel, 50, 3, 2, true, true);
  for (const Way& way : ways(9, false)) {
    SCOPED_TRACE(way.name);
    const FactorizationPtr f = way.factorize(data.problem());
    EXPECT_GE(kernel->values.exchange(0), 50 * 9);
    load(data.problem(), f->route(), saved(*f));
    const bool measures_rows = f->route() == Route::cholesky || f->route() == Route::spectral;
    EXPECT_EQ(kernel->values, measures_rows ? 50 : 0);  // the diagonal alone
  }
}

TEST(SavedFactorizations, AreAsLargeAsTheirParts) {
  const Index n = 60, d = 4, t = 3;
  Random random(604);
  for (const bool intercept : {false, true}) {
    const Data data = data_of(random, linear_kernel(), n, d, t, false, intercept);
    const Index m = n - (intercept ? 1 : 0), one = intercept ? n : 0, b = 16, left = m - b;
    const Index band = (b + 1) * m - b * (b + 1) / 2, of_band = 4 + one + band + left + (intercept ? m : 0) + m * t;
    const std::vector<Way> all = ways(9, true);
    const auto size = [&](std::size_t way) { return std::ssize(saved(*all[way].factorize(data.problem()))); };
    EXPECT_EQ(size(0), one + m * (m + 1) / 2);
    EXPECT_EQ(size(1), one + m + n * m);
    EXPECT_EQ(size(2), of_band + left * (left - 1) / 2);
    EXPECT_EQ(size(7), 1 + 2 * d + d * d + d * (d + 1) / 2 + n * d);
    EXPECT_EQ(size(8), 1 + 2 + (intercept ? d : 0) + 2 * d + d * d + d * t + t);
    const FactorizationPtr later = all[2].factorize(data.problem());
    std::vector<double> leverage(static_cast<std::size_t>(n));
    later->at(1.0)->leverage(leverage);  // forms Q
    EXPECT_EQ(std::ssize(saved(*later)), of_band + left * left);
  }
}

TEST(SavedFactorizations, APartThatIsMadeLaterWaitsForTheSaving) {
  Random random(605);
  const Data data = data_of(random, gaussian_kernel(1.0), 120, 3, 1, false, true);
  const FactorizationPtr f = factorize_band(data.problem(), 16, false);
  const Words before = saved(*f);
  std::vector<double> leverage(120);
  std::atomic<bool> started{false};
  std::shared_ptr<const void> hold = f->hold();
  ASSERT_TRUE(hold);
  std::thread other([&] {
    started = true;
    f->at(1.0)->leverage(leverage);
  });
  while (!started) std::this_thread::yield();
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(saved(*f), before);
    std::this_thread::yield();
  }
  hold.reset();
  other.join();
  EXPECT_NE(saved(*f), before);
  std::vector<double> expected(120);
  load(data.problem(), Route::band, before)->at(1.0)->leverage(expected);
  EXPECT_EQ(leverage, expected);
}

// ---- bytes that are wrong ----

// What loading says; what loads is asked everything.
std::optional<Status> outcome(const Data& data, const ProblemPtr& problem, Route route, const Words& words) {
  support::largest_allocation();
  FactorizationPtr loaded;
  try {
    loaded = load(problem, route, words);
  } catch (const Error& error) {
    EXPECT_LT(support::largest_allocation(), std::size_t{1} << 20);
    return error.status();
  }
  EXPECT_LT(support::largest_allocation(), std::size_t{1} << 20);
  answers::Answers out;
  answers::add_or_say(out, [&] { out = answers::all_answers(*loaded, {0.0, 1.0}, view(data.x), data.groups()); });
  return std::nullopt;
}

TEST(SavedFactorizations, CutShortAndTooLong) {
  Random random(606);
  for (const bool intercept : {false, true}) {
    const Data data = data_of(random, linear_kernel(), 19, 3, 2, true, intercept);
    const ProblemPtr problem = data.problem();
    for (const Way& way : ways(4, true)) {
      SCOPED_TRACE(way.name);
      const FactorizationPtr f = way.factorize(problem);
      Words words = saved(*f);
      for (std::size_t size = 0; size < words.size(); ++size)
        EXPECT_EQ(outcome(data, problem, f->route(), {words.begin(), words.begin() + static_cast<Index>(size)}),
                  Status::corrupt);
      words.push_back(0);
      EXPECT_EQ(outcome(data, problem, f->route(), words), Status::corrupt);
    }
  }
}

TEST(SavedFactorizations, EveryNumberForged) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<std::uint64_t> forged = {0, 1, 2, 3, 63, 64, ~0ULL, 1ULL << 31, 1ULL << 62, 1ULL << 63};
  for (const double value : {1.0, -1.0, 1.9, 1e-310, 1e160, 1e300, -1e300, infinity, -infinity, std::nan("")})
    forged.push_back(std::bit_cast<std::uint64_t>(value));
  Random random(607);
  int refused = 0, answered = 0;
  for (const bool wide : {false, true})
    for (const bool intercept : {false, true}) {
      const Data data = data_of(random, linear_kernel(), wide ? 6 : 18, wide ? 9 : 2, 1, false, intercept);
      const ProblemPtr problem = data.problem();
      for (const Way& way : ways(3, true)) {
        if (wide && std::string(way.name).rfind("PRIMAL", 0) != 0) continue;
        SCOPED_TRACE(way.name);
        const FactorizationPtr f = way.factorize(problem);
        const Words words = saved(*f);
        const std::size_t step = std::max<std::size_t>(words.size() / 80, 1);  // all at the begin and the end, and some
        for (std::size_t k = 0; k < words.size(); k += k < 30 || k + 30 > words.size() ? 1 : step)
          for (const std::uint64_t value : forged) {
            SCOPED_TRACE(::testing::Message() << "number " << k << " is " << value);
            Words changed = words;
            changed[k] = value;
            const std::optional<Status> status = outcome(data, problem, f->route(), changed);
            ++(status ? refused : answered);
            EXPECT_TRUE(!status || status == Status::corrupt || status == Status::not_finite);
          }
      }
    }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(answered, 1000);
}

TEST(SavedFactorizations, WhatDoesNotFitTheProblem) {
  Random random(608);
  const Data small = data_of(random, linear_kernel(), 12, 3, 2, false, true);
  const std::vector<Way> all = ways(4, true);
  // Landmarks that are no rows, twice the same, kept ones that are none; an L that is singular.
  const FactorizationPtr f = all[5].factorize(small.problem());
  const Words words = saved(*f);
  ASSERT_EQ(words[0], 4u);
  ASSERT_EQ(words[5], 3u);  // of a rank of three
  const auto with = [&](std::size_t at, std::uint64_t value) {
    Words changed = words;
    changed[at] = value;
    return outcome(small, small.problem(), Route::landmark, changed);
  };
  std::uint64_t other = 0;
  while (std::find(words.begin() + 1, words.begin() + 5, other) != words.begin() + 5) ++other;
  EXPECT_EQ(with(0, 13), Status::corrupt);
  EXPECT_EQ(with(1, 12), Status::corrupt);
  EXPECT_EQ(with(1, words[2]), Status::corrupt);
  EXPECT_EQ(with(5, 5), Status::corrupt);
  EXPECT_EQ(with(6, other), Status::corrupt);
  EXPECT_EQ(with(6, words[7]), Status::corrupt);
  EXPECT_EQ(with(9, 0), Status::corrupt);
  // Another problem's: with more rows, of another kernel, by another route.
  const Data larger = data_of(random, linear_kernel(), 13, 3, 2, false, true);
  const Data curved = data_of(random, gaussian_kernel(1.0), 12, 3, 2, false, true);
  for (const std::size_t k : {0, 1, 2, 3, 7}) {
    SCOPED_TRACE(all[k].name);
    const FactorizationPtr each = all[k].factorize(small.problem());
    EXPECT_EQ(outcome(larger, larger.problem(), each->route(), saved(*each)), Status::corrupt);
    EXPECT_EQ(outcome(small, small.problem(), Route::landmark, saved(*each)), Status::corrupt);
    EXPECT_EQ(outcome(small, small.problem(), Route::automatic, saved(*each)), Status::corrupt);
    EXPECT_EQ(outcome(small, small.problem(), Route::iterative, saved(*each)), Status::corrupt);  // for no such kernel
  }
  const FactorizationPtr primal = all[7].factorize(small.problem());
  EXPECT_EQ(outcome(curved, curved.problem(), Route::primal, saved(*primal)), Status::corrupt);
}

}  // namespace
