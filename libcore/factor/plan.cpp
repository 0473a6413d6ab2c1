#include "libcore/factor/plan.hpp"

#include <algorithm>
#include <limits>

#include "libcore/linalg/memory.hpp"

namespace freeridge {
namespace {

// Cholesky pays 2/3 n^3 for a lambda with LOO, the eigenvalues cost about 9 n^3 once, half of it at the speed of
// memory.
constexpr Index few_lambdas = 12;

// LAPACK's dsyevd counts its 1 + 6 n + 2 n^2 doubles of workspace in 32 bits.
constexpr Index spectral_limit = 32766;

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

 private:
  static constexpr Index limit = std::numeric_limits<Index>::max();
  Index value_;
};

Index required_bytes(Route route, const Request& r) {
  const bool landmark = route == Route::landmark;
  const Doubles n(r.n), d(r.d), t(r.t), k(landmark ? r.landmarks : std::min(r.n, r.d));
  const Doubles outputs = Doubles(6) * n * t;  // Y~, E, the solution and the answers in hand
  const Doubles r_max = route == Route::primal || landmark ? k : n;
  const Doubles tiles =
      Doubles(2048) * (r_max + d) + Doubles(1 << 20);  // sweeps, kernel tiles, LAPACK's small workspaces
  // R or the Gram matrix with Y's columns, its factors and their workspaces, [R; block] of a QR, and tiles of rows.
  const Doubles p = k + t + Doubles(1);
  const bool qr =
      r.reduction == Reduction::qr || (r.reduction == Reduction::automatic && !landmark) || r.n <= k.value() + 1;
  const Doubles streamed = Doubles(10) * p * p + Doubles(8192) * p + (qr ? Doubles(10) * p * p : Doubles(0)) + outputs +
                           tiles + Doubles(3) * n;
  switch (route) {
    case Route::landmark:
      return (streamed + (r.chooses_landmarks
                              ? Doubles(r.precomputed ? r.n : std::min(r.n, pivoted_candidates(r.landmarks))) *
                                    (k + d + Doubles(64))
                              : Doubles(0)))
          .bytes();
    case Route::spectral:
      return (Doubles(3) * n * n + outputs + tiles).bytes();
    case Route::cholesky:
      return (Doubles(2) * n * n + outputs + tiles).bytes();
    default:
      if (primal_streams(r.n, r.d, r.reduction)) return streamed.bytes();
      return (Doubles(2) * n * k + (r.d >= r.n ? n * d : Doubles(0)) + Doubles(8) * k * k + outputs + tiles).bytes();
  }
}

}  // namespace

const char* route_name(Route route) {
  switch (route) {
    case Route::automatic:
      return "AUTO";
    case Route::cholesky:
      return "CHOLESKY";
    case Route::spectral:
      return "SPECTRAL";
    case Route::primal:
      return "PRIMAL";
    case Route::landmark:
      return "LANDMARK";
  }
  return "UNKNOWN";
}

Plan make_plan(const Request& request) {
  Route route = request.route;
  if (route == Route::primal && !request.linear)
    fail(Status::invalid_argument, "route is PRIMAL, which needs a linear kernel; the model's kernel is another one");
  if (route == Route::landmark && request.landmarks == 0)
    fail(Status::invalid_state,
         "route is LANDMARK, but the model has no landmarks; call freeridge_set_landmarks first");
  if (route != Route::automatic && route != Route::landmark && request.landmarks > 0)
    fail(Status::invalid_argument, "the model has ", request.landmarks, " landmarks, which the ", route_name(route),
         " route does not take; set the route LANDMARK or AUTO, or the landmarks to none");
  if (route == Route::automatic) {
    if (request.landmarks > 0) {
      route = Route::landmark;
    } else if (request.linear && request.d < request.n) {
      route = Route::primal;
    } else {
      route = request.expected_lambdas < few_lambdas || request.n > spectral_limit ? Route::cholesky : Route::spectral;
    }
  }
  return {route, required_bytes(route, request)};
}

void require_possible(const Request& request, const Plan& plan) {
  const Index available = available_memory();
  const auto fits = [&](Route route) { return required_bytes(route, request) <= available; };
  const char* const way_out = request.linear && plan.route != Route::primal && fits(Route::primal)
                                  ? "use the PRIMAL route"
                              : plan.route == Route::spectral && fits(Route::cholesky) ? "use the CHOLESKY route"
                              : plan.route == Route::landmark                          ? "use fewer landmarks"
                              : plan.route == Route::primal                            ? "use fewer features or points"
                                                            : "use landmarks (freeridge_set_landmarks) or fewer points";
  require_memory(plan.bytes,
                 text("the ", route_name(plan.route), " route with n = ", request.n, " and d = ", request.d), way_out);
  if (plan.route == Route::spectral && request.n > spectral_limit)
    fail(Status::invalid_argument, "route is SPECTRAL, which takes at most ", spectral_limit, " points, and n is ",
         request.n, "; ", way_out);
}

FactorizationPtr factorize(Route route, ProblemPtr problem, const Landmarks& landmarks, Reduction reduction,
                           const Progress& progress) {
  switch (route) {
    case Route::cholesky:
      return factorize_cholesky(std::move(problem), progress);
    case Route::primal:
      return factorize_primal(std::move(problem), reduction, progress);
    case Route::landmark:
      return factorize_landmark(std::move(problem), landmarks, reduction, progress);
    default:
      return factorize_spectral(std::move(problem), progress);
  }
}

}  // namespace freeridge
