#include "libcore/stream/saved_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "libcore/base/saved_values.hpp"
#include "libcore/routes/saved_route.hpp"

namespace freeridge {
namespace {

constexpr double unknown_trace = -1;

enum Form : std::int64_t { stack_form = 0, compact_form = 1, prepared_form = 2 };
enum Features : std::int64_t { of_x = 0, of_landmarks = 1, of_x_unpenalised = 2, of_landmarks_traced = 3 };

// The columns of a p x p triangle, with zeros in the rows that R does not have.
void save_upper(ConstMatrixView r, Index p, ByteWriter& out) {
  const Array<double> zeros(p, 0.0);
  for (Index k = 0; k < p; ++k) {
    const Index there = std::min(k + 1, r.rows);
    if (there > 0) out.numbers({r.col(k), there});
    out.numbers({zeros.data(), k + 1 - there});
  }
}

void save_compact(const RowStack& rows, ByteWriter& out) {
  const Index p = rows.p();
  const Array<double> zeros(p, 0.0);
  if (rows.intercept()) out.numbers(rows.n() > 0 ? rows.shift() : Span<const double>(zeros).first(p - 1));
  if (!rows.by_gram()) return save_upper(rows.rows(), p, out);
  if (rows.n() > 0) return save_triangle(out, rows.sum().all().view(), Triangle::lower);
  for (Index k = 0; k < p; ++k) out.numbers({zeros.data(), p - k});
}

void save_stack(const RowStack& rows, ByteWriter& out) {
  out.numbers(rows.shift());
  out.matrix(rows.rows());
  if (!rows.by_gram()) return;
  const GramSum& sum = rows.sum();
  out.integer(sum.tiles());
  if (sum.tiles() > 0) save_triangle(out, sum.few().view(), Triangle::lower);
  out.integer(sum.all().cols() > 0 ? 1 : 0);
  if (sum.all().cols() > 0) save_triangle(out, sum.all().view(), Triangle::lower);
}

struct Head {
  Index d, t;
  bool intercept;
  Index n;
  double sum_w, sum_log_w;
  Index height;
  Form form = stack_form;
  bool by_gram = false;
  double trace = 0;

  bool compact() const { return form != stack_form; }
  Index p() const { return d + t + (intercept ? 1 : 0); }
  // Whether p x p triangles may be allocated: the bytes are known to hold their numbers. (p (p + 1) might overflow.)
  void require_triangle(const ByteReader& in) const {
    const Index left = in.left();
    const bool fits = p() % 2 == 0 ? left / (p() + 1) >= p() / 2 : left / p() >= (p() + 1) / 2;
    if (!fits)
      fail(Status::corrupt, "the saved bytes hold ", left, " numbers, too few for a triangle of d = ", d,
           " and t = ", t);
  }
};

Array<double> load_shifts(const Head& head, ByteReader& in) {
  const Index count = head.intercept && (head.n > 0 || head.compact()) ? head.d + head.t : 0;
  Array<double> out = in.vector("the shifts", any_finite, count);
  if (head.n > 0) return out;
  if (std::ranges::any_of(out, [](double value) { return value != 0; }))
    fail(Status::corrupt, "the saved shifts of no rows are not 0");
  return {};
}

RowStack load_upper(const Head& head, Array<double> shift, ByteReader& in) {
  const Index p = head.p();
  head.require_triangle(in);
  Matrix rows(head.height, p, 0.0);
  Array<double> column(p);
  for (Index k = 0; k < p; ++k) {
    in.numbers("the triangle", largest_entry, Span(column).first(k + 1));
    for (Index i = 0; i <= k; ++i) {
      if (i < head.height)
        rows(i, k) = column[i];
      else if (column[i] != 0)
        fail(Status::corrupt, "the saved triangle of ", head.height, " rows has ", column[i], " in row ", i);
    }
  }
  return {head.d, head.t, head.intercept, head.n, head.sum_w, head.sum_log_w, std::move(shift), std::move(rows), true};
}

Matrix load_sum(const Head& head, ByteReader& in) {
  head.require_triangle(in);
  Matrix out(head.p(), head.p(), 0.0);
  load_triangle(in, "the sum", out.view(), Triangle::lower);
  for (Index k = 0; k < out.cols(); ++k)
    if (!(out(k, k) >= 0) || (k == 0 && head.intercept && head.n > 0 && !(out(0, 0) > 0)))
      fail(Status::corrupt, "the saved sum of squares ", k, " is ", out(k, k));
  return out;
}

Matrix load_rows_of_stack(const Head& head, ByteReader& in) {
  in.require("the stack", head.height, head.p());
  Matrix out(head.height, head.p());
  in.numbers("the stack", largest_entry, out.values());
  return out;
}

RowStack load_stack(const Head& head, Array<double> shift, ByteReader& in) {
  Matrix rows = load_rows_of_stack(head, in);
  return {head.d, head.t, head.intercept, head.n, head.sum_w, head.sum_log_w, std::move(shift), std::move(rows), false};
}

RowStack load_gram(const Head& head, Array<double> shift, ByteReader& in) {
  Matrix rows(0, head.p()), few, all;
  Index tiles = 0;
  if (head.compact()) {
    all = load_sum(head, in);
    if (head.n == 0 && std::ranges::any_of(all.values(), [](double value) { return value != 0; }))
      fail(Status::corrupt, "the saved sum of no rows is not 0");
    if (head.n == 0) all = Matrix();
  } else {
    rows = load_rows_of_stack(head, in);
    tiles = in.integer("number of tiles", 0, gram_tiles);
    if (tiles > 0) few = load_sum(head, in);
    if (load_flag("sum", in)) all = load_sum(head, in);
    const bool some = head.height > 0 || tiles > 0 || all.cols() > 0;
    if (some != (head.n > 0)) fail(Status::corrupt, "the saved sums are not those of ", head.n, " rows");
  }
  return {head.d,           head.t,
          head.intercept,   head.n,
          head.sum_w,       head.sum_log_w,
          std::move(shift), std::move(rows),
          head.compact(),   GramSum::of(std::move(all), std::move(few), tiles)};
}

Head load_head(ByteReader& in) {
  constexpr Index largest_size = std::numeric_limits<std::int32_t>::max();
  Head head{};
  head.d = in.integer("d", 1, largest_size);
  head.t = in.integer("t", 1, largest_size - 1 - head.d);
  head.intercept = load_flag("intercept", in);
  head.n = in.integer("n", 0, std::numeric_limits<Index>::max());
  head.sum_w = in.number("sum_w", any_finite);
  head.sum_log_w = in.number("sum_log_w", any_finite);
  if (head.n > 0 ? !(head.sum_w > 0) : head.sum_w != 0)
    fail(Status::corrupt, "the saved sum_w is ", head.sum_w, " for ", head.n, " rows");
  return head;
}

void check_height(const Head& head) {
  const RowStack empty(head.d, head.t, head.intercept, head.by_gram);
  const Index least = head.by_gram ? 0 : std::min(head.n, head.p());
  const Index most = head.compact() ? least : std::min(head.n, empty.capacity());
  if (head.height < least || head.height > most)
    fail(Status::corrupt, "the saved stack has ", head.height, " rows; it must have ", least, " to ", most);
}

}  // namespace

void save_rows(const RowFeatures& features, const RowStack& rows, bool prepared, ByteWriter& out) {
  const Form form = prepared ? prepared_form : rows.reduced() ? compact_form : stack_form;
  out.integer(rows.d());
  out.integer(rows.t());
  out.integer(rows.ones());
  out.integer(rows.n());
  out.number(rows.sum_w());
  out.number(rows.sum_log_w());
  out.integer(rows.rows().rows);
  out.integer(form);
  out.integer(features.landmarks() ? of_landmarks_traced : features.unpenalised() > 0 ? of_x_unpenalised : of_x);
  save_enum(features.reduction(), out);
  if (features.unpenalised() > 0) out.integer(features.unpenalised());
  if (features.landmarks()) {
    out.number(std::isfinite(rows.trace()) ? rows.trace() : unknown_trace);
    out.integer(features.d());
    features.save(out);
  }
  if (form == stack_form) return save_stack(rows, out);
  save_compact(rows, out);
}

SavedRows load_rows(ByteReader& in) {
  Head head = load_head(in);
  head.height = in.integer("stack", 0, largest_dimension);
  std::shared_ptr<const RowFeatures> features;
  if (in.version() >= 6) {
    head.form = load_enum("form", stack_form, prepared_form, in);
    const Features kind = load_enum("features", of_x, of_landmarks_traced, in);
    const bool landmarks = kind == of_landmarks || kind == of_landmarks_traced;
    const auto reduction = load_enum("reduction", Reduction::qr, landmarks ? Reduction::gram : Reduction::qr, in);
    head.by_gram = reduction == Reduction::gram;
    if (kind == of_x_unpenalised)
      features = std::make_shared<const RowFeatures>(head.d, in.integer("unpenalised", 1, head.d - 1));
    check_height(head);
    if (landmarks) {
      head.trace = kind == of_landmarks_traced ? in.number("trace", any_finite) : unknown_trace;
      if (head.trace < 0) head.trace = std::numeric_limits<double>::infinity();
      const Index d = in.integer("d of x", 1, largest_dimension);
      features = std::make_shared<const RowFeatures>(d, head.intercept, reduction, in);
      if (features->p() != head.d)
        fail(Status::corrupt, "the saved landmarks have ", features->p(), " features, and the rows ", head.d);
    }
  } else {
    check_height(head);
  }
  if (!features) features = std::make_shared<const RowFeatures>(head.d);
  if (head.form == prepared_form && head.n == 0)
    fail(Status::corrupt, "the saved accumulator is prepared, but has no rows");
  Array<double> shift = load_shifts(head, in);
  const bool prepared = head.form == prepared_form;
  RowStack rows = head.by_gram     ? load_gram(head, std::move(shift), in)
                  : head.compact() ? load_upper(head, std::move(shift), in)
                                   : load_stack(head, std::move(shift), in);
  rows.set_trace(head.n > 0 ? head.trace : 0);
  return {prepared, std::move(features), std::move(rows)};
}

}  // namespace freeridge
