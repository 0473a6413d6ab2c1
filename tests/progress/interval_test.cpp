// How much may be done between two calls of the callback: this program stands between the library and the BLAS, counts
// the work of every call that goes by on the caller's thread, in units of libcore/base/progress.hpp (a flop of a matrix
// product, 16 with a BLAS that does not say what it is; a 64th of a number that comes from memory), and looks at the
// count whenever the callback is called. With one thread it is the same on every machine, and bounds the time as soon
// as the machine's speed is known.
//     one call to the BLAS or to LAPACK    at most `grain`
//     between two callbacks                at most `beat` + `grain`, and as many callbacks as that makes
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "progress/heard_calls.hpp"

namespace {

constexpr double beat = 1e9, grain = 3 * 0x1p30, touched = 64;

struct Meter {
  bool on = false;
  double since = 0, largest_call = 0, largest_between = 0, total = 0;
  std::string largest_name;
  int callbacks = 0;
  void count(const char* name, double units) {
    if (!on) return;
    since += units;
    total += units;
    if (units > largest_call) {
      largest_call = units;
      largest_name = name;
    }
  }
  void called_back() {
    largest_between = std::max(largest_between, since);
    since = 0;
    ++callbacks;
  }
};
thread_local Meter meter;

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

double product(double a, double b, double c) {
  return a * b * c;
}

// The units of a * b * c flops of matrix products.
double flops(double a, double b, double c) {
  static const bool known = next<void(int)>("openblas_set_num_threads") != nullptr ||
                            next<void(int)>("bli_thread_set_num_threads") != nullptr ||
                            next<void(int)>("MKL_Set_Num_Threads") != nullptr ||
                            next<void(int)>("flexiblas_set_num_threads") != nullptr;
  return (known ? 1 : 16) * product(a, b, c);
}

// Counts a call unless it is made within another one.
class Outermost {
 public:
  Outermost(const char* name, double units) {
    if (depth_++ == 0) meter.count(name, units);
  }
  ~Outermost() { --depth_; }
  Outermost(const Outermost&) = delete;
  Outermost& operator=(const Outermost&) = delete;

 private:
  static thread_local int depth_;
};
thread_local int Outermost::depth_ = 0;

}  // namespace

// The calls of the library whose work grows with more than one size: those of CBLAS, and those of LAPACK as LAPACKE makes
// them, by address, with the lengths of letters behind them. What LAPACK calls is part of its own call.
extern "C" {
#define FORWARD(name, units, parameters, ...)                   \
  __attribute__((visibility("default"))) void name parameters { \
    static auto* const real = next<void parameters>(#name);     \
    const Outermost call(#name, units);                         \
    real(__VA_ARGS__);                                          \
  }
using Int = std::int32_t;
using In = const Int*;
using Letter = const char*;
using Numbers = const double*;
using Length = std::size_t;
constexpr int left_side = 141;  // in cblas.h

FORWARD(cblas_dgemm, 2 * flops(m, n, k),
        (int o, int ta, int tb, Int m, Int n, Int k, double alpha, Numbers a, Int lda, Numbers b, Int ldb, double beta_,
         double* c, Int ldc),
        o, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta_, c, ldc)
FORWARD(cblas_dsyrk, flops(n, n, k),
        (int o, int u, int t, Int n, Int k, double alpha, Numbers a, Int lda, double beta_, double* c, Int ldc), o, u,
        t, n, k, alpha, a, lda, beta_, c, ldc)
FORWARD(cblas_dsyr2k, 2 * flops(n, n, k),
        (int o, int u, int t, Int n, Int k, double alpha, Numbers a, Int lda, Numbers b, Int ldb, double beta_,
         double* c, Int ldc),
        o, u, t, n, k, alpha, a, lda, b, ldb, beta_, c, ldc)
FORWARD(cblas_dtrsm, side == left_side ? flops(m, m, n) : flops(m, n, n),
        (int o, int side, int u, int t, int d, Int m, Int n, double alpha, Numbers a, Int lda, double* b, Int ldb), o,
        side, u, t, d, m, n, alpha, a, lda, b, ldb)
FORWARD(cblas_dtrmm, side == left_side ? flops(m, m, n) : flops(m, n, n),
        (int o, int side, int u, int t, int d, Int m, Int n, double alpha, Numbers a, Int lda, double* b, Int ldb), o,
        side, u, t, d, m, n, alpha, a, lda, b, ldb)
FORWARD(cblas_dgemv, touched* product(m, n, 1),
        (int o, int t, Int m, Int n, double alpha, Numbers a, Int lda, Numbers x, Int incx, double beta_, double* y,
         Int incy),
        o, t, m, n, alpha, a, lda, x, incx, beta_, y, incy)
FORWARD(cblas_dsymv, touched* product(n, n, 0.5),
        (int o, int u, Int n, double alpha, Numbers a, Int lda, Numbers x, Int incx, double beta_, double* y, Int incy),
        o, u, n, alpha, a, lda, x, incx, beta_, y, incy)
FORWARD(cblas_dsyr2, touched* product(n, n, 0.5),
        (int o, int u, Int n, double alpha, Numbers x, Int incx, Numbers y, Int incy, double* a, Int lda), o, u, n,
        alpha, x, incx, y, incy, a, lda)
FORWARD(dpotrf_, flops(*n, *n, *n) / 3, (Letter u, In n, double* a, In lda, Int* info, Length l1), u, n, a, lda, info,
        l1)
FORWARD(dpotri_, 2 * flops(*n, *n, *n) / 3, (Letter u, In n, double* a, In lda, Int* info, Length l1), u, n, a, lda,
        info, l1)
FORWARD(dtrtri_, flops(*n, *n, *n) / 3, (Letter u, Letter d, In n, double* a, In lda, Int* info, Length l1, Length l2),
        u, d, n, a, lda, info, l1, l2)
FORWARD(dlauum_, flops(*n, *n, *n) / 3, (Letter u, In n, double* a, In lda, Int* info, Length l1), u, n, a, lda, info,
        l1)
FORWARD(dgeqrf_, *lwork < 0 ? 0 : 2 * flops(*m, *n, std::min(*m, *n)),
        (In m, In n, double* a, In lda, double* tau, double* work, In lwork, Int* info), m, n, a, lda, tau, work, lwork,
        info)
FORWARD(dormqr_, *lwork < 0 ? 0 : 4 * flops(*m, *n, *k),
        (Letter s, Letter t, In m, In n, In k, Numbers a, In lda, Numbers tau, double* c, In ldc, double* work,
         In lwork, Int* info, Length l1, Length l2),
        s, t, m, n, k, a, lda, tau, c, ldc, work, lwork, info, l1, l2)
FORWARD(dgebrd_, *lwork < 0 ? 0 : 4 * flops(*m, *n, std::min(*m, *n)),
        (In m, In n, double* a, In lda, double* d, double* e, double* tauq, double* taup, double* work, In lwork,
         Int* info),
        m, n, a, lda, d, e, tauq, taup, work, lwork, info)
FORWARD(dgesdd_,
        *lwork < 0
            ? 0
            : 6 * flops(*m, *n, std::min(*m, *n)) + 20 * flops(std::min(*m, *n), std::min(*m, *n), std::min(*m, *n)),
        (Letter j, In m, In n, double* a, In lda, double* s, double* u, In ldu, double* vt, In ldvt, double* work,
         In lwork, Int* iwork, Int* info, Length l1),
        j, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, iwork, info, l1)
FORWARD(dbdsdc_, 2 * product(*n, *n, *n),
        (Letter u, Letter c, In n, double* d, double* e, double* uu, In ldu, double* vt, In ldvt, double* q, Int* iq,
         double* work, Int* iwork, Int* info, Length l1, Length l2),
        u, c, n, d, e, uu, ldu, vt, ldvt, q, iq, work, iwork, info, l1, l2)
FORWARD(dsyevd_, *lwork < 0 ? 0 : 9 * flops(*n, *n, *n),
        (Letter j, Letter u, In n, double* a, In lda, double* w, double* work, In lwork, Int* iwork, In liwork,
         Int* info, Length l1, Length l2),
        j, u, n, a, lda, w, work, lwork, iwork, liwork, info, l1, l2)
FORWARD(dtpqrt_, 2 * flops(*m, *n, *n),
        (In m, In n, In l, In nb, double* a, In lda, double* b, In ldb, double* tt, In ldt, double* work, Int* info), m,
        n, l, nb, a, lda, b, ldb, tt, ldt, work, info)
FORWARD(dtbtrs_, 20 * product(*n, *kd + 1, *nrhs),
        (Letter u, Letter t, Letter d, In n, In kd, In nrhs, Numbers a, In lda, double* b, In ldb, Int* info, Length l1,
         Length l2, Length l3),
        u, t, d, n, kd, nrhs, a, lda, b, ldb, info, l1, l2, l3)
#undef FORWARD
}

namespace {

using namespace heard;

std::int32_t hear(double, void*) {
  meter.called_back();
  return 0;
}

// call() with the meter on; at least so many units must have gone by, so that the bounds say something.
template <class Run>
void expect_heard_in_time(const std::string& name, double least, const Run& run) {
  SCOPED_TRACE(name);
  meter = Meter();
  meter.on = true;
  const freeridge_status status = run();
  meter.called_back();
  meter.on = false;
  ASSERT_EQ(status, FREERIDGE_OK) << freeridge_last_error();
  EXPECT_GE(meter.total, least) << "too little to say anything";
  EXPECT_LE(meter.largest_call, grain) << meter.largest_name;
  EXPECT_LE(meter.largest_between, beat + grain);
  EXPECT_GE(static_cast<double>(meter.callbacks), meter.total / (beat + grain));
}

void expect_in_time(const Case& c, const Sizes& size, double least_to_factorize, double least_for_lambda) {
  SCOPED_TRACE(c.name);
  Model model = data_model(c, size);
  model.progress(hear, nullptr);
  expect_heard_in_time("factorize", least_to_factorize, [&] { return freeridge_factorize(model.get()); });
  expect_heard_in_time("set_lambda", least_for_lambda, [&] { return freeridge_set_lambda(model.get(), 0.5); });
  for (const Call<Model>& call : fitted_calls(c, size)) {
    if (call.name == "loo_learnt") model.select_lambda(FREERIDGE_LOO, 0.01, 10);
    expect_heard_in_time(call.name, 0, [&] { return call.run(model).status; });
  }
  for (const Call<Model>& call : factorized_calls(c, size))
    if (call.name.rfind("score by", 0) == 0 || call.name == "hat_matrix" || call.name == "eigenvalues")
      expect_heard_in_time(call.name, 0, [&] { return call.run(model).status; });
}

class Interval : public ::testing::Test {
 protected:
  Interval() { support::check(freeridge_set_threads(1), "freeridge_set_threads"); }
};

TEST_F(Interval, Cholesky) {
  expect_in_time({"CHOLESKY", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_CHOLESKY}, {2600, 4}, 1e8, 5e9);
}

// A step of the inverse is longer than `grain`.
TEST_F(Interval, GradientOfAScore) {
  const Case c = {"CHOLESKY", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_CHOLESKY};
  const Sizes size = {2600, 4};
  Model model = data_model(c, size);
  model.progress(hear, nullptr);
  for (const Call<Model>& call : data_calls(c, size))
    if (call.name.starts_with("score_gradient"))
      expect_heard_in_time(call.name, 1.7e10, [&] { return call.run(model).status; });
}

TEST_F(Interval, Spectral) {
  expect_in_time({"SPECTRAL", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_SPECTRAL}, {1800, 4}, 2e10, 1e6);
}

TEST_F(Interval, Band) {
  expect_in_time({"BAND", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_BAND}, {2400, 4}, 2e10, 1e6);
  expect_in_time(
      {"BAND, for GCV", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_BAND, 0, FREERIDGE_REDUCTION_AUTO, FREERIDGE_GCV},
      {2400, 4}, 5e9, 1e6);
}

TEST_F(Interval, Primal) {
  expect_in_time({"PRIMAL", "linear()", FREERIDGE_ROUTE_PRIMAL}, {4000, 900}, 5e9, 1e6);
  expect_in_time({"PRIMAL by the Gram matrix", "linear()", FREERIDGE_ROUTE_PRIMAL, 0, FREERIDGE_REDUCTION_GRAM},
                 {5000, 1000}, 5e9, 1e6);
}

// So many columns that all of LAPACK's steps of a singular value decomposition are longer than `grain`.
TEST_F(Interval, ManyColumns) {
  Model model = data_model({"PRIMAL, kept", "linear()", FREERIDGE_ROUTE_PRIMAL}, {1600, 1300});
  model.progress(hear, nullptr);
  expect_heard_in_time("factorize", 2e10, [&] { return freeridge_factorize(model.get()); });
}

TEST_F(Interval, Landmark) {
  expect_in_time({"LANDMARK", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_LANDMARK, 800}, {6000, 4}, 5e9, 1e6);
}

TEST_F(Interval, ManyPoints) {
  const Case c = {"SPECTRAL", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_SPECTRAL};
  const Sizes size = {500, 40, 2, 200000};
  Model model = fitted_model(c, size);
  model.progress(hear, nullptr);
  for (const Call<Model>& call : fitted_calls(c, size))
    if (call.name == "predict") expect_heard_in_time(call.name, 3e8, [&] { return call.run(model).status; });
  EXPECT_GE(meter.callbacks, 200000 / 4096);  // nearly all of the work is in kernel values, which no BLAS makes
}

TEST_F(Interval, Accumulator) {
  support::Random random(3);
  const std::int64_t d = 700, rows = 9000;
  const Matrix x = random.uniform_matrix(rows, d, -1, 1), y = random.uniform_matrix(rows, 1, -1, 1);
  const support::Accumulator accumulator(d, 1, true);
  support::check(freeridge_accumulator_set_progress(accumulator.get(), hear, nullptr),
                 "freeridge_accumulator_set_progress");
  expect_heard_in_time("add", 6e9, [&] {
    return freeridge_accumulator_add(accumulator.get(), support::at(x), FREERIDGE_COL_MAJOR, y.values.data(), rows,
                                     nullptr);
  });
  const double lambda = 1;
  Vector w(static_cast<std::size_t>(d)), b(1), errors(static_cast<std::size_t>(rows));
  expect_heard_in_time(
      "solve", 5e9, [&] { return freeridge_accumulator_solve(accumulator.get(), 1, &lambda, w.data(), d, b.data()); });
  expect_heard_in_time("loo", 5e9, [&] {
    return freeridge_accumulator_errors(accumulator.get(), support::at(x), FREERIDGE_COL_MAJOR, y.values.data(), rows,
                                        nullptr, nullptr, 1, &lambda, errors.data(), rows);
  });
  const Vector lambdas(900, 1.0);
  expect_heard_in_time("squared_errors", 5e9, [&] {
    return freeridge_accumulator_squared_errors(accumulator.get(), support::at(x), FREERIDGE_COL_MAJOR, y.values.data(),
                                                rows, nullptr, 900, lambdas.data(), nullptr, errors.data(), 900);
  });
}

TEST_F(Interval, Classifier) {
  support::Random random(4);
  const std::int64_t n = 2600;
  const Matrix x = random.uniform_matrix(n, 4, -1, 1);
  Vector y, decision(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) y.push_back(x(i, 0) + 0.5 * random.normal() > 0 ? 1 : -1);
  freeridge_classifier* classifier = nullptr;
  support::check(freeridge_classifier_create(support::Kernel::parse("gaussian(sigma = 1)").get(),
                                             FREERIDGE_LOSS_LOGISTIC, &classifier),
                 "freeridge_classifier_create");
  const std::unique_ptr<freeridge_classifier, void (*)(freeridge_classifier*)> owner(classifier,
                                                                                     freeridge_classifier_destroy);
  support::check(freeridge_classifier_set_data(classifier, support::at(x), y.data()), "freeridge_classifier_set_data");
  freeridge_classifier_set_progress(classifier, hear, nullptr);
  expect_heard_in_time("fit", 2e10, [&] { return freeridge_classifier_fit(classifier, 10); });
  expect_heard_in_time("loo", 1e10, [&] { return freeridge_classifier_loo(classifier, decision.data()); });
}

}  // namespace
