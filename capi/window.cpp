// The C layer, windows: each call checks its arguments and hands over to the core, behind the exception wall.
#include "capi/handles.hpp"
#include "capi/points.hpp"

namespace freeridge::capi {
namespace {

template <class Handle>
auto& window_of(Handle* window) {
  return required("window", window).window;
}

// Points in memory, without unpenalised columns.
Rows rows_in_memory(const char* name, const GivenPoints& points, Index d) {
  points.require_columns(d);
  points.refuse_unpenalised("a window has none");
  if (points.read()) fail(Status::invalid_argument, name, ".reader is not NULL; the rows of a window come from memory");
  return points.in_memory().x;
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_window_create(const freeridge_kernel* kernel, const freeridge_points* landmarks, int64_t d,
                                         int64_t t, int32_t intercept, double lambda, int64_t capacity,
                                         double forgetting, freeridge_window** out) {
  return guarded(__func__, [&] {
    const KernelPtr& of = required("kernel", kernel).kernel;
    require_size("d", d);
    require_size("t", t);
    if (1 + d + t > largest_size)
      fail(Status::invalid_argument, "d is ", d, " and t is ", t, "; 1 + d + t must be at most ", largest_size);
    Rows z;
    if (landmarks != nullptr) z = rows_in_memory("landmarks", GivenPoints("landmarks", landmarks), d);
    if (capacity < 0 || capacity > largest_size)
      fail(Status::invalid_argument, "capacity is ", capacity, "; it must be from 0 to ", largest_size);
    required("out", out);
    *out = new freeridge_window{Window(of, z, {d, t, intercept != 0, lambda, capacity, forgetting})};
  });
}

void freeridge_window_destroy(freeridge_window* window) {
  delete window;
}

freeridge_status freeridge_window_set_progress(freeridge_window* window, freeridge_progress callback, void* user) {
  return guarded(__func__, [&] { window_of(window).set_listener({callback, user}); });
}

freeridge_status freeridge_window_add(freeridge_window* window, const freeridge_points* points, freeridge_layout layout,
                                      const double* y, int64_t ldy, const double* weights, double* errors, int64_t ld) {
  return guarded(__func__, [&] {
    Window& to = window_of(window);
    const Index t = to.settings().t;
    const GivenPoints given("points", points);
    const Rows x = rows_in_memory("points", given, to.settings().d);
    const LayoutView outputs = checked_matrix("y", y, checked_layout(layout), "points.n", x.rows, "t", t, "ldy", ldy);
    if (errors != nullptr) require_ld("ld", ld, "points.n", x.rows, t);
    to.add(x, outputs, weights, optional_output(errors, x.rows, t, ld));
  });
}

freeridge_status freeridge_window_remove(freeridge_window* window, int64_t count, const int64_t* rows) {
  return guarded(__func__, [&] { window_of(window).remove(count, rows); });
}

freeridge_status freeridge_window_set_lambda(freeridge_window* window, double lambda) {
  return guarded(__func__, [&] { window_of(window).set_lambda(lambda); });
}

freeridge_status freeridge_window_select_lambda(freeridge_window* window, freeridge_criterion criterion, double low,
                                                double high, double* lambda, double* score) {
  return guarded(__func__, [&] {
    Window& of = window_of(window);
    if (criterion != FREERIDGE_LOO && criterion != FREERIDGE_GCV && criterion != FREERIDGE_REML)
      fail(Status::invalid_argument, "criterion is ", criterion, "; a window knows LOO, GCV and REML");
    required("lambda", lambda);
    required("score", score);
    const Window::Choice found = of.select_lambda(static_cast<Criterion>(criterion), low, high);
    *lambda = found.lambda;
    *score = found.score;
  });
}

freeridge_status freeridge_window_loo(const freeridge_window* window, double* errors, int64_t ld) {
  return guarded(__func__, [&] {
    const Window& of = window_of(window);
    const Index n = of.rows().n(), t = of.settings().t;
    const MatrixView out = checked_output("errors", errors, "n", n, t, ld);
    Matrix found(n, t);
    std::string reason = of.loo(found.view());
    copy(found.view(), out);
    report_undefined(std::move(reason));
  });
}

freeridge_status freeridge_window_coefficients(const freeridge_window* window, double* c, int64_t ld, double* b) {
  return guarded(__func__, [&] {
    const Window& of = window_of(window);
    const Index rows = of.coefficient_rows(), t = of.settings().t;
    const MatrixView out = checked_output("c", c, "the rows of the coefficients", rows, t, ld);
    required("b", b);
    Matrix found(rows, t);
    Array<double> levels(t);
    of.coefficients(found.view(), levels);
    copy(found.view(), out);
    copy_to(levels, b);
  });
}

freeridge_status freeridge_window_predict(const freeridge_window* window, const freeridge_points* points,
                                          freeridge_layout layout, double* out, int64_t ldout) {
  return guarded(__func__, [&] {
    const Window& of = window_of(window);
    const GivenPoints given("points", points);
    const Rows x = rows_in_memory("points", given, of.settings().d);
    const Layout order = checked_layout(layout);
    checked_matrix("out", out, order, "points.n", x.rows, "t", of.settings().t, "ldout", ldout);
    given.require_finite();
    Matrix found(x.rows, of.settings().t);
    of.predict(x, found.view());
    copy_out(found.view(), order, out, ldout);
  });
}

freeridge_status freeridge_window_get_rows(const freeridge_window* window, freeridge_layout layout, double* x,
                                           int64_t ldx, double* y, int64_t ldy, double* weights) {
  return guarded(__func__, [&] {
    const WindowRows& rows = window_of(window).rows();
    const Layout order = checked_layout(layout);
    const Index n = rows.n();
    if (n == 0) fail(Status::invalid_state, "the window has no rows; call freeridge_window_add first");
    if (x != nullptr) checked_matrix("x", x, order, "n", n, "d", rows.d(), "ldx", ldx);
    if (y != nullptr) checked_matrix("y", y, order, "n", n, "t", rows.t(), "ldy", ldy);
    const auto give = [&](const LayoutView& from, double* to, Index ld) {
      for (Index i = 0; to != nullptr && i < n; ++i)
        for (Index k = 0; k < from.cols; ++k) to[order == Layout::col_major ? i + k * ld : i * ld + k] = from(i, k);
    };
    give(rows.x(), x, ldx);
    give(rows.y(), y, ldy);
    if (weights != nullptr) std::copy_n(rows.weights(), n, weights);
  });
}

freeridge_status freeridge_window_get_state(const freeridge_window* window, int64_t* n, int64_t* d, int64_t* t,
                                            int64_t* rows, double* lambda, double* lost, int64_t* factorizations) {
  return guarded(__func__, [&] {
    const Window& of = window_of(window);
    const auto give = [](auto* to, auto value) {
      if (to != nullptr) *to = value;
    };
    const Window::Digits digits = of.digits();
    give(n, of.n());
    give(d, of.settings().d);
    give(t, of.settings().t);
    give(rows, of.coefficient_rows());
    give(lambda, of.settings().lambda);
    give(lost, digits.lost);
    give(factorizations, digits.factorizations);
  });
}
