// The C layer, parameters by number: one table says what each is, its bounds and which handles have it.
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "capi/accumulators.hpp"
#include "capi/handles.hpp"

namespace freeridge::capi {
namespace {

constexpr double largest_whole = 9007199254740992;  // 2^53: every whole number up to here is a double
constexpr double smallest = std::numeric_limits<double>::min();
constexpr double below_one = 1 - std::numeric_limits<double>::epsilon() / 2;
constexpr double sizes = static_cast<double>(largest_size);

enum Handles : unsigned { models = 1, classifiers = 2, accumulators = 4 };

struct Parameter {
  freeridge_parameter number;
  const char* name;
  double low, high, usual;
  bool whole;
  unsigned handles;  // which handles have it
};

constexpr double most_devices = 1024;
static_assert(FREERIDGE_DEVICE_HOST == host_device && FREERIDGE_DEVICE_CPU == no_device &&
              FREERIDGE_DEVICE_CUDA == first_cuda);

constexpr std::array<Parameter, 19> table{{
    {FREERIDGE_MISSING, "MISSING", 0, 1, 0, true, models},
    {FREERIDGE_INTERCEPT, "INTERCEPT", 0, 2, FREERIDGE_INTERCEPT_FREE, true, models | classifiers | accumulators},
    {FREERIDGE_ROUTE, "ROUTE", 0, FREERIDGE_ROUTE_ITERATIVE, FREERIDGE_ROUTE_AUTO, true, models},
    {FREERIDGE_EXPECTED_LAMBDAS, "EXPECTED_LAMBDAS", 1, sizes, 100, true, models},
    {FREERIDGE_EXPECTED_CRITERION, "EXPECTED_CRITERION", 1, FREERIDGE_LOG_LOSS, FREERIDGE_LOO, true, models},
    {FREERIDGE_MEMORY_LIMIT, "MEMORY_LIMIT", 0, largest_whole, 0, true, models},
    {FREERIDGE_LANDMARK_METHOD, "LANDMARK_METHOD", 0, FREERIDGE_LANDMARKS_PIVOTED, FREERIDGE_LANDMARKS_AUTO, true,
     models},
    {FREERIDGE_LANDMARK_SEED, "LANDMARK_SEED", -largest_whole, largest_whole, 0, true, models},
    {FREERIDGE_REDUCTION, "REDUCTION", 0, FREERIDGE_REDUCTION_GRAM, FREERIDGE_REDUCTION_AUTO, true, models},
    {FREERIDGE_REFINEMENT, "REFINEMENT", 0, 100, 0, true, models},
    {FREERIDGE_ACCURACY, "ACCURACY", smallest, below_one, usual_accuracy, false, models},
    {FREERIDGE_UNPENALISED, "UNPENALISED", 0, sizes, 0, true, models | accumulators},
    {FREERIDGE_TOLERANCE, "TOLERANCE", smallest, std::numeric_limits<double>::max(), usual_tolerance, false,
     classifiers},
    {FREERIDGE_ITERATIONS, "ITERATIONS", 0, largest_whole, 0, true, classifiers},
    {FREERIDGE_LOSS, "LOSS", FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE, FREERIDGE_LOSS_LOGISTIC, true, classifiers},
    {FREERIDGE_DEVICE, "DEVICE", FREERIDGE_DEVICE_HOST, most_devices, FREERIDGE_DEVICE_CPU, true, models},
    {FREERIDGE_SMOOTHNESS, "SMOOTHNESS", 0, 1, 0, true, models},
    {FREERIDGE_SIGMA2, "SIGMA2", 0, 1e300, 0, false, models},
    {FREERIDGE_KEPT_SQUARES, "KEPT_SQUARES", smallest, 1, 1, false, models},
}};

const Parameter& known(freeridge_parameter which) {
  for (const Parameter& it : table)
    if (it.number == which) return it;
  fail(Status::invalid_argument, "parameter is ", which, ", which is no known value");
}

// The parameter, which handles of this kind have; kind: "a model".
const Parameter& parameter_of(Handles handles, const char* kind, freeridge_parameter which) {
  const Parameter& it = known(which);
  if ((it.handles & handles) == 0)
    fail(Status::invalid_argument, "parameter is ", it.name, ", which ", kind, " has not");
  return it;
}

const Parameter& checked(Handles handles, const char* kind, freeridge_parameter which, double value) {
  const Parameter& it = parameter_of(handles, kind, which);
  if (!std::isfinite(value)) fail(Status::not_finite, "the value of ", it.name, " is ", value, "; it must be finite");
  const bool fits = value >= it.low && value <= it.high && (!it.whole || value == std::trunc(value));
  if (!fits)
    fail(Status::invalid_argument, "the value of ", it.name, " is ", value, "; it must be ",
         it.whole ? "a whole number " : "", "from ", it.low, " to ", it.high);
  return it;
}

void set(freeridge_model& handle, freeridge_parameter which, double value) {
  Model& m = handle.model;
  const auto whole = static_cast<std::int64_t>(value);
  switch (which) {
    case FREERIDGE_MISSING:
      return m.set_missing(whole != 0);
    case FREERIDGE_EXPECTED_LAMBDAS:
      return m.set_expected_lambdas(whole);
    case FREERIDGE_EXPECTED_CRITERION:
      return m.set_expected_criterion(static_cast<Criterion>(whole));
    case FREERIDGE_MEMORY_LIMIT:
      return m.set_memory_limit(whole);
    case FREERIDGE_REFINEMENT:
      return m.set_refinement(whole);
    case FREERIDGE_SMOOTHNESS:
      return m.set_smoothness(whole != 0);
    case FREERIDGE_INTERCEPT:
      m.set_intercept(static_cast<Offset>(whole));
      break;
    case FREERIDGE_ROUTE:
      m.set_route(static_cast<Route>(whole));
      break;
    case FREERIDGE_LANDMARK_METHOD:
      m.set_landmark_method(static_cast<LandmarkMethod>(whole), m.landmark_seed());
      break;
    case FREERIDGE_LANDMARK_SEED:
      m.set_landmark_method(m.landmark_method(), whole);
      break;
    case FREERIDGE_REDUCTION:
      m.set_reduction(static_cast<Reduction>(whole));
      break;
    case FREERIDGE_ACCURACY:
      m.set_accuracy(value);
      break;
    case FREERIDGE_DEVICE:
      m.set_device(whole);
      break;
    case FREERIDGE_SIGMA2:
      m.set_known_sigma2(value);
      break;
    case FREERIDGE_KEPT_SQUARES:
      m.set_kept_squares(value);
      break;
    case FREERIDGE_UNPENALISED:
    default:
      if (!handle.reader)
        fail(Status::invalid_state,
             "the model has no reader; with its rows in memory the columns without a penalty are those of "
             "freeridge_points");
      handle.reader->set_unpenalised(whole);
  }
  if (handle.reader) handle.reader->forget();
}

double get(const freeridge_model& handle, freeridge_parameter which) {
  const Model& m = handle.model;
  switch (which) {
    case FREERIDGE_MISSING:
      return m.missing_allowed() ? 1 : 0;
    case FREERIDGE_EXPECTED_LAMBDAS:
      return static_cast<double>(m.expected_lambdas());
    case FREERIDGE_EXPECTED_CRITERION:
      return static_cast<double>(m.expected_criterion());
    case FREERIDGE_MEMORY_LIMIT:
      return static_cast<double>(m.memory_limit());
    case FREERIDGE_REFINEMENT:
      return static_cast<double>(m.refinement());
    case FREERIDGE_INTERCEPT:
      return static_cast<double>(m.offset());
    case FREERIDGE_ROUTE:
      return static_cast<double>(m.requested_route());
    case FREERIDGE_LANDMARK_METHOD:
      return static_cast<double>(m.landmark_method());
    case FREERIDGE_LANDMARK_SEED:
      return static_cast<double>(m.landmark_seed());
    case FREERIDGE_REDUCTION:
      return static_cast<double>(m.reduction());
    case FREERIDGE_ACCURACY:
      return m.requested_accuracy();
    case FREERIDGE_DEVICE:
      return static_cast<double>(m.device());
    case FREERIDGE_SMOOTHNESS:
      return m.smoothness() ? 1 : 0;
    case FREERIDGE_SIGMA2:
      return m.known_sigma2();
    case FREERIDGE_KEPT_SQUARES:
      return m.kept_squares();
    case FREERIDGE_UNPENALISED:
    default:
      return handle.reader ? static_cast<double>(handle.reader->unpenalised()) : 0;
  }
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_parameter_bounds(freeridge_parameter parameter, double* low, double* high, double* usual,
                                            int32_t* whole) {
  return guarded(__func__, [&] {
    const Parameter& it = known(parameter);
    if (low != nullptr) *low = it.low;
    if (high != nullptr) *high = it.high;
    if (usual != nullptr) *usual = it.usual;
    if (whole != nullptr) *whole = it.whole ? 1 : 0;
  });
}

freeridge_status freeridge_set_parameter(freeridge_model* model, freeridge_parameter parameter, double value) {
  return guarded(__func__, [&] {
    settings_of(model);
    set(*model, checked(models, "a model", parameter, value).number, value);
  });
}

freeridge_status freeridge_get_parameter(const freeridge_model* model, freeridge_parameter parameter, double* value) {
  return guarded(__func__, [&] {
    const Parameter& it = parameter_of(models, "a model", parameter);
    const ReducedModel* const sums = required("model", model).reduced.get();
    double found = 0;
    if (sums != nullptr && it.number == FREERIDGE_UNPENALISED) {
      found = static_cast<double>(sums->unpenalised());
    } else if (sums != nullptr && it.number == FREERIDGE_INTERCEPT) {
      found = sums->intercept() ? FREERIDGE_INTERCEPT_FREE : FREERIDGE_INTERCEPT_NONE;
    } else {
      settings_of(model);
      found = get(*model, it.number);
    }
    required("value", value) = found;
  });
}

freeridge_status freeridge_classifier_set_parameter(freeridge_classifier* classifier, freeridge_parameter parameter,
                                                    double value) {
  return guarded(__func__, [&] {
    Classifier& c = classifier_of(classifier);
    const auto whole = static_cast<std::int64_t>(value);
    switch (checked(classifiers, "a classifier", parameter, value).number) {
      case FREERIDGE_INTERCEPT:
        return c.set_intercept(static_cast<Offset>(whole));
      case FREERIDGE_TOLERANCE:
        return c.set_tolerance(value);
      case FREERIDGE_ITERATIONS:
        return c.set_iterations(whole);
      default:
        fail(Status::invalid_argument, "LOSS is what freeridge_classifier_create was told, and does not change");
    }
  });
}

freeridge_status freeridge_classifier_get_parameter(const freeridge_classifier* classifier,
                                                    freeridge_parameter parameter, double* value) {
  return guarded(__func__, [&] {
    const Classifier& c = classifier_of(classifier);
    const Parameter& it = parameter_of(classifiers, "a classifier", parameter);
    double& to = required("value", value);
    switch (it.number) {
      case FREERIDGE_INTERCEPT:
        to = static_cast<double>(c.offset());
        break;
      case FREERIDGE_TOLERANCE:
        to = c.tolerance();
        break;
      case FREERIDGE_ITERATIONS:
        to = static_cast<double>(c.iterations());
        break;
      default:
        to = static_cast<double>(c.loss());
    }
  });
}

freeridge_status freeridge_accumulator_set_parameter(freeridge_accumulator* accumulator, freeridge_parameter parameter,
                                                     double value) {
  return guarded(__func__, [&] {
    Accumulator& a = accumulator_of(accumulator);
    switch (checked(accumulators, "an accumulator", parameter, value).number) {
      case FREERIDGE_UNPENALISED:
        return a.set_unpenalised(static_cast<std::int64_t>(value));
      default:
        fail(Status::invalid_argument, "INTERCEPT is what the accumulator was made with, and does not change");
    }
  });
}

freeridge_status freeridge_accumulator_get_parameter(const freeridge_accumulator* accumulator,
                                                     freeridge_parameter parameter, double* value) {
  return guarded(__func__, [&] {
    const Accumulator& a = accumulator_of(accumulator);
    const Parameter& it = parameter_of(accumulators, "an accumulator", parameter);
    double& to = required("value", value);
    to = it.number == FREERIDGE_UNPENALISED ? static_cast<double>(a.features().unpenalised())
                                            : (a.rows().intercept() ? 1 : 0);
  });
}
