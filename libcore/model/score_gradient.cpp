// The gradient of a criterion, made from the data: nothing that is factorized takes part. The ways to it:
//     dual          select/score_gradient.hpp: any kernel
// Derivatives are by the hyperparameters of the model's own kernel. With a penalised offset the problem's kernel is k + 1
// (plus_one), whose hyperparameters are those of k; of a linear k, too, where the problem that is factorized has a column of
// ones instead.
#include <memory>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/model/model.hpp"
#include "libcore/select/score_gradient.hpp"

namespace freeridge {

ProblemPtr Model::gradient_problem(const KernelPtr& kernel) const {
  if (offset_ != Offset::penalised || kernel->precomputed()) return make_problem(kernel);
  return std::make_shared<const Problem>(plus_one(kernel), data_->x, data_->y, data_->weight_values(), false);
}

ScoreGradient Model::score_gradient(Criterion criterion, double lambda) const {
  require_data();
  require_differentiable(criterion);
  require_lambdas("lambda", {&lambda, 1});
  const Groups* const groups = groups_for(criterion);
  if (data_->landmarks > 0)
    fail(Status::invalid_state, "the model has ", data_->landmarks,
         " landmarks, with which scores have no gradient; call freeridge_set_landmarks with a count of 0 first");
  const bool penalised = offset_ == Offset::penalised, given = kernel_->precomputed();
  const Index copy = penalised && given ? checked_doubles(offset_doubles(*kernel_, data_->x), 8) : 0;
  require_room(copy + score_gradient_bytes(*kernel_, n(), d(), t(), groups), "the gradient of a score",
               "use fewer points");
  const Hearing hearing(listener_);
  ScoreGradient out = freeridge::score_gradient(*gradient_problem(kernel_), criterion, groups, lambda);
  report(1);
  return out;
}

}  // namespace freeridge
