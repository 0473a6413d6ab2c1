// The problem that a model asks a route to factorize, and the resources that the factorization takes.
#include <utility>

#include "libcore/device/kernel_source.hpp"
#include "libcore/kernel/kernel_text.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {

Landmarks Model::wanted_landmarks() const {
  return {data("landmarks").landmarks, data_->landmark_rows, landmark_method_, landmark_seed_};
}

KernelPtr Model::problem_kernel(const KernelPtr& kernel) const {
  return offset_ == Offset::penalised ? offset_kernel(kernel, d()) : kernel;
}

OffsetRows Model::problem_rows(const Kernel& kernel, const Rows& x) const {
  return offset_ == Offset::penalised ? offset_rows(kernel, x) : OffsetRows{x, nullptr};
}

std::shared_ptr<Problem> Model::make_problem(const KernelPtr& kernel) const {
  OffsetRows rows = problem_rows(*kernel, data_->x);
  auto out = std::make_shared<Problem>(problem_kernel(kernel), rows.x, data_->y, data_->weight_values(),
                                       offset_ == Offset::free, data_->fixed_view());
  out->x_numbers = std::move(rows.numbers);
  out->missing = data_->missing;
  out->known_sigma2 = known_sigma2_;
  out->absent = absent_;
  return out;
}

Request Model::request(const KernelPtr& given) const {
  require_data();
  const bool more = offset_ == Offset::penalised && given->linear_scale(d());
  const KernelPtr made = problem_kernel(given);
  const Kernel& kernel = *made;
  const Index d = this->d() + (more ? 1 : 0);
  const bool pivoted = landmark_method_ == LandmarkMethod::automatic || landmark_method_ == LandmarkMethod::pivoted;
  return {.n = n(),
          .d = d,
          .t = t(),
          .linear = kernel.linear_scale(d).has_value(),
          .rank_bound = kernel.rank_bound(d),
          .route = route_,
          .expected_lambdas = expected_lambdas_,
          .leaves_out = is_mean(expected_criterion_),
          .by_gcv = expected_criterion_ == Criterion::gcv,
          .landmarks = data_->landmarks,
          .reduction = reduction_,
          .chooses_landmarks = data_->landmark_rows.empty() && pivoted,
          .precomputed = kernel.precomputed(),
          .wide_weights = weight_span(data_->weight_values()) > wide_weights,
          .memory_limit = memory_limit_,
          .sparse = data_->x.is_sparse(),
          .entries = data_->x.is_sparse() ? data_->x.entries() + (more ? n() : 0) : 0,
          .fixed = data_->fixed_view().cols,
          .engine = engine_,
          .device_columns = engine_ == nullptr || kernel.precomputed() ? 0 : kernel_source(kernel, d).columns()};
}

Index Model::memory_required() const {
  const Index bytes = make_plan(request(kernel_)).bytes;
  return offset_ == Offset::penalised ? bytes + checked_doubles(offset_doubles(*kernel_, data_->x), 8) : bytes;
}

std::string Model::explain() const {
  return freeridge::explain(request(kernel_), describe(*kernel_));
}

namespace {

// The request of which minutes of a direct route are long, and seconds are not.
Request patient(Request request) {
  request.by_gcv = false;
  return request;
}

}  // namespace

bool Model::has_direct_route() const {
  return route_ == Route::automatic && factorization_->route() == Route::iterative &&
         make_plan(patient(request(kernel_))).route != Route::iterative;
}

FactorizationPtr Model::direct_factorization() const {
  return factorized(patient(request(kernel_)), kernel_, {});
}

FactorizationPtr Model::factorized(const KernelPtr& kernel, const Landmarks& landmarks) const {
  Request wanted = request(kernel);
  wanted.landmarks = landmarks.count;
  return factorized(wanted, kernel, landmarks);
}

FactorizationPtr Model::factorized(const Request& wanted, const KernelPtr& kernel, const Landmarks& landmarks) const {
  if (refinement_ > 0) require_all_observed("a refined solution");
  const Plan plan = make_plan(wanted);
  require_possible(wanted, plan);
  if (plan.route == Route::iterative) require_all_observed("a solution of the ITERATIVE route");
  if (offset_ == Offset::penalised)
    require_room(checked_doubles(offset_doubles(*kernel, data_->x), 8), "the copy of x with the offset's ones",
                 "use an intercept that is not penalised");
  report(0);
  return freeridge::factorize(plan, make_problem(kernel), landmarks, reduction_, accuracy_, engine_);
}

}  // namespace freeridge
