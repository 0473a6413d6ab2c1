// Rows in pieces: a sum over rows that tells whether another pass sees the same ones.
#include <cstdint>
#include <cstring>

#include "model.h"

namespace {

// splitmix64's mixing of 64 bits.
std::uint64_t mixed(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

void mix(const View& values, std::vector<std::uint64_t>& rows) {
  for (Eigen::Index j = 0; j < values.cols(); ++j)
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      std::uint64_t bits = 0;
      const double value = values(i, j);
      std::memcpy(&bits, &value, sizeof bits);
      auto& row = rows[static_cast<std::size_t>(i)];
      row = mixed(row ^ bits);
    }
}

}  // namespace

// sum_i hash(x_i) mod 2^52: the same for the same rows in any order and any chunks.
// [[Rcpp::export(rng = false)]]
double core_rows_checksum(SEXP x) {
  const auto numbers = Rcpp::as<View>(x);
  std::vector<std::uint64_t> rows(static_cast<std::size_t>(numbers.rows()));
  mix(numbers, rows);
  std::uint64_t sum = 0;
  for (const std::uint64_t row : rows) sum += row;
  return static_cast<double>(sum & ((std::uint64_t{1} << 52U) - 1));
}
