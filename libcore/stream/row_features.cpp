#include "libcore/stream/row_features.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/checks.hpp"
#include "libcore/base/saved_values.hpp"
#include "libcore/kernel/kernel_text.hpp"
#include "libcore/routes/saved_route.hpp"

namespace freeridge {
namespace {

// A safety factor: q is chosen on the landmarks, which are only a sample of the rows. The bound is checked on all rows
// at the end, and becomes their noise where it is larger.
constexpr double careful = 4;

// A problem whose rows are the landmarks.
struct Own {
  Own(const KernelPtr& kernel, const Matrix& z, bool intercept)
      : y(z.rows(), 1, 0.0), problem(kernel, layout_view(z), layout_view(y), {}, intercept) {}
  Matrix y;
  Problem problem;
};

void require_kernel(const Kernel& kernel, Index d) {
  if (kernel.precomputed())
    fail(Status::invalid_argument, "kernel is precomputed: it has no values at coordinates of landmarks");
  kernel.check_data(1, d);
  if (kernel.linear_scale(d))
    fail(Status::invalid_argument,
         "kernel is linear: its accumulator is freeridge_accumulator_create, which needs no landmarks");
}

}  // namespace

RowFeatures::RowFeatures(KernelPtr kernel, const LayoutView& z, bool intercept, Reduction reduction)
    : d_(z.cols),
      reduction_(reduction == Reduction::qr ? Reduction::qr : Reduction::gram),
      kernel_(std::move(kernel)),
      z_(z.rows, z.cols) {
  require_kernel(*kernel_, d_);
  require_finite("z", z);
  copy_rows(z, 0, z_.view());
  const Own own(kernel_, z_, intercept);
  map_ = LandmarkFeatures::of_accurate_factor(own.problem, consecutive(0, z_.rows()));
  if (map_->features() == 0)
    fail(Status::invalid_argument, "z has no landmark whose kernel value with itself is positive");
  if (reduction_ == Reduction::gram) map_->prepare_partial(own.problem, careful);
  own_ = map_->own(own.problem);
}

RowFeatures::RowFeatures(Index d, bool intercept, Reduction reduction, ByteReader& in) : d_(d), reduction_(reduction) {
  kernel_ = load_kernel(in);
  const Index r = in.integer("number of landmarks", 1, largest_dimension);
  z_ = in.matrix("z", any_finite, r, d);
  sound([&] {
    require_kernel(*kernel_, d_);
    const Own own(kernel_, z_, intercept);
    map_ = std::make_unique<LandmarkFeatures>(own.problem, in);
    if (map_->features() == 0) fail(Status::corrupt, "the saved accumulator has no landmarks");
    const Index head = in.integer("leading landmarks", -1, map_->features() - 1);
    if (head >= 0) map_->set_head(head);
    own_ = map_->own(own.problem);
  });
}

void RowFeatures::save(ByteWriter& out) const {
  save_kernel(*kernel_, out);
  out.integer(z_.rows());
  out.matrix(z_.view());
  map_->save(out);
  out.integer(map_->head());
}

Matrix RowFeatures::kept() const {
  return picked_rows(z_.view(), map_->kept());
}

bool RowFeatures::same(const RowFeatures& other) const {
  if (landmarks() != other.landmarks() || d_ != other.d_ || reduction_ != other.reduction_ ||
      unpenalised_ != other.unpenalised_)
    return false;
  if (!landmarks()) return true;
  const auto equal = [](const auto& a, const auto& b) { return std::ranges::equal(a, b); };
  return equal(z_.values(), other.z_.values()) && equal(map_->kept(), other.map_->kept()) &&
         map_->head() == other.map_->head() && describe(*kernel_) == describe(*other.kernel_);
}

void RowFeatures::form(const Rows& x, Index row, MatrixView out) const {
  map_->raw(x, row, out);
  if (reduction_ == Reduction::gram && map_->has_partial())
    map_->apply_partial(out);
  else
    map_->apply(out);
  for (Index k = 0; k < out.cols; ++k)
    if (const Index i = first_not_finite({out.col(k), out.rows}); i < out.rows)
      fail(Status::not_finite, "a kernel value of row ", row + i, " of x overflows");
}

}  // namespace freeridge
