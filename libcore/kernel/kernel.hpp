// A kernel function k(x, z), evaluated on tiles. The kernels: dot_product.cpp, radial.cpp, composite.cpp, additive.cpp,
// multiplicative.cpp, other_distance.cpp, precomputed.cpp, plus_one.cpp.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "libcore/base/array.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/matrix.hpp"
#include "libcore/linalg/double_double.hpp"

namespace freeridge {

class Kernel;
class KernelText;  // kernel_text.hpp
using KernelPtr = std::shared_ptr<const Kernel>;

// A parameter by its name in the grammar of kernel_text.hpp. Three have no name there: the weights of a sum
// ("weights"), the divisors of a scaled kernel ("scale") and the labels of an additive one ("label"). The values belong
// to the kernel.
struct KernelParameter {
  const char* name;
  Span<const double> values;  // one number; of a sum one for each term, of a scaled kernel one for each feature
  bool whole = false;         // a whole number, which is written without an exponent
  bool fixed = false;  // it chooses the function (degree, nu); all others are hyperparameters (hyperparameters.hpp)
};

// The derivative of a kernel by x is a sum of terms, one for each kernel of the distance or of the inner product in it:
//     difference   d k(x, z) / d x = weight Q(x, z) (x - z) / s^2      Q = 2 phi'(r^2),  r = |(x - z) / s|
//     point        d k(x, z) / d x = weight Q(x, z) z / s^2            Q = psi'(x'D^2 z), D = diag(s)^-1
// s: the divisors of the columns times a unit of length, whose square may be out of range; infinite where the term does
// not depend on that column. In a product Q has the values of the other factors, too. Q is p x q, like the tile that
// evaluate fills.
struct SlopeTerm {
  enum class Form { difference, point } form;
  ConstMatrixView q;
  double weight;
  Span<const double> divisor;  // empty: ones
  double unit = 1;

  double scale(Index k) const { return divisor.empty() ? unit : divisor[k] * unit; }  // s_k
};
using TakeSlope = std::function<void(const SlopeTerm&)>;
// How the kernels around a kernel change its terms: Q is multiplied by q (p x q, overwritten by the call), the weight
// by `weight`, and the divisors by `divisor`.
struct SlopeFactor {
  MatrixView q;
  double weight;
  Span<const double> divisor;
};

// Where the derivatives of J = weight sum_ij S_ij k(a_i, b_j) by logarithms are added:
//     parameters   d J / d log theta_i for the hyperparameters theta of the kernel, in their order
//     lengths      d J / d log l_k for divisors l of the features, k(a_i / l, b_j / l), at l = 1; empty: not wanted
struct LogGradient {
  double weight;
  Span<double> parameters;  // extent().hyperparameters numbers
  Span<double> lengths;     // d numbers
};

// A kernel and its derivatives along column k, at the pairs of some points (all p x q, views without columns: not wanted):
//     value  k(x, z)     by_x  d k / d x_k     by_z  d k / d z_k     mixed  d^2 k / (d x_k d z_k)
struct AlongColumn {
  MatrixView value, by_x, by_z, mixed;

  // f(part), and f(part, the same part of other), for the four parts.
  template <class F>
  void each(const F& f) const {
    for (const MatrixView& part : {value, by_x, by_z, mixed}) f(part);
  }
  template <class F>
  void each(const AlongColumn& other, const F& f) const {
    f(value, other.value);
    f(by_x, other.by_x);
    f(by_z, other.by_z);
    f(mixed, other.mixed);
  }
};

class Kernel {
 public:
  virtual ~Kernel() = default;

  // out(i, j) = k(a_i, b_j): a is p x d, b is q x d, out p x q, the points in the rows.
  virtual void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const = 0;

  // k(x, z) of two points with nearly twice the digits, 27 of them or more.
  virtual DoubleDouble twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z) const = 0;

  // Hands the terms of the derivative, at the points of evaluate, to `take`, one after another. The arrays that a term
  // views are valid only during that call of `take`. With a factor S in the place of ones the terms are those of sum_ij
  // S_ij k(a_i, b_j).
  virtual void slopes(ConstMatrixView, ConstMatrixView, const SlopeFactor&, const TakeSlope&) const { no_slopes(); }
  // Fills what is wanted of `out`, at the points of evaluate.
  virtual void along(ConstMatrixView, ConstMatrixView, Index /*k*/, const AlongColumn& /*out*/) const { no_slopes(); }
  // Adds the derivatives of weight sum_ij S_ij k(a_i, b_j) by the logarithms of the hyperparameters and of divisors of
  // the features. S is p x q and used up.
  virtual void add_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s, const LogGradient& to) const = 0;
  // Whether k(x, z) has a derivative by x everywhere, also at x = z, and slopes and along may be asked for.
  virtual bool differentiable() const { return false; }

  // What the kernel is made of: the word of its kind (the name of its factory below; static text), its parameters, and
  // the kernels in it in the order of the factory's arguments.
  virtual const char* name() const = 0;
  virtual Index parameter_count() const { return 0; }
  virtual KernelParameter parameter(Index i) const;  // i < parameter_count()
  virtual Span<const KernelPtr> parts() const { return {}; }
  // The same kind with other hyperparameters of its own, in the order of parameter(), and other parts. Throws as its
  // factory does.
  virtual KernelPtr rebuilt(Span<const double> numbers, Array<KernelPtr> parts) const = 0;

  // Writes the kernel as text, in the grammar of kernel_text.hpp. Here: name(parameter = number, ...).
  virtual void describe(KernelText& out) const;
  virtual bool is_sum() const { return false; }  // a sum is written in brackets where it is a term of another sum

  // How deeply kernels are nested in it, how many there are in all, how many of them have a bandwidth, and how many
  // hyperparameters all have. Depth and number are limited (composite.cpp), so that recursion through a kernel ends and
  // does not exhaust the stack.
  struct Extent {
    Index depth, kernels, bandwidths, hyperparameters = 0;
  };
  virtual Extent extent() const { return {1, 1, 0}; }

  // Throws DIMENSION_MISMATCH when points with d features do not fit.
  virtual void check_features(Index /*d*/) const {}
  // The same for the data, n points with d features.
  virtual void check_data(Index /*n*/, Index d) const { check_features(d); }

  // Whether x is the kernel matrix K itself, instead of points, or of a sum the matrices of its terms side by side
  // (given_values.hpp). Such a kernel cannot be evaluated: its values are read by the functions of kernel_matrix.hpp.
  bool precomputed() const { return !given_weights().empty(); }
  // The weights of the matrices that are given; none for a kernel that is a function of two points.
  virtual Span<const double> given_weights() const { return {}; }

  // For a kernel x' diag(s)^-2 z: the d divisors s. Nothing for other kernels.
  virtual std::optional<Array<double>> linear_scale(Index /*d*/) const { return std::nullopt; }

  // The column divisors of a scaled kernel (all of them, multiplied, when nested); ones otherwise.
  virtual Array<double> feature_scale(Index d) const { return Array<double>(d, 1.0); }

  // An upper bound on the rank of any kernel matrix of points with d features: the dimension of the feature space, the
  // largest Index when it has none.
  virtual Index rank_bound(Index /*d*/) const { return std::numeric_limits<Index>::max(); }

  // The bandwidth, and the same kernel with another bandwidth; nothing and NULL for kernels without one.
  virtual std::optional<double> bandwidth() const { return std::nullopt; }
  virtual KernelPtr with_bandwidth(double /*sigma*/) const { return nullptr; }

 private:
  [[noreturn]] static void no_slopes() { fail(Status::internal, "a kernel without a derivative was asked for one"); }
};

KernelPtr constant_kernel();
KernelPtr linear_kernel();
KernelPtr polynomial_kernel(Index degree, double scale, double offset);
KernelPtr gaussian_kernel(double sigma);
KernelPtr laplacian_kernel(double sigma);
KernelPtr matern_kernel(double nu, double length);
KernelPtr scaled_kernel(KernelPtr inner, Span<const double> scale);
// At least one part each; one weight a term.
KernelPtr sum_kernel(Array<KernelPtr> terms, Span<const double> weights);
KernelPtr product_kernel(Array<KernelPtr> factors);
KernelPtr precomputed_kernel();
// inner + 1 (plus_one.cpp), for the library itself.
KernelPtr plus_one(KernelPtr inner);

}  // namespace freeridge
