#include "libcore/factor/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace freeridge {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr Index sweep_rows = 1024;    // rows of B in one product: the tile and its squares stay in the L2/L3 cache
constexpr Index sweep_columns = 512;  // lambdas x outputs in one product: bounds the memory at r x 512

double ratio(double a, double b) {
  return b == 0 ? 1 : a / b;
}  // 0/0 = 1; b = 0 only with a = 0

}  // namespace

SpectrumFactorization::SpectrumFactorization(ProblemPtr the_problem, Matrix storage, std::vector<double> eigenvalues,
                                             double tolerance)
    : Factorization(std::move(the_problem)),
      storage_(std::move(storage)),
      eigenvalues_(std::move(eigenvalues)),
      tolerance_(tolerance) {
  const Problem& p = problem();
  const ConstMatrixView b = basis();
  gamma_ = Matrix(rank(), p.t());
  gemm(Op::transpose, Op::none, 1, b, p.y_tilde.view(), 0, gamma_.view());
  if (!complement()) return;

  rest_ = Matrix(p.n(), p.t());
  std::copy(p.y_tilde.values().begin(), p.y_tilde.values().end(), rest_.values().begin());
  gemm(Op::none, Op::none, -1, b, gamma_.view(), 1, rest_.view());
  rest_diagonal_.assign(static_cast<std::size_t>(p.n()), 1.0);
  std::vector<double>& diagonal = rest_diagonal_;
  if (p.intercept)
    for (std::size_t i = 0; i < diagonal.size(); ++i) diagonal[i] -= p.q1[i] * p.q1[i];
  for (Index k = 0; k < rank(); ++k)
    for (Index i = 0; i < p.n(); ++i) diagonal[static_cast<std::size_t>(i)] -= b(i, k) * b(i, k);
  // A point whose leverage is one in the unpenalised fit has N_ii = 0, hence a zero row of N (N is positive
  // semi-definite). What rounding leaves there would drown its lambda / (Lambda + lambda) terms, so it is taken out.
  const double noise = 10 * eps * (1 + std::sqrt(static_cast<double>(rank())));
  for (Index i = 0; i < p.n(); ++i)
    if (diagonal[static_cast<std::size_t>(i)] <= noise) {
      diagonal[static_cast<std::size_t>(i)] = 0;
      for (Index j = 0; j < p.t(); ++j) rest_(i, j) = 0;
    }
}

SpectrumFactorization::Weights SpectrumFactorization::weights(double lambda) const {
  Weights w{eigenvalues_, {}, 0, false};
  const double floor = lambda < tolerance_ ? tolerance_ : 0;
  double smallest = complement() || w.eigenvalues.empty() ? 0 : std::numeric_limits<double>::infinity();
  for (double& value : w.eigenvalues) {
    if (value < floor || value < 0) {
      value = 0;
      w.projects = floor > 0;
    }
    smallest = std::min(smallest, value);
  }
  w.s = smallest + lambda;
  w.p.resize(w.eigenvalues.size());
  for (std::size_t k = 0; k < w.p.size(); ++k) w.p[k] = ratio(w.s, w.eigenvalues[k] + lambda);
  return w;
}

void SpectrumFactorization::clear_rounding(const Weights& w, std::span<double> diagonal) const {
  if (!w.projects) return;
  const double noise = eps * static_cast<double>(problem().n());
  for (double& value : diagonal)
    if (value <= noise) value = 0;
}

Factorization::Range SpectrumFactorization::eigenvalue_range() const {
  Range range{0, 0};
  for (const double value : eigenvalues_) {
    if (value < tolerance_ || value <= 0) continue;
    range.smallest = range.largest == 0 ? value : std::min(range.smallest, value);
    range.largest = std::max(range.largest, value);
  }
  return range;
}

class SpectrumMaker final : public ResidualMaker {
 public:
  SpectrumMaker(const SpectrumFactorization& factor, double lambda)
      : f_(factor), lambda_(lambda), w_(f_.weights(lambda)) {}

  void residual(Index first, MatrixView out) const override {
    Matrix scaled(f_.rank(), out.cols);
    for (Index j = 0; j < out.cols; ++j)
      for (Index k = 0; k < f_.rank(); ++k) scaled(k, j) = p(k) * f_.gamma_(k, first + j);
    gemm(Op::none, Op::none, 1, f_.basis(), scaled.view(), 0, out);
    if (f_.complement()) add_rest(1, first, out);
  }

  void diagonal(std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    add_weighted_squares([&](Index k) { return p(k); }, out);
    if (f_.complement())
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += f_.rest_diagonal_[i];
    f_.clear_rounding(w_, out);
  }

  void block(std::span<const Index> rows, MatrixView out) const override {
    const ConstMatrixView b = f_.basis();
    Matrix chosen(static_cast<Index>(rows.size()), b.cols);
    for (Index k = 0; k < b.cols; ++k)
      for (std::size_t i = 0; i < rows.size(); ++i) chosen(static_cast<Index>(i), k) = b(rows[i], k);
    if (f_.complement()) {
      syrk(Op::none, -1, chosen.view(), 0, out);
      finish_rest(rows, out);
    }
    for (Index k = 0; k < b.cols; ++k)
      for (Index i = 0; i < chosen.rows(); ++i) chosen(i, k) *= std::sqrt(p(k));
    syrk(Op::none, 1, chosen.view(), f_.complement() ? 1 : 0, out);
    if (!w_.projects) return;
    std::vector<double> diagonal(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) diagonal[i] = out(static_cast<Index>(i), static_cast<Index>(i));
    f_.clear_rounding(w_, diagonal);
    for (std::size_t i = 0; i < rows.size(); ++i) out(static_cast<Index>(i), static_cast<Index>(i)) = diagonal[i];
  }

  double trace() const override {
    double sum = static_cast<double>(f_.problem().degrees() - f_.rank());
    for (const double value : w_.p) sum += value;
    return sum;
  }

  double shrinkage() const override { return ratio(lambda_, w_.s); }

  // H_ii = q1_i^2 + sum_k B_ik^2 Lambda_k / (Lambda_k + lambda): a small leverage keeps its digits, as 1 - rho P~_ii
  // would not.
  void leverage(std::span<double> out) const override {
    const std::vector<double>& q1 = f_.problem().q1;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = q1.empty() ? 0 : q1[i] * q1[i];
    add_weighted_squares([&](Index k) { return eigenvalue(k) == 0 ? 0 : eigenvalue(k) / (eigenvalue(k) + lambda_); },
                         out);
  }

  double log_determinant() const override {
    double sum = 0;
    for (const double value : w_.eigenvalues) sum += std::log(value + lambda_);
    if (f_.complement()) sum += static_cast<double>(f_.problem().degrees() - f_.rank()) * std::log(lambda_);
    return sum;
  }

  double quadratic_form(Index output) const override {
    double sum = f_.complement() ? rest_norm2(output) / lambda_ : 0;
    for (Index k = 0; k < f_.rank(); ++k) {
      const double gamma = f_.gamma_(k, output);
      sum += gamma * gamma / (eigenvalue(k) + lambda_);
    }
    return sum;
  }

  double squared_norm(Index output) const override {
    double sum = f_.complement() ? rest_norm2(output) : 0;
    for (Index k = 0; k < f_.rank(); ++k) {
      const double value = p(k) * f_.gamma_(k, output);
      sum += value * value;
    }
    return sum;
  }

  void coefficients(Index first, MatrixView out) const override {
    const Matrix g = spectral_coefficients(first, out.cols, false);
    gemm(Op::none, Op::none, 1, f_.basis(), g.view(), 0, out);
    if (f_.complement() && lambda_ >= f_.tolerance_ && lambda_ > 0) add_rest(1 / lambda_, first, out);
  }

  void solve(Index first, Index count, Solution& solution) const override {
    const Matrix g = spectral_coefficients(first, count, true);
    f_.solve(first, g.view(), solution);
  }

 private:
  double p(Index k) const { return w_.p[static_cast<std::size_t>(k)]; }
  double eigenvalue(Index k) const { return w_.eigenvalues[static_cast<std::size_t>(k)]; }
  double rest_norm2(Index output) const { return dot(f_.problem().n(), f_.rest_.col(output), f_.rest_.col(output)); }

  // g for the outputs [first, first + count). Directions whose eigenvalue counts as zero are left out below the
  // tolerance; those where it is zero by the kernel's rank also above it when `functions` are asked for: they add to c~,
  // but their function is zero.
  Matrix spectral_coefficients(Index first, Index count, bool functions) const {
    Matrix g(f_.rank(), count);
    const bool keeps_zeros = lambda_ >= f_.tolerance_ && lambda_ > 0;
    for (Index k = 0; k < f_.rank(); ++k) {
      const bool no_function = functions && f_.eigenvalues_[static_cast<std::size_t>(k)] == 0;
      const bool counts = eigenvalue(k) > 0 || (keeps_zeros && !no_function);
      for (Index j = 0; j < count; ++j) g(k, j) = counts ? f_.gamma_(k, first + j) / (eigenvalue(k) + lambda_) : 0;
    }
    return g;
  }

  // out_i += sum_k B_ik^2 weight(k)
  template <class Weight>
  void add_weighted_squares(const Weight& weight, std::span<double> out) const {
    const ConstMatrixView b = f_.basis();
    for (Index k = 0; k < b.cols; ++k) {
      const double* const column = b.col(k);
      const double factor = weight(k);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += column[i] * column[i] * factor;
    }
  }

  void add_rest(double factor, Index first, MatrixView out) const {
    for (Index j = 0; j < out.cols; ++j)
      for (Index i = 0; i < out.rows; ++i) out(i, j) += factor * f_.rest_(i, first + j);
  }

  // out = -B_S B_S' on entry, N_SS on return.
  void finish_rest(std::span<const Index> rows, MatrixView out) const {
    const Problem& problem = f_.problem();
    const auto rest = [&](Index i) {
      return f_.rest_diagonal_[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])];
    };
    const auto q1 = [&](Index i) { return problem.q1[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])]; };
    for (Index j = 0; j < out.cols; ++j) {
      out(j, j) = rest(j);
      for (Index i = j + 1; i < out.rows; ++i) {
        if (problem.intercept) out(i, j) -= q1(i) * q1(j);
        if (rest(i) == 0 || rest(j) == 0) out(i, j) = 0;
      }
    }
  }

  const SpectrumFactorization& f_;
  double lambda_;
  SpectrumFactorization::Weights w_;
};

std::unique_ptr<ResidualMaker> SpectrumFactorization::at(double lambda) const {
  return std::make_unique<SpectrumMaker>(*this, lambda);
}

void SpectrumFactorization::sweep(std::span<const double> lambdas, Index first_output, Index t, SweepSink& sink,
                                  const Progress& progress) const {
  // Row tiles outside, lambdas inside: B is read once for each chunk of lambdas, and both answers are matrix products,
  //   P~Y~ = B_I [p_l Gamma] + E_I     and     diag P~ = (B_I o B_I) [p_l] + diag N_I.
  const ConstMatrixView b = basis();
  const Index n = b.rows, r = b.cols, total = static_cast<Index>(lambdas.size());
  const Index chunk = std::clamp<Index>(sweep_columns / t, 1, total), rows = std::min(sweep_rows, n);
  Matrix coefficients(r, chunk * t), p(r, chunk), squares(rows, r), residual(rows, chunk * t), diagonal(rows, chunk);

  for (Index first = 0; first < total; first += chunk) {
    const Index count = std::min(chunk, total - first);
    std::vector<Weights> w;
    for (Index l = 0; l < count; ++l) {
      w.push_back(weights(lambdas[static_cast<std::size_t>(first + l)]));
      std::copy(w.back().p.begin(), w.back().p.end(), p.col(l));
      for (Index j = 0; j < t; ++j)
        for (Index k = 0; k < r; ++k) coefficients(k, l * t + j) = p(k, l) * gamma_(k, first_output + j);
    }
    for (Index row = 0; row < n; row += rows) {
      const Index height = std::min(rows, n - row);
      const ConstMatrixView tile = b.row_range(row, height);
      const MatrixView tile_squares = squares.view().row_range(0, height);
      const MatrixView res = residual.view().block(0, 0, height, count * t);
      const MatrixView diag = diagonal.view().block(0, 0, height, count);
      for (Index k = 0; k < r; ++k)
        for (Index i = 0; i < height; ++i) tile_squares(i, k) = tile(i, k) * tile(i, k);
      gemm(Op::none, Op::none, 1, tile, coefficients.view().columns(0, count * t), 0, res);
      gemm(Op::none, Op::none, 1, tile_squares, p.view().columns(0, count), 0, diag);
      for (Index l = 0; l < count; ++l) {
        const std::span<double> column(diag.col(l), static_cast<std::size_t>(height));
        if (complement()) {
          for (Index j = 0; j < t; ++j)
            for (Index i = 0; i < height; ++i) res(i, l * t + j) += rest_(row + i, first_output + j);
          for (Index i = 0; i < height; ++i) diag(i, l) += rest_diagonal_[static_cast<std::size_t>(row + i)];
        }
        clear_rounding(w[static_cast<std::size_t>(l)], column);
      }
      sink.tile(row, first, count, res, diag);
      progress.report(static_cast<double>(first * n + (row + height) * count) / static_cast<double>(total * n));
    }
  }
}

}  // namespace freeridge
