// The loops of pass_loops.hpp for one instruction set; pass_loops.cpp includes this file once for each, inside a
// namespace, after it has defined
//   FREERIDGE_REGISTER                 how many bytes a register holds
//   FREERIDGE_SQRT_FLOATS(v)           the square roots of a register of floats
//   FREERIDGE_SQRT_DOUBLES(v)          the same for doubles
//   FREERIDGE_ADD_FLOATS(sum, x, y)    sum + x y of registers, rounded once where the processor can
//   FREERIDGE_ADD_DOUBLES(sum, x, y)   the same for doubles
// It ends with the table of the loops, and undefines these.
// Nothing of the standard library may be instantiated here (value_loops_body.hpp says why).

constexpr Index side = PassLoops::side, together = PassLoops::together;
using Floats = float __attribute__((vector_size(FREERIDGE_REGISTER)));
using Doubles = double __attribute__((vector_size(FREERIDGE_REGISTER)));
using Words = std::uint64_t __attribute__((vector_size(FREERIDGE_REGISTER)));

inline Floats add_product(Floats sum, Floats x, Floats y) {
  return FREERIDGE_ADD_FLOATS(sum, x, y);
}
inline Doubles add_product(Doubles sum, Doubles x, Doubles y) {
  return FREERIDGE_ADD_DOUBLES(sum, x, y);
}
inline Floats root(Floats v) {
  return FREERIDGE_SQRT_FLOATS(v);
}
inline Doubles root(Doubles v) {
  return FREERIDGE_SQRT_DOUBLES(v);
}
template <class V, class Number>
inline V load(const Number* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V, class Number>
inline void store(V v, Number* to) {
  __builtin_memcpy(to, &v, sizeof v);
}

template <class Number>
struct Format;
template <>
struct Format<float> {
  using Register = Floats;
  using Bits = std::int32_t __attribute__((vector_size(FREERIDGE_REGISTER)));
  static constexpr float whole = 0x1.8p23f, most = 125;
  static constexpr int mantissa = 23;
  static constexpr float power[] = {0x1.62e42ap-1f, 0x1.ebf9bcp-3f, 0x1.c6b752p-5f, 0x1.3cea88p-7f, 0x1.5bba14p-10f};
};
template <>
struct Format<double> {
  using Register = Doubles;
  using Bits = std::int64_t __attribute__((vector_size(FREERIDGE_REGISTER)));
  static constexpr double whole = 0x1.8p52, most = 1020;
  static constexpr int mantissa = 52;
  static constexpr double power[] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff82c5a4p-3,  0x1.c6b08d7049fe8p-5,
                                     0x1.3b2ab6fba011ap-7,  0x1.5d87fe78cd6e0p-10, 0x1.4309130ed8d1cp-13,
                                     0x1.ffcbfba97ce99p-17, 0x1.62bfc79d3e80dp-20, 0x1.b5267ce6ae844p-24,
                                     0x1.e61b4fb01a2f1p-28, 0x1.e79bae839c839p-32};
};

// exp(-a v) = 2^m 2^r, m = round(-a v / ln 2), |r| <= 1/2; not below 2^-most. Adding 1.5 2^mantissa leaves m in the low
// bits; 2^r by the polynomial that is 1 at 0 and has the least relative error: 1.1e-7 and 2.7e-17 with rounded
// coefficients.
template <class Number>
struct Exponential {
  using Of = Format<Number>;
  using V = typename Of::Register;
  using Bits = typename Of::Bits;
  V rate, limit;

  explicit Exponential(double a)
      : rate(V{} + static_cast<Number>(-a * 0x1.71547652b82fep0)),
        limit(V{} + static_cast<Number>(Of::most * 0x1.62e42fefa39efp-1 / a)) {}
  V limited(V v) const { return v < limit ? v : limit; }
  // Of a number that is limited.
  V operator()(V v) const {
    const V shifted = add_product(V{} + Of::whole, v, rate), r = add_product(Of::whole - shifted, v, rate);
    constexpr int degree = sizeof Of::power / sizeof(Number);
    V p = V{} + Of::power[degree - 1];
#pragma GCC unroll 12
    for (int k = degree - 2; k >= 0; --k) p = add_product(V{} + Of::power[k], p, r);
    p = add_product(V{} + static_cast<Number>(1), p, r);
    return (V)((Bits)p + ((Bits)shifted << Of::mantissa));
  }
};

template <class Number>
struct Gaussian {
  Exponential<Number> exp_minus;
  using V = typename Exponential<Number>::V;
  explicit Gaussian(double factor) : exp_minus(factor) {}
  V operator()(V square) const { return exp_minus(exp_minus.limited(square)); }
};
template <class Number>
struct Laplacian {
  using V = typename Exponential<Number>::V;
  static constexpr Number one = 1;
  Exponential<Number> exp_minus{one};
  V factor;
  explicit Laplacian(double by) : factor(V{} + static_cast<Number>(by)) {}
  V argument(V square) const { return exp_minus.limited(root(square) * factor); }
  V operator()(V square) const { return exp_minus(argument(square)); }
};
template <class Number>
struct Matern32 : Laplacian<Number> {
  using Laplacian<Number>::Laplacian;
  using V = typename Exponential<Number>::V;
  V operator()(V square) const {
    const V u = this->argument(square);
    return (this->one + u) * this->exp_minus(u);
  }
};
template <class Number>
struct Matern52 : Laplacian<Number> {
  using Laplacian<Number>::Laplacian;
  using V = typename Exponential<Number>::V;
  V operator()(V square) const {
    const V u = this->argument(square);
    return (this->one + (u + u * u * (this->one / 3))) * this->exp_minus(u);
  }
};

// Two registers of points times four points, whose sums stay in registers.
template <class Number, class Profile>
inline void tile(const Number* a, const Number* b, Index d, double factor, Number* out) {
  using V = typename Format<Number>::Register;
  constexpr Index lanes = sizeof(V) / sizeof(Number), high = 2, wide = 4;
  const Profile profile(factor);
  for (Index j = 0; j < side; j += wide)
    for (Index i = 0; i < side; i += high * lanes) {
      V sum[wide][high] = {};
      for (Index k = 0; k < d; ++k) {
        const V v[high] = {load<V>(a + k * side + i), load<V>(a + k * side + i + lanes)};
#pragma GCC unroll 4
        for (Index c = 0; c < wide; ++c)
#pragma GCC unroll 2
          for (Index r = 0; r < high; ++r) {
            const V difference = v[r] - b[k * side + j + c];
            sum[c][r] = add_product(sum[c][r], difference, difference);
          }
      }
#pragma GCC unroll 4
      for (Index c = 0; c < wide; ++c)
#pragma GCC unroll 2
        for (Index r = 0; r < high; ++r) store(profile(sum[c][r]), out + (j + c) * side + i + r * lanes);
    }
}

// Of two floats in eight bytes: the first or second one in both places; both places exchanged.
constexpr bool high_first = std::endian::native == std::endian::big;
inline Floats repeated(Floats v, bool second) {
  const Words bits = (Words)v, half = second != high_first ? bits >> 32 : bits & 0xffffffff;
  return (Floats)(half | half << 32);
}
inline Floats with_other(Floats v) {
  const Words bits = (Words)v;
  return (Floats)(bits >> 32 | bits << 32);
}

// Products of one point with sums that lie by rows. Doubles: a row is a point.
inline Doubles of_point(const double* p, Index j, Index part) {
  return load<Doubles>(p + j * together + part);
}
inline void add_to_point(Doubles sum, double* p, Index j, Index part) {
  store(load<Doubles>(p + j * together + part) + sum, p + j * together + part);
}
// Floats: a row is two points, and sums of one come in two parts.
inline Floats of_point(const float* p, Index j, Index part) {
  return repeated(load<Floats>(p + j / 2 * 2 * together + part), j % 2 == 1);
}
inline void add_to_point(Floats sum, float* p, Index j, Index part) {
  float* const row = p + j / 2 * 2 * together + part;
  const Words mask = Words{} + ((j % 2 == 1) != high_first ? 0xffffffff00000000 : 0xffffffff);
  store(load<Floats>(row) + (Floats)((Words)(sum + with_other(sum)) & mask), row);
}

// `block` columns of T at a time, whose sums stay in registers. Eight bytes of T, one double or two floats, are read
// once into all of a register for both products: a load and two operations, which are what this loop waits for. Sums of
// few terms, of `block` or `rows`, are added to the others: rounding grows with the number of terms in a row.
template <class V, class Number>
inline void add_products(const Number* t, const Number* p_a, const Number* p_b, Number* own, Number* other) {
  constexpr Index points = 8 / sizeof(Number), lanes = sizeof(V) / sizeof(Number), rows = 64;
  constexpr Index block = sizeof(V) == 64 ? 8 : 4;  // of 32 or 16 registers
  for (Index part = 0; part < points * together; part += lanes)
    for (Index j = 0; j < side; j += block) {
      V p[block];
#pragma GCC unroll 8
      for (Index c = 0; c < block; ++c) p[c] = of_point(p_b, j + c, part);
      for (Index first = 0; first < side; first += rows) {
        V s[block] = {};
        for (Index i = first; i < first + rows; i += points) {
          const V q = load<V>(p_a + i * together + part);
          V o{};
#pragma GCC unroll 8
          for (Index c = 0; c < block; ++c) {
            const V v = (V)(Words{} + load<std::uint64_t>(t + (j + c) * side + i));
            s[c] = add_product(s[c], v, q);
            o = add_product(o, v, p[c]);
          }
          store(load<V>(own + i * together + part) + o, own + i * together + part);
        }
#pragma GCC unroll 8
        for (Index c = 0; c < block; ++c) add_to_point(s[c], other, j + c, part);
      }
    }
}
// The sums of a tile by themselves first: their rounding does not grow with those of other tiles.
template <class Number>
inline void products(const Number* t, const Number* p_a, const Number* p_b, double* own, double* other) {
  Number of_own[side * together] = {}, of_other[side * together] = {};
  add_products<typename Format<Number>::Register>(t, p_a, p_b, of_own, of_other);
  for (Index k = 0; k < side * together; ++k) own[k] += of_own[k];
  for (Index k = 0; k < side * together; ++k) other[k] += of_other[k];
}

template <class Number>
constexpr TileLoops<Number> loops_of = {tile<Number, Gaussian<Number>>, tile<Number, Laplacian<Number>>,
                                        tile<Number, Matern32<Number>>, tile<Number, Matern52<Number>>,
                                        products<Number>};
constexpr PassLoops table = {loops_of<float>, loops_of<double>};

#undef FREERIDGE_REGISTER
#undef FREERIDGE_SQRT_FLOATS
#undef FREERIDGE_SQRT_DOUBLES
#undef FREERIDGE_ADD_FLOATS
#undef FREERIDGE_ADD_DOUBLES
