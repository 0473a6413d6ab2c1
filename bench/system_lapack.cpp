// The machine's limits, by calls of BLAS and LAPACK themselves: system_lapack task=T ...
//
//   dgemm     the rate of a product of two matrices of order size=: the limit of everything made of products
//   dsyevd    data=FOLDER sigma=S: all eigenvalues and eigenvectors of the Gaussian kernel matrix of the data
#define LAPACK_COMPLEX_CPP
#include <cblas.h>
#include <lapacke.h>

#include "support.hpp"

namespace {

void dgemm(std::int64_t size, std::int64_t repeat) {
  const int n = static_cast<int>(size);
  const std::vector<double> a(static_cast<std::size_t>(size * size), 0.5), b(a.size(), 0.25);
  std::vector<double> c(a.size()), rates;
  for (std::int64_t repetition = 0; repetition <= repeat; ++repetition) {
    const double taken = bench::seconds([&] {
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
    });
    if (repetition > 0)
      rates.push_back(2.0 * std::pow(static_cast<double>(size), 3) / taken);  // the first one warms up
  }
  bench::tell_numbers("rate", rates);
}

// K_ij = exp(-|x_i - x_j|^2 / sigma^2), both triangles
std::vector<double> kernel_matrix(const bench::Data& data, double sigma) {
  const int n = static_cast<int>(data.n), d = static_cast<int>(data.d);
  const auto order = static_cast<std::size_t>(n);
  std::vector<double> k(order * order);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, d, 1, data.x.data(), n, data.x.data(), n, 0, k.data(), n);
  std::vector<double> squares(order);
  for (std::size_t i = 0; i < order; ++i) squares[i] = k[i * (order + 1)];
  for (std::size_t j = 0; j < order; ++j)
    for (std::size_t i = 0; i < order; ++i)
      k[i + j * order] = std::exp(-(squares[i] + squares[j] - 2 * k[i + j * order]) / (sigma * sigma));
  return k;
}

void dsyevd(const bench::Data& data, double sigma, std::int64_t repeat) {
  const int n = static_cast<int>(data.n);
  std::vector<double> eigenvalues(data.y.size()), taken;
  const bench::Memory memory;
  for (; repeat > 0; --repeat) {
    std::vector<double> k = kernel_matrix(data, sigma);
    taken.push_back(bench::seconds([&] {
      if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, k.data(), n, eigenvalues.data()) != 0)
        bench::stop("dsyevd failed");
    }));
  }
  memory.tell();
  bench::tell_numbers("seconds.total", taken);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  const std::string task = arguments.text("task");
  bench::tell_blas();
  if (task == "dgemm") dgemm(arguments.whole("size"), arguments.whole("repetitions", 1));
  if (task == "dsyevd")
    dsyevd(bench::read_data(arguments.text("data")), arguments.number("sigma"), arguments.whole("repetitions", 1));
  return 0;
}
