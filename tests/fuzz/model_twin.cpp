#include "fuzz/model_twin.hpp"

#include <algorithm>

namespace fuzz {

namespace {

// The rows of Settings::Data.
std::int64_t hand_out(std::int64_t first, std::int64_t count, double* x, double* y, double* weights, void* user) {
  const auto& data = *static_cast<const Settings::Data*>(user);
  const std::int64_t got = std::max<std::int64_t>(std::min(count, data.n - first), 0);
  if (data.fails_at >= 0 && first + got > data.fails_at) return -1;
  std::copy_n(data.x.data() + first * data.d, got * data.d, x);
  std::copy_n(data.y.data() + first * data.t, got * data.t, y);
  if (!data.weights.empty()) std::copy_n(data.weights.data() + first, got, weights);
  return got;
}

}  // namespace

freeridge_status give(freeridge_model* model, const Settings::Data& data) {
  if (data.read) {
    auto* const user = const_cast<Settings::Data*>(&data);
    return freeridge_set_points(model, support::at(FREERIDGE_ROW_MAJOR, data.n, data.d, hand_out, user), 0,
                                FREERIDGE_ROW_MAJOR, data.t, nullptr, 0);
  }
  if (!data.sparse && !data.borrowed)
    return freeridge_set_data(model, data.layout, data.n, data.d, data.x.data(), data.ldx, data.t, data.y.data(),
                              data.ldy);
  const support::Points points =
      data.sparse ? support::at(*data.sparse) : support::at(data.layout, data.n, data.d, data.x.data(), data.ldx);
  return freeridge_set_points(model, points, data.borrowed ? 1 : 0, data.layout, data.t, data.y.data(), data.ldy);
}

freeridge_status give_unpenalised(freeridge_model* model, const Settings::Data& data,
                                  const std::vector<double>& fixed) {
  const support::Points points = support::no_points(data.n, data.d);
  const auto q = static_cast<std::int64_t>(fixed.size()) / data.n;
  return freeridge_set_points(model, support::with(points, q, or_null(fixed)), 0, FREERIDGE_COL_MAJOR, 0, nullptr, 0);
}

namespace {

void must(freeridge_status status, const char* what) {
  if (status != FREERIDGE_OK)
    wrong(std::string("a fresh model, told the same, answers ") + freeridge_status_name(status) + " to " + what + ": " +
          freeridge_last_error());
}

}  // namespace

ModelHandle fresh(const Settings& told) {
  Caller call;
  const KernelHandle kernel = parsed(told.kernel.c_str(), call);
  freeridge_model* made = nullptr;
  must(freeridge_create(kernel.get(), &made), "create");
  ModelHandle out(made);
  must(freeridge_set_parameter(made, FREERIDGE_REDUCTION, told.reduction), "REDUCTION");
  must(freeridge_set_parameter(made, FREERIDGE_LANDMARK_METHOD, told.method), "LANDMARK_METHOD");
  must(freeridge_set_parameter(made, FREERIDGE_LANDMARK_SEED, static_cast<double>(told.seed)), "LANDMARK_SEED");
  must(freeridge_set_parameter(made, FREERIDGE_ROUTE, told.route), "ROUTE");
  must(freeridge_set_parameter(made, FREERIDGE_INTERCEPT, told.intercept), "INTERCEPT");
  must(freeridge_set_parameter(made, FREERIDGE_REFINEMENT, told.refinement), "REFINEMENT");
  if (!told.data) return out;
  const auto set_refinement = [&](std::int32_t steps) {
    must(freeridge_set_parameter(made, FREERIDGE_REFINEMENT, steps), "REFINEMENT");
  };
  // n labels for each division
  const auto set_groups = [&](const std::vector<std::int32_t>& groups, const std::vector<std::int32_t>& gaps) {
    const auto labels = static_cast<std::int64_t>(groups.size());
    must(freeridge_set_groups(made, labels / told.data->n, or_null(groups), gaps.empty() ? 0 : 1, or_null(gaps)),
         "set_groups");
  };
  must(freeridge_set_parameter(made, FREERIDGE_MISSING, told.data->missing ? 1 : 0), "MISSING");
  must(give(made, *told.data), "set_data");
  must(freeridge_set_parameter(made, FREERIDGE_MISSING, told.missing), "MISSING");
  if (!told.read()) {
    must(freeridge_set_weights(made, or_null(told.weights)), "set_weights");
    must(give_unpenalised(made, *told.data, told.fixed), "set_points");
  }
  if (told.read())
    must(freeridge_set_parameter(made, FREERIDGE_UNPENALISED, static_cast<double>(told.unpenalised)), "UNPENALISED");
  must(freeridge_set_landmarks(made, told.landmarks, or_null(told.landmark_rows)), "set_landmarks");
  if (told.factorized) {
    must(freeridge_set_parameter(made, FREERIDGE_EXPECTED_LAMBDAS,
                                 static_cast<double>(told.factorized->expected_lambdas)),
         "set_expected_lambdas");
    must(freeridge_set_parameter(made, FREERIDGE_EXPECTED_CRITERION, told.factorized->expected_criterion),
         "EXPECTED_CRITERION");
    must(freeridge_factorize(made), "factorize");
  }
  if (told.searched) {
    std::vector<double> lambda(size_of(told.data->t)), score(size_of(told.data->t));
    set_groups(told.searched->groups, told.searched->gaps);
    set_refinement(told.searched->refinement);
    must(freeridge_select_lambda(made, told.searched->criterion, told.searched->low, told.searched->high, lambda.data(),
                                 score.data()),
         "select_lambda");
  }
  if (told.fitted) {
    set_refinement(told.fitted->refinement);
    must(freeridge_set_lambdas(made, told.fitted->lambdas.data()), "set_lambdas");
  }
  set_refinement(told.refinement);
  set_groups(told.groups, told.gaps);
  return out;
}

}  // namespace fuzz
