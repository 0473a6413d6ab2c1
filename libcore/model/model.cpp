#include "libcore/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/base/memory.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/scaling.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/select/point_criteria.hpp"

namespace freeridge {
namespace {

void require_finite_solution(const Solution& solution) {
  if (!all_finite(solution.c.values()) || !all_finite(solution.w.values()) || !all_finite(solution.b) ||
      !all_finite(solution.fixed.values()))
    fail(Status::not_finite, "the solution overflows; rescale x or y");
}

// Coefficients below the smallest ordinary number predict what is left of them, 0 in the end. Where the kernel is so large
// that this would show in the size of y, there is no answer.
void require_no_underflow(const Problem& problem, const Solution& solution) {
  constexpr double shows = 1e-10, smallest = std::numeric_limits<double>::min();
  const Matrix& coefficients = problem.linear() ? solution.w : solution.c;
  for (Index j = 0; j < coefficients.cols() && coefficients.rows() > 0; ++j) {
    if (largest_magnitude({coefficients.col(j), coefficients.rows()}) >= smallest) continue;
    const double y = largest_magnitude({problem.y_tilde.col(j % problem.t()), problem.n()});
    if (!(smallest < y) || problem.x.is_sparse()) continue;
    Array<double> own(problem.n());
    own_diagonal(*problem.kernel, problem.x, own);
    const double size = largest_magnitude(own);
    if (smallest * (problem.linear() ? std::sqrt(size) : size) > shows * y)
      fail(Status::not_finite, "the coefficients of output ", j % problem.t(),
           " underflow: its numbers are too small beside the kernel's; rescale x or y");
  }
}

void require_fit(const Kernel& kernel, const Rows& x) {
  kernel.check_data(x.rows, x.cols);
  if (kernel.precomputed() && x.is_sparse())
    fail(Status::invalid_argument,
         "the model's kernel is precomputed, and x is sparse: the values of a precomputed kernel are an ordinary "
         "matrix");
}

constexpr const char* copy_of_effects = "the copy of the unpenalised columns";

void require_fewer_effects(Index q, Index n) {
  if (q >= n)
    fail(Status::invalid_argument, "points.unpenalised_count is ", q,
         "; there can be fewer unpenalised columns than rows, of which there are ", n);
}

std::shared_ptr<Matrix> copied(const Rows& from) {
  auto out = std::make_shared<Matrix>(from.rows, from.cols);
  copy_rows(from, 0, out->view());
  return out;
}

}  // namespace

// ---- state ----

const Model::Data& Model::data(const char* wanted) const {
  if (!data_)
    fail(Status::invalid_state, "the model has no data", wanted == nullptr ? "" : text(" (", wanted, " is asked for)"),
         "; call freeridge_set_data first");
  return *data_;
}

const Factorization& Model::factorization() const {
  require_data();
  if (!factorization_) fail(Status::invalid_state, "the model is not factorized; call freeridge_factorize first");
  return *factorization_;
}

const Model::Fit& Model::fit() const {
  factorization();
  if (!fit_)
    fail(Status::invalid_state, "no lambda is set; call freeridge_set_lambda or freeridge_select_lambda first");
  return *fit_;
}

void Model::unset() {
  bandwidth_search_.reset();
  kernel_search_.reset();
  choice_.reset();
  search_.reset();
  fit_.reset();
  factorization_.reset();
}

const Groups* Model::groups_for(Criterion criterion) const {
  if (criterion == Criterion::error_rate) require_classes(data_->y);
  if (is_of_labels(criterion)) require_labels(criterion, data_->y, data_->missing.get());
  if (criterion != Criterion::groups) return nullptr;
  if (!data_->groups)
    fail(Status::invalid_state, "criterion is GROUPS, but the model has no groups; call freeridge_set_groups first");
  return &*data_->groups;
}

Model Model::clone() const {
  Model out(*this);
  out.listener_ = {};
  return out;
}

const Groups& Model::groups() const {
  if (!data("groups").groups) fail(Status::invalid_state, "the model has no groups; call freeridge_set_groups first");
  return *data_->groups;
}

double Model::bandwidth() const {
  const std::optional<double> sigma = kernel_->bandwidth();
  if (!sigma) fail(Status::invalid_state, "the model's kernel has no bandwidth");
  return *sigma;
}

// ---- settings ----

void Model::set_kernel(KernelPtr kernel) {
  if (data_) require_fit(*kernel, data_->x);
  kernel_ = std::move(kernel);
  unset();
}

void Model::set_data(const Points& points, const LayoutView& y, bool copy) {
  const Rows& x = points.x;
  const LayoutView& fixed = points.fixed;
  require_fit(*kernel_, x);
  require_fewer_effects(fixed.cols, x.rows);
  if (copy && !x.is_sparse()) {
    const Index columns = x.cols + y.cols;
    require_memory(checked_doubles(x.rows, columns) * 8, "the copy of x and y", "let freeridge_set_points borrow them",
                   memory_limit_);
  }
  require_memory(checked_doubles(x.rows, fixed.cols) * 8, copy_of_effects, "use fewer of them", memory_limit_);
  const Hearing hearing(listener_);
  require_finite("x", x);
  Data data{x, y, {}, {}, {}, {}, {}, 0, {}, {}};
  if (missing_allowed_) data.missing = missing_outputs(y);
  if (!data.missing) require_finite("y", y);
  if (fixed.cols > 0) require_finite("unpenalised", fixed);
  if (copy && x.is_sparse()) {
    require_memory(x.sparse().bytes() + checked_doubles(y.rows, y.cols) * 8, "the copy of x and y",
                   "let freeridge_set_points borrow them", memory_limit_);
    data.sparse_copy = std::make_shared<const SparseMatrix>(x.sparse());
    data.x = data.sparse_copy->view(x.sparse().format, x.rows, x.cols);
  } else if (copy) {
    data.x_copy = copied(x);
    data.x = layout_view(*data.x_copy);
  }
  if (copy || data.missing) {
    const std::shared_ptr<Matrix> y_copy = copied(y);
    if (data.missing) {
      fill_missing(*data.missing, y_copy->view());
      require_finite("y", layout_view(*y_copy));
    }
    data.y_copy = y_copy;
    data.y = layout_view(*data.y_copy);
  }
  if (fixed.cols > 0) data.fixed = copied(fixed);
  report(1);
  unset();
  data_ = std::move(data);
}

void Model::drop_data() {
  unset();
  data_.reset();
}

void Model::set_weights(const double* weights) {
  require_data();
  require_weights(weights, n());
  std::shared_ptr<const Array<double>> shared;
  if (weights != nullptr) shared = std::make_shared<const Array<double>>(weights, weights + n());
  unset();  // the old factorization borrows the old weights
  data_->weights = std::move(shared);
}

void Model::set_fixed_effects(const LayoutView& fixed) {
  require_data();
  require_fewer_effects(fixed.cols, n());
  require_memory(checked_doubles(fixed.rows, fixed.cols) * 8, copy_of_effects, "use fewer of them", memory_limit_);
  if (fixed.cols > 0) require_finite("unpenalised", fixed);
  std::shared_ptr<const Matrix> own;
  if (fixed.cols > 0) own = copied(fixed);
  unset();  // the old factorization borrows the old ones
  data_->fixed = std::move(own);
}

void Model::set_groups(std::optional<Groups> groups) {
  require_data();
  data_->groups = std::move(groups);
}

void Model::set_intercept(Offset offset) {
  offset_ = offset;
  unset();
}

void Model::set_route(Route route) {
  route_ = route;
  unset();
}

void Model::set_device(Index number) {
  EnginePtr engine = open_engine(number);
  unset();
  device_ = number;
  engine_ = std::move(engine);
}

void Model::set_landmarks(Index count, const Index* rows) {
  require_data();
  if (count < 0 || count > n())
    fail(Status::invalid_argument, "count is ", count, "; there can be from 0 to n = ", n(), " landmarks");
  Array<Index> copy;
  if (rows != nullptr) copy.assign(rows, rows + count);
  Array<char> taken(copy.empty() ? 0 : n(), 0);
  for (std::size_t i = 0; i < copy.size(); ++i) {
    if (copy[i] < 0 || copy[i] >= n())
      fail(Status::invalid_argument, "rows[", i, "] is ", copy[i], "; the rows are 0 to ", n() - 1);
    char& seen = taken[copy[i]];
    if (seen != 0) fail(Status::invalid_argument, "rows[", i, "] is ", copy[i], ", which is a landmark already");
    seen = 1;
  }
  data_->landmarks = count;
  data_->landmark_rows = std::move(copy);
  unset();
}

void Model::set_landmark_method(LandmarkMethod method, std::int64_t seed) {
  landmark_method_ = method;
  landmark_seed_ = seed;
  unset();
}

void Model::set_reduction(Reduction reduction) {
  reduction_ = reduction;
  unset();
}

// ---- work ----

void Model::factorize() {
  require_data();
  const Hearing hearing(listener_);
  FactorizationPtr factorization = factorized(kernel_, wanted_landmarks());
  report(1);
  unset();
  factorization_ = std::move(factorization);
}

void Model::for_each_residual_maker(const Factorization& factorization, const Fit& fit, const EachResidualMaker& f) {
  if (factorization.problem().missing) return for_each_observed(factorization, fit, f);
  const Index t = static_cast<Index>(fit.lambdas.size());
  Stage stage(0, 0);
  if (fit.shared) {
    const std::shared_ptr<const ResidualMaker> residual_maker = [&] {
      std::unique_lock lock(fit.shared->mutex, std::defer_lock);
      lock_patiently(lock);
      if (fit.shared->residual_maker == nullptr) {
        stage.next(0.5);
        fit.shared->residual_maker = factorization.at(fit.lambdas[0]);
      }
      return fit.shared->residual_maker;
    }();
    stage.next(1);
    return f(*residual_maker, 0, t);
  }
  each_lambda(fit.lambdas, [&](double lambda, Index first, Index end) {
    stage.next(fraction(first + end, 2 * t));
    const std::unique_ptr<ResidualMaker> residual_maker = factorization.at(lambda);
    stage.next(fraction(end, t));
    f(*residual_maker, first, end - first);
  });
}

Solution Model::room_for_solution(const Factorization& factorization, Index count) {
  const Problem& problem = factorization.problem();
  const Index columns = count * problem.t();
  Solution out;
  (problem.linear() ? out.w : out.c) = Matrix(problem.linear() ? problem.d() : problem.n(), columns);
  out.b.assign(columns, 0.0);
  if (problem.linear()) out.level = out.b;
  out.fixed = Matrix(problem.unpenalised.given(), columns, 0.0);
  return out;
}

void Model::finish_solution(const Problem& problem, Solution& solution) const {
  require_no_underflow(problem, solution);
  if (offset_ == Offset::penalised) take_offset(solution);
  require_finite_solution(solution);
}

Model::Fit Model::solve(const Factorization& factorization, Span<const double> lambdas) const {
  Fit fit;
  set_fit_lambdas(fit, lambdas);
  fit.refined = refinement_ > 0;
  fit.solution = room_for_solution(factorization);
  const bool solved = !fit.shared && !data_->missing && factorization.solve_each(lambdas, fit.solution);
  if (!solved || refinement_ > 0)
    for_each_residual_maker(factorization, fit, [&](const ResidualMaker& residual_maker, Index first, Index count) {
      if (!solved) residual_maker.solve(first, count, fit.solution);
      if (refinement_ > 0) residual_maker.refine(first, count, refinement_, fit.solution);
    });
  finish_solution(factorization.problem(), fit.solution);
  set_fit_landmarks(fit, factorization);
  return fit;
}

std::optional<Model::Fit> Model::solve_together(Span<const double> lambdas) const {
  if (refinement_ > 0 || data_->missing) return std::nullopt;
  Fit fit;
  fit.solution = room_for_solution(*factorization_, std::ssize(lambdas));
  Array<double> of_columns;
  for (const double lambda : lambdas) of_columns.insert(of_columns.end(), static_cast<std::size_t>(t()), lambda);
  if (!factorization_->solve_each(of_columns, fit.solution)) return std::nullopt;
  finish_solution(factorization_->problem(), fit.solution);
  set_fit_landmarks(fit, *factorization_);
  return fit;
}

void Model::set_fit_lambdas(Fit& fit, Span<const double> lambdas) {
  fit.lambdas.assign(lambdas.begin(), lambdas.end());
  if (std::adjacent_find(lambdas.begin(), lambdas.end(), std::not_equal_to<>()) == lambdas.end())
    fit.shared = std::make_shared<Fit::Shared>();
  fit.left_out = std::make_shared<Fit::LeftOut>();
}

void Model::set_fit_landmarks(Fit& fit, const Factorization& factorization) {
  const Problem& problem = factorization.problem();
  const Span<const Index> landmarks = factorization.landmarks();
  if (problem.linear() || problem.kernel->precomputed() || landmarks.empty()) return;
  const Index r = static_cast<Index>(landmarks.size());
  fit.landmark_x = Matrix(r, problem.d());
  fit.landmark_c = Matrix(r, fit.solution.c.cols());
  for (Index q = 0; q < r; ++q) {
    const Index row = landmarks[q];
    copy_rows(problem.x, row, fit.landmark_x.view().row_range(q, 1));
    for (Index j = 0; j < fit.landmark_c.cols(); ++j) fit.landmark_c(q, j) = fit.solution.c(row, j);
  }
}

void Model::set_lambdas(Span<const double> lambdas) {
  require_factorized();
  require_lambdas("lambda", lambdas);
  const Array<double> all =
      lambdas.size() == 1 ? Array<double>(t(), lambdas[0]) : Array<double>(lambdas.begin(), lambdas.end());
  require_room(lambda_bytes(), "another lambda", "use fewer outputs, or landmarks");
  const Hearing hearing(listener_);
  const bool may_turn = has_direct_route();
  Stage stage(0, may_turn ? 0.1 : 1);
  std::shared_ptr<const Fit> fit;
  FactorizationPtr direct;
  try {
    fit = std::make_shared<const Fit>(solve(*factorization_, all));
  } catch (const Error& error) {
    if (!may_turn || error.status() != Status::not_converged) throw;
  }
  if (fit == nullptr) {
    stage.next(0.9);
    direct = direct_factorization();
    stage.next(1);
    fit = std::make_shared<const Fit>(solve(*direct, all));
  }
  report(1);
  if (direct != nullptr) factorization_ = std::move(direct);
  fit_ = std::move(fit);
}

const LambdaSearch& Model::select_lambda(Criterion criterion, double low, double high, bool sparse) {
  require_factorized();
  require_range("low", low, "high", high);
  const Groups* const groups = groups_for(criterion);
  const LambdaRange range = search_range(low, high, factorization_->eigenvalue_range(), factorization_->floor());
  require_room_for_score(groups, lambdas_of_search(t()));
  const Hearing hearing(listener_);
  Stage stage(0, 0.95);
  auto search =
      std::make_shared<const LambdaSearch>(search_lambda(*factorization_, criterion, groups, range, {}, sparse));
  stage.next(1);
  auto fit = std::make_shared<const Fit>(solve(*factorization_, search->best));
  const auto again = [=](Model& model) {
    model.factorize();
    model.select_lambda(criterion, low, high, sparse);
  };
  // Beside a kernel that was chosen lambda is a part of that choice.
  auto own = choice_;
  if (!kernel_search_ && !bandwidth_search_) own = std::make_shared<const Choice>(Choice{criterion, kernel_, again});
  report(1);
  fit_ = std::move(fit);
  search_ = std::move(search);
  choice_ = std::move(own);
  return *search_;
}

const BandwidthSearch& Model::select_bandwidth(Criterion criterion, double low, double high, Index budget) {
  require_data();
  bandwidth();
  require_range("low", low, "high", high);
  const Groups* const groups = groups_for(criterion);
  const Hearing hearing(listener_);
  const double typical = median_distance(*kernel_, data_->x);
  const BandwidthRange range = low == 0 && high == 0 ? bandwidth_range(typical) : BandwidthRange{low, high};

  // To save memory only the last factorization of the search is kept, beside the model's own, which must survive a
  // failure. So the best one is made again at the end, unless it was the last one tried.
  struct Trial {
    double sigma = 0;
    KernelPtr kernel;
    FactorizationPtr factorization;
    LambdaSearch lambda;
  };
  Trial trial;
  if (budget == 0) budget = usual_budget;
  const double steps = static_cast<double>(budget + 1);
  double step = 0;
  const auto attempt = [&](double sigma) {
    const Stage whole(0.99 * step / steps, 0.99 * (step + 1) / steps);
    step += 1;
    trial = Trial{};
    KernelPtr kernel = kernel_->with_bandwidth(sigma);
    Stage stage(0, 0.8);
    FactorizationPtr factorization = factorized(kernel, wanted_landmarks());
    stage.next(1);
    LambdaSearch lambda = search_lambda(*factorization, criterion, groups, lambda_range(*factorization));
    trial = {sigma, std::move(kernel), std::move(factorization), std::move(lambda)};
  };
  auto search =
      std::make_shared<const BandwidthSearch>(search_bandwidth(range, typical, budget, criterion, [&](double sigma) {
        try {
          attempt(sigma);
        } catch (const Error& error) {
          if (error.status() != Status::undefined) throw;
          return infinity;
        }
        return combined_score(trial.factorization->problem(), criterion, trial.lambda.best_score);
      }));
  if (trial.sigma != search->best) attempt(search->best);

  const Stage stage(0.99, 1);
  auto fit = std::make_shared<const Fit>(solve(*trial.factorization, trial.lambda.best));
  auto found = std::make_shared<const LambdaSearch>(std::move(trial.lambda));
  const auto again = [=](Model& model) { model.select_bandwidth(criterion, low, high, budget); };
  auto own = std::make_shared<const Choice>(Choice{criterion, kernel_, again});
  report(1);
  unset();  // answers of the old factorization go before the factorization itself
  kernel_ = std::move(trial.kernel);
  factorization_ = std::move(trial.factorization);
  search_ = std::move(found);
  fit_ = std::move(fit);
  bandwidth_search_ = std::move(search);
  choice_ = std::move(own);
  return *bandwidth_search_;
}

}  // namespace freeridge
