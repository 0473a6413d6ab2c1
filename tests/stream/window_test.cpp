// Rows that come and go: after any sequence of both all answers of a window are those of a fit to the rows that are
// there, refitted without each row in quadruple precision (linear kernels, landmarks) or in long double (kernels).
#include <gtest/gtest.h>

#include <cmath>

#include "support/deep.hpp"
#include "support/problems.hpp"
#include "support/quad_refit.hpp"
#include "support/window.hpp"

namespace window_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

enum class Rows { plain, outliers, repeated, constant, large_means };

struct Case {
  const char* name;
  KernelSpec kernel;
  std::int64_t landmarks, capacity, d, t;
  bool weighted, intercept;
  double lambda;
  Rows rows;
  double tolerance;  // of errors and predictions, relative to the largest of an output
};

std::ostream& operator<<(std::ostream& out, const Case& of) {
  return out << of.name;
}

class Windows : public ::testing::TestWithParam<Case> {
 protected:
  // New rows; an outlier is one in fifteen, and lies a million times as far out.
  Problem draw(std::int64_t count) {
    const Case& of = GetParam();
    Problem out{of.kernel, random.uniform_matrix(count, of.d, -1.0, 1.0), Matrix(count, of.t), {}, of.intercept};
    out.y = responses(random, out.x, of.t, 0.3);
    if (of.weighted) out.weights = random.uniform_vector(count, 0.4, 2.5);
    for (std::int64_t i = 0; i < count; ++i) {
      const bool outlier = of.rows == Rows::outliers && random.index(15) == 0;
      const bool repeated = of.rows == Rows::repeated && present.x.rows > 0 && random.index(2) == 0;
      const std::int64_t twin = repeated ? random.index(present.x.rows) : 0;
      for (std::int64_t k = 0; k < of.d; ++k) {
        if (outlier) out.x(i, k) *= 1e6;
        if (repeated) out.x(i, k) = present.x(twin, k);
        if (of.rows == Rows::constant && k == 1) out.x(i, k) = 3.7;
        if (of.rows == Rows::large_means) out.x(i, k) += 1000;
      }
      for (std::int64_t j = 0; j < of.t && outlier; ++j) out.y(i, j) *= 1e3;
    }
    return out;
  }

  static Problem joined(const Problem& a, const Problem& b) {
    Problem out = b;
    const std::int64_t n = a.x.rows, m = b.x.rows;
    out.x = Matrix(n + m, b.x.cols);
    out.y = Matrix(n + m, b.y.cols);
    for (std::int64_t i = 0; i < n + m; ++i) {
      for (std::int64_t k = 0; k < b.x.cols; ++k) out.x(i, k) = i < n ? a.x(i, k) : b.x(i - n, k);
      for (std::int64_t j = 0; j < b.y.cols; ++j) out.y(i, j) = i < n ? a.y(i, j) : b.y(i - n, j);
    }
    out.weights = a.weights;
    out.weights.insert(out.weights.end(), b.weights.begin(), b.weights.end());
    return out;
  }
  void come(const Problem& more) {
    present = joined(present, more);
    if (present.x.rows > GetParam().capacity)
      present = slice(present, present.x.rows - GetParam().capacity, GetParam().capacity);
  }
  void go(const std::vector<std::int64_t>& rows) {
    std::vector<std::int64_t> stay;
    for (std::int64_t i = 0; i < present.x.rows; ++i)
      if (std::find(rows.begin(), rows.end(), i) == rows.end()) stay.push_back(i);
    present = rows_of(present, stay);
  }

  // e_i of all rows but those of a fit that is not determined.
  Matrix refitted(const Problem& rows) const {
    Labels each(static_cast<std::size_t>(rows.x.rows));
    for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<std::int32_t>(i);
    const double lambda = GetParam().lambda;
    if (z.rows == 0 && GetParam().kernel.family != oracle::Family::linear) {
      if (rows.x.rows > 1) return oracle::loo(rows, lambda);
      return rows.intercept ? Matrix(1, rows.y.cols, none) : rows.y;
    }
    QuadProblem problem{to_quad(rows.x), QuadMatrix(rows.x.cols, rows.x.cols), to_quad(rows.y), rows.weights,
                        rows.intercept};
    for (std::int64_t k = 0; k < rows.x.cols; ++k) {
      problem.penalty(k, k) = 1;
      const Vector& scale = GetParam().kernel.columns;
      for (std::int64_t i = 0; i < rows.x.rows && !scale.empty(); ++i)
        problem.a(i, k) /= scale[static_cast<std::size_t>(k)];
    }
    if (z.rows > 0) {
      const Dense a = oracle::kernel_matrix(rows.kernel, rows.x, z), k = oracle::kernel_matrix(rows.kernel, z, z);
      problem.a = QuadMatrix(a.rows, a.cols);
      problem.penalty = QuadMatrix(k.rows, k.cols);
      std::copy(a.values.begin(), a.values.end(), problem.a.values.begin());
      std::copy(k.values.begin(), k.values.end(), problem.penalty.values.begin());
    }
    return to_double(quad_refit_errors(problem, each, lambda));
  }

  // Divided by the root mean square of each column, so that a row of large numbers hides no other.
  static void expect_near(const Matrix& actual, const Matrix& expected, double tolerance) {
    ASSERT_EQ(actual.rows, expected.rows);
    for (std::int64_t j = 0; j < expected.cols; ++j) {
      Vector sizes;
      for (std::int64_t i = 0; i < expected.rows; ++i) sizes.push_back(std::abs(expected(i, j)));
      std::sort(sizes.begin(), sizes.end());
      const double usual = sizes[sizes.size() / 2];
      for (std::int64_t i = 0; i < expected.rows; ++i) {
        if (std::isnan(expected(i, j))) {
          EXPECT_TRUE(std::isnan(actual(i, j))) << i;
          continue;
        }
        EXPECT_NEAR(actual(i, j), expected(i, j), tolerance * std::max(usual, std::abs(expected(i, j)))) << i;
      }
    }
  }

  void expect_present(const Window& window) {
    const Problem rows = window.rows();
    ASSERT_TRUE(bit_equal(rows.x, present.x) && bit_equal(rows.y, present.y));
    if (!present.weights.empty()) {
      EXPECT_TRUE(bit_equal(rows.weights, present.weights));
    }
    const Matrix expected = refitted(present);
    const bool undefined = present.intercept && present.x.rows == 1;
    expect_near(window.loo(undefined ? FREERIDGE_UNDEFINED : FREERIDGE_OK), expected, GetParam().tolerance);
    // A new point's prediction is what its left-out error tells of it.
    const Problem point = rows_of(draw(1), {0});
    const Matrix with = refitted(joined(present, point)), f = window.predict(point.x);
    Matrix error(1, point.y.cols), last(error);
    for (std::int64_t j = 0; j < error.cols; ++j) {
      error(0, j) = point.y(0, j) - f(0, j);
      last(0, j) = with(with.rows - 1, j);
      EXPECT_NEAR(error(0, j), last(0, j), GetParam().tolerance * (1 + std::abs(last(0, j)))) << "prediction";
    }
    Vector b;
    const Matrix c = window.coefficients(b);
    const Dense k = z.rows > 0 ? oracle::kernel_matrix(present.kernel, point.x, z)
                               : oracle::kernel_matrix(present.kernel, point.x, present.x);
    for (std::int64_t j = 0; j < error.cols; ++j) {
      Real sum = b[static_cast<std::size_t>(j)], size = std::abs(b[static_cast<std::size_t>(j)]);
      const bool plane = z.rows == 0 && GetParam().kernel.family == oracle::Family::linear;
      for (std::int64_t i = 0; i < c.rows; ++i) {
        const Real term = c(i, j) * (plane ? Real(point.x(0, i)) : k(0, i));
        sum += term;
        size += std::abs(term);
        for (std::int64_t row = 0; row < present.x.rows && plane; ++row) size += std::abs(c(i, j) * present.x(row, i));
      }
      EXPECT_NEAR(static_cast<double>(sum), f(0, j), 1e-13 * static_cast<double>(size)) << "coefficients";
    }
  }

  Random random{2027};
  Matrix z;
  Problem present;
};

TEST_P(Windows, AnyRowsThatComeAndGoLeaveTheFitToThoseThatAreThere) {
  const Case& of = GetParam();
  if (of.landmarks > 0) z = random.uniform_matrix(of.landmarks, of.d, -1.0, 1.0);
  present = {of.kernel, Matrix(0, of.d), Matrix(0, of.t), {}, of.intercept};
  Window window(oracle::make_kernel(of.kernel), z, of.d, of.t, of.intercept, of.lambda, of.capacity);
  for (int step = 0; step < 150; ++step) {
    SCOPED_TRACE(::testing::Message() << "step " << step << ", n = " << present.x.rows);
    const std::int64_t n = present.x.rows, which = random.index(10);
    if (which < 6 || n == 0) {
      const Problem more = draw(which == 0 ? 4 : 1);
      const bool errors = which < 3;
      const Matrix found = window.add(more, errors, which == 1 ? FREERIDGE_ROW_MAJOR : FREERIDGE_COL_MAJOR);
      for (std::int64_t i = 0; i < more.x.rows; ++i) {
        const Problem one = slice(more, i, 1);
        if (errors && step % 3 == 0) {
          const Matrix expected = refitted(joined(present, one));
          for (std::int64_t j = 0; j < of.t; ++j)
            if (const double e = expected(expected.rows - 1, j); std::isnan(e))
              EXPECT_TRUE(std::isnan(found(i, j)));
            else
              EXPECT_NEAR(found(i, j), e, of.tolerance * (1 + std::abs(e))) << "before it came, row " << i;
        }
        come(one);
      }
    } else if (which < 8) {
      const std::int64_t count = std::min<std::int64_t>(n, which == 6 ? 1 : 2);
      window.remove_oldest(count);
      std::vector<std::int64_t> rows;
      for (std::int64_t i = 0; i < count; ++i) rows.push_back(i);
      go(rows);
    } else {
      std::vector<std::int64_t> rows = {random.index(n)};
      if (which == 9 && n > 4) rows = {n - 1, rows[0] == n - 1 ? 0 : rows[0], n / 2 == rows[0] ? n / 2 - 1 : n / 2};
      std::sort(rows.begin(), rows.end());
      rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
      window.remove({rows.rbegin(), rows.rend()});
      go(rows);
    }
    ASSERT_EQ(window.state().n, present.x.rows);
    if (present.x.rows > 0 && (step % 5 == 0 || (step > 60 && step < 72))) expect_present(window);
    if (HasFailure()) break;
  }
  const bool of_rows = of.landmarks == 0 && of.kernel.family != oracle::Family::linear;  // K_ii = 1, 0.4 <= W_ii <= 2.5
  EXPECT_LE(window.state().lost,
            1e-10 + (of_rows ? 2.3e-16 * static_cast<double>(of.capacity) * (7 + 2.5 / of.lambda) : 0));
}

const KernelSpec linear = KernelSpec::linear(), gaussian = KernelSpec::gaussian(0.8);

INSTANTIATE_TEST_SUITE_P(
    Window, Windows,
    ::testing::Values(
        Case{"linear", linear, 0, 20, 4, 2, false, true, 0.1, Rows::plain, 1e-11},
        Case{"linear_weighted", linear, 0, 20, 4, 2, true, true, 0.1, Rows::plain, 1e-11},
        Case{"linear_no_intercept", linear, 0, 20, 4, 1, true, false, 0.1, Rows::plain, 1e-11},
        Case{"linear_scaled", linear.with_columns({0.1, 3.0, 1.0}), 0, 15, 3, 2, true, true, 0.1, Rows::plain, 1e-11},
        Case{"linear_outliers", linear, 0, 20, 4, 2, false, true, 1e-2, Rows::outliers, 1e-8},
        Case{"linear_repeated", linear, 0, 20, 4, 1, false, true, 1e-3, Rows::repeated, 1e-10},
        Case{"linear_constant", linear, 0, 20, 4, 1, true, true, 1e-3, Rows::constant, 1e-10},
        Case{"linear_large_means", linear, 0, 20, 3, 1, false, true, 1e-2, Rows::large_means, 1e-8},
        Case{"linear_wide", linear, 0, 12, 30, 2, false, true, 0.1, Rows::plain, 1e-10},
        Case{"linear_tiny_lambda", linear, 0, 20, 4, 1, false, true, 1e-9, Rows::plain, 1e-9},
        Case{"linear_wide_tiny_lambda", linear, 0, 12, 20, 1, true, true, 1e-8, Rows::plain, 1e-6},
        Case{"linear_long", linear, 0, 60, 2, 1, false, true, 0.1, Rows::plain, 1e-11},
        Case{"gaussian", gaussian, 0, 16, 3, 2, false, true, 1e-2, Rows::plain, 1e-10},
        Case{"gaussian_weighted", gaussian, 0, 16, 3, 2, true, true, 1e-2, Rows::plain, 1e-10},
        Case{"gaussian_no_intercept", gaussian, 0, 16, 3, 1, true, false, 1e-2, Rows::plain, 1e-10},
        Case{"gaussian_outliers", gaussian, 0, 16, 3, 1, false, true, 1e-2, Rows::outliers, 1e-9},
        Case{"gaussian_repeated", gaussian, 0, 16, 3, 1, false, true, 1e-6, Rows::repeated, 1e-8},
        Case{"gaussian_constant", gaussian, 0, 16, 3, 1, true, true, 1e-2, Rows::constant, 1e-10},
        Case{"gaussian_tiny_lambda", gaussian, 0, 16, 2, 1, false, true, 1e-8, Rows::plain, 1e-5},
        Case{"polynomial", KernelSpec::polynomial(2, 1.0, 1.0), 0, 16, 2, 1, true, true, 0.1, Rows::plain, 1e-10},
        Case{"landmarks", gaussian, 5, 20, 2, 2, false, true, 1e-2, Rows::plain, 1e-9},
        Case{"landmarks_weighted", gaussian, 5, 20, 2, 1, true, true, 1e-2, Rows::plain, 1e-9},
        Case{"landmarks_no_intercept", gaussian, 5, 20, 2, 1, true, false, 1e-2, Rows::outliers, 1e-9}),
    [](const auto& of) { return std::string(of.param.name); });

// Errors do not age: after many times the window's length, with rows that are a million times as far out, the answers
// have the digits of a window that never saw the rows that went; and only these rows ask for factorizations.
TEST(WindowDigits, StayAfterThousandsOfSlides) {
  for (const bool kernel : {false, true})
    for (const bool outliers : {false, true}) {
      SCOPED_TRACE(::testing::Message() << (kernel ? "kernel" : "linear") << (outliers ? ", outliers" : ""));
      Random random(5);
      const std::int64_t capacity = 40, d = 5;
      const Kernel of = kernel ? Kernel::gaussian(1.5) : Kernel::linear();
      const auto draw = [&](std::int64_t count, double size) {
        Problem rows{{}, random.uniform_matrix(count, d, -size, size), Matrix(count, 1), {}, true};
        rows.y = responses(random, rows.x, 1, 0.3);
        return rows;
      };
      Window window(of, Matrix(0, d), d, 1, true, 1e-2, capacity);
      window.add(draw(capacity, 1), false);
      const int slides = deep() ? 100000 : 4000;
      for (int slide = 0; slide < slides; ++slide) {
        window.add(draw(1, outliers && slide % 700 == 0 ? 1e6 : 1), false);
        if (slide % 3 == 0) window.loo();
      }
      const std::int64_t factorizations = window.state().factorizations;
      EXPECT_LE(window.state().lost, 1e-10);
      EXPECT_LE(factorizations, kernel ? slides : 1 + (outliers ? 2 * (slides / 700 + 1) : 0));
      const Problem rows = window.rows();
      Window fresh(of, Matrix(0, d), d, 1, true, 1e-2, capacity);
      fresh.add(rows, false);
      EXPECT_CLOSE(window.loo(), fresh.loo(), kernel ? 1e-10 : 1e-11);
      EXPECT_CLOSE(window.predict(rows.x), fresh.predict(rows.x), kernel ? 1e-10 : 1e-11);
    }
}

// Rows that are not kept: f^age times their weight, at one lambda.
// Where lambda is small beside eps |K|, `lost` says so.
TEST(WindowDigits, AreThoseOfTheCondition) {
  Random random(2047);
  for (const double scale : {1.0, 1000.0}) {
    const Matrix x = random.uniform_matrix(20, 1, 0, scale), y = responses(random, x, 1, 0.3);
    support::Window window(Kernel::polynomial(2, 1.0, 1.0), Matrix(0, 1), 1, 1, true, 0.01, 100);
    window.add({KernelSpec::polynomial(2, 1.0, 1.0), x, y, {}, true}, false);
    window.loo();
    const double lost = window.state().lost;
    EXPECT_TRUE(scale > 1 ? lost > 1e-2 && lost <= 1 : lost < 1e-11) << lost;
    window.remove_oldest(5);
    window.loo();
    const double left = window.state().lost;
    EXPECT_TRUE(scale > 1 ? left > 1e-3 && left < lost : left < 1e-11) << left;
  }
}

TEST(WindowForgetting, IsAWeightForEachRow) {
  for (const double f : {1.0, 0.9})
    for (const bool landmarks : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "f = " << f << (landmarks ? ", landmarks" : ""));
      Random random(6);
      const Problem all = random_problem(random, landmarks ? gaussian : linear, 25, 3, 2, true, true);
      const Matrix z = landmarks ? random.uniform_matrix(4, 3, -1, 1) : Matrix(0, 3);
      Window stream(oracle::make_kernel(all.kernel), z, 3, 2, true, 0.3, 0, f);
      for (std::int64_t i = 0; i < all.x.rows; ++i) {
        const double lambda = i < 10 ? 0.3 : 0.7;
        if (i == 10) stream.lambda(lambda);
        Problem rows = slice(all, 0, i);
        for (std::int64_t k = 0; k < i; ++k)
          rows.weights[static_cast<std::size_t>(k)] *= std::pow(f, static_cast<double>(i - 1 - k));
        const Problem next = slice(all, i, 1);
        Matrix expected(1, 2, none);
        if (i > 0) {
          Window kept(oracle::make_kernel(all.kernel), z, 3, 2, true, lambda, 100);
          kept.add(rows, false);
          expected = kept.predict(next.x);
          EXPECT_CLOSE(stream.predict(next.x), expected, 1e-11);
          Vector b, kept_b;
          EXPECT_CLOSE(stream.coefficients(b), kept.coefficients(kept_b), 1e-11);
          EXPECT_CLOSE(b, kept_b, 1e-11);
        }
        for (std::int64_t j = 0; j < 2; ++j) expected(0, j) = next.y(0, j) - expected(0, j);
        if (i % 4 == 3)
          stream.add(next, false);
        else
          EXPECT_CLOSE(stream.add(next, true), expected, 1e-10);
        EXPECT_EQ(stream.state().n, i + 1);
      }
      // Many rows at once are the same rows one by one.
      Window at_once(oracle::make_kernel(all.kernel), z, 3, 2, true, 0.7, 0, f);
      at_once.add(all, false);
      EXPECT_CLOSE(at_once.predict(all.x), stream.predict(all.x), 1e-11);
    }
}

TEST(WindowLambda, IsTheOneThatAModelOfItsRowsSelects) {
  Random random(8);
  for (const KernelSpec& kernel : {linear, gaussian}) {
    const Problem all = random_problem(random, kernel, 60, 3, 2, true, true);
    Window window(oracle::make_kernel(kernel), Matrix(0, 3), 3, 2, true, 0.3, 40);
    window.add(all, false);
    const Problem rows = slice(all, 20, 40);
    for (const freeridge_criterion criterion : {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML}) {
      SCOPED_TRACE(criterion);
      double lambda = -1, score = -1;
      check(freeridge_window_select_lambda(window.get(), criterion, 0, 0, &lambda, &score),
            "freeridge_window_select_lambda");
      EXPECT_EQ(window.state().lambda, lambda);
      Model model = oracle::make_model(rows);
      model.factorize();
      const auto mean = [&](double at) {
        const Matrix scores = model.score(criterion, {at});
        return (scores(0, 0) + scores(0, 1)) / 2;
      };
      EXPECT_NEAR(score, mean(lambda), 1e-9 * std::abs(score));
      for (const double factor : {0.5, 0.9, 1.1, 2.0}) EXPECT_LE(score, mean(factor * lambda));
      model.lambda(lambda);
      EXPECT_CLOSE(window.loo(), model.loo(), 1e-9);
    }
  }
}

TEST(WindowContract, WhatCannotBeAskedIsRefused) {
  const auto refused = [](freeridge_status status, freeridge_status expected, const char* word) {
    EXPECT_EQ(status, expected);
    EXPECT_NE(std::string(freeridge_last_error()).find(word), std::string::npos) << freeridge_last_error();
  };
  const auto create = [](const char* kernel, std::int64_t d, std::int64_t capacity, double forgetting) {
    freeridge_window* out = nullptr;
    const freeridge_status status =
        freeridge_window_create(Kernel::parse(kernel).get(), nullptr, d, 1, 1, 1.0, capacity, forgetting, &out);
    freeridge_window_destroy(out);
    return status;
  };
  refused(create("gaussian(sigma = 1)", 2, 0, 1), FREERIDGE_INVALID_ARGUMENT, "capacity");
  refused(create("precomputed()", 2, 5, 1), FREERIDGE_INVALID_ARGUMENT, "precomputed");
  refused(create("linear()", 2, 5, 0.5), FREERIDGE_INVALID_ARGUMENT, "forgetting");
  refused(create("linear()", 2147483646, 5, 1), FREERIDGE_INVALID_ARGUMENT, "1 + d + t");
  refused(create("linear()", 1000000, 5, 1), FREERIDGE_OUT_OF_MEMORY, "triangles");
  double number = -1;
  const auto answers_refused = [&](const Window& window, const char* word) {
    refused(freeridge_window_loo(window.get(), &number, 1), FREERIDGE_INVALID_STATE, word);
    refused(freeridge_window_get_rows(window.get(), FREERIDGE_COL_MAJOR, &number, 1, nullptr, 0, nullptr),
            FREERIDGE_INVALID_STATE, word);
    refused(freeridge_window_select_lambda(window.get(), FREERIDGE_LOO, 0, 0, &number, &number),
            FREERIDGE_INVALID_STATE, word);
  };
  Window stream(Kernel::linear(), Matrix(0, 1), 1, 1, true, 1.0, 0),
      empty(Kernel::linear(), Matrix(0, 1), 1, 1, true, 1.0, 3);
  refused(freeridge_window_predict(stream.get(), at(Matrix(1, 1, 0.5)), FREERIDGE_COL_MAJOR, &number, 1),
          FREERIDGE_INVALID_STATE, "freeridge_window_add");
  refused(freeridge_window_coefficients(empty.get(), &number, 1, &number), FREERIDGE_INVALID_STATE,
          "freeridge_window_add");
  answers_refused(empty, "freeridge_window_add");
  const Problem row{{}, Matrix(1, 1, 0.5), Matrix(1, 1, 2.0), {}, true};
  stream.add(row, false);
  answers_refused(stream, "capacity");
  refused(freeridge_window_remove(stream.get(), 1, nullptr), FREERIDGE_INVALID_STATE, "capacity");
  empty.add(row, false);
  const std::int64_t twice[2] = {0, 0};
  refused(freeridge_window_remove(empty.get(), 2, twice), FREERIDGE_INVALID_ARGUMENT, "count");
  empty.add(row, false);
  refused(freeridge_window_remove(empty.get(), 2, twice), FREERIDGE_INVALID_ARGUMENT, "twice");
  Problem huge = row;
  huge.x(0, 0) = 1e300;
  refused(
      freeridge_window_add(empty.get(), at(huge.x), FREERIDGE_COL_MAJOR, huge.y.values.data(), 1, nullptr, nullptr, 0),
      FREERIDGE_NOT_FINITE, "1e+290");
  Window kernel(Kernel::parse("polynomial(degree = 3, scale = 1, offset = 1)"), Matrix(0, 1), 1, 1, true, 1.0, 3);
  kernel.add(row, false);
  huge.x(0, 0) = 1e150;
  refused(
      freeridge_window_add(kernel.get(), at(huge.x), FREERIDGE_COL_MAJOR, huge.y.values.data(), 1, nullptr, nullptr, 0),
      FREERIDGE_NOT_FINITE, "too large");
  EXPECT_EQ(kernel.state().n, 1);
  EXPECT_EQ(number, -1);
}

// A kernel matrix that is numerically singular answers once a row of it has gone, or lambda has grown.
TEST(WindowContract, ASingularKernelMatrixIsSaidAndOvercome) {
  Window window(Kernel::gaussian(1.0), Matrix(0, 1), 1, 1, true, 1e-18, 5);
  for (int row = 0; row < 3; ++row)
    window.add({{}, Matrix(1, 1, row == 0 ? 0.0 : 1.0), Matrix(1, 1, 2.0 + row), {}, true}, false);
  Vector b(1), c(3);
  EXPECT_EQ(freeridge_window_coefficients(window.get(), c.data(), 3, b.data()), FREERIDGE_NOT_POSITIVE_DEFINITE);
  EXPECT_EQ(window.state().n, 3);
  window.lambda(0.5);
  window.coefficients(b);
  window.lambda(1e-18);
  window.remove({2});
  EXPECT_NEAR(window.predict(Matrix(1, 1, 1.0))(0, 0), 3, 1e-12);
}

}  // namespace window_test
