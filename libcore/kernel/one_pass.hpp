// What kernels can do beside the interface of kernel.hpp so that a value, which costs an exponential, is made once.
#pragma once

#include <optional>

#include "libcore/kernel/kernel.hpp"
#include "libcore/kernel/value_loops.hpp"

namespace freeridge {

// A kernel that makes its values along with its derivatives: the derivative by the weight in front of it needs the
// values.
class ValuesWithGradient {
 public:
  // As Kernel::add_log_gradient, and answers <S, K>.
  virtual double add_value_and_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s,
                                            const LogGradient& to) const = 0;

 protected:
  ~ValuesWithGradient() = default;
};

// A kernel of the distance on points of one feature: the loops of value_loops.hpp and their factor a.
struct OneFeature {
  const FeaturePasses* passes;
  double a;
};
// Nothing for other kernels, and for bandwidths that are so extreme that a has no normal number.
std::optional<OneFeature> one_feature(const Kernel& kernel);

}  // namespace freeridge
