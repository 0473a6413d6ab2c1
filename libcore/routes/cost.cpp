#include "libcore/routes/cost.hpp"

#include <algorithm>
#include <limits>

#include "libcore/kernel/pass_loops.hpp"
#include "libcore/kernel/sparse_inner_products.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/linalg/work_done.hpp"
#include "libcore/routes/band_route.hpp"
#include "libcore/routes/feature_reduction.hpp"
#include "libcore/routes/iterative_route.hpp"
#include "libcore/routes/kernel_on_device.hpp"
#include "libcore/routes/primal_sparse_route.hpp"
#include "libcore/routes/sparse_iterative_route.hpp"
#include "libcore/spectrum/spectrum_factorization.hpp"

namespace freeridge {
namespace {

// Sums and products of sizes that saturate instead of overflowing.
class Doubles {
 public:
  explicit Doubles(Index value) : value_(value) {}
  Doubles operator*(Doubles other) const {
    Index out = 0;
    return Doubles(__builtin_mul_overflow(value_, other.value_, &out) ? limit : out);
  }
  Doubles operator+(Doubles other) const {
    Index out = 0;
    return Doubles(__builtin_add_overflow(value_, other.value_, &out) ? limit : out);
  }
  Index value() const { return value_; }
  Index bytes() const { return (*this * Doubles(8)).value_; }
  friend Doubles larger(Doubles a, Doubles b) { return a.value_ < b.value_ ? b : a; }

 private:
  static constexpr Index limit = std::numeric_limits<Index>::max();
  Index value_;
};

// Speeds beside a matrix product, measured where that makes 120 Gflop/s on two threads: the rates of slower parts of a
// route, and the flops that a kernel value and the first write to a number of K are worth.
constexpr double cholesky_rate = 0.77, inverse_rate = 0.72, basis_rate = 0.8, band_solve_rate = 0.8, sweep_rate = 0.85,
                 qr_rate = 0.75;
// The same on a device, beside a matrix product there (one H200 at n = 16000); how many times slower its host is; and the
// calls for a lambda of CHOLESKY, and ten times as many for eigenvectors.
constexpr double device_cholesky_rate = 0.35, device_eigen_rate = 0.11, slower_host = 50, device_calls = 1e11;
constexpr double nodes_of_lambdas = 30;  // the nodes that a wide spectrum needs (resolvent_nodes.hpp)
constexpr double touched_entry = 10;     // flops of a matrix product that the product of an entry with a number takes
constexpr double solve_column = 80;      // of BAND's banded solves for all outputs, a number of the factor
constexpr double kernel_value = 60, kernel_feature = 3, first_touch = 150;

// A search over lambda tries the grid once for all outputs, and two more lambdas for each output beyond the first, at
// the dips of that output.
constexpr Index lambdas_of_an_output = 2, outputs_of_a_block = 32;
Index own_lambdas(const Request& r) {
  return r.expected_lambdas > 1 ? lambdas_of_an_output * (r.t - 1) : 0;
}

double reduction_rate(Index bandwidth) {
  return bandwidth == 16 ? 0.78 : bandwidth == 32 ? 0.88 : 0.92;
}

Doubles outputs_of(const Request& r) {
  // Y~, E, the solution and the answers in hand; q1, its reflectors, K_w q1, and what they are made in
  return Doubles(6) * Doubles(r.n) * Doubles(r.t) + Doubles(8) * Doubles(r.n) * Doubles(r.fixed);
}

Index features_of(Route route, const Request& r) {
  return route == Route::landmark ? r.landmarks : std::min(r.n, r.d);
}

Doubles threads() {
  return Doubles(thread_count());
}

// Whether K comes from products of sparse rows.
bool by_sparse_products(Route route, const Request& r) {
  return r.sparse && r.linear && (route == Route::spectral || route == Route::band || route == Route::cholesky);
}

// Each thread's tiles of rows of K (PRIMAL has none) or of B, and LAPACK's small workspaces.
Doubles tiles_of(Route route, const Request& r) {
  constexpr Index kernel_rows = 256;
  const bool by_columns = route == Route::cholesky || route == Route::band;  // no tiles of rows
  const bool features = route == Route::primal || route == Route::landmark;
  const Index k = route == Route::spectral ? r.n : features_of(route, r);
  const SweepPieces pieces = sweep_pieces(k, r.t, 1);
  // In each row: r and B, or B in storage; B o B. Two tiles of K with their points; twice as many where a kernel is
  // made of other kernels.
  const Doubles columns = Doubles(features ? 2 : 0) * Doubles(k) + Doubles(4) * Doubles(r.t);
  const Doubles tile = Doubles(std::min(r.n, pieces.rows)) * columns;
  const Doubles squares = Doubles(by_columns ? 0 : std::min(r.n, pieces.squares)) * Doubles(k);
  if (route == Route::primal && r.d + r.fixed >= r.n - 1)  // no tiles of x, but panels of reflectors
    return threads() * (tile + squares) + Doubles(128) * Doubles(r.d) + Doubles(1 << 20);
  if (by_sparse_products(route, r))
    return threads() * (tile + squares) + Doubles(inner_products_doubles(r.n, r.d, r.entries)) +
           Doubles(8) * Doubles(r.d) * Doubles(r.t) + Doubles(1 << 20);  // and w
  const Doubles points(r.precomputed ? 0 : 4 * kernel_rows);
  const Doubles of_kernel =
      route == Route::primal ? Doubles(0) : points * Doubles(r.d) + Doubles(4 * kernel_rows * kernel_rows);
  return threads() * (tile + squares + of_kernel) + Doubles(1 << 20);
}

// PRIMAL by passes, and LANDMARK: the largest of three stages, which follow one another.
Doubles streamed_doubles(Route route, const Request& r) {
  const bool landmark = route == Route::landmark;
  const Doubles n(r.n), d(r.precomputed ? 0 : r.d), k(features_of(route, r));
  const Doubles p = k + Doubles(r.t) + Doubles(1) + Doubles(r.fixed);
  const bool qr =
      r.reduction == Reduction::qr || (r.reduction == Reduction::automatic && !landmark) || r.n <= k.value() + 1;
  const Doubles workers(reduction_workers(r.n, p.value()));
  const Doubles choosing =
      landmark && r.chooses_landmarks
          ? Doubles(r.precomputed ? r.n : std::min(r.n, pivoted_candidates(r.landmarks))) * (k + d + Doubles(64))
          : Doubles(0);
  // p x p matrices: the sums of each worker; then R, its SVD, copies and workspace, or the Gram matrix and its
  // eigenvectors.
  const Doubles reducing = larger(qr ? workers + Doubles(1) : Doubles(2) * workers, Doubles(qr ? 8 : 4)) * p * p +
                           (Doubles(1280) + Doubles(tile_rows(features_of(route, r)) * 5 / 4) * workers) * p;
  // R, V and to B; another triangle and its factor for a refinement
  const Doubles sweeping = Doubles(qr ? 8 : 4) * k * k;
  const Doubles map = landmark ? k * k + Doubles(2) * k * d : Doubles(0);  // L, the landmarks and those of a solution
  return larger(choosing, larger(reducing, sweeping) + map) + outputs_of(r) + tiles_of(route, r) + Doubles(4) * n;
}

bool by_sparse_primal(Route route, const Request& r) {
  return route == Route::primal && primal_is_sparse(r.sparse, r.n, r.d, r.reduction);
}

// A sweep of PRIMAL over sparse rows: the factors, their hyperplanes, and for each worker rows of Z, banded solves and
// answers.
Doubles sparse_sweep_doubles(const Request& r, Index lambdas) {
  const SparsePieces pieces = sparse_pieces(r.n, r.d, r.t, lambdas);
  const Doubles in_hand(pieces.lambdas), d(r.d), t(r.t), rows(pieces.rows);
  const Doubles worker = rows * (Doubles(64) + in_hand * (t + Doubles(18))) +
                         Doubles(2) * rows * Doubles(std::max<Index>(r.entries / r.n, 1) * 8);
  return in_hand * d * (Doubles(24) + Doubles(4) * t) + threads() * worker;
}

// Q, which takes the place of G, and while it is formed panels, reflectors and their products.
Doubles sparse_primal_doubles(const Request& r) {
  const Doubles d(r.d);
  return d * d + Doubles(1088 + 64 * thread_count()) * d + sparse_sweep_doubles(r, 1) + outputs_of(r) +
         Doubles(4) * Doubles(r.n) + Doubles(1 << 20);
}

Doubles primal_doubles(const Request& r) {
  const Doubles n(r.n), d(r.d), k(features_of(Route::primal, r));
  if (by_sparse_primal(Route::primal, r)) return sparse_primal_doubles(r);
  const Doubles rest = outputs_of(r) + tiles_of(Route::primal, r);
  const Doubles tall = primal_streams(r.n, r.d, r.reduction)
                           ? streamed_doubles(Route::primal, r)
                           : Doubles(2) * n * k + Doubles(7) * k * k + rest;  // X and B, R and the SVD's
  if (r.d + r.fixed < r.n - 1) return tall;
  // X', and of groups of features in different units the triangles; or a panel's reflectors, and the SVD of a triangle
  const Doubles wide = (Doubles(2) * n + Doubles(192)) * d + Doubles(7) * n * n + rest;
  return r.d < r.n ? larger(tall, wide) : wide;
}

// BAND: panels, reflectors and the sums of each thread; after them the factors of the lambdas in hand.
Doubles band_room(const Request& r) {
  return Doubles(512 + 64 * thread_count()) * Doubles(r.n) + Doubles(5 << 20);
}

// What a sweep holds for the lambdas beyond the first: their coefficients, and for each thread the answers of its rows.
Doubles lambdas_in_hand(Route route, const Request& r, Index lambdas) {
  if (route == Route::cholesky) return Doubles(0);
  const Doubles t(r.t);
  const auto workers = [&](Index rows) {
    return Doubles(std::min<Index>(thread_count(), pieces(r.n, rows))) * Doubles(rows);
  };
  if (route == Route::band) {
    const Index b = bandwidth_for(r);
    const BandPieces pieces = band_pieces(r.n, b, r.t, lambdas);
    const Doubles more(pieces.lambdas - 1);
    return more * (Doubles(r.n) * (Doubles(b + 8) + Doubles(2) * t) + workers(pieces.rows) * (t + Doubles(2 * b + 2)));
  }
  const Index k = route == Route::spectral ? r.n : features_of(route, r);
  const SweepPieces pieces = sweep_pieces(k, r.t, lambdas);
  const Doubles in_hand(pieces.lambdas);
  // Of each lambda p, Lambda and p Gamma; while a basis of the p is sought (lambda_basis.hpp), this basis, and Lambda
  // and p Gamma in it.
  return Doubles(pieces.lambdas - 1) * (Doubles(k) * (Doubles(6) + Doubles(2) * t) + in_hand) +
         workers(std::min(pieces.rows, r.n)) * Doubles(std::max<Index>(2 * pieces.lambdas * (r.t + 1) - 4 * r.t, 0));
}

// ITERATIVE, solutions with so many right-hand sides: b and its copy, r and c, another r and c of the columns that are
// still open, two blocks of conjugate gradients, and a pass (kernel_passes.hpp). Sparse rows: b, r and w, and the same
// in scaled units, before and after a round; and a product.
Doubles iterative_solving(const Request& r, Doubles columns) {
  const Doubles n(r.n), d(r.precomputed ? 0 : r.d);
  if (r.linear) return (Doubles(13) * d + n) * columns + Doubles(1 << 10);
  const Doubles side(PassLoops::side), together(PassLoops::together);
  const Doubles groups((columns.value() - 1) / PassLoops::together + 1);
  return Doubles(8) * n * columns + (threads() + Doubles(3)) * (n + side) * groups * together +
         threads() * side * (side + Doubles(2) * d) + Doubles(preconditioner_rank(r.n)) * columns;
}

// F and the columns by which it grows; F'F with its eigenvectors, and rows of U before they replace those of F.
Doubles iterative_doubles(const Request& r) {
  if (r.linear)  // x once more, what is not penalised, D, X~'Y~
    return Doubles(3) * Doubles(r.entries / 2 + 1) + Doubles(3) * (Doubles(r.n) + Doubles(r.d)) * Doubles(r.fixed + 2) +
           Doubles(r.d) * Doubles(r.t);
  const Doubles n(r.n), rank(preconditioner_rank(r.n));
  return n * (rank + Doubles(64)) + (Doubles(4) * rank + Doubles(1024)) * rank;
}

// Of the dual routes on a device: pieces of the points on their way, and blocks of columns.
Doubles host_doubles_for_device(Route route, const Request& r) {
  const Doubles n(r.n), matrix = n * n;
  const bool whole = route == Route::spectral || made_on_host(r.precomputed, r.linear, r.sparse);
  return Doubles(1 << 22) + Doubles(256) * n + (whole ? matrix : Doubles(0));
}

}  // namespace

Index device_bytes(Route route, const Request& r) {
  if (r.engine == nullptr) return 0;
  constexpr Index columns_at_once = 1024;
  const Doubles n(r.n), points = n * Doubles(r.device_columns), few = Doubles(16) * n + Doubles(1 << 20);
  if (route == Route::cholesky)
    return (Doubles(2) * n * n + larger(points, Doubles(columns_at_once + 2 * r.fixed) * n) + few).bytes();
  return (n * n + larger(points, Doubles(r.engine->eigen_bytes(r.n) / 8)) + few).bytes();
}

Index bandwidth_for(const Request& r) {
  constexpr Index choices[] = {16, 32, 64};
  const double n = static_cast<double>(r.n), lambdas = static_cast<double>(r.expected_lambdas + own_lambdas(r));
  const auto work = [&](Index b) {
    return 4.0 / 3 * cube(n) / reduction_rate(b) + lambdas * 2 * n * n * static_cast<double>(b) / band_solve_rate;
  };
  return *std::min_element(std::begin(choices), std::end(choices), [&](Index a, Index b) { return work(a) < work(b); });
}

Index required_bytes(Route route, const Request& r) {
  const Doubles n(r.n), outputs = outputs_of(r), tiles = tiles_of(route, r);
  if (r.engine != nullptr && (route == Route::spectral || route == Route::cholesky))
    return (host_doubles_for_device(route, r) + outputs + tiles).bytes();
  switch (route) {
    case Route::landmark:
      return streamed_doubles(route, r).bytes();
    case Route::spectral:
      // K, reflectors, halves before their merge, panels of the merge
      return (Doubles(2) * n * n + Doubles(256 + std::min<Index>(r.n / 12, 512)) * n + outputs + tiles).bytes();
    case Route::band:
      return (n * n + band_room(r) + outputs + tiles).bytes();
    case Route::cholesky:
      return (n * n + Doubles(192) * n + outputs + tiles).bytes();
    case Route::iterative:
      return (iterative_doubles(r) + outputs + iterative_solving(r, Doubles(r.t + r.fixed + 1))).bytes();
    default:
      return primal_doubles(r).bytes();
  }
}

Index lambda_bytes(Route route, const Request& r, bool beside_another, Index lambdas) {
  if (by_sparse_primal(route, r))
    return (sparse_sweep_doubles(r, lambdas) + outputs_of(r) + Doubles(8) * Doubles(lambdas) * Doubles(r.t) +
            Doubles(64) * Doubles(r.d) * Doubles(r.t) + Doubles(1 << 20))
        .bytes();
  if (route == Route::iterative) return (outputs_of(r) + iterative_solving(r, Doubles(r.t))).bytes();
  const Doubles n(r.n), k(features_of(route, r));
  const Doubles room = route == Route::band ? band_room(r)
                       : route == Route::cholesky
                           ? Doubles(192) * n + (beside_another && r.engine == nullptr ? n * n : Doubles(0))
                       : route == Route::spectral ? Doubles(0)
                                                  : Doubles(4) * k * k;  // a refinement
  // The scores, their errors, and what they are summed up in; few of them fit into the rooms above.
  constexpr Index few = 128;
  const Doubles table = Doubles(8) * Doubles(std::max<Index>(lambdas - few, 0)) * Doubles(r.t);
  return (room + outputs_of(r) + tiles_of(route, r) + lambdas_in_hand(route, r, lambdas) + table).bytes();
}

// Sparse rows: the solutions, and after them products with them. Other rows: the lambdas that go together, each with
// its solutions, base and bounds; the products of probes with Phat, before and after the correction by neighbours; the
// neighbours; and the rows whose P~_ii is solved for, at 8 lambdas at a time.
Index estimate_bytes(const Request& r, Index probes, Index lambdas) {
  const Doubles n(r.n), d(r.d), t(r.t), few(1 << 10);
  if (r.linear) {
    const Doubles columns = t + Doubles(SparseIterative::columns(r.n, r.d, probes));
    const Doubles given = Doubles(4) * d * columns + n * (columns + Doubles(SparseIterative::exact(r.n, r.d) ? 3 : 0));
    return (larger(iterative_solving(r, columns), given) + n * (t + Doubles(8)) + d * columns +
            Doubles(r.fixed + 1) * d + few)
        .bytes();
  }
  const Index columns = r.t + probes, together = std::clamp<Index>(estimated_columns / columns, 1, lambdas);
  const Doubles all = Doubles(together) * Doubles(columns), known = n * (all + Doubles(3 * together));
  const Doubles neighbours(IterativeNeighbourhoods::doubles(r.n, preconditioner_rank(r.n), thread_count()));
  const Doubles near = known + n * (Doubles(2) * Doubles(together) * Doubles(probes) + Doubles(together)) + neighbours;
  const Doubles rows = known + iterative_solving(r, Doubles(std::min<Index>(8 * together, estimated_columns)));
  return (larger(iterative_solving(r, all), larger(near, rows)) + n * (Doubles(2 * probes) + t + Doubles(12)) + few)
      .bytes();
}

Index trace_bytes(const Request& r) {
  constexpr Index trace_rows = 1024;
  const Doubles k(r.landmarks), d(r.precomputed ? 0 : r.d), n(r.n);
  return (Doubles(2) * k * (k + d) + Doubles(std::min(r.n, trace_rows)) * k + Doubles(2) * n +
          tiles_of(Route::landmark, r))
      .bytes();
}

Index group_bytes(Route route, const Request& r, Index rows, Index lambdas) {
  const Doubles s(rows), n(r.n), k(features_of(route, r)), t(r.t);
  switch (route) {
    case Route::cholesky:  // columns of L^-1, P~_SS
      return (s * n + s * s + Doubles(2) * s * t).bytes();
    case Route::iterative:
      return (iterative_solving(r, s + t) + Doubles(2) * s * s).bytes();
    case Route::band:  // rows of ZQ in strips, columns of T
      return ((s + Doubles(32)) * (n + Doubles(1024)) + s * s + Doubles(2) * s * t).bytes();
    default: {  // rows of B, and their features or weighted rows; N_SS and P~_SS, or both of size r + 1 (Woodbury)
      const Doubles columns(route == Route::spectral ? r.n : k.value());
      const bool dense = rows <= columns.value() + 1;
      const Doubles size(std::min(rows, columns.value() + 1));
      // and a tile of the other rows
      const Doubles others = dense ? Doubles(0) : Doubles(std::min(r.n, tile_rows(k.value()))) * (Doubles(2) * k + t);
      // and P~ at each of the lambdas
      const Doubles residual_makers = Doubles(lambdas) * (Doubles(2) * columns + Doubles(3) * t + Doubles(16));
      return (s * (Doubles(dense ? 3 : 2) * columns + Doubles(4) * t + Doubles(4)) + others + Doubles(2) * size * size +
              Doubles(2) * columns * t + residual_makers)
          .bytes();
    }
  }
}

double required_work(Route route, const Request& r) {
  const double n = static_cast<double>(r.n), d = static_cast<double>(r.d), t = static_cast<double>(r.t),
               lambdas = static_cast<double>(r.expected_lambdas), value = kernel_value + kernel_feature * d,
               features = static_cast<double>(route == Route::landmark ? r.landmarks : std::min(r.n, r.d)),
               rank_of_k = static_cast<double>(std::min(r.n, r.rank_bound));
  // The constant terms below, such as 1e6, are calls, starts of threads and passes, which count where matrices are
  // small.
  const double entries = static_cast<double>(r.entries),
               products = by_sparse_products(route, r) ? touched_entry * entries * std::min(entries / d, n) / 2
                                                       : n * n / 2 * value;
  const double make_k = products + n * n * first_touch;
  // work(outputs) for all outputs at each of the expected lambdas, and for a block of outputs at each output's own
  // lambdas.
  const auto at_lambdas = [&](const auto& work) {
    return lambdas * work(t) +
           static_cast<double>(own_lambdas(r)) * work(std::min(t, static_cast<double>(outputs_of_a_block)));
  };
  const bool there = r.engine != nullptr;
  switch (route) {
    case Route::cholesky:
      return make_k + at_lambdas([&](double outputs) {
               return (there ? device_calls : 1e6) + 500 * n * n +
                      cube(n) / 3 / (there ? device_cholesky_rate : cholesky_rate) +
                      (r.leaves_out ? cube(n) / 3 / (there ? device_cholesky_rate : inverse_rate) : 0) +
                      2 * n * n * (outputs - 1);
             });
    case Route::spectral:
      return make_k + (there ? 10 * device_calls : 0) +
             (r.wide_weights ? 300 * n * rank_of_k * rank_of_k : 8 * cube(n) / (there ? device_eigen_rate : 1)) +
             1.5e3 * n * n + 1e5 * n + (there ? slower_host : 1) * at_lambdas([&](double outputs) {
                                         return 1e5 + 2 * n * n * (2 / 0.6 + outputs - 1);
                                       });
    case Route::band: {
      const Index b = bandwidth_for(r);
      const double band = static_cast<double>(b), all = solve_column * n * band * t;
      return make_k + 4.0 / 3 * cube(n) / reduction_rate(b) + 4e6 * n +
             (r.leaves_out ? 4.0 / 3 * cube(n) / basis_rate : 0) + at_lambdas([&](double outputs) {
               const double rows = 2 * n * n * (band + 2) / band_solve_rate + 2 * n * n * outputs;
               return 1e5 + 1.5e4 * n + all + (r.leaves_out ? rows : 0);
             });
    }
    case Route::iterative: {
      if (r.linear) {
        constexpr double steps = 100, tried = 15, step_entry = 60;
        const double columns = t + (r.leaves_out ? 8 : 0);
        return std::min(lambdas, tried) * steps * columns * step_entry * 2 * (entries + 2 * d);
      }
      constexpr double passes = 30;
      const double rank = static_cast<double>(preconditioner_rank(r.n));
      return n * rank * value + 5 * n * rank * rank + 9 * cube(rank) +
             at_lambdas([&](double outputs) { return passes * n * (n / 2 * value + (2 * n + 4 * rank) * outputs); });
    }
    case Route::landmark:
      return 2 * n * features * value + 4 * n * features * features / sweep_rate +
             lambdas * 2 * n * features * (1 + t) / sweep_rate;
    default: {
      if (by_sparse_primal(route, r))
        return 4.0 / 3 * cube(d) * (1 / reduction_rate(SparsePrimal::bandwidth) + 1 / basis_rate) +
               std::min(lambdas, nodes_of_lambdas) * 2 * n * d * (SparsePrimal::bandwidth + 2) / band_solve_rate +
               static_cast<double>(r.entries) * (d + lambdas * t) * touched_entry;
      if (r.d >= r.n) return 2 / qr_rate * n * n * d + 30 * cube(n) + lambdas * 2 * n * n * (1 + t) / sweep_rate;
      const bool gram = r.reduction == Reduction::gram;
      return (gram ? 1.0 : 2.0 / qr_rate) * n * features * d + 2 * n * features * d / sweep_rate +
             lambdas * 2 * n * features * (1 + t) / sweep_rate;
    }
  }
}

const char* route_name(Route route) {
  switch (route) {
    case Route::automatic:
      return "AUTO";
    case Route::cholesky:
      return "CHOLESKY";
    case Route::spectral:
      return "SPECTRAL";
    case Route::band:
      return "BAND";
    case Route::primal:
      return "PRIMAL";
    case Route::landmark:
      return "LANDMARK";
    case Route::iterative:
      return "ITERATIVE";
  }
  return "UNKNOWN";
}

}  // namespace freeridge
