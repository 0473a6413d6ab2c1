// Saved classifiers. The payload; [] says when what follows is there:
//     kernel      its text (kernel/kernel_text.hpp)
//     settings    loss, the offset (0 none, 1 free, 2 penalised), tolerance, iterations (0: the loss's own)
//     state       0 EMPTY, 1 DATA, 2 FITTED
//     [DATA or FITTED]
//       n, d; x (n x d, column by column), y (n numbers -1 or 1); weighted 0/1; [weighted] n weights
//     [FITTED]
//       lambda; [lambda = 0] the lambda of the soft margin with the same solution; the exponent of kappa, b,
//       iterations, gap, a'(tau K)a and the objective of loss_problem.hpp; a (n), f (n)
// c, w and the norm are computed again from a, in the same way; the kernel matrix is made again by the first call that
// needs it.
#include <limits>

#include "libcore/base/checks.hpp"
#include "libcore/base/memory.hpp"
#include "libcore/kernel/kernel_text.hpp"
#include "libcore/losses/classifier.hpp"

namespace freeridge {
namespace {

constexpr double largest = std::numeric_limits<double>::max();
constexpr Index any_count = std::numeric_limits<Index>::max();
constexpr Index most_exponent = 2200;  // kernel values are doubles, from 2^-1074 to 2^1024

enum State : std::int64_t { empty_state = 0, data_state = 1, fitted_state = 2 };

struct Size {
  Index n, d;
};

// Reads n and d, the size of x, which follows.
Size load_size(ByteReader& in) {
  const Size size{in.integer("n", 1, largest_dimension), in.integer("d", 1, largest_dimension)};
  in.require("x", size.n, size.d);
  return size;
}

}  // namespace

void Classifier::save(ByteWriter& out) const {
  save_kernel(*kernel_, out);
  save_enum(loss_, out);
  save_enum(offset_, out);
  out.number(tolerance_);
  out.integer(iterations_);
  out.integer(fit_ ? fitted_state : data_ ? data_state : empty_state);
  if (data_) {
    out.integer(n());
    out.integer(d());
    out.matrix(data_->x_copy.view());
    out.numbers(data_->y);
    out.integer(data_->given.empty() ? 0 : 1);
    out.numbers(data_->given);
  }
  if (fit_) {
    const LossSolution& solution = fit_->solution;
    out.number(fit_->lambda);
    if (fit_->hard()) out.number(fit_->unit);
    out.integer(fit_->kappa);
    out.number(solution.b);
    out.integer(solution.iterations);
    for (const double value : {solution.gap, solution.squared, solution.objective}) out.number(value);
    out.numbers(solution.a);
    out.numbers(solution.f);
  }
}

Classifier Classifier::load(const ByteSource& source) {
  ByteReader in(source, {SavedKind::classifier});
  require_memory(8 * in.left(), "the saved classifier", "free memory");
  return sound([&] {
    std::int64_t state = empty_state;
    Classifier out = load_settings(state, in);
    if (state >= data_state) out.load_rows(in);
    if (state == fitted_state) out.load_fit(in);
    in.end();
    return out;
  });
}

Classifier Classifier::load_settings(std::int64_t& state, ByteReader& in) {
  KernelPtr kernel = load_kernel(in);
  Classifier out(std::move(kernel), load_enum("loss", Loss::logistic, Loss::hinge, in));
  out.offset_ = load_enum("intercept", Offset::none, Offset::penalised, in);
  out.tolerance_ = in.number("tolerance", largest);
  if (!(out.tolerance_ > 0)) fail(Status::corrupt, "the tolerance is ", out.tolerance_, "; it must be positive");
  out.iterations_ = in.integer("iterations", 0, any_count);
  state = in.integer("state", empty_state, fitted_state);
  return out;
}

SavedX Classifier::locate_x(ByteReader& in) {
  std::int64_t state = empty_state;
  load_settings(state, in);
  if (state == empty_state) return {0, 0};
  const Size size = load_size(in);
  return {in.position(), 8 * size.n * size.d};
}

void Classifier::load_rows(ByteReader& in) {
  const auto [n, d] = load_size(in);
  kernel_->check_data(n, d);
  data_ = Data{};
  Data& data = *data_;
  data.x_copy = in.matrix("x", largest, n, d);
  data.x = {data.x_copy.data(), n, d, n, Layout::col_major};
  data.y = in.vector("y", 1, n);
  check_labels(data.y);
  const bool weighted = load_flag("weighted", in);
  set_weights(weighted ? in.vector("the weights", largest, n).data() : nullptr);
}

void Classifier::load_fit(ByteReader& in) {
  const double lambda = in.number("lambda", largest);
  const double unit = lambda == 0 ? in.number("the soft margin's lambda", largest) : lambda;
  if (lambda < 0 || unit <= 0 || (lambda == 0 && loss_ == Loss::logistic))
    fail(Status::corrupt, "the saved lambda is ", lambda == 0 ? unit : lambda);
  const auto kappa = static_cast<int>(in.integer("the exponent of kappa", -most_exponent, most_exponent));
  LossSolution solution;
  solution.tau = tau(kappa, unit);
  solution.b = in.number("b", largest);
  solution.iterations = in.integer("iterations", 0, any_count);
  solution.gap = in.number("gap", largest);
  solution.squared = in.number("the squared norm", largest);
  solution.objective = in.number("objective", largest);
  solution.a = in.vector("a", largest, n());
  solution.f = in.vector("f", largest, n());
  if (!(solution.tau < 1e300))
    fail(Status::corrupt, "the saved lambda is ", lambda, ", too small for the kernel matrix");
  for (std::size_t i = 0; i < solution.a.size() && loss_ == Loss::hinge; ++i)
    if (const double alpha = solution.a[i] * data_->y[i]; alpha < 0 || alpha > data_->weights[i])
      fail(Status::corrupt, "the saved a[", i, "] is ", solution.a[i], ", outside its bounds");
  shape_ = shape();
  fit_ = finished(std::move(solution), kappa, lambda, unit);
}

}  // namespace freeridge
