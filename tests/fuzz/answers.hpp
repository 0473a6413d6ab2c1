// Everything that a handle answers, asked in one fixed order; every answer is held to the rules of checked.hpp.
#pragma once

#include <freeridge_classical.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "fuzz/checked.hpp"

namespace fuzz {

template <class T, void (*destroy)(T*)>
struct Destroy {
  void operator()(T* handle) const { destroy(handle); }
};
using KernelHandle = std::unique_ptr<freeridge_kernel, Destroy<freeridge_kernel, freeridge_kernel_destroy>>;
using ModelHandle = std::unique_ptr<freeridge_model, Destroy<freeridge_model, freeridge_destroy>>;
using ClassifierHandle =
    std::unique_ptr<freeridge_classifier, Destroy<freeridge_classifier, freeridge_classifier_destroy>>;
using AccumulatorHandle =
    std::unique_ptr<freeridge_accumulator, Destroy<freeridge_accumulator, freeridge_accumulator_destroy>>;

using Bytes = std::vector<unsigned char>;

inline std::size_t size_of(std::int64_t rows, std::int64_t columns = 1) {
  return static_cast<std::size_t>(rows * columns);
}

// What the questions are made of: new points (m rows of as many numbers as there are columns), lambdas, labels. They
// are repeated where more of them are needed.
struct Questions {
  std::int64_t m = 2;
  std::vector<double> numbers = {0.25, -1.5, 2.0, 0.0, -0.75, 1.125, 3.0};
  std::vector<double> lambdas = {0.0, 0.125, 3.0};
  std::vector<std::int32_t> labels = {0, 1, 1, -1, 2};
  double level = 0.8;
  bool bandwidth_search = true;
  bool kernel_search = true;
};

// All calls that take a const model; memory_required and explain are about the next factorization, and the time of day.
void ask(const freeridge_model* model, const Questions& questions, Caller& caller);
void ask(const freeridge_classifier* classifier, std::int64_t n, std::int64_t d, const Questions& questions,
         Caller& caller);
void ask(const freeridge_accumulator* accumulator, const Questions& questions, Caller& caller);

// Empty on failure.
Bytes saved(const freeridge_model* model, bool predictor, Caller& caller);
Bytes saved(const freeridge_accumulator* accumulator, Caller& caller);
Bytes saved(const freeridge_classifier* classifier, Caller& caller);

// NULL on failure.
ModelHandle cloned(const freeridge_model* model, Caller& caller);

// From a copy that ends where its memory ends. NULL on failure.
ModelHandle loaded_model(const Bytes& bytes, Caller& caller);
AccumulatorHandle loaded_accumulator(const Bytes& bytes, Caller& caller);
ClassifierHandle loaded_classifier(const Bytes& bytes, Caller& caller);

// NULL when the text is no kernel.
KernelHandle parsed(const char* text, Caller& caller);

}  // namespace fuzz
