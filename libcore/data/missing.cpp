#include "libcore/data/missing.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "libcore/base/error.hpp"
#include "libcore/base/progress.hpp"

namespace freeridge {
namespace {

MissingPtr some_missing(const Array<Array<Index>>& rows) {
  const bool any = std::ranges::any_of(rows, [](const Array<Index>& of) { return !of.empty(); });
  return any ? std::make_shared<const MissingOutputs>(rows) : nullptr;
}

}  // namespace

MissingOutputs::MissingOutputs(const Array<Array<Index>>& rows) {
  std::map<Array<Index>, std::size_t> known;
  for (Index j = 0; j < std::ssize(rows); ++j) {
    const auto [place, is_new] = known.try_emplace(rows[j], parts_.size());
    if (is_new) parts_.push_back({rows[j], {}});
    parts_[place->second].outputs.push_back(j);
    part_of_.push_back(place->second);
  }
}

MissingPtr MissingOutputs::among(Span<const Index> rows, Span<const Index> outputs) const {
  Array<Array<Index>> out;
  for (const Index j : outputs) {
    Array<Index>& missing = out.emplace_back();
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (std::ranges::binary_search(rows_of(j), rows[i])) missing.push_back(static_cast<Index>(i));
    worked(touched * static_cast<double>(rows.size()));
  }
  return some_missing(out);
}

Index MissingOutputs::rows_in(Index first, Index count) const {
  Index sum = 0;
  for (const Part& part : parts_)
    if (std::ranges::any_of(part.outputs, [&](Index j) { return j >= first && j < first + count; }))
      sum += std::ssize(part.rows);
  return sum;
}

MissingPtr missing_outputs(const LayoutView& y) {
  Array<Array<Index>> rows(y.cols);
  for (Index j = 0; j < y.cols; ++j) {
    for (Index i = 0; i < y.rows; ++i)
      if (std::isnan(y(i, j))) rows[j].push_back(i);
    worked(touched * static_cast<double>(y.rows));
  }
  return some_missing(rows);
}

void fill_missing(const MissingOutputs& missing, MatrixView y) {
  for (const MissingOutputs::Part& part : missing.parts())
    for (const Index j : part.outputs) {
      const Index observed = y.rows - std::ssize(part.rows);
      if (observed < 2)
        fail(Status::invalid_argument, "output ", j, " of y has ", observed, observed == 1 ? " value" : " values",
             ", the others are missing; it must have at least 2");
      Array<double> values;
      for (Index i = 0; i < y.rows; ++i)
        if (!std::isnan(y(i, j))) values.push_back(y(i, j));
      const auto median = values.begin() + observed / 2;
      std::nth_element(values.begin(), median, values.end());
      for (const Index i : part.rows) y(i, j) = *median;
      worked(touched * static_cast<double>(y.rows));
    }
}

}  // namespace freeridge
