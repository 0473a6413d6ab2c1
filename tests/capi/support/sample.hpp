// A small data set, and models of it in each state, made through freeridge.h alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "freeridge.h"
#include "support/model.hpp"

using support::Kernel;
using support::Model;

namespace sample {

constexpr int64_t n = 12, d = 2, t = 2;  // rows, features, outputs
constexpr int64_t m = 3;                 // new points
constexpr int64_t count = 5;             // lambdas of a grid or a score
constexpr int64_t budget = 4;            // factorizations of a bandwidth search
constexpr int64_t q = 2;                 // fixed effects
constexpr double sigma = 1.5;            // bandwidth of the Gaussian kernel

constexpr std::size_t size(int64_t rows, int64_t columns = 1) {
  return static_cast<std::size_t>(rows * columns);
}

std::vector<double> x();          // n x d, column-major
std::vector<double> y();          // n x t, column-major
std::vector<double> new_x();      // m x d, column-major
std::vector<double> fixed();      // n x q, column-major
std::vector<double> new_fixed();  // m x q, column-major
// Of a matrix that is full: where its columns begin as a CSC matrix, and the places in them.
std::vector<int64_t> starts(int64_t rows, int64_t columns);
std::vector<int32_t> places(int64_t rows, int64_t columns);
std::vector<double> weights();     // n, positive
std::vector<int32_t> group();      // n labels, uneven groups, one row never left out
std::vector<int32_t> gap();        // n labels, one layer
std::vector<double> scale();       // d, positive
std::vector<int64_t> landmarks();  // 5 rows

support::Matrix matrix(int64_t rows, const std::vector<double>& columns);

enum class State { empty, data, factorized, fitted };

// The state a model is in, found by asking it.
State state_of(const freeridge_model* model);

// The routes, each with a kernel that it is made for.
// Gaussian, scaled Gaussian, linear, Gaussian; and two that are none of the `variants`: the first with fixed effects,
// as predictions take more arguments there, and by the ITERATIVE route, which has not all answers.
enum class Variant { spectral, cholesky, primal, landmark, fixed, iterative };
inline const std::vector<Variant> variants = {Variant::spectral, Variant::cholesky, Variant::primal, Variant::landmark};

// The sample in that state: weighted, with groups; FITTED by a search for lambda with the criterion LOO.
Model model(State state, Variant variant = Variant::spectral);

// A model of other data with so many rows, column-major, in the state DATA.
Model model_of(const Kernel& kernel, const std::vector<double>& x, const std::vector<double>& y, int64_t rows);

}  // namespace sample
