#include "libcore/select/kernel_variables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "libcore/base/progress.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/kernel/other_distance.hpp"
#include "libcore/select/bandwidth.hpp"

namespace freeridge {
namespace {

constexpr double shortest_length = 0.01, longest_length = 100;  // in units of sd, range
constexpr double any_scale = 1e3, any_weight = 1e6;             // factors either way
constexpr double any_period = 2;                                // likewise
constexpr double no_part = 0x1p500;  // a divisor that makes differences vanish; the square of two of them is finite
constexpr Index spread_rows = 256;   // read at a time

// Standard deviation and range of each column.
struct FeatureSpreads {
  Array<double> sd, range;
};

FeatureSpreads feature_spreads(const Rows& x) {
  const Index rows = std::min(spread_rows, x.rows);
  Matrix tile(rows, x.cols);
  Array<double> first(x.cols, 0.0), low(x.cols, 0.0), high(x.cols, 0.0), sum(x.cols, 0.0), squares(x.cols, 0.0);
  for (Index row = 0; row < x.rows; row += rows) {
    const MatrixView part = tile.view().row_range(0, std::min(rows, x.rows - row));
    copy_rows(x, row, part);
    for (Index k = 0; k < x.cols; ++k) {
      if (row == 0) first[k] = low[k] = high[k] = part(0, k);
      for (Index i = 0; i < part.rows; ++i) {
        const double value = part(i, k), away = value - first[k];
        low[k] = std::min(low[k], value);
        high[k] = std::max(high[k], value);
        sum[k] += away;
        squares[k] += away * away;
      }
    }
    worked(touched * static_cast<double>(part.rows * x.cols));
  }
  FeatureSpreads out{sum, squares};
  const auto n = static_cast<double>(x.rows);
  for (Index k = 0; k < x.cols; ++k) {
    out.range[k] = high[k] - low[k];
    const double sd = std::sqrt(std::max(0.0, squares[k] / n - sum[k] / n * (sum[k] / n)));
    out.sd[k] = std::isfinite(sd) && sd > 0 ? sd : out.range[k];
  }
  return out;
}

// The first bandwidth in a kernel in units of the points, and the product of the scales before it.
std::optional<double> first_bandwidth(const Kernel& kernel, Array<double>& scale) {
  if (kernel.parts().empty()) return kernel.bandwidth();
  if (of_other_distance(kernel)) return std::nullopt;
  for (const KernelPtr& part : kernel.parts()) {
    Array<double> inner = scale;
    if (kernel.name() == std::string_view("scaled"))
      for (std::size_t k = 0; k < inner.size(); ++k) inner[k] *= kernel.parameter(0).values[k];
    if (const auto sigma = first_bandwidth(*part, inner)) {
      scale = std::move(inner);
      return sigma;
    }
  }
  return std::nullopt;
}

struct Number {
  double given, low, high;   // low = high: held
  bool length = false;       // a scale, a bandwidth or a length
  bool superfluous = false;  // beside the scales around it
  bool constant = false;     // the scale of a feature that does not vary
  Index scaled = -1;         // the scaled kernel that it is a scale of
  double additive = 0;       // of a weight (KernelVariables::additive)
};

// Goes through a kernel in the order of its hyperparameters.
class NumbersOfKernel {
 public:
  NumbersOfKernel(const Kernel& kernel, const Rows& x) : x_(x), spread_(feature_spreads(x)) {
    bool nothing = false;
    for (Index k = 0; k < x.cols; ++k) columns_.push_back(k);
    walk(kernel, Array<double>(x.cols, 1.0), nothing, false);
  }
  Array<Number> numbers;
  Index scaled_kernels = 0;
  double typical = 0;

 private:
  // divisor: the product of the scales around the kernel. one_more: whether these scales make one more number in the
  // kernel superfluous. within: whether the kernel is directly within a scaled kernel.
  void walk(const Kernel& kernel, const Array<double>& divisor, bool& one_more, bool within) {
    if (kernel.is_sum()) {
      const Span<const double> weights = kernel.parameter(0).values;
      const auto is_additive = [](const KernelPtr& part) { return part->name() == std::string_view("additive"); };
      const bool some = std::ranges::any_of(kernel.parts(), is_additive);
      const bool mixed = some && !std::ranges::all_of(kernel.parts(), is_additive);
      for (std::size_t p = 0; p < weights.size(); ++p) {
        add(weights[p], weights[p] / any_weight, weights[p] * any_weight);
        if (mixed) numbers.back().additive = is_additive(kernel.parts()[p]) ? 1 : -1;
        walk(*kernel.parts()[p], divisor, one_more, false);
      }
    } else if (kernel.name() == std::string_view("scaled")) {
      scaled(kernel, divisor, one_more, within);
    } else if (of_other_distance(kernel)) {
      const double median = median_other_distance(kernel, divisor, columns_, x_);
      for (Index i = 0; i < kernel.parameter_count(); ++i) {
        const double period = kernel.parameter(i).values[0];
        add(period, period / any_period, period * any_period);
      }
      bandwidth(*kernel.parts()[0]->bandwidth(), median);
    } else if (!kernel.parts().empty()) {
      const Array<Index> columns = columns_;
      if (kernel.parameter_count() > 0) columns_ = first_term(kernel.parameter(0).values);
      for (const KernelPtr& part : kernel.parts()) walk(*part, divisor, one_more, false);
      columns_ = columns;
    } else {
      leaf(kernel, divisor, one_more);
    }
  }

  void scaled(const Kernel& kernel, Array<double> divisor, bool& one_more, bool within) {
    const Span<const double> scale = kernel.parameter(0).values;
    const Kernel& inner = *kernel.parts()[0];
    Array<double> beyond(x_.cols, 1.0);
    const std::optional<double> sigma = first_bandwidth(inner, beyond);
    for (Index k = 0; k < x_.cols; ++k) {
      const double unit = sigma ? 1 / (divisor[k] * beyond[k] * *sigma) : 0;
      if (spread_.range[k] == 0)
        add(scale[k], scale[k], scale[k]);
      else if (sigma)
        add(scale[k], shortest_length * spread_.sd[k] * unit,
            longest_length * std::sqrt(static_cast<double>(x_.cols)) * spread_.range[k] * unit);
      else
        add(scale[k], scale[k] / any_scale, scale[k] * any_scale);
      numbers.back().length = true;
      numbers.back().scaled = scaled_kernels;
      numbers.back().superfluous = within;
      numbers.back().constant = spread_.range[k] == 0;
      divisor[k] *= scale[k];
    }
    ++scaled_kernels;
    bool mine = true;
    walk(inner, divisor, within ? one_more : mine, true);
  }

  void leaf(const Kernel& kernel, const Array<double>& divisor, bool& one_more) {
    for (Index i = 0; i < kernel.parameter_count(); ++i) {
      const KernelParameter parameter = kernel.parameter(i);
      if (parameter.fixed) continue;
      const double value = parameter.values[0];
      if (kernel.bandwidth()) {
        bandwidth(value, median_distance(divisor, x_));
      } else {
        add(value, value / any_scale, value * any_scale);
      }
      if (parameter.name != std::string_view("offset")) numbers.back().superfluous = std::exchange(one_more, false);
    }
  }

  void bandwidth(double value, double median) {
    if (std::isfinite(64 * median) && median / 16 > 0)
      add(value, median / 16, median * 64);
    else
      add(value, value, value);
    if (typical == 0) typical = median / value;
    numbers.back().length = true;
  }

  // The columns, of those at hand, of the first term of a kernel with these labels; without labels each is a term.
  Array<Index> first_term(Span<const double> label) const {
    if (label.empty()) return {columns_[0]};
    Array<Index> out;
    for (std::size_t k = 0; k < label.size(); ++k)
      if (label[k] == 0) out.push_back(columns_[k]);
    return out;
  }

  void add(double given, double low, double high) {
    const bool usable = given > 0 && low > 0 && std::isfinite(high);
    numbers.push_back({given, usable ? std::min(low, given) : given, usable ? std::max(high, given) : given});
  }

  const Rows& x_;
  Array<Index> columns_;  // that the kernel at hand sees
  FeatureSpreads spread_;
};

}  // namespace

Array<double> lengths_of_columns(const Kernel& kernel, Index columns) {
  Array<double> out(columns, 1.0);
  const std::optional<double> bandwidth = first_bandwidth(kernel, out);
  if (!bandwidth) return {};
  for (double& length : out) length *= *bandwidth;
  return out;
}

KernelPtr KernelVariables::kernel(const Kernel& from, Span<const double> u) const {
  Array<double> values = given;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (variable[i] >= 0 && u[variable[i]] != 0) values[i] *= std::exp(u[variable[i]]);
  return with_hyperparameters(from, values);
}

void KernelVariables::gradient(Span<const double> by_number, Span<double> by_variable) const {
  for (std::size_t i = 0; i < variable.size(); ++i)
    if (variable[i] >= 0) by_variable[variable[i]] += by_number[i];
}

KernelVariables kernel_variables(const Kernel& kernel, const Rows& x, Span<const std::int32_t> label) {
  const NumbersOfKernel all(kernel, x);
  KernelVariables out;
  out.together.resize(all.scaled_kernels);
  out.typical = all.typical;
  std::map<std::int32_t, Index> of_label;
  for (std::size_t i = 0; i < all.numbers.size(); ++i) {
    const Number& number = all.numbers[i];
    const bool wanted = label.empty() ? !number.superfluous : label[i] >= 0;
    const bool free = wanted && number.low < number.high;
    out.given.push_back(wanted && number.constant ? std::max(number.given, no_part) : number.given);
    if (!free) {
      out.variable.push_back(-1);
      continue;
    }
    const auto [place, fresh] =
        of_label.try_emplace(label.empty() ? static_cast<std::int32_t>(i) : label[i], out.count());
    const Index v = place->second;
    const double low = std::log(number.low / number.given), high = std::log(number.high / number.given);
    if (fresh) {
      out.low.push_back(low);
      out.high.push_back(high);
      out.length.push_back(0);
      out.additive.push_back(number.additive);
    }
    out.variable.push_back(v);
    out.low[v] = std::min(out.low[v], low);
    out.high[v] = std::max(out.high[v], high);
    if (number.length) out.length[v] = 1;
    if (number.scaled >= 0) out.together[number.scaled].push_back(v);
  }
  for (Array<Index>& of_one : out.together) {
    std::ranges::sort(of_one);
    of_one.erase(std::unique(of_one.begin(), of_one.end()), of_one.end());
  }
  if (std::ranges::count(out.length, 1) == 0) out.typical = 0;
  return out;
}

double shrinkage_penalty(const KernelVariables& variables, double s, Span<const double> u, Span<double> gradient) {
  double penalty = 0;
  for (const Array<Index>& of_one : variables.together) {
    double mean = 0;
    for (const Index v : of_one) mean += u[v] / static_cast<double>(of_one.size());
    for (const Index v : of_one) {
      const double away = (u[v] - mean) / s;
      penalty += away * away / 2;
      gradient[v] += away / s;
    }
  }
  return penalty;
}

}  // namespace freeridge
