// The accumulator of freeridge.h for C++ tests: a handle that frees itself, and outputs whose padding is checked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/compare.hpp"
#include "support/oracle.hpp"
#include "support/points.hpp"
#include "support/saved.hpp"

namespace support {

struct Planes {
  Matrix w;  // d x (count t)
  Matrix b;  // t x count
};

// The given rows of a problem.
inline oracle::Problem rows_of(const oracle::Problem& problem, const std::vector<std::int64_t>& rows) {
  oracle::Problem out = problem;
  out.x = select_rows(problem.x, rows);
  out.y = select_rows(problem.y, rows);
  if (!problem.weights.empty()) out.weights = select_rows(to_column(problem.weights), rows).values;
  return out;
}

// Rows first, ..., first + count - 1.
inline oracle::Problem slice(const oracle::Problem& problem, std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < count; ++i) rows.push_back(first + i);
  return rows_of(problem, rows);
}

// Of rows that were not added: count x t sums of W_ii e_i^2.
struct SquaredErrors {
  double sum_w = -1;
  Matrix squares;
};

class Accumulator {
 public:
  Accumulator(std::int64_t d, std::int64_t t, bool intercept) : d_(d), t_(t) {
    freeridge_accumulator* out = nullptr;
    check(freeridge_accumulator_create(d, t, intercept ? 1 : 0, &out), "freeridge_accumulator_create");
    handle_.reset(out);
  }
  // Over the features of landmarks.
  Accumulator(const Kernel& kernel, const Matrix& z, std::int64_t t, bool intercept, freeridge_reduction reduction)
      : d_(z.cols), t_(t) {
    freeridge_accumulator* out = nullptr;
    check(freeridge_accumulator_create_landmarks(kernel.get(), FREERIDGE_COL_MAJOR, z.rows, z.cols, z.values.data(),
                                                 z.rows, t, intercept ? 1 : 0, reduction, &out),
          "freeridge_accumulator_create_landmarks");
    handle_.reset(out);
  }
  // All rows of the problem, in chunks of that size (0: at once).
  explicit Accumulator(const oracle::Problem& problem, std::int64_t chunk = 0)
      : Accumulator(problem.x.cols, problem.y.cols, problem.intercept) {
    const std::int64_t n = problem.x.rows, step = chunk == 0 ? n : chunk;
    for (std::int64_t first = 0; first < n; first += step) add(slice(problem, first, std::min(step, n - first)));
  }
  explicit Accumulator(const std::vector<unsigned char>& bytes) {
    freeridge_accumulator* out = nullptr;
    check(freeridge_accumulator_load_from_memory(bytes.data(), static_cast<std::int64_t>(bytes.size()), &out),
          "freeridge_accumulator_load_from_memory");
    handle_.reset(out);
    check(freeridge_accumulator_get_dimensions(get(), nullptr, &d_, &t_, nullptr),
          "freeridge_accumulator_get_dimensions");
  }
  freeridge_accumulator* get() const { return handle_.get(); }

  Accumulator& add(const oracle::Problem& rows, freeridge_layout layout = FREERIDGE_COL_MAJOR,
                   std::int64_t padding = 0) {
    const Packed x = pack(rows.x, layout, padding), y = pack(rows.y, layout, padding);
    check(freeridge_accumulator_add(get(), at(x, rows.x.rows, rows.x.cols), layout, y.values.data(), y.ld,
                                    rows.weights.empty() ? nullptr : rows.weights.data()),
          "freeridge_accumulator_add");
    return *this;
  }
  Accumulator& merge(const Accumulator& other) {
    check(freeridge_accumulator_merge(get(), other.get()), "freeridge_accumulator_merge");
    return *this;
  }
  std::int64_t n() const {
    std::int64_t n = -1;
    check(freeridge_accumulator_get_dimensions(get(), &n, nullptr, nullptr, nullptr),
          "freeridge_accumulator_get_dimensions");
    return n;
  }
  double sum_w() const {
    double sum = -1;
    check(freeridge_accumulator_get_dimensions(get(), nullptr, nullptr, nullptr, &sum),
          "freeridge_accumulator_get_dimensions");
    return sum;
  }

  Planes solve(const Vector& lambdas) const {
    const auto count = static_cast<std::int64_t>(lambdas.size());
    Planes out{{}, Matrix(t_, count)};
    out.w = padded_output(d_, count * t_, "freeridge_accumulator_solve", nullptr, [&](double* w, std::int64_t ld) {
      return freeridge_accumulator_solve(get(), count, lambdas.data(), w, ld, out.b.values.data());
    });
    return out;
  }
  Matrix score(freeridge_criterion criterion, const Vector& lambdas, freeridge_status* status = nullptr) const {
    const auto count = static_cast<std::int64_t>(lambdas.size());
    return padded_output(count, t_, "freeridge_accumulator_score", status, [&](double* out, std::int64_t ld) {
      return freeridge_accumulator_score(get(), criterion, count, lambdas.data(), out, ld);
    });
  }
  Vector lambda_grid(std::int64_t count) const {
    Vector out(static_cast<std::size_t>(count));
    check(freeridge_accumulator_lambda_grid(get(), count, out.data()), "freeridge_accumulator_lambda_grid");
    return out;
  }
  Matrix loo(const oracle::Problem& rows, const Vector& lambdas, freeridge_status* status = nullptr,
             freeridge_layout layout = FREERIDGE_COL_MAJOR, std::int64_t padding = 0) const {
    const Packed x = pack(rows.x, layout, padding), y = pack(rows.y, layout, padding);
    const auto count = static_cast<std::int64_t>(lambdas.size());
    return padded_output(
        rows.x.rows, count * t_, "freeridge_accumulator_errors", status, [&](double* out, std::int64_t ld) {
          return freeridge_accumulator_errors(get(), at(x, rows.x.rows, rows.x.cols), layout, y.values.data(), y.ld,
                                              rows.weights.empty() ? nullptr : rows.weights.data(), nullptr, count,
                                              lambdas.data(), out, ld);
        });
  }
  SquaredErrors squared_errors(const oracle::Problem& rows, const Vector& lambdas, freeridge_status* status = nullptr,
                               freeridge_layout layout = FREERIDGE_COL_MAJOR, std::int64_t padding = 0) const {
    const Packed x = pack(rows.x, layout, padding), y = pack(rows.y, layout, padding);
    const auto count = static_cast<std::int64_t>(lambdas.size());
    SquaredErrors out;
    out.squares =
        padded_output(count, t_, "freeridge_accumulator_squared_errors", status, [&](double* squares, std::int64_t ld) {
          return freeridge_accumulator_squared_errors(get(), at(x, rows.x.rows, rows.x.cols), layout, y.values.data(),
                                                      y.ld, rows.weights.empty() ? nullptr : rows.weights.data(), count,
                                                      lambdas.data(), &out.sum_w, squares, ld);
        });
    return out;
  }
  Bytes save() const { return saved(get()); }

 private:
  struct Destroy {
    void operator()(freeridge_accumulator* accumulator) const { freeridge_accumulator_destroy(accumulator); }
  };

  std::unique_ptr<freeridge_accumulator, Destroy> handle_;
  std::int64_t d_ = 0, t_ = 0;
};

}  // namespace support
