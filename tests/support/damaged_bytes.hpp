// What every loading refuses, of models, accumulators and classifiers alike; load(bytes) answers with the status.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

#include "support/random.hpp"
#include "support/saved.hpp"

namespace support {

// Cut short after each byte, and continued.
template <class Load>
void expect_other_lengths_refused(const Bytes& bytes, const Load& load) {
  for (std::size_t size = 1; size < bytes.size(); ++size)
    ASSERT_EQ(load(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))), FREERIDGE_CORRUPT) << size;
  for (const std::size_t more : {1u, 7u, 8u, 64u}) {
    Bytes longer = bytes;
    longer.resize(longer.size() + more);
    EXPECT_EQ(load(longer), FREERIDGE_CORRUPT) << more;
  }
  EXPECT_EQ(load(bytes), FREERIDGE_OK);
}

// A bit of each byte, or each of its bits.
template <class Load>
void expect_flipped_bits_refused(Bytes bytes, bool each, const Load& load) {
  for (std::size_t k = 0; k < bytes.size(); ++k)
    for (std::size_t bit = each ? 0 : k % 8; bit < (each ? 8 : k % 8 + 1); ++bit) {
      bytes[k] = static_cast<unsigned char>(bytes[k] ^ 1 << bit);
      ASSERT_EQ(load(bytes), FREERIDGE_CORRUPT) << "bit " << bit << " of byte " << k;
      bytes[k] = static_cast<unsigned char>(bytes[k] ^ 1 << bit);
    }
  EXPECT_EQ(load(bytes), FREERIDGE_OK);
}

template <class Load>
void expect_foreign_refused(const Load& load) {
  Random random(32);
  for (const std::size_t size : {1u, 8u, 39u, 40u, 41u, 48u, 1000u}) {
    EXPECT_EQ(load(Bytes(size, 0)), FREERIDGE_CORRUPT);
    EXPECT_EQ(load(Bytes(size, 0xff)), FREERIDGE_CORRUPT);
    Bytes noise(size);
    for (unsigned char& byte : noise) byte = static_cast<unsigned char>(random.index(256));
    EXPECT_EQ(load(noise), FREERIDGE_CORRUPT);
    for (std::size_t k = 0; k < std::min<std::size_t>(8, size); ++k)
      noise[k] = static_cast<unsigned char>("FREERIDG"[k]);
    EXPECT_EQ(load(noise), FREERIDGE_CORRUPT);
  }
}

// Later versions, versions that never were, and other kinds of content, with a sound checksum.
template <class Load>
void expect_other_versions_refused(const Bytes& bytes, std::initializer_list<std::uint64_t> kinds, const Load& load) {
  Bytes other = bytes;
  for (const std::uint64_t later : {std::uint64_t{8}, std::uint64_t{77}, std::uint64_t{INT64_MAX}})
    for (const std::uint64_t kind : {frame::get(bytes, frame::kind), std::uint64_t{99}}) {
      frame::put(other, frame::version, later);
      frame::put(other, frame::kind, kind);
      EXPECT_EQ(load(other), FREERIDGE_CORRUPT);  // that is a flipped bit
      EXPECT_EQ(load(frame::with_checksum(other)), FREERIDGE_NEWER_FORMAT);
    }
  other = bytes;
  for (const std::uint64_t never : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    frame::put(other, frame::version, never);
    EXPECT_EQ(load(frame::with_checksum(other)), FREERIDGE_CORRUPT);
  }
  other = bytes;
  for (const std::uint64_t kind : kinds) {
    frame::put(other, frame::kind, kind);
    EXPECT_EQ(load(frame::with_checksum(other)), FREERIDGE_CORRUPT) << kind;
  }
}

}  // namespace support
