// The C layer, models whose rows a reader hands out (freeridge_set_points): what the calls on models do then.
#include "capi/rows_read.hpp"

#include <algorithm>

#include "libcore/base/checks.hpp"
#include "libcore/base/memory.hpp"

namespace freeridge::capi {

ReaderModel::Settings reader_settings(const Model& model) {
  if (model.offset() == Offset::penalised)
    fail(Status::invalid_argument,
         "the intercept is PENALISED, which a reader does not have: let it give a column of ones, and none");
  return {model.kernel(),          model.offset() == Offset::free, model.requested_route(),
          model.landmark_method(), model.landmark_seed(),          model.reduction()};
}

namespace {

// The model of a reader, checked to be ready for a lambda: factorized, and without steps of refinement.
const ReaderModel& require_solvable(const freeridge_model& model) {
  const ReaderModel& read = require_factorized(*model.reader).model;
  if (model.model.refinement() > 0)
    fail(Status::invalid_state, "there are ", model.model.refinement(),
         " steps of refinement (FREERIDGE_REFINEMENT), for which a reader's rows would have to be in memory");
  return read;
}

}  // namespace

void read_points(freeridge_model& model, const GivenPoints& points, Index t, const double* y) {
  points.refuse_unpenalised("those of a reader are the first columns of its x (FREERIDGE_UNPENALISED)");
  if (y != nullptr) fail(Status::invalid_argument, "y is not NULL, but the reader hands it out");
  require_product("points.d", points.d(), "t", t);
  model.model.kernel()->check_data(1, points.d());
  auto reader = std::make_shared<ReadRowsOfModel>(ReadRowsOfModel{ReaderModel(points.reader(t))});
  model.model.drop_data();
  model.reader = std::move(reader);
}

void factorize_rows_read(freeridge_model& model) {
  ReaderModel next = model.reader->model;
  const ReaderModel::Settings settings = reader_settings(model.model);
  require_memory(next.memory_required(settings), "a factorization of a reader's rows",
                 "use fewer features or landmarks", model.model.memory_limit());
  const Hearing hearing(model.model.listener());
  next.factorize(settings);
  *model.reader = ReadRowsOfModel{std::move(next)};
}

void set_lambdas_of_reader(freeridge_model& model, const Array<double>& lambdas) {
  const ReaderModel& read = require_solvable(model);
  require_lambdas("lambda", lambdas);
  const Hearing hearing(model.model.listener());
  auto fit = predictor_at(read.features(), read.problem(), lambdas);
  report(1);
  model.reader->fit = std::move(fit);
}

freeridge_status loo_of_reader(const char* call, const freeridge_model& model, double* errors, int64_t ld) noexcept {
  return guarded(call, [&] {
    const ReaderModel& read = model.reader->model;
    const MatrixView out = checked_output("errors", errors, "n", read.n(), read.reader().t(), ld);
    const Hearing hearing(model.model.listener());
    std::string reason = read.loo(model.reader->fit->lambdas(), out);
    report(1);
    report_undefined(std::move(reason));
  });
}

// Of the landmarks, in the order of freeridge_get_landmarks, with 0 for those that phi is not made of.
void coefficients_of_reader(const freeridge_model& model, double* c, int64_t ld) {
  const ReaderModel& read = model.reader->model;
  const Predictor& fit = *model.reader->fit;
  Matrix made(fit.n(), fit.t());
  fit.coefficients(made.view());
  const MatrixView out = checked_output("c", c, "r", static_cast<Index>(read.chosen().size()), fit.t(), ld);
  const Span<const Index> kept = read.features().map().kept();
  for (Index j = 0; j < out.cols; ++j) {
    std::fill_n(&out(0, j), out.rows, 0.0);
    for (Index k = 0; k < made.rows(); ++k) out(kept[static_cast<std::size_t>(k)], j) = made(k, j);
  }
}

freeridge_status group_errors_of_reader(const char* call, const freeridge_model& model, const int32_t* group,
                                        int64_t layers, const int32_t* gap, double* errors, int64_t ld) noexcept {
  return guarded(call, [&] {
    const ReaderModel& read = model.reader->model;
    required("group", group);
    require_gaps(layers, gap);
    const MatrixView out = checked_output("errors", errors, "n", read.n(), read.reader().t(), ld);
    require_product("n", read.n(), "layers", layers);
    const Groups groups = Groups(Span(group, read.n())).with_gaps(Span(gap, layers * read.n()), layers);
    const Hearing hearing(model.model.listener());
    std::string reason = read.group_errors(groups, model.reader->fit->lambdas(), out, model.model.memory_limit());
    report(1);
    report_undefined(std::move(reason));
  });
}

void score_rows_read(const freeridge_model& model, Criterion criterion, Span<const double> lambdas, double* scores,
                     double* errors, std::int64_t ld) {
  const ReaderModel& read = require_factorized(*model.reader).model;
  const Index count = std::ssize(lambdas), t = read.reader().t();
  const MatrixView out = checked_output("scores", scores, "count", count, t, ld);
  const MatrixView errors_out = optional_output(errors, count, t, ld);
  const Hearing hearing(model.model.listener());
  Matrix table(count, t), errors_table(count, t);
  std::string reason = read.score(criterion, lambdas, table.view(),
                                  errors == nullptr ? MatrixView{} : errors_table.view(), model.model.memory_limit());
  report(1);
  copy_out(table.view(), Layout::col_major, out.data, out.ld);
  if (errors != nullptr) copy_out(errors_table.view(), Layout::col_major, errors_out.data, errors_out.ld);
  report_undefined(std::move(reason));
}

const LambdaSearch& select_by_reader(freeridge_model& model, Criterion criterion, double low, double high) {
  require_solvable(model);
  ReadRowsOfModel& reader = *model.reader;
  require_range("low", low, "high", high);
  const Hearing hearing(model.model.listener());
  Stage stage(0, 0.95);
  auto search = std::make_shared<const LambdaSearch>(
      reader.model.select_lambda(criterion, low, high, model.model.memory_limit()));
  stage.next(1);
  auto fit = predictor_at(reader.model.features(), reader.model.problem(), search->best);
  report(1);
  reader.fit = std::move(fit);
  reader.search = std::move(search);
  return *reader.search;
}

}  // namespace freeridge::capi
