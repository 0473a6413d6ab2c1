// LOO, GCV and the trace on the ITERATIVE route: P~ z for probes z of random signs, the same for every lambda, as further
// columns of the passes that solve for the outputs (spectrum/estimated_residual_diagonal.hpp). With E = K_w - F F' and
// s = lambda
//     raw_ip = lambda (Phat_ii + z_i ((P - Phat) z)_i)
//     b_i    = lambda Phat_ii / (1 + E_ii Phat_ii),   u_i = log(1 + E_ii Phat_ii),   high_i = lambda Phat_ii
//     low_i  = lambda p_i^2 / ((I - q1 q1') (K_w + lambda) (I - q1 q1'))_ii,   p_i = 1 - |q1_i|^2
// but b_i / 2 where that is more: smaller values were not met, and a trend that goes astray would make a point with next to
// no weight the whole of the score. The bound holds since P_ii >= (v'e_i)^2 / v'(K_w + lambda) v for every v in the complement
// of q1, such as (I - q1 q1') e_i.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcore/base/random.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/routes/iterative_route.hpp"
#include "libcore/spectrum/estimated_residual_diagonal.hpp"

namespace freeridge {
namespace {

constexpr std::int64_t probe_seed = 1;
constexpr double accuracy_of_estimates = 1e-4;  // whose share of a score is far below that of the probes

Matrix random_signs(Index n, Index count) {
  Random random(probe_seed);
  Matrix out(n, count);
  for (double& value : out.values()) value = random.next() >> 63 != 0 ? 1 : -1;
  return out;
}

}  // namespace

// What all lambdas share.
class Iterative::Estimates {
 public:
  Estimates(const Iterative& of, const Parts& with, Index first, Index outputs, Index probes)
      : f_(of),
        with_(with),
        outputs_(outputs),
        signs_(random_signs(of.problem().n(), probes)),
        b_(of.problem().n(), outputs + probes),
        centred_(of.problem().n()) {
    copy(of.problem().y_tilde.view().columns(first, outputs), b_.view().columns(0, outputs));
    copy(signs_.view(), b_.view().columns(outputs, probes));
    with.preconditioner.take_out(b_.view());
    set_centred();
  }

  Index columns() const { return b_.cols(); }

  // The lambdas together, in one block of columns.
  void run(Span<const double> lambdas, Span<const Index> places, EstimateSink& sink) const {
    const Index n = b_.rows(), k = columns(), count = std::ssize(lambdas);
    Matrix all(n, count * k);
    Array<double> each;
    for (Index l = 0; l < count; ++l) {
      copy(b_.view(), all.view().columns(l * k, k));
      each.insert(each.end(), static_cast<std::size_t>(k), lambdas[l]);
    }
    IterativeColumns solved = IterativeSolver(f_.problem(), with_.passes, with_.preconditioner)
                                  .solve(all.view(), each, accuracy_of_estimates);
    all = Matrix();
    for (Index l = 0; l < count; ++l) {
      double worst = 0;
      for (Index j = l * k; j < (l + 1) * k; ++j) worst = std::max(worst, solved.accuracy(j));
      if (!(worst <= accuracy_of_estimates))
        sink.undefined(places[l], text("a solution is certain to ", worst, " of its norm only"));
      else
        give(lambdas[l], places[l], solved, l * k, sink);
    }
  }

 private:
  // ((I - q1 q1') K_w (I - q1 q1'))_ii
  void set_centred() {
    const Problem& problem = f_.problem();
    own_diagonal(*problem.kernel, problem.x, centred_);
    const Matrix &q1 = problem.q1(), &k_q1 = with_.k_q1;
    Matrix inner(q1.cols(), q1.cols());
    if (q1.cols() > 0) gemm(Op::transpose, Op::none, 1, q1.view(), k_q1.view(), 0, inner.view());
    for (Index i = 0; i < problem.n(); ++i) {
      centred_[i] *= problem.weight(i);
      for (Index a = 0; a < q1.cols(); ++a) {
        centred_[i] -= 2 * q1(i, a) * k_q1(i, a);
        for (Index b = 0; b < q1.cols(); ++b) centred_[i] += q1(i, a) * inner(a, b) * q1(i, b);
      }
    }
  }

  void give(double lambda, Index place, IterativeColumns& solved, Index first, EstimateSink& sink) const {
    const Problem& problem = f_.problem();
    const MatrixView c = solved.c.view().columns(first, columns());
    const Index n = c.rows, s = c.cols - outputs_;
    Array<double> residual_error;
    const double trace_error = errors_of(lambda, solved, first, residual_error);
    Array<double> high(n), base(n), other(n), low(n);
    with_.preconditioner.diagonal(lambda, high);
    for (Index i = 0; i < n; ++i) {
      const double growth = 1 + with_.preconditioner.left()[i] * high[i] / lambda, p = 1 - problem.free_leverage(i);
      base[i] = std::max(high[i] / growth, std::numeric_limits<double>::min());
      other[i] = std::log(growth);
      const double certain = lambda * p * p / (std::max(centred_[i], 0.0) + lambda * p);
      low[i] = std::min(std::max(certain > 0 ? certain : 0.0, base[i] / 2), high[i]);
    }
    Matrix near(n, s);
    copy(b_.view().columns(outputs_, s), near.view());
    with_.preconditioner.apply(near.view(), Array<double>(s, lambda), near.view());
    const MatrixView raw = c.columns(outputs_, s);
    for (Index p = 0; p < s; ++p)
      for (Index i = 0; i < n; ++i) raw(i, p) = high[i] + signs_(i, p) * lambda * (raw(i, p) - near(i, p));
    const MatrixView residual = c.columns(0, outputs_);
    for (Index j = 0; j < outputs_; ++j)
      for (Index i = 0; i < n; ++i) residual(i, j) *= lambda;
    sink.at(place, residual,
            {.base = base,
             .other = other,
             .low = low,
             .high = high,
             .exact = {},
             .raw = raw,
             .residual_error = residual_error,
             .trace_error = trace_error});
  }

  // |lambda (c - c*)| <= lambda^(1/2) |c - c*|_G of each output; and, the answer, what solutions for probes may have done to the
  // trace: with r = b - G c of a probe b'P b - b'c = c'r + r'P r.
  double errors_of(double lambda, const IterativeColumns& solved, Index first, Array<double>& residual_error) const {
    double trace_error = 0;
    for (Index j = 0; j < columns(); ++j) {
      const double bound = solved.bound[first + j], size = solved.size[first + j];
      if (j < outputs_) {
        residual_error.push_back(std::sqrt(lambda) * bound);
      } else {
        const double product = dot(b_.rows(), b_.col(j), solved.c.col(first + j));
        trace_error += lambda * (std::abs(product - size * size) + bound * bound);
      }
    }
    return trace_error / static_cast<double>(columns() - outputs_);
  }

  const Iterative& f_;
  const Parts& with_;
  Index outputs_;
  Matrix signs_, b_;  // b: outputs and probes without their parts along q1
  Array<double> centred_;
};

void Iterative::estimate(Span<const double> lambdas, Index first, Index outputs, Index probes,
                         EstimateSink& sink) const {
  std::unique_lock lock(mutex_, std::defer_lock);
  lock_patiently(lock);
  const Estimates shared(*this, parts(), first, outputs, probes);
  Array<Index> order(lambdas.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index a, Index b) { return lambdas[a] > lambdas[b]; });
  const Index together = std::max<Index>(1, estimated_columns / shared.columns());
  Stage stage(0, 0);
  Array<double> now;
  Array<Index> places;
  for (Index l = 0; l < std::ssize(order); ++l) {
    if (!(lambdas[order[l]] > tolerance_)) {
      sink.undefined(order[l], text("lambda is below ", tolerance_, ", the rounding of the kernel matrix"));
    } else if (!problem().decisive.empty()) {
      sink.undefined(order[l], text("the leave-one-out error of row ", problem().decisive[0],
                                    " is undefined: its leverage is one"));
    } else {
      now.push_back(lambdas[order[l]]);
      places.push_back(order[l]);
    }
    if (std::ssize(now) < together && l + 1 < std::ssize(order)) continue;
    stage.next(fraction(l + 1, std::ssize(order)));
    if (!now.empty()) shared.run(now, places, sink);
    now.clear();
    places.clear();
  }
}

}  // namespace freeridge
