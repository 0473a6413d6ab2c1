// About the library: names of statuses, messages by thread, version, build info, and const calls side by side.
#include <map>
#include <string>
#include <thread>

#include "capi/support/answer_calls.hpp"
#include "capi/support/landmark_calls.hpp"
#include "capi/support/matrix_calls.hpp"
#include "capi/support/refusals.hpp"
#include "capi/support/selection_calls.hpp"

namespace about_test {

// That each failure has a status which the header names is asked in expect_failure; here, that the question has answers.
TEST(ContractAbout, StatusesOfTheHeader) {
  EXPECT_TRUE(Documented::has("freeridge_loo", FREERIDGE_INVALID_STATE));
  EXPECT_TRUE(Documented::has("freeridge_loo", FREERIDGE_OUT_OF_MEMORY));
  EXPECT_TRUE(Documented::has("freeridge_classifier_set_progress", FREERIDGE_INVALID_ARGUMENT));
  EXPECT_FALSE(Documented::has("freeridge_get_leverage", FREERIDGE_IO));
  EXPECT_FALSE(Documented::has("freeridge_kernel_linear", FREERIDGE_NOT_FINITE));
  EXPECT_FALSE(Documented::has("freeridge_no_such_call", FREERIDGE_INVALID_ARGUMENT));
}

TEST(ContractAbout, StatusNameIsTotal) {
  const std::map<int32_t, std::string> names = {
      {FREERIDGE_OK, "OK"},
      {FREERIDGE_INVALID_ARGUMENT, "INVALID_ARGUMENT"},
      {FREERIDGE_INVALID_STATE, "INVALID_STATE"},
      {FREERIDGE_NOT_FINITE, "NOT_FINITE"},
      {FREERIDGE_DIMENSION_MISMATCH, "DIMENSION_MISMATCH"},
      {FREERIDGE_OUT_OF_MEMORY, "OUT_OF_MEMORY"},
      {FREERIDGE_DEVICE_UNAVAILABLE, "DEVICE_UNAVAILABLE"},
      {FREERIDGE_NOT_POSITIVE_DEFINITE, "NOT_POSITIVE_DEFINITE"},
      {FREERIDGE_NOT_CONVERGED, "NOT_CONVERGED"},
      {FREERIDGE_UNDEFINED, "UNDEFINED"},
      {FREERIDGE_CANCELLED, "CANCELLED"},
      {FREERIDGE_IO, "IO"},
      {FREERIDGE_CORRUPT, "CORRUPT"},
      {FREERIDGE_NEWER_FORMAT, "NEWER_FORMAT"},
      {FREERIDGE_INTERNAL, "INTERNAL"},
  };
  const auto expect_name = [&](int32_t status) {
    const auto known = names.find(status);
    EXPECT_EQ(freeridge_status_name(status), known == names.end() ? "UNKNOWN" : known->second) << status;
  };
  for (int32_t status = -300; status <= 300; ++status) expect_name(status);
  for (int32_t status : {INT32_MIN, INT32_MIN + 1, INT32_MAX - 1, INT32_MAX}) expect_name(status);
}

TEST(ContractAbout, LastErrorStaysUntilTheNextFailure) {
  freeridge_kernel* kernel = nullptr;
  ASSERT_EQ(freeridge_kernel_gaussian(-2.5, &kernel), FREERIDGE_INVALID_ARGUMENT);
  const char* pointer = freeridge_last_error();
  const std::string message = pointer;
  EXPECT_TRUE(has_word(message, "-2.5")) << message;
  ASSERT_EQ(freeridge_kernel_gaussian(2.5, &kernel), FREERIDGE_OK);
  freeridge_kernel_destroy(kernel);
  freeridge_build_info();
  freeridge_status_name(FREERIDGE_UNDEFINED);
  EXPECT_EQ(freeridge_version(nullptr, nullptr, nullptr), FREERIDGE_OK);
  EXPECT_STREQ(pointer, message.c_str());
  EXPECT_STREQ(freeridge_last_error(), message.c_str());
}

// A name of 2-, 3- or 4-byte characters, after 0 to 4 bytes: the message that is too long ends with a whole character.
TEST(ContractAbout, LastErrorIsNeverCutWithinACharacter) {
  freeridge_model* untouched = nullptr;
  for (const std::string character : {"e", "\u00e9", "\u20ac", "\U0001d11e"})
    for (std::size_t before = 0; before < 5; ++before) {
      std::string path = "/does/not/exist/" + std::string(before, 'x');
      const std::size_t start = path.size();
      for (int i = 0; i < 1100; ++i) path += character;
      ASSERT_EQ(freeridge_load(path.c_str(), &untouched), FREERIDGE_IO);
      const std::string message = freeridge_last_error();
      EXPECT_LE(message.size(), 1023u);
      EXPECT_GE(message.size() + character.size(), 1024u);
      const std::size_t name = message.find("/does/not/exist/");
      ASSERT_NE(name, std::string::npos) << message;
      EXPECT_EQ((message.size() - name - start) % character.size(), 0u) << message;
    }
  // Bytes that are no text stay as they are.
  ASSERT_EQ(freeridge_load(("/does/not/exist/" + std::string(2000, '\x80')).c_str(), &untouched), FREERIDGE_IO);
  EXPECT_EQ(std::string(freeridge_last_error()).size(), 1023u);
}

TEST(ContractAbout, LastErrorBelongsToItsThread) {
  freeridge_kernel* untouched = nullptr;
  ASSERT_EQ(freeridge_kernel_gaussian(-2.5, &untouched), FREERIDGE_INVALID_ARGUMENT);
  const std::string here = freeridge_last_error();
  struct Heard {
    std::string before, after;
  } heard[2];
  const auto work = [](Heard& mine, double sigma) {
    mine.before = freeridge_last_error();
    freeridge_kernel* kernel = nullptr;
    for (int i = 0; i < 1000; ++i) freeridge_kernel_gaussian(sigma, &kernel);
    mine.after = freeridge_last_error();
  };
  std::thread first(work, std::ref(heard[0]), -3.5), second(work, std::ref(heard[1]), -4.5);
  first.join();
  second.join();
  EXPECT_EQ(heard[0].before, "");
  EXPECT_EQ(heard[1].before, "");
  EXPECT_TRUE(has_word(heard[0].after, "-3.5")) << heard[0].after;
  EXPECT_TRUE(has_word(heard[1].after, "-4.5")) << heard[1].after;
  EXPECT_EQ(here, freeridge_last_error());
}

TEST(ContractAbout, Version) {
  int32_t major = -1, minor = -1, patch = -1;
  ASSERT_EQ(freeridge_version(&major, &minor, &patch), FREERIDGE_OK);
  EXPECT_EQ(major, FREERIDGE_VERSION_MAJOR);
  EXPECT_EQ(minor, FREERIDGE_VERSION_MINOR);
  EXPECT_EQ(patch, FREERIDGE_VERSION_PATCH);
  int32_t alone = -1;
  ASSERT_EQ(freeridge_version(nullptr, &alone, nullptr), FREERIDGE_OK);
  EXPECT_EQ(alone, FREERIDGE_VERSION_MINOR);
  ASSERT_EQ(freeridge_version(nullptr, nullptr, nullptr), FREERIDGE_OK);
}

TEST(ContractAbout, BuildInfo) {
  OutputCapture capture;
  const std::string info = freeridge_build_info();
  EXPECT_EQ(capture.end(), "");
  const std::string version = std::to_string(FREERIDGE_VERSION_MAJOR) + "." + std::to_string(FREERIDGE_VERSION_MINOR) +
                              "." + std::to_string(FREERIDGE_VERSION_PATCH);
  EXPECT_NE(info.find("freeridge " + version), std::string::npos) << info;
  EXPECT_NE(info.find("BLAS"), std::string::npos) << info;
  EXPECT_NE(info.find("thread"), std::string::npos) << info;
  EXPECT_EQ(info.find('\n'), std::string::npos) << info;
}

TEST(ContractAbout, Threads) {
  int32_t before = -1, now = -1;
  ASSERT_EQ(freeridge_get_threads(&before), FREERIDGE_OK);
  EXPECT_GE(before, 1);
  for (int32_t count : {2, 1, 3}) {
    ASSERT_EQ(freeridge_set_threads(count), FREERIDGE_OK);
    ASSERT_EQ(freeridge_get_threads(&now), FREERIDGE_OK);
    EXPECT_EQ(now, count);
    const std::string words = std::to_string(count) + (count == 1 ? " thread" : " threads");
    EXPECT_NE(std::string(freeridge_build_info()).find(words), std::string::npos) << freeridge_build_info();
    std::thread([&] {  // of the process, not of the thread
      int32_t there = -1;
      EXPECT_EQ(freeridge_get_threads(&there), FREERIDGE_OK);
      EXPECT_EQ(there, count);
    })
        .join();
  }
  for (int32_t bad : {-1, 1025, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(freeridge_set_threads(bad), FREERIDGE_INVALID_ARGUMENT);
    EXPECT_TRUE(has_word(freeridge_last_error(), std::to_string(bad))) << freeridge_last_error();
    ASSERT_EQ(freeridge_get_threads(&now), FREERIDGE_OK);
    EXPECT_EQ(now, 3);
  }
  EXPECT_EQ(freeridge_get_threads(nullptr), FREERIDGE_INVALID_ARGUMENT);
  EXPECT_TRUE(has_word(freeridge_last_error(), "count")) << freeridge_last_error();
  ASSERT_EQ(freeridge_set_threads(0), FREERIDGE_OK);
  ASSERT_EQ(freeridge_get_threads(&now), FREERIDGE_OK);
  EXPECT_EQ(now, before);
}

// The fingerprint sees every state: without this, "unchanged" could mean "never looked".
TEST(ContractAbout, TheFingerprintOfAFittedModelIsWhole) {
  for (sample::Variant variant : sample::variants) {
    Model model = sample::model(sample::State::fitted, variant);
    const bool linear = variant == sample::Variant::primal, cholesky = variant == sample::Variant::cholesky;
    for (const Answer& answer : fingerprint(model.get())) {
      const bool foreign = (linear && answer.call == GetBandwidth::name) ||
                           ((answer.call.starts_with(Hyperplane::name) || answer.call == CoefficientCovariance::name ||
                             answer.call == CoefficientErrors::name) &&
                            !linear) ||
                           (cholesky && (answer.call == GetRank::name || answer.call == Eigenvalues::name ||
                                         answer.call == ConditionNumber::name)) ||
                           answer.call == GetAccuracy::name ||      // another route's
                           answer.call == GetKernelSearch::name ||  // no kernel was learnt
                           (answer.call == LandmarkTrace::name && variant != sample::Variant::landmark);
      EXPECT_EQ(answer.status, foreign ? FREERIDGE_INVALID_STATE : FREERIDGE_OK) << answer.call;
    }
    EXPECT_EQ(difference(fingerprint(model.get()), fingerprint(model.get())), "");
    const Fingerprint before = fingerprint(model.get());
    model.lambda(0.123);
    EXPECT_NE(difference(before, fingerprint(model.get())), "");
  }
}

}  // namespace about_test
