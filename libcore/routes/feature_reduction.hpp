// Tall problems: n points, p features phi(x), far fewer than points. With Phi (n x p) in rows phi(x_i),
//     Phi~ = W^(1/2) (Phi - U M'),  M' = diag(nu)^-2 U'W Phi: the coefficients of the columns U that are not penalised
//                                   (data/problem.hpp); with an intercept alone phibar', the weighted means
//     Phi~ = Q R,  R = U_R diag(S) V',   Lambda = S^2,   B = Q U_R = Phi~ V diag(S)^-1
//     w = V diag(S) g,   f(x) + b = (phi(x) - M u(x))'w + A'u(x)
// The primal route has phi(x) = x / scale, the landmark route phi(x) = L^-1 k(X_R, x), LL' = K_RR.
#pragma once

#include "libcore/base/array.hpp"
#include "libcore/base/bytes.hpp"
#include "libcore/routes/routes.hpp"

namespace freeridge {

// The result of FeatureMap::complete: a bound of the rounding error in the Gram matrix, and the noise for which it was
// made.
struct Completed {
  double error, noise;
  bool fine() const { return error <= noise; }
};

// phi(x) = F r(x): F a linear map, r(x) the raw features, p numbers that are made from x directly.
class FeatureMap {
 public:
  virtual ~FeatureMap() = default;
  virtual Index features() const = 0;
  // r(x) of the points [row, row + out.rows), out.rows x p.
  virtual void raw(const Rows& points, Index row, MatrixView out) const = 0;
  // r of the functionals [first, first + out.rows) of f. With landmarks kappa(l, q), the value of functional q at
  // k(x_l, .), takes the place of k(x_l, x).
  virtual void raw_functionals(const Functionals& of, Index first, MatrixView out) const = 0;
  // M up to rounding (p x q), so that nothing cancels when it is subtracted; an empty matrix where it is not known.
  virtual Matrix known_parts() const { return {}; }
  // phi in place of r, rows x p.
  virtual void apply(MatrixView /*rows*/) const {}
  // phi = M psi: a map may have features psi that cost less than phi. apply_partial puts psi in the place of r;
  // complete puts M G M' in the place of the Gram matrix G of psi (rows and columns [first, first + features()) of the
  // lower triangle of `gram`), and M shift in the place of shift. Where rounding in G, magnified by M, exceeds that of
  // phi'phi, phi has to be formed.
  virtual bool has_partial() const { return false; }
  virtual void apply_partial(MatrixView rows) const { apply(rows); }
  virtual Completed complete(MatrixView /*gram*/, Index /*first*/, Span<double> /*shift*/, Index /*n*/) const {
    return {0, 0};
  }
  // Puts F't in the place of t (p x k), so that phi't = r'(F't), and M of r in the place of M of phi (p x q).
  // Answers false, and does nothing, where F is so ill-conditioned that this would lose accuracy: then F has to be
  // applied to each row.
  virtual bool fold(MatrixView /*t*/, MatrixView /*parts*/) const { return true; }
  // The solution of the outputs [first, first + w.cols) from w (p x outputs) and M.
  virtual void solve(const Problem& problem, Index first, ConstMatrixView w, ConstMatrixView parts,
                     Solution& solution) const = 0;
  // The expansion coefficients, divided by W^(1/2), from w: n x outputs. For maps whose coefficients are not those of
  // the dual problem; false for other maps.
  virtual bool own_coefficients(const Problem& /*problem*/, ConstMatrixView /*w*/, MatrixView /*out*/) const {
    return false;
  }
  // What rounding of K_RR and of k(x, R) does to the eigenvalues S_k^2, for maps with landmarks, in the terms of
  // digits.hpp.
  struct Rounding {
    Array<double> noise;  // r; empty: nothing
    double wanting = 0;   // Spectrum::wanting
    double left = 0;      // of all directions but those of vt together, the square below which theirs are rounding
  };
  virtual Rounding rounding(const Problem& /*problem*/, ConstMatrixView /*vt*/, Span<const double> /*s*/,
                            ConstMatrixView /*parts*/, bool /*more_digits*/) const {
    return {};
  }
  // For QR: the squares below which S_k^2 is rounding of the features, whatever their norms are; empty: zeros.
  virtual Array<double> feature_noise(const Problem& /*problem*/, ConstMatrixView /*vt*/) const { return {}; }
  // Whether a map of more digits is taken where that rounding costs some (factorize_landmark): `more_digits` of
  // `rounding` is for such a map.
  virtual bool may_have_more_digits() const { return false; }
  // What stands before the reduced features in saved_route.hpp.
  virtual void save(ByteWriter& out) const = 0;
  // The landmarks in use; none for other maps.
  virtual Span<const Index> landmarks() const { return {}; }
  // The landmarks that phi is made of, in the order of phi, and L; none for other maps.
  virtual Span<const Index> kept() const { return {}; }
  virtual ConstMatrixView whitening() const { return {}; }
};

// Phi~ and Y~ in one pass over the rows, reduced to p x p.
struct ReducedFeatures {
  Matrix parts;              // M, p x q
  Matrix r;                  // R, p x p, upper triangle; empty after the Gram reduction
  Array<double> s;           // S, descending, r
  Matrix vt;                 // V', r x p
  Matrix gamma;              // Gamma = U_R'Q'Y~, r x t
  Array<double> rest_norm2;  // |Y~_j - Q Q'Y~_j|^2
  Array<double> noise;       // r: below which S_k^2 is rounding; all S_k kept are above it
  bool loaded = false;       // from a file, where rest_norm2 has all its digits
};

// How many rows of Phi~ are formed together.
Index tile_rows(Index p);

// u: element (i, j) of a Gram matrix of n rows of p columns has an error of about u |column i| |column j|.
double gram_rounding(Index n, Index p);

// The workers of a pass over n rows, columns = q + p + t: all threads, or one where their matrices would be too large.
// Each worker has columns^2 numbers (twice for the Gram matrix) and a tile of rows.
int reduction_workers(Index n, Index columns);

// From the rows of a triangle [R R_y; 0 R_yy] of n rows of [Phi~, Y~], p + t columns; there may be fewer than p of
// them. All min(rows, p) directions, with U_R, without M and R. removed: the norms of what was subtracted from the
// features, p numbers or none; what: the features' name in messages.
ReducedFeatures reduce_triangle(ConstMatrixView triangle, Index t, Index n, Span<const double> removed,
                                const char* what, Matrix& u);

// From the Gram matrix of n rows of [W^(1/2) U, W^(1/2) (Phi - U start'), Y~], q + p + t columns. Its lower triangle is
// overwritten. least_noise: a lower bound of the noise. Only directions above the noise are kept, at most `degrees`.
ReducedFeatures reduce_gram(MatrixView gram, Index q, Index t, Index n, Index degrees, const Matrix& start,
                            double least_noise);

// Cost: 2 n p^2 (qr) or n p^2 (gram), p^3; memory (q + p + t)^2 (gram: twice) and a tile of rows for each worker.
ReducedFeatures reduce_features(const Problem& problem, const FeatureMap& map, Reduction reduction);

// What the prior's variance along a direction of singular value S_k becomes: lambda / (S_k^2 + lambda).
Array<double> unexplained(Span<const double> s, double lambda);

// For new points with the features phi - M u(x) (count x p): z (r x count) = S V'phi' and, where it is wanted,
//     variance += sum_k u_k^2 lambda / (S_k^2 + lambda) + |phi - V u|^2,   u = V'phi
// The share of the columns that are not penalised is not in `variance`.
void project_features(ConstMatrixView phi, ConstMatrixView vt, Span<const double> s, double lambda, MatrixView z,
                      const Covariances& variance);

// phi -= M u(x) of the points[first ...], a point in each row.
void subtract_parts(const Problem& problem, const Points& points, Index first, ConstMatrixView parts, MatrixView phi);

// refine_hyperplane with (X_s'X_s + lambda I)^+: by the triangle of [R; lambda^(1/2) I] with equilibrated columns,
// whose digits do not suffer from columns of different scale; where R (p x p, upper) is not at hand or a direction
// counts as zero, by V diag(inverse) V', inverse_k = 1 / (S_k^2 + lambda) or 0.
void refine_features(const Problem& problem, ConstMatrixView r, ConstMatrixView vt, Span<const double> inverse,
                     double lambda, Index first, Index count, Index steps, Solution& solution);

// The factorization whose B is formed from the data anew at each pass: B_I = Phi~_I V diag(S)^-1, 2 n p r a pass,
// memory O(p^2) and tiles.
// more_digits: whether the map has more than features of doubles have.
FactorizationPtr factorize_streamed(ProblemPtr problem, Route route, std::unique_ptr<const FeatureMap> map,
                                    Reduction reduction, bool more_digits = false);
// The same from the reduced features that it saved.
FactorizationPtr load_streamed(ProblemPtr problem, Route route, std::unique_ptr<const FeatureMap> map, ByteReader& in);

// S^2
Array<double> squares(Span<const double> s);

}  // namespace freeridge
