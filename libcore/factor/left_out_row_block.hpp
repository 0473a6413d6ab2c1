// A RowBlock of routes whose ResidualMaker makes P~_SS and (P~Y~)_S anew at each lambda: `Maker` has
//     block(rows, out)                 P~_SS, lower triangle
//     residual_at(rows, first, out)    (P~Y~)_S
#pragma once

#include "libcore/factor/factorization.hpp"
#include "libcore/factor/left_out_rows.hpp"

namespace freeridge {

template <class Maker>
class LeftOutRowBlock final : public RowBlock {
 public:
  explicit LeftOutRowBlock(Span<const Index> which) : which_(which.begin(), which.end()) {}

  bool left_out(const ResidualMaker& of_factor, Index first, MatrixView out) const override {
    const auto& residual_maker = static_cast<const Maker&>(of_factor);
    Matrix p(out.rows, out.rows);
    residual_maker.block(which_, p.view());
    residual_maker.residual_at(which_, first, out);
    return solve_left_out(p.view(), out);
  }

 private:
  Array<Index> which_;
};

}  // namespace freeridge
