// Twice the working precision by error-free transforms: a number is the unevaluated sum hi + lo of two doubles.
//   two_sum       s + e = a + b exactly (D. Knuth, The Art of Computer Programming 2, section 4.2.2)
//   two_product   p + e = a b exactly, barring overflow and underflow; by a fused multiply-add where the machine has
//                 one, else by splitting the factors (T. Dekker, A floating-point technique for extending the available
//                 precision, Numerische Mathematik 18 (1971)), which needs |a|, |b| < 2^996. Both give the same bits.
// Sums of products come out as if computed with twice the digits and rounded (T. Ogita, S. Rump, S. Oishi, Accurate sum
// and dot product, SIAM J. Sci. Comput. 26 (2005)).
#pragma once

#include <cmath>

#ifdef __FAST_MATH__
#error "error-free transforms need the order of operations as it is written: compile without -ffast-math"
#endif

namespace freeridge {

struct DoubleDouble {
  double hi = 0, lo = 0;

  DoubleDouble() = default;
  DoubleDouble(double value) : hi(value) {}
  DoubleDouble(double high, double low) : hi(high), lo(low) {}
  explicit operator double() const { return hi + lo; }
};

// hi = fl(a + b), lo = its error
inline DoubleDouble two_sum(double a, double b) {
  const double s = a + b, b_part = s - a;
  return {s, (a - (s - b_part)) + (b - b_part)};
}

struct FusedProduct {
  [[gnu::always_inline]] static DoubleDouble of(double a, double b) {
    const double p = a * b;
    return {p, __builtin_fma(a, b, -p)};
  }
};

struct SplitProduct {
  [[gnu::always_inline]] static DoubleDouble of(double a, double b) {
    constexpr double splitter = 134217729;  // 2^27 + 1
    const double p = a * b;
    const double a_big = splitter * a, a_hi = a_big - (a_big - a), a_lo = a - a_hi;
    const double b_big = splitter * b, b_hi = b_big - (b_big - b), b_lo = b - b_hi;
    return {p, a_lo * b_lo - (((p - a_hi * b_hi) - a_lo * b_hi) - a_hi * b_lo)};
  }
};

// std::fma is a call where the compiler may not count on the instruction; the splitting is then the faster way.
#ifdef __FP_FAST_FMA
using ExactProduct = FusedProduct;
#else
using ExactProduct = SplitProduct;
#endif

inline DoubleDouble two_product(double a, double b) {
  return ExactProduct::of(a, b);
}

inline DoubleDouble operator-(DoubleDouble a) {
  return {-a.hi, -a.lo};
}
inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_sum(a.hi, b.hi), low = two_sum(a.lo, b.lo);
  const DoubleDouble sum = two_sum(high.hi, high.lo + low.hi);
  return two_sum(sum.hi, sum.lo + low.lo);
}
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) {
  return a + -b;
}
inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = two_product(a.hi, b.hi);
  return two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
// One step of Newton's after the quotient of the leading parts.
inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double q = a.hi / b.hi;
  const DoubleDouble rest = a - b * DoubleDouble(q);
  return two_sum(q, (rest.hi + rest.lo) / b.hi);
}
inline DoubleDouble& operator+=(DoubleDouble& a, DoubleDouble b) {
  return a = a + b;
}
inline DoubleDouble& operator-=(DoubleDouble& a, DoubleDouble b) {
  return a = a - b;
}

}  // namespace freeridge
