// Kernels of the distance r = ||x - z||, with a bandwidth in the units of x:
//   gaussian     exp(-r^2 / sigma^2)
//   laplacian    exp(-r / sigma)
//   matern       nu = 1/2   exp(-u)                        u = r / length
//                nu = 3/2   (1 + u) exp(-u)                u = sqrt(3) r / length
//                nu = 5/2   (1 + u + u^2 / 3) exp(-u)      u = sqrt(5) r / length
// Matern: C. Rasmussen, C. Williams, Gaussian Processes for Machine Learning, 2006, equations 4.14 and 4.17.
#include <cmath>

#include "libcore/kernel/kernel.hpp"
#include "libcore/kernel/parameters.hpp"
#include "libcore/kernel/text.hpp"

namespace freeridge {
namespace {

// out(i, j) = ||a_i - b_j||^2, from differences, not from ||x||^2 + ||z||^2 - 2 x'z: nothing cancels, so near and equal
// points are exact, and the loop is memory-friendly as it stands (one output column stays in the L1 cache for all
// features).
void squared_distances(ConstMatrixView a, ConstMatrixView b, MatrixView out) {
  for (Index j = 0; j < out.cols; ++j) {
    double* const o = out.col(j);
    for (Index i = 0; i < out.rows; ++i) o[i] = 0;
    for (Index k = 0; k < a.cols; ++k) {
      const double* const x = a.col(k);
      const double z = b(j, k);
      for (Index i = 0; i < out.rows; ++i) o[i] += (x[i] - z) * (x[i] - z);
    }
  }
}

// Profile: the kernel as a function of r^2 and the bandwidth, and how its text begins.
template <class Profile>
class Radial final : public Kernel {
 public:
  explicit Radial(double bandwidth) : bandwidth_(bandwidth) {}

  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    squared_distances(a, b, out);
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < out.rows; ++i) out(i, j) = Profile::value(out(i, j), bandwidth_);
  }

  void describe(KernelText& out) const override { out.add(Profile::text, bandwidth_, ")"); }

  Extent extent() const override { return {1, 1, 1}; }
  std::optional<double> bandwidth() const override { return bandwidth_; }
  KernelPtr with_bandwidth(double bandwidth) const override {
    require_positive("sigma", bandwidth);
    return std::make_shared<Radial>(bandwidth);
  }

 private:
  double bandwidth_;
};

struct GaussianProfile {
  static constexpr const char* text = "gaussian(sigma = ";
  // Divided twice, because sigma^2 may overflow or underflow where the ratio does not.
  static double value(double r2, double sigma) { return std::exp(-(r2 / sigma / sigma)); }
};

struct LaplacianProfile {
  static constexpr const char* text = "laplacian(sigma = ";
  static double value(double r2, double sigma) { return std::exp(-(std::sqrt(r2) / sigma)); }
};

// The same function, which reads back as what was made.
struct Matern12Profile : LaplacianProfile {
  static constexpr const char* text = "matern(nu = 0.5, length = ";
};

// The polynomial times exp(-u); where u is so large that the polynomial would overflow, exp(-u) has long been 0.
struct Matern32Profile {
  static constexpr const char* text = "matern(nu = 1.5, length = ";
  static double value(double r2, double length) {
    const double u = std::sqrt(3 * r2) / length;
    return u < 1000 ? (1 + u) * std::exp(-u) : 0;
  }
};

struct Matern52Profile {
  static constexpr const char* text = "matern(nu = 2.5, length = ";
  static double value(double r2, double length) {
    const double u = std::sqrt(5 * r2) / length;
    return u < 1000 ? (1 + u + u * u / 3) * std::exp(-u) : 0;
  }
};

}  // namespace

KernelPtr gaussian_kernel(double sigma) {
  require_positive("sigma", sigma);
  return std::make_shared<Radial<GaussianProfile>>(sigma);
}

KernelPtr laplacian_kernel(double sigma) {
  require_positive("sigma", sigma);
  return std::make_shared<Radial<LaplacianProfile>>(sigma);
}

KernelPtr matern_kernel(double nu, double length) {
  if (!std::isfinite(nu)) fail(Status::not_finite, "nu is ", nu, "; it must be finite");
  if (nu != 0.5 && nu != 1.5 && nu != 2.5) fail(Status::invalid_argument, "nu is ", nu, "; it must be 0.5, 1.5 or 2.5");
  require_positive("length", length);
  if (nu == 0.5) return std::make_shared<Radial<Matern12Profile>>(length);
  if (nu == 1.5) return std::make_shared<Radial<Matern32Profile>>(length);
  return std::make_shared<Radial<Matern52Profile>>(length);
}

}  // namespace freeridge
