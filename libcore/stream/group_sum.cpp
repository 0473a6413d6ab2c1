#include "libcore/stream/group_sum.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/factor/left_out_rows.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lower_triangle.hpp"

namespace freeridge {
namespace {

void scale_columns(Span<const double> factor, MatrixView a) {
  for (Index k = 0; k < a.cols; ++k) {
    for (Index i = 0; i < a.rows; ++i) a(i, k) *= factor[k];
    worked(touched * static_cast<double>(a.rows));
  }
}

}  // namespace

Index GroupSum::doubles(const ReducedProblem& problem, Index rows, bool has_gap) {
  const Index columns = problem.basis_size() + problem.rows().t();
  if (rows <= problem.basis_size()) return checked_doubles(rows, columns);
  return checked_doubles(checked_doubles(has_gap ? 4 : 2, columns), columns);
}

GroupSum::GroupSum(const ReducedProblem& problem, Index rows, bool has_gap)
    : problem_(problem), count_(rows), keeps_rows_(rows <= problem.basis_size()) {
  const Index columns = problem.basis_size() + problem.rows().t();
  if (keeps_rows_)
    kept_ = Matrix(rows, columns);
  else if (has_gap)
    scored_gram_ = Matrix(columns, columns, 0.0);
}

void GroupSum::add(ConstMatrixView basis, Span<const Index> rows, Span<const double> weights, bool scored) {
  if (keeps_rows_) {
    copy(basis, kept_.view().row_range(added_, basis.rows));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows_.push_back(scored ? rows[i] : -1);
      sqrt_w_.push_back(std::sqrt(weights[i]));
    }
  } else {
    sum_.add(basis);
    if (scored && scored_gram_.cols() > 0) scored_sum_.add(basis);
  }
  added_ += basis.rows;
  const double sum_w = sum_of(weights);
  sum_w_ += sum_w;
  scored_w_ += scored ? sum_w : 0;
  if (keeps_rows_ || !complete()) return;
  gram_ = sum_.take();
  mirror_lower(gram_.view());
  if (scored_gram_.cols() == 0) return;
  scored_gram_ = scored_sum_.take();
  mirror_lower(scored_gram_.view());
}

// The diagonal of D.
Array<double> GroupSum::roots(const SpectrumAt& at) const {
  Array<double> out(problem_.basis_size(), 1.0);
  for (Index k = 0; k < problem_.passed().r(); ++k) out[k] = std::sqrt(1 - at.p(k));
  return out;
}

// The noise of the diagonal of a matrix of this order. For one row it is the least value of 1 - leverage that counts.
Array<double> GroupSum::noise(Index size) const {
  return Array<double>(size, problem_.least_residual() / std::sqrt(static_cast<double>(size)));
}

bool GroupSum::left_out(const SpectrumAt& at, LeftOutRows& out) const {
  const Spectrum& spectrum = problem_.passed();
  Matrix shared = copy_of(spectrum.gamma.view());  // diag(p) Gamma
  for (Index j = 0; j < shared.cols(); ++j)
    for (Index k = 0; k < shared.rows(); ++k) shared(k, j) *= at.p(k);
  return keeps_rows_ ? left_out_of_rows(at, shared.view(), out) : left_out_of_sum(at, shared.view(), out);
}

bool GroupSum::left_out_of_rows(const SpectrumAt& at, ConstMatrixView shared, LeftOutRows& out) const {
  const Index k = problem_.basis_size(), t = shared.cols, rank = shared.rows;
  const bool complement = problem_.passed().complement();
  const ConstMatrixView kept = kept_.view(), m = kept.columns(0, complement ? k : rank);
  Matrix scaled = copy_of(m), core(count_, count_);
  Array<double> factor = roots(at);
  for (Index i = 0; i < rank && !complement; ++i) factor[i] = std::sqrt(at.p(i));
  scale_columns(factor, scaled.view());
  syrk(Op::none, complement ? -1 : 1, scaled.view(), 0, core.view());
  for (Index i = 0; i < count_ && complement; ++i) core(i, i) += 1;

  out.y = Matrix();
  out.e = complement ? copy_of(kept.columns(k, t)) : Matrix(count_, t, 0.0);
  if (rank > 0) gemm(Op::none, Op::none, 1, kept.columns(0, rank), shared, 1, out.e.view());
  Array<double> of_core = noise(count_);
  const ReducedProblem::RowNoise of_rows = problem_.row_noise(at);
  for (Index i = 0; i < count_; ++i) of_core[i] = std::max(of_core[i], of_rows.of_divisor(core(i, i)));
  if (!solve_left_out(core.view(), out.e.view(), of_core)) return false;
  out.squares.assign(t, 0.0);
  for (Index j = 0; j < t; ++j)
    for (Index i = 0; i < count_; ++i) out.squares[j] += rows_[i] >= 0 ? out.e(i, j) * out.e(i, j) : 0;
  return true;
}

bool GroupSum::left_out_of_sum(const SpectrumAt& at, ConstMatrixView shared, LeftOutRows& out) const {
  if (!problem_.passed().complement()) return false;  // as many rows as there are, or more
  const Index k = problem_.basis_size(), t = shared.cols, rank = shared.rows;
  const Array<double> root = roots(at);
  const ConstMatrixView gram = gram_.view();
  Matrix core = copy_of(gram.block(0, 0, k, k)), z = copy_of(gram.block(0, k, k, t));
  scale_columns(root, core.view());
  for (Index j = 0; j < k; ++j) {
    for (Index i = j; i < k; ++i) core(i, j) *= -root[i];
    core(j, j) += 1;
    worked(touched * static_cast<double>(k - j));
  }
  if (rank > 0) gemm(Op::none, Op::none, 1, gram.block(0, 0, k, rank), shared, 1, z.view());
  multiply_rows(root, z.view());
  if (k > 0 && !solve_left_out(core.view(), z.view(), noise(k))) return false;
  multiply_rows(root, z.view());

  Matrix all(k + t, t, 0.0), product(k + t, t);  // [y; I]
  copy(z.view(), all.view().row_range(0, k));
  for (Index j = 0; j < t; ++j) {
    for (Index i = 0; i < rank; ++i) all(i, j) += shared(i, j);
    all(k + j, j) = 1;
  }
  gemm(Op::none, Op::none, 1, scored_gram_.cols() > 0 ? scored_gram_.view() : gram, all.view(), 0, product.view());
  out.squares.assign(t, 0.0);
  for (Index j = 0; j < t; ++j) out.squares[j] = std::max(dot(k + t, all.col(j), product.col(j)), 0.0);
  out.e = Matrix();
  out.y = copy_of(all.view().row_range(0, k));
  return true;
}

}  // namespace freeridge
