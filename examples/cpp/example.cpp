// A first program in C++: freeridge.h as it is, handles owned by std::unique_ptr, statuses as exceptions.
//
//     c++ -std=c++17 example.cpp -o example -lfreeridge
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
using Kernel = std::unique_ptr<freeridge_kernel, Destroy>;
using Model = std::unique_ptr<freeridge_model, Destroy>;

void check(freeridge_status status) {
  if (status == FREERIDGE_OK) return;
  throw std::runtime_error(std::string(freeridge_status_name(status)) + ": " + freeridge_last_error());
}

Kernel gaussian(double sigma) {
  freeridge_kernel* kernel = nullptr;
  check(freeridge_kernel_gaussian(sigma, &kernel));
  return Kernel(kernel);
}

Model make_model(const Kernel& kernel) {
  freeridge_model* model = nullptr;
  check(freeridge_create(kernel.get(), &model));
  return Model(model);
}

}  // namespace

int main() try {
  const int n = 60;
  std::vector<double> x(n), y(n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 0.1 * static_cast<double>(i);
    y[i] = std::sin(x[i]) + (i % 2 == 0 ? 0.05 : -0.05);
  }

  const Model model = make_model(gaussian(1.5));  // the kernel goes; the model has its own copy
  check(freeridge_set_data_view(model.get(), FREERIDGE_COL_MAJOR, n, 1, x.data(), n, 1, y.data(), n));
  check(freeridge_factorize(model.get()));
  double lambda = 0.0, score = 0.0, value = 0.0;
  check(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 0.0, 0.0, &lambda, &score));
  const double at = 2.0;
  check(freeridge_predict(model.get(), FREERIDGE_COL_MAJOR, 1, &at, 1, &value, 1));
  std::printf("lambda %.3g, leave-one-out error %.3f, f(2) = %.3f, sin(2) = %.3f\n", lambda, std::sqrt(score), value,
              std::sin(at));

  try {
    gaussian(-1.0);
  } catch (const std::runtime_error& error) {
    std::printf("refused: %s\n", error.what());
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
