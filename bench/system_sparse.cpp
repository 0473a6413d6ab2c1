// freeridge from C on sparse rows, by conjugate gradients: system_sparse data=FOLDER accuracy=A [estimate=yes] ...
//
//   seconds.total                 hyperplanes at all lambdas, from large to small
//   seconds.factorize             what comes before any lambda
//   seconds.1, .4, .7, .10        one lambda by itself, by its place in `lambdas` (every third)
//   seconds.estimate, estimates   estimated leave-one-out scores at the larger half of the lambdas
// CPU seconds (of all threads), from the data in memory to the answer. scores: |w|^2 lambda by lambda.
#include <ctime>

#include "handles.hpp"
#include "support.hpp"

namespace {

using bench::check;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Rows {
  explicit Rows(const std::string& folder)
      : value(bench::read_doubles(folder + "/value")),
        y(bench::read_doubles(folder + "/y")),
        lambdas(bench::read_doubles(folder + "/lambdas")),
        d(static_cast<std::int64_t>(bench::read_doubles(folder + "/features")[0])) {
    for (const double place : bench::read_doubles(folder + "/start")) start.push_back(static_cast<std::int64_t>(place));
    for (const double place : bench::read_doubles(folder + "/index")) index.push_back(static_cast<std::int32_t>(place));
  }
  std::int64_t n() const { return static_cast<std::int64_t>(y.size()); }

  std::vector<std::int64_t> start;
  std::vector<std::int32_t> index;
  std::vector<double> value, y, lambdas;
  std::int64_t d;
};

bench::Model factorized(const bench::Kernel& kernel, const Rows& rows, double accuracy) {
  freeridge_model* out = nullptr;
  check(freeridge_create(kernel.get(), &out));
  bench::Model model(out);
  freeridge_points points{};
  points.size = sizeof points;
  points.n = rows.n();
  points.d = rows.d;
  points.format = FREERIDGE_CSR;
  points.start = rows.start.data();
  points.index = rows.index.data();
  points.value = rows.value.data();
  check(freeridge_set_points(out, &points, 1, FREERIDGE_COL_MAJOR, 1, rows.y.data(), rows.n()));
  check(freeridge_set_parameter(out, FREERIDGE_ROUTE, FREERIDGE_ROUTE_ITERATIVE));
  check(freeridge_set_parameter(out, FREERIDGE_ACCURACY, accuracy));
  check(freeridge_factorize(out));
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv);
  bench::tell("version", freeridge_build_info());
  bench::tell_blas();
  const Rows rows(arguments.text("data"));
  const bench::Kernel kernel = bench::make_kernel("linear()");
  const double accuracy = arguments.number("accuracy");
  const auto count = static_cast<std::int64_t>(rows.lambdas.size());
  std::vector<double> w(static_cast<std::size_t>(rows.d * count)), sizes, scores(rows.lambdas.size()),
      errors(scores.size());
  const bench::Memory memory;
  std::vector<double> total;
  for (std::int64_t repetition = arguments.whole("repetitions", 1); repetition > 0; --repetition) {
    const double before = cpu_seconds();
    const bench::Model model = factorized(kernel, rows, accuracy);
    check(freeridge_hyperplane(model.get(), count, rows.lambdas.data(), w.data(), rows.d, nullptr));
    total.push_back(cpu_seconds() - before);
  }
  memory.tell();
  bench::tell_numbers("seconds.total", total);
  for (std::int64_t l = 0; l < count; ++l) {
    double square = 0;
    for (std::int64_t k = 0; k < rows.d; ++k)
      square += w[static_cast<std::size_t>(l * rows.d + k)] * w[static_cast<std::size_t>(l * rows.d + k)];
    sizes.push_back(square);
  }
  bench::tell_numbers("scores", sizes);
  bench::Model model;
  std::vector<double> set_up;
  for (std::int64_t repetition = arguments.whole("repetitions", 1); repetition > 0; --repetition) {
    const double before = cpu_seconds();
    model = factorized(kernel, rows, accuracy);
    set_up.push_back(cpu_seconds() - before);
  }
  bench::tell_numbers("seconds.factorize", set_up);
  for (std::int64_t l = 0; l < count; l += 3) {
    std::vector<double> one;
    for (std::int64_t repetition = arguments.whole("repetitions", 1); repetition > 0; --repetition) {
      const double before = cpu_seconds();
      check(freeridge_set_lambda(model.get(), rows.lambdas[static_cast<std::size_t>(l)]));
      one.push_back(cpu_seconds() - before);
    }
    bench::tell_numbers("seconds." + std::to_string(l + 1), one);
  }
  std::int64_t required = 0;
  check(freeridge_memory_required(model.get(), &required));
  bench::tell_numbers("required", {static_cast<double>(required)});
  bench::tell("route", bench::route_name(model));
  if (arguments.has("estimate")) {
    const std::int64_t half = count / 2;
    const double before = cpu_seconds();
    check(freeridge_estimate_score(model.get(), FREERIDGE_LOO, 0, half, rows.lambdas.data() + (count - half),
                                   scores.data(), errors.data(), half));
    bench::tell_numbers("seconds.estimate", {cpu_seconds() - before});
    bench::tell_numbers("estimates", {scores.begin(), scores.begin() + half});
    bench::tell_numbers("errors", {errors.begin(), errors.begin() + half});
  }
  return 0;
}
