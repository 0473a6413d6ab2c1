// FREERIDGE_MEMORY_LIMIT: what does not fit is refused before it begins, with the bytes, the limit and a way out;
// AUTO keeps below it; and what memory_required counts for every route.
#include <gtest/gtest.h>

#include "progress/heard_calls.hpp"

namespace memory_limit_test {

using namespace heard;

std::int64_t required(const Model& model) {
  std::int64_t bytes = -1;
  support::check(freeridge_memory_required(model.get(), &bytes), "freeridge_memory_required");
  return bytes;
}

void limit(const Model& model, std::int64_t bytes) {
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_MEMORY_LIMIT, static_cast<double>(bytes)),
                 "freeridge_set_parameter");
}

std::string explain(const Model& model) {
  std::int64_t length = 0;
  std::string text(4096, '\0');
  support::check(freeridge_explain(model.get(), 4096, text.data(), &length), "freeridge_explain");
  return text.substr(0, static_cast<std::size_t>(length));
}

void expect_refused(freeridge_status status, std::int64_t the_limit) {
  ASSERT_EQ(status, FREERIDGE_OUT_OF_MEMORY);
  const std::string message = freeridge_last_error();
  EXPECT_NE(message.find(std::to_string(the_limit) + " bytes is the limit"), std::string::npos) << message;
  EXPECT_NE(message.find("use "), std::string::npos) << message;
}

const std::vector<Case> cases = {{"CHOLESKY", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_CHOLESKY},
                                 {"SPECTRAL", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_SPECTRAL},
                                 {"BAND", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_BAND},
                                 {"PRIMAL", "linear()", FREERIDGE_ROUTE_PRIMAL},
                                 {"PRIMAL, streamed", "linear()", FREERIDGE_ROUTE_PRIMAL, 0, FREERIDGE_REDUCTION_GRAM},
                                 {"LANDMARK", "gaussian(sigma = 1.5)", FREERIDGE_ROUTE_LANDMARK, 20}};

TEST(MemoryLimit, IsExactToAByte) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Model model = data_model(c, {200, 3});
    const std::int64_t bytes = required(model);
    limit(model, bytes - 1);
    expect_refused(freeridge_factorize(model.get()), bytes - 1);
    EXPECT_NE(std::string(freeridge_last_error()).find(std::to_string(bytes) + " bytes"), std::string::npos);
    freeridge_route route = -1;
    EXPECT_EQ(freeridge_get_route(model.get(), &route), FREERIDGE_INVALID_STATE);
    EXPECT_EQ(required(model), bytes) << "the limit changes what is needed";
    limit(model, bytes);
    EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_OK) << freeridge_last_error();
    limit(model, 0);
    EXPECT_EQ(freeridge_factorize(model.get()), FREERIDGE_OK);
  }
}

// The answers of a factorized model are refused, too, and the model stays as it was.
TEST(MemoryLimit, HoldsForEveryCall) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Sizes size = {200, 3};
    const Model model = fitted_model(c, size), free = fitted_model(c, size);
    std::vector<Call<Model>> calls = fitted_calls(c, size);
    for (const auto& more : {factorized_calls(c, size), data_calls(c, size)})
      calls.insert(calls.end(), more.begin(), more.end());
    for (const Call<Model>& call : calls) {
      SCOPED_TRACE(call.name);
      limit(model, 1000);
      const Answer answer = call.run(model);
      if (!call.allocates) {
        EXPECT_EQ(answer.status, FREERIDGE_OK);
        EXPECT_TRUE(support::bit_equal(answer.numbers, call.run(free).numbers));
        continue;
      }
      EXPECT_EQ(answer.status, FREERIDGE_OUT_OF_MEMORY);
      EXPECT_NE(std::string(freeridge_last_error()).find("1000 bytes is the limit"), std::string::npos)
          << freeridge_last_error();
      for (const double value : answer.numbers) EXPECT_EQ(value, untouched);
      limit(model, 0);
      EXPECT_TRUE(support::bit_equal(model.loo().values, free.loo().values));
    }
  }
}

// What was factorized below a limit has room for a lambda and its answers below the same.
TEST(MemoryLimit, OfFactorizeIsEnoughForALambda) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Sizes size = {200, 3};
    Model model = data_model(c, size);
    limit(model, required(model));
    model.factorize().lambda(0.5);
    EXPECT_NO_THROW(model.loo());
    EXPECT_NO_THROW(model.fitted());
    EXPECT_NO_THROW(model.leverage());
    EXPECT_NO_THROW(model.score(FREERIDGE_LOO, {0.1, 1.0}));
  }
}

// Thousands of lambdas need more than a few, and are refused where a few are not: at least the scores and their errors.
TEST(MemoryLimit, KnowsHowManyLambdas) {
  for (const Case& c : cases) {
    const Sizes size = {200, 3};
    const Model model = fitted_model(c, size);
    const Vector few(10, 0.5), many(200000, 0.5);
    Vector scores(many.size() * 2, untouched);
    for (const freeridge_criterion criterion : {FREERIDGE_GCV, FREERIDGE_LOO, FREERIDGE_GROUPS}) {
      SCOPED_TRACE(::testing::Message() << c.name << ", criterion " << criterion);
      const auto score = [&](const Vector& lambdas) {
        const auto count = static_cast<std::int64_t>(lambdas.size());
        return freeridge_score(model.get(), criterion, count, lambdas.data(), scores.data(), nullptr, count);
      };
      const auto announced = [&](const Vector& lambdas) {
        limit(model, 1);
        EXPECT_EQ(score(lambdas), FREERIDGE_OUT_OF_MEMORY);
        return bytes_in_message();
      };
      const std::int64_t least = announced(few), most = announced(many);
      EXPECT_GE(most - least, 2 * 8 * size.t * static_cast<std::int64_t>(many.size() - few.size()));
      limit(model, most - 1);
      EXPECT_EQ(score(few), FREERIDGE_OK) << freeridge_last_error();
      EXPECT_EQ(score(many), FREERIDGE_OUT_OF_MEMORY);
      EXPECT_NE(std::string(freeridge_last_error()).find("lambdas"), std::string::npos) << freeridge_last_error();
    }
  }
}

TEST(MemoryLimit, AutoKeepsBelowIt) {
  // Few lambdas at this size: CHOLESKY; SPECTRAL needs twice the memory; without room for any, the refusal says which.
  support::Random random(1);
  const std::int64_t n = 1500;
  const Matrix x = random.uniform_matrix(n, 3, -1, 1), y = random.uniform_matrix(n, 1, -1, 1);
  Model model(support::Kernel::parse("gaussian(sigma = 1)"));
  model.data(x, y);
  const auto bytes_of = [&](freeridge_route route) {
    model.route(route);
    const std::int64_t bytes = required(model);
    model.route(FREERIDGE_ROUTE_AUTO);
    return bytes;
  };
  const std::int64_t cholesky = bytes_of(FREERIDGE_ROUTE_CHOLESKY), spectral = bytes_of(FREERIDGE_ROUTE_SPECTRAL),
                     band = bytes_of(FREERIDGE_ROUTE_BAND);
  ASSERT_LT(cholesky, band);
  ASSERT_LT(cholesky, spectral);
  const std::int64_t unlimited = required(model);
  ASSERT_NE(unlimited, cholesky) << "AUTO takes CHOLESKY for 100 lambdas";
  limit(model, std::min(band, spectral) - 1);
  EXPECT_EQ(required(model), cholesky);
  EXPECT_NE(explain(model).find("route CHOLESKY"), std::string::npos);
  EXPECT_NE(explain(model).find("limited to "), std::string::npos);
  EXPECT_NE(explain(model).find("does not fit"), std::string::npos);
  limit(model, cholesky - 1);
  expect_refused(freeridge_factorize(model.get()), cholesky - 1);
  limit(model, 0);
  EXPECT_EQ(required(model), unlimited);
  EXPECT_EQ(explain(model).find("limited to "), std::string::npos);
}

TEST(MemoryLimit, NegativeIsRefused) {
  const Model model = data_model(cases[0], {20, 3});
  EXPECT_EQ(freeridge_set_parameter(model.get(), FREERIDGE_MEMORY_LIMIT, -1), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_set_parameter(nullptr, FREERIDGE_MEMORY_LIMIT, 1), FREERIDGE_INVALID_ARGUMENT);
}

TEST(MemoryLimit, ChangesNoState) {
  const Sizes size = {60, 3};
  const Model model = fitted_model(cases[0], size), free = fitted_model(cases[0], size);
  limit(model, 1);
  limit(model, std::int64_t{1} << 40);
  EXPECT_TRUE(support::bit_equal(model.loo().values, free.loo().values));
}

}  // namespace memory_limit_test
