// Landmarks and reductions: bad arguments, what each call does to the state, what is left where, memory, progress.
#include "capi/support/landmark_calls.hpp"

#include <cmath>

#include "capi/support/answer_calls.hpp"
#include "capi/support/refusals.hpp"
#include "capi/support/selection_calls.hpp"
#include "capi/support/setting_calls.hpp"
#include "support/landmarks.hpp"

namespace landmarks_test {

using sample::State;
using sample::Variant;
using support::Rows;

// ---- bad arguments ----

TEST(ContractLandmarks, ARowTwice) {
  for (Variant variant : sample::variants) {
    const Model model = sample::model(State::fitted, variant);
    const Fingerprint before = fingerprint(model.get());
    SetLandmarks call;
    call.model = model.get();
    call.rows.values = {8, 1, 5, 11, 8};
    expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"rows", "4", "8"});
    call.rows.values = {0, 0};
    call.count = 2;
    expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"rows", "1", "0"});
    EXPECT_EQ(difference(before, fingerprint(model.get())), "");
  }
}

TEST(ContractLandmarks, SizesMustAscend) {
  const Model model = sample::model(State::fitted, Variant::landmark);
  const Fingerprint before = fingerprint(model.get());
  LandmarkCurve call;
  call.model = model.get();
  call.sizes.values = {2, 2, 4};
  expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"sizes", "1", "2"});
  call.sizes.values = {2, 4, 3};
  expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"sizes", "2", "3"});
  EXPECT_EQ(difference(before, fingerprint(model.get())), "");
}

TEST(ContractLandmarks, TheCurveNeedsWhatItsCriterionNeeds) {
  Model model = sample::model(State::fitted, Variant::landmark);
  model.groups({});
  LandmarkCurve call;
  call.model = model.get();
  call.criterion = FREERIDGE_GROUPS;
  expect_failure(call, FREERIDGE_INVALID_STATE, {"freeridge_set_groups"});
  Model constant(Kernel::linear());  // no lambda matters
  constant.data(support::Matrix(6, 2, 1.0), support::Matrix(6, sample::t, 2.0));
  support::set_landmarks(constant, {0, 1, 2, 3});
  call.criterion = FREERIDGE_GCV;
  call.model = constant.get();
  expect_failure(call, FREERIDGE_UNDEFINED, {"lambda"});
  EXPECT_EQ(sample::state_of(constant.get()), State::data);
}

// ---- states ----

TEST(ContractLandmarks, CallsThatNeedLandmarks) {
  for (State state : {State::empty, State::data, State::factorized, State::fitted}) {
    const Model with = sample::model(state, Variant::landmark), without = sample::model(state);
    LandmarkTrace get;
    LandmarkCurve curve;
    get.model = curve.model = without.get();
    expect_failure(get, FREERIDGE_INVALID_STATE,
                   {state == State::empty  ? "freeridge_set_data"
                    : state == State::data ? "freeridge_factorize"
                                           : "freeridge_set_landmarks"});
    expect_failure(curve, FREERIDGE_INVALID_STATE,
                   {state == State::empty ? "freeridge_set_data" : "freeridge_set_landmarks"});
    get.model = curve.model = with.get();
    const Fingerprint before = fingerprint(with.get());
    if (state >= State::factorized)
      EXPECT_EQ(get(), FREERIDGE_OK) << freeridge_last_error();
    else
      expect_failure(get, FREERIDGE_INVALID_STATE, {});
    if (state >= State::data)
      EXPECT_EQ(curve(), FREERIDGE_OK) << freeridge_last_error();
    else
      expect_failure(curve, FREERIDGE_INVALID_STATE, {"freeridge_set_data"});
    EXPECT_EQ(difference(before, fingerprint(with.get())), "");
  }
}

TEST(ContractLandmarks, RankIsNotKnownToCholesky) {
  const Model model = sample::model(State::fitted, Variant::cholesky);
  GetRank call;
  call.model = model.get();
  expect_failure(call, FREERIDGE_INVALID_STATE, {"CHOLESKY", "rank"});
}

TEST(ContractLandmarks, CountIsZeroOnOtherRoutes) {
  for (Variant variant : sample::variants) {
    const Model model = sample::model(State::factorized, variant);
    EXPECT_EQ(support::landmark_count(model), variant == Variant::landmark ? 5 : 0);
  }
}

// Without landmarks there is nothing for the route to do; with landmarks there is nothing for the others.
TEST(ContractLandmarks, RoutesAndLandmarksMustFit) {
  MemoryRequired memory;
  Factorize factorize;
  Model none = sample::model(State::fitted);
  none.route(FREERIDGE_ROUTE_LANDMARK);
  memory.model = factorize.model = none.get();
  const Fingerprint before = fingerprint(none.get());
  expect_failure(memory, FREERIDGE_INVALID_STATE, {"LANDMARK", "freeridge_set_landmarks"});
  expect_failure(factorize, FREERIDGE_INVALID_STATE, {"LANDMARK", "freeridge_set_landmarks"});
  EXPECT_EQ(difference(before, fingerprint(none.get())), "");

  const std::pair<freeridge_route, const char*> routes[] = {{FREERIDGE_ROUTE_SPECTRAL, "SPECTRAL"},
                                                            {FREERIDGE_ROUTE_CHOLESKY, "CHOLESKY"},
                                                            {FREERIDGE_ROUTE_PRIMAL, "PRIMAL"}};
  for (const auto& [route, name] : routes) {
    Model model = sample::model(State::data, Variant::primal);  // a linear kernel
    support::set_landmarks(model, {0, 3}).route(route);
    memory.model = factorize.model = model.get();
    expect_failure(memory, FREERIDGE_INVALID_ARGUMENT, {"landmarks", "2", name});
    expect_failure(factorize, FREERIDGE_INVALID_ARGUMENT, {"landmarks", "2", name});
    EXPECT_EQ(sample::state_of(model.get()), State::data);
    model.route(FREERIDGE_ROUTE_AUTO).factorize();
    EXPECT_EQ(model.route_used(), FREERIDGE_ROUTE_LANDMARK);
  }
}

TEST(ContractLandmarks, NoneAreNone) {
  const int64_t rows[] = {1, 2};
  for (const int64_t* given : {static_cast<const int64_t*>(nullptr), rows}) {
    Model model = sample::model(State::fitted, Variant::landmark);
    ASSERT_EQ(freeridge_set_landmarks(model.get(), 0, given), FREERIDGE_OK) << freeridge_last_error();
    EXPECT_EQ(sample::state_of(model.get()), State::data);
    EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_INVALID_STATE);
    model.route(FREERIDGE_ROUTE_AUTO).factorize();
    EXPECT_EQ(model.route_used(), FREERIDGE_ROUTE_SPECTRAL);
    EXPECT_EQ(support::landmark_count(model), 0);
  }
}

// The rows are copied, and stay until the data go.
TEST(ContractLandmarks, LandmarksStayUntilTheDataGo) {
  Model model = sample::model(State::data);
  Rows rows = {3, 9};
  support::set_landmarks(model.route(FREERIDGE_ROUTE_AUTO), rows);
  rows = {77, 77};
  const Rows expected = {3, 9};
  model.weights({}).intercept(false).groups({}).kernel(Kernel::laplacian(0.7)).factorize();
  EXPECT_EQ(support::landmark_rows(model), expected);
  support::set_reduction(model, FREERIDGE_REDUCTION_QR).factorize().lambda(0.3);
  EXPECT_EQ(support::landmark_rows(model), expected);

  SetData refused;
  refused.model = model.get();
  refused.x.values[0] = NaN;
  EXPECT_EQ(refused(), FREERIDGE_NOT_FINITE);
  EXPECT_EQ(support::landmark_rows(model), expected);
  model.factorize();
  EXPECT_EQ(support::landmark_rows(model), expected);

  SetData data;
  data.model = model.get();
  ASSERT_EQ(data(), FREERIDGE_OK);
  model.factorize();
  EXPECT_EQ(model.route_used(), FREERIDGE_ROUTE_SPECTRAL);
}

// set_landmarks with rows after chosen ones, and the other way round.
TEST(ContractLandmarks, TheLastSettingCounts) {
  Model model = sample::model(State::data, Variant::landmark);
  support::choose_landmarks(model, 4, FREERIDGE_LANDMARKS_RANDOM, 1).factorize();
  EXPECT_EQ(support::landmark_count(model), 4);
  EXPECT_NE(support::landmark_rows(model), (Rows{8, 1, 5, 11}));
  support::set_landmarks(model, {6}).factorize();
  EXPECT_EQ(support::landmark_rows(model), Rows{6});
}

TEST(ContractLandmarks, TracesMayBeLeftOut) {
  const Model model = sample::model(State::fitted, Variant::landmark);
  GetLandmarks chosen;
  chosen.model = model.get();
  ASSERT_EQ(chosen(), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_EQ(chosen.count.values[0], 5);
  EXPECT_TRUE(chosen.rows.guard_untouched());
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(chosen.rows.values[i], sample::landmarks()[i]);
  LandmarkTrace all, left, trace, none;
  all.model = left.model = trace.model = none.model = model.get();
  left.trace.null = trace.left.null = none.trace.null = none.left.null = true;
  for (LandmarkTrace* call : {&all, &left, &trace, &none}) ASSERT_EQ((*call)(), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_EQ(left.left.values[0], all.left.values[0]);
  EXPECT_EQ(trace.trace.values[0], all.trace.values[0]);
  EXPECT_EQ(all.trace.values[0], static_cast<double>(sample::n));  // k(x, x) = 1
  EXPECT_GT(all.left.values[0], 0);
  EXPECT_LT(all.left.values[0], all.trace.values[0]);
}

// ---- numbers that overflow ----

TEST(ContractLandmarks, KernelsThatOverflow) {
  for (double size : {1e200, 0.8e154}) {  // k = Inf; k = 1.3e308, whose sums overflow
    for (freeridge_landmark_method method :
         {FREERIDGE_LANDMARKS_RANDOM, FREERIDGE_LANDMARKS_KMEANS, FREERIDGE_LANDMARKS_PIVOTED}) {
      for (freeridge_reduction reduction : {FREERIDGE_REDUCTION_GRAM, FREERIDGE_REDUCTION_QR}) {
        SCOPED_TRACE(text_of(size) + ", method " + std::to_string(method));
        std::vector<double> x = sample::x();
        for (double& value : x) value = value > 0 ? size : -size;
        Model model = sample::model_of(Kernel::linear(), x, sample::y(), sample::n);
        support::set_reduction(support::choose_landmarks(model, 4, method), reduction);
        Factorize factorize;
        factorize.model = model.get();
        expect_failure(factorize, FREERIDGE_NOT_FINITE, {"x"});
        EXPECT_EQ(sample::state_of(model.get()), State::data);
      }
    }
  }
}

// A row that no landmark sees: the factorization does not need k(x_i, x_i), its trace does.
TEST(ContractLandmarks, TheTraceOverflows) {
  std::vector<double> x(2 * 5, 0.0), y = {1, 2, 3, 4, 5};
  for (std::size_t i = 0; i < 4; ++i) x[i] = static_cast<double>(i) - 1.5;
  x[5 + 4] = 1e200;  // the second feature of the last row
  Model model = sample::model_of(Kernel::linear(), x, y, 5);
  support::set_landmarks(model, {0, 1}).factorize().lambda(1.0);
  std::int64_t rows[2] = {-1, -1};
  double left = 7, all = 7;
  EXPECT_EQ(freeridge_landmark_trace(model.get(), &left, &all), FREERIDGE_NOT_FINITE);
  EXPECT_NE(std::string(freeridge_last_error()).find("the trace of K overflows"), std::string::npos)
      << freeridge_last_error();
  EXPECT_EQ(left, 7);
  EXPECT_EQ(all, 7);
  EXPECT_EQ(freeridge_get_landmarks(model.get(), nullptr, rows), FREERIDGE_OK);
  EXPECT_EQ(rows[0] + rows[1], 1);
}

// ---- precomputed kernels ----

TEST(ContractLandmarks, APrecomputedKernelMustBeSymmetric) {
  support::Matrix k(4, 4, 0.1);
  for (int64_t i = 0; i < 4; ++i) k(i, i) = 1;
  k(2, 1) = 0.3;
  for (const Rows& rows : {Rows{1}, Rows{2}, Rows{0, 1}, Rows{3, 2, 1, 0}}) {
    Model model = support::precomputed_model(k, support::Matrix(4, 1, 1.0));
    support::set_landmarks(model, rows);
    Factorize factorize;
    factorize.model = model.get();
    expect_failure(factorize, FREERIDGE_INVALID_ARGUMENT, {"symmetric"});
  }
}

// ---- memory ----

class ContractLandmarkMemory : public testing::Test {
 protected:
  static constexpr int64_t n = 300000, d = 8, t = 1;  // n d > 2^21: the primal route streams
  void SetUp() override {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = std::sin(static_cast<double>(i));
  }
  void use(Model& model) {
    ASSERT_EQ(freeridge_set_points(model.get(), support::at(FREERIDGE_COL_MAJOR, n, d, x_.data()), 1,
                                   FREERIDGE_COL_MAJOR, t, x_.data(), n),
              FREERIDGE_OK)
        << freeridge_last_error();
  }
  static int64_t bytes(const Model& model) {
    MemoryRequired memory;
    memory.model = model.get();
    EXPECT_EQ(memory(), FREERIDGE_OK) << freeridge_last_error();
    return memory.bytes.values[0];
  }
  std::vector<double> x_ = std::vector<double>(sample::size(n, d));
};

// Five matrices of r x r (the Gram matrix, its eigenvectors, V', V / S and L), a tile, Y~ and the answers; the pivoted
// choice has its factor beside.
TEST_F(ContractLandmarkMemory, Landmarks) {
  Model model(Kernel::gaussian(1.0));
  use(model);
  int64_t last = 0;
  for (int64_t r : {10, 100, 1000, 4000}) {
    support::choose_landmarks(model, r, FREERIDGE_LANDMARKS_RANDOM);
    const int64_t random = bytes(model);
    EXPECT_GE(random, 8 * (5 * r * r + 2048 * r + 3 * n * t));
    EXPECT_LT(random, int64_t{1} << 33);
    EXPECT_GT(random, last);
    last = random;
    support::choose_landmarks(model, r, FREERIDGE_LANDMARKS_PIVOTED);
    EXPECT_GE(bytes(model), 8 * r * std::min(n, std::max(r, (int64_t{1} << 25) / r - 1)));
    EXPECT_LE(bytes(model) - random, int64_t{1} << 29);
    support::set_reduction(model, FREERIDGE_REDUCTION_QR);
    EXPECT_GE(bytes(model), 8 * 9 * r * r);  // blocks of 8 r rows below R
    support::set_reduction(model, FREERIDGE_REDUCTION_AUTO);
  }
  ASSERT_EQ(freeridge_set_landmarks(model.get(), 0, nullptr), FREERIDGE_OK);
  for (freeridge_route route : {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_CHOLESKY})
    EXPECT_GT(bytes(model.route(route)), 10 * last);
}

TEST_F(ContractLandmarkMemory, StreamedPrimal) {
  Model model(Kernel::linear());
  use(model);
  EXPECT_EQ(bytes(model), bytes(model.route(FREERIDGE_ROUTE_PRIMAL)));
  for (freeridge_reduction reduction : {FREERIDGE_REDUCTION_AUTO, FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM}) {
    support::set_reduction(model, reduction);
    EXPECT_GE(bytes(model), 8 * (4 * d * d + 2048 * d + 3 * n * t));
    EXPECT_LT(bytes(model), 8 * n * (d + 12));  // no second x
  }
  for (freeridge_route route : {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_CHOLESKY})
    EXPECT_GT(bytes(model.route(route)), 8 * n * n);
}

// More landmarks than memory: refused before anything is chosen.
TEST_F(ContractLandmarkMemory, TooManyLandmarks) {
  for (freeridge_landmark_method method : {FREERIDGE_LANDMARKS_RANDOM, FREERIDGE_LANDMARKS_PIVOTED}) {
    Model model(Kernel::gaussian(1.0));
    use(model);
    support::choose_landmarks(model, n, method);
    Factorize factorize;
    LandmarkCurve curve;
    factorize.model = curve.model = model.get();
    expect_failure(factorize, FREERIDGE_OUT_OF_MEMORY, {"bytes", "use fewer landmarks"});
    curve.sizes.values = {1, 2, n};
    expect_failure(curve, FREERIDGE_OUT_OF_MEMORY, {"bytes", "use fewer landmarks"});
    EXPECT_EQ(sample::state_of(model.get()), State::data);
  }
}

// ---- progress ----

struct Counter {
  int64_t reports = 0, cancel_at = -1;
  static int32_t hear(double, void* user) {
    auto* self = static_cast<Counter*>(user);
    return self->reports++ == self->cancel_at ? 1 : 0;
  }
};

// Reported between blocks of rows, and cancelled at each of the reports.
template <class Call>
void expect_reports(Model& model, int64_t least) {
  SCOPED_TRACE(Call::name);
  Counter counter;
  model.progress(Counter::hear, &counter);
  Call whole;
  whole.model = model.get();
  ASSERT_EQ(whole(), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_GE(counter.reports, least);
  for (int64_t place : {int64_t{0}, counter.reports / 3, counter.reports / 2, counter.reports - 1}) {
    Counter cancel;
    cancel.cancel_at = place;
    model.progress(Counter::hear, &cancel);
    Call call;
    call.model = model.get();
    expect_failure(call, FREERIDGE_CANCELLED, {});
    EXPECT_EQ(cancel.reports, place + 1);
    model.progress(nullptr, nullptr);
  }
}

TEST(ContractLandmarks, LongWorkIsHeardBetweenBlocksOfRows) {
  // With more, a thread that waits for the others reports, too: how often depends on what else the machine does.
  ASSERT_EQ(freeridge_set_threads(1), FREERIDGE_OK);
  constexpr int64_t n = 10000;
  std::vector<double> x(sample::size(n)), y(sample::size(n, sample::t));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::cos(static_cast<double>(7 * i));
  Model model = sample::model_of(Kernel::gaussian(0.1), x, y, n);
  for (freeridge_landmark_method method :
       {FREERIDGE_LANDMARKS_RANDOM, FREERIDGE_LANDMARKS_KMEANS, FREERIDGE_LANDMARKS_PIVOTED}) {
    support::choose_landmarks(model, 5, method);
    expect_reports<Factorize>(model, 5);
    EXPECT_EQ(sample::state_of(model.get()), State::factorized);
    expect_reports<LandmarkTrace>(model, 5);
    expect_reports<LandmarkCurve>(model, 15);
  }
  EXPECT_EQ(freeridge_set_threads(0), FREERIDGE_OK);
}

}  // namespace landmarks_test
