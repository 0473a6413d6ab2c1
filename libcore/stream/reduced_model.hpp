// A fit to rows that are no longer there answers what depends on their sums alone (reduced_problem.hpp), by a model of few
// rows that have these sums: variances of its coefficients and predictions, and its degrees of freedom. With an intercept
// these rows are the n' = 1 + m' rows
//     (sum(w) / n')^(1/2) [1, x, y] = H [sum(w)^(1/2)  0; 0  C],   x = ... + xbar,   y = ... + ybar
// C the centred rows, H the reflection that maps the first unit vector to n'^(-1/2) 1: rows of one weight, with the means
// and the products of all n rows. Without an intercept they are C. The n - n' rows more are zeros (Problem::absent).
// Landmarks: the kernel is that of phi, which new points are turned into. Outputs of landmarks have no covariances with
// one another.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "libcore/model/model.hpp"
#include "libcore/stream/reduced_problem.hpp"

namespace freeridge {

class ReducedModel {
 public:
  ReducedModel(std::shared_ptr<const ReducedProblem> problem, Span<const double> lambdas)
      : problem_(std::move(problem)), lambdas_(lambdas.begin(), lambdas.end()) {}

  // The model, made when it is first asked for: O(p^3). Unpenalised columns are beside its x.
  Model model(const Listener& listener) const;
  Index d() const { return problem_->features().d(); }  // the columns of points as the user has them
  bool landmarks() const { return problem_->features().landmarks(); }
  bool intercept() const { return problem_->rows().intercept(); }
  Index unpenalised() const { return problem_->features().unpenalised(); }  // the first columns of x
  // use(first, points) for new points as the model has them: those of landmarks `rows` at a time.
  void each(const Points& given, Index rows, const std::function<void(Index, const Points&)>& use) const;

 private:
  Model made() const;

  std::shared_ptr<const ReducedProblem> problem_;
  Array<double> lambdas_;
  mutable std::mutex mutex_;
  mutable std::optional<Model> model_;
};

}  // namespace freeridge
