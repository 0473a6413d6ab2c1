// freeridge_pinv, every size, rank and scale. P is the pseudo-inverse, kappa = |A| |P|; beside DQRT14 and DQRT12 of
// ratios.hpp, the four conditions of Moore and Penrose in the manner of TESTING/LIN/dget03.f, |I - P A| / (n |A| |P|
// eps):
//     |A P A - A| / |A|,   |P A P - P| / |P|,   |A P - (A P)'|,   |P A - (P A)'|      each over max(m, n) kappa eps
// DQRT12 is of the diagonal of V'P U, 1 / s_k, over kappa_2 = s_1 / s_r: what rounding A does to 1 / s_r.
#include "digits/largest.hpp"
#include "digits/ratios.hpp"
#include "support/model.hpp"

namespace pinv_test {

using namespace digits;

Dense minus(Dense a, const Dense& b) {
  for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] -= b.values[k];
  return a;
}

class PseudoInverse : public Ratios {};

TEST_F(PseudoInverse, Ratios) {
  family("pinv", svd_limit);
  for (const std::int64_t m : sizes)
    for (const std::int64_t n : sizes)
      for (const Rank kind : {Rank::full, Rank::deficient}) {
        const Design design = make_design(m, n, kind, false);
        for (const int e : exponents_for(m, n)) {
          at(std::to_string(m) + " x " + std::to_string(n) + ", rank " + std::to_string(design.rank()) + ", 2^" +
             std::to_string(e));
          const Matrix a = scaled(design.x, e);
          Matrix p(n, m, std::nan(""));
          std::int64_t rank = -1;
          support::check(freeridge_pinv(FREERIDGE_COL_MAJOR, m, n, a.values.data(), m, -1, p.values.data(), n, &rank),
                         "freeridge_pinv");
          expect(rank == design.rank(), "rank " + std::to_string(rank));
          note("DQRT14", row_space_ratio(design.v, p, std::max(m, n)));
          note("DQRT14 of the transpose",
               row_space_ratio(design.u, support::to_double(support::transpose(support::to_real(p))), std::max(m, n)));
          const Dense exact = support::to_real(a), inverse = support::to_real(p),
                      left = support::multiply(inverse, exact), right = support::multiply(exact, inverse);
          const Real size = norm(exact), inverse_size = norm(inverse),
                     kappa = size * inverse_size * largest_size({m, n});
          note("DGET03, A P A", ratio(norm(minus(support::multiply(exact, left), exact)), size * kappa));
          note("DGET03, P A P", ratio(norm(minus(support::multiply(inverse, right), inverse)), inverse_size * kappa));
          note("DGET03, A P symmetric", ratio(norm(minus(right, support::transpose(right))), kappa));
          note("DGET03, P A symmetric", ratio(norm(minus(left, support::transpose(left))), kappa));
          std::vector<Real> found, expected;
          const Dense diagonal = support::multiply(support::transpose(design.v), support::multiply(inverse, design.u));
          for (std::size_t i = 0; i < design.s.size(); ++i) {
            found.push_back(diagonal(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)));
            expected.push_back(1 / std::ldexp(design.s[i], e));
          }
          if (rank > 0)
            note("DQRT12", singular_ratio(found, expected, std::max(m, n)) * design.s.back() / design.s.front());
        }
      }
}

}  // namespace pinv_test
