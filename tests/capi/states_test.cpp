// The four states: what each call answers in each of them, and the state that it leaves.
#include <functional>
#include <memory>
#include <set>

#include "capi/support/answer_calls.hpp"
#include "capi/support/fixed_calls.hpp"
#include "capi/support/landmark_calls.hpp"
#include "capi/support/matrix_calls.hpp"
#include "capi/support/refusals.hpp"
#include "capi/support/saved_calls.hpp"
#include "capi/support/selection_calls.hpp"
#include "capi/support/setting_calls.hpp"

namespace states_test {

using sample::State;

const char* name_of(State state) {
  constexpr const char* names[] = {"EMPTY", "DATA", "FACTORIZED", "FITTED"};
  return names[static_cast<int>(state)];
}

// The call that is missing in a state before any later one can be reached.
const char* missing_in(State state) {
  switch (state) {
    case State::empty:
      return "freeridge_set_data";
    case State::data:
      return "freeridge_factorize";
    default:
      return "freeridge_set_lambda";
  }
}

enum class Leaves { the_same, new_data, data, factorized, fitted };

State left_by(Leaves leaves, State state) {
  switch (leaves) {
    case Leaves::the_same:
      return state;
    case Leaves::new_data:
      return State::data;
    case Leaves::data:
      return state == State::empty ? State::empty : State::data;  // few calls make data
    case Leaves::factorized:
      return State::factorized;
    default:
      return State::fitted;
  }
}

struct Rule {
  CallKind kind;
  State least;
  Leaves leaves;
};

template <class Call>
Rule rule(State least, Leaves leaves) {
  return {kind_of<Call>(), least, leaves};
}

std::unique_ptr<AnyCall> call_on(const CallKind& kind, freeridge_model* model) {
  std::unique_ptr<AnyCall> call = kind.make();
  *slot(kind, *call, "model").pointer = model;
  return call;
}

// Makes the call on the model; a refusal is checked to say which call is missing.
void check(const CallKind& kind, freeridge_model* model, bool allowed, const char* missing) {
  const std::unique_ptr<AnyCall> call = call_on(kind, model);
  if (!allowed) {
    expect_failure_of(*call, kind.name, FREERIDGE_INVALID_STATE, {missing});
    return;
  }
  OutputCapture capture;
  const freeridge_status status = (*call)();
  EXPECT_EQ(capture.end(), "");
  EXPECT_EQ(status, FREERIDGE_OK) << freeridge_last_error();
  call->each_output([](const AnyOutput& output) { EXPECT_TRUE(output.guard_untouched()); });
  destroy_outputs(*call);
}

// With the k-th output NULL; OK when there are fewer.
freeridge_status without_output(const CallKind& kind, freeridge_model* model, int k) {
  const std::unique_ptr<AnyCall> call = call_on(kind, model);
  int outputs = 0;
  call->each_output([&](AnyOutput& output) {
    if (outputs++ == k) output.null = true;
  });
  return k < outputs ? (*call)() : FREERIDGE_OK;
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      rule<SetKernel>(State::empty, Leaves::data),
      rule<SetReader>(State::empty, Leaves::new_data),
      rule<SetWeights>(State::data, Leaves::data),
      rule<SetPoints>(State::empty, Leaves::new_data),
      rule<Told<FREERIDGE_MISSING, 1>>(State::empty, Leaves::the_same),
      rule<Told<FREERIDGE_INTERCEPT, FREERIDGE_INTERCEPT_FREE>>(State::empty, Leaves::data),
      rule<Told<FREERIDGE_ROUTE, FREERIDGE_ROUTE_SPECTRAL>>(State::empty, Leaves::data),
      rule<Told<FREERIDGE_EXPECTED_LAMBDAS, 10>>(State::empty, Leaves::the_same),
      rule<Told<FREERIDGE_EXPECTED_CRITERION, FREERIDGE_GCV>>(State::empty, Leaves::the_same),
      rule<Told<FREERIDGE_MEMORY_LIMIT, int64_t{1} << 30>>(State::empty, Leaves::the_same),
      rule<Told<FREERIDGE_LANDMARK_METHOD, FREERIDGE_LANDMARKS_KMEANS>>(State::empty, Leaves::data),
      rule<Told<FREERIDGE_LANDMARK_SEED, 7>>(State::empty, Leaves::data),
      rule<Told<FREERIDGE_REDUCTION, FREERIDGE_REDUCTION_GRAM>>(State::empty, Leaves::data),
      rule<Told<FREERIDGE_REFINEMENT, 2>>(State::empty, Leaves::the_same),
      rule<SetAccuracy>(State::empty, Leaves::data),
      rule<GetParameter>(State::empty, Leaves::the_same),
      rule<SetGroups>(State::data, Leaves::the_same),
      rule<SetLandmarks>(State::data, Leaves::data),
      rule<SetProgress>(State::empty, Leaves::the_same),
      rule<MemoryRequired>(State::data, Leaves::the_same),
      rule<Explain>(State::data, Leaves::the_same),
      rule<Factorize>(State::data, Leaves::factorized),
      rule<SetLambda>(State::factorized, Leaves::fitted),
      rule<SetLambdas>(State::factorized, Leaves::fitted),
      rule<Loo>(State::fitted, Leaves::the_same),
      rule<LooLearnt>(State::fitted, Leaves::the_same),
      rule<GroupErrors>(State::fitted, Leaves::the_same),
      rule<GroupErrorsWithGaps>(State::fitted, Leaves::the_same),
      rule<Predict>(State::fitted, Leaves::the_same),
      rule<PredictPoints>(State::fitted, Leaves::the_same),
      rule<PredictSparse>(State::fitted, Leaves::the_same),
      rule<Coefficients>(State::fitted, Leaves::the_same),
      rule<Intercept>(State::fitted, Leaves::the_same),
      rule<GetFitted>(State::fitted, Leaves::the_same),
      rule<GetLeverage>(State::fitted, Leaves::the_same),
      rule<DegreesOfFreedom>(State::fitted, Leaves::the_same),
      rule<CooksDistance>(State::fitted, Leaves::the_same),
      rule<Influence>(State::fitted, Leaves::the_same),
      rule<ScoreTest>(State::fitted, Leaves::the_same),
      rule<PredictJackknife>(State::fitted, Leaves::the_same),
      rule<PredictVariance>(State::fitted, Leaves::the_same),
      rule<PredictCovariance>(State::fitted, Leaves::the_same),
      rule<PredictLeftOut>(State::fitted, Leaves::the_same),
      rule<PredictGradient>(State::fitted, Leaves::the_same),
      rule<AverageGradient>(State::fitted, Leaves::the_same),
      rule<PredictCombinations>(State::fitted, Leaves::the_same),
      rule<GetLambda>(State::fitted, Leaves::the_same),
      rule<GetRoute>(State::factorized, Leaves::the_same),
      rule<GetDimensions>(State::data, Leaves::the_same),
      rule<GetBandwidth>(State::empty, Leaves::the_same),
      rule<GetLandmarks>(State::factorized, Leaves::the_same),
      rule<GetRank>(State::factorized, Leaves::the_same),
      rule<GetTolerance>(State::factorized, Leaves::the_same),
      rule<LambdaGrid>(State::factorized, Leaves::the_same),
      rule<Score>(State::factorized, Leaves::the_same),
      rule<EstimateScore>(State::factorized, Leaves::the_same),
      rule<ScoreGradient>(State::data, Leaves::the_same),
      rule<Objective>(State::factorized, Leaves::the_same),
      rule<Eigenvalues>(State::factorized, Leaves::the_same),
      rule<ConditionNumber>(State::factorized, Leaves::the_same),
      rule<HatMatrix>(State::factorized, Leaves::the_same),
      rule<SelectLambda>(State::factorized, Leaves::fitted),
      rule<Batch>(State::empty, Leaves::the_same),
      rule<SelectBandwidth>(State::data, Leaves::fitted),
      rule<SelectKernel>(State::data, Leaves::fitted),
      rule<PredictPath>(State::factorized, Leaves::the_same),
      rule<CoefficientsPath>(State::factorized, Leaves::the_same),
      rule<Clone>(State::empty, Leaves::the_same),
      rule<GetKernel>(State::empty, Leaves::the_same),
      rule<GetWeights>(State::data, Leaves::the_same),
      rule<GetGroups>(State::data, Leaves::the_same),
      rule<GetRequestedLandmarks>(State::data, Leaves::the_same),
      rule<Save>(State::empty, Leaves::the_same),
      rule<SavePredictor>(State::fitted, Leaves::the_same),
      rule<SaveToMemory>(State::empty, Leaves::the_same),
      rule<SavePredictorToMemory>(State::fitted, Leaves::the_same),
  };
  return all;
}

void expect_rules_hold_in(State state) {
  for (const Rule& rule : rules()) {
    SCOPED_TRACE(std::string(rule.kind.name) + " in " + name_of(state));
    Model model = sample::model(state);
    ASSERT_EQ(name_of(sample::state_of(model.get())), name_of(state));
    const bool allowed = state >= rule.least;
    const Fingerprint before = fingerprint(model.get());
    check(rule.kind, model.get(), allowed, missing_in(state));
    const State expected = allowed ? left_by(rule.leaves, state) : state;
    EXPECT_STREQ(name_of(sample::state_of(model.get())), name_of(expected));
    if (!allowed) {
      EXPECT_EQ(difference(before, fingerprint(model.get())), "");
    }
  }
}

TEST(ContractStates, Empty) {
  expect_rules_hold_in(State::empty);
}
TEST(ContractStates, Data) {
  expect_rules_hold_in(State::data);
}
TEST(ContractStates, Factorized) {
  expect_rules_hold_in(State::factorized);
}
TEST(ContractStates, Fitted) {
  expect_rules_hold_in(State::fitted);
}

// What is wrong with the arguments themselves is said before the state is asked for.
TEST(ContractStates, NullIsRefusedBeforeTheState) {
  int refused = 0;
  for (const Rule& rule : rules())
    for (int k = 0; k < 4; ++k) {
      SCOPED_TRACE(std::string(rule.kind.name) + ", output " + std::to_string(k));
      const Model empty = sample::model(State::empty), fitted = sample::model(State::fitted);
      if (without_output(rule.kind, fitted.get(), k) != FREERIDGE_INVALID_ARGUMENT) continue;  // NULL is fine there
      ++refused;
      EXPECT_EQ(without_output(rule.kind, empty.get(), k), FREERIDGE_INVALID_ARGUMENT) << freeridge_last_error();
    }
  EXPECT_GT(refused, 30);
  const Model empty = sample::model(State::empty);
  EXPECT_EQ(freeridge_save(empty.get(), FREERIDGE_SAVE_PREDICTOR, nullptr), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_save(empty.get(), FREERIDGE_SAVE_PREDICTOR, ""), FREERIDGE_INVALID_ARGUMENT);
  GroupErrors groups;
  groups.model = empty.get();
  groups.group.null = true;
  EXPECT_EQ(groups(), FREERIDGE_INVALID_ARGUMENT);
}

TEST(ContractStates, SetDataStartsAgainFromAnyState) {
  for (State state : {State::empty, State::data, State::factorized, State::fitted}) {
    SCOPED_TRACE(name_of(state));
    Model model = sample::model(state);
    SetData copy;
    copy.model = model.get();
    ASSERT_EQ(copy(), FREERIDGE_OK) << freeridge_last_error();
    EXPECT_STREQ(name_of(sample::state_of(model.get())), "DATA");
    Model other = sample::model(state);
    SetPointsView view;
    view.model = other.get();
    ASSERT_EQ(view(), FREERIDGE_OK) << freeridge_last_error();
    EXPECT_STREQ(name_of(sample::state_of(other.get())), "DATA");
  }
}

// The hyperplane has its own rule: the kernel must be linear, and then the model FITTED.
TEST(ContractStates, HyperplaneNeedsALinearKernel) {
  for (State state : {State::empty, State::data, State::factorized, State::fitted}) {
    SCOPED_TRACE(name_of(state));
    Hyperplane call, intercept;
    Model gaussian = sample::model(state);
    call.model = intercept.model = gaussian.get();
    intercept.w.null = true;
    expect_failure(call, FREERIDGE_INVALID_STATE, state == State::fitted ? Words{"linear"} : Words{});
    EXPECT_EQ(intercept(), state == State::fitted ? FREERIDGE_OK : FREERIDGE_INVALID_STATE);
    Model linear = sample::model(state, sample::Variant::primal);
    call.model = linear.get();
    if (state == State::fitted) {
      EXPECT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
    } else {
      expect_failure(call, FREERIDGE_INVALID_STATE, {missing_in(state)});
    }
  }
}

template <class Call>
void expect_needs_unpenalised(State least) {
  SCOPED_TRACE(Call::name);
  for (State state : {State::empty, State::data, State::factorized, State::fitted}) {
    SCOPED_TRACE(name_of(state));
    Call call;
    Model none = sample::model(state);
    call.model = none.get();
    expect_failure(call, FREERIDGE_INVALID_STATE, state >= least ? Words{"freeridge_set_points"} : Words{});
    Model with = sample::model(state, sample::Variant::fixed);
    call.model = with.get();
    if (state >= least) {
      EXPECT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
    } else {
      expect_failure(call, FREERIDGE_INVALID_STATE, {missing_in(state)});
    }
  }
}

// With fixed effects predictions need their values at the new points, without they have none.
TEST(ContractStates, PredictionsAndFixedEffects) {
  expect_needs_unpenalised<GetUnpenalised>(State::fitted);
  expect_needs_unpenalised<GetUnpenalisedCovariance>(State::fitted);
  expect_needs_unpenalised<PredictFixed>(State::fitted);
  expect_needs_unpenalised<PredictPathFixed>(State::factorized);
  expect_needs_unpenalised<PredictJackknifeFixed>(State::fitted);
  expect_needs_unpenalised<PredictVarianceFixed>(State::fitted);
  const Model with = sample::model(State::fitted, sample::Variant::fixed);
  const auto expect_refused = [&](auto call) {
    call.model = with.get();
    expect_failure(call, FREERIDGE_INVALID_STATE, {"unpenalised", "freeridge_points"});
  };
  expect_refused(Predict());
  expect_refused(PredictSparse());
  expect_refused(PredictPoints());
  expect_refused(PredictPath());
  expect_refused(PredictJackknife());
  expect_refused(PredictVariance());
}

TEST(ContractStates, VarianceComponentsNeedAFit) {
  for (State state : {State::empty, State::data, State::factorized}) {
    VarianceComponents call;
    Model model = sample::model(state, sample::Variant::fixed);
    call.model = model.get();
    expect_failure(call, FREERIDGE_INVALID_STATE, {missing_in(state)});
  }
  VarianceComponents call;
  Model model = sample::model(State::factorized, sample::Variant::fixed);
  model.lambda(1);
  call.model = model.get();
  const freeridge_status status = call();
  EXPECT_TRUE(status == FREERIDGE_OK || status == FREERIDGE_UNDEFINED) << freeridge_last_error();
}

TEST(ContractStates, ABandwidthNeedsAKernelThatHasOne) {
  for (State state : {State::empty, State::data, State::factorized, State::fitted}) {
    SCOPED_TRACE(name_of(state));
    Model model = sample::model(state, sample::Variant::primal);
    const Fingerprint before = fingerprint(model.get());
    GetBandwidth get;
    SelectBandwidth select;
    get.model = select.model = model.get();
    expect_failure(get, FREERIDGE_INVALID_STATE, {"kernel", "bandwidth"});
    expect_failure(select, FREERIDGE_INVALID_STATE, state == State::empty ? Words{} : Words{"kernel", "bandwidth"});
    EXPECT_EQ(difference(before, fingerprint(model.get())), "");
  }
}

TEST(ContractStates, TheCriterionGroupsNeedsGroups) {
  for (State state : {State::data, State::factorized, State::fitted}) {
    SCOPED_TRACE(name_of(state));
    Model model = sample::model(state);
    model.groups({});
    const Fingerprint before = fingerprint(model.get());
    SelectBandwidth bandwidth;
    bandwidth.model = model.get();
    bandwidth.criterion = FREERIDGE_GROUPS;
    expect_failure(bandwidth, FREERIDGE_INVALID_STATE, {"freeridge_set_groups"});
    SelectKernel kernel;
    kernel.model = model.get();
    kernel.criterion = FREERIDGE_GROUPS;
    expect_failure(kernel, FREERIDGE_INVALID_STATE, {"freeridge_set_groups"});
    if (state != State::data) {
      Score score;
      SelectLambda lambda;
      score.model = lambda.model = model.get();
      score.criterion = lambda.criterion = FREERIDGE_GROUPS;
      expect_failure(score, FREERIDGE_INVALID_STATE, {"freeridge_set_groups"});
      expect_failure(lambda, FREERIDGE_INVALID_STATE, {"freeridge_set_groups"});
    }
    EXPECT_EQ(difference(before, fingerprint(model.get())), "");
  }
}

// What is known of a search is there after it, until the state changes or another one of `ended_by` has been.
struct Search {
  const char* call;
  std::function<void(Model&)> run;
  std::set<std::string> ended_by;
};

// The call tells of the search.
template <class Call>
void expect_there_until_the_state_changes(const Search& search, const std::vector<State>& without) {
  const auto expect_none = [&](const Model& model) {
    Call call;
    call.model = model.get();
    expect_failure(call, FREERIDGE_INVALID_STATE, {search.call});
  };
  for (State state : without) {
    SCOPED_TRACE(name_of(state));
    expect_none(sample::model(state));
  }
  for (const Rule& rule : rules()) {
    SCOPED_TRACE(rule.kind.name);
    Model model = sample::model(State::data);
    search.run(model);
    check(rule.kind, model.get(), true, "");
    const bool again = search.call == std::string(rule.kind.name);
    const bool ends = rule.leaves == Leaves::data || rule.leaves == Leaves::new_data ||
                      rule.leaves == Leaves::factorized || search.ended_by.contains(rule.kind.name);
    if (ends && !again) {
      expect_none(model);
    } else {
      Call call;
      call.model = model.get();
      EXPECT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
    }
  }
}

constexpr State every_state[] = {State::empty, State::data, State::factorized, State::fitted};

// The sample is FITTED by a search for lambda. Another lambda does not end it.
TEST(ContractStates, ASearchIsThereUntilTheStateChanges) {
  const std::vector<State> without = {State::empty, State::data, State::factorized};
  const auto run = [](Model& model) { model.factorize().select_lambda(FREERIDGE_LOO); };
  expect_there_until_the_state_changes<GetSearch>({SelectLambda::name, run, {}}, without);
  for (State state : without) {
    SCOPED_TRACE(name_of(state));
    const Model model = sample::model(state);
    GetOneStandardError rule;
    rule.model = model.get();
    expect_failure(rule, FREERIDGE_INVALID_STATE, {"freeridge_select_lambda"});
  }
}

TEST(ContractStates, AShapeOfTheBandwidthIsThereUntilTheStateChanges) {
  const auto run = [](Model& model) { model.select_bandwidth(FREERIDGE_LOO, 0.5, 5, sample::budget); };
  expect_there_until_the_state_changes<GetBandwidthSearch>({SelectBandwidth::name, run, {SelectKernel::name}},
                                                           {std::begin(every_state), std::end(every_state)});
}

TEST(ContractStates, ASearchForAKernelIsThereUntilTheStateChanges) {
  const auto run = [](Model& model) {
    SelectKernel call;
    call.model = model.get();
    ASSERT_EQ(call(), FREERIDGE_OK) << freeridge_last_error();
  };
  expect_there_until_the_state_changes<GetKernelSearch>({SelectKernel::name, run, {SelectBandwidth::name}},
                                                        {std::begin(every_state), std::end(every_state)});
}

TEST(ContractStates, LearningNeedsHyperparameters) {
  for (State state : {State::empty, State::data, State::factorized, State::fitted}) {
    SCOPED_TRACE(name_of(state));
    Model model = sample::model(state, sample::Variant::primal);
    const Fingerprint before = fingerprint(model.get());
    SelectKernel call;
    call.model = model.get();
    expect_failure(call, FREERIDGE_INVALID_STATE, state == State::empty ? Words{} : Words{"hyperparameters"});
    EXPECT_EQ(difference(before, fingerprint(model.get())), "");
  }
}

}  // namespace states_test
