// The weights of a sum of kernels by REML, to all digits, and to zero: the last steps of a search (kernel_search.hpp) in
// which these weights alone are free. K = sum_g s_g K_g, where K_g is a term with a free weight, or all terms whose
// weights are held. The errors have the variance lambda, and in its unit the terms have the variances
//     gamma_g = s_g size(K_g) / lambda >= 0,       lambda held, as only the ratios have a part in REML
//     d REML / d gamma_g = sum_(k in g) (d REML / d log w_k) / gamma_g,     also in the limit gamma_g = 0
// A search by log gamma_g never comes to zero, as that is infinitely far away. Here Newton's method goes there, with the
// bound gamma_g >= 0: a ratio at zero whose derivative is not negative stays there, the others take a step with the
// matrix of second derivatives (differences of gradients), halved until REML falls.
// Cost: at each step a gradient, and two for each ratio; some 4 steps.
// Sources: A. Gilmour, R. Thompson, B. Cullis, Average information REML, Biometrics 51 (1995); S. Wright, Numerical
// Optimization, 2nd edition 2006, 16.7.
#pragma once

#include "libcore/select/kernel_search.hpp"

namespace freeridge {

// Goes on from where `search` ended: its kernel and lambda, and the end that is that kernel's. Where numbers other than
// weights of the outermost sum are free, too, or REML has a prior of the noise, weights of terms without numbers of their
// own become zero if REML is no higher then, and nothing else changes.
void refine_variances(KernelSearch& search, const RowsOfSearch& rows);

}  // namespace freeridge
