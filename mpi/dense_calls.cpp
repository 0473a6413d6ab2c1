// The C layer for dense problems. Every argument is checked within a `together`, so that all ranks return the same
// status.
#include <algorithm>

#include "libcore/base/checks.hpp"
#include "mpi/dense.hpp"
#include "mpi/own_kernel.hpp"
#include "mpi/served_search.hpp"
#include "mpi/wall.hpp"

struct freeridge_mpi_dense {
  freeridge::mpi::Dense dense;
};

namespace freeridge::mpi {
namespace {

using capi::checked_layout;
using capi::checked_matrix;
using capi::checked_output;
using capi::require_one_of;
using capi::require_size;
using capi::required;

Dense& dense_of(freeridge_mpi_dense* dense) {
  require_mpi();
  return required("dense", dense).dense;
}

void require_engine(freeridge_mpi_engine engine) {
  int32_t has = 0;
  require_one_of("engine", engine,
                 {FREERIDGE_MPI_ENGINE_AUTO, FREERIDGE_MPI_ENGINE_CHOLESKY, FREERIDGE_MPI_ENGINE_PDSYEVD,
                  FREERIDGE_MPI_ENGINE_ELPA});
  freeridge_mpi_has_engine(engine, &has);
  if (has == 0) fail(Status::invalid_argument, "engine is ELPA, and the library was built without it");
}

Criterion checked_criterion(freeridge_criterion criterion) {
  require_one_of("criterion", criterion, {FREERIDGE_LOO, FREERIDGE_GCV, FREERIDGE_REML});
  return static_cast<Criterion>(criterion);
}

void require_positive(Span<const double> lambdas) {
  require_lambdas("lambdas", lambdas);
  for (Index l = 0; l < std::ssize(lambdas); ++l)
    if (lambdas[l] == 0)
      fail(Status::invalid_argument, "lambdas[", l,
           "] is 0; it must be positive (one process's SPECTRAL has the limit)");
}

// The beginning of a call on a problem that must be factorized.
template <class Check>
void begin_answer(const Dense& dense, const char* call, const Check& check) {
  begin_together(dense.team(), call, [&](Alike& alike) {
    dense.factor();
    check(alike);
  });
}

void tell_undefined(const Team& team, const std::string& reason) {
  team.together([&] {
    if (!reason.empty()) fail(Status::undefined, reason);
  });
}

}  // namespace
}  // namespace freeridge::mpi

using namespace freeridge;
using namespace freeridge::mpi;

freeridge_status freeridge_mpi_dense_create(const freeridge_kernel* kernel, MPI_Comm comm, freeridge_layout layout,
                                            int64_t n, int64_t d, const double* x, int64_t ldx, int64_t t,
                                            const double* y, int64_t ldy, const double* weights, int32_t intercept,
                                            freeridge_mpi_dense** out) {
  return guarded(__func__, [&](const char* call) {
    Team team(comm);
    std::unique_ptr<freeridge_mpi_dense> made;
    begin_together(team, call, [&](Alike& alike) {
      required("out", out);
      const Layout order = checked_layout(layout);
      require_size("n", n);
      require_size("d", d);
      require_size("t", t);
      if (intercept == FREERIDGE_INTERCEPT_PENALISED)
        fail(Status::invalid_argument, "intercept is PENALISED; add a constant to the kernel in its place");
      const LayoutView points = checked_matrix("x", x, order, "n", n, "d", d, "ldx", ldx);
      const LayoutView outputs = checked_matrix("y", y, order, "n", n, "t", t, "ldy", ldy);
      made = std::make_unique<freeridge_mpi_dense>();
      made->dense.take(own_kernel(kernel), points, outputs, weights, intercept != FREERIDGE_INTERCEPT_NONE, alike);
    });
    made->dense.deal(std::move(team));
    *out = made.release();
  });
}

void freeridge_mpi_dense_destroy(freeridge_mpi_dense* dense) {
  delete dense;
}

freeridge_status freeridge_mpi_dense_set_progress(freeridge_mpi_dense* dense, freeridge_progress callback, void* user) {
  return guarded(__func__, [&] { required("dense", dense).dense.listener() = {callback, user}; });
}

freeridge_status freeridge_mpi_dense_get_dimensions(const freeridge_mpi_dense* dense, int64_t* n, int64_t* d,
                                                    int64_t* t) {
  return guarded(__func__, [&] {
    const Problem& problem = required("dense", dense).dense.problem();
    if (n != nullptr) *n = problem.n();
    if (d != nullptr) *d = problem.d();
    if (t != nullptr) *t = problem.t();
  });
}

freeridge_status freeridge_mpi_dense_memory_required(const freeridge_mpi_dense* dense, freeridge_mpi_engine engine,
                                                     int64_t* bytes) {
  return guarded(__func__, [&] {
    const Dense& asked = required("dense", dense).dense;
    require_engine(engine);
    required("bytes", bytes) = asked.bytes(engine);
  });
}

freeridge_status freeridge_mpi_dense_factorize(freeridge_mpi_dense* dense, freeridge_mpi_engine engine,
                                               int64_t expected_lambdas) {
  return guarded(__func__, [&](const char* call) {
    Dense& asked = dense_of(dense);
    begin_together(asked.team(), call, [&](Alike& alike) {
      require_engine(engine);
      require_size("expected_lambdas", expected_lambdas);
      alike.number("engine", engine);
      alike.number("expected_lambdas", expected_lambdas);
    });
    asked.factorize(engine, expected_lambdas);
  });
}

freeridge_status freeridge_mpi_dense_get_engine(const freeridge_mpi_dense* dense, freeridge_mpi_engine* engine) {
  return guarded(__func__, [&] {
    const Dense& asked = required("dense", dense).dense;
    required("engine", engine) = asked.engine();
  });
}

freeridge_status freeridge_mpi_dense_lambda_floor(const freeridge_mpi_dense* dense, double* floor) {
  return guarded(__func__, [&] {
    const Dense& asked = required("dense", dense).dense;
    required("floor", floor) = asked.factor().floor();
  });
}

freeridge_status freeridge_mpi_dense_score(freeridge_mpi_dense* dense, freeridge_criterion criterion, int64_t count,
                                           const double* lambdas, double* scores, int64_t ld) {
  return guarded(__func__, [&](const char* call) {
    Dense& asked = dense_of(dense);
    MatrixView out;
    begin_answer(asked, call, [&](Alike& alike) {
      checked_criterion(criterion);
      require_size("count", count);
      require_positive({&required("lambdas", lambdas), count});
      out = checked_output("scores", scores, "count", count, asked.problem().t(), ld);
      alike.number("criterion", criterion);
      alike.number("count", count);
      alike.numbers("lambdas", lambdas, count);
    });
    const Heard heard(asked.team(), asked.listener());
    Matrix made;
    asked.team().together([&] { made = Matrix(count, out.cols); });
    const std::string reason = asked.scores(static_cast<Criterion>(criterion), {lambdas, count}, 0, made.view());
    heard.finish();
    copy(made.view(), out);
    tell_undefined(asked.team(), reason);
  });
}

freeridge_status freeridge_mpi_dense_loo(freeridge_mpi_dense* dense, int64_t count, const double* lambdas,
                                         double* errors, int64_t ld) {
  return guarded(__func__, [&](const char* call) {
    Dense& asked = dense_of(dense);
    MatrixView out;
    begin_answer(asked, call, [&](Alike& alike) {
      require_size("count", count);
      require_positive({&required("lambdas", lambdas), count});
      capi::require_product("count", count, "t", asked.problem().t());
      out = checked_output("errors", errors, "n", asked.problem().n(), count * asked.problem().t(), ld);
      alike.number("count", count);
      alike.numbers("lambdas", lambdas, count);
    });
    const Heard heard(asked.team(), asked.listener());
    Matrix made;
    asked.team().together([&] { made = Matrix(out.rows, out.cols); });
    const std::string reason = asked.errors({lambdas, count}, made.view());
    heard.finish();
    copy(made.view(), out);
    tell_undefined(asked.team(), reason);
  });
}

freeridge_status freeridge_mpi_dense_select_lambda(freeridge_mpi_dense* dense, freeridge_criterion criterion,
                                                   double low, double high, double* lambda, double* score) {
  return guarded(__func__, [&](const char* call) {
    Dense& asked = dense_of(dense);
    begin_answer(asked, call, [&](Alike& alike) {
      checked_criterion(criterion);
      require_range("low", low, "high", high);
      required("lambda", lambda);
      required("score", score);
      alike.number("criterion", criterion);
      alike.number("low", low);
      alike.number("high", high);
    });
    const DenseFactor& factor = asked.factor();
    const Index t = asked.problem().t();
    const auto kind = static_cast<Criterion>(criterion);
    const Heard heard(asked.team(), asked.listener());
    const auto range = [&] { return search_range(low, high, factor.eigenvalue_range(), factor.floor()); };
    const auto evaluate = [&](Span<const double> lambdas, Index first, MatrixView out, MatrixView) {
      return asked.scores(kind, lambdas, first, out);
    };
    const LambdaSearch found =
        served_search(asked.team(), kind, t, factor.at_is_free(), std::ref(range), std::ref(evaluate));
    heard.finish();
    capi::copy_to(found.best, lambda);
    capi::copy_to(found.best_score, score);
  });
}

freeridge_status freeridge_mpi_dense_predictor(freeridge_mpi_dense* dense, const double* lambdas,
                                               freeridge_model** out) {
  return guarded(__func__, [&](const char* call) {
    Dense& asked = dense_of(dense);
    const Index t = asked.problem().t();
    begin_answer(asked, call, [&](Alike& alike) {
      require_positive({&required("lambdas", lambdas), t});
      required("out", out);
      alike.numbers("lambdas", lambdas, t);
    });
    const Heard heard(asked.team(), asked.listener());
    const Array<unsigned char> bytes = asked.predictor({lambdas, t});
    heard.finish();
    freeridge_model* made = nullptr;
    asked.team().together([&] {
      if (!bytes.empty()) ask(freeridge_load_from_memory(bytes.data(), std::ssize(bytes), &made));
    });
    *out = made;
  });
}
