#include "libcore/stream/row_reader.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/base/progress.hpp"

namespace freeridge {
namespace {

constexpr Index chunk_doubles = 1 << 16;  // 512 KiB: a stretch stays in the L2 cache until it has been used
constexpr Index least_rows_at_once = 768, most_rows_at_once = 8192;
constexpr std::uint64_t prime = 0x100000001b3;

void add_to(std::uint64_t& checksum, double value) {
  checksum = (std::rotl(checksum, 5) ^ std::bit_cast<std::uint64_t>(value)) * prime;
}

// Four sums side by side, which a processor forms at the same time.
void add_to(std::uint64_t& checksum, Span<const double> values) {
  std::uint64_t sums[4] = {checksum, 1, 2, 3};
  std::size_t k = 0;
  for (; k + 4 <= values.size(); k += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) add_to(sums[lane], values[k + lane]);
  for (; k < values.size(); ++k) add_to(sums[0], values[k]);
  for (std::size_t lane = 1; lane < 4; ++lane) sums[0] = (std::rotl(sums[0], 5) ^ sums[lane]) * prime;
  checksum = sums[0];
}

// The lines of a matrix as they stand in memory.
void add_to(std::uint64_t& checksum, const LayoutView& a) {
  const bool by_columns = a.layout == Layout::col_major;
  const Index lines = by_columns ? a.cols : a.rows, length = by_columns ? a.rows : a.cols;
  for (Index line = 0; line < lines; ++line) add_to(checksum, Span(a.data + line * a.ld, length));
}

[[noreturn]] void fail_changed(Index row) {
  fail(Status::io, "the reader gave other rows than in the pass before (", row,
       " rows read): it must give the same ones "
       "each time");
}

}  // namespace

Index RowReader::rows_at_once() const {
  const Index rows = std::clamp(chunk_doubles / (d_ + t_ + 1), least_rows_at_once, most_rows_at_once);
  return n_ < 0 ? rows : std::min(rows, n_);
}

Index RowReader::bytes() const {
  return checked_doubles(rows_at_once(), d_ + t_ + 1) * 8;
}

Index RowReader::read(Index first, Index count, double* x, double* y, double* weights) const {
  // What a reader leaves out, or puts elsewhere, is NaN, which check() sees.
  std::fill_n(x, count * d_, nan);
  if (t_ > 0) {
    std::fill_n(y, count * t_, nan);
    std::fill_n(weights, count, 1.0);
  }
  Index got = 0;
  {
    const Undisturbed quiet;  // the reader is the user's own code
    got = read_(first, count, x, y, weights, user_);
  }
  if (got < 0) fail(Status::io, "the reader failed at row ", first, " (it answered ", got, ")");
  if (got > count)
    fail(Status::io, "the reader answered ", got, " at row ", first, ", where it was asked for ", count, " rows");
  if (n_ >= 0 && got < count)
    fail(Status::io, "the reader ended after row ", first + got - 1, ": it gave ", first + got, " rows, and n is ", n_);
  return got;
}

void RowReader::check(const Chunk& chunk) const {
  const auto finite = [&](const char* name, const LayoutView& a) {
    const bool by_columns = a.layout == Layout::col_major;
    const Index lines = by_columns ? a.cols : a.rows, length = by_columns ? a.rows : a.cols;
    for (Index line = 0; line < lines; ++line) {
      const Span values(a.data + line * a.ld, length);
      if (const Index i = first_not_finite(values); i < length)
        fail(Status::not_finite, "the reader gave ", name, "[", chunk.first + (by_columns ? i : line), ", ",
             by_columns ? line : i, "] = ", values[i], "; every value must be finite",
             by_columns && length < a.ld ? text(" (its columns begin ", a.ld, " numbers apart, as it was asked for ",
                                                a.ld, " rows, also where it gives ", length, ")")
                                         : "");
    }
    worked(touched * static_cast<double>(lines) * static_cast<double>(length));
  };
  finite("x", chunk.x);
  finite("y", chunk.y);
  for (Index i = 0; i < chunk.x.rows && chunk.weights != nullptr; ++i) {
    const double w = chunk.weights[i];
    if (!std::isfinite(w))
      fail(Status::not_finite, "the reader gave weights[", chunk.first + i, "] = ", w, "; every weight must be finite");
    if (w <= 0)
      fail(Status::invalid_argument, "the reader gave weights[", chunk.first + i, "] = ", w,
           "; every weight must be positive");
  }
}

// A reader that does not say how many rows it has has no more after a stretch of fewer than it was asked for.
void RowReader::require_end(Index row, double* x, double* y, double* weights) const {
  if (const Index more = read(row, 1, x, y, weights); more > 0)
    fail(Status::io, "the reader gave fewer rows than it was asked for before row ", row,
         ", and has more: with n = -1 fewer rows mean the end; fill each stretch, or say n");
}

PassRead RowReader::pass(const std::optional<PassRead>& before, const std::function<void(const Chunk&)>& use) const {
  const Index step = rows_at_once(), known = n_ >= 0 ? n_ : before ? before->rows : 0;
  Array<double> x(checked_doubles(step, d_)), y(checked_doubles(step, t_)), weights(t_ > 0 ? step : 0);
  double *const y_to = t_ > 0 ? y.data() : nullptr, *const weights_to = t_ > 0 ? weights.data() : nullptr;
  PassRead out;
  Stage stage(0, 0);
  for (bool more = true; more;) {
    const Index count = n_ < 0 ? step : std::min(step, n_ - out.rows);
    const Index got = count == 0 ? 0 : read(out.rows, count, x.data(), y_to, weights_to);
    more = got == count && (n_ < 0 || out.rows + got < n_);
    if (got == 0) break;
    const bool by_columns = layout_ == Layout::col_major;
    const Chunk chunk{out.rows,
                      {x.data(), got, d_, by_columns ? count : d_, layout_},
                      {y_to, got, t_, by_columns ? count : t_, layout_},
                      weights_to};
    check(chunk);
    add_to(out.checksum, chunk.x);
    add_to(out.checksum, chunk.y);
    if (t_ > 0) add_to(out.checksum, Span<const double>(weights).first(got));
    if (before && out.rows + got > before->rows) fail_changed(out.rows + got);
    if (known > 0) stage.next(std::min(fraction(out.rows + got, known), 1.0));
    use(chunk);
    report(1);
    out.rows += got;
    if (n_ < 0 && got < count) require_end(out.rows, x.data(), y_to, weights_to);
  }
  if (out.rows == 0) fail(Status::io, "the reader gave no row");
  if (before && (before->rows != out.rows || before->checksum != out.checksum)) fail_changed(out.rows);
  return out;
}

}  // namespace freeridge
