// The calls about eigenvalues and whole matrices as structs: their arguments, valid for the sample until a test spoils
// one.
#pragma once

#include "capi/support/shared_arguments.hpp"

// Two eigenvectors, which the sample has on every route with eigenvectors.
struct Eigenvalues : AnyCall, OnModel {
  static constexpr const char* optional = "eigenvalues vectors";
  int64_t count = 2;
  Output<double> eigenvalues{2}, vectors{sample::size(sample::n, 2)};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_eigenvalues);
};

struct ConditionNumber : AnyCall, OnModel {
  static constexpr const char* optional = "condition rank";
  int64_t count = 3;
  Input<double> lambdas{{0.5, 1.0, 10.0}};
  Output<double> condition{3}, rank{3};
  FREERIDGE_CALL(freeridge_condition_number);
};

struct HatMatrix : AnyCall, OnModel {
  static constexpr const char* optional = "hat inverse";
  double lambda = 0.5;
  Output<double> hat{sample::size(sample::n, sample::n)}, inverse{hat};
  int64_t ld = sample::n;
  FREERIDGE_CALL(freeridge_hat_matrix);
};
