#include "faults/models.hpp"

namespace faults {

Model model_on(freeridge_route route, State state) {
  using sample::Variant;
  if (route == FREERIDGE_ROUTE_PRIMAL) return sample::model(state, Variant::primal);
  if (route == FREERIDGE_ROUTE_CHOLESKY) return sample::model(state, Variant::cholesky);
  if (route == FREERIDGE_ROUTE_LANDMARK) return sample::model(state, Variant::landmark);
  if (route == FREERIDGE_ROUTE_SPECTRAL) return sample::model(state, Variant::spectral);
  Model model = sample::model(std::min(state, State::data), Variant::spectral);
  model.route(FREERIDGE_ROUTE_BAND);
  if (state >= State::factorized) model.factorize();
  if (state == State::fitted) model.select_lambda(FREERIDGE_LOO, 1e-3, 1e3);
  return model;
}

Bytes bytes_of(const Fingerprint& answers) {
  Bytes bytes;
  for (const Answer& answer : answers) {
    append(bytes, answer.status);
    bytes.insert(bytes.end(), answer.bytes.begin(), answer.bytes.end());
  }
  return bytes;
}

void add_on_model(Scenarios& all, const CallKind& kind, const std::string& about, bool repeatable,
                  const std::function<Model()>& make, const ChangeAny& prepare) {
  const std::string name = kind.name;
  const bool at_lambdas = about.find("_lambdas") != std::string::npos;
  const bool in_pieces = (at_lambdas && (name == "freeridge_coefficients" || name == "freeridge_hyperplane")) ||
                         (about == "reader" && name == "freeridge_group_errors") || name == "freeridge_batch";
  all.push_back({kind.name, about, repeatable,
                 [=] {
                   const auto model = std::make_shared<Model>(make());
                   const std::shared_ptr<AnyCall> call = kind.make();
                   prepare(*call);
                   *slot(kind, *call, "model").pointer = model->get();
                   return trial_of(call, model, [model] { return bytes_of(fingerprint(model->get())); });
                 },
                 in_pieces});
}

void add_on_routes(Scenarios& all, const CallKind& kind, bool repeatable, const std::string& about,
                   const ChangeAny& prepare, const std::vector<freeridge_route>& without) {
  for (const auto& [name, route] : routes)
    if (std::find(without.begin(), without.end(), route) == without.end())
      add_on_model(
          all, kind, name + about, repeatable, [route = route] { return model_on(route, State::fitted); }, prepare);
}

}  // namespace faults
