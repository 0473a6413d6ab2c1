// The inverse of A = L L' by halves, with progress between them (progress.hpp), down to what LAPACK does within
// `grain`:
//     L^-1 = [L11^-1 .; -L22^-1 L21 L11^-1 L22^-1]       N = L^-1:   N'N = [N11'N11 + N21'N21 .; N22'N21 N22'N22]
#include "libcore/base/progress.hpp"
#include "libcore/linalg/blas_library.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/lapack_calls.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/linalg/work_done.hpp"

namespace freeridge {
namespace {

// Of each of the two steps.
double units_of_step(Index n) {
  return flop() * cube(n) / 3;
}

bool at_once(Index n) {
  return units_of_step(n) <= grain / 2;
}

// The parts of a lower triangle.
struct Halves {
  explicit Halves(MatrixView l)
      : first(l.block(0, 0, l.rows / 2, l.rows / 2)),
        below(l.block(l.rows / 2, 0, l.rows - l.rows / 2, l.rows / 2)),
        second(l.block(l.rows / 2, l.rows / 2, l.rows - l.rows / 2, l.rows - l.rows / 2)) {}
  MatrixView first, below, second;
};

// L = L^-1
void invert(MatrixView l) {
  if (at_once(l.rows)) {
    const TeamIfWorth team(units_of_step(l.rows));
    check(FREERIDGE_LAPACK(dtrtri, letter(Triangle::lower), 'N', blas_int(l.rows), l.data, blas_int(l.ld)), "dtrtri");
    return worked(units_of_step(l.rows));
  }
  const Halves of(l);
  trsm(Op::none, of.second, of.below);
  trsm_right(Op::none, of.first, of.below);
  for (Index j = 0; j < of.below.cols; ++j)
    for (Index i = 0; i < of.below.rows; ++i) of.below(i, j) = -of.below(i, j);
  invert(of.first);
  invert(of.second);
}

// B = L'B
void multiply_transposed(ConstMatrixView l, MatrixView b) {
  const double units = flop() * static_cast<double>(b.rows) * static_cast<double>(b.rows) * static_cast<double>(b.cols);
  if (units <= grain || b.rows < 128) {
    const TeamIfWorth team(units);
    FREERIDGE_BLAS(dtrmm, left_side, name_of(Triangle::lower), name_of(Op::transpose), not_unit, blas_int(b.rows),
                   blas_int(b.cols), 1.0, l.data, blas_int(l.ld), b.data, blas_int(b.ld));
    return worked(units);
  }
  const Index half = b.rows / 2, rest = b.rows - half;
  const MatrixView top = b.row_range(0, half), bottom = b.row_range(half, rest);
  multiply_transposed(l.block(0, 0, half, half), top);
  gemm(Op::transpose, Op::none, 1, l.block(half, 0, rest, half), bottom, 1, top);
  multiply_transposed(l.block(half, half, rest, rest), bottom);
}

// L = the lower triangle of L'L
void square(MatrixView l) {
  if (at_once(l.rows)) {
    const TeamIfWorth team(units_of_step(l.rows));
    check(FREERIDGE_LAPACK(dlauum, letter(Triangle::lower), blas_int(l.rows), l.data, blas_int(l.ld)), "dlauum");
    return worked(units_of_step(l.rows));
  }
  const Halves of(l);
  square(of.first);
  syrk(Op::transpose, 1, of.below, 1, of.first);
  multiply_transposed(of.second, of.below);
  square(of.second);
}

}  // namespace

void potri(MatrixView l) {
  if (l.rows == 0) return;
  if (at_once(l.rows)) {
    const double units = 2 * units_of_step(l.rows);
    const TeamIfWorth team(units);
    check(FREERIDGE_LAPACK(dpotri, letter(Triangle::lower), blas_int(l.rows), l.data, blas_int(l.ld)), "dpotri");
    return worked(units);
  }
  invert(l);
  square(l);
}

void trtri(MatrixView l) {
  if (l.rows > 0) invert(l);
}

void lauum(MatrixView l) {
  if (l.rows > 0) square(l);
}

}  // namespace freeridge
