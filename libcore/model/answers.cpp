// What a fitted model tells (notation as in factorization.hpp):
//   fitted = Y - W^(-1/2) rho P~Y~,   c = W^(1/2) c~,   f(x) = w'x + b or k(x, X) c + b
#include <algorithm>
#include <cmath>

#include "libcore/checks.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/blas.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

void copy(const Matrix& from, MatrixView to) {
  copy_out(from.view(), Layout::col_major, to.data, to.ld);
}

}  // namespace

std::string Model::loo(MatrixView errors) const {
  require_fitted();
  require_room(lambda_bytes(), "leaving one out", "use fewer outputs, or landmarks");
  const Hearing hearing(progress_);
  Matrix out(n(), t());
  std::string reason;
  for_each_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    keep_first(reason, loo_errors(factorization_->problem(), maker, first, out.view().columns(first, count)));
  });
  progress_.report(1);
  copy(out, errors);
  return reason;
}

std::string Model::group_errors(const std::int32_t* label, MatrixView errors) const {
  require_fitted();
  const Groups groups(std::span(label, static_cast<std::size_t>(n())));
  require_room_for_score(&groups);
  const Hearing hearing(progress_);
  Matrix out(n(), t());
  std::string reason;
  for_each_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    keep_first(reason, freeridge::group_errors(*factorization_, maker, groups, first, out.view().columns(first, count),
                                               here()));
  });
  progress_.report(1);
  copy(out, errors);
  return reason;
}

std::string Model::score(Criterion criterion, std::span<const double> lambdas, MatrixView out,
                         MatrixView errors) const {
  require_factorized();
  if (errors.data != nullptr && !is_mean(criterion))
    fail(Status::invalid_argument, "criterion is ", static_cast<std::int32_t>(criterion),
         ", which has no standard error: GCV and REML are no means over points or groups");
  require_lambdas("lambdas", lambdas);
  const Groups* const groups = groups_for(criterion);
  require_room_for_score(groups);
  const Hearing hearing(progress_);
  const Index count = static_cast<Index>(lambdas.size());
  Matrix table(count, t()), error_table(errors.data != nullptr ? count : 0, t());
  const std::string reason = scores(*factorization_, criterion, groups, lambdas, 0, table.view(), progress_,
                                    errors.data != nullptr ? error_table.view() : MatrixView{});
  progress_.report(1);
  copy(table, out);
  if (errors.data != nullptr) copy(error_table, errors);
  return reason;
}

void Model::predict(const LayoutView& points, double* out, Index ldout) const {
  require_fitted();
  require_room_to_predict(points.rows, 0, false);
  const Hearing hearing(progress_);
  require_finite("x", points);
  const Index m = points.rows, height = predicted_rows(m);
  Matrix values(height, t());
  for (Index row = 0; row < m; row += height) {
    const Index rows = std::min(height, m - row);
    const MatrixView f = values.view().row_range(0, rows);
    predict_rows(points, row, f,
                 progress_.part(static_cast<double>(row) / static_cast<double>(m),
                                static_cast<double>(row + rows) / static_cast<double>(m)));
    copy_out(f, points.layout, out + (points.layout == Layout::col_major ? row : row * ldout), ldout);
  }
}

void Model::predict_rows(const LayoutView& points, Index row, MatrixView f, const Progress& progress) const {
  const Solution& solution = fit().solution;
  const Matrix& landmark_x = fit_->landmark_x;
  if (solution.w.rows() > 0) {
    Matrix x(f.rows, d());
    copy_rows(points, row, x.view());
    gemm(Op::none, Op::none, 1, x.view(), solution.w.view(), 0, f);
    progress.report(1);
  } else if (landmark_x.rows() > 0) {
    const LayoutView support{landmark_x.data(), landmark_x.rows(), d(), landmark_x.rows(), Layout::col_major};
    kernel_product(*kernel_, points, row, support, fit_->landmark_c.view(), f, progress);
  } else {
    kernel_product(*kernel_, points, row, data_->x, solution.c.view(), f, progress);
  }
  for (Index j = 0; j < f.cols; ++j)
    for (Index i = 0; i < f.rows; ++i) {
      f(i, j) += solution.b[static_cast<std::size_t>(j)];
      if (!std::isfinite(f(i, j))) fail(Status::not_finite, "the prediction for row ", row + i, " of x overflows");
    }
}

void Model::coefficients(MatrixView c) const {
  require_fitted();
  if (fit_->refined && fit_->solution.c.rows() > 0) {
    const Hearing hearing(progress_);
    progress_.report(1);
    return copy(fit_->solution.c, c);
  }
  require_room(lambda_bytes(), "the coefficients", "use fewer outputs, or landmarks");
  const Hearing hearing(progress_);
  const Problem& problem = factorization_->problem();
  Matrix out(n(), t());
  for_each_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    maker.coefficients(first, out.view().columns(first, count));
  });
  for (Index j = 0; j < t(); ++j)
    for (Index i = 0; i < n(); ++i) out(i, j) *= problem.sqrt_w[static_cast<std::size_t>(i)];
  progress_.report(1);
  copy(out, c);
}

void Model::hyperplane(MatrixView w) const {
  const Solution& solution = fit().solution;
  if (!factorization_->problem().linear())
    fail(Status::invalid_state, "only a linear kernel has a hyperplane; see freeridge_get_coefficients");
  copy(solution.w, w);
}

void Model::intercept(double* b) const {
  std::copy(fit().solution.b.begin(), fit().solution.b.end(), b);
}

void Model::fitted(MatrixView fitted) const {
  require_fitted();
  require_room(lambda_bytes(), "the fitted values", "use fewer outputs, or landmarks");
  const Hearing hearing(progress_);
  const Problem& problem = factorization_->problem();
  Matrix out(n(), t());
  for_each_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    const MatrixView part = out.view().columns(first, count);
    maker.residual(first, part);
    for (Index j = 0; j < count; ++j)
      for (Index i = 0; i < part.rows; ++i)
        part(i, j) =
            data_->y(i, first + j) - maker.shrinkage() * part(i, j) / problem.sqrt_w[static_cast<std::size_t>(i)];
  });
  progress_.report(1);
  copy(out, fitted);
}

void Model::leverage(MatrixView leverage) const {
  require_fitted();
  require_room(lambda_bytes(), "the leverages", "use fewer outputs, or landmarks");
  const Hearing hearing(progress_);
  Matrix out(n(), t());
  for_each_maker(*factorization_, *fit_, [&](const ResidualMaker& maker, Index first, Index count) {
    maker.leverage({out.col(first), static_cast<std::size_t>(n())});
    for (Index j = 1; j < count; ++j) std::copy_n(out.col(first), n(), out.col(first + j));
  });
  progress_.report(1);
  copy(out, leverage);
}

const LambdaSearch& Model::require_search() const {
  if (!search_) fail(Status::invalid_state, "there has been no search; call freeridge_select_lambda first");
  return *search_;
}

std::vector<double> Model::lambda_grid(Index count) const {
  return log_grid(lambda_range(factorization()), count);
}

}  // namespace freeridge
