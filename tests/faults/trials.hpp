// What the fault tests run: every call of freeridge.h, on handles that are ready for it.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "capi/support/call.hpp"
#include "freeridge.h"

namespace faults {

using Bytes = std::vector<unsigned char>;

// One call on handles and arrays of its own, which live as long as the trial.
struct Trial {
  std::function<freeridge_status()> call;                  // makes no request of its own
  std::function<Bytes()> answer = [] { return Bytes(); };  // what the call wrote, or the marks that stood there before
  std::function<Bytes()> state = [] { return Bytes(); };   // all that the handle answers
};

struct Scenario {
  std::string call;   // as in freeridge.h
  std::string about;  // letters and digits
  bool repeatable;    // a success leaves the handle as it was: one trial for all faults; else a new one for each
  std::function<Trial()> make;
  bool in_pieces = false;  // works piece by piece: where it fails on the way, it may have written some
  long each = 200;         // so many first requests are refused one by one
};
using Scenarios = std::vector<Scenario>;

inline void PrintTo(const Scenario& scenario, std::ostream* out) {
  *out << scenario.call << ", " << scenario.about;
}

void add_kernels(Scenarios& all);
void add_library(Scenarios& all);
void add_model_settings(Scenarios& all);
void add_model_answers(Scenarios& all);
void add_in_pieces(Scenarios& all);
void add_threaded(Scenarios& all);
void add_classical(Scenarios& all);
void add_accumulators(Scenarios& all);
void add_classifiers(Scenarios& all);
void add_saved(Scenarios& all);
void add_windows(Scenarios& all);
Scenarios all_scenarios();

template <class T>
void append(Bytes& bytes, const T* values, std::size_t count) {
  const auto* first = reinterpret_cast<const unsigned char*>(values);
  bytes.insert(bytes.end(), first, first + count * sizeof(T));
}

template <class T>
void append(Bytes& bytes, const T& value) {
  append(bytes, &value, 1);
}

// The bytes of all outputs of a call made as a struct (capi/support); the next call finds the marks there again.
Bytes take_outputs(AnyCall& call);

// A trial of such a struct; `owner` keeps what it needs.
Trial trial_of(const std::shared_ptr<AnyCall>& call, const std::shared_ptr<void>& owner, std::function<Bytes()> state);

// The same of a call that makes a handle, `out`: it is compared by what it answers, and destroyed.
template <class Handle>
Trial making_trial(const std::shared_ptr<AnyCall>& call, Output<Handle*>& out, const std::shared_ptr<void>& owner,
                   Bytes (*answers_of)(Handle*), void (*destroy)(Handle*), std::function<Bytes()> state) {
  return {[call, owner] { return (*call)(); },
          [call, &out, answers_of, destroy] {
            if (out.untouched()) return Bytes();
            Handle*& made = out.values[0];
            const Bytes answers = answers_of(made);
            destroy(made);
            made = sentinel<Handle*>();
            return answers;
          },
          std::move(state)};
}

// The text of a kernel.
Bytes bytes_of(freeridge_kernel* kernel);

// What changes the arguments of a call before it is made.
using ChangeAny = std::function<void(AnyCall&)>;

// The same of a call whose type is known.
template <class Call>
struct Change {
  ChangeAny any = [](AnyCall&) {};
  Change() = default;
  template <class Function>
  Change(Function change) : any([change](AnyCall& call) { change(static_cast<Call&>(call)); }) {}
};

// A call that leaves all handles as they are, and needs none beside its own.
void add_plain(Scenarios& all, const CallKind& kind, const std::string& about, const ChangeAny& prepare);
template <class Call>
void add_plain(Scenarios& all, const std::string& about = "plain", const Change<Call>& prepare = {}) {
  add_plain(all, kind_of<Call>(), about, prepare.any);
}

}  // namespace faults
