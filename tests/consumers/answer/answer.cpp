// answer.c as a stranger would write it in C++: owners, and exceptions of the program's own beside the library.
#include <freeridge.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Destroy {
  void operator()(freeridge_kernel* kernel) const { freeridge_kernel_destroy(kernel); }
  void operator()(freeridge_model* model) const { freeridge_destroy(model); }
};

void check(freeridge_status status) {
  if (status != FREERIDGE_OK) throw std::runtime_error(freeridge_last_error());
}

void expect(double actual, double expected) {
  if (!(std::fabs(actual - expected) <= 1e-14)) throw std::runtime_error(std::to_string(actual) + " is wrong");
}

void run() {
  const std::vector<double> x = {1.0, 2.0}, y = {2.0, 3.0};
  freeridge_kernel* new_kernel = nullptr;
  check(freeridge_kernel_linear(&new_kernel));
  const std::unique_ptr<freeridge_kernel, Destroy> kernel(new_kernel);
  freeridge_model* new_model = nullptr;
  check(freeridge_create(kernel.get(), &new_model));
  const std::unique_ptr<freeridge_model, Destroy> model(new_model);

  check(freeridge_set_data(model.get(), FREERIDGE_ROW_MAJOR, 2, 1, x.data(), 1, 1, y.data(), 1));
  check(freeridge_set_intercept(model.get(), 0));
  check(freeridge_factorize(model.get()));
  check(freeridge_set_lambda(model.get(), 3.0));
  double w = 0.0;
  std::vector<double> errors(2);
  check(freeridge_get_hyperplane(model.get(), &w, 1));
  check(freeridge_loo(model.get(), errors.data(), 2));
  expect(w, 1.0);
  expect(errors[0], 8.0 / 7.0);
  expect(errors[1], 2.0);
}

}  // namespace

int main() try {
  run();
  std::puts("w = 1, as it should be");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
