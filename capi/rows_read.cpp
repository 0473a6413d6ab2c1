// The C layer, models whose rows a reader hands out (freeridge_set_reader): what the calls on models do then.
#include "capi/rows_read.hpp"

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

// Before a lambda is set.
const ReaderModel& require_solvable(const freeridge_model& model) {
  const ReaderModel& read = require_factorized(*model.reader).model;
  if (model.model.refinement() > 0)
    fail(Status::invalid_state, "there are ", model.model.refinement(),
         " steps of refinement (freeridge_set_refinement), for which a reader's rows would have to be in memory");
  return read;
}

}  // namespace

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

void score_rows_read(const freeridge_model& model, Criterion criterion, Span<const double> lambdas, double* scores,
                     double* errors, std::int64_t ld) {
  const ReaderModel& read = require_factorized(*model.reader).model;
  const Index count = std::ssize(lambdas), t = read.reader().t();
  const MatrixView out = checked_output("scores", scores, "count", count, t, ld);
  const MatrixView errors_out = optional_output(errors, count, t, ld);
  const Hearing hearing(model.model.listener());
  Matrix table(count, t), errors_table(count, t);
  std::string reason =
      read.score(criterion, lambdas, table.view(), errors == nullptr ? MatrixView{} : errors_table.view());
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
  auto search = std::make_shared<const LambdaSearch>(reader.model.select_lambda(criterion, low, high));
  stage.next(1);
  auto fit = predictor_at(reader.model.features(), reader.model.problem(), search->best);
  report(1);
  reader.fit = std::move(fit);
  reader.search = std::move(search);
  return *reader.search;
}

}  // namespace freeridge::capi

using namespace freeridge;
using namespace freeridge::capi;

freeridge_status freeridge_set_reader(freeridge_model* model, freeridge_layout layout, int64_t n, int64_t d, int64_t t,
                                      freeridge_reader callback, void* user) {
  return guarded(__func__, [&] {
    Model& m = settings_of(model);
    const Layout order = checked_layout(layout);
    if (n != -1) require_size("n", n);
    require_size("d", d);
    require_size("t", t);
    if (callback == nullptr) fail(Status::invalid_argument, "callback is NULL");
    require_product("d", d, "t", t);
    m.kernel()->check_data(1, d);
    auto reader =
        std::make_shared<ReadRowsOfModel>(ReadRowsOfModel{ReaderModel(RowReader(callback, user, order, n, d, t))});
    m.drop_data();
    model->reader = std::move(reader);
  });
}
