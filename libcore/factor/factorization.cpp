#include "libcore/factor/factorization.hpp"

#include <algorithm>

namespace freeridge {

void Factorization::sweep(Span<const double> lambdas, Index first, Index outputs, SweepSink& sink) const {
  const Index n = problem().n();
  Matrix residual(n, outputs), diagonal(n, 1);
  const Index total = std::ssize(lambdas);
  Stage stage(0, 0);
  for (Index l = 0; l < total; ++l) {
    stage.next(fraction(2 * l + 1, 2 * total));
    const auto undefined = [&](const char* reason) { sink.undefined(l, reason); };
    const std::unique_ptr<ResidualMaker> residual_maker = try_at(lambdas[l], undefined);
    stage.next(fraction(l + 1, total));
    if (residual_maker) {
      residual_maker->residual(first, residual.view());
      residual_maker->diagonal(diagonal.values());
      sink.tile(0, l, 1, residual.view(), diagonal.view());
    }
    report(1);
  }
}

void ResidualMaker::whole(MatrixView out, Span<double> diagonal_out) const {
  constexpr Index at_once = 256;
  Stage stage(0, 0);
  diagonal(diagonal_out);
  for (Index col = 0; col < out.cols; col += at_once) {
    const Array<Index> some = consecutive(col, std::min(at_once, out.cols - col));
    stage.next(fraction(col + std::ssize(some), out.cols));
    columns_of(some, out.columns(col, std::ssize(some)));
  }
}

}  // namespace freeridge
