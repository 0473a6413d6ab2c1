// The criteria, written once on the factorization interface (Y~, P~ and s as in factorization.hpp, m = n - q):
//   LOO     sum_i W_ii e_i^2 / sum_i W_ii,  e_i = (P~Y~)_i / (P~_ii sqrt(W_ii))
//   GCV     n |P~Y~|^2 / tr(P~)^2
//   REML    1/2 (m log(2 pi s2) + Y~'PY~ / s2 + log|M| + log|F'M^-1 F|),  M = K + lambda W^-1,  s2 = Y~'PY~ / m, or
//           sigma2 / lambda where sigma2 is known (Problem::prior_variance),  F = [1, fixed effects]:  log|M| + log|F'M^-1 F| = log|Z'GZ| + log|F'W F| - sum log(w); without F log|G| - sum log(w);
//           copies of rows count once (data/repeated_rows.hpp)
//   GROUPS  sum W_ii e_i^2 / sum W_ii over the rows left out: group_criteria.hpp
//   ERROR_RATE, and the standard errors of LOO, ERROR_RATE and LOG_LOSS: point_criteria.hpp
//   LOG_LOSS, EVIDENCE, for outputs of -1 and +1: log_loss.hpp; evidence.hpp, of which there is a gradient alone
#pragma once

#include <string>
#include <utility>

#include "libcore/base/array.hpp"
#include "libcore/select/groups.hpp"

namespace freeridge {

enum class Criterion : std::int32_t {
  loo = 1,
  gcv = 2,
  reml = 3,
  groups = 4,
  error_rate = 5,
  log_loss = 6,
  evidence = 7
};

// "LOO (1)", for messages.
inline std::string name_of(Criterion criterion) {
  constexpr const char* names[] = {"LOO", "GCV", "REML", "GROUPS", "ERROR_RATE", "LOG_LOSS", "EVIDENCE"};
  const auto number = static_cast<std::int32_t>(criterion);
  return text(names[number - 1], " (", number, ")");
}

// Whether a criterion is a mean over points or groups: then it has a standard error, and needs rows of P~, not its
// trace alone.
inline bool is_mean(Criterion criterion) {
  return criterion != Criterion::gcv && criterion != Criterion::reml && criterion != Criterion::evidence;
}
// Whether a criterion is the negative logarithm of a density: then differences of it mean something, not ratios.
inline bool is_likelihood(Criterion criterion) {
  return criterion == Criterion::reml || criterion == Criterion::evidence;
}
// Whether it is for outputs of -1 and +1, each a class against the others.
inline bool is_of_labels(Criterion criterion) {
  return criterion == Criterion::log_loss || criterion == Criterion::evidence;
}

// GCV of one output from |P~Y~|^2 and tr(P~); REML of one output from Y~'PY~, log|Z'GZ| and log_weights = log|F'W F| -
// sum log(w) (an intercept alone: log sum(w) - sum log(w)), without and with what copies of rows change.
double gcv(Index n, double squared_norm, double trace);
double reml(Index m, double s2, double quadratic_form, double log_determinant, double log_weights);
double reml(const Problem& problem, Index output, double lambda, double quadratic_form, double log_determinant);

// reason = other, unless there is a reason already.
inline void keep_first(std::string& reason, std::string other) {
  if (reason.empty()) reason = std::move(other);
}

// Reasons for missing values that several files give.
std::string no_left_out_error(Index row);
std::string no_score(Criterion criterion, Index output);
std::string one_term();
std::string error_overflows(Index output);

// The left-out errors of the outputs [first, first + out.cols), n x out.cols: NaN where there is none, and in rows in
// which these outputs are not observed.
// Answers with the reason for the first NaN, empty when there is none.
std::string loo_errors(const Problem& problem, const ResidualMaker& residual_maker, Index first, MatrixView out);

// out(l, j): the criterion at lambdas[l] for output first + j, lambdas.size() x outputs; NaN where it has no value.
// errors(l, j): its standard error, for criteria that are means; without data: not wanted.
// Answers with the reason for the first NaN, empty when there is none. groups: for GROUPS only. ERROR_RATE and
// LOG_LOSS need a Y that has passed require_classes and require_labels.
std::string scores(const Factorization& factorization, Criterion criterion, const Groups* groups,
                   Span<const double> lambdas, Index first, MatrixView out, MatrixView errors = {});

}  // namespace freeridge
