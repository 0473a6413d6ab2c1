// Products of Householder reflectors as matrix products (R. Schreiber, C. Van Loan, A storage-efficient WY
// representation for products of Householder transformations, SIAM J. Sci. Stat. Comput. 10 (1989)):
//     H_1 ... H_k = I - V T V',  H_i = I - tau_i v_i v_i',  V = [v_1 ... v_k],  T upper triangular
#pragma once

#include "libcore/linalg/blas.hpp"

namespace freeridge {

// V from the reflectors below the diagonal of a: a lower trapezoid with ones on its diagonal.
Matrix reflectors_below(ConstMatrixView a);

// T, k x k, zeros below its diagonal.
Matrix compact_wy(ConstMatrixView v, const double* tau);

// C = (I - V op(T) V') C
void multiply_compact_wy(Op op, ConstMatrixView v, ConstMatrixView t, MatrixView c);

}  // namespace freeridge
