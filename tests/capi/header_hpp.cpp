// freeridge.hpp, first and twice, with every warning an error: owners, exceptions, and what safe-looking code may try.
// Compiled as C++17 and as C++20, where a std::span is a view, too; and linked with the static library, whose own names
// it must not meet.
// clang-format off
#include <freeridge.hpp>
#include <freeridge.hpp>
// clang-format on

#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <type_traits>

using freeridge::Accumulator;
using freeridge::Error;
using freeridge::Kernel;
using freeridge::Matrix;
using freeridge::Model;
using freeridge::Numbers;
using freeridge::View;

static_assert(!std::is_copy_constructible_v<Model> && std::is_nothrow_move_constructible_v<Model>);
static_assert(std::is_nothrow_move_assignable_v<Accumulator> && std::is_move_assignable_v<Matrix>);
static_assert(std::is_same_v<decltype(std::declval<const Model&>().get()), const freeridge_model*>);
static_assert(!std::is_constructible_v<View, Numbers> && std::is_convertible_v<Numbers&, View>);
static_assert(!std::is_constructible_v<View, Numbers, int, int, freeridge_layout>);
static_assert(!std::is_constructible_v<Kernel, decltype(&freeridge_kernel_linear)>);

namespace {

int failures = 0;

#define EXPECT(condition) expect((condition), #condition, __LINE__)
void expect(bool holds, const char* what, int line) {
  if (holds) return;
  std::printf("line %d: %s\n", line, what);
  ++failures;
}

#define EXPECT_REFUSED(wanted, ...) EXPECT(status_of([&] { (void)(__VA_ARGS__); }) == (wanted))
template <class Body>
freeridge_status status_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT(std::string(error.what()).find(freeridge_status_name(error.status)) == 0);
    return error.status;
  }
  return FREERIDGE_OK;
}

bool close(double a, double b) {
  return std::fabs(a - b) <= 1e-10 * (1 + std::fabs(b));
}

Numbers points(std::size_t n) {
  Numbers x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(0.7 * static_cast<double>(i)) + 0.1 * static_cast<double>(i);
  return x;
}

void views() {
  const Numbers v = points(12);
  const std::size_t sizes[] = {0, 1, 3, 4, 12, 13, 1U << 24, 1U << 31, std::size_t{1} << 32, SIZE_MAX / 2, SIZE_MAX};
  for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR})
    for (const std::size_t rows : sizes)
      for (const std::size_t columns : sizes) {
        const bool some = rows > 0 && columns > 0 && rows <= 12 && columns <= 12;
        const bool fits = some && rows * columns == 12;  // all of the vector
        EXPECT_REFUSED(fits ? FREERIDGE_OK : FREERIDGE_INVALID_ARGUMENT, View(v, rows, columns, layout));
        for (const std::size_t ld : sizes) {
          const std::size_t line = layout == FREERIDGE_COL_MAJOR ? rows : columns, lines = rows + columns - line;
          const bool with_gaps = some && ld >= line && ld <= 13 && (lines - 1) * ld + line <= 12;
          const bool one_line = some && lines == 1 && ld >= line && ld <= 2147483647;
          EXPECT_REFUSED(with_gaps || one_line ? FREERIDGE_OK : FREERIDGE_INVALID_ARGUMENT,
                         View(v.data(), 12, rows, columns, ld, layout));
        }
      }
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, View(v.data(), 12, 3, 4, 3, 7));
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, View(nullptr, 12, 3, 4, 3));
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, View(Numbers().data(), 0, 0, 0, 0));
  const View column(v.data(), 12, 3, 1, 5), row_wise(v.data(), 12, 3, 1, 1, FREERIDGE_ROW_MAJOR),
      gaps(v.data(), 12, 3, 1, 2, 2);
  EXPECT(column.ld_beside(row_wise) == 1 && row_wise.ld_beside(column) == 3 && gaps.ld_beside(row_wise) == 2);
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, gaps.ld_beside(column));
#ifdef __cpp_lib_span
  EXPECT(View(std::span(v).subspan(2, 4), 2, 2, FREERIDGE_ROW_MAJOR).data == v.data() + 2);
  EXPECT(View(std::span<const double>(v)).rows == 12);
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, View(std::span(v).first(3), 2, 2, FREERIDGE_ROW_MAJOR));
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, View(std::span(v).first(5), 2, 2, FREERIDGE_ROW_MAJOR));
#else
  static_assert(__cplusplus < 202002L);
#endif
}

void models() {
  const std::size_t n = 12;
  const Numbers y = points(n);
  Numbers x(2 * n), both(y);  // row by row; y and 2 y + 1 side by side
  std::iota(x.begin(), x.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) x[2 * i + 1] = std::cos(static_cast<double>(i));
  for (std::size_t i = 0; i < n; ++i) both.push_back(2 * y[i] + 1);
  const View rows(x, n, 2, FREERIDGE_ROW_MAJOR);
  Model model(Kernel::gaussian(5).scaled({1, 2}));
  EXPECT_REFUSED(FREERIDGE_INVALID_STATE, model.factorize());
  EXPECT_REFUSED(FREERIDGE_INVALID_STATE, model.loo());
  model.set_data(rows, y);
  model.set_weights(Numbers(n, 1.0));
  model.factorize();
  const Matrix best = model.select_lambda(FREERIDGE_LOO);
  const Matrix errors = model.loo();
  double mean = 0;
  for (const double error : errors.numbers) mean += error * error / static_cast<double>(n);
  EXPECT(close(best(0, 1), mean) && close(model.score(FREERIDGE_LOO, {best(0)})(0), mean));
  std::vector<std::int32_t> each(n);
  std::iota(each.begin(), each.end(), 0);
  EXPECT(close(model.group_errors(each)(5), errors(5)));
  EXPECT(close(y[3] - model.predict(rows)(3), best(0) * model.coefficients()(3)));  // W_ii (y - f) = lambda c
  EXPECT(model.sizes()[0] == 12 && model.sizes()[1] == 2 && model.select_bandwidth(FREERIDGE_LOO, 1, 9) >= 1);

  for (const std::size_t wrong : {std::size_t{0}, n - 1, n + 1}) {
    EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, model.set_weights(Numbers(wrong, 1.0)));
    EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, model.group_errors(std::vector<std::int32_t>(wrong)));
  }
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, model.set_lambdas({1, 1}));
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, model.predict(y));
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, model.set_data(rows, both));
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, model.score(FREERIDGE_LOO, {}));
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, Kernel::gaussian(-1));
  EXPECT_REFUSED(FREERIDGE_IO, Model::load("/does/not/exist"));
  for (const std::int64_t i : {std::int64_t{-1}, std::int64_t{12}, std::numeric_limits<std::int64_t>::max()}) try {
      errors(i);
      EXPECT(false);
    } catch (const std::out_of_range&) {
    }

  const std::string cut("linear()\0 and more", 18);
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, Kernel::parse(cut));
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, model.save(cut));
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, Model::load(cut));

  // Two outputs, by rows and by columns; a model that is moved.
  Numbers by_row;
  for (std::size_t i = 0; i < n; ++i) by_row.insert(by_row.end(), {y[i], 2 * y[i] + 1});
  Model two(Kernel::parse("1 * linear()"));
  two.set_data_view(rows, View(by_row, n, 2, FREERIDGE_ROW_MAJOR));
  two.factorize();
  two.set_lambdas({0.5, 0.5});
  const Matrix w = two.hyperplane(), b = two.intercept(), f = two.predict(rows);
  EXPECT(close(w(1, 1), 2 * w(1, 0)) && close(b(1), 2 * b(0) + 1) && close(f(7, 1), 2 * f(7, 0) + 1));
  EXPECT(close(f(7, 0), w(0, 0) * x[14] + w(1, 0) * x[15] + b(0)));
  const Model moved = std::move(two);
  EXPECT(close(moved.loo()(4, 1), 2 * moved.loo()(4, 0)));
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, two.loo());  // NOLINT(bugprone-use-after-move)

  Accumulator sums(2, 2), half(2, 2);
  const auto part = [&](std::size_t first) { return View(x.data() + 2 * first, 12, 6, 2, 2, FREERIDGE_ROW_MAJOR); };
  sums.add(part(0), View(by_row.data(), 12, 6, 2, 2, FREERIDGE_ROW_MAJOR));
  half.add(part(6), View(by_row.data() + 12, 12, 6, 2, 2, FREERIDGE_ROW_MAJOR));
  sums.merge(half);
  const auto [slope, start] = sums.solve(0.5);
  EXPECT(sums.sizes()[0] == 12 && close(slope(0, 1), w(0, 1)) && close(start(1), b(1)));
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, sums.add(rows, y));
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, sums.add(View(y, 6, 2, FREERIDGE_ROW_MAJOR), rows));
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, Accumulator(SIZE_MAX, 1));

  freeridge::Window window(Kernel::linear(), 2, 2, 0.5, 8);
  const Matrix ahead = window.add(rows, View(by_row, n, 2, FREERIDGE_ROW_MAJOR));
  EXPECT(std::isnan(ahead(0)) && close(ahead(9, 1), 2 * ahead(9, 0)) && window.sizes()[0] == 8);
  window.remove_oldest();
  window.remove({6, 0});
  window.set_lambda(0.25);
  EXPECT(window.sizes()[0] == 5 && window.loo().rows == 5 &&
         close(window.predict(rows)(7, 1), 2 * window.predict(rows)(7, 0) + 1));
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, window.add(rows, y));
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, window.predict(y));
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, window.remove({}));
}

// What is defined comes with the exception: the leverage of the first row is one at lambda = 0.
void undefined() {
  const Numbers x{1, 0, 0}, y{1, 2, 3};
  Model model(Kernel::linear());
  model.set_data(x, y);
  model.factorize();
  const auto values_of = [](const auto& body) {
    try {
      body();
    } catch (const freeridge::Undefined& error) {
      EXPECT(error.status == FREERIDGE_UNDEFINED);
      return error.values;
    }
    EXPECT(false);
    return Matrix(1, 1);
  };
  const Matrix scores = values_of([&] { model.score(FREERIDGE_LOO, {0, 0.1, 1}); });
  EXPECT(std::isnan(scores(0)) && close(scores(1), model.score(FREERIDGE_LOO, {0.1})(0)));
  EXPECT(close(scores(2), model.score(FREERIDGE_LOO, {1})(0)));
  model.set_lambda(0);
  const Matrix errors = values_of([&] { model.loo(); });
  EXPECT(std::isnan(errors(0)) && close(errors(1), -1) && close(errors(2), 1));

  // A reader's rows are not counted before they are read.
  const auto none = [](std::int64_t, std::int64_t, double*, double*, double*, void*) { return std::int64_t{0}; };
  Model rows(Kernel::linear());
  freeridge_points points{};
  points.size = sizeof points;
  points.n = -1;
  points.d = 1;
  points.layout = FREERIDGE_ROW_MAJOR;
  points.reader = none;
  freeridge::check(freeridge_set_points(rows.get(), &points, 0, FREERIDGE_ROW_MAJOR, 1, nullptr, 0));
  EXPECT_REFUSED(FREERIDGE_INVALID_STATE, rows.loo());
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, rows.set_weights({1}));
}

// A wave along the first of two columns, and a line along a third that no penalty touches.
void kernels_and_effects() {
  const std::size_t n = 40;
  Numbers x, y, f;
  for (std::size_t i = 0; i < n; ++i) {
    const double k = static_cast<double>(i);
    x.insert(x.end(), {std::sin(7 * k + 1), std::cos(5 * k + 2)});
    f.insert(f.end(), {std::cos(3 * k), 2 * std::cos(3 * k) + 1});  // the second depends on it and the intercept
    y.push_back(std::sin(3 * x[2 * i]) + 4 * f[2 * i] + 0.05 * std::sin(100 * k * k));
  }
  const View rows(x, n, 2, FREERIDGE_ROW_MAJOR), effects(f, n, 2, FREERIDGE_ROW_MAJOR);
  const Kernel kernel = Kernel::gaussian(1.5).scaled({1, 2});
  EXPECT(kernel.hyperparameters() == (Numbers{1, 2, 1.5}) && kernel.hyperparameter_name(1) == "scaled.scale[1]");
  EXPECT(kernel.with_hyperparameters({3, 4, 5}).describe() == "scaled([3, 4], gaussian(sigma = 5))");
  EXPECT(Kernel::linear().hyperparameters().empty());
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, kernel.hyperparameter_name(3));
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, kernel.with_hyperparameters({1, 2}));
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, kernel.with_hyperparameters({1, -2, 1}));

  Model model(kernel);
  EXPECT_REFUSED(FREERIDGE_INVALID_STATE, model.set_unpenalised(effects));
  EXPECT_REFUSED(FREERIDGE_INVALID_STATE, model.kernel_search());
  model.set_data(rows, y);
  std::vector<std::int32_t> group(n);
  for (std::size_t i = 0; i < n; ++i) group[i] = static_cast<std::int32_t>(i % 5);
  model.set_groups(group);
  model.set_unpenalised(effects);
  EXPECT(model.unpenalised_count() == 2 && model.kernel().hyperparameters()[1] == 2);
  const freeridge::ScoreGradient g = model.score_gradient(FREERIDGE_GROUPS, 0.1);
  const double step = 1e-5;
  const auto score_at = [&](double lambda) {
    Model other = model.clone();
    other.factorize();
    return other.score(FREERIDGE_GROUPS, {lambda})(0);
  };
  const double slope = (score_at(0.1 * std::exp(step)) - score_at(0.1 * std::exp(-step))) / (2 * step);
  EXPECT(close(g.score, score_at(0.1)) && std::fabs(g.by_log_lambda - slope) < 1e-6 * std::fabs(slope) + 1e-9);
  EXPECT(g.by_log_hyperparameters.size() == 3);

  freeridge::Learning how;
  how.rows = 30;
  how.seed = 4;
  const double score = model.select_kernel(FREERIDGE_REML, how);
  EXPECT(model.loo_learnt(3).rows == model.loo().rows);
  EXPECT_REFUSED(FREERIDGE_INVALID_ARGUMENT, model.loo_learnt(1));
  const freeridge::KernelSearch search = model.kernel_search();
  EXPECT(search.learnt == 2 && search.rows == 30 && search.learnt_on.size() == 30 && search.learnt_on[29] < 40);
  EXPECT(search.stage.size() == search.score.size() && search.low.size() == 3 && search.variable[2] == -1);
  EXPECT(!search.kept && search.ended[3] != FREERIDGE_SEARCH_NONE && std::isfinite(score));
  EXPECT(model.kernel().hyperparameters()[0] < model.kernel().hyperparameters()[1]);
  how.label = {0, 0};
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, model.select_kernel(FREERIDGE_REML, how));
  how.label = {-1, -1, -1};
  EXPECT_REFUSED(FREERIDGE_UNDEFINED, model.select_kernel(FREERIDGE_REML, how));

  const Matrix a = model.unpenalised_effects(), errors = model.unpenalised_errors();
  EXPECT(model.unpenalised_kept() == (std::vector<std::int32_t>{1, 0}) && a(1) == 0 && errors(1) == 0);
  EXPECT(std::fabs(a(0) - 4) < 0.1 && errors(0) > 0 && errors(0) < 0.1);
  EXPECT(close(model.unpenalised_covariance()(0), errors(0) * errors(0)));
  const Matrix f0 = model.predict(rows, effects), parts = model.variance_components();
  for (std::int64_t i = 0; i < 40; ++i)
    EXPECT(std::fabs(y[static_cast<std::size_t>(i)] - f0(i) - parts(0, 0) / parts(0, 1) * model.coefficients()(i)) <
           1e-9);
  EXPECT(close(parts(0, 2), parts(0, 1) / (parts(0, 0) + parts(0, 1))) && parts(0, 3) > 0);
  EXPECT(parts.columns == 5 && close(parts(0, 4), parts(0, 3)));
  EXPECT_REFUSED(FREERIDGE_INVALID_STATE, model.predict(rows));
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, model.predict(rows, View(f, 2 * n, 1, FREERIDGE_ROW_MAJOR)));
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH,
                 model.predict(rows, View(f.data(), 2 * n, n - 1, 2, 2, FREERIDGE_ROW_MAJOR)));
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH, model.predict(effects, View(f, n, 2, FREERIDGE_COL_MAJOR)));
  EXPECT_REFUSED(FREERIDGE_DIMENSION_MISMATCH,
                 model.set_unpenalised(View(f.data(), 2 * n, n - 1, 2, 2, FREERIDGE_ROW_MAJOR)));
  Model none(kernel);
  none.set_data(rows, y);
  none.factorize();
  none.set_lambda(1);
  EXPECT_REFUSED(FREERIDGE_INVALID_STATE, none.unpenalised_covariance());
  EXPECT(none.unpenalised_count() == 0 && none.unpenalised_effects().rows == 0 && none.unpenalised_kept().empty());
}

}  // namespace

int main() {
  views();
  models();
  undefined();
  kernels_and_effects();
  return failures == 0 ? 0 : 1;
}
