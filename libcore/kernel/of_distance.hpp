// Kernels that are functions phi of the squared distance r^2 alone, so that the distance may be another one than that of
// the points (other_distance.hpp). All of them have one hyperparameter, a bandwidth: d k / d log bandwidth = -<Q, r^2>
// with Q = 2 phi'.
#pragma once

#include "libcore/kernel/kernel.hpp"

namespace freeridge {

class OfDistance {
 public:
  // r2: squared distances; overwritten with phi.
  virtual void values(MatrixView r2) const = 0;
  virtual DoubleDouble value(DoubleDouble r2) const = 0;
  // The bandwidth, whose square, by which derivatives are still to be divided, may be out of range.
  virtual double unit() const = 0;
  // q = q o unit^2 2 phi'(r2); 0 at r2 = 0 where the derivative has a pole there.
  virtual void multiply_by_slope(ConstMatrixView r2, MatrixView q) const = 0;
  // unit^4 4 phi''(r2); infinite at r2 = 0 where it has a pole. Not where phi' has one.
  virtual double curve(double r2) const = 0;

 protected:
  ~OfDistance() = default;
};

// Nothing for other kernels: those of the distance are gaussian, laplacian and matern.
const OfDistance* of_distance(const Kernel& kernel);

}  // namespace freeridge
