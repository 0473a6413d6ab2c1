// Saved classifiers: the form word by word, the same bits after loading and afterwards, and bytes that are cut short,
// changed or forged: a status, never a crash.
#include <functional>

#include "losses/classifier.hpp"
#include "support/damaged_bytes.hpp"
#include "support/saved.hpp"

namespace saved_test {

using namespace losses;

struct DestroyClassifier {
  void operator()(freeridge_classifier* classifier) const { freeridge_classifier_destroy(classifier); }
};
using ClassifierHandle = std::unique_ptr<freeridge_classifier, DestroyClassifier>;

// A copy that ends where its memory ends.
ClassifierHandle loaded_from(const Bytes& bytes, freeridge_status* status = nullptr) {
  const std::unique_ptr<unsigned char[]> exact(new unsigned char[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  freeridge_classifier* out = nullptr;
  const freeridge_status answer =
      freeridge_classifier_load_from_memory(exact.get(), static_cast<std::int64_t>(bytes.size()), &out);
  EXPECT_EQ(out != nullptr, answer == FREERIDGE_OK);
  if (status == nullptr) check(answer, "freeridge_classifier_load_from_memory");
  if (status != nullptr) *status = answer;
  return ClassifierHandle(out);
}

freeridge_status load(const Bytes& bytes) {
  freeridge_status status = FREERIDGE_INTERNAL;
  loaded_from(bytes, &status);
  return status;
}

// Every answer, with its status; what a failure leaves is in it, too.
Vector answers_of(freeridge_classifier* classifier, const Matrix& x, bool whole = true) {
  Vector out;
  const auto ask = [&](std::size_t count, const std::function<freeridge_status(double*)>& call) {
    Vector answer(count, -7.0);
    out.push_back(call(answer.data()));
    out.insert(out.end(), answer.begin(), answer.end());
  };
  std::int64_t n = 0, d = 0, count = 0, iterations = 0;
  if (freeridge_classifier_get_dimensions(classifier, &n, &d) != FREERIDGE_OK || d != x.cols || n > 100) return out;
  const auto size = static_cast<std::size_t>(n);
  ask(static_cast<std::size_t>(x.rows),
      [&](double* to) { return freeridge_classifier_predict(classifier, support::at(x), to, nullptr); });
  ask(size + 1, [&](double* to) { return freeridge_classifier_get_coefficients(classifier, to, to + size); });
  ask(4, [&](double* to) {
    return freeridge_classifier_get_convergence(classifier, to, &iterations, to + 1, to + 2, to + 3);
  });
  ask(1, [&](double* to) { return freeridge_classifier_get_support(classifier, &count, nullptr, to); });
  ask(1, [&](double* to) { return freeridge_classifier_get_lambda(classifier, to); });
  ask(size, [&](double* to) { return freeridge_classifier_get_margins(classifier, nullptr, nullptr, to, nullptr); });
  ask(size, [&](double* to) { return freeridge_classifier_get_margins(classifier, to, nullptr, nullptr, nullptr); });
  ask(static_cast<std::size_t>(x.rows),
      [&](double* to) { return freeridge_classifier_distances(classifier, support::at(x), to); });
  ask(size, [&](double* to) { return freeridge_classifier_get_weights(classifier, to); });
  if (whole) ask(size, [&](double* to) { return freeridge_classifier_loo(classifier, to); });
  out.push_back(static_cast<double>(iterations));
  out.push_back(static_cast<double>(count));
  return out;
}

Problem small(const Setting& setting) {
  return random_problem(41, kernel_of(setting.family, 2), 12, 2, setting.weighted, setting.intercept);
}

void expect_same(const ClassifierHandle& again, Classifier& original, const Matrix& x) {
  EXPECT_EQ(support::saved(again.get()), support::saved(original.get()));
  EXPECT_TRUE(bit_equal(answers_of(again.get(), x), answers_of(original.get(), x)));
}

class SavedClassifier : public ::testing::TestWithParam<freeridge_loss> {};

TEST_P(SavedClassifier, GoesOnBitForBit) {
  for (const Setting& setting : settings()) {
    SCOPED_TRACE(text(setting));
    const Problem problem = small(setting);
    Classifier original = make_classifier(problem, GetParam());
    original.fit(0.3);
    const ClassifierHandle again = loaded_from(support::saved(original.get()));
    expect_same(again, original, problem.x);
    original.fit(0.05);
    ASSERT_EQ(freeridge_classifier_fit(again.get(), 0.05), FREERIDGE_OK) << freeridge_last_error();
    expect_same(again, original, problem.x);
  }
}

TEST(SavedClassifierOf, AHardMarginWithInterceptsOfEachKind) {
  for (const freeridge_intercept kind : {FREERIDGE_INTERCEPT_FREE, FREERIDGE_INTERCEPT_PENALISED}) {
    const Problem problem = small({oracle::Family::gaussian, true, true});
    Classifier original = make_classifier(problem, FREERIDGE_LOSS_HINGE);
    original.intercept_kind(kind).fit(0);
    const ClassifierHandle again = loaded_from(support::saved(original.get()));
    expect_same(again, original, problem.x);
    double found = -1;
    check(freeridge_classifier_get_parameter(again.get(), FREERIDGE_INTERCEPT, &found),
          "freeridge_classifier_get_parameter");
    EXPECT_EQ(found, kind);
  }
}

TEST_P(SavedClassifier, EveryStateAndAFile) {
  const Directory directory;
  const std::string path = directory / "classifier";
  const Problem problem = small({oracle::Family::gaussian, true, false});
  Classifier classifier(oracle::make_kernel(problem.kernel), GetParam());
  const auto both = [&] {
    const Bytes bytes = support::saved(classifier.get());
    EXPECT_EQ(support::saved(loaded_from(bytes).get()), bytes);
    ASSERT_EQ(freeridge_classifier_save(classifier.get(), path.c_str()), FREERIDGE_OK) << freeridge_last_error();
    EXPECT_EQ(file_bytes(path), bytes);
    freeridge_classifier* out = nullptr;
    ASSERT_EQ(freeridge_classifier_load(path.c_str(), &out), FREERIDGE_OK) << freeridge_last_error();
    EXPECT_EQ(support::saved(ClassifierHandle(out).get()), bytes);
  };
  both();
  classifier.control(1e-6, 77).intercept(false);
  both();
  classifier.data(problem.x, problem.y);
  both();
  classifier.weights(problem.weights);
  both();
  classifier.fit(1);
  both();
  EXPECT_EQ(freeridge_classifier_save(classifier.get(), ""), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_EQ(freeridge_classifier_save(classifier.get(), (directory.path() + "/no/such").c_str()), FREERIDGE_IO);
  freeridge_classifier* none = nullptr;
  EXPECT_EQ(freeridge_classifier_load((directory.path() + "/none").c_str(), &none), FREERIDGE_IO);
  EXPECT_EQ(none, nullptr);
}

TEST_P(SavedClassifier, CutShortOrChanged) {
  const Problem problem = small({oracle::Family::gaussian, true, true});
  const Bytes bytes = support::saved(make_classifier(problem, GetParam()).fit(1).get());
  support::expect_other_lengths_refused(bytes, load);
  support::expect_flipped_bits_refused(bytes, true, load);
  const std::size_t length = bytes.size() - frame::payload - frame::tail;
  for (std::size_t kept = 0; kept <= length + 16; kept += 8)
    ASSERT_EQ(load(frame::with_payload_length(bytes, kept)), kept == length ? FREERIDGE_OK : FREERIDGE_CORRUPT) << kept;
  support::expect_other_versions_refused(bytes, {0, 1, 2, 3, 5}, load);
  freeridge_model* model = nullptr;
  EXPECT_EQ(freeridge_load_from_memory(bytes.data(), static_cast<std::int64_t>(bytes.size()), &model),
            FREERIDGE_CORRUPT);
  EXPECT_EQ(model, nullptr);
}

// Any number replaced by one that cannot be, in a frame that is sound: what loads answers and can be fitted again.
TEST_P(SavedClassifier, ForgedNumbersDoNoHarm) {
  const auto of = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const std::uint64_t words[] = {0,
                                 1,
                                 2,
                                 3,
                                 13,
                                 ~std::uint64_t{0},
                                 2147483647,
                                 std::uint64_t{1} << 31,
                                 std::uint64_t{1} << 61,
                                 std::uint64_t{1} << 63,
                                 of(1e308),
                                 of(-1.0),
                                 of(-0.0),
                                 of(1e-320),
                                 of(INFINITY),
                                 of(NAN)};
  const auto fine = [](freeridge_status status) {
    return status == FREERIDGE_OK || status == FREERIDGE_NOT_FINITE || status == FREERIDGE_NOT_CONVERGED ||
           status == FREERIDGE_UNDEFINED || status == FREERIDGE_INVALID_STATE || status == FREERIDGE_INVALID_ARGUMENT;
  };
  for (const oracle::Family family : {oracle::Family::linear, oracle::Family::gaussian}) {
    const Problem problem = random_problem(42, kernel_of(family, 2), 5, 2, true, true);
    const Bytes bytes = support::saved(make_classifier(problem, GetParam()).control(1e-6, 50).fit(1).get());
    for (std::size_t at = frame::payload; at + frame::tail < bytes.size(); at += 8)
      for (const std::uint64_t word : words) {
        SCOPED_TRACE("word " + std::to_string((at - frame::payload) / 8) + " = " + std::to_string(word));
        Bytes forged = bytes;
        frame::put(forged, at, word);
        freeridge_status status = FREERIDGE_INTERNAL;
        const ClassifierHandle made = loaded_from(frame::with_checksum(forged), &status);
        ASSERT_TRUE(status == FREERIDGE_OK || status == FREERIDGE_CORRUPT) << freeridge_last_error();
        if (made == nullptr) continue;
        answers_of(made.get(), problem.x);
        EXPECT_TRUE(fine(freeridge_classifier_set_parameter(made.get(), FREERIDGE_TOLERANCE, 1e-6)));
        EXPECT_TRUE(fine(freeridge_classifier_set_parameter(made.get(), FREERIDGE_ITERATIONS, 20)));
        EXPECT_TRUE(fine(freeridge_classifier_fit(made.get(), 0.5))) << freeridge_last_error();
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Losses, SavedClassifier, ::testing::Values(FREERIDGE_LOSS_LOGISTIC, FREERIDGE_LOSS_HINGE));

TEST(SavedClassifierForm, IsTheOneDocumented) {
  const double x[] = {1, 5}, y[] = {1, -1}, weights[] = {0.5, 0.5};
  Classifier classifier(Kernel::linear(), FREERIDGE_LOSS_HINGE);
  check(freeridge_classifier_set_data(classifier.get(), support::at(FREERIDGE_COL_MAJOR, 2, 1, x), y), "");
  check(freeridge_classifier_set_weights(classifier.get(), weights), "");
  const auto of = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  std::vector<std::uint64_t> expected = {
      7, 4, 0, 8, 0x287261656e696cULL, 2, 1, of(1e-8), 0, 1, 2, 1, of(1), of(5), of(1), of(-1), 1, of(0.5), of(0.5)};
  expected[4] = 0;
  std::memcpy(&expected[4], "linear()", 8);
  expected[2] = 8 * (expected.size() - 3);
  const Bytes bytes = support::saved(classifier.get());
  ASSERT_EQ(bytes.size(), 8 + 8 * expected.size() + 8);
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_EQ(frame::get(bytes, 8 + 8 * k), expected[k]) << k;

  std::int64_t first = -1, length = -1;
  const auto locate = [&](const Bytes& in) {
    return freeridge_locate_saved_x(in.data(), static_cast<std::int64_t>(in.size()), &first, &length);
  };
  ASSERT_EQ(locate(bytes), FREERIDGE_OK);
  EXPECT_EQ(first, 8 + 8 * 12);
  EXPECT_EQ(length, 2 * 8);
  ASSERT_EQ(locate(support::saved(Classifier(Kernel::linear(), FREERIDGE_LOSS_HINGE).get())), FREERIDGE_OK);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(length, 0);
  Bytes forged = bytes;  // n: more than the bytes have
  frame::put(forged, 8 + 8 * 10, 1000);
  EXPECT_EQ(locate(frame::with_checksum(forged)), FREERIDGE_CORRUPT);

  // Two points, c = (a, -a): f = a (k_11 - k_12) ... of centred points +-2: margins 1 at a |x - z|^2 / 2 = 1, a = 1/8.
  classifier.fit(1);
  const Bytes fitted = support::saved(classifier.get());
  const std::size_t at = 8 + 8 * expected.size();  // lambda, kappa, b, iterations, gap, a'(tau K)a, objective, a, f
  const auto number = [&](std::size_t k) { return std::bit_cast<double>(frame::get(fitted, at + 8 * k)); };
  ASSERT_EQ(fitted.size(), bytes.size() + 8 * (7 + 4));
  EXPECT_EQ(number(0), 1.0);
  EXPECT_EQ(frame::get(fitted, at + 8), 2u);   // the largest centred kernel value is 4
  EXPECT_NEAR(number(7), 0.125 / 0.5, 1e-12);  // a_i = lambda c_i / omega
  EXPECT_NEAR(number(8), -0.125 / 0.5, 1e-12);
  EXPECT_NEAR(number(9), 1, 1e-12);
  EXPECT_NEAR(number(10), -1, 1e-12);
}

TEST(SavedClassifierForm, Getters) {
  Classifier classifier(Kernel::gaussian(2), FREERIDGE_LOSS_LOGISTIC);
  double lambda = -1, weights[2] = {7, 7};
  std::int64_t n = -1, d = -1;
  const auto told = [&](freeridge_parameter which) {
    double value = -1;
    EXPECT_EQ(freeridge_classifier_get_parameter(classifier.get(), which, &value), FREERIDGE_OK);
    return value;
  };
  EXPECT_EQ(told(FREERIDGE_LOSS), FREERIDGE_LOSS_LOGISTIC);
  EXPECT_EQ(told(FREERIDGE_INTERCEPT), FREERIDGE_INTERCEPT_FREE);
  EXPECT_EQ(std::pair(told(FREERIDGE_TOLERANCE), told(FREERIDGE_ITERATIONS)), std::pair(1e-8, 100.0));
  classifier.control(1e-5, 9);
  EXPECT_EQ(std::pair(told(FREERIDGE_TOLERANCE), told(FREERIDGE_ITERATIONS)), std::pair(1e-5, 9.0));
  EXPECT_EQ(freeridge_classifier_get_dimensions(classifier.get(), &n, &d), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_classifier_get_weights(classifier.get(), weights), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(freeridge_classifier_get_lambda(classifier.get(), &lambda), FREERIDGE_INVALID_STATE);
  EXPECT_EQ(n, -1);
  EXPECT_EQ(weights[0], 7);
  classifier.data(to_column({0, 1}), {1, -1});
  ASSERT_EQ(freeridge_classifier_get_weights(classifier.get(), weights), FREERIDGE_OK);
  EXPECT_EQ(weights[1], 1);
  classifier.weights({1e-300, 3}).fit(2);
  ASSERT_EQ(freeridge_classifier_get_dimensions(classifier.get(), &n, &d), FREERIDGE_OK);
  EXPECT_EQ(std::pair(n, d), (std::pair<std::int64_t, std::int64_t>(2, 1)));
  ASSERT_EQ(freeridge_classifier_get_weights(classifier.get(), weights), FREERIDGE_OK);
  EXPECT_EQ(weights[0], 1e-300);
  ASSERT_EQ(freeridge_classifier_get_lambda(classifier.get(), &lambda), FREERIDGE_OK);
  EXPECT_EQ(lambda, 2);
  freeridge_kernel* kernel = nullptr;
  ASSERT_EQ(freeridge_classifier_get_kernel(classifier.get(), &kernel), FREERIDGE_OK);
  EXPECT_EQ(Kernel::adopt(kernel).description(), "gaussian(sigma = 2)");
}

}  // namespace saved_test
