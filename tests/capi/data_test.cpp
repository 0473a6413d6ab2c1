// Data, weights, groups and the other settings: bad arguments, layouts, and who keeps which array.
#include <memory>

#include "capi/support/refusals.hpp"
#include "capi/support/setting_calls.hpp"

namespace data_test {

constexpr int64_t n = sample::n, d = sample::d, t = sample::t;

template <class Call>
void expect_other_d_refused() {
  Model model = sample::model(sample::State::fitted, sample::Variant::cholesky);  // its kernel is scaled
  const Fingerprint before = fingerprint(model.get());
  Call call;
  call.model = model.get();
  *slot(kind_of<Call>(), call, kind_of<Call>().name == std::string("freeridge_set_data") ? "d" : "points.d").int64 = 1;
  expect_failure(call, FREERIDGE_DIMENSION_MISMATCH, {"d", "1", "2"});
  EXPECT_EQ(difference(before, fingerprint(model.get())), "");
}

TEST(ContractData, AScaledKernelRefusesDataOfAnotherD) {
  expect_other_d_refused<SetData>();
  expect_other_d_refused<SetPointsView>();
}

TEST(ContractData, SetGroupsRefusesGroupsWithoutAnyLabel) {
  Model model = sample::model(sample::State::fitted);
  const Fingerprint before = fingerprint(model.get());
  for (int32_t label : {-1, INT32_MIN}) {
    SetGroups call;
    call.model = model.get();
    call.group.values.assign(n, label);
    expect_failure(call, FREERIDGE_INVALID_ARGUMENT, {"group"});
    EXPECT_EQ(difference(before, fingerprint(model.get())), "");
  }
}

TEST(ContractData, ThreeInterceptsAndNoOther) {
  for (int32_t on : {FREERIDGE_INTERCEPT_FREE, FREERIDGE_INTERCEPT_PENALISED, FREERIDGE_INTERCEPT_NONE}) {
    Model model = sample::model_of(Kernel::gaussian(sample::sigma), {0.0, 1.0, 2.0}, {5.0, 6.0, 8.0}, 3);
    ASSERT_EQ(freeridge_set_parameter(model.get(), FREERIDGE_INTERCEPT, on), FREERIDGE_OK) << freeridge_last_error();
    EXPECT_EQ(model.factorize().lambda(1.0).intercepts()[0] != 0.0, on != 0) << "on = " << on;
    for (int32_t other : {-1, 3, 7, INT32_MIN, INT32_MAX})
      EXPECT_EQ(freeridge_set_parameter(model.get(), FREERIDGE_INTERCEPT, other), FREERIDGE_INVALID_ARGUMENT);
  }
}

// The sample with all ones for weights and no groups, at a lambda.
Model plain_model() {
  Model model = sample::model_of(Kernel::gaussian(sample::sigma), sample::x(), sample::y(), n);
  model.factorize().lambda(0.5);
  return model;
}

TEST(ContractData, NullTakesWeightsAndGroupsBack) {
  Model model = sample::model_of(Kernel::gaussian(sample::sigma), sample::x(), sample::y(), n);
  model.weights(sample::weights()).groups(sample::group());
  ASSERT_EQ(freeridge_set_weights(model.get(), nullptr), FREERIDGE_OK) << freeridge_last_error();
  ASSERT_EQ(freeridge_set_groups(model.get(), 1, nullptr, 0, nullptr), FREERIDGE_OK) << freeridge_last_error();
  model.factorize().lambda(0.5);
  EXPECT_EQ(difference(fingerprint(plain_model().get()), fingerprint(model.get())), "");
}

TEST(ContractData, NewDataDropWeightsAndGroups) {
  Model model = sample::model_of(Kernel::gaussian(sample::sigma), sample::x(), sample::y(), n);
  model.weights(sample::weights()).groups(sample::group());
  model.data(sample::matrix(n, sample::x()), sample::matrix(n, sample::y())).factorize().lambda(0.5);
  EXPECT_EQ(difference(fingerprint(plain_model().get()), fingerprint(model.get())), "");
}

// --- layouts, and who keeps which array -----------------------------------------------------------------------------

// The sample in a layout, with `padding` places behind each column or row that hold NaN: they are never looked at.
template <class Call>
Call padded(freeridge_layout layout, int64_t padding) {
  const support::Packed x = support::pack(sample::matrix(n, sample::x()), layout, padding);
  const support::Packed y = support::pack(sample::matrix(n, sample::y()), layout, padding);
  Call call;
  call.layout = layout;
  if constexpr (requires { call.points; }) {
    call.points.fields.layout = layout;
    call.points.x.values = x.values;
    call.points.fields.ldx = x.ld;
  } else {
    call.x.values = x.values;
    call.ldx = x.ld;
  }
  call.y.values = y.values;
  call.ldy = y.ld;
  return call;
}

// Makes a model that has the data of the sample into the FITTED sample.
void fit(Model& model) {
  model.route(FREERIDGE_ROUTE_SPECTRAL)
      .weights(sample::weights())
      .groups(sample::group(), 1, sample::gap())
      .factorize();
  double lambda[t], score[t];
  ASSERT_EQ(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 1e-3, 1e3, lambda, score), FREERIDGE_OK)
      << freeridge_last_error();
}

template <class Call>
void expect_layouts_agree() {
  const Fingerprint expected = fingerprint(sample::model(sample::State::fitted).get());
  for (freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
    for (int64_t padding : {0, 3}) {
      SCOPED_TRACE(std::string(Call::name) + ", layout " + std::to_string(layout) + ", padding " +
                   std::to_string(padding));
      Model model(Kernel::gaussian(sample::sigma));
      Call data = padded<Call>(layout, padding);  // lives as long as the model: a view borrows it
      data.model = model.get();
      ASSERT_EQ(data(), FREERIDGE_OK) << freeridge_last_error();
      fit(model);
      EXPECT_EQ(difference(expected, fingerprint(model.get())), "");
    }
  }
}

TEST(ContractData, LayoutsAndViewsGiveTheSameAnswers) {
  expect_layouts_agree<SetData>();
  expect_layouts_agree<SetPointsView>();
}

TEST(ContractData, ArraysAreCopied) {
  Model model(Kernel::gaussian(sample::sigma));
  model.route(FREERIDGE_ROUTE_SPECTRAL);
  {
    SetData data;
    SetWeights weights;
    SetGroups groups;
    data.model = weights.model = groups.model = model.get();
    ASSERT_EQ(data(), FREERIDGE_OK);
    data.x.values.assign(data.x.values.size(), NaN);
    data.y.values.assign(data.y.values.size(), NaN);
    ASSERT_EQ(weights(), FREERIDGE_OK);
    weights.weights.values.assign(weights.weights.values.size(), NaN);
    ASSERT_EQ(groups(), FREERIDGE_OK);
    groups.group.values.assign(groups.group.values.size(), -1);
    groups.gap.values.assign(groups.gap.values.size(), -1);
  }
  model.factorize();
  const Model expected = sample::model(sample::State::factorized);
  EXPECT_EQ(difference(fingerprint(expected.get()), fingerprint(model.get())), "");
}

// A view lets go of the arrays at the next data and at destroy: they are freed before the model is used again.
TEST(ContractData, AViewIsLetGo) {
  Model model(Kernel::gaussian(sample::sigma));
  auto first = std::make_unique<SetPointsView>(), second = std::make_unique<SetPointsView>();
  first->model = second->model = model.get();
  ASSERT_EQ((*first)(), FREERIDGE_OK);
  model.factorize();
  ASSERT_EQ((*second)(), FREERIDGE_OK);
  first.reset();
  model.factorize();
  SetData copy;
  copy.model = model.get();
  ASSERT_EQ(copy(), FREERIDGE_OK);
  second.reset();
  fit(model);
  const Model expected = sample::model(sample::State::fitted);
  EXPECT_EQ(difference(fingerprint(expected.get()), fingerprint(model.get())), "");
}

// A view that is refused leaves the view before it in force.
TEST(ContractData, ARefusedViewLeavesTheOldOne) {
  Model model(Kernel::gaussian(sample::sigma));
  SetPointsView data;
  data.model = model.get();
  ASSERT_EQ(data(), FREERIDGE_OK);
  {
    SetPointsView bad;
    bad.model = model.get();
    bad.y.values.back() = NaN;
    expect_failure(bad, FREERIDGE_NOT_FINITE, {"y", "NaN"});
  }
  fit(model);
  const Model expected = sample::model(sample::State::fitted);
  EXPECT_EQ(difference(fingerprint(expected.get()), fingerprint(model.get())), "");
}

}  // namespace data_test
