// Passes over all kernel values of the route ITERATIVE (libcore/kernel/kernel_passes.hpp): passes [n] [d]
// n^2 a CPU second of one thread, and CPU seconds over those of one column, for 1, 8 and 32 columns in both precisions; the
// least of three passes each, in turn. Uniform points, Gaussian kernel.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "libcore/kernel/kernel.hpp"
#include "libcore/kernel/kernel_passes.hpp"

namespace {

using namespace freeridge;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

Matrix uniform(Index rows, Index cols) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  Matrix out(rows, cols);
  for (double& value : out.values()) value = number(random);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const Index n = argc > 1 ? std::atoll(argv[1]) : 20000, d = argc > 2 ? std::atoll(argv[2]) : 8;
  constexpr Index columns[] = {1, 8, 32};
  constexpr Precision precisions[] = {Precision::single_precision, Precision::double_precision};
  const Matrix x = uniform(n, d);
  const Array<double> weights(n, 1.0);
  const KernelPasses passes(gaussian_kernel(2), Rows(layout_view(x)), weights);
  double least[2][3] = {{1e9, 1e9, 1e9}, {1e9, 1e9, 1e9}};
  for (int repetition = 0; repetition < 3; ++repetition)
    for (int p = 0; p < 2; ++p)
      for (int k = 0; k < 3; ++k) {
        const Matrix from = uniform(n, columns[k]);
        Matrix to(n, columns[k]);
        const double before = cpu_seconds();
        passes.multiply(from.view(), to.view(), precisions[p]);
        least[p][k] = std::min(least[p][k], cpu_seconds() - before);
      }
  std::printf("| n = %td, d = %td | columns | n^2 a second | over one column |\n| --- | --- | --- | --- |\n", n, d);
  for (int p = 0; p < 2; ++p)
    for (int k = 0; k < 3; ++k)
      std::printf("| %s | %td | %.2e | %.2f |\n", p == 0 ? "single" : "double", columns[k],
                  static_cast<double>(n) * static_cast<double>(n) / least[p][k], least[p][k] / least[p][0]);
  return 0;
}
