// The loops of single_loops.hpp for one instruction set; single_loops.cpp includes this file once for each, inside a
// namespace, after it has defined
//   FREERIDGE_LANES       how many floats a register holds
//   FREERIDGE_SQRT(v)     the square root of a register
//   FREERIDGE_ADD_PRODUCT(sum, x, y)   sum + x y of registers, rounded once where the processor can
//   FREERIDGE_FEW         how many columns are multiplied together: 8, or 4 where a register holds no more
//   FREERIDGE_ADD_FEW(sum, x, y)       sum + x y of so many floats
// It ends with the table of the loops, and undefines these.
// Nothing of the standard library may be instantiated here (value_loops_body.hpp says why).

constexpr Index lanes = FREERIDGE_LANES, side = SingleLoops::side, together = SingleLoops::together;
using Vec = float __attribute__((vector_size(4 * FREERIDGE_LANES)));
using Bits = std::int32_t __attribute__((vector_size(4 * FREERIDGE_LANES)));
constexpr Index width = FREERIDGE_FEW;
using Few = float __attribute__((vector_size(4 * FREERIDGE_FEW)));

template <class V>
inline V load(const float* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V>
inline void store(V v, float* to) {
  __builtin_memcpy(to, &v, sizeof v);
}

// exp(-u) = 2^m 2^r, m = round(-u / ln 2), |r| <= 1/2. Adding 1.5 2^23 leaves m in the low bits; 2^r by its Taylor
// polynomial, to 1.2e-7.
inline Vec exp_minus(Vec u) {
  constexpr float whole = 0x1.8p23f;
  const Vec limit = Vec{} + 87.0f;
  u = u > limit ? limit : u;
  const Vec t = u * -0x1.715476p0f;
  const Vec shifted = t + whole;
  const Vec r = t - (shifted - whole), r2 = r * r;
  const Vec p01 = 1.0f + 0x1.62e43p-1f * r, p23 = 0x1.ebfbep-3f + 0x1.c6b08ep-5f * r;
  const Vec p45 = 0x1.3b2ab6p-7f + 0x1.5d87fep-10f * r;
  const Vec p = p01 + r2 * (p23 + r2 * (p45 + r2 * 0x1.430912p-13f));
  return (Vec)((Bits)p + ((Bits)shifted << 23));
}

struct Gaussian {
  Vec operator()(Vec square) const { return exp_minus(square); }
};
struct Laplacian {
  Vec operator()(Vec square) const { return exp_minus(FREERIDGE_SQRT(square)); }
};
struct Matern32 {
  Vec operator()(Vec square) const {
    const Vec u = FREERIDGE_SQRT(square);
    return (1.0f + u) * exp_minus(u);
  }
};
struct Matern52 {
  Vec operator()(Vec square) const {
    const Vec u = FREERIDGE_SQRT(square);
    return (1.0f + (u + square * (1.0f / 3))) * exp_minus(u);
  }
};

template <class Profile>
inline void tile(const float* a, const float* b, Index d, float* out) {
  const Profile profile;
  for (Index j = 0; j < side; j += 4)
    for (Index i = 0; i < side; i += lanes) {
      Vec s0{}, s1{}, s2{}, s3{};
      for (Index k = 0; k < d; ++k) {
        const Vec v = load<Vec>(a + k * side + i);
        const float* const points = b + k * side + j;
        const Vec e0 = v - points[0], e1 = v - points[1], e2 = v - points[2], e3 = v - points[3];
        s0 = FREERIDGE_ADD_PRODUCT(s0, e0, e0);
        s1 = FREERIDGE_ADD_PRODUCT(s1, e1, e1);
        s2 = FREERIDGE_ADD_PRODUCT(s2, e2, e2);
        s3 = FREERIDGE_ADD_PRODUCT(s3, e3, e3);
      }
      store(profile(s0), out + j * side + i);
      store(profile(s1), out + (j + 1) * side + i);
      store(profile(s2), out + (j + 2) * side + i);
      store(profile(s3), out + (j + 3) * side + i);
    }
}

// Four columns of T at a time, whose sums stay in registers; each number of T is read once for both products, of `width`
// columns at a time.
inline void products(const float* t, const float* p_a, const float* p_b, float* own, float* other) {
  for (Index c = 0; c < together; c += width)
    for (Index j = 0; j < side; j += 4) {
      const float *const t0 = t + j * side, *const t1 = t0 + side, *const t2 = t1 + side, *const t3 = t2 + side;
      const float* const p = p_b + j * together + c;
      const Few p0 = load<Few>(p), p1 = load<Few>(p + together), p2 = load<Few>(p + 2 * together),
                p3 = load<Few>(p + 3 * together);
      Few s0{}, s1{}, s2{}, s3{};
      for (Index i = 0; i < side; ++i) {
        const Few q = load<Few>(p_a + i * together + c);
        const Few v0 = Few{} + t0[i], v1 = Few{} + t1[i], v2 = Few{} + t2[i], v3 = Few{} + t3[i];
        s0 = FREERIDGE_ADD_FEW(s0, v0, q);
        s1 = FREERIDGE_ADD_FEW(s1, v1, q);
        s2 = FREERIDGE_ADD_FEW(s2, v2, q);
        s3 = FREERIDGE_ADD_FEW(s3, v3, q);
        Few o = load<Few>(own + i * together + c);
        o = FREERIDGE_ADD_FEW(o, v0, p0);
        o = FREERIDGE_ADD_FEW(o, v1, p1);
        o = FREERIDGE_ADD_FEW(o, v2, p2);
        o = FREERIDGE_ADD_FEW(o, v3, p3);
        store(o, own + i * together + c);
      }
      float* const to = other + j * together + c;
      store(load<Few>(to) + s0, to);
      store(load<Few>(to + together) + s1, to + together);
      store(load<Few>(to + 2 * together) + s2, to + 2 * together);
      store(load<Few>(to + 3 * together) + s3, to + 3 * together);
    }
}

constexpr SingleLoops table = {tile<Gaussian>, tile<Laplacian>, tile<Matern32>, tile<Matern52>, products};

#undef FREERIDGE_LANES
#undef FREERIDGE_SQRT
#undef FREERIDGE_ADD_PRODUCT
#undef FREERIDGE_FEW
#undef FREERIDGE_ADD_FEW
