#include "libcore/select/group_criteria.hpp"

#include <cmath>
#include <limits>

#include "libcore/base/checks.hpp"
#include "libcore/select/criteria.hpp"

namespace freeridge {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string no_group_error(std::int32_t label) {
  return text("the errors of group ", label, " are undefined: the other rows do not determine its predictions");
}

// A weighted mean and the root of the sum of squares about it, term by term (B. Welford, Technometrics 4 (1962)):
// nothing of size groups x lambdas is kept, nothing cancels, and the squares of the q, which are squares already, are
// not formed.
struct RunningMean {
  double weights = 0, mean = 0, root = 0;
  void add(double v, double q) {
    weights += v;
    const double step = q - mean;
    mean += v / weights * step;
    root = std::hypot(root, std::sqrt(v) * std::sqrt(std::abs(step)) * std::sqrt(std::abs(q - mean)));
  }
};

}  // namespace

std::string group_errors(const Factorization& factorization, const ResidualMaker& maker, const Groups& groups,
                         Index first, MatrixView out, const Progress& progress) {
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) = nan;
  std::string reason;
  double done = 0;
  for (const Group& group : groups.all()) {
    const double all = static_cast<double>(groups.all().size());
    const Stage stage(progress.part(done / all, (done + 1) / all), 0);
    Matrix errors(static_cast<Index>(group.rows.size()), out.cols);
    const std::unique_ptr<RowBlock> rows = factorization.rows(group.rows);
    if (group_errors(factorization.problem(), *rows, group, maker, first, errors.view()))
      require_no_overflow("the errors of a group", errors.view());
    else
      keep_first(reason, no_group_error(group.label));
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < errors.rows(); ++i) out(group.rows[static_cast<std::size_t>(i)], j) = errors(i, j);
    progress.report(++done / all);
  }
  return reason;
}

std::string group_scores(const Factorization& factorization, const Groups& groups, std::span<const double> lambdas,
                         Index first, MatrixView scores, MatrixView errors, const Progress& progress) {
  // Groups outside, lambdas inside, so that what a group costs once is paid once; but lambdas one at a time where P~ at
  // a lambda is the expensive part and large.
  const Problem& problem = factorization.problem();
  const std::size_t total = lambdas.size(), chunk = factorization.at_is_free() ? total : 1;
  std::string reason;
  const auto why = [&](std::size_t l, const std::string& cause) {
    keep_first(reason, text(cause, " (lambda = ", lambdas[l], ")"));
  };
  for (std::size_t begin = 0; begin < total; begin += chunk) {
    const Progress part = progress.part(static_cast<double>(begin) / static_cast<double>(total),
                                        static_cast<double>(begin + chunk) / static_cast<double>(total));
    const double makers_share = factorization.at_is_free() ? 0 : 0.3;
    std::vector<std::unique_ptr<ResidualMaker>> makers(chunk);
    const Stage making(part.part(0, makers_share), 0);
    for (std::size_t l = 0; l < chunk; ++l) try {
        makers[l] = factorization.at(lambdas[begin + l]);
      } catch (const Error& error) {
        if (error.status() != Status::not_positive_definite) throw;
        why(begin + l, error.what());
      }
    std::vector<RunningMean> means(chunk * static_cast<std::size_t>(scores.cols));
    const Progress groups_part = part.part(makers_share, 1);
    const double all = static_cast<double>(groups.all().size());
    double done = 0;
    for (const Group& group : groups.all()) {
      const Stage stage(groups_part.part(done / all, (done + 1) / all), 0);
      const std::unique_ptr<RowBlock> rows = factorization.rows(group.rows);
      Matrix left_out(static_cast<Index>(group.rows.size()), scores.cols);
      double weights = 0;
      for (const Index i : group.rows) weights += problem.weight(i);
      for (std::size_t l = 0; l < chunk; ++l) {
        if (!makers[l]) continue;
        if (!group_errors(problem, *rows, group, *makers[l], first, left_out.view()))
          why(begin + l, no_group_error(group.label));
        for (Index j = 0; j < scores.cols; ++j) {
          double sum = 0;
          for (Index i = 0; i < left_out.rows(); ++i)
            sum += problem.weight(group.rows[static_cast<std::size_t>(i)]) * left_out(i, j) * left_out(i, j);
          means[l * static_cast<std::size_t>(scores.cols) + static_cast<std::size_t>(j)].add(weights, sum / weights);
        }
      }
      groups_part.report(++done / all);
    }
    const double count = static_cast<double>(groups.all().size());
    for (std::size_t l = 0; l < chunk; ++l)
      for (Index j = 0; j < scores.cols; ++j) {
        const RunningMean& m = means[l * static_cast<std::size_t>(scores.cols) + static_cast<std::size_t>(j)];
        const bool defined = makers[l] && std::isfinite(m.mean);
        if (!defined) why(begin + l, text("the criterion of output ", first + j, " has no value"));
        const Index row = static_cast<Index>(begin + l);
        scores(row, j) = defined ? m.mean : nan;
        if (errors.data == nullptr) continue;
        double& error = errors(row, j);
        error = defined && count > 1 ? m.root / std::sqrt(m.weights * (count - 1)) : nan;
        if (!defined || count <= 1 || std::isfinite(error)) continue;
        why(begin + l, error_overflows(first + j));
        error = nan;
      }
  }
  if (errors.data != nullptr && groups.all().size() == 1) keep_first(reason, one_term());
  return reason;
}

}  // namespace freeridge
