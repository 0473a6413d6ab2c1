// Problem (2) of freeridge.h by its definition, in long double: for landmarks R (r of the rows, K_RR not singular)
//     [ K_RT W K_TR + lambda K_RR   K_RT W 1 ] [c]   [K_RT W Y]
//     [ 1'W K_TR                    1'W 1    ] [b] = [1'W Y   ]       (without intercept: the first block alone)
// by Gaussian elimination, T the rows in use; every point or group left out by solving again without it, the landmarks
// staying. Nothing here is shared with the library.
#pragma once

#include "support/oracle.hpp"

namespace oracle {

class LandmarkOracle {
 public:
  LandmarkOracle(const Problem& problem, std::vector<std::int64_t> landmarks);
  // With a kernel matrix at hand (n x n) in place of problem.kernel.
  LandmarkOracle(const Problem& problem, std::vector<std::int64_t> landmarks, const Dense& kernel_matrix);

  // c is n x t, zero beside the landmarks: oracle::predict and oracle::hyperplane take it as it is.
  Fit fit(double lambda) const;
  Matrix fitted(double lambda) const;
  Dense hat_matrix(double lambda) const;
  Matrix leverage(double lambda) const;  // H_ii, once for each output
  Matrix group_errors(const Labels& group, double lambda) const;
  Matrix loo(double lambda) const;

  // The criteria by their formulas; REML with the restricted covariance K_TR K_RR^-1 K_RT + lambda W^-1. 1 x t.
  Matrix loo_score(double lambda) const;
  Matrix group_score(const Labels& group, double lambda) const;
  Matrix gcv(double lambda) const;
  Matrix reml(double lambda) const;

  // K_TR K_RR^-1 K_RT
  Dense restricted_kernel() const;
  // tr(K - K_TR K_RR^-1 K_RT), from the diagonal of K.
  Real trace_left() const;
  Real trace() const;

 private:
  Fit fit_rows(const Dense& y, const std::vector<char>& use, Real lambda) const;
  Dense evaluate(const Fit& fit) const;
  Matrix mean_square(const Matrix& errors) const;  // weighted, over the rows that are not NaN

  Problem problem_;
  std::vector<std::int64_t> landmarks_;
  Dense k_tr_, k_rr_;
  std::vector<Real> diagonal_;
};

}  // namespace oracle
