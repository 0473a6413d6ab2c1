// Ridge regression on the rows of a reader, with the answers of a model on a route that streams (PRIMAL, LANDMARK).
// They are made by passes over the rows. Memory: O(p^2) and a stretch of rows, whatever n is; p = d, or the number of
// landmarks.
//     factorize    1 pass, an accumulator (accumulator.hpp); landmarks that are chosen or given by their rows: 1 before
//                  it, and 1 to count the rows where n is not known
//     GCV, REML    no pass
//     LOO          1 pass for all lambdas of a call, by moments (select/moments.hpp); a search takes three or four
//     errors       1 pass
//     GROUPS       as LOO; the errors of groups 1 pass, and 1 more where a group has more rows than the basis has
//                  columns. While a group is open it takes the memory that group_sum.hpp says; labels are 8 bytes a row
//                  and division
// Landmarks are chosen among at most max(2048, 4 r) rows that are drawn at random (RANDOM: among all rows).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "libcore/data/choose_landmarks.hpp"
#include "libcore/model/model.hpp"
#include "libcore/select/groups.hpp"
#include "libcore/stream/accumulator.hpp"
#include "libcore/stream/group_pass.hpp"
#include "libcore/stream/reduced_model.hpp"
#include "libcore/stream/row_reader.hpp"

namespace freeridge {

class ReaderModel final : public AbstractModel {
 public:
  // settings: the model whose kernel, intercept, route, landmark method, reduction, memory limit and listener count; it
  // has no rows, and outlives this one.
  ReaderModel(Model& settings, const RowReader& reader) : settings_(&settings), reader_(reader) {}
  // A copy of another one with its own settings.
  ReaderModel(Model& settings, const ReaderModel& other) : ReaderModel(other) { settings_ = &settings; }

  // The first columns of x have no penalty (unpenalised_columns.hpp); PRIMAL.
  void set_unpenalised(Index count);
  Index unpenalised() const { return unpenalised_; }
  // To be called after a change of a setting that the factorization depends on.
  void forget();
  bool factorized() const { return problem_ != nullptr; }
  // The fit at the lambdas in force, or NULL.
  const Predictor* fit() const { return fit_.get(); }
  // What answers by sums of all rows (reduced_model.hpp), or NULL.
  const ReducedModel* reduced() const { return reduced_.get(); }

  Index n() const override { return factorized() ? read_.rows : reader_.n(); }
  Index d() const override { return reader_.d(); }
  Index t() const override { return reader_.t(); }
  Index require_n() const override;
  void require_factorized() const override;
  void require_fitted() const override;
  Route route() const override;
  Span<const double> lambdas() const override { return fitted().lambdas(); }
  const LambdaSearch& require_search() const override;
  void set_kernel(KernelPtr kernel) override;
  void set_groups(std::optional<Groups> groups) override;
  const Groups& groups() const override;
  void set_landmarks(Index count, const Index* rows) override;
  Landmarks requested_landmarks() const override { return {wanted_, rows_}; }
  Span<const Index> landmarks() const override;
  Index memory_required() const override;
  std::string explain() const override;
  void factorize() override;
  void set_lambdas(Span<const double> lambdas) override;
  const LambdaSearch& select_lambda(Criterion criterion, double low, double high) override;
  Array<double> lambda_grid(Index count) const override;
  [[nodiscard]] std::string score(Criterion criterion, Span<const double> lambdas, MatrixView scores,
                                  MatrixView errors) const override;
  LambdaFlags lambda_flags() const override;
  [[nodiscard]] std::string loo(MatrixView errors) const override;
  [[nodiscard]] std::string group_errors(const std::int32_t* label, Index layers, const std::int32_t* gap,
                                         MatrixView errors) const override;
  // Of the landmarks, in their order, with 0 for those that phi is not made of.
  Index coefficient_rows() const override { return std::ssize(chosen_); }
  void coefficients(MatrixView c) const override;
  void hyperplane(MatrixView w) const override { fitted().hyperplane(w); }
  void intercept(double* b) const override { std::ranges::copy(fitted().intercept(), b); }
  Index fixed_count() const override { return unpenalised_; }
  void fixed_kept(Span<std::int32_t> kept) const override;
  void fixed_effects(MatrixView effects) const override;
  [[nodiscard]] std::string fixed_errors(MatrixView errors) const override;

 private:
  ReaderModel(const ReaderModel&) = default;

  // PRIMAL or LANDMARK. Throws INVALID_ARGUMENT or INVALID_STATE where the route needs all points.
  Route route_for_settings() const;
  bool with_intercept() const { return settings_->offset() == Offset::free; }
  std::shared_ptr<const RowFeatures> make_features(std::optional<PassRead>& read, Array<Index>& chosen) const;
  Matrix gather(Span<const Index> rows, std::optional<PassRead>& read) const;
  const ReducedProblem& problem() const;
  const Predictor& fitted() const;
  // The fit at t lambdas. Changes nothing when it throws.
  void take_fit(Span<const double> lambdas);
  // Throws INVALID_STATE unless a lambda can be set.
  void require_solvable() const;
  std::string make_scores(Criterion criterion, Span<const double> lambdas, MatrixView scores, MatrixView errors) const;
  Array<Moments> loo_moments(Span<const double> lambdas, bool with_spread) const;
  LambdaSearch search(Criterion criterion, double low, double high) const;
  void require_memory_for(const Groups& groups) const;
  PassOverRows again() const;  // one more pass over the rows
  std::string group_scores(Span<const double> lambdas, MatrixView scores, MatrixView errors) const;

  Model* settings_;
  RowReader reader_;
  Index wanted_ = 0;
  Array<Index> rows_;  // of the landmarks, where they are given
  Index unpenalised_ = 0;
  std::shared_ptr<const Groups> groups_;
  // factorized
  PassRead read_;
  std::shared_ptr<const RowFeatures> features_;
  std::shared_ptr<const ReducedProblem> problem_;
  Array<Index> chosen_;
  // fitted
  std::shared_ptr<const Predictor> fit_;
  std::shared_ptr<const ReducedModel> reduced_;
  std::shared_ptr<const LambdaSearch> search_;
};

}  // namespace freeridge
