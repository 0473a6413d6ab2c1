#include "libcore/select/evidence.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/base/checks.hpp"
#include "libcore/base/progress.hpp"
#include "libcore/kernel/hyperparameters.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/kernel/log_gradient.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/select/loss_functions.hpp"

namespace freeridge {
namespace {

constexpr double free_variance = 25;  // of what is not penalised; 4 and 100 predict the same
constexpr int most_mode_steps = 100;
constexpr double small_mode_step = 1e-6;  // of f: the error after it is about its square
constexpr double usual_mode_steps = 5;

// c
Index least_copies(const Problem& problem) {
  Index out = problem.n();
  for (Index j = 0; j < problem.t(); ++j) out = std::min(out, problem.copies_of(j).count);
  return out;
}

// H, n x q.
Matrix free_columns(const Problem& problem) {
  const Index n = problem.n(), ones = problem.intercept ? 1 : 0;
  Matrix out(n, ones + problem.fixed.cols, 1.0);
  for (Index k = 0; k < problem.fixed.cols; ++k) {
    double mean = 0, square = 0;
    for (Index i = 0; i < n && problem.intercept; ++i) mean += problem.fixed(i, k) / static_cast<double>(n);
    for (Index i = 0; i < n; ++i) {
      const double value = out(i, ones + k) = problem.fixed(i, k) - mean;
      square = std::hypot(square, value);
    }
    const double rms = square / std::sqrt(static_cast<double>(n));
    for (Index i = 0; i < n && rms > 0; ++i) out(i, ones + k) /= rms;
  }
  return out;
}

class Evidence {
 public:
  Evidence(const Problem& problem, double lambda)
      : problem_(problem),
        n_(problem.n()),
        omega_(problem.sum_w / static_cast<double>(n_ - least_copies(problem))),
        unit_(omega_ / lambda),
        free_(free_columns(problem)),
        g_(n_, n_),
        b_(n_, n_),
        s_(n_, n_, 0.0) {
    weighted_kernel_matrix(*problem.kernel, problem.x, problem.shift, Array<double>(n_, 1.0), g_.view());
    for (Index j = 0; j < n_; ++j) {
      for (Index i = j; i < n_; ++i) g_(i, j) *= unit_;
      worked(touched * static_cast<double>(n_ - j));
    }
    if (free_.cols() > 0) syrk(Op::none, free_variance, free_.view(), 1, g_.view());
    for (Index i = 0; i < n_; ++i)
      if (!std::isfinite(g_(i, i))) fail(Status::not_finite, "K / lambda overflows; use a larger lambda");
  }

  ScoreGradient gradient(Modes& modes) {
    const Index t = problem_.t();
    const bool warm = modes.rows() == n_ && modes.cols() == t;
    if (!warm) modes = Matrix(n_, t, 0.0);
    for (Index j = 0; j < t; ++j) {
      set_output(j);
      Stage stage(fraction(j, t), fraction(j + 1, t));
      find_mode({modes.col(j), n_});
      std::ranges::copy(slope_, modes.col(j));
      add_output();
    }
    contract();
    return std::move(out_);
  }

 private:
  void set_output(Index j) {
    y_.resize(n_);
    u_.resize(n_);
    for (Index i = 0; i < n_; ++i) {
      y_[i] = problem_.y(i, j);
      u_[i] = problem_.weight(i) / omega_;
    }
    for (const Index i : problem_.missing_rows(j)) u_[i] = 0;
  }

  // alpha'f / 2 + sum u log(1 + exp(-y f)), which the mode minimises
  double objective(Span<const double> alpha, Span<const double> f) const {
    double sum = 0;
    for (Index i = 0; i < n_; ++i) sum += alpha[i] * f[i] / 2 + (u_[i] > 0 ? u_[i] * logistic_loss(y_[i] * f[i]) : 0);
    return sum;
  }

  Array<double> times_g(Span<const double> alpha) const {
    Array<double> out(n_);
    symv(g_.view(), alpha.data(), out.data());
    return out;
  }

  // w^(1/2), g at f, and the factor of B.
  void factorize(Span<const double> f) {
    root_.resize(n_);
    slope_.resize(n_);
    for (Index i = 0; i < n_; ++i) {
      const double z = y_[i] * f[i];
      root_[i] = std::sqrt(u_[i] * sigmoid(z) * sigmoid(-z));
      slope_[i] = u_[i] * y_[i] * sigmoid(-z);
    }
    for (Index j = 0; j < n_; ++j) {
      for (Index i = j; i < n_; ++i) b_(i, j) = root_[i] * g_(i, j) * root_[j];
      b_(j, j) += 1;
      worked(2 * touched * static_cast<double>(n_ - j));
    }
    if (!potrf(b_.view()))
      fail(Status::not_positive_definite,
           "I + w^(1/2) G w^(1/2) has no factor: the kernel matrix is not positive "
           "definite, or lambda is too small");
  }

  void find_mode(Span<const double> start) {
    const Array<double> zero(n_, 0.0);
    Array<double> alpha(start.begin(), start.end());
    f_ = times_g(alpha);
    double before = objective(alpha, f_);
    if (const double cold = objective(zero, zero); !(before <= cold)) {
      alpha = f_ = zero;
      before = cold;
    }
    Stage stage(0, 0);
    for (int step = 0;; ++step) {
      if (step == most_mode_steps) fail(Status::not_converged, "no mode within ", most_mode_steps, " Newton steps");
      stage.next(0.8 * (step / (step + usual_mode_steps)));
      factorize(f_);
      Array<double> b(n_);
      for (Index i = 0; i < n_; ++i) b[i] = root_[i] * root_[i] * f_[i] + slope_[i];
      Array<double> inner = times_g(b);
      for (Index i = 0; i < n_; ++i) inner[i] *= root_[i];
      const MatrixView column{inner.data(), n_, 1, n_};
      trsm(Op::none, b_.view(), column);
      trsm(Op::transpose, b_.view(), column);
      Array<double> move(n_);
      for (Index i = 0; i < n_; ++i) move[i] = b[i] - root_[i] * inner[i] - alpha[i];
      const Array<double> df = times_g(move);
      double largest = 0;
      for (const double value : df) largest = std::max(largest, std::abs(value));
      if (!std::isfinite(largest)) fail(Status::not_finite, "a Newton step overflows; use a larger lambda");
      double part = 1;
      Array<double> to(n_), f(n_);
      for (;; part /= 2) {
        for (Index i = 0; i < n_; ++i) {
          to[i] = alpha[i] + part * move[i];
          f[i] = f_[i] + part * df[i];
        }
        const double here = objective(to, f);
        if (here <= before || part * largest < small_mode_step) {
          before = std::min(before, here);
          break;
        }
      }
      alpha.swap(to);
      f_.swap(f);
      if (part * largest < small_mode_step) break;
    }
    factorize(f_);
  }

  // E of the output, and its part of S.
  void add_output() {
    double determinant = 0;
    for (Index i = 0; i < n_; ++i) determinant += std::log(b_(i, i));
    out_.score += objective(slope_, f_) + determinant;
    potri(b_.view());
    Array<double> s(n_), v(n_);
    for (Index i = 0; i < n_; ++i) s[i] = -0.5 * (1 - b_(i, i)) * (sigmoid(-f_[i]) - sigmoid(f_[i]));
    Array<double> inner = times_g(s);
    for (Index i = 0; i < n_; ++i) inner[i] *= root_[i];
    symv(b_.view(), inner.data(), v.data());
    for (Index i = 0; i < n_; ++i) v[i] = s[i] - root_[i] * v[i];
    for (Index j = 0; j < n_; ++j) {
      for (Index i = j; i < n_; ++i)
        s_(i, j) +=
            0.5 * (slope_[i] * slope_[j] - root_[i] * b_(i, j) * root_[j] + v[i] * slope_[j] + slope_[i] * v[j]);
      worked(3 * touched * static_cast<double>(n_ - j));
    }
  }

  // dE / d log theta = -unit <S, dK / d log theta>,   dE / d log lambda = <S, G - 25 H H'>
  void contract() {
    const auto tile_of_s = [&](Index row, Index col, MatrixView tile) {
      for (Index j = 0; j < tile.cols; ++j)
        for (Index i = 0; i < tile.rows; ++i) {
          const Index a = row + i, b = col + j;
          tile(i, j) = a >= b ? s_(a, b) : s_(b, a);
        }
      worked(touched * static_cast<double>(tile.rows * tile.cols));
    };
    out_.kernel = log_gradient(*problem_.kernel, problem_.x, problem_.shift, Array<double>(n_, 1.0), tile_of_s);
    for (double& slope : out_.kernel) slope *= -unit_;
    for (Index j = 0; j < n_; ++j) {
      double below = 0;
      for (Index i = j + 1; i < n_; ++i) below += s_(i, j) * g_(i, j);
      out_.log_lambda += 2 * below + s_(j, j) * g_(j, j);
    }
    Array<double> image(n_);
    for (Index k = 0; k < free_.cols(); ++k) {
      symv(s_.view(), free_.col(k), image.data());
      out_.log_lambda -= free_variance * dot(n_, free_.col(k), image.data());
    }
    require_finite(out_, *problem_.kernel);
  }

  const Problem& problem_;
  Index n_;
  double omega_, unit_;
  Matrix free_, g_, b_, s_;  // of G, B and S the lower triangles
  Array<double> y_, u_, f_, root_, slope_;
  ScoreGradient out_;
};

}  // namespace

ScoreGradient evidence_gradient(const Problem& problem, double lambda, Modes& modes) {
  const Stage stage(0, 1);
  return Evidence(problem, lambda).gradient(modes);
}

Index evidence_gradient_bytes(const Kernel& kernel, Index n, Index d, Index t) {
  return checked_doubles(3 * checked_doubles(n, n) + checked_doubles(n, 16 + t), 1) * 8 + log_gradient_bytes(kernel, d);
}

}  // namespace freeridge
