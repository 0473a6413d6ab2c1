// The format: small containers word by word, as docs/file-format.md has them; and files of every version there has been
// (tests/data/saved, written by make.c), against answers worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support/accumulator.hpp"
#include "support/saved.hpp"

namespace format_test {

using support::Bytes;
using support::Handle;
using support::Kernel;
using support::Model;
namespace frame = support::frame;

// --- word by word -------------------------------------------------------------------------------------------------

class Words {
 public:
  Words& integers(std::initializer_list<std::int64_t> values) {
    for (const std::int64_t value : values) words_.push_back(static_cast<std::uint64_t>(value));
    return *this;
  }
  Words& numbers(std::initializer_list<double> values) {
    for (const double value : values) words_.push_back(std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  Words& text(const std::string& value) {
    integers({static_cast<std::int64_t>(value.size())});
    for (std::size_t k = 0; k < value.size(); k += 8) {
      std::uint64_t word = 0;
      for (std::size_t b = 0; b < 8 && k + b < value.size(); ++b)
        word |= static_cast<std::uint64_t>(static_cast<unsigned char>(value[k + b])) << (8 * b);
      words_.push_back(word);
    }
    return *this;
  }
  // In its frame.
  Bytes container(std::int64_t kind, std::uint64_t version = 7) const {
    Bytes out(frame::payload + 8 * words_.size() + frame::tail);
    std::memcpy(out.data(), "FREERIDG", 8);
    frame::put(out, frame::version, version);
    frame::put(out, frame::kind, static_cast<std::uint64_t>(kind));
    frame::put(out, frame::payload_length, 8 * words_.size());
    for (std::size_t k = 0; k < words_.size(); ++k) frame::put(out, frame::payload + 8 * k, words_[k]);
    return frame::with_checksum(out);
  }

 private:
  std::vector<std::uint64_t> words_;
};

TEST(SavedFormat, Checksum) {
  const std::string check = "123456789";  // the published check value of CRC-32C
  EXPECT_EQ(frame::crc(reinterpret_cast<const unsigned char*>(check.data()), check.size()), 0xe3069283u);
}

TEST(SavedFormat, AnEmptyModel) {
  Model model(Kernel::matern(2.5, 0.75));
  model.intercept(false).route(FREERIDGE_ROUTE_BAND).expected_lambdas(7);
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_LANDMARK_METHOD, FREERIDGE_LANDMARKS_KMEANS), "");
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_LANDMARK_SEED, -9), "");
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_REDUCTION, FREERIDGE_REDUCTION_GRAM), "");
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_REFINEMENT, 5), "");
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_EXPECTED_CRITERION, FREERIDGE_REML), "");
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_ACCURACY, 0.125), "");
  support::check(freeridge_set_parameter(model.get(), FREERIDGE_SIGMA2, 0.375), "");
  const Bytes expected = Words()
                             .text("matern(nu = 2.5, length = 0.75)")
                             .integers({0, 3, 2, -9, 2, 5, 7, 3, 0})  // settings
                             .numbers({0.375})                        // the variance of the errors
                             .integers({0, 0})                        // EMPTY, no search
                             .numbers({0.125})                        // the accuracy
                             .container(2);
  EXPECT_EQ(support::saved(model.get()), expected);
}

TEST(SavedFormat, AModelWithData) {
  support::Matrix x(2, 3), y(2, 1);
  x.values = {1, 2, 3, 4, 5, 6};
  y.values = {-1, 0.5};
  const std::int64_t rows[] = {1, 0};
  for (const freeridge_layout layout : {FREERIDGE_COL_MAJOR, FREERIDGE_ROW_MAJOR}) {
    const support::Packed packed_x = support::pack(x, layout, 2), packed_y = support::pack(y, layout, 1);
    Model model(Kernel::linear());
    model.data_view(packed_x, packed_y, 2, 3, 1).weights({0.25, 4}).groups({-7, 12}, 1, {12, 3});
    support::check(freeridge_set_landmarks(model.get(), 2, rows), "freeridge_set_landmarks");
    Words words;
    words.text("linear()").integers({1, 0, 0, 0, 0, 0, 100, 1, 0}).numbers({0}).integers({1, 2, 3, 1, layout, layout});
    if (layout == FREERIDGE_COL_MAJOR)
      words.numbers({1, 2, 3, 4, 5, 6});
    else
      words.numbers({1, 3, 5, 2, 4, 6});
    words.numbers({-1, 0.5}).integers({0});                                              // no missing values
    words.integers({1}).numbers({0.25, 4}).integers({1, -1, 12}).integers({1, 12, -1});  // with gaps
    words.integers({0}).integers({2, 2, 1, 0}).integers({0}).numbers({1e-8});  // no fixed effects; landmarks; no search
    EXPECT_EQ(support::saved(model.get()), words.container(2));
  }
}

TEST(SavedFormat, Predictors) {
  // (x - origin)'w + level; version 1: x'w + b
  const auto hyperplane_with = [](std::initializer_list<double> origin, std::initializer_list<double> level,
                                  std::uint64_t version) {
    Words words;
    words.integers({9, 2, 2, 1}).text("linear()").numbers({0.5, 2}).numbers({10, 20});
    if (version >= 5) words.integers({0});
    return words.numbers(origin).numbers(level).numbers({1, 2, 3, 4}).container(3, version);
  };
  const Bytes hyperplane = hyperplane_with({4, 8}, {30, 64}, 7);
  // c k(x_i, x) + b, k = (x'z)^2
  const Bytes expansion = Words()
                              .integers({2, 1, 1, 2})
                              .text("polynomial(degree = 2, scale = 1, offset = 0)")
                              .numbers({0.5, 100})
                              .integers({0})
                              .numbers({2, 3})
                              .numbers({1, 10})
                              .container(3);
  const Bytes landmarks = Words()
                              .integers({5, 1, 1, 3})
                              .text("polynomial(degree = 2, scale = 1, offset = 0)")
                              .numbers({0.5, 100})
                              .integers({0, 2, 4, 0})
                              .numbers({2, 3})
                              .numbers({1, 10})
                              .container(3);
  const Bytes given = Words()
                          .integers({2, 2, 1, 2})
                          .text("precomputed()")
                          .numbers({0.5, 100})
                          .integers({0})
                          .numbers({1, 10})
                          .container(3);
  const double x[] = {1, 5, 2, 7};  // 2 x 2
  double out[4], c[5];
  Handle predictor = support::loaded(hyperplane);
  ASSERT_EQ(freeridge_predict(predictor.get(), FREERIDGE_COL_MAJOR, 2, x, 2, out, 2), FREERIDGE_OK);
  EXPECT_EQ(std::vector<double>(out, out + 4), (std::vector<double>{15, 29, 31, 63}));
  EXPECT_EQ(support::saved_predictor(predictor.get()), hyperplane);
  predictor = support::loaded(hyperplane_with({}, {}, 1));
  ASSERT_EQ(freeridge_predict(predictor.get(), FREERIDGE_COL_MAJOR, 2, x, 2, out, 2), FREERIDGE_OK);
  EXPECT_EQ(std::vector<double>(out, out + 4), (std::vector<double>{15, 29, 31, 63}));
  EXPECT_EQ(support::saved_predictor(predictor.get()), hyperplane_with({0, 0}, {10, 20}, 7));
  for (const Bytes& bytes : {expansion, landmarks}) {
    predictor = support::loaded(bytes);
    ASSERT_EQ(freeridge_predict(predictor.get(), FREERIDGE_COL_MAJOR, 2, x, 2, out, 2), FREERIDGE_OK);
    EXPECT_EQ(std::vector<double>(out, out + 2), (std::vector<double>{194, 2450}));  // 94 x^2 + 100
    EXPECT_EQ(support::saved_predictor(predictor.get()), bytes);
  }
  ASSERT_EQ(freeridge_coefficients(predictor.get(), 0, nullptr, c, 5, nullptr), FREERIDGE_OK);
  EXPECT_EQ(std::vector<double>(c, c + 5), (std::vector<double>{10, 0, 0, 0, 1}));
  predictor = support::loaded(given);
  ASSERT_EQ(freeridge_predict(predictor.get(), FREERIDGE_ROW_MAJOR, 2, x, 2, out, 1), FREERIDGE_OK);
  EXPECT_EQ(std::vector<double>(out, out + 2), (std::vector<double>{151, 172}));
  EXPECT_EQ(support::saved_predictor(predictor.get()), given);
}

// --- files of every version ---------------------------------------------------------------------------------------

std::string file(const std::string& name, int version) {
  return FREERIDGE_TEST_DATA "/saved/" + name + "." + std::to_string(version) + ".freeridge";
}

const std::vector<double> x = {0, 1, 2, 3, 5, 8}, y = {1, -1, 2, 0, 3, 1};

struct Line {
  double w, b;
};

// Ridge regression on one feature with an intercept, without row `left_out`.
Line line_without(double lambda, std::size_t left_out) {
  long double n = 0, mean_x = 0, mean_y = 0, s_xx = 0, s_xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i != left_out) n += 1, mean_x += x[i], mean_y += y[i];
  mean_x /= n, mean_y /= n;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (i != left_out) s_xx += (x[i] - mean_x) * (x[i] - mean_x), s_xy += (x[i] - mean_x) * (y[i] - mean_y);
  const long double w = s_xy / (s_xx + lambda);
  return {static_cast<double>(w), static_cast<double>(mean_y - w * mean_x)};
}
Line line(double lambda) {
  return line_without(lambda, x.size());
}

constexpr double tolerance = 1e-13;  // relative to the largest number, 8

void expect_predicts(const freeridge_model* model, const Line& expected) {
  double out[6], b = 0, w = 0;
  ASSERT_EQ(freeridge_predict(model, FREERIDGE_COL_MAJOR, 6, x.data(), 6, out, 6), FREERIDGE_OK);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(out[i], expected.w * x[i] + expected.b, 8 * tolerance);
  ASSERT_EQ(freeridge_coefficients(model, 0, nullptr, nullptr, 0, &b), FREERIDGE_OK);
  EXPECT_NEAR(b, expected.b, 8 * tolerance);
  ASSERT_EQ(freeridge_hyperplane(model, 0, nullptr, &w, 1, nullptr), FREERIDGE_OK);
  EXPECT_NEAR(w, expected.w, 8 * tolerance);
}

void expect_left_out(const freeridge_model* model, double lambda) {
  double errors[6];
  ASSERT_EQ(freeridge_loo(model, errors, 6), FREERIDGE_OK) << freeridge_last_error();
  for (std::size_t i = 0; i < 6; ++i) {
    const Line without = line_without(lambda, i);
    EXPECT_NEAR(errors[i], y[i] - without.w * x[i] - without.b, 8 * tolerance) << i;
  }
}

class SavedFiles : public testing::TestWithParam<int> {};

TEST_P(SavedFiles, Models) {
  std::vector<std::pair<std::string, freeridge_route>> files = {{"model_cholesky", FREERIDGE_ROUTE_CHOLESKY},
                                                                {"model_spectral", FREERIDGE_ROUTE_SPECTRAL},
                                                                {"model_band", FREERIDGE_ROUTE_BAND},
                                                                {"model_primal", FREERIDGE_ROUTE_PRIMAL},
                                                                {"model_primal_streamed", FREERIDGE_ROUTE_PRIMAL},
                                                                {"model_landmark", FREERIDGE_ROUTE_LANDMARK}};
  if (GetParam() >= 3) files.emplace_back("model_primal_sparse", FREERIDGE_ROUTE_PRIMAL);
  for (const auto& [name, route] : files) {
    SCOPED_TRACE(name);
    const Handle model = support::loaded_file(file(name, GetParam()));
    freeridge_route found = FREERIDGE_ROUTE_AUTO;
    ASSERT_EQ(freeridge_get_route(model.get(), &found), FREERIDGE_OK);
    EXPECT_EQ(found, route);
    double lambda = 0;
    ASSERT_EQ(freeridge_get_lambda(model.get(), &lambda), FREERIDGE_OK);
    EXPECT_EQ(lambda, 0.5);
    expect_predicts(model.get(), line(0.5));
    expect_left_out(model.get(), 0.5);
    ASSERT_EQ(freeridge_set_lambda(model.get(), 3), FREERIDGE_OK) << freeridge_last_error();
    expect_predicts(model.get(), line(3));
    expect_left_out(model.get(), 3);
    ASSERT_EQ(freeridge_factorize(model.get()), FREERIDGE_OK) << freeridge_last_error();
    ASSERT_EQ(freeridge_set_lambda(model.get(), 0.5), FREERIDGE_OK);
    expect_left_out(model.get(), 0.5);
  }
}

TEST_P(SavedFiles, Predictors) {
  const Handle hyperplane = support::loaded_file(file("predictor_hyperplane", GetParam()));
  expect_predicts(hyperplane.get(), line(0.5));

  // Two points: c = (K + lambda I)^-1 y
  const Handle expansion = support::loaded_file(file("predictor_expansion", GetParam()));
  const double k = std::exp(-1.0), diagonal = 1.5, determinant = diagonal * diagonal - k * k;
  const double c[] = {(diagonal * y[0] - k * y[1]) / determinant, (diagonal * y[1] - k * y[0]) / determinant};
  double out[6], found[6];
  ASSERT_EQ(freeridge_predict(expansion.get(), FREERIDGE_COL_MAJOR, 6, x.data(), 6, out, 6), FREERIDGE_OK);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(out[i], c[0] * std::exp(-x[i] * x[i]) + c[1] * std::exp(-(x[i] - 1) * (x[i] - 1)), tolerance);
  ASSERT_EQ(freeridge_coefficients(expansion.get(), 0, nullptr, found, 2, nullptr), FREERIDGE_OK);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(found[i], c[i], tolerance);

  // One landmark: c = k'y / (k'k + lambda k_RR)
  const Handle landmarks = support::loaded_file(file("predictor_landmarks", GetParam()));
  double ky = 0, kk = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const double value = std::exp(-(x[i] - x[3]) * (x[i] - x[3]));
    ky += value * y[i], kk += value * value;
  }
  ASSERT_EQ(freeridge_coefficients(landmarks.get(), 0, nullptr, found, 6, nullptr), FREERIDGE_OK);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found[i], i == 3 ? ky / (kk + 0.5) : 0, tolerance);
  ASSERT_EQ(freeridge_predict(landmarks.get(), FREERIDGE_COL_MAJOR, 6, x.data(), 6, out, 6), FREERIDGE_OK);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(out[i], ky / (kk + 0.5) * std::exp(-(x[i] - x[3]) * (x[i] - x[3])), tolerance);
}

TEST_P(SavedFiles, Accumulators) {
  const support::Accumulator accumulator(support::file_bytes(file("accumulator", GetParam())));
  const double lambda[] = {0.5, 3};
  double w[2], b[2];
  ASSERT_EQ(freeridge_accumulator_solve(accumulator.get(), 2, lambda, w, 1, b), FREERIDGE_OK);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(w[k], line(lambda[k]).w, 8 * tolerance);
    EXPECT_NEAR(b[k], line(lambda[k]).b, 8 * tolerance);
  }
}

// x without a penalty beside a column of zeros: the line of least squares at every lambda.
TEST_P(SavedFiles, AccumulatorsWithColumnsWithoutAPenalty) {
  if (GetParam() < 6) return;  // which began with version 6
  const support::Accumulator accumulator(support::file_bytes(file("accumulator_unpenalised", GetParam())));
  const double lambda[] = {0.5, 3};
  double w[4], b[2];
  ASSERT_EQ(freeridge_accumulator_solve(accumulator.get(), 2, lambda, w, 2, b), FREERIDGE_OK);
  for (std::size_t l = 0; l < 2; ++l) {
    EXPECT_NEAR(w[2 * l], line(0).w, 8 * tolerance);
    EXPECT_NEAR(w[2 * l + 1], 0, tolerance);
    EXPECT_NEAR(b[l], line(0).b, 8 * tolerance);
  }
}

// Two points at 0 and 1, y 1 and -1: w = -1 / (1/2 + lambda), about the means.
TEST_P(SavedFiles, AsManyFeaturesAsPoints) {
  if (GetParam() < 2) return;  // that way to B began with version 2
  const Handle model = support::loaded_file(file("model_primal_wide", GetParam()));
  for (const double lambda : {0.5, 2.0}) {
    ASSERT_EQ(freeridge_set_lambda(model.get(), lambda), FREERIDGE_OK);
    double out[2], errors[2];
    ASSERT_EQ(freeridge_predict(model.get(), FREERIDGE_COL_MAJOR, 2, x.data(), 2, out, 2), FREERIDGE_OK);
    ASSERT_EQ(freeridge_loo(model.get(), errors, 2), FREERIDGE_OK);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(out[i], -1 / (0.5 + lambda) * (x[i] - 0.5), tolerance);
      EXPECT_NEAR(errors[i], y[i] - y[1 - i], tolerance);
    }
  }
}

// The line of six points, rows sparse; and two points with the kernel k = exp(-d^2): c = (1, -1)' / (1 - k(1) + lambda), b = 0.
TEST_P(SavedFiles, ConjugateGradients) {
  if (GetParam() < 6) return;  // files of which are of version 6 and later
  const Handle sparse = support::loaded_file(file("model_iterative_sparse", GetParam())),
               gaussian = support::loaded_file(file("model_iterative", GetParam()));
  for (const double lambda : {0.5, 2.0}) {
    ASSERT_EQ(freeridge_set_lambda(sparse.get(), lambda), FREERIDGE_OK) << freeridge_last_error();
    expect_predicts(sparse.get(), line(lambda));
    ASSERT_EQ(freeridge_set_lambda(gaussian.get(), lambda), FREERIDGE_OK) << freeridge_last_error();
    double out[6];
    ASSERT_EQ(freeridge_predict(gaussian.get(), FREERIDGE_COL_MAJOR, 6, x.data(), 6, out, 6), FREERIDGE_OK);
    for (std::size_t i = 0; i < 6; ++i) {
      const double f = std::exp(-x[i] * x[i]) - std::exp(-(x[i] - 1) * (x[i] - 1));
      EXPECT_NEAR(out[i], f / (1 - std::exp(-1) + lambda), tolerance);
    }
  }
}

// Six points, b penalised: w and b solve (x~'x~ + lambda I) (w, b)' = x~'y for the columns x~ = (x, 1).
TEST_P(SavedFiles, PenalisedIntercept) {
  if (GetParam() < 4) return;  // which began with version 4
  const Handle model = support::loaded_file(file("model_penalised", GetParam()));
  for (const double lambda : {0.5, 3.0}) {
    ASSERT_EQ(freeridge_set_lambda(model.get(), lambda), FREERIDGE_OK);
    double xx = lambda, sum = 0, xy = 0, total = 0;
    for (std::size_t i = 0; i < 6; ++i) xx += x[i] * x[i], sum += x[i], xy += x[i] * y[i], total += y[i];
    const double determinant = xx * (6 + lambda) - sum * sum;
    expect_predicts(model.get(),
                    {((6 + lambda) * xy - sum * total) / determinant, (xx * total - sum * xy) / determinant});
  }
}

// Six points, x as a fixed effect beside the intercept, K = 0: f + b is the line of least squares at every lambda.
TEST_P(SavedFiles, FixedEffects) {
  if (GetParam() < 5) return;  // which began with version 5
  for (const char* name : {"model_fixed", "predictor_fixed"}) {
    SCOPED_TRACE(name);
    const Handle model = support::loaded_file(file(name, GetParam()));
    const std::vector<double> zeros(36, 0.0);
    double out[6];
    const auto points = support::with(support::at(FREERIDGE_COL_MAJOR, 6, 6, zeros.data()), 1, x.data());
    ASSERT_EQ(freeridge_predict_points(model.get(), points, 0, nullptr, FREERIDGE_COL_MAJOR, out, 6), FREERIDGE_OK)
        << freeridge_last_error();
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(out[i], line(0).w * x[i] + line(0).b, 8 * tolerance);
  }
}

// Four points on a line, -1 -1 | +1 +1 at -1, 0, 2, 5: the hard margin f(x) + b = x - 1.
TEST_P(SavedFiles, Classifiers) {
  if (GetParam() < 4) return;
  freeridge_classifier* classifier = nullptr;
  ASSERT_EQ(freeridge_classifier_load(file("classifier_hard_margin", GetParam()).c_str(), &classifier), FREERIDGE_OK)
      << freeridge_last_error();
  double out[6];
  ASSERT_EQ(freeridge_classifier_predict(classifier, support::at(FREERIDGE_COL_MAJOR, 6, 1, x.data()), out, nullptr),
            FREERIDGE_OK);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(out[i], x[i] - 1, 1e-7);
  freeridge_classifier_destroy(classifier);
}

// Each is of the version that its name says.
TEST_P(SavedFiles, Versions) {
  for (const char* name :
       {"accumulator", "model_cholesky", "model_spectral", "model_band", "model_primal", "model_primal_streamed",
        "model_landmark", "predictor_hyperplane", "predictor_expansion", "predictor_landmarks"})
    EXPECT_EQ(frame::get(support::file_bytes(file(name, GetParam())), frame::version),
              static_cast<std::uint64_t>(GetParam()));
}

// An accumulator is no model, and a model no accumulator.
TEST_P(SavedFiles, OtherKinds) {
  freeridge_model* model = nullptr;
  EXPECT_EQ(freeridge_load(file("accumulator", GetParam()).c_str(), &model), FREERIDGE_CORRUPT);
  for (const char* name : {"model_primal", "predictor_hyperplane"}) {
    const Bytes bytes = support::file_bytes(file(name, GetParam()));
    freeridge_accumulator* accumulator = nullptr;
    EXPECT_EQ(
        freeridge_accumulator_load_from_memory(bytes.data(), static_cast<std::int64_t>(bytes.size()), &accumulator),
        FREERIDGE_CORRUPT);
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, SavedFiles, testing::Values(1, 2, 3, 4, 5, 6, 7));

}  // namespace format_test
