// The classical utilities for C++ tests: one call each, any layout, outputs that start as NaN; and their oracles in
// quadruple precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "support/csv.hpp"
#include "support/model.hpp"
#include "support/quad.hpp"

namespace support {

struct Regression {
  Matrix w;
  Vector b;
  std::int64_t rank = -1;
  freeridge_status status = FREERIDGE_OK;
};

struct Summary : Regression {
  Matrix w_error;
  Vector b_error, sigma, r_squared;
};

// Data as a call takes them.
struct RegressionData {
  Matrix x, y;
  bool intercept = true;
  freeridge_layout layout = FREERIDGE_COL_MAJOR;
  std::int64_t padding = 0;
};

// call(layout, n, d, x, ldx, t, y, ldy, intercept), which fills `out`, whose w and b are NaN before it; a status that is
// not OK is an exception unless wanted.
template <class Call>
void regress(Regression& out, const RegressionData& data, const char* name, bool status_wanted, const Call& call) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Packed x = pack(data.x, data.layout, data.padding), y = pack(data.y, data.layout, data.padding);
  out.w = Matrix(data.x.cols, data.y.cols, nan);
  out.b = Vector(static_cast<std::size_t>(data.y.cols), nan);
  out.status = call(data.layout, data.x.rows, data.x.cols, x.values.data(), x.ld, data.y.cols, y.values.data(), y.ld,
                    data.intercept ? 1 : 0);
  if (!status_wanted) check(out.status, name);
}

inline freeridge_ols_answers ols_answers(Regression& out) {
  freeridge_ols_answers answers{};
  answers.size = sizeof answers, answers.rank = -1, answers.w = out.w.values.data(), answers.b = out.b.data();
  return answers;
}

inline Regression ols(const RegressionData& data, bool status_wanted = false) {
  Regression out;
  regress(out, data, "freeridge_ols", status_wanted, [&](auto... arguments) {
    freeridge_ols_answers answers = ols_answers(out);
    const freeridge_status status = freeridge_ols(arguments..., &answers);
    out.rank = answers.rank;
    return status;
  });
  return out;
}

inline Regression ridge(const RegressionData& data, double lambda, const Vector& penalty, bool status_wanted = false) {
  Regression out;
  regress(out, data, "freeridge_ridge", status_wanted, [&](auto... arguments) {
    return freeridge_ridge(arguments..., lambda, penalty.empty() ? nullptr : penalty.data(), out.w.values.data(),
                           out.b.data());
  });
  return out;
}

inline Regression ridge(const RegressionData& data, double lambda, bool status_wanted = false) {
  return ridge(data, lambda, Vector(), status_wanted);
}

inline freeridge_tls_answers tls_answers(Regression& out) {
  freeridge_tls_answers answers{};
  answers.size = sizeof answers, answers.w = out.w.values.data(), answers.b = out.b.data();
  return answers;
}

inline Regression tls(const RegressionData& data, const Labels& exact = {}, bool status_wanted = false) {
  Regression out;
  regress(out, data, "freeridge_tls", status_wanted, [&](auto... arguments) {
    freeridge_tls_answers answers = tls_answers(out);
    return freeridge_tls(arguments..., exact.empty() ? nullptr : exact.data(), &answers);
  });
  return out;
}

// With the errors: NaN where nothing was written.
struct Total : Regression {
  Vector singular_values, distances;
  Matrix x_correction, y_correction;
};

inline Total tls_errors(const RegressionData& data, const Labels& exact = {}, bool status_wanted = false) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::int64_t n = data.x.rows;
  Total out;
  out.singular_values = Vector(static_cast<std::size_t>(data.y.cols), nan);
  out.distances = Vector(static_cast<std::size_t>(n), nan);
  Matrix of_x(n, data.x.cols, nan), of_y(n, data.y.cols, nan);
  regress(out, data, "freeridge_tls", status_wanted, [&](auto... arguments) {
    freeridge_tls_answers answers = tls_answers(out);
    answers.singular_values = out.singular_values.data(), answers.distances = out.distances.data();
    answers.x_correction = of_x.values.data(), answers.y_correction = of_y.values.data();
    return freeridge_tls(arguments..., exact.empty() ? nullptr : exact.data(), &answers);
  });
  const auto by_columns = [&](const Matrix& from) {  // what the call wrote, in its layout without gaps
    Matrix to = from;
    for (std::int64_t k = 0; k < from.cols && data.layout == FREERIDGE_ROW_MAJOR; ++k)
      for (std::int64_t i = 0; i < n; ++i) to(i, k) = from.values[static_cast<std::size_t>(i * from.cols + k)];
    return to;
  };
  out.x_correction = by_columns(of_x);
  out.y_correction = by_columns(of_y);
  return out;
}

inline Summary ols_summary(const RegressionData& data, bool status_wanted = false) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Summary out;
  out.w_error = Matrix(data.x.cols, data.y.cols, nan);
  out.b_error = out.sigma = out.r_squared = Vector(static_cast<std::size_t>(data.y.cols), nan);
  regress(out, data, "freeridge_ols", status_wanted, [&](auto... arguments) {
    freeridge_ols_answers answers = ols_answers(out);
    answers.w_error = out.w_error.values.data(), answers.b_error = out.b_error.data();
    answers.sigma = out.sigma.data(), answers.r_squared = out.r_squared.data();
    const freeridge_status status = freeridge_ols(arguments..., &answers);
    out.rank = answers.rank;
    return status;
  });
  return out;
}

// ---- oracles ----

struct QuadRegression {
  QuadMatrix w, b;  // d x t, 1 x t
};

// min |Y - X w - b|^2 + lambda sum_k penalty_k w_k^2, of the smallest norm |w|; singular values of the (centred, and
// with its penalties augmented) x below 1e-25 of the largest are zeros. penalty empty: all one.
inline QuadRegression penalised(const RegressionData& data, double lambda, const Vector& penalty = {}) {
  const std::int64_t n = data.x.rows, d = data.x.cols, t = data.y.cols;
  QuadMatrix x = to_quad(data.x), y = to_quad(data.y);
  std::vector<Quad> x_mean(static_cast<std::size_t>(d)), y_mean(static_cast<std::size_t>(t));
  if (data.intercept) {
    x = centred(x, x_mean);
    y = centred(y, y_mean);
  }
  QuadMatrix a(n + (lambda > 0 ? d : 0), d), rhs(a.rows, t);
  for (std::int64_t k = 0; k < d; ++k) {
    for (std::int64_t i = 0; i < n; ++i) a(i, k) = x(i, k);
    if (lambda > 0)
      a(n + k, k) = square_root(Quad(lambda) * Quad(penalty.empty() ? 1.0 : penalty[static_cast<std::size_t>(k)]));
  }
  for (std::int64_t j = 0; j < t; ++j)
    for (std::int64_t i = 0; i < n; ++i) rhs(i, j) = y(i, j);
  const QuadSvd svd = jacobi_svd(a);
  QuadMatrix g = multiply(transpose(svd.u), rhs);
  for (std::int64_t k = 0; k < d; ++k)
    for (std::int64_t j = 0; j < t; ++j) {
      const Quad s = svd.s[static_cast<std::size_t>(k)];
      g(k, j) = s > Quad(1e-25) * svd.s.front() ? g(k, j) / s : Quad(0);
    }
  QuadRegression out{multiply(svd.v, g), QuadMatrix(1, t)};
  for (std::int64_t j = 0; j < t && data.intercept; ++j) {
    out.b(0, j) = y_mean[static_cast<std::size_t>(j)];
    for (std::int64_t k = 0; k < d; ++k) out.b(0, j) -= x_mean[static_cast<std::size_t>(k)] * out.w(k, j);
  }
  return out;
}

// ---- comparing ----

// Correct decimal digits, at most 17.
inline double digits(double actual, Quad expected) {
  const auto error = static_cast<double>(absolute(Quad(actual) - expected));
  if (error == 0) return 17;
  const auto size = static_cast<double>(absolute(expected));
  return std::min(17.0, -std::log10(size > 0 ? error / size : error));
}

// Of the worst entry.
inline double digits(const Matrix& actual, const QuadMatrix& expected) {
  double out = actual.rows == expected.rows && actual.cols == expected.cols ? 17 : -99;
  for (std::size_t k = 0; out > -99 && k < expected.values.size(); ++k)
    out = std::min(out, std::isnan(actual.values[k]) ? -99 : digits(actual.values[k], expected.values[k]));
  return out;
}

// The largest error beside the largest entry, as digits: for solutions where single entries may be zero.
inline double norm_digits(const Matrix& actual, const QuadMatrix& expected) {
  Quad size = 0, error = 0;
  for (std::size_t k = 0; k < expected.values.size(); ++k) {
    if (std::isnan(actual.values[k])) return -99;
    size = std::max(size, absolute(expected.values[k]));
    error = std::max(error, absolute(Quad(actual.values[k]) - expected.values[k]));
  }
  if (error == 0) return 17;
  return std::min(17.0, -std::log10(static_cast<double>(size > 0 ? error / size : error)));
}

// ---- the reference sets of the National Institute of Standards and Technology ----

struct NistSet {
  RegressionData data;
  std::vector<Quad> estimate, error;  // of the binary64 design, B0 first with an intercept
  std::vector<Quad> certified;        // estimates, of the decimal data, to 15 digits
  double sigma = 0, r_squared = 0;    // certified
};

// A decimal number such as -2.623E-1 to all its digits.
inline Quad parse_quad(const std::string& text) {
  const std::size_t e = text.find_first_of("eE");
  Quad value = 0;
  int places = 0;
  bool point = false, negative = false;
  for (const char c : text.substr(0, e)) {
    if (c == '-') negative = true;
    if (c == '.') point = true;
    if (c < '0' || c > '9') continue;
    value = value * 10 + (c - '0');
    places += point ? 1 : 0;
  }
  int power = (e == std::string::npos ? 0 : std::stoi(text.substr(e + 1))) - places;
  for (; power > 0; --power) value *= 10;
  Quad divisor = 1;
  for (; power < 0; ++power) divisor *= 10;
  return (negative ? -value : value) / divisor;
}

inline const std::vector<std::string>& nist_sets() {
  static const std::vector<std::string> names = {"Norris",   "Pontius",  "NoInt1",   "NoInt2",   "Filip",   "Longley",
                                                 "Wampler1", "Wampler2", "Wampler3", "Wampler4", "Wampler5"};
  return names;
}

// The powers of x are rounded once, as in the exact solution: another way to form them is another problem (two ways
// differ by 7 digits in the solution of Filip).
inline NistSet nist_set(const std::string& name) {
  NistSet out;
  const CsvFile file = read_csv("nist/" + name + ".csv"), summary = read_csv("nist/certified_summary.csv"),
                exact = read_csv("nist/exact_ols.csv"), certified = read_csv("nist/certified_coefficients.csv");
  const auto cell = [](const CsvFile& from, const std::vector<std::string>& row, const char* column) {
    return row[static_cast<std::size_t>(from.column(column))];
  };
  std::int64_t degree = 1;
  for (const auto& row : summary.rows) {
    if (row[0] != name) continue;
    degree = std::max<std::int64_t>(1, std::atoi(cell(summary, row, "degree").c_str()));
    out.data.intercept = cell(summary, row, "intercept") == "1";
    out.sigma = std::stod(cell(summary, row, "residual_sd"));
    out.r_squared = std::stod(cell(summary, row, "r_squared"));
  }
  for (const auto& row : exact.rows) {
    if (row[0] != name) continue;
    out.estimate.push_back(parse_quad(cell(exact, row, "estimate_binary64_design")));
    out.error.push_back(parse_quad(cell(exact, row, "std_error_binary64_design")));
  }
  for (const auto& row : certified.rows)
    if (row[0] == name) out.certified.push_back(parse_quad(cell(certified, row, "estimate")));
  const Matrix raw = numbers(file, {file.header.begin() + 1, file.header.end()});
  out.data.y = numbers(file, {"y"});
  out.data.x = Matrix(raw.rows, raw.cols * degree);
  for (std::int64_t i = 0; i < raw.rows; ++i) {
    for (std::int64_t k = 0; k < raw.cols; ++k) out.data.x(i, k) = raw(i, k);
    Quad power = raw(i, 0);
    for (std::int64_t k = 1; k < degree; ++k) out.data.x(i, k) = static_cast<double>(power *= raw(i, 0));
  }
  return out;
}

// [b; w] of the first output, b only with an intercept.
inline std::vector<double> coefficients(const NistSet& set, const Matrix& w, const Vector& b) {
  std::vector<double> out;
  if (set.data.intercept) out.push_back(b[0]);
  out.insert(out.end(), w.values.begin(), w.values.end());
  return out;
}

inline double worst_digits(const std::vector<double>& actual, const std::vector<Quad>& expected) {
  if (actual.size() != expected.size()) return -99;
  double out = 17;
  for (std::size_t k = 0; k < expected.size(); ++k) out = std::min(out, digits(actual[k], expected[k]));
  return out;
}

}  // namespace support
