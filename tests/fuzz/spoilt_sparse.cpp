#include "fuzz/spoilt_sparse.hpp"

namespace fuzz {
namespace {

// Without zeros, so that there is an entry for each place.
support::Matrix full(std::int64_t rows, std::int64_t columns) {
  support::Matrix out(rows, columns);
  for (double& value : out.values) value = 1;
  return out;
}

}  // namespace

SpoiltSparse::SpoiltSparse(Source& in, std::int64_t rows, std::int64_t columns)
    : format(in.one_in(2) ? FREERIDGE_CSC : FREERIDGE_CSR), n(rows), x_(full(rows, columns), format) {
  constexpr std::int64_t bad_sizes[] = {0, -1, INT64_MIN, INT64_MAX, std::int64_t{1} << 31, std::int64_t{1} << 61};
  constexpr std::int64_t bad_starts[] = {-1, INT64_MIN, INT64_MAX, std::int64_t{1} << 31, std::int64_t{1} << 61};
  constexpr std::int32_t bad_places[] = {-1, INT32_MIN, INT32_MAX};
  constexpr std::int32_t bad_formats[] = {0, -1, 3, INT32_MAX};
  constexpr double bad_numbers[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  const auto any = [&](const auto& values) { return static_cast<std::size_t>(in.byte()) % values.size(); };
  start = x_.start.data();
  index = x_.index.data();
  value = x_.value.data();
  switch (in.byte() % 9) {
    case 0:
      n = in.among(bad_sizes);
      break;
    case 1:
      start = nullptr;
      break;
    case 2:
      index = nullptr;
      break;
    case 3:
      value = nullptr;
      break;
    case 4:
      format = in.among(bad_formats);
      break;
    case 5:
      x_.start[any(x_.start)] = in.among(bad_starts);
      break;
    case 6:
      x_.index[any(x_.index)] = in.among(bad_places);
      break;
    case 7:  // the last line takes what belongs to the others, and more
      x_.start.back() += 1 + in.below(4);
      break;
    default:
      x_.value[any(x_.value)] = in.among(bad_numbers);
      break;
  }
}

}  // namespace fuzz
