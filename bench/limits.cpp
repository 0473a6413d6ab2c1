// How far the dense routes go: memory and time by n, for the table in README.md.
//
//   limits [n ...]      times the n given (1000 and 5000 unless said); the memory of all sizes in the table is shown.
//
// Gaussian kernel, d = 8. "memory" is freeridge_memory_required; "peak" is what the process really used at most so far,
// the data included. SPECTRAL: one factorization, and the whole search over lambda by exact LOO (at least 100 values).
// CHOLESKY: one lambda, with its exact LOO.
#include <sys/resource.h>

#include <string>

#include "problem.hpp"

namespace {

constexpr std::int64_t features = 8;

std::string size_text(double bytes) {
  const double mebibytes = bytes / (1024.0 * 1024.0);
  char text[32];
  std::snprintf(text, sizeof text, mebibytes < 1000 ? "%.0f MiB" : "%.1f GiB",
                mebibytes < 1000 ? mebibytes : mebibytes / 1024.0);
  return text;
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 100 ? "%.2f s" : "%.0f s", seconds);
  return text;
}

std::string peak() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return size_text(static_cast<double>(usage.ru_maxrss) * 1024.0);
}

std::string memory(const bench::Model& model) {
  std::int64_t bytes = 0;
  bench::check(freeridge_memory_required(model.get(), &bytes));
  return size_text(static_cast<double>(bytes));
}

struct Row {
  std::int64_t n;
  bool timed;
};

struct Entries {
  std::string memory;
  std::string first = "-";
  std::string second = "-";
};

// The factorization, and the search over lambda after it.
Entries spectral(const Row& row, const bench::Kernel& kernel, const bench::Problem& problem) {
  const bench::Model model = bench::make_model(kernel, problem, FREERIDGE_SPECTRAL);
  Entries entries{memory(model)};
  if (!row.timed) return entries;
  double lambda = 0;
  double score = 0;
  entries.first = seconds_text(bench::seconds([&] { bench::check(freeridge_factorize(model.get())); }));
  entries.second = seconds_text(bench::seconds(
      [&] { bench::check(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 0, 0, &lambda, &score)); }));
  return entries;
}

// All of it for one lambda: kernel matrix, factorization, solution, exact LOO.
Entries cholesky(const Row& row, const bench::Kernel& kernel, const bench::Problem& problem) {
  const bench::Model model = bench::make_model(kernel, problem, FREERIDGE_CHOLESKY);
  Entries entries{memory(model)};
  if (!row.timed) return entries;
  std::vector<double> errors(static_cast<std::size_t>(row.n));
  entries.first = seconds_text(bench::seconds([&] {
    bench::check(freeridge_factorize(model.get()));
    bench::check(freeridge_set_lambda(model.get(), 0.1));
    bench::check(freeridge_loo(model.get(), errors.data(), row.n));
  }));
  return entries;
}

void print_row(const Row& row, const bench::Kernel& kernel) {
  const bench::Problem problem = bench::make_problem(row.n, features);
  const Entries every = spectral(row, kernel, problem);
  const Entries one = cholesky(row, kernel, problem);
  std::printf("%8lld %12s %12s %12s   | %12s %12s   | %12s\n", static_cast<long long>(row.n), every.memory.c_str(),
              every.first.c_str(), every.second.c_str(), one.memory.c_str(), one.first.c_str(),
              row.timed ? peak().c_str() : "-");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Row> rows{{1000, argc < 2}, {5000, argc < 2}, {10000, false}, {20000, false}};
  for (int i = 1; i < argc; ++i) {
    const std::int64_t n = std::strtoll(argv[i], nullptr, 10);
    if (n < 1) {
      std::fprintf(stderr, "limits: \"%s\" is not a number of points\n", argv[i]);
      return 1;
    }
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& other) { return other.n == n; });
    if (row != rows.end()) {
      row->timed = true;
    } else {
      rows.push_back({n, true});
    }
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.n < b.n; });

  const bench::Kernel kernel = bench::gaussian(2.0);
  std::printf("%s\n", freeridge_build_info());
  std::printf("%8s %38s   | %25s   |\n", "", "SPECTRAL, every lambda", "CHOLESKY, one lambda");
  std::printf("%8s %12s %12s %12s   | %12s %12s   | %12s\n", "n", "memory", "factorize", "LOO search", "memory",
              "fit and LOO", "peak so far");
  for (const Row& row : rows) print_row(row, kernel);
  return 0;
}
