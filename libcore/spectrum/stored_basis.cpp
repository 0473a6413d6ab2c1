#include "libcore/spectrum/stored_basis.hpp"

#include <algorithm>

#include "libcore/linalg/blas.hpp"

namespace freeridge {
namespace {
constexpr Index projected_rows = 1024;  // of B in one product
}  // namespace

// E = N (N Y~): where X fits Y to within rounding, N Y~ computed once is rounding alone, and has parts along B and q1,
// which N must not leave. At a small lambda, c~ = B g + E / lambda would have these parts divided by lambda.
void StoredBasis::orthogonalise_rest(ConstMatrixView b) {
  const ConstMatrixView q1 = problem().q1().view();
  Matrix inside(b.cols, rest_.cols());
  gemm(Op::transpose, Op::none, 1, b, rest_.view(), 0, inside.view());
  gemm(Op::none, Op::none, -1, b, inside.view(), 1, rest_.view());
  if (q1.cols == 0) return;
  Matrix along(q1.cols, rest_.cols());
  gemm(Op::transpose, Op::none, 1, q1, rest_.view(), 0, along.view());
  gemm(Op::none, Op::none, -1, q1, along.view(), 1, rest_.view());
}

EachProjectedTile StoredBasis::projected_tiles() const {
  return [this](ConstMatrixView directions, ConstMatrixView constant, const UseProjectedTile& use) {
    const Index n = problem().n(), rows = std::min<Index>(projected_rows, n);
    Matrix room(rows, directions.cols);
    for (Index row = 0; row < n; row += rows) {
      const Index count = std::min(rows, n - row);
      const MatrixView z = room.view().row_range(0, count);
      gemm(Op::none, Op::none, 1, basis().row_range(row, count), directions, 0, z);
      finish_projection(problem().q1().view().row_range(row, count), constant, z);
      use(row, z, rest_.view().row_range(row, count));
    }
  };
}

StoredBasis::StoredBasis(ProblemPtr the_problem, Matrix storage, Array<double> eigenvalues, Array<double> noise,
                         double sure)
    : SpectrumFactorization(std::move(the_problem)), storage_(std::move(storage)) {
  const Problem& p = problem();
  Spectrum spectrum{.eigenvalues = std::move(eigenvalues), .noise = std::move(noise), .sure = sure};
  const Index rank = spectrum.r();
  const ConstMatrixView b = storage_.view().columns(storage_.cols() - rank, rank);
  spectrum.gamma = Matrix(rank, p.t());
  gemm(Op::transpose, Op::none, 1, b, p.y_tilde.view(), 0, spectrum.gamma.view());
  set_spectrum(std::move(spectrum));
  if (!complement()) return;

  rest_ = Matrix(p.n(), p.t());
  rest_diagonal_.resize(p.n());
  Array<Index> small;
  set_rest(b, p.y_tilde.view(), p.q1().view(), rest_.view(), rest_diagonal_, small);
  orthogonalise_rest(b);
  if (!small.empty()) {
    const std::shared_ptr<const SmallResiduals> mended = small_residuals(std::move(small));
    for (std::size_t s = 0; s < mended->rows.size(); ++s) {
      const Index i = mended->rows[s];
      rest_diagonal_[i] = mended->diagonal[s];
      for (Index j = 0; j < p.t(); ++j) rest_(i, j) = mended->rest(static_cast<Index>(s), j);
    }
  }
  Array<double> norm2(p.t());
  for (Index j = 0; j < p.t(); ++j) norm2[j] = dot(p.n(), rest_.col(j), rest_.col(j));
  set_rest_norm2(std::move(norm2));
}

SpectrumFactorization::Tile StoredBasis::tile(Index row, Index count, Room&) const {
  const ConstMatrixView b = basis().row_range(row, count);
  if (!complement()) return {b, {}, {}, {}};
  return {b, rest_.view().row_range(row, count), Span(rest_diagonal_).subspan(row, count), {}};
}

SpectrumFactorization::Tile StoredBasis::gather(Span<const Index> which, Room& room) const {
  const Index s = static_cast<Index>(which.size());
  const auto pick = [&](ConstMatrixView from, Matrix& to) {
    to = Matrix(s, from.cols);
    for (Index j = 0; j < from.cols; ++j) {
      for (Index i = 0; i < s; ++i) to(i, j) = from(which[i], j);
      worked(4 * touched * static_cast<double>(s));
    }
  };
  pick(basis(), room.b);
  if (!complement()) return {room.b.view(), {}, {}, {}};
  pick(rest_.view(), room.rest);
  room.rest_diagonal.clear();
  for (const Index i : which) room.rest_diagonal.push_back(rest_diagonal_[i]);
  return {room.b.view(), room.rest.view(), room.rest_diagonal, {}};
}

}  // namespace freeridge
