// Derivatives, with Q = 2 phi', k = phi(r^2), and C = cos(phi) cos(phi'):
//   periodic   t_k = (x_k - z_k) / period
//              by x_k            Q (2 pi / period) sin(2 pi t_k)
//              by x_k and z_k    -(2 pi / period)^2 (Q cos(2 pi t_k) + 4 phi'' sin^2(2 pi t_k))
//              by log l_k        -2 pi Q t_k sin(2 pi t_k), l_k a divisor of column k; by log period the sum of these
//   sphere     u, v = differences of longitude, of latitude, in turns of 360 degrees
//              by log l_1        -2 pi Q C u sin(2 pi u)
//              by log l_2        -2 pi Q (v sin(2 pi v) - sin^2(pi u) (phi sin(phi) cos(phi') + phi' sin(phi')
//                                cos(phi)) / 180), phi in degrees where it is a factor
#include "libcore/kernel/other_distance.hpp"

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "libcore/kernel/feature_sums.hpp"
#include "libcore/kernel/kernel_text.hpp"
#include "libcore/kernel/of_distance.hpp"
#include "libcore/kernel/parameters.hpp"
#include "libcore/kernel/parts.hpp"
#include "libcore/kernel/twofold_functions.hpp"
#include "libcore/kernel/value_loops.hpp"

namespace freeridge {
namespace {

constexpr double pi = 3.141592653589793, full_turn = 360;

// sin(pi u) but for its sign.
double half_sine(double u) {
  return std::sin(pi * (u - std::nearbyint(u)));
}
double sine_of_turns(double u) {
  return std::sin(2 * pi * (u - std::nearbyint(u)));
}
// Of an angle in degrees; near the poles with all digits.
double cosine_of_latitude(double degrees) {
  return std::sin(pi / 180 * (90 - std::abs(degrees)));
}

class OtherDistance : public Kernel {
 public:
  virtual void squares(ConstMatrixView a, ConstMatrixView b, MatrixView out) const = 0;

  void evaluate(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    squares(a, b, out);
    distance_.values(out);
  }

  void add_log_gradient(ConstMatrixView a, ConstMatrixView b, MatrixView s, const LogGradient& to) const override {
    Matrix r2(s.rows, s.cols);
    squares(a, b, r2.view());
    distance_.multiply_by_slope(r2.view(), s);
    const auto by_square = [&](double sum) { return to.weight * (sum / distance_.unit() / distance_.unit()); };
    to.parameters.back() -= by_square(sum_of_products(s, r2.view()));
    const Index own = std::ssize(to.parameters) - 1;  // the period, which is one more divisor of all columns
    if (own == 0 && to.lengths.empty()) return;
    for (Index k = 0; k < a.cols; ++k) {
      const double by_length = by_square(by_divisor(k, a, b, s));
      if (own > 0) to.parameters[0] += by_length;
      if (!to.lengths.empty()) to.lengths[k] += by_length;
    }
  }

  Span<const KernelPtr> parts() const override { return {&inner_, 1}; }
  // Its bandwidth has the units of r, not those of the points, and a search over it would begin elsewhere.
  Extent extent() const override {
    const Extent all = extent_of({&inner_, 1}, parameter_count());
    return {all.depth, all.kernels, 0, all.hyperparameters};
  }

 protected:
  explicit OtherDistance(KernelPtr inner) : inner_(std::move(inner)), distance_(*of_distance(*inner_)) {}

  // sum_ij Q_ij / 2 d r^2_ij / d log l for a divisor l of column k.
  virtual double by_divisor(Index k, ConstMatrixView a, ConstMatrixView b, ConstMatrixView q) const = 0;

  KernelPtr inner_;
  const OfDistance& distance_;
};

class Periodic final : public OtherDistance {
 public:
  Periodic(double period, KernelPtr inner) : OtherDistance(std::move(inner)), period_(period) {}

  void squares(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    for (Index k = 0; k < a.cols; ++k)
      fill_each(out, [&](Index i, Index j) {
        const double s = half_sine((a(i, k) - b(j, k)) / period_);
        return (k == 0 ? 0 : out(i, j)) + 4 * (s * s);
      });
  }

  DoubleDouble twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z) const override {
    DoubleDouble r2;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const DoubleDouble s = twofold_half_sine((x[k] - z[k]) / DoubleDouble(period_));
      r2 += DoubleDouble(4) * s * s;
    }
    return distance_.value(r2);
  }

  // Each column has a term of its own, with Q (x_k - z_k) = the derivative.
  void slopes(ConstMatrixView a, ConstMatrixView b, const SlopeFactor& factor, const TakeSlope& take) const override {
    Matrix r2(a.rows, b.rows), tile(a.rows, b.rows);
    squares(a, b, r2.view());
    distance_.multiply_by_slope(r2.view(), factor.q);
    for (Index k = 0; k < a.cols; ++k) {
      fill_each(tile.view(), [&](Index i, Index j) {
        const double e = (a(i, k) - b(j, k)) / period_;
        return factor.q(i, j) * 2 * pi * (e == 0 ? 2 * pi : sine_of_turns(e) / e);
      });
      Array<double> divisor(a.cols, std::numeric_limits<double>::infinity());
      divisor[k] = (factor.divisor.empty() ? 1 : factor.divisor[k]) * period_;
      take({SlopeTerm::Form::difference, tile.view(), factor.weight, divisor, distance_.unit()});
    }
  }
  bool differentiable() const override { return inner_->differentiable(); }

  void along(ConstMatrixView a, ConstMatrixView b, Index k, const AlongColumn& out) const override {
    Matrix r2(a.rows, b.rows), q(a.rows, b.rows, 1.0);
    squares(a, b, r2.view());
    distance_.multiply_by_slope(r2.view(), q.view());
    if (out.value.cols > 0) {
      copy(r2.view(), out.value);
      distance_.values(out.value);
    }
    const double unit = distance_.unit(), turn = 2 * pi / period_;
    const auto turns = [&](Index i, Index j) { return (a(i, k) - b(j, k)) / period_; };
    const auto slope = [&](Index i, Index j) { return q(i, j) / unit * turn * sine_of_turns(turns(i, j)) / unit; };
    fill_each(out.by_x, slope);
    fill_each(out.by_z, [&](Index i, Index j) { return -slope(i, j); });
    fill_each(out.mixed, [&](Index i, Index j) {
      const double s = sine_of_turns(turns(i, j)) / unit,
                   second = r2(i, j) == 0 ? 0 : distance_.curve(r2(i, j)) * s * s;
      return -(q(i, j) * std::cos(2 * pi * (turns(i, j) - std::nearbyint(turns(i, j)))) + second) / unit * turn * turn /
             unit;
    });
  }

  const char* name() const override { return "periodic"; }
  Index parameter_count() const override { return 1; }
  KernelParameter parameter(Index /*i*/) const override { return {"period", {&period_, 1}}; }
  KernelPtr rebuilt(Span<const double> numbers, Array<KernelPtr> parts) const override {
    return periodic_kernel(numbers[0], std::move(parts[0]));
  }
  void describe(KernelText& out) const override {
    out.add("periodic(period = ", period_, ", ");
    inner_->describe(out);
    out.add(")");
  }

 private:
  double by_divisor(Index k, ConstMatrixView a, ConstMatrixView b, ConstMatrixView q) const override {
    double sum = 0;
    for (Index j = 0; j < q.cols; ++j)
      for (Index i = 0; i < q.rows; ++i) {
        const double t = (a(i, k) - b(j, k)) / period_;
        sum += q(i, j) * t * sine_of_turns(t);
      }
    return -2 * pi * sum;
  }

  double period_;
};

class Sphere final : public OtherDistance {
 public:
  explicit Sphere(KernelPtr inner) : OtherDistance(std::move(inner)) {}

  void squares(ConstMatrixView a, ConstMatrixView b, MatrixView out) const override {
    const Array<double> cosine_a = cosines(a), cosine_b = cosines(b);
    fill_each(out, [&](Index i, Index j) {
      const double u = half_sine((a(i, 0) - b(j, 0)) / full_turn), v = half_sine((a(i, 1) - b(j, 1)) / full_turn);
      return 4 * (v * v + cosine_a[i] * cosine_b[j] * (u * u));
    });
  }

  DoubleDouble twofold(Span<const DoubleDouble> x, Span<const DoubleDouble> z) const override {
    const auto half = [&](std::size_t k) { return twofold_half_sine((x[k] - z[k]) / DoubleDouble(full_turn)); };
    const auto cosine = [](DoubleDouble latitude) {
      return twofold_half_sine((DoubleDouble(90) - (latitude.hi < 0 ? -latitude : latitude)) / DoubleDouble(180));
    };
    const DoubleDouble u = half(0), v = half(1);
    return distance_.value(DoubleDouble(4) * (v * v + cosine(x[1]) * cosine(z[1]) * (u * u)));
  }

  const char* name() const override { return "sphere"; }
  KernelPtr rebuilt(Span<const double> /*numbers*/, Array<KernelPtr> parts) const override {
    return sphere_kernel(std::move(parts[0]));
  }
  void describe(KernelText& out) const override {
    out.add("sphere(");
    inner_->describe(out);
    out.add(")");
  }
  void check_features(Index d) const override {
    if (d != 2)
      fail(Status::dimension_mismatch, "x has d = ", d,
           " columns, the sphere kernel has two, longitude and latitude in degrees");
  }

 private:
  static Array<double> cosines(ConstMatrixView x) {
    Array<double> out;
    for (Index i = 0; i < x.rows; ++i) out.push_back(cosine_of_latitude(x(i, 1)));
    return out;
  }

  double by_divisor(Index k, ConstMatrixView a, ConstMatrixView b, ConstMatrixView q) const override {
    const Array<double> cosine_a = cosines(a), cosine_b = cosines(b);
    const auto pull = [](double latitude) { return latitude * std::sin(pi / 180 * latitude); };
    double sum = 0;
    for (Index j = 0; j < q.cols; ++j)
      for (Index i = 0; i < q.rows; ++i) {
        const double u = (a(i, 0) - b(j, 0)) / full_turn, v = (a(i, 1) - b(j, 1)) / full_turn, half = half_sine(u);
        if (k == 0)
          sum -= q(i, j) * (cosine_a[i] * cosine_b[j] * u * sine_of_turns(u));
        else
          sum -= q(i, j) * (v * sine_of_turns(v) -
                            half * half * (pull(a(i, 1)) * cosine_b[j] + pull(b(j, 1)) * cosine_a[i]) / 180);
      }
    return 2 * pi * sum;
  }
};

// The distance kernel that is a part of another one.
void require_of_distance(std::string_view kind, const Kernel& inner) {
  if (of_distance(inner) == nullptr)
    fail(Status::invalid_argument, "inner is ", std::string_view(inner.name()), "; within ", kind,
         " it must be a kernel of the distance: gaussian, laplacian or matern");
}

}  // namespace

KernelPtr periodic_kernel(double period, KernelPtr inner) {
  require_positive("period", period);
  require_of_distance("periodic", *inner);
  return std::make_shared<Periodic>(period, std::move(inner));
}

KernelPtr sphere_kernel(KernelPtr inner) {
  require_of_distance("sphere", *inner);
  return std::make_shared<Sphere>(std::move(inner));
}

bool of_other_distance(const Kernel& kernel) {
  return dynamic_cast<const OtherDistance*>(&kernel) != nullptr;
}

void other_squares(const Kernel& kernel, ConstMatrixView a, ConstMatrixView b, MatrixView out) {
  dynamic_cast<const OtherDistance&>(kernel).squares(a, b, out);
}

}  // namespace freeridge
