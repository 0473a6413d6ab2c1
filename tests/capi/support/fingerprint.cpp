#include "capi/support/fingerprint.hpp"

#include "capi/support/answer_calls.hpp"
#include "capi/support/fixed_calls.hpp"
#include "capi/support/landmark_calls.hpp"
#include "capi/support/matrix_calls.hpp"
#include "capi/support/selection_calls.hpp"
#include "capi/support/setting_calls.hpp"

namespace {

// The calls that take a const model are declared here with one that is not, as tests spoil both kinds alike.
template <class Call>
Call call_on(const freeridge_model* model) {
  Call call;
  call.model = const_cast<freeridge_model*>(model);
  return call;
}

// With as many points as the call reads, whatever the model's d is.
template <class Call>
Call call_with_points(const freeridge_model* model) {
  Call call = call_on<Call>(model);
  int64_t n = 0, d = 0, t = 0;
  if (freeridge_get_dimensions(model, &n, &d, &t) == FREERIDGE_OK) {
    const auto widen = [&](std::vector<double>& x) {
      const std::vector<double> points = x;
      for (std::size_t k = points.size(); k < sample::size(sample::m, d); ++k) x.push_back(points[k % points.size()]);
    };
    if constexpr (requires { call.points; }) {
      widen(call.points.x.values);
      call.points.fields.d = d;
    } else {
      widen(call.x.values);
    }
    if constexpr (requires { call.others; }) {
      widen(call.others.x.values);
      call.others.fields.d = d;
    }
    if constexpr (requires { call.gradient; }) call.gradient = Output<double>(sample::size(sample::m, d * t));
  }
  return call;
}

Answer answer_of(const std::string& name, AnyCall& call) {
  Answer answer{name, call(), {}};
  call.each_output([&](const AnyOutput& output) {
    const std::vector<unsigned char> bytes = output.bytes();
    answer.bytes.insert(answer.bytes.end(), bytes.begin(), bytes.end());
  });
  return answer;
}

template <class Call>
void ask(Fingerprint& answers, Call call, const std::string& about = "") {
  answers.push_back(answer_of(Call::name + about, call));
}

// With room for the hyperparameters of the model's kernel.
ScoreGradient gradient_of(const freeridge_model* model) {
  ScoreGradient call = call_on<ScoreGradient>(model);
  freeridge_kernel* kernel = nullptr;
  int64_t count = 0;
  if (freeridge_get_kernel(model, &kernel) == FREERIDGE_OK)
    freeridge_kernel_get_hyperparameters(kernel, &count, nullptr);
  freeridge_kernel_destroy(kernel);
  call.by_log_hyperparameters = Output<double>(static_cast<std::size_t>(std::max<int64_t>(count, 1)));
  return call;
}

// A model of other sizes has no unpenalised columns.
void ask_about_unpenalised(Fingerprint& answers, const freeridge_model* model) {
  int64_t q = 0;
  if (freeridge_get_unpenalised(model, &q, nullptr, nullptr, nullptr, 0) != FREERIDGE_OK || q != sample::q) return;
  ask(answers, call_on<GetUnpenalised>(model));
  ask(answers, call_on<GetUnpenalisedCovariance>(model));
  ask(answers, call_on<VarianceComponents>(model));
  ask(answers, call_on<PredictFixed>(model));
  ask(answers, call_on<PredictPathFixed>(model));
  ask(answers, call_on<PredictJackknifeFixed>(model));
  ask(answers, call_on<PredictVarianceFixed>(model));
}

}  // namespace

Fingerprint fingerprint(const freeridge_model* model) {
  Fingerprint answers;
  ask(answers, call_on<GetDimensions>(model));
  ask(answers, call_on<GetBandwidth>(model));
  ask(answers, call_on<MemoryRequired>(model));
  ask(answers, call_on<GetRoute>(model));
  ask(answers, call_on<LambdaGrid>(model));
  for (freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS}) {
    Score score = call_on<Score>(model);
    score.criterion = criterion;
    score.errors.null = criterion == FREERIDGE_GCV || criterion == FREERIDGE_REML;
    ask(answers, std::move(score), " of criterion " + std::to_string(criterion));
  }
  ask(answers, gradient_of(model));
  ask(answers, call_on<Objective>(model));
  ask(answers, call_on<GetSearch>(model));
  ask(answers, call_on<GetKernelSearch>(model));
  ask(answers, call_on<GetOneStandardError>(model));
  ask(answers, call_on<LambdaFlags>(model));
  ask(answers, call_on<GetLambda>(model));
  ask(answers, call_on<Loo>(model));
  ask(answers, call_on<GroupErrors>(model));
  ask(answers, call_on<GroupErrorsWithGaps>(model), " with gaps");
  ask(answers, call_with_points<Predict>(model));
  ask(answers, call_on<Coefficients>(model));
  ask(answers, call_on<Hyperplane>(model));
  ask(answers, call_on<Intercept>(model), ": b");
  ask(answers, call_on<GetFitted>(model));
  ask(answers, call_on<GetLeverage>(model));
  ask(answers, call_on<GetLandmarks>(model));
  ask(answers, call_on<LandmarkTrace>(model));
  ask(answers, call_on<GetWeights>(model));
  ask(answers, call_on<GetGroups>(model));
  for (freeridge_parameter which = FREERIDGE_MISSING; which <= FREERIDGE_UNPENALISED; ++which) {
    GetParameter get = call_on<GetParameter>(model);
    get.parameter = which;
    ask(answers, std::move(get), " " + std::to_string(which));
  }
  ask_about_unpenalised(answers, model);
  ask(answers, call_on<GetRequestedLandmarks>(model));
  ask(answers, call_on<GetAccuracy>(model));
  ask(answers, call_on<EstimateScore>(model));
  ask(answers, call_with_points<PredictPath>(model));
  ask(answers, call_on<CoefficientsPath>(model), " at lambdas");
  ask(answers, call_on<HyperplanePath>(model), " at lambdas");
  ask(answers, call_on<GetRank>(model));
  ask(answers, call_on<GetTolerance>(model));
  ask(answers, call_on<DegreesOfFreedom>(model));
  ask(answers, call_on<CooksDistance>(model));
  ask(answers, call_on<Influence>(model));
  ask(answers, call_on<ScoreTest>(model));
  ask(answers, call_on<Eigenvalues>(model));
  ask(answers, call_on<ConditionNumber>(model));
  ask(answers, call_on<HatMatrix>(model));
  ask(answers, call_with_points<PredictJackknife>(model));
  ask(answers, call_with_points<PredictLeftOut>(model));
  ask(answers, call_with_points<PredictVariance>(model));
  ask(answers, call_on<CoefficientCovariance>(model));
  ask(answers, call_on<CoefficientErrors>(model));
  ask(answers, call_with_points<PredictGradient>(model));
  ask(answers, call_with_points<AverageGradient>(model));
  ask(answers, call_with_points<PredictCombinations>(model));
  return answers;
}

std::string difference(const Fingerprint& before, const Fingerprint& after) {
  std::string text;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].status != after[i].status) {
      text += before[i].call + ": " + freeridge_status_name(before[i].status) + " before, " +
              freeridge_status_name(after[i].status) + " after\n";
    } else if (before[i].bytes != after[i].bytes) {
      text += before[i].call + ": other numbers than before\n";
    }
  }
  return text;
}
