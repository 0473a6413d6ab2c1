// The C layer, gradients and descent: calls without a handle. Each works on its own memory and writes its outputs last.
#include "capi/wall.hpp"
#include "libcore/classical/early_stopping.hpp"
#include "libcore/losses/calibration.hpp"
#include "libcore/losses/gradient_descent.hpp"

namespace freeridge::capi {
namespace {

// The loss of n outputs; values are checked in the core.
LossOutputs checked_outputs(freeridge_loss loss, int64_t n, const double* y, const double* weights, double lambda) {
  require_one_of("loss", loss,
                 {FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE, FREERIDGE_LOSS_SQUARED, FREERIDGE_LOSS_ABSOLUTE});
  return {static_cast<PointLoss>(loss), n, &required("y", y), weights, lambda};
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_loss_gradient(freeridge_loss loss, freeridge_layout layout, int64_t n, int64_t d,
                                         const double* x, int64_t ldx, const double* y, const double* weights,
                                         double lambda, int64_t count, const double* w, const double* b,
                                         double* objective, double* gradient, double* gradient_b) {
  return guarded(__func__, [&] {
    const LayoutView points = checked_points(layout, n, d, x, ldx);
    const LossOutputs outputs = checked_outputs(loss, n, y, weights, lambda);
    require_size("count", count);
    require_product("d", d, "count", count);
    const ConstMatrixView at{&required("w", w), d, count, d};
    const LossGradient found = loss_gradient(outputs, points, at, {&required("b", b), count}, gradient != nullptr);
    copy_to(found.objective, objective);
    copy_to(found.gradient.values(), gradient);
    copy_to(found.intercept, gradient_b);
  });
}

freeridge_status freeridge_expansion_gradient(freeridge_loss loss, int64_t n, const double* k, int64_t ldk,
                                              const double* y, const double* weights, double lambda, const double* c,
                                              double b, double* objective, double* gradient, double* gradient_b) {
  return guarded(__func__, [&] {
    require_size("n", n);
    const LayoutView values = checked_matrix("k", k, Layout::col_major, "n", n, "n", n, "ldk", ldk);
    const LossOutputs outputs = checked_outputs(loss, n, y, weights, lambda);
    const LossGradient found =
        expansion_gradient(outputs, {values.data, n, n, values.ld}, &required("c", c), b, gradient != nullptr);
    copy_to(found.objective, objective);
    copy_to(found.gradient.values(), gradient);
    copy_to(found.intercept, gradient_b);
  });
}

freeridge_status freeridge_gradient_descent(freeridge_loss loss, freeridge_layout layout, int64_t n, int64_t d,
                                            const double* x, int64_t ldx, const double* y, const double* weights,
                                            int32_t intercept, double lambda, const double* start_w, double start_b,
                                            int64_t done, freeridge_step_rule rule, double step, int64_t batch,
                                            int64_t seed, int32_t average, int64_t count, const int64_t* steps,
                                            freeridge_progress callback, void* user, double* w, double* b,
                                            double* objective, double* step_used) {
  return guarded(__func__, [&] {
    const LayoutView points = checked_points(layout, n, d, x, ldx);
    const LossOutputs outputs = checked_outputs(loss, n, y, weights, lambda);
    require_one_of("rule", rule,
                   {FREERIDGE_STEP_AUTO, FREERIDGE_STEP_CONSTANT, FREERIDGE_STEP_INVERSE, FREERIDGE_STEP_ROOT});
    if (batch < 1 || batch > n) fail(Status::invalid_argument, "batch is ", batch, "; it must be from 1 to n = ", n);
    require_size("count", count);
    require_product("d", d, "count", count);
    const DescentPlan plan{intercept != 0, start_w, start_b, done,         static_cast<StepRule>(rule),
                           step,           batch,   seed,    average != 0, {&required("steps", steps), count}};
    required("w", w);
    required("b", b);
    const Hearing hearing(Listener{callback, user});
    const DescentPath path = gradient_descent(outputs, points, plan, objective != nullptr);
    copy_to(path.w.values(), w);
    copy_to(path.b, b);
    copy_to(path.objective, objective);
    if (step_used != nullptr) *step_used = path.step;
  });
}

freeridge_status freeridge_early_stopping(freeridge_layout layout, int64_t n, int64_t d, const double* x, int64_t ldx,
                                          const double* y, int32_t intercept, double step, int64_t count,
                                          const int64_t* steps, double* w, double* b, double* df, double* lambda,
                                          double* ridge_w, double* ridge_b, double* ridge_df, double* step_used) {
  return guarded(__func__, [&] {
    const LayoutView points = checked_points(layout, n, d, x, ldx);
    required("y", y);
    require_size("count", count);
    require_product("d", d, "count", count);
    const EarlyStopping found = early_stopping(points, y, intercept != 0, step, {&required("steps", steps), count});
    copy_to(found.descent.w.values(), w);
    copy_to(found.descent.b, b);
    copy_to(found.descent.df, df);
    copy_to(found.lambda, lambda);
    copy_to(found.ridge.w.values(), ridge_w);
    copy_to(found.ridge.b, ridge_b);
    copy_to(found.ridge.df, ridge_df);
    if (step_used != nullptr) *step_used = found.step;
  });
}

freeridge_status freeridge_calibrate(int64_t n, const double* decision, const double* y, const double* weights,
                                     double* slope, double* offset) {
  return guarded(__func__, [&] {
    require_size("n", n);
    const Span<const double> values{&required("decision", decision), n};
    required("y", y);
    required("slope", slope);
    required("offset", offset);
    const Calibration found = calibrate(values, y, weights);
    *slope = found.slope;
    *offset = found.offset;
  });
}
