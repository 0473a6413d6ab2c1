// Ridge regression on a sparse x (n x d, compressed columns) that never becomes dense: one d x d matrix beside it.
//     X~ = W^(1/2) (X A - 1 m'),  A = diag(a) the square roots of the kernel's metric, m the weighted means (0 without
//     intercept),  Y~ = W^(1/2) (Y - 1 ybar'),   G = X~'X~ = Q T Q',  T tridiagonal (Householder),  C = Q'X~'Y~
// Then a lambda costs O(d) and a row O(d) for its leverage and its fitted values, without eigenvectors: with
// T + lambda I = L D L', L unit lower bidiagonal, and u = L^-1 z, z = Q'x~ (z costs d a number of the row),
//     h_i = W_ii / sum(w) + u'D^-1 u,   f_i = u'(D^-1 L^-1 C),   e_i = (Y~_i - f_i) / (W_ii^(1/2) (1 - h_i))
// Source of the elimination: Golub & Van Loan, Matrix Computations, 2013, sections 4.3.6 and 8.3.1. G squares the
// condition of x: eigenvalues below about d epsilon of its largest element are rounding.
#include "householder.h"
#include "model.h"

// R's own LAPACK
#include <R_ext/Lapack.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace {

constexpr double largest_square = 1e300;  // of a column of x: sums of them are finite, too
constexpr int tile_rows = 16;             // the rows of a sweep go through the processor's vectors
constexpr std::size_t room = 1 << 19;     // doubles for the numbers of the lambdas of one pass

using Vector = std::vector<double>;

std::size_t size(int n) {
  return static_cast<std::size_t>(n);
}

class Sparse {
 public:
  Sparse(Rcpp::S4 matrix, Rcpp::NumericMatrix y, SEXP weights, bool intercept, Rcpp::NumericVector multipliers)
      : x_(matrix),
        start_(matrix.slot("p")),
        row_(matrix.slot("i")),
        value_(matrix.slot("x")),
        y_(y),
        a_(multipliers.begin(), multipliers.end()),
        n_(y.nrow()),
        d_(static_cast<int>(multipliers.size())),
        t_(y.ncol()),
        intercept_(intercept) {
    if (start_.size() != d_ + 1 || row_.size() != value_.size() || start_[d_] != row_.size())
      refuse("x is not a valid dgCMatrix");
    for (int j = 0; j < d_; ++j)
      for (int k = start_[j]; k < start_[j + 1]; ++k)
        if (row_[k] < (k > start_[j] ? row_[k - 1] + 1 : 0) || row_[k] >= n_) refuse("x is not a valid dgCMatrix");
    if (!Rf_isNull(weights)) weights_ = Rcpp::NumericVector(weights);
    sum_w_ = sum_log_w_ = 0;
    for (int i = 0; i < n_; ++i) {
      sum_w_ += weight(i);
      sum_log_w_ += std::log(weight(i));
    }
    set_means();
    set_basis();
    set_right_side();
  }

  int n() const { return n_; }
  int d() const { return d_; }
  int t() const { return t_; }
  double degrees() const { return n_ - (intercept_ ? 1 : 0); }
  double sum_w() const { return sum_w_; }
  double sum_log_w() const { return sum_log_w_; }
  double tolerance() const { return tolerance_; }
  const Vector& eigenvalues() const { return eigenvalues_; }  // ascending
  const Vector& norms() const { return norms_; }              // |Y~_j|^2
  double weight(int i) const { return weights_.size() > 0 ? weights_[i] : 1; }
  double y(int i, int j) const { return y_(i, j) - y_mean_[size(j)]; }  // less its mean

  // L, D and D^-1 L^-1 C of one lambda.
  struct Solved {
    Vector l, inverse, g;  // d, d, d x t: g[k t + j]
    Vector form;           // t: C_j'(T + lambda I)^-1 C_j
  };
  Solved solve(double lambda) const {
    if (eigenvalues_[0] + lambda <= tolerance_) singular(lambda);
    Solved out{Vector(size(d_)), Vector(size(d_)), Vector(size(d_) * size(t_)), Vector(size(t_))};
    Vector u(size(t_));
    for (int k = 0; k < d_; ++k) {
      const double below = k > 0 ? off_[size(k - 1)] : 0, l = k > 0 ? below * out.inverse[size(k - 1)] : 0;
      const double pivot = diagonal_[size(k)] + lambda - l * below;
      if (!(pivot > 0)) singular(lambda);
      out.l[size(k)] = l;
      out.inverse[size(k)] = 1 / pivot;
      for (int j = 0; j < t_; ++j) {
        double& u_j = u[size(j)];
        u_j = c_[size(k) * size(t_) + size(j)] - l * u_j;
        out.g[size(k) * size(t_) + size(j)] = u_j / pivot;
        out.form[size(j)] += u_j * u_j / pivot;
      }
    }
    return out;
  }

  // Column `output` of w (of x as it was given), and b.
  double hyperplane(double lambda, int output, double* w) const {
    const Solved solved = solve(lambda);
    Vector s(size(d_));
    for (int k = d_ - 1; k >= 0; --k) {
      const double above = k + 1 < d_ ? solved.l[size(k + 1)] * s[size(k + 1)] : 0;
      s[size(k)] = solved.g[size(k) * size(t_) + size(output)] - above;
    }
    double b = y_mean_[size(output)];
    for (int j = 0; j < d_; ++j) {
      const double* const q = &basis_[size(j) * size(d_)];
      double sum = 0;
      for (int k = 0; k < d_; ++k) sum += q[k] * s[size(k)];
      w[j] = sum * a_[size(j)];
      b -= mean_[size(j)] * sum;
    }
    return intercept_ ? b : 0;
  }

  // One pass over the rows for each few of the lambdas: take(row, lambda, leverage, fitted), fitted: t numbers, of Y
  // less its means.
  template <class Take>
  void pass(const double* lambdas, int count, const Take& take) const {
    const int step = std::max(1, static_cast<int>(room / (size(d_) * size(2 + t_))));
    Vector z(size(d_) * tile_rows), one(size(d_)), fitted(size(t_) * tile_rows), answer(size(t_));
    for (int first = 0; first < count; first += step) {
      const int last = std::min(count, first + step);
      std::vector<Solved> solved;
      for (int l = first; l < last; ++l) solved.push_back(solve(lambdas[l]));
      Rows rows(*this);
      for (int start = 0; start < n_; start += tile_rows) {
        if (start % 512 == 0) check_interrupt();
        const int here = std::min(tile_rows, n_ - start);
        rows.next(start);
        for (int r = 0; r < here; ++r) {
          project(rows, r, start + r, one);
          for (int k = 0; k < d_; ++k) z[size(k) * tile_rows + size(r)] = one[size(k)];
        }
        for (int l = first; l < last; ++l) {
          double h[tile_rows] = {};
          sweep(solved[size(l - first)], z, h, fitted);
          for (int r = 0; r < here; ++r) {
            const double w = weight(start + r);
            for (int j = 0; j < t_; ++j) answer[size(j)] = fitted[size(j) * tile_rows + size(r)] / std::sqrt(w);
            take(start + r, l, h[r] + (intercept_ ? w / sum_w_ : 0), answer.data());
          }
        }
      }
    }
  }

 private:
  // The numbers of a tile of rows, tiles from the first on.
  struct Rows {
    explicit Rows(const Sparse& of) : of(of), next_(of.start_.begin(), of.start_.end() - 1) {
      for (auto& columns : column) columns.reserve(16);
    }
    void next(int start) {
      for (int r = 0; r < tile_rows; ++r) column[r].clear(), value[r].clear();
      for (int j = 0; j < of.d_; ++j)
        for (int& k = next_[size(j)]; k < of.start_[j + 1] && of.row_[k] < start + tile_rows; ++k) {
          column[of.row_[k] - start].push_back(j);
          value[of.row_[k] - start].push_back(of.value_[k] * of.a_[size(j)]);
        }
    }
    const Sparse& of;
    std::vector<int> next_;
    std::vector<int> column[tile_rows];
    Vector value[tile_rows];
  };

  [[noreturn]] static void singular(double lambda) { signal("refuse_singular", lambda); }

  void set_means() {
    mean_.assign(size(d_), 0);
    y_mean_.assign(size(t_), 0);
    if (!intercept_) return;
    for (int j = 0; j < d_; ++j) {
      double sum = 0;
      for (int k = start_[j]; k < start_[j + 1]; ++k) sum += weight(row_[k]) * value_[k];
      mean_[size(j)] = sum * a_[size(j)] / sum_w_;
    }
    for (int j = 0; j < t_; ++j) {
      double sum = 0;
      for (int i = 0; i < n_; ++i) sum += weight(i) * y_(i, j);
      y_mean_[size(j)] = sum / sum_w_;
    }
  }

  // G, then T and Q in its place.
  void set_basis() {
    const std::size_t d = size(d_);
    basis_.assign(d * d, 0);
    Rows rows(*this);
    for (int start = 0; start < n_; start += tile_rows) {
      if (start % 512 == 0) check_interrupt();
      rows.next(start);
      for (int r = 0; r < std::min(tile_rows, n_ - start); ++r) {
        const auto& column = rows.column[r];
        const double w = weight(start + r);
        for (std::size_t k = 0; k < column.size(); ++k) {
          double* const g = &basis_[size(column[k]) * d];
          const double wx = w * rows.value[r][k];
          for (std::size_t l = k; l < column.size(); ++l) g[column[l]] += wx * rows.value[r][l];
        }
      }
    }
    double largest = 0;
    for (std::size_t j = 0; j < d; ++j) largest = std::max(largest, basis_[j * d + j]);
    if (!(largest < largest_square)) refuse("the squares of x overflow; rescale x");
    if (intercept_)
      for (std::size_t j = 0; j < d; ++j)
        for (std::size_t i = j; i < d; ++i) basis_[j * d + i] -= sum_w_ * mean_[i] * mean_[j];

    tridiagonalise(d_, basis_, diagonal_, off_);
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t i = 0; i < j; ++i) std::swap(basis_[j * d + i], basis_[i * d + j]);  // rows of Q side by side
    eigenvalues_ = diagonal_;
    Vector off = off_;
    int info = 0;
    F77_CALL(dsterf)(&d_, eigenvalues_.data(), off.data(), &info);
    if (info != 0) refuse("the eigenvalues of x'x were not found");
    tolerance_ = std::max(d_, 10) * std::numeric_limits<double>::epsilon() * largest;

    mean_q_.assign(d, 0);
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t k = 0; k < d; ++k) mean_q_[k] += mean_[j] * basis_[j * d + k];
  }

  // C = Q'X~'Y~: X~'Y~ first; the means of X do not matter, as Y~ is centred.
  void set_right_side() {
    const std::size_t d = size(d_), t = size(t_);
    c_.assign(d * t, 0);
    norms_.assign(t, 0);
    for (int o = 0; o < t_; ++o) {
      check_interrupt();
      for (int i = 0; i < n_; ++i) norms_[size(o)] += weight(i) * y(i, o) * y(i, o);
      for (int j = 0; j < d_; ++j) {
        double sum = 0;
        for (int k = start_[j]; k < start_[j + 1]; ++k) sum += weight(row_[k]) * value_[k] * y(row_[k], o);
        sum *= a_[size(j)];
        for (std::size_t k = 0; k < d; ++k) c_[k * t + size(o)] += basis_[size(j) * d + k] * sum;
      }
    }
  }

  // z = Q'x~ of row r of the tile.
  void project(const Rows& rows, int r, int row, Vector& z) const {
    for (std::size_t k = 0; k < z.size(); ++k) z[k] = -mean_q_[k];
    for (std::size_t l = 0; l < rows.column[r].size(); ++l) {
      const double* const q = &basis_[size(rows.column[r][l]) * size(d_)];
      const double value = rows.value[r][l];
      for (std::size_t k = 0; k < z.size(); ++k) z[k] += value * q[k];
    }
    const double root = std::sqrt(weight(row));
    for (double& value : z) value *= root;
  }

  void sweep(const Solved& solved, const Vector& z, double* h, Vector& fitted) const {
    std::fill(fitted.begin(), fitted.end(), 0.0);
    double u[tile_rows] = {};
    for (int k = 0; k < d_; ++k) {
      const double* const z_k = &z[size(k) * tile_rows];
      const double l = solved.l[size(k)], inverse = solved.inverse[size(k)];
      for (int r = 0; r < tile_rows; ++r) u[r] = z_k[r] - l * u[r];
      for (int r = 0; r < tile_rows; ++r) h[r] += u[r] * u[r] * inverse;
      for (int j = 0; j < t_; ++j) {
        const double g = solved.g[size(k) * size(t_) + size(j)];
        double* const f = &fitted[size(j) * tile_rows];
        for (int r = 0; r < tile_rows; ++r) f[r] += u[r] * g;
      }
    }
  }

  Rcpp::S4 x_;
  Rcpp::IntegerVector start_, row_;
  Rcpp::NumericVector value_;
  Rcpp::NumericMatrix y_;
  Rcpp::NumericVector weights_;
  Vector a_;
  int n_, d_, t_;
  bool intercept_;
  double sum_w_ = 0, sum_log_w_ = 0, tolerance_ = 0;
  Vector mean_, y_mean_, norms_, basis_, diagonal_, off_, eigenvalues_, mean_q_, c_;  // mean_: of x A
};

constexpr const char* sparse_tag = "freeridge_sparse";

const Sparse& sparse_of(SEXP handle) {
  return *static_cast<Sparse*>(address_of(handle, sparse_tag));
}

// 1 - h counts as zero where rounding in h is all that is left of it.
bool has_leverage_one(double h) {
  return !(1 - h > 256 * std::numeric_limits<double>::epsilon());
}

}  // namespace

// x: a dgCMatrix; weights: NULL or n numbers; multipliers: what the columns of x are multiplied by, d numbers
// [[Rcpp::export(rng = false)]]
SEXP sparse_create(Rcpp::S4 x, Rcpp::NumericMatrix y, SEXP weights, bool intercept, Rcpp::NumericVector multipliers) {
  return new_handle(std::make_unique<Sparse>(x, y, weights, intercept, multipliers), sparse_tag);
}

// eigenvalues of G, ascending; norms: |Y~|^2; m: n - 1 or n; sum_w, sum_log_w; tolerance
// [[Rcpp::export(rng = false)]]
Rcpp::List sparse_summary(SEXP handle) {
  const Sparse& sparse = sparse_of(handle);
  return Rcpp::List::create(Rcpp::Named("eigenvalues") = sparse.eigenvalues(), Rcpp::Named("norms") = sparse.norms(),
                            Rcpp::Named("m") = sparse.degrees(), Rcpp::Named("sum_w") = sparse.sum_w(),
                            Rcpp::Named("sum_log_w") = sparse.sum_log_w(),
                            Rcpp::Named("tolerance") = sparse.tolerance());
}

// w: d x t, b: t, output j at lambdas[j]
// [[Rcpp::export(rng = false)]]
Rcpp::List sparse_solution(SEXP handle, Rcpp::NumericVector lambdas) {
  const Sparse& sparse = sparse_of(handle);
  auto w = fresh<Rcpp::NumericMatrix>(sparse.d(), sparse.t());
  auto b = fresh<Rcpp::NumericVector>(sparse.t());
  for (int j = 0; j < sparse.t(); ++j) b[j] = sparse.hyperplane(lambdas[j], j, &w(0, j));
  return Rcpp::List::create(Rcpp::Named("w") = w, Rcpp::Named("b") = b);
}

// Leverages, fitted values and left-out errors, n x t each, output j at lambdas[j]
// [[Rcpp::export(rng = false)]]
Rcpp::List sparse_rows(SEXP handle, Rcpp::NumericVector lambdas) {
  const Sparse& sparse = sparse_of(handle);
  const int n = sparse.n(), t = sparse.t();
  auto leverage = fresh<Rcpp::NumericMatrix>(n, t), residuals = fresh<Rcpp::NumericMatrix>(n, t),
       errors = fresh<Rcpp::NumericMatrix>(n, t);
  const Rcpp::NumericVector distinct = Rcpp::sort_unique(lambdas);
  sparse.pass(distinct.begin(), static_cast<int>(distinct.size()), [&](int i, int l, double h, const double* fitted) {
    for (int j = 0; j < t; ++j) {
      if (lambdas[j] != distinct[l]) continue;
      leverage(i, j) = h;
      residuals(i, j) = sparse.y(i, j) - fitted[j];
      errors(i, j) = has_leverage_one(h) ? R_NaN : residuals(i, j) / (1 - h);
    }
  });
  return Rcpp::List::create(Rcpp::Named("leverage") = leverage, Rcpp::Named("residuals") = residuals,
                            Rcpp::Named("errors") = errors);
}

// Sums over points, lambdas x t each: loo: W e^2, loo2: W e^4, rss: W r^2; form: C'(T + lambda I)^-1 C; and wrong, for
// each lambda: W of those whose class (the sign, or the largest of several outputs) the left-out values miss. NaN with a
// leverage of one.
// [[Rcpp::export(rng = false)]]
Rcpp::List sparse_sums(SEXP handle, Rcpp::NumericVector lambdas, Rcpp::NumericMatrix y) {
  const Sparse& sparse = sparse_of(handle);
  const int t = sparse.t(), count = static_cast<int>(lambdas.size());
  auto loo = fresh<Rcpp::NumericMatrix>(count, t), loo2 = fresh<Rcpp::NumericMatrix>(count, t),
       rss = fresh<Rcpp::NumericMatrix>(count, t), form = fresh<Rcpp::NumericMatrix>(count, t);
  auto wrong = fresh<Rcpp::NumericVector>(count);
  for (int l = 0; l < count; ++l) {
    const auto solved = sparse.solve(lambdas[l]);
    for (int j = 0; j < t; ++j) form(l, j) = solved.form[size(j)];
  }
  sparse.pass(lambdas.begin(), count, [&](int i, int l, double h, const double* fitted) {
    const double w = sparse.weight(i);
    const bool undefined = has_leverage_one(h);
    double best = -std::numeric_limits<double>::infinity(), own = 0, sign = 0;
    for (int j = 0; j < t; ++j) {
      const double r = sparse.y(i, j) - fitted[j], e = undefined ? R_NaN : r / (1 - h);
      rss(l, j) += w * r * r;
      loo(l, j) += w * e * e;
      loo2(l, j) += w * e * e * e * e;
      const double left_out = y(i, j) - e;
      sign = y(i, j) * left_out;
      if (y(i, j) > 0)
        own = left_out;
      else
        best = std::max(best, left_out);
    }
    wrong[l] += undefined ? R_NaN : (t == 1 ? !(sign > 0) : !(own > best)) ? w : 0;
  });
  return Rcpp::List::create(Rcpp::Named("loo") = loo, Rcpp::Named("loo2") = loo2, Rcpp::Named("rss") = rss,
                            Rcpp::Named("form") = form, Rcpp::Named("wrong") = wrong);
}
