// Everything that a factorization answers, as one row of numbers: two factorizations are the same when the bits of all
// of them are.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/routes/routes.hpp"
#include "libcore/select/criteria.hpp"
#include "libcore/select/group_criteria.hpp"

namespace answers {

using freeridge::Index;

class Answers {
 public:
  void add(double value) { bits_.push_back(std::bit_cast<std::uint64_t>(value)); }
  void add(const freeridge::Matrix& values) {
    for (const double value : values.values()) add(value);
  }
  void add(const std::vector<double>& values) {
    for (const double value : values) add(value);
  }
  void add(const std::string& words) {
    for (const char letter : words) bits_.push_back(static_cast<std::uint64_t>(letter));
  }
  const std::vector<std::uint64_t>& bits() const { return bits_; }
  bool operator==(const Answers&) const = default;

 private:
  std::vector<std::uint64_t> bits_;
};

// What has no answer (a singular system, a route without refinement) answers with its sentence.
template <class F>
void add_or_say(Answers& out, const F& f) {
  try {
    f();
  } catch (const freeridge::Error& error) {
    out.add(error.what());
  }
}

inline void add_maker(Answers& out, const freeridge::Factorization& f, double lambda, const freeridge::LayoutView& x,
                      const std::vector<std::int32_t>& label) {
  using freeridge::Matrix;
  const freeridge::Problem& problem = f.problem();
  const Index n = problem.n(), t = problem.t(), points = std::min<Index>(x.rows, 5);
  const std::unique_ptr<freeridge::ResidualMaker> residual_maker = f.at(lambda);
  Matrix values(n, t);
  std::vector<double> numbers(static_cast<std::size_t>(n));
  out.add(loo_errors(problem, *residual_maker, 0, values.view()));
  out.add(values);
  const freeridge::Groups groups(label);
  out.add(group_errors(f, *residual_maker, groups, 0, values.view()));
  out.add(values);
  residual_maker->residual(0, values.view());
  out.add(values);
  residual_maker->coefficients(0, values.view());
  out.add(values);
  residual_maker->diagonal(numbers);
  out.add(numbers);
  residual_maker->leverage(numbers);
  out.add(numbers);
  out.add(residual_maker->trace());
  out.add(residual_maker->shrinkage());
  out.add(residual_maker->degrees_of_freedom());
  out.add(residual_maker->log_determinant());
  for (Index j = 0; j < t; ++j) {
    out.add(residual_maker->quadratic_form(j));
    out.add(residual_maker->squared_norm(j));
  }
  freeridge::Solution solution;
  (problem.linear() ? solution.w : solution.c) = Matrix(problem.linear() ? problem.d() : n, t);
  solution.b.assign(static_cast<std::size_t>(t), 0.0);
  solution.level = solution.b;
  const auto add_solution = [&] {
    out.add(solution.c);
    out.add(solution.w);
    out.add(solution.b);
  };
  residual_maker->solve(0, t, solution);
  add_solution();
  add_or_say(out, [&] {
    residual_maker->refine(0, t, 2, solution);
    add_solution();
  });
  Matrix a(n, points);
  std::vector<double> variance(static_cast<std::size_t>(points));
  residual_maker->smoother(x, 0, a.view(), freeridge::Span<double>(variance));
  out.add(a);
  out.add(variance);
}

// x: the data, as points to predict at; label: the groups.
inline Answers all_answers(const freeridge::Factorization& f, const std::vector<double>& lambdas,
                           const freeridge::LayoutView& x, const std::vector<std::int32_t>& label) {
  using freeridge::Criterion;
  Answers out;
  const freeridge::EigenvalueRange range = f.eigenvalue_range();
  out.add(range.smallest);
  out.add(range.largest);
  out.add(f.tolerance());
  if (f.rank()) out.add(static_cast<double>(*f.rank()));
  for (const Index row : f.landmarks()) out.add(static_cast<double>(row));
  const freeridge::Groups groups(label);
  for (const Criterion criterion : {Criterion::gcv, Criterion::reml, Criterion::loo, Criterion::groups}) {
    freeridge::Matrix table(static_cast<Index>(lambdas.size()), f.problem().t());
    out.add(scores(f, criterion, &groups, lambdas, 0, table.view()));
    out.add(table);
  }
  for (const double lambda : lambdas) add_or_say(out, [&] { add_maker(out, f, lambda, x, label); });
  return out;
}

}  // namespace answers
