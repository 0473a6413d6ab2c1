#include "libcore/bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>

namespace freeridge {
namespace {

constexpr std::string_view magic = "FREERIDG";
constexpr std::size_t head = 32, tail = 8;

void put(Bytes& bytes, std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<unsigned char>(value >> shift & 0xff));
}

std::uint64_t get(std::span<const unsigned char> bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t k = 0; k < 8; ++k) value |= std::uint64_t{bytes[at + k]} << (8 * k);
  return value;
}

// The remainders of all bytes.
constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0x82f63b78u : 0u);
    table[byte] = value;
  }
  return table;
}();

std::uint64_t checksum(std::span<const unsigned char> bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const unsigned char byte : bytes) crc = crc >> 8 ^ crc_table[(crc ^ byte) & 0xff];
  return crc ^ 0xffffffffu;
}

}  // namespace

Index container_size(Index numbers) {
  return checked_doubles(numbers, 1) * 8 + static_cast<Index>(head + tail);
}

ByteWriter::ByteWriter(SavedKind kind) : bytes_(magic.begin(), magic.end()) {
  integer(format_version);
  integer(static_cast<std::int64_t>(kind));
  integer(0);  // the length, known at the end
}

void ByteWriter::integer(std::int64_t value) {
  put(bytes_, static_cast<std::uint64_t>(value));
}

void ByteWriter::number(double value) {
  put(bytes_, std::bit_cast<std::uint64_t>(value));
}

void ByteWriter::numbers(std::span<const double> values) {
  bytes_.reserve(bytes_.size() + 8 * values.size());
  for (const double value : values) number(value);
}

Bytes ByteWriter::finish() {
  Bytes length;
  put(length, bytes_.size() - head);
  std::copy(length.begin(), length.end(), bytes_.begin() + head - 8);
  put(bytes_, checksum(bytes_));
  return std::move(bytes_);
}

ByteReader::ByteReader(std::span<const unsigned char> bytes, SavedKind kind) {
  if (bytes.size() < head + tail)
    fail(Status::corrupt, "size is ", bytes.size(), "; what freeridge saves has at least ", head + tail, " bytes");
  if (!std::equal(magic.begin(), magic.end(), bytes.begin()))
    fail(Status::corrupt, "the bytes do not begin with ", magic, ": they are of something else");
  payload_ = bytes.subspan(head, bytes.size() - head - tail);
  if (get(bytes, head - 8) != payload_.size() || payload_.size() % 8 != 0)
    fail(Status::corrupt, "size is ", bytes.size(), ", which is not the size that was saved: cut short, or changed");
  if (get(bytes, bytes.size() - tail) != checksum(bytes.first(bytes.size() - tail)))
    fail(Status::corrupt, "the checksum does not agree: some of the ", bytes.size(), " bytes were changed");
  const auto version = static_cast<std::int64_t>(get(bytes, 8)), saved = static_cast<std::int64_t>(get(bytes, 16));
  if (version > format_version)
    fail(Status::newer_format, "the bytes have format ", version, "; this version of freeridge reads up to ",
         format_version);
  if (version < 1) fail(Status::corrupt, "the bytes have format ", version, ", which never was");
  if (saved != static_cast<std::int64_t>(kind))
    fail(Status::corrupt, "the bytes hold something else: kind ", saved, " instead of ",
         static_cast<std::int64_t>(kind));
}

std::uint64_t ByteReader::next(const char* name) {
  if (left() == 0) fail(Status::corrupt, "the saved bytes end before ", name);
  const std::uint64_t value = get(payload_, at_);
  at_ += 8;
  return value;
}

std::int64_t ByteReader::integer(const char* name, std::int64_t low, std::int64_t high) {
  const auto value = static_cast<std::int64_t>(next(name));
  if (value < low || value > high)
    fail(Status::corrupt, "the saved ", name, " is ", value, "; it must be from ", low, " to ", high);
  return value;
}

double ByteReader::number(const char* name, double most) {
  const double value = std::bit_cast<double>(next(name));
  if (!(std::abs(value) <= most)) fail(Status::corrupt, "the saved bytes have ", value, " in ", name);
  return value;
}

void ByteReader::numbers(const char* name, double most, std::span<double> out) {
  for (double& value : out) value = number(name, most);
}

void ByteReader::end() const {
  if (left() > 0) fail(Status::corrupt, "the saved bytes go on for ", left(), " numbers after their end");
}

}  // namespace freeridge
