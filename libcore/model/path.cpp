// Answers at many lambdas, whatever lambda is in force, from one factorization: output j of lambda l is in column
// l t + j. Each lambda costs as much as Model::set_lambdas. Beside the answers one block of solutions is in memory,
//     C = [c(lambda_1) c(lambda_2) ...],      F = K(x*, X) C + b
// so that kernel values are made once for a block, which usually has all lambdas. Routes that know the spectrum make
// the solutions of some lambdas in one product, C = Q [g(lambda_1) g(lambda_2) ...], which reads Q once for all of
// them. Coefficients and hyperplanes are made lambda by lambda, with the bits that they have for one lambda.
#include <algorithm>

#include "libcore/base/checks.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

constexpr Index path_doubles = 1 << 22;  // of a block of solutions: 32 MiB
constexpr Index path_columns = 1 << 13;
// The number of solutions by one product, which takes four times their memory, and at most as much as a block.
constexpr Index product_columns = 32, product_doubles = path_doubles / 4;

}  // namespace

Index Model::path_block() const {
  return std::max<Index>(1, std::min(path_doubles / std::max(n(), d()), path_columns) / t());
}

Index Model::path_product() const {
  return std::max<Index>(1, std::min(product_doubles / std::max(n(), d()), product_columns) / t());
}

Model::Fit Model::solve_path(Span<const double> lambdas) const {
  const Index count = std::ssize(lambdas), columns = count * t();
  Index together = path_product();
  Fit all;
  for (Index l = 0; l < count; l += together) {
    std::optional<Fit> some;
    if (std::min(together, count - l) > 1) {
      const Stage stage(fraction(l, count), fraction(std::min(count, l + together), count));
      some = solve_together(lambdas.subspan(l, std::min(together, count - l)));
    }
    if (!some) {
      together = 1;
      const Stage stage(fraction(l, count), fraction(l + 1, count));
      some = solve(*factorization_, Array<double>(t(), lambdas[l]));
    }
    const auto keep = [&](const Matrix& from, Matrix& to) {
      if (from.rows() == 0) return;
      if (to.rows() == 0) to = Matrix(from.rows(), columns);
      copy(from.view(), to.view().columns(l * t(), from.cols()));
    };
    keep(some->solution.w, all.solution.w);
    keep(some->solution.fixed, all.solution.fixed);
    if (some->landmark_x.rows() == 0) keep(some->solution.c, all.solution.c);
    keep(some->landmark_c, all.landmark_c);
    all.landmark_x = std::move(some->landmark_x);
    const auto append = [](const Array<double>& from, Array<double>& to) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(some->solution.b, all.solution.b);
    append(some->solution.level, all.solution.level);
  }
  return all;
}

void Model::each_prediction(Span<const double> lambdas, Index m, const TakePrediction& take) const {
  require_factorized();
  require_lambdas("lambdas", lambdas);
  require_room_for_path(m);
  const Hearing hearing(listener_);
  const Index block = path_block(), all = std::ssize(lambdas);
  Stage stage(0, 0);
  for (Index first = 0; first < all; first += block) {
    const Index count = std::min(block, all - first);
    stage.next(fraction(2 * first + count, 2 * all));
    const Fit fit = solve_path(lambdas.subspan(first, count));
    stage.next(fraction(first + count, all));
    take(prediction(fit), first * t());
  }
}

template <class Take>
void Model::each_solution(Span<const double> lambdas, MatrixView out, MatrixView b, const Take& take) const {
  require_lambdas("lambdas", lambdas);
  require_room_for_path(1);
  const Hearing hearing(listener_);
  Stage stage(0, 0);
  for (Index l = 0; l < std::ssize(lambdas); ++l) {
    stage.next(fraction(l + 1, std::ssize(lambdas)));
    const Fit fit = solve(*factorization_, Array<double>(t(), lambdas[l]));
    if (out.data != nullptr) take(fit, out.columns(l * t(), t()));
    if (b.data != nullptr) std::ranges::copy(fit.solution.b, b.col(l));
  }
  report(1);
}

void Model::coefficients_path(Span<const double> lambdas, MatrixView c, MatrixView b) const {
  require_factorized();
  each_solution(lambdas, c, b, [&](const Fit& fit, MatrixView to) {
    if (keeps_coefficients(fit))
      copy(fit.solution.c.view(), to);
    else
      make_coefficients(fit, to);
  });
}

// Solves from the largest lambda to the smallest, each from the solution before.
void Model::hyperplanes_together(Span<const double> lambdas, MatrixView w, MatrixView b) const {
  require_lambdas("lambdas", lambdas);
  require_room_for_path(1);
  require_room(checked_doubles(d(), std::ssize(lambdas) * t()) * 8, "hyperplanes at many lambdas", "use fewer lambdas");
  const Hearing hearing(listener_);
  const std::optional<Fit> fit = solve_together(lambdas);
  if (!fit) fail(Status::invalid_state, "a hyperplane of sparse rows is not refined; ask for more accuracy");
  report(1);
  if (w.data != nullptr) copy(fit->solution.w.view(), w);
  if (b.data != nullptr)
    for (Index j = 0; j < std::ssize(fit->solution.b); ++j) b(j % t(), j / t()) = fit->solution.b[j];
}

void Model::hyperplane_path(Span<const double> lambdas, MatrixView w, MatrixView b) const {
  require_factorized();
  const bool linear = factorization_->problem().linear();
  if (w.data != nullptr && !linear)
    fail(Status::invalid_state, "only a linear kernel has a hyperplane; see freeridge_coefficients");
  if (linear && factorization_->route() == Route::iterative && std::ssize(lambdas) > 1)
    return hyperplanes_together(lambdas, w, b);
  each_solution(lambdas, w, b, [](const Fit& fit, MatrixView to) { copy(fit.solution.w.view(), to); });
}

}  // namespace freeridge
