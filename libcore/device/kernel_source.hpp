// A kernel as the text of a C++ function, for the compiler of a device: double or float, as `real` stands for.
//     FREERIDGE_FUNCTION real kernel_value(const real* x, integer sx, const real* z, integer sz, const real* p)
// x and z are points, column c of a point in x[c * sx]; p are the kernel's numbers. Kernels that differ in their numbers
// alone have one text, so that it is compiled once. The columns of the points are those of the data, once for each
// chain of divisors in the kernel: k(x / l) has the columns x / l. They are divided before, and not for each pair: so
// the values are those of Kernel::evaluate, which divides first, but for the last digits of exp and of inner products.
#pragma once

#include <string>

#include "libcore/base/array.hpp"
#include "libcore/kernel/kernel.hpp"

namespace freeridge {

struct KernelSource {
  std::string text;
  Array<double> numbers;  // p
  Index features;         // d
  // For each block of d columns: the divisors, one after another; those of a block are d numbers each.
  Array<Array<Array<double>>> blocks;

  Index columns() const { return features * std::ssize(blocks); }
  // The columns of points, n x d to n x columns(). Throws NOT_FINITE where a division leaves the range.
  void prepare(ConstMatrixView x, MatrixView out) const;
};

// Of a kernel that is a function of two points (not a precomputed one) with d features.
KernelSource kernel_source(const Kernel& kernel, Index d);

}  // namespace freeridge
