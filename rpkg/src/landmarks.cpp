// Landmarks: rows are counted from 1 in R, from 0 in the core.
#include <vector>

#include "model.h"

// rows: NULL (the core chooses), or `count` rows.
// [[Rcpp::export(rng = false)]]
void core_set_landmarks(SEXP handle, double count, SEXP rows) {
  freeridge_model* core = model_of(handle).core;
  if (Rf_isNull(rows)) {
    check(freeridge_set_landmarks(core, static_cast<std::int64_t>(count), nullptr));
    return;
  }
  std::vector<std::int64_t> from_zero;
  for (const double row : Rcpp::NumericVector(rows)) from_zero.push_back(static_cast<std::int64_t>(row) - 1);
  check(freeridge_set_landmarks(core, static_cast<std::int64_t>(from_zero.size()), from_zero.data()));
}

// [[Rcpp::export(rng = false)]]
void core_set_landmark_method(SEXP handle, std::string method, double seed) {
  const freeridge_landmark_method value = number_of(method, "landmark method",
                                                    {{"auto", FREERIDGE_LANDMARKS_AUTO},
                                                     {"random", FREERIDGE_LANDMARKS_RANDOM},
                                                     {"kmeans", FREERIDGE_LANDMARKS_KMEANS},
                                                     {"pivoted", FREERIDGE_LANDMARKS_PIVOTED}});
  check(freeridge_set_parameter(model_of(handle).core, FREERIDGE_LANDMARK_METHOD, value));
  check(freeridge_set_parameter(model_of(handle).core, FREERIDGE_LANDMARK_SEED, seed));
}

// The landmarks of the factorization, none for other routes.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_landmarks(SEXP handle) {
  const Model& model = model_of(handle);
  std::int64_t count = 0;
  check(freeridge_get_landmarks(model.core, &count, nullptr));
  if (count == 0) return Rcpp::NumericVector(0);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  check(freeridge_get_landmarks(model.core, nullptr, rows.data()));
  auto from_one = fresh<Rcpp::NumericVector>(static_cast<R_xlen_t>(count));
  for (std::size_t i = 0; i < rows.size(); ++i) from_one[static_cast<R_xlen_t>(i)] = static_cast<double>(rows[i]) + 1;
  return from_one;
}

// c(trace_left, trace)
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_landmark_traces(SEXP handle) {
  const Model& model = model_of(handle);
  auto traces = fresh<Rcpp::NumericVector>(2);
  check(freeridge_landmark_trace(model.core, &traces[0], &traces[1]));
  return traces;
}

// sizes ascending; lambdas, scores: length(sizes) x t
// [[Rcpp::export(rng = false)]]
Rcpp::List core_landmark_curve(SEXP handle, std::string criterion, Rcpp::NumericVector sizes) {
  Model& model = model_of(handle);
  const int count = static_cast<int>(sizes.size());
  const int t = dimensions_of(model).t;
  const std::vector<std::int64_t> whole(sizes.begin(), sizes.end());
  auto lambdas = fresh<Rcpp::NumericMatrix>(count, t), scores = fresh<Rcpp::NumericMatrix>(count, t);
  check(model, freeridge_landmark_curve(model.core, criterion_of(criterion), count, whole.data(), lambdas.begin(),
                                        scores.begin(), count));
  return Rcpp::List::create(Rcpp::Named("lambdas") = lambdas, Rcpp::Named("scores") = scores);
}
