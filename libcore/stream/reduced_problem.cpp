#include "libcore/stream/reduced_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/spectrum/small_svd.hpp"

namespace freeridge {
namespace {

bool all_finite(Span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace

ReducedProblem::ReducedProblem(RowStack rows) : rows_(std::move(rows)) {
  rows_.reduce();
  const Index ones = rows_.ones(), d = rows_.d(), t = rows_.t();
  const ConstMatrixView triangle = rows_.rows();
  spectrum_.degrees = rows_.n() - ones;
  spectrum_.sure = sure_of_qr;
  if (ones == 1)
    for (Index k = 1; k < triangle.cols; ++k) rest_.push_back(triangle(0, k) / triangle(0, 0));

  const Index count = std::min(triangle.rows - ones, d);  // min(m, d)
  const ConstMatrixView r_xx = triangle.block(ones, ones, count, d);
  Matrix x = copy_of(r_xx), u(count, count);
  s_.resize(count);
  vt_ = Matrix(count, d);
  const Array<double> norms = column_norms(x.view());
  require_finite_squares(norms, "x");
  small_svd(x.view(), s_, u.view(), vt_.view());
  spectrum_.gamma = Matrix(count, t);
  gemm(Op::transpose, Op::none, 1, u.view(), triangle.block(ones, ones + d, count, t), 0, spectrum_.gamma.view());

  const Index below = std::min(ones + d, triangle.rows);  // rows of R_yy
  for (Index j = 0; j < t; ++j) {
    const double* const column = triangle.col(ones + d + j);
    spectrum_.rest_norm2.push_back(dot(triangle.rows - below, column + below, column + below));
  }

  require_finite_squares(s_, "x");
  spectrum_.noise = direction_noise(norms, vt_.view(), rows_.n());
  drop_noise(s_, spectrum_.noise);
  for (const double s : s_) spectrum_.eigenvalues.push_back(s * s);
  rank_ = spectrum_.rank();
  set_basis(r_xx, u.view());
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
  f_ = Matrix(r_xx.cols, r());
  gemm(Op::transpose, Op::none, 1, right.view(), turned.view(), 0, f_.view());
  for (Index l = 0; l < r(); ++l)
    for (Index k = 0; k < r_xx.cols; ++k) f_(k, l) /= norm[k];
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
  Matrix planes(d, count * t), intercepts(t, count, 0.0);
  gemm(Op::transpose, Op::none, 1, vt_.view(), coefficients(Factor::hyperplane, lambdas).view(), 0, planes.view());
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

std::string ReducedProblem::score(Criterion criterion, Span<const double> lambdas, Index first, MatrixView out) const {
  require_lambdas("lambdas", lambdas);
  const double log_weights = (rows_.intercept() ? std::log(rows_.sum_w()) : 0) - rows_.sum_log_w();
  std::string reason;
  Matrix table(out.rows, out.cols);  // copied to `out` at the end, so that a failure leaves `out` as it was
  for (Index l = 0; l < out.rows; ++l) {
    const double lambda = lambdas[l];
    const SpectrumAt at(spectrum_, lambda);
    for (Index j = 0; j < out.cols; ++j) {
      const Index output = first + j;
      const double score = criterion == Criterion::gcv
                               ? gcv(rows_.n(), at.squared_norm(output), at.trace())
                               : reml(spectrum_.degrees, at.quadratic_form(output), at.log_determinant(), log_weights);
      table(l, j) = std::isfinite(score) ? score : nan;
      if (!std::isfinite(score))
        keep_first(reason, text("the criterion of output ", output, " has no value (lambda = ", lambda, ")"));
    }
  }
  copy_out(table.view(), Layout::col_major, out.data, out.ld);
  return reason;
}

ObjectiveTables ReducedProblem::objective(Span<const double> lambdas) const {
  require_lambdas("lambdas", lambdas);
  return objectives(lambdas, rows_.t(), rows_.sum_w(), [&](double lambda, const auto&) {
    return std::optional<SpectrumAt>(std::in_place, spectrum_, lambda);
  });
}

LambdaRange ReducedProblem::lambda_range() const {
  return freeridge::lambda_range(spectrum_.range(), floor());
}

LambdaSearch ReducedProblem::select_lambda(Criterion criterion, double low, double high) const {
  const Searched searched{criterion, rows_.t(), true,
                          [&](Span<const double> lambdas, Index first, MatrixView out, MatrixView) {
                            std::string reason = score(criterion, lambdas, first, out);
                            worked(4 * touched * static_cast<double>(r() * out.rows * out.cols));
                            report(1);
                            return reason;
                          }};
  return search_lambda(searched, low == 0 && high == 0 ? lambda_range() : LambdaRange{low, high});
}

}  // namespace freeridge
