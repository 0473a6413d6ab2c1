#include "libcore/routes/sparse_iterative_route.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/bytes.hpp"
#include "libcore/base/constants.hpp"
#include "libcore/base/random.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/routes/sparse_iterative_maker.hpp"

namespace freeridge {
namespace {

constexpr std::int64_t sign_seed = 1;
// The accuracy of the solutions in estimates: of outputs, and of probes, whose own noise is larger.
constexpr double enough_to_estimate = 1e-4, enough_for_probes = 1e-2;
constexpr double surely_positive = 4;  // eps: lambda over the largest eigenvalue

}  // namespace

SparseIterative::SparseIterative(ProblemPtr the_problem, double accuracy)
    : Estimating(std::move(the_problem), accuracy), rows_(problem()), equations_(rows_) {
  set();
}

SparseIterative::SparseIterative(ProblemPtr the_problem, ByteReader& in)
    : Estimating(std::move(the_problem), in), rows_(problem()), equations_(rows_) {
  set();
}

void SparseIterative::set() {
  xy_ = Matrix(rows_.d(), problem().t());
  rows_.transpose_multiply(problem().y_tilde.view(), xy_.view());
  range_.largest = equations_.largest();
  range_.smallest = range_.largest;
  for (const double square : rows_.squares())
    if (square > surely_positive * eps * range_.largest) range_.smallest = std::min(range_.smallest, square);
  tolerance_ = surely_positive * eps * range_.largest;
  if (!std::isfinite(range_.largest)) fail(Status::not_finite, "the squares of x overflow; rescale x");
}

void SparseIterative::save(ByteWriter& out) const {
  out.number(accuracy_);
}

void SparseIterative::require_lambda(double lambda) const {
  if (!(lambda > tolerance_))
    fail(Status::not_positive_definite, "lambda is ", lambda, "; on the ITERATIVE route it has to be above ",
         tolerance_, ", the rounding of x'x: set a larger lambda, or the route PRIMAL");
}

NormalColumns SparseIterative::solved(double lambda, ConstMatrixView b, ConstMatrixView start) const {
  const Array<double> wanted(b.cols, accuracy_);
  NormalColumns out = equations_.solve(b, lambda, start, wanted);
  for (Index j = 0; j < b.cols; ++j)
    if (!(out.accuracy(j) <= accuracy_)) fail(Status::not_converged, not_converged(lambda, out.accuracy(j), accuracy_));
  return out;
}

void SparseIterative::residual(Index first, ConstMatrixView w_s, MatrixView out) const {
  rows_.multiply(w_s, out);
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) = problem().y_tilde(i, first + j) - out(i, j);
}

void SparseIterative::probe(Index p, Span<double> z) const {
  if (exact()) {
    std::ranges::fill(z, 0.0);
    z[p] = 1;
    return;
  }
  Random random(sign_seed + p);
  for (double& value : z) value = random.next() >> 63 != 0 ? 1 : -1;
}

Matrix SparseIterative::probe_products(Index count) const {
  Matrix z(problem().n(), count), out(rows_.d(), count);
  for (Index p = 0; p < count; ++p) probe(p, {z.col(p), z.rows()});
  rows_.transpose_multiply(z.view(), out.view());
  return out;
}

Matrix SparseIterative::hat_products(ConstMatrixView solutions) const {
  const Index n = problem().n(), q = problem().q();
  Matrix out(n, solutions.cols);
  rows_.multiply(solutions, out.view());
  Array<double> z(n), along(q);
  for (Index p = 0; p < out.cols(); ++p) {
    probe(p, z);
    if (q > 0) {
      gemv(Op::transpose, 1, problem().q1().view(), z.data(), 0, along.data());
      gemv(Op::none, 1, problem().q1().view(), along.data(), 1, out.col(p));
    }
    for (Index i = 0; i < n; ++i) out(i, p) *= z[i];
  }
  return out;
}

// For a probe with b = X~'z and r = b - A w:  |X~ w - H z|_2 <= |w - A^-1 b|_A <= bound,  and
//     z'H z - b'w = w'r + r'A^-1 r,     w'r = b'w - w'A w,     0 <= r'A^-1 r <= bound^2
// For few rows b'w + w'r is taken for H_ii, with the error r'A^-1 r.
SparseIterative::EarlyErrors SparseIterative::early_errors(const NormalColumns& made, ConstMatrixView b, Index outputs,
                                                           MatrixView hat) const {
  EarlyErrors out;
  out.of_outputs.assign(made.bound.begin(), made.bound.begin() + outputs);
  double squares = 0;
  for (Index j = outputs; j < b.cols; ++j) {
    const double left = dot(b.rows, b.col(j), made.w.col(j)) - made.size[j] * made.size[j];
    const double bound2 = made.bound[j] * made.bound[j];
    if (exact()) hat(j - outputs, j - outputs) += left;
    out.of_trace += exact() ? bound2 : (std::abs(left) + bound2) / static_cast<double>(b.cols - outputs);
    squares += bound2 * bound2;
    out.of_probes = std::max(out.of_probes, made.bound[j]);
  }
  if (exact())
    out.of_probes = std::sqrt(static_cast<double>(problem().n()) * squares);  // |.|_2 of rows, no signs assumed
  return out;
}

// A P~_ii that is known to be zero, for a row that the columns without penalty fit alone, is exact; for few rows all
// are exact.
void SparseIterative::give(Index lambda, double value, ConstMatrixView residual, Matrix hat, const EarlyErrors& errors,
                           EstimateSink& sink) const {
  const Index n = problem().n();
  CentredSparseRows::Bounds bounds = rows_.bounds(value);
  if (exact())
    for (Index i = 0; i < n; ++i)
      if (bounds.guess[i] > 0) bounds.guess[i] = std::clamp(1 - hat(i, i), bounds.low[i], bounds.high[i]);
  Matrix raw = exact() ? Matrix(n, fewest_probes) : std::move(hat);
  for (Index i = 0; i < n; ++i) {
    const bool none = !(bounds.guess[i] > 0);
    for (Index p = 0; p < raw.cols(); ++p) raw(i, p) = exact() || none ? bounds.guess[i] : 1 - raw(i, p);
  }
  if (!exact()) recentre(bounds.guess, raw.view());
  sink.at(lambda, residual,
          {bounds.guess, bounds.high, raw.view(), errors.of_outputs, errors.of_trace, errors.of_probes});
}

std::unique_ptr<ResidualMaker> SparseIterative::at(double lambda) const {
  require_lambda(lambda);
  return std::make_unique<SparseIterativeMaker>(*this, lambda);
}

namespace {

// The positions of the lambdas, the largest lambda first.
Array<Index> largest_first(Span<const double> lambdas) {
  Array<Index> order = consecutive(0, std::ssize(lambdas));
  std::ranges::stable_sort(order, [&](Index a, Index b) { return lambdas[a] > lambdas[b]; });
  return order;
}

}  // namespace

void SparseIterative::estimate(Span<const double> lambdas, Index first, Index outputs, Index probes,
                               EstimateSink& sink) const {
  const Index d = rows_.d(), more = columns(problem().n(), d, probes), all = outputs + more;
  Matrix b(d, all), before, residuals(problem().n(), outputs);
  copy(xy_.view().columns(first, outputs), b.view().columns(0, outputs));
  copy(probe_products(more).view(), b.view().columns(outputs, more));
  Array<double> wanted(all, exact() ? enough_to_estimate : enough_for_probes);
  std::fill_n(wanted.begin(), outputs, exact() ? accuracy_ : std::max(accuracy_, enough_to_estimate));
  Stage stage(0, 0);
  Index done = 0;
  for (const Index l : largest_first(lambdas)) {
    stage.next(fraction(++done, std::ssize(lambdas)));
    const double lambda = lambdas[l];
    if (!(lambda > tolerance_)) {
      sink.undefined(l, text("lambda is not above ", tolerance_, ", the rounding of x'x"));
      continue;
    }
    NormalColumns made = equations_.solve(b.view(), lambda, before.view(), wanted);
    const Index worst = worst_column(made, wanted, 0, all);
    if (!(made.accuracy(worst) <= wanted[worst])) {
      const auto why = wanted[worst] == accuracy_ ? not_converged : estimate_not_converged;
      sink.undefined(l, why(lambda, made.accuracy(worst), wanted[worst]));
    } else {
      residual(first, made.w.view().columns(0, outputs), residuals.view());
      Matrix hat = hat_products(made.w.view().columns(outputs, more));
      const EarlyErrors errors = early_errors(made, b.view(), outputs, hat.view());
      give(l, lambda, residuals.view(), std::move(hat), errors, sink);
    }
    before = std::move(made.w);
    report(1);
  }
}

bool SparseIterative::solve_each(Span<const double> lambdas, Solution& solution) const {
  const Index t = problem().t();
  Matrix last(rows_.d(), t);
  Array<char> known(t, 0);
  solution.accuracy.resize(solution.b.size());
  const Array<Index> order = largest_first(lambdas);
  Stage stage(0, 0);
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    const double lambda = lambdas[order[begin]];
    for (end = begin + 1; end < order.size() && lambdas[order[end]] == lambda;) ++end;
    stage.next(fraction(end, order.size()));
    require_lambda(lambda);
    Matrix b(rows_.d(), static_cast<Index>(end - begin)), start(b.rows(), b.cols(), 0.0);
    for (std::size_t k = begin; k < end; ++k) {
      const Index output = order[k] % t, column = static_cast<Index>(k - begin);
      std::copy_n(xy_.col(output), b.rows(), b.col(column));
      if (known[output] != 0) std::copy_n(last.col(output), b.rows(), start.col(column));
    }
    const NormalColumns made = solved(lambda, b.view(), begin == 0 ? ConstMatrixView{} : start.view());
    for (std::size_t k = begin; k < end; ++k) {
      const Index output = order[k] % t, column = static_cast<Index>(k - begin);
      std::copy_n(made.w.col(column), b.rows(), last.col(output));
      known[output] = 1;
      set_hyperplane(problem(), order[k], made.w.view().columns(column, 1), solution);
      solution.accuracy[order[k]] = made.accuracy(column);
    }
  }
  return true;
}

}  // namespace freeridge
