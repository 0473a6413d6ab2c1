"""The language-neutral properties of scikit-learn's tests of Ridge, RidgeCV, KernelRidge and of any estimator (version
1.2: linear_model/tests/test_ridge.py, tests/test_kernel_ridge.py, utils/estimator_checks.py), over 200 seeds each,
against refits by brute force; to 1e-10 unless a test says otherwise, relative to the largest expected number of an
output.

 row  property                                                         test
   1  known ridge solution by an SVD, tall and wide, R^2               Solutions.test_known_solution
   2  unit weights are no weights                                      Solutions.test_unit_weights
   3  [X, X] / 2 with alpha / 2                                        Solutions.test_columns_twice
   4  [X; X] with 2 alpha                                              Solutions.test_rows_twice
   5  alpha 0: minimum norm, wide with an intercept, too               Solutions.test_minimum_norm
   6  alpha 0 on [X, X] / 2 and [X; X]                                 Solutions.test_minimum_norm_of_stacked
   7  weights v and 1 - v on stacked data                              Solutions.test_weights_that_add_up
   8  primal coefficients = X' dual ones                               Solutions.test_primal_and_dual
   9  an iterative solver that does not converge warns                 not applicable: no route iterates
  10  shapes for y of one and two dimensions                           Outputs.test_shapes
  11  y + c moves the intercept alone                                  Outputs.test_a_constant_moves_the_intercept
  12  alpha 0 is LinearRegression                                      Solutions.test_alpha_zero_is_least_squares
  13  one alpha for each output; a wrong count is an error             Outputs.test_one_alpha_for_each
  14  centred Gram matrix                                              Routes.test_centring
  15  centred covariance                                               Routes.test_centring
  16  the centring operator                                            Routes.test_centring
  17  all solvers agree                                                Routes.test_solvers_agree
  18  leave-one-out = n fits: errors, best alpha, coefficients         LeaveOneOut.test_equals_refits
  18  the same of kernels, and of the minimum norm                     LeaveOneOut.test_kernels_equal_refits
  18  the same of kernels, and of the minimum norm                     LeaveOneOut.test_minimum_norm_equals_refits
  19  leave-one-out with an asymmetric score                           LeaveOneOut.test_asymmetric_score
  20  weighted leave-one-out = groups of repeated rows                 LeaveOneOut.test_weights_are_repeated_rows
  21  the method follows the kernel                                    Choice.test_method_by_kernel
  22  the same best alpha any way; y twice                             Choice.test_any_route_any_way
  23  the best alpha of each output; wrong options                     Choice.test_one_alpha_for_each
  24  left-out values only when asked for                              LeaveOneOut.test_values_on_request
  25  the best score is reported                                       Choice.test_best_score
  26  a tie (theirs: the first; here: the larger)                      Choice.test_a_tie_goes_to_the_larger
  27  alphas: unchanged, whole, scalar, refused by their place         Choice.test_alphas
  28  weighted cross-validation = grid search                          Choice.test_weighted_grid_search
  29  weights of one dimension                                         Choice.test_weights_have_one_dimension
  30  an unknown method is an error                                    Choice.test_unknown_method
  31  all arguments recover known coefficients                         Routes.test_arguments
  32  float32 (theirs: also as answers; here: taken, never given)      Routes.test_single_precision
  33  strided and Fortran-ordered input                                Routes.test_strides
  34  classes by -1 and +1: iris, class weights, several labels        Classes.test_iris
  34  classes by -1 and +1: iris, class weights, several labels        Classes.test_class_weights
  34  classes by -1 and +1: iris, class weights, several labels        Classes.test_labels_together
  35  weights: ones, zeros, scaled with alpha, two                     Routes.test_weights
  36  the objective at the solution is the smallest                    Solutions.test_objective_is_smallest
  37  sparse input, positive coefficients, sag, lbfgs, routing         not applicable: none of it is offered
  38  kernel ridge, linear = ridge without intercept                   Kernels.test_linear_is_ridge
  39  kernel ridge, alpha 0, singular K                                Kernels.test_singular_without_alpha
  40  precomputed = built in; K unchanged                              Kernels.test_precomputed
  41  weights: ridge = kernel ridge = precomputed                      Kernels.test_weights
  42  several outputs = each alone                                     Kernels.test_outputs_together
   E  subsets of the points predicted                                  Estimators.test_subsets
   E  order of the points and of the rows                              Estimators.test_order
   E  fit again; parameters unchanged                                  Estimators.test_again
   E  inputs and weights unchanged, read-only                          Estimators.test_inputs_are_left_alone
   E  save and restore                                                 Estimators.test_saved
   E  weights as none, ones, zeros                                     Estimators.test_weights
   E  shapes of several outputs                                        Estimators.test_outputs
   E  one sample, one feature                                          Estimators.test_one_row_and_one_column
   E  empty, NaN, infinite, complex, 1-d, wrong width, not fitted      Estimators.test_what_is_refused

Row 36 is theirs for positive coefficients. Real data are in tests/ffi/scikit_learn_test.py, which compares with
scikit-learn itself; tests/ffi/estimator_test.py runs its estimator checks, the rest of which concern Python objects.
"""

import re
import unittest

from kernel_properties import Estimators, Kernels  # noqa: F401
from ridge_properties import Outputs, Routes, Solutions  # noqa: F401
from selection_properties import Choice, Classes, LeaveOneOut  # noqa: F401


class TheTable(unittest.TestCase):
    def test_names_every_row_and_every_test(self):
        rows = re.findall(r"^ {1,3}(\d+|E)  .*?  (\w+)\.(test_\w+|)", __doc__, re.MULTILINE)
        named = {f"{group}.{test}" for _, group, test in rows}
        for group in (Solutions, Outputs, Routes, LeaveOneOut, Choice, Classes, Kernels, Estimators):
            for test in unittest.TestLoader().getTestCaseNames(group):
                self.assertIn(f"{group.__name__}.{test}", named)
                named.remove(f"{group.__name__}.{test}")
        self.assertEqual(named, set())
        without = re.findall(r"^ {1,3}(\d+)  .*  not applicable: \w+", __doc__, re.MULTILINE)
        self.assertEqual({int(row) for row, _, _ in rows if row != "E"} | {int(row) for row in without},
                         set(range(1, 43)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
