// Tests that all ranks of MPI_COMM_WORLD run in step. Rank 0 reports for all: a test that fails on another rank fails on
// rank 0, too.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "freeridge_mpi.h"

namespace ranks {

inline int rank() {
  int out = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &out);
  return out;
}
inline int count() {
  int out = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &out);
  return out;
}

class Together : public ::testing::Test {
 protected:
  void TearDown() override {
    int failed = HasFailure() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (failed != 0 && !HasFailure()) ADD_FAILURE() << "failed on another rank";
  }
};

// The status, and the same words on all ranks: what is wrong is known to all.
inline void expect_status(freeridge_status status, freeridge_status expected, const char* words = "") {
  EXPECT_EQ(status, expected) << freeridge_mpi_last_error();
  if (status != expected || expected == FREERIDGE_OK) return;
  const std::string own = freeridge_mpi_last_error();
  EXPECT_NE(own.find(words), std::string::npos) << own << " has no " << words;
  char first[1024] = "";
  std::snprintf(first, sizeof first, "%s", own.c_str());
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(own, first);
}

}  // namespace ranks

#define EXPECT_STATUS(call, ...)             \
  do {                                       \
    SCOPED_TRACE(#call);                     \
    ranks::expect_status(call, __VA_ARGS__); \
  } while (false)
