// A minimum of f(x) in the box low <= x <= high, from values and gradients g of f: the limited-memory BFGS method on
// the variables that no bound holds, with its steps projected into the box:
//     held    the variables within `near` of a bound that -g points at or beyond
//     d       the others: -H g by the two-loop recursion, from the last pairs s = x+ - x, y = g+ - g without their held
//             entries (those with s'y > 0); the held: -g by the scale of H
//     x(a)    = P(x + a d), P the nearest point of the box
// f descends along x(a) wherever x is not stationary. Conditions for the step a: sufficient decrease along x(a),
// f(x(a)) <= f(x) + 1e-4 g'(x(a) - x), and, while x(a) still moves, a slope that has risen to 0.9 of the first; found
// by cubic interpolation in a bracket. A step to where f has no value (NaN or infinite) is too long. Sources: D.
// Bertsekas, Projected Newton methods for optimization problems with simple constraints, SIAM J. Control Optim. 20
// (1982); J. Nocedal, Updating quasi-Newton matrices with limited storage, Math. Comp. 35 (1980); M. Schmidt, D. Kim,
// S. Sra, Projected Newton-type methods in machine learning, in: Optimization for Machine Learning, 2011.
// Cost beside f: O(pairs x dimension) an evaluation.
#pragma once

#include <cstdint>
#include <functional>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

enum class SearchEnd : std::int32_t {
  none = 0,      // there was no search
  gradient = 1,  // no entry of P(x - g) - x exceeds the tolerance: stationary
  change = 2,    // the last steps lowered f by less than the tolerance
  budget = 3,    // all evaluations are spent
  no_lower = 4   // no lower value along the gradient: f is as low as its rounding lets it be
};

// A step x+ - x, and the change of the gradient that it made.
struct LbfgsPair {
  Array<double> s, y;
};

struct LbfgsOptions {
  Index evaluations = 200;  // at most so many, >= 1
  Index pairs = 10;
  double gradient_tolerance = 1e-6;
  double change_tolerance = 1e-9;  // of max(|f|, scale), in each of the last small_changes steps
  Index small_changes = 2;
  double scale = 1;             // changes of f that are small beside it do not matter
  double longest = 1e300;       // no entry of x changes by more in one step
  Array<LbfgsPair> known = {};  // of a search of a function that is much like f, the oldest first
};

struct BoundedMinimum {
  Array<double> x;         // the lowest that was seen
  double f = 0;            //
  double gradient = 0;     // the largest entry of |P(x - g) - x|
  Array<std::int32_t> at;  // -1, +1 where x is at the low, high bound, else 0
  SearchEnd end = SearchEnd::none;
  Index evaluations = 0;
  Array<LbfgsPair> known;  // the last pairs, the oldest first
};

// f at x, with its gradient in the second argument; NaN or infinite where it has no value.
using ValueAndGradient = std::function<double(Span<const double>, Span<double>)>;

// The largest entry of |P(x - g) - x|: 0 exactly where x is stationary in the box.
double projected_gradient(Span<const double> x, Span<const double> g, Span<const double> low, Span<const double> high);

// low <= high; low may be -infinity and high +infinity, and equal bounds hold a variable. The search begins at the
// place of the box nearest to `start`. Where f has no value there, that place is the answer, with SearchEnd::no_lower
// and the f that was found. Deterministic.
BoundedMinimum minimise_in_box(const ValueAndGradient& f, Span<const double> start, Span<const double> low,
                               Span<const double> high, const LbfgsOptions& options);

}  // namespace freeridge
