// What "nearly free" means, in one number: exact leave-one-out errors at 100 lambdas against the one factorization
// they need. n = 2000 points, d = 8, Gaussian kernel; medians of 5 repetitions in this one process.
#include "problem.hpp"

int main() {
  constexpr std::int64_t n = 2000;
  constexpr std::int64_t d = 8;
  constexpr std::int64_t count = 100;
  constexpr int repetitions = 5;

  const bench::Problem problem = bench::make_problem(n, d);
  const bench::Model model = bench::make_model(bench::gaussian(2.0), problem);
  std::vector<double> lambdas(count);
  std::vector<double> scores(count);

  std::vector<double> factorize;
  std::vector<double> loo;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    bench::check(freeridge_set_route(model.get(), FREERIDGE_AUTO));  // forget the last factorization
    factorize.push_back(bench::seconds([&] { bench::check(freeridge_factorize(model.get())); }));
    bench::check(freeridge_lambda_grid(model.get(), count, lambdas.data()));
    loo.push_back(bench::seconds([&] {
      bench::check(freeridge_score(model.get(), FREERIDGE_LOO, count, lambdas.data(), scores.data(), count));
    }));
  }

  const double ratio = bench::median(loo) / bench::median(factorize);
  std::printf("%s\n", freeridge_build_info());
  std::printf("n = %lld, d = %lld, Gaussian, route %s, medians of %d\n", static_cast<long long>(n),
              static_cast<long long>(d), bench::route_name(model), repetitions);
  std::printf("  factorize once               %8.3f s\n", bench::median(factorize));
  std::printf("  exact LOO at %lld lambdas     %8.3f s\n", static_cast<long long>(count), bench::median(loo));
  std::printf("  ratio                        %8.3f, %s one half\n", ratio, ratio < 0.5 ? "below" : "NOT below");
  return 0;
}
