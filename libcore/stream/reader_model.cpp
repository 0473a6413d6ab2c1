#include "libcore/stream/reader_model.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/base/memory.hpp"
#include "libcore/base/saved_values.hpp"
#include "libcore/kernel/kernel_text.hpp"

namespace freeridge {
namespace {

constexpr Index least_candidates = 2048, candidates_per_landmark = 4;

[[noreturn]] void fail_streams(const char* what) {
  fail(Status::invalid_argument, what,
       ": with a reader the routes are PRIMAL, for a linear kernel, and LANDMARK, for any kernel with landmarks "
       "(freeridge_set_landmarks); all others need all points in memory");
}

}  // namespace

void ReaderModel::set_kernel(KernelPtr kernel) {
  kernel->check_data(1, d());
  settings_->set_kernel(std::move(kernel));
  forget();
}

void ReaderModel::set_landmarks(Index count, const Index* rows) {
  const Index n = reader_.n();
  if (count < 0 || (n >= 0 && count > n) || count > largest_dimension)
    fail(Status::invalid_argument, "count is ", count, "; there can be from 0 to n landmarks");
  const Span<const Index> given(rows, rows == nullptr ? 0 : count);
  Array<Index> sorted(given.begin(), given.end());
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] < 0 || (n >= 0 && sorted[i] >= n))
      fail(Status::invalid_argument, "rows has ", sorted[i], "; the rows are 0 to n - 1");
    if (i > 0 && sorted[i] == sorted[i - 1])
      fail(Status::invalid_argument, "rows has ", sorted[i], " twice, which is a landmark already");
  }
  rows_.assign(given.begin(), given.end());
  wanted_ = count;
  forget();
}

void ReaderModel::set_unpenalised(Index count) {
  if (count < 0 || count >= reader_.d())
    fail(Status::invalid_argument, "the value of UNPENALISED is ", count,
         "; it must be from 0 to d - 1 = ", reader_.d() - 1);
  unpenalised_ = count;
  forget();
}

void ReaderModel::forget() {
  search_.reset();
  fit_.reset();
  reduced_.reset();
  problem_.reset();
  features_.reset();
  chosen_.clear();
}

Route ReaderModel::route_for_settings() const {
  const Kernel& kernel = *settings_->kernel();
  const std::optional<Array<double>> scale = kernel.linear_scale(d());
  const bool linear = scale.has_value();
  kernel.check_data(1, d());
  if (linear && std::ranges::any_of(*scale, [](double s) { return s != 1; }))
    fail(Status::invalid_argument,
         "the kernel is linear and divides its columns, which a reader's model does not: let the reader divide them, "
         "and take the kernel without scales");
  if (settings_->device() != no_device)
    fail(Status::invalid_argument, "DEVICE is ", settings_->device(),
         ", and the rows of a reader are reduced on the CPU alone; set it to 0");
  if (settings_->known_sigma2() > 0)
    fail(Status::invalid_argument, "SIGMA2 is ", settings_->known_sigma2(),
         "; for rows by a reader it is estimated (0)");
  if (settings_->offset() == Offset::penalised)
    fail(Status::invalid_argument,
         "the intercept is PENALISED, which a reader does not have: let it give a column of ones, and none");
  if (kernel.precomputed()) fail_streams("the kernel is precomputed");
  if (unpenalised_ > 0 && !linear) fail_streams("there are columns without a penalty, and the kernel is not linear");
  switch (settings_->requested_route()) {
    case Route::automatic:
      if (wanted_ > 0 && !linear) return Route::landmark;
      if (linear && wanted_ == 0) return Route::primal;
      break;
    case Route::primal:
      if (!linear) fail_streams("route is PRIMAL, and the kernel is not linear");
      if (wanted_ == 0) return Route::primal;
      break;
    case Route::landmark:
      if (wanted_ == 0) fail(Status::invalid_state, "route is LANDMARK; call freeridge_set_landmarks first");
      if (!linear) return Route::landmark;
      break;
    default:
      fail_streams("the route needs the kernel matrix of all points");
  }
  fail_streams(linear ? "the kernel is linear, and there are landmarks" : "the kernel is not linear");
}

std::string ReaderModel::explain() const {
  const Route route = route_for_settings();
  const bool chooses = route == Route::landmark;
  return text(
      "kernel ", describe(*settings_->kernel()), ", d = ", reader_.d(), ", t = ", reader_.t(), ", rows by a reader (",
      reader_.n() < 0 ? text("n is not known") : text("n = ", reader_.n()),
      "): ", route == Route::landmark ? text("LANDMARK, ", wanted_, " landmarks") : text("PRIMAL"),
      unpenalised_ > 0 ? text(", the first ", unpenalised_, " columns without a penalty") : text(),
      ". Passes over the rows: ", chooses && reader_.n() < 0 && rows_.empty() ? "one to count them, " : "",
      chooses ? "one for the landmarks, " : "",
      "one to factorize; none for GCV and REML; one for LOO or GROUPS at all lambdas of a call, three or four for a "
      "search by these. Memory: ",
      memory_required(), " bytes whatever n is.");
}

Index ReaderModel::memory_required() const {
  const Route route = route_for_settings();
  const Index p = (route == Route::landmark ? wanted_ : reader_.d()) + reader_.t() + 1, d = reader_.d();
  const Index candidates = route == Route::landmark && rows_.empty()
                               ? std::max(least_candidates, candidates_per_landmark * wanted_)
                               : wanted_;
  const Index more = route == Route::landmark ? checked_doubles(candidates, checked_doubles(2, wanted_) + d) : 0;
  const Index rows = route == Route::landmark ? 16 : 24;
  return checked_doubles(checked_doubles(rows, p) + 16384, p) * 8 + checked_doubles(more, 1) * 8 + reader_.bytes() +
         (1 << 22);
}

Matrix ReaderModel::gather(Span<const Index> rows, std::optional<PassRead>& read) const {
  Matrix out(std::ssize(rows), reader_.d());
  Array<Index> order = consecutive(0, std::ssize(rows));
  std::ranges::sort(order, {}, [&](Index i) { return rows[i]; });
  std::size_t next = 0;
  read = reader_.pass(read, [&](const RowReader::Chunk& chunk) {
    for (; next < order.size() && rows[order[next]] < chunk.first + chunk.x.rows; ++next)
      for (Index k = 0; k < out.cols(); ++k) out(order[next], k) = chunk.x(rows[order[next]] - chunk.first, k);
  });
  if (next < order.size())
    fail(Status::invalid_argument, "rows has ", rows[order[next]], ", and the reader gave ", read->rows, " rows");
  return out;
}

std::shared_ptr<const RowFeatures> ReaderModel::make_features(std::optional<PassRead>& read,
                                                              Array<Index>& chosen) const {
  if (route_for_settings() == Route::primal) return std::make_shared<const RowFeatures>(reader_.d(), unpenalised_);
  Stage stage(0, 0.4);
  const KernelPtr& kernel = settings_->kernel();
  const LandmarkMethod method = settings_->landmark_method();
  const std::int64_t seed = settings_->landmark_seed();
  chosen = rows_;
  Matrix z;
  if (chosen.empty()) {
    if (reader_.n() < 0) read = reader_.pass(read, [](const RowReader::Chunk&) {});
    const Index n = reader_.n() < 0 ? read->rows : reader_.n();
    if (wanted_ > n)
      fail(Status::invalid_argument, "there are ", wanted_, " landmarks, and the reader gave ", n, " rows");
    const bool random = method == LandmarkMethod::random;
    const Index some = std::min(n, random ? wanted_ : std::max(least_candidates, candidates_per_landmark * wanted_));
    const LayoutView no_numbers{nullptr, n, reader_.d(), n, Layout::col_major};  // a random choice reads no numbers
    Array<Index> candidates = choose_landmarks(*kernel, no_numbers, {some, {}, LandmarkMethod::random, seed});
    stage.next(0.8);
    z = gather(candidates, read);
    if (random) {
      chosen = std::move(candidates);
    } else {
      const Array<Index> places = choose_landmarks(*kernel, layout_view(z), {wanted_, {}, method, seed});
      for (const Index place : places) chosen.push_back(candidates[place]);
      z = picked_rows(z.view(), places);
    }
  } else {
    z = gather(chosen, read);
  }
  stage.next(1);
  return std::make_shared<const RowFeatures>(kernel, layout_view(z), with_intercept(), settings_->reduction());
}

void ReaderModel::factorize() {
  require_memory(memory_required(), "a factorization of a reader's rows", "use fewer features or landmarks",
                 settings_->memory_limit());
  const Hearing hearing(settings_->listener());
  std::optional<PassRead> read;
  Array<Index> chosen;
  Stage stage(0, route_for_settings() == Route::primal ? 0 : 0.4);
  std::shared_ptr<const RowFeatures> features = make_features(read, chosen);
  Accumulator sums(features, t(), with_intercept());
  stage.next(0.95);
  const PassRead found =
      reader_.pass(read, [&](const RowReader::Chunk& chunk) { sums.add_checked(chunk.x, chunk.y, chunk.weights); });
  stage.next(1);
  std::shared_ptr<const ReducedProblem> problem = sums.reduced();
  report(1);
  forget();
  read_ = found;
  features_ = std::move(features);
  problem_ = std::move(problem);
  chosen_ = std::move(chosen);
}

}  // namespace freeridge
