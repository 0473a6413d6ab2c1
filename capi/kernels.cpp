// The C layer, kernels.
#include <algorithm>

#include "capi/handles.hpp"
#include "capi/points.hpp"
#include "libcore/kernel/additive.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/kernel/kernel_text.hpp"

namespace freeridge::capi {
namespace {

// Makes a kernel and puts it into *out.
template <class Make>
freeridge_status new_kernel(const char* call, freeridge_kernel** out, const Make& make) noexcept {
  return guarded(call, [&] {
    required("out", out);
    *out = new freeridge_kernel{make()};
  });
}

constexpr const char* no_penalty = "a kernel has no penalty";

// The parts of a sum or a product.
Array<KernelPtr> checked_parts(const char* name, const freeridge_kernel* const* parts, int32_t count) {
  required(name, parts);
  require_size("count", count);
  Array<KernelPtr> out;
  for (int32_t i = 0; i < count; ++i)
    // NOLINTNEXTLINE(performance-inefficient-vector-operation): no reserve(count), as count may be wrong
    out.push_back(required(text(name, "[", i, "]").c_str(), parts[i]).kernel);
  return out;
}

// One of the kernel's `count` parameters, hyperparameters or parts.
void require_place(const char* name, std::int64_t index, Index count, const char* what) {
  if (index < 0 || index >= count)
    fail(Status::invalid_argument, name, " is ", index, "; the kernel has ", count, " ", what, ", counted from 0");
}

// Writes the numbers to `values` (room for `size` of them), and how many there are to *length. size = 0: *length alone.
void hand_out_numbers(std::int64_t size, double* values, std::int64_t* length, Span<const double> from) {
  if (size < 0) fail(Status::invalid_argument, "size is ", size, "; it must not be negative");
  if (size > 0) required("values", values);
  required("length", length);
  const auto count = static_cast<std::int64_t>(from.size());
  *length = count;
  if (size == 0) return;
  if (size < count) fail(Status::invalid_argument, "size is ", size, "; there are ", count, " numbers");
  std::ranges::copy(from, values);
}

}  // namespace
}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_kernel_linear(freeridge_kernel** out) {
  return new_kernel(__func__, out, [] { return linear_kernel(); });
}

freeridge_status freeridge_kernel_polynomial(int32_t degree, double scale, double offset, freeridge_kernel** out) {
  return new_kernel(__func__, out, [&] { return polynomial_kernel(degree, scale, offset); });
}

freeridge_status freeridge_kernel_gaussian(double sigma, freeridge_kernel** out) {
  return new_kernel(__func__, out, [&] { return gaussian_kernel(sigma); });
}

freeridge_status freeridge_kernel_laplacian(double sigma, freeridge_kernel** out) {
  return new_kernel(__func__, out, [&] { return laplacian_kernel(sigma); });
}

freeridge_status freeridge_kernel_matern(double nu, double length, freeridge_kernel** out) {
  return new_kernel(__func__, out, [&] { return matern_kernel(nu, length); });
}

freeridge_status freeridge_kernel_sum(const freeridge_kernel* const* terms, const double* weights, int32_t count,
                                      freeridge_kernel** out) {
  return new_kernel(__func__, out, [&] {
    Array<KernelPtr> parts = checked_parts("terms", terms, count);
    const Array<double> ones(parts.size(), 1.0);
    return sum_kernel(std::move(parts), {weights != nullptr ? weights : ones.data(), ones.size()});
  });
}

freeridge_status freeridge_kernel_product(const freeridge_kernel* const* factors, int32_t count,
                                          freeridge_kernel** out) {
  return new_kernel(__func__, out, [&] { return product_kernel(checked_parts("factors", factors, count)); });
}

freeridge_status freeridge_kernel_scaled(const freeridge_kernel* inner, int64_t d, const double* scale,
                                         freeridge_kernel** out) {
  return new_kernel(__func__, out, [&] {
    const KernelPtr& kernel = required("inner", inner).kernel;
    require_size("d", d);
    return scaled_kernel(kernel, {&required("scale", scale), d});
  });
}

freeridge_status freeridge_kernel_additive(const freeridge_kernel* inner, int64_t d, const int32_t* label,
                                           freeridge_kernel** out) {
  return new_kernel(__func__, out, [&] {
    const KernelPtr& kernel = required("inner", inner).kernel;
    if (label == nullptr) return additive_kernel(kernel, {});
    require_size("d", d);
    return additive_kernel(kernel, {label, d});
  });
}

freeridge_status freeridge_kernel_precomputed(freeridge_kernel** out) {
  return new_kernel(__func__, out, [] { return precomputed_kernel(); });
}

freeridge_status freeridge_kernel_describe(const freeridge_kernel* kernel, int64_t size, char* text, int64_t* length) {
  return guarded(__func__, [&] {
    const Kernel& described = *required("kernel", kernel).kernel;
    hand_out(size, text, length, [&] { return describe(described); });
  });
}

freeridge_status freeridge_kernel_parse(const char* text, freeridge_kernel** out) {
  return new_kernel(__func__, out, [&] { return parse_kernel(&required("text", text)); });
}

const char* freeridge_kernel_name(const freeridge_kernel* kernel) {
  return kernel == nullptr ? nullptr : kernel->kernel->name();
}

freeridge_status freeridge_kernel_get_counts(const freeridge_kernel* kernel, int32_t* parameters, int32_t* parts) {
  return guarded(__func__, [&] {
    const Kernel& counted = *required("kernel", kernel).kernel;
    if (parameters != nullptr) *parameters = static_cast<int32_t>(counted.parameter_count());
    if (parts != nullptr) *parts = static_cast<int32_t>(counted.parts().size());
  });
}

const char* freeridge_kernel_parameter_name(const freeridge_kernel* kernel, int32_t index) {
  if (kernel == nullptr || index < 0 || index >= kernel->kernel->parameter_count()) return nullptr;
  return kernel->kernel->parameter(index).name;
}

freeridge_status freeridge_kernel_get_parameter(const freeridge_kernel* kernel, int32_t index, int64_t size,
                                                double* values, int64_t* length) {
  return guarded(__func__, [&] {
    const Kernel& asked = *required("kernel", kernel).kernel;
    require_place("index", index, asked.parameter_count(), "parameters");
    hand_out_numbers(size, values, length, asked.parameter(index).values);
  });
}

freeridge_status freeridge_kernel_get_part(const freeridge_kernel* kernel, int32_t index, freeridge_kernel** out) {
  return new_kernel(__func__, out, [&] {
    const Span<const KernelPtr> parts = required("kernel", kernel).kernel->parts();
    require_place("index", index, static_cast<Index>(parts.size()), "parts");
    return parts[static_cast<std::size_t>(index)];
  });
}

freeridge_status freeridge_kernel_hyperparameter_name(const freeridge_kernel* kernel, int64_t index, int64_t size,
                                                      char* text, int64_t* length) {
  return guarded(__func__, [&] {
    const Kernel& asked = *required("kernel", kernel).kernel;
    require_place("index", index, hyperparameter_count(asked), "hyperparameters");
    hand_out(size, text, length, [&] { return hyperparameter_name(asked, index); });
  });
}

freeridge_status freeridge_kernel_get_hyperparameters(const freeridge_kernel* kernel, int64_t* count, double* values) {
  return guarded(__func__, [&] {
    const Kernel& asked = *required("kernel", kernel).kernel;
    if (values != nullptr) std::ranges::copy(hyperparameters(asked), values);
    if (count != nullptr) *count = hyperparameter_count(asked);
  });
}

freeridge_status freeridge_kernel_with_hyperparameters(const freeridge_kernel* kernel, const double* values,
                                                       freeridge_kernel** out) {
  return new_kernel(__func__, out, [&] {
    const Kernel& changed = *required("kernel", kernel).kernel;
    const Index count = hyperparameter_count(changed);
    if (count > 0) required("values", values);
    return with_hyperparameters(changed, {values, count});
  });
}

freeridge_status freeridge_kernel_evaluate(const freeridge_kernel* kernel, const freeridge_points* points,
                                           const freeridge_points* others, freeridge_layout layout, double* out,
                                           int64_t ldout) {
  return guarded(__func__, [&] {
    const KernelPtr& function = required("kernel", kernel).kernel;
    const GivenPoints given("points", points), against("others", others);
    given.refuse_unpenalised(no_penalty);
    against.refuse_unpenalised(no_penalty);
    const Layout order = checked_layout(layout);
    against.require_columns(given.d());
    checked_matrix("out", out, order, "points.n", given.n(), "others.n", against.n(), "ldout", ldout);
    Matrix room;
    const Points all = against.filled(room, {}, 0);
    given.each({}, [&](Index first, const Points& at) {
      kernel_values(function, at.x, all.x, order, from_row(out, order, first, ldout), ldout);
    });
  });
}

freeridge_status freeridge_kernel_linear_scale(const freeridge_kernel* kernel, int64_t d, double* scale,
                                               int32_t* linear) {
  return guarded(__func__, [&] {
    const Kernel& asked = *required("kernel", kernel).kernel;
    if (scale != nullptr) {
      require_size("d", d);
      asked.check_features(d);
    }
    const std::optional<Array<double>> divisors = asked.linear_scale(scale != nullptr ? d : 1);
    if (linear != nullptr) *linear = divisors ? 1 : 0;
    if (divisors) copy_to(*divisors, scale);
  });
}

void freeridge_kernel_destroy(freeridge_kernel* kernel) {
  delete kernel;
}
