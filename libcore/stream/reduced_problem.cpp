#include "libcore/stream/reduced_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/routes/saved_route.hpp"
#include "libcore/spectrum/small_svd.hpp"

namespace freeridge {
namespace {

constexpr double rounding_of_basis = 2 * eps;  // of a column, over its norm
constexpr double rounding_of_rest = 10 * eps;  // of |E_j|^2 from a Gram matrix, over |Y~_j|^2
constexpr double digits_of_choice = 1e3;       // of the score at the lambda that a search chooses

std::string sums_cancel(Index output) {
  return text("the sum of squared residuals of output ", output,
              " is undefined: it is the difference of sums over all rows that are equal to ten digits or more; add an "
              "intercept, subtract from y what is known of it, or take the reduction QR");
}

}  // namespace

ReducedProblem::ReducedProblem(RowStack rows, std::shared_ptr<const RowFeatures> features)
    : rows_(std::move(rows)), features_(std::move(features)) {
  rows_.reduce();
  spectrum_.degrees = rows_.n() - rows_.ones();
  spectrum_.sure = sure_of_qr;
  if (rows_.by_gram())
    from_gram();
  else
    from_triangle();
  fold();
}

void ReducedProblem::take_out_unpenalised() {
  const Index ones = rows_.ones(), given = features_->unpenalised();
  if (given == 0) return;
  const ConstMatrixView triangle = rows_.rows();
  Array<double> norms;
  for (Index k = 0; k < given; ++k) {
    const Index column = ones + k;
    const double own = norm2(std::min(column + 1, triangle.rows), triangle.col(column));
    norms.push_back(ones == 0 ? own : std::hypot(own, means_[k] * std::sqrt(rows_.sum_w())));
  }
  free_ = UnpenalisedColumns(triangle.block(ones, ones, triangle.rows - ones, triangle.cols - ones), norms, rows_.t());
  spectrum_.degrees -= free_.q();
}

void ReducedProblem::unpenalised_kept(Span<std::int32_t> kept) const {
  std::ranges::fill(kept, 0);
  for (const Index k : free_.kept()) kept[k] = 1;
}

Matrix ReducedProblem::centred_rows() const {
  const Index ones = rows_.ones(), d = rows_.d(), t = rows_.t();
  if (!rows_.by_gram()) {
    const ConstMatrixView triangle = rows_.rows();
    return copy_of(triangle.block(ones, ones, triangle.rows - ones, triangle.cols - ones));
  }
  Matrix out(r() + t, d + t, 0.0);
  for (Index k = 0; k < r(); ++k) {
    for (Index j = 0; j < d; ++j) out(k, j) = s_[k] * vt_(k, j);
    for (Index j = 0; j < t; ++j) out(k, d + j) = spectrum_.gamma(k, j);
  }
  for (Index j = 0; j < t; ++j) out(r() + j, d + j) = std::sqrt(spectrum_.rest_norm2[j]);
  return out;
}

ConstMatrixView ReducedProblem::problem_triangle() const {
  if (features_->unpenalised() > 0) return free_.rest();
  const Index ones = rows_.ones();
  const ConstMatrixView triangle = rows_.rows();
  return triangle.block(ones, ones, triangle.rows - ones, triangle.cols - ones);
}

void ReducedProblem::from_triangle() {
  set_means();
  take_out_unpenalised();
  const ConstMatrixView triangle = problem_triangle();
  Matrix u;
  ReducedFeatures found = reduce_triangle(triangle, rows_.t(), rows_.n(), column_norms(free_.r_ux()), "x", u);
  drop_noise(found.s, found.noise);
  take(std::move(found));
  set_basis(triangle.block(0, 0, r(), penalised()), u.view());
  set_along();
}

void ReducedProblem::take(ReducedFeatures found) {
  s_ = std::move(found.s);
  vt_ = std::move(found.vt);
  spectrum_.noise = std::move(found.noise);
  spectrum_.gamma = std::move(found.gamma);
  spectrum_.rest_norm2 = std::move(found.rest_norm2);
  finish();
}

void ReducedProblem::set_along() {
  if (features_->unpenalised() == 0) return;
  condition_ = std::max(condition_, free_.condition());
  along_ = Matrix(free_.q(), rank_);
  if (free_.q() > 0 && rank_ > 0) gemm(Op::none, Op::none, 1, free_.r_ux(), f_.view(), 0, along_.view());
}

void ReducedProblem::from_gram() {
  const Index ones = rows_.ones(), p = rows_.d(), t = rows_.t();
  Matrix gram = copy_of(rows_.sum().all().view()), start(p, ones);
  means_.assign(rows_.shift().begin(), rows_.shift().end());
  const LandmarkFeatures& map = features_->map();
  Completed done{0, 0};
  if (map.has_partial()) done = map.complete(gram.view(), ones, Span(means_).first(ones * p), rows_.n());
  for (Index k = 0; k < p && ones == 1; ++k) start(k, 0) = means_[k];
  for (std::size_t k = 0; k < means_.size(); ++k) means_[k] += gram(static_cast<Index>(k) + 1, 0) / gram(0, 0);
  take(reduce_gram(gram.view(), ones, t, rows_.n(), spectrum_.degrees, start, done.fine() ? 0 : done.error));
  f_ = Matrix(p, rank_);
  transpose(vt_.view(), f_.view());
  for (Index k = 0; k < rank_; ++k) divide_by(f_.view().columns(k, 1), s_[k]);
}

// phi: rounding moves the columns of the rows by eps of their norms, and so B_ik by |D F_k| of it, D those norms. Gram
// matrices have the noise of S_k^2.
void ReducedProblem::set_basis_noise() {
  basis_noise_.clear();
  if (rows_.by_gram()) {
    for (Index k = 0; k < rank_; ++k) basis_noise_.push_back(passed_.noise[k] / passed_.eigenvalues[k]);
    return;
  }
  Array<double> norms = column_norms(problem_triangle().columns(0, penalised()));
  const Array<double> along = column_norms(free_.r_ux());
  for (std::size_t j = 0; j < along.size(); ++j) norms[j] = std::hypot(norms[j], along[j]);
  for (Index k = 0; k < rank_; ++k) {
    double mixed = 0;
    for (Index j = 0; j < f_.rows(); ++j) mixed = std::hypot(mixed, norms[j] * f_(j, k));
    basis_noise_.push_back(rounding_of_basis * mixed);
  }
}

void ReducedProblem::set_means() {
  const ConstMatrixView triangle = rows_.rows();
  for (Index k = 1; k < triangle.cols && rows_.intercept(); ++k) {
    rest_.push_back(triangle(0, k) / triangle(0, 0));
    means_.push_back(rows_.shift()[k - 1] + rest_.back());
  }
}

// As for the route LANDMARK (streamed_basis.cpp): K_RR has the noise of a matrix, however phi is reduced.
void ReducedProblem::set_landmark_digits() {
  const Index p = rows_.d();
  const double first = s_.empty() ? 0 : s_.front(), mean = means_.empty() ? 0 : norm2(p, means_.data());
  spectrum_.sure = sure_of_matrix;
  spectrum_.common_noise = rounding_of_rows(rows_.n(), p) * std::max(first * first, mean * mean * rows_.sum_w());
  const Index wanted = std::min(spectrum_.degrees, std::max(p, features_->z().rows()));
  if (rank_ != wanted && rank_ > 0) spectrum_.left_out = {0, *spectrum_.common_noise, spectrum_.sure};
  const LandmarkFeatures& map = features_->map();
  LandmarkFeatures::Rounding rounding =
      map.rounding(features_->own(), rows_.n(), rows_.trace(), mean * mean * rows_.sum_w(), vt_.view(), s_,
                   map.may_have_more_digits());
  spectrum_.feature_noise = std::move(rounding.noise);
  spectrum_.wanting = std::max(rounding.wanting - static_cast<double>(p - rank_) * *spectrum_.common_noise, 0.0);
}

void ReducedProblem::fold() {
  for (Index j = 0; j < rows_.t() && rows_.by_gram(); ++j) {
    const Index place = rows_.p() - rows_.t() + j;
    rest_noise_.push_back(rounding_of_rest * rows_.sum().all()(place, place));
  }
  set_basis_noise();
  if (!features_->landmarks()) return;
  set_landmark_digits();
  const Index p = rows_.d();
  Matrix parts(p, 1, 0.0);
  if (rows_.intercept()) std::copy_n(means_.data(), p, parts.col(0));
  saved_f_ = copy_of(f_.view());
  folded_ = features_->map().fold(f_.view(), parts.view());
  centre_.assign(parts.col(0), parts.col(0) + p);
}

void ReducedProblem::pack(const Rows& x, const LayoutView& y, const double* weights, Index row, MatrixView tile) const {
  const Index ones = rows_.ones(), p = rows_.d();
  if (!features_->landmarks()) {
    pack_weighted(x, y, weights, row, rows_.shift(), tile);
    return move_shift(rest_, tile);
  }
  const MatrixView phi = tile.columns(ones, p), outputs = tile.columns(ones + p, rows_.t());
  features_->map().raw(x, row, phi);
  if (!folded_) features_->map().apply(phi);
  copy_rows(y, row, outputs);
  Array<double> sqrt_w(tile.rows, 1.0);
  for (Index i = 0; i < tile.rows && weights != nullptr; ++i) sqrt_w[i] = std::sqrt(weights[row + i]);
  if (ones == 1) std::ranges::copy(sqrt_w, tile.col(0));
  for (Index k = 0; k < p + rows_.t(); ++k) {
    double* const column = tile.col(ones + k);
    const double mean = k < p ? centre_[k] : ones == 1 ? means_[k] : 0;
    for (Index i = 0; i < tile.rows; ++i) column[i] = sqrt_w[i] * (column[i] - mean);
    worked(touched * static_cast<double>(tile.rows));
  }
}

// Sets everything that follows from S, its noise and Gamma. The directions that are not zero may be any of them.
void ReducedProblem::finish() {
  for (const double s : s_) spectrum_.eigenvalues.push_back(s * s);
  passed_.degrees = spectrum_.degrees;
  Array<Index> kept;
  for (Index k = 0; k < r(); ++k)
    if (s_[k] > 0) kept.push_back(k);
  rank_ = std::ssize(kept);
  passed_.gamma = Matrix(rank_, rows_.t());
  for (Index k = 0; k < rank_; ++k) {
    passed_.eigenvalues.push_back(spectrum_.eigenvalues[kept[k]]);
    passed_.noise.push_back(spectrum_.noise[kept[k]]);
    for (Index j = 0; j < rows_.t(); ++j) passed_.gamma(k, j) = spectrum_.gamma(kept[k], j);
  }
}

// F = D^-1 (R_xx D^-1)^+ U_R, D the norms of the columns.
void ReducedProblem::set_basis(ConstMatrixView r_xx, ConstMatrixView u) {
  Matrix scaled(r(), r_xx.cols), left(r(), r()), right(r(), r_xx.cols), turned(r(), r());
  Array<double> norm(r_xx.cols), s(s_.size());
  for (Index k = 0; k < r_xx.cols; ++k) {
    double& size = norm[k];
    size = std::sqrt(dot(r(), r_xx.col(k), r_xx.col(k)));
    if (size == 0) size = 1;
    for (Index i = 0; i < r(); ++i) scaled(i, k) = r_xx(i, k) / size;
  }
  gesdd(scaled.view(), s, left.view(), right.view());
  gemm(Op::transpose, Op::none, 1, left.view(), u, 0, turned.view());
  const double noise = rounding_of_rows(rows_.n(), rows_.d()) * (s.empty() ? 0 : s.front());
  for (Index k = 0; k < r(); ++k) {
    const double here = s[k];
    const bool counts = here > 0 && here >= noise;
    if (counts) condition_ = s.front() / here;
    for (Index l = 0; l < r(); ++l) turned(k, l) = counts ? turned(k, l) / here : 0;
  }
  Index kept = 0;  // the columns of directions that are not zero come first
  for (Index l = 0; l < r(); ++l)
    if (s_[l] > 0) std::copy_n(turned.col(l), r(), turned.col(kept++));
  f_ = Matrix(r_xx.cols, rank_);
  gemm(Op::transpose, Op::none, 1, right.view(), turned.view().columns(0, rank_), 0, f_.view());
  for (Index l = 0; l < rank_; ++l)
    for (Index k = 0; k < r_xx.cols; ++k) f_(k, l) /= norm[k];
}

ReducedProblem::ReducedProblem(RowStack rows, std::shared_ptr<const RowFeatures> features, ByteReader& in)
    : rows_(std::move(rows)), features_(std::move(features)) {
  spectrum_.degrees = rows_.n() - rows_.ones();
  spectrum_.sure = sure_of_qr;
  const Index d = penalised(), t = rows_.t();
  if (features_->landmarks())
    means_ = in.vector("the means", any_finite, rows_.ones() * (d + t));
  else
    set_means();
  take_out_unpenalised();
  const Index count = in.integer("number of directions", 0, std::min(spectrum_.degrees, d));
  s_ = load_scales(in, "the singular values", std::sqrt(any_finite), count, false);
  spectrum_.noise = load_scales(in, "the noise", any_finite, count, false);
  vt_ = in.matrix("V'", orthonormal, count, d);
  spectrum_.gamma = in.matrix("Gamma", any_finite, count, t);
  spectrum_.rest_norm2 = load_scales(in, "the rest of y", any_finite, t, false);
  finish();
  condition_ = in.number("condition", any_finite);
  f_ = in.matrix("F", any_finite, d, rank_);
  set_along();
  fold();
}

void ReducedProblem::save(ByteWriter& out) const {
  if (features_->landmarks()) out.numbers(means_);
  out.integer(r());
  out.numbers(s_);
  out.numbers(spectrum_.noise);
  out.matrix(vt_.view());
  out.matrix(spectrum_.gamma.view());
  out.numbers(spectrum_.rest_norm2);
  out.number(condition_);
  out.matrix((saved_f_.cols() > 0 ? saved_f_ : f_).view());
}

// w = V (S Gamma / (Lambda + lambda)) for each lambda, d x (lambdas t).
Matrix ReducedProblem::planes(Span<const double> lambdas) const {
  const Index given = features_->unpenalised();
  Matrix out(rows_.d(), std::ssize(lambdas) * rows_.t(), 0.0);
  if (r() > 0)
    gemm(Op::transpose, Op::none, 1, vt_.view(), coefficients(Factor::hyperplane, lambdas).view(), 0,
         out.view().row_range(given, penalised()));
  if (given > 0) free_.complete(out.view());
  return out;
}

void ReducedProblem::expansion(Span<const double> lambdas, MatrixView c, Span<double> b) const {
  require_lambdas("lambda", lambdas);
  const Index p = rows_.d();
  Matrix w(p, rows_.t());
  for (Index j = 0; j < rows_.t(); ++j) {
    const Matrix all = planes(lambdas.subspan(j, 1));
    std::copy_n(all.col(j), p, w.col(j));
    b[j] = means_.empty() ? 0 : means_[p + j] - dot(p, means_.data(), w.col(j));
  }
  copy(features_->map().expansion(w.view()).view(), c);
  if (!all_finite(w.values()) || !all_finite(b)) fail(Status::not_finite, "the solution overflows; rescale y");
}

void ReducedProblem::require_passed(const Rows& x, const LayoutView& y, const double* weights,
                                    Span<const double> lambdas) {
  require_finite("x", x);
  require_finite("y", y);
  require_weights(weights, x.rows);
  require_lambdas("lambdas", lambdas);
}

Matrix ReducedProblem::coefficients(Factor of, Span<const double> lambdas) const {
  const Index t = rows_.t();
  Matrix out(r(), static_cast<Index>(lambdas.size()) * t);
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    for (Index k = 0; k < r(); ++k) {
      const double value = spectrum_.eigenvalues[k], top = of == Factor::hyperplane ? s_[k] : value,
                   factor = value == 0 ? 0 : top / (value + lambdas[l]);
      for (Index j = 0; j < t; ++j) out(k, static_cast<Index>(l) * t + j) = factor * spectrum_.gamma(k, j);
    }
  }
  return out;
}

void ReducedProblem::solve(Span<const double> lambdas, MatrixView w, MatrixView b) const {
  require_lambdas("lambdas", lambdas);
  const Index d = rows_.d(), t = rows_.t(), count = static_cast<Index>(lambdas.size());
  const Matrix planes = this->planes(lambdas);
  Matrix intercepts(t, count, 0.0);
  for (Index c = 0; c < count * t && rows_.intercept(); ++c) {
    // The means are shift + rest, and rest is small. b is summed from the two parts separately, so that rest keeps its
    // digits.
    const Index j = c % t;
    const double* const w_c = planes.col(c);
    const double* const shift = rows_.shift().data();
    intercepts(j, c / t) = shift[d + j] - dot(d, shift, w_c) + (rest_[d + j] - dot(d, rest_.data(), w_c));
  }
  if (!all_finite(planes.values()) || !all_finite(intercepts.values()))
    fail(Status::not_finite, "the solution overflows; rescale x or y");
  report(1);
  copy_out(planes.view(), Layout::col_major, w.data, w.ld);
  copy_out(intercepts.view(), Layout::col_major, b.data, b.ld);
}

bool ReducedProblem::sums_tell(const SpectrumAt& at, Index output, double digits) const {
  return rest_noise_.empty() || at.squared_norm(output) >= digits * rest_noise_[output];
}

std::string ReducedProblem::score(Criterion criterion, Span<const double> lambdas, Index first, MatrixView out) const {
  return scores(criterion, lambdas, first, out, six_digits);
}

std::string ReducedProblem::scores(Criterion criterion, Span<const double> lambdas, Index first, MatrixView out,
                                   double digits) const {
  require_lambdas("lambdas", lambdas);
  const double log_weights =
      (rows_.intercept() ? std::log(rows_.sum_w()) : 0) + free_.log_determinant() - rows_.sum_log_w();
  std::string reason;
  Matrix table(out.rows, out.cols);  // copied to `out` at the end, so that a failure leaves `out` as it was
  for (Index l = 0; l < out.rows; ++l) {
    const double lambda = lambdas[l];
    const SpectrumAt at(spectrum_, lambda);
    const Index m = spectrum_.degrees;
    for (Index j = 0; j < out.cols; ++j) {
      const Index output = first + j;
      const double score = criterion == Criterion::gcv
                               ? gcv(rows_.n(), at.squared_norm(output), at.trace())
                               : reml(m, at.quadratic_form(output) / static_cast<double>(m), at.quadratic_form(output),
                                      at.log_determinant(), log_weights);
      const bool known = sums_tell(at, output, digits);
      table(l, j) = known && std::isfinite(score) ? score : nan;
      if (!known) keep_first(reason, sums_cancel(output));
      if (!std::isfinite(score)) keep_first(reason, text(no_score(criterion, output), " (lambda = ", lambda, ")"));
    }
  }
  copy_out(table.view(), Layout::col_major, out.data, out.ld);
  return reason;
}

ObjectiveTables ReducedProblem::objective(Span<const double> lambdas) const {
  require_lambdas("lambdas", lambdas);
  return objectives(lambdas, rows_.t(), [&](double lambda, const auto& set, const auto& undefined) {
    const SpectrumAt at(spectrum_, lambda);
    for (Index j = 0; j < rows_.t(); ++j) {
      if (sums_tell(at, j, six_digits))
        set(at, j, rows_.sum_w());
      else
        undefined(sums_cancel(j));
    }
  });
}

LambdaRange ReducedProblem::lambda_range() const {
  return freeridge::lambda_range(spectrum_.range(), floor());
}

LambdaRange ReducedProblem::search_range(double low, double high) const {
  return freeridge::search_range(low, high, spectrum_.range(), floor());
}

LambdaSearch ReducedProblem::select_lambda(Criterion criterion, double low, double high) const {
  const Searched searched{criterion, rows_.t(), true,
                          [&](Span<const double> lambdas, Index first, MatrixView out, MatrixView) {
                            std::string reason = scores(criterion, lambdas, first, out, 0);
                            worked(4 * touched * static_cast<double>(r() * out.rows * out.cols));
                            report(1);
                            return reason;
                          }};
  LambdaSearch out = search_lambda(searched, search_range(low, high));
  for (Index j = 0; j < rows_.t(); ++j)
    if (!sums_tell(SpectrumAt(spectrum_, out.best[j]), j, digits_of_choice)) fail(Status::undefined, sums_cancel(j));
  return out;
}

}  // namespace freeridge
