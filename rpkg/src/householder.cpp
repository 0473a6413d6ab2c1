// Householder's reduction by panels of columns, as LAPACK's dsytrd and dorgtr have it, of the same parts:
//     A <- A - V W' - W V'   for each panel of reflectors V,   Q = H_1 ... H_(d-2),  H_k = I - tau_k v_k v_k'
// LAPACK's dsytrd cannot be interrupted, and takes many seconds for d in the thousands.
// Source: Dongarra, Hammarling & Sorensen, Block reduction of matrices to condensed forms, 1989.
#include "householder.h"

#include "model.h"

// R's own BLAS and LAPACK
#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>

#include <algorithm>
#include <cstddef>

#ifndef FCONE
#define FCONE
#endif

namespace {

struct Matrix {
  double* at(int i, int j) const { return data + static_cast<std::size_t>(j) * static_cast<std::size_t>(ld) + i; }
  double* data;
  int ld;
};

// Columns of a panel. Each column reads all of A once; between panels the user can interrupt, so a panel must be short.
int panel_of(int d) {
  return std::clamp(static_cast<int>(1.5e8 / (static_cast<double>(d) * d)), 2, 32);
}

void reduce(int d, const Matrix& a, double* diagonal, double* off, double* tau) {
  const int panel = panel_of(d);
  const double one = 1, minus_one = -1;
  std::vector<double> w(static_cast<std::size_t>(d) * static_cast<std::size_t>(panel));
  int first = 0;
  for (; d - first > 2 * panel; first += panel) {
    check_interrupt();
    const int rows = d - first, rest = rows - panel, next = first + panel;
    F77_CALL(dlatrd)
    ("L", &rows, &panel, a.at(first, first), &a.ld, off + first, tau + first, w.data(), &d FCONE);
    F77_CALL(dsyr2k)
    ("L", "N", &rest, &panel, &minus_one, a.at(next, first), &a.ld, w.data() + panel, &d, &one, a.at(next, next),
     &a.ld FCONE FCONE);
    for (int j = first; j < next; ++j) {
      *a.at(j + 1, j) = off[j];
      diagonal[j] = *a.at(j, j);
    }
  }
  const int rows = d - first;
  int info = 0;
  F77_CALL(dsytd2)("L", &rows, a.at(first, first), &a.ld, diagonal + first, off + first, tau + first, &info FCONE);
}

// The reflectors stand below the subdiagonal; Q is 1 and a product of d - 1 of them, the last panel first.
void form(int d, const Matrix& a, double* tau) {
  for (int j = d - 1; j > 0; --j) {
    const double* const before = a.at(0, j - 1);
    std::copy(before + j + 1, before + d, a.at(0, j) + j + 1);
    std::fill(a.at(0, j), a.at(0, j) + j + 1, 0.0);
  }
  std::fill(a.at(0, 0), a.at(0, 0) + d, 0.0);
  *a.at(0, 0) = 1;
  if (d == 1) return;

  const int count = d - 1, panel = panel_of(d);
  const Matrix q{a.at(1, 1), a.ld};
  std::vector<double> t(static_cast<std::size_t>(panel) * static_cast<std::size_t>(panel));
  std::vector<double> work(static_cast<std::size_t>(d) * static_cast<std::size_t>(panel));
  for (int first = (count - 1) / panel * panel; first >= 0; first -= panel) {
    check_interrupt();
    const int here = std::min(panel, count - first), rows = count - first, rest = rows - here;
    if (rest > 0) {
      F77_CALL(dlarft)
      ("F", "C", &rows, &here, q.at(first, first), &q.ld, tau + first, t.data(), &panel FCONE FCONE);
      F77_CALL(dlarfb)
      ("L", "N", "F", "C", &rows, &rest, &here, q.at(first, first), &q.ld, t.data(), &panel, q.at(first, first + here),
       &q.ld, work.data(), &d FCONE FCONE FCONE FCONE);
    }
    int info = 0;
    F77_CALL(dorg2r)(&rows, &here, &here, q.at(first, first), &q.ld, tau + first, work.data(), &info);
  }
}

}  // namespace

void tridiagonalise(int d, std::vector<double>& a, std::vector<double>& diagonal, std::vector<double>& off) {
  const auto columns = static_cast<std::size_t>(d);
  const Matrix whole{a.data(), d};
  diagonal.resize(columns);
  off.resize(std::max<std::size_t>(columns, 2) - 1);
  std::vector<double> tau(off.size());
  reduce(d, whole, diagonal.data(), off.data(), tau.data());
  form(d, whole, tau.data());
}
