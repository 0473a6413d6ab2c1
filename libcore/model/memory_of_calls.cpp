// The memory that calls on a factorized model allocate beside the model. A call that would not fit into memory, or
// would exceed the limit that was set, is refused before it begins.
#include <algorithm>
#include <limits>
#include <mutex>

#include "libcore/base/memory.hpp"
#include "libcore/kernel/kernel_gradient.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/model/model.hpp"
#include "libcore/spectrum/estimating.hpp"

namespace freeridge {
namespace {

constexpr Index kernel_tile = 256;
constexpr Index linear_room = 1 << 12;  // beside the rows that are multiplied

}  // namespace

void Model::require_room(Index bytes, const char* what, const char* advice) const {
  require_memory(bytes, what, advice, memory_limit_);
}

Request Model::factorized_request() const {
  Request out = request(kernel_);
  out.landmarks = static_cast<Index>(landmarks().size());
  return out;
}

Index Model::lambda_bytes(Index lambdas) const {
  const bool has_maker = fit_ && fit_->shared && [&] {
    const std::lock_guard<std::mutex> lock(fit_->shared->mutex);
    return fit_->shared->residual_maker != nullptr;
  }();
  const Index missing = data_->missing ? checked_doubles(AllRows::doubles(*factorization_), 8) : 0;
  return freeridge::lambda_bytes(route(), factorized_request(), has_maker, lambdas) + missing;
}

Index Model::group_bytes(const Groups& groups, Index lambdas) const {
  Index most = 0;
  for (const Group& group : groups.all()) most = std::max(most, static_cast<Index>(group.rows.size()));
  Index missing = 0;  // left out with each group
  for (Index j = 0; j < t() && data_->missing; ++j)
    missing = std::max(missing, static_cast<Index>(std::ssize(data_->missing->rows_of(j))));
  most = std::min(most + missing, n());
  return freeridge::group_bytes(route(), factorized_request(), most, lambdas);
}

Index Model::score_bytes(const Groups* groups, Index lambdas) const {
  Index bytes = lambda_bytes(lambdas);
  if (groups != nullptr && __builtin_add_overflow(bytes, group_bytes(*groups, lambdas), &bytes))
    bytes = std::numeric_limits<Index>::max();
  return bytes;
}

// A copy of the rows; the factorization of these and, where a kernel is chosen again, too, that of all rows beside it, or
// what learning the kernel takes; and the criterion. rows: on which a kernel was learnt.
void Model::require_room_to_choose_again(Criterion criterion, Index rows) const {
  const Groups* const groups = groups_for(criterion);
  const Index columns = data_->x.is_sparse() ? 0 : kernel_->precomputed() ? n() : d();
  const Index sparse = data_->x.is_sparse() ? 2 * data_->x.sparse().entries() : 0;
  const Index copy = checked_doubles(n(), columns + 6 * t() + fixed_count()) + sparse;
  const bool other_kernel = kernel_search_ || bandwidth_search_;
  const double factors = (other_kernel ? 2.0 : 1.0) * static_cast<double>(memory_required());
  const double learning = kernel_search_ ? static_cast<double>(learning_bytes(criterion, rows, groups)) : 0;
  const double bytes = 8 * static_cast<double>(copy) + std::max(factors, learning) +
                       static_cast<double>(score_bytes(groups, lambdas_of_search(t())));
  require_room(static_cast<Index>(std::min(bytes, 0x1p62)), "choosing again", "use fewer points, or landmarks");
}

void Model::require_room_for_score(const Groups* groups, Index lambdas) const {
  if (route() == Route::iterative && groups == nullptr) return require_room_to_estimate(usual_probes(n()), lambdas);
  const Index bytes = score_bytes(groups, lambdas);
  if (groups != nullptr)
    require_room(bytes, "leaving groups out", "use smaller groups, fewer lambdas, or landmarks");
  else
    require_room(bytes, "a criterion", "use fewer outputs or lambdas, or landmarks");
}

void Model::require_room_to_estimate(Index probes, Index lambdas) const {
  require_room(estimate_bytes(factorized_request(), probes, lambdas), "an estimate", "use fewer probes or outputs");
}

void Model::require_room_for_trace() const {
  require_room(trace_bytes(factorized_request()), "the trace of what the landmarks leave", "use fewer landmarks");
}

// BAND and sparse PRIMAL: a band of twice the width, at most 64, while it becomes a tridiagonal matrix. With
// eigenvectors: these, the selected ones, and a tile of B.
void Model::require_room_for_eigenvalues(Index vectors) const {
  const Index widest = route() == Route::band || data_->x.is_sparse() ? 2 * 64 : 0;
  const Index doubles = checked_doubles(n(), widest + 8) + checked_doubles(3, checked_doubles(n(), vectors));
  require_room(checked_doubles(doubles, 1) * 8 + (vectors > 0 ? lambda_bytes() : 0), "the eigenvalues",
               "ask for fewer eigenvectors");
}

// P~ at another lambda, some columns of both matrices, and up to six more matrices of the size of these columns.
Index Model::columns_bytes() const {
  const Index columns = std::min(columns_together, n());
  return checked_doubles(8, checked_doubles(std::max(n(), d()), columns)) * 8 + lambda_bytes();
}

void Model::require_room_to_predict(Index m, Index outputs, Index smoothed) const {
  const bool linear = fit_->solution.w.rows() > 0;
  const Index columns = (linear ? d() : 0) + t();
  // A linear kernel of sparse rows takes the products of the rows with the points, of which a few are filled at a time.
  const bool products = linear && data_->x.is_sparse() && route() != Route::primal && route() != Route::landmark;
  const Index tiles = products || (linear && smoothed == 0)
                          ? linear_room
                          : checked_doubles(thread_count(), checked_doubles(kernel_tile, kernel_tile + 2 * d()));
  Index doubles =
      checked_doubles(predicted_rows(columns, m), columns) + tiles + checked_doubles(outputs, checked_doubles(m, t()));
  if (smoothed > 0) {
    // Kappa, the smoother rows and a copy of them while Q is applied; the left-out errors; for each thread the n lower
    // and n upper values of one new point
    const Index height = products ? n() : std::max(n(), d());
    doubles += checked_doubles(4, checked_doubles(height, smoothed)) + (products ? checked_doubles(64, d()) : 0) +
               checked_doubles(n(), t() + Index{2} * thread_count()) + lambda_bytes() / 8;
    // ITERATIVE solves for these rows.
    if (route() == Route::iterative) doubles += checked_doubles(14, checked_doubles(std::max(n(), d()), smoothed));
    if (offset_ == Offset::penalised) doubles += checked_doubles(m, d() + 1);  // the new points with a 1
  }
  require_room(checked_doubles(doubles, 1) * 8, "predicting", "use fewer points at a time");
}

void Model::require_room_for_gradient(Index m, Index functionals) const {
  const bool linear = factorization_->problem().linear();
  const Index support = landmarks().empty() ? n() : static_cast<Index>(landmarks().size());
  const Index tile = checked_doubles(std::min(m, Index{1} << 14), std::min(checked_doubles(d(), t()), Index{1} << 22));
  const Index doubles = std::min(tile, Index{1} << 24) + checked_doubles(kernel_tile, checked_doubles(d(), t())) +
                        checked_doubles(2 * functionals, std::max(support, n()));
  Index bytes = linear ? 0 : gradient_bytes(*kernel_, d());
  if (functionals > 0) bytes += lambda_bytes();
  require_room(bytes + checked_doubles(doubles, 1) * 8, "derivatives", "use fewer features or outputs");
}

void Model::require_room_for_path(Index m) const {
  const bool linear = factorization_->problem().linear();
  const Index outputs = path_block() * t(), columns = (linear ? d() : 0) + outputs;
  const Index support = linear ? d() : landmarks().empty() ? n() : static_cast<Index>(landmarks().size());
  const Index tiles =
      linear ? linear_room : checked_doubles(thread_count(), checked_doubles(kernel_tile, kernel_tile + 2 * d()));
  const Index product = path_product() * t();  // what the route makes it of, c~, c, and the solution
  const Index doubles = checked_doubles(n(), t()) +
                        checked_doubles(path_product() > 1 ? 4 * std::max(n(), d()) : 0, product) +
                        checked_doubles(support, outputs + (linear || landmarks().empty() ? 0 : d())) +
                        checked_doubles(predicted_rows(columns, m), columns) + tiles;
  require_room(lambda_bytes() + checked_doubles(doubles, 1) * 8, "answers at many lambdas",
               "use fewer outputs, or landmarks");
}

}  // namespace freeridge
