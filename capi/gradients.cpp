// The C layer, gradients and descent: calls without a handle. Each works on its own memory and writes its outputs last.
#include "capi/freeridge_classical.h"
#include "capi/wall.hpp"
#include "libcore/classical/early_stopping.hpp"
#include "libcore/losses/gradient_descent.hpp"
#include "libcore/select/calibration.hpp"

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
                                            double lambda, int64_t count, const int64_t* steps,
                                            freeridge_descent* descent, double* w, double* b, double* objective) {
  return guarded(__func__, [&] {
    const LayoutView points = checked_points(layout, n, d, x, ldx);
    const LossOutputs outputs = checked_outputs(loss, n, y, weights, lambda);
    const freeridge_descent how = checked_struct("descent", descent, sizeof(freeridge_descent));
    require_one_of("descent.rule", how.rule,
                   {FREERIDGE_STEP_AUTO, FREERIDGE_STEP_CONSTANT, FREERIDGE_STEP_INVERSE, FREERIDGE_STEP_ROOT});
    if (how.batch < 0 || how.batch > n)
      fail(Status::invalid_argument, "descent.batch is ", how.batch, "; it must be from 1 to n = ", n,
           ", or 0: all rows");
    require_size("count", count);
    require_product("d", d, "count", count);
    const DescentPlan plan{how.intercept != 0,
                           how.start_w,
                           how.start_b,
                           how.done,
                           static_cast<StepRule>(how.rule),
                           how.step,
                           how.batch == 0 ? n : how.batch,
                           how.seed,
                           how.average != 0,
                           {&required("steps", steps), count}};
    required("w", w);
    required("b", b);
    const Hearing hearing(Listener{how.callback, how.user});
    const DescentPath path = gradient_descent(outputs, points, plan, objective != nullptr);
    descent->step_used = path.step;
    copy_to(path.w.values(), w);
    copy_to(path.b, b);
    copy_to(path.objective, objective);
  });
}

freeridge_status freeridge_early_stopping(freeridge_layout layout, int64_t n, int64_t d, const double* x, int64_t ldx,
                                          const double* y, int32_t intercept, double step, int64_t count,
                                          const int64_t* steps, freeridge_early_stopping_answers* answers) {
  return guarded(__func__, [&] {
    const LayoutView points = checked_points(layout, n, d, x, ldx);
    required("y", y);
    require_size("count", count);
    require_product("d", d, "count", count);
    const Span<const int64_t> numbers{&required("steps", steps), count};
    const auto to = checked_struct("answers", answers, sizeof(freeridge_early_stopping_answers));
    const EarlyStopping found = early_stopping(points, y, intercept != 0, step, numbers);
    answers->step_used = found.step;
    copy_to(found.descent.w.values(), to.w);
    copy_to(found.descent.b, to.b);
    copy_to(found.descent.df, to.df);
    copy_to(found.lambda, to.lambda);
    copy_to(found.ridge.w.values(), to.ridge_w);
    copy_to(found.ridge.b, to.ridge_b);
    copy_to(found.ridge.df, to.ridge_df);
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
    check(LossOutputs{PointLoss::logistic, n, y, weights, 0});
    const Calibration found = calibrate(values, y, weights);
    *slope = found.slope;
    *offset = found.offset;
  });
}
