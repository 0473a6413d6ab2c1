#include "libcore/base/bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "libcore/base/progress.hpp"

namespace freeridge {
namespace {

constexpr std::string_view magic = "FREERIDG";
constexpr std::size_t head = 32, tail = 8;
constexpr std::size_t block = std::size_t{1} << 17;  // bytes in the buffer
constexpr double saved_byte = 200;                   // units of work for a byte: checksum and system copy

// Turns a little-endian word into one in this machine's byte order, or back: the same operation.
template <class T>
T little(T value) {
  static_assert(sizeof(T) == 8);
  if constexpr (std::endian::native == std::endian::little) return value;
  return std::bit_cast<T>(__builtin_bswap64(std::bit_cast<std::uint64_t>(value)));
}

std::uint64_t word(Span<const unsigned char> bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, 8);
  return little(value);
}

// crc_tables[k][v]: the CRC remainder of the byte v followed by k zero bytes.
constexpr std::array<std::array<std::uint32_t, 256>, 8> crc_tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0x82f63b78u : 0u);
    tables[0][byte] = value;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 0xff];
  return tables;
}();

// Extends a CRC by more bytes, eight at a time: a table gives each byte's part according to its place among the eight.
std::uint32_t extend_crc(std::uint32_t crc, Span<const unsigned char> bytes) {
  crc ^= 0xffffffffu;
  std::size_t k = 0;
  for (; k + 8 <= bytes.size(); k += 8) {
    const std::uint64_t value = word(bytes, k) ^ crc;
    crc = 0;
    for (std::size_t b = 0; b < 8; ++b) crc ^= crc_tables[7 - b][value >> (8 * b) & 0xff];
  }
  for (; k < bytes.size(); ++k) crc = crc >> 8 ^ crc_tables[0][(crc ^ bytes[k]) & 0xff];
  return crc ^ 0xffffffffu;
}

}  // namespace

void MemorySink::put(Span<const unsigned char> bytes) {
  if (bytes.size() > room_.size()) fail(Status::internal, "what is saved is longer than it was counted");
  std::ranges::copy(bytes, room_.begin());
  room_ = room_.subspan(bytes.size());
}

void MemorySource::read(Index at, Span<unsigned char> out) const {
  std::ranges::copy(bytes_.subspan(at, out.size()), out.begin());
}

// ---- writing ----

Index container_size(const Payload& payload) {
  ByteWriter counter(nullptr);
  payload(counter);
  return counter.count_ + static_cast<Index>(head + tail);
}

void write_container(SavedKind kind, const Payload& payload, ByteSink& sink) {
  const Index size = container_size(payload);
  const Stage stage(0, 1, saved_byte * static_cast<double>(size));
  ByteWriter out(&sink);
  out.put({reinterpret_cast<const unsigned char*>(magic.data()), magic.size()});
  out.integer(format_version);
  out.integer(static_cast<std::int64_t>(kind));
  out.integer(size - static_cast<Index>(head + tail));
  payload(out);
  if (out.count_ != size - static_cast<Index>(tail))
    fail(Status::internal, "what is saved has ", out.count_, " bytes, and ", size, " were counted");
  out.flush();
  out.integer(out.crc_);
  out.flush();
}

void ByteWriter::put(Span<const unsigned char> bytes) {
  count_ += static_cast<Index>(bytes.size());
  if (sink_ == nullptr) return;
  waiting_.reserve(block);
  while (!bytes.empty()) {
    const std::size_t now = std::min(bytes.size(), block - waiting_.size());
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(now));
    bytes = bytes.subspan(now);
    if (waiting_.size() == block) flush();
  }
}

void ByteWriter::flush() {
  crc_ = extend_crc(crc_, waiting_);
  sink_->put(waiting_);
  worked(saved_byte * static_cast<double>(waiting_.size()));
  waiting_.clear();
}

template <class T>
void ByteWriter::words(Span<const T> values) {
  if (std::endian::native == std::endian::little || sink_ == nullptr) {
    put({reinterpret_cast<const unsigned char*>(values.data()), values.size_bytes()});
    return;
  }
  for (const T value : values) {
    const T swapped = little(value);
    put({reinterpret_cast<const unsigned char*>(&swapped), sizeof swapped});
  }
}

void ByteWriter::integer(std::int64_t value) {
  words(Span<const std::int64_t>(&value, 1));
}

void ByteWriter::number(double value) {
  words(Span<const double>(&value, 1));
}

void ByteWriter::numbers(Span<const double> values) {
  words(values);
}

void ByteWriter::matrix(ConstMatrixView values) {
  for (Index j = 0; j < values.cols && values.rows > 0; ++j) numbers({values.col(j), values.rows});
}

void ByteWriter::indices(Span<const Index> values) {
  words(values);
}

void ByteWriter::text(std::string_view value) {
  constexpr std::array<unsigned char, 8> zeros{};
  integer(static_cast<std::int64_t>(value.size()));
  put({reinterpret_cast<const unsigned char*>(value.data()), value.size()});
  put(Span(zeros).first((8 - value.size() % 8) % 8));
}

// ---- reading ----

ByteReader::ByteReader(const ByteSource& source, std::initializer_list<SavedKind> kinds) : source_(source) {
  const Index size = source.size();
  if (size < static_cast<Index>(head + tail))
    fail(Status::corrupt, "size is ", size, "; what freeridge saves has at least ", head + tail, " bytes");
  std::array<unsigned char, head> first{};
  source.read(0, first);
  if (!std::equal(magic.begin(), magic.end(), first.begin()))
    fail(Status::corrupt, "the bytes do not begin with ", magic, ": they are of something else");
  if (word(first, head - 8) != static_cast<std::uint64_t>(size) - head - tail || size % 8 != 0)
    fail(Status::corrupt, "size is ", size, ", which is not the size that was saved: cut short, or changed");
  at_ = static_cast<Index>(head);
  end_ = size - static_cast<Index>(tail);

  const std::uint32_t crc_of_head = extend_crc(0, first);
  crc_ = crc_of_head;
  buffer_.resize(std::min(size, static_cast<Index>(block)));
  for (Index at = at_; at < end_; at += static_cast<Index>(buffer_.size())) {
    const Span<unsigned char> part(buffer_.data(), std::min(buffer_.size(), static_cast<std::size_t>(end_ - at)));
    source.read(at, part);
    crc_ = extend_crc(crc_, part);
  }
  std::array<unsigned char, tail> last{};
  source.read(end_, last);
  if (word(last, 0) != crc_)
    fail(Status::corrupt, "the checksum does not agree: some of the ", size, " bytes were changed");
  checksum_ = crc_;
  crc_ = crc_of_head;

  const auto version = static_cast<std::int64_t>(word(first, 8)), saved = static_cast<std::int64_t>(word(first, 16));
  if (version > format_version)
    fail(Status::newer_format, "the bytes have format ", version, "; this version of freeridge reads up to ",
         format_version);
  if (version < 1) fail(Status::corrupt, "the bytes have format ", version, ", which never was");
  version_ = version;
  kind_ = static_cast<SavedKind>(saved);
  if (std::ranges::find(kinds, kind_) == kinds.end())
    fail(Status::corrupt, "the bytes hold something else: kind ", saved, " instead of ",
         static_cast<std::int64_t>(*kinds.begin()));
}

void ByteReader::require(const char* name, Index rows, Index cols) const {
  Index wanted = 0;
  if (rows < 0 || cols < 0 || __builtin_mul_overflow(rows, cols, &wanted) || wanted > left())
    fail(Status::corrupt, "the saved bytes have ", left(), " numbers left, too few for ", name);
}

void ByteReader::take(const char* name, Span<unsigned char> out) {
  if (static_cast<Index>(out.size()) > end_ - at_) fail(Status::corrupt, "the saved bytes end before ", name);
  while (!out.empty()) {
    if (ready_ == 0) {
      ready_ = std::min(buffer_.size(), static_cast<std::size_t>(end_ - at_));
      source_.read(at_, Span(buffer_).last(ready_));
    }
    const std::size_t now = std::min(ready_, out.size());
    const auto part = Span<const unsigned char>(buffer_).last(ready_).first(now);
    std::ranges::copy(part, out.begin());
    crc_ = extend_crc(crc_, part);
    out = out.subspan(now);
    ready_ -= now;
    at_ += static_cast<Index>(now);
  }
}

template <class T>
void ByteReader::words(const char* name, Span<T> out) {
  take(name, {reinterpret_cast<unsigned char*>(out.data()), out.size_bytes()});
  if constexpr (std::endian::native != std::endian::little)
    for (T& value : out) value = little(value);
}

std::int64_t ByteReader::integer(const char* name, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  indices(name, low, high, {&value, 1});
  return value;
}

void ByteReader::indices(const char* name, std::int64_t low, std::int64_t high, Span<Index> out) {
  words(name, out);
  for (const std::int64_t value : out)
    if (value < low || value > high)
      fail(Status::corrupt, "the saved ", name, " is ", value, "; it must be from ", low, " to ", high);
}

double ByteReader::number(const char* name, double most) {
  double value = 0;
  numbers(name, most, {&value, 1});
  return value;
}

void ByteReader::numbers(const char* name, double most, Span<double> out) {
  constexpr std::size_t at_once = block / 8;  // numbers: each block is checked while it is still in the cache
  for (; !out.empty(); out = out.subspan(std::min(at_once, out.size()))) {
    const Span<double> part = out.first(std::min(at_once, out.size()));
    words(name, part);
    for (const double value : part)
      if (!(std::abs(value) <= most)) fail(Status::corrupt, "the saved bytes have ", value, " in ", name);
  }
}

Array<double> ByteReader::vector(const char* name, double most, Index count) {
  require(name, count);
  Array<double> out(count);
  numbers(name, most, out);
  return out;
}

Matrix ByteReader::matrix(const char* name, double most, Index rows, Index cols) {
  require(name, rows, cols);
  Matrix out(rows, cols);
  numbers(name, most, out.values());
  return out;
}

void ByteReader::any_numbers(const char* name, Span<double> out) {
  words(name, out);
}

std::string ByteReader::text(const char* name) {
  const Index length = integer(name, 0, std::numeric_limits<Index>::max() - 7), padded = (length + 7) / 8;
  require(name, padded);
  std::string out(static_cast<std::size_t>(8 * padded), '\0');
  take(name, {reinterpret_cast<unsigned char*>(out.data()), out.size()});
  if (out.find_first_not_of('\0', static_cast<std::size_t>(length)) != std::string::npos)
    fail(Status::corrupt, "the saved ", name, " is longer than its length");
  out.resize(static_cast<std::size_t>(length));
  return out;
}

void ByteReader::end() {
  if (left() > 0) fail(Status::corrupt, "the saved bytes go on for ", left(), " numbers after their end");
  if (crc_ != checksum_) fail(Status::corrupt, "the bytes were changed while they were read");
}

}  // namespace freeridge
