// freeridge_points of test data, which convert to what calls take: f(at(x), ...) for a matrix, f(at(layout, n, d, x, ld),
// ...) for an array, f(at(sparse), ...), f(with(at(x), fixed), ...).
#pragma once

#include "support/sparse_matrix.hpp"

namespace support {

struct Points {
  freeridge_points fields{};
  operator const freeridge_points*() const { return &fields; }
};

inline Points no_points(std::int64_t n, std::int64_t d) {
  Points out;
  out.fields.size = sizeof out.fields;
  out.fields.n = n;
  out.fields.d = d;
  return out;
}
inline Points at(freeridge_layout layout, std::int64_t n, std::int64_t d, const double* x, std::int64_t ldx = 0) {
  Points out = no_points(n, d);
  out.fields.layout = layout;
  out.fields.x = x;
  out.fields.ldx = ldx;
  return out;
}
inline Points at(const Matrix& x) {
  return at(FREERIDGE_COL_MAJOR, x.rows, x.cols, x.values.data());
}
inline Points at(const Packed& x, std::int64_t n, std::int64_t d) {
  return at(x.layout, n, d, x.values.data(), x.ld);
}
inline Points at(freeridge_sparse_format format, std::int64_t n, std::int64_t d, const std::int64_t* start,
                 const std::int32_t* index, const double* value) {
  Points out = no_points(n, d);
  out.fields.format = format;
  out.fields.start = start;
  out.fields.index = index;
  out.fields.value = value;
  return out;
}
inline Points at(const Sparse& x) {
  return at(x.format, x.rows, x.cols, x.start.data(), x.index.data(), x.value.data());
}
inline Points at(freeridge_layout layout, std::int64_t n, std::int64_t d, freeridge_reader reader, void* user) {
  Points out = no_points(n, d);
  out.fields.layout = layout;
  out.fields.reader = reader;
  out.fields.user = user;
  return out;
}
// The same points with unpenalised columns, in the layout that they name (or that of the points, where they have one).
inline Points with(Points points, std::int64_t q, const double* unpenalised, std::int64_t ldu = 0) {
  if (points.fields.layout == 0) points.fields.layout = FREERIDGE_COL_MAJOR;
  points.fields.unpenalised_count = q;
  points.fields.unpenalised = unpenalised;
  points.fields.ldu = ldu;
  return points;
}
inline Points with(Points points, const Matrix& unpenalised) {
  return with(std::move(points), unpenalised.cols, unpenalised.values.data());
}

}  // namespace support
