#include "libcore/spectrum/lambda_products.hpp"

#include <algorithm>
#include <utility>

#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {

constexpr double basis_work = 1e8;
// From so many columns on a BLAS, which packs the columns for each product, gains more by one product of all rows than
// by rows that are still in the cache.
constexpr Index many_columns = 256;
constexpr double far_from_one = 0.1;  // N_ii above which rounding of size eps does not matter to diag P~

// The columns of every `stride`-th output.
template <class View>
View every(View a, Index first, Index stride) {
  return {a.data + first * a.ld, a.rows, a.cols / stride, a.ld * stride};
}

Array<Index> near_one(Span<const double> rest_diagonal) {
  Array<Index> out;
  for (Index i = 0; i < std::ssize(rest_diagonal); ++i)
    if (rest_diagonal[i] < far_from_one) out.push_back(i);
  return out;
}

}  // namespace

bool basis_pays(double products) {
  return products >= basis_work;
}

LambdaProducts::LambdaProducts(Matrix shares, ConstMatrixView gamma, bool by_basis) : outputs_(gamma.cols) {
  const Index r = shares.rows();
  if (by_basis && r > 0) basis_ = lambda_basis(shares.view());
  all_ = columns_of(std::move(shares), gamma);
  few_ = columns_of(basis_ ? std::move(basis_->q) : Matrix(r, 0), gamma);
}

LambdaProducts::Columns LambdaProducts::columns_of(Matrix p, ConstMatrixView gamma) {
  const Index t = gamma.cols, r = p.rows();
  Columns out{std::move(p), Matrix(r, 0)};
  out.p_gamma = Matrix(r, out.p.cols() * t);
  for (Index l = 0; l < out.p.cols(); ++l)
    for (Index j = 0; j < t; ++j)
      for (Index k = 0; k < r; ++k) out.p_gamma(k, l * t + j) = out.p(k, l) * gamma(k, j);
  return out;
}

void LambdaProducts::Columns::multiply(ConstMatrixView b, MatrixView squares, MatrixView residual,
                                       MatrixView diagonal) const {
  const bool at_once = p_gamma.cols() >= many_columns;
  for (Index row = 0; row < b.rows; row += squares.rows) {
    const Index rows = std::min(squares.rows, b.rows - row);
    const ConstMatrixView part = b.row_range(row, rows);
    const MatrixView room = squares.row_range(0, rows);
    for (Index k = 0; k < b.cols; ++k)
      for (Index i = 0; i < rows; ++i) room(i, k) = part(i, k) * part(i, k);
    gemm(Op::none, Op::none, 1, room, p.view(), 0, diagonal.row_range(row, rows));
    if (!at_once) gemm(Op::none, Op::none, 1, part, p_gamma.view(), 0, residual.row_range(row, rows));
  }
  if (at_once) gemm(Op::none, Op::none, 1, b, p_gamma.view(), 0, residual);
}

void LambdaProducts::multiply(ConstMatrixView b, Span<const double> rest_diagonal, Room& room, MatrixView residual,
                              MatrixView diagonal) const {
  if (room.squares.rows() == 0) room.squares = Matrix(rows_of_squares, b.cols);
  const MatrixView squares = room.squares.view();
  const Array<Index> alone = basis_ ? near_one(rest_diagonal) : Array<Index>();
  if (!basis_ || 8 * std::ssize(alone) > b.rows) return all_.multiply(b, squares, residual, diagonal);
  const Index rank = few_.p.cols();
  if (room.basis_diagonal.cols() < rank || room.basis_diagonal.rows() < b.rows) {
    room.basis_residual = Matrix(b.rows, rank * outputs_);
    room.basis_diagonal = Matrix(b.rows, rank);
  }
  const MatrixView basis_residual = room.basis_residual.view().block(0, 0, b.rows, rank * outputs_);
  const MatrixView basis_diagonal = room.basis_diagonal.view().block(0, 0, b.rows, rank);
  few_.multiply(b, squares, basis_residual, basis_diagonal);
  const ConstMatrixView c = basis_->r.view();
  for (Index j = 0; j < outputs_; ++j)
    gemm(Op::none, Op::none, 1, every<ConstMatrixView>(basis_residual, j, outputs_), c, 0,
         every(residual, j, outputs_));
  gemm(Op::none, Op::none, 1, basis_diagonal, c, 0, diagonal);
  for (const Index i : alone)
    all_.multiply(b.row_range(i, 1), squares, residual.row_range(i, 1), diagonal.row_range(i, 1));
}

}  // namespace freeridge
