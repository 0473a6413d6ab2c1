// answer.c as a stranger would write it in C++, by freeridge.hpp.
#include <freeridge.hpp>

#include <cmath>
#include <cstdio>

namespace {

void expect(double actual, double expected) {
  if (!(std::fabs(actual - expected) <= 1e-14)) throw std::runtime_error(std::to_string(actual) + " is wrong");
}

void run() {
  const std::vector<double> x = {1.0, 2.0}, y = {2.0, 3.0};
  freeridge::Model model(freeridge::Kernel::linear());
  model.set_data(x, y);
  freeridge::check(freeridge_set_parameter(model.get(), FREERIDGE_INTERCEPT, 0));
  model.factorize();
  model.set_lambda(3.0);
  expect(model.hyperplane()(0), 1.0);
  expect(model.loo()(0), 8.0 / 7.0);
  expect(model.loo()(1), 2.0);
}

}  // namespace

int main() try {
  run();
  std::puts("w = 1, as it should be");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
