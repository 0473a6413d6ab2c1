// Model::select_kernel. The kernel is learnt on some of the rows (kernel_search.hpp); then all rows are factorized with
// it, and lambda is chosen on all of them. Where landmarks are set and the kernel is learnt on many rows, the last
// stage of the search uses the model with landmarks. These are chosen once, with the kernel that REML finds on the
// sample.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/base/random.hpp"
#include "libcore/kernel/given_values.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/kernel/kernel_text.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/model/model.hpp"
#include "libcore/select/local_blocks.hpp"
#include "libcore/select/noise_prior.hpp"
#include "libcore/select/variance_ratios.hpp"

namespace freeridge {
namespace {

constexpr double usual_shrinkage = 0.5;
constexpr double cubes_of_search = 40;  // 4/3 rows^3 flops for some 30 evaluations
// Of the stretch of progress after the search.
constexpr double part_of_factorization = 0.5, part_of_solution = 0.1;
constexpr double square_matrices = 2.25;     // of the side rows, that a gradient takes
constexpr double square_of_evidence = 3.25;  // the same
constexpr Index rows_of_size = 64;           // on which the size of a kernel is measured

// The part of the stretch of progress that the search takes; work: of what follows, as cost.hpp counts it.
double part_of_search(Index rows, double work) {
  const auto side = static_cast<double>(rows);
  const double search = cubes_of_search * side * side * side;
  return std::clamp(search / (search + work), 0.02, 0.98);
}

// The first `count` of rows in random order, ascending.
Array<Index> ascending(Span<const Index> order, Index count) {
  Array<Index> out(order.begin(), order.begin() + count);
  std::ranges::sort(out);
  return out;
}

// One number for all outputs.
double geometric_mean(Span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

// The range, widened so that it holds lambda: the best lambda may lie where rounding begins, a place that depends on
// the kernel.
LambdaRange holding(LambdaRange range, double lambda) {
  return {std::min(range.low, lambda), std::max(range.high, lambda)};
}

// The penalty that is added to the criterion in the choice of lambda for the learnt kernel; empty: none.
std::function<double(double)> noise_penalty_of(const KernelSearch& search, const KernelSearchOptions& options,
                                               Index n) {
  if (!has_noise_prior(options.criterion, options)) return {};
  const double unit = options.criterion == Criterion::log_loss ? static_cast<double>(n) : 1;
  return [=, spread = search.spread](double lambda) { return noise_penalty(lambda, spread).value / unit; };
}

// Whether more than a quarter of the rows are copies of others, in the mean of the outputs.
bool has_copies(const Problem& problem) {
  Index count = 0;
  for (Index j = 0; j < problem.t(); ++j) count += problem.copies_of(j).count;
  return 4 * count > problem.n() * problem.t();
}

// The search for lambda that EVIDENCE has in the one for the kernel.
LambdaSearch found_with_kernel(const KernelSearch& search, Index t) {
  LambdaSearch out;
  out.criterion = Criterion::evidence;
  out.lambdas = {search.lambda};
  out.scores = Matrix(1, t, nan);
  out.best.assign(t, search.lambda);
  out.best_score = out.standard_error = Array<double>(t, nan);
  out.decades.assign(t, 0.0);
  out.edge = out.dips = Array<std::int32_t>(t, 0);
  return out;
}

}  // namespace

RowsOfSearch Model::rows_of_search(Criterion criterion) const {
  const Groups* const groups = criterion == Criterion::groups ? groups_for(criterion) : nullptr;
  const auto modes = std::make_shared<Modes>();  // of the last evaluation, where the next one begins
  return {n(), t(),
          [this, groups, modes](const KernelPtr& kernel, Criterion by, double lambda) {
            return dual_gradient(kernel, by, groups, lambda, *modes);
          },
          [this](const KernelPtr& kernel, double lambda) { return dual_reml(kernel, lambda); }};
}

// Blocks need lengths, and rows that are not sparse; fixed effects and missing outputs may have no values in a block.
bool Model::learns_by_blocks() const {
  return n() >= least_for_blocks && !data_->x.is_sparse() && !kernel_->precomputed() && !data_->fixed &&
         !data_->missing && !lengths_of_columns(*kernel_, d()).empty();
}

RowsOfSearch Model::blocks_of_search(const KernelPtr& kernel) const {
  const auto blocks = std::make_shared<Array<Model>>();
  for (const Array<Index>& rows :
       local_blocks(data_->x.dense(), lengths_of_columns(*kernel, d()), data_->y, most_of_block))
    blocks->push_back(of_rows(rows, false));
  return {n(),
          t(),
          [blocks](const KernelPtr& at, Criterion by, double lambda) {
            Array<ScoreGradient> parts(blocks->size());
            parallel_for(std::ssize(parts), [&](Index k) {
              Modes modes;
              parts[k] = (*blocks)[k].dual_gradient(at, by, nullptr, lambda, modes);
            });
            ScoreGradient sum;
            for (const ScoreGradient& part : parts) add(sum, part, 1);
            return sum;
          },
          {}};
}

LambdaOfSample Model::lambda_of_sample(const KernelPtr& kernel, Criterion criterion) const {
  Stage stage(0, 0.7);
  const FactorizationPtr factorization = factorized(kernel, {});
  stage.next(1);
  const LambdaRange range = lambda_range(*factorization);
  const LambdaSearch search = search_lambda(*factorization, criterion, groups_for(criterion), range);
  const double low = std::max(sure_of_matrix * factorization->tolerance(), factorization->floor());
  return {low, geometric_mean(search.best), combined_score(factorization->problem(), criterion, search.best_score)};
}

bool Model::learns_with_landmarks(Index rows) const {
  return data_->landmarks > 0 && rows > usual_rows_of_kernel;
}

// The landmarks of the model, where the search has all rows. Of fewer rows as many landmarks at most, which are still
// to be chosen.
Landmarks Model::landmarks_to_learn(Index rows) const {
  Landmarks out = wanted_landmarks();
  if (rows < n()) out.rows.clear();
  out.count = std::min(out.count, rows);
  return out;
}

KernelSearch Model::learn_kernel(const KernelVariables& variables, Span<const Index> order, Index rows,
                                 const KernelSearchOptions& options) const {
  const bool apart = learns_with_landmarks(rows), by_groups = options.criterion == Criterion::groups;
  const Index dual = apart ? usual_rows_of_kernel : rows;
  const Index sample = std::min(rows, sample_of_kernel_search);
  const Model of_sample = of_rows(ascending(order, sample), false);
  const Index part = is_of_labels(options.criterion) ? 0 : rows_for_starts(rows);
  std::optional<Model> of_part;
  if (part > 0 && part < sample) of_part.emplace(of_rows(ascending(order, part), false));
  const Index few = std::min(rows, few_of_kernel_search);
  const Model of_few = of_rows(ascending(order, few), false);
  const Model of_search = of_rows(ascending(order, dual), by_groups && !apart);
  std::optional<Model> of_all;
  Landmarks landmarks;
  const RowsOfSearch likelihood = of_search.rows_of_search(apart ? Criterion::reml : options.criterion);
  RowsOfSearch all = likelihood;
  std::function<void(const KernelPtr&)> choose;
  if (apart) {
    of_all.emplace(of_rows(ascending(order, rows), by_groups));
    landmarks = landmarks_to_learn(rows);
    const Groups* const groups = of_all->groups_for(options.criterion);
    all = {rows,
           t(),
           [&, groups](const KernelPtr& kernel, Criterion by, double lambda) {
             return of_all->gradient_with(kernel, landmarks, by, groups, lambda);
           },
           {}};
    choose = [&](const KernelPtr& kernel) {
      const ProblemPtr problem = of_all->gradient_problem(kernel);
      if (landmarks.rows.empty()) landmarks.rows = choose_landmarks(*problem->kernel, problem->x, landmarks);
    };
  }
  std::function<RowsOfSearch(const KernelPtr&)> blocks;
  if (!is_of_labels(options.criterion) && of_search.learns_by_blocks())
    blocks = [&](const KernelPtr& kernel) { return of_search.blocks_of_search(kernel); };
  double weight = 0;  // the mean of the rows
  for (Index i = 0; i < rows; ++i) weight += data_->weight_of(order[i]) / static_cast<double>(rows);
  std::function<LambdaOfSample(const KernelPtr&, Criterion)> whole;
  if (rows <= sample_of_kernel_search)
    whole = [&](const KernelPtr& kernel, Criterion by) { return of_search.lambda_of_sample(kernel, by); };
  const Index points = std::min(rows, rows_of_size);
  const bool given = kernel_->precomputed();
  auto some = std::make_shared<Matrix>(given ? given_among(*kernel_, data_->x.dense(), order.first(points))
                                             : Matrix(points, d()));
  for (Index i = 0; i < points && !given; ++i) copy_rows(data_->x, order[i], some->view().row_range(i, 1));
  const auto size = [some, weight](const KernelPtr& kernel) { return kernel_size(*kernel, some->view(), weight); };
  KernelSearch search = search_kernel(
      std::make_shared<const KernelObjective>(KernelObjective{kernel_, variables, options, size}),
      {of_sample.rows_of_search(Criterion::reml), likelihood, all,
       part > 0 ? (of_part ? *of_part : of_sample).rows_of_search(Criterion::reml) : RowsOfSearch{}, apart, blocks,
       choose, whole, few, [&](const KernelPtr& kernel, Criterion by) { return of_few.lambda_of_sample(kernel, by); }});
  refine_variances(search, all);
  return search;
}

const KernelSearch& Model::select_kernel(Criterion criterion, Span<const std::int32_t> label, double shrinkage,
                                         Index rows, std::int64_t seed, Index evaluations) {
  data("a search for the kernel by gradients");
  const bool chooses_lambda = criterion == Criterion::evidence;  // which no other call does by it
  if (hyperparameter_count(*kernel_) == 0 && !chooses_lambda)
    fail(Status::invalid_state, "the model's kernel, ", describe(*kernel_),
         ", has no hyperparameters; call freeridge_select_lambda, which chooses lambda alone");
  require_learnable(criterion, 1);
  if (data_->landmarks > 0) require_landmark_gradient();
  const Groups* const groups = groups_for(criterion);
  rows = std::min(n(), rows == 0 ? usual_rows_of_kernel : rows);
  if (data_->landmarks > 0 && is_of_labels(criterion)) rows = std::min(rows, usual_rows_of_kernel);
  const Hearing hearing(listener_);
  const KernelVariables variables = kernel_variables(*kernel_, data_->x, label);
  if (variables.count() == 0 && !chooses_lambda)
    fail(Status::undefined,
         "no hyperparameter of the kernel is free: those that are not held by their labels are scales of features that "
         "are constant, bandwidths of points that all coincide, or 0");
  require_learnable(criterion, variables.count());
  const Request wanted = request(kernel_);
  const Plan plan = make_plan(wanted);  // refuses a route that takes no landmarks
  require_possible(wanted, plan);       // before the time that learning takes
  require_room_to_learn(criterion, rows, groups);

  Array<Index> order = consecutive(0, n());
  if (rows < n() || rows > few_of_kernel_search) Random(seed).shuffle(Span<Index>(order), rows);
  const double search_part = part_of_search(rows, required_work(plan.route, wanted)), rest = 1 - search_part;
  Stage stage(0, search_part);
  const double s = shrinkage == 0 ? usual_shrinkage : shrinkage;
  const KernelSearchOptions options{criterion,
                                    s,
                                    evaluations == 0 ? usual_evaluations(rows, s) : evaluations,
                                    criterion == Criterion::log_loss && has_copies(*make_problem(kernel_)),
                                    smoothness_,
                                    known_sigma2_ > 0};
  auto search = std::make_shared<KernelSearch>(learn_kernel(variables, order, rows, options));
  search->learnt_on = ascending(order, rows);

  stage.next(search_part + part_of_factorization * rest);
  FactorizationPtr factorization = factorized(search->kernel, wanted_landmarks());
  stage.next(1 - part_of_solution * rest);
  auto lambda = std::make_shared<const LambdaSearch>(lambda_for_learnt(*factorization, *search));
  if (criterion != Criterion::evidence)
    search->score = combined_score(factorization->problem(), criterion, lambda->best_score);
  stage.next(1);
  auto fit = std::make_shared<const Fit>(solve(*factorization, lambda->best));
  const auto again = [=, label = Array<std::int32_t>(label.begin(), label.end())](Model& model) {
    model.select_kernel(criterion, label, shrinkage, rows, seed, evaluations);
  };
  auto own = std::make_shared<const Choice>(Choice{criterion, kernel_, again});
  report(1);
  unset();  // answers of the old factorization go before the factorization itself
  kernel_ = search->kernel;
  factorization_ = std::move(factorization);
  search_ = std::move(lambda);
  fit_ = std::move(fit);
  kernel_search_ = std::move(search);
  choice_ = std::move(own);
  return *kernel_search_;
}

LambdaSearch Model::lambda_for_learnt(const Factorization& factorization, const KernelSearch& search) const {
  const KernelSearchOptions& options = search.objective->options;
  if (options.criterion == Criterion::evidence) return found_with_kernel(search, t());
  const LambdaRange range = options.has_copies ? LambdaRange{search.lambda, search.lambda}
                                               : holding(lambda_range(factorization), search.lambda);
  return search_lambda(factorization, options.criterion, groups_for(options.criterion), range,
                       noise_penalty_of(search, options, n()));
}

const KernelSearch& Model::require_kernel_search() const {
  if (!kernel_search_) fail(Status::invalid_state, "no kernel has been learnt; call freeridge_select_kernel first");
  return *kernel_search_;
}

// At most two copies of the rows, another of a few of them, another in blocks or of those in which an output is
// observed, and the memory of a gradient; with landmarks also the memory of the model with landmarks, and of its gradient.
Index Model::learning_bytes(Criterion criterion, Index rows, const Groups* groups) const {
  const bool apart = learns_with_landmarks(rows);
  const Index dual = apart ? usual_rows_of_kernel : rows, squares = checked_doubles(dual, dual);
  const double landmarks = apart ? static_cast<double>(memory_required()) +
                                       static_cast<double>(landmark_learning_bytes(rows, data_->landmarks, groups))
                                 : 0;
  const Index few = std::min(rows, few_of_kernel_search);
  const Index copies = checked_doubles(3 * rows + few, d() + t());
  const double matrices = is_of_labels(criterion) ? square_of_evidence : square_matrices;
  const double bytes = landmarks + 8 * (matrices * static_cast<double>(squares) + static_cast<double>(copies));
  return static_cast<Index>(std::min(bytes, 0x1p62));
}

void Model::require_room_to_learn(Criterion criterion, Index rows, const Groups* groups) const {
  require_room(learning_bytes(criterion, rows, groups), "learning a kernel", "learn it on fewer rows");
}

}  // namespace freeridge
