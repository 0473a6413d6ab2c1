// Predictors: a fitted model as the bytes that prediction needs, and back. Where f is a sum over all rows (form 2 of
// docs/file-format.md) the bytes hold x, column by column, before c and the checksum. A fit has x anyway, so it keeps
// the bytes without it.
#include <cstring>
#include <vector>

#include "model.h"

namespace {

// The offset at which the bytes hold x as the model's x is; 0 when they do not.
std::size_t place_of_points(const Model& model, const std::vector<unsigned char>& bytes) {
  if (!Rf_isReal(model.x)) return 0;  // the model is a predictor itself, or x is sparse
  const Dimensions size = dimensions_of(model);
  const auto number = sizeof(double);
  const std::size_t points = number * static_cast<std::size_t>(size.n) * static_cast<std::size_t>(size.d);
  const std::size_t after = number * (static_cast<std::size_t>(size.n) * static_cast<std::size_t>(size.t) + 1);
  if (bytes.size() < points + after) return 0;
  const std::size_t place = bytes.size() - after - points;
  return std::memcmp(bytes.data() + place, REAL(model.x), points) == 0 ? place : 0;
}

}  // namespace

// list(bytes, place). whole: with x. Otherwise x may be left out, and place is the offset where it belongs (0: it is
// not left out). NULL for a kernel that cannot be saved.
// [[Rcpp::export(rng = false)]]
SEXP core_save_predictor(SEXP handle, bool whole) {
  const Model& model = model_of(handle);
  std::int64_t length = 0;
  const freeridge_status status = freeridge_save_predictor_to_memory(model.core, 0, nullptr, &length);
  if (status == FREERIDGE_INVALID_ARGUMENT) return R_NilValue;
  check(status);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(length));
  check(freeridge_save_predictor_to_memory(model.core, length, bytes.data(), &length));
  const std::size_t place = whole ? 0 : place_of_points(model, bytes);
  if (place > 0) {
    const Dimensions size = dimensions_of(model);
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(place);
    bytes.erase(first, first + static_cast<std::ptrdiff_t>(sizeof(double)) * size.n * size.d);
  }
  auto raw = fresh<Rcpp::RawVector>(static_cast<R_xlen_t>(bytes.size()));
  std::memcpy(raw.begin(), bytes.data(), bytes.size());
  return Rcpp::List::create(Rcpp::Named("bytes") = raw, Rcpp::Named("place") = static_cast<double>(place));
}

// Makes a predictor of such bytes. x: the points, which are put in at the offset `place` unless that is 0.
// [[Rcpp::export(rng = false)]]
SEXP core_load_predictor(Rcpp::RawVector bytes, double place, SEXP x) {
  auto model = std::make_unique<Model>();
  if (place == 0) {
    check(freeridge_load_from_memory(bytes.begin(), bytes.size(), &model->core));
  } else {
    const auto points = Rcpp::as<View>(x);
    const auto at = static_cast<std::ptrdiff_t>(place);
    const auto* first = reinterpret_cast<const unsigned char*>(points.data());
    std::vector<unsigned char> all(bytes.begin(), bytes.begin() + at);
    all.insert(all.end(), first, first + sizeof(double) * static_cast<std::size_t>(points.size()));
    all.insert(all.end(), bytes.begin() + at, bytes.end());
    check(freeridge_load_from_memory(all.data(), static_cast<std::int64_t>(all.size()), &model->core));
  }
  check(freeridge_set_progress(model->core, listen, static_cast<Listener*>(model.get())));
  return new_handle(std::move(model), "freeridge_model");
}
