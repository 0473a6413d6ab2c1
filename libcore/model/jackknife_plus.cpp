// Jackknife+ intervals at the lambdas in force. With the left-out errors e_i and the smoother row a(x), for which
// a(x)'Y = f(x) + b, the prediction without row i and the ends of the interval are
//     f_(-i)(x) = f(x) + b - a_i(x) e_i,     order statistics of f_(-i)(x) - |e_i| and of f_(-i)(x) + |e_i|
// By groups S of rows, with the errors of the rows of S left out together (CV+),
//     f_(-S)(x) = f(x) + b - sum_{i in S} a_i(x) e_i,     order statistics of f_(-S)(x) -+ |e_i|, all S and i in S
// With the learning included f, b, a and e are those of the model that was chosen without the fold of row i and is
// fitted to all rows (learnt_loo.cpp), so that nothing in f_(-i) knows row i
// (R. Barber, E. Candes, A. Ramdas, R. Tibshirani, Predictive inference with the jackknife+, Annals of Statistics 49
// (2021)).
#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/model/model.hpp"
#include "libcore/select/groups.hpp"

namespace freeridge {
namespace {

constexpr Index points_at_once = 64;  // whose order statistics one thread makes: fewer are not worth starting a thread

// ceil(level (n + 1)): the upper end of an interval is the value at this place, counted from 1, of n values in
// ascending order. A product that would be a whole number without rounding counts as that number (0.55 * 20 is 11, not
// 11.000000000000002). The lower end is at place floor((1 - level) (n + 1)) = n + 1 - ceil(level (n + 1)).
Index upper_place(double level, Index n) {
  const double exact = level * static_cast<double>(n + 1), whole = std::round(exact);
  const bool is_whole = std::abs(exact - whole) <= 4 * eps * exact;
  return static_cast<Index>(is_whole ? whole : std::ceil(exact));
}

// f_(-i)(x) - |e_i| and f_(-i)(x) + |e_i| for all i but those in `missing`. f: the prediction made with all rows.
void left_out_ends(double f, const double* a, const double* e, Span<const Index> missing, Span<double> low,
                   Span<double> high) {
  auto next = missing.begin();
  for (std::size_t k = 0, i = 0; k < low.size(); ++i) {
    if (next != missing.end() && *next == static_cast<Index>(i)) {
      ++next;
      continue;
    }
    const double left_out = f - a[i] * e[i];
    low[k] = left_out - std::abs(e[i]);
    high[k++] = left_out + std::abs(e[i]);
  }
}

// The groups S of rows that are left out together, and e_S.
struct LeftOutGroups {
  Array<Group> groups;
  Array<Matrix> errors;  // of each: its rows x outputs, 0 where the output is not observed
  Index terms = 0;       // pairs (S, i)
  std::string reason;    // why some errors are NaN
};

LeftOutGroups left_out_groups(const Factorization& factorization, const ResidualMaker& maker, const Groups& groups,
                              Index first, Index count) {
  const Span<const Index> missing = maker.unobserved();
  LeftOutGroups out{missing.empty() ? groups.all() : groups.without(missing).all(), {}, 0, {}};
  Stage stage(0, 0);
  for (const Group& group : out.groups) {
    stage.next(fraction(std::ssize(out.errors) + 1, std::ssize(out.groups)));
    Matrix& errors = out.errors.emplace_back(static_cast<Index>(group.rows.size()), count);
    const std::unique_ptr<RowBlock> rows = factorization.rows(group.rows);
    if (!group_errors(factorization.problem(), *rows, group, maker.of_all(), first, errors.view()))
      keep_first(out.reason, no_group_error(group));
    for (Index s = 0; s < errors.rows(); ++s)
      if (std::ranges::binary_search(missing, group.rows[s]))
        for (Index j = 0; j < count; ++j) errors(s, j) = 0;
    out.terms += group.scored;
    report(1);
  }
  return out;
}

// f_(-S)(x) - |e_i| and f_(-S)(x) + |e_i| of all S and i in S.
void left_out_ends(double f, const double* a, const LeftOutGroups& left_out, Index output, Span<double> low,
                   Span<double> high) {
  std::size_t k = 0;
  for (std::size_t g = 0; g < left_out.groups.size(); ++g) {
    const Group& group = left_out.groups[g];
    const double* const e = left_out.errors[g].col(output);
    double without = f;
    for (std::size_t s = 0; s < group.rows.size(); ++s) without -= a[group.rows[s]] * e[s];
    for (Index s = 0; s < group.scored; ++s) {
      low[k] = without - std::abs(e[s]);
      high[k++] = without + std::abs(e[s]);
    }
  }
}

// The k-th smallest value, k counted from 1. Reorders the values.
double smallest(Span<double> values, Index k) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The ends of an interval: the values at this place from the top, infinite where there is no such place. Reorders the
// values. row: of x, for the message.
void set_ends(Span<double> low, Span<double> high, Index place, Index row, double& lower, double& upper) {
  const Index observed = std::ssize(low);
  if (!all_finite(low) || !all_finite(high))
    fail(Status::not_finite, "the predictions for row ", row, " of x without a row of the data overflow");
  lower = place > observed ? -infinity : smallest(low, observed + 1 - place);
  upper = place > observed ? infinity : smallest(high, place);
}

}  // namespace

const Model::Fit::LeftOut& Model::left_out() const {
  Fit::LeftOut& out = *fit_->left_out;
  std::unique_lock lock(out.mutex, std::defer_lock);
  lock_patiently(lock);
  if (out.made) return out;
  Matrix errors(n(), t());
  Array<std::string> reasons(t());
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& residual_maker, Index first, Index count) {
    const std::string reason =
        loo_errors(factorization_->problem(), residual_maker, first, errors.view().columns(first, count));
    std::fill_n(reasons.begin() + static_cast<std::ptrdiff_t>(first), count, reason);
  });
  out.errors = std::move(errors);
  out.reasons = std::move(reasons);
  out.made = true;
  return out;
}

// Of all rows i, f_(-i)(x) at the points and e_i.
struct Model::LeftOutPredictions {
  Matrix values, errors;       // m x (n t), that of row i for output j in column i + n j; n x t
  Array<std::string> reasons;  // t: why an error has no value
};

// This model's f_(-i)(x) and e_i of some rows i.
void Model::predict_without(Span<const Index> rows, const Points& points, LeftOutPredictions& out) const {
  const Index n = this->n(), m = points.x.rows;
  const OffsetRows rows_seen = problem_rows(*kernel_, points.x);
  const Points seen(rows_seen.x, points.fixed);
  const Fit::LeftOut& own = left_out();
  for (Index j = 0; j < t(); ++j) {
    const Span<const Index> missing = factorization_->problem().missing_rows(j);
    for (const Index i : rows) {
      out.errors(i, j) = own.errors(i, j);
      if (std::isnan(own.errors(i, j)) && std::ranges::find(missing, i) == missing.end())
        keep_first(out.reasons[j], own.reasons[j]);
    }
  }
  each_smoother_tile(n, m, [&](Index row, Index height) {
    Matrix f(height, t()), a(n, height);
    predict_rows(prediction(), points, row, f.view());
    for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
      maker.smoother(seen, row, a.view(), {});
      for (Index j = first; j < first + count; ++j)
        for (const Index i : rows)
          for (Index q = 0; q < height; ++q) out.values(row + q, i + n * j) = f(q, j) - a(i, q) * out.errors(i, j);
    });
  });
}

Model::Intervals Model::learnt_jackknife(const Points& points, double level, const Folds& folds) const {
  const Index n = this->n(), m = points.x.rows;
  require_room_to_predict(m, 3 + n, smoother_rows(n, m));
  require_finite("x", points.x);
  LeftOutPredictions left_out{Matrix(m, n * t()), Matrix(n, t()), Array<std::string>(t())};
  const Hearing hearing(listener_);
  Stage stage(0, 0.95);
  each_chosen_without(folds, [&](const Model* chosen, Span<const Index> rows) {
    if (rows.empty()) return;
    if (chosen != nullptr) return chosen->predict_without(rows, points, left_out);
    for (std::string& reason : left_out.reasons) keep_first(reason, nothing_chosen);
  });
  stage.next(1);
  Intervals out{Matrix(m, t(), nan), Matrix(m, t(), nan), {}};
  for (Index j = 0; j < t(); ++j) {
    keep_first(out.reason, left_out.reasons[j]);
    if (!left_out.reasons[j].empty()) continue;
    const Array<Index> observed = other_indices(factorization_->problem().missing_rows(j), n);
    const Index place = upper_place(level, std::ssize(observed));
    Array<double> low(observed.size()), high(low);
    for (Index p = 0; p < m; ++p) {
      for (std::size_t k = 0; k < observed.size(); ++k) {
        const double error = std::abs(left_out.errors(observed[k], j)), value = left_out.values(p, observed[k] + n * j);
        low[k] = value - error;
        high[k] = value + error;
      }
      set_ends(low, high, place, p, out.lower(p, j), out.upper(p, j));
    }
    worked(20 * nanosecond * static_cast<double>(n * m));
  }
  report(1);
  return out;
}

Model::Intervals Model::predict_jackknife(const Points& points, double level, const LeavingOut& how) const {
  require_fitted();
  if (!std::isfinite(level)) fail(Status::not_finite, "level is ", level, "; it must be finite");
  if (level <= 0 || level >= 1)
    fail(Status::invalid_argument, "level is ", level, "; it must lie between 0 and 1, both excluded");
  require_fixed(fixed_count(), points.fixed);
  if (how.folds) return learnt_jackknife(points, level, *how.folds);
  const Groups* const groups = how.by_groups ? groups_for(Criterion::groups) : nullptr;
  if (groups != nullptr) require_room_for_score(groups, 1);
  require_room_to_predict(points.x.rows, 2, smoother_rows(this->n(), points.x.rows));
  const Hearing hearing(listener_);
  require_finite("x", points.x);
  const Index n = this->n(), m = points.x.rows;
  const OffsetRows rows_seen = problem_rows(*kernel_, points.x);
  const Points seen(rows_seen.x, points.fixed);
  Intervals out{Matrix(m, t()), Matrix(m, t()), {}};
  // The array `lower` holds f(x) + b until the lower ends take its place.
  Stage stage(0, 0.2);
  each_smoother_tile(n, m, [&](Index row, Index rows) {
    predict_rows(prediction(), points, row, out.lower.view().row_range(row, rows));
  });
  stage.next(0.4);
  const Fit::LeftOut* const by_row = groups != nullptr ? nullptr : &left_out();
  stage.next(1);
  for_each_residual_maker(*factorization_, *fit_, [&](const ResidualMaker& residual_maker, Index first, Index count) {
    const Span<const Index> missing = residual_maker.unobserved();
    LeftOutGroups by_group;
    if (groups != nullptr) by_group = left_out_groups(*factorization_, residual_maker, *groups, first, count);
    const Index terms = groups != nullptr ? by_group.terms : n - std::ssize(missing), place = upper_place(level, terms);
    const std::string& undefined = groups != nullptr ? by_group.reason : by_row->reasons[first];
    if (!undefined.empty()) {
      keep_first(out.reason, undefined);
      for (Index j = first; j < first + count; ++j) {
        std::fill_n(out.lower.col(j), m, nan);
        std::fill_n(out.upper.col(j), m, nan);
      }
      return;
    }
    each_smoother_tile(n, m, [&](Index row, Index rows) {
      Matrix a(n, rows);
      Stage half(0, 0.5);
      residual_maker.smoother(seen, row, a.view(), {});
      report(1);
      half.next(1);
      parallel_for(pieces(rows, points_at_once), [&](Index block) {
        Array<double> low(terms), high(low);
        const Index begin = block * points_at_once, end = std::min(begin + points_at_once, rows);
        for (Index q = begin; q < end; ++q)
          for (Index j = first; j < first + count; ++j) {
            worked(10 * nanosecond * static_cast<double>(terms));
            const double f = out.lower(row + q, j);
            if (groups != nullptr)
              left_out_ends(f, a.col(q), by_group, j - first, low, high);
            else
              left_out_ends(f, a.col(q), by_row->errors.col(j), missing, low, high);
            set_ends(low, high, place, row + q, out.lower(row + q, j), out.upper(row + q, j));
          }
      });
    });
  });
  report(1);
  return out;
}

}  // namespace freeridge
