// The kernel model of a window: the Cholesky factor of M = K + lambda W^-1 with z = L^-1 (1, Y) beside it (without an
// intercept: L^-1 Y).
//     M = L L',   z1 = L^-1 1,   zy = L^-1 Y,   sigma = |z1|^2,   b = z1'zy / sigma,   c = L^-T (zy - b z1)          n^2
//     comes     l = L^-1 k,  l_nn = (kappa - |l|^2)^(1/2),  kappa = k(x, x) + lambda / w                           n^2
//     goes      row j: drop it, and rotate its column with the columns behind it, until it vanishes: an update of rank
//               one of what is behind j, which cannot break down                                           3 (n - j)^2
// P_ii, the diagonal of the residual maker, by bordering [M 1; 1' 0], whose inverse has P in its corner:
//     comes     beta = (z1'l - 1) / sigma,  v = L^-T (l - beta z1),  s = kappa - |l|^2 + (z1'l - 1)^2 / sigma:
//               P_ii <- P_ii + v_i^2 / s,  its own 1 / s                                  (the old L, z1)          n^2
//     goes      a = L^-1 e_j,  beta = z1'a / sigma,  p = L^-T (a - beta z1) = P e_j:
//               P_ii <- P_ii - p_i^2 / p_j                                                (the L before)         2 n^2
//               where P_ii loses digits by that (a twin left), it is made afresh: |a - (z1'a / sigma) z1|^2, a = L^-1 e_i
// (without an intercept beta = 0 and s = kappa - |l|^2). The left-out errors are e_i = c_i / P_ii. Each row's error
// before it comes is y - b - l'(zy - b z1). After 10 n changes all rows are factorized again, n^3 / 3. M has about the
// condition tr M / min(lambda / w), and so many eps are lost.
#pragma once

#include "libcore/kernel/kernel.hpp"
#include "libcore/stream/window_factor.hpp"

namespace freeridge {

class KernelFactor final : public WindowFactor {
 public:
  KernelFactor(KernelPtr kernel, const WindowSettings& settings)
      : kernel_(std::move(kernel)), settings_(settings), lambda_(settings.lambda) {}

  std::unique_ptr<WindowFactor> copy() const override;
  void factorize(const WindowRows& rows, double lambda) override;
  void reserve(Index n) override;
  void prepare(const WindowRows& rows, const GivenRow& row) override;
  void error(const WindowRows& rows, const GivenRow& row, Span<double> e) override;
  bool append(const WindowRows& rows, const GivenRow& row) override;
  bool remove(const WindowRows& rows, Index position) override;
  Index coefficient_rows(const WindowRows& rows) const override { return rows.n(); }
  void coefficients(const WindowRows& rows, MatrixView c, Span<double> b) override;
  void predict(const WindowRows& rows, const Rows& points, MatrixView out) override;
  std::string loo(const WindowRows& rows, MatrixView errors) override;
  double lost() const override;

 private:
  KernelFactor(const KernelFactor& other);
  Index ones() const { return settings_.intercept ? 1 : 0; }
  double* z(Index j) { return z_.col(ones() + j); }  // zy
  void solve();
  // x = L^-1 x from its number `first` on, those before it are 0; x = L^-T x.
  void forward(double* x, Index first = 0) const;
  void backward(double* x) const;
  // a = a - (z1'a / sigma) z1
  void project(double* a) const;
  double fresh_diagonal(Index i);

  KernelPtr kernel_;
  WindowSettings settings_;
  double lambda_;
  Index n_ = 0, changes_ = 0;
  Matrix l_;                // the lower triangle of its first n_ rows and columns
  Matrix z_;                // z1, zy: as many rows as l_
  double sigma_ = 0;        // |z1|^2
  Array<double> k_, room_;  // the prepared row: k(X, x), then l, and kappa; workspace
  double kappa_ = 0;
  double trace_ = 0, noise_ = 0;  // tr M, and the least lambda / w (of all rows since the last factorization)
  Matrix c_;
  Array<double> b_;
  bool solved_ = false;
  Array<double> diagonal_;  // P_ii where diagonal_known_; NaN: to be made afresh
  bool diagonal_known_ = false;
  Index unasked_ = 0;  // changes since left-out errors were asked for
};

}  // namespace freeridge
