// freeridge.h for C++ tests: handles that free themselves, a status that becomes an exception with the library's own
// words, and outputs whose padding is checked.
#pragma once

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "freeridge_classical.h"
#include "support/matrix.hpp"
#include "support/points.hpp"
#include "support/search.hpp"

namespace support {

// A call answered something else than OK.
class StatusError : public std::runtime_error {
 public:
  StatusError(freeridge_status status_, const std::string& call)
      : std::runtime_error(call + ": " + freeridge_status_name(status_) + ": " + freeridge_last_error()),
        status(status_) {}
  freeridge_status status;
};

inline void check(freeridge_status status, const char* call) {
  if (status != FREERIDGE_OK) throw StatusError(status, call);
}

// Added to a route: this route on a device (Model::route). The device is the CPU in the place of one, or of this number in
// the environment.
constexpr freeridge_route on_device = 100;
inline freeridge_device test_device() {
  const char* const number = std::getenv("FREERIDGE_TEST_DEVICE");
  return number != nullptr ? std::atoi(number) : FREERIDGE_DEVICE_HOST;
}

class Kernel {
 public:
  static Kernel linear() {
    freeridge_kernel* out = nullptr;
    check(freeridge_kernel_linear(&out), "freeridge_kernel_linear");
    return Kernel(out);
  }
  static Kernel polynomial(std::int32_t degree, double scale, double offset) {
    freeridge_kernel* out = nullptr;
    check(freeridge_kernel_polynomial(degree, scale, offset, &out), "freeridge_kernel_polynomial");
    return Kernel(out);
  }
  static Kernel gaussian(double sigma) {
    freeridge_kernel* out = nullptr;
    check(freeridge_kernel_gaussian(sigma, &out), "freeridge_kernel_gaussian");
    return Kernel(out);
  }
  static Kernel scaled(const Kernel& inner, const Vector& scale) {
    freeridge_kernel* out = nullptr;
    check(freeridge_kernel_scaled(inner.get(), static_cast<std::int64_t>(scale.size()), scale.data(), &out),
          "freeridge_kernel_scaled");
    return Kernel(out);
  }
  static Kernel laplacian(double sigma) {
    freeridge_kernel* out = nullptr;
    check(freeridge_kernel_laplacian(sigma, &out), "freeridge_kernel_laplacian");
    return Kernel(out);
  }
  static Kernel matern(double nu, double length) {
    freeridge_kernel* out = nullptr;
    check(freeridge_kernel_matern(nu, length, &out), "freeridge_kernel_matern");
    return Kernel(out);
  }
  static Kernel sum(const std::vector<Kernel>& terms, const Vector& weights) {
    freeridge_kernel* out = nullptr;
    check(freeridge_kernel_sum(handles(terms).data(), weights.data(), static_cast<std::int32_t>(terms.size()), &out),
          "freeridge_kernel_sum");
    return Kernel(out);
  }
  static Kernel product(const std::vector<Kernel>& factors) {
    freeridge_kernel* out = nullptr;
    check(freeridge_kernel_product(handles(factors).data(), static_cast<std::int32_t>(factors.size()), &out),
          "freeridge_kernel_product");
    return Kernel(out);
  }
  // label empty: each column is a term.
  static Kernel additive(const Kernel& inner, const Labels& label = {}) {
    freeridge_kernel* out = nullptr;
    check(freeridge_kernel_additive(inner.get(), static_cast<std::int64_t>(label.size()),
                                    label.empty() ? nullptr : label.data(), &out),
          "freeridge_kernel_additive");
    return Kernel(out);
  }
  // A handle that a test made by itself.
  static Kernel adopt(freeridge_kernel* kernel) { return Kernel(kernel); }
  static Kernel precomputed() {
    freeridge_kernel* out = nullptr;
    check(freeridge_kernel_precomputed(&out), "freeridge_kernel_precomputed");
    return Kernel(out);
  }
  static Kernel parse(const std::string& text) {
    freeridge_kernel* out = nullptr;
    check(freeridge_kernel_parse(text.c_str(), &out), "freeridge_kernel_parse");
    return Kernel(out);
  }
  std::string description() const {
    std::int64_t length = -1;
    check(freeridge_kernel_describe(get(), 0, nullptr, &length), "freeridge_kernel_describe");
    std::string out(static_cast<std::size_t>(length) + 1, '?');
    check(freeridge_kernel_describe(get(), length + 1, out.data(), &length), "freeridge_kernel_describe");
    if (out.back() != '\0' || out.find('\0') + 1 != out.size())
      throw std::logic_error("a description of another length");
    out.pop_back();
    return out;
  }
  Vector hyperparameters() const {
    std::int64_t count = -1;
    check(freeridge_kernel_get_hyperparameters(get(), &count, nullptr), "freeridge_kernel_get_hyperparameters");
    Vector out(static_cast<std::size_t>(count));
    check(freeridge_kernel_get_hyperparameters(get(), nullptr, out.data()), "freeridge_kernel_get_hyperparameters");
    return out;
  }
  Kernel with_hyperparameters(const Vector& values) const {
    freeridge_kernel* out = nullptr;
    check(freeridge_kernel_with_hyperparameters(get(), values.data(), &out), "freeridge_kernel_with_hyperparameters");
    return Kernel(out);
  }
  bool operator==(const Kernel& other) const { return description() == other.description(); }
  const freeridge_kernel* get() const { return handle_.get(); }

 private:
  static std::vector<const freeridge_kernel*> handles(const std::vector<Kernel>& kernels) {
    std::vector<const freeridge_kernel*> out;
    for (const Kernel& kernel : kernels) out.push_back(kernel.get());
    return out;
  }
  struct Destroy {
    void operator()(freeridge_kernel* kernel) const { freeridge_kernel_destroy(kernel); }
  };
  explicit Kernel(freeridge_kernel* kernel) : handle_(kernel) {}
  std::unique_ptr<freeridge_kernel, Destroy> handle_;
};

struct Search {
  Vector lambdas;
  Matrix scores;
  Labels edge;
};

struct LambdaChoice {
  Vector lambda;
  Vector score;
};

// What freeridge_select_kernel answers, and what freeridge_get_kernel_search says.
struct KernelChoice {
  double score = 0;
  std::int64_t evaluations = 0, learnt = 0, rows = 0, sample = 0;
  std::int32_t kept = -1, lambda_at = -9;
  Labels end = Labels(5), stage, at;
  Vector tried, lambda, gradient, low, high;
  std::vector<std::int64_t> variable, row;
};

struct ScoresWithErrors {
  Matrix scores;
  Matrix errors;
};

struct OneStandardError {
  Vector lambda, score_there;    // the rule's
  Vector score, standard_error;  // the best
};

struct SearchShape {
  Vector decades;
  Labels dips;
};

struct LambdaFlags {
  double floor;
  Labels below, edge;  // of each output
};

struct BandwidthChoice {
  double sigma = 0;
  Matrix tried;  // used x 2: sigma and its criterion
};

struct BandwidthShape {
  std::int32_t edge = 9, dips = -1;
  double decades = -1;
};

// Calls with a leading dimension two longer than needed, and checks that the padding was left alone.
template <class Call>
Matrix padded_output(std::int64_t rows, std::int64_t cols, const char* name, freeridge_status* status, Call call) {
  constexpr double untouched = -12345.678;
  const std::int64_t ld = rows + 2;
  Vector buffer(static_cast<std::size_t>(ld * cols), untouched);
  const freeridge_status answer = call(buffer.data(), ld);
  if (status != nullptr) *status = answer;
  if (status == nullptr || answer != FREERIDGE_UNDEFINED) check(answer, name);
  Matrix out(rows, cols);
  for (std::int64_t j = 0; j < cols; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) out(i, j) = buffer[static_cast<std::size_t>(i + j * ld)];
    for (std::int64_t i = rows; i < ld; ++i)
      if (buffer[static_cast<std::size_t>(i + j * ld)] != untouched)
        throw std::logic_error(std::string(name) + ": wrote into the padding of its output");
  }
  return out;
}

// `folds` of freeridge_predict_jackknife where nothing is chosen again.
constexpr std::int64_t without_rows = -1, without_groups = -2;

struct Intervals {
  Matrix lower, upper;  // m x t
};

struct PredictedVariance {
  Matrix variance;  // m x t
  Vector noise;     // t
};

// Methods that answer with numbers take an optional status: then UNDEFINED is handed back there and is no exception.
class Model {
 public:
  explicit Model(const Kernel& kernel) {
    freeridge_model* out = nullptr;
    check(freeridge_create(kernel.get(), &out), "freeridge_create");
    handle_.reset(out);
  }
  freeridge_model* get() const { return handle_.get(); }

  Model& data(const Matrix& x, const Matrix& y, freeridge_layout layout = FREERIDGE_COL_MAJOR,
              std::int64_t padding = 0) {
    const Packed px = pack(x, layout, padding), py = pack(y, layout, padding);
    check(freeridge_set_data(get(), layout, x.rows, x.cols, px.values.data(), px.ld, y.cols, py.values.data(), py.ld),
          "freeridge_set_data");
    remember(x, y);
    return *this;
  }
  // x and y are borrowed: they must outlive the model's use of them.
  Model& data_view(const Packed& x, const Packed& y, std::int64_t n, std::int64_t d, std::int64_t t) {
    check(freeridge_set_points(get(), at(x, n, d), 1, x.layout, t, y.values.data(), y.ld), "freeridge_set_points");
    n_ = n, d_ = d, t_ = t;
    return *this;
  }
  // With unpenalised columns, in the layout of x.
  Model& data(const Matrix& x, const Matrix& y, const Matrix& unpenalised,
              freeridge_layout layout = FREERIDGE_COL_MAJOR, std::int64_t padding = 0) {
    const Packed px = pack(x, layout, padding), py = pack(y, layout, padding), pf = pack(unpenalised, layout, padding);
    check(freeridge_set_points(get(), with(at(px, x.rows, x.cols), unpenalised.cols, pf.values.data(), pf.ld), 0,
                               layout, y.cols, py.values.data(), py.ld),
          "freeridge_set_points");
    remember(x, y);
    return *this;
  }
  Model& weights(const Vector& weights) {  // empty: all one
    check(freeridge_set_weights(get(), weights.empty() ? nullptr : weights.data()), "freeridge_set_weights");
    return *this;
  }
  Model& intercept(bool on) { return intercept_kind(on ? FREERIDGE_INTERCEPT_FREE : FREERIDGE_INTERCEPT_NONE); }
  Model& intercept_kind(freeridge_intercept on) {
    check(freeridge_set_parameter(get(), FREERIDGE_INTERCEPT, on), "freeridge_set_parameter");
    return *this;
  }
  // n labels for each division, one after the other; gap: n for each layer of each division; empty: none
  Model& groups(const Labels& group, std::int64_t divisions = 1, const Labels& gap = {}, std::int64_t layers = 1) {
    check(freeridge_set_groups(get(), divisions, group.empty() ? nullptr : group.data(), gap.empty() ? 0 : layers,
                               gap.empty() ? nullptr : gap.data()),
          "freeridge_set_groups");
    return *this;
  }
  // + on_device: on a device
  Model& route(freeridge_route route) {
    if (route >= on_device) device(test_device());
    check(freeridge_set_parameter(get(), FREERIDGE_ROUTE, route % on_device), "freeridge_set_parameter");
    return *this;
  }
  // A model that is never destroyed: those of the tests share the engine that it has.
  static void keep_open(freeridge_device device) {
    static Model* const kept = [&] {
      auto* const out = new Model(Kernel::linear());
      check(freeridge_set_parameter(out->get(), FREERIDGE_DEVICE, device), "freeridge_set_parameter");
      return out;
    }();
    static_cast<void>(kept);
  }
  Model& device(freeridge_device device) {
    if (device >= FREERIDGE_DEVICE_CUDA && std::getenv("FREERIDGE_TEST_DEVICE") != nullptr) keep_open(device);
    check(freeridge_set_parameter(get(), FREERIDGE_DEVICE, device), "freeridge_set_parameter");
    return *this;
  }
  Model& expected_lambdas(std::int64_t count) {
    check(freeridge_set_parameter(get(), FREERIDGE_EXPECTED_LAMBDAS, static_cast<double>(count)),
          "freeridge_set_parameter");
    return *this;
  }
  Model& kernel(const Kernel& kernel) {
    check(freeridge_set_kernel(get(), kernel.get()), "freeridge_set_kernel");
    return *this;
  }
  Model& progress(freeridge_progress callback, void* user) {
    check(freeridge_set_progress(get(), callback, user), "freeridge_set_progress");
    return *this;
  }
  Model& factorize() {
    check(freeridge_factorize(get()), "freeridge_factorize");
    return *this;
  }
  Model& lambda(double lambda) {
    check(freeridge_set_lambda(get(), lambda), "freeridge_set_lambda");
    return *this;
  }
  Model& lambdas(const Vector& lambda) {
    check(freeridge_set_lambdas(get(), lambda.data()), "freeridge_set_lambdas");
    return *this;
  }

  Matrix loo(freeridge_status* status = nullptr) const {
    return output(n_, t_, "freeridge_loo", status,
                  [&](double* out, std::int64_t ld) { return freeridge_loo(get(), out, ld); });
  }
  Matrix group_errors(const Labels& group, freeridge_status* status = nullptr) const {
    return output(n_, t_, "freeridge_group_errors", status, [&](double* out, std::int64_t ld) {
      return freeridge_group_errors(get(), group.data(), 0, nullptr, out, ld);
    });
  }
  Matrix group_errors(const Labels& group, const Labels& gap, freeridge_status* status = nullptr) const {
    return output(n_, t_, "freeridge_group_errors", status, [&](double* out, std::int64_t ld) {
      const auto layers = static_cast<std::int64_t>(gap.size() / group.size());
      return freeridge_group_errors(get(), group.data(), layers, gap.data(), out, ld);
    });
  }
  Matrix coefficients() const {
    return output(n_, t_, "freeridge_coefficients", nullptr, [&](double* out, std::int64_t ld) {
      return freeridge_coefficients(get(), 0, nullptr, out, ld, nullptr);
    });
  }
  Matrix hyperplane() const {
    return output(d_, t_, "freeridge_hyperplane", nullptr, [&](double* out, std::int64_t ld) {
      return freeridge_hyperplane(get(), 0, nullptr, out, ld, nullptr);
    });
  }
  Matrix fitted() const {
    return output(n_, t_, "freeridge_get_fitted", nullptr,
                  [&](double* out, std::int64_t ld) { return freeridge_get_fitted(get(), out, ld); });
  }
  Matrix leverage() const {
    return output(n_, t_, "freeridge_get_leverage", nullptr,
                  [&](double* out, std::int64_t ld) { return freeridge_get_leverage(get(), out, ld); });
  }
  Vector degrees_of_freedom() const {
    Vector out(static_cast<std::size_t>(t_));
    check(freeridge_degrees_of_freedom(get(), out.data(), nullptr), "freeridge_degrees_of_freedom");
    return out;
  }
  Vector error_variance(freeridge_status* status = nullptr) const {
    return output(t_, 1, "freeridge_degrees_of_freedom", status,
                  [&](double* out, std::int64_t) { return freeridge_degrees_of_freedom(get(), nullptr, out); })
        .values;
  }
  Matrix cooks_distance(freeridge_status* status = nullptr) const {
    return output(n_, t_, "freeridge_cooks_distance", status,
                  [&](double* out, std::int64_t ld) { return freeridge_cooks_distance(get(), out, ld); });
  }
  Intervals predict_jackknife(const Matrix& x, double level, freeridge_layout layout = FREERIDGE_COL_MAJOR,
                              std::int64_t padding = 0, freeridge_status* status = nullptr,
                              std::int64_t folds = without_rows) const {
    const Packed px = pack(x, layout, padding);
    Packed lower = pack(Matrix(x.rows, t_), layout, padding), upper = lower;
    const freeridge_status answer = freeridge_predict_jackknife(get(), at(px, x.rows, x.cols), level, folds, 0, layout,
                                                                lower.values.data(), upper.values.data(), lower.ld);
    if (status != nullptr) *status = answer;
    if (status == nullptr || answer != FREERIDGE_UNDEFINED) check(answer, "freeridge_predict_jackknife");
    return {unpack(lower, x.rows, t_), unpack(upper, x.rows, t_)};
  }
  PredictedVariance predict_variance(const Matrix& x, freeridge_layout layout = FREERIDGE_COL_MAJOR,
                                     std::int64_t padding = 0, freeridge_status* status = nullptr) const {
    const Packed px = pack(x, layout, padding);
    Packed variance = pack(Matrix(x.rows, t_), layout, padding);
    PredictedVariance out{{}, Vector(static_cast<std::size_t>(t_))};
    const freeridge_status answer = freeridge_predict_variance(get(), at(px, x.rows, x.cols), layout,
                                                               variance.values.data(), variance.ld, out.noise.data());
    if (status != nullptr) *status = answer;
    if (status == nullptr || answer != FREERIDGE_UNDEFINED) check(answer, "freeridge_predict_variance");
    out.variance = unpack(variance, x.rows, t_);
    return out;
  }
  Vector intercepts() const {
    Vector out(static_cast<std::size_t>(t_));
    check(freeridge_coefficients(get(), 0, nullptr, nullptr, 0, out.data()), "freeridge_coefficients");
    return out;
  }
  Vector lambda_in_force() const {
    Vector out(static_cast<std::size_t>(t_));
    check(freeridge_get_lambda(get(), out.data()), "freeridge_get_lambda");
    return out;
  }
  freeridge_route route_used() const {
    freeridge_route out = FREERIDGE_ROUTE_AUTO;
    check(freeridge_get_route(get(), &out), "freeridge_get_route");
    return out;
  }
  double bandwidth() const {
    double out = 0;
    check(freeridge_get_bandwidth(get(), &out, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
          "freeridge_get_bandwidth");
    return out;
  }
  Matrix predict(const Matrix& x, freeridge_layout layout = FREERIDGE_COL_MAJOR, std::int64_t padding = 0) const {
    const Packed px = pack(x, layout, padding);
    Packed out = pack(Matrix(x.rows, t_), layout, padding);
    check(freeridge_predict(get(), layout, x.rows, px.values.data(), px.ld, out.values.data(), out.ld),
          "freeridge_predict");
    Matrix result(x.rows, t_);
    for (std::int64_t j = 0; j < t_; ++j)
      for (std::int64_t i = 0; i < x.rows; ++i) result(i, j) = out.values[packed_index(layout, out.ld, i, j)];
    return result;
  }

  Matrix score(freeridge_criterion criterion, const Vector& lambdas, freeridge_status* status = nullptr) const {
    const auto count = static_cast<std::int64_t>(lambdas.size());
    return output(count, t_, "freeridge_score", status, [&](double* out, std::int64_t ld) {
      return freeridge_score(get(), criterion, count, lambdas.data(), out, nullptr, ld);
    });
  }
  ScoresWithErrors score_with_error(freeridge_criterion criterion, const Vector& lambdas,
                                    freeridge_status* status = nullptr) const {
    const auto count = static_cast<std::int64_t>(lambdas.size());
    ScoresWithErrors out;
    out.errors = output(count, t_, "freeridge_score", status, [&](double* errors, std::int64_t ld) {
      Vector scores(static_cast<std::size_t>(ld * t_));
      const freeridge_status answer =
          freeridge_score(get(), criterion, count, lambdas.data(), scores.data(), errors, ld);
      out.scores = Matrix(count, t_);
      for (std::int64_t j = 0; j < t_; ++j)
        for (std::int64_t i = 0; i < count; ++i) out.scores(i, j) = scores[static_cast<std::size_t>(i + j * ld)];
      return answer;
    });
    return out;
  }
  Vector lambda_grid(std::int64_t count) const {
    Vector out(static_cast<std::size_t>(count));
    check(freeridge_lambda_grid(get(), count, out.data()), "freeridge_lambda_grid");
    return out;
  }
  LambdaChoice select_lambda(freeridge_criterion criterion, double low = 0, double high = 0) {
    LambdaChoice out{Vector(static_cast<std::size_t>(t_)), Vector(static_cast<std::size_t>(t_))};
    check(freeridge_select_lambda(get(), criterion, low, high, out.lambda.data(), out.score.data()),
          "freeridge_select_lambda");
    return out;
  }
  std::int64_t search_count() const {
    freeridge_search search = no_search();  // of no lambdas before a search
    const freeridge_status status = freeridge_get_search(get(), &search);
    if (status != FREERIDGE_INVALID_STATE) check(status, "freeridge_get_search");
    return search.count;
  }
  Search search() const {
    const std::int64_t count = search_count();
    Search out{Vector(static_cast<std::size_t>(count)), {}, Labels(static_cast<std::size_t>(t_))};
    out.scores = output(count, t_, "freeridge_get_search", nullptr, [&](double* scores, std::int64_t ld) {
      freeridge_search search = no_search();
      search.edge = out.edge.data();
      search.lambdas = out.lambdas.data();
      search.scores = scores;
      search.ld = ld;
      return freeridge_get_search(get(), &search);
    });
    return out;
  }
  OneStandardError one_standard_error() const {
    const Vector room(static_cast<std::size_t>(t_));
    OneStandardError out{room, room, room, room};
    freeridge_search search = no_search();
    search.score = out.score.data();
    search.standard_error = out.standard_error.data();
    search.one_se_lambda = out.lambda.data();
    search.one_se_score = out.score_there.data();
    check(freeridge_get_search(get(), &search), "freeridge_get_search");
    return out;
  }
  SearchShape search_shape() const {
    SearchShape out{Vector(static_cast<std::size_t>(t_)), Labels(static_cast<std::size_t>(t_))};
    freeridge_search search = no_search();
    search.decades = out.decades.data();
    search.dips = out.dips.data();
    check(freeridge_get_search(get(), &search), "freeridge_get_search");
    return out;
  }
  LambdaFlags lambda_flags() const {
    LambdaFlags out{0, Labels(static_cast<std::size_t>(t_)), Labels(static_cast<std::size_t>(t_))};
    check(freeridge_lambda_flags(get(), &out.floor, out.below.data(), out.edge.data()), "freeridge_lambda_flags");
    return out;
  }
  BandwidthShape bandwidth_shape() const {
    BandwidthShape out;
    check(freeridge_get_bandwidth(get(), nullptr, nullptr, nullptr, nullptr, &out.edge, &out.decades, &out.dips),
          "freeridge_get_bandwidth");
    return out;
  }
  Kernel kernel_in_force() const {
    freeridge_kernel* out = nullptr;
    check(freeridge_get_kernel(get(), &out), "freeridge_get_kernel");
    return Kernel::adopt(out);
  }
  KernelChoice select_kernel(freeridge_criterion criterion, const Labels& label = {}, double shrinkage = 0,
                             std::int64_t rows = 0, std::int64_t seed = 1, std::int64_t evaluations = 0) {
    KernelChoice out;
    check(freeridge_select_kernel(get(), criterion, label.empty() ? nullptr : label.data(), shrinkage, rows, seed,
                                  evaluations, &out.score),
          "freeridge_select_kernel");
    freeridge_kernel_search search = no_kernel_search();
    check(freeridge_get_kernel_search(get(), &search), "freeridge_get_kernel_search, the sizes");
    const auto tried = static_cast<std::size_t>(search.evaluations);
    const auto numbers = static_cast<std::size_t>(search.hyperparameters);
    out.evaluations = search.evaluations, out.learnt = search.learnt, out.rows = search.rows;
    out.sample = search.sample, out.kept = search.kept, out.lambda_at = search.lambda_at;
    out.stage.resize(tried), out.tried.resize(tried), out.lambda.resize(tried), out.gradient.resize(tried);
    out.variable.resize(numbers), out.low.resize(numbers), out.high.resize(numbers), out.at.resize(numbers);
    out.row.resize(static_cast<std::size_t>(search.rows));
    search.ended = out.end.data(), search.stage = out.stage.data(), search.score = out.tried.data();
    search.lambda = out.lambda.data(), search.gradient = out.gradient.data(), search.row = out.row.data();
    search.variable = out.variable.data(), search.low = out.low.data(), search.high = out.high.data();
    search.at = out.at.data();
    check(freeridge_get_kernel_search(get(), &search), "freeridge_get_kernel_search");
    return out;
  }
  BandwidthChoice select_bandwidth(freeridge_criterion criterion, double low, double high, std::int64_t budget) {
    BandwidthChoice out;
    check(freeridge_select_bandwidth(get(), criterion, low, high, budget, &out.sigma), "freeridge_select_bandwidth");
    std::int64_t used = 0;
    check(freeridge_get_bandwidth(get(), nullptr, &used, nullptr, nullptr, nullptr, nullptr, nullptr), "the count");
    if (used < 1 || used > budget + 1) throw std::logic_error("freeridge_get_bandwidth: count is out of range");
    out.tried = Matrix(used, 2);
    double* const tried = out.tried.values.data();
    check(freeridge_get_bandwidth(get(), nullptr, nullptr, tried, tried + used, nullptr, nullptr, nullptr), "tried");
    return out;
  }

 private:
  struct Destroy {
    void operator()(freeridge_model* model) const { freeridge_destroy(model); }
  };

  void remember(const Matrix& x, const Matrix& y) { n_ = x.rows, d_ = x.cols, t_ = y.cols; }

  template <class Call>
  Matrix output(std::int64_t rows, std::int64_t cols, const char* name, freeridge_status* status, Call call) const {
    return padded_output(rows, cols, name, status, call);
  }

  std::unique_ptr<freeridge_model, Destroy> handle_;
  std::int64_t n_ = 0, d_ = 0, t_ = 0;
};

}  // namespace support
