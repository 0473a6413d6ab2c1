// make_data folder=F n=N d=D: the data that all systems read (see support.hpp), the same for the same n and d.
//
//     x uniform on [-1, 1];  y = sin(pi x_1) + x_2^2 + the mean of x + noise of standard deviation 0.1;
//     lambdas: 100, from 1e-3 to 1e5, evenly spaced in log
#include <random>

#include "support.hpp"

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const std::string folder = arguments.text("folder");
  const std::int64_t n = arguments.whole("n");
  const std::int64_t d = arguments.whole("d");
  if (n < 1 || d < 2) bench::stop("n >= 1 and d >= 2, please");

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
