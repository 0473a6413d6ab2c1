// Bytes that are cut short, changed, foreign, of a later version, or forged with a sound checksum: a status, never a
// crash, and never a request for more memory than the bytes account for. Deep: every bit, and every hostile word at every
// place; else one bit of each byte and three of the words at each place, others at the next one.
#include <gtest/gtest.h>

#include "capi/support/documented.hpp"
#include "capi/support/fingerprint.hpp"
#include "saved/cases.hpp"
#include "support/counted_memory.hpp"
#include "support/damaged_bytes.hpp"
#include "support/deep.hpp"
#include "support/random.hpp"
#include "support/saved.hpp"
#include "support/search.hpp"

namespace {

using sample::State;
using support::Bytes;
using support::Handle;
using support::loaded;
using support::Random;
namespace frame = support::frame;

freeridge_status load(const Bytes& bytes) {
  freeridge_status status = FREERIDGE_INTERNAL;
  loaded(bytes, &status);
  return status;
}

// One model and one predictor of each case.
std::vector<std::pair<std::string, Bytes>> samples() {
  std::vector<std::pair<std::string, Bytes>> out;
  for (const SavedCase& of : saved_cases()) {
    const Model model = of.make(State::fitted);
    out.emplace_back(of.name, support::saved(model.get()));
    out.emplace_back(of.name + ", predictor", support::saved_predictor(model.get()));
  }
  return out;
}

// The words that are tried everywhere: sizes, counts, flags and enums that cannot be, and numbers that are none.
const std::vector<std::uint64_t>& hostile_words() {
  static const std::vector<std::uint64_t> words = {0,
                                                   1,
                                                   2,
                                                   3,
                                                   5,
                                                   6,
                                                   11,
                                                   13,
                                                   ~std::uint64_t{0},
                                                   100000,
                                                   (std::uint64_t{1} << 31) - 1,
                                                   std::uint64_t{1} << 31,
                                                   std::uint64_t{1} << 32,
                                                   std::uint64_t{1} << 60,
                                                   std::uint64_t{1} << 61,
                                                   static_cast<std::uint64_t>(INT64_MAX),
                                                   std::uint64_t{1} << 63,
                                                   std::bit_cast<std::uint64_t>(1e308),
                                                   std::bit_cast<std::uint64_t>(-1e-308),
                                                   std::bit_cast<std::uint64_t>(-1.0),
                                                   0x7ff0000000000000,
                                                   0xfff0000000000000,
                                                   0x7ff8000000000000};
  return words;
}

// What a file of that size accounts for: copies of its numbers, and a buffer.
std::size_t justified(const Bytes& bytes) {
  return (std::size_t{1} << 18) + 16 * bytes.size();
}

// What a call may answer on a forged model: what its comment names; INVALID_STATE, as most calls on a predictor; and that
// K + lambda I has no Cholesky factor, where another K was saved than the one it was factorized from.
bool may_answer(const Answer& answer) {
  const std::string call = answer.call.substr(0, answer.call.find(' '));
  return answer.status == FREERIDGE_OK || answer.status == FREERIDGE_INVALID_STATE ||
         answer.status == FREERIDGE_NOT_POSITIVE_DEFINITE ||
         (answer.status != FREERIDGE_INTERNAL && Documented::has(call, answer.status));
}

// Loads forged bytes, whose checksum is right, and asks what loads for everything, if wanted.
void expect_harmless(const Bytes& forged, bool ask = true) {
  support::largest_allocation();
  freeridge_status status = FREERIDGE_INTERNAL;
  const Handle model = loaded(forged, &status);
  EXPECT_LE(support::largest_allocation(), justified(forged));
  EXPECT_TRUE(status == FREERIDGE_OK || status == FREERIDGE_CORRUPT)
      << freeridge_status_name(status) << ": " << freeridge_last_error();
  if (model == nullptr || !ask) return;
  int64_t n = 0, d = 0, t = 0;
  // The outputs of a fingerprint have the sizes of the sample.
  if (freeridge_get_dimensions(model.get(), &n, &d, &t) != FREERIDGE_OK || n > sample::n || d > sample::n ||
      t > sample::t)
    return;
  freeridge_search search = support::no_search();
  freeridge_get_search(model.get(), &search);
  if (search.count > 900) return;
  for (const Answer& answer : fingerprint(model.get()))
    EXPECT_TRUE(may_answer(answer)) << answer.call << ": " << freeridge_status_name(answer.status);
}

class SavedDamage : public testing::TestWithParam<std::size_t> {
 protected:
  static const std::vector<std::pair<std::string, Bytes>>& all() {
    static const auto out = samples();
    return out;
  }
  const std::string& name() const { return all()[GetParam()].first; }
  const Bytes& bytes() const { return all()[GetParam()].second; }
};

TEST_P(SavedDamage, AnyLengthButTheRightOne) {
  SCOPED_TRACE(name());
  support::expect_other_lengths_refused(bytes(), load);
}

TEST_P(SavedDamage, AnyBitFlipped) {
  SCOPED_TRACE(name());
  support::expect_flipped_bits_refused(bytes(), support::deep(), load);
}

// The payload cut after any number, or continued, in a frame that is sound.
TEST_P(SavedDamage, AnyOtherPayloadLength) {
  SCOPED_TRACE(name());
  const std::size_t length = bytes().size() - frame::payload - frame::tail;
  for (std::size_t kept = 0; kept < length; kept += 8)
    ASSERT_EQ(load(frame::with_payload_length(bytes(), kept)), FREERIDGE_CORRUPT) << kept;
  for (const std::size_t more : {8u, 16u, 800u}) {
    EXPECT_EQ(load(frame::with_payload_length(bytes(), length + more)), FREERIDGE_CORRUPT) << more;
    // Not that the bytes changed while they were read, as the checksum of a part would have it.
    EXPECT_NE(std::string(freeridge_last_error()).find("go on for " + std::to_string(more / 8) + " numbers"),
              std::string::npos)
        << freeridge_last_error();
  }
  EXPECT_EQ(load(frame::with_payload_length(bytes(), length)), FREERIDGE_OK);
}

TEST_P(SavedDamage, AnyNumberForged) {
  SCOPED_TRACE(name());
  const bool estimates = name().find("iterative") != std::string::npos;  // whose answers are dear: systems are solved
  // A model that loads is asked for everything: deep, twice at each place; else at every fourth place, and at every sixteenth
  // where answers are dear.
  const std::size_t every = support::deep() ? 11 : estimates ? 384 : 96;
  std::size_t turn = 0;
  for (std::size_t at = frame::payload; at + frame::tail < bytes().size(); at += 8)
    for (const std::uint64_t word : hostile_words()) {
      ++turn;  // 23 words at each place
      if (!support::deep() && turn % 8 != 0) continue;
      Bytes forged = bytes();
      frame::put(forged, at, word);
      expect_harmless(frame::with_checksum(forged), turn % every == 0);
      ASSERT_FALSE(HasFailure()) << "word " << (at - frame::payload) / 8 << " = " << word;
    }
}

TEST_P(SavedDamage, SeveralNumbersForged) {
  SCOPED_TRACE(name());
  Random random(77);
  const auto below = [&](std::size_t size) {
    return static_cast<std::size_t>(random.index(static_cast<std::int64_t>(size)));
  };
  const std::size_t words = (bytes().size() - frame::payload - frame::tail) / 8;
  const int attempts = support::deep() ? 200 : 50;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Bytes forged = bytes();
    for (std::size_t changes = 2 + below(4); changes > 0; --changes) {
      // As often near the begin, where the sizes are, as anywhere.
      const std::size_t word = below(attempt % 2 == 0 ? std::min(words, std::size_t{24}) : words);
      frame::put(forged, frame::payload + 8 * word, hostile_words()[below(hostile_words().size())]);
    }
    expect_harmless(frame::with_checksum(forged));
  }
}

TEST_P(SavedDamage, ALaterVersionAndAnotherKind) {
  // A model is no predictor, nor the other way round.
  const std::uint64_t twin = 5 - frame::get(bytes(), frame::kind);
  support::expect_other_versions_refused(bytes(), {0, 1, 4, ~std::uint64_t{0}, twin}, load);
}

INSTANTIATE_TEST_SUITE_P(Cases, SavedDamage, testing::Range(std::size_t{0}, 2 * saved_cases().size()));

TEST(SavedDamageOf, StatesBeforeFitted) {
  for (const State state : {State::empty, State::data, State::factorized}) {
    const Bytes bytes = support::saved(sample::model(state).get());
    std::size_t turn = 0;
    for (std::size_t at = frame::payload; at + frame::tail < bytes.size(); at += 8)
      for (const std::uint64_t word : hostile_words()) {
        if (!support::deep() && ++turn % 8 != 0) continue;
        SCOPED_TRACE("word " + std::to_string((at - frame::payload) / 8) + " = " + std::to_string(word));
        Bytes forged = bytes;
        frame::put(forged, at, word);
        expect_harmless(frame::with_checksum(forged));
      }
  }
}

TEST(SavedDamageOf, Foreign) {
  support::expect_foreign_refused(load);
}

// The text of the kernel, forged: of another kernel that does not fit, cut, deep, long, and with a length that lies.
TEST(SavedDamageOf, KernelTexts) {
  const Bytes bytes = support::saved(sample::model(State::fitted).get());
  const std::size_t old_length = (frame::get(bytes, frame::payload) + 7) / 8 * 8;
  const auto with_text = [&](const std::string& text) {
    Bytes out(bytes.begin(), bytes.begin() + frame::payload + 8);
    frame::put(out, frame::payload, text.size());
    out.insert(out.end(), text.begin(), text.end());
    out.resize((out.size() + 7) / 8 * 8);
    out.insert(out.end(), bytes.begin() + static_cast<std::ptrdiff_t>(frame::payload + 8 + old_length), bytes.end());
    frame::put(out, frame::payload_length, out.size() - frame::payload - frame::tail);
    return frame::with_checksum(out);
  };
  EXPECT_EQ(load(with_text("gaussian(sigma = 1.5)")), FREERIDGE_OK);
  EXPECT_EQ(load(with_text("matern(nu = 2.5, length = 3)")), FREERIDGE_OK);
  std::string deep = "linear()";
  for (int k = 0; k < 100; ++k) deep = "product(" + deep + ")";
  for (const std::string& text :
       {std::string(), std::string("gaussian"), std::string("gaussian(sigma = -1)"), std::string("gaussian(sigma = 0)"),
        std::string("gaussian(sigma = nan)"), std::string("linear()"), std::string("precomputed()"),
        std::string("scaled([1], gaussian(sigma = 1.5))"), std::string("scaled([1, 2, 3], gaussian(sigma = 1.5))"),
        deep, std::string(100000, '('), std::string("gaussian(sigma = 1.5)\0", 22), std::string(8, '\0')}) {
    SCOPED_TRACE(text.substr(0, 40));
    EXPECT_EQ(load(with_text(text)), FREERIDGE_CORRUPT);
    expect_harmless(with_text(text));
  }
  Bytes padded = with_text("gaussian(sigma = 1.5)");  // the padding is not zero
  padded[frame::payload + 8 + 23] = 1;
  EXPECT_EQ(load(frame::with_checksum(padded)), FREERIDGE_CORRUPT);
}

}  // namespace
