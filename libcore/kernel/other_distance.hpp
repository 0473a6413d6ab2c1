// Kernels of another distance than that of the points: inner(r), inner one of gaussian, laplacian and matern, and
//     periodic     r^2 = sum_k 4 sin^2(pi (x_k - z_k) / period)
//                  the distance of points on a circle of radius 1, which is gone round once in a period; for several
//                  columns on the product of circles. A Gaussian kernel with sigma = sqrt(2) l is
//                  exp(-2 sum_k sin^2(pi (x_k - z_k) / period) / l^2): D. MacKay, Introduction to Gaussian processes,
//                  1998, equation 47; scikit-learn's ExpSineSquared.
//     sphere       r^2 = 4 (sin^2((phi - phi') / 2) + cos(phi) cos(phi') sin^2((lambda - lambda') / 2))
//                  the distance, through the sphere of radius 1, of points with the longitude lambda and the latitude
//                  phi in degrees, the first and the second of two columns; r = 2 sin(angle / 2) (the haversine).
// These are positive semi-definite, as restrictions of kernels of the plane and the space to circle and sphere; of the
// great-circle angle itself neither the Gaussian kernel nor Matern kernels with nu > 1/2 are: T. Gneiting, Strictly and
// non-strictly positive definite functions on spheres, Bernoulli 19(4), 2013, sections 4.1 and 4.3.
//
// Nothing cancels in r^2: near points keep their digits, and equal ones, also those a whole period apart, have r = 0.
#pragma once

#include "libcore/kernel/kernel.hpp"

namespace freeridge {

// Throw INVALID_ARGUMENT where inner is none of these kernels, or the period not positive; NOT_FINITE.
KernelPtr periodic_kernel(double period, KernelPtr inner);
KernelPtr sphere_kernel(KernelPtr inner);

// Whether it is one of the two.
bool of_other_distance(const Kernel& kernel);
// r^2 of such a kernel: a is p x d, b is q x d, out p x q.
void other_squares(const Kernel& kernel, ConstMatrixView a, ConstMatrixView b, MatrixView out);

}  // namespace freeridge
