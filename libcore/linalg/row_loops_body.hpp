// Included by row_loops.cpp once for each instruction set, inside a namespace of its own, with LANES (doubles a
// register) set. No function of another file is called here: an inline one, compiled for this instruction set, might
// become the one for the whole library.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): numbers of registers and lanes

#include "libcore/linalg/pack_body.hpp"

void rotate(Index n, double c, double s, const double* a, double* to, double* x) {
  Index i = 0;
  for (; i + LANES <= n; i += LANES) {
    const Pack of_a = load(a + i), of_x = load(x + i);
    store(to + i, c * of_a + s * of_x);
    store(x + i, c * of_x - s * of_a);
  }
  for (; i < n; ++i) {
    const double of_a = a[i], of_x = x[i];
    to[i] = c * of_a + s * of_x;
    x[i] = c * of_x - s * of_a;
  }
}

void unrotate(Index n, double c, double s, double* a, double* x) {
  const double inverse = 1 / c;
  Index i = 0;
  for (; i + LANES <= n; i += LANES) {
    const Pack of_x = load(x + i), made = (load(a + i) - s * of_x) * inverse;
    store(a + i, made);
    store(x + i, c * of_x - s * made);
  }
  for (; i < n; ++i) {
    a[i] = (a[i] - s * x[i]) * inverse;
    x[i] = c * x[i] - s * a[i];
  }
}

void add(Index n, double factor, const double* a, double* b) {
  Index i = 0;
  for (; i + LANES <= n; i += LANES) store(b + i, load(b + i) + factor * load(a + i));
  for (; i < n; ++i) b[i] += factor * a[i];
}

inline double total(Pack a, Pack b, Pack c, Pack d) {
  const Pack sums = (a + b) + (c + d);
  double sum = 0;
  for (int lane = 0; lane < LANES; ++lane) sum += sums[lane];
  return sum;
}

double dot(Index n, const double* a, const double* b) {
  Pack sum[4] = {};
  Index i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
    UNROLL
    for (int k = 0; k < 4; ++k) sum[k] += load(a + i + k * LANES) * load(b + i + k * LANES);
  }
  for (; i + LANES <= n; i += LANES) sum[0] += load(a + i) * load(b + i);
  double out = total(sum[0], sum[1], sum[2], sum[3]);
  for (; i < n; ++i) out += a[i] * b[i];
  return out;
}

double shifted_dot(Index n, const double* a, const double* shift, const double* b) {
  Pack sum[4] = {};
  Index i = 0;
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
    UNROLL
    for (int k = 0; k < 4; ++k)
      sum[k] += (load(a + i + k * LANES) - load(shift + i + k * LANES)) * load(b + i + k * LANES);
  }
  for (; i + LANES <= n; i += LANES) sum[0] += (load(a + i) - load(shift + i)) * load(b + i);
  double out = total(sum[0], sum[1], sum[2], sum[3]);
  for (; i < n; ++i) out += (a[i] - shift[i]) * b[i];
  return out;
}

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
