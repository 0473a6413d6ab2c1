#include "libcore/routes/landmark_features.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "libcore/base/saved_values.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/routes/saved_route.hpp"
#include "libcore/spectrum/small_svd.hpp"

namespace freeridge {
namespace {

constexpr Index rows_at_once = 128;   // of kernel values a thread
constexpr Index least_partial = 256;  // landmarks; fewer cost little
constexpr Index sample_rows = 256, head_step = 32;
constexpr double foldable = 1e-4;  // smallest over largest diagonal element of L for which L^-T may be folded into V
constexpr double smallest_foldable = 0x1p-480, largest_foldable = 0x1p480;  // of them: L^-T V S^-1 is of their squares

// A lower bound of the largest eigenvalue of A = product(A, v): a few steps of power iteration.
template <class Product>
double large_eigenvalue(Index n, const Product& product) {
  Array<double> v(n, 1.0), next(v.size());
  double value = 0;
  for (int step = 0; step < 8; ++step) {
    const double norm = norm2(n, v.data());
    if (!(norm > 0)) return 0;
    for (double& element : v) element /= norm;
    product(v.data(), next.data());
    value = dot(n, v.data(), next.data());
    v.swap(next);
  }
  return value;
}

// The squared column norms of L22^-1, the last block of L^-1.
Array<double> gains(ConstMatrixView inverse, Index q) {
  Array<double> out;
  for (Index j = q; j < inverse.cols; ++j) {
    const double norm = norm2(inverse.rows - j, inverse.col(j) + j);
    out.push_back(norm * norm);
  }
  return out;
}

// Each column less its mean.
void centre(MatrixView a) {
  for (Index j = 0; j < a.cols; ++j) {
    double mean = 0;
    for (Index i = 0; i < a.rows; ++i) mean += a(i, j) / static_cast<double>(a.rows);
    for (Index i = 0; i < a.rows; ++i) a(i, j) -= mean;
  }
}

}  // namespace

LandmarkFeatures::LandmarkFeatures(const Problem& problem, Array<Index> rows) : landmarks_(std::move(rows)) {
  if (problem.kernel->precomputed()) require_symmetric(problem.basis.dense(), landmarks_);
  const Index count = static_cast<Index>(landmarks_.size());
  Matrix k(count, count);
  const Support all(problem.kernel, problem.basis, landmarks_);
  for (Index i = 0; i < count; ++i) {
    all.evaluate(problem.basis, landmarks_[i], k.view().row_range(i, 1));
    worked(10 * nanosecond * static_cast<double>(count));  // each number into another column
  }
  double largest = 0;
  for (Index i = 0; i < count; ++i) largest = std::max(largest, k(i, i));
  Array<Index> pivots(landmarks_.size());
  const double tolerance = static_cast<double>(count) * std::numeric_limits<double>::epsilon() * largest;
  const Index rank = largest > 0 ? pstrf(k.view(), tolerance, pivots) : 0;
  for (Index i = 0; i < rank; ++i) kept_.push_back(landmarks_[pivots[i]]);
  support_.emplace(problem.kernel, problem.basis, kept_);
  l_ = Matrix(rank, rank, 0.0);
  for (Index j = 0; j < rank; ++j) std::copy_n(k.col(j) + j, rank - j, l_.col(j) + j);
}

LandmarkFeatures::LandmarkFeatures(const Problem& problem, ByteReader& in) {
  const Index n = problem.n(), count = in.integer("number of landmarks", 0, n);
  Array<char> seen(n, 0);  // 1: a landmark, 2: a kept one
  const auto rows = [&](Index number, char before) {
    Array<Index> out = load_indices("the landmarks", "landmark", 0, n - 1, number, in);
    for (const Index row : out)
      if (seen[row]++ != before) fail(Status::corrupt, "row ", row, " is where it cannot be among the saved landmarks");
    return out;
  };
  landmarks_ = rows(count, 0);
  kept_ = rows(in.integer("number of kept landmarks", 0, count), 1);
  const auto rank = static_cast<Index>(kept_.size());
  l_ = load_triangle(in, "L", rank, Triangle::lower);
  for (Index j = 0; j < rank; ++j)
    if (!(l_(j, j) > 0)) fail(Status::corrupt, "the saved L has ", l_(j, j), " on its diagonal");
  support_.emplace(problem.kernel, problem.basis, kept_);
}

void LandmarkFeatures::save(ByteWriter& out) const {
  out.integer(static_cast<Index>(landmarks_.size()));
  out.indices(landmarks_);
  out.integer(static_cast<Index>(kept_.size()));
  out.indices(kept_);
  save_triangle(out, l_.view(), Triangle::lower);
}

Matrix LandmarkFeatures::inverse() const {
  Matrix out(features(), features(), 0.0);
  for (Index j = 0; j < features(); ++j) out(j, j) = 1;
  trsm(Op::none, l_.view(), out.view());
  return out;
}

void LandmarkFeatures::set_head(Index q) {
  gain_ = gains(inverse().view(), q);
  head_ = q;
}

void LandmarkFeatures::prepare_partial(const Problem& problem, double safety) {
  const Index r = features(), count = std::min(problem.n(), sample_rows);
  if (r < least_partial) return;
  Matrix phi(count, r);
  for (Index i = 0; i < count; ++i) raw(problem.x, i * (problem.n() / count), phi.view().row_range(i, 1));
  apply(phi.view());
  if (problem.intercept) centre(phi.view());
  Array<double> product(count);
  const double largest = large_eigenvalue(r, [&](const double* v, double* out) {
    gemv(Op::none, 1, phi.view(), v, 0, product.data());
    gemv(Op::transpose, 1, phi.view(), product.data(), 0, out);
  });
  const Matrix inverse_l = inverse();
  const auto try_head = [&](Index q) {
    // psi_2 = L22 phi_2
    const Index rest = r - q;
    Matrix psi(count, rest);
    gemm(Op::none, Op::transpose, 1, phi.view().columns(q, rest), l_.view().block(q, q, rest, rest), 0, psi.view());
    Array<double> gain = gains(inverse_l.view(), q);
    double error = 0;
    for (Index j = 0; j < rest; ++j) error += dot(count, psi.view().col(j), psi.view().col(j)) * gain[j];
    if (!(safety * gram_rounding(problem.n(), r) * error <= rounding_of_rows(problem.n(), r) * largest)) return false;
    head_ = q;
    gain_ = std::move(gain);
    return true;
  };
  if (try_head(0)) return;
  Index low = 0, high = (r - 1) / head_step;  // the number of steps is more than low, and at most high if there is one
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (try_head(middle * head_step) ? high : low) = middle;
  }
  if (gain_.empty()) try_head(high * head_step);
}

void LandmarkFeatures::apply_partial(MatrixView rows) const {
  const Index q = head_, rest = features() - q;
  trsm_right(Op::transpose, l_.view().block(0, 0, q, q), rows.columns(0, q));
  if (q > 0)
    gemm(Op::none, Op::transpose, -1, rows.columns(0, q), l_.view().block(q, 0, rest, q), 1, rows.columns(q, rest));
}

Completed LandmarkFeatures::complete(MatrixView gram, Index first, Span<double> shift, Index n) const {
  const Index q = head_, rest = features() - q, from = first + q;
  const ConstMatrixView l = l_.view().block(q, q, rest, rest);
  double error = 0;
  for (Index j = 0; j < rest; ++j) error += gram(from + j, from + j) * gain_[j];
  trsm(Op::none, l, gram.block(from, 0, rest, from));
  const Index below = gram.rows - from - rest;
  trsm_right(Op::transpose, l, gram.block(from + rest, from, below, rest));
  Matrix full(rest, rest);
  for (Index j = 0; j < rest; ++j)
    for (Index i = j; i < rest; ++i) full(i, j) = full(j, i) = gram(from + i, from + j);
  trsm(Op::none, l, full.view());
  trsm_right(Op::transpose, l, full.view());
  for (Index j = 0; j < rest; ++j) std::copy_n(full.col(j) + j, rest - j, gram.col(from + j) + from + j);
  if (!shift.empty()) trsm(Op::none, l, {shift.data() + q, rest, 1, rest});
  const ConstMatrixView all = gram.block(first, first, features(), features());
  const double largest = large_eigenvalue(all.rows, [&](const double* v, double* out) { symv(all, v, out); });
  return {gram_rounding(n, features()) * error, rounding_of_rows(n, features()) * largest};
}

void LandmarkFeatures::raw(const Rows& points, Index row, MatrixView out) const {
  if (out.cols == 0) return;
  const Index blocks = pieces(out.rows, rows_at_once);
  const Stage still(0, 0);  // often called, for a few points each time
  parallel_for(blocks, [&](Index block) {
    const Index first = block * rows_at_once;
    support_->evaluate(points, row + first, out.row_range(first, std::min(rows_at_once, out.rows - first)));
  });
}

void LandmarkFeatures::raw_functional(ConstMatrixView delta, MatrixView out) const {
  for (Index k = 0; k < out.cols; ++k) {
    const Index place = std::ranges::find(landmarks_, kept_[k]) - landmarks_.begin();
    for (Index q = 0; q < out.rows; ++q) out(q, k) = delta(place, q);
    worked(static_cast<double>(landmarks_.size()) + touched * static_cast<double>(out.rows));
  }
}

void LandmarkFeatures::apply(MatrixView rows) const {
  trsm_right(Op::transpose, l_.view(), rows);
}

bool LandmarkFeatures::fold(MatrixView t, MatrixView parts) const {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (Index i = 0; i < l_.rows(); ++i) {
    low = std::min(low, l_(i, i));
    high = std::max(high, l_(i, i));
  }
  if (low < foldable * high || low < smallest_foldable || high > largest_foldable) return false;
  trsm(Op::transpose, l_.view(), t);
  Matrix of_raw(parts.rows, parts.cols, 0.0);  // L M
  for (Index k = 0; k < parts.cols; ++k)
    for (Index j = 0; j < l_.cols(); ++j)
      for (Index i = j; i < l_.rows(); ++i) of_raw(i, k) += l_(i, j) * parts(j, k);
  copy(of_raw.view(), parts);
  return true;
}

void LandmarkFeatures::solve(const Problem& problem, Index first, ConstMatrixView w, ConstMatrixView parts,
                             Solution& solution) const {
  const Matrix c = expansion(w);
  if (problem.linear()) return set_hyperplane(problem, first, hyperplane_of(problem, c).view(), solution);
  for (Index j = 0; j < w.cols; ++j) {
    const Span<const double> of_y = problem.free_of_column(first + j);
    Array<double> of_u(of_y.begin(), of_y.end());
    for (Index k = 0; k < parts.cols; ++k) of_u[k] -= dot(w.rows, parts.col(k), w.col(j));
    set_free(problem, first + j, of_u, solution);
    std::fill_n(solution.c.col(first + j), problem.n(), 0.0);
    for (Index k = 0; k < w.rows; ++k) solution.c(kept_[k], first + j) = c(k, j);
  }
}

bool LandmarkFeatures::own_coefficients(const Problem& problem, ConstMatrixView w, MatrixView out) const {
  const Matrix c = expansion(w);
  for (Index j = 0; j < out.cols; ++j) {
    std::fill_n(out.col(j), out.rows, 0.0);
    for (Index k = 0; k < w.rows; ++k) {
      const Index row = kept_[k];
      out(row, j) = c(k, j) / problem.sqrt_w[row];
    }
  }
  return true;
}

// w_s = sum_k c_k x_k / scale
Matrix LandmarkFeatures::hyperplane_of(const Problem& problem, const Matrix& c) const {
  Matrix out(problem.d(), c.cols());
  for (Index j = 0; j < c.cols(); ++j)
    for (Index f = 0; f < problem.d(); ++f) {
      double sum = 0;
      for (Index k = 0; k < c.rows(); ++k) sum += c(k, j) * (problem.x(kept_[k], f) / (*problem.linear_scale)[f]);
      out(f, j) = sum;
    }
  return out;
}

// c = L^-T w
Matrix LandmarkFeatures::expansion(ConstMatrixView w) const {
  Matrix c = copy_of(w);
  trsm(Op::transpose, l_.view(), c.view());
  return c;
}

}  // namespace freeridge
