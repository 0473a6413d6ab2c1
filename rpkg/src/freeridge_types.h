// Seen by RcppExports.cpp before anything else: how the glue's exceptions become R's conditions. std::bad_alloc has a
// sentence of its own, all others are as Rcpp has them.
#pragma once

#include <RcppEigen.h>

// R's condition for "there is no memory".
SEXP out_of_memory();

#undef END_RCPP
#define END_RCPP                                      \
  }                                                   \
  catch (const std::bad_alloc&) {                     \
    rcpp_output_type = 2;                             \
    rcpp_output_condition = PROTECT(out_of_memory()); \
    ++nprot;                                          \
    VOID_END_RCPP return R_NilValue;
