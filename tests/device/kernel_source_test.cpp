// The text of a kernel, compiled by the host's compiler, has the core's values: 200 random trees of all kernels, and
// what random trees seldom have, in double and in float.
#include "libcore/device/kernel_source.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "libcore/kernel/additive.hpp"
#include "libcore/kernel/kernel_text.hpp"
#include "libcore/kernel/multiplicative.hpp"
#include "libcore/kernel/other_distance.hpp"
#include "support/random.hpp"

namespace kernel_source_test {

using namespace freeridge;
using support::Random;

// A kernel of at most this depth; no scaled ones in an additive one.
KernelPtr random_kernel(Random& random, Index d, int depth, bool scalable) {
  const auto part = [&] { return random_kernel(random, d, depth - 1, scalable); };
  const auto parts = [&] {
    Array<KernelPtr> out;
    for (std::int64_t k = 1 + random.index(3); k > 0; --k) out.push_back(part());
    return out;
  };
  const auto positive = [&] { return random.uniform(0.3, 2.0); };
  switch (random.index(depth > 0 ? 11 : 7)) {
    case 0:
      return linear_kernel();
    case 1:
      return polynomial_kernel(1 + random.index(3), positive(), positive());
    case 2:
      return gaussian_kernel(positive());
    case 3:
      return laplacian_kernel(positive());
    case 4:
      return matern_kernel(0.5 + static_cast<double>(random.index(3)), positive());
    case 5:
      return random.index(3) == 0 ? constant_kernel() : periodic_kernel(positive(), gaussian_kernel(positive()));
    case 6:
      return periodic_kernel(positive(), matern_kernel(0.5 + static_cast<double>(random.index(3)), positive()));
    case 7: {
      Array<KernelPtr> terms = parts();
      Array<double> weights;
      for (std::size_t k = 0; k < terms.size(); ++k) weights.push_back(positive());
      return sum_kernel(std::move(terms), weights);
    }
    case 8:
      return product_kernel(parts());
    case 9: {
      Array<std::int32_t> label;
      for (Index k = 0; k < d && random.index(2) == 0; ++k) label.push_back(static_cast<std::int32_t>(random.index(3)));
      if (std::ssize(label) < d) label.clear();
      const auto of_terms = random.index(2) == 0 ? additive_kernel : multiplicative_kernel;
      return of_terms(random_kernel(random, d, depth - 1, false), label);
    }
    default: {
      if (!scalable) return linear_kernel();
      Array<double> scale;
      for (Index k = 0; k < d; ++k) scale.push_back(positive());
      return scaled_kernel(part(), scale);
    }
  }
}

struct Case {
  KernelPtr kernel;
  Index d;
};

std::vector<Case> all_cases() {
  std::vector<Case> out;
  Random random(48);
  while (out.size() < 200) {
    const Index d = 1 + random.index(5);
    const KernelPtr kernel = random_kernel(random, d, 3, true);
    out.push_back({random.index(5) == 0 ? plus_one(kernel) : kernel, d});
  }
  for (const char* const text :
       {"additive([0, 1, 0, 2, -1, 1], gaussian(sigma = 0.7))",                  // terms of other columns
        "additive([5, 0, 1, 2, 3, 0], additive(matern(nu = 1.5, length = 1)))",  // a loop in a loop
        "1 * matern(nu = 2.5, length = 1) + 2 * additive(matern(nu = 2.5, length = 1))",
        "scaled([1, 2, 3, 4, 5, 6], scaled([2, 2, 2, 2, 2, 2], 1 * linear() + 2 * gaussian(sigma = 1)))",
        "gaussian(sigma = 1e200)", "matern(nu = 1.5, length = 1e-200)", "matern(nu = 2.5, length = 1e-3)",
        "polynomial(degree = 13, scale = 0.1, offset = 0.5)",
        "product(additive([0, 0, -1, -1, -1, -1], sphere(matern(nu = 1.5, length = 0.01))), gaussian(sigma = 2))",
        "multiplicative([0, 1, 0, 2, 1, 2], sphere(laplacian(sigma = 0.02)))",
        "multiplicative(1 * constant() + 0.5 * gaussian(sigma = 1))"})
    out.push_back({parse_kernel(text), 6});
  return out;
}

// Functions value0, value1, ... for `cases`, in a library.
void* compiled(const std::vector<Case>& cases, const std::string& real) {
  const std::string stem = std::string(TEST_FOLDER) + "/kernels_" + real;
  std::ofstream out(stem + ".cpp");
  out << "#include <cmath>\nusing std::exp; using std::fabs; using std::fma; using std::fmin; using std::rint; using "
         "std::sin; using std::sqrt;\n"
      << "typedef long long integer;\ntypedef " << real << " real;\n#define FREERIDGE_FUNCTION static\n";
  for (std::size_t k = 0; k < cases.size(); ++k)
    out << "namespace n" << k << " {\n"
        << kernel_source(*cases[k].kernel, cases[k].d).text << "}\nextern \"C\" real value" << k
        << "(const real* x, integer sx, const real* z, integer sz, const real* p) { return n" << k
        << "::kernel_value(x, sx, z, sz, p); }\n";
  out.close();
  const std::string command =
      std::string(TEST_COMPILER) + " -O2 -ffp-contract=off -shared -fPIC -o " + stem + ".so " + stem + ".cpp";
  if (std::system(command.c_str()) != 0) return nullptr;
  return dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
}

// Points within (0.1, 1): sums of positive terms, so that all digits of a value count. `least`: values below it have no
// digits.
template <class Real>
void expect_values(const std::vector<Case>& cases, double tolerance, double least, const char* real) {
  void* const library = compiled(cases, real);
  ASSERT_NE(library, nullptr);
  Random random(7);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    SCOPED_TRACE(describe(*cases[k].kernel));
    using Value = Real (*)(const Real*, long long, const Real*, long long, const Real*);
    const auto value = reinterpret_cast<Value>(dlsym(library, text("value", k).c_str()));
    ASSERT_NE(value, nullptr);
    const KernelSource source = kernel_source(*cases[k].kernel, cases[k].d);
    constexpr Index n = 12;
    Matrix x(n, cases[k].d), prepared(n, source.columns()), expected(n, n);
    for (double& number : x.values()) number = random.uniform(0.1, 1);
    source.prepare(x.view(), prepared.view());
    cases[k].kernel->evaluate(x.view(), x.view(), expected.view());
    const std::vector<Real> points(prepared.values().begin(), prepared.values().end()),
        p(source.numbers.begin(), source.numbers.end());
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        const double found = static_cast<double>(
            value(points.data() + i, n, points.data() + j, n, p.data()));  // of constants there are no points
        ASSERT_LE(std::abs(found - expected(i, j)), tolerance * std::abs(expected(i, j)) + least) << expected(i, j);
      }
  }
}

TEST(KernelSource, CompiledInDoubleHasTheCoresValues) {
  expect_values<double>(all_cases(), 1e-15, 0, "double");
}

// 2^-24 times the largest argument of exp (some 200), the number of terms and the degree.
TEST(KernelSource, CompiledInFloatHasTheirDigits) {
  std::vector<Case> random_trees = all_cases();
  random_trees.resize(200);
  expect_values<float>(random_trees, 1e-4, 1e-30, "float");
}

TEST(KernelSource, KernelsThatDifferInNumbersHaveOneText) {
  const auto text_of = [](const char* kernel) { return kernel_source(*parse_kernel(kernel), 3).text; };
  EXPECT_EQ(text_of("scaled([1, 2, 3], 2 * gaussian(sigma = 1) + 3 * linear())"),
            text_of("scaled([4, 5, 6], 0.1 * gaussian(sigma = 9) + 7 * linear())"));
  EXPECT_NE(text_of("matern(nu = 1.5, length = 1)"), text_of("matern(nu = 2.5, length = 1)"));
  // 100 single columns are one loop.
  EXPECT_LT(kernel_source(*parse_kernel("additive(gaussian(sigma = 1))"), 100).text.size(), 1000U);
}

TEST(KernelSource, PointsBeyondAllNumbersAreRefused) {
  const KernelSource source = kernel_source(*parse_kernel("scaled([1e-200], gaussian(sigma = 1))"), 1);
  Matrix x(1, 1, 1e200), out(1, 1);
  try {
    source.prepare(x.view(), out.view());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::not_finite) << error.what();
  }
}

}  // namespace kernel_source_test
