// The state machine behind freeridge_classifier:
//   EMPTY --set_data--> DATA --fit--> FITTED
// Setters go back to DATA. Every member either does its work, or throws Error and leaves the classifier as it was.
// Const members may run side by side. The caller (the C layer) has checked sizes and pointers; values are checked here.
// The solvers solve the scaled problem of loss_problem.hpp. Its a, objective and norm in the user's units:
//   c = omega a / lambda,   objective = omega * (scaled objective),   ||f||^2 = omega / lambda * a'(tau K)a
#pragma once

#include <optional>

#include "libcore/factor/solution.hpp"
#include "libcore/losses/loss_problem.hpp"

namespace freeridge {

enum class Loss : std::int32_t { logistic = 1, hinge = 2 };

class Classifier {
 public:
  Classifier(KernelPtr kernel, Loss loss) : kernel_(std::move(kernel)), loss_(loss) {}

  // Settings
  void set_data(const LayoutView& x, const double* y);  // copies
  void set_weights(const double* weights);              // n, or NULL
  void set_intercept(bool on);
  void set_progress(Progress progress) { progress_ = progress; }
  // What fit allocates at most beside the data, the kernel matrix that it keeps included.
  Index memory_required() const;
  void set_control(double tolerance, Index iterations);

  // Work
  void fit(double lambda);

  // Answers: one number for each point; NULL where one is not wanted
  void predict(const LayoutView& points, double* decision, double* probability) const;
  [[nodiscard]] std::string loo(double* decision) const;  // says why some are NaN; empty when none is
  void coefficients(double* c, double* b) const;
  void convergence(double* objective, Index* iterations, double* gap) const;
  void support(Index* count, Index* rows, double* margin) const;

  // State
  Loss loss() const { return loss_; }
  Index n() const { return data().x.rows; }
  Index d() const { return data().x.cols; }
  // Throw INVALID_STATE, naming the call that is missing.
  void require_fitted() const { fitted(); }

 private:
  struct Data {
    Matrix x_copy;
    LayoutView x;  // of x_copy
    std::vector<double> y, weights;
    double omega = 1;  // a power of two; weights = W / omega
  };
  // The kernel matrix, which is the same for all lambdas and is kept.
  struct Gram {
    Matrix k;          // K / kappa, both triangles
    int kappa = 0;     // log2 of the divisor kappa
    ProblemPtr shape;  // the shift and scale of linear kernels
  };
  struct Fit {
    LossSolution solution;
    std::vector<double> c;
    double b = 0;  // for f(x) = sum_i c_i k(x_i, x) + b
    Matrix w;      // d x 1, linear kernels: f(x) = w'x + b
    double objective = 0, norm = 0;
  };

  const Data& data() const;
  const Fit& fitted() const;
  Gram gram(const Progress& progress) const;
  LossProblem problem(double tau) const;
  Fit finished(LossSolution solution, double lambda) const;

  KernelPtr kernel_;
  Loss loss_;
  std::optional<Data> data_;
  bool intercept_ = true;
  double tolerance_ = 1e-8;
  Index iterations_ = 0;  // 0: the default of the loss
  Progress progress_;
  std::optional<Gram> gram_;
  std::optional<Fit> fit_;
};

}  // namespace freeridge
