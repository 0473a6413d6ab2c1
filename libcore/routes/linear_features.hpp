// The features of a linear kernel: phi(x) = (x - shift) / scale, in the columns of X_s.
#pragma once

#include <vector>

#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/routes/feature_reduction.hpp"

namespace freeridge {

// How the primal route has B, as it is saved.
constexpr std::int64_t saved_kept = 0, saved_streamed = 1, saved_wide = 2;

class LinearFeatures final : public FeatureMap {
 public:
  explicit LinearFeatures(const Problem& problem) : scale_(*problem.linear_scale), shift_(problem.shift) {}

  Index features() const override { return static_cast<Index>(scale_.size()); }
  void save(ByteWriter& out) const override { out.integer(saved_streamed); }

  void raw(const LayoutView& points, Index row, MatrixView out) const override {
    pack_rows(points, row, shift_, out);
    for (Index k = 0; k < out.cols; ++k) {
      const double scale = scale_[static_cast<std::size_t>(k)];
      if (scale == 1) continue;
      for (Index i = 0; i < out.rows; ++i) out(i, k) /= scale;
    }
  }

  void solve(const Problem& problem, Index first, ConstMatrixView w, std::span<const double>,
             Solution& solution) const override {
    set_hyperplane(problem, first, w, solution);
  }

 private:
  std::vector<double> scale_, shift_;
};

// primal_wide_route.cpp
FactorizationPtr factorize_wide(ProblemPtr problem, const Progress& progress);
FactorizationPtr load_wide(ProblemPtr problem, ByteReader& in);

}  // namespace freeridge
