// Accuracy on two linear regression sets of the NIST Statistical Reference Datasets, whose certified coefficients are
// good to 15 digits: Norris (lower difficulty) and Longley (higher difficulty: condition number 5e9).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/compare.hpp"
#include "support/csv.hpp"
#include "support/model.hpp"

namespace {

using namespace support;

// B0, B1, ...
Vector certified(const std::string& dataset) {
  const CsvFile file = read_csv("nist_certified.csv");
  const auto name = static_cast<std::size_t>(file.column("dataset"));
  const auto estimate = static_cast<std::size_t>(file.column("estimate"));
  Vector out;
  for (const auto& row : file.rows)
    if (row[name] == dataset) out.push_back(std::stod(row[estimate]));
  return out;
}

// Correct decimal digits of the worst coefficient.
double correct_digits(const std::string& dataset, double lambda) {
  const CsvFile file = read_csv(dataset + ".csv");
  std::vector<std::string> features(file.header.begin() + 1, file.header.end());
  Model model(Kernel::linear());
  model.data(numbers(file, features), numbers(file, {"y"})).route(FREERIDGE_ROUTE_PRIMAL).factorize().lambda(lambda);
  Vector coefficients = model.intercepts();
  const Matrix w = model.hyperplane();
  coefficients.insert(coefficients.end(), w.values.begin(), w.values.end());
  const Vector expected = certified(dataset);
  EXPECT_EQ(coefficients.size(), expected.size());
  double digits = 15;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double error = std::abs(coefficients[k] - expected[k]) / std::abs(expected[k]);
    digits = std::min(digits, error > 0 ? -std::log10(error) : 15.0);
  }
  return digits;
}

// B0 is a 1600th of the means that it is a difference of: two roundings of x and y, 2^-53 each, leave 11.8 digits of it.
TEST(Nist, Norris) {
  EXPECT_GE(correct_digits("norris", 0.0), 11.8);
  EXPECT_GE(correct_digits("norris", 1e-12), 11.8);
}

TEST(Nist, Longley) {
  EXPECT_GE(correct_digits("longley", 0.0), 13.0);
  EXPECT_GE(correct_digits("longley", 1e-15), 13.0);
}

}  // namespace
