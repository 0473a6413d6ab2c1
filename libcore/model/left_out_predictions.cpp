// Predictions of new points without rows S of the data, nothing refitted: with the smoother row a(x), for which a(x)'Y
// = f(x) + b, and the errors e_i of the rows of S left out together
//     f_(-S)(x) = f(x) + b - sum_{i in S} a_i(x) e_i
// as the fit without S is the fit to outputs that have in S its own predictions, Y_i - e_i.
#include <cmath>
#include <unordered_map>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/model/model.hpp"
#include "libcore/select/groups.hpp"

namespace freeridge {
namespace {

// The sum over S. Throws NOT_FINITE.
double without(double f, const double* a, const double* e, Span<const Index> rows, Index point) {
  double value = f;
  bool defined = true;
  for (const Index i : rows) {
    value -= a[i] * e[i];
    defined = defined && !std::isnan(e[i]);
  }
  if (defined && !std::isfinite(value))
    fail(Status::not_finite, "the prediction for row ", point, " of x without rows of the data overflows");
  return value;
}

}  // namespace

std::string Model::predict_left_out(const Points& points, Span<const std::int32_t> group,
                                    Span<const std::int32_t> label, MatrixView out) const {
  require_fitted();
  require_fixed(fixed_count(), points.fixed);
  const Index n = this->n(), m = points.x.rows;
  const bool every_row = label.empty();
  require_room_to_predict(m, every_row ? 2 + n : 3, smoother_rows(n, m));
  const Hearing hearing(listener_);
  require_finite("x", points.x);
  const OffsetRows rows_seen = problem_rows(*kernel_, points.x);
  const Points seen(rows_seen.x, points.fixed);

  Stage stage(0, 0.3);
  Matrix errors(n, t());
  std::string why;
  std::unordered_map<std::int32_t, Array<Index>> left_out;  // by label; of single rows the label is the row
  if (group.empty()) {
    const Fit::LeftOut& own = this->left_out();
    errors = copy_of(own.errors.view());
    for (const std::string& reason : own.reasons) keep_first(why, reason);
  } else {
    why = group_errors(group.data(), 0, nullptr, errors.view());
    const Groups groups(group);
    for (const Group& one : groups.all()) left_out.emplace(one.label, one.rows);
  }
  for (Index j = 0; j < t(); ++j)  // what is not observed has no part in the fit
    for (const Index i : factorization_->problem().missing_rows(j)) errors(i, j) = 0;
  const auto rows_of = [&](std::int32_t wanted) -> Array<Index> {
    if (group.empty()) return wanted >= 0 && wanted < n ? Array<Index>(1, Index{wanted}) : Array<Index>();
    const auto found = left_out.find(wanted);
    return found == left_out.end() ? Array<Index>() : found->second;
  };

  stage.next(0.4);
  Matrix f(m, t()), found(m, every_row ? n * t() : t());
  each_smoother_tile(
      n, m, [&](Index row, Index rows) { predict_rows(prediction(), points, row, f.view().row_range(row, rows)); });
  stage.next(1);
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    each_smoother_tile(n, m, [&](Index row, Index rows) {
      Matrix a(n, rows);
      maker.smoother(seen, row, a.view(), {});
      for (Index q = 0; q < rows; ++q) {
        const Index p = row + q;
        const Array<Index> wanted = every_row ? Array<Index>() : rows_of(label[p]);
        for (Index j = first; j < first + count; ++j) {
          if (!every_row) {
            found(p, j) = without(f(p, j), a.col(q), errors.col(j), wanted, p);
            continue;
          }
          for (Index i = 0; i < n; ++i) found(p, i + n * j) = without(f(p, j), a.col(q), errors.col(j), {&i, 1}, p);
        }
      }
    });
  });
  report(1);
  bool undefined = false;
  for (const double value : found.values()) undefined = undefined || std::isnan(value);
  copy(found.view(), out);
  return undefined ? why : std::string();
}

}  // namespace freeridge
