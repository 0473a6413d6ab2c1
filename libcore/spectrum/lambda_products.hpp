// Products of rows of B with a chunk of lambdas, from the shares of the directions at each of them (p of spectrum.hpp):
//     residual = B_I [share_l Gamma],   diagonal = (B_I o B_I) [share_l]      for a tile I of rows and all lambdas l
// as two matrix products, so that B is read once for all lambdas. Where many lambdas are asked for, the products are
// taken for a basis of the shares alone (lambda_basis.hpp). Rows whose diag N is near zero are the exception: a point
// of leverage near one has a small diagonal, a sum of small terms, which the rounding errors of the basis would hide.
#pragma once

#include <optional>

#include "libcore/base/array.hpp"
#include "libcore/spectrum/lambda_basis.hpp"

namespace freeridge {

// Rows of B o B at once: they and their squares stay in the cache for both products.
constexpr Index rows_of_squares = 64;

// Whether looking for a basis pays for so many products of B with lambdas (rows x directions x lambdas x outputs).
bool basis_pays(double products);

class LambdaProducts {
 public:
  struct Room {
    Matrix squares, basis_residual, basis_diagonal;
  };

  // shares: r x lambdas; gamma: r x outputs. by_basis: a basis may be looked for; then the caller adds diag N.
  LambdaProducts(Matrix shares, ConstMatrixView gamma, bool by_basis);

  // rest_diagonal: diag N of the rows; read with a basis alone. residual: rows x (lambdas outputs), the j-th output of
  // lambda l in column l outputs + j; diagonal: rows x lambdas.
  void multiply(ConstMatrixView b, Span<const double> rest_diagonal, Room& room, MatrixView residual,
                MatrixView diagonal) const;

 private:
  // What a tile of B is multiplied by: for the lambdas themselves, or for the basis of their shares.
  struct Columns {
    Matrix p, p_gamma;  // r x columns; r x (columns outputs)
    void multiply(ConstMatrixView b, MatrixView squares, MatrixView residual, MatrixView diagonal) const;
  };
  static Columns columns_of(Matrix p, ConstMatrixView gamma);

  Index outputs_;
  std::optional<LambdaBasis> basis_;
  Columns all_, few_;
};

}  // namespace freeridge
