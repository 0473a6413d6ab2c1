// P~ of the rows in which an output is observed, from P~ of all rows at the same lambda. S: the rows in which the
// output is not observed, T: the others. With P~_SS = L L' and X = P~_:S L^-T (n x s)
//     P~ of T = (P~_TT - P~_TS (P~_SS)^-1 P~_ST) = (P~ - X X')_TT,   and X X' = P~ in the rows and columns S
//     Y~* = Y~ - E_S e,   e = (P~_SS)^-1 (P~Y~)_S            what T predicts in the place of what is not observed
//     P~Y~* = P~Y~ - X L^-1 (P~Y~)_S                          zero in S: the solution of T is that of all rows with Y~*
//     log|Z'GZ| of T = log|Z'GZ| + log|P_SS|,   tr, diagonal: of P~ - X X'
//     smoother rows a - X L^-1 a_S,   variance + s |L^-1 a_S|^2
// P is the inverse of G in the complement of q1, and the first line is the inverse of its part for T (Schur
// complement): nothing is approximated, and the intercept is that of T. So what the route has factorized once serves
// every output. Once for a part, at a lambda: P~_:S (ResidualMaker::columns_of), s^3 / 3, n s numbers; what needs X, n
// s^2.
#pragma once

#include <memory>

#include "libcore/base/array.hpp"
#include "libcore/base/once.hpp"
#include "libcore/data/missing.hpp"
#include "libcore/factor/factorization.hpp"
#include "libcore/factor/left_out_rows.hpp"

namespace freeridge {

// P~ of all rows at one lambda, as far as the parts need it.
class AllRows {
 public:
  // maker: P~ of the factorization. For the outputs [first, first + count). On dual routes all of P~ is made (n^2
  // numbers) where the parts of these outputs miss n rows or more together: that costs less than the columns of each
  // part.
  AllRows(const Factorization& factorization, std::shared_ptr<const ResidualMaker> maker, Index first, Index count);
  // The most numbers that it takes together with one part.
  static Index doubles(const Factorization& factorization);

  const Problem& problem() const { return problem_; }
  const ResidualMaker& maker() const { return *maker_; }
  Span<const double> diagonal() const { return diagonal_; }
  ConstMatrixView residual(Index first, Index count) const { return residual_.view().columns(first - first_, count); }
  Matrix columns(Span<const Index> which) const;    // P~_:S, n x s
  bool has_whole() const { return p_.cols() > 0; }  // whether all of P~ was made; only then:
  const double* column(Index i) const { return p_.col(i); }

 private:
  const Problem& problem_;
  std::shared_ptr<const ResidualMaker> maker_;
  Index first_;
  Matrix residual_;  // P~Y~
  Array<double> diagonal_;
  Matrix p_;  // P~, or empty
};

class ObservedRows final : public ResidualMaker {
 public:
  // Throws UNDEFINED where the observed rows do not determine what is missing.
  ObservedRows(const AllRows& all, const MissingOutputs::Part& part);
  ObservedRows(const ObservedRows&) = delete;
  ObservedRows& operator=(const ObservedRows&) = delete;

  Span<const Index> unobserved() const override { return part_.rows; }
  const ResidualMaker& of_all() const override { return all_.maker(); }
  // e of one output, divided by the roots of the weights: by so much its numbers in the rows S are above their
  // predictions.
  Array<double> excess(Index output) const override;

  void residual(Index first, MatrixView out) const override;
  void diagonal(Span<double> out) const override;
  double trace() const override;
  bool below_floor() const override { return of_all().below_floor(); }
  double shrinkage() const override { return of_all().shrinkage(); }
  double scale() const override { return of_all().scale(); }
  void leverage(Span<double> out) const override;  // 0 in S
  double degrees_of_freedom() const override;
  double log_determinant() const override;
  double quadratic_form(Index output) const override;
  double squared_norm(Index output) const override;
  double function_norm2(Index output) const override;
  void coefficients(Index first, MatrixView out) const override;
  void solve(Index first, Index count, Solution& solution) const override;
  void smoother(const Points& points, Index first, MatrixView a, const Covariances& variance) const override;

 private:
  // L^-1 (P~Y~)_S, and e, s x count.
  Matrix half(Index first, Index count) const;
  Matrix excesses(Index first, Index count) const;
  void clear(MatrixView a) const;  // 0 in S
  void take_columns(ConstMatrixView e, MatrixView out) const;
  Array<double> squares_of_x() const;

  const AllRows& all_;
  const MissingOutputs::Part& part_;
  const Matrix& x() const;  // n x s; made when it is first asked for, as solutions need none
  Index s() const { return std::ssize(part_.rows); }
  const double* column(Index k) const { return all_.has_whole() ? all_.column(part_.rows[k]) : columns_.col(k); }
  Matrix block() const;  // P~_SS

  Matrix columns_;  // P~_:S, or empty: those of AllRows
  mutable Matrix x_;
  mutable Once made_;
  Matrix p_;  // P~_SS, and then its factor
  LeftOutFactor factor_;
};

}  // namespace freeridge
