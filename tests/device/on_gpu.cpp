// What a GPU computes, and how long that takes: on_gpu DEVICE [PART]. Makes its own data, prints a line for each check
// (ok or FAIL) and a table of seconds beside what they may be at most on one H100, and ends with the number of failures.
// PART: rows are 1 / PART as many, and no time is judged (to try the program itself).
#include <freeridge.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

int failures = 0;

void judge(bool ok, const std::string& what) {
  std::printf("%s %s\n", ok ? "ok  " : "FAIL", what.c_str());
  std::fflush(stdout);
  if (!ok) ++failures;
}

// A call that must succeed.
void must(freeridge_status status) {
  if (status == FREERIDGE_OK) return;
  judge(false, std::string(freeridge_status_name(status)) + ": " + freeridge_last_error());
  std::exit(1);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// n points in (0, 1)^8, and outputs that a smooth function and noise make of them.
struct Data {
  explicit Data(std::int64_t rows) : n(rows), x(static_cast<std::size_t>(rows * d)), y(static_cast<std::size_t>(rows)) {
    std::uint64_t state = 48;
    const auto uniform = [&] {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return static_cast<double>(state >> 11) * 0x1p-53;
    };
    for (double& value : x) value = uniform();
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = std::sin(6 * x[i]) + x[i + y.size()] * x[i + 2 * y.size()] + 0.3 * (uniform() + uniform() - 1);
  }
  static constexpr std::int64_t d = 8;
  std::int64_t n;
  std::vector<double> x, y;
};

class Model {
 public:
  Model(const Data& data, const char* kernel_text, freeridge_device device, freeridge_route route) : n_(data.n) {
    freeridge_kernel* kernel = nullptr;
    must(freeridge_kernel_parse(kernel_text, &kernel));
    must(freeridge_create(kernel, &model_));
    freeridge_kernel_destroy(kernel);
    must(freeridge_set_data(model_, FREERIDGE_COL_MAJOR, data.n, Data::d, data.x.data(), data.n, 1, data.y.data(),
                            data.n));
    must(freeridge_set_parameter(model_, FREERIDGE_ROUTE, route));
    const double start = now();
    must(freeridge_set_parameter(model_, FREERIDGE_DEVICE, device));
    opened = now() - start;
  }
  ~Model() { freeridge_destroy(model_); }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  double factorize() {
    const double start = now();
    must(freeridge_factorize(model_));
    return now() - start;
  }
  std::vector<double> loo(double lambda) {
    std::vector<double> errors(static_cast<std::size_t>(n_));
    must(freeridge_set_lambda(model_, lambda));
    must(freeridge_loo(model_, errors.data(), n_));
    return errors;
  }
  std::vector<double> group_errors(double lambda) {
    std::vector<double> errors(static_cast<std::size_t>(n_));
    std::vector<std::int32_t> group(errors.size());
    for (std::size_t i = 0; i < group.size(); ++i) group[i] = static_cast<std::int32_t>(i % 10);
    must(freeridge_set_lambda(model_, lambda));
    must(freeridge_group_errors(model_, group.data(), 0, nullptr, errors.data(), n_));
    return errors;
  }
  // The leave-one-out scores of 100 lambdas.
  std::vector<double> scores() {
    std::vector<double> lambdas(100), out(100);
    for (std::size_t l = 0; l < lambdas.size(); ++l) lambdas[l] = std::pow(10, -4 + 0.06 * static_cast<double>(l));
    must(freeridge_score(model_, FREERIDGE_LOO, 100, lambdas.data(), out.data(), nullptr, 100));
    return out;
  }
  void explain() {
    std::vector<char> text(8192);
    std::int64_t length = 0;
    must(freeridge_explain(model_, 8192, text.data(), &length));
    std::printf("%s\n", text.data());
  }

  double opened = 0;

 private:
  std::int64_t n_;
  freeridge_model* model_ = nullptr;
};

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
    if (!(std::abs(a[i] - b[i]) >= 0)) return HUGE_VAL;
  }
  return most / size;
}

constexpr const char* gaussian = "gaussian(sigma = 1)";
constexpr const char* made_of_all =
    "1 * matern(nu = 1.5, length = 1) + 2 * additive(matern(nu = 1.5, length = 1)) + 0.5 * product(laplacian(sigma = "
    "2), "
    "polynomial(degree = 2, scale = 0.3, offset = 1)) + 0.1 * scaled([1, 2, 3, 4, 5, 6, 7, 8], matern(nu = 2.5, length "
    "= 1)) + 0.3 * multiplicative(1 * constant() + 0.1 * periodic(period = 3, gaussian(sigma = 1))) + 0.2 * "
    "additive([0, "
    "0, -1, -1, -1, -1, -1, -1], sphere(matern(nu = 1.5, length = 0.01)))";

}  // namespace

int main(int count, char** arguments) {
  const freeridge_device device = count > 1 ? std::atoi(arguments[1]) : FREERIDGE_DEVICE_CUDA;
  const std::int64_t part = count > 2 ? std::atoi(arguments[2]) : 1;
  struct Row {
    std::string what;
    double seconds, most;
  };
  std::vector<Row> table;
  char line[200];

  // The same answers as the CPU.
  const Data few(2000 / part);
  double first_time = 0;
  for (const char* const kernel : {gaussian, made_of_all})
    for (const freeridge_route route : {FREERIDGE_ROUTE_CHOLESKY, FREERIDGE_ROUTE_SPECTRAL}) {
      Model there(few, kernel, device, route), here(few, kernel, FREERIDGE_DEVICE_CPU, route);
      const double seconds = there.factorize(), on_cpu = here.factorize();
      if (table.empty()) {
        first_time = there.opened + seconds;
        table.push_back({"the libraries, a context and the first kernels", there.opened + seconds, 0});
        there.explain();
      }
      const double by_rows = difference(there.loo(0.1), here.loo(0.1)),
                   by_groups = difference(there.group_errors(0.1), here.group_errors(0.1));
      std::snprintf(line, sizeof line,
                    "n = %lld, %s, %s: left-out errors of rows %.1e, of groups %.1e; %.3f s, CPU %.3f s",
                    static_cast<long long>(few.n), route == FREERIDGE_ROUTE_CHOLESKY ? "CHOLESKY" : "SPECTRAL",
                    kernel == gaussian ? "Gaussian" : "a kernel of all kernels", by_rows, by_groups, seconds, on_cpu);
      judge(by_rows < 1e-9 && by_groups < 1e-9, line);
    }
  judge(part > 1 || first_time < 10, "set-up takes less than 10 s");

  // The targets.
  {
    const Data many(16000 / part);
    const double start = now();
    Model spectral(many, gaussian, device, FREERIDGE_ROUTE_SPECTRAL);
    const double factorized = spectral.factorize();
    const std::vector<double> scores = spectral.scores();
    table.push_back({"n = 16000, exact LOO at 100 lambdas, from data in host memory", now() - start, 6});
    table.push_back({"  of it the eigenvectors, in the host's memory", factorized, 0});
    Model cholesky(many, gaussian, device, FREERIDGE_ROUTE_CHOLESKY);
    table.push_back({"n = 16000, CHOLESKY: kernel matrix", cholesky.factorize(), 0});
    const double lambda_start = now();
    const std::vector<double> errors = cholesky.loo(0.1);
    table.push_back({"  a lambda with its LOO", now() - lambda_start, 0});
    const double apart = difference(errors, spectral.loo(0.1));
    std::snprintf(line, sizeof line, "n = %lld: errors by CHOLESKY and by SPECTRAL are %.1e apart",
                  static_cast<long long>(many.n), apart);
    judge(apart < 1e-8, line);
    const double group_start = now();
    const std::vector<double> of_groups = cholesky.group_errors(0.1);
    table.push_back({"  10-fold errors", now() - group_start, 0});
    const double groups = difference(of_groups, spectral.group_errors(0.1));
    std::snprintf(line, sizeof line, "n = %lld: errors of ten folds are %.1e apart", static_cast<long long>(many.n),
                  groups);
    judge(groups < 1e-8, line);
  }
  {
    const Data most(40000 / part);
    const double start = now();
    Model cholesky(most, gaussian, device, FREERIDGE_ROUTE_CHOLESKY);
    const double factorized = cholesky.factorize();
    const std::vector<double> errors = cholesky.loo(0.1);
    table.push_back({"n = 40000, exact LOO at one lambda, from data in host memory", now() - start, 5});
    table.push_back({"  of it the kernel matrix", factorized, 0});
    double sum = 0, norm = 0;
    for (std::size_t i = 0; i < errors.size(); ++i) sum += errors[i] * errors[i], norm += most.y[i] * most.y[i];
    std::snprintf(line, sizeof line, "n = %lld: root mean square of the left-out errors %.4f",
                  static_cast<long long>(most.n), std::sqrt(sum / static_cast<double>(errors.size())));
    judge(sum > 0 && sum < norm, line);
  }
  {
    const Data many(16000 / part);
    Model all(many, made_of_all, device, FREERIDGE_ROUTE_CHOLESKY);
    table.push_back({"n = 16000, a kernel of all kernels: kernel matrix", all.factorize(), 0});
  }

  std::printf("\n%-64s %10s %10s\n", "", "seconds", "at most");
  for (const Row& row : table) {
    std::printf("%-64s %10.3f", row.what.c_str(), row.seconds);
    row.most > 0 ? std::printf(" %10.1f\n", row.most) : std::printf("\n");
  }
  for (const Row& row : table)
    if (row.most > 0 && part == 1) judge(row.seconds <= row.most, row.what + ": within its time on one H100");
  std::printf("%d failed\n", failures);
  return failures > 0 ? 1 : 0;
}
