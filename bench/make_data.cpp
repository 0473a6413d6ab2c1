// make_data folder=F n=N d=D: the data that all systems read (see support.hpp), the same for the same n and d.
//
//     x uniform on [-1, 1];  y = sin(pi x_1) + x_2^2 + the mean of x + noise of standard deviation 0.1;
//     lambdas: 100, from 1e-3 to 1e5, evenly spaced in log
//
// make_data folder=F n=N d=D sparse=yes: rows of some 9.6 numbers in columns that are the rarer the further right, as words in
// texts: 5 to 15 words a row, word j with probability proportional to 1 / j; a number is 1 + log(how often in the row).
//
//     y = x'w over its standard deviation, w standard normal, and noise of standard deviation 1
//     lambdas: 11, from 1e-2 to 1e2
// Files start, index and value are the rows (CSR), all as doubles.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "support.hpp"

namespace {

void write_sparse(const std::string& folder, std::int64_t n, std::int64_t d) {
  std::mt19937_64 random(20240607);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::uniform_int_distribution<int> words(5, 15);
  std::normal_distribution<double> normal;
  std::vector<double> below(static_cast<std::size_t>(d)), w(below.size()), y(static_cast<std::size_t>(n)), start{0},
      index, value, lambdas;
  double sum = 0;
  for (std::size_t j = 0; j < below.size(); ++j) below[j] = sum += 1 / static_cast<double>(j + 1);
  for (double& each : w) each = normal(random);
  std::vector<std::size_t> row;
  for (double& of_row : y) {
    row.resize(static_cast<std::size_t>(words(random)));
    for (std::size_t& word : row)
      word = static_cast<std::size_t>(std::upper_bound(below.begin(), below.end() - 1, uniform(random) * sum) -
                                      below.begin());
    std::sort(row.begin(), row.end());
    for (std::size_t first = 0, last; first < row.size(); first = last) {
      for (last = first + 1; last < row.size() && row[last] == row[first];) ++last;
      index.push_back(static_cast<double>(row[first]));
      value.push_back(1 + std::log(static_cast<double>(last - first)));
      of_row += value.back() * w[row[first]];
    }
    start.push_back(static_cast<double>(index.size()));
  }
  const double size = std::sqrt(std::inner_product(y.begin(), y.end(), y.begin(), 0.0) / static_cast<double>(n));
  for (double& each : y) each = each / size + normal(random);
  for (int l = 0; l < 11; ++l) lambdas.push_back(std::pow(10.0, -2 + 0.4 * l));
  bench::write_doubles(folder + "/start", start);
  bench::write_doubles(folder + "/index", index);
  bench::write_doubles(folder + "/value", value);
  bench::write_doubles(folder + "/features", {static_cast<double>(d)});
  bench::write_doubles(folder + "/lambdas", lambdas);
  bench::write_doubles(folder + "/y", y);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const std::string folder = arguments.text("folder");
  const std::int64_t n = arguments.whole("n");
  const std::int64_t d = arguments.whole("d");
  if (n < 1 || d < 2) bench::stop("n >= 1 and d >= 2, please");
  if (arguments.has("sparse")) {
    write_sparse(folder, n, d);
    return 0;
  }

  std::mt19937_64 random(20240607);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::normal_distribution<double> noise(0.0, 0.1);
  std::vector<double> x(static_cast<std::size_t>(n * d)), mean(static_cast<std::size_t>(n)), y(mean.size()),
      lambdas(100);
  for (double& value : x) value = uniform(random);
  for (std::size_t k = 0; k < x.size(); ++k) mean[k % mean.size()] += x[k] / static_cast<double>(d);
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = std::sin(3.14159265358979 * x[i]) + x[i + y.size()] * x[i + y.size()] + mean[i] + noise(random);
  for (std::size_t l = 0; l < lambdas.size(); ++l)
    lambdas[l] = std::pow(10.0, -3.0 + 8.0 * static_cast<double>(l) / 99.0);

  bench::write_doubles(folder + "/x", x);
  bench::write_doubles(folder + "/lambdas", lambdas);
  bench::write_doubles(folder + "/y", y);  // the last: where it is, all is
  return 0;
}
