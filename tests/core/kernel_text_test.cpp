// Kernels as text: the canonical forms; random nested kernels that read back as the same kernel, to the last bit of
// their values; and text that has been tampered with, which is refused or is a kernel, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/compare.hpp"
#include "support/problems.hpp"

namespace kernel_text_test {

using namespace support;

constexpr std::int64_t d = 2;

Kernel random_kernel(Random& random, int depth) {
  const auto number = [&] { return std::exp(random.normal() * (random.index(4) == 0 ? 60.0 : 1.0)); };
  const auto parts = [&] {
    std::vector<Kernel> out;
    for (std::int64_t count = 1 + random.index(3); count > 0; --count) out.push_back(random_kernel(random, depth - 1));
    return out;
  };
  switch (random.index(depth > 0 ? 13 : 5)) {
    case 10:
      return Kernel::parse("periodic(period = 1, matern(nu = 1.5, length = 1))")
          .with_hyperparameters({number(), number()});
    case 11:
      return Kernel::parse("1 * constant() + 1 * sphere(laplacian(sigma = 1))")
          .with_hyperparameters({number(), number(), number()});
    case 12:
      return Kernel::parse("multiplicative([3, 1], 1 * constant() + 1 * gaussian(sigma = 1))")
          .with_hyperparameters({1, number(), number()});
    case 0:
      return Kernel::linear();
    case 1:
      return Kernel::polynomial(static_cast<std::int32_t>(1 + random.index(4)), number(),
                                random.index(3) == 0 ? 0.0 : number());
    case 2:
      return Kernel::gaussian(number());
    case 3:
      return Kernel::laplacian(number());
    case 4:
      return Kernel::matern(0.5 + static_cast<double>(random.index(3)), number());
    case 5:
    case 6: {
      const std::vector<Kernel> terms = parts();
      Vector weights = random.uniform_vector(static_cast<std::int64_t>(terms.size()), 0.0, 3.0);
      for (std::size_t i = 1; i < weights.size(); ++i)
        if (random.index(4) == 0) weights[i] = random.index(2) == 0 ? 0.0 : 1.0;
      return Kernel::sum(terms, weights);
    }
    case 7:
      return Kernel::product(parts());
    case 8: {  // its part has no scaled kernels
      const Labels label = {static_cast<std::int32_t>(random.index(3)) - 1, 1};
      const Kernel inner =
          Kernel::parse("linear() + gaussian(sigma = 1)").with_hyperparameters({1, number(), number()});
      return Kernel::additive(inner, random.index(2) == 0 ? Labels() : label);
    }
    default:
      return Kernel::scaled(random_kernel(random, depth - 1), {number(), number()});
  }
}

// What a model with this kernel answers: the kernel's values decide on all of it.
struct Answers {
  freeridge_status factorized = FREERIDGE_OK;
  Vector values;
  bool operator==(const Answers& other) const {
    return factorized == other.factorized && bit_equal(values, other.values);
  }
};

Answers answers(const Kernel& kernel) {
  Random random(4200);
  const Matrix x = random.uniform_matrix(9, d, -1.0, 1.0), points = random.uniform_matrix(5, d, -1.0, 1.0);
  Model model(kernel);
  model.data(x, responses(random, x, 1, 0.2)).route(FREERIDGE_ROUTE_SPECTRAL);
  Answers out;
  out.factorized = freeridge_factorize(model.get());
  if (out.factorized != FREERIDGE_OK) return out;
  if (freeridge_set_lambda(model.get(), 0.1) != FREERIDGE_OK) return out;
  freeridge_status status = FREERIDGE_OK;
  out.values = model.loo(&status).values;
  for (const double value : model.predict(points).values) out.values.push_back(value);
  return out;
}

TEST(KernelText, CanonicalForms) {
  const double third = 1.0 / 3.0;
  EXPECT_EQ(Kernel::linear().description(), "linear()");
  EXPECT_EQ(Kernel::precomputed().description(), "precomputed()");
  EXPECT_EQ(Kernel::polynomial(3, 0.5, 1).description(), "polynomial(degree = 3, scale = 0.5, offset = 1)");
  EXPECT_EQ(Kernel::gaussian(1.5).description(), "gaussian(sigma = 1.5)");
  EXPECT_EQ(Kernel::gaussian(third).description(), "gaussian(sigma = 0.3333333333333333)");
  EXPECT_EQ(Kernel::gaussian(5e-324).description(), "gaussian(sigma = 5e-324)");
  EXPECT_EQ(Kernel::laplacian(1e300).description(), "laplacian(sigma = 1e+300)");
  EXPECT_EQ(Kernel::matern(0.5, 2).description(), "matern(nu = 0.5, length = 2)");
  EXPECT_EQ(Kernel::matern(1.5, 2).description(), "matern(nu = 1.5, length = 2)");
  EXPECT_EQ(Kernel::matern(2.5, 2).description(), "matern(nu = 2.5, length = 2)");
  EXPECT_EQ(Kernel::scaled(Kernel::gaussian(1), {0.5, 2}).description(), "scaled([0.5, 2], gaussian(sigma = 1))");
  std::vector<Kernel> two;
  two.push_back(Kernel::linear());
  two.push_back(Kernel::gaussian(1));
  EXPECT_EQ(Kernel::product(two).description(), "product(linear(), gaussian(sigma = 1))");
  std::vector<Kernel> nested;
  nested.push_back(Kernel::sum(two, {0.3, 1}));
  EXPECT_EQ(nested[0].description(), "0.3 * linear() + 1 * gaussian(sigma = 1)");
  EXPECT_EQ(Kernel::product(nested).description(), "product(0.3 * linear() + 1 * gaussian(sigma = 1))");
  EXPECT_EQ(Kernel::scaled(nested[0], {1, 2}).description(),
            "scaled([1, 2], 0.3 * linear() + 1 * gaussian(sigma = 1))");
  EXPECT_EQ(Kernel::additive(nested[0]).description(), "additive(0.3 * linear() + 1 * gaussian(sigma = 1))");
  EXPECT_EQ(Kernel::additive(two[1], {7, -3, 2, 7}).description(), "additive([0, -1, 1, 0], gaussian(sigma = 1))");
  nested.push_back(Kernel::linear());
  EXPECT_EQ(Kernel::sum(nested, {2, 0}).description(), "2 * (0.3 * linear() + 1 * gaussian(sigma = 1)) + 0 * linear()");
}

TEST(KernelText, NamesOfNumbers) {
  const Kernel kernel = Kernel::parse(
      "2 * multiplicative(constant() + .5 * gaussian(sigma = 1)) + product(periodic(period = 12, matern(nu = 1.5, "
      "length "
      "= 3)), sphere(laplacian(sigma = 4)))");
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < 7; ++i) {
    char name[100];
    std::int64_t length = 0;
    check(freeridge_kernel_hyperparameter_name(kernel.get(), i, 100, name, &length),
          "freeridge_kernel_hyperparameter_name");
    names.emplace_back(name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "sum.weight[0]", "sum[0].multiplicative.sum.weight[0]", "sum[0].multiplicative.sum.weight[1]",
                       "sum[0].multiplicative.sum[1].gaussian.sigma", "sum.weight[1]",
                       "sum[1].product[0].periodic.period", "sum[1].product[0].periodic.matern.length"}));
}

TEST(KernelText, WhatCannotBeAPartIsRefusedWithTheReason) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"periodic(period = 0, gaussian(sigma = 1))", "period is 0; it must be positive"},
           {"periodic(gaussian(sigma = 1))", "period was expected at character 10"},
           {"periodic(period = 2, linear())", "inner is linear; within periodic"},
           {"sphere(gaussian(sigma = 1) + linear())", "inner is sum; within sphere"},
           {"sphere(precomputed())", "inner is precomputed"},
           {"multiplicative(scaled([1], linear()))", "scale the multiplicative kernel instead"},
           {"multiplicative([-1, -2], linear())", "one term is needed"},
           {"multiplicative([0, 0, 0], sphere(gaussian(sigma = 1)))", "d = 3 columns, the sphere kernel has two"},
           {"constant(1)", ") was expected at character 10"}}) {
    freeridge_kernel* made = nullptr;
    EXPECT_NE(freeridge_kernel_parse(text.c_str(), &made), FREERIDGE_OK) << text;
    EXPECT_NE(std::string(freeridge_last_error()).find(words), std::string::npos) << freeridge_last_error();
  }
}

TEST(KernelText, WhatIsWrittenByHandIsRead) {
  const auto canonical = [](const std::string& text) { return Kernel::parse(text).description(); };
  EXPECT_EQ(canonical("linear()+gaussian(sigma=1)"), "1 * linear() + 1 * gaussian(sigma = 1)");
  EXPECT_EQ(canonical(" \t\n2*linear ( )\r\n"), "2 * linear()");
  EXPECT_EQ(canonical("(linear())"), "linear()");
  EXPECT_EQ(canonical("additive( [ 4,-2 , 0] ,(gaussian(sigma=1)))"), "additive([0, -1, 1], gaussian(sigma = 1))");
  EXPECT_EQ(canonical("linear() + .5 * linear()"), "1 * linear() + 0.5 * linear()");
  EXPECT_EQ(canonical("multiplicative([7,7,-2],constant()+sphere((gaussian(sigma=1))))"),
            "multiplicative([0, 0, -1], 1 * constant() + 1 * sphere(gaussian(sigma = 1)))");
  EXPECT_EQ(canonical("periodic( period=12 ,laplacian(sigma=1))"), "periodic(period = 12, laplacian(sigma = 1))");
  EXPECT_EQ(canonical("(1 * linear() + 2e0 * linear()) + linear()"),
            "1 * (1 * linear() + 2 * linear()) + 1 * linear()");
  EXPECT_EQ(canonical("scaled([1e-3,2],product((linear()),linear()+linear()))"),
            "scaled([0.001, 2], product(linear(), 1 * linear() + 1 * linear()))");
}

TEST(KernelText, EqualMeansTheSameDescription) {
  EXPECT_TRUE(Kernel::gaussian(2) == Kernel::gaussian(2));
  EXPECT_FALSE(Kernel::gaussian(2) == Kernel::gaussian(std::nextafter(2.0, 3.0)));
  EXPECT_FALSE(Kernel::laplacian(2) == Kernel::gaussian(2));
  EXPECT_TRUE(Kernel::precomputed() == Kernel::precomputed());
  // One function, but not what was made.
  EXPECT_FALSE(Kernel::laplacian(2) == Kernel::matern(0.5, 2));
  EXPECT_TRUE(answers(Kernel::laplacian(2)) == answers(Kernel::matern(0.5, 2)));
  EXPECT_FALSE(Kernel::parse("linear() + gaussian(sigma = 1)") == Kernel::parse("gaussian(sigma = 1) + linear()"));
}

TEST(KernelText, RandomKernelsReadBack) {
  Random random(4201);
  int finite = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Kernel kernel = random_kernel(random, 4);
    const std::string text = kernel.description();
    SCOPED_TRACE(text);
    const Kernel read = Kernel::parse(text);
    ASSERT_EQ(read.description(), text);
    ASSERT_TRUE(read == kernel);
    const Answers expected = answers(kernel);
    finite += expected.factorized == FREERIDGE_OK && !expected.values.empty();
    ASSERT_TRUE(answers(read) == expected);
    std::string dense;  // spaces do not matter
    for (const char c : text)
      if (c != ' ') dense += c;
    ASSERT_EQ(Kernel::parse(dense).description(), text);
  }
  EXPECT_GT(finite, 150);
}

// Every prefix, and thousands of texts with bytes changed, added, dropped, doubled: refused with one line, or a kernel
// whose description reads back.
TEST(KernelText, TamperedText) {
  Random random(4202);
  const std::string alphabet = "()[]+*,=.-0123456789einfaprodutscl \t\n\x01\x7f\xff_%{";
  int accepted = 0, refused = 0;
  const auto visit = [&](const std::string& text) {
    freeridge_kernel* made = nullptr;
    const freeridge_status status = freeridge_kernel_parse(text.c_str(), &made);
    if (status == FREERIDGE_OK) {
      ++accepted;
      freeridge_kernel_destroy(made);
      const std::string description = Kernel::parse(text).description();
      ASSERT_EQ(Kernel::parse(description).description(), description);
      return;
    }
    ++refused;
    ASSERT_EQ(made, nullptr);
    ASSERT_TRUE(status == FREERIDGE_INVALID_ARGUMENT || status == FREERIDGE_NOT_FINITE ||
                status == FREERIDGE_DIMENSION_MISMATCH)
        << freeridge_status_name(status);
    const std::string message = freeridge_last_error();
    ASSERT_NE(message.find("character "), std::string::npos) << message;
    for (const char c : message) ASSERT_TRUE(c >= ' ' && c < 127) << message;
  };
  for (int trial = 0; trial < 60; ++trial) {
    const std::string text = random_kernel(random, 3).description();
    for (std::size_t length = 0; length < text.size(); ++length) visit(text.substr(0, length));
    for (int mutation = 0; mutation < 400; ++mutation) {
      std::string changed = text;
      for (std::int64_t edits = 1 + random.index(4); edits > 0; --edits) {
        const auto at = static_cast<std::size_t>(random.index(static_cast<std::int64_t>(changed.size() + 1)));
        const char c = alphabet[static_cast<std::size_t>(random.index(static_cast<std::int64_t>(alphabet.size())))];
        switch (random.index(4)) {
          case 0:
            if (at < changed.size()) changed[at] = c;
            break;
          case 1:
            changed.insert(at, 1, c);
            break;
          case 2:
            if (at < changed.size()) changed.erase(at, 1 + at % 3);
            break;
          default:
            changed.insert(at, changed.substr(at / 2, 12));
        }
      }
      visit(changed);
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 10000);
}

std::string nested(const std::string& open, const std::string& inside, const std::string& close, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += open;
  out += inside;
  for (int i = 0; i < times; ++i) out += close;
  return out;
}

TEST(KernelText, ReadsSixtyFourKernelsDeepAndNoMore) {
  const auto status = [](const std::string& text) {
    freeridge_kernel* made = nullptr;
    const freeridge_status out = freeridge_kernel_parse(text.c_str(), &made);
    freeridge_kernel_destroy(made);
    return out;
  };
  EXPECT_EQ(status(nested("product(", "linear()", ")", 63)), FREERIDGE_OK);
  EXPECT_EQ(status(nested("product(", "linear()", ")", 64)), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(status(nested("2 * (", "2 * linear()", ")", 62)), FREERIDGE_OK);
  EXPECT_EQ(status(nested("2 * (", "2 * linear()", ")", 63)), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(status(nested("product(3 * ", "linear()", ")", 31)), FREERIDGE_OK);
  EXPECT_EQ(status(nested("product(3 * ", "linear()", ")", 32)), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(status(nested("(", "linear()", ")", 63)), FREERIDGE_OK);
  for (const char* open : {"(", "product(", "scaled([1], ", "1 * (", "scaled([", "["})
    EXPECT_EQ(status(nested(open, "", "", 1000000)), FREERIDGE_INVALID_ARGUMENT) << open;
}

// Parts may be shared, so that a few calls make a kernel that no one could evaluate or write down.
TEST(KernelText, KernelsThatGrowWithoutEndAreRefused) {
  const auto grow = [](Kernel kernel, int steps, std::size_t copies) {
    for (int step = 0; step < steps; ++step) {
      const std::vector<const freeridge_kernel*> parts(copies, kernel.get());
      freeridge_kernel* made = nullptr;
      const auto count = static_cast<std::int32_t>(copies);
      const freeridge_status status = freeridge_kernel_product(parts.data(), count, &made);
      if (status != FREERIDGE_OK) {
        EXPECT_EQ(status, FREERIDGE_INVALID_ARGUMENT);
        return step;
      }
      kernel = Kernel::adopt(made);
    }
    return steps;
  };
  EXPECT_EQ(grow(Kernel::gaussian(1), 2000, 1), 999);
  EXPECT_EQ(grow(Kernel::gaussian(1), 64, 2), 19);  // 2^(19 + 1) - 1 kernels
}

// The bandwidth of a kernel is that of the only part that has one, however deep it lies.
TEST(KernelText, TheBandwidthOfDeepKernels) {
  const Matrix x(3, 2, 1.0), y(3, 1, 1.0);
  const auto bandwidth = [&](const std::string& text) {
    Model model(Kernel::parse(text));
    double sigma = -1;
    return freeridge_get_bandwidth(model.get(), &sigma, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) ==
                   FREERIDGE_OK
               ? sigma
               : -1;
  };
  EXPECT_EQ(bandwidth(nested("product(linear(), ", "matern(nu = 0.5, length = 3)", ")", 60)), 3);
  EXPECT_EQ(bandwidth("product(gaussian(sigma = 1), gaussian(sigma = 2))"), -1);
  EXPECT_EQ(bandwidth("product(1 * gaussian(sigma = 1) + 1 * gaussian(sigma = 2), gaussian(sigma = 3))"), -1);
  EXPECT_EQ(bandwidth("linear()"), -1);
}

}  // namespace kernel_text_test
