#include "libcore/stream/linear_window.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/linalg/row_loops.hpp"

namespace freeridge {
namespace {

constexpr double lost_digits = 1e-10;  // of which a window is factorized again
constexpr double few_digits = 1e-4;    // 1 - h from which on r / (1 - h) has enough of them

}  // namespace

void WindowFeatures::form(const Rows& x, Index row, MatrixView out) const {
  if (landmarks) return landmarks->form(x, row, out);
  copy_rows(x, row, out);
  for (Index k = 0; k < out.cols && !scale.empty(); ++k)
    for (Index i = 0; i < out.rows; ++i) out(i, k) /= scale[k];
}

void Plane::solve(const RowTriangle& of) {
  of.solve(w.view(), level);
  require_no_overflow("the coefficients", w.view());
  require_no_overflow("the coefficients", {level.data(), std::ssize(level), 1, std::ssize(level)});
  known = true;
}

LinearFactor::LinearFactor(const WindowFeatures& features, const WindowSettings& settings)
    : features_(features),
      settings_(settings),
      lambda_(settings.lambda),
      main_(features.p(settings.d), settings.t, settings.intercept),
      second_(main_.copy()),
      plane_{Matrix(main_.p(), settings.t), Array<double>(settings.t)},
      g_(main_.q()) {
  main_.clear(lambda_);
}

LinearFactor::LinearFactor(const LinearFactor& other)
    : WindowFactor(other),
      features_(other.features_),
      settings_(other.settings_),
      lambda_(other.lambda_),
      main_(other.main_.copy()),
      second_(other.second_.copy()),
      has_second_(other.has_second_),
      missing_(other.missing_),
      removals_(other.removals_),
      delta_(other.delta_),
      plane_{copy_of(other.plane_.w.view()), other.plane_.level, other.plane_.known},
      g_(other.g_),
      h_(other.h_),
      h_known_(other.h_known_),
      unasked_(other.unasked_),
      turn_(other.turn_) {}

std::unique_ptr<WindowFactor> LinearFactor::copy() const {
  return std::unique_ptr<WindowFactor>(new LinearFactor(*this));
}

void LinearFactor::factorize(const WindowRows& rows, double lambda) {
  lambda_ = lambda;
  has_second_ = h_known_ = plane_.known = false;
  removals_ = 0;
  delta_ = 0;
  main_.clear(lambda);
  main_.absorb(rows.features(), rows.y(), rows.weights());
}

const Plane& LinearFactor::plane() {
  if (!plane_.known) plane_.solve(main_);
  return plane_;
}

double LinearFactor::residual(const Plane& plane, Span<const double> shift, const GivenRow& row, Index j) const {
  return row.y[j] - plane.level[j] - best_row_loops().shifted_dot(main_.p(), row.x, shift.data(), plane.w.col(j));
}

void LinearFactor::error(const WindowRows&, const GivenRow& row, Span<double> e) {
  if (!main_.determined()) return void(std::ranges::fill(e, nan));
  for (Index j = 0; j < main_.t(); ++j) e[j] = residual(plane(), main_.shift(), row, j);
}

void LinearFactor::change_leverages(const WindowRows& rows, const GivenRow& row, Index position, double sign) {
  const double s = main_.direction(row, g_), factor = sign / (1 + s);
  for (Index i = 0; i < rows.n(); ++i) {
    if (i == position) continue;
    const double u = main_.along(rows[i], g_);
    h_[i] += factor * u * u;
  }
  if (sign < 0) h_[position] = s / (1 + s);
}

bool LinearFactor::append(const WindowRows& rows, const GivenRow& row) {
  h_known_ &= ++unasked_ <= changes_unasked(main_.q()) && main_.determined();
  if (h_known_) {
    h_.resize(rows.n());
    change_leverages(rows, row, rows.n() - 1, -1);
  }
  main_.add(row);
  if (has_second_) second_.add(row);
  delta_ += eps;
  plane_.known = false;
  if (h_known_) {
    turn_ = turn_ + 1 < rows.n() ? turn_ + 1 : 0;
    h_[turn_] = main_.leverage(rows[turn_], g_);
  }
  return true;
}

bool LinearFactor::remove(const WindowRows& rows, Index position) {
  const GivenRow row = rows[position];
  plane_.known = false;
  if (!has_second_) {
    second_.clear(lambda_);
    has_second_ = true;
    missing_ = rows.n();
  }
  if (position < missing_)
    --missing_;
  else
    has_second_ = false;
  if (has_second_ && missing_ == 0) {
    std::swap(main_, second_);
    has_second_ = false;
    removals_ = 0;
    delta_ = 0;
  } else {
    const double kept = main_.remove(row);
    delta_ += eps;
    if (kept < 0.5) delta_ /= kept;
    if (!(kept > 0) || !(delta_ <= lost_digits) || ++removals_ > 2 * std::max(rows.n(), main_.q())) return false;
  }
  h_known_ &= ++unasked_ <= changes_unasked(main_.q()) && main_.determined();
  if (h_known_) {
    change_leverages(rows, row, position, 1);
    h_.erase(h_.begin() + position);
  }
  return true;
}

Index LinearFactor::coefficient_rows(const WindowRows&) const {
  return features_.landmarks ? features_.landmarks->z().rows() : settings_.d;
}

void LinearFactor::coefficients(const WindowRows&, MatrixView c, Span<double> b) {
  const Plane& of = plane();
  const Span<const double> shift = main_.shift();
  for (Index j = 0; j < main_.t(); ++j) b[j] = of.level[j] - best_row_loops().dot(main_.p(), shift.data(), of.w.col(j));
  if (!features_.landmarks) {
    freeridge::copy(of.w.view(), c);
    if (!features_.scale.empty()) divide_rows(features_.scale, c);
    return;
  }
  const LandmarkFeatures& map = features_.landmarks->map();
  const Matrix expansion = map.expansion(of.w.view());
  set_zero(c);
  for (Index k = 0; k < expansion.rows(); ++k)
    for (Index j = 0; j < c.cols; ++j) c(map.kept()[k], j) = expansion(k, j);
}

void LinearFactor::predict(const WindowRows&, const Rows& points, MatrixView out) {
  const Plane& of = plane();
  const Span<const double> shift = main_.shift().first(main_.p());
  const auto level = [&] {
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < out.rows; ++i) out(i, j) += of.level[j];
  };
  if (!features_.own()) {
    multiply(points, 0, shift, of.w.view(), out);
    return level();
  }
  constexpr Index tile = 256;
  Matrix room(std::min(tile, out.rows), main_.p());
  for (Index row = 0; row < out.rows; row += tile) {
    const MatrixView phi = room.view().row_range(0, std::min(tile, out.rows - row));
    features_.form(points, row, phi);
    const LayoutView of_tile{phi.data, phi.rows, phi.cols, phi.ld, Layout::col_major};
    multiply(of_tile, 0, shift, of.w.view(), out.row_range(row, phi.rows));
  }
  level();
}

std::string LinearFactor::loo(const WindowRows& rows, MatrixView errors) {
  const Plane& of = plane();
  const Index n = rows.n();
  if (!h_known_) {
    Array<double> h(n);
    main_.leverages(rows.features(), rows.y(), rows.weights(), h);
    h_.assign(h.begin(), h.end());  // keeps the room that append needs
    h_known_ = true;
  }
  unasked_ = 0;
  Array<Index> high, others;
  for (Index i = 0; i < n; ++i) {
    const double left = 1 - h_[i];
    (left < few_digits ? high : others).push_back(i);
    if (left < few_digits) continue;
    const GivenRow row = rows[i];
    for (Index j = 0; j < errors.cols; ++j) errors(i, j) = residual(of, main_.shift(), row, j) / left;
    worked(touched * static_cast<double>(main_.q()));
  }
  std::string reason;
  if (high.empty()) return reason;
  const Index m = std::ssize(others);
  Matrix x(main_.p(), m), y(main_.t(), m);
  Array<double> weights(m);
  for (Index i = 0; i < m; ++i) {
    const GivenRow row = rows[others[i]];
    std::copy_n(row.x, x.rows(), x.col(i));
    std::copy_n(row.y, y.rows(), y.col(i));
    weights[i] = rows.weights()[others[i]];
  }
  const auto by_rows = [m](const Matrix& a) { return LayoutView{a.data(), m, a.rows(), a.rows(), Layout::row_major}; };
  RowTriangle rest(main_.p(), main_.t(), settings_.intercept);
  rest.clear(lambda_);
  rest.absorb(by_rows(x), by_rows(y), weights.data());
  leave_out(std::move(rest), high, rows, errors, reason);
  return reason;
}

void LinearFactor::leave_out(RowTriangle of, Span<const Index> some, const WindowRows& rows, MatrixView errors,
                             std::string& reason) const {
  const Index count = std::ssize(some), half = count / 2;
  if (count > 1) {
    const auto and_rows = [&](RowTriangle to, Span<const Index> more, Span<const Index> but) {
      for (const Index i : more) {
        to.add(rows[i]);
        worked(touched * static_cast<double>(to.q() * to.q()) / 8);
      }
      leave_out(std::move(to), but, rows, errors, reason);
    };
    and_rows(of.copy(), some.subspan(half), some.first(half));
    return and_rows(std::move(of), some.first(half), some.subspan(half));
  }
  const bool determined = of.determined();
  if (!determined) reason = window_of_one;
  Plane without{Matrix(of.p(), of.t()), Array<double>(of.t())};
  if (determined) without.solve(of);
  for (Index j = 0; j < errors.cols; ++j)
    errors(some[0], j) = determined ? residual(without, of.shift(), rows[some[0]], j) : nan;
}

ForgettingFactor::ForgettingFactor(const WindowFeatures& features, const WindowSettings& settings)
    : LinearFactor(features, settings), data_(main().copy()) {
  data_.clear(0);
}

std::unique_ptr<WindowFactor> ForgettingFactor::copy() const {
  return std::unique_ptr<WindowFactor>(new ForgettingFactor(*this));
}

void ForgettingFactor::factorize(const WindowRows&, double lambda) {
  RowTriangle made = data_.copy();
  made.absorb_penalty(lambda);
  main() = std::move(made);
  forget_plane();
}

bool ForgettingFactor::append(const WindowRows&, const GivenRow& row) {
  const double f = settings().forgetting;
  if (f < 1) data_.scale(std::sqrt(f));
  data_.add(row);
  if (f == 1) main().add(row);
  forget_plane();
  return f == 1;
}

}  // namespace freeridge
