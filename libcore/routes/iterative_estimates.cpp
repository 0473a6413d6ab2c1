// LOO, GCV and the trace on the ITERATIVE route. They are estimated from P~ z for probes z, vectors of random signs
// (spectrum/estimated_residual_diagonal.hpp). The probes are the same for every lambda, and are further columns of the
// passes that solve for the outputs. With s = lambda, p_i = 1 - |q1_i|^2, and b_i and the row i of an approximation Q
// of P~ from the neighbours of each row (iterative_neighbourhoods.hpp),
//     raw_ip = b_i + z_i ((P~ z)_i - (row i) z)
//     lambda p_i^2 / ((I - q1 q1') (K_w + lambda) (I - q1 q1'))_ii <= P~_ii <= lambda Phat_ii
// The lower bound holds since P_ii >= (v'e_i)^2 / v'(K_w + lambda) v for every v in the complement of q1, such as
// (I - q1 q1') e_i.
// While the error of a LOO is too large, P~_ii of the 8 most uncertain rows is solved for, a column each: a few rows of
// large influence make most of the error.
#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/random.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/routes/iterative_route.hpp"
#include "libcore/spectrum/estimated_residual_diagonal.hpp"

namespace freeridge {
namespace {

constexpr std::int64_t probe_seed = 1;
// The relative accuracy of solutions, in the norm of G. For outputs and probes its effect on a score is far below the
// noise of the estimate. For rows that are solved for only b'P b is needed, whose relative error is the square of the
// accuracy.
constexpr double accuracy_of_outputs = 1e-4, accuracy_of_probes = 3e-4, accuracy_of_rows = 1e-2;
constexpr Index rows_solved = 8;

Matrix random_signs(Index n, Index count) {
  Random random(probe_seed);
  Matrix out(n, count);
  for (double& value : out.values()) value = random.next() >> 63 != 0 ? 1 : -1;
  return out;
}

}  // namespace

// What is the same for all lambdas.
class Iterative::Estimates {
 public:
  Estimates(const Iterative& of, const Parts& with, Index first, Index outputs, Index probes)
      : f_(of),
        with_(with),
        outputs_(outputs),
        probes_(probes),
        signs_(random_signs(of.problem().n(), probes)),
        b_(of.problem().n(), outputs + probes) {
    copy(of.problem().y_tilde.view().columns(first, outputs), b_.view().columns(0, outputs));
    copy(signs_.view(), b_.view().columns(outputs, probes));
    with.preconditioner.take_out(b_.view());
  }

  Index columns() const { return b_.cols(); }

  // The lambdas together, in one block of columns.
  void run(Span<const double> lambdas, Span<const Index> places, EstimateSink& sink) const {
    const Index k = columns(), count = std::ssize(lambdas);
    Matrix all(b_.rows(), count * k);
    for (Index l = 0; l < count; ++l) copy(b_.view(), all.view().columns(l * k, k));
    Array<double> wanted;
    for (Index j = 0; j < all.cols(); ++j)
      wanted.push_back(j % k < outputs_ ? accuracy_of_outputs : accuracy_of_probes);
    IterativeColumns solved = solve(all.view(), lambdas, wanted);
    all = Matrix();
    Array<Known> known;
    for (Index l = 0; l < count; ++l) {
      const Index worst = worst_column(solved, wanted, l * k, k);
      const double reachable = reachable_accuracy(solved, l * k);
      if (!(solved.accuracy(worst) <= wanted[worst]))
        sink.undefined(places[l], estimate_not_converged(lambdas[l], solved.accuracy(worst), wanted[worst]));
      else if (reachable > f_.accuracy_)
        sink.undefined(places[l], not_converged(lambdas[l], reachable, f_.accuracy_));
      else
        known.push_back(solved_at(lambdas[l], places[l], solved, l * k));
    }
    if (known.empty()) return;
    set_raw(known);
    solve_rows(known, sink);
    for (const Known& one : known) sink.at(one.place, one.residual, one.evidence());
  }

 private:
  // What is known at one lambda.
  struct Known {
    double lambda;
    Index place;
    MatrixView residual, raw;  // P~Y~ and P~ z at first, in the place of the solutions
    Array<double> base, low, high, residual_error;
    double trace_error, probe_error;
    DiagonalEvidence evidence() const { return {base, high, raw, residual_error, trace_error, probe_error}; }
  };

  // b has the same number of columns for each lambda.
  IterativeColumns solve(ConstMatrixView b, Span<const double> lambdas, Span<const double> wanted) const {
    const Index each = b.cols / std::ssize(lambdas);
    Array<double> of_columns;
    for (const double lambda : lambdas) of_columns.insert(of_columns.end(), static_cast<std::size_t>(each), lambda);
    return IterativeSolver(with_.passes, with_.preconditioner).solve(b, of_columns, wanted);
  }

  // The accuracy of the outputs that rounding permits: several times the rounding errors, as the residual itself has
  // some.
  double reachable_accuracy(const IterativeColumns& solved, Index first) const {
    double worst = 0;
    for (Index j = first; j < first + outputs_; ++j)
      if (solved.bound[j] > 0) worst = std::max(worst, 8 * solved.rounding[j] / solved.size[j]);
    return worst;
  }

  Known solved_at(double lambda, Index place, IterativeColumns& solved, Index first) const {
    const Problem& problem = f_.problem();
    const MatrixView c = solved.c.view().columns(first, columns());
    Known out{lambda, place, c.columns(0, outputs_), c.columns(outputs_, probes_), {}, {}, {}, {}, 0, 0};
    set_errors(out, solved, first);
    multiply_by(c, lambda);
    out.high.resize(c.rows);
    with_.preconditioner.diagonal(lambda, out.high);
    for (Index i = 0; i < c.rows; ++i) {
      const double p = 1 - problem.free_leverage(i);
      const double certain = lambda * p * p / (std::max(f_.neighbourhoods_->centred_diagonal(i), 0.0) + lambda * p);
      out.low.push_back(std::min(certain > 0 ? certain : 0.0, out.high[i]));
    }
    return out;
  }

  // base and raw, from the neighbours of each row.
  void set_raw(Span<Known> known) const {
    const Index n = b_.rows(), s = probes_, count = std::ssize(known);
    Matrix products(n, count * s), near(n, count * s), base(n, count);
    Array<double> lambdas;
    for (Index l = 0; l < count; ++l) {
      lambdas.push_back(known[l].lambda);
      const MatrixView z = products.view().columns(l * s, s);
      copy(b_.view().columns(outputs_, s), z);
      with_.preconditioner.apply(z, Array<double>(s, known[l].lambda), z);
      multiply_by(z, known[l].lambda);
    }
    f_.neighbourhoods_->correct(lambdas, products.view(), base.view(), near.view());
    for (Index l = 0; l < count; ++l) {
      Known& one = known[l];
      for (Index i = 0; i < n; ++i) {
        const double least = std::max(one.low[i], std::numeric_limits<double>::min());
        one.base.push_back(std::clamp(base(i, l), least, std::max(one.high[i], least)));
      }
      for (Index p = 0; p < s; ++p)
        for (Index i = 0; i < n; ++i) one.raw(i, p) = base(i, l) + signs_(i, p) * (one.raw(i, p) - near(i, l * s + p));
      recentre(one.base, one.raw);
    }
  }

  // Solves for P~_ii of the most uncertain rows at the lambdas whose estimates are not good enough yet, some together.
  void solve_rows(Span<Known> known, const EstimateSink& sink) const {
    Array<Known*> open;
    for (Known& one : known)
      if (!sink.enough(one.residual, one.evidence())) open.push_back(&one);
    const Index together = estimated_columns / rows_solved;
    for (Index first = 0; first < std::ssize(open); first += together)
      solve_rows({open.data() + first, static_cast<std::size_t>(std::min(together, std::ssize(open) - first))});
  }

  void solve_rows(Span<Known* const> known) const {
    const Index n = b_.rows(), each = std::min(rows_solved, n);
    Matrix b(n, each * std::ssize(known), 0.0);
    Array<double> lambdas;
    Array<Index> rows;
    for (const Known* one : known) {
      lambdas.push_back(one->lambda);
      for (const Index i : most_uncertain_rows(one->evidence(), one->residual, each)) {
        b(i, std::ssize(rows)) = 1;
        rows.push_back(i);
      }
    }
    with_.preconditioner.take_out(b.view());
    const Array<double> wanted(b.cols(), accuracy_of_rows);
    const IterativeColumns solved = solve(b.view(), lambdas, wanted);
    for (Index l = 0; l < std::ssize(known); ++l)
      for (Index j = l * each; j < (l + 1) * each; ++j)
        if (solved.accuracy(j) <= accuracy_of_rows) set_known(*known[l], rows[j], solved.c(rows[j], j));
  }

  static void set_known(Known& of, Index i, double p) {
    of.base[i] = std::clamp(of.lambda * p, of.low[i], of.high[i]);
    for (Index k = 0; k < of.raw.cols; ++k) of.raw(i, k) = of.base[i];
  }

  // The errors that inexact solutions c of the exact ones c* leave: of outputs and probes
  //     |lambda (c - c*)| <= lambda^(1/2) |c - c*|_G
  // and of the trace, for each probe with r = b - G c,  b'P b - b'c = c'r + r'P r. c is not yet multiplied by lambda.
  void set_errors(Known& of, const IterativeColumns& solved, Index first) const {
    const double lambda = of.lambda, probes = static_cast<double>(columns() - outputs_);
    for (Index j = 0; j < columns(); ++j) {
      const double bound = solved.bound[first + j], size = solved.size[first + j];
      if (j < outputs_) {
        of.residual_error.push_back(std::sqrt(lambda) * bound);
      } else {
        const double product = dot(b_.rows(), b_.col(j), solved.c.col(first + j));
        of.trace_error += lambda * (std::abs(product - size * size) + bound * bound) / probes;
        of.probe_error = std::max(of.probe_error, std::sqrt(lambda) * bound);
      }
    }
  }

  const Iterative& f_;
  const Parts& with_;
  Index outputs_, probes_;
  Matrix signs_, b_;  // b: outputs and probes without their parts along q1
};

void Iterative::estimate(Span<const double> lambdas, Index first, Index outputs, Index probes,
                         EstimateSink& sink) const {
  std::unique_lock lock(mutex_, std::defer_lock);
  lock_patiently(lock);
  const Parts& with = parts();
  if (!neighbourhoods_)
    neighbourhoods_ = std::make_unique<const IterativeNeighbourhoods>(problem(), with.preconditioner, with.k_q1.view());
  const Estimates shared(*this, with, first, outputs, probes);
  Array<Index> order = consecutive(0, std::ssize(lambdas));
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
