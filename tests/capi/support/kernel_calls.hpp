// The calls about kernels as structs: their arguments, valid until a test spoils one.
#pragma once

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

struct Create {
  static constexpr const char* name = "freeridge_create";
  Kernel owned = Kernel::gaussian(sample::sigma);
  const freeridge_kernel* kernel = owned.get();
  Output<freeridge_model*> out{1};
  freeridge_status operator()() { return freeridge_create(kernel, out.get()); }
  void each_output(auto visit) { visit(out); }
};
