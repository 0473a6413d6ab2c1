#include "libcore/routes/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/base/memory.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

// Flops of a direct route from where it is left for ITERATIVE, and how many times those of ITERATIVE they must be. Where
// one lambda is wanted, and of the criteria GCV alone, seconds are long.
constexpr double long_work = 1e13, long_work_of_a_solution = 2e11, times_as_long = 10;

bool fits(Route route, const Request& r) {
  return fits_into_memory(required_bytes(route, r), r.memory_limit) &&
         (r.engine == nullptr || device_bytes(route, r) <= r.engine->free_bytes());
}

bool runs_on_device(Route route) {
  return route == Route::spectral || route == Route::cholesky;
}

// Why a route cannot serve; empty when it can.
std::string obstacle(Route route, const Request& r) {
  if (route == Route::primal && !r.linear) return "needs a linear kernel";
  if (route == Route::iterative && r.linear && !r.sparse) return "needs sparse x, or a kernel that is not linear";
  if (route == Route::landmark && r.landmarks == 0) return "needs landmarks";
  if (route != Route::landmark && r.landmarks > 0) return "takes no landmarks";
  if (r.engine != nullptr && !runs_on_device(route)) return "runs on the CPU alone";
  return {};
}

// Two digits are enough for an estimate.
std::string short_number(double value) {
  if (!(value > 0)) return "0";
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  const double rounded = std::round(value / unit) * unit;
  return unit >= 1 ? text(static_cast<Index>(rounded)) : text(std::round(rounded * 1e9) / 1e9);
}

struct Choice {
  Route route;
  std::string reason;
};

// The best route other than ITERATIVE.
Choice choose_direct(const Request& r) {
  if (r.landmarks > 0) return {Route::landmark, "landmarks are set"};
  // The dual routes start from X X', which squares the condition and mixes the columns' units.
  // Of sparse rows these products are cheap, and X' is not sparse once it is turned.
  if (r.linear && (r.d < r.n || (!r.sparse && fits(Route::primal, r))))
    return {Route::primal, r.d < r.n ? "the kernel is linear and d < n" : "the kernel is linear"};
  // BAND cannot tell from rounding the zero eigenvalues of a kernel of low rank, which SPECTRAL sets to zero, nor rows
  // of low weight among rows of high weight.
  const bool low_rank = r.rank_bound < r.n && fits(Route::spectral, r);
  Route best = Route::automatic;
  for (const Route route : {Route::cholesky, Route::spectral, Route::band}) {
    if (!obstacle(route, r).empty() || (route == Route::band && (low_rank || r.wide_weights)) || !fits(route, r))
      continue;
    if (best == Route::automatic || required_work(route, r) < required_work(best, r)) best = route;
  }
  if (best == Route::automatic)
    return {r.engine != nullptr ? Route::cholesky : Route::band, "no route fits into memory"};
  return {best, "the fastest that fits into memory"};
}

// Sparse rows of a linear kernel may be too many for d^2 and n^2 numbers, or take minutes on a direct route and seconds
// on ITERATIVE, which in turn gives no left-out errors of single points.
Choice choose(const Request& r) {
  if (r.route != Route::automatic) return {r.route, "the route was set"};
  Choice direct = choose_direct(r);
  if (!r.linear || !r.sparse || direct.route == Route::landmark || !fits(Route::iterative, r)) return direct;
  if (!fits(direct.route, r)) return {Route::iterative, "x is sparse, and neither d^2 nor n^2 numbers fit into memory"};
  const bool one_solution = r.expected_lambdas == 1 && r.by_gcv;
  const double work = required_work(direct.route, r), of_iterative = required_work(Route::iterative, r);
  if (work < (one_solution ? long_work_of_a_solution : long_work) || work < times_as_long * of_iterative) return direct;
  return {Route::iterative,
          text("x is sparse, and ", route_name(direct.route), " takes ", short_number(work / of_iterative),
               " times as long", one_solution ? " for one lambda and no errors left out" : "")};
}

std::string padded(const std::string& value, std::size_t width) {
  return std::string(width - std::min(width, value.size()), ' ') + value;
}

std::string bytes_text(Index bytes) {
  constexpr std::array<const char*, 4> units = {" KiB", " MiB", " GiB", " TiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < units.size()) value /= 1024, ++unit;
  return short_number(value) + units[unit];
}

}  // namespace

Plan make_plan(const Request& request) {
  if (request.route == Route::primal && !request.linear)
    fail(Status::invalid_argument, "route is PRIMAL, which needs a linear kernel; the model's kernel is another one");
  if (request.route == Route::iterative && request.linear && !request.sparse)
    fail(Status::invalid_argument,
         "route is ITERATIVE, which needs sparse x or a kernel that is not linear; set the route PRIMAL for a linear "
         "kernel");
  if (request.route == Route::landmark && request.landmarks == 0)
    fail(Status::invalid_state,
         "route is LANDMARK, but the model has no landmarks; call freeridge_set_landmarks first");
  if (request.route != Route::automatic && request.route != Route::landmark && request.landmarks > 0)
    fail(Status::invalid_argument, "the model has ", request.landmarks, " landmarks, which the ",
         route_name(request.route), " route does not take; set the route LANDMARK or AUTO, or the landmarks to none");
  Choice choice = choose(request);
  if (request.engine != nullptr && !runs_on_device(choice.route))
    fail(Status::invalid_argument, "DEVICE is set, and the ", route_name(choice.route), " route (", choice.reason,
         ") runs on the CPU alone; set DEVICE to 0, or the route SPECTRAL or CHOLESKY");
  return {choice.route, required_bytes(choice.route, request), bandwidth_for(request), request.leaves_out,
          std::move(choice.reason)};
}

void require_possible(const Request& request, const Plan& plan) {
  const auto is_open = [&](Route route) {
    return route != plan.route && obstacle(route, request).empty() && fits(route, request);
  };
  if (request.engine != nullptr)
    if (const Index bytes = device_bytes(plan.route, request), left = request.engine->free_bytes(); bytes > left)
      fail(Status::out_of_memory, "the ", route_name(plan.route), " route with n = ", request.n, " and d = ", request.d,
           " needs ", bytes, " bytes on ", request.engine->name(), ", and ", left,
           " are free there; use fewer points, or the CPU");
  if (fits_into_memory(plan.bytes, request.memory_limit)) return;
  const char* const way_out = request.linear && is_open(Route::primal) ? "use the PRIMAL route"
                              : is_open(Route::band)                   ? "use the BAND route"
                              : plan.route == Route::landmark          ? "use fewer landmarks"
                              : plan.route == Route::primal            ? "use fewer features or points"
                                                            : "use landmarks (freeridge_set_landmarks) or fewer points";
  require_memory(plan.bytes,
                 text("the ", route_name(plan.route), " route with n = ", request.n, " and d = ", request.d), way_out,
                 request.memory_limit);
}

std::string explain(const Request& request, const std::string& kernel) {
  const Plan plan = make_plan(request);
  const double rate = request.engine != nullptr ? request.engine->matrix_product_rate() : matrix_product_rate();
  const bool many = request.expected_lambdas != 1;
  std::string out = text("route ", route_name(plan.route), ": ", plan.reason, "\n", "n = ", request.n,
                         ", d = ", request.d, request.sparse ? text(" (sparse, ", request.entries, " entries)") : "",
                         ", ", request.t, request.t == 1 ? " output, " : " outputs, ", kernel, ", ",
                         request.expected_lambdas, many ? " lambdas" : " lambda",
                         request.leaves_out ? ", with rows left out" : ", without leaving rows out", "\n");
  if (request.engine != nullptr)
    out += text("on ", request.engine->name(),
                ": kernel values, factors, eigenvectors, left-out errors of CHOLESKY; the rest on the CPU\n");
  out += "                memory        time\n";
  for (const Route route :
       {Route::cholesky, Route::spectral, Route::band, Route::primal, Route::landmark, Route::iterative}) {
    const std::string why_not = obstacle(route, request);
    const std::string name = route_name(route);
    out += text(route == plan.route ? "* " : "  ", name, std::string(9 - std::min<std::size_t>(name.size(), 9), ' '));
    if (!why_not.empty()) {
      out += text("  ", why_not, "\n");
      continue;
    }
    const Index bytes = required_bytes(route, request);
    out += text(padded(bytes_text(bytes), 12), padded(short_number(required_work(route, request) / rate), 12), " s");
    if (request.engine != nullptr) out += text("   and ", bytes_text(device_bytes(route, request)), " on the device");
    if (route == Route::band) out += text("   bandwidth ", bandwidth_for(request));
    if (route == Route::iterative)
      out += request.linear ? "   solutions; LOO and GCV are estimates"
                            : "   solutions; LOO and GCV are estimates; never taken unless it is set";
    if (!fits(route, request)) out += "   does not fit";
    out += "\n";
  }
  const AvailableMemory available = available_memory();
  out += text(bytes_text(available.bytes), " available", available.bound);
  if (request.engine != nullptr) out += text(", ", bytes_text(request.engine->free_bytes()), " on the device");
  if (request.memory_limit > 0) out += text(", limited to ", bytes_text(request.memory_limit));
  out += text("; estimates for ", short_number(rate * 1e-9), " Gflop/s, a matrix product ",
              request.engine != nullptr ? text("on the device")
                                        : text("with ", thread_count(), thread_count() == 1 ? " thread" : " threads"),
              " now");
  return out;
}

FactorizationPtr factorize(const Plan& plan, ProblemPtr problem, const Landmarks& landmarks, Reduction reduction,
                           double accuracy, const EnginePtr& engine) {
  switch (plan.route) {
    case Route::cholesky:
      return factorize_cholesky(std::move(problem), engine);
    case Route::band:
      return factorize_band(std::move(problem), plan.bandwidth, plan.forms_basis);
    case Route::primal:
      return factorize_primal(std::move(problem), reduction);
    case Route::landmark:
      return factorize_landmark(std::move(problem), landmarks, reduction);
    case Route::iterative:
      return factorize_iterative(std::move(problem), accuracy);
    default:
      return factorize_spectral(std::move(problem), engine);
  }
}

}  // namespace freeridge
