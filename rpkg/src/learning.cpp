// Hyperparameters of kernels, and the search of all of them.
#include <algorithm>

#include "model.h"

namespace {

// Adds the names and values of the hyperparameters to a list.
void add_hyperparameters(const freeridge_kernel* kernel, Rcpp::List& to) {
  std::int64_t count = 0;
  check(freeridge_kernel_hyperparameter_count(kernel, &count));
  auto values = fresh<Rcpp::NumericVector>(static_cast<R_xlen_t>(count));
  check(freeridge_kernel_get_hyperparameters(kernel, values.begin()));
  Rcpp::CharacterVector names(static_cast<R_xlen_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    names[static_cast<R_xlen_t>(i)] = text_by([&](std::int64_t size, char* text, std::int64_t* length) {
      return freeridge_kernel_hyperparameter_name(kernel, i, size, text, length);
    });
  to.push_back(names, "name");
  to.push_back(values, "value");
}

// Every evaluation: stage, score, lambda, gradient.
Rcpp::List history_of(const Model& model, std::int64_t evaluations) {
  const auto count = static_cast<R_xlen_t>(evaluations);
  auto stage = fresh<Rcpp::IntegerVector>(count);
  auto score = fresh<Rcpp::NumericVector>(count), lambda = fresh<Rcpp::NumericVector>(count),
       gradient = fresh<Rcpp::NumericVector>(count);
  check(
      freeridge_get_kernel_search_history(model.core, stage.begin(), score.begin(), lambda.begin(), gradient.begin()));
  return Rcpp::DataFrame::create(Rcpp::Named("stage") = stage, Rcpp::Named("score") = score,
                                 Rcpp::Named("lambda") = lambda, Rcpp::Named("gradient") = gradient);
}

}  // namespace

// The hyperparameters of a kernel: name, value.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_kernel_hyperparameters(Rcpp::List kernel) {
  Rcpp::List out;
  add_hyperparameters(make_kernel(kernel, R_NilValue).get(), out);
  return out;
}

// Learns the kernel of a model. label: one for each hyperparameter. The list has the kernel learnt, its hyperparameters, and
// what the search saw.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_select_kernel(SEXP handle, std::string criterion, Rcpp::IntegerVector label, double shrinkage,
                              double rows, double seed, double budget) {
  Model& model = model_of(handle);
  double score = 0;
  check(model, freeridge_select_kernel(model.core, criterion_of(criterion), label.begin(), shrinkage,
                                       static_cast<std::int64_t>(rows), static_cast<std::int64_t>(seed),
                                       static_cast<std::int64_t>(budget), &score));
  std::int64_t evaluations = 0, count = 0, learnt = 0, on_rows = 0, sample = 0;
  std::int32_t kept = 0, lambda_at = 0;
  check(freeridge_get_kernel_search(model.core, &evaluations, &count, &learnt, &on_rows, &sample, &kept, nullptr));
  std::vector<std::int64_t> variable(static_cast<std::size_t>(count));
  auto variables = fresh<Rcpp::NumericVector>(static_cast<R_xlen_t>(count)),
       low = fresh<Rcpp::NumericVector>(static_cast<R_xlen_t>(count)),
       high = fresh<Rcpp::NumericVector>(static_cast<R_xlen_t>(count));
  auto at = fresh<Rcpp::IntegerVector>(static_cast<R_xlen_t>(count));
  check(freeridge_get_kernel_search_bounds(model.core, variable.data(), low.begin(), high.begin(), at.begin(),
                                           &lambda_at));
  std::copy(variable.begin(), variable.end(), variables.begin());
  std::vector<std::int64_t> row(static_cast<std::size_t>(on_rows));
  check(freeridge_get_kernel_search_rows(model.core, row.data()));
  auto learnt_on = fresh<Rcpp::NumericVector>(static_cast<R_xlen_t>(on_rows));
  std::transform(row.begin(), row.end(), learnt_on.begin(), [](std::int64_t i) { return static_cast<double>(i) + 1; });
  freeridge_kernel* made = nullptr;
  check(freeridge_get_kernel(model.core, &made));
  const KernelPtr kernel(made);
  Rcpp::List out = Rcpp::List::create(
      Rcpp::Named("score") = score, Rcpp::Named("learnt") = static_cast<double>(learnt),
      Rcpp::Named("rows") = static_cast<double>(on_rows), Rcpp::Named("learnt_on") = learnt_on,
      Rcpp::Named("kept") = kept != 0, Rcpp::Named("lambda_at") = lambda_at, Rcpp::Named("variable") = variables,
      Rcpp::Named("low") = low, Rcpp::Named("high") = high, Rcpp::Named("at") = at,
      Rcpp::Named("history") = history_of(model, evaluations), Rcpp::Named("kernel") = kernel_list(kernel.get()));
  add_hyperparameters(kernel.get(), out);
  return out;
}
