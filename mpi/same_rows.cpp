#include "mpi/same_rows.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/random.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/stream/accumulator.hpp"

namespace freeridge::mpi {
namespace {

constexpr Index vectors = 4, rows_of_a_tile = 512;
constexpr double rounding = 1e-12, rounding_of_shift = 1e-10;

// |R v|^2 of one column.
double squared_norm(const RowStack& rows, const double* v) {
  const Index p = rows.p();
  const ConstMatrixView column{v, p, 1, p};
  double sum = 0;
  if (rows.rows().rows > 0) {
    Matrix product(rows.rows().rows, 1);
    gemm(Op::none, Op::none, 1, rows.rows(), column, 0, product.view());
    sum += dot(product.rows(), product.col(0), product.col(0));
  }
  if (rows.by_gram() && rows.sum().all().cols() > 0) {
    Array<double> product(p);
    symv(rows.sum().all().view(), v, product.data());
    sum += dot(p, v, product.data());
  }
  return sum;
}

// Vectors v with |v_j| |A_j| = 1. A column that is rounding beside its shift counts as
// large as that rounding may be.
Matrix random_vectors(const RowStack& rows) {
  const Index p = rows.p();
  Matrix v(p, vectors, 0.0);
  Random random(1);
  Array<double> unit(p, 0.0);
  for (Index j = 0; j < p; ++j) {
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[j] = 1;
    const double shift = rows.intercept() && j > 0 ? std::abs(rows.shift()[j - 1]) : 0;
    const double norm = std::max(std::sqrt(std::max(squared_norm(rows, unit.data()), 0.0)),
                                 rounding_of_shift * shift * std::sqrt(rows.sum_w()));
    for (Index k = 0; k < vectors; ++k) v(j, k) = (random.next() % 2 == 0 ? 1 : -1) / (norm > 0 ? norm : 1);
  }
  return v;
}

// Adds |A v|^2 over rows of this rank.
void add_squared_norms(const Accumulator& of, const Matrix& v, const Rows& x, const LayoutView& y,
                       const double* weights, Span<double> sum) {
  const RowStack& rows = of.rows();
  const Index n = x.rows;
  for (Index row = 0; row < n; row += rows_of_a_tile) {
    Matrix tile(std::min(rows_of_a_tile, n - row), rows.p()), product(tile.rows(), vectors);
    if (of.features().landmarks()) {
      of.features().form(x, row, tile.view().columns(rows.ones(), rows.d()));
      copy_rows(y, row, tile.view().columns(rows.ones() + rows.d(), rows.t()));
      weigh_rows(weights, row, rows.shift(), rows.d(), tile.view());
    } else {
      pack_weighted(x, y, weights, row, rows.shift(), tile.view());
    }
    gemm(Op::none, Op::none, 1, tile.view(), v.view(), 0, product.view());
    for (Index k = 0; k < vectors; ++k) sum[k] += dot(product.rows(), product.col(k), product.col(k));
  }
}

}  // namespace

void require_same_rows(const Team& team, const Accumulator& of, const capi::GivenRows& rows) {
  Matrix v;
  Array<double> found;  // |A v|^2 for each vector, and the number of rows
  team.together([&] {
    v = random_vectors(of.rows());
    found.resize(vectors + 1);
    rows.each([&](Index, const Rows& x, const LayoutView& y, const double* weights) {
      add_squared_norms(of, v, x, y, weights, Span(found.data(), vectors));
      found[vectors] += static_cast<double>(x.rows);
    });
  });
  team.sum(found);
  team.together([&] {
    const double n = static_cast<double>(of.rows().n()), size = static_cast<double>(of.rows().p());
    if (found[vectors] != n)
      fail(Status::dimension_mismatch, "the ranks have ", found[vectors], " rows, and the accumulator has ", n);
    for (Index k = 0; k < vectors; ++k)
      if (!(std::abs(found[k] - squared_norm(of.rows(), v.col(k))) <= rounding * size * size))
        fail(Status::dimension_mismatch,
             "the rows of the ranks are not those that were added to the accumulator: x, y or weights differ");
  });
}

}  // namespace freeridge::mpi
