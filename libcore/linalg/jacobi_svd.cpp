#include "libcore/linalg/jacobi_svd.hpp"

#include <algorithm>
#include <vector>

#include "libcore/linalg/lapack_calls.hpp"
#include "libcore/linalg/scaling.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/linalg/work_done.hpp"

namespace freeridge {

void jacobi_svd(MatrixView a, std::span<double> s, MatrixView u, MatrixView vt) {
  const Index n = a.rows;
  if (n == 0) return;
  double largest = 0;
  for (Index j = 0; j < n; ++j) largest = std::max(largest, largest_magnitude({a.col(j), s.size()}));
  const int exponent = exponent_for_squares(largest);
  for (Index j = 0; j < n; ++j) scale({a.col(j), s.size()}, -exponent);
  Matrix v(n, n), work(checked_doubles(2 * n + 6, n), 1);
  std::vector<BlasInt> iwork(4 * s.size());
  const double units = 16 * flop() * cube(n);
  const TeamIfWorth team(units);
  check(
      FREERIDGE_LAPACK(dgejsv, 'F', 'U', 'V', 'N', 'N', 'N', blas_int(n), blas_int(n), a.data, blas_int(a.ld), s.data(),
                       u.data, blas_int(u.ld), v.data(), blas_int(n), work.data(), blas_int(work.rows()), iwork.data()),
      "dgejsv");
  const double unit = work(1, 0) / work(0, 0);
  if (unit != 1)
    for (double& value : s) value *= unit;
  scale(s, exponent);
  transpose(v.view(), vt);
  worked(units);
}

}  // namespace freeridge
