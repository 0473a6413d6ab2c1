// freeridge_tls, with exact columns too. C = [X Y] (with an intercept: centred) has the right singular subspace of its
// t smallest singular values spanned by [w; -I]; Q is an orthonormal basis of what [w; -I] spans. With q = d + t:
//     DGET22    |C'C Q - Q (Q'C'C Q)| / (|C|_2^2 max(n, q) eps)     an invariant subspace (TESTING/EIG/dget22.f)
//     DQRT12    | |C Q|_F - (s_(d+1)^2 + ... + s_q^2)^(1/2) | / (|s|_2 max(n, q) eps)    and that of the smallest
//     ones      |1'(Y - X w - b)| as in ratios.hpp, |B| being |[X Y]| |[w; -I]|
// s is known as C is made of it. Exact columns X_E: all of it with [X_N Y] less its projection on [1 X_E], and
//     DQRT17    |X_E'R| / (|X_E| |[X Y]| |[w; -I]| max(n, q) eps)
#include "digits/largest.hpp"
#include "digits/ratios.hpp"
#include "support/classical.hpp"

namespace tls_test {

using namespace digits;
using support::Labels;
using support::Regression;
using support::RegressionData;

struct TotalDesign {
  Matrix x, y;
  std::vector<Real> s;
};

// C = U diag(s) V' + 1 mean', the t smallest of s below the others, (0.5, 1) and (0.1, 0.4), and their part of V that
// of a small w, so that the smallest singular value of X is above them: the solution exists, with exact columns, too.
TotalDesign make_total_design(std::int64_t n, std::int64_t d, std::int64_t t, bool intercept) {
  Random random(static_cast<std::uint64_t>(200000 + 8 * (1000 * n + d) + 2 * t + intercept));
  TotalDesign out;
  out.s = singular_values(random, d, 0.5, 1);
  for (const Real s : singular_values(random, t, 0.1, 0.4)) out.s.push_back(s);
  Dense last(d + t, t + d), v(d + t, d + t);
  for (std::int64_t j = 0; j < t; ++j) {
    for (std::int64_t k = 0; k < d; ++k) last(k, j) = random.uniform(-0.3, 0.3) / std::sqrt(static_cast<double>(d * t));
    last(d + j, j) = -1;
  }
  for (std::int64_t j = t; j < t + d; ++j)
    for (std::int64_t k = 0; k < d + t; ++k) last(k, j) = random.normal();
  last = orthonormal(last, 0);
  for (std::int64_t j = 0; j < d + t; ++j)
    for (std::int64_t k = 0; k < d + t; ++k) v(k, j) = last(k, (j + t) % (d + t));
  const Dense c = product(random_orthonormal(random, n, d + t, intercept), out.s, v);
  out.x = Matrix(n, d);
  out.y = Matrix(n, t);
  for (std::int64_t k = 0; k < d + t; ++k) {
    const double mean = intercept ? random.uniform(-1, 1) : 0;
    for (std::int64_t i = 0; i < n; ++i) (k < d ? out.x(i, k) : out.y(i, k - d)) = static_cast<double>(c(i, k) + mean);
  }
  return out;
}

Real frobenius(const Dense& a) {
  Real sum = 0;
  for (const Real value : a.values) sum += value * value;
  return std::sqrt(sum);
}

class TotalLeastSquares : public Ratios, public ::testing::WithParamInterface<bool> {
 protected:
  // C of the columns with errors, and Q of their [w; -I]; the exact columns (and the ones) taken out of both.
  void note_ratios(const TotalDesign& design, const Regression& fit, const Labels& exact, bool known_values) {
    const std::int64_t n = design.x.rows, d = design.x.cols, t = design.y.cols;
    std::vector<std::int64_t> known, noisy;
    for (std::int64_t k = 0; k < d; ++k)
      (!exact.empty() && exact[static_cast<std::size_t>(k)] != 0 ? known : noisy).push_back(k);
    const LinearProblem problem(design.x, design.y, GetParam()), outputs_of(design.y, design.x, GetParam());
    const auto e = static_cast<std::int64_t>(known.size()), q = static_cast<std::int64_t>(noisy.size()) + t;

    Dense all(n, e + q), z(q, t);
    for (std::int64_t k = 0; k < e; ++k)
      for (std::int64_t i = 0; i < n; ++i) all(i, k) = problem.a(i, known[static_cast<std::size_t>(k)]);
    for (std::int64_t k = 0; k < q; ++k)
      for (std::int64_t i = 0; i < n; ++i)
        all(i, e + k) = k < q - t ? problem.a(i, noisy[static_cast<std::size_t>(k)]) : outputs_of.a(i, k - (q - t));
    for (std::int64_t j = 0; j < t; ++j) {
      for (std::int64_t k = 0; k < q - t; ++k) z(k, j) = fit.w(noisy[static_cast<std::size_t>(k)], j);
      z(q - t + j, j) = -1;
    }
    const Dense c = e == 0 ? all : without(all, e), basis = orthonormal(z, 0), image = support::multiply(c, basis),
                gram = support::multiply(support::transpose(image), image);
    Dense left = support::multiply(support::transpose(c), image), right = support::multiply(basis, gram);
    Real error = 0;
    for (std::int64_t j = 0; j < t; ++j)
      for (std::int64_t k = 0; k < q; ++k) error = std::max(error, std::abs(left(k, j) - right(k, j)));
    const Real size = design.s.front(), most = largest_size({n, d + t});
    note("DGET22", ratio(error, size * size * most));
    if (known_values) {
      Real smallest_ones = 0, all_of_them = 0;
      for (std::size_t k = 0; k < design.s.size(); ++k) {
        all_of_them += design.s[k] * design.s[k];
        if (static_cast<std::int64_t>(k) >= d) smallest_ones += design.s[k] * design.s[k];
      }
      note("DQRT12", ratio(std::abs(frobenius(image) - std::sqrt(smallest_ones)), std::sqrt(all_of_them) * most));
    }
    const Dense r = problem.residual(fit.w, fit.b);
    for (std::int64_t j = 0; j < t; ++j) {
      Real sum = 0, of_size = column_sum(support::to_real(design.y), j), of_exact = 0;
      for (std::int64_t k = 0; k < d; ++k) of_size += column_sum(support::to_real(design.x), k) * std::abs(fit.w(k, j));
      for (std::int64_t i = 0; i < n; ++i) sum += r(i, j);
      if (GetParam()) note("DQRT17 of the ones", ratio(std::abs(sum), of_size * most));
      for (std::int64_t k = 0; k < e; ++k) {
        Real inner = 0;
        for (std::int64_t i = 0; i < n; ++i) inner += all(i, k) * r(i, j);
        of_exact = std::max(of_exact, ratio(std::abs(inner), column_sum(all, k) * of_size * most));
      }
      if (e > 0) note("DQRT17 of the exact columns", of_exact);
    }
  }

  // The columns from `fixed` on, less their projection on the first ones.
  static Dense without(const Dense& all, std::int64_t fixed) {
    Dense first(all.rows, fixed), rest(all.rows, all.cols - fixed);
    std::copy_n(all.values.begin(), first.values.size(), first.values.begin());
    std::copy(all.values.begin() + static_cast<std::ptrdiff_t>(first.values.size()), all.values.end(),
              rest.values.begin());
    const Dense basis = orthonormal(first, 0);
    for (int pass = 0; pass < 2; ++pass) {
      const Dense inside = support::multiply(basis, support::multiply(support::transpose(basis), rest));
      for (std::size_t k = 0; k < rest.values.size(); ++k) rest.values[k] -= inside.values[k];
    }
    return rest;
  }
};

TEST_P(TotalLeastSquares, Ratios) {
  const bool intercept = GetParam();
  for (const std::int64_t n : sizes)
    for (const std::int64_t d : sizes)
      for (const std::int64_t t : {1, 3}) {
        if (n < d + t + (intercept ? 1 : 0)) {
          family("TLS of too few points");
          at(std::to_string(n) + " x " + std::to_string(d) + ", t = " + std::to_string(t));
          const Regression refused = support::tls({Matrix(n, d, 1.0), Matrix(n, t, 1.0), intercept}, {}, true);
          expect(refused.status == FREERIDGE_INVALID_ARGUMENT && std::isnan(refused.w(0, 0)), "INVALID_ARGUMENT");
          continue;
        }
        const TotalDesign design = make_total_design(n, d, t, intercept);
        for (const int ex : exponents_for(n, d)) {
          const std::string place = std::to_string(n) + " x " + std::to_string(d) + ", t = " + std::to_string(t) +
                                    (intercept ? ", intercept" : "") + ", 2^" + std::to_string(ex);
          at(place);
          TotalDesign moved = design;
          moved.x = scaled(design.x, ex);
          moved.y = scaled(design.y, ex);
          for (Real& s : moved.s) s = std::ldexp(s, ex);
          const RegressionData data{moved.x, moved.y, intercept};
          family("TLS", svd_limit);
          note_ratios(moved, support::tls(data), {}, true);
          if (d < 2) continue;
          family("TLS with exact columns", svd_limit);
          Labels exact(static_cast<std::size_t>(d), 0);
          for (std::size_t k = 0; k < exact.size(); k += 2) exact[k] = 1;
          note_ratios(moved, support::tls(data, exact), exact, false);
        }
      }
}

// Then [X Y] has a null vector that Y has no part in: no w, or not one alone.
TEST_P(TotalLeastSquares, ADeficientRankIsUndefined) {
  const bool intercept = GetParam();
  family("TLS of deficient rank");
  std::int64_t tried = 0;
  for (const std::int64_t n : sizes)
    for (const std::int64_t d : sizes) {
      if (n < d + outputs + (intercept ? 1 : 0)) continue;
      const Design design = make_design(n, d, Rank::deficient, intercept);
      for (const int ex : exponents_for(n, d)) {
        at(std::to_string(n) + " x " + std::to_string(d) + ", 2^" + std::to_string(ex));
        const Regression fit = support::tls({scaled(design.x, ex), scaled(design.y, ex), intercept}, {}, true);
        expect(fit.status == FREERIDGE_UNDEFINED, freeridge_status_name(fit.status));
        expect(std::isnan(fit.w(0, 0)) && std::isnan(fit.b[0]), "untouched outputs");
        note("refused", 0);
        ++tried;
      }
    }
  EXPECT_GT(tried, 30);
}

INSTANTIATE_TEST_SUITE_P(, TotalLeastSquares, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Intercept" : "NoIntercept"; });

}  // namespace tls_test
