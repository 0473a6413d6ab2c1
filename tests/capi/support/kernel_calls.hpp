// The calls about kernels as structs: their arguments, valid until a test spoils one.
#pragma once

#include <string>

#include "capi/support/arrays.hpp"
#include "capi/support/sample.hpp"

using KernelOut = Output<freeridge_kernel*>;

struct KernelLinear {
  static constexpr const char* name = "freeridge_kernel_linear";
  KernelOut out{1};
  freeridge_status operator()() { return freeridge_kernel_linear(out.get()); }
  void each_output(auto visit) { visit(out); }
};

struct KernelPolynomial {
  static constexpr const char* name = "freeridge_kernel_polynomial";
  int32_t degree = 3;
  double scale = 1.0, offset = 1.0;
  KernelOut out{1};
  freeridge_status operator()() { return freeridge_kernel_polynomial(degree, scale, offset, out.get()); }
  void each_output(auto visit) { visit(out); }
};

struct KernelGaussian {
  static constexpr const char* name = "freeridge_kernel_gaussian";
  double sigma = 1.0;
  KernelOut out{1};
  freeridge_status operator()() { return freeridge_kernel_gaussian(sigma, out.get()); }
  void each_output(auto visit) { visit(out); }
};

struct KernelLaplacian {
  static constexpr const char* name = "freeridge_kernel_laplacian";
  double sigma = 1.0;
  KernelOut out{1};
  freeridge_status operator()() { return freeridge_kernel_laplacian(sigma, out.get()); }
  void each_output(auto visit) { visit(out); }
};

struct KernelMatern {
  static constexpr const char* name = "freeridge_kernel_matern";
  double nu = 1.5, length = 1.0;
  KernelOut out{1};
  freeridge_status operator()() { return freeridge_kernel_matern(nu, length, out.get()); }
  void each_output(auto visit) { visit(out); }
};

struct KernelSum {
  static constexpr const char* name = "freeridge_kernel_sum";
  Kernel first = Kernel::gaussian(sample::sigma), second = Kernel::linear();
  Input<const freeridge_kernel*> terms{{first.get(), second.get()}};
  Input<double> weights{{1.0, 2.0}};
  int32_t count = 2;
  KernelOut out{1};
  freeridge_status operator()() { return freeridge_kernel_sum(terms.get(), weights.get(), count, out.get()); }
  void each_output(auto visit) { visit(out); }
};

struct KernelProduct {
  static constexpr const char* name = "freeridge_kernel_product";
  Kernel first = Kernel::gaussian(sample::sigma), second = Kernel::linear();
  Input<const freeridge_kernel*> factors{{first.get(), second.get()}};
  int32_t count = 2;
  KernelOut out{1};
  freeridge_status operator()() { return freeridge_kernel_product(factors.get(), count, out.get()); }
  void each_output(auto visit) { visit(out); }
};

struct KernelScaled {
  static constexpr const char* name = "freeridge_kernel_scaled";
  Kernel owned = Kernel::gaussian(sample::sigma);
  const freeridge_kernel* inner = owned.get();
  int64_t d = sample::d;
  Input<double> scale{sample::scale()};
  KernelOut out{1};
  freeridge_status operator()() { return freeridge_kernel_scaled(inner, d, scale.get(), out.get()); }
  void each_output(auto visit) { visit(out); }
};

struct KernelPrecomputed {
  static constexpr const char* name = "freeridge_kernel_precomputed";
  KernelOut out{1};
  freeridge_status operator()() { return freeridge_kernel_precomputed(out.get()); }
  void each_output(auto visit) { visit(out); }
};

struct KernelDescribe {
  static constexpr const char* name = "freeridge_kernel_describe";
  Kernel owned = Kernel::gaussian(sample::sigma);
  const freeridge_kernel* kernel = owned.get();
  int64_t size = 30;
  Output<char> text{30};
  Output<int64_t> length{1};
  freeridge_status operator()() { return freeridge_kernel_describe(kernel, size, text.get(), length.get()); }
  void each_output(auto visit) { visit(text), visit(length); }
};

struct KernelParse {
  static constexpr const char* name = "freeridge_kernel_parse";
  std::string owned = "gaussian(sigma = 1)";
  const char* text = owned.c_str();
  KernelOut out{1};
  freeridge_status operator()() { return freeridge_kernel_parse(text, out.get()); }
  void each_output(auto visit) { visit(out); }
};

struct KernelEqual {
  static constexpr const char* name = "freeridge_kernel_equal";
  Kernel first = Kernel::gaussian(sample::sigma), second = Kernel::gaussian(sample::sigma);
  const freeridge_kernel* a = first.get();
  const freeridge_kernel* b = second.get();
  Output<int32_t> equal{1};
  freeridge_status operator()() { return freeridge_kernel_equal(a, b, equal.get()); }
  void each_output(auto visit) { visit(equal); }
};

struct Create {
  static constexpr const char* name = "freeridge_create";
  Kernel owned = Kernel::gaussian(sample::sigma);
  const freeridge_kernel* kernel = owned.get();
  Output<freeridge_model*> out{1};
  freeridge_status operator()() { return freeridge_create(kernel, out.get()); }
  void each_output(auto visit) { visit(out); }
};
