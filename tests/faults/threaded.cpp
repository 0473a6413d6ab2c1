// Trials of calls whose work is shared among threads: a request that is refused on any of them comes back as a status on
// the thread that made the call. The sizes are those where the loops take two threads.
#include <cmath>

#include "faults/trials.hpp"
#include "support/model.hpp"
#include "support/random.hpp"

namespace faults {
namespace {

using support::Kernel;
using support::Model;

constexpr int64_t n = 320, d = 6, t = 2, count = 6;

// Two threads for as long as it lives.
struct Threads {
  Threads() { support::check(freeridge_set_threads(2), "freeridge_set_threads"); }
  ~Threads() { freeridge_set_threads(0); }
};

struct Threaded {
  Threads threads;
  Model model;
  std::vector<double> points, out;
  std::vector<int32_t> group;
  std::vector<double> lambdas = {0.5, 1, 2, 4, 8, 16};

  explicit Threaded(freeridge_route route, int64_t rows)
      : model(route == FREERIDGE_ROUTE_PRIMAL ? Kernel::linear() : Kernel::gaussian(2.0)),
        out(static_cast<std::size_t>(rows * t), sentinel<double>()) {
    support::Random random(5);
    const support::Matrix x = random.uniform_matrix(rows, d, -1.0, 1.0), y = random.uniform_matrix(rows, t, -1.0, 1.0);
    points = x.values;
    for (int64_t i = 0; i < rows; ++i) group.push_back(static_cast<int32_t>(i % 10));
    model.route(route).data(x, y).groups(group);
    if (route == FREERIDGE_ROUTE_LANDMARK)
      support::check(freeridge_set_landmarks(model.get(), 40, nullptr), "freeridge_set_landmarks");
  }

  Threaded& fit() {
    model.factorize().lambda(2.0);
    return *this;
  }

  Bytes take() {
    Bytes bytes;
    append(bytes, out.data(), out.size());
    std::fill(out.begin(), out.end(), sentinel<double>());
    return bytes;
  }

  // Intercepts and fitted values, as far as there are any.
  Bytes state() {
    Bytes bytes;
    std::vector<double> numbers(out.size() + t, sentinel<double>());
    append(bytes, freeridge_coefficients(model.get(), 0, nullptr, nullptr, 0, numbers.data()));
    append(bytes, freeridge_get_fitted(model.get(), numbers.data() + t, static_cast<int64_t>(out.size()) / t));
    append(bytes, numbers.data(), numbers.size());
    return bytes;
  }
};

void add(Scenarios& all, const char* name, const std::string& about, freeridge_route route, int64_t rows, bool fitted,
         freeridge_status (*call)(Threaded&)) {
  const bool in_pieces = std::string(name) == "freeridge_predict";
  all.push_back({name, "threads_" + about, fitted,
                 [=] {
                   auto own = std::make_shared<Threaded>(route, rows);
                   if (fitted) own->fit();
                   return Trial{[=] { return call(*own); }, [=] { return own->take(); }, [=] { return own->state(); }};
                 },
                 in_pieces, 12});
}

}  // namespace

void add_threaded(Scenarios& all) {
  struct Case {
    const char* name;
    freeridge_route route;
    int64_t rows;
  };
  for (const Case& c : {Case{"cholesky", FREERIDGE_ROUTE_CHOLESKY, n}, Case{"spectral", FREERIDGE_ROUTE_SPECTRAL, n},
                        Case{"band", FREERIDGE_ROUTE_BAND, n}, Case{"primal", FREERIDGE_ROUTE_PRIMAL, 4000},
                        Case{"landmark", FREERIDGE_ROUTE_LANDMARK, 2000}}) {
    add(all, "freeridge_factorize", c.name, c.route, c.rows, false,
        [](Threaded& own) { return freeridge_factorize(own.model.get()); });
    add(all, "freeridge_loo", c.name, c.route, c.rows, true, [](Threaded& own) {
      return freeridge_loo(own.model.get(), own.out.data(), static_cast<int64_t>(own.out.size()) / t);
    });
    add(all, "freeridge_group_errors", c.name, c.route, c.rows, true, [](Threaded& own) {
      return freeridge_group_errors(own.model.get(), own.group.data(), 0, nullptr, own.out.data(),
                                    static_cast<int64_t>(own.out.size()) / t);
    });
    add(all, "freeridge_predict", c.name, c.route, c.rows, true, [](Threaded& own) {
      const int64_t m = static_cast<int64_t>(own.out.size()) / t;
      return freeridge_predict(own.model.get(), FREERIDGE_COL_MAJOR, m, own.points.data(), m, own.out.data(), m);
    });
    add(all, "freeridge_score", c.name, c.route, c.rows, true, [](Threaded& own) {
      return freeridge_score(own.model.get(), FREERIDGE_LOO, count, own.lambdas.data(), own.out.data(), nullptr, count);
    });
  }
}

}  // namespace faults
