// What a search over the hyperparameters of a kernel moves: the logarithms of factors on its numbers,
//     theta_i = given_i exp(u_v(i))      v(i): the variable of number i; several numbers may share one; none: held
// and how far, in units that the data give, so that nothing runs away. With sd_k and range_k of feature k:
//     scale of feature k      scale times the bandwidths and scales beyond it in [sd_k / 100, 100 range_k];
//                             without a bandwidth in the kernel: a factor 1000 either way
//     bandwidth, length       [median distance / 16, 64 median distance], columns divided by the scales around it
//     weight                  a factor 10^6 either way
//     scale, offset of polynomial    a factor 1000 either way
// Bounds are wide enough to hold what is given. Held in any case: weights and offsets that are 0; the scale of a constant
// feature. Where no labels say otherwise, held as well: what the scales of a scaled kernel make superfluous, which is the
// first bandwidth (or polynomial's scale) in it and the scales of a scaled kernel right within it.
#pragma once

#include "libcore/kernel/kernel.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

struct KernelVariables {
  Array<double> given;           // the hyperparameters, in the order of hyperparameters.hpp
  Array<Index> variable;         // v(i), or -1
  Array<double> low, high;       // of each u
  Array<char> length;            // of each u: whether it moves a scale, a bandwidth or a length
  Array<Array<Index>> together;  // for each scaled kernel: the variables of its scales
  double typical = 0;  // a typical factor on all lengths: the first bandwidth's median distance; 0: no lengths

  Index count() const { return std::ssize(low); }
  KernelPtr kernel(const Kernel& from, Span<const double> u) const;
  // The derivatives by u, from those by the logarithms of the numbers.
  void gradient(Span<const double> by_number, Span<double> by_variable) const;
};

// label: a label for each number, or empty: each by itself; negative: held; numbers with equal labels share a variable.
KernelVariables kernel_variables(const Kernel& kernel, const Rows& x, Span<const std::int32_t> label);

// 1/2 sum_v (u_v - mean)^2 / s^2 for each scaled kernel, over the variables of its scales: what the given lengths have in
// common is free, and they differ by a factor of about e^s. Adds its derivatives to `gradient`. s infinite: 0.
double shrinkage_penalty(const KernelVariables& variables, double s, Span<const double> u, Span<double> gradient);

}  // namespace freeridge
