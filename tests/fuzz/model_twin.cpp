#include "fuzz/model_twin.hpp"

namespace fuzz {

freeridge_status give(freeridge_model* model, const Settings::Data& data) {
  if (!data.sparse)
    return (data.borrowed ? freeridge_set_data_view : freeridge_set_data)(
        model, data.layout, data.n, data.d, data.x.data(), data.ldx, data.t, data.y.data(), data.ldy);
  const support::Sparse& x = *data.sparse;
  return (data.borrowed ? freeridge_set_sparse_view : freeridge_set_sparse)(
      model, x.format, data.n, data.d, x.start.data(), x.index.data(), x.value.data(), data.layout, data.t,
      data.y.data(), data.ldy);
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
  must(freeridge_set_reduction(made, told.reduction), "set_reduction");
  must(freeridge_set_landmark_method(made, told.method, told.seed), "set_landmark_method");
  must(freeridge_set_route(made, told.route), "set_route");
  must(freeridge_set_intercept(made, told.intercept), "set_intercept");
  must(freeridge_set_refinement(made, told.refinement), "set_refinement");
  if (!told.data) return out;
  // n labels for each division
  const auto set_groups = [&](const std::vector<std::int32_t>& groups, const std::vector<std::int32_t>& gaps) {
    const auto labels = static_cast<std::int64_t>(groups.size());
    must(freeridge_set_groups(made, labels / told.data->n, or_null(groups)), "set_groups");
    if (!gaps.empty()) must(freeridge_set_gaps(made, 1, gaps.data()), "set_gaps");
  };
  must(give(made, *told.data), "set_data");
  must(freeridge_set_weights(made, or_null(told.weights)), "set_weights");
  must(freeridge_set_fixed_effects(made, FREERIDGE_COL_MAJOR,
                                   static_cast<std::int64_t>(told.fixed.size()) / told.data->n, or_null(told.fixed),
                                   told.data->n),
       "set_fixed_effects");
  must(freeridge_set_landmarks(made, told.landmarks, or_null(told.landmark_rows)), "set_landmarks");
  if (told.factorized) {
    must(freeridge_set_expected_lambdas(made, told.factorized->expected_lambdas), "set_expected_lambdas");
    must(freeridge_set_expected_criterion(made, told.factorized->expected_criterion), "set_expected_criterion");
    must(freeridge_factorize(made), "factorize");
  }
  if (told.searched) {
    std::vector<double> lambda(size_of(told.data->t)), score(size_of(told.data->t));
    set_groups(told.searched->groups, told.searched->gaps);
    must(freeridge_set_refinement(made, told.searched->refinement), "set_refinement");
    must(freeridge_select_lambda(made, told.searched->criterion, told.searched->low, told.searched->high, lambda.data(),
                                 score.data()),
         "select_lambda");
  }
  if (told.fitted) {
    must(freeridge_set_refinement(made, told.fitted->refinement), "set_refinement");
    must(freeridge_set_lambdas(made, told.fitted->lambdas.data()), "set_lambdas");
  }
  must(freeridge_set_refinement(made, told.refinement), "set_refinement");
  set_groups(told.groups, told.gaps);
  return out;
}

}  // namespace fuzz
