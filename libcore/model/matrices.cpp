// The matrices behind the answers (notation as in factorization.hpp):
//   eigenvalues of Z'K_wZ, 0 for those that are rounding, and the eigenvectors Z U in their n coordinates
//   condition and effective rank of G at a lambda (factor/eigenvalues.hpp)
//   H = W^(-1/2) (hat) W^(1/2),   fitted = H Y
//   P_M = W^(1/2) P W^(1/2),      c = P_M Y
#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

// W^(row) a W^(column) for the columns of a matrix from column `first` on; the powers are 1/2 or -1/2.
void weigh_columns(const Problem& problem, bool root_of_rows, Index first, MatrixView a) {
  for (Index q = 0; q < a.cols; ++q)
    for (Index i = 0; i < a.rows; ++i) {
      const double row = problem.sqrt_w[i];
      a(i, q) *= problem.sqrt_w[first + q];
      a(i, q) = root_of_rows ? a(i, q) * row : a(i, q) / row;
    }
}

}  // namespace

Array<double> Model::eigenvalues(Index count, MatrixView vectors) const {
  const Factorization& f = factorization();
  const Index m = f.problem().degrees();
  if (count > m)
    fail(Status::invalid_argument, "count is ", count, "; there are ", m, " eigenvalues",
         f.problem().q() > 1    ? text(", ", f.problem().q(), " less than points, as so many columns are not penalised")
         : f.problem().q() == 1 ? ", one less than points, as there is an intercept"
                                : "");
  require_room_for_eigenvalues(vectors.data != nullptr ? count : 0);
  const Hearing hearing(listener_);
  const Eigenvalues found = f.eigenvalues();
  Array<double> out(count, 0.0);
  for (Index k = 0; k < std::min(count, std::ssize(found.value)); ++k)
    if (found.counts(k)) out[k] = found.value[k];
  require_no_overflow("the eigenvalues", {out.data(), count, 1, count});
  Matrix made;
  if (vectors.data != nullptr) {
    if (const Index rank = found.rank(); count > rank)
      fail(Status::invalid_argument, "count is ", count, "; there are eigenvectors of the ", rank,
           " eigenvalues that are not zero to working precision");
    made = Matrix(n(), count);
    f.eigenvectors(made.view());
  }
  report(1);
  copy(made.view(), vectors);
  return out;
}

Model::Conditions Model::condition_number(Span<const double> lambdas) const {
  const Factorization& f = factorization();
  require_lambdas("lambdas", lambdas);
  require_room_for_eigenvalues(0);
  const Hearing hearing(listener_);
  const Eigenvalues found = f.eigenvalues();
  Conditions out;
  for (const double lambda : lambdas) {
    const Conditioning at = conditioning(found, f.problem().degrees(), lambda);
    if (std::isnan(at.condition) && out.reason.empty())
      out.reason = f.problem().degrees() == 0
                       ? text("one point with an intercept leaves no eigenvalue")
                       : text("the condition number is undefined at lambda = 0: all eigenvalues are zero");
    if (std::isinf(at.condition))
      fail(Status::not_finite, "the condition number at lambda = ", lambda, " overflows; rescale x");
    out.condition.push_back(at.condition);
    out.rank.push_back(at.rank);
  }
  report(1);
  return out;
}

void Model::hat_matrix(double lambda, MatrixView hat, MatrixView inverse) const {
  const Factorization& f = factorization();
  require_all_observed("a hat matrix");
  require_lambdas("lambda", {lambda});
  require_room(columns_bytes(), "the hat matrix", "use fewer points");
  const Hearing hearing(listener_);
  Stage stage(0, f.at_is_free() ? 0 : 0.2);
  const std::unique_ptr<ResidualMaker> maker = f.at(lambda);
  stage.next(1);
  matrix_columns(*maker, hat, inverse);
}

void Model::matrix_columns(const ResidualMaker& maker, MatrixView hat, MatrixView inverse) const {
  const Problem& problem = factorization_->problem();
  const Index rows = n(), block = std::min(columns_together, rows);
  Stage stage(0, 0);
  const bool any = hat.data != nullptr || inverse.data != nullptr;
  Matrix hat_room(rows, hat.data != nullptr ? block : 0), inverse_room(rows, inverse.data != nullptr ? block : 0);
  for (Index first = 0; first < rows && any; first += block) {
    const Index cols = std::min(block, rows - first);
    stage.next(fraction(first + cols, rows));
    const auto part = [&](MatrixView of) { return of.columns(0, std::min(of.cols, cols)); };
    const MatrixView h = part(hat_room.view()), p = part(inverse_room.view());
    maker.columns(first, h, p);
    weigh_columns(problem, false, first, h);
    weigh_columns(problem, true, first, p);
    require_no_overflow("the numbers of the hat matrix", h);
    require_no_overflow("the numbers of the inverse", p);
    report(1);
    copy(h, {hat.data + first * hat.ld, h.rows, h.cols, hat.ld});
    copy(p, {inverse.data + first * inverse.ld, p.rows, p.cols, inverse.ld});
  }
}

}  // namespace freeridge
