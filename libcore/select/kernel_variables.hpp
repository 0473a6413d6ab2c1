// The variables u of a search over the hyperparameters of a kernel are logarithms of factors on its numbers,
//     theta_i = given_i exp(u_v(i))      v(i): the variable of number i; several numbers may share one; none: held
// Bounds in units of the data keep the numbers from growing or falling for ever. With sd_k and range_k of feature k:
//     scale of feature k      scale times the bandwidths and scales beyond it in [sd_k / 100, 100 range_k];
//                             without a bandwidth in the kernel: a factor 1000 either way
//     bandwidth, length       [median distance / 16, 64 median distance], columns divided by the scales around it
//     bandwidth of periodic, sphere: the same, by their distance of the points
//     period                  a factor 2 either way: of other periods there are other local optima
//     weight                  a factor 10^6 either way
//     scale, offset of polynomial    a factor 1000 either way
// Bounds are wide enough to hold the given numbers. Always held: weights and offsets that are 0, and the scale of a
// constant feature. Where that scale would be free otherwise it becomes 2^500, with which the feature has no part in k:
// the rows say nothing of other values of the feature, so these change no prediction. Unless labels say otherwise,
// numbers that the scales of a scaled kernel make superfluous are held, too: the first bandwidth (or polynomial's
// scale) in it, and the scales of a scaled kernel directly within it.
#pragma once

#include "libcore/kernel/kernel.hpp"
#include "libcore/rows/rows.hpp"

namespace freeridge {

struct KernelVariables {
  Array<double> given;           // the hyperparameters, in the order of hyperparameters.hpp, at which the search begins
  Array<Index> variable;         // v(i), or -1
  Array<double> low, high;       // of each u
  Array<char> length;            // of each u: whether it moves a scale, a bandwidth or a length
  Array<double> additive;        // of each u: 1: moves the weight of an additive kernel in a sum with others, -1: that
                                 // of another kernel beside an additive one, else 0
  Array<Array<Index>> together;  // for each scaled kernel: the variables of its scales
  double typical = 0;  // a typical factor on all lengths: the first bandwidth's median distance; 0: no lengths

  Index count() const { return std::ssize(low); }
  KernelPtr kernel(const Kernel& from, Span<const double> u) const;
  // The derivatives by u, from those by the logarithms of the numbers.
  void gradient(Span<const double> by_number, Span<double> by_variable) const;
};

// label: a label for each number, or empty: each by itself; negative: held; numbers with equal labels share a variable.
KernelVariables kernel_variables(const Kernel& kernel, const Rows& x, Span<const std::int32_t> label);

// The length of each column in the first kernel of the distance: its bandwidth times the scales around it. Empty: there
// is none.
Array<double> lengths_of_columns(const Kernel& kernel, Index columns);

// 1/2 sum_v (u_v - mean)^2 / s^2 for each scaled kernel, over the variables of its scales. A common factor on all
// lengths costs nothing, and factors on single lengths differ by about e^s. Adds its derivatives to `gradient`. s
// infinite: 0.
double shrinkage_penalty(const KernelVariables& variables, double s, Span<const double> u, Span<double> gradient);

}  // namespace freeridge
