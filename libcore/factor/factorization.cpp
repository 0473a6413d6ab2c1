#include "libcore/factor/factorization.hpp"

namespace freeridge {

void Factorization::sweep(Span<const double> lambdas, Index first, Index outputs, SweepSink& sink,
                          const Progress& progress) const {
  const Index n = problem().n();
  Matrix residual(n, outputs), diagonal(n, 1);
  const double total = static_cast<double>(lambdas.size());
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    const Progress part = progress.part(static_cast<double>(l) / total, static_cast<double>(l + 1) / total);
    const Stage first_half(part.part(0, 0.5), 0);
    const auto undefined = [&](const char* reason) { sink.undefined(static_cast<Index>(l), reason); };
    const std::unique_ptr<ResidualMaker> residual_maker = try_at(lambdas[l], undefined);
    if (residual_maker) {
      const Stage second_half(part.part(0.5, 1), 0);
      residual_maker->residual(first, residual.view());
      residual_maker->diagonal(diagonal.values());
      sink.tile(0, static_cast<Index>(l), 1, residual.view(), diagonal.view());
    }
    part.report(1);
  }
}

}  // namespace freeridge
