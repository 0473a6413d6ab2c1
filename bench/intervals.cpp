// How long a call goes without asking, and how long it takes to leave: for every call that hears a progress callback,
// the longest time between two callbacks (the beginning and the end of the call included) and, cancelled at several
// moments, the longest time from the callback's yes to the return.
//
//     intervals ROUTE N D [T [R [M]]]
//     ROUTE: cholesky, spectral, band, primal, landmark (R landmarks), logistic, hinge, accumulator;  M new points
//
// One line a call:  name  seconds  callbacks  longest-interval  longest-leave   (seconds)
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "handles.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Watch {
  Clock::time_point start, last, asked;
  double longest = 0, cancel_after = HUGE_VAL;
  long calls = 0;
  void begin(double after) {
    *this = Watch();
    cancel_after = after;
    start = last = Clock::now();
  }
  void tick() {
    longest = std::max(longest, seconds_since(last));
    last = Clock::now();
    ++calls;
  }
  static std::int32_t hear(double, void* user) {
    auto* self = static_cast<Watch*>(user);
    self->tick();
    if (seconds_since(self->start) < self->cancel_after) return 0;
    self->asked = Clock::now();
    return 1;
  }
};

Watch watch;

// call() whole, then cancelled after some fractions of its time; whole again at the end, where others need what it
// left.
void measure(const char* name, const std::function<freeridge_status()>& call, bool again = false) {
  watch.begin(HUGE_VAL);
  bench::check(call());
  watch.tick();
  const double whole = seconds_since(watch.start), longest = watch.longest;
  const long calls = watch.calls;
  double leave = 0, blind = longest;
  for (const double part : {0.03, 0.1, 0.25, 0.5, 0.75, 0.9}) {
    watch.begin(part * whole);
    const freeridge_status status = call();
    if (status == FREERIDGE_CANCELLED)
      leave = std::max(leave, seconds_since(watch.asked));
    else
      bench::check(status);
    blind = std::max(blind, watch.longest);
  }
  if (again) {
    watch.begin(HUGE_VAL);
    bench::check(call());
  }
  std::printf("%-26s %9.3f %8ld %9.4f %9.4f%s\n", name, whole, calls, blind, leave,
              blind > 0.1 || leave > 0.2 ? "   <-" : "");
  std::fflush(stdout);
}

struct Sizes {
  std::int64_t n, d, t, r, m;
};

std::vector<double> uniform(std::int64_t count, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> values(-1, 1);
  std::vector<double> out(static_cast<std::size_t>(count));
  for (double& value : out) value = values(engine);
  return out;
}

void measure_model(freeridge_route route, const Sizes& s) {
  const bool linear = route == FREERIDGE_ROUTE_PRIMAL;
  const bench::Kernel kernel = bench::make_kernel(linear ? "linear()" : "gaussian(sigma = 2)");
  const std::vector<double> x = uniform(s.n * s.d, 1), y = uniform(s.n * s.t, 2), points = uniform(s.m * s.d, 3);
  freeridge_model* model = nullptr;
  bench::check(freeridge_create(kernel.get(), &model));
  const bench::Model owner(model);
  bench::check(freeridge_set_progress(model, Watch::hear, &watch));
  const freeridge_points rows = bench::points_of(FREERIDGE_COL_MAJOR, s.n, s.d, x.data()),
                         new_points = bench::points_of(FREERIDGE_COL_MAJOR, s.m, s.d, points.data());
  const auto set_data = [&] { return freeridge_set_points(model, &rows, 1, FREERIDGE_COL_MAJOR, s.t, y.data(), s.n); };
  measure("set_data",
          [&] { return freeridge_set_data(model, FREERIDGE_COL_MAJOR, s.n, s.d, x.data(), s.n, s.t, y.data(), s.n); });
  measure("set_points", set_data, true);
  bench::check(freeridge_set_parameter(model, FREERIDGE_ROUTE, route));
  if (route == FREERIDGE_ROUTE_LANDMARK) bench::check(freeridge_set_landmarks(model, s.r, nullptr));
  std::vector<double> one(static_cast<std::size_t>(s.n * s.t)), two = one, out(static_cast<std::size_t>(s.m * s.t)),
                                                                upper = out, few(static_cast<std::size_t>(10 * s.t)),
                                                                noise(static_cast<std::size_t>(s.t));
  const double lambdas[] = {0.01, 0.1, 1, 10};
  std::vector<std::int32_t> group(static_cast<std::size_t>(s.n));
  bench::check(freeridge_make_folds(s.n, 5, 1, group.data()));
  bench::check(freeridge_set_groups(model, 1, group.data(), 0, nullptr));
  if (route == FREERIDGE_ROUTE_BAND) {  // Q is formed late
    bench::check(freeridge_set_parameter(model, FREERIDGE_EXPECTED_CRITERION, FREERIDGE_GCV));
    watch.begin(HUGE_VAL);
    bench::check(freeridge_factorize(model));
    bench::check(freeridge_set_lambda(model, 0.5));
    measure("loo, forming Q", [&] { return freeridge_loo(model, one.data(), s.n); });
    bench::check(freeridge_set_parameter(model, FREERIDGE_EXPECTED_CRITERION, FREERIDGE_LOO));
  }
  measure(
      "factorize", [&] { return freeridge_factorize(model); }, true);
  measure(
      "set_lambda", [&] { return freeridge_set_lambda(model, 0.5); }, true);
  measure("loo", [&] { return freeridge_loo(model, one.data(), s.n); });
  measure("get_leverage", [&] { return freeridge_get_leverage(model, one.data(), s.n); });
  measure("get_fitted", [&] { return freeridge_get_fitted(model, one.data(), s.n); });
  measure("coefficients", [&] { return freeridge_coefficients(model, 0, nullptr, one.data(), s.n, nullptr); });
  measure("degrees_of_freedom", [&] { return freeridge_degrees_of_freedom(model, few.data(), nullptr); });
  measure("cooks_distance", [&] { return freeridge_cooks_distance(model, one.data(), s.n); });
  measure("group_errors", [&] { return freeridge_group_errors(model, group.data(), 0, nullptr, one.data(), s.n); });
  for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML, FREERIDGE_GROUPS})
    measure(("score, criterion " + std::to_string(criterion)).c_str(),
            [&] { return freeridge_score(model, criterion, 4, lambdas, few.data(), nullptr, 10); });
  if (route != FREERIDGE_ROUTE_CHOLESKY)
    measure("select_lambda",
            [&] { return freeridge_select_lambda(model, FREERIDGE_LOO, 0.01, 10, few.data(), noise.data()); });
  const auto order = FREERIDGE_COL_MAJOR;
  measure("predict", [&] { return freeridge_predict(model, order, s.m, points.data(), s.m, out.data(), s.m); });
  measure("predict_jackknife", [&] {
    return freeridge_predict_jackknife(model, &new_points, 0.9, -1, 0, order, out.data(), upper.data(), s.m);
  });
  measure("predict_variance",
          [&] { return freeridge_predict_variance(model, &new_points, order, out.data(), s.m, noise.data()); });
  if (route == FREERIDGE_ROUTE_LANDMARK) {
    measure("landmark_trace", [&] { return freeridge_landmark_trace(model, few.data(), few.data() + 1); });
  }
}

struct DestroyClassifier {
  void operator()(freeridge_classifier* classifier) const { freeridge_classifier_destroy(classifier); }
};

void measure_classifier(freeridge_loss loss, const Sizes& s) {
  const bench::Kernel kernel = bench::make_kernel("gaussian(sigma = 2)");
  const std::vector<double> x = uniform(s.n * s.d, 1), points = uniform(s.m * s.d, 3);
  const freeridge_points rows = bench::points_of(FREERIDGE_COL_MAJOR, s.n, s.d, x.data()),
                         new_points = bench::points_of(FREERIDGE_COL_MAJOR, s.m, s.d, points.data());
  std::vector<double> y = uniform(s.n, 2), out(static_cast<std::size_t>(std::max(s.n, s.m)));
  for (std::int64_t i = 0; i < s.n; ++i)
    y[static_cast<std::size_t>(i)] = y[static_cast<std::size_t>(i)] + 2 * x[static_cast<std::size_t>(i)] > 0 ? 1 : -1;
  freeridge_classifier* classifier = nullptr;
  bench::check(freeridge_classifier_create(kernel.get(), loss, &classifier));
  const std::unique_ptr<freeridge_classifier, DestroyClassifier> owner(classifier);
  bench::check(freeridge_classifier_set_progress(classifier, Watch::hear, &watch));
  const auto set_data = [&] { return freeridge_classifier_set_data(classifier, &rows, y.data()); };
  measure("set_data", set_data, true);
  double lambda = 1;
  measure(
      "fit", [&] { return freeridge_classifier_fit(classifier, lambda *= 1.5); }, true);
  if (loss == FREERIDGE_LOSS_LOGISTIC) measure("loo", [&] { return freeridge_classifier_loo(classifier, out.data()); });
  measure("predict", [&] { return freeridge_classifier_predict(classifier, &new_points, out.data(), nullptr); });
}

void measure_accumulator(const Sizes& s) {
  const std::vector<double> x = uniform(s.n * s.d, 1), y = uniform(s.n * s.t, 2);
  freeridge_accumulator *accumulator = nullptr, *other = nullptr;
  bench::check(freeridge_accumulator_create(s.d, s.t, 1, &accumulator));
  const bench::Accumulator owner(accumulator);
  bench::check(freeridge_accumulator_create(s.d, s.t, 1, &other));
  const bench::Accumulator other_owner(other);
  bench::check(freeridge_accumulator_set_progress(accumulator, Watch::hear, &watch));
  const freeridge_points rows = bench::points_of(FREERIDGE_COL_MAJOR, s.n, s.d, x.data());
  freeridge_points row = rows;
  row.n = 1;
  row.ldx = s.n;
  const auto add_to = [&](freeridge_accumulator* to) {
    return freeridge_accumulator_add(to, &rows, FREERIDGE_COL_MAJOR, y.data(), s.n, nullptr);
  };
  bench::check(add_to(other));
  const double lambda = 1;
  std::vector<double> w(static_cast<std::size_t>(s.d * s.t)), b(static_cast<std::size_t>(s.t)),
      errors(static_cast<std::size_t>(s.n * s.t));
  measure(
      "add", [&] { return add_to(accumulator); }, true);
  measure(
      "merge", [&] { return freeridge_accumulator_merge(accumulator, other); }, true);
  measure("add a row and solve", [&] {
    const freeridge_status status =
        freeridge_accumulator_add(accumulator, &row, FREERIDGE_COL_MAJOR, y.data(), s.n, nullptr);
    return status != FREERIDGE_OK ? status
                                  : freeridge_accumulator_solve(accumulator, 1, &lambda, w.data(), s.d, b.data());
  });
  measure("loo", [&] {
    return freeridge_accumulator_errors(accumulator, &rows, FREERIDGE_COL_MAJOR, y.data(), s.n, nullptr, nullptr, 1,
                                        &lambda, errors.data(), s.n);
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "intervals ROUTE N D [T [R [M]]]\n");
    return 2;
  }
  const auto number = [&](int i, std::int64_t usual) { return argc > i ? std::atoll(argv[i]) : usual; };
  const Sizes size = {number(2, 0), number(3, 0), number(4, 1), number(5, 1000), number(6, 20000)};
  const std::string route = argv[1];
  std::printf("%s, n = %s, d = %s\n%-26s %9s %8s %9s %9s\n", argv[1], argv[2], argv[3], "call", "seconds", "heard",
              "interval", "leave");
  if (route == "logistic") return measure_classifier(FREERIDGE_LOSS_LOGISTIC, size), 0;
  if (route == "hinge") return measure_classifier(FREERIDGE_LOSS_HINGE, size), 0;
  if (route == "accumulator") return measure_accumulator(size), 0;
  for (const auto& each : bench::routes)
    if (route == each.name && each.route != FREERIDGE_ROUTE_AUTO) return measure_model(each.route, size), 0;
  std::fprintf(stderr, "%s is no route\n", argv[1]);
  return 2;
}
