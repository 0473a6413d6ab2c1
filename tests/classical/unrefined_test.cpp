// What the factorization gives by itself, without refinement: the core is asked directly.
#include <gtest/gtest.h>

#include <map>

#include "libcore/classical/least_squares.hpp"
#include "libcore/classical/regression.hpp"
#include "support/classical.hpp"
#include "support/problems.hpp"

namespace unrefined_test {

using namespace support;

freeridge::LayoutView view(const Matrix& a) {
  return {a.values.data(), a.rows, a.cols, a.rows, freeridge::Layout::col_major};
}

// Rounding each entry of A = [1 X] and y once may cost the coefficient w_j as much as
//     2^-53 (|A+_j| (|y| + sum_k |a_k| |w_k|) + |r| sum_k |(A'A)^-1_jk| |a_k|)      (A+_j: row j of the pseudo-inverse)
// to first order, and a backward stable factorization adds errors of that size: 8.9 digits are left of Wampler1 and 8.5 of
// Wampler3, and which of them are right beyond that depends on the BLAS. The other numbers were met by every BLAS tried.
TEST(Unrefined, DigitsOfTheReferenceSets) {
  const std::map<std::string, double> least = {
      {"Norris", 12},    {"Pontius", 11.5}, {"NoInt1", 14},    {"NoInt2", 14},    {"Filip", 7},     {"Longley", 12},
      {"Wampler1", 8.9}, {"Wampler2", 11},  {"Wampler3", 8.5}, {"Wampler4", 7.5}, {"Wampler5", 5.5}};
  for (const std::string& name : nist_sets()) {
    SCOPED_TRACE(name);
    const NistSet set = nist_set(name);
    const auto fit = freeridge::ols(view(set.data.x), view(set.data.y), set.data.intercept, 0);
    Matrix w(set.data.x.cols, 1);
    w.values.assign(fit.w.values().begin(), fit.w.values().end());
    const double reached = worst_digits(coefficients(set, w, fit.b), set.estimate);
    RecordProperty(name, std::to_string(reached));
    EXPECT_GE(reached, least.at(name));
  }
}

// With penalties, some of them none, primal and dual: refinement would mend a wrong factorization without a word.
TEST(Unrefined, Penalised) {
  struct Shape {
    std::int64_t n, d;
  };
  Random random(35);
  for (const Shape shape : {Shape{30, 8}, Shape{12, 12}, Shape{8, 30}, Shape{3, 5}})
    for (const bool intercept : {true, false})
      for (const std::size_t without_penalty : {0u, 1u}) {
        SCOPED_TRACE(testing::Message() << shape.n << " x " << shape.d << ", intercept " << intercept << ", "
                                        << without_penalty << " columns without penalty");
        RegressionData data;
        data.intercept = intercept;
        data.x = random.uniform_matrix(shape.n, shape.d, -1, 3);
        data.y = random.uniform_matrix(shape.n, 2, -1, 1);
        Vector penalty(static_cast<std::size_t>(shape.d));
        for (std::size_t k = 0; k < penalty.size(); ++k) penalty[k] = 1.5 + 0.25 * static_cast<double>(k % 4);
        std::fill_n(penalty.begin() + 1, without_penalty, 0.0);
        const freeridge::PenalisedProblem problem = {view(data.x), view(data.y), intercept, 0.5, penalty};
        const QuadRegression expected = penalised(data, 0.5, penalty);
        // The second way refines once at least.
        for (const auto& solved :
             {freeridge::solve_least_squares(problem, 0), freeridge::solve_minimum_norm(problem, 0)}) {
          freeridge::Matrix w(shape.d, 2);
          Vector b(2);
          solved.scaled.unscale(solved.solution, w.view(), b);
          Matrix actual(shape.d, 2);
          actual.values.assign(w.values().begin(), w.values().end());
          EXPECT_GE(norm_digits(actual, expected.w), 13.0);
          if (intercept) {
            EXPECT_GE(norm_digits(to_column(b), transpose(expected.b)), 13.0);
          }
        }
      }
}

}  // namespace unrefined_test
