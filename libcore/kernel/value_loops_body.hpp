// The loops of value_loops.hpp for one instruction set; value_loops.cpp includes this file once for each, inside a
// namespace, with
//   FREERIDGE_LANES       how many doubles a register holds
//   FREERIDGE_SQRT(v)     the square root of a register
//   FREERIDGE_ADD_PRODUCT(sum, x, y)   sum + x y, rounded once where the processor can
// Nothing of the standard library may be instantiated here: a template's instance would be compiled with this
// instruction set and then be shared with code that runs on every processor.
//
// A register is a vector type of GCC and Clang, with elementwise + - * / and comparisons. It works for any instruction
// set (one number after the other where there are no vectors), and gives vector code at every optimisation level,
// without a decision of the compiler's.

constexpr Index lanes = FREERIDGE_LANES;
using Vec = double __attribute__((vector_size(8 * FREERIDGE_LANES)));
using Bits = std::int64_t __attribute__((vector_size(8 * FREERIDGE_LANES)));

inline Vec load(const double* from) {
  Vec v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
inline void store(Vec v, double* to) {
  __builtin_memcpy(to, &v, sizeof v);
}

// u, at most 764, where u^2 exp(-u) is 0 in double precision. NaN stays, as NaN > limit is false.
inline Vec limited(Vec u) {
  const Vec limit = Vec{} + 764.0;
  return u > limit ? limit : u;
}

// 2^128 exp(-u), u >= 0; a factor of the result can so be multiplied in before it becomes subnormal.
//   exp(-u) = 2^-m exp(r),  m = round(u / ln 2),  r = m ln 2 - u,  |r| <= ln 2 / 2
//   exp(r) = 1 + r + r^2 q(r),  q the polynomial with the least relative error of exp(r): 3.7e-18 (Remez)
// m is found by adding 1.5 2^52, which leaves a whole number in the low bits; with 1151 added, and -m rather than m,
// these bits are the exponent of 2^(128 - m). ln 2 is split into 33 bits, whose product with m is exact, and the rest.
// The rounding errors of the sums 1 + r and r = high + low are added to the small terms: so only the last addition
// rounds noticeably.
inline Vec exp_minus_scaled(Vec u) {
  constexpr double whole = 0x1.8p52 + 1023 + 128;
  constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  u = limited(u);
  const Vec t = whole - u * 0x1.71547652b82fep0;
  const Vec m = whole - t;
  const Vec high = m * ln2_high - u, low = m * ln2_low;
  const Vec r = high + low, r_rest = (high - r) + low;
  const Vec r2 = r * r, r4 = r2 * r2;
  const Vec q01 = 0x1.000000000000ap-1 + 0x1.55555555554fap-3 * r;
  const Vec q23 = 0x1.555555555088cp-5 + 0x1.1111111127b9fp-7 * r;
  const Vec q45 = 0x1.6c16c1842668ap-10 + 0x1.a01a012a6876cp-13 * r;
  const Vec q67 = 0x1.a0199a16ecd88p-16 + 0x1.71df253d5a5bdp-19 * r;
  const Vec q89 = 0x1.28ad689957556p-22 + 0x1.ad7f75672efa3p-26 * r;
  const Vec q = (q01 + r2 * q23) + r4 * ((q45 + r2 * q67) + r4 * q89);
  const Vec sum = 1.0 + r, sum_rest = (1.0 - sum) + r;
  const Vec p = sum + (sum_rest + (r_rest + r2 * q));
  const Bits exponent = (Bits)t << 52;
  return p * (Vec)exponent;
}
constexpr double unscale = 0x1p-128;  // exact, but for the one rounding where the result is subnormal

// x = f(x) for all n numbers. The last ones, too few for a register, are padded and go through the same instructions.
template <class F>
inline void each(double* x, Index n, F f) {
  Index i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {  // two at a time: one works while the other waits
    const Vec first = f(load(x + i)), second = f(load(x + i + lanes));
    store(first, x + i);
    store(second, x + i + lanes);
  }
  for (; i + lanes <= n; i += lanes) store(f(load(x + i)), x + i);
  if (i == n) return;
  double rest[lanes] = {};
  for (Index k = i; k < n; ++k) rest[k - i] = x[k];
  store(f(load(rest)), rest);
  for (Index k = i; k < n; ++k) x[k] = rest[k - i];
}

// The profiles in u: of exp_minus, laplacian and Matern 1/2; Matern 3/2; Matern 5/2.
struct Half {
  Vec operator()(Vec u) const { return exp_minus_scaled(u) * unscale; }
};
struct GaussianFactor {
  double a;
  Vec operator()(Vec v) const { return exp_minus_scaled(v * a) * unscale; }
};
struct GaussianDivisor {
  double a;
  Vec operator()(Vec v) const { return exp_minus_scaled(v / a / a) * unscale; }
};

// Beyond the limit of exp_minus_scaled the exponential is 0 and the polynomial may be Inf: their product would be NaN,
// so u is limited first.
struct ThreeHalves {
  Vec operator()(Vec u) const {
    u = limited(u);
    return (1.0 + u) * exp_minus_scaled(u) * unscale;
  }
};
struct FiveHalves {
  Vec operator()(Vec u) const {
    u = limited(u);
    return (1.0 + (u + u * u * (1.0 / 3))) * exp_minus_scaled(u) * unscale;
  }
};
template <class Profile>
struct RootFactor {
  double a;
  Vec operator()(Vec v) const { return Profile{}(FREERIDGE_SQRT(v) * a); }
};
template <class Profile>
struct RootDivisor {
  double a;
  Vec operator()(Vec v) const { return Profile{}(FREERIDGE_SQRT(v) / a); }
};

inline void exp_minus(double* v, Index n) {
  each(v, n, Half{});
}
inline void gaussian(double* v, Index n, double a, By by) {
  return by == By::factor ? each(v, n, GaussianFactor{a}) : each(v, n, GaussianDivisor{a});
}
template <class Profile>
inline void rooted(double* v, Index n, double a, By by) {
  return by == By::factor ? each(v, n, RootFactor<Profile>{a}) : each(v, n, RootDivisor<Profile>{a});
}

// Kernels of the distance on one feature: k and dk / d log length from one exponential, with t = |x - z| a, or for
// the Gaussian kernel t = (x - z)^2 a.
struct ValueAndSlope {
  Vec value, slope;
};
inline Vec distance_of(Vec difference) {
  constexpr std::int64_t magnitude = INT64_MAX;  // all bits but the sign
  return (Vec)((Bits)difference & (Bits{} + magnitude));
}
struct GaussianFeature {
  static Vec argument(Vec difference, double a) { return limited(difference * difference * a); }
  static Vec value(Vec v) { return exp_minus_scaled(v) * unscale; }
  static ValueAndSlope both(Vec v) {
    const Vec e = value(v);
    return {e, 2.0 * v * e};
  }
};
struct HalfFeature {
  static Vec argument(Vec difference, double a) { return limited(distance_of(difference) * a); }
  static Vec value(Vec u) { return exp_minus_scaled(u) * unscale; }
  static ValueAndSlope both(Vec u) {
    const Vec e = value(u);
    return {e, u * e};
  }
};
struct ThreeHalvesFeature : HalfFeature {
  static Vec value(Vec u) { return (1.0 + u) * exp_minus_scaled(u) * unscale; }
  static ValueAndSlope both(Vec u) {
    const Vec e = exp_minus_scaled(u) * unscale;
    return {(1.0 + u) * e, u * u * e};
  }
};
struct FiveHalvesFeature : HalfFeature {
  static Vec value(Vec u) { return (1.0 + (u + u * u * (1.0 / 3))) * exp_minus_scaled(u) * unscale; }
  static ValueAndSlope both(Vec u) {
    const Vec e = exp_minus_scaled(u) * unscale, third = u * u * (1.0 / 3);
    return {(1.0 + (u + third)) * e, third * (1.0 + u) * e};
  }
};

template <class Feature>
inline void add_feature(const double* x, Index n, double z, double a, double* out) {
  Index i = 0;
  for (; i + lanes <= n; i += lanes)
    store(load(out + i) + Feature::value(Feature::argument(load(x + i) - z, a)), out + i);
  if (i == n) return;
  double rest[lanes] = {};
  for (Index k = i; k < n; ++k) rest[k - i] = x[k];
  store(Feature::value(Feature::argument(load(rest) - z, a)), rest);
  for (Index k = i; k < n; ++k) out[k] += rest[k - i];
}

// sums[0 ... 7] and sums[8 ... 15]: of every eighth row, whatever the width of a register.
template <class Feature>
inline void contract_feature(const double* x, Index n, double z, double a, const double* s, double* sums) {
  constexpr Index strands = 8 / lanes;
  Vec values[strands], slopes[strands];
#pragma GCC unroll 4
  for (Index r = 0; r < strands; ++r) {
    values[r] = load(sums + r * lanes);
    slopes[r] = load(sums + 8 + r * lanes);
  }
  double x_rest[8] = {}, s_rest[8] = {};
  for (Index i = 0; i < n; i += 8) {
    const double *from = x + i, *weight = s + i;
    if (i + 8 > n) {
      for (Index k = i; k < n; ++k) x_rest[k - i] = x[k], s_rest[k - i] = s[k];
      from = x_rest, weight = s_rest;
    }
#pragma GCC unroll 4
    for (Index r = 0; r < strands; ++r) {
      const ValueAndSlope at = Feature::both(Feature::argument(load(from + r * lanes) - z, a));
      values[r] += load(weight + r * lanes) * at.value;
      slopes[r] += load(weight + r * lanes) * at.slope;
    }
  }
#pragma GCC unroll 4
  for (Index r = 0; r < strands; ++r) {
    store(values[r], sums + r * lanes);
    store(slopes[r], sums + 8 + r * lanes);
  }
}
template <class Feature>
constexpr FeaturePasses feature_passes = {add_feature<Feature>, contract_feature<Feature>};

struct Power {
  double scale, offset;
  Index degree;
  Vec operator()(Vec v) const {
    Vec base = scale * v + offset, result = Vec{} + 1.0;
    for (Index e = degree; e > 0; e /= 2) {
      if (e % 2 == 1) result = result * base;
      base = base * base;
    }
    return result;
  }
};
inline void power(double* v, Index n, double scale, double offset, Index degree) {
  each(v, n, Power{scale, offset, degree});
}

inline void divide(const double* v, Index n, double a, double* out) {
  Index i = 0;
  for (; i + lanes <= n; i += lanes) store(load(v + i) / a, out + i);
  for (; i < n; ++i) out[i] = v[i] / a;
}
inline void add(const double* v, Index n, double a, double* out) {
  Index i = 0;
  for (; i + lanes <= n; i += lanes) store(load(out + i) + a * load(v + i), out + i);
  for (; i < n; ++i) out[i] += a * v[i];
}
inline void multiply(const double* v, Index n, double* out) {
  Index i = 0;
  for (; i + lanes <= n; i += lanes) store(load(out + i) * load(v + i), out + i);
  for (; i < n; ++i) out[i] *= v[i];
}

// 0 * x is 0 for a finite x, else NaN: so the sum of 0 * x says whether all x are finite.
inline bool all_zero(Vec sum, double rest) {
  for (Index k = 0; k < lanes; ++k) rest += sum[k];
  return rest == 0;
}
inline bool weighted(const double* v, Index n, const double* w_i, double w, double* out) {
  Vec sum = {};
  double rest = 0;
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Vec value = load(v + i) * (load(w_i + i) * w);
    store(value, out + i);
    sum += value * 0.0;
  }
  for (; i < n; ++i) {
    out[i] = v[i] * (w_i[i] * w);
    rest += out[i] * 0.0;
  }
  return all_zero(sum, rest);
}
inline bool finite(const double* v, Index n) {
  Vec first = {}, second = {};
  double rest = 0;
  Index i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    first += load(v + i) * 0.0;
    second += load(v + i + lanes) * 0.0;
  }
  for (; i < n; ++i) rest += v[i] * 0.0;
  return all_zero(first + second, rest);
}

// Squared distances in blocks of two registers of points a times four points b: for each feature two loads and four
// broadcasts serve eight subtractions and fused products and sums, which stay in registers. The points are packed so
// that these loads are contiguous: `high` rows of a, feature by feature, `depth` features at once; groups of four
// points b alike. The sums run over the features in order, whatever the blocks.
constexpr Index high = 2 * lanes, wide = 4, depth = 128, panel = 32;

template <int registers>
inline void distance_block(Index features, const double* x, const double* z, bool begin, double* out) {
  Vec sum[wide][registers];
#pragma GCC unroll 4
  for (int j = 0; j < wide; ++j)
#pragma GCC unroll 2
    for (int r = 0; r < registers; ++r) sum[j][r] = begin ? Vec{} : load(out + j * high + r * lanes);
  for (Index k = 0; k < features; ++k) {
    Vec point[registers];
#pragma GCC unroll 2
    for (int r = 0; r < registers; ++r) point[r] = load(x + k * high + r * lanes);
#pragma GCC unroll 4
    for (int j = 0; j < wide; ++j)
#pragma GCC unroll 2
      for (int r = 0; r < registers; ++r) {
        const Vec difference = point[r] - z[k * wide + j];
        sum[j][r] = FREERIDGE_ADD_PRODUCT(sum[j][r], difference, difference);
      }
  }
#pragma GCC unroll 4
  for (int j = 0; j < wide; ++j)
#pragma GCC unroll 2
    for (int r = 0; r < registers; ++r) store(sum[j][r], out + j * high + r * lanes);
}

// z(k, j) of a group of four: points b that do not exist are 0.
inline void pack_group(ConstMatrixView b, Index first, Index feature, Index features, double* z) {
  for (Index k = 0; k < features; ++k) {
    const double* const from = b.data + first + (feature + k) * b.ld;
    for (Index j = 0; j < wide; ++j) z[k * wide + j] = first + j < b.rows ? from[j] : 0;
  }
}

inline void pack_rows_of(ConstMatrixView a, Index first, Index feature, Index features, double* x) {
  const Index rows = a.rows - first;
  for (Index k = 0; k < features; ++k) {
    const double* const from = a.data + first + (feature + k) * a.ld;
    double* const to = x + k * high;
    if (rows >= high) {
      store(load(from), to);
      store(load(from + lanes), to + lanes);
    } else {
      for (Index i = 0; i < high; ++i) to[i] = i < rows ? from[i] : 0;
    }
  }
}

// Of one feature: the same bits as the blocks have.
inline void squared_differences(const double* a, ConstMatrixView b, MatrixView out) {
  for (Index j = 0; j < out.cols; ++j) {
    const double z = b.data[j];
    double* const to = out.data + j * out.ld;
    Index i = 0;
    for (; i + lanes <= out.rows; i += lanes) {
      const Vec difference = load(a + i) - z;
      store(difference * difference, to + i);
    }
    for (; i < out.rows; ++i) to[i] = (a[i] - z) * (a[i] - z);
  }
}

inline void distances(ConstMatrixView a, ConstMatrixView b, MatrixView out) {
  if (a.cols == 1) return squared_differences(a.data, b, out);
  alignas(64) double x[high * depth], z[panel * depth], block[high * wide];
  for (Index k0 = 0; k0 == 0 || k0 < a.cols; k0 += depth) {
    const Index features = a.cols - k0 < depth ? a.cols - k0 : depth;
    for (Index j0 = 0; j0 < b.rows; j0 += panel) {
      const Index end = b.rows - j0 < panel ? b.rows : j0 + panel;
      for (Index j = j0; j < end; j += wide) pack_group(b, j, k0, features, z + (j - j0) * features);
      for (Index i0 = 0; i0 < a.rows; i0 += high) {
        const Index rows = a.rows - i0 < high ? a.rows - i0 : high;
        pack_rows_of(a, i0, k0, features, x);
        for (Index j0_group = j0; j0_group < end; j0_group += wide) {
          const Index columns = end - j0_group < wide ? end - j0_group : wide;
          double* const to = out.data + i0 + j0_group * out.ld;
          for (Index j = 0; j < columns && k0 > 0; ++j)
            for (Index i = 0; i < rows; ++i) block[j * high + i] = to[i + j * out.ld];
          const double* const group = z + (j0_group - j0) * features;
          if (rows > lanes)
            distance_block<2>(features, x, group, k0 == 0, block);
          else
            distance_block<1>(features, x, group, k0 == 0, block);
          for (Index j = 0; j < columns; ++j) {
            if (rows == high) {
              store(load(block + j * high), to + j * out.ld);
              store(load(block + j * high + lanes), to + j * out.ld + lanes);
            } else {
              for (Index i = 0; i < rows; ++i) to[i + j * out.ld] = block[j * high + i];
            }
          }
        }
      }
    }
  }
}
