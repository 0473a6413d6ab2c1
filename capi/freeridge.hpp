// freeridge.hpp - freeridge.h for C++17 and later: owners, matrices whose sizes are checked, exceptions with a status
//
// SPDX-License-Identifier: MIT
// freeridge.h is the manual. A call without a method here can be made as check(freeridge_...(model.get(), ...)). Arrays
// of a wrong length are refused.
#pragma once

#include <freeridge.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#endif

namespace freeridge {
inline namespace hpp {  // keeps these names apart from the library's own C++ names
using Numbers = std::vector<double>;

struct Error : std::runtime_error {
  Error(freeridge_status number, const std::string& message)
      : std::runtime_error(std::string(freeridge_status_name(number)) + ": " + message), status(number) {}
  freeridge_status status;
};
inline void check(freeridge_status status) {  // throws if a call failed; to be called right after it
  if (status != FREERIDGE_OK) throw Error(status, freeridge_last_error());
}
inline void require(bool holds, freeridge_status status, const std::string& message) {
  if (!holds) throw Error(status, message);
}
inline std::int64_t size(std::size_t value) {  // refuses what the library would, before memory is allocated
  require(value <= 2147483647, FREERIDGE_INVALID_ARGUMENT, "a size is " + std::to_string(value));
  return static_cast<std::int64_t>(value);
}
inline const char* whole(const std::string& text) {  // refuses a text that C would see the beginning of
  require(text.find('\0') == std::string::npos, FREERIDGE_INVALID_ARGUMENT, "a text or path has a zero byte in it");
  return text.c_str();
}
template <class T>
const T* exactly(std::int64_t count, const std::vector<T>& values, const char* name) {
  require(values.size() == static_cast<std::size_t>(count), FREERIDGE_DIMENSION_MISMATCH,
          std::string(name) + ": " + std::to_string(values.size()) + " numbers, not " + std::to_string(count));
  return values.data();
}

// A matrix that belongs to somebody else: element (i, j) is data[i + j ld] (COL_MAJOR) or data[i ld + j] (ROW_MAJOR).
// The numbers must live as long as the view is used; so it cannot be made of a temporary vector.
struct View {
  View(const double* numbers, std::size_t count, std::size_t n, std::size_t d, std::size_t leading,
       freeridge_layout order = FREERIDGE_COL_MAJOR)
      : data(numbers), rows(size(n)), columns(size(d)), ld(size(leading)), layout(order) {
    const bool by_row = order == FREERIDGE_ROW_MAJOR, known = by_row || order == FREERIDGE_COL_MAJOR;
    const std::int64_t line = by_row ? columns : rows, lines = by_row ? rows : columns;
    require(known && data && line > 0 && lines > 0 && ld >= line, FREERIDGE_INVALID_ARGUMENT, "this is no matrix");
    const std::size_t needed = static_cast<std::size_t>((lines - 1) * ld + line);
    require(needed <= count, FREERIDGE_INVALID_ARGUMENT, std::to_string(needed) + " numbers are needed");
  }
  View(const Numbers& v) : View(v.data(), v.size(), v.size(), 1, v.size()) {}  // one column
  View(const Numbers& v, std::size_t n, std::size_t d, freeridge_layout order)
      : View(v.data(), all_of(v.size(), n, d), n, d, order == FREERIDGE_ROW_MAJOR ? d : n, order) {}
  View(const Numbers&&) = delete;
  View(const Numbers&&, std::size_t, std::size_t, freeridge_layout) = delete;
#ifdef __cpp_lib_span
  View(std::span<const double> v) : View(v.data(), v.size(), v.size(), 1, v.size()) {}
  View(std::span<const double> v, std::size_t n, std::size_t d, freeridge_layout order)
      : View(v.data(), all_of(v.size(), n, d), n, d, order == FREERIDGE_ROW_MAJOR ? d : n, order) {}
#endif
  static std::size_t all_of(std::size_t count, std::size_t n, std::size_t d) {
    require(d == 0 || (count % d == 0 && count / d == n), FREERIDGE_INVALID_ARGUMENT,
            std::to_string(count) + " numbers are no " + std::to_string(n) + " x " + std::to_string(d));
    return count;
  }
  // The leading dimension of this matrix in the layout of x. (A single column without gaps is in both layouts.)
  std::int64_t ld_beside(const View& x) const {
    const bool same = layout == x.layout, both = columns == 1 && (layout == FREERIDGE_COL_MAJOR || ld == 1);
    require(rows == x.rows && (same || both), FREERIDGE_DIMENSION_MISMATCH, "x and y differ in rows or in layout");
    return same ? ld : x.layout == FREERIDGE_ROW_MAJOR ? 1 : rows;
  }
  const double* const data;
  const std::int64_t rows, columns, ld;
  const freeridge_layout layout;
};

// As freeridge_points; no_points: of a model, the rows that it has.
inline freeridge_points no_points(std::int64_t n, std::int64_t d) {
  freeridge_points points{};
  points.size = sizeof points;
  points.n = n;
  points.d = d;
  return points;
}
inline freeridge_points points_of(const View& x) {
  freeridge_points points = no_points(x.rows, x.columns);
  points.layout = x.layout;
  points.x = x.data;
  points.ldx = x.ld;
  return points;
}
inline freeridge_points with_unpenalised(freeridge_points points, const View& f, freeridge_layout order,
                                         std::int64_t ld) {
  require(f.rows == points.n, FREERIDGE_DIMENSION_MISMATCH, "the unpenalised columns have other rows than the points");
  points.layout = order;
  points.unpenalised_count = f.columns;
  points.unpenalised = f.data;
  points.ldu = ld;
  return points;
}

struct Matrix {  // an answer; owns its numbers, which have no gaps and are NaN until they are there
  Matrix(std::int64_t n, std::int64_t d, freeridge_layout order = FREERIDGE_COL_MAJOR)
      : rows(n), columns(d), layout(order) {
    require(n >= 0 && d >= 0, FREERIDGE_INVALID_STATE, "a reader's rows are not counted before factorize");
    numbers.assign(static_cast<std::size_t>(n) * static_cast<std::size_t>(d), std::numeric_limits<double>::quiet_NaN());
  }
  double operator()(std::int64_t i, std::int64_t j = 0) const {
    if (i < 0 || i >= rows || j < 0 || j >= columns) throw std::out_of_range("freeridge::Matrix");
    return numbers.at(static_cast<std::size_t>(layout == FREERIDGE_ROW_MAJOR ? i * columns + j : i + j * rows));
  }
  template <class Call, class... Arguments>  // its last two arguments: the array and its ld
  Matrix filled(Call call, Arguments... arguments) &&;
  std::int64_t rows, columns;
  freeridge_layout layout;
  Numbers numbers;
};
struct Undefined : Error {  // some numbers of an answer do not exist: `values` is the answer with NaN in their places
  Undefined(const Error& error, Matrix answer) : Error(error), values(std::move(answer)) {}
  Matrix values;
};
template <class Call, class... Arguments>
    Matrix Matrix::filled(Call call, Arguments... arguments) && try {
  double none = 0;  // an answer without numbers has no address, which C refuses before it says what is wrong
  check(call(arguments..., numbers.empty() ? &none : numbers.data(), layout == FREERIDGE_ROW_MAJOR ? columns : rows));
  return std::move(*this);
} catch (const Error& error) {
  if (error.status == FREERIDGE_UNDEFINED) throw Undefined(error, std::move(*this));
  throw;
}

template <class T, void (*destroy)(T*)>
class Owner {  // owns a handle; a moved-from owner has NULL, which every call refuses
 public:
  const T* get() const noexcept { return handle_.get(); }
  T* get() noexcept { return handle_.get(); }

 protected:
  template <class Make, class... Arguments>
  explicit Owner(Make make, Arguments... arguments) {
    T* made = nullptr;
    check(make(arguments..., &made));
    handle_.reset(made);
  }
  template <class Call, class... Arguments>
  std::array<std::int64_t, 3> sizes_by(Call call, Arguments... arguments) const {
    std::array<std::int64_t, 3> s{};
    check(call(get(), &s[0], &s[1], &s[2], arguments...));
    return s;
  }
  struct Destroy {
    void operator()(T* handle) const noexcept { destroy(handle); }
  };
  std::unique_ptr<T, Destroy> handle_;
};

class Kernel : public Owner<freeridge_kernel, freeridge_kernel_destroy> {
  template <class Call, class... Arguments>  // its last three arguments: size, text, length
  std::string text_by(Call call, Arguments... arguments) const {
    std::int64_t length = 0;
    check(call(get(), arguments..., 0, nullptr, &length));
    std::string text(static_cast<std::size_t>(length) + 1, '\0');  // the 0 at the end is counted in size
    check(call(get(), arguments..., length + 1, text.data(), &length));
    text.resize(static_cast<std::size_t>(length));
    return text;
  }

 public:
  using Owner::Owner;  // still protected
  static Kernel linear() { return Kernel(freeridge_kernel_linear); }
  static Kernel gaussian(double sigma) { return Kernel(freeridge_kernel_gaussian, sigma); }
  // Any kernel: "0.5 * linear() + matern(nu = 1.5, length = 2)".
  static Kernel parse(const std::string& text) { return Kernel(freeridge_kernel_parse, whole(text)); }
  Kernel scaled(const Numbers& v) const { return Kernel(freeridge_kernel_scaled, get(), size(v.size()), v.data()); }
  static Kernel of(const freeridge_model* model) { return Kernel(freeridge_get_kernel, model); }  // the model's
  std::string describe() const { return text_by(freeridge_kernel_describe); }
  // All continuous numbers, in the order of the text.
  Numbers hyperparameters() const {
    Numbers v(static_cast<std::size_t>(count()));
    check(freeridge_kernel_get_hyperparameters(get(), nullptr, v.data()));
    return v;
  }
  std::string hyperparameter_name(std::int64_t i) const { return text_by(freeridge_kernel_hyperparameter_name, i); }
  Kernel with_hyperparameters(const Numbers& v) const {
    return Kernel(freeridge_kernel_with_hyperparameters, get(), exactly(count(), v, "hyperparameters"));
  }
  std::int64_t count() const {  // of the hyperparameters
    std::int64_t count = 0;
    return check(freeridge_kernel_get_hyperparameters(get(), &count, nullptr)), count;
  }
};

// How a kernel is learnt; 0 leaves it to the library. label: one for each hyperparameter (negative: held; equal:
// together).
struct Learning {
  std::vector<std::int32_t> label;
  double shrinkage = 0;
  std::int64_t rows = 0, seed = 0, evaluations = 0;
};
struct KernelSearch {  // what freeridge_get_kernel_search says
  std::int64_t learnt = 0, rows = 0, sample = 0;
  bool kept = false;
  std::array<freeridge_search_end, 5> ended{};
  std::vector<std::int32_t> stage;
  Numbers score, lambda, gradient;
  std::vector<std::int64_t> learnt_on, variable;
  Numbers low, high;
  std::vector<std::int32_t> at;
  std::int32_t lambda_at = 0;
};
struct ScoreGradient {
  double score = 0, by_log_lambda = 0;
  Numbers by_log_hyperparameters;
};

class Model : public Owner<freeridge_model, freeridge_destroy> {
  void hand_over(const freeridge_points& points, const View& y, std::int32_t borrow) {
    require(y.rows == points.n, FREERIDGE_DIMENSION_MISMATCH, "x and y differ in rows");
    check(freeridge_set_points(get(), &points, borrow, y.layout, y.columns, y.data, y.ld));
  }
  Matrix predicted(const View& x, const freeridge_points& points) const {
    return Matrix(x.rows, sizes()[2], x.layout).filled([&](double* out, std::int64_t ld) {
      return freeridge_predict_points(get(), &points, 0, nullptr, x.layout, out, ld);
    });
  }
  Matrix like_y() const { return Matrix(sizes()[0], sizes()[2]); }
  Matrix like_effects() const { return Matrix(unpenalised_count(), sizes()[2]); }
  void check_points(const View& x) const {
    require(x.columns == sizes()[1], FREERIDGE_DIMENSION_MISMATCH, "x has other columns than the model");
  }

 public:
  using Owner::Owner;  // still protected
  explicit Model(const Kernel& kernel) : Owner(freeridge_create, kernel.get()) {}
  static Model load(const std::string& path) { return Model(freeridge_load, whole(path)); }
  Model clone() const { return Model(freeridge_clone, get()); }
  void save(const std::string& path) const { check(freeridge_save(get(), FREERIDGE_SAVE_MODEL, whole(path))); }
  void set_data(const View& x, const View& y) { hand_over(points_of(x), y, 0); }
  // Borrows the numbers of x and y: they must stay as they are until the model is destroyed or gets other data.
  void set_data_view(const View& x, const View& y) { hand_over(points_of(x), y, 1); }
  void set_weights(const Numbers& w) { check(freeridge_set_weights(get(), exactly(sizes()[0], w, "weights"))); }
  void set_groups(const std::vector<std::int32_t>& group) {  // one division of the rows
    check(freeridge_set_groups(get(), 1, exactly(sizes()[0], group, "group"), 0, nullptr));
  }
  // Columns that no penalty touches, beside the rows that the model has; copied.
  void set_unpenalised(const View& f) {
    require(f.rows == sizes()[0], FREERIDGE_DIMENSION_MISMATCH, "f has other rows than the model");
    const freeridge_points points = with_unpenalised(no_points(f.rows, sizes()[1]), f, f.layout, f.ld);
    check(freeridge_set_points(get(), &points, 0, f.layout, 0, nullptr, 0));
  }
  void factorize() { check(freeridge_factorize(get())); }
  void set_lambda(double lambda) { check(freeridge_set_lambda(get(), lambda)); }
  void set_lambdas(const Numbers& l) { check(freeridge_set_lambdas(get(), exactly(sizes()[2], l, "lambdas"))); }
  Matrix select_lambda(freeridge_criterion criterion, double low = 0, double high = 0) {  // columns lambda, score
    return Matrix(sizes()[2], 2).filled([&](double* lambda, std::int64_t t) {
      return freeridge_select_lambda(get(), criterion, low, high, lambda, lambda + t);
    });
  }
  double select_bandwidth(freeridge_criterion criterion, double low = 0, double high = 0) {
    double s = 0;
    return check(freeridge_select_bandwidth(get(), criterion, low, high, 0, &s)), s;
  }
  // Learns the kernel and lambda together; the criterion on all rows.
  double select_kernel(freeridge_criterion criterion, const Learning& how = {}) {
    const std::int32_t* label = how.label.empty() ? nullptr : exactly(kernel().count(), how.label, "label");
    double s = 0;
    check(freeridge_select_kernel(get(), criterion, label, how.shrinkage, how.rows, how.seed, how.evaluations, &s));
    return s;
  }
  KernelSearch kernel_search() const {
    KernelSearch s;
    freeridge_kernel_search search{};
    search.size = sizeof search;
    check(freeridge_get_kernel_search(get(), &search));
    s.learnt = search.learnt, s.rows = search.rows, s.sample = search.sample;
    s.kept = search.kept != 0, s.lambda_at = search.lambda_at;
    const auto trials = static_cast<std::size_t>(search.evaluations);
    const auto count = static_cast<std::size_t>(search.hyperparameters);
    s.stage.resize(trials), s.score.resize(trials), s.lambda.resize(trials), s.gradient.resize(trials);
    s.learnt_on.resize(static_cast<std::size_t>(s.rows));
    s.variable.resize(count), s.low.resize(count), s.high.resize(count), s.at.resize(count);
    search.ended = s.ended.data(), search.stage = s.stage.data(), search.score = s.score.data();
    search.lambda = s.lambda.data(), search.gradient = s.gradient.data(), search.row = s.learnt_on.data();
    search.variable = s.variable.data(), search.low = s.low.data(), search.high = s.high.data();
    search.at = s.at.data();
    check(freeridge_get_kernel_search(get(), &search));
    return s;
  }
  Kernel kernel() const { return Kernel::of(get()); }
  ScoreGradient score_gradient(freeridge_criterion criterion, double lambda) const {
    ScoreGradient g;
    g.by_log_hyperparameters.resize(static_cast<std::size_t>(kernel().count()));
    double* const by = g.by_log_hyperparameters.data();
    return check(freeridge_score_gradient(get(), criterion, lambda, &g.score, &g.by_log_lambda, by)), g;
  }
  Matrix score(freeridge_criterion criterion, const Numbers& l) const {
    return Matrix(size(l.size()), sizes()[2]).filled([&](double* out, std::int64_t n) {
      return freeridge_score(get(), criterion, n, l.data(), out, nullptr, n);
    });
  }
  Matrix loo() const { return like_y().filled(freeridge_loo, get()); }
  Matrix loo_learnt(std::int64_t folds = 0, std::int64_t seed = 0) const {
    return like_y().filled([&](double* errors, std::int64_t n) {
      return freeridge_loo_learnt(get(), folds, seed, errors, n, nullptr, nullptr);
    });
  }
  Matrix coefficients() const {
    return like_y().filled(
        [&](double* c, std::int64_t n) { return freeridge_coefficients(get(), 0, nullptr, c, n, nullptr); });
  }
  Matrix group_errors(const std::vector<std::int32_t>& group) const {
    return like_y().filled(freeridge_group_errors, get(), exactly(sizes()[0], group, "group"), 0, nullptr);
  }
  Matrix hyperplane() const {
    return Matrix(sizes()[1], sizes()[2]).filled([&](double* w, std::int64_t d) {
      return freeridge_hyperplane(get(), 0, nullptr, w, d, nullptr);
    });
  }
  Matrix intercept() const {
    return Matrix(sizes()[2], 1).filled([&](double* b, std::int64_t) {
      return freeridge_coefficients(get(), 0, nullptr, nullptr, 0, b);
    });
  }
  Matrix predict(const View& x) const {
    check_points(x);
    return predicted(x, points_of(x));
  }
  // With the values of the unpenalised columns at the new points.
  Matrix predict(const View& x, const View& f) const {
    check_points(x);
    require(f.columns == unpenalised_count(), FREERIDGE_DIMENSION_MISMATCH, "f has other columns than the model");
    return predicted(x, with_unpenalised(points_of(x), f, x.layout, f.ld_beside(x)));
  }
  std::int64_t unpenalised_count() const {
    std::int64_t q = 0;
    return check(freeridge_get_unpenalised(get(), &q, nullptr, nullptr, nullptr, 0)), q;
  }
  Matrix unpenalised_effects() const {  // q x t; 0 for a column that depends on others, which unpenalised_kept() says
    return like_effects().filled([&](double* effects, std::int64_t ld) {
      return freeridge_get_unpenalised(get(), nullptr, nullptr, ld > 0 ? effects : nullptr, nullptr, ld);
    });
  }
  Matrix unpenalised_errors() const {
    return like_effects().filled([&](double* errors, std::int64_t ld) {
      return freeridge_get_unpenalised(get(), nullptr, nullptr, nullptr, ld > 0 ? errors : nullptr, ld);
    });
  }
  Matrix unpenalised_covariance() const {  // q x q t, output after output
    const std::int64_t q = unpenalised_count();
    return Matrix(q, q * sizes()[2]).filled([&](double* covariance, std::int64_t ld) {
      return freeridge_get_unpenalised_covariance(get(), covariance, ld);
    });
  }
  std::vector<std::int32_t> unpenalised_kept() const {
    std::vector<std::int32_t> kept(static_cast<std::size_t>(unpenalised_count()));
    return check(freeridge_get_unpenalised(get(), nullptr, kept.data(), nullptr, nullptr, 0)), kept;
  }
  // A row for each output; columns residual, then random, share and error of the share, each for all terms of a sum, and
  // the error of the share of the residual.
  Matrix variance_components() const {
    std::int64_t count = 0;
    check(freeridge_variance_components(get(), &count, nullptr, nullptr, nullptr, nullptr));
    const std::int64_t t = sizes()[2], one = count * t;
    std::vector<double> terms(static_cast<std::size_t>(3 * one + t));
    double* const of = terms.data();
    return Matrix(t, 2 + 3 * count).filled([&](double* out, std::int64_t) {
      const freeridge_status status = freeridge_variance_components(get(), nullptr, out, of, of + one, of + 2 * one);
      for (std::int64_t j = 0; j < t; ++j) {
        for (std::int64_t k = 0; k < 2 * count; ++k) out[(1 + k) * t + j] = of[k / count * one + j * count + k % count];
        for (std::int64_t k = 0; k <= count; ++k) out[(1 + 2 * count + k) * t + j] = of[2 * one + j * (count + 1) + k];
      }
      return status;
    });
  }
  std::array<std::int64_t, 3> sizes() const { return sizes_by(freeridge_get_dimensions); }  // n, d, t
};

class Accumulator : public Owner<freeridge_accumulator, freeridge_accumulator_destroy> {
 public:
  Accumulator(std::size_t d, std::size_t t, bool intercept = true)
      : Owner(freeridge_accumulator_create, size(d), size(t), std::int32_t{intercept}) {}
  void add(const View& x, const View& y) {
    require(x.columns == sizes()[1] && y.columns == sizes()[2], FREERIDGE_DIMENSION_MISMATCH, "columns of x or y");
    const freeridge_points points = points_of(x);
    require(y.rows == x.rows, FREERIDGE_DIMENSION_MISMATCH, "x and y differ in rows");
    check(freeridge_accumulator_add(get(), &points, y.layout, y.data, y.ld, nullptr));
  }
  void merge(const Accumulator& other) { check(freeridge_accumulator_merge(get(), other.get())); }
  std::pair<Matrix, Matrix> solve(double lambda) const {  // w (d x t) and b (t x 1)
    Matrix w(sizes()[1], sizes()[2]), b(sizes()[2], 1);
    check(freeridge_accumulator_solve(get(), 1, &lambda, w.numbers.data(), w.rows, b.numbers.data()));
    return {w, b};
  }
  std::array<std::int64_t, 3> sizes() const { return sizes_by(freeridge_accumulator_get_dimensions, nullptr); }
};

// Rows that come and go; with capacity 0 they are not kept.
class Window : public Owner<freeridge_window, freeridge_window_destroy> {
 public:
  Window(const Kernel& kernel, std::size_t d, std::size_t t, double lambda, std::size_t capacity, bool intercept = true,
         double forgetting = 1)
      : Owner(freeridge_window_create, kernel.get(), nullptr, size(d), size(t), std::int32_t{intercept}, lambda,
              size(capacity), forgetting) {}
  Matrix add(const View& x, const View& y) {  // the error of each row before it came; NaN where there was none
    require(y.rows == x.rows && y.columns == sizes()[2], FREERIDGE_DIMENSION_MISMATCH, "x and y do not fit");
    const freeridge_points points = points_of(x);
    return Matrix(x.rows, y.columns).filled(freeridge_window_add, get(), &points, y.layout, y.data, y.ld, nullptr);
  }
  void remove_oldest(std::size_t count = 1) { check(freeridge_window_remove(get(), size(count), nullptr)); }
  void remove(const std::vector<std::int64_t>& rows) {
    require(!rows.empty(), FREERIDGE_INVALID_ARGUMENT, "no rows");
    check(freeridge_window_remove(get(), size(rows.size()), rows.data()));
  }
  void set_lambda(double lambda) { check(freeridge_window_set_lambda(get(), lambda)); }
  Matrix loo() const { return Matrix(sizes()[0], sizes()[2]).filled(freeridge_window_loo, get()); }
  Matrix predict(const View& x) const {
    const freeridge_points points = points_of(x);
    return Matrix(x.rows, sizes()[2], x.layout).filled(freeridge_window_predict, get(), &points, x.layout);
  }
  std::array<std::int64_t, 3> sizes() const {  // n, d, t
    return sizes_by(freeridge_window_get_state, nullptr, nullptr, nullptr, nullptr);
  }
};

}  // namespace hpp
}  // namespace freeridge
