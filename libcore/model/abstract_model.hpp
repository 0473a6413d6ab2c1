// What a model does, whoever holds its rows: Model (model.hpp) has them in memory, ReaderModel (stream/reader_model.hpp)
// reads them in passes. What needs all rows in memory is in Model alone.
#pragma once

#include <optional>
#include <string>

#include "libcore/base/array.hpp"
#include "libcore/data/choose_landmarks.hpp"
#include "libcore/kernel/kernel.hpp"
#include "libcore/routes/plan.hpp"
#include "libcore/select/groups.hpp"
#include "libcore/select/lambda_search.hpp"

namespace freeridge {

class AbstractModel {
 public:
  virtual ~AbstractModel() = default;

  // State. n: -1 where it is not known before the first pass.
  virtual Index n() const = 0;
  virtual Index d() const = 0;
  virtual Index t() const = 0;
  virtual Index require_n() const = 0;  // throws INVALID_STATE where it is not known before the first pass
  // These throw INVALID_STATE with the name of the call that is missing.
  virtual void require_factorized() const = 0;
  virtual void require_fitted() const = 0;
  virtual Route route() const = 0;
  virtual Span<const double> lambdas() const = 0;
  virtual const LambdaSearch& require_search() const = 0;

  // Settings
  virtual void set_kernel(KernelPtr kernel) = 0;
  virtual void set_groups(std::optional<Groups> groups) = 0;  // no value takes them away
  virtual const Groups& groups() const = 0;
  virtual void set_landmarks(Index count, const Index* rows) = 0;  // count distinct rows, or NULL: chosen
  virtual Landmarks requested_landmarks() const = 0;
  virtual Span<const Index> landmarks() const = 0;  // that the factorization has

  // Work
  virtual Index memory_required() const = 0;
  virtual std::string explain() const = 0;  // why this route, and what the others would cost
  virtual void factorize() = 0;
  virtual void set_lambdas(Span<const double> lambdas) = 0;  // t, or one for all
  virtual const LambdaSearch& select_lambda(Criterion criterion, double low, double high) = 0;

  // Answers. A returned text says why some entries are NaN; it is empty when none is.
  virtual Array<double> lambda_grid(Index count) const = 0;
  // errors: the standard errors; a view without data when they are not wanted
  [[nodiscard]] virtual std::string score(Criterion criterion, Span<const double> lambdas, MatrixView scores,
                                          MatrixView errors) const = 0;
  // About the lambdas in force, t numbers each. below: 1 where left-out errors may have fewer than six digits. edge: -1
  // or 1 where the last search chose the lambda at the low or high end of its range, else 0.
  struct LambdaFlags {
    double floor;
    Array<std::int32_t> below, edge;
  };
  virtual LambdaFlags lambda_flags() const = 0;
  [[nodiscard]] virtual std::string loo(MatrixView errors) const = 0;
  // gap: n for each of the layers
  [[nodiscard]] virtual std::string group_errors(const std::int32_t* label, Index layers, const std::int32_t* gap,
                                                 MatrixView errors) const = 0;
  virtual Index coefficient_rows() const = 0;  // the rows of c: n, or the landmarks that a reader's model has
  virtual void coefficients(MatrixView c) const = 0;
  virtual void hyperplane(MatrixView w) const = 0;
  virtual void intercept(double* b) const = 0;
  // Fixed effects: how many were set; which of them have an effect of their own (1 or 0); the effects and their
  // standard errors, q x t.
  virtual Index fixed_count() const = 0;
  virtual void fixed_kept(Span<std::int32_t> kept) const = 0;
  virtual void fixed_effects(MatrixView effects) const = 0;
  [[nodiscard]] virtual std::string fixed_errors(MatrixView errors) const = 0;

 protected:
  AbstractModel() = default;
  AbstractModel(const AbstractModel&) = default;
  AbstractModel(AbstractModel&&) = default;
  AbstractModel& operator=(const AbstractModel&) = default;
  AbstractModel& operator=(AbstractModel&&) = default;
};

}  // namespace freeridge
