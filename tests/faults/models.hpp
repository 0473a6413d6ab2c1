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

template <class Call>
void add_on_model(Scenarios& all, const std::string& about, bool repeatable, const std::function<Model()>& make,
                  const std::function<void(Call&)>& prepare = {}) {
  const bool in_pieces = std::string(Call::name).find("_path") != std::string::npos;
  all.push_back({Call::name, about, repeatable,
                 [=] {
                   auto model = std::make_shared<Model>(make());
                   auto call = std::make_shared<Call>();
                   if (prepare) prepare(*call);
                   call->model = model->get();
                   return trial_of(call, model, [model] { return bytes_of(fingerprint(model->get())); });
                 },
                 in_pieces});
}

// On FITTED models of each route but those given.
template <class Call>
void add_on_routes(Scenarios& all, bool repeatable, const std::string& about = "",
                   const std::function<void(Call&)>& prepare = {}, const std::vector<freeridge_route>& without = {}) {
  for (const auto& [name, route] : routes)
    if (std::find(without.begin(), without.end(), route) == without.end())
      add_on_model<Call>(
          all, name + about, repeatable, [route = route] { return model_on(route, State::fitted); }, prepare);
}

}  // namespace faults
