// Saved accumulators: the same bits after loading, and afterwards; and bytes that are cut short, changed, foreign, from
// a later version or forged: a status, never a crash and never more memory than the bytes could fill.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "support/accumulator.hpp"
#include "support/damaged_bytes.hpp"
#include "support/problems.hpp"

namespace saved_test {

using namespace support;
using oracle::KernelSpec;
using oracle::Problem;
using namespace support::frame;

const Vector lambda_values = {0.0, 0.1, 10.0};

Problem problem_of(std::int64_t n, std::int64_t d, bool intercept) {
  Random random(31);
  return random_problem(random, KernelSpec::linear(), n, d, 2, true, intercept);
}

Bytes small_bytes() {
  return Accumulator(problem_of(5, 2, true)).save();
}

// The same, and the first column has no penalty: one number more behind the reduction.
Bytes unpenalised_bytes() {
  const Accumulator out(problem_of(5, 2, true));
  check(freeridge_accumulator_set_parameter(out.get(), FREERIDGE_UNPENALISED, 1),
        "freeridge_accumulator_set_parameter");
  return out.save();
}

// The answer to loading a copy that ends where its memory ends. *out stays NULL after a failure.
freeridge_status load(const Bytes& bytes) {
  const std::unique_ptr<unsigned char[]> exact(new unsigned char[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  freeridge_accumulator* out = nullptr;
  const freeridge_status status =
      freeridge_accumulator_load_from_memory(exact.get(), static_cast<std::int64_t>(bytes.size()), &out);
  EXPECT_EQ(out != nullptr, status == FREERIDGE_OK);
  freeridge_accumulator_destroy(out);
  return status;
}

// --- the form, written down once more (its frame: support/saved.hpp) -----------------------------------------------

enum Field : std::size_t {
  d = 0,
  t = 1,
  intercept = 2,
  n = 3,
  sum_w = 4,
  sum_log_w = 5,
  height = 6,
  form = 7,
  features = 8,
  reduction = 9,
  numbers = 10
};

Bytes with_field(Bytes bytes, std::size_t field, std::uint64_t value) {
  put(bytes, payload + 8 * field, value);
  return with_checksum(bytes);
}
Bytes with_field(const Bytes& bytes, std::size_t field, double value) {
  return with_field(bytes, field, std::bit_cast<std::uint64_t>(value));
}

TEST(StreamSaved, TheFormIsTheOneDocumented) {
  const std::string check = "123456789";  // the published check value of CRC-32C
  EXPECT_EQ(crc(reinterpret_cast<const unsigned char*>(check.data()), check.size()), 0xe3069283u);

  const Problem problem{KernelSpec::linear(), to_column({3.0, 5.0}), to_column({-1.0, 0.5}), {}, false};
  const Bytes bytes = Accumulator(problem).save();
  const std::vector<std::uint64_t> expected = {7,  // version
                                               1,  // an accumulator
                                               14 * 8,
                                               1,
                                               1,
                                               0,
                                               2,
                                               std::bit_cast<std::uint64_t>(2.0),
                                               std::bit_cast<std::uint64_t>(0.0),
                                               2,
                                               0,  // the stack
                                               0,  // of x itself
                                               1,  // reduced by QR
                                               std::bit_cast<std::uint64_t>(3.0),
                                               std::bit_cast<std::uint64_t>(5.0),
                                               std::bit_cast<std::uint64_t>(-1.0),
                                               std::bit_cast<std::uint64_t>(0.5)};
  ASSERT_EQ(bytes.size(), 8 + 8 * expected.size() + 8);
  EXPECT_EQ(std::memcmp(bytes.data(), "FREERIDG", 8), 0);
  for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_EQ(get(bytes, 8 + 8 * k), expected[k]) << k;
  EXPECT_EQ(get(bytes, bytes.size() - 8), crc(bytes.data(), bytes.size() - 8));
}

TEST(StreamSaved, GoesOnBitForBit) {
  for (const bool with_intercept : {false, true})
    for (const std::int64_t saved : {0, 1, 5, 520, 521, 1700}) {
      SCOPED_TRACE(saved);
      const Problem problem = problem_of(2500, 6, with_intercept);
      Accumulator original(6, 2, with_intercept);
      if (saved > 0) original.add(slice(problem, 0, saved));
      const Bytes bytes = original.save();
      Accumulator loaded(bytes);
      EXPECT_EQ(loaded.save(), bytes);
      EXPECT_EQ(loaded.n(), saved);
      for (Accumulator* each : {&original, &loaded}) each->add(slice(problem, saved, 2500 - saved));
      EXPECT_EQ(loaded.save(), original.save());
      const Planes planes = original.solve(lambda_values), others = loaded.solve(lambda_values);
      EXPECT_TRUE(bit_equal(others.w, planes.w) && bit_equal(others.b, planes.b));
      EXPECT_TRUE(bit_equal(loaded.loo(problem, lambda_values), original.loo(problem, lambda_values)));
      Accumulator merged(problem_of(40, 6, with_intercept)), merged_loaded(problem_of(40, 6, with_intercept));
      merged.merge(original);
      merged_loaded.merge(loaded);
      EXPECT_EQ(merged_loaded.save(), merged.save());
    }
}

TEST(StreamSaved, TheLengthFirst) {
  const Accumulator accumulator(problem_of(5, 2, true));
  const Bytes expected = accumulator.save();
  const auto size = static_cast<std::int64_t>(expected.size());
  for (const std::int64_t given : {std::int64_t{1}, size - 1, std::int64_t{-1}}) {
    Bytes bytes(expected.size(), 7);
    std::int64_t length = -5;
    EXPECT_EQ(freeridge_accumulator_save_to_memory(accumulator.get(), given, bytes.data(), &length),
              FREERIDGE_INVALID_ARGUMENT);
    EXPECT_EQ(length, size);
    EXPECT_EQ(bytes, Bytes(expected.size(), 7));
  }
  Bytes longer(expected.size() + 9, 7);  // room to spare stays as it was
  std::int64_t length = -5;
  EXPECT_EQ(freeridge_accumulator_save_to_memory(accumulator.get(), size + 9, longer.data(), &length), FREERIDGE_OK);
  EXPECT_EQ(length, size);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), longer.begin()));
  EXPECT_EQ(Bytes(longer.begin() + size, longer.end()), Bytes(9, 7));
}

TEST(StreamSaved, CutShortAnywhere) {
  expect_other_lengths_refused(small_bytes(), load);
}

TEST(StreamSaved, AnyBitFlipped) {
  expect_flipped_bits_refused(small_bytes(), true, load);
}

TEST(StreamSaved, Foreign) {
  expect_foreign_refused(load);
}

TEST(StreamSaved, ALaterVersionAndAnotherKind) {
  expect_other_versions_refused(small_bytes(), {0, 2, 3, 4, ~std::uint64_t{0}}, load);
}

// Sound checksums around numbers that cannot be. n = 5 rows, p = 5: the stack has 5 x 5 numbers behind 4 shifts.
TEST(StreamSaved, ForgedNumbers) {
  const Bytes bytes = small_bytes();
  ASSERT_EQ(load(with_checksum(bytes)), FREERIDGE_OK);
  constexpr std::uint64_t minus = ~std::uint64_t{0}, huge = INT64_MAX, large = 2147483647;
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, large - 3, large, large + 1,
                                    minus, huge, std::uint64_t{1} << 32, std::uint64_t{1} << 63}) {
    SCOPED_TRACE(value);
    EXPECT_EQ(load(with_field(bytes, d, value)), FREERIDGE_CORRUPT);
    EXPECT_EQ(load(with_field(bytes, t, value)), FREERIDGE_CORRUPT);
    EXPECT_EQ(load(with_field(bytes, height, value)), FREERIDGE_CORRUPT);
    EXPECT_EQ(load(with_field(bytes, intercept, value)), value == 1 ? FREERIDGE_OK : FREERIDGE_CORRUPT);
  }
  for (const std::size_t field : {std::size_t{form}, std::size_t{features}, std::size_t{reduction}})
    for (const std::uint64_t value : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, minus, huge})
      EXPECT_EQ(load(with_field(bytes, field, value)),
                field == reduction && value == 1 ? FREERIDGE_OK : FREERIDGE_CORRUPT)
          << field << ": " << value;
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{4}, minus, std::uint64_t{1} << 63})
    EXPECT_EQ(load(with_field(bytes, n, value)), FREERIDGE_CORRUPT) << value;
  EXPECT_EQ(load(with_field(bytes, intercept, std::uint64_t{0})), FREERIDGE_CORRUPT);
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, minus, huge})
    EXPECT_EQ(load(with_field(unpenalised_bytes(), numbers, value)), value == 1 ? FREERIDGE_OK : FREERIDGE_CORRUPT)
        << value;
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {nan, infinity, -infinity}) {
    for (const std::size_t field :
         {std::size_t{sum_w}, std::size_t{sum_log_w}, numbers + 0ul, numbers + 3ul, numbers + 4ul, numbers + 28ul})
      EXPECT_EQ(load(with_field(bytes, field, value)), FREERIDGE_CORRUPT) << field << ": " << value;
  }
  EXPECT_EQ(load(with_field(bytes, sum_w, 0.0)), FREERIDGE_CORRUPT);
  EXPECT_EQ(load(with_field(bytes, sum_w, -1.0)), FREERIDGE_CORRUPT);
  EXPECT_EQ(load(with_field(bytes, numbers + 28ul, 1e301)), FREERIDGE_CORRUPT);
  EXPECT_EQ(load(with_field(bytes, numbers + 28ul, 1e299)), FREERIDGE_OK);
  // A stack of more numbers than there are addresses.
  constexpr std::uint64_t many = std::uint64_t{1} << 30;
  EXPECT_EQ(load(with_field(with_field(with_field(bytes, d, many), n, 4 * many), height, 4 * many)), FREERIDGE_CORRUPT);

  Bytes longer = bytes;  // a whole number too many, or too few
  longer.insert(longer.end() - 8, 8, 0);
  put(longer, payload_length, longer.size() - payload - 8);
  EXPECT_EQ(load(with_checksum(longer)), FREERIDGE_CORRUPT);
  Bytes shorter = bytes;
  for (std::size_t left = (bytes.size() - payload - 8) / 8; left > 0; --left) {
    shorter.erase(shorter.end() - 16, shorter.end() - 8);
    put(shorter, payload_length, shorter.size() - payload - 8);
    EXPECT_EQ(load(with_checksum(shorter)), FREERIDGE_CORRUPT) << left;
  }
}

// Compacted: the shifts (d + t), and the triangle column by column, or with landmarks by Gram the sum of products.
TEST(StreamSaved, ForgedCompactNumbers) {
  const auto compact = [](const Accumulator& accumulator) {
    check(freeridge_accumulator_compact(accumulator.get()), "freeridge_accumulator_compact");
    return accumulator.save();
  };
  const auto statuses = [](const Bytes& bytes, std::size_t first, double value) {
    std::vector<freeridge_status> out;
    for (std::size_t at = payload + 8 * first; at + 8 < bytes.size(); at += 8)
      out.push_back(load(with_field(bytes, (at - payload) / 8, value)));
    return out;
  };
  // Three rows of p = 5 columns: what is below them in the triangle is 0.
  const Bytes three = compact(Accumulator(problem_of(3, 2, true)));
  const std::vector<freeridge_status> of_three = statuses(three, numbers + 4, 0.25);
  ASSERT_EQ(of_three.size(), 15u);
  for (std::size_t k = 0, place = 0; k < 5; ++k)
    for (std::size_t i = 0; i <= k; ++i, ++place)
      EXPECT_EQ(of_three[place], i < 3 ? FREERIDGE_OK : FREERIDGE_CORRUPT) << i << ", " << k;
  for (const std::uint64_t value : {std::uint64_t{8}, std::uint64_t{1} << 30})  // the shifts fit, or nothing does
    EXPECT_EQ(load(with_field(three, d, value)), FREERIDGE_CORRUPT);
  // No rows: all is 0, and cannot have been prepared.
  Random random(34);
  const Matrix z = random.uniform_matrix(2, 2, -1, 1);
  const Accumulator empty(2, 2, true);
  Accumulator by_gram(Kernel::gaussian(1), z, 2, true, FREERIDGE_REDUCTION_GRAM);
  const Bytes none = compact(empty);
  EXPECT_EQ(load(with_field(none, form, std::uint64_t{2})), FREERIDGE_CORRUPT);
  for (const freeridge_status status : statuses(none, numbers, 1)) EXPECT_EQ(status, FREERIDGE_CORRUPT);
  // By Gram: a sum of no rows is 0, and of some has no negative square. Behind the landmarks, 15 numbers.
  const Bytes no_sum = compact(by_gram);
  const std::size_t sum = (no_sum.size() - payload - 8) / 8 - 15;
  for (const freeridge_status status : statuses(no_sum, sum, 1)) EXPECT_EQ(status, FREERIDGE_CORRUPT);
  EXPECT_EQ(load(with_field(no_sum, d, std::uint64_t{3})), FREERIDGE_CORRUPT);  // of two landmarks
  by_gram.add(problem_of(5, 2, true));
  const Bytes some = compact(by_gram);
  EXPECT_EQ(load(some), FREERIDGE_OK);
  EXPECT_EQ(std::ranges::count(statuses(some, sum, -1), FREERIDGE_CORRUPT), 5);
}

// What loads answers, or says why not, whatever its numbers are.
TEST(StreamSaved, ForgedNumbersThatLoadDoNoHarm) {
  const Bytes small = small_bytes(), unpenalised = unpenalised_bytes();
  Random random(33);
  for (int attempt = 0; attempt < 300; ++attempt) {
    const bool penalised = attempt % 3 > 0;
    Bytes forged = penalised ? small : unpenalised;
    for (std::int64_t changes = 1 + random.index(6); changes > 0; --changes) {
      const double values[] = {0.0, -0.0, 1e299, -1e299, 1e-320, 5.0, 1e160, -1e-160};
      const std::size_t field = numbers + (penalised ? 0 : 1) + static_cast<std::size_t>(random.index(29));
      put(forged, payload + 8 * field, std::bit_cast<std::uint64_t>(values[random.index(8)]));
    }
    Accumulator accumulator(with_checksum(forged));
    double w[12], b[6], scores[6], errors[30];
    const Problem problem = problem_of(5, 2, true);
    const auto fine = [](freeridge_status status) {
      return status == FREERIDGE_OK || status == FREERIDGE_NOT_FINITE || status == FREERIDGE_UNDEFINED ||
             status == FREERIDGE_NOT_CONVERGED;
    };
    EXPECT_TRUE(fine(freeridge_accumulator_solve(accumulator.get(), 3, lambda_values.data(), w, 2, b)));
    EXPECT_TRUE(
        fine(freeridge_accumulator_score(accumulator.get(), FREERIDGE_GCV, 3, lambda_values.data(), scores, 3)));
    EXPECT_TRUE(fine(freeridge_accumulator_errors(accumulator.get(), at(problem.x), FREERIDGE_COL_MAJOR,
                                                  problem.y.values.data(), 5, problem.weights.data(), nullptr, 3,
                                                  lambda_values.data(), errors, 5)))
        << freeridge_last_error();
    EXPECT_TRUE(fine(freeridge_accumulator_squared_errors(accumulator.get(), at(problem.x), FREERIDGE_COL_MAJOR,
                                                          problem.y.values.data(), 5, problem.weights.data(), 3,
                                                          lambda_values.data(), nullptr, scores, 3)))
        << freeridge_last_error();
    Accumulator other(problem);
    if (!penalised)
      check(freeridge_accumulator_set_parameter(other.get(), FREERIDGE_UNPENALISED, 1),
            "freeridge_accumulator_set_parameter");
    EXPECT_TRUE(fine(freeridge_accumulator_merge(other.get(), accumulator.get())));
  }
}

// A small file that claims to be a large accumulator: p is 2 10^9, but there are no rows yet. Nothing is allocated.
TEST(StreamSaved, SizesWithoutRowsNeedNoMemory) {
  const Accumulator claimed(1999999999, 1, true);
  const Bytes bytes = claimed.save();
  EXPECT_LT(bytes.size(), 200u);
  EXPECT_EQ(load(bytes), FREERIDGE_OK);
}

}  // namespace saved_test
