#include "libcore/model/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/checks.hpp"
#include "libcore/kernel/kernel_gradient.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/kernel/kernel_text.hpp"

namespace freeridge {
namespace {

constexpr Index least_rows = 256, most_rows = 16384;  // new points in one tile
constexpr Index predicted_doubles = 1 << 21;          // numbers of x and f in a tile: 16 MiB
constexpr Index gradient_doubles = 1 << 22;           // numbers of derivatives in a tile: 32 MiB
constexpr Index smoother_doubles = 1 << 22;           // numbers of smoother rows in a tile: 32 MiB
constexpr double any_number = std::numeric_limits<double>::max();

enum Form : std::int64_t { hyperplane_form = 1, data_form = 2, landmark_form = 3 };

Form form_of(const Prediction& prediction) {
  if (prediction.w.rows > 0) return hyperplane_form;
  return prediction.landmarks.empty() ? data_form : landmark_form;
}

}  // namespace

Index predicted_rows(Index columns, Index m) {
  return std::min(std::clamp(predicted_doubles / columns, least_rows, most_rows), m);
}

Index smoother_rows(Index n, Index m) {
  return std::clamp<Index>(smoother_doubles / n, 1, m);
}

void require_fixed(Index q, const LayoutView& fixed) {
  if (fixed.cols != q && q > 0)
    fail(Status::invalid_state, "the model has ", q,
         " unpenalised columns, of which predictions need the values at the new points; the points have ", fixed.cols,
         " (unpenalised of freeridge_points)");
  if (fixed.cols != q)
    fail(Status::invalid_state, "the points have ", fixed.cols,
         " unpenalised columns, but the model has none (freeridge_set_points gives it some)");
  require_finite("unpenalised", fixed);
}

void predict(const Prediction& prediction, const Points& given, Layout layout, double* out, Index ldout) {
  const Rows& points = given.x;
  require_fixed(prediction.fixed.rows, given.fixed);
  if (prediction.kernel.precomputed() && points.is_sparse())
    fail(Status::invalid_argument,
         "the model's kernel is precomputed, and x is sparse: the values of a precomputed kernel are an ordinary "
         "matrix");
  require_finite("x", points);
  const Index m = points.rows;
  const Index height = predicted_rows((prediction.w.rows > 0 ? prediction.d : 0) + prediction.t, m);
  Matrix values(height, prediction.t);
  Stage stage(0, 0);
  for (Index row = 0; row < m; row += height) {
    const Index rows = std::min(height, m - row);
    const MatrixView f = values.view().row_range(0, rows);
    stage.next(fraction(row + rows, m));
    predict_rows(prediction, given, row, f);
    copy_out(f, layout, out + (layout == Layout::col_major ? row : row * ldout), ldout);
  }
}

void predict_rows(const Prediction& prediction, const Points& given, Index row, MatrixView f) {
  const Rows& points = given.x;
  const Span<const double> constant = prediction.w.rows > 0 ? prediction.level : prediction.b;
  if (prediction.w.rows > 0) {
    multiply(points, row, prediction.origin, prediction.w, f);
    report(1);
  } else {
    kernel_product(prediction.kernel, points, row, prediction.support, prediction.c, f);
  }
  for (Index j = 0; j < f.cols; ++j)
    for (Index i = 0; i < f.rows; ++i) {
      double free = constant[j];
      for (Index k = 0; k < prediction.fixed.rows; ++k) free += given.fixed(row + i, k) * prediction.fixed(k, j);
      f(i, j) += free;
      if (!std::isfinite(f(i, j))) fail(Status::not_finite, "the prediction for row ", row + i, " of x overflows");
    }
}

void require_derivative(const Kernel& kernel) {
  if (kernel.precomputed())
    fail(Status::invalid_argument,
         "the model's kernel is precomputed: there are no columns along which to differentiate");
  if (!kernel.differentiable())
    fail(Status::invalid_argument,
         "the model's kernel has a part that is not differentiable at the points of the data (laplacian, matern with "
         "nu = 0.5), or by columns that are angles (sphere)");
}

void predict_gradient(const Prediction& prediction, const Rows& points, Layout layout, double* out, Index ldout) {
  const bool linear = prediction.w.rows > 0;
  if (!linear) require_derivative(prediction.kernel);
  require_finite("x", points);
  const Index m = points.rows, columns = checked_doubles(prediction.d, prediction.t);
  const Index height = std::min(std::max<Index>(gradient_doubles / columns, least_rows), m);
  Matrix values(height, columns);
  Stage stage(0, 0);
  for (Index row = 0; row < m; row += height) {
    const MatrixView part = values.view().row_range(0, std::min(height, m - row));
    stage.next(fraction(row + part.rows, m));
    if (linear) {
      for (Index j = 0; j < prediction.t; ++j)
        for (Index k = 0; k < prediction.d; ++k)
          std::fill_n(part.col(k + prediction.d * j), part.rows, prediction.w(k, j));
      report(1);
    } else {
      expansion_gradient(prediction.kernel, points, row, prediction.support, prediction.c, part);
    }
    copy_out(part, layout, out + (layout == Layout::col_major ? row : row * ldout), ldout);
  }
}

void save_prediction(const Prediction& prediction, ByteWriter& out) {
  const Form form = form_of(prediction);
  out.integer(prediction.n);
  out.integer(prediction.d);
  out.integer(prediction.t);
  out.integer(form);
  save_kernel(prediction.kernel, out);
  out.numbers(prediction.lambdas);
  out.numbers(prediction.b);
  out.integer(prediction.fixed.rows);
  out.matrix(prediction.fixed);
  if (form == hyperplane_form) {
    const Array<double> zeros(prediction.d, 0.0);
    out.numbers(prediction.origin.empty() ? zeros : prediction.origin);
    out.numbers(prediction.level);
    return out.matrix(prediction.w);
  }
  if (form == landmark_form) {
    out.integer(prediction.support.rows);
    out.indices(prediction.landmarks);
  }
  if (!prediction.kernel.precomputed()) {
    Matrix column(prediction.support.rows, 1);
    for (Index k = 0; k < prediction.d; ++k) {
      if (prediction.support.is_sparse())
        for (Index i = 0; i < column.rows(); ++i) column(i, 0) = prediction.support(i, k);
      else
        copy_rows(prediction.support.dense().columns(k, 1), 0, column.view());
      out.numbers(column.values());
    }
  }
  out.matrix(prediction.c);
}

std::int64_t Predictor::load_head(ByteReader& in) {
  n_ = in.integer("n", 1, std::numeric_limits<Index>::max());  // an accumulator may have more rows than an array can
  d_ = in.integer("d", 1, largest_dimension);
  t_ = in.integer("t", 1, largest_dimension);
  const std::int64_t form = in.integer("form", hyperplane_form, landmark_form);
  kernel_ = load_kernel(in);
  kernel_->check_data(n_, d_);
  if (!kernel_->precomputed()) in.require("d features", d_);  // each other form has at least d numbers
  if ((form == hyperplane_form) != kernel_->linear_scale(d_).has_value() ||
      (form == landmark_form && kernel_->precomputed()))
    fail(Status::corrupt, "the saved form is ", form, ", which is not that of the kernel");
  lambdas_ = in.vector("lambda", any_number, t_);
  require_lambdas("lambda", lambdas_);
  b_ = in.vector("the intercepts", any_number, t_);
  const Index q = in.version() < 5 ? 0 : in.integer("number of fixed effects", 0, n_);
  fixed_ = in.matrix("the fixed effects", any_number, q, t_);
  return form;
}

bool Predictor::has_x(std::int64_t form) const {
  return form == data_form && !kernel_->precomputed();
}

SavedX Predictor::locate_x(ByteReader& in) {
  Predictor head;
  if (!head.has_x(head.load_head(in))) return {0, 0};
  in.require("x", head.n_, head.d_);
  return {in.position(), 8 * head.n_ * head.d_};
}

Predictor::Predictor(ByteReader& in) {
  const std::int64_t form = load_head(in);
  if (form == hyperplane_form) {
    origin_.assign(d_, 0.0);
    level_ = b_;
    if (in.version() >= 2) {
      origin_ = in.vector("the origin", any_number, d_);
      level_ = in.vector("the levels", any_number, t_);
    }
    w_ = in.matrix("w", any_number, d_, t_);
    return;
  }
  Index r = n_;
  if (form == landmark_form) {
    r = in.integer("number of landmarks", 1, n_);
    landmarks_ = load_indices("the landmarks", "landmark", 0, n_ - 1, r, in);
  }
  if (!kernel_->precomputed()) support_ = in.matrix("x", any_number, r, d_);
  c_ = in.matrix("c", any_number, r, t_);
}

Predictor::Predictor(KernelPtr kernel, const Prediction& from)
    : kernel_(std::move(kernel)),
      n_(from.n),
      d_(from.d),
      t_(from.t),
      lambdas_(from.lambdas.begin(), from.lambdas.end()),
      b_(from.b.begin(), from.b.end()),
      origin_(from.origin.begin(), from.origin.end()),
      level_(from.level.begin(), from.level.end()),
      w_(copy_of(from.w)),
      c_(copy_of(from.c)),
      fixed_(copy_of(from.fixed)),
      landmarks_(from.landmarks.begin(), from.landmarks.end()) {
  if (from.c.rows == 0) return;
  support_ = Matrix(from.c.rows, from.d);
  copy_rows(from.support, 0, support_.view());
}

Prediction Predictor::prediction() const {
  // Of the support a precomputed kernel needs the number of rows alone, so the view has no data then.
  const LayoutView support{support_.data(), c_.rows(), d_, c_.rows(), Layout::col_major};
  return {*kernel_, n_,     d_,      t_,        lambdas_,   b_,           w_.view(),
          origin_,  level_, support, c_.view(), landmarks_, fixed_.view()};
}

void Predictor::coefficients(MatrixView c) const {
  if (w_.rows() > 0)
    fail(Status::invalid_state,
         "the model was saved for prediction only, which keeps no coefficients of a linear "
         "kernel; see freeridge_hyperplane");
  if (landmarks_.empty()) return copy_out(c_.view(), Layout::col_major, c.data, c.ld);
  for (Index j = 0; j < t_; ++j) {
    std::fill_n(c.col(j), n_, 0.0);
    for (Index q = 0; q < c_.rows(); ++q) c(landmarks_[q], j) = c_(q, j);
  }
}

void Predictor::hyperplane(MatrixView w) const {
  if (w_.rows() == 0) fail(Status::invalid_state, "only a linear kernel has a hyperplane; see freeridge_coefficients");
  copy_out(w_.view(), Layout::col_major, w.data, w.ld);
}

}  // namespace freeridge
