// Trials of the calls on windows: of a linear kernel, whose triangle a row changes or not, and of another one.
#include <algorithm>
#include <cmath>
#include "capi/support/window_calls.hpp"

#include "faults/trials.hpp"

namespace faults {
namespace {

namespace w = window;

// The numbers in units of 2^-30 of the largest.
void round_off(std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  const double unit = std::ldexp(largest, -30);
  for (double& value : values) value = unit > 0 ? std::round(value / unit) : 0;
}

struct OwnWindow {
  support::Window window;
  bool errors;

  // The left-out errors are asked for, so that the next rows change them. to_come: of a factorization, without them and
  // in fewer digits, as the last bits depend on whether rows came and went after it or before.
  OwnWindow(bool kernel, bool to_come) : window(w::sample_window(kernel)), errors(!to_come) {
    state();
    if (to_come) window.lambda(0.25);
  }
  Bytes state() const {
    support::Vector b;
    Bytes bytes;
    const support::Window::State of = window.state();
    append(bytes, of.n);
    append(bytes, of.lambda);
    const oracle::Problem rows = window.rows();
    append(bytes, rows.x.values.data(), rows.x.values.size());
    append(bytes, rows.y.values.data(), rows.y.values.size());
    support::Matrix c = window.coefficients(b);
    if (!errors) round_off(c.values), round_off(b);
    append(bytes, c.values.data(), c.values.size());
    append(bytes, b.data(), b.size());
    if (!errors) return bytes;
    const support::Matrix e = window.loo();
    append(bytes, e.values.data(), e.values.size());
    return bytes;
  }
};

template <class Call>
void add_on_windows(Scenarios& all, bool repeatable, const std::string& about, const Change<Call>& change = {}) {
  for (const bool kernel : {false, true})
    for (const bool to_come : {false, true}) {
      if (to_come && repeatable) continue;
      const std::string name = (kernel ? "kernel_" : "linear_") + about + (to_come ? "_to_factorize" : "");
      all.push_back({Call::name, name, repeatable, [=] {
                       auto own = std::make_shared<OwnWindow>(kernel, to_come);
                       const auto call = std::make_shared<Call>();
                       call->window = own->window.get();
                       change.any(*call);
                       if constexpr (requires { call->c; })
                         if (!kernel)
                           call->ld = sample::d, call->c = Output<double>(sample::size(sample::d, sample::t));
                       return trial_of(call, own, [own] { return own->state(); });
                     }});
    }
}

Bytes created(freeridge_window* made) {
  double lambda = 0;
  int64_t rows = 0;
  support::check(freeridge_window_get_state(made, nullptr, nullptr, nullptr, &rows, &lambda, nullptr, nullptr),
                 "freeridge_window_get_state");
  Bytes bytes;
  append(bytes, lambda);
  append(bytes, rows);
  return bytes;
}

}  // namespace

void add_windows(Scenarios& all) {
  for (const bool landmarks : {false, true})
    all.push_back({w::Create::name, landmarks ? "landmarks" : "kernel", true, [landmarks] {
                     const auto call = std::make_shared<w::Create>();
                     call->landmarks.null = !landmarks;
                     return making_trial(call, call->out, nullptr, created, freeridge_window_destroy,
                                         [] { return Bytes(); });
                   }});
  all.push_back({"freeridge_window_destroy", "plain", false, [] {
                   w::Create call;
                   support::check(call(), "freeridge_window_create");
                   return Trial{[made = call.out.values[0]]() -> freeridge_status {
                     freeridge_window_destroy(made);
                     return FREERIDGE_OK;
                   }};
                 }});
  const auto one = [](auto& call) { call.points.fields.n = 1; };
  add_on_windows<w::Add>(all, false, "rows");
  add_on_windows<w::Add>(all, false, "one", one);
  add_on_windows<w::Add>(all, false, "unasked", [](w::Add& call) { call.errors.null = true; });
  add_on_windows<w::AddSparse>(all, false, "sparse");
  add_on_windows<w::Remove>(all, false, "given");
  add_on_windows<w::Remove>(all, false, "one", [](w::Remove& call) { call.count = 1; });
  add_on_windows<w::SetLambda>(all, false, "plain");
  add_on_windows<w::SelectLambda>(all, false, "plain");
  add_on_windows<w::Loo>(all, false, "plain");
  add_on_windows<w::Coefficients>(all, false, "plain");
  add_on_windows<w::Predict>(all, false, "plain");
  add_on_windows<w::GetRows>(all, true, "plain");
  add_on_windows<w::GetState>(all, true, "plain");
  add_on_windows<w::SetProgress>(all, true, "plain");
}

}  // namespace faults
