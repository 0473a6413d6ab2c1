#include "libcore/losses/classifier.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/base/memory.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/scaling.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/losses/hard_margin.hpp"
#include "libcore/losses/hinge.hpp"
#include "libcore/losses/logistic.hpp"

namespace freeridge {
namespace {

constexpr Index least_rows = 256, most_rows = 16384, predicted_doubles = 1 << 21;  // new points in one tile
constexpr Index newton_steps = 100, move_multiples = 10000;

// value * 2^exponent / divisor, without overflow on the way.
double scaled_quotient(double value, int exponent, double divisor) {
  int divisor_exponent = 0;
  const double mantissa = std::frexp(divisor, &divisor_exponent);
  return std::ldexp(value / mantissa, exponent - divisor_exponent);
}

// Sum |a_i|
double size_of(Span<const double> a) {
  double size = 0;
  for (const double value : a) size += std::abs(value);
  return size;
}

// Whether a'Ka, no element of K above `largest`, has hardly a digit more than rounding leaves of it.
bool few_digits(double squared, double largest, double size) {
  return !(squared > 1e6 * eps * largest * size * size);
}

// a'Ka loses as many digits as lambda is small beside the eigenvalues of K. With P'KP = L L' it is |L'P'a|^2, which
// loses half as many. K is used up.
double squared_by_factor(MatrixView k, Span<const double> a) {
  double largest = 0, squared = 0;
  for (Index i = 0; i < k.rows; ++i) largest = std::max(largest, k(i, i));
  Array<Index> pivots(k.rows);
  const Index rank = largest > 0 ? pstrf(k, static_cast<double>(k.rows) * eps * largest, pivots) : 0;
  for (Index j = 0; j < rank; ++j) {
    double along = 0;
    for (Index i = j; i < k.rows; ++i) along += k(i, j) * a[pivots[i]];
    squared += along * along;
  }
  return squared;
}

// (c'Kc)^(1/2) of a kernel's own matrix.
double norm_in(const Kernel& kernel, const LayoutView& x, Span<const double> c) {
  const Stage still(1, 1);
  const Index n = x.rows;
  const double largest = largest_magnitude(c);
  if (!(largest > 0)) return 0;
  Matrix a(n, 1), values(n, 1);
  for (Index i = 0; i < n; ++i) a(i, 0) = c[i] / largest;
  Array<double> own(n);
  own_diagonal(kernel, x, own);
  kernel_product(kernel, x, 0, x, a.view(), values.view());
  const double size = size_of(a.values()), top = largest_magnitude(own);
  double squared = dot(n, a.data(), values.data());
  if (few_digits(squared, top, size)) {
    Matrix k(n, n);
    weighted_kernel_matrix(kernel, x, {}, Array<double>(n, 1.0), k.view());
    squared = squared_by_factor(k.view(), a.values());
    const double least = static_cast<double>(n) * eps * size;
    if (!(squared > least * least * top)) squared = 0;
  }
  return largest * std::sqrt(squared);
}

}  // namespace

void check_labels(Span<const double> y) {
  bool positive = false, negative = false;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(y[i])) fail(Status::not_finite, "y[", i, "] is ", y[i], "; every label must be -1 or 1");
    if (std::abs(y[i]) != 1) fail(Status::invalid_argument, "y[", i, "] is ", y[i], "; every label must be -1 or 1");
    (y[i] > 0 ? positive : negative) = true;
  }
  if (!positive || !negative)
    fail(Status::invalid_argument, "y has no label ", positive ? "-1" : "1", "; both classes must be present");
}

// ---- state ----

const Classifier::Data& Classifier::data() const {
  if (!data_) fail(Status::invalid_state, "the classifier has no data; call freeridge_classifier_set_data first");
  return *data_;
}

const Classifier::Fit& Classifier::fitted() const {
  data();
  if (!fit_) fail(Status::invalid_state, "the classifier is not fitted; call freeridge_classifier_fit first");
  return *fit_;
}

// ---- settings ----

void Classifier::set_data(const Rows& x, const double* y) {
  kernel_->check_data(x.rows, x.cols);
  const Index n = x.rows;
  require_memory(checked_doubles(n, x.cols + 2) * 8, "the copy of x and y", "use fewer rows");
  const Hearing hearing(listener_);
  require_finite("x", x);
  Data data;
  data.y.assign(y, y + n);
  check_labels(data.y);
  data.weights.assign(data.y.size(), 1.0);
  data.x_copy = Matrix(n, x.cols);
  copy_rows(x, 0, data.x_copy.view());
  data.x = {data.x_copy.data(), n, x.cols, n, Layout::col_major};
  report(1);
  fit_.reset();
  shape_.reset();
  kept_->gram.reset();
  data_ = std::move(data);
}

void Classifier::set_weights(const double* weights) {
  const Index count = n();
  require_weights(weights, count);
  Array<double> given, copy(count, 1.0);
  if (weights != nullptr) given.assign(weights, weights + count);
  std::ranges::copy(given, copy.begin());
  const double omega = std::exp2(std::ilogb(*std::ranges::max_element(copy)));
  for (double& weight : copy) weight /= omega;
  data_->given = std::move(given);
  data_->weights = std::move(copy);
  data_->omega = omega;
  fit_.reset();
}

void Classifier::set_intercept(Offset offset) {
  offset_ = offset;
  fit_.reset();
  shape_.reset();  // the shift depends on it
  kept_->gram.reset();
}

void Classifier::set_tolerance(double tolerance) {
  tolerance_ = tolerance;
  fit_.reset();
}

void Classifier::set_iterations(Index iterations) {
  iterations_ = iterations;
  fit_.reset();
}

Index Classifier::iterations() const {
  return iterations_ > 0 ? iterations_ : loss_ == Loss::logistic ? newton_steps : move_multiples;
}

// ---- work ----

// This problem only serves for the shift and scale of linear kernels. Its outputs are not used.
ProblemPtr Classifier::shape() const {
  const Index n = data().x.rows;
  const Array<double> zeros(n, 0.0);
  const LayoutView no_outputs{zeros.data(), n, 1, n, Layout::col_major};
  return std::make_shared<const Problem>(kernel_, data_->x, no_outputs, Span<const double>(), free_offset());
}

bool Classifier::has_gram() const {
  const std::lock_guard<std::mutex> lock(kept_->mutex);
  return kept_->gram != nullptr;
}

std::shared_ptr<const Classifier::Gram> Classifier::gram() const {
  std::unique_lock lock(kept_->mutex, std::defer_lock);
  lock_patiently(lock);
  if (!kept_->gram) kept_->gram = std::make_shared<const Gram>(made_gram());
  return kept_->gram;
}

Classifier::Gram Classifier::made_gram() const {
  const Index n = data().x.rows;
  const Index copies = loss_ == Loss::logistic ? 2 : 1;  // Newton's method has a matrix of its own
  require_memory(checked_doubles(n, copies * n) * 8, "the kernel matrix", "use fewer rows");

  Gram out;
  out.k = Matrix(n, n);
  weighted_kernel_matrix(*kernel_, data_->x, shape_->shift, shape_->sqrt_w, out.k.view());
  double largest = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n && offset_ == Offset::penalised; ++i) out.k(i, j) += 1;  // k + 1
    largest = std::max(largest, largest_magnitude({out.k.col(j) + j, n - j}));
    worked(touched * static_cast<double>(n - j));
  }
  out.kappa = largest > 0 ? std::ilogb(largest) : 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) out.k(j, i) = out.k(i, j) = std::ldexp(out.k(i, j), -out.kappa);
    worked(10 * nanosecond * static_cast<double>(n - j));
  }
  return out;
}

double Classifier::tau(int kappa, double lambda) const {
  return scaled_quotient(1, kappa + std::ilogb(data_->omega), lambda);
}

LossProblem Classifier::problem(const Gram& gram, double tau) const {
  return {gram.k.view(), tau, data_->y, data_->weights, free_offset()};
}

Index Classifier::memory_required() const {
  const Index n = data().x.rows, d = data().x.cols, copies = loss_ == Loss::logistic ? 2 : 1;
  // Tiles of the kernel matrix for each thread, and the hinge loss's joint step; 4 d below: w of a linear kernel.
  const Index tiles = checked_doubles(thread_count(), checked_doubles(256, 384 + 2 * d)) + 2 * most_free * most_free;
  return checked_doubles(checked_doubles(copies, n) + 32, n) * 8 + checked_doubles(tiles + 4 * d, 8) + (1 << 22);
}

void Classifier::fit(double lambda) {
  data();
  if (!std::isfinite(lambda)) fail(Status::not_finite, "lambda is ", lambda, "; it must be finite");
  if (lambda < 0) fail(Status::invalid_argument, "lambda is ", lambda, "; it must not be negative");
  if (lambda == 0 && loss_ == Loss::logistic)
    fail(Status::invalid_argument, "lambda is 0; it must be positive for the loss LOGISTIC: HINGE alone has a limit");
  const Hearing hearing(listener_);
  Stage stage(0, kept_->gram ? 0 : 0.2);
  if (!shape_) shape_ = shape();
  const std::shared_ptr<const Gram> k = gram();
  stage.next(1);
  const LossControl control{tolerance_, iterations()};
  Fit fit = lambda == 0 ? fit_hard(*k, control) : fit_soft(*k, control, lambda);
  report(1);
  fit_ = std::move(fit);
}

Classifier::Fit Classifier::fit_soft(const Gram& gram, const LossControl& control, double lambda) const {
  const LossProblem wanted = problem(gram, tau(gram.kappa, lambda));
  if (!(wanted.tau < 1e300))
    fail(Status::not_finite, "lambda is ", lambda,
         "; the largest kernel value, times the largest weight, over lambda overflows");
  LossSolution start;
  if (fit_) {
    start = fit_->solution;
    start.tau = tau(gram.kappa, fit_->unit);  // a loaded fit may have been made with another kappa
  }
  const LossSolution* const from = fit_ ? &start : nullptr;
  LossSolution solution =
      loss_ == Loss::logistic ? solve_logistic(wanted, control, from) : solve_hinge(wanted, control, from);
  const bool sums = !shape_->linear() && offset_ != Offset::penalised;
  if (sums && few_digits(solution.squared, solution.tau, size_of(solution.a)))
    solution.squared = solution.tau * squared_by_factor(copy_of(gram.k.view()).view(), solution.a);
  return finished(std::move(solution), gram.kappa, lambda, lambda);
}

Classifier::Fit Classifier::fit_hard(const Gram& gram, const LossControl& control) const {
  LossSolution solution = solve_hard_margin(problem(gram, 1), control);
  const double unit = scaled_quotient(1, gram.kappa + std::ilogb(data_->omega), solution.tau);
  if (!(unit > 0) || !std::isfinite(unit)) fail(Status::not_finite, "the solution overflows; rescale x or the weights");
  return finished(std::move(solution), gram.kappa, 0, unit);
}

// ||f||, without the share that b has with a penalised offset. Where all points have the same features, |f|^2 is nothing
// but rounding, and ||f|| becomes exactly 0.
double Classifier::norm_of(const LossSolution& solution, double unit) const {
  const double least = static_cast<double>(solution.a.size()) * eps * size_of(solution.a);
  const bool none = !(solution.squared > solution.tau * least * least);
  int exponent = 0;
  const double mantissa = std::frexp(unit, &exponent), square = none ? 0 : solution.squared / mantissa;
  const int shift = std::ilogb(data_->omega) - exponent;
  return std::ldexp(std::sqrt(std::ldexp(square, shift & 1)), (shift - (shift & 1)) / 2);
}

Classifier::Fit Classifier::finished(LossSolution solution, int kappa, double lambda, double unit) const {
  const Index n = data_->x.rows;
  const int omega = std::ilogb(data_->omega);
  Fit fit;
  fit.lambda = lambda;
  fit.unit = unit;
  fit.kappa = kappa;
  fit.c.resize(solution.a.size());
  for (std::size_t i = 0; i < fit.c.size(); ++i) fit.c[i] = scaled_quotient(solution.a[i], omega, unit);
  fit.objective = fit.hard() ? scaled_quotient(solution.squared / 2, omega, unit) : data_->omega * solution.objective;
  fit.b = offset_ == Offset::penalised ? scaled_quotient(sum_of(solution.a), omega, unit) : solution.b;

  fit.level = fit.b;
  const Problem& shape = *shape_;
  if (!shape.linear())  // that of k + 1 would have no digits where k is small beside 1
    fit.norm = offset_ == Offset::penalised ? norm_in(*kernel_, data_->x, fit.c) : norm_of(solution, unit);
  if (shape.linear()) {
    Solution plane{{}, Matrix(shape.d(), 1), {0.0}, {0.0}};
    set_expansion(shape, {}, 0, {fit.c.data(), n, 1, n}, plane);
    fit.w = std::move(plane.w);
    fit.b += plane.b[0];  // -shift'w
    fit.norm = 0;         // that of w, whose digits do not suffer from a small lambda
    for (Index k = 0; k < shape.d(); ++k) fit.norm = std::hypot(fit.norm, fit.w(k, 0) * (*shape.linear_scale)[k]);
  }
  const bool finite = std::isfinite(fit.b) && std::isfinite(fit.objective) && std::isfinite(fit.norm);
  if (!finite || !all_finite(fit.c) || !all_finite(fit.w.values()))
    fail(Status::not_finite, "the solution overflows; rescale x or the weights");
  fit.solution = std::move(solution);
  return fit;
}

// ---- answers ----

void Classifier::predict(const Rows& points, double* decision, double* probability) const {
  const Fit& fit = fitted();
  if (probability != nullptr && loss_ != Loss::logistic)
    fail(Status::invalid_argument, "probability is not NULL, but the loss is HINGE, which has no probabilities");
  const Hearing hearing(listener_);
  require_finite("x", points);
  const Index m = points.rows, n = data_->x.rows;
  const bool linear = fit.w.rows() > 0;
  const Index height = std::min(std::clamp(predicted_doubles / (linear ? points.cols : 1), least_rows, most_rows), m);
  Matrix values(height, 1), tile(linear ? height : 0, linear ? points.cols : 0);
  Stage stage(0, 0);
  for (Index row = 0; row < m; row += height) {
    const Index rows = std::min(height, m - row);
    stage.next(fraction(row + rows, m));
    const MatrixView f = values.view().row_range(0, rows);
    if (linear) {
      const MatrixView x = tile.view().row_range(0, rows);
      pack_rows(points, row, shape_->shift, x);
      gemv(Op::none, 1, x, fit.w.data(), 0, f.data);
      report(1);
    } else {
      kernel_product(*kernel_, points, row, data_->x, {fit.c.data(), n, 1, n}, f);
    }
    for (Index i = 0; i < rows; ++i) {
      const double value = f(i, 0) + fit.level;
      if (!std::isfinite(value)) fail(Status::not_finite, "the decision value for row ", row + i, " of x overflows");
      if (decision != nullptr) decision[row + i] = value;
      if (probability != nullptr) probability[row + i] = sigmoid(value);
    }
  }
}

std::string Classifier::loo(double* decision) const {
  const Fit& fit = fitted();
  if (fit.hard())
    fail(Status::invalid_state, "lambda is 0: without a row the margin may be hard or not; fit with a small lambda");
  const Index n = data_->x.rows;
  const bool logistic = loss_ == Loss::logistic;
  require_memory(checked_doubles(n, logistic ? n : 0) * 8, "the last Newton step", "use fewer rows");
  const Hearing hearing(listener_);
  Stage stage(0, has_gram() ? 0 : 0.2);
  const std::shared_ptr<const Gram> k = gram();
  stage.next(1);
  Array<double> out(n);
  const LossProblem of_all = problem(*k, tau(k->kappa, fit.unit));
  std::string reason = logistic ? logistic_loo(of_all, fit.solution, out)
                                : hinge_loo(of_all, {tolerance_, this->iterations()}, fit.solution, out);
  std::ranges::copy(out, decision);
  return reason;
}

void Classifier::coefficients(double* c, double* b) const {
  const Fit& fit = fitted();
  if (c != nullptr) std::ranges::copy(fit.c, c);
  if (b != nullptr) *b = fit.b;
}

void Classifier::convergence(double* objective, Index* iterations, double* stationarity) const {
  const Fit& fit = fitted();
  if (objective != nullptr) *objective = fit.objective;
  if (iterations != nullptr) *iterations = fit.solution.iterations;
  if (stationarity != nullptr) *stationarity = fit.solution.gap;
}

void Classifier::support(Index* count, Index* rows, double* margin) const {
  const Fit& fit = fitted();
  if (loss_ != Loss::hinge)
    fail(Status::invalid_state, "the loss is LOGISTIC; support vectors are known for HINGE only");
  Index found = 0;
  for (std::size_t i = 0; i < fit.c.size(); ++i) {
    if (fit.c[i] == 0) continue;
    if (rows != nullptr) rows[found] = static_cast<Index>(i);
    ++found;
  }
  *count = found;
  if (margin != nullptr) *margin = 1 / fit.norm;
}

}  // namespace freeridge
