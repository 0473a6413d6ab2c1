// The C layer, rows in shards: accumulators as bytes that merge, moments of left-out errors that join, and the
// predictor of an accumulator.
#include <algorithm>
#include <string>
#include <utility>

#include "capi/accumulators.hpp"
#include "capi/saving.hpp"
#include "libcore/base/checks.hpp"
#include "libcore/base/memory.hpp"
#include "libcore/select/moments.hpp"
#include "libcore/stream/group_pass.hpp"

namespace freeridge::capi {
namespace {

Span<double> checked_moments(const char* name, double* moments, std::int64_t pairs) {
  required(name, moments);
  require_product("count", pairs, "the numbers of a pair", moment_numbers);
  return {moments, static_cast<std::size_t>(moment_numbers * pairs)};
}

Span<const double> checked_moments(const char* name, const double* moments, std::int64_t count, std::int64_t t) {
  require_size("t", t);
  required(name, moments);
  require_product("count", count, "t", t);
  require_product("count", count * t, "the numbers of a pair", moment_numbers);
  const Span<const double> out(moments, static_cast<std::size_t>(moment_numbers * count * t));
  require_moments(name, out);
  return out;
}

void hand_out_moments(const Accumulator& accumulator, const Chunk& rows, const double* weights, std::int64_t count,
                      const double* lambdas, double* moments) {
  const auto values = checked_lambdas(count, lambdas);
  require_product("count", count, "t", accumulator.rows().t());
  const Span<double> out = checked_moments("moments", moments, count * accumulator.rows().t());
  accumulator.require_rows();
  require_lambdas("lambdas", values);
  const Hearing hearing(accumulator.listener());
  Array<Moments> found(out.size() / moment_numbers);
  if (rows.x.rows > 0) {
    const auto problem = reduced(accumulator);
    const Stage stage(0.5, 1);
    problem->add_loo_moments(rows.x, rows.y, weights, values, found);
  }
  report(1);
  for (std::size_t pair = 0; pair < found.size(); ++pair) put_moments(found[pair], static_cast<Index>(pair), out);
}

// Groups that are whole in these rows.
void require_memory_for(const ReducedProblem& problem, const Groups& groups) {
  require_memory(GroupPass::memory_required(problem, groups), "leaving groups out",
                 "hand over fewer groups at a time, with the rows of each together");
}

void hand_out_group_moments(const Accumulator& accumulator, const Chunk& rows, const double* weights,
                            const std::int32_t* group, std::int64_t count, const double* lambdas, double* moments) {
  const Index n = rows.x.rows;
  if (n > 0) required("group", group);
  const auto values = checked_lambdas(count, lambdas);
  require_product("count", count, "t", accumulator.rows().t());
  const Span<double> out = checked_moments("moments", moments, count * accumulator.rows().t());
  accumulator.require_rows();
  ReducedProblem::require_passed(rows.x, rows.y, weights, values);
  const Hearing hearing(accumulator.listener());
  Array<Moments> found(out.size() / moment_numbers);
  if (std::any_of(group, group + n, [](std::int32_t label) { return label >= 0; })) {
    const Groups groups(Span(group, n));
    const auto problem = reduced(accumulator);
    require_memory_for(*problem, groups);
    const Stage stage(0.5, 1);
    StreamedGroupScores scores(*problem, groups, values);
    GroupPass(*problem, groups, [&](Index which, const GroupSum& sum) {
      scores.take(which, sum);
    }).add(rows.x, rows.y, weights);
    found = scores.moments();
  }
  report(1);
  for (std::size_t pair = 0; pair < found.size(); ++pair) put_moments(found[pair], static_cast<Index>(pair), out);
}

void hand_out_group_errors(const Accumulator& accumulator, const Chunk& rows, const double* weights,
                           const std::int32_t* group, std::int64_t count, const double* lambdas, double* errors,
                           std::int64_t ld) {
  required("group", group);
  const auto values = checked_lambdas(count, lambdas);
  const Index n = rows.x.rows, t = accumulator.rows().t();
  require_product("count", count, "t", t);
  const MatrixView out = checked_output("errors", errors, "n", n, count * t, ld);
  accumulator.require_rows();
  ReducedProblem::require_passed(rows.x, rows.y, weights, values);
  const Groups groups(Span(group, n));
  const Hearing hearing(accumulator.listener());
  const auto problem = reduced(accumulator);
  require_memory_for(*problem, groups);
  const Stage stage(0.5, 1);
  Matrix table(n, count * t);
  StreamedGroupErrors found(*problem, groups, values, consecutive(0, count * t), table.view());
  GroupPass(*problem, groups, [&](Index which, const GroupSum& sum) {
    found.take(which, sum);
  }).add(rows.x, rows.y, weights);
  if (found.needs_rows_again()) found.add_again(rows.x, rows.y, weights);
  found.require_finite();
  std::string reason = found.reason();
  report(1);
  copy_out(table.view(), Layout::col_major, out.data, out.ld);
  report_undefined(std::move(reason));
}

// The fit at the lambdas of all outputs, for prediction: an expansion over the landmarks.
std::shared_ptr<const Predictor> expansion_at(const RowFeatures& features, const ReducedProblem& problem,
                                              Span<const double> lambdas) {
  const Index t = problem.rows().t();
  const Matrix z = features.kept();
  Matrix c(z.rows(), t);
  Array<double> b(t);
  problem.expansion(lambdas, c.view(), b);
  return std::make_shared<const Predictor>(
      features.kernel(),
      Prediction{*features.kernel(), z.rows(), z.cols(), t, lambdas, b, {}, {}, {}, layout_view(z), c.view(), {}, {}});
}

// The same of x itself: a hyperplane.
std::shared_ptr<const Predictor> hyperplane_at(const ReducedProblem& problem, Span<const double> lambdas) {
  const RowStack& rows = problem.rows();
  const Index d = rows.d(), t = rows.t();
  Matrix w(d, t), planes(d, t), intercepts(t, 1);
  Array<double> means = problem.means(), b;
  means.resize(d + t, 0.0);
  for (Index j = 0; j < t; ++j) {
    if (j == 0 || lambdas[j] != lambdas[j - 1]) problem.solve(lambdas.subspan(j, 1), planes.view(), intercepts.view());
    std::copy_n(planes.col(j), d, w.col(j));
    b.push_back(intercepts(j, 0));
  }
  const Span<const double> origin(means.data(), static_cast<std::size_t>(d)), level(means.data() + d, b.size());
  const KernelPtr kernel = linear_kernel();
  return std::make_shared<const Predictor>(
      kernel, Prediction{*kernel, rows.n(), d, t, lambdas, b, w.view(), origin, level, Rows(), {}, {}, {}});
}

}  // namespace

std::shared_ptr<const Predictor> predictor_at(const RowFeatures& features, const ReducedProblem& problem,
                                              Span<const double> lambdas) {
  return features.landmarks() ? expansion_at(features, problem, lambdas) : hyperplane_at(problem, lambdas);
}

}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_accumulator_create_landmarks(const freeridge_kernel* kernel, freeridge_layout layout,
                                                        int64_t r, int64_t d, const double* z, int64_t ldz, int64_t t,
                                                        int32_t intercept, freeridge_reduction reduction,
                                                        freeridge_accumulator** out) {
  return guarded(__func__, [&] {
    const KernelPtr& inner = required("kernel", kernel).kernel;
    const Layout order = checked_layout(layout);
    require_size("r", r);
    require_size("d", d);
    const LayoutView points = checked_matrix("z", z, order, "r", r, "d", d, "ldz", ldz);
    require_size("t", t);
    require_one_of("reduction", reduction,
                   {FREERIDGE_REDUCTION_AUTO, FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM});
    required("out", out);
    auto features =
        std::make_shared<const RowFeatures>(inner, points, intercept != 0, static_cast<Reduction>(reduction));
    *out = new freeridge_accumulator{Accumulator(std::move(features), t, intercept != 0)};
  });
}

freeridge_status freeridge_accumulator_compact(freeridge_accumulator* accumulator) {
  return guarded(__func__, [&] { accumulator_of(accumulator).compact(); });
}

freeridge_status freeridge_accumulator_prepare(freeridge_accumulator* accumulator) {
  return guarded(__func__, [&] { accumulator_of(accumulator).prepare(); });
}

freeridge_status freeridge_accumulator_merge_bytes(const void* other, int64_t size, void* inout) {
  return guarded(__func__, [&] {
    auto* const to = static_cast<unsigned char*>(inout);
    const auto* const from = static_cast<const unsigned char*>(other);
    required("inout", to);
    required("other", from);
    if (size < 1) fail(Status::invalid_argument, "size is ", size, "; it must be at least 1");
    const auto count = static_cast<std::size_t>(size);
    merge_bytes({to, count}, {from, count});
  });
}

freeridge_status freeridge_accumulator_loo_moments(const freeridge_accumulator* accumulator, freeridge_layout layout,
                                                   int64_t n, const double* x, int64_t ldx, const double* y,
                                                   int64_t ldy, const double* weights, int64_t count,
                                                   const double* lambdas, double* moments) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    hand_out_moments(a, checked_rows(a, layout, n, x, ldx, y, ldy, Empty::allowed), weights, count, lambdas, moments);
  });
}

freeridge_status freeridge_accumulator_loo_moments_sparse(const freeridge_accumulator* accumulator,
                                                          freeridge_sparse_format format, int64_t n,
                                                          const int64_t* start, const int32_t* index,
                                                          const double* value, freeridge_layout layout, const double* y,
                                                          int64_t ldy, const double* weights, int64_t count,
                                                          const double* lambdas, double* moments) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    const Chunk rows = checked_sparse_rows(a, format, n, start, index, value, layout, y, ldy, Empty::allowed);
    hand_out_moments(a, rows, weights, count, lambdas, moments);
  });
}

freeridge_status freeridge_accumulator_group_errors(const freeridge_accumulator* accumulator, freeridge_layout layout,
                                                    int64_t n, const double* x, int64_t ldx, const double* y,
                                                    int64_t ldy, const double* weights, const int32_t* group,
                                                    int64_t count, const double* lambdas, double* errors, int64_t ld) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    hand_out_group_errors(a, checked_rows(a, layout, n, x, ldx, y, ldy), weights, group, count, lambdas, errors, ld);
  });
}

freeridge_status freeridge_accumulator_group_moments(const freeridge_accumulator* accumulator, freeridge_layout layout,
                                                     int64_t n, const double* x, int64_t ldx, const double* y,
                                                     int64_t ldy, const double* weights, const int32_t* group,
                                                     int64_t count, const double* lambdas, double* moments) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    const Chunk rows = checked_rows(a, layout, n, x, ldx, y, ldy, Empty::allowed);
    hand_out_group_moments(a, rows, weights, group, count, lambdas, moments);
  });
}

freeridge_status freeridge_accumulator_predictor(const freeridge_accumulator* accumulator, const double* lambda,
                                                 freeridge_model** out) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    required("lambda", lambda);
    required("out", out);
    a.require_rows();
    const Span<const double> lambdas(lambda, a.rows().t());
    require_lambdas("lambda", lambdas);
    const Hearing hearing(a.listener());
    const auto problem = reduced(a);
    const Stage stage(0.5, 1);
    auto predictor = predictor_at(a.features(), *problem, lambdas);
    *out = new freeridge_model{Model(predictor->kernel()), std::move(predictor)};
  });
}

freeridge_status freeridge_moments_join(int64_t count, const double* other, double* inout) {
  return guarded(__func__, [&] {
    require_size("count", count);
    const Span<double> to = checked_moments("inout", inout, count);
    const Span<const double> from = checked_moments("other", other, count, 1);
    require_moments("inout", to);
    join_moments(to, from);
  });
}

freeridge_status freeridge_moments_score(int64_t count, const double* lambdas, int64_t t, const double* moments,
                                         double* scores, double* errors, int64_t ld) {
  return guarded(__func__, [&] {
    const auto values = checked_lambdas(count, lambdas);
    const Span<const double> from = checked_moments("moments", moments, count, t);
    const MatrixView out = checked_output("scores", scores, "count", count, t, ld);
    require_lambdas("lambdas", values);
    report_undefined(moment_scores(values, from, out, optional_output(errors, count, t, ld)));
  });
}

freeridge_status freeridge_moments_select_lambda(int64_t count, const double* lambdas, int64_t t, const double* moments,
                                                 double* lambda, double* score, double* standard_error, int32_t* edge,
                                                 double* decades, int32_t* dips, double* next) {
  return guarded(__func__, [&] {
    const auto values = checked_lambdas(count, lambdas);
    const Span<const double> from = checked_moments("moments", moments, count, t);
    required("lambda", lambda);
    required("score", score);
    require_lambdas("lambdas", values);
    for (std::size_t l = 0; l < values.size(); ++l)
      if (values[l] == 0) fail(Status::invalid_argument, "lambdas[", l, "] is 0; a choice is made among positive ones");
    const MomentChoice found = choose_by_moments(values, t, from);
    std::ranges::copy(found.lambda, lambda);
    std::ranges::copy(found.score, score);
    copy_to(found.standard_error, standard_error);
    copy_to(found.edge, edge);
    copy_to(found.decades, decades);
    copy_to(found.dips, dips);
    copy_to(found.next, next);
  });
}
