#include "libcore/select/gradient_parts.hpp"

#include "libcore/select/bandwidth.hpp"

namespace freeridge {

Array<double> output_shares(const Problem& problem, Criterion criterion) {
  Array<double> out = score_divisors(problem, criterion);
  for (double& value : out) value = 1 / value;
  return out;
}

Array<double> group_shares(const Problem& problem, const Groups& groups) {
  Array<double> left_out(groups.divisions(), 0.0), out;
  for (const Group& group : groups.all())
    for (Index k = 0; k < group.scored; ++k) left_out[group.division] += problem.weight(group.rows[k]);
  for (const Group& group : groups.all())
    out.push_back(1 / (left_out[group.division] * static_cast<double>(groups.divisions())));
  return out;
}

double combined_score(const Factorization& factorization, Criterion criterion, const Groups* groups, double lambda) {
  const Problem& problem = factorization.problem();
  Array<double> values(problem.t());
  const std::string reason = scores(factorization, criterion, groups, {lambda}, 0, {values.data(), 1, problem.t(), 1});
  if (!reason.empty()) fail_no_value(reason);
  return combined_score(problem, criterion, values);
}

std::unique_ptr<ResidualMaker> residual_maker_at(const Factorization& factorization, double lambda) {
  return factorization.try_at(lambda, [](const std::string& cause) { fail_no_value(cause); });
}

void fail_no_value(const std::string& reason) {
  fail(Status::undefined, "the criterion has no value, and no derivatives: ", reason);
}

}  // namespace freeridge
