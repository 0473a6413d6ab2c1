// The features of a linear kernel: phi(x) = (x - shift) / scale, in the columns of X_s.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/routes/feature_reduction.hpp"

namespace freeridge {

// How the primal route has B, as it is saved.
constexpr std::int64_t saved_kept = 0, saved_streamed = 1, saved_wide = 2, saved_sparse = 3;

class LinearFeatures final : public FeatureMap {
 public:
  // The problem must outlive it.
  explicit LinearFeatures(const Problem& problem) : problem_(problem) {}

  Index features() const override { return problem_.d(); }
  void save(ByteWriter& out) const override { out.integer(saved_streamed); }
  bool centred() const override { return true; }
  void raw(const Rows& points, Index row, MatrixView out) const override { problem_.scaled_rows(points, row, out); }
  void solve(const Problem& problem, Index first, ConstMatrixView w, Span<const double>,
             Solution& solution) const override {
    set_hyperplane(problem, first, w, solution);
  }

 private:
  const Problem& problem_;
};

// primal_wide_route.cpp
FactorizationPtr factorize_wide(ProblemPtr problem);
FactorizationPtr load_wide(ProblemPtr problem, ByteReader& in);

}  // namespace freeridge
