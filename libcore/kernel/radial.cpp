// Kernels of the distance r = ||x - z||, with a bandwidth in the units of x, and twice their derivative by r^2:
//   gaussian     exp(-r^2 / sigma^2)                                                  -2 / sigma^2 exp(-r^2 / sigma^2)
//   laplacian    exp(-r / sigma)                                                      -exp(-u) / (u sigma^2),
//                                                                                     u = r / sigma; none at r = 0
//   matern       nu = 1/2   exp(-u)                        u = r / length             the same
//                nu = 3/2   (1 + u) exp(-u)                u = sqrt(3) r / length     -3 / length^2 exp(-u)
//                nu = 5/2   (1 + u + u^2 / 3) exp(-u)      u = sqrt(5) r / length     -5 / 3 / length^2 (1 + u) exp(-u)
// With Q = S o this derivative the logarithms have, also where it is none at r = 0 (Q = 0 there),
//   by log sigma (length)   -<Q, r^2>                  by log l_k   -sum_ij Q_ij (x_ik - z_jk)^2
// Matern: C. Rasmussen, C. Williams, Gaussian Processes for Machine Learning, 2006, equations 4.14 and 4.17.
#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/kernel/feature_sums.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/kernel/of_distance.hpp"
#include "libcore/kernel/one_pass.hpp"
#include "libcore/kernel/parameters.hpp"
#include "libcore/kernel/twofold_functions.hpp"
#include "libcore/kernel/value_loops.hpp"

namespace freeridge {
namespace {

// ||x - z||^2 is summed from differences, not computed as ||x||^2 + ||z||^2 - 2 x'z by the BLAS. Nothing cancels, so
// near points keep all digits and equal points have distance 0 exactly; and a value depends neither on its tile nor on
// the BLAS, which refinement relies on when it evaluates K again. The price, measured with 100 features and AVX-512:
// the product of a BLAS alone, without the rest, takes 0.75 of the time with AVX-512 kernels, and 1.1 times as long
// with AVX2 kernels.
constexpr Index panel = 32;    // columns at once: distances are still in the cache when kernel values are made of them
constexpr int ordinary = 400;  // powers of two: differences whose squares are far within the range

// A kernel as a function of u = root r / bandwidth, or, where root is 0, of r^2 / bandwidth^2.
struct Profile {
  const char *name, *bandwidth;  // its words
  double nu;                     // of a Matern kernel; 0: it has none
  double root;
  void (*Passes::*pass)(double* v, Index n, double a, By by);
  // Twice the derivative by r^2 is slope_weight / bandwidth^2 times the function of this pass, which has a pole at u =
  // 0 where it is to be divided by u.
  void (*Passes::*slope_pass)(double* v, Index n, double a, By by);
  double slope_weight;
  FeaturePasses Passes::*feature;
  // bandwidth^4 times four times the second derivative by r^2; nullptr with a pole.
  double (*curve)(double u);
  bool pole = false;
};

double gaussian_curve(double u) {
  return 4 * std::exp(-u);
}
double matern32_curve(double u) {
  return 9 * std::exp(-u) / u;
}
double matern52_curve(double u) {
  return 25.0 / 3 * std::exp(-u);
}

constexpr Profile gaussian{
    "gaussian", "sigma", 0, 0, &Passes::gaussian, &Passes::gaussian, -2, &Passes::gaussian_feature, gaussian_curve};
constexpr Profile laplacian{
    "laplacian", "sigma", 0, 1, &Passes::laplacian, &Passes::laplacian, -1, &Passes::laplacian_feature, nullptr, true};
constexpr Profile matern12{
    "matern", "length", 0.5, 1, &Passes::laplacian, &Passes::laplacian, -1, &Passes::laplacian_feature, nullptr, true};
constexpr Profile matern32{"matern",          "length",           1.5, 1.7320508075688772,
                           &Passes::matern32, &Passes::laplacian, -3,  &Passes::matern32_feature,
                           matern32_curve};
constexpr Profile matern52{"matern",          "length",          2.5,      2.23606797749979,
                           &Passes::matern52, &Passes::matern32, -5.0 / 3, &Passes::matern52_feature,
                           matern52_curve};

class Radial final : public Kernel, public ValuesWithGradient, public OfDistance {
 public:
  Radial(const Profile& profile, double bandwidth) : profile_(profile), bandwidth_(bandwidth) {
    // v a with a = 1 / sigma^2 (or root / length) is much faster than v / sigma^2, but a may overflow or underflow
    // where the quotient does not. Then the loops divide.
    const bool squared = profile.root == 0;
    if (const int unit = std::ilogb(bandwidth); std::abs(unit) > ordinary) {
      unit_ = unit;
      in_units_ = std::make_shared<const Radial>(profile, std::ldexp(bandwidth, -unit));
    }
    a_ = squared ? 1 / (bandwidth * bandwidth) : profile.root / bandwidth;
    if (std::isnormal(a_) && std::isnormal(squared ? bandwidth * bandwidth : bandwidth)) return;
    by_ = By::divisor;
    // The divisor must not be 0, as equal points would have 0 / 0. The smallest number takes its place, and any r > 0
    // is then far away.
    a_ = squared ? bandwidth : std::max(bandwidth / profile.root, std::numeric_limits<double>::denorm_min());
  }

  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    if (const std::optional<Units> points = units(a, b))
      return in_units_->evaluate(points->a.view(), points->b.view(), out);
    const Passes& with = passes();
    for (Index first = 0; first < out.cols; first += panel) {
      const MatrixView part = out.columns(first, std::min(panel, out.cols - first));
      with.distances(a, b.row_range(first, part.cols), part);
      each_run(part, [&](double* v, Index n) { (with.*profile_.pass)(v, n, a_, by_); });
    }
  }

  DoubleDouble twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z) const override {
    const bool at_once = by_ == By::factor;  // the square of the bandwidth is an ordinary number
    DoubleDouble square;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const DoubleDouble u = at_once ? x[k] - z[k] : (x[k] - z[k]) / DoubleDouble(bandwidth_);
      square += u * u;
    }
    return twofold_of(at_once ? square / two_product(bandwidth_, bandwidth_) : square);
  }

  void slopes(ConstMatrixView a, ConstMatrixView b, const SlopeFactor& factor, const TakeSlope& take) const override {
    if (profile_.pole) fail(Status::internal, "a kernel without a derivative was asked for one");
    const std::optional<Units> points = units(a, b);
    Matrix tile(factor.q.rows, factor.q.cols);
    passes().distances(points ? points->a.view() : a, points ? points->b.view() : b, tile.view());
    (points ? *in_units_ : *this).multiply_by_profile(tile.view(), factor.q);
    take({SlopeTerm::Form::difference, factor.q, factor.weight * profile_.slope_weight, factor.divisor, bandwidth_});
  }
  bool differentiable() const override { return !profile_.pole; }

  // With Q the derivative of the head by r^2 and e = x_k - z_k: by x_k  Q e, by z_k  -Q e, by both  -Q - 2 Q' e^2, where
  // 2 Q' is curve(u) / bandwidth^4. At u = 0, where 2 Q' may be infinite, e is zero, too.
  void along(ConstMatrixView a, ConstMatrixView b, Index k, const AlongColumn& out) const override {
    if (profile_.pole) fail(Status::internal, "a kernel without a derivative was asked for one");
    if (out.value.cols > 0) evaluate(a, b, out.value);
    const std::optional<Units> points = units(a, b);
    const double of_r2 = (points ? *in_units_ : *this).bandwidth_;
    Matrix r2(a.rows, b.rows), slope(a.rows, b.rows);
    passes().distances(points ? points->a.view() : a, points ? points->b.view() : b, r2.view());
    copy(r2.view(), slope.view());
    (points ? *in_units_ : *this).slope_of(slope.view());
    const auto first = [&](Index i, Index j) { return profile_.slope_weight * slope(i, j); };
    const auto away = [&](Index i, Index j) { return (a(i, k) - b(j, k)) / bandwidth_; };
    fill_each(out.by_x, [&](Index i, Index j) { return first(i, j) * away(i, j) / bandwidth_; });
    fill_each(out.by_z, [&](Index i, Index j) { return -first(i, j) * away(i, j) / bandwidth_; });
    fill_each(out.mixed, [&](Index i, Index j) {
      const double e = away(i, j), r = std::sqrt(r2(i, j)) / of_r2;
      const double u = profile_.root > 0 ? profile_.root * r : r * r;
      const double second = e == 0 ? 0 : profile_.curve(u) * e * e;
      return -(first(i, j) + second) / bandwidth_ / bandwidth_;
    });
  }

  void add_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s, const LogGradient& to) const override {
    if (const std::optional<Units> points = units(a, b))
      return in_units_->add_log_gradient(points->a.view(), points->b.view(), s, to);
    Matrix r2(s.rows, s.cols);
    passes().distances(a, b, r2.view());
    add_log_gradient(a, b, r2.view(), s, to);
  }

  double add_value_and_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s,
                                    const LogGradient& to) const override {
    if (const std::optional<Units> points = units(a, b))
      return in_units_->add_value_and_log_gradient(points->a.view(), points->b.view(), s, to);
    Matrix r2(s.rows, s.cols);
    passes().distances(a, b, r2.view());
    Matrix values = copy_of(r2.view());
    each_run(values.view(), [&](double* v, Index n) { (passes().*profile_.pass)(v, n, a_, by_); });
    const double value = sum_of_products(s, values.view());
    add_log_gradient(a, b, r2.view(), s, to);
    return value;
  }

  void values(MatrixView r2) const override {
    to_units(r2);
    const Radial& scaled = in_units_ ? *in_units_ : *this;
    each_run(r2, [&](double* v, Index n) { (passes().*profile_.pass)(v, n, scaled.a_, scaled.by_); });
  }

  DoubleDouble value(DoubleDouble r2) const override {
    const DoubleDouble square = r2 / DoubleDouble(bandwidth_) / DoubleDouble(bandwidth_);
    return std::isfinite(square.hi) ? twofold_of(square) : DoubleDouble();
  }

  double unit() const override { return bandwidth_; }

  void multiply_by_slope(ConstMatrixView r2, MatrixView q) const override {
    Matrix tile = copy_of(r2);
    to_units(tile.view());
    const Radial& scaled = in_units_ ? *in_units_ : *this;
    if (profile_.pole) scaled.divide_by_u(tile.view(), q);
    scaled.multiply_by_profile(tile.view(), q);
    fill_each(q, [&](Index i, Index j) { return q(i, j) * profile_.slope_weight; });
  }

  double curve(double r2) const override {
    const double r = std::sqrt(r2) / bandwidth_;
    return profile_.curve(profile_.root > 0 ? profile_.root * r : r * r);
  }

  std::optional<OneFeature> one_feature() const {
    if (by_ == By::divisor || in_units_) return std::nullopt;
    return OneFeature{&(passes().*profile_.feature), a_};
  }

  const char* name() const override { return profile_.name; }
  Index parameter_count() const override { return profile_.nu > 0 ? 2 : 1; }
  KernelParameter parameter(Index i) const override {
    if (i + 1 < parameter_count()) return {"nu", {&profile_.nu, 1}, false, true};
    return {profile_.bandwidth, {&bandwidth_, 1}};
  }
  KernelPtr rebuilt(Span<const double> numbers, Array<KernelPtr> /*parts*/) const override {
    return with_bandwidth(numbers[0]);
  }

  Extent extent() const override { return {1, 1, 1, 1}; }
  std::optional<double> bandwidth() const override { return bandwidth_; }
  KernelPtr with_bandwidth(double bandwidth) const override {
    require_positive("sigma", bandwidth);
    return std::make_shared<Radial>(profile_, bandwidth);
  }

 private:
  struct Units {
    Matrix a, b;
  };
  // The points divided by 2^unit_, next to the bandwidth, where the squares of differences of its size would be out of
  // range; nothing for other bandwidths, and where that takes a point out of range.
  std::optional<Units> units(ConstMatrixView a, ConstMatrixView b) const {
    if (!in_units_) return std::nullopt;
    Units out{copy_of(a), copy_of(b)};
    for (Matrix* const points : {&out.a, &out.b}) {
      for (double& value : points->values()) value = std::ldexp(value, -unit_);
      if (!all_finite(points->values())) return std::nullopt;
    }
    return out;
  }

  // r2 in units of 2^unit_.
  void to_units(MatrixView r2) const {
    if (in_units_) fill_each(r2, [&](Index i, Index j) { return std::ldexp(std::ldexp(r2(i, j), -unit_), -unit_); });
  }

  // Of r^2 / bandwidth^2.
  DoubleDouble twofold_of(DoubleDouble square) const {
    if (profile_.root == 0) return twofold_exp(-square);
    const double root_square = profile_.nu > 0 ? 2 * profile_.nu : 1;  // exactly
    const DoubleDouble u = twofold_sqrt(DoubleDouble(root_square) * square), value = twofold_exp(-u);
    if (profile_.nu <= 0.5) return value;
    return (DoubleDouble(1) + u + (profile_.nu > 2 ? u * u / DoubleDouble(3) : DoubleDouble())) * value;
  }

  // r2: the squared distances.
  void add_log_gradient(ConstMatrixView a, ConstMatrixView b, ConstMatrixView r2, MatrixView s,
                        const LogGradient& to) const {
    if (profile_.pole) divide_by_u(r2, s);
    Matrix tile = copy_of(r2);
    multiply_by_profile(tile.view(), s);
    const double weight = -to.weight * profile_.slope_weight;
    const double by_bandwidth = weight * (sum_of_products(s, r2) / bandwidth_ / bandwidth_);
    to.parameters[0] += by_bandwidth;
    if (to.lengths.empty()) return;
    if (a.cols == 1) {  // a length is another bandwidth
      to.lengths[0] += by_bandwidth;
      return;
    }
    Array<double> sums = squares_by_feature(a, b, r2, s);
    for (double& sum : sums) sum = sum / bandwidth_ / bandwidth_;
    add_scaled(weight, sums, to.lengths);
  }

  // q = q o slope_pass(tile), tile: the r^2, used up.
  void multiply_by_profile(MatrixView tile, MatrixView q) const {
    slope_of(tile);
    multiply(tile, q);
  }

  void slope_of(MatrixView tile) const {
    each_run(tile, [&](double* v, Index n) { (passes().*profile_.slope_pass)(v, n, a_, by_); });
  }

  // q = q / u, 0 where u = 0.
  void divide_by_u(ConstMatrixView r2, MatrixView q) const {
    const double factor = by_ == By::factor ? a_ : 1, divisor = by_ == By::factor ? 1 : a_;
    for (Index j = 0; j < q.cols; ++j)
      for (Index i = 0; i < q.rows; ++i) {
        const double u = std::sqrt(r2(i, j)) * factor / divisor;
        q(i, j) = u > 0 ? q(i, j) / u : 0;
      }
  }

  const Profile& profile_;
  double bandwidth_, a_;
  By by_ = By::factor;
  int unit_ = 0;
  std::shared_ptr<const Radial> in_units_;  // this kernel for points in units of 2^unit_; NULL for ordinary bandwidths
};

}  // namespace

const OfDistance* of_distance(const Kernel& kernel) {
  return dynamic_cast<const Radial*>(&kernel);
}

std::optional<OneFeature> one_feature(const Kernel& kernel) {
  const auto* const radial = dynamic_cast<const Radial*>(&kernel);
  return radial == nullptr ? std::nullopt : radial->one_feature();
}

KernelPtr gaussian_kernel(double sigma) {
  require_positive("sigma", sigma);
  return std::make_shared<Radial>(gaussian, sigma);
}

KernelPtr laplacian_kernel(double sigma) {
  require_positive("sigma", sigma);
  return std::make_shared<Radial>(laplacian, sigma);
}

KernelPtr matern_kernel(double nu, double length) {
  if (!std::isfinite(nu)) fail(Status::not_finite, "nu is ", nu, "; it must be finite");
  if (nu != 0.5 && nu != 1.5 && nu != 2.5) fail(Status::invalid_argument, "nu is ", nu, "; it must be 0.5, 1.5 or 2.5");
  require_positive("length", length);
  if (nu == 0.5) return std::make_shared<Radial>(matern12, length);
  if (nu == 1.5) return std::make_shared<Radial>(matern32, length);
  return std::make_shared<Radial>(matern52, length);
}

}  // namespace freeridge
