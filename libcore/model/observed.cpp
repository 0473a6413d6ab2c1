// Models with outputs that are not observed in some rows (factor/observed_rows.hpp).
#include "libcore/factor/observed_rows.hpp"
#include "libcore/linalg/threads.hpp"
#include "libcore/model/model.hpp"

namespace freeridge {
namespace {

using Each = std::function<void(const ResidualMaker&, Index, Index)>;
using Undefined = std::function<void(const std::string&)>;

// undefined is called for parts whose outputs are not determined; where it is empty, such a part throws.
void each_part(const AllRows& all, Index first, Index count, const Each& f, const Undefined& undefined = {}) {
  const Array<MissingOutputs::Part>& parts = all.problem().missing->parts();
  Stage stage(0, 0);
  Index done = 0;
  for (const MissingOutputs::Part& part : parts) {
    stage.next(fraction(++done, std::ssize(parts)));
    Index outputs = 0;
    MissingOutputs::each_run(part, first, count, [&](Index, Index size) { outputs += size; });
    if (outputs == 0) continue;
    try {
      const bool observed = part.rows.empty();
      const std::optional<ObservedRows> rows =
          observed ? std::optional<ObservedRows>() : std::optional<ObservedRows>(std::in_place, all, part);
      MissingOutputs::each_run(part, first, count, [&](Index begin, Index size) {
        f(observed ? all.maker() : static_cast<const ResidualMaker&>(*rows), begin, size);
      });
    } catch (const Error& error) {
      if (!undefined || error.status() != Status::undefined) throw;
      undefined(error.what());
    }
    report(1);
  }
}

}  // namespace

void Model::for_each_observed(const Factorization& factorization, const Fit& fit, const EachResidualMaker& f) {
  const Index t = std::ssize(fit.lambdas);
  Stage stage(0, 0);
  if (fit.shared) {
    const std::shared_ptr<const AllRows> all = [&] {
      std::unique_lock lock(fit.shared->mutex, std::defer_lock);
      lock_patiently(lock);
      if (fit.shared->all_rows == nullptr) {
        stage.next(0.5);
        std::shared_ptr<const ResidualMaker> maker = factorization.at(fit.lambdas[0]);
        fit.shared->all_rows = std::make_shared<const AllRows>(factorization, std::move(maker), 0, t);
      }
      return fit.shared->all_rows;
    }();
    stage.next(1);
    return each_part(*all, 0, t, f);
  }
  each_lambda(fit.lambdas, [&](double lambda, Index first, Index end) {
    stage.next(fraction(first + end, 2 * t));
    std::shared_ptr<const ResidualMaker> maker = factorization.at(lambda);
    const AllRows all(factorization, std::move(maker), first, end - first);
    stage.next(fraction(end, t));
    each_part(all, first, end - first, f);
  });
}

void Model::try_residual_maker(double lambda, Index first, Index count, const EachResidualMaker& f,
                               const Undefined& undefined) const {
  std::shared_ptr<const ResidualMaker> maker = factorization_->try_at(lambda, undefined);
  if (!maker) return;
  if (!data_->missing) return f(*maker, first, count);
  each_part(AllRows(*factorization_, std::move(maker), first, count), first, count, f, undefined);
}

void Model::each_part_model(const char* what, const EachPartModel& f) const {
  if (!landmarks().empty())
    fail(Status::invalid_state, what,
         " is not made of outputs with missing values and landmarks; leave these rows out of x and y");
  Stage stage(0, 0);
  Index done = 0;
  for (const MissingOutputs::Part& part : data_->missing->parts()) {
    stage.next(fraction(++done, std::ssize(data_->missing->parts())));
    const Array<Index> rows = other_indices(part.rows, n());
    Model model = of_rows(rows, false, part.outputs);
    Array<double> lambdas;
    for (const Index j : part.outputs) lambdas.push_back(fit().lambdas[j]);
    require_room(model.memory_required(), what, "leave these rows out of x and y");
    Stage inner(0, 0.6);
    model.factorization_ = model.factorized(kernel_, {});
    inner.next(0.8);
    model.fit_ = std::make_shared<const Fit>(model.solve(*model.factorization_, lambdas));
    inner.next(1);
    f(model, rows, part.outputs);
  }
}

void Model::require_all_observed(const char* what) const {
  if (data(what).missing)
    fail(Status::invalid_state, what, " is not made of outputs with missing values; leave these rows out of x and y");
}

}  // namespace freeridge
