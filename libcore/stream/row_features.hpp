// The numbers of a row that an accumulator adds up: x itself, or the features of landmarks (landmark_features.hpp),
// which are given by their coordinates z, r x d:
//     phi(x) = L^-1 k(z, x),   k(z, z) = L L'
// A Gram matrix is made of psi (FeatureMap::apply_partial) where that is cheaper. This decision depends on the
// landmarks alone, so that sums of several accumulators with the same landmarks can be added.
#pragma once

#include <memory>

#include "libcore/routes/landmark_features.hpp"

namespace freeridge {

class RowFeatures {
 public:
  // The first columns of x may be without a penalty (unpenalised_columns.hpp).
  explicit RowFeatures(Index d, Index unpenalised = 0) : d_(d), unpenalised_(unpenalised) {}
  // Throws INVALID_ARGUMENT for a precomputed or a linear kernel, and where no landmark has a value of its own.
  RowFeatures(KernelPtr kernel, const LayoutView& z, bool intercept, Reduction reduction);
  // From saved bytes: the kernel's text; r; z; LandmarkFeatures; q, or -1.
  RowFeatures(Index d, bool intercept, Reduction reduction, ByteReader& in);
  void save(ByteWriter& out) const;

  bool landmarks() const { return map_ != nullptr; }
  Index unpenalised() const { return unpenalised_; }
  Index d() const { return d_; }
  Index p() const { return map_ ? map_->features() : d_; }
  // Landmarks: AUTO means GRAM, as for a model. x itself is reduced by QR.
  Reduction reduction() const { return reduction_; }
  const KernelPtr& kernel() const { return kernel_; }
  const Matrix& z() const { return z_; }
  const LandmarkFeatures& map() const { return *map_; }
  const LandmarkFeatures::Own& own() const { return own_; }
  // The rows of z that phi is made of, in its order.
  Matrix kept() const;
  bool same(const RowFeatures& other) const;

  // Landmarks: the features phi or psi of these rows, out.rows x p.
  void form(const Rows& x, Index row, MatrixView out) const;

 private:
  Index d_;
  Index unpenalised_ = 0;
  Reduction reduction_ = Reduction::qr;
  KernelPtr kernel_;
  Matrix z_;
  std::unique_ptr<LandmarkFeatures> map_;
  LandmarkFeatures::Own own_;  // of the landmarks
};

}  // namespace freeridge
