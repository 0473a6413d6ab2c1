// Every operation of an Engine against its definition: on the host in the place of a device, and by CUDA's interface
// (fake_cuda.cpp), on views of larger matrices, whose other numbers stay as they are.
#include "libcore/device/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "libcore/kernel/kernel_text.hpp"
#include "support/model.hpp"
#include "support/random.hpp"

namespace engine_test {

using namespace freeridge;

// The host; CUDA without a GPU; and the device that FREERIDGE_TEST_DEVICE asks for (./dev test-device).
struct Which {
  const char* name;
  Index number;
  bool fake;
};

std::ostream& operator<<(std::ostream& out, const Which& which) {
  return out << which.name;
}

std::vector<Which> engines() {
  std::vector<Which> out = {{"Host", host_device, false}, {"Cuda", first_cuda, true}};
  if (std::getenv("FREERIDGE_TEST_DEVICE") != nullptr) out.push_back({"Asked", support::test_device(), false});
  return out;
}

class EngineTest : public ::testing::TestWithParam<Which> {
 protected:
  EngineTest() {
    const char* const before = std::getenv("FREERIDGE_CUDA_PATH");
    const std::string folders = before != nullptr ? before : "";
    if (GetParam().fake) setenv("FREERIDGE_CUDA_PATH", FAKE_FOLDER, 1);
    engine_ = open_engine(GetParam().number);
    if (before != nullptr)
      setenv("FREERIDGE_CUDA_PATH", folders.c_str(), 1);
    else
      unsetenv("FREERIDGE_CUDA_PATH");
  }

  Matrix random_matrix(Index rows, Index cols) {
    Matrix out(rows, cols);
    for (double& value : out.values()) value = random_.uniform(-1, 1);
    return out;
  }
  Matrix downloaded(const DeviceMatrix& from) {
    Matrix out(from.rows(), from.cols());
    engine_->download(from.view(), out.view());
    return out;
  }
  static void expect_near(ConstMatrixView found, ConstMatrixView expected) {
    for (Index j = 0; j < expected.cols; ++j)
      for (Index i = 0; i < expected.rows; ++i) EXPECT_NEAR(found(i, j), expected(i, j), 1e-12) << i << ", " << j;
  }
  // A random matrix there; what `change` makes of its block (2, 1); what the same change makes of it by `expected`.
  template <class Change, class Expected>
  void expect_change(Index rows, Index cols, const Change& change, const Expected& expected) {
    Matrix whole = random_matrix(rows + 3, cols + 2);
    DeviceMatrix there = uploaded(engine_, whole.view());
    change(there.view().block(2, 1, rows, cols));
    expected(whole.view().block(2, 1, rows, cols));
    expect_near(downloaded(there).view(), whole.view());
  }

  EnginePtr engine_;
  support::Random random_{48};
};

TEST_P(EngineTest, NumbersGoThereAndBack) {
  const Matrix a = random_matrix(7, 5);
  DeviceMatrix there = uploaded(engine_, a.view());
  expect_near(downloaded(there).view(), a.view());
  Matrix part(3, 2);
  engine_->download(std::as_const(there).view().block(1, 2, 3, 2), part.view());
  expect_near(part.view(), a.view().block(1, 2, 3, 2));
  expect_change(
      3, 2, [&](DeviceView to) { engine_->upload(a.view().block(1, 2, 3, 2), to); },
      [&](MatrixView to) { copy(a.view().block(1, 2, 3, 2), to); });
  EXPECT_FALSE(engine_->name().empty());
  EXPECT_GT(engine_->free_bytes(), 0);
  EXPECT_GT(engine_->eigen_bytes(10), 0);
  DeviceMatrix none(engine_, 0, 3);
  engine_->fill(1, none.view());
}

TEST_P(EngineTest, Elements) {
  const Array<double> rows = {2, -3, 4}, columns = {0.5, 7};
  expect_change(
      3, 2, [&](DeviceView a) { engine_->fill(5, a); },
      [&](MatrixView a) {
        multiply_by(a, 0), a(0, 0) = 0;
        for (Index j = 0; j < 2; ++j) std::fill_n(a.col(j), 3, 5.0);
      });
  for (const bool by_rows : {false, true})
    for (const bool by_columns : {false, true})
      expect_change(
          3, 2,
          [&](DeviceView a) {
            engine_->scale(by_rows ? Span<const double>(rows) : Span<const double>(),
                           by_columns ? Span<const double>(columns) : Span<const double>(), a, a);
          },
          [&](MatrixView a) {
            for (Index j = 0; j < 2; ++j)
              for (Index i = 0; i < 3; ++i) a(i, j) *= (by_rows ? rows[i] : 1) * (by_columns ? columns[j] : 1);
          });
  const Array<double> diagonal = {1, 2, 3};
  expect_change(
      3, 3,
      [&](DeviceView a) {
        set_diagonal(engine_, diagonal, a);
        EXPECT_EQ(diagonal_from(engine_, a), diagonal);
      },
      [&](MatrixView a) {
        for (Index i = 0; i < 3; ++i) a(i, i) = diagonal[i];
      });
}

// More rows than a thread sums up.
TEST_P(EngineTest, SumsOfColumns) {
  const Matrix a = random_matrix(5000, 3);
  const DeviceMatrix there = uploaded(engine_, a.view());
  const ConstDeviceView view = there.view().block(7, 1, 4500, 2);
  Array<double> magnitudes(2), squares(2);
  engine_->magnitudes(view, magnitudes);
  engine_->squares(3, view, squares);
  for (Index j = 0; j < 2; ++j) {
    double sum = 0, of_squares = 0;
    for (Index i = 7; i < 4507; ++i) sum += std::abs(a(i, j + 1)), of_squares += 9 * a(i, j + 1) * a(i, j + 1);
    EXPECT_NEAR(magnitudes[j], sum, 1e-12 * sum);
    EXPECT_NEAR(squares[j], of_squares, 1e-12 * of_squares);
  }
}

TEST_P(EngineTest, Products) {
  for (const Op op_a : {Op::none, Op::transpose})
    for (const Op op_b : {Op::none, Op::transpose}) {
      const Matrix a = op_a == Op::none ? random_matrix(4, 6) : random_matrix(6, 4),
                   b = op_b == Op::none ? random_matrix(6, 3) : random_matrix(3, 6);
      const DeviceMatrix a_there = uploaded(engine_, a.view()), b_there = uploaded(engine_, b.view());
      for (const double beta : {0.0, 0.5})
        expect_change(
            4, 3, [&](DeviceView c) { engine_->gemm(op_a, op_b, 2, a_there.view(), b_there.view(), beta, c); },
            [&](MatrixView c) { gemm(op_a, op_b, 2, a.view(), b.view(), beta, c); });
    }
}

TEST_P(EngineTest, FactorsAndEigenvectors) {
  constexpr Index n = 9;
  const Matrix b = random_matrix(n, n);
  Matrix a(n, n, 0.0);
  gemm(Op::none, Op::transpose, 1, b.view(), b.view(), 0, a.view());
  for (Index i = 0; i < n; ++i) a(i, i) += 0.1;
  const auto below = [](Index i, Index j) { return i >= j; };
  // L L' = A, and solutions with L
  DeviceMatrix l = uploaded(engine_, a.view());
  ASSERT_TRUE(engine_->potrf(l.view()));
  const Matrix factor = downloaded(l);
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) {
      double sum = 0;
      for (Index k = 0; k <= j; ++k) sum += factor(i, k) * factor(j, k);
      EXPECT_NEAR(sum, a(i, j), 1e-12);
    }
  for (const Op op : {Op::none, Op::transpose}) {
    const auto part = [](DeviceMatrix& from) { return std::as_const(from).view().block(2, 1, 3, 3); };
    DeviceMatrix corner = uploaded(engine_, factor.view());
    engine_->upload(factor.view().block(0, 0, 3, 3), corner.view().block(2, 1, 3, 3));
    expect_change(
        5, 3, [&](DeviceView rows) { engine_->trsm_right(op, part(corner), rows); },
        [&](MatrixView rows) { trsm_right(op, factor.view().block(0, 0, 3, 3), rows); });
    const Matrix x = random_matrix(n, 2);
    Matrix right(n, 2, 0.0);
    for (Index c = 0; c < 2; ++c)
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i)
          if (op == Op::none ? below(i, j) : below(j, i))
            right(i, c) += (op == Op::none ? factor(i, j) : factor(j, i)) * x(j, c);
    DeviceMatrix there = uploaded(engine_, right.view());
    engine_->trsm(op, l.view(), there.view());
    const Matrix found = downloaded(there);
    for (Index i = 0; i < n; ++i) EXPECT_NEAR(found(i, 1), x(i, 1), 1e-9);
  }
  // V diag(w) V' = A, from its lower triangle in a larger matrix
  Matrix large(n + 2, n + 1, 3.0);
  copy(a.view(), large.view().block(2, 1, n, n));
  for (Index j = 1; j < n; ++j) std::fill_n(large.col(j + 1) + 2, j, 77.0);
  DeviceMatrix v_there = uploaded(engine_, large.view());
  Array<double> w(n);
  engine_->eigen(v_there.view().block(2, 1, n, n), w);
  const Matrix v_large = downloaded(v_there);
  const ConstMatrixView v = v_large.view().block(2, 1, n, n);
  EXPECT_TRUE(std::is_sorted(w.begin(), w.end()));
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      double sum = 0, product = 0;
      for (Index k = 0; k < n; ++k) sum += v(i, k) * w[k] * v(j, k), product += v(k, i) * v(k, j);
      EXPECT_NEAR(sum, a(i, j), 1e-11);
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-12);
    }
  for (Index j = 0; j < n + 1; ++j) EXPECT_EQ(v_large(1, j), 3.0);
  // not positive definite
  a(5, 5) = -1;
  DeviceMatrix indefinite = uploaded(engine_, a.view());
  EXPECT_FALSE(engine_->potrf(indefinite.view()));
}

// Few columns, which a thread keeps, and many.
TEST_P(EngineTest, KernelValues) {
  for (const Index d : {3, 40})
    for (const char* const text :
         {"gaussian(sigma = 2)", "1 * linear() + 2 * additive(matern(nu = 1.5, length = 1))"}) {
      const KernelPtr kernel = parse_kernel(text);
      const Matrix x = random_matrix(150, d), z = random_matrix(37, d);
      const std::unique_ptr<DeviceKernel> there = engine_->kernel(kernel, d);
      const auto points = [&](const Matrix& from) {
        Matrix prepared(from.rows(), there->columns());
        there->prepare(from.view(), prepared.view());
        return uploaded(engine_, prepared.view());
      };
      const DeviceMatrix a = points(x), b = points(z);
      expect_change(
          150, 37, [&](DeviceView out) { there->evaluate(a.view(), b.view(), out); },
          [&](MatrixView out) { kernel->evaluate(x.view(), z.view(), out); });
    }
}

INSTANTIATE_TEST_SUITE_P(On, EngineTest, ::testing::ValuesIn(engines()),
                         [](const auto& which) { return which.param.name; });

}  // namespace engine_test
