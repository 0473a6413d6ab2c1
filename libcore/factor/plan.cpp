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
  Index bytes() const { return (*this * Doubles(8)).value_; }

 private:
  static constexpr Index limit = std::numeric_limits<Index>::max();
  Index value_;
};

Index required_bytes(Route route, const Request& r) {
  const Doubles n(r.n), d(r.d), t(r.t), k(std::min(r.n, r.d));
  const Doubles outputs = Doubles(6) * n * t;  // Y~, E, the solution and the answers in hand
  const Doubles r_max = route == Route::primal ? k : n;
  const Doubles tiles =
      Doubles(2048) * (r_max + d) + Doubles(1 << 20);  // sweeps, kernel tiles, LAPACK's small workspaces
  switch (route) {
    case Route::spectral:
      return (Doubles(3) * n * n + outputs + tiles).bytes();
    case Route::cholesky:
      return (Doubles(2) * n * n + outputs + tiles).bytes();
    default:
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
  }
  return "UNKNOWN";
}

Plan make_plan(const Request& request) {
  Route route = request.route;
  if (route == Route::primal && !request.linear)
    fail(Status::invalid_argument, "route is PRIMAL, which needs a linear kernel; the model's kernel is another one");
  if (route == Route::automatic) {
    if (request.linear && request.d < request.n) {
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
                                                                                       : "use fewer points";
  require_memory(plan.bytes,
                 text("the ", route_name(plan.route), " route with n = ", request.n, " and d = ", request.d), way_out);
  if (plan.route == Route::spectral && request.n > spectral_limit)
    fail(Status::invalid_argument, "route is SPECTRAL, which takes at most ", spectral_limit, " points, and n is ",
         request.n, "; ", way_out);
}

FactorizationPtr factorize(Route route, ProblemPtr problem, const Progress& progress) {
  switch (route) {
    case Route::cholesky:
      return factorize_cholesky(std::move(problem), progress);
    case Route::primal:
      return factorize_primal(std::move(problem), progress);
    default:
      return factorize_spectral(std::move(problem), progress);
  }
}

}  // namespace freeridge
