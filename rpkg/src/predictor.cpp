// Predictors: a fitted model as the bytes that prediction needs, and back. A fit has x anyway: so it keeps the bytes of a
// predictor or a classifier without x.
#include <cstring>
#include <vector>

#include "model.h"

SEXP kept_bytes(const std::function<freeridge_status(std::int64_t size, void* bytes, std::int64_t* length)>& save,
                bool with_x) {
  std::int64_t place = 0, length = 0;
  const freeridge_status status = save(0, nullptr, &length);
  if (status == FREERIDGE_INVALID_ARGUMENT) return R_NilValue;
  check(status);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(length));
  check(save(length, bytes.data(), &length));
  if (!with_x) {
    check(freeridge_locate_saved_x(bytes.data(), static_cast<std::int64_t>(bytes.size()), &place, &length));
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(place);
    bytes.erase(first, first + static_cast<std::ptrdiff_t>(length));
  }
  auto raw = fresh<Rcpp::RawVector>(static_cast<R_xlen_t>(bytes.size()));
  std::memcpy(raw.begin(), bytes.data(), bytes.size());
  return Rcpp::List::create(Rcpp::Named("bytes") = raw, Rcpp::Named("place") = static_cast<double>(place));
}

std::vector<unsigned char> whole_bytes(const Rcpp::List& kept, SEXP x) {
  const Rcpp::RawVector bytes(kept["bytes"]);
  const double place = Rcpp::as<double>(kept["place"]);
  std::vector<unsigned char> all(bytes.begin(), bytes.end());
  if (place == 0) return all;
  if (!(place > 0 && place <= static_cast<double>(all.size()))) refuse("the bytes of the fit are cut short");
  const auto points = Rcpp::as<View>(x);
  const auto* const first = reinterpret_cast<const unsigned char*>(points.data());
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), first,
             first + sizeof(double) * static_cast<std::size_t>(points.size()));
  return all;
}

// As kept_bytes. whole: with x.
// [[Rcpp::export(rng = false)]]
SEXP core_save_predictor(SEXP handle, bool whole) {
  const Model& model = model_of(handle);
  // The bytes keep x where R has no such matrix: of a model that is a predictor, and of a sparse x.
  return kept_bytes(std::bind_front(freeridge_save_to_memory, model.core, FREERIDGE_SAVE_PREDICTOR),
                    whole || !Rf_isReal(model.x));
}

// x: the points, where the bytes were kept without them.
// [[Rcpp::export(rng = false)]]
SEXP core_load_predictor(Rcpp::List kept, SEXP x) {
  const std::vector<unsigned char> bytes = whole_bytes(kept, x);
  auto model = std::make_unique<Model>();
  check(freeridge_load_from_memory(bytes.data(), static_cast<std::int64_t>(bytes.size()), &model->core));
  return new_model_handle(std::move(model));
}
