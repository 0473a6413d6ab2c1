// The calls about kernels as structs: their arguments, valid until a test spoils one.
#pragma once

#include <string>

#include "capi/support/shared_arguments.hpp"

inline Kernel a_gaussian() {
  return Kernel::gaussian(sample::sigma);
}

// Of 0.5 gaussian + 2 linear, scaled.
inline Kernel of_parts() {
  std::vector<Kernel> terms;
  terms.push_back(Kernel::gaussian(sample::sigma));
  terms.push_back(Kernel::linear());
  return Kernel::scaled(Kernel::sum(terms, {0.5, 2.0}), sample::scale());
}

template <Kernel (*make)()>
struct OnKernel {
  Kernel owned = make();
  const freeridge_kernel* kernel = owned.get();
};

using KernelOut = Output<freeridge_kernel*>;

struct KernelLinear : AnyCall {
  KernelOut out{1};
  FREERIDGE_CALL(freeridge_kernel_linear);
};

struct KernelPolynomial : AnyCall {
  int32_t degree = 3;
  double scale = 1.0, offset = 1.0;
  KernelOut out{1};
  FREERIDGE_CALL(freeridge_kernel_polynomial);
};

struct KernelGaussian : AnyCall {
  double sigma = 1.0;
  KernelOut out{1};
  FREERIDGE_CALL(freeridge_kernel_gaussian);
};

struct KernelLaplacian : AnyCall {
  double sigma = 1.0;
  KernelOut out{1};
  FREERIDGE_CALL(freeridge_kernel_laplacian);
};

struct KernelMatern : AnyCall {
  double nu = 1.5, length = 1.0;
  KernelOut out{1};
  FREERIDGE_CALL(freeridge_kernel_matern);
};

struct KernelSum : AnyCall {
  static constexpr const char* optional = "weights";
  Kernel first = Kernel::gaussian(sample::sigma), second = Kernel::linear();
  Input<const freeridge_kernel*> terms{{first.get(), second.get()}};
  Input<double> weights{{1.0, 2.0}};
  int32_t count = 2;
  KernelOut out{1};
  FREERIDGE_CALL(freeridge_kernel_sum);
};

struct KernelProduct : AnyCall {
  Kernel first = Kernel::gaussian(sample::sigma), second = Kernel::linear();
  Input<const freeridge_kernel*> factors{{first.get(), second.get()}};
  int32_t count = 2;
  KernelOut out{1};
  FREERIDGE_CALL(freeridge_kernel_product);
};

struct KernelScaled : AnyCall {
  Kernel owned = Kernel::gaussian(sample::sigma);
  const freeridge_kernel* inner = owned.get();
  int64_t d = sample::d;
  Input<double> scale{sample::scale()};
  KernelOut out{1};
  FREERIDGE_CALL(freeridge_kernel_scaled);
};

struct KernelAdditive : AnyCall {
  static constexpr const char* optional = "label";
  Kernel owned = Kernel::gaussian(sample::sigma);
  const freeridge_kernel* inner = owned.get();
  int64_t d = sample::d;
  Input<int32_t> label{{3, 0}};
  KernelOut out{1};
  FREERIDGE_CALL(freeridge_kernel_additive);
};

struct KernelPrecomputed : AnyCall {
  KernelOut out{1};
  FREERIDGE_CALL(freeridge_kernel_precomputed);
};

struct KernelDescribe : AnyCall, OnKernel<a_gaussian> {
  int64_t size = 30;
  Output<char> text{30};
  Output<int64_t> length{1};
  FREERIDGE_CALL(freeridge_kernel_describe);
};

struct KernelParse : AnyCall {
  std::string owned = "gaussian(sigma = 1)";
  const char* text = owned.c_str();
  KernelOut out{1};
  FREERIDGE_CALL(freeridge_kernel_parse);
};

struct KernelGetCounts : AnyCall, OnKernel<of_parts> {
  static constexpr const char* optional = "parameters parts";
  Output<int32_t> parameters{1}, parts{1};
  FREERIDGE_CALL(freeridge_kernel_get_counts);
};

struct KernelGetParameter : AnyCall, OnKernel<of_parts> {
  int32_t index = 0;
  int64_t size = sample::d;
  Output<double> values{sample::d};
  Output<int64_t> length{1};
  FREERIDGE_CALL(freeridge_kernel_get_parameter);
};

struct KernelGetPart : AnyCall, OnKernel<of_parts> {
  int32_t index = 0;
  KernelOut out{1};
  FREERIDGE_CALL(freeridge_kernel_get_part);
};

struct KernelHyperparameterName : AnyCall, OnKernel<of_parts> {
  int64_t index = 0, size = 40;
  Output<char> text{40};
  Output<int64_t> length{1};
  FREERIDGE_CALL(freeridge_kernel_hyperparameter_name);
};

// The scales, two weights and sigma.
struct KernelGetHyperparameters : AnyCall, OnKernel<of_parts> {
  static constexpr const char* optional = "count values";
  Output<int64_t> count{1};
  Output<double> values{sample::d + 3};
  FREERIDGE_CALL(freeridge_kernel_get_hyperparameters);
};

struct KernelWithHyperparameters : AnyCall, OnKernel<of_parts> {
  Input<double> values{std::vector<double>(static_cast<std::size_t>(sample::d + 3), 0.75)};
  KernelOut out{1};
  FREERIDGE_CALL(freeridge_kernel_with_hyperparameters);
};

struct Create : AnyCall, OnKernel<a_gaussian> {
  Output<freeridge_model*> out{1};
  FREERIDGE_CALL(freeridge_create);
};

struct KernelLinearScale : AnyCall, OnKernel<Kernel::linear> {
  static constexpr const char* optional = "scale linear";
  int64_t d = sample::d;
  Output<double> scale{sample::size(sample::d)};
  Output<int32_t> linear{1};
  FREERIDGE_CALL(freeridge_kernel_linear_scale);
};

// Its columns of out are the others' rows.
struct KernelEvaluate : AnyCall, OnKernel<a_gaussian> {
  static constexpr const char* own = "ldout";
  PointsArgument points = dense_points(sample::m, sample::new_x()), others = dense_points(sample::n, sample::x());
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  Output<double> out{sample::size(sample::m, sample::n)};
  int64_t ldout = sample::m;
  FREERIDGE_CALL(freeridge_kernel_evaluate);
};
