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
#include "libcore/select/groups.hpp"
#include "libcore/stream/accumulator.hpp"
#include "libcore/stream/row_reader.hpp"

namespace freeridge {

class ReaderModel {
 public:
  // The settings of the model.
  struct Settings {
    KernelPtr kernel;
    bool intercept;
    Route route;
    LandmarkMethod method;
    std::int64_t seed;
    Reduction reduction;
  };

  explicit ReaderModel(const RowReader& reader) : reader_(reader) {}

  const RowReader& reader() const { return reader_; }
  void set_landmarks(Index count, Span<const Index> rows);
  Index landmarks() const { return wanted_; }
  Span<const Index> given_landmarks() const { return rows_; }
  // The first columns of x have no penalty (unpenalised_columns.hpp); PRIMAL.
  void set_unpenalised(Index count);
  Index unpenalised() const { return unpenalised_; }
  // The groups of the criterion GROUPS; no value takes them away. The number of rows must be known.
  void set_groups(std::optional<Groups> groups);
  const Groups& groups() const;
  Index require_n() const;

  // PRIMAL or LANDMARK. Throws INVALID_ARGUMENT or INVALID_STATE where the route needs all points.
  Route route_for(const Settings& settings) const;
  std::string explain(const Settings& settings) const;
  Index memory_required(const Settings& settings) const;
  // Leaves everything as it was when it throws.
  void factorize(const Settings& settings);

  bool factorized() const { return problem_ != nullptr; }
  void forget();
  Index n() const { return read_.rows; }  // of the pass of factorize
  Route route() const { return features_->landmarks() ? Route::landmark : Route::primal; }
  Span<const Index> chosen() const { return chosen_; }
  const ReducedProblem& problem() const { return *problem_; }
  const RowFeatures& features() const { return *features_; }

  // LOO, GCV, REML or GROUPS; the reason for the first NaN. errors: standard errors, or without data. memory_limit: of
  // GROUPS, 0: none.
  std::string score(Criterion criterion, Span<const double> lambdas, MatrixView scores, MatrixView errors,
                    Index memory_limit) const;
  LambdaSearch select_lambda(Criterion criterion, double low, double high, Index memory_limit) const;
  // The left-out errors at the lambda of each output, n x t.
  std::string loo(Span<const double> lambdas, MatrixView errors) const;
  // The same for rows that are left out together.
  std::string group_errors(const Groups& groups, Span<const double> lambdas, MatrixView errors,
                           Index memory_limit) const;

 private:
  std::shared_ptr<const RowFeatures> features_for(const Settings& settings, std::optional<PassRead>& read,
                                                  Array<Index>& chosen) const;
  Matrix gather(Span<const Index> rows, std::optional<PassRead>& read) const;
  Array<Moments> loo_moments(Span<const double> lambdas, bool with_spread) const;
  void require_memory_for(const Groups& groups, Index memory_limit) const;
  static Array<double> distinct_lambdas(Span<const double> lambdas);  // ascending
  std::string group_scores(Span<const double> lambdas, MatrixView scores, MatrixView errors, Index memory_limit) const;

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
};

}  // namespace freeridge
