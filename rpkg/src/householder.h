// A = Q T Q' with T tridiagonal. The user can interrupt it.
#pragma once

#include <vector>

// a: d x d, symmetric, its lower triangle; on return Q. diagonal: d, off: d - 1 numbers of T.
void tridiagonalise(int d, std::vector<double>& a, std::vector<double>& diagonal, std::vector<double>& off);
