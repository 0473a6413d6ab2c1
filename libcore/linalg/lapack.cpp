#include "libcore/linalg/lapack.hpp"

#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "libcore/linalg/blas_int.hpp"
#include "libcore/linalg/threads.hpp"

// Not in LAPACKE.
extern "C" void LAPACK_GLOBAL(dlaed4, DLAED4)(const lapack_int* n, const lapack_int* i, const double* d,
                                              const double* z, double* delta, const double* rho, double* dlam,
                                              lapack_int* info);

namespace freeridge {
namespace {

constexpr Index small_eigenproblem = 256;

void check(lapack_int info, const char* routine) {
  if (info < 0) fail(Status::internal, "LAPACK ", routine, " refused argument ", -info);
  if (info > 0) fail(Status::not_converged, "LAPACK ", routine, " did not converge (info ", info, ")");
}

// The workspace size that a LAPACK query left in a double.
std::size_t queried(double size) {
  return static_cast<std::size_t>(std::max(1.0, std::ceil(size)));
}

char letter(Triangle triangle) {
  return triangle == Triangle::lower ? 'L' : 'U';
}

}  // namespace

bool potrf(MatrixView a, Triangle triangle) {
  if (a.rows == 0) return true;
  const lapack_int info =
      LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, letter(triangle), blas_int(a.rows), a.data, blas_int(a.ld));
  if (info < 0) check(info, "dpotrf");
  return info == 0;
}

double reciprocal_condition(ConstMatrixView l, double norm1, Triangle triangle) {
  if (l.rows == 0) return 1;
  std::vector<double> work(static_cast<std::size_t>(3 * l.rows));
  std::vector<lapack_int> iwork(static_cast<std::size_t>(l.rows));
  double rcond = 0;
  check(LAPACKE_dpocon_work(LAPACK_COL_MAJOR, letter(triangle), blas_int(l.rows), l.data, blas_int(l.ld), norm1, &rcond,
                            work.data(), iwork.data()),
        "dpocon");
  return rcond;
}

double symmetric_norm1(ConstMatrixView a, Triangle triangle) {
  if (a.rows == 0) return 0;
  std::vector<double> work(static_cast<std::size_t>(a.rows));
  return LAPACKE_dlansy_work(LAPACK_COL_MAJOR, '1', letter(triangle), blas_int(a.rows), a.data, blas_int(a.ld),
                             work.data());
}

bool pbtrf(MatrixView ab) {
  if (ab.cols == 0) return true;
  const lapack_int info =
      LAPACKE_dpbtrf_work(LAPACK_COL_MAJOR, 'L', blas_int(ab.cols), blas_int(ab.rows - 1), ab.data, blas_int(ab.ld));
  if (info < 0) check(info, "dpbtrf");
  return info == 0;
}

void tbtrs(Op op, ConstMatrixView l, MatrixView c) {
  if (c.rows == 0 || c.cols == 0) return;
  check(LAPACKE_dtbtrs_work(LAPACK_COL_MAJOR, 'L', op == Op::none ? 'N' : 'T', 'N', blas_int(l.cols),
                            blas_int(l.rows - 1), blas_int(c.cols), l.data, blas_int(l.ld), c.data, blas_int(c.ld)),
        "dtbtrs");
}

void syevd(MatrixView a, std::span<double> w) {
  if (a.rows == 0) return;
  double size = 0;
  lapack_int isize = 0;
  const lapack_int n = blas_int(a.rows), ld = blas_int(a.ld);
  check(LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, a.data, ld, w.data(), &size, -1, &isize, -1), "dsyevd");
  Matrix work(static_cast<Index>(queried(size)), 1);
  std::vector<lapack_int> iwork(static_cast<std::size_t>(std::max(isize, 1)));
  // Its many small steps are each handed to all threads of the BLAS, at twice the time of one thread.
  std::optional<SingleThreadedBlas> single;
  if (a.rows < small_eigenproblem) single.emplace();
  check(LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, a.data, ld, w.data(), work.data(), blas_int(work.rows()),
                            iwork.data(), isize),
        "dsyevd");
}

void stedc(std::span<double> d, std::span<double> e, MatrixView v) {
  if (v.rows == 0) return;
  double size = 0;
  lapack_int isize = 0;
  const lapack_int n = blas_int(v.rows), ld = blas_int(v.ld);
  check(LAPACKE_dstedc_work(LAPACK_COL_MAJOR, 'I', n, d.data(), e.data(), v.data, ld, &size, -1, &isize, -1), "dstedc");
  Matrix work(static_cast<Index>(queried(size)), 1);
  std::vector<lapack_int> iwork(static_cast<std::size_t>(std::max(isize, 1)));
  check(LAPACKE_dstedc_work(LAPACK_COL_MAJOR, 'I', n, d.data(), e.data(), v.data, ld, work.data(),
                            blas_int(work.rows()), iwork.data(), isize),
        "dstedc");
}

double larfg(std::span<double> x) {
  double tau = 0;
  check(LAPACKE_dlarfg_work(blas_int(static_cast<Index>(x.size())), x.data(), x.data() + 1, 1, &tau), "dlarfg");
  return tau;
}

double laed4(Index i, std::span<const double> d, std::span<const double> z, double rho, double* delta) {
  const lapack_int n = blas_int(static_cast<Index>(d.size())), number = blas_int(i + 1);
  double root = 0;
  lapack_int info = 0;
  LAPACK_GLOBAL(dlaed4, DLAED4)(&n, &number, d.data(), z.data(), delta, &rho, &root, &info);
  check(info, "dlaed4");
  return root;
}

Index pstrf(MatrixView a, double tolerance, std::span<Index> pivots) {
  if (a.rows == 0) return 0;
  std::vector<lapack_int> pivot(static_cast<std::size_t>(a.rows));
  std::vector<double> work(static_cast<std::size_t>(2 * a.rows));
  lapack_int rank = 0;
  const lapack_int info = LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', blas_int(a.rows), a.data, blas_int(a.ld),
                                              pivot.data(), &rank, tolerance, work.data());
  if (info < 0) check(info, "dpstrf");
  for (std::size_t i = 0; i < pivot.size(); ++i) pivots[i] = pivot[i] - 1;
  return rank;
}

void geqrf(MatrixView a, std::span<double> tau) {
  if (a.rows == 0 || a.cols == 0) return;
  double size = 0;
  const lapack_int rows = blas_int(a.rows), cols = blas_int(a.cols), ld = blas_int(a.ld);
  check(LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows, cols, a.data, ld, tau.data(), &size, -1), "dgeqrf");
  std::vector<double> work(queried(size));
  check(LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows, cols, a.data, ld, tau.data(), work.data(),
                            blas_int(static_cast<Index>(work.size()))),
        "dgeqrf");
}

void geqp3(MatrixView a, Index fixed, std::span<Index> order, std::span<double> tau) {
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<Index>(j);
  if (a.rows == 0 || a.cols == 0) return;
  double size = 0;
  const lapack_int rows = blas_int(a.rows), cols = blas_int(a.cols), ld = blas_int(a.ld);
  std::vector<lapack_int> place(static_cast<std::size_t>(cols), 0);
  std::fill_n(place.begin(), fixed, 1);
  check(LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, rows, cols, a.data, ld, place.data(), tau.data(), &size, -1), "dgeqp3");
  std::vector<double> work(queried(size));
  check(LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, rows, cols, a.data, ld, place.data(), tau.data(), work.data(),
                            blas_int(static_cast<Index>(work.size()))),
        "dgeqp3");
  std::ranges::transform(place, order.begin(), [](lapack_int j) { return Index{j} - 1; });
}

void ormqr(ConstMatrixView qr, std::span<const double> tau, MatrixView c, Op op) {
  if (c.rows == 0 || c.cols == 0 || tau.empty()) return;
  double size = 0;
  const char trans = op == Op::none ? 'N' : 'T';
  const lapack_int rows = blas_int(c.rows), cols = blas_int(c.cols), k = blas_int(static_cast<Index>(tau.size()));
  const lapack_int ldq = blas_int(qr.ld), ldc = blas_int(c.ld);
  check(LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', trans, rows, cols, k, qr.data, ldq, tau.data(), c.data, ldc, &size,
                            -1),
        "dormqr");
  std::vector<double> work(queried(size));
  check(LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', trans, rows, cols, k, qr.data, ldq, tau.data(), c.data, ldc,
                            work.data(), blas_int(static_cast<Index>(work.size()))),
        "dormqr");
}

void gesdd(MatrixView a, std::span<double> s, MatrixView u, MatrixView vt) {
  if (a.rows == 0 || a.cols == 0) return;
  double size = 0;
  const lapack_int rows = blas_int(a.rows), cols = blas_int(a.cols);
  std::vector<lapack_int> iwork(8 * s.size());
  const auto run = [&](double* work, lapack_int lwork) {
    check(LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', rows, cols, a.data, blas_int(a.ld), s.data(), u.data,
                              blas_int(u.ld), vt.data, blas_int(vt.ld), work, lwork, iwork.data()),
          "dgesdd");
  };
  run(&size, -1);
  Matrix work(static_cast<Index>(queried(size)), 1);
  run(work.data(), blas_int(work.rows()));
}

void gejsv(ConstMatrixView a, std::span<double> s, MatrixView u, MatrixView vt) {
  if (a.rows == 0) return;
  const Index n = a.rows;
  Matrix copy(n, n), v(n, n);
  for (Index j = 0; j < n; ++j) std::copy_n(a.col(j), n, copy.col(j));
  std::vector<double> work(static_cast<std::size_t>(2 * n * n + 6 * n + 7));
  std::vector<lapack_int> iwork(static_cast<std::size_t>(4 * n + 3));
  check(LAPACKE_dgejsv_work(LAPACK_COL_MAJOR, 'C', 'U', 'V', 'N', 'N', 'N', blas_int(n), blas_int(n), copy.data(),
                            blas_int(n), s.data(), u.data, blas_int(u.ld), v.data(), blas_int(n), work.data(),
                            blas_int(static_cast<Index>(work.size())), iwork.data()),
        "dgejsv");
  const double scale = work[0] / work[1];
  for (double& value : s) value *= scale;
  for (Index j = 0; j < n; ++j)
    for (Index k = 0; k < n; ++k) vt(k, j) = v(j, k);
}

}  // namespace freeridge
