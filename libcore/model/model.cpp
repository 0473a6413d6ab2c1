#include "libcore/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "libcore/linalg/memory.hpp"
#include "libcore/model/checks.hpp"

namespace freeridge {

// ---- state ----

const Model::Data& Model::data(const char* wanted) const {
  if (!data_)
    fail(Status::invalid_state, "the model has no data (", wanted, " is asked for); call freeridge_set_data first");
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
  search_.reset();
  fit_.reset();
  factorization_.reset();
}

const Groups* Model::groups_for(Criterion criterion) const {
  if (criterion != Criterion::groups) return nullptr;
  if (!data_->groups)
    fail(Status::invalid_state, "criterion is GROUPS, but the model has no groups; call freeridge_set_groups first");
  return &*data_->groups;
}

double Model::bandwidth() const {
  const std::optional<double> sigma = kernel_->bandwidth();
  if (!sigma) fail(Status::invalid_state, "the model's kernel has no bandwidth");
  return *sigma;
}

// ---- settings ----

void Model::set_kernel(KernelPtr kernel) {
  if (data_) kernel->check_features(data_->x.cols);
  kernel_ = std::move(kernel);
  unset();
}

void Model::set_data(const LayoutView& x, const LayoutView& y, bool copy) {
  kernel_->check_features(x.cols);
  if (copy) {
    const Index columns = x.cols + y.cols;
    require_memory(checked_doubles(x.rows, columns) * 8, "the copy of x and y", "use freeridge_set_data_view");
  }
  require_finite("x", x);
  require_finite("y", y);
  Data data{x, y, {}, {}, {}, {}};
  if (copy) {
    data.x_copy = Matrix(x.rows, x.cols);
    data.y_copy = Matrix(y.rows, y.cols);
    copy_rows(x, 0, data.x_copy.view());
    copy_rows(y, 0, data.y_copy.view());
    data.x = {data.x_copy.data(), x.rows, x.cols, x.rows, Layout::col_major};
    data.y = {data.y_copy.data(), y.rows, y.cols, y.rows, Layout::col_major};
  }
  unset();
  data_ = std::move(data);
}

void Model::set_weights(const double* weights) {
  require_data();
  std::vector<double> copy;
  if (weights != nullptr) copy.assign(weights, weights + n());
  for (std::size_t i = 0; i < copy.size(); ++i) {
    if (!std::isfinite(copy[i]))
      fail(Status::not_finite, "weights[", i, "] is ", copy[i], "; every weight must be finite");
    if (copy[i] <= 0)
      fail(Status::invalid_argument, "weights[", i, "] is ", copy[i], "; every weight must be positive");
  }
  data_->weights = std::move(copy);
  unset();
}

void Model::set_groups(const std::int32_t* label) {
  require_data();
  std::optional<Groups> groups;
  if (label != nullptr) groups.emplace(std::span(label, static_cast<std::size_t>(n())));
  data_->groups = std::move(groups);
}

void Model::set_intercept(bool on) {
  intercept_ = on;
  unset();
}

void Model::set_route(Route route) {
  route_ = route;
  unset();
}

// ---- work ----

Request Model::request(const Kernel& kernel) const {
  require_data();
  return {n(), d(), t(), kernel.linear_scale(d()).has_value(), route_, expected_lambdas_};
}

Index Model::memory_required() const {
  return make_plan(request(*kernel_)).bytes;
}

FactorizationPtr Model::factorized(const KernelPtr& kernel, const Progress& progress) const {
  const Request wanted = request(*kernel);
  const Plan plan = make_plan(wanted);
  require_possible(wanted, plan);
  progress.report(0);
  auto problem = std::make_shared<const Problem>(kernel, data_->x, data_->y, data_->weights, intercept_);
  return freeridge::factorize(plan.route, std::move(problem), progress);
}

void Model::factorize() {
  FactorizationPtr factorization = factorized(kernel_, progress_);
  unset();
  factorization_ = std::move(factorization);
}

void Model::for_each_maker(const Factorization& factorization, const Fit& fit, const EachMaker& f) {
  const Index t = static_cast<Index>(fit.lambdas.size());
  if (fit.shared) return f(*fit.shared, 0, t);
  for (Index first = 0, end; first < t; first = end) {
    const double lambda = fit.lambdas[static_cast<std::size_t>(first)];
    for (end = first + 1; end < t && fit.lambdas[static_cast<std::size_t>(end)] == lambda;) ++end;
    f(*factorization.at(lambda), first, end - first);
  }
}

Model::Fit Model::solve(const Factorization& factorization, std::span<const double> lambdas) {
  const Problem& problem = factorization.problem();
  Fit fit;
  fit.lambdas.assign(lambdas.begin(), lambdas.end());
  if (std::adjacent_find(lambdas.begin(), lambdas.end(), std::not_equal_to<>()) == lambdas.end())
    fit.shared = factorization.at(lambdas[0]);
  (problem.linear() ? fit.solution.w : fit.solution.c) =
      Matrix(problem.linear() ? problem.d() : problem.n(), problem.t());
  fit.solution.b.assign(static_cast<std::size_t>(problem.t()), 0.0);
  for_each_maker(factorization, fit, [&](const ResidualMaker& maker, Index first, Index count) {
    maker.solve(first, count, fit.solution);
  });
  require_finite_solution(fit.solution);
  return fit;
}

void Model::set_lambdas(std::span<const double> lambdas) {
  require_factorized();
  require_lambdas("lambda", lambdas);
  const std::vector<double> all = lambdas.size() == 1 ? std::vector<double>(static_cast<std::size_t>(t()), lambdas[0])
                                                      : std::vector<double>(lambdas.begin(), lambdas.end());
  fit_ = solve(*factorization_, all);
}

const LambdaSearch& Model::select_lambda(Criterion criterion, double low, double high) {
  require_factorized();
  require_range("low", low, "high", high);
  const Groups* const groups = groups_for(criterion);
  const LambdaRange range = low == 0 && high == 0 ? lambda_range(*factorization_) : LambdaRange{low, high};
  LambdaSearch search = search_lambda(*factorization_, criterion, groups, range, progress_);
  Fit fit = solve(*factorization_, search.best);
  fit_ = std::move(fit);
  return search_.emplace(std::move(search));
}

BandwidthSearch Model::select_bandwidth(Criterion criterion, double low, double high, Index budget) {
  require_data();
  bandwidth();
  require_range("low", low, "high", high);
  const Groups* const groups = groups_for(criterion);
  const BandwidthRange range = low == 0 && high == 0 ? bandwidth_range(*kernel_, data_->x) : BandwidthRange{low, high};

  // One factorization of the search lives at a time, beside the model's own, which a failure must leave: memory runs
  // out before patience. The best one is made again at the end unless it was the last one tried.
  struct Trial {
    double sigma = 0;
    KernelPtr kernel;
    FactorizationPtr factorization;
    LambdaSearch lambda;
  };
  Trial trial;
  const double steps = static_cast<double>(budget + 1);
  double step = 0;
  const auto attempt = [&](double sigma) {
    const Progress progress = progress_.part(step / steps, (step + 1) / steps);
    step += 1;
    trial = Trial{};
    KernelPtr kernel = kernel_->with_bandwidth(sigma);
    FactorizationPtr factorization = factorized(kernel, progress.part(0, 0.8));
    LambdaSearch lambda =
        search_lambda(*factorization, criterion, groups, lambda_range(*factorization), progress.part(0.8, 1));
    trial = {sigma, std::move(kernel), std::move(factorization), std::move(lambda)};
  };
  BandwidthSearch search = search_bandwidth(range, budget, [&](double sigma) {
    try {
      attempt(sigma);
    } catch (const Error& error) {
      if (error.status() != Status::undefined) throw;
      return std::numeric_limits<double>::infinity();
    }
    return combined_score(trial.factorization->problem(), criterion, trial.lambda.best_score);
  });
  if (trial.sigma != search.best) attempt(search.best);

  Fit fit = solve(*trial.factorization, trial.lambda.best);
  progress_.report(1);
  kernel_ = std::move(trial.kernel);
  factorization_ = std::move(trial.factorization);
  search_ = std::move(trial.lambda);
  fit_ = std::move(fit);
  return search;
}

}  // namespace freeridge
