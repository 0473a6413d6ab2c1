// A group of rows that are left out together, whose rows come in a second pass; notation of reduced_problem.hpp. For
// the rows S of the group, with k columns of a basis and D = diag((1 - p)^(1/2), 1),
//     M = [B, Q, q1]_S,   A = M D,   r = E_S + B_S diag(p) Gamma,   P~_SS = I - A A',   e = W_SS^(-1/2) (P~_SS)^-1 r
// Without a complement P~_SS = B_S diag(p) B_S', and E_S = 0.
//     few rows, s <= k    the rows are kept, and P~_SS is solved as it is               s^2 k + s^3 / 3 a lambda
//     many                no row is kept, only G = [M, E_S]'[M, E_S], and with it       s (k + t)^2, k^3 / 3 a lambda
//         z = (I - A'A)^-1 A'r,     W_SS^(1/2) e = E_S + M y,   y = [diag(p) Gamma; 0] + D z
//         sum_S W_ii e_i^2 = diag [y; I]'G [y; I]
// So a group takes at most 2 (k + t)^2 numbers, however many rows it has. Rows of a gap are left out with the group,
// and count in no sum. P~_SS and I - A'A are differences: where they have lost so many digits that the errors have
// fewer than six, the group has no errors, like a row of high leverage (ReducedProblem::least_residual).
#pragma once

#include "libcore/routes/gram_sum.hpp"
#include "libcore/stream/reduced_problem.hpp"

namespace freeridge {

// The errors of a group at a lambda, W_SS^(1/2) e.
struct LeftOutRows {
  Matrix e;               // few rows: s x t, in the order in which they were added; empty where there are many
  Matrix y;               // many rows: k x t
  Array<double> squares;  // of each output, of the rows that are scored
};

class GroupSum {
 public:
  // A group of so many rows. It must not outlive the problem.
  GroupSum(const ReducedProblem& problem, Index rows, bool has_gap);
  // [M, E] of some of its rows (ReducedProblem::basis_rows), their numbers and their weights. scored: not of the gap.
  void add(ConstMatrixView basis, Span<const Index> rows, Span<const double> weights, bool scored);

  bool complete() const { return added_ == count_; }
  // Of few rows in the order in which they were added: the number of each, -1 in the gap, and W_ii^(1/2).
  Span<const Index> kept_rows() const { return rows_; }
  Span<const double> sqrt_w() const { return sqrt_w_; }
  double sum_w() const { return sum_w_; }            // of all its rows
  double scored_sum_w() const { return scored_w_; }  // without the gap
  // At a lambda of the problem's left-out spectrum. False where there are no errors.
  bool left_out(const SpectrumAt& at, LeftOutRows& out) const;
  // The doubles that a group of so many rows holds.
  static Index doubles(const ReducedProblem& problem, Index rows, bool has_gap);

 private:
  bool left_out_of_rows(const SpectrumAt& at, ConstMatrixView shared, LeftOutRows& out) const;
  bool left_out_of_sum(const SpectrumAt& at, ConstMatrixView shared, LeftOutRows& out) const;
  Array<double> roots(const SpectrumAt& at) const;
  Array<double> noise(Index size) const;

  const ReducedProblem& problem_;
  Index count_, added_ = 0;
  bool keeps_rows_;
  double sum_w_ = 0, scored_w_ = 0;
  Matrix kept_;  // s x (k + t)
  Array<Index> rows_;
  Array<double> sqrt_w_;
  GramSum sum_, scored_sum_;   // of many rows; the second where there is a gap
  Matrix gram_, scored_gram_;  // the finished sums
};

}  // namespace freeridge
