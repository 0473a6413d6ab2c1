// The state machine behind freeridge_classifier:
//   EMPTY --set_data--> DATA --fit--> FITTED
// Setters go back to DATA. Every member either does its work, or throws Error and leaves the classifier as it was.
// Const members may run side by side. The caller (the C layer) has checked sizes and pointers; values are checked here.
// The solvers solve the scaled problem of loss_problem.hpp. Its a, objective and norm in the user's units:
//   c = omega a / lambda,   objective = omega * (scaled objective),   ||f||^2 = omega / lambda * a'(tau K)a
// With a penalised offset (data/offset.hpp) K is the matrix of k + 1, the solvers have no offset, and b = sum_i c_i.
// lambda = 0 is the hard margin of the hinge loss (hard_margin.hpp): lambda in these formulas is then that of the soft
// margin with the same solution, and the objective is 1/2 ||f||^2 (+ 1/2 b^2).
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "libcore/base/array.hpp"
#include "libcore/base/saved_values.hpp"
#include "libcore/data/offset.hpp"
#include "libcore/factor/solution.hpp"
#include "libcore/losses/loss_problem.hpp"

namespace freeridge {

constexpr double usual_tolerance = 1e-8;  // of solutions

enum class Loss : std::int32_t { logistic = 1, hinge = 2 };
// The kind of a point by its dual number alpha_i = c_i y_i of the hinge loss: alpha_i = 0; 0 < alpha_i < W_ii / lambda;
// alpha_i = W_ii / lambda.
enum class SupportKind : std::int32_t { none = 0, free = 1, bounded = 2 };

// Finite, -1 or +1, and both present; else NOT_FINITE or INVALID_ARGUMENT with the row.
void check_labels(Span<const double> y);

class Classifier {
 public:
  Classifier(KernelPtr kernel, Loss loss) : kernel_(std::move(kernel)), loss_(loss) {}

  // Settings
  void set_data(const Rows& x, const double* y);  // copies, sparse rows with their zeros
  void set_weights(const double* weights);        // n, or NULL
  void set_intercept(Offset offset);
  void set_listener(const Listener& listener) { listener_ = listener; }
  // The most bytes that fit allocates beside the data, with the kernel matrix that it keeps.
  Index memory_required() const;
  // Of solutions, and the most steps to them (0: the loss's own); the caller has checked their bounds.
  void set_tolerance(double tolerance);
  void set_iterations(Index iterations);

  // Work
  void fit(double lambda);

  // Answers: one number for each point; NULL where one is not wanted
  void predict(const Rows& points, double* decision, double* probability) const;
  [[nodiscard]] std::string loo(double* decision) const;  // says why some are NaN; empty when none is
  void coefficients(double* c, double* b) const;
  void convergence(double* objective, Index* iterations, double* stationarity) const;
  void support(Index* count, Index* rows, double* margin) const;
  // Geometry (margins.cpp)
  [[nodiscard]] std::string distances(const Rows& points, double* distance) const;
  void margins(double* margin, double* slack, double* alpha, std::int32_t* support) const;
  [[nodiscard]] std::string duality(double* dual, double* gap) const;

  // Saving (saved_classifier.cpp has the payload): all but the kernel matrix, which is made again when it is needed.
  void save(ByteWriter& out) const;
  static Classifier load(const ByteSource& source);
  // Where x stands among these bytes. Reads no further than that.
  static SavedX locate_x(ByteReader& in);

  // State
  Loss loss() const { return loss_; }
  const KernelPtr& kernel() const { return kernel_; }
  Offset offset() const { return offset_; }
  double tolerance() const { return tolerance_; }
  Index iterations() const;
  Span<const double> weights() const { return data().given; }  // empty: all one
  double lambda() const { return fitted().lambda; }
  const Listener& listener() const { return listener_; }
  Index n() const { return data().x.rows; }
  Index d() const { return data().x.cols; }
  // Throw INVALID_STATE, naming the call that is missing.
  void require_fitted() const { fitted(); }

 private:
  struct Data {
    Matrix x_copy;
    LayoutView x;                     // of x_copy
    Array<double> y, given, weights;  // given: W, or empty
    double omega = 1;                 // a power of two; weights = W / omega
  };
  // The kernel matrix, which is the same for all lambdas and is kept.
  struct Gram {
    Matrix k;       // K / kappa, both triangles
    int kappa = 0;  // log2 of the divisor kappa
  };
  // The kernel matrix is made by the first call that needs it: fit, or loo after loading.
  struct Kept {
    std::mutex mutex;
    std::shared_ptr<const Gram> gram;
  };
  struct Fit {
    double lambda = 0;
    double unit = 0;  // c = omega a / unit: lambda, but for a hard margin
    int kappa = 0;    // of the kernel matrix that it was fitted with
    LossSolution solution;
    Array<double> c;
    double b = 0;      // for f(x) = sum_i c_i k(x_i, x) + b
    double level = 0;  // linear kernels: f(x) + b = (x - shift)'w + level
    Matrix w;          // d x 1, linear kernels: f(x) = w'x + b
    double objective = 0, norm = 0;

    bool hard() const { return lambda == 0; }
  };

  const Data& data() const;
  const Fit& fitted() const;
  ProblemPtr shape() const;
  Gram made_gram() const;
  std::shared_ptr<const Gram> gram() const;
  bool has_gram() const;
  double tau(int kappa, double lambda) const;
  LossProblem problem(const Gram& gram, double tau) const;
  Fit fit_soft(const Gram& gram, const LossControl& control, double lambda) const;
  Fit fit_hard(const Gram& gram, const LossControl& control) const;
  // unit: see Fit
  Fit finished(LossSolution solution, int kappa, double lambda, double unit) const;
  double norm_of(const LossSolution& solution, double unit) const;
  bool free_offset() const { return offset_ == Offset::free; }
  static Classifier load_settings(std::int64_t& state, ByteReader& in);
  void load_rows(ByteReader& in);
  void load_fit(ByteReader& in);

  KernelPtr kernel_;
  Loss loss_;
  std::optional<Data> data_;
  Offset offset_ = Offset::free;
  double tolerance_ = usual_tolerance;
  Index iterations_ = 0;  // 0: the default of the loss
  Listener listener_;
  ProblemPtr shape_;  // the shift and scale of linear kernels; made with the first fit
  std::unique_ptr<Kept> kept_ = std::make_unique<Kept>();
  std::optional<Fit> fit_;
};

}  // namespace freeridge
