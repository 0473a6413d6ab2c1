// Rows from a file beside rows in memory: CPU seconds and the most memory of a fit with exact left-out errors at 100 lambdas.
//     reader make FILE n d                  writes x, n x d row by row, and then y: uniform numbers, a smooth y with noise
//     reader read FILE n d [landmarks]      the rows by freeridge_set_points, a reader's
//     reader memory FILE n d [landmarks]    the same rows in memory, borrowed
// Without landmarks the kernel is linear, else Gaussian with sigma = 3, and every (n / landmarks)-th row is one.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "freeridge.h"

namespace {

constexpr std::int64_t lambdas = 100;

void check(freeridge_status status) {
  if (status == FREERIDGE_OK) return;
  std::fprintf(stderr, "%s\n", freeridge_last_error());
  std::exit(1);
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double peak_mib() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

struct File {
  int descriptor;
  std::int64_t n, d;

  bool read(double* to, std::int64_t first, std::int64_t count) const {
    char* at = reinterpret_cast<char*>(to);
    std::int64_t left = 8 * count, place = 8 * first;
    while (left > 0) {
      const ssize_t got = pread(descriptor, at, static_cast<std::size_t>(left), place);
      if (got <= 0) return false;
      at += got;
      place += got;
      left -= got;
    }
    return true;
  }
};

std::int64_t rows(std::int64_t first, std::int64_t count, double* x, double* y, double*, void* user) {
  const File& file = *static_cast<const File*>(user);
  const std::int64_t got = std::min(count, file.n - first);
  if (got <= 0) return 0;
  return file.read(x, first * file.d, got * file.d) && file.read(y, file.n * file.d + first, got) ? got : -1;
}

int make(const char* path, std::int64_t n, std::int64_t d) {
  std::FILE* const file = std::fopen(path, "wb");
  if (file == nullptr) return 1;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1.732, 1.732);
  std::vector<double> x(static_cast<std::size_t>(d)), y;
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = uniform(random);
      if (k < 5) sum += x[k];
    }
    y.push_back(sum + std::sin(sum) + 0.5 * uniform(random));
    if (std::fwrite(x.data(), 8, x.size(), file) != x.size()) return 1;
  }
  const bool written = std::fwrite(y.data(), 8, y.size(), file) == y.size();
  return std::fclose(file) == 0 && written ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count < 5) return std::fprintf(stderr, "reader make|read|memory FILE n d [landmarks]\n"), 1;
  const std::int64_t n = std::atoll(words[3]), d = std::atoll(words[4]), r = count > 5 ? std::atoll(words[5]) : 0;
  if (std::strcmp(words[1], "make") == 0) return make(words[2], n, d);
  File file{open(words[2], O_RDONLY), n, d};
  freeridge_kernel* kernel = nullptr;
  freeridge_model* model = nullptr;
  check(r > 0 ? freeridge_kernel_gaussian(3, &kernel) : freeridge_kernel_linear(&kernel));
  check(freeridge_create(kernel, &model));
  std::vector<double> x, y, lambda(lambdas), scores(lambdas);
  for (std::size_t l = 0; l < lambda.size(); ++l) lambda[l] = std::pow(10.0, -3 + 9 * static_cast<double>(l) / 99);
  freeridge_points points{};
  points.size = sizeof points;
  points.n = n;
  points.d = d;
  points.layout = FREERIDGE_ROW_MAJOR;
  if (std::strcmp(words[1], "read") == 0) {
    points.reader = rows;
    points.user = &file;
    check(freeridge_set_points(model, &points, 0, FREERIDGE_ROW_MAJOR, 1, nullptr, 0));
  } else {
    x.resize(static_cast<std::size_t>(n * d));
    y.resize(static_cast<std::size_t>(n));
    if (rows(0, n, x.data(), y.data(), nullptr, &file) != n) return 1;
    points.x = x.data();
    check(freeridge_set_points(model, &points, 1, FREERIDGE_ROW_MAJOR, 1, y.data(), 1));
    check(freeridge_set_parameter(model, FREERIDGE_ROUTE, r > 0 ? FREERIDGE_ROUTE_LANDMARK : FREERIDGE_ROUTE_PRIMAL));
  }
  std::vector<std::int64_t> landmarks;
  for (std::int64_t k = 0; k < r; ++k) landmarks.push_back(k * (n / r));
  if (r > 0) check(freeridge_set_landmarks(model, r, landmarks.data()));
  const double begin = cpu_seconds();
  check(freeridge_factorize(model));
  const double factorized = cpu_seconds();
  check(freeridge_score(model, FREERIDGE_LOO, lambdas, lambda.data(), scores.data(), nullptr, lambdas));
  const double end = cpu_seconds();
  std::printf("%s: factorize %.2f s, score %.2f s, together %.2f s of CPU; peak %.0f MiB; lowest LOO %.12g\n", words[1],
              factorized - begin, end - factorized, end - begin, peak_mib(),
              *std::min_element(scores.begin(), scores.end()));
  freeridge_destroy(model);
  freeridge_kernel_destroy(kernel);
}
