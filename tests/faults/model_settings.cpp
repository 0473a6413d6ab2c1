// Trials of the calls that make, change, factorize and fit a model: a new FITTED model for each fault, which has to
// answer as before when the call fails.
#include "capi/support/kernel_calls.hpp"
#include "faults/models.hpp"

namespace faults {

namespace {

// Outputs -1 and +1, as ERROR_RATE wants them.
Model classes(State state) {
  Model model(Kernel::gaussian(sample::sigma));
  support::Matrix y(sample::n, sample::t);
  for (int64_t i = 0; i < sample::n; ++i) {
    y(i, 0) = i % 3 == 0 ? 1 : -1;
    y(i, 1) = -y(i, 0);
  }
  model.route(FREERIDGE_ROUTE_SPECTRAL).data(sample::matrix(sample::n, sample::x()), y).groups(sample::group());
  if (state >= State::factorized) model.factorize();
  return model;
}

Model chosen_landmarks(freeridge_landmark_method method) {
  Model model = sample::model(State::data, sample::Variant::landmark);
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_LANDMARK_METHOD, method), "freeridge_set_parameter");
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_LANDMARK_SEED, 3), "freeridge_set_parameter");
  support::check(freeridge_set_landmarks(model.get(), 5, nullptr), "freeridge_set_landmarks");
  return model;
}

Model precomputed() {
  Model model(Kernel::precomputed());
  const std::vector<double> x = sample::x();
  support::Matrix k(sample::n, sample::n);
  for (int64_t i = 0; i < sample::n; ++i)
    for (int64_t j = 0; j < sample::n; ++j) k(i, j) = x[sample::size(i)] * x[sample::size(j)] + (i == j ? 1.0 : 0.0);
  model.route(FREERIDGE_ROUTE_SPECTRAL).data(k, sample::matrix(sample::n, sample::y()));
  return model;
}

Model refined(freeridge_route route) {
  Model model = model_on(route, State::factorized);
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, 2), "freeridge_set_parameter");
  return model;
}

// The sample, whose rows a reader hands out, with groups.
Model read_rows(State state) {
  sample_rows(0, 0, nullptr, nullptr, nullptr, nullptr);  // which makes its arrays before requests are refused
  Model model(Kernel::linear());
  SetReader set;
  set.model = model.get();
  support::check(set(), "freeridge_set_points");
  model.groups(sample::group());
  if (state >= State::factorized) model.factorize();
  if (state == State::fitted) model.lambda(0.5);
  return model;
}

struct NewModel {
  Create call;
  ~NewModel() {
    if (!call.out.untouched()) freeridge_destroy(call.out.values[0]);
  }
};

void add_setters(Scenarios& all) {
  add_on_routes<SetKernel>(all, false, "", {}, {FREERIDGE_ROUTE_PRIMAL});
  add_on_routes<SetData>(all, false);
  add_on_routes<SetData>(all, false, "_rows", [](SetData& call) {
    call.layout = FREERIDGE_ROW_MAJOR;
    call.ldx = sample::d;
    call.ldy = sample::t;
  });
  add_on_routes<SetPointsView>(all, false, "_borrowed");
  add_on_routes<SetSparse>(all, false, "_sparse");
  add_on_routes<SetPoints>(all, false);
  add_on_routes<SetWeights>(all, false);
  add_on_routes<SetGroups>(all, false);
  const auto spectral = [] { return model_on(FREERIDGE_ROUTE_SPECTRAL, State::fitted); };
  const auto landmark = [] { return model_on(FREERIDGE_ROUTE_LANDMARK, State::fitted); };
  add_on_model<SetReader>(all, "reader", false, spectral);
  add_on_model<SetReader>(all, "reader_again", false, [] { return read_rows(State::fitted); });
  add_on_model<SetUnpenalised>(all, "reader", false, [] { return read_rows(State::fitted); });
  add_on_model<GetUnpenalisedRead>(all, "reader", true, with_reader);
  add_on_model<Told<FREERIDGE_INTERCEPT, FREERIDGE_INTERCEPT_NONE>>(all, "off", false, spectral);
  add_on_model<Told<FREERIDGE_ROUTE, FREERIDGE_ROUTE_SPECTRAL>>(all, "route", false, spectral);
  add_on_model<Told<FREERIDGE_LANDMARK_METHOD, FREERIDGE_LANDMARKS_KMEANS>>(all, "method", false, landmark);
  add_on_model<Told<FREERIDGE_REDUCTION, FREERIDGE_REDUCTION_GRAM>>(all, "reduction", false, landmark);
  add_on_model<SetParameter>(all, "refinement", false, spectral);
  add_on_model<SetProgress>(all, "plain", false, spectral);
  add_on_model<SetLandmarks>(all, "given", false, landmark);
  add_on_model<SetLandmarks>(all, "chosen", false, landmark, [](SetLandmarks& call) { call.rows.null = true; });
}

void add_factorize(Scenarios& all) {
  add_on_model<Factorize>(all, "reader", false, [] { return read_rows(State::data); });
  add_on_model<SetLambda>(all, "reader", false, [] { return read_rows(State::factorized); });
  add_on_model<SelectLambda>(all, "reader", false, [] { return read_rows(State::factorized); });
  add_on_model<SelectLambda>(
      all, "reader_groups", false, [] { return read_rows(State::factorized); },
      [](SelectLambda& call) { call.criterion = FREERIDGE_GROUPS; });
  add_on_model<GroupErrors>(all, "reader", false, [] { return read_rows(State::fitted); });
  add_on_model<SetGroups>(all, "reader", false, [] { return read_rows(State::fitted); });
  add_on_routes<Factorize>(all, false);
  add_on_model<Factorize>(all, "precomputed", false, precomputed);
  for (const freeridge_landmark_method method :
       {FREERIDGE_LANDMARKS_RANDOM, FREERIDGE_LANDMARKS_KMEANS, FREERIDGE_LANDMARKS_PIVOTED})
    add_on_model<Factorize>(all, "landmarks" + std::to_string(method), false, [=] { return chosen_landmarks(method); });
  for (const freeridge_route route : {FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_LANDMARK})
    for (const freeridge_reduction reduction : {FREERIDGE_REDUCTION_QR, FREERIDGE_REDUCTION_GRAM})
      add_on_model<Factorize>(
          all, "route" + std::to_string(route) + "reduction" + std::to_string(reduction), false, [=] {
            Model model = model_on(route, State::data);
            support::check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, reduction), "REDUCTION");
            return model;
          });
}

void add_lambda(Scenarios& all) {
  const auto iterative = [](State state) { return [=] { return sample::model(state, sample::Variant::iterative); }; };
  add_on_model<Factorize>(all, "iterative", false, iterative(State::data));
  add_on_model<SetLambda>(all, "iterative", false, iterative(State::factorized));
  add_on_routes<SetLambda>(all, false);
  add_on_routes<SetLambda>(all, false, "_zero", [](SetLambda& call) { call.lambda = 0; }, {FREERIDGE_ROUTE_BAND});
  add_on_routes<SetLambdas>(all, false);
  for (const freeridge_route route :
       {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL})
    add_on_model<SetLambda>(all, "refined" + std::to_string(route), false, [=] { return refined(route); });
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS})
    add_on_routes<SelectLambda>(all, false, "_criterion" + std::to_string(criterion),
                                [=](SelectLambda& call) { call.criterion = criterion; });
  add_on_model<SelectLambda>(
      all, "error_rate", false, [] { return classes(State::factorized); },
      [](SelectLambda& call) { call.criterion = FREERIDGE_ERROR_RATE; });
  add_on_model<SelectLambda>(
      all, "default_range", false, [] { return model_on(FREERIDGE_ROUTE_BAND, State::factorized); },
      [](SelectLambda& call) { call.low = call.high = 0; });
  add_on_routes<Batch>(all, true, "", {}, {FREERIDGE_ROUTE_LANDMARK});
  add_on_routes<SelectBandwidth>(all, false, "", {}, {FREERIDGE_ROUTE_PRIMAL});
  add_on_routes<SelectKernel>(all, false, "", {}, {FREERIDGE_ROUTE_PRIMAL});
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GROUPS})
    add_on_model<SelectKernel>(
        all, "criterion" + std::to_string(criterion), false,
        [] { return model_on(FREERIDGE_ROUTE_SPECTRAL, State::data); },
        [=](SelectKernel& call) {
          call.criterion = criterion;
          call.label.null = true;
          call.rows = 0;
        });
  add_on_model<SelectBandwidth>(
      all, "default_range", false, [] { return model_on(FREERIDGE_ROUTE_SPECTRAL, State::fitted); },
      [](SelectBandwidth& call) {
        call.criterion = FREERIDGE_GROUPS;
        call.low = call.high = 0;
      });
}

}  // namespace

void add_model_settings(Scenarios& all) {
  all.push_back({"freeridge_create", "plain", false, [] {
                   auto made = std::make_shared<NewModel>();
                   return Trial{[made] { return made->call(); },
                                [made] { return made->call.out.untouched() ? Bytes() : Bytes(1); }};
                 }});
  for (const auto& [name, route] : routes)
    all.push_back({"freeridge_destroy", name, false, [route = route] {
                     // A model of its own, whose handle the trial gives up: made as the sample is, and destroyed here.
                     auto model = std::make_shared<freeridge_model*>(nullptr);
                     const Kernel kernel = Kernel::gaussian(sample::sigma);
                     support::check(freeridge_create(kernel.get(), model.get()), "freeridge_create");
                     SetData data;
                     data.model = *model;
                     support::check(data(), data.name);
                     if (route != FREERIDGE_ROUTE_PRIMAL && route != FREERIDGE_ROUTE_LANDMARK)
                       support::check(freeridge_set_parameter(*model, FREERIDGE_ROUTE, route),
                                      "freeridge_set_parameter");
                     support::check(freeridge_factorize(*model), "freeridge_factorize");
                     support::check(freeridge_set_lambda(*model, 0.5), "freeridge_set_lambda");
                     return Trial{[model] {
                       freeridge_destroy(*model);
                       return FREERIDGE_OK;
                     }};
                   }});
  add_setters(all);
  add_factorize(all);
  add_lambda(all);
}

}  // namespace faults
