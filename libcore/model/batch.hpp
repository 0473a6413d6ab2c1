// Many small models at once, a model for each stretch of rows S_g, g = 0, 1, ...:
//     f_g, b_g = argmin 1/2 sum_(i in S_g) W_ii (Y_i - f(x_i) - b)^2 + lambda_g/2 |f|_K^2
// with lambda_g the minimum of a criterion on these rows alone, of each output by itself. Each is a Model with the rows
// S_g and the settings of one that is given. The models are shared out to the threads; each thread takes one Model for
// all of its share, and searches lambda by the sparse grid of lambda_search.hpp, as the usual one would be most of the
// work of a few rows.
#pragma once

#include <string>

#include "libcore/model/model.hpp"

namespace freeridge {

struct BatchRows {
  Points points;            // in memory, dense; n rows
  LayoutView y;             // n x t
  const double* weights;    // n, or NULL: all one
  Span<const Index> start;  // models + 1, from 0 to n: S_g has the rows start[g] ... start[g + 1] - 1, or none
};

// What is wanted; views without data are not. One column for each output of each model (g t + j), or one row for each
// row.
struct BatchAnswers {
  MatrixView w, effects;                    // d x (models t), q x (models t)
  MatrixView b, lambda, score, df, sigma2;  // t x models
  MatrixView c, errors;                     // n x t
  Span<std::int32_t> status;                // models; or empty
};

// The models of which something has no value have a status and NaN. Returns the reason of the first of them; empty
// where there is none.
std::string fit_batch(const Model& settings, const BatchRows& rows, Criterion criterion, double low, double high,
                      const BatchAnswers& out);

}  // namespace freeridge
