#include "libcore/spectrum/left_out_groups.hpp"

#include <algorithm>
#include <cmath>

#include "libcore/factor/contrast.hpp"
#include "libcore/factor/left_out_rows.hpp"
#include "libcore/factor/row_refit.hpp"
#include "libcore/linalg/lapack.hpp"
#include "libcore/spectrum/spectrum_residual_maker.hpp"
#include "libcore/spectrum/woodbury.hpp"

namespace freeridge {
namespace {

constexpr double well_conditioned = 1e-5;  // reciprocal condition of F F' + lambda I, from which its factor is used
constexpr double near_singular = 1e-4;     // the eigenvalue of N_SS or C below which more than four digits are lost

// Refit: fewer rows stay than there are unknowns.
class RefittedGroup final : public RowBlock {
 public:
  explicit RefittedGroup(GroupRows rows) : rows_(std::move(rows)) {
    const Problem& problem = rows_.f.problem();
    const Array<Index> others = other_indices(rows_.which, problem.n());
    SpectrumFactorization::Room room;
    b_others_ = others.empty() ? Matrix(0, rows_.b.cols()) : copy_of(rows_.f.gather(others, room).b);
    q1_others_ = problem.q1_of(others);
    y_ = picked_rows(problem.y_tilde.view(), rows_.which);
    y_others_ = picked_rows(problem.y_tilde.view(), others);
  }

  bool left_out(const ResidualMaker& residual_maker, Index first, MatrixView out) const override {
    const SpectrumAt& at = static_cast<const SpectrumResidualMaker&>(residual_maker).spectrum();
    const Index stay = b_others_.rows(), r = rows_.b.cols(), t = out.cols;
    for (Index j = 0; j < t; ++j) std::copy_n(y_.col(first + j), out.rows, out.col(j));
    if (!(at.lambda() > 0)) return false;
    const Index q = q1_others_.cols();
    if (stay == 0 || stay < q) return q == 0;

    // q1_O = U R
    const Unpenalised free(false, layout_view(q1_others_), Array<double>(stay, 1.0), 0);
    if (free.q() < q) return false;
    const ConstMatrixView q1 = free.q1().view();
    const Contrast contrast(stay, q1);
    Matrix b_room = copy_of(b_others_.view()), y_room = copy_of(y_others_.view().columns(first, t));
    const MatrixView b = contrast.reduce(b_room.view()), c = contrast.reduce(y_room.view());  // Z'B_O, Z'Y~_O
    Matrix scaled(b.rows, r), k(b.rows, b.rows), g(r, t);
    for (Index l = 0; l < r; ++l)
      for (Index i = 0; i < b.rows; ++i) scaled(i, l) = b(i, l) * std::sqrt(at.eigenvalue(l));
    syrk(Op::none, 1, scaled.view(), 0, k.view());
    for (Index i = 0; i < k.cols(); ++i) k(i, i) += at.lambda();
    const double norm = symmetric_norm1(k.view());
    if (!potrf(k.view()) || !(reciprocal_condition(k.view(), norm) > well_conditioned))
      return left_out_by_qr(at, first, out);
    trsm(Op::none, k.view(), c);
    trsm(Op::transpose, k.view(), c);
    gemm(Op::transpose, Op::none, 1, b, c, 0, g.view());
    for (Index j = 0; j < t; ++j)
      for (Index l = 0; l < r; ++l) g(l, j) *= at.eigenvalue(l);

    gemm(Op::none, Op::none, -1, rows_.b.view(), g.view(), 1, out);
    if (q == 0) return true;
    Matrix left = copy_of(y_others_.view().columns(first, t));
    gemm(Op::none, Op::none, -1, b_others_.view(), g.view(), 1, left.view());
    for (Index j = 0; j < t; ++j) {
      Array<double> of_u(q), beta(q);
      for (Index l = 0; l < q; ++l) of_u[l] = dot(stay, q1.col(l), left.col(j)) / free.nu(l);
      free.effects(of_u, beta.data());
      gemv(Op::none, -1, rows_.q1.view(), beta.data(), 1, out.col(j));
    }
    return true;
  }

 private:
  // With the unknowns beta_l = g_l ((Lambda_l + lambda) / Lambda_l)^(1/2), whose features are
  // B_l (Lambda_l / (Lambda_l + lambda))^(1/2).
  bool left_out_by_qr(const SpectrumAt& at, Index first, MatrixView out) const {
    const Index r = rows_.b.cols(), q = rows_.q1.cols();
    Array<double> root(r + q, 1.0);
    Matrix pi(r, r, 0.0);
    for (Index l = 0; l < r; ++l) {
      root[l] = std::sqrt(at.fitted(l));
      pi(l, l) = root[l] > 0 ? std::sqrt(at.lambda() / (at.eigenvalue(l) + at.lambda())) : 1;
    }
    const auto features = [&](const Matrix& b, const Matrix& q1, Index more) {
      Matrix a(b.rows(), r + q + more);
      copy(b.view(), a.view().columns(0, r));
      copy(q1.view(), a.view().columns(r, q));
      for (Index l = 0; l < r; ++l)
        for (Index i = 0; i < a.rows(); ++i) a(i, l) *= root[l];
      return a;
    };
    RowRefit refit(r + q, out.cols);
    Matrix others = features(b_others_, q1_others_, out.cols);
    copy(y_others_.view().columns(first, out.cols), others.view().columns(r + q, out.cols));
    refit.absorb(others.view());
    refit.penalise(pi.view());
    if (!refit.determined()) return false;
    gemm(Op::none, Op::none, -1, features(rows_.b, rows_.q1, 0).view(), refit.beta().view(), 1, out);
    return true;
  }

  GroupRows rows_;
  Matrix b_others_, y_, y_others_;  // B_O; Y~_S, Y~_O
  Matrix q1_others_;
};

// Dense: few rows go.
class DenseGroup final : public RowBlock {
 public:
  explicit DenseGroup(GroupRows rows) : rows_(std::move(rows)) {
    if (!rows_.f.complement()) return;
    set_outside();
    if (rows_.b.rows() > 1) return;
    noise_.front() = rows_.f.row_noise() * rows_.f.row_noise();
    if (!rows_.high_leverage) return;
    const std::shared_ptr<const SmallResiduals> mended = rows_.f.small_residuals(rows_.which);
    outside_(0, 0) = mended->diagonal.front();
    for (Index j = 0; j < rows_.rest.cols(); ++j) rows_.rest(0, j) = mended->rest(0, j);
  }

  bool near_singular() const {
    return rows_.b.rows() > 1 && outside_.rows() > 0 && may_be_near_singular(outside_.view());
  }
  GroupRows take_rows() { return std::move(rows_); }

  bool left_out(const ResidualMaker& residual_maker, Index first, MatrixView v) const override {
    const SpectrumAt& at = static_cast<const SpectrumResidualMaker&>(residual_maker).spectrum();
    rows_.residual(at, first, v);
    const Index s = rows_.b.rows(), r = rows_.b.cols();
    Matrix p(s, s, 0.0);
    if (rows_.f.complement()) std::ranges::copy(outside_.values(), p.values().begin());
    const auto add = [&](double sign) {  // the columns whose share is positive, or negative
      Array<Index> columns;
      for (Index k = 0; k < r; ++k)
        if (sign * rows_.f.share(at, k) > 0) columns.push_back(k);
      Matrix scaled(s, static_cast<Index>(columns.size()));
      for (Index c = 0; c < scaled.cols(); ++c) {
        const Index k = columns[c];
        const double root = std::sqrt(std::abs(rows_.f.share(at, k)));
        for (Index i = 0; i < s; ++i) scaled(i, c) = rows_.b(i, k) * root;
        worked(touched * static_cast<double>(s));
      }
      syrk(Op::none, sign, scaled.view(), 1, p.view());
    };
    add(1);
    add(-1);
    Array<double> diagonal(s);
    for (Index i = 0; i < s; ++i) diagonal[i] = p(i, i);
    rows_.f.clear_rounding(at.projects(), diagonal);
    for (Index i = 0; i < s; ++i) p(i, i) = diagonal[i];
    return solve_left_out(p.view(), v, noise_);
  }

 private:
  // N_SS
  void set_outside() {
    const Index s = rows_.b.rows();
    Matrix inside = copy_of(rows_.b.view());
    rows_.f.drop_outside(inside.view());
    outside_ = Matrix(s, s);
    syrk(Op::none, -1, inside.view(), 0, outside_.view());
    if (rows_.q1.cols() > 0) syrk(Op::none, -1, rows_.q1.view(), 1, outside_.view());
    for (Index j = 0; j < s; ++j) {
      outside_(j, j) = rows_.rest_diagonal[j];
      worked(touched * static_cast<double>(s - j));
    }
    noise_.assign(s, rows_.f.subtraction_noise());
  }

  GroupRows rows_;
  Matrix outside_;       // N_SS, lower triangle; empty without complement
  Array<double> noise_;  // the absolute error of its diagonal; empty without complement
};

}  // namespace

bool may_be_near_singular(ConstMatrixView a) {
  Matrix factor = copy_of(a);
  const double norm = symmetric_norm1(a);
  return !potrf(factor.view()) || !(reciprocal_condition(factor.view(), norm) * norm > near_singular);
}

GroupRows::GroupRows(const SpectrumFactorization& factorization, Span<const Index> rows)
    : f(factorization), which(rows.begin(), rows.end()), q1(f.problem().q1_of(rows)) {
  SpectrumFactorization::Room room;
  const SpectrumFactorization::Tile tile = f.gather(rows, room);
  b = copy_of(tile.b);
  if (f.complement()) rest = copy_of(tile.rest);
  rest_diagonal.assign(tile.rest_diagonal.begin(), tile.rest_diagonal.end());
  high_leverage = !tile.small.empty();
}

void GroupRows::residual(const SpectrumAt& at, Index first, MatrixView out) const {
  if (out.cols > out.rows) {  // the shares go to the smaller factor of B_S [share Gamma]
    Matrix shared(b.rows(), b.cols());
    for (Index k = 0; k < b.cols(); ++k)
      for (Index i = 0; i < b.rows(); ++i) shared(i, k) = b(i, k) * f.share(at, k);
    gemm(Op::none, Op::none, 1, shared.view(), f.spectrum().gamma.view().columns(first, out.cols), 0, out);
  } else {
    gemm(Op::none, Op::none, 1, b.view(), f.shared_gamma(at, first, out.cols).view(), 0, out);
  }
  if (!f.complement()) return;
  for (Index j = 0; j < out.cols; ++j)
    for (Index i = 0; i < out.rows; ++i) out(i, j) += rest(i, first + j);
}

std::unique_ptr<RowBlock> leave_out_group(const SpectrumFactorization& f, Span<const Index> rows) {
  GroupRows group(f, rows);
  const Index s = group.b.rows(), stay = f.problem().n() - s, unknowns = f.r() + group.q1.cols();
  if (f.complement() && stay < unknowns) return std::make_unique<RefittedGroup>(std::move(group));
  if (f.complement() && s > f.r() + std::max<Index>(group.q1.cols(), 1))
    return std::make_unique<WoodburyGroup>(std::move(group), true);
  auto dense = std::make_unique<DenseGroup>(std::move(group));
  if (!dense->near_singular()) return dense;
  return std::make_unique<WoodburyGroup>(dense->take_rows(), false);
}

}  // namespace freeridge
