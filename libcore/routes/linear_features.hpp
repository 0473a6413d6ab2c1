// The features of a linear kernel: phi(x) = (x - shift) / scale, in the columns of X_s.
#pragma once

#include <algorithm>

#include "libcore/base/array.hpp"
#include "libcore/routes/feature_reduction.hpp"

namespace freeridge {

// The number of the form in which the primal route saves B (saved_route.hpp).
constexpr std::int64_t saved_kept = 0, saved_streamed = 1, saved_wide = 2, saved_sparse = 3;

class LinearFeatures final : public FeatureMap {
 public:
  // The problem must outlive it.
  explicit LinearFeatures(const Problem& problem) : problem_(problem) {}

  Index features() const override { return problem_.d(); }
  void save(ByteWriter& out) const override { out.integer(saved_streamed); }
  Matrix known_parts() const override {
    Matrix out = copy_of(problem_.x_free.view());
    for (Index k = 0; k < out.cols(); ++k)
      for (Index j = 0; j < out.rows(); ++j)
        out(j, k) = k == 0 && problem_.intercept ? 0 : out(j, k) / (*problem_.linear_scale)[j];
    return out;
  }
  void raw(const Rows& points, Index row, MatrixView out) const override { problem_.scaled_rows(points, row, out); }
  void raw_functionals(const Functionals& of, Index first, MatrixView out) const override {
    problem_.scaled_rows(Points(of), first, out);
  }
  void solve(const Problem& problem, Index first, ConstMatrixView w, ConstMatrixView,
             Solution& solution) const override {
    set_hyperplane(problem, first, w, solution);
  }

 private:
  const Problem& problem_;
};

// phi(x) - C u(x) of the points[first ...], a point in each row of `out`, with rounding in the means taken out, too.
inline void linear_rows(const Problem& problem, const Points& points, Index first, MatrixView out) {
  Matrix parts = copy_of(problem.x_free.view());
  for (Index k = 0; k < parts.cols(); ++k)
    for (Index j = 0; j < parts.rows(); ++j) parts(j, k) /= (*problem.linear_scale)[j];
  problem.scaled_rows(points, first, out);
  subtract_parts(problem, points, first, parts.view(), out);
}

// primal_wide_route.cpp
FactorizationPtr factorize_wide(ProblemPtr problem);
FactorizationPtr load_wide(ProblemPtr problem, ByteReader& in);

}  // namespace freeridge
