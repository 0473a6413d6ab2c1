// The plan: the route that AUTO takes, and what freeridge_explain says of it.
#include <cmath>
#include <sstream>
#include <string>

#include "capi/support/refusals.hpp"
#include "capi/support/selection_calls.hpp"
#include "capi/support/setting_calls.hpp"

namespace plan_test {

std::string explained(const Model& model) {
  char text[2048];
  int64_t length = 0;
  EXPECT_EQ(freeridge_explain(model.get(), 2048, text, &length), FREERIDGE_OK) << freeridge_last_error();
  EXPECT_EQ(std::string(text).size(), static_cast<std::size_t>(length));
  return text;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// The line of a route in the table.
std::string line_of(const std::string& text, const std::string& route) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.compare(2, route.size() + 1, route + " ") == 0) return line;
  ADD_FAILURE() << "no line for " << route << " in\n" << text;
  return {};
}

// A model of n made-up points, borrowed; its data are as small as the problem is large.
class ContractPlan : public testing::Test {
 protected:
  Model& with(int64_t n, int64_t d, const Kernel& kernel, int64_t t = 1) {
    x_.resize(sample::size(n * d));
    y_.resize(sample::size(n * t));
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = std::sin(static_cast<double>(i));
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = std::cos(static_cast<double>(i));
    EXPECT_EQ(freeridge_set_kernel(model_.get(), Kernel::linear().get()), FREERIDGE_OK);
    EXPECT_EQ(freeridge_set_points(model_.get(), support::at(FREERIDGE_COL_MAJOR, n, d, x_.data()), 1,
                                   FREERIDGE_COL_MAJOR, t, y_.data(), n),
              FREERIDGE_OK);
    EXPECT_EQ(freeridge_set_kernel(model_.get(), kernel.get()), FREERIDGE_OK);
    return model_;
  }
  std::string chosen(int64_t n, int64_t d, const Kernel& kernel, int64_t lambdas, int64_t t = 1) {
    const std::string line = first_line(explained(with(n, d, kernel, t).expected_lambdas(lambdas)));
    return line.substr(6, line.find(':') - 6);
  }

  std::vector<double> x_, y_;
  Model model_ = Model(Kernel::linear());
};

TEST_F(ContractPlan, TheRouteFollowsTheSizeAndTheNumberOfLambdas) {
  const Kernel gaussian = Kernel::gaussian(1.0);
  EXPECT_EQ(chosen(50, 3, gaussian, 100), "SPECTRAL");
  EXPECT_EQ(chosen(50, 3, gaussian, 1), "CHOLESKY");
  EXPECT_EQ(chosen(5000, 3, gaussian, 100), "BAND");
  EXPECT_EQ(chosen(5000, 3, gaussian, 1), "CHOLESKY");
  EXPECT_EQ(chosen(20000, 3, gaussian, 20), "BAND");
  EXPECT_EQ(chosen(5000, 3, Kernel::linear(), 1), "PRIMAL");
  EXPECT_EQ(chosen(41, 40, Kernel::linear(), 100), "PRIMAL");
  EXPECT_EQ(chosen(40, 40, Kernel::linear(), 100), "PRIMAL");
  EXPECT_EQ(chosen(40, 60, Kernel::linear(), 1), "PRIMAL");
  EXPECT_EQ(chosen(40, 60, Kernel::scaled(Kernel::linear(), support::Vector(60, 2.0)), 100), "PRIMAL");
  EXPECT_EQ(chosen(40, 60, Kernel::parse("2 * linear() + 0.5 * linear()"), 100), "PRIMAL");
  // Each output has lambdas of its own, and BAND has a factor for each.
  EXPECT_EQ(chosen(2000, 3, gaussian, 100, 200), "SPECTRAL");
  EXPECT_EQ(chosen(2000, 3, gaussian, 1, 200), "CHOLESKY");
  // Of rank 10, which only SPECTRAL knows.
  EXPECT_EQ(chosen(5000, 3, Kernel::polynomial(2, 1.0, 1.0), 100), "SPECTRAL");
}

TEST_F(ContractPlan, FactorizeTakesTheRouteThatIsExplained) {
  struct {
    int64_t n, lambdas;
  } const cases[] = {{40, 1}, {40, 100}, {1500, 1}, {1500, 1000}};
  for (const auto& c : cases) {
    const std::string name = chosen(c.n, 2, Kernel::gaussian(0.3), c.lambdas);
    model_.factorize();
    const freeridge_route route = model_.route_used();
    EXPECT_EQ(name, route == FREERIDGE_ROUTE_CHOLESKY   ? "CHOLESKY"
                    : route == FREERIDGE_ROUTE_SPECTRAL ? "SPECTRAL"
                    : route == FREERIDGE_ROUTE_BAND     ? "BAND"
                                                        : "another");
    EXPECT_EQ(first_line(explained(model_)).substr(6, name.size()), name);
  }
}

TEST_F(ContractPlan, ACriterionWithoutRowsLeftOutIsCheaper) {
  with(5000, 3, Kernel::gaussian(1.0)).expected_lambdas(100);
  // The seconds of the table times the rate they are for, which is measured anew for each table: the work.
  const auto work = [&](freeridge_criterion criterion, const char* route) {
    EXPECT_EQ(freeridge_set_parameter(model_.get(), FREERIDGE_EXPECTED_CRITERION, criterion), FREERIDGE_OK);
    const std::string text = explained(model_), line = line_of(text, route), rate = "estimates for ";
    return std::stod(line.substr(line.find("iB") + 2)) * std::stod(text.substr(text.find(rate) + rate.size()));
  };
  for (const char* route : {"BAND", "CHOLESKY"})
    for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_REML})
      EXPECT_LT(work(criterion, route), 0.8 * work(FREERIDGE_LOO, route)) << route;
}

TEST_F(ContractPlan, TheReasonIsSaid) {
  EXPECT_NE(explained(with(100, 3, Kernel::linear())).find("linear and d < n"), std::string::npos);
  EXPECT_NE(explained(model_.route(FREERIDGE_ROUTE_BAND)).find("route BAND: the route was set"), std::string::npos);
  model_.route(FREERIDGE_ROUTE_AUTO);
  EXPECT_EQ(freeridge_set_landmarks(model_.get(), 10, nullptr), FREERIDGE_OK);
  const std::string text = explained(model_);
  EXPECT_NE(text.find("route LANDMARK: landmarks are set"), std::string::npos);
  EXPECT_NE(line_of(text, "BAND").find("takes no landmarks"), std::string::npos);
  const std::string dense = explained(with(100, 3, Kernel::gaussian(1.0)));
  EXPECT_NE(line_of(dense, "PRIMAL").find("needs a linear kernel"), std::string::npos);
  EXPECT_NE(line_of(dense, "LANDMARK").find("needs landmarks"), std::string::npos);
  EXPECT_NE(dense.find("gaussian(sigma = 1)"), std::string::npos);
  EXPECT_NE(dense.find("n = 100, d = 3, 1 output"), std::string::npos);
}

// Two million points: every dense route is too large, and factorize says so before it tries.
TEST_F(ContractPlan, WhatDoesNotFitIsSaid) {
  const std::string text = explained(with(2000000, 1, Kernel::gaussian(1.0)));
  EXPECT_NE(first_line(text).find("no route fits into memory"), std::string::npos);
  EXPECT_NE(line_of(text, "BAND").find("does not fit"), std::string::npos);
  EXPECT_NE(line_of(text, "CHOLESKY").find("does not fit"), std::string::npos);
  EXPECT_EQ(freeridge_factorize(model_.get()), FREERIDGE_OUT_OF_MEMORY);
}

TEST_F(ContractPlan, ARouteThatIsSetIsRefusedAsByFactorize) {
  char text[2048];
  int64_t length = 0;
  with(50, 2, Kernel::gaussian(1.0)).route(FREERIDGE_ROUTE_PRIMAL);
  EXPECT_EQ(freeridge_explain(model_.get(), 2048, text, &length), FREERIDGE_INVALID_ARGUMENT);
  model_.route(FREERIDGE_ROUTE_LANDMARK);
  EXPECT_EQ(freeridge_explain(model_.get(), 2048, text, &length), FREERIDGE_INVALID_STATE);
}

TEST(ContractExplain, TheLengthAloneAndASizeTooSmall) {
  Model model = sample::model(sample::State::data);
  int64_t length = 0;
  ASSERT_EQ(freeridge_explain(model.get(), 0, nullptr, &length), FREERIDGE_OK);
  EXPECT_GT(length, 200);
  EXPECT_LT(length, 2048);
  char text[64] = "untouched";
  length = 0;
  EXPECT_EQ(freeridge_explain(model.get(), 64, text, &length), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_STREQ(text, "untouched");
  EXPECT_GT(length, 200);
}

}  // namespace plan_test
