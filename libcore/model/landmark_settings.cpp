// Answers about the landmarks of a model, and about the rank and the accuracy of its factorization.
#include <algorithm>
#include <cmath>

#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

void require_finite_trace(double trace) {
  if (!std::isfinite(trace)) fail(Status::not_finite, "the trace of K overflows; x is too large for this kernel");
}

}  // namespace

Index Model::rank() const {
  const std::optional<Index> rank = factorization().rank();
  if (!rank) fail(Status::invalid_state, "the ", route_name(route()), " route does not know the rank");
  return *rank;
}

void Model::require_landmarks() const {
  if (route() != Route::landmark)
    fail(Status::invalid_state, "the model has no landmarks; call freeridge_set_landmarks before freeridge_factorize");
}

LandmarkTrace Model::landmark_trace() const {
  require_landmarks();
  require_room_for_trace();
  const Hearing hearing(listener_);
  const LandmarkTrace out = freeridge::landmark_trace(factorization_->problem(), landmarks());
  for (const double trace : {out.left, out.all}) require_finite_trace(trace);
  return out;
}

double Model::kernel_trace() const {
  require_landmarks();
  require_room_for_trace();
  const Hearing hearing(listener_);
  Array<double> diagonal(n());
  own_diagonal(*factorization_->problem().kernel, factorization_->problem().x, diagonal);
  const double trace = sum_of(diagonal);
  require_finite_trace(trace);
  return trace;
}

void Model::landmark_curve(Criterion criterion, Span<const Index> sizes, MatrixView lambdas, MatrixView scores) const {
  Landmarks wanted = wanted_landmarks();
  if (wanted.count == 0) fail(Status::invalid_state, "the model has no landmarks; call freeridge_set_landmarks first");
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 1 || sizes[i] > wanted.count || (i > 0 && sizes[i] <= sizes[i - 1]))
      fail(Status::invalid_argument, "sizes[", i, "] is ", sizes[i], "; sizes must ascend from at least 1 to at most ",
           wanted.count, " landmarks");
  const Groups* const groups = groups_for(criterion);
  wanted.count = sizes.back();
  Request largest = request(kernel_);
  largest.landmarks = wanted.count;
  require_possible(largest, make_plan(largest));
  const Hearing hearing(listener_);
  Stage stage(0, 0.2);
  if (wanted.rows.empty()) {
    const OffsetRows rows = problem_rows(*kernel_, data_->x);
    wanted.rows = choose_landmarks(*problem_kernel(kernel_), rows.x, wanted);
  }
  if (wanted.rows.empty())
    fail(Status::undefined, "there is no landmark to choose: the kernel is zero at all points, and no lambda matters");

  const Index total = std::ssize(sizes);
  Matrix found(lambdas.rows, lambdas.cols), found_scores(lambdas.rows, lambdas.cols);
  for (Index i = 0; i < total; ++i) {
    Landmarks first = wanted;  // cut to sizes[i]; where the pivoted choice found fewer, all of them
    first.rows.resize(std::min(sizes[i], static_cast<Index>(wanted.rows.size())));
    first.count = static_cast<Index>(first.rows.size());
    stage.next(0.2 + 0.8 * fraction(2 * i + 1, 2 * total));
    const FactorizationPtr factorization = factorized(kernel_, first);
    stage.next(0.2 + 0.8 * fraction(i + 1, total));
    const LambdaSearch search = search_lambda(*factorization, criterion, groups, lambda_range(*factorization));
    for (Index j = 0; j < lambdas.cols; ++j) {
      found(i, j) = search.best[j];
      found_scores(i, j) = search.best_score[j];
    }
  }
  report(1);
  copy_out(found.view(), Layout::col_major, lambdas.data, lambdas.ld);
  copy_out(found_scores.view(), Layout::col_major, scores.data, scores.ld);
}

}  // namespace freeridge
