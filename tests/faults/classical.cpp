// Trials of the calls without a handle.
#include "capi/support/classical_calls.hpp"
#include "capi/support/gradient_calls.hpp"
#include "faults/trials.hpp"

namespace faults {
namespace {

using namespace classical;

// Two equal columns.
void deficient(RegressionCall& call) {
  std::copy_n(call.x.values.begin(), sample::n, call.x.values.begin() + sample::n);
}

// More features than points.
void wide(Ridge& call) {
  call.n = call.ldx = call.ldy = 3;
  call.d = 6;
  call.w = Output<double>(sample::size(call.d, call.t));
}

}  // namespace

void add_classical(Scenarios& all) {
  add_plain<Ols>(all, "full_rank");
  add_plain<Ols>(all, "undefined_deficient", deficient);
  add_plain<Ols>(all, "deficient", [](Ols& call) {
    deficient(call);
    for (const char* const name : {"w_error", "b_error"}) call.answers.output(name).null = true;
  });
  add_plain<Ols>(all, "rows_and_wide", [](Ols& call) {
    call.layout = FREERIDGE_ROW_MAJOR;
    call.intercept = 0;
    call.n = 2;
    call.d = call.ldx = 5;
    call.t = call.ldy = 1;
    call.answers.output("w") = Output<double>(5);
    for (const char* const name : {"w_error", "b_error", "sigma", "r_squared"}) call.answers.output(name).null = true;
  });
  const auto without_factors = [](Ridge& call) { call.penalty.null = true; };
  add_plain<Ridge>(all, "primal", without_factors);
  add_plain<Ridge>(all, "deficient", [=](Ridge& call) {
    deficient(call);
    without_factors(call);
  });
  add_plain<Ridge>(all, "dual", [=](Ridge& call) {
    wide(call);
    without_factors(call);
  });
  add_plain<Ridge>(all, "penalty_primal", [](Ridge& call) { call.penalty.values = {0, 2}; });
  add_plain<Ridge>(all, "penalty_dual", [](Ridge& call) {
    wide(call);
    call.penalty.values = {0, 1, 2, 3, 4, 5};
  });
  add_plain<Tls>(all);
  add_plain<Tls>(all, "rows_alone", [](Tls& call) {
    call.layout = FREERIDGE_ROW_MAJOR;
    call.ldx = sample::d;
    call.ldy = sample::t;
    call.exact.null = true;
    for (const char* const name : {"x_correction", "y_correction"}) call.answers.output(name).null = true;
  });
  add_plain<Pinv>(all, "tall");
  add_plain<Pinv>(all, "wide_rows", [](Pinv& call) {
    call.layout = FREERIDGE_ROW_MAJOR;
    std::swap(call.m, call.n);
  });
  add_plain<Exponents>(all);
  add_plain<Features>(all);
  add_plain<Factors>(all);
  add_plain<Median>(all);
  add_plain<Slope>(all);
  add_plain<StackWeights>(all);
  add_plain<LossGradient>(all);
  add_plain<ExpansionGradient>(all);
  add_plain<GradientDescent>(all, "batches");
  add_plain<GradientDescent>(all, "all_rows_and_default_step", [](GradientDescent& call) {
    call.descent.fields.batch = sample::n;
    call.descent.fields.step = 0;
    call.descent.fields.average = 0;
    call.descent.input("start_w").null = true;
  });
  add_plain<EarlyStopping>(all);
  add_plain<Calibrate>(all);
}

}  // namespace faults
