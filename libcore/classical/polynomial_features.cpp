#include "libcore/classical/polynomial_features.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/memory.hpp"
#include "libcore/kernel/parameters.hpp"

namespace freeridge {
namespace {

constexpr Index largest_count = 2147483647;

// The number value 2^exponent with value in [1/2, 1], or 0. Products of such numbers do not overflow.
struct Scaled {
  double value = 1;
  Index exponent = 0;

  static Scaled of(double value, Index exponent = 0) {
    int e = 0;
    const double mantissa = std::frexp(value, &e);
    return {mantissa, exponent + e};
  }
  Scaled times(Scaled factor) const { return of(value * factor.value, exponent + factor.exponent); }
  Scaled over(double divisor) const { return of(value / divisor, exponent); }
  double root() const {
    const Index odd = exponent & 1, half = std::clamp<Index>((exponent - odd) / 2, -4000, 4000);
    return std::ldexp(std::sqrt(std::ldexp(value, static_cast<int>(odd))), static_cast<int>(half));
  }
};

}  // namespace

Index polynomial_feature_count(Index d, std::int32_t degree, bool bias) {
  if (degree < 1) fail(Status::invalid_argument, "degree is ", degree, "; it must be at least 1");
  // C(d + p, p) = C(d + p - 1, p - 1) (d + p) / p: each step is a whole number, and none is beyond 2^31 2^32.
  const Index fewer = std::min<Index>(d, degree), more = std::max<Index>(d, degree);
  Index count = 1;
  for (Index p = 1; p <= fewer; ++p) {
    count = count * (more + p) / p;
    if (count - (bias ? 0 : 1) > largest_count)
      fail(Status::invalid_argument, "d is ", d, " and degree is ", degree, "; that is more than ", largest_count,
           " monomials");
  }
  return count - (bias ? 0 : 1);
}

Monomials::Monomials(Index d, std::int32_t degree, bool bias) : d_(d), degree_(degree), first_(bias ? 0 : 1) {
  const Index all = polynomial_feature_count(d, degree, bias) + first_;
  require_memory(12 * all, text("the list of ", all, " monomials"), "use a lower degree");
  parent_.reserve(all);
  feature_.reserve(all);
  degree_of_.reserve(all);
  const auto add = [&](Index parent, Index feature, std::int32_t of) {
    parent_.push_back(static_cast<std::int32_t>(parent));
    feature_.push_back(static_cast<std::int32_t>(feature));
    degree_of_.push_back(of);
  };
  add(0, 0, 0);
  Index begin = 0;
  for (std::int32_t p = 1; p <= degree; ++p) {
    const auto end = static_cast<Index>(parent_.size());
    for (Index parent = begin; parent < end; ++parent)
      for (Index feature = feature_[parent]; feature < d; ++feature) add(parent, feature, p);
    begin = end;
  }
}

void Monomials::exponents(std::int32_t* out) const {
  const Index rows = count();
  for (Index k = 0; k < d_; ++k) {
    // The exponents of monomial j are those of its parent, plus one for its own feature.
    for (Index j = 0; j < rows; ++j) {
      const Index parent = parent_[j + first_] - first_;
      const bool constant = j + first_ == 0;
      out[j + k * rows] =
          (constant || parent < 0 ? 0 : out[parent + k * rows]) + (!constant && feature_[j + first_] == k ? 1 : 0);
    }
  }
}

void Monomials::evaluate(const LayoutView& x, Layout layout, double* out, Index ld) const {
  require_finite("x", x);
  const Index all = count() + first_;
  // Overflow must be known before `out` is written. Usually the largest entry to the power `degree` rules it out; else
  // all monomials are computed once to see.
  double largest = 0, power = 1;
  for (Index k = 0; k < x.cols; ++k)
    for (Index i = 0; i < x.rows; ++i) largest = std::max(largest, std::abs(x(i, k)));
  for (std::int32_t p = 0; p < degree_ && std::isfinite(power) && largest > 1; ++p) power *= largest;
  Array<double> row(all);
  const auto fill_row = [&](Index i) {
    row[0] = 1;
    for (Index j = 1; j < all; ++j) row[j] = row[parent_[j]] * x(i, feature_[j]);
  };
  for (Index i = 0; i < x.rows && !std::isfinite(power); ++i) {
    fill_row(i);
    for (Index j = 0; j < all; ++j)
      if (!std::isfinite(row[j])) fail(Status::not_finite, "a monomial of row ", i, " of x overflows");
  }
  if (layout == Layout::row_major) {
    for (Index i = 0; i < x.rows; ++i) {
      fill_row(i);
      std::copy(row.begin() + first_, row.end(), out + i * ld);
    }
    return;
  }
  for (Index j = first_; j < all; ++j) {  // one column after the other: the parent's column times a feature
    double* const to = out + (j - first_) * ld;
    const Index parent = parent_[j] - first_, feature = feature_[j];
    if (j == 0)
      std::fill_n(to, x.rows, 1.0);
    else
      for (Index i = 0; i < x.rows; ++i) to[i] = (parent < 0 ? 1.0 : out[i + parent * ld]) * x(i, feature);
  }
}

void Monomials::kernel_factors(double scale, double offset, Span<double> factors) const {
  require_positive("scale", scale);
  if (!std::isfinite(offset)) fail(Status::not_finite, "offset is ", offset, "; it must be finite");
  if (offset < 0) fail(Status::invalid_argument, "offset is ", offset, "; it must not be negative");
  // coefficient_j = coefficient_parent (degree - |e_parent|) / own, where `own` is the exponent of the feature that
  // monomial j has once more than its parent. These are whole numbers, exact up to 2^53.
  const auto all = static_cast<Index>(parent_.size());
  Array<Scaled> coefficient(all), scale_power(Index{degree_} + 1), offset_power(scale_power);
  Array<std::int32_t> own(all, 0);
  for (std::size_t p = 1; p < scale_power.size(); ++p) {
    scale_power[p] = scale_power[p - 1].times(Scaled::of(scale));
    offset_power[p] = offset_power[p - 1].times(Scaled::of(offset));
  }
  Array<double> out;
  for (Index j = 0; j < all; ++j) {
    const Index parent = parent_[j], degree = degree_of_[j];
    if (j > 0) {
      own[j] = parent > 0 && feature_[parent] == feature_[j] ? own[parent] + 1 : 1;
      coefficient[j] = coefficient[parent].times(Scaled::of(static_cast<double>(degree_ - degree + 1))).over(own[j]);
    }
    if (j < first_) continue;
    out.push_back(coefficient[j].times(scale_power[degree]).times(offset_power[degree_ - degree]).root());
    if (!std::isfinite(out.back())) fail(Status::not_finite, "the factor of monomial ", j - first_, " overflows");
  }
  std::ranges::copy(out, factors.begin());
}

}  // namespace freeridge
