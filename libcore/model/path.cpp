// Answers at many lambdas, whatever lambda is in force, from the one factorization: output j of lambda l is in column
// l t + j. Each lambda costs what Model::set_lambdas does. Beside the output there is one block of solutions,
//     C = [c(lambda_1) c(lambda_2) ...],      F = K(x*, X) C + b
// so that kernel values are made once for a block, which is as a rule all lambdas.
#include <algorithm>

#include "libcore/base/checks.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

constexpr Index path_doubles = 1 << 22;  // of a block of solutions: 32 MiB
constexpr Index path_columns = 1 << 13;

}  // namespace

Index Model::path_block() const {
  return std::max<Index>(1, std::min(path_doubles / std::max(n(), d()), path_columns) / t());
}

Model::Fit Model::solve_path(Span<const double> lambdas) const {
  const Index columns = static_cast<Index>(lambdas.size()) * t();
  Fit all;
  Stage stage(0, 0);
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    stage.next(fraction(l + 1, lambdas.size()));
    Fit one = solve(*factorization_, Array<double>(t(), lambdas[l]));
    const auto keep = [&](const Matrix& from, Matrix& to) {
      if (from.rows() == 0) return;
      if (to.rows() == 0) to = Matrix(from.rows(), columns);
      copy(from.view(), to.view().columns(static_cast<Index>(l) * t(), t()));
    };
    keep(one.solution.w, all.solution.w);
    if (one.landmark_x.rows() == 0) keep(one.solution.c, all.solution.c);
    keep(one.landmark_c, all.landmark_c);
    all.landmark_x = std::move(one.landmark_x);
    const auto append = [](const Array<double>& from, Array<double>& to) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(one.solution.b, all.solution.b);
    append(one.solution.level, all.solution.level);
  }
  return all;
}

void Model::predict_path(const Rows& points, Layout layout, Span<const double> lambdas, double* out,
                         Index ldout) const {
  require_factorized();
  require_lambdas("lambdas", lambdas);
  require_room_for_path(points.rows);
  const Hearing hearing(listener_);
  require_finite("x", points);
  const Index block = path_block(), all = std::ssize(lambdas);
  Stage stage(0, 0);
  for (Index first = 0; first < all; first += block) {
    const Index count = std::min(block, all - first);
    stage.next(fraction(2 * first + count, 2 * all));
    const Fit fit = solve_path(lambdas.subspan(first, count));
    stage.next(fraction(first + count, all));
    const Index column = static_cast<Index>(first) * t();
    freeridge::predict(prediction(fit), points, layout, out + (layout == Layout::col_major ? column * ldout : column),
                       ldout);
  }
}

void Model::coefficients_path(Span<const double> lambdas, MatrixView c, MatrixView b) const {
  require_factorized();
  require_lambdas("lambdas", lambdas);
  require_room_for_path(1);
  const Hearing hearing(listener_);
  Stage stage(0, 0);
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    stage.next(fraction(l + 1, lambdas.size()));
    const Fit fit = solve(*factorization_, Array<double>(t(), lambdas[l]));
    const MatrixView out = c.columns(static_cast<Index>(l) * t(), t());
    if (keeps_coefficients(fit))
      copy(fit.solution.c.view(), out);
    else
      make_coefficients(fit, out);
    if (b.data != nullptr) std::ranges::copy(fit.solution.b, b.col(static_cast<Index>(l)));
  }
  report(1);
}

void Model::hyperplane_path(Span<const double> lambdas, MatrixView w, MatrixView b) const {
  require_factorized();
  if (!factorization_->problem().linear())
    fail(Status::invalid_state, "only a linear kernel has a hyperplane; see freeridge_coefficients_path");
  require_lambdas("lambdas", lambdas);
  require_room_for_path(1);
  const Hearing hearing(listener_);
  Stage stage(0, 0);
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    stage.next(fraction(l + 1, lambdas.size()));
    const Fit fit = solve(*factorization_, Array<double>(t(), lambdas[l]));
    copy(fit.solution.w.view(), w.columns(static_cast<Index>(l) * t(), t()));
    if (b.data != nullptr) std::ranges::copy(fit.solution.b, b.col(static_cast<Index>(l)));
  }
  report(1);
}

}  // namespace freeridge
