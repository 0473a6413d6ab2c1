#include "libcore/stream/window.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/base/memory.hpp"
#include "libcore/model/model.hpp"
#include "libcore/stream/kernel_window.hpp"

namespace freeridge {
namespace {

constexpr double largest_number = 1e290;  // with room for sums of rows
// Of how many rows one must be new, or go, for a factorization of all to take less time than a change for each.
constexpr Index rows_a_change = 8;

void require_lambda(double lambda) {
  require_lambdas("lambda", {&lambda, 1});
  if (lambda == 0) fail(Status::invalid_argument, "lambda is 0; that of a window must be positive");
}

void require_settings(const Kernel& kernel, const Rows& landmarks, const WindowSettings& of) {
  require_lambda(of.lambda);
  if (!std::isfinite(of.forgetting)) fail(Status::not_finite, "forgetting is ", of.forgetting, "; it must be finite");
  if (!(of.forgetting > 0 && of.forgetting <= 1))
    fail(Status::invalid_argument, "forgetting is ", of.forgetting, "; it must be from more than 0 to 1");
  if (of.forgetting < 1 && of.capacity > 0)
    fail(Status::invalid_argument, "forgetting is ", of.forgetting, " and capacity is ", of.capacity,
         "; rows that are kept are not forgotten: it must be 1, or the capacity 0");
  if (kernel.precomputed())
    fail(Status::invalid_argument, "kernel is precomputed: it has no values at the coordinates of new rows");
  kernel.check_data(1, of.d);
  if (of.capacity == 0 && landmarks.rows == 0 && !kernel.linear_scale(of.d))
    fail(Status::invalid_argument,
         "capacity is 0, and the kernel is not linear: its rows must be kept, or it needs landmarks");
}

std::shared_ptr<const RowFeatures> landmark_features(const KernelPtr& kernel, const Rows& landmarks, bool intercept) {
  if (landmarks.rows == 0) return nullptr;
  require_finite("landmarks.x", landmarks);
  Matrix z(landmarks.rows, landmarks.cols);
  copy_rows(landmarks, 0, z.view());
  return std::make_shared<const RowFeatures>(kernel, layout_view(z), intercept, Reduction::qr);
}

}  // namespace

// Rows that are added: checked, and one after another in memory.
class Window::NewRows {
 public:
  NewRows(const WindowFeatures& features, const Rows& x, const LayoutView& y, const double* weights)
      : x_(x.cols, x.rows), y_(y.cols, y.rows), weights_(weights) {
    require_finite("x", x);
    require_finite("y", y);
    require_weights(weights, x.rows);
    Matrix tile(x.rows, x.cols);
    copy_rows(x, 0, tile.view());
    transpose(tile.view(), x_.view());
    tile = Matrix(y.rows, y.cols);
    copy_rows(y, 0, tile.view());
    transpose(tile.view(), y_.view());
    require_moderate("x", x_);
    require_moderate("y", y_);
    if (!features.own()) return;
    tile = Matrix(x.rows, features.p(x.cols));
    features.form(x, 0, tile.view());
    of_x_ = Matrix(tile.cols(), tile.rows());
    transpose(tile.view(), of_x_.view());
    require_moderate("the features of x", of_x_);
  }

  Index n() const { return x_.cols(); }
  double weight(Index row) const { return weights_ == nullptr ? 1 : weights_[row]; }
  GivenRow operator[](Index row) const {
    return {of_x_.rows() > 0 ? of_x_.col(row) : x_.col(row), y_.col(row), std::sqrt(weight(row))};
  }
  void push(Index row, WindowRows& to) const {
    to.push(x_.col(row), of_x_.rows() > 0 ? of_x_.col(row) : nullptr, y_.col(row), weight(row));
  }

 private:
  void require_moderate(const char* name, const Matrix& rows) const {
    for (Index i = 0; i < rows.cols(); ++i) {
      const double root = std::max(1.0, std::sqrt(weight(i)));
      for (Index k = 0; k < rows.rows(); ++k)
        if (!(std::abs(rows(k, i)) <= largest_number / root))
          fail(Status::not_finite, name, "[", i, ", ", k, "] is ", rows(k, i), ", which, weighted, is beyond ",
               largest_number, "; rescale it");
    }
  }

  Matrix x_, y_, of_x_;
  const double* weights_;
};

Window::Window(KernelPtr kernel, const Rows& landmarks, const WindowSettings& settings)
    : kernel_(std::move(kernel)), settings_(settings), state_{WindowRows(settings.d, 0, settings.t, 0)} {
  require_settings(*kernel_, landmarks, settings);
  features_.landmarks = landmark_features(kernel_, landmarks, settings.intercept);
  const std::optional<Array<double>> scale = kernel_->linear_scale(settings.d);
  if (scale && std::ranges::any_of(*scale, [](double s) { return s != 1; })) features_.scale = *scale;
  const Index p = features_.p(settings.d), q = p + 1;
  state_.rows = WindowRows(settings.d, features_.own() ? p : 0, settings.t, settings.capacity);
  const bool linear = features_.landmarks || scale;
  if (linear)
    require_memory(24 * checked_doubles(q + settings.t, q), "the triangles of the window", "use fewer columns");
  if (!linear)
    state_.factor = std::make_unique<KernelFactor>(kernel_, settings);
  else if (keeps_rows())
    state_.factor = std::make_unique<LinearFactor>(features_, settings);
  else
    state_.factor = std::make_unique<ForgettingFactor>(features_, settings);
}

const WindowRows& Window::rows() const {
  if (!keeps_rows())
    fail(Status::invalid_state, "the window keeps no rows (its capacity is 0); make it with a capacity");
  return state_.rows;
}

void Window::require_any() const {
  if (n() == 0) fail(Status::invalid_state, "the window has no rows; call freeridge_window_add first");
}

Window::Digits Window::digits() const {
  const std::lock_guard lock(mutex_);
  return {state_.is_void ? 0 : state_.factor->lost(), state_.factorizations};
}

WindowFactor& Window::ready(State& state) const {
  if (state.is_void) {
    state.factor->factorize(state.rows, settings_.lambda);
    state.is_void = false;
    ++state.factorizations;
  }
  return *state.factor;
}

void Window::add_one(State& state, const NewRows& from, Index row, double* error) const {
  GivenRow given = from[row];
  if (error != nullptr) ready(state);
  const bool follows = !keeps_rows() || !state.is_void;
  WindowFactor& factor = *state.factor;
  if (keeps_rows()) state.rows.reserve(1);
  if (follows) {
    factor.reserve(state.rows.n() + 1);
    factor.prepare(state.rows, given);
  }
  if (error != nullptr) {
    factor.error(state.rows, given, {error, settings_.t});
    const bool first = settings_.intercept && (keeps_rows() ? state.rows.n() : state.added) == 0;
    if (!first) require_no_overflow("the errors of new rows", {error, settings_.t, 1, settings_.t});
  }
  report(1);
  if (keeps_rows()) {
    from.push(row, state.rows);
    given = state.rows[state.rows.n() - 1];
  } else
    ++state.added;
  if (follows) state.is_void |= !factor.append(state.rows, given);
  if (!keeps_rows() || state.rows.n() <= settings_.capacity) return;
  state.is_void = state.is_void || !factor.remove(state.rows, 0);
  state.rows.erase(0);
}

void Window::add(const Rows& x, const LayoutView& y, const double* weights, MatrixView errors) {
  const Hearing hearing(listener_);
  const NewRows from(features_, x, y, weights);
  const Index count = from.n(), t = settings_.t;
  const bool wanted = errors.data != nullptr;
  Matrix found(t, wanted ? count : 0);
  if (keeps_rows() && !wanted && count > 1 && rows_a_change * count >= n() + count) {
    const Index first = std::max<Index>(0, count - settings_.capacity);
    state_.rows.reserve(count - first);
    report(1);
    for (Index row = first; row < count; ++row) {
      from.push(row, state_.rows);
      if (state_.rows.n() > settings_.capacity) state_.rows.erase(0);
    }
    state_.is_void = true;
  } else if (count == 1) {
    add_one(state_, from, 0, wanted ? found.col(0) : nullptr);
  } else {
    State work = state_.copy();
    for (Index row = 0; row < count; ++row) {
      const Stage stage(fraction(row, count), fraction(row + 1, count));
      add_one(work, from, row, wanted ? found.col(row) : nullptr);
    }
    report(1);
    state_ = std::move(work);
  }
  if (wanted) transpose(found.view(), errors);
}

void Window::remove(Index count, const Index* positions) {
  const Index n = rows().n();
  if (count < 1 || count > n)
    fail(Status::invalid_argument, "count is ", count, "; it must be from 1 to the number of rows in the window, ", n);
  Array<Index> sorted = consecutive(0, count);
  if (positions != nullptr) {
    std::copy_n(positions, count, sorted.begin());
    std::ranges::sort(sorted);
    for (Index k = 0; k < count; ++k) {
      if (sorted[k] < 0 || sorted[k] >= n)
        fail(Status::invalid_argument, "rows has ", sorted[k], "; the rows are 0, the oldest, to ", n - 1);
      if (k > 0 && sorted[k] == sorted[k - 1]) fail(Status::invalid_argument, "rows has ", sorted[k], " twice");
    }
  }
  const Hearing hearing(listener_);
  report(1);
  if (state_.is_void || (count > 1 && rows_a_change * count >= n)) {
    state_.rows.erase(sorted);
    state_.is_void = true;
    return;
  }
  for (Index k = count - 1; k >= 0; --k) {
    state_.is_void = state_.is_void || !state_.factor->remove(state_.rows, sorted[k]);
    state_.rows.erase(sorted[k]);
  }
}

void Window::set_lambda(double lambda) {
  require_lambda(lambda);
  settings_.lambda = lambda;
  state_.is_void = true;
}

Window::Choice Window::select_lambda(Criterion criterion, double low, double high) {
  require_range("low", low, "high", high);
  const WindowRows& all = rows();
  require_any();
  const Hearing hearing(listener_);
  const bool kernel = !features_.landmarks && !kernel_->linear_scale(settings_.d);
  Model model(kernel ? kernel_ : linear_kernel());
  model.set_listener(listener_);
  model.set_intercept(settings_.intercept ? Offset::free : Offset::none);
  model.set_expected_criterion(criterion);
  model.set_data(Points(all.features()), all.y(), false);
  if (all.weighted()) model.set_weights(all.weights());
  {
    const Stage stage(0, 0.6);
    model.factorize();
  }
  const Stage stage(0.6, 1);
  const Array<double> ends = low == 0 ? model.lambda_grid(2) : Array<double>{low, high};
  const Index t = settings_.t;
  Matrix scores, spread;
  const auto mean = [&](Span<const double> lambdas, Index, MatrixView out, MatrixView) {
    scores = Matrix(std::ssize(lambdas), t);
    std::string reason = model.score(criterion, lambdas, scores.view());
    for (Index l = 0; l < scores.rows(); ++l) {
      out(l, 0) = 0;
      for (Index j = 0; j < t; ++j) out(l, 0) += scores(l, j) / static_cast<double>(t);
    }
    return reason;
  };
  const LambdaSearch found = search_lambda({criterion, 1, true, mean}, {ends[0], ends[1]});
  report(1);
  set_lambda(found.best[0]);
  return {found.best[0], found.best_score[0]};
}

void Window::coefficients(MatrixView c, Span<double> b) const {
  require_any();
  const Hearing hearing(listener_);
  const std::lock_guard lock(mutex_);
  ready(state_).coefficients(state_.rows, c, b);
  require_no_overflow("the coefficients", c);
  require_no_overflow("the intercepts", {b.data(), std::ssize(b), 1, std::ssize(b)});
  report(1);
}

void Window::predict(const Rows& points, MatrixView out) const {
  require_any();
  const Hearing hearing(listener_);
  const std::lock_guard lock(mutex_);
  ready(state_).predict(state_.rows, points, out);
  require_no_overflow("the predictions", out);
  report(1);
}

std::string Window::loo(MatrixView errors) const {
  rows();
  require_any();
  const Hearing hearing(listener_);
  const std::lock_guard lock(mutex_);
  std::string reason = ready(state_).loo(state_.rows, errors);
  if (reason.empty()) require_no_overflow("the left-out errors", errors);
  report(1);
  return reason;
}

}  // namespace freeridge
