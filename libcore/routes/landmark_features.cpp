#include "libcore/routes/landmark_features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "libcore/base/constants.hpp"
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
constexpr double least_pivot = 1e-18;  // over max K_ii, with twice the digits; below it c = L^-T w has too few digits
constexpr double most_products = 1e9;  // of twice the digits, in a factorization or in a pass over all points
constexpr Index most_kept = 1 << 19;   // numbers: 4 MiB
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

// For a factorization of twice the digits.
bool few_enough(Index landmarks) {
  const auto count = static_cast<double>(landmarks);
  return count * count * count <= most_products;
}

// Operations of twice the digits in a pass over n points, of which a kernel value is some 100.
double products(Index n, Index rank) {
  return static_cast<double>(n) * static_cast<double>(rank) * (static_cast<double>(rank) / 2 + 100);
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
  if (problem.kernel->precomputed()) require_symmetric(*problem.kernel, problem.basis.dense(), landmarks_);
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
  set_twofold(problem);
}

std::unique_ptr<LandmarkFeatures> LandmarkFeatures::with_more_digits(const Problem& problem, Array<Index> rows) {
  const double count = static_cast<double>(rows.size());
  if (!few_enough(std::ssize(rows))) return nullptr;
  auto out = std::unique_ptr<LandmarkFeatures>(new LandmarkFeatures());
  out->landmarks_ = std::move(rows);
  const bool forms_phi =
      !problem.kernel->precomputed() && products(problem.n(), std::ssize(out->landmarks_)) <= most_products;
  const double tolerance = forms_phi ? least_pivot : count * eps;
  out->take(problem, twofold_cholesky(*problem.kernel, problem.basis, out->landmarks_, tolerance));
  return out;
}

std::unique_ptr<LandmarkFeatures> LandmarkFeatures::of_accurate_factor(const Problem& problem, Array<Index> rows) {
  auto out = std::make_unique<LandmarkFeatures>(problem, std::move(rows));
  const double count = static_cast<double>(out->landmarks_.size());
  if (out->well_conditioned() || !few_enough(std::ssize(out->landmarks_))) return out;
  out->take(problem, twofold_cholesky(*problem.kernel, problem.basis, out->landmarks_, count * eps));
  return out;
}

void LandmarkFeatures::take(const Problem& problem, TwofoldCholesky factor) {
  kept_.clear();
  for (const Index place : factor.kept) kept_.push_back(landmarks_[place]);
  l_ = std::move(factor.l);
  support_.emplace(problem.kernel, problem.basis, kept_);
  set_twofold(problem);
}

void LandmarkFeatures::set_twofold(const Problem& problem) {
  const auto [low, high] = diagonal_range();
  const double of_doubles = 0.9 * static_cast<double>(landmarks_.size()) * eps;
  if (!problem.kernel->precomputed() && low * low < of_doubles * (high * high) &&
      products(problem.n(), l_.rows()) <= most_products)
    twofold_.emplace(problem.kernel, problem.basis, kept_);
}

bool LandmarkFeatures::wants_landmarks(const Problem& problem) const {
  if (kept_.size() == landmarks_.size()) return false;
  if (!problem.kernel->precomputed() && std::ssize(kept_) >= problem.kernel->rank_bound(problem.d())) return false;
  const auto same = [&](Index a, Index b) {
    for (Index k = 0; k < problem.basis.cols; ++k)
      if (problem.basis(a, k) != problem.basis(b, k)) return false;
    return true;
  };
  return std::ranges::any_of(landmarks_, [&](Index row) {
    return std::ranges::none_of(kept_, [&](Index kept) { return kept == row || same(kept, row); });
  });
}

// k(x, x) of the rows of the problem and of the kept landmarks, which are rows of the basis. A given K has these numbers in
// its own rows alone: where the problem has some of them, their mean stands for each.
LandmarkFeatures::Diagonals LandmarkFeatures::diagonals(const Problem& problem) const {
  Array<double> of_basis(problem.basis.rows);
  own_diagonal(*problem.kernel, problem.basis, of_basis);
  Diagonals out{Array<double>(problem.n()), {}};
  if (problem.n() == problem.basis.rows)
    out.rows = of_basis;
  else if (problem.kernel->precomputed())
    std::ranges::fill(out.rows,
                      std::accumulate(of_basis.begin(), of_basis.end(), 0.0) / static_cast<double>(problem.basis.rows));
  else
    own_diagonal(*problem.kernel, problem.x, out.rows);
  for (const Index row : kept_) out.kept.push_back(of_basis[row]);
  return out;
}

FeatureMap::Rounding LandmarkFeatures::rounding(const Problem& problem, ConstMatrixView vt, Span<const double> s,
                                                ConstMatrixView parts, bool more_digits) const {
  const bool wants = wants_landmarks(problem);
  if (well_conditioned() && !wants) return {};
  Diagonals own = diagonals(problem);
  double trace = 0, explained = 0;
  for (Index i = 0; i < problem.n(); ++i) trace += problem.weight(i) * own.rows[i];
  for (Index k = 0; k < parts.cols; ++k) {
    const double part = norm2(parts.rows, parts.col(k)) * problem.unpenalised.nu(k);
    explained += part * part;
  }
  return rounding({wants, std::move(own.kept)}, problem.n(), trace, explained, vt, s, more_digits);
}

LandmarkFeatures::Own LandmarkFeatures::own(const Problem& problem) const {
  return {wants_landmarks(problem), diagonals(problem).kept};
}

FeatureMap::Rounding LandmarkFeatures::rounding(const Own& own, Index n, double trace, double explained,
                                                ConstMatrixView vt, Span<const double> s, bool more_digits) const {
  Rounding out;
  if (well_conditioned() && !own.wants) return out;
  double of_landmarks = 0;
  for (const double value : own.value) of_landmarks += value;
  if (own.wants) {
    double known = explained;
    for (const double value : s) known += value * value;
    out.wanting = std::max(trace - known - rounding_of_rows(n, vt.cols) * trace, 0.0);
  }
  const Array<double> rho = magnified(own.value, vt);
  for (Index k = 0; k < vt.rows; ++k) {
    const double of_penalty = s[k] * rho[k] * (more_digits ? s[k] * std::sqrt(of_landmarks) : s[k] * rho[k]),
                 of_features = twofold_ ? 0 : s[k] * rho[k] * std::sqrt(trace);
    out.noise.push_back(eps * (of_penalty + of_features));
  }
  if (vt.rows < vt.cols && !twofold_) {
    double all = 0, known = 0;
    const Matrix inverse = this->inverse();  // D L^-T has the elements sqrt(K_jj) (L^-1)_ij
    for (Index j = 0; j < inverse.cols(); ++j)
      for (Index i = j; i < inverse.rows(); ++i) all += own.value[j] * inverse(i, j) * inverse(i, j);
    for (const double value : rho) known += value * value;
    const double factor = rounding_of_rows(n, vt.cols);
    out.left = factor * factor * std::max(all - known, 0.0) * trace;
  }
  return out;
}

Array<double> LandmarkFeatures::magnified(Span<const double> values, ConstMatrixView vt) const {
  Matrix c(vt.cols, vt.rows);
  transpose(vt, c.view());
  trsm(Op::transpose, l_.view(), c.view());
  Array<double> out(vt.rows, 0.0);
  for (Index k = 0; k < c.cols(); ++k)
    for (Index j = 0; j < c.rows(); ++j) out[k] = std::hypot(out[k], std::sqrt(values[j]) * c(j, k));
  return out;
}

Array<double> LandmarkFeatures::feature_noise(const Problem& problem, ConstMatrixView vt) const {
  if (twofold_) return {};
  const Diagonals own = diagonals(problem);
  // The heaviest rows come first in a QR, and their rounding does not reach what the others add: the least weight counts.
  double least = problem.weight(0), trace = 0;
  for (Index i = 1; i < problem.n(); ++i) least = std::min(least, problem.weight(i));
  for (const double value : own.rows) trace += least * value;
  Array<double> out = magnified(own.kept, vt);
  const double factor = rounding_of_rows(problem.n(), vt.cols) * std::sqrt(trace);
  for (double& rho : out) rho = factor * rho * (factor * rho);
  return out;
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
  set_twofold(problem);
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
  if (r < least_partial || twofold_) return;
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

void LandmarkFeatures::keep_features(const Problem& problem) {
  if (!twofold_ || problem.n() > most_kept / std::max<Index>(features(), 1)) return;
  Matrix phi(problem.n(), features());
  raw(problem.x, 0, phi.view());
  phi_ = std::move(phi);
  phi_of_ = &problem.x;
}

void LandmarkFeatures::raw(const Rows& points, Index row, MatrixView out) const {
  if (out.cols == 0) return;
  if (phi_of_ == &points) return copy(phi_.view().row_range(row, out.rows), out);
  const Index blocks = pieces(out.rows, rows_at_once);
  const Stage still(0, 0);  // often called, for a few points each time
  parallel_for(blocks, [&](Index block) {
    const Index first = block * rows_at_once;
    const MatrixView part = out.row_range(first, std::min(rows_at_once, out.rows - first));
    if (twofold_) return twofold_->features(points, row + first, l_.view(), part);
    support_->evaluate(points, row + first, part);
  });
}

void LandmarkFeatures::raw_functionals(const Functionals& of, Index first, MatrixView out) const {
  for (Index k = 0; k < out.cols; ++k) {
    const Index place = std::ranges::find(landmarks_, kept_[k]) - landmarks_.begin();
    for (Index q = 0; q < out.rows; ++q) out(q, k) = of.kappa(place, first + q);
    worked(static_cast<double>(landmarks_.size()) + touched * static_cast<double>(out.rows));
  }
  if (twofold_) trsm_right(Op::transpose, l_.view(), out);
}

void LandmarkFeatures::apply(MatrixView rows) const {
  if (twofold_) return;  // raw() has made phi
  trsm_right(Op::transpose, l_.view(), rows);
}

// The smallest and the largest number on the diagonal of L.
std::pair<double, double> LandmarkFeatures::diagonal_range() const {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (Index i = 0; i < l_.rows(); ++i) {
    low = std::min(low, l_(i, i));
    high = std::max(high, l_(i, i));
  }
  return {low, high};
}

bool LandmarkFeatures::may_have_more_digits() const {
  return few_enough(std::ssize(landmarks_));
}

bool LandmarkFeatures::well_conditioned() const {
  const auto [low, high] = diagonal_range();
  return !(low < foldable * high || low < smallest_foldable || high > largest_foldable);
}

bool LandmarkFeatures::fold(MatrixView t, MatrixView parts) const {
  if (twofold_) return true;
  if (!well_conditioned()) return false;
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
