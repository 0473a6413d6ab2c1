// What a reader's model answers when it is factorized: criteria at many lambdas, the choice of one, and the fit.
// Left-out errors: reader_errors.cpp.
#include <algorithm>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/select/criteria.hpp"
#include "libcore/stream/reader_model.hpp"
#include "libcore/stream/streamed_fit.hpp"

namespace freeridge {
namespace {

void require_streamed(Criterion criterion) {
  if (criterion == Criterion::error_rate || is_of_labels(criterion))
    fail(Status::invalid_argument, "criterion is ", name_of(criterion),
         "; with a reader it is LOO, GCV, REML or GROUPS");
}

}  // namespace

void ReaderModel::require_factorized() const {
  if (!factorized()) fail(Status::invalid_state, "the model is not factorized; call freeridge_factorize first");
}

void ReaderModel::require_fitted() const {
  require_factorized();
  if (!fit_)
    fail(Status::invalid_state, "no lambda is set; call freeridge_set_lambda or freeridge_select_lambda first");
}

void ReaderModel::require_solvable() const {
  require_factorized();
  if (settings_->refinement() > 0)
    fail(Status::invalid_state, "there are ", settings_->refinement(),
         " steps of refinement (FREERIDGE_REFINEMENT), for which a reader's rows would have to be in memory");
}

const ReducedProblem& ReaderModel::problem() const {
  require_factorized();
  return *problem_;
}

const Predictor& ReaderModel::fitted() const {
  require_fitted();
  return *fit_;
}

Route ReaderModel::route() const {
  require_factorized();
  return features_->landmarks() ? Route::landmark : Route::primal;
}

Span<const Index> ReaderModel::landmarks() const {
  require_factorized();
  return chosen_;
}

const LambdaSearch& ReaderModel::require_search() const {
  if (!search_) fail(Status::invalid_state, "there has been no search; call freeridge_select_lambda first");
  return *search_;
}

Array<double> ReaderModel::lambda_grid(Index count) const {
  return log_grid(problem().lambda_range(), count);
}

AbstractModel::LambdaFlags ReaderModel::lambda_flags() const {
  const Span<const double> lambdas = fitted().lambdas();
  LambdaFlags out{problem_->floor(), {}, {}};
  for (Index j = 0; j < t(); ++j) {
    out.below.push_back(problem_->below_floor(lambdas[j]) ? 1 : 0);
    out.edge.push_back(search_ && lambdas[j] == search_->best[j] ? search_->edge[j] : 0);
  }
  return out;
}

Array<Moments> ReaderModel::loo_moments(Span<const double> lambdas, bool with_spread) const {
  Array<Moments> out(std::ssize(lambdas) * reader_.t());
  reader_.pass(read_, [&](const RowReader::Chunk& chunk) {
    problem_->add_checked_moments(chunk.x, chunk.y, chunk.weights, lambdas, with_spread, out);
  });
  return out;
}

std::string ReaderModel::make_scores(Criterion criterion, Span<const double> lambdas, MatrixView scores,
                                     MatrixView errors) const {
  require_streamed(criterion);
  require_lambdas("lambdas", lambdas);
  if (!is_mean(criterion) && errors.data != nullptr)
    fail(Status::invalid_argument, "criterion is ", name_of(criterion),
         ", which has no standard error: GCV and REML are no means over points or groups");
  if (!is_mean(criterion)) return problem_->score(criterion, lambdas, 0, scores);
  if (criterion == Criterion::groups) return group_scores(lambdas, scores, errors);
  const Array<Moments> found = loo_moments(lambdas, errors.data != nullptr);
  Array<double> moments(std::ssize(found) * moment_numbers);
  for (std::size_t pair = 0; pair < found.size(); ++pair) put_moments(found[pair], static_cast<Index>(pair), moments);
  return moment_scores(lambdas, moments, scores, errors);
}

std::string ReaderModel::score(Criterion criterion, Span<const double> lambdas, MatrixView scores,
                               MatrixView errors) const {
  require_factorized();
  const Hearing hearing(settings_->listener());
  Matrix table(scores.rows, scores.cols), errors_table(scores.rows, scores.cols);
  const bool with_errors = errors.data != nullptr;
  std::string reason = make_scores(criterion, lambdas, table.view(), with_errors ? errors_table.view() : MatrixView{});
  report(1);
  copy(table.view(), scores);
  if (with_errors) copy(errors_table.view(), errors);
  return reason;
}

LambdaSearch ReaderModel::search(Criterion criterion, double low, double high) const {
  require_streamed(criterion);
  if (!is_mean(criterion)) return problem_->select_lambda(criterion, low, high);
  const Index t = this->t();
  // A pass gives the scores of all outputs, whichever are asked for.
  const Searched searched{criterion, t, true,
                          [&](Span<const double> lambdas, Index first, MatrixView out, MatrixView errors) {
                            const Stage still(0, 1);
                            Matrix all(out.rows, t), all_errors(out.rows, t);
                            const MatrixView spread = errors.data == nullptr ? MatrixView{} : all_errors.view();
                            std::string reason = make_scores(criterion, lambdas, all.view(), spread);
                            copy(all.view().columns(first, out.cols), out);
                            if (errors.data != nullptr) copy(all_errors.view().columns(first, out.cols), errors);
                            return reason;
                          }};
  return search_lambda(searched, problem_->search_range(low, high));
}

const LambdaSearch& ReaderModel::select_lambda(Criterion criterion, double low, double high) {
  require_solvable();
  require_range("low", low, "high", high);
  const Hearing hearing(settings_->listener());
  Stage stage(0, 0.95);
  auto found = std::make_shared<const LambdaSearch>(search(criterion, low, high));
  stage.next(1);
  take_fit(found->best);
  search_ = std::move(found);
  return *search_;
}

void ReaderModel::set_lambdas(Span<const double> lambdas) {
  require_solvable();
  require_lambdas("lambda", lambdas);
  const Array<double> all =
      lambdas.size() == 1 ? Array<double>(t(), lambdas[0]) : Array<double>(lambdas.begin(), lambdas.end());
  const Hearing hearing(settings_->listener());
  take_fit(all);
}

void ReaderModel::take_fit(Span<const double> lambdas) {
  auto fit = predictor_at(*features_, *problem_, lambdas);
  auto reduced = std::make_shared<const ReducedModel>(problem_, lambdas);
  report(1);
  fit_ = std::move(fit);
  reduced_ = std::move(reduced);
}

void ReaderModel::coefficients(MatrixView c) const {
  Matrix made(fitted().n(), t());
  fit_->coefficients(made.view());
  const Span<const Index> kept = features_->map().kept();
  for (Index j = 0; j < c.cols; ++j) {
    std::fill_n(c.col(j), c.rows, 0.0);
    for (Index k = 0; k < made.rows(); ++k) c(kept[k], j) = made(k, j);
  }
}

void ReaderModel::fixed_kept(Span<std::int32_t> kept) const {
  problem().unpenalised_kept(kept);
}

// The effects are the first rows of the hyperplane, as the unpenalised columns are the first of x.
void ReaderModel::fixed_effects(MatrixView effects) const {
  Matrix w(d(), t());
  hyperplane(w.view());
  copy(w.view().row_range(0, effects.rows), effects);
}

std::string ReaderModel::fixed_errors(MatrixView errors) const {
  require_fitted();
  return reduced_->model(settings_->listener()).fixed_errors(errors);
}

}  // namespace freeridge
