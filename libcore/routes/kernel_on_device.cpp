#include "libcore/routes/kernel_on_device.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libcore/base/progress.hpp"
#include "libcore/kernel/kernel_matrix.hpp"
#include "libcore/linalg/lower_triangle.hpp"
#include "libcore/linalg/threads.hpp"

namespace freeridge {
namespace {

constexpr Index values_at_once = Index{1} << 29;   // kernel values between two reports: some .1 s
constexpr Index numbers_at_once = Index{1} << 20;  // of the points, on their way

// The rows of `from` in their places.
Matrix by_places(const Contrast& contrast, ConstMatrixView from) {
  Matrix out(from.rows, from.cols);
  for (Index k = 0; k < from.cols; ++k)
    for (Index place = 0; place < from.rows; ++place) out(place, k) = from(contrast.row(place), k);
  return out;
}

// The points in the places from `first` on, less the shift.
void pack_places(const Problem& problem, const Contrast& contrast, Index first, MatrixView out) {
  pack_rows(problem.x, first, problem.shift, out);
  for (Index i = 0; i < out.rows; ++i)
    if (const Index row = contrast.row(first + i); row != first + i)
      pack_rows(problem.x, row, problem.shift, out.row_range(i, 1));
}

// Writes to all of a: so the system gives its memory to all threads, before one thread copies to it.
void touch(MatrixView a) {
  parallel_for(
      a.cols,
      [&](Index j) {
        std::fill_n(a.col(j), a.rows, 0.0);
        worked(touched * static_cast<double>(a.rows));
      },
      static_cast<double>(a.rows * a.cols));
}

}  // namespace

bool made_on_host(bool precomputed, bool linear, bool sparse) {
  return precomputed || (linear && sparse);
}

KernelOnDevice::KernelOnDevice(const EnginePtr& the_engine, const Problem& problem)
    : engine(the_engine),
      about(problem, ReducedKernel::WithoutMatrix{}),
      storage(the_engine, problem.n(), problem.n()) {
  if (made_on_host(problem.kernel->precomputed(), problem.linear(), problem.x.is_sparse())) {
    about = ReducedKernel(problem);
    mirror_lower(about.inner());
    engine->upload(std::as_const(about).inner(), inner());
    about.storage = Matrix();
    return;
  }
  make(problem);
  weigh(problem);
  report(0.8);
  if (about.contrast.active()) reduce(problem);
  report(1);
}

void KernelOnDevice::make(const Problem& problem) {
  const Index n = problem.n(), d = problem.d();
  const std::unique_ptr<DeviceKernel> kernel = engine->kernel(problem.kernel, d);
  const Index columns = kernel->columns(), rows = std::clamp<Index>(numbers_at_once / columns, 1, n);
  DeviceMatrix points(engine, n, columns);
  Matrix raw(rows, d), prepared(rows, columns);
  for (Index row = 0; row < n; row += rows) {
    const Index count = std::min(rows, n - row);
    const MatrixView from = raw.view().row_range(0, count), to = prepared.view().row_range(0, count);
    pack_places(problem, about.contrast, row, from);
    kernel->prepare(from, to);
    engine->upload(to, points.view().row_range(row, count));
    worked(touched * static_cast<double>(count * columns));
  }
  const Index cols = std::clamp<Index>(values_at_once / n, 1, n);
  for (Index col = 0; col < n; col += cols) {
    const Index count = std::min(cols, n - col);
    kernel->evaluate(points.view(), points.view().row_range(col, count), storage.view().columns(col, count));
    report(0.6 * fraction(col + count, n));
  }
}

// K_w, all of it finite; where it is not, the host tells which value overflows.
void KernelOnDevice::weigh(const Problem& problem) {
  const Index n = problem.n();
  if (std::ranges::any_of(problem.sqrt_w, [](double w) { return w != 1; })) {
    const Matrix w = by_places(about.contrast, {problem.sqrt_w.data(), n, 1, n});
    engine->scale(w.values(), w.values(), storage.view(), storage.view());
  }
  Array<double> sums(n);
  engine->magnitudes(storage.view(), sums);
  const Index place = first_not_finite(sums);
  if (place == n) return;
  Matrix column(n, 1);
  cross_kernel(*problem.kernel, problem.x, problem.shift, problem.x, about.contrast.row(place), column.view());
  fail(Status::not_finite, "the weighted kernel matrix overflows; rescale x or the weights");
}

void KernelOnDevice::reduce(const Problem& problem) {
  const Contrast& contrast = about.contrast;
  const Index n = problem.n(), q = problem.q();
  const DeviceMatrix q1 = uploaded(engine, by_places(contrast, problem.q1().view()).view());
  DeviceMatrix product(engine, n, q);
  engine->gemm(Op::none, Op::none, 1, storage.view(), q1.view(), 0, product.view());
  engine->download(product.view(), about.k_q1.view());
  contrast.to_rows(about.k_q1.view());
  for (Index k = 0; k < q; ++k) about.constant_part += dot(n, about.k_q1.col(k), problem.q1().col(k));
  if (!std::isfinite(about.constant_part)) fail_eigenvalues_overflow();

  Matrix first(n, q);
  engine->download(storage.view().columns(0, q), first.view());
  const Matrix p = contrast.update(first.view(), about.k_q1.view());
  const DeviceMatrix v_there = uploaded(engine, contrast.tail()), p_there = uploaded(engine, contrast.rows(p.view()));
  engine->gemm(Op::none, Op::transpose, -1, v_there.view(), p_there.view(), 1, inner());
  engine->gemm(Op::none, Op::transpose, -1, p_there.view(), v_there.view(), 1, inner());
}

void KernelOnDevice::require_semidefinite() {
  const Index m = about.contrast.m();
  Array<double> diagonal = diagonal_from(engine, inner());
  const double largest = norm1(*engine, inner());
  if (!std::isfinite(largest)) fail_eigenvalues_overflow();
  if (largest == 0) return;
  const double below = about.indefinite(largest);
  for (double& value : diagonal) value += below;
  DeviceMatrix l(engine, m, m);
  engine->scale({}, {}, inner(), l.view());
  set_diagonal(engine, diagonal, l.view());
  if (!engine->potrf(l.view())) fail_indefinite(about.contrast, text("it has an eigenvalue below ", -below));
}

ReducedKernel KernelOnDevice::eigenvectors(Span<double> w) {
  const Contrast& contrast = about.contrast;
  const Index n = contrast.n(), q = contrast.q(), m = contrast.m();
  Matrix room(n, n);
  touch(room.view());
  engine->eigen(inner(), w);
  report(0.9);
  const DeviceView b = storage.view().columns(q, m);
  if (contrast.active()) {
    engine->fill(0, b.row_range(0, q));
    const DeviceMatrix v = uploaded(engine, contrast.v()), vt = uploaded(engine, contrast.factors());
    DeviceMatrix product(engine, q, m);
    engine->gemm(Op::transpose, Op::none, 1, v.view(), b, 0, product.view());
    engine->gemm(Op::none, Op::none, -1, vt.view(), product.view(), 1, b);
  }
  ReducedKernel out = std::move(about);
  out.storage = std::move(room);
  const MatrixView to = out.contrast.outer(out.storage.view());
  engine->download(b, to);
  out.contrast.to_rows(to);
  return out;
}

}  // namespace freeridge
