// The calls of freeridge_window as structs: their arguments, valid until a test spoils one.
#pragma once

#include "capi/support/shared_arguments.hpp"
#include "support/window.hpp"

namespace window {

struct OnWindow {
  freeridge_window* window = nullptr;
};

inline oracle::Problem sample_problem(bool kernel) {
  return {kernel ? oracle::KernelSpec::gaussian(sample::sigma) : oracle::KernelSpec::linear(),
          sample::matrix(sample::n, sample::x()), sample::matrix(sample::n, sample::y()), sample::weights(), true};
}

// The rows of the sample, of which the oldest three went.
inline support::Window sample_window(bool kernel) {
  const oracle::Problem rows = sample_problem(kernel);
  support::Window out(oracle::make_kernel(rows.kernel), support::Matrix(0, sample::d), sample::d, sample::t, true, 0.5,
                      sample::n);
  out.add(rows, false);
  out.remove_oldest(3);
  return out;
}
constexpr int64_t n = sample::n - 3;

struct Create : AnyCall {
  static constexpr const char* optional = "landmarks";
  support::Kernel inner = oracle::make_kernel(oracle::KernelSpec::gaussian(1.0));
  const freeridge_kernel* kernel = inner.get();
  PointsArgument landmarks = dense_points(3, {0.0, 1.0, 2.0, 0.5, -1.0, 0.0});
  int64_t d = 2, t = 2;
  int32_t intercept = 1;
  double lambda = 0.5;
  int64_t capacity = 7;
  double forgetting = 1;
  Output<freeridge_window*> out{1};
  FREERIDGE_CALL(freeridge_window_create);
};

struct SetProgress : AnyCall, OnWindow {
  static constexpr const char* optional = "callback user";
  freeridge_progress callback = nullptr;
  void* user = nullptr;
  FREERIDGE_CALL(freeridge_window_set_progress);
};

struct Add : AnyCall, OnWindow {
  static constexpr const char* optional = "weights errors";
  PointsArgument points = dense_points(sample::m, sample::new_x());
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  Input<double> y{{0.5, -1.0, 2.0, 1.0, 0.0, 0.25}};
  int64_t ldy = sample::m;
  Input<double> weights{{1.0, 2.0, 0.5}};
  Output<double> errors{sample::size(sample::m, sample::t)};
  int64_t ld = sample::m;
  FREERIDGE_CALL(freeridge_window_add);
};
struct AddSparse : Add {
  AddSparse() { points = sparse_points(sample::m, sample::new_x()); }
};

struct Remove : AnyCall, OnWindow {
  static constexpr const char* optional = "rows";
  int64_t count = 2;
  Input<int64_t> rows{{5, 1}};
  FREERIDGE_CALL(freeridge_window_remove);
};

struct SetLambda : AnyCall, OnWindow {
  double lambda = 2;
  FREERIDGE_CALL(freeridge_window_set_lambda);
};

struct SelectLambda : AnyCall, OnWindow {
  freeridge_criterion criterion = FREERIDGE_LOO;
  double low = 1e-2, high = 1e2;
  Output<double> lambda{1}, score{1};
  FREERIDGE_CALL(freeridge_window_select_lambda);
};

struct Loo : AnyCall, OnWindow {
  Output<double> errors{sample::size(n, sample::t)};
  int64_t ld = n;
  FREERIDGE_CALL(freeridge_window_loo);
};

struct Coefficients : AnyCall, OnWindow {  // of a kernel: a linear one has d rows
  Output<double> c{sample::size(n, sample::t)};
  int64_t ld = n;
  Output<double> b{sample::size(sample::t)};
  FREERIDGE_CALL(freeridge_window_coefficients);
};

struct Predict : AnyCall, OnWindow {
  PointsArgument points = dense_points(sample::m, sample::new_x());
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  Output<double> out{sample::size(sample::m, sample::t)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_window_predict);
};

struct GetRows : AnyCall, OnWindow {
  static constexpr const char* optional = "x y weights";
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  Output<double> x{sample::size(n, sample::d)};
  int64_t ldx = n;
  Output<double> y{sample::size(n, sample::t)};
  int64_t ldy = n;
  Output<double> weights{sample::size(n)};
  FREERIDGE_CALL(freeridge_window_get_rows);
};

struct GetState : AnyCall, OnWindow {
  static constexpr const char* optional = "n d t rows lambda lost factorizations";
  Output<int64_t> n{1}, d{1}, t{1}, rows{1};
  Output<double> lambda{1}, lost{1};
  Output<int64_t> factorizations{1};
  FREERIDGE_CALL(freeridge_window_get_state);
};

}  // namespace window
