// A first program in C++, by freeridge.hpp: handles are owned, sizes are checked, statuses are exceptions.
//
//     c++ -std=c++17 example.cpp -o example -lfreeridge
#include <freeridge.hpp>

#include <cmath>
#include <cstdio>

int main() try {
  std::vector<double> x(60), y(60);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 0.1 * static_cast<double>(i);
    y[i] = std::sin(x[i]) + (i % 2 == 0 ? 0.05 : -0.05);
  }

  freeridge::Model model(freeridge::Kernel::gaussian(1.5));  // the kernel goes; the model has its own copy
  model.set_data_view(x, y);                                 // borrowed: x and y outlive the model
  model.factorize();
  const freeridge::Matrix best = model.select_lambda(FREERIDGE_LOO);
  const std::vector<double> at = {2.0};
  std::printf("lambda %.3g, leave-one-out error %.3f, f(2) = %.3f, sin(2) = %.3f\n", best(0, 0), std::sqrt(best(0, 1)),
              model.predict(at)(0), std::sin(at[0]));

  try {
    freeridge::Kernel::gaussian(-1.0);
  } catch (const freeridge::Error& error) {
    std::printf("refused: %s\n", error.what());
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
