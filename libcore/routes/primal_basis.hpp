// The primal route with B in storage: X_s = B diag(S) V', X_s the weighted, centred and scaled X of linear_features.hpp
// without its constant part, Lambda = S^2,
//     w_s = V diag(S) g
// V is kept by the derived classes: for d < m in primal_route.cpp, for d >= m in primal_wide_route.cpp.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/routes/feature_reduction.hpp"
#include "libcore/spectrum/stored_basis.hpp"

namespace freeridge {

class PrimalBasis : public StoredBasis {
 public:
  Route route() const override { return Route::primal; }
  // V diag(S / (S^2 + lambda)) B'
  Matrix unit_slopes(double lambda) const override {
    Array<double> factor = SpectrumAt(spectrum(), lambda).inverse(false);
    for (Index k = 0; k < r(); ++k) factor[k] *= s_[k];
    Matrix turned(r(), problem().n());
    transpose(basis(), turned.view());
    return apply_v(scaled_rows(factor, turned.view()).view());
  }

 protected:
  PrimalBasis(ProblemPtr problem, Matrix basis, Array<double> singular_values, Array<double> noise)
      : StoredBasis(std::move(problem), std::move(basis), squares(singular_values), std::move(noise), sure_of_qr),
        s_(std::move(singular_values)) {}

  // V u, d x u.cols.
  virtual Matrix apply_v(ConstMatrixView u) const = 0;

  void solve(Index first, ConstMatrixView g, Solution& solution) const override {
    set_hyperplane(problem(), first, apply_v(scaled_rows(s_, g).view()).view(), solution);
  }

  Array<double> s_;
};

}  // namespace freeridge
