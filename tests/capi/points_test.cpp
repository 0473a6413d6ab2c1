// The table of calls and kinds of points: every call that takes points gives what it gives of the ordinary matrix, of
// dense points in either layout, of sparse ones by rows and by columns, and of a reader's; with and without unpenalised
// columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "support/compare.hpp"
#include "support/random.hpp"
#include "support/sparse.hpp"
#include "support/unpenalised.hpp"

namespace points_test {

using namespace support;

constexpr std::int64_t n = 40, m = 800, d = 90, t = 2,
                       q = 2;  // a reader gives 768 points of so many features in a stretch

// Hands out the rows of a matrix; it is told how many there are.
struct Rows {
  Matrix x;
  bool by_rows;
  std::int64_t stretches = 0;

  static std::int64_t read(std::int64_t first, std::int64_t count, double* x, double* y, double* weights, void* user) {
    Rows& rows = *static_cast<Rows*>(user);
    EXPECT_TRUE(y == nullptr && weights == nullptr);
    ++rows.stretches;
    const std::int64_t got = std::min(count, rows.x.rows - first);
    for (std::int64_t i = 0; i < got; ++i)
      for (std::int64_t k = 0; k < d; ++k) x[rows.by_rows ? i * d + k : i + k * count] = rows.x(first + i, k);
    return got;
  }
};

// All kinds of points of x and of F; `keep` holds what they view.
struct Kinds {
  explicit Kinds(const Matrix& x, const Matrix& f) {
    const auto add = [&](const char* name, Points points, freeridge_layout layout) {
      if (points.fields.layout == 0) points.fields.layout = layout;
      fixed.push_back(pack(f, points.fields.layout, 1));
      if (f.cols > 0) points = with(points, f.cols, fixed.back().values.data(), fixed.back().ld);
      all.emplace_back(name, points);
    };
    const std::size_t kinds = 6;
    fixed.reserve(kinds), dense.reserve(kinds), sparse.reserve(kinds), rows.reserve(kinds);
    for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
      const bool by_rows = layout == FREERIDGE_ROW_MAJOR;
      dense.push_back(pack(x, layout, 2));
      add(by_rows ? "dense, by rows" : "dense, by columns", at(dense.back(), x.rows, x.cols), layout);
      sparse.emplace_back(x, by_rows ? FREERIDGE_CSR : FREERIDGE_CSC);
      add(by_rows ? "CSR" : "CSC", at(sparse.back()), layout);
      rows.push_back({x, by_rows});
      add(by_rows ? "reader, by rows" : "reader, by columns", at(layout, x.rows, x.cols, Rows::read, &rows.back()),
          layout);
    }
  }
  std::vector<std::pair<std::string, Points>> all;
  std::vector<Packed> dense, fixed;
  std::vector<Sparse> sparse;
  std::vector<Rows> rows;
};

Matrix with_zeros(Random& random, std::int64_t rows) {
  Matrix out = random.uniform_matrix(rows, d, -1, 1);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t k = 0; k < d; ++k)
      if ((3 * i + k) % 4 == 0) out(i, k) = 0;
  return out;
}

// A call at new points: its numbers.
struct Call {
  const char* name;
  std::function<freeridge_status(const freeridge_model*, const freeridge_points*, const freeridge_points* others,
                                 freeridge_layout, double* out)>
      ask;
  std::int64_t rows, columns;  // of the output
  bool has_layout = true;      // the output is asked for in either
};

const double lambdas[] = {0.2, 5.0};
const std::vector<std::int32_t> first_rows = [] {
  std::vector<std::int32_t> out;
  for (std::int64_t i = 0; i < m; ++i) out.push_back(static_cast<std::int32_t>(i % n));
  return out;
}();

std::vector<Call> calls(const freeridge_kernel* kernel) {
  const auto ld = [](freeridge_layout layout, std::int64_t columns) {
    return layout == FREERIDGE_ROW_MAJOR ? columns : m;
  };
  constexpr auto bayesian = FREERIDGE_COVARIANCE_BAYESIAN;
  return {
      {"predict",
       [=](auto* model, auto* points, auto*, auto layout, double* out) {
         return freeridge_predict_points(model, points, 0, nullptr, layout, out, ld(layout, t));
       },
       m, t},
      {"predict, at lambdas",
       [=](auto* model, auto* points, auto*, auto layout, double* out) {
         return freeridge_predict_points(model, points, 2, lambdas, layout, out, ld(layout, 2 * t));
       },
       m, 2 * t},
      {"jackknife",
       [=](auto* model, auto* points, auto*, auto layout, double* out) {
         return freeridge_predict_jackknife(model, points, 0.8, -1, 0, layout, out, out + m * t, ld(layout, t));
       },
       m, 2 * t},
      {"without rows",
       [=](auto* model, auto* points, auto*, auto layout, double* out) {
         return freeridge_predict_left_out(model, points, nullptr, first_rows.data(), layout, out, ld(layout, t));
       },
       m, t},
      {"without each row",
       [=](auto* model, auto* points, auto*, auto layout, double* out) {
         return freeridge_predict_left_out(model, points, nullptr, nullptr, layout, out, ld(layout, n * t));
       },
       m, n * t},
      {"variance",
       [=](auto* model, auto* points, auto*, auto layout, double* out) {
         return freeridge_predict_variance(model, points, layout, out, ld(layout, t), out + m * t);
       },
       m, t + 1},
      {"standard errors",
       [=](auto* model, auto* points, auto*, auto layout, double* out) {
         return freeridge_predict_covariance(model, points, bayesian, layout, out, ld(layout, t), nullptr, 0);
       },
       m, t},
      {"covariances",
       [=](auto* model, auto* points, auto*, auto, double* out) {
         return freeridge_predict_covariance(model, points, FREERIDGE_COVARIANCE_FREQUENTIST, FREERIDGE_COL_MAJOR,
                                             nullptr, 0, out, m);
       },
       m, m * t, false},
      {"gradient",
       [=](auto* model, auto* points, auto*, auto layout, double* out) {
         return freeridge_predict_gradient(model, points, layout, out, ld(layout, d * t));
       },
       m, d * t},
      {"average gradient",
       [=](auto* model, auto* points, auto*, auto, double* out) {
         return freeridge_average_gradient(model, points, nullptr, bayesian, out, out + d * t, d);
       },
       d, 2 * t, false},
      {"combinations",
       [=](auto* model, auto* points, auto*, auto, double* out) {
         return freeridge_predict_combinations(model, points, 1, nullptr, nullptr, bayesian, out, out + t, 1, nullptr,
                                               0);
       },
       2, t, false},
      {"kernel values",
       [=](auto*, auto* points, auto* others, auto layout, double* out) {
         Points few{*others}, plain{*points};
         plain.fields.unpenalised_count = few.fields.unpenalised_count = 0;
         return freeridge_kernel_evaluate(kernel, plain, few, layout, out, m);
       },
       m, m},
  };
}

class PointsOfAllKinds : public ::testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(PointsOfAllKinds, HaveTheAnswersOfTheOrdinaryMatrix) {
  const auto [text, unpenalised] = GetParam();
  Random random(2042);
  const Matrix x = with_zeros(random, n), y = random.uniform_matrix(n, t, -1, 1), fresh = with_zeros(random, m),
               other = with_zeros(random, m);
  const std::int64_t count = unpenalised ? q : 0;
  const Matrix f = random.uniform_matrix(n, count, -1, 1), f_new = random.uniform_matrix(m, count, -1, 1);
  const Kernel kernel = Kernel::parse(text);
  Model model(kernel);
  model.data(x, y, f).route(FREERIDGE_ROUTE_SPECTRAL).factorize().lambdas({0.3, 2.0});
  Kinds kinds(fresh, f_new), others(other, Matrix(m, 0));
  const Points expected_at = kinds.all[0].second, expected_others = others.all[0].second;
  for (const Call& call : calls(kernel.get())) {
    SCOPED_TRACE(call.name);
    for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
      if (layout == FREERIDGE_ROW_MAJOR && !call.has_layout) continue;
      Vector expected(static_cast<std::size_t>(call.rows * call.columns), -7.0), found = expected;
      ASSERT_EQ(call.ask(model.get(), expected_at, expected_others, layout, expected.data()), FREERIDGE_OK)
          << freeridge_last_error();
      for (std::size_t kind = 1; kind < kinds.all.size(); ++kind) {
        SCOPED_TRACE(kinds.all[kind].first);
        std::fill(found.begin(), found.end(), -7.0);
        ASSERT_EQ(call.ask(model.get(), kinds.all[kind].second, others.all[kind].second, layout, found.data()),
                  FREERIDGE_OK)
            << freeridge_last_error();
        EXPECT_CLOSE(found, expected, 1e-11);
      }
    }
  }
  for (const Rows& rows : kinds.rows)
    EXPECT_EQ(rows.stretches, 2 * (2 * 9 + 3));  // of each call, of nine in each layout
}

INSTANTIATE_TEST_SUITE_P(Kernels, PointsOfAllKinds,
                         ::testing::Combine(::testing::Values("linear()", "gaussian(sigma = 1.5)"), ::testing::Bool()));

// Data of all kinds, copied and borrowed, in either layout of y.
TEST(PointsOfAllKindsOfData, GiveTheSameModel) {
  Random random(2043);
  const Matrix x = with_zeros(random, n), y = random.uniform_matrix(n, t, -1, 1);
  for (const char* const text : {"linear()", "gaussian(sigma = 1.5)"})
    for (const std::int64_t count : {std::int64_t{0}, q}) {
      const Matrix f = random.uniform_matrix(n, count, -1, 1);
      Model expected(Kernel::parse(text));
      expected.data(x, y, f).route(FREERIDGE_ROUTE_SPECTRAL).factorize().lambda(0.4);
      const Matrix loo = expected.loo();
      Kinds kinds(x, f);
      for (const auto& [name, points] : kinds.all) {
        if (points.fields.reader != nullptr) continue;  // tests/stream/reader_test.cpp
        for (const std::int32_t borrow : {0, 1})
          for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
            SCOPED_TRACE(name + ", borrow " + std::to_string(borrow) + ", layout of y " + std::to_string(layout));
            const Packed ys = pack(y, layout, 1);
            Model model(Kernel::parse(text));
            model.data(x, y).route(FREERIDGE_ROUTE_SPECTRAL);
            ASSERT_EQ(freeridge_set_points(model.get(), points, borrow, layout, t, ys.values.data(), ys.ld),
                      FREERIDGE_OK)
                << freeridge_last_error();
            EXPECT_EQ(unpenalised_count(model.get()), count);
            EXPECT_CLOSE(model.factorize().lambda(0.4).loo(), loo, 1e-11);
          }
      }
    }
}

// Rows of zeros may have neither places nor entries: their arrays are empty.
TEST(SparsePoints, WithoutEntries) {
  Random random(2046);
  const Matrix x = with_zeros(random, n);
  Model model(Kernel::gaussian(1));
  model.data(x, random.uniform_matrix(n, 1, -1, 1)).factorize().lambda(1);
  const Matrix expected = model.predict(Matrix(3, d));
  for (const freeridge_sparse_format format : {FREERIDGE_CSR, FREERIDGE_CSC}) {
    const std::vector<std::int64_t> start(static_cast<std::size_t>((format == FREERIDGE_CSR ? 3 : d) + 1));
    freeridge_points points = {};
    points.size = sizeof points;
    points.n = 3, points.d = d, points.format = format, points.start = start.data();
    Matrix out(3, 1);
    EXPECT_EQ(freeridge_predict_points(model.get(), &points, 0, nullptr, FREERIDGE_COL_MAJOR, out.values.data(), 3),
              FREERIDGE_OK)
        << freeridge_last_error();
    EXPECT_CLOSE(out, expected, 1e-12);
  }
}

// A struct of another size, rows of two kinds, a reader that fails, and points of another model: refused, with the reason.
TEST(PointsRefusals, SayWhatIsWrong) {
  Random random(2044);
  const Matrix x = with_zeros(random, n), y = random.uniform_matrix(n, 1, -1, 1);
  Model model(Kernel::gaussian(1));
  model.data(x, y).factorize().lambda(1);
  Vector out(static_cast<std::size_t>(n * d));
  const auto refused = [&](const std::function<void(freeridge_points&)>& spoil, freeridge_status status,
                           const char* words) {
    Points points = at(x);
    spoil(points.fields);
    for (const auto& ask : std::vector<std::function<freeridge_status()>>{
             [&] { return freeridge_predict_points(model.get(), points, 0, nullptr, 1, out.data(), n); },
             [&] { return freeridge_predict_gradient(model.get(), points, 1, out.data(), n); },
             [&] { return freeridge_predict_variance(model.get(), points, 1, out.data(), n, nullptr); }}) {
      EXPECT_EQ(ask(), status) << words;
      EXPECT_NE(std::string(freeridge_last_error()).find(words), std::string::npos) << freeridge_last_error();
    }
  };
  const Sparse sparse(x, FREERIDGE_CSR);
  refused([](auto& p) { p.size = 8; }, FREERIDGE_INVALID_ARGUMENT, "points.size is 8");
  refused([](auto& p) { p.size += 8; }, FREERIDGE_INVALID_ARGUMENT, "points.size is 1");
  refused([&](auto& p) { p.value = sparse.value.data(); }, FREERIDGE_INVALID_ARGUMENT, "rows of two kinds");
  refused([](auto& p) { p.x = nullptr; }, FREERIDGE_INVALID_ARGUMENT, "no rows");
  refused([&](auto& p) { p.x = nullptr, p.format = FREERIDGE_CSR, p.start = sparse.start.data(); },
          FREERIDGE_INVALID_ARGUMENT, "points.index is NULL");
  refused([](auto& p) { p.d = d - 1; }, FREERIDGE_DIMENSION_MISMATCH, "points.d is 89");
  refused([](auto& p) { p.layout = 0; }, FREERIDGE_INVALID_ARGUMENT, "points.layout is 0");
  refused([](auto& p) { p.unpenalised_count = 1; }, FREERIDGE_INVALID_ARGUMENT, "points.unpenalised is NULL");
  const auto read = [&](freeridge_reader reader) {
    return [=](freeridge_points& p) {
      p.x = nullptr;
      p.reader = reader;
    };
  };
  refused(read([](auto...) { return std::int64_t{-3}; }), FREERIDGE_IO, "answered -3");
  refused(read([](auto...) { return std::int64_t{0}; }), FREERIDGE_IO, "ended");
  refused(read([](std::int64_t, std::int64_t count, double* to, auto...) {
            std::fill_n(to, count * d, HUGE_VAL);
            return count;
          }),
          FREERIDGE_NOT_FINITE, "x[0, 0] = inf");
  refused([](auto& p) { p.x = nullptr, p.reader = Rows::read, p.n = -1; }, FREERIDGE_INVALID_ARGUMENT,
          "points.n is -1");
}

}  // namespace points_test
