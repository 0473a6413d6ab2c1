// The gradient of a criterion at the model's kernel and one lambda. The ways to it:
//     landmarks     select/landmark_gradient.hpp: where landmarks are set. Landmarks are held fixed: those that the
//                   model has, or would choose now
//     columns       select/primal_gradient.hpp: linear kernels with fewer columns than rows, where the route is AUTO or
//                   PRIMAL
//     dual          select/score_gradient.hpp and, for EVIDENCE, select/evidence.hpp: all else, from the data alone
// The first two take the factorization that the model has, or make one and drop it. Derivatives are by the
// hyperparameters of the model's own kernel. With a penalised offset the problem's kernel is k + 1 (plus_one), whose
// hyperparameters are those of k; of a linear k, too, but for `columns`, where the problem has a column of ones
// instead.
// Where outputs have missing values, J is a sum over the parts of outputs that are observed in the same rows, and each
// part is a model of these rows, with the landmarks of all rows:
//     J = sum_part sum_(j in part) score_j / divisor_j        (score_divisors, bandwidth.hpp)
#include <algorithm>
#include <memory>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/model/model.hpp"
#include "libcore/select/evidence.hpp"
#include "libcore/select/landmark_gradient.hpp"
#include "libcore/select/primal_gradient.hpp"
#include "libcore/select/score_gradient.hpp"

namespace freeridge {
namespace {

constexpr double few_digits = 1e-7;  // of tr K: a smaller lambda leaves K + lambda I less than nine digits

Index largest_group(const Groups* groups) {
  std::size_t out = 0;
  if (groups != nullptr)
    for (const Group& group : groups->all()) out = std::max(out, group.rows.size());
  return static_cast<Index>(out);
}

}  // namespace

std::shared_ptr<Problem> Model::gradient_problem(const KernelPtr& kernel) const {
  if (offset_ != Offset::penalised || kernel->precomputed()) return make_problem(kernel);
  auto out = std::make_shared<Problem>(plus_one(kernel), data_->x, data_->y, data_->weight_values(), false,
                                       data_->fixed_view());
  out->missing = data_->missing;
  out->known_sigma2 = known_sigma2_;
  return out;
}

void Model::require_landmark_gradient() const {
  if (kernel_->precomputed() && kernel_->is_sum())
    fail(Status::invalid_state,
         "the model has landmarks, and the matrices of its kernel are given: their weights have no "
         "derivatives then; set none (freeridge_set_landmarks)");
}

ScoreGradient Model::gradient_with(const KernelPtr& kernel, const Landmarks& landmarks, Criterion criterion,
                                   const Groups* groups, double lambda) const {
  const auto of = [&](ProblemPtr problem, const Landmarks& chosen, const Groups* own) {
    Stage stage(0, 0.25);
    const FactorizationPtr f = factorize_landmark(std::move(problem), chosen, reduction_);
    stage.next(1);
    return freeridge::landmark_gradient(*f, criterion, own, lambda);
  };
  const ProblemPtr problem = gradient_problem(kernel);
  if (!data_->missing) return of(problem, landmarks, groups);
  Landmarks chosen = landmarks;
  chosen.rows = choose_landmarks(*problem->kernel, problem->x, landmarks);
  return sum_over_parts(criterion, Columns::all, [&](const Model& part) {
    const std::shared_ptr<Problem> own = part.gradient_problem(kernel);
    own->basis = problem->x;
    return of(own, chosen, part.groups_for(criterion));
  });
}

Index Model::landmark_learning_bytes(Index rows, Index landmarks, const Groups* groups) const {
  const Index columns = kernel_->precomputed() ? n() : d();
  const Index copies = data_->missing ? checked_doubles(rows, columns + 2 * t() + fixed_count()) : 0;
  return checked_doubles(copies, 8) +
         landmark_gradient_bytes(*kernel_, rows, d(), t(), fixed_count() + 1, landmarks, largest_group(groups));
}

ScoreGradient Model::sum_over_parts(Criterion criterion, Columns columns,
                                    const std::function<ScoreGradient(const Model&)>& of) const {
  const Array<double> divisors = score_divisors(*make_problem(kernel_), criterion);
  ScoreGradient sum;
  Stage stage(0, 0);
  Index done = 0;
  for (const MissingOutputs::Part& part : data_->missing->parts()) {
    const Model model = of_rows(other_indices(part.rows, n()), criterion == Criterion::groups, part.outputs, columns);
    stage.next(fraction(++done, std::ssize(data_->missing->parts())));
    const ScoreGradient gradient = of(model);
    const double share = part.outputs.size() == 1 ? 1 / divisors[part.outputs[0]] : 1;  // several have their divisors
    add(sum, gradient, share);
  }
  require_finite(sum, *kernel_);
  return sum;
}

ScoreGradient Model::dual_gradient(const KernelPtr& kernel, Criterion criterion, const Groups* groups, double lambda,
                                   Modes& modes) const {
  if (criterion == Criterion::evidence) return evidence_gradient(*gradient_problem(kernel), lambda, modes);
  if (!data_->missing) return freeridge::score_gradient(*gradient_problem(kernel), criterion, groups, lambda);
  return sum_over_parts(criterion, Columns::own, [&](const Model& part) {
    return part.dual_gradient(kernel, criterion, part.groups_for(criterion), lambda, modes);
  });
}

double Model::dual_reml(const KernelPtr& kernel, double lambda) const {
  if (!data_->missing) return reml_score(*gradient_problem(kernel), lambda);
  return sum_over_parts(Criterion::reml, Columns::own,
                        [&](const Model& part) {
                          return ScoreGradient{part.dual_reml(kernel, lambda), 0, {}};
                        })
      .score;
}

ScoreGradient Model::landmark_gradient(Criterion criterion, const Groups* groups, double lambda) const {
  require_landmark_gradient();
  const bool linear = kernel_->linear_scale(d()).has_value(), other_problem = linear && offset_ == Offset::penalised;
  Landmarks wanted = wanted_landmarks();
  FactorizationPtr f = factorization_;
  if (f && f->route() != Route::landmark) f = nullptr;  // of a forged file
  if (f) wanted.rows.assign(f->landmarks().begin(), f->landmarks().end());
  if (f) wanted.count = std::ssize(wanted.rows);
  const Index own = landmark_learning_bytes(n(), wanted.count, groups);
  require_room(own + (f && !other_problem && !data_->missing ? 0 : memory_required()), "the gradient of a score",
               "use fewer landmarks or smaller groups");
  const Hearing hearing(listener_);
  if (!f || other_problem || data_->missing) return gradient_with(kernel_, wanted, criterion, groups, lambda);
  return freeridge::landmark_gradient(*f, criterion, groups, lambda);
}

ScoreGradient Model::primal_gradient(Criterion criterion, const Groups* groups, double lambda) const {
  FactorizationPtr f = factorization_;
  if (f && f->route() != Route::primal) f = nullptr;
  require_room(primal_gradient_bytes(n(), d() + 1, t(), largest_group(groups)) + (f ? 0 : memory_required()),
               "the gradient of a score", "use smaller groups");
  Stage stage(0, 0.6);
  if (!f) f = factorized(kernel_, {});
  stage.next(1);
  return freeridge::primal_gradient(*f, *kernel_, d(), criterion, groups, lambda);
}

// Where there are as many columns as rows, the kernel matrix does as well and is faster, unless K + lambda I has few
// digits or PRIMAL is at hand.
bool Model::by_columns(Criterion criterion, double lambda) const {
  const Request of = request(kernel_);
  if (data_->fixed || !of.linear || is_of_labels(criterion) || (route_ != Route::automatic && route_ != Route::primal))
    return false;
  if (of.d < of.n - (offset_ == Offset::free ? 1 : 0) || route_ == Route::primal) return true;
  if (factorization_) return factorization_->route() == Route::primal;
  if (make_plan(of).route != Route::primal) return false;
  const ProblemPtr problem = make_problem(kernel_);
  double trace = 0;
  Matrix row(1, problem->d());
  for (Index i = 0; i < problem->n(); ++i) {
    problem->weighted_rows(i, row.view());
    trace += dot(problem->d(), row.data(), row.data());
    worked(touched * static_cast<double>(problem->d()));
  }
  return lambda < few_digits * trace;
}

ScoreGradient Model::gradient_of_all(Criterion criterion, const Groups* groups, double lambda) const {
  if (by_columns(criterion, lambda)) return primal_gradient(criterion, groups, lambda);
  const Index copy = offset_ == Offset::penalised && kernel_->precomputed()
                         ? checked_doubles(offset_doubles(*kernel_, data_->x), 8)
                         : 0;
  const bool evidence = criterion == Criterion::evidence;
  const Index own = evidence ? evidence_gradient_bytes(*kernel_, n(), d(), t())
                             : score_gradient_bytes(*kernel_, n(), d(), t(), criterion, groups);
  require_room(
      copy + own, "the gradient of a score",
      is_of_labels(criterion) ? "use fewer points" : "use landmarks (freeridge_set_landmarks) or fewer points");
  Modes modes;
  if (evidence) return evidence_gradient(*gradient_problem(kernel_), lambda, modes);
  return freeridge::score_gradient(*gradient_problem(kernel_), criterion, groups, lambda);
}

// J is the same with (w k, w lambda), so that dJ / d log w = -dJ / d log lambda. Where K is large beside lambda, both are
// small, and only the second has its digits.
ScoreGradient Model::with_exact_factor(ScoreGradient gradient) const {
  const std::optional<Index> place = factor_of_kernel(*kernel_);
  if (place && offset_ != Offset::penalised && hyperparameters(*kernel_)[*place] > 0)
    gradient.kernel[*place] = -gradient.log_lambda;
  return gradient;
}

ScoreGradient Model::score_gradient(Criterion criterion, double lambda) const {
  data("the gradient of a score");
  require_differentiable(criterion);
  require_lambdas("lambda", {&lambda, 1});
  const Groups* const groups = groups_for(criterion);
  if (data_->landmarks > 0) {
    require_not_of_labels(criterion);
    make_plan(request(kernel_));  // refuses a route that takes no landmarks
    return with_exact_factor(landmark_gradient(criterion, groups, lambda));
  }
  const Hearing hearing(listener_);
  const auto of = [&](const Model& model) {
    return model.gradient_of_all(criterion, model.groups_for(criterion), lambda);
  };
  const bool in_parts = data_->missing && criterion != Criterion::evidence;
  ScoreGradient out = in_parts ? sum_over_parts(criterion, Columns::own, of) : of(*this);
  report(1);
  return with_exact_factor(std::move(out));
}

}  // namespace freeridge
