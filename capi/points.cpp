#include "capi/points.hpp"

#include <string>

#include "libcore/base/checks.hpp"
#include "libcore/base/memory.hpp"

namespace freeridge::capi {
namespace {

// The size of freeridge_points in the first header that had it.
constexpr std::size_t first_points = offsetof(freeridge_points, ldu) + sizeof(freeridge_points::ldu);

void check_size(const char* name, const char* field, std::int64_t value, std::int64_t least = 1) {
  if (value < least || value > largest_size)
    fail(Status::invalid_argument, name, ".", field, " is ", value, "; it must be from ", least, " to ", largest_size);
}

// The leading dimension: 0 stands for a matrix without gaps.
void check_ld(const char* name, const char* field, std::int64_t& ld, freeridge_layout layout, const char* rows_field,
              std::int64_t rows, const char* columns_field, std::int64_t columns) {
  if (layout != FREERIDGE_COL_MAJOR && layout != FREERIDGE_ROW_MAJOR)
    fail(Status::invalid_argument, name, ".layout is ", layout, ", which is no known value");
  const bool by_columns = layout == FREERIDGE_COL_MAJOR;
  const std::int64_t line = by_columns ? rows : columns, lines = by_columns ? columns : rows;
  if (ld == 0) ld = line;
  if (ld < line || ld > largest_size)
    fail(Status::invalid_argument, name, ".", field, " is ", ld, "; it must be from ", name, ".",
         by_columns ? rows_field : columns_field, " = ", line, " to ", largest_size, ", or 0: no gaps");
  require_product(field, ld, "the number of rows or columns", lines);
}

void check_rows_in_memory(const char* name, freeridge_points& given) {
  check_size(name, "n", given.n);
  if (given.x == nullptr && !is_sparse(given)) return;
  if (given.x != nullptr) return check_ld(name, "ldx", given.ldx, given.layout, "n", given.n, "d", given.d);
  if (given.format != FREERIDGE_CSR && given.format != FREERIDGE_CSC)
    fail(Status::invalid_argument, name, ".format is ", given.format, ", which is no known value");
  if (given.start == nullptr)
    fail(Status::invalid_argument, name, ".start is NULL beside value; sparse rows need start, index and value");
  if (const std::int64_t lines = given.format == FREERIDGE_CSR ? given.n : given.d; given.start[lines] == 0) return;
  if (given.index == nullptr || given.value == nullptr)
    fail(Status::invalid_argument, name, ".", given.index == nullptr ? "index" : "value",
         " is NULL beside start; sparse rows need start, index and value");
}

void check_reader(const char* name, const freeridge_points& given, bool unknown_number) {
  if (given.layout != FREERIDGE_COL_MAJOR && given.layout != FREERIDGE_ROW_MAJOR)
    fail(Status::invalid_argument, name, ".layout is ", given.layout, ", which is no known value");
  if (given.n == -1 && unknown_number) return;
  if (given.n == -1) fail(Status::invalid_argument, name, ".n is -1; how many rows there are must be known here");
  if (given.n < 1 || (given.n > largest_size && !unknown_number))
    fail(Status::invalid_argument, name, ".n is ", given.n, "; it must be at least 1",
         unknown_number ? ", or -1: until the reader has no more rows" : "");
}

}  // namespace

GivenPoints::GivenPoints(const char* name, const freeridge_points* points, const Allowed& allowed)
    : name_(name), given_(checked_struct(name, points, first_points)) {
  const int kinds = (given_.x != nullptr) + is_sparse(given_) + (given_.reader != nullptr);
  const bool none = allowed.none && given_.n == 0;
  check_size(name, "d", given_.d);
  if (kinds > 1 || (kinds == 0 && !none && !allowed.of_no_kind))
    fail(Status::invalid_argument, name, " has ", kinds == 0 ? "no rows" : "rows of two kinds",
         ": exactly one of x, start (with index and value) and reader must not be NULL");
  if (given_.unpenalised_count < 0 || given_.unpenalised_count > largest_size)
    fail(Status::invalid_argument, name, ".unpenalised_count is ", given_.unpenalised_count, "; it must be from 0 to ",
         largest_size);
  if (none) return;
  if (given_.reader != nullptr)
    check_reader(name, given_, allowed.unknown_number);
  else
    check_rows_in_memory(name, given_);
  if (given_.unpenalised_count == 0) return;
  if (given_.unpenalised == nullptr)
    fail(Status::invalid_argument, name, ".unpenalised is NULL, and ", name, ".unpenalised_count is ",
         given_.unpenalised_count);
  if (given_.n >= 0)
    check_ld(name, "ldu", given_.ldu, given_.layout, "n", given_.n, "unpenalised_count", given_.unpenalised_count);
}

LayoutView GivenPoints::unpenalised_of(Index first, Index rows) const {
  if (given_.unpenalised_count == 0) return {nullptr, rows, 0, rows, Layout::col_major};
  const LayoutView all{given_.unpenalised, given_.n, given_.unpenalised_count, given_.ldu,
                       static_cast<Layout>(given_.layout)};
  return all.row_range(first, rows);
}

Points GivenPoints::in_memory() const {
  if (is_sparse(given_))
    return {SparseView{static_cast<SparseFormat>(given_.format), given_.n, given_.d, given_.start, given_.index,
                       given_.value},
            unpenalised_of(0, given_.n)};
  return {LayoutView{given_.x, given_.n, given_.d, given_.ldx, static_cast<Layout>(given_.layout)},
          unpenalised_of(0, given_.n)};
}

RowReader GivenPoints::reader(Index t) const {
  return {given_.reader, given_.user, static_cast<Layout>(given_.layout), given_.n, given_.d, t};
}

void GivenPoints::require_columns(Index d) const {
  if (given_.d != d)
    fail(Status::dimension_mismatch, name_, ".d is ", given_.d, ", but there are ", d, " columns in the data");
}

void GivenPoints::refuse_unpenalised(const char* whose) const {
  if (given_.unpenalised_count != 0)
    fail(Status::invalid_argument, name_, ".unpenalised_count is ", given_.unpenalised_count,
         "; it must be 0: ", whose);
}

void GivenPoints::require_finite() const {
  if (read()) return;
  const Points points = in_memory();
  freeridge::require_finite("x", points.x);
  if (points.fixed.cols > 0) freeridge::require_finite("unpenalised", points.fixed);
}

void GivenPoints::each(const Listener& listener, const Use& use) const {
  if (!read()) return use(0, in_memory());
  const Hearing hearing(listener);
  reader(0).pass({}, [&](const RowReader::Chunk& chunk) {
    use(chunk.first, {chunk.x, unpenalised_of(chunk.first, chunk.x.rows)});
  });
}

Points GivenPoints::filled(Matrix& room, const Listener& listener, Index memory_limit) const {
  if (!read()) return in_memory();
  require_memory(checked_doubles(given_.n, given_.d) * 8, "a copy of all new points of the reader",
                 "use fewer points at a time", memory_limit);
  room = Matrix(given_.n, given_.d);
  each(listener,
       [&](Index first, const Points& points) { copy_rows(points.x, 0, room.view().row_range(first, points.x.rows)); });
  return {layout_view(room), unpenalised_of(0, given_.n)};
}

}  // namespace freeridge::capi
