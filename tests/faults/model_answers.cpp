// Trials of the calls that ask a model: one FITTED model survives all faults.
#include "faults/models.hpp"
#include "support/landmarks.hpp"

namespace faults {
namespace {

// One lambda for all outputs, which the answers share.
Model at_one_lambda(freeridge_route route) {
  Model model = model_on(route, State::factorized);
  model.lambda(0.75);
  return model;
}

template <class Call>
void add_answer(Scenarios& all, const std::vector<freeridge_route>& without = {}, const std::string& about = "") {
  add_on_routes<Call>(all, true, about, {}, without);
}

// The answers whose work depends on the lambdas: one for each output, and one for all.
template <class Call>
void add_both(Scenarios& all, const std::string& about = "") {
  add_on_routes<Call>(all, true, about, {});
  for (const auto& [name, route] : routes)
    add_on_model<Call>(all, std::string(name) + "_one_lambda" + about, true,
                       [route = route] { return at_one_lambda(route); });
}

// With standard errors, where the criterion has them.
void add_scores(Scenarios& all) {
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS})
    add_on_routes<Score>(all, true, "_criterion" + std::to_string(criterion), [=](Score& call) {
      call.criterion = criterion;
      call.errors.null = criterion == FREERIDGE_GCV || criterion == FREERIDGE_REML;
    });
}

// From the data; landmarks have none.
void add_gradients(Scenarios& all) {
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS})
    add_on_routes<ScoreGradient>(all, true, "_criterion" + std::to_string(criterion),
                                 [=](ScoreGradient& call) {
                                   call.criterion = criterion;
                                   call.by_log_hyperparameters = Output<double>(8);  // for every kernel of these models
                                 },
                                 {FREERIDGE_ROUTE_LANDMARK});
}

// The calls that make a handle of a model.
template <class Call, class Handle>
void add_making(Scenarios& all, Bytes (*answers_of)(Handle*), void (*destroy)(Handle*)) {
  for (const auto& [name, route] : routes)
    all.push_back({Call::name, name, true, [=, route = route] {
                     auto model = std::make_shared<Model>(model_on(route, State::fitted));
                     auto call = std::make_shared<Call>();
                     call->model = model->get();
                     return making_trial(call, call->out, model, answers_of, destroy,
                                         [model] { return bytes_of(fingerprint(model->get())); });
                   }});
}

// After a search for the bandwidth.
Model of_chosen_bandwidth() {
  Model model = model_on(FREERIDGE_ROUTE_SPECTRAL, State::data);
  SelectBandwidth search;
  search.model = model.get();
  support::check(search(), search.name);
  return model;
}

// After a search for the kernel.
Model of_learnt_kernel() {
  Model model = model_on(FREERIDGE_ROUTE_SPECTRAL, State::data);
  SelectKernel search;
  search.model = model.get();
  support::check(search(), search.name);
  return model;
}

// A feature that row 0 alone has: at lambda = 0 its leverage is one, and what is left out there has no value.
Model leverage_one(freeridge_route route) {
  Model model(Kernel::linear());
  std::vector<double> x = sample::x();
  for (int64_t i = 0; i < sample::n; ++i) x[sample::size(i + sample::n)] = i == 0 ? 1 : 0;
  model.route(route).data(sample::matrix(sample::n, x), sample::matrix(sample::n, sample::y()));
  model.groups(sample::group()).factorize().lambda(0);
  return model;
}

// One row without an intercept: its scores are means of one term, without a standard error.
Model one_row() {
  Model model(Kernel::linear());
  model.intercept(false).data(sample::matrix(1, {1.0, 2.0}), sample::matrix(1, {3.0, -1.0})).factorize();
  model.select_lambda(FREERIDGE_LOO, 0.1, 10);
  return model;
}

template <class Call>
void add_undefined(Scenarios& all, const Change<Call>& prepare = {}, const std::string& about = "") {
  for (const freeridge_route route : {FREERIDGE_ROUTE_PRIMAL, FREERIDGE_ROUTE_SPECTRAL})
    add_on_model<Call>(
        all, "undefined" + std::to_string(route) + about, true, [=] { return leverage_one(route); }, prepare);
}

// On every route, with its lambda near the best one.
template <class Call>
void add_with_fixed_effects(Scenarios& all, const std::string& about = "") {
  for (const auto& [name, route] : routes)
    add_on_model<Call>(all, std::string(name) + "_fixed" + about, true, [route = route] {
      Model model = model_on(route, State::data);
      model.data(sample::matrix(sample::n, sample::x()), sample::matrix(sample::n, sample::y()),
                 sample::matrix(sample::n, sample::fixed()));
      model.weights(sample::weights()).groups(sample::group());
      if (route == FREERIDGE_ROUTE_LANDMARK) support::set_landmarks(model, sample::landmarks());
      model.factorize().select_lambda(FREERIDGE_REML, 1e-3, 1e3);
      return model;
    });
}

void score_at_zero(auto& call) {
  call.lambdas.values = {0, 0.5, 1, 2, 4};
}

}  // namespace

void add_model_answers(Scenarios& all) {
  const std::vector<freeridge_route> not_linear = {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL,
                                                   FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_LANDMARK};
  add_both<Loo>(all);
  add_answer<LooLearnt>(all);
  add_on_model<LooLearnt>(all, "kernel", true, of_learnt_kernel);
  add_on_model<LooLearnt>(all, "bandwidth", true, of_chosen_bandwidth);
  add_both<GroupErrors>(all);
  add_both<GroupErrorsWithGaps>(all, "_gaps");
  add_both<GetLeverage>(all);
  add_both<DegreesOfFreedom>(all);
  add_both<CooksDistance>(all);
  add_both<Influence>(all);
  add_answer<ScoreTest>(all);
  add_both<PredictJackknife>(all);
  add_both<PredictVariance>(all);
  add_both<PredictCovariance>(all);
  add_both<PredictLeftOut>(all);
  add_with_fixed_effects<GetUnpenalised>(all);
  add_with_fixed_effects<GetUnpenalisedCovariance>(all);
  add_with_fixed_effects<PredictFixed>(all);
  add_with_fixed_effects<PredictPathFixed>(all, "_lambdas");
  add_with_fixed_effects<PredictJackknifeFixed>(all);
  add_with_fixed_effects<PredictVarianceFixed>(all);
  add_with_fixed_effects<VarianceComponents>(all);
  add_both<AverageGradient>(all);
  add_answer<PredictCombinations>(all);
  add_answer<PredictGradient>(all);
  add_answer<CoefficientCovariance>(all, not_linear);
  add_answer<CoefficientErrors>(all, not_linear);
  add_answer<Predict>(all);
  add_answer<PredictPoints>(all);
  add_answer<PredictSparse>(all, {}, "_sparse");
  add_answer<Coefficients>(all);
  add_answer<Hyperplane>(all, not_linear);
  add_answer<Intercept>(all, {}, "_alone");
  add_answer<GetFitted>(all);
  add_answer<GetLambda>(all);
  add_answer<GetRoute>(all);
  add_answer<GetDimensions>(all);
  add_answer<GetBandwidth>(all, {FREERIDGE_ROUTE_PRIMAL});
  add_on_model<GetBandwidthSearch>(all, "search", true, of_chosen_bandwidth);
  add_on_model<GetKernelSearch>(all, "search", true, of_learnt_kernel);
  add_answer<MemoryRequired>(all);
  add_answer<GetTolerance>(all);
  add_answer<GetRank>(all, {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_BAND});
  add_answer<GetLandmarks>(all);
  add_answer<LandmarkTrace>(
      all, {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL});
  add_answer<LandmarkCurve>(
      all, {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_BAND, FREERIDGE_ROUTE_PRIMAL});
  add_answer<LambdaGrid>(all);
  add_on_routes<Objective>(all, true, "", [](Objective&) {});
  add_answer<Eigenvalues>(all, {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_BAND});
  add_on_model<Eigenvalues>(
      all, "band_values", true, [] { return at_one_lambda(FREERIDGE_ROUTE_BAND); },
      [](Eigenvalues& call) { call.vectors.null = true; });
  add_answer<ConditionNumber>(all, {FREERIDGE_ROUTE_CHOLESKY});
  add_answer<HatMatrix>(all);
  add_answer<GetSearch>(all);
  add_answer<GetOneStandardError>(all, {}, "_rule");
  add_answer<LambdaFlags>(all);
  add_answer<PredictPath>(all, {}, "_lambdas");
  add_answer<CoefficientsPath>(all, {}, "_lambdas");
  add_answer<HyperplanePath>(all, not_linear, "_lambdas");
  add_making<Clone, freeridge_model>(
      all, [](freeridge_model* made) { return bytes_of(fingerprint(made)); }, freeridge_destroy);
  add_making<GetKernel, freeridge_kernel>(all, bytes_of, freeridge_kernel_destroy);
  add_answer<GetWeights>(all);
  add_answer<GetGroups>(all);
  add_answer<GetParameter>(all);
  add_answer<GetRequestedLandmarks>(all);
  const auto iterative = [] { return sample::model(State::fitted, sample::Variant::iterative); };
  add_on_model<GetAccuracy>(all, "iterative", true, iterative);
  add_on_model<EstimateScore>(all, "iterative", true, iterative);
  add_on_model<Predict>(all, "iterative", true, iterative);
  add_on_model<PredictVariance>(all, "iterative", true, iterative);
  add_scores(all);
  add_gradients(all);
  add_undefined<Loo>(all);
  add_undefined<GroupErrors>(all);
  add_undefined<CooksDistance>(all);
  add_undefined<Influence>(all);
  add_undefined<PredictJackknife>(all);
  add_undefined<PredictLeftOut>(all);
  add_undefined<PredictVariance>(all);
  add_undefined<Score>(all, score_at_zero<Score>);
  add_undefined<Score>(
      all,
      [](Score& call) {
        call.criterion = FREERIDGE_GROUPS;
        score_at_zero(call);
      },
      "_groups");
  add_on_model<GetOneStandardError>(all, "undefined", true, one_row);
  // Its text names the speed that it measured, and differs from call to call.
  for (const freeridge_route route : {FREERIDGE_ROUTE_SPECTRAL, FREERIDGE_ROUTE_LANDMARK})
    all.push_back({Explain::name, "route" + std::to_string(route), true, [=] {
                     auto model = std::make_shared<Model>(model_on(route, State::fitted));
                     auto call = std::make_shared<Explain>();
                     call->model = model->get();
                     Trial trial = trial_of(call, model, [model] { return bytes_of(fingerprint(model->get())); });
                     trial.answer = [call] {
                       const bool untouched = call->text.untouched() && call->length.untouched();
                       take_outputs(*call);
                       return Bytes(untouched ? 0 : 1);
                     };
                     return trial;
                   }});
  add_plain<MakeFolds>(all);
  add_plain<ParameterBounds>(all);
  add_plain<MakeHoldout>(all);
  add_plain<MakeBlocks>(all);
  add_plain<ConvertLambda>(all);
}

}  // namespace faults
