// potrf and the condition of a factor: blocked_cholesky.cpp; geqrf and ormqr: blocked_qr.cpp; gesdd: svd.cpp.
#include "libcore/linalg/lapack.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "libcore/linalg/lapack_calls.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/linalg/work_done.hpp"

namespace freeridge {
namespace {

constexpr Index small_eigenproblem = 256;
constexpr double band_block = 32;  // columns that LAPACK factorizes at once

// with_workspace for routines that want integers, too.
template <class Run>
void with_workspaces(const Run& run) {
  double wanted = 0;
  BlasInt integers = 0;
  run(&wanted, BlasInt{-1}, &integers, BlasInt{-1});
  Matrix work(queried(wanted), 1);
  Array<BlasInt> iwork(std::max(integers, 1));
  run(work.data(), blas_int(work.rows()), iwork.data(), integers);
}

}  // namespace

Index pstrf(MatrixView a, double tolerance, Span<Index> pivots) {
  const Index n = a.rows;
  if (n == 0) return 0;
  Array<BlasInt> places(pivots.size());
  Array<double> work(2 * pivots.size());
  BlasInt rank = 0;
  const double units = flop() * cube(n) / 3;
  const TeamIfWorth team(units);
  const BlasInt info =
      FREERIDGE_LAPACK(dpstrf, 'L', blas_int(n), a.data, blas_int(a.ld), places.data(), &rank, tolerance, work.data());
  if (info < 0) check(info, "dpstrf");
  std::ranges::transform(places, pivots.begin(), [](BlasInt place) { return Index{place} - 1; });
  worked(units);
  return rank;
}

bool pbtrf(MatrixView ab) {
  if (ab.cols == 0) return true;
  const auto band = static_cast<double>(ab.rows);
  const TeamIfWorth team(flop() * band_block * band * band);
  const BlasInt info =
      FREERIDGE_LAPACK(dpbtrf, 'L', blas_int(ab.cols), blas_int(ab.rows - 1), ab.data, blas_int(ab.ld));
  if (info < 0) check(info, "dpbtrf");
  worked(10 * static_cast<double>(ab.cols) * band * band);
  return info == 0;
}

void tbtrs(Op op, ConstMatrixView l, MatrixView c) {
  if (c.rows == 0 || c.cols == 0) return;
  const Index columns = std::max<Index>(1, static_cast<Index>(grain / 20 / static_cast<double>(l.rows * l.cols)));
  if (c.cols > columns) {
    for (Index j = 0; j < c.cols; j += columns) tbtrs(op, l, c.columns(j, std::min(columns, c.cols - j)));
    return;
  }
  check(FREERIDGE_LAPACK(dtbtrs, 'L', letter(op), 'N', blas_int(l.cols), blas_int(l.rows - 1), blas_int(c.cols), l.data,
                         blas_int(l.ld), c.data, blas_int(c.ld)),
        "dtbtrs");
  worked(20 * static_cast<double>(l.rows * l.cols) * static_cast<double>(c.cols));
}

void syevd(MatrixView a, Span<double> w) {
  if (a.rows == 0) return;
  // Its many small steps are each handed to all threads of the BLAS, at twice the time of one thread.
  std::optional<SingleThreadedBlas> single;
  if (a.rows < small_eigenproblem) single.emplace();
  with_workspaces([&](double* work, BlasInt size, BlasInt* iwork, BlasInt isize) {
    check(FREERIDGE_LAPACK(dsyevd, 'V', 'L', blas_int(a.rows), a.data, blas_int(a.ld), w.data(), work, size, iwork,
                           isize),
          "dsyevd");
  });
}

void sbev(MatrixView ab, Span<double> w) {
  if (ab.cols == 0) return;
  const BlasInt n = blas_int(ab.cols), band = blas_int(ab.rows - 1), ld = blas_int(ab.ld);
  Array<double> work(3 * ab.cols);
  check(
      FREERIDGE_LAPACK(dsbev, 'N', 'L', n, band, ab.data, ld, w.data(), static_cast<double*>(nullptr), 1, work.data()),
      "dsbev");
  worked(10 * cube(ab.cols) / static_cast<double>(ab.cols) * static_cast<double>(ab.rows));
}

void stedc(Span<double> d, Span<double> e, MatrixView v) {
  if (v.rows == 0) return;
  const TeamIfWorth team(flop() * cube(v.rows));
  with_workspaces([&](double* work, BlasInt size, BlasInt* iwork, BlasInt isize) {
    check(FREERIDGE_LAPACK(dstedc, 'I', blas_int(v.rows), d.data(), e.data(), v.data, blas_int(v.ld), work, size, iwork,
                           isize),
          "dstedc");
  });
}

double larfg(Span<double> x) {
  double tau = 0;
  FREERIDGE_LAPACK_OF_VECTORS(dlarfg, blas_int(std::ssize(x)), x.data(), x.data() + 1, 1, &tau);
  return tau;
}

double laed4(Index i, Span<const double> d, Span<const double> z, double rho, double* delta) {
  double root = 0;
  check(FREERIDGE_LAPACK_STEP(dlaed4, blas_int(std::ssize(d)), blas_int(i + 1), d.data(), z.data(), delta, rho, &root),
        "dlaed4");
  return root;
}

double lasd4(Index i, Span<const double> d, Span<const double> z, double rho, double* difference, double* sum) {
  double root = 0;
  auto* const poles = const_cast<double*>(d.data());  // R's header has no const here
  auto* const numerators = const_cast<double*>(z.data());
  check(FREERIDGE_LAPACK_STEP(dlasd4, blas_int(std::ssize(d)), blas_int(i + 1), poles, numerators, difference, rho,
                              &root, sum),
        "dlasd4");
  return root;
}

void bdsdc(char uplo, Span<double> d, Span<double> e, MatrixView u, MatrixView vt) {
  const Index n = u.rows;
  if (n == 0) return;
  Matrix work(checked_doubles(3 * n + 4, n), 1);
  Array<BlasInt> iwork(8 * n);
  double unused = 0;
  BlasInt unused_int = 0;
  const TeamIfWorth team(flop() * cube(n));
  check(FREERIDGE_LAPACK(dbdsdc, uplo, 'I', blas_int(n), d.data(), e.data(), u.data, blas_int(u.ld), vt.data,
                         blas_int(vt.ld), &unused, &unused_int, work.data(), iwork.data()),
        "dbdsdc");
  worked(6 * cube(n));
}

void tpqrt(MatrixView r, MatrixView b, MatrixView t, MatrixView work) {
  if (b.rows == 0 || b.cols == 0) return;
  const double units = 2 * flop() * static_cast<double>(b.rows * b.cols) * static_cast<double>(b.cols);
  const TeamIfWorth team(units);
  check(FREERIDGE_LAPACK(dtpqrt, blas_int(b.rows), blas_int(b.cols), 0, blas_int(t.rows), r.data, blas_int(r.ld),
                         b.data, blas_int(b.ld), t.data, blas_int(t.ld), work.data),
        "dtpqrt");
  worked(units);
}

bool gesvj(MatrixView a, Span<double> s, MatrixView v, char shape) {
  const Index n = a.rows;
  if (n == 0) return true;
  Matrix work(std::max<Index>(2 * n, 6), 1);
  const double units = 30 * flop() * cube(n);
  const TeamIfWorth team(units);
  const BlasInt info = FREERIDGE_LAPACK(dgesvj, shape, 'U', 'V', blas_int(n), blas_int(n), a.data, blas_int(a.ld),
                                        s.data(), 0, v.data, blas_int(v.ld), work.data(), blas_int(work.rows()));
  if (info < 0) check(info, "dgesvj");
  if (work(0, 0) != 1)
    for (double& value : s) value *= work(0, 0);
  worked(units);
  return info == 0;
}

void geqp3(MatrixView a, Index fixed, Span<Index> order, Span<double> tau) {
  std::iota(order.begin(), order.end(), Index{0});
  if (a.rows == 0 || a.cols == 0) return;
  const BlasInt rows = blas_int(a.rows), cols = blas_int(a.cols);
  Array<BlasInt> place(cols, 0);
  std::fill_n(place.begin(), fixed, 1);
  with_workspace([&](double* work, BlasInt size) {
    check(FREERIDGE_LAPACK(dgeqp3, rows, cols, a.data, blas_int(a.ld), place.data(), tau.data(), work, size), "dgeqp3");
  });
  worked(4 * flop() * static_cast<double>(rows) * static_cast<double>(cols) *
         static_cast<double>(std::min(rows, cols)));
  std::ranges::transform(place, order.begin(), [](BlasInt j) { return Index{j} - 1; });
}

}  // namespace freeridge
