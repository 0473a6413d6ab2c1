// Saved bytes: one container for everything that is saved, the same on every machine and in every version.
//     offset  0   "FREERIDG"
//             8   the format's version
//            16   what is saved: a SavedKind
//            24   the length of the payload in bytes, a multiple of 8
//            32   the payload: integers, doubles and texts, in the order of the kind's own file
//     at the end  the CRC-32C of all bytes before it (Castagnoli's polynomial 1EDC6F41, reflected; RFC 3720, appendix
//                 B.4), as an integer
// Every number has 8 bytes, little-endian: integers in two's complement, doubles as IEEE 754 binary64. A text is its
// length in bytes as an integer, the bytes, and zeros up to a multiple of 8.
// What does not fit this frame, or fails its checksum, is CORRUPT; a sound frame of a later version is NEWER_FORMAT.
// Saving and loading stream: numbers go from where they lie to a sink, and from a source to where they will lie,
// without a second copy in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "libcore/base/array.hpp"
#include "libcore/base/matrix.hpp"

namespace freeridge {

constexpr std::int64_t format_version = 7;

// A number that was once given to a kind is never given to another one.
enum class SavedKind : std::int64_t { accumulator = 1, model = 2, predictor = 3, classifier = 4 };

// Takes bytes in order. Throws IO when it cannot.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void put(Span<const unsigned char> bytes) = 0;
};

// Bytes that can be read from any place, more than once. Throws IO, or CORRUPT when the source has become shorter.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual Index size() const = 0;
  // All bytes of `out` from offset `at`; at + out.size() <= size().
  virtual void read(Index at, Span<unsigned char> out) const = 0;
};

// The caller's memory, borrowed.
class MemorySink final : public ByteSink {
 public:
  explicit MemorySink(Span<unsigned char> room) : room_(room) {}
  void put(Span<const unsigned char> bytes) override;

 private:
  Span<unsigned char> room_;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(Span<const unsigned char> bytes) : bytes_(bytes) {}
  Index size() const override { return static_cast<Index>(bytes_.size()); }
  void read(Index at, Span<unsigned char> out) const override;

 private:
  Span<const unsigned char> bytes_;
};

class ByteWriter;
// Writes the payload. It is called twice, the first time only to count the bytes; both times it has to write as many.
using Payload = std::function<void(ByteWriter&)>;

// The size of the container.
Index container_size(const Payload& payload);
void write_container(SavedKind kind, const Payload& payload, ByteSink& sink);

// Writes the numbers of a payload, in order.
class ByteWriter {
 public:
  void integer(std::int64_t value);
  void number(double value);
  void numbers(Span<const double> values);
  void matrix(ConstMatrixView values);  // column by column
  void indices(Span<const Index> values);
  void text(std::string_view value);

 private:
  friend Index container_size(const Payload& payload);
  friend void write_container(SavedKind kind, const Payload& payload, ByteSink& sink);

  explicit ByteWriter(ByteSink* sink) : sink_(sink) {}  // NULL: only counts the bytes
  template <class T>
  void words(Span<const T> values);
  void put(Span<const unsigned char> bytes);
  void flush();

  ByteSink* sink_;
  Index count_ = 0;  // bytes so far
  Array<unsigned char> waiting_;
  std::uint32_t crc_ = 0;  // CRC of the bytes that went to the sink
};

// Reads the payload in order, never beyond its end; throws CORRUPT where it is wrong. A size in the payload may be
// forged: before memory is allocated by it, `left` or `require` must show that so many numbers follow (as in `vector`
// and `matrix`).
class ByteReader {
 public:
  // Checks the frame and the checksum, in a pass of its own. The source is borrowed.
  ByteReader(const ByteSource& source, std::initializer_list<SavedKind> kinds);

  SavedKind kind() const { return kind_; }
  std::int64_t version() const { return version_; }
  // The numbers not read yet.
  Index left() const { return (end_ - at_) / 8; }
  // The bytes of the container before what is read next.
  Index position() const { return at_; }
  // Throws unless rows x cols numbers are left.
  void require(const char* name, Index rows, Index cols = 1) const;
  // An integer from low to high; `name` is for the message.
  std::int64_t integer(const char* name, std::int64_t low, std::int64_t high);
  // Finite numbers of magnitude `most` at most.
  double number(const char* name, double most);
  void numbers(const char* name, double most, Span<double> out);
  Array<double> vector(const char* name, double most, Index count);
  Matrix matrix(const char* name, double most, Index rows, Index cols);
  // Infinities and NaN, too.
  void any_numbers(const char* name, Span<double> out);
  void indices(const char* name, std::int64_t low, std::int64_t high, Span<Index> out);
  std::string text(const char* name);
  // Throws unless all was read, and the bytes were those that the first pass checked.
  void end();

 private:
  void take(const char* name, Span<unsigned char> out);
  template <class T>
  void words(const char* name, Span<T> out);

  const ByteSource& source_;
  SavedKind kind_{};
  std::int64_t version_ = 0;
  Index at_ = 0, end_ = 0;       // of the payload, from the begin of the container
  Array<unsigned char> buffer_;  // its last `ready_` bytes are those that follow at_
  std::size_t ready_ = 0;
  std::uint32_t crc_ = 0, checksum_ = 0;  // CRC of what has been read; CRC of all
};

}  // namespace freeridge
