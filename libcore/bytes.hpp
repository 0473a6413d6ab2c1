// Saved bytes: one container for everything that is saved, the same on every machine and in every version.
//     offset  0   "FREERIDG"
//             8   the format's version
//            16   what is saved: a SavedKind
//            24   the length of the payload in bytes, a multiple of 8
//            32   the payload: integers and doubles, in the order of the kind's own file
//     at the end  the CRC-32C of all bytes before it (Castagnoli's polynomial 1EDC6F41, reflected; RFC 3720, appendix
//                 B.4), as an integer
// Every number has 8 bytes, little-endian: integers in two's complement, doubles as IEEE 754 binary64.
// What does not fit this frame, or fails its checksum, is CORRUPT; a sound frame of a later version is NEWER_FORMAT.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/linalg/matrix.hpp"

namespace freeridge {

using Bytes = std::vector<unsigned char>;

constexpr std::int64_t format_version = 1;

// Numbers are never used again.
enum class SavedKind : std::int64_t { accumulator = 1 };

// The size of a container with so many numbers in its payload.
Index container_size(Index numbers);

class ByteWriter {
 public:
  explicit ByteWriter(SavedKind kind);
  void integer(std::int64_t value);
  void number(double value);
  void numbers(std::span<const double> values);
  // The container, complete.
  Bytes finish();

 private:
  Bytes bytes_;
};

// Reads the payload in order; never beyond its end. What is wrong with it is CORRUPT.
class ByteReader {
 public:
  // Checks the frame. The bytes are borrowed.
  ByteReader(std::span<const unsigned char> bytes, SavedKind kind);

  // The numbers not read yet: ask before making room for them.
  Index left() const { return static_cast<Index>((payload_.size() - at_) / 8); }
  // An integer from low to high; `name` is for the message.
  std::int64_t integer(const char* name, std::int64_t low, std::int64_t high);
  // Finite numbers of magnitude `most` at most.
  double number(const char* name, double most);
  void numbers(const char* name, double most, std::span<double> out);
  // There is nothing more.
  void end() const;

 private:
  std::uint64_t next(const char* name);

  std::span<const unsigned char> payload_;
  std::size_t at_ = 0;
};

}  // namespace freeridge
