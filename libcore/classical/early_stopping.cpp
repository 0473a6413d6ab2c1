#include "libcore/classical/early_stopping.hpp"

#include <functional>

#include "libcore/base/checks.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

// X = U S V' of the centred columns, z = U'y of the centred y.
struct Decomposition {
  Array<double> s, z, mean;
  double mean_y = 0;
  Matrix vt;
};

double mean_of(Span<const double> values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double rest = 0;  // what rounding has left
  for (const double value : values) rest += (value - mean) / static_cast<double>(values.size());
  return mean + rest;
}

Decomposition decompose(const LayoutView& x, const double* y, bool intercept) {
  const Index n = x.rows, d = x.cols, k = std::min(n, d);
  Matrix a(n, d), u(n, k);
  Array<double> centred(y, y + n);
  Decomposition out{Array<double>(k), Array<double>(k), Array<double>(d, 0.0), 0, Matrix(k, d)};
  copy_rows(x, 0, a.view());
  for (Index j = 0; j < d && intercept; ++j) {
    out.mean[j] = mean_of({a.col(j), n});
    for (Index i = 0; i < n; ++i) a(i, j) -= out.mean[j];
  }
  if (intercept) out.mean_y = mean_of(centred);
  for (double& value : centred) value -= out.mean_y;
  require_no_overflow("the centred columns of x", a.view());
  gesdd(a.view(), out.s, u.view(), out.vt.view());
  gemv(Op::transpose, 1, u.view(), centred.data(), 0, out.z.data());
  return out;
}

// phi = 1 - (1 - q)^k for q = eta s^2 in [0, 2], with full relative accuracy for small q
double descent_filter(double q, Index k) {
  const auto power = static_cast<double>(k);
  return q < 1 ? -std::expm1(power * std::log1p(-q)) : 1 - std::pow(1 - q, power);
}

double step_for(double given, double largest) {
  if (!std::isfinite(given)) fail(Status::not_finite, "step is ", given, "; it must be finite");
  const double limit = 2 / largest / largest;  // infinite where all columns are constant
  if (given < 0 || given > limit)
    fail(Status::invalid_argument, "step is ", given, "; it must not be negative, nor more than 2 / s_1^2 = ", limit);
  if (given > 0) return given;
  const double step = largest > 0 ? limit / 2 : 1;
  if (!(step > 0) || !std::isfinite(step))
    fail(Status::not_finite, "the default step is ", step, ", out of range; rescale x");
  return step;
}

// The answer number l of `out` by the filter phi of s.
void apply(const Decomposition& d, bool intercept, const std::function<double(double)>& phi, Index l,
           FilteredPath& out) {
  Array<double> filtered(d.s.size(), 0.0);
  out.df[l] = intercept ? 1 : 0;
  for (std::size_t j = 0; j < d.s.size(); ++j) {
    if (d.s[j] == 0) continue;
    const double share = phi(d.s[j]);
    out.df[l] += share;
    filtered[j] = share / d.s[j] * d.z[j];
  }
  gemv(Op::transpose, 1, d.vt.view(), filtered.data(), 0, out.w.col(l));
  out.b[l] = intercept ? d.mean_y - dot(d.vt.cols(), d.mean.data(), out.w.col(l)) : 0;
}

}  // namespace

EarlyStopping early_stopping(const LayoutView& x, const double* y, bool intercept, double step,
                             Span<const Index> steps) {
  require_finite("x", x);
  require_finite("y", {y, x.rows, 1, x.rows, Layout::col_major});
  for (std::size_t l = 0; l < steps.size(); ++l)
    if (steps[l] < 1)
      fail(Status::invalid_argument, "steps[", l, "] is ", steps[l], "; a number of steps must be at least 1");
  const auto count = static_cast<Index>(steps.size());
  const auto empty = [&] { return FilteredPath{Matrix(x.cols, count), Array<double>(count), Array<double>(count)}; };
  const Decomposition d = decompose(x, y, intercept);
  EarlyStopping out{step_for(step, d.s[0]), Array<double>(count), empty(), empty()};
  for (Index l = 0; l < count; ++l) {
    const double lambda = 1 / out.step / static_cast<double>(steps[l]);
    out.lambda[l] = lambda;
    apply(
        d, intercept, [&](double s) { return descent_filter(out.step * s * s, steps[l]); }, l, out.descent);
    apply(
        d, intercept, [&](double s) { return 1 / (1 + lambda / s / s); }, l, out.ridge);
  }
  for (const FilteredPath* path : {&out.descent, &out.ridge}) {
    require_no_overflow("the coefficients", path->w.view());
    if (!all_finite(path->b)) fail(Status::not_finite, "the intercepts overflow; rescale y or x");
  }
  if (!all_finite(out.lambda)) fail(Status::not_finite, "1 / (step k) overflows; take a larger step");
  return out;
}

}  // namespace freeridge
