// Kernels as text:
//   sum     := term { "+" term }              of one term without a weight: the term itself; without weights: all one
//   term    := [ number "*" ] kernel
//   kernel  := "constant()" | "linear()" | "polynomial(degree = 3, scale = 0.5, offset = 1)"
//            | "gaussian(sigma = 1.5)" | "laplacian(sigma = 2)" | "matern(nu = 1.5, length = 2)" | "precomputed()"
//            | "scaled([" number { "," number } "]," sum ")" | "product(" sum { "," sum } ")" | "(" sum ")"
//            | ( "additive(" | "multiplicative(" ) [ "[" label { "," label } "]," ] sum ")"
//                                                                     a label: a whole number for each feature
//            | "periodic(period = 12," sum ")" | "sphere(" sum ")"
// describe() writes every weight, puts brackets around a sum that is a term, and writes numbers in the shortest form
// that reads back as the same number. So each kernel has one description, and each description stands for one kernel.
#pragma once

#include <string>
#include <string_view>

#include "libcore/base/bytes.hpp"
#include "libcore/kernel/kernel.hpp"

namespace freeridge {

// The text of a description while it is written. Throws OUT_OF_MEMORY when it would not fit into memory: kernels share
// their parts, and the text repeats a shared part, so that it may be far longer than the kernel is large.
class KernelText {
 public:
  template <class... Parts>
  void add(const Parts&... parts) {
    append(text(parts...));
  }
  std::string take() { return std::move(text_); }

 private:
  void append(std::string_view part);

  std::string text_;
};

std::string describe(const Kernel& kernel);

// What describe() wrote, or anything else of the grammar. Throws INVALID_ARGUMENT, with what was expected and at which
// character (the first is 1); NOT_FINITE for numbers that are not, or that no double can hold.
KernelPtr parse_kernel(std::string_view description);

// Writes and reads the text of a kernel among saved bytes. Throws INVALID_ARGUMENT for a kernel that is nested too
// deeply to be read back.
void save_kernel(const Kernel& kernel, ByteWriter& out);
KernelPtr load_kernel(ByteReader& in);

}  // namespace freeridge
