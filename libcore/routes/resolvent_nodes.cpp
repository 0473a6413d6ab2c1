#include "libcore/routes/resolvent_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/constants.hpp"
#include "libcore/linalg/lapack.hpp"

namespace freeridge {
namespace {

constexpr double spacing = 0.1;          // of the grid of log u; phi is analytic within pi of the real line
constexpr Index fewest = 8;              // lambdas
constexpr double most_error = 64 * eps;  // of phi, whose values are up to 1
constexpr double nothing = 1e-17;        // phi below it is

// u from `low` to `high`, evenly in log u.
Array<double> grid(double low, double high) {
  const double length = std::log(high / low);
  const auto count = static_cast<std::size_t>(std::ceil(length / spacing)) + 2;
  Array<double> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(low * std::exp(length * static_cast<double>(i) / static_cast<double>(count - 1)));
  return out;
}

}  // namespace

std::optional<ResolventNodes> resolvent_nodes(Span<const double> lambdas, double smallest, double largest) {
  const auto count = static_cast<Index>(lambdas.size());
  const double least = count > 0 ? *std::ranges::min_element(lambdas) : 0;
  if (count < fewest || !(largest > 0) || !(least > 0)) return std::nullopt;
  const Array<double> u = grid(std::min(std::max({smallest, least * nothing, largest * nothing}), largest), largest);
  const Index size = std::max(std::ssize(u), count);
  Matrix phi(size, count, 0.0);
  for (Index l = 0; l < count; ++l)
    for (Index i = 0; i < std::ssize(u); ++i) phi(i, l) = u[i] / (u[i] + lambdas[l]);

  Matrix r = copy_of(phi.view());
  Array<Index> order(lambdas.size());
  Array<double> tau(lambdas.size());
  geqp3(r.view(), 0, order, tau);
  Index rank = 0;
  while (rank < count && std::abs(r(rank, rank)) > eps * std::abs(r(0, 0))) ++rank;
  if (3 * rank > 2 * count) return std::nullopt;
  const MatrixView rest = r.view().block(0, rank, rank, count - rank);
  trsm(Op::none, r.view().block(0, 0, rank, rank), rest, Triangle::upper);

  ResolventNodes out{{order.begin(), order.begin() + rank}, Matrix(rank, count, 0.0)};
  for (Index j = 0; j < rank; ++j) out.c(j, order[j]) = 1;
  for (Index l = rank; l < count; ++l)
    for (Index j = 0; j < rank; ++j) out.c(j, order[l]) = rest(j, l - rank);
  const Matrix at_nodes = picked_columns(phi.view(), out.nodes);
  gemm(Op::none, Op::none, -1, at_nodes.view(), out.c.view(), 1, phi.view());
  const auto is_small = [](double error) { return std::abs(error) <= most_error; };
  if (!std::ranges::all_of(phi.values(), is_small)) return std::nullopt;
  return out;
}

}  // namespace freeridge
