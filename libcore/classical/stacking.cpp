#include "libcore/classical/stacking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/checks.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// minimise |A u - b|^2, u >= 0, b = (0, ..., 0, 1): the columns of A are those of R above a one.
class NearestToZero {
 public:
  NearestToZero(Index rows, Index k)
      : a_(rows + 1, k),
        q_(rows + 1, std::min(rows + 1, k)),
        r_(q_.cols(), q_.cols()),
        u_(static_cast<std::size_t>(k), 0.0),
        z_(static_cast<std::size_t>(k)),
        size_(static_cast<std::size_t>(k)),
        rest_(static_cast<std::size_t>(rows + 1)),
        entered_(static_cast<std::size_t>(k)),
        barred_(static_cast<std::size_t>(k)) {}

  // The columns above the ones.
  MatrixView columns() { return a_.view().row_range(0, a_.rows() - 1); }
  // u, begun at `start`, whose members are those with u > 0.
  Span<const double> solve(Span<const double> start);

 private:
  Index count() const { return static_cast<Index>(set_.size()); }
  // Whether column j joins the set; false where it depends on the columns there.
  bool enter(Index j);
  // q_, r_ and z_ for the columns in the set.
  void factorize();
  // Goes from u_ to the least squares solution of the set; where a number would become negative, its column leaves.
  void descend();
  // The column outside of the set along which the sum of squares falls most, or -1.
  Index steepest();

  Matrix a_, q_, r_;  // the columns of the set are Q R
  Array<double> u_, z_, size_, rest_;
  Array<Index> set_;
  Array<char> entered_, barred_;
};

bool NearestToZero::enter(Index j) {
  const Index p = count(), rows = a_.rows();
  if (p == q_.cols()) return false;
  double* const q = q_.col(p);
  std::copy_n(a_.col(j), rows, q);
  std::fill_n(r_.col(p), r_.rows(), 0.0);
  for (int twice = 0; twice < 2; ++twice) {  // Gram and Schmidt, again: orthogonal to all digits
    for (Index l = 0; l < p; ++l) {
      double product = 0;
      for (Index i = 0; i < rows; ++i) product += q_(i, l) * q[i];
      for (Index i = 0; i < rows; ++i) q[i] -= product * q_(i, l);
      r_(l, p) += product;
    }
  }
  const double norm = norm2(rows, q);
  if (!(norm > 8 * static_cast<double>(rows + p) * epsilon * size_[j])) return false;
  for (Index i = 0; i < rows; ++i) q[i] /= norm;
  r_(p, p) = norm;
  set_.push_back(j);
  entered_[j] = 1;
  return true;
}

void NearestToZero::factorize() {
  const Array<Index> columns(set_.begin(), set_.end());
  set_.clear();
  std::ranges::fill(entered_, 0);
  for (const Index j : columns)
    if (!enter(j)) u_[j] = 0;
}

void NearestToZero::descend() {
  while (!set_.empty()) {
    const Index p = count(), last = a_.rows() - 1;
    for (Index l = p - 1; l >= 0; --l) {  // R z = Q'b, b = (0, 1)
      double value = q_(last, l);
      for (Index m = l + 1; m < p; ++m) value -= r_(l, m) * z_[m];
      z_[l] = value / r_(l, l);
    }
    double step = 1;
    for (Index l = 0; l < p; ++l)
      if (const double u = u_[set_[l]]; z_[l] <= 0) step = std::min(step, u / (u - z_[l]));
    Array<Index> left;
    for (Index l = 0; l < p; ++l) {
      double& u = u_[set_[l]];
      const bool leaves = z_[l] <= 0 && u / (u - z_[l]) <= step;
      u = leaves ? 0 : std::max(0.0, u + step * (z_[l] - u));
      if (!leaves) left.push_back(set_[l]);
    }
    if (static_cast<Index>(left.size()) == p) return;
    set_.assign(left.begin(), left.end());
    factorize();
  }
}

Index NearestToZero::steepest() {
  const Index rows = a_.rows();
  std::ranges::fill(rest_, 0.0);
  rest_[rows - 1] = 1;
  for (const Index j : set_)
    for (Index i = 0; i < rows; ++i) rest_[i] -= a_(i, j) * u_[j];
  Index best = -1;
  double most = 16 * static_cast<double>(a_.rows() + a_.cols()) * epsilon;
  for (Index j = 0; j < a_.cols(); ++j) {
    if (entered_[j] || barred_[j]) continue;
    double slope = 0;
    for (Index i = 0; i < rows; ++i) slope += a_(i, j) * rest_[i];
    if (slope / size_[j] > most) best = j, most = slope / size_[j];
  }
  return best;
}

Span<const double> NearestToZero::solve(Span<const double> start) {
  set_.clear();
  for (Index j = 0; j < a_.cols(); ++j) {
    a_(a_.rows() - 1, j) = 1;
    size_[j] = norm2(a_.rows(), a_.col(j));
    u_[j] = start[j];
    if (u_[j] > 0) set_.push_back(j);
  }
  factorize();
  descend();
  std::ranges::fill(barred_, 0);
  for (Index tries = 0, most = 30 * a_.cols() + 30; tries < most; ++tries) {
    const Index j = steepest();
    if (j < 0) return u_;
    u_[j] = 0;
    const bool joins = enter(j);
    if (joins) descend();
    // A column whose number stays zero fell short by rounding alone: it would come back for ever.
    if (!joins || u_[j] == 0)
      barred_[j] = 1;
    else
      std::ranges::fill(barred_, 0);
  }
  fail(Status::not_converged, "the active set method has not ended");
}

Index count_positive(const double* weights, Index n) {
  return weights == nullptr ? n : std::count_if(weights, weights + n, [](double w) { return w > 0; });
}

// The errors W_i^(1/2) (y_i - f_im), divided by a power of two so that none overflows, and below them the rows of the
// prior: (prior s^2)^(1/2) in the diagonal of the members m >= 1.
Matrix weighted_errors(const LayoutView& f, const double* y, const double* weights, double prior, double size) {
  double heaviest = 1;
  if (weights != nullptr) heaviest = *std::max_element(weights, weights + f.rows);
  const Index more = prior > 0 ? f.cols - 1 : 0, counted = count_positive(weights, f.rows);
  Matrix e(f.rows + more, f.cols, 0.0);
  for (Index m = 0; m < f.cols; ++m)
    for (Index i = 0; i < f.rows; ++i) {
      const double root = weights == nullptr ? 1 : std::sqrt(weights[i] / heaviest);
      e(i, m) = root * (y[i] / size - f(i, m) / size);
    }
  const double s = norm2(f.rows, e.col(0)) / std::sqrt(static_cast<double>(counted));
  for (Index l = 0; l < more; ++l) e(f.rows + l, l + 1) = std::sqrt(prior) * s;
  return e;
}

// A power of two above all numbers.
double size_of(const LayoutView& f, const double* y) {
  double most = 0;
  for (Index i = 0; i < f.rows; ++i) {
    most = std::max(most, std::abs(y[i]));
    for (Index m = 0; m < f.cols; ++m) most = std::max(most, std::abs(f(i, m)));
  }
  return std::ldexp(1.0, std::clamp(std::ilogb(std::max(most, 1e-300)) + 1, -1000, 1023));
}

// R of the errors; with q: Q, too.
Matrix triangle_of(const Matrix& errors, Matrix* q) {
  Matrix e(errors.rows(), errors.cols());
  copy(errors.view(), e.view());
  const Index n = e.rows(), k = e.cols(), rows = std::min(n, k);
  Array<double> tau(static_cast<std::size_t>(rows));
  geqrf(e.view(), tau);
  Matrix r(rows, k, 0.0);
  for (Index m = 0; m < k; ++m) std::copy_n(e.col(m), std::min(rows, m + 1), r.col(m));
  if (q != nullptr) {
    *q = Matrix(n, rows, 0.0);
    for (Index l = 0; l < rows; ++l) (*q)(l, l) = 1;
    ormqr(e.view(), tau, q->view());
  }
  return r;
}

// Divides R by the norm of its smallest column that is not zero, beside which the 1 of the equation is of the right
// size. Columns beyond 1e100 times that one have no weight, and are made so large.
void scale(MatrixView r) {
  constexpr double most = 1e100;
  Array<double> norms;
  double least = 0;
  for (Index m = 0; m < r.cols; ++m) {
    norms.push_back(norm2(r.rows, r.col(m)));
    if (norms.back() > 0) least = least == 0 ? norms.back() : std::min(least, norms.back());
  }
  for (Index m = 0; m < r.cols; ++m)
    for (Index l = 0; l < r.rows && norms[m] > 0; ++l)
      r(l, m) = norms[m] / most > least ? r(l, m) / norms[m] * most : r(l, m) / least;
}

Matrix without_row(const Matrix& a, Index row) {
  Matrix out(a.rows() - 1, a.cols());
  for (Index j = 0; j < a.cols(); ++j)
    std::copy(a.col(j) + row + 1, a.col(j) + a.rows(), std::copy_n(a.col(j), row, out.col(j)));
  return out;
}

void require_stack(const LayoutView& f, const double* y, const double* weights, double prior) {
  if (!std::isfinite(prior)) fail(Status::not_finite, "prior is ", prior, "; it must be finite");
  if (prior < 0) fail(Status::invalid_argument, "prior is ", prior, "; it must not be negative");
  require_finite("f", f);
  require_finite("y", {y, f.rows, 1, f.rows, Layout::col_major});
  for (Index i = 0; i < f.rows && weights != nullptr; ++i) {
    if (!std::isfinite(weights[i]))
      fail(Status::not_finite, "weights[", i, "] is ", weights[i], "; every weight must be finite");
    if (weights[i] < 0)
      fail(Status::invalid_argument, "weights[", i, "] is ", weights[i], "; a weight must not be negative");
  }
  if (count_positive(weights, f.rows) == 0) fail(Status::invalid_argument, "all weights are 0; one must be positive");
}

// w = u / sum u
void to_weights(Span<const double> u, Span<double> w) {
  double sum = 0;
  for (const double value : u) sum += value;
  for (std::size_t m = 0; m < u.size(); ++m) w[m] = u[m] / sum;
}

}  // namespace

Stack stack_weights(const LayoutView& f, const double* y, const double* weights, double prior, bool with_errors) {
  require_stack(f, y, weights, prior);
  const Index n = f.rows, k = f.cols;
  const double size = size_of(f, y);
  const Matrix e = weighted_errors(f, y, weights, prior, size);
  const Index rows = std::min(e.rows(), k);
  Matrix q;
  Matrix r = triangle_of(e, with_errors ? &q : nullptr);
  scale(r.view());
  NearestToZero problem(rows, k);
  copy(r.view(), problem.columns());
  Stack out;
  out.w = Array<double>(static_cast<std::size_t>(k));
  const Span<const double> found = problem.solve(Array<double>(static_cast<std::size_t>(k), 0.0));
  const Array<double> u(found.begin(), found.end());
  to_weights(u, out.w);
  if (!with_errors) return out;

  out.errors = Array<double>(static_cast<std::size_t>(n), std::numeric_limits<double>::quiet_NaN());
  if (k > 1 && prior == 0 && count_positive(weights, n) == 1) {
    out.errors_undefined = "one row alone has a positive weight: without it there is nothing to learn the weights from";
    return out;
  }
  Array<double> w(static_cast<std::size_t>(k));
  for (Index i = 0; i < n; ++i) {
    std::ranges::copy(out.w, w.begin());
    double h = 0;
    for (Index l = 0; l < rows; ++l) h += q(i, l) * q(i, l);
    if (h > 0 && k > 1 && (weights == nullptr || weights[i] > 0)) {
      const MatrixView without = problem.columns();
      if (h > 0.5) {  // 1 - h would have lost digits; the sum of all h_i is at most k, so such rows are few
        Matrix other = triangle_of(without_row(e, i), nullptr);
        scale(other.view());
        for (Index m = 0; m < k; ++m)
          std::fill(std::copy_n(other.col(m), other.rows(), without.col(m)), without.col(m) + rows, 0.0);
      } else {
        const double c = (1 - std::sqrt(1 - h)) / h;
        for (Index m = 0; m < k; ++m) {
          double projected = 0;
          for (Index l = 0; l < rows; ++l) projected += q(i, l) * r(l, m);
          for (Index l = 0; l < rows; ++l) without(l, m) = r(l, m) - c * projected * q(i, l);
        }
      }
      to_weights(problem.solve(u), w);
    }
    double error = 0;
    for (Index m = 0; m < k; ++m) error += w[m] * (y[i] / size - f(i, m) / size);
    out.errors[i] = error * size;
    if (!std::isfinite(out.errors[i])) fail(Status::not_finite, "the errors overflow; rescale y and f");
  }
  return out;
}

}  // namespace freeridge
