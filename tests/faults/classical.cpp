// Trials of the calls without a handle.
#include "capi/support/sample.hpp"
#include "faults/trials.hpp"

namespace faults {
namespace {

using sample::d;
using sample::n;
using sample::t;

// Their arguments, and room for everything that they write.
struct Arguments {
  std::vector<double> x = sample::x(), y = sample::y(), weights = sample::weights();
  std::vector<double> penalty = {0, 2}, factors;
  std::vector<int32_t> exact = {1, 0};
  std::vector<double> out = std::vector<double>(400, sentinel<double>());
  std::vector<int32_t> integers = std::vector<int32_t>(100, sentinel<int32_t>());
  int64_t number = sentinel<int64_t>();

  double* at(int place) { return out.data() + 40 * place; }

  Bytes take() {
    Bytes bytes;
    append(bytes, out.data(), out.size());
    append(bytes, integers.data(), integers.size());
    append(bytes, number);
    std::fill(out.begin(), out.end(), sentinel<double>());
    std::fill(integers.begin(), integers.end(), sentinel<int32_t>());
    number = sentinel<int64_t>();
    return bytes;
  }
};

constexpr freeridge_layout columns = FREERIDGE_COL_MAJOR;

}  // namespace

void add_classical(Scenarios& all) {
  const auto add = [&](const char* name, const char* about, freeridge_status (*call)(Arguments&),
                       void (*prepare)(Arguments&) = nullptr) {
    all.push_back({name, about, true, [=] {
                     auto own = std::make_shared<Arguments>();
                     if (prepare) prepare(*own);
                     return Trial{[=] { return call(*own); }, [=] { return own->take(); }};
                   }});
  };
  const auto deficient = [](Arguments& a) { std::copy_n(a.x.begin(), n, a.x.begin() + n); };  // two equal columns

  const auto ols = [](Arguments& a) {
    return freeridge_ols(columns, n, d, a.x.data(), n, t, a.y.data(), n, 1, a.at(0), a.at(1), &a.number);
  };
  add("freeridge_ols", "full_rank", ols);
  add("freeridge_ols", "deficient", ols, deficient);
  add("freeridge_ols", "rows_and_wide", [](Arguments& a) {
    return freeridge_ols(FREERIDGE_ROW_MAJOR, 2, 5, a.x.data(), 5, 1, a.y.data(), 1, 0, a.at(0), a.at(1), &a.number);
  });
  const auto summary = [](Arguments& a) {
    return freeridge_ols_summary(columns, n, d, a.x.data(), n, t, a.y.data(), n, 1, a.at(0), a.at(1), &a.number,
                                 a.at(2), a.at(3), a.at(4), a.at(5));
  };
  add("freeridge_ols_summary", "full_rank", summary);
  add("freeridge_ols_summary", "undefined", summary, deficient);  // UNDEFINED: its words need memory, too
  const auto ridge = [](Arguments& a) {
    return freeridge_ridge(columns, n, d, a.x.data(), n, t, a.y.data(), n, 1, 0.5, a.at(0), a.at(1));
  };
  add("freeridge_ridge", "primal", ridge);
  add("freeridge_ridge", "deficient", ridge, deficient);
  add("freeridge_ridge", "dual", [](Arguments& a) {
    return freeridge_ridge(columns, 3, 6, a.x.data(), 3, t, a.y.data(), 3, 1, 0.5, a.at(0), a.at(1));
  });
  add("freeridge_ridge_penalty", "primal", [](Arguments& a) {
    return freeridge_ridge_penalty(columns, n, d, a.x.data(), n, t, a.y.data(), n, 1, 0.5, a.penalty.data(), a.at(0),
                                   a.at(1));
  });
  add(
      "freeridge_ridge_penalty", "dual",
      [](Arguments& a) {
        return freeridge_ridge_penalty(columns, 3, 6, a.x.data(), 3, t, a.y.data(), 3, 1, 0.5, a.penalty.data(),
                                       a.at(0), a.at(1));
      },
      [](Arguments& a) { a.penalty = {0, 1, 2, 3, 4, 5}; });
  add("freeridge_tls", "plain",
      [](Arguments& a) { return freeridge_tls(columns, n, d, a.x.data(), n, t, a.y.data(), n, 1, a.at(0), a.at(1)); });
  add("freeridge_tls_exact", "plain", [](Arguments& a) {
    return freeridge_tls_exact(columns, n, d, a.x.data(), n, t, a.y.data(), n, 1, a.exact.data(), a.at(0), a.at(1));
  });
  add("freeridge_pinv", "tall",
      [](Arguments& a) { return freeridge_pinv(columns, n, d, a.x.data(), n, -1.0, a.at(0), d, &a.number); });
  add("freeridge_pinv", "wide_rows", [](Arguments& a) {
    return freeridge_pinv(FREERIDGE_ROW_MAJOR, d, n, a.x.data(), n, -1.0, a.at(0), d, &a.number);
  });
  add("freeridge_polynomial_feature_count", "plain",
      [](Arguments& a) { return freeridge_polynomial_feature_count(3, 4, 1, &a.number); });
  add("freeridge_polynomial_exponents", "plain",
      [](Arguments& a) { return freeridge_polynomial_exponents(2, 4, 1, a.integers.data()); });
  add("freeridge_polynomial_features", "plain",
      [](Arguments& a) { return freeridge_polynomial_features(columns, n, d, a.x.data(), n, 3, 1, a.at(0), n); });
  add("freeridge_polynomial_feature_factors", "plain",
      [](Arguments& a) { return freeridge_polynomial_feature_factors(2, 4, 0.5, 1.0, a.at(0)); });
  add("freeridge_weighted_median", "plain",
      [](Arguments& a) { return freeridge_weighted_median(n, a.y.data(), a.weights.data(), a.at(0)); });
  add("freeridge_absolute_slope", "plain",
      [](Arguments& a) { return freeridge_absolute_slope(n, a.x.data(), a.y.data(), a.at(0)); });
}

}  // namespace faults
