// The exception wall: whatever is thrown inside it becomes a status and words, and nothing crosses it; what a callback of
// the caller throws does so, too.
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "capi/support/sample.hpp"
#include "capi/wall.hpp"

namespace {

using freeridge::Error;
using freeridge::Status;
using freeridge::capi::guarded;

struct Unknown {};
struct OutOfRoom : std::bad_alloc {};
struct Virtual : virtual std::exception {};

// The status, which `guarded` is noexcept to give, and the words after "call: ".
template <class Thrown>
std::pair<freeridge_status, std::string> status_of(const Thrown& thrown) {
  static_assert(noexcept(guarded("call", [&] { throw thrown; })));
  const freeridge_status status = guarded("call", [&] { throw thrown; });
  const std::string words = freeridge_last_error();
  EXPECT_EQ(words.rfind("call: ", 0), 0u) << words;
  return {status, words.substr(std::min<std::size_t>(words.size(), 6))};
}

using Answer = std::pair<freeridge_status, std::string>;

TEST(Wall, NothingThrownIsOk) {
  EXPECT_EQ(guarded("call", [] {}), FREERIDGE_OK);
}

TEST(Wall, AnErrorOfTheCoreKeepsItsStatusAndWords) {
  for (const Status status :
       {Status::invalid_argument, Status::invalid_state, Status::not_finite, Status::dimension_mismatch,
        Status::out_of_memory, Status::not_positive_definite, Status::not_converged, Status::undefined,
        Status::cancelled, Status::io, Status::corrupt, Status::newer_format, Status::internal})
    EXPECT_EQ(status_of(Error(status, "words")), Answer(static_cast<freeridge_status>(status), "words"));
}

TEST(Wall, AnyFailedAllocationIsOutOfMemory) {
  const Answer expected(FREERIDGE_OUT_OF_MEMORY, "out of memory");
  EXPECT_EQ(status_of(std::bad_alloc()), expected);
  EXPECT_EQ(status_of(std::bad_array_new_length()), expected);
  EXPECT_EQ(status_of(OutOfRoom()), expected);
}

TEST(Wall, AnythingElseIsInternal) {
  EXPECT_EQ(status_of(std::runtime_error("words")), Answer(FREERIDGE_INTERNAL, "words"));
  EXPECT_EQ(status_of(std::logic_error("words")), Answer(FREERIDGE_INTERNAL, "words"));
  EXPECT_EQ(status_of(std::length_error("words")), Answer(FREERIDGE_INTERNAL, "words"));
  EXPECT_EQ(status_of(std::make_error_code(std::errc::resource_unavailable_try_again)).first, FREERIDGE_INTERNAL);
  EXPECT_EQ(status_of(std::system_error(std::make_error_code(std::errc::io_error))).first, FREERIDGE_INTERNAL);
  EXPECT_EQ(status_of(Virtual()).first, FREERIDGE_INTERNAL);
  const Answer unknown(FREERIDGE_INTERNAL, "an unknown exception");
  EXPECT_EQ(status_of(42), unknown);
  EXPECT_EQ(status_of("a text"), unknown);
  EXPECT_EQ(status_of(std::string("a text")), unknown);
  EXPECT_EQ(status_of(static_cast<void*>(nullptr)), unknown);
  EXPECT_EQ(status_of(nullptr), unknown);
  EXPECT_EQ(status_of(Unknown()), unknown);
}

TEST(Wall, WordsBeyondTheRoomForThemAreCut) {
  const Answer answer = status_of(std::runtime_error(std::string(100000, 'w')));
  EXPECT_EQ(answer.first, FREERIDGE_INTERNAL);
  EXPECT_GT(answer.second.size(), 500u);
  EXPECT_EQ(answer.second, std::string(answer.second.size(), 'w'));
}

// A callback of C cannot throw. One of C++ that does ends the call as an exception of the core would.
enum class What { number, exception, no_memory };

int32_t throw_it(double, void* user) {
  switch (*static_cast<What*>(user)) {
    case What::number:
      throw 42;
    case What::exception:
      throw std::runtime_error("from the callback");
    default:
      throw std::bad_alloc();
  }
}

TEST(Wall, WhatACallbackThrowsEndsTheCallAndGoesNoFurther) {
  for (const sample::Variant variant : sample::variants)
    for (What what : {What::number, What::exception, What::no_memory}) {
      const freeridge_status expected = what == What::no_memory ? FREERIDGE_OUT_OF_MEMORY : FREERIDGE_INTERNAL;
      Model model = sample::model(sample::State::fitted, variant);
      const std::vector<double> before = model.fitted().values;
      model.progress(throw_it, &what);
      EXPECT_EQ(freeridge_factorize(model.get()), expected);
      std::vector<double> lambda(2, -1.0), score(2, -1.0);
      EXPECT_EQ(freeridge_select_lambda(model.get(), FREERIDGE_LOO, 0, 0, lambda.data(), score.data()), expected);
      EXPECT_EQ(lambda, std::vector<double>(2, -1.0));
      std::vector<double> fitted(before.size(), -1.0);
      EXPECT_EQ(freeridge_get_fitted(model.get(), fitted.data(), static_cast<std::int64_t>(before.size()) / 2),
                expected);
      EXPECT_EQ(fitted, std::vector<double>(before.size(), -1.0));
      model.progress(nullptr, nullptr);
      EXPECT_EQ(sample::state_of(model.get()), sample::State::fitted);
      EXPECT_EQ(model.fitted().values, before);
      model.factorize();
    }
}

}  // namespace
