#include "libcore/stream/reader_model.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/base/saved_values.hpp"
#include "libcore/kernel/kernel_text.hpp"
#include "libcore/select/criteria.hpp"

namespace freeridge {
namespace {

constexpr Index least_candidates = 2048, candidates_per_landmark = 4;

[[noreturn]] void fail_streams(const char* what) {
  fail(Status::invalid_argument, what,
       ": with a reader the routes are PRIMAL, for a linear kernel, and LANDMARK, for any kernel with landmarks "
       "(freeridge_set_landmarks); all others need all points in memory");
}

void require_streamed(Criterion criterion) {
  if (criterion == Criterion::error_rate)
    fail(Status::invalid_argument, "criterion is ", static_cast<int>(criterion),
         "; with a reader it is LOO, GCV, REML or GROUPS");
}

}  // namespace

Array<double> ReaderModel::distinct_lambdas(Span<const double> lambdas) {
  const std::set<double> all(lambdas.begin(), lambdas.end());
  return {all.begin(), all.end()};
}

void ReaderModel::set_landmarks(Index count, Span<const Index> rows) {
  const Index n = reader_.n();
  if (count < 0 || (n >= 0 && count > n) || count > largest_dimension)
    fail(Status::invalid_argument, "count is ", count, "; there can be from 0 to n landmarks");
  Array<Index> sorted(rows.begin(), rows.end());
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] < 0 || (n >= 0 && sorted[i] >= n))
      fail(Status::invalid_argument, "rows has ", sorted[i], "; the rows are 0 to n - 1");
    if (i > 0 && sorted[i] == sorted[i - 1])
      fail(Status::invalid_argument, "rows has ", sorted[i], " twice, which is a landmark already");
  }
  rows_.assign(rows.begin(), rows.end());
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
  problem_.reset();
  features_.reset();
  chosen_.clear();
}

Route ReaderModel::route_for(const Settings& settings) const {
  const bool linear = settings.kernel->linear_scale(reader_.d()).has_value();
  settings.kernel->check_data(1, reader_.d());
  if (settings.kernel->precomputed()) fail_streams("the kernel is precomputed");
  if (unpenalised_ > 0 && !linear) fail_streams("there are columns without a penalty, and the kernel is not linear");
  switch (settings.route) {
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

std::string ReaderModel::explain(const Settings& settings) const {
  const Route route = route_for(settings);
  const bool chooses = route == Route::landmark;
  return text(
      "kernel ", describe(*settings.kernel), ", d = ", reader_.d(), ", t = ", reader_.t(), ", rows by a reader (",
      reader_.n() < 0 ? text("n is not known") : text("n = ", reader_.n()),
      "): ", route == Route::landmark ? text("LANDMARK, ", wanted_, " landmarks") : text("PRIMAL"),
      unpenalised_ > 0 ? text(", the first ", unpenalised_, " columns without a penalty") : text(),
      ". Passes over the rows: ", chooses && reader_.n() < 0 && rows_.empty() ? "one to count them, " : "",
      chooses ? "one for the landmarks, " : "",
      "one to factorize; none for GCV and REML; one for LOO or GROUPS at all lambdas of a call, three or four for a "
      "search by these. Memory: ",
      memory_required(settings), " bytes whatever n is.");
}

Index ReaderModel::memory_required(const Settings& settings) const {
  const Route route = route_for(settings);
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

std::shared_ptr<const RowFeatures> ReaderModel::features_for(const Settings& settings, std::optional<PassRead>& read,
                                                             Array<Index>& chosen) const {
  if (route_for(settings) == Route::primal) return std::make_shared<const RowFeatures>(reader_.d(), unpenalised_);
  Stage stage(0, 0.4);
  chosen = rows_;
  Matrix z;
  if (chosen.empty()) {
    if (reader_.n() < 0) read = reader_.pass(read, [](const RowReader::Chunk&) {});
    const Index n = reader_.n() < 0 ? read->rows : reader_.n();
    if (wanted_ > n)
      fail(Status::invalid_argument, "there are ", wanted_, " landmarks, and the reader gave ", n, " rows");
    const bool random = settings.method == LandmarkMethod::random;
    const Index some = std::min(n, random ? wanted_ : std::max(least_candidates, candidates_per_landmark * wanted_));
    const LayoutView no_numbers{nullptr, n, reader_.d(), n, Layout::col_major};  // a random choice reads no numbers
    Array<Index> candidates =
        choose_landmarks(*settings.kernel, no_numbers, {some, {}, LandmarkMethod::random, settings.seed});
    stage.next(0.8);
    z = gather(candidates, read);
    if (random) {
      chosen = std::move(candidates);
    } else {
      const Landmarks wanted{wanted_, {}, settings.method, settings.seed};
      const Array<Index> places = choose_landmarks(*settings.kernel, layout_view(z), wanted);
      for (const Index place : places) chosen.push_back(candidates[place]);
      z = picked_rows(z.view(), places);
    }
  } else {
    z = gather(chosen, read);
  }
  stage.next(1);
  return std::make_shared<const RowFeatures>(settings.kernel, layout_view(z), settings.intercept, settings.reduction);
}

void ReaderModel::factorize(const Settings& settings) {
  std::optional<PassRead> read;
  Array<Index> chosen;
  Stage stage(0, route_for(settings) == Route::primal ? 0 : 0.4);
  std::shared_ptr<const RowFeatures> features = features_for(settings, read, chosen);
  Accumulator sums(features, reader_.t(), settings.intercept);
  stage.next(0.95);
  const PassRead found =
      reader_.pass(read, [&](const RowReader::Chunk& chunk) { sums.add_checked(chunk.x, chunk.y, chunk.weights); });
  stage.next(1);
  std::shared_ptr<const ReducedProblem> problem = sums.reduced();
  report(1);
  read_ = found;
  features_ = std::move(features);
  problem_ = std::move(problem);
  chosen_ = std::move(chosen);
}

Array<Moments> ReaderModel::loo_moments(Span<const double> lambdas, bool with_spread) const {
  Array<Moments> out(std::ssize(lambdas) * reader_.t());
  reader_.pass(read_, [&](const RowReader::Chunk& chunk) {
    problem_->add_checked_moments(chunk.x, chunk.y, chunk.weights, lambdas, with_spread, out);
  });
  return out;
}

std::string ReaderModel::score(Criterion criterion, Span<const double> lambdas, MatrixView scores, MatrixView errors,
                               Index memory_limit) const {
  require_streamed(criterion);
  require_lambdas("lambdas", lambdas);
  if (!is_mean(criterion) && errors.data != nullptr)
    fail(Status::invalid_argument, "criterion is ", static_cast<int>(criterion),
         ", which has no standard error: GCV and REML are no means over points or groups");
  if (!is_mean(criterion)) return problem_->score(criterion, lambdas, 0, scores);
  if (criterion == Criterion::groups) return group_scores(lambdas, scores, errors, memory_limit);
  const Array<Moments> found = loo_moments(lambdas, errors.data != nullptr);
  Array<double> moments(std::ssize(found) * moment_numbers);
  for (std::size_t pair = 0; pair < found.size(); ++pair) put_moments(found[pair], static_cast<Index>(pair), moments);
  return moment_scores(lambdas, moments, scores, errors);
}

LambdaSearch ReaderModel::select_lambda(Criterion criterion, double low, double high, Index memory_limit) const {
  require_streamed(criterion);
  if (!is_mean(criterion)) return problem_->select_lambda(criterion, low, high);
  const Index t = reader_.t();
  // A pass gives the scores of all outputs, whichever are asked for.
  const Searched searched{criterion, t, true,
                          [&](Span<const double> lambdas, Index first, MatrixView out, MatrixView errors) {
                            const Stage still(0, 1);
                            Matrix all(out.rows, t), all_errors(out.rows, t);
                            const MatrixView spread = errors.data == nullptr ? MatrixView{} : all_errors.view();
                            std::string reason = score(criterion, lambdas, all.view(), spread, memory_limit);
                            copy(all.view().columns(first, out.cols), out);
                            if (errors.data != nullptr) copy(all_errors.view().columns(first, out.cols), errors);
                            return reason;
                          }};
  return search_lambda(searched, problem_->search_range(low, high));
}

std::string ReaderModel::loo(Span<const double> lambdas, MatrixView errors) const {
  const Array<double> distinct = distinct_lambdas(lambdas);
  const Index t = reader_.t();
  std::string reason;
  reader_.pass(read_, [&](const RowReader::Chunk& chunk) {
    Matrix room(chunk.x.rows, std::ssize(distinct) * t);
    keep_first(reason, problem_->loo(chunk.x, chunk.y, chunk.weights, distinct, room.view(), chunk.first));
    for (Index j = 0; j < t; ++j) {
      const Index l = std::ranges::lower_bound(distinct, lambdas[j]) - distinct.begin();
      std::copy_n(room.col(l * t + j), room.rows(), errors.col(j) + chunk.first);
    }
  });
  return reason;
}

}  // namespace freeridge
