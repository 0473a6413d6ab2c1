#include "libcore/kernel/hyperparameters.hpp"

#include <cmath>
#include <string_view>
#include <utility>

#include "libcore/base/memory.hpp"

namespace freeridge {
namespace {

constexpr Index few_bytes = 1 << 20;      // for which the machine's memory is not asked about
constexpr Index bytes_of_a_kernel = 256;  // about: the object, its parts and its place among those of another

// own(parameter, e): number e of one of the kernel's own parameters; part(p): the kernel in it. In the order of the
// text.
template <class Own, class Part>
void in_order(const Kernel& kernel, const Own& own, const Part& part) {
  const bool weights = kernel.is_sum();
  for (Index i = 0; i < kernel.parameter_count() && !weights; ++i) {
    const KernelParameter p = kernel.parameter(i);
    for (std::size_t e = 0; e < p.values.size() && !p.fixed; ++e) own(p, static_cast<Index>(e));
  }
  for (Index p = 0; p < std::ssize(kernel.parts()); ++p) {
    if (weights) own(kernel.parameter(0), p);
    part(p);
  }
}

void collect(const Kernel& kernel, Array<double>& out) {
  in_order(
      kernel, [&](const KernelParameter& p, Index e) { out.push_back(p.values[e]); },
      [&](Index p) { collect(*kernel.parts()[p], out); });
}

// Whether there may be several parts, whose places have numbers.
bool has_numbered_parts(const Kernel& kernel) {
  return kernel.is_sum() || (kernel.parameter_count() == 0 && kernel.name() != std::string_view("sphere"));
}

// The number's own word: a sum has weights and a scaled kernel scales, in a row; other parameters are one number.
std::string own_name(const Kernel& kernel, const KernelParameter& p, Index e) {
  if (kernel.is_sum()) return text("weight[", e, "]");
  if (kernel.name() == std::string_view("scaled")) return text("scale[", e, "]");
  return text(std::string_view(p.name));
}

bool may_be_zero(const KernelParameter& p) {
  return p.name == std::string_view("weights") || p.name == std::string_view("offset");
}

// Takes the numbers of `kernel` from the front of `values`.
KernelPtr rebuild(const Kernel& kernel, Span<const double>& values) {
  Array<double> own;
  Array<KernelPtr> parts;
  const auto next = [&] {
    const double value = values[0];
    values = values.subspan(1);
    return value;
  };
  in_order(
      kernel, [&](const KernelParameter&, Index) { own.push_back(next()); },
      [&](Index p) { parts.push_back(rebuild(*kernel.parts()[p], values)); });
  return kernel.rebuilt(own, std::move(parts));
}

// Whether number i may be 0, and its name.
struct Place {
  bool may_be_zero;
  std::string name;
};

Place place_of(const Kernel& kernel, Index i) {
  const Kernel* at = &kernel;
  Place out;
  for (bool found = false; !found;) {
    const Kernel* inner = nullptr;
    std::string step = text(std::string_view(at->name()));
    Index before = i;  // how many numbers are still to be passed over
    in_order(
        *at,
        [&](const KernelParameter& p, Index e) {
          if (inner != nullptr || found || before-- > 0) return;
          found = true;
          out.may_be_zero = may_be_zero(p);
          step += text(".", own_name(*at, p, e));
        },
        [&](Index p) {
          if (inner != nullptr || found) return;
          const Kernel& part = *at->parts()[p];
          const Index count = hyperparameter_count(part);
          if (before >= count) {
            before -= count;
            return;
          }
          inner = &part;
          i = before;
          if (has_numbered_parts(*at)) step += text("[", p, "]");
        });
    out.name += out.name.empty() ? step : text(".", step);
    at = inner;
  }
  return out;
}

}  // namespace

Array<double> hyperparameters(const Kernel& kernel) {
  Array<double> out;
  out.reserve(hyperparameter_count(kernel));
  collect(kernel, out);
  return out;
}

std::string hyperparameter_name(const Kernel& kernel, Index i) {
  return place_of(kernel, i).name;
}

std::optional<Index> factor_of_kernel(const Kernel& kernel) {
  if (kernel.parts().size() != 1) return std::nullopt;
  if (kernel.is_sum()) return 0;
  const Kernel& inner = *kernel.parts()[0];
  const std::optional<Index> place = factor_of_kernel(inner);
  if (!place) return std::nullopt;
  return hyperparameter_count(kernel) - hyperparameter_count(inner) + *place;
}

WeightsOfSum weights_of_sum(const Kernel& kernel) {
  const Kernel* sum = &kernel;
  Index place = 0;
  for (; sum->name() == std::string_view("scaled"); sum = sum->parts()[0].get())
    place += std::ssize(sum->parameter(0).values);
  WeightsOfSum out;
  if (!sum->is_sum()) return out;
  out.value.assign(sum->parameter(0).values.begin(), sum->parameter(0).values.end());
  for (const KernelPtr& part : sum->parts()) {
    out.place.push_back(place);
    place += 1 + part->extent().hyperparameters;
  }
  return out;
}

KernelPtr with_hyperparameters(const Kernel& kernel, Span<const double> values) {
  const Kernel::Extent extent = kernel.extent();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0 && std::isfinite(values[i])) continue;
    const Place place = place_of(kernel, static_cast<Index>(i));
    if (values[i] == 0 && place.may_be_zero) continue;
    const std::string name = text("values[", i, "], the kernel's ", place.name, ",");
    if (!std::isfinite(values[i])) fail(Status::not_finite, name, " is ", values[i], "; it must be finite");
    fail(Status::invalid_argument, name, " is ", values[i], "; it must ",
         place.may_be_zero ? "not be negative" : "be positive");
  }
  // Parts that the kernel shares are made once for each place that they have in it.
  const Index bytes = 16 * extent.hyperparameters + bytes_of_a_kernel * extent.kernels;
  if (bytes > few_bytes) require_memory(bytes, "the kernel with other hyperparameters", "use a kernel of fewer parts");
  return rebuild(kernel, values);
}

KernelPtr with_smoothness(const Kernel& kernel, double nu) {
  if (kernel.parts().empty()) {
    if (kernel.name() != std::string_view("matern") || kernel.parameter(0).values[0] != 1.5) return nullptr;
    return std::isinf(nu) ? gaussian_kernel(*kernel.bandwidth()) : matern_kernel(nu, *kernel.bandwidth());
  }
  Array<double> own;
  Array<KernelPtr> parts(kernel.parts().begin(), kernel.parts().end());
  bool any = false;
  in_order(
      kernel, [&](const KernelParameter& p, Index e) { own.push_back(p.values[e]); },
      [&](Index p) {
        KernelPtr part = with_smoothness(*parts[p], nu);
        any = any || part;
        if (part) parts[p] = std::move(part);
      });
  return any ? kernel.rebuilt(own, std::move(parts)) : nullptr;
}

}  // namespace freeridge
