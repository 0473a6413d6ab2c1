#include "libcore/select/objective.hpp"

#include <cmath>
#include <utility>

#include "libcore/base/constants.hpp"

namespace freeridge {

void ObjectiveTables::set(Index l, Index output, const Objective& objective) {
  const auto put = [&](double value, Matrix& to) {
    to(l, output) = std::isfinite(value) ? value : nan;
    if (!std::isfinite(value)) undefined(l, text("the objective of output ", output, " has no value"));
  };
  put(objective.training, training_);
  put(objective.norm2, norm2_);
  put(objective.value, value_);
}

void ObjectiveTables::undefined(Index l, const std::string& cause) {
  keep_first(reason_, text(cause, " (lambda = ", lambdas_[l], ")"));
}

std::string ObjectiveTables::give(const ObjectiveViews& out) {
  for (const auto& [from, to] : {std::pair(&training_, out.training), {&norm2_, out.norm2}, {&value_, out.value}})
    if (to.data != nullptr) copy_out(from->view(), Layout::col_major, to.data, to.ld);
  return std::move(reason_);
}

ObjectiveTables objectives(const Factorization& factorization, Span<const double> lambdas) {
  const Problem& problem = factorization.problem();
  ObjectiveTables tables(lambdas, problem.t());
  Stage stage(0, 0);
  for (Index l = 0; l < std::ssize(lambdas); ++l) {
    stage.next(fraction(l + 1, std::ssize(lambdas)));
    const std::unique_ptr<ResidualMaker> residual_maker =
        factorization.try_at(lambdas[l], [&](const std::string& cause) { tables.undefined(l, cause); });
    for (Index j = 0; j < problem.t(); ++j)
      tables.set(l, j,
                 residual_maker ? objective_at(residual_maker->shrinkage(), residual_maker->squared_norm(j),
                                               residual_maker->function_norm2(j), lambdas[l], problem.sum_w)
                                : Objective{nan, nan, nan});
    report(1);
  }
  return tables;
}

}  // namespace freeridge
