// Models of the sample (capi/support) for the fault tests, on every route, and trials of calls on them.
#pragma once

#include "capi/support/answer_calls.hpp"
#include "capi/support/fingerprint.hpp"
#include "capi/support/fixed_calls.hpp"
#include "capi/support/landmark_calls.hpp"
#include "capi/support/matrix_calls.hpp"
#include "capi/support/selection_calls.hpp"
#include "capi/support/setting_calls.hpp"
#include "faults/trials.hpp"

namespace faults {

using sample::State;

struct RouteCase {
  const char* name;
  freeridge_route route;
};
inline const std::vector<RouteCase> routes = {{"cholesky", FREERIDGE_ROUTE_CHOLESKY},
                                              {"spectral", FREERIDGE_ROUTE_SPECTRAL},
                                              {"band", FREERIDGE_ROUTE_BAND},
                                              {"primal", FREERIDGE_ROUTE_PRIMAL},
                                              {"landmark", FREERIDGE_ROUTE_LANDMARK}};

// As sample::model, with the band route, too: FITTED by a search, a lambda for each output.
Model model_on(freeridge_route route, State state);

// All that it answers.
Bytes bytes_of(const Fingerprint& answers);

// A call on the model that is made for it.
void add_on_model(Scenarios& all, const CallKind& kind, const std::string& about, bool repeatable,
                  const std::function<Model()>& make, const ChangeAny& prepare);
template <class Call>
void add_on_model(Scenarios& all, const std::string& about, bool repeatable, const std::function<Model()>& make,
                  const Change<Call>& prepare = {}) {
  add_on_model(all, kind_of<Call>(), about, repeatable, make, prepare.any);
}

// On FITTED models of each route but those given.
void add_on_routes(Scenarios& all, const CallKind& kind, bool repeatable, const std::string& about,
                   const ChangeAny& prepare, const std::vector<freeridge_route>& without);
template <class Call>
void add_on_routes(Scenarios& all, bool repeatable, const std::string& about = "", const Change<Call>& prepare = {},
                   const std::vector<freeridge_route>& without = {}) {
  add_on_routes(all, kind_of<Call>(), repeatable, about, prepare.any, without);
}

}  // namespace faults
